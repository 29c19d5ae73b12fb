"""List, read and run the notebooks of the book; find their text, code and sections."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]


def chapters() -> list[Path]:
    return sorted((ROOT / "chapters").glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def execute(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Run a notebook in the folder of its file, as its outputs are stored."""
    NotebookClient(
        notebook,
        timeout=1000,
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
    ).execute()


def code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text(notebook: nbformat.NotebookNode) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def by_section(
    notebook: nbformat.NotebookNode, level: int = 2
) -> Iterator[tuple[str, nbformat.NotebookNode]]:
    """Yield each cell with the heading above it, to some level, cut where a section begins."""
    mark = rf"#{{2,{level}}} "
    heading = ""
    for cell in notebook.cells:
        texts = [cell.source]
        if cell.cell_type == "markdown":
            texts = re.split(rf"^(?={mark})", cell.source, flags=re.MULTILINE)
        for text in texts:
            if cell.cell_type == "markdown" and re.match(mark, text):
                heading = text.splitlines()[0].lstrip("# ")
            yield heading, nbformat.from_dict({**cell, "source": text})
