"""What rounding can do, bounded: the few facts on which every certificate of the library rests.

Each operation on floats returns the exact result times 1 + δ with |δ| ≤ u = 2⁻⁵³, so the sum of n
products, added in whatever order, is off by at most γ_n times the sum of their sizes, where

    γ_n = n u / (1 − n u).

Results too small to be normal floats are off by an absolute 2⁻¹⁰⁷⁴ besides.

Derived in chapter 4, *Lagrange duality*. N. J. Higham (2002), "Accuracy and Stability of Numerical
Algorithms", chapter 3.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from svmlib._validation import Array

UNIT = 2.0**-53
TINIEST = 2.0**-1074
SUMMED = 512  # terms summed at a time, so that rounding grows with n/512 + 512 rather than n


def gamma(n: int) -> float:
    """Return γ_n = n u / (1 − n u), itself rounded up; infinity where the bound says nothing."""
    return n * UNIT / (1 - n * UNIT) * (1 + 4 * UNIT) if n * UNIT < 0.5 else float("inf")


def up(value: float, operations: int = 4) -> float:
    """Return a number above the exact result of a few operations on numbers of one sign."""
    return (
        value * (1 + gamma(operations + 1)) if value >= 0 else value * (1 - gamma(operations + 1))
    )


def down(value: float, operations: int = 4) -> float:
    """Return a number below the exact result of a few operations on numbers of one sign."""
    return -up(-value, operations)


def blocks(n: int) -> list[slice]:
    """Cut n terms into blocks, to be summed one by one and then together."""
    return [slice(start, start + SUMMED) for start in range(0, n, SUMMED)] or [slice(0, 0)]


def terms(n: int) -> int:
    """Return k such that a sum of n products in `blocks` is off by at most γ_k of their sizes."""
    return min(n, SUMMED) + len(blocks(n))


def weighted_sum(A: Array, weights: Array) -> Array:
    """Return Σ_i weights_i A_i over the rows of A, in `blocks`."""
    total = weights[:0] @ A[:0]
    for block in blocks(len(weights)):
        total = total + weights[block] @ A[block]
    return total


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return p and e with p = fl(a b) and p + e = a b (Dekker 1971), where nothing overflows."""
    p = a * b
    (a1, a2), (b1, b2) = _split(a), _split(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def _split(a: Array) -> tuple[Array, Array]:
    """Return two halves of 26 bits each that add up to a."""
    c = 134217729.0 * a  # 2²⁷ + 1
    high = c - (c - a)
    return high, a - high


def accurate_sum(A: Array, weights: Array) -> tuple[Array, Array]:
    """Return Σ_i weights_i A_i over the rows of A as if in twice the precision, and its error.

    What every product and every sum loses is computed and added in the end (Ogita, Rump and Oishi
    2005), so the error is a few u of the result and γ_n² of the sizes of the terms.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        result, error = _accurate_sum(A, weights)
    sound = np.isfinite(error) & np.isfinite(result)
    return np.where(sound, result, weights @ A), np.where(sound, error, np.inf)


def _accurate_sum(A: Array, weights: Array) -> tuple[Array, Array]:
    """Return the sum and its error, or NaN and infinity where something overflows."""
    total, lost, sizes = np.zeros((3, A.shape[1]))
    for block in blocks(len(weights)):
        products, errors = _two_product(weights[block, None], A[block])
        sizes = sizes + np.abs(products).sum(axis=0)
        sums = np.cumsum(np.concatenate([total[None], products]), axis=0)
        before, total = sums[:-1], sums[-1]
        kept = sums[1:] - before  # what of each product has arrived (Knuth)
        lost = lost + (errors + (before - (sums[1:] - kept)) + (products - kept)).sum(axis=0)
    result = total + lost
    n = len(weights)
    return result, 4 * UNIT * np.abs(result) + 2 * gamma(n + 8) ** 2 * sizes + 8 * (n + 1) * TINIEST


def sum_in_pairs(A: Array) -> Array:
    """Return Σ_i A_i over the rows of A, added as a tree: off by γ_k of the sizes, k = ⌈log₂ n⌉."""
    while len(A) > 1:
        half = len(A) // 2
        A = np.concatenate([A[:half] + A[half : 2 * half], A[2 * half :]])
    return np.asarray(A.sum(axis=0))


def tree_depth(n: int) -> int:
    """Return ⌈log₂ n⌉, how many additions in a row `sum_in_pairs` makes."""
    return max(n - 1, 0).bit_length()


def exact_dot(a: Array, b: Array) -> Fraction:
    """Return a·b of two finite vectors without any rounding, at some microseconds a term."""
    used = (a != 0) & (b != 0)
    terms = zip(a[used].tolist(), b[used].tolist(), strict=True)
    return sum((Fraction(p) * Fraction(q) for p, q in terms), Fraction(0))


def radius(A: Array) -> float:
    """Return R with ‖a_i‖ ≤ R for every row."""
    largest = float(np.abs(A).max())  # so that no square underflows
    scaled = A / (largest or 1.0)
    return up(largest * float(np.sqrt(np.square(scaled).sum(axis=1).max())), A.shape[1] + 6)
