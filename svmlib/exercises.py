"""Checks for the exercises that ask the reader for code.

Each `check_…` function tries the reader's function on problems whose answer is known by another
route, and prints what is wrong with it in words. A wrong answer never raises: the checks teach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from svmlib.duality import DualProblem, solve_interior_point
from svmlib.hulls import closest_points


class _NotWrittenError(Exception):
    """The reader's function returned None, so its body is still the dots of the exercise."""


class _ChangedArgumentError(Exception):
    """The reader's function wrote into an array that belongs to its caller."""


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the reader's answer, or stop the check if there is none or an argument changed."""
    before = [np.copy(argument) for argument in arguments]
    answer = function(*arguments)
    if answer is None:
        raise _NotWrittenError
    if not all(map(np.array_equal, before, arguments)):
        raise _ChangedArgumentError
    return answer


def _report(function: Callable[..., Any], problems: Iterator[str]) -> None:
    """Print the first problem that the check finds, or that it found none."""
    name = function.__name__
    try:
        problem = next(problems, None)
    except _NotWrittenError:
        print(f"{name} is not written yet: it returns None.")
    except _ChangedArgumentError:
        print(f"{name}: it changes the arrays that it is given: start from copies of them.")
    except Exception as error:
        print(f"{name} stopped with {type(error).__name__}: {error}")
    else:
        print(f"{name}: {problem or 'every check passed. Well done.'}")


# Chapter 2, Convex hulls


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
                yield from _bracket_problems(_call(function, X, y, weights), X, y, weights)
                best = closest_points(X, y)
                if shift == 40.0:  # w here is the optimum's, whose two bounds agree
                    found = _call(function, X, y, best.weights)
                    if not np.allclose(found, best.distance, rtol=1e-6):
                        yield (
                            f"at the closest points both bounds must be the distance "
                            f"{best.distance:.4f}, but yours are {found[0]:.4f} and {found[1]:.4f}."
                        )

    _report(function, problems())


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
            found = np.asarray(_call(function, points, weights), dtype=np.float64)
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

    _report(function, problems())


def check_radon(function: Callable[..., Any]) -> None:
    """Check ``radon(X)``, the labels that no hyperplane can separate and their common point."""
    random = np.random.RandomState(22)

    def problems() -> Iterator[str]:
        for d in (1, 2, 3, 7):
            X = random.standard_normal((d + 2, d)) + 3
            found = _call(function, X)
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

    _report(function, problems())


# Chapter 3, Sequential minimal optimisation


def check_pair_step(function: Callable[..., Any]) -> None:
    """Check ``pair_step(w, x_plus, x_minus, lam_plus, lam_minus)``, the clipped step δ*."""
    tries = _step_tries(seed=30)

    def problems() -> Iterator[str]:
        answers = [_call(function, *arguments) for arguments in tries]
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

    _report(function, problems())


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
            answers.append(_call(function, X_plus, X_minus, lam_plus, lam_minus))
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

    _report(function, problems())


def check_steepest_pair(function: Callable[..., Any]) -> None:
    """Check ``steepest_pair(X_plus, X_minus, w)``, the pair whose growth lowers Q fastest."""
    random = np.random.RandomState(32)

    def problems() -> Iterator[str]:
        for n_plus, n_minus, apart in ((5, 8, 0), (8, 5, 3), (20, 20, 6)):
            X_plus = random.standard_normal((n_plus, 3))
            X_minus = random.standard_normal((n_minus, 3))
            w = random.standard_normal(3)
            X_plus += apart * w  # far apart, all pairs should shrink
            found = _call(function, X_plus, X_minus, w)
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

    _report(function, problems())


def check_step_within(function: Callable[..., Any]) -> None:
    """Check ``step_within(w, x_i, x_k, lam_i, lam_k)``, the step inside the class +1."""
    tries = _step_tries(seed=33)

    def problems() -> Iterator[str]:
        answers = [_call(function, *arguments) for arguments in tries]
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

    _report(function, problems())


# Chapter 4, Lagrange duality


def check_dual(function: Callable[..., Any]) -> None:
    """Check ``dual(alpha, X, y)``, the dual objective and its gradient."""
    random = np.random.RandomState(40)

    def problems() -> Iterator[str]:
        for n, d in ((4, 1), (9, 2), (15, 6)):
            X, y = random.standard_normal((n, d)), np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
            alpha = random.uniform(0, 1, n)
            answer = _call(function, alpha, X, y)
            if not isinstance(answer, tuple | list) or len(answer) != 2:
                yield "it must return a pair, the value and the gradient."
                continue
            problem = DualProblem(X, y, C=np.inf)
            value, gradient = problem.objective(alpha), problem.gradient(alpha)
            yield from _dual_value_problems(answer[0], value, alpha, X)
            yield from _dual_gradient_problems(np.asarray(answer[1]), gradient, alpha, X, y)

    _report(function, problems())


def _dual_value_problems(
    found: Any, value: float, alpha: NDArray[Any], X: NDArray[Any]
) -> Iterator[str]:
    total, unsigned = alpha.sum(), float(np.sum((alpha @ X) ** 2))
    if np.ndim(found) != 0:
        yield f"the value must be one number, not an array of shape {np.shape(found)}."
    elif np.isclose(found, value):
        return
    elif np.isclose(found, -value):
        yield "your value is −D(α): that is what a minimiser wants, but D itself was asked for."
    elif np.isclose(found, 2 * value - total):
        yield "your value is Σα − ‖v‖²: the quadratic term has the factor ½."
    elif np.isclose(found, total - unsigned / 2):
        yield "your value ignores the labels: v = Σ α_i y_i x_i."
    elif np.isclose(found, 2 * total - value):
        yield "your value adds the quadratic term: it must be subtracted from Σα."
    else:
        yield f"D(α) is {value:.4f} here, but your value is {found:.4f}."


def _dual_gradient_problems(
    found: NDArray[Any],
    gradient: NDArray[Any],
    alpha: NDArray[Any],
    X: NDArray[Any],
    y: NDArray[Any],
) -> Iterator[str]:
    if found.shape != gradient.shape:
        yield f"the gradient must have shape {gradient.shape}, one entry a sample: {found.shape}."
    elif np.allclose(found, gradient):
        return
    elif np.allclose(found, -gradient):
        yield "your gradient is that of −D(α): turn its sign, as you did not turn the value's."
    elif np.allclose(found, (1 + gradient) / 2):
        yield "your gradient has the factor ½ left: the derivative of ½‖v‖² is v times that of v."
    elif np.allclose(found, y * gradient - y + 1):
        yield "your gradient is 1 − v·x_i: the label y_i of the sample is missing."
    elif np.allclose(found, 1 - X @ (alpha @ X)):
        yield "your gradient ignores the labels: both y_i and those inside v."
    else:
        worst = int(np.abs(found - gradient).argmax())
        yield (
            f"∂D/∂α_{worst} is {gradient[worst]:.4f} here, but yours is {found[worst]:.4f}: "
            "compare with (D(α + h e_i) − D(α − h e_i))/2h."
        )


def check_bias(function: Callable[..., Any]) -> None:
    """Check ``bias(alpha, X, y)``, the bias of a hard-margin solution, in several units."""
    random = np.random.RandomState(41)

    def problems() -> Iterator[str]:
        for unit in (1.0, 1e4, 1e-4):
            y = np.where(np.arange(20) % 3 == 0, 1.0, -1.0)
            X = unit * (random.standard_normal((20, 2)) + 4 * y[:, np.newaxis] + [3, 1])
            problem = DualProblem(X, y, C=np.inf)
            alpha = solve_interior_point(problem).alpha
            found, b = _call(function, alpha, X, y), problem.bias(alpha)
            at = f"with coordinates of size {4 * unit:g}"
            if np.ndim(found) != 0:
                yield f"it must return one number, not an array of shape {np.shape(found)}."
            elif not np.isfinite(found):
                yield (
                    f"{at} your bias is {found}: no multiplier there is above {alpha.max():.0e}, "
                    "so a fixed threshold finds no support vector."
                )
            elif not np.isclose(found, b):
                yield from _wrong_bias(float(found), b, alpha, X, y, at)
            dusty = alpha + 1e-9 * alpha.max()
            found = _call(function, dusty, X, y)
            if not np.isclose(found, b, atol=1e-5):
                yield (
                    f"{at}, and with dust of relative size 1e-9 on every multiplier, your bias is "
                    f"{found:.4f} instead of {b:.4f}: a sample with dust is no support vector."
                )
            rough = alpha * random.uniform(0.999, 1.001, 20)
            single = (y - X @ ((rough * y) @ X))[rough > 0]
            if np.isclose(_call(function, rough, X, y), single, rtol=1e-12, atol=0).any():
                yield (
                    "your bias is that of one support vector. Rough multipliers give a different "
                    "one for each of them: use them all."
                )

    _report(function, problems())


def _wrong_bias(
    found: float, b: float, alpha: NDArray[Any], X: NDArray[Any], y: NDArray[Any], at: str
) -> Iterator[str]:
    w = (alpha * y) @ X
    if np.isclose(found, -b):
        yield "your bias has the wrong sign: y_i (w·x_i + b) = 1 gives b = y_i − w·x_i."
    elif np.isclose(found, (y - X @ w).mean()):
        yield "your bias is the mean over all samples, but only support vectors are on the margin."
    elif np.isclose(found, (1 - X @ w)[alpha > 0].mean()):
        yield "your bias uses 1 − w·x_i for both classes: on A⁻ it is −1 − w·x_i."
    elif np.isclose(found, alpha @ (y - X @ w)):
        yield "your weighted sum is not divided by Σα."
    else:
        yield f"{at} the bias is {b:.4f}, but yours is {found:.4f}."


def check_reduced_newton_step(function: Callable[..., Any]) -> None:
    """Check ``reduced_newton_step(Q, y, alpha, b, s, mu)``, by putting it into the system."""
    random = np.random.RandomState(42)

    def problems() -> Iterator[str]:
        for n in (3, 8, 20):
            X, y = random.standard_normal((n, 2)), np.where(np.arange(n) % 2, 1.0, -1.0)
            Q, alpha, s = np.outer(y, y) * (X @ X.T), *random.uniform(0.5, 2, (2, n))
            b, mu = 0.3, 0.1
            answer = _call(function, Q, y, alpha, b, s, mu)
            if not isinstance(answer, tuple | list) or len(answer) != 3:
                yield "it must return three things, Δα, Δb and Δs."
                continue
            d_alpha, d_b, d_s = answer
            if np.shape(d_alpha) != (n,) or np.shape(d_s) != (n,):
                yield f"Δα and Δs must have {n} entries each."
            elif np.ndim(d_b) != 0:
                yield f"Δb must be one number, not an array of shape {np.shape(d_b)}."
            elif not np.isclose(y @ (alpha + d_alpha), 0):
                yield (
                    f"after your step y·α is {y @ (alpha + d_alpha):.4f} instead of 0: the middle "
                    "row asks for y·Δα = −y·α, and that is what determines Δb."
                )
            elif not np.allclose(s * d_alpha + alpha * d_s, mu - alpha * s):
                yield (
                    "your step misses the last row, s∘Δα + α∘Δs = μ − α∘s: "
                    "solve it for Δs and mind the sign of (s/α)∘Δα."
                )
            elif not np.allclose(
                Q @ (alpha + d_alpha) + y * (b + d_b) - s - d_s, 1, rtol=0, atol=1e-8
            ):
                yield (
                    "your step misses the first row, QΔα + yΔb − Δs = 1 − Qα − yb + s: does H "
                    "have s/α on its diagonal, and the right side the part of Δs without Δα?"
                )

    _report(function, problems())


# Chapter 5, Kernels


def check_rbf_gram(function: Callable[..., Any]) -> None:
    """Check ``rbf_gram(X, Z, gamma)``, the Gram matrix of the RBF kernel without loops."""
    random = np.random.RandomState(50)

    def problems() -> Iterator[str]:
        for n, m, d, gamma in ((5, 3, 2, 0.3), (4, 4, 2, 1.0), (3, 7, 1, 2.0), (6, 5, 4, 0.1)):
            X, Z = random.standard_normal((n, d)), random.standard_normal((m, d))
            K = np.asarray(_call(function, X, Z, gamma), dtype=np.float64)
            squared = cdist(X, Z, "sqeuclidean")
            if K.shape == (m, n) != (n, m):
                yield "it is transposed: rows must belong to X and columns to Z."
            elif K.shape != (n, m):
                yield f"for {n} and {m} points it must have shape ({n}, {m}), not {K.shape}."
            elif not np.allclose(K, np.exp(-gamma * squared), atol=1e-12):
                yield from _rbf_mistake(K, X, Z, gamma)
        X = np.array([1e9, -1e9]) + np.arange(20.0)[:, np.newaxis]
        K = np.asarray(_call(function, X, X[:5], 0.01), dtype=np.float64)
        if not np.allclose(K, np.exp(-0.01 * cdist(X, X[:5], "sqeuclidean")), atol=1e-9):
            yield (
                "it loses the digits of points far from the origin, here near (1e9, −1e9): its "
                f"values reach {K.max():.3g}. Distances do not change if you first move the origin "
                "into the middle of the data."
            )
        X = random.standard_normal((200, 3))
        if np.asarray(_call(function, X, X, 1.0)).max() > 1:
            yield "rounding makes some values exceed 1: a squared distance must not be negative."

    _report(function, problems())


def _rbf_mistake(K: NDArray[Any], X: NDArray[Any], Z: NDArray[Any], gamma: float) -> Iterator[str]:
    """Name the usual mistake that gives this K."""
    squared, products = cdist(X, Z, "sqeuclidean"), X @ Z.T
    if np.allclose(K, np.exp(gamma * squared)):
        yield "it grows with the distance: the exponent needs a minus."
    elif np.allclose(K, np.exp(-gamma * np.sqrt(squared))):
        yield "it uses the distance: the exponent has its square."
    elif np.allclose(K, squared):
        yield "it returns the squared distances: the exponential is missing."
    elif np.allclose(K, np.exp(-gamma * (squared + products))):
        yield "your squared distance subtracts x·z once: it must be −2 x·z."
    elif np.allclose(K, np.exp(-gamma * (squared + 4 * products))):
        yield "your squared distance adds 2 x·z: that is ‖x + z‖²."
    elif np.allclose(K, np.exp(-squared / (2 * gamma**2))):
        yield "it takes gamma for the width σ: here the exponent is −gamma ‖x − z‖²."
    elif np.allclose(K, np.exp(-squared)):
        yield "it ignores gamma."
    elif np.allclose(K, np.exp(-gamma * cdist(X - X.mean(axis=0), Z - Z.mean(axis=0)) ** 2)):
        yield "it moves X and Z by different vectors: distances stay only if both move alike."
    else:
        right = np.exp(-gamma * squared[0, 0])
        yield f"the first kernel value should be {right:.4f} here, but yours is {K[0, 0]:.4f}."


def check_quadratic_features(function: Callable[..., Any]) -> None:
    """Check ``quadratic_features(X)``, for which φ(x)·φ(z) = (x·z + 1)²."""
    random = np.random.RandomState(51)

    def problems() -> Iterator[str]:
        for d in (2, 3, 1, 6):
            X = random.standard_normal((20, d))
            phi = np.asarray(_call(function, X), dtype=np.float64)
            count = (d + 1) * (d + 2) // 2
            if phi.ndim != 2 or phi.shape[0] != 20:
                yield f"for 20 samples it must have 20 rows, but its shape is {phi.shape}."
                return
            z = X @ X.T
            wrong = (z + 1) ** 2 - phi @ phi.T
            squares, linear = (X**2) @ (X**2).T, z
            cross = (z**2 - squares) / 2  # Σ_{i<j} x_i x_j z_i z_j
            if np.allclose(wrong, 0, atol=1e-9) and phi.shape[1] != count:
                yield f"right, but with {phi.shape[1]} features where {count} will do (d = {d})."
            elif np.allclose(wrong, 0, atol=1e-9):
                continue
            elif np.allclose(wrong, 1):
                yield "the constant feature 1 is missing: (0·0 + 1)² is 1."
            elif np.allclose(wrong, linear):
                yield "the features x_i need the weight √2."
            elif np.allclose(wrong, 2 * linear):
                yield "the features x_i are missing: expand (x·z + 1)² = (x·z)² + 2 x·z + 1."
            elif np.allclose(wrong, squares):
                yield "the squares x_i² are missing."
            elif np.allclose(wrong, cross):
                yield "the products x_i x_j with i < j need the weight √2."
            elif np.allclose(wrong, 2 * cross):
                yield "the products x_i x_j of different coordinates are missing."
            elif np.allclose(wrong, cross + linear):
                yield "the features x_i and the products x_i x_j with i < j need the weight √2."
            elif np.allclose(wrong, -2 * cross - 2 * linear):
                yield "the weights under the sum are √2, not 2: each enters squared."
            else:
                yield f"for d = {d} some φ(x)·φ(z) is off by {np.abs(wrong).max():.3g}."

    _report(function, problems())


def check_is_gram_matrix(function: Callable[..., Any]) -> None:
    """Check ``is_gram_matrix(K)``: symmetric and positive semidefinite up to rounding."""
    points = np.random.RandomState(52).standard_normal((30, 2))
    shear = np.array([[1.0, 0.9], [0.0, 1.0]])
    cases = (
        (np.eye(3), True, "it rejects the identity matrix."),
        (-np.eye(2), False, "it accepts −I, whose determinant is 1: ask for the eigenvalues."),
        (
            np.array([[2.0, -1.0], [-1.0, 2.0]]),
            True,
            "it rejects [[2, −1], [−1, 2]]: entries of a Gram matrix may be negative.",
        ),
        (
            np.array([[1.0, 2.0], [2.0, 1.0]]),
            False,
            "it accepts [[1, 2], [2, 1]]: positive entries are not enough, an eigenvalue is −1.",
        ),
        (
            1.9 * np.eye(3) - 0.9,
            False,
            "it accepts 1 on the diagonal and −0.9 elsewhere, of size 3: any two of these points "
            "can exist, but not all three, as an eigenvalue is −0.8.",
        ),
        (shear, False, "it accepts a matrix that is not symmetric."),
        (np.zeros((2, 2)), True, "it rejects zero: two points at the origin have that matrix."),
        (
            points @ points.T,
            True,
            "it rejects the inner products of 30 points in the plane: 28 eigenvalues are zero but "
            "for rounding, so a tiny negative one must be forgiven.",
        ),
        (
            1e12 * (points @ points.T),
            True,
            "it rejects a Gram matrix of large numbers: rounding grows with the largest "
            "eigenvalue, so the tolerance must, too.",
        ),
        (
            1e-12 * np.diag([1.0, -0.1]),
            False,
            "it accepts diag(1e-12, −1e-13): the tolerance must shrink with the matrix.",
        ),
        (
            np.diag([1.0, -1e-6]),
            False,
            "it accepts diag(1, −1e-6): rounding is far smaller, about 1e-16 of the largest "
            "eigenvalue.",
        ),
    )

    def problems() -> Iterator[str]:
        for K, expected, message in cases:
            if bool(_call(function, K.copy())) != expected:
                yield message

    _report(function, problems())


def check_kernel_perceptron(function: Callable[..., Any]) -> None:
    """Check ``kernel_perceptron(K, y)``, the number of mistakes on each sample."""
    random = np.random.RandomState(53)

    def problems() -> Iterator[str]:
        for n in (2, 8, 30):
            X = random.standard_normal((n, 2))
            y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
            K = np.exp(-2 * cdist(X, X, "sqeuclidean"))
            c = np.asarray(_call(function, K, y), dtype=np.float64)
            right = _perceptron(K, y)
            if c.shape != (n,):
                yield f"it must return one count a sample, shape ({n},), not {c.shape}."
                return
            scores = y * (K @ (c * y))
            if np.array_equal(c, right):
                continue
            if not c.any():
                yield (
                    "it never starts: with w = 0 every score is 0, and that counts as a mistake "
                    "(≤ 0, not < 0)."
                )
            elif np.array_equal(c, right * y):
                yield "it returns c_i y_i: the counts themselves are not negative."
            elif (scores <= 0).any():
                yield f"it stopped although {np.sum(scores <= 0)} of {n} samples are still wrong."
            elif c.min() < 0 or (c != np.round(c)).any():
                yield "the counts must be whole numbers, and none negative."
            else:
                yield (
                    f"it separates the samples, but with {c.sum():.0f} mistakes and not "
                    f"{right.sum():.0f}: take the samples in order, add each mistake once, and let "
                    "w change at once."
                )

    _report(function, problems())


def _perceptron(K: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Count the mistakes of the perceptron, in order, until a pass makes none."""
    c, before = np.zeros(y.size), np.full(y.size, -1.0)
    while (c != before).any():
        before = c.copy()
        for i in range(y.size):
            c[i] += y[i] * (K[i] @ (c * y)) <= 0
    return c


# Chapter 6, The hinge loss


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
                found = np.asarray(_call(function, points, u, cap))
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

    _report(function, problems())


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
            found = _call(function, w, b, X, y, C)
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

    _report(function, problems())


def check_hinge_subgradient(function: Callable[..., Any]) -> None:
    """Check ``hinge_subgradient(w, b, X, y, C)``, a pair (g_w, g_b)."""

    def problems() -> Iterator[str]:
        for w, b, X, y, C in _hinge_cases(62):
            answer = _call(function, w, b, X, y, C)
            parts = answer if isinstance(answer, (tuple, list)) else ()
            if [np.shape(part) for part in parts] != [w.shape, ()]:
                yield f"it must return a pair: g_w of shape {w.shape}, and the number g_b."
                continue
            yield from _subgradient_problems(answer, w, b, X, y, C)
        yield from _kink_problems(function)

    _report(function, problems())


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
    g_w, g_b = _call(function, w, 0.0, X, y, 1.0)
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
            found, right = _call(function, X, y, near, C), problem.bias(alpha)
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

    _report(function, problems())


# Chapter 7, The full SMO


def check_line_ends(function: Callable[..., Any]) -> None:
    """Check ``line_ends(alpha_1, alpha_2, y_1, y_2, C_1, C_2)``, the numbers L and H."""
    random = np.random.RandomState(70)

    def problems() -> Iterator[str]:
        for _ in range(200):
            C_1, C_2 = random.uniform(0.5, 3, 2)
            alpha_1, alpha_2 = random.uniform(0, 1, 2) * (C_1, C_2)
            y_1, y_2 = random.choice([-1, 1], 2)
            found = _call(function, alpha_1, alpha_2, y_1, y_2, C_1, C_2)
            if np.shape(found) != (2,):
                yield "it must return two numbers, L and H."
                continue
            low, high = _line_ends(alpha_1, alpha_2, y_1 == y_2, C_1, C_2)
            if np.allclose(found, (low, high)):
                continue
            kind = "equal" if y_1 == y_2 else "different"
            if np.allclose(found, _line_ends(alpha_1, alpha_2, y_1 != y_2, C_1, C_2)):
                yield "the two cases are swapped: with equal labels the sum stays, else not."
            elif np.allclose(found, (0, C_2)):
                yield "you use only the bounds of α_2: α_1 may hit its own before."
            elif np.allclose(found, _line_ends(alpha_1, alpha_2, y_1 == y_2, C_2, C_1)):
                yield "C_1 and C_2 are swapped: α_2 itself is capped by C_2."
            elif any(
                np.allclose(found, _line_ends(alpha_1, alpha_2, y_1 == y_2, C, C))
                for C in (C_1, C_2)
            ):
                yield "you use one cap for both: C_1 belongs to α_1 and C_2 to α_2."
            elif np.allclose(found, (high, low)):
                yield "L and H are swapped: L is the smaller one."
            else:
                yield (
                    f"with {kind} labels, α = ({alpha_1:.2f}, {alpha_2:.2f}) and caps "
                    f"({C_1:.2f}, {C_2:.2f}), α_2 runs from {low:.2f} to {high:.2f}, "
                    f"not from {float(found[0]):.2f} to {float(found[1]):.2f}."
                )

    _report(function, problems())


def _line_ends(
    alpha_1: float, alpha_2: float, same: bool, C_1: float, C_2: float
) -> tuple[float, float]:
    if same:
        return max(0.0, alpha_1 + alpha_2 - C_1), min(C_2, alpha_1 + alpha_2)
    return max(0.0, alpha_2 - alpha_1), min(C_2, C_1 + alpha_2 - alpha_1)


def check_platt_step(function: Callable[..., Any]) -> None:
    """Check ``platt_step(alpha_1, alpha_2, y_1, y_2, E_1, E_2, eta, C)``, the new multipliers."""
    random = np.random.RandomState(71)
    curvatures = (*random.exponential(size=100), *np.zeros(30), *-random.exponential(size=60))

    def problems() -> Iterator[str]:
        for k, eta in enumerate(curvatures):
            C = random.uniform(0.5, 3)
            alpha, y, E = random.uniform(0, C, 2), random.choice([-1, 1], 2), random.normal(size=2)
            y[1] = 1 if k < 10 else y[1]  # first without y_2, so that its absence shows later
            found = _call(function, *alpha, *y, *E, eta, C)
            if np.shape(found) != (2,):
                yield "it must return two numbers, the new α_1 and α_2."
                continue
            yield from _platt_problems(np.array(found, dtype=float), alpha, y, E, eta, C)

    _report(function, problems())


def _platt_problems(
    found: NDArray[Any], alpha: NDArray[Any], y: NDArray[Any], E: NDArray[Any], eta: float, C: float
) -> Iterator[str]:
    """Compare a step with the best of the line, and with what the usual mistakes do."""
    same, slope = bool(y[0] == y[1]), float(y[1] * (E[0] - E[1]))
    low, high = _line_ends(alpha[0], alpha[1], same, C, C)

    def gain(new: float) -> float:
        return float((new - alpha[1]) * slope - (new - alpha[1]) ** 2 * eta / 2)

    new = max(low, high, key=gain)
    if eta > 0:
        new = float(np.clip(alpha[1] + slope / eta, low, high))
    right = np.array([alpha[0] + y[0] * y[1] * (alpha[1] - new), new])
    if np.allclose(found, right):
        return
    if not np.all(np.isfinite(found)):
        yield "you divide by η = 0: D is a straight line there, so go to an end."
    elif not np.isclose(y @ found, y @ alpha):
        yield "Σ α_i y_i has changed: α_1 moves by y_1 y_2 times what α_2 gave up."
    elif found.min() < -1e-12 or found.max() > C + 1e-12:
        yield f"α = {np.round(found, 3)} is outside the box [0, {C:.3f}]²: clip α_2 to [L, H]."
    elif eta > 0 and np.isclose(found[1], np.clip(alpha[1] - slope / eta, low, high)):
        if y[1] > 0:
            yield "you go downhill: α_2 changes by +y_2 (E_1 − E_2)/η."
        else:
            yield "y_2 is missing: α_2 changes by +y_2 (E_1 − E_2)/η."
    elif eta < 0 and np.isclose(found[1], np.clip(alpha[1] + slope / eta, low, high)):
        yield "for η < 0 the derivative vanishes at the bottom: compare the two ends."
    elif eta <= 0 and np.isclose(found[1], low + high - new):
        yield "for η ≤ 0 you take the worse end: compare D at both."
    elif eta <= 0 and np.allclose(found, alpha):
        yield "for η ≤ 0 you do not move, though an end is better."
    else:
        yield (
            f"with η = {eta:.2f} the new multipliers are {np.round(right, 3)}, "
            f"but yours are {np.round(found, 3)}."
        )


def _smo_cases(seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield Gram matrices with feasible multipliers, some of them at their bounds."""
    random = np.random.RandomState(seed)
    for n, C in ((6, 1.0), (12, 0.5), (20, 5.0)):
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        X = random.standard_normal((n, 2)) * random.uniform(0.5, 2, (n, 1))
        K = np.exp(-0.5 * cdist(X, X, "sqeuclidean")) + X @ X.T
        for _ in range(6):
            values = np.clip(random.uniform(-0.5, 1.5, n // 2), 0, 1) * C
            alpha = np.empty(n)
            alpha[::2], alpha[1::2] = values, random.permutation(values)
            yield K, y, alpha, C
        yield K, y, np.zeros(n), C


def _up_and_down(
    y: NDArray[Any], alpha: NDArray[Any], C: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    below, above = alpha < C, alpha > 0
    return np.where(y > 0, below, above), np.where(y > 0, above, below)


def check_violation(function: Callable[..., Any]) -> None:
    """Check ``violation(K, y, alpha, C)``, the number m − M."""

    def problems() -> Iterator[str]:
        cases = list(_smo_cases(72))
        gram, labels = cases[0][:2]
        # the last one is optimal, with m < M: everybody is at a cap too small to matter
        for K, y, alpha, C in [*cases, (gram, labels, np.full(labels.size, 1e-3), 1e-3)]:
            found = _call(function, K, y, alpha, C)
            if np.ndim(found) != 0:
                yield f"it must return one number, not an array of shape {np.shape(found)}."
                continue
            g, (up, down) = y - K @ (y * alpha), _up_and_down(y, alpha, C)
            below, above = alpha < C, alpha > 0
            right = g[up].max() - g[down].min()
            if np.isclose(found, right):
                continue
            if np.isclose(found, -right):
                yield "you return M − m: a violation is positive."
            elif np.isclose(found, g.max() - g.min()):
                yield "you take all samples: those at a bound can only go one way."
            elif np.isclose(found, g[below].max(initial=-9e9) - g[above].min(initial=9e9)):
                yield "for y = −1 up and down change places: β = −α goes up when α goes down."
            elif np.isclose(found, g[down].max() - g[up].min()):
                yield "up and down are swapped, or the sign of g is turned."
            elif np.isclose(found, max(0, right)):
                yield "m − M may be negative: then the optimal b fill an interval."
            elif np.isclose(found, (y * g)[up].max() - (y * g)[down].min()):
                yield "you use ∂D/∂α_i = y_i g_i: the slope of a pair is the difference of the g."
            else:
                yield f"m − M is {right:.4f} here, but yours is {float(found):.4f}."

    _report(function, problems())


def check_second_order_pair(function: Callable[..., Any]) -> None:
    """Check ``second_order_pair(K, y, alpha, C)``, a pair (i, j)."""

    def problems() -> Iterator[str]:
        for K, y, alpha, C in _smo_cases(73):
            found = _call(function, K, y, alpha, C)
            if np.shape(found) != (2,):
                yield "it must return two indices, i and j."
                continue
            yield from _pair_problems(int(found[0]), int(found[1]), K, y, alpha, C)

    _report(function, problems())


def _pair_problems(
    i: int, j: int, K: NDArray[Any], y: NDArray[Any], alpha: NDArray[Any], C: float
) -> Iterator[str]:
    """Judge a pair by its gain, so that ties may be broken either way."""
    g, (up, down) = y - K @ (y * alpha), _up_and_down(y, alpha, C)
    top = g[up].max()
    a = K.diagonal() + K[i, i] - 2 * K[i]
    if not up[i]:
        yield f"β_{i} is at its upper end and cannot go up: it cannot be the i."
    elif not np.isclose(g[i], top):
        yield f"i must have the largest g of those that can go up, {top:.4f}, yours has {g[i]:.4f}."
    elif not down[j]:
        yield f"β_{j} is at its lower end and cannot go down: it cannot be the j."
    elif g[j] >= g[i]:
        yield f"the pair ({i}, {j}) has no positive slope: j must have g_j < g_i."
    else:
        partners = np.flatnonzero(down & (g < g[i]))
        gains = (g[i] - g[partners]) ** 2 / a[partners]
        mine = (g[i] - g[j]) ** 2 / a[j]
        if np.isclose(mine, gains.max()):
            return
        if np.isclose(g[j], g[partners].min()):
            yield "that j has the steepest slope, the first-order choice: divide by a_ij."
        elif j == partners[((g[i] - g[partners]) / a[partners]).argmax()]:
            yield "that j has the longest step: the gain has the slope squared."
        else:
            yield f"j = {j} has s²/a = {mine:.4f}, but another one has {gains.max():.4f}."
