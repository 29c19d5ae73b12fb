"""The built pages in a real browser: nothing missing, nothing fetched, nothing a reader trips on.

They need `make book` first. Where no Chromium is installed the browser checks are skipped with a
word about it, unless REQUIRE_BROWSER is set, as it is in CI.
"""

import functools
import html.parser
import http.server
import os
import re
import shutil
import threading
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.book.notebooks import ROOT

HTML = ROOT / "_build" / "html"
# The redirect page has no content, and Sphinx makes the indices and the search page.
GENERATED = {"index.html", "genindex.html", "search.html", "prf-prf.html", "py-modindex.html"}
PAGES = sorted(
    page
    for page in (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    if page not in GENERATED and not page.startswith("_")
)
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


def test_the_book_is_built():
    assert "intro.html" in PAGES, "run `make book` first"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def host():
    handler = functools.partial(QuietHandler, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        message = "no Chromium on this machine: the pages were NOT looked at"
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


class Visit:
    """A page opened once, with all that the browser asked for and complained of meanwhile."""

    def __init__(self, browser, host, page):
        self.host, self.url = host, host + page
        self.requests, self.complaints = [], []
        self.tab = browser.new_page(viewport=DESKTOP, color_scheme="light")
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("console", self._listen)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("response", self._check)
        self.tab.goto(self.url, wait_until="load")
        self.tab.evaluate("window.MathJax?.startup?.promise")

    def _listen(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _check(self, response):
        if response.status >= 400:
            self.complaints.append(f"{response.status} {response.url}")


@pytest.fixture(
    scope="module",
    params=[pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in PAGES],
)
def visit(request, browser, host):
    visit = Visit(browser, host, request.param)
    yield visit
    visit.tab.close()


@pytest.fixture
def tab(visit):
    return visit.tab


def test_every_formula_is_typeset(tab):
    raw = tab.eval_on_selector_all(
        ".math",
        "all => all.filter(f => !f.querySelector('mjx-container')).map(f => f.innerText)",
    )
    failed = tab.eval_on_selector_all("mjx-merror", "all => all.map(e => e.innerText)")
    assert not raw, f"{len(raw)} formulas not typeset"
    assert not failed


def test_no_markup_is_left_over(tab):
    """Dollars, roles and directives belong to the source, not to the page."""
    prose = tab.evaluate(
        """() => {
            const copy = document.querySelector('article').cloneNode(true);
            copy.querySelectorAll('pre, code, mjx-container, script').forEach(e => e.remove());
            return copy.textContent;
        }"""
    )
    assert not re.search(r"\$[^$]{1,80}\$|\$\$|\{[a-z:-]+\}`|^:::|```", prose)


def test_every_picture_is_described_and_loads(tab):
    pictures = tab.eval_on_selector_all(
        "img", "all => all.map(i => [i.src, i.getAttribute('alt'), i.complete && !i.naturalWidth])"
    )
    for source, description, broken in pictures:
        assert description, f"no alternative text: {source}"
        assert "_images/" not in description, f"a file name is no description: {source}"
        assert not broken, source


@functools.cache
def anchors(file):
    found = {""}

    class Collect(html.parser.HTMLParser):
        def handle_starttag(self, _, attributes):
            found.update(value for name, value in attributes if name in ("id", "name") and value)

    Collect().feed(file.read_text(encoding="utf-8"))
    return found


def test_every_internal_link_resolves(visit):
    links = visit.tab.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    for link in set(links):
        target, fragment = urldefrag(urljoin(visit.url, link))
        if target.startswith(visit.host):
            file = HTML / unquote(target.removeprefix(visit.host) or "index.html")
            assert file.is_file(), link
            if file.suffix == ".html":
                assert unquote(fragment) in anchors(file), link


def test_fits_a_phone(tab):
    tab.set_viewport_size(PHONE)
    width = tab.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], f"scrolls sideways: {width} px wide"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_is_accessible(visit, scheme):
    tab = visit.tab
    tab.set_viewport_size(DESKTOP)
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
    # Folded answers are part of the page too. The inside of formulas is MathJax's business, and
    # code has the same colours on every page: both are most of the nodes, so one page stands for
    # the code of all.
    tab.evaluate(
        """() => {
            document.querySelectorAll('details').forEach(d => { d.open = true; });
            document.querySelectorAll('mjx-container').forEach(e => e.remove());
        }"""
    )
    tab.wait_for_timeout(300)  # colours fade from one scheme to the other
    violations = (
        Axe()
        .run(
            tab,
            context=None if visit.url.endswith("intro.html") else {"exclude": [["pre"]]},
            options={"preload": False, "resultTypes": ["violations"]},
        )
        .response["violations"]
    )
    serious = [
        f"{rule['id']}: {rule['help']}: {node['html'][:200]}"
        for rule in violations
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
    assert not serious, "\n".join(serious)


# Last, so that they also see what the checks above made the page do.
def test_asks_nothing_of_another_host(visit):
    foreign = [
        url
        for url in visit.requests
        if urlsplit(url).scheme not in ("data", "blob") and not url.startswith(visit.host)
    ]
    assert not foreign


def test_loads_without_a_complaint(visit):
    assert not visit.complaints
