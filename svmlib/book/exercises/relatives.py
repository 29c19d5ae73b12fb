"""Exercises of chapter 10, Relatives."""

from collections import Counter

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, exercise

__all__ = ["check_multiclass_objective", "check_spectrum_kernel", "check_tube_gap"]


def _classes(random: Random) -> Inputs:
    for n, d, classes in ((1, 1, 2), (2, 1, 3), (4, 2, 3), (9, 3, 5), (30, 4, 4)):
        W, X = random.randint(-20, 21, (classes, d)) / 10, random.randint(-20, 21, (n, d)) / 10
        yield W, X, random.randint(classes, size=n), 2.5


@exercise(10, "The objective for all classes", "one number", _classes)
def check_multiclass_objective(W: Array, X: Array, y: Array, C: float) -> Key:
    """F = X @ W.T has a row a sample and a column a class: one of them is the right one.

    The slack of a sample is what its worst rival lacks to be 1 below the right class, or 0.
    Add 1 to all columns but the right one, and take the largest.
    """
    F, e = X @ W.T, np.eye(len(W))[y]
    right_scores, regular = np.sum(F * e, axis=1), np.sum(W**2) / 2
    misses = F + 1 - e - right_scores[:, None]
    slack = misses.max(axis=1)
    rivals = np.where(e == 1, -np.inf, F).max(axis=1)
    mistakes = {
        "½ Σ‖w_k‖² is missing.": [C * slack.sum()],
        "the squares want the factor ½.": [2 * regular + C * slack.sum()],
        "you charge every rival: only the worst one counts.": [
            regular + C * np.maximum(misses, 0).sum()
        ],
        "the right class is no rival of itself: its 1 makes every slack at least 1.": [
            regular + C * (misses + e).max(axis=1).sum()
        ],
        "a slack is never negative.": [regular + C * np.sum(1 + rivals - right_scores)],
        "you ask that rivals be below, but not by 1.": [
            regular + C * np.maximum(0, rivals - right_scores).sum()
        ],
        "you take the mean of the slacks: C multiplies their sum.": [regular + C * slack.mean()],
    }
    return Key(regular + C * slack.sum(), mistakes)


def _strings(random: Random) -> Inputs:
    for s, t, length in (("a", "a", 1), ("ab", "ba", 1), ("aa", "aaa", 1), ("aaaa", "aaa", 2)):
        yield s, t, length
    yield "ab", "ab", 3
    yield "Anna", "anna", 2
    for n, length in ((8, 2), (12, 2), (30, 3)):
        yield *("".join(random.choice(list("ACGT"), size=n)) for _ in range(2)), length


def _pieces(s: str, length: int) -> list[str]:
    return [s[i : i + length] for i in range(len(s) - length + 1)]


@exercise(10, "The spectrum kernel", "one count", _strings)
def check_spectrum_kernel(s: str, t: str, length: int) -> Key:
    """Cut both strings: n letters have n − length + 1 pieces, and they overlap.

    Count the pieces of each string (collections.Counter), then multiply count by count.
    A string that is shorter than the piece has none.
    """
    a, b = (Counter(_pieces(string, length)) for string in (s, t))
    right = sum(a[piece] * b[piece] for piece in a)
    mistakes = {
        "a piece that occurs twice counts twice: you take each once.": [len(a.keys() & b.keys())],
        "multiply the counts: you take the smaller one.": [sum((a & b).values())],
        "pieces overlap: str.count skips those that do.": [sum(a[p] * t.count(p) for p in a)],
        "you add the counts in one string only.": [
            sum(a[p] for p in a if p in b),
            sum(b[p] for p in b if p in a),
        ],
        "you compare the pieces place by place: they may stand anywhere.": [
            sum(p == q for p, q in zip(_pieces(s, length), _pieces(t, length), strict=False))
        ],
        "you miss the last piece.": [
            sum(
                Counter(_pieces(s, length)[:-1])[p] * c
                for p, c in Counter(_pieces(t, length)[:-1]).items()
            )
        ],
    }
    return Key(right, mistakes)


def _tubes(random: Random) -> Inputs:
    for n, C, eps in ((2, 1.0, 0.5), (2, 2.0, 0.0), (4, 0.5, 0.3), (9, 3.0, 0.1), (25, 1.0, 0.7)):
        X, t = random.randint(-20, 21, (n, 2)) / 10, random.randint(-40, 41, n) / 10
        beta = random.randint(-10, 11, n) / 10
        beta -= beta.mean()
        yield X @ X.T, t, C * beta / max(1, np.abs(beta).max()), 0.7, C, eps


@exercise(10, "The gap of a regression", "one number", _tubes)
def check_tube_gap(K: Array, t: Array, beta: Array, b: float, C: float, eps: float) -> Key:
    """f(x_i) is row i of K times β, plus b, and the squared norm of w is β·Kβ.

    A miss costs what it exceeds ε by, and nothing below.
    In P − D the two halves of ‖w‖² add up.
    """
    f, norm = K @ beta + b, beta @ K @ beta
    misses, size = np.maximum(0, np.abs(t - f) - eps), np.abs(beta).sum()
    primal, dual = norm / 2 + C * misses.sum(), beta @ t - eps * size - norm / 2
    inside = np.maximum(0, np.abs(t - f + b) - eps)
    mistakes = {
        "that is P alone: subtract D.": [primal],
        "that is D alone.": [dual],
        "f(x_i) has the bias b in it.": [norm / 2 + C * inside.sum() - dual],
        "in D the width ε is charged: − ε Σ|β_i|.": [
            primal - (beta @ t - norm / 2),
            primal - (beta @ t + eps * size - norm / 2),
        ],
        "the square of ‖w‖ comes with ½ in P and in D.": [C * misses.sum() - beta @ t + eps * size],
        "up to ε a miss is free.": [norm / 2 + C * np.abs(t - f).sum() - dual],
        "a sample too high misses as well as one too low: take |t_i − f(x_i)|.": [
            norm / 2 + C * np.maximum(0, t - f - eps).sum() - dual
        ],
        "C is missing.": [norm / 2 + misses.sum() - dual],
    }
    return Key(primal - dual, mistakes)
