"""Kernel machines for 10,000 to 1,000,000 samples on one core: LARGE.md.

`SVC` where the Gram matrix fits no memory, on two data sets whose kernel is nearly of low rank and
on one whose kernel is not, with LIBSVM beside it as far as it can be waited for. Each fit is a
process of its own with one thread, and its memory is that of the process, data and imports
included.

    python benchmarks/large.py                 # writes the table, takes half an hour
    python benchmarks/large.py moons 200000 1  # one fit: data set, samples, C
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np
from sklearn import svm
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

import svmlib

SIZES = {
    "moons": (10_000, 20_000, 50_000, 200_000, 1_000_000),
    "eight columns": (20_000, 50_000, 200_000),
    "twenty columns": (10_000, 20_000, 50_000),
}
PEER = 20_000  # the most samples for LIBSVM
PATIENCE = 400  # seconds of CPU for a fit


def draw(name: str, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return X, y and gamma."""
    if name == "moons":  # two dimensions
        X, y = make_moons(n, noise=0.3, random_state=0)
        return X, np.where(y, 1, -1), 0.5
    rng = np.random.default_rng(0)
    if name == "eight columns":  # of falling width, as principal components have
        X = rng.normal(size=(n, 8)) * 0.5 ** np.arange(8)
        f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
        return X, np.where(f > 0, 1, -1), 0.05
    X = rng.normal(size=(n, 20))  # noise, but for the first
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1), 0.05


def one(name: str, n: int, C: float, who: str) -> str:
    """Fit, and return a row of the table from the column *CPU s* on."""
    X, y, gamma = draw(name, n)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if who == "LIBSVM":
            model = svm.SVC(C=C, gamma=gamma).fit(X, y)
        else:
            model = svmlib.SVC(C=C, gamma=gamma, memory_mb=6000).fit(X, y)
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gap = f"{model.certificate_.relative_gap:.0e}" if who != "LIBSVM" else ""
    pivots = len(model.pivots_) if hasattr(model, "pivots_") else ""
    return f"{seconds:.1f} | {memory:.0f} | {gap} | {pivots} | {len(model.support_)}"


def row(name: str, n: int, C: float, who: str) -> str:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, name, str(n), str(C), who]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))  # noqa: E731
    single = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=single, preexec_fn=limit, capture_output=True, text=True)
    found = ran.stdout.strip() if ran.returncode == 0 else f"over {PATIENCE} | | | | "
    print(f"| {name} | {n:,d} | {C:g} | {who} | {found} |", flush=True)
    return f"| {name} | {n:,d} | {C:g} | {who} | {found} |"


def measure() -> list[str]:
    return [
        row(name, n, C, who)
        for name, sizes in SIZES.items()
        for n in sizes
        for C in (1.0, 100.0)
        for who in ("SVC", "LIBSVM")
        if who == "SVC" or n <= PEER
    ]


def report(rows: list[str], load: float) -> str:
    about = (
        "CPU seconds of a fit and the peak memory of its process in MB, data and imports included; "
        "the proven relative duality gap (the tolerance is 1e-3), pivots, and support vectors. "
        f"Where there are no pivots all kernel values have been used. Limit: {PATIENCE} s of CPU. "
        f"Measured on {date.today():%-d %B %Y}: {platform.system()} {platform.machine()}, one "
        f"thread, load {load:.1f} before the start, Python {platform.python_version()}, NumPy "
        f"{np.__version__}. `memory_mb=6000`."
    )
    head = "| data | $n$ | $C$ | by | CPU s | MB | gap | pivots | support vectors |"
    lines = (head, "|:--|--:|--:|:--|--:|--:|--:|--:|--:|", *rows)
    made = "# Large kernel machines\n\nMade by `python benchmarks/large.py`."
    return "\n\n".join((made, about, "\n".join(lines))) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(one(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), "".join(sys.argv[4:])))
    else:
        load = os.getloadavg()[0]
        Path(__file__).with_name("LARGE.md").write_text(report(measure(), load), encoding="utf-8")
