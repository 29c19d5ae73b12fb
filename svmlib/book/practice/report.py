"""What is said at the end: numbers with standard errors, by part of the rows, and the proof."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from svmlib.book.practice.folds import mean_with_error
from svmlib.book.practice.search import Candidate, Costs, scale
from svmlib.kernels import RBF, Linear
from svmlib.problem import DualProblem

__all__ = ["counts", "interval", "proof", "score"]

MOST_ROWS = 3000  # for the proof: beyond them it takes minutes


def interval(wrong: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval for a share, two standard errors wide: it stays inside 0 and 1.

    >>> low, high = interval(5, 67)
    >>> f"{low:.2f} to {high:.2f}"
    '0.03 to 0.17'
    """
    z = 2.0
    middle = (wrong + z**2 / 2) / (n + z**2)
    half_width = z / (n + z**2) * np.sqrt(wrong * (n - wrong) / n + z**2 / 4)
    return float(max(0, middle - half_width)), float(min(1, middle + half_width))


def counts(true: Any, called: Any) -> list[str]:
    r"""Return a line for each class: how many there are, and what they were called.

    >>> print(*counts(np.array(["a", "a", "b"]), np.array(["a", "b", "b"])), sep="\n")
    true a: 2, of these called a 1, b 1
    true b: 1, of these called a 0, b 1
    """
    labels = np.unique(np.concatenate((true, called)))
    lines = []
    for k in np.unique(true):
        row = ", ".join(f"{other!s} {np.sum((true == k) & (called == other))}" for other in labels)
        lines.append(f"true {k!s}: {np.sum(true == k)}, of these called {row}")
    return lines


def score(
    true: Any, called: Any, costs: Costs, groups: Any = None, weights: Any = None, by: Any = None
) -> list[str]:
    """Say what hidden answers cost, beside the same answer for all, and for each part of the rows.

    Parameters
    ----------
    true, called : array_like of shape (n,)
        The target, and the answers given while the rows were hidden.
    costs : Costs
        What a mistake costs.
    groups, weights : array_like of shape (n,), optional
        A group counts as one row in the standard error; a weight counts a row as several.
    by : dict of array_like, optional
        Columns, by name, whose values part the rows.

    Returns
    -------
    list of str
        The lines.
    """
    true, called = np.asarray(true), np.asarray(called)
    losses = costs.per_sample(true, called)
    lines = [f"mean cost {mean_with_error(losses, groups, weights)} (± is the standard error)"]
    if costs.amount:
        median_costs = costs.per_sample(true, np.full(len(true), np.median(true)))
        gain = mean_with_error(median_costs - losses, groups, weights)
        mean = np.average(median_costs, weights=weights)
        lines.append(f"always the median of these rows: mean cost {mean:.2f}, that is {gain} more")
    else:
        for label in costs.labels:
            always = costs.per_sample(true, np.full_like(true, label))
            more = mean_with_error(always - losses, groups, weights)
            mean = np.average(always, weights=weights)
            lines.append(f"always {label!s}: mean cost {mean:.2f}, that is {more} more")
        wrong, n = int(np.sum(true != called)), len(true)
        low, high = interval(wrong, n)
        lines.append(
            f"wrong: {wrong} of {n}"
            + f", a share of {low:.2f} to {high:.2f}" * (groups is None and weights is None)
        )
        lines += counts(true, called)
    for name, column in (by or {}).items():
        for part in sorted(set(column := np.asarray(column).astype(str))):
            here = column == part
            groups_here = None if groups is None else np.asarray(groups)[here]
            weights_here = None if weights is None else np.asarray(weights)[here]
            cost = mean_with_error(losses[here], groups_here, weights_here)
            lines.append(f"{name} {part}: {here.sum()} rows, mean cost {cost}")
    return lines


def proof(machine: Any, candidate: Candidate, X: Any, y: Any, weights: Any, costs: Costs) -> str:
    """Say how far from its optimum the machine for use can be, by its own multipliers.

    For several classes the machines of all pairs are trained again, one by one.
    """
    if candidate.kind == 0:
        return "no machine, so nothing to prove"
    if len(y) > MOST_ROWS:
        return f"not computed: more than {MOST_ROWS} rows take minutes"
    X = _dense(X)
    kernel = Linear() if candidate.kind == 1 else RBF(candidate.gamma * scale(X))
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    if costs.amount:
        return f"relative duality gap {_tube_gap(machine, kernel, X, y, weights):.0e}"
    gaps = []
    for pair in combinations(np.asarray(costs.labels).tolist(), 2):
        in_pair = np.isin(y, pair) & (weights > 0)
        mine = machine if len(costs.labels) == 2 and in_pair.all() else clone(machine)
        prices = np.array([costs.weights()[k] for k in y[in_pair].tolist()]) * weights[in_pair]
        if mine is not machine:
            mine.fit(X[in_pair], y[in_pair], sample_weight=prices)
        signs = np.where(y[in_pair] == mine.classes_[1], 1.0, -1.0)
        problem = DualProblem(X[in_pair], signs, candidate.C * prices, kernel)
        alpha = np.zeros(len(signs))
        alpha[mine.support_] = np.abs(_dense(mine.dual_coef_)[0])
        gaps.append(problem.certificate(alpha, float(mine.intercept_[0])).relative_gap)
    pairs = f", the largest of {len(gaps)} pairs of classes" * (len(gaps) > 1)
    return f"relative duality gap {max(gaps):.0e}{pairs}"


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _tube_gap(machine: Any, kernel: Any, X: Any, t: Any, weights: Any) -> float:
    """Return (P − D)/P of a regression, as in chapter 10; rounding is not in it."""
    tube, units = machine.regressor_, machine.transformer_
    t = units.transform(np.asarray(t, dtype=float)[:, None])[:, 0]
    beta = np.zeros(len(t))
    beta[tube.support_] = _dense(tube.dual_coef_)[0]
    f = kernel(X, X) @ beta
    missed = np.maximum(0, np.abs(t - f - tube.intercept_[0]) - tube.epsilon)
    primal = beta @ f / 2 + tube.C * weights @ missed
    dual = beta @ t - tube.epsilon * np.abs(beta).sum() - beta @ f / 2
    return float((primal - dual) / primal)
