"""Checks for chapter 5, Kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from svmlib.book.exercises._frame import call, report


def check_rbf_gram(function: Callable[..., Any]) -> None:
    """Check ``rbf_gram(X, Z, gamma)``, the Gram matrix of the RBF kernel without loops."""
    random = np.random.RandomState(50)

    def problems() -> Iterator[str]:
        for n, m, d, gamma in ((5, 3, 2, 0.3), (4, 4, 2, 1.0), (3, 7, 1, 2.0), (6, 5, 4, 0.1)):
            X, Z = random.standard_normal((n, d)), random.standard_normal((m, d))
            K = np.asarray(call(function, X, Z, gamma), dtype=np.float64)
            squared = cdist(X, Z, "sqeuclidean")
            if K.shape == (m, n) != (n, m):
                yield "it is transposed: rows must belong to X and columns to Z."
            elif K.shape != (n, m):
                yield f"for {n} and {m} points it must have shape ({n}, {m}), not {K.shape}."
            elif not np.allclose(K, np.exp(-gamma * squared), atol=1e-12):
                yield from _rbf_mistake(K, X, Z, gamma)
        X = np.array([1e9, -1e9]) + np.arange(20.0)[:, np.newaxis]
        K = np.asarray(call(function, X, X[:5], 0.01), dtype=np.float64)
        if not np.allclose(K, np.exp(-0.01 * cdist(X, X[:5], "sqeuclidean")), atol=1e-9):
            yield (
                "it loses the digits of points far from the origin, here near (1e9, −1e9): its "
                f"values reach {K.max():.3g}. Distances do not change if you first move the origin "
                "into the middle of the data."
            )
        X = random.standard_normal((200, 3))
        if np.asarray(call(function, X, X, 1.0)).max() > 1:
            yield "rounding makes some values exceed 1: a squared distance must not be negative."

    report(function, problems())


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
            phi = np.asarray(call(function, X), dtype=np.float64)
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

    report(function, problems())


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
            if bool(call(function, K.copy())) != expected:
                yield message

    report(function, problems())


def check_kernel_perceptron(function: Callable[..., Any]) -> None:
    """Check ``kernel_perceptron(K, y)``, the number of mistakes on each sample."""
    random = np.random.RandomState(53)

    def problems() -> Iterator[str]:
        for n in (2, 8, 30):
            X = random.standard_normal((n, 2))
            y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
            K = np.exp(-2 * cdist(X, X, "sqeuclidean"))
            c = np.asarray(call(function, K, y), dtype=np.float64)
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

    report(function, problems())


def _perceptron(K: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Count the mistakes of the perceptron, in order, until a pass makes none."""
    c, before = np.zeros(y.size), np.full(y.size, -1.0)
    while (c != before).any():
        before = c.copy()
        for i in range(y.size):
            c[i] += y[i] * (K[i] @ (c * y)) <= 0
    return c
