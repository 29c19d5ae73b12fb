"""Exercises of chapter 6, The soft margin."""

import numpy as np

from svmlib.book.exercises._engine import Array, Inputs, Key, Random, Tests, exercise, samples
from svmlib.interior_point import interior_point
from svmlib.problem import DualProblem

__all__ = ["check_reduced_support", "check_soft_bias"]


def _caps(random: Random) -> Inputs:
    for points, _ in ((np.array([[1.5]]), None), *samples(random)):
        for cap in (1.0, 0.5, 0.4, 1.3 / len(points), 1 / len(points), 2.0):
            if cap * len(points) >= 1:
                yield points, random.randint(-30, 31, points.shape[1]) / 10 + 0.05, cap


@exercise(6, "The farthest point of a reduced hull", "one point", _caps)
def check_reduced_support(points: Array, u: Array, cap: float) -> Key:
    """Sort the samples along u, farthest first: they get their weights in this order.

    Each sample gets as much as the cap allows, until the weights sum to 1. What is left after k
    samples? No weight is above the cap, and none is below 0.
    """
    outer, m = points[np.argsort(-(points @ u))], max(1, int(1 / cap))
    shares = np.clip(1 - cap * np.arange(len(points)), 0, cap)
    right = shares @ outer
    mistakes = {
        "you give out the weight in the order of the rows: sort them along u.": [shares @ points],
        "you begin with the nearest samples: begin with the farthest.": [shares @ outer[::-1]],
        "you return the farthest sample itself: its weight exceeds the cap.": [outer[0]],
        "what is left goes to no sample: the weights must sum to 1.": [cap * outer[:m].sum(axis=0)],
        "you take a mean, which gives each more than the cap.": [outer[:m].mean(axis=0)],
    }

    def tests(x: Array) -> Tests:
        best, mine = f"the largest u·x is {right @ u:.4g}", f"at your point it is {x @ u:.4g}."
        yield not np.isclose(x @ u, right @ u), f"{best}, but {mine}"
        yield not np.allclose(x, right), "u·x is right, but your point is not in the reduced hull."

    return Key(right, mistakes, tests)


def _soft(random: Random) -> Inputs:
    two, three = np.array([[1.0], [3]]), np.array([[-1.0], [1], [1.2]])
    y, cases = (-1.0) ** np.arange(1, 31), [(two, np.array([-1.0, 1]), 1.0)]
    for n, shift, C in ((8, 0.5, 1.0), (20, 0.8, 1.0), (30, 0.5, 0.1), (12, 2.0, 1e-4)):
        X = random.standard_normal((n, 2)) + shift * y[:n, np.newaxis] + [3, 1]
        cases.append((X, y[:n], C))
    cases += [(two, np.array([-1.0, 1]), 0.05)]  # from here on none is free
    cases += [(s * three, np.array([-1.0, 1, 1]), 0.25) for s in (1, -1)]
    for X, y, C in cases:
        alpha = interior_point(DualProblem(X, y, C)).alpha
        yield X, y, np.clip(alpha, 1e-12 * C, (1 - 1e-12) * C), C  # as solvers return it


@exercise(6, "The bias of a soft margin", "one number, b", _soft)
def check_soft_bias(X: Array, y: Array, alpha: Array, C: float) -> Key:
    """Let g_i = y_i − w·x_i and write the margin 1 of a free support vector with it.

    Bounded support vectors have m ≤ 1, samples with α_i = 0 have m ≥ 1: each bounds b by its g_i,
    on one side. If none is free, b lies between the largest lower and the smallest upper bound.
    """
    scores, below, above = X @ (X.T @ (alpha * y)), alpha < C * (1 - 1e-8), alpha > C * 1e-8
    g, free = y - scores, below & above
    low, high = g[np.where(y > 0, below, above)].max(), g[np.where(y > 0, above, below)].min()
    right = g[free].mean() if free.any() else (low + high) / 2
    halfway = -(scores[y < 0].max() + scores[y > 0].min()) / 2
    mistakes = {
        "you put the line halfway between the nearest samples, as for a hard margin.": [halfway],
        "you average over all support vectors: the bounded ones have slack.": [g[above].mean()],
        "multipliers closer to a bound than 1e-8 C are not free, but yours count.": [g.mean()],
        "your sign is flipped: b = y_i − w·x_i.": [-right],
        "you use 1 in place of y_i: on A⁻ it is −1.": [(1 - scores)[free].mean()],
    }

    def tests(b: Array) -> Tests:
        bounds = f"no support vector is free: all b from {low:.4g} to {high:.4g} are optimal."
        yield not free.any() and not np.isclose(b, right, atol=1e-6), bounds

    return Key(right, mistakes if free.any() else {}, tests)
