"""Figures on two classes and the gap between them: chapters 1 to 4."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from svmlib import hulls
from svmlib._validation import check_scalar
from svmlib.book import plotting
from svmlib.book.explorable.figure import Explorable
from svmlib.book.explorable.plane import (
    bridge_across,
    counted,
    draw_bridge,
    draw_hulls,
    frame,
    in_plane,
    movable_rows,
    no_samples,
)
from svmlib.datasets import Dataset
from svmlib.geometry import Hyperplane, directional_margin


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
    plane = in_plane(data, margin=0.05)
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
        frame(left, plane)
        if mine.width > 0:
            plotting.margin(left, mine.hyperplane, level=mine.width / 2)
        else:
            plotting.line(left, mine.hyperplane)
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
    content = {**plane, "angle": float(angle), "movable": movable_rows(data, movable)}
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
        The rows of X that can be dragged, as in `street`.
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
    plane = in_plane(data, margin=0.3)
    bridge = hulls.closest_points(data.X, data.y)
    apart = bridge.lower_bound > 0

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        draw_hulls(ax, data)
        frame(ax, plane)
        if apart:
            line = Hyperplane(bridge.w, bridge.b)
            plotting.margin(ax, line, level=bridge.distance**2 / 2)
            draw_bridge(ax, bridge.p, bridge.q)
        ax.plot(*bridge.p, "D" if apart else "*", color=plotting.BLACK, ms=6 if apart else 14)
        ax.plot(*bridge.q, "D", color=plotting.BLACK, ms=6 if apart else 0)
        plotting.legend(ax)

    counts = [counted(int(np.sum(data.y == label)), "sample") for label in (-1, 1)]
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
    content = {**plane, "movable": movable_rows(data, movable)}
    return Explorable("villages", name, content, draw, alt, figsize=(4.4, 4.6))


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
    plane = in_plane(data, margin=0.06)
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
    bridge = bridge_across(scaled.X, data.y)
    line = Hyperplane(bridge.w / (1, worth), bridge.b)
    ends = np.array([bridge.p, bridge.q]) * (1, worth)

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        draw_hulls(ax, data)
        ax.set(xlim=plane["xlim"], ylim=plane["ylim"])
        plotting.line(ax, line)
        draw_bridge(ax, *ends)
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


def smo(data: Dataset, *, movable: Sequence[int] | None = None, name: str = "smo") -> Explorable:
    """Choose two weights of opposite classes, see their parabola, race against the steepest pairs.

    Parameters
    ----------
    data : Dataset
        Two features and at most 26 samples.
    movable : sequence of int, optional
        The rows of X that can be dragged, as in `street`.
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
    plane = in_plane(data, most=26)
    p, q = (data.X[data.y == label].mean(axis=0) for label in (1, -1))

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        draw_hulls(ax, data)
        frame(ax, plane)
        draw_bridge(ax, p, q)
        ax.plot(*np.transpose([p, q]), "D", color=plotting.BLACK)
        plotting.legend(ax)

    alt = (
        f"{counted(len(data.y), 'sample')} of two classes with their convex hulls, before the "
        "first step: all weights of a class are equal, and a thick bridge of length "
        f"{np.linalg.norm(p - q):.3f} joins the averages of the classes."
    )
    content = {**plane, "movable": movable_rows(data, movable)}
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
    content = no_samples(["−1", "+1"])
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
    plane = in_plane(data, margin=0.45, most=26)
    bridge = bridge_across(data.X, data.y)
    alpha = 2 * bridge.weights / bridge.distance**2
    unit = bridge.w / np.linalg.norm(bridge.w)
    pressing = np.flatnonzero(alpha > 1e-9 * alpha.max())
    letters = [chr(ord("A") + int(i)) for i in range(len(data.y))]

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        plotting.scatter(ax, data, s=60)
        frame(ax, plane)
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
        f"{counted(len(data.y), 'sample')} of two classes and, as wide as the gap between them, a "
        f"grey plank of width {bridge.distance:.3f}. Arrows at right angles press on its edges, as "
        f"strong as the multipliers: {pushes}."
    )
    content = {**plane, "movable": movable_rows(data, None)}
    return Explorable("forces", name, content, draw, alt, figsize=(4.4, 4.4))
