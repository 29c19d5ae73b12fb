#!/usr/bin/env bash
# One would guess: a row with sample_weight 0 is no row, for SVC(kernel="precomputed") as for the same
#   kernel by name.
# True: LIBSVM drops such rows and numbers the others anew. Prediction with a Gram matrix then reads
#   the columns by the new numbers, without a word, and half of the labels are wrong. (That support_
#   is numbered wrongly is scikit-learn's issue 25380; that predictions go with it is not said there.
#   Weights of 1e-12 in place of 0 avoid it.) No weight needs to be given: BaggingClassifier gives the rows
#   that it does not draw the weight 0, so its machines with a Gram matrix are not better than chance.
# Seen with: scikit-learn 1.9.1, Python 3.11, Linux x86-64, 27 November and 1 December 2026.
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
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

random = np.random.RandomState(0)
y = np.where(random.uniform(size=200) < 0.5, -1, 1)
X = random.standard_normal((200, 2)) + 1.5 * y[:, None]
K = rbf_kernel(X, gamma=0.5)
print("scikit-learn", sklearn.__version__)
right = {}
for value in (0.0, 1e-12):
    weights = np.where(np.arange(200) < 50, value, 1.0)
    by_name = SVC(gamma=0.5).fit(X, y, weights).score(X, y)
    by_matrix = SVC(kernel="precomputed").fit(K, y, weights).score(K, y)
    print(f"weight {value:g} for 50 rows: by name {by_name:.2f} right, by matrix {by_matrix:.2f}")
    right[value] = by_name, by_matrix
by_name = BaggingClassifier(SVC(gamma=0.5), random_state=0).fit(X, y).score(X, y)
by_matrix = BaggingClassifier(SVC(kernel="precomputed"), random_state=0).fit(K, y).score(K, y)
print(f"bagging: by name {by_name:.2f} right, by matrix {by_matrix:.2f}")
wrong = by_name > 0.9 and by_matrix < 0.7 and right[0.0][0] > 0.9 and right[0.0][1] < 0.8 and min(right[1e-12]) > 0.9
raise SystemExit(not wrong)
PY
# Output seen:
#   scikit-learn 1.9.1
#   weight 0 for 50 rows: by name 0.98 right, by matrix 0.52
#   weight 1e-12 for 50 rows: by name 0.98 right, by matrix 0.98
#   bagging: by name 0.98 right, by matrix 0.51
