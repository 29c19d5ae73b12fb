"""Exercises of chapter 3, Sequential minimal optimisation."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise

__all__ = ["check_best_scale", "check_pair_step", "check_steepest_pair", "check_step_within"]


def _pairs(random: Random) -> Inputs:
    for d in np.repeat([1, 2, 3], 12):
        w, x, z = random.randint(-5, 6, (3, d)) / 2
        yield w * (d > 1), x, z + (x == z).all(), *map(float, random.randint(0, 7, 2) / 5)
        yield w, x, z + (x == z).all(), *map(float, random.randint(0, 7, 2) / 5)


@exercise(3, "Code the pair step", "one number, δ", _pairs)
def check_pair_step(
    w: Array, x_plus: Array, x_minus: Array, lam_plus: float, lam_minus: float
) -> Key:
    """Forget the limits first: Q is a parabola in δ, lowest where its slope is zero.

    With u = x⁺ − x⁻ its slope at δ is −2(1 − w·u) + 2δ‖u‖².
    Both weights grow by δ. Where must a negative δ stop, so that neither becomes negative?
    """
    slope, square = w @ (x_plus - x_minus), np.sum((x_plus - x_minus) ** 2)
    bottom, M, low = (1 - slope) / square, -min(lam_plus, lam_minus), -max(lam_plus, lam_minus)
    mistakes = {
        "your δ ignores the clipping: a weight can become negative.": [bottom],
        "M is the larger of −λ⁺ and −λ⁻: your δ is clipped too late.": [max(bottom, low)],
        "M is the larger of both, but you look after λ⁺ only.": [max(bottom, -lam_plus)],
        "M is the larger of both, but you look after λ⁻ only.": [max(bottom, -lam_minus)],
        "your δ is never negative, but weights must be able to shrink.": [max(bottom, 0)],
        "where δ_ij is below M you do not move: go as far as M.": [bottom * (bottom >= M)],
        "you took the smaller of δ_ij and M.": [min(bottom, M)],
        "you have 1 + w·u above the line.": [max((1 + slope) / square, M)],
        "your δ has the wrong sign: it is positive where w·u < 1.": [max(-bottom, M)],
        "you divided by ‖u‖: divide by its square.": [max(bottom * square**0.5, M)],
        "the 2 cancels in both terms.": [max(bottom / 2, M), max((2 - slope) / square, M)],
        "the 1 is missing: both sums grow by δ.": [max(-slope / square, M)],
    }
    return Key(max(bottom, M), mistakes)


def _rays(random: Random) -> Inputs:
    for n_plus, n_minus, total in ((1, 1, 0.5), (2, 1, 2.0), (2, 3, 0.4), (4, 3, 3.0), (1, 9, 1.5)):
        X_plus, X_minus = random.randint(1, 6, (n_plus, 2)), random.randint(-5, 0, (n_minus, 2))
        lam_plus, lam_minus = random.dirichlet(np.ones(n_plus)), random.dirichlet(np.ones(n_minus))
        yield X_plus / 2, X_minus / 2, total * lam_plus, total * lam_minus


@exercise(3, "Code the bottom of the ray", "one number, t", _rays)
def check_best_scale(X_plus: Array, X_minus: Array, lam_plus: Array, lam_minus: Array) -> Key:
    """Write Q(tλ) as a polynomial in t: w and the sums are multiplied by t.

    Q(tλ) = t²‖w‖² − 2ts, with s the sum of the weights of one class. Where is its bottom?
    """
    s, square = lam_plus.sum(), np.sum((lam_plus @ X_plus - lam_minus @ X_minus) ** 2)
    mistakes = {
        "1/‖w‖² is right only for weights with sum one: here the sum is s.": [1 / square],
        "that is the best sum. t multiplies weights whose sum is already s.": [s**2 / square],
        "you divided by ‖w‖: divide by its square.": [s / np.sqrt(square)],
    }
    return Key(s / square, mistakes)


def _classes(random: Random) -> Inputs:
    for n_plus, n_minus, apart in ((3, 3, 0), (3, 3, 2), (1, 4, 1), (8, 5, 3), (20, 20, 0)):
        w, X = random.randint(-30, 31, 2) / 10 + 0.05, random.randint(-30, 31, (40, 2)) / 10
        yield X[:n_plus] + apart * w, X[-n_minus:], w  # far apart, all pairs should shrink
    yield X[:3].repeat(2, axis=0), X[-3:].repeat(2, axis=0), w  # ties


@exercise(3, "Code the search for the steepest pair", "two row numbers, (i, j)", _classes)
def check_steepest_pair(X_plus: Array, X_minus: Array, w: Array) -> Key:
    """Split 1 − w·(x⁺ − x⁻) into a term that knows only i and one that knows only j.

    A sum of two terms with nothing in common is largest where each of them is.
    """
    up, down = X_plus @ w, X_minus @ w
    slopes = dict(np.ndenumerate(1 - up[:, np.newaxis] + down))
    best, worst = max(slopes.values()) - 1e-9, min(slopes.values())

    def tests(i: Any, j: Any) -> Tests:
        i, j = float(i), float(j)
        if (mine := slopes.get((i, j), worst)) < best:
            yield (
                (i, j) not in slopes,
                f"({i:g}, {j:g}) is no pair of {up.size} and {down.size} points.",
            )
            yield mine == worst, "that is the pair with the smallest 1 − w·u: mind the signs."
            wrong_end = up.min() < up[int(i)] == up.max() or down.min() == down[int(j)] < down.max()
            yield wrong_end, "one of your two is at the wrong end of its class."
            yield True, f"1 − w·u is {mine:.4g} for your pair, but {best:.4g} for another."

    return Key((up.argmin(), down.argmax()), tests=tests, several=True)


@exercise(3, "Code a step inside one class", "one number, δ", _pairs)
def check_step_within(w: Array, x_i: Array, x_k: Array, lam_i: float, lam_k: float) -> Key:
    """Write down the new w, with u = x_i − x_k, and see that the sum of the class stays.

    Only ‖w + δu‖² changes. Where is the bottom of that parabola in δ?
    Neither λ_i + δ nor λ_k − δ may be negative: δ has a limit on either side.
    """
    square = np.sum((x_i - x_k) ** 2)
    bottom = -w @ (x_i - x_k) / square
    mistakes = {
        "your δ ignores the clipping: a weight can become negative.": [bottom],
        "λ_i + δ can become negative: δ must be at least −λ_i.": [min(bottom, lam_k)],
        "λ_k − δ can become negative: δ must be at most λ_k.": [max(bottom, -lam_i)],
        "your limits are swapped: λ_i grows by δ.": [np.clip(bottom, -lam_k, lam_i)],
        "those are the limits of a pair across the classes.": [max(bottom, -lam_i, -lam_k)],
        "there is no 1 here: the sum stays.": [np.clip(bottom + 1 / square, -lam_i, lam_k)],
        "your δ has the wrong sign: w becomes w + δu.": [np.clip(-bottom, -lam_i, lam_k)],
        "you divided by ‖u‖, not by ‖u‖².": [np.clip(bottom * square**0.5, -lam_i, lam_k)],
    }
    return Key(np.clip(bottom, -lam_i, lam_k), mistakes)
