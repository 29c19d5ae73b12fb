"""What proves how good a classifier is, and the one lemma on which every proof rests.

A certificate is two numbers with the optimum between them: the primal value of a classifier, and
the dual value of some multipliers. With this module you can

- have any (α, b) judged from the data alone: `certify`,
- read and print the verdict: `Certificate`,
- build such bounds for a solver of your own, with `primal_above` and `dual_below`.

`certify` takes a `svmlib.problem.DualProblem`, which is built on this module. `bounded_scores`
bounds the sums of `svmlib.rows`: read it after `svmlib.problem`.

*The lemma.* Each operation on floats returns the exact result times 1 + δ, −u ≤ δ ≤ u = 2⁻⁵³, so
a sum of n products, added in whatever order, is off by at most γ_n times the sum of their sizes,

    γ_n = n u / (1 − n u).

Results too small to be normal floats are off by an absolute 2⁻¹⁰⁷⁴ besides. It is applied to
three sums: the scores Kβ, the square ‖w‖² = βᵀKβ, and the sums over samples in the two values.
Every bound goes outwards.

Derived in chapter 4, *Lagrange duality*. N. J. Higham (2002), "Accuracy and Stability of Numerical
Algorithms", chapter 3.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array

if TYPE_CHECKING:
    from svmlib.problem import DualProblem

__all__ = ["Certificate", "certify", "dual_below", "primal_above"]

UNIT = 2.0**-53  # u, the largest relative error of one operation
EPS = 2 * UNIT  # the distance from 1 to the next float
TINIEST = 2.0**-1074  # the smallest positive float
TINY = 2.0**-1022  # the smallest that has all its digits
SOLVER_ROUNDING = 32 * UNIT  # times Σ_j abs(β_j) ‖φ_i‖ ‖φ_j‖: the error of a solver's score
_MOST_DOUBT = 1e-9  # the largest error of a margin that `certify` attributes to such rounding
LARGEST_C = 1e100  # of a bound on α: its square is still a float, also times many samples
LARGEST_NORM = 1e150  # of ‖w‖: below, squares are floats with room to spare
_HUGE = float(np.finfo(float).max)


def rounding_of(n: int) -> float:
    """Return γ_n = n u / (1 − n u), itself rounded up; infinity where the bound says nothing."""
    return n * UNIT / (1 - n * UNIT) * (1 + 4 * UNIT) if n * UNIT < 0.5 else float("inf")


def up(value: float, operations: int = 4) -> float:
    """Return a number above the exact result of a few operations on numbers of one sign."""
    error = rounding_of(operations + 1)
    return value * (1 + error) if value >= 0 else value * (1 - error)


def down(value: float, operations: int = 4) -> float:
    """Return a number below the exact result of a few operations on numbers of one sign."""
    return -up(-value, operations)


def lengths(A: Array) -> Array:
    """Return bounds above the lengths ‖a_i‖ of the rows of A; infinity where squares overflow.

    A row that is not zero gets at least 2⁻⁵⁰⁰, so that what underflows in its squares, or in a
    product a_i·a_j, is far below u times the product of the two bounds.
    """
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", A, A)
    relative = rounding_of(A.shape[1] + 4)
    return np.asarray(np.sqrt(squares) * (1 + relative) + 2.0**-500 * A.any(axis=1))


def accurate_sum(A: Array, weights: Array) -> tuple[Array, Array]:
    """Return Σ_i weights_i A_i over the rows of A as if in twice the precision, and its error.

    What every product and every sum loses is computed and added in the end (Ogita, Rump and Oishi
    2005), so the error is a few u of the result and γ_n² of the sizes of the terms. Where something
    overflows it is the plain sum, and its error infinity.
    """
    n = len(weights)
    total, lost, sizes = np.zeros((3, A.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, n, 512):  # rows that fit into a processor's cache
            some = slice(start, start + 512)
            products, errors = _two_product(weights[some, None], A[some])
            sizes = sizes + np.abs(products).sum(axis=0)
            sums = np.cumsum(np.concatenate([total[None], products]), axis=0)
            before, total = sums[:-1], sums[-1]
            # With b' = s − a, what has arrived of b, a + b = s + (a − (s − b')) + (b − b') (Knuth).
            arrived = sums[1:] - before
            lost = lost + (errors + (before - (sums[1:] - arrived)) + (products - arrived)).sum(0)
        result = total + lost
        tiny = 8 * (n + 1) * TINIEST
        error = 4 * UNIT * np.abs(result) + 2 * rounding_of(n + 8) ** 2 * sizes + tiny
        sound = np.isfinite(error) & np.isfinite(result)
        return np.where(sound, result, weights @ A), np.where(sound, error, np.inf)


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return p = fl(a b), and e with p + e = a b but for over- and underflow (Dekker 1971)."""
    p = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def _halves(a: Array) -> tuple[Array, Array]:
    """Return two numbers of 26 bits each that add up to a."""
    c = 134217729.0 * a  # 2²⁷ + 1
    high = c - (c - a)
    return high, a - high


def primal_above(squared_norm: float, margins: Array, C: Array | float, m: float = 1.0) -> float:
    r"""Bound the primal value of (w, b)/m, ½‖w‖²/m² + Σ C_i max(0, 1 − y_i f(x_i)/m), from above.

    It takes an upper bound on ‖w‖² and lower bounds on the margins y_i f(x_i). C may be infinite.
    """
    if not 0 < m < np.inf:
        return np.inf
    short = margins < m
    scaled = margins[short] / m
    slack = 1 - scaled + 4 * UNIT * np.abs(scaled)
    hinge = float((np.broadcast_to(C, margins.shape)[short] * slack).sum())
    n = margins.size
    # (What underflows in the first division by m, the second may enlarge.)
    return up(squared_norm / m / m / 2 + hinge, n + 12) + (n + 4) * TINIEST / min(m, 1)


def dual_below(total: float, squared_norm: float, moved: float = 0.0) -> float:
    """Bound Σα − ½ ‖w + e‖² from below, for every e at most `moved` long.

    It takes a lower bound on Σα, and an upper bound on ‖w‖². (‖w‖² < 0 only if the kernel is
    indefinite; then it counts as 0, and the value bounds nothing. Among numbers below 2⁻¹⁰²² the
    bound may be too high by 2⁻¹⁰⁷⁴.)
    """
    cost = up(0.5 * (np.sqrt(max(squared_norm, 0.0)) + moved) ** 2, 8)
    bound = float(total - cost - 8 * UNIT * (abs(total) + cost))
    return bound if bound > -np.inf else -np.inf  # ∞ − ∞ and 0 · ∞ say nothing


@dataclass(frozen=True)
class Certificate:
    r"""What proves how good a pair (α, b) is, computed from the data and nothing else.

    For every feasible α and every classifier, dual ≤ primal (weak duality). So the optimum lies
    between the two numbers here, and the gap between them bounds the distance of *both* from it.
    They are bounds on exact numbers: the floats given are taken as exact, the kernel by its
    formula, and whatever rounding may have done on the way is added to the one and taken from the
    other. Where rounding has eaten the answer they are far apart, but never wrong.

    Attributes
    ----------
    primal : float
        An upper bound on the optimum: on the primal value of the classifier that (α, b) defines,
        :math:`\tfrac12 \lVert w \rVert^2 + \sum_i C_i \max(0, 1 - y_i f(x_i))`, or of
        (w, b)/m, with m < 1 by no more than rounding, whichever is smaller. For the hard margin
        (C = ∞) the value is :math:`\tfrac12 \lVert w \rVert^2 / \hat\gamma^2`, where
        :math:`\hat\gamma = \min_i y_i f(x_i)`: that of (w, b)/γ̂, the same hyperplane in
        canonical form, which satisfies every constraint; or infinity if γ̂ ≤ 0, when the
        hyperplane does not separate the classes, or rounding hides whether it does.
    dual : float
        A lower bound on the optimum: on the dual value D of α, made feasible if it is not quite
        (clipped to the box, then the heavier class scaled down until Σ α_i y_i = 0).
    kkt_violation : float
        An upper bound on the largest violation of the Karush–Kuhn–Tucker conditions, in units of
        the functional margin y f(x): :math:`y_i f(x_i) \ge 1` where :math:`\alpha_i < C_i`, and
        :math:`y_i f(x_i) \le 1` where :math:`\alpha_i > 0`.
    infeasibility : float
        The largest violation of :math:`0 \le \alpha_i \le C_i` and of
        :math:`\sum_i \alpha_i y_i = 0` by the α given.
    norm_w : float
        ‖w‖, rounded up: a canonical hyperplane has at least the geometric margin 1/‖w‖.
    proves_optimality : bool
        Whether weak duality holds here, which takes a positive semidefinite Gram matrix. Where
        it does not, as with an indefinite kernel, a small KKT violation says that α is
        stationary, not that it is a maximum, and the two values bound nothing. Where only K + ηI
        could be shown to be semidefinite, with an η of the order of rounding
        (`svmlib.problem.DualProblem.lift`), they are bounds for K + ηI.
    of_given_matrix : bool
        Whether the kernel is a function or a matrix of the user's. Then the problem is that of
        the Gram matrix K as it was returned (of (K + Kᵀ)/2, where rounding made the two differ;
        where K does not fit the cache it is taken for symmetric), up to the rounding that decides
        whether a matrix is positive semidefinite.

    Notes
    -----
    Derived in chapter 4, *Lagrange duality*.

    Examples
    --------
    >>> from svmlib.problem import DualProblem
    >>> problem = DualProblem([[0.0], [2.0]], [-1, 1], C=1.0)
    >>> certificate = problem.certificate([0.5, 0.4], b=-1.0)
    >>> print(certificate)
    primal 0.72, dual 0.48, gap 0.24
    largest KKT violation 0.4, infeasibility 0.1, norm of w 0.8
    proves that the optimum is in [0.479999, 0.720001]
    >>> certificate.optimal_to(0.5), certificate.optimal_to(0.1)
    (True, False)
    """

    primal: float
    dual: float
    kkt_violation: float
    infeasibility: float
    norm_w: float
    proves_optimality: bool = True
    of_given_matrix: bool = False

    @property
    def gap(self) -> float:
        """The duality gap, primal − dual: both values are at most this far from the optimum."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap as a fraction of the primal value."""
        return self.gap / self.primal if np.isfinite(self.gap) and self.primal else self.gap

    def optimal_to(self, tol: float) -> bool:
        """Say whether this proves (α, b) optimal to a relative gap of at most `tol`."""
        return bool(self.proves_optimality and self.relative_gap <= tol)

    def reaches(self, tol: float) -> bool:
        """Say whether a solver may stop: optimal to `tol`, or else stationary to `tol`.

        Where the kernel is not known to be positive semidefinite the gap says nothing, and the
        largest KKT violation takes its place.
        """
        measure = self.relative_gap if self.proves_optimality else self.kkt_violation
        return bool(measure <= tol)

    def __str__(self) -> str:
        values = (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.2g}\n"
            f"largest KKT violation {self.kkt_violation:.2g}, "
            f"infeasibility {self.infeasibility:.2g}, norm of w {self.norm_w:.6g}"
        )
        if not self.proves_optimality:
            lacking = "K is not known to be positive semidefinite; stationarity is all there is"
        elif self.primal == np.inf:
            lacking = "no upper bound: rounding, or C = ∞ and the hyperplane does not separate"
        elif self.dual == -np.inf:
            lacking = "no lower bound: rounding"
        else:
            low, high = printed(self.dual, ROUND_FLOOR), printed(self.primal, ROUND_CEILING)
            whose = " for the Gram matrix given" if self.of_given_matrix else ""
            return f"{values}\nproves that the optimum{whose} is in [{low}, {high}]"
        return f"{values}\ndoes not prove optimality: {lacking}"


def printed(value: float, rounding: str) -> str:
    """Return six digits of a number, rounded in the direction that keeps a printed bound true."""
    return f"{float(Context(prec=6, rounding=rounding).create_decimal_from_float(value)):.6g}"


def warn_stopped_short(
    solver: str, n_iter: int, left: str, tol: float, advice: str, level: int = 3
) -> None:
    """Warn that a solver has stopped too far from the optimum, what is left, and what may help.

    The level is that of `warnings.warn`: 3 blames the line that called whoever calls this.
    """
    message = f"{solver} stopped after {n_iter} iterations with a {left}, rounding included, more"
    warnings.warn(f"{message} than tol={tol:g}: {advice}", ConvergenceWarning, stacklevel=level)


class Scores(NamedTuple):
    """Kβ as computed, and bounds on what it stands for."""

    values: Array  # the sums Σ_j β_j k(x_i, x_j)
    error: Array  # how far off they can be
    squared_norm: float  # above ‖w‖² = Σ_ij β_i β_j k(x_i, x_j)
    sizes: Array  # above ‖φ(x_i)‖: here s_i is such a size, and no score


@np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
def bounded_scores(problem: DualProblem, beta: Array) -> Scores:
    r"""Return Kβ and ‖w‖² with bounds on what rounding has done to them.

    A kernel value is between ± s_i s_j and off by at most θ s_i s_j.

    *Operations.* `Rows.sums` adds up terms δ_j k(x_i, x_j), for changes δ whose sum is β. A term is
    rounded twice, as a difference of two β and as a product. It passes at most 2n additions, n
    within a block of columns and fewer than n over the blocks and the rows that are kept, and one
    more for each later update. So γ is that of 2n + updates + 4 operations, times 1 + θ: computed
    values may be too large by θ.

    *Sizes.* With the mass :math:`T_j = \sum \lvert \delta_j \rvert \ge \lvert \beta_j \rvert`
    and :math:`S = \sum_j T_j s_j` a score is off by at most (θ + γ) s_i S, and ‖w‖² by
    (θ + γ + 8u) S²: the 8u are for the products β_i (Kβ)_i and for `fsum`.

    Where only K + ηI is known to be semidefinite (`DualProblem.lift`), the bounds are for K + ηI.
    """
    if problem.linear:
        return _linear_scores(problem.X, beta)
    n, (theta, sizes) = problem.n, problem.rounding
    values, mass, updates = problem.rows.sums(beta), problem.rows.mass, problem.rows.updates
    total = up(float(mass @ sizes), n + updates)
    if not (theta < 1 and np.isfinite(values).all() and total < LARGEST_NORM):
        return _unbounded(values, sizes)
    relative = up(theta + rounding_of(2 * n + updates + 4) * (1 + theta))
    tiny = (n + 1) * (updates + 1) * TINIEST
    lift = problem.lift if problem.convex else 0.0
    slack = (relative + 8 * UNIT) * total**2 + tiny * (float(np.abs(beta).sum()) + 1)
    squared_norm = fsum((beta * values).tolist())
    return Scores(
        values,
        error=(1 + 8 * UNIT) * (relative * total * sizes + lift * np.abs(beta)) + tiny,
        squared_norm=squared_norm + up(slack + float(lift * beta @ beta), n + 16),
        sizes=np.sqrt(sizes**2 + lift),
    )


def _linear_scores(X: Array, beta: Array) -> Scores:
    r"""Return Xw with bounds, for w = Σ β_i x_i.

    Large terms may cancel in w, so it is summed as if in twice the precision, with an error e in
    each coordinate; a computed w·x is then off by at most γ_d |w|·|x| + e·|x|.
    """
    d, used = X.shape[1], np.flatnonzero(beta)
    w, e = accurate_sum(X[used], beta[used])
    values, largest = X @ w, np.abs(w) + e
    squared_norm = up(float(largest @ largest), d + 4) + d * TINIEST
    if not squared_norm < np.inf:
        return _unbounded(values, lengths(X))
    error = np.abs(X) @ (rounding_of(d + 4) * largest + e)
    error = error * (1 + rounding_of(d + 8)) + (d + 1) * TINIEST
    return Scores(values, error, squared_norm, lengths(X))


def _unbounded(values: Array, sizes: Array) -> Scores:
    """Return scores of which nothing is known, for sums that have overflowed."""
    known = np.where(np.isfinite(values), values, 0)
    return Scores(known, error=np.full_like(values, np.inf), squared_norm=np.inf, sizes=sizes)


@np.errstate(over="ignore", invalid="ignore")
def certify(
    problem: DualProblem, alpha: Array, b: float, scores: Scores | None = None
) -> Certificate:
    """Judge (α, b): both values, the KKT conditions, and feasibility, all rounded outwards."""
    y, upper = problem.y, problem.upper
    scores = bounded_scores(problem, alpha * y) if scores is None else scores
    f = (scores.values + b).clip(-_HUGE, _HUGE)  # beyond floats: then so is f ± error, outwards
    error = (1 + 8 * UNIT) * scores.error + 4 * UNIT * np.abs(f)
    lowest, highest = y * f - error, y * f + error  # of the functional margins
    # The primal value is that of (w, b)/m: for the hard margin in canonical form, m = γ̂; for the
    # soft margin the smaller one of two.
    scales = [float(lowest.min())]
    if not problem.hard_margin:
        scales = [1.0, _canonical_scale(alpha, scores.sizes, lowest, highest)]
    shortfall = (1 - lowest).max(where=alpha < upper, initial=0)
    excess = (highest - 1).max(where=alpha > 0, initial=0)
    outside = max(0.0, -float(alpha.min()), float((alpha - upper).max()))
    return Certificate(
        primal=min(primal_above(scores.squared_norm, lowest, upper, m) for m in scales),
        dual=_feasible_dual(problem, alpha, scores),
        kkt_violation=up(float(max(shortfall, excess))),
        infeasibility=up(max(outside, abs(fsum((alpha * y).tolist())))),
        norm_w=up(float(np.sqrt(max(0.0, scores.squared_norm)))),
        proves_optimality=problem.convex,
        of_given_matrix=problem.of_given_matrix,
    )


def _canonical_scale(alpha: Array, sizes: Array, lowest: Array, highest: Array) -> float:
    """Return the smallest lower bound, at most 1, of a margin that may reach 1.

    That is, up to the solver's rounding.

    Divided by it, (w, b) has no slack at such samples. With a large C, the slack that the solver's
    rounding adds costs more than the longer w.
    """
    doubt = SOLVER_ROUNDING * float(np.abs(alpha) @ sizes) * sizes
    may_reach_one = highest + np.minimum(doubt, _MOST_DOUBT) >= 1
    return float(lowest.min(where=may_reach_one, initial=1.0))


def _feasible_dual(problem: DualProblem, alpha: Array, scores: Scores) -> float:
    """Return the dual value of α, made feasible, rounded down.

    Made feasible by clipping, and by scaling the class with the larger sum: that takes the
    difference of the sums from Σα, and moves w by no more than what it takes from each multiplier
    times the length of its φ(x).
    """
    feasible = np.minimum(np.maximum(alpha, 0), problem.upper)
    excess = fsum((feasible * problem.y).tolist())
    taken = np.abs(alpha - feasible)
    if excess:
        heavier = np.where(problem.y * excess > 0, feasible, 0)
        taken += heavier * (abs(excess) / heavier.sum())
    moved = up(float(taken @ scores.sizes), 2 * problem.n + 8)
    total = fsum(feasible.tolist())
    least = total - abs(excess) - 8 * UNIT * (total + abs(excess))
    return dual_below(least, scores.squared_norm, moved)
