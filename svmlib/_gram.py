"""The Gram matrix as Newton's method needs it, in three forms.

Each knows K v, (K_FF + hI)⁻¹, the K of some of its samples, the k(x, x), and the rank that K has at
most. Which one suits is `gram`'s choice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from svmlib._validation import Array
from svmlib.duality import DualProblem
from svmlib.kernels import BLOCK, Evaluate, Kernel, Linear, PointwiseKernel, against, expansion
from svmlib.kernels import diagonal as kernel_diagonal

Rows = NDArray[np.intp]

_WHOLE = 1000  # up to here the whole matrix K costs less than asking row by row


class StuckError(Exception):
    """Rounding, or the room that the problem allows, lets Newton's method go no further."""


def gram(problem: DualProblem) -> Gram:
    """Return K in the form that suits the problem."""
    if isinstance(problem.kernel, Linear):
        return factored(problem.X)
    if problem.n <= _WHOLE or not isinstance(problem.kernel, PointwiseKernel):
        return Whole(problem.gram())
    problem.forget()  # so that there is one cache at a time
    return Kept(problem.kernel, problem.X, int(problem.cache_mb * 2**20 / 8))


def factored(Phi: Array) -> Factored:
    """Return ΦΦᵀ, but for what changes K v only by a constant where Σv = 0.

    Far from the origin K is nearly constant, and φ·φ loses the digits that tell points apart. So
    the points are moved to their mean, and K v by a constant, which b takes up.
    """
    return Factored(Phi - Phi.mean(axis=0))


class Whole:
    """K itself."""

    def __init__(self, K: Array) -> None:
        self.K, self.diagonal, self.rank = K, K.diagonal(), len(K)

    def times(self, v: Array) -> Array:
        return _combine(v, self.K)  # K is symmetric

    def sample(self, part: Rows) -> Whole:
        return Whole(self.K.take(part, 0).take(part, 1))

    def solve(self, free: Rows, h: float, right: Array) -> Array:
        return _solve_shifted(self.K.take(free, 0).take(free, 1), h, right)


class Factored:
    """K = ΦΦᵀ."""

    def __init__(self, Phi: Array) -> None:
        self.Phi, self.rank = Phi, min(Phi.shape)

    @property
    def diagonal(self) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self.Phi, self.Phi))

    def times(self, v: Array) -> Array:
        return np.asarray(self.Phi @ _combine(v, self.Phi))

    def sample(self, part: Rows) -> Factored:
        return Factored(self.Phi.take(part, 0))

    def solve(self, free: Rows, h: float, right: Array) -> Array:
        r"""By Woodbury where Φ has fewer columns than rows.

        .. math::
            (\Phi \Phi^\top + h I)^{-1} = \frac1h
            \left( I - \Phi (\Phi^\top \Phi + h I)^{-1} \Phi^\top \right)

        which for small h subtracts nearly equal numbers, but is no worse than K + hI itself.
        """
        Phi = self.Phi.take(free, 0)
        if Phi.shape[1] >= free.size:
            return _solve_shifted(Phi @ Phi.T, h, right)
        return np.asarray((right - Phi @ _solve_shifted(Phi.T @ Phi, h, Phi.T @ right)) / h)


class Kept:
    """K, of which rows are evaluated when they are asked for, and kept as long as there is room.

    The room is a number of floats: half for rows, half for the block of the free multipliers.
    """

    def __init__(self, kernel: Kernel, X: Array, room: int) -> None:
        self.kernel, self.X, self.room, self.rank = kernel, X, room, len(X)
        self.diagonal = kernel_diagonal(kernel, X)
        self.evaluate = against(kernel, X)
        n = len(X)
        self.rows = np.empty((min(n, max(1, room // 2 // n)), n))
        self.kept, self.place = np.empty(0, dtype=np.intp), np.full(n, -1)

    def times(self, v: Array) -> Array:
        self.keep(v.nonzero()[0])
        known = _combine(v[self.kept], self.rows[: self.kept.size])
        others = v.copy()
        others[self.kept] = 0
        return np.asarray(known + expansion(self.kernel, self.X, others, self.X))

    def solve(self, free: Rows, h: float, right: Array) -> Array:
        if 2 * free.size**2 > self.room:
            raise StuckError("the block of the free multipliers is larger than half of the cache")
        self.keep(free)
        places = self.place[free]
        if (places >= 0).all():
            return _solve_shifted(self.rows[places[:, None], free], h, right)
        return _solve_shifted(_values(self.kernel, self.X[free]), h, right)

    def sample(self, part: Rows) -> Whole | Kept:
        if part.size <= _WHOLE:
            return Whole(_values(self.kernel, self.X[part]))
        return Kept(self.kernel, self.X[part], self.room)

    def keep(self, wanted: Rows) -> None:
        """Evaluate the rows that are wanted and not there, if there is room for them all.

        (Many at a time are those of a start. They stay at their bounds and are not wanted again.)
        """
        first, new = self.kept.size, wanted[self.place[wanted] < 0]
        if first + new.size > len(self.rows):
            return
        _fill(self.rows[first : first + new.size], self.evaluate, self.X[new])
        self.place[new] = np.arange(first, first + new.size)
        self.kept = np.concatenate([self.kept, new])


def _values(kernel: Kernel, X: Array) -> Array:
    """Return k(X, X)."""
    return _fill(np.empty((len(X), len(X))), against(kernel, X), X)


def _fill(K: Array, evaluate: Evaluate, X: Array) -> Array:
    """Write k(X, ·) into K, in tiles that a processor's cache can hold."""
    step = max(1, BLOCK // K.shape[1])
    for i in range(0, len(X), step):
        evaluate(X[i : i + step], K[i : i + step])
    return K


def _combine(v: Array, rows: Array) -> Array:
    """Return Σ v_i rows_i; rows with v_i = 0 cost nothing where they are many."""
    used = v.nonzero()[0]
    return np.asarray(v[used] @ rows[used] if 3 * used.size < v.size else v @ rows)


def _solve_shifted(A: Array, h: float, right: Array) -> Array:
    """Return (A + hI)⁻¹ right for a positive semidefinite A, which is overwritten."""
    A.flat[:: len(A) + 1] += h
    _, solution, failed = dposv(A.T, right, lower=1, overwrite_a=1)
    if failed:
        raise StuckError("K + hI is not positive definite to rounding")
    return np.asarray(solution)


Gram = Whole | Factored | Kept
