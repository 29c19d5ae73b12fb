"""The Gram matrix K and the sums Kβ: the one place where kernel values are kept.

A row of K costs more than the rest of a step of SMO, so rows are kept while there is room; then a
new one replaces the oldest. SMO asks for single rows, Newton's method for blocks, and every solver
for sums. With this module you can

- ask `Rows` for row i, for the whole matrix, for K_FF, or for Kβ.

Derived in chapter 7, *The full SMO*.
"""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib._validation import Array
from svmlib.certificate import printed
from svmlib.kernels import (
    BLOCK,
    Kernel,
    Linear,
    PointwiseKernel,
    against,
    diagonal,
    expansion,
    symmetric,
)

__all__ = ["Rows"]

Indices = NDArray[np.intp]

_ALL_AT_ONCE = 3400  # samples; up to here all of K (92 MB) costs less than asking row by row


class NoRoomError(Exception):
    """The room that a problem allows for kernel values does not hold what is asked for."""


class Rows:
    """K, whose rows are evaluated when they are asked for, and kept while there is room.

    Parameters
    ----------
    kernel : callable
        The kernel.
    X : ndarray of shape (n, d)
        The points.
    megabytes : float
        How many megabytes (2²⁰ bytes) of values there may be: half for rows, unless all of K is
        asked for, and half for a block.
    """

    def __init__(self, kernel: Kernel, X: Array, megabytes: float) -> None:
        self.kernel, self.X, self.megabytes, self.n = kernel, X, megabytes, len(X)
        self.room = int(megabytes * 2**17)  # in floats
        self.fits = self.n**2 <= self.room
        self.small = self.n <= _ALL_AT_ONCE and 2 * self.n**2 <= self.room
        self.diagonal, self.evaluate = diagonal(kernel, X), against(kernel, X)
        self._forget(max(2, self.room // 2 // self.n))

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.kernel, self.X, self.megabytes)  # a pickle leaves the rows behind

    def _forget(self, capacity: int) -> None:
        self.capacity, self.whole = min(self.n, capacity), False
        self.table = self.shown = np.empty((0, self.n))  # allocated at first use
        self.place = np.full(self.n, -1)  # where in the table the row of each sample is, or −1
        self.owner = np.empty(self.capacity, dtype=np.intp)  # the sample of each row of the table
        self.count = self.next = 0  # rows in the table, and where the next one goes
        self.last = -1  # the sample whose row was asked for last

    def __getitem__(self, i: int) -> Array:
        """Return row i, read only, and good until the row after the next is asked for."""
        if self.place.item(i) < 0:
            self.gram() if self.small else self._fetch(i)
        self.last = i
        row: Array = self.shown[self.place.item(i)]
        return row

    def _fetch(self, i: int) -> None:
        """Evaluate row i, in place of the oldest row if the table is full."""
        if self.count == self.capacity:
            if self.owner[self.next] == self.last:  # the caller may still use that row
                self.next = (self.next + 1) % self.capacity
            self.place[self.owner[self.next]] = -1
        self._write(np.array([i]))

    def _write(self, wanted: Indices) -> None:
        """Evaluate these rows into the table, in tiles that a processor's cache can hold."""
        if not len(self.table):
            self.table = np.empty((self.capacity, self.n))
            self.shown = self.table.view()  # read only, for callers
            self.shown.flags.writeable = False
        step = max(1, BLOCK // self.n)
        for start in range(0, wanted.size, step):
            some = wanted[start : start + step]
            tile = self.table[self.next + start : self.next + start + some.size]
            self.evaluate(self.X[some], tile)
            tile[np.arange(some.size), some] = self.diagonal[some]
        places = np.arange(self.next, self.next + wanted.size)
        self.place[wanted], self.owner[places] = places, wanted
        self.count = max(self.count, self.next + wanted.size)
        self.next = (self.next + wanted.size) % self.capacity

    def keep(self, wanted: Indices) -> None:
        """Evaluate those of these rows that are not in the table, if all of them find room."""
        new = wanted[self.place[wanted] < 0]
        if new.size and self.count + new.size <= self.capacity:
            self._write(new)

    def gram(self) -> Array:
        """Return all of K, read only."""
        if not self.fits:
            raise ValueError(
                f"cache_mb must be at least {megabytes(self.n**2)} to hold the whole "
                f"Gram matrix of {self.n} points; `smo` needs only single rows"
            )
        if not self.whole:
            self._forget(self.n)
            self._write(np.arange(self.n))
            if not isinstance(self.kernel, PointwiseKernel):  # ours are symmetric
                self.table[:] = symmetric(self.table, "kernel(X, X)")
            self.whole = True
        return self.shown

    def times(self, beta: Array) -> Array:
        """Return Kβ: from rows in the table, and for the others from values that are not kept."""
        if self.whole:
            return combine(beta, self.table)
        if isinstance(self.kernel, Linear):
            return np.asarray(self.X @ (beta @ self.X))
        used = beta.nonzero()[0]
        self.keep(used)
        sums = combine(beta[self.owner[: self.count]], self.table[: self.count])
        others = used[self.place[used] < 0]
        if others.size:
            sums = sums + expansion(self.kernel, self.X[others], beta[others], self.X)
        return sums

    def block(self, F: Indices) -> Array:
        """Return a copy of K_FF, which the caller may overwrite."""
        if self.whole and F.size == self.n:
            return self.table.copy()
        if not self.whole and 2 * F.size**2 > self.room:
            raise NoRoomError("the free multipliers need a block larger than half of the cache")
        self.keep(F)
        places = self.place[F]
        if (places >= 0).all():
            return np.asarray(self.table.take(places, 0).take(F, 1))
        X = self.X[F]
        return against(self.kernel, X)(X, np.empty((len(X), len(X))))

    def largest(self) -> float:
        """Return the largest absolute value of K."""
        if self.fits:
            return float(np.abs(self.gram()).max())
        row = np.empty((1, self.n))
        return max(float(np.abs(self.evaluate(x[None], row)).max()) for x in self.X)


def combine(v: Array, rows: Array) -> Array:
    """Return Σ v_i rows_i; rows with v_i = 0 are skipped if they are more than two thirds."""
    used = v.nonzero()[0]
    return np.asarray(v[used] @ rows.take(used, 0) if 3 * used.size < v.size else v @ rows)


def megabytes(count: int) -> str:
    """Return the size of so many floats in megabytes, rounded up."""
    return printed(8 * count / 2**20, ROUND_CEILING)
