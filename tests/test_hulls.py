"""Every answer about hulls is true of the floats given: judged in fractions, without tolerance."""

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import count, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from svmlib.hulls import (
    NotSeparableError,
    Separation,
    _cap_along,
    certify_weights,
    closest_points,
    convex_hull,
    separating_caps,
    separation,
)
from tests import exact
from tests.hostile import problem

EPS = np.finfo(float).eps


@st.composite
def labelled(draw, max_points=14, max_features=4):
    """Small integers: many duplicates, flat classes and hulls that touch exactly."""
    n, d = draw(st.integers(2, max_points)), draw(st.integers(1, max_features))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    y = draw(arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1, 1
    if draw(st.booleans()):
        X[:, 0] = y * np.abs(X[:, 0])
    return X, y


def gaussians(n, d, distance, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.standard_normal((n, d))
    X[:, 0] += y * distance / 2
    return X, y


def smallest_cap(y):
    return 1 / min(np.sum(y > 0), np.sum(y < 0))


def rounding(X):
    """What the bounds on ‖p − q‖ can be apart: roundings of sums of d and n terms, of points."""
    n, d = X.shape
    return 4 * EPS * (n + d + 14) * np.linalg.norm(np.ptp(X, axis=0))


def linearly_separable(X, y):
    rows = -y[:, None] * np.column_stack([X, np.ones(len(y))])
    answer = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(y)), bounds=(None, None))
    return answer.status == 0


def check_separation(answer, X, y):
    if answer.separable:
        assert (y * (exact.exact(X) @ exact.exact(answer.w) + Fraction(answer.b)) > 0).all()
        assert 1 / 4 <= np.abs(answer.w).max() < 1, "in units in which nothing overflows"
        assert answer.weights is answer.point is None
        assert answer.residual == 0
    else:
        weights, scale = answer.weights, np.abs(X).max(axis=0)
        assert answer.w is answer.b is None
        assert (weights >= 0).all()
        p, q = (weights[y == s] @ X[y == s] for s in (1, -1))
        for label in (-1, 1):
            assert abs(sum(exact.exact(weights[y == label])) - 1) <= Fraction(2) ** -50
        assert (np.abs(p - q) <= 1e-14 * scale * np.sqrt(X.shape[1])).all()
        assert (np.abs(answer.point - p) <= 1e-14 * scale * np.sqrt(X.shape[1])).all()
        used = scale > 0
        moves = abs(exact.exact(weights * y) @ exact.exact(X[:, used])) / exact.exact(scale[used])
        assert max(moves, default=0) <= Fraction(answer.residual)
    assert answer.verify()


@given(labelled(), st.data())
def test_separable_is_what_linear_programming_calls_so(data, draw):
    X, y = data
    n, d = X.shape
    exponents = draw.draw(arrays(np.int64, d, elements=st.integers(-300, 300)))
    origin = draw.draw(arrays(np.float64, d, elements=st.integers(-(10**9), 10**9).map(float)))
    order = draw.draw(st.permutations(range(n)))
    expected = linearly_separable(X, y)
    moved = [(X, y), (np.ldexp(X, exponents), y), (X + origin, y), (X[order], y[order]), (X, -y)]
    for Z, labels in moved:
        answer = separation(Z, labels)
        assert answer.separable == expected
        check_separation(answer, Z, labels)


@pytest.mark.parametrize("d", [2, 6])
@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
def test_hulls_that_nearly_touch_are_told_apart_and_measured(d, distance):
    X, y = gaussians(200, d, 0, seed=d)
    X[:, 0] = y * np.abs(X[:, 0])
    X[:30, 0] = 0
    X[:, 0] += y * distance / 2
    closest = closest_points(X, y)
    assert closest.gap <= rounding(X)
    assert abs(closest.distance - distance) <= rounding(X) + 1e-3 * distance
    X[:, 0] += X[:, 1]  # so that the gap is not along an axis
    answer = separation(X, y)
    assert answer.separable
    check_separation(answer, X, y)


@pytest.mark.parametrize("far", [1e6, 1e200])
def test_a_column_that_does_not_matter_sets_no_scale(far):
    """The normal is zero in the second column, whose units may be anything."""
    for near in (0, 1 / far):
        answer = separation([[0, 0], [0, near], [far, 0], [far, near]], [-1, -1, 1, 1])
        assert answer.verify()
        assert answer.w[1] == 0
        assert 0.5 <= answer.w[0] < 2


def hardly_apart():
    """A step whose gain is rounding; two roundings apart; a constant column; b beyond floats."""
    yield [[0, -(2.0**25)], [-1, 0], [-(2.0**29), 0], [2, 1], [0, 0]], [1, -1, -1, -1, 1]
    yield [[1.7e308] * 3, [1.6e308] * 3], [1, -1]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a = rng.uniform(1, 2, (1, 3))
        yield np.vstack([a, a + 2.0**-51 * rng.choice([-1, 1], (1, 3))]), [-1, 1]
        X = rng.standard_normal((2, 4)) * [1e40, 1e10, 1e10, 1e10]
        X[:, 0] = X[0, 0]
        yield X, [-1, 1]


def test_classes_that_are_hardly_apart_are_told_apart():
    for X, y in hardly_apart():
        answer = separation(X, y)
        assert answer.separable
        assert answer.verify()


@pytest.mark.parametrize("seed", range(10))
def test_the_gap_is_at_least_half_as_wide_as_the_widest(seed):
    X, y = gaussians(100, 4, 8, seed)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)  # the scale in which it is measured
    answer = separation(X, y)
    width = (y * (X @ answer.w + answer.b)).min() / np.linalg.norm(answer.w) * 2
    assert closest_points(X, y).lower_bound / 2 <= width * (1 + 1e-9)


def test_the_error_carries_the_common_point_and_says_if_it_is_one_up_to_rounding_only():
    """Then a hyperplane may separate the classes; the answer is one of two sums."""
    X, y = np.array([[1.0, 0.0], [0.0, 0.7], [0.3, 0.49]]), np.array([-1, -1, 1])
    answer = Separation(X, y, weights=np.array([0.3, 0.7, 1.0]))
    assert 0 < answer.residual < 1e-15
    assert answer.verify()
    assert "separates the two classes up to rounding: their" in str(NotSeparableError(answer))
    error = NotSeparableError(separation([[0, 0], [2, 0], [33 / 64, 0]], [-1, -1, 1]))
    assert "separates the two classes: their" in str(error)
    assert "share the point [0.5156 0.    ]" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    np.testing.assert_array_equal(again.separation.weights, error.separation.weights)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e300])
def test_a_common_point_that_is_none_is_refused(scale):
    X, y = scale * np.repeat([[0.0], [2.0], [1.0], [1.0]], 4, axis=1), np.array([-1.0, -1, 1, 1])

    def claim(*weights):
        return Separation(X, y, weights=np.array(weights))

    assert claim(0.5, 0.5, 1.0, 0.0).verify()
    assert claim(0.5, 0.5, 1.0, 0.0).residual == 0
    assert claim(0.5, 0.5, 1 + 2.0**-51, 2.0**-51).verify(), "2⁻⁵⁰ is allowed"
    assert claim(0.5 + 1.5e-14, 0.5 - 1.5e-14, 1.0, 0.0).verify(), "2e-14 for four features"
    for error in (1.0, 1e-9, 2.5e-14, -2.5e-14, -1.0):
        assert not claim(0.5 + error, 0.5 - error, 1.0, 0.0).verify()  # sums that do not meet
        assert not claim(0.5, 0.5, 1 + error, 0.0).verify()  # no convex weights
        assert not claim(0.5 + error / 2, 0.5 + error / 2, 1 + error, 0.0).verify()
    for size in (1e-300, 1e-16):
        assert not claim(0.5, 0.5, 1.0, -size).verify()
    assert claim(0.5 + 1e-13, 0.5 - 1e-13, 1.0, 0.0).residual == pytest.approx(1e-13, rel=0.01)
    far = np.array([[-1e-310], [0.0], [1e15]]), np.array([1, -1, -1])
    assert Separation(*far, weights=np.array([1.0, 1.0, 0.0])).residual > 0, "0 would be a proof"
    assert not Separation(X, y).verify()
    middle, share = scale * np.array([[-1.0], [1], [0]]), np.array([0.5, 0.5, 0.7])
    for labels in np.array([[-1, -1, 1], [1, 1, -1]]):
        assert not Separation(middle, labels, weights=share).verify(), "one sum is not 1"


def test_a_certificate_of_the_wrong_shape_or_without_numbers_is_refused():
    X, y, nan, inf = np.array([[0.0], [3.0], [0.0]]), np.array([-1.0, 1.0, 1.0]), np.nan, np.inf
    for w in [1.0, 1.0], [], [[1.0]], 1.0, [nan], [inf], [-inf]:
        assert not Separation(X[:2], y[:2], w=np.array(w), b=-1.0).verify()
    for b in nan, inf, -inf:
        assert not Separation(X[:2], y[:2], w=np.array([1.0]), b=b).verify()
    assert Separation(X, y, weights=np.array([1.0, 0.0, 1.0])).verify()
    largest = np.finfo(float).max
    for weights in [1.0, 0.0], [1.0, 0, 1, 0], [[1.0, 0, 1]], 1.0, [1, 0, nan], [inf, 0, 1]:
        assert not Separation(X, y, weights=np.array(weights)).verify()
    assert not Separation(X, y, weights=np.array([1.0, largest, largest])).verify()


def test_a_hyperplane_is_verified_exactly():
    y, ulp, tiny = np.array([-1.0, 1.0]), 2.0**-54, 2.0**-1074
    X, third = np.array([[0.1], [0.3]]), np.array([[-0.6] * 3, [0.6] * 3])
    for points, w, b, separates in (
        (X, [3.0], -0.3, False),  # float 3 · 0.1 > 0.3
        (X, [1.0], -0.1, False),
        (X, [-1.0], 0.2, False),  # each on the other side
        (X, [1.0], np.nextafter(-0.1, -1), True),
        (third, [tiny] * 3, -2 * tiny, False),  # of three products of 0.6 each is rounded to 1
        (third, [tiny] * 3, -tiny, True),
    ):
        assert Separation(points, y, w=np.array(w), b=float(b)).verify() == separates
    many = np.append(1.0, np.full(1000, -ulp))
    for order in (*permutations([1.0, -ulp, -ulp]), many):  # the small ones may vanish
        n = len(order)
        for scale in 1, -(2**20):
            X, w = scale * np.vstack([-5 * np.eye(n)[0], order]), np.full(n, np.sign(scale))
            for b, above in ((n - 1) * ulp - 1, False), ((n + 1) * ulp - 1, True):  # f = 0, f > 0
                assert Separation(X, y, w=w, b=abs(scale) * b).verify() == above


def check_closest(closest, X, y):
    weights, size = closest.weights, np.abs(X).max()
    assert ((weights >= 0) & (weights <= closest.cap)).all()
    for label, point in ((1, closest.p), (-1, closest.q)):
        np.testing.assert_allclose(weights[y == label].sum(), 1, rtol=1e-13)
        np.testing.assert_allclose(weights[y == label] @ X[y == label], point, atol=1e-13 * size)
    w = closest.p - closest.q
    np.testing.assert_allclose(closest.w, w, atol=1e-13 * size)
    np.testing.assert_allclose(closest.distance, np.linalg.norm(w), atol=1e-13 * size + rounding(X))
    assert 0 <= closest.gap <= rounding(X)
    halfway = closest.w @ (closest.p + closest.q) / 2 + closest.b
    assert abs(halfway) <= 1e-13 * size * max(closest.distance, EPS * size)


def check_bounds(closest, X, y):
    X, y, w, cap = *map(exact.exact, (X, y, closest.w)), Fraction(closest.cap)
    v = (exact.feasible(closest.weights, y, cap) * y) @ X
    assert v @ v <= Fraction(closest.distance) ** 2
    third = replace(closest, lower_bound=closest.distance / 3)
    assert Fraction(third.distance) - Fraction(third.lower_bound) <= Fraction(third.gap)
    assert Fraction(closest.lower_bound) ** 2 <= exact.proved_by(w, X, y, cap)


@pytest.mark.parametrize("scales", [(-10, 10), (-145, 135)])
@pytest.mark.parametrize("seed", range(25))
def test_the_distance_of_reduced_hulls_is_between_its_bounds(seed, scales):
    X, y = problem(seed, scales=scales)
    smallest = smallest_cap(y)
    for cap in (1.0, smallest + (1 - smallest) * seed / 25, smallest):
        closest = closest_points(X, y, cap)
        check_closest(closest, X, y)
        check_bounds(closest, X, y)


@pytest.mark.parametrize("seed", [78, 94, 107, 121, 130, 296])
def test_a_vertex_that_depends_on_the_others_takes_no_step(seed):
    X, y = gaussians(4, 3, 6, seed)
    check_closest(closest_points(X, y), X, y)


@pytest.mark.parametrize("seed", range(15))
def test_any_weights_and_any_direction_prove_no_more_than_is_true(seed):
    X, y = problem(seed)
    if seed % 3 == 0:  # far from the origin in each of many features
        X = np.outer(y, np.ones(400))
    rng = np.random.default_rng(seed)
    weights, w = rng.random(len(y)) ** 8, rng.standard_normal(X.shape[1])
    for label in (-1, 1):
        total = 1 + rng.choice([-1e-9, 0, 1e-9])  # careless sums, of one class or of both
        weights[y == label] *= total / weights[y == label].sum()
    for cap in (1.0, min(max(weights.max(), smallest_cap(y)), 1.0)):
        check_bounds(certify_weights(X, y, weights, cap, w), X, y)


@pytest.mark.parametrize("points", [True, False])
def test_what_sums_of_many_points_or_features_forget_is_bounded(points):
    """Each term is forgotten beside 1: of weights that add up to 1, or of squares."""
    small = np.full(4000, 0.75 * 2.0**-54)
    X = np.ones((4001, 1)) if points else np.append(1.0, np.sqrt(small))[None]
    weights = np.append(1 - small.sum(), small) if points else np.ones(1)
    X, y = np.vstack([X, -X[:1]]), np.append(np.ones(len(X)), -1.0)
    check_bounds(certify_weights(X, y, np.append(weights, 1.0)), X, y)


@pytest.mark.parametrize(("n", "d"), [(3000, 2), (1000, 50), (100, 150)])
@pytest.mark.parametrize("distance", [0, 30])
def test_many_points_and_many_features(n, d, distance):
    X, y = gaussians(n, d, distance)
    answer = separation(X, y)
    assert answer.separable == (distance > 0 or d >= n)
    assert answer.verify()
    for cap in (1.0, 0.05, 2.5 / n):
        check_closest(closest_points(X, y, cap), X, y)
    if d == 2:
        caps = separating_caps(X, y)
        assert caps.supremum - caps.lower_bound <= 1e-11 * caps.supremum


@pytest.mark.parametrize("end", [1 / 20, 1.0])
def test_a_cap_may_miss_its_ends_by_rounding(end):
    X, y = gaussians(40, 3, 1)
    for cap in (end, end * (1 - EPS), end * (1 + EPS)):
        found = closest_points(X, y, cap).cap
        assert 1 / 20 <= found <= 1
        assert found == pytest.approx(end, rel=1e-15)
    with pytest.raises(ValueError, match="cap must be"):
        closest_points(X, y, end * (1 + (1e-12 if end == 1 else -1e-12)))


@pytest.mark.parametrize("seed", [*range(60), 715000104])  # the last: nearest point on an edge
def test_the_supremum_of_the_separating_caps_is_between_its_bounds(seed):
    X, y = problem(seed, scales=(-300, 250) if seed % 4 == 1 else (-10, 10))
    answer, caps = separation(X, y), separating_caps(X, y)
    check_separation(answer, X, y)
    assert caps.smallest == smallest_cap(y)
    assert (caps.weights is None) == answer.separable
    if caps.weights is None:
        assert caps.supremum == caps.lower_bound == 1
        assert not caps.none_separates
        return
    assert Separation(X, y, weights=caps.weights).verify()
    assert 1 <= caps.supremum / caps.weights.max() <= 1 + 1e-14
    assert caps.none_separates == (caps.supremum <= caps.smallest)
    assert caps.lower_bound <= caps.supremum <= caps.lower_bound * (1 + 1e-10)


def along_a_direction():
    """Points a million times as far across; and small features, forgotten beside 1."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y, w = np.tile([-1, 1], 4), np.append(rng.uniform(-1, 1, 2), 1.0)
        heights, across = 1e-6 * (y + rng.normal(size=8)), rng.normal(size=8)
        yield w, 2.0**20 * (np.outer(heights, w) + np.outer(across, [1, 1, -w[0] - w[1]])), y
    w = np.append(1.0, np.full(20_000, 2.0**-27))
    Z = np.outer([1, 0, 0, 0], -w) + np.outer([0, 1, 0, -0.1], w == 1)
    yield w, Z, np.array([1, 1, -1, -1])
    yield np.ones(1), np.array([[1.0], [-1.0]]), np.array([1, -1])  # no cap is above 1


def test_the_cap_up_to_which_a_direction_separates_is_proved():
    for w, Z, y in along_a_direction():
        _, cap = _cap_along(w, Z, y)
        heights = y * (exact.exact(Z) @ exact.exact(w))
        means = [exact.least_mean(heights[y == label], Fraction(cap)) for label in (-1, 1)]
        assert cap < 2 / len(y) or sum(means) >= 0
    assert cap == 1


def test_a_direction_that_proves_nothing_leaves_the_smallest_cap():
    X = [[1, -2], [1, 1], [0, -1], [-1, 2], [1, -2], [2, 2], [1, -2], [0, 1]]
    caps = separating_caps(X, [-1, 1, 1, 1, 1, -1, -1, 1])
    assert caps.smallest * (1 - 1e-14) <= caps.lower_bound <= caps.supremum


def test_the_search_for_a_cap_ends_though_every_direction_gains_little(monkeypatch):
    calls = count(1)
    monkeypatch.setattr("svmlib.hulls._cap_along", lambda *_: (0.5 + 1e-6 * next(calls), 0.0))
    assert 0.75 <= separating_caps([[0.0], [2.0], [1.0], [3.0]], [-1, -1, 1, 1]).supremum <= 1
    assert next(calls) < 500


def test_a_search_for_closest_points_ends_where_each_gain_is_rounding(monkeypatch):
    cycles = iter(range(1000))
    monkeypatch.setattr("svmlib._wolfe.range", lambda _: cycles, raising=False)
    for seed in 55, 272, 361, 553:
        closest_points(*problem(seed, most_points=30, most_features=8))
    assert next(cycles) < 200, "of all searches together"


def test_a_search_for_closest_points_that_is_cut_short_has_true_bounds(monkeypatch):
    X, y = gaussians(100, 40, 0.4)
    best = closest_points(X, y, 0.04)
    monkeypatch.setattr("svmlib._wolfe._MAX_CYCLES", 20)
    short = closest_points(X, y, 0.04)
    assert best.gap < 1e-11 < short.gap
    assert short.lower_bound <= best.distance
    assert best.lower_bound <= short.distance


@pytest.mark.parametrize("far", [0, 1, 2**30])
@pytest.mark.parametrize("seed", range(10))
def test_the_lower_bound_on_the_largest_cap_holds_exactly(seed, far):
    """Two points a class on a line, once on each side of it: there the supremum is a fraction."""
    rng = np.random.default_rng(seed)
    a, c, b, d = sorted(rng.choice(1000, 4, replace=False).tolist())
    if seed % 2:  # one of them in the very middle, where bounds on rounding are least
        d = 2 * b - a
    on, off = np.outer((a, b, c, d), (3, 1)), far * np.outer(rng.integers(1, 999, 4), (-1, 3))
    caps = separating_caps(np.vstack((on + off, on - off)), [-1, -1, 1, 1] * 2)
    assert Fraction(caps.lower_bound) <= Fraction(d - a, 2 * (b - a + d - c))


def test_no_cap_separates_equal_centroids_whatever_the_rounding_of_the_weights():
    for k, d, more in [(3, 2, 0), (7, 2, 0), (23, 2, 0), (5, 3, 1), (37, 3, 3)]:
        plus, minus = np.random.default_rng(k).integers(-50, 51, size=(2, k, d))
        X = np.vstack((plus, -plus, np.zeros((more, d)), minus, -minus))
        y = np.repeat([1, -1], [2 * k + more, 2 * k])
        answer = separating_caps(X, y)
        assert answer.none_separates
        assert answer.supremum == answer.smallest == 1 / (2 * k)
        assert Fraction(answer.lower_bound) <= Fraction(1, 2 * k)
    assert separating_caps(np.ones((4, 2)), [1, 1, -1, -1]).none_separates, "all are one point"


def distance_to_hull(point, corners):
    y = np.append(np.ones(len(corners)), -1)
    return closest_points(np.vstack([corners, point]), y).lower_bound


@given(labelled(12), st.integers(0, 4), st.sampled_from([0, 1e6, -1e9]), st.data())
def test_vertices_are_the_extreme_points(data, rank, move, draw):
    """Also in a flat of dimension at most `rank`. No point is outside; no corner is inside."""
    X, _ = data
    mix = draw.draw(arrays(np.float64, (X.shape[1],) * 2, elements=st.integers(-2, 2).map(float)))
    mix[rank:] = 0
    points = X @ mix + move
    hull = convex_hull(points)
    np.testing.assert_array_equal(hull.points, points)
    for scale in (2.0**-40, 2.0**40):
        assert len(convex_hull(scale * points).vertices) == len(hull.vertices)
    corners = points[hull.vertices]
    assert len(np.unique(corners, axis=0)) == len(corners)
    for point in points:
        assert distance_to_hull(point, corners) == 0
    for k in range(len(corners) if len(corners) > 1 else 0):
        assert distance_to_hull(corners[k], np.delete(corners, k, axis=0)) > 1e-9


def test_a_polygon_runs_counter_clockwise():
    for seed in range(10):
        points = np.random.default_rng(seed).standard_normal((30, 2))
        for mirrored in (points, points * [1, -1]):
            x, y = mirrored[convex_hull(mirrored).vertices].T
            dx, dy = np.roll(x, -1) - x, np.roll(y, -1) - y
            assert (dx * np.roll(dy, -1) > dy * np.roll(dx, -1)).all()
            assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0


def test_three_points_in_many_dimensions_are_a_triangle():
    """In memory for three points: all the axes of so many dimensions would take 80 GB."""
    points = np.random.default_rng(0).normal(size=(3, 100_000))
    assert sorted(convex_hull(points).vertices) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(20))
def test_a_long_thin_hull_keeps_its_corners(seed):
    rng = np.random.default_rng(seed)
    box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1e-6) for z in (0, 1e-8)])
    middles = (box[rng.integers(0, 8, 30)] + box[rng.integers(0, 8, 30)] + box.mean(axis=0)) / 3
    points = np.vstack([box, middles]) @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
    assert sorted(convex_hull(points).vertices) == list(range(8))
    needle = np.array([[0.0, 0], [1, 1e-13], [2, 0], [1, -1e-13], [1, 0]])
    assert sorted(convex_hull(needle).vertices) == [0, 1, 2, 3]
    t = rng.uniform(size=50)
    line = np.array([1e3, 1 / 9, -1e5]) + np.outer(t, [1 / 3, 1 / 7, 0.1])
    assert set(convex_hull(line).vertices) == {t.argmin(), t.argmax()}
