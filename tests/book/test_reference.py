"""The reference pages keep the form that readers rely on."""

import re
import runpy
from functools import cache
from importlib.metadata import entry_points
from itertools import pairwise

from pybtex.database import parse_file
from pybtex.plugin import find_plugin

from tests.book import notebooks


def test_the_concordance_places_every_item_of_the_sources():
    page = notebooks.CONCORDANCE.read_text(encoding="utf-8")
    rows = re.findall(r"^\* - (?!In the source).+\n  - .+\n  - (.*)$", page, flags=re.MULTILINE)
    assert len(rows) == len(notebooks.coverage())
    for row in rows:
        several = row.count("](") > 1
        assert re.match(r"chapter \d+: \*\*\[" if several else r"chapter \d+: \[", row), row
        assert row.count("**") == 2 * several, "the chief of several places, and no other, in bold"


def test_errata_have_one_form():
    """What is printed, what is correct, where to read on; then a cell that shows it."""
    cells = notebooks.read(notebooks.ROOT / "reference" / "errata.ipynb").cells
    for entry, shown in pairwise(cells):
        if "**Printed:**" in entry.source:
            assert re.match(r"### [TNBKW]\b", entry.source)
            assert "**Correct:**" in entry.source
            assert "**See** " in entry.source
            assert shown.cell_type == "code", entry.source
            assert shown.outputs, entry.source


def test_each_of_25_questions_is_answered_shown_explained_and_proved():
    cells = notebooks.read(notebooks.ROOT / "reference" / "questions.ipynb").cells
    questions = {}  # the cells of each, by its heading
    for cell in cells:
        heading = re.search(r"^### (.+)$", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "markdown" and heading:
            questions[heading[1]] = []
        if questions:
            [*questions.values()][-1].append(cell)
    assert len(questions) == 25
    for heading, (answer, *shown, reason) in questions.items():
        assert heading.endswith("?")
        assert len(answer.source.split(heading)[1].split()) >= 15, "the answer comes first"
        assert {cell.cell_type for cell in shown} == {"code"}, heading
        assert any(output.output_type == "stream" for cell in shown for output in cell.outputs)
        sentences, where = reason.source.split(" **See** ")
        assert len(sentences.split()) >= 30, "the reason"
        assert re.search(r"\{(prf:ref|ref|numref|term)\}`|\.\./chapters/\d", where), heading


def test_the_glossary_is_in_order_and_says_each_word_once():
    page = (notebooks.ROOT / "reference" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^(\w.*)\n  \S", page.split(":::{glossary}\n")[1], flags=re.MULTILINE)
    assert len(words) > 50
    assert words == sorted(set(words), key=str.casefold)


def test_every_entry_of_the_bibliography_is_cited():
    """The page shows what is cited, so another entry would be seen by nobody."""
    places = [
        notebooks.ROOT / "index.md",
        *notebooks.ROOT.glob("[cr]*/*.ipynb"),
        *notebooks.ROOT.glob("reference/*.md"),
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in places)
    lists = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    cited = {key.strip() for keys in lists for key in keys.split(",")}
    assert set(parse_file(notebooks.ROOT / "references.bib").entries) == cited


def test_bibliography_has_distinct_labels_and_no_raw_tex(monkeypatch):
    monkeypatch.setattr("pybtex.plugin.entry_points", cache(entry_points))  # asked once an author
    runpy.run_path(str(notebooks.ROOT / "_ext" / "author_year_labels.py"))["setup"](None)
    style = find_plugin("pybtex.style.formatting", "author_year")()
    entries = list(style.format_bibliography(parse_file(notebooks.ROOT / "references.bib")))
    labels = {entry.label for entry in entries}
    assert len(labels) == len(entries)
    assert labels >= {"Boser et al., 1992", "Cortes and Vapnik, 1995"}
    plain = find_plugin("pybtex.backends", "text")()
    for entry in entries:
        assert not re.search(r"[\\{}$]", entry.text.render(plain)), entry.key
