#!/usr/bin/env bash
# One would guess: intercept_ is the constant of the score, so a threshold is moved by
#   machine.intercept_ -= 1, as with LinearSVC and every linear model of scikit-learn; and what is
#   exported afterwards is the machine that predicts.
# True: SVC takes the new value without a word and goes on with the old one, because predict reads a
#   private copy that fit made. skl2onnx reads the public attribute, so the exported file has the moved
#   threshold and gives other labels than the machine it was made from. LinearSVC obeys.
# Seen with: scikit-learn 1.9.1, skl2onnx 1.20.0, onnx 1.23.2, onnxruntime 1.32.0, Python 3.11,
#   Linux x86-64, 28 November 2026.
# Source: PyPI. Found while asking what our own writers should read.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 skl2onnx==1.20.0 onnx==1.23.2 \
  onnxruntime==1.32.0 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, 0, 1)
X = (random.standard_normal((200, 2)) + 2 * y[:, None] - 1).astype(np.float32)
print("scikit-learn", version("scikit-learn"), "skl2onnx", version("skl2onnx"))


def exported(machine):
    model = to_onnx(machine, X[:1]).SerializeToString()
    return onnxruntime.InferenceSession(model).run(None, {"X": X})[0]


seen = []
for machine in LinearSVC(), SVC(kernel="linear"), SVC():
    before = machine.fit(X, y).decision_function(X)
    assert np.array_equal(machine.predict(X), exported(machine))
    machine.intercept_ = machine.intercept_ - 1
    moved = np.abs(machine.decision_function(X) - before).max()
    differ = int(np.sum(machine.predict(X) != exported(machine)))
    print(f"{machine}: scores moved by {moved:.3g}, {differ} of 200 labels differ after the export")
    seen.append((round(moved, 3), differ > 10))
raise SystemExit(seen != [(1, False), (0, True), (0, True)])
PY
# Output seen:
#   scikit-learn 1.9.1 skl2onnx 1.20.0
#   LinearSVC(): scores moved by 1, 0 of 200 labels differ after the export
#   SVC(kernel='linear'): scores moved by 0, 16 of 200 labels differ after the export
#   SVC(): scores moved by 0, 24 of 200 labels differ after the export
