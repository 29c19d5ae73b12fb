"""The Gram matrix as Newton's method needs it, in three forms.

K_ij = φ_i·φ_j, and the method moves a vector v of the feature space. A form of K knows coordinates
for it: multipliers β, v = Σ β_i φ_i, for which all of K or rows of it must be at hand (`Gram`,
`Kept`); or v itself, which is the w of a linear kernel (`Factored`). Each can tell v from
multipliers (`represent`), the φ_i·v (`times`), inner products, and a Newton step. Which one suits
is `gram`'s choice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from svmlib._rounding import terms
from svmlib._validation import Array
from svmlib.duality import DualProblem
from svmlib.kernels import (
    BLOCK,
    Evaluate,
    Kernel,
    Known,
    Linear,
    PointwiseKernel,
    against,
    expansion,
)
from svmlib.kernels import diagonal as kernel_diagonal

Rows = NDArray[np.intp]

_EPS = float(np.finfo(float).eps)
_DETOUR = 8  # times as far as from 0 to β in one go may be the way there in parts
_WHOLE = 1000  # up to here the whole matrix K costs less than asking row by row


class StuckError(Exception):
    """Rounding, or the room that the problem allows, lets Newton's method go no further."""


def gram(problem: DualProblem) -> Gram:
    """Return K in the form that suits the problem."""
    if isinstance(problem.kernel, Linear):
        return factored(problem.X)
    if problem.n <= _WHOLE or not isinstance(problem.kernel, PointwiseKernel):
        return Gram(problem.gram())
    room = int(problem.cache_mb * 2**20 / 8)
    if problem.whole and 2 * problem.n**2 <= room:  # with sums that follow β, unlike `Gram`'s
        return Kept(problem.kernel, problem.X, room, problem.gram())
    problem.forget()  # so that there is one cache at a time
    return Kept(problem.kernel, problem.X, room)


def factored(Phi: Array) -> Gram:
    """Return ΦΦᵀ, but for what changes K β only by a constant where Σβ = 0.

    Far from the origin K is nearly constant, and φ·φ loses the digits that tell points apart. So
    the points are moved to their mean, and K β by a constant, which b takes up.
    """
    Phi = Phi - Phi.mean(axis=0)
    return Factored(Phi) if 2 * Phi.shape[1] < len(Phi) else Gram(Phi @ Phi.T)


class Gram:
    """K itself, with v = β for coordinates."""

    def __init__(self, K: Array) -> None:
        self.K, self.diagonal, self.rank = K, K.diagonal(), len(K)  # the rank at most

    def represent(self, beta: Array) -> Array:
        """Return v = Σ β_i φ_i."""
        return beta

    def times(self, v: Array) -> Array:
        """Return φ_i·v for all i."""
        return _combine(v, self.K)  # K is symmetric

    def sums(self, beta: Array) -> Array:
        """Return Kβ."""
        return self.times(self.represent(beta))

    def known(self, beta: Array) -> Known | None:
        """Return Kβ for a certificate, if that costs it less than to find out itself."""
        return None

    def block(self, free: Rows) -> Array:
        """Return K_FF, to be overwritten."""
        if free.size == len(self.K):
            return self.K.copy()
        return np.asarray(self.K.take(free, 0).take(free, 1))

    def dual(self, v: Array) -> Array:
        """Return what gives u·v = dual(v) @ u for the coordinates of any u."""
        return self.times(v)

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        """Return u·v, from the scores of u with any bias, because Σβ = 0."""
        return float(scores @ v)

    def solve(self, free: Rows, h: float, right: Array, total: float) -> Array:
        """Return x with (K_FF + hI) x + b = right and Σx = total, for some b.

        All equations contain b: take from each of them their mean. What remains to be found is x
        less its own mean.
        """
        average = np.full(free.size, 1 / free.size)  # its products are faster than sums
        A, mean, sizes = self.centred(free, average)
        right = right - total * mean
        x = _solve_shifted(A, h, right - average @ right, sizes)
        return np.asarray(x + (total / free.size - average @ x))

    def centred(self, free: Rows, average: Array) -> tuple[Array, Array, Array]:
        """Return K_FF without the means of its rows and columns; the means; how large K was."""
        K = self.block(free)
        mean = average @ K
        sizes = K.diagonal() + np.abs(mean).max()
        K -= mean
        K -= (mean - average @ mean)[:, None]
        return K, mean, sizes

    def step(self, v: Array, q: Array, dual: Array, free: Rows, h: float) -> tuple[Array, Array]:
        r"""Return where Newton's step leads, and by how much it moves the scores.

        Dual is that of what is missing, :math:`r = \sum q_i \varphi_i - v`. The step supposes that
        q changes by x on F and nowhere else:

        .. math::
            (K_{FF} + h I)\, x + \text{the same for all} = -(r \cdot \varphi_i)_{i \in F},
            \qquad \sum x = -\sum q.

        So v goes to Σ (q + x) φ, and the scores of F move by −h x, which tells Δ_b.
        """
        x, move = self.solve(free, h, -dual[free], -float(q.sum())), np.zeros(q.size)
        move[free] = x
        return q + move, _shifted(dual + self.times(move), free, -h * x)


class Factored(Gram):
    """K = ΦΦᵀ, with v = w = Φᵀβ for coordinates."""

    def __init__(self, Phi: Array) -> None:
        self.Phi, self.rank = Phi, min(Phi.shape)
        self.diagonal = np.asarray(np.einsum("ij,ij->i", Phi, Phi))

    def represent(self, beta: Array) -> Array:
        return _combine(beta, self.Phi)

    def times(self, w: Array) -> Array:
        return np.asarray(self.Phi @ w)

    def dual(self, w: Array) -> Array:
        return w

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        return float(u @ v)

    def centred(self, free: Rows, average: Array) -> tuple[Array, Array, Array]:
        Z = self.Phi.take(free, 0)
        mean = average @ Z
        Z -= mean
        A, means = Z @ Z.T, Z @ mean
        return A, means, A.diagonal().copy()

    def step(self, w: Array, q: Array, dual: Array, free: Rows, h: float) -> tuple[Array, Array]:
        r"""Return where Newton's step leads, and by how much it moves the scores.

        With no more free samples than features as before. Else, with Z for the free rows of Φ less
        their mean,

        .. math::
            (Z^\top Z + h I)\, \Delta_w = h\, \Bigl(r - \sum q \cdot \text{mean}\Bigr).
        """
        Z, total = self.Phi.take(free, 0), float(q.sum())
        if free.size <= w.size:
            x = self.solve(free, h, -(Z @ dual), -total)
            delta = dual + x @ Z
            return w + delta, _shifted(self.times(delta), free, -h * x)
        Z -= (mean := Z.sum(axis=0) / free.size)
        delta = _solve_shifted(A := Z.T @ Z, h, h * (dual - total * mean), A.diagonal())
        return w + delta, self.times(delta) + (h * total / free.size - mean @ delta)


class Kept(Gram):
    """K, of which rows are evaluated when they are asked for, and kept as long as there is room.

    The room is a number of floats: half for rows, unless all of them are given; and the rest for
    the block of the free multipliers.
    """

    def __init__(self, kernel: Kernel, X: Array, room: int, rows: Array | None = None) -> None:
        self.kernel, self.X, self.room, self.rank = kernel, X, room, len(X)
        self.diagonal = kernel_diagonal(kernel, X)
        self.evaluate = against(kernel, X)
        n = len(X)
        self.rows = np.empty((min(n, max(1, room // 2 // n)), n)) if rows is None else rows
        self.kept = np.arange(0 if rows is None else n)  # whose rows are there, one after the other
        self.place = np.full(n, -1)  # of everybody's row, if it is there
        self.place[self.kept] = self.kept
        self.forget()

    def forget(self) -> None:
        """Forget the last β, its sums, and the way that led there."""
        self.last, self.last_sums, self.way = np.zeros((3, len(self.X)))
        self.parts = 0

    def times(self, v: Array) -> Array:
        self.keep(v.nonzero()[0])
        known = _combine(v[self.kept], self.rows[: self.kept.size])
        others = v.copy()
        others[self.kept] = 0
        return np.asarray(known + expansion(self.kernel, self.X, others, self.X))

    def sums(self, beta: Array) -> Array:
        """Return Kβ from that of the last β, since most multipliers stay where they are.

        Not if the way there was long: then rounding would be that of larger numbers.
        """
        way = self.way + np.abs(beta - self.last)
        if self.parts and not way.sum() <= _DETOUR * np.abs(beta).sum():
            self.forget()
            return self.sums(beta)
        self.last_sums = self.last_sums + self.times(beta - self.last)
        self.last, self.way, self.parts = beta.copy(), way, self.parts + 1
        return self.last_sums

    def known(self, beta: Array) -> Known:
        values = self.sums(beta)
        operations = self.kept.size + terms(len(beta)) + self.parts + 3
        return Known(values, self.way, operations)

    def block(self, free: Rows) -> Array:
        if free.size**2 > self.room - self.rows.size:
            raise StuckError(
                "the free multipliers need a block larger than their part of the cache"
            )
        self.keep(free)
        places = self.place[free]
        if (places >= 0).all():
            return np.asarray(self.rows[places[:, None], free])
        X = self.X[free]
        return _fill(np.empty((len(X), len(X))), against(self.kernel, X), X)

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


def _fill(K: Array, evaluate: Evaluate, X: Array) -> Array:
    """Write k(X, ·) into K, in tiles that a processor's cache can hold."""
    step = max(1, BLOCK // K.shape[1])
    for i in range(0, len(X), step):
        evaluate(X[i : i + step], K[i : i + step])
    return K


def _combine(v: Array, rows: Array) -> Array:
    """Return Σ v_i rows_i; rows with v_i = 0 cost nothing where they are many."""
    used = v.nonzero()[0]
    return np.asarray(v[used] @ rows.take(used, 0) if 3 * used.size < v.size else v @ rows)


def _shifted(ds: Array, free: Rows, wanted: Array) -> Array:
    """Return ds + Δ_b, where Δ_b is what the scores of the free want."""
    ds += (wanted - ds[free]).sum() / free.size
    ds[free] = wanted  # the same, without the rounding of a product
    return ds


def _solve_shifted(A: Array, h: float, right: Array, sizes: Array) -> Array:
    """Return (A + hI)⁻¹ right for a positive semidefinite A, contiguous, which is overwritten.

    Its diagonal grows by what rounding may have taken from numbers of these sizes, so that A + hI
    is positive definite however small h is. (A Newton step can be off by so little: the next one
    begins with what is wrong then.)
    """
    A.ravel()[:: len(A) + 1] += 8 * len(A) * _EPS * sizes + h
    _, solution, failed = dposv(A.T, right, lower=1, overwrite_a=1)
    if failed:
        raise StuckError("K + hI is not positive definite to rounding")
    return np.asarray(solution)
