"""Which solver for which problem: what ``SVC(solver="auto")`` does.

It is Newton's method from a good start, or the start itself if it reaches `tol`. Of many samples,
the start uses those near the margin only. It is SMO if K is not known to be positive semidefinite,
or if Newton's equations do not fit into the memory. If K does not fit, a machine in the span of
pivots is tried first, if few are enough or the samples are too many for SMO. If all this stalls,
the interior point method is tried, if the samples are few.

Derived in chapters 12, *Newton's method*, and 13, *Many samples*.
"""

from __future__ import annotations

import logging
from math import cbrt, isqrt
from typing import Literal, NamedTuple

import numpy as np

from svmlib import nystrom
from svmlib._arrays import Array, Indices, megabytes
from svmlib._solvers import after_steps, certified_solution, check_start, objective_values
from svmlib.gram_matrix import EAGER_SAMPLES, CacheTooSmallError
from svmlib.interior_point import MAX_INTERIOR_STEPS, run_interior_point
from svmlib.newton import MAX_NEWTON_STEPS, last_digits_are_cheap, newton_multipliers
from svmlib.problem import DualProblem, Solution, bias_and_interval
from svmlib.smo import MAX_SMO_STEPS, SmoState, run_smo

SolverName = Literal["auto", "newton", "smo", "interior_point"]
_LOG = logging.getLogger(__name__)

# No theory gives the numbers below. Each group names the tables in benchmarks/ that show what it
# does: compare them before and after you change a number. The "Ten held-out data sets" in TUNING.md
# are for a test afterwards.

# When SMO ends and Newton's method begins: TUNING.md, "Fits with default settings"
EASY_CHANGE = 2.0  # C k(x, x); up to here most multipliers reach their bounds, and SMO is fast
# The KKT violation that SMO leaves, times the cube root of C k(x, x), and the largest; at first it
# is 2.
_START_TOL, _MAX_START_TOL = 0.1, 1.5
_START_STEPS = 2 / 3  # of SMO per sample, before Newton's method takes over in any case
# With f free multipliers one step of Newton's method takes as long as about f²/500 steps of SMO. If
# so many steps find fewer new support vectors than this fraction, nearly all have been found.
_STEP_COST, _FEW_NEW = 500, 0.05
_MIN_STEPS = 32  # from one look at the gap, or at the support vectors, to the next
_MAX_CHUNKS = 5  # and such times that SMO takes more steps
_CHUNK_FRACTION = 0.6  # of the samples; in a larger chunk a step is hardly cheaper
_STEPS_PER_BOUND = 32  # of SMO in a chunk, for every multiplier at its bound
_NEAR_GAP = 10  # times the gap to reach: if the gap is larger, Newton's method is faster
_TOL_FRACTIONS = 0.9, 0.5  # of tol, for Newton's method: the certificate adds its rounding

# Whether K is of low rank: the same table, and LARGE.md where K does not fit
_SMALLEST_PROBED = 350  # samples; up to here features save nothing
_PROBE_SIZE = 64  # points, for a first look at the rank of K
_PROBE_RESIDUAL = 3e-3  # of the mean of k(x, x), where their factorisation stops
_LOW_PROBE_RANK = 40  # of these points: with more, K is not of low rank
_FEW_MIXED = 1  # of them, nearest to another class: SMO finds the few support vectors sooner
_START_RESIDUAL = 1e-7  # of the mean of k(x, x): with pivots up to there features make a good start

# Beyond these limits a method takes minutes or hours: RESULTS.md and LARGE.md
_SMO_STEPS_PER_SAMPLE = 100  # at most (n counts as 1000 or more); more rarely help
_MAX_EQUATIONS = 1000  # for the interior point method, and for a machine in the span of pivots
_MAX_SAMPLES = 100_000  # for SMO, and for a certificate from all of K


class Start(NamedTuple):
    """Multipliers with which Newton's method begins, and how they were found."""

    alpha: Array
    n_iter: int = 0
    solver: str = "none"
    reaches_tol: bool = False  # as its solver says; only the certificate proves it
    high_rank: bool = False  # whether the rank of K is known to be high


def solve(
    problem: DualProblem,
    solver: SolverName,
    tol: float,
    max_iter: float = np.inf,
    start: Array | None = None,
    memory_mb: float | None = None,
) -> tuple[Solution, str]:
    """Return the solution, and the name of the solver that took the last steps.

    The function does not warn: the caller reads the certificate.

    Parameters
    ----------
    problem : DualProblem
        The problem.
    solver : {"auto", "newton", "smo", "interior_point"}
        The solver; ``"newton"`` is ``"auto"`` with SMO for its start only.
    tol : float
        The relative duality gap to prove.
    max_iter : float, optional
        The most iterations of all solvers together; infinity stands for their own defaults, but
        ``"auto"`` allows SMO no more than 100 max(n, 1000) steps. Steps of Newton's method before
        its equations outgrew the memory are not counted.
    start : ndarray of shape (n,), optional
        Feasible multipliers to begin with, in place of those that ``"auto"`` finds; the interior
        point method does not use them.
    memory_mb : float, optional
        The memory for features (`svmlib.nystrom.nystrom`), if the answer may be a machine in the
        span of pivots.

    Examples
    --------
    >>> problem = DualProblem([[0.0], [2.0]], [-1, 1])
    >>> solution, name = solve(problem, "auto", 1e-3)
    >>> solution.alpha.round(6), name
    (array([0.5, 0.5]), 'newton')
    """
    alpha = check_start(problem, start)
    if solver == "interior_point":
        return run_interior_point(problem, tol, int(min(max_iter, MAX_INTERIOR_STEPS))), solver
    most_steps = MAX_SMO_STEPS if solver == "smo" else _SMO_STEPS_PER_SAMPLE * max(problem.n, 1000)
    smo_limit = int(min(max_iter, most_steps))
    if solver == "smo" or (solver == "auto" and not problem.convex):
        return run_smo(problem, tol, smo_limit, alpha), "smo"
    in_span = _try_nystrom(problem, tol, max_iter - 1, memory_mb) if start is None else None
    if in_span and (in_span.converged or problem.n > _MAX_SAMPLES):
        return in_span, "nystrom"
    newton_start = Start(alpha)
    if in_span:
        newton_start = Start(in_span.alpha, in_span.n_iter, "newton")
    elif not alpha.any():
        # One iteration is left for Newton's method.
        newton_start = _find_start(problem, tol, max_iter - 1, span_untried=memory_mb is None)
    try:
        solution, name = _finish_by_newton(problem, newton_start, tol, max_iter)
    except CacheTooSmallError:
        if solver == "newton":
            raise
        solution = run_smo(problem, tol, smo_limit - newton_start.n_iter, newton_start.alpha)
        solution = after_steps(solution, newton_start.n_iter)
        name = "smo"
    remaining = max_iter - solution.n_iter if solver == "auto" else 0
    return _try_interior_point(problem, solution, name, tol, remaining)


def _finish_by_newton(
    problem: DualProblem, start: Start, tol: float, max_iter: float
) -> tuple[Solution, str]:
    """Return the result of Newton's method from a start, or the start if it reaches `tol`."""
    alpha, n_iter, name, reached, high_rank = start
    for fraction in _TOL_FRACTIONS:
        if not reached:
            limit = int(min(max_iter - n_iter, MAX_NEWTON_STEPS))
            alpha, steps = newton_multipliers(
                problem, fraction * tol, limit, alpha, last_digits=True, high_rank=high_rank
            )
            n_iter += len(steps)
            name = "newton" if steps or name == "none" else name
        solution = certified_solution(problem, alpha, tol=tol, n_iter=n_iter)
        if solution.converged or n_iter >= max_iter:
            break
        reached = False
    return solution, name


def _try_interior_point(
    problem: DualProblem, solution: Solution, name: str, tol: float, max_iter: float
) -> tuple[Solution, str]:
    """Return the interior point solution if `tol` is not reached and it proves more.

    Newton's method stalls if C k(x, x) is above about 1e10.
    """
    possible = problem.n <= _MAX_EQUATIONS and problem.gram_matrix.fits  # it needs all of K
    if possible and not solution.converged and max_iter > 0:
        other = run_interior_point(problem, tol, int(min(max_iter, MAX_INTERIOR_STEPS)))
        if other.certificate.relative_gap < solution.certificate.relative_gap:
            return after_steps(other, solution.n_iter), "interior_point"
    return solution, name


def _try_nystrom(
    problem: DualProblem, tol: float, max_iter: float, memory_mb: float | None
) -> Solution | None:
    """Return the machine in the span of a few pivots, if K does not fit and few may be enough.

    With too many samples for SMO there is no other method, however many pivots are needed.
    """
    n, gram_matrix = problem.n, problem.gram_matrix
    admissible = nystrom.provably_semidefinite(problem.kernel) and not problem.hard_margin
    if memory_mb is None or gram_matrix.fits or problem.kernel.linear or not admissible:
        return None
    max_rank = nystrom.max_rank_in_memory(n, memory_mb)
    span = nystrom.choose_span(problem, tol)
    if n <= _MAX_SAMPLES:
        # Fewer pivots make a good start, too. With more than that, rows of K may cost less; and
        # a sample that needs half of its points says nothing about the others.
        affordable = max(3 * isqrt(n), gram_matrix.cache_size // 4 // n)
        max_rank = min(max_rank, affordable, nystrom.sample_size(n) // 2 - 1)
        if span.rank > max_rank:
            span = span.leading(_START_RESIDUAL * float(problem.gram_matrix.diagonal.mean()))
        if not 0 < span.rank <= max_rank:
            return None
    elif span.rank > min(max_rank, _MAX_EQUATIONS):
        span = span.leading(0.0, min(max_rank, _MAX_EQUATIONS))
        relative_gap = nystrom.forecast_relative_gap(problem, tol, span, n)
        _LOG.warning("%d pivots; expected relative duality gap: %.0e", span.rank, relative_gap)
    limit = int(min(max_iter, MAX_NEWTON_STEPS))
    return nystrom.run_nystrom(problem, tol, limit, span, memory_mb)


def _find_start(problem: DualProblem, tol: float, max_iter: float, span_untried: bool) -> Start:
    """Return α near the solution, so that Newton's method has fewer free multipliers."""
    n = problem.n
    if problem.kernel.linear or not problem.convex:
        return Start(np.zeros(n))
    # Where margins can change by little, SMO is fast to the end; otherwise only until no KKT
    # violation is large, and the larger the change, the sooner SMO slows down.
    change = mean_margin_change(problem)
    if change <= EASY_CHANGE and n <= EAGER_SAMPLES:
        return easy_start(problem, tol, max_iter, change)
    rank, n_mixed = _probe(problem) if n > _SMALLEST_PROBED else (None, 0)
    is_low = rank is not None and rank <= _LOW_PROBE_RANK and n_mixed > _FEW_MIXED
    Phi = _low_rank_factor(problem, span_untried) if is_low else None
    if Phi is not None:
        return _start_in_few_coordinates(problem, Phi, tol, max_iter)
    state, start = _start_by_smo(problem, tol, max_iter, change, rank == _PROBE_SIZE)
    if change > EASY_CHANGE and n > EAGER_SAMPLES and not problem.kernel.user_defined:
        return _solve_chunks(state, start, _start_tol(tol, change), tol, max_iter)
    return start


def _start_tol(tol: float, change: float) -> float:
    """Return the KKT violation at which SMO ends, for a `mean_margin_change`."""
    return max(tol / 2, min(_START_TOL * cbrt(change), _MAX_START_TOL))


def _start_in_few_coordinates(
    problem: DualProblem, Phi: Array, tol: float, max_iter: float
) -> Start:
    """Return the solution of the linear problem with the rows of Φ for points."""
    cache_mb = problem.gram_matrix.cache_mb
    linear = DualProblem(Phi, problem.y, problem.upper, cache_mb=cache_mb)
    limit = int(min(max_iter, MAX_NEWTON_STEPS))
    alpha, steps = newton_multipliers(linear, tol / 2, limit, np.zeros(problem.n))
    return Start(alpha, len(steps), "newton")


@np.errstate(over="ignore", invalid="ignore")
def _start_by_smo(
    problem: DualProblem, tol: float, max_iter: float, change: float, high_rank: bool
) -> tuple[SmoState, Start]:
    """Take steps of SMO, three times as many if `change` is small and then few have α_i > 0.

    In few dimensions, and where many multipliers reach their bounds, the same samples are chosen
    again and again; then the second-order rule, whose steps cost more, needs far fewer.
    """
    n, easy, target = problem.n, change <= EASY_CHANGE, _start_tol(tol, change)
    state = SmoState(problem, np.zeros(n), "first" if high_rank else "second")
    limit = int(min(_START_STEPS * n, max_iter))
    n_steps, found = _find_support(state, tol, limit) if high_rank else (0, False)
    if not found:
        if not easy:
            state.selection = "second"
        n_steps += state.advance(target, limit - n_steps)
        if easy and 2 * np.count_nonzero(state.beta) < n:
            n_steps += state.advance(target, int(min(2 * _START_STEPS * n, max_iter - n_steps)))
    return state, Start(state.alpha, n_steps, "smo", high_rank=high_rank)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _solve_chunks(
    state: SmoState, start: Start, target: float, tol: float, max_iter: float
) -> Start:
    """Return the solution for the support vectors and the samples whose margins are less than 1.

    This is chunking (Boser, Guyon and Vapnik): a chunk that has all support vectors has the
    solution of the problem; otherwise those it misses are in the next. As long as a chunk is too
    large, SMO takes more steps, the first time if fewer than half have α_i > 0, later if more than
    a tenth of these are at their bounds.
    """
    problem, y, more = state.problem, state.problem.y, 2 * _START_STEPS * state.problem.n
    for trial in range(_MAX_CHUNKS):
        alpha, n_iter = start.alpha, start.n_iter
        scores = problem.gram_matrix.incremental_matvec(alpha * y).values
        b = bias_and_interval(problem, alpha * y, scores)[0]
        primal, dual = objective_values(problem, alpha * y, scores, b)
        if not alpha.any() or 1 - dual / primal <= _TOL_FRACTIONS[0] * tol:
            break
        chunk = ((alpha > 0) | (y * (scores + b) < 1)).nonzero()[0]
        n_support, n_bounded = np.count_nonzero(alpha), np.count_nonzero(alpha >= problem.upper)
        many_bounded = 10 * n_bounded > n_support
        fits = megabytes(chunk.size**2) <= problem.gram_matrix.cache_mb / 2
        if fits and chunk.size <= _CHUNK_FRACTION * y.size:
            start = _solve_chunk(problem, chunk, start, target, tol, max_iter)
        elif start.solver == "smo" and (many_bounded if trial else 2 * n_support < y.size):
            state.selection = "second"
            n_iter += state.advance(target / 10, int(min(more, max_iter - n_iter)))
            start = start._replace(alpha=state.alpha, n_iter=n_iter)
        else:
            break
    return start


def _solve_chunk(
    problem: DualProblem, chunk: Indices, start: Start, target: float, tol: float, max_iter: float
) -> Start:
    """Return the solution for the samples of a chunk; the others have α_i = 0."""
    X, y, upper = problem.X[chunk], problem.y[chunk], problem.upper[chunk]
    part = DualProblem(X, y, upper, problem.kernel, cache_mb=problem.gram_matrix.cache_mb)
    part.gram_matrix.to_array()
    state = SmoState(part, start.alpha[chunk], "second")
    n_bounded = int(np.count_nonzero(state.alpha >= part.upper))
    limit = int(min(_STEPS_PER_BOUND * n_bounded, max_iter - start.n_iter))
    n_steps = start.n_iter + state.advance(target, limit)
    limit, high_rank = int(min(MAX_NEWTON_STEPS, max_iter - n_steps)), start.high_rank
    part_alpha, steps = newton_multipliers(part, tol / 2, limit, state.alpha, high_rank=high_rank)
    alpha = np.zeros(problem.n)
    alpha[chunk] = part_alpha
    return Start(alpha, n_steps + len(steps), "newton", high_rank=high_rank)


def _find_support(state: SmoState, tol: float, limit: int) -> tuple[int, bool]:
    """Take steps until few samples become support vectors; return how many steps, and if so.

    The steps also end when a multiplier reaches its bound. Until then they are the same for every
    larger C, so C must not decide when Newton's method takes over.
    """
    n_steps = n_support = 0
    while n_steps < limit:
        wanted = min(max(_MIN_STEPS, n_support**2 // _STEP_COST), limit - n_steps)
        taken = state.advance(tol / 2, wanted)
        n_steps += taken
        alpha = state.alpha
        if (alpha >= state.problem.upper).any():
            break
        before, n_support = n_support, int(np.count_nonzero(alpha))
        if taken < wanted or n_support - before < _FEW_NEW * n_support:
            return n_steps, True
    return n_steps, False


@np.errstate(over="ignore", invalid="ignore")
def easy_start(problem: DualProblem, tol: float, max_iter: float, change: float) -> Start:
    """Return a start by SMO, which computes the duality gap once no KKT violation is large.

    The change is that of `mean_margin_change`, which must be small.
    """
    state = SmoState(problem, np.zeros(problem.n), "first")
    limit = int(min(3 * _START_STEPS * problem.n, max_iter))
    n_steps = taken = state.advance(_start_tol(tol, change), limit)
    goal = _TOL_FRACTIONS[0] * tol
    relative_gap = np.inf if last_digits_are_cheap(problem.n, problem.n) else state.relative_gap()
    while taken and goal < relative_gap <= _NEAR_GAP * goal:
        taken = state.advance(tol / 2, min(limit - n_steps, _MIN_STEPS))
        n_steps += taken
        relative_gap = state.relative_gap()
    return Start(state.alpha, n_steps, "smo", relative_gap <= goal)


def mean_margin_change(problem: DualProblem) -> float:
    """Return mean C times mean k(x, x): α_i can change the margin of i by C_i k(x_i, x_i)."""
    return float(problem.upper.mean()) * float(problem.gram_matrix.diagonal.mean())


def _low_rank_factor(problem: DualProblem, span_untried: bool) -> Array | None:
    """Return Φ of a few coordinates in which the problem is nearly the same, if there are any.

    None for C = ∞, because rows of Φ with different labels may be equal, and then there is no
    solution. If K does not fit, `_try_nystrom` may have tried that. Φ may fill a quarter of the
    cache; its two copies and the rows of the free multipliers need the remainder.
    """
    fits = problem.gram_matrix.fits
    if problem.hard_margin or problem.kernel.user_defined or not (span_untried or fits):
        return None
    max_rank = max(1, problem.gram_matrix.cache_size // 4 // problem.n)
    return nystrom.low_rank(problem.kernel, problem.X, max_rank=max_rank)


def _probe(problem: DualProblem) -> tuple[int, int]:
    """Return how many of a few points would each need a column of Φ, and how many are mixed.

    A point is mixed if the most similar other point, the one with the largest k, has another label.
    """
    rows = nystrom.random_rows(problem.n, _PROBE_SIZE)
    K = problem.gram_matrix.block(rows)
    rank = len(nystrom.pivoted_cholesky(K, _PROBE_RESIDUAL * K.diagonal().mean())[0])
    np.fill_diagonal(K, -np.inf)
    y = problem.y[rows]
    return rank, int(np.count_nonzero(y[K.argmax(axis=1)] != y))
