"""Whether the sentence on random problems in chapter 3 holds with other draws: most of 40, not all.

`python benchmarks/repetitions/chapter_03.py` repeats the experiment ten times, with the functions
of the chapter, and prints in how many the sentence held. All others are about the penguins, which
nobody draws.
"""

import numpy as np
from of_chapter import functions, repeat

chapter = functions("03_smo")


def most_problems_are_right_to_a_millionth(seed: int) -> bool:
    """Repeat the forty random problems of the second reading."""
    cubes = np.random.RandomState(seed).uniform(-1, 1, (40, 2, 5, 3))
    cubes[:, 0, :, 0] += 1.1
    cubes[:, 1, :, 0] -= 1.1
    return bool(sum(chapter["excess"](*pair) < 1e-6 for pair in cubes) >= 30)


if __name__ == "__main__":
    repeat([most_problems_are_right_to_a_millionth])
