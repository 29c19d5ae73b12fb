"""Exercises of chapter 7, The hinge loss."""

import itertools
from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples

__all__ = ["check_hinge_objective", "check_hinge_subgradient"]


def _losses(random: Random) -> Inputs:
    for C, (X, y) in zip((2.0, 1.0, 0.3, 7.0, 0.5, 0.2), samples(random), strict=True):
        yield random.randint(-10, 11, X.shape[1]) / 10 + 0.05, 0.4, X, y, C


@exercise(7, "The hinge objective", "one number", _losses)
def check_hinge_objective(w: Array, b: float, X: Array, y: Array, C: float) -> Key:
    """Compute all margins at once: y times (X @ w + b) is a vector with one margin per sample.

    np.maximum compares entry by entry: a sample with a margin above 1 has no loss.
    Which of the two terms does C multiply, and is b in the other term?
    """
    f, half = X @ w + b, w @ w / 2

    def cost(m: Array) -> float:
        return C * float(np.maximum(0, 1 - m).sum())

    loss = cost(y * f)
    mistakes = {
        "your regulariser is ‖w‖²: it has the factor ½.": [2 * half + loss],
        "your regulariser is ½‖w‖: square the norm.": [np.sqrt(half / 2) + loss],
        "you charge for b² too: the bias is not regularised.": [half + b * b / 2 + loss],
        "you take the mean of the losses: with C in front it is the sum.": [half + loss / y.size],
        "C is missing.": [half + loss / C],
        "C is on the wrong term: it multiplies the losses.": [C * half + loss / C],
        "you add 1 − m without the maximum.": [half + C * (1 - y * f).sum()],
        "b is missing from the margins.": [half + cost(y * (f - b))],
        "the labels are missing: the margin is y f(x).": [half + cost(f)],
        "your loss starts at m = 0: the hinge has its kink at m = 1.": [half + cost(y * f + 1)],
    }
    return Key(half + loss, mistakes)


def _slopes(random: Random) -> Inputs:
    yield from _losses(random)
    yield np.array([1.0]), 0.0, np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), 1.0  # at a kink
    yield np.array([2.0]), 1.0, np.array([[0.0], [-2], [3]]), np.array([1.0, -1, -1]), 0.5


@exercise(7, "A subgradient", "a pair, the array g_w and the number g_b", _slopes)
def check_hinge_subgradient(w: Array, b: float, X: Array, y: Array, C: float) -> Key:
    """Look at one sample: its loss is flat where its margin is above 1.

    Where the margin is below 1 the loss is 1 − y (w·x + b). What is its slope in w, and in b?
    Sum over the samples that push, times C, and add the slope of ½‖w‖², which does not contain b.
    """
    m = y * (X @ w + b)

    def slope(pushes: Array, C: float = C) -> tuple[Array, float]:
        return w - C * (pushes @ X), -C * pushes.sum()

    def objective(u: Array, c: float) -> float:
        return float(u @ u / 2 + C * np.maximum(0, 1 - y * (X @ u + c)).sum())

    def tests(g_w: Array, g_b: Array) -> Tests:
        for *step, c in itertools.product((-1e-3, 0, 1e-3), repeat=w.size + 1) if kink else ():
            rise = objective(w + step, b + c) - objective(w, b)
            yield (
                not rise >= g_w @ step + g_b * c - 1e-9,
                "at a kink your vector is not a subgradient.",
            )

    kink, g = bool(np.isclose(m, 1).any()), slope(y * (m < 1))
    mistakes: dict[str, list[Any]] = {
        "you return minus a subgradient: the step, not the slope.": [(-g[0], -g[1])],
        "only the samples with m < 1 push.": [slope(y * (m > 1)), slope(y * (m < 0))],
        "the samples pull the wrong way: they push with −y x.": [(2 * w - g[0], None)],
        "the regulariser is missing: ½‖w‖² adds w to g_w.": [(g[0] - w, None)],
        "C is missing.": [(slope(y * (m < 1), 1)[0], None)],
        "you divide by n: J contains the sum.": [(slope(y * (m < 1), C / y.size)[0], None)],
        "the label is missing: a sample pushes with −y x.": [(slope(1.0 * (m < 1))[0], None)],
        "b is not regularised.": [(None, g[1] + b)],
        "g_b is missing: b moves, too.": [(None, 0.0)],
    }
    return Key(g, mistakes, tests, kink)
