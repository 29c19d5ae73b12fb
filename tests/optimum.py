"""A small problem, and the conditions of its optimum: no more of the library than kernels."""

from itertools import islice

import numpy as np
from numpy.testing import assert_allclose

from svmlib.smo import steps


def data(seed, n=30, d=2, shift=0.7):
    """Return two clouds that overlap, a third of the points in the one with label 1."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def square(n, seed=0):
    """Return rows of a square, a third of the labels at random."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.where(rng.random(n) < 0.3, rng.choice([-1, 1], n), np.where(X[:, 0] > 0, 1, -1))


def assert_optimal(problem, solution, tol=1e-3):
    """By plain formulas: bounds, balance, KKT conditions, both values, and the certificate's own.

    For C = ∞ the primal value is that of w alone.
    """
    alpha, y, C, certificate = solution.alpha, problem.y, problem.upper, solution.certificate
    K, v = problem.kernel(problem.X, problem.X), alpha * y
    margins, squared_norm = y * (K @ v + solution.b), v @ K @ v
    assert solution.converged
    assert certificate.is_optimal(tol)
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert abs(v.sum()) <= 1e-10 * alpha.sum()
    assert (margins[alpha < C] >= 1 - tol).all()
    assert (margins[alpha > 0] <= 1 + tol).all()
    dual = alpha.sum() - squared_norm / 2
    assert_allclose(certificate.dual, dual, rtol=1e-8)
    if np.isfinite(C[0]):
        primal = squared_norm / 2 + C @ np.clip(1 - margins, 0, None)
        slack = 1e-12 * (1 + alpha.sum()) * C.sum()  # rounding in a margin costs C
        assert_allclose(certificate.primal, primal, rtol=1e-8, atol=slack)
        assert -1e-10 * primal <= primal - dual <= tol * (alpha.sum() + C[margins < 1].sum())


def first_steps(problem, most, tol=1e-3):
    """Return α after so many steps of SMO: a start for others."""
    alpha = np.zeros(problem.n)
    for step in islice(steps(problem, tol=tol), most):
        alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
    return alpha
