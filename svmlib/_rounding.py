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
from svmlib.certificate import TINIEST, UNIT, accurate_sum, down, gamma, radius, up

__all__ = ["TINIEST", "UNIT", "accurate_sum", "down", "gamma", "radius", "up"]  # live there now

SUMMED = 512  # terms summed at a time, so that rounding grows with n/512 + 512 rather than n


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
