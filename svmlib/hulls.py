"""Convex hulls: the geometry behind the widest gap.

Two finite sets of points can be separated by a hyperplane exactly when their convex hulls do not
meet, and the widest gap between them is the shortest way from one hull to the other. With this
module you can

- compute the convex hull of points in any dimension and test membership (`convex_hull`);
- decide whether two classes can be separated, with a certificate either way (`separation`);
- find the closest points of the two hulls, or of the two *reduced* hulls, in which no weight
  exceeds a cap μ, with a bound that proves how close to optimal they are (`closest_points`);
- find the largest cap at which the reduced hulls are still apart (`largest_separating_cap`).

Where the origin is and what the units are makes no difference: the points are first moved to the
origin, and then divided by a power of two, which is exact in binary arithmetic.

Derived in chapter 2, *Convex hulls*; reduced hulls in chapter 6, *The hinge loss*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, identity
from scipy.spatial import ConvexHull as Qhull

from svmlib._validation import Array, check_labelled, check_points, check_scalar

__all__ = [
    "ClosestPoints",
    "ConvexHull",
    "NotSeparableError",
    "SeparatingCap",
    "Separation",
    "closest_points",
    "convex_hull",
    "largest_separating_cap",
    "separation",
]

_EPS = float(np.finfo(np.float64).eps)


def standardise(X: Array, *, by_column: bool) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return (Z, c, e): X = c + 2^e Z with entries of Z in (−1, 1); e is one, or one a column."""
    axis = 0 if by_column else None
    size = np.frexp(np.abs(X).max(axis=axis))[1]
    Z = np.ldexp(X, -size)
    low = Z.min(axis=0)
    centre = low + (Z.max(axis=0) - low) / 2  # exact in a column that is constant
    Z = Z - centre
    spread = np.frexp(np.abs(Z).max(axis=axis))[1]
    return np.ldexp(Z, -spread), np.ldexp(centre, size), np.asarray(size + spread, dtype=np.int64)


# Convex hulls


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of a finite set of points, as vertices and as half-spaces.

    The hull is the set of all x with ``normals @ x <= offsets`` (the facets) and
    ``affine_normals @ x == affine_offsets`` (the affine hull; no rows when the hull has interior
    points). All normals have length one, and the normals of facets lie in the affine hull.

    Attributes
    ----------
    points : ndarray of shape (n, d)
        The points given.
    vertices : ndarray of shape (m,)
        Indices of the extreme points; where the hull is a polygon they are in order along its
        boundary, counter-clockwise if d = 2.
    dimension : int
        Dimension of the affine hull: 0 for a point, 1 for a segment, and so on up to d.
    normals, offsets : ndarray of shape (f, d) and (f,)
        Facets, as half-spaces a·x ≤ β.
    affine_normals, affine_offsets : ndarray of shape (d − dimension, d) and (d − dimension,)
        Equations of the affine hull.
    """

    points: Array
    vertices: NDArray[np.int64]
    dimension: int
    normals: Array
    offsets: Array
    affine_normals: Array
    affine_offsets: Array

    def contains(self, points: ArrayLike, *, tol: float = 1e-12) -> NDArray[np.bool_]:
        """Say for each row of `points` whether it lies in the hull.

        Parameters
        ----------
        points : array_like of shape (m, d)
        tol : float
            A point may lie outside a half-space, or off the affine hull, by `tol` times the
            diameter of the bounding box, and by the rounding of the coordinates.

        Returns
        -------
        ndarray of bool, shape (m,)
        """
        targets = check_points(points, "points", n_features=self.points.shape[1])
        origin = self.points[self.vertices[0]]
        moved = targets - origin
        extent = np.linalg.norm(np.ptp(self.points, axis=0))
        rounding = 8 * _EPS * np.maximum(np.abs(targets).max(axis=1), np.abs(self.points).max())
        slack = (tol * extent + rounding)[:, np.newaxis]
        inside = moved @ self.normals.T <= self.offsets - self.normals @ origin + slack
        on_affine_hull = np.abs(moved @ self.affine_normals.T) <= slack
        return np.asarray(inside.all(axis=1) & on_affine_hull.all(axis=1))


def convex_hull(points: ArrayLike) -> ConvexHull:
    r"""Compute the convex hull {Σ λ_i x_i : λ ≥ 0, Σ λ_i = 1} of a finite set of points.

    The points may be degenerate: a single point, duplicates, all on a line or on a plane.

    Parameters
    ----------
    points : array_like of shape (n, d)

    Returns
    -------
    ConvexHull

    Raises
    ------
    ValueError
        If `points` is empty, not two-dimensional or not finite.

    Notes
    -----
    The affine hull comes from a singular value decomposition: a direction in which the points
    extend no further than the rounding of their coordinates does not count. Within it, in
    coordinates scaled so that the hull is about as thick as it is long, Qhull finds the facets.
    Their number can grow like :math:`n^{\lfloor d/2 \rfloor}`; from eight dimensions or so
    on, ask `separation` whether a point is in a hull instead.

    Derived in chapter 2, *Convex hulls*.

    References
    ----------
    Barber, C. B., Dobkin, D. P. and Huhdanpaa, H. (1996), "The Quickhull algorithm for convex
    hulls".
    """
    X = check_points(points, "points")
    n, d = X.shape
    Z, centre, exponent = standardise(X, by_column=False)
    mean = Z.mean(axis=0)
    _, lengths, axes = np.linalg.svd(Z - mean, full_matrices=True)
    rounding = _EPS * (np.ldexp(np.abs(X).max(), -int(exponent)) + 1) if lengths[0] > 0 else np.inf
    dimension = int(np.sum(lengths > 4 * math.sqrt(n * d) * rounding))
    axes, flat = axes[:dimension], axes[dimension:]

    stretch = np.ptp(Z @ axes.T, axis=0)
    coordinates = (Z - mean) @ axes.T / stretch
    vertices, equations = _facets(coordinates)
    normals = equations[:, :-1] / stretch @ axes
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / lengths
    levels = (-equations[:, -1:] / lengths)[:, 0] + normals @ mean
    if dimension == d == 2 and np.linalg.det(axes) < 0:
        vertices = vertices[::-1]
    return ConvexHull(
        points=X,
        vertices=vertices.astype(np.int64),
        dimension=dimension,
        normals=normals,
        offsets=np.ldexp(levels, exponent) + normals @ centre,
        affine_normals=flat,
        affine_offsets=np.ldexp(flat @ mean, exponent) + flat @ centre,
    )


def _facets(Z: Array) -> tuple[NDArray[np.intp], Array]:
    """Vertices and facet equations (a, c), meaning a·z + c ≤ 0, of points that span their space."""
    dimension = Z.shape[1]
    if dimension == 0:
        return np.array([0]), np.empty((0, 1))
    if dimension == 1:
        ends = np.array([Z[:, 0].argmin(), Z[:, 0].argmax()])
        return ends, np.array([[-1.0, Z[ends[0], 0]], [1.0, -Z[ends[1], 0]]])
    hull = Qhull(Z)
    return hull.vertices, np.unique(hull.equations, axis=0)  # Qhull cuts facets into simplices


# Separation


@dataclass(frozen=True, eq=False)
class Separation:
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
    - *A common point* is a proof up to `residual`. If both sums p = Σ λ_i x_i over A⁺ and
      q = Σ λ_i x_i over A⁻ agree exactly, the hulls meet and no hyperplane separates them
      strictly. If they differ, moving all of A⁺ by q − p makes the hulls meet; `residual` is the
      size of that move, for each coordinate relative to the largest value in its column. It is
      a small multiple of 2⁻⁵², so data within their own rounding of X are inseparable.
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
        if self.weights is None:
            return None
        return np.asarray(self.weights @ self.X / 2)

    @property
    def residual(self) -> float:
        """Largest difference of the two sums, relative to each column; 0.0 for a hyperplane."""
        if self.weights is None:
            return 0.0
        size = np.abs(self.X).max(axis=0)
        columns = (self.X / np.where(size > 0, size, 1.0)).T
        return max(abs(math.fsum(self.weights * self.y * column)) for column in columns)

    def verify(self, *, tol: float = 1e-14) -> bool:
        """Check the certificate from the data, without trusting how it was found.

        Parameters
        ----------
        tol : float
            Largest `residual`, and largest error in the sums of the weights, that is accepted for
            a common point, for each square root of the number of features. A hyperplane is
            checked exactly.

        Returns
        -------
        bool
        """
        if self.w is not None and self.b is not None:
            return _separates(self.w, self.b, self.X, self.y)
        if self.weights is None:
            return False
        sums = [math.fsum(self.weights[self.y == label]) for label in (-1, 1)]
        allowed = tol * math.sqrt(self.X.shape[1])
        return (
            bool((self.weights >= 0).all())
            and max(abs(total - 1) for total in sums) <= allowed
            and self.residual <= allowed
        )


class NotSeparableError(ValueError):
    """No hyperplane separates the two classes: their convex hulls share a point.

    Attributes
    ----------
    separation : Separation
        The certificate: the common point and its two sets of convex weights.
    """

    def __init__(self, separation: Separation) -> None:
        super().__init__(separation)
        self.separation = separation

    def __str__(self) -> str:
        point = self.separation.point
        where = "" if point is None else f" {np.array2string(point, precision=4, threshold=6)}"
        return (
            "no hyperplane separates the two classes: their convex hulls share the point"
            f"{where} (its weights are in the attribute separation of this error); "
            "a soft margin, C < inf, accepts such data"
        )


def _exact_decision(w: Array, b: float, x: Array) -> Fraction:
    """Compute w·x + b without any rounding."""
    pairs = zip(w.tolist(), x.tolist(), strict=True)
    return sum((Fraction(w_j) * Fraction(x_j) for w_j, x_j in pairs), Fraction(b))


def _separates(w: Array, b: float, X: Array, y: Array) -> bool:
    """Prove or refute y_i (w·x_i + b) > 0 for all i; rational arithmetic where rounding decides."""
    margins = y * (X @ w + b)
    error = (X.shape[1] + 3) * (_EPS * (np.abs(X) @ np.abs(w) + abs(b)) + np.finfo(float).tiny)
    doubtful = np.flatnonzero(~(margins > error))
    return all(y[i] * _exact_decision(w, b, X[i]) > 0 for i in doubtful)


def separation(X: ArrayLike, y: ArrayLike) -> Separation:
    """Separate two classes by a hyperplane, or find a point common to both convex hulls.

    Exactly one of the two exists: w, b with y_i (w·x_i + b) > 0 for all i, or weights λ ≥ 0 with
    Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and Σ_{A⁺} λ_i x_i = Σ_{A⁻} λ_i x_i.

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.

    Returns
    -------
    Separation
        With its certificate; hulls that only touch are inseparable.

    Raises
    ------
    ValueError
        If the data are malformed or one class is missing.

    Notes
    -----
    Separability does not change when a column is multiplied by a number, so every column is first
    scaled to the same range. Then the closest points p, q of the hulls decide: w = p − q separates
    if it can be *proved* to (see `Separation`); otherwise p and q agree up to rounding. (The search
    for p and q stops early when a gap along p − q is in sight, half as wide as can be.) Classes
    that are further apart than the rounding of their coordinates are always told apart; classes
    nearer than that may be reported as inseparable, with a `Separation.residual` that says so.

    Derived in chapter 2, *Convex hulls*.

    Examples
    --------
    >>> separation([[0.0], [1.0], [2.0]], [-1, -1, 1]).separable
    True
    >>> touching = separation([[0.0], [1.0], [1.0], [2.0]], [-1, -1, 1, 1])
    >>> touching.point, touching.weights
    (array([1.]), array([0., 1., 1., 0.]))
    """
    X, y = check_labelled(X, y)
    Z, _, exponent = standardise(X, by_column=True)
    weights, normal = _nearest_to_origin(Z, y, cap=1.0, half_the_gap_will_do=True)
    w = np.ldexp(normal, -exponent - (np.frexp(normal)[1] - exponent).max())
    b = _halfway(w, Z @ normal, X, y)
    if _separates(w, b, X, y):
        return Separation(X, y, w=w, b=b)
    return Separation(X, y, weights=weights)


def _halfway(w: Array, heights: Array, X: Array, y: Array) -> float:
    """Return the float b nearest to halfway between the classes; heights are rough w·x_i."""
    lowest = X[np.where(y > 0, heights, np.inf).argmin()]
    highest = X[np.where(y < 0, heights, -np.inf).argmax()]
    return float(-(_exact_decision(w, 0.0, lowest) + _exact_decision(w, 0.0, highest)) / 2)


# Closest points


@dataclass(frozen=True, eq=False)
class ClosestPoints:
    """Closest points of two (reduced) convex hulls, with a bound on how far from optimal they are.

    Attributes
    ----------
    p, q : ndarray of shape (d,)
        p = Σ_{A⁺} λ_i x_i and q = Σ_{A⁻} λ_i x_i.
    weights : ndarray of shape (n,)
        λ, in [0, cap], summing to one in each class.
    cap : float
        The cap μ; 1 for the whole hulls.
    w, b : ndarray of shape (d,) and float
        The hyperplane halfway between p and q: w = p − q, b = −w·(p + q)/2. If the hulls meet,
        w is zero up to rounding and means nothing.
    distance : float
        ‖p − q‖, which is at least the distance between the hulls.
    lower_bound : float
        (min w·x over the hull of A⁺ − max w·x over the hull of A⁻)/‖w‖, or zero if that is
        negative; at most the distance between the hulls.
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
        """How far `distance` can be from the distance of the hulls: distance − lower_bound."""
        return self.distance - self.lower_bound


def closest_points(X: ArrayLike, y: ArrayLike, cap: float = 1.0) -> ClosestPoints:
    """Find the closest points of the hulls of the two classes, or of their reduced hulls.

    Minimises ‖Σ_{A⁺} λ_i x_i − Σ_{A⁻} λ_i x_i‖ subject to Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and
    0 ≤ λ_i ≤ μ. With μ = 1 these are the convex hulls; a smaller cap shrinks both towards their
    centroids, because no single point can carry more than μ of the weight.

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    cap : float
        μ, from max(1/n₊, 1/n₋) to 1.

    Returns
    -------
    ClosestPoints

    Raises
    ------
    ValueError
        If the data are malformed, or if `cap` is too small for weights that sum to one.

    Notes
    -----
    For μ = 1 the hyperplane is the optimal margin classifier. For μ < 1 its normal w is that of
    the soft margin classifier whose multipliers α satisfy μ = 2C/Σα, but the offset of the latter
    need not be halfway between p and q.

    Wolfe's algorithm is finite: it keeps a few corners of R⁺ − R⁻, the set of all differences of
    the two hulls, moves to the point of their affine hull that is nearest to the origin, drops the
    corners that the move leaves behind, and adds the corner that lies lowest along the new
    direction, until none lies lower. `ClosestPoints.gap` is of the order of the rounding error of
    one coordinate, whether the hulls are far apart or nearly touch. A step costs O(nd) and a least
    squares problem with at most d + 1 corners.

    Derived in chapter 2, *Convex hulls*; reduced hulls in chapter 6.

    References
    ----------
    Wolfe, P. (1976), "Finding the nearest point in a polytope".

    Bennett, K. P. and Bredensteiner, E. J. (2000), "Duality and geometry in SVM classifiers".

    Examples
    --------
    >>> closest = closest_points([[0.0, 0.0], [2.0, -1.0], [2.0, 1.0]], [-1, 1, 1])
    >>> closest.p, closest.distance
    (array([2., 0.]), 2.0)
    """
    X, y = check_labelled(X, y)
    cap = _check_cap(cap, y)
    Z, _, _ = standardise(X, by_column=False)
    weights, normal = _nearest_to_origin(Z, y, cap)
    return certify_weights(X, y, weights, cap, normal)


def certify_weights(
    X: Array, y: Array, weights: Array, cap: float = 1.0, normal: Array | None = None
) -> ClosestPoints:
    """Return the points with these convex weights, and the bound that their difference proves.

    A `normal` that is p − q but for rounding errors, in standardised coordinates, can be given.
    """
    Z, centre, exponent = standardise(X, by_column=False)
    p, q = weights[y > 0] @ Z[y > 0], weights[y < 0] @ Z[y < 0]
    w = p - q if normal is None else normal
    heights = y * (Z @ w)
    length, distance = np.linalg.norm(w), np.linalg.norm(p - q)
    bound = _lowest_corner(heights, y, cap) @ heights / length if length > 0 else 0.0
    return ClosestPoints(
        p=centre + np.ldexp(p, exponent),
        q=centre + np.ldexp(q, exponent),
        weights=weights,
        cap=cap,
        w=np.ldexp(w, exponent),
        b=float(-np.ldexp(w, exponent) @ (np.ldexp(p + q, exponent) / 2 + centre)),
        distance=float(np.ldexp(distance, exponent)),
        lower_bound=float(np.ldexp(np.clip(bound, 0.0, distance), exponent)),
    )


def _smallest_cap(y: Array) -> float:
    """Return max(1/n₊, 1/n₋), below which weights of one class cannot sum to one."""
    return float(1 / min(np.sum(y > 0), np.sum(y < 0)))


def _check_cap(cap: object, y: Array) -> float:
    number = check_scalar(cap, "cap", positive=True)
    smallest = _smallest_cap(y)
    if not smallest <= number <= 1:
        raise ValueError(
            f"cap must be from {smallest:.6g} to 1, got {number:.6g}: the smaller class has "
            f"{min(np.sum(y > 0), np.sum(y < 0))} points, whose weights must sum to one"
        )
    return number


def _lowest_corner(heights: Array, y: Array, cap: float) -> Array:
    """Weights of the lowest point of R⁺ − R⁻: in each class fill the smallest heights first."""
    weights = np.zeros_like(heights)
    for label in (-1, 1):
        members = np.flatnonzero(y == label)
        order = members[np.argsort(heights[members], kind="stable")]
        weights[order] = np.clip(1 - cap * np.arange(order.size), 0, cap)
    return weights


def _nearest_to_origin(
    X: Array, y: Array, cap: float, *, half_the_gap_will_do: bool = False
) -> tuple[Array, Array]:
    """Wolfe's algorithm for the point v = Σ λ_i y_i x_i of R⁺ − R⁻ nearest to the origin.

    Returns λ, and v cleaned of rounding errors, the normal of the supporting hyperplanes. On
    request, stops when the gap between these is half the widest possible and no rounding error.
    """
    if X.shape[1] > X.shape[0]:  # fewer points than features: work in their span
        basis, coordinates = np.linalg.qr(X.T)
        weights, normal = _nearest_to_origin(
            coordinates.T, y, cap, half_the_gap_will_do=half_the_gap_will_do
        )
        return weights, basis @ normal
    signed = y[:, np.newaxis] * X  # v = λ @ signed
    rounding = 2 * _EPS * np.linalg.norm(X, axis=1).max()
    normal = signed.T @ _lowest_corner(np.zeros_like(y), y, _smallest_cap(y))
    weights = _lowest_corner(signed @ normal, y, cap)
    lambdas, corners, shares = weights[np.newaxis], (weights @ signed)[np.newaxis], np.ones(1)
    normal = corners[0]

    best = (math.inf, weights, normal)
    shortest, stalled = math.inf, 0
    while stalled < 10:  # rounding can make Wolfe's strict decrease fail; then it is at its best
        weights = _lowest_corner(signed @ normal, y, cap)
        corner = weights @ signed
        length = float(np.linalg.norm(normal))
        bound = max(float(normal @ corner) / length, 0.0) if length > 0 else 0.0
        distance = float(np.linalg.norm(shares @ corners))
        gap = distance - bound
        stalled = 0 if gap < best[0] or length < shortest else stalled + 1
        shortest = min(shortest, length)
        if gap < best[0]:
            best = (gap, shares @ lambdas, normal)
        if gap <= rounding or length == 0:
            break
        if half_the_gap_will_do and bound >= max(distance / 2, 1e6 * rounding):
            break
        if len(corners) > X.shape[1] or (corners == corner).all(axis=1).any():
            break  # exact arithmetic would have stopped before
        lambdas, corners = np.vstack([lambdas, weights]), np.vstack([corners, corner])
        shares = np.append(shares, 0.0)
        while True:
            step, normal = _affine_minimum(shares, corners)
            left_behind = np.flatnonzero(shares + step < 0)
            if left_behind.size == 0:
                break
            fractions = shares[left_behind] / -step[left_behind]
            shares = shares + fractions.min() * step
            shares[left_behind[fractions.argmin()]] = 0.0
            keep = shares > 0
            lambdas, corners = lambdas[keep], corners[keep]
            shares = shares[keep] / shares[keep].sum()
        shares = shares + step

    _, weights, normal = best
    for members in (y > 0, y < 0):
        weights[members] /= weights[members].sum()
    return np.minimum(weights, cap), normal


def _affine_minimum(shares: Array, corners: Array) -> tuple[Array, Array]:
    """Find the point v of the affine hull of the corners that is nearest to the origin.

    Returns the step of the shares that leads there, and v. Where the hulls nearly touch, v is a
    small difference of large numbers, and what rounding leaves of it along the affine hull would
    tilt the supporting hyperplanes; so v is made orthogonal to the affine hull once more.
    """
    directions, R = np.linalg.qr((corners[1:] - corners[0]).T)
    diagonal = np.abs(np.diag(R))
    dependent = diagonal <= _EPS * diagonal.max(initial=0.0)
    R[dependent, dependent] = np.inf  # no step along a direction that is only rounding
    step = solve_triangular(R, -(shares @ corners) @ directions, check_finite=False)
    step = np.append(-step.sum(), step)
    v = (shares + step) @ corners
    directions = directions[:, ~dependent]
    return step, v - directions @ (v @ directions)


# The largest cap that separates


@dataclass(frozen=True, eq=False)
class SeparatingCap:
    """For which caps μ the reduced hulls are disjoint: those from `smallest` up to `supremum`.

    Attributes
    ----------
    supremum : float
        The reduced hulls are disjoint for μ < supremum and meet for μ ≥ supremum; 1 if the hulls
        themselves are disjoint, so that no cap is needed (then they are disjoint at μ = 1 too).
    smallest : float
        max(1/n₊, 1/n₋), the smallest cap for which both reduced hulls exist.
    weights : ndarray of shape (n,), or None
        Convex weights, none above `supremum`, of a point common to both reduced hulls: they prove
        that no larger cap separates. None if the hulls are disjoint.
    lower_bound : float
        Every cap below it separates, by linear programming duality; `supremum` up to rounding.
    """

    supremum: float
    smallest: float
    weights: Array | None
    lower_bound: float

    @property
    def hulls_disjoint(self) -> bool:
        """Whether even μ = 1 separates: the data are linearly separable."""
        return self.weights is None

    @property
    def none_separates(self) -> bool:
        """Whether no cap helps: the reduced hulls meet even at the smallest cap."""
        return self.weights is not None and self.supremum <= self.smallest


def largest_separating_cap(X: ArrayLike, y: ArrayLike) -> SeparatingCap:
    """Find the supremum of the caps μ at which the reduced hulls are disjoint.

    It is the smallest cap at which they meet, a linear program: minimise μ subject to
    Σ_{A⁺} λ_i x_i = Σ_{A⁻} λ_i x_i, Σ_{A⁺} λ_i = Σ_{A⁻} λ_i = 1 and 0 ≤ λ_i ≤ μ.

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.

    Returns
    -------
    SeparatingCap
        Which also says if the hulls are disjoint without a cap, and if no cap helps (as when both
        classes have the same size and the same centroid).

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

    Derived in chapter 6, *The hinge loss*.

    References
    ----------
    Crisp, D. J. and Burges, C. J. C. (1999), "A geometric interpretation of ν-SVM classifiers".
    """
    X, y = check_labelled(X, y)
    smallest = _smallest_cap(y)
    whole = separation(X, y)
    if whole.separable:
        return SeparatingCap(supremum=1.0, smallest=smallest, weights=None, lower_bound=1.0)
    if smallest == 1.0:  # one class is a single point, and the hull of the other contains it
        return SeparatingCap(1.0, smallest, whole.weights, smallest)
    Z, _, _ = standardise(X, by_column=True)
    weights, _ = _nearest_to_origin(Z, y, smallest)
    if np.linalg.norm((weights * y) @ Z) <= 8 * _EPS * np.linalg.norm(Z, axis=1).max():
        return SeparatingCap(smallest, smallest, weights, smallest)

    n, d = Z.shape
    signed = y[:, np.newaxis] * Z
    no_more_than_cap = hstack([identity(n), csr_array(-np.ones((n, 1)))], format="csr")
    equations = np.zeros((d + 2, n + 1))
    equations[:d, :n] = signed.T
    equations[d, :n], equations[d + 1, :n] = y > 0, y < 0
    solution = linprog(
        c=np.append(np.zeros(n), 1.0),
        A_ub=no_more_than_cap,
        b_ub=np.zeros(n),
        A_eq=equations,
        b_eq=np.append(np.zeros(d), [1.0, 1.0]),
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    weights = solution.x[:n]
    marginals = solution.eqlin.marginals
    levels = np.where(y > 0, marginals[d], marginals[d + 1])
    violations = np.maximum(levels + signed @ marginals[:d], 0)
    return SeparatingCap(
        supremum=float(weights.max()),
        smallest=smallest,
        weights=weights,
        lower_bound=float((marginals[d] + marginals[d + 1]) / violations.sum()),
    )
