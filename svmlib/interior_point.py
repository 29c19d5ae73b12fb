"""Two solvers that show how: a general-purpose optimiser, and an interior point method.

Both need the whole Gram matrix, and both are for small problems: the first is one call of SciPy,
the second about thirty lines, as exact as floats allow. With this module you can

- solve a `svmlib.problem.DualProblem` with `solve_slsqp` and `solve_interior_point`,
- watch the second: each iteration is an `InteriorStep`.

Derived in chapter 4, *Lagrange duality*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize

from svmlib._validation import Array, check_count, check_scalar
from svmlib.problem import (
    LARGEST_MULTIPLIER,
    DualProblem,
    Solution,
    balance,
    check_problem,
    check_start,
    warn_unless_converged,
)

__all__ = ["InteriorStep", "solve_interior_point", "solve_slsqp"]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
_BEYOND = 1e-6  # of `tol`: how far an iteration goes on, so that its certificate has room


def solve_slsqp(
    problem: DualProblem,
    *,
    tol: float = 1e-6,
    start: ArrayLike | None = None,
    max_iter: int = 1000,
    trace: bool = False,
) -> Solution:
    """Solve the dual with a general-purpose optimiser: SciPy's SLSQP, given the gradient.

    It knows nothing about support vector machines, and its cost grows like n³ an iteration: fine
    for a hundred points, hopeless for ten thousand.

    Parameters
    ----------
    problem : DualProblem
        The problem; its Gram matrix must fit its cache.
    tol : float, default 1e-6
        The relative duality gap to prove. SLSQP is asked for a millionth of it.
    start : array_like of shape (n,), optional
        Feasible multipliers to begin with; zero if not given.
    max_iter : int, default 1000
        The most iterations.
    trace : bool, default False
        Whether to keep the iterates: the trace is then a tuple of the α of each iteration.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to `tol`, whatever SLSQP says about itself; else
        with a `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the Gram matrix does not fit the cache.

    Notes
    -----
    Derived in chapter 4, *Lagrange duality*.

    References
    ----------
    D. Kraft (1988), "A software package for sequential quadratic programming".

    Examples
    --------
    >>> from svmlib.problem import DualProblem
    >>> solution = solve_slsqp(DualProblem([[0.0], [2.0]], [-1, 1], C=np.inf))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5]), -1.0)
    """
    problem = check_problem(problem)
    tol, max_iter = check_scalar(tol, "tol", positive=True), check_count(max_iter, "max_iter")
    alpha = np.zeros(problem.n) if start is None else check_start(start, problem)
    problem.gram()
    # In these units multipliers are about 1.
    unit = min(float(problem.upper.min()), 1 / max(_mean_size(problem), _TINY))
    ceiling = np.minimum(problem.upper, LARGEST_MULTIPLIER)  # the dual may be unbounded
    iterates: list[Array] = []
    with np.errstate(over="ignore", invalid="ignore"):
        result = minimize(
            lambda u: -problem.objective(unit * u) / unit,
            alpha / unit,
            jac=lambda u: -problem.gradient(unit * u),
            bounds=[(0, bound) for bound in ceiling / unit],
            constraints={"type": "eq", "fun": lambda u: problem.y @ u, "jac": lambda u: problem.y},
            method="SLSQP",
            options={"ftol": _BEYOND * tol, "maxiter": max_iter},
            callback=(lambda u: iterates.append(unit * u)) if trace else None,
        )
    alpha = np.clip(unit * np.nan_to_num(result.x), 0, ceiling)
    rounding = 1e-9 * unit  # SLSQP stops this close to a bound rather than on it
    alpha[alpha < rounding] = 0
    full = problem.upper - alpha < rounding
    alpha[full] = problem.upper[full]
    b, n_iter = problem.bias(alpha), int(result.nit)
    return _finish(problem, alpha, b, "solve_slsqp", tol, n_iter, tuple(iterates))


@dataclass(frozen=True)
class InteriorStep:
    """One iteration of `solve_interior_point`.

    Attributes
    ----------
    gap : float
        Σ α_i s_i + Σ (C_i − α_i) ξ_i, which is the duality gap once the residuals are zero.
    residual : float
        The largest entry of 1 − Qα − y b + s − ξ, in units of the functional margin.
    length : float
        The fraction of the Newton step taken.
    """

    gap: float
    residual: float
    length: float


def solve_interior_point(
    problem: DualProblem,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual by Mehrotra's primal–dual interior point method.

    With :math:`Q_{ij} = y_i y_j k(x_i, x_j)`, surpluses s ≥ 0 for the constraints α ≥ 0 and slacks
    ξ ≥ 0 for α ≤ C, the KKT conditions are a square system of equations

    .. math::
        Q\alpha + y b - s + \xi = 1, \quad y \cdot \alpha = 0, \quad
        \alpha_i s_i = 0, \quad (C_i - \alpha_i)\, \xi_i = 0.

    Newton's method is applied to it with the products held at a common value σμ > 0 that is
    driven to zero, so that all of α, C − α, s and ξ stay positive. A predictor step (σ = 0) shows
    how far that can be hurried, the corrector makes up for its curvature, and one Cholesky factor
    serves both. As a rule 10 to 30 iterations, however many samples; each takes n³/3
    multiplications.

    Parameters
    ----------
    problem : DualProblem
        The problem; its Gram matrix must fit its cache and be positive semidefinite.
    tol : float, default 1e-6
        The relative duality gap to prove. The method goes on to a millionth of it, or to where
        rounding begins: near the end each iteration doubles the digits.
    max_iter : int, default 100
        The most iterations.
    trace : bool, default False
        Whether to keep the `InteriorStep` of every iteration in the solution.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to `tol`; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the Gram matrix does not fit the cache, or is so
        indefinite that Newton's system has no solution (`svmlib.smo.smo` does not mind).

    Notes
    -----
    Derived in chapter 4, *Lagrange duality*.

    References
    ----------
    S. Mehrotra (1992), "On the implementation of a primal–dual interior point method".

    Examples
    --------
    >>> from svmlib.problem import DualProblem
    >>> solution = solve_interior_point(DualProblem([[0.0], [2.0]], [-1, 1], C=np.inf))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5]), -1.0)
    """
    problem = check_problem(problem)
    tol, max_iter = check_scalar(tol, "tol", positive=True), check_count(max_iter, "max_iter")
    y, C = problem.y, problem.upper
    Q = problem.gram() * np.outer(y, y)
    boxed = np.isfinite(C)
    curvature = max(_mean_size(problem), _TINY)

    alpha = np.minimum(C / 2, 1 / curvature)
    t = C - alpha  # the room above; infinite, with ξ = 0, where there is no upper bound
    s, xi, b = np.ones(problem.n), np.where(boxed, 1.0, 0.0), 0.0
    steps: list[InteriorStep] = []
    # One loop of more than thirty lines, because its two halves share almost every variable.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(max_iter):
            # How far from the optimum are we?
            products = np.concatenate([alpha * s, t[boxed] * xi[boxed]])
            residual = 1 - Q @ alpha - y * b + s - xi
            gap, largest = float(products.sum()), float(np.abs(residual).max())
            total = float(alpha.sum())
            rounding = 4 * _EPS * curvature * total  # in Qα
            if gap <= _BEYOND * tol * total and largest <= max(_BEYOND * tol, rounding):
                break
            # Newton's matrix, factored once for both steps.
            newton = Q + np.diag(s / alpha + xi / t)
            if not np.isfinite(newton).all():
                break  # numbers beyond floats; the certificate will tell
            factor = _factor(problem, newton)
            v = cho_solve(factor, y)
            target, bend_s, bend_xi = 0.0, 0 * s, 0 * s
            for phase in ("predictor", "corrector"):
                # One step brings every product to the target, less what its curvature will add.
                rs = (target - bend_s) / alpha - s
                rxi = (target - bend_xi) / t - xi
                u = cho_solve(factor, residual + rs - rxi, check_finite=False)
                db = float((y @ u + y @ alpha) / (y @ v))
                dalpha = u - v * db
                ds, dxi = rs - s / alpha * dalpha, rxi + xi / t * dalpha
                reach = _longest_step([alpha, t, s, xi], [dalpha, -dalpha, ds, dxi])
                if phase == "predictor":
                    # The less of the gap it would leave, the bolder the corrector (Mehrotra's σ).
                    left = (alpha + reach * dalpha) @ (s + reach * ds)
                    left += (t - reach * dalpha)[boxed] @ (xi + reach * dxi)[boxed]
                    target = float(left / gap) ** 3 * gap / products.size
                    bend_s, bend_xi = dalpha * ds, -dalpha * dxi
            if not np.isfinite(np.concatenate([dalpha, ds, dxi])).all():
                break
            # All of α, C − α, s and ξ stay positive.
            length = 0.99 * reach
            alpha, t, b = alpha + length * dalpha, t - length * dalpha, b + length * db
            s, xi = s + length * ds, xi + length * dxi
            steps.append(InteriorStep(gap, largest, length))
    kept = tuple(steps) if trace else ()
    return _finish(problem, alpha, b, "solve_interior_point", tol, len(steps), kept)


def _longest_step(values: list[Array], directions: list[Array]) -> float:
    """Return the largest t ≤ 1 for which every value + t·direction is still ≥ 0."""
    return min(
        float((v[d < 0] / -d[d < 0]).min(initial=1.0))
        for v, d in zip(values, directions, strict=True)
    )


def _factor(problem: DualProblem, matrix: Array) -> tuple[Array, bool]:
    """Return the Cholesky factor of Newton's matrix, after adding what rounding has taken from K.

    K may have rank less than n, and its computed values may then make it slightly indefinite.
    """
    diagonal, added = np.diag_indices(problem.n), 0.0
    more = problem.n * _EPS * max(_mean_size(problem), _TINY)
    while True:
        matrix[diagonal] += more - added
        added = more
        try:
            factor: tuple[Array, bool] = cho_factor(matrix, lower=True)
            return factor
        except LinAlgError as error:
            if not problem.convex:
                raise ValueError(
                    "kernel must be positive semidefinite for the interior point method, but the "
                    "Gram matrix of these points is not"
                ) from error
            more *= 16


def _mean_size(problem: DualProblem) -> float:
    """Return the mean of |k(x, x)|, which may be a float where the sum is none."""
    share = 0.5 ** problem.n.bit_length()  # a power of two: no rounding
    return float((share * np.abs(problem.diagonal)).mean()) / share


def _finish(
    problem: DualProblem,
    alpha: Array,
    b: float,
    solver: str,
    tol: float,
    n_iter: int,
    trace: tuple[Any, ...],
) -> Solution:
    """Turn an accurate α into an exact one where possible, and let its certificate judge.

    An iterative solver leaves multipliers almost at a bound, and almost balanced. We put them
    there (`_at_bounds`) and solve for the others (`_free_exactly`). Where that guess is wrong, α
    as it was left is the better one.
    """
    # Where the dual is unbounded (C = ∞ and no hyperplane) a solver may end anywhere.
    y, upper = problem.y, np.minimum(problem.upper, LARGEST_MULTIPLIER)
    alpha, b = np.clip(np.nan_to_num(alpha), 0, upper), b if np.isfinite(b) else 0.0
    snapped = np.minimum(_at_bounds(problem, alpha, b), upper)
    exact = balance(np.minimum(_free_exactly(problem, snapped, b), upper), y, upper)
    best = problem.solution(exact, tol=tol, n_iter=n_iter, trace=trace)
    if not best.certificate.optimal_to(min(tol, 1e-6)):
        left = problem.solution(balance(alpha, y, upper), b, tol=tol, n_iter=n_iter, trace=trace)
        best = min(best, left, key=lambda solution: solution.certificate.gap)
    warn_unless_converged(best, solver, tol, level=4)
    return best


@np.errstate(over="ignore")
def _at_bounds(problem: DualProblem, alpha: Array, b: float) -> Array:
    """Return α with every multiplier that its margin says is at a bound put there.

    Where a bound holds with force, y f(x) − 1 stays away from zero while α's distance from the
    bound shrinks. That distance times k(x, x) is the margin it is worth, and the smaller of the
    two is the one that is zero at the optimum.
    """
    C, scale = problem.upper, _scale(problem)
    slack = problem.y * (problem.rows.times(alpha * problem.y) + b) - 1
    return np.where(alpha * scale < slack, 0, np.where((C - alpha) * scale < -slack, C, alpha))


def _free_exactly(problem: DualProblem, alpha: Array, b: float) -> Array:
    """Return α with its free multipliers solved for, the others held.

    Their equations are linear: y f(x) = 1 at each of them, and Σ α_i y_i = 0.
    """
    y, scale = problem.y, _scale(problem)
    free = np.flatnonzero((alpha > 0) & (alpha < problem.upper))
    if free.size == 0:
        return alpha
    beta, ones = alpha * y, np.ones((free.size, 1))
    K_free = problem.gram()[free]
    system = np.block([[K_free[:, free] / scale, ones], [ones.T, np.zeros((1, 1))]])
    wrong = np.append((y[free] - b - K_free @ beta) / scale, -beta.sum())
    exact = alpha.copy()
    exact[free] += y[free] * np.linalg.lstsq(system, wrong)[0][:-1]
    return np.clip(exact, 0, problem.upper)


def _scale(problem: DualProblem) -> float:
    """Return the mean of k(x, x), or 1 if that is as good as zero."""
    mean = _mean_size(problem)
    return mean if mean > np.sqrt(_TINY) else 1.0
