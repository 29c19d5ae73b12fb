"""A pytest plugin beside nbval: its kernels talk through files.

Jupyter looks for free ports, lets go of them, and tells the kernel to take them. Where other
kernels start at the same moment, one of them may be faster, and the kernel dies. Files have names
of their own.
"""

import itertools
import tempfile

import nbval.kernel
from jupyter_client.manager import KernelManager

_FOLDER = tempfile.TemporaryDirectory(prefix="kernels-")  # goes when Python ends
_numbers = itertools.count()


def manager(**options):
    """Return the manager of a kernel whose sockets lie beside its connection file."""
    file = f"{_FOLDER.name}/{next(_numbers)}.json"
    return KernelManager(transport="ipc", connection_file=file, **options)


nbval.kernel.KernelManager = manager
