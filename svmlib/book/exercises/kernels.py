"""Exercises of chapter 5, Kernels."""

import numpy as np
from scipy.spatial.distance import cdist

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples

__all__ = ["check_is_gram_matrix", "check_kernel_machine", "check_kernel_perceptron"]
__all__ += ["check_quadratic_features", "check_rbf_gram"]


def _two_sets(random: Random) -> Inputs:
    for X, _ in samples(random):
        yield X[1:], X + 0.5, 0.2 * len(X)
    X = np.array([1e9, -1e9]) + np.arange(20.0)[:, np.newaxis]
    yield X, X[:5], 0.01
    # Neighbours among the floats: with one feature every rounding is known, and for these the sum
    # of the squares less twice the product is below 0 on any processor, in any order.
    a = 1000 + np.array([5, 54, 103, 135]) / 7
    X = np.outer(a, [1, -1]).reshape(-1, 1)  # with the mean 0, whatever is moved
    yield X, np.nextafter(X, 2 * X), 1.0
    X = random.standard_normal((200, 3))
    yield X, X, 1.0


@exercise(5, "A Gram matrix without loops", "a row a row of X, a column a row of Z", _two_sets)
def check_rbf_gram(X: Array, Z: Array, gamma: float) -> Key:
    """Expand ‖x − z‖² into ‖x‖² + ‖z‖² − 2 x·z: two vectors of squares and one matrix product.

    A column of shape (n, 1) plus a row of shape (m,) is a matrix of shape (n, m).
    Far from the origin large numbers cancel: move both sets by one vector. What if D² < 0?
    """
    D, products = cdist(X, Z, "sqeuclidean"), X @ Z.T
    right, apart = np.exp(-gamma * D), cdist(X - X.mean(axis=0), Z - Z.mean(axis=0)) ** 2
    mistakes = {
        "it grows with the distance: the exponent needs a minus.": [np.exp(gamma * D)],
        "it uses the distance: the exponent has its square.": [np.exp(-gamma * np.sqrt(D))],
        "it returns the squared distances: the exponential is missing.": [D],
        "you subtract x·z once: it must be −2 x·z.": [np.exp(-gamma * (D + products))],
        "you add 2 x·z: that is ‖x + z‖².": [np.exp(-gamma * (D + 4 * products))],
        "it takes gamma for the width σ.": [np.exp(-D / 2 / gamma**2)],
        "it ignores gamma.": [np.exp(-D)],
        "it moves X and Z by different vectors: both must move alike.": [np.exp(-gamma * apart)],
    }

    def tests(K: Array) -> Tests:
        close = np.allclose(K, right)
        yield X[0, 0] > 1e8 and not close, "far from the origin it loses digits: move the origin."
        yield (
            close and K.max() > 1,
            "rounding makes some values exceed 1: some ‖x − z‖² is below 0.",
        )

    return Key(right, mistakes, tests)


def _samples(random: Random) -> Inputs:
    yield from ((random.randint(-20, 21, (d + 2, d)) / 10,) for d in (2, 3, 1, 6))


@exercise(5, "The features of a quadratic kernel", "a row of features a sample", _samples)
def check_quadratic_features(X: Array) -> Key:
    """Expand (x·z + 1)² for d = 2 on paper, and read each term as a feature of x times one of z.

    There are six of them: 1, the x_i, the x_i², and x_1 x_2. Which have a 2 in front?
    A weight enters the product φ(x)·φ(z) twice. For any d, np.triu_indices lists the pairs.
    """
    i, j = np.triu_indices(X.shape[1] + 1)
    linear, extended = X @ X.T, np.insert(X, 0, 1, axis=1)
    cross = (linear**2 - (X**2) @ (X**2).T) / 2  # Σ_{i<j} x_i x_j z_i z_j
    lacking = {
        "the constant feature 1 is missing: (0·0 + 1)² is 1.": 1,
        "the features x_i need the weight √2.": linear,
        "the features x_i are missing.": 2 * linear,
        "the squares x_i² are missing.": linear**2 - 2 * cross,
        "the products x_i x_j with i < j need the weight √2.": cross,
        "the products x_i x_j of different coordinates are missing.": 2 * cross,
        "the x_i and the products x_i x_j with i < j need the weight √2.": linear + cross,
        "the weights are √2, not 2: each enters squared.": -2 * linear - 2 * cross,
    }

    def tests(phi: Array) -> Tests:
        missing = (linear + 1) ** 2 - phi @ phi.T
        if np.allclose(missing, 0):
            yield phi.shape[1] > i.size, f"right, but {i.size} features will do."
            return
        yield from ((np.allclose(missing, part), told) for told, part in lacking.items())
        yield True, f"some φ(x)·φ(z) is off by {np.abs(missing).max():.3g}."

    right = np.where(i == j, 1, 2**0.5) * extended[:, i] * extended[:, j]
    return Key(right, tests=tests, several=True)


def _matrices(random: Random) -> Inputs:
    flat = random.standard_normal((20, 2))
    yield np.eye(3), True, "it rejects the identity matrix."
    yield -np.eye(2), False, "it accepts −I, whose determinant is 1: ask for the eigenvalues."
    yield np.array([[2, -1], [-1, 2]]), True, "entries of a Gram matrix may be negative."
    yield np.array([[1, 2], [2, 1]]), False, "positive entries are not enough."
    yield 1.9 * np.eye(3) - 0.9, False, "any two of these points can exist, but not all three."
    yield np.array([[1, 0.9], [0, 1]]), False, "it accepts a matrix that is not symmetric."
    yield np.array([[1, 0], [0.9, 1]]), False, "it accepts a matrix that is not symmetric."
    yield np.zeros((2, 2)), True, "it rejects zero, the matrix of two points at the origin."
    yield (
        flat @ flat.T,
        True,
        "18 eigenvalues are zero but for rounding: forgive a tiny negative one.",
    )
    yield 1e12 * (flat @ flat.T), True, "rounding grows with the matrix: the tolerance must, too."
    yield 1e-12 * np.diag([1, -0.1]), False, "the tolerance must shrink with the matrix."
    yield np.diag([1, -1e-6]), False, "rounding is far smaller than that, about 1e-16."


@exercise(5, "Is it a Gram matrix?", "True or False", _matrices)
def check_is_gram_matrix(K: Array, right: bool = True, told: str = "") -> Key:
    """Look at the eigenvalues: neither the entries nor the determinant can tell.

    np.linalg.eigvalsh reads one triangle only, so symmetry needs a look of its own.
    Rounding moves an eigenvalue by about n · 2⁻⁵² of the largest: forgive that, and no more.
    """
    return Key(right, tests=lambda found: iter([(found != right, told)]))


def _separable(random: Random) -> Inputs:
    for n, width in ((2, 1.0), (3, 1.5), (8, 0.8), (30, 0.4)):
        X, y = random.standard_normal((n, 2)), np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
        yield np.exp(-cdist(X, X, "sqeuclidean") / width), y


@exercise(5, "The kernel perceptron", "one count a sample", _separable)
def check_kernel_perceptron(K: Array, y: Array) -> Key:
    """Write w = Σ c_j y_j φ(x_j): then ⟨w, φ(x_i)⟩ needs the counts and row i of K only.

    A correction on sample i adds 1 to c_i, and the next sample already sees the new counts.
    At the start every score is 0, and a score of 0 is corrected too: ≤ 0.
    """
    right, before = np.zeros(y.size), np.ones(y.size)
    while (right != before).any():
        before = right.copy()
        for i in range(y.size):
            right[i] += y[i] * (K[i] @ (right * y)) <= 0

    def tests(c: Array) -> Tests:
        wrong, made = np.sum(y * (K @ (c * y)) <= 0), f"{c.sum():.0f} corrections"
        yield not c.any(), "it never starts: correct a score of 0 too (≤ 0, not < 0)."
        yield np.array_equal(c, right * y), "you return c_i y_i: the counts themselves are ≥ 0."
        yield wrong > 0, f"it stopped although {wrong} of {y.size} samples are still wrong."
        yield (c < 0).any() or (c % 1).any(), "counts are whole numbers, none negative."
        yield (c != right).any(), f"{made}: take the samples in order, and let w change at once."

    return Key(right, tests=tests)


def _machines(random: Random) -> Inputs:
    """Yield exact solutions: two samples of a line, with others beyond, and all on margins."""
    for low, high in ((0.0, 1.0), (-3.0, 1.0), (2.0, 2.5)):
        x = np.array([low, high, low - 1, high + 2, low - 2])
        alpha = np.array([1, 1, 0, 0, 0]) * 2 / (high - low) ** 2
        order = random.permutation(5)
        y, x = np.array([-1.0, 1, -1, 1, -1])[order], x[order]
        yield np.outer(x, x), y, alpha[order], np.outer(random.randint(-9, 10, 3), x)
    for n in (3, 6):
        X, y = 2.0 * np.arange(n)[:, np.newaxis], np.where(np.arange(n) % 3, -1.0, 1.0)
        K, border = np.exp(-(cdist(X, X) ** 2)), np.ones((n, 1))
        system = np.block([[K, border], [border.T, np.zeros((1, 1))]])
        beta = np.linalg.solve(system, np.append(y, 0))[:n]
        yield K, y, y * beta, np.exp(-(cdist(X[:2] + 0.5, X) ** 2))


@exercise(5, "A machine out of kernel values", "f of the new samples, an array", _machines)
def check_kernel_machine(K: Array, y: Array, alpha: Array, new: Array) -> Key:
    """Put β_i = α_i y_i: then f is a product with β, plus b.

    A support vector has y f = 1, so it asks for the bias y_i − Σ_j K_ij β_j. What do others ask?
    Weigh what each sample asks for with its multiplier, and divide by the sum of all.
    """
    beta = alpha * y
    asked, f = y - K @ beta, new @ beta
    b = alpha @ asked / alpha.sum()
    mistakes = {
        "the bias is missing.": [f],
        "your bias has the wrong sign.": [f - b],
        "the labels are missing: f = Σ α_i y_i k(x_i, x) + b.": [new @ alpha + b],
        "not all samples are on the margin: only support vectors tell b.": [f + asked.mean()],
        "your weighted mean is not divided by the sum of its weights.": [f + alpha @ asked],
        "f is not its sign: return the values.": [np.sign(f + b)],
    }
    return Key(f + b, mistakes)
