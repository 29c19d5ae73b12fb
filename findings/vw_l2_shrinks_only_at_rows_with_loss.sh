#!/usr/bin/env bash
# One would guess: with --sgd and --l2 λ, n rows and many passes, the hinge machine is that of
#   C = 1/(λn), because the objective is the mean loss + ½ λ ‖w‖².
# True: the weights shrink only at rows whose loss is positive, so the machine is that of C = 1/(λm),
#   where m is the number of such rows at the solution. (With steps that decay as 1/t, so that it
#   converges; m changes with λ.)
# Seen with: vowpalwabbit 9.11.9, scikit-learn 1.9.1, Python 3.11, Linux x86-64, 28 November 2026.
# Source: PyPI. Found while certifying its answer for chapter 15.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 vowpalwabbit==9.11.9
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.svm import LinearSVC
from vowpalwabbit import Workspace

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
X = random.standard_normal((200, 2)) + 0.7 * y[:, None]
lam = 0.2
model = Workspace(f"--loss_function hinge --sgd --power_t 1 --l2 {lam} --noconstant --quiet")
rows = [f"{label} | a:{a!r} b:{b!r}" for (a, b), label in zip(X.tolist(), y, strict=True)]
for _ in range(600):
    for row in rows:
        model.learn(row)
w = np.array([model.predict(f"| {name}:0.01") / 0.01 for name in "ab"])
m = int(np.sum(y * (X @ w) < 1))
print(f"vowpalwabbit {version('vowpalwabbit')}, {m} of 200 rows have loss")


def above(C):
    """The objective of w, as a multiple of the optimum, and less 1."""
    exact = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6)
    best = exact.fit(X, y).coef_[0]
    f, g = (v @ v / 2 + C * np.maximum(0, 1 - y * (X @ v)).sum() for v in (w, best))
    return f / g - 1


by_rows, by_loss = above(1 / (lam * len(y))), above(1 / (lam * m))
print(f"above the optimum of C = 1/(λn) by {by_rows:.0e}, of C = 1/(λm) by {by_loss:.0e}")
raise SystemExit(not (by_rows > 1e-3 and by_loss < 1e-4))
PY
# Output seen:
#   vowpalwabbit 9.11.9, 95 of 200 rows have loss
#   above the optimum of C = 1/(λn) by 1e-02, of C = 1/(λm) by 6e-07
