#!/usr/bin/env bash
# One would guess: DiscriminationThreshold of Yellowbrick, which takes "a discrimination probability or score",
#   tries the thresholds that the scores of LinearSVC take, from the smallest to the largest.
# True: it reads decision_function, but its thresholds are evenly spaced from 0 to 1, as for probabilities. Every
#   threshold below the machine's own is missing. Where one class is rare, the best F1 lies there, so the
#   picture advises 0.00 (change nothing) although a threshold of about -0.5 is better, and a recall above that
#   at 0 cannot be asked for. Nothing warns. (Calibrate first, or use TunedThresholdClassifierCV.)
# Seen with: yellowbrick 1.5, scikit-learn 1.6.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.6.1 yellowbrick==1.5 setuptools==80.9.0 2>pip.log ||
  { cat pip.log; exit 2; }
export MPLBACKEND=Agg
venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC
from yellowbrick.classifier import DiscriminationThreshold

print("yellowbrick", version("yellowbrick"), "scikit-learn", version("scikit-learn"))
random = np.random.RandomState(0)
y = np.where(random.uniform(size=3000) < 0.1, 1, 0)  # one row in ten is positive
X = random.standard_normal((3000, 4)) + 0.8 * y[:, None]
inner = LinearSVC()
shown = DiscriminationThreshold(inner, n_trials=5, random_state=0).fit(X, y)
tried, found = shown.thresholds_, shown.cv_scores_
best = tried[np.argmax(found["fscore"])]
scores = inner.fit(X[:2000], y[:2000]).decision_function(X[2000:])
print(f"scores from {scores.min():.1f} to {scores.max():.1f}, thresholds from {min(tried)} to {max(tried)}")
print(f"best threshold shown {best:.2f}, largest recall {found['recall'].max():.2f}")
quality = {bar: f1_score(y[2000:], scores > bar) for bar in (best, -0.5)}
for bar, value in quality.items():
    print(f"  F1 on new rows at {bar:.2f}: {value:.2f}")
between = (min(tried), max(tried)) == (0, 1)
raise SystemExit(not (between and scores.min() < -0.5 and quality[-0.5] > quality[best] + 0.1))
PY
# Output seen:
#   yellowbrick 1.5 scikit-learn 1.6.1
#   scores from -2.0 to 0.6, thresholds from 0.0 to 1.0
#   best threshold shown 0.00, largest recall 0.12
#     F1 on new rows at 0.00: 0.31
#     F1 on new rows at -0.50: 0.49
