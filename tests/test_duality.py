from __future__ import annotations

import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning

from svmlib.certificate import Certificate
from svmlib.duality import DualProblem, solve_interior_point
from svmlib.kernels import RBF, Linear, Polynomial
from svmlib.problem import balance
from svmlib.smo import smo

KERNELS = [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)]


def data(seed: int, n: int = 20, d: int = 2, shift: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < max(1, n // 3), 1, -1)
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def feasible(problem: DualProblem, seed: int) -> np.ndarray:
    """Return random multipliers in the box with Σ α_i y_i = 0, some of them at a bound."""
    rng = np.random.default_rng(seed)
    cap = np.minimum(problem.upper, 3.0)
    alpha = cap * np.clip(rng.uniform(-0.5, 1.5, problem.n), 0, 1)
    positive, negative = alpha @ (problem.y > 0), alpha @ (problem.y < 0)
    low = min(positive, negative)
    alpha[problem.y > 0] *= low / positive if positive else 0
    alpha[problem.y < 0] *= low / negative if negative else 0
    return alpha


def by_hand(problem: DualProblem, alpha: np.ndarray, b: float) -> tuple[float, float, float]:
    """Return primal value, dual value and largest KKT violation by the shortest formulas."""
    K = problem.kernel(problem.X, problem.X)
    v = alpha * problem.y
    margin = problem.y * (K @ v + b)
    if np.isinf(problem.upper).all():
        primal = v @ K @ v / 2 / margin.min() ** 2 if margin.min() > 0 else np.inf
    else:
        primal = v @ K @ v / 2 + problem.upper @ np.clip(1 - margin, 0, None)
    low, high = alpha == 0, alpha == problem.upper
    free = ~low & ~high
    violation = np.abs(margin - 1) * free + np.clip(1 - margin, 0, None) * low
    violation += np.clip(margin - 1, 0, None) * high
    return primal, alpha.sum() - v @ K @ v / 2, violation.max()


# The problem


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_objective_and_gradient_are_their_formulas(kernel):
    X, y = data(0)
    problem = DualProblem(X, y, 2.0, kernel)
    alpha = feasible(problem, 1)
    K = kernel(X, X)
    pairs = sum(alpha[i] * alpha[j] * y[i] * y[j] * K[i, j] for i in range(20) for j in range(20))
    assert_allclose(problem.objective(alpha), alpha.sum() - pairs / 2)
    numeric = approx_fprime(alpha, problem.objective, 1e-6)
    assert_allclose(problem.gradient(alpha), numeric, rtol=1e-4, atol=1e-4)
    problem.gram()  # the same from the cache
    assert_allclose(problem.objective(alpha), alpha.sum() - pairs / 2)
    assert_allclose(problem.gradient(alpha), 1 - y * (K @ (alpha * y)), atol=1e-12)


def test_decision_function():
    X, y = data(1, d=3)
    problem = DualProblem(X, y)
    alpha = feasible(problem, 0)
    Z = data(2, n=7, d=3)[0]
    assert_allclose(
        problem.decision_function(alpha, 0.5, Z), Z @ ((alpha * y) @ X) + 0.5, atol=1e-12
    )
    with pytest.raises(ValueError, match="Z has 2 features, expected 3"):
        problem.decision_function(alpha, 0.5, Z[:, :2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"C": 0}, "C must be a positive number"),
        ({"C": True}, "C must be a positive number, got True"),
        ({"C": [1.0, 2.0]}, "C has 2 entries, expected 20"),
        ({"C": np.zeros(20)}, "C must be positive for every sample"),
        ({"C": np.full(20, np.inf)}, "C must be finite"),
        ({"kernel": "rbf"}, "kernel must be a kernel such as"),
        ({"kernel": lambda X, Z: np.zeros((3, 3))}, "kernel must return one row"),
        ({"cache_mb": 0}, "cache_mb must be a positive"),
        ({"cache_mb": 1e-4}, "cache_mb must be at least .* two rows"),
        ({"y": np.ones(20)}, "both classes"),
        ({"y": np.arange(20)}, "only -1 and \\+1"),
        ({"y": [1, -1]}, "one label for each of the 20 rows"),
        ({"X": np.zeros(20)}, "shape"),
        ({"X": np.full((20, 2), np.nan)}, "NaN"),
        ({"X": np.zeros((0, 2))}, "at least one point"),
        ({"X": 2**60 + np.arange(20)[:, None]}, r"X must hold integers.* up to 2\*\*53"),
        ({"X": -(2**53) - np.arange(20)[:, None]}, r"X must hold integers.* up to 2\*\*53"),
        ({"X": np.arange(20).astype("datetime64[ns]")[:, None]}, "X must be a dense array of real"),
        ({"X": np.ma.masked_less(np.arange(20.0)[:, None], 3)}, "X must have no masked entries"),
        ({"X": [[10**400]] * 20}, "X must be a dense array of real"),
    ],
)
def test_bad_input_is_named(arguments, message):
    X, y = data(0)
    with pytest.raises(ValueError, match=message):
        DualProblem(**{"X": X, "y": y} | arguments)


# The certificate


def test_the_smallest_multiplier_counts_for_the_kkt_conditions():
    """α > 0 and α < C are meant as they are written: a part in 10⁹ makes a margin wrong."""
    problem = DualProblem([[0.0], [2.0], [50.0]], [-1, 1, 1], 0.5)
    assert problem.certificate([0.5, 0.5, 0.0], -1.0).kkt_violation < 1e-12
    assert problem.certificate([0.5, 0.5, 1e-9], -1.0).kkt_violation > 40
    problem = DualProblem([[0.0], [2.0], [-50.0]], [-1, 1, 1], 0.5)
    assert problem.certificate([0.5, 0.5, 0.5 - 1e-9], -1.0).kkt_violation > 40


@pytest.mark.parametrize("C", [1.0, np.inf])
@given(seed=st.integers(0, 10**6), b=st.floats(-3, 3), kernel=st.sampled_from(KERNELS))
@settings(max_examples=40)
def test_certificate_by_hand_and_weak_duality(C, seed, b, kernel):
    X, y = data(seed, n=14, shift=1.0)
    problem = DualProblem(X, y, C, kernel)
    alpha = feasible(problem, seed + 1)
    certificate = problem.certificate(alpha, b)
    primal, dual, violation = by_hand(problem, alpha, b)
    assert_allclose(certificate.primal, primal, rtol=1e-9)
    assert_allclose(certificate.dual, dual, rtol=1e-9, atol=1e-9)
    assert_allclose(certificate.kkt_violation, violation, atol=1e-9)
    assert_allclose(certificate.norm_w**2 / 2, alpha.sum() - dual, atol=1e-9)
    assert certificate.infeasibility < 1e-12
    assert certificate.proves_optimality
    assert certificate.gap >= -1e-9 * abs(dual)
    if np.isfinite(C):
        best = solve_interior_point(problem).certificate
        assert certificate.dual <= best.primal + 1e-9
        assert certificate.primal >= best.dual - 1e-9


def test_certificate_says_what_it_does_not_prove():
    good = Certificate(2.0, 1.5, 1e-3, 0.0, 1.2)
    assert good.gap == 0.5
    assert good.relative_gap == 0.25
    assert "proves that the optimum is in [1.5, 2]" in str(good)
    assert "optimum for the Gram matrix given is in" in str(replace(good, of_given_matrix=True))
    assert "gap 0.5" in str(good)
    for bad, reason in [
        (replace(good, proves_optimality=False), "positive semidefinite"),
        (replace(good, primal=np.inf), "C = ∞ and the hyperplane does not separate"),
        (DualProblem([[0.0], [2.0]], [-1, 1]).certificate([1e160] * 2, 0.0), "no upper bound"),
        (replace(good, dual=-np.inf), "no lower bound"),
    ]:
        assert re.search(f"does not prove optimality.*{reason}", str(bad))


@pytest.mark.parametrize(
    "value", [0.1, 1 / 3, 136.0000000001, 1 - 2**-53, -7.25e-9, 123456.5, 1e300]
)
def test_a_printed_interval_still_holds_the_numbers(value):
    """Rounded to nearest, the printed ends could lie on the wrong side of the optimum."""
    low, high = re.search(r"in \[(.*), (.*)\]", str(Certificate(value, value, 0, 0, 1))).groups()
    assert float(low) <= value <= float(high)
    assert float(high) - float(low) <= 2e-5 * abs(value)


@pytest.mark.parametrize(("skew", "accepted"), [(0.0, True), (1e-14, True), (1e-6, False)])
def test_an_asymmetric_kernel_is_refused(skew, accepted):
    """A Cholesky factorisation reads one triangle only; what is rounding is averaged."""
    X, y = data(0)
    tilt = skew * np.subtract.outer(np.arange(20), np.arange(20)) / 19
    table = Linear()(X, X) + np.eye(20) + tilt
    rows = np.arange(20.0)[:, None]
    lookup = lambda A, B: table[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]  # noqa: E731
    problem = DualProblem(rows, y, 1.0, lookup)
    if accepted:
        assert problem.convex
        assert_array_equal(problem.gram(), problem.gram().T)
    else:
        with pytest.raises(ValueError, match="must be symmetric"):
            smo(problem)


@given(seed=st.integers(0, 10**6), d=st.sampled_from([1, 30, 1000]), degree=st.integers(1, 5))
@settings(max_examples=40)
def test_a_valid_kernel_is_never_called_indefinite(seed, d, degree):
    """Not for duplicated rows, nor because a thousand features round differently here and there."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, d))[rng.integers(0, 4, size=8)] * 10.0 ** rng.uniform(-3, 3)
    y = np.where(np.arange(8) < 4, 1, -1)
    kernel = Polynomial(degree, 10.0 ** rng.uniform(-1, 2), float(rng.integers(0, 2)))
    assert DualProblem(X, y, 1.0, lambda A, B: kernel(A, B)).convex
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solve_interior_point(DualProblem(X, y, 100.0, kernel))


def test_the_cache_is_not_pickled():
    problem = DualProblem(*data(0, n=60), 1.0, RBF(1.0))
    empty = len(pickle.dumps(problem))
    problem.gram()
    assert len(pickle.dumps(problem)) == empty


def test_functions_of_alpha_take_lists_and_name_what_is_wrong():
    problem = DualProblem([[0.0], [2.0]], [-1, 1])
    assert problem.objective([0.5, 0.5]) == 0.5
    assert_allclose(problem.gradient([0.5, 0.5]), [1, -1])
    for function in (problem.objective, problem.gradient, problem.bias, problem.bias_interval):
        with pytest.raises(ValueError, match="alpha has 3 entries, expected 2"):
            function([0.0, 0.0, 0.0])
        with pytest.raises(ValueError, match="alpha must be finite"):
            function([np.nan, 0.0])
    with pytest.raises(ValueError, match="b must be a finite number"):
        problem.certificate([0.5, 0.5], np.nan)


# The bias


def test_bias_is_the_mean_over_the_free_multipliers():
    X, y = data(5)
    problem = DualProblem(X, y, 1.0, RBF(0.5))
    alpha = feasible(problem, 2)
    g = y - RBF(0.5)(X, X) @ (alpha * y)
    free = (alpha > 0) & (alpha < 1)
    assert 1 < free.sum() < 20
    assert_allclose(problem.bias(alpha), g[free].mean())


def test_bias_without_free_multipliers_is_the_middle_of_its_interval():
    X, y = [[0.0], [1.0], [4.0], [6.0]], [-1, -1, 1, 1]
    problem = DualProblem(X, y, 0.01)
    solution = solve_interior_point(problem)
    assert set(solution.alpha) == {0.01}
    low, high = problem.bias_interval(solution.alpha)
    assert low < high
    assert_allclose(problem.bias(solution.alpha), (low + high) / 2)
    for b in (low, 0.9 * low + 0.1 * high, solution.b, high):
        certificate = problem.certificate(solution.alpha, b)
        assert certificate.kkt_violation < 1e-12
        assert abs(certificate.gap) < 1e-12
    for b in (low - 0.01, high + 0.01):
        certificate = problem.certificate(solution.alpha, b)
        assert_allclose(certificate.kkt_violation, 0.01)
        assert certificate.gap > 1e-5


def test_what_optimal_to_asks_for():
    """A small gap, and nothing else will do: margins however right, or half a proof."""
    good = Certificate(1.0, 1.0 - 1e-4, 1e-2, 0.0, 1.0)
    assert good.optimal_to(1e-3)
    assert not good.optimal_to(1e-5)
    assert replace(good, dual=0.5).optimal_to(0.5), "at most"
    assert not replace(good, kkt_violation=1e-15).optimal_to(1e-5)
    assert not replace(good, dual=-np.inf).optimal_to(1e-3)
    assert not replace(good, primal=np.inf).optimal_to(1e-3)
    assert not replace(good, proves_optimality=False).optimal_to(1e-3)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_corrector_saves_iterations(C):
    """About 11 of them; 15 without Mehrotra's second-order terms, 18 with one of the wrong sign."""
    problems = [DualProblem(*data(seed, n=60), C, RBF(0.5)) for seed in range(10)]
    assert np.mean([solve_interior_point(problem).n_iter for problem in problems]) < 13


@pytest.mark.parametrize("seed", range(20))
def test_what_is_balanced_stays_in_the_box_of_every_sample(seed):
    rng = np.random.default_rng(seed)
    problem = DualProblem(*data(seed, n=8), 10.0 ** rng.uniform(-3, 3, 8))
    alpha = problem.upper * rng.uniform(size=8)
    balanced = balance(alpha, problem.y, problem.upper)
    assert (balanced >= 0).all()
    assert (balanced <= problem.upper).all()
    assert abs(balanced @ problem.y) <= 1e-14 * alpha.sum()


def test_only_the_free_give_way():
    """Those at a bound stay, though no single one of the free has the room."""
    y = np.where(np.arange(40) < 20, 1.0, -1.0)
    alpha = np.where(np.arange(40) % 4 == 0, 0.8, np.arange(40) % 2.0)
    upper = np.ones(40)
    alpha[::20] = 0.5
    alpha[1] = 0  # an excess of -1
    balanced = balance(alpha, y, upper)
    free = (alpha > 0) & (alpha < upper)
    assert abs(balanced @ y) < 1e-14
    assert (balanced[~free] == alpha[~free]).all()
    room = np.minimum(alpha, upper - alpha)[free]
    np.testing.assert_allclose((balanced - alpha)[free], y[free] * room / room.sum())


@pytest.mark.parametrize("seed", range(20))
def test_what_cannot_be_balanced_is_nothing(seed):
    """And not the rounding of what it was, which is as far from balanced as can be."""
    alpha = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, 20)
    y = np.where(np.arange(20) < 12, 1.0, -1.0)
    alpha[y < 0] = 0
    upper = np.where(y < 0, 1e-9, 1e7)
    assert not balance(alpha, y, upper).any()


@pytest.mark.parametrize("n", [35, 150, 2000])
def test_the_cache_that_an_error_asks_for_is_large_enough(n):
    X, y = data(0, n=n)
    with pytest.raises(ValueError, match="two rows") as told:
        DualProblem(X, y, cache_mb=1e-9)
    rows = float(re.search(r"at least (\S+)", str(told.value))[1])
    assert rows <= 16 * n / 2**20 * 1.001
    with pytest.raises(ValueError, match="whole Gram matrix") as told:
        DualProblem(X, y, cache_mb=rows).gram()
    whole = float(re.search(r"at least (\S+)", str(told.value))[1])
    assert whole <= 8 * n**2 / 2**20 * 1.001
    assert DualProblem(X, y, cache_mb=whole).gram().shape == (n, n)


def test_a_problem_and_what_it_proves_stay_as_they_were():
    """What the caller writes into arrays of their own afterwards changes nothing."""
    X, y, C = np.array([[0.0], [2.0], [3.0]]), np.array([-1.0, 1.0, 1.0]), np.array([1.0, 2.0, 2.0])
    problem = DualProblem(X, y, C)
    before = problem.certificate([0.5, 0.5, 0.0], -1.0)
    X[:], y[:], C[:] = 7, -y, 1e-3
    assert problem.certificate([0.5, 0.5, 0.0], -1.0) == before
    for array in (problem.X, problem.y, problem.upper, problem.diagonal, problem.gram()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@given(seed=st.integers(0, 10**6), own=st.booleans())
@settings(max_examples=30)
def test_the_bias_of_what_is_far_from_optimal_is_the_cheapest(seed, own):
    """Where nobody is free and the ends cross: as at α = 0, with one class smaller."""
    X, y = data(seed)
    rng = np.random.default_rng(seed)
    problem = DualProblem(X, y, rng.uniform(0.5, 2, 20) if own else 1.0, RBF(0.5))
    alpha = np.where(rng.random(20) < 0.3, problem.upper, 0.0)
    low, high = problem.bias_interval(alpha)
    f = RBF(0.5)(X, X) @ (alpha * y)
    cost = lambda b: problem.upper @ np.clip(1 - y * (f + b), 0, None)  # noqa: E731
    if low > high:
        assert cost(problem.bias(alpha)) <= min(map(cost, y - f)) * (1 + 1e-12)
