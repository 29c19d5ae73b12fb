"""Machines of other programs: the class `Machine`, and how to make one from what is given.

`svmlib.exchange` judges them, `svmlib.model_files` reads and writes their files.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._estimators import (
    chosen_pair,
    class_pairs,
    expansion_of,
    hyperplane_of,
    kernel_of,
    not_fitted_error,
    pair_coefficients,
)
from svmlib._read_only import ReadOnly
from svmlib._rounding import MAX_NORM
from svmlib._validation import (
    Array,
    as_float,
    check_points,
    check_scalar,
    check_vector,
    class_factors,
    is_precomputed,
)
from svmlib.kernels import KernelOrPrecomputed, Linear, check_kernel, expansion

Loss = Literal["hinge", "squared_hinge"]
Bias = Literal["free", "penalised", "none"]


@dataclass(frozen=True, eq=False)
class Machine(ReadOnly):
    r"""A trained machine for two classes, :math:`f(x) = \sum_j c_j k(z_j, x) + b`.

    Attributes
    ----------
    points : ndarray of shape (m, d)
        The z_j: support vectors; or w itself, one row, for a linear machine that is given by w.
        For a Gram matrix, the numbers of the rows, of shape (m, 1).
    coefficients : ndarray of shape (m,)
        The c_j: y_j α_j for support vectors, 1 for w.
    b : float
        The bias.
    kernel : callable or "precomputed"
        The kernel; ``"precomputed"`` stands for a Gram matrix, which is given in place of X.
    classes : pair
        The two labels; f(x) ≥ 0 predicts the second.
    C : float, optional
        The constant of the problem for which the machine was trained, in ½‖w‖² + C Σ loss.
    loss : {"hinge", "squared_hinge"}
        max(0, 1 − y f) or its square (without a factor ½).
    bias : {"free", "penalised", "none"}
        Whether b costs nothing, costs b²/(2s²), or does not exist.
    intercept_scaling : float
        The s of a penalised bias: the value of the constant feature.
    class_weight : pair of float
        Factors of C for the two classes.
    support : pair of ndarray, or None
        Support vectors and their y_j α_j, if f is a sum over other points, such as pivots.
    rows : ndarray of shape (m,), or None
        Which rows of the training samples the points are, if this is known.

    Raises
    ------
    ValueError
        If points, coefficients or b are not finite numbers of these shapes, if the kernel is
        neither callable nor ``"precomputed"``, or if classes are not two.

    Examples
    --------
    >>> Machine(np.array([[1.0, 2.0]]), np.array([1.0]), -3.0).predict([[1.0, 1.0], [0.0, 0.0]])
    array([ 1, -1])
    """

    points: Array
    coefficients: Array
    b: float
    kernel: KernelOrPrecomputed = Linear()  # noqa: RUF009  # frozen, so that it may be shared
    classes: tuple[Any, Any] = (-1, 1)
    C: float | None = None
    loss: Loss = "hinge"
    bias: Bias = "free"
    intercept_scaling: float = 1.0
    class_weight: tuple[float, float] = (1.0, 1.0)
    support: tuple[Array, Array] | None = None
    rows: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        points = as_float(self.points, "points")
        coefficients = as_float(self.coefficients, "coefficients")
        if points.ndim != 2 or coefficients.shape != points.shape[:1]:
            shapes = f"{points.shape} and {coefficients.shape}"
            raise ValueError(f"points and coefficients must be (m, d) and (m,), got {shapes}")
        if len(self.classes) != 2 or self.classes[0] == self.classes[1]:
            raise ValueError(f"classes must be two different labels, got {self.classes!r:.80}")
        kernel: object = self.kernel
        if not (is_precomputed(kernel) or callable(kernel)):
            accepted = 'callable, or "precomputed" for a Gram matrix'
            raise ValueError(f"kernel must be {accepted}, got {kernel!r:.80}")
        b = check_scalar(self.b, "b")
        vars(self).update(points=points.copy(), coefficients=coefficients.copy(), b=b)
        super().__post_init__()

    @property
    def precomputed(self) -> bool:
        """Whether the points are numbers of rows of a Gram matrix, which is given in place of X."""
        return is_precomputed(self.kernel)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) for every row of X, or for every row of a Gram matrix."""
        return raw_scores(self.kernel, self.points, self.coefficients, check_points(X)) + self.b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X; f(x) = 0 predicts the second class."""
        return np.asarray(self.classes).take(self.decision_function(X) >= 0)


def raw_scores(kernel: KernelOrPrecomputed, points: Array, coefficients: Array, X: Array) -> Array:
    """Return Σ_j c_j k(z_j, x) for every row of X, or for every row of a Gram matrix."""
    if is_precomputed(kernel):
        return X[:, row_numbers(points, X.shape[1])] @ coefficients
    return expansion(check_kernel(kernel), pad_columns(points, X), coefficients, X)


def row_numbers(points: Array, n: int) -> NDArray[np.intp]:
    """Return which of n samples the points are, if they are row numbers."""
    rows = points.ravel().astype(np.intp)
    if points.shape[1] != 1 or (rows != points.ravel()).any() or rows.min(initial=0) < 0:
        raise ValueError("points must be one column of row numbers from 0 on for a Gram matrix")
    if rows.max(initial=0) >= n:
        raise ValueError(f"X must have all samples of fit: the machine uses number {rows.max()}")
    return rows


def pad_columns(points: Array, X: Array) -> Array:
    """Return points with the columns of X: files leave out zeros, and so trailing columns."""
    missing = X.shape[1] - points.shape[1]
    if missing < 0:
        raise ValueError(f"X has {X.shape[1]} features, but the machine has {points.shape[1]}")
    return np.pad(points, ((0, 0), (0, missing)))


def to_machine(
    machine: Any,
    X: Array,
    y: NDArray[np.generic],
    kernel: KernelOrPrecomputed | None,
    sample_weight: ArrayLike | None,
) -> Machine:
    """Return any machine as a `Machine`; if it has several classes, for the two in y."""
    if hasattr(machine, "as_machine"):
        unknown = sample_weight is not None and getattr(machine, "svm_type", "") == "nu_svc"
        machine = machine.pair(y) if hasattr(machine, "pair") else machine.as_machine()
        machine = replace(machine, C=None) if unknown else machine  # C times which weight?
    if isinstance(machine, Machine):
        return machine
    if isinstance(machine, tuple) and len(machine) == 2:
        return _from_numbers(*machine, X, y, kernel)
    is_expansion = all(hasattr(machine, name) for name in ("dual_coef_", "support_", "get_params"))
    has_numbers = is_expansion or getattr(machine, "coef_", None) is not None
    if not (has_numbers and hasattr(machine, "classes_") and hasattr(machine, "intercept_")):
        known = "classifier, a machine read from a file, (w, b), or (β, b) with kernel="
        raise not_fitted_error(machine, known)
    if sample_weight is not None:
        sample_weight = check_vector(sample_weight, "sample_weight", length=len(X))
    from_attributes = _from_dual_coef if is_expansion else _from_coef
    return from_attributes(machine, X, y, sample_weight)


def _from_coef(
    machine: Any, X: Array, y: NDArray[np.generic], sample_weight: Array | None
) -> Machine:
    """Return what an estimator with ``coef_`` says about its two classes."""
    described = _training_settings(_params(machine), len(X))
    if len(machine.classes_) != 2:
        if described["loss"] not in ("", *get_args(Loss)):
            raise ValueError(f"machine must have a hinge for its loss, got {described['loss']!r}")
        advice = "give (coef_[k], intercept_[k]) and y == classes_[k], with C, loss and bias; "
        advice += 'LinearSVC has loss="squared_hinge", bias="penalised" by default; '
        advice += "with class_weight also sample_weight=np.where(y == classes_[k], weight[k], 1)"
        raise ValueError(f"machine has one vector for each of several classes: {advice}")
    _same_features(machine, X)
    w, b = hyperplane_of(machine, X)
    described["classes"] = tuple(machine.classes_.tolist())
    described["class_weight"] = tuple(_class_factors(machine, y, sample_weight).tolist())
    return Machine(w, np.ones(1), b, **described)


def machine_without_rows(machine: Any) -> Machine:
    """Return any machine for two classes as a `Machine`, without its training rows."""
    if hasattr(machine, "as_machine"):
        machine = machine.as_machine()
    if isinstance(machine, Machine):
        return machine
    known = [name for name in ("support_vectors_", "coef_") if hasattr(machine, name)]
    if not hasattr(machine, "classes_") or not known:
        raise not_fitted_error(machine, "SVC, LinearSVC, ...")
    classes = np.asarray(machine.classes_)
    if classes.size != 2:
        advice = "read_libsvm(...).pair([a, b]) for the file that write_libsvm writes for an SVC"
        advice = f"for more classes, Machine(coef_[[k]], [1.0], intercept_[k]), or {advice}"
        raise ValueError(f"machine must be for two classes, got {classes.size}; {advice}")
    if "support_vectors_" in known:
        kernel_of(machine, None)  # its gamma must be a number, because there are no rows here
    no_rows = np.zeros((2, np.shape(getattr(machine, known[0]))[-1]))
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
        needed = f"w must have {length} entries, one per column of X, got {len(X)}"
        raise ValueError(f"{needed}; for β, one per row, give kernel=, such as Linear()")
    vector = check_vector(vector, "w" if kernel is None else "β", length=length)
    b = check_scalar(b, "b")
    classes = np.unique(y).tolist()
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, got {len(classes)}")
    if kernel is None:
        return Machine(vector[None], np.ones(1), b, classes=tuple(classes))
    points = np.arange(float(len(X)))[:, None] if is_precomputed(kernel) else X
    return Machine(points, vector, b, kernel, tuple(classes), rows=np.arange(len(X)))


def _params(machine: Any) -> dict[str, Any]:
    """Return the parameters of a scikit-learn estimator; for others the user is asked."""
    return machine.get_params() if hasattr(machine, "get_params") else {}


def _same_features(machine: Any, X: Array) -> None:
    d = getattr(machine, "n_features_in_", X.shape[1])
    if d != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features, but the machine has {d}")


def _from_dual_coef(
    machine: Any, X: Array, y: NDArray[np.generic], sample_weight: Array | None
) -> Machine:
    """Return what an estimator with ``dual_coef_`` says about its two classes, or two in y."""
    classes = np.asarray(machine.classes_)
    i, j = chosen_pair(classes, y)
    kernel, coefficients, points, support = expansion_of(machine, X)
    b = float(np.ravel(machine.intercept_)[0])
    if not is_precomputed(kernel):
        _same_features(machine, X)
    if len(classes) == 2:
        coefficients = coefficients.ravel()
    elif is_precomputed(kernel):
        raise ValueError("machine must have two classes if X is a Gram matrix: fit two of them")
    else:  # the score of a pair is positive for its first class
        coefficients = -pair_coefficients(coefficients, machine.n_support_, i, j)
        b = -float(machine.intercept_[class_pairs(len(classes)).index((i, j))])
        points = points[coefficients != 0]
        coefficients = coefficients[coefficients != 0]
    params = machine.get_params()
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
    return class_factors(chosen, classes, y)


def _training_settings(params: dict[str, Any], n: int) -> dict[str, Any]:
    """Return C, loss and bias of an estimator with ``coef_``, if its parameters define them."""
    if params.get("penalty", "l2") in ("l1", "elasticnet", None) or params.get("multi_class") in (
        "crammer_singer",
        "multinomial",
    ):
        advice = "Crammer and Singer's for two classes: give (coef_, intercept_) with twice the C"
        needed = "machine must have the penalty ½‖w‖² and one weight vector (ovr)"
        raise ValueError(f'{needed}; {advice}, loss="hinge" and bias="penalised"')
    described: dict[str, Any] = {"loss": params.get("loss", ""), "C": params.get("C")}
    described["bias"] = ""  # is refused unless given
    if "intercept_scaling" in params:  # LinearSVC
        described |= {"intercept_scaling": float(params["intercept_scaling"]), "bias": "penalised"}
    elif "alpha" in params:  # SGDClassifier: the mean of the losses + ½ α ‖w‖²
        described |= {"C": 1 / (params["alpha"] * n), "bias": "free"}
    if described["bias"] and not params.get("fit_intercept"):
        described["bias"] = "none"
    return described


def checked_constant(m: Machine) -> float:
    """Return C, or raise an error if a machine does not say which problem it solves."""
    for name, choices in ("loss", get_args(Loss)), ("bias", get_args(Bias)):
        if getattr(m, name) not in choices:
            wrong = f"{name} must be one of {choices}, got {getattr(m, name)!r}"
            raise ValueError(f"{wrong}; give it, if the machine is an SVM")
    if m.C is None:
        raise ValueError("C must be given: the machine does not say what it was")
    for factor in m.class_weight:
        check_scalar(factor, "class_weight", positive=True)
    if m.bias == "none" and m.b:
        raise ValueError(f'b must be 0 where bias="none", got {m.b:g}')
    s, name = m.intercept_scaling, "intercept_scaling"
    if m.bias == "penalised" and check_scalar(s, name, positive=True) > MAX_NORM:
        raise ValueError(f"{name} must be at most {MAX_NORM:g}, got {s:g}")
    return check_scalar(m.C, "C", positive=True, finite=m.loss != "hinge")


def signed_labels(machine: Machine, labels: NDArray[np.generic]) -> Array:
    """Return −1 for the first class of the machine, +1 for the second."""
    unknown = sorted(set(labels.tolist()) - set(machine.classes), key=str)
    if unknown:
        expected = f"{machine.classes}, got {unknown[:3]}"
        advice = "give the y of fit"
        if machine.classes == (1, 2):  # R's e1071 writes the numbers of a factor's levels
            advice += ", for a file of e1071 as np.unique(y, return_inverse=True)[1] + 1"
        raise ValueError(f"y must have the machine's labels {expected}: {advice}")
    return np.where(labels == machine.classes[1], 1.0, -1.0)
