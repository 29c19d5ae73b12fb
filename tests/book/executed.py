"""A pytest plugin beside nbval: look at the pictures too, and keep what was run for the pages.

nbval runs every cell and compares what it prints, but no picture. Here the picture just drawn is
held against the stored one. When all cells of a notebook have passed, their outputs go into the
cache from which `make book` makes the pages, so that nothing has to run twice.
"""

import base64
import fcntl
import io
import re

import nbformat
import numpy as np
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from matplotlib.image import imread
from nbval.plugin import IPyNbCell

from tests.book.notebooks import ROOT, varies

CACHE = ROOT / "_build" / ".jupyter_cache"
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
        item.passed = True
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    result = yield
    if isinstance(item, IPyNbCell) and (nextitem is None or nextitem.parent is not item.parent):
        keep(item.parent, item.session)
    return result


def keep(notebook, session):
    """Put a notebook into the cache if all of its cells were run, and passed, in this session."""
    cells = [item for item in session.items if item.parent is notebook]
    executed = nbformat.read(notebook.path, as_version=4)
    code = [cell for cell in executed.cells if cell.cell_type == "code"]
    if len(cells) != len(code) or not all(getattr(cell, "passed", False) for cell in cells):
        return
    for count, (cell, item) in enumerate(zip(code, cells, strict=True), start=1):
        cell.execution_count, cell.outputs = count, item.test_outputs
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE.parent / "cache.lock").open("w") as lock:  # two workers may be done at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        get_cache(CACHE).cache_notebook_bundle(
            CacheBundleIn(executed, str(notebook.path)), overwrite=True
        )
