"""Pairs of several classes, and the coefficients of their machines, as LIBSVM has them.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return the pairs of classes, in the order of LIBSVM's decision values."""
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
    coefficients_of_i = np.where(of_class == i, coefficients[j - 1], 0.0)
    return np.where(of_class == j, coefficients[i], coefficients_of_i)


def coefficients_of_pairs(coefficients: Array, n_support: Sequence[int]) -> Array:
    """Return the `pair_coefficients` of every pair, a row each."""
    pairs = class_pairs(len(coefficients) + 1)
    return np.array([pair_coefficients(coefficients, n_support, *pair) for pair in pairs])
