"""SMO between two convex hulls: their closest points, two weights at a time.

The weights of the points of a hull are tied together by their sum, so no weight can move alone. But
one of each class can grow, or shrink, by the same amount, and for two the best amount is a formula.
All the rest is the choice of the pair. With this module you can

- find the closest points of two convex hulls by such steps, with the bound that proves them:
  `hull_smo`.

Derived in chapter 3, *SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_labelled, check_scalar
from svmlib.hulls import (
    ClosestPoints,
    NotSeparableError,
    certify_weights,
    check_size,
    separation,
    standardise,
)

__all__ = ["HullSolution", "HullStep", "hull_smo"]

_ROUNDING = 1e-15  # of a sum of points whose coordinates are below 1


class HullStep(NamedTuple):
    """The state of `hull_smo` at the start or after a step.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Convex weights, summing to one in each class.
    pair : tuple of two int, or None
        The points (rows of X), one of each class, whose weights the step moved; None at the start.
    """

    weights: Array
    pair: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class HullSolution:
    """What `hull_smo` returns.

    Attributes
    ----------
    closest : ClosestPoints
        The closest points and the bound that proves them, as from `svmlib.hulls.closest_points`.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the gap is at most `tol` times the distance.
    trace : tuple of HullStep
        The start and every step if asked for, else empty.

    Examples
    --------
    >>> solution = hull_smo([[0.0], [2.0], [6.0]], [-1, -1, 1])
    >>> solution.closest.weights, solution.converged
    (array([0., 1., 1.]), True)
    """

    closest: ClosestPoints
    n_iter: int
    converged: bool
    trace: tuple[HullStep, ...] = ()


def hull_smo(
    X: ArrayLike,
    y: ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    trace: bool = False,
) -> HullSolution:
    r"""Find the closest points of two convex hulls, two weights of opposite classes at a time.

    Minimises :math:`Q(\lambda) = \lVert w \rVert^2 - \sum_i \lambda^+_i - \sum_j \lambda^-_j`,
    where :math:`w = \sum_i \lambda^+_i x^+_i - \sum_j \lambda^-_j x^-_j`, subject to λ ≥ 0 and
    equal sums. A step takes the pair along which Q falls fastest and adds δ to both weights, which
    keeps the sums equal:

    .. math::
        \delta^* = \max(\delta_{ij}, M), \qquad
        \delta_{ij} = \frac{1 - w \cdot (x^+_i - x^-_j)}{\lVert x^+_i - x^-_j \rVert^2}, \qquad
        M = \max(-\lambda^+_i, -\lambda^-_j).

    Divided by their sum, the weights are those of a point p of one hull and a point q of the
    other, and the steps stop when ‖p − q‖ is proved to be within `tol` of the smallest possible.

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    tol : float, default 1e-6
        Stop when ‖p − q‖ − bound ≤ tol · ‖p − q‖, where bound = (min w·x⁺ − max w·x⁻)/‖w‖.
    max_iter : int, default 100,000
        The most steps.
    trace : bool, default False
        Whether to keep every `HullStep` in the solution.

    Returns
    -------
    HullSolution
        With a `sklearn.exceptions.ConvergenceWarning` that names the two bounds on the distance if
        max_iter was reached, or if only rounding was left.

    Raises
    ------
    ValueError
        If an argument is not as above, or if floats cannot hold the squares of distances.
    NotSeparableError
        If the hulls meet. Q has no minimum then: along the weights of a common point w is zero,
        and Q falls without end as their sum grows.

    Notes
    -----
    *Why pairs across the classes are enough.* Let no pair improve Q, and λ ≠ 0. Then
    w·(x⁺_i − x⁻_j) ≥ 1 for all i, j, with equality where both weights are positive. So every x⁺_i
    of positive weight has the smallest w·x⁺ of its class, every such x⁻_j the largest, and the
    two differ by one: the KKT conditions. (A shift of weight from x⁺_k to x⁺_i is the sum of the
    steps "i, j up" and "k, j down", and some j has weight to give.) At λ = 0 every pair improves.

    *Why the steps converge.* Where the hulls are disjoint Q has bounded level sets, and a step of
    length δ* lowers it by at least ‖x⁺_i − x⁻_j‖² δ*², so δ* → 0. The steepest pair could be
    stopped by M again and again, but each such stop makes a weight zero, and only steps that are
    not stopped make weights positive, at most two; so infinitely many steps are not stopped, and
    their slopes tend to zero. The steps needed can grow like the square of diameter/distance: scale
    the columns.

    *The sum of the weights* is free, and for given p and q the best is 1/‖p − q‖². It is set to
    that before every step, an exact step along λ itself; otherwise it lags behind p and q. At the
    optimum Σλ⁺ = 1/D² and Q = −1/D², D being the distance. Since Q(λ) = −½ D(α) for α = 2λ and the
    dual function D(α) = Σα_i − ½‖Σα_i y_i x_i‖² of the hard margin, α = 2λ solves that problem.

    Derived in chapter 3, *SMO*.

    References
    ----------
    Teitelbaum, J., *Mathematics for Machine Learning*, chapter 7: pairs across the classes.

    Platt, J. (1998), "Sequential minimal optimization".

    Examples
    --------
    >>> solution = hull_smo([[0.0, 0.0], [4.0, 2.0], [4.0, -2.0]], [-1, 1, 1])
    >>> solution.closest.p.round(6), round(solution.closest.distance, 6)
    (array([4., 0.]), 4.0)
    """
    X, y = check_labelled(X, y)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    answer = separation(X, y)
    if not answer.separable and answer.verify():
        raise NotSeparableError(answer)
    Z, _, exponent = standardise(X, by_column=False)
    check_size(X, exponent)

    kept = []
    for n_iter, (step, relative_gap) in enumerate(_steps(Z, y)):
        if trace:
            kept.append(step)
        if relative_gap <= tol / 2 or n_iter == max_iter:  # the proof adds its rounding
            break
    closest = certify_weights(X, y, step.weights)
    converged = closest.gap <= tol * closest.distance
    if not converged:
        warnings.warn(
            f"hull_smo stopped after {n_iter} steps with a distance of {closest.distance:.6g} and "
            f"a lower bound of {closest.lower_bound:.6g}; columns of different scale need many",
            ConvergenceWarning,
            stacklevel=2,
        )
    return HullSolution(closest, n_iter, converged, tuple(kept))


def _steps(Z: Array, y: Array) -> Iterator[tuple[HullStep, float]]:
    """Yield the start and every step, with the relative gap, until only rounding is left."""
    plus = y > 0
    weights, pair = np.ones(y.size), None
    while True:
        # Convex weights λ, and w = (p − q)/‖p − q‖² of λ/‖p − q‖², whose sum is the best.
        for own in (plus, ~plus):
            weights[own] /= weights[own].sum()
        difference = (weights * y) @ Z
        squared = float(difference @ difference)
        heights = y * (Z @ difference) / (squared or 1.0)  # w·x⁺ and −w·x⁻
        lift = float(heights[plus].min() + heights[~plus].min())
        yield HullStep(weights.copy(), pair), 1 - lift

        # The best step along the steepest pair, as far as both weights can follow.
        i, j = pair = _steepest_pair(heights, weights, plus)
        u = Z[i] - Z[j]
        if squared <= _ROUNDING**2 or not u.any():
            return
        best = squared * (1 - heights[i] - heights[j]) / float(u @ u)
        step = max(best, -weights[i], -weights[j])
        if step == 0:
            return
        weights[[i, j]] += step


def _steepest_pair(heights: Array, weights: Array, plus: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the pair with the largest slope of Q among those whose weights can follow it.

    Up: the two nearest to each other along w. Down: the two furthest apart that have weight.
    """
    grow = [int(np.where(own, heights, np.inf).argmin()) for own in (plus, ~plus)]
    held = weights > 0
    shrink = [int(np.where(own & held, heights, -np.inf).argmax()) for own in (plus, ~plus)]
    i, j = grow if 1 - heights[grow].sum() >= heights[shrink].sum() - 1 else shrink
    return i, j
