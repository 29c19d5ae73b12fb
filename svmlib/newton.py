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
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
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
_FAR = 100.0  # who was free is not, if a step that supposes it goes so far
_MISSED = 0.3  # by how much of the way from c a step may miss q, and end the stage
_NEARLY = 0.01  # with margins so nearly right it is mostly known who is free, and worth a try
_FEW, _EXACT = 100, 1e-9  # with so few samples not even this much is accepted to be wrong
_NOTHING = 1e-10  # hC is the most that y f(x) is displaced; so little is as good as none
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
        method = _Newton(gram(problem), problem.y, C, half, journal)
        if start is not None:
            found = method.follow(check_start(start, problem) * problem.y)
        elif Phi is None or problem.hard_margin:  # Φ may be equal where labels are not
            found = method.solve()
        else:
            found = method.follow(replace(method, K=factored(Phi)).solve().beta)
        known = method.K.known(found.beta)
    return _certified(problem, np.abs(found.beta), known, tol, journal, trace)


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


def _certified(
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
    """The steps taken so far, how many there may still be, whom to tell, and why it ended."""

    left: int
    callback: Callable[[NewtonStep], object] | None
    steps: list[NewtonStep] = field(default_factory=list)
    reason: str = ""

    def write(self, step: NewtonStep) -> None:
        self.steps.append(step)
        self.left -= 1
        try:
            if self.callback is not None:
                self.callback(step)
        except StopIteration:
            self.left = 0


class _Point(NamedTuple):
    """Feasible multipliers, a bias, and what is wrong with them."""

    beta: Array
    b: float
    gap: float  # the duality gap
    error: float  # the gap as a part of the primal value, or the largest KKT violation if larger


@dataclass
class _Newton:
    """A dual problem, lo ≤ β ≤ hi and Σβ = 0, and where Newton's method is.

    That is at v and b, which are known by the scores s; in the stage with smoothing h and centres
    c, which say q; and where `free` were free last.
    """

    K: Gram
    y: Array
    C: Array
    tol: float
    journal: _Journal

    def __post_init__(self) -> None:
        self.lo, self.hi = np.minimum(0, self.y * self.C), np.maximum(0, self.y * self.C)
        self.sizes = np.abs(self.K.diagonal)
        self.free = np.zeros(self.y.size, dtype=bool)

    def clip(self, p: Array) -> Array:
        return np.minimum(np.maximum(p, self.lo), self.hi)

    def solve(self) -> _Point:
        """Return the best point found; where steps are expensive, from a start by a quarter."""
        n, beta, b = self.y.size, np.zeros(self.y.size), 0.0
        if n * self.K.rank**2 > _DIRECT**3:
            rng = np.random.default_rng(n)
            classes = (rng.permutation(np.flatnonzero(self.y == sign)) for sign in (-1, 1))
            some = np.concatenate([members[: max(1, members.size // 4)] for members in classes])
            C = self.C[some] * (n / some.size)  # each of them counts for more
            quarter = _Newton(self.K.sample(some), self.y[some], C, _GUESS, self.journal)
            beta[some], b, *_ = quarter.solve()
        return self.follow(beta, b, _WARM)

    def follow(self, beta: Array, b: float | None = None, width: float = _GIVEN) -> _Point:
        """Return the best point of the stages that begin at β, with b or with what suits β."""
        self.v, self.c, self.journal.reason = self.K.represent(beta), self.clip(beta), ""
        best, ends = self.judge(self.c), deque([self.c], maxlen=_ENDS)
        given, sums = b is None, self.K.sums(beta)
        if b is None:  # the mean, which a sample or two that are far off do not move
            self.free = (self.lo < self.c) & (self.c < self.hi)
            b = float((self.y - sums)[self.free].mean()) if self.free.any() else best.b
        self.s = sums + b
        self.h, floor = self.smoothing(width)
        enough = self.tol if beta.size > _FEW else min(self.tol, _EXACT)

        def rank(point: _Point) -> tuple[bool, bool, float]:
            return point.error > enough, point.error > self.tol, point.gap

        try:
            if given and best.error > enough:
                self.q = self.c
                if (q := self.exact()) is not None:
                    best = min(best, self.judge(q), key=rank)
            for _ in range(_STAGES):
                if best.error <= enough or not self.journal.left:
                    break
                taken = self.stage()
                ends.append(self.q)
                displaced = self.h * np.abs(self.q - self.c).max(where=self.free, initial=0)
                if displaced <= max(self.tol, _NEARLY):
                    for q in (self.exact(), self.q):
                        if best.error > enough and q is not None:
                            best = min(best, self.judge(q), key=rank)
                if not taken and self.h == floor:
                    break  # only rounding is left
                self.c, self.h = self.q, max(self.h * taken / _FEW_STEPS, floor)
        except StuckError as error:
            self.journal.reason = f" ({error})"
        if best.error > self.tol:  # cut off, or no better to be had
            best = min((best, *map(self.judge, ends)), key=rank)
        return best

    def smoothing(self, width: float) -> tuple[float, float]:
        """Return the first h, `width` times as much as c and s are wrong, and the least.

        At c = 0 there is nothing to compare with. There are two scales then, the mean k of k(x, x),
        and 1/C, with which α goes from 0 to C while a margin changes by 1; h is between the two,
        but not so small that K + hI is nearly K.
        """
        k, C = float(self.sizes.mean()), float(self.C.mean())
        # With less, K + hI is K to rounding, or the smoothing is as good as none.
        floor = max(_EPS * float(self.sizes.max()), _NOTHING / C, _TINY)
        first, total = max(sqrt(k / C) / 3, _LEAST * k), float(np.abs(self.c).sum())
        if total:
            e = self.y - self.s
            wrong = np.maximum(np.where(self.c < self.hi, e, 0), np.where(self.c > self.lo, -e, 0))
            first = width * float(wrong.sum()) / total
        return max(min(k, first), floor), floor

    def judge(self, q: Array) -> _Point:
        """Return the feasible multipliers next to q, judged by their own scores.

        (s has drifted away from what it stands for.) The KKT conditions want a b that is at least
        y − Kβ where β may grow, and at most that where it may shrink. ‖w‖² = β'Kβ.
        """
        beta = self.y * balance(np.abs(self.clip(q)), self.y, self.C)
        sums = self.K.sums(beta)
        g = self.y - sums
        least = float(np.where(beta < self.hi, g, -np.inf).max())
        most = float(np.where(beta > self.lo, g, np.inf).min())
        b, wrong = (least + most) / 2, (least - most) / 2
        squared_norm, slack = float(beta @ sums), 1 - self.y * (sums + b)
        if self.C[0] < np.inf:
            slack -= _ROUNDING * float(np.abs(beta) @ self.sizes)  # a longer w has none
            primal = squared_norm / 2 + float(self.C @ np.maximum(slack, 0))
        else:
            margin = np.maximum(1 - slack.max(), 0)
            primal = float(squared_norm / 2 / margin / margin)
        dual = float(beta @ self.y) - squared_norm / 2
        if not 0 < primal < np.inf:
            return _Point(beta, b, np.inf, np.inf)
        return _Point(beta, b, primal - dual, max(1 - dual / primal, wrong))

    def stage(self) -> int:
        """Go to where the stage has its minimum, or near enough; return the steps it took."""
        K, c, h = self.K, self.c, self.h
        p = c + (self.y - self.s) / h
        q = self.clip(p)
        free, supposed, far = self.free, np.where(self.free, p, q), _FAR  # they may still be so
        if not free.any():
            free, supposed = p == q, q
        taken = 0
        while taken < _MANY_STEPS and self.journal.left:
            if not free.any():
                free[np.abs(p - q).argmin()] = True  # who is next to it
            F = free.nonzero()[0]
            target, ds = K.step(self.v, supposed, F, h)
            delta = target - self.v
            a, bend = K.inner(delta, ds, self.v), K.inner(delta, ds, delta)
            slope = a - float(ds @ q)
            length, ahead, there = self.search(p, q, ds, a, bend)
            if not length < far:
                if far == np.inf:
                    break  # only rounding is left
                free, supposed, far = p == q, q, np.inf
                continue
            self.v = target if length == 1 else self.v + length * delta
            self.s = self.s + length * ds
            taken += 1
            self.journal.write(NewtonStep(q.size, h, F.size, length, slope))
            missed = np.abs(there - (supposed - free * ds / h)).sum()
            p, q = ahead, there
            free, supposed, far = p == q, q, np.inf
            if length == 1 and missed <= _MISSED * np.abs(q - c).sum():
                break
        self.q, self.free = q, p == q
        return taken

    def search(
        self, p: Array, q: Array, ds: Array, a: float, bend: float
    ) -> tuple[float, Array, Array]:
        """Return the length at which the slope is nearly zero, and p and q there.

        The slope, a + bend · length − ds·q, is piecewise linear in the length, and rises. If it is
        not negative to begin with but for rounding, or the scores move by no more than rounding,
        no length is short enough: far along the step v and s would part.
        """
        slope, sizes = a - float(ds @ q), np.abs(ds)
        rounding = _ROUNDING * float(sizes @ np.abs(q))
        if not -slope > rounding or sizes.max() <= _ROUNDING * np.abs(self.s).max():
            return np.inf, p, q
        length, low, high, enough = 1.0, 0.0, np.inf, max(-_SLOPE_LEFT * slope, rounding)
        for _ in range(_HALVINGS):
            ahead = p - (length / self.h) * ds
            q = self.clip(ahead)
            slope = a + bend * length - float(ds @ q)
            if abs(slope) <= enough:
                break
            low, high = (low, length) if slope > 0 else (length, high)
            rise = bend + float(ds @ (ds * (ahead == q))) / self.h
            length = length - slope / rise if rise > 0 else np.inf
            if not low < length < high:
                length = (low + min(high, 3 * low + 2)) / 2
        return length, ahead, q

    def exact(self) -> Array | None:
        """Return q with margins of 1 for the free, and right ones for all others, if it is found.

        By the primal-dual active set method: the equations of the free are solved; who leaves his
        box goes to its end, who is at an end that his margin does not want becomes free; and again,
        as long as fewer change than the time before.
        """
        q, free, changes = self.q, self.free, np.count_nonzero(self.free)
        while 0 < (F := free.nonzero()[0]).size <= self.K.rank + 1 and self.journal.left:
            x, q = np.zeros(q.size), q.copy()
            q[F] -= q.sum() / F.size
            right = (self.y - self.K.sums(q))[F]
            x[F] = self.K.solve(F, _TINY, right)
            self.journal.write(NewtonStep(q.size, 0.0, F.size, 1.0, -float(x[F] @ right)))
            g = self.y - self.K.sums(q) - self.K.times(self.K.represent(x))
            q, g, inside = self.clip(q + x), g - g[F].mean(), q + x == self.clip(q + x)
            unwanted = np.where(q <= self.lo, g > _EXACT, g < -_EXACT)
            before, free = free, np.where(free, inside, unwanted)
            now = np.count_nonzero(free != before)
            if not now:
                return q
            if now >= changes:
                break
            changes = now
        return None
