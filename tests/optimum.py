"""A small problem, and the conditions of its optimum: no more of the library than kernels."""

from itertools import islice

import numpy as np

from svmlib.smo import steps


def data(seed, n=30, d=2, shift=0.7):
    """Return two clouds that overlap, a third of the points in the one with label 1."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def assert_kkt(problem, solution, *, tol, balance):
    """Check bounds, Σ α y within `balance`, and margins within tol; return margins, P and D.

    For C = ∞ the primal value is that of w alone.
    """
    alpha, y, C = solution.alpha, problem.y, problem.upper
    K = problem.kernel(problem.X, problem.X)
    v = alpha * y
    margins = y * (K @ v + solution.b)
    squared_norm = v @ K @ v
    slack = C @ np.clip(1 - margins, 0, None) if np.isfinite(C[0]) else 0
    assert solution.converged
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert abs(alpha @ y) <= balance * alpha.sum()
    assert (margins[alpha < C] >= 1 - tol).all()
    assert (margins[alpha > 0] <= 1 + tol).all()
    return margins, squared_norm / 2 + slack, alpha.sum() - squared_norm / 2


def first_steps(problem, most, tol=1e-3):
    """Return α after so many steps of SMO: a start for others."""
    alpha = np.zeros(problem.n)
    for step in islice(steps(problem, tol), most):
        alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
    return alpha
