import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from svmlib.hinge import (
    _best_bias,
    absolute,
    hinge,
    logistic,
    pegasos,
    primal_objective,
    squared,
    subgradient_descent,
)
from svmlib.problem import DualProblem
from tests import exact
from tests.hostile import problem

LOSSES = hinge, squared, absolute, logistic
REALS = st.floats(-1e3, 1e3, allow_subnormal=False)
TWO = {"X": [[1.0], [3.0]], "y": [-1, 1]}
may_warn = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def gaussians(n, d, distance, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    X = rng.standard_normal((n, d))
    X[:, 0] += y * distance / 2
    return X, y


# Losses and the objective


@given(REALS)
def test_formulas(m):
    assert hinge(m) == max(0, 1 - m)
    assert squared(m) == (1 - m) ** 2
    assert absolute(m) == abs(1 - m)
    np.testing.assert_allclose(np.expm1(min(logistic(m), 50)), np.exp(min(-m, 50)), rtol=1e-9)


@given(REALS, REALS, st.floats(0, 1))
def test_losses_are_convex_and_above_the_number_of_mistakes(a, b, t):
    for loss in LOSSES:
        chord = t * loss(a) + (1 - t) * loss(b)
        assert loss(t * a + (1 - t) * b) <= chord + 1e-9 * (1 + chord)
        assert loss(a) / (np.log(2) if loss is logistic else 1) >= (a <= 0)


def test_logistic_is_safe_at_any_margin():
    np.testing.assert_array_equal(logistic([-1e300, 1e300]), [1e300, 0])
    np.testing.assert_allclose(logistic([0.0, 40.0]), [np.log(2), np.exp(-40)], rtol=1e-12)


def test_objective_by_hand():
    assert primal_objective([1.0], -1.0, **TWO, C=10) == 0.5 + 10 * 1 + 0
    assert primal_objective([2.0], 0.0, **TWO, C=1) == 2 + 3


# What is reported is true of the floats given, taken as exact numbers, without tolerance


@may_warn
@pytest.mark.parametrize("seed", range(40))
def test_descent_proves_no_more_than_is_true(seed):
    X, y = problem(seed)
    C = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) / (np.ptp(X) ** 2 or 1.0)
    solution = subgradient_descent(X, y, C, tol=1e-6, max_iter=40)
    better = subgradient_descent(X, y, C, tol=1e-6, max_iter=80).alpha
    proof = solution.certificate
    assert Fraction(proof.primal) >= exact.dual_value(better, X, y)
    assert ((solution.alpha >= 0) & (solution.alpha <= C)).all()
    assert Fraction(proof.dual) <= exact.dual_value(solution.alpha, X, y)
    assert solution.converged == (proof.relative_gap <= 1e-6)


@may_warn
@pytest.mark.parametrize("seed", range(80))
def test_pegasos_proves_no_more_than_is_true(seed):
    X, y = problem(seed)
    lam = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) * (np.ptp(X) ** 2 or 1.0)
    solution = pegasos(X, y, lam, n_epochs=10)
    proof, most = solution.certificate, 1 / (Fraction(lam) * len(y))
    assert all(0 <= Fraction(a) <= most for a in solution.alpha)
    dual, better = (
        exact.dual_value(each.alpha, X, y, balance=False) * Fraction(lam)
        for each in (solution, pegasos(X, y, lam, n_epochs=50))
    )
    assert Fraction(proof.dual) <= dual
    assert better <= Fraction(proof.primal)
    margins = exact.exact(y) * exact.scores(solution.alpha, X, y)
    at_most = most * (1 - Fraction(1, 2**50))  # 1/(λn) is no float
    short = [1 - m for m, a in zip(margins, solution.alpha, strict=True) if a < at_most]
    excess = [m - 1 for m, a in zip(margins, solution.alpha, strict=True) if a > 0]
    violation = max([0, *short, *excess])
    assert violation <= Fraction(proof.kkt_violation)
    if abs(X).max() <= 100 * np.ptp(X):  # and not much more, where sums do not cancel
        assert proof.kkt_violation <= float(violation) * (1 + 1e-6) + 1e-6


# Subgradient descent


@given(st.data())
def test_the_best_bias_minimises_and_balances(data):
    n = data.draw(st.integers(2, 12))
    y = data.draw(arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1, 1
    scores = data.draw(arrays(np.float64, n, elements=st.integers(-4, 4).map(float)))
    b, active = _best_bias(scores, y)

    def total(bias):
        return hinge(y * (scores + bias)).sum()

    np.testing.assert_allclose(total(b), min(total(k) for k in y - scores))
    assert y[active].sum() == 0
    margins = y * (scores + b)
    assert active[margins < 1].all()
    assert not active[margins > 1].any()


def test_of_many_best_biases_it_is_the_middle_one():
    assert _best_bias(np.array([-3.0, 3.0]), np.array([-1, 1]))[0] == 0
    assert _best_bias(np.array([-5.0, 3.0]), np.array([-1, 1]))[0] == 1


def check_descent(solution, X, y, C, tol):
    """Primal and dual value and feasibility, each from its definition."""
    proof, alpha = solution.certificate, solution.alpha
    w = (alpha * y) @ (X - X.mean(axis=0))  # the same vector, because Σ α_i y_i = 0
    b = solution.b + X.mean(axis=0) @ w
    np.testing.assert_allclose(
        proof.primal, primal_objective(w, b, X - X.mean(axis=0), y, C), rtol=1e-9
    )
    size = 1e-9 * C * y.size * (1 + np.ptp(X, axis=0).max())
    np.testing.assert_allclose(proof.dual, alpha.sum() - w @ w / 2, rtol=1e-9, atol=size)
    assert abs(alpha @ y) <= 1e-12 * C * y.size
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert solution.converged == (proof.relative_gap <= tol)


@pytest.mark.parametrize(
    ("n", "d", "distance", "C", "share"),
    [(100, 2, 2, 0.1, 0.5), (100, 2, 2, 1, 0.5), (60, 5, 4, 0.5, 0.2), (50, 100, 1, 0.01, 0.5)],
)
def test_descent_reaches_the_optimum_of_libsvm(n, d, distance, C, share):
    X, y = gaussians(n, d, distance, share=share)
    solution = subgradient_descent(X, y, C)
    assert solution.converged
    check_descent(solution, X, y, C, 1e-3)
    svc = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    optimum = primal_objective(svc.coef_[0], float(svc.intercept_[0]), X, y, C)
    assert solution.certificate.dual <= optimum * (1 + 1e-9)
    assert optimum * (1 - 1e-9) <= solution.certificate.primal <= optimum * 1.0011


def test_descent_is_the_loop_of_the_chapter():
    """Best bias, best slopes, Polyak's step; J and D after every step, and the first small gap."""
    X, y = gaussians(60, 2, 2)
    C, gaps, duals = 1.0, [], []
    Z, alpha, w = X - X.mean(axis=0), np.zeros(60), np.zeros(2)
    for t in range(12):
        b, active = _best_bias(Z @ w, y)
        J = primal_objective(w, b, Z, y, C)
        duals.append(alpha.sum() - w @ w / 2)
        gaps.append((J - duals[-1]) / J)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = subgradient_descent(X, y, C, tol=1e-9, max_iter=max(t, 1))
        if t:
            proof = solution.certificate
            np.testing.assert_allclose([proof.primal, proof.dual], [J, duals[-1]])
            np.testing.assert_allclose(solution.alpha, alpha, atol=1e-12)
            assert solution.b == pytest.approx(b - w @ X.mean(axis=0))
        g = w - C * (active * y) @ Z
        eta = min(1, (J - duals[-1]) / (g @ g))
        w, alpha = w - eta * g, (1 - eta) * alpha + eta * C * active
    assert duals == sorted(duals)
    first = next(t for t, gap in enumerate(gaps) if gap <= min(gaps) * (1 + 1e-9))
    assert subgradient_descent(X, y, C, tol=min(gaps) * (1 + 1e-9)).n_iter == first
    R = 2 * np.linalg.norm(Z, axis=1).sum()
    optimum = subgradient_descent(X, y, C, tol=1e-4).certificate.primal
    assert all(optimum - D <= 2 * R**2 / (t + 2) for t, D in enumerate(duals) if t)


def test_moving_the_origin_changes_only_the_bias():
    X, y = gaussians(60, 2, 2)
    one, other = subgradient_descent(X, y, 1), subgradient_descent(X + 1e6, y, 1)
    w = (other.alpha * y) @ X
    np.testing.assert_allclose(w, (one.alpha * y) @ X, rtol=1e-6)
    np.testing.assert_allclose(other.b + w.sum() * 1e6, one.b, atol=1e-3)  # X + 1e6 is rounded


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[2.0, 3.0]] * 4, [1, 1, 1, -1]),
        ([[1.0], [1.0]], [1, -1]),
        ([[0.0], [1.0]], [1, -1]),
        (np.vstack([np.zeros((1000, 2)), np.ones((1, 2))]), [-1] * 1000 + [1]),
        (np.array([[1e-8, 1e4], [2e-8, 2e4], [3e-8, -1e4]]), [1, -1, 1]),
    ],
)
def test_hard_cases(X, y):
    X, y = np.asarray(X), np.asarray(y, dtype=float)
    solution = subgradient_descent(X, y, 0.5)
    check_descent(solution, X, y, 0.5, 1e-3)
    assert solution.converged


def test_it_says_when_it_did_not_converge():
    X, y = gaussians(60, 2, 2)
    with pytest.warns(ConvergenceWarning, match="stopped after 5 iterations with a") as told:
        solution = subgradient_descent(X, y, 100, max_iter=5)
    share = f"relative duality gap of {solution.certificate.relative_gap:.3g}"
    assert share in str(told[0].message)
    assert not solution.converged
    assert solution.n_iter == 5
    check_descent(solution, X, y, 100, 1e-3)


# Pegasos


def test_a_margin_of_one_needs_no_step():
    """Both samples are at z = y x = 1; the first step brings v there, the second finds 1."""
    with pytest.warns(ConvergenceWarning):
        solution = pegasos([[1.0], [-1.0]], [1, -1], 1.0, tol=1e-9, n_epochs=1)
    assert sorted(solution.alpha) == pytest.approx([0, 0.5])


@pytest.mark.parametrize("lam", [1.0, 0.05])
def test_certificate_and_optimum_of_pegasos(lam):
    X, y = gaussians(80, 3, 2, share=0.4)
    solution = pegasos(X, y, lam, tol=5e-3)
    proof, w = solution.certificate, (solution.alpha * y) @ X
    assert solution.converged
    assert solution.b == 0.0
    primal = lam / 2 * w @ w + hinge(y * (X @ w)).mean()
    np.testing.assert_allclose(proof.primal, primal, rtol=1e-9)
    np.testing.assert_allclose(proof.dual, lam * DualProblem(X, y).objective(solution.alpha))
    np.testing.assert_allclose(proof.norm_w, np.linalg.norm(w))
    assert 0 <= proof.relative_gap <= 5e-3
    C = 1 / (lam * 80)
    machine = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8, max_iter=10**6)
    u = machine.fit(X, y).coef_[0]
    optimum = lam / 2 * u @ u + hinge(y * (X @ u)).mean()
    assert proof.dual <= optimum * (1 + 1e-6)
    assert optimum * (1 - 1e-6) <= proof.primal


def test_an_epoch_is_the_published_step_at_every_point():
    X, y = gaussians(20, 2, 1)
    lam, w, t = 0.3, np.zeros(2), 0
    rng = np.random.default_rng(7)
    for _ in range(3):
        for i in rng.permutation(20):
            t += 1
            g = lam * w - (y[i] * X[i] if y[i] * (w @ X[i]) < 1 else 0)
            w = w - g / (lam * t)
    with pytest.warns(ConvergenceWarning, match="pegasos stopped after 60 iterations"):
        solution = pegasos(X, y, lam, n_epochs=3, tol=1e-12, seed=7)
    np.testing.assert_allclose((solution.alpha * y) @ X, w, rtol=1e-9, atol=1e-12)
    assert solution.n_iter == t


def test_pegasos_stops_after_the_first_epoch_that_is_good_enough():
    X, y = gaussians(40, 2, 1)
    solution = pegasos(X, y, 0.1)
    n_epochs = solution.n_iter // 40
    assert solution.converged
    assert n_epochs > 1
    with pytest.warns(ConvergenceWarning):
        assert not pegasos(X, y, 0.1, n_epochs=n_epochs - 1).converged
