"""What a fitted estimator says about its machine: inner machine, kernel, coefficients, points.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from svmlib._validation import Array, as_float, has_gamma, is_precomputed
from svmlib.gram_matrix import megabytes
from svmlib.kernels import BaseKernel, check_kernel, named_kernel
from svmlib.svc import SVC, resolve_gamma

_ADVICE = "fit it again, or judge the machine you mean as (w, b), (β, b) or Machine(...)"
_MAX_DENSE_MB = 2000  # of 2²⁰ bytes: a larger sparse X is not made dense


def unwrap(machine: Any, X: Any) -> tuple[Any, Any, str]:
    """Return the machine inside pipelines and other wrappers, its view of X, and a note."""
    note = ""
    while True:
        if hasattr(machine, "steps"):
            for _, step in machine.steps[:-1]:
                X = X if step in (None, "passthrough") else step.transform(X)
            machine = machine.steps[-1][1]
        elif isinstance(machine, FrozenEstimator):
            machine = machine.estimator
        elif hasattr(machine, "best_estimator_"):
            machine = machine.best_estimator_
        elif hasattr(machine, "estimator_") and not hasattr(machine, "estimators_"):
            if getattr(machine.estimator_, "n_features_in_", None) != np.shape(X)[1]:
                X = machine.transform(X) if hasattr(machine, "transform") else X  # of RFE
            if isinstance(machine, FixedThresholdClassifier | TunedThresholdClassifierCV):
                known = vars(machine)
                threshold = known.get("best_threshold_", known.get("threshold"))
                if not isinstance(threshold, str):  # it may be "auto"
                    threshold = f"{threshold:.8g}"
                which = f"the threshold {threshold} of {type(machine).__name__}"
                note = f"not judged: {which}; the sign of f decides"
            machine = machine.estimator_
        else:
            names = getattr(machine, "feature_names_in_", None)
            columns = getattr(X, "columns", None)
            if names is not None and columns is not None and [*names] != [*columns]:
                raise ValueError("X must have the columns of fit, in their order")
            if isinstance(machine, SGDClassifier) and machine.early_stopping:
                part = f"{machine.validation_fraction:.0%} of the rows"
                note = f"early_stopping: it was not trained on {part}, but all are judged\n{note}"
            return machine, _dense_rows(X), note.rstrip()


def _dense_rows(X: Any) -> Any:
    """Return a sparse X as an array, unless it is very large."""
    if not hasattr(X, "toarray"):
        return X
    size_mb = megabytes(X.shape[0] * X.shape[1])
    if size_mb > _MAX_DENSE_MB:
        needed = f"because it is made dense, which takes {size_mb:.0f} MB"
        raise ValueError(f"X must take at most {_MAX_DENSE_MB} MB, {needed}; or give X.toarray()")
    return X.toarray()


class Expansion(NamedTuple):
    """The sum over points by which an estimator predicts, for each pair of classes."""

    kernel: BaseKernel | Literal["precomputed"]
    coefficients: Array  # as LIBSVM lays them out (`pair_coefficients`)
    points: Array
    support: tuple[Array, Array] | None  # support vectors and y_j α_j, if the points are others


def expansion_of(machine: Any, X: Array | None) -> Expansion:
    """Return the expansion by which an estimator predicts, if it predicts as its attributes say.

    An estimator may have private copies, and so ignore new values of its attributes.
    """
    kernel = kernel_of(machine, X)
    coefficients = _dense(machine.dual_coef_)
    points = _dense(machine.support_vectors_)
    advice = _ADVICE
    if is_precomputed(kernel):
        points = np.asarray(machine.support_, dtype=float)[:, None]
    elif X is not None and len(points) < len(machine.support_):  # its kernel is a function
        if machine.shape_fit_ != X.shape:
            rows = f"the {machine.shape_fit_[0]} rows of fit, because kernel is a function"
            raise ValueError(f"X must have {rows}; of many classes, fit two; got {len(X)} rows")
        points = X[machine.support_]
        advice = f"give the rows of fit in their order, or {_ADVICE}"
    expansion = Expansion(kernel, coefficients, points, None)
    if hasattr(machine, "pivots_"):  # `svmlib.SVC` with many samples
        support = points, coefficients[0]
        expansion = Expansion(kernel, machine.pivot_coef_[None], machine.pivots_, support)
    _check_same_values(*_decision_values(machine, expansion), machine.dual_coef_, advice)
    return expansion


def hyperplane_of(machine: Any, X: Array) -> tuple[Array, float]:
    """Return w (as a row) and b of an estimator that predicts with w·x + b."""
    w = np.atleast_2d(_dense(machine.coef_))
    b = float(np.ravel(machine.intercept_)[0])
    if hasattr(machine, "decision_function"):
        rows = X[:100]
        theirs = np.ravel(_quietly(machine.decision_function, rows))
        sizes = np.abs(rows) @ np.abs(w[0]) + abs(b)
        _check_same_values(theirs, rows @ w[0] + b, sizes, machine.coef_, _ADVICE)
    return w, b


def _quietly(ask: Callable[[Array], Array], rows: Array) -> Array:
    """Return the answers for rows without column names, without scikit-learn's warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ask(rows)


def _check_same_values(theirs: Array, ours: Array, sizes: Array, numbers: Any, advice: str) -> None:
    """Raise an error if scores differ by more than about n roundings in the given precision."""
    rounding = 1e4 * np.finfo(getattr(numbers, "dtype", float)).eps
    if (np.abs(theirs - ours) > rounding * sizes).any():
        raise ValueError(f"machine predicts with other numbers than its attributes have: {advice}")


def _decision_values(machine: Any, expansion: Expansion) -> tuple[Array, Array, Array]:
    """Return scores of 100 support vectors, by estimator and by attributes, and their sizes."""
    kernel, c, points, _ = expansion
    b = np.reshape(machine.intercept_, (-1, 1))
    few = slice(None, None, 1 + len(points) // 100)
    known = None
    if is_precomputed(kernel):
        rows = (points[few] == np.arange(machine.n_features_in_)).astype(float)
        K = rows[:, points[:, 0].astype(int)].T
    else:
        rows = points[few]
        kernel = check_kernel(kernel)
        K = kernel(points, rows)
        known = kernel.error_bound(points)
    # |k(x, z)| is at most the product of two norms.
    norms = known.norms if known else np.full(len(points), np.sqrt(np.abs(K).max(initial=0)))
    ask = getattr(machine, "decision_function", None) or machine.predict
    if len(b) > 1:  # one score for each pair
        pairs = class_pairs(len(c) + 1)
        c = np.array([pair_coefficients(c, machine.n_support_, *pair) for pair in pairs])
        ask = copy(machine).set_params(decision_function_shape="ovo").decision_function
    theirs = np.reshape(_quietly(ask, rows), (len(rows), -1)).T
    return theirs, c @ K + b, np.outer(np.abs(c) @ norms, norms[few]) + np.abs(b)


def kernel_of(machine: Any, X: Array | None) -> BaseKernel | Literal["precomputed"]:
    """Return the kernel of a fitted estimator, if it is named as in scikit-learn."""
    if isinstance(machine, SVC):
        known = getattr(machine, "kernel_", None)  # `SVC.fit` keeps no matrix
        return check_kernel(known) if known else "precomputed"
    params = machine.get_params()
    name = params.get("kernel")
    gamma = getattr(machine, "_gamma", params.get("gamma"))
    if gamma in ("scale", "auto") and has_gamma(name):
        if X is None:
            advice = "there are no rows to compute it from: fit with 1 / (d * X.var())"
            raise ValueError(f"machine must have a number for gamma, because {advice}")
        gamma = resolve_gamma(gamma, X, np.ones(len(X)))
    if callable(name) and X is not None:
        return check_kernel(name)
    if callable(name):
        raise ValueError(f"machine must have one of the kernels with a name, got {name!r:.80}")
    if is_precomputed(name):
        return "precomputed"
    try:
        return named_kernel(name, **params | ({} if gamma is None else {"gamma": gamma}))
    except KeyError as missing:
        advice = "give Machine(support_vectors_, dual_coef_.ravel(), b, RBF(gamma), C=...)"
        raise ValueError(f"machine does not say its kernel's {missing}: {advice}") from None


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return the pairs of classes, in the order of LIBSVM's scores."""
    return list(combinations(range(n_classes), 2))


def chosen_pair(classes: ArrayLike, y: ArrayLike) -> tuple[int, int]:
    """Return the indices of the two classes to judge: the two in y, if there are more."""
    classes = np.asarray(classes)
    if classes.size == 2:
        return 0, 1
    if np.asarray(y).dtype == np.bool_ != classes.dtype:
        raise ValueError("y must have the labels of fit, two of the machine's, not Booleans")
    indices = np.flatnonzero(np.isin(classes, y))
    if indices.size != 2:
        advice = "choose rows with keep = np.isin(y, [a, b]), and give X[keep] and y[keep]"
        raise ValueError(f"y must have two of the machine's {classes.size} classes; {advice}")
    return int(indices[0]), int(indices[1])


def pair_coefficients(coefficients: Array, n_support: Sequence[int], i: int, j: int) -> Array:
    """Return the coefficients of the machine for classes i < j, as LIBSVM lays them out."""
    of_class = np.repeat(np.arange(len(coefficients) + 1), n_support)
    own = np.where(of_class == i, coefficients[j - 1], 0.0)
    return np.where(of_class == j, coefficients[i], own)


def _dense(A: Any) -> Array:
    """Return numbers of a machine, sparse or not, as a finite float64 array."""
    return as_float(A.toarray() if hasattr(A, "toarray") else A, "the numbers of the machine")


_ONE_CLASS = (
    "of regression and one-class machines, write_libsvm writes only SVR, NuSVR and OneClassSVM; "
    "none has a certificate"
)
_REMEDIES = {  # for machines that have this attribute
    "steps": "for a pipeline, give the last step, and scale the data yourself",
    "best_estimator_": "for a search, give best_estimator_",
    "best_params_": "a search with refit=False keeps no machine: fit one",
    "calibrated_classifiers_": "for calibration, give calibrated_classifiers_[k].estimator, "
    "with its training rows",
    "index": "for (w, b), give Machine(w[None], [1.0], b, classes=...); for a path, its model",
    "__fspath__": "for a path, give what read_libsvm or read_liblinear returns",
    "get_SV": "save it with svm_save_model, and give what read_libsvm returns",
    "get_decfun": "save it with save_model, and give what read_liblinear returns",
    "estimators_": "for an ensemble, give one member, with its training rows; for "
    "OneVsRestClassifier, estimators_[k] and y == classes_[k]",
    "classes_": 'it has no coef_ with intercept_ and no dual_coef_: give (w, 0.0) and bias="none" '
    "if it has no intercept, else (w, b) or (β, b)",
    "offset_": _ONE_CLASS,
    "intercept_": _ONE_CLASS,
    "fit": "call fit first; or give its numbers, as (w, b) or (β, b)",
}


def not_fitted_error(machine: Any, known: str) -> ValueError:
    """Return the error that says which machines can be judged or written into a file."""
    remedies = [text for name, text in _REMEDIES.items() if hasattr(machine, name)]
    advice = f"; {remedies[0]}" if remedies else ""
    return ValueError(f"machine must be a fitted {known}, got {machine!r:.80}{advice}")
