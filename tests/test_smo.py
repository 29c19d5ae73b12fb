from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from svmlib.duality import DualProblem
from svmlib.kernels import RBF, Polynomial, Precomputed, Sigmoid
from svmlib.smo import smo

INDEFINITE = [
    pytest.param(Sigmoid(1.0, -1.0), id="sigmoid"),
    pytest.param(Polynomial(3, 1.0, -2.0), id="polynomial"),
    pytest.param(lambda A, B: -A @ B.T, id="negative"),  # an address in an id would confuse xdist
]
SELECTIONS = ["second", "first", "cyclic"]


def data(seed: int, n: int = 30, d: int = 2, shift: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def test_two_points_are_solved_in_one_step():
    solution = smo(DualProblem([[0.0], [2.0]], [-1, 1], np.inf))
    assert solution.n_iter == 1
    assert_allclose(solution.alpha, 0.5)
    assert_allclose(solution.b, -1)


def test_it_goes_on_where_the_last_step_went_far_below_the_tolerance():
    """Three steps leave m(α) − M(α) far below tol / 20, but with this C not the gap."""
    X = [[0.58, -0.2], [0.57, -0.01], [-0.56, -0.87], [3.07, -0.08]]
    solution = smo(DualProblem(X, [-1, 1, -1, 1], C=1e5), max_iter=1000)
    assert solution.converged


def test_the_duality_gap_is_no_larger_than_libsvms():
    for seed in range(20):
        X, y = data(seed, n=150, d=3)
        problem = DualProblem(X, y, 1.0, RBF(0.3))
        peer = svm.SVC(C=1.0, gamma=0.3).fit(X, y)
        alpha = np.zeros(150)
        alpha[peer.support_] = np.abs(peer.dual_coef_[0])
        theirs = problem.certificate(alpha, float(peer.intercept_[0]))
        assert smo(problem).certificate.gap <= theirs.gap


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("kernel", INDEFINITE)
def test_an_indefinite_kernel_is_survived_and_not_oversold(kernel, selection):
    for seed in range(5):
        X, y = data(seed)
        problem = DualProblem(X, y, 1.0, kernel)
        solution = smo(problem, selection=selection)
        assert solution.converged
        assert solution.certificate.kkt_violation <= 1e-3  # stationary
        assert not solution.certificate.proves_optimality
        assert "stationarity is all there is" in str(solution.certificate)


def test_an_indefinite_kernel_without_such_a_pair_is_named_when_the_steps_do_not_end():
    """For β = (2, −1, −1) βᵀKβ < 0, but k(x, x) + k(z, z) > 2 k(x, z) for every pair."""
    kernel = Precomputed([[1.0, 0.9, 0.9], [0.9, 1.0, -0.5], [0.9, -0.5, 1.0]])
    problem = DualProblem(kernel.points, [1, -1, -1], np.inf, kernel)
    with pytest.warns(ConvergenceWarning, match="or the kernel is not positive semidefinite"):
        solution = smo(problem, max_iter=1000)
    assert not solution.converged
