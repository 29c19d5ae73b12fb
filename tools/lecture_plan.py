"""Compute what the lecturer's page says about the chapters.

Minutes, stars, citations, what no unit contains, and which exercises and questions suit a class:
`python tools/lecture_plan.py` writes it into the page; a test compares.
"""

import re
from collections import defaultdict
from functools import cache

import nbformat
import sources
from myst_parser.mdit_to_docutils.base import default_slugify
from reading_time import QUICK, minutes
from reading_time import counted as parts
from sources import ROOT, by_section

PAGE = ROOT / "reference" / "lecturers.md"
read = cache(sources.read)  # each notebook once
SECTION = re.compile(r"(\[[^]]+\]\(\.\./chapters/([\w-]+)\.ipynb(?:#([\w-]+))?\))(?: \d+)?")
PARTS = re.compile(r" \((?:\[[^]]+\]\([^)]+\) \d+(?:, )?)+\)")  # of a long section
READ = re.compile(r"(\*\*(?:Read|Tell|At home)\*\*, )\d+( minutes: )(.+)")
BELIEVE = re.compile(r"\*\*Believe\*\*: .+")
PLAN = re.compile(r"^\| \d+ \|(.+)\|$", re.MULTILINE)
WITHOUT = re.compile(r"^\| without \|.+$", re.MULTILINE)
LEFT = re.compile(r"(?<=^\*\*In no unit\*\*: ).*$", re.MULTILINE)
ASK = re.compile(
    r"question \d+ \(\*([^*]+)\*\) of the \[quiz\]\(\.\./chapters/([\w-]+)\.ipynb#quiz\)"
)
SOLVE = re.compile(r"^- \*\*Solve\*\*.+$", re.MULTILINE)
CELL = re.compile(r"((?:\{ref\}`\d+ <unit-\d+>`(?:, )?)+: )\d+")
SHOW = re.compile(r"^- \*\*Show\*\*: .+$", re.MULTILINE)
ROW = re.compile(r"^\| ([^|-][^|]*) \| ([^|]+) \| (?!unit \|)[^|]* \|$", re.MULTILINE)
EXERCISE = re.compile(r"(\{ref\}`(ex-[\w-]+)`)(?: ★+)?")
CITES = re.compile(r"^- \*\*Cites\*\*: .+$", re.MULTILINE)
LABEL = re.compile(r"^ *:label: ([\w-]+)|\$\$ \(([\w-]+)\)|^\(([\w-]+)\)=", re.MULTILINE)
REFERENCE = re.compile(r"\{(?:prf:ref|eq|numref|ref)\}`(?:[^`<]*<)?([\w-]+)>?`")
SOLUTION = re.compile(r"^([`:]{3,})\{solution\} (ex-[\w-]+)\n(.+?)^\1$", re.MULTILINE | re.DOTALL)
IN_CLASS = 2.5  # minutes to read the solution
LONG = 30  # minutes of a section that is told part by part
ASIDE = ("", "summary", "exercises", "quiz", "further-reading")  # what belongs to no unit
LEVEL = re.compile(r":label: (ex-[\w-]+)\n(?::.*\n)*?:class: level-(\d)")


@cache
def sections(level: int = 2) -> dict[tuple[str, str], list[nbformat.NotebookNode]]:
    """Return the cells under every heading, to some level, by chapter and anchor."""
    found = defaultdict(list)
    for path in sources.chapters():
        for heading, cell in by_section(read(path), level):
            found[path.stem, default_slugify(heading)].append(cell)
    return dict(found)  # a section that is not there is an error


def stars() -> dict[str, str]:
    """Return how hard each exercise is."""
    cells = [cell.source for path in sources.chapters() for cell in read(path).cells]
    return {label: "★" * int(level) for label, level in LEVEL.findall("\n".join(cells))}


def in_class() -> set[str]:
    """Return the exercises for a pencil, whose solutions are short: no cell, but formulas."""
    cells = [cell for path in sources.chapters() for cell in read(path).cells]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    solutions = {it[2]: [nbformat.v4.new_markdown_cell(it[3])] for it in SOLUTION.finditer(text)}
    return {
        label
        for label, solution in solutions.items()
        if minutes(solution) <= IN_CLASS and parts(solution)["formula"]
    }


def figure(cell: nbformat.NotebookNode) -> str | None:
    """Return the name of the figure that a cell draws, if it draws one."""
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name")


def alive() -> set[str]:
    """Return the interactive figures."""
    cells = [cell for path in sources.chapters() for cell in read(path).cells]
    return {figure(cell) for cell in cells if figure(cell) and "explorable." in cell.source}


def references(text: str) -> set[str]:
    return set(REFERENCE.findall(text))


def places(text: str) -> list[tuple[str, str]]:
    """Return the sections that a line links, not the parts of long ones."""
    return [(it[2], it[3] or "") for it in SECTION.finditer(PARTS.sub("", text))]


def units(page: str) -> dict[tuple[str, str], int]:
    """Return which unit each section is in."""
    reads = [places(line[3]) for line in READ.finditer(page) if "Read" in line[1]]
    return {place: number for number, here in enumerate(reads, 1) for place in here}


def told(
    cells: list[nbformat.NotebookNode], home: set[str], believed: set[str]
) -> dict[str, list[nbformat.NotebookNode]]:
    """Divide a section by its headings, without what is left for home or not proved."""
    found = defaultdict(list)
    for heading, cell in by_section(nbformat.v4.new_notebook(cells=cells), 3):
        text = cell.source
        if text and default_slugify(heading) not in home:
            for label in believed:
                proof = rf"(:label: {label}\n(?:(?!:label:).)*?)^([`:]{{3,}})\{{prf:proof\}}.*?^\2$"
                text = re.sub(proof, r"\1", text, count=1, flags=re.MULTILINE | re.DOTALL)
            found[heading].append(nbformat.from_dict({**cell, "source": text}))
    return found


def without_these(line: re.Match[str]) -> tuple[set[str], set[str]]:
    """Return the sections that a lecture leaves for home, and the statements not proved."""
    below = line.string[line.end() :].split("\n\n")[0]
    return {anchor for _, anchor in places(below)}, references("".join(BELIEVE.findall(below)))


def told_in(line: re.Match[str]) -> list[nbformat.NotebookNode]:
    """Return the cells that a unit reads, or that a lecture tells."""
    cells, without = sections(3) | sections(), without_these(line)
    divided = [told(cells[place], *without) for place in places(line[3])]
    return [cell for part in divided for some in part.values() for cell in some]


def asked(line: re.Match[str]) -> str:
    """Return a quiz's question with its number."""
    quiz = "\n".join(cell.source for cell in sections()[line[2], "quiz"])
    number = re.search(rf"^\*\*(\d+)\. {re.escape(line[1])}", quiz, re.MULTILINE)
    if not number:
        raise KeyError(line[1])
    return re.sub(r"\d+", number[1], line[0], count=1)


def homes(cells: dict[tuple[str, str], list[nbformat.NotebookNode]]) -> dict[str, tuple[str, str]]:
    """Return the section that contains a statement, an equation or a figure."""
    found = {}
    for place, here in cells.items():
        for cell in here:
            names = ["".join(name) for name in LABEL.findall(cell.source)]
            found.update(dict.fromkeys([*names, figure(cell)], place))
    return found


def cited(page: str) -> list[tuple[set[int], set[str], set[str]]]:
    """Return for each unit what it cites: earlier units, second readings, earlier exercises."""
    cells, answer, unit = sections(), [], units(page)
    home = homes(cells)
    for number in sorted(set(unit.values())):
        here = [place for place in unit if unit[place] == number]
        texts = [cell.source for p in here for cell in cells[p] if cell.cell_type == "markdown"]
        labels = references("\n".join(texts))
        there = {home[label] for label in labels} - set(here)
        aside = {chapter[:2] for chapter, section in there if section == "second-reading"}
        earlier = {unit[p] for p in there & unit.keys() if unit[p] < number}
        exercises = {x for x in labels if home[x][1] == "exercises" and home[x][0] < here[0][0]}
        answer.append((earlier, aside, exercises))
    return answer


def where_taught(page: str) -> dict[str | tuple[str, str], int]:
    """Return the unit of each label and place in a chapter, 0 for a second reading."""
    unit, taught = units(page), {}
    for place, cells in sections().items():
        number = 0 if place[1] == "second-reading" else unit.get(place)
        if number is not None:
            inside = by_section(nbformat.v4.new_notebook(cells=cells), 3)
            parts = {(place[0], default_slugify(heading)) for heading, _ in inside if heading}
            taught |= dict.fromkeys(parts | {place} | homes({place: cells}).keys(), number)
    for number, line in enumerate(SOLVE.findall(page.partition("(unit-1)=")[2]), 1):
        taught |= {label: number for _, label in EXERCISE.findall(line)}
    return taught


def left(page: str) -> str:
    """Return the sections and the exercises that no unit contains."""
    solved = {it[2] for line in SOLVE.finditer(page) for it in EXERCISE.finditer(line[0])}
    unit = units(page)
    parts = [
        f"[{here[0].source.splitlines()[0].lstrip('# ')}](../chapters/{chapter}.ipynb#{anchor})"
        f" (chapter {int(chapter[:2])}, {(time := round(minutes(here)))} minute{'s' * (time != 1)})"
        for (chapter, anchor), here in sections().items()
        if anchor not in ASIDE and (chapter, anchor) not in unit
    ]
    return ", ".join(parts + [f"{{ref}}`{label}`" for label in stars() if label not in solved])


def counted(page: str) -> str:
    """Return the page with the numbers counted in the chapters."""
    cells, level, moving, pencil = sections(3) | sections(), stars(), alive(), in_class()
    times_of: list[int] = []
    taught = where_taught(page)
    earlier = iter(cited(page))

    def cites(_: re.Match[str]) -> str:
        numbers, aside, exercises = next(earlier)
        named = [f"{{ref}}`unit {number} <unit-{number}>`" for number in sorted(numbers)]
        chapters = ", ".join(str(int(chapter)) for chapter in sorted(aside))
        named += [f"*Second reading* of chapter{'s' * (len(aside) > 1)} {chapters}"] * bool(aside)
        named += [f"{{ref}}`{label}`" for label in level if label in exercises]
        return f"- **Cites**: {', '.join(named) or 'nothing earlier'}"

    def show(line: re.Match[str]) -> str:
        *_, read = READ.finditer(line.string, 0, line.start())
        names = filter(None, map(figure, told_in(read)))
        shown = [f"{{numref}}`{name}`" + " *alive*" * (name in moving) for name in names]
        return f"- **Show**: {', '.join(shown)}"

    def row(line: re.Match[str]) -> str:
        named = {*references(line[2]), *places(line[2])}
        found = {taught[what] for what in named & taught.keys()}
        where = [f"{{ref}}`{number} <unit-{number}>`" for number in sorted(found - {0})]
        where += ["second reading"] * (0 in found)
        return f"| {line[1]} | {line[2]} | {', '.join(where)} |"

    def hours(line: re.Match[str]) -> str:
        times: list[int] = []
        home, believed = without_these(line)
        lecture = "Tell" in line[1]  # in which nobody plays with a figure alone

        def time(some: list[nbformat.NotebookNode]) -> int:
            played = QUICK["explorable"] * parts(some)["explorable"] * lecture
            return max(1, round(minutes(some) - played))

        def timed(link: re.Match[str]) -> str:
            divided = told(cells[link[2], link[3] or ""], home, believed)
            times.append(time([cell for some in divided.values() for cell in some]))
            inner = [
                f"[{heading}](../chapters/{link[2]}.ipynb#{default_slugify(heading)}) {time(some)}"
                for heading, some in list(divided.items())[1:]
            ]
            shown = f" ({', '.join(inner)})" if inner and (lecture or times[-1] > LONG) else ""
            return f"{link[1]} {times[-1]}{shown}"

        read = SECTION.sub(timed, PARTS.sub("", line[3]))
        if "Read" in line[1]:
            times_of.append(sum(times))
        return f"{line[1]}{sum(times)}{line[2]}{read}"

    def solve(line: re.Match[str]) -> str:
        labels = sorted((it[2] for it in EXERCISE.finditer(line[0])), key=lambda x: len(level[x]))
        here = [label for label in labels if label in pencil and level[label] != "★★★"]
        home = [label for label in labels if label not in here]
        asks = [it[0] for it in ASK.finditer(line[0])]
        named = {
            "in class": asks + [f"{{ref}}`{label}`" for label in here],
            "at home": [f"{{ref}}`{label}`" for label in home],
        }
        some = [f"{where}: {', '.join(what)}" for where, what in named.items() if what]
        return f"- **Solve** {'; '.join(some)}"

    def week(cell: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"<unit-(\d+)>", cell[1]))
        return f"{cell[1]}{sum(times_of[number - 1] for number in numbers)}"

    def without(_: re.Match[str]) -> str:
        rows = [line[1].split("|") for line in PLAN.finditer(page)]
        plans = [
            set(map(int, re.findall(r"<unit-(\d+)>", "".join(c)))) for c in zip(*rows, strict=True)
        ]
        numbers = range(1, len(times_of) + 1)
        missing = [", ".join(str(k) for k in numbers if k not in plan) for plan in plans]
        return f"| without | {' | '.join(some or 'none' for some in missing)} |"

    page = SOLVE.sub(solve, CITES.sub(cites, ASK.sub(asked, page)))
    page = SHOW.sub(show, CELL.sub(week, READ.sub(hours, page)))
    page = ROW.sub(row, page)
    page = LEFT.sub(lambda _: left(page), WITHOUT.sub(without, page))
    return EXERCISE.sub(lambda it: f"{it[1]} {level[it[2]]}", page)


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
