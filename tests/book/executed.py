"""A pytest plugin beside nbval: look at the pictures too.

nbval runs every cell and compares what it prints, but no picture. Here the picture just drawn is
held against the stored one.
"""

import base64
import io
import re

import numpy as np
import pytest
from matplotlib.image import imread
from nbval.plugin import IPyNbCell

from svmlib.book.transcript import BEGINNING, VARIES

# Side of a block in pixels, and how far its mean, from white to black, may move. Small blocks see a
# marker: they are larger than what another rendering of a font moves, and a letter hinted otherwise
# is 0.28. Large ones see a pale area, and letters hinted otherwise, even a line of them, are 0.03.
FORGIVEN = {12: 0.3, 96: 0.05}


def _picture(png: str) -> np.ndarray:
    """Return the picture on white paper, with colours between 0 and 1."""
    pixels = imread(io.BytesIO(base64.b64decode(png)))
    colours, opacity = pixels[..., :3], pixels[..., 3:] if pixels.shape[-1] == 4 else 1.0
    return colours * opacity + (1 - opacity)


def _blocks(picture: np.ndarray, side: int) -> np.ndarray:
    height, width = (size // side for size in picture.shape[:2])
    whole = picture[: height * side, : width * side].reshape(height, side, width, side, 3)
    return whole.mean(axis=(1, 3))


def difference(stored: str, drawn: str) -> float:
    """Return how much the most different blocks differ, as a share of what is forgiven.

    0 is the same picture; one that has grown or shrunk by a block or more is another, infinity.
    """
    a, b = _picture(stored), _picture(drawn)
    small = min(FORGIVEN)
    if any(m // small != n // small for m, n in zip(a.shape[:2], b.shape[:2], strict=True)):
        return float("inf")
    height, width = np.minimum(a.shape[:2], b.shape[:2])
    a, b = a[:height, :width], b[:height, :width]
    return max(
        float(np.abs(_blocks(a, side) - _blocks(b, side)).max(initial=0)) / forgiven
        for side, forgiven in FORGIVEN.items()
    )


def pictures(outputs: list) -> list[str]:
    """Return the pictures among the outputs, and those inside HTML, as the frames of a player."""
    found = []
    for data in (output.get("data", {}) for output in outputs):
        found += [data["image/png"]] if "image/png" in data else []
        found += re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", data.get("text/html", ""))
    return found


def varies(outputs: list) -> bool:
    """Say whether a figure shows a line that is another on another processor.

    What else is in the figure, its transcript compares.
    """
    transcripts = (output.get("data", {}).get("text/plain", "") for output in outputs)
    return any(
        re.search(rf"^  line .* {VARIES}(:|$)", words.partition(BEGINNING)[2], re.MULTILINE)
        for words in transcripts
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    if isinstance(item, IPyNbCell):
        stored, drawn = pictures(item.cell.outputs), pictures(item.test_outputs)
        if len(stored) != len(drawn):
            pytest.fail(f"{len(stored)} pictures stored, {len(drawn)} drawn", pytrace=False)
        for number, pair in enumerate(zip(stored, drawn, strict=True)):
            # To the byte the same, as on the machine that stored it, needs no decoding.
            change = 0 if pair[0] == pair[1] else difference(*pair)
            if change > 1 and not (change < np.inf and varies(item.cell.outputs)):
                message = f"picture {number} differs by {change:.2f} of what is forgiven"
                pytest.fail(message, pytrace=False)
    return result
