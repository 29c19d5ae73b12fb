"""The built pages in a real browser: nothing missing, nothing fetched, nothing a reader trips on.

They need `make book` first, and are opened from their folder, which allows less than a host does.
Where no Chromium is installed the browser checks are skipped with a word about it, unless
REQUIRE_BROWSER is set, as it is in CI. A page is opened once and looked at by all checks in turn,
also by those that use it as a reader does; one that needs another start opens its own. What costs
most is laying out a chapter anew, so the checks stand in the order of the widths and themes that
they ask for: a desktop in the light, in the dark, a phone, paper, a phone with all folds open; and
last axe, which gets a page without its formulas and has no use for them after.
"""

import functools
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import light
import pytest
from moved import MOVED
from pikepdf import Pdf, parse_content_stream
from PIL import Image

from tests.book import ROOT
from tests.browser import Visited, contrast, open_tab

HTML = ROOT / "_build" / "html"
AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
BOOK = f"{HTML.as_uri()}/"
HOST = "https://book.example/"
FRONT = "index.html"
OWN_STATE = {"404.html", "search.html"}  # no page of the book: they have checks of their own
PAGES = sorted(
    page
    for page in (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    if page not in OWN_STATE | {f"{old}.html" for old in MOVED} and not page.startswith("_")
)
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
PAPER = {"width": 670, "height": 1000}  # A4 less its margins, at 96 px an inch
THEMES = ("light", "dark")
SHORT_RUN = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # half of Java's time, for a minute
WIDE_LETTERS = "DejaVu Sans"


@functools.cache
def source(page):
    return (HTML / page).read_text(encoding="utf-8")


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
def visit(request, window):
    """A page opened once, in a tab that remembers nothing of the page before it."""
    window.emulate_media(media="screen", color_scheme="light")
    window.set_viewport_size(DESKTOP)
    visit = Visited(window)
    visit.page = request.param
    window.goto(BOOK + visit.page, wait_until="load")
    window.evaluate(  # they load when a reader comes near, and a test wants them all
        """() => Promise.allSettled([...document.images].map(image => {
            image.loading = 'eager';
            return image.decode();
        }))"""
    )
    for name in attributes(window, ".explorable", "id"):  # and so do these
        window.evaluate(f"document.getElementById('{name}').scrollIntoView()")
        window.wait_for_selector(f"#{name}[data-settled=true]")
    window.evaluate("scrollTo(0, 0)")
    yield visit
    visit.leave()
    window.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")


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


def attributes(tab, selector, name):
    return tab.eval_on_selector_all(selector, f"all => all.map(e => e.getAttribute('{name}'))")


WORDS = """
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const box = e => e.getBoundingClientRect(), style = e => getComputedStyle(e);
    const size = e => parseFloat(style(e).fontSize);
    const isWide = e => e.scrollWidth > e.clientWidth + 2;
    const isSeen = e => e.checkVisibility({visibilityProperty: true});
    const scrolls = e => isWide(e) && /auto|scroll/.test(style(e).overflowX)
        || e.scrollHeight > e.clientHeight + 2 && /auto|scroll/.test(style(e).overflowY);
"""


def faulty(faults):
    """Return a script that finds what no page may have: an expression for each fault."""
    listed = ", ".join(f"[{json.dumps(name)}, {found}]" for name, found in faults.items())
    return f"""(() => {{ {WORDS} return [{listed}].flatMap(([fault, found]) =>
        found.map(e => fault + ': ' + (e.textContent || e.outerHTML).slice(0, 120))); }})()"""


# What is there

OUT_OF_REACH = {
    "what scrolls, but not by keyboard": """all('article *')
        .filter(e => isSeen(e) && e.tabIndex < 0 && scrolls(e))""",
    "what the theme has measured, too": """all(':is(pre, .output)[tabindex="-1"]')""",
}
BADLY_SET = {
    "a formula that takes no room": """all('article math').filter(f =>
        f.checkVisibility() && !(box(f).width > 3 && box(f).height > 5))""",
    "a formula in another font": """all('article math, article math *').filter(e =>
        !style(e).fontFamily.startsWith('STIX2')).concat(all('article math').length
        && !document.fonts.check('16px STIX2') ? [document.body] : [])""",
    "a root without its sign": """all('article msqrt').filter(root => root.checkVisibility()
        && box(root).right - box(root.lastElementChild).right
            + box(root.firstElementChild).left - box(root).left < 3)""",
}
WRONG = OUT_OF_REACH | {
    "a formula that is not set": """all('div.math')
        .filter(f => all('.display > math', f).length !== 1)""",
    "a formula without its TeX": """all('article math').filter(f => !f.dataset.tex
        && !(f.dataset.tex === '' && f.closest('.glued, p, li, td, figcaption, dd')))""",
    "coordinates that are taken for one number": """all('article mn').filter(number =>
        /,/.test(number.textContent) && !/^\\d{1,3}(,\\d{3})+$/.test(number.textContent))""",
    "a tab stop": "all('math, math *, .display').filter(e => e.tabIndex >= 0 && !isWide(e))",
    "an icon that is not drawn": """all('.fas, .fa-solid').filter(i =>
        isSeen(i) && !/^".+"$/.test(getComputedStyle(i, '::before').content))""",
    "a picture without words": "all('img').filter(i => !i.alt || i.alt.includes('_images/'))",
    "a picture that does not load": "all('img').filter(i => !i.naturalWidth)",
    "a picture of another shape": """all('article img[width]').filter(i => Math.abs(i.naturalWidth
        / i.naturalHeight * i.getAttribute('height') / i.getAttribute('width') - 1) > 0.02)""",
    "a figure that is not alive": "all('.explorable').filter(f => !all('.live', f).some(isSeen))",
    "a second search bar": "all('form.bd-search, .search-button-field').filter(isSeen).slice(1)",
    "code that cannot be copied": """all('article :is(.cell_input, .highlight-python) pre')
        .filter(code => !all('.copybtn', code.parentElement).length)""",
}


@each(PAGES)
def test_formulas_pictures_and_figures_are_whole(tab):
    tab.keyboard.press("Tab")  # until then, the page has not measured all that scrolls
    assert not tab.evaluate(faulty(BADLY_SET | WRONG))


SHEETS = ("article math", ".explorable")  # they have a style sheet of their own each
USES = {  # what a page loads, and for what it has a use for it
    "math.css": "article math",
    "math.woff2": "article math",
    r"/explorables/.*\.js": ".explorable",
    r"/explorables/.*\.css": ".explorable",
}


@functools.cache
def classes_without_rules():
    """Return those for which packages have rules, and the style sheet of the pages has none."""

    def named(style):
        return set(re.findall(r"\.([A-Za-z_][\w-]*)(?=[^{}]*\{)", light.COMMENT.sub("", style)))

    static = HTML / "_static"
    all_rules = "".join(light.part(static, name) for name in light.PARTS)
    return named(all_rules) - named((static / light.SHEET).read_text(encoding="utf-8"))


@each(PAGES)
def test_no_rule_is_missing_for_what_is_on_the_page(tab):
    """Nor for what the scripts have put there."""
    found = tab.evaluate(
        """() => [...document.querySelectorAll('[class]')].flatMap(e => [...e.classList])"""
    )
    assert not classes_without_rules() & set(found)


@each(PAGES)
def test_a_page_loads_what_it_has_a_use_for_and_is_light(visit):
    """Pictures when a reader comes near; and all of it together is little, unpacked."""
    body = source(visit.page).partition("<article")[2]
    lazy = [' loading="lazy" ' in tag for tag in re.findall("<img [^>]*>", body)]
    assert lazy == [k > 0 for k in range(len(lazy))], "all but the first, which one sees at once"
    for file, use in USES.items():
        loaded = any(re.search(file, url) for url in visit.requests)
        assert loaded == bool(visit.tab.locator(use).count()), file
    sheets = [url for url in visit.requests if urlsplit(url).path.endswith(".css")]
    assert len(sheets) == 1 + sum(visit.tab.locator(use).count() > 0 for use in SHEETS)
    files = {HTML / unquote(urlsplit(url.removeprefix(BOOK)).path) for url in visit.requests}
    weight = sum(file.stat().st_size for file in files)
    assert weight < (1.2e6 if visit.page == FRONT else 3e6)
    assert len(source(visit.page).encode()) <= 700_000
    assert len(re.findall(r"<[a-z]", source(visit.page))) <= 25_000


LEADS = {  # old addresses; the first two are of pages that kept their sections
    "07_full_smo.html#exercises": "08_full_smo.html#exercises",
    "06_hinge_loss.html#exercises": "07_hinge_loss.html#exercises",
    "06_hinge_loss.html#reduced-convex-hulls": "06_soft_margin.html#reduced-convex-hulls",
    "06_hinge_loss.html#charge-for-slack": "06_soft_margin.html#slack-variables-and-their-price-c",
    "12_many_samples.html#alg-beyond-chunks": "14_beyond_memory.html#alg-beyond-chunks",
    "13_many_samples.html#alg-beyond-chunks": "14_beyond_memory.html#alg-beyond-chunks",
    "13_many_samples.html#by-lot": "13_many_samples.html#random-fourier-features",
    "09_relatives.html#exactly": "10_relatives.html#the-svm-a-fraction-in-place-of-c",
    "10_wide_margin.html#thm-practice-loo": "11_wide_margin.html#thm-margin-loo",
    "11_wide_margin.html#thm-practice-loo": "11_wide_margin.html#thm-margin-loo",
}


def test_a_page_that_moved_leads_on(browser):
    """With scripts and without, and to the anchor that was asked for."""
    for old, (new, *_) in MOVED.items():
        assert (HTML / f"{old}.html").is_file(), "the new page is not in the book any more"
        assert f'0; url={Path(new).name}.html"' in source(f"{old}.html")
    tab = open_tab(browser)
    tab.route(re.compile(r"\.(js|css|webp|woff2)\b"), lambda route: route.abort())  # only where to
    for old, new in LEADS.items():
        tab.goto("about:blank")  # or the next address may be another place of the same page
        tab.goto(f"{BOOK}chapters/{old}", wait_until="commit")
        tab.wait_for_url(f"{BOOK}chapters/{new}", wait_until="commit")
        assert_resolves(new, "chapters/")
    tab.close()


def test_the_checker_of_the_w3c_finds_no_error():
    """Of pages as they are written; `python tools/npm.py ci` fetches it, and it needs Java."""
    checker = ROOT / "node_modules/vnu-jar/build/dist/vnu.jar"
    java = shutil.which("java")
    if java is None or not checker.is_file():
        pytest.skip("no Java or no vnu-jar: the pages were NOT validated")
    pages = [HTML / page for page in (*PAGES, *OWN_STATE, *(f"{old}.html" for old in MOVED))]
    command = [java, *SHORT_RUN, "-Xss8m", "-jar", checker, "--errors-only", "--format", "gnu"]
    found = subprocess.run([*command, *pages], capture_output=True, text=True, check=False)
    assert not found.stderr


@each(PAGES)
def test_no_markup_is_left_over(tab):
    """Dollars, roles and directives belong to the source, not to the page."""
    prose, everything = tab.evaluate(
        """() => ['pre, code, math, script, style', 'math, script, style'].map(hidden => {
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
def test_a_page_can_be_found_and_shared(tab):
    said = tab.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('meta[content]')].map(meta =>"
        " [meta.name || meta.getAttribute('property'), meta.content]))"
    )
    assert 20 < len(said["description"]) <= 203
    assert not re.search(r"[\\$]", said["description"]), "TeX in the description"
    assert said["og:description"] == said["description"]
    assert said["og:title"] in tab.locator("article h1").first.text_content()
    first = tab.locator("article section > p").first
    if not first.locator("math").count():
        assert first.inner_text().startswith(said["description"].removesuffix(" …"))


@functools.cache
def anchors(page):
    tags = re.findall(r"<[a-z][^<>]*>", source(page))
    return {""}.union(*(re.findall(r' (?:id|name)="([^"]+)"', tag) for tag in tags))


def assert_resolves(link, page=""):
    target, fragment = urldefrag(re.sub(r"\?[^#]*", "", urljoin(BOOK + page, link)))
    if target.startswith(BOOK):
        page = unquote(target.removeprefix(BOOK) or FRONT)
        assert (HTML / page).is_file(), link
        if page.endswith(".html"):
            assert unquote(fragment) in anchors(page), link


@each(PAGES)
def test_every_internal_link_resolves(visit):
    for link in set(attributes(visit.tab, "a[href], link[href]", "href")):
        assert_resolves(link, visit.page)


BOX = (
    r'<div class="({}) [^"]*" id="([^"]+)">\s*<p class="admonition-title">'
    r'<span class="caption-number">([^<]+?) ?</span>'
)


def boxes(page, kind="proof|exercise"):
    """Return kind, id and number of each box."""
    return re.findall(BOX.format(kind), source(page))


@functools.cache
def numbers(page):
    """Return the number that each box, figure and equation of a page shows, by its id."""
    figure = r'<figure [^>]*id="([^"]+)">.*?<span class="caption-number">([^<]+?) ?</span>'
    equation = r'<div class="math" id="([^"]+)">\s*<span class="eqno">(\([\d.]+\))'
    pairs = [(anchor, number) for _, anchor, number in boxes(page)]
    for kind in (figure, equation):
        pairs += re.findall(kind, source(page), flags=re.DOTALL)
    return dict(pairs)


def test_every_statement_is_listed_in_its_order():
    listed = re.findall(r'<li><p>.*?href="([^"]+)"', source("reference/statements.html"))
    there = [f"../{page}#{anchor}" for page in CHAPTERS for _, anchor, *_ in boxes(page, "proof")]
    assert listed == there


def test_references_say_the_number_of_what_they_lead_to():
    """Also those of the list of statements."""
    reference = re.compile(
        r'<a class="reference internal" href="([^"#]*)#([^"]+)"[^>]*>(?:<span class="std[^"]*">)?'
        r"((?:Fig\.|[A-Z][a-z]+) \d+\.\d+|\(\d+\.\d+\))<"
    )
    found = [(page, *link) for page in PAGES for link in reference.findall(source(page))]
    assert len(found) > 400
    for page, place, anchor, number in found:
        assert numbers(urljoin(page, place) if place else page)[anchor] == number, (page, anchor)


def test_the_equations_to_download_are_those_that_pages_number():
    text = (HTML / "notebooks/equations.tex").read_text(encoding="utf-8")
    head = r"^% (\S+)#(\S+)\n\\begin\{equation\}\\tag\{([\d.]+)\}\\label\{\S+\}$"
    shown = [
        (page, anchor, number.strip("()"))
        for page in PAGES
        for anchor, number in numbers(page).items()
        if number.startswith("(")
    ]
    assert len(shown) > 50
    assert sorted(re.findall(head, text, re.MULTILINE)) == sorted(shown)
    assert text.count(r"\begin{split}") == text.count(r"\end{split}")
    assert text.isascii(), "pdflatex sets no other letters"


# How it looks


@each(CHAPTERS)
def test_the_picture_stays_in_sight_beside_longer_tools(tab, visit):
    """The tools are beside it, and at the end of them it is whole between header and window."""
    seen = tab.eval_on_selector_all(
        ".explorable[data-alive]",
        """figures => figures.map(figure => {
            figure.scrollIntoView({block: 'end', behavior: 'instant'});
            const [header, picture, tools] = [document.querySelector('.bd-header-article'),
                figure.querySelector('.live > svg'), figure.querySelector('.side')]
                .map(part => part.getBoundingClientRect());
            return tools.left >= picture.right && tools.right <= header.right + 0.1
                && picture.top >= header.bottom - 0.1 && picture.bottom <= innerHeight + 1;
        })""",
    )
    assert bool(seen) == ('class="explorable"' in source(visit.page))
    assert all(seen), seen


@each(CHAPTERS[:1])
def test_the_focus_is_always_visible(tab):
    for _ in range(60):
        tab.keyboard.press("Tab")
        width, name = tab.evaluate(
            """() => {
                const e = document.activeElement, s = getComputedStyle(e);
                if (e.matches('.grip'))
                    return [parseFloat(getComputedStyle(e.querySelector('.hit')).strokeWidth), ''];
                const outline = s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth);
                return [outline || (s.boxShadow === 'none' ? 0 : 2), e.outerHTML.slice(0, 150)];
            }"""
        )
        assert width >= 2, name


@each(CHAPTERS[:1])
def test_a_solution_opens_where_one_clicks_and_where_a_link_leads(tab):
    solution = tab.locator("details.solution").first
    summary = solution.locator("summary")
    for act in (summary.click, lambda: solution.evaluate("d => { location.hash = d.id; }")):
        act()
        tab.locator("details.solution[open]").first.wait_for()
        summary.press("Enter")
        tab.locator("details.solution:not([open])").first.wait_for()


# In the light and in the dark


def choose_theme(tab, theme):
    if tab.evaluate("document.documentElement.dataset.theme") != theme:
        tab.emulate_media(color_scheme=theme)
        tab.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")


COLOURS = """
    selector => {
        const paper = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const mixed = colours => {  // of all, one over the other
            for (const colour of ['white', ...colours]) {
                paper.fillStyle = colour;
                paper.fillRect(0, 0, 1, 1);
            }
            return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3).map(c => c / 255);
        };
        const known = new Map([[null, []]]), seen = new Map();
        const ground = element => {
            if (!known.has(element)) {
                const own = getComputedStyle(element).backgroundColor;
                const behind = ground(element.parentElement);
                known.set(element, own === 'rgba(0, 0, 0, 0)' ? behind : [...behind, own]);
            }
            return known.get(element);
        };
        for (const element of document.querySelectorAll(selector)) {
            if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())
                || element.closest('svg, :disabled, [aria-disabled=true], script, style, noscript')
                || !element.checkVisibility({visibilityProperty: true})) continue;
            const behind = ground(element), colours = [...behind, getComputedStyle(element).color];
            if (!seen.has(`${colours}`)) seen.set(`${colours}`,
                [mixed(behind), mixed(colours), element.outerHTML.slice(0, 120)]);
        }
        return [...seen.values()];
    }
"""


def assert_legible(tab, selector):
    for *colours, element in tab.evaluate(COLOURS, selector):
        assert contrast(*colours) >= 4.5, element


@each(PAGES)
def test_letters_keep_their_contrast(tab):
    for theme in THEMES:
        choose_theme(tab, theme)
        assert_legible(tab, "body *")


@each(CHAPTERS[:1])
def test_a_figure_in_the_dark_is_light_on_the_ground_of_the_page(tab):
    choose_theme(tab, "dark")
    picture = tab.locator("section section > .cell .cell_output img").first  # mixed with its block
    shot = Image.open(io.BytesIO(picture.screenshot())).convert("RGB")
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shot.getpixel((2, 2)) == tuple(map(int, re.findall(r"\d+", ground)))
    assert shot.convert("L").getextrema()[1] > 240, "no light ink"
    choose_theme(tab, "light")


# What one copies


def copied(tab, select):
    """Select what a script says, press Ctrl+C, and return what was put on the clipboard."""
    tab.evaluate("addEventListener('copy', e => { window.got = e.clipboardData.getData('text'); })")
    tab.evaluate(f"() => {{ {select} }}")
    tab.keyboard.press("Control+C")
    return tab.evaluate("() => { getSelection().removeAllRanges(); return window.got; }")


@each(CHAPTERS[:1])
def test_a_copied_formula_is_its_tex(tab):
    unequal = r"document.querySelector('[data-tex=\"w\\\\ne0\"]')"
    display = "document.querySelector('.display')"
    tex = tab.evaluate(f"{display}.querySelector('[data-tex]').dataset.tex")
    half = f"const part = {unequal}.querySelector('mo');"
    for select, got in (
        (half + "getSelection().setBaseAndExtent(part, 0, part, 1);", r"$w\ne0$"),
        (f"getSelection().selectAllChildren({display});", f"$${tex}$$"),
    ):
        assert copied(tab, select) == got
    long = "[...document.querySelectorAll('article math + wbr + math')].at(-1)"  # its last part
    whole = f"let m = {long}; while (!m.dataset.tex) m = m.previousElementSibling;"
    half = f"const part = {long}.querySelector('mi, mn, mo');"
    got = copied(tab, half + "getSelection().setBaseAndExtent(part, 0, part, 1);")
    assert got == f"${tab.evaluate(f'() => {{ {whole} return m.dataset.tex; }}')}$"
    two = "const p = document.querySelector('article p:has(math)');"
    two += "getSelection().setBaseAndExtent(p, 0, p.nextElementSibling, 1);"
    assert "\n" in copied(tab, two), "paragraphs stay apart"


@each(CHAPTERS[:1])
def test_a_copy_with_formulas_has_words_and_html_from_wherever_it_begins(tab):
    """From the whole page, too, and for a word processor, which knows tables and MathML."""
    got = "e.clipboardData.getData('text/html')"
    tab.evaluate(f"addEventListener('copy', e => {{ window.page = {got}; }})")
    for select in (
        "getSelection().selectAllChildren(document.body);",
        "const h = document.querySelector('.prev-next-footer, footer');"
        "getSelection().setBaseAndExtent(document.querySelector('article p'), 0, h, 0);",
    ):
        words = copied(tab, select)
        assert r"$f(x)\ge0$" in words
        assert not re.search(r"ƒ|\u2061|𝑓|(?<!\$)f\(x\)≥0", words), "the letters of a formula"
        page = tab.evaluate("window.page")
        assert page.count("<math") > 100
        assert "<script" not in page


# On a phone


@each(PAGES)
def test_fits_a_phone(phone):
    """Also the smallest, with the widest letters, which is what takes most room."""
    root = "document.documentElement"
    for width, family in ((PHONE["width"], ""), (320, WIDE_LETTERS)):
        look(phone, PHONE | {"width": width})
        phone.evaluate(f"{root}.style.setProperty('--pst-font-family-base', '{family}')")
        assert phone.evaluate(f"{root}.scrollWidth") <= width, f"scrolls sideways at {width} px"
    look(phone, PHONE).evaluate(f"{root}.removeAttribute('style')")


@pytest.fixture(scope="module")
def short_page(browser):
    """A page that is laid out quickly, for what the theme does on all of them."""
    tab = open_tab(browser, viewport=DESKTOP, reduced_motion="reduce")
    tab.goto(f"{BOOK}reference/accessibility.html")
    yield tab
    tab.close()


@pytest.mark.xdist_group("short page")
def test_the_contents_of_the_book_open_and_close_at_any_width(short_page):
    for width in (959, 960, 991, 992, 1199, 1280):
        tab = look(short_page, DESKTOP | {"width": width})
        menu = tab.locator(".bd-sidebar-primary").locator("visible=true")
        before = menu.count()
        tab.locator("button.primary-toggle:visible").click()
        menu.first.wait_for(state="hidden" if before else "visible")
        if before:
            tab.locator("button.primary-toggle:visible").click()
        else:
            tab.keyboard.press("Escape")
        menu.first.wait_for(state="visible" if before else "hidden")


@pytest.mark.xdist_group("short page")
def test_the_contents_close_when_used_and_on_escape(short_page):
    phone = look(short_page, PHONE)
    drawer = phone.locator("dialog.bd-sidebar-secondary")
    for leave in (
        drawer.locator("a").nth(3).click,
        lambda: phone.keyboard.press("Escape"),
    ):
        phone.locator("button.secondary-toggle:visible").click()
        drawer.wait_for(state="visible")
        leave()
        drawer.wait_for(state="hidden")


@each(CHAPTERS[:1])
def test_a_formula_or_table_wider_than_its_place_scrolls_there(visit):
    """No formula is, even on a phone, so the place is made narrower than any, in any font."""
    tab = look(visit.tab, {"width": 160, "height": 800})
    wide = "all('.display, .bd-article table').filter(f => f.checkVisibility() && isWide(f))"
    assert "div" in tab.evaluate(f"() => {{ {WORDS} return {wide}.map(f => f.localName); }}")
    tab.keyboard.press("Tab")
    tab.wait_for_function(  # by keyboard too, and one sees that it goes on
        f"""() => {{ {WORDS} return {wide}.every(f => f.tabIndex === 0
            && style(f).overflowX === 'auto' && box(f).right <= innerWidth
            && (f.scrollWidth - f.clientWidth <= 8 || f.classList.contains('scrolls'))); }}"""
    )


# On paper

LEFT_OUT = """all('article section > * > *').filter(e =>
    e.checkVisibility() && !e.checkVisibility({contentVisibilityAuto: true}))"""


@each(CHAPTERS)
def test_nothing_is_left_out_or_cut_off_at_the_right_of_the_paper(visit):
    cut = """all('article :is(p, pre, img, table, math)')
        .filter(e => box(e).right > innerWidth + 1 && e.checkVisibility())"""
    tab = look(visit.tab, PAPER, "print")
    assert not tab.evaluate(faulty({"cut off": cut, "left out": LEFT_OUT}))


@each(CHAPTERS[:1])
@pytest.mark.parametrize("theme", THEMES)
def test_paper_is_light_with_proofs_and_without_answers(visit, theme):
    tab = look(visit.tab, PAPER, "print")
    choose_theme(tab, theme)
    tab.evaluate("document.querySelector('article img').loading = 'lazy'")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert set(attributes(tab, "img", "loading")) == {"eager"}
    assert tab.evaluate("document.documentElement.dataset.theme") == "light"
    visible = "all => all.map(e => e.checkVisibility())"
    for shown in ("details.sd-dropdown:has(div.proof) div.proof", "#quiz summary"):
        assert set(tab.locator(shown).evaluate_all(visible)) == {True}
    hidden = "#quiz .sd-summary-content, details.solution, details.hide, .copybtn, .headerlink"
    assert not any(tab.locator(f":is({hidden})").evaluate_all(visible))
    assert_legible(tab, "article :is(p, h1, h2, h3, pre, pre *)")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate("document.documentElement.dataset.theme") == theme
    assert not tab.locator("details.sd-dropdown[open]").count()


def letters_by_tag(pdf):
    """Count what is written outside and inside the tags that a screen reader reads."""
    counts, tags = [0, 0], []
    for page in Pdf.open(io.BytesIO(pdf)).pages:
        for operands, operator in parse_content_stream(page):
            match str(operator):
                case "BDC":
                    tags.append("/MCID" in operands[1])
                case "BMC":
                    tags.append(False)
                case "EMC":
                    tags.pop()
                case "Tj" | "TJ":
                    counts[any(tags)] += 1
    return counts


def test_every_letter_of_a_formula_is_in_the_tags_of_a_pdf(browser):
    tab = open_tab(browser)
    tab.goto(BOOK + next(page for page in CHAPTERS if "<msqrt>" in source(page)))
    for hidden in ("false", "true"):  # then they are not, as the count should say
        tab.evaluate(
            """hidden => {
                const some = [...document.querySelectorAll('p:has(msqrt)')];
                document.body.replaceChildren(...some);
                for (const math of document.querySelectorAll('math')) math.ariaHidden = hidden;
            }""",
            hidden,
        )
        outside, inside = letters_by_tag(tab.pdf(tagged=True))
        assert inside > 20
        assert (outside < inside / 20) == (hidden == "false"), "some spaces are outside"
    tab.close()


# Unfolded

TOO_WIDE = """all('article math').filter(f => f.checkVisibility()
    && box(f).right > innerWidth + 1 && !f.closest('.display, table, pre'))"""
WRONG_ON_A_PHONE = {
    "wide": TOO_WIDE,
    "hidden": """all('article figcaption, article details > *').filter(e =>
        !e.closest('.frame-player') && (!e.checkVisibility() || box(e).height < 5))""",
    "cut off": """all('article :is(pre, table, .display)').filter(e =>
        isWide(e) && !/auto|scroll/.test(style(e).overflowX))""",
    "crowded": """all('article p').filter(e => e.textContent.trim().length > 99
        && parseFloat(style(e).lineHeight) < 1.3 * size(e))""",
    "small": "all('article :is(p, li, td, pre)').filter(e => size(e) < 11)",
    "torn": """all('article .glued').filter(glued => {
        const lines = new Set([...glued.getClientRects()].map(({bottom}) => Math.round(bottom)));
        return glued.getClientRects().length > 1 && lines.size > 1; })""",
    "narrow": "all('.cell_output img').filter(i => i.checkVisibility() && box(i).width < 250)",
    "distorted": """all('.cell_output img').filter(i => i.checkVisibility()
        && Math.abs(box(i).width / box(i).height - i.naturalWidth / i.naturalHeight) > 0.02)""",
}
UNFOLD = """
    () => document.querySelectorAll('details').forEach(d => { d.name = ''; d.open = true; })
"""


@each(CHAPTERS)
def test_nothing_is_hidden_cut_off_crowded_torn_or_distorted_on_a_phone(phone):
    phone.evaluate(UNFOLD)
    assert not phone.evaluate(faulty(WRONG_ON_A_PHONE))


@each(PAGES)
def test_asks_nothing_of_another_host_and_complains_of_nothing(visit):
    """Not even of what the checks above made the page do."""
    assert all(url.startswith((BOOK, "data:", "blob:")) for url in visit.requests)
    assert not visit.complaints


# With axe, which takes the page to pieces


# Formulas and code are nine of ten elements, all of one make, and axe takes a minute for those of a
# chapter. For axe they are plain text, formulas as they are spoken; their looks are measured above.
SIMPLIFY = """
    () => {
        for (const part of document.querySelectorAll('math, :is(pre, code, .sig-param) > span'))
            if (!part.querySelector('a'))
                part.replaceWith(part.textContent);
    }
"""


MODULES = ROOT / "node_modules"
SECOND_JUDGE = MODULES / "html_codesniffer/build/HTMLCS.js"
THIRD_JUDGE = MODULES / "accessibility-checker-engine/ace.js"
LIGHT = 300_000  # bytes of a page that the third one judges in two seconds
EXCUSED = {  # what they count as an error, and why it is none
    "H32.2": "the theme's search form has no button, because Enter submits it",
    "input_checkboxes_grouped": "the tabs of sphinx-design have labels that say all",
}
ERRORS_OF_SECOND = """() => new Promise(done => HTMLCS.process('WCAG2AA', document, () => done(
    HTMLCS.getMessages().filter(({type}) => type === HTMLCS.ERROR)
    .map(({code, msg, element}) => [code, msg, element.outerHTML.slice(0, 150)]))))"""
ERRORS_OF_THIRD = """async () => (await new ace.Checker().check(document, ['WCAG_2_2'])).results
    .filter(({value}) => value.join() === 'VIOLATION,FAIL')
    .map(({ruleId, message, snippet}) => [ruleId, message, snippet])"""


@each(PAGES)
def test_is_accessible(visit):
    """To axe; and, if `python tools/npm.py ci` has run, to HTML_CodeSniffer and IBM's judge."""
    visit.tab.evaluate(SIMPLIFY)  # first: it makes all that follows cheap
    visit.tab.evaluate(UNFOLD)  # folded answers are part of the page too
    tab = look(visit.tab, DESKTOP)
    tab.keyboard.press("Tab")  # until then, the page has not measured all that scrolls
    choose_theme(tab, "light")
    assert not complaints_of_axe(tab)
    if not (SECOND_JUDGE.is_file() and THIRD_JUDGE.is_file()):
        pytest.skip("no html_codesniffer or IBM's engine: only axe-core has looked at the pages")
    tab.evaluate(SECOND_JUDGE.read_text(encoding="utf-8"))
    found = tab.evaluate(ERRORS_OF_SECOND)
    if len(source(visit.page)) < LIGHT:
        tab.evaluate(THIRD_JUDGE.read_text(encoding="utf-8"))
        found += tab.evaluate(ERRORS_OF_THIRD)
    assert not [error for error in found if not any(code in error[0] for code in EXCUSED)]


def complaints_of_axe(tab):
    """All that axe objects to, but for the contrast of letters, which is measured above."""
    # A hint of the theme's that the checks above have left open is not of the page.
    tab.evaluate("document.querySelectorAll('.tooltip').forEach(hint => hint.remove())")
    tab.evaluate(AXE)
    violations = tab.evaluate(
        """() => axe.run({preload: false, resultTypes: ['violations'], selectors: false,
            rules: {'color-contrast': {enabled: false}}}).then(found => found.violations)"""
    )
    return [
        f"{rule['impact']}, {rule['id']}: {rule['help']}: {node['html'][:200]}"
        for rule in violations
        for node in rule["nodes"]
    ]


# What is far from the screen

DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
FAR = "[...document.querySelectorAll('article section > p:not(:has(math))')].at(-2)"
TARGET_AT = "document.getElementById(location.hash.slice(1)).getBoundingClientRect().top"
READ_AT = """(() => {
    const all = [...document.querySelectorAll('article section > *')];
    const block = document.elementFromPoint(innerWidth / 2, 200).closest('article section > *');
    return [all.indexOf(block), block.getBoundingClientRect().top];
})()"""


def assert_that_all_is_at_its_place(go, ask, reload):
    """Where a link leads, what is searched for, and where one was before a reload."""
    page = BOOK + CHAPTERS[3]
    go("about:blank")
    go(f"{page}#quiz")
    ask(DRAWN)
    assert 0 <= ask(TARGET_AT) < 200
    text = ask(f"{FAR}.textContent.slice(0, 30)")
    assert ask(f"find({json.dumps(text)})")
    for part in (0.3, 0.6):
        end = "document.documentElement.scrollHeight"
        ask(f"(scrollTo({{top: {part} * {end}, behavior: 'instant'}}), {DRAWN})")
        ask(DRAWN)
        block, top = ask(READ_AT)
        reload()
        ask(f"new Promise(done => setTimeout(done, 200)).then(() => {DRAWN})")
        assert ask(READ_AT) == [block, pytest.approx(top, abs=40)]


def test_what_is_far_from_the_screen_waits(browser):
    tab = open_tab(browser, viewport=PHONE)
    tab.goto(BOOK + CHAPTERS[0])
    tab.evaluate(DRAWN)
    assert tab.evaluate(f"() => {{ {WORDS} return {LEFT_OUT}.length; }}") > 99
    figure = tab.locator(".explorable").last.get_attribute("id")
    assert not tab.locator(f"#{figure}[data-alive]").count()
    tab.evaluate(f"location.hash = '{figure}?'")
    tab.wait_for_selector(f"#{figure}[data-settled=true]")
    assert_that_all_is_at_its_place(tab.goto, tab.evaluate, tab.reload)
    tab.close()


# What a reader answers


def test_a_quiz_by_keyboard(browser):
    tab = open_tab(browser, viewport=DESKTOP)
    visited = Visited(tab)
    tab.goto(BOOK + CHAPTERS[0])
    status, answers = tab.locator("section#quiz .quiz-status"), tab.locator("#quiz details")
    status.wait_for()
    group, texts = (
        answers.evaluate_all(f"all => all.map(d => {part})")
        for part in ("d.name", "d.querySelector('.sd-summary-content').textContent.trim()")
    )
    right = [text.startswith("Right") for text in texts]
    good = right.index(True)
    bad = next(k for k, name in enumerate(group) if name == group[good] and not right[k])
    other = next(k for k, name in enumerate(group) if name != group[good] and not right[k])
    for k, verdict in ((bad, "Not quite"), (good, "Right"), (other, "Not quite")):
        answers.nth(k).locator("summary").focus()
        tab.keyboard.press("Enter")
        status.filter(has_text=re.compile(f"^{verdict}")).wait_for()
    opened = answers.evaluate_all("all => all.flatMap((d, k) => d.open ? [k] : [])")
    assert opened == sorted((good, other)), "one answer at a time, each question for itself"
    for k, sign, words in ((good, "✓", ", right"), (bad, "✗", ", not right")):
        text = answers.nth(k).locator(".sd-summary-text")
        assert text.evaluate("e => getComputedStyle(e, '::before').content[1]") == sign
        assert words in text.evaluate("e => e.parentNode.textContent")
    tab.reload()
    assert f"1 of {len(set(group))}" in status.inner_text()
    tab.goto(BOOK + CHAPTERS[1])
    assert "0 of" in status.text_content(), "the answers of another chapter"
    assert not visited.complaints
    tab.close()


# Frame players

PLAYER = next(page for page in CHAPTERS if 'class="frame-player"' in source(page))


def shown(player):
    """Which frames one sees."""
    return player.locator("figure").evaluate_all(
        "all => all.flatMap((f, k) => f.checkVisibility() && f.getBoundingClientRect().height > 99"
        " ? [k] : [])"
    )


def test_a_player_steps_plays_and_stops(browser):
    tab = open_tab(browser, viewport=DESKTOP)
    tab.clock.install(time=0)
    tab.goto(BOOK + PLAYER)
    tab.clock.pause_at(1000)  # or on a busy machine a frame goes by while one looks
    player = tab.locator(".frame-player").first
    captions = player.locator("figcaption").all_text_contents()
    last = len(captions) - 1
    forward, back = player.get_by_label("Next frame"), player.get_by_label("Previous frame")
    play, slider = player.get_by_label("Play"), player.get_by_role("slider")
    assert shown(player) == [0]
    assert back.is_disabled()
    for act, frame in (
        (forward.click, 1),
        (lambda: slider.press("ArrowRight"), 2),
        (back.click, 1),
        (lambda: slider.press("Home"), 0),
    ):
        act()
        assert shown(player) == [frame]
        assert frame != 1 or player.get_by_role("status").inner_text() == captions[1]
    play.click()
    for k in range(1, last + 3):
        tab.clock.run_for(1500)
        assert shown(player) == [min(k, last)]
    assert forward.is_disabled()
    play.click()
    assert shown(player) == [0], "from the end it plays once more"
    tab.emulate_media(reduced_motion="reduce")
    play.wait_for(state="hidden")
    tab.close()


# Without scripts


def test_works_without_scripts(browser):
    tab = open_tab(browser, java_script_enabled=False, viewport=DESKTOP)
    tab.goto(BOOK + PLAYER)
    assert tab.locator("html").get_attribute("data-theme") == "light"
    assert tab.locator("math").first.is_visible()
    player = tab.locator(".frame-player").first
    player.get_by_role("radio").nth(1).check()
    assert shown(player) == [1]
    for box in ("details.solution", "#quiz details"):
        tab.locator(f"{box} summary").first.click()
        assert tab.locator(f"{box}[open]").count()
    assert tab.locator("noscript p").is_visible()
    useless = tab.locator(".search-button-field, .theme-switch-button")
    assert not useless.locator("visible=true").count()
    tab.emulate_media(media="print")
    assert shown(player) == [player.locator("figure").count() - 1], "on paper, the last frame"
    tab.close()


def open_on_a_host(browser, **settings):
    """Open a tab that finds the book on the web, not in a folder."""
    tab = open_tab(browser, **settings)
    tab.route(
        f"{HOST}**", lambda route: route.fulfill(path=HTML / urlsplit(route.request.url).path[1:])
    )
    return tab


def test_the_theme_is_there_with_the_first_paint(browser):
    """Before any script has come: that of the system, or the one that the reader has chosen."""
    tab = open_on_a_host(browser, color_scheme="dark")
    tab.route("**/*.js*", lambda route: route.abort())
    tab.goto(HOST + "404.html")  # as light as any
    looks = "['mode', 'theme'].map(name => document.documentElement.dataset[name])"
    assert tab.evaluate(looks) == ["auto", "dark"]
    for chosen, system in (THEMES, THEMES[::-1]):
        tab.evaluate("chosen => localStorage.setItem('mode', chosen)", chosen)
        tab.emulate_media(color_scheme=system)
        tab.reload()
        assert tab.evaluate(looks) == [chosen, chosen]
    tab.close()


# The search

FINDS = {  # in the reader's words; the section, or the term of the glossary, that comes first
    "kernel trick": r"chapters/05_kernels\.html#|term-kernel-trick",
    "gamma": r"reference/questions\.html#which-gamma|#choosing-c-and-gamma",
    "slack": r"chapters/06_soft_margin\.html#|term-slack",
    "margin": r"chapters/01_geometry\.html#|term-\w*-?margin",
    "probability": r"#probabilities|#why-does-predict-proba",
    "slow": r"reference/questions\.html#why-is-my-svm-so-slow",
    "cross-validation": "09_practice|term-cross-validation",
    "one-class": "#one-class",
    "nystrom": "term-Nystrom|#.*nystrom",  # typed without its dots
    "Dask": "#dask-delayed-chunks-in-place-of-the-list",
    "Lagrange multiplier": "#lagrange-multipliers-a-fence-pushes-back|#term-multiplier",
    "duality gap": "#when-the-duality-gap-closes|term-duality-gap",
    "SMO": r"03_smo\.html|08_full_smo\.html|term-SMO",
}

SPELLINGS = {  # two for one word, and where it is found does not depend on them
    "sub-gradient": "subgradient",
    "center": "centre",
    "preprocessing": "pre-processing",
    "regularization": "regularisation",
    "classes": "class",
    "vertices": "vertex",
    "neighbor": "neighbours",
    "labeled": "labelled",
    "hyper-planes": "hyperplane",
    "non-separable": "nonseparable",
}

DIFFERENT = {"filled": "filed", "called": "caled"}  # not two spellings of one word

ALIKE = {  # what is typed, and what it finds as well as this does
    "α": "alpha",
    "λ": "lambda",
    "kernels": "kernel",
    "hyperplne": "hyperplane",
    "multipl": "multiplier",
    "kernel xylophone": "kernel",
}


@pytest.fixture(scope="module")
def search(browser):
    """The search page, as it stands after a query."""
    tab = open_tab(browser, viewport=DESKTOP)
    yield ask(tab, "slack")
    tab.close()


def ask(tab, query):
    tab.goto(f"{BOOK}search.html?q={query}")
    tab.locator("#search-results [role=status]").wait_for()
    return tab


def found(tab, query):
    """Return the addresses of the sections that the search finds, best first."""
    return tab.evaluate("q => findInBook(q).map(({id}) => BOOK_SECTIONS[id].url)", query)


@pytest.mark.xdist_group("search")
def test_the_search_leads_to_the_section_and_forgives(search):
    """Greek letters, plurals, slips, words that are not finished or that occur nowhere."""
    firsts = {query: found(search, query)[:1] for query in FINDS}
    assert not {q: urls for q, urls in firsts.items() if not re.search(FINDS[q], "".join(urls))}
    for one, other in SPELLINGS.items():
        assert found(search, one) == found(search, other) != [], one
    for one, other in DIFFERENT.items():
        assert found(search, one) != found(search, other), one
    for typed, meant in ALIKE.items():
        same = {*found(search, typed)[:10]} & {*found(search, meant)[:10]}
        assert len(same) >= 3, typed


@pytest.mark.xdist_group("search")
def test_all_that_can_be_found_is_there_and_reads_well(search):
    entries = search.evaluate("BOOK_SECTIONS")
    assert len(entries) > 500
    for entry in entries:
        assert_resolves(entry["url"])
        words = f"{entry['title']} {entry['page']} {entry['text']}"
        assert not re.search(r"\\[a-z]{2}|\$|Show the code", words), entry["url"]
        page, _, anchor = entry["url"].partition("#")
        if entry["kind"] in ("statement", "exercise"):
            assert re.match(rf"{numbers(page)[anchor]}(?!\d)", entry["title"])
    solutions = re.findall('<details class="solution.*?</details>', source(CHAPTERS[0]), re.DOTALL)
    answers = re.findall("<p>([^<]{40,})", "".join(solutions))
    everything = " ".join(entry["text"] for entry in entries)
    assert answers
    assert not [answer for answer in answers if " ".join(answer.split()) in everything]


@pytest.mark.xdist_group("search")
def test_the_search_page_shows_what_is_found(search):
    for query, said in (("slack", r"\d+ places for"), ("xylophone", "Nothing for")):
        links = attributes(ask(search, query), ".search-list > li a", "href")
        assert links == found(search, query)[:40]
        assert bool(links) == (query == "slack")
        assert re.match(said, search.locator("#search-results [role=status]").inner_text())
        assert search.locator(".search-list mark").count() >= len(links) / 2
        assert not complaints_of_axe(search)


def test_the_page_for_what_is_not_there_leads_on_from_any_depth(browser):
    tab = open_on_a_host(browser)
    tab.goto(HOST + "404.html")
    assert not complaints_of_axe(tab)
    first = re.search(r'<(\w+) [^>]*(?:href|src)="', source("404.html"))[1]
    assert first == "base", "shown at any depth, it needs an address to start from"
    for link in tab.locator("article a").evaluate_all("all => all.map(a => a.href)"):
        assert_resolves(link.removeprefix(HOST))
    tab.locator("article a", has_text="front page").click()
    tab.wait_for_url(HOST + FRONT)
    tab.close()
