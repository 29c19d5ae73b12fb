"""What all solvers share: checks of their arguments, and the `Solution` with its certificate.

Derived in chapters 4, *Lagrange duality*, and 6, *The soft margin*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array
from svmlib._rounding import EPS, UNIT_ROUNDOFF, compensated_dot
from svmlib._validation import check_vector
from svmlib.certificate import Scores, balancing_factors
from svmlib.problem import DualProblem, Solution, bias_and_interval, bounded_scores, certify_scores

# Times Σ_j |β_j| ‖φ_i‖ ‖φ_j‖, this usually exceeds the error of a score that a solver updates.
SOLVER_ROUNDING = 32 * UNIT_ROUNDOFF
_MAX_SLACK_ROUNDING = 1e-9  # the largest error of a margin that may be a solver's rounding
_BALANCE_TOL = 1e-9  # times Σα: how far rounding may leave Σ α_i y_i of a start from 0


def check_problem(problem: object) -> DualProblem:
    """Return the argument of a solver if it is a `DualProblem`."""
    if not isinstance(problem, DualProblem):
        advice = "write DualProblem(X, y, C)"
        raise ValueError(f"problem must be a DualProblem, got {problem!r:.80}; {advice}")
    return problem


def require_convex(problem: DualProblem, method: str) -> None:
    """Raise an error if the problem is not known to be convex, as the method requires."""
    if not problem.convex:
        why = "this could not be proved for the Gram matrix"
        if not problem.gram_matrix.fits:
            why = "the Gram matrix is too large to prove it: raise DualProblem's cache_mb"
        reason = f"kernel must be positive semidefinite for {method}, but {why}"
        raise ValueError(f'{reason}; svmlib.smo.smo, or SVC(solver="smo"), accepts any kernel')


def check_start(problem: object, start: ArrayLike | None) -> Array:
    """Return a feasible start of a solver: zero multipliers, or a copy of `start`."""
    problem = check_problem(problem)
    if start is None:
        return np.zeros(problem.n)
    alpha = np.array(check_vector(start, "start", length=problem.n))
    imbalance = float(alpha @ problem.y)
    balanced = abs(imbalance) <= _BALANCE_TOL * np.abs(alpha).sum()
    if alpha.min() < 0 or (alpha > problem.upper).any() or not balanced:
        got = f"got α_i from {alpha.min():g} to {alpha.max():g}, and the sum {imbalance:g}"
        raise ValueError(f"start must be feasible: 0 ≤ α_i ≤ C_i and Σ α_i y_i = 0, {got}")
    return alpha


def balance(problem: DualProblem, alpha: Array) -> Array:
    """Return α with Σ α_i y_i = 0: change free multipliers, or else scale one class down.

    Free multipliers change in proportion to their distance from the nearer bound, by at most half
    of it. For all of them ∂D/∂β_i is nearly b, so to first order D changes by −b times the
    imbalance, whichever of them move. If that is not enough, `balancing_factors` scale the class
    with the larger sum. α must be in the box, which is not checked.
    """
    imbalance = float(alpha @ problem.y)
    if abs(imbalance) <= problem.n * EPS * alpha.sum():  # zero up to rounding
        return alpha
    room = np.minimum(alpha, problem.upper - alpha)
    total = float(room.sum())
    if 2 * abs(imbalance) <= total:
        return alpha - (imbalance / total) * problem.y * room
    totals = np.array([alpha[problem.y > 0].sum(), alpha[problem.y < 0].sum()])
    return alpha * balancing_factors(totals).take(problem.y < 0)


def objective_values(
    problem: DualProblem, beta: Array, scores: Array, b: float, rounding: float = 0.0
) -> tuple[float, float]:
    """Return the primal and the dual value from β, Kβ and b, with their rounding.

    If C is finite, a slack of at most `rounding` counts as zero.
    """
    half_norm = float(beta @ scores) / 2
    slack = 1 - problem.y * (scores + b)
    if problem.hard_margin:
        primal = float(half_norm / np.square(np.maximum(1 - slack.max(), 0)))
    else:
        primal = half_norm + float(problem.upper @ np.maximum(slack - rounding, 0))
    return primal, float(np.abs(beta).sum()) - half_norm


@np.errstate(over="ignore", invalid="ignore")
def certified_solution(
    problem: DualProblem,
    alpha: Array,
    b: float | None = None,
    *,
    tol: float,
    n_iter: int = 0,
    trace: tuple[Any, ...] = (),
) -> Solution:
    """Return α and b (by default the bias of α) as a `Solution`, with their certificate.

    If rounding keeps the relative duality gap above `tol`, α and b are divided by a number between
    ½ and 1 where that makes the duality gap smaller.
    """
    scores = bounded_scores(problem, alpha * problem.y)
    b = bias_and_interval(problem, alpha * problem.y, scores.values)[0] if b is None else b
    certificate = certify_scores(problem, alpha, b, scores)
    # For the hard margin the certificate scales (w, b) anyway.
    if not (certificate.is_optimal_or_stationary(tol) or problem.hard_margin):
        divisor = _rounding_divisor(alpha, b, scores, problem.y)
        if 0.5 < divisor < 1:
            longer = balance(problem, np.minimum(alpha / divisor, problem.upper))
            other = bounded_scores(problem, longer * problem.y)
            better = certify_scores(problem, longer, b / divisor, other)
            if better.gap < certificate.gap:
                alpha, b, certificate, scores = longer, b / divisor, better, other
    converged = certificate.is_optimal_or_stationary(tol)
    return Solution(alpha.copy(), b, certificate, n_iter, converged, trace, scores.w)


def after_steps(solution: Solution, n_iter: int) -> Solution:
    """Return the solution with the iterations counted, too, that led to its start."""
    return replace(solution, n_iter=n_iter + solution.n_iter)


def _rounding_divisor(alpha: Array, b: float, scores: Scores, y: Array) -> float:
    """Return a divisor of (α, b), at most 1, for which rounding leaves free samples no slack.

    With a large C, the slack that a solver's rounding leaves costs more than a longer w. The
    divisor is the smallest lower bound of a margin that may reach 1, up to the solver's rounding,
    minus what the next bound may lose.
    """
    margin_lower, margin_upper = scores.margins(b, y)
    rounding = SOLVER_ROUNDING * float(np.abs(alpha) @ scores.norms) * scores.norms
    free = margin_upper + np.minimum(rounding, _MAX_SLACK_ROUNDING) >= 1
    return float((2 * margin_lower - margin_upper).min(where=free, initial=1.0))


def bias_at_zero(problem: DualProblem, solution: Solution) -> float:
    """Return the bias of a solution for the points as they were given, b − w·origin."""
    if problem.origin is None or solution.w is None:
        return solution.b
    return solution.b - float(compensated_dot(solution.w, problem.origin[:, None])[0][0])


def without_bias(X: Array, y: Array, C: Array | float) -> DualProblem:
    """Return the problem without a bias as one with a bias: each sample and its mirror image.

    A sample and (−x, −y) have the same margin for b = 0, and in Σ α_i y_i they cancel. So b = 0 is
    optimal, and the multipliers of a pair, with half the C each, add up to the sample's multiplier.
    """
    halves = np.tile(np.full(y.size, np.divide(C, 2)), 2)
    return DualProblem(np.vstack([X, -X]), np.append(y, -y), halves)
