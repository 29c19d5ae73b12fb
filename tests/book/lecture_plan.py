"""What the lecturer's page says of the chapters, found in them: minutes, stars, what is alive.

`python -m tests.book.lecture_plan` writes it into the page; a test compares.
"""

import re
from collections import defaultdict
from functools import cache

import nbformat
from myst_parser.mdit_to_docutils.base import default_slugify

from tests.book import ROOT, notebooks
from tests.book.reading_time import by_section, minutes

PAGE = ROOT / "reference" / "lecturers.md"
read = cache(notebooks.read)  # each notebook once
LINK = re.compile(r"\.\./chapters/([\w-]+)\.ipynb#([\w-]+)")
READ = re.compile(r"(\*\*Read\*\*, )\d+( minutes: )(.+)")
CELL = re.compile(r"((?:\{ref\}`\d+ <unit-\d+>`(?:, )?)+: )\d+")
SHOW = re.compile(r"^- \*\*Show\*\*: .+$", re.MULTILINE)
FIGURE = re.compile(r"(\{numref\}`(fig-[\w-]+)`)(?: \*alive\*)?")
EXERCISE = re.compile(r"(\{ref\}`(ex-[\w-]+)`)(?: ★+)?")
LEVEL = re.compile(r":label: (ex-[\w-]+)\n(?::.*\n)*?:class: level-(\d)")


def sections() -> dict[tuple[str, str], list[nbformat.NotebookNode]]:
    """Return the cells of every section of the first level, by chapter and anchor."""
    found = defaultdict(list)
    for path in notebooks.chapters():
        for heading, cell in by_section(read(path)):
            found[path.stem, default_slugify(heading)].append(cell)
    return dict(found)  # a section that is not there is an error


def stars() -> dict[str, str]:
    """Return how hard each exercise is."""
    cells = [cell.source for path in notebooks.chapters() for cell in read(path).cells]
    return {label: "★" * int(level) for label, level in LEVEL.findall("\n".join(cells))}


def alive() -> set[str]:
    """Return the figures that one can take hold of."""
    cells = [cell for path in notebooks.chapters() for cell in read(path).cells]
    moving = [cell for cell in cells if cell.cell_type == "code" and "explorable." in cell.source]
    return {cell.metadata["mystnb"]["figure"]["name"] for cell in moving}


def counted(page: str) -> str:
    """Return the page with what the chapters say."""
    cells, level, moving = sections(), stars(), alive()
    units = []

    def show(line: re.Match[str]) -> str:
        return FIGURE.sub(lambda it: it[1] + " *alive*" * (it[2] in moving), line[0])

    def read(line: re.Match[str]) -> str:
        units.append(round(sum(minutes(cells[place]) for place in LINK.findall(line[3]))))
        return f"{line[1]}{units[-1]}{line[2]}{line[3]}"

    def week(cell: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"<unit-(\d+)>", cell[1]))
        return f"{cell[1]}{sum(units[number - 1] for number in numbers)}"

    page = SHOW.sub(show, CELL.sub(week, READ.sub(read, page)))
    return EXERCISE.sub(lambda it: f"{it[1]} {level[it[2]]}", page)


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
