"""What the recipe leaves: a machine for use, how good it was, and what it does with new rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from svmlib.book.practice.columns import (
    Column,
    OutlierClipper,
    as_numbers,
    as_words,
    frame,
    listed,
    prepared,
)
from svmlib.book.practice.folds import Fold, a_part, cut
from svmlib.book.practice.report import proof, score
from svmlib.book.practice.search import Candidate, Costs, Search, answer, fit, search, silent, value

__all__ = ["Study"]

MOST_SEARCHED, MOST_FITTED = 1000, 15_000  # rows: a search, and a machine, get no more


@dataclass
class Task:
    """A table, what belongs to its rows, and what is decided before the search."""

    table: Any
    y: Any
    apart: dict[str, Any]
    columns: list[Column]
    costs: Costs
    say: Any

    def of(self, name: str, rows: Any) -> Any:
        """Return the groups, times, weights or units of some rows, if there are any.

        A unit is what a standard error counts as one: a group, or a stretch of time.
        """
        return None if self.apart[name] is None else self.apart[name][rows]

    def part(self, rows: Any, time: Any, most: int) -> tuple[Any, Any]:
        """Return at most so many rows, and their weights, if there are any."""
        selected, stands_for = a_part(rows, self.y, self.apart["groups"], time, most)
        given = self.of("weights", selected)
        if given is None or stands_for is None:
            return selected, stands_for if given is None else given
        return selected, given * stands_for

    def search(self, rows: Any, **how: Any) -> tuple[Search, Any]:
        """Search on some of the rows, on a part of them if there are many."""
        selected, weights = self.part(rows, self.apart["time"], MOST_SEARCHED)
        groups, time = self.of("groups", selected), self.of("time", selected)
        folds = cut(self.y[selected], groups, time, **how)
        result = search(
            prepared(self.columns, len(selected)),
            self.table.iloc[selected],
            self.y[selected],
            folds,
            self.costs,
            groups=self.of("units", selected),
            weights=weights,
            say=self.say,
        )
        return result, selected

    def judge(self, result: Search, learn: Any, hidden: Any) -> Any:
        """Train what was chosen on the rows to learn from, and ask about the hidden ones."""
        seen, weights = self.part(learn, self.apart["time"], MOST_FITTED)
        steps = prepared(self.columns, len(seen))
        X = steps.fit_transform(self.table.iloc[seen], self.y[seen])
        machine = fit(result.candidates[result.chosen], X, self.y[seen], weights, self.costs)
        values = value(machine, steps.transform(self.table.iloc[hidden]), self.costs)
        return answer(values, self.costs)

    def hide_in_turn(self, **how: Any) -> tuple[Any, Any]:
        """Hide each part in turn, and search in the rest."""
        again = {**how, "seed": how["seed"] + 1}
        outer: list[Fold] = cut(self.y, self.apart["groups"], self.apart["time"], **again)
        inner = {**how, "n_folds": min(3, how["n_folds"])}
        quiet = replace(self, say=silent)
        rows, answers = [], []
        for k, (seen, hidden) in enumerate(outer, 1):
            self.say(f"part {k} of {len(outer)} is hidden from a whole search")
            result, _ = quiet.search(seen, **inner)
            rows.append(hidden)
            answers.append(self.judge(result, seen, hidden))
        return np.concatenate(rows), np.concatenate(answers)


@dataclass
class Study:
    """What `recipe` found: the machine for use, and how good it was on rows that it had not seen.

    Attributes
    ----------
    task : Task
        The table, and what was decided before the search; `look` in ``task.columns``.
    result : Search
        The search on all rows to learn from.
    rows : ndarray
        The rows whose answers were judged, counted among those with a target: the locked ones, or
        all that were hidden in turn.
    answers : ndarray
        The answers about these rows.
    notes : list of str
        What was seen on the way, and what to do about it.
    """

    task: Task
    result: Search
    searched: Any
    rows: Any
    answers: Any
    by: list[str]
    notes: list[str]

    @property
    def candidate(self) -> Candidate:
        """The candidate that was chosen."""
        return self.result.candidates[self.result.chosen]

    def __post_init__(self) -> None:
        """Train the machine for use, on all rows, with the constants that were chosen."""
        every, weights = self.task.part(np.arange(len(self.task.y)), None, MOST_FITTED)
        self.preparer = prepared(self.task.columns, len(every))
        self._X = self.preparer.fit_transform(self.task.table.iloc[every], self.task.y[every])
        self._trained, self._weights = every, weights
        self.machine = fit(self.candidate, self._X, self.task.y[every], weights, self.task.costs)

    def predict(self, new: Any) -> Any:
        """Answer new rows, whatever they are."""
        return answer(self._values(new), self.task.costs)

    def _values(self, new: Any) -> Any:
        new = frame(new)
        if missing := [
            c.name for c in self.task.columns if c.name not in new and c.role != "left out"
        ]:
            raise ValueError(f"the new table lacks the column {missing[0]!r}")
        return value(self.machine, self.preparer.transform(new), self.task.costs)

    def outside(self, new: Any) -> list[str]:
        """Name, for each new row, the columns in which it is outside of the training rows.

        A number beyond the smallest or the largest that is not wild, a new word, a hole where there
        was none.
        What it answers there is an assumption: the line goes on, the RBF machine returns to the
        sign of b.
        """
        new, outside_columns = frame(new), [[] for _ in range(len(new))]  # type: ignore[var-annotated]
        for column in self.task.columns:
            if column.role in ("left out", "date", "text") or column.role.startswith("around"):
                continue
            old, now = self.task.table[[column.name]], new[[column.name]]
            if column.role in ("word", "many words"):
                strange = ~np.isin(as_words(now)[:, 0], as_words(old)[:, 0])
            else:
                x, z = as_numbers(old)[:, 0], as_numbers(now)[:, 0]
                low, high = float(np.nanmin(x)), float(np.nanmax(x))
                if column.role == "number":
                    low, high = (
                        max(low, OutlierClipper.edges(x)[0]),
                        min(high, OutlierClipper.edges(x)[1]),
                    )
                strange = (z < low) | (z > high)
                strange |= np.isnan(z) & ~np.isnan(x).any()
            for row in np.flatnonzero(strange):
                outside_columns[row].append(column.name)
        return [", ".join(names) for names in outside_columns]

    def _hidden(self) -> tuple[Any, Any, Any]:
        """Return the hidden values of what was chosen, with weights and targets."""
        values, weights = self.result.values[self.result.chosen], self.result.weights
        known = ~np.isnan(values).any(axis=1)
        y = self.task.y[self.searched][known]
        return values[known], None if weights is None else weights[known], y

    def _sureness(self, values: Any) -> Any:
        """Return the difference of the two largest values of each row."""
        two = np.sort(values, axis=1)[:, -2:]
        return two[:, 1] - two[:, 0]

    def answered(self, new: Any, leave: float = 0.0) -> Any:
        """Answer new rows, and leave some to a person.

        Parameters
        ----------
        new : table
            The rows.
        leave : float, default 0
            The share of the training rows, hidden, that were less sure than what is left; of
            classes only, because an amount has no decision value.

        Returns
        -------
        pandas.DataFrame
            With columns ``answer``, ``outside`` (names of columns) and ``person`` (True where the
            row is outside, or less sure than the threshold); with the index of the new rows.
        """
        values, outside = self._values(new), self.outside(new)
        person = np.array([bool(names) for names in outside])
        if leave and self.task.costs.amount:
            raise ValueError("leave is for classes: an amount has no decision value that is unsure")
        if leave:
            hidden, weights = self._hidden()[:2]
            person |= self._sureness(values) < _quantile(self._sureness(hidden), leave, weights)
        data = {"answer": answer(values, self.task.costs), "outside": outside, "person": person}
        new = frame(new)
        return type(new)(data, index=new.index)

    def probability(self, new: Any) -> Any:
        """Return the probability of each class, in the order of ``costs.labels``: Platt's curve.

        It is fitted to the f of hidden rows. For two classes it has two numbers.
        """
        if self.task.costs.amount or not self.candidate.kind:
            raise ValueError("there are probabilities only for classes, and only of a machine")
        hidden, weights, y = self._hidden()
        curve = LogisticRegression(C=1e4, max_iter=1000)
        curve.fit(hidden[:, 1:], y, sample_weight=weights)
        return curve.predict_proba(self._values(new)[:, 1:])

    def suspects(self, k: int = 10) -> Any:
        """Return the places of the k rows whose hidden answers were the worst, worst first.

        Places are counted in the table that was given, from 0. Look at these rows again, mixed
        with rows at random: some targets may be wrong.
        """
        hidden = self.result.values[self.result.chosen]
        y = self.task.y[self.searched]
        if self.task.costs.amount:
            badness = np.abs(hidden - y)
        else:
            own = hidden[np.arange(len(y)), np.searchsorted(self.task.costs.labels, y)]
            badness = (
                hidden.max(axis=1) - own + (hidden.max(axis=1) == own) * -self._sureness(hidden)
            )
        order = np.argsort(np.where(np.isnan(badness), -np.inf, -badness) * 1.0, kind="stable")
        return self.task.apart["place"][self.searched[order[:k]]]

    def map(self) -> str:
        """Return the hidden cost of each candidate: line by C, RBF kernel by C and gamma."""
        known = ~np.isnan(self.result.losses).any(axis=1)
        weights = None if self.result.weights is None else self.result.weights[known]
        means = np.average(self.result.losses[known], axis=0, weights=weights)
        cost = dict(zip(self.result.candidates, means, strict=True))
        prices = sorted({c.C for c in cost if c.kind})
        lines = ["hidden cost       " + "".join(f"{f'C = {C:g}':>10}" for C in prices)]
        for kind, gamma in sorted({(c.kind, c.gamma) for c in cost if c.kind}):
            row = [cost.get(Candidate(kind, gamma, C)) for C in prices]
            name = "line" if kind == 1 else f"{gamma:g} × scale"
            text = "".join(f"{'' if v is None else f'{v:.3f}':>10}" for v in row)
            lines.append(f"{name:18}{text}".rstrip())
        return "\n".join(lines)

    def report(self, path: str | Path | None = None) -> str:
        """Return everything that somebody will ask about; write it into a file, if asked to."""
        how = "hidden in turn" if len(self.rows) > len(self.task.y) / 2 else "locked away until now"
        parts = {
            "Columns": listed(self.task.columns),
            "Search": self._winner(),
            f"Judged by {len(self.rows)} rows, {how}": self._judged(),
            "Proof of the machine for use": [self._proof()],
            "Notes": [fill(note, 76, subsequent_indent="  ") for note in self.notes],
        }
        text = "\n\n".join("\n".join([title, *lines]) for title, lines in parts.items() if lines)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def _winner(self) -> list[str]:
        """Say what won, what was chosen, and how much that costs."""
        result, groups = self.result, self.task.of("units", self.searched)
        more, error = result.more(result.chosen, result.best, groups, result.weights)
        return [
            f"best in the folds: {result.candidates[result.best]}",
            f"chosen: {self.candidate}, which costs {more:.3f} ± {error:.3f} more in the folds",
            self.map(),
        ]

    def _judged(self) -> list[str]:
        """Say what the hidden answers cost."""
        by = {name: as_words(self.task.table[[name]].iloc[self.rows])[:, 0] for name in self.by}
        groups, weights = (self.task.of(name, self.rows) for name in ("units", "weights"))
        return score(self.task.y[self.rows], self.answers, self.task.costs, groups, weights, by)

    def _proof(self) -> str:
        y, costs = self.task.y[self._trained], self.task.costs
        return proof(self.machine, self.candidate, self._X, y, self._weights, costs)


def _quantile(x: Any, share: float, weights: Any = None) -> float:
    """Return the value below which this share of the weight is.

    >>> _quantile(np.array([3.0, 1.0, 2.0]), 0.5, np.array([8.0, 1.0, 1.0]))
    3.0
    """
    if weights is None:
        return float(np.quantile(x, share))
    order = np.argsort(x, kind="stable")
    below = np.cumsum(weights[order]) / np.sum(weights)
    return float(x[order][np.searchsorted(below, share)])
