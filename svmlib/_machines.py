"""Machines of other programs: what one is, and how it is read from what is given.

`svmlib.exchange` judges them, `svmlib.model_files` reads and writes their files.

Derived in chapter 15, *The same machine elsewhere*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_class_weight

from svmlib._validation import Array, as_float, check_points, check_scalar, check_vector
from svmlib.certificate import Scores, linear_scores
from svmlib.kernels import RBF, Kernel, Linear, Polynomial, Sigmoid, expansion
from svmlib.problem import DualProblem
from svmlib.svc import SVC

Loss = Literal["hinge", "squared_hinge"]
Bias = Literal["free", "penalised", "none"]


@dataclass(frozen=True, eq=False)
class Machine:
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
    kernel : callable or None
        The kernel; None stands for a Gram matrix, which is then given in place of X.
    classes : pair
        The two labels; f(x) ≥ 0 predicts the second.
    C : float, optional
        The constant of the problem that the machine was to solve, in ½‖w‖² + C Σ loss.
    loss : {"hinge", "squared_hinge"}
        max(0, 1 − y f) or its square (without a factor ½).
    bias : {"free", "penalised", "none"}
        Whether b costs nothing, or b²/(2s²), or is not there.
    scale : float
        The s of a penalised bias: the value of the constant feature.
    class_weight : pair of float
        Factors of C for the two classes.

    Notes
    -----
    Derived in chapter 15, *The same machine elsewhere*.

    Examples
    --------
    >>> Machine(np.array([[1.0, 2.0]]), np.array([1.0]), -3.0).predict([[1.0, 1.0], [0.0, 0.0]])
    array([ 1, -1])
    """

    points: Array
    coefficients: Array
    b: float
    kernel: Kernel | None = Linear()  # noqa: RUF009  # frozen, so that it may be shared
    classes: tuple[Any, Any] = (-1, 1)
    C: float | None = None
    loss: Loss = "hinge"
    bias: Bias = "free"
    scale: float = 1.0
    class_weight: tuple[float, float] = (1.0, 1.0)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) for every row of X, or for every row of a Gram matrix."""
        X = check_points(X)
        if self.kernel is None:
            return np.asarray(X[:, self.points[:, 0].astype(int)] @ self.coefficients + self.b)
        return expansion(self.kernel, widen(self.points, X), self.coefficients, X) + self.b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X; f(x) = 0 predicts the second class."""
        return np.array(np.asarray(self.classes)[(self.decision_function(X) >= 0).astype(int)])


def widen(points: Array, X: Array) -> Array:
    """Return points with the columns of X: files leave out zeros, so also last columns."""
    missing = X.shape[1] - points.shape[1]
    if missing < 0:
        raise ValueError(f"X has {X.shape[1]} features, but the machine has {points.shape[1]}")
    return np.pad(points, ((0, 0), (0, missing)))


def understand(machine: Any, X: Array, y: NDArray[np.generic], kernel: Kernel | None) -> Machine:
    """Return any machine as a `Machine`."""
    if hasattr(machine, "as_machine"):
        machine = machine.as_machine()
    if isinstance(machine, Machine):
        return machine
    if isinstance(machine, tuple) and len(machine) == 2:
        length = X.shape[1] if kernel is None else len(X)
        vector = check_vector(machine[0], "w" if kernel is None else "β", length=length)
        b, classes = check_scalar(machine[1], "b"), _pair(np.unique(y))
        if kernel is None:
            return Machine(vector[None], np.ones(1), b, classes=classes)
        return Machine(X, vector, b, kernel, classes)
    if not hasattr(machine, "classes_") or not hasattr(machine, "get_params"):
        known = "a fitted classifier, a machine read from a file, (w, b), or (β, b) with kernel="
        raise ValueError(f"machine must be {known}, got {machine!r:.80}")
    params, classes = machine.get_params(), _pair(machine.classes_)
    b = float(np.ravel(machine.intercept_)[0]) if np.size(machine.intercept_) else 0.0
    weights = getattr(machine, "class_weight_", None)
    if weights is None or np.size(weights) != 2:
        chosen = params.get("class_weight")
        weights = compute_class_weight(chosen, classes=np.array(classes), y=y)
    described: dict[str, Any] = {"classes": classes, "class_weight": tuple(map(float, weights))}
    if hasattr(machine, "dual_coef_") and hasattr(machine, "support_"):
        coefficients, C = dense(machine.dual_coef_).ravel(), params.get("C")
        if "nu" in params:  # its multipliers are scaled so that the largest is C
            C, described["class_weight"] = float(np.abs(coefficients).max()), (1.0, 1.0)
        kernel = kernel_of(machine, X)
        points = dense(machine.support_vectors_)
        if kernel is None:
            points = np.asarray(machine.support_, dtype=float)[:, None]
        return Machine(points, coefficients, b, kernel, C=C, **described)
    return Machine(dense(machine.coef_), np.ones(1), b, **described, **_linear(params, len(X)))


def _linear(params: dict[str, Any], n: int) -> dict[str, Any]:
    """Return C, loss and bias of an estimator with ``coef_``, where its parameters say them."""
    if (
        params.get("penalty", "l2") in ("l1", "elasticnet", None)
        or params.get("multi_class", "ovr") != "ovr"
    ):
        raise ValueError("machine must have the penalty ½‖w‖² and one weight vector (ovr)")
    loss, C, fitted = params.get("loss", ""), params.get("C"), params.get("fit_intercept")
    said: dict[str, Any] = {"loss": loss, "C": C, "bias": ""}  # "" is refused unless given
    if "intercept_scaling" in params:  # LinearSVC
        said |= {"scale": float(params["intercept_scaling"]), "bias": "penalised"}
    elif "alpha" in params:  # SGDClassifier: the mean of the losses + ½ α ‖w‖²
        said |= {"C": 1 / (params["alpha"] * n), "bias": "free"}
    return said | ({"bias": "none"} if said["bias"] and not fitted else {})


def kernel_of(machine: Any, X: Array | None) -> Kernel | None:
    """Return the kernel of a fitted estimator that names it as scikit-learn does."""
    if isinstance(machine, SVC):
        return getattr(machine, "kernel_", None)
    params = machine.get_params()
    name, gamma = params["kernel"], getattr(machine, "_gamma", params["gamma"])
    if gamma in ("scale", "auto") and name in ("rbf", "poly", "sigmoid"):
        if X is None:
            raise ValueError("machine must have been fitted with a number for gamma")
        gamma = 1 / (X.shape[1] * (X.var() if gamma == "scale" else 1.0))
    kernels: dict[str, Callable[[], Kernel | None]] = {
        "linear": Linear,
        "rbf": lambda: RBF(float(gamma)),
        "poly": lambda: Polynomial(int(params["degree"]), float(gamma), float(params["coef0"])),
        "sigmoid": lambda: Sigmoid(float(gamma), float(params["coef0"])),
        "precomputed": lambda: None,
    }
    if not isinstance(name, str) or name not in kernels:
        raise ValueError(f"machine must have one of the kernels {[*kernels]}, got {name!r:.80}")
    return kernels[name]()


def _pair(classes: Any) -> tuple[Any, Any]:
    """Return two labels."""
    if len(classes) != 2:
        raise ValueError(f"machine must have two classes, got {len(classes)}: judge pairs of them")
    first, second = np.asarray(classes).tolist()
    return first, second


def dense(A: Any) -> Array:
    return as_float(A.toarray() if hasattr(A, "toarray") else A, "the numbers of the machine")


def signs(machine: Machine, labels: NDArray[np.generic]) -> Array:
    """Return −1 for the first class of the machine, +1 for the second."""
    strangers = sorted(set(labels.tolist()) - set(machine.classes), key=str)
    if strangers:
        raise ValueError(f"y must have the machine's labels {machine.classes}, got {strangers[:3]}")
    return np.where(labels == machine.classes[1], 1.0, -1.0)


def multipliers(m: Machine, X: Array, y: Array) -> tuple[Array | None, bool, str]:
    """Return α for the rows of X, whether the z_j are such rows to the last digit, and a note.

    LIBSVM writes eight digits of a support vector, so rows are recognised by eight.
    """
    if isinstance(m.kernel, Linear) and len(m.points) == 1 and m.coefficients[0] == 1:
        return None, False, ""  # it is w
    alpha, same = np.zeros(y.size), True
    if m.kernel is None or m.points is X:
        rows = m.points[:, 0].astype(int) if m.kernel is None else np.arange(y.size)
        alpha[rows] = m.coefficients * y[rows]
        return alpha, True, ""
    places: dict[tuple[float, ...], list[int]] = {}
    for i, key in reversed([*enumerate(_keys(X, y))]):
        places.setdefault(key, []).append(i)
    points = widen(m.points, X)
    for z, c, key in zip(points, m.coefficients, _keys(points, m.coefficients), strict=True):
        if not (found := places.get(key)):
            return None, False, "its multipliers are not judged: a support vector is not a row of X"
        i = found.pop()
        alpha[i], same = abs(c), same and bool((z == X[i]).all())
    return alpha, same, ""


def _keys(points: Array, signs: Array) -> list[tuple[float, ...]]:
    """Return eight digits of each row, and its side."""
    return [
        (float(sign > 0), *(float(f"{value:.8g}") for value in row))
        for row, sign in zip(points.tolist(), signs, strict=True)
    ]


def bounded_scores(m: Machine, X: Array, y: Array) -> Scores:
    """Return the scores of the machine at the rows of X, without b, and bounds on their errors."""
    points, k = widen(m.points, X), len(m.points)
    both, beta = np.vstack([points, X]), np.append(m.coefficients, np.zeros(y.size))
    if isinstance(m.kernel, Linear):
        scores = linear_scores(both, beta)
    else:
        sides = np.append(np.where(m.coefficients < 0, -1.0, 1.0), y)
        scores = DualProblem(both, sides, 1.0, m.kernel).scores(beta)
    return scores._replace(values=scores.values[k:], error=scores.error[k:], sizes=scores.sizes[k:])
