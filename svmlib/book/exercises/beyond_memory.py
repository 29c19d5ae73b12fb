"""Exercises of chapter 14, Beyond one memory."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_lower_bound"]


def _slopes(random: Random) -> Inputs:
    for X, y in samples(random):
        yield X, y, y * random.randint(1, 5, y.size) / 4
        yield X, y, y * random.randint(0, 5, y.size) / 4
    yield np.array([[1.0], [2]]), np.array([1.0, -1]), np.array([1.0, 0.0])


@exercise(14, "A lower bound, in code", "a pair, the array α and the dual value", _slopes)
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
