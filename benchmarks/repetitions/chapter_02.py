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


def more_draws_bring_gaps_and_bridges_nearer_to_2(seed: int) -> bool:
    """Compare the widest gap and the shortest bridge of 100 draws and of 10,000."""
    six, random = datasets.load_six_points(), np.random.default_rng(seed)
    positive, negative = six.X[six.y > 0], six.X[six.y < 0]
    tried = random.standard_normal((10_000, 2))
    widths = np.array([directional_margin(six.X, six.y, w).width for w in tried])
    mixed = random.dirichlet([0.3, 0.3, 0.3], (2, 10_000))
    lengths = np.linalg.norm(mixed[0] @ positive - mixed[1] @ negative, axis=1)
    nearer = widths.max() > widths[:100].max() and lengths.min() < lengths[:100].min()
    within = 1.99 < widths.max() <= 2 + 1e-9 and 2 - 1e-9 <= lengths.min() < 2.05
    return bool(nearer and within)


def the_box_of_wolfe_finds_closest_points(seed: int) -> bool:
    """Compare the algorithm of the box with the library on two random clouds."""
    random = np.random.default_rng(seed)
    positive = random.standard_normal((40, 5)) + 3
    negative = random.standard_normal((30, 5)) - 3
    v = chapter["shortest_bridge"](positive, negative)
    X, y = np.vstack([positive, negative]), np.repeat([1, -1], [40, 30])
    return bool(abs(np.linalg.norm(v) / closest_points(X, y).distance - 1) < 1e-6)


def the_box_of_wolfe_copes_with_ties(seed: int) -> bool:
    """Compare them on tiny grids, where samples are equal and weights become zero together."""
    random, worst = np.random.default_rng(seed), 0.0
    for _ in range(200):
        n, m, d, levels = random.integers(1, [7, 7, 5, 4], endpoint=True)
        positive = random.integers(0, levels, (n, d)).astype(float)
        negative = random.integers(0, levels, (m, d)).astype(float)
        negative[:, 0] -= levels + 1
        v = chapter["shortest_bridge"](positive, negative)
        X, y = np.vstack([positive, negative]), np.repeat([1, -1], [n, m])
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
            more_draws_bring_gaps_and_bridges_nearer_to_2,
            the_box_of_wolfe_finds_closest_points,
            the_box_of_wolfe_copes_with_ties,
            with_many_features_nearly_every_sample_is_a_vertex,
        ]
    )
