"""Checks for chapter 2, Convex hulls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib.book.exercises._frame import call, report
from svmlib.hulls import closest_points


def check_bracket(function: Callable[..., Any]) -> None:
    """Check ``bracket(X, y, weights)``, the two bounds on the distance between two hulls."""
    random = np.random.RandomState(20)

    def problems() -> Iterator[str]:
        for d in (1, 2, 5):
            n = 3 * d + 4
            y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
            for shift in (0.0, 4.0, 40.0):
                X = random.standard_normal((n, d)) + shift * (y[:, np.newaxis] + 0.5)
                weights = random.dirichlet(np.full(n, 0.7))
                weights[:2] = 0  # samples without weight count in the lower bound, too
                for label in (-1, 1):
                    weights[y == label] /= weights[y == label].sum()
                yield from _bracket_problems(call(function, X, y, weights), X, y, weights)
                best = closest_points(X, y)
                if shift == 40.0:  # w here is the optimum's, whose two bounds agree
                    found = call(function, X, y, best.weights)
                    if not np.allclose(found, best.distance, rtol=1e-6):
                        yield (
                            f"at the closest points both bounds must be the distance "
                            f"{best.distance:.4f}, but yours are {found[0]:.4f} and {found[1]:.4f}."
                        )

    report(function, problems())


def _bracket_problems(
    found: Any, X: NDArray[Any], y: NDArray[Any], weights: NDArray[Any]
) -> Iterator[str]:
    """Compare two bounds with the right ones and with those that the usual mistakes give."""
    if np.shape(found) != (2,):
        yield "it must return two numbers, (lower, upper)."
        return
    lower, upper = (float(bound) for bound in found)
    w = weights[y > 0] @ X[y > 0] - weights[y < 0] @ X[y < 0]
    length = float(np.linalg.norm(w))
    if not np.isclose(upper, length):
        if np.isclose(upper, np.linalg.norm(weights @ X)):
            yield "your upper bound is ‖p + q‖: the points of A⁻ must count with a minus."
        elif np.isclose(upper, length**2):
            yield "your upper bound is ‖p − q‖²: take the square root."
        else:
            yield f"‖p − q‖ is {length:.4f} here, but your upper bound is {upper:.4f}."
        return
    heights = X @ w
    difference = float(heights[y > 0].min() - heights[y < 0].max())
    width = difference / length
    if np.isclose(lower, max(width, 0)):
        return
    if np.isclose(lower, width):
        yield (
            f"your lower bound is {lower:.4f}. That is true of every distance, but 0 is a better "
            "bound: return max(τ_w, 0)."
        )
    elif np.isclose(lower, max(difference, 0)) or np.isclose(lower, difference):
        yield "your lower bound is B⁺ − B⁻ and depends on the length of w: divide it by ‖w‖."
    elif np.isclose(lower, max(width, 0) / 2):
        yield "your lower bound is half of the width τ_w: that is the distance to the midline."
    elif np.isclose(lower, (heights[y > 0].max() - heights[y < 0].min()) / length):
        yield (
            "your lower bound is the width that both classes fill together: B⁺ is the smallest "
            "w·x over A⁺, and B⁻ is the largest over A⁻."
        )
    else:
        yield f"the lower bound is {max(width, 0):.4f} here, but yours is {lower:.4f}."


def check_reduce_weights(function: Callable[..., Any]) -> None:
    """Check ``reduce_weights(points, weights)``, Carathéodory's theorem."""
    random = np.random.RandomState(21)

    def problems() -> Iterator[str]:
        for d, n in ((1, 3), (2, 3), (2, 12), (3, 30), (6, 20)):
            points, weights = random.standard_normal((n, d)), random.dirichlet(np.ones(n))
            found = np.asarray(call(function, points, weights), dtype=np.float64)
            at = f"for {n} points in {d} dimensions"
            if found.shape != (n,):
                yield f"{at} it must return {n} weights, zeros included, not shape {found.shape}."
            elif np.isnan(found).any():
                yield f"{at} a weight is not a number: did you divide by a zero among the a_i?"
            elif found.min() < 0:
                yield (
                    f"{at} a weight became negative, {found.min():.3g}: t must be the smallest of "
                    "the ratios λ_i/a_i over a_i > 0, and no larger."
                )
            elif not np.isclose(found.sum(), 1):
                yield (
                    f"{at} your weights sum to {found.sum():.4f}: the a_i must sum to zero, which "
                    "is one more equation, a row of ones."
                )
            elif not np.allclose(found @ points, weights @ points):
                yield f"{at} your weights mix another point than the given ones."
            elif np.count_nonzero(found) > d + 1:
                yield (
                    f"{at} {np.count_nonzero(found)} weights are not zero, which is more than "
                    f"{d + 1}: repeat the step, and set the weight that leaves to zero exactly."
                )

    report(function, problems())


def check_radon(function: Callable[..., Any]) -> None:
    """Check ``radon(X)``, the labels that no hyperplane can separate and their common point."""
    random = np.random.RandomState(22)

    def problems() -> Iterator[str]:
        for d in (1, 2, 3, 7):
            X = random.standard_normal((d + 2, d)) + 3
            found = call(function, X)
            if not isinstance(found, tuple) or len(found) != 2:
                yield "it must return two arrays, the labels and the weights."
                return
            y, weights = (np.asarray(part, dtype=np.float64) for part in found)
            at = f"for {d + 2} points in {d} dimensions"
            if y.shape != (d + 2,) or weights.shape != (d + 2,):
                yield f"{at} it must return {d + 2} labels and {d + 2} weights."
                continue
            if not np.isin(y, (-1, 1)).all():
                yield f"{at} a label is neither −1 nor +1."
                continue
            sums = [float(weights[y == label].sum()) for label in (-1, 1)]
            if weights.min() < 0:
                yield (
                    f"{at} a weight is negative, {weights.min():.3g}: the sign of a_i becomes the "
                    "label, and |a_i| the weight."
                )
            elif np.unique(y).size < 2:
                yield f"{at} one class is empty: do your a_i sum to zero? That takes a row of ones."
            elif np.allclose(sums, 0.5):
                yield "your weights sum to one over both classes together, not in each of them."
            elif not np.isclose(sums[0], sums[1]):
                yield (
                    f"{at} the weights of the classes sum to {sums[0]:.4f} and {sums[1]:.4f}: the "
                    "a_i must sum to zero, which is one more equation, a row of ones."
                )
            elif not np.allclose(sums, 1):
                yield f"{at} the weights of each class sum to {sums[0]:.4f} instead of 1."
            elif not np.allclose((weights * y) @ X, 0):
                yield f"{at} the two classes' mixtures are different points."

    report(function, problems())
