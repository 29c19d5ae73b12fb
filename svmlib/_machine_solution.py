"""Our own solution of the problem that a machine was to solve: see `svmlib.machines`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from svmlib._arrays import Array
from svmlib._auto import solve
from svmlib._machine import Machine
from svmlib._machine_problem import MachineProblem
from svmlib._solvers import balance, bias_at_zero, without_bias
from svmlib._squared_hinge import minimise_squared_hinge
from svmlib.certificate import Scores
from svmlib.problem import DualProblem, bounded_scores

_MAX_LIFTED_SAMPLES = 600  # at most, for a second try with another feature for each of them
_MEMORY_MB = 2000.0  # for the features of our own solution, as `svmlib.SVC` has by default
_WIDE_INTERVAL = 1e-3  # of the upper bound: an interval that says little about the optimum


class OurSolution(NamedTuple):
    """Our own solution of a machine's problem, its scores, and bounds on its two values."""

    machine: Machine
    scores: Scores
    primal: float
    dual: float


def is_wide(lower: float, upper: float) -> bool:
    """Return whether bounds say little about the optimum between them."""
    return not upper - lower <= _WIDE_INTERVAL * upper < np.inf


def _of_multipliers(
    problem: MachineProblem, alpha: Array, b: float, dual: float = -np.inf
) -> OurSolution:
    """Return the solution with these multipliers; `dual` is another lower bound."""
    alpha = np.clip(alpha, 0, problem.dual_problem.upper)
    beta, support = alpha * problem.y, alpha > 0
    scores = bounded_scores(problem.dual_problem, beta)
    dual = max(dual, problem.dual(alpha, scores))
    points, coefficients = problem.X[support], beta[support]
    machine = replace(
        problem.machine, points=points, coefficients=coefficients, b=b, support="points", rows=None
    )
    return OurSolution(machine, scores, problem.primal(scores, b), dual)


def _of_weights(problem: MachineProblem, w: Array, b: float, dual: float) -> OurSolution:
    """Return the linear solution with this w, which may be more accurate than a sum of rows."""
    machine = replace(
        problem.machine, points=w[None], coefficients=np.ones(1), b=b, support=None, rows=None
    )
    scores, _ = problem.machine_scores(machine)
    return OurSolution(machine, scores, problem.primal(scores, b), dual)


def solve_machine_problem(problem: MachineProblem, tol: float, start: Array | None) -> OurSolution:
    """Return our solution, which starts from feasible multipliers if they are given."""
    dual_problem = problem.dual_problem
    if problem.plain_hinge and problem.free_bias:
        if start is not None:
            start = balance(dual_problem, np.clip(start, 0, dual_problem.upper))
        return _of_multipliers(problem, *_solve_with_bias(dual_problem, tol, start))
    Phi = _gram_factor(dual_problem, problem.bias_scale)
    if problem.plain_hinge:
        return _of_multipliers(problem, *_solve_for_features(problem, Phi, problem.C, tol))
    return _solve_squared_hinge(problem, Phi, tol)


def _solve_squared_hinge(problem: MachineProblem, Phi: Array, tol: float) -> OurSolution:
    """Return our solution for the squared hinge and the features Φ."""
    X = problem.X
    alpha, w = minimise_squared_hinge(Phi, problem.y, problem.C, problem.free_bias)
    b = float(w[-1]) if problem.free_bias else problem.bias_scale * float(w[-1])
    best = _of_multipliers(problem, alpha, b)
    if problem.dual_problem.kernel.linear and is_wide(best.dual, best.primal):
        wide = X.shape[1] > problem.n
        w = np.linalg.qr(X.T)[0] @ w[: problem.n] if wide else w[: X.shape[1]]
        best = min(best, _of_weights(problem, w, b, best.dual), key=attrgetter("primal"))
    if problem.n <= _MAX_LIFTED_SAMPLES and is_wide(best.dual, best.primal):
        # The squared hinge is the hard margin with another feature per sample. To solve that is
        # slower, but more accurate.
        Phi = np.column_stack([Phi, np.diag(1 / np.sqrt(2 * problem.C))])
        alpha, b, *_ = _solve_for_features(problem, Phi, np.inf, tol)  # without its dual value
        lifted = _of_multipliers(problem, alpha, b, best.dual)
        best = min(best._replace(dual=lifted.dual), lifted, key=attrgetter("primal"))
    return best


def _solve_for_features(
    problem: MachineProblem, Phi: Array, C: Array | float, tol: float
) -> tuple[Array, float, float]:
    """Return α, b and a dual value for the plain hinge; a feature of Φ is a penalised bias."""
    if problem.free_bias:
        return _solve_with_bias(DualProblem(Phi, problem.y, C, move_origin=True), tol)
    alpha = solve(without_bias(Phi, problem.y, C), "auto", tol)[0].alpha
    alpha = alpha[: problem.n] + alpha[problem.n :]
    return alpha, problem.bias_scale**2 * float(alpha @ problem.y), -np.inf


def _solve_with_bias(
    problem: DualProblem, tol: float, start: Array | None = None
) -> tuple[Array, float, float]:
    """Return α, b and the dual value for the plain hinge and a free bias."""
    solution = solve(problem, "auto", tol, start=start, memory_mb=_MEMORY_MB)[0]
    return solution.alpha, bias_at_zero(problem, solution), solution.certificate.dual


def _gram_factor(problem: DualProblem, s: float) -> Array:
    """Return Φ with ΦΦᵀ = K, plus s² in every entry for a penalised bias."""
    Phi = problem.X
    if not problem.kernel.linear:
        values, vectors = eigh(problem.gram_matrix.to_array())
        Phi = vectors * np.sqrt(np.maximum(values, 0))
    elif Phi.shape[1] > problem.n:
        Phi = np.transpose(np.linalg.qr(Phi.T, mode="r"))
    return np.column_stack([Phi, np.full(problem.n, s)]) if s else Phi
