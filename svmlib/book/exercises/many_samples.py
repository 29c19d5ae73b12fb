"""Exercises of chapter 13, Many samples."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_lower_bound", "check_one_by_one"]


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


@exercise(12, "One multiplier at a time", "a pair, the arrays α and w", _passes)
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


def _slopes(random: Random) -> Inputs:
    for X, y in samples(random):
        yield X, y, y * random.randint(1, 5, y.size) / 4
        yield X, y, y * random.randint(0, 5, y.size) / 4
    yield np.array([[1.0], [2]]), np.array([1.0, -1]), np.array([1.0, 0.0])


@exercise(12, "A lower bound, in code", "a pair, the array α and the dual value", _slopes)
def check_lower_bound(X: Array, y: Array, q: Array) -> Key:
    """Add up the slopes of either class first: S⁺ ≥ 0 and S⁻ ≤ 0. The heavier one gives way.

    Multipliers have no sign: α_i = y_i q_i. Their sum is 2S, and w = Σ α_i y_i x_i.
    What remains of the other class if all slopes of one are zero?
    """
    plus, minus = q[y > 0].sum(), -q[y < 0].sum()
    light, heavy = sorted([plus, minus])

    def scaled(S: float) -> Array:
        return abs(q) * np.where(y > 0, S / (plus or 1), S / (minus or 1))

    def dual(alpha: Array, half: float = 0.5, signs: Array = y) -> float:
        w = (alpha * signs) @ X
        return float(alpha.sum() - half * (w @ w))

    alpha = scaled(light)
    mistakes: dict[str, list[Any]] = {
        "these do not sum to zero with their labels: scale the heavier class down.": [
            (abs(q), dual(abs(q))),
            (abs(q), None),
        ],
        "do not raise the lighter class: it may leave its box.": [
            (scaled(heavy), dual(scaled(heavy))),
        ],
        "return multipliers: α_i = y_i q_i has no sign.": [(alpha * y, None)],
        "the factor ½ of the dual is missing.": [(None, dual(alpha, 1.0))],
        "both classes count: Σα is twice S.": [(None, dual(alpha) - light)],
        "the labels are missing in w.": [(None, dual(alpha, signs=np.ones(y.size)))],
    }
    return Key((alpha, dual(alpha)), mistakes)
