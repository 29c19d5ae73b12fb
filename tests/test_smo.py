from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from svmlib.duality import DualProblem, Solution, solve_interior_point
from svmlib.hulls import NotSeparableError
from svmlib.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from svmlib.smo import smo
from tests.optimum import assert_kkt

KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]
INDEFINITE = [
    pytest.param(Sigmoid(1.0, -1.0), id="sigmoid"),
    pytest.param(Polynomial(3, 1.0, -2.0), id="polynomial"),
    pytest.param(lambda A, B: -A @ B.T, id="negative"),  # an address in an id would confuse xdist
]
SELECTIONS = ["second", "first", "cyclic"]


def data(seed: int, n: int = 30, d: int = 2, shift: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def assert_optimal(problem: DualProblem, solution: Solution, tol: float = 1e-3) -> None:
    alpha, C, certificate = solution.alpha, problem.upper, solution.certificate
    margins, primal, dual = assert_kkt(problem, solution, tol=tol, balance=1e-12)
    if np.isfinite(C[0]):
        slack = 1e-12 * (1 + alpha.sum()) * C.sum()  # rounding in a margin costs C
        assert_allclose(certificate.primal, primal, rtol=1e-9, atol=slack)
        assert -1e-10 * primal <= primal - dual <= tol * alpha.sum() + tol * C[margins < 1].sum()
    assert_allclose(certificate.dual, dual, rtol=1e-9)
    assert certificate.kkt_violation <= tol


# The optimum


@pytest.mark.parametrize("selection", SELECTIONS)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    d=st.integers(1, 4),
    log_C=st.floats(-3, 2),
    kernel=st.sampled_from(KERNELS),
)
@settings(max_examples=40)
def test_random_problems_against_libsvm(selection, seed, n, d, log_C, kernel):
    X, y = data(seed, n=n, d=d)
    C = 10**log_C
    problem = DualProblem(X, y, C, kernel)
    solution = smo(problem, selection=selection)
    assert_optimal(problem, solution)

    peer = svm.SVC(C=C, kernel=kernel, tol=1e-6).fit(X, y)
    alpha = np.zeros(n)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    best = problem.certificate(alpha, float(peer.intercept_[0]))
    slack = 1e-9 * best.primal
    assert solution.certificate.dual <= best.primal + slack
    assert solution.certificate.primal >= best.dual - slack
    ours = problem.decision_function(solution.alpha, solution.b, X)
    theirs = peer.decision_function(X)
    if ((alpha > 1e-6 * C) & (alpha < C * (1 - 1e-6))).any():  # else b is only an interval
        # Strong convexity: ½‖w − w*‖² ≤ gap, so f is known to √(2 gap k(x, x)) but for b.
        known = np.sqrt(2 * max(0, solution.certificate.gap) * problem.diagonal.max()) + 2e-3
        clear = np.abs(theirs) > 2 * known
        assert (np.sign(ours) == np.sign(theirs))[clear].all()


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_small_tolerance_gives_the_exact_solution(selection, kernel):
    X, y = data(1)
    problem = DualProblem(X, y, 2.0, kernel)
    exact = solve_interior_point(problem)
    solution = smo(problem, tol=1e-10, selection=selection)
    assert_optimal(problem, solution, tol=1e-9)
    assert_allclose(solution.certificate.dual, exact.certificate.dual, rtol=1e-12)
    assert_allclose(
        problem.decision_function(solution.alpha, solution.b, X),
        problem.decision_function(exact.alpha, exact.b, X),
        atol=1e-8,
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_hard_margin(kernel):
    X, y = data(3, shift=2.0)
    problem = DualProblem(X, y, np.inf, kernel)
    solution = smo(problem, tol=1e-6)
    exact = solve_interior_point(problem)
    assert_optimal(problem, solution, tol=1e-6)
    assert 0 <= solution.certificate.relative_gap < 1e-5
    assert_allclose(solution.certificate.dual, exact.certificate.dual, rtol=1e-6)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_order_and_names_of_the_classes_do_not_matter(seed):
    X, y = data(seed)
    order = np.random.default_rng(seed).permutation(y.size)
    one = smo(DualProblem(X, y, 1.0, RBF(0.5)), tol=1e-8)
    permuted = smo(DualProblem(X[order], y[order], 1.0, RBF(0.5)), tol=1e-8)
    swapped = smo(DualProblem(X, -y, 1.0, RBF(0.5)), tol=1e-8)
    assert_allclose(permuted.alpha, one.alpha[order], atol=1e-5)
    assert_allclose(swapped.alpha, one.alpha, atol=1e-5)
    assert_allclose(swapped.b, -one.b, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
def test_units_do_not_matter(scale):
    """Features times s and C over s² is the same problem: the same steps, α over s²."""
    X, y = data(2)
    one = smo(DualProblem(X, y, 1.0))
    scaled = DualProblem(scale * X, y, 1 / scale**2)
    solution = smo(scaled)
    assert_optimal(scaled, solution)
    assert_allclose(solution.certificate.dual * scale**2, one.certificate.dual, rtol=1e-6)


@pytest.mark.parametrize("C", [1e-6, 1e8])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_extreme_constants_and_features(C, scale):
    X, y = data(4, n=20)
    problem = DualProblem(scale * X, y, C, RBF(0.5 / scale**2))
    assert_optimal(problem, smo(problem))


def test_hard_cases():
    X, y = data(0, n=20)
    rng = np.random.default_rng(0)
    for problem in [
        DualProblem([[0.0], [2.0]], [-1, 1], 1.0),
        DualProblem([[0.0], [0.0]], [-1, 1], 1.0),
        DualProblem(np.ones_like(X), y, 1.0, RBF(1.0)),  # all points identical
        DualProblem(np.zeros_like(X), y, 1.0),  # K = 0
        DualProblem(1e-150 * X, y, 1.0),  # and nearly so
        DualProblem(np.repeat(X, 2, axis=0), np.tile([1, -1], 20), 1.0),  # both labels at each
        DualProblem(rng.normal(size=(1001, 2)), np.r_[1, -np.ones(1000)], 1.0, RBF(0.5)),
    ]:
        assert_optimal(problem, smo(problem))


def test_two_points_are_solved_in_one_step():
    solution = smo(DualProblem([[0.0], [2.0]], [-1, 1], np.inf))
    assert solution.n_iter == 1
    assert_allclose(solution.alpha, 0.5)
    assert_allclose(solution.b, -1)


def test_samples_have_their_own_bounds():
    X, y = data(0)
    weights = np.random.default_rng(1).integers(1, 4, size=y.size)
    weighted = DualProblem(X, y, 0.5 * weights, RBF(0.5))
    repeated = DualProblem(np.repeat(X, weights, axis=0), np.repeat(y, weights), 0.5, RBF(0.5))
    one, other = smo(weighted, tol=1e-8), smo(repeated, tol=1e-8)
    assert_optimal(weighted, one, tol=1e-8)
    assert_allclose(one.certificate.dual, other.certificate.dual, rtol=1e-8)


def test_the_duality_gap_is_no_larger_than_libsvms():
    for seed in range(20):
        X, y = data(seed, n=150, d=3)
        problem = DualProblem(X, y, 1.0, RBF(0.3))
        peer = svm.SVC(C=1.0, gamma=0.3).fit(X, y)
        alpha = np.zeros(150)
        alpha[peer.support_] = np.abs(peer.dual_coef_[0])
        theirs = problem.certificate(alpha, float(peer.intercept_[0]))
        assert smo(problem).certificate.gap <= theirs.gap


# The steps


def test_second_order_selection_takes_fewer_steps():
    second, first, cyclic = (
        sum(
            smo(DualProblem(*data(s, n=60), 10.0, RBF(1.0)), selection=name).n_iter
            for s in range(5)
        )
        for name in SELECTIONS
    )
    assert second < first < cyclic


# What can go wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tol": 0}, "tol must be a positive"),
        ({"tol": np.inf}, "tol must be a positive finite"),
        ({"selection": "third"}, "selection must be one of"),
        ({"max_iter": 0}, "max_iter must be a positive"),
        ({"max_iter": np.nan}, "max_iter must be"),
        ({"max_iter": 2.5}, "max_iter must be a positive integer"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        smo(DualProblem(*data(0)), **arguments)


def test_reaching_max_iter_is_told_with_the_gap():
    problem = DualProblem(*data(0), 1.0, RBF(0.5))
    with pytest.warns(ConvergenceWarning, match="smo stopped after 3 iterations") as warned:
        solution = smo(problem, max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    assert f"duality gap of {solution.certificate.relative_gap:.3g}" in str(warned[0].message)
    assert warned[0].filename == __file__
    assert abs(solution.alpha @ problem.y) < 1e-12


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("kernel", INDEFINITE)
def test_an_indefinite_kernel_is_survived_and_not_oversold(kernel, selection):
    for seed in range(5):
        X, y = data(seed)
        problem = DualProblem(X, y, 1.0, kernel)
        solution = smo(problem, selection=selection)
        assert solution.converged
        assert solution.certificate.kkt_violation <= 1e-3  # stationary
        assert not solution.certificate.proves_optimality
        assert "stationarity is all there is" in str(solution.certificate)


def test_identical_points_with_opposite_labels_have_no_hard_margin():
    X, y = [[0.0, 1.0], [2.0, 2.0], [5.0, 5.0], [2.0, 2.0]], [-1, -1, 1, 1]
    with pytest.raises(NotSeparableError) as raised:
        smo(DualProblem(X, y, np.inf))
    assert_allclose(raised.value.separation.point, [2.0, 2.0])
    assert_allclose(raised.value.separation.weights, [0, 1, 0, 1])


def test_identical_features_with_opposite_labels_have_no_hard_margin():
    """The kernel (x·z)² cannot tell x from −x."""
    X, y = np.array([[1.0, 2.0], [-1.0, -2.0], [3.0, 0.0]]), np.array([1, -1, -1])
    with pytest.raises(NotSeparableError) as raised:
        smo(DualProblem(X, y, np.inf, Polynomial(2)))
    weights = raised.value.separation.weights
    phi = Polynomial(2).feature_map(X)
    assert_allclose(weights[y > 0] @ phi[y > 0], weights[y < 0] @ phi[y < 0])


def test_a_hard_margin_wants_a_positive_semidefinite_kernel():
    X, y = data(0)
    with pytest.raises(ValueError, match="positive semidefinite for C = inf"):
        smo(DualProblem(X, y, np.inf, lambda A, B: -A @ B.T))


def test_an_indefinite_kernel_without_such_a_pair_is_named_when_the_steps_do_not_end():
    """For β = (2, −1, −1) βᵀKβ < 0, but k(x, x) + k(z, z) > 2 k(x, z) for every pair."""
    kernel = Precomputed([[1.0, 0.9, 0.9], [0.9, 1.0, -0.5], [0.9, -0.5, 1.0]])
    problem = DualProblem(kernel.points, [1, -1, -1], np.inf, kernel)
    with pytest.warns(ConvergenceWarning, match="C = inf needs a positive semidefinite kernel"):
        solution = smo(problem, max_iter=1000)
    assert not solution.converged


@pytest.mark.parametrize("kernel", [Linear(), RBF(1.0)], ids=repr)
def test_a_finer_tolerance_goes_on_from_a_coarser_one(kernel):
    X, y = data(5, n=60)
    problem = DualProblem(X, y, 10.0, kernel)
    coarse, fine = smo(problem, tol=1e-1), smo(problem, tol=1e-6)
    further = smo(problem, tol=1e-6, start=coarse.alpha)
    assert_optimal(problem, further, 1e-6)
    assert further.n_iter < fine.n_iter
    assert smo(problem, tol=1e-5, start=fine.alpha).n_iter == 0


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
def test_a_start_that_is_not_feasible_is_refused(start):
    with pytest.raises(ValueError, match="start must be feasible"):
        smo(DualProblem([[0.0], [2.0]], [-1, 1], 1.5), start=start)


def test_a_problem_is_a_dual_problem():
    with pytest.raises(ValueError, match=r"problem must be a DualProblem, as DualProblem\(X, y"):
        smo(np.zeros((3, 2)))


def test_twins_are_found_whatever_the_choice_of_pairs():
    """Among 30 others no selection need ever come to the pair."""
    X, y = data(0, n=30)
    X[1], y[0], y[1] = X[0], 1, -1
    for selection in SELECTIONS:
        with pytest.raises(NotSeparableError) as raised:
            smo(DualProblem(X, y, np.inf), selection=selection)
        assert raised.value.separation.verify()


def test_a_hard_margin_that_does_not_exist_ends_at_max_iter():
    problem = DualProblem([[0.0], [1.0], [2.0]], [1, -1, 1], np.inf)
    with pytest.warns(ConvergenceWarning, match=r"no hyperplane separates.*hulls\.separation"):
        solution = smo(problem, max_iter=1000)
    assert solution.certificate.primal == np.inf


@pytest.mark.parametrize("C", [1e150, 1e300, np.inf])
def test_multipliers_have_squares_however_large_the_bounds(C):
    """Else the certificate would refuse them."""
    problem = DualProblem([[0.0], [1e-100], [2e-100]], [1, -1, 1], C)
    with pytest.warns(ConvergenceWarning) as heard:
        solution = smo(problem, max_iter=1000)
    assert len(heard) == 1
    assert problem.certificate(solution.alpha, solution.b) == solution.certificate


def test_curvatures_below_the_smallest_float_divide_nothing_by_zero():
    X, y = 2.0**-520 * np.array([[1.0], [1.0], [2.0], [2.0]]), np.array([1, -1, -1, 1])
    with np.errstate(divide="raise", invalid="raise"):
        assert smo(DualProblem(X, y, 1e9)).certificate.optimal_to(1e-3)
