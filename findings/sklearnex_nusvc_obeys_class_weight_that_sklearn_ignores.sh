#!/usr/bin/env bash
# One would guess: NuSVC(class_weight=...) does something, and Intel's extension, which promises the
#   same machines, gives the same one.
# True: scikit-learn's NuSVC takes class_weight, shows it in class_weight_ and ignores it (its issue
#   30332); the extension obeys it. The same line of code is another machine when it is patched.
# Seen with: scikit-learn 1.9.1, scikit-learn-intelex 2026.2.0, Python 3.11, Linux x86-64,
#   27 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 \
  scikit-learn-intelex==2026.2.0
venv/bin/python -W ignore - <<'PY'
import numpy as np
from sklearn.svm import NuSVC
from sklearnex.svm import NuSVC as Patched

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
X = random.standard_normal((200, 2)) + 0.75 * y[:, None]
moved = {}
for name, estimator in (("scikit-learn", NuSVC), ("scikit-learn-intelex", Patched)):
    plain = estimator(nu=0.4, gamma=0.5).fit(X, y)
    weighted = estimator(nu=0.4, gamma=0.5, class_weight={1: 3.0}).fit(X, y)
    difference = weighted.decision_function(X) - plain.decision_function(X)
    moved[name] = float(np.abs(difference).max())
    print(f"{name}: class_weight moves the scores by {moved[name]:.2f}")
raise SystemExit(not (moved["scikit-learn"] == 0 and moved["scikit-learn-intelex"] > 0.1))
PY
# Output seen:
#   scikit-learn: class_weight moves the scores by 0.00
#   scikit-learn-intelex: class_weight moves the scores by 1.15
