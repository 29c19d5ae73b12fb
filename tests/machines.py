"""Machines of other programs: what the tests of their judge and of their files begin with."""

import re
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC, LinearSVC

from svmlib.book import elsewhere
from svmlib.kernels import RBF, Linear, Polynomial, Sigmoid
from svmlib.machines import Machine, certify_machine

X, Y = elsewhere.load("noisy")
HERE = elsewhere.FOLDER
IRIS = load_iris(return_X_y=True)
GRAM = RBF(0.5)(X, X)
BIASES, LOSSES = ("free", "penalised", "none"), ("hinge", "squared_hinge")
W, SQUARED = Machine.linear(np.ones(2), 0.0), {"C": 1.0, "loss": "squared_hinge"}


def signed(model):
    beta = np.zeros(model.shape_fit_[0])
    beta[model.support_] = model.dual_coef_[0]
    return beta


def gaussian(A, B):
    """Return what RBF(0.5) does, as a function that is known by nothing but its values."""
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=-1))


def line(w, b, loss="squared_hinge", **given):
    return Machine.linear(w, b, loss=loss, **given)


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


BELL = SVC(gamma=0.5, tol=1e-8).fit(X, Y)
BETA, B, OF_BELL = signed(BELL), float(BELL.intercept_[0]), {"C": 1.0, "kernel": RBF(0.5)}


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


def rows(path, A, y, precomputed=False):
    lines = []
    for i, (x, label) in enumerate(zip(A.tolist(), y, strict=True), 1):
        pairs = [f"{j}:{v!r}" for j, v in enumerate(x, 1)]
        lines.append(" ".join([f"{label:g}", *[f"0:{i}"][: int(precomputed)], *pairs]))
    path.write_text("\n".join(lines) + "\n")


def train(folder, program, A, y, *options):
    """Return the file that svm-train or LIBLINEAR's train writes, and what it then predicts."""
    if A is not None:
        rows(folder / "rows", A, y)
    run(f"{program}train", *options, "rows", "model", cwd=folder)
    run(f"{program}predict", "rows", "model", "out", cwd=folder)
    return folder / "model", np.loadtxt(folder / "out")


def run(program, *arguments, cwd):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed: apt-get install libsvm-tools liblinear-tools")
    subprocess.run([program, "-q", *map(str, arguments)], cwd=cwd, check=True, timeout=60)


MACHINES = [
    Machine(X[:9], np.tile([1.0, -0.5, -0.5], 3), 0.1, kernel)
    for kernel in (Linear(), RBF(0.5), Polynomial(3, 0.2, 1.0), Sigmoid(0.1, -0.2))
]
