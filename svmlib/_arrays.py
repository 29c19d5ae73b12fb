"""Arrays: their types, the memory they take, and a lock, so that proofs about them stay valid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
FloatType = type[np.floating[Any]]


def megabytes(n_floats: float) -> float:
    """Return how many megabytes (2²⁰ bytes) this number of floats takes."""
    return 8 * n_floats / 2**20


def lock_arrays(instance: object) -> None:
    """Make all attributes that are arrays read only, except arrays of objects.

    Attributes become views, so that a caller's own array stays writable. Names of columns may be
    in an array that belongs to pandas.
    """
    attributes = vars(instance)
    for name, value in attributes.items():
        if isinstance(value, np.ndarray) and value.dtype.kind != "O":
            attributes[name] = view = value.view()
            view.setflags(write=False)


class ReadOnly:
    """Keeps its arrays read only, also in deep copies and pickles, which NumPy makes writable."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        lock_arrays(self)
