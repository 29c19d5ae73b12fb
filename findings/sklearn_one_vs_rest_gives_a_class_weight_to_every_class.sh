#!/usr/bin/env bash
# One would guess: OneVsRestClassifier(LinearSVC(class_weight={0: 1, 1: 10, 2: 1})) gives class 1 ten
#   times the weight, as LinearSVC itself does, which is one against the rest too; without weights the
#   two are the same machine.
# True: the inner machines see the labels 0 and 1 for "rest" and "this class", and read the dictionary by
#   these. Every class has ten times the weight in its own machine, whichever class the 10 was meant for;
#   the weight of label 2 is never read. An error is raised only if the dictionary does not fit the
#   numbers 0 and 1. VotingClassifier and BaggingClassifier, which number the labels anew, read it by
#   the new numbers too: with labels 1 and 2, {1: 10} is a tenfold weight for label 2 there.
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 29 November 2026.
# Source: PyPI. (Its issues 18550 and 19665 are about the error for other labels, 16050 asks for weights
#   of the wrapper's own; that the weights go elsewhere without an error is not said there.)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
import numpy as np
import sklearn
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
y = random.randint(3, size=600)
X = random.standard_normal((600, 3)) + 2 * np.eye(3)[y]
print("scikit-learn", sklearn.__version__)


def inner(weights):
    return LinearSVC(class_weight=weights, tol=1e-8, max_iter=10**5, random_state=0)


def wrapped(weights):
    return OneVsRestClassifier(inner(weights)).fit(X, y).decision_function(X)


def apart(weights, others):
    return float(np.abs(wrapped(weights) - others).max())


tenfold = {0: 1, 1: 10, 2: 1}
own_weight = [inner({0: 1, 1: 10}).fit(X, y == k).decision_function(X) for k in range(3)]
own_weight = np.transpose(own_weight)
without, with_weights = (inner(w).fit(X, y).decision_function(X) for w in (None, tenfold))
seen = [
    apart(None, without),
    apart(tenfold, with_weights),
    apart(tenfold, own_weight),
    apart({0: 1, 1: 10, 2: 1000}, own_weight),
]
print(f"scores of the wrapper and of LinearSVC: {seen[0]:.2f} apart, with weights {seen[1]:.2f}")
print(f"  and {seen[2]:.2f} from machines in which each class has weight 10 itself")
print(f"  and {seen[3]:.2f} if the weight of label 2 is 1000")
given = [int(np.sum(f.argmax(axis=1) == 1)) for f in (without, with_weights, wrapped(tenfold))]
print(f"label 1 is given to {given[0]} rows by LinearSVC, with weights {given[1]}, wrapped {given[2]}")
labels = y[y < 2] + 1
ones = {}
machine = SVC(kernel="linear", class_weight={1: 10})
for model in (
    machine,
    OneVsRestClassifier(machine),
    VotingClassifier([("svc", machine)]),
    BaggingClassifier(machine, random_state=0),
):
    name = type(model).__name__
    ones[name] = int(np.sum(model.fit(X[y < 2], labels).predict(X[y < 2]) == 1))
print(f"labels 1 ({np.sum(labels == 1)} rows) and 2 ({np.sum(labels == 2)}), tenfold weight for label 1:")
for name, count in ones.items():
    print(f"  {name} gives label 1 to {count}")
direct = ones.pop("SVC")
as_seen = max(seen[0], seen[2], seen[3]) < 1e-3 and seen[1] > 0.5
raise SystemExit(not (as_seen and direct > np.sum(labels == 1) > max(ones.values())))
PY
# Output seen:
#   scikit-learn 1.9.1
#   scores of the wrapper and of LinearSVC: 0.00 apart, with weights 1.12
#     and 0.00 from machines in which each class has weight 10 itself
#     and 0.00 if the weight of label 2 is 1000
#   label 1 is given to 203 rows by LinearSVC, with weights 264, wrapped 206
#   labels 1 (211 rows) and 2 (200), tenfold weight for label 1:
#     SVC gives label 1 to 268
#     OneVsRestClassifier gives label 1 to 153
#     VotingClassifier gives label 1 to 153
#     BaggingClassifier gives label 1 to 150
