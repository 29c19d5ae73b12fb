"""Fitted estimators of other programs as a `Machine`: what they say, and how they predict.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array
from svmlib._class_pairs import chosen_pair, class_pairs, coefficients_of_pairs, pair_coefficients
from svmlib._kernel_names import (
    has_gamma,
    is_precomputed,
    kernel_points,
    named_kernel,
    resolve_gamma,
)
from svmlib._machine import Loss, Machine
from svmlib._validation import check_array, check_class_weight, check_scalar, check_vector
from svmlib._wrappers import not_fitted_error
from svmlib.kernels import BaseKernel, KernelOrPrecomputed, check_kernel
from svmlib.svc import SVC

_ADVICE = "fit it again, or judge the machine you mean as (w, b), (β, b) or Machine(...)"


def to_machine(
    machine: Any,
    X: Array,
    y: NDArray[np.generic],
    kernel: KernelOrPrecomputed | None,
    sample_weight: ArrayLike | None,
) -> Machine:
    """Return any machine as a `Machine`; if it has several classes, for the two in y."""
    _require_two_classes_of_gram(machine)
    if hasattr(machine, "as_machine"):
        unknown = sample_weight is not None and getattr(machine, "svm_type", "") == "nu_svc"
        machine = machine.pair(y) if hasattr(machine, "pair") else machine.as_machine()
        machine = replace(machine, C=None) if unknown else machine  # C times which weight?
    if isinstance(machine, Machine):
        return machine
    if isinstance(machine, tuple) and len(machine) == 2:
        return _from_numbers(*machine, X, y, kernel)
    has_dual_coef = all(hasattr(machine, name) for name in ("dual_coef_", "support_", "get_params"))
    has_numbers = has_dual_coef or getattr(machine, "coef_", None) is not None
    if not (has_numbers and hasattr(machine, "classes_") and hasattr(machine, "intercept_")):
        accepted = "classifier, a machine read from a file, (w, b), or (β, b) with kernel="
        raise not_fitted_error(machine, accepted)
    if sample_weight is not None:
        sample_weight = check_vector(sample_weight, "sample_weight", length=len(X))
    from_attributes: Callable[..., Machine] = _from_dual_coef if has_dual_coef else _from_coef
    return from_attributes(machine, X, y, sample_weight)


def machine_without_rows(machine: Any) -> Machine:
    """Return any machine for two classes as a `Machine`, without its training rows."""
    if hasattr(machine, "as_machine"):
        machine = machine.as_machine()
    if isinstance(machine, Machine):
        return machine
    attributes = [name for name in ("support_vectors_", "coef_") if hasattr(machine, name)]
    if not hasattr(machine, "classes_") or not attributes:
        raise not_fitted_error(machine, "SVC, LinearSVC, ...")
    classes = np.asarray(machine.classes_)
    if classes.size != 2:
        advice = "read_libsvm(...).pair([a, b]) for the file that write_libsvm writes for an SVC"
        advice = f"for more classes, Machine.linear(coef_[k], intercept_[k]), or {advice}"
        raise ValueError(f"machine must be for two classes, got {classes.size}; {advice}")
    if "support_vectors_" in attributes:
        _kernel_of(machine, None)  # its gamma must be a number, because there are no rows here
    no_rows = np.zeros((2, np.shape(getattr(machine, attributes[0]))[-1]))
    return to_machine(machine, no_rows, classes, None, None)


def _from_numbers(
    vector: ArrayLike,
    b: float,
    X: Array,
    y: NDArray[np.generic],
    kernel: KernelOrPrecomputed | None,
) -> Machine:
    """Return the machine (w, b) or, with a kernel, (β, b)."""
    length = X.shape[1] if kernel is None else len(X)
    if np.ndim(vector) == 2 and np.shape(vector)[0] == 1:  # as ``coef_`` is
        vector = np.ravel(vector)
    b = np.ravel(b).item() if np.size(b) == 1 else b  # as ``intercept_`` is
    if kernel is None and np.shape(vector) == (len(X),) != (length,):
        expected = f"w must have {length} entries, one per column of X, got {len(X)}"
        raise ValueError(f"{expected}; for β, one per row, give kernel=, such as Linear()")
    vector = check_vector(vector, "w" if kernel is None else "β", length=length)
    b = check_scalar(b, "b")
    classes = np.unique(y).tolist()
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, got {len(classes)}")
    if kernel is None:
        return Machine.linear(vector, b, classes=tuple(classes))
    points = kernel_points(kernel, X)
    return Machine(points, vector, b, kernel, tuple(classes), rows=np.arange(len(X)))


# What estimators say


def _from_coef(
    machine: Any, X: Array, y: NDArray[np.generic], sample_weight: Array | None
) -> Machine:
    """Return what an estimator with ``coef_`` says about its two classes."""
    params = _params(machine)
    problem = _training_settings(params, len(X))
    if len(machine.classes_) != 2:
        if problem["loss"] is None and "loss" in params:
            raise ValueError(f"machine must have a hinge for its loss, got {params['loss']!r}")
        advice = "give (coef_[k], intercept_[k]) and y == classes_[k], with C, loss and bias; "
        advice += 'LinearSVC has loss="squared_hinge", bias="penalised" by default; '
        advice += "with class_weight also sample_weight=np.where(y == classes_[k], weight[k], 1)"
        raise ValueError(f"machine has one vector for each of several classes: {advice}")
    _require_same_features(machine, X)
    w, b = _hyperplane_of(machine, X)
    problem["classes"] = tuple(machine.classes_.tolist())
    problem["class_weight"] = tuple(_class_factors(machine, y, sample_weight).tolist())
    return Machine.linear(w, b, **problem)


def _from_dual_coef(
    machine: Any, X: Array, y: NDArray[np.generic], sample_weight: Array | None
) -> Machine:
    """Return what an estimator with ``dual_coef_`` says about its classes, or two in y."""
    classes = np.asarray(machine.classes_)
    i, j = chosen_pair(classes, y)
    kernel, coefficients, points, support = prediction_terms(machine, X)
    b = float(np.ravel(machine.intercept_)[0])
    if not is_precomputed(kernel):
        _require_same_features(machine, X)
    if len(classes) == 2:
        coefficients = coefficients.ravel()
    else:  # the score of a pair is positive for its first class
        coefficients = -pair_coefficients(coefficients, machine.n_support_, i, j)
        b = -float(machine.intercept_[class_pairs(len(classes)).index((i, j))])
        points = points[coefficients != 0]
        coefficients = coefficients[coefficients != 0]
    params = _params(machine)
    C = params.get("C")
    weights = tuple(_class_factors(machine, y, None)[[i, j]].tolist())
    if "nu" in params:  # its dual has Σ α_i = ν Σ C_i, then all is scaled
        pair = np.isin(y, classes[[i, j]])
        total = pair.sum() if sample_weight is None else sample_weight[pair].sum()
        C = float(np.abs(coefficients).sum() / (params["nu"] * total))
        largest = float(np.abs(coefficients).max())
        C = largest if abs(largest - C) <= 1e-9 * C else C  # where α is at its bound, it is C
        weights = 1.0, 1.0
    names = tuple(classes[[i, j]].tolist())
    return Machine(
        points, coefficients, b, kernel, names, C=C, class_weight=weights, support=support
    )


def _require_two_classes_of_gram(machine: Any) -> None:
    """Refuse several classes if X is a Gram matrix: the rows of two have other numbers."""
    kernel = _params(machine).get("kernel", getattr(machine, "kernel", None))
    classes = getattr(machine, "labels", getattr(machine, "classes_", ()))
    if is_precomputed(kernel) and len(classes) > 2:
        advice = "fit two of them, or for a file set keep = np.flatnonzero(np.isin(y, [a, b])) and "
        advice += "m = model.pair([a, b]), and give X[np.ix_(keep, keep)], y[keep] and "
        advice += "dataclasses.replace(m, points=np.searchsorted(keep, m.points))"
        raise ValueError(f"machine must have two classes if X is a Gram matrix: {advice}")


def _params(machine: Any) -> dict[str, Any]:
    """Return the parameters of a scikit-learn estimator; for others the user is asked."""
    return machine.get_params() if hasattr(machine, "get_params") else {}


def _require_same_features(machine: Any, X: Array) -> None:
    """Refuse rows with another number of features."""
    d = getattr(machine, "n_features_in_", X.shape[1])
    if d != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features, but the machine has {d}")


def _class_factors(machine: Any, y: NDArray[np.generic], weights: Array | None) -> Array:
    """Return the factors of C for the classes, as the estimator has chosen them."""
    fitted = getattr(machine, "class_weight_", None)
    classes = np.asarray(machine.classes_)
    if fitted is not None and np.size(fitted) == classes.size:
        return np.asarray(fitted, dtype=float)
    params = _params(machine)
    chosen = params.get("class_weight")
    if weights is not None and chosen == "balanced" and "intercept_scaling" in params:
        # LinearSVC adds up the weights of the samples; others count the samples.
        totals = {c: weights.sum(where=y == c) for c in classes.tolist()}
        chosen = {c: weights.sum() / classes.size / total for c, total in totals.items()}
    return check_class_weight(chosen, classes, y)


def _training_settings(params: dict[str, Any], n: int) -> dict[str, Any]:
    """Return C, loss and bias of an estimator with ``coef_``, if its parameters define them."""
    joint = params.get("multi_class") in ("crammer_singer", "multinomial")
    if joint or params.get("penalty", "l2") in ("l1", "elasticnet", None):
        advice = "Crammer and Singer's for two classes: give (coef_, intercept_) with twice the C"
        required = "machine must have the penalty ½‖w‖² and one weight vector (ovr)"
        raise ValueError(f'{required}; {advice}, loss="hinge" and bias="penalised"')
    loss = params.get("loss")
    problem: dict[str, Any] = {"loss": loss if loss in get_args(Loss) else None, "bias": None}
    problem["C"] = params.get("C")
    if "intercept_scaling" in params:  # LinearSVC
        problem |= {"intercept_scaling": float(params["intercept_scaling"]), "bias": "penalised"}
    elif "alpha" in params:  # SGDClassifier: the mean of the losses + ½ α ‖w‖²
        alpha = params["alpha"]
        problem |= {"C": 1 / (alpha * n) if alpha else None, "bias": "free"}
    if not params.get("fit_intercept", True):
        problem["bias"] = "none"
    return problem


# How they predict


class PredictionTerms(NamedTuple):
    """The sum over points by which an estimator predicts, for each pair of classes."""

    kernel: BaseKernel | Literal["precomputed"]
    coefficients: Array  # as LIBSVM lays them out (`pair_coefficients`)
    points: Array
    support: Literal["points"] | tuple[Array, Array] = "points"  # as `Machine` has it


def prediction_terms(machine: Any, X: Array | None) -> PredictionTerms:
    """Return the sum by which an estimator predicts, if it predicts as its attributes say.

    An estimator may have private copies, and so ignore new values of its attributes.
    """
    kernel = _kernel_of(machine, X)
    coefficients = _dense(machine.dual_coef_)
    points = _dense(machine.support_vectors_)
    advice = _ADVICE
    if is_precomputed(kernel):
        points = np.asarray(machine.support_, dtype=float)[:, None]
    elif X is not None and len(points) < len(machine.support_):  # its kernel is a function
        if machine.shape_fit_ != X.shape:
            rows = f"the {machine.shape_fit_[0]} rows of fit, because kernel is a function"
            raise ValueError(f"X must have {rows}, got {len(X)}; of many classes, fit two")
        points = X[machine.support_]
        advice = f"give the rows of fit in their order, or {_ADVICE}"
    terms = PredictionTerms(kernel, coefficients, points)
    if isinstance(machine, SVC) and hasattr(machine, "pivots_"):  # of many samples
        support = points, coefficients[0]
        terms = PredictionTerms(kernel, machine.pivot_coef_[None], machine.pivots_, support)
    _require_same_values(*_decision_values(machine, terms), machine.dual_coef_, advice)
    return terms


def _hyperplane_of(machine: Any, X: Array) -> tuple[Array, float]:
    """Return w and b of an estimator that predicts with w·x + b."""
    w = np.ravel(_dense(machine.coef_))
    b = float(np.ravel(machine.intercept_)[0])
    if ask := getattr(machine, "decision_function", None):
        rows = X[:100]
        theirs = np.ravel(_without_name_warning(ask, rows))
        sizes = np.abs(rows) @ np.abs(w) + abs(b)
        _require_same_values(theirs, rows @ w + b, sizes, machine.coef_, _ADVICE)
    return w, b


def _without_name_warning(ask: Callable[[Array], Array], rows: Array) -> Array:
    """Return the answers for rows without column names, without scikit-learn's warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ask(rows)


def _require_same_values(
    theirs: Array, ours: Array, sizes: Array, numbers: Any, advice: str
) -> None:
    """Raise an error if scores differ by more than about n roundings in the given precision."""
    rounding = 1e4 * np.finfo(getattr(numbers, "dtype", float)).eps
    if (np.abs(theirs - ours) > rounding * sizes).any():
        raise ValueError(f"machine predicts with other numbers than its attributes have: {advice}")


def _decision_values(machine: Any, terms: PredictionTerms) -> tuple[Array, Array, Array]:
    """Return scores of 100 support vectors, by estimator and by attributes, and their sizes."""
    kernel, c, points, _ = terms
    b = np.reshape(machine.intercept_, (-1, 1))
    few = slice(None, None, 1 + len(points) // 100)
    bound = None
    if is_precomputed(kernel):
        rows = (points[few] == np.arange(machine.n_features_in_)).astype(float)
        K = rows[:, points[:, 0].astype(int)].T
    else:
        rows = points[few]
        kernel = check_kernel(kernel)
        K = kernel(points, rows)
        bound = kernel.error_bound(points)
    # |k(x, z)| is at most the product of two norms.
    norms = bound.norms if bound else np.full(len(points), np.sqrt(np.abs(K).max(initial=0)))
    ask = getattr(machine, "decision_function", None) or machine.predict
    if len(b) > 1:  # one score for each pair
        c = coefficients_of_pairs(c, machine.n_support_)
        ask = copy(machine).set_params(decision_function_shape="ovo").decision_function
    theirs = np.reshape(_without_name_warning(ask, rows), (len(rows), -1)).T
    return theirs, c @ K + b, np.outer(np.abs(c) @ norms, norms[few]) + np.abs(b)


def _kernel_of(machine: Any, X: Array | None) -> BaseKernel | Literal["precomputed"]:
    """Return the kernel of a fitted estimator, if it is named as in scikit-learn."""
    if isinstance(machine, SVC):
        kernel = getattr(machine, "kernel_", None)  # `SVC.fit` keeps no matrix
        return "precomputed" if kernel is None else check_kernel(kernel)
    params: Any = _params(machine)
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


def _dense(A: Any) -> Array:
    """Return numbers of a machine, sparse or not, as a finite float64 array."""
    return check_array(A.toarray() if hasattr(A, "toarray") else A, "the numbers of the machine")
