"""A trained machine, `Machine`: support vectors, coefficients, intercept, kernel, and its problem.

`svmlib.machines` judges machines, `svmlib.model_files` reads and writes their files.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array, ReadOnly
from svmlib._kernel_names import is_precomputed
from svmlib._rounding import MAX_NORM
from svmlib._validation import check_array, check_points, check_scalar, require_choice
from svmlib.kernels import KernelOrPrecomputed, Linear, check_kernel, kernel_expansion

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
        Which rows of the training samples the points are, if this is known. Without it, a single
        point of a linear machine with the coefficient 1 is taken for w.

    Raises
    ------
    ValueError
        If points, coefficients or b are not finite numbers of these shapes, if the kernel is
        neither callable nor ``"precomputed"``, if classes or their weights are not two, or if
        `support` or `rows` are not as above.

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
        points = check_array(self.points, "points")
        coefficients = check_array(self.coefficients, "coefficients")
        if points.ndim != 2 or coefficients.shape != points.shape[:1]:
            shapes = f"{points.shape} and {coefficients.shape}"
            raise ValueError(f"points and coefficients must be (m, d) and (m,), got {shapes}")
        several = isinstance(self.classes, tuple | list | np.ndarray)
        pair: tuple[Any, ...] = tuple(self.classes) if several else ()
        if [*map(np.ndim, pair)] != [0, 0] or pair[0] == pair[1]:
            raise ValueError(f"classes must be two different labels, got {self.classes!r:.80}")
        kernel: object = self.kernel
        if not (is_precomputed(kernel) or callable(kernel)):
            accepted = 'callable, or "precomputed" for a Gram matrix'
            raise ValueError(f"kernel must be {accepted}, got {kernel!r:.80}")
        if np.shape(self.class_weight) != (2,):
            raise ValueError(f"class_weight must be two factors, got {self.class_weight!r:.80}")
        rows: Any = self.rows
        whole = np.shape(rows) == coefficients.shape and np.asarray(rows).dtype.kind in "iu"
        if not (rows is None or whole):
            raise ValueError(f"rows must be one row number per point, got {rows!r:.80}")
        if not (self.support is None or (type(self.support) is tuple and len(self.support) == 2)):
            raise ValueError(f"support must be (points, coefficients), got {self.support!r:.80}")
        b = check_scalar(self.b, "b")
        vars(self).update(points=points.copy(), coefficients=coefficients.copy(), b=b, classes=pair)
        super().__post_init__()

    @property
    def precomputed(self) -> bool:
        """Whether the points are numbers of rows of a Gram matrix, which is given in place of X."""
        return is_precomputed(self.kernel)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) for every row of X, or for every row of a Gram matrix."""
        X = check_points(X)
        return scores_without_bias(self.kernel, self.points, self.coefficients, X) + self.b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X; f(x) = 0 predicts the second class."""
        return np.asarray(self.classes).take(self.decision_function(X) >= 0)


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


def scores_without_bias(
    kernel: KernelOrPrecomputed, points: Array, coefficients: Array, X: Array
) -> Array:
    """Return Σ_j c_j k(z_j, x) for every row of X, or for every row of a Gram matrix."""
    if is_precomputed(kernel):
        return X[:, row_numbers(points, X.shape[1])] @ coefficients
    return kernel_expansion(check_kernel(kernel), pad_columns(points, X), coefficients, X)


def checked_constant(m: Machine) -> float:
    """Return C, or raise an error if a machine does not say which problem it solves."""
    for name, choices in ("loss", get_args(Loss)), ("bias", get_args(Bias)):
        require_choice(getattr(m, name), name, choices, "; give it, if the machine is an SVM")
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
