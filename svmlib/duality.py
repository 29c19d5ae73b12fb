"""The dual problem of the support vector machine, and the certificate that an answer is right.

The dual has one number a sample instead of one a feature, and sees the points only through the
kernel. Its value is a lower bound on the primal value of every classifier, so a classifier and a
vector of multipliers whose two values meet prove each other optimal: that is the certificate that
every solver of this library returns. With this module you can

- state the problem: `DualProblem` of points, labels, C and a kernel,
- ask it for its objective, gradient, bias and decision values,
- have any (α, b) judged from the data alone: `DualProblem.certificate`,
- solve it in two ways that show how: `solve_slsqp` and `solve_interior_point`.

Derived in chapter 4, *Lagrange duality*.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from functools import cached_property
from math import fsum
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import daxpy
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from svmlib._rounding import TINIEST, UNIT, blocks, gamma, terms, up, weighted_sum
from svmlib._validation import (
    Array,
    check_count,
    check_labelled,
    check_points,
    check_scalar,
    check_vector,
)
from svmlib.certificate import Certificate, printed
from svmlib.hulls import NotSeparableError, Separation
from svmlib.kernels import (
    BLOCK,
    Expansion,
    Kernel,
    Known,
    Linear,
    PointwiseKernel,
    Precomputed,
    against,
    check_kernel,
    diagonal,
    expansion,
    kernel_expansion,
    linear_expansion,
    unbounded,
)

__all__ = [
    "DualProblem",
    "InteriorStep",
    "Solution",
    "solve_interior_point",
    "solve_slsqp",
]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
_HUGE = float(np.finfo(float).max)
_SMALL = 3400  # up to here the whole Gram matrix (92 MB) costs less than asking row by row
ROUNDING = 16 * _EPS  # of a solver's sums of products, as a part of the sum of their sizes
_DOUBT = 1e-9  # of a margin, and no more, is put down to that
_ACCURATE = 1e-6  # the relative gap that the two solvers of this module must reach
LARGEST_MULTIPLIER = 1e140  # larger ones leave no room for their squares
_LARGEST_JUDGED = 1e300  # sums of so large ones are floats; where squares are not, bounds are ∞
_LARGEST_FACTOR = 2000  # the largest Gram matrix we factor only to learn if it is semidefinite


def check_problem(problem: object) -> DualProblem:
    """Return the problem if it is one, or say how to make one of points and labels."""
    if not isinstance(problem, DualProblem):
        raise ValueError(
            f"problem must be a DualProblem, as DualProblem(X, y, C, kernel) makes it, "
            f"got {problem!r:.80}"
        )
    return problem


def check_start(start: ArrayLike, problem: DualProblem) -> Array:
    """Return multipliers to begin with, if they are feasible."""
    alpha = check_vector(start, "start", length=problem.n)
    total = float(np.abs(alpha).sum())
    balanced = abs(float(alpha @ problem.y)) <= 1e-9 * total
    if alpha.min() < 0 or (alpha > problem.upper).any() or not balanced:
        raise ValueError("start must be feasible: 0 ≤ α_i ≤ C_i and Σ α_i y_i = 0")
    return alpha


def _megabytes(count: int) -> str:
    """Return how many megabytes hold so many floats, rounded up, so that whoever asks gets it."""
    return printed(8 * count / 2**20, ROUND_CEILING)


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver returns.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        The multipliers α.
    b : float
        The bias b of f(x) = w·x + b.
    certificate : Certificate
        How good (α, b) is, recomputed from the data.
    n_iter : int
        Iterations taken.
    converged : bool
        Whether the solver's own stopping test was met.
    trace : tuple
        One record an iteration if the solver was asked to keep them, else empty.
    """

    alpha: Array
    b: float
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[Any, ...] = ()


class DualProblem:
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
        The soft-margin constant; ``numpy.inf`` is the hard margin. An array gives every sample
        its own finite C_i, which is how samples and classes are weighted.
    kernel : callable, optional
        A kernel of `svmlib.kernels`, or any function f(X, Z) that returns the matrix of
        k(x_i, z_j); `Linear` if not given.
    cache_mb : float, default 200
        How many megabytes (2²⁰ bytes) of rows of the Gram matrix K may be kept.

    Attributes
    ----------
    X, y : ndarray
        The points and the labels, as float64: copies, so that what is proved stays true.
    upper : ndarray of shape (n,)
        The bounds C_i.
    kernel : callable
        The kernel.
    diagonal : ndarray of shape (n,)
        The numbers k(x_i, x_i).
    cache_mb : float
        The size of the cache.

    Raises
    ------
    ValueError
        If X, y, C or the kernel is not as above, or the cache cannot hold two rows.
    NotSeparableError
        If C = ∞ and two equal points have opposite labels: D then grows without bound.

    Notes
    -----
    Threads may share a problem, and it can be pickled if its kernel can. A row of K that is asked
    for alone may differ in its last digits from the same row of `gram`, which is kept, so that a
    solver may take other steps after it (`forget` makes it begin anew).

    Derived in chapter 4, *Lagrange duality*; kernels in chapter 5, finite C in chapter 6.

    References
    ----------
    C. Cortes and V. Vapnik (1995), "Support-vector networks".

    Examples
    --------
    >>> problem = DualProblem([[0.0], [2.0], [3.0]], [-1, 1, 1], C=1.0)
    >>> problem.objective([0.5, 0.5, 0.0])
    0.5
    >>> solution = solve_interior_point(problem)
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
    ) -> None:
        self.X, self.y = check_labelled(X, y)
        self.n = self.y.size
        if np.ndim(C) == 0:
            self.upper = np.full(self.n, check_scalar(C, "C", positive=True, finite=False))
        else:
            self.upper = check_vector(np.array(C), "C", length=self.n)
            if self.upper.min() <= 0:
                raise ValueError(f"C must be positive for every sample, got {self.upper.min()}")
        self.hard_margin = bool(np.isinf(self.upper[0]))
        self.kernel = Linear() if kernel is None else check_kernel(kernel)
        self.diagonal = diagonal(self.kernel, self.X)
        if not np.isfinite(self.diagonal).all():
            raise ValueError(
                f"X must be small enough for the values of {self.kernel!r:.80} to be finite: "
                "scale the columns"
            )
        if self.hard_margin:
            self._refuse_contradictions()
        self.cache_mb = check_scalar(cache_mb, "cache_mb", positive=True)
        if self._capacity < min(2, self.n):
            raise ValueError(
                f"cache_mb must be at least {_megabytes(2 * self.n)} to hold two rows of the "
                f"Gram matrix of {self.n} points, got {cache_mb:g}"
            )
        self._open_cache()

    def _refuse_contradictions(self) -> None:
        """Raise `NotSeparableError` if two equal points have opposite labels."""
        given = isinstance(self.kernel, Precomputed)
        rows = self.kernel(self.X, self.X) if given else self.X
        pair = _contradiction(rows, self.y)
        if pair is not None:
            weights = np.zeros(self.n)
            weights[list(pair)] = 1
            raise NotSeparableError(Separation(rows, self.y, weights=weights))

    # The Gram matrix

    @property
    def _capacity(self) -> int:
        """How many rows of K the cache may hold."""
        return min(self.n, int(self.cache_mb * 2**20 / self.n / 8))

    @property
    def whole(self) -> bool:
        """Whether all of K is there, evaluated by `gram` or `row`."""
        return self._gram is not None

    def forget(self) -> None:
        """Empty the cache."""
        with self._lock:  # another thread may be reading
            self._gram: Array | None = None
            self._rows: OrderedDict[int, Array] = OrderedDict()  # least recently used row first
            self._kernel_rows = against(self.kernel, self.X)

    def _open_cache(self) -> None:
        self._lock = Lock()
        self.forget()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cache behind when pickled."""
        cache = ("_gram", "_rows", "_lock", "_kernel_rows")
        return {name: value for name, value in vars(self).items() if name not in cache}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open_cache()

    def row(self, i: int) -> Array:
        """Return row i of K, (k(x_i, x_j))_j, read only."""
        K = self._gram
        if K is None:
            with self._lock:
                if i in self._rows:
                    self._rows.move_to_end(i)
                    return self._rows[i]
            if self.n <= _SMALL and 16 * self.n**2 <= self.cache_mb * 2**20:  # half of the cache
                K = self.gram()
        if K is not None:
            row: Array = K[i]
            return row
        row = np.empty(self.n)
        self._kernel_rows(self.X[i : i + 1], row[None, :])
        row[i] = self.diagonal[i]
        row.flags.writeable = False
        with self._lock:
            self._rows[i] = row
            if len(self._rows) > self._capacity:
                self._rows.popitem(last=False)
        return row

    def gram(self) -> Array:
        """Return the whole Gram matrix K, of shape (n, n), read only.

        Raises
        ------
        ValueError
            If it does not fit the cache; the message says how large the cache must be.
        """
        K = self._gram
        if K is None:
            if self._capacity < self.n:
                raise ValueError(
                    f"cache_mb must be at least {_megabytes(self.n**2)} to hold the whole "
                    f"Gram matrix of {self.n} points; `smo` needs only single rows"
                )
            with self._lock:
                self._rows.clear()
            K = np.empty((self.n, self.n))
            step = max(1, BLOCK // self.n)
            for start in range(0, self.n, step):
                self._kernel_rows(self.X[start : start + step], K[start : start + step])
            np.fill_diagonal(K, self.diagonal)
            K.flags.writeable = False
            self._gram = K
        return K

    @property
    def convex(self) -> bool:
        """Whether K is known to be positive semidefinite, so that D is concave.

        By theorem for the kernels that have one; by a Cholesky factorisation for up to 2000
        points otherwise, if K fits the cache. Else the answer is False: nobody has looked.
        """
        return self._lift < np.inf

    @cached_property
    @np.errstate(over="ignore", invalid="ignore")  # what is beyond floats is not known
    def _lift(self) -> float:
        """A number η for which K + ηI is known to be positive semidefinite, or infinity.

        A Cholesky factorisation that succeeds proves its matrix semidefinite but for γ_n of its
        trace. The values of our own kernels are off by θ s_i s_j at most (`rounding`), a matrix of
        norm θ Σ s_i²: where γ x·z and c₀ cancel, that is far more than the trace shows.
        """
        ours = isinstance(self.kernel, PointwiseKernel)
        fits = self.n <= self._capacity
        if getattr(self.kernel, "positive_semidefinite", False) is True and (ours or fits):
            return 0.0
        if self.n > _LARGEST_FACTOR or not fits:
            return np.inf
        K = self.gram()
        if np.abs(K - K.T).max() > 1e-12 * np.abs(K).max():
            return np.inf
        rounding = 8 * gamma(self.n + self.X.shape[1] + 8) * float(np.abs(self.diagonal).sum())
        if isinstance(self.kernel, PointwiseKernel):
            theta, sizes = self.kernel.rounding(self.X)
            rounding += 2 * theta * float(sizes @ sizes)
        if not np.isfinite(rounding):
            return np.inf
        rounding = max(rounding, _TINY)  # for K = 0
        try:
            np.linalg.cholesky(K + rounding * np.eye(self.n))
        except LinAlgError:
            return np.inf
        return 2 * rounding

    # The functions of α

    def objective(self, alpha: ArrayLike) -> float:
        """Return D(α) = Σ α_i − ½ Σ α_i α_j y_i y_j k(x_i, x_j)."""
        alpha = self._check(alpha)
        beta = alpha * self.y
        return float(alpha.sum() - 0.5 * beta @ self._gram_times(beta))

    def gradient(self, alpha: ArrayLike) -> Array:
        """Return ∂D/∂α_i = 1 − y_i Σ_j α_j y_j k(x_i, x_j), of shape (n,)."""
        return 1 - self.y * self._gram_times(self._check(alpha) * self.y)

    def weights(self, alpha: ArrayLike) -> Array:
        """Return w = Σ α_i y_i x_i, of shape (d,).

        Raises
        ------
        ValueError
            If the kernel is not linear: then w lives in the feature space.
        """
        if not isinstance(self.kernel, Linear):
            raise ValueError(f"kernel must be Linear() for w to be a vector, got {self.kernel!r}")
        return np.asarray(self.X.T @ (self._check(alpha) * self.y))

    def decision_function(self, alpha: ArrayLike, b: float, Z: ArrayLike) -> Array:
        """Return f(z) = Σ α_i y_i k(x_i, z) + b for the rows of Z, of shape (m,)."""
        Z = check_points(Z, "Z", n_features=self.X.shape[1])
        return expansion(self.kernel, self.X, self._check(alpha) * self.y, Z) + b

    def bias_interval(self, alpha: ArrayLike) -> tuple[float, float]:
        r"""Return the two ends of the interval of biases that suit α.

        With :math:`g_i = y_i - \sum_j \alpha_j y_j k(x_i, x_j)` the KKT conditions say
        :math:`b \ge g_i` wherever :math:`y_i \alpha_i` could grow and :math:`b \le g_i` wherever
        it could shrink. At an optimal α the first end, the largest of the former, is at most the
        second, the smallest of the latter, and every b between them is optimal: one b if there
        is a free multiplier, 0 < α_i < C_i, and possibly many if there is none. At an α that is
        optimal only up to a tolerance, the ends may cross by that tolerance.
        """
        alpha = self._check(alpha)
        return self._bias_interval(alpha, self.y - self._gram_times(alpha * self.y))

    def bias(self, alpha: ArrayLike) -> float:
        """Return b: the mean over all free multipliers, or the middle of `bias_interval`.

        Every free multiplier gives b = y_i − Σ_j α_j y_j k(x_i, x_j). Averaging spreads their
        rounding. If every α_i is 0 or C_i, only an interval is known, and its middle treats the
        classes alike.
        """
        alpha = self._check(alpha)
        return self._bias(alpha, self.y - self._gram_times(alpha * self.y))

    @np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
    def certificate(self, alpha: ArrayLike, b: float) -> Certificate:
        """Judge any (α, b) from the data alone.

        Kernel values are computed afresh, but for a kernel of yours: nothing that a solver has
        left behind is used. Rounding is bounded (`svmlib.kernels` has the bounds) and goes
        outwards.
        """
        alpha, b = self._check(alpha, _LARGEST_JUDGED), check_scalar(b, "b")
        return self._certificate(alpha, b, self._expansion(alpha * self.y))

    @np.errstate(over="ignore", invalid="ignore")
    def solution(
        self,
        alpha: Array,
        b: float | None = None,
        *,
        n_iter: int,
        converged: bool,
        trace: tuple[Any, ...] = (),
        known: Known | None = None,
    ) -> Solution:
        """Return α, and b or else its `bias`, as a `Solution` with a certificate of their own.

        Where a solver knows Kβ for this α, or the problem has kept all rows of K that it takes,
        which nobody can have written to, that is used: the bounds on rounding are those of their
        values too.
        """
        sums = self._expansion(alpha * self.y, kept=True, known=known)
        if b is None:
            b = self._bias(alpha, self.y - sums.values)
        return Solution(alpha, b, self._certificate(alpha, b, sums), n_iter, converged, trace)

    def _check(self, alpha: ArrayLike, largest: float = LARGEST_MULTIPLIER) -> Array:
        alpha = check_vector(alpha, "alpha", length=self.n)
        if np.abs(alpha).max() > largest:
            worst = alpha[np.abs(alpha).argmax()]
            raise ValueError(f"alpha must be at most {largest:g} in size, got {worst:g}")
        return alpha

    def _expansion(
        self, beta: Array, *, kept: bool = False, known: Known | None = None
    ) -> Expansion:
        """Return Kβ and βᵀKβ with bounds on what rounding has done to them.

        They hold for every positive semidefinite matrix within η (`_lift`) of K.
        """
        if isinstance(self.kernel, Linear):
            return linear_expansion(self.X, beta)
        if isinstance(self.kernel, PointwiseKernel):
            if kept and known is None:
                known = self._kept_times(beta)
            sums = kernel_expansion(self.kernel, self.X, beta, known)
        else:
            sums = self._given_expansion(beta)
        if not 0 < self._lift < np.inf:
            return sums
        return replace(
            sums,
            error=up(1.0) * (sums.error + self._lift * np.abs(beta)),
            squared_norm=up(sums.squared_norm + self._lift * float(beta @ beta), self.n),
            sizes=np.sqrt(sums.sizes**2 + self._lift),
        )

    def _given_expansion(self, beta: Array) -> Expansion:
        """Return the expansion for the values that a kernel of the user's has returned."""
        sizes = np.sqrt(np.maximum(self.diagonal, 0))
        magnitudes = np.abs(beta)
        skew = 0.0  # where nothing is proved, margins are those of K as it is, symmetric or not
        if self.convex:
            K = self.gram()
            skew = float(np.abs(K - K.T).max())
        sums, largest = self._gram_times(beta), self._sizes_times(magnitudes)
        if not magnitudes @ largest < np.inf:
            return unbounded(sums, sizes)
        error = gamma(self.n + 2) * largest + skew * magnitudes.sum()
        error *= 1 + gamma(self.n + 8)
        squared_norm = fsum(beta * sums) + up(
            float(magnitudes @ (error + 4 * UNIT * np.abs(sums))), self.n + 4
        )
        return Expansion(sums, error, squared_norm, sizes)

    def _sizes_times(self, magnitudes: Array) -> Array:
        """Return Σ_j |k(x_i, x_j)| magnitudes_j."""
        K = self._gram
        if K is not None:
            return np.concatenate([np.abs(K[block]) @ magnitudes for block in blocks(self.n)])
        return expansion(lambda X, Z: np.abs(self.kernel(X, Z)), self.X, magnitudes, self.X)

    def _kept_times(self, beta: Array) -> Known | None:
        """Return Kβ, summed in `blocks`, by rows of K that are there; None if one is missing."""
        K = self._gram
        if K is not None:
            most = min(int(np.count_nonzero(beta)), terms(self.n))  # to add a zero is exact
            return Known(weighted_sum(K, beta), np.abs(beta), most)
        used = np.flatnonzero(beta)
        with self._lock:
            rows = [self._rows.get(i) for i in used.tolist()]
        sums = np.zeros(self.n)
        for block in blocks(used.size):
            part = np.zeros(self.n)
            for row, weight in zip(rows[block], beta[used[block]].tolist(), strict=True):
                if row is None:
                    return None
                part = daxpy(row, part, a=weight)
            sums += part
        return Known(sums, np.abs(beta), terms(used.size))

    def _gram_times(self, beta: Array) -> Array:
        """Return K β, from the cached matrix if it is there."""
        K = self._gram
        if K is not None:
            return np.asarray(K @ beta)
        return expansion(self.kernel, self.X, beta, self.X)

    def _bias_interval(self, alpha: Array, g: Array) -> tuple[float, float]:
        positive = self.y > 0
        below, above = alpha < self.upper, alpha > 0
        can_grow = np.where(positive, below, above)
        can_shrink = np.where(positive, above, below)
        return (
            float(g.max(where=can_grow, initial=-np.inf)),
            float(g.min(where=can_shrink, initial=np.inf)),
        )

    def _bias(self, alpha: Array, g: Array) -> float:
        free = g[(alpha > 0) & (alpha < self.upper)]
        if free.size:
            return float(free.sum()) / free.size
        ends = [end for end in self._bias_interval(alpha, g) if np.isfinite(end)]
        return sum(ends) / len(ends) if ends else 0.0  # an infeasible α may know one end or none

    def _certificate(self, alpha: Array, b: float, sums: Expansion) -> Certificate:
        f = (sums.values + b).clip(-_HUGE, _HUGE)  # where it is beyond floats, so is its error
        error = (1 + 8 * UNIT) * sums.error + 4 * UNIT * np.abs(f)
        lowest, highest = self.y * f - error, self.y * f + error  # of the functional margins
        squared_norm = sums.squared_norm
        seen = ROUNDING * float(np.abs(alpha) @ sums.sizes) * sums.sizes
        doubt = np.minimum(seen, _DOUBT)  # a solver's sums round, and may do so more than these
        shortfall = (1 - lowest).max(where=alpha < self.upper, initial=0)
        excess = (highest - 1).max(where=alpha > 0, initial=0)
        return Certificate(
            primal=self._primal(squared_norm, lowest, highest + doubt),
            dual=self._dual(alpha, squared_norm, sums.sizes),
            kkt_violation=up(float(max(shortfall, excess))),
            infeasibility=up(
                max(
                    0.0,
                    -float(alpha.min()),
                    float((alpha - self.upper).max()),
                    abs(fsum((alpha * self.y).tolist())),
                )
            ),
            norm_w=up(float(np.sqrt(max(0.0, squared_norm)))),
            proves_optimality=self.convex,
            of_given_matrix=not isinstance(self.kernel, PointwiseKernel),
        )

    def _primal(self, squared_norm: float, lowest: Array, highest: Array) -> float:
        """Return the primal value for at most this ‖w‖² and margins in this range, rounded up.

        For the soft margin the smaller of two: that of (w, b), and that of (w, b)/m, where m is
        the least that a margin which may be 1 can be, as far as a solver knows. If C is large the
        slack that rounding alone brings to such margins costs more than lengthening w.
        """
        if self.hard_margin:
            scales = {float(lowest.min())}
        else:
            scales = {1.0, float(lowest.min(where=highest >= 1, initial=1.0))}
        return min(self._scaled_primal(squared_norm, lowest, m) for m in scales)

    def _scaled_primal(self, squared_norm: float, margins: Array, m: float) -> float:
        """Return the primal value of (w, b)/m, for at most this ‖w‖² and at least these margins."""
        if not 0 < m < np.inf:
            return np.inf
        hinge = 0.0
        if not self.hard_margin:
            scaled = margins / m
            slack = np.where(margins < m, 1 - scaled + 4 * UNIT * np.abs(scaled), 0)
            hinge = float(self.upper @ slack)
        return up(squared_norm / m / m / 2 + hinge, self.n + 12) + (self.n + 4) * TINIEST

    def _dual(self, alpha: Array, squared_norm: float, sizes: Array) -> float:
        """Return the dual value of α, made feasible, for at most this ‖w‖², rounded down.

        Made feasible by clipping, and by scaling the class with the larger sum: that takes the
        difference r of the sums from Σα, and moves w by no more than what it takes from each
        multiplier times the length of its φ(x).
        """
        feasible = np.minimum(np.maximum(alpha, 0), self.upper)
        excess = fsum((feasible * self.y).tolist())
        taken = np.abs(alpha - feasible)
        if excess:
            heavier = np.where(self.y * excess > 0, feasible, 0)
            taken += heavier * (abs(excess) / heavier.sum())
        if squared_norm >= 0:
            moved = up(float(taken @ sizes), 2 * self.n + 8)
            cost = up(0.5 * (np.sqrt(squared_norm) + moved) ** 2, 8)
        else:
            cost = 0.5 * squared_norm
        total, excess = fsum(feasible.tolist()), abs(excess)
        bound = float(total - excess - cost - 8 * UNIT * (total + excess + abs(cost)))
        return bound if bound > -np.inf else -np.inf  # ∞ − ∞ and 0 · ∞ say nothing


def _contradiction(X: Array, y: Array) -> tuple[int, int] | None:
    """Return two equal rows of X with opposite labels, if there are any."""
    first: dict[bytes, int] = {}
    for i, row in enumerate(X + 0.0):  # which makes −0 and 0 the same bytes
        j = first.setdefault(row.tobytes(), i)
        if y[i] != y[j]:
            return j, i
    return None


def _finish(
    problem: DualProblem, alpha: Array, b: float, solver: str, n_iter: int, trace: tuple[Any, ...]
) -> Solution:
    """Turn an accurate α into an exact one where possible, and let its certificate judge.

    An iterative solver leaves multipliers almost at a bound, and almost balanced. We put them
    there (`_at_bounds`), solve for the others (`_free_exactly`), and keep the best of what comes
    out, for either guess can be wrong.
    """
    # Where the dual is unbounded (C = ∞ and no hyperplane) a solver may end anywhere.
    y, upper = problem.y, np.minimum(problem.upper, LARGEST_MULTIPLIER)
    alpha = np.clip(np.nan_to_num(alpha), 0, upper)
    b = b if np.isfinite(b) else 0.0
    snapped = np.minimum(_at_bounds(problem, alpha, b), upper)
    guesses: list[tuple[Array, float | None]] = []
    for start in (snapped, alpha):
        balanced = balance(start, y, upper)
        exact = np.minimum(_free_exactly(problem, start, b), upper)
        guesses.append((balance(exact, y, upper), None))
        guesses.append((balanced, None))
        guesses.append((balanced, b))  # where few multipliers are free, b knows more than they
    solutions = [
        problem.solution(guess, bias, n_iter=n_iter, converged=True, trace=trace)
        for guess, bias in guesses
    ]
    accurate = [s for s in solutions if s.certificate.optimal_to(_ACCURATE)]
    if accurate:
        return min(accurate, key=lambda solution: solution.certificate.kkt_violation)
    best = min(solutions, key=lambda solution: solution.certificate.gap)
    doubt = (
        ""
        if best.certificate.proves_optimality
        else "; it proves nothing, because K is not known to be positive semidefinite"
    )
    warnings.warn(
        f"{solver} stopped after {n_iter} iterations with a duality gap of "
        f"{best.certificate.gap:.3g} (primal {best.certificate.primal:.6g}, "
        f"dual {best.certificate.dual:.6g}){doubt}",
        ConvergenceWarning,
        stacklevel=3,
    )
    return replace(best, converged=False)


def _scale(problem: DualProblem) -> float:
    """Return the mean of k(x, x), or 1 if that is as good as zero."""
    mean = _mean_size(problem)
    return mean if mean > np.sqrt(_TINY) else 1.0


def _mean_size(problem: DualProblem) -> float:
    """Return the mean of |k(x, x)|, which may be a float where the sum is none."""
    share = 0.5 ** problem.n.bit_length()  # a power of two: no rounding
    return float((share * np.abs(problem.diagonal)).mean()) / share


@np.errstate(over="ignore")
def _at_bounds(problem: DualProblem, alpha: Array, b: float) -> Array:
    """Return α with every multiplier that its margin says is at a bound put there.

    Where a bound holds with force, y f(x) − 1 stays away from zero while α's distance from the
    bound shrinks. That distance times k(x, x) is the margin it is worth, and the smaller of the
    two is the one that is zero at the optimum.
    """
    C, scale = problem.upper, _scale(problem)
    slack = problem.y * problem.decision_function(alpha, b, problem.X) - 1
    return np.where(alpha * scale < slack, 0, np.where((C - alpha) * scale < -slack, C, alpha))


def _free_exactly(problem: DualProblem, alpha: Array, b: float) -> Array:
    """Return α with its free multipliers solved for, the others held.

    Their equations are linear: y f(x) = 1 at each of them, and Σ α_i y_i = 0.
    """
    y, scale = problem.y, _scale(problem)
    free = np.flatnonzero((alpha > 0) & (alpha < problem.upper))
    if free.size == 0:
        return alpha
    beta, ones = alpha * y, np.ones((free.size, 1))
    K_free = problem.gram()[free]
    system = np.block([[K_free[:, free] / scale, ones], [ones.T, np.zeros((1, 1))]])
    wrong = np.append((y[free] - b - K_free @ beta) / scale, -beta.sum())
    exact = alpha.copy()
    exact[free] += y[free] * np.linalg.lstsq(system, wrong)[0][:-1]
    return np.clip(exact, 0, problem.upper)


def balance(alpha: Array, y: Array, upper: Array) -> Array:
    """Return α with Σ α_i y_i = 0: the free give way, or else the heavier class shrinks.

    The free do it in proportion to their room, the distance to the nearer bound. Their margins are
    nearly 1, so that costs nothing to first order, and all others stay where they are. More than
    half of its room nobody gives: what is left would be rounding.
    """
    excess = float(alpha @ y)
    if abs(excess) <= y.size * _EPS * alpha.sum():  # as good as zero
        return alpha
    room = np.minimum(alpha, upper - alpha)
    if 2 * abs(excess) <= (total := float(room.sum())):
        return np.asarray(alpha - (excess / total) * y * room)
    heavier = y * excess > 0
    return np.where(heavier, alpha * (alpha[~heavier].sum() / alpha[heavier].sum()), alpha)


def solve_slsqp(
    problem: DualProblem, *, tol: float = 1e-12, max_iter: int = 1000, trace: bool = False
) -> Solution:
    """Solve the dual with a general-purpose optimiser: SciPy's SLSQP, given the gradient.

    It knows nothing about support vector machines, and its cost grows like n³ an iteration: fine
    for a hundred points, hopeless for ten thousand.

    Parameters
    ----------
    problem : DualProblem
        The problem; its Gram matrix must fit its cache.
    tol : float, default 1e-12
        SLSQP's ``ftol``, on the objective in units in which multipliers are about 1.
    max_iter : int, default 1000
        The most iterations.
    trace : bool, default False
        Whether to keep the iterates: the trace is then a tuple of the α of each iteration.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to 1e-6, whatever SLSQP says about
        itself; else with a `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the Gram matrix does not fit the cache.

    Notes
    -----
    Derived in chapter 4, *Lagrange duality*.

    References
    ----------
    D. Kraft (1988), "A software package for sequential quadratic programming".

    Examples
    --------
    >>> solution = solve_slsqp(DualProblem([[0.0], [2.0]], [-1, 1], C=np.inf))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5]), -1.0)
    """
    problem = check_problem(problem)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    problem.gram()
    unit = min(float(problem.upper.min()), 1 / max(_mean_size(problem), _TINY))
    ceiling = np.minimum(problem.upper, LARGEST_MULTIPLIER)  # the dual may be unbounded
    iterates: list[Array] = []
    with np.errstate(over="ignore", invalid="ignore"):
        result = minimize(
            lambda u: -problem.objective(unit * u) / unit,
            np.zeros(problem.n),
            jac=lambda u: -problem.gradient(unit * u),
            bounds=[(0, bound) for bound in ceiling / unit],
            constraints={"type": "eq", "fun": lambda u: problem.y @ u, "jac": lambda u: problem.y},
            method="SLSQP",
            options={"ftol": tol, "maxiter": max_iter},
            callback=(lambda u: iterates.append(unit * u)) if trace else None,
        )
    alpha = np.clip(unit * np.nan_to_num(result.x), 0, ceiling)
    rounding = 1e-9 * unit  # SLSQP stops this close to a bound rather than on it
    alpha[alpha < rounding] = 0
    full = problem.upper - alpha < rounding
    alpha[full] = problem.upper[full]
    return _finish(problem, alpha, problem.bias(alpha), "SLSQP", int(result.nit), tuple(iterates))


@dataclass(frozen=True)
class InteriorStep:
    """One iteration of `solve_interior_point`.

    Attributes
    ----------
    gap : float
        Σ α_i s_i + Σ (C_i − α_i) ξ_i, which is the duality gap once the residuals are zero.
    residual : float
        The largest entry of 1 − Qα − y b + s − ξ, in units of the functional margin.
    centring : float
        Mehrotra's σ: 0 aims at the optimum, 1 back at the central path.
    length : float
        The fraction of the Newton step taken.
    """

    gap: float
    residual: float
    centring: float
    length: float


def _longest_step(values: list[Array], directions: list[Array]) -> float:
    """Return the largest t ≤ 1 for which every value + t·direction is still ≥ 0."""
    return min(
        float((v[d < 0] / -d[d < 0]).min(initial=1.0))
        for v, d in zip(values, directions, strict=True)
    )


def _factor(problem: DualProblem, matrix: Array) -> tuple[Array, bool]:
    """Return the Cholesky factor of Newton's matrix, after adding what rounding has taken from K.

    K may have rank less than n, and its computed values may then make it slightly indefinite.
    """
    diagonal, added = np.diag_indices(problem.n), 0.0
    more = problem.n * _EPS * max(_mean_size(problem), _TINY)
    while True:
        matrix[diagonal] += more - added
        added = more
        try:
            factor: tuple[Array, bool] = cho_factor(matrix, lower=True)
            return factor
        except LinAlgError as error:
            if not problem.convex:
                raise ValueError(
                    "kernel must be positive semidefinite for the interior point method, but the "
                    "Gram matrix of these points is not"
                ) from error
            more *= 16


def solve_interior_point(
    problem: DualProblem,
    *,
    tol: float = 1e-12,
    max_iter: int = 100,
    callback: Callable[[InteriorStep], object] | None = None,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual by Mehrotra's primal–dual interior point method.

    With :math:`Q_{ij} = y_i y_j k(x_i, x_j)`, surpluses s ≥ 0 for the constraints α ≥ 0 and slacks
    ξ ≥ 0 for α ≤ C, the KKT conditions are a square system of equations

    .. math::
        Q\alpha + y b - s + \xi = 1, \quad y \cdot \alpha = 0, \quad
        \alpha_i s_i = 0, \quad (C_i - \alpha_i)\, \xi_i = 0.

    Newton's method is applied to it with the products held at a common value σμ > 0 that is
    driven to zero, so that all of α, C − α, s and ξ stay positive. A predictor step (σ = 0) shows
    how far that can be hurried, the corrector makes up for its curvature, and one Cholesky factor
    serves both. As a rule 10 to 30 iterations, however many samples; each takes n³/3
    multiplications.

    Parameters
    ----------
    problem : DualProblem
        The problem; its Gram matrix must fit its cache and be positive semidefinite.
    tol : float, default 1e-12
        Stop when the gap is at most ``tol`` Σα and the residual at most ``tol`` (in units of the
        functional margin), or at most what rounding leaves of them.
    max_iter : int, default 100
        The most iterations.
    callback : callable, optional
        Called with an `InteriorStep` after every iteration.
    trace : bool, default False
        Whether to keep the `InteriorStep` of every iteration in the solution.

    Returns
    -------
    Solution
        Converged if its certificate is optimal to 1e-6; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap.

    Raises
    ------
    ValueError
        If an argument is not as above, or the Gram matrix does not fit the cache, or is so
        indefinite that Newton's system has no solution (`svmlib.smo.smo` does not mind).

    Notes
    -----
    Derived in chapter 4, *Lagrange duality*.

    References
    ----------
    S. Mehrotra (1992), "On the implementation of a primal–dual interior point method".

    Examples
    --------
    >>> solution = solve_interior_point(DualProblem([[0.0], [2.0]], [-1, 1], C=np.inf))
    >>> solution.alpha.round(6), round(solution.b, 6)
    (array([0.5, 0.5]), -1.0)
    """
    problem = check_problem(problem)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    y, C = problem.y, problem.upper
    Q = problem.gram() * np.outer(y, y)
    boxed = np.isfinite(C)
    curvature = max(_mean_size(problem), _TINY)

    alpha = np.minimum(C / 2, 1 / curvature)
    t = C - alpha  # the room above; infinite, with ξ = 0, where there is no upper bound
    s, xi, b = np.ones(problem.n), np.where(boxed, 1.0, 0.0), 0.0
    zeros = np.zeros(problem.n)
    steps: list[InteriorStep] = []
    # One loop of more than forty lines, because its two halves share almost every variable.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(max_iter):
            products = np.concatenate([alpha * s, t[boxed] * xi[boxed]])
            residual = 1 - Q @ alpha - y * b + s - xi
            gap, largest = float(products.sum()), float(np.abs(residual).max())
            total = float(alpha.sum())
            if gap <= tol * total and largest <= max(tol, 4 * _EPS * curvature * total):
                break  # rounding in Qα is about that last number
            newton = Q + np.diag(s / alpha + xi / t)
            if not np.isfinite(newton).all():
                break  # numbers beyond floats; the certificate will tell
            factor = _factor(problem, newton)
            v = cho_solve(factor, y)
            mu = gap / products.size
            target, centring, bend_s, bend_xi = 0.0, 0.0, zeros, zeros
            for phase in ("predictor", "corrector"):
                # One step brings every product to the target, less what its curvature will add.
                rs = (target - bend_s) / alpha - s
                rxi = (target - bend_xi) / t - xi
                u = cho_solve(factor, residual + rs - rxi, check_finite=False)
                db = float((y @ u + y @ alpha) / (y @ v))
                dalpha = u - v * db
                ds, dxi = rs - s / alpha * dalpha, rxi + xi / t * dalpha
                reach = _longest_step([alpha, t, s, xi], [dalpha, -dalpha, ds, dxi])
                if phase == "predictor":
                    left = (alpha + reach * dalpha) @ (s + reach * ds)
                    left += (t - reach * dalpha)[boxed] @ (xi + reach * dxi)[boxed]
                    centring = float(left / gap) ** 3
                    target, bend_s, bend_xi = centring * mu, dalpha * ds, -dalpha * dxi
            if not np.isfinite(np.concatenate([dalpha, ds, dxi])).all():
                break
            length = 0.99 * reach
            alpha, t, b = alpha + length * dalpha, t - length * dalpha, b + length * db
            s, xi = s + length * ds, xi + length * dxi
            steps.append(InteriorStep(gap, largest, centring, length))
            if callback is not None:
                callback(steps[-1])

    return _finish(
        problem, alpha, b, "The interior point method", len(steps), tuple(steps) if trace else ()
    )
