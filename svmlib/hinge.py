r"""The hinge loss: a support vector machine as a sum of losses, trained by subgradients.

The slack ξ_i of the soft margin is max(0, 1 − y_i f(x_i)), so the constraints can be dropped and
what remains is a convex function of w and b with kinks. With this module you can

- compare the losses that classifiers are trained with, as functions of the functional margin
  m = y f(x): `hinge_loss`, `squared_loss`, `absolute_loss`, `logistic_loss`;
- evaluate the primal objective: `primal_objective`;
- minimise it by `subgradient_descent`, or one random point at a time by `pegasos`, until a
  duality gap proves that little is left to gain.

Three scalings of the objective are in use, with λ' = 1/C and λ = 1/(Cn). They have the same
minimisers:

.. math::
    \tfrac12 \lVert w \rVert^2 + C \sum_i \ell_i
    \;=\; C \Bigl( \tfrac{\lambda'}{2} \lVert w \rVert^2 + \sum_i \ell_i \Bigr)
    \;=\; C n \Bigl( \tfrac{\lambda}{2} \lVert w \rVert^2 + \tfrac1n \sum_i \ell_i \Bigr).

This module uses C, except `pegasos`, which uses λ of the last form, as its authors do.

Derived in chapter 7, *The hinge loss*.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svmlib._arrays import Array
from svmlib._rounding import round_down, round_up
from svmlib._solvers import certified_solution, without_bias
from svmlib._validation import (
    check_array,
    check_count,
    check_labelled,
    check_scalar,
    check_stopping_rule,
    check_vector,
)
from svmlib._warnings import warn_unless_converged
from svmlib.problem import MAX_C, DualProblem, Solution, best_bias_interval

__all__ = [
    "absolute_loss",
    "hinge_loss",
    "logistic_loss",
    "pegasos",
    "primal_objective",
    "squared_loss",
    "subgradient_descent",
]

# Losses


def hinge_loss(margin: ArrayLike) -> Array:
    """Compute the hinge loss max(0, 1 − m) of functional margins m = y f(x).

    Zero where the point is on the right side with a margin of at least one, and at least one
    where m ≤ 0, so that a sum of losses bounds the number of errors.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> hinge_loss([-1.0, 0.0, 1.0, 3.0])
    array([2., 1., 0., 0.])
    """
    return np.maximum(0.0, 1.0 - check_array(margin, "margin"))


def squared_loss(margin: ArrayLike) -> Array:
    """Compute the squared loss (1 − m)² of functional margins m = y f(x).

    It equals (y − f(x))² because y² = 1, and punishes points that are right by more than one.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> squared_loss([-1.0, 1.0, 3.0])
    array([4., 0., 4.])
    """
    return np.square(1.0 - check_array(margin, "margin"))


def absolute_loss(margin: ArrayLike) -> Array:
    """Compute the absolute loss abs(1 − m) of functional margins m = y f(x).

    It equals abs(y − f(x)) because abs(y) = 1, and is the hinge loss where m ≤ 1.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> absolute_loss([-1.0, 1.0, 3.0])
    array([2., 0., 2.])
    """
    return np.abs(1.0 - check_array(margin, "margin"))


def logistic_loss(margin: ArrayLike) -> Array:
    """Compute the logistic loss log(1 + exp(−m)) of functional margins m = y f(x), base e.

    Divided by log 2 it is one at m = 0 and bounds the number of errors like the hinge loss.
    No margin is too large or too small.

    Raises
    ------
    ValueError
        If `margin` is not an array of finite numbers.

    Examples
    --------
    >>> logistic_loss([0.0, 1e300]).round(4)
    array([0.6931, 0.    ])
    """
    return np.logaddexp(0.0, -check_array(margin, "margin"))


# The objective


@np.errstate(over="ignore", invalid="ignore")  # the error reports it
def primal_objective(w: ArrayLike, b: float, X: ArrayLike, y: ArrayLike, C: float) -> float:
    """Compute the primal objective ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)).

    Parameters
    ----------
    w : array_like of shape (d,)
        The normal vector.
    b : float
        The bias, which is not regularised.
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float
        The soft-margin constant, positive.

    Returns
    -------
    float
        The value of the objective.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Examples
    --------
    >>> primal_objective([1.0], -1.0, [[1.0], [3.0]], [-1, 1], C=10)
    10.5
    """
    X, y = check_labelled(X, y)
    w = check_vector(w, "w", length=X.shape[1])
    b = check_scalar(b, "b")
    C = check_scalar(C, "C", positive=True)
    value = _objective(w, y * (X @ w + b), C)
    if not value < np.inf:
        raise ValueError("w and X must be small enough for a finite objective: rescale them")
    return value


def _objective(w: Array, margins: Array, C: float) -> float:
    return float(w @ w / 2 + C * np.maximum(0, 1 - margins).sum())


# Descent


def _bias_of_least_loss(scores: Array, y: Array) -> tuple[float, NDArray[np.bool_]]:
    """Return the b that minimises Σ max(0, 1 − y_i (s_i + b)), and which samples are active.

    The active samples are chosen so that the sum of their y_i is 0: of the breakpoints y_i − s_i,
    as many as there are positive samples count as below b. The slopes, −y_i for active samples and
    0 for others, are subgradients at b, also for samples whose breakpoint is b.
    """
    breakpoints = y - scores
    b = float(best_bias_interval(breakpoints, y, np.ones(y.size)).mean())
    below = np.zeros(y.size, dtype=np.bool_)
    below[breakpoints.argsort(kind="stable")[: np.count_nonzero(y > 0)]] = True
    return b, np.where(y < 0, below, ~below)


def subgradient_descent(
    X: ArrayLike, y: ArrayLike, C: float, *, tol: float = 1e-3, max_iter: int = 100_000
) -> Solution:
    r"""Minimise ½‖w‖² + C Σ max(0, 1 − y_i (w·x_i + b)) by subgradient descent with a duality gap.

    At every step b is the best for the current w, the slopes at the kinks are chosen so that
    :math:`g_b = 0`, and w follows the subgradient that remains:

    .. math::
        w \leftarrow w - \eta\, g, \qquad g = w - C \sum_{i \in \text{active}} y_i x_i,
        \qquad \eta = \min(1, \text{gap} / \|g\|^2) .

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    C : float
        The soft-margin constant, positive and finite.
    tol : float, default 1e-3
        Stop when the duality gap is at most `tol` times the objective.
    max_iter : int, default 100,000
        The most steps.

    Returns
    -------
    Solution
        Multipliers α, whose w is Σ α_i y_i x_i, and the best b for it. With a
        `sklearn.exceptions.ConvergenceWarning` that names the gap if `max_iter` was reached, or if
        only rounding is left.

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
    the margin, the slower. Polyak's step, the same with the minimum in place of D(α), requires the
    minimum, which is not known.

    References
    ----------
    Polyak, B. T. (1969), "Minimization of unsmooth functionals".

    Jaggi, M. (2013), "Revisiting Frank-Wolfe: projection-free sparse convex optimization".

    Bach, F. (2015), "Duality between subgradient and conditional gradient methods".

    Examples
    --------
    >>> solution = subgradient_descent([[0.0], [1.0], [3.0]], [-1, -1, 1], C=10)
    >>> solution.alpha.round(2), round(solution.b, 2)
    (array([0. , 0.5, 0.5]), -2.0)
    """
    C = check_scalar(C, "C", positive=True)
    tol, max_iter = check_stopping_rule(tol, max_iter)
    problem = DualProblem(X, y, C)
    X, y = problem.X, problem.y
    origin = X.mean(axis=0)  # `svmlib.kernels.Linear` explains why
    Z = X - origin
    alpha = np.zeros(y.size)
    for n_iter in range(max_iter + 1):
        # The best bias for w, and slopes at the kinks whose sum is zero.
        w = (alpha * y) @ Z
        scores = Z @ w
        b, active = _bias_of_least_loss(scores, y)
        primal = _objective(w, y * (scores + b), C)
        dual = float(alpha.sum() - w @ w / 2)
        if primal - dual <= tol * primal or n_iter == max_iter:
            break
        # This step of the multipliers moves w by −ηg.
        s = C * active
        g = w - (s * y) @ Z
        eta = (primal - dual) / max(primal - dual, float(g @ g))
        alpha = np.clip((1 - eta) * alpha + eta * s, 0, C)
    solution = certified_solution(problem, alpha, float(b - w @ origin), tol=tol, n_iter=n_iter)
    warn_unless_converged(solution, "subgradient_descent", tol)
    return solution


def pegasos(
    X: ArrayLike,
    y: ArrayLike,
    lam: float,
    *,
    tol: float = 1e-2,
    max_iter: int = 1_000_000,
    seed: int | None = 0,
) -> Solution:
    r"""Minimise (λ/2)‖w‖² + (1/n) Σ max(0, 1 − y_i w·x_i), one random point at a time.

    Step t takes a point i and follows a subgradient of its share of the objective, with the step
    size 1/(λt):

    .. math::
        w \leftarrow \Bigl( 1 - \frac1t \Bigr) w
            + \frac{1}{\lambda t}\, y_i x_i \, [\, y_i\, w \cdot x_i < 1 \,].

    Parameters
    ----------
    X : array_like of shape (n, d)
        The points.
    y : array_like of shape (n,)
        Labels −1 and +1, both present.
    lam : float
        λ, positive; λ = 1/(Cn) in terms of the soft-margin constant.
    tol : float, default 1e-2
        Stop after an epoch in which the duality gap is at most `tol` times the objective.
    max_iter : int, default 1,000,000
        After this number of steps no epoch begins.
    seed : int or None, default 0
        Seed of the random order; None for a different one each time.

    Returns
    -------
    Solution
        Of the problem above: w = Σ α_i y_i x_i with α_i in [0, 1/(λn)], b = 0, and the certificate
        has its values in the λ form; its `kkt_violation` is for the bound 1/(λn) rounded down to a
        float. With a `sklearn.exceptions.ConvergenceWarning` that names the gap if `max_iter` was
        reached, or if only rounding is left.

    Raises
    ------
    ValueError
        If an argument is not as above.

    Notes
    -----
    The theory needs a strongly convex objective, and one with a free bias is not: the hyperplane
    goes through the origin. For the usual problem use `subgradient_descent`.

    By induction w = Σ_i c_i y_i x_i/(λt), where c_i counts the steps that found point i inside the
    margin. Each epoch visits every point once, in a new random order, so at its end c_i ≤ t/n and
    α_i = c_i/(λt) ≤ 1/(λn): feasible for the dual, which without a free bias has no other
    constraint. So λ(Σα_i − ½‖w‖²) is a lower bound that holds whatever the order was. The
    published rate, an expected error of O(log t/(λt)), is for independent draws.

    References
    ----------
    Shalev-Shwartz, S., Singer, Y., Srebro, N. and Cotter, A. (2011), "Pegasos: primal estimated
    sub-gradient solver for SVM".

    Examples
    --------
    >>> solution = pegasos([[-2.0], [-1.0], [1.0]], [-1, -1, 1], lam=0.1)
    >>> solution.certificate.dual <= 0.05 <= solution.certificate.primal
    True
    """
    X, y = check_labelled(X, y)
    lam = check_scalar(lam, "lam", positive=True)
    tol, max_iter = check_stopping_rule(tol, max_iter)
    C = round_down(1 / (lam * y.size))  # a float that is in the box [0, 1/(λn)] for certain
    if not 0 < C <= MAX_C:
        accepted = f"such that 1/(lam n) is positive and at most {MAX_C:g}"
        raise ValueError(f"lam must be {accepted}, got {lam:g}")
    seed = None if seed is None else check_count(seed, "seed", positive=False)
    random = np.random.default_rng(seed)
    signed = y[:, np.newaxis] * X
    w = np.zeros(X.shape[1])
    counts = np.zeros(y.size)
    t = 0
    while t < max_iter:
        w = _epoch(signed, lam, w, counts, t, random.permutation(y.size))
        t += y.size
        # w = Σ α_i y_i x_i with α_i = c_i/(λt), so that both values are known.
        primal = lam * (w @ w) / 2 + np.maximum(0, 1 - signed @ w).mean()
        dual = counts.sum() / t - lam * (w @ w) / 2
        if primal - dual <= tol * primal:
            break
    alpha = np.minimum(counts / (lam * t), C)
    solution = _solution_without_bias(X, y, C, lam, alpha, tol, t)
    warn_unless_converged(solution, "pegasos", tol)
    return solution


def _epoch(
    signed: Array, lam: float, w: Array, counts: Array, t: int, order: NDArray[np.int64]
) -> Array:
    """Return w after a subgradient step for every point, and count the steps inside the margin."""
    for i in order:
        t += 1
        inside = signed[i] @ w < 1
        w = (1 - 1 / t) * w
        if inside:
            w += signed[i] / (lam * t)
            counts[i] += 1
    return w


def _solution_without_bias(
    X: Array, y: Array, C: float, lam: float, alpha: Array, tol: float, n_iter: int
) -> Solution:
    """Return multipliers of λ times the usual problem, without a bias, and their certificate."""
    halves = np.tile(alpha / 2, 2)
    solution = certified_solution(without_bias(X, y, C), halves, 0.0, tol=tol, n_iter=n_iter)
    alpha = solution.alpha[: y.size] + solution.alpha[y.size :]
    certificate = solution.certificate
    # C is at most 24u below 1/(λn): the two `round_up` of the primal value have room for that. The
    # dual value has room for one more rounding: `dual_lower_bound` subtracts 8u Σα.
    primal, dual = round_up(lam * certificate.primal), lam * certificate.dual
    certificate = replace(certificate, primal=primal, dual=dual)
    converged = certificate.is_optimal_or_stationary(tol)
    return replace(solution, alpha=alpha, certificate=certificate, converged=converged)
