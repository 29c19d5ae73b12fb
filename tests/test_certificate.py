"""The certificate against 60 digits: never wrong, and narrow where rounding leaves it room."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmlib import SVC
from svmlib.certificate import accurate_sum, bounded_scores, gamma, primal_above
from svmlib.datasets import load_penguins
from svmlib.duality import DualProblem, solve_interior_point
from svmlib.hulls import NotSeparableError
from svmlib.kernels import (
    RBF,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    columns,
)
from svmlib.newton import newton
from tests.judge import Judge, gram

seeds = st.integers(0, 2**32 - 1)


def nasty(seed: int) -> tuple[np.ndarray, np.ndarray, float | np.ndarray, object]:
    """Return points, labels, C and kernel: any scale, any origin, duplicates, contradictions."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.choice([1, 2, 3, 10, 60]))
    scale = 10.0 ** rng.choice([0, 0, *rng.uniform(-10, 10, 2)])
    X = (rng.normal(size=(n, d)) + rng.choice([0, 0, 1, 1e4, 1e8]) * rng.normal(size=d)) * scale
    if rng.random() < 0.3:
        X[n // 2 :] = X[: n - n // 2]
    if rng.random() < 0.2:
        X = np.round(X)
    y = np.where(np.arange(n) < rng.integers(1, n), 1, -1)
    g = (
        10.0 ** rng.uniform(-2, 1) / d / scale**2
        if rng.random() < 0.6
        else 10.0 ** rng.uniform(-12, 12)
    )
    kernel = (
        Linear(),
        RBF(g),
        Polynomial(int(rng.choice([1, 2, 3, 9])), g, float(rng.choice([0, 1]))),
    )
    C = 10.0 ** rng.choice([0, rng.uniform(-8, 12)])
    C = rng.choice([np.inf, C, C]) if rng.random() < 0.8 else C * 10.0 ** rng.uniform(-12, 12, n)
    return X, y, C, kernel[rng.integers(3)]


def some_multipliers(problem: DualProblem, seed: int) -> np.ndarray:
    """Return multipliers that are feasible, nearly so, or not at all."""
    rng = np.random.default_rng(seed)
    alpha = np.minimum(problem.upper, 10.0 ** rng.uniform(-3, 3)) * rng.random(problem.n)
    plus, minus = alpha @ (problem.y > 0), alpha @ (problem.y < 0)
    if rng.random() < 0.7:
        alpha *= np.where(problem.y > 0, min(plus, minus) / plus, min(plus, minus) / minus)
    alpha *= 1 + rng.choice([0, 0, 1e-12, 1e-9, 1e-3]) * rng.normal(size=problem.n)
    return alpha - rng.choice([0, 0, 0, 1e-3]) * alpha.max()


@given(seed=seeds, kept=st.sampled_from(["nothing", "matrix", "some rows", "the last sums"]))
@settings(max_examples=300)
def test_any_multipliers_and_any_bias_are_judged_rightly(seed, kept):
    """By kernel values from K, from rows that there is room for, from tiles, and as an update."""
    X, y, C, kernel = nasty(seed)
    rows = 2 if kept == "some rows" else len(y)
    try:
        problem = DualProblem(X, y, C, kernel, cache_mb=(rows * len(y) + 1) / 2**17)
    except (NotSeparableError, ValueError):
        return
    alpha, b = some_multipliers(problem, seed), float(np.random.default_rng(seed).normal())
    if kept == "matrix":
        problem.gram()
    if kept == "some rows":
        for i in range(problem.n):
            problem.rows[i]
    if kept == "the last sums":
        for i in range(problem.n):
            problem.certificate(np.where(np.arange(problem.n) == i, alpha / 2, alpha), b)
    certificate = problem.certificate(alpha, b)
    judge = Judge(problem.X, problem.y, problem.upper, problem.kernel)
    assert mp.mpf(certificate.dual) <= judge.dual(alpha)
    assert mp.mpf(certificate.primal) >= judge.primal(alpha, b, slip=1e-3)
    assert mp.mpf(certificate.norm_w) >= judge.norm(alpha)
    assert mp.mpf(certificate.kkt_violation) >= judge.violation(alpha, b)
    assert mp.mpf(certificate.infeasibility) * (1 + 1e-15) >= judge.infeasibility(alpha)


@given(seed=seeds, solver=st.sampled_from(["auto", "smo"]))
@settings(max_examples=60)
def test_the_optimum_is_in_the_interval_of_every_fit(seed, solver):
    """Optima of feasible points of both problems, found by anyone, bound the optimum."""
    X, y, C, kernel = nasty(seed)
    weights = None
    if np.ndim(C):
        C, weights = 1.0, C
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = SVC(C=C, kernel=kernel, solver=solver, max_iter=2000 if solver == "smo" else -1)
            model.fit(X, y, weights)
        except (NotSeparableError, ValueError):
            return
        upper = np.full(len(y), C) if weights is None else weights
        peer = solve_interior_point(DualProblem(X, y, upper if weights is not None else C, kernel))
    judge, certificate = Judge(X, y, upper, kernel), model.certificate_
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    for choice, b in (
        (alpha, model.intercept_[0]),
        (peer.alpha, peer.b),
        (0 * alpha, np.sign(y.sum())),
    ):
        assert mp.mpf(certificate.dual) <= judge.primal(choice, b)
        assert mp.mpf(certificate.primal) >= judge.dual(choice)


@given(seed=seeds)
@settings(max_examples=40)
def test_no_kernel_value_is_further_off_than_its_rounding_says(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, rng.integers(1, 6))) * 10.0 ** rng.uniform(-3, 3)
    g = 10.0 ** rng.uniform(-1, 1) / np.square(X).sum(axis=1).mean()
    degree = int(rng.integers(1, 9))
    near_one = RBF(g * 1e-9)  # all its error is that of the exponential
    sigmoid = Sigmoid(g, float(3 * rng.normal()))
    for kernel in (Linear(), Polynomial(degree, g, 1.0), RBF(g), near_one, sigmoid):
        theta, sizes = kernel.rounding(X)
        exact, computed = gram(kernel, X), kernel(X, X)
        for i, j in np.ndindex(6, 6):
            size = mp.mpf(sizes[i]) * mp.mpf(sizes[j])
            assert abs(exact[i, j]) <= size
            assert abs(mp.mpf(computed[i, j]) - exact[i, j]) <= theta * size


@pytest.mark.parametrize("parameters", [{"gamma": "auto"}, {"gamma": 1.0, "coef0": 1.0}], ids=str)
def test_squared_grams_prove_nothing_false(parameters):
    """Of two species, 68 in the smaller one, w = 0 and b = −1 cost exactly 2 · 68."""
    penguins = load_penguins(("Adelie", "Chinstrap"))
    with pytest.warns(UserWarning, match="a relative duality gap of .* rounding included"):
        model = SVC(kernel="poly", degree=2, **parameters).fit(penguins.X, penguins.y)
    assert model.certificate_.dual <= 136
    assert model.certificate_.primal <= 136 * (1 + 1e-9)


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_the_linear_kernel_keeps_its_digits_in_grams(C):
    penguins = load_penguins(("Adelie", "Chinstrap"))
    certificate = SVC(kernel="linear", C=C).fit(penguins.X, penguins.y).certificate_
    assert certificate.dual <= 136 * C
    assert certificate.relative_gap < 1e-3


def test_certificates_are_narrow_where_there_is_room():
    """Bounds that are never wrong because they are infinite would be worth nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), np.where(np.arange(80) < 30, 1, -1)
    X[:30] += 1.5
    for kernel in (Linear(), RBF(0.3), Polynomial(3, 0.5, 1.0), lambda A, B: A @ B.T):
        for C in (1.0, 100.0):
            certificate = solve_interior_point(DualProblem(X, y, C, kernel)).certificate
            assert certificate.relative_gap < (1e-9 if C == 1 else 1e-7)
    table = Precomputed(RBF(0.3)(X, X))
    certificate = solve_interior_point(DualProblem(table.points, y, 1.0, table)).certificate
    assert certificate.of_given_matrix
    assert certificate.relative_gap < 1e-8


def test_a_factor_that_rounding_lets_pass_is_no_proof_without_the_lift():
    """Cholesky accepts some matrices that are indefinite by a rounding: K + η must not be."""
    rng, accepted = np.random.default_rng(0), 0
    for _ in range(500):
        a, b = rng.uniform(0.5, 2, 2)
        shift = 8 * gamma(11) * (a + b**2 / a)  # so K + shift is singular, but for a few roundings
        c = b**2 / (a + shift) - shift
        c += rng.integers(-6, 7) * np.spacing(c)
        K = np.array([[a, b], [b, c]])
        eta = DualProblem([[0.0], [1.0]], [-1, 1], 1.0, lambda A, B, K=K: table(K, A, B)).lift
        if eta < np.inf:
            accepted += 1
            eta = Fraction(eta)
            assert (Fraction(a) + eta) * (Fraction(c) + eta) >= Fraction(b) ** 2
    assert 100 < accepted < 400


def table(K, A, B):
    return K[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]


def test_the_mean_of_equal_points_need_not_be_one_of_them():
    """The RBF kernel moves the origin there; far from zero that leaves a rounding of its own."""
    X, kernel = np.full((32, 1), 196006369.02719834), RBF(2.2028622882377852e16)
    block = X[:30]
    assert block.mean() != X.mean() == X[0, 0]
    K = columns(kernel, block)(block, np.empty((30, 30)))  # exactly one, but for rounding
    assert 0 < np.abs(1 - K).max() <= kernel.rounding(X)[0]
    alpha = np.where((np.arange(32) > 0) & (np.arange(32) < 30), 1.0, 0.0)
    problem = DualProblem(X, np.where(np.arange(32) == 0, 1, -1), 1.0, kernel)
    assert problem.certificate(alpha, 0.0).norm_w >= 29


def test_a_gram_matrix_of_zeros_is_positive_semidefinite():
    model = SVC(kernel="precomputed").fit(np.zeros((3, 3)), [0, 1, 1])
    assert model.certificate_.proves_optimality
    assert model.certificate_.relative_gap < 1e-12


def test_multipliers_of_the_hard_margin_may_be_large():
    """They are of the size 1/distance²: where w and its square are floats, so are all bounds."""
    problem = DualProblem([[0.0], [2e-104], [3e-104]], [-1, 1, 1], np.inf)
    solution = newton(problem)
    assert solution.alpha.max() > 1e207
    certificate = problem.certificate(solution.alpha, solution.b)
    assert certificate.optimal_to(1e-12)
    judge = Judge(problem.X, problem.y, problem.upper, problem.kernel)
    assert mp.mpf(certificate.dual) <= judge.dual(solution.alpha)
    assert mp.mpf(certificate.primal) >= judge.primal(solution.alpha, solution.b, slip=1.0)


def test_adding_b_rounds_too():
    """1 + 1e-17 is 1 in floats, and so a multiplier at its bound seems to have no margin above."""
    problem = DualProblem([[0.0], [1.0]], [-1, 1], 1e-17)
    assert problem.certificate([1e-17, 1e-17], 1.0).kkt_violation >= 1e-17


@pytest.mark.parametrize("seed", range(8))
def test_what_a_solver_cannot_know_costs_no_more_than_a_longer_w(seed):
    """A linear certificate knows margins to more digits than Newton's method, and C is large."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 30))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1)
    solution = newton(DualProblem(X, y, 1e9))
    certificate = solution.certificate
    assert certificate.relative_gap < 1e-11
    judge = Judge(X, y, np.full(40, 1e9), Linear())
    assert mp.mpf(certificate.primal) >= judge.primal(solution.alpha, solution.b, slip=1e-9)
    assert certificate.primal > certificate.dual


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (Sigmoid(1.0, -2626218.206179713), [[1620.5610775838477], [1620.5610775838472]]),
        (
            Polynomial(3, 1.0, -124689293.35539408),
            [
                [4660.903557614338, -3083.195355451225, 9667.428705821321],
                [4660.903557614335, -3083.1953554512233, 9667.428705821316],
            ],
        ),
    ],
    ids=repr,
)
def test_a_constant_that_cancels_does_not_hide_an_indefinite_matrix(kernel, X):
    """Where γ x·z and c₀ cancel, the values are off by far more than their own size shows."""
    problem = DualProblem(X, [-1, 1], 1.0, kernel)
    with mp.workdps(60):
        K = mp.matrix(Judge(X, [-1, 1], [1.0, 1.0], kernel).K)
        assert min(mp.eigsy(K, eigvals_only=True)) >= -problem.lift


@pytest.mark.parametrize("n", [2, 7, 40, 600])
@pytest.mark.parametrize("whole", [True, False])
def test_margins_are_bounded_where_nothing_is_proved(n, whole):
    """An indefinite kernel of the user's returns numbers as they are; to sum them still rounds."""
    rng = np.random.default_rng(n)
    K = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, n)
    K += K.T
    y, alpha = np.where(np.arange(n) % 2, 1, -1), 10 * rng.random(n)
    K[0, 0] -= K[0] @ (y * alpha) / (y[0] * alpha[0])  # a sum that cancels
    room = (n * n if whole else max(2 * n, n * n - 1)) / 2**17
    problem = DualProblem(np.arange(float(n))[:, None], y, 10.0, partial(table, K), cache_mb=room)
    certificate = problem.certificate(alpha, 0.0)
    assert not certificate.proves_optimality
    sums, beta = bounded_scores(problem, alpha * y), [Fraction(v) for v in (alpha * y).tolist()]
    assert (sums.error <= 1e-12 * np.abs(K).max() * alpha.sum()).all()
    for i in range(0, n, 1 + n // 40):
        f = sum(Fraction(k) * v for k, v in zip(K[i].tolist(), beta, strict=True))
        assert abs(f - Fraction(float(sums.values[i]))) <= Fraction(float(sums.error[i]))
        assert abs(int(y[i]) * f - 1) <= certificate.kkt_violation


def test_what_lifts_a_given_matrix_lengthens_its_features():
    """The bounds hold for K + η: there φ(x) has the square K(x, x) + η, and so 0 is no length."""
    problem = DualProblem(
        [[0.0, 0.0], [1.5, 0.5], [2.5, 1.5]], [-1, 1, 1], 1.0, lambda A, B: A @ B.T
    )
    assert 0 < problem.lift < np.inf
    squares = bounded_scores(problem, np.array([-1.0, 0.5, 0.5])).sizes ** 2
    assert (squares >= problem.diagonal + 0.99 * problem.lift).all()


def linear(X):
    return DualProblem(X, np.where(np.arange(len(X)), 1, -1))


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_leave_nothing_even_in_twice_the_precision(seed):
    """What is left of the terms is of the order of what twice the precision forgets."""
    rng = np.random.default_rng(seed)
    A, weights = rng.normal(size=500), rng.normal(size=500)
    for _ in range(2):
        left = sum(
            Fraction(a) * Fraction(w) for a, w in zip(A.tolist(), weights.tolist(), strict=True)
        )
        A, weights = np.append(A, -float(left)), np.append(weights, 1.0)
    left = sum(Fraction(a) * Fraction(w) for a, w in zip(A.tolist(), weights.tolist(), strict=True))
    result, error = accurate_sum(A[:, None], weights)
    assert abs(Fraction(float(result[0])) - left) <= Fraction(float(error[0]))
    sums = bounded_scores(linear(A[:, None]), weights)
    for value, error, x in zip(sums.values, sums.error, A, strict=True):
        assert abs(Fraction(float(value)) - left * Fraction(x)) <= Fraction(float(error))


@pytest.mark.parametrize("seed", range(10))
def test_slack_that_is_only_rounding_is_rounded_up(seed):
    rng = np.random.default_rng(seed)
    m = float(rng.uniform(0.5, 1))
    margins = m * (1 - rng.integers(1, 4, size=2) * 2.0**-52)
    exact = sum(Fraction(10**12) * (1 - Fraction(v) / Fraction(m)) for v in margins.tolist())
    assert Fraction(primal_above(0.0, margins, 1e12, m)) >= exact
    assert Fraction(primal_above(m, np.full(2, m), 1.0, m)) >= 1 / Fraction(m) / 2


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_over_many_features_counts_its_own_rounding(seed):
    """w itself is known to a few units of rounding; w·x over 2000 features of one sign is not."""
    rng = np.random.default_rng(seed)
    X, beta = rng.uniform(0.5, 1, size=(3, 2000)), np.array([1.0, 0.3, 0.7])
    sums = bounded_scores(linear(X), beta)
    w = [sum(Fraction(b) * Fraction(x) for b, x in zip(beta, k, strict=True)) for k in X.T]
    for value, error, row in zip(sums.values, sums.error, X, strict=True):
        exact = sum(Fraction(x) * wk for x, wk in zip(row, w, strict=True))
        assert abs(Fraction(float(value)) - exact) <= Fraction(float(error))


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_over_many_samples_counts_its_own_rounding(seed):
    """Where all samples are one, all kernel values are 1, and only their sum rounds: it drifts."""
    share = float(np.random.default_rng(seed).uniform(0.5, 1))
    n = 512
    y = np.where(np.arange(n) % 2, 1, -1)
    problem = DualProblem(np.full((n, 1), 0.5), y, 1.0, RBF(1.0))
    sums = bounded_scores(problem, np.full(n, share))
    exact = n * Fraction(share)
    for value, error in zip(sums.values.tolist(), sums.error.tolist(), strict=True):
        assert abs(Fraction(value) - exact) <= Fraction(error)
    assert Fraction(sums.squared_norm) >= exact**2
