"""The w of a machine with its best length and its best bias: see `svmlib.machines`.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from svmlib._arrays import Array
from svmlib._machine_problem import MachineProblem
from svmlib._rounding import MAX_NORM, in_few_digits
from svmlib.certificate import Scores
from svmlib.problem import best_bias_interval


class Rescaled(NamedTuple):
    """The machine t w + b: the w of a machine with another length, another bias, or both.

    Attributes
    ----------
    t : float
        The factor of w.
    b : float
        The bias, in as few digits as matter.
    primal : float
        An upper bound on the primal value of t w and b.
    """

    t: float
    b: float
    primal: float


def _bias_of_least_primal(problem: MachineProblem, values: Array) -> float:
    """Return the bias with the least primal value, of which it is a convex function."""
    if problem.machine.bias == "none":
        return 0.0
    if problem.hard_margin:  # halfway between the classes
        return -float(values[problem.y > 0].min() + values[problem.y < 0].max()) / 2
    breakpoints = (problem.y - values).clip(-MAX_NORM, MAX_NORM)
    if problem.plain_hinge and not problem.bias_scale:
        return float(best_bias_interval(breakpoints, problem.y, problem.C).mean())

    def cost(b: float) -> float:
        return problem.cost(values, b)

    ends = min(0.0, breakpoints.min()), max(0.0, breakpoints.max())
    best = float(minimize_scalar(cost, bounds=ends, options={"xatol": 1e-12}).x)
    return min(best, 0.0, key=cost)  # any other may cost infinity


def best_constant(problem: MachineProblem, scores: Scores) -> Rescaled:
    """Return w = 0 with its best bias, from the scores of any w."""
    zero = np.zeros(problem.n)
    scores = replace(scores, values=zero, error=zero, squared_norm=0.0)
    return _with_bias_in_few_digits(problem, 0.0, scores)


def _with_bias_in_few_digits(problem: MachineProblem, t: float, scores: Scores) -> Rescaled:
    """Return t w, whose scores are given, with its best bias in few digits."""
    b = _bias_of_least_primal(problem, scores.values)
    b = in_few_digits(b, lambda b: problem.primal(scores, b))
    return Rescaled(t, b, problem.primal(scores, b))


def with_best_bias(problem: MachineProblem, scores: Scores, b: float) -> Rescaled:
    """Return w, whose scores are given, with its best bias in few digits, or with b."""
    given = Rescaled(1.0, b, problem.primal(scores, b))
    return min(_with_bias_in_few_digits(problem, 1.0, scores), given, key=attrgetter("primal"))


def with_best_scale(
    problem: MachineProblem, scores: Scores, best_bias: Rescaled, constant: float
) -> Rescaled:
    """Return the t w and its bias with the least primal value, from w and its best bias.

    The least value over b is convex in t. At its best t it is below the one at 0, which is at most
    `constant`, so t is at most `longest`. The hard margin takes any scale: its value is that of the
    canonical form.
    """
    if problem.hard_margin or scores.squared_norm <= 0:
        return best_bias
    longest = np.sqrt(2 * constant) / np.sqrt(scores.squared_norm)

    def bias(t: float) -> float:
        return _bias_of_least_primal(problem, t * scores.values)

    def cost(u: float) -> float:
        t = float(longest * np.exp(-u))
        squared_norm = t * (t * scores.squared_norm)  # t² may be beyond floats
        return squared_norm / 2 + problem.cost(t * scores.values, bias(t))

    u = minimize_scalar(cost, bounds=(0, 20), options={"xatol": 1e-10}).x
    t = float(longest * np.exp(-u))
    t = in_few_digits(t, lambda t: problem.primal(scores.scaled(t), bias(t)))
    rescaled = _with_bias_in_few_digits(problem, t, scores.scaled(t))
    return min(best_bias, rescaled, key=attrgetter("primal"))
