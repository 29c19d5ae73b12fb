"""Files of LIBLINEAR are read as it means them."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from svmlib.machines import Machine, certify_machine
from svmlib.model_files import read_liblinear, read_libsvm, write_libsvm
from tests.machines import BLURRED, HERE, IRIS, WEIGHT, X, Y, check_advice, train


@pytest.mark.parametrize(
    ("solver", "loss"), [(1, "squared_hinge"), (2, "squared_hinge"), (3, "hinge")]
)
@pytest.mark.parametrize("constant", [-1, 0, 1, 2])
def test_what_liblinear_has_written_is_read(solver, loss, constant, tmp_path):
    model, answers = train(tmp_path, "liblinear-", X, Y, "-s", solver, "-B", constant, "-e", 1e-8)
    found = read_liblinear(model)
    assert_array_equal(found.predict(X), answers)
    assert found.as_machine().loss == loss
    verdict = certify_machine(found, X, Y, C=1.0)
    assert verdict.excess < 1e-6
    assert verdict.machine.bias == ("penalised" if constant > 0 else "none")


@pytest.mark.parametrize("solver", range(8))
@pytest.mark.parametrize("labels", [(-1, 1), (1, 2), (3, 1, 2)])
def test_a_score_of_zero_has_liblinears_label(solver, labels, tmp_path):
    A = np.array([[1.0], [-1.0], [0.0]]) if len(labels) == 2 else np.eye(4, 3)
    model, answers = train(tmp_path, "liblinear-", A, [*labels, labels[0]], "-s", solver)
    found = read_liblinear(model)
    assert not found.decision_function(A)[-1].any()
    assert_array_equal(found.predict(A), answers)
    if solver in (1, 2, 3) and len(labels) == 2:
        assert_array_equal(found.as_machine().predict(A[:2]), labels)


@pytest.mark.parametrize(
    ("solver", "constant", "bound"),
    [(1, 0, 1e-3), (1, 1, 1e-2), (1, 0.5, 1e-2), (2, 1, 1e-2), (3, 1, 1e-2), (4, 1, None)],
)
def test_each_class_of_liblinear_is_judged_as_the_error_says(solver, constant, bound, tmp_path):
    """Scores of class k are positive for it; C, loss, bias and weights are as the error says."""
    weights = [option for k in range(3) for option in (f"-w{k}", WEIGHT[k])]
    options = ["-s", solver, "-B", constant, "-e", 1e-8, *weights]
    file, answers = train(tmp_path, "liblinear-", BLURRED, IRIS[1], *options)
    model = read_liblinear(file)
    assert model.labels == (0, 1, 2)
    assert_array_equal(model.predict(BLURRED), answers)
    message = "one w for each of several.*y == labels" if bound else "one of .*got MCSVM_CS"
    with pytest.raises(ValueError, match=message) as told:
        model.as_machine()
    if bound:
        given = dict(re.findall(r'(loss|bias)="(\w+)"', str(told.value)))
        one = re.search(r"give (.*?) and y == ", str(told.value))[1]
        assert one.startswith("Machine.linear(") == (constant == 0.5)
        check_advice(str(told.value), one, vars(model), bound, **given)


@pytest.mark.parametrize("constant", [-1, 0, 1, 3])
@pytest.mark.parametrize("labels", [(-1, 1), (7, 3)])
def test_crammer_and_singers_file_of_two_classes_is_judged_as_the_error_says(
    labels, constant, tmp_path
):
    A, y = X + 0.3, np.where(Y > 0, labels[1], labels[0])
    file, answers = train(
        tmp_path, "liblinear-", A, y, "-s", 4, "-B", constant, "-c", 0.5, "-e", 1e-8
    )
    model = read_liblinear(file)
    with pytest.raises(ValueError, match="twice the C") as told:
        model.as_machine()
    given = dict(re.findall(r'(loss|bias)="(\w+)"', str(told.value)))
    one = re.search(r"; give (.*) with twice the C", str(told.value))[1]
    machine = eval(one, {**vars(model), "np": np, "Machine": Machine})
    assert certify_machine(machine, A, y, C=1.0, **given).excess < 1e-6
    assert certify_machine(machine, A, y, C=0.5, **given).excess > 1e-4
    assert_array_equal(machine.predict(A), answers)


@pytest.mark.parametrize("solver", [0, 7])
def test_logistic_regression_is_written_but_not_judged_by_its_loss(solver, tmp_path):
    model, answers = train(tmp_path, "liblinear-", X, Y, "-s", solver, "-B", 1)
    found = read_liblinear(model)
    write_libsvm(found, tmp_path / "other")
    assert_array_equal(read_libsvm(tmp_path / "other").predict(X), answers)
    with pytest.raises(ValueError, match="loss must be given"):
        certify_machine(found, X, Y, C=1.0)


GOOD = (HERE / "liblinear-3-noisy.model").read_text()
other = GOOD.replace
BAD = [
    ("svm_type c_svc\n", "line 1: svm_type .* another kind .* use read_libsvm"),
    ("", "the file ends before its line 'w'"),
    (other("nr_feature 2", "nr_feature 3"), "line 9: expected 4 rows of weights, got 3"),
    (GOOD + "1 2\n", "line 10: expected 1 numbers, got 2"),
    (other("L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVR"), "line 1: solver_type must be one"),
    (other("L2R_L1LOSS_SVC_DUAL", "L1R_LR"), "L1R_LR"),  # which has no penalty of ours
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_bad_file_is_an_error_that_names_its_line(text, message, tmp_path):
    path = tmp_path / "bad.model"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as told:
        read_liblinear(path).as_machine()
    assert "bad.model" in str(told.value) or "L1R_LR" in message
