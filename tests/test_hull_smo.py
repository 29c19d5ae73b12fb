import pickle
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from svmlib.hulls import NotSeparableError, closest_points, separation
from svmlib.smo import hull_smo
from tests import exact
from tests.hostile import problem
from tests.test_hulls import gaussians


@st.composite
def separable(draw, max_points=12, max_features=3):
    n = draw(st.integers(2, max_points))
    d = draw(st.integers(1, max_features))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    y = draw(arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1, 1
    X[:, 0] = y * np.abs(X[:, 0])
    assume(separation(X, y).separable)
    return X, y


def objective(weights, X, y):
    """Q of Optimization Problem 2."""
    w = (weights * y) @ X
    return w @ w - weights.sum()


def check_closest(solution, X, y, tol):
    closest, exact = solution.closest, closest_points(X, y)
    for label, point in ((1, closest.p), (-1, closest.q)):
        members = y == label
        assert (closest.weights >= 0).all()
        np.testing.assert_allclose(closest.weights[members].sum(), 1, rtol=1e-12)
        np.testing.assert_allclose(closest.weights[members] @ X[members], point, atol=1e-9)
    assert exact.distance * (1 - 1e-9) <= closest.distance <= exact.distance / (1 - tol) + 1e-12
    assert closest.lower_bound <= exact.distance * (1 + 1e-9)
    assert closest.gap <= tol * closest.distance * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("selection", ["steepest", "cyclic"])
class TestBothSelections:
    @given(data=separable())
    @settings(max_examples=40)
    def test_finds_the_closest_points(self, selection, data):
        X, y = data
        solution = hull_smo(X, y, selection=selection, tol=1e-4, max_iter=20_000)
        assert solution.converged
        check_closest(solution, X, y, 1e-4)

    def test_relations_at_the_optimum(self, selection):
        X, y = gaussians(40, 2, 8)
        solution = hull_smo(X, y, selection=selection, tol=1e-12)
        D = closest_points(X, y).distance
        weights = solution.alpha / 2
        for label in (1, -1):
            np.testing.assert_allclose(weights[y == label].sum(), 1 / D**2, rtol=1e-10)
        np.testing.assert_allclose(objective(weights, X, y), -1 / D**2, rtol=1e-10)
        # α = 2λ solves the dual of the hard margin: KKT, from the definition
        w = (solution.alpha * y) @ X
        np.testing.assert_allclose(np.linalg.norm(w), 2 / D, rtol=1e-10)
        support = solution.alpha > 0
        b = np.mean(y[support] - X[support] @ w)
        margins = y * (X @ w + b)
        np.testing.assert_allclose(margins[support], 1, rtol=1e-9)
        assert (margins >= 1 - 1e-9).all()
        np.testing.assert_allclose(solution.alpha.sum(), w @ w, rtol=1e-10)
        svc = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(w, svc.coef_[0], atol=1e-6)

    def test_trace(self, selection):
        X, y = gaussians(30, 2, 6)
        seen = []
        solution = hull_smo(X, y, selection=selection, trace=True, callback=seen.append)
        assert list(solution.trace) == seen
        first, last = seen[0], seen[-1]
        np.testing.assert_allclose(first.p, X[y > 0].mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(first.q, X[y < 0].mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(last.p, solution.closest.p)
        assert last.n_iter == solution.n_iter
        assert type(solution.n_iter) is int, "as documented, and for JSON"
        D = closest_points(X, y).distance
        for record in seen:
            np.testing.assert_allclose(np.linalg.norm(record.p - record.q), record.distance)
            np.testing.assert_allclose(record.total, 1 / record.distance**2)
            w = record.total * (record.p - record.q)
            np.testing.assert_allclose(record.objective, w @ w - 2 * record.total)
            bound = ((X[y > 0] @ w).min() - (X[y < 0] @ w).max()) / np.linalg.norm(w)
            np.testing.assert_allclose(record.lower_bound, bound, rtol=1e-9, atol=1e-12)
            assert record.lower_bound <= D * (1 + 1e-12) <= record.distance * (1 + 1e-9)
        assert (np.diff([record.objective for record in seen]) <= 1e-15).all()
        assert (first.pair, first.length) == (None, 0)
        for record in seen[1:]:
            assert record.length > 0 or selection == "steepest"
            assert (record.pair is None) == (selection == "cyclic")
        assert hull_smo(X, y, selection=selection).trace == ()

    @pytest.mark.parametrize(
        ("X", "y"),
        [
            ([[0], [1], [1], [2]], [-1, -1, 1, 1]),
            ([[0, 0], [2, 2], [1, 1], [5, 0]], [-1, -1, 1, 1]),
            ([[7, 7]] * 4, [1, -1, 1, -1]),
            ([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]),
        ],
    )
    def test_inseparable_data_raise_with_the_common_point(self, selection, X, y):
        with pytest.raises(NotSeparableError) as error:
            hull_smo(X, y, selection=selection)
        assert error.value.separation.verify()
        # Q falls without end along the weights of the common point
        X, y, weights = np.array(X), np.array(y), error.value.separation.weights
        assert objective(1e6 * weights, X, y) <= -2e6 * (1 - 1e-6)

    @pytest.mark.parametrize("seed", range(60))
    def test_every_bound_of_every_step_is_true(self, selection, seed):
        X, y = problem(seed, scales=(-145, 135) if seed % 3 == 0 else (-10, 10))
        squared = exact.distance_squared(X, y, closest_points(X, y).weights)
        if squared is None or not separation(X, y).separable:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                solution = hull_smo(X, y, selection=selection, tol=1e-13, max_iter=100, trace=True)
            except ValueError:  # nearer to each other than rounding
                assert squared <= (Fraction(1e-13) * Fraction(np.ptp(X))) ** 2
                return
        for record in (*solution.trace, solution.closest):
            assert Fraction(max(record.lower_bound, 0)) ** 2 <= squared
            assert squared <= Fraction(record.distance) ** 2
        gap = solution.closest.gap
        assert solution.converged == (gap <= 1e-13 * solution.closest.distance)

    def test_max_iter(self, selection):
        X, y = gaussians(40, 2, 5)
        with pytest.warns(ConvergenceWarning, match="distance of .* and a lower bound of"):
            solution = hull_smo(X, y, selection=selection, tol=1e-15, max_iter=3)
        assert not solution.converged
        assert solution.closest.lower_bound <= closest_points(X, y).distance

    def test_a_tolerance_below_rounding_does_not_loop_forever(self, selection):
        for seed in range(20):
            X, y = gaussians(12, 3, 8, seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                solution = hull_smo(X, y, selection=selection, tol=1e-300, max_iter=2000)
            np.testing.assert_allclose(
                solution.closest.distance, closest_points(X, y).distance, rtol=1e-6
            )

    def test_a_step_of_no_length_is_none(self, selection):
        """Two samples start where they end; to look for more is not to move."""
        for place in np.linspace(0.1, 3, 10):
            with pytest.warns(ConvergenceWarning):
                solution = hull_smo(
                    [[0.0], [place]],
                    [-1, 1],
                    selection=selection,
                    tol=1e-300,
                    max_iter=9,
                    trace=True,
                )
            assert solution.n_iter == solution.trace[-1].n_iter

    def test_units_and_origin(self, selection):
        X, y = gaussians(30, 3, 8)
        one = hull_smo(X, y, selection=selection)
        for scale, move in [(1e-12, 0), (1e-8, 0), (1e8, 0), (1e12, 0), (1, 1e6)]:
            other = hull_smo(X * scale + move, y, selection=selection)
            np.testing.assert_allclose(other.closest.distance, one.closest.distance * scale, 1e-6)
            np.testing.assert_allclose(other.alpha * scale**2, one.alpha, rtol=1e-2, atol=1e-4)


def test_a_step_is_the_clipped_minimum_along_its_pair():
    X, y = gaussians(30, 2, 6)
    weights = np.where(y > 0, 1 / np.sum(y > 0), 1 / np.sum(y < 0))
    clipped = 0
    for before, after in pairwise(hull_smo(X, y, trace=True).trace):
        i, j = after.pair
        assert (y[i], y[j]) == (1, -1)
        weights *= before.total / weights[y > 0].sum()
        moved = weights.copy()
        moved[[i, j]] += after.length
        assert moved.min() >= -1e-12
        best = objective(moved, X, y)
        for other in (0.9, 1.1):
            nearby = weights.copy()
            nearby[[i, j]] += other * after.length
            assert objective(nearby, X, y) >= best or nearby.min() < 0
        clipped += moved.min() <= 1e-12 and after.length < 0
        weights = np.maximum(moved, 0)
        p = weights[y > 0] @ X[y > 0] / weights[y > 0].sum()
        np.testing.assert_allclose(after.p, p, atol=1e-9)
    assert clipped


def test_two_points_take_no_step():
    solution = hull_smo([[0.0, 0], [3, 4]], [1, -1])
    assert solution.n_iter == 0
    assert solution.closest.lower_bound <= 5 <= solution.closest.distance
    np.testing.assert_allclose(solution.alpha, 2 / 25)


def test_imbalance():
    X, y = gaussians(1001, 2, 0)
    y[:], y[0] = -1, 1
    X[0] = 7, 3
    solution = hull_smo(X, y)
    check_closest(solution, X, y, 1e-6)


def test_hundreds_of_points_and_features():
    for n, d, distance in [(1000, 3, 10), (300, 100, 12), (60, 200, 0)]:
        X, y = gaussians(n, d, distance)
        check_closest(hull_smo(X, y, tol=1e-3), X, y, 1e-3)


def test_columns_of_different_scale_are_not_silently_wrong():
    X, y = gaussians(40, 2, 0)
    X[:, 0] = 1e-3 * y * (1 + np.abs(X[:, 0]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = hull_smo(X * [1, 10], y, max_iter=500)
    exact = closest_points(X * [1, 10], y).distance
    assert solution.closest.lower_bound <= exact <= solution.closest.distance
    assert bool(caught) != solution.converged

    with pytest.raises(ValueError, match="scale the columns"):
        hull_smo([[0.0, 0.0], [0.0, 1.0], [1e-30, 0.0], [1e-30, 1.0]], [1, 1, -1, -1])


def test_classes_apart_by_rounding_get_the_right_reason():
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))[0]
    X, y = np.array([[0.0, 0], [0, 1], [2e-15, 0], [2e-15, 1]]) @ turn, [1, 1, -1, -1]
    assert separation(X, y).separable
    with pytest.raises(ValueError, match="no scale of the columns helps"):
        hull_smo(X, y)
    for scale in (1e-200, 1e154, 1e200):
        with pytest.raises(ValueError, match="rescale X"):
            hull_smo(scale * np.array([[0.0], [1.0]]), [1, -1])
    with pytest.raises(ValueError, match=r"multipliers.*rescale X"):
        hull_smo(1e-150 * np.array([[0.0], [1e-6], [1.0]]), [1, -1, -1])


def test_why_it_stopped():
    X, y = gaussians(30, 2, 5)
    for max_iter, reason in (
        (3, "columns of different scale"),
        (10_000, "what is left is rounding"),
    ):
        with pytest.warns(ConvergenceWarning, match=reason):
            hull_smo(X, y, tol=1e-300, max_iter=max_iter)


def test_inner_products_are_counted():
    X, y = gaussians(40, 2, 8)
    solution = hull_smo(X, y)
    assert solution.n_products == 2 * 40 * (solution.n_iter + 1) + 2 * solution.n_iter
    sweeps = hull_smo(X, y, selection="cyclic", trace=True)
    assert sweeps.n_products >= (len(sweeps.trace) - 1) * 2 * 20 * 20


def test_sweeps_through_a_thousand_points():
    X, y = gaussians(1000, 2, 10)
    solution = hull_smo(X, y, selection="cyclic")
    check_closest(solution, X, y, 1e-6)


def test_pickle():
    solution = hull_smo(*gaussians(20, 2, 8), trace=True)
    again = pickle.loads(pickle.dumps(solution))
    np.testing.assert_array_equal(again.alpha, solution.alpha)
    assert len(again.trace) == len(solution.trace)
    assert solution != again


def test_bad_input_is_refused():
    X, y = [[0.0], [1.0]], [1, -1]
    for arguments, message in [
        ({"y": [1, 1]}, "both classes"),
        ({"y": [1, -1, 1]}, "one label"),
        ({"X": [0.0, 1.0]}, "shape"),
        ({"X": [[np.nan], [1.0]]}, "finite"),
        ({"X": np.empty((0, 2)), "y": []}, "at least one"),
        ({"tol": 0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"selection": "best"}, "selection must be 'steepest' or 'cyclic', got 'best'"),
    ]:
        with pytest.raises(ValueError, match=message):
            hull_smo(**({"X": X, "y": y} | arguments))


def test_a_common_point_that_is_none_is_not_raised():
    """Thin classes in many dimensions: what neither answer can be proved for is a ValueError."""
    doubtful = 0
    for seed in range(800):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 12)), int(rng.integers(1, 12))
        X = 1 + rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-16, -1, d)
        y = np.where(np.arange(n) < n // 2, 1, -1)
        answer = separation(X, y)
        if not answer.separable and not answer.verify():
            doubtful += 1
            with pytest.raises(ValueError, match="further apart") as refused:
                hull_smo(X, y)
            assert not isinstance(refused.value, NotSeparableError)
    assert doubtful
