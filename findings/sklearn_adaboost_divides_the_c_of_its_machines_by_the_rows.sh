#!/usr/bin/env bash
# One would guess: AdaBoostClassifier(SVC(C=1), n_estimators=1) trains SVC(C=1), because the first
#   round has equal weights; and a good C of the single machine is a good C inside.
# True: the weights add up to one, so each is 1/n, and SVC and LinearSVC multiply C by the weight of a
#   row: the machine inside is that of C = 1/n, in which every row is a support vector. The more rows,
#   the less it is fitted. C = n gives the machine that one would guess. (Trees do not notice the scale
#   of weights.)
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 29 November 2026.
# Source: PyPI. (Its issue 16642 reports that the first machine looks as if it had not been trained.)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
import numpy as np
import sklearn
from sklearn.ensemble import AdaBoostClassifier
from sklearn.svm import SVC

print("scikit-learn", sklearn.__version__)
random = np.random.RandomState(0)


def table(n):
    y = np.repeat([-1, 1], n // 2)
    angle = random.uniform(0, 2 * np.pi, n)
    radius = np.where(y > 0, 1, 2) + 0.3 * random.standard_normal(n)
    return radius[:, None] * np.c_[np.cos(angle), np.sin(angle)], y


n = 1000
X, y = table(n)
new, truth = table(n)


def boosted(C):
    model = AdaBoostClassifier(SVC(C=C, gamma=1, tol=1e-6), n_estimators=1)
    return model.fit(X, y).estimators_[0]


def scores(machine):
    return machine.decision_function(new)


def alone(C):
    return SVC(C=C, gamma=1, tol=1e-6).fit(X, y)


def right(machine):
    return int(np.sum(np.sign(scores(machine)) == truth))


first = float(np.abs(scores(boosted(1)) - scores(alone(1))).max())
divided = float(np.abs(scores(boosted(1)) - scores(alone(1 / n))).max())
times = float(np.abs(scores(boosted(n)) - scores(alone(1))).max())
print(f"scores of the first machine of AdaBoost with C = 1: {first:.2f} from C = 1 alone,")
print(f"  {divided:.2f} from C = 1/{n} alone; with C = {n} inside {times:.2f} from C = 1 alone")
print(f"new rows that are right, of {n}: {right(boosted(1))} and {right(alone(1))}")
print(f"support vectors, of {n}: {len(boosted(1).support_)} inside, {len(alone(1).support_)} alone")
raise SystemExit(not (first > 0.5 and max(divided, times) < 1e-2))
PY
# Output seen:
#   scikit-learn 1.9.1
#   scores of the first machine of AdaBoost with C = 1: 2.78 from C = 1 alone,
#     0.00 from C = 1/1000 alone; with C = 1000 inside 0.00 from C = 1 alone
#   new rows that are right, of 1000: 882 and 946
#   support vectors, of 1000: 1000 inside, 165 alone
