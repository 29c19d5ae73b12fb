"""Losses are their formulas; both descents prove no more than is true, and get there."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from svmlib._rounding import round_down
from svmlib.hinge import absolute_loss, hinge_loss, logistic_loss, pegasos, squared_loss
from svmlib.hinge import subgradient_descent as descent
from svmlib.problem import DualProblem
from tests.hostile import problem
from tests.judge import Judge
from tests.test_hulls import gaussians
from tests.test_solvers import SPECIAL

may_warn = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@given(st.floats(-1e3, 1e3, allow_subnormal=False))
def test_losses_are_their_formulas(m):
    assert hinge_loss(m) == max(0, 1 - m)
    assert squared_loss(m) == (1 - m) ** 2
    assert absolute_loss(m) == abs(1 - m)
    np.testing.assert_allclose(np.expm1(min(logistic_loss(m), 50)), np.exp(min(-m, 50)), rtol=1e-9)


def test_the_logistic_loss_is_safe_at_any_margin():
    np.testing.assert_array_equal(logistic_loss([-1e300, 1e300]), [1e300, 0])
    np.testing.assert_allclose(logistic_loss([0.0, 40.0]), [np.log(2), np.exp(-40)], rtol=1e-12)


@may_warn
@pytest.mark.parametrize("seed", range(25))
def test_descent_proves_no_more_than_is_true(seed):
    X, y = problem(seed)
    C = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) / (np.ptp(X) ** 2 or 1.0)
    judge = Judge(DualProblem(X, y, C))
    solution, better = (descent(X, y, C, tol=1e-6, max_iter=n) for n in (40, 80))
    judge.accept(solution.certificate, solution.alpha, solution.b)
    assert mp.mpf(solution.certificate.primal) >= judge.dual(better.alpha)
    assert ((solution.alpha >= 0) & (solution.alpha <= C)).all()
    assert solution.converged == solution.certificate.is_optimal(1e-6)


@may_warn
@pytest.mark.parametrize("seed", range(40))
def test_pegasos_proves_no_more_than_is_true(seed):
    """Its problem is λ times that of all samples and their mirror images (−x, −y), C = 1/(2λn)."""
    X, y = problem(seed)
    lam = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) * (np.ptp(X) ** 2 or 1.0)
    C = round_down(1 / (lam * len(y)))  # the largest float that is in the box for certain
    judge = Judge(DualProblem(np.vstack([X, -X]), np.append(y, -y), C / 2))
    solution, better = (pegasos(X, y, lam, max_iter=n * len(y)) for n in (10, 50))
    proof, alpha = solution.certificate, np.tile(solution.alpha / 2, 2)
    assert ((solution.alpha >= 0) & (solution.alpha <= C)).all()
    assert mp.mpf(proof.dual) <= lam * judge.dual(alpha)
    assert lam * judge.primal(alpha, 0) <= mp.mpf(proof.primal)
    w = [mp.mpf(x) for x in solution.w]  # the machine itself, as floats
    gaps = (1 - s * mp.fdot(w, map(mp.mpf, x)) for x, s in zip(X, y.tolist(), strict=True))
    value = lam * mp.fdot(w, w) / 2 + mp.fsum(max(0, gap) for gap in gaps) / len(y)
    assert value <= mp.mpf(proof.primal)
    assert lam * judge.dual(np.tile(better.alpha / 2, 2)) <= mp.mpf(proof.primal)
    violation = judge.violation(alpha, 0)
    assert violation <= mp.mpf(proof.kkt_violation)
    if abs(X).max() <= 100 * np.ptp(X):  # and not much more, where sums do not cancel
        assert proof.kkt_violation <= float(violation) * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize("case", SPECIAL)
@pytest.mark.parametrize("C", [1e-3, 0.5])
def test_descent_converges_in_special_cases(case, C):
    assert descent(*SPECIAL[case], C).converged


@may_warn
def test_a_step_has_the_best_bias_and_brings_what_the_theory_promises():
    X, y = gaussians(60, 2, 2)
    optimum = descent(X, y, 1.0, tol=1e-4).certificate.primal
    R, duals = 2 * np.linalg.norm(X - X.mean(axis=0), axis=1).sum(), []
    for t in range(1, 13):
        solution = descent(X, y, 1.0, tol=1e-9, max_iter=t)
        scores = X @ ((solution.alpha * y) @ X)
        loss, *others = (hinge_loss(y * (scores + b)).sum() for b in (solution.b, *(y - scores)))
        assert loss <= min(others) * (1 + 1e-12)
        duals.append(solution.certificate.dual)
        assert optimum - duals[-1] <= 2 * R**2 / (t + 2)
    assert duals == sorted(duals)
    assert descent([[0.0], [2.0]], [-1, 1], 1.0, tol=1.1).b == 0, "the middle of many"


def test_a_margin_of_one_needs_no_step():
    """Both samples are at z = y x = 1; the first step brings v there, the second finds 1."""
    with pytest.warns(ConvergenceWarning):
        solution = pegasos([[1.0], [-1.0]], [1, -1], 1.0, tol=1e-9, max_iter=1)
    assert sorted(solution.alpha) == pytest.approx([0, 0.5])


def test_an_epoch_is_the_published_step_at_every_point():
    X, y = gaussians(20, 2, 1)
    lam, w = 0.3, np.zeros(2)
    rng = np.random.default_rng(7)
    for t, i in enumerate(np.concatenate([rng.permutation(20) for _ in range(3)]), 1):
        g = lam * w - (y[i] * X[i] if y[i] * (w @ X[i]) < 1 else 0)
        w = w - g / (lam * t)
    with pytest.warns(ConvergenceWarning, match="pegasos stopped after 60 iterations"):
        solution = pegasos(X, y, lam, max_iter=3 * len(y), tol=1e-12, seed=7)
    np.testing.assert_allclose((solution.alpha * y) @ X, w, rtol=1e-9, atol=1e-12)
    assert solution.n_iter == t
    assert pegasos(X, y, lam, seed=None).converged, "another order each time"
