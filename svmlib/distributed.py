"""The linear machine on a Dask array: more rows than a memory holds, and still a certificate.

Newton's method for a linear machine never needs a sample by itself. It needs sums over the samples:
the objective, its gradient and its curvature, and the sums that make up the primal and the dual
value. So each chunk of the data is summed up where it is, and only about d² numbers a chunk travel.
With this module you can

- train the soft-margin machine with a free bias on a Dask array: `solve_linear`,
- ask for the multipliers of any rows, which nobody has stored: `LinearSolution.multipliers`.

It needs Dask: ``pip install "svmlib[dask]"``. Derived in chapter 11, *Beyond SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from svmlib._rounding import down, gamma, sum_in_pairs, terms, up, weighted_sum
from svmlib._validation import (
    Array,
    check_count,
    check_points,
    check_reach,
    check_scalar,
    check_vector,
)
from svmlib.geometry import euclidean_norm
from svmlib.hinge import dual_below, primal_above

__all__ = ["LinearSolution", "Pass", "solve_linear"]

_FAN_IN = 8  # sums that are added at a time on their way to the client
_ENOUGH = 20  # samples of each class for each unknown, to make a part of the data a good start
_ROUGHLY = 40  # the most passes for that
_LENGTHS: Array = np.exp2(-np.arange(5.0))  # of a Newton step; one pass tries them all
_SOLVED = 0.01  # of the leash: what a step would gain when a stage ends
_NARROWER, _WIDER = 0.5, 4.0  # what the width of the ramp is multiplied by


class Stage(NamedTuple):
    """A hyperplane at which a stage ended, and the width of its ramp.

    Its origin is the mean of the data.
    """

    h: float
    w: Array
    b: float

    def wider(self, factor: float) -> Stage:
        return self._replace(h=factor * self.h)

    def moved(self, step: Array) -> Stage:
        return Stage(self.h, self.w + step[:-1], self.b + float(step[-1]))


@dataclass(frozen=True)
class Pass:
    """What one pass over the data has found.

    Attributes
    ----------
    rows : int
        How many samples it looked at: at first only those of some chunks.
    h : float
        The width of the ramp.
    free : int
        How many samples are on it.
    primal, dual : float
        Bounds on the optimum for those samples, the best ones so far. (Of a part, with a larger C,
        which makes up for the others.)
    """

    rows: int
    h: float
    free: int
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class LinearSolution:
    r"""What `solve_linear` returns.

    Attributes
    ----------
    w : ndarray of shape (d,)
    b : float
        The hyperplane.
    primal, dual : float
        Proven bounds on the optimum: the value of (w, b), rounded up, and that of `multipliers`,
        rounded down.
    n_iter : int
        Passes, those over some of the chunks included, and not the look at the rows before them
        that counts the classes and finds the mean.
    converged : bool
        Whether the gap has reached the tolerance.
    trace : tuple of Pass
        One record a pass.
    """

    w: Array
    b: float
    primal: float
    dual: float
    n_iter: int
    converged: bool
    trace: tuple[Pass, ...] = field(repr=False)
    _C: float = field(repr=False)
    _mean: Array = field(repr=False)
    _stages: tuple[Stage, ...] = field(repr=False)
    _shares: Array = field(repr=False)

    @property
    def gap(self) -> float:
        """The duality gap, primal − dual."""
        return self.primal - self.dual

    def decision_function(self, X: Any) -> Any:
        """Return f(x) = w·x + b for the rows of X, an array of NumPy or of Dask."""
        if np.ndim(X) != 2 or np.shape(X)[1] != self.w.size:
            raise ValueError(
                f"X must have rows of {self.w.size} features, as fitted, got shape {np.shape(X)}"
            )
        return X @ self.w + self.b

    def multipliers(self, X: Any, y: Any) -> Array:
        """Return α of rows of the training data, of shape (n,).

        They follow from the hyperplanes of the stages and from two factors that make the sums of
        the classes equal.
        """
        X, y = _checked(X, y, self.w.size)
        q = _slopes(_lifted(X, self._mean), y, self._C, self._stages)
        return np.asarray(np.abs(q) * np.where(y > 0, self._shares[0], self._shares[1]))


def solve_linear(
    X: Any,
    y: Any,
    C: float = 1.0,
    *,
    tol: float = 1e-3,
    max_iter: int = 200,
    callback: Callable[[Pass], None] | None = None,
) -> LinearSolution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) over the rows of a Dask array.

    Where there are many chunks it begins with one in eight of them, and recursively so; if those
    are of another kind than the rest, the start is given up. Each pass sums up, over the chunks,
    the rounded losses with centre c and width h,

    .. math::
        \sum_i \max_{\ell_i \le q \le u_i} q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2,
        \qquad s_i = w \cdot x_i + b,

    their gradient :math:`-\sum_i q_i (x_i, 1)` and their curvature :math:`\tfrac1h \sum (x_i, 1)
    (x_i, 1)^{\mathsf T}` over the samples on the ramp, :math:`\ell_i < q_i < u_i`. A Newton step
    follows. The same pass that looks at its end tries shorter ones too; if the shortest of them is
    the best, the ramp was too narrow to see far, and becomes wider. When a step would gain next to
    nothing beside the leash :math:`h \lVert q - c \rVert^2` the stage ends: c ← q, and the ramp
    gets narrower, unless the stage, once solved, leaves a gap within the tolerance already. All
    ends when the bounds are that close. The points are measured from their mean, which a look
    at all rows before the first pass finds: far from the origin the curvature in w and that in b
    could not be told apart.

    Parameters
    ----------
    X : dask.array.Array of shape (n, d)
        The samples, in chunks of whole rows. Chunks stay where they are: persist X if the workers'
        memory holds it, or leave it lazy to have it read again at each pass; then each reading has
        to give the same rows.
    y : dask.array.Array or array_like of shape (n,)
        Labels −1 and +1, both present, in the order of the rows.
    C : float, default 1.0
        The soft-margin constant, finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the primal value.
    max_iter : int, default 200
        The most passes, but for one more each time that a part of the chunks has given the start
        for more of them.
    callback : callable, optional
        Called with a `Pass` after each of them.

    Returns
    -------
    LinearSolution
        With a `sklearn.exceptions.ConvergenceWarning` that names the gap if max_iter was reached.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If an argument is not as above, or if the numbers that arise are beyond floats.

    Notes
    -----
    *Nothing is stored between passes.* The centres c are one number a sample, but they follow from
    the few hyperplanes at which stages ended, so each chunk computes them anew. A worker that dies
    takes nothing with it that another one cannot compute again.

    *Bounds.* The slopes q are in the box, and scaling down the class with the larger sum makes them
    feasible for the dual; their sums bound the optimum from below, as those of the hinge do from
    above. Rounding is added in both directions. With R the largest distance of a sample from the
    mean, it may keep the bounds apart by more than a thousandth where C n R² is beyond about 10²²,
    or the mean further from the origin than about 10¹²/(d‖w‖). No number of passes helps there, but
    smaller units of X do, or taking the mean off yourself.

    *Schedulers.* Dask's threads and its clusters serve alike. Its setting ``scheduler="processes"``
    starts new processes for every pass, which takes seconds each time; with
    ``pool=concurrent.futures.ProcessPoolExecutor()`` beside it, it keeps them.

    If all workers are lost and none comes back, Dask waits for others as long as the setting
    ``distributed.scheduler.no-workers-timeout`` says: for ever, unless you say otherwise. Then it
    raises its ``NoWorkerError``.

    *Where it is good.* With many more rows than columns there are always samples on the ramp, and
    ten to thirty passes reach the default tolerance, most of them over a part of the chunks. It may
    take ten times as many where a hundredth of the rows lie a thousand times as far out as the
    others, or where about as many samples as columns decide (few rows, or a line that separates
    them and C large); for data that fit into the memory `svmlib.newton` is the better tool.

    Derived in chapter 11, *Beyond SMO*.

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
    >>> solution.dual <= 0.5 <= solution.primal
    True
    """
    chunks = _Chunks.of(X, y)
    C = check_scalar(C, "C", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    about = chunks.sum(_describe, chunks.n_features)
    if not about.positive or not about.negative:
        raise ValueError("y must contain both classes -1 and +1")
    check_reach(about.radius(np.zeros_like(about.low)), C * about.rows, "C")
    trace: list[Pass] = []
    search = _Search(chunks, about, about.mean, C, trace, callback)
    search.run(*_start(search, tol, max_iter), tol, max_iter)
    return search.solution(tol)


def _start(search: _Search, tol: float, max_iter: int) -> tuple[tuple[Stage, ...], Stage]:
    """Return stages to begin with: those of a part of the chunks, if there are many.

    A part has fewer samples, so it needs a larger C for the same hyperplane, and a smaller h.
    """
    C, about = search.C, search.about
    blank = (), search.blank
    part = search.chunks.every(_FAN_IN)
    if part is None:
        return blank
    known = part.sum(_describe, part.n_features)
    if min(known.positive, known.negative) < _ENOUGH * (search.chunks.n_features + 1):
        return blank
    more = about.rows / known.rows
    rough = _Search(part, known, search.mean, C * more, search.trace, search.callback)
    stages, at = rough.run(*_start(rough, tol, max_iter), tol, min(max_iter, _ROUGHLY))
    return tuple(stage.wider(more) for stage in stages), at.wider(more)


class _About(NamedTuple):
    """What is true of the data whatever the hyperplane: sums and extremes over the samples."""

    positive: int
    negative: int
    depth: int  # the most roundings on the way of a sample into a sum
    total: Array  # Σ x
    low: Array  # the least x of each column
    high: Array

    @property
    def rows(self) -> int:
        return self.positive + self.negative

    @property
    def mean(self) -> Array:
        return self.total / self.rows

    def radius(self, origin: Array) -> float:
        """Return R with ‖x − origin‖ ≤ R for every sample."""
        furthest = np.maximum(self.high - origin, origin - self.low)
        return up(euclidean_norm(furthest), origin.size + 6)

    @staticmethod
    def add(parts: list[_About]) -> _About:
        positive, negative, depths, totals, lows, highs = zip(*parts, strict=True)
        return _About(
            positive=sum(positive),
            negative=sum(negative),
            depth=max(depths) + len(parts),
            total=sum(totals),
            low=np.min(lows, axis=0),
            high=np.max(highs, axis=0),
        )


def _describe(X: Array, y: Array, n_features: int) -> _About:
    X, y = _checked(X, y, n_features)
    n_plus = int(np.sum(y > 0))
    with np.errstate(over="ignore"):  # told from the extremes, in words
        total = X.sum(axis=0)
    return _About(n_plus, y.size - n_plus, terms(y.size), total, X.min(axis=0), X.max(axis=0))


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


class _Sums(NamedTuple):
    """What a pass adds up."""

    free: int
    losses: Array  # Σ of the rounded losses, where the step ends and where shorter ones would
    hinge: float  # Σ of the hinge losses
    gain: float  # Σ q (y − s)
    leash: float  # Σ (q − c)²
    moments: Array  # Σ q (x, 1) over the positive and over the negative samples
    curvature: Array  # Σ (x, 1)(x, 1)ᵀ over the samples on the ramp

    @staticmethod
    def add(parts: list[_Sums]) -> _Sums:
        return _Sums(*(sum(each) for each in zip(*parts, strict=True)))


def _summarise(
    X: Array,
    y: Array,
    mean: Array,
    C: float,
    stages: tuple[Stage, ...],
    at: Stage,
    step: Array,
) -> _Sums:
    """Sum up the chunk: this is all that ever touches the data."""
    rows, y = _lifted(X, mean), np.asarray(y, dtype=float)
    c = _slopes(rows, y, C, stages)
    s = _scores(rows, at)
    q = _ramp(s, c, at.h, y, C)
    free = rows[(np.abs(q) > 0) & (np.abs(q) < C)]
    back = rows @ step  # s less the scores where the step began
    return _Sums(
        free=len(free),
        losses=np.array([_loss(s - t * back, c, at.h, y, C) for t in 1 - _lengths(step)]),
        hinge=float(sum_in_pairs(np.maximum(0, 1 - y * s))),
        gain=float(q @ (y - s)),
        leash=float((q - c) @ (q - c)),
        moments=np.stack([weighted_sum(rows, q * side) for side in (y > 0, y < 0)]),
        curvature=free.T @ free,
    )


def _lifted(X: Array, mean: Array) -> Array:
    """Return the rows (x − mean, 1)."""
    rows = np.ones((len(X), mean.size + 1))
    np.subtract(X, mean, out=rows[:, :-1], dtype=float)  # long doubles too
    return rows


def _lengths(step: Array) -> Array:
    """Return which parts of the step are looked at; of no step, the one place."""
    return _LENGTHS if step.any() else _LENGTHS[:1]


def _loss(s: Array, c: Array, h: float, y: Array, C: float) -> float:
    """Return Σ max_q q (y − s) − h/2 (q − c)²."""
    q = _ramp(s, c, h, y, C)
    return float(q @ (y - s) - h / 2 * (q - c) @ (q - c))


def _ramp(s: Array, c: Array, h: float, y: Array, C: float) -> Array:
    """Return the slopes q = clip(c + (y − s)/h), in [0, C] for y = +1 and in [−C, 0] for −1."""
    return np.asarray(np.clip(c + (y - s) / h, np.minimum(0, C * y), np.maximum(0, C * y)))


def _slopes(rows: Array, y: Array, C: float, stages: tuple[Stage, ...]) -> Array:
    """Return the slopes after the stages, one after the other, from c = 0."""
    c = np.zeros(len(y))
    for stage in stages:
        c = _ramp(_scores(rows, stage), c, stage.h, y, C)
    return c


def _scores(rows: Array, at: Stage) -> Array:
    """Return w·x + b for the rows (x, 1), each rounded alike whichever others are with it.

    (A matrix product rounds by how many there are, and the centres magnify that.)
    """
    return np.asarray(np.vecdot(rows, np.append(at.w, at.b)))


@dataclass(frozen=True, eq=False)
class _Point:
    """A hyperplane, the step that led to it, and the sums of the pass that looked at both."""

    at: Stage
    step: Array
    sums: _Sums

    @property
    def values(self) -> Array:
        """The rounded objective here, and where shorter steps would have led."""
        w = self.at.w - np.outer(1 - _lengths(self.step), self.step[:-1])
        return np.asarray(np.square(w).sum(axis=1) / 2 + self.sums.losses)

    @property
    def value(self) -> float:
        """The rounded objective."""
        return float(self.values[0])

    @property
    def leash(self) -> float:
        return self.at.h * self.sums.leash

    def promise(self, C: float) -> float:
        """Return the duality gap that will be left when this stage is solved."""
        return C * self.sums.hinge - self.sums.gain

    @property
    def gradient(self) -> Array:
        """The gradient of the rounded objective in (w, b)."""
        return np.asarray(np.append(self.at.w, 0.0) - self.sums.moments.sum(axis=0))

    def newton_step(self) -> Array | None:
        """Return the step in (w, b), or None where the samples on the ramp are too few for one."""
        d = self.at.w.size
        H = self.sums.curvature / self.at.h
        H.flat[: d * (d + 2) : d + 2] += 1  # of ½‖w‖²; the bias is free
        try:
            return np.asarray(-cho_solve(cho_factor(H), self.gradient))
        except LinAlgError:
            return None


class _Search:
    """The passes, and the best bounds that they have found."""

    def __init__(
        self,
        chunks: _Chunks,
        about: _About,
        mean: Array,
        C: float,
        trace: list[Pass],
        callback: Callable[[Pass], None] | None,
    ) -> None:
        self.chunks, self.about, self.C = chunks, about, C
        self.mean, self.radius = mean, about.radius(mean)
        self.trace, self.callback = trace, callback
        self.primal, self.dual = up(C * about.rows), 0.0  # of w = 0, b = 0 and of α = 0
        self.best = self.blank = Stage(2 / C, np.zeros_like(mean), 0.0)
        self.proof: tuple[tuple[Stage, ...], Array] = (), np.zeros(2)

    def run(
        self, stages: tuple[Stage, ...], at: Stage, tol: float, max_iter: int
    ) -> tuple[tuple[Stage, ...], Stage]:
        """Minimise stage after stage until the gap is within the tolerance; return the stages.

        Where steps fail before a first stage ends, those of a part of the chunks were no good start
        (its rows are of another kind, as happens in sorted data), and a blank one takes over.
        """
        start, here = stages, self.look(stages, at)
        while self.gap > tol and len(self.trace) < max_iter:
            step = here.newton_step()
            if step is None:
                stages, at = self._retreat(stages, here.at, start)
                here = self.look(stages, at)
                continue
            slope = -float(here.gradient @ step)
            if slope <= _SOLVED * here.leash and here.promise(self.C) > tol * here.value:
                stages = (*stages, here.at)
                here = self.look(stages, here.at.wider(_NARROWER))
                continue
            there = self.look(stages, here.at.moved(step), step)
            if there.value > here.value - slope / 4 and len(self.trace) < max_iter:
                best = int(there.values.argmin())
                if best == _LENGTHS.size - 1:
                    stages, at = self._retreat(stages, here.at, start)
                    there = self.look(stages, at)
                elif best > 0:
                    there = self.look(stages, here.at.moved(_LENGTHS[best] * step))
            here = there
        return stages, here.at

    def _retreat(
        self, stages: tuple[Stage, ...], at: Stage, start: tuple[Stage, ...]
    ) -> tuple[tuple[Stage, ...], Stage]:
        """Return the blank start in place of a part's, and else the ramp widened."""
        if stages and stages is start:
            return (), self.blank
        return stages, at.wider(_WIDER)

    def look(self, stages: tuple[Stage, ...], at: Stage, step: Array | None = None) -> _Point:
        """Pass over the data, and take note of the bounds."""
        step = np.zeros(at.w.size + 1) if step is None else step
        sums = self.chunks.sum(_summarise, self.mean, self.C, stages, at, step)
        larger, primal = self._primal(at, sums.hinge)
        shares, dual = self._dual(sums.moments)
        if primal < self.primal:
            self.primal, self.best = primal, larger
        if dual > self.dual:
            self.dual, self.proof = dual, ((*stages, at), shares)
        self.trace.append(Pass(self.about.rows, at.h, sums.free, self.primal, self.dual))
        if self.callback is not None:
            self.callback(self.trace[-1])
        return _Point(at, step, sums)

    def _primal(self, at: Stage, hinge: float) -> tuple[Stage, float]:
        """Return (w, b) times some t > 1, and its primal value from above.

        A score is off by ε, at most γ_{d+4} of the sizes that add up in it and in the bias of
        `solution`. With t = 1 + 2ε no margin is below 1 − t + t y s, and no loss above
        t max(0, 1 − y s). (Without t each sample at the margin could lose ε, and C would
        multiply that.)
        """
        reach = float(np.linalg.norm(at.w)) * self.radius + 2 * abs(at.b) + 1
        off = gamma(at.w.size + 8) * (reach + float(np.abs(at.w) @ np.abs(self.mean)))
        if not off < 0.5:
            return at, np.inf
        t = 1 + 2 * off
        larger = at._replace(w=t * at.w, b=t * at.b)
        losses = np.array([up(t * hinge, self.about.depth + 2)])
        return larger, primal_above(larger.w, losses, 1.0, self.C)

    def _dual(self, moments: Array) -> tuple[Array, float]:
        """Scale down the heavier class; return the two factors, and the dual value from below.

        w is off by γ R Σα because it is a sum, and because the two sums of α still differ by γ Σα.
        """
        totals = np.abs(moments[:, -1])
        if not totals.min():
            return np.zeros(2), 0.0
        shares = totals.min() / totals
        w, totals = shares @ moments[:, :-1], shares * totals
        off = gamma(2 * self.about.depth + 6) * totals.sum()
        total = down(2 * float(totals.min()), self.about.depth + 4)
        return shares, dual_below(w, total, up(float(off) * self.radius), 1.0)

    @property
    def gap(self) -> float:
        """The relative gap."""
        return float((self.primal - self.dual) / self.primal)

    def solution(self, tol: float) -> LinearSolution:
        if self.gap > tol:
            warnings.warn(
                f"solve_linear stopped after {len(self.trace)} passes with a duality gap of "
                f"{self.primal - self.dual:.3g}, which is {self.gap:.3g} of the primal value and "
                f"not below tol={tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        stages, shares = self.proof
        return LinearSolution(
            w=self.best.w,
            b=float(self.best.b - self.best.w @ self.mean),
            primal=self.primal,
            dual=self.dual,
            n_iter=len(self.trace),
            converged=self.gap <= tol,
            trace=tuple(self.trace),
            _C=self.C,
            _mean=self.mean,
            _stages=stages,
            _shares=shares,
        )


@dataclass(frozen=True, eq=False)
class _Chunks:
    """The chunks of X and y that have rows, and sums over them."""

    pairs: list[tuple[Any, Any]]
    n_features: int

    @classmethod
    def of(cls, X: Any, y: Any) -> _Chunks:
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
        return cls(filled, X.shape[1])

    def every(self, step: int) -> _Chunks | None:
        """Return one chunk in so many, or nothing if there are too few to choose from."""
        return replace(self, pairs=self.pairs[::step]) if len(self.pairs) >= step else None

    def sum(self, summarise: Callable[..., Any], *arguments: Any) -> Any:
        """Apply a function to every chunk, and add up what it returns, as a tree of fixed shape."""
        dask = _dask()
        apply, add = dask.delayed(_apply), dask.delayed(_add)
        shared = dask.delayed(arguments)
        parts = [apply(summarise, X, y, shared) for X, y in self.pairs]
        while len(parts) > 1:
            parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        return dask.compute(parts[0])[0]


def _dask() -> Any:
    try:
        import dask.array
    except ImportError as error:
        raise ImportError('solve_linear needs Dask: pip install "svmlib[dask]"') from error
    return dask


def _apply(summarise: Callable[..., Any], X: Array, y: Array, arguments: tuple[Any, ...]) -> Any:
    return summarise(X, y, *arguments)


def _add(parts: list[Any]) -> Any:
    return type(parts[0]).add(parts)
