"""Whether the sentences of chapter 13 hold with other seeds.

`python benchmarks/repetitions/chapter_13.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these. Seeds start at
100, so that none is one of the chapter's.
"""

from typing import Any

import numpy as np
from of_chapter import functions, repeat
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

from svmlib import SVC
from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.newton import newton
from svmlib.smo import smo

chapter = functions("13_many_samples")
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


def exact_machine(seed: int) -> Any:
    """Return the exact machine of a split, and its share of right answers; name its data."""
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
    return exact, np.mean((chapter["f_exact"] > 0) == (y_test > 0))


def nystrom_wins_at_every_size(seed: int) -> bool:
    exact_machine(seed)
    better = []
    for rank in (64, 256):
        drawn = chapter["measure"](chapter["fourier"](rank, seed))
        made = chapter["measure"](chapter["nystrom"](rank))
        better += [made[0] < drawn[0], made[1] < drawn[1], made[2] > drawn[2]]
    return all(better)


def few_features_lose_little_of_the_dual_and_make_more_errors(seed: int) -> bool:
    exact, right = exact_machine(seed)
    draws = [chapter["measure"](chapter["fourier"](512, 10 * seed + k)) for k in range(3)]
    _, lost, _, fourier = np.mean(draws, axis=0)
    _, little, _, nystrom = chapter["measure"](chapter["nystrom"](256))
    optimum = exact.certificate.primal
    small = little < optimum / 50 and lost < optimum / 5
    return bool(small and nystrom < right and fourier < right)


def sixty_pivots_prove_the_clouds_and_512_prove_little_of_the_digits(seed: int) -> bool:
    X, y = chapter["overlapping"](3000, d=2, seed=seed)
    low, high = chapter["proved"](RBF(0.1), X, y, 60)
    X_train, _, y_train, _ = cut(seed)
    least, most = chapter["proved"](kernel, X_train, y_train, 512)
    return bool(high - low < 1e-3 * high and least < most / 3)


def damaged_combinations_widen_the_bounds_and_do_not_falsify_them(seed: int) -> bool:
    X, y = chapter["overlapping"](3000, d=2, seed=seed)
    pivots, A, alpha, b = chapter["solve_on_pivots"](RBF(0.1), X, y, 60)
    best = newton(DualProblem(X, y, 1.0, RBF(0.1)), tol=1e-6).certificate
    noise = np.random.default_rng(seed).standard_normal(A.shape)
    widths, right = [], []
    for size in (1e-4, 1e-3, 1e-2):
        found = pivots, A * (1 + size * noise), alpha, b
        low, high = chapter["bounds_from_pivots"](RBF(0.1), X, y, 1.0, *found)
        widths.append(high - low)
        right.append(low <= best.primal and best.dual <= high)
    return bool(all(right) and (np.diff(widths) > 0).all())


def svc_proves_twenty_thousand_moons_with_fewer_than_150_pivots(seed: int) -> bool:
    X, y = make_moons(20_000, noise=0.3, random_state=seed)
    model = SVC(gamma=0.5, C=100).fit(X, y)
    few = model.solver_ == "nystrom" and len(model.pivots_) < 150
    support = 3000 < len(model.support_) < 5000
    return few and support and model.certificate_.optimal_to(1e-3)


if __name__ == "__main__":
    repeat(
        [
            twice_the_samples_take_between_one_and_three_times_the_steps,
            ten_times_the_c_takes_three_to_twelve_times_the_steps,
            each_doubling_of_the_digits_brings_fewer_errors,
            nystrom_wins_at_every_size,
            sixty_pivots_prove_the_clouds_and_512_prove_little_of_the_digits,
            damaged_combinations_widen_the_bounds_and_do_not_falsify_them,
            few_features_lose_little_of_the_dual_and_make_more_errors,
            svc_proves_twenty_thousand_moons_with_fewer_than_150_pivots,
        ]
    )
