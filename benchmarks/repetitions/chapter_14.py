"""Whether the sentences of chapter 14 hold with other seeds.

`python benchmarks/repetitions/chapter_14.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these. Seeds start at
100, so that none is one of the chapter's. There is no cluster: where the chunks are does not matter
for what is computed.
"""

import tempfile
from typing import Any

import dask
import numpy as np
from dask import array as da
from of_chapter import functions, repeat

from svmlib.distributed import solve_kernel, solve_linear
from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.newton import newton

chapter = functions("14_beyond_memory")
chapter["true_w"] = np.array([2.0, -1.0] + [0.0] * 18)


def drawn(seed: int, number: int) -> list[tuple[Any, Any]]:
    return [(A[:, 1:], A[:, 0]) for A in map(chapter["draw"], range(seed, seed + number))]


def passes(chunks: list[tuple[Any, Any]], C: float, h: float) -> Any:
    look, blank = chapter["look_here"], np.zeros(21)
    _, trace = chapter["newton_over_chunks"](look, chunks, C, 2e-3, h, blank)
    return np.transpose(trace)


def the_first_lower_bounds_prove_nothing_and_the_last_ones_enclose(seed: int) -> bool:
    chunks = drawn(1000 * seed, 12)
    _, dual, primal = passes(chunks, 1.0, 2.0)
    X, y = (np.concatenate(each) for each in zip(*chunks, strict=True))
    best = newton(DualProblem(X, y, 1.0), tol=1e-6).certificate
    enclosed = dual[-1] <= best.primal and best.dual <= primal[-1]
    return bool((dual[:3] < 0).all() and enclosed and len(dual) <= 20)


def the_mean_of_the_machines_is_close_unless_the_rows_are_sorted(seed: int) -> bool:
    chunks = drawn(1000 * seed, 12)
    X, y = (np.concatenate(each) for each in zip(*chunks, strict=True))
    best = newton(DualProblem(X, y, 1.0), tol=1e-6).certificate.primal
    order = np.argsort(X[:, 0])
    pieces = [(X[k], y[k]) for k in np.array_split(order, 12)]
    means = [chapter["mean_of_machines"](some) for some in (chunks, pieces)]
    close, far = (chapter["relative_excess"](v, X, y, best) for v in means)
    return bool(close < 2e-4 and far > 0.2)


def small_c_widens_the_ramp_and_ends_within_fifty_passes(seed: int) -> bool:
    held = []
    for C in (1e-6, 1e-5):
        h, dual, primal = passes(drawn(seed, 3), C, 2 / C)
        held.append((np.diff(h) > 0).any() and len(h) <= 50)
        held.append(primal[-1] - dual[-1] <= 2e-3 * primal[-1])
    return bool(all(held))


def as_array(tables: list[Any]) -> Any:
    return da.concatenate([da.from_array(A, chunks=A.shape) for A in tables])


def the_start_from_the_first_chunk_takes_at_most_ten_passes(seed: int) -> bool:
    rows = as_array([chapter["draw"](k) for k in range(1000 * seed, 1000 * seed + 12)])
    found = solve_linear(rows[:, 1:], rows[:, 0], C=1.0, tol=2e-3)
    w = found.w / found.w[0]
    return bool(found.converged and found.n_iter <= 10 and abs(w[1] + 0.5) < 0.1)


def a_kernel_machine_over_chunks_knows_the_disc(seed: int) -> bool:
    with tempfile.TemporaryDirectory() as place:
        files = [np.load(chapter["write_disc"](1000 * seed + k, place)) for k in range(10)]
    rows = as_array(files)
    machine = solve_kernel(rows[:, 1:], rows[:, 0], RBF(1.0), C=1.0)
    r = len(machine.pivots)
    answers = np.sign(machine.decision_function([[0, 0], [0.6, 0], [0.8, 0]]))
    proved = machine.certificate.optimal_to(1e-3) and (r + 1) ** 2 < 0.05 * 5000 * r
    return bool(r < 100 and proved and (answers == [1, 1, -1]).all())


if __name__ == "__main__":
    dask.config.set(scheduler="synchronous")
    repeat(
        [
            the_first_lower_bounds_prove_nothing_and_the_last_ones_enclose,
            the_mean_of_the_machines_is_close_unless_the_rows_are_sorted,
            small_c_widens_the_ramp_and_ends_within_fifty_passes,
            the_start_from_the_first_chunk_takes_at_most_ten_passes,
            a_kernel_machine_over_chunks_knows_the_disc,
        ]
    )
