"""Newton's method for the support vector machine: fast where SMO crawls, and exact.

At the corner of the hinge there is no second derivative for Newton's method to go by. So the corner
is rounded off, a little and only for a while: each stage minimises a smooth function in a few
steps, each step one system of equations as large as there are free multipliers; then what the
rounding has displaced goes into the next stage, until nothing of it is left. With this module you
can

- solve any convex `svmlib.duality.DualProblem` with `newton`,
- watch its steps: how many multipliers were free, and how far each step could go,
- ask whether a kernel matrix is as good as one of low rank: `low_rank`.

Derived in chapter 9, *Beyond SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_points, check_scalar
from svmlib.duality import LARGEST_MULTIPLIER, DualProblem, Solution, check_problem, check_start
from svmlib.kernels import BLOCK, Kernel, Linear, PointwiseKernel, against, expansion

__all__ = ["NewtonStep", "low_rank", "newton"]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
_LARGEST = float(np.finfo(float).max)
_WHOLE = 1000  # up to here the whole matrix K costs less than asking row by row
_DIRECT = 400  # up to here neither a start from a quarter of the samples nor coordinates save time
_COLD, _WARM, _ROUGH = 1.0, 0.2, 0.01  # by how much the first smoothing may displace y f(x):
# without a start, with a guess, and with a start that is nearly right; later ones adapt themselves
_GUESS = 0.1  # the relative gap to which a smaller problem is solved that only gives a guess
_FEW, _EXACT = 100, 1e-9  # with so few samples the gap goes down to this: it costs little more
_STAGES = 100  # more would only move rounding about
_HUGE = 100.0  # more than a multiplier typically moves its own margin by
_NOTHING = 1e-10  # what a smoothing that displaces y f(x) by this adds to rounding
_SETTLED = 0.2  # the share of the slope that the line search may leave
_CROSSING = 0.02  # the share of free multipliers that the next smoothing may send to a bound
_LEAST, _LEAST_TIMID = 2.0, 5.0  # h shrinks at least so much; after a stage of a single step
_PIVOTS, _RESIDUAL = 200, 1e-6  # how `low_rank` looks, and what it calls zero


class NewtonStep(NamedTuple):
    """One step of `newton`.

    Attributes
    ----------
    n : int
        The number of multipliers that took part. Others were known to stay at their bound, or
        belong to samples that a rough start leaves out.
    h : float
        The smoothing of the stage.
    free : int
        The number of free multipliers, which is the number of equations solved.
    length : float
        How much of Newton's step was taken.
    slope : float
        The slope of the stage's objective along the step, before it.
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

    In the signed multipliers :math:`\beta_i = y_i \alpha_i`, with bounds lo and hi, a stage has a
    smoothing h > 0 and centres c. It minimises, over any β and b, with s = Kβ + b,

    .. math::
        \tfrac12 \beta^\top K \beta + \sum_i \max_{lo_i \le q \le hi_i}
        \left[ q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2 \right],

    which for h = 0 is the primal value. The largest q are

    .. math::
        q_i = \min(\max(c_i + (y_i - s_i) / h,\ lo_i),\ hi_i),

    and at the minimum Kβ = Kq and Σq = 0. Where q is strictly between its bounds it is *free*, and
    Newton's step to the minimum solves

    .. math::
        (K_{FF} + h I)\, \Delta_F + \Delta_b = h\, (q - \beta)_F - K_{FB}\, \Delta_B, \qquad
        \Delta_B = (q - \beta)_B, \qquad \sum_i (\beta + \Delta)_i = 0

    (F the free ones, B the others). The slope along a step is piecewise linear, so the best length
    is easy to find. Between stages β becomes the centre c, and h shrinks, as far as that leaves
    nearly all free multipliers free.

    The equations are solved with Cholesky factors. A linear kernel needs only d of them
    (Woodbury), and other kernels are treated as linear in coordinates of their own where
    `low_rank` finds few; what comes out is judged, and mended where necessary, with the exact
    kernel. Large problems start from a quarter of their samples.

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
        Φ with ΦΦᵀ nearly K, in which a start is sought, unless one is given, C = ∞, or there are
        at most 400 samples. Where it is sought, `low_rank` is asked for Φ if none is given.
    max_iter : int, default 1000
        The most steps, those of smaller problems included.
    callback : callable, optional
        Called with the `NewtonStep` after every step.
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
        If an argument is not as above, or the kernel is not known to be positive semidefinite.

    Notes
    -----
    With up to 1000 samples, or a kernel given by its values, all of K is in memory. With more, rows
    of it are kept within the cache of the problem, and where the block of the multipliers that take
    part needs, with its copy, more than half of that, the method stops, and says so. C = ∞ is
    allowed; on inseparable data it takes steps until it is stopped, by max_iter or by rounding.

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
    goal = tol / 2 if problem.n > _FEW else min(tol / 2, _EXACT)
    middle, near = np.zeros(problem.X.shape[1]), problem
    if isinstance(problem.kernel, Linear) and not problem.hard_margin:  # rounding may make twins
        # Far from the origin K is nearly constant, and with no multiplier free β and b would take
        # turns. Since Σβ = 0, moving the points moves only b.
        middle = problem.X.mean(axis=0)
        near = _subproblem(problem, problem.X - middle, problem.y, problem.upper, Linear())
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if start is None:
            Phi = None
            if coordinates is not None:
                Phi = check_points(coordinates, "coordinates")
                if len(Phi) != problem.n:
                    raise ValueError(
                        f"coordinates must have one row for each of the {problem.n} points, "
                        f"got shape {Phi.shape}"
                    )
            beta, b = _solve(near, goal, journal, Phi)
        else:
            alpha = check_start(start, problem)
            beta, b = alpha * problem.y, near.bias(alpha)
            K = _gram(near)
            beta, b = _follow(K, near, beta, b, K.times(beta) + b, _WARM, goal, journal)
        b -= float(beta @ problem.X @ middle)
    steps = tuple(journal.steps)
    alpha = np.minimum(np.abs(np.nan_to_num(beta)), LARGEST_MULTIPLIER)
    zero, solutions = np.zeros(problem.n), []
    # The bias is the mean of what free multipliers say, or ours. α = 0 is there to be no worse.
    for guess, bias in ((alpha, None), (alpha, float(np.nan_to_num(b))), (zero, None)):
        solution = problem.solution(
            guess, bias, n_iter=len(steps), converged=True, trace=steps if trace else ()
        )
        certificate = solution.certificate
        if certificate.optimal_to(tol) and certificate.kkt_violation <= tol:
            return solution
        solutions.append(solution)
    solution = min(solutions, key=lambda solution: solution.certificate.gap)
    certificate = solution.certificate
    warnings.warn(
        f"newton stopped after {solution.n_iter} steps with a duality gap of "
        f"{certificate.gap:.3g} (primal {certificate.primal:.6g}, dual {certificate.dual:.6g}) "
        f"and margins wrong by up to {certificate.kkt_violation:.3g} (tol={tol:g})",
        ConvergenceWarning,
        stacklevel=2,
    )
    return replace(solution, converged=False)


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


class _StuckError(Exception):
    """Rounding, or the room that the problem allows, lets the method go no further."""


@dataclass
class _Journal:
    """The steps taken so far, and whom to tell."""

    max_iter: int
    callback: Callable[[NewtonStep], object] | None
    steps: list[NewtonStep] = field(default_factory=list)

    def write(self, step: NewtonStep) -> None:
        self.steps.append(step)
        if self.callback is not None:
            self.callback(step)

    @property
    def full(self) -> bool:
        return len(self.steps) >= self.max_iter


def _solve(
    problem: DualProblem, tol: float, journal: _Journal, Phi: Array | None = None
) -> tuple[Array, float]:
    """Return β and b; where n is large, from a start that a smaller problem gives."""
    n, y = problem.n, problem.y
    K = _gram(problem)
    if n <= _DIRECT:
        return _follow(K, problem, np.zeros(n), 0.0, np.zeros(n), _COLD, tol, journal)
    Phi = low_rank(problem) if Phi is None else Phi
    if Phi is not None and not problem.hard_margin:  # Φ may be equal where labels are not
        middle = Phi.mean(axis=0)  # far from the origin φ·φ would lose its digits
        thin = _subproblem(problem, Phi - middle, y, problem.upper, Linear())
        beta, b = _solve(thin, tol, journal)
        b -= float(beta @ Phi @ middle)
        return _follow(K, problem, beta, b, K.times(beta) + b, _ROUGH, tol, journal)
    rng = np.random.default_rng(n)
    classes = (rng.permutation(np.flatnonzero(y == sign)) for sign in (-1, 1))
    part = np.concatenate([members[: max(1, members.size // 4)] for members in classes])
    C = problem.upper[part] * (n / part.size)  # fewer samples, each of which counts for more
    smaller = _subproblem(problem, problem.X[part], y[part], C, problem.kernel)
    rough, b = _solve(smaller, _GUESS, journal)
    beta = np.zeros(n)
    beta[part] = rough
    return _follow(K, problem, beta, b, K.times(beta) + b, _WARM, tol, journal)


def _subproblem(problem: DualProblem, X: Array, y: Array, C: Array, kernel: Kernel) -> DualProblem:
    """Return a problem that gives a start for `problem`, with no more memory than it has."""
    price = np.inf if np.isinf(problem.upper[0]) else np.minimum(C, _LARGEST)
    return DualProblem(X, y, price, kernel, cache_mb=problem.cache_mb)


def _follow(
    K: _Gram,
    problem: DualProblem,
    beta: Array,
    b: float,
    s: Array,
    width: float,
    tol: float,
    journal: _Journal,
) -> tuple[Array, float]:
    """Return β and b after stages of less and less smoothing, from `width` on."""
    y, C = problem.y, problem.upper
    lo, hi = np.minimum(0, y * C), np.maximum(0, y * C)
    sizes = np.abs(problem.diagonal)
    # With less K + hI is K to rounding, or no margin is displaced by more than rounding.
    rounding = 8 * _EPS * problem.n * float(sizes.max())
    floor = max(rounding, _NOTHING / float(C.mean()), _TINY)
    c = _clip(beta, lo, hi)
    # How large a multiplier typically is: what moves its own margin by 1, or the mean of a start;
    # but if that is huge, h would be so small that from a wrong start no step is a long one.
    unit = 1 / (float(sizes.mean()) or 1.0)
    typical = unit
    if c.any():
        shares = np.abs(c) / np.abs(c).max()  # c·c could underflow
        mean = float(shares @ np.abs(c) / shares.sum())
        typical = max(min(mean, _HUGE * unit), _TINY)
    h = max(width / typical, floor)
    for _ in range(_STAGES):
        if journal.full or _optimal(C, y, lo, hi, beta, b, s, tol):
            break
        # Who is free, is to move, or is no further from freedom than a typical step takes part.
        p = c + (y - s) / h
        q = _clip(p, lo, hi)
        candidates = ((np.abs(p - q) <= typical) | (beta != q)).nonzero()[0]
        taken = len(journal.steps)
        try:
            block, near = K.restrict(candidates)
            outside = float(beta.sum() - beta[near].sum())
            stage = _Stage(block, y[near], lo[near], hi[near], c[near], h, outside, tol)
            moved, b_new = stage.minimise(beta[near], b, s[near], journal)
        except _StuckError:
            break  # the certificate will tell
        change = np.zeros(problem.n)
        change[near] = moved - beta[near]
        if not change.any() and b_new == b:
            break  # only rounding is left
        s = s + K.times(change) + (b_new - b)
        beta, b = beta.copy(), b_new
        beta[near] = moved
        jump = float(np.abs(_clip(c + (y - s) / h, lo, hi) - beta).max())  # of who took no part
        before, c = c, _clip(beta, lo, hi)
        timid = len(journal.steps) <= taken + 1  # one step was enough, so more is possible
        ratio = min(_ratio(before, c, lo, hi), typical / (jump or _TINY))
        h = max(h / max(_LEAST_TIMID if timid else _LEAST, ratio), floor)
    return c, b


def _ratio(before: Array, c: Array, lo: Array, hi: Array) -> float:
    """Return by how much h may shrink.

    The stage that moved the centres from `before` to c ends with (y − s) = h (c − before). With
    h' = h/r the next begins with q = c + r (c − before), clipped. So r is the largest with which
    nearly all free multipliers stay free.
    """
    move = c - before
    free = (lo < c) & (c < hi) & (move != 0)
    room = np.where(move > 0, hi - c, c - lo)[free] / np.abs(move[free])
    k = int(_CROSSING * room.size)
    return float(np.partition(room, k)[k]) if room.size else np.inf


def _clip(v: Array, lo: Array, hi: Array) -> Array:
    return np.minimum(np.maximum(v, lo), hi)


def _optimal(
    C: Array, y: Array, lo: Array, hi: Array, beta: Array, b: float, s: Array, tol: float
) -> bool:
    """Whether β is in the box, and KKT conditions and gap are within tol, to judge by s."""
    c = _clip(beta, lo, hi)
    alpha, margins = np.abs(c), y * s
    if not alpha.any() or np.abs(c - beta).max() > 1e-9 * alpha.max():
        return False
    short = (1 - margins).max(where=alpha < C, initial=0)
    if max(short, (margins - 1).max(where=alpha > 0, initial=0)) > tol:
        return False
    if np.isinf(C[0]):
        return True
    hinge = float(C @ np.maximum(0, 1 - margins))
    # Σ C ξ − Σ α (1 − y s) is the gap, because β'Kβ = Σ β (s − b) and Σ β = 0
    return bool(hinge - alpha @ (1 - margins) <= tol * (c @ (s - b) / 2 + hinge))


@dataclass
class _Stage:
    """One stage: the smooth function of β and b that `newton` tells of, and its minimum.

    Multipliers that do not take part stay what they are. They add `outside` to Σβ.
    """

    K: _Whole | _Factored
    y: Array
    lo: Array
    hi: Array
    c: Array
    h: float
    outside: float
    tol: float

    def minimise(self, beta: Array, b: float, s: Array, journal: _Journal) -> tuple[Array, float]:
        """Return the minimum, from a start with s = Kβ + b and what the others contribute."""
        K_beta = self.K.times(beta)
        p = self.c + (self.y - s) / self.h
        q = _clip(p, self.lo, self.hi)
        side = np.sign(p - q)  # of the box on which p is; 0 where the multiplier is free
        while not journal.full:
            free = (side == 0).nonzero()[0]
            delta, delta_b = self.direction(beta, q, free)
            K_delta = self.K.times(delta)
            ds = K_delta + delta_b
            linear = float(delta @ K_beta) - self.outside * delta_b
            slope = linear - float(q @ ds)
            done = not -slope > 16 * _EPS * float(np.abs(q) @ np.abs(ds))  # but for rounding
            length = 1.0
            if not done:
                length = self.search(p, ds, slope, linear, float(delta @ K_delta))
                journal.write(NewtonStep(p.size, self.h, free.size, length, slope))
            ahead = beta + length * delta
            if length == 1:  # those at a bound are there exactly
                ahead = np.where((side != 0) & (delta != 0), q, ahead)
            before, beta, b = side, ahead, b + length * delta_b
            K_beta = K_beta + length * K_delta
            p = p - (length / self.h) * ds
            q = _clip(p, self.lo, self.hi)
            side = np.sign(p - q)
            if done or (length == 1 and self.settled(beta, slope, side, before)):
                break
        return beta, b

    def direction(self, beta: Array, q: Array, free: NDArray[np.intp]) -> tuple[Array, float]:
        """Return Newton's step for β and b."""
        delta = q - beta
        if not free.size:
            imbalance = float(q.sum()) + self.outside
            if abs(imbalance) <= 1e-12 * float(np.abs(q).sum()):
                return delta, 0.0
            return np.zeros_like(q), float(np.sign(imbalance))  # only b can mend it
        right = np.ones((free.size, 2), order="F")
        right[:, 0] = self.h * delta[free]
        delta[free] = 0
        right[:, 0] -= self.K.times(delta, free)
        u, v = self.K.solve(free, self.h, right).T
        curvature = float(v.sum())  # of b
        if not curvature > 0:
            raise _StuckError("a vector of ones in the range of K hides h from rounding")
        delta_b = float((beta + delta).sum() + u.sum() + self.outside) / curvature
        delta[free] = u - delta_b * v
        return delta, delta_b

    def search(self, p: Array, ds: Array, slope: float, linear: float, quadratic: float) -> float:
        """Return the length at which the slope, piecewise linear and rising, is nearly zero."""
        length, low, high = 1.0, 0.0, np.inf
        for _ in range(50):
            moved = p - (length / self.h) * ds
            q = _clip(moved, self.lo, self.hi)
            value = linear + length * quadratic - float(q @ ds)
            if abs(value) <= _SETTLED * abs(slope):
                break
            low, high = (low, length) if value > 0 else (length, high)
            bend = quadratic + float(ds @ (ds * (moved == q))) / self.h
            length = length - value / bend if bend > 0 else np.inf
            if not low < length < high:
                length = (low + high) / 2 if high < np.inf else 2 * low + 1
        return length

    def settled(self, beta: Array, slope: float, side: Array, before: Array) -> bool:
        """Whether a full step has met the minimum, or come near enough for this stage.

        It is the minimum if all are on the side that the step supposed. It is near enough if the
        step gained less than the smoothing itself is worth, and the smoothing still displaces
        margins by more than is asked for: the next stage brings more than another step.
        """
        if (side == before).all():
            return True
        move = _clip(beta, self.lo, self.hi) - self.c
        return bool(-slope <= self.h * (move @ move) and self.h * np.abs(move).max() > self.tol)


# K in three forms, each of which knows K v, and (K_FF + hI)⁻¹ or a part of itself that does


def _gram(problem: DualProblem) -> _Gram:
    if isinstance(problem.kernel, Linear):
        return _Factored(problem.X)
    pointwise = isinstance(problem.kernel, PointwiseKernel)
    return _Rows(problem) if pointwise and problem.n > _WHOLE else _Whole(problem.gram())


def _solve_shifted(A: Array, h: float, right: Array) -> Array:
    """Return (A + hI)⁻¹ right for a positive semidefinite A, which is overwritten."""
    A.flat[:: len(A) + 1] += h
    factor, failed = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        raise _StuckError("K + hI is not positive definite to rounding")
    return np.asarray(dpotrs(factor, right, lower=1)[0])


class _Whole:
    """K itself."""

    def __init__(self, K: Array) -> None:
        self.K = K

    def restrict(self, near: NDArray[np.intp]) -> tuple[_Whole, NDArray[np.intp] | slice]:
        """Return all of it: K is small."""
        return self, slice(None)

    def times(self, v: Array, rows: NDArray[np.intp] | slice = slice(None)) -> Array:
        used = v.nonzero()[0]
        if 3 * used.size < v.size:  # K is symmetric
            return np.asarray(v[used] @ self.K[used])[rows]
        return np.asarray(self.K @ v)[rows]

    def solve(self, free: NDArray[np.intp], h: float, right: Array) -> Array:
        return _solve_shifted(self.K.take(free, 0).take(free, 1), h, right)


class _Factored:
    """K = ΦΦᵀ."""

    def __init__(self, Phi: Array) -> None:
        self.Phi = Phi

    def restrict(self, near: NDArray[np.intp]) -> tuple[_Factored, NDArray[np.intp] | slice]:
        """Return all of it: Φ has few columns."""
        return self, slice(None)

    def times(self, v: Array, rows: NDArray[np.intp] | slice = slice(None)) -> Array:
        used = v.nonzero()[0]
        w = v[used] @ self.Phi[used] if 3 * used.size < v.size else v @ self.Phi
        return np.asarray(self.Phi[rows] @ w)

    def solve(self, free: NDArray[np.intp], h: float, right: Array) -> Array:
        r"""By Woodbury where Φ has fewer columns than rows.

        .. math::
            (\Phi \Phi^\top + h I)^{-1} = \frac1h
            \left( I - \Phi (\Phi^\top \Phi + h I)^{-1} \Phi^\top \right)

        which for small h subtracts nearly equal numbers, but is no worse than K + hI itself.
        """
        Phi = self.Phi[free]
        if Phi.shape[1] >= free.size:
            return _solve_shifted(Phi @ Phi.T, h, right)
        return np.asarray((right - Phi @ _solve_shifted(Phi.T @ Phi, h, Phi.T @ right)) / h)


class _Rows:
    """K, of which rows are evaluated when they are asked for, and kept while there is room."""

    def __init__(self, problem: DualProblem) -> None:
        problem.forget()  # so that there is one cache at a time
        self.kernel, self.X, n = problem.kernel, problem.X, problem.n
        self.evaluate = against(self.kernel, self.X)
        numbers = problem.cache_mb * 2**20 / 8
        self.rows = np.empty((min(n, max(1, int(numbers / 2 / n))), n))
        self.place, self.kept = np.full(n, -1), 0
        self.largest = int(np.sqrt(numbers / 4))  # a block and its copy are the other half

    def restrict(self, near: NDArray[np.intp]) -> tuple[_Whole, NDArray[np.intp]]:
        """Return the block of these rows and columns."""
        if near.size > self.largest:
            raise _StuckError("the block of the free multipliers is larger than the cache")
        self.keep(near)
        if (self.place[near] >= 0).all():
            return _Whole(self.rows[self.place[near][:, None], near]), near
        return _Whole(_block(self.kernel, self.X[near])), near

    def times(self, v: Array) -> Array:
        used = v.nonzero()[0]
        self.keep(used)
        kept = self.place[used] >= 0
        weights = np.zeros(self.kept)
        weights[self.place[used[kept]]] = v[used[kept]]
        others = used[~kept]
        known = weights @ self.rows[: self.kept]
        return np.asarray(known + expansion(self.kernel, self.X[others], v[others], self.X))

    def keep(self, wanted: NDArray[np.intp]) -> None:
        """Evaluate rows that are wanted and not there, as many as there is room for."""
        new = wanted[self.place[wanted] < 0][: len(self.rows) - self.kept]
        step = max(1, BLOCK // self.place.size)
        for some in (new[i : i + step] for i in range(0, new.size, step)):
            end = self.kept + some.size
            self.evaluate(self.X[some], self.rows[self.kept : end])
            self.place[some] = np.arange(self.kept, end)
            self.kept = end


_Gram = _Whole | _Factored | _Rows


def _block(kernel: Kernel, X: Array) -> Array:
    """Return k(X, X) in tiles that a processor's cache can hold."""
    K = np.empty((len(X), len(X)))
    evaluate = against(kernel, X)
    step = max(1, BLOCK // len(X))
    for i in range(0, len(X), step):
        evaluate(X[i : i + step], K[i : i + step])
    return K
