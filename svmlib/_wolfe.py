"""Wolfe's algorithm: the point nearest to the origin in the difference of two (reduced) hulls.

R⁺ − R⁻ is the set of all differences of a point of one hull and a point of the other. In a reduced
hull no weight exceeds a cap. `svmlib.hulls` explains the use of the nearest point.

Derived in chapter 2, *Convex hulls*; reduced hulls in chapter 6, *The soft margin*.

Wolfe, P. (1976), "Finding the nearest point in a polytope".
"""

from __future__ import annotations

from math import fsum, inf

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from svmlib._arrays import Array
from svmlib._rounding import UNIT_ROUNDOFF

_MAX_CYCLES = 100_000  # of which fewer than two per point are usual
_PROOF_FACTOR = 1e6  # times rounding: half of a gap this wide can be proved


def lowest_vertex_weights(projections: Array, y: Array, cap: float) -> Array:
    """Return the weights of a vertex of R⁺ − R⁻ that minimises Σ λ_i h_i, for the projections h.

    In each class the smallest projections get the cap, until the weights sum to one.
    """
    weights = np.zeros_like(projections)
    for label in (-1, 1):
        members = np.flatnonzero(y == label)
        order = members[np.argsort(projections[members], kind="stable")]
        weights[order] = np.clip(1 - cap * np.arange(order.size), 0, cap)
    return weights


def nearest_to_origin(
    X: Array, y: Array, cap: float, *, half_the_gap: bool = False
) -> tuple[Array, Array]:
    """Find the point v = Σ λ_i y_i x_i of R⁺ − R⁻ nearest to the origin, by Wolfe's algorithm.

    Returns λ, and v made orthogonal to its face (`_affine_minimum`), the normal of the supporting
    hyperplanes. With `half_the_gap` the search stops once the gap between these is proved to be
    half of the widest possible, and is far above rounding.
    """
    if X.shape[1] <= X.shape[0]:
        return _major_cycles(X, y, cap, half_the_gap)
    basis, coordinates = np.linalg.qr(X.T)  # fewer points than features: work in their span
    weights, normal = _major_cycles(coordinates.T, y, cap, half_the_gap)
    return weights, basis @ normal


def _major_cycles(X: Array, y: Array, cap: float, half_the_gap: bool) -> tuple[Array, Array]:
    """Do what `nearest_to_origin` does, for at most as many features as points.

    Each major cycle adds a vertex, and a minor cycle drops vertices that the step leaves behind.
    """
    signed = y[:, np.newaxis] * X  # v = λ @ signed
    norm_error = 4 * UNIT_ROUNDOFF * np.linalg.norm(X, axis=1).max()
    centroids = (y / np.where(y > 0, np.sum(y > 0), np.sum(y < 0))) @ X  # their difference
    weights = lowest_vertex_weights(signed @ centroids, y, cap)
    # The vertices that are kept, the λ of each, and their convex coefficients.
    lambdas = weights[np.newaxis]
    vertices = (weights @ signed)[np.newaxis]
    coefficients = np.ones(1)

    normal = vertices[0]
    smallest_norm = smallest_gap = inf
    stalls = 0
    for _ in range(_MAX_CYCLES):
        # The hulls are at most ‖v‖ apart, and at least as far as the lowest vertex along v.
        weights = lowest_vertex_weights(signed @ normal, y, cap)
        vertex = weights @ signed
        norm = float(np.linalg.norm(normal))
        distance = float(np.linalg.norm(coefficients @ vertices))
        bound = max(float(normal @ vertex) / (norm or 1.0), 0.0)
        stalls = stalls + 1 if distance - bound >= smallest_gap and norm >= smallest_norm else 0
        if distance - bound < smallest_gap:
            smallest_gap = distance - bound
            best = coefficients @ lambdas, normal
        if half_the_gap and bound >= max(distance / 2, _PROOF_FACTOR * norm_error):
            break
        # Each vertex shortens v or closes the gap, until only rounding is left, which may hide the
        # gain of a single step. With d + 1 vertices the origin is in their hull: the hulls meet.
        if min(smallest_gap, norm) <= norm_error or stalls > 1 or len(vertices) > X.shape[1]:
            break
        # Add the lowest vertex, and go to the nearest point of the vertices' hull.
        lambdas = np.vstack([lambdas, weights])
        vertices = np.vstack([vertices, vertex])
        coefficients, kept, normal = _minor_cycle(np.append(coefficients, 0.0), vertices)
        lambdas = lambdas[kept]
        vertices = vertices[kept]
        smallest_norm = min(smallest_norm, norm)
    weights, normal = best
    plus, minus = (fsum(weights[y == label]) for label in (1, -1))
    return np.minimum(weights / np.where(y > 0, plus, minus), cap), normal


def _minor_cycle(coefficients: Array, vertices: Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Go towards the nearest point of the vertices' affine hull, and drop vertices on the way.

    Returns the coefficients of the vertices that are kept, the indices of these vertices, and the
    new point, which is the nearest point of their affine hull.
    """
    kept = np.arange(len(coefficients))
    while True:
        step, point = _affine_minimum(coefficients, vertices[kept])
        left_behind = np.flatnonzero(coefficients + step < 0)
        if left_behind.size == 0:
            # A vertex whose coefficient is 0 would block the next step.
            positive = coefficients + step > 0
            return (coefficients + step)[positive], kept[positive], point
        fractions = coefficients[left_behind] / -step[left_behind]
        coefficients = coefficients + fractions.min() * step
        coefficients[left_behind[fractions.argmin()]] = 0.0
        kept = kept[coefficients > 0]
        coefficients = coefficients[coefficients > 0]
        coefficients = coefficients / coefficients.sum()


def _affine_minimum(coefficients: Array, vertices: Array) -> tuple[Array, Array]:
    """Find the point v of the affine hull of the vertices that is nearest to the origin.

    Returns the step of the coefficients that leads there, and v. If the hulls nearly touch, v is
    a small difference of large numbers, and its rounding errors along the affine hull would tilt
    the supporting hyperplanes; so v is made orthogonal to the affine hull once more.
    """
    directions, R = np.linalg.qr((vertices[1:] - vertices[0]).T)
    diagonal = np.abs(np.diag(R))
    dependent = diagonal <= 2 * UNIT_ROUNDOFF * diagonal.max(initial=0.0)
    R[dependent, dependent] = np.inf  # no step along a direction that is only rounding
    step = solve_triangular(R, -(coefficients @ vertices) @ directions, check_finite=False)
    step = np.append(-step.sum(), step)
    v = (coefficients + step) @ vertices
    directions = directions[:, ~dependent]
    return step, v - directions @ (v @ directions)
