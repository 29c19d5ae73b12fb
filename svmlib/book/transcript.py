"""What is written and ruled in a figure, as text.

Two pictures can be held against each other pixel by pixel only if a letter hinted otherwise is
forgiven, and then nobody sees two labels change places, or a dash become a line. So a figure of the
book carries a transcript beside its picture, and the tests compare that to the letter.

>>> from matplotlib.figure import Figure
>>> from svmlib.book.transcript import transcript
>>> figure = Figure(figsize=(4, 3))
>>> ax = figure.subplots()
>>> _ = ax.plot([0, 1], [2, 4], "--", color="black", label="the loss")
>>> _ = ax.set(xlabel="z", title="Two losses")
>>> _ = ax.legend()
>>> print(transcript(figure))
[Figure 4 x 3]
axes: title 'Two losses', xlabel 'z'
  line #000000 -- (0, 2) to (1, 4): 'the loss'
  legend: 'the loss' #000000 --
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import AxLine, Line2D
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, FuncFormatter
from numpy.typing import ArrayLike

from svmlib._arrays import Array

BEGINNING, VARIES = "[Figure", "varies"


def transcript(figure: Figure) -> str:
    """List the visible texts of a figure, and its lines with their styles and labels.

    Everything stands in the order in which it was drawn, with its place in the coordinates of the
    data to three digits. What depends on fonts, such as where an automatic tick is, is left out, so
    that the list is the same on every machine; of a line with ``gid="varies"``, for curves, such as
    a solver's way, in which the processor's last digit grows, it says no more than that it varies.
    """
    width, height = figure.get_size_inches()
    lines = [f"{BEGINNING} {width:g} x {height:g}]", *map(_text, figure.texts)]
    lines += map(_legend, figure.legends)
    for ax in figure.axes:
        words = [f"{name} {value}" for name, value in _frame(ax) if value]
        lines.append(f"axes: {', '.join(words)}".rstrip(": "))
        lines += [f"  {line}" for line in _content(ax)]
    return "\n".join(lines)


def _frame(ax: Axes) -> Iterator[tuple[str, str]]:
    """Yield what is written around the axes."""
    for where in ("left", "center", "right"):
        yield "title", _quoted(ax.get_title(where))
    shown = getattr(ax, "_axis3don", ax.axison)  # in space, the flat axes are always off
    for name, axis in ax._axis_map.items() if shown else ():
        yield f"{name}scale", axis.get_scale().replace("linear", "")
        yield f"{name}label", _quoted(axis.label.get_text())
        locator, write = axis.get_major_locator(), axis.get_major_formatter()
        if isinstance(locator, FixedLocator):
            ticks = write.format_ticks(list(locator()))
            yield f"{name}ticks", " ".join(map(_quoted, ticks))
        elif isinstance(write, FuncFormatter):  # what it makes of the first and the last number
            ends = axis.get_data_interval()
            yield f"{name}ticks", " to ".join(_quoted(write(x)) for x in ends if np.isfinite(x))


def _content(ax: Axes) -> Iterator[str]:
    """Yield a line for each thing drawn in the axes that has words or strokes."""
    flat = ax.name != "3d"  # in space, places on the paper depend on the fonts
    for line in ax.lines:
        place = f" {_path(_ends(ax, line))}" if flat else ""
        if line.get_gid() == VARIES:
            place = f" {VARIES}"
        yield f"line {_look(line)}{place}{_label(line)}"
    for artist in (*ax.collections, *ax.patches):
        yield f"{type(artist).__name__} {_look(artist)}{_label(artist)}"
    for text in ax.texts:
        if text.get_text() or getattr(text, "arrow_patch", None):
            yield _text(text, placed=flat)
    if (legend := ax.get_legend()) is not None:
        yield _legend(legend)


def _text(text: Text, *, placed: bool = True) -> str:
    """Say what is written and where, or from where to where the arrow of an annotation goes."""
    if isinstance(text, Annotation):
        if text.arrow_patch is not None:
            arrow = f"arrow {_look(text.arrow_patch)} {_path([text.xyann, text.xy])}"
            return f"{arrow} {_quoted(text.get_text())}".rstrip()
        places = [text.xy]
    else:
        places = [text.get_position()]
    return f"text {_quoted(text.get_text())}" + (f" at {_path(places)}" if placed else "")


def _legend(legend: Legend) -> str:
    title = _quoted(legend.get_title().get_text())
    entries = zip(legend.get_texts(), legend.legend_handles, strict=True)
    words = [f"{_quoted(text.get_text())} {_look(handle)}" for text, handle in entries]
    return f"legend {title}".rstrip() + f": {', '.join(words)}"


def _look(artist: Any) -> str:
    """Return colours, dashes and the marker of a line, a collection or a patch."""
    if isinstance(artist, Line2D):
        marker = "" if artist.get_marker() in ("None", None, "") else f" {artist.get_marker()}"
        return f"{_hex(artist.get_color())} {artist.get_linestyle()}{marker}"
    if isinstance(artist, Collection):
        colours = [*artist.get_facecolor(), *artist.get_edgecolor()]
        patterns: Any = artist.get_linestyle()
        dashes = dict.fromkeys(_dashes(pattern) for _, pattern in patterns)
        return " ".join([*dict.fromkeys(map(_hex, colours)), *dashes])
    return f"{_hex(artist.get_facecolor())} {_hex(artist.get_edgecolor())} {artist.get_linestyle()}"


def _hex(color: Any) -> str:
    return to_hex(color)


def _dashes(pattern: Sequence[float] | None) -> str:
    """Name the pattern of a collection, which knows it as lengths of strokes and of gaps."""
    if pattern is None:
        return "-"
    return "-." if len(pattern) > 2 else "--" if pattern[0] > pattern[1] else ":"


def _ends(ax: Axes, line: Line2D) -> Array:
    """Return the first and the last point of a line; of an endless one, two that it goes through.

    Those are as far apart as the data, on both sides of the point nearest to their middle.
    """
    if not isinstance(line, AxLine):
        points = np.asarray(line.get_xydata(), dtype=np.float64)
        return points[[0, -1]] if len(points) else points
    box = ax.dataLim if min(ax.dataLim.size) > 0 else ax.viewLim
    low, high = box.get_points()
    size, centre = high - low, (low + high) / 2
    start = (np.array(line.get_xy1()) - centre) / size
    if line.get_xy2() is None:
        along = np.array([1.0, line.get_slope()]) / size
    else:
        along = (np.array(line.get_xy2()) - centre) / size - start
    along /= np.hypot(*along)
    nearest = start - (start @ along) * along
    ends: Array = centre + size * (nearest + np.outer((-0.5, 0.5), along))
    return ends


def _path(points: ArrayLike) -> str:
    """Write points to three digits, rounding noise away first so that ties fall the same way."""
    rounded = np.round(np.asarray(points, dtype=np.float64), 9) + 0.0
    words = [[f"{float(f'{x:.3g}'):g}" for x in point] for point in rounded]
    return " to ".join(f"({', '.join(point)})" for point in words)


def _label(artist: Any) -> str:
    label = artist.get_label() or "_"
    return "" if label.startswith("_") else f": {_quoted(label)}"


def _quoted(words: str) -> str:
    return f"'{words}'" if words else ""
