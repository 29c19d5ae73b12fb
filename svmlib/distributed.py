"""The linear machine on a Dask array: more rows than a memory holds, and still a certificate.

Newton's method for a linear machine never needs a sample by itself. It needs sums over the samples:
the objective, its gradient and its curvature, and the sums that make up the primal and the dual
value. So each chunk of the data is summed up where it is, and only about d² numbers a chunk travel.
With this module you can

- train the soft-margin machine with a free bias on a Dask array: `solve_linear`.

It needs Dask: ``pip install "svmlib[dask]"``. Derived in chapter 12, *Many samples*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_points, check_scalar, check_vector
from svmlib.certificate import TINIEST, Certificate, down, dual_below, gamma, radius, up
from svmlib.newton import newton
from svmlib.problem import DualProblem

__all__ = ["LinearSolution", "Pass", "solve_linear"]

_FAN_IN = 8  # sums that are added at a time on their way to the client
_SAMPLES = 20  # of each class for each unknown, to make the first chunk a good start
_SOLVED = 0.01  # of the leash: what a step would gain when a stage ends
_NARROWER, _WIDER = 0.5, 4.0  # what the width of the ramp is multiplied by
_SHORTEST = 0.05  # the share of a step below which the ramp was too narrow to see far

Chunks = list[tuple[Any, Any]]  # rows and their labels, delayed
Stage = tuple[float, Array]  # the width h of the ramp, and (w, b), at which a stage ended


class Pass(NamedTuple):
    """What one pass over the data has found.

    Attributes
    ----------
    h : float
        The width of the ramp.
    free : int
        How many samples are on it.
    certificate : Certificate
        What the pass proves.
    """

    h: float
    free: int
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class LinearSolution:
    r"""What `solve_linear` returns.

    Attributes
    ----------
    w : ndarray of shape (d,)
    b : float
        The hyperplane.
    certificate : Certificate
        How good (w, b) is, beside multipliers that are its slopes and that nobody has stored:
        primal value, dual value and KKT violation, all rounded outwards.
    n_iter : int
        Passes, without the look at the rows before them that counts the classes and finds the mean.
    converged : bool
        Whether the relative gap has reached the tolerance.
    trace : tuple of Pass
        One record a pass.
    """

    w: Array
    b: float
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[Pass, ...] = field(repr=False)

    def decision_function(self, X: Any) -> Any:
        """Return f(x) = w·x + b for the rows of X, an array of NumPy or of Dask."""
        if np.ndim(X) != 2 or np.shape(X)[1] != self.w.size:
            raise ValueError(
                f"X must have rows of {self.w.size} features, as fitted, got shape {np.shape(X)}"
            )
        return X @ self.w + self.b


def solve_linear(
    X: Any, y: Any, C: float = 1.0, *, tol: float = 1e-3, max_iter: int = 200
) -> LinearSolution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) over the rows of a Dask array.

    It begins with the machine for the first chunk, by `svmlib.newton`. Then each pass sums up, over
    the chunks, the rounded losses with centre c and width h,

    .. math::
        \sum_i \max_{\ell_i \le q \le u_i} q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2,
        \qquad s_i = w \cdot x_i + b,

    their gradient :math:`-\sum_i q_i (x_i, 1)` and their curvature :math:`\tfrac1h \sum (x_i, 1)
    (x_i, 1)^{\mathsf T}` over the samples on the ramp, :math:`\ell_i < q_i < u_i`. A Newton step
    follows, and a shorter one where it does not gain what it should. If only a very short step
    gains, the ramp was too narrow to see far, and becomes wider. When a step would gain next to
    nothing beside the leash :math:`h \lVert q - c \rVert^2` the stage ends: c ← q, and the ramp
    gets narrower, unless the stage, once solved, leaves a gap within the tolerance already. All
    ends when the bounds are that close.

    Parameters
    ----------
    X : dask.array.Array of shape (n, d)
        The samples, in chunks of whole rows. Chunks stay where they are (but the first, which the
        client looks at): persist X if the workers' memory holds it, or leave it lazy to have it
        read again at each pass; then each reading has to give the same rows.
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
        That of the pass with the smallest gap, with a `sklearn.exceptions.ConvergenceWarning` that
        names it if max_iter was reached.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If an argument is not as above.

    Notes
    -----
    *Nothing is stored between passes.* The centres c are one number a sample, but they follow from
    the few hyperplanes at which stages ended, so each chunk computes them anew. A worker that dies
    takes nothing with it that another one cannot compute again.

    *Bounds.* The slopes q are in the box, and scaling down the class with the larger sum makes them
    feasible for the dual; their sums bound the optimum from below, as those of the hinge do from
    above. Rounding is added in both directions: a sum over n samples may be off by γ_n of its
    terms. With R the largest distance of a sample from the mean, this may keep the bounds apart by
    more than a thousandth where C n R² is beyond about 10¹⁹, or the mean further from the origin
    than about 10¹²/(d‖w‖). No number of passes helps there, but smaller
    units of X do.

    *Schedulers.* Dask's threads and its clusters serve alike. Its setting ``scheduler="processes"``
    starts new processes for every pass, which takes seconds each time; with
    ``pool=concurrent.futures.ProcessPoolExecutor()`` beside it, it keeps them.

    If all workers are lost and none comes back, Dask waits for others as long as the setting
    ``distributed.scheduler.no-workers-timeout`` says: for ever, unless you say otherwise. Then it
    raises its ``NoWorkerError``.

    *Where it is good.* With many more rows than columns there are always samples on the ramp, and
    five to twenty passes reach the default tolerance. It may take ten times as many where a
    hundredth of the rows lie a thousand times as far out as the others, or where about as many
    samples as columns decide (few rows, or a line that separates them and C large).

    Derived in chapter 12, *Many samples*.

    References
    ----------
    R. T. Rockafellar (1976), "Augmented Lagrangians and applications of the proximal point
    algorithm in convex programming".

    O. L. Mangasarian (2002), "A finite Newton method for classification".

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
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    X_first, y_first = _dask().compute(*chunks[0])
    first = _checked(X_first, y_first, X.shape[1])
    R, n_plus, n_minus, *total = _sum(chunks, _describe, first[0][0])
    if not n_plus or not n_minus:
        raise ValueError("y must contain both classes -1 and +1")
    n = int(n_plus + n_minus)
    if not (C * n + 1) * (R + 1) < 1e150:
        raise ValueError("X and C must be such that floats hold the square of C Σ‖x‖: rescale X")
    # Far from their mean w and b could not be told apart. No x is further from it than R.
    shift = np.array(total) / n
    origin, R = first[0][0] + shift, up(R + float(np.linalg.norm(shift)), shift.size + 8)
    largest = max(int(rows) for rows in X.chunks[0])
    method = _Method(chunks, origin, C, R, largest + len(chunks))
    method.solve(*_start(*first, origin, C, n), C * n, tol, max_iter)
    return method.solution(tol)


def _start(X: Array, y: Array, origin: Array, C: float, n: int) -> tuple[float, Array]:
    """Return a width and (w, b) to begin with: those of the first chunk, if it has enough samples.

    It has fewer than all, so it needs a larger C for the same hyperplane.
    """
    width, v = 2 / C, np.zeros(origin.size + 1)
    if min(np.sum(y > 0), np.sum(y < 0)) < _SAMPLES * v.size:
        return width, v
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few_rows = y.size / 2**15  # of K, in MB: a linear kernel needs none
        problem = DualProblem(X - origin, y, C * n / y.size, cache_mb=few_rows)
        found = newton(problem, tol=1e-2)
    return 0.15 * width, np.append((found.alpha * y) @ (X - origin), found.b)


class _Point(NamedTuple):
    """A hyperplane v = (w, b), the width of the ramp, and what a pass has added up there."""

    h: float
    v: Array
    violation: float  # the largest violation of the KKT conditions
    free: float  # samples on the ramp
    hinge: float  # Σ of the hinge losses
    gain: float  # Σ q (y − s)
    leash: float  # Σ (q − c)², times h
    moments: Array  # Σ q (x, 1) over the positive and over the negative samples
    curvature: Array  # Σ (x, 1)(x, 1)ᵀ over the samples on the ramp

    @property
    def value(self) -> float:
        """The rounded objective."""
        return float(self.v[:-1] @ self.v[:-1] + 2 * self.gain - self.leash) / 2

    @property
    def gradient(self) -> Array:
        """The gradient of the rounded objective in (w, b)."""
        return np.asarray(np.append(self.v[:-1], 0.0) - self.moments.sum(axis=0))

    def newton_step(self) -> Array | None:
        """Return the step in (w, b), or None where too few samples are on the ramp to tell b."""
        H = self.curvature / self.h
        H[np.diag_indices(self.v.size - 1)] += 1  # of ½‖w‖²; the bias is free
        try:
            return np.asarray(-cho_solve(cho_factor(H), self.gradient))
        except LinAlgError:
            return None


class _Method:
    """Newton's method over the chunks, and the best that its passes have proved."""

    def __init__(self, chunks: Chunks, origin: Array, C: float, R: float, terms: int) -> None:
        self.chunks, self.origin, self.C, self.R = chunks, origin, C, R
        self.terms = terms  # the most roundings on the way of a sample into a sum
        self.trace: list[Pass] = []
        self.gap = np.inf

    def solve(self, h: float, v: Array, blank: float, tol: float, max_iter: int) -> None:
        """Minimise stage after stage until the gap is within the tolerance.

        The start is given up if (w, b) = 0 has a smaller value, `blank`.
        """
        stages: tuple[Stage, ...] = ()
        here = self.look(stages, h, v)
        if self.C * here.hinge > blank and max_iter > 1:
            here = self.look(stages, 2 / self.C, np.zeros_like(v))
        while self.gap > tol and len(self.trace) < max_iter:
            step = here.newton_step()
            promise = self.C * here.hinge - here.gain  # the gap when this stage is solved
            if step is None:
                here = self.look(stages, _WIDER * here.h, here.v)
            elif -here.gradient @ step > _SOLVED * here.leash or promise <= tol * here.value:
                here = self.search(stages, here, step, max_iter)
            else:
                stages = (*stages, (here.h, here.v))
                here = self.look(stages, _NARROWER * here.h, here.v)

    def search(self, stages: tuple[Stage, ...], here: _Point, step: Array, max_iter: int) -> _Point:
        """Return where the step leads, shortened until it gains a quarter of what it promises."""
        slope, length = -float(here.gradient @ step), 1.0
        while length > _SHORTEST:
            there = self.look(stages, here.h, here.v + length * step)
            if there.value <= here.value - length * slope / 4 or len(self.trace) >= max_iter:
                return there
            # The slope rises along the step. Where a line through both ends is zero, try again.
            rise = slope + max(float(there.gradient @ step), 0.0)
            length *= min(max(slope / rise, 0.1), 0.9)
        return self.look(stages, _WIDER * here.h, here.v)

    def look(self, stages: tuple[Stage, ...], h: float, v: Array) -> _Point:
        """Pass over the data, and take note of what it proves."""
        sums, d = _sum(self.chunks, _summarise, self.origin, self.C, stages, h, v), v.size
        moments, curvature = sums[5 : 5 + 2 * d].reshape(2, d), sums[5 + 2 * d :].reshape(d, d)
        violation, free, hinge, gain, drift = sums[:5].tolist()
        here = _Point(h, v, violation, free, hinge, gain, h * drift, moments, curvature)
        t, proof = self.certify(here)
        self.trace.append(Pass(h, int(here.free), proof))
        if len(self.trace) == 1 or proof.relative_gap < self.gap:
            self.gap, self.best, self.proof = proof.relative_gap, t * v, proof
        return here

    def certify(self, here: _Point) -> tuple[float, Certificate]:
        """Return t, and what the sums prove of t (w, b) and of the slopes.

        A score is off by at most ε, γ_{d+8} of the sizes that add up in it and in the bias of
        `solution`. With t = 1 + 2ε no margin is below 1 − t + t y s, and no loss above
        t max(0, 1 − y s). (Without t each sample at the margin could lose ε, and C would multiply
        that.) A sum over the samples is off by γ of their sizes, and so is w, by γ R Σα.
        """
        w, b, d = here.v[:-1], abs(float(here.v[-1])), here.v.size
        norm, gamma_n = float(np.linalg.norm(w)), gamma(self.terms + d + 8)
        reach = norm * self.R + 2 * b + 1 + float(np.abs(w) @ np.abs(self.origin))
        off = min(gamma(d + 8) * reach, 0.5)
        t = 1 + 2 * off
        hinge = self.C * t * here.hinge * (1 + 2 * gamma_n)
        primal = float(up((t * norm) ** 2 / 2 + hinge, d + 12) + d * TINIEST)

        # Scale down the heavier class.
        totals = np.abs(here.moments[:, -1])
        feasible = (totals.min() / np.maximum(totals, TINIEST)) @ here.moments[:, :-1]
        moved = up(4 * gamma_n * self.R * float(totals.sum()))
        total = down(2 * float(totals.min()) * (1 - 2 * gamma_n))
        dual = dual_below(total, up(float(feasible @ feasible), d + 4), moved)
        return t, Certificate(
            primal=primal if off < 0.5 else np.inf,
            dual=max(0.0, dual),  # that of α = 0
            kkt_violation=float(up(here.violation + 4 * off)),
            infeasibility=up(abs(float(totals[0] - totals[1])) + gamma_n * float(totals.sum())),
            norm_w=float(up(t * norm, d + 8)),
        )

    def solution(self, tol: float) -> LinearSolution:
        w, converged = self.best[:-1], bool(self.gap <= tol)
        if not converged:
            warnings.warn(
                f"solve_linear stopped after {len(self.trace)} passes with a duality gap of "
                f"{self.proof.gap:.3g}, which is {self.gap:.3g} of the primal value and not "
                f"below tol={tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        b = float(self.best[-1] - w @ self.origin)
        return LinearSolution(w, b, self.proof, len(self.trace), converged, tuple(self.trace))


# What is done to a chunk, where it is


def _describe(X: Array, y: Array, origin: Array) -> Array:
    """Return a bound on ‖x − origin‖, how many samples each class has, and Σ (x − origin)."""
    X, y = _checked(X, y, origin.size)
    with np.errstate(over="ignore", invalid="ignore"):  # told from the bound, in words
        numbers = [radius(X - origin), float(np.sum(y > 0)), float(np.sum(y < 0))]
        return np.append(numbers, (X - origin).sum(axis=0))


def _summarise(
    X: Array, y: Array, origin: Array, C: float, stages: tuple[Stage, ...], h: float, v: Array
) -> Array:
    """Return the sums of `_Point`: this is all that a pass does to the data."""
    y, rows = np.asarray(y, dtype=float), np.ones((len(X), v.size))
    np.subtract(X, origin, out=rows[:, :-1], dtype=float)  # (x, 1), long doubles too
    c = np.zeros(y.size)
    for width, at in stages:
        c = _ramp(rows @ at, c, width, y, C)
    s = rows @ v
    q, losses = _ramp(s, c, h, y, C), 1 - y * s
    violation = np.where(np.abs(q) < C, losses, 0).max(), np.where(q != 0, -losses, 0).max()
    free = rows[(q != 0) & (np.abs(q) < C)]
    numbers = [max(violation), len(free), np.maximum(0, losses).sum(), q @ (y - s)]
    moments = [(q * side) @ rows for side in (y > 0, y < 0)]
    return np.concatenate([numbers, [(q - c) @ (q - c)], *moments, (free.T @ free).ravel()])


def _ramp(s: Array, c: Array, h: float, y: Array, C: float) -> Array:
    """Return the slopes q = clip(c + (y − s)/h), in [0, C] for y = +1 and in [−C, 0] for −1."""
    return np.asarray(np.clip(c + (y - s) / h, np.minimum(0, C * y), np.maximum(0, C * y)))


def _numbers(given: Any, name: str) -> Any:
    """Return an array of NumPy, or say what else was given; later a mask would get lost."""
    try:
        array = np.asanyarray(given)
    except ValueError as error:  # lists of several lengths
        raise ValueError(f"{name} must hold real numbers, got {given!r:.80}") from error
    if np.ma.is_masked(array) or array.dtype.kind not in "biuf":
        dtype = getattr(given, "dtype", array.dtype)
        found = "masked ones" if np.ma.is_masked(array) else f"{type(given).__name__} of {dtype}"
        raise ValueError(f"{name} must hold real numbers, dense and not masked, got {found}")
    return array


def _checked(X: Any, y: Any, n_features: int) -> tuple[Array, Array]:
    """Return rows and their labels as floats, or say what is wrong with them."""
    X, y = _numbers(X, "X"), _numbers(y, "y")
    X = check_points(X, n_features=n_features)
    y = check_vector(y, "y", length=len(X))
    if not (np.abs(y) == 1).all():
        raise ValueError("y must contain only -1 and +1")
    return X, y


# The chunks, and sums over them


def _chunks(X: Any, y: Any) -> Chunks:
    """Return the chunks of X and y that have rows, or say what is wrong with X and y."""
    dask = _dask()
    array = dask.array
    if not isinstance(X, array.Array) or X.ndim != 2:
        raise ValueError(f"X must be a Dask array of shape (n, d), got {X!r:.80}")
    if X.numblocks[1] != 1:
        raise ValueError(
            f"X must be in chunks of whole rows, got {X.numblocks[1]} chunks across; "
            "write X.rechunk({1: -1})"
        )
    y = array.asarray(y if dask.is_dask_collection(y) else _numbers(y, "y"))
    for name, Z in (("X", X), ("y", y)):
        if np.isnan(Z.shape).any():
            raise ValueError(
                f"{name} must have chunks of known sizes; "
                f"{name}.compute_chunk_sizes() finds them out"
            )
    if y.shape != X.shape[:1]:
        raise ValueError(f"y must have one label for each row of X, got shape {y.shape}")
    y = y.rechunk((X.chunks[0],))
    # Each would be optimised alone, and a source that both come from be read twice a pass.
    X_parts, y_parts = (Z.to_delayed(optimize_graph=False) for Z in (X, y))
    pairs = zip(X_parts.ravel(), y_parts, X.chunks[0], strict=True)
    filled = [(X_chunk, y_chunk) for X_chunk, y_chunk, size in pairs if size]
    if not filled:
        raise ValueError("X must have at least one row")
    return filled


def _sum(chunks: Chunks, summarise: Callable[..., Array], *arguments: Any) -> Array:
    """Apply a function to every chunk and add up what it returns, as a tree; keep the first max."""
    dask = _dask()
    apply, add = dask.delayed(_apply), dask.delayed(_add)
    shared = dask.delayed(arguments)
    parts = [apply(summarise, X, y, shared) for X, y in chunks]
    while len(parts) > 1:
        parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    return np.asarray(dask.compute(parts[0])[0])


def _apply(summarise: Callable[..., Array], X: Any, y: Any, arguments: tuple[Any, ...]) -> Array:
    return summarise(X, y, *arguments)


def _add(parts: list[Array]) -> Array:
    return np.append(max(part[0] for part in parts), sum(part[1:] for part in parts))


def _dask() -> Any:
    try:
        import dask.array
    except ImportError as error:
        raise ImportError('solve_linear needs Dask: pip install "svmlib[dask]"') from error
    return dask
