"""Exercises of chapter 4, Lagrange duality."""

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples
from svmlib.interior_point import interior_point
from svmlib.problem import DualProblem

__all__ = ["check_bias", "check_dual", "check_nearest_weights", "check_reduced_newton_step"]


def _multipliers(random: Random) -> Inputs:
    for X, y in samples(random):
        yield random.randint(1, 5, y.size) / 2, X, y
        yield random.randint(0, 2, y.size) / 2, X, y


@exercise(4, "The dual and its gradient, in code", "a pair, value and gradient", _multipliers)
def check_dual(alpha: Array, X: Array, y: Array) -> Key:
    """Compute v = Σ α_i y_i x_i first: the value needs nothing else, and no n × n matrix.

    The quadratic term is ½ v·v. What is the derivative of v with respect to α_i?
    The gradient has one entry a sample, and each entry starts with 1.
    """
    v, unsigned, total = (alpha * y) @ X, alpha @ X, alpha.sum()
    half, slopes = v @ v / 2, X @ v
    mistakes = {
        "your value is −D(α), what a minimiser wants.": [(half - total, None)],
        "your value is Σα − ‖v‖²: the quadratic term has the factor ½.": [(total - 2 * half, None)],
        "your value ignores the labels.": [(total - unsigned @ unsigned / 2, None)],
        "your value adds the quadratic term: it must be subtracted.": [(total + half, None)],
        "your gradient is that of −D(α): turn its sign.": [(None, y * slopes - 1)],
        "your gradient has the factor ½ left.": [(None, 1 - y * slopes / 2)],
        "in your gradient the label y_i of the sample is missing.": [(None, 1 - slopes)],
        "your gradient ignores y_i and those inside v.": [(None, 1 - X @ unsigned)],
    }
    return Key((total - half, 1 - y * slopes), mistakes)


def _solutions(random: Random) -> Inputs:
    yield np.array([2.0, 2]), np.array([[1.0], [2]]), np.array([-1.0, 1])
    yield np.array([0.0, 0.5, 0.5]), np.array([[0.0], [2], [4]]), np.array([-1.0, -1, 1])
    y = np.where(np.arange(20) % 3 == 0, 1.0, -1.0)
    for unit in (1.0, 1e4, 1e-4):
        X = unit * (random.standard_normal((20, 2)) + 4 * y[:, np.newaxis] + [3, 1])
        alpha = interior_point(DualProblem(X, y, C=np.inf)).alpha
        yield alpha, X, y
        yield alpha + 1e-9 * alpha.max(), X, y  # dust
        rough = alpha * random.uniform(0.999, 1.001, 20)
        rough[y > 0] *= rough[y < 0].sum() / rough[y > 0].sum()  # but Σ α_i y_i = 0
        yield rough, X, y


@exercise(4, "A bias without a threshold, in code", "one number, b", _solutions)
def check_bias(alpha: Array, X: Array, y: Array) -> Key:
    """Solve y_i f(x_i) = 1 for b: every support vector gives a value of its own.

    Which mean of these values gives a sample with next to no multiplier next to no say?
    A threshold has a unit. The multipliers themselves are weights, whatever the unit.
    """
    scores, support = X @ ((alpha * y) @ X), alpha > 1e-6 * alpha.max()
    g = y - scores
    mistakes = {
        "your bias has the wrong sign: y_i (w·x_i + b) = 1.": [-alpha @ g / alpha.sum()],
        "that is the mean over all samples, but not all are on the margin.": [g.mean()],
        "you use 1 − w·x_i for both classes.": [alpha @ (1 - scores) / alpha.sum()],
        "your weighted sum is not divided by Σα.": [alpha @ g],
    }

    def tests(b: Array) -> Tests:
        outside = not g[support].min() - 1e-5 <= b <= g[support].max() + 1e-5
        single = np.ptp(g[support]) > 1e-7 and np.isclose(b, g[support], rtol=1e-12, atol=0).any()
        dusty = "all multipliers have dust of relative size 1e-9, which makes no support vector."
        yield not np.isfinite(b), "a fixed threshold finds no support vector in this unit."
        yield outside and (alpha > 0).all() and not support.all(), dusty
        yield outside, "that is not the bias."
        yield single, "your bias is that of one support vector. They differ a little: use them all."

    return Key(alpha @ g / alpha.sum(), mistakes, tests, several=True)


def _newton(random: Random) -> Inputs:
    for X, y in samples(random):
        alpha, s = random.randint(5, 21, (2, y.size)) / 10
        yield np.outer(y, y) * (X @ X.T), y, alpha, 0.3, s, 0.1


@exercise(4, "A smaller Newton system, in code", "three things, Δα, Δb and Δs", _newton)
def check_reduced_newton_step(
    H: Array, y: Array, alpha: Array, b: float, s: Array, target: float
) -> Key:
    """Solve the last row, s∘Δα + α∘Δs = ε − α∘s, for Δs, and put that into the first row.

    What multiplies Δα now is M = H + diag(s/α). So Δα is M⁻¹ of a vector, minus Δb M⁻¹y.
    The middle row, y·Δα = −y·α, is then one equation for the number Δb.
    """
    n, Y = y.size, y[:, np.newaxis]
    rows = np.block(
        [[H, Y, -np.eye(n)], [Y.T, np.zeros((1, n + 1))], [np.diag(s), 0 * Y, np.diag(alpha)]]
    )
    right = np.hstack([1 - H @ alpha - y * b + s, -y @ alpha, target - alpha * s])
    step = np.linalg.solve(rows, right)

    def tests(*parts: Array) -> Tests:
        missed = np.abs(rows @ np.hstack(parts) - right) > 1e-7
        yield missed[n], "your step misses the middle row, y·Δα = −y·α, which determines Δb."
        yield missed[n + 1 :].any(), "your step misses the last row: mind the sign of (s/α)∘Δα."
        yield missed.any(), "your step misses the first row: what of Δs goes to the right side?"

    return Key((step[:n], step[n], step[n + 1 :]), tests=tests)


def _any_numbers(random: Random) -> Inputs:
    for c in ([0.25, 0.75], [2.0, 0], [0.5, 0.5, 0.5], [-1.0, -2], [3.0], [1.0, 1, 0, -4]):
        yield (np.array(c),)
    for n in (3, 5, 20):
        yield (random.randint(-20, 21, n) / 10,)


@exercise(4, "The nearest weights", "weights, one for each number", _any_numbers)
def check_nearest_weights(c: Array) -> Key:
    """Write down KKT with a price ν of any sign on Σ z_i = 1: it gives z_i = max(0, c_i − ν).

    If the k largest numbers get the positive weights, which ν makes their sum 1?
    No other k gives a larger ν: the sum of max(0, c_i − ν) is at least that over any k of them.
    """
    n, falling = c.size, np.sort(c)[::-1]
    prices = (falling.cumsum() - 1) / np.arange(1, n + 1)
    clipped, moved = np.maximum(c, 0), c - prices[-1]
    mistakes = {
        "clip and divide by the sum: weights, but not the nearest.": [
            clipped / (clipped.sum() or 1)
        ],
        "a weight is negative: the price of the sum alone does not see z ≥ 0.": [moved],
        "clipped after the move the sum is no longer 1: ν must be another.": [np.maximum(moved, 0)],
        "you divide those by their new sum: they sum to 1, but are not the nearest.": [
            np.maximum(moved, 0) / np.maximum(moved, 0).sum()
        ],
        "that is the price for the largest number alone.": [np.maximum(c - prices[0], 0)],
        "all of it on the largest: that maximises c·z.": [np.eye(n)[c.argmax()]],
    }
    return Key(np.maximum(c - prices.max(), 0), mistakes)
