#!/usr/bin/env bash
# One would guess: the PMML file that Nyoka writes of a pipeline with LinearSVC has its labels for three classes,
#   as it has for two, and as files of SVC, SGDClassifier and RidgeClassifier have for any number.
# True: the file holds the right weights, but the scores enter a classification without a normalization method.
#   In PMML the last category of such a model gets one minus the sum of the others, whatever its own score is.
#   The other scores are mostly negative, so the last class wins nearly everywhere: it takes most rows of three
#   classes and every row of six. Nothing warns. Two evaluators of different makers agree on all rows. With
#   normalizationMethod="softmax" in the last RegressionModel of the file all labels are right.
# Seen with: nyoka 5.5.0, pypmml 1.5.8, jpmml_evaluator 0.16.0, scikit-learn 1.9.1, pandas 3.1.1, Python 3.11,
#   OpenJDK 17, Linux x86-64, 1 December 2026. (Its list of supported estimators has LinearSVC. Its code leaves out
#   the method for LinearSVC alone.)
# Source: PyPI (needs Java for both evaluators; nothing else is installed).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1 nyoka==5.5.0 \
  pypmml==1.5.8 py4j==0.10.9.9 jpmml_evaluator==0.16.0 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import pandas as pd
from jpmml_evaluator import make_evaluator
from nyoka import skl_to_pmml
from pypmml import Model
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

random = np.random.RandomState(0)
print("nyoka", version("nyoka"), "scikit-learn", version("scikit-learn"))
seen = []
for classes in 2, 3, 6:
    y = random.randint(classes, size=300)
    X = pd.DataFrame(random.standard_normal((300, 6)) + 2 * np.eye(6)[y] + 1, columns=list("abcdef"))
    print(f"{classes} classes, labels of 300 rows that differ by two evaluators:")
    for machine in LinearSVC(random_state=0), SVC(), SGDClassifier(random_state=0), RidgeClassifier():
        pipeline = Pipeline([("scale", StandardScaler()), ("machine", machine)]).fit(X, y)
        skl_to_pmml(pipeline, list(X.columns), "label", "machine.pmml")
        first = Model.load("machine.pmml").predict(X)["predicted_label"].astype(int)
        second = make_evaluator("machine.pmml").verify().evaluateAll(X)["label"].astype(int)
        labels = pipeline.predict(X)
        differ = [int(np.sum(labels != found)) for found in (first, second)]
        last = int(np.sum(first == classes - 1)), int(np.sum(labels == classes - 1))
        name = type(machine).__name__
        print(f"  {name}: {differ[0]} and {differ[1]}; last class: {last[0]} in the file, {last[1]} in scikit-learn")
        if name == "LinearSVC" and classes > 2:
            seen.append(min(differ) > 90 and last[0] > 2 * last[1])
        else:
            seen.append(max(differ) <= 3)  # ties of SVC's votes may be decided otherwise
raise SystemExit(not all(seen))
PY
# Output seen:
#   nyoka 5.5.0 scikit-learn 1.9.1
#   2 classes, labels of 300 rows that differ by two evaluators:
#     LinearSVC: 0 and 0; last class: 153 in the file, 153 in scikit-learn
#     SVC: 0 and 0; last class: 153 in the file, 153 in scikit-learn
#     SGDClassifier: 0 and 0; last class: 143 in the file, 143 in scikit-learn
#     RidgeClassifier: 0 and 0; last class: 153 in the file, 153 in scikit-learn
#   3 classes, labels of 300 rows that differ by two evaluators:
#     LinearSVC: 135 and 135; last class: 238 in the file, 103 in scikit-learn
#     SVC: 0 and 0; last class: 100 in the file, 100 in scikit-learn
#     SGDClassifier: 0 and 0; last class: 102 in the file, 102 in scikit-learn
#     RidgeClassifier: 0 and 0; last class: 102 in the file, 102 in scikit-learn
#   6 classes, labels of 300 rows that differ by two evaluators:
#     LinearSVC: 263 and 263; last class: 300 in the file, 37 in scikit-learn
#     SVC: 0 and 0; last class: 40 in the file, 40 in scikit-learn
#     SGDClassifier: 0 and 0; last class: 50 in the file, 50 in scikit-learn
#     RidgeClassifier: 0 and 0; last class: 32 in the file, 32 in scikit-learn
