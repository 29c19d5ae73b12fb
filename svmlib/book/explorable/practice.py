"""Figures on what to do with a machine: chapter 9."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from svmlib._validation import check_scalar, check_vector
from svmlib.book import plotting
from svmlib.book.explorable.figure import Explorable
from svmlib.book.explorable.plane import counted, no_samples, round_number


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
    Used in chapter 9, *Practice*.
    """
    f, positive = np.round(check_vector(f, "f"), 4), np.asarray(y) > 0
    if f.shape != positive.shape or len(set(positive)) < 2:
        raise ValueError("y must have a label for each value of f, and both classes")
    miss, (other, rare) = round_number(miss, "miss", 1, 100), names
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
        **no_samples([other, rare]),
        "f": f.tolist(),
        "labels": positive.astype(int).tolist(),
        "t": 0,
        "miss": miss,
        "shift": round(check_scalar(shift, "shift"), 4),
    }
    return Explorable("threshold", name, content, draw, alt, figsize=(5.0, 4.4))


def winner(searches: Sequence[Any], *, name: str = "winner") -> Explorable:
    """Cut the folds again: the winner of the search hops over the map of C and gamma.

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
    Used in chapter 9, *Practice*.
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
        f"{counted(winners, 'different machine')}."
    )
    content = {**no_samples(["seen", "hidden"]), "C": prices, "gamma": gammas, "cuts": cuts}
    return Explorable("winner", name, content, draw, alt, figsize=(4.8, 4.4))
