"""Nyström features: a kernel machine in the span of a few samples, with a certificate.

If the Gram matrix K is nearly of low rank, the features φ(x_i) of all samples are close to the span
of those of a few, the *pivots*. A machine in that span is a linear machine with r features per
sample, and a prediction takes r kernel values. It is a machine of the kernel, too, and its distance
from the optimum can be bounded with no kernel values but the diagonal and those between samples and
pivots: n (r + 1) numbers, where K has n². With this module you can

- choose pivots, and make features of any points: `PivotSpan`,
- get the features of all samples at once, if few are enough: `low_rank`,
- solve a problem whose Gram matrix does not fit in memory, with a certificate: `nystrom`.

Derived in chapter 13, *Many samples*.

Williams, C. K. I. and Seeger, M. (2001), "Using the Nyström method to speed up kernel machines".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import inf
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpstrf

from svmlib._arrays import Array, Indices, ReadOnly, megabytes
from svmlib._rounding import SMALLEST_NORMAL, format_bound, gamma_n, round_up
from svmlib._solvers import check_problem
from svmlib._validation import check_array, check_points, check_scalar, check_stopping_rule
from svmlib._warnings import warn_unless_converged
from svmlib.certificate import (
    Certificate,
    balanced_dual,
    balancing_factors,
    largest_violation,
    primal_upper_bound,
    unbounded_scores,
)
from svmlib.kernels import BLOCK_SIZE, ClassicKernel, Kernel, check_kernel, is_classic
from svmlib.newton import newton_multipliers
from svmlib.problem import MAX_C, DualProblem, Solution, bias_and_interval

__all__ = ["PivotSpan", "low_rank", "nystrom"]

_MIN_SAMPLE = 200  # pivots are chosen among this number of samples plus n/20
MAX_SAMPLE = 3000  # the most samples among which pivots are chosen
_MIN_RESIDUAL = 1e-13  # of the mean of k(x, x): smaller residuals are rounding
_MAX_UNEXPLAINED = 1 / 200  # of the sum of k(x, x): what ΦΦᵀ may miss over all points
_FORECAST_SAMPLES = 2000
_SEMIDEFINITE = "a kernel of svmlib.kernels that is always positive semidefinite"
_PHI_COPIES = 3  # of Φ: itself, less its mean, and the rows of the free samples


def random_rows(n: int, count: int, seed: int | None = None) -> Indices:
    """Return at most `count` of n row numbers at random, repeatably (the default seed is n)."""
    return np.random.default_rng(n if seed is None else seed).permutation(n)[:count]


def pivoted_cholesky(K: Array, residual: float) -> tuple[Indices, Array]:
    """Return the pivots S of a Gram matrix and U, upper triangular, with UᵀU = K_SS.

    Each step takes the point with the largest residual of k(x, x), until none is larger than
    `residual`. The first point is a pivot however small its residual is, unless K is 0.
    """
    U, order, rank, _ = dpstrf(K, tol=residual)
    return order[:rank] - 1, np.triu(U[:rank, :rank])


def _right_divide(A: Array, U: Array, transposed: bool = False) -> Array:
    """Return A U⁻¹, or A U⁻ᵀ, in place of A."""
    return np.asarray(dtrsm(1.0, U, A.T, trans_a=not transposed, overwrite_b=1).T)


@dataclass(frozen=True, eq=False)
class PivotSpan(ReadOnly):
    r"""The span of a few samples (pivots), and its Nyström features :math:`K_{\cdot S} U^{-1}`.

    Attributes
    ----------
    kernel : callable
        A kernel of `svmlib.kernels` that is positive semidefinite whatever the points.
    pivots : ndarray of shape (r, d)
        The pivots.
    factor : ndarray of shape (r, r)
        U, upper triangular, with :math:`U^\top U = K_{SS}` up to rounding.

    Raises
    ------
    ValueError
        If the kernel is another, or pivots and factor do not have these shapes.

    References
    ----------
    Fine, S. and Scheinberg, K. (2001), "Efficient SVM training using low-rank kernel
    representations".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> sample = np.linspace(0, 1, 50)[:, None]
    >>> span = PivotSpan.of_sample(RBF(1.0), sample, 1e-9)
    >>> X = np.array([[0.123], [0.456]])
    >>> Phi = span.features(X)
    >>> bool(np.abs(Phi @ Phi.T - RBF(1.0)(X, X)).max() < 1e-8), span.rank < 10
    (True, True)
    """

    kernel: ClassicKernel
    pivots: Array
    factor: Array

    def __post_init__(self) -> None:
        pivots, factor = check_array(self.pivots, "pivots"), check_array(self.factor, "factor")
        if pivots.ndim != 2 or factor.shape != (len(pivots), len(pivots)):
            shapes = f"{pivots.shape} and {factor.shape}"
            raise ValueError(f"pivots and factor must be (r, d) and (r, r), got shapes {shapes}")
        kernel = check_semidefinite(self.kernel)
        vars(self).update(kernel=kernel, pivots=pivots, factor=factor)
        super().__post_init__()

    @classmethod
    def of_sample(cls, kernel: ClassicKernel, X: ArrayLike, residual: float) -> PivotSpan:
        """Choose pivots among the rows of X by the `pivoted_cholesky` factorisation of their K.

        It ends when no residual of k(x, x) is larger than `residual`, or only rounding is left.

        Parameters
        ----------
        kernel : callable
            The kernel, as above.
        X : array_like of shape (n, d)
            The sample.
        residual : float
            The largest residual to leave, in units of k(x, x).

        Returns
        -------
        PivotSpan
            Its pivots are rows of X, those with the largest residuals first.

        Raises
        ------
        ValueError
            If an argument is not as above.
        """
        residual = check_scalar(residual, "residual", finite=False)
        X = check_points(X)
        K = check_semidefinite(kernel)(X, X)
        pivots, U = pivoted_cholesky(K, max(residual, _MIN_RESIDUAL * float(K.diagonal().mean())))
        return cls(kernel, X[pivots], U)

    @property
    def rank(self) -> int:
        """The number of pivots, r."""
        return len(self.pivots)

    @cached_property
    def gram(self) -> Array:
        """The kernel values of the pivots, as computed."""
        return self.kernel(self.pivots, self.pivots)

    def leading(self, residual: float, max_rank: float = inf) -> PivotSpan:
        """Return the first pivots, as many as `residual` needs, but at most `max_rank`.

        Returns
        -------
        PivotSpan
            The span of these pivots.

        Raises
        ------
        ValueError
            If no pivot is left: the kernel is 0 at all samples.
        """
        rank = int(min(float(np.sum(self.factor.diagonal() ** 2 > residual)), max_rank))
        if not rank:
            raise ValueError("kernel must not be 0 at all samples")
        return PivotSpan(self.kernel, self.pivots[:rank], self.factor[:rank, :rank])

    def features(self, X: ArrayLike) -> Array:
        r"""Return the features :math:`\Phi = K_{XS} U^{-1}` of shape (n, r) for the rows of X.

        Raises
        ------
        ValueError
            If X is not a finite array of shape (n, d).
        """
        X = check_points(X, n_features=self.pivots.shape[1])
        Phi = np.empty((len(X), self.rank))
        evaluate = self.kernel.evaluator(self.pivots)
        for block in self.blocks(len(X)):
            Phi[block] = _right_divide(evaluate(X[block], Phi[block]), self.factor)
        return Phi

    def coefficients(self, Phi: Array) -> Array:
        r"""Return :math:`A = \Phi U^{-\top}` of shape (n, r), in place of Φ.

        Row i has the coefficients of the vector of the span whose features are row i of Φ: with
        :math:`c = A_i` it is :math:`\sum_p c_p \varphi(x_p)`, and its inner product with φ(x) is
        :math:`\sum_p c_p k(x_p, x)`. For a linear machine w on the features this c is the kernel
        machine. Φ is a float64 array, which is not checked.

        Examples
        --------
        >>> from svmlib.kernels import Linear
        >>> span = PivotSpan.of_sample(Linear(), [[2.0], [1.0]], 1e-9)
        >>> span.pivots, span.coefficients(np.array([[3.0]]))  # 3 = 1.5 · 2
        (array([[2.]]), array([[1.5]]))
        """
        return _right_divide(Phi, self.factor, transposed=True)

    def blocks(self, n: int) -> Iterator[slice]:
        """Cut n rows into blocks whose r columns a processor's cache can hold."""
        step = max(1, BLOCK_SIZE // self.rank)
        return (slice(start, start + step) for start in range(0, n, step))


# What a machine in the span proves

# The metadata of a field of which `merge_sums` keeps the largest value, or NaN if there is one.
MERGE_BY_MAX = {"merge": lambda values: float(np.max(values))}


def merge_sums(parts: Sequence[Any]) -> Any:
    """Return the sums of several blocks of rows as one; the metadata of a field say how."""
    columns = ((f, [getattr(part, f.name) for part in parts]) for f in fields(parts[0]))
    return type(parts[0])(*(f.metadata.get("merge", sum)(values) for f, values in columns))


@dataclass(frozen=True, eq=False)
class SpanSums:
    """The largest violation of rows, and their sums, for `certify_in_span`.

    Sums of multipliers are by class, + first.
    """

    violation: float = field(metadata=MERGE_BY_MAX)  # of the KKT conditions
    hinge: float  # an upper bound on Σ C_i max(0, 1 − y_i f(x_i))
    total: Array  # Σ α_j
    coefficients: Array  # Σ α_j a_j
    residual: Array  # Σ α_j g_j
    distance: Array  # upper bounds on Σ α_j ‖ρ_j‖
    norm_bound: Array  # Σ α_j (N_j + λ_j), where N_j + λ_j is at least ‖ρ_j‖
    residual_error: Array  # Σ α_j ε (N_j + λ_j)


@np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
def span_sums(
    span: PivotSpan, c: Array, b: float, X: Array, y: Array, alpha: Array, upper: Array
) -> SpanSums:
    r"""Judge f(x) = Σ_p c_p k(x_p, x) + b and the multipliers of some rows, 0 ≤ α_i ≤ C_i.

    Any floats a_j define :math:`\rho_j = \varphi(x_j) - \sum_p a_{jp} \varphi(x_p)`. Here they are
    the computed coefficients of row j, taken as exact, so it does not matter how well the systems
    were solved. With :math:`g_j = K_{jS} - a_j K_{SS}`,

    .. math::
        \lVert \rho_j \rVert^2 = k(x_j, x_j) - a_j \cdot K_{jS} - a_j \cdot g_j .

    *Rounding.* A kernel value is off by at most θ times the norms N of its two points
    (`kernel.error_bound`). With λ_j = Σ_p |a_jp| N_p and ε = θ + γ_{2r+16} (1 + θ), a computed g_jq
    is off by at most ε (N_j + λ_j) N_q, and the square by ε (N_j + λ_j)²: both are sums of products
    of numbers of the sizes N_j and λ_j. They need 2r + 4 operations at most. The others are for the
    root of the square, and for the rounding of these bounds, which is of second order. What
    underflows in the square is far below ε N_j², because no row but 0 has a norm bound below 2⁻⁵⁰⁰.
    """
    r = span.rank
    evaluate = span.kernel.evaluator(span.pivots)
    parts = []
    for block in span.blocks(len(X)):
        x, signs, multipliers = X[block], y[block], alpha[block]
        K = evaluate(x, np.empty((len(x), r)))
        bound = span.kernel.error_bound(np.vstack([span.pivots, x]))
        pivot_norms, norms = bound.norms[:r], bound.norms[r:]
        error = _relative_error(bound.theta, r)
        norm_w = float(np.abs(c) @ pivot_norms)  # ‖w‖ is at most this
        # What underflows in a score is far below the rounding of 1 − y f, which is counted.
        scores = unbounded_scores(K @ c, norms, error=error * norm_w * norms)
        margin_lower, margin_upper = scores.margins(b, signs)
        support = np.flatnonzero(multipliers)
        by_class = multipliers[support] * (signs[support] == np.array([[1], [-1]]))
        distances, A, residual, norm_bounds = _residuals(
            span, x[support], K[support], error, norms[support], pivot_norms
        )
        parts.append(
            SpanSums(
                violation=largest_violation(margin_lower, margin_upper, multipliers, upper[block]),
                hinge=primal_upper_bound(0.0, margin_lower, upper[block]),
                total=by_class.sum(axis=1),
                coefficients=by_class @ A,
                residual=by_class @ residual,
                distance=by_class @ distances,
                norm_bound=by_class @ norm_bounds,
                residual_error=error * (by_class @ norm_bounds),
            )
        )
    merged: SpanSums = merge_sums(parts)
    return merged


def _residuals(
    span: PivotSpan, X: Array, K: Array, error: float, norms: Array, pivot_norms: Array
) -> tuple[Array, Array, Array, Array]:
    """Return upper bounds on ‖ρ_j‖, the a_j and g_j, and N_j + λ_j, for the rows of X."""
    A = span.coefficients(_right_divide(K.copy(), span.factor))
    residual = K - A @ span.gram
    norm_bounds = norms + np.abs(A) @ pivot_norms
    squares = span.kernel.diagonal(X) if len(X) else np.zeros(0)
    squares = squares - np.einsum("ij,ij->i", A, K + residual)
    return np.sqrt(squares + error * norm_bounds**2), A, residual, norm_bounds


@np.errstate(over="ignore", invalid="ignore")
def certify_in_span(sums: SpanSums, span: PivotSpan, c: Array, n: int) -> Certificate:
    r"""Judge a classifier in the span, and the multipliers of n samples, by their `span_sums`.

    *Primal.* :math:`\lVert w \rVert^2 = c^\top K_{SS}\, c`, and the hinge losses are those of exact
    scores.

    *Dual.* `balancing_factors` make the multipliers feasible. With
    :math:`a = \sum \beta_j a_j` and :math:`g = \sum \beta_j g_j` their w is
    :math:`\sum_p a_p \varphi(x_p) + \sum_j \beta_j \rho_j`, so

    .. math::
        \lVert w \rVert^2 \le a^\top K_{SS}\, a + 2\, a \cdot g
            + \Bigl( \sum_j \alpha_j \lVert \rho_j \rVert \Bigr)^2 .

    *Rounding.* A sum over n rows is off by γ_n of the sizes of its terms. That moves w by at most
    3 γ_n Σ α_j (N_j + λ_j): γ_n for a, and 2 γ_n for the factors that scale the classes. The sum of
    the ‖ρ_j‖ ≤ N_j + λ_j may be too small by γ_n, and a·g, which is at most Σ α_j λ_j Σ α_j ‖ρ_j‖,
    by γ_{n+r} of that. So it counts 5 γ_{n+r+18}, and 2r + 16 operations in ε, as `span_sums` does,
    which covers the rounding of these bounds and of their squares.
    """
    r = span.rank
    relative = gamma_n(n + r + 18)
    bound = span.kernel.error_bound(span.pivots)
    norms, error = bound.norms, _relative_error(bound.theta, r)

    def squared(a: Array) -> float:
        size = float(np.abs(a) @ norms)  # at least ‖Σ a_p φ(x_p)‖
        # The smallest normal float is far more than all that underflows.
        square = float(a @ span.gram @ a) + (error * (size * size) + SMALLEST_NORMAL)
        return square if square >= 0 else inf  # −∞ and NaN prove nothing

    # Rounding has moved the w of the multipliers by at most `moved`.
    signed = np.array([1, -1]) * balancing_factors(sums.total)
    a, g = signed @ sums.coefficients, signed @ sums.residual
    class_bounds = sums.norm_bound, sums.distance, sums.residual_error
    norm_bound, distance, residual_error = (float(np.abs(signed) @ each) for each in class_bounds)
    norm = float(np.sqrt(squared(a)))
    moved = 5 * relative * norm_bound
    distance += moved
    product = float(a @ g)  # −∞ would count as a norm of 0
    # ε has twelve operations to spare, so each ‖ρ_j‖ counts √(12u) (N_j + λ_j) or more, and
    # `distance` has room for the rounding of this.
    cross_error = residual_error * float(np.abs(a) @ norms) + norm * moved
    cross = product + cross_error if product > -inf else inf
    squared_norm = norm * norm + distance * distance + 2 * cross
    dual, infeasibility = balanced_dual(sums.total, relative, squared_norm)
    w_squared = squared(c)
    return Certificate(
        primal=round_up(w_squared / 2 + sums.hinge, n),
        dual=dual,
        kkt_violation=round_up(sums.violation),
        infeasibility=infeasibility,
        norm_w=float(np.sqrt(w_squared)),
    )


def _relative_error(theta: float, r: int) -> float:
    """Return ε: what r kernel values, and sums of their products, may lose."""
    return theta + gamma_n(2 * r + 16) * (1 + theta)


# The solver


def nystrom(
    problem: DualProblem, *, tol: float = 1e-3, memory_mb: float = 2000.0, max_iter: int = 1000
) -> Solution:
    r"""Solve a problem in the span of a few pivots, with a certificate for the kernel's problem.

    Newton's method solves the linear problem with the features Φ. Its w = Φᵀβ is a vector of the
    span of the pivots, :math:`\sum_p c_p \varphi(x_p)` with :math:`c = U^{-1} w`. This classifier
    and the multipliers are certified for the *kernel's* problem; `certify_in_span` has the bounds.

    Parameters
    ----------
    problem : DualProblem
        The problem, with a kernel of `svmlib.kernels` that is positive semidefinite whatever the
        points, and finite C.
    tol : float, default 1e-3
        The relative duality gap to prove.
    memory_mb : float, default 2000
        How many megabytes (2²⁰ bytes) three copies of the features may take.
    max_iter : int, default 1000
        The most steps of Newton's method.

    Returns
    -------
    Solution
        With the pivots, and their coefficients c; the scores of the classifier are
        Σ_p c_p k(x_p, x) + b. With a `sklearn.exceptions.ConvergenceWarning` that names the gap,
        and the memory, if they do not prove `tol`.

    Raises
    ------
    ValueError
        If an argument is not as above, or the memory does not hold a single feature.

    Notes
    -----
    *How many pivots?* In exact arithmetic the span adds at most a share C Σ_i e_i of the primal
    value to the gap, where e_i is the residual of k(x_i, x_i). So pivots are taken, in a sample of
    the points, until no residual is larger than tol / Σ C_i. The certificate includes the
    residuals of all other samples.

    *Cost.* About n r² multiplications per step, n r kernel values and memory for 3 n r numbers.

    *Progress.* After ``logging.basicConfig(level="INFO")`` there is a line per step.

    References
    ----------
    Williams, C. K. I. and Seeger, M. (2001), "Using the Nyström method to speed up kernel
    machines".

    Fine, S. and Scheinberg, K. (2001), "Efficient SVM training using low-rank kernel
    representations".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(6000, 1))
    >>> y = np.where(np.sin(3 * X[:, 0]) > 0, 1, -1)
    >>> solution = nystrom(DualProblem(X, y, 1.0, RBF(1.0)))
    >>> solution.converged, len(solution.pivots) < 20
    (True, True)
    """
    tol, max_iter = check_stopping_rule(tol, max_iter)
    span = choose_span(check_problem(problem), tol)
    solution = run_nystrom(problem, tol, max_iter, span, memory_mb)
    warn_unless_converged(solution, "nystrom", tol, solution.remedy)
    return solution


def provably_semidefinite(kernel: object) -> TypeGuard[ClassicKernel]:
    """Return whether a theorem proves every K semidefinite, so that residuals are squares."""
    return is_classic(kernel) and kernel.positive_semidefinite


def check_semidefinite(kernel: object) -> ClassicKernel:
    """Return a kernel that is `provably_semidefinite`; refuse others."""
    if not provably_semidefinite(kernel):
        raise ValueError(f"kernel must be {_SEMIDEFINITE}, got {kernel!r:.80}")
    return kernel


def choose_span(problem: DualProblem, tol: float) -> PivotSpan:
    """Return as many pivots as a gap of `tol` needs, or all pivots of a sample if it needs more."""
    if problem.hard_margin or not provably_semidefinite(problem.kernel):
        required = f"a finite C and {_SEMIDEFINITE}"
        got = f"C up to {problem.upper.max():g} and {problem.kernel!r:.80}"
        raise ValueError(f"problem must have {required}, got {got}")
    sample = problem.X[random_rows(problem.n, sample_size(problem.n))]
    return PivotSpan.of_sample(problem.kernel, sample, tol / float(problem.upper.sum()))


def max_rank_in_memory(n: int, memory_mb: float) -> float:
    """Return how many pivots fit in memory; if none, raise an error that says what one needs."""
    mb_per_pivot = megabytes(_PHI_COPIES * n)
    max_rank = check_scalar(memory_mb, "memory_mb", positive=True, finite=False) / mb_per_pivot
    if max_rank < 1:
        least = format_bound(mb_per_pivot)
        raise ValueError(f"memory_mb must be at least {least} for a feature of {n} samples")
    return max_rank


def run_nystrom(
    problem: DualProblem, tol: float, max_iter: int, span: PivotSpan, memory_mb: float
) -> Solution:
    """Return the best classifier in the span of as many of the pivots as there is room for."""
    n = problem.n
    rank = span.rank
    span = span.leading(0.0, max_rank_in_memory(n, memory_mb))
    # In use are the features, those less their mean, and those of the free samples. The features
    # have no name here: it would keep a fourth copy.
    cache_mb = megabytes(4 * n)  # for a few rows of K
    linear = DualProblem(span.features(problem.X), problem.y, problem.upper, cache_mb=cache_mb)
    alpha, steps = newton_multipliers(linear, tol / 2, max_iter, np.zeros(n))
    w = (alpha * problem.y) @ linear.X
    b = bias_and_interval(linear, alpha * problem.y, linear.X @ w)[0]
    del linear
    c = span.coefficients(w[None])[0]
    sums = span_sums(span, c, b, problem.X, problem.y, alpha, problem.upper)
    proof = certify_in_span(sums, span, c, n)
    remedy = f"{span.rank} pivots of a sample do not span the features of all samples"
    if rank > span.rank:
        enough = format_bound(megabytes(_PHI_COPIES * n * rank))
        remedy = f"memory_mb={memory_mb:g} has room for {span.rank} pivots, {rank} take {enough}"
    remedy += '; solver="smo" evaluates all kernel values, which may take hours'
    converged = proof.is_optimal_or_stationary(tol)
    return Solution(
        alpha, b, proof, len(steps), converged, pivots=span.pivots, coefficients=c, remedy=remedy
    )


def forecast_relative_gap(problem: DualProblem, tol: float, span: PivotSpan, n: int) -> float:
    """Estimate the relative gap that a span will prove, from samples that it was not made for.

    They are fewer than all n samples (the problem may hold only some of these), so they get a
    larger C in proportion, and the sums have about the same values.
    """
    y = problem.y
    chosen = random_rows(y.size, y.size)[-_FORECAST_SAMPLES:]
    chosen = np.append(chosen, [y.argmin(), y.argmax()])  # both classes
    upper = np.minimum(problem.upper[chosen] * (n / chosen.size), MAX_C)
    subproblem = DualProblem(problem.X[chosen], y[chosen], upper, problem.kernel)
    return run_nystrom(subproblem, tol, 100, span, inf).certificate.relative_gap


def sample_size(n: int) -> int:
    """Return the number of samples, out of n, among which pivots are chosen."""
    return min(_MIN_SAMPLE + n // 20, n // 2 + 1, MAX_SAMPLE)


def low_rank(
    kernel: Kernel, X: ArrayLike, *, max_rank: float = inf, tol: float = 1e-7
) -> Array | None:
    r"""Return Φ of shape (n, r) with ΦΦᵀ close to K and r small, or None if none is found.

    A pivoted Cholesky factorisation of K for a random sample of the points takes the point with the
    largest residual of k(x, x) each time, until no residual is more than `tol` times the mean of
    k(x, x). If that takes r points S, :math:`\Phi = K_{\cdot S} U^{-1}` with
    :math:`U^\top U = K_{SS}`, so that ΦΦᵀ is the Nyström approximation. Points outside the sample
    may have larger residuals; only the sum of all residuals is checked.

    Parameters
    ----------
    kernel : callable
        A kernel of `svmlib.kernels` that is positive semidefinite whatever the points.
    X : array_like of shape (n, d)
        The points.
    max_rank : float, optional
        The largest r to return.
    tol : float, default 1e-7
        Where the factorisation stops, relative to the mean of k(x, x).

    Returns
    -------
    ndarray of shape (n, r), or None
        Φ; None for any other kernel; if r would be 0, more than `max_rank`, or about half of the
        sample (a good half of the points, but at most 200 + n/20 of them and 3000); or if the
        residuals of all points add up to more than a 200th of the sum of k(x, x).

    Raises
    ------
    ValueError
        If an argument is not as above.

    References
    ----------
    Fine, S. and Scheinberg, K. (2001), "Efficient SVM training using low-rank kernel
    representations".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> X = np.linspace(0, 1, 1000)[:, None]
    >>> Phi = low_rank(RBF(1.0), X)
    >>> error = np.abs(Phi @ Phi.T - RBF(1.0)(X, X)).max()
    >>> Phi.shape[1] < 10, bool(error < 1e-5)
    (True, True)
    """
    X = check_points(X)
    max_rank = check_scalar(max_rank, "max_rank", positive=True, finite=False)
    tol = check_scalar(tol, "tol", positive=True)
    checked = check_kernel(kernel)
    if not provably_semidefinite(checked):
        return None
    mean_diagonal = float(checked.diagonal(X).mean())
    sample = X[random_rows(len(X), sample_size(len(X)))]
    span = PivotSpan.of_sample(checked, sample, tol * mean_diagonal)
    if not 0 < span.rank <= min(len(sample) // 2 - 1, max_rank):
        return None
    Phi = span.features(X)
    unexplained = mean_diagonal - float(np.vdot(Phi, Phi)) / len(X)
    return Phi if unexplained <= _MAX_UNEXPLAINED * mean_diagonal else None
