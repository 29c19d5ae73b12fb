"""A machine at the rows of X: which of them are its support vectors, and its scores.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from svmlib._arrays import Array
from svmlib._machine import Machine, pad_columns, row_numbers
from svmlib._rounding import exact_sum

ROW_HINT = "check that X has the training rows and no others, as the machine saw them (scaled?)"


class Multipliers(NamedTuple):
    """The multipliers of a machine, if they are known, or a note that says why they are not."""

    alpha: Array | None = None
    is_exact: bool = False  # whether the machine is exactly that of α
    note: str = ""


def find_multipliers(machine: Machine, X: Array, y: Array, C: Array) -> Multipliers:
    """Return the α_i of the rows of X.

    The machine is not exactly that of α if points are only close to rows of X, or if a row occurs
    twice and the sum of its coefficients is rounded: large terms may cancel.

    Equal rows may differ in C_i, and a machine may not say which of them it uses. Then the largest
    coefficient goes to the largest C_i: if any order keeps all in the box, this order does.
    """
    if machine.support is None:
        return Multipliers()
    if isinstance(machine.support, tuple):
        points, coefficients = machine.support
        machine = replace(machine, points=points, coefficients=coefficients, support="points")
        return find_multipliers(machine, X, y, C)._replace(is_exact=False)
    if machine.precomputed:
        return _sums_of_rows(row_numbers(machine.points, y.size), machine.coefficients, y)
    rows = machine.rows
    if rows is not None and np.array_equal(machine.points, X.take(rows, 0, mode="clip")):
        return _sums_of_rows(rows, machine.coefficients, y)
    largest_first = np.argsort(-np.abs(machine.coefficients), kind="stable")
    nonzero = largest_first[: np.count_nonzero(machine.coefficients)]
    points = pad_columns(machine.points[nonzero], X)
    coefficients = machine.coefficients[nonzero]
    places = _match_rows(points, coefficients, X, y, C)
    if places is None:
        return Multipliers(note=f"a support vector is not a row of X: {ROW_HINT}")
    alpha = np.zeros(y.size)
    alpha[places] = coefficients * y[places]
    return Multipliers(alpha, bool((points == X[places]).all()))


def _sums_of_rows(rows: NDArray[np.intp], coefficients: Array, y: Array) -> Multipliers:
    """Return multipliers for row numbers, from the sum of the coefficients of each row."""
    alpha = np.zeros(y.size)
    alpha[rows] = coefficients * y[rows]
    exact = True
    named, times = np.unique(rows, return_counts=True)
    for i in named[times > 1]:
        terms = coefficients[rows == i]
        total = exact_sum(terms)
        alpha[i] = total * y[i]
        exact &= exact_sum(np.append(terms, -total)) == 0
    if not np.isfinite(alpha).all():
        return Multipliers(note="a sum of coefficients is beyond floats")
    return Multipliers(alpha, exact)


def _match_rows(
    points: Array, coefficients: Array, X: Array, y: Array, C: Array
) -> list[int] | None:
    """Return the row of X of each support vector, if possible of its class; None if one has none.

    Among equal rows, the first support vector gets the row with the largest C_i.

    LIBSVM writes eight digits of a support vector, and other programs have single precision.
    """
    for written in _all_digits, _eight_digits, _eight_digits_of_single:
        keys, places = written(points), written(X)
        row_of = dict[int, int]()
        unused = {*range(y.size)}
        for by_class in True, False:
            rows = dict[tuple[bool, Hashable], list[int]]()
            for i in sorted(unused, key=lambda i: C[i]):
                rows.setdefault((by_class and y[i] > 0, places[i]), []).append(i)
            for j, key in enumerate(keys):
                if j not in row_of and (same := rows.get((by_class and coefficients[j] > 0, key))):
                    row_of[j] = same.pop()
            unused -= {*row_of.values()}
        if len(row_of) == len(keys):
            return [row_of[j] for j in range(len(keys))]
    return None


def _all_digits(points: Array) -> list[Hashable]:
    """Return the bytes of each row, which are found fast, however many columns there are."""
    return [row.tobytes() for row in points]


def _eight_digits(points: NDArray[np.floating[Any]]) -> list[Hashable]:
    """Return eight digits of each row."""
    return [tuple(float(f"{value:.8g}") for value in row) for row in points.tolist()]


def _eight_digits_of_single(points: Array) -> list[Hashable]:
    """Return eight digits of each row in single precision."""
    return _eight_digits(points.astype(np.float32))
