"""The Gram matrix as Newton's method needs it, in two forms.

K_ij = φ_i·φ_j, and the method moves a vector v of the feature space. A form of K knows coordinates
for it: multipliers β, v = Σ β_i φ_i, for which rows of K must be at hand (`Gram`); or v itself,
which is the w of a linear kernel (`Factored`). Each can tell v from multipliers (`represent`), the
φ_i·v (`times`), inner products, and a Newton step. Which one suits is `gram`'s choice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dposv

from svmlib._validation import Array
from svmlib.certificate import accurate_sum
from svmlib.kernels import Linear
from svmlib.problem import DualProblem
from svmlib.rows import Rows, combine

Indices = NDArray[np.intp]

_EPS = float(np.finfo(float).eps)
_MARGIN_ERROR = 1e-4  # that plain sums for w may cause; where it is more they are made accurate
_WHOLE = 1000  # samples; up to here the whole matrix K costs less than asking row by row


def gram(problem: DualProblem) -> Gram:
    """Return K in the form that suits the problem."""
    if problem.linear:
        return factored(problem.X)
    if problem.rows.fits and (problem.n <= _WHOLE or problem.of_given_matrix):
        problem.gram()
    return Gram(problem.rows)


def factored(Phi: Array) -> Gram:
    """Return ΦΦᵀ, but for what changes K β only by a constant where Σβ = 0.

    Far from the origin K is nearly constant, and φ·φ loses the digits that tell points apart. So
    the points are moved to their mean, and K β by a constant, which b takes up.
    """
    Phi = Phi - Phi.mean(axis=0)
    if 2 * Phi.shape[1] < len(Phi):
        return Factored(Phi)
    rows = Rows(Linear(), Phi, (len(Phi) ** 2 + 1) / 2**17)
    rows.gram()
    return Gram(rows)


class Gram:
    """K by its rows, with v = β for coordinates."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.diagonal, self.rank = rows, rows.diagonal, rows.n  # the rank at most
        self.last, self.last_sums = np.zeros((2, rows.n))

    def represent(self, beta: Array) -> Array:
        """Return v = Σ β_i φ_i."""
        return beta

    def times(self, v: Array) -> Array:
        """Return φ_i·v for all i."""
        return self.rows.times(v)

    def sums(self, beta: Array) -> Array:
        """Return Kβ; from that of the last β where rows may have to be evaluated for it.

        Most multipliers stay where they are, so that few rows are needed for the difference.
        """
        if beta is not self.last:
            if self.rows.whole:
                self.last_sums = self.times(beta)
            else:
                self.last_sums = self.last_sums + self.times(beta - self.last)
            self.last = beta
        return self.last_sums

    def block(self, free: Indices) -> Array:
        """Return K_FF, to be overwritten."""
        return self.rows.block(free)

    def dual(self, v: Array) -> Array:
        """Return what gives u·v = dual(v) @ u for the coordinates of any u."""
        return self.times(v)

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        """Return u·v, from the scores of u with any bias, because Σβ = 0."""
        return float(scores @ v)

    def solve(self, free: Indices, h: float, right: Array, total: float) -> Array:
        """Return x with (K_FF + hI) x + b = right and Σx = total, for some b.

        All equations contain b: take from each of them their mean. What remains to be found is x
        less its own mean.
        """
        average = np.full(free.size, 1 / free.size)  # its products are faster than sums
        A, mean, sizes = self.centred(free, average)
        right = right - total * mean
        x = _solve_shifted(A, h, right - average @ right, sizes)
        return np.asarray(x + (total / free.size - average @ x))

    def centred(self, free: Indices, average: Array) -> tuple[Array, Array, Array]:
        """Return K_FF without the means of its rows and columns; the means; how large K was."""
        K = self.block(free)
        mean = average @ K
        sizes = K.diagonal() + np.abs(mean).max()
        K -= mean
        K -= (mean - average @ mean)[:, None]
        return K, mean, sizes

    def step(self, v: Array, q: Array, dual: Array, free: Indices, h: float) -> tuple[Array, Array]:
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
        if _EPS * float(np.abs(beta) @ self.diagonal) > _MARGIN_ERROR:
            return accurate_sum(self.Phi, beta)[0]
        return combine(beta, self.Phi)

    def times(self, w: Array) -> Array:
        return np.asarray(self.Phi @ w)

    def sums(self, beta: Array) -> Array:
        return self.times(self.represent(beta))

    def dual(self, w: Array) -> Array:
        return w

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        return float(u @ v)

    def centred(self, free: Indices, average: Array) -> tuple[Array, Array, Array]:
        Z = self.Phi.take(free, 0)
        mean = average @ Z
        Z -= mean
        A, means = Z @ Z.T, Z @ mean
        return A, means, A.diagonal().copy()

    def step(self, w: Array, q: Array, dual: Array, free: Indices, h: float) -> tuple[Array, Array]:
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


def _shifted(ds: Array, free: Indices, wanted: Array) -> Array:
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
        raise LinAlgError("K + hI is not positive definite to rounding")
    return np.asarray(solution)
