"""Sequential minimal optimisation: solve the dual two multipliers at a time.

Two multipliers are the fewest that can move, because Σ α_i y_i = 0 ties each to the others, and
for two the best move is a formula. All the rest is the choice of the pair. With this module you
can

- find the closest points of two convex hulls with `hull_smo`, whose pairs cross the classes,
- train a support vector machine with `smo`, and choose how it chooses,
- watch it: `steps` yields every step as it happens.

Derived in chapters 3 and 7, *SMO* and *The full SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, cycle, islice
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_labelled, check_scalar
from svmlib.certificate import gamma, radius, up
from svmlib.hulls import (
    ClosestPoints,
    NotSeparableError,
    Separation,
    certify_weights,
    check_size,
    closest_points,
    distance_above,
    distance_below,
    separation,
    standardise,
)
from svmlib.kernels import RBF
from svmlib.problem import (
    LARGEST_MULTIPLIER,
    DualProblem,
    Solution,
    check_problem,
    check_start,
    warn_unless_converged,
)

__all__ = ["HullSolution", "HullStep", "Step", "hull_smo", "smo", "steps"]

_UNBOUNDED = 1e100  # a violation of the KKT conditions that only an unbounded dual can have

Selection = Literal["second", "first", "cyclic"]


class Step(NamedTuple):
    """One step of SMO: y_i α_i grows and y_j α_j shrinks by the same amount.

    Attributes
    ----------
    i, j : int
        The pair.
    length : float
        How far they moved.
    alpha_i, alpha_j : float
        The two multipliers after the step.
    gap : float
        The largest violation m(α) − M(α) of any pair *before* the step.
    gain : float
        By how much the step raised the dual value D(α).
    """

    i: int
    j: int
    length: float
    alpha_i: float
    alpha_j: float
    gap: float
    gain: float


def smo(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    selection: Selection = "second",
    start: ArrayLike | None = None,
    max_iter: int = 10_000_000,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual problem two multipliers at a time.

    In the signed multipliers :math:`\beta_i = y_i \alpha_i` the constraints are
    :math:`\sum_i \beta_i = 0` and a box, and the slope of D along "β_i up, β_j down" is
    :math:`g_i - g_j` with

    .. math::
        g_i = y_i - \sum_j \beta_j k(x_i, x_j).

    At the optimum no such pair has a positive slope: the largest g of those that can grow, m(α),
    is at most the smallest g of those that can shrink, M(α), and a bias b between the two meets
    the KKT conditions. Until then, a step along a pair goes to the top of its parabola, of
    curvature :math:`a_{ij} = k(x_i, x_i) + k(x_j, x_j) - 2 k(x_i, x_j)`, or to the end of the
    box:

    .. math::
        \lambda = \min\left( \frac{g_i - g_j}{a_{ij}},
        \text{room of } \beta_i \text{ above},\ \text{room of } \beta_j \text{ below} \right).

    Parameters
    ----------
    problem : DualProblem
        The problem. Its kernel need not be positive semidefinite; then the result is stationary,
        and its certificate says so.
    tol : float, default 1e-3
        The relative duality gap to prove; for a kernel that is not known to be positive
        semidefinite, the KKT violation. The first look is at m(α) − M(α) ≤ tol / 2. (LIBSVM's
        ``eps`` stops at m(α) − M(α) ≤ eps; half of it takes about a tenth more steps and leaves
        about half of the gap.) Margins that are wrong by so little can make a gap of Σ C_i tol;
        where C is so large that this shows, the steps go on, to a tenth of it each time.
    selection : {"second", "first", "cyclic"}
        How the pair is chosen. ``"second"``: i with the largest g, and the j whose step gains
        the most, :math:`(g_i - g_j)^2 / a_{ij}` (Fan, Chen and Lin). ``"first"``: the pair with
        the steepest slope. ``"cyclic"``: the next pair, in a fixed order, whose slope is more than
        that of the last look.
    start : array_like of shape (n,), optional
        Feasible multipliers to begin with, as those of a coarser tolerance or a neighbouring C;
        zero if not given.
    max_iter : int, default 10,000,000
        The most steps.
    trace : bool, default False
        Whether to keep every `Step` in the solution.

    Returns
    -------
    Solution
        Converged if its certificate reaches `tol`; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or C = ∞ and the method meets a pair along which D grows
        without bound: because the kernel is indefinite, or an `RBF` too wide to tell two points
        with opposite labels apart. (An indefinite kernel may be found out by the steps alone,
        which do not end, or not at all.)
    NotSeparableError
        If C = ∞ and the method meets two points with opposite labels and the same features φ, so
        that D grows without bound along that pair. (`DualProblem` refuses equal points with
        opposite labels at once. Other inseparable data take every step they are given; ask
        `svmlib.hulls.separation` first.)

    Notes
    -----
    Derived in chapter 7, *The full SMO*.

    References
    ----------
    J. Platt (1998), "Sequential minimal optimization".
    S. S. Keerthi et al. (2001), "Improvements to Platt's SMO algorithm".
    R.-E. Fan, P.-H. Chen and C.-J. Lin (2005), "Working set selection using second order
    information for training SVM".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> solution = smo(DualProblem([[0.0], [1.0], [3.0]], [-1, 1, -1], 1.0, RBF(1.0)))
    >>> solution.converged, solution.certificate.relative_gap < 1e-3
    (True, True)
    """
    problem = check_problem(problem)
    tol, max_iter = check_scalar(tol, "tol", positive=True), check_count(max_iter, "max_iter")
    alpha = np.zeros(problem.n) if start is None else check_start(start, problem)
    n_iter, violation, kept = 0, tol, []
    while True:
        before = n_iter
        with np.errstate(over="ignore"):
            for step in islice(steps(problem, violation, selection, alpha), max_iter - n_iter):
                alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
                n_iter += 1
                if trace:
                    kept.append(step)
        solution = problem.solution(alpha, tol=tol, n_iter=n_iter, trace=tuple(kept))
        # Margins, computed afresh, tell where the steps go on with nothing but their own rounding.
        rounding = solution.certificate.kkt_violation > violation or (
            n_iter == before and violation < tol
        )
        if solution.converged or rounding or n_iter == max_iter:
            break
        violation, alpha = violation / 10, alpha.copy()
    warn_unless_converged(solution, "smo", tol)
    return solution


def steps(
    problem: DualProblem,
    tol: float = 1e-3,
    selection: Selection = "second",
    start: ArrayLike | None = None,
) -> Iterator[Step]:
    """Yield every step of SMO, until no pair violates the KKT conditions by more than tol / 2.

    The parameters are those of `smo`. Take as many as you like, and do with them what you like;
    who wants α keeps it.

    Examples
    --------
    >>> problem = DualProblem([[0.0], [1.0], [3.0]], [-1, 1, -1])
    >>> alpha = np.zeros(3)
    >>> for step in islice(steps(problem), 2):
    ...     alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
    >>> alpha
    array([0.66666667, 1.        , 0.33333333])
    """
    if selection not in get_args(Selection):
        raise ValueError(f"selection must be one of {get_args(Selection)}, got {selection!r}")
    state = _State(check_problem(problem), start)
    choose: dict[Selection, Callable[[int, int], tuple[int, int]]] = {
        "second": state.best_partner,
        "first": lambda i, j: (i, j),
        "cyclic": lambda i, j: state.next_violating(tol / 2),
    }
    pair = choose[selection]
    while True:
        i, j, gap = state.most_violating()
        if not tol / 2 < gap <= _UNBOUNDED:
            return
        i, j = pair(i, j)
        length, gain = state.move(i, j)
        yield Step(i, j, length, abs(state.beta[i]), abs(state.beta[j]), gap, gain)


class _State:
    """The signed multipliers β = yα, and g = y − Kβ where β can grow and where it can shrink.

    The loop of `steps` is all the time there is, so everything here works in arrays that are
    already there, and single numbers come from lists, or, for NumPy, from arrays without axes.
    """

    def __init__(self, problem: DualProblem, start: ArrayLike | None) -> None:
        self.problem, self.K, n, y = problem, problem.rows, problem.n, problem.y
        upper = np.minimum(problem.upper, LARGEST_MULTIPLIER)
        lowest, highest = np.minimum(0, y * upper), np.maximum(0, y * upper)
        alpha = np.zeros(n) if start is None else check_start(start, problem)
        beta, g = alpha * y, y * problem.gradient(alpha)
        self.g_up = np.where(beta < highest, g, -np.inf)
        self.g_down = np.where(beta > lowest, g, np.inf)
        self.beta, self.lowest, self.highest = beta.tolist(), lowest.tolist(), highest.tolist()
        # A curvature below its own rounding is as good as zero, and an indefinite kernel can have
        # a negative one. A tiny positive number in its place makes a long step uphill, to the box.
        self.diagonal, self.half_diagonal = problem.diagonal.tolist(), problem.diagonal / 2
        rounding = 4 * np.finfo(float).eps * (float(np.abs(problem.diagonal).max()) or 1.0)
        self.tiny = max(rounding, float(np.finfo(float).tiny))
        self.half_tiny = np.full(n, self.tiny / 2)
        self.work, self.slope, self.half_curvature = np.empty((3, n))
        self.pairs = cycle(combinations(range(n), 2))

    def most_violating(self) -> tuple[int, int, float]:
        """Return the pair with the steepest slope of D along "β_i up, β_j down", and the slope."""
        i, j = int(self.g_up.argmax()), int(self.g_down.argmin())
        return i, j, self.g_up.item(i) - self.g_down.item(j)

    def best_partner(self, i: int, j: int) -> tuple[int, int]:
        """Return i and the j whose step gains the most, slope² / curvature."""
        half_curvature = np.subtract(self.half_diagonal, self.K[i], out=self.half_curvature)
        half_curvature += self.half_diagonal[i, ...]
        np.maximum(half_curvature, self.half_tiny, out=half_curvature)
        slope = np.subtract(self.g_up[i, ...], self.g_down, out=self.slope)
        gain = np.abs(slope, out=self.work)
        gain *= slope  # slope², but a negative slope stays out of the contest
        gain /= half_curvature
        return i, int(gain.argmax())

    def next_violating(self, tol: float) -> tuple[int, int]:
        """Return the next (i, j) of the endless list, either way round, with g_i − g_j > tol."""
        for i, j in self.pairs:
            if self.g_up[i] - self.g_down[j] > tol:
                return i, j
            if self.g_up[j] - self.g_down[i] > tol:
                return j, i
        raise AssertionError("the list of pairs has an end")

    def move(self, i: int, j: int) -> tuple[float, float]:
        """Take the best step along a pair; return its length and its gain."""
        beta, g_up, g_down = self.beta, self.g_up, self.g_down
        K_i, K_j = self.K[i], self.K[j]
        g_i, g_j = g_up.item(i), g_down.item(j)
        curvature = self.diagonal[i] + self.diagonal[j] - 2 * K_i.item(j)
        top = (g_i - g_j) / max(curvature, self.tiny)
        room_i, room_j = self.highest[i] - beta[i], beta[j] - self.lowest[j]
        length = min(top, room_i, room_j)
        if self.problem.hard_margin and length == top:
            _refuse_unbounded(self.problem, i, j, curvature)
        # At a bound means exactly at it, or rounding would leave steps of no length.
        beta[i] = min(beta[i] + length, self.highest[i]) if length < room_i else self.highest[i]
        beta[j] = max(beta[j] - length, self.lowest[j]) if length < room_j else self.lowest[j]
        g_up[i], g_down[i] = (g_i if beta[i] < self.highest[i] else -np.inf), g_i
        g_up[j], g_down[j] = g_j, (g_j if beta[j] > self.lowest[j] else np.inf)
        change = np.subtract(K_i, K_j, out=self.work)
        change *= length
        g_up -= change
        g_down -= change
        return length, length * (g_i - g_j - length * curvature / 2)


def _refuse_unbounded(problem: DualProblem, i: int, j: int, curvature: float) -> None:
    """Raise an error if the dual value of the hard margin grows without end along a pair."""
    kernel, theta = problem.kernel, gamma(problem.X.shape[1] + 8)
    if not problem.of_given_matrix:
        theta = problem.rounding[0]
    rounding = 4 * theta * float(np.abs(problem.diagonal).max())
    if curvature > rounding:
        return
    if curvature < -rounding and not problem.convex:
        raise ValueError(
            "kernel must be positive semidefinite for C = inf: the dual value grows without "
            f"bound, because k has curvature {curvature:.3g} between points {i} and {j}"
        )
    if isinstance(kernel, RBF):  # different points have different φ(x): separable, if not in floats
        raise ValueError(
            f"kernel must tell points {i} and {j}, which have opposite labels, apart for C = inf, "
            f"but to rounding {kernel!r} does not: gamma must be larger, or C finite"
        )
    # φ(x_i) = φ(x_j), it seems; inner products with the two stand for coordinates. Where their
    # own rounding leaves that in doubt, we go on.
    weights = np.zeros(problem.n)
    weights[[i, j]] = 1
    points = np.column_stack([problem.row(i), problem.row(j)])
    common = Separation(points, problem.y, weights=weights)
    if common.verify():
        raise NotSeparableError(common)


# Pairs across the classes: the closest points of two convex hulls


@dataclass(frozen=True, eq=False)
class HullStep:
    """The state of `hull_smo` after an iteration, and at the start.

    Attributes
    ----------
    n_iter : int
        Pair steps taken so far.
    p, q : ndarray of shape (d,)
        Points of the two hulls: the two halves of w(λ), each divided by the sum of its weights.
    total : float
        Σλ⁺ = Σλ⁻.
    objective : float
        Q(λ) = ‖w(λ)‖² − Σλ⁺ − Σλ⁻.
    distance, lower_bound : float
        ‖p − q‖, rounded up, and (min w·x⁺ − max w·x⁻)/‖w‖, rounded down: the distance of the hulls
        is between the two. The lower bound is negative as long as w does not separate the classes.
    pair : tuple of two int, or None
        The points (rows of X), one of each class, whose weights the step moved; None at the start
        and after a sweep.
    length : float
        δ* of the step; the largest size of any δ* of the sweep; 0 at the start.

    Examples
    --------
    >>> first, *_ = hull_smo([[0.0], [2.0], [6.0]], [-1, -1, 1], trace=True).trace
    >>> first.n_iter, first.p, first.q, first.pair
    (0, array([6.]), array([1.]), None)
    """

    n_iter: int
    p: Array
    q: Array
    total: float
    objective: float
    distance: float
    lower_bound: float
    pair: tuple[int, int] | None
    length: float


@dataclass(frozen=True, eq=False)
class HullSolution:
    """What `hull_smo` returns.

    Attributes
    ----------
    closest : ClosestPoints
        The closest points and the bound that proves them, as from `svmlib.hulls.closest_points`.
    alpha : ndarray of shape (n,)
        The multipliers of the hard margin problem, α = 2λ.
    n_iter : int
        Pair steps taken.
    converged : bool
        Whether the relative gap reached the tolerance.
    trace : tuple of HullStep
        The start and every iteration if asked for, else empty.
    n_products : int
        Inner products of d numbers computed for the steps and their bounds (those of `separation`
        at the start and of the final check apart); a weighted sum of n points counts as n.

    Examples
    --------
    >>> solution = hull_smo([[0.0], [2.0], [6.0]], [-1, -1, 1])
    >>> solution.alpha, solution.converged
    (array([0.   , 0.125, 0.125]), True)
    """

    closest: ClosestPoints
    alpha: Array
    n_iter: int
    converged: bool
    trace: tuple[HullStep, ...] = ()
    n_products: int = 0


def hull_smo(
    X: ArrayLike,
    y: ArrayLike,
    *,
    tol: float = 1e-6,
    selection: Literal["steepest", "cyclic"] = "steepest",
    max_iter: int = 100_000,
    callback: Callable[[HullStep], object] | None = None,
    trace: bool = False,
) -> HullSolution:
    r"""Find the closest points of two convex hulls, two weights of opposite classes at a time.

    Minimises :math:`Q(\lambda) = \lVert w \rVert^2 - \sum_i \lambda^+_i - \sum_j \lambda^-_j`,
    where :math:`w = \sum_i \lambda^+_i x^+_i - \sum_j \lambda^-_j x^-_j`, subject to λ ≥ 0 and
    equal sums (Optimization Problem 2). A step adds δ to one weight of each class, which keeps
    the sums equal:

    .. math::
        \delta^* = \max(\delta_{ij}, M), \qquad
        \delta_{ij} = \frac{1 - w \cdot (x^+_i - x^-_j)}{\lVert x^+_i - x^-_j \rVert^2}, \qquad
        M = \max(-\lambda^+_i, -\lambda^-_j).

    Divided by their sum, the weights are those of a point p of one hull and a point q of the
    other, and the steps stop when ‖p − q‖ is proved to be within `tol` of the smallest possible.

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    tol : float, default 1e-6
        Stop when ‖p − q‖ − bound ≤ tol · ‖p − q‖, where bound = (min w·x⁺ − max w·x⁻)/‖w‖.
    selection : {"steepest", "cyclic"}
        ``"steepest"``: the pair along which Q falls fastest. ``"cyclic"``: sweep after sweep
        through all n₊n₋ pairs, of which most do not move; the bound is computed once a sweep. A
        sweep costs O(n₊n₋d): meant for watching, not for thousands of points.
    max_iter : int, default 100,000
        The most pair steps; the last sweep is finished.
    callback : callable, optional
        Called with a `HullStep` at the start and after every step, or every sweep.
    trace : bool, default False
        Whether to keep every `HullStep` in the solution.

    Returns
    -------
    HullSolution
        With a `sklearn.exceptions.ConvergenceWarning` that names the gap if max_iter was reached.

    Raises
    ------
    ValueError
        If an argument is not as above, if the rounding of the coordinates hides the distance of
        the hulls, or if the squares of distances, or the multipliers, leave the range of a float.
    NotSeparableError
        If the hulls meet. Q has no minimum then: along the weights of a common point w is zero,
        and Q falls without end as their sum grows.

    Notes
    -----
    *Why pairs across the classes are enough.* Let no pair improve Q, and λ ≠ 0. Then
    w·(x⁺_i − x⁻_j) ≥ 1 for all i, j, with equality where both weights are positive. So every x⁺_i
    of positive weight has the smallest w·x⁺ of its class, every such x⁻_j the largest, and the
    two differ by one: the KKT conditions. (A shift of weight from x⁺_k to x⁺_i is the sum of the
    steps "i, j up" and "k, j down", and some j has weight to give.) At λ = 0 every pair improves.

    *Why the steps converge.* Where the hulls are disjoint Q has bounded level sets, and a step of
    length δ* lowers it by at least ‖x⁺_i − x⁻_j‖² δ*², so δ* → 0. It depends continuously on λ,
    so at every limit of sweeps no pair improves. The steepest pair could be stopped by M again
    and again, but each such stop makes a weight zero, and only steps that are not stopped make
    weights positive, at most two; so infinitely many steps are not stopped, and their slopes tend
    to zero. The steps needed can grow like the square of diameter/distance: scale the columns.

    *The sum of the weights* is free, and for given p and q the best is 1/‖p − q‖². It is set to
    that once an iteration, an exact step along λ itself; otherwise it lags behind p and q. At the
    optimum Σλ⁺ = 1/D² and Q = −1/D², D being the distance. Since Q(λ) = −½ D(α) for α = 2λ and the
    dual function D(α) = Σα_i − ½‖Σα_i y_i x_i‖² of the hard margin, α = 2λ solves that problem.

    Derived in chapter 3, *SMO*.

    References
    ----------
    Teitelbaum, J., *Mathematics for Machine Learning*, chapter 7: pairs across the classes.

    Platt, J. (1998), "Sequential minimal optimization".

    Examples
    --------
    >>> solution = hull_smo([[0.0, 0.0], [4.0, 2.0], [4.0, -2.0]], [-1, 1, 1])
    >>> solution.closest.p.round(6), round(solution.closest.distance, 6)
    (array([4., 0.]), 4.0)
    """
    X, y = check_labelled(X, y)
    tol = check_scalar(tol, "tol", positive=True)
    if selection not in ("steepest", "cyclic"):
        raise ValueError(f"selection must be 'steepest' or 'cyclic', got {selection!r}")
    max_iter = check_count(max_iter, "max_iter")
    separable = separation(X, y)
    if not separable.separable:
        raise NotSeparableError(separable) if separable.verify() else _nearer_than_rounding(X, y)

    state = _Pairs(X, y)
    steps: list[HullStep] = []
    pair: tuple[int, int] | None = None
    length = 0.0
    while True:
        state.rescale()
        step = state.record(pair, length)
        if trace:
            steps.append(step)
        if callback is not None:
            callback(step)
        gap = state.above - state.below
        if gap <= max(tol * state.above, 2 * state.slack) or state.n_iter >= max_iter:
            break
        pair, length = state.steepest() if selection == "steepest" else (None, state.sweep())
        if length == 0:
            break  # what is left to gain is less than rounding

    closest = certify_weights(X, y, state.weights())
    converged = closest.gap <= tol * closest.distance
    if not converged:
        _warn_hulls_not_converged(state, closest, max_iter)
    alpha = 2 * closest.weights * step.total
    return HullSolution(closest, alpha, state.n_iter, converged, tuple(steps), state.n_products)


def _warn_hulls_not_converged(state: _Pairs, closest: ClosestPoints, max_iter: int) -> None:
    reason = (
        "columns of different scale need many steps"
        if state.n_iter >= max_iter
        else "what is left is rounding"
    )
    warnings.warn(
        f"hull_smo stopped after {state.n_iter} steps with a distance of {closest.distance:.6g} "
        f"and a lower bound of {closest.lower_bound:.6g}; {reason}",
        ConvergenceWarning,
        stacklevel=3,
    )


class _Pairs:
    """The weights λ⁺, λ⁻ of `hull_smo` and w(λ), for points in standardised coordinates."""

    def __init__(self, X: Array, y: Array) -> None:
        self.X, self.y = X, y
        Z, self.centre, exponent = standardise(X, by_column=False)
        check_size(X, exponent)
        self.exponent, self.radius = int(exponent), radius(Z)
        self.rows = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        self.plus, self.minus = Z[self.rows[0]], Z[self.rows[1]]
        self.lambdas = tuple(np.full(len(rows), 1 / len(rows)) for rows in self.rows)
        self.n_iter = self.n_products = 0

    def rescale(self) -> None:
        """Find p and q, enclose their distance, give the weights the best sum, 1/‖p − q‖².

        p and q are off by γ_{2m+3} R if m weights are not zero: the sums, and Z itself.
        """
        lambda_plus, lambda_minus = self.lambdas
        self.p = lambda_plus @ self.plus / lambda_plus.sum()
        self.q = lambda_minus @ self.minus / lambda_minus.sum()
        self.distance = float(np.linalg.norm(self.p - self.q))
        m = sum(int(np.count_nonzero(lambdas)) for lambdas in self.lambdas)
        error = up(2 * gamma(2 * m + 6) * self.radius)
        self.slack = error + 2 * gamma(len(self.p) + 4) * self.radius  # of both bounds
        if self.distance <= self.slack:
            raise _nearer_than_rounding(self.X, self.y)
        for lambdas in self.lambdas:
            lambdas *= 1 / self.distance**2 / lambdas.sum()
        self.w = (self.p - self.q) / self.distance**2
        self.heights = self.plus @ self.w, self.minus @ self.w
        self.n_products += 2 * len(self.y)
        lift = float(self.heights[0].min() - self.heights[1].max())
        self.above = distance_above(self.p - self.q, error)
        self.below = distance_below(lift, self.w, self.radius)

    def steepest(self) -> tuple[tuple[int, int], float]:
        """Move along the pair with the largest slope; return its rows of X and the step δ*."""
        i, j = _steepest_pair(*self.heights, *self.lambdas)
        difference = self.plus[i] - self.minus[j]
        (length,) = self._lengths(i, difference[np.newaxis], slice(j, j + 1))
        rows = int(self.rows[0][i]), int(self.rows[1][j])
        return rows, self._move(i, j, difference, length)

    def sweep(self) -> float:
        """Move along every pair in turn, and return the largest size of a step.

        All pairs of one x⁺_i are looked at together; where one moves, those after it once more.
        """
        largest = 0.0
        for i, x in enumerate(self.plus):
            differences = x - self.minus
            start = 0
            while start < len(differences):
                lengths = self._lengths(i, differences[start:], slice(start, None))
                moving = np.flatnonzero(lengths)
                if moving.size == 0:
                    break
                j = start + int(moving[0])
                largest = max(largest, abs(self._move(i, j, differences[j], lengths[moving[0]])))
                start = j + 1
        return largest

    def _lengths(self, i: int, differences: Array, columns: slice) -> Array:
        """Return δ* = max(δ_ij, −λ⁺_i, −λ⁻_j) for the pairs of i with some j."""
        squares = np.square(differences).sum(axis=1)
        if not squares.all():
            raise _nearer_than_rounding(self.X, self.y)
        self.n_products += 2 * len(differences)
        bounds = np.maximum(-self.lambdas[0][i], -self.lambdas[1][columns])
        lengths: Array = np.maximum((1 - differences @ self.w) / squares, bounds)
        return lengths

    def _move(self, i: int, j: int, difference: Array, delta: float) -> float:
        for lambdas, k in zip(self.lambdas, (i, j), strict=True):
            lambdas[k] += delta  # exactly zero where δ* is its bound
        self.w = self.w + delta * difference
        self.n_iter += int(delta != 0)
        return float(delta)

    def record(self, pair: tuple[int, int] | None, length: float) -> HullStep:
        """Describe the state in the units of X."""
        with np.errstate(over="ignore"):
            total = float(np.ldexp(self.distance**-2, -2 * self.exponent))
        if not np.isfinite(total):
            raise ValueError(
                "X must have its classes further apart: the multipliers, of the size 1/distance², "
                "are too large for floats; rescale X"
            )
        return HullStep(
            self.n_iter,
            p=self.centre + np.ldexp(self.p, self.exponent),
            q=self.centre + np.ldexp(self.q, self.exponent),
            total=total,
            objective=-total,
            distance=float(np.ldexp(self.above, self.exponent)),
            lower_bound=float(np.ldexp(self.below, self.exponent)),
            pair=pair,
            length=float(np.ldexp(length, -2 * self.exponent)),
        )

    def weights(self) -> Array:
        """Return the convex weights, in the order of the rows of X."""
        weights = np.empty(len(self.y))
        for rows, lambdas in zip(self.rows, self.lambdas, strict=True):
            weights[rows] = lambdas / lambdas.sum()
        return weights


def _nearer_than_rounding(X: Array, y: Array) -> ValueError:
    """Return the error for separable classes that steps cannot tell apart, with the reason."""
    by_column, _, _ = standardise(X, by_column=True)
    reason = (
        "they are separable along a column of smaller values: scale the columns"
        if closest_points(by_column, y).lower_bound > 1e-9
        else "svmlib.hulls.separation proves that they are separable, no scale of the columns helps"
    )
    return ValueError(
        "X must have its classes further apart than the rounding errors of sums of its points "
        f"({reason})"
    )


def _steepest_pair(
    heights_plus: Array, heights_minus: Array, lambda_plus: Array, lambda_minus: Array
) -> tuple[int, int]:
    """Return the pair with the largest slope of Q among those whose weights can follow it.

    Up: the two nearest to each other along w. Down: the two furthest apart that have weight.
    """
    i, j = int(heights_plus.argmin()), int(heights_minus.argmax())
    k = int(np.where(lambda_plus > 0, heights_plus, -np.inf).argmax())
    m = int(np.where(lambda_minus > 0, heights_minus, np.inf).argmin())
    up = 1 - (heights_plus[i] - heights_minus[j])
    down = (heights_plus[k] - heights_minus[m]) - 1
    return (i, j) if up >= down else (k, m)
