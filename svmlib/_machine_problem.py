"""The problem that a machine was to solve, and our own solution of it: see `svmlib.exchange`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, lstsq
from scipy.optimize import minimize_scalar

from svmlib._arrays import Array
from svmlib._auto import solve
from svmlib._machine_rows import constant_hint, machine_scores, multipliers, weighted_rows
from svmlib._machines import Machine, checked_constant
from svmlib._rounding import (
    MAX_NORM,
    SMALLEST_NORMAL,
    SMALLEST_SUBNORMAL,
    UNIT_ROUNDOFF,
    exact_sum,
    in_few_digits,
    round_down,
    round_up,
)
from svmlib._solvers import balance, bias_at_zero, without_bias
from svmlib._verdict import WIDE_INTERVAL, Rescaled, Verdict
from svmlib.certificate import (
    Scores,
    dual_lower_bound,
    feasible_dual,
    largest_violation,
    primal_upper_bound,
)
from svmlib.kernels import Precomputed, check_kernel
from svmlib.newton import MAX_NEWTON_STEPS
from svmlib.problem import MAX_C, DualProblem, best_bias_interval, bounded_scores

_MAX_LIFTED_SAMPLES = 600  # at most, for a second try with another feature for each of them
_GOOD_START = 0.99  # of the primal value: multipliers with such a dual value are nearly optimal
_MEMORY_MB = 2000.0  # for the features of our own solution, as `svmlib.SVC` has by default
_ARMIJO = 1e-4  # of the decrease that its slope promises: a step that gains less is too long
_MIN_STEP_LENGTH = 1e-8  # of a Newton step: if no longer one gains enough, only rounding is left


class _OurSolution(NamedTuple):
    """Our own solution of a machine's problem, and a lower bound that was proved on the way."""

    alpha: Array
    b: float
    w: Array | None = None  # more accurate than the sum of the support vectors
    dual: float = -np.inf


class MachineProblem:
    """The problem that a machine was to solve, on the data at hand.

    If X is a Gram matrix, `float_type` is the type of float in which its values were given.
    """

    def __init__(
        self, machine: Machine, X: Array, y: Array, weights: ArrayLike | None, float_type: Any
    ) -> None:
        C = checked_constant(machine)
        X, self.y, factors = weighted_rows(machine, X, y, weights)
        kernel: object = machine.kernel
        if machine.precomputed:
            kernel = table = Precomputed(X, "X", float_type, copy=False)
            X = table.points
        self.X = X
        self.n = self.y.size
        self.machine = machine if self.n == len(y) else replace(machine, rows=None)
        self.C = C * factors
        self.free_bias = machine.bias == "free"
        self.plain_hinge = machine.loss == "hinge"
        self.hard_margin = self.plain_hinge and bool(np.isinf(C))
        self.bias_scale = float(machine.intercept_scaling) if machine.bias == "penalised" else 0.0
        self._check_constant()
        # The multipliers of the squared hinge have no upper bound, though C is finite.
        self.upper = self.C if self.plain_hinge and not self.hard_margin else np.inf
        self.problem = DualProblem(self.X, self.y, self.upper, check_kernel(kernel))
        self._last_scores: tuple[Array, Scores] | None = None

    def _check_constant(self) -> None:
        if self.C.min() < SMALLEST_NORMAL:  # smaller products have lost digits
            smallest = f"got {self.C.min():g} for row {self.C.argmin()}"
            raise ValueError(f"C times weights must be positive, above 2.3e-308, {smallest}")
        if np.isinf(self.C).any() and not self.free_bias:
            raise ValueError("C must be finite, unless the bias is free: give C, or bias='free'")
        if not self.plain_hinge and self.C.max() > MAX_C:
            advice = 'for the hard margin give C=np.inf, loss="hinge" and bias="free"'
            raise ValueError(f"C must be at most {MAX_C:g}, got {self.C.max():g}; {advice}")

    @np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
    def certify(self, tol: float) -> Verdict:
        """Compare the machine with the best lower bound."""
        m, problem = self.machine, self.problem
        alpha, is_exact, note = multipliers(m, self.X, self.y, self.C)
        scores, shift = self._scores(alpha if is_exact else None)
        comparable = shift < np.inf
        primal = self.primal(scores, m.b)
        dual = -np.inf if alpha is None or not problem.convex else self.dual(alpha)
        solved = self._solve(tol, alpha if dual >= _GOOD_START * primal else None)
        ours, our_scores = self._machine_of(solved)
        primal_ours = self.primal(our_scores, ours.b)
        zero = np.zeros(self.n)
        without_w = replace(scores, values=zero, error=zero, squared_norm=0.0)
        constant = self._with_best_bias(0.0, without_w, 0.0)
        best_bias = self._with_best_bias(1.0, scores, m.b)
        best_bias = min(best_bias, Rescaled(1.0, m.b, primal), key=attrgetter("primal"))
        verdict = Verdict(
            machine=m,
            primal=primal,
            # The dual value of α = 0 is 0.
            lower=max(0.0, dual, solved.dual, self.dual(solved.alpha)) if comparable else -np.inf,
            upper=min(primal_ours, primal if is_exact or comparable else np.inf),
            best_bias=best_bias,
            best_scale=self._best_scale(scores, best_bias, constant.primal),
            constant=constant,
            primal_negated=self.primal(scores.scaled(-1.0), -m.b),
            ours=ours,
            primal_ours=primal_ours,
            n_changed=int(np.sum((scores.values + m.b >= 0) != (our_scores.values + ours.b >= 0))),
            n=self.n,
            diagonal_shift=shift if comparable else 0.0,
            dual=None if alpha is None else dual,
            note=note,
        )
        return verdict if alpha is None else self._with_multipliers(verdict, alpha, scores)

    def _scores(self, alpha: Array | None) -> tuple[Scores, float]:
        """Return the scores of α, or else of the machine's points, and an η.

        Their bounds hold for K + sI, whatever s is between 0 and η. η is infinite if the kernel is
        not known to be semidefinite at the rows, or at rows and points together.
        """
        shift = self.problem.gram_matrix.diagonal_shift
        if alpha is not None:
            return self._scores_of(alpha * self.y), shift
        scores, other = machine_scores(self.machine, self.problem.kernel, self.X, self.y)
        return scores, min(shift, other) if max(shift, other) < np.inf else np.inf

    def _scores_of(self, beta: Array) -> Scores:
        """Return the `bounded_scores` of β, which are kept until another β is asked for."""
        if self._last_scores is None or not np.array_equal(self._last_scores[0], beta):
            self._last_scores = beta, bounded_scores(self.problem, beta)
        return self._last_scores[1]

    def _with_multipliers(self, verdict: Verdict, alpha: Array, scores: Scores) -> Verdict:
        """Add by how much the machine's own multipliers miss conditions."""
        outside = np.maximum(-alpha, alpha - self.problem.upper).max()
        margin_lower, margin_upper = scores.margins(self.machine.b, self.y)
        slack = np.zeros(self.n) if self.plain_hinge else alpha / (2 * self.C)
        # Where the slack is large, so is f or the violation, whose rounding has room for its own.
        room = 8 * UNIT_ROUNDOFF
        # A product of C and weights may have been rounded in another order than here.
        weighted = (self.C != self.machine.C).any()
        upper = self.problem.upper * (1 - 8 * UNIT_ROUNDOFF * weighted)
        margin_lower, margin_upper = margin_lower + slack - room, margin_upper + slack + room
        return replace(
            verdict,
            kkt_violation=round_up(largest_violation(margin_lower, margin_upper, alpha, upper)),
            box_violation=max(0.0, round_up(float(outside))),
            balance_violation=self.free_bias * round_up(abs(exact_sum(alpha * self.y))),
            note=constant_hint(alpha, self.problem.upper, verdict.excess),
        )

    def _bias_cost(self, b: float) -> float:
        """Return b²/(2s²) of a penalised bias; infinity beyond floats."""
        ratio = b / self.bias_scale if self.bias_scale else 0.0
        return ratio * ratio / 2  # a power of Python's floats could raise an OverflowError

    def primal(self, scores: Scores, b: float) -> float:
        """Bound the primal value of a machine with these scores from above."""
        margin_lower, _ = scores.margins(b, self.y)
        # Losses have room for what underflows here, which is less than one of their terms.
        cost = round_up(self._bias_cost(b))
        if self.plain_hinge:
            m = float(margin_lower.min()) if self.hard_margin else 1.0
            return cost + primal_upper_bound(scores.squared_norm, margin_lower, self.C, m)
        # The slack is rounded by u of itself, which the last line counts.
        cost += float(self.C @ np.maximum(0, 1 - margin_lower) ** 2) + self.n * SMALLEST_SUBNORMAL
        return round_up(cost + scores.squared_norm / 2, self.n)

    def dual(self, alpha: Array) -> float:
        """Bound the dual value of multipliers, made feasible, from below."""
        alpha = np.clip(alpha, 0, self.problem.upper)
        cost = 0.0
        if not self.plain_hinge:
            # α/(4C) comes first, because α² may underflow.
            cost = exact_sum(alpha * (alpha / (4 * self.C))) + self.n * SMALLEST_SUBNORMAL
        scores = self._scores_of(alpha * self.y)
        if self.free_bias:
            return round_down(feasible_dual(alpha, scores, self.y, self.problem.upper) - cost)
        # This is the coordinate of w along the constant feature.
        extra = self.bias_scale * exact_sum(alpha * self.y)
        squared_norm = scores.squared_norm + extra * extra
        # Without a displacement `dual_lower_bound` has 5u of its terms to spare: for u of Σα, 6u
        # of the squared norm, and 3u of the cost. If Σα is less than those,
        # `round_down` has room.
        return round_down(dual_lower_bound(exact_sum(alpha), squared_norm) - cost)

    def _best_bias(self, values: Array, b: float) -> float:
        """Return the bias with the least primal value, of which it is a convex function."""
        if self.machine.bias == "none":
            return b
        if self.hard_margin:  # halfway between the classes
            return -float(values[self.y > 0].min() + values[self.y < 0].max()) / 2
        breakpoints = (self.y - values).clip(-MAX_NORM, MAX_NORM)
        if self.plain_hinge and not self.bias_scale:
            return float(best_bias_interval(breakpoints, self.y, self.C).mean())

        def cost(b: float) -> float:
            return self._cost(values, b)

        ends = min(0.0, breakpoints.min()), max(0.0, breakpoints.max())
        best = float(minimize_scalar(cost, bounds=ends, options={"xatol": 1e-12}).x)
        return min(best, 0.0, key=cost)  # any other may cost infinity

    def _cost(self, values: Array, b: float) -> float:
        """Return what losses and bias cost."""
        slack = np.maximum(0, 1 - self.y * (values + b))
        return self._bias_cost(b) + float((self.C * slack ** (1 if self.plain_hinge else 2)).sum())

    def _with_best_bias(self, t: float, scores: Scores, b: float) -> Rescaled:
        """Return t w, whose scores are given, with its best bias in few digits; b is a guess."""
        best_b = self._best_bias(scores.values, b)
        best_b = in_few_digits(best_b, lambda b: self.primal(scores, b))
        return Rescaled(t, best_b, self.primal(scores, best_b))

    def _best_scale(self, scores: Scores, best_bias: Rescaled, constant: float) -> Rescaled:
        """Return the t w and its bias with the least primal value, from w and its best bias.

        The least value over b is convex in t. At its best t it is below the one at 0, which is at
        most `constant`, so t is at most `longest`. The hard margin takes any scale: its value is
        that of the canonical form.
        """
        if self.hard_margin or scores.squared_norm <= 0:
            return best_bias
        longest = np.sqrt(2 * constant) / np.sqrt(scores.squared_norm)

        def bias(t: float) -> float:
            return self._best_bias(t * scores.values, t * best_bias.b)

        def cost(u: float) -> float:
            t = float(longest * np.exp(-u))
            squared_norm = t * (t * scores.squared_norm)  # t² may be beyond floats
            return squared_norm / 2 + self._cost(t * scores.values, bias(t))

        u = minimize_scalar(cost, bounds=(0, 20), options={"xatol": 1e-10}).x
        t = float(longest * np.exp(-u))
        t = in_few_digits(t, lambda t: self.primal(scores.scaled(t), bias(t)))
        rescaled = self._with_best_bias(t, scores.scaled(t), t * best_bias.b)
        return min(best_bias, rescaled, key=attrgetter("primal"))

    def _machine_of(self, solved: _OurSolution) -> tuple[Machine, Scores]:
        """Return the machine of α, or of a more accurate w, and its scores at the rows."""
        support, beta = solved.alpha > 0, solved.alpha * self.y
        ours = replace(self.machine, b=solved.b, support=None, rows=None)
        if solved.w is None:
            ours = replace(ours, points=self.X[support], coefficients=beta[support])
            return ours, self._scores_of(beta)
        ours = replace(ours, points=solved.w[None], coefficients=np.ones(1))
        return ours, machine_scores(ours, self.problem.kernel, self.X, self.y)[0]

    def _value(self, solved: _OurSolution) -> float:
        """Return an upper bound on the primal value of our own solution."""
        machine, scores = self._machine_of(solved)
        return self.primal(scores, machine.b)

    def _solve(self, tol: float, start: Array | None) -> _OurSolution:
        """Solve the problem of the machine."""
        problem = self.problem
        if self.plain_hinge and self.free_bias:
            if start is not None:
                start = balance(problem, np.clip(start, 0, problem.upper))
            if problem.linear:
                problem = DualProblem(self.X, self.y, self.upper, move_origin=True)
            return _solve_with_bias(problem, tol, start)
        Phi = _gram_factor(self.problem, self.bias_scale)
        if self.plain_hinge:
            return self._solve_for_features(Phi, self.C, tol)
        alpha, w = _minimise_squared_hinge(Phi, self.y, self.C, self.free_bias)
        b = float(w[-1]) if self.free_bias else self.bias_scale * float(w[-1])
        best = _OurSolution(alpha, b, dual=self.dual(alpha))
        if problem.linear and best.dual < (1 - WIDE_INTERVAL) * self._value(best):
            wide = self.X.shape[1] > self.n
            w = np.linalg.qr(self.X.T)[0] @ w[: self.n] if wide else w[: self.X.shape[1]]
            best = min(best, best._replace(w=w), key=self._value)
        small = self.n <= _MAX_LIFTED_SAMPLES and self.C.min() * MAX_NORM > 1
        if small and best.dual < (1 - WIDE_INTERVAL) * self._value(best):
            # The squared hinge is the hard margin with another feature per sample. To solve that is
            # slower, but more accurate.
            Phi = np.column_stack([Phi, np.diag(1 / np.sqrt(2 * self.C))])
            lifted = self._solve_for_features(Phi, np.inf, tol)._replace(dual=best.dual)
            best = min(best, lifted, key=self._value)
        return best

    def _solve_for_features(self, Phi: Array, C: Array | float, tol: float) -> _OurSolution:
        """Return our solution for the plain hinge; a feature of Φ is a penalised bias."""
        if self.free_bias:
            return _solve_with_bias(DualProblem(Phi, self.y, C, move_origin=True), tol)
        alpha = solve(without_bias(Phi, self.y, C), "auto", tol)[0].alpha
        alpha = alpha[: self.n] + alpha[self.n :]
        return _OurSolution(alpha, self.bias_scale**2 * float(alpha @ self.y))


def _solve_with_bias(problem: DualProblem, tol: float, start: Array | None = None) -> _OurSolution:
    """Return our solution for the plain hinge and a free bias."""
    solution = solve(problem, "auto", tol, start=start, memory_mb=_MEMORY_MB)[0]
    b, dual = bias_at_zero(problem, solution), solution.certificate.dual
    return _OurSolution(solution.alpha, b, dual=dual)


# The squared hinge


def _gram_factor(problem: DualProblem, s: float) -> Array:
    """Return Φ with ΦΦᵀ = K, plus s² in every entry for a penalised bias."""
    Phi = problem.X
    if not problem.linear:
        values, vectors = eigh(problem.gram())
        Phi = vectors * np.sqrt(np.maximum(values, 0))
    elif Phi.shape[1] > problem.n:
        Phi = np.transpose(np.linalg.qr(Phi.T, mode="r"))
    return np.column_stack([Phi, np.full(problem.n, s)]) if s else Phi


def _minimise_squared_hinge(Phi: Array, y: Array, C: Array, free_bias: bool) -> tuple[Array, Array]:
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
