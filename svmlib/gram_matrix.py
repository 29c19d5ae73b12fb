"""The Gram matrix K and the sums Kβ: the one place where kernel values are kept.

A row of K costs more than the rest of a step of SMO, so rows are kept while there is room; then a
new one replaces the one that was evaluated first (first in, first out). The cache of chapter 8
drops the least recently used row. That would save a few rows, but needs bookkeeping at every step.
SMO asks for single rows, Newton's method for blocks, and every solver for sums. With this module
you can

- ask `GramMatrix` for row i, for the whole matrix, for K_FF, or for Kβ,
- and for what is known of the values: `GramMatrix.error_bound` and `GramMatrix.diagonal_shift`.

Derived in chapter 8, *The full SMO*.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky
from scipy.linalg.blas import daxpy, dsymv

from svmlib._arrays import Array, Indices, lock_arrays, megabytes
from svmlib._rounding import SMALLEST_NORMAL, format_bound, gamma_n
from svmlib._validation import check_gram, check_points, check_scalar
from svmlib.kernels import (
    BLOCK_SIZE,
    ErrorBound,
    Kernel,
    ProductForm,
    check_kernel,
    kernel_expansion,
)

__all__ = ["CacheTooSmallError", "GramMatrix"]

_CHUNK_SIZE = 2**20  # floats; the system backs chunks of several MB by huge pages
# All of K at once takes about as long as a third of its rows one by one, because it is half of K,
# by large products. So up to this number of samples it is evaluated when SMO asks for one row, and
# of more samples once SMO has asked for that part of the rows.
EAGER_SAMPLES = 1000
_MANY_ROWS_DIVISOR = 3  # more than n/3 rows of K are many
_NEW_ROWS_DIVISOR = 4  # if a sum needs more than n/4 new rows of K, they are not kept
_FEW_ROWS_DIVISOR = 5  # if a sum needs fewer than n/5 rows of K, copying them is faster
_MIRROR_BLOCK = 64  # rows of a block, when half of K is mirrored


class KernelSums(NamedTuple):
    """Kβ, summed up from β and its later changes; `svmlib.certificate.kernel_scores` bounds it."""

    values: Array  # Kβ
    variation: Array  # T_j, the sizes of all changes of β_j since the sum began
    updates: int  # the number of these changes


class CacheTooSmallError(ValueError):
    """The cache of a problem is too small for the kernel values that are asked for."""


class GramMatrix:
    """K, whose rows are evaluated when they are asked for, and kept while there is room.

    Parameters
    ----------
    kernel : callable
        The kernel.
    X : array_like of shape (n, d)
        The points, which the caller must not change; nothing is copied.
    cache_mb : float
        How many megabytes (2²⁰ bytes) of values are kept, if it is all of K; of single rows half as
        many. While a block is cut from all of K, up to three times ``cache_mb`` are in use.
    equations_mb : float, default 2000
        How many megabytes the equations of Newton's method may take: a block of K, and as much for
        what is computed from it.

    Attributes
    ----------
    cache_size : int
        The most values that may be cached.
    fits : bool
        Whether all of K has room.
    diagonal : ndarray of shape (n,)
        The numbers k(x_i, x_i).
    product_form : svmlib.kernels.ProductForm or None
        How K follows from a matrix product, if it does.
    full : ndarray of shape (n, n) or None
        All of K, if it is kept.
    frobenius_ratio : float
        ‖K‖²_F / Σ K_ii², which is 1 for a diagonal matrix; infinity if K is not kept.

    Notes
    -----
    Threads that share a Gram matrix may get an error, but never a wrong value: new rows come from
    memory that no other thread is given, and are kept, like sums, only once they are complete.

    References
    ----------
    Higham, N. J. (2002), "Accuracy and Stability of Numerical Algorithms", chapter 10.

    Rump, S. M. (2006), "Verification of positive definiteness".

    Examples
    --------
    >>> from svmlib.kernels import Linear
    >>> GramMatrix(Linear(), np.array([[1.0], [2.0]]), cache_mb=1.0)[1]
    array([2., 4.])
    """

    def __init__(
        self, kernel: Kernel, X: ArrayLike, cache_mb: float, equations_mb: float = 2000.0
    ) -> None:
        self.kernel = check_kernel(kernel)
        self.X = check_points(X)
        self.n = len(self.X)
        self.cache_mb = check_scalar(cache_mb, "cache_mb", positive=True)
        self.cache_size = int(self.cache_mb / megabytes(1))
        self.equations_mb = check_scalar(equations_mb, "equations_mb", positive=True)
        self._require_room(2 * self.n, f"two rows of the Gram matrix of {self.n} points take")
        self.fits = self.n**2 <= self.cache_size
        half = max(2, self.cache_size // 2 // self.n)  # rows
        self._chunk_rows = min(_CHUNK_SIZE // self.n, half // 8)  # small beside the cache
        # One chunk more is in memory, until the last of its rows is replaced.
        self._max_rows = half - self._chunk_rows
        self.diagonal = self.kernel.diagonal(self.X)
        self.product_form = self.kernel.product_form(self.X)
        self._evaluate = None if self.product_form else self.kernel.evaluator(self.X)
        self._cached: dict[int, Array] = {}
        self._free_rows = np.empty((0, self.n))
        self.full: Array | None = None
        self.frobenius_ratio = np.inf
        self._lock = Lock()
        self._last_sum: tuple[Array, KernelSums] | None = None  # β, and its Kβ
        lock_arrays(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle leaves the rows behind.
        return GramMatrix, (self.kernel, self.X, self.cache_mb, self.equations_mb)

    def __getitem__(self, i: int) -> Array:
        """Return row i, read only."""
        try:
            return self._cached[i]
        except (KeyError, TypeError):  # a slice or a list may have no hash
            if not (isinstance(i, int | np.integer) and 0 <= i < self.n):
                got = f"no row {i!r} of a Gram matrix of {self.n} points"
                advice = "i must be one row number; to_array() has all rows"
                raise IndexError(f"{got}: {advice}") from None
        many = self.n <= EAGER_SAMPLES or _MANY_ROWS_DIVISOR * len(self._cached) > self.n
        if self.full is None and many and 4 * self.n**2 <= self.cache_size:
            self.to_array()
        if self.full is not None:
            self._cached[i] = self.full[i]  # a view
        elif self.product_form:
            self._cache_one(i, self.product_form)
        else:
            self._cache(np.array([i]))
        return self._cached[i]

    # What is known of the values

    @cached_property
    @np.errstate(over="ignore", invalid="ignore")  # values beyond floats prove nothing
    def diagonal_shift(self) -> float:
        """A number η for which K + ηI is known to be positive semidefinite, or infinity.

        *Why twice the shift.* If the Cholesky factorisation of K + sI runs to completion, its
        backward error has a norm of at most γ_{n+1} / (1 − γ_{n+1}) times the trace (Demmel's
        bound, theorem 10.5 of Higham; Rump), and the addition of s rounds by u times the diagonal.
        With s ≥ 8 γ_{n+1} Σ k_ii both together are less than s/2 if K fits into a memory. The
        values of our own kernels are off by θ N_i N_j at most (`error_bound`), a matrix of norm
        θ Σ N_i² at most, so s includes twice that norm, which is far more than what remains where
        γ x·z and c₀ cancel. If s included it once, terms of second order would be missing. Hence
        K + 2sI is positive semidefinite.

        A matrix whose values were given in half or single precision gets a second trial, with a
        larger η. Independent rounding errors of at most ε/2 times max k_ii make a matrix of norm
        about 0.6 ε √n max k_ii (Wigner); the trial allows seven times that. Its result is valid
        for any η, because a certificate states η.
        """
        if self.kernel.positive_semidefinite:
            return 0.0
        if not self.fits:
            return np.inf
        shift = float((8 * gamma_n(self.n + self.X.shape[1] + 8) * self.diagonal).sum())
        if not self.kernel.user_defined:
            theta, norms = self.error_bound.theta, self.error_bound.norms
            shift += 2 * theta * float(norms @ norms)
        shifts = [max(shift, SMALLEST_NORMAL)]  # for K = 0
        if (float_type := self.kernel.float_type(self.X)) is not np.float64:
            type_rounding = 4 * float(np.finfo(float_type).eps) * np.sqrt(self.n)
            shifts.append(type_rounding * float(self.diagonal.max()))  # far above the first one
        for shift in shifts:
            K = self.to_array().copy()
            K[np.diag_indices(self.n)] += shift
            with suppress(LinAlgError):
                factor = cholesky(K, overwrite_a=True, check_finite=False)
                if np.isfinite(factor.diagonal()).all():  # otherwise K + sI has overflowed
                    return 2 * float(shift)
        return np.inf

    @cached_property
    def error_bound(self) -> ErrorBound:
        """The error θ of the kernel's values, and the norms N_i, so that abs(k_ij) ≤ N_i N_j.

        The values of a user's kernel are taken as they are, θ = 0. If its matrix is semidefinite,
        the norms are the roots of the diagonal (Cauchy–Schwarz); otherwise each is the root
        of the largest value.
        """
        if (bound := self.kernel.error_bound(self.X)) is not None:
            return bound
        if self.diagonal_shift < np.inf:
            return ErrorBound(0.0, np.sqrt(self.diagonal + self.diagonal_shift))
        largest = max(float(np.abs(self[i]).max()) for i in range(self.n))
        return ErrorBound(0.0, np.full(self.n, np.sqrt(largest)))

    # How they are kept

    def _require_room(self, count: int, purpose: str, limit: str = "cache_mb") -> None:
        """Raise a `CacheTooSmallError` if `count` floats are more than this limit allows."""
        least, most = megabytes(count), getattr(self, limit)
        if least > most:
            raise CacheTooSmallError(
                f"{purpose} {format_bound(least)} MB, more than {limit}={most:g}"
            )

    def _batches(self, wanted: Indices) -> Iterator[Indices]:
        """Cut row numbers into parts whose values a processor's cache can hold."""
        step = max(1, BLOCK_SIZE // self.n)
        return (wanted[start : start + step] for start in range(0, wanted.size, step))

    def _evaluate_rows(self, wanted: Indices, out: Array) -> Array:
        """Write these rows into `out`, and return it."""
        if self.product_form:
            left, right, transform = self.product_form
            transform(np.matmul(left[wanted], right, out=out))
        elif self._evaluate:
            self._evaluate(self.X[wanted], out)
        # The diagonal is known, but the RBF's fast formula gives 1 only up to rounding.
        out[np.arange(wanted.size), wanted] = self.diagonal[wanted]
        out.flags.writeable = False
        return out

    def _cache(self, wanted: Indices) -> None:
        """Evaluate and keep these rows, in place of the oldest."""
        for batch in self._batches(wanted):
            rows = self._evaluate_rows(batch, self._allocate(batch.size))
            self._cached.update(zip(batch.tolist(), rows, strict=True))
        while len(self._cached) > self._max_rows:
            del self._cached[next(iter(self._cached))]

    def _cache_one(self, i: int, form: ProductForm) -> None:
        """Evaluate row i as `_cache` does, without what many rows need: half of the time."""
        row = form.transform(np.dot(form.left[i], form.right, out=self._allocate(1)[0]))
        row[i] = self.diagonal[i]
        row.flags.writeable = False
        self._cached[i] = row
        if len(self._cached) > self._max_rows:
            del self._cached[next(iter(self._cached))]

    def _allocate(self, count: int) -> Array:
        """Return room for rows, cut from larger pieces, which the system allocates faster."""
        with self._lock:  # otherwise two threads could get the same room
            if len(self._free_rows) < count:
                self._free_rows = np.empty((max(count, self._chunk_rows), self.n))
            rows, self._free_rows = self._free_rows[:count], self._free_rows[count:]
        return rows

    def to_array(self) -> Array:
        """Return all of K, with K_ij = k(x_i, x_j), of shape (n, n), read only.

        Raises
        ------
        CacheTooSmallError
            If K does not fit the cache; the message says how large the cache must be.
        ValueError
            If the kernel is a user's function, and K not symmetric up to rounding.
        """
        self._require_room(self.n**2, f"the whole Gram matrix of {self.n} points takes")
        if self.full is None:
            self._cached = {}  # the room is needed
            self._free_rows = np.empty((0, self.n))
            K = np.empty((self.n, self.n))
            if self.product_form:
                self._write_symmetric(K, self.product_form)
            else:
                for batch in self._batches(np.arange(self.n)):
                    self._evaluate_rows(batch, K[batch[0] : batch[-1] + 1])
            if self.kernel.user_defined:  # our own are symmetric but for rounding
                K = check_gram(K, "kernel(X, X)", self.kernel.float_type(self.X))
            return self.use(K)
        return self.full

    @np.errstate(over="ignore", invalid="ignore")  # the ratio may be NaN, which no number exceeds
    def use(self, K: Array, error_bound: ErrorBound | None = None) -> Array:
        """Keep this matrix as all of K, read only, and return it.

        It may come with an `error_bound` other than the kernel's. The caller must know that both
        are right, otherwise certificates are wrong.
        """
        if error_bound is not None:
            self.error_bound = error_bound
        K = K.view()  # a caller's own array stays writable
        K.flags.writeable = False
        self.full = K
        self._cached = {}
        self._last_sum = None  # it was for other values
        if squares := float(self.diagonal @ self.diagonal):
            self.frobenius_ratio = float(np.vdot(K, K)) / squares
        return K

    def _write_symmetric(self, K: Array, form: ProductForm) -> None:
        """Write the upper half of K by its formula, and the lower half as its mirror image."""
        for start in range(0, self.n, _MIRROR_BLOCK):
            rows = slice(start, start + _MIRROR_BLOCK)
            form.transform(np.matmul(form.left[rows], form.right[:, start:], out=K[rows, start:]))
            K[rows.stop :, rows] = K[rows, rows.stop :].T
        K.ravel()[:: self.n + 1] = self.diagonal

    def matvec(self, beta: Array) -> Array:
        r"""Return Kβ, whose entry i is :math:`\sum_j \beta_j k(x_i, x_j)`, of shape (n,).

        Rows that are kept are used. The other values are computed and forgotten again, so the cache
        may be small. β is a vector of n finite numbers, which is not checked.

        Examples
        --------
        >>> from svmlib.kernels import Linear
        >>> K = GramMatrix(Linear(), [[1.0], [2.0]], cache_mb=1.0)
        >>> K.matvec(np.array([1.0, -1.0]))
        array([-1., -2.])
        """
        nonzero = beta.nonzero()[0]
        if self.full is not None:
            if _FEW_ROWS_DIVISOR * nonzero.size < self.n:
                return beta[nonzero] @ self.full.take(nonzero, 0)
            return np.asarray(dsymv(1.0, self.full.T, beta, lower=1))  # reads half of K
        if self.kernel.linear:
            return self.X @ (beta @ self.X)
        kept = self._cache_if_room(nonzero)
        others = nonzero[~kept]
        sums = kernel_expansion(self.kernel, self.X[others], beta[others], self.X)
        for i in nonzero[kept].tolist():
            daxpy(self._cached[i], sums, a=beta[i])  # sums += beta[i] * row
        return sums

    def incremental_matvec(self, beta: Array) -> KernelSums:
        """Return Kβ, updated from the last Kβ if few multipliers have changed.

        Every update rounds once more, and adds to the total variation, to which the rounding is in
        proportion. The sum begins again if that is no more work, or if the variation would be more
        than twice that of β alone.
        """
        zero = np.zeros_like(beta)
        # Read once: another thread may write in between.
        before, last = self._last_sum or (zero, KernelSums(zero, zero, 0))
        change = beta - before
        if not change.any():
            return last
        last = KernelSums(last.values, last.variation + np.abs(change), last.updates + 1)
        few = np.count_nonzero(change) < np.count_nonzero(beta)
        if not (few and last.variation.sum() <= 2 * np.abs(beta).sum()):
            change = beta
            last = KernelSums(zero, np.abs(beta), 0)
        sums = KernelSums(last.values + self.matvec(change), last.variation, last.updates)
        sums.values.flags.writeable = False  # the next sum begins with them
        self._last_sum = beta.copy(), sums
        return sums

    def block(self, rows: Indices, columns: Indices | None = None) -> Array:
        """Return a copy of these rows and columns of K, which the caller may overwrite.

        Without columns they are the rows again, as in K_FF.

        Raises
        ------
        CacheTooSmallError
            If the values, and as many more, exceed ``equations_mb``.
        """
        columns = rows if columns is None else columns
        if self.full is not None:
            return self.full.take(rows, 0).take(columns, 1)
        purpose = f"the equations of {rows.size} free multipliers take"
        self._require_room(2 * rows.size * columns.size, purpose, "equations_mb")
        if self.product_form:
            left, right, transform = self.product_form
            return transform(left.take(rows, 0) @ right.take(columns, 1))
        evaluate = self.kernel.evaluator(self.X[columns])
        return evaluate(self.X[rows], np.empty((rows.size, columns.size)))

    def _cache_if_room(self, wanted: Indices) -> NDArray[np.bool_]:
        """Evaluate these rows if few are new and there is room; return which are kept now.

        Allocating many rows takes longer than computing their values, which only one sum may
        need.
        """
        new = np.array([i for i in wanted.tolist() if i not in self._cached], dtype=np.intp)
        room = min(self._max_rows - len(self._cached), self.n // _NEW_ROWS_DIVISOR)
        if 0 < new.size <= room:
            self._cache(new)
        return np.array([i in self._cached for i in wanted.tolist()], dtype=bool)
