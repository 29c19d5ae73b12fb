"""Our own solution of the problem that a machine was to solve: see `svmlib.machines`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from svmlib._arrays import Array
from svmlib._auto import solve
from svmlib._machine import Machine
from svmlib._machine_problem import MachineProblem
from svmlib._rounding import MAX_NORM
from svmlib._solvers import balance, bias_at_zero, without_bias
from svmlib._squared_hinge import minimise_squared_hinge
from svmlib._verdict import WIDE_INTERVAL
from svmlib.certificate import Scores
from svmlib.problem import DualProblem, bounded_scores

_MAX_LIFTED_SAMPLES = 600  # at most, for a second try with another feature for each of them
_MEMORY_MB = 2000.0  # for the features of our own solution, as `svmlib.SVC` has by default


class OurSolution(NamedTuple):
    """Our own solution of a machine's problem, and a lower bound that was proved on the way."""

    alpha: Array
    b: float
    w: Array | None = None  # more accurate than the sum of the support vectors
    dual: float = -np.inf


def machine_of(problem: MachineProblem, solved: OurSolution) -> tuple[Machine, Scores]:
    """Return the machine of α, or of a more accurate w, and its scores at the rows."""
    support, beta = solved.alpha > 0, solved.alpha * problem.y
    ours = replace(problem.machine, b=solved.b, support=None, rows=None)
    if solved.w is None:
        ours = replace(ours, points=problem.X[support], coefficients=beta[support])
        return ours, bounded_scores(problem.dual_problem, beta)
    ours = replace(ours, points=solved.w[None], coefficients=np.ones(1))
    return ours, problem.machine_scores(ours)[0]


def solve_machine_problem(problem: MachineProblem, tol: float, start: Array | None) -> OurSolution:
    """Return our solution, which starts from feasible multipliers if they are given."""
    X, y, dual_problem = problem.X, problem.y, problem.dual_problem
    if problem.plain_hinge and problem.free_bias:
        if start is not None:
            start = balance(dual_problem, np.clip(start, 0, dual_problem.upper))
        if dual_problem.kernel.linear:
            dual_problem = DualProblem(X, y, problem.upper, move_origin=True)
        return _solve_with_bias(dual_problem, tol, start)
    Phi = _gram_factor(dual_problem, problem.bias_scale)
    if problem.plain_hinge:
        return _solve_for_features(problem, Phi, problem.C, tol)
    return _solve_squared_hinge(problem, Phi, tol)


def _solve_squared_hinge(problem: MachineProblem, Phi: Array, tol: float) -> OurSolution:
    """Return our solution for the squared hinge and the features Φ."""

    def value(solved: OurSolution) -> float:
        machine, scores = machine_of(problem, solved)
        return problem.primal(scores, machine.b)

    X = problem.X
    alpha, w = minimise_squared_hinge(Phi, problem.y, problem.C, problem.free_bias)
    b = float(w[-1]) if problem.free_bias else problem.bias_scale * float(w[-1])
    best = OurSolution(alpha, b, dual=problem.dual(alpha))
    if problem.dual_problem.kernel.linear and best.dual < (1 - WIDE_INTERVAL) * value(best):
        wide = X.shape[1] > problem.n
        w = np.linalg.qr(X.T)[0] @ w[: problem.n] if wide else w[: X.shape[1]]
        best = min(best, best._replace(w=w), key=value)
    small = problem.n <= _MAX_LIFTED_SAMPLES and problem.C.min() * MAX_NORM > 1
    if small and best.dual < (1 - WIDE_INTERVAL) * value(best):
        # The squared hinge is the hard margin with another feature per sample. To solve that is
        # slower, but more accurate.
        Phi = np.column_stack([Phi, np.diag(1 / np.sqrt(2 * problem.C))])
        lifted = _solve_for_features(problem, Phi, np.inf, tol)._replace(dual=best.dual)
        best = min(best, lifted, key=value)
    return best


def _solve_for_features(
    problem: MachineProblem, Phi: Array, C: Array | float, tol: float
) -> OurSolution:
    """Return our solution for the plain hinge; a feature of Φ is a penalised bias."""
    if problem.free_bias:
        return _solve_with_bias(DualProblem(Phi, problem.y, C, move_origin=True), tol)
    alpha = solve(without_bias(Phi, problem.y, C), "auto", tol)[0].alpha
    alpha = alpha[: problem.n] + alpha[problem.n :]
    return OurSolution(alpha, problem.bias_scale**2 * float(alpha @ problem.y))


def _solve_with_bias(problem: DualProblem, tol: float, start: Array | None = None) -> OurSolution:
    """Return our solution for the plain hinge and a free bias."""
    solution = solve(problem, "auto", tol, start=start, memory_mb=_MEMORY_MB)[0]
    b, dual = bias_at_zero(problem, solution), solution.certificate.dual
    return OurSolution(solution.alpha, b, dual=dual)


def _gram_factor(problem: DualProblem, s: float) -> Array:
    """Return Φ with ΦΦᵀ = K, plus s² in every entry for a penalised bias."""
    Phi = problem.X
    if not problem.kernel.linear:
        values, vectors = eigh(problem.gram_matrix.to_array())
        Phi = vectors * np.sqrt(np.maximum(values, 0))
    elif Phi.shape[1] > problem.n:
        Phi = np.transpose(np.linalg.qr(Phi.T, mode="r"))
    return np.column_stack([Phi, np.full(problem.n, s)]) if s else Phi
