#!/usr/bin/env bash
# One would guess: intercept_ is the constant of the decision function, as the documentation says and as
#   in scikit-learn's LinearSVC, so that the machine can be read off as X @ coef_ + intercept_.
# True: it is the weight of the constant feature. The decision function adds intercept_scaling times
#   that, so with intercept_scaling=10 the scores that are read off are wrong by nine tenths of the bias.
#   (With the default 1 the two are the same.)
# Seen with: snapml 1.17.2, scikit-learn 1.9.1, Python 3.11, Linux x86-64, 28 November 2026.
# Source: PyPI, snapml. Found while looking at a program of chapter 15 again.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 snapml==1.17.2
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.svm import LinearSVC
from snapml import SupportVectorMachine

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
X = random.standard_normal((200, 2)) + 0.7 * y[:, None] + [1.5, 0]
print("snapml", version("snapml"))
wrong = {}
for name, model in {
    "snapml": SupportVectorMachine(fit_intercept=True, intercept_scaling=10.0),
    "scikit-learn": LinearSVC(intercept_scaling=10.0, random_state=0),
}.items():
    model.fit(X, y)
    score = np.ravel(model.decision_function(X))
    read_off = X @ np.ravel(model.coef_) + np.ravel(model.intercept_)
    wrong[name] = np.sum((read_off > 0) != (score > 0))
    print(f"{name}: scores read off differ by {np.abs(read_off - score).max():.2f},")
    print(f"  and {wrong[name]} of 200 labels with them")
    if name == "snapml":
        ten_times = X @ np.ravel(model.coef_) + 10 * np.ravel(model.intercept_)
        repaired = np.abs(ten_times - score).max()
print(f"snapml, with ten times intercept_: below 1e-5: {repaired < 1e-5}")
raise SystemExit(not (wrong["snapml"] > 20 and wrong["scikit-learn"] == 0 and repaired < 1e-5))
PY
# Output seen:
#   snapml 1.17.2
#   snapml: scores read off differ by 1.14,
#     and 49 of 200 labels with them
#   scikit-learn: scores read off differ by 0.00,
#     and 0 of 200 labels with them
#   snapml, with ten times intercept_: below 1e-5: True
