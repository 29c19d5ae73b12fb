"""The built pages in a real browser: nothing missing, nothing fetched, nothing a reader trips on.

They need `make book` first. Where no Chromium is installed the browser checks are skipped with a
word about it, unless REQUIRE_BROWSER is set, as it is in CI. A page is opened once and looked at
by all checks in turn, also by those that use it as a reader does; one that needs another start (no
scripts, from disk) opens its own. What costs most is laying out a chapter anew, so the checks
stand in the order of the widths and themes that they ask for: a desktop in the light, in the dark,
a phone, paper; and last axe, which gets a page without its formulas and has no use for them after.
"""

import functools
import http.server
import io
import re
import threading
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image

from tests.book import ROOT
from tests.browser import Visited, open_tab

HTML = ROOT / "_build" / "html"
FRONT = "index.html"
OWN_STATE = {"404.html", "search.html"}  # no page of the book: they have checks of their own
PAGES = sorted(
    page
    for page in (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    if page not in OWN_STATE and not page.startswith("_")
)
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
PAPER = {"width": 670, "height": 1000}  # A4 less its margins, at 96 px an inch
THEMES = ("light", "dark")
FAMILIES = ("Liberation Sans", "DejaVu Sans")  # narrow letters, as Arial's, and wide ones


def test_the_book_is_built():
    assert FRONT in PAGES, "run `make book` first"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # each page is a reader's first
        super().end_headers()


@pytest.fixture(scope="session")
def host():
    handler = functools.partial(QuietHandler, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


# Pictures load when a reader comes near; a test wants them all.
LOAD_PICTURES = """
    () => Promise.all([...document.images].map(image => {
        image.loading = 'eager';
        return image.decode().then(() => true, () => false);
    }))
"""


class Visit(Visited):
    """A page opened once."""

    def __init__(self, tab, host, page):
        super().__init__(tab)
        self.page, self.host, self.url = page, host, host + page
        tab.goto(self.url, wait_until="load")
        self.loads = tab.evaluate(LOAD_PICTURES)

    def leave(self):
        """Leave the tab as new, with nothing in it that a page could remember."""
        super().leave()
        self.tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.tab.context.clear_cookies()
        self.tab.emulate_media(media="screen", color_scheme="light")
        self.tab.set_viewport_size(DESKTOP)


def each(pages):
    """One test a page; all tests of a page go to the same worker, one after the other.

    `pages` begins where PAGES does: pytest knows a page again by its place in the list.
    """
    assert pages == PAGES[: len(pages)]
    return pytest.mark.parametrize(
        "visit",
        [pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in pages],
        indirect=True,
        ids=[Path(page).stem for page in pages],
    )


@pytest.fixture(scope="session")
def window(browser):
    """One tab for all visits: a new one takes as long as a chapter does to load."""
    # Without motion nothing is on its way, neither sidebar nor colour, when a test looks.
    tab = open_tab(browser, viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
    yield tab
    tab.close()


@pytest.fixture(scope="session")
def visit(request, window, host):
    visit = Visit(window, host, request.param)
    yield visit
    visit.leave()


def look(tab, size, media="screen"):
    """Change the window and the medium if need be: each change lays out the page anew."""
    if not tab.evaluate("media => matchMedia(media).matches", media):
        tab.emulate_media(media=media)
    if tab.viewport_size != size:
        tab.set_viewport_size(size)
    return tab


@pytest.fixture
def tab(visit):
    return look(visit.tab, DESKTOP)


@pytest.fixture
def phone(visit):
    return look(visit.tab, PHONE)


CHOOSE_FAMILY = """
    family => document.documentElement.style.setProperty('--pst-font-family-base', family)
"""


def attributes(tab, selector, name):
    return tab.eval_on_selector_all(selector, f"all => all.map(e => e.getAttribute('{name}'))")


# What is there


@each(PAGES)
def test_every_formula_is_typeset_and_spoken_and_keeps_its_tex_but_is_never_focused(visit, tab):
    formulas = tab.eval_on_selector_all(
        ".math",
        """all => all.map(f => [
            f.querySelectorAll('.katex-html .base').length,
            f.querySelectorAll('math').length,
            // but for what is too wide for its place, and can be scrolled
            [f, ...f.querySelectorAll('*')].some(e => e.tabIndex >= 0 && e.tagName !== 'A'
                && e.scrollWidth <= e.clientWidth + 2),
            f.textContent,
        ])""",
    )
    for visible, spoken, focusable, text in formulas:
        assert visible, f"not typeset: {text}"
        assert spoken == 1, f"no MathML: {text}"
        assert not focusable, f"a tab stop: {text}"
    assert not tab.locator(".katex-error").count()
    assert formulas or "chapters/" not in tab.url
    kept = attributes(tab, "article .katex", "data-tex")
    assert all(kept)
    assert any("katex.min.css" in url for url in visit.requests) == bool(kept)


@each(PAGES)
def test_no_markup_is_left_over(tab):
    """Dollars, roles and directives belong to the source, not to the page."""
    prose, everything = tab.evaluate(
        """() => ['pre, code, .katex, script, style', '.katex, script, style'].map(hidden => {
            const copy = document.querySelector('article').cloneNode(true);
            copy.querySelectorAll(hidden).forEach(e => e.remove());
            return copy.textContent;
        })"""
    )
    assert not re.search(r"\$[^$]{1,80}\$|\{[a-z][a-z:-]*\}|\\[a-z]{3}", prose)
    assert "[Figure" not in prose, "a transcript is shown"
    # A fence that was not understood is shown as code, and so is the name of a role.
    assert not re.search(r"```|:::|^:\w+: |\$\$|\{[a-z]+:?[a-z]*\}`", everything, re.MULTILINE)


@each(PAGES)
def test_every_picture_is_described_and_loads_into_its_place_when_a_reader_comes_near(visit):
    """Of those that every page has, only that they are described and load."""
    body = (HTML / visit.page).read_text(encoding="utf-8").partition("<article")[2]
    assert all(' loading="lazy" ' in tag for tag in re.findall("<img [^>]*>", body))
    pictures = visit.tab.eval_on_selector_all(
        "img",
        """all => all.map(i => [i.getAttribute('src'), i.getAttribute('alt'), i.closest('article')
            && i.getAttribute('width') / i.getAttribute('height'),
            i.naturalWidth / i.naturalHeight])""",
    )
    for (source, words, announced, shape), loads in zip(pictures, visit.loads, strict=True):
        assert words, f"no alternative text: {source}"
        assert "_images/" not in words, f"a file name is no description: {source}"
        assert loads, source
        assert not source.startswith("data:"), f"a picture inside the page: {words}"
        assert announced in (None, pytest.approx(shape, rel=0.02)), source


@each(PAGES)
def test_a_page_can_be_found_and_shared(tab):
    description = tab.locator('meta[name="description"]').get_attribute("content")
    assert 20 < len(description) <= 203
    assert not re.search(r"[\\$]", description), "TeX in the description"
    assert tab.locator('meta[property="og:description"]').get_attribute("content") == description
    title = tab.evaluate("document.querySelector('article h1').textContent")
    assert tab.locator('meta[property="og:title"]').get_attribute("content") in title
    kind = "website" if tab.url.endswith(FRONT) else "article"
    assert tab.locator('meta[property="og:type"]').get_attribute("content") == kind
    first = tab.locator("article section > p").first
    if not first.locator(".math").count():
        assert first.inner_text().startswith(description.removesuffix(" …"))
    assert len(tab.title()) > 5
    assert tab.locator("html").get_attribute("lang") == "en"


@functools.cache
def anchors(file):
    tags = re.findall(r"<[a-z][^<>]*>", file.read_text(encoding="utf-8"))
    return {""}.union(*(re.findall(r' (?:id|name)="([^"]+)"', tag) for tag in tags))


def assert_resolves(link, page_url, host):
    target, fragment = urldefrag(re.sub(r"\?[^#]*", "", urljoin(page_url, link)))
    if target.startswith(host):
        file = HTML / unquote(target.removeprefix(host) or FRONT)
        assert file.is_file(), link
        if file.suffix == ".html":
            assert unquote(fragment) in anchors(file), link


@each(PAGES)
def test_every_internal_link_resolves(visit):
    for link in set(attributes(visit.tab, "a[href], link[href]", "href")):
        assert_resolves(link, visit.url, visit.host)


def test_every_statement_is_listed_by_number_and_title_without_citations():
    statement = r'<div class="proof \w+ admonition" id="([^"]+)"'
    text = (HTML / "reference/statements.html").read_text(encoding="utf-8")
    lines = re.findall(r"<li><p>(.*?)</p>", text, flags=re.DOTALL)
    assert [re.search('href="([^"]+)"', line)[1] for line in lines] == [
        f"../{page}#{anchor}"
        for page in CHAPTERS
        for anchor in re.findall(statement, (HTML / page).read_text(encoding="utf-8"))
    ]
    words = [re.sub("<[^>]+>", "", line) for line in lines]
    assert any("Mercer" in line for line in words)
    assert all(re.match(r"[A-Z][a-z]+ \d+\.\d+ .*\)$", line) for line in words), words
    assert not any(re.search(r"\w{3}\d{4}| \)", line) for line in words), words


NUMBERED = (  # id and number: of a box, of a figure, of an equation
    r'<div class="(?:proof|exercise) [^"]*" id="([^"]+)">\s*<p class="admonition-title">'
    r'<span class="caption-number">([^<]+?) ?</span>',
    r'<figure [^>]*id="([^"]+)">.*?<span class="caption-number">([^<]+?) ?</span>',
    r'<div class="math" id="([^"]+)">\s*<span class="eqno">(\([\d.]+\))',
)


@functools.cache
def numbers(page):
    """Return the number that each box, figure and equation of a page shows, by its id."""
    text = (HTML / page).read_text(encoding="utf-8")
    return dict(pair for kind in NUMBERED for pair in re.findall(kind, text, flags=re.DOTALL))


def test_references_say_the_number_of_what_they_lead_to():
    """Also those of the list of statements."""
    reference = re.compile(
        r'<a class="reference internal" href="([^"#]*)#([^"]+)"[^>]*>(?:<span class="std[^"]*">)?'
        r"((?:Fig\.|[A-Z][a-z]+) \d+\.\d+|\(\d+\.\d+\))<"
    )
    count = 0
    for page in PAGES:
        for place, anchor, number in reference.findall((HTML / page).read_text(encoding="utf-8")):
            target = numbers(urljoin(page, place) if place else page)
            assert target[anchor] == number, f"{page}: {place}#{anchor}"
            count += 1
    assert count > 400


def test_the_front_page_has_the_figure_of_chapter_1():
    """With the data that bring it to life, and its script."""
    pages = [(HTML / name).read_text("utf-8") for name in (FRONT, "chapters/01_geometry.html")]
    front, chapter = (re.findall(r'<div class="explorable".*?</script></div>', p) for p in pages)
    assert len(front) == 1
    assert front == [figure.replace("../_images", "_images") for figure in chapter]
    assert "explorables/street.js" in pages[0]


def test_a_card_of_the_front_page_shows_its_chapter():
    cards = re.findall(
        r'alt="([^"]+)" class="sd-card-img-top".*?sd-card-title[^>]*>\s*(\d+)\. (.*?)</div>'
        r'.*?href="([^"]+)"',
        (HTML / FRONT).read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    assert [page for *_, page in cards] == CHAPTERS
    for words, number, title, page in cards:
        text = (HTML / page).read_text(encoding="utf-8")
        assert f'<h1><span class="section-number">{number}. </span>{title}<' in text
        assert f'alt="{words.removesuffix(".")}' in text, "the words of another picture"


# How heavy it is


def test_the_folder_is_light():
    downloads = HTML / "notebooks"
    files = [f for f in HTML.rglob("*") if f.is_file() and downloads not in f.parents]
    files = [f for f in files if f.suffix != ".pdf"]
    assert sum(file.stat().st_size for file in files) < 24e6


@each(PAGES)
def test_a_page_is_light(visit):
    """With everything that it loads, pictures included, as the browser unpacks it."""
    assert sum(visit.weight.values()) < (1.2e6 if visit.page == FRONT else 3e6)


# How it looks


@each(PAGES)
def test_one_search_bar_is_visible(tab):
    visible = tab.eval_on_selector_all(
        "form.bd-search, .search-button-field",
        "all => all.filter(e => e.checkVisibility({visibilityProperty: true})).length",
    )
    assert visible == 1


@each(CHAPTERS)
def test_code_can_be_copied_and_what_it_prints_is_no_tab_stop(tab):
    buttons = tab.locator(".copybtn").count()
    assert buttons == tab.locator("article .cell_input pre, article .highlight-python pre").count()
    assert not tab.locator(".output .copybtn").count()


@each(CHAPTERS[:7])
def test_the_picture_stays_in_sight_beside_longer_tools(tab):
    """The tools are beside it, and at the end of them it is whole between header and window."""
    seen = tab.eval_on_selector_all(
        ".explorable[data-alive]",
        """(figures, families) => figures.flatMap(figure => families.map(family => {
            figure.style.fontFamily = family;  // of the tools; of the letters in the picture
            figure.style.setProperty('--pst-font-family-base', family);
            figure.scrollIntoView({block: 'end', behavior: 'instant'});
            const [header, picture, tools] = [document.querySelector('.bd-header-article'),
                figure.querySelector('.live > svg'), figure.querySelector('.side')]
                .map(part => part.getBoundingClientRect());
            figure.removeAttribute('style');
            return tools.left >= picture.right && tools.right <= header.right + 0.1
                && picture.top >= header.bottom - 0.1 && picture.bottom <= innerHeight + 1;
        }))""",
        FAMILIES,  # where one is not installed, another has to do as well
    )
    assert seen
    assert all(seen), seen


@each(CHAPTERS)
def test_text_tables_figures_and_captions_have_one_left_edge(tab):
    edges = tab.evaluate(
        """() => [...document.querySelectorAll(`article section > :is(p, table),
                article section > .cell > .cell_output > figure,
                article section > .cell > .cell_output > figure :is(img, .explorable, figcaption)`)]
            .filter(e => e.checkVisibility() && !e.closest('.admonition')
                && e.getBoundingClientRect().width > 9)
            .map(e => [Math.round(e.getBoundingClientRect().left
                + parseFloat(getComputedStyle(e).paddingLeft)), e.localName])"""
    )
    assert {"p", "figure", "figcaption"} <= {name for _, name in edges}
    assert len({left for left, _ in edges}) == 1, sorted(set(map(tuple, edges)))


@each(CHAPTERS[:1])
def test_the_focus_is_always_visible(tab):
    unseen, stops = [], 0
    while stops < 60:
        tab.keyboard.press("Tab")
        stops += 1
        width, name = tab.evaluate(
            """() => {
                const e = document.activeElement, s = getComputedStyle(e);
                if (e.matches('.grip'))
                    return [parseFloat(getComputedStyle(e.querySelector('.hit')).strokeWidth), ''];
                const shown = s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth);
                return [shown || (s.boxShadow === 'none' ? 0 : 2), e.outerHTML.slice(0, 150)];
            }"""
        )
        if width < 2:
            unseen.append(name)
    assert not unseen


@each(PAGES)
def test_what_one_can_take_hold_of_is_alive(visit):
    """With its style and its script, which no other page loads."""
    figures = visit.tab.locator(".explorable").count()
    assert visit.tab.locator(".explorable .live >> visible=true").count() == figures
    for kind in (".js", ".css"):
        loaded = [url for url in visit.requests if "/explorables/" in url and kind in url]
        assert bool(loaded) == bool(figures)


@each(CHAPTERS[:1])
def test_download_buttons_say_what_they_give(tab):
    links = tab.eval_on_selector_all(
        "a.btn-download-notebook-button", "all => all.map(a => [a.href, a.textContent.trim()])"
    )
    assert [Path(link).suffix for link, _ in links] == [".ipynb", ".zip"]
    assert all(Path(link).suffix in said for link, said in links)


@each(CHAPTERS[:1])
def test_the_theme_button_says_its_state(tab):
    button = tab.locator(".theme-switch-button:visible")
    said = []
    for _ in range(3):
        said.append(button.get_attribute("aria-label"))
        assert said[-1].endswith(tab.evaluate("document.documentElement.dataset.mode"))
        button.click()
    assert len(set(said)) == 3


@each(CHAPTERS[:1])
def test_a_solution_opens_where_one_clicks(tab):
    solution = tab.locator("details.solution").first
    assert not solution.evaluate("d => d.open")
    solution.locator("summary").click()
    assert solution.evaluate("d => d.open")
    assert not tab.locator("details.solution summary a").count()
    solution.locator("summary").press("Enter")
    assert not solution.evaluate("d => d.open")
    solution.evaluate("d => { location.hash = d.id; }")  # as a link to it does
    solution.locator(":scope[open]").wait_for()
    solution.locator("summary").press("Enter")


# In the light and in the dark


def choose_theme(tab, theme):
    if tab.evaluate("document.documentElement.dataset.theme") != theme:
        tab.emulate_media(color_scheme=theme)
        tab.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")


CONTRASTS = """
    selector => {
        const canvas = document.createElement('canvas')
            .getContext('2d', {willReadFrequently: true});
        const colors = new Map();
        const rgba = color => {
            if (!colors.has(color)) {
                canvas.clearRect(0, 0, 1, 1);
                canvas.fillStyle = color;
                canvas.fillRect(0, 0, 1, 1);
                const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
                colors.set(color, [r, g, b, a / 255]);
            }
            return colors.get(color);
        };
        const over = ([r, g, b, a], [R, G, B]) => [a*r + (1-a)*R, a*g + (1-a)*G, a*b + (1-a)*B, 1];
        const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
            .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
        const known = new Map(), seen = new Map();
        const ground = element => {
            if (!element) return [255, 255, 255, 1];
            if (!known.has(element)) {
                const own = rgba(getComputedStyle(element).backgroundColor);
                known.set(element, own[3] === 1 ? own : over(own, ground(element.parentElement)));
            }
            return known.get(element);
        };
        for (const element of document.querySelectorAll(selector)) {
            if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())
                || element.closest('svg, :disabled, [aria-disabled=true], script, style, noscript')
                || !element.checkVisibility({visibilityProperty: true})) continue;
            const color = getComputedStyle(element).color, behind = ground(element);
            const key = color + behind;
            if (seen.has(key)) continue;
            const [a, b] = [light(over(rgba(color), behind)), light(behind)].sort((x, y) => y - x);
            seen.set(key, [(a + 0.05) / (b + 0.05), element.outerHTML.slice(0, 120)]);
        }
        return [...seen.values()];
    }
"""


@each(PAGES)
def test_letters_keep_their_contrast(tab):
    for theme in THEMES:
        choose_theme(tab, theme)
        for contrast, element in tab.evaluate(CONTRASTS, "body *"):
            assert contrast >= 4.5, f"{theme}, {contrast:.2f}: {element}"


@each(CHAPTERS[:1])
def test_a_figure_in_the_dark_is_light_on_the_ground_of_the_page(tab):
    choose_theme(tab, "dark")
    picture = tab.locator(".cell_output img").first
    picture.scroll_into_view_if_needed()
    picture.evaluate("i => i.decode()")
    shot = Image.open(io.BytesIO(picture.screenshot())).convert("RGB")
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shot.getpixel((2, 2)) == tuple(map(int, re.findall(r"\d+", ground)))
    assert shot.convert("L").getextrema()[1] > 240, "no light ink"
    choose_theme(tab, "light")


# What one copies, shares and asks for


def copied(tab, select):
    """Select what a script says, press Ctrl+C, and return what was put on the clipboard."""
    tab.evaluate("addEventListener('copy', e => { window.got = e.clipboardData.getData('text'); })")
    tab.evaluate(f"() => {{ {select} }}")
    tab.keyboard.press("Control+C")
    return tab.evaluate("() => { getSelection().removeAllRanges(); return window.got; }")


@each(CHAPTERS[:1])
def test_a_copied_formula_is_its_tex(tab):
    unequal = r"document.querySelector('[data-tex=\"w\\\\ne0\"]')"
    assert copied(tab, f"getSelection().selectAllChildren({unequal});") == r"$w\ne0$"
    part = f"const part = {unequal}.querySelector('.base');"  # half a formula is the whole
    half = "getSelection().setBaseAndExtent(part, 0, part, 1);"
    assert copied(tab, part + half) == r"$w\ne0$"
    display = "document.querySelector('.katex-display')"
    tex = tab.evaluate(f"{display}.querySelector('[data-tex]').dataset.tex")
    assert copied(tab, f"getSelection().selectAllChildren({display});") == f"$${tex}$$"
    two = "const p = document.querySelector('article p:has(.math)');"
    two += "getSelection().setBaseAndExtent(p, 0, p.nextElementSibling, 1);"
    assert "\n" in copied(tab, two), "paragraphs stay apart"


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: Path(page).stem)
def test_every_box_has_a_link_to_itself_and_a_solution_says_of_which_exercise(page):
    text = (HTML / page).read_text(encoding="utf-8")
    said = re.findall(r'<details class="solution[^>]*>\s*<summary>(.*?)</summary>', text)
    assert said
    assert all(re.fullmatch(r"Solution to Exercise \d+\.\d+", words) for words in said), said
    boxes = re.findall(
        r'<div class="(?:proof|exercise) [^"]*" id="([^"]+)">\s*<p class="admonition-title">'
        r"(.*?)</p>",
        text,
        flags=re.DOTALL,
    )
    assert len(boxes) > 5
    for name, title in boxes:
        assert title.count(f'<a class="headerlink" href="#{name}"') == 1, title


# On a phone


@each(PAGES)
def test_fits_a_phone(phone):
    """Also the smallest, with the widest letters, which is what takes most room."""
    for size, family in ((PHONE, ""), (PHONE | {"width": 320}, FAMILIES[-1])):
        look(phone, size).evaluate(CHOOSE_FAMILY, family)
        width = phone.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], f"scrolls sideways at {size}: {width} px wide"
    look(phone, PHONE).evaluate(CHOOSE_FAMILY, "")


# What no rule of style may do to a page with every box opened. A formula is torn if a part of it
# begins before the one before it has ended.
UNSEEN = """
    () => {
        const all = selector => [...document.querySelectorAll(selector)], style = getComputedStyle;
        const box = e => e.getBoundingClientRect(), shut = all('article details:not([open])');
        const names = shut.map(box => box.name);
        const torn = all('article span.math').filter(formula => {
            const seen = formula.querySelector('.katex-html').textContent;
            const parts = [...formula.querySelectorAll('.base')].map(box);
            return seen.replace(/[\\s\u200b]/g, '').length <= 14
                && parts.some(({left}, k) => k && left < parts[k - 1].left);
        });
        shut.forEach(box => { box.name = ''; box.open = true; });
        const hidden = all('article figcaption, article details > *')
            .filter(e => !e.closest('.frame-player'))
            .filter(e => !e.checkVisibility() || box(e).height < 5);
        const cut = all('article :is(pre, table, .katex-display)').filter(e =>
            e.scrollWidth > e.clientWidth + 2 && !/auto|scroll/.test(style(e).overflowX));
        const crowded = all('article p').filter(e => e.textContent.trim().length > 99
            && parseFloat(style(e).lineHeight) < 1.3 * parseFloat(style(e).fontSize));
        const twice = all('.katex-mathml').filter(e => box(e).width > 2);
        const small = all('article :is(p, li, td, pre)')
            .filter(e => parseFloat(style(e).fontSize) < 11);
        const pictures = all('.cell_output img').filter(i => i.checkVisibility());
        const narrow = pictures.filter(i => box(i).width < 250);
        const distorted = pictures.filter(i =>
            Math.abs(box(i).width / box(i).height - i.naturalWidth / i.naturalHeight) > 0.02);
        shut.forEach((box, k) => { box.open = false; box.name = names[k]; });
        return Object.entries({hidden, cut, crowded, twice, small, torn, narrow, distorted})
            .flatMap(([what, found]) => found.map(e => `${what}: ${e.outerHTML.slice(0, 100)}`));
    }
"""


@each(CHAPTERS)
def test_nothing_is_hidden_cut_off_crowded_torn_or_distorted_on_a_phone(phone):
    assert not phone.evaluate(UNSEEN)


@each(CHAPTERS[:1])
def test_the_contents_close_when_used_and_on_escape(phone):
    drawer = phone.locator("#pst-secondary-sidebar-checkbox")
    for leave in (
        lambda: phone.locator(".bd-sidebar-secondary a").nth(3).click(),
        lambda: phone.keyboard.press("Escape"),
    ):
        phone.locator("button.secondary-toggle:visible").click()
        assert drawer.is_checked()
        leave()
        assert not drawer.is_checked()


@each(CHAPTERS[:1])
def test_a_formula_or_table_wider_than_its_place_scrolls_there(visit):
    """No formula is, even on a phone, so the place is made narrower than any, in any font."""
    wide = """() => [...document.querySelectorAll('.katex-display, .bd-article table')]
        .filter(f => f.checkVisibility() && f.scrollWidth > f.clientWidth + 2)"""
    tab = look(visit.tab, {"width": 160, "height": 800})
    found = tab.evaluate(
        f"""({wide})().map(f => [f.localName, getComputedStyle(f).overflowX,
            f.getBoundingClientRect().right])"""
    )
    assert "span" in {name for name, *_ in found}
    assert all(overflow == "auto" and right <= 160 for _, overflow, right in found)
    tab.wait_for_function(  # by keyboard too, and one sees that it goes on
        f"""() => ({wide})().every(f => f.tabIndex === 0
            && (f.scrollWidth - f.clientWidth <= 8 || f.classList.contains('scrolls')))"""
    )


# On paper


@each(CHAPTERS)
def test_nothing_is_cut_off_at_the_right_of_the_paper(visit):
    cut = look(visit.tab, PAPER, "print").evaluate(
        """() => [...document.querySelectorAll('article :is(p, pre, img, table, .base)')]
            .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility())
            .map(e => e.textContent.slice(0, 80) || e.outerHTML.slice(0, 80))"""
    )
    assert not cut


@each(CHAPTERS[:1])
@pytest.mark.parametrize("theme", THEMES)
def test_paper_is_light_with_proofs_and_without_answers(visit, theme):
    tab = look(visit.tab, PAPER, "print")
    choose_theme(tab, theme)
    tab.evaluate("document.querySelector('article img').loading = 'lazy'")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert set(tab.eval_on_selector_all("img", "all => all.map(i => i.loading)")) == {"eager"}
    assert tab.evaluate("document.documentElement.dataset.theme") == "light"
    visible = "all => all.map(e => e.checkVisibility())"
    for shown in ("details.sd-dropdown:has(div.proof) div.proof", "#quiz summary"):
        seen = tab.locator(shown).evaluate_all(visible)
        assert seen
        assert all(seen)
    hidden = "#quiz .sd-summary-content, details.solution, details.hide, .copybtn, .headerlink"
    assert not any(tab.locator(f":is({hidden})").evaluate_all(visible))
    for contrast, element in tab.evaluate(CONTRASTS, "article :is(p, h1, h2, h3, pre, pre *)"):
        assert contrast >= 4.5, element
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate("document.documentElement.dataset.theme") == theme
    assert not tab.locator("details.sd-dropdown[open]").count()


@each(PAGES)
def test_asks_nothing_of_another_host_and_complains_of_nothing(visit):
    """Not even of what the checks above made the page do."""
    assert all(url.startswith((visit.host, "data:", "blob:")) for url in visit.requests)
    assert not visit.complaints


# With axe, which takes the page to pieces


# Formulas and code are nine of ten elements, all of one make, and axe takes a minute for those of a
# chapter. For axe they are plain text, formulas as they are spoken; their looks are measured above.
SIMPLIFY = """
    () => {
        for (const part of document.querySelectorAll('.katex, :is(pre, code, .sig-param) > span'))
            if (!part.querySelector('a'))
                part.replaceWith((part.querySelector('math') ?? part).textContent);
        // Folded answers are part of the page too.
        document.querySelectorAll('details').forEach(d => { d.name = ''; d.open = true; });
    }
"""


@each(PAGES)
def test_is_accessible(visit):
    visit.tab.evaluate(SIMPLIFY)  # first: it makes all that follows cheap
    tab = look(visit.tab, DESKTOP)
    choose_theme(tab, "light")
    assert not complaints_of_axe(tab)


def complaints_of_axe(tab):
    """All that axe objects to, but for the contrast of letters, which is measured above."""
    tab.evaluate(AXE_SCRIPT)
    violations = tab.evaluate(
        """() => axe.run({preload: false, resultTypes: ['violations'], selectors: false,
            rules: {'color-contrast': {enabled: false}}}).then(found => found.violations)"""
    )
    return [
        f"{rule['impact']}, {rule['id']}: {rule['help']}: {node['html'][:200]}"
        for rule in violations
        for node in rule["nodes"]
    ]


# What a reader answers


def test_a_quiz_by_keyboard_from_a_folder_on_disk(browser):
    tab = open_tab(browser, viewport=DESKTOP)
    visited = Visited(tab)
    tab.goto((HTML / CHAPTERS[0]).as_uri(), wait_until="load")
    status, answers = tab.locator("section#quiz .quiz-status"), tab.locator("#quiz details")
    status.wait_for()
    total = int(re.search(r"0 of (\d+) right", status.inner_text())[1])
    right = tab.evaluate(
        """() => [...document.querySelectorAll('#quiz details .sd-summary-content')]
            .map(body => /^\\s*Right/.test(body.textContent))"""
    )
    group = answers.evaluate_all("all => all.map(d => d.name)")
    first = [k for k, name in enumerate(group) if name == group[0]]
    good = next(k for k in first if right[k])
    bad = next(k for k in first if not right[k])
    other = next(k for k, name in enumerate(group) if name != group[0] and not right[k])
    for k, verdict in ((bad, "Not quite"), (good, "Right"), (other, "Not quite")):
        answers.nth(k).locator("summary").focus()
        tab.keyboard.press("Enter")
        tab.wait_for_function(
            "verdict => document.querySelector('.quiz-status').textContent.startsWith(verdict)",
            arg=verdict,
        )
    opened = answers.evaluate_all("all => all.flatMap((d, k) => d.open ? [k] : [])")
    assert sorted(opened) == sorted((good, other)), "one answer at a time, each question for itself"
    for k, sign, words in ((good, "✓", ", right"), (bad, "✗", ", not right")):
        text = answers.nth(k).locator(".sd-summary-text")
        assert text.evaluate("e => getComputedStyle(e, '::before').content[1]") == sign
        assert words in text.evaluate("e => e.parentNode.textContent")
    tab.reload()
    assert tab.locator("#quiz details.right").count() == 1
    assert tab.locator("#quiz details.wrong").count() == 2
    assert f"1 of {total}" in status.inner_text()
    tab.goto((HTML / CHAPTERS[1]).as_uri())
    assert "0 of" in status.inner_text(), "the answers of another chapter"
    assert not visited.complaints
    tab.close()


# Frame players

PLAYER = next(
    page for page in CHAPTERS if 'class="frame-player"' in (HTML / page).read_text("utf-8")
)


def shown(player):
    """Which frames one sees."""
    return player.locator("figure").evaluate_all(
        "all => all.flatMap((f, k) => f.checkVisibility() && f.getBoundingClientRect().height > 99"
        " ? [k] : [])"
    )


def test_a_player_steps_plays_and_stops(browser, host):
    tab = open_tab(browser, viewport=DESKTOP)
    tab.clock.install(time=0)
    tab.goto(host + PLAYER)
    tab.clock.pause_at(1000)  # or on a busy machine a frame goes by while one looks
    player = tab.locator(".frame-player").first
    captions = player.locator("figcaption").all_text_contents()
    forward, back = player.get_by_label("Next frame"), player.get_by_label("Previous frame")
    assert shown(player) == [0]
    assert back.is_disabled()
    for act, frame in (
        (forward.click, 1),
        (lambda: player.get_by_role("slider").press("ArrowRight"), 2),
        (back.click, 1),
        (lambda: player.get_by_role("slider").press("Home"), 0),
    ):
        act()
        assert shown(player) == [frame]
    forward.click()
    assert player.get_by_role("status").inner_text() == captions[1]
    back.click()
    player.get_by_label("Play").click()
    for k in range(1, len(captions)):
        tab.clock.run_for(1500)
        assert shown(player) == [k]
    tab.clock.run_for(5000)
    assert shown(player) == [len(captions) - 1]
    assert forward.is_disabled()
    player.get_by_label("Play").click()
    assert shown(player) == [0], "from the end it plays once more"
    tab.emulate_media(reduced_motion="reduce")
    player.get_by_label("Play").wait_for(state="hidden")
    tab.close()


# Without scripts, from disk


def test_works_without_scripts(browser, host):
    tab = open_tab(browser, java_script_enabled=False, viewport=DESKTOP)
    tab.goto(host + PLAYER)
    assert tab.locator("html").get_attribute("data-theme") == "light"
    assert tab.locator(".katex-html").first.is_visible()
    player = tab.locator(".frame-player").first
    player.get_by_role("radio").nth(1).check()
    assert shown(player) == [1]
    for box in ("details.solution", "#quiz details"):
        tab.locator(f"{box} summary").first.click()
        assert tab.locator(box).first.get_attribute("open") is not None
    assert tab.locator("noscript p").is_visible()
    useless = tab.locator(".search-button-field, .theme-switch-button")
    assert not useless.locator("visible=true").count()
    tab.emulate_media(media="print")
    assert shown(player) == [player.locator("figure").count() - 1], "on paper, the last frame"
    tab.close()


def test_the_theme_is_there_with_the_first_paint(browser, host):
    """Before any script has come: that of the system, or the one that the reader has chosen."""
    tab = open_tab(browser, color_scheme="dark")
    tab.route("**/*.js*", lambda route: route.abort())
    tab.goto(host + "404.html")  # as light as any
    looks = "['mode', 'theme'].map(name => document.documentElement.dataset[name])"
    assert tab.evaluate(looks) == ["auto", "dark"]
    for chosen in ("light", "dark"):
        tab.evaluate("chosen => localStorage.setItem('mode', chosen)", chosen)
        tab.emulate_media(color_scheme="dark" if chosen == "light" else "light")
        tab.reload()
        assert tab.evaluate(looks) == [chosen, chosen]
    tab.close()


# The search

FINDS = {  # in the reader's words; the section, or the term of the glossary, that comes first
    "kernel trick": r"chapters/05_kernels\.html#|term-kernel-trick",
    "C parameter": "#choosing-c$|#what-does-c-do",
    "gamma": r"reference/questions\.html#which-gamma|#choosing-c-and-gamma",
    "slack": r"chapters/06_hinge_loss\.html#|term-slack",
    "margin": r"chapters/01_geometry\.html#|term-\w*-?margin",
    "probability": r"#probabilities|#why-does-predict-proba",
    "slow": r"reference/questions\.html#why-is-my-svm-so-slow",
    "cross-validation": "08_practice|term-cross-validation",
    "one-class": "#one-class",
    "nystrom": "term-Nystrom|#.*nystrom",  # typed without its dots
    "Dask": "#dask-takes-the-place-of-the-list",
    "why alpha zero": "#support-vectors-and-a-sample-that-holds-nothing|#three-kinds-of-samples",
    "imbalanced": "#rare-classes-and-unequal-costs",
    "multiclass": "#more-than-two-classes",
    "scaling": "#one-unit-for-all|#must-i-scale",
    "Lagrange multiplier": "#a-fence-pushes-back|#term-multiplier",
    "not separable": "#thm-|#no-line-at-all",
    "install": "#how-to-run-it",
    "missing values": "#holes",
    "duality gap": "#when-the-duality-gap-closes|term-duality-gap",
    "SMO": r"03_smo\.html|07_full_smo\.html|term-SMO",
    "convergence warning": "questions|#when-to-stop|#hard-runs",
}


@pytest.fixture(scope="module")
def search(browser, host):
    """The search page, as it stands after a query."""
    tab = open_tab(browser, viewport=DESKTOP)
    yield ask(tab, host, "kernel trick")
    tab.close()


def ask(tab, place, query):
    tab.goto(f"{place}search.html?q={query}")
    tab.locator("#search-results [role=status]").wait_for()
    return tab


@pytest.mark.xdist_group("search")
@pytest.mark.parametrize("query", FINDS)
def test_the_search_leads_to_the_section(search, query):
    found = search.evaluate(
        "query => findInBook(query).map(({id}) => BOOK_SECTIONS[id].url)", query
    )
    assert re.search(FINDS[query], found[0]), found[:5]


@pytest.mark.xdist_group("search")
def test_all_that_can_be_found_is_there_and_reads_well(search, host):
    entries = search.evaluate("BOOK_SECTIONS")
    assert len(entries) > 500
    for entry in entries:
        assert_resolves(entry["url"], host, host)
        words = f"{entry['title']} {entry['page']} {entry['text']}"
        assert not re.search(r"\\[a-z]{2}|\$|Show the code", words), entry["url"]
        page, _, anchor = entry["url"].partition("#")
        if entry["kind"] in ("statement", "exercise"):
            assert re.match(rf"{numbers(page)[anchor]}(?!\d)", entry["title"])
    text = (HTML / CHAPTERS[0]).read_text(encoding="utf-8")
    solutions = re.findall('<details class="solution.*?</details>', text, flags=re.DOTALL)
    answers = re.findall("<p>([^<]{40,})", "".join(solutions))
    everything = " ".join(entry["text"] for entry in entries)
    assert answers
    assert not [answer for answer in answers if " ".join(answer.split()) in everything]


ALIKE = {  # what is typed, and what it finds as well as this does
    "α": "alpha",
    "λ": "lambda",
    "kernels": "kernel",
    "hyperplne": "hyperplane",
    "multipl": "multiplier",
    "kernel xylophone": "kernel",
}


@pytest.mark.xdist_group("search")
@pytest.mark.parametrize("typed", ALIKE)
def test_the_search_forgives(search, typed):
    """Greek letters, plurals, slips, words that are not finished or that occur nowhere."""
    firsts = "query => findInBook(query).slice(0, 10).map(found => found.id)"
    found, wanted = (search.evaluate(firsts, query) for query in (typed, ALIKE[typed]))
    assert len({*found} & {*wanted}) >= 3


@pytest.mark.xdist_group("search")
def test_the_search_page_shows_what_is_found_from_a_folder_on_disk(browser):
    tab = open_tab(browser)
    for query, many in (("slack", True), ("xylophone", False)):
        ask(tab, f"{HTML.as_uri()}/", query)
        found = tab.evaluate("query => findInBook(query).map(({id}) => BOOK_SECTIONS[id])", query)
        links = attributes(tab, ".search-list > li a", "href")
        assert links == [entry["url"] for entry in found][:40]
        assert bool(links) == many
        said = tab.locator("#search-results [role=status]").inner_text()
        assert said.startswith(f"{len(found)} places for" if many else "Nothing for")
        assert tab.locator(".search-list mark").count() >= len(links) / 2
    tab.close()


@pytest.mark.xdist_group("search")
def test_special_pages_are_accessible(search, host):
    assert not complaints_of_axe(search)
    search.goto(host + "404.html")
    assert not complaints_of_axe(search)
    text = (HTML / "404.html").read_text(encoding="utf-8")
    first = re.search(r'<(\w+) [^>]*(?:href|src)="', text)[1]
    assert first == "base", "shown at any depth, it needs an address to start from"
    for link in search.locator("article a").evaluate_all("all => all.map(a => a.href)"):
        assert_resolves(link, host + "404.html", host)
    search.locator("article a", has_text="front page").click()
    search.wait_for_url(host + FRONT)
