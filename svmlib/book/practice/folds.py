"""Which rows are hidden together, and the answers that a machine gives while they are.

`cut` makes the folds, `hold_out` puts rows aside, `hidden_answers` asks; `standard_error` says how
far a mean would move with other rows.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)

__all__ = [
    "Fold",
    "cut",
    "digit_forms",
    "hidden_answers",
    "hold_out",
    "mean_with_error",
    "standard_error",
]

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def _column(values: Any, name: str, n: int | None = None) -> Any:
    """Return an array of values by position, whatever index a pandas column has."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1 or (n is not None and len(array) != n):
        raise ValueError(f"{name} must have one value a row ({n}), got shape {array.shape}")
    return array


def is_amount(y: Any) -> bool:
    """Whether a target is an amount, and not a class: more than 10 floats, or 20 whole numbers.

    So hand in names of classes as words, and an amount with few values as floats.

    >>> is_amount([0.0, 1.0, 1.0]), is_amount(np.linspace(0, 1, 30)), is_amount(range(30))
    (False, True, True)
    """
    y = np.asarray(y)
    most = {"f": 10, "i": 20, "u": 20}
    return y.dtype.kind in most and len(np.unique(y)) > most[y.dtype.kind]


def cut(
    y: Any,
    groups: Any = None,
    time: Any = None,
    *,
    n_folds: int = 5,
    gap: Any = 0,
    seed: int = 0,
) -> list[Fold]:
    """Cut the rows as life will: rows of a group together, and the past before the future.

    Parameters
    ----------
    y : array_like of shape (n,)
        The target; each fold gets its share of each class.
    groups : array_like of shape (n,), optional
        Persons, clinics, days: what is together in life stays together. With ``time``, rows of a
        group that is met in the hidden block are not trained on: name groups with a clock only if
        use meets new ones.
    time : array_like of shape (n,), optional
        When each row was known, numbers or dates. Then each of n_folds blocks is hidden in turn,
        and the machine is trained on earlier rows only; the first block is never hidden.
    n_folds : int, default 5
        How many folds.
    gap : number or timedelta, default 0
        How much earlier than the hidden block training ends: as long as neighbours resemble each
        other, and at least as long as a label takes to arrive, in the unit of ``time``.
    seed : int, default 0
        Of the random cut; not used with ``time``.

    Returns
    -------
    list of (rows to train on, hidden rows)
        What scikit-learn takes as ``cv``.

    Raises
    ------
    ValueError
        If a class or the groups cannot be in all folds, or if the rows before a hidden block have
        one target only.

    Examples
    --------
    >>> folds = cut([0, 1] * 6, time=np.arange(12), n_folds=3, gap=1)
    >>> [(seen.tolist(), hidden.tolist()) for seen, hidden in folds][0]
    ([0, 1], [3, 4, 5])
    """
    y = _column(y, "y")
    groups, time = _column(groups, "groups", len(y)), _column(time, "time", len(y))
    if time is not None:
        return _later(y, groups, time, n_folds, gap)
    amount = is_amount(y)
    _enough(y, groups, n_folds, amount)
    how: dict[str, Any] = {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    if groups is None:
        splitter = KFold(**how) if amount else StratifiedKFold(**how)
    else:
        splitter = GroupKFold(**how) if amount else StratifiedGroupKFold(**how)
    return list(splitter.split(np.zeros((len(y), 1)), y, groups))


def _enough(y: Any, groups: Any, n_folds: int, amount: bool) -> None:
    """Say in a sentence what is too few to be cut."""
    if amount or not len(y):
        names, counts = np.array(["all"]), np.array([len(y)])
    else:
        names, counts = np.unique(y, return_counts=True)
    what = "rows"
    if groups is not None:  # of a class: the groups that it is in
        counts = np.array([len(np.unique(groups[(y == k) | (k == "all")])) for k in names])
        what = "groups"
    if counts.min() < n_folds:
        k, least = names[counts.argmin()], counts.min()
        raise ValueError(
            f"class {k!s} has {least} {what}, and each of {n_folds} folds needs one: merge the "
            "class with another, or leave it out" + f", or take n_folds={least}" * bool(least > 1)
        )


def _later(y: Any, groups: Any, time: Any, n_folds: int, gap: Any) -> list[Fold]:
    """Hide block after block of time, and train on what was known before."""
    moments = np.unique(time)
    if len(moments) <= n_folds:
        raise ValueError(f"time has {len(moments)} values: {n_folds} folds need more")
    starts = moments[np.linspace(0, len(moments), n_folds + 2).astype(int)[1:-1]]
    ends = [*starts[1:], None]
    folds = []
    for start, end in zip(starts, ends, strict=True):
        hidden = time >= start if end is None else (time >= start) & (time < end)
        seen = time < start - gap if gap else time < start
        left_out = ""
        if groups is not None:
            again = seen & np.isin(groups, groups[hidden])
            seen &= ~again
            if again.any():
                names = ", ".join(str(k) for k in np.unique(groups[again])[:3])
                left_out = (
                    f"; the rows of groups that are met again ({names}, ...) were left out, so name"
                    " groups with a clock only if use meets new ones"
                )
        known = np.unique(y[seen])
        if len(known) < 2:
            earlier = f", and at least {gap} earlier" if gap else ""
            only = f", and all have the target {known[0]}" if len(known) else ""
            raise ValueError(
                f"before {start}{earlier}, there are {seen.sum()} rows to train on{only}: take "
                "fewer folds, so that the first hidden block begins later, or a shorter gap"
                + left_out
            )
        folds.append((np.flatnonzero(seen), np.flatnonzero(hidden)))
    return folds


def hold_out(
    y: Any,
    groups: Any = None,
    time: Any = None,
    *,
    gap: Any = 0,
    seed: int = 0,
) -> Fold:
    """Put a fifth aside until the end: the latest, or whole groups, or rows at random.

    If that fifth has fewer than thirty rows of the rarest class, or fewer than ten groups, none is
    put aside: then hide each part in turn, and search in the rest.

    Returns
    -------
    (rows to learn from, locked rows)

    Examples
    --------
    >>> learn, locked = hold_out([0, 1] * 200)
    >>> len(learn), len(locked), len(hold_out([0, 1] * 20)[1])
    (320, 80, 0)
    """
    y = _column(y, "y")
    groups, time = _column(groups, "groups", len(y)), _column(time, "time", len(y))
    try:
        folds = cut(y, groups, time, n_folds=4 if time is not None else 5, gap=gap, seed=seed)
    except ValueError:  # too few: `cut` will say it where folds are needed
        return np.arange(len(y)), np.empty(0, dtype=np.intp)
    learn, locked = folds[-1]
    rarest = len(locked) if is_amount(y) else min(np.sum(y[locked] == k) for k in np.unique(y))
    units = len(locked) if groups is None else len(np.unique(groups[locked]))
    if rarest < 30 or units < 10:
        return np.arange(len(y)), np.empty(0, dtype=np.intp)
    return learn, locked


def hidden_answers(
    model: Any,
    X: Any,
    y: Any,
    folds: Any,
    groups: Any = None,
    weights: Any = None,
    method: str = "predict",
) -> Any:
    """Ask about each row a machine that was trained while the row was hidden.

    Parameters
    ----------
    model : estimator
        A pipeline, or a search; of a search the inner folds get the groups, too.
    X : array_like or pandas.DataFrame with n rows
        The table.
    y : array_like of shape (n,)
        The target. Rows are counted by position, so the index of a pandas column does not matter.
    folds : list of folds, or a splitter of scikit-learn
        As `cut` makes them.
    groups, weights : array_like of shape (n,), optional
        What is together in life; and how much each row counts in training.
    method : str, default "predict"
        Or "decision_function", or "predict_proba".

    Returns
    -------
    ndarray, or numpy.ma.MaskedArray
        The answers; if some rows are never hidden, as the first ones under
        `sklearn.model_selection.TimeSeriesSplit`, they are masked, and means go over the others.

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    >>> print(hidden_answers(KNeighborsClassifier(1), X, y, TimeSeriesSplit(3)))
    [-- -- 1 1 1 1 1 1]
    """
    rows, y = getattr(X, "iloc", X), _column(y, "y")
    groups = _column(groups, "groups", len(y))
    weights = _column(weights, "weights", len(y))
    if (n := np.shape(X)[0]) != len(y):
        raise ValueError(f"the table has {n} rows, and y has {len(y)} values")
    splits = folds.split(X, y, groups) if hasattr(folds, "split") else folds
    answers: Any = None
    hidden_once: Any = np.zeros(len(y), dtype=bool)
    for seen, hidden in splits:
        machine = clone(model).fit(rows[seen], y[seen], **_extra(model, seen, groups, weights))
        predicted = np.asarray(getattr(machine, method)(rows[hidden]))
        if answers is None:
            answers = np.zeros((len(y), *predicted.shape[1:]), dtype=predicted.dtype)
        answers = answers.astype(np.result_type(answers, predicted), copy=False)
        answers[hidden], hidden_once[hidden] = predicted, True
    if hidden_once.all():
        return answers
    mask = np.broadcast_to(~hidden_once.reshape(-1, *[1] * (answers.ndim - 1)), answers.shape)
    return np.ma.array(answers, mask=mask)


def _extra(model: Any, seen: Any, groups: Any, weights: Any) -> dict[str, Any]:
    """Return what else `fit` is to know: groups for inner folds, weights for the last step."""
    extra = {}
    if groups is not None and hasattr(model, "cv"):
        extra["groups"] = groups[seen]
    if weights is not None:
        inner = getattr(model, "estimator", model)
        last = f"{inner.steps[-1][0]}__" if hasattr(inner, "steps") else ""
        extra[f"{last}sample_weight"] = weights[seen]
    return extra


def standard_error(values: Any, groups: Any = None, weights: Any = None) -> float:
    """Return the standard error of a mean; the rows of a group count as one.

    Masked values do not count.

    >>> round(standard_error(np.array([0, 1, 1, 1])), 2)
    0.25
    >>> round(standard_error(np.array([0, 0, 1, 1]), groups=[0, 0, 1, 1]), 2)
    0.5
    """
    known = ~np.ma.getmaskarray(values)
    values = np.ma.getdata(values)[known].astype(float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, float)[known]
    off = weights * (values - np.average(values, weights=weights))
    if groups is not None:
        off = np.bincount(np.unique(np.asarray(groups)[known], return_inverse=True)[1], off)
    k = len(off)
    return float(np.sqrt(k / (k - 1) * np.sum(off**2)) / weights.sum()) if k > 1 else np.inf


def mean_with_error(
    values: Any,
    groups: Any = None,
    weights: Any = None,
    digits: int = 2,
) -> str:
    """Return the mean of what is right, or paid, and its standard error.

    >>> mean_with_error(np.array([0, 1, 1, 1]))
    '0.75 ± 0.25'
    """
    known = ~np.ma.getmaskarray(values)
    known_weights = None if weights is None else np.asarray(weights, float)[known]
    mean = float(np.average(np.ma.getdata(values)[known].astype(float), weights=known_weights))
    spread = standard_error(values, groups, weights)
    return f"{round(mean, digits) + 0.0:.{digits}f} ± {spread:.{digits}f}"  # no -0.00


def digit_forms(target: Any) -> NDArray[np.intp]:
    """Return from which form, 1, 2, ..., each of scikit-learn's scanned digits comes.

    The data set does not name the writers. But on every form the digits have the same order, except
    for a few that are missing, and it begins with 0, ..., 9 and again 0, ..., 5.

    >>> from sklearn.datasets import load_digits
    >>> np.bincount(digit_forms(load_digits().target))[1:].tolist()
    [130, 126, 130, 130, 130, 130, 130, 123, 128, 130, 128, 130, 122, 130]
    """
    order = "".join(map(str, target))
    begins = [match.start() for match in re.finditer("0?123456789012345", order)]
    return np.searchsorted(begins, np.arange(len(order)), "right")


def a_part(
    rows: Any, y: Any, groups: Any, time: Any, most: int, seed: int = 0
) -> tuple[Any, NDArray[np.float64] | None]:
    """Return at most so many of the rows, and for how many each stands, if that differs.

    They are the latest, or whole groups, or drawn at random. If that leaves a class with less than
    three in a hundred, more of its rows are kept, up to one in ten, and fewer of the others.

    >>> rare = np.arange(10_000) < 200
    >>> kept, weights = a_part(np.arange(10_000), rare, None, None, 1000)
    >>> len(kept), int(rare[kept].sum()), float(weights[0]), round(float(weights @ rare[kept]))
    (1000, 100, 2.0, 200)
    """
    if len(rows) <= most:
        return rows, None
    selected = _drawn(rows, groups, time, most, seed)
    if is_amount(y):
        return selected, None
    names, counts = np.unique(y[rows], return_counts=True)
    enough = np.minimum(counts, 3 * most // 100)
    if all(np.sum(y[selected] == k) >= least for k, least in zip(names, enough, strict=True)):
        return selected, None
    floor = most // max(10, 2 * len(names))
    pool = rows
    if time is not None:  # from the last moment on since which the rarest class has enough rows
        rarest = np.sort(time[rows][y[rows] == names[counts.argmin()]])
        pool = rows[time[rows] >= rarest[-min(floor, len(rarest))]]
        names, counts = np.unique(y[pool], return_counts=True)
    share = counts * most // len(pool)
    kept = np.minimum(counts, np.maximum(share, floor))
    excess, largest = max(0, kept.sum() - most), counts.argmax()
    kept[largest] = max(floor, kept[largest] - excess)
    random = np.random.default_rng(seed)
    selected = [
        random.choice(pool[y[pool] == k], n, replace=False)
        for k, n in zip(names, kept, strict=True)
    ]
    stands_for = np.repeat(counts / kept, kept)
    order = np.argsort(np.concatenate(selected))
    return np.concatenate(selected)[order], stands_for[order]


def _drawn(rows: Any, groups: Any, time: Any, most: int, seed: int) -> Any:
    """Return so many rows: the latest, or whole groups, or drawn at random."""
    if time is not None:
        return np.sort(rows[np.argsort(time[rows], kind="stable")[-most:]])
    order = np.random.default_rng(seed).permutation(len(rows))
    if groups is not None:
        names, place = np.unique(groups[rows], return_inverse=True)
        rank = np.random.default_rng(seed).permutation(len(names))[place]
        order = np.argsort(rank, kind="stable")
    return np.sort(rows[order[:most]])
