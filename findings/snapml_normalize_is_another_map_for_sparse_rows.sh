#!/usr/bin/env bash
# One would guess: normalize=True divides each row by its length, as the documentation says
#   ("Normalize rows of dataset"), so the same numbers as an array or as a csr_matrix give one machine.
# True: the columns are scaled first, and in two different ways: an array is standardised (mean 0,
#   deviation 1), a sparse matrix is divided by the largest absolute value of each column. The two forms
#   of one matrix give two machines with different labels, and neither is that of normalised rows.
#   With normalize=False the two forms agree.
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
from scipy.sparse import csr_matrix
from sklearn.preprocessing import MaxAbsScaler, StandardScaler, normalize
from snapml import SupportVectorMachine

random = np.random.RandomState(0)
y = np.where(random.uniform(size=300) < 0.5, -1, 1)
X = (random.standard_normal((300, 3)) + 0.7 * y[:, None] + 2) * [1, 5, 20]
print("snapml", version("snapml"))


def labels(A, **options):
    given = {"fit_intercept": True, "tol": 1e-8, "max_iter": 10000} | options
    return SupportVectorMachine(**given).fit(A, y).predict(A)


plain = np.sum(labels(X) != labels(csr_matrix(X)))
by_hand = labels(normalize(X))
dense, sparse = labels(X.copy(), normalize=True), labels(csr_matrix(X), normalize=True)
print(f"normalize=False: array and csr_matrix differ in {plain} of 300 labels")
print(f"normalize=True: array and csr_matrix differ in {np.sum(dense != sparse)}")
left = 0
for found, scaler in (dense, StandardScaler()), (sparse, MaxAbsScaler()):
    scaled = labels(normalize(scaler.fit_transform(X)))
    left += np.sum(found != scaled)
    name = type(scaler).__name__
    print(f"rows normalised by hand: {np.sum(found != by_hand)} differ; after {name}: {left}")
apart = min(np.sum(dense != sparse), np.sum(dense != by_hand), np.sum(sparse != by_hand))
raise SystemExit(not (plain == left == 0 and apart > 10))
PY
# Output seen:
#   snapml 1.17.2
#   normalize=False: array and csr_matrix differ in 0 of 300 labels
#   normalize=True: array and csr_matrix differ in 101
#   rows normalised by hand: 131 differ; after StandardScaler: 0
#   rows normalised by hand: 32 differ; after MaxAbsScaler: 0
