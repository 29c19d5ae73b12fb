#!/usr/bin/env bash
# One would guess: OneVsRestClassifier(LinearSVC()) is exported with its labels, as it is for three
#   classes, and the sign of the exported score says which label.
# True: with two classes the file gives the second label only where the score is above 1/2, the
#   threshold of a probability, though scores of machines are cut at 0. All rows between 0 and 1/2 get
#   the other label. The exported score of the second class is right; the first has 1 minus it.
#   SGDClassifier with its hinge likewise; three classes are right, and so is logistic regression, whose
#   scores are probabilities. There is no warning.
# Seen with: skl2onnx 1.20.0, onnx 1.23.2, onnxruntime 1.32.0, scikit-learn 1.9.1, Python 3.11,
#   Linux x86-64, 28 November 2026.
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
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

random = np.random.RandomState(0)
X = random.standard_normal((600, 3)).astype(np.float32)
noisy = X[:, 0] + 0.5 * random.standard_normal(600)
two, three = (noisy > 0).astype(int), np.digitize(noisy, [-0.5, 0.5])
print("scikit-learn", version("scikit-learn"), "skl2onnx", version("skl2onnx"))
seen = []
for machine, y in (
    (OneVsRestClassifier(LinearSVC()), two),
    (OneVsRestClassifier(SGDClassifier(random_state=0)), two),
    (OneVsRestClassifier(LinearSVC()), three),
    (OneVsRestClassifier(LogisticRegression()), two),
):
    machine.fit(X, y)
    graph = to_onnx(machine, X[:1], options={id(machine): {"zipmap": False}}).SerializeToString()
    labels, columns = onnxruntime.InferenceSession(graph).run(None, {"X": X})
    scores = machine.decision_function(X)
    differ = labels != machine.predict(X)
    print(f"{machine}, {len(set(y))} classes: {differ.sum()} of 600 labels differ")
    if differ.any():
        same = np.allclose(columns[:, 1], scores, atol=1e-3)
        between = np.array_equal(differ, (scores > 0) & (scores <= 0.5))
        print(f"  score exported right: {same}; differ just where 0 < score <= 1/2: {between}")
        print(f"  the two exported scores add up to {np.unique(np.round(columns.sum(axis=1), 3))}")
    seen.append(int(differ.sum()))
raise SystemExit(not (min(seen[:2]) > 10 and max(seen[2:]) == 0))
PY
# Output seen:
#   scikit-learn 1.9.1 skl2onnx 1.20.0
#   OneVsRestClassifier(estimator=LinearSVC()), 2 classes: 99 of 600 labels differ
#     score exported right: True; differ just where 0 < score <= 1/2: True
#     the two exported scores add up to [1.]
#   OneVsRestClassifier(estimator=SGDClassifier(random_state=0)), 2 classes: 31 of 600 labels differ
#     score exported right: True; differ just where 0 < score <= 1/2: True
#     the two exported scores add up to [1.]
#   OneVsRestClassifier(estimator=LinearSVC()), 3 classes: 0 of 600 labels differ
#   OneVsRestClassifier(estimator=LogisticRegression()), 2 classes: 0 of 600 labels differ
