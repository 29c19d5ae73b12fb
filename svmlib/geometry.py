"""Hyperplanes, distances and margins.

With this module you can define a hyperplane w·x + b = 0, find on which side of it a point lies and
how far away, project the point onto it, measure the functional and the geometric margin of labelled
points, and find the margin that a given direction allows. Derived in chapter 1, *Geometry*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import hypot

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array, ReadOnly
from svmlib._rounding import SMALLEST_NORMAL, exact_dot, gamma_n
from svmlib._validation import check_labelled, check_points, check_scalar, check_vector

__all__ = ["DirectionalMargin", "Hyperplane", "directional_margin"]


@dataclass(frozen=True, eq=False)
class Hyperplane(ReadOnly):
    """The hyperplane f(x) = w·x + b = 0, with the sides f > 0 and f < 0.

    (w, b) and (cw, cb) with c > 0 are the same hyperplane with the same sides. The functional
    margins and `decision_function` distinguish them; distances do not depend on c.

    Parameters
    ----------
    w : array_like of shape (d,)
        The normal vector, not zero. It points to the side where f > 0.
    b : float
        The bias.

    Raises
    ------
    ValueError
        If w is zero, empty, not a vector or not finite, b is not a finite number, or floats cannot
        hold ‖w‖ or the distance from the origin. In every method, if X is not a finite array of
        shape (n, d), y is not n labels −1 and +1, both present, or the result overflows.

    Examples
    --------
    >>> plane = Hyperplane([3, 4], -5)
    >>> plane.signed_distance([[3, 4], [0, 0]])
    array([ 4., -1.])
    >>> plane.predict([[3, 4], [0, 0]])
    array([ 1, -1])
    >>> plane.project([[3, 4]]).round(12)
    array([[0.6, 0.8]])
    """

    w: Array
    b: float

    def __post_init__(self) -> None:
        w = check_vector(self.w, "w").copy()
        if not w.any():
            raise ValueError("w must not be zero: the zero vector is normal to no hyperplane")
        vars(self).update(w=w, b=check_scalar(self.b, "b"))
        if not (self.norm < np.inf and self.distance_from_origin < np.inf):
            raise ValueError("w must have a norm, and b/‖w‖ a size, that floats can hold: rescale")
        super().__post_init__()

    @property
    def norm(self) -> float:
        """The length ‖w‖ of the normal vector."""
        return hypot(*self.w)  # scales before it squares

    @property
    def distance_from_origin(self) -> float:
        """The distance between the origin and the hyperplane, abs(b) / ‖w‖."""
        return abs(self.b) / self.norm

    @np.errstate(over="ignore", invalid="ignore")  # the error reports it
    def decision_function(self, X: ArrayLike) -> Array:
        """Return f(x) = w·x + b for each row of X, shape (n,).

        Raises
        ------
        ValueError
            If X is not as above, or w·x + b overflows; so do the methods below that use it.
        """
        return _check_finite(self._check_points(X) @ self.w + self.b, "w·x + b")

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the class of each row of X: +1 where f(x) ≥ 0, −1 where f(x) < 0."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    @np.errstate(over="ignore")
    def signed_distance(self, X: ArrayLike) -> Array:
        """Return f(x) / ‖w‖ for each row of X: the distance, negative where f(x) < 0."""
        return _check_finite(self.decision_function(X) / self.norm, "the distance f(x) / ‖w‖")

    @np.errstate(over="ignore")
    def project(self, X: ArrayLike) -> Array:
        """Return the nearest point of the hyperplane to each row of X, x − (f(x)/‖w‖) w/‖w‖."""
        points = self._check_points(X)
        steps = np.outer(self.signed_distance(points), self.w / self.norm)
        return _check_finite(points - steps, "the projection")

    def functional_margins(self, X: ArrayLike, y: ArrayLike) -> Array:
        """Return γ̂_i = y_i f(x_i) for each sample: positive on its own side of the hyperplane.

        Returns
        -------
        ndarray of shape (n,)
            The γ̂_i.

        Raises
        ------
        ValueError
            If X or y is not as above, here and in the methods below.
        """
        return check_labelled(X, y)[1] * self.decision_function(X)

    def functional_margin(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return γ̂ = min_i γ̂_i, the functional margin of the whole set."""
        return float(self.functional_margins(X, y).min())

    def geometric_margin(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return γ = γ̂ / ‖w‖, half of the gap if the hyperplane is in its middle."""
        return float((check_labelled(X, y)[1] * self.signed_distance(X)).min())

    def separates(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether every sample is strictly on its own side, γ̂ > 0, whatever the rounding."""
        return separates(self.w, self.b, *check_labelled(self._check_points(X), y))

    def _check_points(self, X: ArrayLike) -> Array:
        return check_points(X, n_features=self.w.size)


@dataclass(frozen=True, eq=False)
class DirectionalMargin:
    """The gap between two classes along one direction w.

    Attributes
    ----------
    b_minus, b_plus : float
        B⁻(w) = max of w·x over A⁻ and B⁺(w) = min of w·x over A⁺.
    width : float
        τ_w = (B⁺ − B⁻) / ‖w‖. If it is positive, the classes are separable along w with a gap this
        wide. If it is not, no hyperplane with this normal and A⁺ on its side separates them; −τ_w
        is how far A⁺ would have to move along w/‖w‖ until one such hyperplane touches both classes.
    hyperplane : Hyperplane
        w·x − (B⁺ + B⁻)/2 = 0.

    Examples
    --------
    >>> X, y = [[0, 0], [3, 1], [5, 2]], [-1, 1, 1]
    >>> margin = directional_margin(X, y, w=[2, 0])
    >>> margin.b_minus, margin.b_plus, margin.width
    (0.0, 6.0, 3.0)
    """

    b_minus: float
    b_plus: float
    width: float
    hyperplane: Hyperplane


def directional_margin(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> DirectionalMargin:
    """Measure the gap between two classes along w: τ_w = (min_{A⁺} w·x − max_{A⁻} w·x) / ‖w‖.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The samples.
    y : array_like of shape (n,)
        Their labels −1 and +1, both present.
    w : array_like of shape (d,)
        The direction, not zero. Its length does not change the width.

    Raises
    ------
    ValueError
        If X, y or w have wrong shapes or values, a class is empty, w is zero, or floats cannot hold
        w·x or the width.

    Examples
    --------
    >>> X, y = [[0, 0], [6, 0]], [-1, 1]
    >>> directional_margin(X, y, w=[1, 0]).width
    6.0
    >>> directional_margin(X, y, w=[-1, 0]).width  # on the wrong sides
    -6.0
    """
    plane = Hyperplane(check_vector(w, "w"), 0.0)
    labels = check_labelled(X, y)[1]
    along = plane.decision_function(X)
    b_minus, b_plus = float(along[labels < 0].max()), float(along[labels > 0].min())
    # Half of each, because a sum or a difference could overflow.
    width = (b_plus / 2 - b_minus / 2) / plane.norm * 2
    _check_finite(np.array(width), "the width")
    return DirectionalMargin(b_minus, b_plus, width, replace(plane, b=-(b_plus / 2 + b_minus / 2)))


def _check_finite(values: Array, what: str) -> Array:
    """Return values, or raise an error if they have overflowed."""
    if not np.isfinite(values).all():
        raise ValueError(f"X and w must be small enough for {what} to be finite: rescale them")
    return values


def separates(w: Array, b: float, X: Array, y: Array) -> bool:
    """Prove or refute y_i (w·x_i + b) > 0 for all i; rational arithmetic where rounding decides."""
    with np.errstate(over="ignore", invalid="ignore"):  # overflow decides nothing
        margins = y * (X @ w + b)
        # There are d operations. Four more cover terms of second order in this bound; adding b
        # changes no sign.
        error = gamma_n(len(w) + 4) * (np.abs(X) @ np.abs(w))
        proved = margins > error + SMALLEST_NORMAL  # far more than what underflows
    return all(y[i] * (exact_dot(w, X[i]) + Fraction(b)) > 0 for i in np.flatnonzero(~proved))
