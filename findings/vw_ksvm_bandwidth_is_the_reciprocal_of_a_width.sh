#!/usr/bin/env bash
# One would guess: vw --ksvm --kernel rbf --bandwidth h has a wider kernel for a larger h, because that is what a
#   bandwidth means. The help says "Bandwidth of rbf kernel" and no more, so a larger h is tried against overfitting.
# True: the kernel is exp(-h ||x - z||^2), so h is LIBSVM's gamma, and a larger h makes the kernel narrower. Here
#   h = 0.1 is the best of four for new rows, and with h = 1000 every training row is right and new rows are little
#   better than chance. A Gaussian of width s needs --bandwidth 1/(2 s^2), which is 50 for s = 0.1. The kernel is read
#   off a machine with one support vector.
# Seen with: vowpalwabbit 9.11.9, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI, vowpalwabbit.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scipy==1.17.1 vowpalwabbit==9.11.9 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
from importlib.metadata import version

import numpy as np
from vowpalwabbit import Workspace


def text(row, label=""):
    return f"{label} | a:{row[0]!r} b:{row[1]!r}"


def machine(h):
    return Workspace(f"--ksvm --kernel rbf --bandwidth {h} --l2 0.001 --reprocess 5 --quiet")


print("vowpalwabbit", version("vowpalwabbit"))
seen = []
for h in 0.1, 1, 10:
    one = machine(h)
    one.learn(text((1.0, 0.0), 1))
    top = one.predict(text((1.0, 0.0)))
    near, far = (one.predict(text((1.0 + d, 0.0))) / top for d in (0.5, 1.0))
    print(f"bandwidth {h}: kernel at distance 0.5 is {near:.4f}, at distance 1 {far:.4f}; exp(-h) is {np.exp(-h):.4f}")
    seen.append(abs(far - np.exp(-h)) < 1e-4 and abs(near - np.exp(-h / 4)) < 1e-4)

random = np.random.RandomState(0)


def rows(count, noise):
    X = random.uniform(-3, 3, (count, 2))
    score = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] + noise * random.standard_normal(count)
    return X.tolist(), np.where(score > 0, 1, -1)


train, labels = rows(150, 0.5)
test, truth = rows(600, 0)
right = {}
for h in 0.1, 1, 100, 1000:
    found = machine(h)
    for _ in range(3):
        for row, label in zip(train, labels, strict=True):
            found.learn(text(row, label))
    signs = [np.sign([found.predict(text(row)) for row in part]) for part in (train, test)]
    right[h] = float(np.mean(signs[0] == labels)), float(np.mean(signs[1] == truth))
    print(f"bandwidth {h}: {right[h][0]:.2f} of the training rows right, {right[h][1]:.2f} of new rows")
raise SystemExit(not (all(seen) and right[0.1][0] < 0.95 and right[1000][0] == 1 and right[1000][1] < 0.75))
PY
# Output seen:
#   vowpalwabbit 9.11.9
#   bandwidth 0.1: kernel at distance 0.5 is 0.9753, at distance 1 0.9048; exp(-h) is 0.9048
#   bandwidth 1: kernel at distance 0.5 is 0.7788, at distance 1 0.3679; exp(-h) is 0.3679
#   bandwidth 10: kernel at distance 0.5 is 0.0821, at distance 1 0.0000; exp(-h) is 0.0000
#   bandwidth 0.1: 0.87 of the training rows right, 0.92 of new rows
#   bandwidth 1: 0.94 of the training rows right, 0.88 of new rows
#   bandwidth 100: 1.00 of the training rows right, 0.89 of new rows
#   bandwidth 1000: 1.00 of the training rows right, 0.64 of new rows
