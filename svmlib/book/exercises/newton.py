"""Exercises of chapter 12, Newton's method."""

from typing import Any

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise, samples

__all__ = ["check_guess", "check_rounded_hinge"]


def _scores(random: Random) -> Inputs:
    for y, C, c in ((1, 1.0, 0.5), (-1, 1.0, -0.5), (1, 2.0, 0.0), (-1, 3.0, -3.0), (1, 0.5, 0.5)):
        for s in (0.0, 0.75, 1.0, 1.1, -1.1, 2.0, -2.0):
            yield s, y, C, c, random.randint(1, 8) / 10


@exercise(12, "The rounded hinge", "a pair, the value and the derivative", _scores)
def check_rounded_hinge(s: float, y: int, C: float, c: float, h: float) -> Key:
    """Find q first: c + (y − s)/h, clipped to the slopes that the label allows.

    For y = +1 these run from 0 to C, and for y = −1?
    The value is the bracket at that q. How does q (y − s) change with s while q stays?
    """
    low, high = min(0.0, C * y), max(0.0, C * y)

    def answer(q: float) -> tuple[float, float]:
        return q * (y - s) - h / 2 * (q - c) ** 2, -q

    q = float(np.clip(c + (y - s) / h, low, high))
    value, slope = answer(q)
    mistakes: dict[str, list[Any]] = {
        "the derivative is −q: your sign is turned.": [(None, q)],
        "that is the hinge itself: take the proximal term away.": [(q * (y - s), None)],
        "the proximal term has the factor ½.": [(q * (y - s) - h * (q - c) ** 2, None)],
        "you do not clip q.": [answer(c + (y - s) / h)],
        "you clip to [0, C] whatever the label is.": [
            answer(float(np.clip(c + (y - s) / h, 0, C)))
        ],
        "you multiply by h where q divides by it.": [
            answer(float(np.clip(c + (y - s) * h, low, high)))
        ],
        "your ramp is at y s = 0: it is at s = y.": [answer(float(np.clip(c - s / h, low, high)))],
    }
    return Key((value, slope), mistakes)


def _guesses(random: Random) -> Inputs:
    for X, y in samples(random):
        n = y.size
        free = np.arange(n) % 3 != 1 if n > 2 else np.array([True, True])
        C = random.randint(1, 5) * 1.0
        q = np.where(random.randint(0, 2, n), C * y, 0.0)
        c = np.where(free, C * y * random.randint(0, 5, n) / 4, q)
        yield np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 4), y, q, c, 0.5, free


@exercise(12, "The Newton system", "a pair, the array p and the number b", _guesses)
def check_guess(K: Array, y: Array, q: Array, c: Array, h: float, free: Array) -> Key:
    """Begin with p = q where a sample is not free, and 0 where it is: then K @ p is the last sum.

    Write p_F and b as one vector: the matrix has a border of ones, and a 0 in the corner.
    The last equation says that all of p sums to zero, those that are not free included.
    """

    def solve(h: float, target: Array, total: float, held: Array) -> tuple[Array, float]:
        m, p = int(free.sum()), held.copy()
        M = np.ones((m + 1, m + 1))
        M[:m, :m], M[m, m] = K[np.ix_(free, free)] + h * np.eye(m), 0
        solved = np.linalg.solve(M, np.append(target[free], total))
        p[free] = solved[:m]
        return p, float(solved[m])

    held = np.where(free, 0.0, q)
    pull, total = K @ held, -held.sum()
    right = solve(h, y + h * c - pull, total, held)
    mistakes: dict[str, list[Any]] = {
        "the others pull too: subtract K @ p for those that are not free.": [
            solve(h, y + h * c, total, held)
        ],
        "your p sums to zero over the free ones only.": [solve(h, y + h * c - pull, 0.0, held)],
        "the centre is missing: h c belongs to the right side.": [solve(h, y - pull, total, held)],
        "h I is missing from the matrix.": [solve(0.0, y + h * c - pull, total, held)],
        "you forget those that are not free: they keep their q.": [
            (np.where(free, right[0], 0.0), None)
        ],
        "you subtract K q of all samples, the free ones included.": [
            solve(h, y + h * c - K @ q, total, held)
        ],
    }
    return Key(right, mistakes)
