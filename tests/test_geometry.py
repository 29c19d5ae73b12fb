"""Distances are what Pythagoras says, margins what chapter 1 defines."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svmlib.geometry import Hyperplane, directional_margin

NUMBERS = st.floats(-100, 100).map(lambda v: round(v, 3))


@st.composite
def problems(draw):
    d, n = draw(st.integers(1, 4)), draw(st.integers(2, 8))
    w = draw(arrays(float, d, elements=NUMBERS))
    assume(np.abs(w).max() > 1e-2)
    X = draw(arrays(float, (n, d), elements=NUMBERS))
    y = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    return Hyperplane(w, draw(NUMBERS)), X, y


@given(problems())
def test_distances_and_margins_are_their_formulas(problem):
    plane, X, y = problem
    f, length = X @ plane.w + plane.b, np.sqrt(np.sum(plane.w**2))
    tol = 1e-11 * (length * (1 + np.abs(X).max()) + abs(plane.b))
    np.testing.assert_allclose(plane.decision_function(X), f, atol=tol)
    np.testing.assert_allclose(plane.signed_distance(X), f / length, atol=1e-9)
    assert plane.distance_from_origin == pytest.approx(abs(plane.b) / length)
    np.testing.assert_allclose(plane.functional_margins(X, y), y * f, atol=tol)
    assert plane.functional_margin(X, y) == plane.functional_margins(X, y).min()
    assert plane.geometric_margin(X, y) == pytest.approx((y * f).min() / length, abs=1e-9)
    feet = plane.project(X)
    assert np.abs(plane.decision_function(feet)).max() <= tol
    np.testing.assert_allclose(X - feet, np.outer(f, plane.w) / length**2, atol=1e-9)


def test_whether_a_plane_separates_is_decided_exactly():
    """The terms of w·x are far larger than w·x = 1.5, which rounding makes 2."""
    for b, separates in (-1.75, False), (-1.5, False), (-1.25, True):
        plane, X = Hyperplane([1, 1, 1], b), [[1e16, 1.5, -1e16], [-1, -1, -1]]
        assert plane.functional_margin(X, [1, -1]) > 0
        assert plane.separates(X, [1, -1]) == separates


@given(problems())
def test_the_margin_along_a_direction_lies_between_the_classes(problem):
    plane, X, y = problem
    margin, length = directional_margin(X, y, plane.w), np.sqrt(np.sum(plane.w**2))
    tol = 1e-9 * (1 + np.abs(X @ plane.w).max())
    assert margin.b_minus == pytest.approx((X[y < 0] @ plane.w).max(), abs=tol)
    assert margin.b_plus == pytest.approx((X[y > 0] @ plane.w).min(), abs=tol)
    width = (margin.b_plus - margin.b_minus) / length
    assert margin.width == pytest.approx(width, abs=1e-8)
    assert margin.hyperplane.geometric_margin(X, y) == pytest.approx(width / 2, abs=1e-8)
    assert plane.geometric_margin(X, y) <= width / 2 + 1e-8, "no parallel has more"


@pytest.mark.parametrize("c", [1e-320, 1e-200, 1e200, 1e307])
def test_distances_do_not_depend_on_the_length_of_w(c):
    plane = Hyperplane([3 * c, 4 * c], 0)
    np.testing.assert_allclose(plane.signed_distance([[1, 0]]), 0.6, rtol=1e-3)
    np.testing.assert_allclose(plane.project([[1, 0]]), [[0.64, -0.48]], rtol=1e-3)
    width = directional_margin([[0, 0], [1, 0]], [-1, 1], plane.w).width
    np.testing.assert_allclose(width, 0.6, rtol=1e-3)


def test_a_hyperplane_cannot_be_changed_and_a_point_on_it_is_positive():
    w = np.array([1.0, 2.0])
    plane = Hyperplane(w, -1)
    w[0] = 9
    assert plane.predict([[1, 0], [-1, 1], [0, 0]]).tolist() == [1, 1, -1]
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 0
