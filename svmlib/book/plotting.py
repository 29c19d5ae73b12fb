"""The house style, and the few drawings that the chapters repeat.

Every drawing function takes the axes first, draws data in data coordinates and, but for
`regions`, returns what it drew. Lines and bands leave the limits of the axes alone, so draw the
samples first.

>>> import matplotlib.pyplot as plt
>>> from svmlib.book import plotting
>>> from svmlib.datasets import load_penguins
>>> plotting.use_style()
>>> figure, ax = plt.subplots()
>>> artists = plotting.scatter(ax, load_penguins())
>>> plt.close(figure)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import AxLine
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array
from svmlib._validation import check_points, check_vector
from svmlib.book.transcript import transcript
from svmlib.datasets import Dataset
from svmlib.geometry import Hyperplane

# The palette of Okabe and Ito (2008), which the colour-blind can tell apart.
ORANGE = "#E69F00"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
BLACK = "#000000"

NEGATIVE = VERMILION
POSITIVE = BLUE
_CLASS_STYLES = ((NEGATIVE, "o"), (POSITIVE, "^"), (GREEN, "s"))
# A species looks the same on every page, whatever it is compared with.
_SPECIES = dict(zip(("Adelie", "Gentoo", "Chinstrap"), _CLASS_STYLES, strict=True))

_STYLE: Any = {
    "figure.figsize": (4.6, 3.5),  # on a phone a subscript still has 9 pixels
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "axes.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=[BLUE, VERMILION, GREEN, PURPLE, ORANGE, BLACK]),
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine has it
    "font.size": 12,
    "legend.fontsize": 11.5,
    "lines.linewidth": 1.8,
}

# What each drawing looks like unless the caller says otherwise.
_POINTS: dict[str, Any] = {
    "s": 34,
    "alpha": 0.85,
    "edgecolors": "white",
    "linewidths": 0.5,
    "zorder": 2,
}
_LINE: dict[str, Any] = {"color": BLACK, "zorder": 3}
_DASHES: dict[str, Any] = {"linestyle": "--", "linewidth": 1.2}
_BAND: dict[str, Any] = {"facecolor": "0.5", "alpha": 0.15, "zorder": 0}
_RINGS: dict[str, Any] = {
    "s": 130,
    "facecolors": "none",
    "edgecolors": BLACK,
    "linewidths": 1.4,
    "zorder": 4,
}
_SEGMENTS: dict[str, Any] = {"colors": BLACK, "linestyles": ":", "linewidths": 1.6, "zorder": 2.5}
_HULL: dict[str, Any] = {"facecolor": "none", "edgecolor": BLACK, "linewidth": 1.4, "zorder": 1}
_NOTE: dict[str, Any] = {
    "textcoords": "offset points",
    "zorder": 6,
    "path_effects": [withStroke(linewidth=3, foreground="white")],
}


def use_style() -> None:
    """Switch matplotlib to the style of the book.

    Call it once, in the first code cell. Inside a notebook, pictures are sharp then, and their
    printed form is the `svmlib.book.transcript.transcript` of what is written in them.
    """
    mpl.rcParams.update(_STYLE)
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("retina")  # type: ignore[no-untyped-call]
        shell.display_formatter.formatters["text/plain"].for_type(
            Figure, lambda figure, printer, _: printer.text(transcript(figure))
        )


def class_styles(data: Dataset) -> list[tuple[str, str]]:
    """Return the colour and the marker of each class of a data set.

    A penguin of one species looks the same in the whole book; other classes take what is left, in
    their order, so that the negative class is vermilion and the positive one blue.

    Raises
    ------
    ValueError
        If the data set has more than three classes.

    Examples
    --------
    >>> from svmlib.book import plotting
    >>> from svmlib.datasets import load_penguins
    >>> plotting.class_styles(load_penguins(("Adelie", "Chinstrap")))
    [('#D55E00', 'o'), ('#009E73', 's')]
    """
    names = data.class_names
    if len(names) > len(_CLASS_STYLES):
        raise ValueError(f"data must have at most {len(_CLASS_STYLES)} classes")
    taken = [_SPECIES[name] for name in names if name in _SPECIES]
    free = iter([style for style in _CLASS_STYLES if style not in taken])
    return [_SPECIES[name] if name in _SPECIES else next(free) for name in names]


def scatter(
    ax: Axes, data: Dataset, *, columns: tuple[int, int] = (0, 1), **style: Any
) -> list[PathCollection]:
    """Draw two features of a data set, each class in its style, and name the axes.

    Parameters
    ----------
    ax : Axes
    data : Dataset
        With at most three classes.
    columns : pair of int
        Which features to draw, across and upwards.
    **style
        Passed on to ``Axes.scatter``.

    Returns
    -------
    list of PathCollection
        One a class, labelled with the name of the class for ``ax.legend()``.

    Raises
    ------
    ValueError
        If the data set has no such columns, or more than three classes.
    """
    across, upwards = columns
    if not all(0 <= column < data.X.shape[1] for column in columns):
        raise ValueError(f"columns must be two of 0 to {data.X.shape[1] - 1}, got {columns}")
    styles = class_styles(data)
    ax.set(xlabel=data.axis_labels[across], ylabel=data.axis_labels[upwards])
    drawn = []
    for label, name, (color, marker) in zip(data.labels, data.class_names, styles, strict=True):
        rows = data.X[data.y == label]
        own: dict[str, Any] = {"color": color, "marker": marker, "label": name}
        drawn.append(ax.scatter(rows[:, across], rows[:, upwards], **(_POINTS | own | style)))
    return drawn


def line(ax: Axes, hyperplane: Hyperplane, *, level: float = 0.0, **style: Any) -> AxLine:
    """Draw the line f(x) = level of a hyperplane of the plane across the whole axes.

    Parameters
    ----------
    ax : Axes
        Its limits stay as they are.
    hyperplane : Hyperplane
        With two features.
    level : float
        0 is the hyperplane itself.
    **style
        Passed on to the line: ``color``, ``linestyle``, ``label``, …

    Raises
    ------
    ValueError
        If the hyperplane does not have two features.
    """
    start, end = _far_ends(ax, hyperplane, level)
    drawn = AxLine(tuple(start), tuple(end), None, **(_LINE | style))
    ax.add_line(drawn)
    return drawn


def margin(ax: Axes, hyperplane: Hyperplane, *, level: float = 1.0, **style: Any) -> list[AxLine]:
    """Draw a hyperplane with the lines f(x) = ±level, dashed, and the band between them, grey.

    Parameters
    ----------
    ax : Axes
        Its limits stay as they are.
    hyperplane : Hyperplane
        With two features; in canonical form the default level is that of the nearest samples.
    level : float
        Positive; for the hyperplane of a `svmlib.geometry.DirectionalMargin` it is (B⁺ − B⁻)/2.
    **style
        Passed on to all three lines, except ``label``, which names the middle one.

    Returns
    -------
    list of AxLine
        For f = −level, 0, +level.

    Raises
    ------
    ValueError
        If the hyperplane does not have two features.
    """
    lower, upper = (_far_ends(ax, hyperplane, value) for value in (-level, level))
    ax.add_artist(Polygon(np.vstack((lower, upper[::-1])), **_BAND))
    dashes = _DASHES | style | {"label": None}
    return [
        line(ax, hyperplane, level=-level, **dashes),
        line(ax, hyperplane, **style),
        line(ax, hyperplane, level=level, **dashes),
    ]


def _far_ends(ax: Axes, hyperplane: Hyperplane, level: float) -> Array:
    """Two points of the line f = level, shape (2, 2), far outside the view on both sides of it."""
    if hyperplane.w.size != 2:
        raise ValueError(
            f"hyperplane must have 2 features to be drawn as a line, got {hyperplane.w.size}"
        )
    # In units of the view, so that millimetres across and grams upwards count alike.
    view = ax.viewLim
    size, centre = np.array(view.size), np.array([view.x0, view.y0]) + np.array(view.size) / 2
    scaled = hyperplane.w * size
    scaled, offset = (
        scaled / np.hypot(*scaled),
        (hyperplane.w @ centre + hyperplane.b - level) / np.hypot(*scaled),
    )
    along = np.array([-scaled[1], scaled[0]])
    ends: Array = centre + size * (-offset * scaled + np.outer((-100, 100), along))
    return ends


def rings(ax: Axes, points: ArrayLike, **style: Any) -> PathCollection:
    """Draw a ring around points, such as support vectors; points has shape (m, 2).

    Raises
    ------
    ValueError
        If points is not a finite array of shape (m, 2).
    """
    rows = check_points(points, "points", n_features=2)
    return ax.scatter(rows[:, 0], rows[:, 1], **(_RINGS | style))


def segments(ax: Axes, starts: ArrayLike, ends: ArrayLike, **style: Any) -> LineCollection:
    """Draw dotted segments, such as points to their projections; both have shape (m, 2).

    Raises
    ------
    ValueError
        If starts and ends are not finite arrays of the same shape (m, 2).
    """
    first = check_points(starts, "starts", n_features=2)
    second = check_points(ends, "ends", n_features=2)
    if first.shape != second.shape:
        raise ValueError(f"starts and ends must match, got {len(first)} and {len(second)} points")
    drawn = LineCollection(list(np.stack((first, second), axis=1)), **(_SEGMENTS | style))
    ax.add_collection(drawn)
    return drawn


def arrow(
    ax: Axes, start: ArrayLike, vector: ArrayLike, text: str = "", *, color: str = BLACK
) -> Annotation:
    """Draw a vector as an arrow from a point, with a text beside its tip.

    Raises
    ------
    ValueError
        If start or vector does not have two finite entries.
    """
    tail = check_vector(start, "start", length=2)
    tip = tail + check_vector(vector, "vector", length=2)
    ax.update_datalim([tail, tip])
    ax.autoscale_view()
    note(ax, tip, text, color=color)
    looks = {"arrowstyle": "-|>", "color": color, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
    return ax.annotate("", xy=tuple(tip), xytext=tuple(tail), arrowprops=looks, zorder=5)


def note(
    ax: Axes, point: ArrayLike, text: str, *, offset: tuple[float, float] = (6, 6), **style: Any
) -> Annotation:
    """Write a text with a white halo beside a point; offset is in typographic points from it.

    Raises
    ------
    ValueError
        If the point does not have two finite entries.
    """
    x, y = check_vector(point, "point", length=2)
    return ax.annotate(text, xy=(x, y), xytext=offset, **(_NOTE | style))


def legend(ax: Axes, *, columns: int = 3) -> Legend:
    """Write the legend above the axes, where it hides no sample."""
    return ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        frameon=False,
        handletextpad=0.5,
        columnspacing=1.2,
    )


def hull(ax: Axes, vertices: ArrayLike, **style: Any) -> Polygon:
    """Draw the outline of a convex hull, given its vertices in order, shape (m, 2).

    Raises
    ------
    ValueError
        If vertices is not a finite array of shape (m, 2).
    """
    corners = check_points(vertices, "vertices", n_features=2)
    drawn = Polygon(corners, closed=True, **(_HULL | style))
    ax.add_patch(drawn)
    return drawn


def regions(
    ax: Axes,
    decision_function: Callable[[Array], NDArray[Any]],
    *,
    level: float | None = 1.0,
    colors: Sequence[str] = (NEGATIVE, POSITIVE),
    resolution: int = 200,
) -> None:
    """Tint the two sides of a decision function and draw its curves f = 0 and f = ±level.

    Parameters
    ----------
    ax : Axes
        The sides are tinted over its present limits, which are then fixed.
    decision_function : callable
        From points of shape (m, 2) to values of shape (m,), such as
        ``Hyperplane.decision_function`` or that of a fitted classifier.
    level : float or None
        Where to draw the dashed curves; None draws none.
    colors : pair of str
        The tints of f < 0 and f > 0, such as those of `class_styles`.
    resolution : int
        Points of the grid in each direction.
    """
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())
    across, upwards = np.meshgrid(
        np.linspace(*ax.get_xlim(), resolution), np.linspace(*ax.get_ylim(), resolution)
    )
    grid = np.column_stack((across.ravel(), upwards.ravel()))
    values = np.asarray(decision_function(grid), dtype=np.float64).reshape(across.shape)
    levels = [min(values.min(), 0) - 1, 0, max(values.max(), 0) + 1]
    ax.contourf(across, upwards, values, levels, colors=colors, alpha=0.13, zorder=0)
    _contour(ax, across, upwards, values, 0.0, linestyles="-", linewidths=1.8)
    if level is not None:
        for value in (-level, level):
            _contour(ax, across, upwards, values, value, linestyles="--", linewidths=1.2)


def _contour(
    ax: Axes, across: Array, upwards: Array, values: Array, level: float, **style: Any
) -> None:
    """Draw one contour, if there is one: matplotlib warns about a level that is never reached."""
    if values.min() < level < values.max():
        ax.contour(across, upwards, values, levels=[level], colors=BLACK, zorder=3, **style)
