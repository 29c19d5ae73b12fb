"""What the lecturer's page says of the chapters, found in them: minutes, stars, what is cited, and
which exercises suit a class.

`python -m tests.book.lecture_plan` writes it into the page; a test compares.
"""

import re
from collections import defaultdict
from functools import cache

import nbformat
from myst_parser.mdit_to_docutils.base import default_slugify

from tests.book import ROOT, notebooks
from tests.book.reading_time import by_section, minutes
from tests.book.reading_time import counted as parts

PAGE = ROOT / "reference" / "lecturers.md"
read = cache(notebooks.read)  # each notebook once
SECTION = re.compile(r"(\[[^]]+\]\(\.\./chapters/([\w-]+)\.ipynb#([\w-]+)\))(?: \d+)?")
READ = re.compile(r"(\*\*Read\*\*, )\d+( minutes: )(.+)")
SOLVE = re.compile(r"^- \*\*Solve\*\*.+$", re.MULTILINE)
CELL = re.compile(r"((?:\{ref\}`\d+ <unit-\d+>`(?:, )?)+: )\d+")
SHOW = re.compile(r"^- \*\*Show\*\*: .+$", re.MULTILINE)
FIGURE = re.compile(r"(\{numref\}`(fig-[\w-]+)`)(?: \*alive\*)?")
EXERCISE = re.compile(r"(\{ref\}`(ex-[\w-]+)`)(?: ★+)?")
CITES = re.compile(r"^- \*\*Cites\*\*: .+$", re.MULTILINE)
LABEL = re.compile(r"^ *:label: ([\w-]+)|\$\$ \(([\w-]+)\)|^\(([\w-]+)\)=", re.MULTILINE)
REFERENCE = re.compile(r"\{(?:prf:ref|eq|numref|ref)\}`(?:[^`<]*<)?([\w-]+)>?`")
SOLUTION = re.compile(r"^([`:]{3,})\{solution\} (ex-[\w-]+)\n(.+?)^\1$", re.MULTILINE | re.DOTALL)
IN_CLASS = 2.0  # minutes to read the solution
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


def in_class() -> set[str]:
    """Return the exercises for a pencil, whose solutions are short: no cell, but formulas."""
    cells = [cell for path in notebooks.chapters() for cell in read(path).cells]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    solutions = {it[2]: [nbformat.v4.new_markdown_cell(it[3])] for it in SOLUTION.finditer(text)}
    return {
        label
        for label, solution in solutions.items()
        if minutes(solution) <= IN_CLASS and parts(solution)["formula"]
    }


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
    reads = [[it.groups()[1:] for it in SECTION.finditer(line[3])] for line in READ.finditer(page)]
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
    cells, level, moving, pencil = sections(), stars(), alive(), in_class()
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
        times: list[int] = []

        def timed(link: re.Match[str]) -> str:
            times.append(max(1, round(minutes(cells[link[2], link[3]]))))
            return f"{link[1]} {times[-1]}"

        read = SECTION.sub(timed, line[3])
        units.append(sum(times))
        return f"{line[1]}{units[-1]}{line[2]}{read}"

    def solve(line: re.Match[str]) -> str:
        labels = [it[2] for it in EXERCISE.finditer(line[0])]
        here = [label for label in labels if label in pencil and level[label] != "★★★"]
        places = (("in class", here), ("at home", [x for x in labels if x not in here]))
        told = [
            f"{where}: {', '.join(f'{{ref}}`{label}`' for label in some)}"
            for where, some in places
            if some
        ]
        return f"- **Solve** {'; '.join(told)}"

    def week(cell: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"<unit-(\d+)>", cell[1]))
        return f"{cell[1]}{sum(units[number - 1] for number in numbers)}"

    page = SOLVE.sub(solve, CITES.sub(cites, page))
    page = SHOW.sub(show, CELL.sub(week, READ.sub(hours, page)))
    return EXERCISE.sub(lambda it: f"{it[1]} {level[it[2]]}", page)


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
