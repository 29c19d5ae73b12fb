"""Rounding: the error of one operation, and sums and bounds that include all such errors.

Each operation on floats returns the exact result times 1 + δ, −u ≤ δ ≤ u = 2⁻⁵³. So a sum of n
products, added in any order, is off by at most γ_n times the sum of their sizes,

    γ_n = n u / (1 − n u).

Results too small to be normal floats also have an absolute error, which is below 2⁻¹⁰⁷⁴. With this
module you can

- bound the error of n operations: `gamma_n`, `round_up`, `round_down`,
- centre and scale points with next to no rounding, and bound the norms of rows:
  `centre_and_scale`, `row_norm_bounds`,
- multiply as if in twice the precision, and add or multiply without any rounding:
  `compensated_dot`, `exact_sum`, `exact_dot`,
- print a bound so that it stays valid, `format_bound`, and a number with few digits:
  `in_few_digits`, `format_exactly`.

Higham, N. J. (2002), "Accuracy and Stability of Numerical Algorithms", chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from math import fsum, inf

import numpy as np
from numpy.typing import NDArray

from svmlib._arrays import Array

UNIT_ROUNDOFF = 2.0**-53  # u, the largest relative error of one operation
EPS = 2 * UNIT_ROUNDOFF  # the distance from 1 to the next float
SMALLEST_SUBNORMAL = 2.0**-1074  # the smallest positive float
SMALLEST_NORMAL = 2.0**-1022  # the smallest that has all its digits
LARGEST_FLOAT = float(np.finfo(float).max)
MAX_NORM = 1e150  # of ‖w‖ and the like: below, squares are floats with room to spare
# Operations of a bound besides its sums: no formula here has more than ten of them, and the others
# are for the rounding of γ and of the bound itself.
SPARE_OPERATIONS = 20


def gamma_n(n: int) -> float:
    """Return γ_n = n u / (1 − n u), itself rounded up; infinity if there is no bound."""
    nu = n * UNIT_ROUNDOFF
    return nu / (1 - nu) * (1 + 4 * UNIT_ROUNDOFF) if nu < 0.5 else inf


def round_up(value: float, operations: int = 0) -> float:
    """Return a number at or above the exact result; infinity for NaN.

    The value was computed in `operations` and `SPARE_OPERATIONS` others, on numbers of one sign,
    so each operation changes the result by at most u times itself. `value` must already include
    the errors of differences and of underflow.
    """
    error = gamma_n(operations + SPARE_OPERATIONS)
    bound = value * (1 + error) if value >= 0 else value * (1 - error)
    return bound if bound < inf else inf


def round_down(value: float, operations: int = 0) -> float:
    """Return a number at or below the exact result: `round_up` with the other sign."""
    return -round_up(-value, operations)


def centre_and_scale(
    X: Array, name: str = "X", *, by_column: bool
) -> tuple[Array, Array, NDArray[np.int32]]:
    """Return (Z, c, e): X = c + 2^e Z with entries of Z in (−1, 1); one e, or one per column.

    For the c and e returned, Z is off by at most u abs(Z), or by 2⁻¹⁰⁷³ if that underflows, because
    only the subtraction of c rounds. One e for all columns scales all distances alike. With it,
    coordinates above 5e151 are refused, because squares of distances could overflow, and a spread
    below 2e-152, because the rounding u of such a square would underflow.
    """
    centre = X.min(axis=0) / 2 + X.max(axis=0) / 2
    Z = X - centre
    spread = np.abs(Z).max(axis=0 if by_column else None)
    if not by_column and (np.abs(X).max() > 5e151 or 0 < spread < 2e-152):
        accepted = "coordinates below 5e151 and a spread above 2e-152"
        raise ValueError(f"{name} must have {accepted}: rescale {name}")
    exponent = np.frexp(spread)[1]
    return np.ldexp(Z, -exponent), centre, exponent


def squared_norms(A: Array) -> Array:
    """Return ‖a_i‖² of the rows of A."""
    return np.asarray(np.einsum("ij,ij->i", A, A))


def row_norm_bounds(A: Array) -> Array:
    """Return upper bounds on the norms ‖a_i‖ of the rows of A; infinity where squares overflow.

    A row that is not zero gets at least 2⁻⁵⁰⁰, so that what underflows in its squares, or in a
    product a_i·a_j, is far below u times the product of the two bounds. The root halves the error
    of the sum, which leaves room for the rounding of a row and of the sum of two bounds.
    """
    with np.errstate(over="ignore"):
        squares = squared_norms(A)
    relative = gamma_n(A.shape[1] + 4)  # the sum; the root, 1 + γ, a product and a sum
    nonzero = squares > 0 if squares.all() else A.any(axis=1)  # squares of small numbers may be 0
    return np.sqrt(squares) * (1 + relative) + 2.0**-500 * nonzero


def compensated_dot(weights: Array, A: Array) -> tuple[Array, Array]:
    """Return weights @ A, each entry a compensated dot product, and bounds on the errors.

    This is Dot2 of Ogita, Rump and Oishi, as accurate as in twice the precision: the error of every
    product and sum is computed and added at the end, so the total error is a few u of the result
    and γ_n² of the sizes of the terms. If something overflows, the result is the plain sum with an
    infinite error.

    References
    ----------
    Ogita, T., Rump, S. M. and Oishi, S. (2005), "Accurate sum and dot product".
    """
    n = len(weights)
    total, lost, sizes = np.zeros((3, A.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, n, 512):  # rows that fit into a processor's cache
            block = slice(start, start + 512)
            products, errors = _two_product(weights[block, None], A[block])
            sizes = sizes + np.abs(products).sum(axis=0)
            sums = np.cumsum(np.concatenate([total[None], products]), axis=0)
            before, total = sums[:-1], sums[-1]
            # TwoSum (Knuth): with b' = s − a, a + b = s + (a − (s − b')) + (b − b').
            arrived = sums[1:] - before
            lost = lost + (errors + (before - (sums[1:] - arrived)) + (products - arrived)).sum(0)
        result = total + lost
        tiny = 8 * (n + 1) * SMALLEST_SUBNORMAL
        error = 4 * UNIT_ROUNDOFF * np.abs(result) + gamma_n(n + 8) ** 2 * sizes + tiny
        finite = np.isfinite(error)  # then the result is, too
        if not finite.all():
            result, error = np.where(finite, result, weights @ A), np.where(finite, error, np.inf)
        return result, error


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return p = fl(a b), and e with p + e = a b except for over- and underflow (Dekker 1971)."""
    p = a * b
    (a1, a2), (b1, b2) = _veltkamp_split(a), _veltkamp_split(b)
    return p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)


def _veltkamp_split(a: Array) -> tuple[Array, Array]:
    """Return two numbers of 26 bits each whose sum is a (Veltkamp)."""
    c = 134217729.0 * a  # 2²⁷ + 1
    high = c - (c - a)
    return high, a - high


def exact_sum(values: Array) -> float:
    """Return the sum of floats, rounded once; +∞ if a partial sum overflows, or for ∞ − ∞."""
    try:
        return fsum(values[values != 0].tolist())
    except (OverflowError, ValueError):
        return inf


def exact_dot(a: Array, b: Array) -> Fraction:
    """Return a·b of two finite vectors without any rounding, in some microseconds per term."""
    nonzero = (a != 0) & (b != 0)
    terms = zip(a[nonzero].tolist(), b[nonzero].tolist(), strict=True)
    return sum((Fraction(p) * Fraction(q) for p, q in terms), Fraction(0))


def format_bound(value: float, *, up: bool = True, digits: int = 6) -> str:
    """Return an upper bound, or with ``up=False`` a lower bound, in a few digits: also a bound."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.create_decimal_from_float(value)
    if abs(value) < SMALLEST_NORMAL:  # a float so small has too few digits
        return f"{rounded.normalize(context):g}"
    return f"{float(rounded):.{digits}g}"


def in_few_digits(x: float, bound: Callable[[float], float]) -> float:
    """Return x in so few digits that the bound grows by at most a part in 10⁹."""
    highest = bound(x) * (1 + 1e-9)
    shorter = (float(f"{x:.{digits}g}") for digits in (6, 9, 12))
    return next((value for value in shorter if bound(value) <= highest), x)


def format_exactly(value: float) -> str:
    """Return all digits of a number, without the fraction of a whole number."""
    return repr(float(value)).removesuffix(".0")
