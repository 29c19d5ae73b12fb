"""Sequential minimal optimisation: solve the dual two multipliers at a time.

Two multipliers are the fewest that can move, because Σ α_i y_i = 0 ties each to the others, and
the best move of two has a formula. What remains is to choose the pair. With this module you can

- train a support vector machine with `smo`, and choose how pairs are selected,
- follow its progress: `steps` yields every step as it happens.

Derived in chapter 8, *The full SMO*. `svmlib.hull_smo` is the special case of chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, count, islice
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array
from svmlib._rounding import EPS, SMALLEST_NORMAL
from svmlib._solvers import SOLVER_ROUNDING, certified_solution, check_start, objective_values
from svmlib._validation import check_scalar, check_stopping_rule, require_choice
from svmlib._warnings import warn_unless_converged
from svmlib.problem import DualProblem, Solution, bias_and_interval

__all__ = ["Step", "smo", "steps"]

MAX_SMO_STEPS = 10_000_000  # the most steps by default
_CURVATURE_ROOTS_SIZE = 2**20  # the most floats in `SmoState.curvature_roots`, 8 MB

Selection = Literal["second", "first", "cyclic"]


class Step(NamedTuple):
    """One step of SMO: y_i α_i grows and y_j α_j shrinks by the same amount.

    Attributes
    ----------
    i, j : int
        The pair.
    length : float
        How far both multipliers moved.
    alpha_i, alpha_j : float
        The two multipliers after the step.
    violation : float
        m(α) − M(α), the largest of any pair, *before* the step.
    gain : float
        By how much the step raised the dual value D(α), from its length, slope and curvature.
    """

    i: int
    j: int
    length: float
    alpha_i: float
    alpha_j: float
    violation: float
    gain: float


def smo(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    selection: Selection = "second",
    start: ArrayLike | None = None,
    max_iter: int = MAX_SMO_STEPS,
    trace: bool = False,
) -> Solution:
    r"""Solve the dual problem two multipliers at a time.

    In the signed multipliers :math:`\beta_i = y_i \alpha_i` the constraints are
    :math:`\sum_i \beta_i = 0` and a box, and the slope of D along "β_i up, β_j down" is
    :math:`g_i - g_j` with

    .. math::
        g_i = y_i - \sum_j \beta_j k(x_i, x_j).

    At the optimum no such pair has a positive slope: the largest g of those that can grow, m(α),
    is at most the smallest g of those that can shrink, M(α), and a bias b between the two meets
    the KKT conditions. Until then, a step along a pair goes to the top of its parabola, of
    curvature :math:`a_{ij} = k(x_i, x_i) + k(x_j, x_j) - 2 k(x_i, x_j)`, or to the end of the
    box:

    .. math::
        \lambda = \min\left( \frac{g_i - g_j}{a_{ij}},
        \text{room for } \beta_i \text{ to grow},\
        \text{room for } \beta_j \text{ to shrink} \right).

    Parameters
    ----------
    problem : DualProblem
        The problem. Its kernel need not be positive semidefinite; then the result is stationary,
        and its certificate says so.
    tol : float, default 1e-3
        The relative duality gap to prove; for a kernel that is not known to be positive
        semidefinite, the KKT violation. The certificate is computed when m(α) − M(α) ≤ tol / 2
        (LIBSVM stops at its ``eps``, with about twice the gap). If the gap is larger than tol, as
        with a large C, the steps go on to a twentieth of the largest KKT violation, and so on.
    selection : {"second", "first", "cyclic"}, default "second"
        How the pair is chosen. ``"second"``: i with the largest g, and the j whose step gains
        the most, :math:`(g_i - g_j)^2 / a_{ij}` (Fan, Chen and Lin). ``"first"``: the pair with
        the steepest slope, known as the maximal violating pair (Keerthi et al.). ``"cyclic"``: the
        next pair, in a fixed order, whose slope is more than the m(α) − M(α) to reach.
    start : array_like of shape (n,), optional
        Feasible multipliers to begin with, such as those from a looser tolerance or a nearby C;
        zero if not given.
    max_iter : int, default 10,000,000
        The most steps.
    trace : bool, default False
        Whether to keep every `Step` in the solution.

    Returns
    -------
    Solution
        Converged if its certificate reaches `tol`; else with a
        `sklearn.exceptions.ConvergenceWarning` that names the gap. If C = ∞ and no hyperplane
        separates the classes, D grows without bound, and every run ends with the warning.

    Raises
    ------
    ValueError
        If an argument is not as above.

    References
    ----------
    Platt, J. (1998), "Sequential minimal optimization".

    Keerthi, S. S. et al. (2001), "Improvements to Platt's SMO algorithm".

    Fan, R.-E., Chen, P.-H. and Lin, C.-J. (2005), "Working set selection using second order
    information for training SVM".

    Examples
    --------
    >>> from svmlib.kernels import RBF
    >>> X, y = [[0.0], [1.0], [3.0]], [-1, 1, -1]
    >>> solution = smo(DualProblem(X, y, 1.0, RBF(1.0)))
    >>> solution.converged, solution.certificate.relative_gap < 1e-3
    (True, True)
    """
    tol, max_iter = check_stopping_rule(tol, max_iter)
    start = check_start(problem, start)
    solution = run_smo(problem, tol, max_iter, start, selection, trace)
    warn_unless_converged(solution, "smo", tol)
    return solution


def run_smo(
    problem: DualProblem,
    tol: float,
    max_iter: int,
    start: Array,
    selection: Selection = "second",
    trace: bool = False,
) -> Solution:
    """Do what `smo` does, with checked arguments and without its warning."""
    alpha = start
    n_iter = 0
    recorded: list[Step] = []
    target_violation = tol / 2  # the m(α) − M(α) to reach
    while True:
        before = n_iter
        with np.errstate(over="ignore", invalid="ignore"):  # overflow ends the steps
            state = SmoState(problem, alpha, selection)
            if trace:
                recorded += islice(state.steps(target_violation), max_iter - n_iter)
                n_iter = len(recorded)
            else:
                n_iter += state.advance(target_violation, max_iter - n_iter)
        alpha = state.alpha
        solution = certified_solution(problem, alpha, tol=tol, n_iter=n_iter, trace=tuple(recorded))
        # The target is reached by margins that the steps update. If margins computed afresh violate
        # the KKT conditions by more than twice as much, or if a smaller target has brought no step,
        # only rounding is left.
        violation = solution.certificate.kkt_violation
        no_progress = n_iter == before and target_violation < tol / 2
        only_rounding_left = not violation <= 2 * target_violation or no_progress  # NaN is beyond
        if solution.converged or only_rounding_left or n_iter == max_iter:
            return solution
        # The last step may have gone far below the last target.
        target_violation = violation / 20


def steps(
    problem: DualProblem,
    *,
    tol: float = 1e-3,
    selection: Selection = "second",
    start: ArrayLike | None = None,
) -> Iterator[Step]:
    """Yield every step of SMO, until the largest violation of a pair, m(α) − M(α), is tol / 2.

    Take as many steps as you like. The multipliers follow from the steps, as the example shows.

    Parameters
    ----------
    problem : DualProblem
        As for `smo`.
    tol : float, default 1e-3
        Twice the violation m(α) − M(α) at which the steps end. No certificate is computed.
    selection, start
        As for `smo`.

    Yields
    ------
    Step
        The pair, its two multipliers after the step, and what the step gained.

    Raises
    ------
    ValueError
        When the first step is asked for, if an argument is not as above.

    Examples
    --------
    >>> problem = DualProblem([[0.0], [1.0], [3.0]], [-1, 1, -1])
    >>> alpha = np.zeros(3)
    >>> for step in islice(steps(problem), 2):
    ...     alpha[step.i], alpha[step.j] = step.alpha_i, step.alpha_j
    >>> alpha
    array([0.66666667, 1.        , 0.33333333])
    """
    tol = check_scalar(tol, "tol", positive=True)
    start = check_start(problem, start)
    yield from SmoState(problem, start, selection).steps(tol / 2)


class SmoState:
    """The signed multipliers β = yα, and g = y − Kβ where β can grow and where it can shrink.

    The loop of `advance` takes nearly all of the time. So results go into arrays that exist
    already, and single numbers come from lists or, where NumPy needs arrays, from
    zero-dimensional ones, `a[i, ...]`.
    """

    last: tuple[int, int, float, float, float, float]  # i, j, length, violation, slope, curvature

    def __init__(self, problem: DualProblem, alpha: Array, selection: Selection) -> None:
        require_choice(selection, "selection", get_args(Selection))
        self.selection = selection
        self.problem = problem
        self.gram_matrix = problem.gram_matrix
        n, y, lo, hi = problem.n, problem.y, problem.beta_min, problem.beta_max
        # For C = ∞ a step may have no end; at this length margins would be nothing but rounding,
        # and many such steps still add up to a float.
        largest = float(np.abs(problem.gram_matrix.diagonal).max())
        longest = 1 / max(SOLVER_ROUNDING * largest, 1e-300)
        self.max_step = longest if problem.hard_margin else np.inf
        beta = alpha * y
        g = y - self.gram_matrix.incremental_matvec(beta).values
        ends = np.where(beta < hi, g, -np.inf), np.where(beta > lo, g, np.inf)
        self.g_up, self.g_down = ends
        self.beta, self.beta_min, self.beta_max = beta.tolist(), lo.tolist(), hi.tolist()
        # Half curvatures, (K_ii + K_jj)/2 − K_ij, save a product. To rank pairs, a half curvature
        # below its own rounding is replaced by that rounding.
        self.half_diagonal = problem.gram_matrix.diagonal / 2
        least = 4 * EPS * np.abs(self.half_diagonal)
        self.curvature_floor = np.maximum(least, np.sqrt(SMALLEST_NORMAL))  # for points at zero
        self.work, self.slope = np.empty((2, n))
        self.curvature_roots: dict[int, Array] = {}  # √(half curvature) of pairs (i, j), by their i
        self.max_curvature_roots = max(1, _CURVATURE_ROOTS_SIZE // n)
        # The rule "cyclic" takes all pairs, in both orders, again and again.
        pairs = (pair for _ in count() for pair in combinations(range(n), 2))
        self.pairs = (ordered for i, j in pairs for ordered in ((i, j), (j, i)))

    @property
    def alpha(self) -> Array:
        """The multipliers α, as a copy."""
        return np.asarray(np.abs(self.beta))

    def relative_gap(self) -> float:
        """Return the relative duality gap, up to rounding, in the time of a few steps."""
        problem = self.problem
        beta = np.array(self.beta)
        scores = problem.y - np.where(beta < problem.beta_max, self.g_up, self.g_down)
        b = bias_and_interval(problem, beta, scores)[0]
        primal, dual = objective_values(problem, beta, scores, b)
        return 1 - dual / primal

    def steps(self, target_violation: float) -> Iterator[Step]:
        """Yield every step, until the slope of no pair exceeds `target_violation`."""
        while self.advance(target_violation, 1):
            i, j, length, violation, slope, curvature = self.last
            gain = length * (slope - length * curvature / 2)
            yield Step(i, j, length, abs(self.beta[i]), abs(self.beta[j]), violation, gain)
            if length == self.max_step:
                return

    def advance(self, target_violation: float, max_steps: int) -> int:
        """Take at most `max_steps` steps, and return how many were taken.

        Each step is the best along its pair. They end early if no pair has a slope above
        `target_violation`, or if a step has no end.
        """
        rules = {"second": self.best_partner, "first": None, "cyclic": self.next_violating}
        rule = rules[self.selection]
        rows, work, length_array = self.gram_matrix, self.work, np.empty(())
        beta, lo, hi = self.beta, self.beta_min, self.beta_max
        g_up, g_down, max_step = self.g_up, self.g_down, self.max_step
        for taken in range(max_steps):
            # D has the steepest slope along "β_i up, β_j down" for this pair.
            i, j = int(g_up.argmax()), int(g_down.argmin())
            violation = g_up.item(i) - g_down.item(j)
            if not target_violation < violation < np.inf:
                return taken
            if rule:
                i, j = rule(i, j, target_violation)
            K_i, K_j, g_i, g_j = rows[i], rows[j], g_up.item(i), g_down.item(j)
            # x − y is exact where y/2 ≤ x ≤ 2y (Sterbenz). So, but for the rounding of K itself,
            # the curvature is what the update below takes from the slope, and no step overshoots,
            # however large K is. Duplicate points have zero curvature, and an indefinite kernel can
            # have a negative one: then the step goes uphill to the end of the box.
            K_ij = K_i.item(j)
            curvature = (K_i.item(i) - K_ij) + (K_j.item(j) - K_ij)
            top = (g_i - g_j) / curvature if curvature > 0 else np.inf
            room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
            length = min(top, room_i, room_j, max_step)
            # Set the bound exactly; otherwise rounding could leave steps of length zero.
            beta[i] = min(beta[i] + length, hi[i]) if length < room_i else hi[i]
            beta[j] = max(beta[j] - length, lo[j]) if length < room_j else lo[j]
            g_up[i], g_down[i] = (g_i if beta[i] < hi[i] else -np.inf), g_i
            g_up[j], g_down[j] = g_j, (g_j if beta[j] > lo[j] else np.inf)
            length_array[...] = length
            np.subtract(K_i, K_j, work)
            np.multiply(work, length_array, work)
            np.subtract(g_up, work, g_up)
            np.subtract(g_down, work, g_down)
            self.last = i, j, length, violation, g_i - g_j, curvature
            if length == max_step:
                return taken + 1
        return max_steps

    def best_partner(self, i: int, j: int, target_violation: float) -> tuple[int, int]:
        """Return i and the j whose step gains the most: with the largest slope / √curvature."""
        if i not in self.curvature_roots:
            half_curvature = (self.half_diagonal - self.gram_matrix[i]) + self.half_diagonal[i]
            self.curvature_roots[i] = np.sqrt(np.maximum(half_curvature, self.curvature_floor))
            if len(self.curvature_roots) > self.max_curvature_roots:
                del self.curvature_roots[next(iter(self.curvature_roots))]
        slope = np.subtract(self.g_up[i, ...], self.g_down, self.slope)
        return i, int(np.divide(slope, self.curvature_roots[i], slope).argmax())

    def next_violating(self, i: int, j: int, target_violation: float) -> tuple[int, int]:
        """Return the next pair (i, j), in a fixed order, with g_i − g_j > target_violation."""
        g_up, g_down = self.g_up, self.g_down
        violating = (p for p in self.pairs if g_up[p[0]] - g_down[p[1]] > target_violation)
        return next(violating)
