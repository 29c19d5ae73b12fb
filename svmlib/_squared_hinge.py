"""Newton's method for the squared hinge, which has no corner.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq

from svmlib._arrays import Array
from svmlib._rounding import UNIT_ROUNDOFF
from svmlib.newton import MAX_NEWTON_STEPS

_ARMIJO = 1e-4  # of the decrease that its slope promises: a step that gains less is too long
_MIN_STEP_LENGTH = 1e-8  # of a Newton step: if no longer one gains enough, only rounding is left


def minimise_squared_hinge(Phi: Array, y: Array, C: Array, free_bias: bool) -> tuple[Array, Array]:
    """Return α, and the w that minimises ½‖w‖² + Σ C_i max(0, 1 − y_i f(x_i))².

    By Newton's method with a line search. A free bias is the last entry of w. If C is large,
    rounding makes Σ α_i y_i φ(x_i) differ from w.

    References
    ----------
    Keerthi, S. S. and DeCoste, D. (2005), "A modified finite Newton method for fast solution of
    large scale linear SVMs".
    """
    A = y[:, None] * (np.column_stack([Phi, np.ones(y.size)]) if free_bias else Phi)
    w = np.zeros(A.shape[1])
    ridge = np.ones(A.shape[1])
    ridge[Phi.shape[1] :] = 0  # the bias

    def value(w: Array) -> float:
        return float(ridge @ w**2 / 2 + C @ np.maximum(0, 1 - A @ w) ** 2)

    old = value(w)
    for _ in range(MAX_NEWTON_STEPS):
        slack = np.maximum(0, 1 - A @ w)
        active = A[slack > 0]
        H = np.diag(ridge) + 2 * active.T @ (C[slack > 0, None] * active)
        descent = 2 * A.T @ (C * slack) - ridge * w
        # On overflow the current w still has a valid, though small, dual value. By Cauchy and
        # Schwarz the gradient is a float if H and the value are.
        if not np.isfinite(H).all():
            break
        step = lstsq(H, descent)[0]
        length, gain = 1.0, _ARMIJO * float(descent @ step)
        while (new := value(w + length * step)) > old - length * gain and length > _MIN_STEP_LENGTH:
            length /= 2
        if new > old:
            break
        w = w + length * step
        gain, old = old - new, new
        if gain <= 8 * UNIT_ROUNDOFF * old:
            # The last step gains nothing, but it makes α better.
            break
    return 2 * C * np.maximum(0, 1 - A @ w), w
