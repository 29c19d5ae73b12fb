"""Whether the sentences of chapter 6 hold when the birds fall into other fifths.

`python benchmarks/repetitions/chapter_06.py` repeats each experiment ten times, each with five or
forty ways to divide the birds, and prints in how many the sentence held; with names, only these.
Seeds start at 100, so that none is one of the chapter's.
"""

from functools import cache
from typing import Any

import numpy as np
from of_chapter import repeat

from svmlib import datasets
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Linear
from svmlib.problem import DualProblem

bills = datasets.load_penguins(("Adelie", "Chinstrap"), ("bill_length_mm", "bill_depth_mm"))
NARROW, WIDE, LINE = RBF.from_width(1.3), RBF.from_width(10), Linear()


@cache
def errors(division: int, kernel: Any, C: float) -> tuple[Any, float]:
    """Return the birds wrong when hidden, and the mean number of seen ones."""
    hidden, seen = np.zeros(len(bills.y), dtype=bool), 0.0
    fold = np.random.default_rng(division).permutation(len(bills.y)) % 5
    for part in range(5):
        train = fold != part
        problem = DualProblem(bills.X[train], bills.y[train], C, kernel)
        solution = interior_point(problem)
        f = problem.decision_function(solution.alpha, solution.b, bills.X)
        wrong = np.where(np.round(f, 6) >= 0, 1, -1) != bills.y
        hidden[~train] = wrong[~train]
        seen += np.sum(wrong & train) / 4
    return hidden, seen


def counts(seed: int, kernel: Any, C: float) -> Any:
    """Return the number of hidden birds that are wrong, for five divisions."""
    divisions = range(10 * seed, 10 * seed + 5)
    return np.array([errors(division, kernel, C)[0].sum() for division in divisions])


def seen_errors(seed: int, kernel: Any, C: float) -> float:
    """Return the mean number of seen birds that are wrong, over five divisions."""
    divisions = range(10 * seed, 10 * seed + 5)
    return float(np.mean([errors(division, kernel, C)[1] for division in divisions]))


def compare(seed: int, kernel: Any, C: float) -> tuple[int, int, float]:
    """Return wins, losses and standard errors against the narrow kernel and C = 1, as printed."""
    divisions = range(100 * seed, 100 * seed + 40)
    other, one = (
        np.array([errors(division, *machine)[0] for division in divisions])
        for machine in ((kernel, C), (NARROW, 1))
    )
    more = np.sum(other, axis=1) - np.sum(one, axis=1)
    of_bird = other.mean(axis=0) - one.mean(axis=0)
    standard_error = np.sqrt(len(bills.y)) * of_bird.std(ddof=1)
    return int(np.sum(more < 0)), int(np.sum(more > 0)), float(more.mean() / standard_error)


def a_large_c_buys_seen_errors_and_costs_hidden_ones(seed: int) -> bool:
    seen_small, seen_large = (seen_errors(seed, NARROW, C) for C in (1, 1e4))
    more = counts(seed, NARROW, 1e4).mean() - counts(seed, NARROW, 1).mean()
    return bool(seen_large == 0 < seen_small and more > 2)


def a_tiny_c_gives_up_the_smaller_class(seed: int) -> bool:
    return bool((counts(seed, NARROW, 0.01) == 68).all())


def the_line_and_the_wide_kernel_differ_by_less_than_a_bird(seed: int) -> bool:
    line, wide = counts(seed, LINE, 1), counts(seed, WIDE, 100)
    return bool(abs(line.mean() - wide.mean()) < 1)


def c_one_has_the_lowest_mean_of_the_narrow_kernels(seed: int) -> bool:
    return all(compare(seed, NARROW, C)[2] > 0 for C in (0.1, 10, 1e4))


def c_one_wins_more_divisions_than_it_loses(seed: int) -> bool:
    return all(won < lost for won, lost, _ in (compare(seed, NARROW, C) for C in (0.1, 10, 1e4)))


def the_line_has_the_lowest_mean_and_wins_most_divisions(seed: int) -> bool:
    won, lost, apart = compare(seed, LINE, 1)
    return apart < 0 and won > 20 and won > 3 * lost


def the_large_c_alone_is_two_standard_errors_away(seed: int) -> bool:
    near = (compare(seed, NARROW, 0.1), compare(seed, NARROW, 10), compare(seed, LINE, 1))
    return compare(seed, NARROW, 1e4)[2] > 2 > max(abs(apart) for _, _, apart in near)


if __name__ == "__main__":
    repeat(
        [
            a_large_c_buys_seen_errors_and_costs_hidden_ones,
            a_tiny_c_gives_up_the_smaller_class,
            the_line_and_the_wide_kernel_differ_by_less_than_a_bird,
            c_one_has_the_lowest_mean_of_the_narrow_kernels,
            c_one_wins_more_divisions_than_it_loses,
            the_line_has_the_lowest_mean_and_wins_most_divisions,
            the_large_c_alone_is_two_standard_errors_away,
        ]
    )
