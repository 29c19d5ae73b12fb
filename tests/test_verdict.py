"""A verdict says what it has found, and names the cause where there is one."""

import re
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from svmlib.book import elsewhere
from svmlib.kernels import RBF, Linear
from svmlib.machines import Machine, Rescaled, certify_machine
from svmlib.model_files import read_libsvm, write_libsvm
from svmlib.problem import DualProblem
from tests.machines import BELL, BETA, GRAM, LOSSES, OF_BELL, B, X, Y, gaussian


def worth(primal):
    return Rescaled(1.0, 0.0, primal)


@pytest.mark.parametrize("model", [SVC(), LinearSVC()], ids=repr)
def test_a_bad_verdict_begins_with_the_rows_that_may_be_wrong_and_a_good_one_ends_with_them(model):
    """Rows without the scaler, or rows that the machine has not seen, are the commonest mistake."""
    scaled = StandardScaler().fit_transform(X * [1, 50]), Y
    model.fit(*scaled)
    assert "check that X" not in str(certify_machine(model, *scaled))
    first = str(certify_machine(model, X * [1, 50], Y)).splitlines()[0]
    advice = "check that X has the training rows and no others, as the machine saw them"
    assert advice in first
    assert first.startswith("a support vector is not a row of X") == isinstance(model, SVC)
    fixed = FixedThresholdClassifier(model, threshold=0.5).fit(*scaled)  # whose note comes second
    noted = str(certify_machine(fixed, X * [1, 50], Y)).splitlines()
    assert (noted[0], "not judged: " in noted[1 + isinstance(model, LinearSVC)]) == (first, True)
    if isinstance(model, SVC):  # rows rounded in the sixth digit make no difference
        good = certify_machine(model, scaled[0] * (1 + 1e-6), Y)
        assert good.excess < 1e-3
        assert str(good).splitlines()[-1] == first


def test_class_weights_that_a_file_does_not_name_are_suggested_and_can_be_given(tmp_path):
    model = SVC(gamma=0.5, class_weight={-1: 0.5, 1: 3.0}, tol=1e-7).fit(X, Y.astype(int))
    write_libsvm(model, tmp_path / "model")
    found = read_libsvm(tmp_path / "model")
    assert "sample_weight" in str(certify_machine(found, X, Y, C=1.0))
    assert "C was larger" in str(certify_machine(SVC(C=10.0).fit(X, Y), X, Y, C=1.0))
    verdict = certify_machine(found, X, Y, C=1.0, sample_weight=np.where(Y > 0, 3.0, 0.5))
    assert (verdict.multiplier_note, verdict.is_optimal(1e-6)) == ("", True)


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
        assert far.is_optimal(np.inf)
        assert replace(far, lower=far.primal, upper=far.primal).is_optimal(0.0), "at most"


def test_a_score_of_the_other_sign_is_named_and_no_length_of_w():
    ours = certify_machine(([1.0, 1.0], 0.0), X, Y, C=1.0).ours
    turned = replace(ours, coefficients=-ours.coefficients, b=-ours.b)
    right, negated = (certify_machine(m, X, Y) for m in (ours, turned))
    for verdict, other in (right, negated), (negated, right):
        assert ("other sign" in str(verdict)) == (verdict is negated)
        assert "length" not in str(verdict)
        assert_allclose(verdict.negated, (-1, -verdict.machine.b, other.primal))
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
    said = r"useless at any length: w = 0 and b = -1 leave an excess of (\S+)"
    left = re.search(said, str(wrong))[1]
    assert_allclose(float(left), wrong.constant.primal / wrong.lower - 1, rtol=1e-2)
    assert "length" not in str(wrong).replace("any length", "")
    assert_allclose(wrong.constant, (0, -1, 40), err_msg="2 C for each of 20 rows")
    assert "useless" not in str(right)
    for best in [0.0, -1.0], [1e-9, -1.0]:  # all of one score: the optimum has no w, either
        alike = certify_machine(([best[0]], best[1]), np.ones((5, 1)), [-1, -1, -1, -1, 1], C=1.0)
        assert "useless" not in str(alike)


def test_a_wrong_bias_is_a_diagnosis_of_its_own():
    right, wrong, slightly = (
        certify_machine((BETA, B + off), X, Y, **OF_BELL) for off in (0, 0.3, 5e-4)
    )
    assert abs(wrong.best_bias.b - B) < 1e-4
    fault = "its b is not the best"
    assert (fault in str(right), fault in str(wrong)) == (False, True)
    assert wrong.best_bias.primal < right.primal * (1 + 1e-8) < wrong.primal
    assert 1e-6 < slightly.excess < 2e-4
    assert fault not in str(slightly), "what is negligible is no diagnosis"


@pytest.mark.parametrize(
    ("words", "given", "name", "quiet", "telling"),
    [
        ("check that X", {"dual": None}, "primal", 2.18, 2.22),
        ("check that X", {"primal": 2.002}, "kkt_violation", 0.09, 0.11),
        ("check that X", {"kkt_violation": 0.5}, "primal", 2 + 18e-5, 2 + 22e-5),
        ("check that X", {"primal": 2.4}, "dual", 1.99, 1.97),
        ("useless", {"primal": 4, "constant": worth(4)}, "best_scale", worth(3.979), worth(3.981)),
        ("its b is not the best", {"primal": 3}, "best_bias", worth(2.51), worth(2.49)),
        ("the other sign", {"primal": 3}, "negated", worth(1.51), worth(1.49)),
    ],
)
def test_a_hint_is_given_where_its_number_is_large_enough(words, given, name, quiet, telling):
    verdict = replace(certify_machine(BELL, X, Y), lower=2, upper=2, primal_ours=2, **given)
    texts = [str(replace(verdict, **{name: value})) for value in (quiet, telling)]
    assert [words in text for text in texts] == [False, True]


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
    assert verdict.upper == min(verdict.primal, verdict.primal_ours)
    assert verdict.excess == np.inf
    assert not verdict.is_optimal(0.5)
    assert "proves nothing" in str(verdict)
    assert not re.search("check that X|prove -inf", str(verdict))
    assert f"at most {verdict.primal:.5}" in str(verdict)


def test_no_answers_are_compared_with_a_solution_that_did_not_converge():
    A = np.random.default_rng(0).normal(size=(48, 5)) + 1e5
    t = np.tile([0, 1], 24)
    given = {"C": 1e8, "loss": "squared_hinge", "bias": "penalised"}
    text = str(verdict := certify_machine((np.zeros(5), 0.0), A, t, **given))
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
    assert certify_machine((beta, B), X, Y, **OF_BELL).multiplier_note == ""
    smaller = certify_machine((beta, B), X, Y, **OF_BELL | {"C": 0.9})
    assert "C was larger" in smaller.multiplier_note
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
        assert "\ncheck that X has the training rows" in str(verdict)
        ending = "and that C, weights, loss and bias are those used in training"
        assert str(verdict).endswith(ending)
    A, y = elsewhere.load("penguins")
    verdict = certify_machine(SVC(kernel="linear", C=1000.0).fit(A, y), A, y)
    assert verdict.excess > 0.1
    assert verdict.dual > 0.999 * verdict.lower
    assert "check that X" not in str(verdict)
    machines = (a.machine for a in elsewhere.answers() if a.program.startswith("npm svm"))
    verdict = certify_machine(next(m for m in machines if m.kernel == RBF(0.5)), X, Y)
    assert verdict.kkt_violation > 0.1
    assert "check that X" not in str(verdict)


def test_a_smaller_c_is_suspected_for_a_reason_only():
    """Not where multipliers are 0, are a pair, which Σ α_i y_i = 0 makes equal, or are optimal."""
    A, y = np.array([[-1.0, 0.0], [-1.0, 5.0], [1.0, 0.0], [1.0, 5.0]]), np.array([-1, -1, 1, 1])
    rounded = [0.1, 0.1 - 1e-12, 0.1 - 2e-12, 0]
    for alpha in np.zeros(4), [0, 0.1, 0.1, 0], np.full(4, 0.25), rounded:
        verdict = certify_machine((alpha * y, 0.0), A, y, C=1.0, kernel=Linear())
        assert ("times their C" in verdict.multiplier_note) == (alpha[0] == 0.1), alpha


def test_a_verdict_names_the_problem():
    m = Machine.linear([1.0, 1.0], 1, C=0.3, classes=["a", "b"], class_weight=[1.0, 3.0])
    assert type(m.b) is float
    given = {"loss": "squared_hinge", "bias": "penalised"}
    text, plain = (
        str(certify_machine(replace(m, **changes), X, np.where(Y > 0, "b", "a")))
        for changes in (given | {"intercept_scaling": 5.0}, {"class_weight": [1, 1]})
    )
    problem = "minimises ½‖w‖² + C Σ max(0, 1 − y f){}, C = 0.3{}; bias {}\n"
    weights = ", times 1 for 'a', times 3 for 'b'"
    doubled = str(certify_machine(m, X, np.where(Y > 0, "b", "a"), sample_weight=np.full(200, 2.0)))
    assert problem.format("", weights + ", times sample_weight", "free") in doubled
    assert problem.format("²", weights, "penalised, b²/(2·5²)") in text
    assert problem.format("", "", "free") in plain
