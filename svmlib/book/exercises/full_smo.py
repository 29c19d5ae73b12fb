"""Checks for chapter 7, The full SMO."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from svmlib.book.exercises._frame import call, report


def check_line_ends(function: Callable[..., Any]) -> None:
    """Check ``line_ends(alpha_1, alpha_2, y_1, y_2, C_1, C_2)``, the numbers L and H."""
    random = np.random.RandomState(70)

    def problems() -> Iterator[str]:
        for _ in range(200):
            C_1, C_2 = random.uniform(0.5, 3, 2)
            alpha_1, alpha_2 = random.uniform(0, 1, 2) * (C_1, C_2)
            y_1, y_2 = random.choice([-1, 1], 2)
            found = call(function, alpha_1, alpha_2, y_1, y_2, C_1, C_2)
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

    report(function, problems())


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
            found = call(function, *alpha, *y, *E, eta, C)
            if np.shape(found) != (2,):
                yield "it must return two numbers, the new α_1 and α_2."
                continue
            yield from _platt_problems(np.array(found, dtype=float), alpha, y, E, eta, C)

    report(function, problems())


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
            found = call(function, K, y, alpha, C)
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

    report(function, problems())


def check_second_order_pair(function: Callable[..., Any]) -> None:
    """Check ``second_order_pair(K, y, alpha, C)``, a pair (i, j)."""

    def problems() -> Iterator[str]:
        for K, y, alpha, C in _smo_cases(73):
            found = call(function, K, y, alpha, C)
            if np.shape(found) != (2,):
                yield "it must return two indices, i and j."
                continue
            yield from _pair_problems(int(found[0]), int(found[1]), K, y, alpha, C)

    report(function, problems())


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
