"""A frame player for algorithms that are watched step by step.

Plain HTML and CSS: a row of radio buttons, one a frame, moved through with the arrow keys, a mouse
or a finger. No script runs and nothing is fetched, so it works in Jupyter and without a network;
the pages of the book put buttons and a slider in place of the row. On paper, and wherever HTML
cannot be shown, the last frame stands as a still.

>>> from svmlib.book.player import FramePlayer
>>> def draw(figure, k):
...     _ = figure.subplots().plot([0, k])
>>> player = FramePlayer("doctest", draw, ["at the start", "one step later"])
>>> sorted(player._repr_mimebundle_())
['image/png', 'text/html', 'text/plain']
>>> print(player._repr_mimebundle_()["text/plain"])
FramePlayer doctest
1/2. at the start
2/2. one step later
[Figure 4.6 x 3.5]
axes
  line #1f77b4 - (0, 0) to (1, 0)
[Figure 4.6 x 3.5]
axes
  line #1f77b4 - (0, 0) to (1, 1)
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.figure import Figure

from svmlib.book.transcript import transcript

_STYLE = """
.frame-player { display: flex; flex-wrap: wrap; gap: 4px; border: 0; margin: 0; padding: 0; }
.frame-player legend { font-size: 0.85em; padding: 0; }
.frame-player input[type="radio"] { width: 24px; height: 24px; margin: 0; }
.frame-player figure { display: none; order: 1; flex-basis: 100%; margin: 0.4rem 0 0; }
.frame-player figure img { max-width: 100%; height: auto; display: block; margin: 0 auto; }
.frame-player figcaption { color: inherit !important; text-align: center; min-height: 3.2em; }
.frame-player input:checked + figure { display: block; }
@media print {
  .frame-player input, .frame-player legend { display: none; }
  .frame-player input:checked + figure:not(:last-of-type) { display: none; }
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
        One sentence a frame: what just happened. They are also the printed form of the player,
        with a transcript of each frame.
    alts : sequence of str, optional
        One alternative text a frame: what the picture shows, for those who cannot see it. Without
        them the captions have to serve.
    figsize : (float, float)
        Width and height of a frame in inches.
    dpi : int
        Pixels an inch; the page shows 100 of them as one inch.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[[Figure, int], None],
        captions: Sequence[str],
        alts: Sequence[str] | None = None,
        *,
        figsize: tuple[float, float] = (4.6, 3.5),
        dpi: int = 150,
    ) -> None:
        self.name = name
        self.captions = list(captions)
        self.alts = self.captions if alts is None else list(alts)
        self.width, self.height = (round(100 * side) for side in figsize)
        drawn = [_frame(draw, k, figsize, dpi) for k in range(len(captions))]
        self.frames = [picture for picture, _ in drawn]
        self.transcripts = [words for _, words in drawn]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        count = len(self.frames)
        titles = [f"{k}/{count}. {caption}" for k, caption in enumerate(self.captions, 1)]
        parts = [
            f'<input type="radio" name="{self.name}" aria-label="Frame {k} of {count}"'
            f"{' checked' if k == 1 else ''}>"
            f"<figure><figcaption>{html.escape(title)}</figcaption>"
            f'<img width="{self.width}" height="{self.height}" alt="{html.escape(alt)}"'
            f' src="data:image/png;base64,{frame}"></figure>'
            for k, (frame, title, alt) in enumerate(
                zip(self.frames, titles, self.alts, strict=True), 1
            )
        ]
        return {
            "text/html": f"<style>{_STYLE}</style>"
            f'<fieldset class="frame-player"><legend>{count} frames: pick one, or step with the'
            f" arrow keys.</legend>{''.join(parts)}</fieldset>",
            "image/png": self.frames[-1],
            "text/plain": "\n".join([f"FramePlayer {self.name}", *titles, *self.transcripts]),
        }


def _frame(
    draw: Callable[[Figure, int], None], k: int, figsize: tuple[float, float], dpi: int
) -> tuple[str, str]:
    """Draw frame k; return it as a PNG in base 64, and what is written in it."""
    figure = Figure(figsize=figsize, dpi=dpi, layout="constrained")
    draw(figure, k)
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return base64.b64encode(content.getvalue()).decode("ascii"), transcript(figure)
