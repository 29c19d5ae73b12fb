#!/usr/bin/env bash
# One would guess: above C = l1_min_c(X, y) a linear machine with the penalty "l1" uses at least one
#   feature, for LinearSVC and LogisticRegression alike; the documentation guarantees that the model "is
#   not empty".
# True: the bound is for LIBLINEAR, which charges |b| as one more weight. Where one class is larger, the
#   first weight that leaves zero is often that intercept: all of coef_ is 0.0 at five times the bound.
#   With the solver saga, which leaves the intercept free, it is no bound at all: all of coef_ is 0.0 at
#   five times the bound on one table, and on another the only column is used at half of it.
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 28 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, l1_min_c

print("scikit-learn", version("scikit-learn"))
random = np.random.RandomState(0)
y = np.repeat([0, 1], [450, 50])
X = random.standard_normal((500, 3))
X[:, 0] += y
# the sums of this column in the two classes are about equal
column = (np.where(y == 1, 18, 2) + random.standard_normal(500)).reshape(-1, 1)


def used(machine, X, y, loss, times):
    """How many features does the machine use at so many times the bound?"""
    machine.C = times * l1_min_c(X, y, loss=loss)
    return int(np.sum(machine.fit(X, y).coef_ != 0))


svc = LinearSVC(penalty="l1", dual=False, tol=1e-9, max_iter=10**6)
saga = LogisticRegression(l1_ratio=1, solver="saga", tol=1e-9, max_iter=10**5)
rows = []
for times in (1.01, 5, 10, 20):
    rows.append((used(svc, X, y, "squared_hinge", times), used(saga, X - 2, y, "log", times)))
    print(f"{times} times the bound: LinearSVC uses {rows[-1][0]} of 3 columns, saga {rows[-1][1]}")
early = used(saga, column, y, "log", 0.5)
print(f"another table, half the bound: saga uses {early} of 1 column")
raise SystemExit(not (rows[1] == (0, 0) and min(rows[-1]) > 0 and early == 1))
PY
# Output seen:
#   scikit-learn 1.9.1
#   1.01 times the bound: LinearSVC uses 0 of 3 columns, saga 0
#   5 times the bound: LinearSVC uses 0 of 3 columns, saga 0
#   10 times the bound: LinearSVC uses 1 of 3 columns, saga 0
#   20 times the bound: LinearSVC uses 1 of 3 columns, saga 1
#   another table, half the bound: saga uses 1 of 1 column
