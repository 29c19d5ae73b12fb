"""Show the output of a cell as it was printed, even if the kernel cut it into pieces.

myst-nb 1.4 trims every piece before it joins them, so a page gains or loses a line break where
the kernel's buffer was emptied in the middle of a line. nbval joins the pieces as they are.
"""

from myst_nb.core import render
from nbval.plugin import coalesce_streams


def setup(app):
    render.coalesce_streams = coalesce_streams
    return {"parallel_read_safe": True}
