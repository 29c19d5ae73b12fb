"""The regularisation path: one K, many values of C, each machine from the one before.

A grid search fits the same samples again and again. Here all machines of one γ share one Gram
matrix K, whatever their C and their fold; for the RBF kernel, the K of 2γ is that of γ with every
value squared; and each machine starts from the solution for the next smaller C.
`svmlib.search.SVCCV` checks the arguments.

Derived in chapter 12, *Newton's method*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from svmlib._arrays import Array, Indices, megabytes
from svmlib._auto import EASY_CHANGE, Start, easy_start, mean_margin_change, solve
from svmlib._rounding import UNIT_ROUNDOFF, round_up
from svmlib._solvers import after_steps, balance, certified_solution
from svmlib.gram_matrix import GramMatrix
from svmlib.kernels import RBF, BaseKernel, ErrorBound, Linear
from svmlib.newton import newton_multipliers
from svmlib.nystrom import low_rank
from svmlib.problem import DualProblem, Solution

_GRAM_COPIES = 3  # of K: itself, the part of the training samples, and that of the free multipliers
_AT_BOUND_FRACTION = 1 - 1e-9  # of C_i: a multiplier this large is at its bound
_MAX_DOUBLINGS = 4  # of γ: more squarings take as long as the exponential
_MAX_WARM_STEPS = 300  # of Newton from a good start: then `solve` takes over, whose limit is higher
_TOL_FRACTION, _LOW_RANK_TOL_FRACTION = 0.9, 0.7  # of tol: the certificate adds its rounding
# No theory gives the next three: before you change one, compare the searches that `make bench`
# times in benchmarks/TUNING.md.
_NEAR_C_RATIO = 2  # times C: up to this ratio the guess itself is a good centre
_MAX_COLUMNS = 200  # columns of Φ
_LOW_RANK_TOL = 1e-10  # of the mean k(x, x): so that a solution with Φ is one with K, too


class CandidateFit(NamedTuple):
    """One machine of a search, with its certificate and its f(x) for test samples.

    Attributes
    ----------
    gamma_index, fold_index, C_index : int
        The indices of its γ, its fold and its C, in the order in which they were given.
    solution : svmlib.problem.Solution
        Its multipliers for the training samples of the fold, its bias and its certificate.
    fit_time, score_time : float
        Seconds for the solution, and for f(x) of the test samples.
    decision_values : ndarray of shape (n_test,)
        f(x) for the test samples of the fold.
    """

    gamma_index: int
    fold_index: int
    C_index: int
    solution: Solution
    fit_time: float
    score_time: float
    decision_values: Array

    @property
    def relative_gap(self) -> float:
        """The relative duality gap; infinite if K is not known to be positive semidefinite."""
        certificate = self.solution.certificate
        return certificate.relative_gap if certificate.weak_duality_holds else np.inf

    @property
    def n_iter(self) -> int:
        """How many iterations the solution took."""
        return self.solution.n_iter


class Fold(NamedTuple):
    """One split of the samples.

    Attributes
    ----------
    train, test : ndarray of int
        The numbers of the training samples, and of the test samples.
    C_factors : ndarray of shape (n_train,)
        The C_i of the training samples for C = 1.
    """

    train: Indices
    test: Indices
    C_factors: Array


def _warm_start(alpha: Array, before: Array, problem: DualProblem) -> Array:
    """Return a guess of the multipliers, from those of the same problem with the bounds `before`.

    Multipliers at their bound move to the new bound, because a small change of the others would not
    raise their margins to 1; free multipliers stay, except for what Σ α_i y_i = 0 needs. The guess
    predicts well which multipliers are free, but its dual value may be below that of α, so the
    active set method begins with the guess, and α is the centre of the first stage. If no
    multiplier is at its bound, a larger C changes nothing, and α is the solution.
    """
    at_bound = alpha >= _AT_BOUND_FRACTION * before
    if not at_bound.any():
        return alpha
    upper = problem.upper
    return np.minimum(balance(problem, np.where(at_bound, upper, alpha)), upper)


def _gram_matrices(
    kernels: Sequence[BaseKernel], X: Array, memory_mb: float
) -> Iterator[tuple[Array, ErrorBound | None]]:
    r"""Yield K and its `error_bound`, for each kernel; the next K may overwrite the last.

    A user's kernel has no such bound: its values are taken as exact.

    With :math:`\lvert \hat k - k \rvert \le \theta` and 0 ≤ k ≤ 1 the square of a value is off by
    at most :math:`\theta\,(2 + \theta)`, and its rounding adds :math:`u\,(1 + \theta)^2`. No float
    data can show this rounding, which θ has room for, nor θ².
    """
    K = np.empty((0, 0))
    bound = None
    last: BaseKernel = Linear()
    for kernel in kernels:
        doublings = 0
        if isinstance(kernel, RBF) and isinstance(last, RBF):
            tried = range(1, _MAX_DOUBLINGS + 1)
            doublings = next((k for k in tried if last.gamma * 2**k == kernel.gamma), 0)
        if doublings and bound is not None:
            K.flags.writeable = True
            theta = bound.theta
            for _ in range(doublings):
                np.multiply(K, K, out=K)
                # What rounding up adds is far more than a square can lose by underflow.
                theta = round_up(theta * (2 + theta) + UNIT_ROUNDOFF * (1 + theta) ** 2)
            bound = ErrorBound(theta, bound.norms)
        else:
            K = GramMatrix(kernel, X, memory_mb).to_array()
            bound = kernel.error_bound(X)
        last = kernel
        yield K, bound


def gram_megabytes(n: int) -> float:
    """Return the memory that a search needs for the K of n samples, in MB of 2²⁰ bytes."""
    return megabytes(_GRAM_COPIES * n**2)


def _solve_warm(
    problem: DualProblem, reduced: DualProblem | None, tol: float, start: Array, guess: Array
) -> Solution:
    """Return a solution that is certified to `tol`, if one is found from this start and guess."""
    n_iter = 0
    for version in [problem] if reduced is None else [reduced, problem]:
        if (version.kernel.linear or version.gram_matrix.full is not None) and version.convex:
            goal = tol * (_TOL_FRACTION if version is problem else _LOW_RANK_TOL_FRACTION)
            start, steps = newton_multipliers(version, goal, _MAX_WARM_STEPS, start, guess)
            guess = start
            n_iter += len(steps)
            solution = certified_solution(problem, start, tol=tol, n_iter=n_iter)
            if solution.converged:
                return solution
    solution, _ = solve(problem, "auto", tol, start=start)
    return after_steps(solution, n_iter)


def _regularisation_path(
    problem: DualProblem, reduced: DualProblem | None, C_factors: Array, Cs: Array, tol: float
) -> Iterator[tuple[int, Solution, float]]:
    """Follow a problem along ascending values of C, each machine from the one before.

    Parameters
    ----------
    problem : svmlib.problem.DualProblem
        The samples and the kernel; its own C is ignored.
    reduced : svmlib.problem.DualProblem, or None
        The same problem in a few coordinates (`svmlib.nystrom.low_rank`), solved first if given.
    C_factors : ndarray of shape (n,)
        The C_i for C = 1.
    Cs : ndarray
        The values of C, in any order.
    tol : float
        The relative duality gap to prove.

    Yields
    ------
    tuple
        The number of a C in `Cs`, the `svmlib.problem.Solution`, and the seconds that it took.

    Examples
    --------
    >>> X, y, Cs = [[0.0], [2.0], [3.0]], [-1, 1, 1], np.array([10.0, 0.1])
    >>> problem = DualProblem(X, y, kernel=RBF(1.0))
    >>> found = list(_regularisation_path(problem, None, np.ones(3), Cs, 1e-3))
    >>> [(number, solution.converged) for number, solution, _ in found]
    [(1, True), (0, True)]
    """
    alpha = np.zeros(problem.n)
    upper = np.full(problem.n, np.inf)
    for C_index in Cs.argsort(kind="stable").tolist():
        started = perf_counter()
        before, upper = upper, Cs[C_index] * C_factors
        problem = problem.with_bounds(upper)  # which keeps the cache of K
        reduced = None if reduced is None else reduced.with_bounds(upper)
        guess = _warm_start(alpha, before, problem)
        near = alpha.any() and upper.max() <= _NEAR_C_RATIO * before.max()
        start = Start(guess if near else alpha)
        change = mean_margin_change(problem)
        if not near and change <= EASY_CHANGE and problem.gram_matrix.full is not None:
            start = easy_start(problem, tol, np.inf, change)
            guess = start.alpha
        solution = certified_solution(problem, start.alpha, tol=tol) if start.reaches_tol else None
        if not (solution and solution.converged):
            solution = _solve_warm(problem, reduced, tol, start.alpha, guess)
        alpha = solution.alpha
        seconds = perf_counter() - started
        yield C_index, after_steps(solution, start.n_iter), seconds


def fit_candidates(
    indexed_kernels: Sequence[tuple[int, BaseKernel]],
    X: Array,
    y: Array,
    folds: Sequence[Fold],
    Cs: Array,
    tol: float,
    memory_mb: float,
) -> Iterator[CandidateFit]:
    """Solve for every kernel, fold and C; all solutions for a kernel share one K.

    Parameters
    ----------
    indexed_kernels : sequence of tuple
        The kernels, each with the index to report. If a γ is 2, 4, 8 or 16 times the γ before it,
        K is squared instead of evaluated.
    X, y : ndarray of shape (n, d) and (n,)
        The points and their labels, −1 or +1.
    folds : sequence of Fold
        The training and test samples of each fold.
    Cs : ndarray
        The values of C.
    tol : float
        The relative duality gap to prove for each machine.
    memory_mb : float
        How many megabytes three matrices of the size of K may take; if they do not fit, each
        machine keeps as many rows as fit.

    Yields
    ------
    CandidateFit
        By kernel in the order given, then by fold, then by ascending C.
    """
    kernels = [kernel for _, kernel in indexed_kernels]
    shared = gram_megabytes(len(X)) <= memory_mb and not any(kernel.linear for kernel in kernels)
    limits: Any = {"cache_mb": memory_mb, "equations_mb": memory_mb}
    matrices = _gram_matrices(kernels, X, memory_mb)
    evaluated: Iterable[Any] = matrices if shared else repeat((None, None))
    for (gamma_index, kernel), (K, bound) in zip(indexed_kernels, evaluated, strict=False):
        max_rank = max(1, min(len(X) // 5, _MAX_COLUMNS))
        Phi = None if K is None else low_rank(kernel, X, max_rank=max_rank, tol=_LOW_RANK_TOL)
        for fold_index, fold in enumerate(folds):
            train = fold.train
            upper = fold.C_factors * Cs.max()
            errors = bound and ErrorBound(bound.theta, bound.norms[train])
            problem = DualProblem(X[train], y[train], upper, kernel, **limits)
            if K is not None:
                problem.gram_matrix.use(K.take(train, 0).take(train, 1), errors)
            reduced = None if Phi is None else DualProblem(Phi[train], y[train], upper)
            K_test = None if K is None else K.take(fold.test, 0).take(train, 1)
            path = _regularisation_path(problem, reduced, fold.C_factors, Cs, tol)
            for C_index, solution, fit_time in path:
                started = perf_counter()
                if K_test is None:
                    values = problem.decision_function(solution.alpha, solution.b, X[fold.test])
                else:
                    values = K_test @ (solution.alpha * problem.y) + solution.b
                times = fit_time, perf_counter() - started
                yield CandidateFit(gamma_index, fold_index, C_index, solution, *times, values)
