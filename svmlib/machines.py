r"""Certify support vector machines that other programs have trained.

A trained support vector machine is a short list of numbers, f(x) = Σ_j c_j k(z_j, x) + b, whatever
program computed it. How good these numbers are depends on the problem to be solved, which differs
from program to program:

- the loss: the hinge or its square,
- the bias: free, penalised as the weight of a constant feature, or absent,
- the constant: C, possibly one per sample, under many names.

With this module you can

- certify a machine of any program from the data alone, and get an optimal one: `certify_machine`,
- describe a machine that this module cannot read: `Machine`, or `Machine.linear` for w and b.

`certify_machine` never uses what a program says about its own accuracy. It evaluates the primal
value of the machine with all rounding accounted for, and compares it with the best lower bound that
it can find, from the machine's own multipliers, if there are any, or from our solution of the same
problem.

*One dual for all.* With α ≥ 0, Q_ij = y_i y_j k(x_i, x_j) and s the size of the constant feature,

.. math::
    \sum_i \alpha_i - \tfrac12 \alpha^\top Q \alpha
    - \tfrac{s^2}2 \Bigl(\sum_i \alpha_i y_i\Bigr)^2 - \sum_i \frac{\alpha_i^2}{4 C_i}

is a lower bound on the primal value of every machine. The third term belongs to the penalised bias;
a free bias has the equation Σ α_i y_i = 0 in its place, and without a bias there is neither. The
last term belongs to the squared hinge; the plain hinge has the bounds α_i ≤ C_i in its place.

Derived in chapter 15, *Other programs*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array
from svmlib._estimators import to_machine
from svmlib._explanation import relative_excess, suspected_constant
from svmlib._kernel_names import is_precomputed
from svmlib._machine import Bias, Loss, Machine, row_numbers, signed_labels
from svmlib._machine_problem import MachineProblem
from svmlib._machine_rows import find_multipliers
from svmlib._machine_solution import solve_machine_problem
from svmlib._rescaling import Rescaled, best_constant, with_best_bias, with_best_scale
from svmlib._rounding import UNIT_ROUNDOFF, exact_sum, round_up
from svmlib._validation import check_class_labels, check_points, check_scalar, float_type_of
from svmlib._verdict import Verdict
from svmlib._wrappers import unwrap
from svmlib.certificate import Scores, largest_violation
from svmlib.hulls import require_separable
from svmlib.kernels import KernelOrPrecomputed, check_kernel
from svmlib.problem import bounded_scores

__all__ = ["Machine", "Rescaled", "Verdict", "certify_machine"]

_GOOD_START = 0.99  # of the primal value: multipliers with such a dual value are nearly optimal


def certify_machine(
    machine: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    C: float | None = None,
    kernel: KernelOrPrecomputed | None = None,
    loss: Loss | None = None,
    bias: Bias | None = None,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-8,
) -> Verdict:
    """Say which problem a trained machine solves, and how far it is from the optimum.

    Parameters
    ----------
    machine : object
        One of

        - a fitted `SVC` or `NuSVC` of scikit-learn or a compatible library, or our `SVC`;
        - a fitted `LinearSVC` or `SGDClassifier` with a (squared) hinge, which needs no more
          arguments;
        - another estimator with ``coef_`` and ``intercept_``, with C, loss and bias;
        - a `Pipeline`, a search or a threshold around one of these (the verdict names a threshold
          but does not judge it);
        - what `svmlib.model_files` has read from a file;
        - a pair (w, b), or with ``kernel`` a pair (β, b), where β_i = y_i α_i for each row of X (of
          a Gram matrix X with ``kernel="precomputed"``); numbers alone mean the plain hinge and a
          free bias, unless you pass ``loss`` and ``bias`` (`LinearSVC` and LIBLINEAR penalise
          theirs);
        - a `Machine`.
    X : array_like of shape (n, d)
        The rows that the machine was trained on and no others, as it saw them, so after any scaler
        that is not part of `machine`; for a precomputed kernel, their Gram matrix. If you give
        other rows with w and b alone, the verdict is wrong and no error says so. If scikit-learn's
        `SVC` has a function as kernel, the rows must be in the order of training. A sparse matrix
        is made dense if that takes at most 2000 MB.
    y : array_like of shape (n,)
        Their labels, of two classes. If the machine has no labels, the larger label is positive.
        If an `SVC` or a LIBSVM model has several classes, the labels in y say which two of them are
        judged.
    C, kernel, loss, bias : optional
        What the machine does not specify, or values to use instead of its own. A pair needs `loss`
        and `bias` unless it was trained with the plain hinge and a free bias; `SVC`, `LinearSVC`,
        `SGDClassifier` and model files specify both, but after LIBLINEAR's option -R pass
        ``bias="free"``. If you give the kernel of a machine trained on a Gram matrix, X has the
        rows themselves.
    sample_weight : array_like of shape (n,), optional
        Factors of C, as given to ``fit``; for numbers and machines from a file, also the factors of
        the class weights, row by row. If LIBLINEAR, `LinearSVC` or `SGDClassifier` has one vector
        for each of several classes, only the rows of class k have a factor in the problem of class
        k: ``np.where(y == k, weight[k], 1)``. Rows of weight 0 are left out; if X is a Gram matrix,
        leave them out of X and y yourself.
    tol : float, default 1e-8
        The relative duality gap to which our own solution is computed.

    Returns
    -------
    Verdict
        It prints as a few lines.

    Raises
    ------
    ValueError
        If the machine is not one of the above, or X and y do not fit it.
    svmlib.hulls.NotSeparableError
        If C is infinite, the kernel linear, and no hyperplane separates the classes.
    svmlib.gram_matrix.CacheTooSmallError
        If there are more than about 5100 rows (a Gram matrix of more than 200 MB), the kernel is
        not linear, and the loss is squared or the bias is not free.

    Notes
    -----
    This function solves the problem itself, starting from the machine's own multipliers if these
    are nearly optimal; then it often takes a few times as long as the training, and otherwise it
    may take ten times as long or more. Sparse rows are made dense, so for many columns it may take
    hundreds of times as long (8 s instead of 0.02 s for 1500 rows with 20000 columns, with 0.3 % of
    the entries not zero).

    Examples
    --------
    >>> X, y = [[0.0], [2.0], [3.0]], [-1, 1, 1]
    >>> verdict = certify_machine(([1.0], -1.5), X, y, C=10.0)
    >>> print(verdict)  # doctest: +NORMALIZE_WHITESPACE
    check that X has the training rows and no others,
      as the machine saw them (scaled?)
    and that C, weights, loss and bias are those used in training
    minimises ½‖w‖² + C Σ max(0, 1 − y f), C = 10; bias free
    its value is at most 5.50001; the optimum is in [0.499999, 0.500001]
    so its relative excess is at most 10.1;
      0 of 3 answers differ from our own solution's
    its b is not the best for its w: -1 would give 0.500001
    """
    tol = check_scalar(tol, "tol", positive=True)
    if not (kernel is None or is_precomputed(kernel)):
        kernel = check_kernel(kernel)
    machine, X, note = unwrap(machine, X)
    points = np.ascontiguousarray(check_points(X))
    labels = check_class_labels(y, len(points))
    judged = to_machine(machine, points, labels, kernel, sample_weight)
    if callable(kernel) and judged.precomputed:  # its points are numbers of rows
        judged = replace(judged, points=points[row_numbers(judged.points, len(points))])
    settings: dict[str, Any] = {"C": C, "kernel": kernel, "loss": loss, "bias": bias}
    judged = replace(judged, **{key: value for key, value in settings.items() if value is not None})
    signs = signed_labels(judged, labels)
    problem = MachineProblem(judged, points, signs, sample_weight, float_type_of(X))
    if problem.hard_margin and problem.dual_problem.kernel.linear:
        require_separable(problem.X, problem.y)
    return _judge(problem, tol, sample_weight is not None, note)


@np.errstate(over="ignore", invalid="ignore")  # a bound beyond floats is infinite, and true
def _judge(problem: MachineProblem, tol: float, weighted: bool, estimator_note: str) -> Verdict:
    """Compare the machine with the best lower bound."""
    machine = problem.machine
    alpha, is_exact, note = find_multipliers(machine, problem.X, problem.y, problem.C)
    scores, shift = _machine_scores(problem, alpha if is_exact else None)
    primal, dual = problem.primal(scores, machine.b), _dual(problem, alpha)
    ours = solve_machine_problem(problem, tol, alpha if dual >= _GOOD_START * primal else None)
    is_comparable = shift < np.inf
    lower = max(0.0, dual, ours.dual) if is_comparable else -np.inf  # D(0) is 0
    upper = min(primal, ours.primal) if is_comparable or is_exact else ours.primal
    constant = best_constant(problem, scores)
    best_bias = with_best_bias(problem, scores, machine.b)
    if alpha is not None:
        excess = relative_excess(primal, lower)
        note = suspected_constant(alpha, problem.dual_problem.upper, excess)
    theirs = scores.values + machine.b >= 0
    return Verdict(
        machine=machine,
        n=problem.n,
        weighted=weighted,
        primal=primal,
        lower=lower,
        upper=upper,
        diagonal_shift=shift if is_comparable else 0.0,
        dual=None if alpha is None else dual,
        **_violations(problem, alpha, scores),
        multiplier_note=note,
        estimator_note=estimator_note,
        best_bias=best_bias,
        best_scale=with_best_scale(problem, scores, best_bias, constant.primal),
        constant=constant,
        negated=Rescaled(-1.0, -machine.b, problem.primal(scores.scaled(-1.0), -machine.b)),
        ours=ours.machine,
        primal_ours=ours.primal,
        n_changed=int(np.sum(theirs != (ours.scores.values + ours.machine.b >= 0))),
    )


def _machine_scores(problem: MachineProblem, alpha: Array | None) -> tuple[Scores, float]:
    """Return the scores of α, or else of the machine's points, and an η.

    Their bounds hold for K + sI, whatever s is between 0 and η. η is infinite if the kernel is not
    known to be semidefinite at the rows, or at rows and points together.
    """
    shift = problem.dual_problem.gram_matrix.diagonal_shift
    if alpha is not None:
        return bounded_scores(problem.dual_problem, alpha * problem.y), shift
    scores, other = problem.machine_scores(problem.machine)
    return scores, min(shift, other) if max(shift, other) < np.inf else np.inf


def _dual(problem: MachineProblem, alpha: Array | None) -> float:
    """Return a lower bound on the optimum that the machine's own multipliers prove."""
    if alpha is None or not problem.dual_problem.convex:
        return -np.inf
    alpha = np.clip(alpha, 0, problem.dual_problem.upper)
    return problem.dual(alpha, bounded_scores(problem.dual_problem, alpha * problem.y))


def _violations(problem: MachineProblem, alpha: Array | None, scores: Scores) -> dict[str, float]:
    """Return by how much the machine's own multipliers miss conditions, as a `Verdict` has it."""
    if alpha is None:
        return {}
    outside = np.maximum(-alpha, alpha - problem.dual_problem.upper).max()
    margin_lower, margin_upper = scores.margins(problem.machine.b, problem.y)
    slack = np.zeros(problem.n) if problem.plain_hinge else alpha / (2 * problem.C)
    # Where the slack is large, so is f or the violation, whose rounding has room for its own.
    room = 8 * UNIT_ROUNDOFF
    # A product of C and weights may have been rounded in another order than here.
    weighted = (problem.C != problem.machine.C).any()
    upper = problem.dual_problem.upper * (1 - 8 * UNIT_ROUNDOFF * weighted)
    margin_lower, margin_upper = margin_lower + slack - room, margin_upper + slack + room
    return {
        "kkt_violation": round_up(largest_violation(margin_lower, margin_upper, alpha, upper)),
        "box_violation": max(0.0, round_up(float(outside))),
        "balance_violation": problem.free_bias * round_up(abs(exact_sum(alpha * problem.y))),
    }
