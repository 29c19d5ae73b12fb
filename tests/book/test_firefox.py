"""A second engine: what the pages need most works in Firefox, too.

Where none is installed, the checks are skipped with a word about it.
"""

import pytest

from tests.book.test_pages import BOOK, CHAPTERS, PHONE, contrast
from tests.firefox import RIGHT, firefox

pytestmark = pytest.mark.xdist_group("firefox")  # one browser for all

FIRST, HEAVIEST = CHAPTERS[0], CHAPTERS[5]


@pytest.fixture(scope="module")
def fox(tmp_path_factory):
    with firefox(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def chapter(fox):
    fox.open(BOOK + FIRST)
    fox.wait("document.querySelector('.explorable[data-alive]')")
    return fox


def test_formulas_are_set_in_their_font_and_nothing_is_cut_off_on_a_phone(fox):
    fox.open(BOOK + HEAVIEST, **PHONE)
    fox.ask("document.fonts.ready.then(() => 0)")
    wrong = """[...document.querySelectorAll('article math')].filter(f => {
        const box = f.getBoundingClientRect();
        return f.checkVisibility() && !(box.width > 3 && box.height > 5
            && getComputedStyle(f).fontFamily.startsWith('STIX2')
            && (box.right <= innerWidth || f.closest('.display, table')));
    }).map(f => f.textContent)"""
    assert fox.ask("document.querySelectorAll('article math').length") > 100
    assert fox.ask(wrong) == []
    assert fox.ask("document.fonts.check('16px STIX2')")
    assert fox.ask("document.documentElement.scrollWidth <= innerWidth")
    # A fraction is higher than a letter.
    high = "document.querySelector('article mfrac').getBoundingClientRect().height"
    assert fox.ask(high) > 1.5 * fox.ask(high.replace("mfrac", "mi"))


def test_a_figure_reacts_to_keys_and_pointer(chapter):
    says = "document.querySelector('.explorable [role=status]').textContent"
    grip = "document.querySelector('.explorable .grip')"
    before = chapter.ask(says)
    chapter.ask(f"{grip}.focus()")
    chapter.press(RIGHT)
    chapter.wait(f"{says} !== {before!r}")
    before = chapter.ask(says)
    chapter.drag(grip, 30, 20)
    chapter.wait(f"{says} !== {before!r}")


def test_a_solution_opens_and_closes_where_one_clicks(chapter):
    fold = "document.querySelector('details.solution')"
    for state in (".open", ".open === false"):
        chapter.drag(f"{fold}.querySelector('summary')")
        chapter.wait(f"{fold}{state}")


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


def test_the_search_finds(fox):
    fox.open(f"{BOOK}search.html?q=slack")
    fox.wait("document.querySelectorAll('.search-list > li a').length > 3")
    assert fox.ask("findInBook('kernel trick').length") > 0
