"""The problem: objective, gradient, bias, and its one Gram matrix."""

import copy
import pickle
import re
from threading import Thread, current_thread, main_thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from svmlib.gram_matrix import GramMatrix
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Linear, Polynomial
from svmlib.problem import DualProblem
from svmlib.smo import smo
from tests.optimum import data


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5), Polynomial(2, 0.5, 1.0)], ids=repr)
@pytest.mark.parametrize("whole", [False, True])
def test_functions_of_alpha_are_their_formulas(kernel, whole):
    X, y = data(0, n=20)
    alpha = np.random.default_rng(1).uniform(-1, 3, 20).clip(0, 2)
    problem = DualProblem(X, y, 2.0, kernel)
    if whole:
        problem.gram_matrix.to_array()
    K, Z = kernel(X, X), data(2, n=7)[0]
    pairs = sum(alpha[i] * alpha[j] * y[i] * y[j] * K[i, j] for i, j in np.ndindex(20, 20))
    assert_allclose(problem.objective(alpha.tolist()), alpha.sum() - pairs / 2)
    assert_allclose(problem.gradient(alpha), 1 - y * (K @ (alpha * y)), atol=1e-12)
    f = kernel(Z, X) @ (alpha * y) + 0.5
    assert_allclose(problem.decision_function(alpha, 0.5, Z), f, atol=1e-12)
    free = (y - K @ (alpha * y))[(alpha > 0) & (alpha < 2)]
    assert 1 < len(free) < 20
    assert_allclose(problem.bias(alpha), free.mean(), atol=1e-12)


def test_a_problem_and_what_it_proves_stay_as_they_were():
    X, y, C = np.array([[0.0], [2.0], [3.0]]), np.array([-1.0, 1.0, 1.0]), np.array([1.0, 2.0, 2.0])
    problem = DualProblem(X, y, C)
    before = problem.certificate([0.5, 0.5, 0.0], -1.0)
    other = problem.with_bounds(C)
    X[:], y[:], C[:] = 7, -y, 1e-3
    for each in problem, other:
        assert each.certificate([0.5, 0.5, 0.0], -1.0) == before
    assert not DualProblem(problem.X, problem.y).with_bounds(problem.upper).hard_margin
    for one in problem, other, copy.deepcopy(other), pickle.loads(pickle.dumps(problem)):
        own = (
            one.X,
            one.y,
            one.gram_matrix.X,
            one.gram_matrix.diagonal,
            one.gram_matrix.to_array(),
        )
        for array in (*own, one.upper, one.beta_min, one.beta_max):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7


@pytest.mark.parametrize(("skew", "accepted"), [(0.0, True), (1e-14, True), (1e-6, False)])
def test_an_asymmetric_kernel_is_refused(skew, accepted):
    """A Cholesky factorisation reads one triangle only; what is rounding is averaged."""
    X, y = data(0, n=20)
    table = X @ X.T + np.eye(20) + skew * np.subtract.outer(np.arange(20), np.arange(20)) / 19
    lookup = lambda A, B: table[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]  # noqa: E731
    problem = DualProblem(np.arange(20.0)[:, None], y, 1.0, lookup)
    if accepted:
        assert problem.convex
        assert_array_equal(problem.gram_matrix.to_array(), problem.gram_matrix.to_array().T)
    else:
        with pytest.raises(ValueError, match="must be symmetric"):
            smo(problem)


@given(seed=st.integers(0, 10**6), d=st.sampled_from([1, 30, 1000]), degree=st.integers(1, 5))
def test_a_valid_kernel_is_never_called_indefinite(seed, d, degree):
    """Not for duplicated rows, nor because a thousand features round differently here and there."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, d))[rng.integers(0, 4, size=8)] * 10.0 ** rng.uniform(-3, 3)
    kernel = Polynomial(degree, 10.0 ** rng.uniform(-1, 2), float(rng.integers(0, 2)))
    assert DualProblem(X, np.repeat([1, -1], 4), 1.0, lambda A, B: kernel(A, B)).convex


@pytest.mark.parametrize("n", [35, 150, 2000])
def test_the_cache_that_an_error_asks_for_is_large_enough(n):
    X, y = data(0, n=n)
    with pytest.raises(ValueError, match="two rows") as told:
        DualProblem(X, y, cache_mb=1e-9)
    rows = float(re.search(r"takes? (\S+) MB", str(told.value))[1])
    assert 1 <= rows / (16 * n / 2**20) < 1.001
    with pytest.raises(ValueError, match="whole Gram matrix") as told:
        DualProblem(X, y, cache_mb=rows).gram_matrix.to_array()
    whole = float(re.search(r"takes? (\S+) MB", str(told.value))[1])
    assert 1 <= whole / (8 * n**2 / 2**20) < 1.001
    assert DualProblem(X, y, cache_mb=whole).gram_matrix.to_array().shape == (n, n)
    free = np.arange(5, n)
    with pytest.raises(ValueError, match=f"equations of {n - 5} free multipliers") as told:
        DualProblem(X, y, equations_mb=1e-9).gram_matrix.block(free)
    least = float(re.search(r"take (\S+) MB", str(told.value))[1])
    assert 1 <= least / (16 * (n - 5) ** 2 / 2**20) < 1.001  # and a copy
    one = DualProblem(X, y, cache_mb=rows, equations_mb=least)
    assert one.gram_matrix.block(free).shape == (n - 5, n - 5)


@pytest.mark.parametrize("kernel", [Linear(), np.inner], ids=["formula", "function"])
@pytest.mark.parametrize("n", [20, 1001])  # all rows at once, and one by one
def test_a_gram_matrix_has_n_rows_that_are_not_pickled(n, kernel):
    problem = DualProblem(*data(0, n=n), 1.0, kernel)
    empty, K = len(pickle.dumps(problem)), problem.gram_matrix
    for i in (-1, n, "a", 1.5, slice(1, 2), [1]):
        said = re.escape(f"row {i!r} of a Gram matrix of {n} points: i must be one row number")
        with pytest.raises(IndexError, match=said):
            K[i]
    assert len([*K]) == n
    with pytest.raises(ValueError, match="read-only"):
        K[0][0] = 7
    problem.gram_matrix.to_array()
    assert len(pickle.dumps(problem)) == empty


@pytest.mark.parametrize("share", [copy.copy, lambda one: one.with_bounds(one.upper)])
def test_a_certificate_holds_whatever_another_of_the_same_matrix_does_meanwhile(share):
    """The kernel calls it just where a thread could: while a sum is half done."""
    waiting, found = [], []

    def kernel(A, B):
        if waiting:
            check(other, waiting.pop())
        return RBF(0.5)(A, B)

    def check(one, alpha):
        found.append((one.certificate(alpha, 0.1), alpha))

    (X, y), random = data(0, n=40), np.random.default_rng(0)
    problem = DualProblem(X, y, 2.0, kernel, cache_mb=0.01)  # K has no room, so it is asked again
    other, alpha = share(problem), random.uniform(0, 2, 40)
    for k in range(40):
        alpha[k], meanwhile = random.uniform(0, 2), alpha.copy()  # a change of few: sums go on
        meanwhile[k - 1] = random.uniform(0, 2)
        waiting.append(meanwhile)
        check(problem, alpha.copy())
    assert len(found) > 50  # more than ten in the middle of another
    for certificate, alpha in found:
        alone = DualProblem(X, y, 2.0, RBF(0.5)).certificate(alpha, 0.1)
        assert_allclose(certificate.primal, alone.primal, rtol=1e-9)
        assert_allclose(certificate.dual, alone.dual, rtol=1e-9)


def test_no_two_threads_write_a_row_into_the_same_memory():
    X, ask = data(0, n=100)[0], []

    class Interrupted(GramMatrix):
        @property
        def _free_rows(self):
            now = vars(self)["_free_rows"]
            if ask and current_thread() is main_thread():
                thread = Thread(target=self.__getitem__, args=[ask.pop()])
                threads.append(thread)
                thread.start()
                thread.join(0.2)  # it ends, unless it has to wait for the other
            return now

        @_free_rows.setter
        def _free_rows(self, new):
            vars(self)["_free_rows"] = new

    K, threads = Interrupted(RBF(0.5), X, 0.1), []  # no room for all of K, so rows come one by one
    rows = [K[0]]
    ask += [7, 8, 9]
    rows.append(K[3])
    for thread in threads:
        thread.join()
    assert len(threads) == 3
    rows += [K[7], K[8], K[9]]
    assert_allclose(rows, RBF(0.5)(X[[0, 3, 7, 8, 9]], X), rtol=1e-12)


def test_the_smallest_multiplier_counts_for_the_kkt_conditions():
    for far, last, wrong in (50.0, 0.0, False), (50.0, 1e-9, True), (-50.0, 0.5 - 1e-9, True):
        problem = DualProblem([[0.0], [2.0], [far]], [-1, 1, 1], 0.5)
        violation = problem.certificate([0.5, 0.5, last], -1.0).kkt_violation
        assert violation > 40 if wrong else violation < 1e-12


def test_bias_without_free_multipliers_is_the_middle_of_its_interval():
    problem = DualProblem([[0.0], [1.0], [4.0], [6.0]], [-1, -1, 1, 1], 0.01)
    solution = interior_point(problem)
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


@given(seed=st.integers(0, 10**6), own=st.booleans())
def test_the_bias_of_what_is_far_from_optimal_is_the_cheapest(seed, own):
    """Where nobody is free and the ends cross: as at α = 0, with one class smaller."""
    X, y = data(seed, n=20)
    rng = np.random.default_rng(seed)
    problem = DualProblem(X, y, rng.uniform(0.5, 2, 20) if own else 1.0, RBF(0.5))
    alpha = np.where(rng.random(20) < 0.3, problem.upper, 0.0)
    low, high = problem.bias_interval(alpha)
    f = RBF(0.5)(X, X) @ (alpha * y)
    cost = lambda b: problem.upper @ np.clip(1 - y * (f + b), 0, None)  # noqa: E731
    if low > high:
        assert cost(problem.bias(alpha)) <= min(map(cost, y - f)) * (1 + 1e-12)


def test_the_cheapest_bias_where_one_class_weighs_next_to_nothing():
    """Then C_i over one class and over all are the same number, but for the order of the sum."""
    for seed in range(40):
        C = np.append(np.random.default_rng(seed).random(29), 1e-25)
        problem = DualProblem(data(seed)[0], np.where(C > 1e-20, 1, -1), C, RBF(0.5))
        assert problem.bias(np.zeros(30)) == 1
    assert DualProblem([[0.0], [1.0], [2.0]], [-1, 1, 1], np.inf).bias(np.zeros(3)) == 0
