"""Some rows of a table at random, and sums over blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The metadata of a field of which `merge_sums` keeps the largest value, or NaN if there is one.
LARGEST = {"merge": lambda values: float(np.max(values))}


def merge_sums(parts: Sequence[Any]) -> Any:
    """Return the sums of several blocks of rows as one; the metadata of a field say how."""
    columns = ((f, [getattr(part, f.name) for part in parts]) for f in fields(parts[0]))
    return type(parts[0])(*(f.metadata.get("merge", sum)(values) for f, values in columns))


def random_rows(n: int, count: int, seed: int | None = None) -> NDArray[np.intp]:
    """Return at most `count` of n row numbers at random, repeatably (the default seed is n)."""
    return np.random.default_rng(n if seed is None else seed).permutation(n)[:count]
