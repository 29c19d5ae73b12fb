"""ONNX graphs give our labels and scores, and what they have no place for is refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

import svmlib
from svmlib.machines import Machine
from svmlib.model_files import read_libsvm, write_onnx
from tests.hostile import Cubed
from tests.machines import HERE, IRIS, MACHINES, X, Y


def runtime(machine, path, A, dtype):
    reason = 'onnx and onnxruntime are not installed: pip install "svmlib[onnx]"'
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
    tie = Machine.linear([1.0, 0.0], 0.0, classes=("a", "b"))
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
    (replace(MACHINES[0], kernel=Cubed()), "one of LIBSVM's kernels"),
    (SVR().fit(X, Y), "write_libsvm writes only SVR, NuSVR and OneClassSVM; none"),
    (replace(MACHINES[0], classes=(0.5, 1.0)), "labels must be integers, Booleans or"),
]


@pytest.mark.parametrize(("model", "message"), NO_ONNX)
def test_what_a_graph_has_no_place_for_is_refused(model, message, tmp_path):
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=message):
        write_onnx(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
