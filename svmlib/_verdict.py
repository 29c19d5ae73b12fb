"""The result of `svmlib.machines.certify_machine`: see `svmlib.machines`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from svmlib._arrays import Array
from svmlib._machine import Machine
from svmlib._rescaling import Rescaled
from svmlib._rounding import format_bound, format_exactly, round_up
from svmlib._validation import check_scalar
from svmlib.certificate import relative_gap

_FAR_OFF_EXCESS = 0.1  # an excess that wrong rows may cause, and which few programs leave otherwise
_VISIBLE_VIOLATION = 1e-3  # of the KKT conditions, in units of y f: programs stop at less
_LARGE_VIOLATION = 0.1  # which few programs leave on the rows and with the C of training
_NEARLY_PROVED = 0.99  # of our lower bound: multipliers that prove as much are nearly optimal
_USELESS = 0.01  # of what the optimum saves, compared with the best constant score
_NEGLIGIBLE = 1e-4  # of a value: a smaller excess or saving needs no explanation
WIDE_INTERVAL = 1e-3  # of the upper bound: an interval that says little about the optimum


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of `certify_machine`.

    Attributes
    ----------
    machine : Machine
        The machine as it was understood: classes, kernel, C, loss and bias.
    primal : float
        An upper bound on the primal value of the machine.
    lower, upper : float
        Bounds with the optimum between them. If the kernel is not known to be positive
        semidefinite, at the rows and at the points of the machine, lower is −∞.
    best_bias : Rescaled
        The machine's w with the best bias for it; t is 1.
    best_scale : Rescaled
        The t w and the bias with the least primal value, for t > 0. Multiplying w and b by t
        changes no label, so this judges the direction of w alone, unless `w_is_useless`.
    constant : Rescaled
        The machine that gives every row the same score: w = 0 and the best bias for it.
    primal_negated : float
        An upper bound on the primal value of −w and −b.
    ours : Machine
        Our own solution of the same problem, with its support vectors (or with w, if rounding
        changes their sum), ready to be used or written. Its rows are as `certify_machine` has
        judged them, so after a pipeline's scaler.
    primal_ours : float
        An upper bound on the primal value of our solution.
    n_changed : int
        The number of rows of X for which our own solution predicts another label.
    n : int
        The number of rows.
    diagonal_shift : float
        An η for which K + ηI was shown to be positive semidefinite, if this is not known of the
        Gram matrix K; else 0. All bounds are for the problem of K + ηI, and for that of K,
        if K is semidefinite.
    dual : float or None
        The lower bound that the machine's own multipliers prove, if it has any.
    kkt_violation : float or None
        An upper bound on the largest violation of the KKT conditions by its multipliers and its
        bias, in units of y f(x).
    box_violation, balance_violation : float or None
        Upper bounds on the violation of 0 ≤ α_i ≤ C_i and, if the bias is free, of Σ α_i y_i = 0 by
        its multipliers.
    note : str
        Why the multipliers could not be judged, or which evidence suggests another C; what to check
        if the machine may belong to other rows or another problem; which threshold of a wrapper is
        not judged; and whether early stopping kept rows from training, or `max_iter` ended it.
    weighted : bool
        Whether factors of C were given as `sample_weight`.

    Examples
    --------
    >>> from svmlib.machines import certify_machine
    >>> verdict = certify_machine(([1.0], -1.5), [[0.0], [2.0], [3.0]], [-1, 1, 1], C=10.0)
    >>> verdict.is_optimal(1e-3), round(verdict.excess, 3)
    (False, 10.0)
    >>> verdict.bias_is_at_fault, verdict.best_bias.b, round(verdict.best_bias.primal, 6)
    (True, -1.0, 0.5)
    """

    machine: Machine
    primal: float
    lower: float
    upper: float
    best_bias: Rescaled
    best_scale: Rescaled
    constant: Rescaled
    primal_negated: float
    ours: Machine
    primal_ours: float
    n_changed: int
    n: int
    diagonal_shift: float = 0.0
    dual: float | None = None
    kkt_violation: float | None = None
    box_violation: float | None = None
    balance_violation: float | None = None
    note: str = ""
    weighted: bool = False

    @property
    def excess(self) -> float:
        """An upper bound on the primal value's excess over the optimum, as a multiple of it."""
        return self._excess_of(self.primal)

    @property
    def is_far_off(self) -> bool:
        """Whether the excess is so large that wrong rows or labels are the likely cause."""
        return self.excess > _FAR_OFF_EXCESS

    @property
    def is_suspect(self) -> bool:
        """Whether training with other rows, or another C, loss or bias, is a likely explanation.

        If there are multipliers, they violate the KKT conditions by a tenth or more, and the excess
        is above 0.01 %; or the excess is above a tenth, and they do not prove it. Without
        multipliers an excess above a tenth decides.
        """
        if self.dual is None or self.kkt_violation is None:
            return self.is_far_off
        if self.kkt_violation >= _LARGE_VIOLATION and self.excess > _NEGLIGIBLE:
            return True
        return self.is_far_off and self.dual < _NEARLY_PROVED * self.lower

    @property
    def w_is_useless(self) -> bool:
        """Whether no length of w saves 1 % of what the optimum saves, compared with w = 0."""
        without, best = self.constant.primal, self.best_scale.primal
        return bool(without - best <= _USELESS * (without - self.lower) < np.inf)

    @property
    def excess_best_scale(self) -> float:
        """What remains of `excess` with the best scale of w and the best bias for that w."""
        return self._excess_of(self.best_scale.primal)

    def _excess_of(self, primal: float) -> float:
        return round_up((primal - self.lower) / self.lower) if self.lower > 0 else np.inf

    @property
    def relative_gap(self) -> float:
        """The gap between primal value and lower bound, as a fraction of the primal value."""
        return relative_gap(self.primal, self.lower)

    @property
    def bias_is_at_fault(self) -> bool:
        """Whether another bias would save more than half of the excess, and 0.01 %."""
        return self._is_better(self.best_bias.primal, self.primal)

    def _is_better(self, primal: float, before: float) -> bool:
        return bool(before - primal > max((before - self.lower) / 2, _NEGLIGIBLE * before))

    @property
    def is_comparable(self) -> bool:
        """Whether our own solution is proved to be within a thousandth of the optimum."""
        return bool(self.primal_ours - self.lower <= WIDE_INTERVAL * self.primal_ours < np.inf)

    def is_optimal(self, tol: float) -> bool:
        """Return whether the machine is proved optimal to a relative gap of at most `tol`."""
        return bool(self.relative_gap <= check_scalar(tol, "tol", finite=False))

    def __str__(self) -> str:
        m = self.machine
        loss = "max(0, 1 − y f)" + ("²" if m.loss == "squared_hinge" else "")
        bias = f"penalised, b²/(2·{m.intercept_scaling:g}²)" if m.bias == "penalised" else m.bias
        pairs = zip(m.classes, m.class_weight, strict=True) if m.class_weight != (1, 1) else ()
        weights = "".join(f", times {weight:.4g} for {label!r}" for label, weight in pairs)
        two_digits = partial(format_bound, digits=2)
        weights += ", times sample_weight" if self.weighted else ""
        low, high = format_bound(self.lower, up=False), format_bound(self.upper)
        primal = format_bound(self.primal)
        excess = format_bound(self.excess, digits=3)
        matrix = ""
        if self.diagonal_shift:
            shift = two_digits(self.diagonal_shift)
            matrix = f", for the Gram matrix with {shift} added to its diagonal"
        lines = [
            f"minimises ½‖w‖² + C Σ {loss}, C = {m.C:g}{weights}; bias {bias}",
            f"its value is at most {primal}; the optimum is in [{low}, {high}]{matrix}",
            f"so its relative excess is at most {excess}; {self._comparison()}",
        ]
        if self.lower == -np.inf:
            why = "the kernel is not known to be positive semidefinite"
            lines[1:] = [f"its value is at most {primal}; that proves nothing: {why}"]
        if self.dual is not None and self.kkt_violation is not None:
            proved = f"prove {format_bound(self.dual, up=False)}; they "
            proved = proved if self.lower > -np.inf else ""
            lines.append(
                f"its multipliers {proved}miss their box by {two_digits(self.box_violation or 0)}, "
                f"balance by {two_digits(self.balance_violation or 0)}, the KKT conditions by "
                f"{two_digits(self.kkt_violation)}"
                f"{self._cost_of_violation(self.dual, self.kkt_violation)}"
            )
        lines += self._faults()
        lines.insert(0 if self.is_far_off else len(lines), self.note)
        return "\n".join(filter(None, lines))

    def _comparison(self) -> str:
        if self.is_comparable:
            return f"{self.n_changed} of {self.n} answers differ from our own solution's"
        advice = "scale the columns, or pass multipliers (β, b)"
        return f"our own solution did not converge:\nthe bounds hold, but say little; {advice}"

    def _cost_of_violation(self, dual: float, violation: float) -> str:
        """Return a remark if multipliers violate conditions only close to their bounds.

        The duality gap is at least a violation times the distance of α_i from its bound.
        """
        visible = violation >= _VISIBLE_VIOLATION
        note = ",\nat multipliers so near their bounds that it costs nothing"
        costs_nothing = self.primal - dual <= 1e-6 * self.primal < np.inf
        return note if visible and costs_nothing else ""

    def _faults(self) -> list[str]:
        """Say what is wrong with the sign of the score, with b or with the length of w."""
        if self.is_far_off and self.primal_negated < self.primal / 2:
            value = format_bound(self.primal_negated)
            wrong = "does its score have the other sign, or are the labels swapped?"
            return [f"−w and −b would give {value}: {wrong}"]
        lines = []
        if self.bias_is_at_fault:
            b, value = format_exactly(self.best_bias.b), format_bound(self.best_bias.primal)
            lines.append(f"its b is not the best for its w: {b} would give {value}")
        t, b = format_exactly(self.best_scale.t), format_exactly(self.best_scale.b)
        left = format_bound(self.excess_best_scale, digits=3)
        if self.w_is_useless and self.excess > _NEGLIGIBLE:
            b = format_exactly(self.constant.b)
            left = format_bound(self._excess_of(self.constant.primal), digits=3)
            lines.append(f"its w is useless at any length: w = 0 and b = {b} leave {left}")
        elif self._is_better(self.best_scale.primal, self.best_bias.primal):
            best = f"{t} w and b = {b} leave {left}"
            lines.append(f"its w does not have the best length: {best}")
        return lines


def constant_hint(alpha: Array, bounds: Array, excess: float) -> str:
    """Return a request for C if multipliers exceed their bounds, or all end at a part of them."""
    fractions = alpha / bounds
    largest = float(fractions.max())
    together = fractions >= largest * (1 - 1e-9)
    if largest > 1.01:
        return (
            "a multiplier exceeds its bound: C was larger, or class weights belong in sample_weight"
        )
    if 0 < largest < 0.99 and together.sum() > 2 and excess > 1e-3:
        evidence = f"{together.sum()} multipliers are {largest:.6g} times their C"
        return f"{evidence}, and none is above: was C smaller by this factor?"
    return ""
