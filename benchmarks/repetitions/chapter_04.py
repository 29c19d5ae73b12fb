"""Whether the sentences of chapter 4 hold with other draws.

`python benchmarks/repetitions/chapter_04.py` repeats each experiment ten times, with the functions
of the chapter, and prints in how many the sentence held; with names, only these. All others are
about the penguins and a few given points, which nobody draws.
"""

from contextlib import suppress
from typing import Any

import numpy as np
from of_chapter import functions, repeat

from svmlib.datasets import load_penguins
from svmlib.hulls import closest_points

chapter = functions("04_lagrange_duality")
Draw = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]


def clouds(seed: int) -> Draw:
    """Draw two separable clouds of 50 as the chapter does; return them with α, w and b."""
    y = np.repeat([1, -1], 50)
    random = np.random.default_rng(seed)
    while True:
        X = random.standard_normal((100, 2)) + 2 * y[:, None]
        hulls = closest_points(X, y)
        if hulls.lower_bound > 0.1:
            break
    alpha = 2 * hulls.weights / hulls.distance**2
    w = (alpha * y) @ X
    return X, y, alpha, w, chapter["halfway"](X, y, w)


def the_samples_on_the_margin_are_the_support_vectors(seed: int) -> bool:
    """Compare both sets, and check that there are at most d + 1."""
    X, y, alpha, w, b = clouds(seed)
    touching = np.isclose(y * (X @ w + b), 1)
    return bool((touching == (alpha > 0)).all() and (alpha > 0).sum() <= 3)


def the_support_vectors_alone_give_the_same_line(seed: int) -> bool:
    """Solve again without all other samples."""
    X, y, alpha, w, _ = clouds(seed)
    few = closest_points(X[alpha > 0], y[alpha > 0])
    return np.allclose(2 * few.w / few.distance**2, w)


def the_recipe_comes_close_on_the_clouds(seed: int) -> bool:
    """Bound the answer of the opening's recipe: both widths within a thousandth."""
    X, y, *_ = clouds(seed)
    rough = chapter["recipe"](X, y).x
    w = (rough * y) @ X
    low, high = chapter["bounds"](X, y, w, chapter["halfway"](X, y, w), rough)
    return bool(0 < high - low < 2e-3 * high)


def a_higher_margin_costs_hardly_more_than_its_price(seed: int) -> bool:
    """Require a thousandth more at the support vector with the largest multiplier."""
    X, y, alpha, w, _ = clouds(seed)
    support, epsilon = np.flatnonzero(alpha > 0), 1e-3
    required = 1 + epsilon * (support == alpha.argmax())
    # the least norm that meets the raised constraints with equality
    rows = y[support, None] * np.column_stack([X[support], np.ones(len(support))])
    kkt = np.block([[np.diag([1.0, 1, 0]), -rows.T], [rows, np.zeros((len(support),) * 2)]])
    *w_more, b_more = np.linalg.solve(kkt, np.append(np.zeros(3), required))[:3]
    still = (y * (X @ w_more + b_more)).min() > 1 - 1e-9
    cost = (np.dot(w_more, w_more) - w @ w) / 2 / epsilon
    return bool(still and alpha.max() <= cost + 1e-9 and cost < 1.01 * alpha.max())


def follow_path_divides_the_products_by_about_a_hundred(seed: int) -> bool:
    """Look at the last two iterations; the answer has to be proved to a billionth."""
    X, y, *_ = clouds(seed)
    alpha, b, path = chapter["follow_path"](X, y, tol=1e-9)
    low, high = chapter["bounds"](X, y, (alpha * y) @ X, b, alpha)
    products = np.array([a @ s for a, s in path])
    ratios = products[-3:-1] / products[-2:]
    return bool(high - low < 1e-8 * high and (ratios > 50).all() and (ratios < 200).all())


def follow_path_solves_the_clouds_in_other_units(seed: int) -> bool:
    """Measure one feature, then the other, in units a thousand times smaller."""
    X, y, *_ = clouds(seed)
    proved = True
    for units in ([1, 1000], [1000, 1]):
        alpha, b, _ = chapter["follow_path"](X * units, y)
        low, high = chapter["bounds"](X * units, y, (alpha * y) @ (X * units), b, alpha)
        proved = proved and bool(high - low < 1e-5 * high)
    return proved


def a_fixed_threshold_depends_on_the_unit_but_s_does_not(seed: int) -> bool:
    """Count the support vectors in kilometres, metres and millimetres."""
    X, y, alpha, *_ = clouds(seed)
    fixed, by_s = [], []
    for size in (1e-3, 1, 1e3):
        a, _, path = chapter["follow_path"](X * size, y)
        fixed.append(np.sum(a > 1e-5))
        by_s.append(np.sum(a * (X * size).var(axis=0).sum() > path[-1][1]))
    return len(set(fixed)) > 1 and set(by_s) == {np.sum(alpha > 0)}


def both_solvers_prove_the_same_answer_on_close_clouds(seed: int) -> bool:
    """Draw 25 points around (3.5, 0) and (0, 3.5) that a line separates."""
    y = np.repeat([1, -1], 25)
    random = np.random.default_rng(seed)
    centres = np.where(y[:, None] > 0, (0, 3.5), (3.5, 0))
    while True:
        X = random.standard_normal((50, 2)) + centres
        if closest_points(X, y).lower_bound > 0.05:
            break
    w_one, b_one, a_one = chapter["machine"](X, y, ftol=1e-12)
    a_two, b_two, _ = chapter["follow_path"](X, y, tol=1e-9)
    proved = True
    for w, b, a in ((w_one, b_one, a_one), ((a_two * y) @ X, b_two, a_two)):
        low, high = chapter["bounds"](X, y, w, b, a)
        proved = proved and bool(high - low < 1e-6 * high)
    return proved


def far_from_the_origin_rounding_moves_the_bounds(seed: int) -> bool:
    """Move the clouds by a million, and compute the bounds without rounding."""
    X, y, alpha, w, b = clouds(seed)
    off = []
    for shift in (0, 1e6):
        far, moved_b = X + shift, b - shift * w.sum()
        case = far, y, (alpha * y) @ far, moved_b, alpha
        exact = np.array([float(value) for value in chapter["exact_bounds"](*case)])
        off.append(np.abs(chapter["bounds"](*case) - exact).max())
    return bool(off[0] < 1e-12 < off[1])


def only_the_ratio_of_the_units_matters_and_scaling_helps(seed: int) -> bool:
    """Draw four fifths of the penguins of the opening."""
    penguins = load_penguins()
    some = np.random.default_rng(seed).permutation(len(penguins.y))[:219]
    X, y = penguins.X[some], penguins.y[some]

    def reached(size: Any) -> float:
        for tol in 1e-6, 1e-4:
            with suppress(RuntimeError):
                chapter["follow_path"]((X - X.mean(axis=0)) * size, y, tol, limit=30)
                return tol
        return 1.0

    sizes: tuple[Any, ...] = ((1, 1), (1e-3, 1), (1e-3, 1e-3), 1 / X.std(axis=0))
    return [reached(np.array(size)) for size in sizes] == [1e-6, 1e-4, 1e-6, 1e-6]


def the_linear_program_has_fewer_coefficients_than_samples_on_the_margin(seed: int) -> bool:
    """Draw 10 samples with 50 features, and count for the solution that the solver finds."""
    X, y = np.random.default_rng(seed).standard_normal((10, 50)), np.repeat([1, -1], 5)
    w, b = chapter["l1_machine"](X, y)
    return bool((abs(w) > 1e-6).sum() < (y * (X @ w + b) < 1 + 1e-6).sum())


if __name__ == "__main__":
    repeat(
        [
            the_samples_on_the_margin_are_the_support_vectors,
            the_support_vectors_alone_give_the_same_line,
            the_recipe_comes_close_on_the_clouds,
            a_higher_margin_costs_hardly_more_than_its_price,
            follow_path_divides_the_products_by_about_a_hundred,
            follow_path_solves_the_clouds_in_other_units,
            a_fixed_threshold_depends_on_the_unit_but_s_does_not,
            both_solvers_prove_the_same_answer_on_close_clouds,
            far_from_the_origin_rounding_moves_the_bounds,
            only_the_ratio_of_the_units_matters_and_scaling_helps,
            the_linear_program_has_fewer_coefficients_than_samples_on_the_margin,
        ]
    )
