"""The support vector classifier, as scikit-learn knows it, and with its proof.

`SVC` ties the rooms of this library together: it turns labels into ±1, a kernel's name into a
kernel, asks one of the solvers for the multipliers, and keeps what predictions need and the
certificate that they come from the optimum. With this module you can

- fit, predict and cross-validate as with `sklearn.svm.SVC`, with the same names and defaults,
- read in ``certificate_`` how far from optimal the fitted classifier can be,
- ask for the hard margin, C = ∞, and get the maximal margin or the proof that there is none.

Derived in chapter 7, *The full SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from svmlib._validation import Array, check_count, check_scalar
from svmlib.duality import DualProblem, Solution, solve_interior_point, solve_slsqp
from svmlib.hulls import NotSeparableError, Separation, closest_points, separation
from svmlib.kernels import RBF, Kernel, Linear, Polynomial, Sigmoid, check_kernel, expansion
from svmlib.smo import smo

KernelName = Literal["linear", "poly", "rbf", "sigmoid"]
SolverName = Literal["auto", "smo", "interior_point", "slsqp"]

_SMALL = 100  # up to here the interior point method is as fast as SMO, and exact
_MEDIUM = 2000  # up to here it takes seconds, and SMO may take many minutes if C is large
_PATIENCE = 100  # steps a sample, after which "auto" asks the other one


class SVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    r"""Support vector classifier for two classes.

    It minimises :math:`\tfrac12 \lVert w \rVert^2 + C \sum_i \max(0, 1 - y_i f(x_i))` over
    functions :math:`f(x) = w \cdot \varphi(x) + b` in the feature space of the kernel, and
    predicts by the sign of f, ties going to the second class. ``C=numpy.inf`` is the hard
    margin: the hyperplane furthest from both classes.

    Parameters
    ----------
    C : float, default 1.0
        The price of a unit of slack, positive; ``numpy.inf`` allows none.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default "rbf"
        The name of a kernel; or an object of `svmlib.kernels`, which brings its own parameters;
        or any function f(X, Z) that returns the matrix of k(x_i, z_j).
    degree : int, default 3
        The degree of ``"poly"``.
    gamma : {"scale", "auto"} or float, default "scale"
        γ of ``"rbf"``, ``"poly"`` and ``"sigmoid"``: a positive number (for the RBF kernel of
        width σ it is 1 / (2σ²)); or 1 / (d · variance of all entries of X) for ``"scale"``,
        with samples weighted by ``sample_weight``; or 1 / d for ``"auto"``.
    coef0 : float, default 0.0
        c₀ of ``"poly"`` and ``"sigmoid"``.
    tol : float, default 1e-3
        What to be content with: the largest violation of the KKT conditions, in units of y f(x),
        and the duality gap as a fraction of the primal value. Only SMO stops there; the other two
        solvers go on to rounding.
    solver : {"auto", "smo", "interior_point", "slsqp"}, default "auto"
        ``"auto"`` is SMO, unless the kernel is known to be positive semidefinite and the
        interior point method is as fast, for up to 100 samples, or is needed: for up to 2000
        samples, where SMO has not converged after 100 steps a sample.
    max_iter : int, default -1
        The most iterations, or −1 for the solver's own default.
    verbose : bool, default False
        Whether SMO shows its progress.

    Attributes
    ----------
    certificate_ : svmlib.duality.Certificate
        Primal and dual value, duality gap and largest KKT violation, recomputed from the data.
    classes_ : ndarray of shape (2,)
        The two labels, sorted; f(x) ≥ 0 predicts the second.
    support_ : ndarray of shape (n_support,)
        Indices of the samples with α_i > 0: those of the first class, then the second.
    support_vectors_ : ndarray of shape (n_support, d)
        These samples.
    n_support_ : ndarray of shape (2,)
        How many there are of each class.
    dual_coef_ : ndarray of shape (1, n_support)
        Their y_i α_i.
    coef_ : ndarray of shape (1, d)
        w, for a linear kernel only.
    intercept_ : ndarray of shape (1,)
        b.
    n_iter_ : ndarray of shape (1,)
        Iterations of the solver.
    kernel_ : callable
        The kernel, with its parameters settled.
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of shape (d,)
        Names of the features, if X had any.

    Notes
    -----
    Derived in chapter 7, *The full SMO*. Unlike `sklearn.svm.SVC` it takes two classes only
    (`sklearn.multiclass.OneVsRestClassifier` makes it take more), dense data only, no
    ``class_weight``, and it gives no probabilities.

    References
    ----------
    C. Cortes and V. Vapnik (1995), "Support-vector networks".
    """

    def __init__(
        self,
        C: float = 1.0,
        kernel: KernelName | Kernel = "rbf",
        *,
        degree: int = 3,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        solver: SolverName = "auto",
        max_iter: int = -1,
        verbose: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that there are two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array_like of shape (n, d)
            The samples.
        y : array_like of shape (n,)
            Their labels, of two classes.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights. Sample i has the constant C_i = weight · C, so a weight of 2 is
            the sample twice and a weight of 0 is no sample.

        Returns
        -------
        SVC
            Itself.

        Raises
        ------
        ValueError
            If a parameter or the data are not as documented.
        NotSeparableError
            If C = ∞ and no hyperplane separates the classes. It carries a point common to both
            hulls and its weights: in the space of X for the linear kernel, else in coordinates
            of the feature space in which inner products are the kernel's values.
        """
        C = check_scalar(self.C, "C", positive=True, finite=False)
        solve = self._solver()
        points, labels = validate_data(self, X, y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, points, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError(f"sample_weight must not be negative, got {weights.min()}")
        used = np.flatnonzero(weights)
        self.classes_, signs = _two_classes(labels, labels[used])
        points, signs, weights = points[used], signs[used], weights[used]
        self.kernel_ = self._kernel(points, weights)

        bounds = C * weights if np.isfinite(C) else C
        origin = self._origin(points)
        problem = DualProblem(points - origin, signs, bounds, self.kernel_)
        if problem.hard_margin:
            _require_separable(problem, points)
        solution = solve(problem)

        support = np.flatnonzero(solution.alpha)
        support = support[np.argsort(problem.y[support], kind="stable")]
        self.support_ = used[support].astype(np.int32)
        self.support_vectors_ = points[support]
        self.n_support_ = np.array(
            [np.sum(problem.y[support] < 0), np.sum(problem.y[support] > 0)], dtype=np.int32
        )
        self.dual_coef_ = (solution.alpha * problem.y)[None, support]
        self.intercept_ = np.array([solution.b])
        if isinstance(self.kernel_, Linear):
            self.intercept_ -= self.coef_ @ origin
        self.n_iter_ = np.array([solution.n_iter], dtype=np.int32)
        self.certificate_ = solution.certificate
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = Σ α_i y_i k(x_i, x) + b for every row of X, of shape (m,)."""
        check_is_fitted(self)
        points = validate_data(self, X, dtype=np.float64, reset=False)
        origin = self._origin(self.support_vectors_)
        support_vectors = self.support_vectors_ - origin
        sums = expansion(self.kernel_, support_vectors, self.dual_coef_[0], points - origin)
        b = float(self.intercept_[0])
        return sums + (b + self.coef_[0] @ origin if isinstance(self.kernel_, Linear) else b)

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X: ``classes_[1]`` where f(x) ≥ 0, else the other."""
        second = (self.decision_function(X) >= 0).astype(int)
        return np.asarray(self.classes_[second])

    @property
    def coef_(self) -> Array:
        """The weights w = Σ α_i y_i x_i, of shape (1, d); only a linear kernel has them."""
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError(f"coef_ exists only for a linear kernel, not for {self.kernel_!r}")
        centred = self.support_vectors_ - self._origin(self.support_vectors_)
        return np.asarray(self.dual_coef_ @ centred)

    def _origin(self, X: Array) -> Array:
        """Return the origin to compute with: the middle of X for the linear kernel, else 0.

        Because Σ α_i y_i = 0, w and the multipliers are the same wherever it is, but not rounding:
        far from the origin k(x, z) = x·z loses the digits that tell the points apart. (`RBF` sees
        to it itself; to the other kernels the origin is a parameter.)
        """
        if not isinstance(self.kernel_, Linear):
            return np.zeros(X.shape[1])
        return np.asarray(X.min(axis=0) / 2 + X.max(axis=0) / 2)

    def _kernel(self, X: Array, weights: Array) -> Kernel:
        if not isinstance(self.kernel, str):
            return check_kernel(self.kernel)
        if self.kernel == "linear":
            return Linear()
        if self.kernel not in get_args(KernelName):
            raise ValueError(
                f"kernel must be one of {get_args(KernelName)}, an object of svmlib.kernels or a "
                f"function f(X, Z), got {self.kernel!r}"
            )
        gamma = self._gamma(X, weights)
        if self.kernel == "poly":
            return Polynomial(self.degree, gamma, self.coef0)
        return RBF(gamma) if self.kernel == "rbf" else Sigmoid(gamma, self.coef0)

    def _gamma(self, X: Array, weights: Array) -> float:
        if isinstance(self.gamma, str):
            if self.gamma == "auto":
                return 1 / float(X.shape[1])
            if self.gamma == "scale":
                return _inverse_of_spread(X, weights)
            raise ValueError(
                f'gamma must be "scale", "auto" or a positive number, got {self.gamma!r}'
            )
        return check_scalar(self.gamma, "gamma", positive=True)

    def _solver(self) -> Callable[[DualProblem], Solution]:
        tol = check_scalar(self.tol, "tol", positive=True)
        if self.solver not in get_args(SolverName):
            raise ValueError(f"solver must be one of {get_args(SolverName)}, got {self.solver!r}")
        limit: dict[str, Any] = {}
        if self.max_iter != -1:
            limit["max_iter"] = check_count(self.max_iter, "max_iter")

        def solve(problem: DualProblem) -> Solution:
            if self.solver == "slsqp":
                return solve_slsqp(problem, **limit)
            small = self.solver == "auto" and problem.n <= _SMALL and problem.convex
            if self.solver == "interior_point" or small:
                return solve_interior_point(problem, **limit)
            if self.solver == "auto" and problem.n <= _MEDIUM and not limit and problem.convex:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    solution = _smo_to_the_gap(
                        problem, tol, verbose=bool(self.verbose), max_iter=_PATIENCE * problem.n
                    )
                if solution.converged and solution.certificate.optimal_to(tol):
                    return solution
                return solve_interior_point(problem)
            return _smo_to_the_gap(problem, tol, verbose=bool(self.verbose), **limit)

        return solve


def _smo_to_the_gap(problem: DualProblem, tol: float, **options: Any) -> Solution:
    """Run SMO until the duality gap, too, is at most `tol` of the primal value.

    Margins that are wrong by tol can make a gap of Σ C_i tol. Where C is large that is nearly all
    of the primal value, and SMO has to be asked for more.
    """
    finer = tol
    while True:
        solution = smo(problem, tol=finer, **options)
        certificate = solution.certificate
        done = not certificate.proves_optimality or certificate.optimal_to(tol)
        if done or not solution.converged:
            return solution
        finer /= 10
        largest = max(1.0, float(problem.diagonal.max() * solution.alpha.sum()))
        if finer < 16 * np.finfo(float).eps * largest:
            warnings.warn(
                f"smo stopped where rounding begins, with a duality gap of {certificate.gap:.3g} "
                f"(primal {certificate.primal:.6g}, dual {certificate.dual:.6g})",
                ConvergenceWarning,
                stacklevel=4,
            )
            return solution


def _inverse_of_spread(X: Array, weights: Array) -> float:
    """Return 1 / (d · variance of all entries of X), or 1 if they are all the same."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(X.mean(axis=1), weights=weights)
        variance = float(np.average(((X - mean) ** 2).mean(axis=1), weights=weights))
    if np.ptp(X) <= 8 * np.finfo(float).eps * np.abs(X).max():
        return 1.0
    if not np.finfo(float).tiny < variance < np.finfo(float).max / X.shape[1]:
        raise ValueError(
            f'X must have a variance that a float can hold for gamma="scale", got {variance}; '
            "scale X, or give gamma as a number"
        )
    return 1 / (float(X.shape[1]) * variance)


def _two_classes(
    y: NDArray[np.generic], y_used: NDArray[np.generic]
) -> tuple[NDArray[np.generic], Array]:
    """Return the two labels, and −1 for each sample of the first, +1 for each of the second."""
    check_classification_targets(y)
    n_classes = np.unique(y).size
    if n_classes > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {n_classes} classes, accepted are 2; "
            "sklearn.multiclass.OneVsRestClassifier(SVC()) takes any number"
        )
    classes = np.unique(y_used)
    if classes.size < 2:
        raise ValueError(
            f"y must contain two classes, but all samples (of positive sample_weight) are of "
            f"one class, {classes.tolist()[0]!r}"
        )
    return classes, np.where(y == classes[1], 1.0, -1.0)


def _require_separable(problem: DualProblem, X: Array) -> None:
    """Raise `NotSeparableError` if no hyperplane of the feature space separates the classes.

    For the linear kernel `separation` of X decides. For another one, a positive definite K says
    that the φ(x_i) are linearly independent, and then every labelling can be separated. Otherwise
    an eigendecomposition K = V Λ Vᵀ gives coordinates of the φ(x_i), the rows of V √Λ, and the
    hulls meet if their closest points are no further apart than the rounding of K can tell.
    """
    if isinstance(problem.kernel, Linear):
        result = separation(X, problem.y)
        if not result.separable:
            raise NotSeparableError(result)
        return
    K = problem.gram()
    eps = float(np.finfo(float).eps)
    rounding = problem.n * eps * float(np.abs(problem.diagonal).max())
    try:
        if np.linalg.cholesky(K).diagonal().min() ** 2 > rounding:
            return
    except LinAlgError:
        pass
    eigenvalues, eigenvectors = np.linalg.eigh(K)
    if eigenvalues[0] < -max(rounding, problem.n * eps * eigenvalues[-1]):
        raise ValueError(
            "kernel must be positive semidefinite for C = inf, but the Gram matrix of these "
            f"points has the eigenvalue {eigenvalues[0]:.3g}"
        )
    significant = eigenvalues > rounding
    points = eigenvectors[:, significant] * np.sqrt(eigenvalues[significant])
    closest = closest_points(points, problem.y)
    if closest.distance**2 <= rounding:
        raise NotSeparableError(Separation(points, problem.y, weights=closest.weights))
