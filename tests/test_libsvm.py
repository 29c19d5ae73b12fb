"""Files of LIBSVM keep every digit, and bad ones say why."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

import svmlib
from svmlib import _libsvm
from svmlib.kernels import RBF, Linear
from svmlib.machines import Machine, certify_machine
from svmlib.model_files import LibsvmModel, read_liblinear, read_libsvm, write_libsvm
from tests.hostile import Cubed
from tests.machines import GRAM, HERE, IRIS, MACHINES, W, X, Y, rows, run, train

FITTED = [
    SVC().fit(X, Y.astype(int)),
    SVC(kernel="linear").fit(X, 3 - Y.astype(int)),
    SVC(kernel="poly", degree=1, coef0=1.0, gamma=0.1).fit(*IRIS),
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
        SGDClassifier(random_state=0, fit_intercept=False).fit(X, 3 - Y.astype(int)),
        read_liblinear(HERE / "liblinear-3-noisy.model"),
        Machine(X[:9], np.tile([-1.0, 0.0, 0.7], 3), 0.1, RBF(0.5), (7, 3)),
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
        assert (found.as_machine().support is None) == (len(found.points) == 1), "one point is w"
    rows(tmp_path / "rows", A, np.zeros(len(A)), precomputed=gram)
    run("svm-predict", "rows", "model", "out", cwd=tmp_path)
    assert_allclose(np.loadtxt(tmp_path / "out"), answers, rtol=1e-5)  # printed with six digits


def test_a_machine_for_two_is_asked_for(tmp_path):
    for k in 2, 6:
        write_libsvm(FITTED[k], tmp_path / f"{k}")
    three, values = (read_libsvm(tmp_path / f"{k}") for k in (2, 6))
    empty = replace(three, svm_type="nu_svc", coefficients=0 * three.coefficients)
    assert empty.pair([0, 1]).C is None, "no multiplier says what it was"
    for ask, message in (
        (three.as_machine, "must be for two classes.* pair gives the machine for two"),
        (lambda: values.pair([0, 1]), "must be a classifier, got epsilon_svr; .*no certificate"),
        (lambda: W.decision_function(X[:, :1]), "X has 1 features, but the machine has 2"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


@pytest.mark.parametrize("labels", [(-1, 1), (1, 2), (5, -3)])
@pytest.mark.parametrize("first", [-1, 1])
def test_what_libsvm_has_written_is_read_whatever_its_first_row_was(labels, first, tmp_path):
    order = np.argsort(-first * Y, kind="stable")
    A, y = X[order], np.where(Y[order] > 0, labels[1], labels[0])
    model, answers = train(tmp_path, "svm-", A, y, "-g", "0.5")
    found = read_libsvm(model)
    assert_array_equal(found.predict(A), answers)
    assert_array_equal(found.as_machine().predict(A), answers)
    assert found.as_machine().C is None, "the file does not say"
    verdict = certify_machine(found, A, y, C=1.0)
    assert verdict.excess < 1e-4
    assert verdict.dual > verdict.upper * (1 - 1e-4)  # of multipliers found by eight digits


@pytest.mark.parametrize(
    ("read", "program", "options"),
    [
        (read_libsvm, "svm-", ["-g", "0.5"]),
        (read_liblinear, "liblinear-", ["-s", "3", "-e", "1e-8"]),
        (read_liblinear, "liblinear-", ["-s", "3", "-B", "1", "-e", "1e-8"]),
    ],
)
def test_columns_that_count_from_0_are_read(read, program, options, tmp_path):
    """Only LIBSVM takes 0 for an index like others. An empty first column has none in the file."""
    for A in ([X] if read is read_libsvm else []) + [np.column_stack([np.zeros(len(X)), X])]:
        dump_svmlight_file(A, Y, str(tmp_path / "rows"))
        model, answers = train(tmp_path, program, None, None, *options)
        found = read(model, zero_based=True)
        assert_array_equal(found.predict(A), answers)
        assert certify_machine(found, A, Y, C=1.0).excess < 1e-4
        if A is X:
            assert_array_equal(read(model).predict(X), answers)
            with pytest.raises(ValueError, match=r"line .*: expected indices of at least 1"):
                read(model, zero_based=False)
    for given in {}, {"zero_based": False}, {"zero_based": "auto"}:
        assert_array_equal(read(model, **given).predict(X), answers)
    for bad in 1, "yes":
        with pytest.raises(ValueError, match='zero_based must be True, False or "auto", got '):
            read(model, zero_based=bad)


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
    (other("label 1 -1", "label 1 0.5"), "line 7: expected integers, got 1 0.5"),
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
    (other(" 2:", " 2:1 2:"), "line 10: indices must ascend"),
    (other(" 1:", " -1:"), "line 10: expected numbers of at least 0"),
    (other(" 2:", " 999999999999:"), "must have at most 134217728 numbers, got 82 support"),
    *[
        (re.sub(r" 1:.*", pairs, other("rbf\ngamma 0.5", "precomputed")), "line 9: expected 0:row")
        for pairs in (" 1:1", " 0:0", " 0:1.5")
    ],
    (other("rbf", "rbf\u00e9"), "ASCII"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_bad_file_is_an_error_that_names_its_line(text, message, tmp_path):
    path = tmp_path / "bad.model"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as told:
        read_libsvm(path)
    assert "bad.model" in str(told.value)


def test_the_good_file_is_good(tmp_path, monkeypatch):
    monkeypatch.setattr(_libsvm, "_MAX_ENTRIES", 2 * 82)  # as many numbers as it has
    good, points = tmp_path / "good", read_libsvm(HERE / "libsvm-noisy-rbf.model").points
    from_0 = GOOD.replace(" 1:", " 0:").replace(" 2:", " 1:")
    sparse = re.sub(r" 0:\S+(.*\n.*) 1:\S+", r"\1", from_0, count=1)  # in the first two rows
    for text in from_0, GOOD.replace("\n", "\r\n"), GOOD + "\n\n", sparse, GOOD:
        good.write_bytes(text.encode())
        some = slice(2 if text is sparse else 0, None)
        assert_array_equal(read_libsvm(good).points[some], points[some])
    assert read_libsvm(good, n_features=2).labels == (1, -1)
    with pytest.raises(ValueError, match="n_features must be at least 2, got 1"):
        read_libsvm(good, n_features=1)


@pytest.mark.parametrize(
    ("kind", "lines", "answer"), [("one_class", "", -1), ("c_svc", "label 3 5\nnr_sv 1 0\n", 5)]
)
def test_a_score_of_zero_is_the_second_answer(kind, lines, answer, tmp_path):
    head = f"svm_type {kind}\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n{lines}"
    (tmp_path / "model").write_text(f"{head}SV\n1\n")  # the point is 0
    assert read_libsvm(tmp_path / "model").predict([[1.0]]) == [answer]


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
NO_LIBSVM = [
    (NO_GAMMA, "must have a number for gamma"),
    (replace(MACHINES[0], kernel=Cubed()), "one of LIBSVM's kernels"),
    (SVC().fit(X, np.where(Y > 0, "b", "a")), "labels must be integers"),
    (make_pipeline(StandardScaler(), SVC()).fit(X, Y), "for a pipeline, give the last step"),
    (GridSearchCV(SVC(), {"C": [1]}).fit(X, Y), "; for a search, give best_estimator_"),
    (([1.0, 2.0], 0.0), r"for \(w, b\), give Machine.linear\(w, b, classes="),
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


@pytest.mark.parametrize(("model", "message"), NO_LIBSVM)
def test_what_a_file_has_no_place_for_is_refused(model, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        write_libsvm(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
