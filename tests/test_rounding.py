from fractions import Fraction

import numpy as np
import pytest

from svmlib._rounding import (
    UNIT,
    accurate_sum,
    down,
    exact_dot,
    gamma,
    radius,
    sum_in_pairs,
    tree_depth,
    up,
)
from tests.exact import exact


@pytest.mark.parametrize("seed", range(30))
def test_a_sum_in_pairs_is_off_by_no_more_than_its_depth_says(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((int(rng.integers(1, 70)), 2)) * 10.0 ** rng.uniform(-8, 8)
    sizes = sum(exact(np.abs(A)))
    error = np.abs(exact(sum_in_pairs(A)) - sum(exact(A)))
    assert (error <= Fraction(gamma(tree_depth(len(A)))) * sizes).all()


def test_depth_of_a_sum_in_pairs():
    for n in range(1, 200):
        assert 2 ** tree_depth(n) >= n > 2 ** tree_depth(n) / 2
        assert sum_in_pairs(np.ones(n)) == n
    assert sum_in_pairs(np.zeros((0, 2))).tolist() == [0, 0]


def test_an_exact_inner_product_forgets_nothing():
    a, b = np.array([1e300, 1.0, -1e300, 2.0**-1074]), np.array([1.0, 1.0, 1.0, 0.5])
    assert exact_dot(a, b) == 1 + Fraction(2) ** -1075
    assert exact_dot(a[:0], b[:0]) == 0


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1.0, 1e100])
def test_radius_is_no_less_than_any_norm(scale):
    A = np.random.default_rng(0).standard_normal((50, 3)) * scale
    largest = max(row @ row for row in exact(A))
    R = Fraction(radius(A))
    assert largest <= R**2
    assert largest * Fraction(up(1.0, 40)) >= R**2


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_radius_is_no_less_than_the_norm_of_a_single_row(d):
    """With one row there is no larger one to hide what rounding takes away."""
    for row in np.random.default_rng(d).standard_normal((200, d)):
        assert Fraction(radius(row[None])) ** 2 >= sum(exact(row) ** 2)


@pytest.mark.parametrize("n", [*range(1, 9), 50])
def test_up_and_down_go_past_all_that_n_operations_lose(n):
    """A result that is the exact one times (1 ± u)ⁿ, and the last rounding, of `up` itself."""
    lost = (1 - Fraction(UNIT)) ** n
    for value in np.random.default_rng(n).uniform(1, 2, 100):
        assert Fraction(up(value, n)) >= Fraction(value) / lost
        assert Fraction(down(value, n)) <= Fraction(value) * lost
        assert (up(-value, n), down(-value, n)) == (-down(value, n), -up(value, n))


def test_an_accurate_sum_knows_what_it_loses():
    """Also where a product is too small to be a float."""
    rng = np.random.default_rng(0)
    for scales in (1e-160, 1.0, 10.0 ** rng.uniform(-8, 8, 9)):
        a, b = rng.standard_normal((2, 9)) * scales
        result, error = accurate_sum(a[:, None], b)
        assert abs(Fraction(result[0]) - exact_dot(a, b)) <= Fraction(error[0])
    result, error = accurate_sum(np.array([[1e-170]]), np.array([1e-170]))
    assert Fraction(1e-170) ** 2 <= Fraction(result[0]) + Fraction(error[0])
