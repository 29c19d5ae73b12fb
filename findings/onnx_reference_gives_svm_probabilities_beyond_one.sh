#!/usr/bin/env bash
# One would guess: ONNX's own reference evaluator, with which runtimes and converters are compared,
#   gives an exported support vector classifier the probabilities of scikit-learn and onnxruntime.
# True: for three or more classes it gives others, without a warning. The rows still add up to one,
#   but numbers are off by a tenth on three classes, and lie far outside [0, 1] on ten. Labels are
#   right, because they come from the votes; the largest probability is often another class. Two
#   classes, and scores in place of probabilities, are right. (The matrix from which the pairs'
#   probabilities are coupled gets sums of products off its diagonal where single products belong.)
# Seen with: onnx 1.23.2, onnxruntime 1.32.0, skl2onnx 1.20.0, scikit-learn 1.9.1, Python 3.11,
#   Linux x86-64, 29 November 2026.
# Source: PyPI.
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
from onnx.reference import ReferenceEvaluator
from skl2onnx import to_onnx
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

print("onnx", version("onnx"), "onnxruntime", version("onnxruntime"))
seen = []
for load, classes in ((load_iris, 2), (load_iris, 3), (load_digits, 10)):
    X, y = load(return_X_y=True)
    X, y = X[y < classes][:600], y[y < classes][:600]
    X = StandardScaler().fit_transform(X).astype(np.float32)
    machine = SVC(C=0.1, probability=True, random_state=0).fit(X, y)
    graph = to_onnx(machine, X[:1], options={id(machine): {"zipmap": False}})
    theirs = machine.predict_proba(X)
    _, runtime = onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"X": X})
    labels, reference = ReferenceEvaluator(graph).run(None, {"X": X})
    other = (reference.argmax(axis=1) != theirs.argmax(axis=1)).sum()
    print(f"{load.__name__}, {classes} classes, {len(X)} rows")
    print(f"  onnxruntime is off by {abs(runtime - theirs).max():.0e}")
    print(f"  the reference is off by {abs(reference - theirs).max():.0e},")
    print(f"    lies in [{reference.min():.2g}, {reference.max():.2g}], has {other} other largest,")
    print(f"    and {(labels != machine.predict(X)).sum()} other labels")
    seen.append(abs(reference - theirs).max())
raise SystemExit(not (seen[0] < 1e-5 and seen[1] > 0.05 and seen[2] > 1))
PY
# Output seen:
#   onnx 1.23.2 onnxruntime 1.32.0
#   load_iris, 2 classes, 100 rows
#     onnxruntime is off by 2e-07
#     the reference is off by 2e-07,
#       lies in [0.0072, 0.99], has 0 other largest,
#       and 0 other labels
#   load_iris, 3 classes, 150 rows
#     onnxruntime is off by 2e-07
#     the reference is off by 1e-01,
#       lies in [0.0094, 0.97], has 0 other largest,
#       and 0 other labels
#   load_digits, 10 classes, 600 rows
#     onnxruntime is off by 7e-07
#     the reference is off by 6e+01,
#       lies in [-59, 20], has 92 other largest,
#       and 0 other labels
