#!/usr/bin/env bash
# One would guess: with labels 0 and 1, column 1 of what linear_svm returns as "probabilities" is that
#   of label 1, as "predictions" are labels.
# True: the columns are in the order in which the labels appear in the training rows. If the first row
#   has label 1, the columns have changed places, and the larger column names the wrong class for
#   every row, while "predictions" stay right.
# Seen with: mlpack 4.8.0, Python 3.11, Linux x86-64, 27 November 2026.
# Source: PyPI, mlpack. Found while storing its answer for chapter 15.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 mlpack==4.8.0
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
from mlpack import linear_svm

random = np.random.RandomState(0)
labels = (random.uniform(size=200) < 0.5).astype(np.uint64)
X = random.standard_normal((200, 2)) + 1.5 * labels[:, None]
print("mlpack", version("mlpack"))
seen = []
for first in (0, 1):
    order = np.argsort(labels != first, kind="stable")
    model = linear_svm(training=X[order], labels=labels[order], num_classes=2, lambda_=0.01)
    found = linear_svm(input_model=model["output_model"], test=X)
    predicted = np.mean(found["predictions"].ravel() == labels)
    column = np.mean(found["probabilities"].argmax(axis=1) == labels)
    print(f"first row has label {first}: predictions {predicted:.2f} right, larger column {column:.2f}")
    seen.append(bool(predicted > 0.7 and (column > 0.7) == (first == 0)))
raise SystemExit(not all(seen))
PY
# Output seen:
#   mlpack 4.8.0
#   first row has label 0: predictions 0.78 right, larger column 0.78
#   first row has label 1: predictions 0.78 right, larger column 0.23
