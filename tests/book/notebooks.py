"""Run the notebooks, store what they print, and write the files in one normal form.

`make notebooks` calls this on every notebook and then renews the concordance, so that a run that
changes nothing leaves `git diff` empty.
"""

import csv
import re
import sys
from pathlib import Path

import nbformat
from myst_parser.mdit_to_docutils.base import default_slugify
from nbclient import NotebookClient
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("covers", "mystnb", "tags")  # all that the book or the lint reads


def normalise(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep what a reader sees and drop what a run or an editor leaves behind."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count = 0
    for cell in notebook.cells:
        cell.source = cell.source.strip("\n")
        kept = {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    return notebook


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def run(path: Path) -> None:
    """Execute a notebook in its own folder and store the outputs."""
    notebook = read(path)
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
    ).execute()
    nbformat.write(normalise(notebook), path)


def chapters() -> list[Path]:
    return sorted((ROOT / "chapters").glob("*.ipynb"))


def coverage() -> list[dict[str, str]]:
    """Read the list of everything that the sources teach, with the chapter that owns each item."""
    with (ROOT / "reference" / "coverage.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def covered(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Map each item that a chapter treats to the heading of the section that treats it first."""
    places: dict[str, str] = {}
    heading = ""
    for cell in notebook.cells:
        # A cell may open with an anchor or hold several headings; the first one names its place.
        headings = re.findall(r"^#{1,3} (.+)$", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "markdown" and headings:
            heading = headings[0]
        for item in cell.metadata.get("covers", []):
            places.setdefault(item, heading)
        if cell.cell_type == "markdown" and headings:
            heading = headings[-1]
    return places


SOURCES = {
    "T": "Teitelbaum, *Mathematics for Machine Learning*, chapter 7",
    "N": "Stanford CS229 lecture notes, chapter 6",
    "B": "the post *Optimal Separating Hyperplanes*",
    "K": "Kuleshov, *Applied Machine Learning*, lecture 9",
    "W": "the notes *Maximal Margin and Support Vectors*",
}
CITATIONS = {
    "T": "teitelbaum",
    "N": "cs229",
    "B": "optimalhyperplanes",
    "K": "kuleshov",
    "W": "maximalmargin",
}


def concordance() -> str:
    """Write the page that tells, for every item of every source, where the book treats it."""
    places = {path.stem: covered(read(path)) for path in chapters()}
    lines = [
        "# Concordance",
        "",
        "The book merges five texts. This table takes a reader, or a lecturer who used one of",
        "them, from a passage of the source to the section of the book that treats it. Topics are",
        "named as the source has them; where the source is mistaken, the errata say so. The table",
        "is made from the notebooks by `make notebooks`; a test fails when it is not up to date.",
        "",
    ]
    for key, source in SOURCES.items():
        lines += [
            f"## {key}: {source}",
            "",
            f"{{cite}}`{CITATIONS[key]}`",
            "",
            ":::{list-table}",
            ":header-rows: 1",
            ":widths: 10 12 48 30",
            "",
            "* - Item\n  - Section\n  - Topic\n  - In this book",
        ]
        for row in coverage():
            if row["item"].startswith(f"{key}-"):
                found = [
                    f"[{section}](../chapters/{stem}.ipynb#{default_slugify(section)})"
                    for stem, items in places.items()
                    for item, section in items.items()
                    if item == row["item"]
                ]
                topic = re.sub(r"([\\*_|<>$^\[\]`{}])", r"\\\1", row["topic"])
                where = "; ".join(found) or f"chapter {row['chapter']}, still to come"
                lines.append(
                    f"* - {row['item']}\n  - {row['section'] or '–'}\n  - {topic}\n  - {where}"
                )
        lines += [":::", ""]
    return "\n".join(lines)


CONCORDANCE = ROOT / "reference" / "concordance.md"

if __name__ == "__main__":
    for argument in tqdm(sys.argv[1:], unit="notebook"):
        run(Path(argument).resolve())
    CONCORDANCE.write_text(concordance(), encoding="utf-8")
