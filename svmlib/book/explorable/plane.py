"""What the figures share: samples in a plane, handles, round numbers, and how a still begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from svmlib import hulls
from svmlib._arrays import Array
from svmlib._validation import check_scalar
from svmlib.book import plotting
from svmlib.datasets import Dataset

_MOST_HANDLES = 24  # or the Tab key stops too often


def in_plane(data: Dataset, margin: float = 0.15, most: float = np.inf) -> dict[str, Any]:
    """Return samples, names, limits and the lattice on which samples are moved."""
    if len(data.y) > most:
        raise ValueError(f"data must have at most {most} rows, got {len(data.y)}")
    if data.X.shape[1] != 2 or len(data.class_names) != 2:
        raise ValueError(
            f"data must have 2 features and 2 classes, got {data.X.shape[1]} and "
            f"{len(data.class_names)}"
        )
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    size = np.where(high > low, high - low, max(float((high - low).max()), 1.0))
    # In units of "200 g" distances are right; people read g.
    counted = [re.fullmatch(r"(\d+) (.+)", unit) for unit in data.units]
    return {
        "X": data.X.tolist(),
        "y": [int(label) for label in data.y],
        "classes": [_plain(name) for name in data.class_names],
        "axes": [
            _plain(name).replace(f"({found[0]})", f"({found[2]})") if found else _plain(name)
            for name, found in zip(data.axis_labels, counted, strict=True)
        ],
        "worth": [int(found[1]) if found else 1 for found in counted],
        "units": list(data.units),
        "step": [_step(side) for side in size],
        "xlim": [float(low[0] - margin * size[0]), float(high[0] + margin * size[0])],
        "ylim": [float(low[1] - margin * size[1]), float(high[1] + margin * size[1])],
    }


def no_samples(classes: Sequence[str]) -> dict[str, Any]:
    """Return what `in_plane` does for a figure without samples in a plane."""
    free = {"units": ["", ""], "step": [0.01, 0.01], "movable": []}
    return {"X": [], "y": [], "classes": list(classes), **free}


def _plain(text: str) -> str:
    """Return an axis label without TeX: "$x_1$" is "x₁"."""
    return re.sub(r"_(\d)", lambda found: "₀₁₂₃₄₅₆₇₈₉"[int(found[1])], text).replace("$", "")


def _step(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, about a hundredth of the size."""
    power = 10.0 ** np.floor(np.log10(size / 100))
    return float(f"{power * max(k for k in (1, 2, 5) if k * power <= size / 100 * 1.001):.6g}")


def movable_rows(data: Dataset, movable: Sequence[int] | None) -> list[int]:
    """Return the rows that can be moved: those given, or all.

    Of many, those that hold the shortest bridge of the hulls, and the six of each class that are
    nearest to the other along the line of the centroids.
    """
    n = len(data.y)
    if movable is None:
        signs = np.asarray(data.y)
        along = signs * (data.X @ (data.X[signs > 0].mean(axis=0) - data.X[signs < 0].mean(axis=0)))
        near = [np.flatnonzero(signs == k)[np.argsort(along[signs == k])[:6]] for k in (-1, 1)]
        holding = np.flatnonzero(hulls.closest_points(data.X, data.y).weights > 1e-9)
        movable = range(n) if n <= _MOST_HANDLES else [*np.unique(np.r_[*near, holding])]
    if not movable or not all(0 <= i < n for i in movable):
        raise ValueError(f"movable must be rows of X, 0 to {n - 1}, got {list(movable)}")
    return [int(i) for i in movable]


def round_number(value: float, name: str, low: float, high: float) -> float:
    """Return the nearest of Renard's round numbers, ten a decade, to a value within limits."""
    if not low <= check_scalar(value, name, positive=True) <= high:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {value:.6g}")
    decade, tenth = divmod(round(10 * np.log10(value)), 10)
    renard = ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")
    return float(f"{renard[tenth]}e{decade}")


def bridge_across(X: Array, y: Array) -> hulls.ClosestPoints:
    """Return the shortest bridge between classes that a line separates."""
    bridge = hulls.closest_points(X, y)
    if not bridge.lower_bound > 0:
        raise ValueError("data must be separable by a line, but the hulls of the classes meet")
    return bridge


def _counted_out(value: float, position: int, *, worth: int) -> str:
    return f"{value * worth:g}"


def frame(ax: Axes, plane: dict[str, Any]) -> None:
    """Give axes the limits, the names and the units of a plane."""
    ax.set(xlim=plane["xlim"], ylim=plane["ylim"], aspect="equal")
    for axis, worth, name in zip((ax.xaxis, ax.yaxis), plane["worth"], plane["axes"], strict=True):
        if worth != 1:
            axis.set_major_formatter(FuncFormatter(partial(_counted_out, worth=worth)))
            axis.set_label_text(name)


def draw_hulls(ax: Axes, data: Dataset) -> None:
    """Draw the samples of both classes, each class with its hull."""
    plotting.scatter(ax, data)
    for label, (colour, _) in zip((-1, 1), plotting.class_styles(data), strict=True):
        points = data.X[data.y == label]
        corners = points[hulls.convex_hull(points).vertices]
        plotting.hull(ax, corners, edgecolor=colour, facecolor=(colour, 0.1))


def draw_bridge(ax: Axes, p: Array, q: Array) -> None:
    """Join two points by a thick line."""
    plotting.segments(ax, [p], [q], linestyles="-", linewidths=3)


def counted(n: int, what: str) -> str:
    """Return a number with its noun, "1 sample" or "2 samples"."""
    return f"{n} {what}{'' if n == 1 else 's'}"
