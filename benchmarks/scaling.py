"""What a pass over the rows costs on 1, 2 and 4 workers, and for growing n: scaling.md.

The rows are drawn chunk by chunk and kept by the workers (`persist`), so that reading them is no
part of the time. Each worker is a process of its own with one thread. The time of a pass is that of
`svmlib.distributed.solve_linear` divided by the rows that its passes looked at, in units of n; the
best of three runs counts.

    python benchmarks/scaling.py                   # writes the table
    python benchmarks/scaling.py 100000            # only this many rows, prints it
"""

from __future__ import annotations

import logging
import os
import platform
import sys
import time
from datetime import date
from pathlib import Path

import dask
import numpy as np
from dask import array as da
from dask.distributed import Client, LocalCluster, wait

from svmlib.distributed import solve_linear

SIZES = (400_000, 800_000, 1_600_000, 3_200_000)
FEATURES, CHUNK = 20, 100_000
WORKERS = (1, 2, 4)
HEAD = """# Passes over the rows

Seconds for one pass over all n rows of {features} features in chunks of {chunk:,d}, best of three.
{machine}, {cores} cores, load {load:.1f} before the start; Python {python}, NumPy {numpy},
Dask {dask}; {today}. On a machine with other work to do only ratios mean anything.

| workers | n | data, MB | passes | seconds a pass | speed against 1 worker |
|--:|--:|--:|--:|--:|--:|
"""


def draw(number: int) -> np.ndarray:
    rng = np.random.default_rng(number)
    rows = rng.standard_normal((CHUNK, FEATURES + 1))
    rows[:, 0] = np.where(rows[:, 1] + rows[:, 0] < 0, -1, 1)
    return rows


def drawn(n: int) -> da.Array:
    parts = [
        da.from_delayed(dask.delayed(draw)(k), (CHUNK, FEATURES + 1), float)
        for k in range(n // CHUNK)
    ]
    return da.concatenate(parts)


def seconds_a_pass(n: int) -> tuple[float, float]:
    """Return how many passes over all rows it took, and the time of one."""
    rows = drawn(n).persist()
    wait(rows)
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        found = solve_linear(rows[:, 1:], rows[:, 0])
        taken = time.perf_counter() - start
        passes = sum(step.rows for step in found.trace) / n
        best = min(best, taken / passes)
    return passes, best


def main(sizes: tuple[int, ...]) -> str:
    table = HEAD.format(
        features=FEATURES,
        chunk=CHUNK,
        machine=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count(),
        load=os.getloadavg()[0],
        python=platform.python_version(),
        numpy=np.__version__,
        dask=dask.__version__,
        today=date.today(),
    )
    alone: dict[int, float] = {}
    for workers in WORKERS:
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        with (
            LocalCluster(n_workers=workers, silence_logs=logging.CRITICAL, **options) as cluster,
            Client(cluster),
        ):
            for n in sizes:
                passes, seconds = seconds_a_pass(n)
                speed = alone.setdefault(n, seconds) / seconds
                megabytes = 8 * n * FEATURES / 1e6
                table += f"| {workers} | {n:,d} | {megabytes:.0f} | {passes:.1f} "
                table += f"| {seconds:.3f} | {speed:.1f} |\n"
    return table


if __name__ == "__main__":
    wanted = tuple(map(int, sys.argv[1:]))
    report = main(wanted or SIZES)
    print(report)
    if not wanted:
        Path(__file__).with_suffix(".md").write_text(report, encoding="utf-8")
