#!/usr/bin/env bash
# One would guess: SVC gives one machine for one matrix, whether it is an array or a csr_matrix, also if
#   the rows of the csr_matrix name a column several times, because SciPy's matrices mean the sum of such
#   entries (its documentation builds a table of word counts in this way, one entry for each word).
# True: LIBSVM pairs the repeated entries of two rows one by one, so two counts a and b contribute
#   min(a, b) to the inner product, not ab. kernel="linear" is then exactly the histogram intersection
#   kernel, and "rbf" is exactly the Laplacian kernel. Nothing warns of it, and few labels change.
#   LinearSVC and toarray() add the entries up; X.sum_duplicates() before fit mends it.
# Seen with: scikit-learn 1.9.1, SciPy 1.17.1, NumPy 2.4.6, Python 3.11, Linux x86-64,
#   29 November 2026.
# Source: PyPI.
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
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
counts = random.poisson(2, (200, 5))
noise = random.standard_normal(200)
y = np.where(counts @ [1, -1, 0.5, -0.5, 0] + noise > 0, 1, -1)
words, starts = [], [0]
for row in counts:
    words += [word for word, count in enumerate(row) for _ in range(count)]
    starts.append(len(words))
table = csr_matrix((np.ones(len(words)), words, starts), shape=counts.shape)
assert (table.toarray() == counts).all()
print("scikit-learn", sklearn.__version__)


def intersection(A, B):
    return np.minimum(A[:, None], B).sum(axis=2)


def laplacian(A, B):
    return laplacian_kernel(A, B, gamma=0.1)


def scores(machine, X):
    return machine.fit(X.copy(), y).decision_function(X.copy())


def apart(f, g):
    return float(np.abs(f - g).max())


as_seen = True
for named, other in (
    ({"kernel": "linear"}, intersection),
    ({"kernel": "rbf", "gamma": 0.1}, laplacian),
):
    dense = scores(SVC(tol=1e-8, **named), counts)
    repeated = scores(SVC(tol=1e-8, **named), table)
    summed = scores(SVC(tol=1e-8, **named), csr_matrix(counts))
    by_hand = scores(SVC(tol=1e-8, kernel=other), counts)
    print(f"{named['kernel']}: repeated entries move scores by {apart(dense, repeated):.1f},")
    print(f"  labels of {np.sum(dense * repeated < 0)} rows; summed ones move them by", end=" ")
    print(f"{apart(dense, summed):.1f}; the {other.__name__} kernel gives the former", end=" ")
    print(f"within {apart(repeated, by_hand):.1f}")
    as_seen &= apart(dense, repeated) > 0.5 and apart(dense, summed) < 1e-4
    as_seen &= apart(repeated, by_hand) < 1e-4
linear = LinearSVC(tol=1e-9, max_iter=10**6, random_state=0)
moved = apart(scores(linear, counts), scores(linear, table))
print(f"LinearSVC: repeated entries move scores by {moved:.1f}")
raise SystemExit(not (as_seen and moved < 1e-4))
PY
# Output seen:
#   scikit-learn 1.9.1
#   linear: repeated entries move scores by 8.0,
#     labels of 13 rows; summed ones move them by 0.0; the intersection kernel gives the former within 0.0
#   rbf: repeated entries move scores by 1.1,
#     labels of 8 rows; summed ones move them by 0.0; the laplacian kernel gives the former within 0.0
#   LinearSVC: repeated entries move scores by 0.0
