"""A kernel machine for 4 GB of files on two workers that may use 1 GB each: a section for LARGE.md.

Ten million noisy moons, turned into fifty columns, lie in files. They are never in one memory: each
worker is a process that is killed if it takes more than its limit, and its memory is watched. In a
second run one worker is killed during a pass, and the machines are compared.

    python benchmarks/beyond_memory.py [rows] [folder]
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import make_moons

from svmlib.distributed import KernelSolution, solve_kernel
from svmlib.kernels import RBF

COLUMNS, CHUNK, GAMMA = 50, 100_000, 0.5
LIMIT = 1000  # MB for each of the two workers


def write(folder: Path, rows: int) -> int:
    """Write the chunks that are not there yet; return how many MB all of them take."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(COLUMNS, 2)))[0].T
    for k in range(rows // CHUNK):
        if not (folder / f"y{k}.npy").exists():
            X, y = make_moons(CHUNK, noise=0.3, random_state=k)
            np.save(folder / f"X{k}.npy", X @ turn)
            np.save(folder / f"y{k}.npy", np.where(y, 1, -1))
    return sum(file.stat().st_size for file in folder.glob("*.npy")) // 2**20


def arrays(folder: Path, rows: int) -> tuple[Any, Any]:
    """Return X and y as Dask arrays whose chunks are read when a worker needs them."""

    def chunks(letter: str, shape: tuple[int, ...], dtype: type) -> Any:
        load = dask.delayed(np.load)
        parts = [load(folder / f"{letter}{k}.npy") for k in range(rows // CHUNK)]
        return da.concatenate([da.from_delayed(part, shape, dtype) for part in parts])

    return chunks("X", (CHUNK, COLUMNS), float), chunks("y", (CHUNK,), int)


def watch(
    cluster: LocalCluster, kill_after: float, most: list[int], ended: threading.Event
) -> None:
    """Note the most MB that a worker takes; kill one of them after some seconds, if asked."""
    began = time.monotonic()
    while not ended.wait(0.2):
        pids = [worker.pid for worker in cluster.workers.values() if worker.pid]
        for pid in pids:
            try:
                pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
            except (FileNotFoundError, ProcessLookupError):  # the one that was killed
                continue
            most.append(pages * os.sysconf("SC_PAGE_SIZE") // 2**20)
        if time.monotonic() - began > kill_after:
            os.kill(pids[0], signal.SIGKILL)
            kill_after = np.inf


def train(
    folder: Path, rows: int, C: float, kill_after: float = np.inf
) -> tuple[KernelSolution, str]:
    """Train on the files, and return the machine and a row of the table."""
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=f"{LIMIT}MB", dashboard_address=None
    )
    most: list[int] = []
    ended = threading.Event()
    with cluster, Client(cluster):
        threading.Thread(target=watch, args=(cluster, kill_after, most, ended)).start()
        began = time.monotonic()
        machine = solve_kernel(*arrays(folder, rows), RBF(GAMMA), C)
        seconds = time.monotonic() - began
        ended.set()
    killed = "one killed" if kill_after < np.inf else "two"
    cells = f"{machine.n_iter} | {seconds:.0f} | {max(most)} | {len(machine.pivots)}"
    return machine, f"| {C:g} | {killed} | {cells} | {machine.certificate.relative_gap:.0e} |"


def main(rows: int, folder: Path) -> str:
    """Train three machines, and return a section with what was measured."""
    size = write(folder, rows)
    first, one = train(folder, rows, 1.0)
    again, two = train(folder, rows, 1.0, kill_after=20)
    _, three = train(folder, rows, 100.0)
    X = np.load(folder / "X0.npy")[:10_000]
    most = np.abs(first.decision_function(X) - again.decision_function(X)).max()
    head = "| $C$ | workers | passes | seconds | most MB of a worker | pivots | gap |"
    about = (
        f"Made by `python benchmarks/beyond_memory.py`: {rows:,d} moons in {COLUMNS} columns, "
        f"{size:,d} MB in {rows // CHUNK} files, two workers with a limit of {LIMIT} MB each, load "
        f"{os.getloadavg()[0]:.1f} at the end. The scores of the first two machines differ by at "
        f"most {most:.0e} on 10,000 samples."
    )
    lines = (head, "|--:|:--|--:|--:|--:|--:|--:|", one, two, three)
    return "\n\n".join(("## From files, over Dask", about, "\n".join(lines))) + "\n"


if __name__ == "__main__":
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        print(main(rows, Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)))
