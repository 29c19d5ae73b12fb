"""The result of `svmlib.machines.certify_machine`, in numbers; `svmlib._explanation` has the words.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import dataclass

from svmlib._explanation import (
    describe_bounds,
    describe_comparison,
    describe_faults,
    describe_multipliers,
    describe_problem,
    is_far_off,
    relative_excess,
    suspected_cause,
)
from svmlib._machine import Machine
from svmlib._rescaling import Rescaled
from svmlib._validation import check_scalar
from svmlib.certificate import relative_gap


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdict:
    """The result of `certify_machine`. It prints as a few lines, which also name likely faults.

    Attributes
    ----------
    machine : Machine
        The machine as it was understood: classes, kernel, C, loss and bias.
    n : int
        The number of rows.
    weighted : bool
        Whether factors of C were given as `sample_weight`.
    primal : float
        An upper bound on the primal value of the machine.
    lower, upper : float
        Bounds with the optimum between them. If the kernel is not known to be positive
        semidefinite, at the rows and at the points of the machine, lower is −∞.
    diagonal_shift : float
        An η for which K + ηI was shown to be positive semidefinite, if this is not known for the
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
    multiplier_note : str
        Why the multipliers could not be judged, or how they suggest another C.
    estimator_note : str
        What may explain the machine of an estimator, namely early stopping or `max_iter`, and which
        threshold of a wrapper is not judged.
    best_bias : Rescaled
        The machine's w with the best bias for it; t is 1.
    best_scale : Rescaled
        The t w and the bias with the least primal value, for t > 0. Multiplying w and b by t
        changes no label, so this judges the direction of w alone, unless `constant` is as good.
    constant : Rescaled
        The machine that gives every row the same score: w = 0 and the best bias for it.
    negated : Rescaled
        The machine with −w and −b.
    ours : Machine
        Our own solution of the same problem, with its support vectors (or with w, if rounding
        changes their sum), ready to be used or written. Its rows are as `certify_machine` has
        judged them, so after a pipeline's scaler.
    primal_ours : float
        An upper bound on the primal value of our solution.
    n_changed : int
        The number of rows of X for which our own solution predicts another label.

    Examples
    --------
    >>> from svmlib.machines import certify_machine
    >>> X, y = [[0.0], [2.0], [3.0]], [-1, 1, 1]
    >>> verdict = certify_machine(([1.0], -1.5), X, y, C=10.0)
    >>> verdict.is_optimal(1e-3), round(verdict.excess, 3)
    (False, 10.0)
    >>> verdict.best_bias.b, round(verdict.best_bias.primal, 6)
    (-1.0, 0.5)
    """

    machine: Machine
    n: int
    weighted: bool
    primal: float
    lower: float
    upper: float
    diagonal_shift: float
    dual: float | None = None
    kkt_violation: float | None = None
    box_violation: float | None = None
    balance_violation: float | None = None
    multiplier_note: str
    estimator_note: str
    best_bias: Rescaled
    best_scale: Rescaled
    constant: Rescaled
    negated: Rescaled
    ours: Machine
    primal_ours: float
    n_changed: int

    @property
    def excess(self) -> float:
        """An upper bound on the primal value's excess over the optimum, as a multiple of it."""
        return relative_excess(self.primal, self.lower)

    @property
    def excess_best_scale(self) -> float:
        """What remains of `excess` with the best scale of w and the best bias for that w."""
        return relative_excess(self.best_scale.primal, self.lower)

    @property
    def relative_gap(self) -> float:
        """The gap between primal value and lower bound, as a fraction of the primal value."""
        return relative_gap(self.primal, self.lower)

    def is_optimal(self, tol: float) -> bool:
        """Return whether the machine is proved optimal to a relative gap of at most `tol`."""
        return bool(self.relative_gap <= check_scalar(tol, "tol", finite=False))

    def __str__(self) -> str:
        rescaled = self.best_bias, self.best_scale, self.constant, self.negated
        violations = self.kkt_violation, self.box_violation, self.balance_violation
        findings = [
            describe_problem(self.machine, self.weighted),
            describe_bounds(self.primal, self.lower, self.upper, self.diagonal_shift),
            describe_comparison(self.excess, self.lower, self.primal_ours, self.n_changed, self.n),
            describe_multipliers(self.primal, self.lower, self.dual, *violations),
            describe_faults(self.primal, self.lower, *rescaled),
        ]
        cause = self.multiplier_note or suspected_cause(
            self.excess, self.lower, self.primal_ours, self.dual, self.kkt_violation
        )
        notes = [cause, self.estimator_note]
        lines = notes + findings if is_far_off(self.excess) else findings + notes
        return "\n".join(filter(None, lines))
