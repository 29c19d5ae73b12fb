"""A notebook survives its reader: after Run All, any cell may be run again and prints the same.

The cells are run once more from the last to the first, with the names as they are then. This finds
a cell that reads a name which a later cell has bound to something else, that draws from a
generator which another cell has used, or that changes what it reads. All chapters together take
about twice as long as running them once. One of them: `pytest tests/book/test_rerun.py -k 03`.
"""

import re

import pytest
import sources
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")


def printed(cell):
    """Return the text of a cell's outputs, with the transcripts of figures, without pictures."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {})
        texts += [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
        texts += [f"{output.ename}: {output.evalue}"] if output.output_type == "error" else []
    return PICTURE.sub("<png>", "".join(texts))


def run_twice(chapter, folder):
    """Run all cells, then each again in reverse order; yield its source and what it printed."""
    # Files instead of ports, for the reason given in kernels.py.
    kernel = AsyncKernelManager(transport="ipc", connection_file=f"{folder}/kernel.json")
    resources = {"metadata": {"path": str(sources.ROOT / "chapters")}}
    client = NotebookClient(
        chapter, kernel, timeout=1000, startup_timeout=600, resources=resources, allow_errors=True
    )
    cells = [(i, cell) for i, cell in enumerate(chapter.cells) if cell.cell_type == "code"]
    first = {}
    with client.setup_kernel(cleanup_kc=True):
        for i, cell in cells:
            client.execute_cell(cell, i)
            first[i] = printed(cell)
        for i, cell in reversed(cells):
            client.execute_cell(cell, i)
            yield cell.source, first[i], printed(cell)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("path", sources.chapters(), ids=lambda path: path.stem)
def test_every_cell_may_be_run_again(path, tmp_path_factory):
    folder = tmp_path_factory.mktemp(
        "k"
    )  # a short name: the path of a socket has at most 107 bytes
    changed = [
        f"{source}\n--- printed at first:\n{before[:700]}\n--- and again:\n{after[:700]}"
        for source, before, after in run_twice(sources.read(path), folder)
        if before != after
    ]
    assert not changed, f"{len(changed)} cells differ:\n\n" + "\n\n=====\n\n".join(changed)
