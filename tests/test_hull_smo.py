import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.exceptions import ConvergenceWarning

from svmlib.hull_smo import hull_smo
from svmlib.hulls import NotSeparableError, closest_points, separation
from tests import exact
from tests.hostile import problem
from tests.test_hulls import gaussians, labelled


def check_closest(solution, X, y, tol):
    closest, D = solution.closest, closest_points(X, y).distance
    for label, point in ((1, closest.p), (-1, closest.q)):
        assert (closest.weights >= 0).all()
        np.testing.assert_allclose(closest.weights[y == label].sum(), 1, rtol=1e-12)
        np.testing.assert_allclose(closest.weights[y == label] @ X[y == label], point, atol=1e-9)
    assert closest.lower_bound <= D * (1 + 1e-9)
    assert D * (1 - 1e-9) <= closest.distance <= D / (1 - tol) + 1e-12
    assert closest.gap <= tol * closest.distance * (1 + 1e-6) + 1e-12


@given(data=labelled(max_points=12, max_features=3))
@settings(max_examples=40)
def test_finds_the_closest_points_and_stops_there(data):
    X, y = data
    X[:, 0] = y * np.abs(X[:, 0])
    assume(separation(X, y).separable)
    solution = hull_smo(X, y, tol=1e-4, max_iter=20_000, trace=True)
    assert solution.converged
    assert len(solution.trace) == solution.n_iter + 1
    check_closest(solution, X, y, 1e-4)
    for step in solution.trace[:-1]:  # half the tolerance is not reached before
        w = (step.weights * y) @ X
        lowest, highest = (X[y > 0] @ w).min(), (X[y < 0] @ w).max()
        assert 1 - (lowest - highest) / (w @ w) > 0.49e-4


def test_relations_at_the_optimum():
    X, y = gaussians(40, 2, 8)
    solution = hull_smo(X, y, tol=1e-12)
    D = closest_points(X, y).distance
    weights = solution.closest.weights / D**2
    w = (weights * y) @ X
    np.testing.assert_allclose(w @ w - weights.sum(), -1 / D**2, rtol=1e-10)  # Q
    # α = 2λ solves the dual of the hard margin: KKT, from the definition
    w = 2 * w
    np.testing.assert_allclose(np.linalg.norm(w), 2 / D, rtol=1e-10)
    support = weights > 0
    b = np.mean(y[support] - X[support] @ w)
    margins = y * (X @ w + b)
    np.testing.assert_allclose(margins[support], 1, rtol=1e-9)
    assert (margins >= 1 - 1e-9).all()


def test_a_step_is_the_clipped_minimum_along_the_steepest_pair():
    X, y = gaussians(30, 2, 6)
    trace = hull_smo(X, y, trace=True).trace
    even = np.where(y > 0, 1 / np.sum(y > 0), 1 / np.sum(y < 0))
    np.testing.assert_allclose(trace[0].weights, even)
    assert trace[0].pair is None
    clipped = 0
    for before, after in pairwise(trace):
        weights = before.weights / np.sum(((before.weights * y) @ X) ** 2)  # the best sum
        slopes = {
            (i, j): 1 - (X[i] - X[j]) @ ((weights * y) @ X)
            for i in np.flatnonzero(y > 0)
            for j in np.flatnonzero(y < 0)
        }
        allowed = {p: s for p, s in slopes.items() if s > 0 or weights[list(p)].min() > 0}
        assert abs(slopes[after.pair]) == pytest.approx(max(map(abs, allowed.values())), rel=1e-6)
        i, j = after.pair
        u = X[i] - X[j]
        step = max(slopes[i, j] / (u @ u), -weights[i], -weights[j])
        clipped += step > slopes[i, j] / (u @ u)
        weights[[i, j]] += step
        for label in (1, -1):
            weights[y == label] /= weights[y == label].sum()
        np.testing.assert_allclose(after.weights, weights, atol=1e-9)
    assert clipped
    assert hull_smo(X, y).trace == ()


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0], [1], [1], [2]], [-1, -1, 1, 1]),
        ([[0, 0], [2, 2], [1, 1], [5, 0]], [-1, -1, 1, 1]),
        ([[7, 7]] * 4, [1, -1, 1, -1]),
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]),
    ],
)
def test_inseparable_data_raise_with_the_common_point(X, y):
    with pytest.raises(NotSeparableError) as error:
        hull_smo(X, y)
    assert error.value.separation.verify()


@pytest.mark.parametrize("seed", range(60))
def test_the_bounds_hold_exactly(seed):
    """Right, refused or warned of: the judge is a fraction, and sizes are up to 1e±145."""
    X, y = problem(seed, scales=(-145, 135) if seed % 3 == 0 else (-10, 10))
    squared = exact.distance_squared(X, y, closest_points(X, y).weights)
    if squared is None or not separation(X, y).separable:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = hull_smo(X, y, tol=1e-13, max_iter=100)
    closest = solution.closest
    assert Fraction(closest.lower_bound) ** 2 <= squared <= Fraction(closest.distance) ** 2
    assert solution.converged == (closest.gap <= 1e-13 * closest.distance)
    assert solution.converged != bool(caught)


def test_max_iter():
    with pytest.warns(ConvergenceWarning, match="hull_smo stopped after 3 iter.* relative gap"):
        solution = hull_smo(*gaussians(40, 2, 5), tol=1e-15, max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3


def test_a_tolerance_near_rounding_is_kept_and_one_below_does_not_loop_forever():
    assert all(hull_smo(*gaussians(40, 2, 8, seed), tol=1e-13).converged for seed in range(12))
    for seed in range(20):
        X, y = gaussians(12, 3, 8, seed)
        with pytest.warns(ConvergenceWarning):
            solution = hull_smo(X, y, tol=1e-300, max_iter=2000)
        np.testing.assert_allclose(
            solution.closest.distance, closest_points(X, y).distance, rtol=1e-6
        )


def test_hundreds_of_points_and_features():
    for n, d, distance in [(1000, 3, 10), (300, 100, 12), (60, 200, 0)]:
        X, y = gaussians(n, d, distance)
        check_closest(hull_smo(X, y, tol=1e-3), X, y, 1e-3)


@pytest.mark.parametrize("distance", [2e-15, 1e-30])
def test_classes_apart_by_rounding_are_no_success(distance):
    X, y = np.array([[0.0, 0], [0, 1], [distance, 0], [distance, 1]]), [1, 1, -1, -1]
    assert separation(X, y).separable
    with pytest.warns(ConvergenceWarning):
        solution = hull_smo(X, y)
    assert not solution.converged
    assert solution.closest.lower_bound <= distance <= solution.closest.distance


def test_bad_input_is_refused():
    X, y = [[0.0], [1.0]], [1, -1]
    for arguments, message in [
        ({"y": [1, 1]}, "both classes"),
        ({"tol": 0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"X": [[1e200], [-1e200]]}, "rescale X"),
    ]:
        with pytest.raises(ValueError, match=message):
            hull_smo(**({"X": X, "y": y} | arguments))


def test_a_common_point_that_is_none_is_not_raised():
    """Thin classes in many dimensions: what neither answer can be proved for is a warning."""
    doubtful = 0
    for seed in range(800):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 12)), int(rng.integers(1, 12))
        X = 1 + rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-16, -1, d)
        y = np.where(np.arange(n) < n // 2, 1, -1)
        answer = separation(X, y)
        if not answer.separable and not answer.verify():
            doubtful += 1
            with pytest.warns(ConvergenceWarning):
                assert not hull_smo(X, y, max_iter=100).converged
    assert doubtful
