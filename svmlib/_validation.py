"""Checks of arguments, shared by all modules of the library.

In every module, a function ``check_…`` returns its argument in the form that the mathematics uses,
and a function ``require_…`` returns nothing. Both raise a `ValueError` that names the argument, and
says what is wrong with it and what is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import isinf, isnan, nan
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array, FloatType

_INTEGERS = (int, np.integer)
_NUMBERS = (*_INTEGERS, float, np.floating)
# The largest difference between K and Kᵀ, relative to the largest value, that counts as rounding:
# about ten roundings u in half, 1,700 in single and 900,000 in double precision, in which values
# are often long sums. A wrong entry differs by more.
_MAX_SKEW = {np.float16: 5e-3, np.float32: 1e-4, np.float64: 1e-10}


def check_array(value: ArrayLike, name: str, *, finite: bool = True) -> Array:
    """Convert to a float64 array, by default a finite one, or raise an error that names it.

    Integers of size 2**53 or more are refused, because NumPy may round them; other numbers
    (fractions, longer floats) become the nearest float.
    """
    try:
        numbers = np.asarray(value)
        kind = numbers.dtype.kind
        text = kind == "O" and any(isinstance(v, str | bytes) for v in numbers.flat)
        if kind in "SUcmM" or text or value is None:  # NumPy would make floats of these
            raise TypeError("not real numbers")
        array = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        accepted = "a dense array of real numbers"
        raise ValueError(f"{name} must be {accepted}, got {value!r:.80}") from error
    require_unmasked(value, name)  # first, as there may be NaN under a mask
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but it contains NaN or infinity")
    whole = [isinstance(v, _INTEGERS) for v in numbers.flat] if kind == "O" else [kind in "iu"]
    if any(whole) and np.abs(array.ravel()).max(where=whole, initial=0) >= 2**53:
        raise ValueError(f"{name} must hold integers that floats can hold: up to 2**53 - 1 in size")
    return array


def float_type_of(value: object) -> FloatType:
    """Return the type in which numbers are given: half, single or, for all others, double."""
    float_type: Any = np.asarray(value).dtype.type
    return float_type if float_type in (np.float16, np.float32) else np.float64


def require_unmasked(value: object, name: str) -> None:
    """Refuse masked entries, because the numbers under the mask are meaningless."""
    parts = value if isinstance(value, list | tuple) else [value]
    if any(np.ma.is_masked(part) for part in parts):
        raise ValueError(f"{name} must have no masked entries; leave their rows out")


def check_points(X: ArrayLike, name: str = "X", *, n_features: int | None = None) -> Array:
    """Return X as a finite float64 array of shape (n, d) with n, d ≥ 1."""
    array = check_array(X, name)
    if array.ndim != 2:
        advice = f"write {name}.reshape(-1, 1) for one feature, (1, -1) for one point"
        if array.ndim > 2:
            advice = f"write {name}.reshape(len({name}), -1)"
        raise ValueError(f"{name} must hold one row per point, got shape {array.shape}; {advice}")
    if array.size == 0:
        accepted = "at least one point and feature"
        raise ValueError(f"{name} must hold {accepted}, got shape {array.shape}")
    if n_features is not None and array.shape[1] != n_features:
        raise ValueError(f"{name} must have {n_features} features, got {array.shape[1]}")
    return array


def check_gram(K: Array, name: str, float_type: FloatType) -> Array:
    """Return a symmetric matrix: K, or the mean of K and Kᵀ if they differ by rounding.

    The possible rounding depends on the type of float in which the numbers were given.

    Raises
    ------
    ValueError
        If K is not square, or not symmetric, or the type is none of the three.
    """
    n = len(K)
    if not (isinstance(float_type, type) and float_type in _MAX_SKEW):
        raise ValueError(f"float_type must be float16, float32 or float64, got {float_type!r:.80}")
    if K.shape != (n, n):
        raise ValueError(f"{name} must be a square Gram matrix, got shape {K.shape}")
    # K may be large, so a few rows are compared at a time.
    skew = max(float(np.abs(K[i : i + 64] - K[:, i : i + 64].T).max()) for i in range(0, n, 64))
    if skew > _MAX_SKEW[float_type] * max(K.max(), -K.min()):
        rounding = f"more than the rounding of {float_type.__name__}"
        difference = f"it differs from its transpose by {skew:g}, {rounding}"
        raise ValueError(f"{name} must be symmetric, but {difference}")
    return K / 2 + K.T / 2 if skew else K


def check_vector(value: ArrayLike, name: str, *, length: int | None = None) -> Array:
    """Return a finite float64 array of shape (length,)."""
    array = check_array(value, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector, got shape {array.shape}")
    if length is not None and array.size != length:
        raise ValueError(f"{name} must have {length} entries, got {array.size}")
    return array


def check_bounds(value: ArrayLike, name: str, *shape: int, allow_negative: bool = True) -> Array:
    """Return bounds of this shape as float64; they may be infinite, or NaN, which proves nothing.

    In single precision, results would be rounded by more than certificates allow for. A fraction or
    a longer float is refused if no float64 equals it: the nearest one may be on the wrong side.
    """
    array = check_array(value, name, finite=False)
    numbers = np.asarray(value)
    may_round = numbers.dtype.kind == "O" or numbers.dtype.itemsize > array.itemsize
    if may_round and not ((array == numbers) | np.isnan(array)).all():
        raise ValueError(
            f"{name} must hold float64 numbers: round it to them first, outwards if it is a bound"
        )
    if array.shape != shape:
        accepted = f"an array of shape {shape}" if shape else "one number"
        raise ValueError(f"{name} must be {accepted}, got shape {array.shape}")
    if not allow_negative and (negative := array[array < 0]).size:
        raise ValueError(f"{name} must not be negative, got {negative.min()}")
    return array


def check_bound(value: Any, name: str, *, allow_negative: bool = True) -> float:
    """Return a bound, as `check_bounds` does, as a float."""
    if type(value) is float and allow_negative:  # fast
        return value
    return float(check_bounds(value, name, allow_negative=allow_negative))


def check_sample_weight(weights: ArrayLike | None, length: int) -> Array:
    """Return sample weights, none of them negative and not all of them zero; by default ones."""
    if weights is None:
        return np.ones(length)
    checked = check_vector(weights, "sample_weight", length=length)
    if checked.min() < 0 or not checked.any():
        raise ValueError(f"sample_weight must not be negative or all zero, got {checked.min()}")
    return checked


def check_scalar(value: object, name: str, *, positive: bool = False, finite: bool = True) -> float:
    """Return a real number as a float; `positive` refuses zero and below, `finite` infinity.

    An integer is refused if no float equals it.
    """
    number = nan
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        with suppress(OverflowError):  # of an integer beyond all floats
            number = float(value)
    if isnan(number) or (finite and isinf(number)) or (positive and number <= 0):
        other_type = isinstance(value, Number) and not isinstance(value, _NUMBERS)
        kind = "int or float" if other_type else "number"  # a fraction is a number, too
        accepted = f"a {'positive ' if positive else ''}{'finite ' if finite else ''}{kind}"
        raise ValueError(f"{name} must be {accepted}, got {value!r:.80}")
    if isinstance(value, _INTEGERS) and number != int(value):  # NumPy would round it
        raise ValueError(f"{name} must be an integer that floats can hold, got {value!r:.80}")
    return number


def check_count(value: object, name: str, *, positive: bool = True) -> int:
    """Return a positive or, if not `positive`, a non-negative integer as an int."""
    least = 1 if positive else 0
    if isinstance(value, bool) or not isinstance(value, _INTEGERS) or value < least:
        accepted = f"a {'positive' if positive else 'non-negative'} integer"
        raise ValueError(f"{name} must be {accepted}, got {value!r:.80}")
    return int(value)


def check_path(path: object) -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path must be text or a pathlib.Path, got {path!r:.80}")
    return Path(path)


def require_choice(value: object, name: str, choices: tuple[str, ...], advice: str = "") -> None:
    """Refuse anything but one of the names in `choices`."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name} must be one of {choices}, got {value!r:.80}{advice}")


def check_stopping_rule(tol: object, max_iter: object) -> tuple[float, int]:
    """Return a positive finite tolerance, and a positive number of iterations."""
    return check_scalar(tol, "tol", positive=True), check_count(max_iter, "max_iter")


# Labels and classes


def check_labelled(X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Return X of shape (n, d) and y of shape (n,) in {-1, +1}, both classes present.

    They are copies, so that problems and certificates stay valid if the caller changes the original
    arrays.
    """
    points = check_points(X)
    labels = check_labels(y, len(points))
    if labels.min() == labels.max():
        raise ValueError(f"y must contain both classes -1 and +1, got only {int(labels[0]):+d}")
    return np.array(points, order="C"), labels


def check_class_labels(y: ArrayLike, n: int | None = None) -> NDArray[Any]:
    """Return labels of any type as an array; if n is given, of shape (n,)."""
    require_unmasked(y, "y")
    try:
        labels = np.asarray(y)
    except ValueError as error:  # of lists of different lengths
        raise ValueError(f"y must have one label for each row, got {y!r:.80}") from error
    if n is not None and labels.shape != (n,):
        accepted = f"one label for each of the {n} rows (np.ravel(y) of a column)"
        raise ValueError(f"y must have {accepted}, got shape {labels.shape}")
    return labels


def check_labels(y: ArrayLike, n: int) -> Array:
    """Return a copy of y, of shape (n,) and in {-1, +1}."""
    labels = check_class_labels(y, n)
    if labels.dtype.kind not in "iuf" or not ((labels == 1) | (labels == -1)).all():
        seen = ", ".join(sorted({repr(label) for label in labels.tolist()})[:5])
        advice = "write np.where(y == c, 1, -1), where c is the label of the positive class"
        raise ValueError(f"y must contain only -1 and +1, got {seen} ({labels.dtype}); {advice}")
    return labels.astype(np.float64)


def check_class_weight(class_weight: Any, classes: NDArray[Any], labels: NDArray[Any]) -> Array:
    """Return the factors of C for the classes: by label, "balanced", or 1 for None."""
    if class_weight is None:
        return np.ones(classes.size)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.array([labels.size / classes.size / np.sum(labels == c) for c in classes])
    if not isinstance(class_weight, Mapping):
        accepted = 'a dictionary of factors by label, "balanced" or None'
        raise ValueError(f"class_weight must be {accepted}, got {class_weight!r:.80}")
    names = classes.tolist()
    if unknown := [name for name in class_weight if name not in names]:
        advice = "leave others out"
        if names == [0, 1]:  # as in each machine of a wrapper
            advice += ", and in OneVsOneClassifier or OneVsRestClassifier give sample_weight"
        got = f"{unknown!r:.80}"
        raise ValueError(f"class_weight must name labels of y, {names}, got {got}; {advice}")
    factors = (class_weight.get(name, 1.0) for name in names)
    return np.array([check_scalar(f, "class_weight", positive=True) for f in factors])
