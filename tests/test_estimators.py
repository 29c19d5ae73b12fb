"""Estimators are judged for the problem that they solve, with the weights as they mean them."""

import re
from copy import copy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.model_selection import TunedThresholdClassifierCV as TunedThreshold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM

import svmlib
from svmlib.machines import certify_machine
from svmlib.model_files import read_libsvm, write_libsvm, write_onnx
from tests.machines import (
    BLURRED,
    CURVED,
    FLAT,
    GRAM,
    IRIS,
    WEIGHT,
    X,
    Y,
    check_advice,
    gaussian,
    like,
)

OURS = [
    (SVC(gamma=0.5, tol=1e-6), 1e-6),
    (SVC(kernel="linear", C=10, tol=1e-8), 1e-6),
    (SVC(kernel="poly", degree=2, coef0=1.0, class_weight="balanced", tol=1e-6), 1e-6),
    (SVC(class_weight={1: 3.0}, tol=1e-6), 1e-6),
    (NuSVC(nu=0.4, tol=1e-7), 1e-6),
    (LinearSVC(C=0.1), 1e-8),
    (LinearSVC(C=10.0, intercept_scaling=5.0, tol=1e-10), 1e-8),
    (LinearSVC(C=10.0, fit_intercept=False, class_weight="balanced", tol=1e-10), 1e-8),
    (LinearSVC(loss="hinge", max_iter=10**6, tol=1e-9, random_state=0), 1e-7),
    (SGDClassifier(alpha=0.1, max_iter=300, tol=None, random_state=0), 1e-3),
    (svmlib.SVC(tol=1e-9), 1e-9),
    (svmlib.SVC(kernel="linear", class_weight="balanced", tol=1e-9), 1e-9),
]


@pytest.mark.parametrize(("model", "excess"), OURS, ids=lambda v: str(v))
def test_machines_that_converged_are_optimal_for_the_problem_that_is_named(model, excess):
    verdict = certify_machine(model.fit(X, Y), X, Y)
    assert verdict.excess <= excess
    assert verdict.is_optimal(excess)
    assert verdict.n_changed == 0 or isinstance(model, SGDClassifier)


def test_a_class_with_the_attributes_alone_is_judged_for_what_it_is_said_to_solve(tmp_path):
    fitted = LinearSVC(C=0.3, tol=1e-10).fit(X, Y)
    names = "coef_", "intercept_", "classes_", "dual_coef_"
    fitted.dual_coef_ = np.zeros((1, len(Y)))
    bare = SimpleNamespace(**{name: getattr(fitted, name) for name in names}, class_weight_=())
    verdict = certify_machine(bare, X, Y, C=0.3, loss="squared_hinge", bias="penalised")
    assert verdict.excess < 1e-8
    with pytest.raises(ValueError, match="loss must be given"):
        certify_machine(bare, X, Y, C=0.3)
    del bare.dual_coef_
    bare.decision_function = fitted.decision_function
    cut = copy(bare)
    cut.decision_function = lambda rows: np.maximum(fitted.decision_function(rows), 0)
    bare.intercept_ = -fitted.intercept_  # as ThunderSVM shows LIBSVM's ρ, which is −b
    for other in cut, bare:  # one agrees on some rows, one on none
        for judge in certify_machine, lambda m, *_: write_libsvm(m, tmp_path / "model"):
            with pytest.raises(ValueError, match="machine predicts with other numbers"):
                judge(other, X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_may_differ_by_the_rounding_of_what_cancels():
    """Within the kernel, or in a sum beside a bias of 0 and values of the kernel that are 0."""
    mirrored, y = np.vstack([X + 100, -X - 100]), np.append(Y, -Y)
    assert certify_machine(SVC(kernel=gaussian).fit(mirrored, y), mirrored, y).excess < 1e-3
    far = 1e6 + X
    model = SVC(kernel="poly", degree=1, gamma=1.0, coef0=-2e12, max_iter=1000).fit(far, Y)
    assert certify_machine(model, far, Y).lower == -np.inf, "judged, though nothing is proved"


def test_weights_of_zero_and_balanced_ones_are_understood_as_each_estimator_means_them():
    """A row of weight 0 is no row; LinearSVC balances weights, the others balance rows."""
    weights = np.random.default_rng(0).uniform(0.1, 2, len(Y)) ** 3
    weights[:5] = 0
    for model in (
        SVC(class_weight="balanced", tol=1e-7),
        LinearSVC(class_weight="balanced", tol=1e-10),
        LinearSVC(class_weight={1.0: 3.0}, tol=1e-10),
        LinearSVC(tol=1e-10),
        NuSVC(nu=0.3, tol=1e-7),
    ):
        w = np.where(weights, weights, 1.0) if isinstance(model, NuSVC) else weights
        verdict = certify_machine(model.fit(X, Y, w), X, Y, sample_weight=w)
        assert verdict.excess < 1e-6, model
        assert verdict.n == np.sum(w > 0)
        assert certify_machine(model, X, Y).excess > 1e-3, "they are weights of C"
    model = SGDClassifier(class_weight="balanced").fit(X, Y, sample_weight=weights)
    factors = certify_machine(model, X, Y, sample_weight=weights).machine.class_weight
    assert_allclose(factors, 100 / np.bincount(Y > 0))
    model = SVC(class_weight={1.0: 3.0}, tol=1e-7).fit(X, Y).set_params(class_weight=None)
    assert certify_machine(model, X, Y).excess < 1e-6, "the weights that it was fitted with"


def test_two_of_several_classes_are_the_pair_whose_rows_are_given(tmp_path):
    A, y, model = csr_matrix(IRIS[0]), IRIS[1], SVC(gamma=0.1, C=5, tol=1e-7)
    model.set_params(class_weight={0: 1, 1: 2, 2: 3}, decision_function_shape="ovo").fit(A, y)
    nu = NuSVC(nu=0.1, gamma=0.1, tol=1e-7).fit(A, y)
    for k, one in enumerate((model, nu)):
        write_libsvm(one, tmp_path / f"{k}")
    found, of_nu = (read_libsvm(tmp_path / f"{k}") for k in (0, 1))
    scores = found.decision_function(IRIS[0])
    assert_allclose(scores, model.decision_function(IRIS[0]), atol=1e-12)
    for column, pair in enumerate([(0, 1), (2, 0), (1, 2)]):
        keep = np.isin(y, pair)
        factors = {"C": 5.0, "sample_weight": np.array([1.0, 2.0, 3.0])[y[keep]]}
        for one, given in (model, {}), (nu, {}), (of_nu, {}), (found, factors):
            verdict = certify_machine(one, A[keep], y[keep], **given)
            assert verdict.excess < 1e-5
            assert verdict.dual > verdict.upper * (1 - 1e-5)
            assert verdict.machine.classes == tuple(sorted(pair))
        with pytest.raises(ValueError, match="C must be given"):  # times which weight?
            certify_machine(of_nu, A[keep], y[keep], sample_weight=np.ones(keep.sum()))
        f = found.pair(pair).decision_function(IRIS[0])
        assert_allclose(f, -scores[:, column], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_pair_of_nu_has_the_c_that_gives_the_same_machine(seed):
    """With weights, of two classes or of three, in whatever order: LIBSVM solves it with this C."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(IRIS[1]))
    A, y, weights = IRIS[0], IRIS[1], rng.uniform(0.2, 5, len(IRIS[1]))
    weights[rng.choice(len(y), 9, replace=False)] = 0
    pair = np.isin(y, rng.choice(3, 2, replace=False))
    for used in np.ones(len(y), dtype=bool), pair:
        weights = np.where(weights, weights, 1.0) if used is pair else weights
        model = NuSVC(nu=0.1, gamma=0.1, tol=1e-8).fit(A[used], y[used], weights[used])
        keep = order[pair[order]]
        verdict = certify_machine(model, A[keep], y[keep], sample_weight=weights[keep])
        assert verdict.excess < 1e-5
        assert verdict.box_violation < 1e-9 * verdict.machine.C
        again = SVC(C=verdict.machine.C, gamma=0.1, tol=1e-8).fit(A[keep], y[keep], weights[keep])
        assert_allclose(again.decision_function(A), verdict.machine.decision_function(A), atol=1e-4)


@pytest.mark.parametrize(
    ("model", "bound", "given"),
    [
        (LinearSVC(tol=1e-8), 1e-6, {"loss": "squared_hinge", "bias": "penalised"}),
        (SGDClassifier(alpha=1 / 150, max_iter=1000, tol=None, random_state=0), 0.02, {}),
    ],
    ids=lambda v: type(v).__name__,
)
def test_only_one_class_is_weighted_in_its_problem_by_scikit_learn(model, bound, given):
    model.set_params(class_weight=dict(enumerate(WEIGHT))).fit(BLURRED, IRIS[1])
    with pytest.raises(ValueError, match="one vector for each of several classes") as told:
        certify_machine(model, BLURRED, IRIS[1])
    pair = re.search(r"give (\(.*?\)) and y == ", str(told.value))[1]
    check_advice(str(told.value), pair, vars(model), bound, **given)


def test_a_threshold_and_early_stopping_are_named_and_not_judged():
    fixed = FixedThresholdClassifier(SVC(tol=1e-7), threshold=1.2345678e-05).fit(X, Y)
    tuned = TunedThreshold(SVC(tol=1e-7), cv=2).fit(X, Y)
    assert certify_machine(fixed.estimator_, X, Y).estimator_note == ""
    for wrapper, threshold in (fixed, 1.2345678e-05), (tuned, tuned.best_threshold_):
        verdict = certify_machine(Pipeline([("scale", None), ("answer", wrapper)]), X, Y)
        assert verdict.excess < 1e-6
        assert f"threshold {threshold:.8g} of {type(wrapper).__name__}" in str(verdict)
    model = SGDClassifier(early_stopping=True, random_state=0).fit(X, Y)
    assert "it was not trained on 10% of the rows" in certify_machine(model, X, Y).estimator_note


@pytest.mark.parametrize("model", [SVC(max_iter=1), LinearSVC(dual=True, max_iter=1, tol=1e-9)])
def test_a_machine_that_ended_at_its_limit_is_named(model):
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    assert "it ended after 1 iterations" in str(certify_machine(model, X, Y))
    model.set_params(max_iter=100_000).fit(X, Y)
    assert certify_machine(model, X, Y).estimator_note == ""


def test_one_pair_at_its_limit_is_enough_and_a_count_may_be_unknown():
    with pytest.warns(ConvergenceWarning):
        several = SVC(max_iter=30).fit(*IRIS)
    assert several.n_iter_.min() < 30 == several.n_iter_.max()
    keep = IRIS[1] > 0
    verdict = certify_machine(several, IRIS[0][keep], IRIS[1][keep])
    assert "it ended after 30" in verdict.estimator_note
    for limit in (None, 1):  # its n_iter_ is None, too
        ridge = RidgeClassifier(max_iter=limit).fit(X, Y)
        verdict = certify_machine(ridge, X, Y, C=1.0, loss="hinge", bias="free")
        assert verdict.estimator_note == ""


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: GridSearchCV(m, {"C": [1.0]})])
@pytest.mark.parametrize("model", [SVC(), svmlib.SVC(), LinearSVC()])
def test_columns_in_another_order_are_refused(model, wrap):
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = wrap(model).fit(frame, Y)
    expected = certify_machine(model, X, Y).primal
    # (A frame has its columns one after the other in memory, so sums are rounded in another order.)
    assert certify_machine(model, frame, Y).primal == pytest.approx(expected, rel=1e-14)
    for other in frame[["width", "length"]], frame.rename(columns={"width": "depth"}):
        with pytest.raises(ValueError, match="X must have the columns of fit, in their order"):
            certify_machine(model, other, Y)


TEXT = np.where(Y > 0, "yes", "no").astype(object)


@pytest.mark.parametrize(
    "model",
    [
        SVC(tol=1e-7),
        NuSVC(tol=1e-7),
        LinearSVC(tol=1e-10),
        svmlib.SVC(tol=1e-8),
        make_pipeline(StandardScaler(), SVC(tol=1e-7)),
        make_pipeline("passthrough", StandardScaler(), SVC(tol=1e-7)),
        GridSearchCV(SVC(tol=1e-7), {"C": [0.5, 2.0]}),
        FixedThresholdClassifier(SVC(tol=1e-7), pos_label="yes"),
        RFE(LinearSVC(tol=1e-10), n_features_to_select=1),
        SelectFromModel(LinearSVC(tol=1e-10), max_features=1),  # it has seen all columns
        FrozenEstimator(SVC(tol=1e-7).fit(X, TEXT)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_wrappers_are_opened_rows_may_be_sparse_and_labels_text(model):
    model.fit(X, TEXT)
    A = X if isinstance(model, Pipeline) else csr_matrix(X)
    for labels in TEXT, pd.Series(TEXT), pd.Series(TEXT).astype("category"):
        verdict = certify_machine(model, A, labels)
        assert verdict.machine.classes == ("no", "yes")
        assert verdict.excess < 1e-5
    if isinstance(model, GridSearchCV):
        assert model.best_params_["C"] == verdict.machine.C


CHANGES = [
    (SVC().fit(X, Y.astype(int)), "intercept_"),
    (SVC(kernel="linear").fit(X + 1e4, Y.astype(int)), "dual_coef_"),
    (SVC(kernel="precomputed").fit(GRAM, Y.astype(int)), "intercept_"),
    (SVC(gamma=0.1).fit(*IRIS), "intercept_"),
    (SVC(gamma=0.1).fit(*IRIS), "dual_coef_"),
    (SVR(gamma=0.3).fit(X, X[:, 0]), "intercept_"),
    (OneClassSVM(nu=0.2).fit(X), "dual_coef_"),
]


@pytest.mark.parametrize(("model", "name"), CHANGES, ids=str)
def test_an_estimator_that_predicts_with_other_numbers_is_refused(model, name, tmp_path):
    A, y = {4: IRIS, 200: (GRAM, Y)}.get(model.n_features_in_, (X, Y))
    keep, other = y != 0, copy(model)  # two classes of the irises
    ways = [lambda: write_libsvm(other, tmp_path / "file")]
    ways[0]()
    (tmp_path / "file").unlink()
    setattr(other, name, getattr(other, name) * 1.1)
    if hasattr(model, "classes_"):
        ways.append(lambda: certify_machine(other, A[keep], y[keep]))
    if model.n_features_in_ == 2 and hasattr(model, "classes_"):
        pytest.importorskip("onnx")
        ways.append(lambda: write_onnx(other, tmp_path / "file"))
    for way in ways:
        with pytest.raises(ValueError, match="machine predicts with other numbers"):
            way()
    assert not (tmp_path / "file").exists()


def test_what_another_library_leaves_out_is_not_needed(tmp_path):
    model = SVC(tol=1e-7).fit(X, Y)
    near = like(model, decision_function=model.decision_function)
    assert certify_machine(near, X, Y).excess < 1e-6, "γ is that of the rows"
    model = SVC(kernel="linear").fit(X, Y.astype(int))
    near = like(model, decision_function=model.decision_function)
    write_libsvm(near, tmp_path / "model")  # without a γ
    assert certify_machine(like(FLAT, multi_class=None), X, Y).excess < 1e-3


def test_the_rounding_of_a_large_bias_is_no_other_machine():
    """Scores in single precision are off by that of b, which is more than all of w·x."""
    b = np.full(1, 0.3, np.float32)
    near = {"decision_function": lambda A: np.full(len(A), np.nextafter(b, 1, dtype=b.dtype))}
    for model, name in (FLAT, "coef_"), (CURVED, "dual_coef_"):
        small = (1e-9 * getattr(model, name)).astype(np.float32)
        machine = like(model, intercept_=b, **near, **{name: small})
        assert certify_machine(machine, X, Y).machine.b == b[0]
