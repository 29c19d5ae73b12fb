"""A support vector classifier with scikit-learn's interface and a proof of optimality.

`SVC` combines the modules of this library: it turns labels into ±1 and a kernel's name into a
kernel, calls a solver for the multipliers, and keeps the certificate and what predictions need.
With this module you can

- fit, predict and cross-validate with the names and defaults of `sklearn.svm.SVC`,
- read in ``certificate_`` how far from optimal the fitted classifier can be,
- ask for the hard margin, C = ∞, and get the maximal margin or, for the linear kernel, a proof that
  there is none, up to rounding.

Derived in chapter 8, *The full SMO*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from svmlib._arrays import Array, lock_arrays
from svmlib._auto import SolverName, solve
from svmlib._binary_classifier import BinaryClassifier, is_finite_matrix, two_classes
from svmlib._kernel_names import KernelName, is_precomputed, kernel_points, resolve_kernel
from svmlib._solvers import bias_at_zero
from svmlib._validation import (
    check_array,
    check_class_weight,
    check_count,
    check_sample_weight,
    check_scalar,
    require_choice,
    require_unmasked,
)
from svmlib._warnings import warn_unless_converged
from svmlib.gram_matrix import CacheTooSmallError
from svmlib.hulls import require_separable
from svmlib.kernels import Kernel, check_kernel, kernel_expansion
from svmlib.problem import DualProblem, Solution

__all__ = ["SVC"]


class SVC(BinaryClassifier):
    r"""Support vector classifier for two classes.

    It minimises :math:`\tfrac12 \lVert w \rVert^2 + C \sum_i \max(0, 1 - y_i f(x_i))` over
    functions :math:`f(x) = w \cdot \varphi(x) + b` in the feature space of the kernel, and predicts
    by the sign of f; ties go to the second class. ``C=numpy.inf`` is the hard margin: the
    hyperplane furthest from both classes.

    Parameters
    ----------
    C : float, default 1.0
        The price of a unit of slack, positive; ``numpy.inf`` allows none.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default "rbf"
        A name; or an object of `svmlib.kernels`, which brings its own parameters; or any function
        f(X, Z) that returns the matrix of k(x_i, z_j). With ``"precomputed"`` the X of `fit` is the
        Gram matrix, of shape (n, n), in the precision (float32, say) in which it was computed; the
        X of predictions has a row per new point and a column per training sample.
    degree : int, default 3
        The degree of ``"poly"``.
    gamma : {"scale", "auto"} or float, default "scale"
        γ of ``"rbf"``, ``"poly"`` and ``"sigmoid"``: a positive number (1 / (2σ²) for an RBF kernel
        of width σ); ``"scale"`` is 1 / (d · variance of all entries of X), ``"auto"`` is 1 / d.
    coef0 : float, default 0.0
        c₀ of ``"poly"`` and ``"sigmoid"``.
    tol : float, default 1e-3
        The relative duality gap to prove, rounding included. If the kernel is not known to be
        positive semidefinite, the gap means nothing, and `tol` is for the largest KKT violation, in
        units of y f(x). A fit that does not reach it warns.
    class_weight : dict or "balanced", optional
        Factors of C by label, 1 for labels not named. ``"balanced"`` is n / (2 · number of samples
        of the class), counting only samples of positive weight. For more than two classes, see the
        notes.
    solver : {"auto", "newton", "smo", "interior_point"}, default "auto"
        ``"auto"`` is Newton's method from a good start; SMO where Newton's method does not apply;
        and the interior point method if these stall and n ≤ 1000. ``"newton"`` uses SMO for the
        start only, and stops there if the start reaches `tol`.
    max_iter : int, default -1
        The maximum number of iterations of all solvers together; −1 for their own defaults. Steps
        of Newton's method before its equations outgrew the memory are not counted.
    memory_mb : float, default 2000
        How many megabytes (2²⁰ bytes) the equations of Newton's method may take and, with more than
        about 5100 samples, the features of the pivots (see the notes). If features need more, a
        warning says so; if equations do, ``"auto"`` continues with SMO.

    Attributes
    ----------
    certificate_ : svmlib.certificate.Certificate
        Primal and dual value, duality gap and largest KKT violation, with rounding accounted for.
        It holds for ``coef_`` and ``intercept_`` as they are and, up to the rounding of one
        evaluation, for `decision_function`. To keep it true, the arrays of numbers below are
        read-only, and ``coef_`` and ``intercept_`` cannot be replaced.
    classes_ : ndarray of shape (2,)
        The two labels, sorted; f(x) ≥ 0 predicts the second.
    support_ : ndarray of shape (n_support,)
        Indices of the samples with α_i > 0: those of the first class, then the second.
    support_vectors_ : ndarray of shape (n_support, d)
        These samples; with ``"precomputed"``, their row numbers among the samples of positive
        weight.
    n_support_ : ndarray of shape (2,)
        The number of support vectors of each class.
    dual_coef_ : ndarray of shape (1, n_support)
        The y_i α_i of the support vectors.
    coef_ : ndarray of shape (1, d)
        w = Σ α_i y_i x_i, for a linear kernel only, rounded once. Predictions use it.
    intercept_ : ndarray of shape (1,)
        b.
    n_iter_ : ndarray of shape (1,)
        Iterations, including those that computed the start.
    solver_ : str
        The solver of the last iteration; ``"nystrom"`` if the classifier is in the span of the
        pivots.
    pivots_, pivot_coef_ : ndarray of shapes (r, d) and (r,)
        Only if ``solver_`` is ``"nystrom"``: some of the samples, and coefficients with f(x) = Σ_p
        c_p k(x_p, x) + b. Predictions use them.
    class_weight_ : ndarray of shape (2,)
        The factors of C for the two classes.
    kernel_ : callable
        The kernel, with its parameters as numbers; absent with ``"precomputed"``.
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of shape (d,)
        Names of the features, if X had any.

    Notes
    -----
    *Only `sklearn.svm.SVC` supports* more than two classes (use
    `sklearn.multiclass.OneVsOneClassifier`), sparse X (give a Gram matrix to ``"precomputed"``),
    and probabilities (use `sklearn.calibration.CalibratedClassifierCV`). Here ``gamma="scale"``
    uses the variance weighted by ``sample_weight``, so a weight of 3 is equivalent to three copies.

    *More than about 5100 samples* have a Gram matrix of more than 200 MB. Then ``"auto"`` and
    ``"newton"`` look for a few pivots whose span nearly contains all samples in feature space
    (`svmlib.nystrom.nystrom`). If there are such pivots, the classifier is a sum over them, so
    predictions are fast. The certificate is for the kernel's problem, with this classifier as
    primal point and the multipliers in ``dual_coef_`` as dual point. With more than 100,000 samples
    these solvers do nothing else, and a warning in the log forecasts the gap if it is too large;
    ``solver="smo"`` still works, but takes hours. In such fits your own matrix or function cannot
    be proved positive semidefinite.

    *Weights of more than two classes.* The wrappers fit each machine to the labels 0 and 1, so a
    factor of C by label must be given as sample weights, which scikit-learn passes on if you ask it
    to::

        sklearn.set_config(enable_metadata_routing=True)
        machine = SVC().set_fit_request(sample_weight=True)
        OneVsOneClassifier(machine).fit(X, y, sample_weight=factors_of_the_labels)

    References
    ----------
    Cortes, C. and Vapnik, V. (1995), "Support-vector networks".

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]], ["a", "b", "b"]
    >>> model = SVC(kernel="linear", C=np.inf).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[1. , 0.5]]), array([-1.]))
    >>> print(str(model.certificate_).splitlines()[-1])
    proves that the optimum is in [0.624999, 0.625001]
    """

    _fitted = (
        *("class_weight_", "kernel_", "solver_", "support_", "support_vectors_", "n_support_"),
        *("dual_coef_", "pivots_", "pivot_coef_", "n_iter_", "certificate_"),
        *("_precomputed", "_origin", "_w", "_b", "_intercept"),
    )

    def __init__(
        self,
        C: float = 1.0,
        kernel: KernelName | Kernel = "rbf",
        *,
        degree: int = 3,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        solver: SolverName = "auto",
        max_iter: int = -1,
        memory_mb: float = 2000.0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.solver: SolverName = solver
        self.max_iter = max_iter
        self.memory_mb = memory_mb

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array_like of shape (n, d)
            The samples.
        y : array_like of shape (n,)
            Their labels, of two classes.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights. Sample i has the constant C_i = weight · C, so a weight of 0
            removes the sample, and a weight of 2 is equivalent to two copies (but
            ``class_weight="balanced"`` counts the sample once).

        Returns
        -------
        SVC
            Itself.

        Raises
        ------
        ValueError
            If a parameter or the data are not as documented.
        NotSeparableError
            If C = ∞, the kernel is linear and no hyperplane separates the classes, up to rounding.
            The error contains a point common to both hulls and its weights. Other kernels only
            cause a warning.
        """
        self._forget_fit()
        C = check_scalar(self.C, "C", positive=True, finite=False)
        tol = check_scalar(self.tol, "tol", positive=True)
        default = np.array_equal(self.max_iter, -1)
        max_iter = np.inf if default else check_count(self.max_iter, "max_iter, if not -1,")
        memory_mb = check_scalar(self.memory_mb, "memory_mb", positive=True)
        require_choice(self.solver, "solver", get_args(SolverName))
        self._precomputed = is_precomputed(self.kernel)
        points, labels, weights, rows = self._weighted_samples(X, y, sample_weight)
        self.classes_, signs = two_classes(labels, weights)
        self.class_weight_ = check_class_weight(self.class_weight, self.classes_, labels)
        bounds = weights * C * self.class_weight_[(signs > 0).astype(int)]
        parameters = {"degree": self.degree, "gamma": self.gamma, "coef0": self.coef0}
        self.kernel_ = resolve_kernel(self.kernel, points, weights, X, **parameters)
        kernel = check_kernel(self.kernel_)
        points = kernel_points(self.kernel, points)
        if np.isinf(C) and kernel.linear:
            require_separable(points, signs)
        problem = DualProblem(
            points, signs, bounds, kernel, equations_mb=memory_mb, move_origin=True
        )
        self._origin = problem.origin
        try:
            solution, self.solver_ = solve(problem, self.solver, tol, max_iter, memory_mb=memory_mb)
        except CacheTooSmallError as error:
            more = "increase memory_mb, or " if self.solver == "newton" else ""
            raise CacheTooSmallError(f'{error} of DualProblem; {more}use solver="auto"') from error
        self._set_fitted_attributes(solution, problem, points, rows)
        warn_unless_converged(solution, self.solver_, tol, solution.remedy)
        return self

    def _weighted_samples(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Array, NDArray[np.generic], Array, NDArray[np.intp]]:
        """Return the samples that count, their labels and weights, and which they are."""
        points, labels = self._check_samples(X, y)
        weights = check_sample_weight(sample_weight, len(points))
        rows = np.flatnonzero(weights)
        if rows.size < len(points):
            points = points[np.ix_(rows, rows)] if self._precomputed else points[rows]
        return points, labels[rows], weights[rows], rows

    def _set_fitted_attributes(
        self, solution: Solution, problem: DualProblem, X: Array, rows: NDArray[np.intp]
    ) -> None:
        """Keep what predictions need, under the names that scikit-learn uses."""
        beta = solution.alpha * problem.y
        first, second = np.flatnonzero(beta < 0), np.flatnonzero(beta > 0)
        support = np.concatenate([first, second])
        self.support_ = rows[support].astype(np.int32)
        self.support_vectors_ = X[support]
        self.n_support_ = np.array([first.size, second.size], dtype=np.int32)
        self.dual_coef_: Array = beta[None, support]
        self._b = solution.b  # the bias with `_origin` for origin
        self._intercept = np.array([bias_at_zero(problem, solution)])
        self._w = solution.w
        if solution.pivots is not None and solution.coefficients is not None:
            self.pivots_: Array = solution.pivots
            self.pivot_coef_: Array = solution.coefficients
        self.n_iter_ = np.array([solution.n_iter], dtype=np.int32)
        self.certificate_ = solution.certificate
        if self._precomputed:
            del self.kernel_  # predictions never ask for the matrix, and pickles would carry it
        lock_arrays(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        lock_arrays(self)

    @property
    def coef_(self) -> Array:
        """The w of a linear kernel, of shape (1, d), read-only."""
        check_is_fitted(self, "certificate_")
        if self._w is None:
            raise AttributeError('coef_ exists for kernel="linear" only; see dual_coef_')
        return self._w[None]

    @property
    def intercept_(self) -> Array:
        """The bias b, of shape (1,), read-only."""
        check_is_fitted(self, "certificate_")
        return self._intercept

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = Σ α_i y_i k(x_i, x) + b for every row of X, of shape (m,).

        If ``solver_`` is ``"nystrom"``, the sum is over the pivots, with their coefficients.
        """
        check_is_fitted(self, "certificate_")
        # scikit-learn's checks take longer than the sum for a single row.
        ready = is_finite_matrix(X) and X.shape[1] == self.n_features_in_
        if not ready or hasattr(self, "feature_names_in_"):
            require_unmasked(X, "X")
            X = check_array(validate_data(self, X, dtype="numeric", reset=False), "X")
        points: Array = np.ascontiguousarray(X)
        if self._precomputed:
            f: Array = points[:, self.support_] @ self.dual_coef_[0]
        elif self._w is not None:
            f = (points if self._origin is None else points - self._origin) @ self._w
        elif hasattr(self, "pivots_"):
            f = kernel_expansion(self.kernel_, self.pivots_, self.pivot_coef_, points)
        else:
            z, coefficients = self.support_vectors_, self.dual_coef_[0]
            f = kernel_expansion(self.kernel_, z, coefficients, points)
        return f + self._b
