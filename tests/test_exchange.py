"""Machines of other programs: verdicts are true, files keep every digit, bad ones say why."""

import re
import shutil
import subprocess
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import dump_svmlight_file, load_digits, load_iris, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier, SGDOneClassSVM
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.model_selection import TunedThresholdClassifierCV as TunedThreshold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

import svmlib
from svmlib.book import elsewhere
from svmlib.certificate import Scores
from svmlib.duality import DualProblem
from svmlib.exchange import Machine, certify_machine
from svmlib.kernels import RBF, Linear, Polynomial, Sigmoid
from svmlib.model_files import LibsvmModel, read_liblinear, read_libsvm, write_libsvm, write_onnx
from tests.exact import exact as fractions
from tests.judge import exact, value

X, Y = elsewhere.load("noisy")
HERE = elsewhere.FOLDER
IRIS = load_iris(return_X_y=True)
GRAM = RBF(0.5)(X, X)
BIASES, LOSSES = ("free", "penalised", "none"), ("hinge", "squared_hinge")
W, SQUARED = Machine(np.ones((1, 2)), np.ones(1), 0.0), {"C": 1.0, "loss": "squared_hinge"}
EDGE = 2**53 + 4
THREE = np.where(np.arange(len(Y)) % 3, Y, 5)  # labels of as many classes
BLOCK, PAIR = np.eye(900), 1.0 - 2 * (np.arange(900) % 2)  # more samples than X has, of two classes


def signed(model):
    beta = np.zeros(model.shape_fit_[0])
    beta[model.support_] = model.dual_coef_[0]
    return beta


def gaussian(A, B):
    """Return what RBF(0.5) does, as a function that is known by nothing but its values."""
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=-1))


# The verdict


@pytest.mark.parametrize(
    "answer", elsewhere.answers(), ids=lambda a: f"{a.program}, {a.data}, {a.machine.C:.3g}"
)
def test_every_stored_answer_gets_a_verdict(answer):
    """No answer is better than the optimum, which is known to eight digits, and none is its own."""
    A, y = elsewhere.load(answer.data)
    verdict = certify_machine(answer.machine, A, y)
    assert verdict.lower <= verdict.upper <= verdict.primal
    assert verdict.upper - verdict.lower <= 2e-8 * verdict.upper
    assert verdict.excess < (1 if answer.data == "noisy" else 1e5)
    given = {"noisy": {1, 0.01}, "penguins": {1000}}
    assert answer.machine.C in given[answer.data]
    if verdict.dual is not None:
        assert verdict.box_violation <= 1e-12
        single = answer.program.startswith("ThunderSVM")  # which rounds each multiplier
        assert verdict.balance_violation <= (y.size * 2.0**-25 if single else 1e-12)
        assert verdict.dual <= verdict.upper
    assert not answer.warned or verdict.excess > 1, "it warned for a reason"
    assert answer.warned is not None or answer.program.startswith(("R, ", "Spark"))
    assert answer.version[0].isdigit()
    assert answer.source.startswith(("PyPI", "npm", "Debian"))
    assert (HERE.parents[2] / answer.script).exists()


@pytest.mark.parametrize(
    ("C", "loss", "bias", "weights", "best"),
    [  # of all b, with w = 0 and slack of 1 + b once and of 1 − b with the other weights
        # b²/2 + 10 (1 + b)² + 30 (1 − b)²
        (10.0, "squared_hinge", "penalised", [1, 1, 2], 40 / 81),
        (10.0, "squared_hinge", "free", [1, 1, 2], 1 / 2),
        (0.3, "hinge", "penalised", [1, 1, 2], 0.6),  # b²/2 + 0.3 ((1 + b) + 3 (1 − b))
        (1.0, "hinge", "free", [1, 0.5, 0.5], 0),  # the middle, as all b from −1 to 1 cost 2
        (1.0, "hinge", "none", [1, 1, 1], 0),  # our own score of the first row is 0, too
    ],
)
def test_the_best_bias_is_that_of_the_problem(C, loss, bias, weights, best):
    A, given = [[0.0], [2.0], [2.0]], {"C": C, "loss": loss, "bias": bias, "sample_weight": weights}
    verdict = certify_machine(([0.0], 0.0), A, [-1, 1, 1], **given)
    assert_allclose(verdict.best_bias.b, best, atol=1e-6)
    assert verdict.n_changed == np.sum(verdict.ours.predict(A) < 0), "0 is for the second class"


def in_digits(m, A, y, C, t=1):
    """Return primal value (of t w and b), dual value and KKT violation, by the formulas."""
    points, b, power = [exact(z) for z in m.points], mp.mpf(m.b), 1 + (m.loss != "hinge")
    beta, C = [mp.mpf(t) * c for c in exact(m.coefficients)], exact(C)
    own, sums = (
        [mp.fdot([value(m.kernel, exact(x), z) for z in points], beta) for x in rows]
        for rows in (m.points, A)
    )
    margins = [int(s) * (f + b) for s, f in zip(y, sums, strict=True)]
    half, s = mp.fdot(beta, own) / 2, mp.mpf(m.intercept_scaling if m.bias == "penalised" else 0)
    losses = [c * max(0, 1 - margin) ** power for c, margin in zip(C, margins, strict=True)]
    primal = half + mp.fsum(losses) + ((b / s) ** 2 / 2 if s else 0)
    alpha = [abs(c) for c in beta]
    dual = mp.fsum(alpha) - half - s**2 * mp.fsum(beta) ** 2 / 2
    missed = []
    for a, c, margin in zip(alpha, C, margins, strict=False):  # the points are the rows, or few
        target = 1 - (power - 1) * a / (2 * c)
        dual -= (power - 1) * a**2 / (4 * c)
        missed.append(target - margin if a < c or power == 2 else 0)
        missed.append(margin - target if a > 0 else 0)
    return primal, dual, max(missed)


def accept(verdict, m, A, y, C):
    """Check in 60 digits what a verdict says of a machine: also of its other lengths and signs."""
    above, (t, b, scaled) = 1 + mp.mpf(2) ** -200, verdict.best_scale
    primal, dual, violation = in_digits(m, A, y, C)
    assert verdict.lower <= min(primal, verdict.upper)
    assert max(primal, verdict.upper) <= verdict.primal * above
    assert verdict.lower <= 0 or verdict.excess >= mp.mpf(verdict.primal) / verdict.lower - 1
    assert in_digits(replace(m, b=b), A, y, C, t)[0] <= scaled * above
    assert in_digits(replace(m, b=-m.b), A, y, C, -1)[0] <= verdict.primal_negated * above
    if len(m.points) == len(A):
        assert violation <= verdict.kkt_violation
        balanced = m.bias != "free" or sum(fractions(m.coefficients)) == 0
        if balanced and (m.loss != "hinge" or (np.abs(m.coefficients) <= C).all()):
            assert verdict.dual <= dual
    return primal, dual, violation


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5), Polynomial(2, 0.1, 1.0)], ids=repr)
def test_bounds_are_true_in_sixty_digits(kernel, loss, bias):
    """Of any multipliers and any bias, feasible or not, for all nine problems."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, C, s = int(rng.integers(4, 9)), 10.0 ** rng.integers(-1, 3), rng.choice([0.5, 1, 3])
        A = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-2, 3) + rng.integers(0, 3)
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        weights = rng.choice([0.5, 1.0, 2.0], n)
        alpha = rng.uniform(0, C, n) * rng.choice([0, 1], n)
        b = 0.0 if bias == "none" else float(rng.normal())
        m = Machine(A, y * alpha, b, kernel, C=C, loss=loss, bias=bias, intercept_scaling=float(s))
        verdict = certify_machine(m, A, y, sample_weight=weights)
        primal, dual, violation = map(float, accept(verdict, m, A, y, C * weights))
        assert_allclose(verdict.primal, primal, rtol=1e-9)
        assert_allclose(verdict.kkt_violation, violation, rtol=1e-9)
        if bias != "free" and (loss != "hinge" or (alpha <= C * weights).all()):
            assert_allclose(verdict.dual, dual, rtol=1e-6, atol=1e-9 * primal)
        assert (verdict.balance_violation == 0) or bias == "free"
        assert verdict.upper - verdict.lower <= 1e-4 * verdict.upper
        assert verdict.best_scale.primal <= verdict.best_bias.primal


def traps():
    """Yield machines, and their rows and labels, for which each term of a bound is needed."""
    two, four, many = (np.tile([-1.0, 1.0], k) for k in (1, 2, 32))
    lost = 1 - 0.99 * 2.0**-26.5  # C (1 − m)² is a little less than half of the smallest float
    kept = next(k for k in range(2**44, 2**45) if 0.4 < k**2 % 2**55 / 2**55 < 0.5)  # as α²/(4C)
    for bias in BIASES:  # α = 2C, and α² would be no float
        yield line([0.0], 0.0, C=1e-165, bias=bias), [[0], [1], [2], [3]], np.sort(four)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        long, across = 1e8 * rng.normal(size=40), rng.normal(size=40)
        across[-1] = -(long[:-1] @ across[:-1]) / long[-1]
        for w, x, b in (long, across, 0.0), (np.ones(1), [-1e-17], 1.0):  # as 1 + 1e-17 is 1
            for s in 1, -1:
                yield line(w, b, C=1e20, loss="hinge"), [x, -5 * s * w], s * -two
        far = 1e8 * rng.integers(1, 4, size=(4, 1)) + rng.uniform(0, 1, size=(4, 2))
        for loss, bias in ("hinge", "free"), ("squared_hinge", "penalised"):
            yield line([1.1, -1.1], 0.3, C=1.0, loss=loss, bias=bias), far, -four
        a, b = rng.uniform(1, 2, 2)
        for loss, bias in product(LOSSES, BIASES):  # of multipliers alone, and of a bias alone
            for scale in [1] if loss == "hinge" else [1, 1e10]:
                beta = scale * np.array([-a, a, -b, b])
                given = {"C": 3.0, "loss": loss, "bias": bias}
                yield Machine(np.zeros((4, 1)), beta, 0.0, **given), np.zeros((4, 1)), four
            if bias == "penalised":
                yield line([0.0], a, C=1e-300, loss=loss, bias=bias), [[0.0], [2.0]], two
    for alpha, b in (1e-17, 1.0), (np.nextafter(1e-17, 0), 0.0):  # at the bound, and below it
        A = np.array([[0.0], [1.0]])
        yield Machine(A, alpha * two, b, C=1e-17), A, two
    for more in 2, 100, -100, -EDGE:  # y f = −(2⁵³ + 4), and α/2C larger by so much
        alpha = np.array([2.0 * (EDGE + more), 0.0])
        yield Machine(A, alpha, -float(EDGE), C=1.0, loss="squared_hinge"), A, -two
    for alpha in 1.25 + 63 * 2.0**-52, 1.25 - 61 * 2.0**-52, 1.1e20, 1.3e20:
        for b in 0.0, 1e-16:
            m = Machine(np.zeros((2, 1)), -alpha * two, b, C=0.625, loss="squared_hinge")
            yield m, np.zeros((2, 1)), -two
    m = Machine([[1e-120]], [1.0], 0.0, C=1e99, loss="squared_hinge")  # equations beyond floats
    yield m, [[-1e120], [1e120], [1e120]], [-1, 1, 1]
    yield line([lost * 2.0**-511], 0.0, C=2.0**-1022, bias="none"), 2.0**511 * many[:, None], many
    given = {"C": 2.0**-1021, "loss": "squared_hinge", "bias": "none"}
    yield (
        Machine(np.zeros((64, 1)), kept * 2.0**-1074 * many, 0.0, **given),
        np.zeros((64, 1)),
        many,
    )


def line(w, b, loss="squared_hinge", **given):
    return Machine(np.array([w]), np.ones(1), b, loss=loss, **given)


def test_no_rounding_is_forgotten():
    for m, A, y in traps():
        accept(certify_machine(m, A, y), m, np.array(A), y, np.full(len(y), m.C))


def test_scores_of_a_longer_or_shorter_or_negated_w_are_bounded():
    """A third of a float is rounded, and of the smallest ones nothing may remain."""
    values = np.array([1.0, -3.7, 1e-5, 1e290, 5e-324])
    for t in 1 / 3, 1.1, 1000.3, 1e-9, 7e8, -1.0, -1 / 3, -7e8:
        for size in 0.3, 5e-324:
            scores = Scores(values, 1e-9 * np.abs(values), size, np.ones(5)).scaled(t)
            for s, v, error in zip(values, scores.values, scores.error, strict=True):
                reach = Fraction(t) * Fraction(s) * Fraction(1 + 1e-9)
                assert abs(reach - Fraction(v)) <= Fraction(error) * (1 + Fraction(1, 2**40))
            assert Fraction(t) ** 2 * Fraction(size) <= Fraction(scores.squared_norm)


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
    assert verdict.optimal_to(excess)
    assert verdict.n_changed == 0 or isinstance(model, SGDClassifier)


def test_a_class_with_the_attributes_alone_is_judged_for_what_it_is_said_to_solve(tmp_path):
    fitted = LinearSVC(C=0.3, tol=1e-10).fit(X, Y)
    names = "coef_", "intercept_", "classes_", "dual_coef_"
    fitted.dual_coef_ = np.zeros((1, len(Y)))
    bare = SimpleNamespace(**{name: getattr(fitted, name) for name in names})
    verdict = certify_machine(bare, X, Y, C=0.3, loss="squared_hinge", bias="penalised")
    assert verdict.excess < 1e-8
    with pytest.raises(ValueError, match=r"loss must be one of .*give it"):
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


BLURRED = IRIS[0] - IRIS[0].mean(axis=0) + np.random.default_rng(0).normal(size=IRIS[0].shape)
WEIGHT = np.array([1.0, 5.0, 9.0])


def check_advice(told, machine, names, bound, **given):
    """Judge each class by the code in an error; with each row's factor of C it is not optimal."""
    advice = re.search(r"sample_weight=(np.where\(.*\))", told)[1]
    for k in range(3):
        names = {**names, "np": np, "Machine": Machine, "y": IRIS[1], "weight": WEIGHT, "k": k}
        judged = eval(machine, names), BLURRED, IRIS[1] == k
        given["sample_weight"] = eval(advice, names)
        assert certify_machine(*judged, C=1.0, **given).excess < bound
        given["sample_weight"] = WEIGHT[IRIS[1]]
        assert certify_machine(*judged, C=1.0, **given).excess > 5 * bound


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


@pytest.mark.parametrize("model", [SVC(), LinearSVC()], ids=repr)
def test_a_bad_verdict_begins_with_the_rows_that_may_be_wrong_and_a_good_one_ends_with_them(model):
    """Rows without the scaler, or rows that the machine has not seen, are the commonest mistake."""
    scaled = StandardScaler().fit_transform(X * [1, 50]), Y
    model.fit(*scaled)
    assert "check that X" not in str(certify_machine(model, *scaled))
    first = str(certify_machine(model, X * [1, 50], Y)).splitlines()[0]
    advice = "check that X has the rows of training and no others, as the machine saw them"
    assert advice in first
    assert first.startswith("a support vector is not a row of X") == isinstance(model, SVC)
    fixed = FixedThresholdClassifier(model, threshold=0.5).fit(*scaled)  # whose note comes second
    noted = certify_machine(fixed, X * [1, 50], Y).note.splitlines()
    assert (noted[0], len(noted)) == (first, 2 + isinstance(model, LinearSVC))
    if isinstance(model, SVC):  # rows rounded in the sixth digit make no difference
        good = certify_machine(model, scaled[0] * (1 + 1e-6), Y)
        assert good.excess < 1e-3
        assert str(good).splitlines()[-1] == first


def test_a_threshold_and_early_stopping_are_named_and_not_judged():
    fixed = FixedThresholdClassifier(SVC(tol=1e-7), threshold=1.2345678e-05).fit(X, Y)
    tuned = TunedThreshold(SVC(tol=1e-7), cv=2).fit(X, Y)
    assert certify_machine(fixed.estimator_, X, Y).note == ""
    for wrapper, threshold in (fixed, 1.2345678e-05), (tuned, tuned.best_threshold_):
        verdict = certify_machine(Pipeline([("scale", None), ("answer", wrapper)]), X, Y)
        assert verdict.excess < 1e-6
        assert f"threshold {threshold:.8g} of {type(wrapper).__name__}" in str(verdict)
    model = SGDClassifier(early_stopping=True, random_state=0).fit(X, Y)
    assert "it was not trained on 10% of the rows" in certify_machine(model, X, Y).note


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


class ArrayLikeKernel:
    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, A, B):
        return self.kernel(A, B)

    def __eq__(self, other):
        return np.array([False, False])

    __hash__ = object.__hash__


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
def test_a_machine_has_the_same_verdict_however_it_is_given(kernel):
    """Of a Gram matrix, X may have the rows themselves; numbers may be rows, lists and objects."""
    named = SVC(kernel="linear" if kernel == Linear() else "rbf", gamma=0.5, tol=1e-7).fit(X, Y)
    K, beta, b, given = kernel(X, X), signed(named), named.intercept_, {"C": 1.0, "kernel": kernel}
    function = SVC(kernel=lambda A, B: kernel(A, B), tol=1e-7).fit(X, Y)
    gram = SVC(kernel="precomputed", tol=1e-7).fit(K, Y)
    machine = Machine(X, beta, b[0], ArrayLikeKernel(kernel), C=1.0)
    ways = [
        (function, X, {}),
        (function, X, {"kernel": kernel}),
        (gram, X, {"kernel": kernel}),
        (gram, K, {}),
        ((beta, b), X, given),
        ((beta[None].astype(object), b), X, given),
        ((beta, b), K, given | {"kernel": "precomputed"}),
        (machine, X, {"sample_weight": np.ones(len(Y), dtype=bool)}),
    ]
    if kernel == Linear():
        flat = RidgeClassifier(0.1).fit(X, Y)  # whose coef_ is a vector
        flat.coef_, flat.intercept_ = named.coef_[0], b
        ways.append((flat, X, {"C": 1.0, "loss": "hinge", "bias": "free"}))
        ways.append(((named.coef_, b), X, {"C": 1.0}))
    expected = certify_machine(named, X, Y)
    for machine, A, given in ways:
        verdict = certify_machine(machine, A, Y, **given)
        assert verdict.excess < 1e-6
        assert_allclose(verdict.primal, expected.primal, rtol=1e-7)
        if verdict.dual is not None:
            assert_allclose(verdict.dual, expected.dual, rtol=1e-7)


@pytest.mark.parametrize("factor", [1 + 4e-10, 1 - 4e-10])
def test_points_in_eight_digits_are_recognised_but_judged_as_they_are(factor):
    A, y = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 5.0]]), np.array([-1.0, 1.0, 1.0])
    m = Machine(A * [factor, 1.0], 0.2 * y, 0.5, Linear(), C=1.0)
    verdict = certify_machine(m, A, y)
    assert verdict.dual is not None
    primal, *_ = in_digits(m, A, y, np.ones(3))
    assert primal <= verdict.primal <= primal * (1 + mp.mpf(1e-12))


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=repr)
def test_equal_rows_of_unequal_weight_are_given_the_multipliers_that_fit(kernel):
    """A support vector does not say which of two equal rows it is; both ways of giving it are."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A, y, w = np.tile(rng.normal(size=(12, 2)), (2, 1)), np.tile(PAIR[:12], 2), np.ones(24)
        w[rng.permutation(12) + 12 * rng.integers(0, 2, 12)] = rng.choice([0.01, 10.0], 12)
        model = SVC(kernel=kernel, tol=1e-8).fit(A, y, w)
        beta = signed(model)
        assert (np.abs(beta) <= w).all()
        order, b = rng.permutation(24), model.intercept_[0]
        numbers = certify_machine((beta, b), A, y, C=1.0, kernel=kernel, sample_weight=w)
        given = Machine(A[order], beta[order], b, kernel, C=1.0)
        for verdict in numbers, certify_machine(given, A, y, sample_weight=w):
            assert verdict.box_violation == 0
            assert verdict.kkt_violation < 1e-6
            assert verdict.dual > verdict.upper * (1 - 1e-6)
            assert not verdict.note


def test_row_numbers_count_only_where_the_points_are_these_rows():
    m = Machine(X[:9], np.tile([-1.0, 0.5, 0.5], 3), 0.1, RBF(0.5), C=1.0)
    for rows in np.arange(9), np.arange(9)[::-1], np.arange(99, 108):
        one, other = (certify_machine(given, X, Y) for given in (m, replace(m, rows=rows)))
        assert (one.primal, one.dual) == (other.primal, other.dual)


def test_of_numbers_for_rows_of_no_weight_the_last_are_dropped():
    A, y, beta = [[0.0], [1.0], [2.0], [2.0]], [-1, -1, 1, 1], [0.0, -0.5, 0.5, 0.0]
    given = {"kernel": Linear(), "C": 1.0}
    less = certify_machine((beta, -1.5), A, y, sample_weight=[1, 1, 1, 0], **given)
    assert less.dual == certify_machine((beta[:3], -1.5), A[:3], y[:3], **given).dual


def test_equal_rows_share_the_slack_of_the_squared_hinge_by_their_weights():
    """At ±1, w²/2 + 2 · 10.1 (1 − w)² is least at w = 1 − 1/41.4, and α_i is 2 C_i / 41.4."""
    A, y, w = [[-1.0], [-1.0], [1.0], [1.0]], np.array([-1, -1, 1, 1]), np.array([0.1, 10, 10, 0.1])
    for order in [0, 1, 2, 3], [1, 0, 3, 2]:
        m = Machine(np.take(A, order, 0), (2 * w * y / 41.4)[order], 0.0, Linear())
        verdict = certify_machine(m, A, y, **SQUARED, sample_weight=w)
        assert verdict.kkt_violation < 1e-12
        assert verdict.dual > verdict.upper * (1 - 1e-12)


def test_a_negative_multiplier_is_named_however_the_machine_is_given():
    """Also where the row is there once for each class: it is then its own class that counts."""
    A, y = np.vstack([X, X[:3]]), np.append(Y, -Y[:3])
    beta = np.append(0.01 * Y, -0.02 * Y[:3])
    beta[4] = -0.3 * Y[4]
    order = np.random.default_rng(0).permutation(len(y))
    numbers = certify_machine((beta, 0.1), A, y, C=1.0, kernel=RBF(0.5))
    machine = Machine(A[order], beta[order], 0.1, RBF(0.5), C=1.0)
    for verdict in numbers, certify_machine(machine, A, y):
        assert 0.3 <= verdict.box_violation < 0.3 + 1e-14
        assert_allclose(verdict.dual, numbers.dual, rtol=1e-12)
        assert_allclose(verdict.kkt_violation, numbers.kkt_violation, rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [False, True])
def test_rounding_c_makes_no_violation(nu, weighted, seed):
    """A multiplier at its bound must not count as one below it, because C came by another way."""
    rng = np.random.default_rng(seed)
    some, constant = rng.permutation(len(Y))[:150], rng.uniform(0.2, 0.6)
    weights = {"sample_weight": np.append(1.0, rng.uniform(0.2, 3, 149))} if weighted else {}
    given = {"nu": constant} if nu else {"C": constant, "class_weight": "balanced"}
    model = (NuSVC if nu else SVC)(gamma=0.5, tol=1e-8, **given)
    model.fit(X[some], Y[some], **weights)
    verdict = certify_machine(model, X[some], Y[some], **weights)
    assert verdict.kkt_violation < 1e-3
    below = np.abs(model.dual_coef_) * (1 - 1e-9)
    bare = below[0] * np.sign(model.dual_coef_[0]), float(model.intercept_[0])
    less = Machine(model.support_vectors_, *bare, RBF(0.5), C=verdict.machine.C)
    less = replace(less, class_weight=verdict.machine.class_weight)
    assert certify_machine(less, X[some], Y[some], **weights).kkt_violation > 0.5


def test_class_weights_that_a_file_does_not_name_are_suggested_and_can_be_given(tmp_path):
    model = SVC(gamma=0.5, class_weight={-1: 0.5, 1: 3.0}, tol=1e-7).fit(X, Y.astype(int))
    write_libsvm(model, tmp_path / "model")
    found = read_libsvm(tmp_path / "model")
    assert "sample_weight" in str(certify_machine(found, X, Y, C=1.0))
    assert "C was larger" in str(certify_machine(SVC(C=10.0).fit(X, Y), X, Y, C=1.0))
    verdict = certify_machine(found, X, Y, C=1.0, sample_weight=np.where(Y > 0, 3.0, 0.5))
    assert (verdict.note, verdict.optimal_to(1e-6)) == ("", True)


def squared_hinges():
    """Yield rows, labels, C and bias of hard problems, and how wide the bounds may be."""
    for n, d in (2000, 8), (40, 500):
        rng = np.random.default_rng(n)
        A = rng.normal(size=(n, d))
        y = np.where(A[:, 0] + rng.normal(size=n) > 0, 1, -1)
        A[0] = 0  # without a bias the score is 0, and so is its rounding
        yield from ((A, y, 1.0, bias, 1e-9) for bias in ("penalised", "none"))
    for seed in 0, 1:  # Newton's steps are halved where they are too long
        A = np.random.default_rng(seed).normal(size=(40, 20))
        yield A, np.tile([-1, 1], 20), 1e3, "free", 1e-9
    pixels, digits = load_digits(return_X_y=True)
    rows = np.isin(digits, [3, 8])  # 287 steps for the first C; in the last, digits are lost
    for C, bias in (1e4, "none"), (1e5, "penalised"), (1e6, "free"):
        yield pixels[rows], digits[rows], C, bias, 1e-3
    A, y = make_classification(700, 20, flip_y=0.1, random_state=1)
    for bias in BIASES:  # rounding makes α another w, and a second try takes fewer rows
        yield A * np.logspace(0, 4, 20), y, 1e6, bias, 1e-5


def test_the_optimum_of_the_squared_hinge_is_found():
    for A, y, C, bias, width in squared_hinges():
        given = {"C": C, "bias": bias, "loss": "squared_hinge"}
        verdict = certify_machine((np.zeros(A.shape[1]), 0.0), A, y, **given)
        assert verdict.upper - verdict.lower <= width * verdict.upper
        if width == 1e-5:
            assert certify_machine(verdict.ours, A, y).excess <= width


def test_many_squared_losses_that_underflow_are_counted():
    y, w = np.tile([-1, 1], 100), (1 - 1.02e-8) / 1e154  # C times each squared loss is 2.4e-324
    given = {"C": 2.3e-308, "loss": "squared_hinge"}
    proof = certify_machine(([w], 0.0), y[:, None] * 1e154, y, **given)
    loss = 1 - Fraction(w) * Fraction(1e154)
    assert Fraction(w) ** 2 / 2 + 200 * Fraction(2.3e-308) * loss**2 <= proof.primal


def test_crammer_and_singers_machine_of_two_classes_is_ours_with_twice_the_c():
    model = LinearSVC(multi_class="crammer_singer", C=0.7, tol=1e-8, max_iter=10**6).fit(X, Y)
    line = model.coef_, model.intercept_
    right, wrong = (certify_machine(line, X, Y, C=C, bias="penalised").excess for C in (1.4, 0.7))
    assert right < 1e-6 < wrong


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


def test_one_point_is_w_only_for_the_linear_kernel():
    points, y = [[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0], [-2.0, 0.0]], [1, 1, -1, -1]
    verdicts = [
        certify_machine(Machine([[1.0, 1.0]], [1.0], 0.0, kernel, C=1.0), points, y)
        for kernel in (Linear(), Cubed(), lambda A, B: Cubed()(A, B))
    ]
    notes = ["a support vector is not a row" in verdict.note for verdict in verdicts]
    assert notes == [False, True, True]


def test_a_verdict_prints_no_less_than_it_has_found():
    for b in np.linspace(0.1, 0.2, 20):
        far = certify_machine(([1.0], b - 1.0), [[0.0], [2.0]], [-1, 1], C=10.0)
        own = certify_machine(([b, -b], 0.0), [[0.0], [2.0]], [1, -1], C=10.0, kernel=Linear())
        for verdict, words, bound in (
            (far, r"excess is at most (\S+);", far.excess),
            (far, r"value is at most (\S+);", far.primal),
            (far, r"is in \[\S+, (\S+)\]", far.upper),
            (far, r"is in \[(\S+),", -far.lower),
            (far, r"would give (\S+)", far.best_bias.primal),
            (own, r"prove (\S+);", -own.dual),
            (own, r"KKT conditions by (\S+)", own.kkt_violation),
        ):
            printed = np.sign(bound) * float(re.search(words, str(verdict)).group(1))
            assert 0 <= printed - bound <= 0.11 * abs(bound)
        assert replace(far, lower=0.0).excess == np.inf


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("t", [0.1, 1.0, 1e4])
def test_the_best_scale_brings_a_machine_of_another_length_back(loss, bias, t):
    ours = certify_machine(([1.0, 1.0], 0.0), X, Y, C=1.0, loss=loss, bias=bias).ours
    long = replace(ours, coefficients=t * ours.coefficients, b=t * ours.b)
    long = replace(long, b=0.0 if bias == "none" else long.b + t)
    verdict = certify_machine(long, X, Y)
    assert_allclose(verdict.best_scale.t, 1 / t, rtol=1e-4)
    assert_allclose(verdict.best_scale.b, ours.b, atol=1e-3)
    assert verdict.excess_best_scale < 1e-7
    assert ("the best length" in str(verdict)) == (t != 1)


def rows_of_gram(*rows):
    return Machine(np.array(rows)[:, None], np.ones(len(rows)), 0.0, "precomputed", C=1.0)


def test_a_score_of_the_other_sign_is_named_and_no_length_of_w():
    ours = certify_machine(([1.0, 1.0], 0.0), X, Y, C=1.0).ours
    for sign in 1, -1:
        turned = replace(ours, coefficients=sign * ours.coefficients, b=sign * ours.b)
        text = str(certify_machine(turned, X, Y))
        assert ("other sign" in text) == (sign < 0), text
        assert "length" not in text
    wrong = certify_machine(replace(ours, coefficients=-ours.coefficients), X, Y)
    assert wrong.excess_best_scale > 1, "it cannot be scaled away"
    assert wrong.best_scale.t < 1e-3


def test_a_direction_that_saves_nothing_is_called_useless():
    """Where the best constant score is nearly optimal, so is any w that is short enough."""
    rare = np.arange(400) % 20 == 0
    A = np.random.default_rng(0).normal(size=(400, 3)) + np.outer(rare, [3.0, 0, 0])
    given = {"X": A, "y": np.where(rare, 1, -1), "C": 1.0}
    wrong, right = (certify_machine((w, 0.0), **given) for w in ([0, 0.3, -1.0], [0.02, 0, 0]))
    assert wrong.excess > 1
    assert wrong.w_is_useless
    left = re.search(r"useless at any length: w = 0 and b = -1 leave (\S+)", str(wrong))[1]
    assert_allclose(float(left), wrong.constant.primal / wrong.lower - 1, rtol=1e-2)
    assert "length" not in str(wrong).replace("any length", "")
    assert_allclose(wrong.constant, (0, -1, 40), err_msg="2 C for each of 20 rows")
    assert not right.w_is_useless
    assert "useless" not in str(right)
    for best in [0.0, -1.0], [1e-9, -1.0]:  # all of one score: the optimum has no w, either
        alike = certify_machine(([best[0]], best[1]), np.ones((5, 1)), [-1, -1, -1, -1, 1], C=1.0)
        assert "useless" not in str(alike)


@pytest.mark.parametrize(
    ("machine", "given"),
    [
        (([0.0, 0.0], 3.0), {"C": 1.0}),
        (([1e154, 0.0], 0.0), {"C": 1.0, "loss": "squared_hinge", "bias": "none"}),
        (([1.0, 0.5], 7.0), {"C": np.inf, "X": [[0.0, 0.0], [2.0, 0.0]], "y": [-1, 1]}),
        (SVC(kernel="sigmoid", gamma=1.0).fit(X, Y), {}),
    ],
)
def test_a_scale_that_cannot_help_is_one(machine, given):
    """Of no w, beyond floats, and of the hard margin, which takes any."""
    verdict = certify_machine(machine, **{"X": X, "y": Y} | given)
    assert verdict.best_scale.primal <= verdict.best_bias.primal
    assert verdict.primal == np.inf or "loss" not in given, "beyond floats nothing is bounded"
    assert (verdict.best_scale.t == 1) == (verdict.best_scale.primal == verdict.best_bias.primal)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", ["precomputed", RBF(0.5), Linear()], ids=repr)
def test_a_verdict_hands_over_the_optimal_machine(loss, bias, kernel, tmp_path):
    labels, weights = np.where(Y > 0, "b", "a"), {"sample_weight": np.linspace(1, 2, 200)}
    A, points = (GRAM, np.arange(200.0)[:, None]) if kernel == "precomputed" else (X, X)
    problem = {"C": 0.7, "loss": loss, "bias": bias, "class_weight": (2.0, 1.0)}
    bad = Machine(points, Y, 0.0, kernel, ("a", "b"), **problem)
    verdict = certify_machine(bad, A, labels, **weights)
    assert verdict.excess > 0.1
    again = certify_machine(verdict.ours, A, labels, **weights)
    assert again.excess < 1e-6
    assert (again.box_violation, again.machine.C) == (0, 0.7)
    assert np.sum(verdict.ours.predict(A) != bad.predict(A)) == verdict.n_changed
    write_libsvm(replace(verdict.ours, classes=(0, 1)), tmp_path / "ours.model")
    assert len(verdict.ours.points) < 200 or loss == "squared_hinge"


BELL = SVC(gamma=0.5, tol=1e-8).fit(X, Y)
BETA, B, OF_BELL = signed(BELL), float(BELL.intercept_[0]), {"C": 1.0, "kernel": RBF(0.5)}


def test_a_wrong_bias_is_a_diagnosis_of_its_own():
    right, wrong, slightly = (
        certify_machine((BETA, B + off), X, Y, **OF_BELL) for off in (0, 0.3, 5e-4)
    )
    assert not right.bias_is_at_fault
    assert wrong.bias_is_at_fault
    assert abs(wrong.best_bias.b - B) < 1e-4
    assert "its b is not the best" in str(wrong)
    assert wrong.best_bias.primal < right.primal * (1 + 1e-8) < wrong.primal
    assert 1e-6 < slightly.excess < 2e-4
    assert not slightly.bias_is_at_fault, "what is negligible is no diagnosis"


def test_multipliers_outside_their_box_are_named_and_prove_nothing_false():
    assert certify_machine(BELL, X, Y).box_violation == 0
    assert 0.25 < certify_machine(BELL, X, Y, C=0.75).box_violation < 0.25 + 1e-14, "rounded up"
    for change, box, balance in ((0.0, 0, 0), (3.0, 2.0, 3.0), (-3.0, 2.0, 3.0)):
        alone = np.arange(len(Y)) == BELL.support_[0]
        verdict = certify_machine((BETA + change * Y * alone, B), X, Y, **OF_BELL)
        assert verdict.box_violation >= box - 1e-9
        assert_allclose(verdict.balance_violation, balance, atol=1e-12)
        assert verdict.dual <= verdict.upper
    verdict = certify_machine(BELL, X, Y, tol=0.5)
    assert verdict.lower >= verdict.dual, "the better of theirs and ours"
    assert verdict.excess < 1e-6


def test_a_hard_margin_given_by_w():
    A, y = elsewhere.load("penguins")
    verdict = certify_machine(([-7 / 6, 3 / 5], 163 / 30), A, y, C=np.inf)
    assert verdict.excess < 1e-9
    assert "C = inf" in str(verdict)
    off = certify_machine(([-7 / 6, 3 / 5], 5.5), A, y, C=np.inf)
    assert off.excess > 1e-3
    assert_allclose(off.best_bias.b, 163 / 30, atol=1e-6)


NAMED = [1e17, 5.0, -1e17], [1e17, 5.3, -1e17], [1.0, 1e-17, 2.0], [1.5, 3.5], [1e308] * 3


@pytest.mark.parametrize("coefficients", NAMED)
def test_a_row_that_is_named_twice_has_the_sum_of_its_coefficients(coefficients):
    """Next to terms that cancel, a plain sum has no digit of it; rounded once, it is another w."""
    m = Machine(np.zeros((len(coefficients), 1)), coefficients, 0.0, kernel="precomputed", C=1.0)
    verdict = certify_machine(m, np.eye(2), [-1, 1])
    f = sum(map(Fraction, coefficients))
    assert f**2 / 2 + 1 + max(1 + f, 0) <= verdict.primal
    assert ("beyond floats" in str(verdict)) == (verdict.primal == np.inf) == (f > 1e308)
    if f == 5:  # the sum is not rounded
        assert_allclose(verdict.primal, 19.5, rtol=1e-12)


def test_a_machine_out_of_every_feature_space_proves_nothing():
    """Its ‖w‖² is negative, though the kernel is x·z at all rows: its value bounds nothing."""

    def kernel(A, B):
        return A @ B.T - 1e3 * np.outer(A == 9, B == 9)

    m = Machine([[9.0]], [1 / 9], 0.0, kernel, C=1.0)
    verdict = certify_machine(m, [[-1.0], [1.0]], [-1, 1])
    assert verdict.primal < 0.1
    assert verdict.upper >= 0.5
    assert "proves nothing" in str(verdict)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("b", "scale"), [(1e200, 1.0), (0.5, 1e-200)])
def test_a_bias_whose_cost_is_beyond_floats_costs_infinity(loss, b, scale):
    m = Machine([[1.0]], [1.0], b, C=1.0, loss=loss, bias="penalised", intercept_scaling=scale)
    verdict = certify_machine(m, [[0.0], [2.0], [3.0]], [-1, 1, 1])
    assert verdict.primal == np.inf
    assert verdict.best_scale.primal <= 3  # without a bias, w = 0 costs 3
    assert verdict.upper - verdict.lower <= 1e-4 * verdict.upper


@pytest.mark.parametrize("loss", LOSSES)
def test_the_numbers_that_a_verdict_prints_give_what_it_prints(loss):
    """With C = 1e9, a b that is rounded to six digits would cost hundreds."""
    A, given = [[1 / 7], [5 / 3], [2.0]], {"C": 1e9, "loss": loss}
    w = 100 / 11
    verdict = certify_machine(([w], 3.0), A, [-1, 1, 1], **given)
    b = float(re.search(r"for its w: (\S+) would give", str(verdict))[1])
    assert certify_machine(([w], b), A, [-1, 1, 1], **given).primal == verdict.best_bias.primal
    t, b = map(float, re.search(r"length: (\S+) w and b = (\S+) leave", str(verdict)).groups())
    again = certify_machine(([t * w], b), A, [-1, 1, 1], **given)
    assert_allclose(again.primal, verdict.best_scale.primal, rtol=1e-6)


def test_the_best_scale_of_a_small_w_is_found():
    verdict = certify_machine(([1e-155], 1.0), [[0.0], [2.0]], [-1, 1], C=100.0)
    assert_allclose(verdict.best_scale.t, 1e155, rtol=1e-4)
    A, y = [[0.0], *[[1.0]] * 9], [-1] + [1] * 9  # w²/2 + 0.9 (1 − w) is least at w = 0.9
    verdict = certify_machine(([0.3], 0.0), A, y, C=0.1, bias="none")
    assert_allclose(verdict.best_scale.t, 3, rtol=1e-4)


def test_a_verdict_says_what_was_added_to_a_gram_matrix():
    for K in GRAM, GRAM.astype(np.float32):
        verdict = certify_machine(SVC(kernel="precomputed").fit(K, Y), K, Y)
        assert 0 < verdict.diagonal_shift < (1e-8 if K is GRAM else 1e-4)
        found = re.search(r"\], for the Gram matrix with (\S+) added to its diagonal", str(verdict))
        assert 1 <= float(found[1]) / verdict.diagonal_shift <= 1.1
    m = Machine(X[:150] + 0.1, Y[:150] / 150, 0.0, gaussian, C=1.0)
    found = certify_machine(m, X[150:], Y[150:]).diagonal_shift
    alone = DualProblem(X[150:], Y[150:], 1.0, gaussian).gram_matrix.diagonal_shift
    assert 0 < found <= alone, "that of the rows; with the machine's points it is larger"


def test_an_indefinite_kernel_proves_nothing_and_says_so():
    verdict = certify_machine(SVC(kernel="sigmoid", gamma=1.0).fit(X, Y), X, Y)
    assert verdict.dual == verdict.lower == -np.inf
    assert verdict.excess == np.inf
    assert not verdict.optimal_to(0.5)
    assert "proves nothing" in str(verdict)
    assert "check that X" not in str(verdict)
    assert f"at most {verdict.primal:.5}" in str(verdict)


class Estimator(SimpleNamespace):
    def get_params(self):
        return self.params


def like(model, *left_out, **changes):
    known = {name: value for name, value in vars(model).items() if name.endswith("_")}
    known |= {name: getattr(model, name) for name in ("coef_", "dual_coef_") if name in dir(model)}
    params = {k: changes.get(k, v) for k, v in model.get_params().items() if k not in left_out}
    known |= {name: value for name, value in changes.items() if name not in params}
    return Estimator(params=params, **{k: v for k, v in known.items() if k not in left_out})


FLAT, CURVED = LinearSVC().fit(X, Y), SVC(gamma=0.5).fit(X, Y)
TINY = line([0.0], 0.0, C=1e-165)
ROWS = {"X": np.eye(3), "y": [1, -1, -1]}  # a Gram matrix


@pytest.mark.parametrize(
    ("machine", "given", "message"),
    [
        *[
            (TINY, {"X": [[0.0], [1.0]], "y": [-1, 1], "sample_weight": [1, weight]}, message)
            for message in ["C times weights must be positive"]
            for weight in (1e-300, 1e-155)  # beside 0, what is left has one digit
        ],
        (W, {"X": csr_matrix((3, 10**8)), "y": [0, 1, 1]}, "at most 2000 MB, .* takes 2289 MB"),
        (SVC().fit(*IRIS), {"X": IRIS[0], "y": IRIS[1] == 1}, "not Booleans"),
        (rows_of_gram(-1.0), ROWS, "row numbers"),
        (rows_of_gram(0.0, 0.5), ROWS, "row numbers"),
        (rows_of_gram(2.0, 3.0), ROWS, "all samples of fit: the machine uses number 3"),
        (rows_of_gram(0.0), ROWS | {"sample_weight": [1, 1, 0]}, r"out of X \(rows and columns\)"),
        (SVC(kernel="precomputed").fit(GRAM, THREE), {"X": GRAM}, "two classes if X is a Gram mat"),
        (like(CURVED, "gamma"), {}, r"its kernel's 'gamma': give Machine\(support_vectors_, "),
        (like(FLAT, coef_=None), {}, "it has no coef_ with intercept_"),
        (like(FLAT, "intercept_"), {}, r'\(w, 0.0\) and bias="none" if it has no intercept'),
        (SimpleNamespace(fit=1), {}, r"call fit first; or .* numbers, as \(w, b\) or \(β, b\)"),
        (
            SimpleNamespace(fit=1, intercept_=1, save_to_file=1),
            {},
            "with save_to_file, and give what",
        ),
        (([1.0, 0.5], 7.0), {"C": np.inf}, "no hyperplane separates the two classes"),
        (SVC(kernel="precomputed").fit(GRAM, THREE), {"X": GRAM, "y": THREE}, "a Gram matrix: fit"),
        (SimpleNamespace(get_SV=1), {}, "with svm_save_model, and give what read_libsvm"),
        (SimpleNamespace(get_decfun=1), {}, "with save_model, and give what read_liblinear"),
        (3, {}, "machine must be a fitted classifier"),
        (SVC(), {}, "machine must be a fitted classifier.*; call fit first"),
        (SVR().fit(X, Y), {}, "of regression and one-class machines.*none has a certificate"),
        ("m.model", {}, "for a path, its model"),
        (HERE / "m.model", {}, "for a path, give what read_libsvm or read_liblinear returns"),
        (([1.0, 2.0], 0.0, "no"), {}, "machine must be a fitted classifier"),
        (([1.0], 0.0), {"C": 1.0}, "w has 1 entries, expected 2"),
        ((Y, 0.0), {"C": 1.0}, "w must have 2 entries.*for β, one per row, give kernel="),
        (([[1.0], [2.0]], 0.0), {"C": 1.0}, "w must be a non-empty vector"),
        (([1.0, 2.0], 0.0), {}, "C must be given"),
        (([1.0, 2.0], 0.0), {"C": -1.0}, "C must be a positive number"),
        (([1.0, 2.0], 0.0), {"C": np.inf, "bias": "none"}, "C must be finite, unless"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "loss": "log"}, "loss must be one of .*'log'"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "bias": "penalized"}, "bias must be one of .*'penalized'"),
        (([1.0, 2.0], 0.0), {"kernel": "rbf"}, "kernel must be a kernel such as"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "tol": None}, "tol must be a positive .*, got None"),
        (([1.0, 2.0], np.nan), {"C": 1.0}, "b must be a finite number"),
        (replace(W, intercept_scaling=1e200), {"C": 1.0, "bias": "penalised"}, "at most 1e.150"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "sample_weight": [1.0]}, "sample_weight has 1 entries"),
        (W, SQUARED | {"C": 1e300}, "C must be at most .*, got 1e.300; for the hard margin give"),
        (W, SQUARED | {"C": 1e90, "sample_weight": 1e10 ** (1 + Y)}, "at most .*, got 1e.110"),
        (W, SQUARED | {"sample_weight": 0 * Y}, "sample_weight must not be negative or all zero"),
        (replace(W, class_weight=(-1.0, 1.0)), SQUARED, "class_weight must be a positive .*-1"),
        (replace(W, class_weight=(1.0, np.nan)), SQUARED, "class_weight must be a positive .*nan"),
        (([1.0, 2.0], 0.5), {"C": 1.0, "bias": "none"}, "b must be 0 where bias=.none., got 0.5"),
        (LogisticRegression().fit(X, Y), {}, "loss must be one of .*''; give it, if .* an SVM"),
        (SGDClassifier(loss="log_loss").fit(X, Y), {}, "loss must be one of .*'log_loss'"),
        (LinearSVC(penalty="l1").fit(X, Y), {}, "penalty"),
        (LinearSVC(multi_class="crammer_singer", max_iter=10**6).fit(X, Y), {}, "twice the C"),
        (SGDClassifier(loss="log_loss").fit(*IRIS), {}, "a hinge for its loss, got 'log_loss'"),
        (SGDClassifier(penalty="elasticnet", tol=0.1).fit(*IRIS), {}, "penalty"),
        (LinearSVC(multi_class="crammer_singer", tol=1).fit(*IRIS), {}, "one weight"),
        (SVC().fit(X, THREE), {"y": Y + 6}, "two of the machine's 3 classes; choose rows"),
        (LinearSVC().fit(X, THREE), {}, 'several.*"squared_hinge".*"penalised"'),
        (BaggingClassifier(SVC(), 2).fit(X, Y), {}, "for an ensemble, give one member"),
        (SGDOneClassSVM().fit(X), {}, "one-class machines.*none has a certificate"),
        (CalibratedClassifierCV(LinearSVC()).fit(X, Y), {}, "with its training rows"),
        (GridSearchCV(SVC(), {"C": [1]}, refit=False).fit(X, Y), {}, "keeps no machine: fit one"),
        (OneVsRestClassifier(SVC()).fit(X, Y), {}, r"estimators_\[k\] and y == classes_\[k\]"),
        (LinearSVC().fit(X[:, :1], Y), {}, "X has 2 features, but the machine has 1"),
        (SVC().fit(X[:, :1], Y), {}, "X has 2 features, but the machine has 1"),
        (SVC().fit(X, Y + 5), {}, "y must have the machine's labels .* give the y of fit"),
        (SVC().fit(np.hstack([X, X]), Y), {}, "X has 2 features, but the machine has 4"),
        (SVC(kernel=gaussian).fit(X[:150], Y[:150]), {}, "must have the 150 rows of fit"),
        (SVC(kernel=gaussian).fit(X[::-1], Y[::-1]), {}, "the rows of fit in their order"),
        (SVC(kernel="precomputed").fit(GRAM, Y), {}, "square Gram matrix"),
        (SVC(kernel="precomputed").fit(BLOCK, PAIR), {"kernel": RBF(0.5)}, "all samples of fit"),
    ],
)
def test_what_cannot_be_judged_is_one_clear_error(machine, given, message):
    with pytest.raises(ValueError, match=message):
        certify_machine(machine, **{"X": X, "y": Y} | given)


def test_what_another_library_leaves_out_is_not_needed():
    model = SVC(tol=1e-7).fit(X, Y)
    near = like(model, decision_function=model.decision_function)
    assert certify_machine(near, X, Y).excess < 1e-6, "γ is that of the rows"
    assert certify_machine(like(FLAT, multi_class=None), X, Y).excess < 1e-3


def test_a_machine_for_two_is_asked_for(tmp_path):
    for k in 2, 6:
        write_libsvm(FITTED[k], tmp_path / f"{k}")
    three, values = (read_libsvm(tmp_path / f"{k}") for k in (2, 6))
    for ask, message in (
        (three.as_machine, "must be for two classes.* pair gives the machine for two"),
        (lambda: values.pair([0, 1]), "must be a classifier, got epsilon_svr; .*no certificate"),
        (lambda: W.decision_function(X[:, :1]), "X has 1 features, but the machine has 2"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_the_rounding_of_a_large_bias_is_no_other_machine():
    """Scores in single precision are off by that of b, which is more than all of w·x."""
    b = np.full(1, 0.3, np.float32)
    near = {"decision_function": lambda A: np.full(len(A), np.nextafter(b, 1, dtype=b.dtype))}
    for model, name in (FLAT, "coef_"), (CURVED, "dual_coef_"):
        small = (1e-9 * getattr(model, name)).astype(np.float32)
        machine = like(model, intercept_=b, **near, **{name: small})
        assert certify_machine(machine, X, Y).machine.b == b[0]


# Our own solution, and the hints


def test_a_hard_squared_hinge_of_a_kernel_is_solved_with_a_feature_for_each_sample():
    A, t = 10 * np.random.default_rng(0).normal(size=(36, 3)), np.tile([-1, 1], 18)
    given = {"C": 1e11, "loss": "squared_hinge", "bias": "free", "kernel": RBF(1.0)}
    ours = certify_machine((np.zeros(36), 0.0), A, t, **given).ours
    assert certify_machine(ours, A, t, **given).excess <= 1e-6


def test_no_answers_are_compared_with_a_solution_that_did_not_converge():
    A = np.random.default_rng(0).normal(size=(48, 5)) + 1e5
    t = np.tile([0, 1], 24)
    given = {"C": 1e8, "loss": "squared_hinge", "bias": "penalised"}
    text = str(verdict := certify_machine((np.zeros(5), 0.0), A, t, **given))
    assert not verdict.is_comparable
    assert "our own solution did not converge:\nthe bounds hold, but say little; scale" in text
    assert "answers differ" not in text
    assert "check that X" not in text, "it is not the user's fault"
    # With another kernel than the linear one, no proof that the classes are not separable is tried.
    given = {"C": np.inf, "kernel": RBF(0.5)}
    verdict = certify_machine((np.zeros(3), 0.0), [[0.0], [0.0], [1.0]], [-1, 1, 1], **given)
    assert verdict.primal_ours == np.inf
    assert "did not converge" in str(verdict)


def test_hints_name_the_cause():
    text = str(certify_machine((BETA, B), X, Y, **OF_BELL | {"C": 4.0}))
    assert "multipliers are 0.25 times their C, and none is above" in text
    beta = np.where(np.abs(BETA) == 1, 1 + 1e-3, 1) * BETA  # as a general QP solver leaves them
    assert certify_machine((beta, B), X, Y, **OF_BELL).note == ""
    assert "C was larger" in certify_machine((beta, B), X, Y, **OF_BELL | {"C": 0.9}).note
    text = str(certify_machine((np.abs(beta), B), X, Y, **OF_BELL))
    assert "other sign" not in text, "it has α for β"
    beta = np.where(BETA, BETA, 1e-10 * Y)  # as an interior point method leaves them
    verdict = certify_machine((beta, B), X, Y, **OF_BELL)
    assert verdict.kkt_violation > 0.1
    assert "at multipliers so near their bounds that it costs nothing" in str(verdict)
    assert "costs nothing" not in str(certify_machine(BELL, X, Y))


@pytest.mark.parametrize(("name", "kernel"), [("linear", Linear()), ("rbf", RBF(0.5))])
def test_rows_and_c_are_suspected_where_the_multipliers_contradict_them(name, kernel):
    """Not where these prove the optimum, though C multiplies a tolerance and the excess is large.

    A few rows too many, or a forgotten weight, leave a small excess and a large KKT violation. A
    much smaller excess needs no explanation, though multipliers close to a bound violate as much.
    """
    model = SVC(kernel=name, gamma=0.5, tol=1e-6)
    fewer, weighted = copy(model).fit(X[20:], Y[20:]), model.fit(X, Y, np.where(Y > 0, 0.7, 1.0))
    for model in fewer, weighted:
        numbers = model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0])
        verdict = certify_machine(Machine(*numbers, kernel, C=1.0), X, Y)
        assert verdict.kkt_violation > 0.1
        assert 1e-4 < verdict.excess < 0.1
        assert "\ncheck that X has the rows of training" in str(verdict)
        assert str(verdict).endswith("and that C, weights, loss and bias are those of training")
    A, y = elsewhere.load("penguins")
    verdict = certify_machine(SVC(kernel="linear", C=1000.0).fit(A, y), A, y)
    assert verdict.is_far_off
    assert verdict.dual > 0.999 * verdict.lower
    assert verdict.note == ""
    machines = (a.machine for a in elsewhere.answers() if a.program.startswith("npm svm"))
    verdict = certify_machine(next(m for m in machines if m.kernel == RBF(0.5)), X, Y)
    assert verdict.kkt_violation > 0.1
    assert verdict.note == ""


def test_a_smaller_c_is_suspected_for_a_reason_only():
    """Not where multipliers are 0, are a pair, which Σ α_i y_i = 0 makes equal, or are optimal."""
    A, y = np.array([[-1.0, 0.0], [-1.0, 5.0], [1.0, 0.0], [1.0, 5.0]]), np.array([-1, -1, 1, 1])
    for alpha in np.zeros(4), [0, 0.1, 0.1, 0], np.full(4, 0.25), np.full(4, 0.1):
        verdict = certify_machine((alpha * y, 0.0), A, y, C=1.0, kernel=Linear())
        assert ("times their C" in verdict.note) == (alpha[0] == 0.1), alpha


def test_a_verdict_names_the_problem():
    m = Machine([[1.0, 1.0]], [1.0], 0.5, C=0.3, classes=("a", "b"), class_weight=(1.0, 3.0))
    given = {"loss": "squared_hinge", "bias": "penalised"}
    text, plain = (
        str(certify_machine(replace(m, **changes), X, np.where(Y > 0, "b", "a")))
        for changes in (given | {"intercept_scaling": 5.0}, {"class_weight": (1.0, 1.0)})
    )
    problem = "minimises ½‖w‖² + C Σ max(0, 1 − y f){}, C = 0.3{}; bias {}\n"
    weights = ", times 1 for 'a', times 3 for 'b'"
    doubled = str(certify_machine(m, X, np.where(Y > 0, "b", "a"), sample_weight=np.full(200, 2.0)))
    assert problem.format("", weights + ", times sample_weight", "free") in doubled
    assert problem.format("²", weights, "penalised, b²/(2·5²)") in text
    assert problem.format("", "", "free") in plain


# LIBSVM's files

FITTED = [
    SVC().fit(X, Y.astype(int)),
    SVC(kernel="linear").fit(X, 3 - Y.astype(int)),
    SVC(kernel="poly", coef0=1.0, gamma=0.1).fit(*IRIS),
    SVC(kernel="sigmoid", gamma=0.01).fit(X, Y.astype(int)),
    SVC(gamma=0.1, class_weight="balanced").fit(IRIS[0], np.take([1, 0, 2], IRIS[1])),
    NuSVC(nu=0.3).fit(*IRIS),
    SVR(gamma=0.3).fit(X, X[:, 0]),
    NuSVR(gamma=0.3).fit(X, X[:, 1]),
    OneClassSVM(nu=0.2).fit(X),
    svmlib.SVC().fit(X, Y.astype(int)),
]


@pytest.mark.parametrize(
    "machine",
    [
        *FITTED,
        LinearSVC().fit(X, Y.astype(int)),
        SGDClassifier(random_state=0).fit(X, 3 - Y.astype(int)),
        read_liblinear(HERE / "liblinear-3-noisy.model"),
        Machine(X[:9], np.tile([-1.0, 0.5, 0.7], 3), 0.1, RBF(0.5), (7, 3)),
        Machine(np.arange(9.0)[:, None], np.tile([-1.0, 0.5, 0.7], 3), 0.1, "precomputed"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_files_have_every_digit_and_the_answers_of_the_machine(machine, tmp_path):
    gram = getattr(machine, "kernel", 0) == "precomputed"
    A = GRAM if gram else IRIS[0] if getattr(machine, "n_features_in_", 0) == 4 else X
    write_libsvm(machine, tmp_path / "model")
    found, answers = read_libsvm(tmp_path / "model"), machine.predict(A)
    write_libsvm(found, tmp_path / "again")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()
    assert_allclose(found.predict(A), answers, rtol=1e-12)
    if hasattr(machine, "dual_coef_"):
        assert {*np.abs(found.coefficients).ravel()} == {*np.abs(machine.dual_coef_).ravel()}
        assert {*map(tuple, found.points)} == {*map(tuple, machine.support_vectors_)}
        assert_array_equal(np.abs(found.rho), np.abs(machine.intercept_))
    if len(found.labels) == 2:
        f = machine.decision_function(A).ravel()
        assert_allclose(found.decision_function(A), f, rtol=1e-12, atol=1e-12)
        assert_array_equal(found.as_machine().predict(A), answers)
        first = np.arange(len(found.points)) < found.n_support[0]  # those of the first label
        assert_array_equal(found.coefficients[0] >= 0, first)
    rows(tmp_path / "rows", A, np.zeros(len(A)), precomputed=gram)
    run("svm-predict", "rows", "model", "out", cwd=tmp_path)
    assert_allclose(np.loadtxt(tmp_path / "out"), answers, rtol=1e-5)  # printed with six digits


@pytest.fixture
def programs(tmp_path):
    def trained(program, A, y, *options):
        if A is not None:
            rows(tmp_path / "rows", A, y)
        run(f"{program}train", *options, "rows", "model", cwd=tmp_path)
        run(f"{program}predict", "rows", "model", "out", cwd=tmp_path)
        return tmp_path / "model", np.loadtxt(tmp_path / "out")

    return trained


def rows(path, A, y, precomputed=False):
    lines = []
    for i, (x, label) in enumerate(zip(A.tolist(), y, strict=True), 1):
        pairs = [f"{j}:{v!r}" for j, v in enumerate(x, 1)]
        lines.append(" ".join([f"{label:g}", *[f"0:{i}"][: int(precomputed)], *pairs]))
    path.write_text("\n".join(lines) + "\n")


def run(program, *arguments, cwd):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed: apt-get install libsvm-tools liblinear-tools")
    subprocess.run([program, "-q", *map(str, arguments)], cwd=cwd, check=True, timeout=60)


@pytest.mark.parametrize("labels", [(-1, 1), (1, 2), (5, -3)])
@pytest.mark.parametrize("first", [-1, 1])
def test_what_libsvm_has_written_is_read_whatever_its_first_row_was(labels, first, programs):
    order = np.argsort(-first * Y, kind="stable")
    A, y = X[order], np.where(Y[order] > 0, labels[1], labels[0])
    model, answers = programs("svm-", A, y, "-g", "0.5")
    found = read_libsvm(model)
    assert_array_equal(found.predict(A), answers)
    assert_array_equal(found.as_machine().predict(A), answers)
    assert found.as_machine().C is None, "the file does not say"
    verdict = certify_machine(found, A, y, C=1.0)
    assert verdict.excess < 1e-4
    assert verdict.dual > verdict.upper * (1 - 1e-4)  # of multipliers found by eight digits


@pytest.mark.parametrize(
    ("solver", "loss"), [(1, "squared_hinge"), (2, "squared_hinge"), (3, "hinge")]
)
@pytest.mark.parametrize("constant", [-1, 0, 1, 2])
def test_what_liblinear_has_written_is_read(solver, loss, constant, programs):
    model, answers = programs("liblinear-", X, Y, "-s", solver, "-B", constant, "-e", 1e-8)
    found = read_liblinear(model)
    assert_array_equal(found.predict(X), answers)
    assert found.as_machine().loss == loss
    verdict = certify_machine(found, X, Y, C=1.0)
    assert verdict.excess < 1e-6
    assert verdict.machine.bias == ("penalised" if constant > 0 else "none")


@pytest.mark.parametrize(
    ("read", "program", "options"),
    [
        (read_libsvm, "svm-", ["-g", "0.5"]),
        (read_liblinear, "liblinear-", ["-s", "3", "-e", "1e-8"]),
        (read_liblinear, "liblinear-", ["-s", "3", "-B", "1", "-e", "1e-8"]),
    ],
)
def test_columns_that_count_from_0_are_read(read, program, options, programs, tmp_path):
    """Only LIBSVM takes 0 for an index like others. An empty first column has none in the file."""
    for A in ([X] if read is read_libsvm else []) + [np.column_stack([np.zeros(len(X)), X])]:
        dump_svmlight_file(A, Y, str(tmp_path / "rows"))
        model, answers = programs(program, None, None, *options)
        found = read(model, zero_based=True)
        assert_array_equal(found.predict(A), answers)
        assert certify_machine(found, A, Y, C=1.0).excess < 1e-4
        if A is X:
            assert_array_equal(read(model).predict(X), answers)
            with pytest.raises(ValueError, match=r"line .*: expected indices of at least 1"):
                read(model, zero_based=False)
    for given in {}, {"zero_based": False}, {"zero_based": "auto"}:
        assert_array_equal(read(model, **given).predict(X), answers)
    with pytest.raises(ValueError, match='zero_based must be True, False or "auto", got 2'):
        read(model, zero_based=2)


@pytest.mark.parametrize("solver", range(8))
@pytest.mark.parametrize("labels", [(-1, 1), (1, -1), (1, 2), (3, 1, 2)])
def test_a_score_of_zero_has_liblinears_label(solver, labels, programs):
    A = np.vstack([np.eye(3)[np.arange(len(labels))], np.zeros((1, 3))])
    model, answers = programs("liblinear-", A, [*labels, labels[0]], "-s", solver)
    found = read_liblinear(model)
    assert not found.decision_function(A)[-1].any()
    assert_array_equal(found.predict(A), answers)
    if solver in (1, 2, 3) and len(labels) == 2:
        assert_array_equal(found.as_machine().predict(A[:2]), labels)


@pytest.mark.parametrize(
    ("solver", "constant", "bound"),
    [(1, -1, 1e-3), (1, 1, 1e-2), (1, 3, 1e-2), (2, 1, 1e-2), (3, 1, 1e-2), (4, 1, None)],
)
def test_each_class_of_liblinear_is_judged_as_the_error_says(solver, constant, bound, programs):
    """Scores of class k are positive for it; C, loss, bias and weights are as the error says."""
    weights = [option for k in range(3) for option in (f"-w{k}", WEIGHT[k])]
    options = ["-s", solver, "-B", constant, "-e", 1e-8, *weights]
    file, answers = programs("liblinear-", BLURRED, IRIS[1], *options)
    model = read_liblinear(file)
    assert model.labels == (0, 1, 2)
    assert_array_equal(model.predict(BLURRED), answers)
    message = "one w for each of several.*y == labels" if bound else "one of .*got MCSVM_CS"
    with pytest.raises(ValueError, match=message) as told:
        model.as_machine()
    if bound:
        given = dict(re.findall(r'(loss|bias)="(\w+)"', str(told.value)))
        one = re.search(r"give (.*?) and y == ", str(told.value))[1]
        assert one.startswith("Machine(") == (constant == 3)
        check_advice(str(told.value), one, vars(model), bound, **given)


@pytest.mark.parametrize("constant", [-1, 1, 3])
@pytest.mark.parametrize("labels", [(-1, 1), (7, 3)])
def test_crammer_and_singers_file_of_two_classes_is_judged_as_the_error_says(
    labels, constant, programs
):
    y = np.where(Y > 0, labels[1], labels[0])
    file, answers = programs("liblinear-", X, y, "-s", 4, "-B", constant, "-c", 0.5, "-e", 1e-8)
    model = read_liblinear(file)
    with pytest.raises(ValueError, match="twice the C") as told:
        model.as_machine()
    given = dict(re.findall(r'(loss|bias)="(\w+)"', str(told.value)))
    one = re.search(r"; give (.*) with twice the C", str(told.value))[1]
    machine = eval(one, {**vars(model), "np": np, "Machine": Machine})
    assert certify_machine(machine, X, y, C=1.0, **given).excess < 1e-4
    assert certify_machine(machine, X, y, C=0.5, **given).excess > 1e-4
    assert_array_equal(machine.predict(X), answers)


def test_two_classes_of_a_gram_matrix_are_judged_as_the_error_says(tmp_path):
    A, y = IRIS
    K = RBF(0.1)(A, A)
    write_libsvm(SVC(kernel="precomputed", tol=1e-7).fit(K, y), tmp_path / "model")
    model = read_libsvm(tmp_path / "model")
    for keep in y >= 0, y != 1:
        with pytest.raises(ValueError, match="two classes if X is a Gram matrix") as told:
            certify_machine(model, K[np.ix_(keep, keep)], y[keep], C=1.0)
    keep, machine, rows, named, m = re.search(
        r"keep = (.*) and m = (.*), and give (X.*), (y.*) and dataclasses.(.*)$", str(told.value)
    ).groups()
    names = {"np": np, "model": model, "replace": replace, "y": y, "X": K, "a": 0, "b": 2}
    names["keep"] = eval(keep, names)
    names["m"] = eval(machine, names)
    verdict = certify_machine(*(eval(code, names) for code in (m, rows, named)), C=1.0)
    assert verdict.excess < 1e-6
    assert verdict.box_violation == 0


GOOD = (HERE / "libsvm-noisy-rbf.model").read_text()
other = GOOD.replace
BAD = [
    ("solver_type L2R_LR\n", "solver_type is .*: use read_liblinear"),
    ("1 1:0.5 2:0.3\n", "this looks like training data, not a model"),
    ("svm_type c_svc\n", "line 1: the file ends before its line 'SV'"),
    (other("svm_type c_svc\n", ""), "line 8: expected a line 'svm_type' before this one"),
    (other("c_svc", "k_svc"), "line 1: svm_type must be one of"),
    (other("rbf", "wave"), "line 2: kernel_type must be one of"),
    (other("gamma 0.5", "gamma nan"), "line 3: expected a finite number, got 'nan'"),
    (other("gamma 0.5", "gamma -1"), "line 3: gamma must be positive"),
    (other("gamma 0.5\n", ""), "line 8: expected a line 'gamma' before this one"),
    (other("gamma 0.5", "gamma 0.5\ngamma 0.6"), "line 4: expected one of"),
    (other("gamma 0.5", "gamma"), "line 3: expected one of"),
    (other("gamma 0.5", "\ngamma 0.5"), "line 3: expected one of"),
    (other("gamma 0.5", "gamma 0_5"), "line 3: expected a finite number, got '0_5'"),
    (other("rbf\ngamma", "polynomial\ndegree 0\ncoef0 1\ngamma"), "line 3: expected numbers of at"),
    (other("rbf\ngamma 0.5", "polynomial\ndegree 2\ngamma 0\ncoef0 1"), "line 4: gamma must be"),
    (other("nr_class 2", "nr_class 1"), "line 4: expected at least 2 classes: all training rows"),
    (other("nr_class 2", "nr_class 0"), "line 4: expected numbers of at least 2"),
    (GOOD[:-3], "line 91: expected a newline at the end .* append a newline"),
    (other("rho ", "rho 1 "), "line 6: expected 1 numbers, got 2"),
    (other("label 1 -1", "label 1 1"), r"line 7: .* different classes, got \[1, 1\]"),
    (other("label 1 -1", "label 1"), "line 7: expected 2 numbers, got 1"),
    (other("label 1 -1", f"label 1 {2**53 + 1}"), "line 7: expected integers"),
    (other("label 1 -1", f"label 1 {-(2**31) - 1}"), "line 7: labels .* 32 bits"),
    (other("label 1 -1", f"label {2**31} 1"), "line 7: labels .* 32 bits"),
    (other("total_sv ", "total_sv 1"), "line 8: nr_sv must add up to total_sv, 182"),
    (other("\nSV\n", "\nprobA 1 x\nSV\n"), "line 9: expected a finite number, got 'x'"),
    (other("\nSV\n", "\nSV\n\n"), "line 10: expected 1 numbers, got 0"),
    (GOOD[: GOOD.index("\n", len(GOOD) // 2) + 1], "support vectors, got"),
    (
        other("nr_sv 42 40", f"nr_sv {10**13} 40").replace("sv 82", f"sv {10**13 + 40}"),
        "line 91: expected 10000000000040 support vectors, got 82",  # and no memory for them
    ),
    (GOOD + "1 1:2 2:3\n", "line 92: expected 82 support vectors, got 83"),
    (other(" 2:", " 2;"), "line 10: expected pairs index:value"),
    (other(" 2:", " 1:"), "line 10: indices must ascend"),
    (other(" 1:", " -1:"), "line 10: expected numbers of at least 0"),
    (other(" 2:", " 999999999999:"), "must have at most 134217728 numbers, got 82 support"),
    (other("rbf\ngamma 0.5", "precomputed"), "line 9: expected 0:row"),
    (other("rbf", "rbf\u00e9"), "ASCII"),
]


LINE = (HERE / "liblinear-3-noisy.model").read_text()
other_line = LINE.replace
BAD_LINE = [
    ("svm_type c_svc\n", "line 1: svm_type .* another kind .* use read_libsvm"),
    ("", "the file ends before its line 'w'"),
    (other_line("nr_feature 2", "nr_feature 3"), "line 9: expected 4 rows of weights, got 3"),
    (other_line("bias 1\n", ""), "line 5: expected a line 'bias' before this one"),
    (LINE + "1 2\n", "line 10: expected 1 numbers, got 2"),
    (LINE[:-3], "line 9: expected a newline at the end of the file"),
    (other_line("L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVR"), "line 1: solver_type must be one"),
    (other_line("L2R_L1LOSS_SVC_DUAL", "L1R_LR"), "L1R_LR"),  # which has no penalty of ours
]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [(read_libsvm, *case) for case in BAD] + [(read_liblinear, *case) for case in BAD_LINE],
)
def test_a_bad_file_is_an_error_that_names_its_line(read, text, message, tmp_path):
    path = tmp_path / "bad.model"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as told:
        read(path).as_machine()
    assert "bad.model" in str(told.value) or "L1R_LR" in message


def test_the_good_file_is_good(tmp_path):
    good, points = tmp_path / "good", read_libsvm(HERE / "libsvm-noisy-rbf.model").points
    from_0 = GOOD.replace(" 1:", " 0:").replace(" 2:", " 1:")
    sparse = re.sub(r" 0:\S+", "", from_0, count=1)  # in the first row
    for text in from_0, GOOD.replace("\n", "\r\n"), GOOD + "\n\n", sparse, GOOD:
        good.write_bytes(text.encode())
        assert_array_equal(read_libsvm(good).points[text is sparse :], points[text is sparse :])
    assert read_libsvm(good).labels == (1, -1)
    with pytest.raises(ValueError, match="n_features must be at least 2, got 1"):
        read_libsvm(good, n_features=1)


@pytest.mark.parametrize(
    ("kind", "lines", "answer"), [("one_class", "", -1), ("c_svc", "label 3 5\nnr_sv 1 0\n", 5)]
)
def test_a_score_of_zero_is_the_second_answer(kind, lines, answer, tmp_path):
    head = f"svm_type {kind}\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 1\n{lines}"
    (tmp_path / "model").write_text(f"{head}SV\n1 1:1\n")
    assert read_libsvm(tmp_path / "model").predict([[1.0]]) == [answer]


@pytest.mark.parametrize("solver", [0, 7])
def test_logistic_regression_is_written_but_not_judged_by_its_loss(solver, programs, tmp_path):
    model, answers = programs("liblinear-", X, Y, "-s", solver, "-B", 1)
    found = read_liblinear(model)
    write_libsvm(found, tmp_path / "other")
    assert_array_equal(read_libsvm(tmp_path / "other").predict(X), answers)
    with pytest.raises(ValueError, match="loss must be one of"):
        certify_machine(found, X, Y, C=1.0)


def test_a_regression_of_e1071_has_labels_that_mean_nothing(tmp_path):
    """R's write.svm writes them for every kind of machine."""
    write_libsvm(FITTED[6], tmp_path / "model")
    text = (tmp_path / "model").read_text().replace("SV\n", "label 0 0\nnr_sv 0 0\nSV\n")
    (tmp_path / "model").write_text(text)
    found = read_libsvm(tmp_path / "model")
    assert_allclose(found.predict(X), FITTED[6].predict(X), rtol=1e-12)
    assert found.labels == found.n_support == ()


def test_what_e1071_has_written_is_read_with_its_scales():
    """The labels are the numbers of the factor's levels, and the columns as it had scaled them."""
    mean, deviation = np.loadtxt(HERE / "e1071-noisy-scaled.txt").T
    assert_allclose([mean, deviation], [X.mean(axis=0), X.std(axis=0, ddof=1)], rtol=1e-9)
    model, scaled = read_libsvm(HERE / "e1071-noisy-scaled.model"), (X - mean) / deviation
    with pytest.raises(ValueError, match=r"got \[-1.0\]: .* e1071 as np.unique.* \+ 1$"):
        certify_machine(model, scaled, Y, C=1.0)
    verdict = certify_machine(model, scaled, np.unique(Y, return_inverse=True)[1] + 1, C=1.0)
    assert verdict.excess < 1e-4
    assert verdict.box_violation == 0


LARGE = LibsvmModel("c_svc", Linear(), (2**31, 0), np.zeros(1), np.ones((1, 1)), X[:1], (1, 0))
NO_GAMMA = SVC().fit(X, Y)  # as a class has it that only behaves like SVC
del NO_GAMMA._gamma


# ONNX


MACHINES = [
    Machine(X[:9], np.tile([1.0, -0.5, -0.5], 3), 0.1, kernel)
    for kernel in (Linear(), RBF(0.5), Polynomial(3, 0.2, 1.0), Sigmoid(0.1, -0.2))
]


def runtime(machine, path, A, dtype):
    reason = "onnx and onnxruntime are not installed: pip install onnx onnxruntime"
    pytest.importorskip("onnx", reason=reason)
    onnxruntime = pytest.importorskip("onnxruntime", reason=reason)
    write_onnx(machine, path, dtype=dtype)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    label, score = session.run(["label", "score"], {"X": A.astype(dtype)})
    return label, score[:, 0]


def test_single_precision_costs_digits_and_a_tie_is_the_second_classs(tmp_path):
    label, score = runtime(MACHINES[1], tmp_path / "model.onnx", X, "float32")
    error = np.abs(score - MACHINES[1].decision_function(X)).max()
    assert 1e-9 < error < 1e-5
    tie = Machine(np.array([[1.0, 0.0]]), np.ones(1), 0.0, classes=("a", "b"))
    label, score = runtime(tie, tmp_path / "tie.onnx", np.array([[0.0, 3.0]]), "float32")
    assert (label[0], score[0]) == ("b", 0.0)


ESTIMATORS = [
    SVC(class_weight="balanced").fit(X, Y),
    SVC(kernel="poly", degree=2, coef0=1.0).fit(X, np.where(Y > 0, "a", "b")),
    SVC().fit(X, np.where(Y > 0, "a", "b").astype(object)),
    LinearSVC(class_weight="balanced").fit(X, Y.astype(int)),
    RidgeClassifier().fit(X, Y.astype(int)),
    svmlib.SVC().fit(X, Y),
    read_libsvm(HERE / "libsvm-noisy-rbf.model").as_machine(),
    *[
        Pipeline([("nothing", "passthrough"), ("scale", scaler), ("svm", machine)]).fit(X, Y)
        for scaler in (
            StandardScaler(),
            StandardScaler(with_mean=False),
            StandardScaler(with_std=False),
            StandardScaler(with_mean=False, with_std=False),
            None,
        )
        for machine in (SVC(), SVC(kernel="poly"), SVC(kernel="sigmoid"), LinearSVC())
    ],
]
CLASSES = [(-1, 1), ("no", "yes"), (7, 3), (False, True)]


@pytest.mark.parametrize(
    "model",
    ESTIMATORS + [replace(m, classes=classes) for m in MACHINES for classes in CLASSES],
    ids=lambda model: type(model).__name__,
)
def test_onnxruntime_gives_our_labels_and_scores(model, tmp_path):
    label, score = runtime(model, tmp_path / "model.onnx", X, "float64")
    assert_allclose(score, model.decision_function(X), atol=1e-11)
    assert_array_equal(label, model.predict(X))
    kind = model.predict(X).dtype.kind
    assert label.dtype.kind in (kind, "O", "i" if kind == "f" else kind)


def test_without_onnx_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r"svmlib\[onnx\]"):
        write_onnx(MACHINES[0], tmp_path / "x")


class Cubed(Linear):
    """Another formula than its class has."""

    def __call__(self, A, B):
        return (A @ B.T) ** 3


NO_LIBSVM = [
    (NO_GAMMA, "must have a number for gamma"),
    (replace(MACHINES[0], kernel=Cubed()), "one of LIBSVM's kernels"),
    (SVC().fit(X, np.where(Y > 0, "b", "a")), "labels must be integers"),
    (make_pipeline(StandardScaler(), SVC()).fit(X, Y), "for a pipeline, give the last step"),
    (GridSearchCV(SVC(), {"C": [1]}).fit(X, Y), "; for a search, give best_estimator_"),
    (([1.0, 2.0], 0.0), r"for \(w, b\), give Machine\(w\[None\], \[1.0\], b, classes="),
    (SVC(kernel=lambda A, B: A @ B.T).fit(X, Y), "one of the kernels"),
    (svmlib.SVC(kernel=lambda A, B: A @ B.T).fit(X, Y), "one of LIBSVM's kernels"),
    (SVC(), "machine must be a fitted SVC.*; call fit first"),
    (LinearSVC(), "machine must be a fitted SVC"),
    (SimpleNamespace(dual_coef_=Y), "machine must be a fitted SVC, NuSVC, SVR"),
    (LinearSVC().fit(*IRIS), "machine must be for two classes, got 3"),
    (LinearSVC().fit(X, Y > 0), "labels must be integers"),
    (Machine(X[:2], np.ones(2), 0.0, classes=(0.5, 1)), "labels must be integers"),
    (SVC().fit(X, np.where(Y > 0, 2**31, 0)), "labels must be integers of 32 bits"),
    (LARGE, "labels must be integers of 32 bits"),
]
TWICE = StandardScaler(), StandardScaler()


class OwnScaler(StandardScaler):
    def transform(self, X):
        return 2 * X


NO_ONNX = [
    (SVC().fit(*IRIS), r"for two classes, got 3; .* or read_libsvm\(...\).pair\(\[a, b\]\)"),
    (make_pipeline(MinMaxScaler(), SVC()).fit(X, Y), r"one fitted StandardScaler .* got \[MinMax"),
    (make_pipeline(*TWICE, SVC()).fit(X, Y), r"got \[StandardScaler\(\), StandardScaler\(\)\]"),
    (Pipeline([("a", StandardScaler()), ("b", SVC().fit(X, Y))]), "one fitted StandardScaler"),
    (make_pipeline(OwnScaler(), SVC()).fit(X, Y), r"got \[OwnScaler"),
    (make_pipeline(StandardScaler(), SVR()).fit(X, Y), "only SVR"),
    (SVC(), "machine must be a fitted SVC"),
    (SVC(kernel="precomputed").fit(X @ X.T, Y), "one of LIBSVM's kernels"),
    (replace(MACHINES[0], kernel=Cubed()), "one of LIBSVM's kernels"),
    (SVR().fit(X, Y), "write_libsvm writes only SVR, NuSVR and OneClassSVM; none"),
    (replace(MACHINES[0], classes=(0.5, 1.0)), "labels must be integers, Booleans or"),
]


@pytest.mark.parametrize(
    ("write", "model", "message"),
    [(write_libsvm, *case) for case in NO_LIBSVM] + [(write_onnx, *case) for case in NO_ONNX],
)
def test_what_a_file_has_no_place_for_is_refused(write, model, message, tmp_path):
    if write is write_onnx:
        pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=message):
        write(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
