"""What a link leads to is shown at it: to pointer, keyboard and finger, also from a folder."""

import json
import re
from collections import defaultdict
from urllib.parse import urljoin

import pytest

from tests.book.test_pages import (
    BOOK,
    CHAPTERS,
    DESKTOP,
    HTML,
    PAGES,
    THEMES,
    assert_legible,
    assert_resolves,
    choose_theme,
    complaints_of_axe,
    source,
)
from tests.browser import Visited, open_tab

pytestmark = pytest.mark.xdist_group("previews")  # one reader for all

PAGE = BOOK + CHAPTERS[3]
LINK = 'article a[class="reference internal"]'
THEOREM = f'{LINK}[href*="02_convex_hulls.html#thm-"]'
SHOWS = {
    THEOREM: "div.theorem math",
    f'{LINK}[href^="#equation"]': ".eqno + .display > math",
    f'{LINK}[href^="#fig-"]': "figure > .cell_output > img",
    f'{LINK}[href*="bibliography.html#"]': ".citation > .label",
    f'{LINK}[href*="05_kernels.html#"]': "p > strong > .section-number",
}
SHUT = "() => !document.querySelector('.preview').matches(':popover-open')"
DELAY = 300  # milliseconds, before a preview comes or goes


@pytest.fixture(scope="module")
def reader(browser):
    tab = open_tab(browser, viewport=DESKTOP, reduced_motion="reduce")
    visited = Visited(tab)
    tab.clock.install(time=0)
    tab.goto(PAGE)
    tab.clock.pause_at(10**6)
    yield tab
    tab.close()
    assert not visited.complaints


@pytest.fixture
def tab(reader):
    reader.set_default_timeout(20000)
    reader.keyboard.press("Escape")
    reader.evaluate("document.activeElement.blur()")
    reader.mouse.move(1, 1)
    return reader


def see(tab, what=""):
    """Wait until a preview is open; return where it is."""
    tab.locator(f".preview:popover-open {what}").first.wait_for()
    return tab.locator(".preview").bounding_box()


def point_at_a_theorem(tab):
    tab.locator(THEOREM).first.hover()
    tab.clock.run_for(DELAY)
    return see(tab)


@pytest.mark.parametrize("link", SHOWS)
def test_the_pointer_shows_what_a_link_leads_to(tab, link):
    tab.locator(link).first.hover()
    place = tab.locator(link).first.bounding_box()
    tab.clock.run_for(DELAY - 1)
    assert tab.evaluate(SHUT), "before the pointer has stayed"
    tab.clock.run_for(1)
    box = see(tab, SHOWS[link])
    assert 0 <= box["x"] <= DESKTOP["width"] - box["width"]
    assert 0 <= box["y"] <= DESKTOP["height"] - box["height"]
    assert tab.locator(link).first.bounding_box() == place, "the page has moved"
    for image in tab.locator(".preview img").all():
        image.evaluate("i => i.decode()")
        assert tab.locator(".preview").bounding_box() == box


def test_formulas_are_typeset_on_a_page_that_has_none_itself(browser):
    tab = open_tab(browser, viewport=DESKTOP)
    tab.goto(f"{BOOK}reference/statements.html")
    assert not tab.locator("math").count()
    tab.locator(".statements a").first.hover()
    see(tab)
    font = "getComputedStyle(document.querySelector('.preview math')).fontFamily"
    assert tab.evaluate(font).startswith("STIX2")
    assert tab.evaluate("document.fonts.load('16px STIX2').then(faces => faces.length)") == 1
    tab.close()


def test_it_stays_while_the_pointer_is_in_it_and_goes_with_it(tab):
    box = point_at_a_theorem(tab)
    tab.mouse.move(box["x"] + 20, box["y"] + box["height"] - 9)
    tab.clock.run_for(2 * DELAY)
    assert not tab.evaluate(SHUT)
    tab.mouse.move(1, 1)
    tab.clock.run_for(DELAY - 1)
    assert not tab.evaluate(SHUT), "before the pointer could come back"
    tab.clock.run_for(1)
    assert tab.evaluate(SHUT)


def test_it_follows_the_focus_and_escape_closes_it(tab):
    link = tab.locator(THEOREM).first
    link.evaluate("l => { l.focus({focusVisible: true}); }")
    tab.clock.run_for(DELAY)
    see(tab)
    tab.mouse.move(2, 2)  # does not take away what the focus holds
    tab.clock.run_for(2 * DELAY)
    assert not tab.evaluate(SHUT)
    tab.keyboard.press("Escape")
    tab.clock.run_for(2 * DELAY)
    assert tab.evaluate(SHUT)
    assert link.evaluate("l => l === document.activeElement")


def test_it_is_accessible_and_readable_and_not_on_paper(tab):
    for theme in THEMES:
        choose_theme(tab, theme)
        point_at_a_theorem(tab)
        assert_legible(tab, ".preview *")
    tab.emulate_media(media="print")
    assert tab.locator(".preview").evaluate("p => getComputedStyle(p).display") == "none"
    tab.emulate_media(media="screen")
    tab.evaluate("document.querySelectorAll('article > section').forEach(s => s.remove())")
    tab.clock.resume()  # axe waits
    assert not complaints_of_axe(tab)


def test_the_first_tap_shows_and_the_second_goes_on_the_smallest_phone(browser):
    tab = open_tab(browser, viewport={"width": 320, "height": 640}, has_touch=True)
    for go in (THEOREM, ".preview > .go"):
        tab.goto(PAGE)
        tab.locator(THEOREM).first.tap()
        box = see(tab)
        assert tab.url == PAGE
        assert 0 <= box["x"] <= 320 - box["width"]
        assert tab.evaluate("document.documentElement.scrollWidth") == 320
        assert tab.locator(".go").evaluate("e => e === document.activeElement"), "who sees nothing"
        tab.locator(go).first.tap()
        tab.wait_for_url("**/02_convex_hulls.html#thm-*")
    tab.close()


def test_every_link_inside_the_book_has_a_preview_and_no_preview_is_without_a_link():
    wanted, there = defaultdict(set), {}
    for page in PAGES:
        article = re.search("<article.*</article>", source(page), re.DOTALL)[0]
        for link in re.findall('<a class="reference internal" href="([^"]*)"', article):
            target, _, anchor = urljoin(page, link).partition("#")
            wanted[target].add(anchor)
    for script in (HTML / "previews").rglob("*.js"):
        written = r'BOOK_PREVIEWS\["(.*)"\] = (.*);\n'
        page, data = re.fullmatch(written, script.read_text("utf-8")).groups()
        parts = json.loads(data)
        there[page] = set(parts)
        for anchor, part in parts.items():
            assert len(re.sub("<[^>]*>", "", part)) > 9, anchor
            assert len(re.findall(r"<(?!img|wbr|path)\w", part)) == part.count("</"), anchor
            for address in re.findall(r' (?:src|href)="([^"]*)"', part):
                assert_resolves(address, page)
    assert there == wanted
