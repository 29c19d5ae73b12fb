"""The linear machine on a Dask array: more rows than a memory holds, and still a certificate.

Newton's method for a linear machine never needs a sample by itself. It needs sums over the samples:
the objective, its gradient and its curvature, and the sums that make up the primal and the dual
value. So each chunk of the data is summed up where it is, and only d² numbers a chunk travel. With
this module you can

- train the soft-margin machine with a free bias on a Dask array: `solve_linear`,
- ask for the multipliers of any rows, which nobody has stored: `LinearSolution.multipliers`.

It needs Dask: ``pip install "svmlib[dask]"``. Derived in chapter 9, *Beyond SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from svmlib._rounding import down, gamma, radius, up
from svmlib._validation import Array, as_float, check_count, check_points, check_scalar
from svmlib.hinge import dual_below, primal_above

__all__ = ["LinearSolution", "Pass", "solve_linear"]

_FAN_IN = 8  # sums that are added at a time on their way to the client
_ENOUGH = 20  # samples of each class for each unknown, to make a part of the data a good start
_ROUGHLY = 40  # the most passes for that
_PATIENCE = 8  # passes after which a stage that is not solved gets a wider ramp
_NARROWER, _WIDER = 0.5, 4.0  # what the width of the ramp is multiplied by


class Stage(NamedTuple):
    """A hyperplane at which a stage ended, and the width of its ramp."""

    h: float
    w: Array
    b: float

    def wider(self, factor: float) -> Stage:
        return self._replace(h=factor * self.h)


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
        Passes, those over some of the chunks included.
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
    trace: tuple[Pass, ...]
    _C: float
    _stages: tuple[Stage, ...]
    _shares: Array

    @property
    def gap(self) -> float:
        """The duality gap, primal − dual."""
        return self.primal - self.dual

    def decision_function(self, X: Any) -> Any:
        """Return f(x) = w·x + b for the rows of X, an array of NumPy or of Dask."""
        return X @ self.w + self.b

    def multipliers(self, X: Any, y: Any) -> Array:
        """Return α of rows of the training data, of shape (n,), computed from the hyperplanes."""
        X, y = _checked(X, y, n_features=self.w.size)
        q = _slopes(X, y, self._C, self._stages)
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

    Where there are many chunks it begins with one in eight of them, and recursively so. Each pass
    sums up, over the chunks, the rounded losses with centre c and width h,

    .. math::
        \sum_i \max_{\ell_i \le q \le u_i} q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2,
        \qquad s_i = w \cdot x_i + b,

    their gradient :math:`-\sum_i q_i (x_i, 1)` and their curvature :math:`\tfrac1h \sum (x_i, 1)
    (x_i, 1)^{\mathsf T}` over the samples on the ramp, :math:`\ell_i < q_i < u_i`. A Newton step
    follows. When it would gain less than the leash :math:`h \lVert q - c \rVert^2` the stage ends:
    c ← q, and the ramp gets narrower, until a solved stage would leave a gap within the tolerance.

    Parameters
    ----------
    X : dask.array.Array of shape (n, d)
        The samples, in chunks of whole rows. Chunks stay where they are: persist X if the workers'
        memory holds it, or leave it lazy to have it read again at each pass.
    y : dask.array.Array or array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float, default 1.0
        The soft-margin constant, finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the primal value.
    max_iter : int, default 200
        The most passes, but for one more where a part of the chunks gives the start for all.
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
        If an argument is not as above.

    Notes
    -----
    *Nothing is stored between passes.* The centres c are one number a sample, but they follow from
    the few hyperplanes at which stages ended, so each chunk computes them anew. A worker that dies
    takes nothing with it that another one cannot compute again.

    *Bounds.* The slopes q are in the box, and scaling down the class with the larger sum makes them
    feasible for the dual; their sums bound the optimum from below, as those of the hinge do from
    above. Rounding is added in both directions, for sums in any order.

    If all workers are lost, Dask waits for others as long as the setting ``no-workers-timeout`` of
    its scheduler says: for ever, unless you say otherwise.

    *Where it is good.* With many more rows than columns there are always samples on the ramp, and a
    few passes reach the default tolerance. With few rows, or classes far apart and C
    large, Newton's method has little to go by, the ramp is widened again and again, and
    `svmlib.newton` is the better tool.

    Derived in chapter 9, *Beyond SMO*.

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
    chunks = _Chunks(X, y)
    C = check_scalar(C, "C", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    about = chunks.sum(_describe)
    if not about.positive or not about.negative:
        raise ValueError("y must contain both classes -1 and +1")
    trace: list[Pass] = []
    search = _Search(chunks, about, C, trace, callback)
    search.run(*_start(search, tol, max_iter), tol, max_iter)
    return search.solution(tol)


def _start(search: _Search, tol: float, max_iter: int) -> tuple[tuple[Stage, ...], Stage]:
    """Return stages to begin with: those of a part of the chunks, if there are many.

    A part has fewer samples, so it needs a larger C for the same hyperplane, and a smaller h.
    """
    C, about = search.C, search.about
    blank = (), Stage(2 / C, np.zeros(search.chunks.n_features), 0.0)
    part = search.chunks.every(_FAN_IN)
    if part is None:
        return blank
    known = part.sum(_describe)
    if min(known.positive, known.negative) < _ENOUGH * (search.chunks.n_features + 1):
        return blank
    more = about.rows / known.rows
    rough = _Search(part, known, C * more, search.trace, search.callback)
    stages, at = rough.run(*_start(rough, tol, max_iter), tol, min(max_iter, _ROUGHLY))
    return tuple(stage.wider(more) for stage in stages), at.wider(more)


class _About(NamedTuple):
    """What is true of the data whatever the hyperplane: sums and maxima over the samples."""

    positive: int
    negative: int
    terms: int  # the most roundings on the way of a sample into a sum
    radius: float  # ‖x‖ of the largest

    @property
    def rows(self) -> int:
        return self.positive + self.negative

    @staticmethod
    def add(parts: list[_About]) -> _About:
        positive, negative, terms, sizes = zip(*parts, strict=True)
        return _About(sum(positive), sum(negative), max(terms) + len(parts), max(sizes))


def _describe(X: Array, y: Array) -> _About:
    X, y = _checked(X, y)
    n_plus = int(np.sum(y > 0))
    return _About(n_plus, y.size - n_plus, y.size, radius(X))


class _Sums(NamedTuple):
    """What a pass adds up."""

    free: int
    loss: float  # Σ of the rounded losses
    hinge: float  # Σ of the hinge losses, rounding included
    gain: float  # Σ q (y − s)
    leash: float  # Σ (q − c)²
    moments: Array  # Σ q (x, 1) over the positive and over the negative samples
    curvature: Array  # Σ (x, 1)(x, 1)ᵀ over the samples on the ramp

    @staticmethod
    def add(parts: list[_Sums]) -> _Sums:
        return _Sums(*(sum(each) for each in zip(*parts, strict=True)))


def _summarise(
    X: Array, y: Array, C: float, stages: tuple[Stage, ...], at: Stage, slack: float
) -> _Sums:
    """Sum up the chunk: this is all that ever touches the data."""
    X, y = _checked(X, y)
    c = _slopes(X, y, C, stages)
    s = _scores(X, at)
    q = _ramp(s, c, at.h, y, C)
    free = (np.abs(q) > 0) & (np.abs(q) < C)
    sides = q * np.array([y > 0, y < 0])
    return _Sums(
        free=int(free.sum()),
        loss=float(q @ (y - s) - at.h / 2 * (q - c) @ (q - c)),
        hinge=float(np.maximum(0, 1 - y * s + slack).sum()),
        gain=float(q @ (y - s)),
        leash=float((q - c) @ (q - c)),
        moments=np.column_stack((sides @ X, sides.sum(axis=1))),
        curvature=_outer(X[free]),
    )


def _ramp(s: Array, c: Array, h: float, y: Array, C: float) -> Array:
    """Return the slopes q = clip(c + (y − s)/h), in [0, C] for y = +1 and in [−C, 0] for −1."""
    return np.asarray(np.clip(c + (y - s) / h, np.minimum(0, C * y), np.maximum(0, C * y)))


def _slopes(X: Array, y: Array, C: float, stages: tuple[Stage, ...]) -> Array:
    """Return the slopes after the stages, one after the other, from c = 0."""
    c = np.zeros(len(y))
    for stage in stages:
        c = _ramp(_scores(X, stage), c, stage.h, y, C)
    return c


def _scores(X: Array, at: Stage) -> Array:
    """Return w·x + b for the rows, each rounded alike whichever other rows are with it.

    (A matrix product rounds by how many there are, and the centres magnify that.)
    """
    return np.asarray((X * at.w).sum(axis=1) + at.b)


def _outer(X: Array) -> Array:
    """Return Σ (x, 1)(x, 1)ᵀ."""
    sums = X.sum(axis=0)
    return np.block([[X.T @ X, sums[:, None]], [sums[None, :], np.array([[len(X)]])]])


def _checked(X: Any, y: Any, n_features: int | None = None) -> tuple[Array, Array]:
    X, y = check_points(X, n_features=n_features), as_float(y, "y")
    if y.shape != X.shape[:1]:
        raise ValueError(f"y must have one label for each row of X, got shape {y.shape}")
    if not (np.abs(y) == 1).all():
        raise ValueError("y must contain only -1 and +1")
    return X, y


@dataclass(frozen=True, eq=False)
class _Point:
    """A hyperplane with the sums of the pass that looked at it."""

    at: Stage
    sums: _Sums

    @property
    def value(self) -> float:
        """The rounded objective."""
        return float(self.at.w @ self.at.w / 2 + self.sums.loss)

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

    def moved(self, step: Array) -> Stage:
        h, w, b = self.at
        return Stage(h, w + step[:-1], b + float(step[-1]))


class _Search:
    """The passes, and the best bounds that they have found."""

    def __init__(
        self,
        chunks: _Chunks,
        about: _About,
        C: float,
        trace: list[Pass],
        callback: Callable[[Pass], None] | None,
    ) -> None:
        self.chunks, self.about, self.C = chunks, about, C
        self.trace, self.callback = trace, callback
        self.primal, self.dual = np.inf, -np.inf

    def run(
        self, stages: tuple[Stage, ...], at: Stage, tol: float, max_iter: int
    ) -> tuple[tuple[Stage, ...], Stage]:
        """Minimise stage after stage until the gap is within the tolerance; return the stages."""
        here, patience = self.look(stages, at), _PATIENCE
        while self.gap > tol and len(self.trace) < max_iter:
            step = here.newton_step()
            if step is None or patience <= 0:  # too narrow a ramp to see far
                here = self.look(stages, here.at.wider(_WIDER))
                patience = _PATIENCE
                continue
            slope, leash = -float(here.gradient @ step), here.at.h * here.sums.leash
            if slope <= leash and here.promise(self.C) > tol * here.value:
                stages = (*stages, here.at)
                here = self.look(stages, here.at.wider(_NARROWER))
                patience = _PATIENCE
                continue
            length, there = 1.0, self.look(stages, here.moved(step))
            while there.value > here.value - 1e-4 * length * slope and len(self.trace) < max_iter:
                length, patience = length / 2, patience - 1
                there = self.look(stages, here.moved(length * step))
            here, patience = there, patience - 1
        return stages, here.at

    def look(self, stages: tuple[Stage, ...], at: Stage) -> _Point:
        """Pass over the data, and take note of the bounds."""
        reach = float(np.linalg.norm(at.w)) * self.about.radius + abs(at.b) + 1
        slack = gamma(at.w.size + 8) * reach  # how far off a margin can be
        sums = self.chunks.sum(_summarise, self.C, stages, at, slack)
        hinge = np.array([up(sums.hinge, self.about.terms)])
        primal = primal_above(at.w, hinge, 1.0, self.C)
        shares, dual = self._dual(sums.moments)
        if primal < self.primal:
            self.primal, self.best = primal, at
        if dual > self.dual:
            self.dual, self.proof = dual, ((*stages, at), shares)
        self.trace.append(Pass(self.about.rows, at.h, sums.free, self.primal, self.dual))
        if self.callback is not None:
            self.callback(self.trace[-1])
        return _Point(at, sums)

    def _dual(self, moments: Array) -> tuple[Array, float]:
        """Scale down the heavier class; return the two factors, and the dual value from below.

        w is off by γ R Σα, and by R times what the two sums still differ by.
        """
        totals = np.abs(moments[:, -1])
        if not totals.min():
            return np.zeros(2), 0.0
        shares = totals.min() / totals
        w, totals = shares @ moments[:, :-1], shares * totals
        off = abs(totals[0] - totals[1]) + gamma(2 * self.about.terms + 6) * totals.sum()
        total = down(2 * float(totals.min()), self.about.terms + 4)
        return shares, dual_below(w, total, up(float(off) * self.about.radius), 1.0)

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
            b=self.best.b,
            primal=self.primal,
            dual=self.dual,
            n_iter=len(self.trace),
            converged=self.gap <= tol,
            trace=tuple(self.trace),
            _C=self.C,
            _stages=stages,
            _shares=shares,
        )


class _Chunks:
    """The chunks of X and y, and sums over them."""

    def __init__(self, X: Any, y: Any) -> None:
        try:
            import dask.array
        except ImportError as error:
            raise ImportError('solve_linear needs Dask: pip install "svmlib[dask]"') from error
        self.dask: Any = dask
        if not isinstance(X, dask.array.Array) or X.ndim != 2:
            raise ValueError(f"X must be a Dask array of shape (n, d), got {X!r:.80}")
        if X.numblocks[1] != 1:
            raise ValueError(
                f"X must be in chunks of whole rows, got {X.numblocks[1]} chunks across; "
                "write X.rechunk({1: -1})"
            )
        if np.isnan(X.chunks[0]).any():
            raise ValueError(
                "X must have chunks of known sizes; X.compute_chunk_sizes() finds them out"
            )
        X, y = (self.dask.array.asarray(each) for each in (X, y))  # untyped from here on
        if y.shape != X.shape[:1]:
            raise ValueError(f"y must have one label for each row of X, got shape {y.shape}")
        y = y.rechunk((X.chunks[0],))
        self.n_features = X.shape[1]
        pairs = zip(X.to_delayed().ravel(), y.to_delayed(), X.chunks[0], strict=True)
        self.pairs = [(X_chunk, y_chunk) for X_chunk, y_chunk, size in pairs if size]
        if not self.pairs:
            raise ValueError("X must have at least one row")

    def every(self, step: int) -> _Chunks | None:
        """Return one chunk in so many, or nothing if there are too few to choose from."""
        if len(self.pairs) < step:
            return None
        part = copy(self)
        part.pairs = self.pairs[::step]
        return part

    def sum(self, summarise: Callable[..., Any], *arguments: Any) -> Any:
        """Apply a function to every chunk, and add up what it returns, as a tree of fixed shape."""
        apply, add = self.dask.delayed(_apply), self.dask.delayed(_add)
        shared = self.dask.delayed(arguments)
        parts = [apply(summarise, X, y, shared) for X, y in self.pairs]
        while len(parts) > 1:
            parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        return self.dask.compute(parts[0])[0]


def _apply(summarise: Callable[..., Any], X: Array, y: Array, arguments: tuple[Any, ...]) -> Any:
    return summarise(X, y, *arguments)


def _add(parts: list[Any]) -> Any:
    return type(parts[0]).add(parts)
