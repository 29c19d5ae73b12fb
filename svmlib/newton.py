"""Newton's method for the support vector machine: fast where SMO crawls, and exact.

At the corner of the hinge there is no second derivative for Newton's method to go by. So the corner
is rounded off, a little and only for a while: each stage minimises a smooth function in a few
steps, each step one system of equations, with an unknown for each free multiplier and one for b;
then what the rounding has displaced goes into the next stage, until nothing of it is left. With
this module you can

- solve any convex `svmlib.duality.DualProblem` with `newton`,
- watch its steps: how many multipliers were free, and how far each step could go,
- ask whether a kernel matrix is as good as one of low rank: `low_rank`.

Derived in chapter 9, *Beyond SMO*.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpstrf
from sklearn.exceptions import ConvergenceWarning

from svmlib._gram import Gram, StuckError, factored, gram
from svmlib._validation import Array, check_count, check_points, check_scalar
from svmlib.duality import (
    LARGEST_MULTIPLIER,
    DualProblem,
    Solution,
    balance,
    check_problem,
    check_start,
)
from svmlib.kernels import Known, Linear, PointwiseKernel

__all__ = ["NewtonStep", "low_rank", "newton"]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
_DIRECT = 400  # up to here, and where a step costs no more, a start from a quarter saves no time
_GUESS = 0.1  # the relative gap to which a smaller problem is solved that only gives a guess
_WARM, _GIVEN = 0.1, 3.0  # the first smoothing, times what is wrong with our start or a given one
_LEAST = 1e-4  # the first smoothing, times k(x, x): with less, the first step may be rounding
_FEW_STEPS = 6  # a stage of so many steps is followed by one with the same smoothing
_MANY_STEPS = 20  # a stage ends after so many, met or not; the next has more smoothing
_SLOPE_LEFT = 0.2  # the share of the slope that the line search may leave
_NEARLY = 0.01  # with margins so nearly right it is mostly known who is free, and worth a try
_EXACT = 1e-9  # gap and margins of a solution that is one but for rounding
_NOTHING = 1e-10  # hC is the most that y f(x) is displaced; so little is as good as none
_FEW = 100  # with so few samples less is not accepted: it costs little more
_HALVINGS = 50  # of an interval: what is left is rounding
_STAGES = 50  # more would only move rounding about
_ENDS = 8  # of stages are remembered: if the method is cut off, the last need not be the best
_ROUNDING = 16 * _EPS  # of a sum of products, as a part of the sum of their sizes
_PIVOTS, _RESIDUAL = 200, 1e-6  # how `low_rank` looks, and what it calls zero


class NewtonStep(NamedTuple):
    """One step of `newton`.

    Attributes
    ----------
    n : int
        The number of samples that took part; a start leaves most of them out.
    h : float
        The smoothing of the stage.
    free : int
        The number of free multipliers. There are as many equations, or the d of a linear kernel if
        that is less.
    length : float
        How much of Newton's step was taken; 1 is all of it.
    slope : float
        The slope of the stage's objective along the step, before it: negative, and on one quadratic
        piece twice what the step gains.
    """

    n: int
    h: float
    free: int
    length: float
    slope: float


def newton(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    start: ArrayLike | None = None,
    coordinates: ArrayLike | None = None,
    max_iter: int = 1000,
    callback: Callable[[NewtonStep], object] | None = None,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual problem by Newton's method on a smoothed hinge, until nothing is smooth.

    With signed multipliers :math:`\beta_i = y_i \alpha_i`, bounds lo and hi for them, and φ for the
    features of the kernel, a stage has a smoothing h > 0 and centres c. It minimises, over vectors
    v of the feature space and b, with :math:`s_i = v \cdot \varphi_i + b`,

    .. math::
        \tfrac12 \|v\|^2 + \sum_i \max_{lo_i \le q \le hi_i}
        \left[ q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2 \right],

    which for h = 0 is the primal value. The largest q are

    .. math::
        q_i = \min(\max(p_i,\ lo_i),\ hi_i), \qquad p_i = c_i + (y_i - s_i) / h,

    and at the minimum :math:`v = \sum q_i \varphi_i` and :math:`\sum q_i = 0`. Where min and max
    change nothing, i is *free*, and Newton's step to the minimum supposes that the same i stay so:

    .. math::
        v + \Delta_v = \sum_i q_i \varphi_i - \tfrac1h \sum_{i \in F}
            (\Delta_v \cdot \varphi_i + \Delta_b)\, \varphi_i, \qquad
        \sum_i q_i = \tfrac1h \sum_{i \in F} (\Delta_v \cdot \varphi_i + \Delta_b)

    (F the free ones). What is unknown are the multipliers of F or, for a linear kernel with fewer
    features, the coordinates of v. The slope along a step is piecewise linear, so a length that
    leaves at most a fifth of it is easy to find. Between stages q becomes the centre c, and h is
    multiplied by a sixth of the number of steps that the stage took: an easy stage is followed by
    one with less smoothing, a hard one by one with more. Where margins are nearly right, one system
    of equations puts the margins of the free ones to 1: that is the solution, if who is free then
    is so in the solution.

    The equations are solved with Cholesky factors. Where each step is expensive, the start comes
    from a quarter of the samples, or from coordinates in which the kernel is nearly linear; what
    comes out is judged, and mended where necessary, with the exact kernel.

    Parameters
    ----------
    problem : DualProblem
        The problem. Its kernel must be positive semidefinite.
    tol : float, default 1e-3
        Stop when the duality gap is at most ``tol`` of the primal value, and the KKT conditions
        hold to ``tol`` in units of y f(x). With up to 100 samples it goes on to about 1e-9.
    start : array_like of shape (n,), optional
        Feasible multipliers to begin with, as those of a neighbouring C or the first steps of
        `svmlib.smo.smo`.
    coordinates : array_like of shape (n, r), optional
        Φ with ΦΦᵀ nearly K, as `low_rank` finds it. The problem with ΦΦᵀ is solved first, for a
        start; not if `start` is given, or C = ∞.
    max_iter : int, default 1000
        The most steps, those of smaller problems included.
    callback : callable, optional
        Called with the `NewtonStep` after every step. If it raises StopIteration, the method ends
        there, as after `max_iter` steps.
    trace : bool, default False
        Whether to keep every `NewtonStep` in the solution.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to `tol` and no KKT violation is larger; else
        with a `sklearn.exceptions.ConvergenceWarning` that names the gap; that is never larger
        than the one of α = 0.

    Raises
    ------
    ValueError
        If an argument is not as above, or the kernel is not known to be positive semidefinite, or
        the cache of a problem of up to 1000 samples cannot hold its Gram matrix (a linear kernel
        needs none).

    Notes
    -----
    For a linear kernel with fewer than n/2 features K is not formed; with more it is, and takes at
    most twice as much memory as the points. Of other kernels, with up to 1000 samples or given by
    their values, all of K is in memory. With more, rows of it are kept in one half of the problem's
    cache, and where the equations of the free multipliers need more than the other, the method
    stops with the warning above. C = ∞ is allowed; on inseparable data the method goes on until
    only rounding is left, and ends with that warning, too.

    Derived in chapter 9, *Beyond SMO*.

    References
    ----------
    R. T. Rockafellar (1976), "Augmented Lagrangians and applications of the proximal point
    algorithm in convex programming".
    O. Chapelle (2007), "Training a support vector machine in the primal".

    Examples
    --------
    >>> solution = newton(DualProblem([[0.0], [2.0], [3.0]], [-1, 1, 1], C=1.0))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5, 0. ]), -1.0)
    """
    problem = check_problem(problem)
    tol = check_scalar(tol, "tol", positive=True)
    journal = _Journal(check_count(max_iter, "max_iter"), callback)
    if not problem.convex:
        raise ValueError(
            "kernel must be positive semidefinite for Newton's method, but the Gram matrix of "
            "these points is not, or is too large to look; svmlib.smo.smo does not mind"
        )
    Phi = None if coordinates is None else check_points(coordinates, "coordinates")
    if Phi is not None and len(Phi) != problem.n:
        raise ValueError(
            f"coordinates must have one row for each of the {problem.n} points, "
            f"got shape {Phi.shape}"
        )
    half = tol / 2  # the b of a solution is a mean: its margins may be off by twice as much
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        C = problem.upper if problem.hard_margin else np.minimum(problem.upper, LARGEST_MULTIPLIER)
        task = _Task(gram(problem), problem.y, C)
        if start is not None:
            alpha = check_start(start, problem)
            beta = alpha * problem.y
            s = task.K.sums(beta) + problem.bias(alpha)
            alpha, _ = _follow(task, alpha, s, _GIVEN, half, journal)
        elif Phi is None or problem.hard_margin:  # Φ may be equal where labels are not
            alpha, _ = _solve(task, half, journal)
        else:
            alpha, s = _solve(replace(task, K=factored(Phi)), half, journal)
            s = task.scores(alpha * problem.y, s)
            alpha, _ = _follow(task, alpha, s, _GIVEN, half, journal)
        known = task.K.known(alpha * problem.y)
    return _judge(problem, alpha, known, tol, journal, trace)


def low_rank(problem: DualProblem) -> Array | None:
    r"""Return Φ of shape (n, r) with ΦΦᵀ as good as K and r small, or None if there is none.

    A Cholesky factorisation with pivots looks at some of the samples, and always goes on with the
    one that those before explain worst, until what is left of k(x, x) is nowhere more than a
    millionth of its mean. If r samples P do, :math:`\Phi = K_{\cdot P} U^{-1}` with
    :math:`U^\top U = K_{PP}`, so that ΦΦᵀ is the Nyström approximation. Samples that nobody looked
    at may be further off, so an answer is a good guess.

    Parameters
    ----------
    problem : DualProblem
        The problem.

    Returns
    -------
    ndarray of shape (n, r), or None
        Φ; None if r would be more than half of the samples looked at, or Φ too large for a quarter
        of the problem's cache; or if there are at most 400 samples, and nothing to gain; or if the
        kernel is linear (then X is Φ), or not positive semidefinite, or has no formula that this
        library knows.

    Notes
    -----
    Derived in chapter 9, *Beyond SMO*.

    References
    ----------
    S. Fine and K. Scheinberg (2001), "Efficient SVM training using low-rank kernel
    representations".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> X = np.linspace(0, 1, 1000)[:, None]
    >>> problem = DualProblem(X, np.sign(X[:, 0] - 0.5 + 1e-9), kernel=RBF(1.0))
    >>> Phi = low_rank(problem)
    >>> Phi.shape[1] < 10, bool(np.abs(Phi @ Phi.T - problem.gram()).max() < 1e-5)
    (True, True)
    """
    n, kernel = problem.n, problem.kernel
    if n <= _DIRECT or isinstance(kernel, Linear) or not isinstance(kernel, PointwiseKernel):
        return None
    if not problem.convex:
        return None
    some = np.random.default_rng(n).permutation(n)[: _PIVOTS + n // 20]
    zero = _RESIDUAL * float(problem.diagonal.mean())
    U, order, rank, _ = dpstrf(kernel(problem.X[some], problem.X[some]), tol=zero)
    room = int(problem.cache_mb * 2**20 / 8 / 4 / n)  # a quarter of the cache
    if not 0 < rank <= min(some.size // 2, room):
        return None
    pivots = problem.X[some[order[:rank] - 1]]
    Phi = dtrsm(1.0, U[:rank, :rank], kernel(problem.X, pivots), side=1)
    return np.ascontiguousarray(Phi)


def _judge(
    problem: DualProblem,
    alpha: Array,
    known: Known | None,
    tol: float,
    journal: _Journal,
    trace: bool,
) -> Solution:
    """Return α as a solution that has converged; or, with a warning, α or 0, if that is better."""
    about: dict[str, Any] = {"n_iter": len(journal.steps), "converged": True}
    about["trace"] = tuple(journal.steps) if trace else ()
    solution = problem.solution(alpha, known=known, **about)
    certificate = solution.certificate
    if certificate.optimal_to(tol) and certificate.kkt_violation <= tol:
        return solution
    nothing = problem.solution(np.zeros(problem.n), **about)
    solution = min(nothing, solution, key=lambda solution: solution.certificate.gap)
    certificate = solution.certificate
    warnings.warn(
        f"newton stopped after {solution.n_iter} steps{journal.reason} with a duality gap of "
        f"{certificate.gap:.3g} (primal {certificate.primal:.6g}, dual {certificate.dual:.6g}) "
        f"and margins wrong by up to {certificate.kkt_violation:.3g} (tol={tol:g})",
        ConvergenceWarning,
        stacklevel=3,
    )
    return replace(solution, converged=False)


@dataclass
class _Journal:
    """The steps taken so far, whom to tell, and why there are no more."""

    max_iter: int
    callback: Callable[[NewtonStep], object] | None
    steps: list[NewtonStep] = field(default_factory=list)
    full: bool = False
    reason: str = ""

    def write(self, step: NewtonStep) -> None:
        self.steps.append(step)
        self.full = len(self.steps) >= self.max_iter
        try:
            if self.callback is not None:
                self.callback(step)
        except StopIteration:
            self.full = True


@dataclass
class _Point:
    """Feasible multipliers, their scores, and what is wrong with them."""

    alpha: Array
    s: Array
    gap: float  # the duality gap as a part of the primal value
    error: float  # the gap, or the largest violation of the KKT conditions if that is larger


@dataclass
class _Task:
    """A dual problem: K in some form, the labels y, and C of every sample."""

    K: Gram
    y: Array
    C: Array

    @cached_property
    def box(self) -> tuple[Array, Array]:
        return np.minimum(0, self.y * self.C), np.maximum(0, self.y * self.C)

    def clip(self, p: Array) -> Array:
        lo, hi = self.box
        return np.minimum(np.maximum(p, lo), hi)

    def scores(
        self, beta: Array, s: Array | float, known: NDArray[np.intp] | slice = slice(None)
    ) -> Array:
        """Return Kβ + b, with the b that agrees with the scores that are known."""
        sums = self.K.sums(beta)
        return np.asarray(sums + (s - sums[known]).mean())

    def wrong(self, beta: Array, s: Array) -> Array:
        """Return by how much each margin violates the KKT conditions."""
        alpha, slack = np.abs(beta), 1 - self.y * s
        return np.maximum(np.where(alpha < self.C, slack, 0), np.where(alpha > 0, -slack, 0))

    def judge(self, q: Array, s: Array | float) -> _Point:
        """Return the feasible multipliers next to q, judged by their own scores.

        (Given scores have drifted away from what they stand for. From s, or its mean, only b is
        taken.) ‖w‖² = β'Kβ is Σ β s, because Σβ = 0.
        """
        alpha = balance(np.abs(self.clip(q)), self.y, self.C)
        beta = alpha * self.y
        s = self.scores(beta, s)
        slack, squared_norm = 1 - self.y * s, float(beta @ s)
        most = float(slack.max())
        rounding = min(_ROUNDING * float(alpha @ np.abs(self.K.diagonal)), 0.5)
        if most < (max(_EXACT, rounding) if self.C[0] < np.inf else 1):  # a longer w has none
            primal = squared_norm / 2 / (1 - most) / (1 - most)  # a square may be no float
        else:
            primal = squared_norm / 2 + float(self.C @ np.maximum(slack, 0))
        dual = float(beta @ self.y) - squared_norm / 2
        gap = 1 - dual / primal if 0 < primal < np.inf else np.inf
        return _Point(alpha, s, gap, max(gap, float(self.wrong(beta, s).max())))


def _solve(task: _Task, tol: float, journal: _Journal) -> tuple[Array, Array]:
    """Return α and its scores; where steps are expensive, from a start that a quarter gives."""
    K, y, n = task.K, task.y, task.y.size
    alpha, s = np.zeros(n), np.zeros(n)
    if n * K.rank**2 <= _DIRECT**3:
        return _follow(task, alpha, s, _WARM, tol, journal)
    rng = np.random.default_rng(n)
    classes = (rng.permutation(np.flatnonzero(y == sign)) for sign in (-1, 1))
    some = np.concatenate([members[: max(1, members.size // 4)] for members in classes])
    # Each of them counts for more.
    quarter = _Task(K.sample(some), y[some], task.C[some] * (n / some.size))
    alpha[some], s = _solve(quarter, _GUESS, journal)
    return _follow(task, alpha, task.scores(alpha * y, s, some), _WARM, tol, journal)


def _follow(
    task: _Task, alpha: Array, s: Array, width: float, tol: float, journal: _Journal
) -> tuple[Array, Array]:
    """Return α and s after stages; the first smooths `width` times as much as the start is wrong.

    At α = 0 there is nothing to compare with. There are two scales then, the mean k of k(x, x), and
    1/C, with which α goes from 0 to C while a margin changes by 1; the first h is between the two,
    but not so small that K + hI is nearly K.
    """
    sizes = np.abs(task.K.diagonal)
    # With less, K + hI is K to rounding, or the smoothing is as good as none.
    k, C = float(sizes.mean()), float(task.C.mean())
    floor = max(_EPS * float(sizes.max()), _NOTHING / C, _TINY)
    p = alpha * task.y
    c, v = task.clip(p), task.K.represent(p)
    total = float(np.abs(c).sum())
    first = min(k, max(sqrt(k / C), _LEAST * k)) if np.isfinite(C) else k
    h = max(width * float(task.wrong(c, s).sum()) / total if total else first, floor)
    enough = tol if c.size > _FEW else min(tol, _EXACT)
    ends, best = deque([(c, s.mean())], maxlen=_ENDS), task.judge(c, s)
    for _ in range(_STAGES):
        if best.error <= enough or journal.full:
            break
        stage, before = _Stage(task, c, h, tol), len(journal.steps)
        try:
            v, s, p = stage.minimise(v, s, journal)
            c = task.clip(p)
            ends.append((c, s.mean()))
            if task.wrong(c, s).max() <= max(tol, _NEARLY):
                point = task.judge(c, s)
                best = min(best, point, stage.finish(point, p, floor), key=attrgetter("error"))
        except StuckError as error:
            journal.reason = f" ({error})"
            break
        taken = len(journal.steps) - before
        if not taken and h == floor:
            break  # only rounding is left
        h = max(h * max(taken, 1) / _FEW_STEPS, floor)
    if not best.error <= tol:  # cut off, or no better to be had
        best = min((best, *(task.judge(*end) for end in ends)), key=attrgetter("gap"))
    return best.alpha, best.s


@dataclass
class _Stage:
    """One stage: the smooth function of v and b that `newton` tells of, and its minimum."""

    task: _Task
    c: Array
    h: float
    tol: float

    def minimise(self, v: Array, s: Array, journal: _Journal) -> tuple[Array, Array, Array]:
        """Return v, its scores s, and p = c + (y − s) / h at the minimum, from any v and b."""
        K, p = self.task.K, self.c + (self.task.y - s) / self.h
        q = self.task.clip(p)
        for _ in range(_MANY_STEPS):
            if journal.full:
                break
            free, supposed = p == q, q
            target, ds = self.step(v, q, free)
            delta = target - v
            a, bend = K.inner(delta, ds, v), K.inner(delta, ds, delta)
            slope = a - float(ds @ q)
            sizes = np.abs(ds)
            rounding = _ROUNDING * float(sizes @ np.abs(q))
            if sizes.max() <= _ROUNDING * np.abs(s).max():  # far along it v and s would part
                break
            length, p, q = self.search(p, ds, a, bend, max(-_SLOPE_LEFT * slope, rounding))
            v = target if length == 1 else v + length * delta
            s = s + length * ds
            if not -slope > rounding:
                break
            journal.write(NewtonStep(s.size, self.h, int(np.count_nonzero(free)), length, slope))
            if length == 1 and self.settled(q, slope, np.where(free, p == q, q == supposed)):
                break
        return v, s, p

    def step(self, v: Array, q: Array, free: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return where Newton's step leads v, and by how much it moves the scores."""
        K, F = self.task.K, free.nonzero()[0]
        if F.size:
            return K.step(v, q, F, self.h)
        imbalance = float(q.sum())
        if abs(imbalance) > _ROUNDING * float(np.abs(q).sum()):  # only b can mend it
            return v, np.full(q.size, np.sign(imbalance))
        target = K.represent(q)
        return target, K.times(target - v)

    def search(
        self, p: Array, ds: Array, a: float, bend: float, enough: float
    ) -> tuple[float, Array, Array]:
        """Return the length at which the slope is nearly zero, and p and q there.

        The slope, a + bend · length − ds·q, is piecewise linear in the length, and rises.
        """
        length, low, high = 1.0, 0.0, np.inf
        for _ in range(_HALVINGS):
            ahead = p - (length / self.h) * ds
            q = self.task.clip(ahead)
            slope = a + bend * length - float(ds @ q)
            if abs(slope) <= enough:
                break
            low, high = (low, length) if slope > 0 else (length, high)
            rise = bend + float(ds @ (ds * (ahead == q))) / self.h
            length = length - slope / rise if rise > 0 else np.inf
            if not low < length < high:
                length = (low + high) / 2 if high < np.inf else 2 * low + 1
        return length, ahead, q

    def settled(self, q: Array, slope: float, as_supposed: NDArray[np.bool_]) -> bool:
        """Whether a full step has met the minimum, or come near enough for this stage.

        It is the minimum if all are on the part of their ramps that the step supposed. It is near
        enough if the step gained (half of its slope) less than the smoothing is worth,
        h/2 ‖q − c‖², and the smoothing still displaces margins, by h |q − c|, more than is asked
        for: the next stage brings more than another step.
        """
        if as_supposed.all():
            return True
        move = q - self.c
        return bool(-slope <= self.h * (move @ move) and self.h * np.abs(move).max() > self.tol)

    def finish(self, point: _Point, p: Array, h: float) -> _Point:
        """Return the point where the margins of who is free now are 1, and all others stay.

        If somebody would have to leave his box, who is free has been guessed wrong.
        """
        task = self.task
        free = (p == task.clip(p)).nonzero()[0]
        if not 0 < free.size <= task.K.rank + 1:  # fewer unknowns than margins
            return point
        beta = point.alpha * task.y
        beta[free] += task.K.solve(free, h, (task.y - point.s)[free])
        if (beta != task.clip(beta)).any():
            return point
        s = task.K.sums(beta)
        return task.judge(beta, s + (task.y - s)[free].mean())
