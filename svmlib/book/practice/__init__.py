"""The recipe of chapter 9, step by step, for a table of your own.

>>> from palmerpenguins import load_penguins
>>> from svmlib.book import practice
>>> study = practice.recipe(load_penguins().drop(columns="year"), "sex", by=["species"])
>>> print(study.report())  # doctest: +SKIP

- `look`: what is in each column, and which role it gets (step 2),
- `hold_out` and `cut`: which rows are put aside, and which are hidden together (steps 1 and 4),
- `Costs`: what each answer costs (step 3),
- `prepared`: one pipeline of steps for the columns (step 5),
- `search` and `simplest`: no machine, the line, the RBF kernel, and which to take (steps 6 and 7),
- `hidden_answers`, `standard_error` and `mean_with_error`: for comparisons of your own,
- `recipe`: all of these in order; it returns a `Study`, which reports, answers new rows, leaves
  rows to a person, and says which rows are outside of what it has seen (steps 8 to 10).
  The machine that was judged had fewer rows than the machine for use, which has all of them.

It needs pandas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmlib.book.practice.columns import ROLES, Column, dates, frame, look, prepared
from svmlib.book.practice.folds import (
    cut,
    digit_forms,
    hidden_answers,
    hold_out,
    is_amount,
    mean_with_error,
    standard_error,
)
from svmlib.book.practice.report import counts, interval, proof, score
from svmlib.book.practice.search import (
    ENOUGH_GROUPS,
    Candidate,
    Costs,
    Search,
    fit,
    search,
    silent,
    simplest,
)
from svmlib.book.practice.study import Study, Task

__all__ = [
    "ROLES",
    "Candidate",
    "Column",
    "Costs",
    "Search",
    "Study",
    "counts",
    "cut",
    "digit_forms",
    "fit",
    "frame",
    "hidden_answers",
    "hold_out",
    "interval",
    "look",
    "mean_with_error",
    "prepared",
    "proof",
    "recipe",
    "score",
    "search",
    "simplest",
    "standard_error",
]


def recipe(
    table: Any,
    target: Any,
    *,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    cost: Any = None,
    roles: dict[str, str] | None = None,
    by: str | Sequence[str] = (),
    gap: Any = 0,
    n_folds: int = 5,
    seed: int = 0,
    progress: bool = False,
) -> Study:
    """From a table to a machine that is judged, by the recipe of chapter 9.

    Parameters
    ----------
    table : pandas.DataFrame or array_like
        The columns; rows without a target are left out.
    target : str or array_like of shape (n,)
        The column to predict, by name or as values: classes, or an amount (more than 10 floats, or
        more than 20 whole numbers).
    groups, time, weights : str or array_like of shape (n,), optional
        Which rows belong together, when each was known, and how much each counts: how many rows
        of the population it stands for, if some kinds were sampled more than others. A name takes
        the column out of the table. Name groups with a clock only if use meets new ones.
    cost : None, "equal", "balanced", dict or callable
        What a mistake costs; see `Costs`. The unit of the prices does not matter.
    roles : dict, optional
        Roles of columns that you know better than `look`.
    by : str or sequence of str, default ()
        Columns by whose values the report is parted. Of ten parts one may look bad by luck.
    gap : number or timedelta, default 0
        With ``time``: how long before the hidden rows training ends, at least as long as a label
        takes to arrive; also the length of the
        stretches of time that a standard error counts as one, unless there are groups.
    n_folds, seed : int
        Of the folds.
    progress : bool, default False
        Say how far it is.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        In a sentence: what is missing, too few, or named wrong.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> X = random.standard_normal((60, 2))
    >>> study = recipe(X, (X[:, 0] > 0).astype(int), n_folds=2)
    >>> print(study.candidate)
    line, C = 10
    """
    table, y, apart = _apart(table, target, groups=groups, time=time, weights=weights)
    apart["units"] = apart["groups"]
    if apart["groups"] is None and apart["time"] is not None and gap:
        apart["units"] = (apart["time"] - apart["time"].min()) // gap
    by = (by,) if isinstance(by, str) else by
    if lost := [name for name in by if name not in table]:
        raise ValueError(f"by names {lost[0]!r}, but the table has no such column")
    columns, costs = look(table, roles), Costs(y, cost)
    task = Task(table, y, apart, columns, costs, print if progress else silent)
    learn, locked = hold_out(y, apart["groups"], apart["time"], gap=gap, seed=seed)
    how = {"n_folds": n_folds, "gap": gap, "seed": seed}
    result, searched = task.search(learn, **how)
    rows, answers = locked, task.judge(result, learn, locked) if len(locked) else np.empty(0)
    if not len(locked):
        rows, answers = task.hide_in_turn(**how)
    notes = _notes(task, result, cost, searched, len(searched) < len(learn))
    return Study(task, result, searched, rows, answers, list(by), notes)


def _apart(table: Any, target: Any, **named: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Take target, groups, time and weights out of the table; drop rows without a target."""
    given, table, taken = table, frame(table), {}
    for name, values in {"target": target, **named}.items():
        if isinstance(values, str):
            if values not in table:
                raise ValueError(f"{name} is {values!r}, but the table has no such column")
            taken[name], table = table[values], table.drop(columns=values)
        else:
            taken[name] = values
            _same_order(name, values, given)
        if taken[name] is not None and len(taken[name]) != len(table):
            raise ValueError(f"{name} has {len(taken[name])} values, the table {len(table)} rows")
    series = type(table.iloc[:, 0])
    target = series(taken.pop("target"))
    known = target.notna().to_numpy()
    if target.dtype.kind == "f":
        known = known & np.isfinite(target.to_numpy())
    apart: dict[str, Any] = {k: v if v is None else np.asarray(v)[known] for k, v in taken.items()}
    if apart["groups"] is not None and series(apart["groups"]).isna().any():
        raise ValueError("groups has holes: name a group for every row, or leave these rows out")
    apart["place"] = np.flatnonzero(known)  # in the table that was given
    if apart["time"] is not None and apart["time"].dtype.kind in "OUT":
        apart["time"] = dates(apart["time"])
    if apart["weights"] is not None and not (apart["weights"] >= 0).all():
        raise ValueError("weights must be numbers of at least 0")
    apart["without"] = int(np.sum(~known))
    if apart["weights"] is not None:
        if not apart["weights"].sum() > 0:
            raise ValueError("weights must not all be 0")
        apart["weights"] = apart["weights"] / apart["weights"].mean()  # C knows no unit of them
    y = np.asarray(target[known].tolist())
    if len(np.unique(y)) < 2:
        raise ValueError(
            f"the target has {len(np.unique(y))} value(s): there is nothing to learn "
            "(to watch over a single class, see chapter 10)"
        )
    if is_amount(y):
        y = y.astype(float)
    return table[known].reset_index(drop=True), y, apart


def _same_order(name: str, values: Any, table: Any) -> None:
    """Refuse a pandas Series whose rows are those of the table in another order."""
    index: Any = getattr(values, "index", None)
    rows: Any = getattr(table, "index", None)
    if rows is None or not hasattr(index, "equals") or index.equals(rows):
        return
    if len(index) == len(rows) and index.isin(rows).all():
        raise ValueError(
            f"{name} has the rows of the table in another order: give {name}.loc[table.index], or "
            f"{name}.to_numpy() if they belong together as they stand"
        )


def _notes(task: Task, result: Search, cost: Any, searched: Any, part: bool) -> list[str]:
    """Say what was seen on the way, and what to do about it."""
    notes, text, y = list(result.notes), task.table.astype(str), task.y
    copies = int(text.duplicated().sum())
    if copies and task.apart["groups"] is None and task.apart["time"] is None:
        notes.append(
            f"{copies} rows equal another row in all columns: if they are copies, remove them, or "
            "name groups"
        )
    if cost is None and isinstance(task.costs.cost, dict):
        notes.append(
            "one class is rare: a mistake costs the size of the largest class over the size of the "
            "true class (to change this, use cost=)"
        )
    if part:
        kept = result.weights is not None and task.apart["weights"] is None
        rare = ", and of the rare class more than its share, with weights" * kept
        n = len(result.losses)
        notes.append(f"the search used {n} of the rows{rare}: more would take long")
    units = task.of("units", searched[~np.isnan(result.losses).any(axis=1)])
    if units is not None and len(np.unique(units)) < ENOUGH_GROUPS:
        notes.append(
            f"only {len(np.unique(units))} groups or stretches of time: too few to choose the "
            "simplest, so the winner of the folds was taken"
        )
    if result.stopped:
        notes.append(f"{result.stopped} fits of the search stopped before their optimum")
    if not result.candidates[result.chosen].kind:
        notes.append(
            "no machine was chosen: at these costs none beats the same answer for all by more than "
            "one standard error"
        )
    return notes + _about(task, y)


def _about(task: Task, y: Any) -> list[str]:
    """Say what is odd about the target, the clock and the rows without a target."""
    notes = []
    if task.apart["without"]:
        notes.append(
            f"{task.apart['without']} rows have no target and were left out: if the chance that a "
            "target is missing depends on the target, the scores do not hold for such rows"
        )
    if task.apart["time"] is not None and task.apart["units"] is None:
        notes.append(
            "rows with a clock resemble their neighbours: without gap= the standard errors count "
            "each row as one, and are too small"
        )
    if not is_amount(y):
        if y.dtype.kind in "iuf" and len(np.unique(y)) > 10:
            notes.append("the target was read as classes: if it is an amount, pass floats")
        return notes
    if np.all(y == np.round(y)):
        notes.append("the target was read as an amount: if it names classes, pass words")
    if (share := np.mean(y == np.min(y))) > 0.3:
        notes.append(
            f"{share:.0%} of the targets are {np.min(y):g}: predict first whether a target is "
            "larger (two classes), and then, on the rows where it is, the amount"
        )
    if np.min(y) > 0 and np.max(y) > 10 * np.median(y):
        notes.append("the target has a long tail: if factors matter, predict its logarithm")
    if np.abs(np.mean(y) - np.median(y)) > 0.2 * np.mean(np.abs(y - np.median(y))):
        notes.append(
            "the answer aims at the median, not at the mean: for totals, compare with a machine "
            "that charges squares"
        )
    return notes
