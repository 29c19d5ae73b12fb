"""Whether the sentences of chapter 6 hold when the birds fall into other fifths.

`python benchmarks/repetitions/chapter_06.py` repeats each experiment ten times, each with five ways
to divide the birds, and prints in how many the sentence held; with names, only these. Seeds start
at 100, so that none is one of the chapter's.
"""

from functools import cache
from typing import Any

import numpy as np
from of_chapter import repeat
from scipy.stats import binomtest

from svmlib import datasets
from svmlib.duality import DualProblem, interior_point
from svmlib.kernels import RBF, Linear

bills = datasets.load_penguins(("Adelie", "Chinstrap"), ("bill_length_mm", "bill_depth_mm"))
NARROW, WIDE, LINE = RBF.from_width(1.3), RBF.from_width(10), Linear()


@cache
def errors(seed: int, kernel: Any, C: float) -> Any:
    """Return the birds wrong when hidden, for five divisions, and the mean number of seen ones."""
    hidden, seen = np.zeros((5, len(bills.y)), dtype=bool), 0.0
    for k, division in enumerate(range(10 * seed, 10 * seed + 5)):
        fold = np.random.default_rng(division).permutation(len(bills.y)) % 5
        for part in range(5):
            train = fold != part
            problem = DualProblem(bills.X[train], bills.y[train], C, kernel)
            solution = interior_point(problem)
            f = problem.decision_function(solution.alpha, solution.b, bills.X)
            wrong = np.where(f >= 0, 1, -1) != bills.y
            hidden[k, ~train] = wrong[~train]
            seen += np.sum(wrong & train) / 20
    return hidden, seen


def counts(seed: int, kernel: Any, C: float) -> Any:
    """Return the number of hidden birds that are wrong, for five divisions."""
    return errors(seed, kernel, C)[0].sum(axis=1)


def probabilities(seed: int, one: tuple[Any, float], other: tuple[Any, float]) -> list[float]:
    """Return how likely fair coins split the birds that only one gets wrong as unevenly."""
    A, B = (errors(seed, *machine)[0] for machine in (one, other))
    sides = zip((A & ~B).sum(axis=1), (B & ~A).sum(axis=1), strict=True)
    return [binomtest(a, a + b).pvalue if a + b else 1.0 for a, b in sides]


def a_large_c_buys_seen_errors_and_costs_hidden_ones(seed: int) -> bool:
    seen_small, seen_large = (errors(seed, NARROW, C)[1] for C in (1, 1e4))
    more = counts(seed, NARROW, 1e4).mean() - counts(seed, NARROW, 1).mean()
    return bool(seen_large == 0 < seen_small and more > 2)


def a_tiny_c_gives_up_the_smaller_class(seed: int) -> bool:
    return bool((counts(seed, NARROW, 0.01) == 68).all())


def at_one_and_at_ten_the_bars_overlap(seed: int) -> bool:
    one, ten = counts(seed, NARROW, 1), counts(seed, NARROW, 10)
    return bool(max(one.min(), ten.min()) <= min(one.max(), ten.max()))


def on_both_sides_of_one_and_ten_the_mean_is_larger(seed: int) -> bool:
    below, one, ten, above = (counts(seed, NARROW, C).mean() for C in (0.1, 1, 10, 100))
    return bool(max(one, ten) < min(below, above))


def the_line_and_the_wide_kernel_differ_by_less_than_a_bird(seed: int) -> bool:
    line, wide = counts(seed, LINE, 1), counts(seed, WIDE, 100)
    return bool(abs(line.mean() - wide.mean()) < 1)


def the_line_makes_fewer_errors_than_the_narrow_kernel(seed: int) -> bool:
    return bool(counts(seed, LINE, 1).mean() < counts(seed, NARROW, 1).mean())


def no_division_decides_between_one_and_ten(seed: int) -> bool:
    return min(probabilities(seed, (NARROW, 1), (NARROW, 10))) > 0.05


def no_division_decides_between_the_line_and_the_narrow_kernel(seed: int) -> bool:
    return min(probabilities(seed, (NARROW, 1), (LINE, 1))) > 0.05


def the_large_c_errs_more_in_four_of_five_divisions(seed: int) -> bool:
    return bool((counts(seed, NARROW, 1e4) > counts(seed, NARROW, 1)).sum() >= 4)


def most_divisions_do_not_decide_between_one_and_ten_thousand(seed: int) -> bool:
    return sum(p < 0.05 for p in probabilities(seed, (NARROW, 1), (NARROW, 1e4))) <= 2


if __name__ == "__main__":
    repeat(
        [
            a_large_c_buys_seen_errors_and_costs_hidden_ones,
            a_tiny_c_gives_up_the_smaller_class,
            at_one_and_at_ten_the_bars_overlap,
            on_both_sides_of_one_and_ten_the_mean_is_larger,
            the_line_and_the_wide_kernel_differ_by_less_than_a_bird,
            the_line_makes_fewer_errors_than_the_narrow_kernel,
            no_division_decides_between_one_and_ten,
            no_division_decides_between_the_line_and_the_narrow_kernel,
            the_large_c_errs_more_in_four_of_five_divisions,
            most_divisions_do_not_decide_between_one_and_ten_thousand,
        ]
    )
