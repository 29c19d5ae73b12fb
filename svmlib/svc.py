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
from dataclasses import replace
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
from svmlib.certificate import Certificate
from svmlib.duality import DualProblem, Solution, solve_interior_point, solve_slsqp
from svmlib.hulls import NotSeparableError, separation
from svmlib.kernels import (
    RBF,
    Kernel,
    Linear,
    PointwiseKernel,
    Polynomial,
    Precomputed,
    Sigmoid,
    check_kernel,
    expansion,
    low_rank,
)
from svmlib.newton import descend, newton
from svmlib.smo import ascend, smo

__all__ = ["SVC"]

KernelName = Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
SolverName = Literal["auto", "newton", "smo", "interior_point", "slsqp"]
Attempt = tuple[str, float]  # a solver and its most iterations

# `make bench` measures where these belong.
_FEW = 350  # up to here the equations of the free cost so little that a start saves nothing
_NEAR = 0.1  # if no margin is wrong by more, a few steps of Newton's method mend them all
_DIFFERENT = 0.75  # if more of the samples are, equal ones are left as they are
_PATIENCE = 100  # steps a sample (of at least 1000): SMO seldom gets there later
_SHARES = 0.05, 0.2, 0.75  # of these steps, between which Newton's method is asked again
_AGAIN = 200  # steps of Newton's method are then enough
_MEMORY_MB = 185.0  # what a fit takes, where it can
_MEDIUM = 2000  # up to here the interior point method takes seconds, and knows rounding best
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
        What to be content with: the duality gap as a fraction of the primal value, and the
        largest violation of the KKT conditions in units of y f(x), rounding included. SMO and
        Newton's method stop when both are reached; the other two solvers go on to rounding. A fit
        whose gap stays larger warns (or whose KKT violation does, where the kernel is not known to
        be positive semidefinite and the gap means nothing).
    class_weight : dict or "balanced", optional
        Factors of C for the classes, by label, 1 for those not named; ``"balanced"`` is
        n / (2 · number of samples of the class), as in scikit-learn.
    solver : {"auto", "newton", "smo", "interior_point", "slsqp"}, default "auto"
        ``"newton"`` begins with SMO, until no margin is wrong by more than a tenth (less where C
        is small), but with a step for eight samples at least and two for three at most, so that
        fewer are free when the equations come. It does not with up to 350 samples, a linear kernel,
        or, if C is finite, one that a few coordinates describe (`svmlib.kernels.low_rank`). If many
        samples are equal, they count as one. ``"auto"`` tries this first; if its certificate is not
        good enough the interior point method comes next, or, with more than 2000 samples, SMO from
        there, with Newton's method again after a twentieth and a quarter of its steps; and the best
        is kept. Where the kernel is not known to be positive semidefinite, ``"auto"`` is SMO alone.
    max_iter : int, default -1
        The most iterations of the solver, or of all that ``"auto"`` tries together; −1 for their
        own defaults; but where ``"auto"`` ends with SMO, that has 100 steps a sample (100,000 for
        fewer than 1000), for with more it seldom gets there, and a warning tells what else helps.
        A step of SMO costs n operations, an iteration of the interior point method n³.
    verbose : bool, default False
        Whether SMO shows its progress (not in the first steps of ``"newton"``).

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
        Iterations of the solver; of ``"newton"``, with the steps of SMO before them.
    solver_ : str
        The solver that found the solution.
    class_weight_ : ndarray of shape (2,)
        The factors of C for the two classes.
    kernel_ : callable
        The kernel, with its parameters settled.
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of shape (d,)
        Names of the features, if X had any.

    Notes
    -----
    Derived in chapter 7, *The full SMO*. Unlike `sklearn.svm.SVC` it takes two classes only
    (`sklearn.multiclass.OneVsRestClassifier` makes it take more), dense data only, and it gives
    no probabilities (`sklearn.calibration.CalibratedClassifierCV` makes it).

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
        verbose: bool = False,
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
        self.verbose = verbose

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
        labels = np.asarray(y)
        if labels.ndim != 1 or labels.dtype.kind not in "biu":  # else there is nothing to check
            labels = validate_data(self, y=y)
            check_classification_targets(labels)
        if _is_ready(X):  # else scikit-learn knows how to make it so, and what to refuse
            points, self.n_features_in_ = X, X.shape[1]
            self.__dict__.pop("feature_names_in_", None)  # of another fit
        else:
            points = validate_data(self, X, dtype=np.float64, order="C")
        check_consistent_length(points, labels)
        self._given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if self._given and points.shape[0] != points.shape[1]:
            raise ValueError(
                f'X must be a square Gram matrix for kernel="precomputed", got shape {points.shape}'
            )
        if sample_weight is None:
            weights = np.ones(len(points))
        else:
            weights = _check_sample_weight(sample_weight, points, dtype=np.float64)
        if weights.min() < 0:
            raise ValueError(f"sample_weight must not be negative, got {weights.min()}")
        used = np.flatnonzero(weights)
        self.classes_, signs = _two_classes(labels, used)
        self.class_weight_ = self._class_weight(labels[used])
        if used.size < len(points):  # else there is nothing to copy
            points, weights = points[used], weights[used]
        self.kernel_ = self._kernel(points, weights, used)
        if self._given:
            points = np.arange(float(used.size))[:, None]  # row numbers, as `Precomputed` wants

        self._origin = self._middle(points)
        equal = sample_weight is None and self.class_weight is None
        bounds = C if np.isinf(C) or equal else _bounds(C, weights, self.class_weight_, signs)
        n, d = points.shape
        others = (4 * d + 80) * n * 8 / 2**20  # copies of X, and vectors, beside the rows of K
        room = max(_MEMORY_MB - others, _MEMORY_MB / 2)
        centred = points - self._origin if self._origin.any() else points
        try:
            problem = DualProblem(centred, signs, bounds, self.kernel_, cache_mb=room)
        except NotSeparableError as error:  # two equal samples; to be shown where the user's are
            common = error.separation
            raise NotSeparableError(replace(common, X=common.X + self._origin)) from None
        if problem.hard_margin:
            _require_separable(problem, points)
        solution, self.solver_ = self._solve(problem, tol)
        _warn_unless_optimal(solution, tol, self.solver_)
        self._keep(solution, problem, points, used)
        return self

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

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = Σ α_i y_i k(x_i, x) + b for every row of X, of shape (m,)."""
        check_is_fitted(self)
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
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError(f"coef_ exists only for a linear kernel, not for {self.kernel_!r}")
        return np.asarray(self.dual_coef_ @ (self.support_vectors_ - self._origin))

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
            return Precomputed(X[:, used])
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
        """Return the solution, and the name of the solver that found it."""
        most = np.inf if self.max_iter == -1 else check_count(self.max_iter, "max_iter")
        with warnings.catch_warnings():  # the certificate will judge, and we shall tell
            warnings.simplefilter("ignore", ConvergenceWarning)
            alone: list[Attempt] = [(self.solver, most)]
            plan = _plan(problem, most) if self.solver == "auto" else alone
            return _first_good(plan, problem, tol, most, bool(self.verbose))


def _first_good(
    plan: list[Attempt], problem: DualProblem, tol: float, most: float, verbose: bool
) -> tuple[Solution, str]:
    """Return the first solution that is good enough, or else the best, and its solver's name.

    Each solver that can goes on from where the one before it has come to.
    """

    def rank(attempt: tuple[Solution, str]) -> tuple[bool, float]:
        certificate = attempt[0].certificate
        return not _good_enough(certificate, tol), certificate.gap

    found: list[tuple[Solution, str]] = []
    start = None
    for solver, share in plan:
        solution = _run(solver, problem, tol, min(most, share), verbose, start)
        found.append((solution, solver))
        most -= solution.n_iter
        if _good_enough(solution.certificate, tol) or most < 1:
            break
        start = solution.alpha
    return min(found, key=rank)


def _plan(problem: DualProblem, most: float) -> list[Attempt]:
    """Return which solvers to try, in this order, and for how many iterations."""
    n = problem.n
    patience = most if np.isfinite(most) else _PATIENCE * max(n, 1000)
    if not problem.convex:
        return [("smo", patience)]
    if n <= _MEDIUM:
        return [("newton", np.inf), ("interior_point", np.inf)]
    # If Newton's equations were too large, they need not be so nearer to the solution.
    plan: list[Attempt] = [("newton", np.inf)]
    for share in _SHARES[:-1]:
        plan += [("smo", max(1, share * patience)), ("newton", _AGAIN)]
    return [*plan, ("smo", max(1, _SHARES[-1] * patience))]


def _run(
    solver: str, problem: DualProblem, tol: float, most: float, verbose: bool, start: Array | None
) -> Solution:
    """Run a solver, for at most so many iterations."""
    if solver == "newton":
        return _newton_on_different(problem, tol, most, start)
    if solver == "smo":
        return _smo_to_the_gap(problem, tol, verbose=verbose, start=start, **_limit(most))
    return (solve_slsqp if solver == "slsqp" else solve_interior_point)(problem, **_limit(most))


def _newton_on_different(
    problem: DualProblem, tol: float, most: float, start: Array | None = None
) -> Solution:
    """Run Newton's method with equal samples taken for one, where many are equal.

    They would only make its equations singular.
    """
    merged = _merge(problem)
    if merged is None:
        return _newton_from_a_guess(problem, tol, most, start)
    smaller, whose, share = merged
    if start is not None:  # sums round, but who is at a bound has to stay there
        inside = np.bincount(whose, start < problem.upper) > 0
        sums = np.minimum(np.bincount(whose, start), smaller.upper)
        start = np.where(inside, sums, smaller.upper)
    solution = _newton_from_a_guess(smaller, tol, most, start)
    sums, largest = solution.alpha[whose], smaller.upper[whose]
    # Who shares what is at its bound is at a bound, too, to the last digit.
    alpha = np.minimum(np.where(sums == largest, np.inf, share * sums), problem.upper)
    return problem.solution(alpha, solution.b, n_iter=solution.n_iter, converged=solution.converged)


def _newton_from_a_guess(
    problem: DualProblem, tol: float, most: float, start: Array | None
) -> Solution:
    """Run Newton's method from near the solution, as SMO finds it, or a problem nearly the same.

    There fewer are free, so Newton's equations are smaller. With few samples they are so anyway.
    """
    n, steps = problem.n, 0
    if (
        start is None
        and n > _FEW
        and problem.convex
        and not isinstance(problem.kernel, Linear)
        and problem.diagonal.max() < _LARGEST_VALUE
    ):
        nearly = _nearly_linear(problem)
        if nearly is not None:
            start, taken, *_ = descend(nearly, tol, most, np.zeros(n))
            steps = len(taken)
            del nearly  # before rows of the kernel take its room
            if steps == most:  # a step with the kernel itself would cost much more
                return problem.solution(start, n_iter=steps, converged=False)
        else:
            # α_i can move the margin of sample i by C_i k(x_i, x_i). Where that is little, most
            # multipliers go to their bounds, and SMO is quick to the end.
            with np.errstate(over="ignore", invalid="ignore"):  # infinity is far enough
                reach = float(problem.upper.mean() * problem.diagonal.mean())
            near = min(_NEAR, min(reach / 4, 1) ** 2)
            first = int(min(2 * n // 3, most - 1))
            start, steps, violation = ascend(problem, tol, first, near=near, least=n // 8)
            if violation <= tol:  # that may have been all
                solution = problem.solution(start, n_iter=steps, converged=True)
                if _good_enough(solution.certificate, tol):
                    return solution
    solution = newton(problem, tol=tol, start=start, **_limit(most - steps))
    return replace(solution, n_iter=steps + solution.n_iter)


def _nearly_linear(problem: DualProblem) -> DualProblem | None:
    """Return the problem with few coordinates for points and a linear kernel, if they will do.

    Where C = ∞ nothing will: the coordinates may be equal where labels are not.
    """
    kernel, X, y, room = problem.kernel, problem.X, problem.y, problem.cache_mb
    if problem.hard_margin or not isinstance(kernel, PointwiseKernel):
        return None
    if not kernel.positive_semidefinite:
        return None
    quarter = int(room * 2**20 / 8 / problem.n / 4)  # of the cache: Newton's method makes copies
    Phi = low_rank(kernel, X, most=max(1, quarter))
    return None if Phi is None else DualProblem(Phi, y, problem.upper, cache_mb=room)


def _limit(most: float) -> dict[str, Any]:
    """Return the argument that allows a solver so many iterations; infinity is its own default."""
    return {"max_iter": int(most)} if np.isfinite(most) else {}


@np.errstate(over="ignore", invalid="ignore")  # what is beyond floats is only not found, or left
def _merge(problem: DualProblem) -> tuple[DualProblem, NDArray[np.intp], Array] | None:
    """Return the problem in which equal samples are one, or None if most are different.

    Equal samples have the same slack, so the primal value does not change if they are one sample
    with the sum of their C. Also returned: which of the samples of that problem each is part of,
    and its share of the multiplier.
    """
    X, y = problem.X, problem.y
    sums = np.einsum("ij,j->i", X, np.sqrt(np.arange(2, X.shape[1] + 2)))
    # Equal samples have equal sums, so the order of the sums puts them side by side. (Others with
    # the same sum may come between. Then they stay apart, which only costs time.)
    order = np.lexsort((y, sums))
    near = np.flatnonzero(~(sums[order[1:]] > sums[order[:-1]]))
    a, b = order[near], order[near + 1]
    new = np.ones(problem.n, dtype=bool)
    new[near + 1] = (X[a] != X[b]).any(axis=1) | (y[a] != y[b])
    if np.count_nonzero(new) > _DIFFERENT * problem.n:
        return None  # what they cost is less than another certificate
    whose = np.empty_like(order)
    whose[order] = new.cumsum() - 1
    weights = np.ones(problem.n) if problem.hard_margin else problem.upper
    totals = np.add.reduceat(weights[order], new.nonzero()[0])
    if np.isinf(totals).any():
        return None  # no float can hold their C
    first, C = order[new], np.inf if problem.hard_margin else totals
    smaller = DualProblem(X[first], y[first], C, problem.kernel, cache_mb=problem.cache_mb)
    return smaller, whose, weights / totals[whose]


def _smo_to_the_gap(
    problem: DualProblem,
    tol: float,
    *,
    start: Array | None = None,
    max_iter: int = 10_000_000,
    verbose: bool,
) -> Solution:
    """Run SMO until the duality gap, and not only the margins, is what was asked for.

    Margins that are wrong by tol can make a gap of Σ C_i tol. Where C is large that is nearly all
    of the primal value; then SMO goes on from where it is, with a finer tolerance.
    """
    finer, steps = tol, 0
    while True:
        solution = smo(problem, tol=finer, start=start, max_iter=max_iter - steps, verbose=verbose)
        steps += solution.n_iter
        stuck = finer < tol and solution.n_iter == 0  # the gap that is left is rounding
        good = _good_enough(solution.certificate, tol)
        if good or stuck or not solution.converged or steps >= max_iter:
            return replace(solution, n_iter=steps)
        finer, start = finer / 10, solution.alpha


def _good_enough(certificate: Certificate, tol: float) -> bool:
    """Whether margins and gap are within tol; for an indefinite kernel only margins can be."""
    right_margins = certificate.kkt_violation <= tol
    return right_margins and (certificate.optimal_to(tol) or not certificate.proves_optimality)


def _warn_unless_optimal(solution: Solution, tol: float, solver: str) -> None:
    """Warn if the gap, or the KKT violation where there is no gap, is larger than tol.

    (A multiplier that is one rounding away from its bound can violate the KKT conditions by any
    amount and be worth nothing, so the gap decides where there is one.)
    """
    certificate = solution.certificate
    if certificate.proves_optimality:
        reached, what = certificate.relative_gap, "a relative duality gap"
    else:
        reached, what = certificate.kkt_violation, "a KKT violation"
    if not reached <= tol:
        warnings.warn(
            f"{solver} stopped after {solution.n_iter} iterations with {what} of {reached:.3g}, "
            f"rounding included, more than tol={tol:g} (primal {certificate.primal:.6g}, dual "
            f"{certificate.dual:.6g}): allow more iterations, scale the columns of X, or make C or "
            "gamma less extreme",
            ConvergenceWarning,
            stacklevel=3,
        )


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
    shares = weights / weights.max()  # the sum of the weights may be no float
    shares /= shares.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (shares @ X).mean()
        variance = float((shares @ (X - mean) ** 2).mean())
    if np.ptp(X) <= 8 * np.finfo(float).eps * np.abs(X).max():
        return 1.0
    if not np.finfo(float).tiny < variance < np.finfo(float).max / X.shape[1]:
        raise ValueError(
            f'X must have a variance that a float can hold for gamma="scale", got {variance}; '
            "scale X, or give gamma as a number"
        )
    return 1 / (float(X.shape[1]) * variance)


def _is_ready(X: object) -> TypeGuard[Array]:
    """Whether X is a matrix of finite float64, row by row."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
        and bool(np.isfinite(X).all())
    )


def _two_classes(
    y: NDArray[np.generic], used: NDArray[np.intp]
) -> tuple[NDArray[np.generic], Array]:
    """Return the two labels, and −1 for each sample used of the first, +1 for the second."""
    classes = np.unique(y)
    if classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {classes.size} classes, accepted are 2; "
            "sklearn.multiclass.OneVsRestClassifier(SVC()) takes any number"
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
