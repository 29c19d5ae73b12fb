"""What every solver of a dual problem promises, asked of all of them."""

from __future__ import annotations

import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from svmlib import SVC
from svmlib.duality import DualProblem, solve_interior_point
from svmlib.hulls import NotSeparableError
from svmlib.kernels import RBF, Linear, Polynomial, Precomputed
from svmlib.newton import newton
from svmlib.smo import smo
from tests import hostile
from tests.judge import Judge
from tests.optimum import assert_kkt

SOLVERS = [solve_interior_point, smo, newton]
KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]
seeds = st.integers(0, 10**6)
all_solvers = pytest.mark.parametrize("solve", SOLVERS)
all_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


def data(seed: int, n: int = 30, d: int = 2, shift: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def assert_optimal(problem, solution, tol=1e-3):
    """By plain formulas: KKT conditions, balance, both values, and the certificate's own."""
    margins, primal, dual = assert_kkt(problem, solution, tol=tol, balance=1e-9)
    C, alpha, certificate = problem.upper, solution.alpha, solution.certificate
    assert_allclose(certificate.dual, dual, rtol=1e-8)
    if np.isfinite(C[0]):
        slack = 1e-12 * (1 + alpha.sum()) * C.sum()  # rounding in a margin costs C
        assert_allclose(certificate.primal, primal, rtol=1e-8, atol=slack)
        assert -1e-10 * primal <= primal - dual <= tol * (alpha.sum() + C[margins < 1].sum())
    assert certificate.optimal_to(tol)


@all_solvers
@given(
    seed=seeds,
    n=st.integers(2, 40),
    d=st.integers(1, 4),
    log_C=st.floats(-3, 2),
    kernel=st.sampled_from(KERNELS),
    own=st.booleans(),
)
@settings(max_examples=40)
def test_the_solution_is_optimal_and_that_of_libsvm(solve, seed, n, d, log_C, kernel, own):
    X, y = data(seed, n=n, d=d)
    C = 10**log_C * (10 ** np.random.default_rng(seed).uniform(-1, 1, n) if own else np.ones(n))
    problem = DualProblem(X, y, C, kernel)
    solution = solve(problem)
    assert_optimal(problem, solution)
    peer = svm.SVC(C=1.0, kernel=kernel, tol=1e-6).fit(X, y, sample_weight=C)
    alpha = np.zeros(n)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    best = problem.certificate(alpha, float(peer.intercept_[0]))
    slack = 1e-9 * best.primal
    assert solution.certificate.dual <= best.primal + slack
    assert solution.certificate.primal >= best.dual - slack


@all_solvers
@all_kernels
@pytest.mark.parametrize("C", [2.0, np.inf])
def test_a_small_tolerance_gives_the_exact_solution(solve, kernel, C):
    """That of the hard margin has ‖w‖² = Σα."""
    X, y = data(1, shift=0.7 if C == 2 else 2.5)
    problem = DualProblem(X, y, C, kernel)
    solution, exact = solve(problem, tol=1e-9), solve_interior_point(problem, tol=1e-9)
    assert_optimal(problem, solution, tol=1e-8)
    f = [problem.decision_function(s.alpha, s.b, X) for s in (solution, exact)]
    assert_allclose(*f, atol=1e-6)
    if np.isinf(C):
        assert_allclose(solution.certificate.norm_w**2, solution.alpha.sum(), rtol=1e-7)


@all_solvers
@all_kernels
def test_what_does_not_change_the_problem_does_not_change_the_answer(solve, kernel):
    """Order, names, a matrix for a formula, two copies at half the price, other units."""
    X, y = data(5)
    order, table = np.random.default_rng(0).permutation(len(y)), Precomputed(kernel(X, X))
    same = [
        DualProblem(X[order], y[order], 2.0, kernel),
        DualProblem(X, -y, 2.0, kernel),
        DualProblem(table.points, y, 2.0, table),
        DualProblem(np.repeat(X, 2, axis=0), np.repeat(y, 2), 1.0, kernel),
    ]
    one = solve(DualProblem(X, y, 2.0, kernel), tol=1e-9)
    for problem in same:
        assert_allclose(solve(problem, tol=1e-9).certificate.dual, one.certificate.dual, rtol=1e-8)
    assert_allclose(solve(same[1], tol=1e-9).b, -one.b, atol=1e-5)


@all_solvers
@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
def test_units_do_not_matter(solve, scale, C):
    """Features times s and C over s² is the same problem, with α over s²."""
    X, y = data(7)
    reference = solve_interior_point(DualProblem(X, y, C)).certificate.dual
    problem = DualProblem(scale * X, y, C / scale**2)
    solution = solve(problem)
    assert solution.converged
    assert_allclose(solution.certificate.dual * scale**2, reference, rtol=1e-3)


def special_cases():
    X, y = data(0, n=20)
    yield "two samples", [[0.0], [2.0]], [-1, 1]
    yield "one point in both classes", np.zeros((10, 2)), np.tile([-1, 1], 5)
    yield "both labels at each point", np.repeat(X, 2, axis=0), np.tile([-1, 1], 20)
    yield "a class in one point", np.where(y[:, None] > 0, 1.0, X), y
    yield "constant columns", np.column_stack([X, np.full(20, 7.0)]), y
    yield "duplicates", np.repeat(X, 3, axis=0), np.repeat(y, 3)
    yield "one of a kind", X, np.where(np.arange(20) == 0, 1, -1)
    yield "separable", X + 5 * y[:, None], y
    yield "nothing", np.zeros((20, 2)), y


@all_solvers
@pytest.mark.parametrize("case", list(special_cases()), ids=lambda case: case[0])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_special_cases(solve, case, C):
    _, X, y = case
    for kernel in Linear(), RBF(1.0):
        problem = DualProblem(X, y, C, kernel)
        if solve is smo and C > 1 and isinstance(kernel, Linear):
            continue  # where it crawls
        solution, other = solve(problem), newton(problem).certificate
        assert solution.converged
        assert solution.certificate.dual <= other.primal
        assert other.dual <= solution.certificate.primal


@all_solvers
@given(seed=seeds, log_C=st.floats(-3, 5))
@settings(max_examples=40)
def test_a_certificate_is_true_whatever_the_data(solve, seed, log_C):
    """60 digits judge; and a solver that has not converged says so."""
    X, y = hostile.problem(seed, most_points=8)
    rng = np.random.default_rng(seed)
    width = np.square(X).mean() or 1.0
    kernel = [Linear(), RBF(10.0 ** rng.uniform(-2, 2) / width)][int(rng.integers(2))]
    problem = DualProblem(X, y, 10.0**log_C, kernel)
    few = {"max_iter": 2000} if solve is smo else {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        solution = solve(problem, tol=1e-3, **few)
    certificate = solution.certificate
    assert solution.converged == certificate.optimal_to(1e-3)
    assert [w.category for w in heard] == [ConvergenceWarning] * (not solution.converged)
    judge = Judge(problem.X, y, problem.upper, kernel)
    assert mp.mpf(certificate.dual) <= judge.dual(solution.alpha)
    assert mp.mpf(certificate.primal) >= judge.primal(solution.alpha, solution.b, slip=1e-3)


@given(
    seed=seeds,
    solver=st.sampled_from(["newton", "smo", "interior_point"]),
    log_C=st.floats(-320, 308),
    log_gamma=st.floats(-300, 300),
)
@settings(max_examples=150)
def test_beyond_the_range_of_floats(seed, solver, log_C, log_gamma):
    """An error, a warning, or the judge agrees: never NaN, and no complaint of NumPy's."""
    X, y = hostile.problem(seed, most_points=6, scales=(-300, 300))
    rng = np.random.default_rng(seed)
    kernel = [
        Linear(),
        RBF(10.0**log_gamma),
        Polynomial(int(rng.integers(1, 6)), 10.0**log_gamma, float(rng.choice([0, 1, 1e100]))),
        Polynomial(1, 1e-3, 1e307),
    ][int(rng.integers(4))]
    C = rng.choice([10.0**log_C, np.inf])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            model = SVC(C=C, kernel=kernel, solver=solver, max_iter=200).fit(X, y)
        except (ValueError, NotSeparableError):
            return
    assert {w.category for w in heard} <= {ConvergenceWarning}, heard[0].message
    certificate = model.certificate_
    assert heard or certificate.optimal_to(1e-3)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    judge = Judge(X - model._origin, y, np.full(len(y), C), kernel)
    assert mp.mpf(certificate.dual) <= judge.dual(alpha)
    assert mp.mpf(certificate.primal) >= judge.primal(alpha, model._b, slip=1e-3)
    assert mp.mpf(certificate.norm_w) >= judge.norm(alpha)
    assert mp.mpf(certificate.kkt_violation) >= judge.violation(alpha, model._b)


# What is told, and what is refused


@all_solvers
def test_stopping_early_is_told_with_the_gap(solve):
    problem = DualProblem(*data(0, n=80), 1.0, RBF(0.5))
    name = solve.__name__
    with pytest.warns(ConvergenceWarning, match=f"^{name} stopped after 2 iter") as warned:
        solution = solve(problem, max_iter=2)
    assert not solution.converged
    assert solution.n_iter == 2
    assert f"duality gap of {solution.certificate.relative_gap:.3g}" in str(warned[0].message)
    assert len(warned) == 1
    assert abs(solution.alpha @ problem.y) < 1e-12


@all_solvers
def test_a_trace_has_a_record_for_each_iteration(solve):
    problem = DualProblem(*data(0))
    assert solve(problem).trace == ()
    solution = solve(problem, trace=True)
    assert len(solution.trace) == solution.n_iter > 0
    assert type(solution.trace[0]).__name__.endswith("Step")


@all_solvers
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tol": 0}, "tol must be a positive finite"),
        ({"tol": "small"}, "tol must be a positive"),
        ({"tol": np.inf}, "tol must be a positive finite"),
        ({"max_iter": 0}, "max_iter must be a positive integer"),
        ({"max_iter": 2.5}, "max_iter must be a positive integer"),
    ],
)
def test_bad_arguments_are_named(solve, arguments, message):
    with pytest.raises(ValueError, match=message):
        solve(DualProblem(*data(0)), **arguments)


@pytest.mark.parametrize("solve", [newton, solve_interior_point])
def test_an_indefinite_kernel_is_refused(solve):
    problem = DualProblem(*data(0), 1.0, lambda A, B: -A @ B.T)
    with pytest.raises(ValueError, match=r"kernel must be positive semidefinite.*svmlib.smo.smo"):
        solve(problem)


@pytest.mark.parametrize("solve", [smo, newton])
@pytest.mark.parametrize(
    "start",
    [
        [1.0, 0.0],
        [-1.0, -1.0],
        [2.0, 2.0],
        [1.0, 1 + 1e-8],
        [-1e-12, -1e-12],
        [np.nextafter(1.5, 2)] * 2,
    ],
    ids=str,
)
def test_a_start_that_is_not_feasible_is_refused(solve, start):
    with pytest.raises(ValueError, match="start must be feasible"):
        solve(DualProblem([[0.0], [2.0]], [-1, 1], 1.5), start=start)


@pytest.mark.parametrize("solve", [smo, newton])
@all_kernels
def test_a_start_is_used(solve, kernel):
    problem = DualProblem(*data(5, n=120), 10.0, kernel)
    coarse, fine = smo(problem, tol=1e-1), smo(problem, tol=1e-6)
    begun = coarse.alpha.copy()
    further = solve(problem, tol=1e-5, start=coarse.alpha)
    assert_optimal(problem, further, 1e-4)
    np.testing.assert_array_equal(coarse.alpha, begun)
    assert further.n_iter < fine.n_iter
    exact = newton(problem, tol=1e-9).alpha
    assert solve(problem, tol=1e-5, start=exact).n_iter == 0


@all_solvers
@pytest.mark.parametrize(
    ("X", "y", "kernel"),
    [
        ([[0.0], [1.0], [2.0]], [1, -1, 1], Linear()),  # no hyperplane
        ([[1.0, 2.0], [-1.0, -2.0], [3.0, 0.0]], [1, -1, -1], Polynomial(2)),  # φ(x) = φ(−x)
        ([[2.0], [2.0], [3.0]], [1, -1, -1], RBF(1.0)),  # x = z
        ([[0.0], [1e-9], [3.0]], [1, -1, -1], RBF(1.0)),  # nearly so
    ],
)
def test_a_hard_margin_that_is_not_found_ends_soon_and_is_told(solve, X, y, kernel):
    problem = DualProblem(X, y, np.inf, kernel)
    with pytest.warns(ConvergenceWarning, match=r"no hyperplane separates.*hulls\.separation"):
        solution = solve(problem, max_iter=1000)
    assert solution.certificate.primal == np.inf
    if solve is smo and not isinstance(kernel, Linear):
        assert solution.n_iter < 10  # a pair goes to the end of the box at once


@pytest.mark.parametrize("seed", [25, 52, 101, 121])
def test_who_is_at_a_bound_may_be_guessed_wrong(seed):
    """Then the interior point as it was left is better than what the guess makes of it."""
    rng = np.random.default_rng(seed)
    X, y = hostile.problem(seed, most_points=20)
    width = np.square(X).mean()
    gamma = 10.0 ** rng.uniform(-4, 1) / width
    kernel = RBF(gamma) if seed % 3 == 1 else Polynomial(2, 1 / width, 1.0)
    problem = DualProblem(X, y, 10.0 ** rng.uniform(-2, 5), kernel)
    assert solve_interior_point(problem).converged
