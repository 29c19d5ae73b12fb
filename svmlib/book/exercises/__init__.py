"""Checks for the exercises that ask the reader for code, one module a chapter.

Each `check_…` function tries the reader's function on problems whose answer is known by another
route, and prints what is wrong with it in words. A wrong answer never raises: the checks teach.
"""

from svmlib.book.exercises.convex_hulls import (
    check_bracket,
    check_radon,
    check_reduce_weights,
)
from svmlib.book.exercises.full_smo import (
    check_line_ends,
    check_platt_step,
    check_second_order_pair,
    check_violation,
)
from svmlib.book.exercises.hinge_loss import (
    check_hinge_objective,
    check_hinge_subgradient,
    check_reduced_support,
    check_soft_bias,
)
from svmlib.book.exercises.kernels import (
    check_is_gram_matrix,
    check_kernel_perceptron,
    check_quadratic_features,
    check_rbf_gram,
)
from svmlib.book.exercises.lagrange_duality import (
    check_bias,
    check_dual,
    check_reduced_newton_step,
)
from svmlib.book.exercises.smo import (
    check_best_scale,
    check_pair_step,
    check_steepest_pair,
    check_step_within,
)

__all__ = [
    "check_best_scale",
    "check_bias",
    "check_bracket",
    "check_dual",
    "check_hinge_objective",
    "check_hinge_subgradient",
    "check_is_gram_matrix",
    "check_kernel_perceptron",
    "check_line_ends",
    "check_pair_step",
    "check_platt_step",
    "check_quadratic_features",
    "check_radon",
    "check_rbf_gram",
    "check_reduce_weights",
    "check_reduced_newton_step",
    "check_reduced_support",
    "check_second_order_pair",
    "check_soft_bias",
    "check_steepest_pair",
    "check_step_within",
    "check_violation",
]
