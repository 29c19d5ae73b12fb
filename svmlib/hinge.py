r"""The hinge loss: a support vector machine as a sum of losses, trained by subgradients.

The slack ξ_i of the soft margin is max(0, 1 − y_i f(x_i)), so the constraints can be dropped and
what remains is a convex function of w and b with kinks. With this module you can

- compare the losses that classifiers are trained with, as functions of the functional margin
  m = y f(x): `hinge`, `squared`, `absolute`, `logistic`;
- evaluate the primal objective and a subgradient: `primal_objective`, `subgradient`;
- minimise it by `subgradient_descent`, or one random point at a time by `pegasos`, until a
  duality gap proves that little is left to gain.

Three scalings of the objective are in use. They have the same minimisers:

.. math::
    \tfrac12 \lVert w \rVert^2 + C \sum_i \ell_i
    \;=\; C \Bigl( \tfrac{\lambda'}{2} \lVert w \rVert^2 + \sum_i \ell_i \Bigr)
    \;=\; C n \Bigl( \tfrac{\lambda}{2} \lVert w \rVert^2 + \tfrac1n \sum_i \ell_i \Bigr),
    \qquad \lambda' = \frac1C, \quad \lambda = \frac1{Cn}.

This module uses C, except `pegasos`, which uses λ of the last form, as its authors do.

Derived in chapter 6, *The hinge loss*.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from svmlib._rounding import TINIEST, down, gamma, radius, up
from svmlib._validation import (
    Array,
    as_float,
    check_count,
    check_labelled,
    check_reach,
    check_scalar,
    check_vector,
)

__all__ = [
    "HingeSolution",
    "HingeStep",
    "absolute",
    "best_bias",
    "hinge",
    "logistic",
    "pegasos",
    "primal_objective",
    "squared",
    "subgradient",
    "subgradient_descent",
]

# Losses


def hinge(margin: ArrayLike) -> Array:
    """Compute the hinge loss max(0, 1 − m) of functional margins m = y f(x).

    Zero where the point is on the right side with a margin of at least one, and an upper bound on
    the number of mistakes (one where m ≤ 0). Derived in chapter 6, *The hinge loss*.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> hinge([-1.0, 0.0, 1.0, 3.0])
    array([2., 1., 0., 0.])
    """
    return np.maximum(0.0, 1.0 - as_float(margin, "margin"))


def squared(margin: ArrayLike) -> Array:
    """Compute the squared loss (1 − m)² of functional margins m = y f(x).

    It equals (y − f(x))² because y² = 1, and punishes points that are right by more than one.
    Derived in chapter 6, *The hinge loss*.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> squared([-1.0, 1.0, 3.0])
    array([4., 0., 4.])
    """
    return np.square(1.0 - as_float(margin, "margin"))


def absolute(margin: ArrayLike) -> Array:
    """Compute the absolute loss abs(1 − m) of functional margins m = y f(x).

    It equals abs(y − f(x)) because abs(y) = 1, and is the hinge loss where m ≤ 1.
    Derived in chapter 6, *The hinge loss*.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> absolute([-1.0, 1.0, 3.0])
    array([2., 0., 2.])
    """
    return np.abs(1.0 - as_float(margin, "margin"))


def logistic(margin: ArrayLike) -> Array:
    """Compute the logistic loss log(1 + exp(−m)) of functional margins m = y f(x), base e.

    Divided by log 2 it is one at m = 0 and bounds the number of mistakes like the hinge loss.
    No margin is too large or too small for it. Derived in chapter 6, *The hinge loss*.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> logistic([0.0, 1e300]).round(4)
    array([0.6931, 0.    ])
    """
    return np.logaddexp(0.0, -as_float(margin, "margin"))


# The objective


def primal_objective(w: ArrayLike, b: float, X: ArrayLike, y: ArrayLike, C: float) -> float:
    """Compute the primal objective ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)).

    Parameters
    ----------
    w : array_like of shape (d,)
    b : float
        The bias, which is not regularised.
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float
        The soft-margin constant, positive.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is not as above.

    Notes
    -----
    Derived in chapter 6, *The hinge loss*.

    Examples
    --------
    >>> primal_objective([1.0], -1.0, [[1.0], [3.0]], [-1, 1], C=10)
    10.5
    """
    w, b, X, y, C = _check_problem(w, b, X, y, C)
    return float(w @ w / 2 + C * hinge(y * (X @ w + b)).sum())


def subgradient(
    w: ArrayLike, b: float, X: ArrayLike, y: ArrayLike, C: float
) -> tuple[Array, float]:
    """Compute a subgradient (g_w, g_b) of the primal objective F at (w, b).

    With the sums over the points with a margin y_i (w·x_i + b) < 1,
    g_w = w − C Σ y_i x_i and g_b = −C Σ y_i. Then F(w', b') ≥ F(w, b) + g_w·(w' − w) + g_b (b' − b)
    for all w' and b'. It is the gradient unless a margin is exactly one; there the loss has a kink,
    every slope from −1 to 0 is right, and this function takes 0.

    Parameters
    ----------
    w, b, X, y, C
        As for `primal_objective`.

    Returns
    -------
    g_w : ndarray of shape (d,)
    g_b : float

    Raises
    ------
    ValueError
        If an argument is not as there.

    Notes
    -----
    Derived in chapter 6, *The hinge loss*.

    Examples
    --------
    >>> subgradient([2.0], 0.0, [[1.0], [3.0]], [-1, 1], C=1)
    (array([3.]), 1.0)
    """
    w, b, X, y, C = _check_problem(w, b, X, y, C)
    inside = y * (X @ w + b) < 1
    return w - C * (y[inside] @ X[inside]), float(-C * y[inside].sum())


def _check_problem(
    w: ArrayLike, b: float, X: ArrayLike, y: ArrayLike, C: float
) -> tuple[Array, float, Array, Array, float]:
    X, y = check_labelled(X, y)
    w = check_vector(w, "w", length=X.shape[1])
    return w, check_scalar(b, "b"), X, y, check_scalar(C, "C", positive=True)


# Descent


@dataclass(frozen=True, eq=False)
class HingeStep:
    """An iterate of a descent, with the two bounds on the minimum known at that time.

    Attributes
    ----------
    n_iter : int
        Steps taken so far.
    w, b : ndarray of shape (d,) and float
        The iterate.
    primal : float
        Its objective, rounded up: an upper bound on the minimum. It need not fall from step to
        step.
    dual : float
        A lower bound on the minimum, rounded down.

    Examples
    --------
    >>> start, *_ = subgradient_descent([[0.0], [2.0]], [-1, 1], C=1, trace=True).trace
    >>> start.w, start.dual, round(start.primal, 9)
    (array([0.]), 0.0, 2.0)
    """

    n_iter: int
    w: Array
    b: float
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class HingeSolution:
    """What `subgradient_descent` and `pegasos` return.

    Attributes
    ----------
    w, b : ndarray of shape (d,) and float
        The iterate with the lowest objective.
    alpha : ndarray of shape (n,)
        Multipliers that prove the lower bound `dual`. They are in their box, and where Σ α_i y_i
        has to be zero, scaling down the heavier class makes it so: `dual` belongs to those.
    primal, dual : float
        Upper and lower bound on the minimum, in the scaling of the function that returned them,
        for the floats given taken as exact numbers: roundings are bounded and go outwards.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the gap reached the tolerance.
    trace : tuple of HingeStep
        The iterates if asked for, else empty.

    Examples
    --------
    >>> solution = subgradient_descent([[0.0], [2.0]], [-1, 1], C=1, tol=1e-6)
    >>> solution.dual <= 0.5 <= solution.primal, solution.converged
    (True, True)
    """

    w: Array
    b: float
    alpha: Array
    primal: float
    dual: float
    n_iter: int
    converged: bool
    trace: tuple[HingeStep, ...] = ()

    @property
    def gap(self) -> float:
        """The duality gap, primal − dual: (w, b) is at most this far above the minimum."""
        return self.primal - self.dual


def best_bias(scores: ArrayLike, y: ArrayLike) -> tuple[float, NDArray[np.bool_]]:
    """Minimise Σ max(0, 1 − y_i (s_i + b)) over b, for scores s_i = w·x_i.

    The loss of point i has its kink at b = y_i − s_i; as b grows past a kink, the slope of the sum
    grows by one. It starts at −n₊, so it is zero from the kink number n₊ (in order of size) to the
    next one, and any b between the two is optimal.

    Parameters
    ----------
    scores : array_like of shape (n,)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.

    Returns
    -------
    b : float
        The middle of the optimal interval.
    active : ndarray of bool, shape (n,)
        One minimising choice of slopes: −y_i where true, 0 elsewhere; Σ y_i over it is zero.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Notes
    -----
    Derived in chapter 6, *The hinge loss*.

    Examples
    --------
    >>> best_bias([-5.0, 3.0], [-1, 1])[0]
    1.0
    """
    _, y = check_labelled(np.zeros((np.size(y), 1)), y)
    return _best_bias(check_vector(scores, "scores", length=y.size), y)


def _best_bias(scores: Array, y: Array) -> tuple[float, NDArray[np.bool_]]:
    kinks = y - scores
    order = np.argsort(kinks, kind="stable")
    n_plus = int(np.sum(y > 0))
    below = np.zeros(y.size, dtype=np.bool_)
    below[order[:n_plus]] = True
    low, high = kinks[order[n_plus - 1]], kinks[order[n_plus]]
    return float(low + (high - low) / 2), np.where(y < 0, below, ~below)


class _Best:
    """The best bounds of a descent so far, and its iterates if they are to be kept."""

    def __init__(self, tol: float, trace: bool) -> None:
        self.tol, self.trace = tol, trace
        self.primal, self.dual = math.inf, -math.inf
        self.steps: list[HingeStep] = []

    def add(
        self, n_iter: int, w: Array, b: float, primal: float, alpha: Array, dual: float
    ) -> bool:
        """Take note of an iterate, and say whether the gap has reached the tolerance."""
        self.n_iter = n_iter
        if primal <= self.primal:
            self.primal, self.w, self.b = primal, w, b
        if dual >= self.dual:
            self.dual, self.alpha = dual, alpha
        if self.trace:
            self.steps.append(HingeStep(n_iter, w, b, primal, self.dual))
        return self.converged

    @property
    def converged(self) -> bool:
        return self.primal - self.dual <= self.tol * self.primal < math.inf

    def solution(self, effort: str) -> HingeSolution:
        """Return the result, with a warning if the gap is not what was asked for."""
        if not self.converged:
            gap = self.primal - self.dual
            warnings.warn(
                f"{effort} with a duality gap of {gap:.3g}, which is {gap / self.primal:.3g} of "
                f"the objective and not below tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        return HingeSolution(
            self.w,
            self.b,
            self.alpha,
            self.primal,
            self.dual,
            self.n_iter,
            self.converged,
            tuple(self.steps),
        )


def primal_above(w: Array, losses: Array, lam: float, C: float) -> float:
    """Bound λ/2 ‖w‖² + C Σ losses from above, for losses that are already bounds."""
    n_operations = len(w) + len(losses) + 8
    return up(lam * float(w @ w) / 2 + C * float(losses.sum()), n_operations) + TINIEST * len(w)


def dual_below(w: Array, total: float, error: float, lam: float) -> float:
    """Bound λ (total − ½ ‖w + e‖²) from below, for every e no longer than the error."""
    if total == 0:  # then all multipliers are zero
        return 0.0
    length = up(up(float(np.linalg.norm(w)), len(w) + 4) + error)
    return down(lam * (total - up(length * length / 2)), 4) - TINIEST * len(w)


def subgradient_descent(
    X: ArrayLike,
    y: ArrayLike,
    C: float,
    *,
    tol: float = 1e-3,
    step: Literal["polyak", "diminishing"] = "polyak",
    max_iter: int = 100_000,
    trace: bool = False,
) -> HingeSolution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) by subgradient descent with a duality gap.

    At every step b is the best for the current w (`best_bias`), the slopes at the kinks are chosen
    so that :math:`g_b = 0`, and w follows the subgradient that remains:

    .. math::
        w \leftarrow w - \eta\, g, \qquad g = w - C \sum_{i \in \text{active}} y_i x_i .

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float
        The soft-margin constant, positive and finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the objective.
    step : {"polyak", "diminishing"}
        The step size η: ``"polyak"``, min(1, gap/‖g‖²) with the current duality gap, or
        ``"diminishing"``, 2/(t + 1) at step t = 1, 2, ….
    max_iter : int, default 100,000
        The most steps.
    trace : bool, default False
        Whether to keep every iterate.

    Returns
    -------
    HingeSolution
        With a `sklearn.exceptions.ConvergenceWarning` that names the gap if max_iter was reached.

    Raises
    ------
    ValueError
        If an argument is not as above, or if the numbers that arise are beyond floats.

    Notes
    -----
    *The gap costs little.* Let s be the vector with C at the active points and 0 elsewhere. It is
    feasible for the dual: 0 ≤ s ≤ C, and Σ s_i y_i = 0 because b was best. The step is
    w ← (1 − η) w + η Σ s_i y_i x_i, so if α ← (1 − η) α + η s goes with it, then w = Σ α_i y_i x_i
    throughout, α stays feasible, and D(α) = Σ α_i − ½‖w‖² is a lower bound on the minimum.

    *Why it converges.* F(w) = min_b of the objective is convex, and the gap F(w) − D(α) is the
    slope of D from α towards s: this is also the method of Frank and Wolfe on the dual, and the
    step of ``"polyak"`` is the exact maximiser along that line. It lifts D by at least
    ½ min(gap, gap²/‖g‖²). With R the largest distance of two sums Σ s_i y_i x_i, both rules have
    D within 2R²/(t + 2) of the maximum after t ≥ 1 steps, and the smallest gap so far is O(R²/t).
    R grows with C and with the features: the harder the margin, the slower. (Polyak's own step
    has the minimum in place of D(α), and so needs to know what it is looking for.)

    Derived in chapter 6, *The hinge loss*.

    References
    ----------
    Polyak, B. T. (1969), "Minimization of unsmooth functionals".

    Jaggi, M. (2013), "Revisiting Frank-Wolfe: projection-free sparse convex optimization".

    Bach, F. (2015), "Duality between subgradient and conditional gradient methods".

    Examples
    --------
    >>> solution = subgradient_descent([[0.0], [1.0], [3.0]], [-1, -1, 1], C=10)
    >>> solution.w.round(2), round(solution.b, 2)
    (array([1.]), -2.0)
    """
    X, y = check_labelled(X, y)
    C = check_scalar(C, "C", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    if step not in ("polyak", "diminishing"):
        raise ValueError(f"step must be 'polyak' or 'diminishing', got {step!r}")

    check_reach(radius(X), C * y.size, "C")

    origin = X.mean(axis=0)  # neither F nor D knows where the origin is, but rounding does
    Z = X - origin
    R = radius(Z)
    alpha: Array = np.zeros(y.size)
    best = _Best(tol, trace)
    for t in range(max_iter + 1):
        w = (alpha * y) @ Z
        scores = Z @ w
        b, active = _best_bias(scores, y)
        primal = _soft_margin_primal(w, b, scores, y, C, R, origin)
        dual = _soft_margin_dual(w, alpha, y, R)
        if best.add(t, w, float(b - w @ origin), primal, alpha, dual) or t == max_iter:
            break
        s = C * active
        g = w - (s * y) @ Z
        if step == "polyak":
            eta = (primal - dual) / max(primal - dual, float(g @ g))
        else:
            eta = 2 / (t + 2)  # the first step has t = 0
        alpha = np.clip((1 - eta) * alpha + eta * s, 0, C)
    return best.solution(f"subgradient_descent stopped after {t} steps")


def _soft_margin_primal(
    w: Array, b: float, scores: Array, y: Array, C: float, R: float, origin: Array
) -> float:
    """Bound the objective at (w, b − w·origin) from above, that bias being rounded to a float.

    A score is off by γ_{d+1} ‖w‖ R at most (Z has one rounding), the bias by γ_{d+1} of its terms.
    """
    bias_terms = 2 * abs(b) + float(np.abs(w) @ np.abs(origin))
    slack = gamma(len(w) + 8) * (float(np.linalg.norm(w)) * R + bias_terms + 1)
    return primal_above(w, np.maximum(1 - y * (scores + b) + slack, 0), 1.0, C)


def _soft_margin_dual(w: Array, alpha: Array, y: Array, R: float) -> float:
    """Bound D(α) from below, for α scaled down in the heavier class until Σ α_i y_i = 0.

    Both sums then are the smaller one. w = Σ α_i y_i z_i is off by γ_{m+1} R Σ α_i where m
    multipliers are not zero, and the scaling moves it by R times the difference of the sums.
    """
    m = int(np.count_nonzero(alpha))
    sums = float(alpha[y > 0].sum()), float(alpha[y < 0].sum())
    error = up((abs(sums[0] - sums[1]) + gamma(2 * m + 6) * sum(sums)) * R)
    return dual_below(w, down(2 * min(sums), m + 4), error, 1.0)


def pegasos(
    X: ArrayLike,
    y: ArrayLike,
    lam: float,
    *,
    bias: Literal["none", "regularised"] = "none",
    tol: float = 1e-2,
    n_epochs: int = 1000,
    seed: int | None = 0,
    trace: bool = False,
) -> HingeSolution:
    r"""Minimise (λ/2)‖w‖² + (1/n) Σ max(0, 1 − y_i w·x_i), one random point at a time.

    Step t draws a point i and follows a subgradient of its share of the objective, with the step
    size 1/(λt):

    .. math::
        w \leftarrow \Bigl( 1 - \frac1t \Bigr) w
            + \frac{1}{\lambda t}\, y_i x_i \, [\, y_i\, w \cdot x_i < 1 \,].

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    lam : float
        λ, positive; λ = 1/(Cn) in terms of the soft-margin constant.
    bias : {"none", "regularised"}
        The theory of Pegasos needs a strongly convex objective, and one with a free bias is not.
        ``"none"``: the hyperplane goes through the origin, b = 0. ``"regularised"``: X gets a
        column of ones whose weight is b, and the objective (λ/2)(‖w‖² + b²) + … is *another
        problem*, near the usual one only where b is small. For the usual one use
        `subgradient_descent`.
    tol : float, default 1e-2
        Stop after an epoch in which the duality gap is at most `tol` times the objective.
    n_epochs : int, default 1000
        The most epochs, of n steps each.
    seed : int or None, default 0
        Seed of the random order; None for a different one each time.
    trace : bool, default False
        Whether to keep the iterate at the end of every epoch.

    Returns
    -------
    HingeSolution
        Of the problem above: `primal` and `dual` are values in the λ form, and `alpha` is in
        [0, 1/(λn)], with Σ α_i y_i x_i for the w at the end of its epoch; the `w` returned may be
        that of another epoch, with a lower objective. With a
        `sklearn.exceptions.ConvergenceWarning` that names the gap if n_epochs was reached.

    Raises
    ------
    ValueError
        If an argument is not as above, or if the numbers that arise are beyond floats.

    Notes
    -----
    By induction w = Σ_i c_i y_i x_i/(λt), where c_i counts the steps that found point i inside the
    margin. Each epoch visits every point once, in a new random order, so at its end c_i ≤ t/n and
    α_i = c_i/(λt) ≤ 1/(λn): feasible for the dual, which without a free bias has no other
    constraint. So λ(Σα_i − ½‖w‖²) is a lower bound that holds whatever the order was. (The
    published rate, an expected error of O(log t/(λt)), is for independent draws.)

    Derived in chapter 6, *The hinge loss*.

    References
    ----------
    Shalev-Shwartz, S., Singer, Y., Srebro, N. and Cotter, A. (2011), "Pegasos: primal estimated
    sub-gradient solver for SVM".

    Examples
    --------
    >>> solution = pegasos([[-2.0], [-1.0], [1.0]], [-1, -1, 1], lam=0.1)
    >>> solution.dual <= 0.05 <= solution.primal, solution.b
    (True, 0.0)
    """
    X, y = check_labelled(X, y)
    lam = check_scalar(lam, "lam", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    n_epochs = check_count(n_epochs, "n_epochs")
    if bias not in ("none", "regularised"):
        raise ValueError(f"bias must be 'none' or 'regularised', got {bias!r}")
    if not (seed is None or (isinstance(seed, int | np.integer) and seed >= 0)):
        raise ValueError(f"seed must be a non-negative integer or None, got {seed!r:.80}")

    n, d = X.shape
    Z = y[:, np.newaxis] * (np.column_stack([X, np.ones(n)]) if bias == "regularised" else X)
    check_reach(radius(Z), 1 / lam, "lam")
    R, most = radius(Z), down(1 / (lam * n))
    rng = np.random.default_rng(seed)
    v, counts, t = np.zeros(Z.shape[1]), np.zeros(n), 0
    best = _Best(tol, trace)
    for _ in range(n_epochs):
        for i in rng.permutation(n):
            t += 1
            inside = Z[i] @ v < 1
            v = (1 - 1 / t) * v
            if inside:
                v += Z[i] / (lam * t)
                counts[i] += 1
        alpha = np.minimum(counts / (lam * t), most)
        primal, dual = _pegasos_bounds(v, alpha, Z, R, lam)
        if best.add(t, v[:d], float(v[d:].sum()), primal, alpha, dual):  # no bias: an empty sum
            break
    return best.solution(f"pegasos stopped after {n_epochs} epochs")


def _pegasos_bounds(v: Array, alpha: Array, Z: Array, R: float, lam: float) -> tuple[float, float]:
    """Bound the objective at v from above, and λ (Σ α_i − ½ ‖Σ α_i z_i‖²) from below.

    A margin is off by γ_d ‖v‖ R at most and the last sum by γ_n R Σ α_i. (It is v, but for the
    rounding that has piled up over the steps.)
    """
    n, d = Z.shape
    slack = gamma(d + 8) * (float(np.linalg.norm(v)) * R + 1)
    primal = primal_above(v, np.maximum(1 - Z @ v + slack, 0), lam, 1 / n)
    total = float(alpha.sum())
    error = up(gamma(n + 6) * total * R)
    return primal, dual_below(alpha @ Z, down(total, n + 4), error, lam)
