"""Print the built pages as one book in one file: `make pdf`.

    python tools/paper.py _build/html

The pages are put together in the order of `_toc.yml`, with ids that no two pages share, so that
links between chapters lead inside the file. Hidden code is left out, proofs are open, solutions are
at the end, and interactive figures are stills, with the address of the live figure. Chromium prints
this as a tagged PDF with bookmarks, twice, because page numbers are known only after printing.
`pdf.py` finishes the file. docs/decisions/paper.md explains why we do not use LaTeX.
"""

import html
import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from copy import copy
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from string import Template
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from pages import make, parse, put_back, settings
from pdf import finish
from pikepdf import Pdf
from playwright.sync_api import sync_playwright

from _ext.zips import date

HERE = Path(__file__).parent
NAME = "support-vector-machines.pdf"
# What a page has for the screen only; the cards of the front page are the contents of the book.
KEPT = {"title-page", "contents"}  # ids for the style sheet
LEVELS = {"h2": "chapter", "h3": "section"}
SCREEN = (
    "script, style, .headerlink, .sd-summary-state-marker, details.hide, #the-chapters,"
    " .sd-d-flex-row, legend, input, figcaption span.alive"
)


def quoted(text):
    """Return a string as style sheets have it."""
    return json.dumps(text, ensure_ascii=False)


def at(anchor):
    """Make a placeholder for the page number of an anchor; see `fill`."""
    return make("span", "000", data_page=anchor)


# A page


class Page:
    """The article of a built page as a chapter on paper, and the answers for the end."""

    def __init__(self, folder, name, keys, formulas):
        self.file, self.keys = folder / f"{name}.html", keys
        self.key = keys[self.file]
        page = parse(self.file, formulas)
        self.styles = [self.place(style["href"]) for style in page.select("[rel=stylesheet]")]
        canonical = page.select_one("[rel=canonical]")
        self.address = canonical["href"] if canonical else ""
        self.article = page.select_one("article")
        self.article.name, self.article["class"] = "section", ["page", f"in-{self.key}"]
        self.stand_still(name)
        self.unfold()
        self.lead_inside()
        for reference in self.article.select(".statements > li > p > a:first-child"):
            reference.parent.append(at(reference["href"][1:]))
        self.answers = [*self.solutions(), *self.quiz()]
        self.title = self.article.h2

    def place(self, address):
        return (self.file.parent / urlsplit(address).path).resolve().as_uri()

    def stand_still(self, name):
        """Give the address of a live figure, which cannot move on paper; show a film as frames."""
        for alive in self.article.select(".explorable, .frame-player"):
            figure = alive.find_parent("figure")
            where = f"{self.address or f'{name}.html'}#{figure['id']}"
            words = make("a", where, href=where) if self.address else make("code", where)
            line = f"On the pages you can {'move' if alive.name == 'div' else 'play'} it: "
            caption = figure.find("figcaption", recursive=False)
            caption.append(make("p", line, words, ".", class_="alive"))
            if alive.name == "fieldset":
                alive.name, alive["class"] = "div", "film"

    def unfold(self):
        for element in self.article.select(SCREEN):
            element.decompose()
        for fold in self.article.select("details.sd-dropdown"):
            fold.name, fold.summary.name = "div", "p"
        for image in self.article.select("img"):
            image["src"] = self.place(image["src"])
            del image["loading"], image["decoding"], image["fetchpriority"]
        for figure in self.article.select("figure:has(img)"):
            figure["role"] = "group"  # or a reader hears of two pictures, one without words

    def lead_inside(self):
        """Make ids unique to the page, point links into the book, and leave room for a part."""
        for heading in self.article.find_all(re.compile("^h[1-5]$")):
            heading.name = f"h{int(heading.name[1]) + 1}"
        for element in self.article.select("[id]"):
            element["id"] = f"{self.key}.{element['id']}"
        self.article["id"] = self.key
        for reference in self.article.select("a[href]"):
            reference["href"] = target = self.target(reference["href"])
            if not target:
                reference.name = "span"
                del reference["href"]

    def target(self, address):
        """Return the target of a link on paper, or nothing."""
        path, _, anchor = address.partition("#")
        if (file := (self.file.parent / path).resolve() if path else self.file) in self.keys:
            return f"#{self.keys[file]}.{anchor}".rstrip(".")
        if urlsplit(address).scheme:
            return address
        return urljoin(self.address, address) if self.address else ""

    def solutions(self):
        """Take the solutions out; an exercise and its solution lead to each other."""
        titles = {
            number.get_text().strip(): number.parent
            for number in self.article.select(".exercise > .admonition-title > .caption-number")
        }
        for solution in self.article.select("details.solution"):
            heading = solution.summary
            solution.name, heading.name = "section", "h3"
            title = titles[heading.get_text().strip().removeprefix("Solution to ")]
            exercise, there = title.parent["id"], solution["id"]
            title.append(make("a", "solution: page ", at(there), href=f"#{there}", class_="there"))
            heading.append(make("a", "page ", at(exercise), href=f"#{exercise}", class_="there"))
            yield solution.extract()

    def quiz(self):
        """Make lines of the choices; yield the right ones with their reasons."""
        right, question = make("ol"), 0
        for choice in self.article.select("[id$='.quiz'] > .sd-dropdown"):
            question += "choice" not in choice.find_previous_sibling().get("class", [])
            reason = choice.select_one(".sd-summary-content").extract()
            if reason.get_text().strip().startswith("Right"):
                right.append(make("li", copy(choice.p), " ", *reason.contents, value=str(question)))
            choice.p["class"] = ["choice"]
            choice.replace_with(choice.p)
        if question:
            yield make("section", make("h3", "Quiz"), right)


# The book


class Book:
    """All pages in their order, with contents and answers."""

    def __init__(self, folder, toc, config):
        self.config = config
        parts = [(part["caption"], [c["file"] for c in part["chapters"]]) for part in toc["parts"]]
        names = [toc["root"], *(name for _, names in parts for name in names)]
        keys = {folder / f"{name}.html": name.rpartition("/")[2] for name in names}
        self.formulas = []
        self.front, *self.pages = (Page(folder, name, keys, self.formulas) for name in names)
        self.front.title.string = "About this book"
        pages = iter(self.pages)
        self.parts = [(caption, [next(pages) for _ in names]) for caption, names in parts]
        self.solved = any(page.article.select(".there") for page in self.pages)
        answers = "Solutions, and answers" if self.solved else "Answers"
        self.told = f"{answers} to the quizzes"

    def answers(self):
        """Yield a page of answers for each chapter that has any."""
        for page in self.pages:
            if page.answers:
                made = copy(page.article)
                made.clear()
                made["id"], made["class"] = f"answers.{page.key}", ["answers", *made["class"]]
                heading = make("h2", *copy(page.title).contents)
                made.extend([heading, *page.answers])
                yield made

    def styles(self):
        """Return the style sheets of all pages and those of paper."""
        sheets = dict.fromkeys(sheet for page in self.pages for sheet in page.styles)
        links = "".join(f'<link rel="stylesheet" href="{sheet}">\n' for sheet in sheets)
        heads = [(page.key, page.title.get_text()) for page in (self.front, *self.pages)]
        rules = [
            f".page.in-{key} {{ page: of-{key}; }}\n"
            f"@page of-{key} {{ @top-left {{ content: {quoted(title)}; }} }}\n"
            for key, title in heads
        ]
        paper = (HERE / "paper.css").read_text(encoding="utf-8")
        return f"{links}<style>{''.join(rules)}{paper}</style>"

    def contents(self, pages):
        """Yield a line for each page, with its numbered sections."""
        for page in pages:
            chapter, *sections = page.select("h2, h3")
            for heading in [chapter, *(s for s in sections if s.select(".section-number"))]:
                anchor = heading.parent["id"]
                words = make("span", *copy(heading).contents, class_="words")
                line = make("a", words, at(anchor), href=f"#{anchor}")
                yield make("p", line, class_=f"{page['class'][-1]} {LEVELS[heading.name]}")

    def html(self):
        """Return the whole book; the numbers of its pages are not known yet."""
        answers = list(self.answers())
        parts = [(name, [page.article for page in pages]) for name, pages in self.parts]
        contents, body = [], []
        for number, (caption, pages) in enumerate([*parts, (self.told, answers)], 1):
            anchor = f"part-{number}"
            pages[0].insert(0, make("h1", caption, id=anchor))
            line = make("a", make("span", caption, class_="words"), at(anchor), href=f"#{anchor}")
            contents += [make("p", line, class_="part"), *self.contents(pages)]
            body += pages
        whole = Template((HERE / "paper.html").read_text(encoding="utf-8")).substitute(
            title=self.config["title"],
            author=self.config["author"],
            rights=self.config["copyright"],
            version=version("svmlib"),
            date=time.strftime("%-d %B %Y", date()),
            edition="" if self.solved else "Student edition, without solutions",
            styles=self.styles(),
            contents="".join(map(str, contents)),
            front=self.front.article,
            body="".join(map(str, body)),
        )
        return put_back(keep_targets(whole), self.formulas)


def keep_targets(book):
    """Drop the ids to which no link leads: some are on every page, or on each box."""
    wanted = set(re.findall(' (?:href="#|data-page=")([^"]+)"', book)) | KEPT
    book = re.sub(' id="([^"]*)"', lambda it: it[0] if it[1] in wanted else "", book)
    there = re.findall(' id="([^"]*)"', book)
    if wrong := (Counter(there) - Counter(wanted)) + (Counter(wanted) - Counter(there)):
        raise ValueError(f"not one place for each link: {', '.join(wrong)}")
    return book


def fill(book, numbers):
    """Replace the placeholders by page numbers."""
    place = r'(data-page="([^"]*)">)\d+'
    return re.sub(place, lambda it: f"{it[1]}{numbers[html.unescape(it[2])]}", book)


def headings(book):
    """Return the texts of the headings without links to exercises; formulas are TeX."""
    found = re.findall(r"<(h[1-6])\b(.*?</)\1>", book, re.DOTALL)
    titles = []
    for name, inner in found:
        heading = BeautifulSoup(f"<{name}{inner}{name}>", "html.parser")
        for there in heading.select(".there"):
            there.decompose()
        for formula in heading.select("math"):
            formula.replace_with(formula.get("data-tex", ""))
        titles.append(" ".join(heading.get_text().split()))
    return titles


# The file


@contextmanager
def chromium():
    """Yield the browser that prints."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("make pdf prints with Chromium, and there is none on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


def page_numbers(pdf):
    """Return the number of the page of each anchor."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    places = pdf.Root.Dests.items()
    return {name.removeprefix("/"): numbers[place[0].objgen] for name, place in places}


def print_twice(browser, book, config, file):
    """Let Chromium print, find the numbers of the pages, print again, and finish the file."""
    with tempfile.TemporaryDirectory() as folder:
        source, numbers = Path(folder, "book.html"), {}
        for last in (False, True):  # tags take most of the time, and no place
            source.write_text(fill(book, numbers) if last else book, encoding="utf-8")
            tab = browser.new_page()
            tab.goto(source.as_uri(), timeout=0)
            printed = tab.pdf(prefer_css_page_size=True, tagged=last, outline=last)
            tab.close()
            pdf = Pdf.open(BytesIO(printed))
            numbers = page_numbers(pdf)
    finish(pdf, headings(book), config, file)
    return len(pdf.pages)


def main():
    folder, config = Path(sys.argv[1]).resolve(), settings("config")
    book = Book(folder, settings("toc"), config).html()
    with chromium() as browser:
        pages = print_twice(browser, book, config, folder / NAME)
    print(f"{folder / NAME}: {pages} pages")


if __name__ == "__main__":
    main()
