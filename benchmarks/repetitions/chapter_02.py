"""Whether the sentences of chapter 2 hold with other draws.

`python benchmarks/repetitions/chapter_02.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these.
"""

import numpy as np
from of_chapter import functions, repeat
from sklearn.datasets import load_breast_cancer

from svmlib import datasets
from svmlib.geometry import directional_margin
from svmlib.hulls import closest_points, separation

chapter = functions("02_convex_hulls")


def gaps_and_bridges_approach_the_same_number(seed: int) -> bool:
    """Compare the widest of 1000 gaps and the shortest of 1000 bridges with 2, to a tenth."""
    six, random = datasets.load_six_points(), np.random.default_rng(seed)
    positive, negative = six.X[six.y > 0], six.X[six.y < 0]
    tried = random.standard_normal((1000, 2))
    widest = max(directional_margin(six.X, six.y, w).width for w in tried)
    mixed = random.dirichlet([0.3, 0.3, 0.3], (2, 1000))
    shortest = np.linalg.norm(mixed[0] @ positive - mixed[1] @ negative, axis=1).min()
    return bool(1.8 < widest <= 2 + 1e-9 and 2 - 1e-9 <= shortest < 2.2)


def the_box_of_wolfe_finds_closest_points(seed: int) -> bool:
    """Compare the algorithm of the box with the library on two random clouds."""
    random = np.random.default_rng(seed)
    positive = random.standard_normal((40, 5)) + 3
    negative = random.standard_normal((30, 5)) - 3
    v = chapter["shortest_bridge"](positive, negative)
    X, y = np.vstack([positive, negative]), np.repeat([1, -1], [40, 30])
    return bool(abs(np.linalg.norm(v) / closest_points(X, y).distance - 1) < 1e-6)


def the_box_of_wolfe_copes_with_ties(seed: int) -> bool:
    """Compare them on small grids, where many samples are equal or as far along."""
    random, worst = np.random.default_rng(seed), 0.0
    for d in (1, 2, 3, 4):
        positive, negative = random.integers(0, 3, (2, 24, d)).astype(float)
        negative[:, 0] -= 4
        v = chapter["shortest_bridge"](positive, negative)
        X, y = np.vstack([positive, negative]), np.repeat([1, -1], 24)
        worst = max(worst, abs(float(np.linalg.norm(v)) / closest_points(X, y).distance - 1))
    return bool(worst < 1e-6)


def with_many_features_nearly_every_sample_is_a_vertex(seed: int) -> bool:
    """Count the vertices among 40 tumours drawn at random, with 2 and with 10 features."""
    tumours = load_breast_cancer()
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(tumours.target == 0))[:40]
    vertices = []
    for d in (2, 10):
        Z = tumours.data[rows, :d] / tumours.data[rows, :d].std(axis=0)
        alone = [np.where(np.arange(40) == k, 1, -1) for k in range(40)]
        vertices.append(sum(separation(Z, label).separable for label in alone))
    return bool(vertices[0] < 20 and vertices[1] >= 36)


if __name__ == "__main__":
    repeat(
        [
            gaps_and_bridges_approach_the_same_number,
            the_box_of_wolfe_finds_closest_points,
            the_box_of_wolfe_copes_with_ties,
            with_many_features_nearly_every_sample_is_a_vertex,
        ]
    )
