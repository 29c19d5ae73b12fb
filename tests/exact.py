"""Judges that do not round: what the library claims about floats, decided in fractions.

Nothing here calls svmlib. Arrays of `Fraction` are NumPy arrays of objects.
"""

from fractions import Fraction

import numpy as np


def exact(values):
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values, dtype=float))


def least_mean(heights, cap):
    """min Σ λ_i h_i over 0 ≤ λ_i ≤ max(cap, 1/n) with Σ λ_i = 1: fill the lowest first."""
    cap, left, total = max(cap, Fraction(1, len(heights))), Fraction(1), Fraction(0)
    for height in sorted(heights):
        share = min(cap, left)
        total, left = total + share * height, left - share
    return total


def proved_by(w, X, y, cap=Fraction(1)):
    """The square of the lower bound on the distance of reduced hulls that w proves; or 0."""
    heights = y * (X @ w)
    lift = sum(least_mean(heights[y == label], cap) for label in (-1, 1))
    return lift**2 / (w @ w) if lift > 0 else Fraction(0)


def feasible(weights, y, cap=Fraction(1)):
    """The weights divided by their sums; what then exceeds the cap goes where there is room."""
    shares = exact(weights)
    for label in (-1, 1):
        own = np.flatnonzero(y == label)
        allowed = max(cap, Fraction(1, len(own)))
        mass = shares[own] / sum(shares[own])
        excess = sum(max(share - allowed, 0) for share in mass)
        for k, i in enumerate(own):
            shares[i] = min(mass[k], allowed)
            room = min(allowed - shares[i], excess)
            shares[i], excess = shares[i] + room, excess - room
        assert excess == 0
        assert sum(shares[own]) == 1
    return shares


def objective(w, b, X, y, C):
    """½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b))."""
    X, y, w = exact(X), exact(y), exact(w)
    losses = [max(1 - m, Fraction(0)) for m in y * (X @ w + Fraction(b))]
    return w @ w / 2 + Fraction(C) * sum(losses)
