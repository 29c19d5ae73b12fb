from __future__ import annotations

import contextlib
import subprocess
import sys
import warnings
from collections import Counter
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from svmlib import _gram as forms
from svmlib import kernels
from svmlib import newton as module
from svmlib.duality import DualProblem, Solution, balance, check_start, solve_interior_point
from svmlib.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid, low_rank
from svmlib.newton import descend, newton
from svmlib.smo import ascend, smo
from tests import hostile
from tests.judge import Judge
from tests.optimum import assert_kkt

KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]
seeds = st.integers(0, 10**6)


def data(seed: int, n: int = 60, d: int = 3, shift: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1.0, -1.0)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def assert_optimal(problem: DualProblem, solution: Solution, tol: float = 1e-3) -> None:
    _, primal, dual = assert_kkt(problem, solution, tol=tol, balance=1e-9)
    assert primal - dual <= tol * primal
    assert solution.certificate.optimal_to(tol)


def features(problem: DualProblem, Phi: np.ndarray) -> DualProblem:
    """The problem whose kernel is ΦΦᵀ."""
    return DualProblem(Phi, problem.y, problem.upper)


def from_features(problem: DualProblem, Phi: np.ndarray, **options: object) -> Solution:
    """Begin where the problem of ΦΦᵀ is solved."""
    return newton(
        problem,
        start=descend(features(problem, Phi), 1e-3, 1000, np.zeros(problem.n))[0],
        **options,
    )


def a_method(K, y, C, *, c=0.0, h=0.1, v=0.0, s=0.0, tol=1e-3, steps=None):
    """Return Newton's method for this problem, in a stage and at a point."""
    write = (lambda step: None) if steps is None else steps.append
    method = module._Newton(K, y, np.broadcast_to(C, y.shape), tol, write)
    method.c, method.h, method.v, method.s = c + 0 * y, h, v + 0 * y, s + 0 * y
    p = method.c + (y - method.s) / h
    method.free = p == method.clip(p)
    return method


def to_the_end(method):
    """Take steps until none is left, and return how many."""
    taken = 0
    while more := method.stage():
        taken += more
    return taken


# The optimum


@given(seed=seeds, n=st.integers(2, 40), d=st.integers(1, 4), log_C=st.floats(-3, 4))
@settings(max_examples=60)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_solution_satisfies_the_kkt_conditions(kernel, seed, n, d, log_C):
    problem = DualProblem(*data(seed, n, d), 10.0**log_C, kernel)
    assert_optimal(problem, newton(problem))


@given(seed=seeds, kernel=st.sampled_from(KERNELS))
@settings(max_examples=40)
def test_every_sample_may_have_its_own_price(seed, kernel):
    X, y = data(seed)
    C = 10 ** np.random.default_rng(seed).uniform(-2, 3, len(y))
    problem = DualProblem(X, y, C, kernel)
    assert_optimal(problem, newton(problem))


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_all_solvers_agree(kernel, C):
    X, y = data(3, n=80)
    problem = DualProblem(X, y, C, kernel)
    found = newton(problem)
    assert found.certificate.relative_gap < 1e-6  # few samples, so nearly exact
    exact = solve_interior_point(problem)
    f = [problem.decision_function(s.alpha, s.b, X) for s in (found, exact)]
    assert_allclose(*f, atol=1e-4)
    if C < 1e4:
        peer = svm.SVC(C=C, kernel=lambda A, B: kernel(A, B), tol=1e-6).fit(X, y)
        assert_allclose(f[0], peer.decision_function(X), atol=1e-3)
        coarse = smo(problem).certificate
        assert found.certificate.dual <= coarse.primal
        assert coarse.dual <= found.certificate.primal


def test_a_hard_margin():
    X, y = data(0, shift=3.0)
    for kernel in KERNELS:
        problem = DualProblem(X, y, np.inf, kernel)
        found, exact = newton(problem), solve_interior_point(problem)
        assert found.converged
        assert_allclose(found.certificate.dual, exact.certificate.dual, rtol=1e-4)
    with pytest.warns(ConvergenceWarning, match="newton stopped after .* duality gap of inf"):
        newton(DualProblem(*data(0, n=300, shift=0.1), np.inf), max_iter=100)


@pytest.mark.parametrize(("C", "slack"), [(1e300, 1e-16), (np.inf, 1e-12), (np.inf, 0.1)])
def test_slack_that_a_longer_w_makes_up_for(C, slack):
    """The points −√2 and √2: rounding times C is no gap where 1/√2 for w has no slack."""
    y = np.array([-1.0, 1.0])
    alpha = np.full(2, (1 - slack) / 4)
    point = a_method(forms.Gram(2 * (2 * np.eye(2) - 1)), y, C).judge(alpha * y)
    assert_allclose(point.beta, alpha * y)
    dual = 2 * alpha[0] - (1 - slack) ** 2 / 4
    assert_allclose(point.gap, 1 / 4 - dual, atol=1e-15)
    assert_allclose(point.error, max(slack, 1 - dual * 4), atol=1e-15)


def test_no_longer_w_mends_a_sample_on_the_wrong_side():
    """The points −1, 1 and 3 with labels −, + and −: w = 2 puts the last where y f(x) is −6."""
    y = np.array([-1.0, 1.0, -1.0])
    X = np.array([[-1.0], [1.0], [3.0]])
    with np.errstate(divide="ignore"):
        point = a_method(forms.Gram(X @ X.T), y, np.inf).judge(np.array([-1.0, 1.0, 0.0]))
    assert point.gap == point.error == np.inf


# Invariances


@pytest.mark.parametrize("C", [np.inf, 1e308])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.1), RBF(100.0)], ids=repr)
def test_a_hard_margin_of_many_samples(kernel, C):
    """C, or what stands for it, must not overflow, and no equations wait for a start."""
    X, y = data(0, n=720, d=2, shift=4.0)
    solution = newton(DualProblem(X, y, C, kernel))
    other = smo(DualProblem(X, y, C, kernel))
    assert solution.converged
    assert_allclose(solution.certificate.dual, other.certificate.dual, rtol=2e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_what_does_not_change_the_problem_does_not_change_the_answer(kernel):
    X, y = data(5)
    found = newton(DualProblem(X, y, 2.0, kernel))
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = newton(DualProblem(X[order], y[order], 2.0, kernel))
    swapped = newton(DualProblem(X, -y, 2.0, kernel))
    looked_up = Precomputed(kernel(X, X))
    values = [
        found.certificate.dual,
        shuffled.certificate.dual,
        swapped.certificate.dual,
        newton(DualProblem(looked_up.points, y, 2.0, looked_up)).certificate.dual,
    ]
    assert_allclose(values, values[0], rtol=1e-8)
    assert_allclose(swapped.b, -found.b, atol=1e-5)
    twice = newton(DualProblem(np.repeat(X, 2, axis=0), np.repeat(y, 2), 1.0, kernel))
    assert_allclose(twice.certificate.dual, values[0], rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    """Multiplying X by c and C by 1/c² leaves the machine what it is, in other units."""
    X, y = data(2, n=150)
    one = newton(DualProblem(X, y, 5.0))
    other = newton(DualProblem(scale * X, y, 5.0 / scale**2))
    assert_allclose(other.certificate.dual * scale**2, one.certificate.dual, rtol=1e-3)


@pytest.mark.parametrize("n", [60, 500])
@pytest.mark.parametrize("C", [1e-160, 1e-200, 1e-300])
def test_multipliers_whose_squares_underflow_are_a_start_like_others(C, n):
    problem = DualProblem(*data(3, n), C)
    solution = newton(problem)
    assert solution.certificate.optimal_to(1e-3)
    halves = np.where(problem.y > 0, 1 / (problem.y > 0).sum(), 1 / (problem.y < 0).sum()) * C
    assert newton(problem, start=halves).certificate.optimal_to(1e-3)


@pytest.mark.parametrize("far", [100.0, 1e4])
@pytest.mark.parametrize(("n", "d"), [(60, 3), (60, 40), (500, 3), (1500, 20)])
def test_linear_machines_far_from_the_origin_take_no_more_steps(far, n, d):
    X, y = data(0, n, d)
    for C in 1e4, 100.0:
        here, there = newton(DualProblem(X, y, C)), newton(DualProblem(X + far, y, C))
        assert there.converged
        assert there.n_iter <= here.n_iter + 20
        assert_allclose(there.certificate.dual, here.certificate.dual, rtol=1e-3)
    again = newton(DualProblem(X + far, y, 100.0), start=here.alpha / 2)
    assert again.converged
    assert again.n_iter < 100


@pytest.mark.parametrize("C", [5e-324, 1e-300])
def test_where_the_smoothing_overflows_nothing_is_raised(C):
    X, y = data(0, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(newton(DualProblem(X, y, C)).b)


def test_a_primal_value_beyond_floats_is_infinite_and_raises_no_other_warning():
    X, y = data(0)
    with pytest.warns(ConvergenceWarning, match="newton stopped") as heard:
        newton(DualProblem(X, y, 1e307), max_iter=3)
    assert len(heard) == 1


def test_margins_whose_squares_are_no_floats_raise_nothing_else():
    problem = DualProblem([[-1e115], [1e115]], [-1, 1], 10.0)
    with pytest.warns(ConvergenceWarning, match="newton stopped"):
        newton(problem, start=[1.0, 1.0])


@pytest.mark.parametrize("K", [np.eye(4), np.outer(range(4), range(4))])
@pytest.mark.parametrize(
    "solver",
    [solve_interior_point, newton, lambda problem: from_features(problem, np.zeros((4, 1)))],
)
def test_prices_of_any_size_are_as_good_as_the_largest_multipliers(solver, K):
    y, C = [-1, 1, 1, -1], [1e295, 1e299, 1e303, 1e307]  # their squares are no floats
    problem = DualProblem(np.arange(4.0)[:, None], y, C, Precomputed(K))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        alpha = solver(problem).alpha
    assert (alpha <= 1e140).all()


# Large problems, and each way in which K is at hand


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize(
    ("kernel", "form"),
    [(Linear(), "Factored"), (RBF(0.01), "Factored"), (RBF(2.0), "Kept")],
    ids=repr,
)
def test_large_problems(kernel, form, C, monkeypatch):
    """Every form of K is met, and solves its equations."""
    X, y = data(1, n=1500, d=4)
    problem = DualProblem(X, y, C, kernel)
    Phi = None if isinstance(kernel, Linear) else low_rank(kernel, X)
    assert (Phi is None) == (isinstance(kernel, Linear) or form == "Kept")
    used = []
    original = getattr(forms, form).step
    monkeypatch.setattr(
        getattr(forms, form), "step", lambda *args: used.append(1) or original(*args)
    )
    if Phi is None:
        solution = newton(problem, trace=True)
    else:
        solution = from_features(problem, Phi, trace=True)
    assert_optimal(problem, solution)
    assert used
    assert problem._gram is None  # K was never formed
    assert solution.n_iter == len(solution.trace) < 200


def with_bias(K, free, h, right, total):
    """Return x with (K_FF + hI) x + b = right and Σx = total, by elimination."""
    m = len(free)
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = K[np.ix_(free, free)] + h * np.eye(m)
    system[m, m] = 0
    return np.linalg.solve(system, np.append(right, total))[:m]


@pytest.mark.parametrize("h", [1e-3, 1.0])
@pytest.mark.parametrize("columns", [3, 30])
@pytest.mark.parametrize("m", [2, 20, 40])
def test_all_forms_take_the_step_of_the_equations(columns, h, m):
    """Whatever coordinates v has, and with fewer free samples than columns or more."""
    rng = np.random.default_rng(0)
    Phi, beta, q = rng.normal(size=(50, columns)), rng.normal(size=50), rng.normal(size=50)
    beta -= beta.mean()
    K, free = Phi @ Phi.T, np.sort(rng.permutation(50)[:m])
    x = with_bias(K, free, h, -(K @ (q - beta))[free], -q.sum())  # how q moves
    expected = q.copy()
    expected[free] += x
    for form in forms.Factored(Phi), forms.Gram(K):
        v = form.represent(beta)
        missing = form.dual(form.represent(q) - v)
        target, ds = form.step(v, q, missing, free, h)
        assert_allclose(target, form.represent(expected), atol=1e-8)
        assert_allclose(ds[free], -h * x, atol=1e-10)
        changes = ds - K @ (expected - beta)
        assert_allclose(changes, changes.mean(), atol=1e-7)  # b
        assert_allclose(form.inner(target - v, ds, v), beta @ K @ (expected - beta), atol=1e-7)


def test_multipliers_that_do_not_follow_from_w_come_from_the_equations():
    """With h = 1e-13 a product's rounding over h would be 1000."""
    rng = np.random.default_rng(0)
    Phi, q, beta = rng.normal(size=(60, 9)), rng.normal(size=60), rng.normal(size=60)
    free, K = np.arange(8), Phi @ Phi.T
    x = with_bias(K, free, 1e-13, -(K @ (q - beta))[free], -q.sum())
    for form in forms.Factored(Phi), forms.Gram(K):
        v = form.represent(beta)
        _, ds = form.step(v, q, form.dual(form.represent(q) - v), free, 1e-13)
        assert_allclose(-ds[free] / 1e-13, x, rtol=1e-9)


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("name", ["lognormal", "heavy tails", "collinear", "scales"])
@pytest.mark.parametrize("n", [300, 2500])
def test_linear_kernels_on_columns_as_they_come(name, n, C):
    """With multipliers for unknowns all digits cancel here; there are d weights and a bias."""
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(n, 5))
    X, score = {
        "lognormal": (np.exp(2 * Z), Z[:, 0]),
        "heavy tails": (W := rng.standard_t(1.5, size=(n, 8)), W[:, 0]),
        "collinear": (np.c_[Z, Z @ rng.normal(size=(5, 5))], rng.uniform(-1, 9, size=n)),
        "scales": (Z * 10.0 ** np.arange(-2, 3), Z[:, 4] + Z[:, 0]),
    }[name]
    y = np.where(score + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    solution = newton(DualProblem(X, y, C))
    assert solution.converged
    assert solution.certificate.optimal_to(1e-3)


@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_of_low_rank_held_whole(seed, C):
    """K has the rank 10, and any number of samples may be free."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=150) > 0, 1.0, -1.0)
    assert newton(DualProblem(X, y, C, Polynomial(2, 0.5, 1.0))).converged


@pytest.mark.parametrize("C", [10.0, 100.0, 1e4])
def test_a_start_of_smo_is_judged_with_its_own_scores(C):
    """Margins within the tolerance do not mean that the gap is, where C is large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    problem = DualProblem(X, np.where(X[:, 0] + rng.normal(size=300) > 0, 1, -1), C, RBF(0.025))
    assert newton(problem, start=smo(problem, max_iter=3000).alpha).converged


def test_a_matrix_without_full_rank_may_have_any_h():
    """Rounding makes eigenvalues of zero negative; the diagonal makes up for it."""
    rng = np.random.default_rng(0)
    Phi = rng.normal(size=(200, 3)) * (1.0, 1e-3, 1e3)
    right = rng.normal(size=200)
    for form in forms.Gram(Phi @ Phi.T), forms.Factored(np.c_[Phi, Phi]):
        v = form.represent(np.zeros(200))
        for free in np.arange(5), np.arange(200):
            missing = form.dual(form.represent(right) - v)
            assert np.isfinite(form.step(v, right, missing, free, 1e-12)[1]).all()


def test_rows_are_kept_while_there_is_room():
    X, _ = data(0, n=1200)
    v = np.random.default_rng(1).normal(size=1200)
    K = RBF(1.0)(X, X)
    free, right = np.arange(0, 1200, 11), v[:110]
    expected = with_bias(K, free, 0.1, right, 3.0)
    for room in (60_000, 10**8):
        form = forms.Kept(RBF(1.0), X, room)
        assert 2 * form.rows.size <= room
        assert_allclose(form.times(v), K @ v, atol=1e-10)
        assert_allclose(form.solve(free, 0.1, right, 3.0), expected, atol=1e-10)
        few = form.kept.size  # all of them or none: there was room, or there was not
        assert few == (1200 if room > 2400 * 1200 else 0)
        form.times(np.where(np.arange(1200) < 20, v, 0))
        assert form.kept.size == max(few, 20)
        assert_allclose(form.times(v), K @ v, atol=1e-10)  # some are there, and some are not
    with pytest.raises(forms.StuckError, match="block larger than their part"):
        forms.Kept(RBF(1.0), X, 60_000).block(np.arange(400))


@pytest.mark.parametrize("n", [2, 20])
def test_more_columns_than_rows_are_no_more_than_rows(n):
    X, y = data(0, n, d=6000)
    assert forms.factored(X).rank == forms.Factored(X).rank == n
    assert isinstance(forms.factored(X), forms.Gram)  # there are fewer products than coordinates
    assert_optimal(problem := DualProblem(X, y, 1.0), newton(problem))


def test_points_far_from_the_origin_change_scores_only_by_a_constant():
    rng = np.random.default_rng(0)
    Phi, v = rng.normal(size=(50, 3)), rng.normal(size=50)
    v -= v.mean()
    K = forms.factored(Phi + 1e8)
    change = K.times(K.represent(v)) - Phi @ (Phi.T @ v)
    assert_allclose(change, change[0], atol=1e-5)


def test_too_little_memory_is_told_and_not_exceeded():
    with pytest.raises(ValueError, match="cache_mb must be at least"):
        newton(DualProblem(*data(0, n=60), kernel=RBF(0.5), cache_mb=0.01))
    problem = DualProblem(*data(0, n=1200, d=20), 100.0, RBF(0.5), cache_mb=1)
    with pytest.warns(
        ConvergenceWarning, match="steps .the free .* larger than their part of the cache"
    ):
        solution = newton(problem)
    assert not solution.converged
    assert solution.certificate.gap > 0


def test_features_far_from_the_origin_lose_nothing():
    X, y = data(0, n=800, d=2)
    problem = DualProblem(X + 10, y, 10.0, Polynomial(2, 1.0, 1.0))
    found = from_features(problem, low_rank(problem.kernel, problem.X))
    assert_optimal(problem, found)
    assert found.certificate.relative_gap < 1e-4


@pytest.mark.parametrize("far", [0, 3])
def test_a_start_from_few_features_finds_its_bias(far, monkeypatch):
    """The features are moved to their middle, which changes b; margins that are 1 stay 1."""
    starts = []
    stage = module._Newton.stage
    monkeypatch.setattr(
        module._Newton, "stage", lambda self: starts.append((self.c, self.s)) or stage(self)
    )
    X, y = data(0, n=800, d=2)
    problem = DualProblem(X + far, y, 10.0, Polynomial(2, 1.0, 1.0))
    Phi = low_rank(problem.kernel, problem.X)
    Phi[:, 0] *= 1.001  # or there would be nothing left to do
    from_features(problem, Phi)
    beta, s = next((c, s) for c, s in reversed(starts) if np.abs(y * s - 1).min() < 0.01)
    free = (beta != 0) & (np.abs(beta) < problem.upper * (1 - 1e-6))
    assert free.sum() > 3
    assert_allclose((y * s)[free], 1, atol=0.01)


def test_bad_features_cost_time_and_not_truth():
    """What comes from Φ is judged, and mended, with the exact kernel."""
    problem = DualProblem(*data(0, n=1000, d=4), 10.0, RBF(1.0))
    wrong = np.random.default_rng(0).normal(size=(1000, 3))
    assert_optimal(problem, from_features(problem, wrong))


# Starts, traces, and what is refused


def test_a_start_is_used():
    problem = DualProblem(*data(0, n=400), 50.0, RBF(1.0))
    cold = newton(problem)
    warm = newton(problem, start=cold.alpha)
    assert warm.n_iter == 0
    assert warm.converged
    first = smo(problem, max_iter=10**6, tol=0.1)
    assert newton(problem, start=first.alpha).n_iter < cold.n_iter
    with pytest.raises(ValueError, match="start must be feasible"):
        newton(problem, start=np.ones(400))


def test_every_step_goes_downhill_and_is_told():
    told = []
    solution = newton(DualProblem(*data(0), 10.0), callback=told.append, trace=True)
    assert list(solution.trace) == told
    assert len(told) == solution.n_iter > 3
    assert all(step.slope < 0 < step.length for step in told)
    assert all(0 < step.free <= 60 for step in told)
    assert told[-1].h < told[0].h


def test_the_length_of_a_step_is_where_the_slope_is_nearly_zero():
    """Against the slope as the objective of the stage has it, by differences."""
    rng = np.random.default_rng(0)
    n, h = 30, 0.3
    A = rng.normal(size=(n, n))
    K, y = A @ A.T, np.sign(rng.normal(size=n))
    lo, hi = np.minimum(0, y), np.maximum(0, y)
    c = lo + (hi - lo) * rng.random(n)
    method = a_method(forms.Gram(K), y, 1.0, c=c, h=h)

    def objective(beta, b):
        s = K @ beta + b
        q = np.clip(c + (y - s) / h, lo, hi)
        return beta @ K @ beta / 2 + (q * (y - s) - h / 2 * (q - c) ** 2).sum()

    beta, b = rng.normal(size=n), 0.3
    beta -= beta.mean()  # Σβ = 0, as always
    p = c + (y - K @ beta - b) / h
    q = np.clip(p, lo, hi)
    target, ds = method.K.step(beta, q, K @ (q - beta), np.abs(p - q).argsort()[:9], h)
    delta = target - beta
    delta_b = (ds - K @ delta).mean()
    slope = ds @ (beta - q)
    t, ahead, there = method.search(p, ds, ds @ beta, ds @ delta, 0.2 * abs(slope))
    s = K @ (beta + t * delta) + b + t * delta_b
    assert_allclose(ahead, c + (y - s) / h, atol=1e-9)
    assert_allclose(there, np.clip(ahead, lo, hi))

    def slope_at(t, e=1e-6):
        ahead, behind = (objective(beta + u * delta, b + u * delta_b) for u in (t + e, t - e))
        return (ahead - behind) / (2 * e)

    assert_allclose(slope_at(0), slope, rtol=1e-5)
    assert abs(slope_at(t)) <= 0.21 * abs(slope)
    assert objective(beta + t * delta, b + t * delta_b) < objective(beta, b)


def test_the_slope_that_is_told_is_that_of_the_objective(monkeypatch):
    problem = DualProblem(*data(0), 1.0, RBF(1.0))
    K, y, h = problem.gram(), problem.y, 0.5
    lo, hi = np.minimum(0, y), np.maximum(0, y)

    def objective(beta, b):
        s = K @ beta + b
        q = np.clip((y - s) / h, lo, hi)
        return beta @ K @ beta / 2 + (q * (y - s) - h / 2 * q**2).sum()

    beta, b = np.random.default_rng(0).normal(size=60), 0.1
    beta -= beta.mean()
    told = []
    method = a_method(forms.Gram(K), y, 1.0, h=h, v=beta, s=K @ beta + b, steps=told)
    monkeypatch.setattr(module, "_MANY_STEPS", 1)
    assert method.stage() == 1
    after, length = method.v, told[0].length
    along = (after - beta) / length, (method.s - K @ after - b).mean() / length
    ahead, behind = (objective(beta + t * along[0], b + t * along[1]) for t in (1e-6, -1e-6))
    assert_allclose((ahead - behind) / 2e-6, told[0].slope, rtol=1e-4)


def test_the_minimum_of_a_stage_is_one():
    """There Kβ = Kq and Σq = 0, and the smoothing is what the dual has as h/2 ‖q − c‖²."""
    problem = DualProblem(*data(0), 3.0, RBF(1.0))
    K, y, n = problem.gram(), problem.y, problem.n
    lo, hi = np.minimum(0, 3 * y), np.maximum(0, 3 * y)
    start = np.random.default_rng(0).normal(size=n)
    start -= start.mean()
    method = a_method(forms.Gram(K), y, 3.0, v=start, s=K @ start)
    assert to_the_end(method)
    assert np.ptp(method.s - K @ method.v) < 1e-10
    q = np.clip((y - method.s) / 0.1, lo, hi)
    assert_allclose(q, method.v, atol=1e-10)
    assert abs(q.sum()) < 1e-10
    assert_allclose(method.q, q, atol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tol": 0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"start": [1.0]}, "start has 1 entries"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        newton(DualProblem([[0.0], [1.0]], [-1, 1]), **arguments)


def test_what_is_not_convex_is_refused():
    with pytest.raises(ValueError, match="kernel must be positive semidefinite"):
        newton(DualProblem(*data(0), 1.0, Sigmoid(1.0, -1.0)))
    with pytest.raises(ValueError, match="problem must be a DualProblem"):
        newton(data(0))


def test_only_at_a_start_it_may_be_known_who_is_free():
    problem = DualProblem(*data(0, n=150), 10.0, RBF(1.0))
    start = ascend(problem, 1e-3, 75)[0]
    assert newton(problem, start=start, trace=True).trace[0].h == 0
    assert newton(problem, trace=True).trace[0].h > 0
    nothing = newton(problem, start=np.zeros(150), trace=True).trace
    assert nothing[0].h > 0


def test_nobody_who_cannot_be_free_at_the_start_is_supposed_to_be():
    """With p = y/h those are free for whom that is less than C."""
    X, y = data(0, n=60)
    C = np.where(np.arange(60) % 3, 1e3, 1e-3)
    told = newton(DualProblem(X, y, C, RBF(1.0)), trace=True).trace
    assert told[0].free == 40


def test_a_callback_can_stop_it():
    def stop(step):
        told.append(step)
        if len(told) == 3:
            raise StopIteration

    told, problem = [], DualProblem(*data(0), 10.0)
    with pytest.warns(ConvergenceWarning, match="stopped after 3 steps"):
        solution = newton(problem, callback=stop)
    assert solution.n_iter == len(told) == 3
    with pytest.warns(ConvergenceWarning):
        assert (solution.alpha == newton(problem, max_iter=3).alpha).all()


@pytest.mark.parametrize("error", [MemoryError, np.linalg.LinAlgError, KeyboardInterrupt])
def test_an_error_of_the_callback_is_not_swallowed(error):
    def fail(step):
        raise error("mine")

    with pytest.raises(error, match="mine"):
        newton(DualProblem(*data(0)), callback=fail)


@pytest.mark.parametrize("begun", [0.0, 0.99])
def test_the_answer_is_never_worse_than_none_or_than_the_start(begun, monkeypatch):
    """A method that takes something wild for the optimum is not believed."""
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    start = begun * newton(problem).alpha
    wild = module._Point(problem.upper * problem.y, 0.0, 0.0, 0.0)
    monkeypatch.setattr(module._Newton, "solve", lambda self: setattr(self, "best", wild))
    with pytest.warns(ConvergenceWarning, match="newton stopped"):
        solution = newton(problem, start=start if begun else None)
    assert_allclose(solution.alpha, start)
    assert solution.certificate.gap <= problem.upper.sum() * (1 + 1e-9)


def test_the_next_smoothing_follows_from_the_steps_of_a_stage(monkeypatch):
    """A sixth of h for every step that it took; so six steps leave it, and more widen it."""
    stages, stage = [], module._Newton.stage

    def spy(self):
        h = self.h
        stages.append((h, stage(self)))
        return stages[-1][1]

    monkeypatch.setattr(module._Newton, "stage", spy)
    monkeypatch.setattr(module._Newton, "exact", lambda self: None)  # it would soon be over
    problem = DualProblem(*data(0, n=600), 50.0, RBF(1.0))
    assert newton(problem).converged
    for (h, steps), (after, _) in pairwise(stages):
        assert_allclose(after / h, max(steps, 1) / 6)
    taken = {steps for _, steps in stages}
    assert min(taken) < 6 < max(taken)


def test_a_stage_without_a_step_was_as_easy_as_one_with_one(monkeypatch):
    begun = []
    monkeypatch.setattr(module._Newton, "stage", lambda self: begun.append(self.h) or 0)
    monkeypatch.setattr(module._Newton, "exact", lambda self: None)
    with pytest.warns(ConvergenceWarning):
        newton(DualProblem(*data(0), 50.0, RBF(1.0)))
    assert_allclose(begun[1] / begun[0], 1 / 6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_end_is_exact(kernel):
    """Once the free multipliers are known, one step solves for them, whatever tol is."""
    solutions = [newton(DualProblem(*data(seed, n=150), 10.0, kernel)) for seed in range(7)]
    assert np.median([s.certificate.relative_gap for s in solutions]) < 1e-8
    assert np.median([s.certificate.kkt_violation for s in solutions]) < 1e-8


def test_an_end_that_is_none_is_thrown_away(monkeypatch):
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    usual = newton(problem)
    monkeypatch.setattr(module._Newton, "exact", lambda self: self.consider(0 * self.q))
    assert_optimal(problem, newton(problem))
    assert usual.n_iter < newton(problem).n_iter


@pytest.mark.parametrize("steps", range(1, 8))
def test_what_it_returns_is_feasible_wherever_it_stops(steps):
    problem = DualProblem(*data(0, n=150), 10.0, RBF(1.0))
    with pytest.warns(ConvergenceWarning, match="newton stopped"):
        alpha = newton(problem, tol=1e-12, max_iter=steps).alpha
    assert alpha.any()
    check_start(alpha, problem)


def test_a_stage_ends_when_the_next_one_brings_more():
    """So few steps are enough, of all that these problems need; to the end it would be a fifth
    more."""
    steps = [
        newton(DualProblem(*data(seed, n=250), C, RBF(1.0))).n_iter
        for seed in range(3)
        for C in (1.0, 100.0)
    ]
    assert sum(steps) < 165


def test_a_bound_is_met_exactly():
    """One full step; β + (q − β) alone would be off by a rounding in many of them."""
    rng = np.random.default_rng(0)
    n = 200
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    C = rng.uniform(0.1, 1, size=n // 2).repeat(2)  # so that all at C are in balance
    beta = C * y * rng.random(n // 2).repeat(2)  # Σβ = 0
    assert (beta + (y * C - beta) != y * C).any()
    told = []
    method = a_method(forms.Gram(1e-9 * np.eye(n)), y, C, h=1e-3, v=beta, s=1e-9 * beta, steps=told)
    method.stage()
    assert told[0].length == 1.0
    assert (method.v == y * C).all()


def test_running_out_of_steps_is_told():
    with pytest.warns(ConvergenceWarning, match="newton stopped after 2 steps with a duality gap"):
        solution = newton(DualProblem(*data(0), 10.0, RBF(1.0)), max_iter=2)
    assert not solution.converged
    assert solution.certificate.primal >= solution.certificate.dual


# Hostile data


def special_cases():
    X, y = data(0, n=20)
    yield "two samples", [[0.0], [1.0]], [-1, 1]
    yield "one point in both classes", np.zeros((10, 2)), np.tile([-1, 1], 5)
    yield "a class in one point", np.where(y[:, None] > 0, 1.0, X), y
    yield "constant columns", np.column_stack([X, np.full(20, 7.0)]), y
    yield "duplicates", np.repeat(X, 3, axis=0), np.repeat(y, 3)
    yield "one of a kind", X, np.where(np.arange(20) == 0, 1, -1)
    yield "separable", X + 5 * y[:, None], y
    yield "tiny", 1e-12 * X, y
    yield "huge", 1e12 * X, y


CASES = list(special_cases())


@pytest.mark.parametrize(("name", "X", "y"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_special_cases(name, X, y, C):
    size = float(np.square(X).mean()) or 1.0
    for kernel in Linear(), RBF(1 / size):
        scale = size if isinstance(kernel, Linear) else 1.0
        problem = DualProblem(X, y, C / scale, kernel)
        solution = newton(problem)
        assert solution.converged
        exact = solve_interior_point(problem).certificate
        assert solution.certificate.dual <= exact.primal
        assert exact.dual <= solution.certificate.primal


@given(seed=seeds, log_C=st.floats(-3, 5))
@settings(max_examples=50)
def test_a_certificate_is_true_whatever_the_data(seed, log_C):
    """60 digits judge; and a solver that has not converged says so."""
    X, y = hostile.problem(seed, most_points=8)
    rng = np.random.default_rng(seed)
    width = np.square(X).mean() or 1.0
    kernel = [Linear(), RBF(10.0 ** rng.uniform(-2, 2) / width)][int(rng.integers(2))]
    problem = DualProblem(X, y, 10.0**log_C, kernel)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        solution = newton(problem)
    certificate = solution.certificate
    assert solution.converged == certificate.optimal_to(1e-3) or certificate.kkt_violation > 1e-3
    assert solution.converged != any(w.category is ConvergenceWarning for w in heard)
    judge = Judge(problem.X, y, problem.upper, kernel)
    assert mp.mpf(certificate.dual) <= judge.dual(solution.alpha)
    assert mp.mpf(certificate.primal) >= judge.primal(solution.alpha, solution.b, slip=1e-3)


def test_a_small_gap_with_wrong_margins_is_not_converged():
    """On the way there are points whose gap is within the tolerance before their margins are."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(150) % 2, 1.0, -1.0)
    problem = DualProblem(rng.normal(size=(150, 2)) + 0.8 * y[:, None], y, 1.0)
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for steps in range(1, 12):
            solution = newton(problem, tol=0.1, max_iter=steps)
            judged = solution.certificate
            seen.add(verdict := (judged.optimal_to(0.1), judged.kkt_violation <= 0.1))
            assert solution.converged == all(verdict)
    assert {(True, False), (True, True)} <= seen


def test_the_bias_between_the_extremes_serves_where_the_mean_does_not():
    """One positive sample, the others nearly alike: a mean b that is off by 1e-4 costs all C_i."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(300) == 7, 1, -1)
        problem = DualProblem(rng.normal(size=(300, 5)), y, 10.0, RBF(1e-5))
        start = ascend(problem, 1e-3, 200)[0]
        solution = newton(problem, start=start)
        assert solution.converged
        assert solution.certificate.optimal_to(1e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_cut_off_it_is_nowhere_worse_than_its_start(kernel):
    for seed in range(12):
        X, y = data(seed, n=30)
        problem = DualProblem(X, y, 1e3, kernel)
        start = ascend(problem, 1e-3, 3 + 5 * seed)[0]
        begun = problem.solution(start, n_iter=0, converged=False).certificate.gap
        for steps in range(1, 12):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                solution = newton(problem, start=start, max_iter=steps)
            assert solution.converged or solution.certificate.gap <= begun


def test_memory_stays_within_the_cache():
    """In a process of its own; K whole would take 288 MB."""
    code = """
import resource, numpy as np
from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.newton import descend, newton
from svmlib.smo import ascend
rng = np.random.default_rng(0)
y = np.where(rng.random(6000) < 0.5, 1.0, -1.0)
X = rng.normal(size=(6000, 10)) + 0.7 * y[:, None]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
problem = DualProblem(X, y, 1.0, RBF(0.05), cache_mb=64)
solution = newton(problem, start=ascend(problem, 1e-3, 3000)[0])
print(solution.converged, peak() - before)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    converged, used = run.stdout.split()
    assert converged == "True"
    assert float(used) < 100


def test_a_block_takes_no_more_than_rows_leave_of_the_room():
    X = np.random.default_rng(0).normal(size=(80, 2))
    K = forms.Kept(RBF(1.0), X, 2400 + 50**2)  # 30 rows
    for free in (np.arange(50), np.arange(30, 80)):  # some rows are kept, some are not
        assert_allclose(K.block(free), RBF(1.0)(X[free], X[free]))
    with pytest.raises(forms.StuckError, match="block larger than their part"):
        K.block(np.arange(51))


def test_rows_that_are_kept_are_not_evaluated_again():
    X = np.random.default_rng(0).normal(size=(80, 2))
    K, some = forms.Kept(RBF(1.0), X, 10**6), np.arange(30, 50)
    K.block(np.arange(50))
    K.kernel = K.evaluate = None  # nobody may ask
    assert_allclose(K.block(some), RBF(1.0)(X[some], X[some]))


def test_with_few_features_the_gap_is_next_to_nothing():
    """It costs little; without that rule the largest of these gaps is above 1e-7."""
    for seed in range(8):
        solution = newton(DualProblem(*data(seed, n=2000, d=2), 0.1))
        assert solution.certificate.relative_gap < 1e-8


def test_where_rounding_is_in_the_way_it_does_not_try_for_long(monkeypatch):
    """These gaps hardly come down to 1e-9; without that rule it takes 1.6 times as many steps."""
    enough = steps = 0
    for seed in range(6):
        X, y = data(seed, n=400, d=8)
        X *= 10.0 ** np.random.default_rng(seed).uniform(-4, 4, 8)
        problem = DualProblem(X, y, 1e3)
        solution = newton(problem)
        assert solution.certificate.relative_gap > 1e-10
        steps += solution.n_iter
        with monkeypatch.context() as patch:
            patch.setattr(module, "_LITTLE", 0)
            enough += newton(problem).n_iter
    assert steps < 1.3 * enough


def test_an_end_within_the_tolerance_is_not_yet_exact(monkeypatch):
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    monkeypatch.setattr(module._Newton, "exact", lambda self: None)
    assert newton(problem, tol=0.1).certificate.relative_gap < 1e-8


@pytest.fixture
def smoothings(monkeypatch):
    """The h of every stage, as they come."""
    found, stage = [], module._Newton.stage
    monkeypatch.setattr(module._Newton, "stage", lambda self: found.append(self.h) or stage(self))
    return found


@pytest.mark.parametrize(("C", "h"), [(1e12, 2.0**-52 * 4), (1e3, 1e-13)])
def test_smoothing_has_a_floor(smoothings, C, h):
    """However easy the stages are: K + hI is not K, or hC is next to nothing."""
    X, y = data(0)
    method = module._Newton(
        forms.Gram(4 * RBF(1.0)(X, X)), y, np.full(60, C), 1e-300, lambda step: None
    )
    method.exact = lambda: None
    method.solve()
    assert min(smoothings) == pytest.approx(h, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("C", "first"), [(0.01, 4.0), (1.0, 2 / 3), (100.0, 0.2 / 3), (np.inf, 4e-4), (1e308, 4e-4)]
)
def test_the_first_smoothing_lies_between_the_two_scales_there_are(smoothings, C, first):
    """k = 4 is one, 1/C the other; infinity is none, and next to 1e308 4 is not nothing."""
    X = 2 * np.array([[1.0], [-1.0], [1.0], [-1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        newton(DualProblem(X, [1, -1, 1, -1], C), max_iter=5)
    assert smoothings[0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("seed", "n", "d", "C"),
    [(0, 60, 20, 2e4), (2, 60, 20, 8e4), (7, 60, 20, 2e4), (5, 100, 10, 8e4)],
)
def test_no_point_is_judged_by_scores_that_have_drifted(seed, n, d, C):
    """Steps of 1e10 in a row leave sums that are not those of w, and look better than they are."""
    X, y = make_classification(
        n, d, n_informative=3, n_redundant=2, class_sep=0.5, flip_y=0.1, random_state=seed
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert newton(DualProblem(X, 2 * y - 1, C)).certificate.relative_gap < 1e-8


@pytest.mark.parametrize("seed", [257, 314, 321, 833, 952, 1326, 2645])
def test_a_step_that_is_only_rounding_is_not_taken(seed):
    """Far enough along it (1e14 times) some slope is zero, and w and its scores have parted."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 5))
    y, C = np.where(np.sin(3 * X[:, 0]) > 0, 1.0, -1.0), 0.1 * 10 ** rng.uniform(-2, 2, 20)
    assert newton(DualProblem(X, y, C)).certificate.relative_gap < 1e-6


@pytest.mark.parametrize(
    ("seed", "far", "n", "degree"), [(0, 1e2, 20, 6), (1, 1e4, 10, 6), (2, 1e4, 20, 5)]
)
def test_slack_that_may_be_rounding_is_no_reason_to_go_on(seed, far, n, degree):
    """C times it would be all there is; a longer w has none."""
    X, y = data(seed, n, 6)
    assert newton(DualProblem(X + far, y, 1e4, Polynomial(degree, 1.0, 1.0))).converged


@pytest.mark.parametrize("gamma", [1e-8, 1e-6, 1e-4])
def test_what_is_left_of_a_constant_matrix_without_its_mean_is_positive_definite(gamma):
    """Its diagonal is small, but rounding is that of ones."""
    X, y = data(0, n=40)
    K = forms.Gram(RBF(gamma)(X, X))
    x = K.solve(np.arange(40), 1e-20, y, 0.0)
    assert np.isfinite(x).all()


@pytest.mark.parametrize("C", [1.0, 1e3])
def test_where_kernel_values_are_huge_the_first_smoothing_is_more_than_rounding(C):
    X = 1e4 + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    assert newton(DualProblem(X, [-1, 1, 1], C, Polynomial(6, 0.5, 1.0))).converged


@pytest.mark.parametrize(("C", "solved"), [(1e100, True), (1e300, False)])
def test_points_that_are_all_zero(C, solved):
    """K is zero, and 1/C next to nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert newton(DualProblem(np.zeros((6, 2)), [-1, 1] * 3, C)).converged == solved


def test_a_diagonal_that_rounding_has_made_negative():
    kernel = Precomputed(-1e-320 * np.eye(6))
    assert newton(DualProblem(kernel.points, [-1, 1] * 3, 1.0, kernel)).converged


def test_the_best_end_is_not_forgotten(monkeypatch):
    """One within the tolerance, but not yet exact, is better than that of the next stage."""
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    optimum, judge, found = newton(problem).alpha * problem.y, module._Newton.judge, []

    def exact(self):
        if len(found) < 2:
            found.append(0.9 if found else 1e-4)
            self.consider(optimum if len(found) == 1 else 0.5 * optimum)

    def wrong(self, q):
        return judge(self, q)._replace(error=found[-1] if found else 1.0)

    def stop(step):
        if len(found) == 2:
            raise StopIteration

    monkeypatch.setattr(module._Newton, "exact", exact)
    monkeypatch.setattr(module._Newton, "judge", wrong)
    assert (newton(problem, callback=stop).alpha == np.abs(optimum)).all()
    assert len(found) == 2


def test_sums_go_on_from_the_last_ones(monkeypatch):
    """What most multipliers contribute has not changed, and is not evaluated again."""
    X, y = data(0)
    K, evaluated = forms.Kept(RBF(1.0), X, 2 * len(X)), []
    monkeypatch.setattr(
        forms, "expansion", lambda k, Z, v, X: evaluated.append(np.count_nonzero(v)) or k(X, Z) @ v
    )
    beta = np.where(y > 0, 1.0, -1.0)
    for i in range(3):
        beta = beta.copy()
        beta[[i, i + 1]] *= 0.5
        np.testing.assert_allclose(K.sums(beta), RBF(1.0)(X, X) @ beta, atol=1e-12)
    assert evaluated[0] >= len(X) - 1
    assert max(evaluated[1:]) <= 2


def test_sums_that_came_in_parts_know_the_way():
    """Rounding is that of all the parts; after a long detour we begin anew."""
    X, y = data(0)
    K, beta = forms.Kept(RBF(1.0), X, 10 * len(X)), np.where(y > 0, 1.0, -1.0)
    kept = K.kept.size
    for step in (0.5, 2.0):
        K.sums(step * beta)
    known = K.known(beta)
    np.testing.assert_allclose(known.values, RBF(1.0)(X, X) @ beta, atol=1e-12)
    np.testing.assert_allclose(known.weights, 0.5 + 1.5 + 1.0)
    assert known.terms >= kept + len(X) + 3 + 3  # three parts, and the differences between them
    K.sums(1e6 * beta)
    np.testing.assert_array_equal(K.known(beta).weights, np.abs(beta))


def test_the_certificate_asks_for_no_value_that_newton_has(monkeypatch):
    X, y = data(0, n=1100)
    monkeypatch.setattr(kernels, "expansion", None)
    problem = DualProblem(X, y, 1.0, RBF(1.0))
    solution = newton(problem)
    monkeypatch.undo()
    fresh = problem.certificate(solution.alpha, solution.b)
    assert solution.certificate.gap == pytest.approx(fresh.gap, abs=1e-7 * fresh.primal)


@pytest.mark.parametrize("seed", range(5))
def test_an_exact_end_finds_out_who_is_free(seed):
    """From a coarse start of SMO: who leaves the box stays at its end, or somebody comes back."""
    problem = DualProblem(*data(seed, n=150, d=5), 100.0, RBF(0.2))
    start = smo(problem, tol=0.5).alpha
    solution = newton(problem, start=start, trace=True)
    assert 1 < solution.n_iter < 9
    assert all(step.h == 0 for step in solution.trace)  # no stage was needed
    assert solution.certificate.relative_gap < 1e-6
    free = (start > 0) & (start < 100)
    assert (free != (solution.alpha > 0) & (solution.alpha < 100)).any()


def test_an_exact_end_gives_up_where_no_fewer_change():
    """All are supposed to be free, which they are far from."""
    X, y = data(0)
    method = a_method(forms.Gram(RBF(1.0)(X, X)), y, 1e-3, steps=(told := []))
    method.q, method.free = 1e-6 * y, np.full(60, True)
    before = method.best
    method.exact()
    assert len(told) <= 3
    assert method.best.error <= 1e-9 or method.best is before


def test_where_it_is_cut_off_the_end_of_the_last_stage_counts_too(monkeypatch):
    """And where it has come to; nobody judges them on the way."""
    judged, judge = [], module._Newton.judge
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    monkeypatch.setattr(module._Newton, "judge", lambda self, q: judged.append(q) or judge(self, q))
    ends = [share * problem.upper * problem.y for share in (0.1, 0.9, 0.2)]
    left = ends.copy()

    def stage(self):
        self.q, self.free = left.pop(0), self.c == self.c
        self.h = 1.0  # margins are displaced by more than 1
        if not left:
            raise StopIteration
        return 6

    monkeypatch.setattr(module._Newton, "stage", stage)
    monkeypatch.setattr(module._Newton, "exact", lambda self: None)
    with pytest.warns(ConvergenceWarning):
        newton(problem)
    assert_array_equal(judged, ends[1:])


def test_what_it_returns_is_no_worse_than_a_start(monkeypatch):
    """However many stages have led away from it."""
    problem = DualProblem(*data(0), 10.0, RBF(1.0))
    start, ends = 0.99 * newton(problem).alpha, []

    def stage(self):
        self.q = 0 * self.y
        ends.append(1)
        return 6

    monkeypatch.setattr(module._Newton, "stage", stage)
    monkeypatch.setattr(module._Newton, "exact", lambda self: None)
    with pytest.warns(ConvergenceWarning):
        solution = newton(problem, start=start)
    assert len(ends) > 8
    assert_allclose(solution.alpha, start)


def test_no_stage_follows_once_it_is_stopped(smoothings):
    with pytest.warns(ConvergenceWarning):
        newton(DualProblem(*data(0), 10.0), max_iter=1)
    assert len(smoothings) == 1


@pytest.mark.parametrize("seed", [47, 53, 57])
def test_the_solution_may_have_another_bias(seed):
    """The mean of those that free margins ask for can be as far off as any of them."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(300) % 2, 1.0, -1.0)
    X = rng.normal(size=(300, 3)) + 0.4 * y[:, None]
    assert newton(DualProblem(X, y, 0.1, RBF(0.2)), tol=0.1).converged


def test_once_margins_are_displaced_by_less_than_1_who_is_free_may_be_known(monkeypatch):
    """The margin itself. A stage that displaces them by more is followed by no exact equations."""
    told, stage, exact = [], module._Newton.stage, module._Newton.exact

    def spy(self):
        taken = stage(self)
        free = (self.q > self.lo) & (self.q < self.hi)
        told.append([self.h * np.abs((self.q - self.c)[free]).max(initial=0), False])
        return taken

    def tried(self):
        told[-1][1] = True
        exact(self)

    monkeypatch.setattr(module._Newton, "stage", spy)
    monkeypatch.setattr(module._Newton, "exact", tried)
    for seed in range(9):
        X, y = data(seed, n=150)
        newton(DualProblem(X, y, 1e4, RBF(1.0)))
    assert {tried for _, tried in told} == {False, True}
    assert all(tried == (displaced < 1) for displaced, tried in told)
    assert max(displaced for displaced, tried in told if tried) > 0.5


def random_points(seed):
    rng = np.random.default_rng(seed)
    X, y, beta = (
        2 * rng.normal(size=(6, 3)),
        np.where(np.arange(6) % 2, 1.0, -1.0),
        rng.normal(size=6),
    )
    return X @ X.T, y, beta - beta.mean()


@pytest.mark.parametrize("seed", range(6, 12))
def test_who_jumps_from_one_bound_to_the_other_is_not_as_supposed(seed):
    K, y, beta = random_points(seed)
    method = a_method(forms.Gram(K), y, 0.3, h=0.05, v=beta, s=K @ beta)
    assert to_the_end(method)
    assert_allclose(K @ method.v, K @ method.q, atol=1e-10)
    assert_allclose(method.q.sum(), 0, atol=1e-10)


def test_a_stage_ends_where_v_is_nearly_the_sum_that_it_should_be():
    """‖Σ qφ − v‖² is at most a fixed part of h ‖q − c‖² then; to rounding only by luck."""
    shares = []
    for seed in range(20):
        K, y, beta = random_points(seed)
        method = a_method(forms.Gram(K), y, 0.3, h=0.05, v=beta, s=K @ beta)
        method.stage()
        missed = method.q - method.v
        shares.append(missed @ K @ missed / (method.h * np.square(method.q - method.c).sum()))
    assert 1e-3 < max(shares) <= 1


def test_labels_that_the_points_do_not_explain():
    """w is nearly 0, all margins nearly equal: stages that end too soon leave v far from Σ qφ.

    (With Σ|q − c| as the measure, 1 in 13 of these ended in rounding, with gaps up to 1 %.)
    """
    for seed in range(80):
        rng = np.random.default_rng([seed, 1])
        n, d = int(rng.choice([100, 201, 400])), int(rng.choice([1, 2, 3, 5, 10]))
        y = np.where(rng.random(n) < 0.1, 1, -1)
        y[:2] = 1, -1
        C = 10 ** rng.uniform(0, 6) * 10 ** rng.uniform(-3, 3, n)
        assert newton(DualProblem(rng.normal(size=(n, d)), y, C)).converged


def test_where_nobody_is_free_b_mends_the_sum_and_else_v_goes_to_q():
    """And rounding is no imbalance: all are at a bound, Σq is 0 but for that."""
    rng = np.random.default_rng(0)
    C = rng.uniform(0.1, 1, size=200)
    y = np.where(rng.permutation(200) < 100, 1.0, -1.0)
    C[y > 0] = C[y < 0]
    q = C * y
    assert 0 < abs(q.sum()) < 1e-12
    method = a_method(forms.Gram(np.eye(200)), y, C)
    target, ds = method.shift(q)
    assert_allclose(target, q)
    assert_allclose(ds, q)
    q[0] = 0
    target, ds = method.shift(q)
    assert (target == 0).all()
    assert (ds == -y[0]).all()


def test_more_free_samples_than_unknowns_are_not_solved_for(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    method, asked = a_method(forms.Factored(rng.normal(size=(20, 3))), y, 1.0), []

    def solve(self, free, *_):
        asked.append(free.size)
        raise forms.StuckError

    monkeypatch.setattr(forms.Gram, "solve", solve)
    for free in range(8):
        method.free = np.arange(20) < free
        method.q = np.where(method.free, y / 2, y)
        with contextlib.suppress(forms.StuckError):
            method.exact()
    assert asked == [1, 2, 3, 4]  # three weights and b


def test_once_a_stage_moves_nothing_none_follows(smoothings):
    with pytest.warns(ConvergenceWarning):
        newton(DualProblem(*data(0), 1e4, RBF(1.0)), tol=1e-300)
    assert len(smoothings) < 50


def test_stages_have_an_end(smoothings):
    """These hostile points would take stages of one step each, as many as there may be steps."""
    X, y = hostile.problem(14, most_points=150)
    rng = np.random.default_rng(14)
    rng.uniform()
    C = 10 ** rng.uniform(-3, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        newton(DualProblem(X, y, C, Linear()))
    assert len(smoothings) <= 50


def test_a_right_guess_is_not_solved_for_again(monkeypatch):
    """A full step to where everyone is as supposed, some at a bound, ends the stage."""
    problem = DualProblem(*data(0), 3.0, RBF(1.0))
    K, y = problem.gram(), problem.y
    method = a_method(forms.Gram(K), y, 3.0)
    to_the_end(method)
    beta, s, q = method.v, method.s, method.q
    assert (q == problem.upper * y).any()
    method = a_method(forms.Gram(K), y, 3.0, v=0.999 * beta, s=s - 0.001 * (K @ beta))
    calls, step = [], method.K.step
    monkeypatch.setattr(method.K, "step", lambda *args: calls.append(1) or step(*args))
    assert method.stage() == len(calls) == 1


@pytest.mark.parametrize("guess", [True, False])  # all are free, or those who are not
def test_a_stage_that_throws_its_guess_away_takes_a_step(guess, monkeypatch):
    """Near enough to the end as it may be already."""
    K, y = DualProblem(*data(1), kernel=RBF(1.0)).gram(), data(1)[1]
    method = a_method(forms.Gram(K), y, 3.0)
    to_the_end(method)
    v, b = method.v, (method.s - K @ method.v).mean()
    method = a_method(forms.Gram(K), y, 3.0, v=0.99 * v, s=0.99 * K @ v + b)
    free = method.free
    q = method.clip((y - method.s) / method.h)
    assert (q - method.v) @ K @ (q - method.v) < method.h * (q @ q)
    method.free, tried, step = np.full(60, True) if guess else ~free, [], method.K.step
    monkeypatch.setattr(method.K, "step", lambda *args: tried.append(args[3].size) or step(*args))
    assert method.stage() == 1
    assert tried == [60 if guess else 60 - free.sum(), free.sum()]


def test_one_cache_at_a_time():
    """Rows that somebody has evaluated are thrown away, and all of K is taken over."""
    problem = DualProblem(*data(0, n=1100), 1.0, RBF(1.0), cache_mb=15)
    problem.row(0)
    assert problem._rows
    assert not problem.whole
    forms.gram(problem)
    assert not problem._rows
    problem = DualProblem(problem.X, problem.y, 1.0, RBF(1.0), cache_mb=20)
    problem.row(0)
    assert problem.whole
    K = problem.gram()
    assert forms.gram(problem).rows is K
    assert problem.whole


def test_a_matrix_that_leaves_no_room_for_the_equations_is_not_taken_over():
    """It may fill the cache up; then rows of it are evaluated again, and the problem is solved."""
    problem = DualProblem(*data(0, n=1100), 1.0, RBF(1.0), cache_mb=1.1 * 1100**2 * 8 / 2**20)
    problem.gram()
    assert newton(problem).converged
    assert not problem.whole


def test_rows_that_are_given_are_all_there():
    """They take of the room what they take, and a block may have the rest."""
    X, _ = data(0, n=90)
    K, v = RBF(1.0)(X, X), np.random.default_rng(1).normal(size=90)
    form = forms.Kept(RBF(1.0), X, 90**2 + 50**2, K)
    form.evaluate = form.kernel = None  # nobody may ask
    assert_allclose(form.times(v), K @ v)
    assert_allclose(form.block(np.arange(20, 70)), K[20:70, 20:70])
    with pytest.raises(forms.StuckError, match="block larger than their part"):
        form.block(np.arange(51))


@pytest.mark.parametrize("h", [1e-6, 1.0])
@pytest.mark.parametrize("total", [0.0, 0.3, -1e3])
@pytest.mark.parametrize("m", [1, 2, 4])  # of 3 columns, so that K_FF and b leave no freedom
def test_the_equations_have_a_solution_of_any_sum(h, total, m):
    rng = np.random.default_rng(m)
    Phi, right = rng.normal(size=(9, 3)) + 1.0, rng.normal(size=m)
    K, free = Phi @ Phi.T, np.arange(2, 2 + m)
    expected = with_bias(K, free, h, right, total)
    for form in forms.Gram(K), forms.Factored(Phi):
        x = form.solve(free, h, right, total)
        assert x.sum() == pytest.approx(total, abs=1e-11)
        assert_allclose(x, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("form", ["Gram", "Factored", "Kept"])
def test_no_product_with_the_kernel_is_computed_twice(form, monkeypatch):
    """For K two a step, and one for a stage; for features one, and a sum of them.

    The dual of what is missing tells whether a stage ends, and is what the next step needs.
    """
    X, y = data(0, n=80)
    K = {
        "Gram": lambda: forms.Gram(RBF(1.0)(X, X)),
        "Kept": lambda: forms.Kept(RBF(1.0), X, 10**6),
        "Factored": lambda: forms.Factored(X - X.mean(axis=0)),
    }[form]()
    method = module._Newton(K, y, np.full(80, 10.0), 1e-3, lambda step: None)
    counts = Counter()

    def counted(name):
        usual = getattr(K, name)
        return lambda *args: counts.update([name]) or usual(*args)

    for name in "step", "times", "represent":
        monkeypatch.setattr(K, name, counted(name))
    for _ in range(3):
        method.stage()
        method.c, method.h = method.q, method.h / 6
    assert counts["step"] > 3
    if form == "Factored":
        assert counts["times"] == counts["step"]
        assert counts["represent"] == 3 + counts["step"]
    else:
        assert counts["times"] == 3 + 2 * counts["step"]


def test_what_has_no_cholesky_factor_is_told():
    with pytest.raises(forms.StuckError, match="not positive definite"):
        forms.Gram(-np.eye(3)).solve(np.arange(3), 0.5, np.arange(3.0), 0.0)


def noise(n: int) -> tuple[np.ndarray, np.ndarray]:
    """In twenty dimensions it is learnt by heart, sample by sample: half of them are free."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    return X, np.sign(X[:, 0] + rng.normal(size=n))


@pytest.mark.parametrize("C", [5.0, 1e4])
@pytest.mark.parametrize("n", [300, 1100])  # all of K, and rows of it
def test_where_it_is_nearly_known_who_is_free_nothing_is_smoothed(n, C):
    """Few steps of SMO tell; the equations of the free, solved again and again, say the rest."""
    problem = DualProblem(*noise(n), C, RBF(0.05))
    with pytest.warns(ConvergenceWarning):
        start = smo(problem, max_iter=n // 2).alpha
    solution = newton(problem, start=start, trace=True)
    assert_optimal(problem, solution, tol=1e-6)
    assert 1 < len(solution.trace) < 9
    assert all(step.h == 0 and step.length == 1 and step.slope < 0 for step in solution.trace)
    free = (solution.alpha > 0) & (solution.alpha < C)
    assert solution.trace[-1].free == free.sum()
    assert solution.trace[0].free == ((start > 0) & (start < C)).sum() != free.sum()


def test_sums_are_remembered_whatever_becomes_of_the_multipliers():
    X, y = data(0)
    K, beta = forms.Kept(RBF(1.0), X, 10 * len(X)), y.copy()
    K.sums(beta)
    beta *= 2
    np.testing.assert_allclose(K.sums(beta), RBF(1.0)(X, X) @ beta, atol=1e-12)


def test_a_stage_begins_with_those_who_were_free_at_the_end_of_the_last(monkeypatch):
    """When c slides and h shrinks, p jumps, and in the late stages it names too few."""

    def steps() -> int:
        problems = (DualProblem(*data(seed, n=150), 100.0, RBF(1.0)) for seed in range(6))
        return sum(newton(problem).n_iter for problem in problems)

    monkeypatch.setattr(module._Newton, "exact", lambda self: None)  # stages are to be compared
    usual = steps()
    stage = module._Newton.stage

    def forgetful(self):
        p = self.c + (self.y - self.s) / self.h
        self.free = p == self.clip(p)
        return stage(self)

    monkeypatch.setattr(module._Newton, "stage", forgetful)
    assert usual < 0.95 * steps()


@pytest.mark.parametrize("steps", [8, 10, 12])
def test_whoever_is_cut_off_while_it_descends_has_a_start(steps):
    """It is what there is, judged by the kernel itself."""
    X, y = data(0, n=600, d=2)
    problem = DualProblem(X, y, 10.0, RBF(0.3))
    Phi = low_rank(problem.kernel, X)
    alpha, taken, *_ = descend(features(problem, Phi), 1e-3, steps, np.zeros(600))
    assert len(taken) == steps
    gap = problem.certificate(alpha, problem.bias(alpha)).gap
    assert gap < problem.upper.sum() / 2  # that of α = 0 is twice as large


@pytest.mark.parametrize("seed", range(3))
def test_a_step_worth_no_more_than_rounding_is_none(seed):
    """It may polish, but is not counted: what is told goes downhill."""
    with pytest.warns(ConvergenceWarning):
        told = newton(DualProblem(*data(seed), 100.0), tol=1e-300, trace=True).trace
    assert all(step.slope < 0 for step in told if step.h)
    assert len(told) < 100


@pytest.mark.parametrize("seed", range(4))
def test_taking_means_of_large_numbers_rounds_small_ones(seed):
    """What is left of K_FF is positive semidefinite but for that, and the diagonal makes up."""
    rng = np.random.default_rng(seed)
    Phi = np.c_[np.ones(110), rng.normal(size=(110, 3))]
    Phi[:, 1:] *= np.where(np.arange(110) < 9, 1e3, 1.0)[:, None]
    x = forms.Gram(Phi @ Phi.T).solve(np.arange(110), 1e-300, rng.normal(size=110), 0.0)
    assert np.isfinite(x).all()


def test_what_rounding_leaves_is_not_worked_on_for_ever():
    """Far below tol no stage and no exact end is better than the one before: it is over."""
    rng = np.random.default_rng(172)
    X = np.tile(rng.normal(size=(12, 2)), (2, 1))  # twice the same points
    y = np.where(np.arange(24) % 12 < 6, 1.0, -1.0)
    solution = newton(DualProblem(X, y, 1e8, RBF(2e-5)))
    assert solution.converged
    assert solution.n_iter < 80


def test_the_slope_of_an_exact_step_is_twice_what_it_gains():
    problem = DualProblem(*data(0), 3.0, RBF(1.0))
    end = newton(problem, tol=1e-9)
    K, y = problem.gram(), problem.y
    free = (end.alpha > 0) & (end.alpha < 3)
    method = a_method(forms.Gram(K), y, 3.0, steps=(told := []))
    method.q, method.free = y * end.alpha, free
    method.q[free] += np.where(np.arange(free.sum()) == 0, 0.01, 0) - 0.01 / free.sum()

    def value(beta):
        return beta @ y - beta @ K @ beta / 2

    before = value(method.q)
    method.exact()
    assert_allclose(told[0].slope / -2, value(method.best.beta) - before, rtol=1e-6)


@given(seed=seeds, at_bounds=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=30)
def test_the_bias_that_is_judged_is_the_one_that_is_certified(seed, at_bounds):
    """The mean of what the free ones ask for, or the middle between extremes if nobody is free."""
    problem = DualProblem(*data(seed), 3.0, RBF(1.0))
    rng = np.random.default_rng(seed)
    alpha = np.where(rng.random(60) < at_bounds, 3.0 * (rng.random(60) < 0.3), 3 * rng.random(60))
    beta = problem.y * balance(alpha, problem.y, problem.upper)
    method = a_method(forms.Gram(problem.gram()), problem.y, 3.0)
    point = method.judge(beta)
    solution = problem.solution(np.abs(point.beta), n_iter=0, converged=False)
    assert_allclose(point.b, solution.b, atol=1e-12)
    certificate = solution.certificate
    assert_allclose(point.gap, certificate.gap, rtol=1e-9)
    assert_allclose(
        point.error, max(certificate.relative_gap, certificate.kkt_violation), rtol=1e-9
    )
    method.begin(point.beta)
    assert_allclose(method.s, problem.gram() @ point.beta + solution.b, atol=1e-12)


def test_a_point_that_is_no_better_is_not_the_best():
    """Else at the floor, where nothing but rounding moves, it would never be over."""
    X, y = data(0)
    method = a_method(forms.Gram(RBF(1.0)(X, X)), y, 1.0)
    method.consider(0.1 * y)
    before = method.best
    method.consider(0.1 * y)
    assert method.best is before


def test_a_gap_below_zero_is_none():
    """It is rounding that was forgiven, and does not make a point better."""
    gaps = []
    for seed in range(9):
        problem = DualProblem(*data(seed), 1e6, RBF(1.0))
        alpha = newton(problem).alpha
        gaps.append(
            a_method(forms.Gram(problem.gram()), problem.y, 1e6).judge(alpha * problem.y).gap
        )
    assert min(gaps) == 0


def test_of_good_points_a_better_one_counts_more_than_its_gap(monkeypatch):
    """What is asked for, then the tolerance, then the gap; if that is rounding, the error."""
    method = a_method(forms.Gram(np.eye(60)), data(0)[1], 1.0)
    assert method.enough < method.tol
    wrong = [(0.0, 2.0), (0.0, 3.0), (0.0, 1.0)]
    points = iter([*wrong, (1e-12, 1e-4), (1e-10, 1e-10), (1e-13, 1e-2), (1e-11, 1e-10)])
    monkeypatch.setattr(
        module._Newton, "judge", lambda self, q: module._Point(q, 0.0, *next(points))
    )
    seen = []
    for _ in range(7):
        method.consider(method.q)
        seen.append((method.best.gap, method.best.error))
    assert seen[:3] == [(0.0, 2.0), (0.0, 2.0), (0.0, 1.0)]
    assert seen[3:] == [(1e-12, 1e-4), (1e-10, 1e-10), (1e-10, 1e-10), (1e-11, 1e-10)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_labels_that_nothing_explains_and_a_large_price():
    """All margins are ±1 but for w of the size of rounding, and still q has to be right.

    Where it is not, that is rounding's choice; if small steps are taken for rounding, a third fail.
    """
    converged = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.1, 1.0, -1.0)
        y[:2] = 1, -1
        converged += newton(DualProblem(X, y, 3e10)).converged
    assert converged >= 50
