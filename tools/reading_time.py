"""How long a chapter takes, by a rule: the hours that the book states are counted, not guessed.

`python tools/reading_time.py` writes them into the chapters and on the front page, as every
run of a notebook does into that one, and prints what they were counted from.
"""

import re
from collections import Counter, defaultdict

import nbformat
from sources import ROOT, by_section, chapters, read

MINUTES = {  # what one of each takes who reads with a pencil, but solves nothing after the summary
    "word": 1 / 200,
    "formula": 1 / 12,  # five seconds inside a line
    "display": 3 / 4,
    "proof": 4,
    "line of code": 1 / 15,
    "figure": 1,
    "explorable": 6,  # beside the minute of a figure
    "exercise": 12,
}
AFTER = ("Second reading", "Exercises", "Quiz", "Read more")  # what is not the main line
FRONT = ROOT / "index.md"
FIRST = re.compile(r"(The first section alone, )(.+?)(, has)")
SECOND = " more for the part *Second reading* after the summary"
LINE = re.compile(
    rf"(\*\*Time:?\*\* about )(.+?)( for a first reading)(?:; (.+?){re.escape(SECOND)})?"
)
RANGE = re.compile(r"(A\s+chapter\s+takes\s+from\s+)(.+?)(\s+to\s+)(.+?)(\s+for\s+a\s+first)")


def parts(notebook: nbformat.NotebookNode) -> dict[str, list[nbformat.NotebookNode]]:
    """Divide a chapter into its main line, called "", and the parts that come after it."""
    found = defaultdict(list)
    for heading, cell in by_section(notebook):
        found[heading if heading in AFTER else ""].append(cell)
    return found


def counted(cells: list[nbformat.NotebookNode]) -> Counter[str]:
    """Count what takes time in some cells; a formula is one word, a hidden input none."""
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
    text = re.sub(r"\]\([^)]*\)|\(eq-[\w-]+\)", " ", text)
    count["word"] = len(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text))
    return count


def minutes(cells: list[nbformat.NotebookNode]) -> float:
    return sum(MINUTES[what] * number for what, number in counted(cells).items())


def in_words(time: float) -> str:
    """Say a number of minutes to the quarter of an hour."""
    hours, quarters = divmod(max(1, round(time / 15)), 4)
    if not hours:
        return ("", "a quarter of an hour", "half an hour", "three quarters of an hour")[quarters]
    whole = ("an hour", "two hours", "three hours", "four hours", "five hours")[hours - 1]
    return whole + ("", " and a quarter", " and a half", " and three quarters")[quarters]


def stated(notebook: nbformat.NotebookNode) -> re.Match[str] | None:
    """Return what the top of a chapter says, for the main line and for the second reading."""
    return LINE.search("\n\n".join(cell.source for cell in notebook.cells[:15]))


def first(notebook: nbformat.NotebookNode) -> float:
    """Return the minutes of the first section after the opening."""
    cells = defaultdict(list)
    for heading, cell in by_section(notebook):
        cells[heading].append(cell)
    return minutes(next((here for heading, here in cells.items() if heading), []))


def state(notebook: nbformat.NotebookNode) -> None:
    """Write at the top of a chapter how long it takes."""
    times = {part: in_words(minutes(cells)) for part, cells in parts(notebook).items()}
    line = rf"\g<1>{times['']}\g<3>"
    if "Second reading" in times:
        line += f"; {times['Second reading']}{SECOND}"
    for cell in notebook.cells[:15]:
        cell.source = LINE.sub(line, cell.source)
        cell.source = FIRST.sub(rf"\g<1>{in_words(first(notebook))}\g<3>", cell.source)


if __name__ == "__main__":
    times = []
    for path in chapters():
        chapter = read(path)
        main = parts(chapter)[""]
        times.append(minutes(main))
        print(f"{path.stem}: {times[-1]:.0f} minutes, of {dict(counted(main))}")
        state(chapter)
        nbformat.write(chapter, path)
    words = rf"\g<1>{in_words(min(times))}\g<3>{in_words(max(times))}\g<5>"
    FRONT.write_text(RANGE.sub(words, FRONT.read_text(encoding="utf-8")), encoding="utf-8")
