"""Newton's method: data as they come, memory, starts and ends."""

import pickle
import re
import tracemalloc
import warnings
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from svmlib import SVC, _auto, _newton_forms
from svmlib._auto import solve
from svmlib._solvers import certified_solution
from svmlib.gram_matrix import CacheTooSmallError
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Linear, Polynomial
from svmlib.newton import newton
from svmlib.problem import DualProblem
from svmlib.smo import smo
from tests.optimum import data, first_steps

KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]


def test_linear_machines_far_from_the_origin_take_no_more_steps():
    for far, n, d in [(1e5, 60, 3), (1e4, 60, 40), (1e5, 500, 3), (1e5, 1500, 20)]:
        X, y = data(0, n, d, shift=0.5)
        for C in 1e4, 100.0:
            here, there = newton(DualProblem(X, y, C)), newton(DualProblem(X + far, y, C))
            assert there.converged
            assert there.n_iter <= here.n_iter + 20
            assert_allclose(there.certificate.dual, here.certificate.dual, rtol=1e-3)
        again = newton(DualProblem(X + far, y, 100.0), start=here.alpha / 2)
        assert again.converged
        assert again.n_iter < 100


def hard_problems():
    # columns as they come: for multipliers all digits cancel; unknowns are d weights and a bias
    for n in 300, 1200:
        rng = np.random.default_rng(1)
        Z, W = rng.normal(size=(n, 5)), rng.standard_t(1.5, size=(n, 8))
        mixed = np.c_[Z, Z @ rng.normal(size=(5, 5))], rng.uniform(-1, 9, size=n)
        scales = Z * 10.0 ** np.arange(-2, 3), Z[:, 4] + Z[:, 0]
        for X, score in (np.exp(2 * Z), Z[:, 0]), (W, W[:, 0]), mixed, scales:
            y = np.where(score + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
            yield from (DualProblem(X, y, C) for C in (1.0, 100.0, 1e4))
    # w is nearly 0, all margins nearly equal: stages that end too soon leave v far from Σ qφ
    for seed in range(50):
        rng = np.random.default_rng([seed, 1])
        n, d = int(rng.choice([100, 201, 400])), int(rng.choice([1, 2, 3, 5, 10]))
        y = np.where(rng.random(n) < 0.1, 1, -1)
        y[:2] = 1, -1
        C = 10 ** rng.uniform(0, 6) * 10 ** rng.uniform(-3, 3, n)
        yield DualProblem(rng.normal(size=(n, d)), y, C)
    for seed in range(2):  # hard margins among hundreds
        yield DualProblem(*data(seed, n=200, d=10, shift=0.5), np.inf, RBF(0.02))
    # each point twice: far below tol no stage and no exact end is better than the one before
    X = np.tile(np.random.default_rng(172).normal(size=(12, 2)), (2, 1))
    yield DualProblem(X, np.where(np.arange(24) % 12 < 6, 1.0, -1.0), 1e8, RBF(2e-5))


def test_hard_problems_are_solved():
    for problem in hard_problems():
        solution = newton(problem)
        assert solution.converged
        assert problem.n > 24 or solution.n_iter < 80


def test_the_bias_between_the_extremes_serves_where_the_mean_does_not():
    """One positive sample, the others nearly alike: a mean b that is off by 1e-4 costs all C_i."""
    y = np.where(np.arange(300) == 7, 1, -1)
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(300, 5))
        problem = DualProblem(X, y, 10.0, RBF(1e-5))
        assert newton(problem, start=first_steps(problem, 200)).converged


def test_with_few_features_the_gap_is_next_to_nothing():
    """It costs little; without that rule the largest of these gaps is above 1e-7."""
    for seed, (n, C) in product(range(8), [(400, 0.1), (60, 10.0)]):
        solution = newton(DualProblem(*data(seed, n=n, shift=0.5), C))
        assert solution.certificate.relative_gap < 1e-12


def test_too_little_memory_is_told_and_left_to_smo():
    problem = DualProblem(*data(0, n=600, d=20), 100.0, RBF(0.5), cache_mb=1, equations_mb=1)
    solution, name = solve(problem, "auto", 1e-3)
    assert (solution.converged, name) == (True, "smo")
    most = solution.n_iter - 1  # those of the start count, too
    assert solve(problem, "auto", 1e-3, most)[0].n_iter == most
    for ask, message in (
        (lambda: newton(problem), r"free multipliers take .* MB, more than equations_mb=1$"),
        (lambda: solve(pickle.loads(pickle.dumps(problem)), "newton", 1e-3), r"take .* MB"),
        (
            lambda: SVC(100, gamma=0.1, solver="newton", memory_mb=9).fit(*data(0, 2600, 20, 0)),
            "take .* MB, more than equations_mb=9 of DualProblem; increase memory_mb, or use "
            'solver="auto"$',
        ),
        (
            lambda: SVC(solver="interior_point").fit(*data(0, n=6000)),
            '=200 of DualProblem; use solver="auto"$',
        ),
    ):
        with pytest.raises(CacheTooSmallError, match=message):
            ask()


@pytest.mark.parametrize(("seed", "mixed"), [(2001, False), (2007, False), (2003, True)])
def test_features_serve_mixed_classes_and_few_equations_others(seed, mixed, caplog):
    X, y = make_blobs(2000, centers=2, random_state=seed)
    with caplog.at_level("INFO", "svmlib.newton"):
        SVC(C=100.0).fit(X / X.std(), y)
    steps = (re.search("([0-9]+) free", record.getMessage()) for record in caplog.records)
    most = max(int(found[1]) for found in steps if found)
    assert most == 2000 if mixed else most < 100  # features allow for as many free multipliers


def test_what_stalls_where_k_does_not_fit_is_not_left_to_a_method_that_needs_all_of_it():
    X, y = 1e4 * np.random.default_rng(0).normal(size=(400, 20)), np.repeat([-1, 1], 200)
    solution, name = solve(DualProblem(X, y, 1e4, cache_mb=1), "auto", 1e-3)
    assert (solution.converged, name) == (False, "newton")


def test_memory_stays_within_the_cache():
    problem = DualProblem(*data(0, n=3000, d=10), 1.0, RBF(0.05), cache_mb=16)
    tracemalloc.start()
    assert all(row.size == 3000 for row in map(problem.gram_matrix.__getitem__, range(3000)))
    problem.decision_function(np.ones(3000), 0.0, problem.X)
    assert tracemalloc.get_traced_memory()[1] < 12 * 2**20  # half of the cache, and blocks
    problem.gram_matrix.matvec(np.ones(3000))  # of all rows, for which there is no room
    assert newton(problem, start=first_steps(problem, 1500)).converged
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


def test_features_for_a_start_fill_no_more_than_a_quarter_of_the_cache(monkeypatch):
    limits = []
    monkeypatch.setattr("svmlib.nystrom.low_rank", lambda *_, max_rank: limits.append(max_rank))
    solve(DualProblem(*data(0, n=400), 10.0, RBF(0.01), cache_mb=1), "auto", 1e-3)
    assert limits[0] * 400 <= 2**17 / 4 < (limits[0] + 1) * 400


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_cut_off_it_is_nowhere_worse_than_its_start(kernel):
    for seed in range(6):
        problem = DualProblem(*data(seed, shift=0.5), 1e3, kernel)
        start = first_steps(problem, 3 + 5 * seed)
        begun = certified_solution(problem, start, tol=1e-3).certificate
        for steps in range(1, 12):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                solution = newton(problem, start=start, max_iter=steps)
            allowed = begun.gap + 1e-10 * begun.primal  # for rounding
            assert solution.converged or solution.certificate.gap <= allowed


@pytest.mark.parametrize("seed", range(5))
def test_an_exact_end_finds_out_who_is_free(seed):
    """From a coarse start of SMO: who leaves the box stays at its end, or somebody comes back."""
    problem = DualProblem(*data(seed, n=150, d=5, shift=0.5), 100.0, RBF(0.2))
    start = smo(problem, tol=0.5).alpha
    solution = newton(problem, start=start, tol=1e-6, trace=True)
    assert 1 < solution.n_iter < 9
    assert {step[::2] for step in solution.trace} == {(0.0, 1.0)}  # no stage was needed
    assert solution.certificate.relative_gap < 1e-6
    free = (start > 0) & (start < 100)
    assert (free != (solution.alpha > 0) & (solution.alpha < 100)).any()


@pytest.mark.parametrize("factorise", [False, True])
def test_nearly_diagonal_equations_are_solved_without_a_factorisation(monkeypatch, factorise):
    """By conjugate gradients; and where these take too many steps, the factor is there."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 10)), np.where(rng.random(300) < 0.5, 1.0, -1.0)
    problem = DualProblem(X, y, 10.0, RBF(0.5))
    if factorise:
        monkeypatch.setattr(_newton_forms, "_MAX_ITERATIONS", 2)
    else:
        monkeypatch.delattr(_newton_forms, "dpotrf")
    solution = newton(problem)
    assert solution.n_iter < 20
    assert_allclose(solution.alpha, interior_point(problem).alpha, atol=0.02)


def test_conjugate_gradients_solve_the_equations_with_any_sum():
    X, y = noisy(300, 8, 0.1)
    K, free = RBF(3.0)(X, X), np.arange(50, 250)
    form = _newton_forms.DualForm(DualProblem(X, y, 10.0, RBF(3.0)).gram_matrix)
    x, converged = form.iterate(free, 0.1, y[free], 20.0)
    assert converged
    assert np.ptp(K[np.ix_(free, free)] @ x + 0.1 * x - y[free]) < 1e-5
    assert abs(x.sum() - 20) < 1e-9


@pytest.mark.parametrize("h", [1e-300, 0.1])
@pytest.mark.parametrize("whole", [False, True])
def test_a_factor_serves_free_sets_that_differ_by_few(monkeypatch, h, whole):
    """Twice: the second set shares samples with the first, and brings some of its own."""
    X, y = noisy(500, 8, 0.1)
    form = _newton_forms.DualForm(DualProblem(X, y, 10.0, RBF(0.3)).gram_matrix)
    form.min_free_for_iteration = np.inf
    K = RBF(0.3)(X, X)
    if whole:
        form.gram_matrix.to_array()
    rng = np.random.default_rng(0)
    form.solve(np.arange(50, 350), h, y[50:350], 1.0)
    monkeypatch.delattr(_newton_forms, "dpotrf")
    for first, last in (40, 335), (45, 350), (60, 365), (50, 350):
        free = np.delete(np.arange(first, last), [30, 77])
        rhs, total = rng.normal(size=free.size), rng.normal()
        x = form.solve(free, h, rhs, total)
        residual = K[np.ix_(free, free)] @ x + h * x - rhs
        assert np.ptp(residual) < 1e-8
        assert abs(x.sum() - total) < 1e-9


@pytest.mark.parametrize(
    ("gamma", "first", "h"),
    [(0.3, 60, 1e-300), (0.3, 60, 0.1), (0.3, 90, 1e-300), (1e-4, 60, 1e-300)],
)
def test_another_h_many_changes_or_small_pivots_need_a_factor_of_their_own(
    monkeypatch, gamma, first, h
):
    X, y = noisy(500, 8, 0.1)
    form = _newton_forms.DualForm(DualProblem(X, y, 10.0, RBF(gamma)).gram_matrix)
    form.solve(np.arange(50, 350), 1e-300, y[50:350], 1.0)
    monkeypatch.delattr(_newton_forms, "dpotrf")
    enough = (gamma, first, h) == (0.3, 60, 1e-300)
    with nullcontext() if enough else pytest.raises(NameError):
        form.solve(np.arange(first, first + 300), h, y[:300], 1.0)


def test_updates_of_a_factor_take_half_of_its_room():
    X, y = noisy(500, 8, 0.1)
    form = _newton_forms.DualForm(DualProblem(X, y, 10.0, RBF(0.3)).gram_matrix)
    form.solve(np.arange(300), 0.1, y[:300], 1.0)
    for first in range(0, 300, 30):  # each free set lacks other samples
        form.solve(np.delete(np.arange(300), slice(first, first + 30)), 0.1, y[:270], 1.0)
        assert form.factor.Wt.size <= form.factor.L.size / 2


def test_a_gram_matrix_that_is_kept_later_may_be_nearly_diagonal_too():
    """A good start needs few of its rows; then conjugate gradients are tried all the same."""
    X = np.random.default_rng(0).normal(size=(30, 8))
    problem = DualProblem(X, np.where(X[:, 0] > 0, 1, -1), 1.0, RBF(5.0))
    assert _newton_forms.choose_form(problem, np.ones(30)).min_free_for_iteration == np.inf
    assert _newton_forms.choose_form(problem, np.zeros(30)).min_free_for_iteration < 110


def test_scores_of_a_problem_with_its_own_origin_are_for_points_as_given():
    X = np.array([[1000.0], [1002.0], [1003.0]])
    problem = DualProblem(X, [-1, 1, 1], move_origin=True)
    alpha, b = (solution := newton(problem)).alpha, solution.b
    assert_allclose(problem.decision_function(alpha, b, X), [-1, 1, 2], atol=1e-3)


def noisy(n, d, noise, seed=0):
    """Return n points of a quadratic rule in d dimensions, whose labels are partly wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] + noise * rng.normal(size=n) > 0, 1, -1)


@pytest.mark.parametrize(
    ("noise", "C", "cache_mb"),
    [(0.0, 100.0, 200), (1.0, 100.0, 200), (0.0, np.inf, 200), (0.0, 10.0, 5)],
)
def test_chunks_have_the_solution_of_the_problem(monkeypatch, noise, C, cache_mb):
    """A chunk must fit into half of the cache; without it all samples take part in every step."""
    chunks = []
    solve_chunk = _auto._solve_chunk
    monkeypatch.setattr(
        _auto, "_solve_chunk", lambda *a: chunks.append(a[1].size) or solve_chunk(*a)
    )
    problem = DualProblem(*noisy(1200, 8, noise), C, RBF(1 / 8), cache_mb=cache_mb)
    solution, _ = solve(problem, "auto", 1e-3)
    assert solution.converged
    assert all(size <= 0.6 * 1200 and 8 * size**2 <= cache_mb / 2 * 2**20 for size in chunks)
    assert bool(chunks) == (noise == 0)


@pytest.mark.parametrize(
    ("max_iter", "C", "noise"),
    [
        *((most, 100.0, 0.1) for most in (1, 2, 100, 300)),
        (500, 10.0, 0.1),
        (900, 30.0, 0.3),  # which ends within the steps of SMO in a chunk
    ],
)
def test_chunks_keep_to_the_limit_of_iterations(max_iter, C, noise):
    problem = DualProblem(*noisy(1200, 8, noise), C, RBF(1 / 8))
    assert solve(problem, "auto", 1e-3, max_iter)[0].n_iter == max_iter
