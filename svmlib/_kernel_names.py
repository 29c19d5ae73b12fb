"""Kernels given by name, and "precomputed", the name that says that X is a Gram matrix.

Derived in chapter 5, *Kernels*.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from svmlib._arrays import Array
from svmlib._validation import check_scalar, float_type_of, require_choice
from svmlib.kernels import RBF, BaseKernel, Kernel, Linear, Polynomial, Precomputed, Sigmoid

KernelName = Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
_NAMES: dict[str, Any] = {"linear": Linear, "poly": Polynomial, "rbf": RBF, "sigmoid": Sigmoid}


def named_kernel(name: str, **parameters: float) -> BaseKernel:
    """Return the kernel of this name, with those of the given parameters that it accepts."""
    require_choice(name, "kernel", (*_NAMES, "precomputed"), "; it may also be callable")
    accepted = {field.name: parameters[field.name] for field in fields(_NAMES[name])}
    kernel: BaseKernel = _NAMES[name](**accepted)
    return kernel


def not_libsvm_error(kernel: object) -> ValueError:
    """Return the error for a machine whose kernel other programs do not have."""
    return ValueError(f"machine must have one of LIBSVM's kernels, got {kernel!r:.80}")


def has_gamma(kernel: object) -> bool:
    """Return whether a kernel is given by name and takes its γ from the parameter `gamma`."""
    return isinstance(kernel, str) and kernel in ("poly", "rbf", "sigmoid")


def resolve_kernel(
    kernel: Kernel | str, X: Array, weights: Array, X_given: ArrayLike, **named: Any
) -> Kernel:
    """Return the kernel of `svmlib.svc.SVC`, with its `degree`, `gamma` and `coef0` as numbers.

    For "precomputed", X is the Gram matrix K, in the precision of the matrix that was given.
    """
    if callable(kernel):
        return kernel
    if is_precomputed(kernel):
        return Precomputed(X, "X", float_type_of(X_given), copy=False)
    if has_gamma(kernel):
        named["gamma"] = resolve_gamma(named["gamma"], X, weights)
    return named_kernel(kernel, **named)


def resolve_gamma(gamma: str | float, X: Array, weights: Array, name: str = "gamma") -> float:
    """Return γ; for "scale" it is 1 if all entries of X are the same."""
    if isinstance(gamma, str) and gamma == "auto":
        return 1 / float(X.shape[1])
    if not (isinstance(gamma, str) and gamma == "scale"):
        return check_scalar(gamma, f'{name}, if not "scale" or "auto",', positive=True)
    with np.errstate(all="ignore"):
        normalised = weights / weights.sum()
        variance = (normalised @ (X - (normalised @ X).mean()) ** 2).mean()
        scale = float(1 / (X.shape[1] * variance)) if X.min() < X.max() else 1.0
    return check_scalar(scale, 'gamma="scale", 1 / (d · variance of X),', positive=True)


# A Gram matrix in place of X: what follows if the kernel is the name "precomputed". Then a row of X
# has the kernel values of a sample and all training samples, and a point is the number of a
# training sample, as `svmlib.kernels.Precomputed` looks it up.


def is_precomputed(kernel: object) -> TypeGuard[Literal["precomputed"]]:
    """Return whether the kernel is the name "precomputed", so that X is a Gram matrix."""
    # The == of a kernel may return something other than a Boolean, as that of an array does.
    return isinstance(kernel, str) and kernel == "precomputed"


def kernel_points(kernel: object, X: Array) -> Array:
    """Return the points that stand for the training samples: X, or the numbers of its rows."""
    return np.arange(float(len(X)))[:, None] if is_precomputed(kernel) else X
