"""What every notebook of the book must look like before anyone reads it."""

import re
from statistics import median

import pytest

from tests.book import notebooks

PATHS = sorted(notebooks.ROOT.glob("[cr]*/*.ipynb"))
CHAPTERS = notebooks.chapters()


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return notebooks.read(path)


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return notebooks.read(request.param)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_there_are_chapters():
    assert CHAPTERS


def test_is_in_normal_form(path, notebook):
    """`make notebooks` would leave the file as it is."""
    stored = path.read_text(encoding="utf-8")
    notebook = notebooks.normalise(notebook)
    assert stored == notebooks.nbformat.writes(notebook) + "\n", "run `make notebooks`"


def test_cells_have_run_in_order(path):
    counts = [cell.execution_count for cell in code_cells(notebooks.read(path))]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"


def test_cells_are_short(notebook):
    lengths = [len(cell.source.splitlines()) for cell in code_cells(notebook)] or [0]
    assert max(lengths) <= 25
    assert median(lengths) <= 8


def test_outputs_are_clean(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", cell.source
            plain = output.get("text") or output.get("data", {}).get("text/plain", "")
            if "image/png" not in output.get("data", {}):
                assert not re.search(r" at 0x[0-9a-f]+", plain), f"an address: {plain}"


def test_pictures_are_described_and_numbered(notebook):
    for cell in code_cells(notebook):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            settings = cell.metadata.get("mystnb", {})
            assert len(settings.get("image", {}).get("alt", "")) > 20, cell.source
            assert settings.get("figure", {}).get("caption"), cell.source
            assert settings.get("figure", {}).get("name"), cell.source


def test_exercises_are_answered(chapter):
    posed = re.findall(r"\{exercise(?:-start)?\}[^`:]*:label: (\S+)", text(chapter))
    answered = re.findall(r"\{solution(?:-start)?\} (\S+)", text(chapter))
    assert posed, "a chapter ends with exercises"
    assert sorted(posed) == sorted(answered)


@pytest.mark.parametrize("heading", ["Summary", "Exercises", "Quiz", "Read more"])
def test_chapter_ends_as_chapters_do(chapter, heading):
    assert re.search(rf"^## {heading}$", text(chapter), flags=re.MULTILINE)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_item_of_the_sources_is_placed(path):
    owed = {row["item"] for row in notebooks.coverage() if row["chapter"] == path.stem[1]}
    placed = set(notebooks.covered(notebooks.read(path)))
    assert placed >= owed, f"not treated: {sorted(owed - placed)}"
    known = {row["item"] for row in notebooks.coverage()}
    assert placed <= known, f"no such item: {sorted(placed - known)}"


def test_concordance_is_up_to_date():
    stored = notebooks.CONCORDANCE.read_text(encoding="utf-8")
    assert stored == notebooks.concordance(), "run `make notebooks`"
