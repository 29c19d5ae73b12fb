#!/usr/bin/env bash
# One would guess: class_weight="balanced" means the same in SVC and LinearSVC of one release, also
#   beside sample_weight.
# True: SVC counts rows, those of weight 0 included; LinearSVC adds up the weights. Rows of weight 0
#   leave LinearSVC's machine as it is without them, and change SVC's.
# Seen with: scikit-learn 1.9.1, Python 3.11, Linux x86-64, 27 November 2026.
# Source: PyPI, scikit-learn.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
venv/bin/python - <<'PY'
import numpy as np
import sklearn
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
X = random.standard_normal((200, 2)) + 0.75 * y[:, None]
weights = np.ones(200)
weights[np.flatnonzero(y > 0)[:70]] = 0
kept = weights > 0
print("scikit-learn", sklearn.__version__)
moved = {}
for model in (
    SVC(kernel="linear", class_weight="balanced", tol=1e-6),
    LinearSVC(class_weight="balanced", tol=1e-8, random_state=0),
):
    name = type(model).__name__
    with_zeros = model.fit(X, y, weights).coef_.copy()
    without = model.fit(X[kept], y[kept]).coef_
    moved[name] = float(np.abs(with_zeros - without).max())
    print(f"{name}: rows of weight 0 move w by {moved[name]:.0e}")
raise SystemExit(not (moved["SVC"] > 1e-2 and moved["LinearSVC"] < 1e-6))
PY
# Output seen:
#   scikit-learn 1.9.1
#   SVC: rows of weight 0 move w by 2e-01
#   LinearSVC: rows of weight 0 move w by 0e+00
