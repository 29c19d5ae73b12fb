"""Checks for chapter 4, Lagrange duality."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmlib.book.exercises._frame import call, report
from svmlib.duality import DualProblem, solve_interior_point


def check_dual(function: Callable[..., Any]) -> None:
    """Check ``dual(alpha, X, y)``, the dual objective and its gradient."""
    random = np.random.RandomState(40)

    def problems() -> Iterator[str]:
        for n, d in ((4, 1), (9, 2), (15, 6)):
            X, y = random.standard_normal((n, d)), np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
            alpha = random.uniform(0, 1, n)
            answer = call(function, alpha, X, y)
            if not isinstance(answer, tuple | list) or len(answer) != 2:
                yield "it must return a pair, the value and the gradient."
                continue
            problem = DualProblem(X, y, C=np.inf)
            value, gradient = problem.objective(alpha), problem.gradient(alpha)
            yield from _dual_value_problems(answer[0], value, alpha, X)
            yield from _dual_gradient_problems(np.asarray(answer[1]), gradient, alpha, X, y)

    report(function, problems())


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
            found, b = call(function, alpha, X, y), problem.bias(alpha)
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
            found = call(function, dusty, X, y)
            if not np.isclose(found, b, atol=1e-5):
                yield (
                    f"{at}, and with dust of relative size 1e-9 on every multiplier, your bias is "
                    f"{found:.4f} instead of {b:.4f}: a sample with dust is no support vector."
                )
            rough = alpha * random.uniform(0.999, 1.001, 20)
            single = (y - X @ ((rough * y) @ X))[rough > 0]
            if np.isclose(call(function, rough, X, y), single, rtol=1e-12, atol=0).any():
                yield (
                    "your bias is that of one support vector. Rough multipliers give a different "
                    "one for each of them: use them all."
                )

    report(function, problems())


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
            answer = call(function, Q, y, alpha, b, s, mu)
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

    report(function, problems())
