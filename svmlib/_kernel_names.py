"""Kernels given by name, and "precomputed", the name that says that X is a Gram matrix.

Derived in chapter 5, *Kernels*.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, TypeGuard

import numpy as np

from svmlib._validation import Array
from svmlib.kernels import RBF, BaseKernel, Linear, Polynomial, Sigmoid

KernelName = Literal["linear", "poly", "rbf", "sigmoid", "precomputed"]
_NAMES: dict[str, Any] = {"linear": Linear, "poly": Polynomial, "rbf": RBF, "sigmoid": Sigmoid}


def named_kernel(name: str, **parameters: float) -> BaseKernel:
    """Return the kernel of this name, with those of the given parameters that it accepts."""
    if name not in _NAMES:
        names = [*_NAMES, "precomputed"]
        raise ValueError(f"kernel must be one of {names} or callable, got {name!r:.80}")
    accepted = {field.name: parameters[field.name] for field in fields(_NAMES[name])}
    kernel: BaseKernel = _NAMES[name](**accepted)
    return kernel


def not_libsvm_error(kernel: object) -> ValueError:
    """Return the error for a machine whose kernel other programs do not have."""
    return ValueError(f"machine must have one of LIBSVM's kernels, got {kernel!r:.80}")


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


def has_gamma(kernel: object) -> bool:
    """Return whether a kernel is given by name and takes its γ from the parameter `gamma`."""
    return isinstance(kernel, str) and kernel in ("poly", "rbf", "sigmoid")
