#!/usr/bin/env bash
# One would guess: bootstrap_point632_score with method=".632+" gives accuracies between those of all rows and of the
#   rows out of the bag, as in the paper which its documentation cites (Efron and Tibshirani 1997). This is what the
#   method is for: it moves from the .632 estimate towards the rows out of the bag.
# True: the paper cuts the relative overfitting rate off at 0 and 1, and mlxtend does not. Where a machine is about
#   as good as guessing, the rate is a quotient of two small numbers, so the weight, which should lie between
#   0.632 and 1, can be anything. Single accuracies are 5.5 or -0.8. Their mean, which the documentation takes, looks
#   ordinary: for labels drawn at random it is 0.63 with LinearSVC and 0.37 with SVC, where the rows out of the bag
#   give 0.51 and 0.47. Nothing warns. Where the classes are well separated, all three methods agree.
#   (The package mlr of R leaves out the same correction, its issue 512. mlxtend's documentation does not speak of it.)
# Seen with: mlxtend 0.25.0, scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI, mlxtend.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 mlxtend==0.25.0 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from mlxtend.evaluate import bootstrap_point632_score
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
print("mlxtend", version("mlxtend"), "scikit-learn", version("scikit-learn"))
outside = {}
for shift in 0, 0.4, 3:
    y = random.randint(2, size=100)
    X = random.standard_normal((100, 10))
    X[:, 0] += shift * (2 * y - 1)
    for machine in SVC(), LinearSVC(random_state=0):
        bag, mixed, plus = (
            bootstrap_point632_score(machine, X, y, n_splits=50, method=method, random_seed=1)
            for method in ("oob", ".632", ".632+")
        )
        every = (mixed - 0.632 * bag) / 0.368
        low, high = np.minimum(bag, every) - 1e-9, np.maximum(bag, every) + 1e-9
        name = type(machine).__name__
        outside[shift, name] = int(np.sum((plus < low) | (plus > high)))
        print(f"classes {2 * shift} apart, {name}: oob {bag.mean():.2f}, .632 {mixed.mean():.2f}, ", end="")
        print(f".632+ {plus.mean():.2f}, of which the extremes are {plus.min():.2f} and {plus.max():.2f};")
        print(f"  {outside[shift, name]} of 50 are not between all rows and rows out of the bag")
noise = min(outside[0, "SVC"], outside[0, "LinearSVC"])
raise SystemExit(not (noise > 15 and sum(outside.values()) > 50))
PY
# Output seen:
#   mlxtend 0.25.0 scikit-learn 1.9.1
#   classes 0 apart, SVC: oob 0.47, .632 0.56, .632+ 0.37, of which the extremes are -0.84 and 0.69;
#     37 of 50 are not between all rows and rows out of the bag
#   classes 0 apart, LinearSVC: oob 0.51, .632 0.55, .632+ 0.63, of which the extremes are 0.27 and 5.52;
#     27 of 50 are not between all rows and rows out of the bag
#   classes 0.8 apart, SVC: oob 0.60, .632 0.68, .632+ 0.63, of which the extremes are 0.50 and 0.76;
#     0 of 50 are not between all rows and rows out of the bag
#   classes 0.8 apart, LinearSVC: oob 0.59, .632 0.62, .632+ 0.60, of which the extremes are 0.40 and 0.75;
#     5 of 50 are not between all rows and rows out of the bag
#   classes 6 apart, SVC: oob 0.99, .632 0.99, .632+ 0.99, of which the extremes are 0.98 and 1.00;
#     0 of 50 are not between all rows and rows out of the bag
#   classes 6 apart, LinearSVC: oob 0.99, .632 0.99, .632+ 0.99, of which the extremes are 0.98 and 1.00;
#     0 of 50 are not between all rows and rows out of the bag
