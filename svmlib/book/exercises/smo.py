"""Checks for chapter 3, Sequential minimal optimisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib.book.exercises._frame import call, report


def check_pair_step(function: Callable[..., Any]) -> None:
    """Check ``pair_step(w, x_plus, x_minus, lam_plus, lam_minus)``, the clipped step δ*."""
    tries = _step_tries(seed=30)

    def problems() -> Iterator[str]:
        answers = [call(function, *arguments) for arguments in tries]
        if any(np.ndim(answer) != 0 for answer in answers):
            yield "it must return one number, δ."
            return
        slope = np.array([w @ (x_plus - x_minus) for w, x_plus, x_minus, *_ in tries])
        square = np.array([np.sum((x_plus - x_minus) ** 2) for _, x_plus, x_minus, *_ in tries])
        weights = np.array([arguments[3:] for arguments in tries])
        bottom, smallest = (1 - slope) / square, -weights.min(axis=1)
        yield from _recognise(
            np.array(answers, dtype=np.float64),
            np.maximum(bottom, smallest),
            [
                (bottom, "your δ ignores the clipping: a weight can become negative."),
                (
                    np.maximum(bottom, -weights.max(axis=1)),
                    "your δ is clipped too late, and the smaller weight becomes negative: M is the "
                    "larger of −λ⁺ and −λ⁻.",
                ),
                *(
                    (
                        np.maximum(bottom, -weights[:, k]),
                        f"your δ looks after {mine} only, and {other} can become negative: M is "
                        "the larger of −λ⁺ and −λ⁻.",
                    )
                    for k, mine, other in ((0, "λ⁺", "λ⁻"), (1, "λ⁻", "λ⁺"))
                ),
                (
                    np.maximum(bottom, 0),
                    "your δ is never negative, but weights must be able to shrink: clip at M, "
                    "not at 0.",
                ),
                (
                    np.where(bottom < smallest, 0, bottom),
                    "where δ_ij is below M you do not move at all: go as far as M.",
                ),
                (
                    np.maximum((1 + slope) / square, smallest),
                    "you have 1 + w·u above the line: it is 1 − w·u with u = x⁺ − x⁻.",
                ),
                (
                    np.minimum(bottom, smallest),
                    "you took the smaller of δ_ij and M. δ must be at least M: take the larger.",
                ),
                (
                    np.maximum(-bottom, smallest),
                    "your δ has the wrong sign: it must be positive where w·(x⁺ − x⁻) < 1.",
                ),
                (
                    np.maximum((1 - slope) / np.sqrt(square), smallest),
                    "you divided by ‖x⁺ − x⁻‖: divide by its square.",
                ),
                (
                    np.maximum(bottom / 2, smallest),
                    "your δ is half of the right one: the slope of Q is 2(w·u − 1) + 2δ‖u‖², and "
                    "the 2 cancels.",
                ),
                (
                    np.maximum((2 - slope) / square, smallest),
                    "you have 2 − w·u above the line: the slope of Q is 2(w·u − 1) + 2δ‖u‖², and "
                    "the 2 cancels in both terms.",
                ),
                (
                    np.maximum(-slope / square, smallest),
                    "the 1 is missing: both sums grow by δ, and each lowers Q by δ.",
                ),
            ],
            lambda k: (
                f"with w·u = {slope[k]:.4f}, ‖u‖² = {square[k]:.4f}, λ⁺ = {weights[k, 0]:.4f} "
                f"and λ⁻ = {weights[k, 1]:.4f}, δ"
            ),
        )

    report(function, problems())


def _step_tries(seed: int) -> list[tuple[Any, ...]]:
    """Draw vectors w, pairs of points and pairs of weights, some to be clipped and some not."""
    random = np.random.RandomState(seed)
    return [
        (scale * random.standard_normal(3), *random.standard_normal((2, 3)), *random.random(2))
        for scale in (0.3, 1.0, 3.0)
        for _ in range(12)
    ]


def _recognise(
    answers: NDArray[np.float64],
    right: NDArray[np.float64],
    mistakes: list[tuple[NDArray[np.float64], str]],
    describe: Callable[[int], str],
) -> Iterator[str]:
    """Compare answers to many tries with the right ones, then with those of each usual mistake."""
    if np.allclose(answers, right):
        return
    for wrong, message in mistakes:
        if np.allclose(answers, wrong):
            yield message
    k = int(np.argmin(np.isclose(answers, right)))
    yield f"{describe(k)} is {right[k]:.4f}, but yours is {answers[k]:.4f}."


def check_best_scale(function: Callable[..., Any]) -> None:
    """Check ``best_scale(X_plus, X_minus, lam_plus, lam_minus)``, the bottom of a ray."""
    random = np.random.RandomState(31)

    def problems() -> Iterator[str]:
        answers, sums, squares = [], [], []
        for n in (1, 4, 9):
            X_plus, X_minus = random.standard_normal((n, 2)) + 2, random.standard_normal((3, 2))
            total = random.uniform(0.5, 3)
            lam_plus = total * random.dirichlet(np.ones(n))
            lam_minus = total * random.dirichlet(np.ones(3))
            answers.append(call(function, X_plus, X_minus, lam_plus, lam_minus))
            sums.append(total)
            squares.append(np.sum((lam_plus @ X_plus - lam_minus @ X_minus) ** 2))
        if any(np.ndim(answer) != 0 for answer in answers):
            yield "it must return one number, t."
            return
        s, square = np.array(sums), np.array(squares)
        yield from _recognise(
            np.array(answers, dtype=np.float64),
            s / square,
            [
                (1 / square, "1/‖w‖² is right only for weights with sum one: here the sum is s."),
                (
                    s**2 / square,
                    "that is the best sum. t multiplies weights whose sum is already s.",
                ),
                (
                    2 * s / square,
                    "your t is twice the right one: Q(tλ) = t²‖w‖² − 2ts with the sum s of one "
                    "class, and the 2 cancels.",
                ),
                (s / np.sqrt(square), "you divided by ‖w‖: divide by its square."),
            ],
            lambda k: f"with s = {s[k]:.4f} and ‖w‖² = {square[k]:.4f}, t",
        )

    report(function, problems())


def check_steepest_pair(function: Callable[..., Any]) -> None:
    """Check ``steepest_pair(X_plus, X_minus, w)``, the pair whose growth lowers Q fastest."""
    random = np.random.RandomState(32)

    def problems() -> Iterator[str]:
        for n_plus, n_minus, apart in ((5, 8, 0), (8, 5, 3), (20, 20, 6)):
            X_plus = random.standard_normal((n_plus, 3))
            X_minus = random.standard_normal((n_minus, 3))
            w = random.standard_normal(3)
            X_plus += apart * w  # far apart, all pairs should shrink
            found = call(function, X_plus, X_minus, w)
            if np.shape(found) != (2,):
                yield "it must return two row numbers, (i, j)."
                return
            i, j = (int(index) for index in found)
            slopes = 1 - (X_plus @ w)[:, np.newaxis] + X_minus @ w
            right = divmod(int(slopes.argmax()), n_minus)
            wrong = divmod(int(slopes.argmin()), n_minus)
            if (i, j) == right:
                continue
            if (i, j) == wrong:
                yield "that is the pair with the smallest 1 − w·(x⁺ − x⁻): mind the signs."
            elif (j, i) == right:
                yield "you returned (j, i): the row of X_plus comes first."
            elif i == wrong[0] or j == wrong[1]:
                yield (
                    "one of your two is at the wrong end of its class: i must have the smallest "
                    "w·x⁺ and j the largest w·x⁻."
                )
            elif not (0 <= i < n_plus and 0 <= j < n_minus):
                yield f"({i}, {j}) is no pair of {n_plus} and {n_minus} points."
            else:
                yield (
                    f"1 − w·(x⁺ − x⁻) is {slopes[i, j]:.4f} for your pair ({i}, {j}), but "
                    f"{slopes[right]:.4f} for the pair ({right[0]}, {right[1]})."
                )

    report(function, problems())


def check_step_within(function: Callable[..., Any]) -> None:
    """Check ``step_within(w, x_i, x_k, lam_i, lam_k)``, the step inside the class +1."""
    tries = _step_tries(seed=33)

    def problems() -> Iterator[str]:
        answers = [call(function, *arguments) for arguments in tries]
        if any(np.ndim(answer) != 0 for answer in answers):
            yield "it must return one number, δ."
            return
        slope = np.array([w @ (x_i - x_k) for w, x_i, x_k, *_ in tries])
        square = np.array([np.sum((x_i - x_k) ** 2) for _, x_i, x_k, *_ in tries])
        lam_i, lam_k = np.array([arguments[3:] for arguments in tries]).T
        bottom = -slope / square
        yield from _recognise(
            np.array(answers, dtype=np.float64),
            np.clip(bottom, -lam_i, lam_k),
            [
                (bottom, "your δ ignores the clipping: a weight can become negative."),
                (
                    np.minimum(bottom, lam_k),
                    "λ_i + δ can become negative: δ must be at least −λ_i.",
                ),
                (
                    np.maximum(bottom, -lam_i),
                    "λ_k − δ can become negative: δ must be at most λ_k.",
                ),
                (
                    np.clip(bottom, -lam_k, lam_i),
                    "your limits are swapped: λ_i grows by δ, and λ_k shrinks.",
                ),
                (
                    np.maximum(bottom, np.maximum(-lam_i, -lam_k)),
                    "those are the limits of a pair across the classes: here λ_k shrinks by δ.",
                ),
                (
                    np.clip(bottom + 1 / square, -lam_i, lam_k),
                    "there is no 1 here: the sum of the class does not change, so only ‖w‖² does.",
                ),
                (
                    np.clip(-bottom, -lam_i, lam_k),
                    "your δ has the wrong sign: w becomes w + δ(x_i − x_k), so δ = −w·u/‖u‖².",
                ),
            ],
            lambda k: (
                f"with w·u = {slope[k]:.4f}, ‖u‖² = {square[k]:.4f}, λ_i = {lam_i[k]:.4f} and "
                f"λ_k = {lam_k[k]:.4f}, δ"
            ),
        )

    report(function, problems())
