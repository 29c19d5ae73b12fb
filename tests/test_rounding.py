"""Every term of a bound on rounding, with data on which the bound is false without the term."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from svmlib._rounding import (
    SMALLEST_NORMAL,
    SMALLEST_SUBNORMAL,
    SPARE_OPERATIONS,
    UNIT_ROUNDOFF,
    _two_product,
    compensated_dot,
    exact_sum,
    format_bound,
    gamma_n,
    in_few_digits,
    round_down,
    round_up,
    row_norm_bounds,
)
from tests.exact import exact

U = Fraction(UNIT_ROUNDOFF)


@pytest.mark.parametrize("n", [*range(9), 50])
def test_up_and_down_go_past_all_that_n_operations_lose(n):
    """A result that is the exact one times (1 ± u)ⁿ, and the last rounding, of `up` itself."""
    lost = (1 - U) ** (n + SPARE_OPERATIONS - 1)
    for value in np.random.default_rng(n).uniform(0.5, 2, 100):
        assert 0 <= Fraction(round_up(value, n)) / Fraction(value) - 1 / lost <= 4 * U
        assert 0 <= lost - Fraction(round_down(value, n)) / Fraction(value) <= 4 * U
        assert round_up(-value, n) == -round_down(value, n)
        assert round_down(-value, n) == -round_up(value, n)


def test_gamma_is_rounded_up_and_infinite_where_it_says_nothing():
    for n in [*range(1, 200), 10**9, 2**51]:
        assert 1 <= Fraction(gamma_n(n)) / (n * U / (1 - n * U)) <= 1 + 8 * U
    assert gamma_n(0) == 0
    assert gamma_n(2**52) == gamma_n(2**53) == gamma_n(2**60) == np.inf
    assert round_up(np.nan) == -round_down(np.nan) == round_up(np.inf, 9) == np.inf


# A number, and others so small that a sum forgets each of them when it is added
LARGE_AND_SMALL = np.append(1.0, np.full(1000, 2.0**-27))


def test_norms_of_rows_are_bounded_whatever_the_sum_of_their_squares_forgets():
    for row in (LARGE_AND_SMALL, [1e-170], [3e-162, 2e-162], [0.1, 0.7], [5e-324], [0.0, 0.0]):
        for scale in (1.0, 3e99):
            a = scale * np.array([row])
            bound = row_norm_bounds(a)[0]
            assert bound >= a.max()
            assert sum(exact(a[0]) ** 2) <= Fraction(bound) ** 2
    for d in range(1, 5):
        rows = np.random.default_rng(d).uniform(1, 2, (200, d))
        squares = (exact(rows) ** 2).sum(axis=1)
        assert (squares <= exact(row_norm_bounds(rows)) ** 2).all()
    assert row_norm_bounds(np.array([[0.0, 0.0], [1e200, 0.0]])).tolist() == [0, np.inf]
    assert row_norm_bounds(np.ones((1, 4)))[0] <= 2 * (1 + 16 * UNIT_ROUNDOFF)


def test_printed_digits_of_a_bound_keep_it_true():
    values = np.random.default_rng(0).lognormal(0, 9, 100)
    subnormal = np.arange(1, 300) * SMALLEST_SUBNORMAL
    for value in map(float, [*values, *-values, *subnormal, *-subnormal, SMALLEST_NORMAL]):
        for digits in 2, 3, 6:
            low, high = (
                Fraction(format_bound(value, up=up, digits=digits)) for up in (False, True)
            )
            assert low <= value <= high
            assert high - low <= abs(Fraction(value)) * Fraction(10) ** (1 - digits)
    assert format_bound(0.0) == format_bound(0.0, up=False) == "0"
    for slope, digits in (1e-4, 6), (1, 9), (1e3, 12), (1e6, 16):  # it may grow by a part in 10⁹
        found = in_few_digits(1 / 3, lambda x, slope=slope: 1 + slope * abs(x - 1 / 3))
        assert found == float(f"{1 / 3:.{digits}g}")


def test_the_rounding_of_a_product_is_found_to_the_last_bit_and_a_sum_is_rounded_once():
    """For numbers with all their digits: half of them have a product that needs 106."""
    for a, b in np.random.default_rng(0).uniform(1, 2, (1000, 2)):
        product, error = _two_product(np.float64(a), np.float64(b))
        assert Fraction(product) + Fraction(error) == Fraction(a) * Fraction(b)
    assert exact_sum(np.array([1e16, 1.0, -1e16, 2.0**-60])) == 1.0
    assert exact_sum(np.array([1e308, 1e308])) == np.inf


@pytest.mark.parametrize("scales", [1e-160, 1.0, "mixed"])
@pytest.mark.parametrize("n", [9, 1300])
def test_a_compensated_dot_product_knows_what_it_loses(n, scales):
    """Also where a product is too small to be a float, and in sums of several blocks."""
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-8, 8, n) if scales == "mixed" else scales
    a, b = rng.standard_normal((2, n)) * sizes
    for last in (0.0, -float(a @ b)):  # the second sum cancels
        a, b = np.append(a, last), np.append(b, 1.0)
        result, error = compensated_dot(b, a[:, None])
        assert abs(Fraction(result[0]) - exact(a) @ exact(b)) <= Fraction(error[0])
        most = 8 * U * abs(Fraction(result[0])) + U * sum(abs(exact(a * b))) / 1000 + 1e-319
        assert error[0] <= most


def test_a_compensated_dot_product_is_rounded_and_may_overflow():
    forgotten = np.full(509, 0.99 * 2.0**-106)  # each, in the sum of what the first sum has lost
    cancels = np.concatenate([[1.0, 2.0**-53], forgotten, [-1.0, -(2.0**-53)]])
    for a in ([1.0, 2.0**-60], [1e-170 * 1e-170, 1e-162], cancels):
        b = np.append(np.ones(len(a) - 1), 1.0 if a[0] else 1e-162)
        result, error = compensated_dot(b, np.column_stack([a, a]))
        off = abs(Fraction(result[0]) - exact(a) @ exact(b))
        assert 0 < off <= Fraction(error[0])
    with warnings.catch_warnings(action="error"):
        result, error = compensated_dot(
            np.array([1.0, -1.0]), np.array([[1e308, 1.0], [1e308, 2.0]])
        )
    assert (result[1], np.isfinite(error[1]), error[0]) == (-1.0, True, np.inf)
