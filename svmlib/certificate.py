"""Optimality certificates with rigorous bounds on rounding errors.

A certificate is two numbers with the optimum between them: the primal value of a classifier, and
the dual value of some multipliers. With this module you can

- read and print the verdict on a classifier: `Certificate`,
- build such bounds for a solver of your own, with `primal_upper_bound` and `dual_lower_bound`,
- certify any (α, b) whose scores are bounded, such as by `linear_scores`: `certify`.
  `svmlib.problem.DualProblem.certificate` bounds the scores, too, for every kernel.

The bounds of `svmlib._rounding` are applied to three sums: the scores Kβ, the square ‖w‖² = βᵀKβ,
and the sums over samples in the two values. Every bound is rounded outwards.

Derived in chapter 4, *Lagrange duality*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import nextafter

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array, ReadOnly
from svmlib._rounding import (
    EPS,
    LARGEST_FLOAT,
    MAX_NORM,
    SMALLEST_SUBNORMAL,
    SPARE_OPERATIONS,
    UNIT_ROUNDOFF,
    compensated_dot,
    exact_sum,
    format_bound,
    gamma_n,
    round_up,
    row_norm_bounds,
)
from svmlib._validation import (
    check_bound,
    check_bounds,
    check_labels,
    check_points,
    check_scalar,
    check_vector,
)
from svmlib.gram_matrix import KernelSums
from svmlib.kernels import ErrorBound

__all__ = [
    "Certificate",
    "Scores",
    "certify",
    "dual_lower_bound",
    "linear_scores",
    "primal_upper_bound",
]


@np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
def primal_upper_bound(
    squared_norm: float, margins: ArrayLike, C: ArrayLike, divisor: float = 1.0
) -> float:
    r"""Bound the primal value of (w, b)/t, ½‖w‖²/t² + Σ C_i max(0, 1 − y_i f(x_i)/t), from above.

    Parameters
    ----------
    squared_norm : float
        An upper bound on ‖w‖². If it is negative, as with an indefinite kernel, it counts as 0.
    margins : array_like of shape (n,)
        Lower bounds on the functional margins y_i f(x_i).
    C : float or array_like of shape (n,)
        The C_i, not negative; they may be infinite.
    divisor : float, default 1.0
        t, such as the functional margin of (w, b), which makes the hyperplane canonical. If C is
        infinite, the result holds for every larger t, too.

    Returns
    -------
    float
        The bound, rounded up; infinity if t is not a positive number.

    Raises
    ------
    ValueError
        If an argument has another shape, or C is negative. NaN is allowed, and proves nothing.

    Examples
    --------
    >>> 1.0 <= primal_upper_bound(1.0, np.array([1.0, 0.5]), C=1.0) < 1.000001
    True
    """
    n = np.size(margins)
    margins = check_bounds(margins, "margins", n)
    upper = np.full(n, check_bounds(C, "C", *np.shape(C) and (n,), allow_negative=False))
    squared_norm, t = check_bound(squared_norm, "squared_norm"), check_bound(divisor, "divisor")
    if not 0 < t < np.inf:
        return np.inf
    short = ~(margins >= t)  # NaN, too
    scaled = margins[short] / t
    # For the rounding of `scaled`, where it is below −1, the final `round_up` has room.
    slack = 1 - scaled + UNIT_ROUNDOFF
    hinge = float((upper[short] * slack).sum())
    # The second division by t may enlarge what underflows in the first.
    underflow = (n + 1) * SMALLEST_SUBNORMAL / min(t, 1)
    return round_up(max(squared_norm, 0.0) / t / t / 2 + hinge, n) + underflow


def dual_lower_bound(total: float, squared_norm: float, displacement: float = 0.0) -> float:
    """Bound Σα − ½ ‖w + e‖² from below, for every e with ‖e‖ ≤ `displacement`.

    Parameters
    ----------
    total : float
        A lower bound on Σα.
    squared_norm : float
        An upper bound on ‖w‖². If it is negative, as with an indefinite kernel, it counts as 0, and
        the result bounds nothing.
    displacement : float, default 0.0
        An upper bound on ‖e‖, not negative.

    Returns
    -------
    float
        The bound, rounded down; −∞ if the arguments prove nothing.

    Raises
    ------
    ValueError
        If an argument is not a number, or the displacement is negative.

    Notes
    -----
    For rounding, 8u of Σα and of the cost ½ (‖w‖ + `displacement`)² are subtracted. The cost needs
    at most 5u, and the two subtractions less than 3u of the sizes; so the Σα given may be too large
    by 4u. Two products may underflow, each by half of 2⁻¹⁰⁷⁴, and twice that is subtracted; so Σα
    may be too large by 2⁻¹⁰⁷⁴, too.

    Examples
    --------
    >>> 0.499999 < dual_lower_bound(1.0, 1.0) <= 0.5
    True
    """
    total, squared_norm = check_bound(total, "total"), check_bound(squared_norm, "squared_norm")
    displacement = check_bound(displacement, "displacement", allow_negative=False)
    norm = float(np.sqrt(max(squared_norm, 0.0))) + displacement
    cost = 0.5 * norm * norm
    bound = total - cost - (8 * UNIT_ROUNDOFF * (abs(total) + cost) + 2 * SMALLEST_SUBNORMAL)
    return bound if bound > -np.inf else -np.inf  # ∞ − ∞ and 0 · ∞ prove nothing


def relative_gap(primal: float, lower: float) -> float:
    """Return the gap between an upper and a lower bound as a fraction of the upper, rounded up."""
    gap = round_up(primal - lower)
    # `nextafter` is for the rounding of the quotient, for which a subnormal gap has no room.
    return nextafter(gap / primal, np.inf) if 0 != gap < np.inf and primal > 0 else gap


@dataclass(frozen=True)
class Certificate:
    r"""A proof of how good a pair (α, b) is, computed from the data alone.

    For every feasible α and every classifier, dual ≤ primal (weak duality). So the optimum lies
    between these two numbers, and neither is further from the optimum than their difference.
    Both bound exact values: the floats given and the kernel's formula are taken as exact, and all
    possible rounding errors are added to `primal` and subtracted from `dual`. If these errors are
    large, the two bounds are far apart, but still valid.

    Attributes
    ----------
    primal : float
        An upper bound on the optimum: on the primal value of the classifier that (α, b) defines,
        :math:`\tfrac12 \lVert w \rVert^2 + \sum_i C_i \max(0, 1 - y_i f(x_i))` if C is finite.
        For the hard margin (C = ∞) the value is
        :math:`\tfrac12 \lVert w \rVert^2 / \hat\gamma^2`, where
        :math:`\hat\gamma = \min_i y_i f(x_i)`: the value of (w, b)/γ̂, the same hyperplane in
        canonical form, which satisfies every constraint; or infinity if γ̂ ≤ 0, so that the
        hyperplane does not separate the classes, or if rounding hides whether it does.
    dual : float
        A lower bound on the optimum: on the dual value D of α, made feasible if it is not quite
        (clipped to the box, then the heavier class scaled down until Σ α_i y_i = 0).
    kkt_violation : float
        An upper bound on the largest violation of the Karush–Kuhn–Tucker conditions, in units of
        the functional margin y f(x): :math:`y_i f(x_i) \ge 1` where :math:`\alpha_i < C_i`, and
        :math:`y_i f(x_i) \le 1` where :math:`\alpha_i > 0`.
    infeasibility : float
        An upper bound on the largest violation of :math:`0 \le \alpha_i \le C_i` and of
        :math:`\sum_i \alpha_i y_i = 0` by the α given.
    norm_w : float
        ‖w‖, rounded up: a canonical hyperplane has at least the geometric margin 1/‖w‖. If the
        kernel is indefinite, and ‖w‖² < 0, it is 0.
    weak_duality_holds : bool
        Whether weak duality is known to hold, which requires a positive semidefinite Gram matrix.
        If not, as with an indefinite kernel, a small KKT violation shows that α is stationary,
        not that α is a maximum, and the two values bound nothing.
    user_defined_kernel : bool
        Whether the kernel is a user's function or matrix. Then the bounds are for the Gram matrix
        K as returned or, if K and Kᵀ differ by rounding, for their rounded mean. If K does not fit
        the cache, it is assumed to be symmetric.
    diagonal_shift : float
        An η for which K + ηI was shown to be positive semidefinite, if this is not known of K
        (`svmlib.gram_matrix.GramMatrix.diagonal_shift`); else 0. The two values are bounds for
        the problem of K + ηI, and for that of K, if K is semidefinite.

    Examples
    --------
    >>> certificate = Certificate(
    ...     0.75, 0.4375, kkt_violation=0.375, infeasibility=0.0, norm_w=0.5
    ... )
    >>> print(certificate)
    primal 0.75, dual 0.4375, gap 0.32
    largest KKT violation 0.38, infeasibility 0, norm of w 0.5
    proves that the optimum is in [0.4375, 0.75]
    >>> certificate.is_optimal(0.5), certificate.is_optimal(0.1)
    (True, False)
    """

    primal: float
    dual: float
    kkt_violation: float
    infeasibility: float
    norm_w: float
    weak_duality_holds: bool = True
    user_defined_kernel: bool = False
    diagonal_shift: float = 0.0

    def __post_init__(self) -> None:
        for name in ("primal", "dual", "kkt_violation", "infeasibility", "norm_w"):
            vars(self)[name] = check_bound(getattr(self, name), name)

    @property
    def gap(self) -> float:
        """The duality gap, primal − dual, rounded up; neither value is further from the optimum."""
        return round_up(self.primal - self.dual)

    @property
    def relative_gap(self) -> float:
        """The gap as a fraction of the primal value, rounded up."""
        return relative_gap(self.primal, self.dual)

    def is_optimal(self, tol: float) -> bool:
        """Return whether (α, b) is proved optimal: primal − dual ≤ tol · primal, rounding included.

        Raises
        ------
        ValueError
            If `tol` is not a number.
        """
        tol = check_scalar(tol, "tol", finite=False)
        consistent = self.dual <= self.primal  # else one of the two bounds is false
        return bool(self.weak_duality_holds and consistent and self.relative_gap <= tol)

    def is_optimal_or_stationary(self, tol: float) -> bool:
        """Return whether a solver may stop: (α, b) is optimal or, if no gap proves it, stationary.

        If the kernel is not known to be positive semidefinite, the largest KKT violation takes the
        place of the gap: it must be at most `tol`.
        """
        return self.is_optimal(tol) if self.weak_duality_holds else bool(self.kkt_violation <= tol)

    def __str__(self) -> str:
        two_digits = partial(format_bound, digits=2)
        low, high = format_bound(self.dual, up=False), format_bound(self.primal)
        values = (
            f"primal {high}, dual {low}, gap {two_digits(self.gap)}\n"
            f"largest KKT violation {two_digits(self.kkt_violation)}, infeasibility "
            f"{two_digits(self.infeasibility)}, norm of w {format_bound(self.norm_w)}"
        )
        if not self.weak_duality_holds:
            reason = "K is not known to be positive semidefinite; stationarity is all there is"
        elif self.dual > self.primal:
            reason = "the bounds contradict each other; those of the scores are false"
        elif self.primal == np.inf:
            reason = "no upper bound: rounding, or C = ∞ and the hyperplane does not separate"
        elif self.dual == -np.inf:
            reason = "no lower bound: rounding"
        else:
            subject = " for the Gram matrix given" if self.user_defined_kernel else ""
            if self.diagonal_shift:
                shift = f"with {two_digits(self.diagonal_shift)} added to its diagonal"
                subject = f"{subject or ' for the Gram matrix'} {shift}"
            return f"{values}\nproves that the optimum{subject} is in [{low}, {high}]"
        return f"{values}\ndoes not prove optimality: {reason}"


@dataclass(frozen=True, eq=False)
class Scores(ReadOnly):
    """Kβ as computed, and bounds on its errors.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The scores without b, Σ_j β_j k(x_i, x_j).
    error : ndarray of shape (n,)
        Bounds on the errors of `values`. They must exceed the true errors by a factor of 1 + 8u,
        because `margins` and `scaled` round them.
    squared_norm : float
        An upper bound on ‖w‖² = Σ_ij β_i β_j k(x_i, x_j).
    norms : ndarray of shape (n,)
        Upper bounds N_i on ‖φ(x_i)‖.
    w : ndarray of shape (d,), or None
        For the linear kernel Σ_i β_i x_i, rounded once.

    Raises
    ------
    ValueError
        If an array has another shape, or `error` or `norms` a negative entry.

    Examples
    --------
    >>> scores = linear_scores([[0.0], [2.0]], [-0.5, 0.5])
    >>> scores.values, scores.w, bool(scores.error.max() < 1e-14)
    (array([0., 2.]), array([1.]), True)
    >>> lower, upper = scores.margins(-1.0, np.array([-1.0, 1.0]))
    >>> bool(lower.min() <= 1 <= upper.max() < 1 + 1e-14)
    True
    """

    values: Array
    error: Array
    squared_norm: float
    norms: Array
    w: Array | None = None

    def __post_init__(self) -> None:
        for name in ("values", "error", "norms"):
            array, n = getattr(self, name), np.size(self.values)
            vars(self)[name] = check_bounds(array, name, n, allow_negative=name == "values")
        vars(self)["squared_norm"] = check_bound(self.squared_norm, "squared_norm")
        super().__post_init__()

    def margins(self, b: float, y: Array) -> tuple[Array, Array]:
        """Return lower and upper bounds on the margins y_i f(x_i), two arrays of shape (n,)."""
        # If f overflows, the largest float stands for f, and f ± error overflows outwards.
        f = (self.values + b).clip(-LARGEST_FLOAT, LARGEST_FLOAT)
        error = self.error + 4 * UNIT_ROUNDOFF * np.abs(f)
        return y * f - error, y * f + error

    def scaled(self, t: float) -> Scores:
        """Return the scores of t w, for t ≠ 0."""
        values = t * self.values
        underflow = (1 + abs(t)) * SMALLEST_SUBNORMAL
        error = abs(t) * self.error + 2 * UNIT_ROUNDOFF * np.abs(values) + underflow
        squared_norm = round_up(t * (t * self.squared_norm)) + underflow
        return Scores(values, error, squared_norm, self.norms)


def kernel_scores(sums: KernelSums, beta: Array, bound: ErrorBound, shift: float) -> Scores:
    r"""Return Kβ and ‖w‖² with bounds on their rounding errors.

    Rounding: a kernel value is between ± N_i N_j and off by at most θ N_i N_j.

    *Operations.* `GramMatrix.incremental_matvec` adds up terms δ_j k(x_i, x_j), for changes δ whose
    sum is β. A term is rounded twice, as a difference of two β and as a product. It passes at most
    2n additions, n within a block of columns and fewer than n over the blocks and the rows that are
    kept, and one more for each later update. With the products β_i (Kβ)_i, their exact sum and two
    additions there are fewer than 2n + updates + 8 operations, the index of γ. The factor 1 + θ is
    needed because computed values may be too large by θ.

    *Sizes.* With the total variation :math:`T_j = \sum \lvert \delta_j \rvert \ge \lvert \beta_j
    \rvert` and :math:`S = \sum_j T_j N_j` a score is off by at most (θ + γ) N_i S, and ‖w‖² by
    (θ + γ) S². One factor, `rounding_factor`, covers the rounding of these bounds.

    If only K + ηI is known to be semidefinite, with the shift η, the bounds hold for K + sI, for
    every s between 0 and η.
    """
    values, variation, updates = sums
    theta, norms = bound.theta, bound.norms
    n = beta.size
    total = float(variation @ norms)
    if not total < MAX_NORM:  # otherwise all sums are finite: at most N_i S
        return unbounded_scores(values, norms)
    relative = theta + gamma_n(2 * n + updates + 8) * (1 + theta)
    # `total` is squared, so its operations count twice.
    rounding_factor = 1 + gamma_n(2 * (n + updates) + 24)
    underflow = (n + 1) * (updates + 1) * SMALLEST_SUBNORMAL
    norm_error = relative * total**2 + float(shift * beta @ beta)
    norm_error = rounding_factor * norm_error + underflow * (float(np.abs(beta).sum()) + 1)
    if not norm_error < np.inf:  # NaN, too, where θ is beyond floats
        return unbounded_scores(values, norms)
    return Scores(
        values,
        error=rounding_factor * (relative * total * norms + shift * np.abs(beta)) + underflow,
        squared_norm=exact_sum(beta * values) + norm_error,
        norms=np.sqrt(norms**2 + shift),
    )


@np.errstate(over="ignore", invalid="ignore")
def linear_scores(X: ArrayLike, beta: ArrayLike, origin: ArrayLike | None = None) -> Scores:
    r"""Return Xw with bounds, for w = Σ β_i x_i.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    beta : array_like of shape (n,)
        The β_i.
    origin : array_like of shape (d,), optional
        What was subtracted from the points. Then the bounds hold for the bias b − w·origin, too.

    Returns
    -------
    Scores
        Xw, its error bounds, and w, rounded once.

    Raises
    ------
    ValueError
        If an argument is not finite, or has another shape.

    Notes
    -----
    Large terms may cancel in w, so it is summed as if in twice the precision, with an error e in
    each coordinate, at least ``4u |w|``; a computed w·x is then off by at most
    ``γ_d |w|·|x| + e·|x|``. So the bounds hold for the w that is returned, and for the exact one.

    With an origin c, the bias b − w·c is rounded by at most u times ``|f| + |w·x| + |w·c|``.
    `Scores.margins`, e and the error of the compensated w·c have room for one u of these terms
    each.

    Examples
    --------
    >>> scores = linear_scores([[1.0], [3.0]], [-1.0, 1.0])
    >>> scores.w, scores.values
    (array([2.]), array([2., 6.]))
    """
    X = check_points(X)
    n, d = X.shape
    beta = check_vector(beta, "beta", length=n)
    nonzero = np.flatnonzero(beta)
    w, e = compensated_dot(beta[nonzero], X[nonzero])
    values = X @ w
    largest = np.abs(w) + e
    squared_norm = round_up(float(largest @ largest), d) + d * SMALLEST_SUBNORMAL
    if not squared_norm < np.inf:
        return unbounded_scores(values, row_norm_bounds(X), w)
    error = np.abs(X) @ (gamma_n(d) * largest + e)
    error = error * (1 + gamma_n(d + SPARE_OPERATIONS)) + (d + 1) * SMALLEST_SUBNORMAL
    if origin is not None:
        origin = check_vector(origin, "origin", length=d)
        error += compensated_dot(w, origin[:, None])[1]
    return Scores(values, error, squared_norm, row_norm_bounds(X), w)


def unbounded_scores(
    values: Array, norms: Array, w: Array | None = None, *, error: Array | float = np.inf
) -> Scores:
    """Return scores without a bound on ‖w‖ or on the error of sums that have overflowed."""
    finite = np.isfinite(values)
    return Scores(np.where(finite, values, 0), np.where(finite, error, np.inf), np.inf, norms, w)


def largest_violation(
    margin_lower: Array, margin_upper: Array, alpha: Array, upper: Array | float
) -> float:
    """Return the largest violation of the KKT conditions, for margins between two bounds."""
    # Negated, so that a multiplier or bound that is NaN is excused from nothing.
    below = (1 - margin_lower).max(where=~(alpha >= upper), initial=0)
    above = (margin_upper - 1).max(where=~(alpha <= 0), initial=0)
    return float(np.maximum(below, above))  # NaN if either is


@np.errstate(over="ignore", invalid="ignore")
def certify(
    alpha: ArrayLike, b: float, scores: Scores, y: ArrayLike, upper: ArrayLike
) -> Certificate:
    """Certify (α, b): both values, the KKT conditions, and feasibility, all rounded outwards.

    Parameters
    ----------
    alpha : array_like of shape (n,)
        The multipliers α; they need not be feasible.
    b : float
        The bias.
    scores : Scores
        The scores of β_i = y_i α_i, with their bounds, such as from `linear_scores`.
    y : array_like of shape (n,)
        The labels, −1 or +1.
    upper : array_like of shape (n,)
        The bounds C_i; all infinite for the hard margin.

    Returns
    -------
    Certificate
        It proves optimality only if K is semidefinite, which the caller must know.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Examples
    --------
    >>> X, y = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0])
    >>> alpha = np.array([0.5, 0.5])
    >>> scores = linear_scores(X, alpha * y)
    >>> certify(alpha, -1.0, scores, y, np.ones(2)).is_optimal(1e-12)
    True
    """
    if not isinstance(scores, Scores):
        raise ValueError(f"scores must be Scores, as from linear_scores, got {scores!r:.80}")
    n, b = scores.values.size, check_scalar(b, "b")
    alpha, y = check_bounds(alpha, "alpha", n), check_labels(y, n)
    upper = check_bounds(upper, "upper", n, allow_negative=False)
    margin_lower, margin_upper = scores.margins(b, y)
    # For the hard margin the value is that of (w, b)/γ̂, in canonical form.
    divisor = float(margin_lower.min()) if np.isinf(upper[0]) else 1.0
    outside = np.max([0.0, -alpha.min(), (alpha - upper).max()])  # NaN if one is
    return Certificate(
        primal=primal_upper_bound(scores.squared_norm, margin_lower, upper, divisor),
        dual=feasible_dual(alpha, scores, y, upper),
        kkt_violation=round_up(largest_violation(margin_lower, margin_upper, alpha, upper)),
        infeasibility=round_up(float(np.maximum(outside, abs(exact_sum(alpha * y))))),
        # 1 + 2u rounds the root up; NaN stays NaN.
        norm_w=float(np.sqrt(np.maximum(0.0, scores.squared_norm))) * (1 + EPS),
    )


def feasible_dual(alpha: Array, scores: Scores, y: Array, upper: Array) -> float:
    """Return the dual value of α, made feasible, rounded down.

    α is clipped, and the class with the larger sum is scaled down. This subtracts the difference
    of the sums from Σα, and moves w by at most what each multiplier loses times the length of its
    φ(x). The factor of `balancing_factors` is not used, because close to 1 its rounding would be
    as large as what is subtracted.
    """
    feasible = np.minimum(np.maximum(alpha, 0), upper)
    if not feasible.any():
        return 0.0  # D(0), whatever the kernel
    imbalance = exact_sum(feasible * y)
    removed = np.abs(alpha - feasible)
    if imbalance:
        heavier = np.where(y * imbalance > 0, feasible, 0)
        # A product so small that it underflows loses at most half of the smallest float.
        removed += heavier * (abs(imbalance) / heavier.sum()) + SMALLEST_SUBNORMAL * (heavier > 0)
    displacement = round_up(float(removed @ scores.norms), 2 * y.size)
    total = exact_sum(feasible)
    balanced = total - abs(imbalance) - 8 * UNIT_ROUNDOFF * (total + abs(imbalance))
    return dual_lower_bound(balanced, scores.squared_norm, displacement)


# Feasible multipliers


def balancing_factors(totals: Array) -> Array:
    """Return factors of the multipliers of two classes, whose sums are given, with Σ α_i y_i = 0.

    The class with the larger sum is scaled down, so that the multipliers stay in their box.
    """
    return np.asarray(totals.min() / np.where(totals > 0, totals, 1))


def balanced_dual(
    totals: Array, relative: float, squared_norm: float, displacement: float = 0.0
) -> tuple[float, float]:
    """Bound D of multipliers times `balancing_factors` from below; say how unbalanced they were.

    The multipliers are in the box. `totals` are the sums of the two classes; their relative
    errors, and those of the factors, are at most `relative`. ‖w‖² and the displacement are of the
    balanced multipliers.
    """
    balanced = 2 * float(totals.min()) * (1 - 2 * relative)
    dual = max(0.0, dual_lower_bound(balanced, squared_norm, displacement))  # D(0) = 0
    return dual, float(np.ptp(totals)) + relative * float(totals.sum())
