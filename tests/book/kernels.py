"""A pytest plugin beside nbval: a kernel that dies while it starts is started once more.

Jupyter looks for free ports, lets go of them, and tells the kernel to take them. Where other
kernels start at the same moment, one of them may have been faster; the kernel dies then, before it
has run anything.
"""

from typing import Any

import nbval.kernel

_start = nbval.kernel.start_new_kernel
ATTEMPTS = 3


def start_new_kernel(**options: Any) -> Any:
    """Return nbval's new kernel and its client, from the first attempt that succeeds."""
    for _ in range(ATTEMPTS - 1):
        try:
            return _start(**options)
        except RuntimeError as error:
            if "died" not in str(error):
                raise
    return _start(**options)


nbval.kernel.start_new_kernel = start_new_kernel
