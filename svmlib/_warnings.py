"""The warning of a solver that stops too far from the optimum."""

from __future__ import annotations

import warnings
from math import inf
from typing import Any

from sklearn.exceptions import ConvergenceWarning


def warn_unless_converged(
    solution: Any, solver: str, tol: float, remedy: str = "", remaining: str = ""
) -> None:
    """Warn that a solver has stopped too far from the optimum; say how far, and what may help.

    `remaining` says how far; a solution without a certificate needs it, and the `remedy`.
    """
    if solution.converged:
        return
    if not remaining:
        certificate = solution.certificate
        remaining = f"KKT violation of {certificate.kkt_violation:.3g}"
        if certificate.weak_duality_holds:
            remaining = f"relative duality gap of {certificate.relative_gap:.3g}"
    if not remedy:
        remedy = "allow more iterations, scale the columns of X, or make C or gamma less extreme"
        if solution.certificate.primal == inf:
            remedy += "; or C = ∞ and no hyperplane separates the classes (see hulls.separation)"
            remedy += ", or the kernel is not positive semidefinite"
    stopped = f"{solver} stopped after {solution.n_iter} iterations with a {remaining}"
    message = f"{stopped}, rounding included, more than tol={tol:g}: {remedy}"
    warnings.warn(message, ConvergenceWarning, stacklevel=3)
