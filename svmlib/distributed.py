"""Machines on a Dask array, for more rows than fit in memory, with a certificate.

Newton's method for a linear machine never needs a sample by itself. It needs sums over the samples:
the objective, its gradient and its curvature, and the sums that make up the primal and the dual
value. So each chunk of the data is summed up where it is, and sends only about d² numbers.
With this module you can

- train the soft-margin machine with a free bias on a Dask array: `solve_linear`,
- train a kernel machine, in the span of a few pivots: `solve_kernel`.

This module needs Dask: ``pip install "svmlib[dask]"``.

Derived in chapter 14, *Beyond one memory*; the span of pivots in chapter 13, *Many samples*.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from svmlib import nystrom
from svmlib._arrays import Array, ReadOnly
from svmlib._chunk_sums import (
    NewtonState,
    PassSums,
    chunk_extent,
    chunk_span_sums,
    chunk_sums,
    features_of,
)
from svmlib._rounding import MAX_NORM, gamma_n, round_up, row_norm_bounds
from svmlib._validation import (
    check_count,
    check_labels,
    check_points,
    check_scalar,
    check_stopping_rule,
)
from svmlib._warnings import warn_unless_converged
from svmlib.certificate import Certificate, balanced_dual, balancing_factors
from svmlib.kernels import Kernel, kernel_expansion
from svmlib.newton import newton_multipliers
from svmlib.nystrom import PivotSpan, check_semidefinite, merge_sums, random_rows
from svmlib.problem import MAX_C, DualProblem

try:
    import dask.array
    import dask.core
except ImportError as error:
    raise ImportError('svmlib.distributed needs Dask: pip install "svmlib[dask]"') from error

__all__ = ["KernelSolution", "LinearSolution", "Pass", "solve_kernel", "solve_linear"]

_LOG = logging.getLogger(__name__)
_FAN_IN = 8  # sums that are added at a time on their way to the client
_MIN_START_SAMPLES = 20  # per class and unknown, that make the first chunk a good start
_START_TOL = 5e-3  # the relative gap of this start
_START_RAMP, _WIDE_RAMP = 0.3, 2.0  # hC to begin with, near the optimum or without such a start
_ARMIJO = 1 / 4  # of the gain that its slope promises: a step that gains less is too long
_MIN_STEP_LENGTH = 0.05  # of a Newton step: if no longer one gains enough, the ramp is too narrow
_STAGE_TOL = 0.01  # of the proximal term h‖q − c‖²: a step with less slope ends the stage
_RAMP_GROWTH = 4.0  # where the ramp was too narrow
_RAMP_SHRINKAGE = 0.5  # from one stage to the next

_Chunks = list[tuple[Any, Any]]  # rows and their labels, delayed


class _Step(NamedTuple):
    """A step of Newton's method from v, or the start as a step from zero."""

    direction: Array
    value: float  # of the objective at v, or a bound on it
    slope: float  # of the objective along the step; 0 for the start


class Pass(NamedTuple):
    """The results of one pass over the data.

    Attributes
    ----------
    h : float
        The smoothing parameter: the ramp is hC wide.
    n_free : int
        How many samples are free, which means on the ramp.
    certificate : Certificate
        What the pass proves.
    """

    h: float
    n_free: int
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class LinearSolution(ReadOnly):
    r"""What `solve_linear` returns.

    Attributes
    ----------
    w, b : ndarray of shape (d,) and float
        The hyperplane w·x + b = 0.
    certificate : Certificate
        Primal value, dual value and KKT violation of (w, b) and of the slopes q of its losses as
        multipliers, which are not stored; all rounded outwards.
    n_iter : int
        Passes, without the first one, which counts the classes and finds the mean.
    converged : bool
        Whether the relative gap has reached the tolerance.
    trace : tuple of Pass
        One record per pass.
    """

    w: Array
    b: float
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[Pass, ...] = field(repr=False)


def solve_linear(
    X: Any, y: Any, C: float = 1.0, *, tol: float = 1e-3, max_iter: int = 200
) -> LinearSolution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) over the rows of a Dask array.

    It starts from the machine for the first chunk (`svmlib.newton`), if this is better than zero.
    Each pass sums up, over the chunks, the smoothed losses of `svmlib.newton.newton` with
    :math:`s_i = w \cdot x_i + b`, their gradient :math:`-\sum_i q_i (x_i, 1)` and their curvature
    :math:`\tfrac1h \sum (x_i, 1) (x_i, 1)^{\mathsf T}` over the free samples,
    :math:`\ell_i < q_i < u_i`, which are on the ramp. A Newton step follows, or a shorter one where
    it gains too little. If only a very short step gains enough, the ramp is too narrow, and h
    grows. When a step would gain next to nothing compared to the proximal term
    :math:`h \lVert q - c \rVert^2` the stage ends: c ← q, and h shrinks, unless the gap that the
    solved stage will have is within the tolerance already. The method ends when the actual gap is
    within it.

    The chapter's algorithm ends stages by a bound and never widens a ramp, so that it provably
    converges. There is no such proof for this method: the certificate decides.

    Parameters
    ----------
    X : dask.array.Array of shape (n, d)
        The samples, best in chunks of whole rows. Chunks stay where they are, except for the first,
        which the client reads. Persist X if the workers' memory holds it, or leave it lazy to have
        it read again in each pass; then each reading must give the same rows.
    y : dask.array.Array or array_like of shape (n,)
        Labels −1 and +1, both present, in the order of the rows.
    C : float, default 1.0
        The soft-margin constant, finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the primal value.
    max_iter : int, default 200
        The most passes.

    Returns
    -------
    LinearSolution
        From the pass with the smallest gap, with a `sklearn.exceptions.ConvergenceWarning` that
        names it if max_iter was reached.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Notes
    -----
    *Nothing is stored between passes.* The centres c are one number per sample, but they follow
    from the few hyperplanes at which stages ended, so each chunk computes them again. A worker that
    dies takes nothing with it that another one cannot compute again.

    *Bounds.* The slopes q are in the box, and scaling down the class with the larger sum makes them
    feasible for the dual; their sums bound the optimum from below, as those of the hinge do from
    above. Rounding is added in both directions: a sum over n samples may be off by γ_n of its
    terms. With R the largest distance of a sample from the mean, this may keep the bounds apart by
    more than a thousandth where C n³R² is beyond about 10²⁴, or the mean further from the origin
    than about 10¹²/(d‖w‖). No number of passes helps there, but smaller units of X do.

    *Schedulers.* Dask's threads and clusters both work well. Its setting ``scheduler="processes"``
    starts new processes for every pass, which takes seconds each time; with
    ``pool=concurrent.futures.ProcessPoolExecutor()`` beside it, Dask keeps them.

    *Progress.* After ``logging.basicConfig(level="INFO")`` there is a line per pass.

    If all workers are lost and none comes back, Dask waits for others as long as the setting
    ``distributed.scheduler.no-workers-timeout`` says: for ever, unless you say otherwise. Then it
    raises its ``NoWorkerError``.

    *When it is fast.* With many more rows than columns there are always free samples, and
    five to twenty passes reach the default tolerance. It may take ten times as many if about as
    many samples as columns decide (few rows, or separable classes and a large C), or if some rows
    lie thousands of times as far out as the others: a small turn of w carries f(x) of such a row
    across the whole ramp, so what Newton's method expects of a step holds for short ones only. Clip
    such columns, or take their logarithm or their ranks.

    References
    ----------
    Rockafellar, R. T. (1976), "Augmented Lagrangians and applications of the proximal point
    algorithm in convex programming".

    Mangasarian, O. L. (2002), "A finite Newton method for classification".

    Examples
    --------
    >>> import dask.array as da
    >>> X = da.from_array(np.array([[0.0], [1.0], [3.0], [4.0]]), chunks=2)
    >>> solution = solve_linear(X, [-1, -1, 1, 1], C=10.0, tol=1e-6)
    >>> solution.w.round(3), round(solution.b, 3)
    (array([1.]), -2.0)
    >>> solution.certificate.dual <= 0.5 <= solution.certificate.primal
    True
    """
    chunks = _chunks(X, y)
    C = check_scalar(C, "C", positive=True)
    tol, max_iter = check_stopping_rule(tol, max_iter)
    v, certificate, trace, _ = _minimise(chunks, X.shape[1], C, tol, max_iter)
    converged = certificate.is_optimal_or_stationary(tol)
    solution = LinearSolution(v[:-1], float(v[-1]), certificate, len(trace), converged, trace)
    remedy = "allow more passes, scale the columns of X, or make C less extreme"
    warn_unless_converged(solution, "solve_linear", tol, remedy)
    return solution


def _minimise(
    chunks: _Chunks, d: int, C: float, tol: float, max_iter: int
) -> tuple[Array, Certificate, tuple[Pass, ...], NewtonState]:
    """Return (w, b) with their certificate, the passes, and what the multipliers follow from."""
    start, R, n = _first_pass(chunks, d, C)
    candidates = []
    trace = []
    passes = _passes(partial(_sum, chunks, chunk_sums), start, C * n, tol)
    for state, sums in islice(passes, max_iter):
        v, certificate = _certify(sums, state.v, start.origin, R, n)
        candidates.append((v, certificate, state))
        trace.append(Pass(state.h, sums.n_free, certificate))
        progress = "pass %d: ramp %.1e C, %d samples on it, relative duality gap %.1e"
        _LOG.info(progress, len(trace), state.h, sums.n_free, certificate.relative_gap)
        if certificate.relative_gap <= tol:
            break
    v, certificate, state = min(candidates, key=lambda each: each[1].relative_gap)
    w = v[:-1]
    return np.append(w, v[-1] - w @ start.origin), certificate, tuple(trace), state


def _first_pass(chunks: _Chunks, d: int, C: float) -> tuple[NewtonState, float, int]:
    """Return the first state, the largest distance of a sample from its origin, and n.

    The origin is the mean, as `svmlib.kernels.Linear` explains.
    """
    X, y = dask.compute(*chunks[0])
    X = check_points(features_of(X), n_features=d)
    y = check_labels(y, len(X))
    extent = _sum(chunks, chunk_extent, X[0])
    if not extent.n_plus or not extent.n_minus:
        raise ValueError("y must contain both classes -1 and +1")
    n = extent.n_plus + extent.n_minus
    if not C > 1 / MAX_NORM:
        raise ValueError(f"C must be above {1 / MAX_NORM:g}, got {C:g}")
    if not (C * n + 1) * (extent.radius + 1) < MAX_NORM:
        raise ValueError("X and C must be such that floats hold the square of C Σ‖x‖: rescale X")
    origin = X[0] + extent.total / n
    # `row_norm_bounds` has room for the rounding of rows and of this sum.
    R = extent.radius + float(row_norm_bounds((origin - X[0])[None])[0])
    return NewtonState(origin, C, (), *_start(X - origin, y, C * n / y.size, C)), R, n


def _start(X: Array, y: Array, C_first: float, C: float) -> tuple[float, Array]:
    """Return h and (w, b) to begin with: those of the first chunk, if it has enough samples.

    A chunk has fewer samples, so it needs a larger C for the same hyperplane. Near the optimum the
    ramp may be narrow from the start: a few tenths of 1/C are enough. The ramp, of width hC, lies
    below the margin 1, so (w, b) is made smaller until the samples at the margin are in its middle
    (or nearer to its upper end, if their multipliers are small). Otherwise all of them would begin
    at its end, and the first steps of Newton's method would be much too long.
    """
    if min(np.sum(y > 0), np.sum(y < 0)) < _MIN_START_SAMPLES * (X.shape[1] + 1):
        return _WIDE_RAMP / C, np.zeros(X.shape[1] + 1)
    problem = DualProblem(X, y, min(C_first, MAX_C))
    alpha, _ = newton_multipliers(problem, _START_TOL, 1000, np.zeros(y.size), last_digits=True)
    shrinkage = _START_RAMP / 2 * alpha.sum() / C_first / max(1, np.count_nonzero(alpha))
    return _START_RAMP / C, (1 - shrinkage) * np.append((alpha * y) @ X, problem.bias(alpha))


def _passes(
    run_pass: Callable[[NewtonState], PassSums], start: NewtonState, value: float, tol: float
) -> Iterator[tuple[NewtonState, PassSums]]:
    """Yield the state and the sums of every pass of Newton's method, without end.

    It begins at v = 0, where the objective is at most `value`, with the start as its first step.
    If h or the centres change, the next pass is at the same v, so there is no step.
    """
    stages, h = start.stages, start.h
    v = np.zeros_like(start.v)
    step: _Step | None = _Step(start.v, value, slope=0.0)
    t = 1.0  # the length of the step
    regularised = np.append(np.ones(v.size - 1), 0)  # 1 for w, 0 for b
    while True:
        trial = v if step is None else v + t * step.direction
        state = start._replace(stages=stages, h=h, v=trial)
        sums = run_pass(state)
        yield state, sums
        objective = float(trial[:-1] @ trial[:-1]) / 2 + sums.losses
        g = regularised * trial - sums.plus - sums.minus
        if step and objective > step.value + _ARMIJO * t * step.slope:
            # The step is too long. Go to the zero of the secant of the slope, which rises along it,
            # or stay, with a wider ramp, if the zero is very near. A start too far off is given up.
            end_slope = max(float(g @ step.direction), 0)
            t *= np.clip(step.slope / (step.slope - end_slope), 0.1, 0.9) if step.slope else 0.0
            if t < _MIN_STEP_LENGTH:
                h, step = _RAMP_GROWTH * h, None
            continue
        v = trial
        try:
            direction = -cho_solve(cho_factor(np.diag(regularised) + sums.curvature / h), g)
        except LinAlgError:  # too few samples are free to determine b
            h, step = _RAMP_GROWTH * h, None
            continue
        slope = float(g @ direction)
        step, t = _Step(direction, objective, slope), 1.0
        remains = sums.hinge - sums.losses - sums.proximal / 2  # the gap at the stage's minimum
        if -slope <= _STAGE_TOL * sums.proximal and remains > tol * objective:
            # The stage is over: the next one begins where it ended, with a narrower ramp.
            stages = (*stages, (h, v))
            h, step = _RAMP_SHRINKAGE * h, None


def _certify(
    sums: PassSums, v: Array, origin: Array, R: float, n: int
) -> tuple[Array, Certificate]:
    """Return t (w, b), and what the sums prove of it and of the slopes.

    An f(x) is off by at most ε, γ_{d+8} times the sizes of its terms and those of the bias: sums of
    d terms, x minus the origin, t v, and the bias where the points came from. With t = 1 + 2ε no
    margin of t (w, b) is below 1 − t + t y s, and no loss above t max(0, 1 − y s). With t = 1 each
    sample at the margin could add Cε. Nor is a KKT violation above t times the computed one and 4ε.
    That needs ε ≤ ½; otherwise nothing is known. A sum over the n samples is off by γ_n of the
    sizes of its terms, and so w by 3 γ_n R Σα, of which two γ_n are for the factors that scale the
    classes. Instead of 3 γ_n it counts 4 γ_{n+d+8}, which covers the rounding of these sums and
    bounds, and the rounding of ‖w‖². The rounding of t itself, u, is covered where the sizes are ½
    or more. Where they are less, every loss is about ½ or more, and 2 γ_{n+d+8} of it cover ε.
    """
    w, d = v[:-1], v.size
    norm = float(row_norm_bounds(w[None])[0])
    sizes = norm * R + abs(float(v[-1])) + float(np.abs(w) @ np.abs(origin))
    error = gamma_n(d + 8) * sizes
    relative = gamma_n(n + d + 8)
    t = 1 + 2 * min(error, 0.5)
    primal = float(((t * norm) ** 2 / 2 + t * sums.hinge) * (1 + 2 * relative))

    # The dual value needs feasible multipliers.
    totals = np.array([sums.plus[-1], -sums.minus[-1]])
    feasible = balancing_factors(totals) @ np.stack([sums.plus[:-1], sums.minus[:-1]])
    moved = 4 * relative * R * float(totals.sum())
    dual, infeasibility = balanced_dual(totals, relative, float(feasible @ feasible), moved)
    violation = float(round_up(t * sums.violation + 4 * error))
    if not error <= 0.5:
        primal = violation = np.inf
    return t * v, Certificate(primal, dual, violation, infeasibility, norm_w=t * norm)


# With a kernel: features in place of the rows


@dataclass(frozen=True, eq=False)
class KernelSolution(ReadOnly):
    r"""What `solve_kernel` returns: the classifier f(x) = Σ_p c_p k(x_p, x) + b.

    Attributes
    ----------
    kernel : callable
        The kernel.
    pivots : ndarray of shape (r, d)
        The pivots x_p.
    coefficients : ndarray of shape (r,)
        Their c_p.
    b : float
        The bias.
    certificate : Certificate
        That of the *kernel's* problem, for this classifier and the slopes of its losses.
    n_iter : int
        Passes of Newton's method.
    converged : bool
        Whether the relative gap has reached the tolerance.
    trace : tuple of Pass
        One record per pass, with the certificates of the linear machine on the features.
    """

    kernel: Kernel
    pivots: Array
    coefficients: Array
    b: float
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[Pass, ...] = field(repr=False)

    def decision_function(self, X: Any) -> Array:
        """Return f(x) for every row of X, of shape (m,)."""
        X = check_points(X, n_features=self.pivots.shape[1])
        return kernel_expansion(self.kernel, self.pivots, self.coefficients, X) + self.b


def solve_kernel(
    X: Any,
    y: Any,
    kernel: Kernel,
    C: float = 1.0,
    *,
    tol: float = 1e-3,
    max_iter: int = 200,
    max_pivots: int = 500,
) -> KernelSolution:
    r"""Train a kernel machine in the span of a few pivots, on the rows of a Dask array.

    Pivots are chosen among up to 3000 rows, taken at random from all chunks, and sent to the
    workers. In each pass a chunk makes its features from them, sums them up as `solve_linear` does,
    and forgets them. A last pass judges the classifier and the multipliers for the kernel itself,
    as `svmlib.nystrom.certify_in_span` does.

    Parameters
    ----------
    X, y : dask.array.Array, and that or array_like
        As for `solve_linear`.
    kernel : callable
        A kernel of `svmlib.kernels` that is positive semidefinite whatever the points.
    C, tol, max_iter
        As for `solve_linear`; the gap is that of the kernel's problem.
    max_pivots : int, default 500
        The most pivots.

    Returns
    -------
    KernelSolution
        With a `sklearn.exceptions.ConvergenceWarning` that names the gap, if it is above `tol`.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Notes
    -----
    *Early warning.* Before the passes a small sample is trained in the span. The gap that it proves
    is logged, as a warning if it is above `tol`. As shares of the primal value, what the span
    misses and what rounding may add grow like C n. So if C n is large the gap may stay above `tol`
    after any number of passes; then choose a smaller C or a larger `tol`.

    *Traffic.* Per pass and chunk (r + 1)² numbers and a few more travel to the client, and in the
    last pass 4r. Each worker receives the pivots and their factor, r (r + d) numbers. A chunk of m
    rows takes memory for about 3 m r numbers while it is worked on.

    Examples
    --------
    >>> import dask.array as da
    >>> from svmlib.kernels import RBF
    >>> x = np.linspace(-3, 3, 2000)[:, None]
    >>> X = da.from_array(x, chunks=(500, 1))
    >>> y = np.where(np.sin(2 * x[:, 0]) > 0, 1, -1)
    >>> solution = solve_kernel(X, y, RBF(1.0))
    >>> solution.converged, len(solution.pivots) < 30
    (True, True)
    """
    chunks = _chunks(X, y)
    C = check_scalar(C, "C", positive=True)
    tol, max_iter = check_stopping_rule(tol, max_iter)
    max_pivots = check_count(max_pivots, "max_pivots")
    kernel = check_semidefinite(kernel)
    n, d = X.shape
    drawn = _sample(chunks)
    sample = check_points(drawn[:, :-1], n_features=d)
    span = PivotSpan.of_sample(kernel, sample, tol / C / n).leading(0.0, max_pivots)
    _log_forecast(span, sample, drawn[:, -1], C, tol, n)
    shared_span = dask.delayed(span, traverse=False)  # so that it is sent once
    features = [((shared_span, rows), labels) for rows, labels in chunks]
    # Newton's method gets half of `tol`, because the span adds its share.
    v, _, trace, state = _minimise(features, span.rank, C, tol / 2, max_iter)
    c = span.coefficients(v[None, :-1].copy())[0]
    b = float(v[-1])
    certificate = nystrom.certify_in_span(_sum(features, chunk_span_sums, c, b, state), span, c, n)
    converged = certificate.is_optimal_or_stationary(tol)
    solution = KernelSolution(kernel, span.pivots, c, b, certificate, len(trace), converged, trace)
    remedy = f"allow more passes or more than {span.rank} pivots, or make C or gamma smaller"
    warn_unless_converged(solution, "solve_kernel", tol, remedy)
    return solution


def _log_forecast(span: PivotSpan, X: Array, y: Array, C: float, tol: float, n: int) -> None:
    """Log the gap that is to be expected, from a sample of n rows, if it has both classes."""
    if np.ptp(y):
        expected = nystrom.forecast_relative_gap(DualProblem(X, y, C, span.kernel), tol, span, n)
        level = logging.INFO if expected <= tol else logging.WARNING
        _LOG.log(level, "%d pivots; expected relative duality gap: %.0e", span.rank, expected)


def _sample(chunks: _Chunks) -> Any:
    """Return a random sample of all chunks, with the labels as a last column."""
    count = -(-nystrom.MAX_SAMPLE // len(chunks))
    take = dask.delayed(_sample_rows)
    drawn = [take(k, count, *chunk) for k, chunk in enumerate(chunks)]
    return _compute(dask.delayed(np.concatenate)(drawn), drawn)


def _sample_rows(number: int, count: int, X: Any, y: Any) -> Array:
    """Return some rows of a chunk with their labels, the same each time."""
    rows = random_rows(len(X), count, seed=number)
    return np.column_stack([X[rows], y[rows]]).astype(float)


# The chunks, and sums over them


def _chunks(X: Any, y: Any) -> _Chunks:
    """Return the chunks of X and y that have rows, or say what is wrong with X and y."""
    if not isinstance(X, dask.array.Array) or X.ndim != 2:
        accepted = "of shape (n, d), as dask.array.from_array(X, chunks=(100_000, d)) is"
        raise ValueError(f"X must be a Dask array {accepted}, got {X!r:.80}")
    y = dask.array.asarray(y)
    if y.shape != X.shape[:1] or not y.size:
        advice = "the sizes of all chunks must be known (call compute_chunk_sizes())"
        raise ValueError(f"y must have one label for each row of X, and {advice}, got {y.shape}")
    # Optimised one by one, X and y from a common source would each read it in every pass.
    # Without the cast, the chunks would have the type of their default, which is text.
    rows = cast("Any", X).rechunk({1: -1}).to_delayed(optimize_graph=False).ravel()  # whole rows
    labels = y.rechunk((X.chunks[0],)).to_delayed(optimize_graph=False)
    return [(x, label) for x, label, size in zip(rows, labels, X.chunks[0], strict=True) if size]


def _sum(chunks: _Chunks, summarise: Callable[..., Any], *arguments: Any) -> Any:
    """Apply a function to every chunk and merge the sums that it returns, as a tree."""
    apply = dask.delayed(partial(summarise, *arguments))
    add = dask.delayed(merge_sums)
    leaves = parts = [apply(X, y) for X, y in chunks]
    while len(parts) > 1:
        parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    return _compute(parts[0], leaves)


def _compute(total: Any, parts: list[Any]) -> Any:
    """Compute what is made of parts, each in one task with everything that only it needs.

    Rows that are read in a task of their own often travel to the worker that sums them up. The
    same happens if tasks cannot be fused: Dask has `fuse` since 2025.4, but does not promise it.
    """
    graph = total.dask.cull({total.key}).to_dict()
    dependencies, dependents = dask.core.get_deps(graph)
    for part in parts:
        group = [part.key]
        for key in group:  # while it grows
            group += [
                k for k in dependencies[key] if k not in group and dependents[k] <= set(group)
            ]
        if all(hasattr(graph[key], "fuse") for key in group):
            graph[part.key] = graph[part.key].fuse(*map(graph.pop, group), key=part.key)
    return type(total)(total.key, graph).compute()
