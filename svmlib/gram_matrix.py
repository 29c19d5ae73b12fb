"""The Gram matrix K and the sums Kβ: the one place where kernel values are kept.

A row of K costs more than the rest of a step of SMO, so rows are kept while there is room; then a
new one replaces the one that was evaluated first. (The cache of chapter 8 drops the row unused for
longest. That would save a few rows more, and take notes at every step.) SMO asks for single rows,
Newton's method for blocks, and every solver for sums. With this module you can

- ask `GramMatrix` for row i, for the whole matrix, for K_FF, or for Kβ.

Derived in chapter 8, *The full SMO*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

from svmlib._rounding import format_bound
from svmlib._validation import Array, check_scalar
from svmlib.kernels import BLOCK, BaseKernel, expansion, symmetric

__all__ = ["GramMatrix", "NoRoomError"]

Indices = NDArray[np.intp]
Finish = Callable[[Array], Array]

_ALLOCATION = 2**20  # floats; of pieces of several MB the system gives out huge pages
# Up to so many samples all of K at once is faster: half of it, by large products. Of more samples
# SMO often touches a sixth, and rows are cheap one by one, so each is evaluated when it is needed.
ALL_AT_ONCE = 1000
_NEW_ROWS_DIVISOR = 4  # one in so many rows of K; more new ones at a time are not kept
_MIRROR_BLOCK = 64  # rows of a block, when half of K is mirrored


class KernelSums(NamedTuple):
    """Kβ, summed up from β and its later changes; `svmlib.certificate.kernel_scores` bounds it."""

    values: Array  # Kβ
    variation: Array  # T_j, the sizes of all changes of β_j since the sum began
    updates: int  # how many of them there were


class NoRoomError(ValueError):
    """The cache of a problem is too small for the kernel values that are asked for."""


class GramMatrix:
    """K, whose rows are evaluated when they are asked for, and kept while there is room.

    Parameters
    ----------
    kernel : callable
        The kernel.
    X : ndarray of shape (n, d)
        The points.
    cache_mb : float
        How many megabytes (2²⁰ bytes) of values are kept: half for rows, unless all of K is asked
        for, and half for a block. While a block is cut from all of K, up to three times
        ``cache_mb`` are in use.

    Attributes
    ----------
    room : int
        How many values may be kept.
    fits : bool
        Whether all of K has room.
    diagonal : ndarray of shape (n,)
        The numbers k(x_i, x_i).
    factors : tuple or None
        L, R and g, where any part of K is g of that part of L R; so what depends on one point alone
        is computed once.
    fill : callable or None
        (Z, out) ↦ k(Z, X), written into out, if there are no factors.
    kept : dict
        The rows that are kept, by their number, the oldest first.
    capacity : int
        How many rows are kept at most.
    piece, spare : int and ndarray of shape (≤ piece, n)
        New rows are cut from pieces of so many rows; spare is what is left of the last one.
    whole : ndarray of shape (n, n) or None
        All of K, if it is kept.
    last_sum : tuple
        The β that `incremental_matvec` was last asked for, and the `KernelSums` that it returned.

    Notes
    -----
    Threads that share a Gram matrix may get an error, but never a wrong value: new rows come from
    memory that no other thread is given, and are kept, like sums, only once they are complete.
    """

    def __init__(self, kernel: BaseKernel, X: Array, cache_mb: float) -> None:
        self.kernel, self.X, self.cache_mb, self.n = kernel, X, cache_mb, len(X)
        self.room = int(2**17 * check_scalar(cache_mb, "cache_mb", positive=True))  # in floats
        self._require(2 * self.n, f"two rows of the Gram matrix of {self.n} points take")
        self.fits = self.n**2 <= self.room
        half = max(2, self.room // 2 // self.n)  # rows
        self.piece = min(_ALLOCATION // self.n, half // 8)  # small beside the cache
        # One piece more is in memory, until the last of its rows is replaced.
        self.capacity = half - self.piece
        self.diagonal = kernel.diagonal(X)
        self.factors = kernel.factors(X)
        self.fill = None if self.factors else kernel.columns(X)
        self.kept: dict[int, Array] = {}
        self.spare = np.empty((0, self.n))
        self.whole: Array | None = None
        self._lock = Lock()
        beta, values, variation = np.zeros((3, self.n))
        self.last_sum = beta, KernelSums(values, variation, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return GramMatrix, (self.kernel, self.X, self.cache_mb)  # a pickle leaves the rows behind

    def __getitem__(self, i: int) -> Array:
        """Return row i, read only."""
        if i not in self.kept:
            if not 0 <= i < self.n:
                raise IndexError(f"row {i} of a Gram matrix of {self.n} points")
            if self.n <= ALL_AT_ONCE and 2 * self.n**2 <= self.room:
                self.gram()
            elif self.factors:
                self._keep_one(i, *self.factors)
            else:
                self._keep(np.array([i]))
        return self.kept[i]

    def _require(self, count: int, purpose: str) -> None:
        """Raise a `NoRoomError` if there is no room for so many floats."""
        if count > self.room:
            least = format_bound(8 * count / 2**20, ROUND_CEILING)
            raise NoRoomError(f"{purpose} {least} MB, more than cache_mb={self.cache_mb:g}")

    def _tiles(self, wanted: Indices) -> Iterator[Indices]:
        """Cut row numbers into parts whose values a processor's cache can hold."""
        step = max(1, BLOCK // self.n)
        return (wanted[start : start + step] for start in range(0, wanted.size, step))

    def _fill(self, wanted: Indices, out: Array) -> Array:
        """Write these rows into `out`, and return it."""
        if self.factors:
            left, right, finish = self.factors
            finish(np.matmul(left[wanted], right, out=out))
        elif self.fill:
            self.fill(self.X[wanted], out)
        # the diagonal as it is known: the RBF's fast formula gives 1 only up to rounding
        out[np.arange(wanted.size), wanted] = self.diagonal[wanted]
        out.flags.writeable = False
        return out

    def _keep(self, wanted: Indices) -> None:
        """Evaluate these rows; the oldest make room for them."""
        for some in self._tiles(wanted):
            self.kept.update(
                zip(some.tolist(), self._fill(some, self._cut(some.size)), strict=True)
            )
        while len(self.kept) > self.capacity:
            del self.kept[next(iter(self.kept))]

    def _keep_one(self, i: int, left: Array, right: Array, finish: Finish) -> None:
        """Evaluate row i as `_keep` does, without what many rows need: half of the time."""
        row = finish(np.dot(left[i], right, out=self._cut(1)[0]))
        row[i] = self.diagonal[i]
        row.flags.writeable = False
        self.kept[i] = row
        if len(self.kept) > self.capacity:
            del self.kept[next(iter(self.kept))]

    def _cut(self, count: int) -> Array:
        """Return room for rows, cut from larger pieces, which memory is faster to give."""
        with self._lock:  # or two threads might be given the same room
            if len(self.spare) < count:
                self.spare = np.empty((max(count, self.piece), self.n))
            rows, self.spare = self.spare[:count], self.spare[count:]
        return rows

    def gram(self) -> Array:
        """Return all of K, read only."""
        self._require(self.n**2, f"the whole Gram matrix of {self.n} points takes")
        if self.whole is None:
            self.kept, self.spare = {}, np.empty((0, self.n))  # the room is needed
            K = np.empty((self.n, self.n))
            if self.factors:
                self._mirror(K, *self.factors)
            else:
                for some in self._tiles(np.arange(self.n)):
                    self._fill(some, K[some[0] : some[-1] + 1])
            if self.kernel.of_given_matrix:  # our own are symmetric but for rounding
                K = symmetric(K, "kernel(X, X)")
            return self.adopt(K)
        return self.whole

    def _mirror(self, K: Array, left: Array, right: Array, finish: Finish) -> None:
        """Write the upper half of K by its formula, and the lower half as its mirror image."""
        for start in range(0, self.n, _MIRROR_BLOCK):
            rows = slice(start, start + _MIRROR_BLOCK)
            finish(np.matmul(left[rows], right[:, start:], out=K[rows, start:]))
            K[rows.stop :, rows] = K[rows, rows.stop :].T
        K[np.diag_indices(self.n)] = self.diagonal

    def adopt(self, K: Array) -> Array:
        """Take K for the Gram matrix, and return it; the caller answers for its values."""
        K.flags.writeable = False
        self.whole, self.kept = K, dict(enumerate(K))
        return K

    def matvec(self, beta: Array) -> Array:
        """Return Kβ: from rows that are kept, and for the others from values that are not."""
        if self.whole is not None:
            return combine(beta, self.whole)
        if self.kernel.linear:
            return self.X @ (beta @ self.X)
        used = beta.nonzero()[0]
        kept = self._keep_if_room(used)
        others = used[~kept]
        sums = expansion(self.kernel, self.X[others], beta[others], self.X)
        for i in used[kept].tolist():
            daxpy(self.kept[i], sums, a=beta[i])  # sums += beta[i] * row
        return sums

    def incremental_matvec(self, beta: Array) -> KernelSums:
        """Return Kβ, from that of the last β where few multipliers have changed since.

        Every update rounds once more, and adds to the total variation, to which the rounding is in
        proportion. It begins again where that is no more work, or where the variation would be more
        than twice that of β alone.
        """
        before, last = self.last_sum  # read once: another thread may write in between
        change = beta - before
        last = KernelSums(last.values, last.variation + np.abs(change), last.updates + 1)
        few = np.count_nonzero(change) < np.count_nonzero(beta)
        if not (few and last.variation.sum() <= 2 * np.abs(beta).sum()):
            change, last = beta, KernelSums(np.zeros_like(beta), np.abs(beta), 0)
        sums = KernelSums(last.values + self.matvec(change), last.variation, last.updates)
        self.last_sum = beta.copy(), sums
        return sums

    def block(self, F: Indices) -> Array:
        """Return a copy of K_FF, which the caller may overwrite."""
        if self.whole is not None:
            return self.whole.take(F, 0).take(F, 1)
        self._require(2 * F.size**2, f"the equations of {F.size} free multipliers take")
        if self.factors:
            left, right, finish = self.factors
            return finish(left.take(F, 0) @ right.take(F, 1))
        X = self.X[F]
        return self.kernel.columns(X)(X, np.empty((F.size, F.size)))

    def _keep_if_room(self, wanted: Indices) -> NDArray[np.bool_]:
        """Evaluate these rows if few are new and find room, and say which are kept now.

        (Fresh memory for many rows takes longer than their values, which one sum may be all to
        need.)
        """
        new = np.array([i for i in wanted.tolist() if i not in self.kept], dtype=np.intp)
        if 0 < new.size <= min(self.capacity - len(self.kept), self.n // _NEW_ROWS_DIVISOR):
            self._keep(new)
        return np.array([i in self.kept for i in wanted.tolist()], dtype=bool)


def combine(v: Array, rows: Array) -> Array:
    """Return Σ v_i rows_i; rows with v_i = 0 are skipped if they are more than two thirds."""
    used = v.nonzero()[0]
    return v[used] @ rows.take(used, 0) if 3 * used.size < v.size else v @ rows
