"""Exercises of chapter 14, Beyond one memory."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_lower_bound", "check_merge"]


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


def _chunks(random: Random) -> Inputs:
    for n_1, n_2 in ((1, 1), (1, 3), (2, 2), (6, 2), (3, 9)):
        yield tuple(
            (n, float(random.randint(-20, 21)) / 4, float(random.randint(1, 30)) / 2)
            for n in (n_1, n_2)
        )
    yield (4, 1.5, 2.0), (4, 1.5, 0.0)


@exercise(14, "Merge means and variances", "a triple, the rows, the mean and the squares", _chunks)
def check_merge(one: tuple[int, float, float], two: tuple[int, float, float]) -> Key:
    """Write the mean of all rows as a weighted mean: each chunk counts by its rows.

    A deviation from the new mean is one from the old mean plus the distance between the two means.
    The sum of the products vanishes. What do n_1 rows add, what do n_2 rows?
    """
    (n_1, m_1, S_1), (n_2, m_2, S_2) = one, two
    n, far = n_1 + n_2, m_2 - m_1
    mean, between = m_1 + n_2 / n * far, n_1 * n_2 / n * far**2
    mistakes: dict[str, list[Any]] = {
        "a chunk with more rows counts more in the mean.": [(None, (m_1 + m_2) / 2, None)],
        "the weights of the two means have changed places.": [(None, m_1 + n_1 / n * far, None)],
        "the deviations from the old means are not those from the new one.": [
            (None, None, S_1 + S_2)
        ],
        "the distance of the means is squared.": [(None, None, S_1 + S_2 + between / (far or 1))],
        "return the sum of the squares, not the variance.": [
            (None, None, (S_1 + S_2 + between) / n)
        ],
        "the factor is n₁n₂/(n₁ + n₂).": [
            (None, None, S_1 + S_2 + n_1 * n_2 * far**2),
            (None, None, S_1 + S_2 + n * far**2),
        ],
    }
    return Key((n, mean, S_1 + S_2 + between), mistakes)
