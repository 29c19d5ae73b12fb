#!/usr/bin/env bash
# One would guess: SVC stops when its two worst violations of the KKT conditions add up to at most tol, so
#   a tol ten times smaller makes them ten times smaller; if max_iter is not reached there is no warning.
# True: with C = 1000 on thirty standardised columns they stay above the tol of 1e-3 and more than twenty
#   times above the tol of 1e-4, and nothing warns. LIBSVM keeps its kernel values in single precision, and
#   judges itself by sums of them. If the columns are rounded to 64ths, so that all inner products are exact
#   in single precision, both tolerances are met.
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 29 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W error - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

print("scikit-learn", version("scikit-learn"))
X, target = load_breast_cancer(return_X_y=True)
X, y = scale(X), np.where(target == 1, 1.0, -1.0)


def worst_pair(X, tol, C=1000.0):
    """The largest gradient that may grow, less the smallest that may shrink, in double precision."""
    machine = SVC(kernel="linear", C=C, tol=tol).fit(X, y)
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    g = y - X @ (X.T @ beta)
    grows, shrinks = beta < np.where(y > 0, C, 0), beta > np.where(y > 0, 0, -C)
    return g[grows].max() - g[shrinks].min()


found = {}
for name, Z in (("standardised", X), ("rounded to 64ths", np.round(64 * X) / 64)):
    for tol in (1e-3, 1e-4):
        found[name, tol] = worst_pair(Z, tol)
        print(f"{name}, tol {tol:g}: the two worst violations add up to {found[name, tol]:.1e}")
coarse, fine, exact, exact_fine = found.values()
raise SystemExit(not (coarse > 1.5e-3 and fine > 1e-3 and exact <= 1e-3 and exact_fine <= 1e-4))
PY
# Output seen:
#   scikit-learn 1.9.1
#   standardised, tol 0.001: the two worst violations add up to 2.1e-03
#   standardised, tol 0.0001: the two worst violations add up to 2.2e-03
#   rounded to 64ths, tol 0.001: the two worst violations add up to 9.6e-04
#   rounded to 64ths, tol 0.0001: the two worst violations add up to 9.9e-05
