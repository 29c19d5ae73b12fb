"""How long a chapter takes a quick and a careful reader: counted by a rule, not guessed.

`python tools/reading_time.py` writes the times into the chapters and on the front page, and prints
the counts. Every run of a notebook writes its own time, too.
"""

import re
from collections import Counter, defaultdict

import nbformat
from sources import ROOT, by_section, chapters, read

# Minutes for one of each, read with a pencil, exercises after the summary apart: by a lecturer who
# reads again, and by a student who meets the subject for the first time.
QUICK = {
    "word": 1 / 200,
    "formula": 5 / 60,  # inside a line
    "display": 45 / 60,
    "proof": 4,
    "line of code": 4 / 60,
    "figure": 1,
    "explorable": 6,  # beside the minute of a figure
    "exercise": 12,
}
CAREFUL = QUICK | {
    "word": 1 / 140,
    "formula": 8 / 60,
    "proof": 6,
    "line of code": 7.5 / 60,
}
LONGEST = 4000  # words of a main line, captions and open proofs included
EVENING = 180  # minutes of a careful reader
AFTER = ("Second reading", "Exercises", "Quiz", "Further reading")  # what is not the main line
FRONT = ROOT / "index.md"
FOLDED = re.compile(r"^(:{3,})\{dropdown\}.*?^\1 *$", flags=re.MULTILINE | re.DOTALL)
FIRST = re.compile(r"(The first section alone, )(.+?)(, has)")
SECOND = " more for the part *Second reading* after the summary"
LINE = re.compile(
    rf"(\*\*Time:?\*\* (?:about )?)(.+?)( for a first reading)(?:; (.+?){re.escape(SECOND)})?"
)
RANGE = re.compile(r"(takes an evening: from )(\S+)( to )(\S+)( hours)")


def parts(notebook: nbformat.NotebookNode) -> dict[str, list[nbformat.NotebookNode]]:
    """Divide a chapter into its main line, called "", and the parts that come after it."""
    found = defaultdict(list)
    for heading, cell in by_section(notebook):
        found[heading if heading in AFTER else ""].append(cell)
    return found


def counted(cells: list[nbformat.NotebookNode]) -> Counter[str]:
    """Count what takes time in some cells; a formula is one word, a hidden input is none."""
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = [cell for cell in cells if cell.cell_type == "code"]
    figures = [cell for cell in code if "figure" in cell.metadata.get("mystnb", {})]
    text += "".join("\n" + cell.metadata["mystnb"]["figure"]["caption"] for cell in figures)
    count = Counter(
        proof=text.count("{prf:proof}"),
        exercise=len(re.findall(r"\{exercise(-start)?\}", text)),
        figure=len(figures),
        explorable=sum("explorable." in cell.source for cell in figures),
    )
    shown = [cell for cell in code if "hide-input" not in cell.metadata.get("tags", [])]
    count["line of code"] = sum(bool(line.strip()) for c in shown for line in c.source.split("\n"))
    text, count["display"] = re.subn(r"\$\$.+?\$\$", " formula ", text, flags=re.DOTALL)
    text, count["formula"] = re.subn(r"\$[^$]+\$", " formula ", text)
    text = re.sub(r"^(?:[:`]{3,}|:[\w-]+:|\([\w-]+\)=).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{[\w:]+\}`[^`]*`", "reference", text)
    text = re.sub(r"\]\([^)]*\)|\]\{[^}]*\}|\(eq-[\w-]+\)", " ", text)
    count["word"] = len(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text))
    return count


def minutes(cells: list[nbformat.NotebookNode], pace: dict[str, float] = QUICK) -> float:
    return sum(pace[what] * number for what, number in counted(cells).items())


def words(cells: list[nbformat.NotebookNode]) -> int:
    """Count the words of some cells, captions included, but not what is folded."""
    shown = [nbformat.from_dict({**cell, "source": FOLDED.sub("", cell.source)}) for cell in cells]
    return counted(shown)["word"]


def hours(time: float) -> str:
    """Write a number of minutes as hours, to the nearest quarter."""
    whole, quarters = divmod(max(1, round(time / 15)), 4)
    return f"{whole or ''}{('', '¼', '½', '¾')[quarters]}"


def in_words(cells: list[nbformat.NotebookNode]) -> str:
    """Say how long a quick and a careful reader take."""
    quick, careful = (minutes(cells, pace) for pace in (QUICK, CAREFUL))
    unit = "hours" if careful >= 67.5 else "hour"  # the first that is rounded to 1¼
    ends = dict.fromkeys((hours(quick), hours(careful)))
    return f"{' to '.join(ends)} {unit}"


def stated(notebook: nbformat.NotebookNode) -> re.Match[str] | None:
    """Return the times at the top of a chapter, for the main line and the second reading."""
    return LINE.search("\n\n".join(cell.source for cell in notebook.cells[:15]))


def first(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the first section after the opening."""
    cells = defaultdict(list)
    for heading, cell in by_section(notebook):
        cells[heading].append(cell)
    return next((here for heading, here in cells.items() if heading), [])


def state(notebook: nbformat.NotebookNode) -> None:
    """Write at the top of a chapter how long it takes."""
    times = {part: in_words(cells) for part, cells in parts(notebook).items()}
    line = rf"**Time:** {times['']}\g<3>"
    if "Second reading" in times:
        line += f"; {times['Second reading']}{SECOND}"
    for cell in notebook.cells[:15]:
        cell.source = LINE.sub(line, cell.source)
        cell.source = FIRST.sub(rf"\g<1>{in_words(first(notebook))}\g<3>", cell.source)


if __name__ == "__main__":
    quickest, slowest = [], []
    for path in chapters():
        chapter = read(path)
        main = parts(chapter)[""]
        quickest.append(minutes(main))
        slowest.append(minutes(main, CAREFUL))
        print(f"{path.stem}: {in_words(main)}, {words(main)} words, of {dict(counted(main))}")
        state(chapter)
        nbformat.write(chapter, path)
    ends = rf"\g<1>{hours(min(quickest))}\g<3>{hours(max(slowest))}\g<5>"
    FRONT.write_text(RANGE.sub(ends, FRONT.read_text(encoding="utf-8")), encoding="utf-8")
