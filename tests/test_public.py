"""The machine that predicts is the one that was certified: judged from what a user reads."""

import copy
import pickle
import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from svmlib import SVC
from svmlib._solvers import certified_solution
from svmlib.hull_smo import hull_smo
from svmlib.hulls import closest_points, convex_hull, separating_caps, separation
from svmlib.kernels import RBF, Precomputed, Sigmoid
from svmlib.machines import Machine
from svmlib.newton import newton
from svmlib.nystrom import PivotSpan, nystrom
from svmlib.problem import DualProblem
from tests import hostile
from tests.judge import Judge, exact
from tests.optimum import data

U = 2.0**-53


def table(seed):
    """X, signs, C, kernel and weights of samples: a huge column, columns that cancel, any dtype."""
    rng = np.random.default_rng([seed, 2])
    limits = {"scales": (-100, 100), "prices": (-100, 90), "widths": (-100, 100)}
    limits = limits if rng.random() < 0.3 else {}
    X, y, C, kernel = hostile.machine(seed, most_points=int(rng.choice([6, 20])), **limits)
    n, d = X.shape
    trap = rng.choice(["huge", "cancelling", "far", "float32", "int64", "bool", "none"])
    match trap:
        case "huge":
            X[:, rng.integers(d)] *= 10.0 ** rng.uniform(3, 12)
        case "cancelling":
            X = np.column_stack([X, -X[:, 0] * (1 + 1e-12 * rng.normal(size=n))])
        case "far":
            X = X + np.abs(X).max() * 10.0 ** rng.uniform(0, 12) * rng.standard_normal(d)
        case "float32":
            X = X.clip(-1e38, 1e38).astype(np.float32)
        case "int64":
            X = np.round(X / (np.abs(X).max() or 1) * 10.0 ** rng.uniform(0, 8)).astype(np.int64)
        case "bool":
            X = np.median(X) < X
    if rng.random() < 0.1:
        kernel = Sigmoid(float(10.0 ** rng.uniform(-3, 1)), float(rng.normal()))
    return X, y, float(np.max(C)), kernel, C / np.max(C) if np.ndim(C) else np.ones(n)


@given(
    seed=st.integers(0, 2**32 - 1),
    solver=st.sampled_from(["auto", "newton", "smo", "interior_point"]),
    given_as=st.sampled_from(["points", "points", "matrix", "matrix in float32"]),
)
@settings(max_examples=60)
def test_what_is_served_is_what_was_certified(seed, solver, given_as):
    X, y, C, kernel, weights = table(seed)
    points = np.asarray(X, dtype=float)
    most = 2000 if solver == "smo" else -1
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            if given_as != "points":
                X = DualProblem(points, y, 1.0, kernel).gram_matrix.to_array()
                X = X.astype(np.float32) if "float32" in given_as else X
                X = X + np.triu(np.spacing(X), 1)  # by as much as rounding may make of it
                kernel = "precomputed"
            model = SVC(C, kernel, solver=solver, max_iter=most).fit(X, y, weights)
        except ValueError:  # beyond floats, or no hyperplane
            return
    model, proof = pickle.loads(pickle.dumps(model)), model.certificate_
    beta, (b,) = np.zeros(len(y)), model.intercept_
    beta[model.support_] = model.dual_coef_[0]
    if given_as != "points":
        kernel = Precomputed(X)
        points = kernel.points
    problem = DualProblem(points, y, C if np.isinf(C) else C * weights, kernel)
    judge, d = Judge(problem), points.shape[1]
    if hasattr(model, "coef_"):
        w = model.coef_[0]
        half = mp.fdot(exact(w), exact(w)) / 2
        f = [mp.fdot(exact(w), exact(x)) + mp.mpf(b) for x in points]
        assert judge.value(half, [s * v for s, v in zip(y, f, strict=True)]) <= proof.primal
        assert mp.sqrt(2 * half) <= proof.norm_w
        rounding = (d + 8) * (np.abs(points) @ np.abs(w))
    else:
        half = judge.norm(np.abs(beta)) ** 2 / 2
        if proof.weak_duality_holds and given_as == "points":
            assert judge.primal(np.abs(beta), b) <= proof.primal
        theta, sizes = problem.gram_matrix.error_bound.theta, problem.gram_matrix.error_bound.norms
        with np.errstate(over="ignore", invalid="ignore"):  # then nothing is proved
            rounding = (theta / U + len(y) + 8) * (np.abs(beta) @ sizes) * sizes
    if proof.weak_duality_holds and proof.primal < np.inf:  # up to what one evaluation rounds
        margins = y * model.decision_function(X) + 4 * U * (rounding + np.abs(b))
        assert judge.value(half, exact(margins)) <= mp.mpf(proof.primal) * (1 + mp.mpf(2) ** -48)


def test_scores_beyond_floats_end_with_a_warning(monkeypatch):
    """There the violation is NaN, and neither larger nor smaller than a target."""
    K = np.full((4, 4), 1e300) + np.triu(np.spacing(np.full((4, 4), 1e300)), 1)
    weights, few = [1e-40, 1e-88, 1.0, 1e-91], iter(range(20))
    counted = lambda *p, **named: next(few) < 20 and certified_solution(*p, **named)  # noqa: E731
    monkeypatch.setattr("svmlib.smo.certified_solution", counted)
    with pytest.warns(ConvergenceWarning), np.errstate(invalid="ignore"):
        SVC(1e85, "precomputed", solver="smo").fit(K, [1, -1, -1, 1], weights)


def test_large_terms_that_cancel_leave_a_coef_with_all_its_digits():
    X = 1e4 * np.array([[-558.0], [-863], [550], [-992], [-620], [-545], [-302], [-432]])
    y = [1, 0, 1, 1, 1, 1, 1, 0]
    model = SVC(kernel="linear", C=10, tol=0.05).fit(X, y)
    true = mp.fdot(exact(model.dual_coef_[0]), exact(model.support_vectors_[:, 0]))
    assert_allclose(model.coef_[0, 0], float(true), rtol=1e-15)
    assert_array_equal(model.decision_function(X), X @ model.coef_[0] + model.intercept_)
    problem = DualProblem(X, np.where(y, 1, -1), 10.0)
    alpha, b, w = (solution := newton(problem, tol=0.05)).alpha, solution.b, solution.w
    assert_array_equal(problem.decision_function(alpha, b, X), X @ w + b)
    assert_allclose(w, model.coef_[0], rtol=1e-15)


def test_closest_points_have_a_plane_between_them_far_from_the_origin():
    """w·(p + q) of large numbers that cancel: b is summed with twice the digits."""
    X = np.array([[1e8, -1e8], [1e8 + 1, -1e8 + 1e-7]])
    closest = closest_points(X, [-1, 1])
    f = [mp.fdot(exact(closest.w), exact(x)) + mp.mpf(closest.b) for x in X]
    assert abs(f[0] + f[1]) < 1e-7 * (f[1] - f[0])


def test_arrays_of_results_are_read_only_and_those_of_the_caller_are_not():
    X, y, alpha = np.array([[0.0], [2.0], [3.0]]), np.array([-1, 1, 1]), np.array([0.5, 0.5, 0])
    linear, wide = DualProblem(X, y), DualProblem(*data(0, n=60), 1.0, RBF(0.01))
    results = [certified_solution(linear, alpha, tol=1e-3), nystrom(wide), convex_hull(X)]
    results += [
        wide.gram_matrix.error_bound,
        PivotSpan.of_sample(wide.kernel, wide.X, 1e-3),
        Machine(X, alpha, 0.0),
    ]
    results += [f(X, y) for f in (closest_points, separation)]
    results += [hull_smo(X, y, trace=True).trace[-1]]
    results += [f(X, [-1, 1, -1]) for f in (separation, separating_caps)]
    before = copy.deepcopy(results)
    alpha[0] = X[0] = 0.25
    for result, old in zip(results, before, strict=True):
        for one in result, pickle.loads(pickle.dumps(result)), copy.deepcopy(result):
            arrays = {k: value for k, value in vars(one).items() if isinstance(value, np.ndarray)}
            assert arrays
            for name, array in arrays.items():
                assert (array == vars(old)[name]).all()
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 0


def test_factors_go_by_label_and_only_to_classes():
    X = [[0.0], [1.0]]
    for factors, y, found in [
        ({"1": 1, "2": 5}, ["1", "2"], [1, 5]),
        ({1: 2}, [0, 1], [1, 2]),
        ({np.int64(1): 2.0, 0: np.float32(3)}, [0, 1], [3, 2]),
        ({True: 4}, [False, True], [1, 4]),
        ({-1.0: 4}, [-1, 2], [4, 1]),
    ]:
        assert_array_equal(SVC(class_weight=factors).fit(X, y).class_weight_, found)


@pytest.mark.parametrize(("short", "tol"), [(np.float32, 1e-3), (np.float16, 0.4)])
def test_a_gram_matrix_of_shorter_floats_is_taken_and_proved(short, tol):
    X, y = data(0, n=200, d=5)
    K = RBF(0.1)(X, X).astype(short)
    K = np.where(np.triu(np.ones(K.shape), 1), np.nextafter(K, short(2)), K)
    model = SVC(kernel="precomputed", tol=tol).fit(K, y)
    assert model.certificate_.is_optimal(tol)
    assert model.certificate_.user_defined_kernel
    own = SVC(kernel=lambda A, B: RBF(0.1)(A, B).astype(short), tol=tol).fit(X, y)
    assert own.certificate_.is_optimal(tol)
    for skewed in K.astype(float) + 1e-8 * np.triu(np.ones(K.shape), 1), K + np.eye(200, k=199):
        with pytest.raises(ValueError, match="X must be symmetric"):
            SVC(kernel="precomputed").fit(skewed, y)
