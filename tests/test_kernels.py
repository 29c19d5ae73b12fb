"""Kernels are their formulas, their errors within the bounds, and low rank is found where it is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from svmlib.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from svmlib.problem import DualProblem, bounded_scores
from tests import judge
from tests.exact import exact

POLYNOMIALS = Polynomial(), Polynomial(2, 0.5, 1.5), Polynomial(1, 2.0, 0.0)


def points(seed: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("kernel", [Linear(), *POLYNOMIALS, RBF(0.7), Sigmoid(0.3, -0.2)], ids=repr)
def test_a_kernel_is_its_formula(kernel):
    X, Z = points(0, 7, 3), points(1, 5, 3)
    expected = [[float(judge.value(kernel, *map(judge.exact, (x, z)))) for z in Z] for x in X]
    assert_allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-14)
    assert_allclose(kernel.diagonal(X), np.diag(kernel(X, X)), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("coef0", [0.0, 0.4, 3.0])
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_polynomial_feature_map_has_the_kernel_as_inner_product(d, degree, coef0):
    kernel = Polynomial(degree, 0.7, coef0)
    X, Z = points(4, 6, d), points(5, 8, d)
    phi, psi = kernel.feature_map(X), kernel.feature_map(Z)
    lengths = np.linalg.norm(phi, axis=1)[:, None] * np.linalg.norm(psi, axis=1)
    assert_allclose(phi @ psi.T / lengths, kernel(X, Z) / lengths, rtol=0, atol=1e-14)
    assert_allclose(lengths**2, np.outer(kernel.diagonal(X), kernel.diagonal(Z)))
    exactly, at_most = math.comb(d + degree - 1, degree), math.comb(d + degree, degree)
    assert phi.shape == (6, at_most if coef0 else exactly)


def test_kernels_are_values_and_small_integers_are_numbers_like_others():
    assert RBF(0.5) == RBF(gamma=0.5) == RBF.from_width(1.0)
    assert len({Linear(), Linear(), RBF(1.0)}) == 2
    X = np.array([[0.0], [0.01], [3.0]])
    power = Polynomial(np.int8(30), np.uint8(9)), Polynomial(30, 9.0)
    for small, plain in (RBF(np.int8(100)), RBF(100.0)), power:
        np.testing.assert_array_equal(small(X, X), plain(X, X))
        assert small.error_bound(np.tile(X, 40)).theta == plain.error_bound(np.tile(X, 40)).theta


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8, -1e15])
@pytest.mark.parametrize("gamma", [1e-20, 0.5, 1e6, 1e15])
def test_rbf_keeps_close_points_apart_far_from_the_origin(offset, gamma):
    """The expansion ‖x‖² + ‖z‖² − 2 x·z alone would lose every digit here."""
    rng = np.random.default_rng(0)
    spacing = max(np.spacing(abs(offset)), 1 / math.sqrt(gamma))
    X = offset + spacing * rng.integers(0, 5, size=(12, 3))
    X[3] = X[7]
    K = RBF(gamma)(X, X)
    exact = np.exp(-gamma * np.sum((X[:, None] - X[None]) ** 2, axis=2))
    assert_allclose(K, exact, rtol=0, atol=1e-12)
    assert_allclose([K[3, 7], *np.diag(K)], 1, rtol=0, atol=1e-12)


def test_the_error_of_the_rbf_kernel_is_no_larger_far_from_the_origin():
    X, kernel = points(0, 9, 2), RBF(0.5)
    assert kernel.error_bound(X + 1e3).theta < 1.01 * kernel.error_bound(X).theta
    assert RBF(1e9).error_bound(X).theta < 1e-11, "nor for so narrow a bell"
    twice = DualProblem(np.vstack([X, X]), np.repeat([-1, 1], 9), 1.0, RBF(1e9))
    assert_allclose(twice.gram_matrix.to_array(), np.tile(np.eye(9), (2, 2)), atol=1e-11)


def test_a_certificate_stays_valid_if_the_matrix_given_is_changed():
    X = points(0, 9, 2)
    K, y = X @ X.T, np.where(np.arange(9) % 2, 1, -1)
    kernel = Precomputed(K)
    problem = DualProblem(kernel.points, y, 1.0, kernel)
    expected = problem.certificate(np.full(9, 0.5), 0.0)
    assert not any(array.flags.writeable for array in (kernel.K, kernel.given))
    K *= 100
    assert DualProblem(kernel.points, y, 1.0, kernel).certificate(np.full(9, 0.5), 0.0) == expected
    assert np.shares_memory(Precomputed(K, copy=False).K, K)
    assert K.flags.writeable


def test_a_skew_that_is_rounding_is_averaged_and_a_symmetric_matrix_stays():
    assert not Precomputed(np.zeros((2, 2))).K.any()
    for scale in 1e-12, 1.0, -1.0, 1e12:
        K = Precomputed(np.array([[1.0, 0.5], [0.5 + 1e-13, 0.0]]) * scale).K
        assert_allclose(K[0, 1] / scale, 0.5 + 0.5e-13, rtol=0, atol=1e-15)
        assert K[0, 1] == K[1, 0]
        assert_array_equal(Precomputed(K).K, K)
        assert Precomputed(K)([[1]], [[0], [1]]).tolist() == [K[1].tolist()], "numbers in lists"


@pytest.mark.parametrize("c", [0.0, 1e-300, 1.0])
@pytest.mark.parametrize("gamma", [1e-300, 1e-100, 1.0, 1e200])
@pytest.mark.parametrize("degree", [1, 2, 9])
def test_what_underflows_is_within_the_bound(degree, gamma, c):
    """Judged by fractions, where X has numbers down to 1e-300 (1 + 1e-100 is 1), and the origin."""
    kernel = Polynomial(degree, gamma, c)
    X = np.array([[0.0], [1e-300], [1e-160], [1e-139], [1e-100], [1e-50], [1.0]])
    X = X[gamma * X[:, 0] ** 2 < 1e30]  # no value overflows
    bound = kernel.error_bound(X)
    x, sizes, theta = exact(X[:, 0]), exact(bound.norms), Fraction(bound.theta)
    values = (Fraction(gamma) * np.outer(x, x) + Fraction(c)) ** degree
    assert (abs(values) <= np.outer(sizes, sizes)).all()
    assert (abs(exact(kernel(X, X)) - values) <= theta * np.outer(sizes, sizes)).all()


FEW_BITS = np.random.default_rng(0).uniform(0.99, 1.01, (30, 1))  # as large terms cancel
FORGOTTEN = np.append(1.0, np.full(3000, 2.0**-27))[None]  # squares, in a sum that begins with 1


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (RBF(1e-309), [[0.0], [4e154]]),  # the square of the distance overflows,
        (RBF(5e-309), [[0.0], [2e154]]),
        (RBF(1.7e308), np.outer([0, 1.4e-162], np.ones(300))),  # and of each feature underflows
        (RBF(1.7e308), np.outer([0, 1.4e-162], np.ones(300)) + 1e-170),
        (Polynomial(500), FORGOTTEN),
        (Sigmoid(1.0, -1.0), FORGOTTEN),
        (RBF(200.0), np.vstack([FORGOTTEN, FORGOTTEN, -FORGOTTEN, -FORGOTTEN])),
        (RBF(2e-4), 1e3 * np.vstack([FORGOTTEN, FORGOTTEN, -FORGOTTEN, -FORGOTTEN])),
        (Sigmoid(8.1, -8.1), FEW_BITS),  # tanh is steep here
        (Sigmoid(8.1e12, -8.1), 1e-6 * FEW_BITS),  # also in other units
    ],
)
@np.errstate(all="ignore")
def test_what_leaves_the_floats_or_cancels_is_within_the_bound(kernel, X):
    X = np.array(X)
    judge.assert_within(kernel.error_bound(X), kernel, X, kernel(X, X))


def test_one_point_beyond_floats_hides_no_other():
    Z, kernel = np.array([[0.0], [1.0]]), RBF(10.0)
    for X in [[0.0], [1e308]], [[0.0], [1e308], [-1e308]]:  # the mean is far off, or a point
        expected = np.zeros((len(X), 2))
        expected[0] = np.exp([0, -10.0])
        assert_allclose(kernel(X, Z), expected)
        assert_allclose(kernel(Z, X), expected.T)


@pytest.mark.parametrize("seed", range(20))
def test_what_a_skew_matrix_changes_is_bounded(seed):
    """Judged in fractions, also where the changes of a score cancel but for rounding."""
    rng = np.random.default_rng(seed)
    K = rng.uniform(1, 2, (4, 4))
    K = np.triu(K) + np.triu(K, 1).T + 1e-13 * np.triu(rng.normal(size=(4, 4)), 1)
    kernel, beta = Precomputed(K), rng.normal(size=4)
    skew = exact(K) - exact(kernel.K)  # half of K − Kᵀ, and the rounding of the mean
    beta[3] = -float(skew[0, 1:3] @ exact(beta[1:3]) / skew[0, 3])
    bound, change = kernel.asymmetry(kernel.points, beta), max(abs(skew @ exact(beta)))
    assert change <= Fraction(bound) <= change * (1 + Fraction(1e-9))
    problem = DualProblem(kernel.points, [-1, 1, 1, 1], 1.0, kernel)
    assert bound <= bounded_scores(problem, beta).error.min()
