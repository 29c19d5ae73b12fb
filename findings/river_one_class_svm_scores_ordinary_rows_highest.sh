#!/usr/bin/env bash
# One would guess: score_one of OneClassSVM is high for anomalies, as for every detector of river, whose
#   base class says so ("A high score is indicative of an anomaly").
# True: it is the inner product of the row with the learned weights, which training makes large for the
#   rows that it sees. Ordinary rows have the highest scores, here without one exception, so that a
#   ranking by score is upside down and QuantileFilter looks at the wrong end. With the sign changed it
#   finds every anomaly. The learned intercept does not matter at all: it is added and subtracted again.
# Seen with: river 0.26.1, Python 3.11, Linux x86-64, 29 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 river==0.26.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
from river import anomaly, preprocessing

random = np.random.RandomState(0)
is_odd = (np.arange(3000) >= 1000) & (random.uniform(size=3000) < 0.05)
table = random.standard_normal((3000, 2)) + np.where(is_odd, -2, 3)[:, None]
rows = [{"left": float(a), "right": float(b)} for a, b in table]
print("river", version("river"))


def scores(detector):
    found = []
    for row in rows:
        found.append(detector.score_one(row))
        detector.learn_one(row)
    return np.array(found[1000:])


def share_of_pairs(found):
    """The share of pairs of an anomaly and an ordinary row in which the anomaly has more."""
    odd = is_odd[1000:]
    return float(np.mean(found[odd][:, None] > found[~odd]))


machine = anomaly.OneClassSVM(nu=0.1)
svm = scores(machine)
trees = scores(preprocessing.MinMaxScaler() | anomaly.HalfSpaceTrees(seed=1))
area, turned, other = share_of_pairs(svm), share_of_pairs(-svm), share_of_pairs(trees)
print(f"area under the curve: HalfSpaceTrees {other:.2f}, OneClassSVM {area:.2f},")
print(f"  with its sign changed {turned:.2f}")
product = sum(machine.weights[name] * value for name, value in rows[0].items())
is_product = abs(machine.score_one(rows[0]) - product) < 1e-9
print(f"the intercept {machine.intercept:.2f} is not in the score: {is_product}")
raise SystemExit(not (other > 0.95 and area < 0.05 and turned > 0.95 and is_product))
PY
# Output seen:
#   river 0.26.1
#   area under the curve: HalfSpaceTrees 1.00, OneClassSVM 0.00,
#     with its sign changed 1.00
#   the intercept 0.50 is not in the score: True
