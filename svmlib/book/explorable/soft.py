"""Figures on machines with a price and a kernel: chapters 5, 6, 8 and 12."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning

from svmlib._arrays import Array
from svmlib._validation import check_scalar
from svmlib.book import plotting
from svmlib.book.explorable.figure import Explorable
from svmlib.book.explorable.plane import counted, frame, in_plane, movable_rows, round_number
from svmlib.datasets import Dataset
from svmlib.geometry import Hyperplane
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF
from svmlib.problem import DualProblem
from svmlib.smo import smo


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
    plane = in_plane(data)
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
        ax.set(xlabel="$x_1$", ylabel="$x_2$", zlabel=r"$\|x\|^2$", zticks=[0, 0.5, 1])
        ax.zaxis.labelpad = 0
        ax.set_box_aspect(None, zoom=0.88)  # else the label is cut off

    wrong = int(np.sum((squares > height) == (data.y > 0)))
    alt = (
        f"{counted(len(data.y), 'sample')} lifted to the bowl of height x₁² + x₂². A level circle "
        f"marks the cut at height {height:.2f}, and the circle of radius {np.sqrt(height):.2f} "
        f"below it on the floor is its projection: {counted(wrong, 'sample')} on its wrong side."
    )
    return Explorable("lift", name, {**plane, "movable": []}, draw, alt, figsize=(4.6, 4.2))


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
    C, sigma = round_number(C, "C", 0.1, 1000), round_number(sigma, "sigma", 0.032, 10)
    plane = in_plane(data, margin=0.08, most=100)
    unseen = np.round(hidden.X, 4)
    problem = DualProblem(data.X, data.y, C, RBF.from_width(sigma))
    solution = interior_point(problem)

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
        frame(ax, plane)
        plotting.regions(ax, decide)
        plotting.rings(ax, data.X[carry], s=10 + 110 * solution.alpha[carry] / C)
        plotting.legend(ax)

    alt = (
        f"{len(data.y)} samples of two classes and the boundary of the RBF machine with σ = "
        f"{sigma:g} and C = {C:g}, its two sides tinted. {carry.sum()} samples have positive "
        f"multipliers and are ringed, the larger the ring the more. {wrong[0]} samples are on the "
        f"wrong side, and {wrong[1] / len(hidden.y):.1%} of {len(hidden.y)} hidden ones."
    )
    content = {
        **plane,
        "movable": [],
        "C": C,
        "sigma": sigma,
        "hidden": {"X": unseen.tolist(), "y": [int(label) for label in hidden.y]},
    }
    return Explorable("rbf", name, content, draw, alt, figsize=(4.6, 4.6))


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
    Used in chapter 6, *The soft margin*.
    """
    C = round_number(C, "C", 1e-3, 1e4)
    rows = movable_rows(data, [len(data.y) - 1] if movable is None else movable)
    plane = in_plane(data, margin=0.25)
    solution = interior_point(DualProblem(data.X, data.y, C))
    w = (solution.alpha * data.y) @ data.X
    scores = data.X @ w + solution.b
    flat = bool(np.linalg.norm(w) < 1e-9)  # no line then: every point gets the same answer
    margins = data.y * scores
    slack = np.maximum(0, 1 - margins)
    needy = slack > 1e-7

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
        plotting.scatter(left, data)
        frame(left, plane)
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
        "no line, because w is zero"
        if flat
        else f"a line, its band of width {2 / np.linalg.norm(w):.2f}, and a segment to its edge "
        f"from each of the {needy.sum()} that need slack"
    )
    alt = (
        f"Left, {counted(len(data.y), 'sample')} of two classes with the soft margin for C = "
        f"{C:g}: {found}. Right, the multiplier of each sample against "
        "its margin: all dots lie on a path along the top, down the wall at margin 1 and along "
        "the bottom."
    )
    content = {**plane, "C": C, "movable": rows}
    return Explorable("outlier", name, content, draw, alt, figsize=(5.4, 3.4))


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
    Used in chapter 8, *The full SMO*. The steps are those of `svmlib.smo.smo`.
    """
    C, n, plane = round_number(C, "C", 0.1, 10), len(data.y), in_plane(data, margin=0.2, most=12)
    if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= k < n for k in pair):
        raise ValueError(f"pair must be two different rows of X, 0 to {n - 1}, got {pair}")
    names = [plane["classes"][int(data.y[k] > 0)] for k in pair]

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        plotting.scatter(left, data, s=60)
        frame(left, plane)
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
        f"Left, {counted(n, 'numbered sample')} of two classes. Right, the box of the "
        f"multipliers of samples {pair[0] + 1} and {pair[1] + 1}, labels {names[0]} and "
        f"{names[1]}: from 0 both can move along {line}."
    )
    content = {**plane, "C": C, "pair": list(pair), "movable": list(range(n))}
    return Explorable("box", name, content, draw, alt, figsize=(5.4, 3.2))


def _newton_run(
    problem: DualProblem, C: float, tol: float, most: int = 200
) -> list[tuple[int, int, float]]:
    """Return for each step of chapter 12's loop: the free samples, the changed ones, then the gap.

    `svmlib.newton` ends stages early and, near the end, drops the smoothing; the chapter's loop and
    the figure's script do neither. Here h is at least 1e-6; the chapter repeats spoilt stages.
    """
    K, y, lo, hi = problem.gram_matrix.to_array(), problem.y, problem.beta_min, problem.beta_max
    beta = c = np.zeros(problem.n)
    b, h, run = 0.0, 2 / C, list[tuple[int, int, float]]()

    def multipliers(s: Array) -> Array:
        return np.clip(c + (y - s) / h, lo, hi)

    while len(run) < most:
        s = K @ beta + b
        q = multipliers(s)
        if not ((lo < q) & (q < hi)).any():  # none is on the ramp: move b alone
            move = _bias_step(multipliers, s, float(np.abs(y - s).max()) + h * C, 1e-9 * C)
            b, s = b + move, s + move
            q = multipliers(s)
        free = (lo < q) & (q < hi)
        m, p, new_b = int(free.sum()), np.where(free, 0.0, q), b
        if m:
            system = np.ones((m + 1, m + 1))
            system[:m, :m] = K[np.ix_(free, free)] + h * np.eye(m)
            system[m, m] = 0
            solved = np.linalg.solve(system, np.append((s + h * q - K @ p)[free], -p.sum()))
            p[free], new_b = solved[:m], float(solved[m])
        d, ds = p - beta, K @ p + new_b - s
        length = 0.0  # unless the step is longer than rounding
        if np.abs(multipliers(s + ds) - p).max() > 1e-6 * C:
            length = _lowest(partial(_slope, multipliers, K, beta, d, s, ds))
        t = length or 1.0
        beta, b = beta + t * d, b + t * (new_b - b)
        q = multipliers(s + t * ds)
        gap = problem.certificate(np.abs(q), b).relative_gap
        run.append((m, int(np.count_nonzero(d)), gap))
        if not length:  # the end of a stage
            if gap <= tol:
                break
            beta, c, h = q, q, max(h / 10, 1e-6)
    return run


def _bias_step(multipliers: Callable[[Array], Array], s: Array, far: float, small: float) -> float:
    """Return how far to move b alone: to the middle of where the multipliers sum to zero."""

    def excess(t: float, total: float) -> float:
        return float(multipliers(s + t).sum()) - total

    return float(sum(brentq(excess, -far, far, args=(total,)) for total in (small, -small))) / 2


def _slope(
    multipliers: Callable[[Array], Array],
    K: Array,
    beta: Array,
    d: Array,
    s: Array,
    ds: Array,
    t: float,
) -> float:
    """Return the slope of a stage's objective at β + td, where the scores are s + t ds."""
    return float(K @ d @ (beta + t * d) - multipliers(s + t * ds) @ ds)


def _lowest(slope: Callable[[float], float]) -> float:
    """Return where a rising slope becomes zero; 0 if it is not negative there."""
    if slope(0.0) >= 0:
        return 0.0  # only rounding is left
    end = 1.0
    while slope(end) < 0 and end < 1e9:
        end *= 2
    return float(brentq(slope, 0, end)) if slope(end) > 0 else end


def race(data: Dataset, C: float = 100.0, *, gamma: float = 0.5, name: str = "race") -> Explorable:
    """Let SMO and Newton's method race, by multiplications; slide C; see the ramps of the stage.

    Counted are d for a value of K, which is kept, 2n for a step of SMO, and m³/6 for a Newton step
    on m free samples, plus n for each multiplier that it changes.

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
    Used in chapter 12, *Newton's method*. The steps are those of `svmlib.smo.steps` and of the
    chapter's loop.
    """
    C, n, plane = round_number(C, "C", 1, 1000), len(data.y), in_plane(data, most=100)
    problem = DualProblem(data.X, data.y, C, RBF(gamma))

    def reached(steps: int) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return smo(problem, tol=1e-6, max_iter=int(steps)).certificate.relative_gap

    pairs = smo(problem, tol=1e-6, trace=True).trace
    some = np.unique(np.geomspace(1, len(pairs), 40).astype(int))
    asked = [len({i for step in pairs[:k] for i in step[:2]}) for k in some]
    free, changed, gaps = np.transpose(_newton_run(problem, C, 1e-6))
    work = {
        "SMO": (2 * n * (np.array(asked) + some), [reached(k) for k in some]),
        "Newton": (2 * n**2 + np.cumsum(free**3 / 6 + n * changed), gaps),
    }

    def draw(figure: Figure) -> None:
        ax = figure.subplots()
        styles = ((plotting.NEGATIVE, "--"), (plotting.POSITIVE, "-"))
        for (who, (cost, gaps)), (colour, dash) in zip(work.items(), styles, strict=True):
            best = np.minimum.accumulate(gaps)  # the way there hangs on the last digits
            ax.loglog(cost, best, dash, color=colour, label=who, gid="varies")
        ax.set(xlabel="multiplications", ylabel="relative duality gap", ylim=(1e-7, 2))
        plotting.legend(ax)

    alt = (
        f"The relative duality gap against multiplications, on logarithmic axes, for C = {C:g}. "
        "SMO comes down slowly and takes more than "
        f"{10 ** int(np.log10(len(pairs)))} steps to a millionth; Newton's method begins later and "
        "falls steeply."
    )
    content = {**plane, "movable": [], "C": C, "gamma": check_scalar(gamma, "gamma", positive=True)}
    return Explorable("race", name, content, draw, alt, figsize=(4.6, 4.0))
