"""Two more engines: what the pages need most works in Firefox and in WebKit, too.

If one is not installed, its checks are skipped with a message, unless REQUIRE_BROWSER is set.
"""

import pytest

from tests.book.test_pages import (
    BADLY_SET,
    BOOK,
    CHAPTERS,
    PHONE,
    PLAYER,
    TOO_WIDE,
    assert_that_all_is_at_its_place,
    faulty,
    source,
)
from tests.browser import contrast
from tests.engines import ENGINES, LEFT, RIGHT, Firefox

FIGURES = "[...document.querySelectorAll('.explorable')]"
ALIVE = f"""{FIGURES}.every(figure => figure.dataset.settled === 'true'
    || figure.scrollIntoView({{behavior: 'instant'}}))"""  # it comes alive near the screen
WITH_FIGURES = [page for page in CHAPTERS if 'class="explorable"' in source(page)]


def one_worker_each(names):
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


@pytest.fixture(scope="module", params=one_worker_each(ENGINES))
def engine(request, tmp_path_factory):
    with ENGINES[request.param](tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def chapter(engine):
    engine.open(BOOK + CHAPTERS[0])
    engine.wait(ALIVE)
    return engine


@pytest.mark.parametrize("page", CHAPTERS)
def test_formulas_are_set_in_their_font_and_nothing_is_cut_off_on_a_phone(engine, page):
    engine.open(BOOK + page, **PHONE)
    engine.ask("document.fonts.ready.then(() => 0)")
    assert engine.ask("document.querySelectorAll('article math').length") > 100
    assert not engine.ask(faulty(BADLY_SET | {"wide": TOO_WIDE}))
    assert engine.ask("document.documentElement.scrollWidth <= innerWidth")
    # A fraction is higher than a letter, and in a line its numbers are small.
    for one, other, more in (
        ("mfrac", "mi", 1.5),
        ("math:not([display]) > mrow > mn", "math:not([display]) mfrac > mn", 1.15),
    ):
        high, low = (
            f"document.querySelector('article {part}')?.getBoundingClientRect().height"
            for part in (one, other)
        )
        assert engine.ask(f"!({low}) || {high} > {more} * {low}")


@pytest.mark.parametrize("page", WITH_FIGURES)
def test_figures_react_to_keys_and_pointer(engine, page):
    engine.open(BOOK + page)
    engine.wait(ALIVE)
    for name in engine.ask(f"{FIGURES}.map(figure => figure.id)"):
        state = f"svmExplorable.figures['{name}'].encode()"
        for kind, hit in ((".grip", " .hit"), ("input", "")):
            grip = f"document.querySelector('#{name} {kind}')"
            if not engine.ask(f"Boolean({grip})"):
                continue
            at_its_end = engine.ask(f"{grip}.value === {grip}.max && {grip}.max > ''")
            before = engine.ask(state)
            engine.ask(f"{grip}.focus()")
            engine.press(LEFT if at_its_end else RIGHT)
            engine.wait(f"{state} !== {before!r}")
            before = engine.ask(state)
            engine.drag(f"document.querySelector('#{name} {kind}{hit}')", -60, -40)
            engine.wait(f"{state} !== {before!r}")
    engine.wait(ALIVE)


def test_a_finger_moves_a_handle_and_not_the_page(chapter):
    if not isinstance(chapter, Firefox):
        pytest.skip("WebKitGTK's driver has no fingers")
    name = chapter.ask(f"{FIGURES}[0].id")
    state, grip = (
        f"svmExplorable.figures['{name}'].encode()",
        f"document.querySelector('#{name} .grip .hit')",
    )
    chapter.bring(grip)
    top = f"document.querySelector('#{name}').getBoundingClientRect().top"
    before, place = chapter.ask(state), chapter.ask(top)
    chapter.drag(grip, -40, -60, pointer="touch")
    chapter.wait(f"{state} !== {before!r}")
    assert chapter.ask(top) == pytest.approx(place, abs=1)


def test_what_is_far_from_the_screen_is_at_its_place(engine):
    engine.resize(**PHONE)
    assert_that_all_is_at_its_place(engine.go, engine.ask, engine.reload)


def test_screen_readers_find_the_text_of_a_whole_page(chapter):
    """Firefox hides the text of blocks that are not laid out from them; Chromium does not."""
    skipped = """[...document.querySelectorAll('article :is(p, math)')].filter(e =>
        e.checkVisibility() && !e.checkVisibility({contentVisibilityAuto: true})).length"""
    assert chapter.ask(skipped) == 0


def test_a_solution_opens_and_closes_where_one_clicks(chapter):
    fold = "document.querySelector('details.solution')"
    for state in (".open", ".open === false"):
        chapter.drag(f"{fold}.querySelector('summary')")
        chapter.wait(f"{fold}{state}")


def test_a_player_shows_the_next_frame(engine):
    engine.open(BOOK + PLAYER)
    player = "document.querySelector('.frame-player')"
    shown = f"[...{player}.querySelectorAll('figure')].map(frame => frame.checkVisibility())"
    first, second, *others = engine.ask(shown)
    assert (first, second) == (True, False)
    engine.drag(f"{player}.querySelector('[aria-label=\"Next frame\"]')")
    engine.wait(f"({shown}).join() === 'false,true{',false' * len(others)}'")


def test_in_the_dark_letters_and_formulas_are_light(chapter):
    for _ in range(3):  # the button goes round: automatic, light, dark
        if chapter.ask("document.documentElement.dataset.theme") != "dark":
            chapter.ask("document.querySelector('.theme-switch-button').click()")
    colours = chapter.ask(
        """[document.body, ...document.querySelectorAll('article :is(p, math)')].map((e, k) =>
            getComputedStyle(e)[k ? 'color' : 'backgroundColor'].match(/[\\d.]+/g).slice(0, 3))"""
    )
    ground, *inks = ([float(part) / 255 for part in colour] for colour in colours)
    assert min(contrast(ground, ink) for ink in inks) >= 4.5


def test_the_search_finds(engine):
    engine.open(f"{BOOK}search.html?q=slack")
    engine.wait("document.querySelectorAll('.search-list > li a').length > 3")
    assert engine.ask("findInBook('kernel trick').length") > 0
