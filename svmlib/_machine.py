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
from svmlib._validation import (
    check_array,
    check_points,
    check_scalar,
    check_vector,
    require_choice,
)
from svmlib.kernels import KernelOrPrecomputed, Linear, check_kernel, kernel_expansion

Loss = Literal["hinge", "squared_hinge"]
Bias = Literal["free", "penalised", "none"]


@dataclass(frozen=True, eq=False)
class Machine(ReadOnly):
    r"""A trained machine for two classes, :math:`f(x) = \sum_j c_j k(z_j, x) + b`.

    If you have w and b of a linear machine, use `Machine.linear`.

    Attributes
    ----------
    points : ndarray of shape (m, d)
        The z_j. For a Gram matrix, the numbers of its rows, of shape (m, 1).
    coefficients : ndarray of shape (m,)
        The c_j.
    b : float
        The bias.
    kernel : callable or "precomputed"
        The kernel; ``"precomputed"`` stands for a Gram matrix, which is given in place of X.
    classes : pair
        The two labels; f(x) ≥ 0 predicts the second.
    C : float or None
        The constant of the problem for which the machine was trained, in ½‖w‖² + C Σ loss; None if
        it is not known, here and for `loss` and `bias`.
    loss : {"hinge", "squared_hinge"} or None
        max(0, 1 − y f) or its square (without a factor ½).
    bias : {"free", "penalised", "none"} or None
        Whether b costs nothing, costs b²/(2s²), or does not exist.
    intercept_scaling : float
        The s of a penalised bias: the value of the constant feature.
    class_weight : pair of float
        Factors of C for the two classes.
    support : "points", pair of ndarray, or None
        The support vectors and their y_j α_j: ``"points"`` if these are the points and
        coefficients, a pair if f is a sum over other points, such as pivots, and None if they are
        not known, for example if the machine is given by w.
    rows : ndarray of shape (m,), or None
        Which rows of the training samples the points are, if this is known.

    Raises
    ------
    ValueError
        If points, coefficients or b are not finite numbers of these shapes, if the kernel is
        neither callable nor ``"precomputed"``, if classes or their weights are not a pair, or if
        another argument is not as above.

    Examples
    --------
    >>> machine = Machine([[2.0], [0.0]], [0.5, -0.5], -1.0, C=1.0)
    >>> X = [[3.0], [0.0]]
    >>> machine.decision_function(X), machine.predict(X)
    (array([ 2., -1.]), array([ 1, -1]))
    """

    points: Array
    coefficients: Array
    b: float
    kernel: KernelOrPrecomputed = Linear()  # noqa: RUF009  # frozen, so that it may be shared
    classes: tuple[Any, Any] = (-1, 1)
    C: float | None = None
    loss: Loss | None = "hinge"
    bias: Bias | None = "free"
    intercept_scaling: float = 1.0
    class_weight: tuple[float, float] = (1.0, 1.0)
    support: Literal["points"] | tuple[Array, Array] | None = "points"
    rows: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        points = check_array(self.points, "points")
        coefficients = check_array(self.coefficients, "coefficients")
        if points.ndim != 2 or coefficients.shape != points.shape[:1]:
            shapes = f"{points.shape} and {coefficients.shape}"
            raise ValueError(f"points and coefficients must be (m, d) and (m,), got {shapes}")
        vars(self).update(points=points.copy(), coefficients=coefficients.copy())
        kernel: object = self.kernel
        if not (is_precomputed(kernel) or callable(kernel)):
            accepted = 'callable, or "precomputed" for a Gram matrix'
            raise ValueError(f"kernel must be {accepted}, got {kernel!r:.80}")
        rows: Any = self.rows
        whole = np.shape(rows) == coefficients.shape and np.asarray(rows).dtype.kind in "iu"
        if not (rows is None or whole):
            raise ValueError(f"rows must be one row number per point, got {rows!r:.80}")
        support: Any = self.support
        pair = isinstance(support, tuple) and len(support) == 2
        if not (support is None or pair or (isinstance(support, str) and support == "points")):
            accepted = '"points", (points, coefficients) or None'
            raise ValueError(f"support must be {accepted}, got {support!r:.80}")
        self._set_classes()
        self._set_constants()
        super().__post_init__()

    def _set_classes(self) -> None:
        """Keep the two classes and their factors of C as tuples."""
        classes = _check_pair(self.classes, "classes", "different labels")
        if classes[0] == classes[1]:
            raise ValueError(f"classes must be two different labels, got {classes!r:.80}")
        weights = _check_pair(self.class_weight, "class_weight", "factors")
        factors = tuple(check_scalar(w, "class_weight", positive=True) for w in weights)
        vars(self).update(classes=classes, class_weight=factors)

    def _set_constants(self) -> None:
        """Keep b, C and intercept_scaling as floats, if they suit the loss and the bias."""
        for name, choices in ("loss", get_args(Loss)), ("bias", get_args(Bias)):
            if getattr(self, name) is not None:
                require_choice(getattr(self, name), name, choices)
        C: Any = self.C
        if np.ndim(C):
            raise ValueError(
                f"C must be one number (give its factors as sample_weight), got {C!r:.80}"
            )
        if C is not None:
            C = check_scalar(C, "C", positive=True, finite=self.loss == "squared_hinge")
        b, s = check_scalar(self.b, "b"), self.intercept_scaling
        if self.bias == "none" and b:
            raise ValueError(f'b must be 0 if bias="none", got {b:g}')
        s = check_scalar(s, "intercept_scaling", positive=True)
        if s > MAX_NORM:
            raise ValueError(f"intercept_scaling must be at most {MAX_NORM:g}, got {s:g}")
        vars(self).update(b=b, C=C, intercept_scaling=s)

    @classmethod
    def linear(cls, w: ArrayLike, b: float, **problem: Any) -> Machine:
        """Return the machine f(x) = w·x + b, whose support vectors are not known.

        Parameters
        ----------
        w : array_like of shape (d,)
            The weights.
        b : float
            The bias.
        **problem
            The labels and the problem: any of `classes`, `C`, `loss`, `bias`, `intercept_scaling`
            and `class_weight`.

        Returns
        -------
        Machine
            Its only point is w, with the coefficient 1.

        Raises
        ------
        ValueError
            If an argument is not as above.

        Examples
        --------
        >>> machine = Machine.linear([1.0, 2.0], -3.0, classes=("no", "yes"))
        >>> machine.predict([[1.0, 1.0]])
        array(['yes'], dtype='<U3')
        """
        return cls(check_vector(w, "w")[None], np.ones(1), b, support=None, **problem)

    @property
    def precomputed(self) -> bool:
        """Whether the points are numbers of rows of a Gram matrix, which is given in place of X."""
        return is_precomputed(self.kernel)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) for every row of X, or for every row of a Gram matrix."""
        X = check_points(X)
        return evaluate_expansion(self.kernel, self.points, self.coefficients, X) + self.b

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of every row of X; f(x) = 0 predicts the second class."""
        return np.asarray(self.classes).take(self.decision_function(X) >= 0)


def _check_pair(value: Any, name: str, expected: str) -> tuple[Any, Any]:
    """Return a pair of scalars as a tuple."""
    pair = [*value] if isinstance(value, tuple | list | np.ndarray) else []
    if [*map(np.ndim, pair)] != [0, 0]:
        raise ValueError(f"{name} must be two {expected}, got {value!r:.80}")
    return pair[0], pair[1]


def row_numbers(points: Array, n: int) -> NDArray[np.intp]:
    """Return which of n samples the points are, if they are row numbers."""
    rows = points.ravel().astype(np.intp)
    if points.shape[1] != 1 or (rows != points.ravel()).any() or (rows < 0).any():
        raise ValueError("points must be one column of non-negative row numbers for a Gram matrix")
    if rows.max(initial=0) >= n:
        raise ValueError(f"X must have all training samples: the machine uses number {rows.max()}")
    return rows


def pad_columns(points: Array, X: Array) -> Array:
    """Return points with the columns of X: files leave out zeros, and so trailing columns."""
    missing = X.shape[1] - points.shape[1]
    if missing < 0:
        raise ValueError(f"X has {X.shape[1]} features, but the machine has {points.shape[1]}")
    return np.pad(points, ((0, 0), (0, missing)))


def evaluate_expansion(
    kernel: KernelOrPrecomputed, points: Array, coefficients: Array, X: Array
) -> Array:
    """Return Σ_j c_j k(z_j, x), which is f(x) − b, for every row of X or of a Gram matrix."""
    if is_precomputed(kernel):
        return X[:, row_numbers(points, X.shape[1])] @ coefficients
    return kernel_expansion(check_kernel(kernel), pad_columns(points, X), coefficients, X)


def signed_labels(machine: Machine, labels: NDArray[np.generic]) -> Array:
    """Return −1 for the first class of the machine, +1 for the second."""
    unknown = sorted(set(labels.tolist()) - set(machine.classes), key=str)
    if unknown:
        expected = f"{machine.classes}, got {unknown[:3]}"
        advice = "give the y that was passed to fit"
        if machine.classes == (1, 2):  # R's e1071 writes the numbers of a factor's levels
            advice += ", for a file of e1071 as np.unique(y, return_inverse=True)[1] + 1"
        raise ValueError(f"y must have the machine's labels {expected}: {advice}")
    return np.where(labels == machine.classes[1], 1.0, -1.0)
