#!/usr/bin/env bash
# One would guess: BinaryHingeLoss, given scores of a machine and labels 0 and 1, is the hinge loss
#   max(0, 1 - y f) with y = -1 and 1, as scikit-learn's hinge_loss, and 0 for a machine that is right
#   everywhere with |f| >= 1.
# True: scores are first pressed into (0, 1) by the logistic function if at least one of them lies
#   outside [0, 1], and then y f is computed with what came out, which is never negative. A sample of
#   label 0 can therefore not have a loss below 1, whatever its score is: a right and sure machine has a
#   loss of about the share of the zeros, not 0. The multiclass loss with one column for each class, given
#   -f and f, is near 0.
# Seen with: torchmetrics 1.9.0, torch 2.14.1, scikit-learn 1.9.1, Python 3.11, Linux x86-64,
#   28 November 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 torch==2.14.1 torchmetrics==1.9.0 \
  2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
import torch
from sklearn.metrics import hinge_loss
from torchmetrics.classification import BinaryHingeLoss, MulticlassHingeLoss

print("torchmetrics", version("torchmetrics"), "scikit-learn", version("scikit-learn"))
seen = []
for ones in (100, 500, 900):
    y = np.repeat([0, 1], [1000 - ones, ones])
    f = 6.0 * (2 * y - 1)  # right, and far outside the margin
    scores, labels = torch.tensor(f), torch.tensor(y)
    binary = float(BinaryHingeLoss()(scores, labels))
    columns = torch.stack([-scores, scores], dim=1)
    multiclass = float(MulticlassHingeLoss(num_classes=2)(columns, labels))
    print(f"{1000 - ones} of 1000 labels are 0: scikit-learn {hinge_loss(y, f):.3f},", end=" ")
    print(f"binary {binary:.3f}, multiclass {multiclass:.3f}")
    seen.append(abs(binary - (1 - ones / 1000)) < 0.01 and multiclass < 0.01)
raise SystemExit(not all(seen))
PY
# Output seen:
#   torchmetrics 1.9.0 scikit-learn 1.9.1
#   900 of 1000 labels are 0: scikit-learn 0.000, binary 0.902, multiclass 0.000
#   500 of 1000 labels are 0: scikit-learn 0.000, binary 0.502, multiclass 0.000
#   100 of 1000 labels are 0: scikit-learn 0.000, binary 0.102, multiclass 0.000
