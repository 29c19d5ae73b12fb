from fractions import Fraction

import numpy as np
import pytest

from svmlib.certificate import UNIT, accurate_sum, down, radius, up
from svmlib.hulls import exact_dot
from tests.exact import exact


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
