"""Exercises of chapter 13, Many samples."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_one_by_one", "check_pivot_bounds"]


def _passes(random: Random) -> Inputs:
    for k, (X, y) in enumerate(samples(random)):
        C = (1.0, 0.5, 2.0, 0.1, 1.0, 3.0)[k]
        yield X, y, C * random.randint(0, 5, y.size) / 4, C
    yield (
        np.array([[1.0, 2], [0, 0], [-1, 1]]),
        np.array([1.0, -1, -1]),
        np.array([0, 0.5, 0.0]),
        2.0,
    )


@exercise(13, "One multiplier at a time", "a pair, the arrays α and w", _passes)
def check_one_by_one(X: Array, y: Array, alpha: Array, C: float) -> Key:
    """Keep w = Σ α_i y_i x_i up to date: a change δ of α_i adds δ y_i x_i to it.

    The top of the parabola is at (1 − margin)/‖x_i‖² from where you are; clip the new α_i.
    Start from a copy of α. What does the dual gain if x_i = 0, and where does that stop?
    """

    def sweep(
        fresh: bool = True, clip: bool = True, labels: Array = y, power: float = 2
    ) -> tuple[Array, Array]:
        a, w = alpha.astype(float), (alpha * y) @ X
        start = w
        for i, x in enumerate(X):
            size = float(np.sqrt(x @ x)) ** power
            new = a[i] + (1 - labels[i] * ((w if fresh else start) @ x)) / size if size else C
            new = min(max(new, 0.0), C) if clip else new
            w, a[i] = w + (new - a[i]) * y[i] * x, new
        return a, w

    right = sweep()
    mistakes: dict[str, list[Any]] = {
        "w must follow each change at once.": [sweep(fresh=False)],
        "you do not clip to [0, C].": [sweep(clip=False)],
        "the label is missing: the margin is y w·x.": [sweep(labels=np.ones(y.size))],
        "divide by ‖x‖², not by ‖x‖.": [sweep(power=1)],
        "your w is not that of your α.": [(None, (alpha * y) @ X)],
    }
    return Key(right, mistakes)


def _pivots(random: Random) -> Inputs:
    for k, (X, y) in enumerate(samples(random)):
        C = (1.0, 0.5, 2.0, 0.1, 1.0, 3.0)[k]
        K, pivots, alpha = X @ X.T + 1, np.arange(0, y.size, 2), np.zeros(y.size)
        plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        values = C * random.randint(1, 5, min(plus.size, minus.size)) / 4
        alpha[plus[: values.size]] = values
        alpha[minus[: values.size]] = random.permutation(values)
        A = random.randint(-4, 5, (y.size, pivots.size)) / 4
        for combinations in (A, K[:, pivots] @ np.linalg.pinv(K[np.ix_(pivots, pivots)])):
            yield K, y, C, pivots, combinations, alpha, random.randint(-4, 5) / 4


@exercise(13, "Two bounds from pivots", "a pair, the lower and the upper bound", _pivots)
def check_pivot_bounds(
    K: Array, y: Array, C: float, pivots: Array, A: Array, alpha: Array, b: float
) -> Key:
    """Compute t = K_S − A K_SS first, one row per sample: it is zero only for the best A.

    With β = α∘y, a is the sum of the β_i a_i and g that of the β_i t_i.
    Rounding may make ‖ρ_i‖² negative: take at least 0 before you take the root.
    """
    K_S, K_SS = K[:, pivots], K[np.ix_(pivots, pivots)]
    t = K_S - A @ K_SS

    def bounds(
        t: Array = t, g: float = 1, labels: Array = y, price: float = C, bias: float = b
    ) -> tuple[float, float]:
        beta = alpha * labels
        a, missed = beta @ A, alpha @ lengths(t)
        square = a @ K_SS @ a
        low = alpha.sum() - square / 2 - g * (a @ (beta @ t)) - missed**2 / 2
        return low, square / 2 + price * np.maximum(0, 1 - y * (K_S @ a + bias)).sum()

    def lengths(t: Array) -> Any:
        return np.sqrt(np.maximum(K.diagonal() - (A * (K_S + t)).sum(axis=1), 0))

    right, root = bounds(), lengths(t)
    known = right[0] + (alpha @ root) ** 2 / 2
    mistakes: dict[str, list[Any]] = {
        "t_i is not zero for every A: it belongs to ‖ρ_i‖² and to g.": [(bounds(0 * t)[0], None)],
        "the term a·g is missing from the lower bound.": [(bounds(g=0)[0], None)],
        "the labels are missing: a = Σ α_i y_i a_i.": [bounds(labels=np.ones(y.size))],
        "the lengths are added with α_i, not with α_i y_i: they need not cancel.": [
            (known - (alpha * y @ root) ** 2 / 2, None)
        ],
        "square the sum of the α_i ‖ρ_i‖, not each of them.": [
            (known - (alpha * root) ** 2 @ np.ones(y.size) / 2, None)
        ],
        "the last term has the factor ½.": [(known - (alpha @ root) ** 2, None)],
        "the price C is missing from the upper bound.": [(None, bounds(price=1)[1])],
        "the bias is missing from f.": [(None, bounds(bias=0)[1])],
    }
    return Key(right, mistakes)
