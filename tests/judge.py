"""The judge of every certificate: primal and dual values in 60 digits, the floats given as exact.

It shares nothing with the library: kernels by their formulas, sums as they are written.
"""

import mpmath as mp
import numpy as np

from svmlib.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid

mp.mp.dps = 60


def exact(values) -> list:
    return [mp.mpf(float(value)) for value in values]


def gram(kernel, X) -> mp.matrix:
    points = [exact(row) for row in X]
    K = mp.matrix(len(points))
    for i, x in enumerate(points):
        for j, z in enumerate(points[: i + 1]):
            K[i, j] = K[j, i] = value(kernel, x, z)
    return K


def value(kernel, x, z):
    product = mp.fdot(x, z)
    match kernel:
        case Linear():
            return product
        case Polynomial(degree, gamma, coef0):
            return (mp.mpf(gamma) * product + mp.mpf(coef0)) ** degree
        case RBF(gamma):
            return mp.exp(-mp.mpf(gamma) * mp.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
        case Sigmoid(gamma, coef0):
            return mp.tanh(mp.mpf(gamma) * product + mp.mpf(coef0))
        case Precomputed():
            return mp.mpf(kernel.K[int(x[0]), int(z[0])])
    raise TypeError(kernel)


def assert_within(bound, kernel, X, computed) -> None:
    """Check that sizes bound the exact kernel values, and θ times sizes what floats have lost."""
    theta, sizes, true = bound.theta, bound.norms, gram(kernel, X)
    for i, j in np.ndindex(true.rows, true.cols):
        size = mp.mpf(float(sizes[i])) * mp.mpf(float(sizes[j]))
        assert abs(true[i, j]) <= size
        assert abs(mp.mpf(float(computed[i, j])) - true[i, j]) <= mp.mpf(float(theta)) * size


class Judge:
    """One problem in exact numbers: C is infinite or one number a sample."""

    def __init__(self, problem) -> None:
        self.K = gram(problem.kernel, problem.X)
        self.y, self.n = exact(problem.y), problem.n
        self._last = [], []
        self.upper = None if np.isinf(problem.upper[0]) else exact(problem.upper)

    def accept(self, certificate, alpha, b):
        """Check that all that a certificate says of (α, b) is true."""
        assert mp.mpf(certificate.dual) <= self.dual(alpha)
        assert mp.mpf(certificate.primal) >= self.primal(alpha, b)
        assert mp.mpf(certificate.norm_w) >= self.norm(alpha)
        assert mp.mpf(certificate.kkt_violation) >= self.violation(alpha, b)
        assert mp.mpf(certificate.infeasibility) >= self.infeasibility(alpha)

    def _sums(self, alpha) -> list:
        """Return Kβ, that of the last α without work."""
        beta = self._signed(alpha)
        if beta != self._last[0]:
            self._last = beta, [mp.fdot(self.K[i, :], beta) for i in range(self.n)]
        return self._last[1]

    def primal(self, alpha, b):
        """Return the value of (α, b), for the hard margin that of its canonical form."""
        half = mp.fdot(self._signed(alpha), self._sums(alpha)) / 2
        return self.value(half, self.margins(alpha, b))

    def margins(self, alpha, b) -> list:
        sums = zip(self.y, self._sums(alpha), strict=True)
        return [s * (v + mp.mpf(float(b))) for s, v in sums]

    def value(self, half, margins):
        """Return the primal value of ½‖w‖² and functional margins."""
        if self.upper is None:
            return half / min(margins) ** 2 if min(margins) > 0 else mp.inf
        short = [max(mp.mpf(0), 1 - m) for m in margins]
        return half + mp.fdot(self.upper, short)

    def _signed(self, alpha) -> list:
        return [a * s for a, s in zip(exact(alpha), self.y, strict=True)]

    def norm(self, alpha):
        return mp.sqrt(max(0, mp.fdot(self._signed(alpha), self._sums(alpha))))

    def violation(self, alpha, b):
        return self.violation_of(self.margins(alpha, b), alpha)

    def violation_of(self, margins, alpha):
        upper = self.upper or [mp.inf] * self.n
        return max(
            max(mp.mpf(0), 1 - m if a < C else 0, m - 1 if a > 0 else 0)
            for m, a, C in zip(margins, exact(alpha), upper, strict=True)
        )

    def infeasibility(self, alpha):
        above = [a - C for a, C in zip(exact(alpha), self.upper or [mp.inf] * self.n, strict=True)]
        return max(0, -min(exact(alpha)), max(above), abs(mp.fsum(self._signed(alpha))))

    def dual(self, alpha):
        """Return the value of the feasible multipliers that α becomes by clipping and scaling."""
        alpha = [max(mp.mpf(0), a) for a in exact(alpha)]
        if self.upper is not None:
            alpha = [min(a, C) for a, C in zip(alpha, self.upper, strict=True)]
        plus = mp.fsum(a for a, s in zip(alpha, self.y, strict=True) if s > 0)
        minus = mp.fsum(alpha) - plus
        least = min(plus, minus)
        factor = {1: least / (plus or 1), -1: least / (minus or 1)}
        beta = mp.matrix([a * factor[int(s)] * s for a, s in zip(alpha, self.y, strict=True)])
        return 2 * least - (beta.T * self.K * beta)[0] / 2
