"""Every check accepts right answers, names every mistake it knows, and lets no other one pass."""

import inspect

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.isotonic import IsotonicRegression

from svmlib.book import exercises
from svmlib.book.exercises import _engine


def said(capsys, name, function):
    """Return what the check of an exercise prints about a function."""
    getattr(exercises, f"check_{name}")(function)
    return capsys.readouterr().out


# Right answers, by the names of their exercises. Options make wrong ones.


def bracket(X, y, weights, *, least=0):
    w = (weights * y) @ X
    heights, length = X @ w, np.linalg.norm(w)
    return max((heights[y > 0].min() - heights[y < 0].max()) / length, least), length


def reduce_weights(points, weights, *, pick=np.argmin, missing=np.inf, once=False):
    weights = np.array(weights, dtype=float)
    while np.count_nonzero(weights) > points.shape[1] + 1:
        used = np.flatnonzero(weights)
        a = np.linalg.svd(np.vstack([points[used].T, np.ones(len(used))]))[2][-1]
        ratios = np.where(a > 0, weights[used] / np.where(a > 0, a, 1), missing)
        weights[used] -= ratios[pick(ratios)] * a
        weights[used[pick(ratios)]] = 0
        if once:
            break
    return weights


def radon(X, *, ones=True):
    rows = np.vstack([X.T, np.ones(len(X))]) if ones else X.T
    a = np.linalg.svd(rows)[2][-1]
    return np.where(a > 0, 1, -1), np.abs(a) / a[a > 0].sum()


def pair_step(w, x_plus, x_minus, lam_plus, lam_minus):
    u = x_plus - x_minus
    return max((1 - w @ u) / (u @ u), -lam_plus, -lam_minus)


def best_scale(X_plus, X_minus, lam_plus, lam_minus):
    w = lam_plus @ X_plus - lam_minus @ X_minus
    return lam_plus.sum() / (w @ w)


def steepest_pair(X_plus, X_minus, w):
    return np.argmin(X_plus @ w), np.argmax(X_minus @ w)


def step_within(w, x_i, x_k, lam_i, lam_k):
    u = x_i - x_k
    return min(max(-(w @ u) / (u @ u), -lam_i), lam_k)


def dual(alpha, X, y):
    v = (alpha * y) @ X
    return alpha.sum() - v @ v / 2, 1 - y * (X @ v)


def bias(alpha, X, y):
    return alpha @ (y - X @ ((alpha * y) @ X)) / alpha.sum()


def reduced_newton_step(Q, y, alpha, b, s, mu, *, sign=1, with_s=True):
    rs = mu / alpha - s
    right = np.column_stack([1 - Q @ alpha - y * b + s + with_s * rs, y])
    u, H_inv_y = np.linalg.solve(Q + np.diag(s / alpha), right).T
    d_b = y @ (u + alpha) / (y @ H_inv_y)
    d_alpha = u - H_inv_y * d_b
    return d_alpha, d_b, rs - sign * s / alpha * d_alpha


def rbf_gram(X, Z, gamma):
    X, Z = X - Z.mean(axis=0), Z - Z.mean(axis=0)
    D = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * X @ Z.T
    return np.exp(-gamma * D.clip(min=0))


def quadratic_features(X, linear=2**0.5, cross=2**0.5, square=1, columns=slice(None)):
    X = np.column_stack((np.ones(len(X)), X))
    i, j = np.triu_indices(X.shape[1])
    weight = np.where(i == 0, linear, np.where(i == j, square, cross))
    weight[0] = 1
    return (weight * X[:, i] * X[:, j])[:, columns]


def is_gram_matrix(K):
    eigenvalues = np.linalg.eigvalsh(K)
    symmetric = np.allclose(K, K.T, rtol=0, atol=1e-12 * np.abs(K).max())
    return symmetric and eigenvalues[0] >= -len(K) * 2**-52 * np.abs(eigenvalues).max()


def kernel_perceptron(K, y):
    c, mistakes = np.zeros(len(y)), True
    while mistakes:
        mistakes = False
        for i in range(len(y)):
            if y[i] * (K[i] @ (c * y)) <= 0:
                c[i], mistakes = c[i] + 1, True
    return c


def reduced_support(points, u, cap):
    order = np.argsort(-(points @ u))
    return np.clip(1 - cap * np.arange(len(points)), 0, cap) @ points[order]


def losses(w, b, X, y):
    return np.maximum(0, 1 - y * (X @ w + b))


def hinge_objective(w, b, X, y, C, power=1, kink=1):
    return w @ w / 2 + C * (np.maximum(0, kink - y * (X @ w + b)) ** power).sum()


def hinge_subgradient(w, b, X, y, C, pushes=lambda m: m < 1):
    chosen = np.where(pushes(y * (X @ w + b)), y, 0)
    return w - C * chosen @ X, -C * chosen.sum()


def soft_bias(X, y, alpha, C):
    g = y - X @ (X.T @ (alpha * y))
    below, above = alpha < C * (1 - 1e-8), alpha > C * 1e-8
    if (below & above).any():
        return g[below & above].mean()
    low = g[np.where(y > 0, below, above)].max()
    return (low + g[np.where(y > 0, above, below)].min()) / 2


def line_ends(alpha_1, alpha_2, y_1, y_2, C_1, C_2):
    if y_1 == y_2:
        return max(0, alpha_1 + alpha_2 - C_1), min(C_2, alpha_1 + alpha_2)
    return max(0, alpha_2 - alpha_1), min(C_2, C_1 + alpha_2 - alpha_1)


def platt_step(
    alpha_1, alpha_2, y_1, y_2, E_1, E_2, eta, C, *, bent=max, clip=True, downhill=1, fixed=None
):
    low, high = line_ends(alpha_1, alpha_2, y_1, y_2, C, C)
    slope = downhill * y_2 * (E_1 - E_2)

    def gain(new):
        return (new - alpha_2) * slope - (new - alpha_2) ** 2 * eta / 2

    if eta > 0:
        new = alpha_2 + slope / eta
        new = min(max(new, low), high) if clip else new
    elif np.isclose(gain(low), gain(high)):
        new = alpha_2
    else:
        new = bent(low, high, key=gain)
    return fixed or alpha_1 + y_1 * y_2 * (alpha_2 - new), new


def state(K, y, alpha, C):
    below, above = alpha < C, alpha > 0
    return y - K @ (y * alpha), np.where(y > 0, below, above), np.where(y > 0, above, below)


def violation(K, y, alpha, C):
    g, up, down = state(K, y, alpha, C)
    return g[up].max() - g[down].min()


def second_order_pair(
    *case,
    score=lambda s, a: s**2 / a,
    curvature=lambda K, i, j: K[i, i] + K[j, j] - 2 * K[i, j],
    anybody=False,
):
    g, up, down = state(*case)
    i = np.where(up, g, -np.inf).argmax()
    partners = np.flatnonzero((down | anybody) & (g < g[i]))
    return i, partners[score(g[i] - g[partners], curvature(case[0], i, partners)).argmax()]


def cheapest_threshold(f, y, miss, alarm, *, call=np.greater_equal, never=True, last=False):
    thresholds = np.append(np.unique(f), np.inf)[: None if never else -1]
    called = call(f, thresholds[:, np.newaxis])
    costs = miss * np.sum(~called & (y > 0), axis=1) + alarm * np.sum(called & (y < 0), axis=1)
    k = len(costs) - 1 - costs[::-1].argmin() if last else costs.argmin()
    return thresholds[k], costs[k]


def isotonic(y, *, back=True, strict=False):
    blocks = []
    for value in y:
        block = [value]
        while blocks and np.mean(blocks[-1]) >= np.mean(block) + 1e-12 * strict:
            block = blocks.pop() + block
            if not back:
                break
        blocks.append(block)
    return np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])


def multiclass_objective(W, X, y, C):
    F, rows = X @ W.T, np.arange(len(y))
    F = F - F[rows, y][:, None] + 1
    F[rows, y] = 0
    return np.sum(W**2) / 2 + C * F.max(axis=1).sum()


def spectrum_kernel(s, t, length):
    starts, others = range(len(s) - length + 1), range(len(t) - length + 1)
    return sum(s[i : i + length] == t[j : j + length] for i in starts for j in others)


def tube_gap(K, t, beta, b, C, eps):
    r = t - K @ beta - b
    bracket = C * np.maximum(0, np.abs(r) - eps) - beta * r + eps * np.abs(beta)
    return bracket.sum()  # w = v, so the first term of the proposition is 0


def rounded_hinge(s, y, C, c, h):
    q = np.clip(c + (y - s) / h, min(0, C * y), max(0, C * y))
    return q * (y - s) - h / 2 * (q - c) ** 2, -q


def guess(K, y, q, c, h, free):
    p = np.where(free, 0.0, q)
    A = K[np.ix_(free, free)] + h * np.eye(free.sum())
    v = np.linalg.solve(A, (y + h * c - K @ p)[free])
    u = np.linalg.solve(A, np.ones(free.sum()))
    b = (v.sum() + p.sum()) / u.sum()
    p[free] = v - b * u
    return p, b


def one_by_one(X, y, alpha, C, order=1, zero=True):
    alpha = np.array(alpha, dtype=float)
    w = (alpha * y) @ X
    for i in range(len(y))[::order]:
        size = X[i] @ X[i]
        top = C if zero else alpha[i]
        best = alpha[i] + (1 - y[i] * (w @ X[i])) / size if size else top
        best = min(max(best, 0), C)
        w = w + (best - alpha[i]) * y[i] * X[i]
        alpha[i] = best
    return alpha, w


RIGHT = {name: globals()[name] for name in _engine._EXERCISES}


def listed(function):
    """Make lists of tuples and arrays, as some would write them."""

    def answer(*inputs):
        found = function(*inputs)
        return list(found) if isinstance(found, tuple) or np.ndim(found) else found

    return answer


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_pass_in_any_style_and_unwritten_ones_are_known(capsys, name):
    for function in (RIGHT[name], listed(RIGHT[name])):
        assert "every check passed. Well done" in said(capsys, name, function)
    assert "not written yet" in said(capsys, name, lambda *_: None)
    assert "stopped with ZeroDivisionError" in said(capsys, name, lambda *_: 1 / 0)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("bias", lambda a, X, y: -(a * y) @ X @ (a @ X) / a.sum()),
        ("hinge_subgradient", lambda *case: hinge_subgradient(*case, pushes=lambda m: m <= 1)),
        ("isotonic", lambda y: isotonic(y, strict=True)),  # equal means need not merge
    ],
)
def test_other_right_answers_pass(capsys, name, function):
    assert "every check passed" in said(capsys, name, function)


def test_our_isotonic_regression_is_that_of_scikit_learn():
    random, key = np.random.default_rng(0), _engine._EXERCISES["isotonic"].key
    for n in range(1, 30):
        y = (random.uniform(size=n) < 0.5).astype(float)
        theirs = IsotonicRegression().fit_transform(np.arange(n), y)
        np.testing.assert_allclose(key(y).right, theirs)


# Mistakes that a check knows: those that its key declares, with what they give, ...


def pretender(task, words, k):
    """Return a function that makes a declared mistake: it answers what the key says it gives."""

    def pretend(*inputs):
        key = task.key(*inputs)
        right = _engine._tuple(key.right)
        wrong = _engine._tuple(key.mistakes[words][k]) if words in key.mistakes else right
        parts = tuple(r if w is None else w for r, w in zip(right, wrong, strict=True))
        return parts if isinstance(key.right, tuple) else parts[0]

    return pretend


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("name", RIGHT)
def test_every_declared_mistake_is_named(capsys, name):
    task = _engine._EXERCISES[name]
    keys = (task.key(*drawn) for drawn in task.inputs(np.random.RandomState(0)))
    pairs = (pair for key in keys for pair in key.mistakes.items())
    for words, k in {(words, k) for words, answers in pairs for k in range(len(answers))}:
        assert words in said(capsys, name, pretender(task, words, k))


# ... those that it tests for, ...


def changed(function, change):
    """Return a function whose answer is changed: change(answer, *inputs)."""
    return lambda *inputs: change(function(*inputs), *inputs)


def bias_above(threshold):
    def bias(alpha, X, y):
        support = alpha > threshold
        return np.divide((y - X @ ((alpha * y) @ X))[support].sum(), support.sum())

    return bias


def platt_step_dividing(alpha_1, alpha_2, y_1, y_2, E_1, E_2, eta, C):
    low, high = line_ends(alpha_1, alpha_2, y_1, y_2, C, C)
    top = alpha_2 + y_2 * (E_1 - E_2) / np.float64(eta)
    new = np.clip(top, low, high) if eta else top
    return alpha_1 + y_1 * y_2 * (alpha_2 - new), new


def soft_bias_of_support_vectors(X, y, alpha, C):
    """Forget that samples with α = 0 bound b too."""
    g, above = y - X @ (X.T @ (alpha * y)), alpha > C * 1e-8
    if (above & (alpha < C * (1 - 1e-8))).any():
        return soft_bias(X, y, alpha, C)
    return (g[above & (y < 0)].max() + g[above & (y > 0)].min()) / 2


def highest(g, can):
    return np.where(can, g, -np.inf).argmax()


def lowest(g, can):
    return np.where(can, g, np.inf).argmin()


def pair_of(choose_i, choose_j):
    def pair(*case):
        g, up, down = state(*case)
        return choose_i(g, up), choose_j(g, down)

    return pair


def expanded(X, Z, g):
    """Squared distances without a common origin, of which some are negative."""
    return np.exp(-g * ((X**2).sum(1)[:, None] + (Z**2).sum(1) - 2 * X @ Z.T))


def eigenvalues_above(least, symmetric=True):
    def found(K):
        return (not symmetric or (K == K.T).all()) and np.linalg.eigvalsh(K)[0] >= least(K)

    return found


def quadratic(**changes):
    return lambda X: quadratic_features(X, **changes)


def batch_perceptron(K, y, order=1, restart=False):
    """Count mistakes in passes that see old counts, or in another order, or from the start."""
    c = np.zeros(len(y))
    while (wrong := y * (K @ (c * y)) <= 0).any():
        c[np.flatnonzero(wrong)[::order][: 1 if restart else None]] += 1
    return c


TOLD = {
    "pair_step": [
        (lambda *z: -pair_step(*z), "your answer is minus the right one"),
        (lambda *z: 2 * pair_step(*z), "your answer is twice the right one"),
        (lambda *z: pair_step(*z) / 2, "your answer is half of the right one"),
    ],
    "reduce_weights": [
        (lambda p, w: w * np.nan, "not a number"),
        (
            lambda p, w: reduce_weights(p, w, pick=np.argmax, missing=-np.inf, once=True),
            "became negative",
        ),
        (lambda p, w: w / 2, "a row of ones"),
        (lambda p, w: w[::-1].copy(), "another point"),
        (lambda p, w: reduce_weights(p, w, once=True), "repeat the step"),
    ],
    "radon": [
        (lambda X: (0 * radon(X)[0], radon(X)[1]), "neither −1 nor +1"),
        (lambda X: (radon(X)[0], radon(X)[0] * radon(X)[1]), "a weight is negative"),
        (lambda X: (np.ones(len(X)), radon(X)[1]), "one class is empty"),
        (lambda X: (radon(X)[0], radon(X)[1] / 2), "both classes together"),
        (lambda X: (radon(X)[0], radon(X)[1] * 3), "instead of 1"),
        (lambda X: radon(X, ones=False), "a row of ones"),
        (lambda X: radon(X[:, ::-1] ** 2), "different points"),
    ],
    "steepest_pair": [
        (lambda P, N, w: (np.argmax(P @ w), np.argmin(N @ w)), "mind the signs"),
        (lambda P, N, w: (np.argmax(N @ w), np.argmin(P @ w)), "changed places"),
        (lambda P, N, w: (np.argmin(P @ w), np.argmin(N @ w)), "wrong end"),
        (lambda P, N, w: (99, 98), "is no pair"),
        (lambda P, N, w: (np.argsort(P @ w)[1], np.argmax(N @ w)), "for your pair"),
    ],
    "bias": [
        (lambda *a: bias(*a) + 1, "not the bias"),
        (bias_above(0), "dust"),
        (lambda a, X, y: (y - X @ ((a * y) @ X))[a.argmax()], "that of one support vector"),
        (bias_above(1e-5), "fixed threshold"),
    ],
    "reduced_newton_step": [
        (lambda *a: reduced_newton_step(*a, sign=-1), "mind the sign"),
        (lambda *a: reduced_newton_step(*a, with_s=False), "first row"),
        (lambda Q, y, a, *rest: reduced_newton_step(Q, y, a + y, *rest), "middle row"),
    ],
    "rbf_gram": [
        (expanded, "far from the origin"),
        (lambda X, Z, g: np.exp(-g * cdist(X, Z) ** 2) * (1 + 1e-15), "exceed 1"),
    ],
    "quadratic_features": [
        (quadratic(linear=1), "features x_i need the weight"),
        (quadratic(cross=1), "i < j need the weight"),
        (quadratic(linear=1, cross=1), "and the products x_i x_j with i < j need"),
        (quadratic(linear=0), "features x_i are missing"),
        (quadratic(cross=0), "different coordinates are missing"),
        (quadratic(square=0), "squares x_i² are missing"),
        (quadratic(linear=2, cross=2), "not 2"),
        (quadratic(linear=3), "is off by"),
        (quadratic(columns=slice(1, None)), "constant feature"),
        (lambda X: np.column_stack([quadratic_features(X)] * 2) / 2**0.5, "will do"),
    ],
    "is_gram_matrix": [
        (lambda K: False, "rejects the identity"),
        (lambda K: np.linalg.det(K) > 0, "determinant is 1"),
        (lambda K: (K >= 0).all(), "may be negative"),
        (lambda K: (np.diag(K) >= 0).all(), "positive entries are not enough"),
        (
            lambda K: (np.diag(K) >= 0).all() and (np.outer(*2 * [np.diag(K)]) >= K**2).all(),
            "not all three",
        ),
        (eigenvalues_above(lambda K: -1e-9, symmetric=False), "not symmetric"),
        (eigenvalues_above(lambda K: -0.01 * np.linalg.norm(K)), "far smaller"),
        (lambda K: is_gram_matrix(K) and K.any(), "rejects zero"),
        (eigenvalues_above(lambda K: 0), "tiny negative one"),
        (eigenvalues_above(lambda K: -1e-13), "tolerance must, t"),
        (eigenvalues_above(lambda K: -0.1), "must shrink"),
    ],
    "kernel_perceptron": [
        (lambda K, y: np.zeros(len(y)), "never starts"),
        (lambda K, y: kernel_perceptron(K, y) * y, "counts themselves"),
        (lambda K, y: np.eye(len(y))[0], "are still wrong"),
        (lambda K, y: np.linalg.solve(K, y) * y, "whole numbers"),
        (batch_perceptron, "in order"),
    ],
    "reduced_support": [
        (lambda p, u, cap: p.mean(axis=0), "but at your point it is"),
        (lambda p, u, cap: reduced_support(p, u, cap) @ u / (u @ u) * u, "not in the reduced hull"),
    ],
    "hinge_subgradient": [
        (
            lambda w, b, X, y, C: tuple(
                g if (y * (X @ w + b) != 1).all() else np.nan * g
                for g in hinge_subgradient(w, b, X, y, C)
            ),
            "no subgradient",
        ),
    ],
    "soft_bias": [(soft_bias_of_support_vectors, "no support vector is free")],
    "platt_step": [
        (lambda *case: platt_step(*case, clip=False), "outside the box"),
        (lambda *case: platt_step(*case, fixed=case[0]), "Σ α_i y_i has changed"),
        (platt_step_dividing, "divide by η = 0"),
    ],
    "second_order_pair": [
        (pair_of(highest, lowest), "first-order choice"),
        (lambda *case: second_order_pair(*case, score=lambda s, a: s / a), "longest step"),
        (lambda *c: second_order_pair(*c, score=lambda s, a: -(s**2) / a), "another one has"),
        (pair_of(lambda g, up: (~up).argmax(), lowest), "cannot be the i"),
        (pair_of(lowest, lowest), "i must have the largest g"),
        (
            pair_of(highest, lambda g, down: lowest(g, down if down.all() else ~down)),
            "cannot be the j",
        ),
        (lambda *case: (second_order_pair(*case)[0],) * 2, "no positive slope"),
        (lambda *case: (77, 78), "no pair of samples"),
    ],
    "cheapest_threshold": [
        (changed(cheapest_threshold, lambda a, *_: (a[0], a[1] + 1)), "not what your threshold"),
        (changed(cheapest_threshold, lambda a, *_: (a[0] - 1e-3, a[1])), "one of the values of f"),
        (lambda f, y, a, b: (np.inf, a * np.sum(y > 0)), "another threshold costs only"),
    ],
    "isotonic": [
        (lambda y: isotonic(y)[::-1], "falls somewhere"),
        (lambda y: np.minimum.accumulate(y[::-1])[::-1], "is possible"),
    ],
}


@pytest.mark.parametrize(
    ("name", "function", "words"), [(name, *case) for name, cases in TOLD.items() for case in cases]
)
def test_every_mistake_that_a_check_tests_for_is_named(capsys, name, function, words):
    assert words in said(capsys, name, function)


# ... and those it does not know: one small change each in the right answers. None may pass.


MUTANTS = {
    "rounded_hinge": [
        lambda s, y, C, c, h: rounded_hinge(s, 1, C, abs(c), h),
        lambda s, y, C, c, h: (
            max(0, rounded_hinge(s, y, C, c, h)[0]),
            rounded_hinge(s, y, C, c, h)[1],
        ),
        lambda s, y, C, c, h: rounded_hinge(y * s, 1, C, c, h),
    ],
    "guess": [
        lambda K, y, q, c, h, free: guess(K, y, q, 0 * c, h, free),
        lambda K, y, q, c, h, free: guess(K, y, q, c, 2 * h, free),
    ],
    "one_by_one": [
        lambda X, y, a, C: one_by_one(X, y, a, C, zero=False),
        lambda X, y, a, C: one_by_one(X, y, a, 2 * C),
    ],
    "bracket": [
        lambda X, y, w: (abs(bracket(X, y, w, least=-np.inf)[0]), bracket(X, y, w)[1]),
        lambda X, y, w: bracket(X[:, :1], y, w),
    ],
    "reduce_weights": [
        lambda p, w: np.where(w < np.sort(w)[::-1][min(len(w) - 1, p.shape[1])], 0, w),
        lambda p, w: reduce_weights(p[:, :1], w) if p.shape[1] > 1 else reduce_weights(p, w),
        lambda p, w: reduce_weights(p, w) if len(w) > p.shape[1] + 1 else 0 * w,
    ],
    "radon": [
        lambda X: (radon(X)[0], radon(X)[1][::-1]),
        lambda X: (radon(X)[0], radon(X)[1] ** 2),
        lambda X: radon(np.abs(X - 1)),
    ],
    "pair_step": [
        changed(pair_step, lambda d, w, x, z, a, b: min(d, a, b)),
        changed(pair_step, lambda d, w, x, z, a, b: d if a > 0 and b > 0 else 0.0),
        lambda w, x, z, a, b: pair_step(w, x, z, a, a + b),
    ],
    "best_scale": [
        lambda X, Z, a, b: len(a) / np.sum((a @ X - b @ Z) ** 2),
        lambda X, Z, a, b: a.max() / np.sum((a @ X - b @ Z) ** 2),
    ],
    "steepest_pair": [
        lambda P, N, w: (np.argmax(P @ w), np.argmax(N @ w)),
        lambda P, N, w: (np.argmin(P[:, 0]), np.argmax(N @ w)),
        lambda P, N, w: divmod(np.argmin(P @ w) * len(N) + np.argmax(N @ w), len(P)),
    ],
    "step_within": [
        changed(step_within, lambda d, w, x, z, a, b: max(d, 0)),
        lambda w, x, z, a, b: step_within(w, x, z, b, b),
        lambda w, x, z, a, b: step_within(w, x, z, a, a),
        lambda w, x, z, a, b: step_within(w, x, z, a, b) if a * b else 0.0,
        lambda w, x, z, a, b: step_within(2 * w, x, z, a, b),
        lambda w, x, z, a, b: step_within(w[:1], x[:1], z[:1] - 1e-3, a, b),
    ],
    "dual": [
        changed(dual, lambda v, a, X, y: (v[0], v[1] * (a > 0))),
        changed(dual, lambda v, a, X, y: (v[0] / len(a), v[1])),
    ],
    "bias": [
        lambda a, X, y: bias(a, X, y) if a.max() > 1e-4 else 0.0,
        lambda a, X, y: (y - X @ ((a * y) @ X))[a > 1e-12 * a.max()].mean(),
        lambda a, X, y: (y - X @ ((a * y) @ X))[(a > 1e-6 * a.max()) & (y > 0)][0],
    ],
    "reduced_newton_step": [
        lambda Q, y, a, b, s, mu: reduced_newton_step(Q, y, a, b, s, 0.0),
        lambda Q, y, a, b, s, mu: reduced_newton_step(Q, y, a, 0.0, s, mu),
    ],
    "rbf_gram": [
        lambda X, Z, g: np.exp(-g * np.abs(X[:, None] - Z).sum(axis=2) ** 2),
        lambda X, Z, g: rbf_gram(X, Z, g).clip(max=0.9),
    ],
    "quadratic_features": [
        lambda X: quadratic_features(X, square=2**0.5),
        lambda X: quadratic_features(np.abs(X)),
        lambda X: quadratic_features(X)[:, :6],
    ],
    "is_gram_matrix": [
        lambda K: np.allclose(K, K.T) and np.linalg.eigvalsh(K)[0] >= -1e-4 * np.abs(K).max(),
        lambda K: np.linalg.eigvalsh(K)[0] >= -1e-12 * np.abs(K).max(),
        lambda K: np.allclose(K, K.T) and np.linalg.eigvalsh(K)[0] >= -1e-8,
        lambda K: is_gram_matrix(np.tril(K) + np.tril(K, -1).T),
        lambda K: np.allclose(K, K.T) and np.trace(K) >= 0,
        lambda K: is_gram_matrix(K) and np.linalg.matrix_rank(K) == len(K),
    ],
    "kernel_perceptron": [
        batch_perceptron,
        lambda K, y: batch_perceptron(K, y, restart=True),
    ],
    "reduced_support": [
        lambda p, u, cap: reduced_support(p, u, max(cap, 2 / len(p))),
        lambda p, u, cap: reduced_support(p, u / 2 + 1, cap),
        lambda p, u, cap: reduced_support(p, u, 1 / max(1, int(1 / cap))),
        lambda p, u, cap: reduced_support(p, u, cap) if cap <= 1 else 0 * u,
    ],
    "hinge_objective": [
        lambda w, b, X, y, C: hinge_objective(w, -b, X, y, C),
        lambda w, b, X, y, C: w @ w / 2 + C * np.abs(1 - y * (X @ w + b)).sum(),
    ],
    "hinge_subgradient": [
        lambda *case: hinge_subgradient(*case, pushes=lambda m: m < 10),
        lambda *case: hinge_subgradient(*case, pushes=lambda m: np.abs(m) < 1),
        lambda w, b, X, y, C: hinge_subgradient(w, -b, X, y, C),
        lambda *z: (hinge_subgradient(*z)[0], hinge_subgradient(*z[:4], 1)[1]),
        lambda w, b, X, y, C: (  # wrong only where a margin is exactly one
            hinge_subgradient(w, b, X, y, C * (1 + np.isclose(y * (X @ w + b), 1).any()))
        ),
    ],
    "soft_bias": [
        lambda X, y, alpha, C: soft_bias(X, y, alpha, 2 * C),
        lambda X, y, alpha, C: soft_bias(X, y, np.where(alpha > C / 2, alpha, 0), C),
    ],
    "line_ends": [
        lambda a, b, y, z, C, D: line_ends(a, b, 1, 1, C, D),
        lambda a, b, y, z, C, D: line_ends(a, b, 1, -1, C, D),
        lambda a, b, y, z, C, D: line_ends(b, a, y, z, C, D),
        changed(line_ends, lambda e, a, b, y, z, C, D: (e[0], e[1] + (e[1] == D) * 0.1)),
        lambda a, b, y, z, C, D: line_ends(a, b, y, 1, C, D),
    ],
    "platt_step": [
        lambda *case: platt_step(*case) if case[6] else case[:2],
        lambda *case: platt_step(*case[:6], abs(case[6]) or 1.0, case[7]),
        lambda *case: platt_step(*case[:7], 2 * case[7]),
        lambda *case: (  # wrong only where both ends are equally good
            (case[0], line_ends(*case[:4], case[7], case[7])[0])
            if platt_step(*case) == case[:2] and case[6] <= 0
            else platt_step(*case)
        ),
    ],
    "violation": [
        changed(violation, lambda v, *_: abs(v)),
        lambda K, y, alpha, C: violation(K, y, alpha, 2 * C),
    ],
    "second_order_pair": [
        lambda *case: second_order_pair(*case, anybody=True),
        lambda *case: second_order_pair(
            *case, curvature=lambda K, i, j: K[i, i] + K[j, j] + 2 * K[i, j]
        ),
        lambda *case: second_order_pair(*case, curvature=lambda K, i, j: K[i, i] + 0 * K[j, j]),
    ],
    "cheapest_threshold": [
        lambda *case: cheapest_threshold(*case, last=True),
        lambda *case: cheapest_threshold(*case, never=False),
        lambda f, y, a, b: cheapest_threshold(f, y, a + b, b),
        lambda f, y, a, b: cheapest_threshold(f, y, a, 1.0),
        changed(cheapest_threshold, lambda a, *_: (min(a[0], 9.0), a[1])),
    ],
    "isotonic": [
        lambda y: isotonic(y, back=False),
        lambda y: np.where(isotonic(y) > 0.5, 1.0, isotonic(y)),
    ],
    "multiclass_objective": [
        lambda W, X, y, C: multiclass_objective(W, X, np.roll(y, 1), C),
        lambda W, X, y, C: multiclass_objective(W[:, :1], X[:, :1], y, C),
    ],
    "spectrum_kernel": [
        lambda s, t, k: spectrum_kernel(s.lower(), t.lower(), k),
        lambda s, t, k: spectrum_kernel(s, t[::-1], k),
    ],
    "tube_gap": [
        lambda K, t, beta, b, C, eps: tube_gap(K, t, beta, -b, C, eps),
        lambda K, t, beta, b, C, eps: tube_gap(K, t, beta, b, 1.0, eps),
    ],
}


@pytest.mark.parametrize(
    ("name", "mutant"), [(name, mutant) for name, mutants in MUTANTS.items() for mutant in mutants]
)
def test_no_mutant_passes(capsys, name, mutant):
    said_about_it = said(capsys, name, mutant)
    assert "every check passed" not in said_about_it
    assert "tried" in said_about_it
    assert "not written" not in said_about_it
    assert "0x" not in said_about_it


def test_every_check_has_mutants():
    assert RIGHT.keys() == MUTANTS.keys()


# The engine


@pytest.fixture
def fresh():
    """Give the exercises of chapter 3 the state that they have in a new session."""
    for task in _engine._EXERCISES.values():
        task.state, task.hints_given = "open", 0


def wrong_twice(w, x_plus, x_minus, lam_plus, lam_minus):
    return 2 * pair_step(w, x_plus, x_minus, lam_plus, lam_minus)


def test_the_smallest_failing_example_is_shown(capsys):
    assert said(capsys, "pair_step", wrong_twice) == (
        "wrong_twice: your answer is twice the right one.\n"
        "  tried     w = [0], x_plus = [-2.5], x_minus = [-1], lam_plus = 0.6, lam_minus = 0.6\n"
        "  expected  0.4444\n"
        "  yours     0.8889\n"
        '  stuck?    exercises.hint("pair_step")\n'
    )


def test_digits_are_added_until_the_difference_shows(capsys):
    def nearly(*inputs):
        return pair_step(*inputs) * (1 + 1e-5)

    lines = said(capsys, "pair_step", nearly).splitlines()
    assert lines[2].split()[1] != lines[3].split()[1]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *_: [][0], "stopped with IndexError: list index out of range"),
        (lambda w: w, "stopped with TypeError"),
        (lambda *_: print("0.5"), "it prints, but returns None"),
        (
            lambda w, *_: "0.5",
            "it must return one number, δ. Here that is one number, but yours is",
        ),
        (lambda *_: {0.5}, "of type set"),
        (lambda *_: (x for x in "abc"), "of type generator"),
        (lambda *_: [[1], [2, 3]], "of type list"),
        (lambda *_: 1j, "of type complex"),
        (lambda *_: (1.0, 2.0), "(one number, one number)"),
        (lambda *_: np.ones((3, 4)), "an array of shape (3, 4)"),
        (lambda w, *_: w.fill(7), "it changes its argument w: start from copies"),
        (lambda *_: np.nan, "yours     nan"),
        (lambda *_: (_ for _ in ()).throw(KeyError(object())), "0x…"),
        (3.0, "Give the check your function itself: check_pair_step(pair_step)."),
        (lambda w, *rest: pair_step(w, *rest) if w.size < 2 else None, "it returns None.\n  tried"),
    ],
)
def test_whatever_a_function_does_gets_a_sentence(capsys, function, words):
    printed = said(capsys, "pair_step", function)
    assert words in printed
    assert "passed" not in printed


def test_what_a_function_prints_is_kept_back(capsys):
    def loud(*inputs):
        print("here", len(inputs))
        return pair_step(*inputs)

    def loud_and_wrong(*inputs):
        return loud(*inputs) + 1

    right = said(capsys, "pair_step", loud)
    assert right.startswith("loud: every check passed. Well done.\nIt also prints")
    assert "here" not in right
    assert "\n  printed   here 5\n" in said(capsys, "pair_step", loud_and_wrong)


def test_one_wrong_answer_is_blamed_on_a_mistake_only_if_most_are(capsys):
    def sometimes(*inputs):
        sometimes.calls += 1
        return pair_step(*inputs) * (2 if sometimes.calls == 5 else 1)

    sometimes.calls = 0
    assert "not the right answer" in said(capsys, "pair_step", sometimes)


def test_warnings_of_a_function_are_no_concern_of_the_reader(capsys):
    with np.errstate(all="warn"):
        answer = said(capsys, "pair_step", lambda w, *_: float(np.log(w[0] * 0 - 1)))
    assert "nan" in answer


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("name", RIGHT)
def test_a_declaration_is_complete_and_no_mistake_in_it_is_right_everywhere(name):
    task, wrong = _engine._EXERCISES[name], {}
    assert len(inspect.getsource(task.key).splitlines()) <= 40
    assert len(task.hints) in (2, 3)
    assert all(line.endswith((".", "?")) for line in task.hints)
    first, second = (list(task.inputs(np.random.RandomState(0))) for _ in range(2))
    assert len(first) > 2
    for drawn, again in zip(first, second, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(drawn, again, strict=True))
        key = task.key(*drawn)
        right = [np.asarray(part) for part in _engine._tuple(key.right)]
        assert key.objection(right) == ""  # its own right answer passes
        for words, answers in key.mistakes.items():
            for k, answer in enumerate(answers):
                found = wrong.get((words, k), False)
                wrong[words, k] = found or not _engine._agree(right, answer)
    assert all(wrong.values()), wrong


@pytest.mark.usefixtures("fresh")
def test_hints_come_one_after_the_other(capsys):
    for asked in (pair_step, "pair_step", "pair_step", "check_pair_step"):
        exercises.hint(asked)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20] for line in lines] == [f"Hint {k} of 3 for pair" for k in (1, 2, 3, 1)]
    assert len(set(lines)) == 3
    exercises.hint("no_such_thing")
    assert "There are hints for bracket, " in capsys.readouterr().out


@pytest.mark.usefixtures("fresh")
def test_progress_lists_a_chapter(capsys):
    exercises.check_pair_step(pair_step)
    exercises.check_pair_step(wrong_twice)  # once done is done
    exercises.check_best_scale(lambda *_: 1.0)
    exercises.check_step_within(lambda *_: None)
    capsys.readouterr()
    exercises.progress(3)
    assert capsys.readouterr().out == (
        "Chapter 3: 1 of 4 done\n"
        "  done  Code the pair step: check_pair_step\n"
        "  tried Code the bottom of the ray: check_best_scale\n"
        "  open  Code the search for the steepest pair: check_steepest_pair\n"
        "  open  Code a step inside one class: check_step_within\n"
    )
    exercises.progress()
    chapters = {task.chapter for task in _engine._EXERCISES.values()}
    assert capsys.readouterr().out.count("Chapter") == len(chapters)
    exercises.progress(1)
    assert capsys.readouterr().out == "Chapter 1: 0 of 0 done\n"
