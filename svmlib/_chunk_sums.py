"""One pass of `svmlib.distributed` over a chunk of rows, in plain NumPy.

Derived in chapter 14, *Beyond one memory*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from svmlib._arrays import Array
from svmlib._rounding import row_norm_bounds
from svmlib._validation import check_labels, check_points
from svmlib.certificate import largest_violation
from svmlib.nystrom import MERGE_BY_MAX, PivotSpan, SpanSums, span_sums

Stage = tuple[float, Array]  # the smoothing parameter h, and v = (w, b), at which a stage ended


class NewtonState(NamedTuple):
    """The numbers from which the multipliers of every sample follow, in one pass."""

    origin: Array
    C: float
    stages: tuple[Stage, ...]  # those that have ended
    h: float
    v: Array  # (w, b)


@dataclass(frozen=True, eq=False)
class DataExtent:
    """The result of the first pass: the extent of the data around one of the samples."""

    radius: float = field(metadata=MERGE_BY_MAX)  # at least the distance of the furthest sample
    n_plus: int  # samples of the positive class
    n_minus: int  # … and of the negative
    total: Array  # Σ of the differences


@dataclass(frozen=True, eq=False)
class PassSums:
    """The results of a pass at v = (w, b): the largest violation, and sums over the rows."""

    violation: float = field(metadata=MERGE_BY_MAX)  # of the KKT conditions
    n_free: int  # samples that are free, which means on the ramp
    hinge: float  # C Σ of the hinge losses
    losses: float  # Σ of the rounded losses
    proximal: float  # h Σ (q − c)²
    plus: Array  # Σ q (x, 1) over the positive samples
    minus: Array  # … and over the negative
    curvature: Array  # Σ (x, 1)(x, 1)ᵀ over the free samples


def features_of(X: Any) -> Any:
    """Return the features of rows: the rows themselves, or their features in a span.

    A chunk computes its features in the task that sums them up. Dask would often send the features
    of a separate task to another worker.
    """
    return X[0].features(X[1]) if isinstance(X, tuple) else X


@np.errstate(over="ignore", invalid="ignore")  # the radius becomes infinite, and is refused
def chunk_extent(origin: Array, X: Any, y: Any) -> DataExtent:
    """Return the extent of a chunk around this origin."""
    Z = check_points(features_of(X), n_features=origin.size) - origin
    n_plus = int(np.sum(check_labels(y, len(Z)) > 0))
    return DataExtent(float(row_norm_bounds(Z).max()), n_plus, len(Z) - n_plus, Z.sum(axis=0))


def chunk_sums(state: NewtonState, X: Any, y: Any) -> PassSums:
    """Return the sums of a chunk, which are all that a pass computes from the data."""
    y = np.asarray(y, dtype=float)
    rows, f, c, q = _multipliers(state, features_of(X), y)
    margins = y * f
    free_rows = rows[(q != 0) & (np.abs(q) < state.C)]
    proximal = state.h * float((q - c) @ (q - c))
    return PassSums(
        violation=largest_violation(margins, margins, np.abs(q), state.C),
        n_free=len(free_rows),
        hinge=state.C * np.maximum(0, 1 - margins).sum(),
        losses=q @ (y - f) - proximal / 2,
        proximal=proximal,
        plus=(q * (y > 0)) @ rows,
        minus=(q * (y < 0)) @ rows,
        curvature=free_rows.T @ free_rows,
    )


def chunk_span_sums(
    c: Array, b: float, state: NewtonState, rows: tuple[PivotSpan, Any], y: Any
) -> SpanSums:
    """Return the sums of a chunk that judge the classifier for the kernel itself."""
    span, X = rows
    X = np.ascontiguousarray(X, dtype=float)
    y = np.asarray(y, dtype=float)
    alpha = np.abs(_multipliers(state, span.features(X), y)[-1])
    return span_sums(span, c, b, X, y, alpha, np.full(len(X), state.C))


def _multipliers(state: NewtonState, X: Any, y: Array) -> tuple[Array, Array, Array, Array]:
    """Return the rows (x, 1), their f(x), the centres, and the multipliers of a chunk."""
    origin, C, stages, h, v = state
    rows = np.ones((len(X), v.size))
    np.subtract(X, origin, out=rows[:, :-1], dtype=float, casting="unsafe")  # (x, 1)
    lower, upper = np.minimum(0, C * y), np.maximum(0, C * y)
    q = np.zeros(len(X))
    for h_t, v_t in (*stages, (h, v)):
        f = rows @ v_t
        c = q  # the multipliers of a stage are the centres of the next one
        q = np.clip(c + (y - f) / h_t, lower, upper)
    return rows, f, c, q
