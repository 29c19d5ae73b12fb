"""Judges that do not round: what the library claims about floats, decided in fractions.

Nothing here calls svmlib. Arrays of `Fraction` are NumPy arrays of objects.
"""

from fractions import Fraction

import numpy as np


def exact(values):
    """The same numbers as fractions."""
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


def solve(A, b):
    """Some solution of A x = b by elimination, or None; free unknowns become zero."""
    M = np.column_stack([A, b])
    rows, columns = A.shape
    pivots, r = [], 0
    for c in range(columns):
        pivot = next((i for i in range(r, rows) if M[i, c] != 0), None)
        if pivot is None:
            continue
        M[[r, pivot]] = M[[pivot, r]]
        M[r] = M[r] / M[r, c]
        for i in range(rows):
            if i != r and M[i, c] != 0:
                M[i] = M[i] - M[i, c] * M[r]
        pivots.append(c)
        r += 1
    if any(M[i, columns] != 0 for i in range(r, rows)):
        return None
    x = np.full(columns, Fraction(0))
    x[pivots] = M[:r, columns]
    return x


def distance_squared(X, y, weights, cap=Fraction(1)):
    """D² of the reduced hulls, exactly, from weights that are nearly optimal; None if that fails.

    The weights strictly between their bounds solve a linear system; that the point found is the
    nearest is then proved by its own direction.
    """
    X, y = exact(X), exact(y)
    signed = y[:, None] * X
    most = np.array([max(cap, Fraction(1, int(np.sum(y == label)))) for label in y])
    free = np.array([1e-9 < v < float(m) - 1e-9 for v, m in zip(weights, most, strict=True)])
    shares = np.where(np.asarray(weights) > 0.5 * most.astype(float), most, Fraction(0))
    shares[free] = Fraction(0)
    classes = np.array([[Fraction(int(v == s)) for v in y] for s in (-1, 1)])
    n_free = int(free.sum())
    if n_free:
        K = signed[free] @ signed[free].T
        corner = np.full((2, 2), Fraction(0))
        A = np.vstack([np.hstack([K, classes[:, free].T]), np.hstack([classes[:, free], corner])])
        b = np.concatenate([-signed[free] @ (shares @ signed), 1 - classes @ shares])
        x = solve(A, b)
        if x is None:
            return None
        shares[free] = x[:n_free]
    if any(classes @ shares != 1) or any(shares < 0) or any(shares > most):
        return None
    v = shares @ signed
    above = v @ v
    return above if above == 0 or proved_by(v, X, y, cap) == above else None


def largest_cap(X, y, weights, cap):
    """The smallest cap at which the reduced hulls meet, exactly, or None.

    With t = λ/μ: the t strictly between 0 and 1 solve Σ y_i t_i (1, x_i) = 0; so do the multipliers
    that prove that no larger Σ t is possible.
    """
    X, y = exact(X), exact(y)
    rows = np.column_stack([y[:, None] * X, y])
    t = np.array([min(Fraction(float(v) / cap), Fraction(1)) for v in weights])
    t = np.array([Fraction(1) if v > 1 - 1e-9 else Fraction(0) if v < 1e-9 else v for v in t])
    free = (t > 0) & (t < 1)
    fixed = np.where(free, Fraction(0), t)
    plus = np.array([Fraction(int(v > 0)) for v in y])
    if free.any():
        x, m = solve(rows[free].T, -(fixed @ rows)), solve(rows[free], plus[free])
        if x is None or m is None:
            return None
        fixed[free] = x
    else:
        m = np.full(rows.shape[1], Fraction(0))
    if any(fixed < 0) or any(fixed > 1) or any(fixed @ rows != 0):
        return None
    value, bound = plus @ fixed, sum(max(v, 0) for v in plus - rows @ m)
    return 1 / value if value == bound else None


def objective(w, b, X, y, C):
    """½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b))."""
    X, y, w = exact(X), exact(y), exact(w)
    losses = [max(1 - m, Fraction(0)) for m in y * (X @ w + Fraction(b))]
    return w @ w / 2 + Fraction(C) * sum(losses)
