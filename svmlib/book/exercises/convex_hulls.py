"""Exercises of chapter 2, Convex hulls."""

import numpy as np
from scipy.linalg import norm, null_space
from scipy.optimize import nnls

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples

__all__ = ["check_bracket", "check_nearest_on_segment", "check_radon", "check_reduce_weights"]


def _segments(random: Random) -> Inputs:
    for x, z in (([3.0, 1], [-1, 1]), ([1, 2], [4, 2]), ([3, -2], [1, -1]), ([2, 1], [2, 1])):
        yield np.array(x, dtype=float), np.array(z, dtype=float)
    for d in (1, 2, 3, 7):
        yield from random.randint(-30, 31, (4, 2, d)) / 10


@exercise(2, "The nearest point of a segment", "a point, an array", _segments)
def check_nearest_on_segment(x: Array, z: Array) -> Key:
    """Walk from x along u = z − x: as a function of t, ‖x + t u‖² is a parabola.

    Where does its slope vanish? That place may lie before x or behind z.
    What do you divide by if x and z are the same point?
    """
    u, length = z - x, norm(z - x)
    t = -(x @ u) / length**2 if length else 0.0
    ends = [x, z] if norm(x) <= norm(z) else [z, x]
    mistakes = {
        "it leaves the segment: t must stay between 0 and 1.": [x + t * u],
        "it goes beyond z: t is at most 1.": [x + max(t, 0) * u],
        "it goes back behind x: t is at least 0.": [x + min(t, 1) * u],
        "it walks away from the origin: the slope has the sign of x·u.": [
            x + np.clip(-t, 0, 1) * u
        ],
        "divide by ‖u‖², not by ‖u‖.": [x + np.clip(t * length, 0, 1) * u],
        "that is the nearer end, but a point between may be nearer.": [ends[0]],
        "that is the midpoint.": [(x + z) / 2],
        "that is a point of the whole line, without x.": [t * u],
    }
    return Key(x + np.clip(t, 0, 1) * u, mistakes)


def _mixtures(random: Random) -> Inputs:
    for X, y in samples(random):
        for shift in (20, 3, 0):
            weights = random.randint(0, 4, y.size) / 2 + np.isin(y.cumsum(), (y[0], y[0] - y[0]))
            totals = np.where(y > 0, weights[y > 0].sum(), weights[y < 0].sum())
            yield X + shift * (y[:, np.newaxis] + 0.5), y, weights / totals


@exercise(2, "A certificate for a bridge", "two numbers, (lower, upper)", _mixtures)
def check_bracket(X: Array, y: Array, weights: Array) -> Key:
    """Compute w = p − q first: one class counts with plus, the other with minus.

    The upper bound is the length of a bridge, and w is one. The lower bound is the width of a gap.
    The gap lies between all samples, with or without weight. Along w there may be none.
    """
    w = (weights * y) @ X
    projections, length = X @ w, norm(w)
    above, below = projections[y > 0], projections[y < 0]
    gap, largest = above.min() - below.max(), above.max() - below.max()
    mistakes = {
        "‖p + q‖ is no bridge: the points of A⁻ count with a minus.": [(None, norm(weights @ X))],
        "your upper bound is ‖p − q‖²: take the square root.": [(None, w @ w)],
        "your lower bound can be negative, but 0 is a better one.": [(gap / length, None)],
        "your lower bound depends on ‖w‖: divide it by ‖w‖.": [(max(gap, 0), None), (gap, None)],
        "your lower bound is half of the width τ_w.": [(max(gap, 0) / length / 2, None)],
        "B⁺ is the smallest w·x over A⁺, not the largest.": [(max(largest, 0) / length, None)],
    }
    return Key((max(gap / length, 0), length), mistakes)


def _mixed_points(random: Random) -> Inputs:
    yield np.array([[0.0], [1], [3]]), np.array([0.2, 0.5, 0.3])
    yield np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), np.full(4, 0.25)  # two leave at once
    yield np.arange(5.0)[:, np.newaxis] * [1, 2], np.array([0.1, 0.2, 0.3, 0.4, 0])  # on one line
    yield np.repeat([[1.0, 2], [3, 1]], 3, axis=0), np.array([3, 0, 1, 2, 2, 2]) / 10  # copies
    for n, d in ((2, 1), (4, 1), (12, 2), (30, 3), (20, 6)):
        yield random.standard_normal((n, d)), random.dirichlet(np.ones(n))


@exercise(2, "Carathéodory's theorem", "one weight a point, zeros included", _mixed_points)
def check_reduce_weights(points: Array, weights: Array) -> Key:
    """Find numbers a_i with Σ a_i x_i = 0 and Σ a_i = 0, for the points in use.

    Both conditions are one matrix: a row a coordinate, and one more row, of ones.
    Along λ − ta the mixture stays. Go to the first t > 0 where a weight vanishes, and repeat.
    """
    n, d = points.shape
    rows, mixture = np.vstack([points.T, np.ones(n)]), np.append(weights @ points, 1)

    def tests(found: Array) -> Tests:
        count, total = np.count_nonzero(found), found.sum()
        yield not np.isfinite(found).all(), "a weight is not a number: is some a_i zero?"
        yield found.min() < -1e-12, "a weight became negative: t is the smallest λ_i/a_i > 0."
        yield not np.isclose(total, 1), f"your weights sum to {total:.4g}: a needs a row of ones."
        yield not np.allclose(rows @ found, mixture), "your weights mix another point."
        yield count > d + 1, f"{count} are not zero: repeat the step, and set what leaves to zero."

    return Key(nnls(rows, mixture)[0], tests=tests, several=True)


def _few_points(random: Random) -> Inputs:
    yield (np.array([[1.0], [2], [4]]),)
    for corner in ([2, 2], [0.5, 0.5], [1, 0], [0, 0]):  # a square, then inside, on an edge, a copy
        yield (np.array([[0.0, 0], [2, 0], [0, 2], corner]),)
    for d in (1, 2, 3, 7):
        yield (random.standard_normal((d + 2, d)) + 3,)


@exercise(2, "Radon's theorem", "two arrays, labels and weights", _few_points)
def check_radon(X: Array) -> Key:
    """Take the numbers a_i of Carathéodory's theorem: d + 2 points are just enough for them.

    Move the terms with a negative a_i to the other side of Σ a_i x_i = 0. What are the labels?
    The weights of a class must sum to one. What do the positive a_i sum to?
    """
    a = null_space(np.vstack([X.T, np.ones(len(X))]))[:, 0]

    def tests(y: Array, weights: Array) -> Tests:
        plus, minus = weights[y > 0].sum(), weights[y < 0].sum()
        sums = f"the weights of the classes sum to {plus:.4g} and {minus:.4g}"
        yield not np.isin(y, (-1, 1)).all(), "a label is neither −1 nor +1."
        yield not weights.min() >= 0, "a weight is negative: the sign of a_i belongs to the label."
        yield plus * minus == 0, "one class is empty: do your a_i sum to zero? Add a row of ones."
        yield np.allclose((plus, minus), 0.5), "your weights sum to one over both classes together."
        yield not np.isclose(plus, minus), f"{sums}: Σ a_i = 0 is missing, a row of ones."
        yield not np.isclose(plus, 1), f"{sums} instead of 1."
        yield not np.allclose((weights * y) @ X, 0), "your two mixtures are different points."

    return Key((np.where(a > 0, 1, -1), abs(a) / a[a > 0].sum()), tests=tests, several=True)
