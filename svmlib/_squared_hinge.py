"""The squared hinge, for the verdicts of `svmlib.exchange` on machines that minimise it.

Derived in chapter 15, *Other programs*.
"""

import numpy as np
from scipy.linalg import lstsq

from svmlib._rounding import UNIT_ROUNDOFF
from svmlib._validation import Array


def squared_hinge(Phi: Array, y: Array, C: Array, free: bool) -> tuple[Array, float]:
    """Return α and b of the squared hinge, by Newton's method with a line search."""
    A = y[:, None] * (np.column_stack([Phi, np.ones(y.size)]) if free else Phi)
    ridge = np.ones(A.shape[1])
    if free:
        ridge[-1] = 0
    w = np.zeros(A.shape[1])

    def value(w: Array) -> float:
        return float(ridge @ w**2 / 2 + C @ np.maximum(0, 1 - A @ w) ** 2)

    old = value(w)
    for _ in range(200):
        slack = np.maximum(0, 1 - A @ w)
        active = A[slack > 0]
        H = np.diag(ridge) + 2 * active.T @ (C[slack > 0, None] * active)
        step, length = lstsq(H, 2 * A.T @ (C * slack) - ridge * w)[0], 1.0
        while (new := value(w + length * step)) > old and length > 1e-8:
            length /= 2
        if new > old:
            break
        w, gain, old = w + length * step, old - new, new
        if gain <= 8 * UNIT_ROUNDOFF * old:  # (its last step gains nothing, but makes α better)
            break
    return 2 * C * np.maximum(0, 1 - A @ w), float(w[-1]) if free else 0.0
