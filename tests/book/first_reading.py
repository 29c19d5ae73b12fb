"""Write each chapter without its second reading, and print where: nothing before may need it.

A chapter has one part, headed *Second reading*, that a first reader may skip. `.ci/run` has nbval
run what is left in fresh kernels and compare it with what the whole chapter has stored.
"""

import re
from collections.abc import Iterator

import nbformat

from tests.book import ROOT, notebooks

PART = "Second reading"
FOLDER = ROOT / "_build" / "first-reading"


def skippable(notebook: nbformat.NotebookNode) -> Iterator[bool]:
    """Say of each cell whether it begins inside the part that may be skipped."""
    inside = False
    for cell in notebook.cells:
        yield inside
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^##? (.+)$", cell.source, flags=re.MULTILINE):
                inside = heading == PART


def first_reading(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy of a chapter without the code of its second reading."""
    left = nbformat.from_dict(notebook)
    left.cells = [
        cell
        for cell, skipped in zip(notebook.cells, skippable(notebook), strict=True)
        if not (skipped and cell.cell_type == "code")
    ]
    return left


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in notebooks.chapters():
        chapter = notebooks.read(path)
        if any(skippable(chapter)):
            nbformat.write(first_reading(chapter), FOLDER / path.name)
            print((FOLDER / path.name).relative_to(ROOT), end=" ")  # one line: make's variable
