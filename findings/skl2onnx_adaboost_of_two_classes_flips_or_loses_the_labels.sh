#!/usr/bin/env bash
# One would guess: the file that skl2onnx makes of AdaBoostClassifier(SVC()) or AdaBoostClassifier(LinearSVC())
#   for two classes has its labels, because those for three classes are right and AdaBoost only counts votes.
# True: of SVC it has the opposite label for every row, and of LinearSVC it has the first label for every row.
#   Nothing warns. The converter takes the largest column for the vote. SVC's two columns are named for the
#   other class, and LinearSVC has one column only. RidgeClassifier is like LinearSVC. LogisticRegression and
#   trees, which have probabilities, are right. (C is 600 because AdaBoost divides it by the 600 rows.)
# Seen with: skl2onnx 1.20.0, onnx 1.23.2, onnxruntime 1.32.0, scikit-learn 1.9.1, Python 3.11,
#   Linux x86-64, 1 December 2026. (Its issue 1117 was about probabilities of trees, which were mended.)
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
from sklearn.datasets import make_blobs
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

print("scikit-learn", version("scikit-learn"), "skl2onnx", version("skl2onnx"))
seen = []
for inner in SVC(C=600), LinearSVC(), LogisticRegression():
    for classes in 2, 3:
        X, y = make_blobs(600, centers=classes, cluster_std=3.0, random_state=2)
        X = X.astype(np.float32)
        machine = AdaBoostClassifier(inner, n_estimators=5, random_state=0).fit(X, y)
        graph = to_onnx(machine, X[:1]).SerializeToString()
        labels = onnxruntime.InferenceSession(graph).run(None, {"X": X})[0]
        differ = int(np.sum(labels != machine.predict(X)))
        print(f"{inner}, {classes} classes: {differ} of 600 labels differ, ", end="")
        print(f"right {machine.score(X, y):.2f}, file {np.mean(labels == y):.2f}, ", end="")
        print("labels in the file", *np.unique(labels))
        seen.append(differ)
raise SystemExit(not (seen[0] == 600 and seen[2] > 250 and max(seen[1], seen[3], *seen[4:]) <= 12))
PY
# Output seen:
#   scikit-learn 1.9.1 skl2onnx 1.20.0
#   SVC(C=600), 2 classes: 600 of 600 labels differ, right 0.94, file 0.07, labels in the file 0 1
#   SVC(C=600), 3 classes: 0 of 600 labels differ, right 0.70, file 0.70, labels in the file 0 1 2
#   LinearSVC(), 2 classes: 310 of 600 labels differ, right 0.92, file 0.50, labels in the file 0
#   LinearSVC(), 3 classes: 0 of 600 labels differ, right 0.68, file 0.68, labels in the file 0 1 2
#   LogisticRegression(), 2 classes: 0 of 600 labels differ, right 0.93, file 0.93, labels in the file 0 1
#   LogisticRegression(), 3 classes: 0 of 600 labels differ, right 0.70, file 0.70, labels in the file 0 1 2
