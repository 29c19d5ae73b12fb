"""An interior point method for small problems, short and accurate.

The method needs the whole Gram matrix, and O(n³) operations per iteration. With this module you can

- solve a `svmlib.problem.DualProblem` with `interior_point`.

Derived in chapter 4, *Lagrange duality*.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from svmlib._arrays import Array
from svmlib._rounding import EPS, SMALLEST_NORMAL
from svmlib._solvers import balance, certified_solution, check_problem, require_convex
from svmlib._validation import check_stopping_rule
from svmlib._warnings import warn_unless_converged
from svmlib.problem import DualProblem, Solution

__all__ = ["interior_point"]

MAX_INTERIOR_STEPS = 100  # the most iterations by default
_TOL_FRACTION = 1e-6  # of `tol`, where the iteration stops: the certificate needs room for rounding
_STEP_FRACTION = 0.99  # to the boundary: what must be positive stays positive
_GROWTH = 16  # factor of what is added to a matrix that is not positive definite: few trials
_CROSSOVER_GAP = 1e-6  # the relative gap up to which the set at bounds was right


def interior_point(
    problem: DualProblem, *, tol: float = 1e-6, max_iter: int = MAX_INTERIOR_STEPS
) -> Solution:
    r"""Solve the dual by a primal–dual interior point method.

    With :math:`H_{ij} = y_i y_j k(x_i, x_j)`, surpluses s ≥ 0 for the constraints α ≥ 0 and slacks
    ξ ≥ 0 for α ≤ C, the KKT conditions are a square system of equations

    .. math::
        H\alpha + y b - s + \xi = 1, \quad y \cdot \alpha = 0, \quad
        \alpha_i s_i = 0, \quad (C_i - \alpha_i)\, \xi_i = 0.

    Newton's method is applied to it with the products held at a common target ε > 0 that is driven
    to zero, so that all of α, C − α, s and ξ stay positive. As a rule this takes 15 to 35
    iterations for any number of samples, and up to four more for each power of ten in C, because
    the products begin in proportion to C. Each iteration takes n³/6 multiplications.

    Parameters
    ----------
    problem : DualProblem
        The problem; its Gram matrix must fit its cache and be positive semidefinite. There is
        no ``start``: near the boundary of a box, where solutions lie, the method hardly moves.
    tol : float, default 1e-6
        The relative duality gap to prove. The method goes on to a millionth of it, or to where
        rounding begins: each iteration brings a digit.
    max_iter : int, default 100
        The most iterations.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to `tol`; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the Gram matrix does not fit the cache, or is not known
        to be positive semidefinite (`svmlib.smo.smo` accepts any).

    Notes
    -----
    This is chapter 4's ``follow_path`` with an upper bound, the unknowns s and ξ eliminated, and a
    crossover to the exact solution. Mehrotra's corrector would save about a third of the
    iterations. Nothing keeps the gap from falling faster than the residual. The origin is moved by
    `svmlib.svc.SVC`, not here.

    References
    ----------
    Wright, S. J. (1997), "Primal-dual interior-point methods".

    Examples
    --------
    >>> from svmlib.problem import DualProblem
    >>> problem = DualProblem([[0.0], [2.0]], [-1, 1], C=np.inf)
    >>> solution = interior_point(problem)
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5]), -1.0)
    """
    tol, max_iter = check_stopping_rule(tol, max_iter)
    solution = run_interior_point(check_problem(problem), tol, max_iter)
    warn_unless_converged(solution, "interior_point", tol)
    return solution


@np.errstate(all="ignore")  # an overflow ends the iteration
def run_interior_point(problem: DualProblem, tol: float, max_iter: int) -> Solution:
    """Do what `interior_point` does, with checked arguments and without its warning."""
    problem.gram_matrix.to_array()  # raises if it does not fit
    require_convex(problem, "the interior point method")
    iterates = list(islice(_iterate(problem, _TOL_FRACTION * tol), max_iter))
    alpha, b = iterates[-1] if iterates else (np.zeros(problem.n), 0.0)
    return _crossover(problem, alpha, b, tol, len(iterates))


def _iterate(problem: DualProblem, tol: float) -> Iterator[tuple[Array, float]]:
    """Yield α and b until the gap is tol Σα and the residual tol, or only rounding is left."""
    y, C, n = problem.y, problem.upper, problem.n
    H = problem.gram_matrix.to_array() * np.outer(y, y)
    curvature = _mean_diagonal(problem)
    # Row 0 belongs to the bound 0 and row 1 to the bound C: the distances α and C − α from them,
    # and the multipliers s and ξ of the constraints that these are ≥ 0. Where C is infinite ξ is 0.
    alpha = np.minimum(C / 2, 1 / curvature)
    b = length = 0.0
    distance = np.stack([alpha, C - alpha])
    bounded = np.isfinite(distance)
    multiplier = bounded.astype(float)
    while True:
        residual = 1 - H @ distance[0] - y * b + multiplier[0] - multiplier[1]
        gap = float((distance * multiplier)[bounded].sum())
        total = float(distance[0].sum())
        worst = float(np.abs(residual).max())
        done = gap <= tol * total and worst <= max(tol, 4 * EPS * curvature * total)
        # Newton's matrix, without the unknowns s and ξ.
        matrix = H + np.diag((multiplier / distance).sum(axis=0))
        if done or not np.isfinite(matrix).all():
            return
        factor = _factor(matrix, n * EPS * curvature)
        # To first order every product distance · multiplier becomes the target: a tenth of their
        # mean, or more after a short step, after which the residual is still large.
        target = max(0.1, 1 - length) * gap / bounded.sum()
        missing = target / distance - multiplier
        # Δα = direction − direction_y Δb, with the Δb that makes Σ α_i y_i zero.
        direction = cho_solve(factor, residual + missing[0] - missing[1], check_finite=False)
        direction_y = cho_solve(factor, y)
        db = float(y @ (direction + distance[0]) / (y @ direction_y))
        ddistance = np.outer([1.0, -1.0], direction - direction_y * db)
        dmultiplier = missing - multiplier / distance * ddistance
        if not np.isfinite(ddistance + dmultiplier).all():
            return
        # All of α, C − α, s and ξ stay positive.
        max_length = min(_max_length(distance, ddistance), _max_length(multiplier, dmultiplier))
        length = min(1.0, _STEP_FRACTION * max_length)
        distance = distance + length * ddistance
        multiplier = multiplier + length * dmultiplier
        b += length * db
        yield distance[0], b


def _max_length(values: Array, direction: Array) -> float:
    """Return the largest t for which values + t · direction are still ≥ 0."""
    falls = direction < 0
    return float((values[falls] / -direction[falls]).min(initial=np.inf))


def _factor(matrix: Array, added: float) -> tuple[Array, bool]:
    """Return the Cholesky factor of Newton's matrix, whose diagonal grows until there is one.

    Where K has a rank less than n, rounding can make the matrix slightly indefinite.
    """
    while True:
        matrix[np.diag_indices(len(matrix))] += added
        with suppress(LinAlgError):
            factor: tuple[Array, bool] = cho_factor(matrix, lower=True)
            return factor
        added *= _GROWTH


def _mean_diagonal(problem: DualProblem) -> float:
    """Return the mean of |k(x, x)|, or the smallest normal float if that is 0."""
    return max(float(np.abs(problem.gram_matrix.diagonal).mean()), SMALLEST_NORMAL)


def _crossover(problem: DualProblem, alpha: Array, b: float, tol: float, n_iter: int) -> Solution:
    """Move multipliers to their bounds, solve for the free ones, and keep the better solution.

    An interior point leaves multipliers close to their bounds, and Σ α_i y_i close to zero. If
    the choice of bounds is wrong, the interior α has the smaller gap.
    """
    # If the dual is unbounded (C = ∞ and no hyperplane), the iteration may end anywhere; the limit
    # of 1e300 keeps sums finite.
    upper = np.minimum(problem.upper, 1e300)
    alpha = np.minimum(alpha, upper)
    snapped = balance(problem, np.clip(_solve_free(problem, alpha, b), 0, upper))
    best = certified_solution(problem, snapped, tol=tol, n_iter=n_iter)
    if not best.certificate.is_optimal(min(tol, _CROSSOVER_GAP)):
        interior = certified_solution(problem, balance(problem, alpha), b, tol=tol, n_iter=n_iter)
        best = min(best, interior, key=lambda solution: solution.certificate.gap)
    return best


def _solve_free(problem: DualProblem, alpha: Array, b: float) -> Array:
    """Return α with multipliers at the bounds where their margins say so, and solve for the others.

    At an active bound y f(x) − 1 stays away from zero, while the distance of α from the bound
    shrinks. That distance times the mean of k(x, x) has the unit of a margin, and the smaller of
    the two is taken to be zero at the optimum. For the free multipliers solve y f(x) = 1 at each of
    them, and Σ α_i y_i = 0.
    """
    y, C, K = problem.y, problem.upper, problem.gram_matrix.to_array()
    curvature = _mean_diagonal(problem)
    margin_excess = y * (K @ (alpha * y) + b) - 1
    at_C = (C - alpha) * curvature < -margin_excess
    alpha = np.where(alpha * curvature < margin_excess, 0, np.where(at_C, C, alpha))
    free = np.flatnonzero((alpha > 0) & (alpha < C))
    if free.size:
        beta = alpha * y
        ones = np.ones((free.size, 1))
        system = np.block([[K[np.ix_(free, free)] / curvature, ones], [ones.T, np.zeros((1, 1))]])
        rhs = np.append((y[free] - b - K[free] @ beta) / curvature, -beta.sum())
        alpha[free] += y[free] * np.linalg.lstsq(system, rhs)[0][:-1]
    return alpha
