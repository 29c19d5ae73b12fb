#!/usr/bin/env bash
# One would guess: hinge_loss(y, scores, labels=[-1, 1]) is the mean of max(0, 1 - y*score), also where
#   a fold or a subgroup happens to hold rows of one class only; labels= is there to say which classes
#   there are.
# True: rows of the positive class alone are charged as rows of the negative class: right and certain
#   answers cost the most, wrong ones nothing, and labels= changes nothing. With one row of the other
#   class added, the same rows are charged correctly. Whether the labels are 0/1, -1/1 or words does
#   not matter. So the mean over groups of one class each is not what it seems to be.
# Seen with: scikit-learn 1.9.1, Python 3.11, Linux x86-64, 28 November 2026.
# Source: PyPI, scikit-learn. (Several classes were mended in 2020; two were not.)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
from sklearn.metrics import hinge_loss

print("scikit-learn", version("scikit-learn"))
scores = np.array([2.0, 3.0, 1.5])  # three samples of the positive class, all right
seen = []
for negative, positive in (-1, 1), (0, 1), ("female", "male"):
    alone = hinge_loss([positive] * 3, scores, labels=[negative, positive])
    wrong = hinge_loss([positive] * 3, -scores, labels=[negative, positive])
    both = hinge_loss([positive] * 3 + [negative], [*scores, -2.0])
    print(f"{positive!r}: alone {alone:.3f}, all wrong {wrong:.3f}; with a {negative!r} {both:.3f}")
    seen.append((round(alone, 3), wrong, both))
print(f"by the formula: {np.maximum(0, 1 - scores).mean():.3f} and {(1 + scores).mean():.3f}")
raise SystemExit(seen != [(3.167, 0, 0)] * 3)
PY
# Output seen:
#   scikit-learn 1.9.1
#   1: alone 3.167, all wrong 0.000; with a -1 0.000
#   1: alone 3.167, all wrong 0.000; with a 0 0.000
#   'male': alone 3.167, all wrong 0.000; with a 'female' 0.000
#   by the formula: 0.000 and 3.167
