"""Kernels: inner products in a feature space, computed without its features.

A kernel is anything that can be called as ``k(X, Z)`` with points X of shape (n, d) and Z of shape
(m, d) and returns the n × m matrix of the numbers k(x_i, z_j). The four classics are small frozen
objects; a plain function of your own can replace any of them. With this module you can

- evaluate `Linear`, `Polynomial`, `RBF` and `Sigmoid`, or look values up (`Precomputed`),
- write down the feature map φ of a polynomial kernel and see that k(x, z) = φ(x)·φ(z).

`error_bound` serves `svmlib.certificate`. Derived in chapter 5, *Kernels*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod, sqrt
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from svmlib._arrays import Array, FloatType, ReadOnly
from svmlib._rounding import UNIT_ROUNDOFF, compensated_dot, gamma_n, row_norm_bounds, squared_norms
from svmlib._validation import (
    check_array,
    check_bound,
    check_bounds,
    check_count,
    check_gram,
    check_points,
    check_scalar,
    float_type_of,
)

__all__ = ["RBF", "Linear", "Polynomial", "Precomputed", "Sigmoid"]

_SAFE_EXPONENT = 450.0  # γ‖x‖² + γ‖z‖² up to which the fast formula of the RBF keeps 12 digits
_MIN_NORM = 1e-139  # of φ(x): what underflows is negligible beside u times its square
BLOCK_SIZE = 2**18  # kernel values computed at a time: 2 MB, which a processor's cache can hold
_BLOCK_COLUMNS = 512  # of such a block
_SMALL_BATCH = 8  # with at most this number of points to score, `evaluator` gets them, else X
_BATCH_POINTS = BLOCK_SIZE // _SMALL_BATCH  # points of the sum that are then taken at a time
_FAR_FROM_ZERO = 1.01  # widths of a column: 1, plus the rounding of width and midrange

Kernel = Callable[[Array, Array], Array]
KernelOrPrecomputed = Kernel | Literal["precomputed"]  # "precomputed": X is a Gram matrix
Evaluator = Callable[[Array, Array], Array]  # (X, out): writes k(X, Z) into out and returns it


@dataclass(frozen=True, eq=False)
class ErrorBound(ReadOnly):
    """Bounds for all i and j: abs(k(x_i, x_j)) ≤ N_i N_j, with an error of at most θ N_i N_j.

    Attributes
    ----------
    theta : float
        θ, the relative error of the values.
    norms : ndarray of shape (n,)
        The N_i, bounds on the norms ‖φ(x_i)‖.
    """

    theta: float
    norms: Array

    def __post_init__(self) -> None:
        norms = check_bounds(self.norms, "norms", np.size(self.norms))
        vars(self).update(theta=check_bound(self.theta, "theta"), norms=norms)
        super().__post_init__()


class ProductForm(NamedTuple):
    """A matrix of kernel values, or any part of it, as `transform` of a matrix product."""

    left: Array  # one row for each row of K
    right: Array  # one column for each column of K
    transform: Callable[[Array], Array]  # entry by entry, in place


class BaseKernel:
    """The interface of a kernel, with defaults for any user's function k(X, Z)."""

    linear = False  # whether k(x, z) = x·z
    positive_semidefinite = False  # whether every Gram matrix of this kernel provably is
    user_defined = True  # a user's function or matrix: its values are taken as exact

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the matrix of k(x_i, z_j), of shape (n, m), for X (n, d) and Z (m, d)."""
        raise NotImplementedError

    def evaluator(self, Z: Array) -> Evaluator:
        """Return the function (X, out) ↦ k(X, Z), which checks the values.

        Work that depends on Z alone is done once, and values are written into `out`. The points
        must be checked already. The function raises a `ValueError` if the kernel returns a matrix
        of the wrong shape, or numbers that are not finite.
        """

        def evaluate(X: Array, out: Array) -> Array:
            values = check_array(self(X.copy(), Z.copy()), "kernel(X, Z)")  # it may overwrite both
            if values.shape != out.shape:
                accepted = f"one row for each x and one column for each z, {out.shape}"
                raise ValueError(f"kernel must return {accepted}, got shape {values.shape}")
            out[:] = values
            return out

        return evaluate

    def product_form(self, X: Array) -> ProductForm | None:
        """Return k(X, X) as a function of matrix products, or None if there is no such form.

        Work that depends on a point alone is done once; `evaluator` repeats it for every row.
        """
        return None

    def float_type(self, X: Array) -> FloatType:
        """Return the type of float in which the kernel returns values at points like these."""
        return float_type_of(self(X[:1].copy(), X[:1].copy()))

    def diagonal(self, X: Array) -> Array:
        """Return k(x_i, x_i), of shape (n,), without the rest of the Gram matrix."""
        parts = np.split(X, range(32, len(X), 32))  # few calls, and few unused values
        blocks = [self.evaluator(x)(x, np.empty((len(x), len(x)))) for x in parts]
        return np.concatenate([block.diagonal() for block in blocks])

    def error_bound(self, X: Array) -> ErrorBound | None:
        """Return bounds on the values and their errors; None if these depend on the values."""
        return None

    def asymmetry(self, X: Array, beta: Array) -> float:
        """Bound the change of an entry of Kβ if K is replaced by the matrix as it was given."""
        return 0.0

    def origin(self, X: Array) -> Array:
        """Return a point that may be subtracted from all others without any effect, or zero."""
        return np.zeros(X.shape[1])


@dataclass(frozen=True, eq=False)
class _UserFunction(BaseKernel):
    """A function of the user's."""

    function: Callable[..., Any]

    def __repr__(self) -> str:
        return repr(self.function)

    def __call__(self, X: Array, Z: Array) -> Any:
        return self.function(X, Z)


class ClassicKernel(BaseKernel):
    """The base of the four classics: it checks parameters and points, and has an error bound."""

    user_defined = False

    # X Xᵀ is semidefinite, and so are sums, products and limits of such kernels. The RBF kernel is
    # h(x) exp(2γ x·z) h(z) with h(x) = exp(−γ‖x‖²), and the exponential a limit of polynomials
    # with non-negative coefficients.
    positive_semidefinite = True

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            # Python's numbers, because NumPy's small integers overflow.
            check: Any = check_count if name == "degree" else check_scalar
            vars(self)[name] = check(value, name, positive=name != "coef0")

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the matrix of k(x_i, z_j), of shape (n, m), for X (n, d) and Z (m, d)."""
        X = check_points(X)
        Z = check_points(Z, "Z", n_features=X.shape[1])
        return self.evaluator(Z)(X, np.empty((X.shape[0], Z.shape[0])))

    def error_bound(self, X: Array) -> ErrorBound:
        """Return bounds on the values and their errors, infinite where squares overflow."""
        raise NotImplementedError


def is_classic(kernel: object) -> TypeGuard[ClassicKernel]:
    """Return whether it is a classic kernel; a subclass that overrides one of these is not."""
    kind, formula = type(kernel), ("__call__", "evaluator", "product_form", "diagonal")
    classic = next((c for c in (Linear, Polynomial, RBF, Sigmoid) if issubclass(kind, c)), None)
    return classic is not None and all(getattr(kind, f) is getattr(classic, f) for f in formula)


class _DotProductKernel(ClassicKernel):
    """The base of those whose values are a function, `_transform`, of the inner product x·z."""

    def evaluator(self, Z: Array) -> Evaluator:
        quiet = np.errstate(over="ignore", invalid="ignore")
        return quiet(lambda X, out: self._values(np.matmul(X, Z.T, out=out)))

    def product_form(self, X: Array) -> ProductForm | None:
        return ProductForm(X, X.T, self._values)

    def diagonal(self, X: Array) -> Array:
        return self._values(squared_norms(check_points(X)))

    @np.errstate(over="ignore", invalid="ignore")  # the error below reports it
    def _values(self, t: Array) -> Array:
        """Turn inner products into kernel values, in place, and return them if they are finite."""
        values = self._transform(t)
        if not (np.isfinite(values.sum()) or np.isfinite(values).all()):  # a sum is faster
            raise ValueError(f"X must be small enough for {self!r} to be finite: scale its columns")
        return values

    def _transform(self, t: Array) -> Array:
        """Turn inner products t = x·z into kernel values, in place, and return them."""
        return t


@dataclass(frozen=True)
class Linear(_DotProductKernel):
    r"""The linear kernel :math:`k(x, z) = x \cdot z`: the feature space is the space itself.

    Notes
    -----
    *The origin.* Far from it x·z is nearly the same for all points, and loses the digits that
    distinguish them. But because :math:`\sum_i \beta_i = 0`, an origin c in place of 0 changes
    :math:`\sum_i \beta_i\, (x_i - c) \cdot (z - c)` only by a number that is the same for all z,
    and that b absorbs. So `svmlib.svc.SVC` moves the origin where that needs no rounding, and
    Newton's method, `svmlib.hinge.subgradient_descent` and `svmlib.distributed.solve_linear`
    take the mean as the origin. `svmlib.smo.smo` and the interior point method take the
    points as they are. `RBF` chooses its own origin, because its values depend on distances only;
    for other kernels a shift would change the values.

    Examples
    --------
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    linear = True

    def origin(self, X: Array) -> Array:
        """Return the midrange of every column that is further from zero than it is wide; else 0.

        The differences are exact, because x is between half of the midrange and twice the midrange
        (Sterbenz).
        """
        low, high = X.min(axis=0), X.max(axis=0)
        midrange = low / 2 + high / 2
        return np.where(np.abs(midrange) > _FAR_FROM_ZERO * (high - low), midrange, 0.0)

    def error_bound(self, X: Array) -> ErrorBound:
        """Return θ = γ_d, for a sum of d products, and N = ‖x‖, by Cauchy–Schwarz.

        γ_d, with an index, is rounding; γ alone is a kernel's parameter.
        """
        return ErrorBound(gamma_n(X.shape[1]), row_norm_bounds(X))


@dataclass(frozen=True)
class Polynomial(_DotProductKernel):
    r"""The polynomial kernel :math:`k(x, z) = (\gamma\, x \cdot z + c_0)^p`.

    Parameters
    ----------
    degree : int, default 3
        The power p ≥ 1.
    gamma : float, default 1.0
        The scale γ > 0 of the inner product.
    coef0 : float, default 0.0
        The constant c₀. With c₀ > 0 the features are all monomials of degree at most p, with
        c₀ = 0 all monomials of degree exactly p. A negative c₀ is allowed, but then the kernel need
        not be positive semidefinite and has no feature map.

    Raises
    ------
    ValueError
        If the degree is not a positive integer, γ not a positive number or c₀ not finite.

    References
    ----------
    Boser, B. E., Guyon, I. M. and Vapnik, V. N. (1992), "A training algorithm for optimal margin
    classifiers".

    Examples
    --------
    >>> kernel, X = Polynomial(degree=2, coef0=1.0), np.array([[1.0], [2.0]])
    >>> kernel(X, X)
    array([[ 4.,  9.],
           [ 9., 25.]])
    >>> kernel.feature_map(X).round(3)  # 1, √2 x and x²
    array([[1.   , 1.414, 1.   ],
           [1.   , 2.828, 4.   ]])
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def positive_semidefinite(self) -> bool:  # type: ignore[override]
        """Whether c₀ ≥ 0: sums and products of kernels are kernels."""
        return bool(self.coef0 >= 0)  # Python's bool, for `is True`

    def feature_map(self, X: Array) -> Array:
        r"""Return φ(x), one feature per monomial, so that φ(x)·φ(z) = k(x, z).

        With the constant :math:`\sqrt{c_0}` beside :math:`\sqrt\gamma\,x` the kernel is
        :math:`(u \cdot v)^p` of two longer vectors. By the multinomial theorem that is a sum over
        the monomials :math:`u_0^{e_0} \cdots u_d^{e_d}` of degree p, each with the weight
        :math:`\sqrt{p! / (e_0! \cdots e_d!)}`.

        Returns
        -------
        ndarray of shape (n, n_monomials)
            ``n_monomials`` is the number of monomials of degree at most p, which is
            :math:`\binom{d + p}{p}`, or of degree exactly p if c₀ = 0.

        Raises
        ------
        ValueError
            If c₀ < 0: a weight would be the root of a negative number.
        """
        X = check_points(X)
        if self.coef0 < 0:
            raise ValueError(f"coef0 must be at least 0 for a feature map, got {self.coef0!r}")
        u = np.sqrt(self.gamma) * X
        if self.coef0 > 0:
            u = np.column_stack([np.full(len(X), np.sqrt(self.coef0)), u])
        features = []
        for factors in combinations_with_replacement(range(u.shape[1]), self.degree):
            ways = factorial(self.degree) // prod(factorial(factors.count(i)) for i in set(factors))
            features.append(sqrt(ways) * np.prod(u[:, factors], axis=1))
        return np.column_stack(features)

    def error_bound(self, X: Array) -> ErrorBound:
        """Return about p (d + 4) u, and N with N² = (γ‖x‖² + abs(c₀))^p.

        The base γ x·z + c₀ takes d + 2 operations on numbers of size γ‖x‖‖z‖ + abs(c₀), which by
        Cauchy–Schwarz is at most N_i N_j to the power 1/p; raising it takes p − 1 more. What
        underflows on the way is below θ N_i N_j, because no N_i is smaller than 10⁻¹³⁹.
        """
        base = (self.gamma * row_norm_bounds(X) ** 2 + abs(self.coef0)) * (1 + gamma_n(8))
        norms = np.maximum(base ** (self.degree / 2), _MIN_NORM)
        return ErrorBound(gamma_n(self.degree * (X.shape[1] + 4)), norms)

    def _transform(self, t: Array) -> Array:
        t *= self.gamma
        t += self.coef0
        base = t.copy()
        for _ in range(self.degree - 1):  # a tenth of the time of base**degree
            t *= base
        return t


@dataclass(frozen=True)
class RBF(ClassicKernel):
    r"""The Gaussian kernel :math:`k(x, z) = \exp(-\gamma \lVert x - z \rVert^2)`.

    Its feature space has infinitely many dimensions, so there is no ``feature_map``.

    Parameters
    ----------
    gamma : float
        γ = 1 / (2σ²) > 0, in units of one over squared distance, where σ is the width of the
        bell. Use `from_width` to give σ.

    Raises
    ------
    ValueError
        If γ is not a positive finite number.

    References
    ----------
    Boser, B. E., Guyon, I. M. and Vapnik, V. N. (1992), "A training algorithm for optimal margin
    classifiers".

    Examples
    --------
    >>> RBF(gamma=0.5)([[0.0], [2.0]], [[0.0]]).round(3)
    array([[1.   ],
           [0.135]])
    >>> RBF.from_width(1.0)
    RBF(gamma=0.5)
    """

    gamma: float

    @classmethod
    def from_width(cls, sigma: float) -> RBF:
        """Return the kernel of width σ > 0 (in the units of the data): γ = 1 / (2σ²).

        Raises
        ------
        ValueError
            If σ or γ is not a positive finite number.
        """
        sigma = check_scalar(sigma, "sigma", positive=True)
        return cls(check_scalar(0.5 / sigma / sigma, "1/(2 sigma²)", positive=True))

    def error_bound(self, X: Array) -> ErrorBound:
        """Return θ, from the errors of the exponent and of the exponential, and N = 1.

        With both points at most r from the origin that `evaluator` chooses, the exponent −t is off
        by about (3d + 10) u times 2 γ r²: d + 2 additions of terms that are 4 γ r² together, d + 1
        in each norm, and a few for the origin. The difference between `expm1` and its argument, and
        what r loses in proportion to itself, are of second order. `cdist` computes t in d + 4
        operations, which costs exp(−t) at most (d + 4) u / e; that is far less, because `cdist` is
        used only where 2 γ r² is 450 or more. The exponential is accurate to a few u. The origin
        is the mean of some of the points; far from zero it has a rounding error of its own. What
        underflows in a square is negligible beside r², as `row_norm_bounds` makes r at least 2⁻⁴⁹⁹.
        """
        n, d = X.shape
        mean = X.sum(axis=0) / n
        # The mean of some points is within R of the mean of all, so all points are within 2R of it.
        radius = 2 * float(row_norm_bounds(X - mean).max())
        radius += 2 * gamma_n(n + 4) * float(np.sqrt(mean @ mean))
        exponent = gamma_n(3 * d + 20) * min(2 * self.gamma * radius * radius, _SAFE_EXPONENT)
        # Where ‖x − z‖² overflows the computed value is 0, the true one at most exp(−1.7e308 γ).
        theta = float(np.expm1(exponent) + np.exp(-1.7e308 * self.gamma))
        return ErrorBound(theta + 12 * UNIT_ROUNDOFF, np.ones(len(X)))

    @np.errstate(over="ignore")
    def evaluator(self, Z: Array) -> Evaluator:
        """Return the function (X, out) ↦ k(X, Z), whose values are always finite."""
        # −γ‖x − z‖² = 2γ x·z − γ‖x‖² − γ‖z‖² is one matrix product, with the norms in two more
        # columns, but it subtracts numbers of size γ‖x‖². So the origin moves to the mean of Z,
        # which changes no distance. If the norms are still large, compute the distances themselves.
        centre = Z.sum(axis=0) / len(Z)
        z = Z - centre
        zz = self.gamma * squared_norms(z)
        right, largest = self._right(z, zz), zz.max()

        @np.errstate(over="ignore", invalid="ignore")
        def evaluate(X: Array, out: Array) -> Array:
            x = X - centre
            xx = self.gamma * squared_norms(x)
            if not xx.max(initial=0.0) + largest < _SAFE_EXPONENT:
                np.multiply(cdist(X, Z, "sqeuclidean"), -self.gamma, out=out)
                return np.exp(out, out=out)
            return self._transform(np.matmul(self._left(x, xx), right, out=out))

        return evaluate

    def _left(self, x: Array, xx: Array) -> Array:
        """Return the rows (x, γ‖x‖², 1)."""
        return np.ascontiguousarray(np.column_stack([x, xx, np.ones(len(x))]))

    def _right(self, z: Array, zz: Array) -> Array:
        """Return the columns (2γz, −1, −γ‖z‖²)."""
        columns = np.vstack([2 * (self.gamma * z.T), np.full(len(z), -1.0), -zz])
        return np.ascontiguousarray(columns)  # vstack keeps the order of z.T

    @np.errstate(over="ignore")
    def product_form(self, X: Array) -> ProductForm | None:
        """Return the form that `evaluator` uses, or None if it computes the distances instead."""
        x = X - X.sum(axis=0) / len(X)
        xx = self.gamma * squared_norms(x)
        if not 2 * xx.max() < _SAFE_EXPONENT:
            return None
        # Exponents are above −900.
        return ProductForm(self._left(x, xx), self._right(x, xx), self._transform)

    def _transform(self, t: Array) -> Array:
        """Return the exponential of the exponents, in place."""
        return np.exp(t, out=t)

    def diagonal(self, X: Array) -> Array:
        """Return k(x_i, x_i) = 1, of shape (n,)."""
        return np.ones(len(check_points(X)))


@dataclass(frozen=True)
class Sigmoid(_DotProductKernel):
    r"""The "kernel" :math:`k(x, z) = \tanh(\gamma\, x \cdot z + c_0)` of early neural networks.

    For every γ > 0 and c₀ some of its Gram matrices are not positive semidefinite, so it has no
    feature map; `svmlib.problem.DualProblem.convex` checks the Gram matrix of your points.

    Parameters
    ----------
    gamma : float
        The scale γ > 0 of the inner product.
    coef0 : float, default 0.0
        The constant c₀.

    Raises
    ------
    ValueError
        If γ is not a positive number or c₀ not finite.

    References
    ----------
    Lin, H.-T. and Lin, C.-J. (2003), "A study on sigmoid kernels for SVM and the training of
    non-PSD kernels by SMO-type methods".

    Examples
    --------
    >>> Sigmoid(gamma=1.0, coef0=-1.0)([[1.0]], [[1.0], [3.0]]).round(3)
    array([[0.   , 0.964]])
    """

    gamma: float
    coef0: float = 0.0

    positive_semidefinite = False  # never guaranteed

    def error_bound(self, X: Array) -> ErrorBound:
        """Return about (d + 8) u and N² = 1 + γ‖x‖²: tanh is no steeper than 1.

        Adding c₀ to γ x·z rounds the sum t by u t, and tanh, whose slope is 1/cosh² t, reduces
        that to less than u/2.
        """
        norms = np.sqrt(1 + self.gamma * row_norm_bounds(X) ** 2)
        return ErrorBound(gamma_n(X.shape[1] + 8), norms)

    def _transform(self, t: Array) -> Array:
        t *= self.gamma
        t += self.coef0
        return np.tanh(t, out=t)


class Precomputed(BaseKernel):
    """A Gram matrix, looked up: the "points" are its row numbers.

    For anything that is not a vector (strings, graphs), or for values that took long to compute.

    Parameters
    ----------
    K : array_like of shape (n, n)
        The matrix of all k(x_i, x_j). Do not convert numbers that were computed in single or half
        precision: the type decides how far K may be from symmetric and from semidefinite. If K and
        Kᵀ differ, by no more than rounding, their mean is taken.
    name : str, default "K"
        The name of the matrix in messages.
    float_type : type, optional
        The type of float that the numbers had before, numpy.float16, float32 or float64, if it is
        not that of K.
    copy : bool, default True
        Whether to copy K. Without a copy, certificates are valid only until you change K.

    Attributes
    ----------
    K, given : ndarray of shape (n, n)
        The symmetric matrix, and the matrix as given, read only.
    points : ndarray of shape (n, 1)
        The row numbers 0, …, n − 1, which stand for the points.

    Raises
    ------
    ValueError
        If K is not square, finite and, up to that rounding, symmetric.

    Examples
    --------
    >>> kernel = Precomputed([[2.0, 1.0], [1.0, 3.0]])
    >>> kernel(kernel.points, kernel.points[1:])
    array([[1.],
           [3.]])
    """

    def __init__(
        self, K: ArrayLike, name: str = "K", float_type: type | None = None, *, copy: bool = True
    ) -> None:
        matrix = check_points(K, name)
        self.given = matrix.copy() if copy else matrix.view()
        self._float_type = float_type_of(K) if float_type is None else float_type
        self.K = check_gram(self.given, name, self._float_type)
        self.points = np.arange(float(len(self.K)))[:, None]
        for array in self.given, self.K:
            array.flags.writeable = False

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the rows X and columns Z of K.

        Raises
        ------
        ValueError
            If X or Z is not one column of row numbers.
        """
        X, Z = check_points(X), check_points(Z, "Z")
        for name, numbers in ("X", X), ("Z", Z):
            if numbers.shape[1] != 1 or not np.isin(numbers, self.points).all():
                raise ValueError(f"{name} must be one column, numbers from 0 to {len(self.K) - 1}")
        return np.asarray(self.K[X.astype(int), Z[:, 0].astype(int)])

    def float_type(self, X: Array) -> FloatType:
        """Return the type in which the numbers were given."""
        return self._float_type

    def asymmetry(self, X: Array, beta: Array) -> float:
        """Bound the change of an entry of Kβ if `K`, a rounded mean, is replaced by `given`.

        With m terms there are m operations, one for the difference of the matrices and one for the
        sum of change and error; two more cover the rounding of the bound, which is of second order.
        """
        if self.given is self.K:
            return 0.0
        rows = X[:, 0].astype(int)
        nonzero = beta.nonzero()[0]
        places, v = np.ix_(rows, rows[nonzero]), beta[nonzero]
        change = self.given[places] - self.K[places]
        error = gamma_n(v.size + 4) * (np.abs(change) @ np.abs(v))
        return float((np.abs(change @ v) + error).max())


def check_kernel(kernel: object) -> BaseKernel:
    """Return the kernel, with the methods of `BaseKernel`, if it can be called as ``k(X, Z)``.

    Raises
    ------
    ValueError
        If it cannot be called like that, such as a name or a class (``RBF``, not ``RBF(1.0)``).
    """
    if isinstance(kernel, type) or not callable(kernel):
        accepted = "a kernel such as RBF(gamma=1.0), or a function f(X, Z) that returns a matrix"
        raise ValueError(f"kernel must be {accepted}, got {kernel!r:.80}")
    # The values and the bounds of a classic kernel do not hold for another formula.
    other_formula = isinstance(kernel, ClassicKernel) and not is_classic(kernel)
    return kernel if isinstance(kernel, BaseKernel) and not other_formula else _UserFunction(kernel)


def kernel_expansion(kernel: Kernel, X: Array, beta: Array, Z: Array) -> Array:
    """Return Σ_i β_i k(z, x_i) for every row z of Z, of shape (m,).

    Points with β_i = 0 cost nothing, and kernel values are never kept: memory stays at a few
    megabytes however many points there are, except for `Linear`, which copies points with β_i ≠ 0.
    The points must be checked already.

    Examples
    --------
    >>> X, Z = np.array([[1.0], [3.0]]), np.array([[2.0]])
    >>> kernel_expansion(Polynomial(2), X, np.array([1.0, -1.0]), Z)
    array([-32.])
    """
    kernel = check_kernel(kernel)
    nonzero = np.flatnonzero(beta)
    if kernel.linear:  # Σ β_i (x_i·z) = (Σ β_i x_i)·z, with the w of the certificate
        return Z @ compensated_dot(beta[nonzero], X[nonzero])[0]
    sums = np.zeros(len(Z))
    if nonzero.size and len(Z) <= _SMALL_BATCH and not kernel.user_defined:
        evaluate = kernel.evaluator(Z)  # k(X, Z) in place of k(Z, X)
        for indices in np.split(nonzero, range(_BATCH_POINTS, nonzero.size, _BATCH_POINTS)):
            sums += beta[indices] @ evaluate(X[indices], np.empty((indices.size, len(Z))))
        return sums
    buffer = np.empty(min(BLOCK_SIZE, nonzero.size * len(Z)))  # once, because allocation is slow
    for first in range(0, nonzero.size, _BLOCK_COLUMNS):
        indices = nonzero[first : first + _BLOCK_COLUMNS]
        evaluate = kernel.evaluator(X[indices])
        step = max(1, BLOCK_SIZE // indices.size)
        for start in range(0, len(Z), step):
            z = Z[start : start + step]
            block = buffer[: len(z) * indices.size].reshape(len(z), indices.size)
            sums[start : start + step] += evaluate(z, block) @ beta[indices]
    return sums
