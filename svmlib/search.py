"""A certified search over C and γ, at a fraction of the cost of separate fits.

With this module you can

- search with `SVCCV`: every machine is proved optimal to `tol`, and ``cv_results_`` has the gaps,
- choose the simplest candidate that is about as good as the best, with `one_standard_error`,
- compare two candidates on the same folds and the same test samples, with `SVCCV.compare`.

Used in chapter 9, *Practice*; `svmlib._regularisation_path` has the algorithm.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from svmlib._arrays import Array, Indices
from svmlib._binary_classifier import BinaryClassifier, two_classes
from svmlib._kernel_names import KernelName, has_gamma, kernel_points, resolve_gamma, resolve_kernel
from svmlib._regularisation_path import CandidateFit, Fold, fit_candidates, gram_megabytes
from svmlib._scoring import make_fold_scorer
from svmlib._validation import check_class_weight, check_sample_weight, check_scalar, check_vector
from svmlib.kernels import Kernel, check_kernel
from svmlib.problem import MAX_C
from svmlib.svc import SVC

__all__ = ["SVCCV", "Comparison", "one_standard_error"]

_LOG = logging.getLogger(__name__)


class Comparison(NamedTuple):
    """A comparison of two candidates on the same folds and the same test samples.

    Attributes
    ----------
    difference : float
        The mean over the folds of the first score minus the second.
    standard_error : float
        The standard error of this mean, too small because the folds share training samples.
    only_first, only_second : int
        How many test samples only the first, or only the second, got right.
    """

    difference: float
    standard_error: float
    only_first: int
    only_second: int


def one_standard_error(results: dict[str, Any]) -> int:
    """Return the index of the simplest candidate that is within one standard error of the best.

    The standard error is that of the best candidate's mean over the folds; simpler means a smaller
    γ, then a smaller C. Give this function as ``refit`` to `SVCCV` or to scikit-learn's search over
    "C" and "gamma", also if these belong to a step of a pipeline, as in "svc__C".

    Parameters
    ----------
    results : dict
        The ``cv_results_`` of a search.

    Returns
    -------
    int
        The index of a candidate.

    Raises
    ------
    ValueError
        If all scores are NaN, or if γ is a name for some candidates and so has no order.

    Examples
    --------
    >>> results = {"params": [{"C": 1.0}, {"C": 10.0}]}
    >>> results["mean_test_score"] = np.array([0.85, 0.86])
    >>> results["split0_test_score"] = np.array([0.80, 0.90])
    >>> results["split1_test_score"] = np.array([0.90, 0.82])
    >>> one_standard_error(results)  # 0.85 is at least 0.86 − 0.04
    0
    """
    keys = [*results] if isinstance(results, Mapping) else []
    splits = [key for key in keys if key.startswith("split") and key.endswith("_test_score")]
    if not splits or np.isnan(mean := results["mean_test_score"]).all():
        required = "the cv_results_ of a search, with a mean_test_score that is not NaN"
        raise ValueError(f"results must be {required}, got {results!r:.80}")
    scores = np.array([results[key] for key in splits])
    best = int(np.nanargmax(mean))
    good = np.flatnonzero(mean >= mean[best] - np.nan_to_num(_standard_error(scores[:, best])))
    gammas, Cs = (_values(results["params"], name) for name in ("gamma", "C"))
    return int(min(good, key=lambda k: (gammas[k], Cs[k], -mean[k])))


def _standard_error(scores: Array) -> float:
    """Return the standard error of the mean of scores, one per fold; NaN for a single fold."""
    return float(scores.std(ddof=1) / np.sqrt(scores.size)) if scores.size > 1 else np.nan


def _values(params: list[dict[str, Any]], name: str) -> list[float]:
    """Return C or γ of every candidate, 0 for all if they have the same."""
    values = [next((p[k] for k in p if k.split("__")[-1] == name), 0) for p in params]
    return [check_scalar(v, name) if len({*values}) > 1 else 0.0 for v in values]


class SVCCV(BinaryClassifier):
    r"""Support vector classifier for two classes, with C and γ chosen by cross-validation.

    It finds what ``GridSearchCV(SVC(), {"C": Cs, "gamma": gammas})`` finds, but much faster, and
    every machine is proved optimal to `tol`. If the Gram matrix K is not known to be positive
    semidefinite, the machines are stationary to `tol`, and the gaps are infinite, because nothing
    is proved.

    Parameters
    ----------
    Cs : sequence of float, default (0.01, 0.1, 1, 10, 100, 1000, 10000)
        The values of C, positive and finite.
    gammas : float, "scale", "auto" or a sequence of these, optional
        The values of γ, or a single one. The default is 4⁻², …, 4² times the γ that
        `svmlib.svc.SVC` calls ``"scale"``. For a kernel without γ only C is searched. Values
        whose ratios are powers of two are cheapest, because K is then squared. ``"scale"`` is
        computed from all samples, also within a fold.
    kernel, degree, coef0, class_weight
        As in `svmlib.svc.SVC`.
    cv : int, splitter or iterable, optional
        As in scikit-learn, 5 stratified folds if not given.
    scoring : str or callable, optional
        As in scikit-learn, accuracy if not given. It may use ``decision_function``, ``predict`` and
        ``classes_``, which are already computed. With ``sample_weight``, scores are weighted if
        `scoring` is a name or a scorer of scikit-learn.
    refit : bool or callable, default True
        Whether to fit the best candidate to all samples in the end; or a function of
        ``cv_results_`` that returns the index of a candidate, such as `one_standard_error`.
    tol : float, default 1e-3
        The relative duality gap to prove for every machine.
    memory_mb : float, default 2000
        How many megabytes (2²⁰ bytes) three matrices of the size of K may take, in all processes
        together. If they do not fit, a warning says so, and each machine keeps the rows of K that
        there is room for; it still starts from its neighbour's solution.
    n_jobs : int, optional
        How many joblib processes share the values of γ.

    Attributes
    ----------
    cv_results_ : dict
        As in `sklearn.model_selection.GridSearchCV`, with the candidates in the same order. It also
        has the relative duality gap and the iterations of every machine,
        ``"split0_relative_gap"``, ``"split0_n_iter"`` and so on, and each candidate's
        ``"worst_relative_gap"``. After a search in one process is interrupted, it has NaN for what
        has not been done.
    best_index_, best_params_, best_score_ : int, dict and float
        The index, parameters and mean score of the chosen candidate.
    worst_relative_gap_ : float
        The largest relative duality gap of all machines.
    test_indices_, test_decision_values_ : list of ndarray
        For each fold, the numbers of its test samples, and every candidate's f(x) for them, of
        shape (n_candidates, n_test).
    best_estimator_ : svmlib.svc.SVC
        The machine fitted to all samples, which predicts; absent if ``refit=False``.
    classes_ : ndarray of shape (2,)
        The two labels, sorted.
    n_splits_ : int
        The number of folds.
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of shape (d,)
        Names of the features, if X had any.

    Notes
    -----
    With ``sample_weight``, a weight of 3 is equivalent to three copies, in training and in scores.
    In a pipeline, the steps before `SVCCV` have also seen the test samples of its folds: a scaler,
    for example, has used their means and widths, but not their labels. A callable `kernel`, or
    ``"precomputed"``, has only one K. Every training part of K is factorised once to prove that it
    is positive semidefinite.

    *Progress.* After ``logging.basicConfig(level="INFO")`` there is a line per machine.

    Derived in chapter 12, *Newton's method*.

    References
    ----------
    DeCoste, D. and Wagstaff, K. (2000), "Alpha seeding for support vector machines".

    Hastie, T. et al. (2004), "The entire regularization path for the support vector machine".

    Examples
    --------
    >>> from svmlib.datasets import load_circles
    >>> circles = load_circles()
    >>> search = SVCCV(Cs=(0.1, 1, 10)).fit(circles.X, circles.y)
    >>> search.best_score_ > 0.95, search.worst_relative_gap_ <= 1e-3
    (True, True)
    >>> search.compare(0, search.best_index_).difference <= 0
    True
    """

    _fitted = (
        *("best_estimator_", "best_index_", "best_params_", "best_score_", "cv_results_"),
        *("n_splits_", "test_indices_", "test_decision_values_", "worst_relative_gap_"),
        "_positive",
    )

    def __init__(
        self,
        Cs: ArrayLike = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4),
        gammas: ArrayLike | None = None,
        *,
        kernel: KernelName | Kernel = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        cv: Any = None,
        scoring: str | Callable[..., float] | None = None,
        refit: bool | Callable[[dict[str, Any]], int] = True,
        tol: float = 1e-3,
        memory_mb: float = 2000.0,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.tol = tol
        self.memory_mb = memory_mb
        self.n_jobs = n_jobs

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Search, and fit the chosen candidate to all samples.

        Parameters
        ----------
        X : array_like of shape (n, d)
            The samples; or their Gram matrix, with ``"precomputed"``.
        y : array_like of shape (n,)
            Their labels, of two classes.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.
        groups : array_like of shape (n,), optional
            The groups of the samples, for splitters that keep groups together.

        Returns
        -------
        SVCCV
            Itself.

        Raises
        ------
        ValueError
            If a parameter or the data are not as documented, or a fold trains on one class only.

        Warns
        -----
        ConvergenceWarning
            If the gap of a machine is larger than `tol`.
        """
        self._forget_fit()
        points, labels = self._check_samples(X, y)
        weights = check_sample_weight(sample_weight, len(labels))
        self.classes_, signs = two_classes(labels, weights)
        models, points = self._candidates(points, weights, X)
        folds = self._folds(points, labels, weights, groups)
        tol, Cs = self._check_parameters()
        # This comes before the search, because it refuses a wrong `scoring`.
        measured = None if sample_weight is None else weights
        measure = make_fold_scorer(self.scoring, self.classes_, labels, measured)
        fits = np.full((Cs.size, len(models), len(folds)), None, dtype=object)
        test_scores = np.full(fits.shape, np.nan)
        try:
            for fit in self._search(models, points, signs, folds, Cs, tol):
                place = fit.C_index, fit.gamma_index, fit.fold_index
                fits[place] = fit
                test_scores[place] = measure(fit.decision_values, folds[fit.fold_index].test)
                progress = "%r, fold %d of %d, C=%g: relative duality gap %.1e after %.2f s"
                settings = models[fit.gamma_index].kernel_, fit.fold_index + 1, len(folds)
                _LOG.info(progress, *settings, Cs[fit.C_index], fit.relative_gap, fit.fit_time)
        finally:  # a search that is interrupted keeps what it has found
            self._write_results(fits, test_scores, models, folds, labels)
        self._choose(fits, tol)
        if self.refit:
            chosen = models[self.best_index_ % len(models)].set_params(**self.best_params_)
            self.best_estimator_: SVC = chosen.fit(X, y, sample_weight)
        return self

    def _check_parameters(self) -> tuple[float, Array]:
        """Return tol and Cs, and check `refit`."""
        tol = check_scalar(self.tol, "tol", positive=True)
        Cs = check_vector(self.Cs, "Cs")
        if not 0 < Cs.min() <= Cs.max() <= MAX_C:
            raise ValueError(f"Cs must be positive and at most {MAX_C:g}, got {Cs.tolist()!r:.80}")
        if not (isinstance(self.refit, bool | np.bool_) or callable(self.refit)):
            raise ValueError(f"refit must be True, False or a function, got {self.refit!r:.80}")
        return tol, Cs

    def _candidates(self, X: Array, weights: Array, X_given: ArrayLike) -> tuple[list[SVC], Array]:
        """Return a machine for each γ, with its kernel, and the points to compute with."""
        names = ("kernel", "degree", "coef0", "class_weight", "tol")
        settings = {name: getattr(self, name) for name in names}
        gammas: Any = self.gammas
        if not has_gamma(self.kernel):
            if gammas is not None:
                raise ValueError(f"gammas must be None for kernel={self.kernel!r:.80}")
            models = [SVC(**settings)]
        else:
            if gammas is None:
                gammas = resolve_gamma("scale", X, weights) * 4.0 ** np.arange(-2, 3)
            values = gammas if np.ndim(gammas) else [np.asarray(gammas).item()]
            numbers = [resolve_gamma(gamma, X, weights, "gammas") for gamma in values]
            models = [SVC(**settings, gamma=gamma) for gamma in numbers]
        if not models:
            raise ValueError("gammas must have at least one value")
        for m in models:
            parameters = {"degree": m.degree, "gamma": m.gamma, "coef0": m.coef0}
            m.kernel_ = resolve_kernel(m.kernel, X, weights, X_given, **parameters)
        X = kernel_points(self.kernel, X)
        return models, X - check_kernel(models[0].kernel_).origin(X)

    def _folds(self, X: Array, labels: Any, weights: Array, groups: ArrayLike | None) -> list[Fold]:
        """Return the folds of `cv`."""
        try:
            splits = check_cv(self.cv, labels, classifier=True).split(X, labels, groups)
            folds = [self._fold(labels, weights, train, test) for train, test in splits]
        except (TypeError, IndexError) as error:
            accepted = "a number of folds, a splitter or pairs (train, test) of row numbers"
            got = f"cv={self.cv!r:.80} and groups={groups!r:.80}"
            raise ValueError(f"cv must be {accepted}, and groups one per row, got {got}") from error
        if not folds:
            raise ValueError("cv must give at least one fold")
        return folds

    def _fold(self, labels: Any, weights: Array, train: Indices, test: Indices) -> Fold:
        """Return a fold, without training samples of no weight."""
        numbers = np.arange(len(labels))
        train, test = numbers[train], numbers[test]  # a mask becomes numbers
        train = train[weights[train] > 0]
        if not np.isin(self.classes_, labels[train]).all() or not weights[test].any():
            required = "samples of both classes to train on, and some to test, of positive weight"
            raise ValueError(f"cv must give each fold {required}; use fewer folds")
        factors = check_class_weight(self.class_weight, self.classes_, labels[train])
        second = labels[train] == self.classes_[1]
        return Fold(train, test, weights[train] * factors[second.astype(int)])

    def _search(
        self, models: list[SVC], X: Array, y: Array, folds: list[Fold], Cs: Array, tol: float
    ) -> Iterator[CandidateFit]:
        """Return all machines, one after the other, or at once if other processes solve them."""
        memory_mb = check_scalar(self.memory_mb, "memory_mb", positive=True)
        if not (self.n_jobs is None or isinstance(self.n_jobs, int | np.integer)):
            raise ValueError(f"n_jobs must be an integer or None, got {self.n_jobs!r:.80}")
        workers = min(effective_n_jobs(self.n_jobs), len(models))
        share_mb = memory_mb / workers
        kernels = [check_kernel(model.kernel_) for model in models]
        if not (gram_megabytes(len(X)) <= share_mb or kernels[0].linear):
            least_mb = int(workers * gram_megabytes(len(X))) + 1
            message = f"The Gram matrix of {len(X)} samples does not fit into "
            message += f"memory_mb={memory_mb:g}, so every machine evaluates its own rows of it; "
            message += f"memory_mb={least_mb} is enough"
            warnings.warn(message, stacklevel=3)
        numbered = sorted(enumerate(kernels), key=lambda pair: getattr(pair[1], "gamma", 0))
        common = X, y, folds, Cs, tol, share_mb
        if workers == 1:
            return fit_candidates(numbered, *common)
        parts = np.array_split(np.arange(len(models)), workers)
        jobs = (delayed(_fit_all)([numbered[k] for k in part], *common) for part in parts)
        return chain.from_iterable(Parallel(n_jobs=workers)(jobs))

    @np.errstate(invalid="ignore")  # the deviation of infinite gaps is NaN
    def _write_results(
        self, fits: Any, test_scores: Array, models: list[SVC], folds: list[Fold], labels: Any
    ) -> None:
        """Write ``cv_results_``, and what `compare` needs."""
        self.n_splits_ = len(folds)
        self.cv_results_ = self._parameters(models)
        self.test_indices_ = [fold.test for fold in folds]
        flat = fits.reshape(-1, len(folds))
        tables = {"test_score": test_scores.reshape(flat.shape)}
        for name in "relative_gap", "n_iter", "fit_time", "score_time":
            # Fits that an interrupt has prevented are None.
            rows = [[getattr(fit, name, np.nan) for fit in row] for row in flat]
            tables[name] = np.array(rows)
        for name, table in tables.items():
            if not name.endswith("time"):
                self.cv_results_ |= {f"split{k}_{name}": row for k, row in enumerate(table.T)}
            self.cv_results_[f"mean_{name}"] = table.mean(axis=1)
            self.cv_results_[f"std_{name}"] = table.std(axis=1)
        self.cv_results_["worst_relative_gap"] = tables["relative_gap"].max(axis=1)
        mean = np.nan_to_num(self.cv_results_["mean_test_score"], nan=-np.inf)
        self.cv_results_["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
        self.test_decision_values_ = [
            np.array([getattr(fit, "decision_values", np.full(test.size, np.nan)) for fit in row])
            for test, row in zip(self.test_indices_, flat.T, strict=True)
        ]
        self._positive = [labels[test] == self.classes_[1] for test in self.test_indices_]

    def _parameters(self, models: list[SVC]) -> dict[str, Any]:
        """Return what ``cv_results_`` says of the candidates before they are tried."""
        names = ["C", "gamma"] if has_gamma(self.kernel) else ["C"]
        values = [(float(C), model.gamma) for C in np.asarray(self.Cs) for model in models]
        params = [dict(zip(names, pair, strict=False)) for pair in values]
        table = {f"param_{n}": np.ma.masked_array([p[n] for p in params]) for n in names}
        return table | {"params": params}

    def _choose(self, fits: Any, tol: float) -> None:
        """Choose a candidate, and warn where something has not been proved."""
        results = self.cv_results_
        rule = self.refit if callable(self.refit) else lambda r: r["rank_test_score"].argmin()
        self.best_index_ = self._check_index(rule(results), "refit must return")
        self.best_params_ = results["params"][self.best_index_]
        self.best_score_ = float(results["mean_test_score"][self.best_index_])
        self.worst_relative_gap_ = float(results["worst_relative_gap"].max())
        n_unproved = sum(not machine.solution.converged for machine in fits.flat)
        if n_unproved:
            message = f"{n_unproved} of {fits.size} machines are not proved optimal to tol={tol:g}"
            message += f": the largest relative duality gap is {self.worst_relative_gap_:.3g}. "
            message += "Scale the columns of X, or make Cs or gammas less extreme"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _check_index(self, index: object, claim: str) -> int:
        """Return the index of a candidate as an int."""
        n_candidates = len(self.cv_results_["params"])
        if not (isinstance(index, int | np.integer) and 0 <= index < n_candidates):
            accepted = f"the index of a candidate, from 0 to {n_candidates - 1}"
            raise ValueError(f"{claim} {accepted}, got {index!r:.80}")
        return int(index)

    def compare(self, first: int, second: int) -> Comparison:
        """Compare two candidates on the same folds and the same test samples.

        Parameters
        ----------
        first, second : int
            Their indices in ``cv_results_``.

        Returns
        -------
        Comparison
            The difference of their scores, and how many samples only one of them got right.

        Raises
        ------
        ValueError
            If there is no such candidate, or if the search was interrupted before it had solved
            both of them in every fold.
        """
        check_is_fitted(self, "cv_results_")
        for name, k in ("first", first), ("second", second):
            self._check_index(k, f"{name} must be")
            if np.isnan(self.cv_results_["worst_relative_gap"][k]):
                raise ValueError(f"candidate {k} must have been fitted in every fold: fit again")
        splits = [self.cv_results_[f"split{k}_test_score"] for k in range(self.n_splits_)]
        differences = np.array([scores[first] - scores[second] for scores in splits])
        pairs = list(zip(self.test_decision_values_, self._positive, strict=True))
        a, b = (np.concatenate([(f[k] >= 0) == y for f, y in pairs]) for k in (first, second))
        n_only = int((a & ~b).sum()), int((b & ~a).sum())
        return Comparison(float(differences.mean()), _standard_error(differences), *n_only)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) of the best machine for every row of X, of shape (m,)."""
        advice = "call fit, and not with refit=False, which keeps no machine"
        check_is_fitted(self, "best_estimator_", msg=f"%(name)s is not fitted yet: {advice}")
        return self.best_estimator_.decision_function(X)


def _fit_all(*arguments: Any) -> list[CandidateFit]:
    return list(fit_candidates(*arguments))
