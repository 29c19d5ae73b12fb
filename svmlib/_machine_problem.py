"""The problem that a machine was to solve, with bounds on its two values: see `svmlib.machines`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array
from svmlib._machine import Machine, pad_columns
from svmlib._rounding import SMALLEST_NORMAL, SMALLEST_SUBNORMAL, exact_sum, round_down, round_up
from svmlib._validation import check_sample_weight
from svmlib.certificate import (
    Scores,
    dual_lower_bound,
    feasible_dual,
    linear_scores,
    primal_upper_bound,
)
from svmlib.kernels import Precomputed, check_kernel
from svmlib.problem import MAX_C, DualProblem, bounded_scores


class MachineProblem:
    """The problem that a machine was to solve, on the data at hand.

    If X is a Gram matrix, `float_type` is the type of float in which its values were given.
    """

    @np.errstate(over="ignore")  # an infinite product of C and weights is refused
    def __init__(
        self, machine: Machine, X: Array, y: Array, weights: ArrayLike | None, float_type: Any
    ) -> None:
        if machine.C is None or machine.loss is None or machine.bias is None:
            missing = next(name for name in ("C", "loss", "bias") if getattr(machine, name) is None)
            reason = "the machine does not say what it was, or is not an SVM"
            raise ValueError(f"{missing} must be given: {reason}")
        X, self.y, factors = _weighted_rows(machine, X, y, weights)
        kernel: object = machine.kernel
        if machine.precomputed:
            kernel = table = Precomputed(X, "X", float_type, copy=False)
            X = table.points
        self.X = X
        self.n = self.y.size
        self.machine = machine if self.n == len(y) else replace(machine, rows=None)
        self.C = machine.C * factors
        self.free_bias = machine.bias == "free"
        self.plain_hinge = machine.loss == "hinge"
        self.hard_margin = self.plain_hinge and bool(np.isinf(machine.C))
        self.bias_scale = machine.intercept_scaling if machine.bias == "penalised" else 0.0
        self._require_valid_constants()
        # The multipliers of the squared hinge have no upper bound, though C is finite.
        self.upper = self.C if self.plain_hinge and not self.hard_margin else np.inf
        self.dual_problem = DualProblem(self.X, self.y, self.upper, check_kernel(kernel))

    def _require_valid_constants(self) -> None:
        if self.C.min() < SMALLEST_NORMAL:  # smaller products have lost digits
            smallest = f"got {self.C.min():g} for row {self.C.argmin()}"
            raise ValueError(f"C times weights must be positive, above 2.3e-308, {smallest}")
        if np.isinf(self.C).any() and not self.free_bias:
            raise ValueError("C must be finite, unless the bias is free: give C, or bias='free'")
        if not self.plain_hinge and self.C.max() > MAX_C:
            advice = 'for the hard margin give C=np.inf, loss="hinge" and bias="free"'
            raise ValueError(f"C must be at most {MAX_C:g}, got {self.C.max():g}; {advice}")

    def bias_cost(self, b: float) -> float:
        """Return b²/(2s²) of a penalised bias; infinity beyond floats."""
        ratio = b / self.bias_scale if self.bias_scale else 0.0
        return ratio * ratio / 2  # a power of Python's floats could raise an OverflowError

    def primal(self, scores: Scores, b: float) -> float:
        """Bound the primal value of a machine with these scores from above."""
        margin_lower, _ = scores.margins(b, self.y)
        # Losses have room for what underflows here, which is less than one of their terms.
        cost = round_up(self.bias_cost(b))
        if self.plain_hinge:
            margin = float(margin_lower.min()) if self.hard_margin else 1.0
            return cost + primal_upper_bound(scores.squared_norm, margin_lower, self.C, margin)
        # The slack is rounded by u of itself, which the last line counts.
        cost += float(self.C @ np.maximum(0, 1 - margin_lower) ** 2) + self.n * SMALLEST_SUBNORMAL
        return round_up(cost + scores.squared_norm / 2, self.n)

    def dual(self, alpha: Array, scores: Scores) -> float:
        """Bound the dual value of multipliers in the box, with their scores, from below.

        If the bias is free, they are balanced first.
        """
        cost = 0.0
        if not self.plain_hinge:
            # α/(4C) comes first, because α² may underflow.
            cost = exact_sum(alpha * (alpha / (4 * self.C))) + self.n * SMALLEST_SUBNORMAL
        if self.free_bias:
            return round_down(feasible_dual(alpha, scores, self.y, self.dual_problem.upper) - cost)
        # This is the coordinate of w along the constant feature.
        extra = self.bias_scale * exact_sum(alpha * self.y)
        squared_norm = scores.squared_norm + extra * extra
        # Without a displacement `dual_lower_bound` has 5u of its terms to spare: for u of Σα, 6u
        # of the squared norm, and 3u of the cost. If Σα is less than those,
        # `round_down` has room.
        return round_down(dual_lower_bound(exact_sum(alpha), squared_norm) - cost)

    def cost(self, values: Array, b: float) -> float:
        """Return what losses and bias cost."""
        slack = np.maximum(0, 1 - self.y * (values + b))
        return self.bias_cost(b) + float((self.C * slack ** (1 if self.plain_hinge else 2)).sum())

    def machine_scores(self, machine: Machine) -> tuple[Scores, float]:
        """Return bounded scores of the machine at the rows of X, without b, and a `diagonal_shift`.

        The shift is for the points of the machine and the rows together. If the shift is infinite,
        the machine need not be in a feature space of the rows, and its value may be below their
        optimum.
        """
        k = len(machine.points)
        both = np.vstack([pad_columns(machine.points, self.X), self.X])
        beta = np.append(machine.coefficients, np.zeros(self.n))
        if self.dual_problem.kernel.linear:
            scores, shift = linear_scores(both, beta), 0.0
        else:
            sides = np.append(np.ones(k), self.y)  # any labels of both classes
            problem = DualProblem(both, sides, 1.0, self.dual_problem.kernel)
            scores, shift = bounded_scores(problem, beta), problem.gram_matrix.diagonal_shift
        values, error, norms = scores.values[k:], scores.error[k:], scores.norms[k:]
        return replace(scores, values=values, error=error, norms=norms), shift


def _weighted_rows(
    machine: Machine, X: Array, y: Array, weights: ArrayLike | None
) -> tuple[Array, Array, Array]:
    """Return the rows of positive weight, their labels, and their factors of C."""
    factors = check_sample_weight(weights, y.size)
    positive = factors > 0
    if not positive.all():
        if machine.precomputed:
            advice = "leave these samples out of X (rows and columns), y and sample_weight"
            raise ValueError(f"sample_weight must not be zero for a Gram matrix: {advice}")
        X, y, factors = X[positive], y[positive], factors[positive]
    return X, y, factors * np.array(machine.class_weight).take(y > 0)
