"""What the lecturer's page says of the chapters, found in them: minutes, stars, what is cited.

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
CITES = re.compile(r"^- \*\*Cites\*\*: .+$", re.MULTILINE)
LABEL = re.compile(r"^ *:label: ([\w-]+)|\$\$ \(([\w-]+)\)|^\(([\w-]+)\)=", re.MULTILINE)
REFERENCE = re.compile(r"\{(?:prf:ref|eq|numref|ref)\}`(?:[^`<]*<)?([\w-]+)>?`")
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


def references(text: str) -> set[str]:
    return set(REFERENCE.findall(text))


def homes(cells: dict[tuple[str, str], list[nbformat.NotebookNode]]) -> dict[str, tuple[str, str]]:
    """Return the section that a statement, an equation or a figure stands in."""
    found = {}
    for place, here in cells.items():
        for cell in here:
            names = ["".join(name) for name in LABEL.findall(cell.source)]
            names.append(cell.metadata.get("mystnb", {}).get("figure", {}).get("name"))
            found.update(dict.fromkeys(names, place))
    return found


def cited(page: str) -> list[tuple[set[int], set[str]]]:
    """Return for each unit the earlier ones, and the second readings, whose labels it cites."""
    cells, answer = sections(), []
    reads = [LINK.findall(line[3]) for line in READ.finditer(page)]
    units = {place: number for number, places in enumerate(reads, 1) for place in places}
    home = homes(cells)
    for number, places in enumerate(reads, 1):
        texts = [cell.source for p in places for cell in cells[p] if cell.cell_type == "markdown"]
        there = {home[label] for label in references("\n".join(texts))} - set(places)
        aside = {chapter[:2] for chapter, section in there if section == "second-reading"}
        answer.append(({units[p] for p in there & units.keys() if units[p] < number}, aside))
    return answer


def counted(page: str) -> str:
    """Return the page with what the chapters say."""
    cells, level, moving = sections(), stars(), alive()
    units: list[int] = []
    earlier = iter(cited(page))

    def cites(_: re.Match[str]) -> str:
        numbers, aside = next(earlier)
        named = [f"{{ref}}`unit {number} <unit-{number}>`" for number in sorted(numbers)]
        chapters = ", ".join(str(int(chapter)) for chapter in sorted(aside))
        named += [f"*Second reading* of chapter{'s' * (len(aside) > 1)} {chapters}"] * bool(aside)
        return f"- **Cites**: {', '.join(named) or 'nothing earlier'}"

    def show(line: re.Match[str]) -> str:
        return FIGURE.sub(lambda it: it[1] + " *alive*" * (it[2] in moving), line[0])

    def hours(line: re.Match[str]) -> str:
        units.append(round(sum(minutes(cells[place]) for place in LINK.findall(line[3]))))
        return f"{line[1]}{units[-1]}{line[2]}{line[3]}"

    def week(cell: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"<unit-(\d+)>", cell[1]))
        return f"{cell[1]}{sum(units[number - 1] for number in numbers)}"

    page = CITES.sub(cites, page)
    page = SHOW.sub(show, CELL.sub(week, READ.sub(hours, page)))
    return EXERCISE.sub(lambda it: f"{it[1]} {level[it[2]]}", page)


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
