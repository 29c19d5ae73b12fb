"""Newton's method for the support vector machine: fast where SMO crawls, and exact.

The hinge has a corner, where Newton's method has no second derivative to go by. So the corner is
rounded off, by a little and only for a while: each stage minimises a smooth function in a few steps,
each step one system of equations as large as there are free multipliers, and what the rounding has
displaced goes into the next stage, until nothing of it is left. With this module you can

- solve any convex `svmlib.duality.DualProblem` with `newton`,
- follow its steps: how many multipliers were free, and how far each step could go.

Derived in chapter 9, *Beyond SMO*.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_scalar
from svmlib.duality import DualProblem, Solution, check_problem
from svmlib.kernels import BLOCK, Kernel, Linear, PointwiseKernel, against, expansion

__all__ = ["NewtonStep", "newton"]

_EPS = float(np.finfo(float).eps)
_WHOLE = 1000  # up to here K is kept whole
_DIRECT = 700  # up to here a start from a quarter of the samples saves nothing
_COLD, _WARM = 2.0, 0.2  # how wide the smoothing is at first, in units of y f(x)
_ROUGH = 0.2  # where a start for a larger problem is good enough, in the same units
_EXACT = 0.2
_PIVOTS, _RESIDUAL = 200, 1e-6
_LARGEST = 1000.0  # no multiplier is expected to be larger, in units of 1 / k(x, x)

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class NewtonStep:
    """One step of `newton`.

    Attributes
    ----------
    n : int
        The number of samples of the problem: less than all for a start from some of them.
    h : float
        The smoothing of the stage.
    free : int
        The number of free multipliers, and of equations.
    length : float
        How much of Newton's step was taken.
    slope : float
        The slope of the stage's objective along the step, before it.
    """

    n: int
    h: float
    free: int
    length: float
    slope: float


def newton(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    callback: Callable[[NewtonStep], object] | None = None,
    trace: bool = False,
) -> Solution:
    problem = check_problem(problem)
    tol = check_scalar(tol, "tol", positive=True)
    journal = _Journal(check_count(max_iter, "max_iter"), callback)
    if not problem.convex:
        raise ValueError(
            "kernel must be positive semidefinite for Newton's method, but the Gram matrix of these "
            "points is not, or is too large to look; `svmlib.smo.smo` does not mind"
        )
    beta, b = _solve(problem, tol / 2, journal)
    solution = problem.solution(
        np.clip(np.abs(beta), 0, problem.upper),
        b,
        n_iter=len(journal.steps),
        converged=True,
        trace=tuple(journal.steps) if trace else (),
    )
    certificate = solution.certificate
    if not (certificate.optimal_to(tol) and certificate.kkt_violation <= tol):
        solution = replace(solution, converged=False)
        warnings.warn(
            f"newton stopped after {solution.n_iter} steps with a duality gap of "
            f"{certificate.gap:.3g} (primal {certificate.primal:.6g}, dual "
            f"{certificate.dual:.6g}) and a KKT violation of {certificate.kkt_violation:.3g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return solution


@dataclass
class _Journal:
    """The steps taken so far, and whom to tell."""

    max_iter: int
    callback: Callable[[NewtonStep], object] | None
    steps: list[NewtonStep] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.steps) >= self.max_iter

    def write(self, step: NewtonStep) -> None:
        self.steps.append(step)
        if self.callback is not None:
            self.callback(step)


def _solve(problem: DualProblem, tol: float, journal: _Journal, end: float = 0.0):
    """Return β and b, where n is large from a start that a smaller problem gives."""
    n, y = problem.n, problem.y
    K = _gram(problem)
    if n <= _DIRECT:
        return _follow(K, problem, np.zeros(n), 0.0, np.zeros(n), _COLD, tol, journal, end)
    Phi = _low_rank(problem)
    if Phi is not None:
        beta, b = _solve(DualProblem(Phi, y, problem.upper), tol, journal, end)
        return _follow(K, problem, beta, b, K.times(beta) + b, _ROUGH, tol, journal, end)
    rng = np.random.default_rng(n)
    classes = (rng.permutation(np.flatnonzero(y == sign)) for sign in (-1, 1))
    part = np.concatenate([members[: max(1, members.size // 4)] for members in classes])
    share = part.size / n  # of the samples, so their C must be larger for the same hyperplane
    sub = DualProblem(problem.X[part], y[part], problem.upper[part] / share, problem.kernel)
    rough, b = _solve(sub, tol, journal, _ROUGH)
    s = expansion(problem.kernel, sub.X, rough, problem.X) + b
    beta = np.zeros(n)
    beta[part] = rough
    return _follow(K, problem, beta, b, s, _WARM, tol, journal, end)


def _low_rank(problem):
    """Return Φ with ΦΦᵀ as good as K, and few columns, if there is one."""
    n = problem.n
    if isinstance(problem.kernel, Linear) or not isinstance(problem.kernel, PointwiseKernel):
        return None
    some = np.random.default_rng(n).permutation(n)[: _PIVOTS + n // 20]
    size = float(problem.diagonal.mean())
    U, pivots, rank, _ = dpstrf(problem.kernel(problem.X[some], problem.X[some]), tol=_RESIDUAL * size)
    if rank > some.size // 2:
        return None
    corners = problem.X[some[pivots[:rank] - 1]]
    Phi = problem.kernel(problem.X, corners)
    Phi = dtrsm(1.0, U[:rank, :rank], Phi, side=1, lower=0)
    return np.ascontiguousarray(Phi)


def _follow(K, problem, beta, b, s, window, tol, journal, end):
    """Return β and b at the end of the stages."""
    y, C = problem.y, problem.upper
    lo, hi = np.minimum(0, y * C), np.maximum(0, y * C)
    size = float(np.abs(problem.diagonal).mean()) or 1.0
    scale = min(float(C.mean()), _LARGEST / size)
    floor = 8 * _EPS * problem.n * float(np.abs(problem.diagonal).max())
    c = _clip(beta, lo, hi)
    if c.any():
        scale = min(scale, float(c @ c / np.abs(c).sum()))
    h = max(window / scale, floor)
    while not journal.full and not _done(C, y, c, beta, b, s, tol):
        p = c + (y - s) / h
        q = _clip(p, lo, hi)
        near = np.flatnonzero((np.abs(p - q) <= scale) | (beta != q))
        block, near = K.restrict(near)
        outside = float(beta.sum() - beta[near].sum())
        try:
            found, b_new = _stage(
                block, y[near], lo[near], hi[near], beta[near], b, s[near], c[near], h, outside, tol, journal
            )
        except LinAlgError:
            break
        change = np.zeros(problem.n)
        change[near] = found - beta[near]
        s += K.times(change) + (b_new - b)
        beta, b = beta + change, b_new
        c = _clip(beta, lo, hi)
        if h * scale <= end:
            break
        h = max(h / 2, floor)
    return c, b


def _done(C, y, c, beta, b, s, tol):
    if not c.any():
        return False
    alpha, margin = np.abs(c), y * s
    if np.abs(c - beta).max() > 1e-9 * alpha.max():
        return False
    violation = max((1 - margin).max(where=alpha < C, initial=0), (margin - 1).max(where=alpha > 0, initial=0))
    if violation > tol:
        return False
    if np.isinf(C[0]):
        return True
    hinge = C @ np.maximum(0, 1 - margin)
    gap = hinge - alpha @ (1 - margin)
    return gap <= tol * (c @ (s - b) / 2 + hinge)


def _clip(v, lo, hi):
    return np.minimum(np.maximum(v, lo), hi)


def _solve_free(K, free, h, target, total):
    """Return v and b with (K_FF + hI) v + b = target and Σ v = total."""
    right = np.ones((free.size, 2), order="F")
    right[:, 0] = target
    v, ones = K.solve(free, h, right).T
    b = float((v.sum() - total) / ones.sum())
    return v - b * ones, b


def _stage(K, y, lo, hi, beta, b, s, c, h, outside, tol, journal):
    r"""Return the β and b that minimise one stage's objective."""
    Kbeta = K.times(beta)
    base = s - Kbeta - b  # what the multipliers outside contribute
    while not journal.full:
        p = c + (y - s) / h
        q = _clip(p, lo, hi)
        inside = (p > lo) & (p < hi)
        free = np.flatnonzero(inside)
        delta = q - beta
        delta_b = 0.0
        if free.size:
            target = h * delta[free]
            delta[free] = 0
            target -= K.times(delta)[free]
            total = -outside - float(beta.sum() + delta.sum())
            delta[free], delta_b = _solve_free(K, free, h, target, total)
        elif abs(q.sum() + outside) > 1e-12 * np.abs(q).sum():  # only b can help
            delta, delta_b = np.zeros_like(q), float(np.sign(q.sum() + outside))
        Kdelta = K.times(delta)
        ds = Kdelta + delta_b
        linear = delta @ Kbeta - outside * delta_b
        noise = 16 * _EPS * (np.abs(delta) @ np.abs(Kbeta) + np.abs(q) @ np.abs(ds))
        slope, length = _search(p, ds, lo, hi, h, linear, delta @ Kdelta)
        if -slope <= noise:
            break
        journal.write(NewtonStep(y.size, h, free.size, length, slope))
        beta, b = beta + length * delta, b + length * delta_b
        Kbeta += length * Kdelta
        s = Kbeta + base + b
        if length == 1:
            p_new = c + (y - s) / h
            if ((p_new > lo) == (p > lo)).all() and ((p_new < hi) == (p < hi)).all():
                break
            move = _clip(beta, lo, hi) - c
            if -slope <= h * (move @ move) and h * np.abs(move).max() > tol:
                break
    return beta, b


def _search(p, ds, lo, hi, h, linear, quadratic):
    """Return slope at 0, and the length of the step at which the slope is as good as zero."""

    def slope(t):
        moved = p - t / h * ds
        q = _clip(moved, lo, hi)
        return linear + t * quadratic - q @ ds, quadratic + ds @ (ds * (moved == q)) / h

    start = slope(0.0)[0]
    t, low, high = 1.0, 0.0, np.inf
    for _ in range(50):
        value, curvature = slope(t)
        if abs(value) <= _EXACT * abs(start):
            break
        if value > 0:
            high = t
        else:
            low = t
        t = t - value / curvature if curvature > 0 else np.inf
        if not low < t < high:
            t = (low + high) / 2 if high < np.inf else 2 * low + 1
    return start, t


# K in three forms, each of which knows K v and (K_FF + hI)⁻¹


def _gram(problem):
    if isinstance(problem.kernel, Linear):
        return _Factored(problem.X)
    if problem.n <= _WHOLE:
        return _Whole(problem.gram())
    return _Rows(problem)


def _cholesky(A, h, right):
    """Return (A + hI)⁻¹ right; A is overwritten."""
    A.flat[:: len(A) + 1] += h
    factor, failed = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        raise LinAlgError
    return dpotrs(factor, right, lower=1)[0]


class _Whole:
    def __init__(self, K):
        self.K = K

    def restrict(self, near):
        return self, slice(None)

    def times(self, v):
        return self.K @ v

    def solve(self, free, h, right):
        return _cholesky(self.K[free[:, None], free], h, right)


class _Factored:
    def __init__(self, Phi):
        self.Phi = Phi

    def restrict(self, near):
        return self, slice(None)

    def times(self, v):
        used = np.flatnonzero(v)
        if 3 * used.size < v.size:
            return self.Phi @ (v[used] @ self.Phi[used])
        return self.Phi @ (v @ self.Phi)

    def solve(self, free, h, right):
        Phi = self.Phi[free]
        if Phi.shape[1] >= free.size:
            return _cholesky(Phi @ Phi.T, h, right)

        def woodbury(r):
            return (r - Phi @ _cholesky(Phi.T @ Phi, h, Phi.T @ r)) / h

        x = woodbury(right)
        return x + woodbury(right - Phi @ (Phi.T @ x) - h * x)


class _Rows:
    def __init__(self, problem):
        self.kernel, self.X = problem.kernel, problem.X
        self.write = against(self.kernel, self.X)
        self.rows = np.empty((min(problem.n, problem._capacity), problem.n))
        self.place = np.full(problem.n, -1)
        self.kept = 0

    def keep(self, wanted):
        """Evaluate rows that are wanted and not there, as many as there is room for."""
        new = wanted[self.place[wanted] < 0][: len(self.rows) - self.kept]
        step = max(1, BLOCK // self.place.size)
        for some in (new[i : i + step] for i in range(0, new.size, step)):
            end = self.kept + some.size
            self.write(self.X[some], self.rows[self.kept : end])
            self.place[some] = np.arange(self.kept, end)
            self.kept = end

    def restrict(self, near):
        return _Whole(self.block(near)), near

    def times(self, v):
        used = np.flatnonzero(v)
        self.keep(used)
        kept = self.place[used] >= 0
        weights = np.zeros(self.kept)
        weights[self.place[used[kept]]] = v[used[kept]]
        rest = used[~kept]
        return weights @ self.rows[: self.kept] + expansion(self.kernel, self.X[rest], v[rest], self.X)

    def block(self, near):
        if self.kept + near.size <= len(self.rows):
            self.keep(near)
        if (self.place[near] >= 0).all():
            return self.rows[self.place[near][:, None], near]
        out = np.empty((near.size, near.size))
        write = against(self.kernel, self.X[near])
        step = max(1, BLOCK // near.size)
        for i in range(0, near.size, step):
            write(self.X[near[i : i + step]], out[i : i + step])
        return out

    def solve(self, free, h, right):
        return _cholesky(self.block(free), h, right)
