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
from tests import exact
from tests.hostile import problem

REALS = st.floats(-1e3, 1e3, allow_subnormal=False)


@st.composite
def labelled(draw, max_points=12, max_features=3):
    n = draw(st.integers(2, max_points))
    d = draw(st.integers(1, max_features))
    X = draw(arrays(np.float64, (n, d), elements=st.integers(-4, 4).map(float)))
    y = draw(arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1, 1
    return X, y


def gaussians(n, d, distance, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < share * n, 1.0, -1.0)
    X = rng.standard_normal((n, d))
    X[:, 0] += y * distance / 2
    return X, y


class TestLosses:
    @given(REALS)
    def test_formulas(self, m):
        assert hinge(m) == max(0, 1 - m)
        assert squared(m) == (1 - m) ** 2
        assert absolute(m) == abs(1 - m)
        np.testing.assert_allclose(np.expm1(min(logistic(m), 50)), np.exp(min(-m, 50)), rtol=1e-9)

    @given(REALS, REALS, st.floats(0, 1))
    def test_convex_and_above_the_number_of_mistakes(self, a, b, t):
        for loss in (hinge, squared, absolute, logistic):
            chord = t * loss(a) + (1 - t) * loss(b)
            assert loss(t * a + (1 - t) * b) <= chord + 1e-9 * (1 + chord)
        for loss in (hinge, squared, absolute, lambda m: logistic(m) / np.log(2)):
            assert loss(a) >= (a <= 0)

    def test_logistic_is_safe_at_any_margin(self):
        np.testing.assert_array_equal(logistic([-1e300, 1e300]), [1e300, 0])
        np.testing.assert_allclose(logistic([0.0, 40.0]), [np.log(2), np.exp(-40)], rtol=1e-12)

    @pytest.mark.parametrize("margin", [None, np.nan, [0.0, np.inf], "one", [1j]])
    def test_what_is_no_number_is_refused(self, margin):
        for loss in (hinge, squared, absolute, logistic):
            with pytest.raises(ValueError, match="margin must be"):
                loss(margin)


class TestBoundsAgainstFractions:
    """What is reported is true of the floats given, taken as exact numbers, without tolerance."""

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("seed", range(120))
    def test_subgradient_descent(self, seed):
        X, y = problem(seed)
        C = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) / (np.ptp(X) ** 2 or 1.0)
        C = 1.0 if seed % 5 == 0 else C
        solution = subgradient_descent(X, y, C, tol=1e-6, max_iter=40)
        proof = solution.certificate
        assert Fraction(proof.primal) >= exact.objective(solution.w, solution.b, X, y, C)
        assert ((solution.alpha >= 0) & (solution.alpha <= C)).all()
        assert Fraction(proof.dual) <= exact.dual_value(solution.alpha, X, y)
        assert solution.converged == (proof.relative_gap <= 1e-6)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("seed", range(80))
    def test_pegasos(self, seed):
        X, y = problem(seed)
        n, w_and_b = len(y), (0.0, X, y)
        lam = 10.0 ** np.random.default_rng(seed).uniform(-4, 4) * (np.ptp(X) ** 2 or 1.0)
        solution = pegasos(X, y, lam, n_epochs=10)
        proof, quadratic = solution.certificate, exact.objective(solution.w, *w_and_b, 0)
        loss = exact.objective(solution.w, *w_and_b, 1) - quadratic
        assert Fraction(proof.primal) >= quadratic * Fraction(lam) + loss / n
        most = 1 / (Fraction(lam) * n)
        assert all(0 <= Fraction(a) <= most for a in solution.alpha)
        dual = exact.dual_value(solution.alpha, X, y, balance=False) * Fraction(lam)
        assert Fraction(proof.dual) <= dual
        margins = exact.exact(y) * exact.scores(solution.alpha, X, y)
        at_most = most * (1 - Fraction(1, 2**50))  # 1/(λn) is no float
        short = [1 - m for m, a in zip(margins, solution.alpha, strict=True) if a < at_most]
        excess = [m - 1 for m, a in zip(margins, solution.alpha, strict=True) if a > 0]
        violation = max([0, *short, *excess])
        assert violation <= Fraction(proof.kkt_violation)
        if abs(X).max() <= 100 * np.ptp(X):  # and not much more, where sums do not cancel
            assert proof.kkt_violation <= float(violation) * (1 + 1e-6) + 1e-6

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("seed", range(15))
    def test_sums_that_cancel_prove_no_more_than_is_true(self, seed):
        """Far out, the rounding of Σ α_i y_i x_i is larger than what is left of it."""
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(12) % 2, 1.0, -1.0)
        X = 10.0 ** rng.uniform(5, 9) + rng.standard_normal((12, 2))
        one = subgradient_descent(X, y, 1.0, max_iter=20)
        assert Fraction(one.certificate.dual) <= exact.dual_value(one.alpha, X, y)
        other = pegasos(X, y, 0.1, n_epochs=3)
        dual = exact.dual_value(other.alpha, X, y, balance=False) * Fraction(0.1)
        assert Fraction(other.certificate.dual) <= dual

    @pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-154])
    def test_tiny_features_leave_only_the_bias(self, scale):
        X, y = gaussians(20, 2, 4)
        assert subgradient_descent(X * scale, y, 1.0).certificate.primal == pytest.approx(20)
        assert pegasos(X * scale, y, 0.1).certificate.primal == pytest.approx(1)


class TestObjective:
    def test_by_hand(self):
        X, y = [[1.0], [3.0]], [-1, 1]
        assert primal_objective([1.0], -1.0, X, y, 10) == 0.5 + 10 * 1 + 0
        assert primal_objective([2.0], 0.0, X, y, 1) == 2 + 3

    def test_bad_input_is_refused(self):
        X, y = [[1.0], [3.0]], [-1, 1]
        with pytest.raises(ValueError, match="w has 2 entries, expected 1"):
            primal_objective([1.0, 2.0], 0.0, X, y, 1)
        for C in (0, -1, np.inf, np.nan):
            with pytest.raises(ValueError, match="C must be"):
                primal_objective([1.0], 0.0, X, y, C)
        with pytest.raises(ValueError, match="b must be"):
            primal_objective([1.0], np.nan, X, y, 1)


class TestBestBias:
    @given(labelled(), st.data())
    def test_minimises_and_balances(self, data, draw):
        _, y = data
        scores = draw.draw(arrays(np.float64, y.size, elements=st.integers(-4, 4).map(float)))
        b, active = _best_bias(scores, y)

        def total(bias):
            return hinge(y * (scores + bias)).sum()

        kinks = y - scores
        np.testing.assert_allclose(total(b), min(total(k) for k in kinks))
        assert y[active].sum() == 0
        margins = y * (scores + b)
        assert active[margins < 1].all()
        assert not active[margins > 1].any()

    def test_middle_of_the_interval(self):
        assert _best_bias(np.array([-3.0, 3.0]), np.array([-1, 1]))[0] == 0
        assert _best_bias(np.array([-5.0, 3.0]), np.array([-1, 1]))[0] == 1


def dual_value(alpha, X, y):
    w = (alpha * y) @ X
    return alpha.sum() - w @ w / 2


def check_descent(solution, X, y, C, tol):
    """Primal and dual value, feasibility and gap, each from its definition."""
    size = 1e-9 * C * y.size * (1 + np.ptp(X, axis=0).max())
    F = primal_objective(solution.w, solution.b, X, y, C)
    proof = solution.certificate
    np.testing.assert_allclose(proof.primal, F, rtol=1e-9)
    assert (solution.alpha >= 0).all()
    assert (solution.alpha <= C * (1 + 1e-12)).all()
    assert abs(solution.alpha @ y) <= 1e-12 * C * y.size
    centred = X - X.mean(axis=0)  # the same value, because Σ α_i y_i = 0
    np.testing.assert_allclose(
        proof.dual, dual_value(solution.alpha, centred, y), rtol=1e-9, atol=size
    )
    assert proof.dual <= proof.primal
    assert solution.converged == (proof.relative_gap <= tol)


class TestSubgradientDescent:
    @pytest.mark.parametrize(
        ("n", "d", "distance", "C", "share"),
        [(100, 2, 2, 0.1, 0.5), (100, 2, 2, 1, 0.5), (60, 5, 4, 0.5, 0.2), (50, 100, 1, 0.01, 0.5)],
    )
    def test_reaches_the_optimum_of_libsvm(self, n, d, distance, C, share):
        X, y = gaussians(n, d, distance, share=share)
        solution = subgradient_descent(X, y, C)
        assert solution.converged
        check_descent(solution, X, y, C, 1e-3)
        svc = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
        optimum = primal_objective(svc.coef_[0], float(svc.intercept_[0]), X, y, C)
        assert solution.certificate.dual <= optimum * (1 + 1e-9)
        assert optimum * (1 - 1e-9) <= solution.certificate.primal <= optimum * 1.0011

    def test_it_is_the_loop_of_the_chapter(self):
        """Best bias, best slopes, Polyak's step; the best J and the last D, after every step."""
        X, y = gaussians(60, 2, 2)
        C, least, duals, rose = 1.0, np.inf, [], False
        Z, alpha, w = X - X.mean(axis=0), np.zeros(60), np.zeros(2)
        for t in range(12):
            b, active = _best_bias(Z @ w, y)
            J = primal_objective(w, b, Z, y, C)
            duals.append(alpha.sum() - w @ w / 2)
            rose, least = rose or least < J, min(least, J)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                solution = subgradient_descent(X, y, C, tol=1e-9, max_iter=max(t, 1))
            if t:
                proof = solution.certificate
                np.testing.assert_allclose([proof.primal, proof.dual], [least, duals[-1]])
                np.testing.assert_allclose(solution.alpha, alpha, atol=1e-12)
            g = w - C * (active * y) @ Z
            eta = min(1, (J - duals[-1]) / (g @ g))
            w, alpha = w - eta * g, (1 - eta) * alpha + eta * C * active
        assert duals == sorted(duals)
        assert rose, "the objective goes up and down on the way"
        R = 2 * np.linalg.norm(Z, axis=1).sum()
        optimum = subgradient_descent(X, y, C, tol=1e-4).certificate.primal
        assert all(optimum - D <= 2 * R**2 / (t + 2) for t, D in enumerate(duals) if t)

    def test_moving_the_origin_changes_only_the_bias(self):
        X, y = gaussians(60, 2, 2)
        one, other = subgradient_descent(X, y, 1), subgradient_descent(X + 1e6, y, 1)
        np.testing.assert_allclose(other.w, one.w, rtol=1e-6)
        np.testing.assert_allclose(other.b + other.w.sum() * 1e6, one.b, atol=1e-5)

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
    def test_hard_cases(self, X, y):
        X, y = np.asarray(X), np.asarray(y, dtype=float)
        solution = subgradient_descent(X, y, 0.5)
        check_descent(solution, X, y, 0.5, 1e-3)
        assert solution.converged

    def test_where_rounding_exceeds_the_minimum_the_interval_is_wide(self):
        X = np.array([[1e-8, 1e8], [2e-8, 2e8], [3e-8, -1e8]])  # margins are known to 1e-16,
        with pytest.warns(ConvergenceWarning):  # and the minimum is of that order
            solution = subgradient_descent(X, [1, -1, 1], 0.5, max_iter=200)
        assert abs(solution.certificate.dual) < 1e-15 < solution.certificate.primal < 1e-13

    def test_says_when_it_did_not_converge(self):
        X, y = gaussians(60, 2, 2)
        with pytest.warns(ConvergenceWarning, match="stopped after 5 iterations with a") as told:
            solution = subgradient_descent(X, y, 100, max_iter=5)
        share = f"relative duality gap of {solution.certificate.relative_gap:.3g}"
        assert share in str(told[0].message)
        assert not solution.converged
        assert solution.n_iter == 5
        check_descent(solution, X, y, 100, 1e-3)

    def test_bad_input_is_refused(self):
        X, y = [[0.0], [1.0]], [-1, 1]
        for arguments, message in [
            ({"C": np.inf}, "C must be"),
            ({"C": 0}, "C must be"),
            ({"tol": 0}, "tol must be"),
            ({"max_iter": -1}, "max_iter must be"),
            ({"y": [1, 1]}, "both classes"),
        ]:
            with pytest.raises(ValueError, match=message):
                subgradient_descent(**({"X": X, "y": y, "C": 1.0} | arguments))


class TestPegasos:
    def test_a_margin_of_one_needs_no_step(self):
        """Both samples are at z = y x = 1; the first step brings v there, the second finds 1."""
        with pytest.warns(ConvergenceWarning):
            solution = pegasos([[1.0], [-1.0]], [1, -1], 1.0, tol=1e-9, n_epochs=1)
        assert solution.w == 0.5
        assert sorted(solution.alpha) == pytest.approx([0, 0.5])

    @pytest.mark.parametrize("lam", [1.0, 0.05])
    def test_certificate_and_optimum(self, lam):
        X, y = gaussians(80, 3, 2, share=0.4)
        solution = pegasos(X, y, lam, tol=5e-3)
        proof, w = solution.certificate, solution.w
        assert solution.converged
        assert solution.b == 0.0
        primal = lam / 2 * w @ w + hinge(y * (X @ w)).mean()
        np.testing.assert_allclose(proof.primal, primal, rtol=1e-9)
        np.testing.assert_allclose(proof.dual, lam * dual_value(solution.alpha, X, y))
        np.testing.assert_allclose(proof.norm_w, np.linalg.norm((solution.alpha * y) @ X))
        assert 0 <= proof.relative_gap <= 5e-3
        machine = LinearSVC(
            loss="hinge", C=1 / (lam * 80), fit_intercept=False, tol=1e-8, max_iter=10**6
        ).fit(X, y)
        u = machine.coef_[0]
        optimum = lam / 2 * u @ u + hinge(y * (X @ u)).mean()
        assert proof.dual <= optimum * (1 + 1e-6)
        assert optimum * (1 - 1e-6) <= proof.primal

    def test_an_epoch_is_the_published_step_at_every_point(self):
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
        np.testing.assert_allclose(solution.w, w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose((solution.alpha * y) @ X, w, rtol=1e-9, atol=1e-12)
        assert solution.n_iter == t

    def test_it_stops_after_the_first_epoch_that_is_good_enough(self):
        X, y = gaussians(40, 2, 1)
        solution = pegasos(X, y, 0.1)
        n_epochs = solution.n_iter // 40
        assert solution.converged
        assert n_epochs > 1
        with pytest.warns(ConvergenceWarning):
            assert not pegasos(X, y, 0.1, n_epochs=n_epochs - 1).converged

    def test_seed(self):
        X, y = gaussians(40, 2, 1)
        one, same, other = (pegasos(X, y, 0.1, seed=seed).w for seed in (0, 0, 1))
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()

    def test_bad_input_is_refused(self):
        X, y = [[0.0], [1.0]], [-1, 1]
        for arguments, message in [
            ({"lam": 0}, "lam must be"),
            ({"tol": np.nan}, "tol must be"),
            ({"n_epochs": 0}, "n_epochs must be"),
            ({"X": [0.0, 1.0]}, "shape"),
        ]:
            with pytest.raises(ValueError, match=message):
                pegasos(**({"X": X, "y": y, "lam": 1.0} | arguments))
