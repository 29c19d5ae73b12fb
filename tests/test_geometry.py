"""Distances are what Pythagoras says, margins are blind to scale, bad input is named."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svmlib.geometry import Hyperplane, directional_margin

NUMBERS = st.floats(-100, 100).map(lambda v: round(v, 3))


@st.composite
def problems(draw):
    """A hyperplane and labelled points around it, 1 to 4 features."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(2, 8))
    w = draw(arrays(float, d, elements=NUMBERS))
    assume(np.abs(w).max() > 1e-2)
    X = draw(arrays(float, (n, d), elements=NUMBERS))
    y = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    return Hyperplane(w, draw(NUMBERS)), X, y


# Distances


@given(problems())
def test_the_projection_lies_on_the_plane_straight_below_the_point(problem):
    plane, X, _ = problem
    feet = plane.project(X)
    scale = plane.norm * (1 + np.abs(X).max()) + abs(plane.b)
    assert np.abs(plane.decision_function(feet)).max() <= 1e-11 * scale
    along = np.outer(plane.signed_distance(X), plane.w / plane.norm)
    np.testing.assert_allclose(X - feet, along, atol=1e-9)


@given(problems())
def test_distance_from_the_origin_is_the_distance_of_the_origin(problem):
    plane, X, _ = problem
    origin = np.zeros((1, X.shape[1]))
    assert plane.distance_from_origin == pytest.approx(abs(plane.signed_distance(origin)[0]))


def test_a_point_on_the_plane_is_predicted_plus_one():
    assert Hyperplane([1, 2], -1).predict([[1, 0], [-1, 1], [0, 0]]).tolist() == [1, 1, -1]


# Margins


@given(problems(), st.floats(1e-3, 1e3))
def test_rescaling_scales_the_functional_margin_and_nothing_else(problem, c):
    plane, X, y = problem
    scaled = Hyperplane(c * plane.w, c * plane.b)
    functional = plane.functional_margins(X, y)
    tol = 1e-9 * (np.abs(plane.w).max() + abs(plane.b) + 1)
    np.testing.assert_allclose(scaled.functional_margins(X, y), c * functional, atol=c * tol)
    assert scaled.geometric_margin(X, y) == pytest.approx(plane.geometric_margin(X, y), abs=1e-8)


@given(problems())
def test_margins_of_a_set_are_the_least_and_positive_means_separated(problem):
    plane, X, y = problem
    assert plane.functional_margin(X, y) == plane.functional_margins(X, y).min()
    distances = y * plane.signed_distance(X)
    assert plane.geometric_margin(X, y) == pytest.approx(distances.min(), abs=1e-9)
    strictly = (plane.predict(X) == y) & (plane.decision_function(X) != 0)
    assert plane.separates(X, y) == strictly.all()


# The margin along a direction


@given(problems())
def test_both_classes_reach_the_two_ends_and_go_no_further(problem):
    plane, X, y = problem
    margin = directional_margin(X, y, plane.w)
    tol = 1e-9 * (1 + np.abs(X @ plane.w).max())
    assert (X[y < 0] @ plane.w).max() == pytest.approx(margin.b_minus, abs=tol)
    assert (X[y > 0] @ plane.w).min() == pytest.approx(margin.b_plus, abs=tol)


@given(problems())
def test_the_midline_has_half_the_width_on_both_sides_and_no_parallel_has_more(problem):
    plane, X, y = problem
    margin = directional_margin(X, y, plane.w)
    gamma = margin.midline.geometric_margin(X, y)
    assert gamma == pytest.approx(margin.width / 2, abs=1e-8)
    assert plane.geometric_margin(X, y) <= gamma + 1e-8
    assert (margin.b_minus < margin.b_plus) == (margin.width > 0)


@given(problems(), st.floats(1e-3, 1e3))
def test_the_width_is_blind_to_the_length_of_w_but_not_to_its_sign(problem, c):
    plane, X, y = problem
    width = directional_margin(X, y, plane.w).width
    assert directional_margin(X, y, c * plane.w).width == pytest.approx(width, abs=1e-8)
    back = directional_margin(X, y, -plane.w).width
    assert width <= 0 or back < 0


# Legal input and other


def test_integers_lists_and_one_feature():
    plane = Hyperplane([2], -3)
    assert plane.signed_distance([[2], [1]]).tolist() == [0.5, -0.5]
    assert plane.geometric_margin([[2], [1]], [1, -1]) == 0.5
    assert directional_margin([[2], [1]], [1, -1], [5]).width == 1
    assert plane.w.dtype == np.float64


def test_a_hyperplane_cannot_be_changed_and_keeps_its_own_copy():
    w = np.array([1.0, 2.0])
    plane = Hyperplane(w, -1)
    w[0] = 9
    assert plane.w.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plane.b = 0


@pytest.mark.parametrize(
    ("w", "b", "message"),
    [
        ([0, 0], 1, "w must not be zero"),
        ([], 1, "w must be a non-empty vector"),
        ([[1, 2]], 1, "w must be a non-empty vector"),
        ([1, np.inf], 1, "w must be finite"),
        ([1e-200, 0], 1, "w must not be zero"),
        (["a", "b"], 1, "w must be a dense array of real numbers"),
        ([1, 2], np.nan, "b must be a finite number"),
        ([1, 2], [1], "b must be a finite number"),
    ],
)
def test_bad_hyperplanes(w, b, message):
    with pytest.raises(ValueError, match=message):
        Hyperplane(w, b)
    if "w" in message:
        with pytest.raises(ValueError, match=message):
            directional_margin([[0, 0], [1, 1]], [1, -1], w)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([1, 2], [1], "X must hold at least one point"),
        ([[1, 2, 3]], [1], "X has 3 features, expected 2"),
        (np.empty((0, 2)), [], "X must hold at least one point"),
        ([[1, np.inf]], [1], "X must be finite"),
        ([[0, 0], [1, 1]], [1, 1], r"both classes -1 and \+1, got only \+1"),
        ([[0, 0], [1, 1]], [0, 1], "only -1 and"),
        ([[0, 0], [1, 1]], ["yes", "no"], "only -1 and"),
        ([[0, 0], [1, 1]], [True, False], "only -1 and"),
        ([[0, 0], [1, 1]], [1], "one label for each of the 2 rows"),
    ],
)
def test_bad_samples(X, y, message):
    plane = Hyperplane([1, 2], -1)
    methods = ["functional_margins", "functional_margin", "geometric_margin", "separates"]
    calls = [lambda: directional_margin(X, y, [1, 2])]
    calls += [lambda m=m: getattr(plane, m)(X, y) for m in methods]
    if message.startswith("X"):
        methods = "decision_function", "predict", "signed_distance", "project"
        calls += [lambda m=m: getattr(plane, m)(X) for m in methods]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
