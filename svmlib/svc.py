"""The support vector classifier, as scikit-learn knows it, and with its proof.

`SVC` ties the rooms of this library together: it turns labels into ±1, a kernel's name into a
kernel, asks one of the solvers for the multipliers, and keeps what predictions need and the
certificate that they come from the optimum. With this module you can

- fit, predict and cross-validate as with `sklearn.svm.SVC`, whose names and defaults it has,
- read in ``certificate_`` how far from optimal the fitted classifier can be,
- ask for the hard margin, C = ∞, and get the maximal margin or the proof that there is none.

Derived in chapter 7, *The full SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from math import comb
from typing import Any, Literal, Self, TypeGuard, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from svmlib._validation import Array, check_count, check_scalar
from svmlib.hulls import NotSeparableError, separation
from svmlib.interior_point import solve_interior_point, solve_slsqp
from svmlib.kernels import (
    RBF,
    Kernel,
    Linear,
    PointwiseKernel,
    Polynomial,
    Precomputed,
    Sigmoid,
    check_kernel,
    check_symmetric,
    expansion,
    low_rank,
)
from svmlib.newton import descend, newton
from svmlib.problem import DualProblem, Solution, warn_unless_converged
from svmlib.smo import smo, steps

__all__ = ["SVC"]

KernelName = Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
SolverName = Literal["auto", "newton", "smo", "interior_point", "slsqp"]

# `make bench` measures where these belong.
_NO_START = 350  # samples; up to here Newton's equations cost so little that a start saves nothing
_NEAR = 0.1  # if no margin is wrong by more, a few steps of Newton's method mend them all
_PATIENCE = 100  # steps of SMO a sample (of at least 1000), which seldom gets there later
_NEWTON_STEPS = 1000  # the most steps of Newton's method
_MEMORY_MB = 185.0  # what a fit takes, where it can
_LARGEST_VALUE = 1e300  # of a kernel for which a start is sought: there floats have some room
_FEATURES = 2000  # the most monomials in which we look for a separating hyperplane


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
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default "rbf"
        The name of a kernel; or an object of `svmlib.kernels`, which brings its own parameters;
        or any function f(X, Z) that returns the matrix of k(x_i, z_j). With ``"precomputed"`` the
        X of `fit` is the Gram matrix itself, of shape (n, n), and the X of predictions has one
        row a new point and one column a training sample. (With the object
        `svmlib.kernels.Precomputed`, X has the numbers of rows of its matrix.)
    degree : int, default 3
        The degree of ``"poly"``.
    gamma : {"scale", "auto"} or float, default "scale"
        γ of ``"rbf"``, ``"poly"`` and ``"sigmoid"``: a positive number (for the RBF kernel of
        width σ it is 1 / (2σ²)); or 1 / (d · variance of all entries of X) for ``"scale"``,
        with samples weighted by ``sample_weight``; or 1 / d for ``"auto"``.
    coef0 : float, default 0.0
        c₀ of ``"poly"`` and ``"sigmoid"``.
    tol : float, default 1e-3
        What to be content with: the duality gap as a fraction of the primal value, rounding
        included; or, where the kernel is not known to be positive semidefinite and the gap means
        nothing, the largest violation of the KKT conditions in units of y f(x). A fit that does not
        get there warns.
    class_weight : dict or "balanced", optional
        Factors of C for the classes, by label, 1 for those not named; ``"balanced"`` is
        n / (2 · number of samples of the class), as in scikit-learn.
    solver : {"auto", "newton", "smo", "interior_point", "slsqp"}, default "auto"
        ``"auto"`` is Newton's method from a good guess; and SMO where the kernel is not known to be
        positive semidefinite, or where Newton's equations do not fit into the memory. The guess of
        ``"auto"`` and ``"newton"``, for more than 350 samples and a kernel that is not linear: the
        solution in a few coordinates that describe the kernel (`svmlib.kernels.low_rank`), or else
        the first steps of SMO.
    max_iter : int, default -1
        The most iterations of all solvers together; −1 for their own defaults. A step of SMO costs
        n operations, an iteration of the interior point method n³.

    Attributes
    ----------
    certificate_ : svmlib.certificate.Certificate
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
        Iterations, those that led to a guess included.
    solver_ : str
        The solver that took the last of them.
    class_weight_ : ndarray of shape (2,)
        The factors of C for the two classes.
    kernel_ : callable
        The kernel, with its parameters settled; not with ``"precomputed"``, which needs none then.
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of shape (d,)
        Names of the features, if X had any.

    Notes
    -----
    Unlike `sklearn.svm.SVC` it takes two classes only
    (`sklearn.multiclass.OneVsOneClassifier` makes of it the machine that `sklearn.svm.SVC` is for
    more, `~sklearn.multiclass.OneVsRestClassifier` another), dense numbers only (for texts and
    graphs, give their Gram matrix to ``"precomputed"``), and it gives no probabilities
    (`sklearn.calibration.CalibratedClassifierCV` makes it). It has no ``random_state``, for nothing
    in it is drawn, and no ``cache_size``, ``shrinking``, ``probability``, ``break_ties``,
    ``decision_function_shape`` or ``verbose``. With ``sample_weight``, ``gamma="scale"`` takes the
    weighted variance, so that a weight of 3 is three copies; there it is the plain one.

    Derived in chapter 7, *The full SMO*.

    References
    ----------
    C. Cortes and V. Vapnik (1995), "Support-vector networks".

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]], ["a", "b", "b"]
    >>> model = SVC(kernel="linear", C=np.inf).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[1. , 0.5]]), array([-1.]))
    >>> print(str(model.certificate_).splitlines()[-1])
    proves that the optimum is in [0.624999, 0.625001]
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
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        solver: SolverName = "auto",
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that there are two classes, and whether X is a Gram matrix."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
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
            If a parameter or the data are not as documented; or if C = ∞ and SMO meets two points
            with opposite labels that the RBF kernel cannot tell apart to rounding.
        NotSeparableError
            If C = ∞ and no hyperplane separates the classes. It carries a point common to both
            hulls and its weights: in the space of X for the linear kernel, and where two equal
            samples have different labels; in that of the monomials for a polynomial one; else in
            coordinates of the feature space in which inner products are the kernel's values. (Of
            more than 2000 monomials nobody asks; a warning tells that the solver found no
            hyperplane.)
        """
        C = check_scalar(self.C, "C", positive=True, finite=False)
        tol = check_scalar(self.tol, "tol", positive=True)
        if self.solver not in get_args(SolverName):
            raise ValueError(f"solver must be one of {get_args(SolverName)}, got {self.solver!r}")
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # so that a fit that fails leaves no mixture of two models
        labels = np.asarray(y)
        if labels.ndim != 1 or labels.dtype.kind not in "biu":  # else there is nothing to check
            labels = validate_data(self, y=y)
            check_classification_targets(labels)
        points = self._points(X)
        check_consistent_length(points, labels)
        self._given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if self._given and points.shape[0] != points.shape[1]:
            raise ValueError(
                f'X must be a square Gram matrix for kernel="precomputed", got shape {points.shape}'
            )
        weights = _weights(sample_weight, points)
        used = np.flatnonzero(weights)
        if used.size < len(points):  # else there is nothing to copy
            points, weights = points[used], weights[used]
        self.classes_, signs = _two_classes(labels, used)
        self.class_weight_ = self._class_weight(labels[used])
        equal = sample_weight is None and self.class_weight is None
        bounds = C if np.isinf(C) or equal else _bounds(C, weights, self.class_weight_, signs)
        self.kernel_ = self._kernel(points, weights, used)
        if self._given:
            points = np.arange(float(used.size))[:, None]  # row numbers, as `Precomputed` wants
        self._origin = self._middle(points)
        problem = self._problem(points, signs, bounds)
        solution, self.solver_ = self._solve(problem, tol)
        warn_unless_converged(solution, self.solver_, tol)
        self._keep(solution, problem, points, used)
        return self

    def _points(self, X: ArrayLike) -> Array:
        """Return X as it should be; if it is not yet, scikit-learn knows what to refuse."""
        if not _is_ready(X):
            return np.asarray(validate_data(self, X, dtype=np.float64, order="C"))
        self.n_features_in_ = X.shape[1]
        return X

    def _problem(self, X: Array, signs: Array, bounds: float | Array) -> DualProblem:
        """Return the problem with the origin in the middle, if it can be solved."""
        n, d = X.shape
        others = (4 * d + 80) * n * 8 / 2**20  # copies of X, and vectors, beside the rows of K
        room = max(_MEMORY_MB - others, _MEMORY_MB / 2)
        centred = X - self._origin if self._origin.any() else X
        try:
            problem = DualProblem(centred, signs, bounds, self.kernel_, cache_mb=room)
        except NotSeparableError as error:  # two equal samples; to be shown where the user's are
            common = error.separation
            raise NotSeparableError(replace(common, X=common.X + self._origin)) from None
        if problem.hard_margin:
            _require_separable(problem, X)
        return problem

    def _keep(self, solution: Solution, problem: DualProblem, points: Array, used: Any) -> None:
        """Keep what predictions need, under the names that scikit-learn uses."""
        support = np.flatnonzero(solution.alpha)
        support = support[np.argsort(problem.y[support], kind="stable")]
        signs = problem.y[support]
        self.support_ = used[support].astype(np.int32)
        self.support_vectors_ = points[support]
        second = np.count_nonzero(signs > 0)
        self.n_support_ = np.array([signs.size - second, second], dtype=np.int32)
        self.dual_coef_ = (solution.alpha * problem.y)[None, support]
        self._b = solution.b  # the bias where the origin is the middle of the points
        self.intercept_ = np.array([solution.b])
        if self._origin.any():
            self.intercept_ -= self.coef_ @ self._origin
        self.n_iter_ = np.array([solution.n_iter], dtype=np.int32)
        self.certificate_ = solution.certificate
        if self._given:
            del self.kernel_  # predictions never ask for the matrix, and pickles would carry it

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = Σ α_i y_i k(x_i, x) + b for every row of X, of shape (m,)."""
        check_is_fitted(self, "certificate_")
        points = validate_data(self, X, dtype=np.float64, reset=False)
        if self._given:
            return np.asarray(points[:, self.support_] @ self.dual_coef_[0] + self._b)
        support_vectors = self.support_vectors_ - self._origin
        sums = expansion(self.kernel_, support_vectors, self.dual_coef_[0], points - self._origin)
        return sums + self._b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X: ``classes_[1]`` where f(x) ≥ 0, else the other."""
        second = (self.decision_function(X) >= 0).astype(int)
        return np.asarray(self.classes_[second])

    @property
    def coef_(self) -> Array:
        """The weights w = Σ α_i y_i x_i, of shape (1, d); only a linear kernel has them."""
        check_is_fitted(self, "dual_coef_")
        kernel = getattr(self, "kernel_", self.kernel)
        if not isinstance(kernel, Linear):
            raise AttributeError(f"coef_ exists only for a linear kernel, not for {kernel!r}")
        w = np.asarray(self.dual_coef_ @ (self.support_vectors_ - self._origin))
        w.flags.writeable = False  # who writes into it would change nothing
        return w

    def _middle(self, X: Array) -> Array:
        """Return the origin to compute with, for the linear kernel; 0 for the others.

        Because Σ α_i y_i = 0, w and the multipliers are the same wherever it is, but not rounding:
        far from the origin k(x, z) = x·z loses the digits that tell the points apart. So where a
        column is further from zero than it is wide, its middle becomes the origin. There the
        differences are exact, because x is between half and twice what is taken from it
        (Sterbenz). (`RBF` sees to its origin itself; to the other kernels it is a parameter.)
        """
        if not isinstance(self.kernel_, Linear):
            return np.zeros(X.shape[1])
        low, high = X.min(axis=0), X.max(axis=0)
        middle = low / 2 + high / 2
        return np.asarray(np.where(np.abs(middle) > 1.01 * (high / 2 - low / 2) * 2, middle, 0))

    def _class_weight(self, labels: NDArray[np.generic]) -> Array:
        """Return the factors of C for the two classes."""
        if self.class_weight is None:
            return np.ones(2)
        if isinstance(self.class_weight, dict):
            unknown = set(self.class_weight) - set(self.classes_.tolist())
            if unknown:
                raise ValueError(
                    f"class_weight must have labels of y as keys, which are "
                    f"{self.classes_.tolist()}, got {sorted(map(str, unknown))}"
                )
        elif self.class_weight != "balanced":
            raise ValueError(
                f'class_weight must be a dict, "balanced" or None, got {self.class_weight!r:.80}'
            )
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        if not (np.isfinite(factors) & (factors > 0)).all():
            raise ValueError(f"class_weight must be positive numbers, got {factors.tolist()}")
        return np.asarray(factors, dtype=np.float64)

    def _kernel(self, X: Array, weights: Array, used: NDArray[np.intp]) -> Kernel:
        if not isinstance(self.kernel, str):
            return check_kernel(self.kernel)
        if self.kernel not in get_args(KernelName):
            raise ValueError(
                f"kernel must be one of {get_args(KernelName)}, an object of svmlib.kernels or a "
                f"function f(X, Z), got {self.kernel!r}"
            )
        if self.kernel == "precomputed":
            return Precomputed(check_symmetric(X[:, used], "X"))
        if self.kernel == "linear":
            return Linear()
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

    def _solve(self, problem: DualProblem, tol: float) -> tuple[Solution, str]:
        """Return the solution, and the name of the solver that took the last steps."""
        limit = np.inf if self.max_iter == -1 else check_count(self.max_iter, "max_iter")
        with warnings.catch_warnings():  # the certificate will judge, and we shall tell
            warnings.simplefilter("ignore", ConvergenceWarning)
            if self.solver == "auto":
                return solve(problem, tol, limit)
            if self.solver == "newton":
                return newton_from_guess(problem, tol, limit)
            solvers: dict[str, Callable[..., Solution]] = {
                "smo": smo,
                "interior_point": solve_interior_point,
                "slsqp": solve_slsqp,
            }
            most = {"max_iter": limit} if limit < np.inf else {}
            return solvers[self.solver](problem, tol=tol, **most), self.solver


def solve(problem: DualProblem, tol: float, max_iter: float) -> tuple[Solution, str]:
    """Newton's method from a good guess; SMO where K is indefinite or the equations do not fit."""
    patience = min(max_iter, _PATIENCE * max(problem.n, 1000))
    if not problem.convex:
        return smo(problem, tol=tol, max_iter=int(patience)), "smo"
    solution, solver = newton_from_guess(problem, tol, max_iter)
    left = int(patience) - solution.n_iter
    if not solution.cut_off or left < 1:
        return solution, solver
    more = smo(problem, tol=tol, start=solution.alpha, max_iter=left)
    return replace(more, n_iter=solution.n_iter + more.n_iter), "smo"


def newton_from_guess(problem: DualProblem, tol: float, max_iter: float) -> tuple[Solution, str]:
    """Run Newton's method from near the solution; return who took the last steps, too.

    There fewer are free, so that its equations are smaller.
    """
    alpha, spent, guesser = guess(problem, tol, max_iter - 1)
    if guesser == "smo":  # that may have been all
        solution = problem.solution(alpha, tol=tol, n_iter=spent)
        if solution.converged:
            return solution, guesser
    most = int(min(max_iter - spent, _NEWTON_STEPS))
    solution = newton(problem, tol=tol, start=alpha, max_iter=most)
    return replace(solution, n_iter=spent + solution.n_iter), "newton"


def guess(problem: DualProblem, tol: float, max_iter: float) -> tuple[Array, int, str]:
    """Return α near the solution, how many steps it took, and "smo" if these went to its end."""
    n, alpha = problem.n, np.zeros(problem.n)
    if n <= _NO_START or problem.linear or not problem.convex:
        return alpha, 0, "newton"
    if not problem.diagonal.max() < _LARGEST_VALUE:
        return alpha, 0, "newton"
    # A few coordinates may be as good as the kernel, and then cost much less.
    nearly = _nearly_linear(problem)
    if nearly is not None:
        alpha, there, _ = descend(nearly, tol, int(min(max_iter, _NEWTON_STEPS)), alpha)
        return alpha, len(there), "newton"
    # α_i can move the margin of sample i by C_i k(x_i, x_i). Where that is little, most multipliers
    # go to their bounds, and SMO is quick to the end; else it is, until no margin is wrong by much.
    reach = float(problem.upper.mean()) * float(problem.diagonal.mean())
    near, taken = min(_NEAR, min(reach / 4, 1) ** 2), 0
    with np.errstate(over="ignore"):
        for step in islice(steps(problem, tol), int(min(2 * n // 3, max_iter))):
            if step.gap <= near and taken >= n // 8:
                return alpha, taken, "smo" if near <= tol else "newton"
            alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
            taken += 1
    return alpha, taken, "smo"


def _nearly_linear(problem: DualProblem) -> DualProblem | None:
    """Return the problem with few coordinates for points and a linear kernel, if they will do.

    Where C = ∞ nothing will: the coordinates may be equal where labels are not.
    """
    kernel, quarter = problem.kernel, problem.rows.room // 4 // problem.n  # of the cache:
    if problem.hard_margin or not isinstance(kernel, PointwiseKernel):  # Newton makes copies
        return None
    if not kernel.positive_semidefinite:
        return None
    Phi = low_rank(kernel, problem.X, most=max(1, quarter))
    if Phi is None:
        return None
    return DualProblem(Phi, problem.y, problem.upper, cache_mb=problem.rows.megabytes)


def _weights(sample_weight: ArrayLike | None, X: Array) -> Array:
    """Return the weights of the samples, 1 if none are given."""
    if sample_weight is None:
        return np.ones(len(X))
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if weights.min() < 0:
        raise ValueError(f"sample_weight must not be negative, got {weights.min()}")
    return weights


def _bounds(C: float, weights: Array, class_weight: Array, signs: Array) -> Array:
    """Return C_i, which is C times the weight of the sample times that of its class."""
    with np.errstate(over="ignore", under="ignore"):
        bounds = C * weights * np.where(signs > 0, class_weight[1], class_weight[0])
    if not (np.isfinite(bounds) & (bounds > 0)).all():
        raise ValueError(
            "sample_weight times class_weight times C must be positive numbers that a float can "
            f"hold, got {bounds.min():g} to {bounds.max():g}"
        )
    return np.asarray(bounds)


def _inverse_of_spread(X: Array, weights: Array) -> float:
    """Return 1 / (d · variance of all entries of X), or 1 if they are all the same."""
    if np.ptp(X) == 0:
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        shares = weights / weights.max()  # the sum of the weights may be no float
        shares /= shares.sum()
        variance = float((shares @ (X - (shares @ X).mean()) ** 2).mean())
    if not np.finfo(float).tiny < variance < np.finfo(float).max / X.shape[1]:
        raise ValueError(
            f'X must have a variance that a float can hold for gamma="scale", got {variance}; '
            "scale X, or give gamma as a number"
        )
    return 1 / (float(X.shape[1]) * variance)


def _is_ready(X: object) -> TypeGuard[Array]:
    """Whether X is finite float64, row by row: then checks that take a fifth of a ms are saved."""
    if not (type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size):
        return False
    return X.flags.c_contiguous and bool(np.isfinite(X).all())


def _two_classes(
    y: NDArray[np.generic], used: NDArray[np.intp]
) -> tuple[NDArray[np.generic], Array]:
    """Return the two labels, and −1 for each sample used of the first, +1 for the second."""
    classes = np.unique(y)
    if classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {classes.size} classes, accepted are 2; "
            "sklearn.multiclass.OneVsOneClassifier(SVC()) takes any number, as sklearn.svm.SVC does"
        )
    signs = np.where(y == classes[-1], 1.0, -1.0)[used]
    if signs.min() == signs.max():
        raise ValueError(
            f"y must contain two classes, but all samples (of positive sample_weight) are of "
            f"one class, {y[used].tolist()[0]!r}"
        )
    return classes, signs


def _require_separable(problem: DualProblem, X: Array) -> None:
    """Raise `NotSeparableError` if no hyperplane of the feature space separates the classes.

    Different points are always separable by the RBF kernel, and where the φ(x_i) have
    coordinates, `separation` decides: X for the linear kernel, monomials for a polynomial one, and
    for a matrix K = V Λ Vᵀ of the user's the rows of V √Λ, without what may be its rounding.
    Where the monomials are too many we do not look; a solver that does not converge will tell.
    """
    kernel = problem.kernel
    if isinstance(kernel, Linear):
        points = X
    elif isinstance(kernel, Polynomial) and kernel.coef0 >= 0:
        if comb(X.shape[1] + kernel.degree, kernel.degree) > _FEATURES:
            return
        if not np.isfinite(kernel.rounding(X)[0]):
            return  # monomials over- or underflow
        points = kernel.feature_map(X)
    elif isinstance(kernel, RBF):
        return
    elif not problem.convex:
        raise ValueError(
            "kernel must be positive semidefinite for C = inf, but the Gram matrix of these "
            "points is not, or is too large to look"
        )
    else:
        eigenvalues, eigenvectors = np.linalg.eigh(problem.gram())
        significant = eigenvalues > 64 * np.finfo(float).eps * problem.n * eigenvalues[-1]
        points = eigenvectors[:, significant] * np.sqrt(eigenvalues[significant])
        if significant.all():
            return
    result = separation(points, problem.y)
    if not result.separable and result.verify():  # else the solver's certificate will tell
        raise NotSeparableError(result)
