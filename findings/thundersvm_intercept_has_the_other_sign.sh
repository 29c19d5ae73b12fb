#!/usr/bin/env bash
# One would guess: in ThunderSVM's interface for scikit-learn, the linear machine is read off as in
#   scikit-learn, X @ coef_.T + intercept_, and that is what decision_function returns.
# True: intercept_ is LIBSVM's rho, so decision_function returns X @ coef_.T - intercept_. What is read
#   off is wrong by twice the bias, and on data that are not centred it has one label for every row.
#   (dual_coef_ with a kernel likewise. Its issue 223 asks for w and b, and is told that the sum is right.)
# Seen with: thundersvm-cpu 0.3.3 (the newest for a CPU), scikit-learn 1.3.2, Python 3.11, Linux x86-64,
#   28 November 2026.
# Source: PyPI, thundersvm-cpu. Found while certifying its answer on the data of chapter 15.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==1.26.4 scipy==1.11.4 scikit-learn==1.3.2 thundersvm-cpu==0.3.3
venv/bin/python -W ignore - 2>/dev/null <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn import svm
from thundersvm import SVC

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
y[0] = 1  # so that a positive score means +1 in both programs
X = random.standard_normal((200, 2)) + 1.5 * y[:, None] + 5
print("thundersvm-cpu", version("thundersvm-cpu"))
seen = {}
for name, estimator in ("scikit-learn", svm.SVC), ("thundersvm", SVC):
    model = estimator(kernel="linear", C=1.0).fit(X, y)
    score, sums = np.ravel(model.decision_function(X)), X @ np.ravel(model.coef_)
    wrong = np.sum((sums + model.intercept_ > 0) != (score > 0))
    added = np.abs(sums + model.intercept_ - score).max()
    subtracted = np.abs(sums - model.intercept_ - score).max()
    right = np.mean(model.predict(X) == y)
    print(f"{name}: {right:.2f} right, intercept_ {model.intercept_[0]:.1f}")
    print(f"  added: off by {added:.2f}, {wrong} of 200 labels; subtracted: off by {subtracted:.2f}")
    seen[name] = added, subtracted, wrong
ours, theirs = seen["scikit-learn"], seen["thundersvm"]
raise SystemExit(not (ours[0] < 1e-6 and theirs[0] > 1 and theirs[1] < 1e-3 and theirs[2] > 50))
PY
# Output seen:
#   thundersvm-cpu 0.3.3
#   scikit-learn: 0.98 right, intercept_ -13.3
#     added: off by 0.00, 0 of 200 labels; subtracted: off by 26.61
#   thundersvm: 0.98 right, intercept_ 13.3
#     added: off by 26.63, 95 of 200 labels; subtracted: off by 0.00
