"""SMO between two convex hulls: their closest points, two weights at a time.

The weights of the points of a hull are tied together by their sum, so no weight can move alone. But
two, one of each class, can grow or shrink by the same amount, and the best amount has a formula.
What remains is to choose the pair. With this module you can

- find the closest points of two convex hulls by such steps, with the bound that proves them:
  `hull_smo`.

Derived in chapter 3, *SMO*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array, ReadOnly
from svmlib._rounding import centre_and_scale
from svmlib._validation import check_labelled, check_stopping_rule
from svmlib._warnings import warn_unless_converged
from svmlib.hulls import ClosestPoints, certify_weights, require_separable

__all__ = ["HullSolution", "HullStep", "hull_smo"]

_SUM_ERROR = 1e-15  # of a sum of points whose coordinates are below 1
_MAX_STEP_LENGTH = 1e300  # after so long a step, the other weights are zero to rounding


@dataclass(frozen=True, eq=False)
class HullStep(ReadOnly):
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
    """The result of `hull_smo`.

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
    X: ArrayLike, y: ArrayLike, *, tol: float = 1e-6, max_iter: int = 100_000, trace: bool = False
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
        The points.
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
        With a `sklearn.exceptions.ConvergenceWarning` that names the relative gap if max_iter was
        reached, or if only rounding was left.

    Raises
    ------
    ValueError
        If an argument is not as above, or if floats cannot hold the squares of distances.
    NotSeparableError
        If the hulls meet. Q has no minimum then: along the weights of a common point w is zero,
        and Q falls without end as their sum grows.

    Notes
    -----
    *Why pairs across the classes are enough.* Suppose that no pair improves Q, and λ ≠ 0. Then
    w·(x⁺_i − x⁻_j) ≥ 1 for all i, j, with equality where both weights are positive. So every x⁺_i
    of positive weight has the smallest w·x⁺ of its class, every such x⁻_j the largest, and the
    two differ by one: the KKT conditions. A shift of weight from x⁺_k to x⁺_i is the sum of the
    steps "i, j up" and "k, j down", and some j has weight to give. At λ = 0 every pair improves.

    *Why the steps converge.* Where the hulls are disjoint Q has bounded level sets, and a step of
    length δ* lowers it by at least ‖x⁺_i − x⁻_j‖² δ*², so δ* → 0. The steepest pair could be
    stopped by M again and again, but each such stop makes a weight zero, and only steps that are
    not stopped make weights positive, at most two; so infinitely many steps are not stopped, and
    their slopes tend to zero. The steps needed can grow like the square of diameter/distance: scale
    the columns.

    *The sum of the weights* is free, and for given p and q the best is 1/‖p − q‖². It is set to
    that before every step, an exact step along λ itself; otherwise it lags behind p and q. At the
    optimum Σλ⁺ = 1/‖p − q‖² = −Q. Since Q(λ) = −½ D(α) for α = 2λ and the dual function
    D(α) = Σα_i − ½‖Σα_i y_i x_i‖² of the hard margin, α = 2λ solves that problem.

    References
    ----------
    Teitelbaum, J., "Mathematics for machine learning", chapter 7: pairs across the classes.

    Platt, J. (1998), "Sequential minimal optimization".

    Examples
    --------
    >>> solution = hull_smo([[0.0, 0.0], [4.0, 2.0], [4.0, -2.0]], [-1, 1, 1])
    >>> solution.closest.p.round(6), round(solution.closest.distance, 6)
    (array([4., 0.]), 4.0)
    """
    X, y = check_labelled(X, y)
    tol, max_iter = check_stopping_rule(tol, max_iter)
    require_separable(X, y)
    steps = islice(_steps(X, y, tol / 2), max_iter + 1)  # half: the certificate adds rounding
    kept = deque(enumerate(steps), maxlen=None if trace else 1)
    n_iter, last = kept[-1]
    closest = certify_weights(X, y, last.weights)
    history = tuple(step for _, step in kept) if trace else ()
    solution = HullSolution(closest, n_iter, closest.gap <= tol * closest.distance, history)
    left = f"relative gap of {closest.gap / (closest.distance or 1.0):.3g}"
    remedy = "allow more steps, or scale the columns of X"
    warn_unless_converged(solution, "hull_smo", tol, remedy, left)
    return solution


def _steps(X: Array, y: Array, tol: float) -> Iterator[HullStep]:
    """Yield the start and every step, until the relative gap is `tol`, or rounding begins."""
    Z, _, _ = centre_and_scale(X, by_column=False)
    weights = np.ones(y.size)
    pair = None
    while True:
        # `weights` are convex, and λ is 1/‖p − q‖² times them, so that w = (p − q)/‖p − q‖².
        for in_class in (y > 0, y < 0):
            weights[in_class] /= weights[in_class].sum()
        yield HullStep(weights.copy(), pair)
        difference = (weights * y) @ Z
        squared = float(difference @ difference)
        if squared <= _SUM_ERROR**2:
            return
        projections = y * (Z @ difference) / squared  # w·x⁺ and −w·x⁻
        pair, relative_gap = _pair(projections, weights, y)
        if relative_gap <= tol:
            return
        # The step goes to δ_ij, where Q is least along the pair, in units of `weights` (times
        # ‖p − q‖²), or as far as both weights can follow.
        i, j = pair
        u = Z[i] - Z[j]
        with np.errstate(divide="ignore", over="ignore"):  # u·u underflows for points so close
            delta = squared * (1 - projections[i] - projections[j]) / float(u @ u)
        weights[[i, j]] += max(min(delta, _MAX_STEP_LENGTH), -weights[i], -weights[j])


def _pair(projections: Array, weights: Array, y: Array) -> tuple[tuple[int, int], float]:
    """Return the pair along which Q falls fastest, and the relative gap.

    To grow: the two points nearest to each other along w. The slope is the relative gap,
    (‖p − q‖ − bound) / ‖p − q‖, because ‖w‖ = 1/‖p − q‖. To shrink: the two furthest apart that
    have weight, if their slope is steeper.
    """
    classes, has_weight = (y > 0, y < 0), weights > 0
    up = [int(np.where(c, projections, np.inf).argmin()) for c in classes]
    down = [int(np.where(c & has_weight, projections, -np.inf).argmax()) for c in classes]
    relative_gap = 1 - projections[up].sum()
    steepest_down = projections[down].sum() - 1
    i, j = down if steepest_down > relative_gap else up
    return (i, j), float(relative_gap)
