"""The estimator: LIBSVM's answers, scikit-learn's rules, and the certificate of what it kept."""

import pickle
import tracemalloc
from contextlib import suppress
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from svmlib.hulls import NotSeparableError
from svmlib.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from svmlib.machines import Machine, certify_machine
from svmlib.problem import DualProblem, Solution
from svmlib.search import SVCCV
from svmlib.svc import SVC
from tests.optimum import assert_optimal, data

SOLVERS = ["newton", "smo", "interior_point"]


def verify(model, X, y, C, tol=1e-3):
    signs, coef = np.where(y == model.classes_[1], 1, -1), model.dual_coef_[0]
    assert_array_equal(np.sign(coef), signs[model.support_])
    assert_array_equal(np.sort(np.sign(coef)), np.sign(coef))
    assert_array_equal(X[model.support_], model.support_vectors_)
    assert_array_equal(model.n_support_, [(coef < 0).sum(), (coef > 0).sum()])
    alpha, C = np.zeros(len(y)), np.broadcast_to(C, len(y))
    alpha[model.support_] = np.abs(coef)
    assert (alpha <= C * (1 + 1e-12)).all()
    b, certificate = model.intercept_[0], model.certificate_
    fitted = Solution(np.minimum(alpha, C), b, certificate, 0, certificate.is_optimal(tol))
    assert_optimal(DualProblem(X, signs, C, model.kernel_), fitted, tol)
    f = model.kernel_(X, X) @ (alpha * signs) + b
    assert_allclose(model.decision_function(X), f, atol=1e-9 * (1 + np.abs(f).max()))


@pytest.mark.parametrize("model", [SVC(), SVCCV(Cs=(1.0,), gammas=("scale",), cv=2)])
def test_check_estimator_passes_with_nothing_skipped(model, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it scikit-learn would skip a check
    outcomes = [result["status"] for result in check_estimator(model, on_skip=None)]
    assert outcomes.count("passed") == len(outcomes) > 40, outcomes


def no_values(X, Z):
    raise RuntimeError("no values")


@pytest.mark.parametrize("model", [SVC(kernel="linear"), SVCCV((1.0,), kernel="linear", cv=2)])
@pytest.mark.parametrize("parameter", [("tol", -1), ("kernel", "rbf"), ("kernel", no_values), ()])
@pytest.mark.parametrize(("scale", "power"), [(1, 1), (np.nan, 1), (1, 2)])
def test_a_fit_leaves_nothing_of_the_one_before_even_if_it_fails(model, parameter, scale, power):
    """A mixture of two would be worse than none. A subclass may have attributes of its own."""
    X, y = data(0, n=40, shift=0.1)
    model, fresh = clone(model), clone(model).set_params(**dict([parameter] if parameter else []))
    fresh.own_ = model.own_ = 1
    model.fit(pd.DataFrame(X, columns=["length", "width"]), y).set_params(**fresh.get_params())
    for one in model, fresh:
        with suppress(ValueError, RuntimeError):
            one.fit(X * scale, y**power)
    assert vars(model).keys() == vars(fresh).keys()


@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    d=st.integers(1, 5),
    log_C=st.floats(-3, 2),
    kernel=st.sampled_from(["linear", "poly", "rbf"]),
    gamma=st.sampled_from(["scale", "auto", 0.3]),
    coef0=st.sampled_from([0.0, 1.0]),
    own=st.booleans(),
)
@settings(max_examples=15)
def test_random_problems_against_libsvm(solver, seed, n, d, log_C, kernel, gamma, coef0, own):
    X, y = data(seed, n=n, d=d)
    weights = 10 ** np.random.default_rng(seed).uniform(-1, 1, n) if own else np.ones(n)
    C, gamma = 10**log_C, "auto" if own else gamma  # "scale" is weighted, but not the peer's
    parameters = {"C": C, "kernel": kernel, "gamma": gamma, "coef0": coef0, "tol": 1e-5}
    model = SVC(**parameters, solver=solver).fit(X, y, weights)
    peer = svm.SVC(**parameters).fit(X, y, weights)
    verify(model, X, y, C * weights)
    if (np.abs(peer.dual_coef_) < (C * weights * (1 - 1e-4))[peer.support_]).any():  # b is unique
        theirs = peer.decision_function(X)
        off = 2e-3 * max(1, np.abs(theirs).max())
        assert_allclose(model.decision_function(X), theirs, atol=off)
        clear = np.abs(theirs) > off
        assert_array_equal(model.predict(X)[clear], peer.predict(X)[clear])


def test_attributes_are_those_of_the_peer():
    X, y = data(0)
    labels = np.where(y > 0, "yes", "no")
    model, peer = (
        s.fit(X, labels) for s in (SVC(kernel="linear"), svm.SVC(kernel="linear", tol=1e-9))
    )
    for name in ("classes_", "support_", "n_support_", "support_vectors_"):
        assert_array_equal(getattr(model, name), getattr(peer, name), strict=True)
    for name in ("dual_coef_", "coef_", "intercept_"):
        assert_allclose(getattr(model, name), getattr(peer, name), atol=1e-5, strict=True)
    assert_allclose(X @ model.coef_[0] + model.intercept_, model.decision_function(X))
    for one in model, pickle.loads(pickle.dumps(model)):
        assert one.certificate_ == model.certificate_
        for name in "coef_", "intercept_", "dual_coef_", "support_vectors_":
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 0  # would not be what was certified
        for name in "coef_", "intercept_":
            with pytest.raises(AttributeError, match=f"{name}' of 'SVC' object has no setter"):
                setattr(one, name, np.zeros(1))
    assert model.n_iter_.shape == peer.n_iter_.shape
    assert model.n_features_in_ == 2
    theirs, ours = svm.SVC().get_params(), SVC().get_params()
    own = {"solver": "auto", "memory_mb": 2000.0}
    assert {name: theirs[name] for name in ours if name not in own} | own == ours
    for model, message in (SVC(), "not fitted yet"), (SVC().fit(X, y), 'kernel="linear" only'):
        with pytest.raises(AttributeError, match=message):
            _ = model.coef_


@pytest.mark.parametrize("solver", ["smo", "interior_point"])
def test_the_origin_of_a_linear_machine_moves(solver):
    """Far out, k(x, x) + k(z, z) − 2 k(x, z) has hardly a digit, and both fail."""
    X, y = data(0)
    assert SVC(kernel="linear", solver=solver, tol=1e-5).fit(X + 1e7, y).n_iter_ < 30


def test_ties_go_to_the_second_class():
    model = SVC(kernel="linear").fit([[-1.0], [1.0]], ["a", "b"])
    assert model.decision_function([[0.0]]) == 0
    assert model.predict([[0.0]]) == ["b"]


def test_gamma_where_the_variance_may_be_rounding():
    for value in 7.3, 0.1, 1e5, -1e-7:
        assert SVC().fit(np.full((200, 3), value), np.arange(200) % 2).kernel_ == RBF(1.0)


def test_a_gram_matrix_is_not_copied_where_it_is_only_read():
    K, y = RBF(0.5)(*2 * [np.random.default_rng(0).normal(size=(600, 2))]), np.tile([-1, 1], 300)
    machine = Machine(np.arange(600.0)[:, None], 0.5 * y, 0.0, "precomputed", C=1.0)
    for judge in SVC(kernel="precomputed").fit, partial(certify_machine, machine, tol=0.1):
        tracemalloc.start()
        judge(K, y)
        assert tracemalloc.get_traced_memory()[1] < 4.5 * K.nbytes
        tracemalloc.stop()


def laplace(X, Z):
    Z[:] = Z  # a kernel of one's own may write
    return np.exp(-np.abs(X[:, None] - Z[None]).sum(axis=2))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Linear(), {"kernel": "linear"}),
        (RBF(0.7), {"kernel": "rbf", "gamma": 0.7}),
        (Polynomial(2, 0.5, 1.0), {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0}),
        (Sigmoid(0.1, -0.5), {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.5}),
        (laplace, {"kernel": laplace}),
    ],
)
def test_kernels_have_names_or_are_objects_and_functions(ours, theirs):
    X, y = data(3)
    model, named = clone(SVC(kernel=ours, tol=1e-6)).fit(X, y), SVC(**theirs, tol=1e-6).fit(X, y)
    assert model.kernel_ == named.kernel_ == ours
    assert_array_equal(model.decision_function(X), named.decision_function(X))
    peer = svm.SVC(**theirs, tol=1e-6).fit(X, y)
    assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-4)


def test_without_a_hard_margin_the_common_point_is_shown():
    X, y = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]]), np.array([1, 1, 0, 0])
    with pytest.raises(NotSeparableError, match=r"share the point \[1. 1.\]"):
        SVC(C=np.inf, kernel="linear").fit(X, y)
    apart = X + 3 * y[:, None]
    f = SVC(C=np.inf, kernel="linear").fit(apart, y).decision_function(apart)
    assert_allclose(np.where(y, f, -f).min(), 1)
    for kernel in "rbf", Polynomial(2, 1.0, 1.0):
        assert SVC(C=np.inf, kernel=kernel).fit(X, y).score(X, y) == 1
    many = np.linspace(-3, 3, 600)[:, None]  # with another C they would be few coordinates
    assert SVC(C=np.inf, gamma=1.0).fit(many, many[:, 0] > 0).certificate_.is_optimal(1e-3)
    X[0] = X[2]  # with two labels
    with pytest.warns(ConvergenceWarning, match="no hyperplane separates the classes"):
        assert SVC(C=np.inf).fit(X, y).certificate_.primal == np.inf


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {0: 0.5, 1: 20.0}, None], ids=str)
@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 60)], ids=["", "samples too"])
def test_class_weight_is_that_of_the_peer_and_multiplies_those_of_samples(class_weight, weights):
    X, y = data(3, n=60)
    y = (y > 0).astype(int)
    machine = {"class_weight": class_weight, "gamma": 0.5, "tol": 1e-8}
    ours, theirs = SVC(**machine).fit(X, y, weights), svm.SVC(**machine).fit(X, y, weights)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert_allclose(ours.class_weight_, theirs.class_weight_)
    verify(ours, X, y, ours.class_weight_[y] * (1 if weights is None else weights), 1e-6)


@pytest.mark.parametrize("weights", [None, np.tile([0.0, 1.0, 1.0], 20)], ids=["", "of zero"])
def test_precomputed_is_the_kernel_that_computed_it(weights):
    (X, y), Z = data(1, n=60), data(2, n=9)[0]
    K, L = RBF(0.5)(X, X), RBF(0.5)(Z, X)
    direct = SVC(kernel=RBF(0.5)).fit(X, y, weights)
    model = SVC(kernel="precomputed").fit(K, y, weights)
    assert_allclose(model.decision_function(L), direct.decision_function(Z), atol=1e-9)
    assert_array_equal(direct.support_vectors_, X[model.support_])
    assert model.certificate_.user_defined_kernel
    assert model.certificate_.relative_gap < 1e-8
    assert len(pickle.dumps(model)) < K.nbytes  # which predictions never ask for


def test_a_given_matrix_is_cut_by_a_grid_search_and_by_row_numbers():
    X, y = data(1, n=60)
    K, grid = RBF(0.5)(X, X), {"C": [0.1, 1.0, 10.0]}
    search = GridSearchCV(SVC(kernel="precomputed"), grid, cv=3).fit(K, y)
    direct = GridSearchCV(SVC(kernel=RBF(0.5)), grid, cv=3).fit(X, y)
    assert_allclose(search.cv_results_["mean_test_score"], direct.cv_results_["mean_test_score"])
    rows = np.arange(60)[::-1, None]
    some = rows[5:50, 0]
    model = SVC(kernel=Precomputed(K)).fit(rows[5:50], y[some])
    same = SVC(kernel=RBF(0.5)).fit(X[some], y[some])
    assert_allclose(model.decision_function(rows), same.decision_function(X[::-1]), atol=1e-9)


@pytest.mark.parametrize("convert", [np.asfortranarray, np.float32, np.ndarray.tolist, np.int8])
def test_the_form_of_the_arrays_does_not_matter(convert):
    X, y = np.random.default_rng(0).integers(-9, 9, (40, 3)).astype(float), [1, -1] * 20
    plain, other = SVC().fit(X, y), SVC().fit(convert(X), np.array(y, dtype=float))
    assert other.certificate_ == plain.certificate_
    assert_array_equal(other.dual_coef_, plain.dual_coef_)


def rows_and_ends():
    """Yield machines, samples, which solver ends the work, in how many steps, and how well."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 20))  # noise is learnt by heart, sample by sample
    y = np.sign(X[:, 0] + rng.normal(size=1200))
    # the first steps of SMO tell who is free
    for C, solver in product((10.0, 1e4), ("auto", "newton")):
        yield SVC(C=C, gamma=0.05, solver=solver), X, y, "newton", 101, 1199, 1e-5
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 5))
    y = np.sign(1 + rng.normal(size=1200) / 3 - np.abs(X[:, 0]) - np.abs(X[:, 1]) / 2)
    # few are support vectors and many of these at their bounds; all steps are within the limit
    yield SVC(100, gamma=0.2), X, y, "newton", 1201, 9999, 1e-3
    yield SVC(100, gamma=0.2, max_iter=900), X, y, None, 900, 900, np.inf
    yield SVC(1e4, "linear", solver="newton", max_iter=1), *data(0, n=20), "newton", 1, 1, np.inf
    yield SVC(gamma=0.05, C=0.1), *data(0, n=800, d=10, shift=0.5), "smo", 1, 499, 1e-3
    # few are support vectors, so SMO may take three times as many steps
    yield SVC(gamma=0.2), *data(0, n=1200, d=10, shift=1.0), None, 1, 1199, 1e-3
    # γ x·z + c₀ with c₀ < 0 is not semidefinite, so SMO is used, up to a limit
    K = {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": -1e-3}
    yield SVC(1e6, **K), *data(0), "smo", 100_000, 100_000, np.inf
    # C k(x, x) is about 1e13: what is left of a margin is rounding, and Newton's method stalls
    X, y = 1e4 * np.random.default_rng(0).normal(size=(100, 20)), np.repeat([-1, 1], 50)
    stalled = SVC(1e4, "linear", solver="newton").fit(X, y)
    assert stalled.certificate_.relative_gap > 0.1
    yield SVC(1e4, "linear"), X, y, "interior_point", stalled.n_iter_[0] + 1, np.inf, 0.05


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_problem_is_ended_by_the_solver_that_suits_it():
    for model, X, y, solver, least, most, gap in rows_and_ends():
        model.fit(X, y)
        assert solver in (model.solver_, None)
        assert least <= model.n_iter_ <= most
        assert model.certificate_.relative_gap <= gap


@pytest.mark.parametrize(
    ("C", "gamma", "most"),
    [  # Newton begins after 400 of SMO; where C is small, SMO has looked at the gap before
        *[(1e4, 2.0, most) for most in (1, 399, 400, 404)],
        *[(1.0, 0.5, most) for most in (260, 400)],
    ],
)
def test_all_steps_together_are_no_more_than_max_iter(C, gamma, most):
    X, y = data(0, n=600)
    with pytest.warns(ConvergenceWarning, match=f"stopped after {most} iterations"):
        assert SVC(C=C, gamma=gamma, max_iter=most).fit(X, y).n_iter_ == most
