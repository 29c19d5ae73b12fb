"""Random problems as an enemy would choose them: scales, shifts, duplicates, near misses."""

import numpy as np

from svmlib.kernels import RBF, Linear, Polynomial


class Cubed(Linear):
    """Another formula than its class has: a kernel that only looks like one of ours."""

    def __call__(self, A, B):
        return (A @ B.T) ** 3


def problem(seed, *, most_points=12, most_features=4, scales=(-10, 10), shifts=8):
    """X and y: any scale, far from the origin, on a grid, repeated, overlapping or touching."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, most_points + 1)), int(rng.integers(1, most_features + 1))
    y = np.where(rng.random(n) < rng.choice([0.5, 0.8]), 1.0, -1.0)
    y[:2] = -1, 1
    kind = rng.integers(5)
    X = rng.standard_normal((n, d)) if kind else rng.integers(-3, 4, (n, d)).astype(float)
    if kind == 1:  # a gap, wide or of the order of rounding
        X[:, 0] = y * (np.abs(X[:, 0]) + 10.0 ** rng.uniform(-17, 1))
    if kind == 2:  # touching along the first axis, turned
        X[:, 0] = y * np.abs(X[:, 0])
        X[:2, 0] = 0
        X = X @ np.linalg.qr(rng.standard_normal((d, d)))[0]
    if kind == 3 and n > 3:  # repeated points, with the same label or the other one
        X[-1], X[-2] = X[0], X[1]
    if rng.random() < 0.3:  # columns of different size
        X = X * 10.0 ** rng.uniform(-4, 4, d)
    X = X * 10.0 ** rng.uniform(*scales)
    if rng.random() < 0.4:
        X = X + np.abs(X).max() * 10.0 ** rng.uniform(0, shifts) * rng.standard_normal(d)
    return X, y


def machine(seed, *, prices=(-8, 12), widths=(-12, 12), **limits):
    """X, y, C and kernel: a C for all or for each, or infinite; a bell that fits or does not."""
    X, y = problem(seed, **limits)
    rng = np.random.default_rng([seed, 1])
    with np.errstate(over="ignore", divide="ignore"):
        fitting = 10.0 ** rng.uniform(-3, 2) / np.square(X).sum(axis=1).max()
    gamma = fitting if rng.random() < 0.6 else 10.0 ** rng.uniform(*widths)
    gamma = float(np.clip(gamma, 1e-300, 1e300))
    degree, coef0 = int(rng.choice([1, 2, 3, 9])), float(rng.choice([0, 1, 1e100, 1e307]))
    kernel = rng.choice([Linear(), RBF(gamma), Polynomial(degree, gamma, coef0)])
    C = rng.choice([1.0, np.inf, 10.0 ** rng.uniform(*prices)])
    if rng.random() < 0.2:
        C = 10.0 ** rng.uniform(*prices, len(y))
    return X, y, C, kernel
