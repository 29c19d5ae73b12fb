"""What every solver of a dual problem promises, asked of all of them."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Linear, Polynomial
from svmlib.newton import newton
from svmlib.problem import DualProblem
from svmlib.smo import smo
from tests import hostile
from tests.judge import Judge
from tests.optimum import assert_optimal, data

SOLVERS = [interior_point, smo, newton]
KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]
RANGES = {  # of the sizes of numbers
    "ordinary": {},
    "beyond floats": {"scales": (-300, 300), "prices": (-320, 308), "widths": (-300, 300)},
}
seeds = st.integers(0, 10**6)
all_solvers = pytest.mark.parametrize("solve", SOLVERS)
all_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@all_solvers
@all_kernels
@pytest.mark.parametrize("C", [2.0, np.inf])
def test_a_small_tolerance_is_reached(solve, kernel, C):
    problem = DualProblem(*data(1, shift=0.7 if C == 2 else 2.5), C, kernel)
    assert_optimal(problem, solve(problem, tol=1e-9), tol=1e-8)


@all_solvers
@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
def test_units_do_not_matter(solve, scale, C):
    X, y = data(7)
    assert solve(DualProblem(scale * X, y, C / scale**2)).converged


X, y = data(0, n=20)
SPECIAL = {
    "two samples": ([[0.0], [2.0]], [-1, 1]),
    "one point in both classes": (np.zeros((10, 2)), np.tile([-1, 1], 5)),
    "both labels at each point": (np.repeat(X, 2, axis=0), np.tile([-1, 1], 20)),
    "a class in one point": (np.where(y[:, None] > 0, 1.0, X), y),
    "constant columns": (np.column_stack([X, np.full(20, 7.0)]), y),
    "duplicates": (np.repeat(X, 3, axis=0), np.repeat(y, 3)),
    "one of a kind": (X, np.where(np.arange(20) == 0, 1, -1)),
    "separable": (X + 5 * y[:, None], y),
    "nothing": (np.zeros((20, 2)), y),
}


@all_solvers
@pytest.mark.parametrize("case", SPECIAL)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_special_cases(solve, case, C):
    for kernel in Linear(), RBF(1.0):
        problem = DualProblem(*SPECIAL[case], C, kernel)
        if solve is smo and C > 1 and isinstance(kernel, Linear):
            continue  # where it crawls
        solution, other = solve(problem), newton(problem).certificate
        assert solution.converged
        assert solution.certificate.dual <= other.primal
        assert other.dual <= solution.certificate.primal


def test_the_end_of_the_interior_point_method_is_exact_but_for_rounding():
    """Without the equations of the free multipliers the gap is 5e-10."""
    problem = DualProblem(*data(1, shift=0.7), 2.0)
    assert interior_point(problem, tol=1e-3).certificate.relative_gap < 1e-12


def test_who_is_at_a_bound_may_be_guessed_wrong():
    """Then the interior point as it was left is better than what the guess makes of it.

    In the last case it would not be, had it been left when its gap was small: the residual was not.
    """
    for seed in 54, 88, 101, 121, 110:
        assert interior_point(DualProblem(*hostile.machine(seed, most_points=20))).converged


@all_solvers
@pytest.mark.parametrize("numbers", RANGES)
@given(seed=seeds)
@settings(max_examples=25)
def test_a_certificate_is_true_whatever_the_data(solve, numbers, seed):
    """And a solver that has not converged says so, and no complaint of NumPy's is heard."""
    few = {"max_iter": 500} if solve is smo else {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            problem = DualProblem(*hostile.machine(seed, most_points=8, **RANGES[numbers]))
        except ValueError:  # values of K beyond floats
            return
        solution = solve(problem, tol=1e-3, **few)
    assert solution.converged == solution.certificate.is_optimal(1e-3)
    assert [w.category for w in heard] == [ConvergenceWarning] * (not solution.converged)
    Judge(problem).accept(solution.certificate, solution.alpha, solution.b)


def test_what_is_beyond_floats_ends_with_a_warning():
    """Squares of distances, a sum of multipliers, and the scores of a start."""
    start = np.where(y > 0, 5e99, 5e99 * np.sum(y > 0) / np.sum(y < 0))
    for solve, problem, more in (
        (newton, DualProblem(3e153 * X, y, 3e-110), {"tol": 1e-9}),
        (smo, DualProblem(1e-153 * X, y, np.inf), {}),
        (smo, DualProblem(1e140 * X, y, 1e100), {"start": start}),
    ):
        with pytest.warns(ConvergenceWarning, match="stopped"):
            solve(problem, **more)


@all_solvers
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("steps", range(1, 8))
@pytest.mark.parametrize("C", [0.1, 10.0, "own"])
def test_wherever_it_stops_the_multipliers_are_feasible(solve, steps, C):
    """So they can be the start of the next solver, also where hardly anybody is free."""
    own = 10.0 ** np.random.default_rng(steps).uniform(-3, 3, 60)
    problem = DualProblem(*data(steps, n=60), own if C == "own" else C, RBF(1.0))
    alpha = solve(problem, tol=1e-12, max_iter=steps).alpha
    assert alpha.any() or C == "own"
    assert abs(alpha @ problem.y) <= 1e-12 * alpha.sum()
    assert smo(problem, start=alpha, tol=0.1).converged


@pytest.mark.parametrize("solve", [smo, newton])
@all_kernels
def test_a_start_is_used_and_a_trace_has_a_record_for_each_iteration(solve, kernel):
    problem = DualProblem(*data(5, n=120), 10.0, kernel)
    coarse, fine = smo(problem, tol=1e-1), smo(problem, tol=1e-6)
    begun = coarse.alpha.copy()
    further = solve(problem, tol=1e-5, start=coarse.alpha, trace=True)
    assert_optimal(problem, further, 1e-4)
    assert_array_equal(coarse.alpha, begun)
    assert len(further.trace) == further.n_iter < fine.n_iter
    exact = solve(problem, tol=1e-5, start=newton(problem, tol=1e-9).alpha)
    assert (exact.n_iter, exact.trace) == (0, ())
    bad = smo(DualProblem(problem.X[::-1], problem.y, 10.0, kernel), tol=0.1)
    assert bad.trace == ()
    assert_optimal(problem, solve(problem, tol=1e-5, start=bad.alpha), 1e-4)


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
