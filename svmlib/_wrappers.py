"""Pipelines and other wrappers around an estimator, and what to say of an object that is none.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from svmlib._arrays import megabytes

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
                note = _threshold_note(machine)
            machine = machine.estimator_
        else:
            _require_same_columns(machine, X)
            return machine, _dense_rows(X), "\n".join([*_training_notes(machine), note]).rstrip()


def _threshold_note(machine: Any) -> str:
    """Return which threshold of a wrapper is not judged."""
    threshold = getattr(machine, "best_threshold_", getattr(machine, "threshold", None))
    if not isinstance(threshold, str):  # it may be "auto"
        threshold = f"{threshold:.8g}"
    which = f"the threshold {threshold} of {type(machine).__name__}"
    return f"not judged: {which}; the sign of f decides"


def _require_same_columns(machine: Any, X: Any) -> None:
    """Refuse a data frame whose columns are not those of `fit`, in their order."""
    names, columns = getattr(machine, "feature_names_in_", None), getattr(X, "columns", None)
    if names is not None and columns is not None and [*names] != [*columns]:
        raise ValueError("X must have the columns of fit, in their order")


def _training_notes(machine: Any) -> Iterator[str]:
    """Yield why the training may have left a machine far from the optimum."""
    limit = getattr(machine, "max_iter", None)  # −1 and None set no limit
    taken = getattr(machine, "n_iter_", None)  # one number, or one per pair of classes
    if isinstance(limit, int | np.integer) and taken is not None and 0 < limit <= np.max(taken):
        yield f"max_iter: it ended after {limit} iterations; did it converge?"
    if isinstance(machine, SGDClassifier) and machine.early_stopping:
        part = f"{machine.validation_fraction:.0%} of the rows"
        yield f"early_stopping: it was not trained on {part}, but all are judged"


def _dense_rows(X: Any) -> Any:
    """Return a sparse X as an array, unless it is very large."""
    if not hasattr(X, "toarray"):
        return X
    size_mb = megabytes(X.shape[0] * X.shape[1])
    if size_mb > _MAX_DENSE_MB:
        reason = f"because it is made dense, which takes {size_mb:.0f} MB"
        raise ValueError(f"X must take at most {_MAX_DENSE_MB} MB, {reason}; or give X.toarray()")
    return X.toarray()


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
    "index": "for (w, b), give Machine.linear(w, b, classes=...); for a path, its model",
    "__fspath__": "for a path, give what read_libsvm or read_liblinear returns",
    "save_to_file": "save it with save_to_file, and give what read_libsvm returns",  # ThunderSVM
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


def not_fitted_error(machine: Any, accepted: str) -> ValueError:
    """Return the error that says which machines can be judged or written into a file."""
    remedies = [text for name, text in _REMEDIES.items() if hasattr(machine, name)]
    advice = f"; {remedies[0]}" if remedies else ""
    return ValueError(f"machine must be a fitted {accepted}, got {machine!r:.80}{advice}")
