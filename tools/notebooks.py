"""Run the notebooks, store their outputs, and write the files in one normal form.

`make notebooks` calls this on every notebook and then renews the concordance, so that a run that
changes nothing leaves `git diff` empty. What a chapter says about its length is renewed, too.
"""

import csv
import re
import sys
from pathlib import Path

import nbformat
import reading_time
from myst_parser.mdit_to_docutils.base import default_slugify
from sources import ROOT, chapters, execute, read
from tqdm import tqdm

from _ext.normal_form import METADATA, count_executions

CELL_METADATA = ("covers", "given", "mystnb", "tags")  # all that the book or the lint reads


def normalise(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep what a reader sees, and drop the traces of runs and editors."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.source = cell.source.strip("\n")
        kept = {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        cell.metadata = nbformat.from_dict(kept)
    count_executions(notebook)
    return notebook


def run(path: Path) -> None:
    """Execute a notebook in its own folder and store the outputs."""
    notebook = read(path)
    execute(notebook, path)
    if path.parent.name == "chapters":
        reading_time.state(notebook)
    nbformat.write(normalise(notebook), path)


def coverage() -> list[dict[str, str]]:
    """Read the list of everything that the sources teach, with the chapter that owns each item."""
    with (ROOT / "reference" / "coverage.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sections(notebook: nbformat.NotebookNode) -> list[str]:
    """Name, for each cell, the heading of the section that it belongs to.

    A cell with several headings belongs to the first heading that is followed by text.
    """
    names, current = [], ""
    for cell in notebook.cells:
        _, *parts = re.split(r"^#{1,3} (.+)$", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "code" or not parts:
            names.append(current)
            continue
        headings, texts = parts[::2], parts[1::2]
        followed = [heading for heading, text in zip(headings, texts, strict=True) if text.strip()]
        names.append((followed or headings[-1:])[0])
        current = headings[-1]
    return names


def covered(notebook: nbformat.NotebookNode) -> dict[str, list[str]]:
    """Map each item that a chapter treats to the headings of its sections, the chief one first.

    The chief section is the first one, or the one whose cell marks the item with a star.
    """
    places: dict[str, list[str]] = {}
    for heading, cell in zip(sections(notebook), notebook.cells, strict=True):
        for mark in cell.metadata.get("covers", []):
            found = places.setdefault(mark.rstrip("*"), [])
            if mark.endswith("*"):
                found[:] = [heading, *(place for place in found if place != heading)]
            elif heading not in found:
                found.append(heading)
    return places


SOURCES = {
    "T": ("Mathematics for Machine Learning, chapter 7", "teitelbaum"),
    "N": ("Stanford CS229, chapter 6", "cs229"),
    "B": ("Optimal separating hyperplanes", "optimalhyperplanes"),
    "K": ("Applied Machine Learning, lecture 9", "kuleshov"),
    "W": ("Maximal margin and support vectors", "maximalmargin"),
}


def whereabouts(item: str, owner: str, places: dict[str, dict[str, list[str]]]) -> str:
    """Link every section that treats an item: the owning chapter first.

    If there are several, the first section, which is the main one, is in bold.
    """
    found = []
    for stem in sorted(places, key=lambda stem: int(stem[:2]) != int(owner)):
        links = [
            f"[{heading.removesuffix(' (second reading)')}]"
            f"(../chapters/{stem}.ipynb#{default_slugify(heading)})"
            for heading in places[stem].get(item, [])
        ]
        if links:
            found.append(f"chapter {int(stem[:2])}: {', '.join(links)}")
    several = "; ".join(found)
    return re.sub(r"\[.+?\)(?=[,;])", r"**\g<0>**", several, count=1)


def concordance() -> str:
    """Return the page that lists where the book treats every item of every source."""
    places = {path.stem: covered(read(path)) for path in chapters()}
    lines = [
        "# Concordance",
        "",
        "The book merges five texts. If you know one of them, or teach from it, these tables take",
        "you from a passage of that text to the place in the book that treats it. The rows are in",
        "the order of the text. If several sections of the book treat a topic, the main one comes",
        "first, in bold. The [errata](errata.ipynb) correct the mistakes of the texts.",
        "",
    ]
    for letter, (title, key) in SOURCES.items():
        lines += [
            f"## {letter}: {title}",
            "",
            f"{{cite}}`{key}`",
            "",
            ":::{list-table}",
            ":class: stack",
            ":header-rows: 1",
            ":widths: 22 44 34",
            "",
            "* - In the source\n  - Topic\n  - In this book",
        ]
        lines += [
            f"* - {row['section']}\n  - {row['topic']}\n"
            f"  - {whereabouts(row['item'], row['chapter'], places)}"
            for row in coverage()
            if row["item"].startswith(f"{letter}-")
        ]
        lines += [":::", ""]
    return "\n".join(lines)


CONCORDANCE = ROOT / "reference" / "concordance.md"

if __name__ == "__main__":
    for argument in tqdm(sys.argv[1:], unit="notebook"):
        run(Path(argument).resolve())
    CONCORDANCE.write_text(concordance(), encoding="utf-8")
