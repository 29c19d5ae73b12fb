"""SMO: no step loses, and the steps end."""

from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from svmlib.kernels import RBF, Polynomial, Precomputed, Sigmoid
from svmlib.problem import DualProblem
from svmlib.smo import SmoState, smo, steps
from tests import hostile
from tests.optimum import data

every_selection = pytest.mark.parametrize("selection", ["second", "first", "cyclic"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_goes_on_where_the_last_step_went_far_below_the_tolerance():
    """Three steps leave m(α) − M(α) far below tol / 20, but with this C not the gap."""
    X = [[0.58, -0.2], [0.57, -0.01], [-0.56, -0.87], [3.07, -0.08]]
    assert smo(DualProblem(X, [-1, 1, -1, 1], C=1e5), max_iter=1000).converged
    assert smo(DualProblem([[1.0], [1.0]], [-1, 1], C=1e20)).converged, "a first step of length C"
    problem = DualProblem([[0.3, 0.8], [0.3, -1.3], [0.9, 0.4], [-0.5, 0.6]], [-1, 1, -1, 1], 1e5)
    assert all(smo(problem, max_iter=n, trace=True).n_iter <= n for n in range(1, 20))
    all_bounded = DualProblem([[0.0], [2.0]], [-1, 1], 0.25)
    assert smo(all_bounded, tol=1e-300).n_iter == 1, "nothing is left to violate"
    endless = DualProblem([[1.0], [1.0]], [-1, 1], np.inf)
    assert len([*steps(endless)]) == SmoState(endless, np.zeros(2), "first").advance(0.0, 9) == 1
    problem = DualProblem([[0.0], [1.0], [1.0]], [1, 1, -1], np.inf)
    with pytest.warns(ConvergenceWarning):
        alpha = smo(problem).alpha
    assert 1e12 < alpha.max() < 1e16, "the largest row says when margins are nothing but rounding"


@every_selection
@given(seed=st.integers(0, 10**6), log_C=st.floats(-3, 6))
def test_no_step_loses(selection, seed, log_C):
    """However different the points are in size; and the gains add up to the dual value."""
    X, y = hostile.problem(seed)
    size = float(np.square(X).max()) or 1.0
    polynomial = DualProblem(X, y, 10**log_C, Polynomial(3, 1 / size, 1.0))
    for problem in DualProblem(X, y, 10**log_C / size), polynomial:
        alpha, gains = np.zeros(problem.n), []
        for step in islice(steps(problem, selection=selection), 200):
            alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
            gains.append(step.gain)
        assert min(gains) >= 0
        terms = alpha.sum() + alpha @ np.abs(problem.gram_matrix.to_array()) @ alpha
        assert abs(problem.objective(alpha) - sum(gains)) <= 1e-10 * terms


def test_a_step_to_a_bound_ends_there():
    """Some floats are not a + (C − a), and what is left of C would be a step of its own."""
    for seed in range(10):
        C = np.random.default_rng(seed).uniform(0.1, 2, 60)
        for step in islice(steps(DualProblem(*data(seed, 60), C, RBF(0.5))), 300):
            for i, a in (step.i, step.alpha_i), (step.j, step.alpha_j):
                assert a in (0, C[i]) or 1e-12 < a < C[i] - 1e-12


@every_selection
def test_steps_end_where_a_curvature_is_small_next_to_k(selection):
    """Two samples are far away, or are neighbours far away."""
    for X, C in ([[1e5], [-1e5], [-1e-3], [1e-3]], 1e7), ([[1e5], [1e5 + 1e-3]], 1e12):
        problem = DualProblem(X, [1, -1, -1, 1][: len(X)], C)
        assert len([*islice(steps(problem, selection=selection), 100)]) < 10


@every_selection
def test_an_indefinite_kernel_is_survived_and_not_oversold(selection):
    kernels = Sigmoid(1.0, -1.0), Polynomial(3, 1.0, -2.0), lambda A, B: -A @ B.T
    for seed, kernel in product(range(5), kernels):
        solution = smo(DualProblem(*data(seed), 1.0, kernel), selection=selection)
        assert solution.converged
        assert solution.certificate.kkt_violation <= 1e-3  # stationary
        assert not solution.certificate.weak_duality_holds
        assert "stationarity is all there is" in str(solution.certificate)


def test_an_indefinite_kernel_without_such_a_pair_is_named_when_the_steps_do_not_end():
    """For β = (2, −1, −1) βᵀKβ < 0, but k(x, x) + k(z, z) > 2 k(x, z) for every pair."""
    kernel = Precomputed([[1.0, 0.9, 0.9], [0.9, 1.0, -0.5], [0.9, -0.5, 1.0]])
    problem = DualProblem(kernel.points, [1, -1, -1], np.inf, kernel)
    with pytest.warns(ConvergenceWarning, match="or the kernel is not positive semidefinite"):
        assert not smo(problem, max_iter=1000).converged


def test_forgotten_curvatures_change_no_step():
    problem = DualProblem(*data(0, 60), 100.0, RBF(1.0))
    all_kept, few_kept = (SmoState(problem, np.zeros(60), "second") for _ in range(2))
    few_kept.max_curvature_roots = 3
    assert all_kept.advance(1e-3, 10_000) == few_kept.advance(1e-3, 10_000) > 100
    assert all_kept.beta == few_kept.beta
    assert len(few_kept.curvature_roots) == 3 < len(all_kept.curvature_roots)
