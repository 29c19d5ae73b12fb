"""Ask programs of Python for their machines on the book's data, and store the answers as JSON.

    python findings/answers/python_programs.py svmlib/book/elsewhere [NAME ...]

It runs in an environment of its own (the pins are in `answers.sh`). Each program is asked as a user
would ask it: its own defaults, but for C, the kernel and the width, which are named in the answer.
The data are `noisy.csv` and `penguins.csv` in the folder of the answers.
"""

import ctypes
import json
import os
import platform
import re
import sys
import tempfile
import warnings
from datetime import date
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import numpy as np

SMALL = ("noisy", 0.01)
QUESTIONS = ("noisy", 1.0), ("penguins", 1000.0), SMALL


def asked(*questions):
    """Yield the questions: name of the data, X, y, C."""
    for name, C in questions or QUESTIONS:
        table = np.loadtxt(Path(sys.argv[1]) / f"{name}.csv", delimiter=",", skiprows=1)
        yield name, table[:, :-1].copy(), table[:, -1].astype(int), C


def heard(fit, *question):
    """Return what fit returns, and its first warning, of Python or on its output, or ""."""
    with tempfile.TemporaryFile("w+") as said:
        kept = os.dup(1), os.dup(2)
        with warnings.catch_warnings(record=True, action="always") as caught:
            for stream in 1, 2:
                os.dup2(said.fileno(), stream)
            try:
                found = fit(*question)
            finally:
                sys.stdout.flush()
                ctypes.CDLL(None).fflush(None)  # of what is not Python
                for old, stream in zip(kept, (1, 2), strict=True):
                    os.dup2(old, stream)
                    os.close(old)
        said.seek(0)
        lines = [str(warning.message) for warning in caught] + said.read().splitlines()
    told = [line for line in lines if re.search("warning|converge|max.*iter", line, re.IGNORECASE)]
    return found, told[0].removeprefix("WARNING: ") if told else ""


def linear(fit, *questions, **given):
    """Ask for a linear machine each time; fit returns w and b."""
    for name, X, y, C in asked(*questions):
        (w, b), warned = heard(fit, X, y, C)
        w, b = np.ravel(w).tolist(), float(np.ravel(b)[0])
        yield {"data": name, "C": C, "w": w, "b": b, "warned": warned} | given


def radial(fit, *questions, gamma=0.5):
    """Ask for an RBF machine each time; fit returns β, one per row, and b."""
    for name, X, y, C in asked(*questions or QUESTIONS[:1]):
        (beta, b), warned = heard(fit, X, y, C, gamma)
        beta, b = np.ravel(beta).tolist(), float(np.ravel(b)[0])
        yield {"data": name, "C": C, "gamma": gamma, "beta": beta, "b": b, "warned": warned}


def spread(n, rows, values):
    beta = np.zeros(n)
    beta[rows] = np.ravel(values)
    return beta


def by_sklearn(make):
    def fit(X, y, C, *gamma):
        m = make(X, C, *gamma).fit(X, y)
        if gamma:
            return spread(len(X), m.support_, m.dual_coef_), m.intercept_
        return m.coef_, m.intercept_

    return fit


def sklearn_svc():
    from sklearn.svm import SVC

    yield from linear(by_sklearn(lambda X, C: SVC(C=C, kernel="linear")))
    yield from radial(by_sklearn(lambda X, C, g: SVC(C=C, gamma=g)))


def sklearn_linear_svc():
    from sklearn.svm import LinearSVC

    made = by_sklearn(lambda X, C: LinearSVC(C=C, random_state=0))
    yield from linear(made, loss="squared_hinge", bias="penalised")


def sklearn_linear_svc_hinge():
    from sklearn.svm import LinearSVC

    made = by_sklearn(lambda X, C: LinearSVC(C=C, loss="hinge", random_state=0))
    yield from linear(made, bias="penalised")


def crammer_singer():
    from sklearn.svm import LinearSVC

    options = {"multi_class": "crammer_singer", "random_state": 0}
    made = by_sklearn(lambda X, C: LinearSVC(C=C / 2, **options))
    yield from linear(made, SMALL, bias="penalised")


def sklearn_sgd():
    from sklearn.linear_model import SGDClassifier

    yield from linear(
        by_sklearn(lambda X, C: SGDClassifier(alpha=1 / (C * len(X)), random_state=0))
    )


def sklearnex():
    from sklearnex.svm import SVC

    yield from linear(by_sklearn(lambda X, C: SVC(C=C, kernel="linear")))
    yield from radial(by_sklearn(lambda X, C, g: SVC(C=C, gamma=g)))


def opencv():
    import cv2

    def train(X, y, C, kernel, gamma=1.0):
        m = cv2.ml.SVM_create()
        m.setType(cv2.ml.SVM_C_SVC)
        m.setKernel(kernel)
        m.setC(C)
        m.setGamma(gamma)
        m.train(np.float32(X), cv2.ml.ROW_SAMPLE, y.astype(np.int32))
        return m

    def line(X, y, C):
        m = train(X, y, C, cv2.ml.SVM_LINEAR)
        rho, alpha, index = m.getDecisionFunction(0)  # positive for the smaller label
        return -(alpha.ravel() @ m.getSupportVectors()[index.ravel()]), rho

    def bell(X, y, C, gamma):
        m = train(X, y, C, cv2.ml.SVM_RBF, gamma)
        rho, alpha, index = m.getDecisionFunction(0)
        points = m.getSupportVectors()[index.ravel()]
        rows = [int(np.flatnonzero((np.float32(X) == z).all(axis=1))[0]) for z in points]
        return spread(len(X), rows, -alpha), rho

    yield from linear(line)
    yield from radial(bell)


def vectors(dlib, X):
    rows = dlib.vectors()
    for x in X.tolist():
        rows.append(dlib.vector(x))
    return rows


def dlib_radial():
    import dlib

    def bell(X, y, C, gamma):
        trainer = dlib.svm_c_trainer_radial_basis()
        trainer.gamma, trainer.c_class1, trainer.c_class2 = gamma, C, C
        f = trainer.train(vectors(dlib, X), dlib.array(y.astype(float)))
        scores = np.array([f(dlib.vector(x)) for x in X.tolist()])
        K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))
        points = np.array([list(z) for z in f.basis_vectors])
        rows = [int(np.flatnonzero((z == X).all(axis=1))[0]) for z in points]
        A = np.column_stack([K[:, rows], -np.ones(len(X))])
        alpha = np.array(f.alpha).ravel()
        b = float(np.median(scores - A[:, :-1] @ alpha))
        return spread(len(X), rows, alpha), b

    yield from radial(bell, QUESTIONS[0], SMALL)


def dlib_linear():
    import dlib

    def line(X, y, C):
        trainer = dlib.svm_c_trainer_linear()
        trainer.set_c(C * len(X))  # its C is divided by n
        f = trainer.train(vectors(dlib, X), dlib.array(y.astype(float)))
        b = f(dlib.vector([0.0] * X.shape[1]))
        return [f(dlib.vector(e)) - b for e in np.eye(X.shape[1]).tolist()], b

    yield from linear(line, bias="penalised")


def by_mlpack(X, y, C, **options):
    from mlpack import linear_svm

    options |= {"num_classes": 2, "lambda_": 2 / (C * len(X))}
    m = linear_svm(training=X, labels=(y > 0).astype(np.uint64), **options)
    corners = np.vstack([np.zeros(X.shape[1]), np.eye(X.shape[1])])
    found = linear_svm(input_model=m["output_model"], test=corners)["probabilities"]
    # The column of the label that is seen first comes first, whatever the label is.
    scores = (found[:, 1] - found[:, 0]) * (1 if y[0] < 0 else -1)
    return scores[1:] - scores[0], scores[0]


def mlpack():
    yield from linear(by_mlpack, bias="penalised")


def mlpack_psgd():
    options = {"optimizer": "psgd", "step_size": 1e-4, "epochs": 300, "seed": 1}
    yield from linear(partial(by_mlpack, **options), SMALL, bias="penalised")


def spark():
    from pyspark.ml.classification import LinearSVC
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").getOrCreate()

    def line(X, y, C):
        rows = [(float(label > 0), Vectors.dense(x)) for x, label in zip(X, y, strict=True)]
        table = session.createDataFrame(rows, ["label", "features"]).coalesce(1).cache()
        m = LinearSVC(regParam=1 / (C * len(X)), standardization=False).fit(table)
        return m.coefficients.toArray(), m.intercept

    for answer in linear(line, SMALL):  # each takes minutes
        yield answer | {"warned": None}  # its log is not a stream of this process


def weka():
    import jpype

    jpype.startJVM(classpath=[str(weka_jar())])
    jpype.JClass("java.util.logging.LogManager").getLogManager().reset()  # of linear algebra
    core = {name: jpype.JClass(f"weka.core.{name}") for name in ("Attribute", "DenseInstance")}
    numbers, listed = jpype.JArray(jpype.JDouble), jpype.JClass("java.util.ArrayList")

    def line(X, y, C):
        columns = [core["Attribute"](f"x{j}") for j in range(X.shape[1])]
        columns.append(core["Attribute"]("y", listed(["-1", "1"])))
        table = jpype.JClass("weka.core.Instances")("data", listed(columns), len(X))
        table.setClassIndex(X.shape[1])
        for x, label in zip(X.tolist(), y, strict=True):
            table.add(core["DenseInstance"](1.0, numbers([*x, float(label > 0)])))
        m = jpype.JClass("weka.classifiers.functions.SMO")()
        m.setOptions(["-N", "2", "-C", str(C)])  # -N 2: the columns as they are
        m.buildClassifier(table)
        w = np.zeros(X.shape[1] + 1)  # the class has a weight that is not used
        w[list(m.sparseIndices()[0][1])] = m.sparseWeights()[0][1]
        return w[:-1], -m.bias()[0][1]

    yield from linear(line)


def weka_jar():
    return Path(find_spec("weka").origin).parent / "lib" / "weka.jar"


def weka_version():
    return ZipFile(weka_jar()).read("weka/core/version.txt").decode().strip().replace("-", ".")


def by_wabbit(X, y, lam, passes=20):
    from vowpalwabbit import Workspace

    m = Workspace(f"--loss_function hinge --l2 {lam} --quiet")
    text = [
        f"{label} | " + " ".join(f"x{j}:{v!r}" for j, v in enumerate(x))
        for x, label in zip(X.tolist(), y, strict=True)
    ]
    for _ in range(passes):
        for row in text:
            m.learn(row)
    # Its own weights lack the shrinking by --l2 until the model is saved, so ask for scores.
    b, step = m.predict("| "), 0.01  # small: scores are cut to [-1, 1]
    return [(m.predict(f"| x{j}:{step}") - b) / step for j in range(X.shape[1])], b


def vowpal_wabbit():
    yield from linear(lambda X, y, C: by_wabbit(X, y, 1 / (C * len(X))), bias="penalised")


def snapml():
    from snapml import SupportVectorMachine

    def line(X, y, C):
        m = SupportVectorMachine(regularizer=1 / C, fit_intercept=True).fit(X, y)
        return m.coef_, m.intercept_

    yield from linear(line, bias="penalised")


def skglm():
    from skglm import LinearSVC

    yield from linear(by_sklearn(lambda X, C: LinearSVC(C=C)), bias="none")


def liblinear_official():
    from liblinear.liblinearutil import train

    def line(X, y, C):
        m = train(y, X, f"-s 2 -c {C} -B 1")
        w, b = m.get_decfun()
        return w, b

    yield from linear(line, loss="squared_hinge", bias="penalised")


def thundersvm():
    from thundersvm import SVC

    def fit(X, y, C, *gamma):
        kernel = {"kernel": "rbf", "gamma": gamma[0]} if gamma else {"kernel": "linear"}
        m, sign = SVC(C=C, **kernel).fit(X, y), float(y[0])  # positive: the first label seen
        b = -sign * m.intercept_[0]  # it is rho
        return sign * (spread(len(X), m.support_, m.dual_coef_) if gamma else m.coef_), b

    yield from linear(fit)
    yield from radial(fit)


PROGRAMS = {  # how it is called in the chapter, its package, what its C is, whose score is positive
    "sklearn_svc": ("sklearn SVC", "scikit-learn", "C", "the larger label"),
    "sklearn_linear_svc": ("sklearn LinearSVC", "scikit-learn", "C", "the larger label"),
    "sklearn_linear_svc_hinge": (
        "sklearn LinearSVC, hinge",
        "scikit-learn",
        "C",
        "the larger label",
    ),
    "crammer_singer": ("sklearn LinearSVC", "scikit-learn", "2C", "the larger label"),
    "sklearn_sgd": ("sklearn SGDClassifier", "scikit-learn", "1/(αn)", "the larger label"),
    "sklearnex": ("sklearn-intelex SVC", "scikit-learn-intelex", "C", "the larger label"),
    "opencv": ("OpenCV ml.SVM", "opencv-contrib-python-headless", "C", "the smaller label"),
    "dlib_radial": ("dlib, radial basis", "dlib-bin", "C", "+1"),
    "dlib_linear": ("dlib, linear", "dlib-bin", "C/n", "+1"),
    "mlpack": ("mlpack linear_svm", "mlpack", "2/(λn)", "the second label seen"),
    "mlpack_psgd": ("mlpack psgd", "mlpack", "2/(λn), psgd", "the second label seen"),
    "vowpal_wabbit": ("Vowpal Wabbit", "vowpalwabbit", "no fixed C", "+1"),
    "snapml": ("Snap ML", "snapml", "1/regularizer", "the larger label"),
    "skglm": ("skglm LinearSVC", "skglm", "C", "the larger label"),
    "liblinear_official": (
        "LIBLINEAR -s 2, PyPI",
        "liblinear-official",
        "C",
        "first seen, or +1",
    ),
    "thundersvm": ("ThunderSVM (CPU)", "thundersvm-cpu", "C", "the first label seen"),
    "spark": ("Spark LinearSVC", "pyspark", "1/(λn)", "the label 1"),
    "weka": ("Weka SMO", "python-weka-wrapper3", "C", "the second label of the attribute"),
}
APART = {"thundersvm"}  # it needs an older scikit-learn: see `answers.sh`


def main():
    for name in sys.argv[2:] or sorted({*PROGRAMS} - APART):
        title, package, C, positive = PROGRAMS[name]
        answers = list(globals()[name]())
        record = {
            "program": title,
            "version": weka_version() if name == "weka" else version(package),
            "source": f"PyPI, {package}",
            "script": "findings/answers/python_programs.py",
            "made": f"{date.today():%-d %B %Y}, {platform.system()} {platform.machine()}",
            "C_is": C,
            "positive": positive,
            "answers": answers,
        }
        path = Path(sys.argv[1]) / f"{name}.json"
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print("wrote", path, flush=True)


if __name__ == "__main__":
    main()
