"""Convex hulls: the geometry behind the widest gap.

Two finite sets of points can be separated by a hyperplane if and only if their convex hulls do
not meet, and the widest gap between them is as wide as the distance between the hulls. With this
module you can

- compute the convex hull of points in any dimension (`convex_hull`);
- decide whether two classes can be separated, with a certificate either way (`separation`);
- find the closest points of the two hulls, or of the two *reduced* hulls, in which no weight
  exceeds a cap μ, with a bound that proves how close to optimal they are (`closest_points`);
- find the smallest cap at which the reduced hulls meet (`separating_caps`).

Every bound here holds for the floats given, taken as exact numbers: the errors of rounding are
bounded as in `svmlib._rounding`, and every bound is moved outwards by them. Points are
first centred, which costs each coordinate a relative 2⁻⁵³, and then divided by a power of two,
which is exact: so origin and units make no other difference.

Derived in chapter 2, *Convex hulls*; reduced hulls in chapter 6, *The soft margin*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull as Qhull

from svmlib._arrays import Array, ReadOnly
from svmlib._rounding import (
    LARGEST_FLOAT,
    SMALLEST_SUBNORMAL,
    UNIT_ROUNDOFF,
    centre_and_scale,
    compensated_dot,
    exact_dot,
    exact_sum,
    gamma_n,
    round_down,
    round_up,
    row_norm_bounds,
)
from svmlib._validation import check_labelled, check_points, check_scalar
from svmlib._wolfe import lowest_vertex_weights, nearest_to_origin
from svmlib.geometry import separates

__all__ = [
    "ClosestPoints",
    "ConvexHull",
    "NotSeparableError",
    "SeparatingCaps",
    "Separation",
    "closest_points",
    "convex_hull",
    "separating_caps",
    "separation",
]

_CAP_TOL = 1e-15  # how far a cap may be below the smallest one or above 1, relatively
_RESIDUAL_TOL = 1e-14  # times √d, of a column's largest value: sums this close are one point


# Convex hulls


@dataclass(frozen=True, eq=False)
class ConvexHull(ReadOnly):
    """The convex hull of a finite set of points: all convex combinations of its vertices.

    Attributes
    ----------
    points : ndarray of shape (n, d)
        The points given.
    vertices : ndarray of shape (m,)
        Indices of the extreme points; where the hull is a polygon they are in order along its
        boundary, counter-clockwise if d = 2.

    Examples
    --------
    >>> triangle = convex_hull([[0, 0], [4, 0], [0, 4], [1, 1]])
    >>> sorted(triangle.vertices.tolist())
    [0, 1, 2]
    """

    points: Array
    vertices: NDArray[np.intp]


def convex_hull(points: ArrayLike) -> ConvexHull:
    r"""Compute the convex hull {Σ λ_i x_i : λ ≥ 0, Σ λ_i = 1} of a finite set of points.

    The points may be degenerate: a single point, duplicates, all on a line or on a plane.

    Parameters
    ----------
    points : array_like of shape (n, d)
        The points.

    Returns
    -------
    ConvexHull
        The hull, with the indices of its vertices.

    Raises
    ------
    ValueError
        If `points` is empty, not two-dimensional or not finite, or if floats cannot hold the
        squares of distances.
    scipy.spatial.QhullError
        If Qhull fails because points nearly agree, in four or more dimensions.

    Notes
    -----
    The affine hull comes from a singular value decomposition: a direction in which the points
    extend no further than the rounding of their coordinates does not count. Within it, in
    coordinates scaled so that the hull is about as thick as it is long, Qhull finds the vertices.
    It computes the facets, too, whose number can grow like :math:`n^{\lfloor d/2 \rfloor}`, so it
    is too slow for d ≥ 8 or so. `separation` decides whether a point is in a hull.

    References
    ----------
    Barber, C. B., Dobkin, D. P. and Huhdanpaa, H. (1996), "The Quickhull algorithm for convex
    hulls".

    Examples
    --------
    >>> square = convex_hull([[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]])
    >>> sorted(square.vertices.tolist())
    [0, 1, 2, 3]
    """
    X = check_points(points, "points").copy()
    Z, _, exponent = centre_and_scale(X, "points", by_column=False)
    Z = Z - Z.mean(axis=0)
    # The affine hull: the axes along which the points extend further than their rounding.
    R = np.linalg.qr(Z, mode="r")  # the same axes as Z, with only min(n, d) rows
    _, extents, axes = np.linalg.svd(R, full_matrices=False)
    error = 8 * UNIT_ROUNDOFF * (np.ldexp(np.abs(X).max(), -exponent) + 1)  # of an entry of Z
    axes = axes[: np.sum(extents > math.sqrt(Z.size) * error)]
    inside = Z @ axes.T
    # The vertices of a segment are its ends; Qhull needs at least two dimensions.
    if len(axes) < 2:
        ends = [inside.argmin(), inside.argmax()] if len(axes) else [0]
        return ConvexHull(X, np.array(ends))
    vertices = Qhull(inside / np.ptp(inside, axis=0)).vertices
    mirrored = X.shape[1] == 2 and np.linalg.det(axes) < 0
    return ConvexHull(X, (vertices[::-1] if mirrored else vertices).astype(np.intp))


# Separation


@dataclass(frozen=True, eq=False)
class Separation(ReadOnly):
    """The answer to "can a hyperplane separate the two classes?", with its certificate.

    Either `w` and `b` are given, or `weights` are; the other is None.

    Attributes
    ----------
    X, y : ndarray of shape (n, d) and (n,)
        The data that the certificate is about.
    w, b : ndarray of shape (d,) and float, or None
        A hyperplane with y_i (w·x_i + b) > 0 for all i. It is *a* separating hyperplane, not the
        one with the widest gap, which `closest_points` finds.
    weights : ndarray of shape (n,), or None
        Convex weights, summing to one in each class, of a point common to both hulls.

    Notes
    -----
    What the certificate proves in floating point:

    - *A hyperplane* is a proof without qualification. `verify` checks that each of the n numbers
      y_i (w·x_i + b) is positive: in floating point where the number exceeds a bound on its own
      rounding error, and in rational arithmetic where it does not.
    - *A common point* is a proof up to `residual`, which is computed in rational arithmetic. If
      both sums p = Σ λ_i x_i over A⁺ and q = Σ λ_i x_i over A⁻ agree exactly, the hulls meet and
      no hyperplane separates them strictly. If they differ, moving all of A⁺ by q − p makes the
      hulls meet; `residual` is the size of that move, for each coordinate relative to the largest
      value in its column. As a rule it is a small multiple of 2⁻⁵²: some data that differ
      from X only by rounding are not separable.

    Examples
    --------
    >>> answer = separation([[0.0], [3.0]], [-1, 1])
    >>> answer.separable, answer.w, answer.b
    (True, array([0.75]), -1.125)
    >>> answer.verify()
    True
    """

    X: Array
    y: Array
    w: Array | None = None
    b: float | None = None
    weights: Array | None = None

    @property
    def separable(self) -> bool:
        """Whether the answer is a hyperplane."""
        return self.w is not None

    @property
    def point(self) -> Array | None:
        """The point common to both hulls, halfway between its two sums; None if separable."""
        return None if self.weights is None else self.weights / 2 @ self.X

    @property
    def residual(self) -> float:
        """Largest difference of the two sums, over the column's largest value; 0.0 if separable."""
        if self.weights is None:
            return 0.0
        signed = self.weights * self.y
        columns = [column for column in self.X.T if column.any()]
        moves = [abs(exact_dot(signed, c)) / Fraction(np.abs(c).max()) for c in columns]
        largest = max(moves, default=Fraction(0))  # 0.0 is a proof, and may not come from underflow
        return round_up(float(largest)) + SMALLEST_SUBNORMAL if largest else 0.0

    def verify(self) -> bool:
        """Check the certificate from the data, without trusting how it was found.

        A hyperplane is checked exactly. The weights of a common point must not be negative, and
        must sum to one in each class within 2⁻⁵⁰; its `residual` may be up to 10⁻¹⁴ √d.

        Raises
        ------
        ValueError
            If X and y are not valid labelled points.
        """
        X, y = check_labelled(self.X, self.y)
        if self.w is not None and self.b is not None:
            valid = self.w.shape == X.shape[1:] and np.isfinite([*self.w, self.b]).all()
            return bool(valid) and separates(self.w, self.b, X, y)
        return (
            self.weights is not None
            and self.weights.shape == y.shape
            and bool(((self.weights >= 0) & (self.weights < 2)).all())  # larger sums may overflow
            # The sums are one but for the rounding of the weights; `fsum` rounds only once.
            and all(abs(math.fsum(self.weights[y == s]) - 1) <= 2**-50 for s in (-1, 1))
            and self.residual <= _RESIDUAL_TOL * math.sqrt(X.shape[1])
        )


class NotSeparableError(ValueError):
    """No hyperplane separates the two classes, up to rounding: their convex hulls share a point.

    Attributes
    ----------
    separation : Separation
        The certificate: the common point and its two sets of convex weights.

    Examples
    --------
    >>> from svmlib import SVC
    >>> X, y = [[0.0], [2.0], [1.0]], [-1, -1, 1]
    >>> try:
    ...     SVC(kernel="linear", C=float("inf")).fit(X, y)
    ... except NotSeparableError as error:
    ...     print(error.separation.point, error.separation.verify())
    [1.] True
    """

    def __init__(self, separation: Separation) -> None:
        super().__init__(separation)
        self.separation = separation

    def __str__(self) -> str:
        found = self.separation
        point = np.array2string(np.asarray(found.point), precision=4, threshold=6)
        # Two sums of weights that are equal, but not quite 1, still prove it exactly.
        exact = not (found.residual or math.fsum(np.asarray(found.weights) * found.y))
        claim = f"no hyperplane separates the two classes{'' if exact else ' up to rounding'}"
        shared = f"convex hulls share the point {point}; a soft margin, C < inf, accepts such data"
        return f"{claim}: their {shared}"


def separation(X: ArrayLike, y: ArrayLike) -> Separation:
    """Separate two classes by a hyperplane, or find a point common to both convex hulls.

    Exactly one of the two exists: w, b with y_i (w·x_i + b) > 0 for all i, or weights λ ≥ 0 with
    Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and Σ_{A⁺} λ_i x_i = Σ_{A⁻} λ_i x_i.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.

    Returns
    -------
    Separation
        The answer with its certificate; hulls that only touch are not separable.

    Raises
    ------
    ValueError
        If the data are malformed or one class is missing.

    Notes
    -----
    Separability does not change when a column is multiplied by a number, so every column is first
    scaled to the same range. Then the closest points p, q of the hulls decide: w = p − q separates
    if it can be *proved* to (see `Separation`); otherwise p and q agree up to rounding. The search
    stops early once the gap along p − q is proved to be half as wide as the widest. Classes
    that are further apart than the rounding of their coordinates are reported as separable (unless
    w has entries of which one is more than 2¹⁰⁰⁰ times the other); classes nearer than that may be
    reported as inseparable, with a `Separation.residual` that says so.

    Examples
    --------
    >>> separation([[0.0], [1.0], [2.0]], [-1, -1, 1]).separable
    True
    >>> touching = separation([[0.0], [1.0], [1.0], [2.0]], [-1, -1, 1, 1])
    >>> touching.point, touching.weights
    (array([1.]), array([0., 1., 1., 0.]))
    """
    X, y = check_labelled(X, y)
    Z, _, exponent = centre_and_scale(X, by_column=True)
    weights, normal = nearest_to_origin(Z, y, cap=1.0, half_the_gap=True)
    normal = np.where(Z.any(axis=0), normal, 0)  # in constant columns it is only rounding
    # w gets the units of X, divided by a power of two that makes its largest entry about one.
    powers = np.frexp(normal)[1] - exponent
    largest = powers[normal != 0].max() if normal.any() else 0
    w = np.ldexp(normal, -exponent - largest)
    # b is halfway between the two classes, and rounded only once.
    projections = Z @ normal
    lowest = X[np.where(y > 0, projections, np.inf).argmin()]
    highest = X[np.where(y < 0, projections, -np.inf).argmax()]
    exact_b = -(exact_dot(w, lowest) + exact_dot(w, highest)) / 2
    while abs(exact_b) > LARGEST_FLOAT:
        w, exact_b = w / 2, exact_b / 2
    b = float(exact_b)
    if separates(w, b, X, y):
        return Separation(X, y, w=w, b=b)
    return Separation(X, y, weights=weights)


def require_separable(X: ArrayLike, y: ArrayLike) -> None:
    """Raise a `NotSeparableError` if a common point of the hulls is found, and can be verified.

    If it cannot be verified, the certificate of the caller's solution decides.
    """
    answer = separation(X, y)
    if not answer.separable and answer.verify():
        raise NotSeparableError(answer)


# Closest points


@dataclass(frozen=True, eq=False)
class ClosestPoints(ReadOnly):
    """Closest points of two (reduced) convex hulls, with a bound on how far from optimal they are.

    Attributes
    ----------
    p, q : ndarray of shape (d,)
        p = Σ_{A⁺} λ_i x_i and q = Σ_{A⁻} λ_i x_i, rounded to floats.
    weights : ndarray of shape (n,)
        λ, in [0, cap], summing to one in each class.
    cap : float
        The cap μ; 1 for the whole hulls.
    w, b : ndarray of shape (d,) and float
        The hyperplane halfway between p and q: w is p − q (`closest_points` makes it orthogonal to
        the faces of p and q, which changes it by rounding only), b = −w·(p + q)/2. If the hulls
        meet, w is zero up to rounding and means nothing.
    distance : float
        ‖p − q‖ of the sums themselves, rounded up: at least the distance between the hulls. Far
        from the origin the rounded p and q may be further apart, or nearer.
    lower_bound : float
        (min w·x over the hull of A⁺ − max w·x over the hull of A⁻)/‖w‖, rounded down, or zero if
        that is negative: at most the distance between the hulls.

    Examples
    --------
    >>> X, y = [[0.0, 1.0], [3.0, 0.0], [3.0, 2.0]], [-1, 1, 1]
    >>> closest = closest_points(X, y)
    >>> closest.lower_bound <= 3 <= closest.distance, closest.gap < 1e-13
    (True, True)
    """

    p: Array
    q: Array
    weights: Array
    cap: float
    w: Array
    b: float
    distance: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """A bound on `distance` minus the distance between the hulls: distance − lower_bound."""
        return round_up(self.distance - self.lower_bound)


def closest_points(X: ArrayLike, y: ArrayLike, cap: float = 1.0) -> ClosestPoints:
    """Find the closest points of the hulls of the two classes, or of their reduced hulls.

    Minimises ‖Σ_{A⁺} λ_i x_i − Σ_{A⁻} λ_i x_i‖ subject to Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and
    0 ≤ λ_i ≤ μ. With μ = 1 these are the convex hulls; a smaller cap shrinks both towards their
    centroids, because no single point can carry more than μ of the weight.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    cap : float, default 1.0
        μ, from max(1/n₊, 1/n₋) to 1, up to rounding. In a class of n points the float 1/n stands
        for the fraction, even if the float is a little less.

    Returns
    -------
    ClosestPoints
        The points, with a bound on the distance between the hulls.

    Raises
    ------
    ValueError
        If the data are malformed, if `cap` is too small for weights that sum to one, or if a float
        cannot hold the squares of distances.

    Notes
    -----
    For μ = 1 the hyperplane is the optimal margin classifier. For μ < 1 its normal w is that of
    the soft margin classifier whose multipliers α satisfy μ = 2C/Σα, but the offset of the latter
    need not be halfway between p and q.

    Wolfe's algorithm is finite: it keeps a few vertices of R⁺ − R⁻, the set of all differences of
    the two hulls, moves to the point of their affine hull that is nearest to the origin, drops the
    vertices that the move leaves behind, and adds the vertex that lies lowest along the new
    direction, until none lies lower. `ClosestPoints.gap` is as a rule of the order of d rounding
    errors of one coordinate, whether the hulls are far apart or nearly touch. A step costs
    O(n (d + log n)) and a least squares problem with at most d + 1 vertices.

    References
    ----------
    Wolfe, P. (1976), "Finding the nearest point in a polytope".

    Bennett, K. P. and Bredensteiner, E. J. (2000), "Duality and geometry in SVM classifiers".

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [2.0, -1.0], [2.0, 1.0]], [-1, 1, 1]
    >>> closest = closest_points(X, y)
    >>> closest.p, round(closest.distance, 12)
    (array([2., 0.]), 2.0)
    """
    X, y = check_labelled(X, y)
    cap = check_scalar(cap, "cap")
    smallest = _smallest_cap(y)
    if not smallest * (1 - _CAP_TOL) <= cap <= 1 + _CAP_TOL:
        raise ValueError(f"cap must be from {smallest:.6g} (1/n of a class) to 1, got {cap:.6g}")
    cap = min(max(cap, smallest), 1.0)
    Z, _, _ = centre_and_scale(X, by_column=False)
    weights, normal = nearest_to_origin(Z, y, cap)
    return certify_weights(X, y, weights, cap, normal)


def certify_weights(
    X: Array, y: Array, weights: Array, cap: float = 1.0, normal: Array | None = None
) -> ClosestPoints:
    """Return the points with these convex weights, and the bound that their difference proves.

    The bound may use a better `normal` than the p − q computed here (both centred and scaled).
    """
    Z, centre, exponent = centre_and_scale(X, by_column=False)
    p, q = (weights[in_class] @ Z[in_class] for in_class in (y > 0, y < 0))
    w = p - q if normal is None else normal
    scaled = w / (np.abs(w).max() or 1.0)
    projections = y * (Z @ scaled)
    width = projections @ lowest_vertex_weights(projections, y, cap)  # B⁺ − B⁻ along it
    error = _distance_error(Z, y, weights)
    bound = width / float(np.linalg.norm(scaled)) - error if w.any() else 0.0
    w = np.ldexp(w, exponent)
    middle = np.append(np.ldexp(p + q, exponent) / 2, centre)  # in two parts
    return ClosestPoints(
        p=centre + np.ldexp(p, exponent),
        q=centre + np.ldexp(q, exponent),
        weights=weights,
        cap=cap,
        w=w,
        b=-float(compensated_dot(np.tile(w, 2), middle[:, None])[0][0]),
        distance=float(np.ldexp(np.linalg.norm(p - q) + error, exponent)),
        lower_bound=float(np.ldexp(max(bound, 0.0), exponent)),
    )


def _distance_error(Z: Array, y: Array, weights: Array) -> float:
    """Bound the rounding errors of ‖p − q‖ and of the lower bound that a normal proves.

    Let R be the length of the longest z, and k the number of weights that are not zero. p and q are
    sums of up to k terms, a projection w·z is a sum of d and off by γ_{d+1} ‖w‖ R (Z itself has one
    rounding), and the lowest vertex is a sum of up to k + 2 projections, whose weights are off by
    4u in all. Together that is less than 3 γ_{k+d+12} R. Weights that do not sum to one count as
    divided by their sum; what then exceeds the cap goes to points with room. If the sum is below
    one, no weight decreases, otherwise none increases, so p moves by at most R times what the sum
    misses. The fourth γ_{k+d+12} has room for what `fsum` loses in the two sums.
    """
    misses = sum(abs(math.fsum(weights[y == label]) - 1) for label in (-1, 1))
    R = float(row_norm_bounds(Z).max())
    k = int(np.count_nonzero(weights))
    return (4 * gamma_n(k + Z.shape[1] + 12) + misses) * R


def _smallest_cap(y: Array) -> float:
    """Return max(1/n₊, 1/n₋), below which weights of one class cannot sum to one."""
    return float(1 / min(np.sum(y > 0), np.sum(y < 0)))


# The caps that separate


@dataclass(frozen=True, eq=False)
class SeparatingCaps(ReadOnly):
    """The caps μ for which the reduced hulls are disjoint, from `smallest` up to `supremum`.

    Attributes
    ----------
    supremum : float
        The reduced hulls are disjoint for μ < supremum and meet for μ ≥ supremum; 1 if the hulls
        themselves are disjoint, so that no cap is needed (then they are disjoint at μ = 1 too).
        As computed it is an upper bound, up to the `Separation.residual` of `weights`.
    smallest : float
        max(1/n₊, 1/n₋), the smallest cap for which both reduced hulls exist.
    weights : ndarray of shape (n,), or None
        Convex weights, none above `supremum`, of a point common to both reduced hulls. None if the
        hulls are disjoint.
    lower_bound : float
        Every cap below this number separates. The number is rounded down, so this is proved.

    Examples
    --------
    >>> caps = separating_caps([[0.0], [2.0], [1.0], [3.0]], [-1, -1, 1, 1])
    >>> round(caps.supremum, 12), caps.smallest, caps.none_separates
    (0.75, 0.5, False)
    """

    supremum: float
    smallest: float
    weights: Array | None
    lower_bound: float

    @property
    def none_separates(self) -> bool:
        """Whether no cap helps: the reduced hulls meet even at the smallest cap."""
        return self.weights is not None and self.supremum <= self.smallest


def separating_caps(X: ArrayLike, y: ArrayLike) -> SeparatingCaps:
    """Find the supremum of the caps μ at which the reduced hulls are disjoint.

    It is the smallest cap at which they meet, a linear program: minimise μ subject to
    Σ_{A⁺} λ_i x_i = Σ_{A⁻} λ_i x_i, Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and 0 ≤ λ_i ≤ μ.

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.

    Returns
    -------
    SeparatingCaps
        The caps. It also says whether the hulls are disjoint without a cap, and whether no cap
        helps (as when both classes have the same size and the same centroid).

    Raises
    ------
    ValueError
        If the data are malformed or one class is missing.

    Notes
    -----
    Any w and any levels ρ⁺, ρ⁻ prove a lower bound on the supremum: a point common to both
    reduced hulls has Σ_{A⁺} λ_i (ρ⁺ − w·x_i) + Σ_{A⁻} λ_i (w·x_i − ρ⁻) = ρ⁺ − ρ⁻, and with
    λ ≤ μ the left side is at most μ times the sum of its positive terms. The dual of the linear
    program is the search for the best of these bounds.

    Dinkelbach's method: the closest points of the reduced hulls at a cap that separates give a w,
    and this w alone keeps the hulls apart up to some larger cap, at which the next w is found. When
    the closest points agree, the hulls meet, and the cap is the supremum.

    In chapter 6, *The soft margin*, the caps end at μ*, which is the value of this program.

    References
    ----------
    Crisp, D. J. and Burges, C. J. C. (1999), "A geometric interpretation of ν-SVM classifiers".

    Dinkelbach, W. (1967), "On nonlinear fractional programming".

    Examples
    --------
    >>> xor = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]
    >>> separating_caps(xor, [1, 1, -1, -1]).none_separates
    True
    """
    X, y = check_labelled(X, y)
    answer = separation(X, y)
    smallest = _smallest_cap(y)
    if answer.weights is None:
        return SeparatingCaps(supremum=1.0, smallest=smallest, weights=None, lower_bound=1.0)
    Z, _, _ = centre_and_scale(X, by_column=True)
    norm_error = 16 * UNIT_ROUNDOFF * float(row_norm_bounds(Z).max())
    weights = answer.weights
    cap = smallest
    bound = round_down(smallest)
    growth = 8 * UNIT_ROUNDOFF
    while cap < 1:  # where the hulls meet, as `separation` has found
        nearest, normal = nearest_to_origin(Z, y, cap)
        if np.linalg.norm((nearest * y) @ Z) <= norm_error:
            weights = nearest
            break
        further, proved = _cap_along(normal, Z, y)
        bound = max(bound, proved)
        cap *= 1 + growth
        # If rounding keeps the cap from growing, raise it by a factor that doubles each time. The
        # factor always grows, so the loop ends.
        growth *= 1.1 if further > cap else 2
        cap = max(cap, further)
    # The weights may miss the common point by rounding, so `bound` is needed.
    supremum = max(float(weights.max()), smallest, bound)
    return SeparatingCaps(supremum, smallest, weights, bound)


def _cap_along(w: Array, Z: Array, y: Array) -> tuple[float, float]:
    """Return the cap up to which w separates the reduced hulls, and a proved lower bound.

    Let ν = 1/μ, and let T(ν) add up the lowest ν projections of each class, the last one in part.
    Then T(ν)/ν is the least w·z of all points z of R⁺ − R⁻, so w separates while T(ν) > 0. T is
    convex, linear between integers, and T(0) = 0: it has at most one other zero, the ν to find. The
    last projections in that sum are the levels ρ of the bound (`separating_caps`).
    """
    projections = y * (Z @ w)
    plus, minus = np.sort(projections[y > 0]), np.sort(projections[y < 0])
    n = min(len(plus), len(minus))
    both = plus[:n] + minus[:n]
    # T(k) is the sum of the first k of them, and crosses zero while it adds both[last] = ρ⁺ − ρ⁻.
    last = min(int(np.sum(np.cumsum(both) <= 0)), n - 1)
    # `short` is how far each projection is below plus[last] = ρ⁺ or minus[last] = −ρ⁻. The bound
    # needs the sum of its positive parts, and how large that may be if the projections are rounded.
    short = np.where(y > 0, plus[last], minus[last]) - projections
    # A projection takes d + 1 operations; the other eleven cover `short`, which is at most 2R ‖w‖,
    # its sum and the quotient.
    R = float(row_norm_bounds(Z).max())
    error = gamma_n(len(w) + 12) * R * float(np.linalg.norm(w))
    shortfall, largest = (exact_sum(np.maximum(short + off, 0)) for off in (0.0, error))
    cap = both[last] / shortfall if shortfall else 1.0  # none below: w separates the whole hulls
    return cap, min(both[last] / largest, 1.0)
