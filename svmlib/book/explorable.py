"""Figures to take hold of: drag a sample, slide a price, and see what follows.

A function of this module returns an `Explorable`, which a cell displays. On the pages of the book
a script brings it to life; in a running notebook it brings the script along, so that it is alive on
whatever samples it is given. On paper, without scripts, and in viewers that strip them, it is a
still of the same data, drawn by `svmlib` and described in words.

>>> from svmlib.book import explorable
>>> from svmlib.datasets import load_six_points
>>> figure = explorable.villages(load_six_points())
>>> sorted(figure._repr_mimebundle_())
['image/png', 'text/html', 'text/plain']
>>> print(figure.alt[:44])
3 samples of class −1 and 3 samples of class
"""

from __future__ import annotations

import base64
import html
import io
import json
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from svmlib import hulls
from svmlib._validation import Array, check_scalar, check_vector
from svmlib.book import plotting
from svmlib.book.transcript import transcript
from svmlib.datasets import Dataset
from svmlib.duality import DualProblem, solve_interior_point
from svmlib.geometry import Hyperplane, directional_margin
from svmlib.kernels import RBF
from svmlib.newton import newton
from svmlib.problem import Solution
from svmlib.smo import smo as run_smo

_HERE = Path(__file__).parent
# Beside this file in a wheel, in _static/ in the repository, where the pages load them from.
_SCRIPTS = next(
    folder
    for folder in (_HERE / "explorables", _HERE.parents[1] / "_static" / "explorables")
    if folder.exists()
)
# Besides the part that all share: the parts of the script that draw a figure, in their order.
_PARTS = {
    "street": ("hulls", "street"),
    "villages": ("hulls", "villages"),
    "units": ("hulls", "units"),
    "forces": ("hulls", "street"),
    "outlier": ("hulls", "soft", "outlier"),
    "lift": ("soft", "lift"),
    "rbf": ("soft", "contour", "rbf"),
    "box": ("soft", "contour", "box"),
    "race": ("soft", "race"),
}
_MOST_HANDLES = 24  # or the Tab key stops too often


def scripts(kind: str) -> list[str]:
    """Return the files of the script that figures of a kind need, in the order of loading.

    >>> scripts("outlier")
    ['core.js', 'hulls.js', 'soft.js', 'outlier.js']
    """
    return [f"{part}.js" for part in ("core", *_PARTS.get(kind, (kind,)))]


class Explorable:
    """A figure that the reader can take hold of, with a still of the same data.

    Show it as the last expression of a cell. The functions of this module make them.

    Parameters
    ----------
    kind : str
        Which piece of the script draws it.
    name : str
        Letters, digits and hyphens, a letter first. The page's anchor: ``#name?…`` leads to a
        situation.
    data : dict
        What the script needs, in values that JSON knows.
    draw : callable (figure) -> None
        Draws the still into an empty matplotlib figure.
    alt : str
        The alternative text of the still: what it shows.
    figsize : (float, float)
        Width and height of the still in inches.

    Raises
    ------
    ValueError
        If the name has other characters, or begins with one that is no letter.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        data: dict[str, Any],
        draw: Callable[[Figure], None],
        alt: str,
        *,
        figsize: tuple[float, float],
    ) -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
            raise ValueError(
                f"name must be letters, digits and hyphens, a letter first, got {name!r}"
            )
        self.name = name
        self.alt = alt
        self.data = {"kind": kind, **data}
        self.width, self.height = (round(100 * side) for side in figsize)
        with mpl.rc_context():
            plotting.use_style()
            figure = Figure(figsize=figsize, dpi=150, layout="constrained")
            draw(figure)
            content = io.BytesIO()
            figure.savefig(content, format="png", metadata={"Software": None})
        self.still = base64.b64encode(content.getvalue()).decode("ascii")
        self.transcript = transcript(figure)

    def html(self, *, alive: bool = False) -> str:
        """Return the figure as HTML; alive means that it brings script and style along."""
        # Inside a script element only "</" could end the data.
        data = json.dumps(self.data, ensure_ascii=False).replace("</", "<\\/")
        page = (
            f'<div class="explorable" id="{self.name}">'
            f'<img class="still" width="{self.width}" height="{self.height}"'
            f' alt="{html.escape(self.alt)}" src="data:image/png;base64,{self.still}">'
            f'<script type="application/json">{data}</script></div>'
        )
        if alive:
            style, *script = (
                (_SCRIPTS / file).read_text(encoding="utf-8")
                for file in ("style.css", *scripts(self.data["kind"]))
            )
            page += f"<style>{style}</style><script>{''.join(script)}svmExplorable.scan();</script>"
        return page

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {
            "text/html": self.html(alive=_someone_is_there()),
            "image/png": self.still,
            "text/plain": f"Explorable {self.name}: {self.alt}\n{self.transcript}",
        }


def _someone_is_there() -> bool:
    """Tell whether a person runs this cell: their front end can be asked for input.

    When the book is built nobody can be asked, and the page brings the script itself.
    """
    if "IPython" not in sys.modules:
        return False
    kernel = getattr(sys.modules["IPython"].get_ipython(), "kernel", None)
    if kernel is None:
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin", False))


# What the figures share


def _plane(data: Dataset, margin: float = 0.15) -> dict[str, Any]:
    """Return samples, names, limits and the lattice on which samples are moved."""
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


def _nothing(classes: Sequence[str]) -> dict[str, Any]:
    """Return what `_plane` does for a figure without samples in a plane."""
    free = {"units": ["", ""], "step": [0.01, 0.01], "movable": []}
    return {"X": [], "y": [], "classes": list(classes), **free}


def _plain(text: str) -> str:
    """Return an axis label without TeX: "$x_1$" is "x₁"."""
    return re.sub(r"_(\d)", lambda found: "₀₁₂₃₄₅₆₇₈₉"[int(found[1])], text).replace("$", "")


def _step(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, about a hundredth of the size."""
    power = 10.0 ** np.floor(np.log10(size / 100))
    return float(f"{power * max(k for k in (1, 2, 5) if k * power <= size / 100 * 1.001):.6g}")


def _movable(data: Dataset, movable: Sequence[int] | None) -> list[int]:
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
        movable = range(n) if n <= _MOST_HANDLES else np.unique(np.r_[*near, holding]).tolist()
    if not movable or not all(0 <= i < n for i in movable):
        raise ValueError(f"movable must be rows of X, 0 to {n - 1}, got {list(movable)}")
    return [int(i) for i in movable]


def _round(C: float) -> float:
    """Return the nearest of Renard's round numbers, ten a decade."""
    decade, tenth = divmod(round(10 * np.log10(C)), 10)
    renard = ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")
    return float(f"{renard[tenth]}e{decade}")


def _counted_out(value: float, position: int, *, worth: int) -> str:
    return f"{value * worth:g}"


def _frame(ax: Axes, plane: dict[str, Any]) -> None:
    ax.set(xlim=plane["xlim"], ylim=plane["ylim"], aspect="equal")
    for axis, worth, name in zip((ax.xaxis, ax.yaxis), plane["worth"], plane["axes"], strict=True):
        if worth != 1:
            axis.set_major_formatter(FuncFormatter(partial(_counted_out, worth=worth)))
            axis.set_label_text(name)


def _draw_hulls(ax: Axes, data: Dataset, corners: Sequence[Array]) -> None:
    plotting.scatter(ax, data)
    for (colour, _), polygon in zip(plotting.class_styles(data), corners, strict=True):
        plotting.hull(ax, polygon, edgecolor=colour, facecolor=(colour, 0.1))


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


# The figures


def street(
    data: Dataset,
    angle: float,
    *,
    movable: Sequence[int] | None = None,
    name: str = "street",
) -> Explorable:
    """Turn a line by its handle; the street between the classes opens as far as it can.

    Parameters
    ----------
    data : Dataset
        Two features in units in which a length has a meaning.
    angle : float
        The direction of w at the start, in degrees.
    movable : sequence of int, optional
        The rows of X that can be dragged; of more than 24 those that hold the bridge of the
        hulls and the six of each class nearest to the other, unless given.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features, or a row does not exist.

    Notes
    -----
    Used in chapter 1, *Geometry*.
    """
    check_scalar(angle, "angle")
    plane = _plane(data, margin=0.05)
    bridge = hulls.closest_points(data.X, data.y)
    degrees = np.arange(0, 360, 0.25)
    sweep = np.radians(degrees)
    widths = np.array(
        [directional_margin(data.X, data.y, [np.cos(a), np.sin(a)]).width for a in sweep]
    )
    here = np.radians(angle)
    mine = directional_margin(data.X, data.y, [np.cos(here), np.sin(here)])
    # The peak is the length of the bridge: a corner, which no grid of angles hits.
    peak = bridge.distance if bridge.lower_bound > 0 else float(widths.max())

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
        plotting.scatter(left, data, s=14)
        _frame(left, plane)
        if mine.width > 0:
            plotting.margin(left, mine.midline, level=mine.width / 2)
        else:
            plotting.line(left, mine.midline)
        plotting.legend(left, columns=1)
        right.plot(degrees, widths)
        right.axhline(0, color=plotting.BLACK, linewidth=0.8)
        right.plot(angle % 360, mine.width, "o", color=plotting.BLACK)
        size = bridge.distance if bridge.lower_bound > 0 else float(np.abs(widths).min()) or 1
        best = degrees[widths.argmax()]
        right.set(xlim=(best - 90, best + 90), ylim=(-2 * size, 1.4 * size))
        right.set(xlabel="angle of $w$ (degrees)", ylabel="width of the street")

    opens = (
        f"the grey street along w at {angle:.1f} degrees is {mine.width:.3f} wide"
        if mine.width > 0
        else f"no street opens along w at {angle:.1f} degrees"
    )
    alt = (
        f"Left, samples of {plane['classes'][0]} and {plane['classes'][1]} with a line between "
        f"them; {opens}. Right, the width for every direction of w as a curve, with a dot at this "
        f"direction; the curve peaks at {peak:.3f}."
    )
    content = {**plane, "angle": float(angle), "movable": _movable(data, movable)}
    return Explorable("street", name, content, draw, alt, figsize=(5.4, 4.6))


def villages(
    data: Dataset, *, movable: Sequence[int] | None = None, name: str = "villages"
) -> Explorable:
    """Drag the samples; hulls, shortest bridge and gap follow, or a common point; or drag a bridge.

    The length of a bridge of one's own and the gap across it bound the distance from both sides.

    Parameters
    ----------
    data : Dataset
        Two features.
    movable : sequence of int, optional
        The rows of X that can be dragged; of more than 24 those that hold the bridge of the
        hulls and the six of each class nearest to the other, unless given.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features, or a row does not exist.

    Notes
    -----
    Used in chapter 2, *Convex hulls*.
    """
    plane = _plane(data, margin=0.3)
    bridge = hulls.closest_points(data.X, data.y)
    apart = bridge.lower_bound > 0
    corners = [_outline(data.X[data.y == label]) for label in (-1, 1)]

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        _draw_hulls(ax, data, corners)
        _frame(ax, plane)
        if apart:
            line = Hyperplane(bridge.w, bridge.b)
            plotting.margin(ax, line, level=bridge.distance**2 / 2)
            plotting.segments(ax, [bridge.p], [bridge.q], linestyles="-", linewidths=3)
        ax.plot(*bridge.p, "D" if apart else "*", color=plotting.BLACK, ms=6 if apart else 14)
        ax.plot(*bridge.q, "D", color=plotting.BLACK, ms=6 if apart else 0)
        plotting.legend(ax)

    counts = [_counted(int(np.sum(data.y == label)), "sample") for label in (-1, 1)]
    found = (
        f"The hulls are apart: a thick bridge of length {bridge.distance:.3f} joins their closest "
        "points, and the line halfway crosses it at a right angle in a grey band of that width."
        if apart
        else f"The hulls meet: a star marks the common point "
        f"({bridge.p[0]:.2f}, {bridge.p[1]:.2f}), and there is no line."
    )
    alt = (
        f"{counts[0]} of class {plane['classes'][0]} and {counts[1]} of class "
        f"{plane['classes'][1]} with the convex hulls of both classes. {found}"
    )
    content = {**plane, "movable": _movable(data, movable)}
    return Explorable("villages", name, content, draw, alt, figsize=(4.4, 4.6))


def _outline(points: Array) -> Array:
    hull = hulls.convex_hull(points)
    return np.asarray(points[hull.vertices])


def outlier(
    data: Dataset,
    C: float = 1.0,
    *,
    movable: Sequence[int] | None = None,
    name: str = "outlier",
) -> Explorable:
    """Drag an outlier, slide the price C of slack or the cap μ; see the path of all multipliers.

    Parameters
    ----------
    data : Dataset
        Two features.
    C : float
        The price at the start, from 1e-3 to 1e4; rounded to 1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3
        or 8 times a power of ten, where the slider stops.
    movable : sequence of int, optional
        The rows of X that can be dragged, the outlier first; the last row unless given.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features, a row does not exist, or C is out of range.

    Notes
    -----
    Used in chapter 6, *The hinge loss*.
    """
    if not 1e-3 <= check_scalar(C, "C", positive=True) <= 1e4:
        raise ValueError(f"C must be from 0.001 to 10000, got {C:.6g}")
    C = _round(C)
    rows = _movable(data, [len(data.y) - 1] if movable is None else movable)
    plane = _plane(data, margin=0.25)
    solution = solve_interior_point(DualProblem(data.X, data.y, C))
    w = (solution.alpha * data.y) @ data.X
    scores = data.X @ w + solution.b
    flat = bool(np.linalg.norm(w) < 1e-9)  # no line then: every point gets the same answer
    margins = data.y * scores
    slack = np.maximum(0, 1 - margins)
    needy = slack > 1e-7

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
        plotting.scatter(left, data)
        _frame(left, plane)
        if not flat:
            plotting.margin(left, Hyperplane(w, solution.b))
            feet = data.X + (slack * data.y)[:, np.newaxis] * w / (w @ w)
            for i in np.flatnonzero(needy):
                left.plot(*np.transpose([data.X[i], feet[i]]), color=plotting.BLACK)
        plotting.legend(left)
        right.plot((-9, 1, 1, 9), (1, 1, 0, 0), color="0.8", linewidth=6, zorder=0)
        for label, (colour, mark) in zip((-1, 1), plotting.class_styles(data), strict=True):
            mine = data.y == label
            right.scatter(margins[mine], solution.alpha[mine] / C, color=colour, marker=mark)
        right.set(xlim=(-1.5, 3.5), xlabel=r"margin $y\,f(x)$", ylabel=r"$\alpha/C$")

    found = (
        "no line, for w is zero"
        if flat
        else f"a line, its band of width {2 / np.linalg.norm(w):.2f}, and a segment to its edge "
        f"from each of the {needy.sum()} that need slack"
    )
    alt = (
        f"Left, {_counted(len(data.y), 'sample')} of two classes with the soft margin for C = "
        f"{C:g}: {found}. Right, the multiplier of each sample against "
        "its margin: all dots lie on a path along the top, down the wall at margin 1 and along "
        "the bottom."
    )
    content = {**plane, "C": float(C), "movable": rows}
    return Explorable("outlier", name, content, draw, alt, figsize=(5.4, 3.4))


def rbf(
    data: Dataset,
    hidden: Dataset,
    *,
    C: float = 10.0,
    sigma: float = 0.5,
    name: str = "rbf",
) -> Explorable:
    """Slide σ and C of an RBF machine, add samples; boundary, weights and errors follow.

    Parameters
    ----------
    data : Dataset
        The training samples, two features and at most 100 rows.
    hidden : Dataset
        Samples that the machine never sees; they are rounded to four decimals for the page.
    C : float
        The price at the start, from 0.1 to 1000; rounded as in `outlier`.
    sigma : float
        The width at the start, from 0.032 to 10; rounded in the same way.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features, are too many, or C or σ is out of range.

    Notes
    -----
    Used in chapter 5, *Kernels*.
    """
    if not 0.1 <= check_scalar(C, "C", positive=True) <= 1000:
        raise ValueError(f"C must be from 0.1 to 1000, got {C:.6g}")
    if not 0.032 <= check_scalar(sigma, "sigma", positive=True) <= 10:
        raise ValueError(f"sigma must be from 0.032 to 10, got {sigma:.6g}")
    if len(data.y) > 100:
        raise ValueError(f"data must have at most 100 rows, got {len(data.y)}")
    C = _round(C)
    sigma = _round(sigma)
    plane = _plane(data, margin=0.08)
    unseen = np.round(hidden.X, 4)
    problem = DualProblem(data.X, data.y, C, RBF.from_width(sigma))
    solution = solve_interior_point(problem)

    def decide(Z: Array) -> Array:
        return problem.decision_function(solution.alpha, solution.b, Z)

    wrong = [
        int(np.sum(np.where(decide(Z) >= 0, 1, -1) != y))
        for Z, y in ((data.X, data.y), (unseen, hidden.y))
    ]
    carry = solution.alpha > 0

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        plotting.scatter(ax, data)
        _frame(ax, plane)
        plotting.regions(ax, decide)
        plotting.rings(ax, data.X[carry], s=10 + 110 * solution.alpha[carry] / C)
        plotting.legend(ax)

    alt = (
        f"{len(data.y)} samples of two classes and the boundary of the RBF machine with σ = "
        f"{sigma:g} and C = {C:g}, its two sides tinted. {carry.sum()} samples carry weight and "
        f"are ringed, the larger the ring the more. {wrong[0]} samples are on the wrong side, and "
        f"{wrong[1] / len(hidden.y):.1%} of {len(hidden.y)} hidden ones."
    )
    content = {
        **plane,
        "movable": [],
        "C": C,
        "sigma": sigma,
        "hidden": {"X": unseen.tolist(), "y": [int(label) for label in hidden.y]},
    }
    return Explorable("rbf", name, content, draw, alt, figsize=(4.6, 4.6))


def smo(data: Dataset, *, movable: Sequence[int] | None = None, name: str = "smo") -> Explorable:
    """Choose two weights of opposite classes, see their parabola, race against the steepest pairs.

    Parameters
    ----------
    data : Dataset
        Two features and at most 26 samples.
    movable : sequence of int, optional
        The rows of X that can be dragged; of more than 24 those that hold the bridge of the
        hulls and the six of each class nearest to the other, unless given.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features or have too many rows, or a row does not exist.

    Notes
    -----
    Used in chapter 3, *SMO*. The steps are those of `svmlib.hull_smo.hull_smo`.
    """
    if len(data.y) > 26:
        raise ValueError(f"data must have at most 26 rows, got {len(data.y)}")
    plane = _plane(data, margin=0.15)
    p, q = (data.X[data.y == label].mean(axis=0) for label in (1, -1))

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        _draw_hulls(ax, data, [_outline(data.X[data.y == label]) for label in (-1, 1)])
        _frame(ax, plane)
        plotting.segments(ax, [p], [q], linestyles="-", linewidths=3)
        ax.plot(*np.transpose([p, q]), "D", color=plotting.BLACK)
        plotting.legend(ax)

    alt = (
        f"{_counted(len(data.y), 'sample')} of two classes with their convex hulls, before the "
        "first step: all weights of a class are equal, and a thick bridge of length "
        f"{np.linalg.norm(p - q):.3f} joins the two centroids."
    )
    content = {**plane, "movable": _movable(data, movable)}
    return Explorable("smo", name, content, draw, alt, figsize=(4.4, 4.6))


def prices(*, name: str = "prices") -> Explorable:
    """Slide a multiplier: the Lagrangian moves, and its minimum draws the dual function.

    Where z is allowed the Lagrangian is under F.

    Two problems to choose from: ½z² subject to z ≥ 1, and the two wells (z² − 1)² + z/2 subject to
    z ≥ 0, where a gap stays.

    Parameters
    ----------
    name : str
        The figure's anchor on the page.

    Notes
    -----
    Used in chapter 4, *Lagrange duality*.
    """
    z, alpha = np.linspace(-1.7, 2.4, 165), np.linspace(0, 2.2, 111)
    price = 0.4
    theta = price - price**2 / 2

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(z, z**2 / 2, color="0.7")
        left.plot(z[z >= 1], z[z >= 1] ** 2 / 2, color=plotting.BLACK, linewidth=3)
        left.plot(z, z**2 / 2 + price * (1 - z), "--", color=plotting.BLACK)
        left.plot(price, theta, "o", color=plotting.BLACK)
        left.set(xlabel="$z$", ylabel="$F$ and $L$", ylim=(-1.7, 3.5))
        right.plot(alpha, alpha - alpha**2 / 2, color=plotting.BLACK)
        right.plot(price, theta, "o", color=plotting.BLACK)
        right.axhline(0.5, color=plotting.BLACK, linewidth=0.8)
        right.set(xlabel=r"price $\alpha$", ylabel=r"$\theta(\alpha)$", ylim=(-1.7, 1.2))

    alt = (
        "Left, the parabola F, thick where z is at least 1, and below it there the dashed "
        f"Lagrangian for the price {price}, with a dot at its lowest point, at height {theta:.2f}. "
        "Right, the lowest value of the Lagrangian against the price: a concave curve that "
        "touches the level of the optimum, one half, at the price 1."
    )
    content = _nothing(["−1", "+1"])
    return Explorable("prices", name, content, draw, alt, figsize=(5.4, 3.2))


def forces(data: Dataset, *, name: str = "forces") -> Explorable:
    """Turn a plank in the gap: the samples that it touches press on it, and turn it back.

    At rest sample i presses with its multiplier α_i: the force −α_i y_i w/‖w‖ acts at x_i. The
    forces cancel, and so do their torques. Along another direction w the two samples that a plank
    of width τ_w touches press with 2/τ_w² each, the multipliers of the best plank of that
    direction. Their torque has the sign of the derivative of τ_w by the angle of w.

    Parameters
    ----------
    data : Dataset
        Two features, at most 26 samples; the classes apart at the start.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features or are too many, or no line separates the classes.

    Notes
    -----
    Used in chapter 4, *Lagrange duality*.
    """
    if len(data.y) > 26:
        raise ValueError(f"data must have at most 26 rows, got {len(data.y)}")
    plane = _plane(data, margin=0.45)
    bridge = hulls.closest_points(data.X, data.y)
    if not bridge.lower_bound > 0:
        raise ValueError("data must be separable by a line, but the hulls of the classes meet")
    alpha = 2 * bridge.weights / bridge.distance**2
    unit = bridge.w / np.linalg.norm(bridge.w)
    pressing = np.flatnonzero(alpha > 1e-9 * alpha.max())
    letters = [chr(ord("A") + int(i)) for i in range(len(data.y))]

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        plotting.scatter(ax, data, s=60)
        _frame(ax, plane)
        plotting.margin(ax, Hyperplane(bridge.w, bridge.b), level=bridge.distance**2 / 2)
        reach = 0.4 * (plane["xlim"][1] - plane["xlim"][0]) / alpha.sum()
        for i in pressing:
            push = -reach * data.y[i] * alpha[i] * unit
            plotting.arrow(ax, data.X[i] - push, push)
        for x, letter in zip(data.X, letters, strict=True):
            plotting.note(ax, x, letter, offset=(-16, 6))
        plotting.legend(ax)

    pushes = ", ".join(f"{alpha[i]:.3f} at {letters[i]}" for i in pressing)
    alt = (
        f"{_counted(len(data.y), 'sample')} of two classes and, as wide as the gap between them, a "
        f"grey plank of width {bridge.distance:.3f}. Arrows at right angles press on its edges, as "
        f"strong as the multipliers: {pushes}."
    )
    content = {**plane, "movable": _movable(data, None)}
    return Explorable("forces", name, content, draw, alt, figsize=(4.4, 4.4))


def box(
    data: Dataset, C: float = 1.0, *, pair: tuple[int, int] = (1, 0), name: str = "box"
) -> Explorable:
    """Two multipliers on their line in the box, under the level curves of the dual; then step on.

    Parameters
    ----------
    data : Dataset
        Two features, at most 12 samples; all can be dragged, and their labels flipped.
    C : float
        The side of the box at the start, from 0.1 to 10; rounded as in `outlier`.
    pair : (int, int)
        The rows whose signed multipliers go up and down at the start.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features or are too many, or C or the pair is out of range.

    Notes
    -----
    Used in chapter 7, *The full SMO*. The steps are those of `svmlib.smo.smo`.
    """
    if not 0.1 <= check_scalar(C, "C", positive=True) <= 10:
        raise ValueError(f"C must be from 0.1 to 10, got {C:.6g}")
    n = len(data.y)
    if n > 12:
        raise ValueError(f"data must have at most 12 rows, got {n}")
    if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= k < n for k in pair):
        raise ValueError(f"pair must be two different rows of X, 0 to {n - 1}, got {pair}")
    plane = _plane(data, margin=0.2)
    names = [plane["classes"][int(data.y[k] > 0)] for k in pair]

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        plotting.scatter(left, data, s=60)
        _frame(left, plane)
        for k, point in enumerate(data.X):
            plotting.note(left, point, str(k + 1))
        plotting.legend(left)
        right.plot((0, 1, 1, 0, 0), (0, 0, 1, 1, 0), color=plotting.BLACK)
        end = 1 if names[0] != names[1] else 0
        right.plot((0, end), (0, end), color=plotting.BLUE, linewidth=3)
        right.plot(0, 0, "o", color=plotting.BLACK)
        right.set(aspect="equal", xticks=(0, 1), yticks=(0, 1))
        right.set(xticklabels=("0", "$C$"), yticklabels=("0", "$C$"))
        right.set(xlabel=rf"$\alpha_{{{pair[0] + 1}}}$", ylabel=rf"$\alpha_{{{pair[1] + 1}}}$")

    line = "the rising diagonal" if names[0] != names[1] else "the corner at 0 alone"
    alt = (
        f"Left, {_counted(n, 'numbered sample')} of two classes. Right, the box of the "
        f"multipliers of samples {pair[0] + 1} and {pair[1] + 1}, labels {names[0]} and "
        f"{names[1]}: from 0 both can move along {line}."
    )
    content = {
        **plane,
        "C": _round(C),
        "pair": list(pair),
        "movable": list(range(n)),
    }
    return Explorable("box", name, content, draw, alt, figsize=(5.4, 3.2))


def units(data: Dataset, worth: float, *, name: str = "units") -> Explorable:
    """Slide what one unit across is worth upwards: the optimal line turns. Draw it to that scale.

    Parameters
    ----------
    data : Dataset
        Two features with different units, two classes that a line separates.
    worth : float
        How many units upwards one unit across counts as, at the start.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features or one is constant, or no line separates the
        classes, or the worth is not positive or more than a factor of 40 away from the ratio of
        the standard deviations.

    Notes
    -----
    Used in chapter 2, *Convex hulls*.
    """
    plane = _plane(data, margin=0.06)
    across, upwards = data.X.std(axis=0)
    if not (across > 0 and upwards > 0):
        raise ValueError("data must vary in both features, or no unit can be worth another")
    middle = float(np.log10(upwards / across))
    log = float(np.log10(check_scalar(worth, "worth", positive=True)))
    if not abs(log - middle) <= 1.6:
        raise ValueError(
            f"worth must be from {10 ** (middle - 1.6):.3g} to {10 ** (middle + 1.6):.3g}, "
            f"got {worth:.6g}"
        )
    scaled = data.in_units((1, worth), data.units)
    bridge = hulls.closest_points(scaled.X, data.y)
    if not bridge.lower_bound > 0:
        raise ValueError("data must be separable by a line, but the hulls of the classes meet")
    line = Hyperplane(bridge.w / (1, worth), bridge.b)
    ends = np.array([bridge.p, bridge.q]) * (1, worth)

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        _draw_hulls(ax, data, [_outline(data.X[data.y == label]) for label in (-1, 1)])
        ax.set(xlim=plane["xlim"], ylim=plane["ylim"])
        plotting.line(ax, line)
        plotting.segments(ax, ends[:1], ends[1:], linestyles="-", linewidths=3)
        plotting.legend(ax)

    unit, other = data.units
    sloped = (
        f"it has slope {-line.w[0] / line.w[1]:.1f} {other} per {unit}"
        if line.w[1]
        else "it is upright"
    )
    alt = (
        f"{plane['classes'][0]} and {plane['classes'][1]} with their hulls and the optimal line if "
        f"1 {unit} counts as {worth:g} {other}: {sloped}. A thick bridge "
        "joins the closest points of the hulls."
    )
    content = {
        **plane,
        "range": [round(middle - 1.6, 2), round(middle + 1.6, 2)],
        "log": round(log, 4),
        "movable": [],
    }
    return Explorable("units", name, content, draw, alt, figsize=(4.6, 4.4))


def lift(data: Dataset, *, name: str = "lift") -> Explorable:
    """Raise the floor into the bowl z = ‖x‖² and cut it: the cut stands over a circle.

    The plane z = 2c·x + r² − ‖c‖² meets the bowl over the circle of radius r around c, and is above
    the bowl inside it. Level at the start, it slants as the centre is moved.

    Parameters
    ----------
    data : Dataset
        Two features, one class around the origin.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features.

    Notes
    -----
    Used in chapter 5, *Kernels*.
    """
    plane = _plane(data)
    squares = (data.X**2).sum(axis=1)
    height = float(squares.max() / 4)

    def draw(figure: Figure) -> None:
        ax = figure.add_subplot(projection="3d")
        for label, (colour, mark) in zip((-1, 1), plotting.class_styles(data), strict=True):
            mine = data.y == label
            ax.scatter(*data.X[mine].T, squares[mine], color=colour, marker=mark)
        turn = np.linspace(0, 2 * np.pi, 73)
        circle = np.sqrt(height) * np.array([np.cos(turn), np.sin(turn)])
        for level in (0.0, height):
            ax.plot(*circle, level, color=plotting.BLACK)
        ax.set(xlabel="$x_1$", ylabel="$x_2$", zlabel=r"$\|x\|^2$")

    alt = (
        f"{_counted(len(data.y), 'sample')} lifted to the bowl of height x₁² + x₂². A level circle "
        f"marks the cut at height {height:.2f}, and the circle of radius {np.sqrt(height):.2f} "
        "below it on the floor is its shadow: one class is inside, the other outside."
    )
    return Explorable("lift", name, {**plane, "movable": []}, draw, alt, figsize=(4.6, 4.2))


def threshold(
    f: ArrayLike,
    y: ArrayLike,
    *,
    miss: float = 10.0,
    shift: float = 0.0,
    names: tuple[str, str] = ("other", "rare"),
    name: str = "threshold",
) -> Explorable:
    """Drag the threshold along two rows of hidden decision values, slide the price of a miss.

    Parameters
    ----------
    f : array_like of shape (n,)
        Decision values of samples that the machine has not seen; rounded to four decimals.
    y : array_like of shape (n,)
        Their labels; who is above 0 should be found.
    miss : float
        What a miss costs at the start, in false alarms, from 1 to 100; rounded as in `outlier`.
    shift : float
        What makes f + shift the logarithm of the odds, to read the threshold as a probability.
    names : (str, str)
        What the others are called, and those to be found.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If f and y differ in length, only one class is there, or the price is out of range.

    Notes
    -----
    Used in chapter 8, *Practice*.
    """
    f, positive = np.round(check_vector(f, "f"), 4), np.asarray(y) > 0
    if f.shape != positive.shape or len(set(positive)) < 2:
        raise ValueError("y must have a label for each value of f, and both classes")
    if not 1 <= check_scalar(miss, "miss", positive=True) <= 100:
        raise ValueError(f"miss must be from 1 to 100, got {miss:.6g}")
    miss, other, rare = _round(miss), *names
    steps = np.append(np.unique(f), np.inf)
    costs = [miss * np.sum(positive & (f < t)) + np.sum(~positive & (f >= t)) for t in steps]

    def draw(figure: Figure) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        rows = ((~positive, 0, plotting.NEGATIVE, "o"), (positive, 1, plotting.POSITIVE, "^"))
        for mine, row, colour, mark in rows:
            order = np.sort(f[mine])
            lift = 0.6 * (np.arange(order.size) * 0.618 % 1)  # so that dots do not hide dots
            above.plot(order, row + lift, mark, color=colour, ms=3, alpha=0.6)
        above.set(yticks=(0.3, 1.3), yticklabels=names, ylim=(-0.1, 1.8))
        below.step(np.r_[steps[:-1], steps[-2] + 0.3], costs, where="pre")
        below.plot(steps[np.argmin(costs)], min(costs), "o", color=plotting.BLACK, mfc="none", ms=9)
        below.set(xlabel="decision value $f(x)$", ylabel="cost", ylim=(0, None))
        for ax in (above, below):
            ax.axvline(0, color=plotting.BLACK)

    found, alarms = (int(np.sum(f[mine] >= 0)) for mine in (positive, ~positive))
    alt = (
        f"Two rows of dots, the decision values of {positive.sum()} {rare} and, below, of "
        f"{np.sum(~positive)} {other}, cut by an upright line at 0: {found} of the {rare} and "
        f"{alarms} of the {other} are to the right of it. Below, the cost of every threshold if a "
        f"miss costs {miss:g} false alarms: from {costs[0]:g}, where all are called, it falls to "
        f"{min(costs):g} and rises to {costs[-1]:g}, where nobody is."
    )
    content = {
        **_nothing([other, rare]),
        "f": f.tolist(),
        "labels": positive.astype(int).tolist(),
        "t": 0,
        "miss": miss,
        "shift": round(check_scalar(shift, "shift"), 4),
    }
    return Explorable("threshold", name, content, draw, alt, figsize=(5.0, 4.4))


def race(data: Dataset, C: float = 100.0, *, gamma: float = 0.5, name: str = "race") -> Explorable:
    """Let SMO and Newton's method race, by multiplications; slide C; see the ramps of the stage.

    Counted are d for a value of K, which is kept, 2n for a step of SMO, and m³/6 + nm for a Newton
    step on m free samples.

    Parameters
    ----------
    data : Dataset
        Two features and at most 100 rows.
    C : float
        The price at the start, from 1 to 1000; rounded as in `outlier`.
    gamma : float
        Of the RBF kernel.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the data do not have two features, are too many, or C is out of range.

    Notes
    -----
    Used in chapter 11, *Newton's method*. The steps are those of `svmlib.smo.steps` and of the
    chapter's loop.
    """
    if not 1 <= check_scalar(C, "C", positive=True) <= 1000:
        raise ValueError(f"C must be from 1 to 1000, got {C:.6g}")
    if len(data.y) > 100:
        raise ValueError(f"data must have at most 100 rows, got {len(data.y)}")
    C, n, plane = _round(C), len(data.y), _plane(data)
    problem = DualProblem(data.X, data.y, C, RBF(gamma))

    def reached(solve: Callable[..., Solution], steps: int) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return solve(problem, tol=1e-6, max_iter=int(steps)).certificate.relative_gap

    pairs, systems = (solve(problem, tol=1e-6, trace=True).trace for solve in (run_smo, newton))
    some = np.unique(np.geomspace(1, len(pairs), 40).astype(int))
    asked = [len({i for step in pairs[:k] for i in step[:2]}) for k in some]
    free = np.array([step.free for step in systems])
    work = {
        "SMO": (2 * n * (np.array(asked) + some), [reached(run_smo, k) for k in some]),
        "Newton": (
            2 * n**2 + np.cumsum(free**3 / 6 + n * free),
            [reached(newton, k + 1) for k in range(len(systems))],
        ),
    }

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        styles = ((plotting.NEGATIVE, "--"), (plotting.POSITIVE, "-"))
        for (who, (cost, gaps)), (colour, dash) in zip(work.items(), styles, strict=True):
            best = np.minimum.accumulate(gaps)  # the way there hangs on the last digits
            ax.loglog(cost, best, dash, color=colour, label=who, gid="varies")
        ax.set(xlabel="multiplications", ylabel="gap that is left", ylim=(1e-7, 2))
        plotting.legend(ax)

    alt = (
        f"The gap that is left against multiplications, both on logarithmic axes, for C = {C:g}. "
        "SMO comes down slowly and takes more than "
        f"{10 ** int(np.log10(len(pairs)))} steps to a millionth; Newton's method begins later and "
        "falls steeply."
    )
    content = {**plane, "movable": [], "C": C, "gamma": check_scalar(gamma, "gamma", positive=True)}
    return Explorable("race", name, content, draw, alt, figsize=(4.6, 4.0))


def winner(searches: Sequence[Any], *, name: str = "winner") -> Explorable:
    """Cut the folds anew: the winner of the search hops over the map of C and gamma.

    Outlined are the candidates within one standard error of the winner; the simplest of them has
    the smallest gamma, and then the smallest C.

    Parameters
    ----------
    searches : sequence of GridSearchCV
        Fitted with ``return_train_score=True`` over the same C and gamma, each with other folds.
    name : str
        The figure's anchor on the page.

    Raises
    ------
    ValueError
        If the searches differ in their candidates, or these are not a full grid of C and gamma.

    Notes
    -----
    Used in chapter 8, *Practice*.
    """
    grids: list[list[tuple[float, float]]] = []
    cuts: list[dict[str, Any]] = []
    for search in searches:
        results = search.cv_results_
        values = [
            {key.rpartition("__")[2]: float(value) for key, value in params.items()}
            for params in results["params"]
        ]
        if any(each.keys() != {"C", "gamma"} for each in values):
            raise ValueError("searches must have the candidates C and gamma")
        order = sorted(range(len(values)), key=lambda k: (values[k]["gamma"], values[k]["C"]))
        grids.append([(values[k]["gamma"], values[k]["C"]) for k in order])
        folds = np.array([results[f"split{k}_test_score"] for k in range(search.n_splits_)])
        folds, seen = folds[:, order], results["mean_train_score"][order]
        mean, best = folds.mean(axis=0), order.index(int(results["mean_test_score"].argmax()))
        error = folds[:, best].std(ddof=1) / np.sqrt(len(folds))
        good = np.flatnonzero(mean >= mean[best] - error)  # the first of them is the simplest
        cuts.append({"best": best, "good": good.tolist(), "plain": int(good[0])})
        for key, scores in {"hidden": mean, "seen": seen, "error": error}.items():
            cuts[-1][key] = np.rint(1000 * scores).astype(int).tolist()
    gammas, prices = (sorted(set(column)) for column in zip(*grids[0], strict=True))
    if any(grid != [(g, C) for g in gammas for C in prices] for grid in grids):
        raise ValueError("searches must have the same candidates, a full grid of C and gamma")

    def where(cell: int) -> str:
        return f"C = {grids[0][cell][1]:g} and gamma = {grids[0][cell][0]:g}"

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        shown = np.reshape(cuts[0]["hidden"], (len(gammas), len(prices))) / 10
        ax.pcolormesh(shown, cmap="Blues", vmin=shown.min(), vmax=2 * shown.max() - shown.min())
        for row, column in np.ndindex(shown.shape):
            text = f"{shown[row, column]:.1f}"
            ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", size=9)
        for cut in cuts:
            row, column = divmod(cut["best"], len(prices))
            ax.plot(column + 0.2, row + 0.2, "D", color=plotting.BLACK, ms=4)
        ax.set_xticks(np.arange(len(prices)) + 0.5, [f"{C:g}" for C in prices])
        ax.set_yticks(np.arange(len(gammas)) + 0.5, [f"{g:g}" for g in gammas])
        ax.set(xlabel="$C$", ylabel="gamma")

    winners = len({cut["best"] for cut in cuts})
    alt = (
        f"A map of {len(gammas)} rows of gamma and {len(prices)} columns of C, in each cell the "
        f"per cent of hidden samples that are right in the first cut of the folds; the best has "
        f"{where(cuts[0]['best'])}. Diamonds mark the winners of {len(cuts)} cuts, "
        f"{_counted(winners, 'different machine')}."
    )
    content = {**_nothing(["seen", "hidden"]), "C": prices, "gamma": gammas, "cuts": cuts}
    return Explorable("winner", name, content, draw, alt, figsize=(4.8, 4.4))
