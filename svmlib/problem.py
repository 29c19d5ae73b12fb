"""The dual problem of the support vector machine.

The dual has one number per sample, not one per feature, and uses the points only through the
kernel. Its value is a lower bound on the primal value of every classifier, so a classifier and a
vector of multipliers whose two values meet prove each other optimal. Every solver of this problem
returns such a certificate. With this module you can

- state the problem: `DualProblem` of points, labels, C and a kernel,
- compute its objective, gradient, bias and decision values,
- certify any (α, b) from the data alone: `DualProblem.certificate`.

Derived in chapter 4, *Lagrange duality*; kernels in chapter 5, finite C in chapter 6.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svmlib._read_only import ReadOnly, lock_arrays
from svmlib._rounding import EPS, UNIT_ROUNDOFF, compensated_dot
from svmlib._validation import Array, check_labelled, check_points, check_scalar, check_vector
from svmlib.certificate import (
    Certificate,
    Scores,
    balancing_factors,
    certify,
    kernel_scores,
    linear_scores,
)
from svmlib.gram_matrix import GramMatrix
from svmlib.kernels import Kernel, Linear, check_kernel, kernel_expansion

__all__ = ["DualProblem", "Solution"]

MAX_C = 1e100  # the largest bound C_i: its square is still a float, even times many samples
# Times Σ_j |β_j| ‖φ_i‖ ‖φ_j‖, this usually exceeds the error of a score that a solver updates.
SOLVER_ROUNDING = 32 * UNIT_ROUNDOFF
_MAX_SLACK_ROUNDING = 1e-9  # the largest error of a margin that may be a solver's rounding
_SLOPE_TOL = 1e-12  # times ΣC: how much of the slope of a sum of losses may be rounding of n terms
_BALANCE_TOL = 1e-9  # times Σα: how far Σ α_i y_i of a start may be from 0, by others' rounding


@dataclass(frozen=True, eq=False)
class Solution(ReadOnly):
    """The result of a solver. Its arrays are read only, so the certificate stays valid.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        The multipliers α.
    b : float
        The bias b of f(x) = w·x + b.
    certificate : Certificate
        Bounds on how far (α, b) is from optimal, rounding included.
    n_iter : int
        Iterations taken.
    converged : bool
        Whether the certificate reaches the solver's `tol`.
    trace : tuple
        One record per iteration if the solver was asked to keep them, else empty.
    w : ndarray of shape (d,), or None
        For the linear kernel w = Σ α_i y_i x_i, summed with twice the digits and rounded once. The
        certificate holds for this w.
    pivots, coefficients : ndarray of shapes (r, d) and (r,), or None
        From `svmlib.nystrom.nystrom`: the classifier is f(x) = Σ_p c_p k(x_p, x) + b, and α proves
        the lower bound only.
    advice : str
        What may help if the solver has not converged; may be empty.
    """

    alpha: Array
    b: float
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[Any, ...] = ()
    w: Array | None = None
    pivots: Array | None = None
    coefficients: Array | None = None
    advice: str = ""

    def with_earlier_iterations(self, n_iter: int) -> Solution:
        """Return the same solution, with the iterations that led to its start in `n_iter`."""
        return replace(self, n_iter=n_iter + self.n_iter)


class DualProblem(ReadOnly):
    r"""The dual of the support vector machine.

    .. math::
        \max_\alpha D(\alpha) = \sum_i \alpha_i
        - \tfrac12 \sum_{i,j} \alpha_i \alpha_j y_i y_j k(x_i, x_j)
        \quad\text{subject to}\quad 0 \le \alpha_i \le C_i, \ \sum_i \alpha_i y_i = 0.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Their labels, −1 or +1, both present.
    C : float or array_like of shape (n,), default 1.0
        The soft-margin constant, at most 1e100; ``numpy.inf`` is the hard margin. An array gives
        every sample its own finite C_i, which is how samples and classes are weighted.
    kernel : callable, optional
        A kernel of `svmlib.kernels`, or any function f(X, Z) that returns the matrix of
        k(x_i, z_j); `Linear` if not given.
    cache_mb : float, default 200
        The most megabytes (2²⁰ bytes) of values of the Gram matrix K to keep
        (`svmlib.gram_matrix.GramMatrix`).
    move_origin : bool, default False
        Whether to subtract the kernel's `origin` (`svmlib.kernels.Linear` says why). Certificates
        then hold for the bias that `bias_at_zero` returns, too.

    Attributes
    ----------
    X, y : ndarray
        The points minus the origin, and the labels, as float64 copies. All arrays are read only,
        so certificates stay valid.
    origin : ndarray of shape (d,), or None
        What was subtracted from the points; None if nothing was.
    n : int
        The number of samples.
    upper : ndarray of shape (n,)
        The bounds C_i.
    hard_margin : bool
        Whether the bounds are infinite.
    beta_min, beta_max : ndarray of shape (n,)
        The bounds ℓ_i and u_i of β_i = y_i α_i: 0 and C_i, or −C_i and 0.
    kernel : callable
        The kernel; a user's function is wrapped to have the methods of our own kernels.
    linear : bool
        Whether the kernel is `Linear`.
    diagonal : ndarray of shape (n,)
        The numbers k(x_i, x_i).
    gram_matrix : svmlib.gram_matrix.GramMatrix
        The Gram matrix and its cache.

    Raises
    ------
    ValueError
        If X, y, C or the kernel is not as above, or the cache cannot hold two rows.

    Notes
    -----
    A problem can be pickled if its kernel can. Each thread needs a `copy.deepcopy`, because
    `copy.copy` and `with_bounds` share K. Threads that share K may get an error, but no wrong
    certificate.

    References
    ----------
    Cortes, C. and Vapnik, V. (1995), "Support-vector networks".

    Examples
    --------
    >>> from svmlib.interior_point import interior_point
    >>> problem = DualProblem([[0.0], [2.0], [3.0]], [-1, 1, 1], C=1.0)
    >>> problem.objective([0.5, 0.5, 0.0])
    0.5
    >>> solution = interior_point(problem)
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5, 0. ]), -1.0)
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        C: float | ArrayLike = 1.0,
        kernel: Kernel | None = None,
        *,
        cache_mb: float = 200.0,
        move_origin: bool = False,
    ) -> None:
        self.X, self.y = check_labelled(X, y)
        self.n = self.y.size
        self.kernel = check_kernel(Linear() if kernel is None else kernel)
        self.origin: Array | None = None
        if move_origin and (origin := self.kernel.origin(self.X)).any():
            self.origin = origin
            self.X = self.X - origin
        self._set_bounds(C)
        self.linear = self.kernel.linear
        self.gram_matrix = GramMatrix(self.kernel, self.X, cache_mb)
        self.diagonal = self.gram_matrix.diagonal

    def _set_bounds(self, C: float | ArrayLike) -> None:
        self.upper = _bounds(C, self.n)
        self.hard_margin = bool(np.isinf(self.upper[0]))
        ends = self.y * self.upper
        self.beta_min, self.beta_max = np.minimum(0, ends), np.maximum(0, ends)
        lock_arrays(self)

    def with_bounds(self, C: float | ArrayLike) -> DualProblem:
        """Return the problem with other bounds C_i; both problems share K and its sums.

        Raises
        ------
        ValueError
            If the bounds are not what the class accepts for C.
        """
        other = copy(self)
        other._set_bounds(C)
        return other

    # The Gram matrix

    def gram(self) -> Array:
        """Return the whole Gram matrix K, of shape (n, n), read only.

        Raises
        ------
        ValueError
            If K does not fit the cache; the message says how large the cache must be.
        """
        return self.gram_matrix.to_array()

    @property
    def convex(self) -> bool:
        """Whether K, or K + ηI with its `GramMatrix.diagonal_shift` η, is known to be semidefinite.

        A theorem decides for kernels that have one; otherwise a Cholesky factorisation decides if
        K fits the cache. If K does not fit, the answer is False.
        """
        return self.gram_matrix.diagonal_shift < np.inf

    # What solvers need

    def require_convex(self, method: str) -> None:
        """Raise an error if the problem is not known to be convex, as the method requires.

        Raises
        ------
        ValueError
            If convexity is not known; the message says why, and what to do.
        """
        if not self.convex:
            why = "this could not be proved for the Gram matrix"
            if not self.gram_matrix.fits:
                why = "the Gram matrix is too large to prove it: raise DualProblem's cache_mb"
            reason = f"kernel must be positive semidefinite for {method}, but {why}"
            raise ValueError(f'{reason}; svmlib.smo.smo, or SVC(solver="smo"), accepts any kernel')

    def check_start(self, start: ArrayLike | None) -> Array:
        """Return a feasible start: zero multipliers, or a copy of `start`.

        Raises
        ------
        ValueError
            If `start` is not feasible.
        """
        if start is None:
            return np.zeros(self.n)
        alpha = np.array(check_vector(start, "start", length=self.n))
        balanced = abs(float(alpha @ self.y)) <= _BALANCE_TOL * np.abs(alpha).sum()
        if alpha.min() < 0 or (alpha > self.upper).any() or not balanced:
            raise ValueError("start must be feasible: 0 ≤ α_i ≤ C_i and Σ α_i y_i = 0")
        return alpha

    def balance(self, alpha: Array) -> Array:
        """Return α with Σ α_i y_i = 0: change free multipliers, or else scale one class down.

        Free multipliers change in proportion to their distance from the nearer bound, by at most
        half of it. For all of them ∂D/∂β_i is nearly b, so to first order D changes by −b times the
        imbalance, whichever of them move. If that is not enough, `balancing_factors` scale the
        class with the larger sum. α must be in the box, which is not checked.
        """
        imbalance = float(alpha @ self.y)
        if abs(imbalance) <= self.n * EPS * alpha.sum():  # zero up to rounding
            return alpha
        room = np.minimum(alpha, self.upper - alpha)
        total = float(room.sum())
        if 2 * abs(imbalance) <= total:
            return alpha - (imbalance / total) * self.y * room
        totals = np.array([alpha[self.y > 0].sum(), alpha[self.y < 0].sum()])
        return alpha * balancing_factors(totals).take(self.y < 0)

    # The functions of α

    def objective(self, alpha: ArrayLike) -> float:
        """Return D(α) = Σ α_i − ½ Σ α_i α_j y_i y_j k(x_i, x_j)."""
        alpha = self._check(alpha)
        beta = alpha * self.y
        return float(alpha.sum() - 0.5 * beta @ self.gram_matrix.matvec(beta))

    def gradient(self, alpha: ArrayLike) -> Array:
        """Return ∂D/∂α_i = 1 − y_i Σ_j α_j y_j k(x_i, x_j), of shape (n,)."""
        return 1 - self.y * self.gram_matrix.matvec(self._check(alpha) * self.y)

    def decision_function(self, alpha: ArrayLike, b: float, Z: ArrayLike) -> Array:
        """Return f(z) = Σ α_i y_i k(x_i, z) + b for the rows of Z, of shape (m,).

        If the problem has moved the origin, b is the bias of its `Solution`, and Z is as given.
        """
        Z = check_points(Z, "Z", n_features=self.X.shape[1])
        Z = Z if self.origin is None else Z - self.origin
        b = check_scalar(b, "b")
        return kernel_expansion(self.kernel, self.X, self._check(alpha) * self.y, Z) + b

    def bias_interval(self, alpha: ArrayLike) -> tuple[float, float]:
        r"""Return both ends of the interval of biases that satisfy the KKT conditions with α.

        With :math:`g_i = y_i - \sum_j \alpha_j y_j k(x_i, x_j)` the KKT conditions say
        :math:`b \ge g_i` wherever :math:`y_i \alpha_i` could grow and :math:`b \le g_i` wherever
        it could shrink. At an optimal α the first end, the largest of the former, is at most the
        second, the smallest of the latter, and every b between them is optimal: one b if there
        is a free multiplier, 0 < α_i < C_i, and possibly many if there is none. At an α that is
        optimal only up to a tolerance, the ends may cross by that tolerance.
        """
        beta = self._check(alpha) * self.y
        return self.bias_and_interval(beta, self.gram_matrix.matvec(beta))[1:]

    @np.errstate(over="ignore", invalid="ignore")
    def bias(self, alpha: ArrayLike) -> float:
        """Return b: the mean over all free multipliers, or the middle of `bias_interval`.

        Every free multiplier gives b = y_i − Σ_j α_j y_j k(x_i, x_j). The mean reduces their
        rounding. If every α_i is 0 or C_i, only an interval is known, and its middle treats the
        classes alike. If its ends cross because α is far from optimal, and C is finite, b
        minimises the sum of C_i times the hinge loss.
        """
        beta = self._check(alpha) * self.y
        return self.bias_and_interval(beta, self.gram_matrix.matvec(beta))[0]

    def bias_at_zero(self, solution: Solution) -> float:
        """Return the bias of a solution for the points as they were given, b − w·origin."""
        if self.origin is None or solution.w is None:
            return solution.b
        return solution.b - float(compensated_dot(solution.w, self.origin[:, None])[0][0])

    def bias_and_interval(self, beta: Array, scores: Array) -> tuple[float, float, float]:
        """Return `bias` and `bias_interval` from β and Kβ, without checks."""
        g = self.y - scores
        grows, shrinks = beta < self.beta_max, beta > self.beta_min
        low = float(g.max(where=grows, initial=-np.inf))
        high = float(g.min(where=shrinks, initial=np.inf))
        free = g[grows & shrinks]
        if free.size:
            return float(free.sum()) / free.size, low, high
        if low > high and not self.hard_margin:
            return best_bias_interval(g, self.y, self.upper).item(0), low, high
        ends = [end for end in (low, high) if np.isfinite(end)]  # an infeasible α may have none
        return sum(ends) / max(len(ends), 1), low, high

    def objective_values(
        self, beta: Array, scores: Array, b: float, rounding: float = 0.0
    ) -> tuple[float, float]:
        """Return the primal and the dual value from β, Kβ and b, with their rounding.

        If C is finite, a slack of at most `rounding` counts as zero.
        """
        half_norm = float(beta @ scores) / 2
        slack = 1 - self.y * (scores + b)
        if self.hard_margin:
            primal = float(half_norm / np.square(np.maximum(1 - slack.max(), 0)))
        else:
            primal = half_norm + float(self.upper @ np.maximum(slack - rounding, 0))
        return primal, float(np.abs(beta).sum()) - half_norm

    @np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and valid
    def scores(self, beta: Array) -> Scores:
        """Return Kβ and ‖w‖² with bounds on their rounding, without checks."""
        if self.linear:
            return linear_scores(self.X, beta, self.origin)
        K = self.gram_matrix
        shift = K.diagonal_shift if self.convex else 0.0
        scores = kernel_scores(K.incremental_matvec(beta), beta, K.error_bound, shift)
        return replace(scores, error=scores.error + self.kernel.asymmetry(self.X, beta))

    def certificate(self, alpha: ArrayLike, b: float) -> Certificate:
        """Certify any (α, b) from the data alone, with every bound rounded outwards.

        Any cache is large enough, because rows of K that do not fit are evaluated again.

        Raises
        ------
        ValueError
            If α does not have n finite entries, or b is not a finite number.
        """
        alpha = self._check(alpha)
        b = check_scalar(b, "b")
        return self._certify(alpha, b, self.scores(alpha * self.y))

    def _certify(self, alpha: Array, b: float, scores: Scores) -> Certificate:
        return replace(
            certify(alpha, b, scores, self.y, self.upper),
            weak_duality_holds=self.convex,
            user_defined_kernel=self.kernel.user_defined,
            diagonal_shift=self.gram_matrix.diagonal_shift if self.convex else 0.0,
        )

    @np.errstate(over="ignore", invalid="ignore")
    def solution(
        self,
        alpha: Array,
        b: float | None = None,
        *,
        tol: float,
        n_iter: int = 0,
        trace: tuple[Any, ...] = (),
    ) -> Solution:
        """Return α and b (by default the `bias` of α) as a `Solution`, with their certificate.

        If rounding keeps the duality gap above `tol`, α and b are divided by a number between ½
        and 1 where that makes the duality gap smaller.
        """
        scores = self.scores(alpha * self.y)
        b = self.bias_and_interval(alpha * self.y, scores.values)[0] if b is None else b
        certificate = self._certify(alpha, b, scores)
        # For the hard margin the certificate scales (w, b) anyway.
        if not (certificate.reaches(tol) or self.hard_margin):
            divisor = _rounding_divisor(alpha, b, scores, self.y)
            if 0.5 < divisor < 1:
                longer = self.balance(np.minimum(alpha / divisor, self.upper))
                other = self.scores(longer * self.y)
                better = self._certify(longer, b / divisor, other)
                if better.gap < certificate.gap:
                    alpha, b, certificate, scores = longer, b / divisor, better, other
        converged = certificate.reaches(tol)
        return Solution(alpha.copy(), b, certificate, n_iter, converged, trace, scores.w)

    def _check(self, alpha: ArrayLike) -> Array:
        return check_vector(alpha, "alpha", length=self.n)


def require_problem(problem: object) -> DualProblem:
    """Return the argument of a solver if it is a `DualProblem`."""
    if not isinstance(problem, DualProblem):
        advice = "write DualProblem(X, y, C)"
        raise ValueError(f"problem must be a DualProblem, got {problem!r:.80}; {advice}")
    return problem


def _rounding_divisor(alpha: Array, b: float, scores: Scores, y: Array) -> float:
    """Return a divisor of (α, b), at most 1, for which rounding leaves free samples no slack.

    With a large C, the slack that a solver's rounding leaves costs more than a longer w. The
    divisor is the smallest lower bound of a margin that may reach 1, up to the solver's rounding,
    minus what the next bound may lose.
    """
    margin_lower, margin_upper = scores.margins(b, y)
    rounding = SOLVER_ROUNDING * float(np.abs(alpha) @ scores.norms) * scores.norms
    free = margin_upper + np.minimum(rounding, _MAX_SLACK_ROUNDING) >= 1
    return float((2 * margin_lower - margin_upper).min(where=free, initial=1.0))


def _bounds(C: float | ArrayLike, n: int) -> Array:
    """Return C_i for every sample."""
    if np.ndim(C) == 0:
        upper = np.full(n, check_scalar(C, "C", positive=True, finite=False))
    else:
        upper = np.array(check_vector(C, "C, times any weights,", length=n))
        if upper.min() <= 0:
            raise ValueError(f"C, times any weights, must be positive, got {upper.min()}")
    if MAX_C < upper.max() < np.inf:
        raise ValueError(f"C must be at most {MAX_C:g}, or infinity, got {upper.max():g}")
    return upper


def without_bias(X: Array, y: Array, C: Array | float) -> DualProblem:
    """Return the problem without a bias as one with a bias: each sample and its mirror image.

    A sample and (−x, −y) have the same margin for b = 0, and in Σ α_i y_i they cancel. So b = 0 is
    optimal, and the multipliers of a pair, with half the C each, add up to the sample's multiplier.
    """
    halves = np.tile(np.full(y.size, np.divide(C, 2)), 2)
    bounds = halves if np.isfinite(C).all() else np.inf
    return DualProblem(np.vstack([X, -X]), np.append(y, -y), bounds)


def best_bias_interval(breakpoints: Array, y: Array, C: Array) -> Array:
    """Return the ends of the interval of all b that minimise Σ C_i max(0, 1 − y_i (s_i + b)).

    As b grows past a breakpoint y_i − s_i the slope of the sum grows by C_i. It starts at −Σ C_i
    over the positive samples, and is 0 between the two breakpoints returned, or changes its sign at
    one of them.
    """
    order = breakpoints.argsort(kind="stable")
    slope = C[order].cumsum() - C.sum(where=y > 0)
    tolerance = _SLOPE_TOL * C.sum()
    ends = slope.searchsorted([-tolerance, tolerance])
    return np.asarray(breakpoints[order].take(ends, mode="clip"))
