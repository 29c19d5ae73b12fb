#!/usr/bin/env bash
# One would guess: the file that skl2onnx makes of SVC(break_ties=True) has its labels, because its scores
#   are those of decision_function to single precision, and break_ties=True means the largest of these.
# True: labels and scores of the file contradict each other. Labels are those of the votes, as with
#   break_ties=False, and nothing warns; the largest score in the same file is the machine's label. With
#   three classes or more every tie of votes is decided otherwise, with NuSVC here one label in fourteen.
#   So take the largest score of the file, not its label.
# Seen with: skl2onnx 1.20.0, onnx 1.23.2, onnxruntime 1.32.0, scikit-learn 1.9.1, Python 3.11,
#   Linux x86-64, 30 November 2026.
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
from sklearn.datasets import make_classification
from sklearn.svm import SVC, NuSVC

X, y = make_classification(
    2300, 6, n_informative=6, n_redundant=0, n_classes=8, n_clusters_per_class=1, class_sep=0.5, random_state=0
)
X = X.astype(np.float32)
train, test = slice(300), slice(300, None)
print("scikit-learn", version("scikit-learn"), "skl2onnx", version("skl2onnx"))
seen = []
for machine in SVC(break_ties=True), NuSVC(nu=0.1, break_ties=True):
    machine.fit(X[train], y[train])
    graph = to_onnx(machine, X[:1]).SerializeToString()
    labels, scores = onnxruntime.InferenceSession(graph).run(None, {"X": X[test]})
    best = [max(row, key=row.get) for row in scores]
    wanted = machine.predict(X[test])
    differ, of_scores = int(np.sum(labels != wanted)), int(np.sum(best != wanted))
    of_votes = int(np.sum(labels != machine.set_params(break_ties=False).predict(X[test])))
    print(f"{type(machine).__name__}: {differ} of 2000 labels differ, {of_votes} from those of the votes,")
    print(f"  {of_scores} if the largest score of the file is taken")
    seen.append(differ > 20 and of_votes == 0 and of_scores == 0)
raise SystemExit(not all(seen))
PY
# Output seen:
#   scikit-learn 1.9.1 skl2onnx 1.20.0
#   SVC: 46 of 2000 labels differ, 0 from those of the votes,
#     0 if the largest score of the file is taken
#   NuSVC: 143 of 2000 labels differ, 0 from those of the votes,
#     0 if the largest score of the file is taken
