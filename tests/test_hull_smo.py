"""SMO on the hulls: every step is the one of chapter 3, and its bounds are true in fractions."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from sklearn.exceptions import ConvergenceWarning

from svmlib.hull_smo import hull_smo
from svmlib.hulls import NotSeparableError, closest_points, separation
from tests.hostile import problem
from tests.test_hulls import check_bounds, gaussians, labelled


def check_closest(solution, X, y, tol):
    closest, D = solution.closest, closest_points(X, y).distance
    assert closest.cap == 1, "of the hulls themselves"
    assert closest.lower_bound <= D * (1 + 1e-9)
    assert D * (1 - 1e-9) <= closest.distance <= D / (1 - tol) + 1e-12
    assert closest.gap <= tol * closest.distance * (1 + 1e-6) + 1e-12


@given(data=labelled(max_points=12, max_features=3))
def test_it_finds_the_closest_points_and_stops_there_or_raises_with_the_common_point(data):
    X, y = data
    if not separation(X, y).separable:
        with pytest.raises(NotSeparableError) as error:
            hull_smo(X, y)
        assert error.value.separation.verify()
        return
    solution = hull_smo(X, y, tol=1e-4, max_iter=20_000, trace=True)
    assert solution.converged
    assert len(solution.trace) == solution.n_iter + 1
    check_closest(solution, X, y, 1e-4)
    for step in solution.trace[:-1]:  # half the tolerance is not reached before
        w = (step.weights * y) @ X
        lowest, highest = (X[y > 0] @ w).min(), (X[y < 0] @ w).max()
        assert 1 - (lowest - highest) / (w @ w) > 0.49e-4


def test_a_step_is_the_clipped_minimum_along_the_steepest_pair():
    X, y = gaussians(30, 2, 6)
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    trace = hull_smo(X, y, trace=True).trace
    np.testing.assert_allclose(trace[0].weights, 1 / 15)
    for before, after in pairwise(trace):
        weights = before.weights / np.sum(((before.weights * y) @ X) ** 2)  # the best sum
        w = (weights * y) @ X
        slopes = 1 - (X[plus] @ w)[:, None] + X[minus] @ w
        allowed = (slopes > 0) | (np.minimum.outer(weights[plus], weights[minus]) > 0)
        steepest = np.unravel_index((allowed * np.abs(slopes)).argmax(), slopes.shape)
        i, j = plus[steepest[0]], minus[steepest[1]]
        assert after.pair == (i, j)
        best = slopes[steepest] / np.sum((X[i] - X[j]) ** 2)
        weights[[i, j]] += max(best, -weights[i], -weights[j])
        for own in plus, minus:
            weights[own] /= weights[own].sum()
        np.testing.assert_allclose(after.weights, weights, atol=1e-9)
    assert hull_smo(X, y).trace == ()


@pytest.mark.parametrize("seed", range(40))
def test_the_bounds_hold_exactly(seed):
    X, y = problem(seed, scales=(-145, 135) if seed % 3 == 0 else (-10, 10))
    if not separation(X, y).separable:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = hull_smo(X, y, tol=1e-13, max_iter=100)
    check_bounds(solution.closest, X, y)
    assert solution.converged == (solution.closest.gap <= 1e-13 * solution.closest.distance)
    assert solution.converged != bool(caught)


def test_a_tolerance_near_rounding_is_kept_and_one_below_does_not_loop_forever():
    for seed in range(6):
        X, y = gaussians(12, 3, 8, seed)
        assert hull_smo(X, y, tol=1e-13).converged
        with pytest.warns(ConvergenceWarning):
            solution = hull_smo(X, y, tol=1e-300, max_iter=2000)
        D = closest_points(X, y).distance
        np.testing.assert_allclose(solution.closest.distance, D, rtol=1e-6)


def test_hulls_that_nearly_touch_and_hundreds_of_points_and_features():
    assert hull_smo([[0, 0], [2e-8, 1], [2e-8, -1.1]], [-1, 1, 1], tol=0.1).converged
    for n, d, distance in [(1000, 3, 10), (200, 100, 12)]:
        X, y = gaussians(n, d, distance)
        check_closest(hull_smo(X, y, tol=1e-3), X, y, 1e-3)


def test_points_whose_distance_underflows_when_squared_end_it():
    for distance in 1e-200, 1e-160:
        with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations with a relative"):
            closest = hull_smo([[0.0, 0.0], [0.0, distance], [1.0, 0.0]], [1, -1, 1]).closest
        np.testing.assert_allclose(closest.weights, [1, 1, 0], atol=1e-15)
        assert closest.lower_bound <= distance <= closest.distance < 1e-14


def test_a_common_point_that_is_none_is_not_raised():
    """Thin classes in many dimensions: what neither answer can be proved for is a warning."""
    doubtful = []
    for seed in range(500, 600):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 12)), int(rng.integers(1, 12))
        X = 1 + rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-16, -1, d)
        y = np.where(np.arange(n) < n // 2, 1, -1)
        answer = separation(X, y)
        doubtful += [] if answer.separable or answer.verify() else [(X, y)]
    assert doubtful
    for X, y in doubtful:
        with pytest.warns(ConvergenceWarning):
            assert not hull_smo(X, y, max_iter=100).converged
