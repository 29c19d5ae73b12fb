"""The rows that a machine uses are found, also where some are equal or have no weight."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC, NuSVC

from svmlib.kernels import RBF, Linear
from svmlib.machines import Machine, certify_machine
from tests.machines import SQUARED, X, Y, signed


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
def test_equal_rows_of_unequal_weight_are_given_the_multipliers_that_fit(kernel):
    """A support vector does not say which of two equal rows it is; both ways of giving it are."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A, y, w = np.tile(rng.normal(size=(12, 2)), (2, 1)), np.tile([1.0, -1.0], 12), np.ones(24)
        w[rng.permutation(12) + 12 * rng.integers(0, 2, 12)] = rng.choice([0.01, 10.0], 12)
        model = SVC(kernel=kernel, tol=1e-8).fit(A, y, w)
        beta = signed(model)
        assert (np.abs(beta) <= w).all()
        order, b = rng.permutation(24), model.intercept_[0]
        numbers = certify_machine((beta, b), A, y, C=1.0, kernel=kernel, sample_weight=w)
        given = Machine(A[order], beta[order], b, kernel, C=1.0)
        for verdict in numbers, certify_machine(given, A, y, sample_weight=w):
            assert verdict.box_violation == 0
            assert verdict.kkt_violation < 1e-6
            assert verdict.dual > verdict.upper * (1 - 1e-6)
            assert not verdict.multiplier_note


def test_numbers_name_their_rows_and_points_do_not():
    A, y, beta, w = [[1.0], [1.0], [-1.0]], [1, 1, -1], [5.0, 0.0, -5.0], [0.01, 10, 10]
    numbers = certify_machine((beta, 0.0), A, y, C=1.0, kernel=Linear(), sample_weight=w)
    assert_allclose(numbers.box_violation, 4.99)
    points = certify_machine(Machine(A, beta, 0.0, C=1.0), A, y, sample_weight=w)
    assert points.box_violation == 0


def test_a_row_is_one_support_vector_only():
    m = Machine([[1.0], [1.0]], [1.0, -0.5], 0.0, C=1.0)
    verdict = certify_machine(m, [[1.0], [-1.0]], [1, -1])
    assert_allclose(verdict.primal, 1.125)
    assert "a support vector is not a row" in verdict.multiplier_note


def test_row_numbers_count_only_where_the_points_are_these_rows():
    m = Machine(X[:9], np.tile([-1.0, 0.5, 0.5], 3), 0.1, RBF(0.5), C=1.0)
    for rows in np.arange(9), np.arange(9)[::-1], np.arange(99, 108):
        one, other = (certify_machine(given, X, Y) for given in (m, replace(m, rows=rows)))
        assert (one.primal, one.dual) == (other.primal, other.dual)


def test_of_numbers_for_rows_of_no_weight_the_last_are_dropped():
    A, y, beta = [[0.0], [1.0], [2.0], [2.0]], [-1, -1, 1, 1], [0.0, -0.5, 0.5, 0.0]
    given = {"kernel": Linear(), "C": 1.0}
    less = certify_machine((beta, -1.5), A, y, sample_weight=[1, 1, 1, 0], **given)
    assert less.dual == certify_machine((beta[:3], -1.5), A[:3], y[:3], **given).dual


def test_equal_rows_share_the_slack_of_the_squared_hinge_by_their_weights():
    """At ±1, w²/2 + 2 · 10.1 (1 − w)² is least at w = 1 − 1/41.4, and α_i is 2 C_i / 41.4."""
    A, y, w = [[-1.0], [-1.0], [1.0], [1.0]], np.array([-1, -1, 1, 1]), np.array([0.1, 10, 10, 0.1])
    for order in [0, 1, 2, 3], [1, 0, 3, 2]:
        m = Machine(np.take(A, order, 0), (2 * w * y / 41.4)[order], 0.0, Linear())
        verdict = certify_machine(m, A, y, **SQUARED, sample_weight=w)
        assert verdict.kkt_violation < 1e-12
        assert verdict.dual > verdict.upper * (1 - 1e-12)


def test_a_negative_multiplier_is_named_however_the_machine_is_given():
    """Also where the row is there once for each class: it is then its own class that counts."""
    A, y = np.vstack([X, X[9:]]), np.append(Y, -Y[9:])
    beta = np.append(0.01 * Y, -0.02 * Y[9:])
    beta[4] = -0.3 * Y[4]
    order = np.random.default_rng(0).permutation(len(y))
    numbers = certify_machine((beta, 0.1), A, y, C=1.0, kernel=RBF(0.5))
    machine = Machine(A[order], beta[order], 0.1, RBF(0.5), C=1.0)
    for verdict in numbers, certify_machine(machine, A, y):
        assert 0.3 <= verdict.box_violation < 0.3 + 1e-14
        assert_allclose(verdict.dual, numbers.dual, rtol=1e-12)
        assert_allclose(verdict.kkt_violation, numbers.kkt_violation, rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [False, True])
def test_rounding_c_makes_no_violation(nu, weighted, seed):
    """A multiplier at its bound must not count as one below it, because C came by another way."""
    rng = np.random.default_rng(seed)
    some, constant = rng.permutation(len(Y))[:150], rng.uniform(0.2, 0.6)
    weights = {"sample_weight": np.append(1.0, rng.uniform(0.2, 3, 149))} if weighted else {}
    given = {"nu": constant} if nu else {"C": constant, "class_weight": "balanced"}
    model = (NuSVC if nu else SVC)(gamma=0.5, tol=1e-8, **given)
    model.fit(X[some], Y[some], **weights)
    verdict = certify_machine(model, X[some], Y[some], **weights)
    assert verdict.kkt_violation < 1e-3
    below = np.abs(model.dual_coef_) * (1 - 1e-9)
    bare = below[0] * np.sign(model.dual_coef_[0]), float(model.intercept_[0])
    less = Machine(model.support_vectors_, *bare, RBF(0.5), C=verdict.machine.C)
    less = replace(less, class_weight=verdict.machine.class_weight)
    assert certify_machine(less, X[some], Y[some], **weights).kkt_violation > 0.5


def test_one_point_is_w_only_where_it_is_given_as_w():
    points, y = [[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0], [-2.0, 0.0]], [1, 1, -1, -1]
    machines = Machine.linear([1.0, 1.0], 0.0, C=1.0), Machine([[1.0, 1.0]], [1.0], 0.0, C=1.0)
    verdicts = [certify_machine(machine, points, y) for machine in machines]
    notes = ["a support vector is not a row" in verdict.multiplier_note for verdict in verdicts]
    assert notes == [False, True]


NAMED = [1e17, 5.0, -1e17], [1e17, 5.3, -1e17], [1.0, 1e-17, 2.0], [1.5, 3.5], [1e308] * 3


def test_one_point_may_be_a_support_vector():
    A, y = np.array([[1.0], [-2.0]]), np.array([1, -1])
    m = Machine(A[:1], np.ones(1), 0.0, C=5.0, bias="none", rows=np.array([0]))
    assert certify_machine(m, A, y).box_violation == 0
    assert certify_machine(m, A, -y).box_violation >= 1, "α = −1"


@pytest.mark.parametrize("coefficients", NAMED)
def test_a_row_that_is_named_twice_has_the_sum_of_its_coefficients(coefficients):
    """Next to terms that cancel, a plain sum has no digit of it; rounded once, it is another w."""
    m = Machine(np.zeros((len(coefficients), 1)), coefficients, 0.0, kernel="precomputed", C=1.0)
    verdict = certify_machine(m, np.eye(2), [-1, 1])
    f = sum(map(Fraction, coefficients))
    assert f**2 / 2 + 1 + max(1 + f, 0) <= verdict.primal
    assert ("beyond floats" in str(verdict)) == (verdict.primal == np.inf) == (f > 1e308)
    if f == 5:  # the sum is not rounded
        assert_allclose(verdict.primal, 19.5, rtol=1e-12)
