"""The Gram matrix as Newton's method needs it, in dual form and in primal form.

K_ij = φ_i·φ_j, and the method moves a vector v of the feature space. The two forms store v in
different coordinates, the multipliers β or the weight vector w:

=========================  =======================  =======================
..                         `DualForm`, rows of K    `PrimalForm`, K = ΦΦᵀ
=========================  =======================  =======================
v                          β, where v = Σ β_i φ_i   w = v itself
represent(β) = Σ β_i φ_i   β                        Φᵀβ
scores(v) = all φ_i·v      Kβ                       Φw
kernel_matvec(β)           Kβ                       ΦΦᵀβ
norm_gradient(v) = ∇½‖v‖²  Kβ                       w
inner(u, all φ_i·u, v)     (all φ_i·u) @ β          u @ w
=========================  =======================  =======================

The methods `solve` and `step` compute Newton's step. F, h and q are those of the docstring of
`svmlib.newton.newton`, so read that first. `choose_form` selects the form.

Derived in chapter 12, *Newton's method*.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsymv, dsyr2
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

from svmlib._arrays import Array, Indices, megabytes
from svmlib._rounding import EPS, compensated_dot, squared_norms
from svmlib.gram_matrix import EAGER_SAMPLES, GramMatrix
from svmlib.kernels import Linear
from svmlib.problem import DualProblem

_MARGIN_ERROR = 1e-4  # of margins; where plain sums for w could exceed it, use `compensated_dot`

# Conjugate gradients, if there are more free multipliers than this number times ‖K‖²_F / Σ K_ii²
_MIN_FREE_FOR_ITERATION = 100
_ITERATION_TOL = 1e-7  # of the right-hand side
_MAX_ITERATIONS = 50  # more steps take longer than K_FF

# No theory gives these three: compare the tables that `make bench` writes into benchmarks/.
_MIN_UPDATED = 200  # free multipliers; with fewer a new factorisation is as fast as an update
_MAX_CHANGED = 0.2  # of the multipliers of a factor; with more changes it is computed again
_MIN_PIVOT_RATIO = 1e-4  # of the largest entry on its diagonal; below that it is not updated


def choose_form(problem: DualProblem, start: Array) -> DualForm | PrimalForm:
    """Return K in the form that suits the problem; a good start needs few of its rows."""
    if not problem.kernel.linear:
        gram_matrix = problem.gram_matrix
        few = gram_matrix.fits and problem.n <= EAGER_SAMPLES
        if few and not (gram_matrix.product_form and start.any()):
            gram_matrix.to_array()
        return DualForm(gram_matrix)
    # The mean is the origin, as `svmlib.kernels.Linear` explains.
    Phi = problem.X - problem.X.mean(axis=0)
    if 2 * Phi.shape[1] < len(Phi):  # else K takes no more than twice the memory of Φ
        return PrimalForm(Phi)
    gram_matrix = GramMatrix(Linear(), Phi, cache_mb=megabytes(len(Phi) ** 2 + 1))  # room for all
    gram_matrix.to_array()
    return DualForm(gram_matrix)


class DualForm:
    """K by its rows, with β as the coordinates of v."""

    def __init__(self, gram_matrix: GramMatrix) -> None:
        self.gram_matrix = gram_matrix
        self.diagonal = gram_matrix.diagonal
        self.rank = gram_matrix.n  # a bound on the rank
        self.min_free_for_iteration = _MIN_FREE_FOR_ITERATION * gram_matrix.frobenius_ratio
        self.factor: _UpdatedFactor | None = None

    def represent(self, beta: Array) -> Array:
        """Return v = Σ β_i φ_i."""
        return beta

    def scores(self, v: Array) -> Array:
        """Return φ_i·v for all i."""
        return self.gram_matrix.matvec(v)

    def kernel_matvec(self, beta: Array) -> Array:
        """Return Kβ, updated from the last Kβ if few multipliers have changed."""
        return self.gram_matrix.incremental_matvec(beta).values

    def norm_gradient(self, v: Array) -> Array:
        """Return ∇½‖v‖² in the coordinates: its product with the coordinates of u is u·v."""
        return self.scores(v)

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        """Return u·v. The `scores` φ_i·u may contain a bias, because the entries of v sum to 0."""
        return float(scores @ v)

    def solve(self, free: Indices, h: float, rhs: Array, total: float) -> Array:
        """Return x with (K_FF + hI) x + b = rhs and Σx = total, for some b."""
        if free.size > self.min_free_for_iteration:
            x, converged = self.iterate(free, h, rhs, total)
            if converged:
                return x
        if free.size >= _MIN_UPDATED:
            if self.factor is None or not self.factor.serves(free, h):
                self.factor = None  # its room is needed
                self.factor = _UpdatedFactor(self.gram_matrix, free, h)
            return self.factor.solve(free, rhs, total)
        K = self.gram_matrix.block(free)
        means, sizes = _centre(K)
        return _solve_centred(K, means, sizes, h, rhs, total)

    def iterate(self, free: Indices, h: float, rhs: Array, total: float) -> tuple[Array, bool]:
        """Return the x of `solve` by the method of conjugate gradients, and whether this ended.

        If K is nearly diagonal, about twenty products with K are enough, and no part is copied.
        """

        def product(v: Array) -> Array:
            whole[free] = v
            image = self.scores(whole)[free] + h * v
            return np.asarray(image - image.sum() / image.size)

        whole = np.zeros(self.gram_matrix.n)
        x = np.full(free.size, total / free.size)
        residual = rhs - rhs.sum() / rhs.size - product(x)
        direction = residual
        squared_norm = residual @ residual
        tolerance = _ITERATION_TOL**2 * (rhs @ rhs)
        for _ in range(_MAX_ITERATIONS):
            if squared_norm <= tolerance:
                break
            image = product(direction)
            length = squared_norm / (direction @ image)  # NaN if nothing is left to do
            x += length * direction
            residual = residual - length * image  # not in place: at first it is the direction
            previous, squared_norm = squared_norm, residual @ residual
            direction = residual + squared_norm / previous * direction
        return x, bool(squared_norm <= tolerance)

    def step(self, v: Array, q: Array, r: Array, free: Indices, h: float) -> tuple[Array, Array]:
        r"""Return the v that Newton's step leads to, and the change of the scores.

        r is the `norm_gradient` of the residual :math:`\sum q_i \varphi_i - v`. The step assumes
        that q changes by x on F and nowhere else:

        .. math::
            (K_{FF} + h I)\, x + \text{the same for all} = -(r \cdot \varphi_i)_{i \in F},
            \qquad \sum x = -\sum q.

        So v goes to Σ (q + x) φ, and the scores of F change by −h x, which gives Δ_b.
        """
        x = self.solve(free, h, -r[free], -float(q.sum()))
        move = np.zeros(q.size)  # x as a vector of all samples
        move[free] = x
        return q + move, _with_bias_change(r + self.scores(move), free, -h * x)


class _UpdatedFactor:
    r"""The Cholesky factor of K_GG + hI, which solves for other free sets F, too, if few differ.

    A sample of F that G lacks adds a row and a column, and for a sample of G that F lacks, x_i = 0
    is an equation with a multiplier of its own. So the equations have a border M of as many columns
    as samples differ, and one more for b and Σx. The factor L turns M into :math:`W = L^{-1} M`,
    whose columns are kept, and the unknowns y of the border follow from the Schur complement, a
    small matrix. From K the means of rows and columns are subtracted, except for a constant, which
    changes b only, and makes the vector of ones an eigenvector like the others.
    """

    def __init__(self, gram_matrix: GramMatrix, base: Indices, h: float) -> None:
        self.gram_matrix, self.base, self.h = gram_matrix, base, h
        n, size = gram_matrix.n, base.size
        K = gram_matrix.block(base)
        self.constant = float(K.diagonal().mean()) / size / 2
        means, sizes = _centre(K, self.constant)
        self.constant += float(means.mean()) / 2
        self.shift = np.zeros(n)  # what is subtracted from the row and from the column of a sample
        self.shift[base] = means - self.constant
        self.L = _cholesky_shifted(K, h, sizes)
        pivots = self.L.diagonal()
        self.updatable = bool(pivots.min() > _MIN_PIVOT_RATIO * pivots.max())
        self.in_base = np.zeros(n, dtype=bool)
        self.in_base[base] = True
        self.row = np.full(n, -1)  # of Wᵀ, for a sample that has differed already
        self.Wt = self.forward(np.ones((1, size)))

    def forward(self, Mt: Array) -> Array:
        """Return (L⁻¹M)ᵀ, in place of Mᵀ."""
        solution: Array = dtrtrs(self.L, Mt.T, lower=1, overwrite_b=1)[0]
        return solution.T

    def changed(self, free: Indices) -> tuple[Indices, Indices]:
        """Return the samples of F that G lacks, and those of G that F lacks."""
        in_free = np.zeros(self.in_base.size, dtype=bool)
        in_free[free] = True
        return (in_free & ~self.in_base).nonzero()[0], (self.in_base & ~in_free).nonzero()[0]

    def serves(self, free: Indices, h: float) -> bool:
        """Return whether h is the same, and F so near to G that updates are faster.

        W takes no more than half of the room of L.
        """
        n_changed = sum(part.size for part in self.changed(free))
        room = min(_MAX_CHANGED * self.base.size, self.base.size // 2 - len(self.Wt))
        few = self.updatable and n_changed <= room
        return h == self.h and (few or n_changed == 0)

    def extend(self, added: Indices, removed: Indices) -> None:
        """Append the rows of Wᵀ for these samples that have not differed before."""
        added, removed = added[self.row[added] < 0], removed[self.row[removed] < 0]
        new = np.concatenate([added, removed])
        if not new.size:
            return
        Mt = np.zeros((new.size, self.base.size))
        rows = self.gram_matrix.block(added, self.base)
        self.shift[added] = rows.mean(axis=1) - self.constant
        Mt[: added.size] = rows - self.shift[added, None] - self.shift[self.base]
        Mt[np.arange(added.size, new.size), np.searchsorted(self.base, removed)] = 1
        self.row[new] = np.arange(len(self.Wt), len(self.Wt) + new.size)
        self.Wt = np.concatenate([self.Wt, self.forward(Mt)])

    def solve(self, free: Indices, rhs: Array, total: float) -> Array:
        """Return x as `DualForm.solve` does."""
        added, removed = self.changed(free)
        self.extend(added, removed)
        x = np.zeros(self.in_base.size)  # of all samples; at first the right-hand side
        x[free] = rhs - total * self.shift[free]
        z = self.forward(x[None, self.base])[0]
        Wt = self.Wt.take(np.concatenate([self.row[added], self.row[removed], [0]]), 0)
        schur, y = -(Wt @ Wt.T), -(Wt @ z)
        m, shift = added.size, self.shift[added]
        schur[:m, :m] += self.gram_matrix.block(added, added) - shift - shift[:, None]
        schur[np.arange(m), np.arange(m)] += self.h
        schur[:m, -1] += 1
        schur[-1, :m] += 1
        y[:m] += x[added]
        y[-1] += total
        y = np.linalg.solve(schur, y)
        x[self.base] = dtrtrs(self.L, z - y @ Wt, lower=1, trans=1, overwrite_b=1)[0]
        x[added] = y[:m]
        return x[free]


class PrimalForm:
    """K = ΦΦᵀ, with v = w = Φᵀβ as coordinates, and the methods of `DualForm`."""

    def __init__(self, Phi: Array) -> None:
        self.Phi = Phi
        self.diagonal = squared_norms(Phi)
        self.rank = min(Phi.shape)

    def represent(self, beta: Array) -> Array:
        if EPS * float(np.abs(beta) @ self.diagonal) > _MARGIN_ERROR:
            return compensated_dot(beta, self.Phi)[0]
        nonzero = beta.nonzero()[0]
        if 3 * nonzero.size < beta.size:
            return beta[nonzero] @ self.Phi.take(nonzero, 0)
        return beta @ self.Phi

    def scores(self, v: Array) -> Array:
        return self.Phi @ v

    def kernel_matvec(self, beta: Array) -> Array:
        return self.scores(self.represent(beta))

    def norm_gradient(self, v: Array) -> Array:
        return v

    def inner(self, u: Array, scores: Array, v: Array) -> float:
        return float(u @ v)

    def solve(self, free: Indices, h: float, rhs: Array, total: float) -> Array:
        """Return x as `DualForm` does, with means minus a constant, which b absorbs."""
        Z = self.Phi.take(free, 0)
        mean = np.full(free.size, 1 / free.size) @ Z
        Z -= mean
        A = Z @ Z.T
        return _solve_centred(A, Z @ mean, A.diagonal().copy(), h, rhs, total)

    def step(self, v: Array, q: Array, r: Array, free: Indices, h: float) -> tuple[Array, Array]:
        r"""Return the v that Newton's step leads to, and the change of the scores.

        If there are no more free samples than features, the equations are those of `DualForm`.
        Otherwise, with the mean φ̄ of the free rows of Φ, and Z for these rows minus φ̄, it
        solves

        .. math::
            (Z^\top Z + h I)\, \Delta_v = h\, \Bigl(r - (\textstyle\sum q)\, \bar\varphi\Bigr).
        """
        Z = self.Phi.take(free, 0)
        total = float(q.sum())
        if free.size <= v.size:
            x = self.solve(free, h, -(Z @ r), -total)
            delta = r + x @ Z
            return v + delta, _with_bias_change(self.scores(delta), free, -h * x)
        mean = Z.sum(axis=0) / free.size
        Z -= mean
        A = Z.T @ Z
        delta = _solve_shifted(A, h, h * (r - total * mean), A.diagonal())
        return v + delta, self.scores(delta) + (h * total / free.size - mean @ delta)


def _with_bias_change(ds: Array, free: Indices, wanted: Array) -> Array:
    """Return ds + Δ_b, with the Δ_b that gives the free scores the change wanted."""
    ds += (wanted - ds[free]).sum() / free.size
    ds[free] = wanted  # their values up to rounding
    return ds


def _centre(K: Array, constant: float = 0.0) -> tuple[Array, Array]:
    """Subtract the means of rows and columns from K, in the half that is read, and add a constant.

    Return the means, and bounds on the sizes of the numbers.
    """
    average = np.full(len(K), 1 / len(K))  # products with it are faster than means
    means = dsymv(1.0, K.T, average, lower=1)
    sizes = K.diagonal() + np.abs(means).max()
    change = means - average @ means / 2 - constant
    dsyr2(-1.0, np.ones(len(K)), change, a=K.T, lower=1, overwrite_a=1)
    return means, sizes


def _solve_centred(
    A: Array, means: Array, sizes: Array, h: float, rhs: Array, total: float
) -> Array:
    """Return x with (K_FF + hI) x + b = rhs and Σx = total, for some b.

    A is K_FF minus the means of its rows and columns. Subtracting their mean from the equations
    eliminates b; then they determine x minus its mean.
    """
    average = np.full(rhs.size, 1 / rhs.size)
    rhs = rhs - total * means
    x = _solve_shifted(A, h, rhs - average @ rhs, sizes)
    return x + (total / rhs.size - average @ x)


def _solve_shifted(A: Array, h: float, rhs: Array, sizes: Array) -> Array:
    """Return (A + hI)⁻¹ rhs for a positive semidefinite A, which is overwritten."""
    solution: Array = dpotrs(_cholesky_shifted(A, h, sizes), rhs, lower=1)[0]
    return solution


def _cholesky_shifted(A: Array, h: float, sizes: Array) -> Array:
    """Return the Cholesky factor of A + hI for a positive semidefinite A, contiguous, in its place.

    A bound on the rounding errors of numbers of these sizes is added to the diagonal, too, so that
    the matrix is positive definite however small h is. The next Newton step corrects that.
    """
    A.ravel()[:: len(A) + 1] += 8 * len(A) * EPS * sizes + h
    # A.T is A in the memory order of LAPACK.
    factor: Array
    factor, failed = dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise LinAlgError("K + hI is not positive definite to rounding")
    return factor
