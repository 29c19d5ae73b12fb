"""Newton's method for the support vector machine: fast where SMO is slow, and exact.

The hinge has a corner, where there is no second derivative. So the corner is rounded
off, by the proximal point method on the dual (also known as the augmented Lagrangian method): each
of its outer iterations, the *stages*, minimises a smooth function in a few steps of the semismooth
Newton method. Each step solves one system of equations, with an unknown for each free multiplier
and one for b. The multipliers found are the proximal centre of the next stage, which has a smaller
smoothing parameter, so that the stages converge to the exact solution. With this module you can

- solve any convex `svmlib.problem.DualProblem` with `newton`,
- follow its steps: how many multipliers were free, and how much of each step was taken.

Derived in chapter 12, *Newton's method*.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import islice
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError

from svmlib._arrays import Array
from svmlib._newton_forms import choose_form
from svmlib._rounding import EPS, SMALLEST_NORMAL
from svmlib._solvers import (
    SOLVER_ROUNDING,
    balance,
    certified_solution,
    check_start,
    objective_values,
    require_convex,
)
from svmlib._validation import check_stopping_rule
from svmlib._warnings import warn_unless_converged
from svmlib.problem import DualProblem, Solution, bias_and_interval

__all__ = ["NewtonStep", "newton"]

_LOG = logging.getLogger(__name__)
_MIN_SMOOTHING = 1e-4  # of k(x, x), at first: with less, the first step may be only rounding
# No theory gives the next three: compare the tables that `make bench` writes into benchmarks/.
_EVEN_STAGE_STEPS = 6  # after a stage of this number of steps h stays the same
_MAX_STAGE_STEPS = 20  # steps; then the stage ends in any case, and the next has a larger h
_LINE_SEARCH_TOL = 0.2  # of the slope at the start: what the line search may leave
MAX_NEWTON_STEPS = 1000  # the most steps by default
_FEW_SAMPLES = 100  # with at most this number the last digits cost a millisecond or two
_SMALL_FEATURES = 1_000  # n times the rank; the same holds up to this product
_LAST_DIGITS = 1e-9  # the relative gap, and KKT violation, that such problems are solved to
_NO_SMOOTHING = 1e-10  # hC, a bound on what smoothing changes in a margin, that counts as zero
_FEW_CHANGES = 3  # of the free set, or a twentieth of it: after no more changes, q may be the best
_MAX_FAILED_PASSES = 3  # useless passes of the active set method, if more than a third are free
_MAX_FIRST_FAILED_PASSES = 5  # the same, for its first trial if the rank of K is high
_MAX_LINE_SEARCH_TRIALS = 50  # the most lengths that the line search tries
_MAX_STAGES = 50  # where numbers overflow, stages without a step could follow each other endlessly


class NewtonStep(NamedTuple):
    """One step of `newton`.

    Attributes
    ----------
    h : float
        The smoothing parameter of the stage; 0 for a step of the active set method, which makes
        the margins of the free samples equal to 1.
    n_free : int
        The number of multipliers that the step assumes to be free. There are as many equations,
        or only d for a linear kernel with 2d < n, if d is less.
    length : float
        The fraction of Newton's step that was taken.
    """

    h: float
    n_free: int
    length: float


def newton(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    start: ArrayLike | None = None,
    max_iter: int = MAX_NEWTON_STEPS,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual problem by Newton's method on a smoothed hinge, with ever less smoothing.

    With signed multipliers :math:`\beta_i = y_i \alpha_i`, their bounds :math:`\ell_i \le \beta_i
    \le u_i`, and φ for the features of the kernel, a stage has a smoothing parameter h > 0 and
    centres c. It minimises, over vectors v of the feature space and b, with
    :math:`s_i = v \cdot \varphi_i + b`,

    .. math::
        \tfrac12 \|v\|^2 + \sum_i \max_{\ell_i \le q \le u_i}
        \left[ q\,(y_i - s_i) - \tfrac h2 (q - c_i)^2 \right],

    which for h = 0 is the primal value. The maxima are attained at

    .. math::
        q_i = \min(\max(p_i,\ \ell_i),\ u_i), \qquad p_i = c_i + (y_i - s_i) / h,

    and at the minimum :math:`v = \sum q_i \varphi_i` and :math:`\sum q_i = 0`. Where min and max
    change nothing, i is *free* (on the *ramp* of chapter 12), and Newton's step to the minimum
    assumes that the same i stay free:

    .. math::
        v + \Delta_v = \sum_i q_i \varphi_i - \tfrac1h \sum_{i \in F}
            (\Delta_v \cdot \varphi_i + \Delta_b)\, \varphi_i, \qquad
        \sum_i q_i = \tfrac1h \sum_{i \in F} (\Delta_v \cdot \varphi_i + \Delta_b)

    (F the free ones). The unknowns are the multipliers of F or, if fewer, for a linear kernel with
    2d < n, the coordinates of v. The slope along a step is piecewise linear, so a length that
    leaves at most a fifth of it is easy to find. A stage ends when v is close enough to
    :math:`\sum q_i \varphi_i`,

    .. math::
        \Bigl\| \sum_i q_i \varphi_i - v \Bigr\|^2 \le h\, \|q - c\|^2.

    Then q becomes the centre c, and h is multiplied by a sixth of the number of steps that the
    stage took, so smoothing decreases after an easy stage and increases after a hard one.
    At a given start, and where smoothing changed the margins of a stage by less than 1, an active
    set method tries to finish: solve without smoothing for the multipliers that make the margins of
    the free samples equal to 1; those that leave the box go to its bound, those at a bound with a
    margin on the wrong side of 1 become free; repeat while the number of changes decreases. If
    nothing changes, these multipliers are the solution.

    The equations are solved by a Cholesky factor, which serves later steps, too, if few multipliers
    have become free or bounded, or, if K is nearly diagonal, by conjugate gradients. If each step
    is expensive, give a `start`.

    Parameters
    ----------
    problem : DualProblem
        The problem. Its kernel must be positive semidefinite.
    tol : float, default 1e-3
        The relative duality gap to prove; margins may then violate the KKT conditions by more.
        Small problems are solved until the gap and the largest KKT violation are about 1e-9, or
        until two stages in a row bring nothing, which may double their time. Small means n ≤ 100
        or, for a linear kernel with 2d < n, n d ≤ 1,000.
    start : array_like of shape (n,), optional
        Feasible multipliers to begin with, such as those of a nearby C, those after the first steps
        of `svmlib.smo.smo`, or the solution with a kernel that is nearly the same and cheaper, such
        as the linear one with the Φ of `svmlib.nystrom.low_rank` for points.
    max_iter : int, default 1000
        The most steps.
    trace : bool, default False
        Whether to keep every `NewtonStep` in the solution.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to `tol`; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the kernel is not known to be positive semidefinite, or
        the equations need more memory than the problem allows (a
        `svmlib.gram_matrix.CacheTooSmallError`).

    Notes
    -----
    For a linear kernel with fewer than n/2 features K is not formed; with more it is, and takes at
    most twice as much memory as the points. For other kernels, rows of K are kept in the problem's
    cache, and the equations of the free multipliers take at most its ``equations_mb``. C = ∞ is
    allowed; on data that are not separable the method ends when only rounding is left, with the
    warning.

    References
    ----------
    Rockafellar, R. T. (1976), "Augmented Lagrangians and applications of the proximal point
    algorithm in convex programming".

    Solodov, M. V. and Svaiter, B. F. (1999), "A hybrid approximate extragradient–proximal point
    algorithm using the enlargement of a maximal monotone operator".

    Hintermüller, M., Ito, K. and Kunisch, K. (2002), "The primal-dual active set strategy as a
    semismooth Newton method".

    Chapelle, O. (2007), "Training a support vector machine in the primal".

    Examples
    --------
    >>> solution = newton(DualProblem([[0.0], [2.0], [3.0]], [-1, 1, 1], C=1.0))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5, 0. ]), -1.0)
    """
    tol, max_iter = check_stopping_rule(tol, max_iter)
    start = check_start(problem, start)
    # The method gets half of `tol`, because the certificate adds its rounding.
    alpha, steps = newton_multipliers(problem, tol / 2, max_iter, start, last_digits=True)
    kept = tuple(steps) if trace else ()
    solution = certified_solution(problem, alpha, tol=tol, n_iter=len(steps), trace=kept)
    warn_unless_converged(solution, "newton", tol)
    return solution


def newton_multipliers(
    problem: DualProblem,
    tol: float,
    max_iter: int,
    start: Array,
    guess: Array | None = None,
    last_digits: bool = False,
    high_rank: bool = False,
) -> tuple[Array, list[NewtonStep]]:
    """Return α after at most `max_iter` steps, and the steps; `newton` adds the certificate.

    The relative gap to reach is tol; and if the problem is small and `last_digits`, 1e-9. The
    active set method begins with the `guess`, or with the start if there is none: it need not be a
    better point than the start, but it predicts better which multipliers are free. If the rank of K
    is high, the method nearly always converges, although at first many more multipliers may change.
    """
    require_convex(problem, "Newton's method")
    steps: list[NewtonStep] = []
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        method = _Newton(problem, start, start if guess is None else guess, tol, last_digits)
        with suppress(LinAlgError):  # only rounding is left; `steps` keeps those taken
            for step in islice(method.steps(high_rank), max_iter):
                steps.append(step)
                progress = "step %d: h %.1e, %d free, error so far %.1e"
                _LOG.info(progress, len(steps), step.h, step.n_free, method.best.optimality)
        if method.best.optimality > method.tol:
            for q in np.zeros_like(start), method.c, method.q:  # which may not have been tried yet
                method.update_best(q)
    return np.abs(method.best.beta), steps


def last_digits_are_cheap(n: int, rank: int) -> bool:
    """Return whether the last digits of n multipliers cost little, for a K of this rank."""
    return n <= _FEW_SAMPLES or n * rank <= _SMALL_FEATURES


class _Point(NamedTuple):
    """Feasible multipliers, a bias, and how far from optimal they are."""

    beta: Array
    b: float
    gap: float  # the duality gap
    optimality: float  # the relative gap; if `exact`, the KKT violation where that is larger


class _Newton:
    """A dual problem, ℓ ≤ β ≤ u and Σβ = 0, and the state of Newton's method.

    The state: v and s, its f(x_i) with the bias; the smoothing parameter h, the centres c and the
    q of the stage; which multipliers were free last; and the best point so far.
    """

    def __init__(
        self, problem: DualProblem, start: Array, guess: Array, tol: float, last_digits: bool
    ) -> None:
        self.form = choose_form(problem, start)
        self.problem = problem
        self.y, self.C = problem.y, problem.upper
        self.beta_min, self.beta_max = problem.beta_min, problem.beta_max
        self.tol = tol
        self.exact = last_digits and last_digits_are_cheap(problem.n, self.form.rank)
        self.goal = min(tol, _LAST_DIGITS) if self.exact else tol
        # There are two scales for h: the mean k of k(x, x); and 1/C, with which α goes from 0 to C
        # while a margin changes by 1. The first h is a third of their geometric mean, or a ninth
        # where the centres are multipliers already, but at most k and at least a small part of k.
        # Below the floor K + hI is K to rounding, or h changes no margin.
        k = max(float(self.form.diagonal.mean()), 0.0)
        mean_C = float(self.C.mean())
        self.floor = max(EPS * float(self.form.diagonal.max()), _NO_SMOOTHING / mean_C)
        h = sqrt(k / mean_C) / (9 if start.any() else 3)
        self.h = max(min(k, max(h, _MIN_SMOOTHING * k)), self.floor)
        self.c = beta = start * self.y
        self.q = guess * self.y
        self.s = np.zeros(problem.n)
        self.v = self.form.represent(beta)
        self.free = (self.beta_min < self.q) & (self.q < self.beta_max)
        self.best = _Point(beta, 0.0, np.inf, np.inf)
        if beta.any():
            self.update_best(beta)
            self.s = self.form.kernel_matvec(beta) + self.best.b

    def clip(self, p: Array) -> Array:
        return np.minimum(np.maximum(p, self.beta_min), self.beta_max)

    def steps(self, high_rank: bool) -> Iterator[NewtonStep]:
        """Yield every step, through the stages."""
        if self.q.any():
            yield from self.active_set(_MAX_FIRST_FAILED_PASSES if high_rank else 1)
            self.c = self.best.beta  # the stages begin where it came closest
            self.v = self.form.represent(self.c)
            self.s = self.form.kernel_matvec(self.c) + self.best.b
        stalled = 0  # how many of the last stages have not improved the best point
        for _ in range(_MAX_STAGES):
            if self.best.optimality <= self.goal:
                return
            before = self.best
            n_steps = yield from self.stage()
            self.update_best(self.q)
            smoothed = self.h * float((np.abs(self.q - self.c) * self.free).max())
            if smoothed < 1:  # of the margin, which is 1: the free set may be right
                yield from self.active_set()
            stalled = stalled + 1 if self.best is before else 0
            reaches_tol = self.best.optimality <= self.tol
            if stalled and (self.h == self.floor or (stalled > 1 and reaches_tol)):
                return  # only rounding is left, or `tol` is reached and progress is slow
            self.c = self.q
            self.h = max(self.h * max(n_steps, 1) / _EVEN_STAGE_STEPS, self.floor)

    def update_best(self, q: Array) -> None:
        """Remember the feasible multipliers next to q if they are the best so far.

        Their margins come from `kernel_matvec`, which is updated once per call, not once per step
        like s, so it accumulates less rounding. A point that reaches the goal, or else `tol`, is
        better; of two points that are alike in this, the smaller gap is better.
        """
        alpha = balance(self.problem, np.abs(self.clip(q)))
        beta = self.y * alpha
        scores = self.form.kernel_matvec(beta)
        b, low, high = bias_and_interval(self.problem, beta, scores)
        rounding = SOLVER_ROUNDING * float(alpha @ self.form.diagonal)
        primal, dual = objective_values(self.problem, beta, scores, b, rounding)
        gap = optimality = np.inf
        if 0 < primal < np.inf:
            gap = max(primal - dual, 0.0)  # negative only by rounding
            optimality = 1 - dual / primal
            if self.exact:
                optimality = max(optimality, low - b, b - high)
        self.best = min(
            (self.best, _Point(beta, b, gap, optimality)),
            key=lambda p: (p.optimality > self.goal, p.optimality > self.tol, p.gap),
        )

    def active_set(self, max_failed_passes: int = 1) -> Iterator[NewtonStep]:
        """Without smoothing, solve for the multipliers that make the free margins equal to 1.

        Those that leave the box go to its bound, and those at a bound with a margin on the wrong
        side of 1 become free. Repeat while the number of changes decreases; before the first pass,
        compare with the number of free multipliers. If many are free, a stage is expensive, so two
        passes without a decrease are allowed. If few change, q may be the best; if none changes and
        the error is not yet small, solve once more with the same set, which refines the solution.
        This is a primal-dual active set method.
        """
        q, free = self.q, self.free
        fewest = int(free.sum())
        failed_passes = 0
        max_free = self.form.rank + 1  # with more margins than unknowns there is no solution
        while self.best.optimality > self.goal and 0 < (F := free.nonzero()[0]).size <= max_free:
            g = self.y[F] - self.form.kernel_matvec(q)[F]
            unclipped = q.copy()
            # h is not quite 0, because a single free sample would have the equation 0 x = 0.
            unclipped[F] += self.form.solve(F, SMALLEST_NORMAL, g, -float(q.sum()))
            g = self.y - self.form.kernel_matvec(unclipped)
            g -= float(g[F].sum()) / F.size
            q = self.clip(unclipped)
            released = np.where(q <= self.beta_min, g > _LAST_DIGITS, g < -_LAST_DIGITS)
            new_free = np.where(free, q == unclipped, released)
            changes = int(np.count_nonzero(new_free != free))
            if changes <= max(_FEW_CHANGES, F.size // 20):
                self.update_best(q)
            yield NewtonStep(0.0, F.size, 1.0)
            failed_passes += changes >= fewest
            many_free = 3 * F.size > q.size
            if failed_passes >= max(max_failed_passes, _MAX_FAILED_PASSES if many_free else 1):
                break
            fewest = min(fewest, changes)
            free = new_free

    def stage(self) -> Generator[NewtonStep, None, int]:
        """Approach the minimum of the stage, and return the number of steps taken."""
        form, c, h = self.form, self.c, self.h
        p = c + (self.y - self.s) / h
        q = self.q = self.clip(p)
        n_steps = 0
        while n_steps < _MAX_STAGE_STEPS:
            residual = form.represent(q) - self.v
            r = form.norm_gradient(residual)
            if n_steps and float(r @ residual) <= h * float((q - c) @ (q - c)):
                break
            # Newton's step, and the slope of the stage's function along it.
            F = (p == q).nonzero()[0]
            if F.size:
                target, ds = form.step(self.v, q, r, F, h)
            else:
                target, ds = self.bias_or_projection_step(q)
            delta = target - self.v
            inner = form.inner(delta, ds, self.v)
            curvature = form.inner(delta, ds, delta)
            slope = inner - float(ds @ q)
            if not slope < 0:  # no way down: only rounding is left
                break
            length, p, q = self.line_search(p, ds, inner, curvature, -_LINE_SEARCH_TOL * slope)
            self.v = target if length == 1 else self.v + length * delta
            self.s = self.s + length * ds
            self.q = q
            self.free = p == q
            n_steps += 1
            yield NewtonStep(h, F.size, length)
        return n_steps

    def bias_or_projection_step(self, q: Array) -> tuple[Array, Array]:
        """Return the step if none is free: b changes if Σq is not 0, else v goes to Σ q φ."""
        total = float(q.sum())
        if abs(total) > SOLVER_ROUNDING * float(np.abs(q).sum()):
            return self.v, np.full(q.size, np.sign(total))
        target = self.form.represent(q)
        return target, self.form.scores(target - self.v)

    def line_search(
        self, p: Array, ds: Array, inner: float, curvature: float, slope_tol: float
    ) -> tuple[float, Array, Array]:
        """Return a length t at which the slope is at most `slope_tol` in size, and p and q there.

        The slope, v·Δ_v + t ‖Δ_v‖² − Δ_s·q, is piecewise linear in t, and rises.
        """
        length, low, high = 1.0, 0.0, np.inf
        for trial in range(1, _MAX_LINE_SEARCH_TRIALS + 1):
            new_p = p - (length / self.h) * ds
            new_q = self.clip(new_p)
            slope = inner + curvature * length - float(ds @ new_q)
            if abs(slope) <= slope_tol or trial == _MAX_LINE_SEARCH_TRIALS:
                break
            low, high = (low, length) if slope > 0 else (length, high)
            rise = curvature + float(ds @ (ds * (new_p == new_q))) / self.h
            length = length - slope / rise if rise > 0 else np.inf
            if not low < length < high:
                length = (low + high) / 2 if high < np.inf else 2 * low + 1
        return length, new_p, new_q
