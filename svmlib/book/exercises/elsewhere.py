"""Exercises of chapter 15, Other programs."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_certify_line", "check_fold"]


def _scalers(random: Random) -> Inputs:
    for d in (1, 1, 2, 3, 5):
        w, mean = random.randint(-8, 9, (2, d)) / 4
        yield w, float(random.randint(-8, 9)) / 4, mean, random.randint(1, 9, d) / 2


@exercise(15, "A scaler, folded in", "a pair, the array of weights and the bias", _scalers)
def check_fold(w: Array, b: float, mean: Array, scale: Array) -> Key:
    """Write the score of (x − mean)/scale as a sum over the features, and collect what has an x_j.

    What remains without an x_j belongs to the bias. Is every term divided by its scale?
    """
    right = w / scale, b - float(np.sum(w * mean / scale))
    mistakes: dict[str, list[Any]] = {
        "the bias must take up the means.": [(None, b)],
        "the mean is divided by the scale, too.": [(None, b - float(w @ mean))],
        "you multiply by the scale where it divides.": [
            (w * scale, None),
            (w * scale, b - float(np.sum(w * mean * scale))),
        ],
        "the mean is subtracted from x, so its sign turns.": [
            (None, b + float(np.sum(w * mean / scale)))
        ],
    }
    return Key(right, mistakes)


def _lines(random: Random) -> Inputs:
    for X, y in samples(random):
        C, alpha = float(random.randint(1, 5)) / 2, random.randint(-2, 9, y.size) / 4
        yield (
            X,
            y,
            C,
            random.randint(-8, 9, X.shape[1]) / 4,
            float(random.randint(-8, 9)) / 4,
            alpha,
        )


@exercise(15, "Certify a stranger", "a pair, the value and the lower bound", _lines)
def check_certify_line(X: Array, y: Array, C: float, w: Array, b: float, alpha: Array) -> Key:
    """Write P of the line first: it needs no multipliers. Then make the multipliers feasible.

    Clip them to 0 ≤ α_i ≤ C. Add them up for each class, and multiply those of the class with the
    larger sum by the smaller sum divided by the larger. D is Σ α_i − ½ ‖Σ α_i y_i x_i‖².
    """

    def value(b: float, factor: float = C) -> float:
        return float(w @ w / 2 + factor * np.maximum(0, 1 - y * (X @ w + b)).sum())

    def balanced(alpha: Array) -> Array:
        totals = np.array([alpha[y < 0].sum(), alpha[y > 0].sum()])
        factors = totals.min() / np.where(totals > 0, totals, 1)
        return np.array(alpha * np.where(y > 0, factors[1], factors[0]))

    def bound(alpha: Array, signs: Array = y) -> float:
        return float(alpha.sum() - np.sum((alpha * signs @ X) ** 2) / 2)

    clipped = np.clip(alpha, 0, C)
    mistakes: dict[str, list[Any]] = {
        "the multipliers of the two classes must have the same sum.": [(None, bound(clipped))],
        "no multiplier may be negative.": [(None, bound(balanced(np.minimum(alpha, C))))],
        "no multiplier may be above C.": [(None, bound(balanced(np.maximum(alpha, 0))))],
        "clip before you scale a class down.": [(None, bound(np.clip(balanced(alpha), 0, C)))],
        "the labels are missing in Σ α_i y_i x_i.": [
            (None, bound(balanced(clipped), np.ones(y.size)))
        ],
        "the bias is missing in the scores.": [(value(0.0), None)],
        "the hinge losses are multiplied by C.": [(value(b, 1.0), None)],
        "the length of w is missing in the value.": [(value(b) - float(w @ w / 2), None)],
    }
    return Key((value(b), bound(balanced(clipped))), mistakes)
