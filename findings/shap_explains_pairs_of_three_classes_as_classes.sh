#!/usr/bin/env bash
# One would guess: shap.Explainer of a linear machine for three classes gives one explanation for each
#   class, in the order of classes_, because its values have three columns and add up to the three
#   scores of decision_function.
# True: for SVC(kernel="linear") the columns are the pairs 0-1, 0-2 and 1-2, because coef_ has a row for
#   each pair. Three classes have three pairs, so no shape shows it, and the column "2" explains the
#   choice between 1 and 2, where a positive value speaks for 1. The sums are not the scores of
#   decision_function, and the largest of them belongs to the predicted class less often than chance.
#   Nothing warns of it. LinearSVC is explained by class.
# Seen with: shap 0.51.0, scikit-learn 1.9.1, Python 3.11, Linux x86-64, 29 November 2026. (That coef_
#   of SVC has rows for pairs is in scikit-learn's documentation. eli5 refuses three classes of SVC.)
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 shap==0.51.0 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import shap
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
y = random.randint(3, size=300)
X = random.standard_normal((300, 3)) + 2 * np.eye(3)[y]
print("shap", version("shap"), "scikit-learn", version("scikit-learn"))
agree, from_scores, from_pairs = {}, {}, {}
for machine in LinearSVC(random_state=0), SVC(kernel="linear"):
    name = type(machine).__name__
    found = shap.Explainer(machine.fit(X, y), X)(X)
    sums = found.values.sum(axis=1) + found.base_values
    agree[name] = int(np.sum(sums.argmax(axis=1) == machine.predict(X)))
    from_scores[name] = float(np.abs(sums - machine.decision_function(X)).max())
    print(f"{name}: values {found.values.shape}; the largest sum is that of the predicted class in")
    print(f"  {agree[name]} of 300 rows; sums are off decision_function by {from_scores[name]:.1f}")
pairs = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y).decision_function(X)
off = float(np.abs(sums - pairs).max())
print(f"  and off its scores of pairs by {off:.1f}")
linear_right = agree["LinearSVC"] == 300 and from_scores["LinearSVC"] < 1e-6
raise SystemExit(not (linear_right and agree["SVC"] < 150 and from_scores["SVC"] > 1 and off < 1e-6))
PY
# Output seen:
#   shap 0.51.0 scikit-learn 1.9.1
#   LinearSVC: values (300, 3, 3); the largest sum is that of the predicted class in
#     300 of 300 rows; sums are off decision_function by 0.0
#   SVC: values (300, 3, 3); the largest sum is that of the predicted class in
#     71 of 300 rows; sums are off decision_function by 9.7
#     and off its scores of pairs by 0.0
