"""The checks accept right answers and recognise the usual mistakes, each by its own words."""

import numpy as np
import pytest

from svmlib import exercises


def said(capsys, check, function):
    """Return what a check prints about a function."""
    check(function)
    return capsys.readouterr().out


# Chapter 2


def bracket(X, y, weights):
    w = (weights * y) @ X
    heights, length = X @ w, np.linalg.norm(w)
    return max((heights[y > 0].min() - heights[y < 0].max()) / length, 0), length


def bracket_unclipped(X, y, weights):
    w = (weights * y) @ X
    heights, length = X @ w, np.linalg.norm(w)
    return (heights[y > 0].min() - heights[y < 0].max()) / length, length


def bracket_swapped(X, y, weights):
    w = (weights * y) @ X
    heights, length = X @ w, np.linalg.norm(w)
    return (heights[y > 0].max() - heights[y < 0].min()) / length, length


def bracket_by_edges(X, y, weights):
    """Wrong only in the lower bound at the optimum, where it is 1% too large."""
    lower, upper = bracket(X, y, weights)
    return lower * 1.01, upper


def reduce_weights(points, weights, *, pick=np.argmin, missing=np.inf, once=False):
    weights = np.array(weights, dtype=float)
    while np.count_nonzero(weights) > points.shape[1] + 1:
        used = np.flatnonzero(weights)
        a = np.linalg.svd(np.vstack([points[used].T, np.ones(len(used))]))[2][-1]
        ratios = np.where(a > 0, weights[used] / np.where(a > 0, a, 1), missing)
        weights[used] -= ratios[pick(ratios)] * a
        weights[used[pick(ratios)]] = 0
        if once:
            break
    return weights


def reduce_in_place(points, weights):
    weights[:] = reduce_weights(points, weights)
    return weights


def radon(X, *, ones=True):
    rows = np.vstack([X.T, np.ones(len(X))]) if ones else X.T
    a = np.linalg.svd(rows)[2][-1]
    return np.where(a > 0, 1, -1), np.abs(a) / a[a > 0].sum()


@pytest.mark.parametrize(
    ("check", "function"),
    [
        (exercises.check_bracket, bracket),
        (exercises.check_reduce_weights, reduce_weights),
        (exercises.check_radon, radon),
    ],
)
def test_chapter_2_accepts_right_answers(capsys, check, function):
    assert "every check passed" in said(capsys, check, function)
    assert "not written yet" in said(capsys, check, lambda *_: None)
    assert "stopped with ZeroDivisionError" in said(capsys, check, lambda *_: 1 / 0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda X, y, weights: bracket(X, y, weights)[0], "two numbers"),
        (lambda X, y, weights: (0.0, np.linalg.norm(weights @ X)), "count with a minus"),
        (lambda X, y, weights: (0.0, bracket(X, y, weights)[1] ** 2), "square root"),
        (lambda X, y, weights: (0.0, bracket(X, y, weights)[1] + 1), "but your upper bound"),
        (bracket_unclipped, "0 is a better"),
        (bracket_swapped, "smallest w·x over A⁺"),
        (
            lambda X, y, w: (np.prod(bracket(X, y, w)), bracket(X, y, w)[1]),
            "divide it by ‖w‖",
        ),
        (lambda X, y, w: (bracket(X, y, w)[0] / 2, bracket(X, y, w)[1]), "half of the width"),
        (bracket_by_edges, "the lower bound is"),
    ],
)
def test_bracket_mistakes(capsys, wrong, words):
    assert words in said(capsys, exercises.check_bracket, lambda *given: wrong(*given))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (reduce_in_place, "changes the caller's weights"),
        (lambda points, weights: weights[:2], "zeros included"),
        (
            lambda p, w: reduce_weights(p, w, pick=np.argmax, missing=-np.inf, once=True),
            "became negative",
        ),
        (lambda p, w: w / 2, "a row of ones"),
        (lambda p, w: w[::-1].copy(), "another point"),
        (lambda p, w: w.copy(), "repeat the step"),
        (lambda p, w: reduce_weights(p, w, once=True), "repeat the step"),
    ],
)
def test_reduce_weights_mistakes(capsys, wrong, words):
    assert words in said(capsys, exercises.check_reduce_weights, lambda *given: wrong(*given))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda X: (radon(X)[0][1:], radon(X)[1]), "labels and"),
        (lambda X: (0 * radon(X)[0], radon(X)[1]), "neither −1 nor +1"),
        (lambda X: (radon(X)[0], radon(X)[0] * radon(X)[1]), "a weight is negative"),
        (lambda X: (np.ones(len(X)), radon(X)[1]), "one class is empty"),
        (lambda X: (radon(X)[0], radon(X)[1] / 2), "both classes together"),
        (lambda X: (radon(X)[0], radon(X)[1] * 3), "instead of 1"),
        (lambda X: radon(X, ones=False), "a row of ones"),
        (lambda X: radon(X[:, ::-1] ** 2), "different points"),
    ],
)
def test_radon_mistakes(capsys, wrong, words):
    assert words in said(capsys, exercises.check_radon, lambda *given: wrong(*given))
