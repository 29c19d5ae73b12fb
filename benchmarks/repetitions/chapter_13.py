"""Whether the sentences of chapters 13 and 14 hold with other seeds.

`python benchmarks/repetitions/chapter_13.py` repeats each experiment ten times, with the functions
of the chapters, and prints in how many the sentence held; with names, only these. Seeds start at
100, so that none is one of the chapters'.
"""

from typing import Any

import numpy as np
from of_chapter import functions, repeat
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.newton import newton
from svmlib.smo import smo

chapter, beyond = functions("13_many_samples"), functions("14_beyond_memory")
digits = load_digits()
odd = np.where(digits.target % 2, 1.0, -1.0)
kernel = RBF.from_width(np.sqrt(5))


def cut(seed: int) -> Any:
    scans = digits.data / 16
    return train_test_split(scans, odd, train_size=1000, random_state=seed, stratify=odd)


def steps(n: int, C: float, seed: int) -> int:
    X, y = chapter["overlapping"](n, seed=seed)
    return smo(DualProblem(X, y, C, RBF(0.1))).n_iter


def twice_the_samples_take_between_one_and_three_times_the_steps(seed: int) -> bool:
    few, more, most = (steps(n, 1.0, seed) for n in (500, 1000, 2000))
    return few < more < 3 * few and more < most < 3 * more


def ten_times_the_c_takes_three_to_twelve_times_the_steps(seed: int) -> bool:
    low, middle, high = (steps(1000, C, seed) for C in (1.0, 10.0, 100.0))
    return 3 * low < middle < 12 * low and 3 * middle < high < 12 * middle


def each_doubling_of_the_digits_brings_fewer_errors(seed: int) -> bool:
    X_train, X_test, y_train, y_test = cut(seed)
    right = []
    for n in (125, 250, 500, 1000):
        part = DualProblem(X_train[:n], y_train[:n], 1.0, kernel)
        run = newton(part, tol=1e-4)
        f = part.decision_function(run.alpha, run.b, X_test)
        right.append(np.mean(np.sign(f) == y_test))
    return bool((np.diff(right) > 0).all())


def nystrom_wins_at_every_size(seed: int) -> bool:
    X_train, X_test, y_train, y_test = cut(seed)
    problem = DualProblem(X_train, y_train, 1.0, kernel)
    exact = newton(problem, tol=1e-6)
    chapter.update(
        X_train=X_train,
        X_test=X_test,
        y_train=y_train,
        y_test=y_test,
        kernel=kernel,
        problem=problem,
        exact=exact,
        f_exact=problem.decision_function(exact.alpha, exact.b, X_test),
    )
    better = []
    for rank in (64, 256):
        drawn = chapter["measure"](chapter["fourier"](rank, seed))
        made = chapter["measure"](chapter["nystrom"](rank))
        better += [made[0] < drawn[0], made[1] < drawn[1], made[2] > drawn[2]]
    return all(better)


def small_c_widens_the_ramp_and_ends_within_fifty_passes(seed: int) -> bool:
    chunks = [(A[:, 1:], A[:, 0]) for A in map(beyond["draw"], range(seed, seed + 3))]
    widened = []
    for C in (1e-6, 1e-5):
        look = beyond["look_here"]
        _, trace = beyond["newton_over_chunks"](look, chunks, C, 2e-3, 2 / C, np.zeros(21))
        h, dual, primal = np.transpose(trace)
        widened.append((np.diff(h) > 0).any() and len(trace) <= 50)
        widened.append(primal[-1] - dual[-1] <= 2e-3 * primal[-1])
    return bool(all(widened))


if __name__ == "__main__":
    repeat(
        [
            twice_the_samples_take_between_one_and_three_times_the_steps,
            ten_times_the_c_takes_three_to_twelve_times_the_steps,
            each_doubling_of_the_digits_brings_fewer_errors,
            nystrom_wins_at_every_size,
            small_c_widens_the_ramp_and_ends_within_fifty_passes,
        ]
    )
