#!/usr/bin/env bash
# One would guess: OutputCodeClassifier(LinearSVC()) with its default code_size=1.5, which the documentation
#   calls error-correcting because it is above 1, gives every class a code of its own.
# True: the codes are drawn at random and not compared. Two of three classes have the same code for about one
#   random_state in six, and one of them is never predicted. With two classes one random_state in eight gives
#   every row the same label. Nothing warns. np.unique(machine.code_book_, axis=0) shows it, and code_size=10
#   makes it rare.
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI. (An open request of changes, 25217, lists collisions among other faults.)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
import warnings

import numpy as np
import sklearn
from sklearn.datasets import load_iris
from sklearn.multiclass import OutputCodeClassifier
from sklearn.svm import SVC

print("scikit-learn", sklearn.__version__)
X, y = load_iris(return_X_y=True)
seen = []
for classes, code_size in (3, 1.5), (2, 1.5), (3, 10):
    rows, shared, silent, right = y < classes, 0, 0, []
    for seed in range(200):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            machine = OutputCodeClassifier(SVC(), code_size=code_size, random_state=seed)
            machine.fit(X[rows], y[rows])
        if len(np.unique(machine.code_book_, axis=0)) < classes:
            shared += 1
            silent += not told
            right.append(machine.score(X[rows], y[rows]))
    print(f"{classes} classes, code_size {code_size}, {machine.code_book_.shape[1]} columns: ", end="")
    print(f"two classes share a code for {shared} of 200 seeds, {silent} times silently")
    if right:
        print(f"  then at most {max(right):.2f} of the rows are right")
    seen.append((shared, silent, max(right, default=0)))
three, two, long = seen
raise SystemExit(not (three[0] > 15 and three[1] > 0 and three[2] < 0.67 and two[0] > 15 and long[0] == 0))
PY
# Output seen:
#   scikit-learn 1.9.1
#   3 classes, code_size 1.5, 4 columns: two classes share a code for 33 of 200 seeds, 33 times silently
#     then at most 0.67 of the rows are right
#   2 classes, code_size 1.5, 3 columns: two classes share a code for 26 of 200 seeds, 26 times silently
#     then at most 0.50 of the rows are right
#   3 classes, code_size 10, 30 columns: two classes share a code for 0 of 200 seeds, 0 times silently
