#!/usr/bin/env bash
# One would guess: class_weight={"1": 5.0} gives the class "1" its weight, as {"yes": 5.0} does for "yes": the
#   keys are the labels, and classes_ shows the texts "0" and "1".
# True: a label that is a text of digits, as after reading a table as text, is refused under its own name ("The
#   classes, [0, 1], are not in class_weight"); the number 1, which is no label, is accepted in its place, also
#   if another label is a word. LinearSVC, other classifiers and compute_sample_weight do the same. Weights per
#   row (sample_weight) work for all labels.
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 30 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
import numpy as np
import sklearn
from sklearn.svm import SVC

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0]])
print("scikit-learn", sklearn.__version__)
seen = []
for names in ("0", "1"), ("no", "1"):
    y = np.array([names[0]] * 3 + [names[1]] * 2)
    for keys in names, tuple(int(name) if name.isdigit() else name for name in names):
        weights = dict(zip(keys, (1.0, 5.0)))
        try:
            machine = SVC(class_weight=weights).fit(X, y)
            told = f"weights {machine.class_weight_.tolist()}"
        except ValueError as error:
            told = str(error)
        print(f"labels {names}, class_weight={weights}: {told}")
        seen.append(told.startswith("weights"))
raise SystemExit(seen != [False, True, False, True])
PY
# Output seen:
#   scikit-learn 1.9.1
#   labels ('0', '1'), class_weight={'0': 1.0, '1': 5.0}: The classes, [0, 1], are not in class_weight
#   labels ('0', '1'), class_weight={0: 1.0, 1: 5.0}: weights [1.0, 5.0]
#   labels ('no', '1'), class_weight={'no': 1.0, '1': 5.0}: The classes, [1], are not in class_weight
#   labels ('no', '1'), class_weight={'no': 1.0, 1: 5.0}: weights [5.0, 1.0]
