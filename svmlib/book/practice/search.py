"""One search: the same answer for all, the line, and the RBF kernel, on the same folds.

Every candidate answers every hidden row, so that candidates are compared row by row. `simplest`
chooses; `search` tries, and moves the grid if its best candidate is on the rim.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, SVR

from svmlib.book.practice.folds import Fold, is_amount, standard_error

__all__ = ["Candidate", "Costs", "Search", "search", "simplest"]

LINE = 10.0 ** np.arange(-3, 2)
PRICES, WIDTHS = 10.0 ** np.arange(-1, 3), 10.0 ** np.arange(-2, 2)
MOST_STEPS = 100_000  # of LIBSVM, for one fit of the search
ENOUGH_GROUPS = 10  # a guess: with fewer, a standard error over groups is too uncertain


@dataclass(frozen=True, order=True)
class Candidate:
    """One machine that may win, sorted from plain to bent.

    ``kind`` is 0 for the same answer for all, 1 for the line, 2 for the RBF kernel; ``gamma`` is in
    multiples of 1/(d · variance), which scikit-learn calls "scale".

    >>> print(Candidate(2, 0.1, 10.0))
    RBF, C = 10, gamma = 0.1 × scale
    """

    kind: int
    gamma: float = 0.0
    C: float = 0.0
    answer: int = 0

    def __str__(self) -> str:
        if self.kind == 0:
            return "the same answer for all"
        width = f", gamma = {self.gamma:g} × scale" if self.kind == 2 else ""
        return f"{('line', 'RBF')[self.kind - 1]}, C = {self.C:g}{width}"


class Costs:
    """What each answer costs, and the weights of the classes that follow.

    Parameters
    ----------
    y : array_like of shape (n,)
        The target.
    cost : None, "equal", "balanced", dict or callable
        A dict gives the price of missing each class, {"ill": 10}, or of each mistake,
        {("ill", "healthy"): 10} for an ill one who was called healthy; what it does not name costs
        1. A callable takes arrays (true, called). ``"balanced"`` prices a class at 1 over its
        share; None means that where one class has less than half of an equal share (a quarter of
        the rows, if there are two classes), else "equal". An amount always costs the size of the
        miss, unless you give a function; the machine aims at the median all the same.

    Examples
    --------
    >>> costs = Costs(["ill", "well", "well"], {"ill": 10})
    >>> costs.per_sample(["ill", "well"], ["well", "ill"])
    array([10.,  1.])
    """

    def __init__(self, y: Any, cost: Any = None) -> None:
        y = np.asarray(y)
        self.amount = is_amount(y)
        self.labels: NDArray[Any] = np.empty(0)
        counts: NDArray[Any] = np.empty(0)
        if not self.amount:
            self.labels, counts = np.unique(y, return_counts=True)
        self.cost: Any = cost
        if self.amount and cost is not None and not callable(cost):
            raise ValueError("the target is an amount: its cost must be a function, or None")
        if cost is None and not self.amount:
            rare = counts.min() * len(counts) < len(y) / 2
            self.cost = "balanced" if rare else "equal"
        if isinstance(self.cost, str) and self.cost == "balanced":
            prices = counts.max() / counts
            self.cost = dict(zip(self.labels.tolist(), prices.tolist(), strict=True))
        elif isinstance(self.cost, dict):
            named = {k for key in self.cost for k in (key if isinstance(key, tuple) else (key,))}
            if min(self.cost.values(), default=0) < 0:
                raise ValueError(f"cost must not be negative, got {min(self.cost.values())}")
            if strange := named - set(self.labels.tolist()):
                raise ValueError(f"cost names {strange}, but the classes are {[*self.labels]}")
        elif self.cost != "equal" and not callable(self.cost) and not self.amount:
            raise ValueError(
                f'cost must be "equal", "balanced", a dict or a function, got {cost!r}'
            )

    def per_sample(self, true: Any, called: Any) -> NDArray[np.float64]:
        """Return the cost of each answer."""
        true, called = np.asarray(true), np.asarray(called)
        if callable(self.cost):
            return np.asarray(self.cost(true, called), dtype=float)
        if self.amount:
            return np.asarray(np.abs(true - called), dtype=float)
        if isinstance(self.cost, str):
            return np.asarray(true != called, dtype=float)
        pairs = zip(true.tolist(), np.broadcast_to(called, true.shape).tolist(), strict=True)
        prices: dict[Any, float] = self.cost
        return np.array([(t != c) * prices.get((t, c), prices.get(t, 1.0)) for t, c in pairs])

    def weights(self) -> dict[Any, float]:
        """Return the factor of C for each class: the largest price of missing it.

        The unit of the prices does not matter, because the smallest factor is 1.

        >>> Costs(["ill", "well"], {"ill": 5000, "well": 500}).weights()
        {'ill': 10.0, 'well': 1.0}
        """
        every = np.asarray(self.labels)
        largest = np.array([self.per_sample(np.full(every.shape, k), every).max() for k in every])
        unit = largest[largest > 0].min() if (largest > 0).any() else 1.0
        return dict(zip(every.tolist(), (largest / unit).tolist(), strict=True))


@dataclass
class Search:
    """What a search found; `best` is the winner in the folds, `chosen` the one to be used."""

    candidates: list[Candidate]
    losses: NDArray[np.float64]  # a row for each sample, NaN if it was never hidden
    values: list[Any]  # the hidden f of each candidate
    best: int
    chosen: int
    stopped: int = 0
    notes: list[str] = field(default_factory=list)
    weights: Any = None  # for how many rows each stands

    def more(
        self, one: int, other: int, groups: Any = None, weights: Any = None
    ) -> tuple[float, float]:
        """Return how much more one candidate costs than another, and its standard error."""
        return _paired(self.losses[:, one] - self.losses[:, other], groups, weights)


def _paired(difference: Any, groups: Any, weights: Any) -> tuple[float, float]:
    values = np.ma.masked_invalid(difference)
    mean = float(np.ma.average(values, weights=weights))
    return mean, standard_error(values, groups, weights)


def simplest(
    candidates: list[Candidate], losses: Any, groups: Any = None, weights: Any = None
) -> tuple[int, int]:
    """Return the winner, and the plainest candidate that is not clearly worse.

    That is: by at most one standard error of the difference, row by row. With fewer than ten groups
    a standard error is too uncertain for this: then the winner is taken.

    Examples
    --------
    >>> line, bent = Candidate(1, C=1.0), Candidate(2, 1.0, 1.0)
    >>> losses = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    >>> simplest([line, bent], losses)
    (1, 0)
    """
    means = [_paired(column, None, weights)[0] for column in np.transpose(losses)]
    best = int(np.argmin(means))
    allowed = 1.0
    if groups is not None:
        k = len(np.unique(np.asarray(groups)[~np.isnan(losses).any(axis=1)]))
        allowed = float(k >= ENOUGH_GROUPS)
    kept = []
    for j, candidate in enumerate(candidates):
        more, error = _paired(losses[:, j] - losses[:, best], groups, weights)
        if j == best or more <= allowed * error:
            kept.append((candidate.kind, candidate.gamma, candidate.C, means[j], j))
    return best, min(kept)[-1]


def fit(candidate: Candidate, X: Any, y: Any, weights: Any, costs: Costs, most: int = -1) -> Any:
    """Train a candidate on prepared columns."""
    if candidate.kind == 0:
        if costs.amount:
            return DummyRegressor(strategy="median").fit(X, y, sample_weight=weights)
        only = np.asarray(costs.labels)[[candidate.answer]]
        return DummyClassifier(strategy="constant", constant=only).fit(X, y)
    kernel = "linear" if candidate.kind == 1 else "rbf"
    gamma = candidate.gamma * scale(X) if candidate.kind == 2 else "scale"
    how: dict[str, Any] = {"C": candidate.C, "kernel": kernel, "gamma": gamma, "max_iter": most}
    how["tol"] = 1e-3 if most > 0 else 1e-4  # the machine for use has a certificate
    if not costs.amount:
        prices = costs.weights()  # of rows: class_weight reads the names "0" and "1" as numbers
        row_prices = np.array([prices[k] for k in y.tolist()])
        row_prices = row_prices if weights is None else row_prices * weights
        return SVC(**how).fit(X, y, sample_weight=row_prices)
    low, middle, high = np.quantile(y, [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349 or np.std(y) or 1.0  # as the standard deviation of a bell curve
    units = FunctionTransformer(
        _shift, _back, kw_args={"a": middle, "s": spread}, inv_kw_args={"a": middle, "s": spread}
    )
    model = TransformedTargetRegressor(SVR(**how), transformer=units, check_inverse=False)
    return model.fit(X, y, sample_weight=weights)


def _shift(t: Any, a: float, s: float) -> Any:
    return (t - a) / s


def _back(t: Any, a: float, s: float) -> Any:
    return t * s + a


def scale(X: Any) -> float:
    """Return 1/(d · variance of all entries), which scikit-learn calls gamma="scale".

    >>> scale(np.array([[-1.0, 1.0], [1.0, -1.0]]))
    0.5
    """
    variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
    return float(1 / (X.shape[1] * variance)) if variance > 0 else 1.0


def value(machine: Any, X: Any, costs: Costs) -> Any:
    """Return f, or the answer of a machine that has none."""
    if costs.amount:
        return machine.predict(X)
    if isinstance(machine, DummyClassifier):
        answers = machine.predict(X)
        return np.column_stack([answers == k for k in costs.labels]).astype(float)
    f = machine.decision_function(X)
    return np.column_stack((-f, f)) if f.ndim == 1 else f


def answer(values: Any, costs: Costs) -> Any:
    """Turn f into labels: the largest of a row; an amount is its own answer."""
    return values if costs.amount else np.asarray(costs.labels)[np.argmax(values, axis=1)]


def silent(text: str) -> None:
    """Say nothing."""


def search(
    columns: Any,
    table: Any,
    y: Any,
    folds: list[Fold],
    costs: Costs,
    *,
    groups: Any = None,
    weights: Any = None,
    say: Callable[[str], object] = silent,
) -> Search:
    """Try no machine, the line and the RBF kernel; choose by `simplest`; move the grid if need be.

    Parameters
    ----------
    columns : transformer
        What `svmlib.book.practice.prepared` made; it learns separately in each fold.
    table, y, folds, groups, weights
        The rows, and how they are cut.
    costs : Costs
        What a mistake costs.
    say : callable
        Is told how far the search is.

    Returns
    -------
    Search
    """
    answers = range(1 if costs.amount else len(costs.labels))
    new = [Candidate(0, answer=k) for k in answers] + [Candidate(1, C=C) for C in LINE]
    new += [Candidate(2, gamma, C) for gamma in WIDTHS for C in PRICES]
    parts = [_part(columns, table, y, fold, weights) for fold in folds]
    result = Search([], np.empty((len(y), 0)), [], 0, 0, weights=weights)
    for turn in range(3):
        result = _tried(result, new, parts, y, costs, say)
        result.best, result.chosen = simplest(result.candidates, result.losses, groups, weights)
        new = _beyond(result.candidates, result.candidates[result.best])
        if not new:
            return result
        if turn < 2:
            say(f"{result.candidates[result.best]} is on the rim: the grid grows")
    winner = result.candidates[result.best]
    result.notes.append(f"the winner, {winner}, is still on the rim of the grid")
    return result


def _part(columns: Any, table: Any, y: Any, fold: Fold, weights: Any) -> tuple[Any, ...]:
    """Prepare the columns of one fold once for all candidates."""
    seen, hidden = fold
    weights = None if weights is None else weights[seen]
    learner = clone(columns)
    X = learner.fit_transform(table.iloc[seen], y[seen])
    return X, y[seen], weights, learner.transform(table.iloc[hidden]), hidden


def _tried(
    result: Search, new: list[Candidate], parts: Any, y: Any, costs: Costs, say: Any
) -> Search:
    """Add candidates, each with its answers to all hidden rows."""
    losses = np.full((len(y), len(new)), np.nan)
    values = [np.full((len(y), *[len(costs.labels)] * (not costs.amount)), np.nan) for _ in new]
    stopped = 0
    for k, (X, labels, weights, Z, hidden) in enumerate(parts, 1):
        say(f"fold {k} of {len(parts)}: {len(new)} candidates on {len(labels)} rows")
        for j, candidate in enumerate(new):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", ConvergenceWarning)
                machine = fit(candidate, X, labels, weights, costs, MOST_STEPS)
            stopped += any(issubclass(w.category, ConvergenceWarning) for w in told)
            values[j][hidden] = value(machine, Z, costs)
            losses[hidden, j] = costs.per_sample(y[hidden], answer(values[j][hidden], costs))
    return replace(
        result,
        candidates=result.candidates + new,
        losses=np.column_stack((result.losses, losses)),
        values=result.values + values,
        stopped=result.stopped + stopped,
    )


def _beyond(candidates: list[Candidate], best: Candidate) -> list[Candidate]:
    """Return new candidates beyond the rim of the grid, if the winner is on it.

    A small gamma is on the way to the line, which is in the grid already.
    """
    alike = [c for c in candidates if c.kind == best.kind]
    prices, widths = sorted({c.C for c in alike}), sorted({c.gamma for c in alike})
    if best.kind == 0:
        return []
    new = []
    if best.C in (prices[0], prices[-1]) and 1e-6 < best.C < 1e4:
        C = best.C * 10 if prices[-1] <= best.C else best.C / 10
        new += [Candidate(best.kind, gamma, C) for gamma in widths]
    if best.kind == 2 and best.gamma == widths[-1] and best.gamma < 1000:
        new += [Candidate(2, 10 * best.gamma, C) for C in prices]
    return new
