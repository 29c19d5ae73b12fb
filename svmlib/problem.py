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

from svmlib._arrays import Array, ReadOnly, lock_arrays
from svmlib._validation import check_array, check_labelled, check_points, check_scalar, check_vector
from svmlib.certificate import Certificate, Scores, certify, kernel_scores, linear_scores
from svmlib.gram_matrix import GramMatrix
from svmlib.kernels import Kernel, Linear, check_kernel, kernel_expansion

__all__ = ["DualProblem", "Solution"]

MAX_C = 1e100  # the largest bound C_i: its square is still a float, even times many samples
_SLOPE_TOL = 1e-12  # times ΣC: how much of the slope of a sum of losses may be rounding of n terms


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
    remedy : str
        What may help if the solver has not converged; may be empty.

    Examples
    --------
    >>> from svmlib.smo import smo
    >>> solution = smo(DualProblem([[0.0], [2.0]], [-1, 1]))
    >>> solution.alpha, solution.b, solution.w, solution.converged
    (array([0.5, 0.5]), -1.0, array([1.]), True)
    >>> solution.certificate.is_optimal(1e-9)
    True
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
    remedy: str = ""


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
        every sample its own C_i, which is how samples and classes are weighted.
    kernel : callable, optional
        A kernel of `svmlib.kernels`, or any function f(X, Z) that returns the matrix of
        k(x_i, z_j); `Linear` if not given.
    cache_mb : float, default 200
        The most megabytes (2²⁰ bytes) of values of the Gram matrix K to keep
        (`svmlib.gram_matrix.GramMatrix`).
    equations_mb : float, default 2000
        The most megabytes that the equations of Newton's method may take. They need 16 bytes for
        every pair of free multipliers.
    move_origin : bool, default False
        Whether to subtract the kernel's `origin` (`svmlib.kernels.Linear` says why). Certificates
        then hold for the bias b − w·origin of the points as given, too.

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
        equations_mb: float = 2000.0,
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
        self.gram_matrix = GramMatrix(self.kernel, self.X, cache_mb, equations_mb)

    def _set_bounds(self, C: float | ArrayLike) -> None:
        self.upper = _check_box(C, self.n)
        self.hard_margin = bool(np.isinf(self.upper[0]))
        ends = self.y * self.upper
        self.beta_min, self.beta_max = np.minimum(0, ends), np.maximum(0, ends)
        lock_arrays(self)

    def with_bounds(self, C: float | ArrayLike) -> DualProblem:
        """Return the problem with other bounds C_i; both problems share K and its sums.

        Returns
        -------
        DualProblem
            The problem with these bounds.

        Raises
        ------
        ValueError
            If the bounds are not what the class accepts for C.
        """
        other = copy(self)
        other._set_bounds(C)
        return other

    @property
    def convex(self) -> bool:
        """Whether K, or K + ηI with its `GramMatrix.diagonal_shift` η, is known to be semidefinite.

        A theorem decides for kernels that have one; otherwise a Cholesky factorisation decides if
        K fits the cache. If K does not fit, the answer is False.
        """
        return self.gram_matrix.diagonal_shift < np.inf

    # The functions of α

    def objective(self, alpha: ArrayLike) -> float:
        """Return D(α) = Σ α_i − ½ Σ α_i α_j y_i y_j k(x_i, x_j).

        Raises
        ------
        ValueError
            If α does not have n finite entries, here and in the methods below.
        """
        alpha = self._check_alpha(alpha)
        beta = alpha * self.y
        return float(alpha.sum() - 0.5 * beta @ self.gram_matrix.matvec(beta))

    def gradient(self, alpha: ArrayLike) -> Array:
        """Return ∂D/∂α_i = 1 − y_i Σ_j α_j y_j k(x_i, x_j), of shape (n,)."""
        return 1 - self.y * self.gram_matrix.matvec(self._check_alpha(alpha) * self.y)

    def decision_function(self, alpha: ArrayLike, b: float, Z: ArrayLike) -> Array:
        """Return f(z) = Σ α_i y_i k(x_i, z) + b for the rows of Z, of shape (m,).

        If the problem has moved the origin, b is the bias of its `Solution`, and Z is as given.

        Raises
        ------
        ValueError
            If an argument has another shape or is not finite.
        """
        Z = check_points(Z, "Z", n_features=self.X.shape[1])
        Z = Z if self.origin is None else Z - self.origin
        b = check_scalar(b, "b")
        return kernel_expansion(self.kernel, self.X, self._check_alpha(alpha) * self.y, Z) + b

    def bias_interval(self, alpha: ArrayLike) -> tuple[float, float]:
        r"""Return both ends of the interval of biases that satisfy the KKT conditions with α.

        With :math:`g_i = y_i - \sum_j \alpha_j y_j k(x_i, x_j)` the KKT conditions say
        :math:`b \ge g_i` wherever :math:`y_i \alpha_i` could grow and :math:`b \le g_i` wherever
        it could shrink. At an optimal α the first end, the largest of the former, is at most the
        second, the smallest of the latter, and every b between them is optimal: one b if there
        is a free multiplier, 0 < α_i < C_i, and possibly many if there is none. At an α that is
        optimal only up to a tolerance, the ends may cross by that tolerance.

        Examples
        --------
        >>> DualProblem([[0.0], [2.0]], [-1, 1], C=0.25).bias_interval([0.25, 0.25])
        (-1.0, 0.0)
        """
        beta = self._check_alpha(alpha) * self.y
        return bias_and_interval(self, beta, self.gram_matrix.matvec(beta))[1:]

    @np.errstate(over="ignore", invalid="ignore")
    def bias(self, alpha: ArrayLike) -> float:
        """Return b: the mean over all free multipliers, or the middle of `bias_interval`.

        Every free multiplier gives b = y_i − Σ_j α_j y_j k(x_i, x_j). The mean reduces their
        rounding. If every α_i is 0 or C_i, only an interval is known, and its middle treats the
        classes alike. If its ends cross because α is far from optimal, and C is finite, b
        minimises the sum of C_i times the hinge loss.
        """
        beta = self._check_alpha(alpha) * self.y
        return bias_and_interval(self, beta, self.gram_matrix.matvec(beta))[0]

    def certificate(self, alpha: ArrayLike, b: float) -> Certificate:
        """Certify any (α, b) from the data alone, with every bound rounded outwards.

        Any cache is large enough, because rows of K that do not fit are evaluated again.

        Returns
        -------
        Certificate
            Of the classifier that (α, b) defines, and of α made feasible.

        Raises
        ------
        ValueError
            If α does not have n finite entries, or b is not a finite number.
        """
        alpha = self._check_alpha(alpha)
        b = check_scalar(b, "b")
        return certify_scores(self, alpha, b, bounded_scores(self, alpha * self.y))

    def _check_alpha(self, alpha: ArrayLike) -> Array:
        return check_vector(alpha, "alpha", length=self.n)


def _check_box(C: float | ArrayLike, n: int) -> Array:
    """Return the C_i of every sample, positive, and all of them finite or all infinite."""
    if np.isscalar(C) or C is None:
        C = check_scalar(C, "C", positive=True, finite=False)
    bounds = check_array(C, "C, times any weights,", finite=False)
    if bounds.shape not in ((), (n,)):
        accepted = f"one number, or one for each of the {n} samples"
        raise ValueError(f"C must be {accepted}, got shape {bounds.shape}")
    upper = np.full(n, bounds)
    if not (upper.min() > 0 and (upper.max() <= MAX_C or np.isinf(upper).all())):
        accepted = f"positive and at most {MAX_C:g}, or infinite for all samples"
        got = f"{upper.min():g} to {upper.max():g}"
        raise ValueError(f"C, times any weights, must be {accepted}, got {got}")
    return upper


# Functions of β and Kβ, without checks


def bias_and_interval(
    problem: DualProblem, beta: Array, scores: Array
) -> tuple[float, float, float]:
    """Return `DualProblem.bias` and the ends of its `bias_interval`, from β and Kβ."""
    g = problem.y - scores
    grows, shrinks = beta < problem.beta_max, beta > problem.beta_min
    low = float(g.max(where=grows, initial=-np.inf))
    high = float(g.min(where=shrinks, initial=np.inf))
    free = g[grows & shrinks]
    if free.size:
        return float(free.sum()) / free.size, low, high
    if low > high and not problem.hard_margin:
        return best_bias_interval(g, problem.y, problem.upper).item(0), low, high
    ends = [end for end in (low, high) if np.isfinite(end)]  # an infeasible α may have none
    return sum(ends) / max(len(ends), 1), low, high


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


@np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and valid
def bounded_scores(problem: DualProblem, beta: Array) -> Scores:
    """Return Kβ and ‖w‖² with bounds on their rounding."""
    if problem.kernel.linear:
        return linear_scores(problem.X, beta, problem.origin)
    K = problem.gram_matrix
    shift = K.diagonal_shift if problem.convex else 0.0
    scores = kernel_scores(K.incremental_matvec(beta), beta, K.error_bound, shift)
    return replace(scores, error=scores.error + problem.kernel.asymmetry(problem.X, beta))


def certify_scores(problem: DualProblem, alpha: Array, b: float, scores: Scores) -> Certificate:
    """Certify (α, b) as `DualProblem.certificate` does, from the `bounded_scores` of β."""
    return replace(
        certify(alpha, b, scores, problem.y, problem.upper),
        weak_duality_holds=problem.convex,
        user_defined_kernel=problem.kernel.user_defined,
        diagonal_shift=problem.gram_matrix.diagonal_shift if problem.convex else 0.0,
    )
