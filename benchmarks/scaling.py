"""What a pass over the rows costs on 1, 2 and 4 workers, a core for each: SCALING.md.

The rows are drawn chunk by chunk and kept by the workers (`persist`), so that reading them is no
part of the time. Each worker is a process of its own with one thread. Chapter 14 shows the table
and what follows from it for a billion rows.

    python benchmarks/scaling.py                   # writes the table, takes some minutes
    python benchmarks/scaling.py 100000            # only this many rows, prints it
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import sys
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

import dask
import numpy as np
from dask import array as da
from dask.distributed import Client, LocalCluster, wait
from scipy.optimize import nnls

from svmlib._chunk_sums import NewtonState, chunk_sums
from svmlib.distributed import solve_linear

FEATURES = 50
SIZES = (200_000, 400_000, 800_000, 1_600_000)
CHUNKS = (100_000, 10_000)
WORKERS = tuple(k for k in (1, 2, 4) if k <= (os.cpu_count() or 1))
RUNS = 3


class Timing(NamedTuple):
    """What was measured."""

    workers: int
    n: int
    chunk: int
    passes: int
    seconds: float  # of a pass

    @property
    def costs(self) -> tuple[float, float, float]:
        """The rows of a worker, the chunks, and one."""
        return self.n / self.workers, self.n / self.chunk, 1.0


def draw(number: int, rows: int) -> np.ndarray:
    rng = np.random.default_rng(number)
    A = rng.standard_normal((rows, FEATURES + 1))
    A[:, 0] = np.where(A[:, 1] + A[:, 0] < 0, -1, 1)
    return A


def timing(workers: int, n: int, chunk: int) -> Timing:
    """Return the time of a pass: that of all of them and of the look before, divided."""
    chunks = [dask.delayed(draw)(k, chunk) for k in range(n // chunk)]
    shape = chunk, FEATURES + 1
    rows = da.concatenate([da.from_delayed(each, shape, float) for each in chunks])
    X, y = dask.persist(rows[:, 1:], rows[:, 0])
    wait([X, y])
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        found = solve_linear(X, y)
        seconds.append((time.perf_counter() - began) / (found.n_iter + 1))
    return Timing(workers, n, chunk, found.n_iter, min(seconds))


def measure(sizes: tuple[int, ...]) -> list[Timing]:
    timings = []
    for workers in WORKERS:
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        with (
            LocalCluster(n_workers=workers, silence_logs=logging.CRITICAL, **options) as cluster,
            Client(cluster),
        ):
            timings += [timing(workers, n, chunk) for n in sizes for chunk in CHUNKS]
    return timings


def table(timings: list[Timing]) -> str:
    workers = " | ".join(f"{k} w." for k in WORKERS)  # short, for a phone
    lines = [f"| $n$ | chunk | passes | {workers} |", "|--:" * (3 + len(WORKERS)) + "|"]
    for n, chunk in dict.fromkeys((each.n, each.chunk) for each in timings):
        same = [each for each in timings if (each.n, each.chunk) == (n, chunk)]
        seconds = " | ".join(f"{each.seconds:.2f}" for each in same)
        lines.append(f"| {n / 1e3:g} | {chunk / 1e3:g} | {same[0].passes} | {seconds} |")
    return "\n".join(lines)


def forecast(timings: list[Timing]) -> str:
    """Fit seconds = a · rows of a worker + b · chunks + c, and say what that makes of 10⁹ rows."""
    taken = np.array([each.seconds for each in timings])
    costs = np.array([each.costs for each in timings]) / taken[:, np.newaxis]
    a, b, c = nnls(costs, np.ones(len(taken)))[0]  # relative errors
    off = np.abs(costs @ (a, b, c) - 1).max()
    n, workers, chunk = 10**9, 100, 10**6
    chunks = n // chunk
    fixed = b * chunks + c
    one = a * n + fixed
    rows, zero = np.zeros((2, FEATURES)), np.zeros(FEATURES + 1)
    state = NewtonState(zero[1:], 1.0, (), 2.0, zero)
    sums = chunk_sums(state, rows, np.array([1.0, -1.0]))
    sent = len(pickle.dumps(sums))
    return (
        "A pass takes about $a$ times the rows per worker, plus $b$ times the chunks, plus $c$, "
        f"with $a$ = {1e9 * a:.0f} ns, $b$ = {1e3 * b:.1f} ms and $c$ = {1e3 * c:.0f} ms "
        f"(the worst of the {len(taken)} times is {100 * off:.0f}% off). "
        f"For 10⁹ rows of {FEATURES} features, {workers} workers and {chunks:,d} chunks "
        f"this predicts {a * n / workers:.1f} s for the sums and {b * chunks:.1f} s for the "
        "book-keeping. The book-keeping and $c$ cannot be divided. With one worker they take the "
        f"share $p$ = {fixed / one:.4f} of a pass, so by Amdahl's law {workers} workers make it "
        f"about {one / (fixed + a * n / workers):.0f} times as fast. "
        f"The sums of a chunk are {sent / 1e3:.0f} kB when sent, those of all chunks are "
        f"{sent * chunks / 1e6:.0f} MB, which take {8 * sent * chunks / 1e9:.1f} s if sent "
        "one after the other over a link of 1 Gbit/s."
    )


def main(sizes: tuple[int, ...]) -> str:
    load = os.getloadavg()[0]
    timings = measure(sizes)
    about = (
        f"The last columns are the seconds that a pass over $n$ rows of {FEATURES} features takes "
        f"with one or two workers (w.), the best of {RUNS} runs. Rows, and rows per chunk, are in "
        "thousands; *passes* are counted until the relative duality gap is at most a thousandth. "
        f"The times were measured on {date.today():%-d %B %Y}: "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"load {load:.1f} before the start, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Dask {dask.__version__}. "
        "All workers, the scheduler and the client share one computer."
    )
    head = "# Passes over the rows\n\nMade by `python benchmarks/scaling.py`, shown in chapter 14."
    mark = "<!-- table -->"
    return "\n\n".join((head, mark, about, table(timings), forecast(timings))) + "\n"


if __name__ == "__main__":
    wanted = tuple(map(int, sys.argv[1:]))
    report = main(wanted or SIZES)
    print(report)
    if not wanted:
        Path(__file__).with_name("SCALING.md").write_text(report, encoding="utf-8")
