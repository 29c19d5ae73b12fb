"""Whether the second algorithm of chapter 3 works on small grids, where samples tie.

`python benchmarks/repetitions/chapter_03.py` tries it ten times, with the functions of the chapter.
The sentences of the chapter are about the penguins, which nobody draws.
"""

import numpy as np
from of_chapter import functions, repeat

from svmlib.hulls import closest_points

chapter = functions("03_smo")


def the_box_of_the_steepest_pair_copes_with_ties(seed: int) -> bool:
    """Compare it with the library on grids, where many samples are equal or as far along."""
    random, worst = np.random.default_rng(seed), 0.0
    for d in (1, 2, 3):
        positive, negative = random.integers(0, 3, (2, 16, d)).astype(float)
        negative[:, 0] -= 4
        lam = chapter["two_birds"](positive, negative)
        a, b, _ = chapter["steepest"](positive, negative, *lam, 1e-6)
        length = chapter["bounds"](positive, negative, a, b)[1]
        X, y = np.vstack([positive, negative]), np.repeat([1, -1], 16)
        worst = max(worst, abs(length / closest_points(X, y).distance - 1))
    return bool(worst < 2e-6)


if __name__ == "__main__":
    repeat([the_box_of_the_steepest_pair_copes_with_ties])
