"""Whether the sentences of chapter 5 hold with other rings.

`python benchmarks/repetitions/chapter_05.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these. Seeds start at
100, so that none is one of the chapter's.
"""

from functools import cache
from typing import Any

import numpy as np
from of_chapter import functions, repeat

from svmlib import datasets

chapter = functions("05_kernels")
WIDTHS = (10.0, 3.0, 1.0, 0.5, 0.2, 0.1, 0.03)  # from wide to narrow


@cache
def errors(seed: int) -> Any:
    """Return the errors on 80 seen and 1000 hidden samples, at each width."""
    rings = datasets.load_circles(1080, noise=0.2)
    order = np.random.RandomState(seed).permutation(1080)
    X, y = rings.X[order], rings.y[order]
    found = []
    for sigma in WIDTHS:
        f, _ = chapter["fit"](chapter["rbf"](sigma), X[:80], y[:80], C=10)
        found.append([chapter["wrong"](f, X[:80], y[:80]), chapter["wrong"](f, X[80:], y[80:])])
    return np.transpose(found)


def the_test_error_falls_and_then_climbs_back(seed: int) -> bool:
    unseen = errors(seed)[1]
    return bool(1 <= unseen.argmin() <= 5 and unseen[[0, -1]].min() > 2 * unseen.min())


def the_narrowest_kernel_makes_no_training_error(seed: int) -> bool:
    return bool(errors(seed)[0][-1] == 0)


if __name__ == "__main__":
    repeat(
        [
            the_test_error_falls_and_then_climbs_back,
            the_narrowest_kernel_makes_no_training_error,
        ]
    )
