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

import warnings
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import (
    Array,
    as_float,
    check_count,
    check_labelled,
    check_scalar,
    check_vector,
)
from svmlib.certificate import (
    TINIEST,
    Certificate,
    accurate_sum,
    down,
    dual_below,
    gamma,
    primal_above,
    up,
)
from svmlib.problem import DualProblem

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
    """An iterate of a descent, with the two values that it computes on the way.

    Attributes
    ----------
    n_iter : int
        Steps taken so far.
    w, b : ndarray of shape (d,) and float
        The iterate.
    primal : float
        Its objective. It need not fall from step to step.
    dual : float
        The largest dual value so far.

    Examples
    --------
    >>> start, *_ = subgradient_descent([[0.0], [2.0]], [-1, 1], C=1, trace=True).trace
    >>> start.w, start.dual, start.primal
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
        The multipliers with the highest dual value.
    certificate : Certificate
        What both prove, in the scaling of the function that returned them: the primal value is that
        of (w, b), all the rest is about the multipliers and their own hyperplane.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the relative gap reached the tolerance.
    trace : tuple of HingeStep
        The iterates if asked for, else empty.

    Examples
    --------
    >>> solution = subgradient_descent([[0.0], [2.0]], [-1, 1], C=1, tol=1e-6)
    >>> solution.certificate.dual <= 0.5 <= solution.certificate.primal, solution.converged
    (True, True)
    """

    w: Array
    b: float
    alpha: Array
    certificate: Certificate
    n_iter: int
    converged: bool
    trace: tuple[HingeStep, ...] = ()


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
    """The best (w, b) and the best multipliers of a descent so far, and its iterates if wanted."""

    def __init__(self, tol: float, trace: bool) -> None:
        self.tol, self.keep = tol, trace
        self.primal, self.dual = np.inf, -np.inf
        self.trace: list[HingeStep] = []

    def add(
        self, n_iter: int, w: Array, b: float, primal: float, alpha: Array, dual: float
    ) -> bool:
        """Take note of an iterate, and say whether the gap has reached the tolerance."""
        self.n_iter = n_iter
        if primal <= self.primal:
            self.primal, self.w, self.b = primal, w, b
        if dual >= self.dual:
            self.dual, self.alpha = dual, alpha
        if self.keep:
            self.trace.append(HingeStep(n_iter, w, b, primal, self.dual))
        return self.primal - self.dual <= self.tol * self.primal

    def solution(self, certificate: Certificate, effort: str) -> HingeSolution:
        """Return the result, with a warning if the gap is not what was asked for."""
        converged = certificate.optimal_to(self.tol)
        if not converged:
            warnings.warn(
                f"{effort} with a duality gap of {certificate.gap:.3g}, which is "
                f"{certificate.relative_gap:.3g} of the objective and not below tol={self.tol:g}",
                ConvergenceWarning,
                stacklevel=3,
            )
        found = self.w, self.b, self.alpha, certificate
        return HingeSolution(*found, self.n_iter, converged, tuple(self.trace))


def _value_above(w: Array, b: float, X: Array, y: Array, C: float) -> float:
    """Bound ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) from above: a score is a sum of d + 1 terms."""
    d = w.size
    error = gamma(d + 6) * (np.abs(X) @ np.abs(w) + abs(b)) + (d + 1) * TINIEST
    squared_norm = up(float(w @ w), d + 4) + d * TINIEST
    return primal_above(squared_norm, y * (X @ w + b) - error, C)


def subgradient_descent(
    X: ArrayLike,
    y: ArrayLike,
    C: float,
    *,
    tol: float = 1e-3,
    max_iter: int = 100_000,
    trace: bool = False,
) -> HingeSolution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) by subgradient descent with a duality gap.

    At every step b is the best for the current w (`best_bias`), the slopes at the kinks are chosen
    so that :math:`g_b = 0`, and w follows the subgradient that remains:

    .. math::
        w \leftarrow w - \eta\, g, \qquad g = w - C \sum_{i \in \text{active}} y_i x_i,
        \qquad \eta = \min(1, \text{gap} / \|g\|^2) .

    Parameters
    ----------
    X : array_like of shape (n, d)
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float
        The soft-margin constant, positive and finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the objective.
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
        If an argument is not as above.

    Notes
    -----
    *The gap costs little.* Let s be the vector with C at the active points and 0 elsewhere. It is
    feasible for the dual: 0 ≤ s ≤ C, and Σ s_i y_i = 0 because b was best. The step is
    w ← (1 − η) w + η Σ s_i y_i x_i, so if α ← (1 − η) α + η s goes with it, then w = Σ α_i y_i x_i
    throughout, α stays feasible, and D(α) = Σ α_i − ½‖w‖² is a lower bound on the minimum.

    *Why it converges.* F(w) = min_b of the objective is convex, and the gap F(w) − D(α) is the
    slope of D from α towards s: this is also the method of Frank and Wolfe on the dual, and η is
    the exact maximiser along that line. It lifts D by at least ½ min(gap, gap²/‖g‖²). With R the
    largest distance of two sums Σ s_i y_i x_i, D is within 2R²/(t + 2) of the maximum after t ≥ 1
    steps, and the smallest gap so far is O(R²/t). R grows with C and with the features: the harder
    the margin, the slower. (Polyak's own step has the minimum in place of D(α), and so needs to
    know what it is looking for.)

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
    origin = X.mean(axis=0)  # neither F nor D knows where the origin is, but rounding does
    Z = X - origin
    alpha, best = np.zeros(y.size), _Best(tol, trace)
    for t in range(max_iter + 1):
        # The best bias for w, and slopes at the kinks whose sum is zero.
        w = (alpha * y) @ Z
        scores = Z @ w
        b, active = _best_bias(scores, y)
        primal = float(w @ w / 2 + C * np.maximum(0, 1 - y * (scores + b)).sum())
        dual = float(alpha.sum() - w @ w / 2)
        if best.add(t, w, float(b - w @ origin), primal, alpha, dual) or t == max_iter:
            break
        # Polyak's step, of w and of the multipliers.
        s = C * active
        g = w - (s * y) @ Z
        eta = (primal - dual) / max(primal - dual, float(g @ g))
        alpha = np.clip((1 - eta) * alpha + eta * s, 0, C)
    proof = DualProblem(X, y, C).certificate(best.alpha, best.b)
    above = _value_above(best.w, best.b, X, y, C)
    return best.solution(
        replace(proof, primal=above), f"subgradient_descent stopped after {t} steps"
    )


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
        Of the problem above: its certificate has values in the λ form, and `alpha` is in
        [0, 1/(λn)], with Σ α_i y_i x_i for the w at the end of its epoch; the `w` returned may be
        that of another epoch, with a lower objective. With a
        `sklearn.exceptions.ConvergenceWarning` that names the gap if n_epochs was reached.

    Raises
    ------
    ValueError
        If an argument is not as above.

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
    >>> solution.certificate.dual <= 0.05 <= solution.certificate.primal, solution.b
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
    Z = np.column_stack([X, np.ones(n)]) if bias == "regularised" else X
    signed = y[:, np.newaxis] * Z
    rng = np.random.default_rng(seed)
    v, counts, t = np.zeros(Z.shape[1]), np.zeros(n), 0
    best = _Best(tol, trace)
    for _ in range(n_epochs):
        for i in rng.permutation(n):
            t += 1
            inside = signed[i] @ v < 1
            v = (1 - 1 / t) * v
            if inside:
                v += signed[i] / (lam * t)
                counts[i] += 1
        alpha = np.minimum(counts / (lam * t), down(1 / (lam * n)))
        primal = float(lam * (v @ v) / 2 + np.maximum(0, 1 - signed @ v).mean())
        dual = float(lam * (alpha.sum() - v @ v / 2))
        if best.add(t, v[:d], float(v[d:].sum()), primal, alpha, dual):  # no bias: an empty sum
            break
    best_v = np.append(best.w, best.b)[: v.size]
    proof = _proof_without_bias(best_v, best.alpha, Z, y, lam)
    return best.solution(proof, f"pegasos stopped after {n_epochs} epochs")


def _proof_without_bias(v: Array, alpha: Array, Z: Array, y: Array, lam: float) -> Certificate:
    """Return what v and α prove of λ/2 ‖v‖² + (1/n) Σ max(0, 1 − y_i v·z_i), where α is in its box.

    That is λ times the usual objective with C = 1/(λn).
    """
    n, C = len(y), up(1 / (lam * len(y)))
    w, error = accurate_sum(Z, alpha * y)
    largest = np.abs(w) + error
    squared_norm = up(float(largest @ largest), v.size + 4) + v.size * TINIEST
    dual = dual_below(down(float(alpha.sum()), n + 4), squared_norm)
    margins = y * (Z @ w)
    off = float(((gamma(v.size + 6) * largest + error) @ np.abs(Z).T).max())
    short = (1 - margins).max(where=alpha < C, initial=0)
    excess = (margins - 1).max(where=alpha > 0, initial=0)
    return Certificate(
        primal=up(lam * _value_above(v, 0.0, Z, y, C)),
        dual=down(lam * dual),
        kkt_violation=up(float(max(short, excess)) + off),
        infeasibility=0.0,
        norm_w=up(float(np.sqrt(squared_norm))),
    )
