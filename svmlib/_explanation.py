"""What a verdict says in words: see `svmlib.machines`.

Each function whose name begins with ``describe_`` returns some lines of a printed `Verdict`, or
none; its arguments are attributes of the verdict.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from svmlib._arrays import Array
from svmlib._machine import Machine
from svmlib._machine_rows import ROW_HINT
from svmlib._machine_solution import is_wide
from svmlib._rescaling import Rescaled
from svmlib._rounding import format_bound, format_exactly, round_up

_FAR_OFF_EXCESS = 0.1  # an excess that wrong rows may cause, and which few programs leave otherwise
_VISIBLE_VIOLATION = 1e-3  # of the KKT conditions, in units of y f: programs stop at less
_LARGE_VIOLATION = 0.1  # which few programs leave on the rows and with the C of training
_NEARLY_PROVED = 0.99  # of our lower bound: multipliers that prove as much are nearly optimal
_USELESS = 0.01  # of what the optimum saves, compared with the best constant score
_NEGLIGIBLE = 1e-4  # of a value: a smaller excess or saving needs no explanation
_two_digits = partial(format_bound, digits=2)


def relative_excess(primal: float, lower: float) -> float:
    """Return (P − D)/D, rounded up; infinity if D is not positive."""
    return round_up((primal - lower) / lower) if lower > 0 else np.inf


def is_far_off(excess: float) -> bool:
    """Return whether an excess is so large that wrong rows or labels are the likely cause."""
    return excess > _FAR_OFF_EXCESS


def describe_problem(machine: Machine, weighted: bool) -> str:
    """Return the problem of the machine: loss, C, factors of C and bias."""
    loss = "max(0, 1 − y f)" + ("²" if machine.loss == "squared_hinge" else "")
    bias = str(machine.bias)
    if bias == "penalised":
        bias += f", b²/(2·{machine.intercept_scaling:g}²)"
    weights = ""
    if machine.class_weight != (1, 1):
        for label, weight in zip(machine.classes, machine.class_weight, strict=True):
            weights += f", times {weight:.4g} for {label!r}"
    weights += ", times sample_weight" if weighted else ""
    return f"minimises ½‖w‖² + C Σ {loss}, C = {machine.C:g}{weights}; bias {bias}"


def describe_bounds(primal: float, lower: float, upper: float, diagonal_shift: float) -> str:
    """Return the bounds on the machine's value and on the optimum."""
    value = f"its value is at most {format_bound(primal)}"
    if lower == -np.inf:
        return f"{value}; that proves nothing: the kernel is not known to be positive semidefinite"
    matrix = ""
    if diagonal_shift:
        shift = _two_digits(diagonal_shift)
        matrix = f", for the Gram matrix with {shift} added to its diagonal"
    interval = f"[{format_bound(lower, up=False)}, {format_bound(upper)}]"
    return f"{value}; the optimum is in {interval}{matrix}"


def describe_comparison(
    excess: float, lower: float, primal_ours: float, n_changed: int, n: int
) -> str:
    """Return the excess, and how many labels differ from those of our own solution."""
    if lower == -np.inf:
        return ""
    answers = f"{n_changed} of {n} answers differ from our own solution's"
    if is_wide(lower, primal_ours):
        advice = "scale the columns, or pass multipliers (β, b)"
        answers = f"our own solution did not converge:\nthe bounds hold, but say little; {advice}"
    return f"so its relative excess is at most {format_bound(excess, digits=3)}; {answers}"


def describe_multipliers(
    primal: float,
    lower: float,
    dual: float | None,
    kkt_violation: float | None,
    box_violation: float | None,
    balance_violation: float | None,
) -> str:
    """Return what the machine's multipliers prove, and by how much they miss conditions."""
    if dual is None or kkt_violation is None:
        return ""
    proved = f"prove {format_bound(dual, up=False)}; they " if lower > -np.inf else ""
    line = (
        f"its multipliers {proved}violate their box by {_two_digits(box_violation or 0)}, "
        f"balance by {_two_digits(balance_violation or 0)}, the KKT conditions by "
        f"{_two_digits(kkt_violation)}"
    )
    # The duality gap is at least a violation times the distance of α_i from its bound.
    if kkt_violation >= _VISIBLE_VIOLATION and primal - dual <= 1e-6 * primal < np.inf:
        line += ",\nat multipliers so near their bounds that it costs nothing"
    return line


def describe_faults(
    primal: float,
    lower: float,
    best_bias: Rescaled,
    best_scale: Rescaled,
    constant: Rescaled,
    negated: Rescaled,
) -> str:
    """Return what is wrong with the sign of the score, with b or with the length of w."""
    excess = relative_excess(primal, lower)
    if is_far_off(excess) and negated.primal < primal / 2:
        wrong = "does its score have the other sign, or are the labels swapped?"
        return f"−w and −b would give {format_bound(negated.primal)}: {wrong}"
    lines = []
    if _saves_most(best_bias.primal, primal, lower):
        b, value = format_exactly(best_bias.b), format_bound(best_bias.primal)
        lines.append(f"its b is not the best for its w: {b} would give {value}")
    useless = constant.primal - best_scale.primal <= _USELESS * (constant.primal - lower) < np.inf
    if useless and excess > _NEGLIGIBLE:
        lines.append(f"its w is useless at any length: w = 0 and {_remainder(constant, lower)}")
    elif _saves_most(best_scale.primal, best_bias.primal, lower):
        t = format_exactly(best_scale.t)
        remainder = _remainder(best_scale, lower)
        lines.append(f"its w does not have the best length: {t} w and {remainder}")
    return "\n".join(lines)


def _saves_most(primal: float, before: float, lower: float) -> bool:
    """Return whether a value saves more than half of the excess of another, and 0.01 %."""
    return before - primal > max((before - lower) / 2, _NEGLIGIBLE * before)


def _remainder(rescaled: Rescaled, lower: float) -> str:
    excess = format_bound(relative_excess(rescaled.primal, lower), digits=3)
    return f"b = {format_exactly(rescaled.b)} leave an excess of {excess}"


def suspected_cause(
    excess: float,
    lower: float,
    primal_ours: float,
    dual: float | None,
    kkt_violation: float | None,
) -> str:
    """Return what to check if training with other rows or on another problem is a likely cause.

    If there are multipliers, they violate the KKT conditions by a tenth or more, and the excess
    is above 0.01 %; or the excess is above a tenth, and they do not prove it. Without
    multipliers an excess above a tenth decides.
    """
    likely = is_far_off(excess)
    if dual is not None and kkt_violation is not None:
        likely = likely and dual < _NEARLY_PROVED * lower
        likely = likely or (kkt_violation >= _LARGE_VIOLATION and excess > _NEGLIGIBLE)
    if not likely or is_wide(lower, primal_ours):  # then the excess may be due to our own solution
        return ""
    return f"{ROW_HINT}\nand that C, weights, loss and bias are those used in training"


def suspected_constant(alpha: Array, bounds: Array, excess: float) -> str:
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
