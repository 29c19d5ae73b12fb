"""Arrays that cannot be written to, so that what is proved of them stays true."""

from __future__ import annotations

from typing import Any

import numpy as np


def lock_arrays(instance: object) -> None:
    """Make the arrays of numbers among the attributes read only.

    Attributes become views, so that a caller's own array stays as it is. (Names of columns may be
    in an array that belongs to pandas.)
    """
    for name, value in vars(instance).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            vars(instance)[name] = view = value.view()
            view.flags.writeable = False


class ReadOnly:
    """What has read-only arrays, also in deep copies and pickles, which NumPy makes writable."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        lock_arrays(self)
