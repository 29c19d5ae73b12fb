import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from sklearn.svm import SVC

from svmlib.hulls import (
    NotSeparableError,
    Separation,
    _cap_along,
    certify_weights,
    closest_points,
    convex_hull,
    largest_separating_cap,
    separation,
)
from tests import exact
from tests.hostile import problem

EPS = np.finfo(float).eps


@st.composite
def labelled(draw, max_points=14, max_features=4, size=4):
    """Small integers: many duplicates, flat classes and hulls that touch exactly."""
    n = draw(st.integers(2, max_points))
    d = draw(st.integers(1, max_features))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-size, size).map(float)))
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


def linearly_separable(X, y):
    """Another formulation: is y_i (w·x_i + b) ≥ 1 feasible?"""
    rows = -y[:, None] * np.column_stack([X, np.ones(len(y))])
    answer = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(y)), bounds=(None, None))
    return answer.status == 0


def check_certificate(answer, X, y):
    """Check the answer of `separation` without calling any of its methods."""
    if answer.separable:
        assert (y * (exact.exact(X) @ exact.exact(answer.w) + Fraction(answer.b)) > 0).all()
        assert answer.weights is None
        assert answer.point is None
        assert answer.residual == 0
    else:
        weights = answer.weights
        assert answer.w is None
        assert answer.b is None
        assert (weights >= 0).all()
        p, q = (weights[y == s] @ X[y == s] for s in (1, -1))
        np.testing.assert_allclose([weights[y == s].sum() for s in (1, -1)], 1, rtol=1e-14)
        scale = np.abs(X).max(axis=0)
        assert (np.abs(p - q) <= 1e-14 * scale * np.sqrt(X.shape[1])).all()
        assert (np.abs(answer.point - p) <= 1e-14 * scale * np.sqrt(X.shape[1])).all()
    assert answer.verify()


class TestSeparation:
    @given(labelled())
    def test_agrees_with_linear_programming(self, data):
        X, y = data
        answer = separation(X, y)
        assert answer.separable == linearly_separable(X, y)
        check_certificate(answer, X, y)

    @given(labelled(), st.data())
    def test_does_not_depend_on_units_origin_order_or_names_of_classes(self, data, draw):
        X, y = data
        n, d = X.shape
        expected = separation(X, y).separable
        exponents = draw.draw(arrays(np.int64, d, elements=st.integers(-300, 300)))
        origin = draw.draw(arrays(np.float64, d, elements=st.integers(-(10**9), 10**9).map(float)))
        order = draw.draw(st.permutations(range(n)))
        for Z, labels in [
            (np.ldexp(X, exponents), y),
            (X + origin, y),
            (X[order], y[order]),
            (X, -y),
        ]:
            answer = separation(Z, labels)
            assert answer.separable == expected
            check_certificate(answer, Z, labels)

    @pytest.mark.parametrize("d", [2, 5, 20])
    @pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
    def test_nearly_touching_hulls_are_separated(self, d, distance):
        X, y = gaussians(200, d, 0, seed=d)
        X[:, 0] = y * np.abs(X[:, 0])
        X[:10, 0] = 0
        X[:, 0] += y * distance / 2
        X[:, 0] += X[:, 1]  # so that the gap is not along an axis
        answer = separation(X, y)
        assert answer.separable
        check_certificate(answer, X, y)

    def test_two_points_two_roundings_apart_are_told_apart(self):
        """Only a b whose two inner products are exact is between them every time."""
        for seed in range(400):
            rng = np.random.default_rng(seed)
            a = rng.uniform(1, 2, (1, 3))
            X = np.vstack([a, a + 2.0**-51 * rng.choice([-1, 1], (1, 3))])
            assert separation(X, [-1, 1]).separable

    @pytest.mark.parametrize(
        ("X", "y"),
        [
            ([[0], [1], [1], [2]], [-1, -1, 1, 1]),  # two segments with a common end
            ([[0, 0], [2, 2], [1, 1], [5, 0]], [-1, -1, 1, 1]),  # a corner on an edge
            ([[0, 0], [2, 0], [0, 2], [2, 2], [1, 1]], [-1, -1, -1, -1, 1]),  # inside
            ([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]),  # exclusive or
            ([[0, 0], [3, 0], [1, 0], [4, 0]], [-1, -1, 1, 1]),  # overlap on a line
            ([[7, 7]] * 5, [1, -1, 1, -1, -1]),  # all the same
            ([[1, 2], [1, 2]], [1, -1]),  # two copies with opposite labels
        ],
    )
    def test_touching_hulls_are_not_separable(self, X, y):
        for move in (0, 1e6):
            Z, labels = np.asarray(X, dtype=float) + move, np.asarray(y)
            answer = separation(Z, labels)
            assert not answer.separable
            check_certificate(answer, Z, labels)

    def test_a_false_certificate_is_refused(self):
        X, y = gaussians(20, 2, 20)
        good = separation(X, y)
        assert not Separation(X, y, w=-good.w, b=good.b).verify()
        through_a_point = -float((X @ good.w)[0])
        assert not Separation(X, y, w=good.w, b=through_a_point - 1e-3 * y[0]).verify()
        assert not Separation(X, y).verify()
        assert not Separation(X, y, weights=np.full(20, 0.1)).verify()

    @pytest.mark.parametrize("seed", range(20))
    def test_the_gap_is_at_least_half_as_wide_as_the_widest(self, seed):
        X, y = gaussians(100, 4, 8, seed)
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)  # the scale in which it is measured
        answer = separation(X, y)
        width = (y * (X @ answer.w + answer.b)).min() / np.linalg.norm(answer.w) * 2
        assert closest_points(X, y).lower_bound / 2 <= width * (1 + 1e-9)

    def test_verify_is_exact_where_rounding_decides(self):
        X, y = np.array([[1.0, 1.0], [1.0, 1.0 + 2 * EPS]]), np.array([-1.0, 1.0])
        w = np.array([1.0, 1.0])
        assert Separation(X, y, w=w, b=-2.0 - 2 * EPS).verify() is False  # f = 0 at the second
        assert Separation(X, y, w=w, b=-2.0).verify() is False  # f = 0 at the first
        w = np.array([3.0, 1.0])
        assert Separation(X, y, w=w, b=-4.0).verify() is False
        assert Separation(X, y, w=np.array([-1.0, 1.0]), b=-EPS).verify()

        ulp = 2.0**-54  # added to one from the left, the two small numbers vanish one by one
        for order in permutations([1.0, -ulp, -ulp]):
            X = np.array([order, [-5, 0, 0]])
            assert not Separation(X, y[::-1], w=np.ones(3), b=2 * ulp - 1).verify()  # f = 0
            assert Separation(X, y[::-1], w=np.ones(3), b=3 * ulp - 1).verify()

    def test_error_carries_the_common_point(self):
        X, y = [[0.0, 0], [2, 0], [1, 0]], [-1, -1, 1]
        error = NotSeparableError(separation(X, y))
        assert isinstance(error, ValueError)
        assert "share the point [1. 0.]" in str(error)
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        np.testing.assert_array_equal(again.separation.weights, error.separation.weights)


class TestNearMissesAreRefused:
    """A certificate that is wrong by little is wrong."""

    X, y = np.array([[0.0], [2.0], [1.0]]), np.array([-1.0, -1, 1])

    def point(self, *weights):
        return Separation(self.X, self.y, weights=np.array(weights))

    @pytest.mark.parametrize("error", [1.0, 1e-9, 1e-14, -1e-14, -1.0])
    def test_sums_that_are_not_one(self, error):
        assert self.point(0.5, 0.5, 1.0).verify()
        assert self.point(0.5, 0.5, 1.0).residual == 0
        assert not self.point(0.5, 0.5, 1 + error).verify()
        assert not self.point(0.5, 0.5 + error, 1.0).verify()
        assert not self.point(0.5 + error, 0.5 + error, 1 + error).verify()

    @pytest.mark.parametrize("size", [1e-300, 1e-20, 1e-16, 1e-9])
    def test_negative_weights(self, size):
        X, y = np.array([[0.0], [2.0], [1.0], [1.0]]), np.array([-1.0, -1, 1, 1])
        assert not Separation(X, y, weights=np.array([0.5, 0.5, 1.0, -size])).verify()
        assert Separation(X, y, weights=np.array([0.5, 0.5, 1.0, 0.0])).verify()

    @pytest.mark.parametrize("move", [1e-13, 1e-10, -1e-13])
    def test_sums_that_do_not_meet(self, move):
        assert not self.point(0.5 + move, 0.5 - move, 1.0).verify()
        assert self.point(0.5 + move, 0.5 - move, 1.0).residual == pytest.approx(
            abs(move), rel=0.01
        )

    @pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
    def test_the_residual_is_relative_to_the_column(self, scale):
        X = self.X * [[scale]] + np.zeros((3, 2)) * [1, 0]
        for weights, verdict in (([0.5, 0.5, 1.0], True), ([0.5 + 1e-12, 0.5 - 1e-12, 1.0], False)):
            assert Separation(X, self.y, weights=np.array(weights)).verify() == verdict

    def test_a_hyperplane_through_a_point(self):
        X, y = np.array([[0.1], [0.3]]), np.array([-1, 1])
        assert not Separation(X, y, w=np.array([3.0]), b=-0.3).verify()  # float 3 · 0.1 > 0.3
        assert not Separation(X, y, w=np.array([1.0]), b=-0.1).verify()
        assert Separation(X, y, w=np.array([1.0]), b=float(np.nextafter(-0.1, -1))).verify()

    def test_malformed_data_are_named(self):
        with pytest.raises(ValueError, match="both classes"):
            Separation([[0.0], [1.0]], [1, 1], w=np.array([0.0]), b=1.0).verify()


class TestBoundsAgainstFractions:
    """What is reported is true of the floats given, taken as exact numbers, without tolerance."""

    @pytest.mark.parametrize("scales", [(-10, 10), (-145, 135)])
    @pytest.mark.parametrize("seed", range(100))
    def test_closest_points(self, seed, scales):
        X, y = problem(seed, scales=scales)
        smallest = smallest_cap(y)
        for cap in (1.0, smallest + (1 - smallest) * seed / 100, smallest):
            closest, mu = closest_points(X, y, cap), Fraction(cap)
            weights = exact.feasible(closest.weights, y, mu)
            v = (weights * exact.exact(y)) @ exact.exact(X)
            assert Fraction(closest.distance) ** 2 >= v @ v >= Fraction(closest.lower_bound) ** 2
            assert closest.gap <= rounding(X)
            squared = exact.distance_squared(X, y, closest.weights, mu)
            if squared is not None:
                assert (
                    Fraction(closest.lower_bound) ** 2 <= squared <= Fraction(closest.distance) ** 2
                )

    @pytest.mark.parametrize("seed", range(60))
    def test_any_weights_and_any_direction(self, seed):
        X, y = problem(seed)
        rng = np.random.default_rng(seed)
        weights, w = rng.random(len(y)) ** 8, rng.standard_normal(X.shape[1])
        for label in (-1, 1):
            weights[y == label] *= (1 + 1e-9) / weights[y == label].sum()  # a careless sum
        for cap in (1.0, min(max(weights.max(), smallest_cap(y)), 1.0)):
            closest = certify_weights(X, y, weights, cap, w)
            v = (exact.feasible(weights, y) * exact.exact(y)) @ exact.exact(X)
            assert Fraction(closest.distance) ** 2 >= v @ v
            proved = exact.proved_by(exact.exact(w), exact.exact(X), exact.exact(y), Fraction(cap))
            assert Fraction(closest.lower_bound) ** 2 <= proved

    @pytest.mark.parametrize("seed", range(150))
    def test_largest_separating_cap(self, seed):
        X, y = problem(seed)
        caps = largest_separating_cap(X, y)
        assert caps.smallest == smallest_cap(y)
        assert (caps.weights is None) == separation(X, y).separable
        if caps.weights is None:
            assert caps.supremum == caps.lower_bound == 1
            assert not caps.none_separates
            return
        assert Separation(X, y, weights=caps.weights).verify()
        most = caps.weights.max()
        assert most <= caps.supremum <= most * (1 + 1e-14)
        assert caps.none_separates == (caps.supremum <= caps.smallest)
        assert caps.lower_bound <= caps.supremum <= caps.lower_bound * (1 + 1e-10)
        cap = exact.largest_cap(X, y, caps.weights, caps.supremum)
        if cap is not None:
            assert Fraction(caps.lower_bound) <= cap <= Fraction(caps.supremum * (1 + 1e-14))

    @pytest.mark.parametrize("seed", range(30))
    def test_the_cap_that_a_direction_proves_where_its_heights_are_rounding(self, seed):
        rng = np.random.default_rng(seed)
        y, w, Z = np.repeat([1.0, -1.0], 5), rng.uniform(0.5, 1, 3), rng.uniform(-0.3, 0.3, (10, 3))
        Z[:, 0] = 1e-16 * (y + rng.standard_normal(10)) - (Z[:, 1:] @ w[1:]) / w[0]
        heights = exact.exact(y) * (exact.exact(Z) @ exact.exact(w))
        caps = [Fraction(0)]
        for level in ((p, m) for p in heights[y > 0] for m in heights[y < 0] if p + m > 0):
            below = [max(level[int(y[i] < 0)] - h, Fraction(0)) for i, h in enumerate(heights)]
            caps.append(sum(level) / sum(below) if any(below) else Fraction(1))
        best = max(caps)
        assert Fraction(_cap_along(w, Z, y)[1]) <= best

    def test_what_is_inseparable_always_passes_its_own_verification(self):
        on_an_edge = 715000104  # the point of a triangle that is nearest to 0, exactly
        for seed in (*range(300), on_an_edge):
            X, y = problem(seed)
            answer = separation(X, y)
            assert answer.verify()
            if not answer.separable:
                sums = [sum(exact.exact(answer.weights[y == label])) for label in (-1, 1)]
                assert max(abs(total - 1) for total in sums) <= Fraction(2) ** -50

    @pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-154, 1e154, 1e200, 1e300])
    def test_right_or_refused_beyond_the_squares_of_floats(self, scale):
        X, y = gaussians(30, 2, 8)
        assert separation(X * scale, y).verify()
        touching = np.vstack([X, X[:1], X[:1]]) * scale, np.append(y, [1, -1])
        caps = largest_separating_cap(*touching)
        assert Separation(*touching, weights=caps.weights).verify()
        for refused in (lambda: closest_points(X * scale, y), lambda: convex_hull(X * scale)):
            with pytest.raises(ValueError, match=r"X must have coordinates below .*: rescale X"):
                refused()

    def test_ten_thousand_points(self):
        caps = largest_separating_cap(*gaussians(10_000, 2, 1))
        assert caps.supremum - caps.lower_bound <= 1e-11 * caps.supremum


@pytest.mark.parametrize("function", [separation, closest_points, largest_separating_cap])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], [1, 1], "both classes"),
        ([[0.0], [np.nan]], [1, -1], "finite"),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], "-1 and"),
    ],
)
def test_bad_data_are_refused(function, X, y, message):
    with pytest.raises(ValueError, match=message):
        function(X, y)


def smallest_cap(y):
    return 1 / min(np.sum(y > 0), np.sum(y < 0))


def rounding(X):
    """What the bounds on ‖p − q‖ can be apart: roundings of sums of d and n terms, of points."""
    n, d = X.shape
    return 4 * EPS * (n + d + 14) * np.linalg.norm(np.ptp(X, axis=0))


def check_closest(closest, X, y):
    """Weights, points, distance and bound, each from its definition."""
    weights = closest.weights
    assert (weights >= 0).all()
    assert (weights <= closest.cap).all()
    size = np.abs(X).max()
    for label, point in ((1, closest.p), (-1, closest.q)):
        np.testing.assert_allclose(weights[y == label].sum(), 1, rtol=1e-13)
        np.testing.assert_allclose(weights[y == label] @ X[y == label], point, atol=1e-13 * size)
    np.testing.assert_allclose(
        closest.distance, np.linalg.norm(closest.p - closest.q), atol=1e-13 * size + rounding(X)
    )
    assert 0 <= closest.gap <= rounding(X)
    np.testing.assert_allclose(closest.w, closest.p - closest.q, atol=1e-13 * size)
    halfway = closest.w @ (closest.p + closest.q) / 2 + closest.b
    assert abs(halfway) <= 1e-13 * size * max(closest.distance, EPS * size)


class TestClosestPoints:
    @given(labelled(), st.floats(0, 1))
    def test_certificate(self, data, fraction):
        X, y = data
        cap = smallest_cap(y) + fraction * (1 - smallest_cap(y))
        for mu in (1.0, cap):
            check_closest(closest_points(X, y, mu), X, y)

    @pytest.mark.parametrize(("n", "d"), [(20, 2), (200, 5), (60, 80)])
    def test_whole_hulls_give_the_optimal_margin_classifier(self, n, d):
        X, y = gaussians(n, d, 8, seed=n)
        closest = closest_points(X, y)
        svc = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(closest.distance, 2 / np.linalg.norm(svc.coef_), rtol=1e-6)
        w, b = 2 * closest.w / closest.distance**2, 2 * closest.b / closest.distance**2
        np.testing.assert_allclose(w, svc.coef_[0], atol=1e-5)
        np.testing.assert_allclose(b, svc.intercept_[0], atol=1e-5)
        np.testing.assert_allclose((y * (X @ w + b)).min(), 1, rtol=1e-12)

    @pytest.mark.parametrize("end", [1 / 20, 1.0])
    def test_a_cap_may_miss_its_ends_by_rounding(self, end):
        X, y = gaussians(40, 3, 1)
        for cap in (end, end * (1 - EPS), end * (1 + EPS)):
            taken = closest_points(X, y, cap).cap
            assert taken == pytest.approx(end, rel=1e-15)
            assert 1 / 20 <= taken <= 1
        with pytest.raises(ValueError, match="cap must be"):
            closest_points(X, y, end * (1 + (1e-12 if end == 1 else -1e-12)))

    def test_translation_and_rotation(self):
        X, y = gaussians(50, 3, 8)
        turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
        for origin, tol in ((0, 1e-13), (1e3, 1e-11), (1e6, 1e-8), (1e9, 1e-5)):
            one, other = closest_points(X, y), closest_points(X @ turn + origin, y)
            np.testing.assert_allclose(other.distance, one.distance, rtol=tol)
            np.testing.assert_allclose(other.p, one.p @ turn + origin, rtol=tol, atol=tol)
            assert other.gap <= rounding(X)  # for the data as rounded, however far away

    @pytest.mark.parametrize("distance", [1e-4, 1e-8, 1e-12, 1e-14])
    @pytest.mark.parametrize("d", [2, 6])
    def test_the_gap_stays_at_rounding_where_hulls_nearly_touch(self, distance, d):
        X, y = gaussians(300, d, 0, seed=d)
        X[:, 0] = y * np.abs(X[:, 0])
        X[:30, 0] = 0
        X[:, 0] += y * distance / 2
        closest = closest_points(X, y)
        assert closest.gap <= rounding(X)
        assert abs(closest.distance - distance) <= rounding(X) + 1e-3 * distance

    @pytest.mark.parametrize(("n", "d"), [(4000, 2), (3000, 100), (200, 300)])
    @pytest.mark.parametrize("distance", [0, 30])
    def test_large(self, n, d, distance):
        X, y = gaussians(n, d, distance)
        answer = separation(X, y)
        assert answer.separable == (distance > 0 or d >= n)
        assert answer.verify()
        for cap in (1.0, 0.05, 2.5 / n):
            check_closest(closest_points(X, y, cap), X, y)

    @pytest.mark.parametrize("cap", [0.4, 1.5, -1, 0, np.nan, np.inf, "1"])
    def test_caps_that_are_none(self, cap):
        with pytest.raises(ValueError, match="cap must be"):
            closest_points([[0.0], [1], [2], [3], [4]], [-1, -1, -1, 1, 1], cap)


class TestLargestSeparatingCap:
    @pytest.mark.parametrize("k", [3, 5, 7, 11, 23])
    def test_equal_centroids_whatever_the_rounding_of_the_weights(self, k):
        """The two classes are mirror images of themselves in the same point."""
        plus, minus = np.random.default_rng(k).integers(-50, 51, size=(2, k, 2))
        X, y = np.vstack((plus, -plus, minus, -minus)), np.repeat([1, -1], 2 * k)
        answer = largest_separating_cap(X, y)
        assert answer.none_separates
        assert answer.supremum == answer.smallest == 1 / (2 * k)

    def test_units(self):
        X, y = gaussians(60, 3, 1)
        expected = largest_separating_cap(X, y).supremum
        moved = X * [1e-8, 1, 1e8] + [1e-6, 1e3, 1e9]
        np.testing.assert_allclose(largest_separating_cap(moved, y).supremum, expected, rtol=1e-6)


def distance_to_hull(point, corners):
    """How far it is at least; judged above."""
    y = np.append(np.ones(len(corners)), -1)
    return closest_points(np.vstack([corners, point]), y).lower_bound


class TestConvexHull:
    @given(labelled(max_points=12, max_features=4), st.integers(0, 4), st.data())
    @settings(max_examples=60)
    def test_vertices_are_the_extreme_points(self, data, rank, draw):
        """Also in a flat of dimension at most `rank`. No point is outside; no corner is inside."""
        X, _ = data
        mix = draw.draw(
            arrays(np.float64, (X.shape[1],) * 2, elements=st.integers(-2, 2).map(float))
        )
        mix[rank:] = 0
        points = X @ mix
        corners = points[convex_hull(points).vertices]
        assert len(np.unique(corners, axis=0)) == len(corners)
        for point in points:
            assert distance_to_hull(point, corners) == 0
        for k in range(len(corners) if len(corners) > 1 else 0):
            assert distance_to_hull(corners[k], np.delete(corners, k, axis=0)) > 1e-9

    def test_polygon_runs_counter_clockwise(self):
        for seed in range(10):
            points = np.random.default_rng(seed).standard_normal((30, 2))
            for mirrored in (points, points * [1, -1]):
                x, y = mirrored[convex_hull(mirrored).vertices].T
                dx, dy = np.roll(x, -1) - x, np.roll(y, -1) - y
                assert (dx * np.roll(dy, -1) > dy * np.roll(dx, -1)).all()
                assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0

    @pytest.mark.parametrize(
        ("points", "n_vertices"),
        [
            ([[3.0]], 1),
            ([[1.0, 2], [1, 2], [1, 2]], 1),
            ([[5.0], [1], [3], [1]], 2),
            ([[0.0, 0], [1, 3], [2, 6], [1, 3]], 2),
            ([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1], [0.5, 0.5, 1]], 4),
            (np.stack(np.meshgrid(*[[0.0, 0.5, 1.0]] * 3), axis=-1).reshape(-1, 3), 8),
        ],
    )
    @pytest.mark.parametrize(
        ("scale", "move"), [(1, 0), (1e-12, 0), (1e12, 0), (1, 1e6), (1, -1e9)]
    )
    def test_degenerate(self, points, n_vertices, scale, move):
        points = np.array(points) * scale + move
        hull = convex_hull(points)
        assert len(hull.vertices) == n_vertices
        np.testing.assert_array_equal(hull.points, points)

    def test_points_on_a_line_up_to_rounding(self):
        t = np.random.default_rng(0).uniform(size=50)
        line = np.array([1e3, 1 / 9, -1e5]) + np.outer(t, [1 / 3, 1 / 7, 0.1])
        assert set(convex_hull(line).vertices) == {t.argmin(), t.argmax()}

    @pytest.mark.parametrize("thickness", [1e-9, 1e-13])
    def test_very_thin_but_not_flat(self, thickness):
        points = np.array([[0.0, 0], [1, thickness], [2, 0], [1, -thickness], [1, 0]])
        assert sorted(convex_hull(points).vertices) == [0, 1, 2, 3]

    @pytest.mark.parametrize("seed", range(20))
    def test_a_long_thin_hull_in_space_keeps_its_corners(self, seed):
        """A box a million times as long as thick, turned."""
        rng = np.random.default_rng(seed)
        box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1e-6) for z in (0, 1e-8)])
        middles = (box[rng.integers(0, 8, 30)] + box[rng.integers(0, 8, 30)] + box.mean(axis=0)) / 3
        points = np.vstack([box, middles]) @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
        assert sorted(convex_hull(points).vertices) == list(range(8))


def test_a_separation_keeps_points_of_its_own():
    X, y = np.array([[0.0], [2.0], [1.0]]), np.array([-1, -1, 1])
    result = separation(X, y)
    X[:], y[:] = 7, [1, 1, -1]
    assert result.point == 1
    assert result.verify()
