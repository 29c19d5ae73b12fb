"""A frame player for algorithms that are watched step by step.

Plain HTML and CSS: a row of radio buttons, one a frame, moved through with the arrow keys, a mouse
or a finger. No script runs and nothing is fetched, so it works in the page, in Jupyter and without
a network; on paper, and wherever HTML cannot be shown, the last frame stands as a still.

>>> from svmlib.book.player import FramePlayer
>>> def draw(figure, k):
...     _ = figure.subplots().plot([0, k])
>>> player = FramePlayer("doctest", draw, ["at the start", "one step later"])
>>> sorted(player._repr_mimebundle_())
['image/png', 'text/html', 'text/plain']
"""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.figure import Figure

_STYLE = """
.frame-player { display: flex; flex-wrap: wrap; gap: 0; border: 0; margin: 0; padding: 0; }
.frame-player legend { font-size: 0.85em; padding: 0; }
.frame-player input { width: 24px; height: 24px; margin: 0; accent-color: #0072B2; }
.frame-player figure { display: none; order: 1; flex-basis: 100%; margin: 0.4rem 0 0; }
.frame-player figure img { max-width: 100%; height: auto; display: block; margin: 0 auto; }
.frame-player figcaption { color: inherit !important; text-align: center; min-height: 3.2em; }
.frame-player input:checked + figure { display: block; }
@media print {
  .frame-player input, .frame-player legend, .frame-player input + figure { display: none; }
  .frame-player figure:last-of-type { display: block; }
}
"""


class FramePlayer:
    """Frames of a process, to be stepped through by the reader.

    Show it as the last expression of a cell.

    Parameters
    ----------
    name : str
        Letters, digits and hyphens; tells the players of one page apart.
    draw : callable (figure, k) -> None
        Draws frame k = 0, 1, … into an empty figure.
    captions : sequence of str
        One sentence a frame: what just happened. It is also the frame's alternative text.
    figsize : (float, float)
        Width and height of a frame in inches.
    dpi : int
        Pixels an inch; the page shows 100 of them as one inch.

    Raises
    ------
    ValueError
        If there is no caption, or the name has other characters.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[Figure, int], None],
        captions: Sequence[str],
        *,
        figsize: tuple[float, float] = (5.4, 4.0),
        dpi: int = 150,
    ) -> None:
        if not re.fullmatch(r"[A-Za-z0-9-]+", name):
            raise ValueError(f"name must be letters, digits and hyphens, got {name!r}")
        if not captions:
            raise ValueError("captions must hold one sentence a frame, got none")
        self.name = name
        self.captions = list(captions)
        self.width = round(100 * figsize[0])
        self.frames = []
        for k in range(len(self.captions)):
            figure = Figure(figsize=figsize, dpi=dpi, layout="constrained")
            draw(figure, k)
            content = io.BytesIO()
            figure.savefig(content, format="png", metadata={"Software": None})
            self.frames.append(base64.b64encode(content.getvalue()).decode("ascii"))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        count = len(self.frames)
        parts = []
        for k, (frame, caption) in enumerate(zip(self.frames, self.captions, strict=True)):
            text = html.escape(caption)
            parts.append(
                f'<input type="radio" name="{self.name}" aria-label="Frame {k + 1} of {count}"'
                f"{' checked' if k == 0 else ''}>"
                f'<figure><img width="{self.width}" alt="{text}"'
                f' src="data:image/png;base64,{frame}">'
                f"<figcaption>{k + 1}/{count}. {text}</figcaption></figure>"
            )
        return {
            "text/html": f"<style>{_STYLE}</style>"
            '<fieldset class="frame-player"><legend>Pick a frame; arrow keys step.</legend>'
            f"{''.join(parts)}</fieldset>",
            "image/png": self.frames[-1],
            "text/plain": f"FramePlayer {self.name}: {count} frames",
        }
