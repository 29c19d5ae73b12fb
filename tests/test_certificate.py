"""The certificate against 60 digits: never wrong, and narrow where rounding leaves it room."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from svmlib import SVC
from svmlib._rounding import SMALLEST_SUBNORMAL, UNIT_ROUNDOFF, gamma_n
from svmlib._solvers import bias_at_zero, certified_solution
from svmlib.certificate import (
    Certificate,
    Scores,
    certify,
    dual_lower_bound,
    kernel_scores,
    linear_scores,
    primal_upper_bound,
)
from svmlib.gram_matrix import KernelSums
from svmlib.interior_point import interior_point
from svmlib.kernels import (
    RBF,
    ErrorBound,
    Linear,
    Polynomial,
    Precomputed,
    ProductForm,
    Sigmoid,
    is_classic,
    kernel_expansion,
)
from svmlib.newton import newton
from svmlib.problem import DualProblem, bounded_scores
from tests import hostile
from tests.exact import exact
from tests.hostile import Cubed
from tests.judge import Judge, assert_within
from tests.optimum import data

seeds = st.integers(0, 2**32 - 1)


def some_multipliers(problem: DualProblem, rng: np.random.Generator) -> np.ndarray:
    most = rng.choice([1, 1, 3]) * np.minimum(problem.upper, 10.0 ** rng.uniform(-3, 3))
    alpha = most * rng.random(problem.n)
    plus, minus = alpha @ (problem.y > 0), alpha @ (problem.y < 0)
    if rng.random() < 0.7:
        alpha *= np.where(problem.y > 0, min(plus, minus) / plus, min(plus, minus) / minus)
    alpha *= 1 + rng.choice([0, 0, 1e-12, 1e-9, 1e-3, 1]) * rng.normal(size=problem.n)
    return alpha - rng.choice([0, 0, 0, 1e-3]) * alpha.max()


@given(seed=seeds, kept=st.sampled_from(["nothing", "matrix", "some rows", "the last sums"]))
@settings(max_examples=60)
def test_any_multipliers_and_any_bias_are_judged_rightly(seed, kept):
    rng = np.random.default_rng(seed)
    X, y, C, kernel = hostile.machine(seed, most_features=int(rng.choice([3, 60])))
    rows = 2 if kept == "some rows" else len(y)
    try:
        problem = DualProblem(X, y, C, kernel, cache_mb=(rows * len(y) + 1) / 2**17)
    except ValueError:  # values of K beyond floats
        return
    if kept == "matrix":
        problem.gram_matrix.to_array()
    if kept == "some rows":
        for i in range(problem.n):
            problem.gram_matrix[i]
    judge, alpha, b = Judge(problem), some_multipliers(problem, rng), float(rng.normal())
    wild = alpha.copy()
    wild[rng.integers(problem.n)] *= 1e12  # what was summed for it leaves its rounding
    judge.accept(problem.certificate(wild, b), wild, b)
    if kept == "the last sums":  # as after many steps of a solver
        for i in range(problem.n):
            problem.certificate(np.where(np.arange(problem.n) == i, alpha / 2, alpha), b)
    judge.accept(problem.certificate(alpha, b), alpha, b)


@given(seed=seeds)
def test_no_kernel_value_is_further_off_than_its_rounding_says(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6, rng.integers(1, 6))) * 10.0 ** rng.uniform(-3, 3)
    g = 10.0 ** rng.uniform(-1, 1) / np.square(X).sum(axis=1).mean()
    degree = int(rng.integers(1, 9))
    near_one = RBF(g * 1e-9)  # all its error is that of the exponential
    sigmoid = Sigmoid(g, float(3 * rng.normal()))
    for kernel in (Linear(), Polynomial(degree, g, 1.0), RBF(g), near_one, sigmoid):
        assert_within(kernel.error_bound(X), kernel, X, kernel(X, X))


def test_the_mean_of_equal_points_need_not_be_one_of_them():
    """The RBF kernel moves the origin there; far from zero that leaves a rounding of its own."""
    X, kernel = np.full((32, 1), 196006369.02719834), RBF(2.2028622882377852e16)
    tile = X[:30]
    assert tile.mean() != X.mean() == X[0, 0]
    assert 0 < np.abs(1 - kernel(tile, tile)).max() <= kernel.error_bound(X).theta


# Where rounding is nearly all there is


def traps(rng):
    """Yield problems, multipliers and a bias, for which each term of a bound is needed."""
    two = [[0.0], [1.0]]
    # 1 + 1e-17 is 1 in floats, and so a multiplier at its bound seems to have no margin above
    yield DualProblem(two, [-1, 1], 1e-17), [1e-17, 1e-17], 1.0
    # no multiplier, and a violation that is 1 and a little
    yield DualProblem(two, [-1, 1], 1.0), [0.0, 0.0], rng.uniform(-1e-17, 1e-17)
    # the dual value is twice the smaller multiplier, which is lost beside the other
    large = 2.0 * rng.integers(2**52, 2**53)
    yield DualProblem([[0.0], [0.0]], [-1, 1], 1e99), [large, rng.uniform(0.5, 1.5)], 0.0
    # with these multipliers w is 0, and with feasible ones it is not
    kernel = Precomputed([[1.0, 2.0], [2.0, 4.0]])
    yield DualProblem(kernel.points, [1, -1], 1.0, kernel), [1.0, 0.5], 0.0
    # a negative multiplier hides how long w is without it
    yield DualProblem([[1.0], [1.0], [0.0]], [1, 1, -1], 1.0), [1.0, -1.0, 1.0], 0.0
    # each of 500 factors has the rounding of its base
    X = [[rng.uniform(0.6, 0.7)], [0.0]]
    yield DualProblem(X, [1, -1], 1.0, Polynomial(500, 1.0, 0.5)), [1.0, 0.0], 0.0
    # multipliers have no squares that are floats, and w is of moderate length
    problem = DualProblem([[rng.uniform(1e-29, 2e-29)], [0.0]], [1, -1], np.inf, Polynomial(3))
    yield problem, [1e174, 1e174], 0.0
    # what is left of the terms is of the order of what twice the precision forgets
    x, beta = rng.normal(size=(2, 40))
    for _ in range(2):
        x, beta = np.append(x, -float(exact(x) @ exact(beta))), np.append(beta, 1.0)
    y = np.where(np.arange(42), 1, -1)
    yield DualProblem(2.0**53 * x[:, None], y), beta * y, 0.0
    # each of the steps is smaller than the rounding of the score to which it is added
    problem = DualProblem(rng.normal(size=(4, 2)), [1, -1, 1, 1], 9.0, RBF(1e-9))
    alpha = np.array([1.0, 1.0, 3.5, 3.5])
    for _ in range(400):
        problem.certificate(alpha, 0.0)
        alpha[0] = np.nextafter(alpha[0], 2)
    yield problem, alpha, 3.0
    # sums grow from multipliers a thousand million times as small, one after the other
    problem = DualProblem(rng.normal(size=(40, 2)), np.tile([-1, 1], 20), 1e6, RBF(1e-6))
    alpha = rng.uniform(1e5, 1e6, 40)
    for i in range(40):
        problem.certificate(np.where(np.arange(40) < i, alpha, alpha / 1e9), 0.0)
    yield problem, alpha, 0.0


@pytest.mark.parametrize("seed", range(4))
def test_no_rounding_is_forgotten(seed):
    for problem, alpha, b in traps(np.random.default_rng(seed)):
        Judge(problem).accept(problem.certificate(alpha, b), alpha, b)


@pytest.mark.parametrize("n", [7, 40, 150])
@pytest.mark.parametrize("whole", [True, False])
def test_margins_are_bounded_where_nothing_is_proved(n, whole):
    """An indefinite matrix holds numbers as they are; to sum them, all sums being 0, rounds."""
    rng = np.random.default_rng(n)
    y, alpha = np.where(np.arange(n) % 2, 1, -1), 10 * rng.random(n)
    alpha[-1] = 0  # and its row will be: the largest numbers count, not the smallest
    v = (alpha * y) / np.linalg.norm(alpha)
    K = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, n)
    K -= np.outer(v, v @ K)
    K -= np.outer(K @ v, v)
    K[-1], K[:, -1] = 0, 0
    kernel = Precomputed(K + K.T)
    room = (n * n if whole else max(2 * n, n * n - 1)) / 2**17
    problem = DualProblem(kernel.points, y, 10.0, kernel, cache_mb=room)
    certificate = problem.certificate(alpha, 0.0)
    assert not certificate.weak_duality_holds
    assert certificate.diagonal_shift == 0
    assert np.abs(kernel.K).max() <= problem.gram_matrix.error_bound.norms.max() ** 2 * (1 + 1e-15)
    violation = Judge(problem).violation(alpha, 0.0)
    assert violation <= certificate.kkt_violation <= violation * (1 + 1e-6)


def test_a_constant_that_cancels_does_not_hide_an_indefinite_matrix():
    """Where γ x·z and c₀ cancel, the values are off by far more than their own size shows."""
    for kernel, x, z in [
        (Sigmoid(1.0, -2626218.206179713), 1620.5610775838477, 1620.5610775838472),
        (Polynomial(3, 1.0, -84912542.64297749), 9214.800195499496, 9214.8001954995),
    ]:
        problem = DualProblem([[x], [z]], [-1, 1], 1.0, kernel)
        with mp.workdps(60):
            least = min(mp.eigsy(Judge(problem).K, eigvals_only=True))
        assert least >= -problem.gram_matrix.diagonal_shift


def test_a_factor_that_rounding_lets_pass_is_no_proof_without_the_lift():
    """Cholesky accepts some matrices that are indefinite by a rounding: K + η must not be."""
    rng, accepted = np.random.default_rng(0), 0
    for _ in range(500):
        a, b = rng.uniform(0.5, 2, 2)
        # so K + shift is singular, but for a few roundings
        shift = 8 * gamma_n(11) * (a + b**2 / a)
        c = b**2 / (a + shift) - shift
        c += rng.integers(-6, 7) * np.spacing(c)
        kernel = Precomputed([[a, b], [b, c]])
        problem = DualProblem(kernel.points, [-1, 1], 1.0, kernel)
        eta = problem.gram_matrix.diagonal_shift
        if eta < np.inf:
            accepted += 1
            assert (Fraction(a) + Fraction(eta)) * (Fraction(c) + Fraction(eta)) >= Fraction(b) ** 2
            assert b <= problem.gram_matrix.error_bound.norms.prod() * (1 + 1e-15), (
                "without η it would be more"
            )
    assert 100 < accepted < 400


@pytest.mark.parametrize("given_in", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("unit", [1, 16])
def test_numbers_that_fit_shorter_floats_are_no_excuse_for_an_indefinite_matrix(given_in, unit):
    """With v = ±1, v·Kv = −1. Of half precision that may be rounding; then the proof names η."""
    y = np.where(np.arange(64) % 2, 1, -1)
    kernel = Precomputed((unit * (np.eye(64) - 65 / 4096 * np.outer(y, y))).astype(given_in))
    problem = DualProblem(kernel.points, y, 100.0, kernel)
    certificate = problem.certificate(np.zeros(64), 0.0)
    assert problem.convex == certificate.weak_duality_holds == (given_in is np.float16)
    if problem.convex:
        assert (
            unit / 64
            < certificate.diagonal_shift
            == problem.gram_matrix.diagonal_shift
            < 0.07 * unit
        )
        shift = {1: "0.062", 16: "0.99"}[unit]
        assert f"Gram matrix given with {shift} added to its diagonal is in" in str(certificate)


def test_a_negative_squared_norm_does_not_cancel_the_rounding_of_the_losses():
    for margins in np.random.default_rng(0).random((200, 4)):
        given = -2 * float((1 - margins).sum()), margins, 1.0, 1.0
        assert primal(*given) <= Fraction(primal_upper_bound(*given))
    assert primal_upper_bound(-1.0, np.ones(2), np.inf, 0.5) >= -0.5, "½‖w‖²/γ̂² < 0 rises with γ̂"


@pytest.mark.parametrize("C", [1.0, 100.0, np.inf])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Polynomial(3, 0.5, 1.0), "given"], ids=repr)
def test_certificates_are_narrow_where_there_is_room(kernel, C):
    X, y = data(0, n=20, shift=2.5 if np.isinf(C) else 0.7)
    if kernel == "given":
        kernel = Precomputed(RBF(0.3)(X, X))
        X = kernel.points
    problem = DualProblem(X, y, C, kernel)
    solution, judge = interior_point(problem), Judge(problem)
    assert solution.certificate.relative_gap < (1e-9 if C == 1 else 1e-7)
    assert solution.certificate.user_defined_kernel == isinstance(kernel, Precomputed)
    for alpha, b in (solution.alpha, solution.b), (0.9 * solution.alpha, solution.b + 0.1):
        certificate = problem.certificate(alpha, b)
        assert_allclose(certificate.primal, float(judge.primal(alpha, b)), rtol=1e-9)
        assert_allclose(certificate.dual, float(judge.dual(alpha)), rtol=1e-9)
        assert_allclose(certificate.norm_w, float(judge.norm(alpha)), rtol=1e-9)
        assert_allclose(certificate.kkt_violation, float(judge.violation(alpha, b)), atol=1e-9)
        assert certificate.infeasibility < 1e-12


def test_a_gram_matrix_of_zeros_is_semidefinite_and_a_factor_of_sums_that_overflow_no_proof():
    """The first entry of the diagonal plus the shift is infinite, and a quotient by it is 0."""
    model = SVC(kernel="precomputed").fit(np.zeros((3, 3)), [0, 1, 1])
    assert model.certificate_.is_optimal(1e-12)
    kernel = Precomputed([[np.finfo(float).max, 1e308], [1e308, 1.0]])
    assert not DualProblem(kernel.points, [-1, 1], 1.0, kernel).convex


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("smallest_C", [0.01, 1e9])
def test_what_a_solver_cannot_know_costs_no_more_than_a_longer_w(smallest_C, seed):
    """A linear certificate knows margins to more digits than Newton's method, and C is large."""
    rng = np.random.default_rng(seed)
    X, C = rng.normal(size=(40, 30)), np.where(np.arange(40) % 2, 1e9, smallest_C)
    problem = DualProblem(X, np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1), C)
    solution = newton(problem, tol=1e-9)
    assert 0 < solution.certificate.relative_gap < 1e-11
    assert (solution.alpha <= C).all()
    again = certified_solution(problem, solution.alpha, solution.b, tol=0.0)
    assert again.certificate.gap <= solution.certificate.gap, "no longer w where it gains nothing"
    Judge(problem).accept(solution.certificate, solution.alpha, solution.b)


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # of the mean of X
def test_a_norm_that_is_not_known_is_infinite():
    """The mean of such points is ∞ − ∞, and so is the error of the kernel's values."""
    y = np.repeat([1.0, -1.0], 128)
    certificate = DualProblem(1.7e308 * y[:, None], y, 1.0, RBF(1e-308)).certificate(y * y / 2, 0.0)
    assert certificate.norm_w == certificate.primal == -certificate.dual == np.inf


def test_what_a_certificate_says_and_what_it_does_not_prove():
    good = Certificate(1.0, 1.0 - 1e-4, 1e-2, 0.0, 1.0)
    assert good.is_optimal(1e-3)
    assert not good.is_optimal(1e-5)
    assert replace(good, dual=1.0).is_optimal(0.0), "at most"
    assert replace(good, dual=1.0).is_optimal_or_stationary(0.0)
    assert "proves that the optimum is in [0.9999, 1]" in str(good)
    assert "proves that the optimum is in [1, 1]" in str(replace(good, dual=1.0))
    given = replace(good, user_defined_kernel=True, diagonal_shift=1.23e-9)
    added = "with 1.3e-09 added to its diagonal"
    assert f"the optimum for the Gram matrix given {added} is in [0.9999, 1]" in str(given)
    own = str(replace(given, user_defined_kernel=False))
    assert f"the optimum for the Gram matrix {added} is in" in own
    assert not replace(good, kkt_violation=1e-15).is_optimal(1e-5)
    for bad, reason in [
        (replace(good, weak_duality_holds=False), "positive semidefinite"),
        (replace(good, primal=np.inf), "C = ∞ and the hyperplane does not separate"),
        (DualProblem([[0.0], [2.0]], [-1, 1]).certificate([1e160] * 2, 0.0), "no upper bound"),
        (replace(good, dual=-np.inf), "no lower bound"),
        (replace(good, dual=1.1), "the bounds contradict each other"),
    ]:
        assert re.search(f"does not prove optimality.*{reason}", str(bad))
        assert not bad.is_optimal(1.0)
    assert not bad.is_optimal_or_stationary(1.0)
    for primal in -1.0, 0.0:
        other = Certificate(primal, primal - 1, 0.0, 0.0, 0.0)
        assert other.relative_gap >= 1, "a gap is not a part of a negative value or of 0"
        assert not other.is_optimal(0.5)


def test_the_relative_gap_of_subnormal_numbers_is_a_bound():
    for dual, primal in combinations(range(80), 2):
        values = primal * SMALLEST_SUBNORMAL, dual * SMALLEST_SUBNORMAL
        true, found = 1 - Fraction(dual, primal), Certificate(*values, 0.0, 0.0, 0.0).relative_gap
        assert true <= Fraction(found) <= true * (1 + Fraction(1, 2**46))


@given(primal=st.floats(1e-300, 1e300), dual_share=st.floats(-1, 1))
def test_gaps_are_bounds_too(primal, dual_share):
    proof = Certificate(primal, primal * dual_share, primal / 3, primal / 7, primal / 9)
    gap = Fraction(primal) - Fraction(proof.dual)
    for true, bound in (gap, proof.gap), (gap / Fraction(primal), proof.relative_gap):
        assert true <= Fraction(bound) <= true * (1 + Fraction(1, 2**46))
    words = re.search(r"gap (.*)\n.*tion (.*), infeasibility (.*), norm of w (.*)", str(proof))
    bounds = proof.gap, proof.kkt_violation, proof.infeasibility, proof.norm_w
    for printed, bound in zip(map(float, words.groups()), bounds, strict=True):
        assert bound <= printed <= bound * 1.11
    low, high = map(float, re.search(r"in \[(.*), (.*)\]", str(proof)).groups())
    assert low <= proof.dual <= primal <= high, "also as they are printed"
    assert high - primal <= 1e-5 * primal


# The two values, judged in fractions


@pytest.mark.parametrize("seed", range(10))
def test_slack_that_is_only_rounding_is_rounded_up(seed):
    m = float(np.random.default_rng(seed).uniform(0.5, 1))
    margins = m * (1 - np.random.default_rng(seed).integers(1, 4, size=2) * 2.0**-52)
    slack = sum(Fraction(10**12) * (1 - v / Fraction(m)) for v in exact(margins))
    assert Fraction(primal_upper_bound(0.0, margins, 1e12, m)) >= slack
    assert Fraction(primal_upper_bound(m, np.full(2, m), 1.0, m)) >= 1 / Fraction(m) / 2


FORGOTTEN = np.append(1.0, np.full(4095, 0.99 * UNIT_ROUNDOFF))  # a sum forgets each of the small


def primal(squared_norm, margins, C, m):
    m, margins = Fraction(m), exact(margins)
    losses = [max(1 - margin / m, Fraction(0)) for margin in margins]
    return Fraction(squared_norm) / m**2 / 2 + exact(np.broadcast_to(C, margins.shape)) @ losses


def values_near_the_underflow():
    """The two divisions by m: what underflows in the first grows in the second."""
    rng = np.random.default_rng(0)
    for m in (1e-3, 0.7, 1.0, 1e3):
        for k, share in zip(rng.integers(1, 99, 10), rng.uniform(0.5, 1, 10), strict=True):
            yield k * SMALLEST_SUBNORMAL, np.array([m]), 1.0, share * m


def test_the_primal_value_goes_up():
    for squared_norm, margins, C, m in [
        (0.0, np.zeros(4096), FORGOTTEN, 1.0),
        (2 * SMALLEST_SUBNORMAL, np.full(64, 1.0004), 3 * SMALLEST_SUBNORMAL, 2.0),
        *((s, m * np.array([g]), C, m) for s, m, g, C in np.random.default_rng(0).random((40, 4))),
        *values_near_the_underflow(),
    ]:
        value = primal(squared_norm, margins, C, m)
        bound = Fraction(primal_upper_bound(squared_norm, margins, C, m))
        most = value * (1 + 5000 * Fraction(UNIT_ROUNDOFF)) + Fraction(1e-315)
        assert value <= bound <= most


@pytest.mark.parametrize(
    ("size", "norm"), [(0.0, 1.0), (1e-20, 1.0), (1e-8, 1.0), (1.0, 1.0), (1.0, 1e-17)]
)
def test_the_dual_value_goes_down(size, norm):
    """Judged without the root: (√s + e)² ≤ r if and only if 4 s e² ≤ (r − s − e²)²."""
    for total, s, e in np.random.default_rng(0).uniform(1, 2, (200, 3)):
        total, s, e = size * total, norm * s, (1 - size) * e
        bound = dual_lower_bound(total, s, e)
        s, e, r = Fraction(s), Fraction(e), 2 * (Fraction(total) - Fraction(bound))
        assert r - s - e**2 >= 0
        assert 4 * s * e**2 <= (r - s - e**2) ** 2
        r -= 50 * Fraction(UNIT_ROUNDOFF) * (r + 2 * Fraction(total))
        assert r - s - e**2 < 0 or 4 * s * e**2 > (r - s - e**2) ** 2, "narrow"
    assert dual_lower_bound(-1.0, 0.0) < -1, "also of sums that rounding has made negative"


def test_the_dual_value_goes_down_among_the_smallest_numbers():
    """Σα may be too large by 2⁻¹⁰⁷⁴, which a caller's rounding leaves."""
    rng = np.random.default_rng(0)
    for unit in 1, 8, 2**20, 2**50, 2**54:
        for total, s in SMALLEST_SUBNORMAL * (unit * rng.uniform(1, 99, (200, 2))).round():
            bound = Fraction(dual_lower_bound(total, s)) + Fraction(SMALLEST_SUBNORMAL)
            assert bound <= Fraction(total) - Fraction(s) / 2 < bound + Fraction(2e-306)


def test_what_is_no_number_bounds_nothing():
    for m in 0.0, -1.0, np.inf, -np.inf, np.nan:
        assert primal_upper_bound(1.0, np.ones(2), 1.0, m) == np.inf
    assert primal_upper_bound(1.0, np.array([np.nan, 2.0]), 1.0) == np.inf
    for values in ((np.inf, np.inf), (1.0, np.inf), (1.0, 0.0, np.inf), (np.nan, 1.0)):
        assert dual_lower_bound(*values) == -np.inf
    assert primal_upper_bound(1.0, [-1e200], 1e200) == np.inf, "without a warning"
    assert primal_upper_bound(1.0, [-1.0], 1.0, 1e-310) == np.inf
    scores = linear_scores([[1e200, -1e200], [1e200, 1e200]], [1e200, 1e200])
    assert scores.squared_norm == np.inf
    assert 1 - 2e-15 <= dual_lower_bound(1.0, -1.0) <= 1


# Scores, judged in fractions: each of these cases needs a term of the bounds


def check_scores(scores, K, beta, b, y, shift=0):
    """K is exact; margins count from an origin, whose part in them is `shift`."""
    beta, y = exact(beta), exact(y)
    true = K @ beta
    lowest, highest = scores.margins(b, y.astype(float))
    for low, margin, high in zip(lowest, y * (true + shift), highest, strict=True):
        assert low <= margin <= high
    assert (abs(exact(scores.values) - true) <= exact(scores.error)).all()
    assert beta @ true <= Fraction(scores.squared_norm)
    assert (K.diagonal() <= exact(scores.norms) ** 2).all()


@pytest.mark.parametrize("b", [0.0, 1e-17, -0.3, 1e9])
def test_linear_scores_are_bounded(b):
    for X, beta in [
        ([[1.0], [0.3]], [1e-170, -1e-170]),  # ‖w‖² underflows,
        ([[1e-170, 3e-170], [-1e-170, 2e-170]], [1.0, -1.0]),  # and w·x
        ([[1.5 * 2.0**-537], [0.0]], [1.0, 0.0]),  # of which the only product loses a quarter
        (np.vstack([np.append(1.0, np.full(4000, 2.0**-27)), np.zeros(4001)]), [1.0, 0.0]),
        ([[1.0], [2.0**-60]], [1.0, 1.0]),  # w is rounded
        ([[0.1, 0.7], [0.3, 0.9]], [0.37, -0.41]),
    ]:
        Z, w, scores = exact(X), exact(beta) @ exact(X), linear_scores(X, beta)
        check_scores(scores, Z @ Z.T, beta, b, np.array([1.0, -1.0]), Fraction(b))
        most = w @ w * (1 + Fraction(1e-12)) + Fraction(1e-300)
        assert w @ w <= Fraction(scores.squared_norm) <= most


@pytest.mark.parametrize("seed", range(40))
def test_a_bias_where_the_points_came_from_is_bounded(seed):
    """From the origin c it is b − w·c, rounded once or twice; b may lose nearly all digits."""
    rng = np.random.default_rng(seed)
    X, beta, origin = rng.normal(size=(2, 3)), np.array([1.0, -1.0]), 1e9 * rng.normal(size=3)
    if seed % 3 == 0:  # large terms cancel in w·c
        origin[2] -= (X[0] - X[1]) @ origin / (X[0, 2] - X[1, 2])
    moved, b = DualProblem(X + origin, [1, -1], move_origin=True), 0.3
    solution = certified_solution(moved, np.ones(2), b, tol=1.0)
    scores, Z, c = bounded_scores(moved, beta), exact(moved.X), exact(moved.origin)
    for w in (exact(beta) @ Z, exact(scores.w)):
        lowest, highest = scores.margins(b, np.ones(2))
        for there in (float(Fraction(b) - w @ c), bias_at_zero(moved, solution)):
            f = (Z + c) @ w + Fraction(there)
            assert ((exact(lowest) <= f) & (f <= exact(highest))).all()
        assert (highest - lowest < 1e-5).all()
    assert (scores.error > linear_scores(moved.X, beta).error).all(), "w·c counts"


def indefinite(n, k):
    K = np.full((n, n), k)
    K[-1, -1] *= -1
    return K


@pytest.mark.parametrize(
    ("K", "beta", "shift", "steps"),
    [
        (np.eye(2), [1e-170, -1e-170], 0.0, 1),  # β_i (Kβ)_i underflows,
        (indefinite(40, SMALLEST_SUBNORMAL), [2.49] * 39 + [0.0], 0.0, 1),  # and β_j k(x_i, x_j),
        (indefinite(40, SMALLEST_SUBNORMAL), [2.49] * 39 + [0.0], 0.0, 4),  # each time it changes
        (SMALLEST_SUBNORMAL * np.array([[9, 1], [1, 9]]), [0.243, 0.229], 0.0, 1),  # both at once
        (np.diag([1.0, 0.7]), [0.3, -0.9], 0.5, 1),  # judged with K + I/2
        (np.full((4096, 4096), 1.0), FORGOTTEN, 0.0, 1),
        (np.array([[0.1, 0.3], [0.3, 0.9]]), [0.37, 0.41], 0.0, 1),
    ],
)
def test_sums_of_kernel_values_are_bounded(K, beta, shift, steps):
    n, sizes = len(K), np.sqrt(np.abs(K.diagonal())) * (1 + 2 * UNIT_ROUNDOFF)
    sums = KernelSums(steps * (K @ beta), steps * np.abs(beta), steps - 1)
    beta = steps * np.array(beta)
    scores = kernel_scores(sums, beta, ErrorBound(0.0, sizes), shift)
    if n > 100:  # all rows are the same
        K, values = exact(K[0]), exact(scores.values)
        total = K @ exact(beta)
        assert (abs(values - total) <= exact(scores.error)).all()
        assert total**2 <= Fraction(scores.squared_norm)
        return
    check_scores(scores, exact(K + shift * np.eye(n)), beta, 0.0, np.ones(n))


def test_a_class_of_many_is_scaled_down_far_enough():
    """All small multipliers together are forgotten in a sum of what is taken from each."""
    alpha, n, d = 1.02 * FORGOTTEN, FORGOTTEN.size, Fraction(1, 64)
    z = 64 * 1.02 * (1 + 2 * n * UNIT_ROUNDOFF)
    problem = DualProblem(np.append(np.ones(n), z)[:, None], np.append(np.ones(n), -1), 2.0)
    dual = problem.certificate(np.append(alpha, 1 / 64), 0.0).dual
    true = 2 * d - (d * (Fraction(z) - 1)) ** 2 / 2
    assert true - Fraction(1e-11) <= Fraction(dual) <= true


def test_a_share_of_the_imbalance_that_underflows_is_removed_all_the_same():
    """Points 3h, 3h and 4h: w = 0, but feasible multipliers are further away than 0."""
    h, tiny = 2.0**1000, SMALLEST_SUBNORMAL
    scores = Scores(np.zeros(3), np.zeros(3), 0.0, np.array([3 * h, 3 * h, 4 * h]))
    found = certify([2 * tiny, 2 * tiny, 3 * tiny], 0.0, scores, np.array([1, 1, -1]), [np.inf] * 3)
    assert Fraction(found.dual) <= 2 / Fraction(h) ** 2


@pytest.mark.parametrize("squared_norm", [2.0, 3.0, 7.0])
def test_the_norm_of_w_is_rounded_up(squared_norm):
    scores = replace(linear_scores([[0.0], [2.0]], np.zeros(2)), squared_norm=squared_norm)
    found = certify([0.0, 0.0], 0.0, scores, np.array([-1.0, 1.0]), [1, 1]).norm_w
    assert squared_norm <= Fraction(found) ** 2 <= squared_norm * (1 + 1e-15)


def test_multipliers_and_bounds_that_are_no_numbers_prove_nothing():
    y, ones, nan = np.array([-1.0, 1.0]), np.ones(2), np.nan
    scores = linear_scores([[0.0], [2.0]], y / 2)
    assert certify([0.5, 0.5], -1.0, scores, y, ones).is_optimal(1e-12)
    for alpha, some, upper in [
        ([nan, 1.0], scores, ones),
        ([np.inf, np.inf], scores, ones),
        ([0.5, 0.5], scores, [nan, nan]),
        ([0.5, 0.5], replace(scores, squared_norm=nan), ones),
    ]:
        found = certify(alpha, -1.0, some, y, upper)
        assert (found.infeasibility == np.inf) == (some is scores)
        assert not found.is_optimal(1.0)
    assert np.isnan(found.norm_w)
    assert certify([0.5, 0.5], -1.0, scores, y, [nan, nan]).primal == np.inf
    assert certify([0.5, 0.5], 9.0, scores, y, [nan, nan]).kkt_violation >= 10
    assert certify([0.0, nan], -9.0, scores, y, ones).kkt_violation >= 7  # y f(x) = −7


class Named(Linear):
    name = "ours"


class Evaluated(RBF):
    def evaluator(self, Z):
        def evaluate(X, out):
            out[:] = (X @ Z.T) ** 3
            return out

        return evaluate


class Formed(RBF):
    def product_form(self, X):
        return ProductForm(X, X.T, lambda t: t)


class Diagonal(RBF):
    def diagonal(self, X):
        return np.full(len(X), 2.0)


@pytest.mark.parametrize("kernel", [Evaluated(1.0), Formed(1.0), Diagonal(1.0), Cubed()])
def test_another_formula_in_a_subclass_is_another_kernel_and_another_name_is_not(kernel):
    X, y, alpha = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, -1]), np.array([0.2, 0.1, 0.3])
    functions = kernel, lambda A, B: kernel(A, B), Named()
    found, judged, own = (DualProblem(X, y, 1.0, k).certificate(alpha, 0.1) for k in functions)
    assert found == judged
    assert found.user_defined_kernel
    assert not own.user_defined_kernel
    assert not is_classic(kernel)
    assert_allclose(kernel_expansion(kernel, X, alpha, X), kernel(X, X) @ alpha)


def test_a_new_gram_matrix_forgets_the_sums_of_the_former():
    problem = DualProblem([[0.0], [1.0], [3.0]], [-1, 1, 1], 1.0, RBF(0.5))
    alpha = np.array([0.5, 0.25, 0.25])
    problem.certificate(alpha, 0.0)
    problem.gram_matrix.use(np.eye(3))
    assert_allclose(bounded_scores(problem, alpha * problem.y).values, alpha * problem.y)
    with pytest.raises(ValueError, match="read-only"):  # the next sum begins with this one
        problem.gram_matrix.incremental_matvec(alpha).values[0] = 1.0


def test_the_mean_of_both_halves_of_a_gram_matrix_forgets_sums_of_its_rows():
    skewed, numbers = np.eye(3) + 1e-15 * np.triu(np.ones((3, 3)), 1), np.arange(3.0)[:, None]
    kernel = lambda A, B: skewed[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]  # noqa: E731
    problem = DualProblem(numbers, [-1, 1, 1], 1.0, kernel)
    beta = np.array([0.0, 1.0, 0.0])
    rows = problem.gram_matrix.incremental_matvec(beta).values
    sums = problem.gram_matrix.to_array() @ beta
    assert (problem.gram_matrix.incremental_matvec(beta).values == sums).all()
    assert (rows != sums).any()
