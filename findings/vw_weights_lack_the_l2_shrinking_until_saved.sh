#!/usr/bin/env bash
# One would guess: after training with --l2, Workspace.get_weight_from_name returns the weights that
#   predict uses, so that a linear machine can be read off, exported and certified.
# True: the shrinking by --l2 is kept as one factor beside the weights and applied when the model is
#   saved. Before that the weights that are returned are too large by that factor, here more than
#   ten times after 20 passes; predict and the saved model agree with each other.
# Seen with: vowpalwabbit 9.11.9, Python 3.11, Linux x86-64, 27 November 2026.
# Source: PyPI, vowpalwabbit. Found while storing its answer for chapter 15.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet vowpalwabbit==9.11.9
venv/bin/python - <<'PY'
import random
from importlib.metadata import version

from vowpalwabbit import Workspace

random.seed(0)
rows = []
for i in range(200):
    label = random.choice((-1, 1))
    rows.append(f"{label} | a:{random.gauss(label, 1):.4f} b:{random.gauss(label, 1):.4f}")
model = Workspace("--loss_function hinge --l2 0.005 --quiet")
for _ in range(20):
    for row in rows:
        model.learn(row)
returned = model.get_weight_from_name("a")
used = (model.predict("| a:0.01") - model.predict("| ")) / 0.01
model.save("model.vw")
saved = Workspace("-i model.vw -t --quiet").get_weight_from_name("a")
print("vowpalwabbit", version("vowpalwabbit"))
print(f"returned {returned:.3g}, used by predict {used:.3g}, after saving {saved:.3g}")
raise SystemExit(not (returned > 5 * used and abs(saved - used) < 0.02 * abs(used)))
PY
# Output seen:
#   vowpalwabbit 9.11.9
#   returned 12.3, used by predict 0.783, after saving 0.783
