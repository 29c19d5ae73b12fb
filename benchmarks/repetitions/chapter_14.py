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
from sklearn.datasets import load_digits

from svmlib.distributed import solve_kernel, solve_linear
from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.newton import newton

chapter = functions("14_beyond_memory")
chapter["true_w"] = np.array([2.0, -1.0] + [0.0] * 18)
BLANK = np.zeros(21)


def drawn(seed: int, number: int) -> list[tuple[Any, Any]]:
    return [(A[:, 1:], A[:, 0]) for A in map(chapter["draw"], range(seed, seed + number))]


def passes(chunks: list[tuple[Any, Any]], C: float, h: float, v: Any = BLANK) -> Any:
    look, most = chapter["look_here"], 1000
    _, trace = chapter["newton_over_chunks"](look, chunks, C, 2e-3, h, v, most)
    return np.transpose(trace)


def the_first_two_passes_prove_nothing_and_the_last_one_encloses(seed: int) -> bool:
    chunks = drawn(1000 * seed, 12)
    _, dual, primal = passes(chunks, 1.0, 2.0)
    X, y = (np.concatenate(each) for each in zip(*chunks, strict=True))
    best = newton(DualProblem(X, y, 1.0), tol=1e-6).certificate
    enclosed = dual[-1] <= best.primal and best.dual <= primal[-1]
    return bool((dual[:2] == 0).all() and enclosed and len(dual) <= 20)


def the_mean_of_the_machines_is_close_unless_the_rows_are_sorted(seed: int) -> bool:
    chunks = drawn(1000 * seed, 12)
    X, y = (np.concatenate(each) for each in zip(*chunks, strict=True))
    best = newton(DualProblem(X, y, 1.0), tol=1e-6).certificate.primal
    order = np.argsort(X[:, 0])
    pieces = [(X[k], y[k]) for k in np.array_split(order, 12)]
    means = [chapter["mean_of_machines"](some) for some in (chunks, pieces)]
    close, far = (chapter["relative_excess"](v, X, y, best) for v in means)
    return bool(close < 2e-4 and far > 0.2)


def every_c_of_the_table_ends_within_thirty_passes(seed: int) -> bool:
    held = []
    for C in (1e-6, 1e-5, 1e-3, 1.0, 100.0):
        _, dual, primal = passes(drawn(seed, 3), C, 2 / C)
        held.append(len(dual) <= 30 and primal[-1] - dual[-1] <= 2e-3 * primal[-1])
    return all(held)


def with_sixty_rows_and_a_large_c_most_passes_halve_a_step(seed: int) -> bool:
    (X, y), *_ = drawn(seed, 1)
    steps, search = [], chapter["search"]

    def counted(*given: Any) -> Any:
        steps.append(given)
        return search(*given)

    chapter["search"] = counted
    h, dual, primal = passes([(X[:60], y[:60])], 1e4, 2e-4)
    chapter["search"] = search
    halved = len(h) - len(steps) - sum(np.diff(h) < 0) - 1
    return bool(primal[-1] - dual[-1] <= 2e-3 * primal[-1] and halved > len(h) / 2)


def page_and_library_take_about_as_many_passes_from_the_same_start(seed: int) -> bool:
    chunks = drawn(1000 * seed, 12)
    (X, y), *_ = chunks
    first = newton(DualProblem(X, y, 12.0), tol=1e-2)
    v = 0.85 * np.append((first.alpha * y) @ X, first.b)
    rows = as_array([np.column_stack((y, X)) for X, y in chunks])
    found = solve_linear(rows[:, 1:], rows[:, 0], C=1.0, tol=2e-3)
    return abs(len(passes(chunks, 1.0, 0.3, v)[0]) - found.n_iter) <= 2


def as_array(tables: list[Any]) -> Any:
    return da.concatenate([da.from_array(A, chunks=A.shape) for A in tables])


def the_start_from_the_first_chunk_takes_at_most_ten_passes(seed: int) -> bool:
    rows = as_array([chapter["draw"](k) for k in range(1000 * seed, 1000 * seed + 12)])
    found = solve_linear(rows[:, 1:], rows[:, 0], C=1.0, tol=2e-3)
    w = found.w / found.w[0]
    return bool(found.converged and found.n_iter <= 10 and abs(w[1] + 0.5) < 0.1)


def a_client_goes_on_from_the_saved_stages_as_if_nothing_had_happened(seed: int) -> bool:
    run, look = chapter["newton_over_chunks"], chapter["look_here"]
    chunks = drawn(1000 * seed, 12)
    _, whole = run(look, chunks, 1.0, 2e-3, 2.0, BLANK)
    (stages, h, _), _ = run(look, chunks, 1.0, 2e-3, 2.0, BLANK, most=8)
    _, rest = run(look, chunks, 1.0, 2e-3, h, stages[-1][1], stages=stages)
    return bool(rest[-1] == whole[-1] and len(rest) < len(whole))


def rough_steps_need_less_than_a_third_of_the_products(seed: int) -> bool:
    pixels, digits = load_digits(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(digits))[:1200]
    odd = [(pixels[rows] / 16, np.where(digits[rows] % 2, 1.0, -1.0))]
    found = []
    for share in (1e-6, 0.1):
        used: list[int] = []
        solve = chapter["by_products"](share, used)
        run, look = chapter["newton_over_chunks"], chapter["look_here"]
        _, trace = run(look, odd, 1.0, 2e-3, 2.0, np.zeros(65), solve=solve)
        found.append((len(trace), sum(used)))
    (exact, many), (rough, few) = found
    return rough <= 1.5 * exact and few < many / 3


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
            the_first_two_passes_prove_nothing_and_the_last_one_encloses,
            the_mean_of_the_machines_is_close_unless_the_rows_are_sorted,
            every_c_of_the_table_ends_within_thirty_passes,
            with_sixty_rows_and_a_large_c_most_passes_halve_a_step,
            page_and_library_take_about_as_many_passes_from_the_same_start,
            the_start_from_the_first_chunk_takes_at_most_ten_passes,
            a_client_goes_on_from_the_saved_stages_as_if_nothing_had_happened,
            rough_steps_need_less_than_a_third_of_the_products,
            a_kernel_machine_over_chunks_knows_the_disc,
        ]
    )
