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
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from svmlib._validation import Array, check_count, check_labelled, check_scalar, check_vector

# Losses


def hinge(margin: ArrayLike) -> Array:
    """Compute the hinge loss max(0, 1 − m) of functional margins m = y f(x).

    Zero where the point is on the right side with a margin of at least one, and an upper bound on
    the number of mistakes (one where m ≤ 0). Derived in chapter 6, *The hinge loss*.
    """
    return np.maximum(0.0, 1.0 - np.asarray(margin, dtype=np.float64))


def squared(margin: ArrayLike) -> Array:
    """Compute the squared loss (1 − m)² of functional margins m = y f(x).

    It equals (y − f(x))² because y² = 1, and punishes points that are right by more than one.
    Derived in chapter 6, *The hinge loss*.
    """
    return np.square(1.0 - np.asarray(margin, dtype=np.float64))


def absolute(margin: ArrayLike) -> Array:
    """Compute the absolute loss abs(1 − m) of functional margins m = y f(x).

    It equals abs(y − f(x)) because abs(y) = 1, and is the hinge loss where m ≤ 1.
    Derived in chapter 6, *The hinge loss*.
    """
    return np.abs(1.0 - np.asarray(margin, dtype=np.float64))


def logistic(margin: ArrayLike) -> Array:
    """Compute the logistic loss log(1 + exp(−m)) of functional margins m = y f(x), base e.

    Divided by log 2 it is one at m = 0 and bounds the number of mistakes like the hinge loss.
    No margin is too large or too small for it. Derived in chapter 6, *The hinge loss*.
    """
    return np.logaddexp(0.0, -np.asarray(margin, dtype=np.float64))


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
        Its objective, an upper bound on the minimum. It need not fall from step to step.
    dual : float
        A lower bound on the minimum.
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
        Multipliers of the dual that prove the lower bound `dual`, feasible up to rounding.
    primal, dual : float
        Upper and lower bound on the minimum, in the scaling of the function that returned them.
    n_iter : int
        Steps taken.
    converged : bool
        Whether the gap reached the tolerance.
    trace : tuple of HingeStep
        The iterates if asked for, else empty.
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
        If an argument is not as above.

    Notes
    -----
    *The gap costs nothing.* Let s be the vector with C at the active points and 0 elsewhere. It is
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
    """
    X, y = check_labelled(X, y)
    C = check_scalar(C, "C", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    max_iter = check_count(max_iter, "max_iter")
    if step not in ("polyak", "diminishing"):
        raise ValueError(f"step must be 'polyak' or 'diminishing', got {step!r}")

    origin = X.mean(axis=0)  # neither F nor D knows where the origin is, but rounding does
    Z = X - origin
    alpha: Array = np.zeros(y.size)
    w: Array = np.zeros(Z.shape[1])
    best_primal, best_dual = (np.inf, w, 0.0), (-np.inf, alpha)
    steps: list[HingeStep] = []
    for t in range(max_iter + 1):
        scores = Z @ w
        b, active = _best_bias(scores, y)
        primal = float(w @ w / 2 + C * hinge(y * (scores + b)).sum())
        dual = float(alpha.sum() - w @ w / 2)
        if primal < best_primal[0]:
            best_primal = (primal, w, float(b - w @ origin))
        if dual > best_dual[0]:
            best_dual = (dual, alpha)
        if trace:
            steps.append(HingeStep(t, w, float(b - w @ origin), primal, best_dual[0]))
        converged = best_primal[0] - best_dual[0] <= tol * best_primal[0]
        if converged or t == max_iter:
            break
        s = C * active
        g = w - (s * y) @ Z
        if step == "polyak":
            eta = (primal - dual) / max(primal - dual, float(g @ g))
        else:
            eta = 2 / (t + 2)  # the first step has t = 0
        w = w - eta * g
        alpha = (1 - eta) * alpha + eta * s

    primal, w, b = best_primal
    dual, alpha = best_dual
    solution = HingeSolution(w, b, alpha, primal, dual, t, converged, tuple(steps))
    if not converged:
        _warn_not_converged("subgradient_descent", f"{t} steps", solution, tol)
    return solution


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
        [0, 1/(λn)] with w = Σ α_i y_i x_i at the end of its epoch. With a
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
    """
    X, y = check_labelled(X, y)
    lam = check_scalar(lam, "lam", positive=True)
    tol = check_scalar(tol, "tol", positive=True)
    n_epochs = check_count(n_epochs, "n_epochs")
    if bias not in ("none", "regularised"):
        raise ValueError(f"bias must be 'none' or 'regularised', got {bias!r}")

    n, d = X.shape
    Z = y[:, np.newaxis] * (np.column_stack([X, np.ones(n)]) if bias == "regularised" else X)
    rng = np.random.default_rng(seed)
    v, counts, t = np.zeros(Z.shape[1]), np.zeros(n), 0
    best_primal, best_dual = (np.inf, v), (-np.inf, counts)
    steps: list[HingeStep] = []
    for _ in range(n_epochs):
        for i in rng.permutation(n):
            t += 1
            inside = Z[i] @ v < 1
            v = (1 - 1 / t) * v
            if inside:
                v += Z[i] / (lam * t)
                counts[i] += 1
        alpha = np.minimum(counts / (lam * t), 1 / (lam * n))
        primal = float(lam / 2 * v @ v + hinge(Z @ v).mean())
        w_alpha = alpha @ Z  # v but for rounding, which piles up over the steps
        dual = float(lam * (alpha.sum() - w_alpha @ w_alpha / 2))
        if primal < best_primal[0]:
            best_primal = (primal, v)
        if dual > best_dual[0]:
            best_dual = (dual, alpha)
        if trace:
            steps.append(HingeStep(t, v[:d], float(v[d:].sum()), primal, best_dual[0]))
        converged = best_primal[0] - best_dual[0] <= tol * best_primal[0]
        if converged:
            break

    primal, v = best_primal
    dual, alpha = best_dual
    w, b = v[:d], float(v[d:].sum())  # an empty sum is zero: no bias
    solution = HingeSolution(w, b, alpha, primal, dual, t, converged, tuple(steps))
    if not converged:
        _warn_not_converged("pegasos", f"{n_epochs} epochs", solution, tol)
    return solution


def _warn_not_converged(name: str, effort: str, solution: HingeSolution, tol: float) -> None:
    warnings.warn(
        f"{name} stopped after {effort} with a duality gap of {solution.gap:.3g}, which is "
        f"{solution.gap / solution.primal:.3g} of the objective and not below tol={tol:g}",
        ConvergenceWarning,
        stacklevel=3,
    )
