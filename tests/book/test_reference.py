"""The reference pages keep the form that readers rely on."""

import re
from itertools import pairwise

import sources


def test_errata_have_one_form():
    """What is printed, what is correct, where to read on; then a cell that shows it."""
    cells = sources.read(sources.ROOT / "reference" / "errata.ipynb").cells
    for entry, shown in pairwise(cells):
        if "**Printed:**" in entry.source:
            assert re.match(r"### [TNBKW]\b", entry.source)
            assert "**Correct:**" in entry.source
            assert "**See** " in entry.source
            assert shown.cell_type == "code", entry.source
            assert shown.outputs, entry.source


def test_each_question_is_answered_shown_explained_and_proved():
    cells = sources.read(sources.ROOT / "reference" / "questions.ipynb").cells
    questions = {}  # the cells of each, by its heading
    for cell in cells:
        heading = re.search(r"^### (.+)$", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "markdown" and heading:
            questions[heading[1]] = []
        if questions:
            [*questions.values()][-1].append(cell)
    for heading, (answer, *shown, reason) in questions.items():
        assert len(answer.source.split(heading)[1].split()) >= 15, "the answer comes first"
        assert any(output.output_type == "stream" for cell in shown for output in cell.outputs)
        where = reason.source.split(" **See** ")[1]
        assert re.search(r"\{(prf:ref|ref|numref|term)\}`|\.\./chapters/\d", where), heading


def test_the_glossary_is_in_order_and_says_each_word_once():
    page = (sources.ROOT / "reference" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^(\w.*)\n  \S", page.split(":::{glossary}\n")[1], flags=re.MULTILINE)
    assert len(words) > 50
    assert words == sorted(set(words), key=str.casefold)
