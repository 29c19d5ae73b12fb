#!/usr/bin/env bash
# One would guess: an exporter of SVC to C for microcontrollers, whose code for three classes gives every
#   label of scikit-learn, gives those of two classes too, which is the simpler case.
# True: for two classes the code compares sum(coef * K) with +intercept_, and the machine with -intercept_:
#   scikit-learn turns the signs of both attributes in this case alone. The threshold is wrong by twice
#   the intercept, and where that is large, every row has one label. A OneClassSVM, whose intercept_ is
#   minus the bar that a row must reach, calls every row ordinary (1; it would call others 0, not -1).
#   With the sign of intercept_ turned before the export, both are right. Nothing warns of it.
# Seen with: micromlgen 1.1.28, scikit-learn 1.9.1, g++ 12.2, Python 3.11, Linux x86-64, 30 November 2026.
# Source: PyPI, micromlgen (needs g++; nothing else is installed).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet numpy==2.4.6 scikit-learn==1.9.1 micromlgen==1.1.28 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python -W ignore - <<'PY'
import subprocess
from importlib.metadata import version
from pathlib import Path

import micromlgen
import numpy as np
from sklearn.datasets import load_iris
from sklearn.svm import SVC, OneClassSVM

MAIN = """
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
using byte = unsigned char;
using namespace std;
#include "machine.h"
int main() {
    Eloquent::ML::Port::Machine machine;
    float x[4];
    while (scanf("%f %f %f %f", x, x + 1, x + 2, x + 3) == 4) printf("%d ", machine.predict(x));
}
"""


def answers(machine, X):
    """The labels that the exported program gives."""
    Path("machine.h").write_text(micromlgen.port(machine, classname="Machine"))
    Path("main.cpp").write_text(MAIN)
    subprocess.run(["g++", "-w", "-o", "main", "main.cpp"], check=True)
    rows = "\n".join(" ".join(map(str, x)) for x in X)
    return np.array(subprocess.run("./main", input=rows, capture_output=True, text=True).stdout.split(), int)


X, y = load_iris(return_X_y=True)
print("micromlgen", version("micromlgen"), "scikit-learn", version("scikit-learn"))
two, seen = y > 0, []
for name, machine, rows, labels in (
    ("three classes", SVC(gamma=0.5), X, y),
    ("two classes", SVC(kernel="poly", degree=2, gamma=0.5), X[two], y[two] - 1),
    ("one class", OneClassSVM(gamma=0.5, nu=0.2), X, None),
):
    machine.fit(rows, labels)
    wanted = np.maximum(machine.predict(rows), 0)  # 0 for the -1 of the one-class machine
    given = answers(machine, rows)
    machine.intercept_ = -machine.intercept_
    turned = answers(machine, rows)
    differ, mended = int(np.sum(given != wanted)), int(np.sum(turned != wanted))
    print(f"{name}: {differ} of {len(rows)} labels differ, {mended} with the intercept turned")
    print(f"  labels given: {np.unique(given)}, the machine's: {np.unique(wanted)}")
    seen.append((differ, mended))
raise SystemExit(not (seen[0][0] == 0 and seen[1][0] > 10 > seen[1][1] and seen[2][0] > 10 > seen[2][1]))
PY
# Output seen:
#   micromlgen 1.1.28 scikit-learn 1.9.1
#   three classes: 0 of 150 labels differ, 6 with the intercept turned
#     labels given: [0 1 2], the machine's: [0 1 2]
#   two classes: 49 of 100 labels differ, 0 with the intercept turned
#     labels given: [1], the machine's: [0 1]
#   one class: 30 of 150 labels differ, 0 with the intercept turned
#     labels given: [1], the machine's: [0 1]
