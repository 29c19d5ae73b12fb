"""The slides as a lecturer shows them: from a folder, without a network, and nothing cut off.

They are made of the last `make book`. Where no Chromium is installed the checks are skipped with a
word about it, unless REQUIRE_BROWSER is set.
"""

import functools
import re
from io import BytesIO
from urllib.parse import unquote, urldefrag

import pytest
import slides
from bs4 import BeautifulSoup
from deck import sentences
from pages import parse, tex_of
from pikepdf import Pdf
from sources import chapters

from tests.book import ROOT
from tests.browser import Visited, open_tab

pytestmark = pytest.mark.xdist_group("slides")  # one set of decks for all
HTML = ROOT / "_build" / "html"
SCREEN = {"width": 1280, "height": 720}
SMALLEST = 0.65  # times 28 pixels of 720: words for the last row
MOST = 58  # slides of a lecture
READY = "html[data-ready]"
OVERFLOWS = """
    () => [...document.querySelectorAll('.room')].filter(room => {
        const slide = room.closest('section'), before = slide.style.cssText;
        slide.style.cssText = 'display: flex !important';
        const hides = room.scrollHeight > room.clientHeight + 2
            || room.scrollWidth > room.clientWidth + 2;
        slide.style.cssText = before;
        return hides;
    }).map(room => room.innerText.slice(0, 80))
"""
OTHER = ("fig-", "ex-")  # not sections
PRESENT = "Reveal.getSlidePastCount()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("decks") / "slides"
    slides.build(HTML, made)
    return made


@pytest.fixture
def tab(browser):
    tab = open_tab(browser, viewport=SCREEN)
    tab.visited = Visited(tab)
    yield tab
    tab.close()


def show(tab, file, how=""):
    tab.goto(file.as_uri() + how)
    tab.wait_for_selector(READY, state="attached")


@pytest.mark.parametrize("name", [path.stem for path in chapters()])
def test_a_deck_shows_its_chapter_and_nothing_is_cut_off(folder, tab, name):
    show(tab, folder / f"{name}.html")
    assert not tab.visited.complaints
    assert all(url.startswith(folder.as_uri()) for url in tab.visited.requests)
    assert not tab.evaluate(OVERFLOWS)
    assert not tab.locator(".quiz-status").count(), "nobody answers the quiz of a deck"
    zooms = tab.evaluate("[...document.querySelectorAll('.zoom')].map(part => +part.style.zoom)")
    assert min(zooms) > SMALLEST
    assert len(zooms) <= MOST
    assert tab.evaluate("[...document.images].every(image => image.complete && image.alt)")
    deck = (folder / f"{name}.html").read_text("utf-8")
    shown = set(re.findall(' id="([^"]+)"', deck))
    for address in re.findall(' href="([^"]+)"', deck):
        path, anchor = urldefrag(address)
        if address.startswith("#/"):
            assert address[2:] in shown, address
        elif path.startswith("../html/"):
            target = HTML / path.removeprefix("../html/")
            assert f'id="{unquote(anchor)}"' in target.read_text("utf-8") or not anchor, address
    notes = re.findall('<aside class="notes">(.*?)</aside>', deck, flags=re.DOTALL)
    assert f'href="../html/chapters/{name}.html#' in notes[0]


def read(file):
    """Return a page or a deck; a formula is its TeX."""
    formulas = []
    page = parse(file, formulas)
    for place in page("i-tex"):
        place.string = tex_of(formulas[int(place.string)])
    return page


@pytest.mark.parametrize("name", [path.stem for path in chapters()])
def test_the_argument_of_a_chapter_is_on_slides_and_none_is_empty(folder, name):
    page, deck = (read(f / f"{name}.html") for f in (HTML / "chapters", folder))
    for aside in page.select(
        "#second-reading, #exercises, #quiz, #further-reading, "
        ".proof:not([id]), details, .headerlink"
    ):
        aside.decompose()
    for notes in deck("aside"):
        notes.decompose()
    boxes = {element["id"] for element in page.article.select(".proof[id], figure[id]")}
    assert boxes <= {element["id"] for element in deck.select("section section [id]")}
    assert boxes
    headings = " ".join(heading.get_text() for heading in deck("h2"))
    for heading in page.select("section > :is(h2, h3)"):
        assert heading.get_text() in headings
    for room in deck.select(".zoom:not(:has(> figure))"):
        assert room.select(":scope > :not(.cell_output)"), "an output says nothing by itself"
    displayed, shown = (
        [m.get_text().split() for m in part("div", "math")] for part in (page, deck)
    )
    assert [formula for formula in displayed if formula not in shown] == []
    assert all(room.get_text(strip=True) or room.img for room in deck(class_="room"))


def read_sentence(inner):
    return " ".join(BeautifulSoup(inner, "html.parser").get_text().split()).rstrip(":.")


@pytest.mark.parametrize("name", [path.stem for path in chapters()])
def test_a_deck_says_what_it_does_not_show(folder, name):
    deck = read(folder / f"{name}.html")
    for slide in deck.select("section section:not(.quiz)"):
        assert not slide.section, "notes have no slides of their own"
        shown = " ".join(slide.select_one(".room").get_text().split())
        for words in slide.select(".notes > p"):
            assert " ".join(words.get_text().split()) not in shown
    for words in deck.select(".zoom > p:last-child"):
        assert not words.get_text().rstrip().endswith(":"), "what it leads to is elsewhere"
    whole = " ".join(deck.get_text().split())
    page = read(HTML / "chapters" / f"{name}.html").article
    for aside in page.select("#second-reading, #exercises, #quiz, #further-reading, .admonition"):
        aside.decompose()
    for words in page.select("section > p:not(:has(i-tex))"):
        for sentence in map(read_sentence, sentences(words)):
            assert sentence in whole
    code = deck.select(".room .cell_input pre")
    assert all(re.match("def |class ", cell.get_text()) for cell in code)


def test_the_list_of_decks_says_on_which_slides_a_section_is(folder):
    slides_of = functools.cache(lambda name: read(folder / name).select("section section"))
    for link in read(folder / "index.html").select("details a"):
        name, _, anchor = link["href"].partition("#/")
        slides = slides_of(name)
        here = [k for k, slide in enumerate(slides, 1) if slide.parent["id"] == anchor]
        assert link.next_sibling == f": {here[0]} to {here[-1]}"


def test_what_the_class_solves_and_what_cures_is_on_slides(folder):
    notes, solved = slides.told(HTML)
    places = [place for boxes in solved.values() for place in boxes]
    assert len(places) > 10
    for name in (path.stem for path in chapters()):
        deck = read(folder / f"{name}.html")
        for boxes in solved[name].values():
            assert all(deck.select(f".zoom > #{box} > p + *") for box in boxes)
        say = [
            words
            for place, told in notes[name].items()
            if not place.startswith(OTHER)
            for words in told
            if "They say:" in words.text
        ]
        told = [words for words in deck.select(".notes strong") if "They say:" in words.text]
        assert len(told) == len(say)


def test_a_figure_that_one_holds_has_the_keys(folder, tab):
    show(tab, folder / "01_geometry.html", "#/fig-street")
    here = tab.evaluate(PRESENT)
    handle = tab.locator("#street .grip").first
    handle.focus()
    before = handle.get_attribute("transform")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function(
        "([h, was]) => h.getAttribute('transform') !== was", arg=[handle.element_handle(), before]
    )
    assert tab.evaluate(PRESENT) == here
    tab.keyboard.press("PageDown")
    assert tab.evaluate(PRESENT) == here + 1
    tab.keyboard.press("PageUp")
    handle.focus()
    tab.keyboard.press("Escape")
    assert not tab.evaluate("Reveal.isOverview()")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(PRESENT) == here + 1


def test_paper_has_a_page_for_each_slide(folder, tab):
    show(tab, folder / "05_kernels.html", "?print-pdf")
    count = "document.querySelectorAll('{}').length"
    tab.wait_for_selector(".pdf-page", state="attached")
    assert tab.evaluate(count.format(".pdf-page")) == tab.evaluate(count.format(".zoom"))
    assert not tab.evaluate(
        "[...document.querySelectorAll('.room')].filter(r => r.scrollHeight > r.clientHeight + 2)"
        ".map(r => r.innerText)"
    )
    paper = Pdf.open(BytesIO(tab.pdf(prefer_css_page_size=True)))
    assert len(paper.pages) == tab.evaluate(count.format(".zoom"))


def test_the_notes_open_in_a_window_of_their_own(folder, tab):
    show(tab, folder / "01_geometry.html", "#/fig-penguins")
    with tab.expect_popup() as opened:
        tab.keyboard.press("s")
    notes = opened.value
    notes.get_by_text("A penguin weighs 4,700 g").wait_for()
