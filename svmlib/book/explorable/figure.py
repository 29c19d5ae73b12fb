"""A figure to take hold of: a still and the data with which the script brings it to life."""

from __future__ import annotations

import base64
import html
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from svmlib.book import plotting
from svmlib.book.transcript import transcript

_HERE = Path(__file__).parent
# Beside this package in a wheel, in _static/ in the repository, where the pages load them from.
_SCRIPTS = next(
    folder
    for folder in (_HERE.with_name("explorables"), _HERE.parents[2] / "_static" / "explorables")
    if folder.exists()
)
# Besides the part that all share: the parts of the script that draw a figure, in their order.
_PARTS = {
    "street": ("hulls", "street"),
    "villages": ("hulls", "villages"),
    "units": ("hulls", "units"),
    "forces": ("hulls", "street"),
    "outlier": ("hulls", "soft", "outlier"),
    "lift": ("soft", "lift"),
    "rbf": ("soft", "contour", "rbf"),
    "box": ("soft", "contour", "box"),
    "race": ("soft", "race"),
}


def scripts(kind: str) -> list[str]:
    """Return the files of the script that figures of a kind need, in the order of loading.

    >>> scripts("outlier")
    ['core.js', 'hulls.js', 'soft.js', 'outlier.js']
    """
    return [f"{part}.js" for part in ("core", *_PARTS.get(kind, (kind,)))]


class Explorable:
    """A figure that the reader can take hold of, with a still of the same data.

    Show it as the last expression of a cell. The functions of this module make them.

    Parameters
    ----------
    kind : str
        Which piece of the script draws it.
    name : str
        Letters, digits and hyphens, a letter first. The page's anchor: ``#name?…`` leads to a
        situation.
    data : dict
        What the script needs, in values that JSON knows.
    draw : callable (figure) -> None
        Draws the still into an empty matplotlib figure.
    alt : str
        The alternative text of the still: what it shows.
    figsize : (float, float)
        Width and height of the still in inches.

    Raises
    ------
    ValueError
        If the name has other characters, or begins with one that is no letter.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        data: dict[str, Any],
        draw: Callable[[Figure], None],
        alt: str,
        *,
        figsize: tuple[float, float],
    ) -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
            raise ValueError(
                f"name must be letters, digits and hyphens, a letter first, got {name!r}"
            )
        self.name = name
        self.alt = alt
        self.data = {"kind": kind, **data}
        self.width, self.height = (round(100 * side) for side in figsize)
        with mpl.rc_context():
            plotting.use_style()
            figure = Figure(figsize=figsize, dpi=150, layout="constrained")
            draw(figure)
            content = io.BytesIO()
            figure.savefig(content, format="png", metadata={"Software": None})
        self.still = base64.b64encode(content.getvalue()).decode("ascii")
        self.transcript = transcript(figure)

    def html(self, *, alive: bool = False) -> str:
        """Return the figure as HTML; alive means that it brings script and style along."""
        # Inside a script element only "</" could end the data.
        data = json.dumps(self.data, ensure_ascii=False).replace("</", "<\\/")
        page = (
            f'<div class="explorable" id="{self.name}">'
            f'<img class="still" width="{self.width}" height="{self.height}"'
            f' alt="{html.escape(self.alt)}" src="data:image/png;base64,{self.still}">'
            f'<script type="application/json">{data}</script></div>'
        )
        if alive:
            style, *script = (
                (_SCRIPTS / file).read_text(encoding="utf-8")
                for file in ("style.css", *scripts(self.data["kind"]))
            )
            page += f"<style>{style}</style><script>{''.join(script)}svmExplorable.scan();</script>"
        return page

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {
            "text/html": self.html(alive=_someone_is_there()),
            "image/png": self.still,
            "text/plain": f"Explorable {self.name}: {self.alt}\n{self.transcript}",
        }


def _someone_is_there() -> bool:
    """Tell whether a person runs this cell: their front end can be asked for input.

    When the book is built nobody can be asked, and the page brings the script itself.
    """
    if "IPython" not in sys.modules:
        return False
    kernel = getattr(sys.modules["IPython"].get_ipython(), "kernel", None)
    if kernel is None:
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin", False))
