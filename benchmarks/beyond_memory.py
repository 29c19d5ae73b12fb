"""A kernel machine for 4 GB of files on two workers that may use 1 GB each: a section for LARGE.md.

Ten million noisy moons, turned into fifty columns, lie in files. They are never in one memory: each
worker is a process that is killed if it takes more than its limit, and its memory is watched. All
bytes that processes send one another are counted. In a second run one worker is killed during a
pass, and the machines are compared. In the end the measured constants say what a billion rows would
take.

    python benchmarks/beyond_memory.py [rows] [folder]
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, Worker, WorkerPlugin
from distributed.comm.tcp import TCP
from sklearn.datasets import make_moons

from svmlib.distributed import KernelSolution, solve_kernel
from svmlib.kernels import RBF
from svmlib.nystrom import PivotSpan, forecast_relative_gap
from svmlib.problem import DualProblem

COLUMNS, CHUNK, GAMMA = 50, 100_000, 0.5
LIMIT = 1000  # MB for each of the two workers
MANY, WORKERS = 10**9, 100  # rows and workers on paper


class Run(NamedTuple):
    """A machine, and what it took: seconds, CPU seconds of the workers, and passes."""

    machine: KernelSolution
    seconds: float
    cpu: float
    passes: int


def write(folder: Path, rows: int) -> int:
    """Write the chunks that are not there yet; return how many MB they take."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(COLUMNS, 2)))[0].T
    for k in range(rows // CHUNK):
        if not (folder / f"y{k}.npy").exists():
            X, y = make_moons(CHUNK, noise=0.3, random_state=k)
            np.save(folder / f"X{k}.npy", X @ turn)
            np.save(folder / f"y{k}.npy", np.where(y, 1, -1))
    files = (folder / f"{letter}{k}.npy" for letter in "Xy" for k in range(rows // CHUNK))
    return sum(file.stat().st_size for file in files) // 2**20


def arrays(folder: Path, rows: int) -> tuple[Any, Any]:
    """Return X and y as Dask arrays whose chunks are read when a worker needs them."""

    def chunks(letter: str, shape: tuple[int, ...], dtype: type) -> Any:
        load = dask.delayed(np.load)
        parts = [load(folder / f"{letter}{k}.npy") for k in range(rows // CHUNK)]
        return da.concatenate([da.from_delayed(part, shape, dtype) for part in parts])

    return chunks("X", (CHUNK, COLUMNS), float), chunks("y", (CHUNK,), int)


def count_sent() -> None:
    """Let this process count the bytes that it sends to others, in `TCP.sent`."""
    tcp: Any = TCP
    write = tcp.write

    async def counted(comm: Any, *args: Any, **options: Any) -> int:
        size: int = await write(comm, *args, **options)
        tcp.sent += size
        return size

    tcp.sent, tcp.write = 0, counted


class Counter(WorkerPlugin):
    """Have every worker count, those too that replace a dead one."""

    def setup(self, worker: Worker) -> None:
        """Begin to count."""
        count_sent()


def spent(client: Client) -> tuple[int, int, float]:
    """Return the bytes that the client with the scheduler, and the workers, have sent so far.

    And the CPU seconds of the workers.
    """
    count: Any = lambda: TCP.sent  # type: ignore[attr-defined]  # noqa: E731
    run = cast("Callable[..., dict[str, Any]]", client.run)  # a coroutine only in asynchronous code
    sent, seconds = (sum(run(each).values()) for each in (count, time.process_time))
    return count(), sent, seconds


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


def train(folder: Path, rows: int, C: float, kill_after: float = np.inf) -> Run:
    """Train on the files, and print a row of the table."""
    options: dict[str, Any] = {"memory_limit": f"{LIMIT}MB", "dashboard_address": None}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, **options)
    most: list[int] = []
    ended = threading.Event()
    with cluster, Client(cluster) as client:
        client.register_plugin(Counter())
        before = spent(client)
        threading.Thread(target=watch, args=(cluster, kill_after, most, ended)).start()
        began = time.monotonic()
        machine = solve_kernel(*arrays(folder, rows), RBF(GAMMA), C)
        seconds = time.monotonic() - began
        ended.set()
        out, back, cpu = (now - then for now, then in zip(spent(client), before, strict=True))
    passes = machine.n_iter + 4  # with those for classes, pivots, the first chunk and the judgement
    killed = kill_after < np.inf  # and what the killed one had sent is lost with it
    traffic = " | " if killed else f"{out / passes / 1e6:.1f} | {back / passes / 1e6:.1f}"
    cells = f"{machine.n_iter} | {seconds:.0f} | {max(most)} | {traffic} | {len(machine.pivots)}"
    gap = f"{machine.certificate.relative_gap:.0e}"
    print(f"| {C:g} | {'one killed' if killed else 'two'} | {cells} | {gap} |", flush=True)
    return Run(machine, seconds, cpu, passes)


def plan(folder: Path, rows: int, C: float, run: Run) -> str:
    """Say what `MANY` rows would take, and what could be proved, as a sample foretells it."""
    X, y = (np.load(folder / f"{letter}0.npy")[:6000] for letter in "Xy")
    span = PivotSpan.of_sample(RBF(GAMMA), X[:3000], 1e-3 / (C * MANY))
    r = span.rank
    gap = forecast_relative_gap(DualProblem(X[3000:], y[3000:], C, RBF(GAMMA)), 1e-3, span, MANY)
    work = run.cpu / rows / run.passes * (r / len(run.machine.pivots)) ** 2
    a_pass = work * MANY / WORKERS
    message = 8 * (r + 1) ** 2
    return (
        f"C = {C:g}: {r} pivots, {work * 1e6:.1f} µs of CPU per row and pass, {a_pass:.0f} s per "
        f"pass, {a_pass * run.passes / 60:.0f} minutes for {run.passes} passes; each worker reads "
        f"{8 * COLUMNS * MANY / WORKERS / a_pass / 1e6:.0f} MB per second. A chunk of {CHUNK:,d} "
        f"rows takes {24 * r * CHUNK / 1e6:.0f} MB and sends {message / 1e3:.0f} kB, all of them "
        f"{message * MANY / CHUNK / 1e9:.1f} GB per pass. A sample promises a duality gap of about "
        f"{gap:.0e}."
    )


def main(rows: int, folder: Path) -> None:
    """Train three machines, and print a section with what was measured."""
    size = write(folder, rows)
    print(
        "## From files, over Dask\n\n"
        f"Made by `python benchmarks/beyond_memory.py`: {rows:,d} moons in {COLUMNS} columns, "
        f"{size:,d} MB in {rows // CHUNK} files, two workers with a limit of {LIMIT} MB each, load "
        f"{os.getloadavg()[0]:.1f} before the start. The columns *to* and *from* have the MB sent "
        "to and from the workers per pass.\n\n"
        "| $C$ | workers | passes | seconds | most MB of a worker | to | from | pivots "
        "| duality gap |\n"
        "|--:|:--|--:|--:|--:|--:|--:|--:|--:|",
        flush=True,
    )
    first = train(folder, rows, 1.0)
    again = train(folder, rows, 1.0, kill_after=first.seconds / 3)
    X = np.load(folder / "X0.npy")[:10_000]
    one, other = (run.machine.decision_function(X) for run in (first, again))
    last = train(folder, rows, 100.0)
    print(
        f"\nThe scores of the first two machines differ by at most {np.abs(one - other).max():.0e} "
        "on 10,000 samples.\n\n"
        f"## {MANY:.0e} rows, on paper\n\n"
        f"With the constants of {rows:,d} rows, for {WORKERS} workers with a core each:\n\n"
        f"- {plan(folder, rows, 1.0, first)}\n- {plan(folder, rows, 100.0, last)}"
    )


if __name__ == "__main__":
    count_sent()
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        main(rows, Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary))
