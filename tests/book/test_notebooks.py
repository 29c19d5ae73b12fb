"""What every notebook of the book must look like before anyone reads it."""

import ast
import functools
import re
import symtable
from collections import Counter, defaultdict
from difflib import SequenceMatcher

import notebooks
import pytest
import sources
from sources import by_section, code, text

from svmlib.book.transcript import BEGINNING

PATHS = sorted(sources.ROOT.glob("[cr]*/*.ipynb"))
CHAPTERS = sources.chapters()
stored = functools.cache(sources.read)  # for all that only look


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return stored(path)


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return stored(request.param)


def test_is_in_normal_form(path):
    """`make notebooks` would leave the file as it is: run in order, with no trace of an editor."""
    notebook = notebooks.normalise(sources.read(path))
    assert path.read_text(encoding="utf-8") == notebooks.nbformat.writes(notebook) + "\n", (
        "run `make notebooks`"
    )


PARTS = {  # that some leave out, and how they begin and end
    "second reading": r"^##? (Second reading)?",
    "solutions": r"\{solution-(?:(start)|end)\}",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_chapter_runs_without(chapter, part):
    """No cell outside needs a name from there, nor one that is bound again or changed there.

    To look at the names takes no time; nbval runs the whole.
    """
    inside, mine, theirs = False, set(), set()
    for cell in chapter.cells:
        if cell.cell_type == "markdown":
            for begins in re.findall(PARTS[part], cell.source, re.M):
                inside = bool(begins)
            continue
        read, bound, changed = names(cell.source)
        if inside:  # a solution fills in a frame that is there before
            theirs |= bound - mine if part == "solutions" else bound | changed
        else:
            assert not (read - bound) & theirs, cell.source
            mine, theirs = mine | bound, theirs - bound


def names(source):
    """Return the names of the notebook that a cell reads, those that it binds, and changes."""
    table = symtable.symtable(source, "cell", "exec")
    read, bound, tables = set(), set(), [table]
    while tables:
        inner = tables.pop()
        tables += inner.get_children()
        for symbol in inner.get_symbols():
            if symbol.is_global() or inner is table:
                read |= {symbol.get_name()} if symbol.is_referenced() else set()
            if inner is table and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
    changed = re.findall(r"^ *(\w+)\[.*\] [-+*/]?= ", source, re.M)
    return read, bound, {"random", *changed} & read  # random draws, and goes on


def plain(output):
    """Return the text of an output, with the transcript of a picture."""
    return output.get("text") or output.get("data", {}).get("text/plain", "")


def printed(output):
    """Return the text of an output, without the transcripts of its pictures or their descriptions.

    Those hold coordinates and claims, which are no printed result.
    """
    return "" if plain(output).startswith("Explorable ") else plain(output).partition(BEGINNING)[0]


def has_picture(output):
    return "image/png" in output.get("data", {})


def test_cells_are_short_and_their_outputs_clean(notebook):
    assert max([len(cell.source.splitlines()) for cell in code(notebook)], default=0) <= 25
    for output in (output for cell in code(notebook) for output in cell.outputs):
        assert output.output_type != "error", output
        assert output.get("name") != "stderr", output
        assert not re.search(r" at 0x[0-9a-f]+", plain(output)), "an address"
        assert has_picture(output) == (BEGINNING in plain(output)), (
            "a picture without a transcript: use_style() comes first"
        )
        for number in re.findall(r"\d+\.\d+", printed(output)):
            digits = number.replace(".", "").lstrip("0")
            assert len(digits) <= 8, f"{number} is not the same on every machine"


def test_pictures_are_named_and_described_by_what_nothing_else_says():
    """Each has an alternative text of its own, and not the caption over again."""
    texts = []
    for cell in (cell for path in PATHS for cell in code(stored(path))):
        settings = cell.metadata.get("mystnb", {})
        if "figure" in settings or any(map(has_picture, cell.outputs)):
            assert settings.get("figure", {}).keys() >= {"name", "caption"}, cell.source
            caption, alt = settings["figure"]["caption"], settings.get("image", {}).get("alt", "")
            assert len(alt) > 20, cell.source
            assert not re.search(r"[$\\]", alt), f"TeX read aloud: {alt}"
            assert SequenceMatcher(None, alt, caption, autojunk=False).ratio() < 0.8, alt
            texts.append(" ".join(re.findall(r"\w+", alt)))
    assert len(texts) == len(set(texts))


def test_no_cell_hides_what_it_prints_or_warns_of(notebook):
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        assert set(tags) <= {"hide-input", "parameters"}, "a tag can hide an output"
        hides = r"NBVAL|PYTEST_VALIDATE|get_ipython|simplefilter|filterwarnings|^\s*[%!]"
        assert cell.cell_type != "code" or not re.search(hides, cell.source, re.MULTILINE)


def test_what_papermill_may_set_is_a_constant_and_set_nowhere_else(chapter):
    program = "\n".join(cell.source for cell in code(chapter))
    for cell in code(chapter):
        if "parameters" in cell.metadata.get("tags", []):
            name, value = cell.source.split(" = ")
            ast.literal_eval(value)
            assert len(re.findall(rf"^ *{name} = ", program, re.MULTILINE)) == 1


def test_every_quiz_question_has_one_right_answer(chapter):
    quiz = text(chapter).split("## Quiz")[1].split("\n## ")[0]
    questions = re.split(r"^\*\*\d+\. ", quiz, flags=re.MULTILINE)[1:]
    assert len(questions) >= 4
    letters = []
    for question in questions:
        answers = re.findall(r"\{dropdown\} (\w)\).*?\n(.*?)\n:::", question, flags=re.DOTALL)
        right = [letter for letter, body in answers if re.match(r"\*\*Right\b[^*\n]*\*\*", body)]
        assert len(answers) >= 3, question
        assert len(right) == 1, question
        letters += right
    assert max(Counter(letters).values()) <= len(questions) / 2, "the letter gives it away"


def claimed(words):
    """Return the numbers of two digits or more in a text, but no year, power of ten or place."""
    words = re.sub(
        r"```\{code[\s\S]*?```|`[^`]*`|\]\([^)]*\)|^:\w+:.*$|^#.*$", "", words, flags=re.M
    )
    thin, source, index = r"\{,\}|\\[,;]", r"§[\d.–]+|[Cc]hapter \d+", r"[_^]\{-?\d+\}"
    words = re.sub(f"{thin}|{source}|{index}", "", words)
    found = re.findall(
        r"(?<![\w.\\^])(?<!\w-)(\d{1,3}(?:[,\u202f\u2009\u00a0]\d{3})+|\d+(?:\.\d+)?)(?!\d)", words
    )
    numbers = [re.sub(r"[,\u202f\u2009\u00a0]", "", number) for number in found]
    year, power = r"1[89]\d\d|20\d\d", r"10*"
    long = [n for n in numbers if len(n.replace(".", "").lstrip("0")) >= 2]
    return [n for n in long if not re.fullmatch(f"{year}|{power}", n)]


def rounds_to(number, known):
    """Whether one of the known numbers is this one, or becomes it when its last digits go."""
    places = len(number.partition(".")[2])
    return number in known or any(
        f"{float(longer):.{places}f}" == number
        for longer in known
        if len(longer.partition(".")[2]) > places
    )


def numbers(text):
    return set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", text)))


# Sections that speak of the whole chapter, as its opening does.
WHOLE = {"", "Summary", "Exercises", "Two projects", "Quiz", "Further reading"}


def known_numbers(notebook):
    """Return the numbers that the code cells of each section print, or have as constants."""
    known = defaultdict(set)
    for section, cell in by_section(notebook):
        if cell.cell_type == "code":
            known[section] |= numbers("\n".join([cell.source, *map(printed, cell.outputs)]))
    return known


def told(cell):
    """Return what a cell tells: its text, or the words for its figure."""
    if cell.cell_type == "markdown":
        return cell.source
    settings = cell.metadata.get("mystnb", {})
    alt, caption = settings.get("image", {}).get("alt"), settings.get("figure", {}).get("caption")
    return f"{alt}\n{caption}"


def test_numbers_in_prose_come_from_a_cell(path, notebook):
    """From a cell of the section or of the opening, or from the figure that is described.

    There they are printed, or constants of the code. Any other number is given, and the cell's
    metadata says why, or names the section where it is printed.
    """
    known = known_numbers(notebook)
    everything = set().union(*known.values())
    for cell in notebook.cells:
        assert cell.metadata.get("given", {}).keys() <= set(claimed(told(cell))), "not there"
    for section, cell in by_section(notebook):
        words = told(cell)
        if path.stem == "errata":  # what stands in the sources
            words = re.sub(r'"[^"]*"|\((\d+\.)?\d+\)|Figure [\d.]+', "", words)
        drawn = [plain(output).partition(BEGINNING)[2] for output in cell.get("outputs", [])]
        here = everything if section in WHOLE else known[""] | known[section]
        here = here | numbers("\n".join(drawn))
        given = cell.metadata.get("given", {})
        for number, reason in given.items():
            assert len(reason) >= 7, f"no reason: {given}"
            if reason in known:
                assert rounds_to(number, known[reason]), f"{number} is not in {reason}"
            for table in re.findall(r"benchmarks/\w+\.md", reason):
                rows = (sources.ROOT / table).read_text(encoding="utf-8")
                assert number in numbers(rows), f"{number} is not in {table}"
        unknown = {n for n in claimed(words) if not (n in given or rounds_to(n, here))}
        assert not unknown, f"no cell prints {sorted(unknown)}: {words[:200]}"


def test_a_chapter_ends_as_chapters_do_and_answers_its_exercises(chapter):
    headings = re.findall("^## (.+)$", text(chapter), re.MULTILINE)
    assert {"Summary", "Exercises", "Quiz", "Further reading"} <= set(headings)
    posed = re.findall(r"\{exercise(?:-start)?\}[^`:]*:label: (\S+)", text(chapter))
    answered = re.findall(r"\{solution(?:-start)?\} (\S+)", text(chapter))
    assert posed
    assert sorted(posed) == sorted(answered)


def test_no_answer_stands_open(notebook):
    """Each code cell below "Exercises" is inside a solution, or gives or checks the reader's."""
    inside = False
    for section, cell in by_section(notebook):
        if cell.cell_type == "markdown":
            for opens in re.findall(r"```\{solution-(start|end)\}", cell.source):
                inside = opens == "start"
        elif section == "Exercises" and not inside:
            assert re.search(r"\bcheck_\w+\(|^    \.\.\.$", cell.source, re.M), cell.source


def test_every_item_of_the_sources_is_placed():
    owners = {row["item"]: int(row["chapter"]) for row in notebooks.coverage()}
    for number, path in enumerate(CHAPTERS, 1):
        placed = set(notebooks.covered(stored(path)))
        assert placed <= owners.keys(), path.stem
        assert placed >= {item for item, owner in owners.items() if owner == number}, path.stem
    page = notebooks.CONCORDANCE.read_text(encoding="utf-8")
    assert page == notebooks.concordance(), "run `make notebooks`"
