"""Machines of other programs get true verdicts, or an error that says what to give instead."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier, SGDOneClassSVM
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, SVR, LinearSVC

import svmlib
from svmlib.book import elsewhere
from svmlib.kernels import RBF, Linear
from svmlib.machines import Machine, certify_machine
from tests.machines import (
    CURVED,
    FLAT,
    GRAM,
    HERE,
    IRIS,
    SQUARED,
    W,
    X,
    Y,
    gaussian,
    like,
    line,
    signed,
)

THREE = np.where(np.arange(len(Y)) % 3, Y, 5)  # labels of as many classes
BLOCK, PAIR = np.eye(900), 1.0 - 2 * (np.arange(900) % 2)  # more samples than X has, of two classes


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


class ArrayLikeKernel:
    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, A, B):
        return self.kernel(A, B)

    def __eq__(self, other):
        return np.array([False, False])

    __hash__ = object.__hash__

    def __len__(self):  # so it counts as false
        return 0


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
        (svmlib.SVC(kernel=ArrayLikeKernel(kernel), tol=1e-7).fit(X, Y), X, {}),
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


def rows_of_gram(*rows):
    return Machine(np.array(rows)[:, None], np.ones(len(rows)), 0.0, "precomputed", C=1.0)


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
        (rows_of_gram(2.0, 3.0), ROWS, "all training samples: the machine uses number 3"),
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
        (([1.0], 0.0), {"C": 1.0}, "w must have 2 entries, got 1"),
        (([1.0], 0.0), {"kernel": Linear()}, "β must have 200 entries, got 1"),
        ((Y, 0.0), {"C": 1.0}, "w must have 2 entries.*for β, one per row, give kernel="),
        (([[1.0], [2.0]], 0.0), {"C": 1.0}, "w must be a non-empty vector"),
        (([1.0, 2.0], 0.0), {}, "C must be given"),
        (([1.0, 2.0], 0.0), {"C": -1.0}, "C must be a positive number"),
        (([1.0, 2.0], 0.0), {"C": [1.0, 2.0]}, "C must be one number .*as sample_weight"),
        (SGDClassifier(alpha=0, eta0=1, learning_rate="constant").fit(X, Y), {}, "C must be given"),
        *[
            (W, {"C": C, "bias": "none", "sample_weight": 1e10 ** (1 + Y)}, "C must be finite")
            for C in (np.inf, 1e300)  # where only some products are infinite
        ],
        (([1.0, 2.0], 0.0), {"C": 1.0, "loss": "log"}, "loss must be one of .*'log'"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "bias": "penalized"}, "bias must be one of .*'penalized'"),
        (([1.0, 2.0], 0.0), {"kernel": "rbf"}, "kernel must be a kernel such as"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "tol": None}, "tol must be a positive .*, got None"),
        (([1.0, 2.0], np.nan), {"C": 1.0}, "b must be a finite number"),
        (([1.0, 2.0], 0.0), {"C": 1.0, "sample_weight": [1.0]}, "sample_weight must have"),
        (W, SQUARED | {"C": 1e300}, "C must be at most .*, got 1e.300; for the hard margin give"),
        (W, SQUARED | {"C": 1e90, "sample_weight": 1e10 ** (1 + Y)}, "at most .*, got 1e.110"),
        (W, SQUARED | {"sample_weight": 0 * Y}, "sample_weight must not be negative or all zero"),
        (([1.0, 2.0], 0.5), {"C": 1.0, "bias": "none"}, "b must be 0 if bias=.none., got 0.5"),
        (LogisticRegression().fit(X, Y), {}, "loss must be given: .* or is not an SVM"),
        (SGDClassifier(loss="log_loss").fit(X, Y), {}, "loss must be given: .* not an SVM"),
        (LinearSVC(penalty="l1").fit(X, Y), {}, "penalty"),
        (LinearSVC(multi_class="crammer_singer", max_iter=10**6).fit(X, Y), {}, "twice the C"),
        (SGDClassifier(loss="log_loss").fit(*IRIS), {}, "a hinge for its loss, got 'log_loss'"),
        (SGDClassifier(penalty="elasticnet", tol=0.1).fit(*IRIS), {}, "penalty"),
        (LinearSVC(multi_class="crammer_singer", tol=1).fit(*IRIS), {}, "one weight"),
        (SVC().fit(X, THREE), {"y": Y + 6}, "two of the machine's 3 classes; choose rows"),
        (RidgeClassifier().fit(X, THREE), {}, 'several.*"squared_hinge".*"penalised"'),
        (BaggingClassifier(SVC(), 2).fit(X, Y), {}, "for an ensemble, give one member"),
        (SGDOneClassSVM().fit(X), {}, "one-class machines.*none has a certificate"),
        (CalibratedClassifierCV(LinearSVC()).fit(X, Y), {}, "with its training rows"),
        (GridSearchCV(SVC(), {"C": [1]}, refit=False).fit(X, Y), {}, "keeps no machine: fit one"),
        (OneVsRestClassifier(SVC()).fit(X, Y), {}, r"estimators_\[k\] and y == classes_\[k\]"),
        (LinearSVC().fit(X[:, :1], Y), {}, "X has 2 features, but the machine has 1"),
        (SVC().fit(X[:, :1], Y), {}, "X has 2 features, but the machine has 1"),
        (SVC().fit(X, Y + 5), {}, "y must have the machine's labels .* give the y that was passed"),
        (FixedThresholdClassifier(SVC()).fit(np.hstack([X, X]), Y), {}, "2 features, .* has 4"),
        (SVC(kernel=gaussian).fit(X[:150], Y[:150]), {}, "must have the 150 rows of fit"),
        (SVC(kernel=gaussian).fit(X[::-1], Y[::-1]), {}, "the rows of fit in their order"),
        (SVC(kernel="precomputed").fit(GRAM, Y), {}, "square Gram matrix"),
        (SVC(kernel="precomputed").fit(BLOCK, PAIR), {"kernel": RBF(0.5)}, "all training samples"),
    ],
)
def test_what_cannot_be_judged_is_one_clear_error(machine, given, message):
    with pytest.raises(ValueError, match=message):
        certify_machine(machine, **{"X": X, "y": Y} | given)
