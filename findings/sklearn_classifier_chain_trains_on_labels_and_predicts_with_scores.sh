#!/usr/bin/env bash
# One would guess: ClassifierChain(LinearSVC(), chain_method="decision_function") hands the scores of earlier
#   machines to later ones, when it is trained and when it predicts; scores say more than labels, so it is
#   at least as good as chain_method="predict".
# True: with the default cv=None every machine is trained on the true labels 0 and 1, whatever chain_method is:
#   the weights are the same to the last bit. Then predict feeds scores such as -3 and 2 into the columns that
#   held 0 and 1. Labels become worse than those of machines that know nothing of each other, without a
#   warning. With cv=5, both are made of the same kind of number, and scores are as good as labels.
#   (The two parameters are documented, each by itself.)
# Seen with: scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
import numpy as np
import sklearn
from sklearn.datasets import make_multilabel_classification
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

print("scikit-learn", sklearn.__version__)
X, Y = make_multilabel_classification(2000, 20, n_classes=6, random_state=0)
X = StandardScaler().fit_transform(X)
inner = LinearSVC(random_state=0)
alone = MultiOutputClassifier(inner).fit(X[:1000], Y[:1000])
right = {"alone": np.mean(alone.predict(X[1000:]) == Y[1000:])}
print(f"machines alone: {right['alone']:.3f} of the new labels are right")
weights = {}
for cv in None, 5:
    for method in "predict", "decision_function":
        chain = ClassifierChain(inner, cv=cv, chain_method=method).fit(X[:1000], Y[:1000])
        weights[cv, method] = np.concatenate([machine.coef_.ravel() for machine in chain.estimators_])
        right[cv, method] = np.mean(chain.predict(X[1000:]) == Y[1000:])
        print(f"cv={cv}, chain_method={method!r}: {right[cv, method]:.3f}")
same = np.array_equal(weights[None, "predict"], weights[None, "decision_function"])
print("with cv=None both chains have the same weights:", same)
harm = right["alone"] - right[None, "decision_function"]
helped = right[5, "decision_function"] - right["alone"]
raise SystemExit(not (same and harm > 0.02 and helped > -0.01))
PY
# Output seen:
#   scikit-learn 1.9.1
#   machines alone: 0.795 of the new labels are right
#   cv=None, chain_method='predict': 0.787
#   cv=None, chain_method='decision_function': 0.735
#   cv=5, chain_method='predict': 0.794
#   cv=5, chain_method='decision_function': 0.796
#   with cv=None both chains have the same weights: True
