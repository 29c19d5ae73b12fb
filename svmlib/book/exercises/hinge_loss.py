"""Checks for chapter 6, The hinge loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib.book.exercises._frame import call, report
from svmlib.duality import DualProblem, solve_interior_point


def check_reduced_support(function: Callable[..., Any]) -> None:
    """Check ``reduced_support(points, u, cap)``, an outermost point of a reduced hull."""
    random = np.random.RandomState(60)

    def problems() -> Iterator[str]:
        for n, d in ((3, 1), (7, 2), (12, 4)):
            points, u = random.standard_normal((n, d)) + 2, random.standard_normal(d)
            order = np.argsort(-(points @ u))
            for cap in (1.0, 0.5, 0.4, 1.3 / n, 1 / n, 2.0):
                if cap * n < 1:
                    continue
                found = np.asarray(call(function, points, u, cap))
                shares = np.clip(1 - cap * np.arange(n), 0, cap)
                right, m = shares @ points[order], max(1, int(1 / cap))
                at = f"with {n} samples and cap {cap:.3g}"
                if found.shape != (d,):
                    yield f"it must return one point of shape ({d},), not shape {found.shape}."
                elif np.allclose(found, right):
                    continue
                elif np.allclose(found, shares @ points):
                    yield f"{at} you spend the weight in the order of the rows: sort them along u."
                elif np.allclose(found, shares @ points[order[::-1]]):
                    yield f"{at} you spend the weight on the innermost samples first."
                elif cap > 1 and np.allclose(found, cap * points[order[0]]):
                    yield f"{at} your first weight is {cap:g}: the weights must sum to 1."
                elif np.allclose(found, points[order[0]]):
                    yield f"{at} that is the outermost sample itself, whose weight exceeds the cap."
                elif np.allclose(found, np.full(m, cap) @ points[order[:m]]):
                    yield f"{at} you forget the rest: {m} weights of {cap:.3g} do not sum to 1."
                elif np.allclose(found, points[order[:m]].mean(axis=0)):
                    yield (
                        f"{at} you take the mean of the {m} outermost samples, which gives each "
                        f"{1 / m:.3g}, more than the cap."
                    )
                elif np.isclose(found @ u, right @ u):  # the outermost point is only one here
                    yield f"{at} u·x is right, but your point is not in the reduced hull."
                else:
                    yield (
                        f"{at} the largest u·x is {right @ u:.4f}, but at your point it is "
                        f"{found @ u:.4f}."
                    )

    report(function, problems())


def _hinge_cases(seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield (w, b, X, y, C) with margins on both sides of one, and none at a kink."""
    random = np.random.RandomState(seed)
    for n, d, C in ((4, 1, 1.0), (9, 2, 0.3), (20, 5, 7.0)):
        y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
        yield random.standard_normal(d), 0.4, random.standard_normal((n, d)), y, C


def check_hinge_objective(function: Callable[..., Any]) -> None:
    """Check ``hinge_objective(w, b, X, y, C)``, ½‖w‖² + C Σ max(0, 1 − m)."""

    def problems() -> Iterator[str]:
        for w, b, X, y, C in _hinge_cases(61):
            found = call(function, w, b, X, y, C)
            m = y * (X @ w + b)
            losses = np.maximum(0, 1 - m)
            right, square, total = w @ w / 2 + C * losses.sum(), w @ w / 2, losses.sum()
            if np.ndim(found) != 0:
                yield f"it must return one number, not an array of shape {np.shape(found)}."
            elif np.isclose(found, right):
                continue
            elif np.isclose(found, 2 * square + C * total):
                yield "your regulariser is ‖w‖²: it has the factor ½."
            elif np.isclose(found, np.sqrt(2 * square) / 2 + C * total):
                yield "your regulariser is ½‖w‖: square the norm."
            elif np.isclose(found, (w @ w + b * b) / 2 + C * total):
                yield "you charge for b² too: the bias is not regularised."
            elif np.isclose(found, square + C * losses.mean()):
                yield "you take the mean of the losses: with C in front it is the sum."
            elif np.isclose(found, square + total):
                yield "C is missing."
            elif np.isclose(found, C * square + total):
                yield "C is on the wrong term: it multiplies the losses."
            elif np.isclose(found, square + C * (1 - m).sum()):
                yield "you add 1 − m without the maximum: safe samples earn a bonus."
            elif np.isclose(found, square + C * np.maximum(0, 1 - y * (X @ w)).sum()):
                yield "b is missing from the margins."
            elif np.isclose(found, square + C * np.maximum(0, 1 - (X @ w + b)).sum()):
                yield "the labels are missing: the margin is y f(x)."
            elif np.isclose(found, square + C * np.maximum(0, -m).sum()):
                yield "your loss starts at m = 0: the hinge has its kink at m = 1."
            else:
                yield f"the objective is {right:.4f} here, but yours is {found:.4f}."

    report(function, problems())


def check_hinge_subgradient(function: Callable[..., Any]) -> None:
    """Check ``hinge_subgradient(w, b, X, y, C)``, a pair (g_w, g_b)."""

    def problems() -> Iterator[str]:
        for w, b, X, y, C in _hinge_cases(62):
            answer = call(function, w, b, X, y, C)
            parts = answer if isinstance(answer, (tuple, list)) else ()
            if [np.shape(part) for part in parts] != [w.shape, ()]:
                yield f"it must return a pair: g_w of shape {w.shape}, and the number g_b."
                continue
            yield from _subgradient_problems(answer, w, b, X, y, C)
        yield from _kink_problems(function)

    report(function, problems())


def _subgradient_problems(
    answer: Any, w: NDArray[Any], b: float, X: NDArray[Any], y: NDArray[Any], C: float
) -> Iterator[str]:
    """Compare a subgradient where there is only one with those of the usual mistakes."""
    g_w, g_b = answer
    m = y * (X @ w + b)
    pull, pull_b = (y * (m < 1)) @ X, float((y * (m < 1)).sum())
    wrong, wrong_b = (y * (m > 1)) @ X, float((y * (m > 1)).sum())
    if np.allclose(g_w, w - C * pull):
        if np.isclose(g_b, -C * pull_b):
            return
        if np.isclose(g_b, b - C * pull_b):
            yield "g_b has a term for the regulariser: b is not regularised."
        elif np.isclose(g_b, 0):
            yield "g_b is missing: b moves too, with −C Σ y over the samples that push."
        else:
            yield f"g_b is {-C * pull_b:.4f} here, but yours is {g_b:.4f}."
    elif np.allclose(g_w, w - C * wrong) and np.isclose(g_b, -C * wrong_b):
        yield "the samples with m > 1 push in yours: it must be those with m < 1."
    elif np.allclose(g_w, w + C * pull):
        yield "the samples pull the wrong way: the slope of 1 − y f(x) is −y x."
    elif np.allclose(g_w, C * pull - w):
        yield "that is minus a subgradient: the step, not the slope."
    elif np.allclose(g_w, -C * pull):
        yield "the regulariser is missing: ½‖w‖² adds w to g_w."
    elif np.allclose(g_w, w - pull):
        yield "C is missing."
    elif np.allclose(g_w, w - C * pull / y.size):
        yield "you divide by n: with C in front it is the sum over the samples."
    elif np.allclose(g_w, w - C * ((m < 1) * 1.0) @ X):
        yield "the label is missing: a sample pushes with −y x."
    elif np.allclose(g_w, w - C * ((y * (m < 0)) @ X)):
        yield "only misclassified samples push in yours: it must be all with m < 1."
    else:
        yield f"g_w is {np.round(w - C * pull, 4)} here, but yours is {np.round(g_w, 4)}."


def _kink_problems(function: Callable[..., Any]) -> Iterator[str]:
    """Try a point where every margin is exactly one, against the definition of a subgradient."""
    X, y, w = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.array([1.0])
    g_w, g_b = call(function, w, 0.0, X, y, 1.0)
    for u, c in ((0.0, 0.0), (2.0, 0.0), (1.0, 0.5), (1.0, -0.5), (0.5, 0.5), (0.5, -0.5)):
        higher = u * u / 2 + np.maximum(0, 1 - y * (u * X[:, 0] + c)).sum()
        if not higher >= 0.5 + g_w[0] * (u - 1) + g_b * c - 1e-12:  # nan is none either
            yield "at a kink (all margins exactly 1) your vector is no subgradient."
            return


def check_soft_bias(function: Callable[..., Any]) -> None:
    """Check ``soft_bias(X, y, alpha, C)``, with free support vectors and without."""
    random = np.random.RandomState(63)

    def problems() -> Iterator[str]:
        cases = []
        for n, shift, C in ((20, 0.8, 1.0), (30, 0.5, 0.1), (12, 2.0, 1e-4), (2, 1.0, 0.05)):
            y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
            cases.append((random.standard_normal((n, 2)) + shift * y[:, None] + [3.0, 1.0], y, C))
        # the two ends of the interval come from α = C and from α = 0; then with the labels turned
        three, labels = np.array([[-1.0], [1.0], [1.2]]), np.array([-1.0, 1.0, 1.0])
        for X, y, C in (*cases, (three, labels, 0.25), (three, -labels, 0.25)):
            problem = DualProblem(X, y, C)
            alpha = solve_interior_point(problem).alpha
            near = np.clip(alpha, 1e-12 * C, (1 - 1e-12) * C)  # as solvers return it
            found, right = call(function, X, y, near, C), problem.bias(alpha)
            free = (alpha > 1e-8 * C) & (alpha < C * (1 - 1e-8))
            heights = X @ problem.weights(alpha)
            g = y - heights
            if np.ndim(found) != 0:
                yield f"it must return one number, not an array of shape {np.shape(found)}."
            elif np.isclose(found, right, atol=1e-6):
                continue
            elif not free.any():
                low, high = problem.bias_interval(alpha)
                yield (
                    f"here no support vector is free: every b from {low:.4f} to {high:.4f} is "
                    f"optimal, their middle is {right:.4f}, and yours is {found:.4f}."
                )
            elif np.isclose(found, -(heights[y < 0].max() + heights[y > 0].min()) / 2):
                yield "you put the line halfway between the nearest samples: only right if hard."
            elif np.isclose(found, g[alpha > 1e-8 * C].mean()):
                yield "you average over all support vectors: the bounded ones have slack."
            elif np.isclose(found, g.mean()):
                yield "multipliers closer to a bound than 1e-8 C are not free, but yours count."
            elif np.isclose(found, -right):
                yield "your sign is turned: b = y_i − w·x_i."
            elif np.isclose(found, (1 - heights[free]).mean()):
                yield "you use 1 in place of y_i: for a sample of A⁻ it is −1 − w·x_i."
            else:
                yield f"b is {right:.4f} here, but yours is {found:.4f}."

    report(function, problems())
