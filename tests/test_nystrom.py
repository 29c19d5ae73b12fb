"""Machines in the span of a few pivots: judged in 60 digits, whatever the pivots are."""

import re
import tracemalloc
from copy import copy

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from svmlib import SVC
from svmlib import nystrom as module
from svmlib._auto import solve
from svmlib._rounding import gamma_n
from svmlib.kernels import RBF, Linear, Polynomial, Sigmoid
from svmlib.machines import certify_machine
from svmlib.model_files import read_libsvm, write_libsvm
from svmlib.nystrom import (
    PivotSpan,
    SpanSums,
    certify_in_span,
    low_rank,
    merge_sums,
    nystrom,
    span_sums,
)
from svmlib.problem import DualProblem
from tests import hostile
from tests.judge import Judge, exact, value
from tests.optimum import square
from tests.test_kernels import points

seeds = st.integers(0, 2**32 - 1)


def any_span(rng, X, kernel):
    """Pivots that are rows, nearly so, repeated, or strangers; a factor that is right or not."""
    r = int(rng.integers(1, 6))
    P = X[rng.integers(len(X), size=r)]
    if rng.random() < 0.4:
        P = P * (1 + rng.choice([1e-15, 1e-9, 1e-3, 1]) * rng.normal(size=P.shape))
    K = kernel(P, P)
    jitter = 10.0 ** rng.uniform(-16, -1) * (K.diagonal().max() or 1) * np.eye(r)
    try:
        U = np.linalg.cholesky(K + jitter).T
    except np.linalg.LinAlgError:
        U = jitter
    if rng.random() < 0.2:  # the bounds suppose nothing of the systems that were solved
        U = U * (1 + 1e-3 * rng.normal(size=U.shape))
    return PivotSpan(kernel, P, np.triu(U) * 10.0 ** rng.choice([-6, 0, 0, 6]))


def judge_all(span, c, b, problem, alpha, proof):
    judge, pivots = Judge(problem), [exact(p) for p in span.pivots]
    K = [[value(span.kernel, exact(x), p) for p in pivots] for x in problem.X]
    G = mp.matrix([[value(span.kernel, p, q) for q in pivots] for p in pivots])
    c, b = mp.matrix(exact(c)), mp.mpf(b)
    squared = (c.T * G * c)[0]
    scores = [mp.fdot(row, c) + b for row in K]
    margins = [s * f for s, f in zip(judge.y, scores, strict=True)]
    assert mp.mpf(proof.primal) >= judge.value(squared / 2, margins)
    assert mp.mpf(proof.norm_w) >= mp.sqrt(max(0, squared))
    assert mp.mpf(proof.dual) <= max(0, judge.dual(alpha))
    assert mp.mpf(proof.infeasibility) >= judge.infeasibility(alpha)
    assert mp.mpf(proof.kkt_violation) >= judge.violation_of(margins, alpha)


@given(seed=seeds, block=st.sampled_from([1, 20, 2**18]))
@settings(max_examples=60)
def test_bounds_hold_for_every_choice_of_pivots_and_factor(seed, block):
    rng = np.random.default_rng(seed)
    X, y, C, kernel = hostile.machine(seed, most_features=int(rng.choice([3, 30])))
    upper = np.where(np.isinf(C), 1e3, C) * np.ones(len(y))
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_SIZE", block)
        try:
            problem = DualProblem(X, y, upper, kernel)
            span = any_span(rng, problem.X, kernel)
            alpha = upper * rng.random(len(y)) * rng.choice([0, 1e-9, 1], len(y))
            c = rng.normal(size=span.rank) * 10.0 ** rng.uniform(-9, 9)
            if rng.random() < 0.5:  # the classifier that belongs to the multipliers
                c = span.coefficients(((alpha * y) @ span.features(problem.X))[None])[0]
            b = float(rng.normal())
            sums = span_sums(span, c, b, problem.X, y, alpha, upper)
        except ValueError:  # values of K beyond floats
            return
        proof = certify_in_span(sums, span, c, len(y))
    if np.isfinite(c).all():
        judge_all(span, c, b, problem, alpha, proof)
    else:
        assert proof.primal == np.inf


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5), Polynomial(9, 0.5, 1.0)], ids=repr)
@pytest.mark.parametrize("seed", range(12))
def test_what_the_pivots_miss_of_a_row_is_bounded(kernel, seed):
    X, y = points(seed, 2, 3), np.array([1.0, -1.0])
    span = any_span(np.random.default_rng(seed), X, kernel)
    P, N = [exact(p) for p in span.pivots], exact(kernel.error_bound(span.pivots).norms)
    sums = span_sums(span, np.zeros(span.rank), 0.0, X, y, y * y, y * y)
    for j, x in enumerate(map(exact, X)):
        a, k = exact(sums.coefficients[j]), [value(kernel, x, p) for p in P]
        g = [kq - mp.fdot(a, [value(kernel, p, q) for p in P]) for kq, q in zip(k, P, strict=True)]
        for true, found, size in zip(g, exact(sums.residual[j]), N, strict=True):
            assert abs(true - found) <= mp.mpf(sums.residual_error[j]) * size
        left = value(kernel, x, x) - mp.fdot(a, k) - mp.fdot(a, g)
        assert left <= mp.mpf(sums.distance[j]) ** 2


def test_the_sums_of_all_rows_are_those_of_their_blocks_and_the_largest_violation_of_any():
    X, y = points(0, 40, 3), np.tile([1.0, -1.0], 20)
    span = any_span(np.random.default_rng(0), X, RBF(1.0))
    alpha, c = np.linspace(0, 1, 40), np.ones(span.rank)
    whole, *parts = (
        span_sums(span, c, 0.5, X[rows], y[rows], alpha[rows], np.ones(len(y[rows])))
        for rows in (slice(0, 40), slice(0, 10), slice(10, 40))
    )
    for name, merged in vars(merge_sums(parts)).items():  # up to γ of some hundred operations
        assert_allclose(merged, vars(whole)[name], rtol=1e-12, atol=1e-12)


def wrong_sums():
    """Yield a span, sums of a million rows, the true dual value, and the room below it."""
    n, none = 10**6, np.zeros(2)
    low, high = 1 - 0.9 * gamma_n(n), 1 + 0.9 * gamma_n(n)
    for total, less, residual, T, apart in (
        (high, 1, 0, 0.6, 1e-3),
        (high, low, 0, 2.0, 2.0),
        (1, 1, 0.9, 0.6, 2.0),
    ):  # at each of two pivots
        pivots, doubt = np.array([[0.0], [apart]]), 1e-8 * (residual > 0)
        span = PivotSpan(RBF(1.0), pivots, np.linalg.cholesky(RBF(1.0)(pivots, pivots)).T)
        left = residual * doubt * np.array([[1, -1], [-1, 1]])
        total, coefficients = total * np.array([T, T]), less * np.array([[0, T], [T, 0]])
        sizes = np.array([2 * T, 2 * T]), np.array([doubt, doubt])
        true = 2 * mp.mpf(T) - mp.mpf(T) ** 2 * (1 - mp.exp(-(mp.mpf(apart) ** 2)))
        yield span, SpanSums(0.0, 0.0, total, coefficients, left, none, *sizes), true, 1e-6
    # at x, across the only pivot, and at 0: w is all residual, which is summed too small, and then
    # divided by too large a sum
    T, x, nothing = 200.0, 0.019**0.5, np.zeros((2, 1))
    total, distance, size = T * np.array([[high, low], [low * x, 0], [x, 0]])
    sums = SpanSums(0.0, 0.0, total, nothing, nothing, distance, size, none)
    true = 2 * mp.mpf(T) - (mp.mpf(T) * mp.mpf(x)) ** 2 / 2
    yield PivotSpan(Linear(), np.array([[0.0, 1.0]]), np.ones((1, 1))), sums, true, true - 19.99
    # at ±x, which is the only pivot: moved by a millionth, w changes its square
    T, x = 0.95e6, 1e-3
    total, size = T * np.array([[high, high], [2 * x, 2 * x]])
    sums = SpanSums(0.0, 0.0, total, T * np.array([[low], [-low]]), nothing, none, size, none)
    true = 2 * mp.mpf(T) - 2 * (mp.mpf(T) * mp.mpf(x)) ** 2
    yield PivotSpan(Linear(), np.array([[x]]), np.array([[x]])), sums, true, true / 10


def test_sums_may_be_as_wrong_as_rounding_allows():
    for span, sums, true, room in wrong_sums():
        proof = certify_in_span(sums, span, np.zeros(span.rank), 10**6)
        assert true - room <= mp.mpf(proof.dual) <= true
        assert proof.infeasibility >= 1.7 * gamma_n(10**6) * sums.total.min(), "one up, one down"


def test_a_sum_over_many_pivots_may_forget_each_but_the_first():
    """All k(x, z) are 1, so f is the sum of the coefficients."""
    r, none = 2048, np.zeros(2)
    span = PivotSpan(Polynomial(1, 1.0, 1.0), np.zeros((r, 1)), np.eye(r))
    c = np.append(1.0, np.full(r - 1, 0.99 * 2.0**-53))
    sums = span_sums(span, c, 0.0, np.zeros((2, 1)), np.array([-1.0, 1.0]), none, none + 1)
    f = mp.fsum(exact(c))
    assert f**2 / 2 + 1 + f <= mp.mpf(certify_in_span(sums, span, c, 2).primal)


def test_what_a_single_pivot_may_lose_is_bounded():
    """The pivot is the first row; where its factor is too long, its multiples are too short."""
    for kernel, X, alpha, c, b, stretched in [
        *((Polynomial(500, 1.0, 0.5), [k / 1000, 0], [0, 0], 1.0, 0.0, 1) for k in range(705, 710)),
        (Linear(), [1, 0], [0, 0], 1e-165, 0.0, 1),  # the square of its norm underflows
        (Linear(), [1, 0], [0, 0], 0.0, 1e-17, 1),  # and 1 + b is 1
        (Linear(), [1, 2], [1, 0.5], 0.0, 0.0, 1),  # w is 0 before the multipliers are balanced
        (Linear(), [2, 0], [0.25, 0.25], 0.0, 0.0, 2**0.5),  # half of w is left, along the pivot
    ]:
        X, y, alpha, c = (np.array(v, dtype=float) for v in (X, [-1, 1], alpha, [c]))
        X = X[:, None]
        span = PivotSpan(kernel, X[:1], stretched * np.sqrt(kernel(X[:1], X[:1])))
        proof = certify_in_span(span_sums(span, c, b, X, y, alpha, np.ones(2)), span, c, 2)
        judge_all(span, c, b, DualProblem(X, y, 1.0, kernel), alpha, proof)


@pytest.mark.parametrize("c", [[1e5, -3e5], [-3e5, 1e5], [2e5, 2e5]])
def test_a_norm_beyond_floats_is_not_taken_for_zero(c):
    """The first product is −∞, and a fused multiply-add leaves it so."""
    kernel, x = Polynomial(1, 1.0, 1e300), np.zeros((2, 1))
    span, y = PivotSpan(kernel, x, 1e150 * np.eye(2)), np.array([-1.0, 1.0])
    sums = span_sums(span, np.array(c), 0.0, x, y, np.zeros(2), np.ones(2))
    proof = certify_in_span(sums, span, np.array(c), 2)
    assert proof.primal == proof.norm_w == np.inf
    none, residual = np.zeros(2), np.array([[-1e160], [0]])  # nor is a product of the dual value
    sums = SpanSums(0.0, 0.0, y * y, -residual / 1e10, residual, none, 1e160 * y * y, none)
    span = PivotSpan(RBF(1.0), np.zeros((1, 1)), np.ones((1, 1)))
    assert certify_in_span(sums, span, np.zeros(1), 2).dual == 0


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize(
    ("kernel", "unit"),
    [(RBF(0.5), 1.0), (Polynomial(3, 0.5, 1.0), 1.0), (Linear(), 1.0), (Linear(), 1e-3)],
)
def test_the_gap_is_narrow_where_few_pivots_are_enough_whatever_the_unit(kernel, unit, C):
    X, y = square(600)
    problem = DualProblem(unit * X, y, C / unit**2, kernel)
    found, best = nystrom(problem, tol=1e-5), solve(problem, "auto", 1e-7)[0].certificate
    assert found.certificate.relative_gap <= 1e-5
    assert found.certificate.dual <= best.primal
    assert best.dual <= found.certificate.primal


def test_residuals_are_those_of_the_factorisation():
    """In exact arithmetic the span adds ½ (Σ α_i √e_i)² to the gap, e the diagonal of K − ΦΦᵀ."""
    X, y = square(300)
    kernel, alpha = RBF(0.5), np.random.default_rng(1).random(300)
    alpha *= np.where(y > 0, 1 / alpha[y > 0].sum(), 1 / alpha[y < 0].sum())
    span = PivotSpan.of_sample(kernel, X, 1e-9).leading(1e-4)
    Phi = span.features(X)
    w = (alpha * y) @ Phi
    c = span.coefficients(w[None].copy())[0]
    proof = certify_in_span(span_sums(span, c, 0.0, X, y, alpha, np.ones(300)), span, c, 300)
    left = 1 - np.square(Phi).sum(axis=1)
    assert 1e-5 < left.max() <= 1e-4
    wanted = alpha.sum() - w @ w / 2 - (alpha @ np.sqrt(np.maximum(left, 0))) ** 2 / 2
    assert_allclose(proof.dual, wanted, rtol=1e-9)
    assert_allclose(proof.norm_w, np.linalg.norm(w), rtol=1e-9)


@pytest.fixture(scope="module")
def large():
    X, y = square(5600)  # K has 239 MB, and the cache 200
    return X, y, SVC(gamma=0.5).fit(X, y)


def primal_value(model, X, y):
    gram = model.kernel_(model.pivots_, model.pivots_)
    hinge = np.maximum(0, 1 - y * model.decision_function(X)).sum()
    return model.pivot_coef_ @ gram @ model.pivot_coef_ / 2 + hinge


def test_without_room_for_k_a_few_pivots_predict(large):
    X, y, model = large
    assert model.solver_ == "nystrom"
    assert model.certificate_.is_optimal(1e-3)
    assert len(model.pivots_) < 120 < 1000 < len(model.support_)
    assert (model.pivots_[0] == X).all(axis=1).any()
    f = model.kernel_(X, model.pivots_) @ model.pivot_coef_ + model.intercept_
    assert_allclose(model.decision_function(X), f, atol=1e-9)
    assert_allclose(model.certificate_.primal, primal_value(model, X, y), rtol=1e-6)
    alphas = np.abs(model.dual_coef_[0])
    assert 0 < alphas.min() <= alphas.max() <= 1
    assert_allclose(model.dual_coef_.sum(), 0, atol=1e-9)


def test_files_have_the_machine_that_predicts_and_the_judge_takes_its_multipliers(large, tmp_path):
    X, y, model = large
    write_libsvm(model, tmp_path / "model")
    found = read_libsvm(tmp_path / "model").as_machine()
    assert_allclose(found.decision_function(X), model.decision_function(X), atol=1e-9)
    assert len(found.points) == len(model.pivots_)
    verdict = certify_machine(model, X, y)
    assert verdict.dual >= 0.999 * verdict.upper
    assert verdict.excess < 1e-3
    primal = primal_value(model, X, y)
    assert primal <= verdict.primal <= primal * (1 + 1e-7)  # of the machine that predicts
    other = copy(model)
    other._intercept = other._intercept + 0.1  # a new array: this one is read only
    with pytest.raises(ValueError, match="machine predicts with other numbers"):
        write_libsvm(other, tmp_path / "other")


def narrow(n=600):
    return DualProblem(*square(n), 1.0, RBF(0.5), cache_mb=2)


def test_every_step_is_logged_for_those_who_ask(caplog):
    with caplog.at_level("INFO", "svmlib"):
        solution = nystrom(narrow())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == solution.n_iter > 1
    for k, line in enumerate(lines, 1):
        assert re.fullmatch(rf"step {k}: h \S+, \d+ free, error so far \S+", line)
    gaps = [float(line.split()[-1]) for line in lines]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1


def test_the_memory_limit_is_kept_and_named():
    with pytest.warns(ConvergenceWarning, match="memory_mb=0.1 has room for 7 pivots, [0-9]+ take"):
        few = nystrom(narrow(), memory_mb=0.1)
    assert len(few.pivots) == 7 == int(0.1 * 2**17) // (3 * 600)
    assert nystrom(narrow(), memory_mb=float(re.findall("take ([^;]+)", few.remedy)[0])).converged
    with pytest.warns(ConvergenceWarning, match='pivots of a sample do not span .* solver="smo"'):
        nystrom(narrow(), tol=1e-15)
    with pytest.raises(ValueError, match=r"memory_mb must be at least 0\.0137"):
        nystrom(narrow(), memory_mb=0.01)


def test_more_samples_than_smo_can_take_get_what_there_is_room_for(monkeypatch, caplog):
    """With a gap that says so; fewer samples go on with all kernel values."""
    assert solve(narrow(), "auto", 1e-3)[1] != "nystrom", "unless it is asked for"
    assert solve(narrow(), "auto", 1e-3, memory_mb=100)[1] == "nystrom"
    assert solve(narrow(), "auto", 1e-3, memory_mb=0.3)[1] != "nystrom"
    hard = DualProblem(*square(600), np.inf, RBF(0.5), cache_mb=2)
    assert solve(hard, "auto", 1e-3, 9, memory_mb=100)[1] != "nystrom"
    monkeypatch.setattr("svmlib._auto._SMO_STEPS_PER_SAMPLE", 0)
    assert solve(narrow(), "smo", 1e-3)[0].converged, "which has a limit of its own"
    monkeypatch.setattr("svmlib._auto._MAX_SAMPLES", 599)
    monkeypatch.setattr(module, "_FORECAST_SAMPLES", 200)

    assert solve(narrow(), "auto", 1e-3, memory_mb=100)[1] == "nystrom"
    assert "expected" not in caplog.text
    solution, name = solve(narrow(), "auto", 1e-3, memory_mb=0.3)
    assert (name, len(solution.pivots)) == ("nystrom", 21)
    gap = solution.certificate.relative_gap
    assert 1e-3 < gap < np.inf
    about = float(re.findall("21 pivots; expected relative duality gap: (.*)", caplog.text)[0])
    assert gap / 3 < about < 3 * gap
    for sign in 1, -1:
        y = sign * np.where(np.arange(600) == 7, 1, -1)
        alone = DualProblem(narrow().X, y, 1.0, RBF(0.5))
        span = module.choose_span(alone, 1e-3)
        assert module.forecast_relative_gap(alone, 1e-3, span, alone.n) < 1e-2


@pytest.mark.parametrize("kernel", [Sigmoid(0.1), lambda A, B: A @ B.T, RBF(1e-300)])
def test_what_does_not_suit_is_refused(kernel):
    problem = DualProblem(np.eye(3), [-1, 1, 1], np.inf if kernel == RBF(1e-300) else 1.0, kernel)
    with pytest.raises(ValueError, match=r"a kernel of svmlib\.kernels .* up to (1|inf) and "):
        nystrom(problem)
    zeros = DualProblem(np.zeros((3, 2)), [-1, 1, 1], 1.0, Polynomial(2))
    with pytest.raises(ValueError, match="0 at all samples"):
        nystrom(zeros)


def test_low_rank_is_found_where_it_is():
    X, cubic = points(0, 1000, 2), Polynomial(3, 1.0, 1.0)
    Phi = low_rank(RBF(0.1), X)
    assert Phi.shape[1] < 100
    assert Phi.flags.c_contiguous
    error = np.abs(Phi @ Phi.T - RBF(0.1)(X, X))
    assert np.median(error) < 1e-6
    assert error.max() < 1e-2  # of points that it did not look at
    monomials = low_rank(cubic, X)
    assert_allclose(monomials @ monomials.T, cubic(X, X), rtol=1e-6, atol=1e-4)
    for kernel, unit, rank in (cubic, 1, 10), (Linear(), 1, 2), (Polynomial(2), 1e-4, 3):
        assert low_rank(kernel, unit * X).shape[1] == rank  # as many as there are monomials
    assert low_rank(Polynomial(2), 0 * X) is None
    assert low_rank(RBF(1e4), X) is None  # K is nearly I
    for other in (Sigmoid(1.0, -1.0), Polynomial(2, 1.0, -1.0), lambda A, B: A @ B.T):
        assert low_rank(other, X) is None  # though the last one has rank 2


def test_what_is_left_of_the_points_looked_at_is_a_ten_millionth():
    """Of 380 points half are looked at: nowhere more, and somewhere more with one column less."""
    Phi = low_rank(RBF(1.0), points(1, 380, 2) * 0.3)
    left, looked = 1 - np.square(Phi).sum(axis=1), np.random.default_rng(380).permutation(380)[:191]
    assert np.abs(left[looked]).max() <= 1.01e-7
    assert (left + np.square(Phi[:, -1]))[looked].max() > 1e-7


def test_a_200th_of_all_may_be_left():
    Z = points(0, 3000, 2)
    for far, found in (10, True), (20, False):
        X = np.hstack([Z / np.linalg.norm(Z, axis=1, keepdims=True), np.zeros((3000, 20))])
        X[:far] = np.eye(22)[2 : 2 + far]
        for unit in 1, 100:
            assert (low_rank(Linear(), unit * X) is not None) is found


def test_low_rank_is_less_than_half_of_the_points_looked_at():
    """Of 1000 points it looks at 250, of few at half; with d features they have rank d."""
    X = points(0, 1000, 125)
    Phi = low_rank(Linear(), X[:, :124])
    assert_allclose(Phi @ Phi.T, X[:, :124] @ X[:, :124].T, atol=1e-9)
    assert low_rank(Linear(), X[:, :124], max_rank=123) is low_rank(Linear(), X) is None
    assert low_rank(Linear(), X[:398, :99]) is not None
    assert low_rank(Linear(), X[:398, :100]) is None
    assert low_rank(Linear(), X[:5, :1]) is None
    assert low_rank(Linear(), X[:6, :1]).shape == (6, 1)


def test_a_fit_holds_no_more_than_three_copies_of_the_features():
    X, y = make_moons(6000, noise=0.3, random_state=0)
    problem = DualProblem(X, np.where(y, 1, -1), 1.0, RBF(0.5))
    tracemalloc.start()
    rank = len(nystrom(problem).pivots)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rank > 50
    assert peak < 3 * X.itemsize * len(X) * rank
