#!/usr/bin/env bash
# One would guess: a converter that takes SVC with all of its four kernels, and gives the labels of three
#   of them exactly, gives those of "sigmoid" too: tanh(gamma x'z + coef0) in LIBSVM and scikit-learn.
# True: it computes the logistic function of the same argument, which has the other meaning of the
#   word, with multipliers and constant that were fitted for tanh. Half of the labels are wrong here,
#   and nothing warns of it. They are those of the same machine with 1/(1 + exp(-u)) in place of
#   tanh(u). NuSVC likewise.
# Seen with: hummingbird-ml 0.4.12, torch 2.14.1, scikit-learn 1.9.1, Python 3.11, Linux x86-64,
#   29 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 torch==2.14.1 \
  hummingbird-ml==0.4.12 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from hummingbird.ml import convert
from scipy.special import expit
from sklearn.svm import SVC, NuSVC

random = np.random.RandomState(0)
y = random.randint(2, size=300)
X = random.standard_normal((300, 3)) + 1.5 * y[:, None]
print("hummingbird-ml", version("hummingbird-ml"), "scikit-learn", version("scikit-learn"))


def differ(machine):
    converted = convert(machine.fit(X, y), "torch", X[:1]).predict(X)
    return int(np.sum(converted != machine.predict(X))), converted


as_seen = True
for kernel in "linear", "rbf", "poly":
    wrong, _ = differ(SVC(kernel=kernel, gamma=0.1, coef0=1))
    as_seen &= wrong == 0
    print(f"SVC, {kernel}: {wrong} of 300 labels differ")
for machine in SVC(kernel="sigmoid", gamma=0.1), NuSVC(kernel="sigmoid", gamma=0.1):
    wrong, converted = differ(machine)
    products = machine.gamma * X @ machine.support_vectors_.T + machine.coef0
    by_hand = expit(products) @ machine.dual_coef_[0] + machine.intercept_ > 0
    left = int(np.sum(converted != by_hand))
    as_seen &= wrong > 30 and left == 0
    print(f"{type(machine).__name__}, sigmoid: {wrong}; from the logistic function by hand {left}")
raise SystemExit(not as_seen)
PY
# Output seen:
#   hummingbird-ml 0.4.12 scikit-learn 1.9.1
#   SVC, linear: 0 of 300 labels differ
#   SVC, rbf: 0 of 300 labels differ
#   SVC, poly: 0 of 300 labels differ
#   SVC, sigmoid: 156; from the logistic function by hand 0
#   NuSVC, sigmoid: 153; from the logistic function by hand 0
