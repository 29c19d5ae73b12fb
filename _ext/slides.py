"""Make a deck of slides of each chapter from its built page: `make slides`.

    python _ext/slides.py _build/html

reveal.js shows them, because it needs no network and has notes, print and a clicker's keys;
sphinx-revealjs brings it by pip, but its own builder would put a page's whole text on slides.

A rule says what a slide shows, in the order of the page and as far as the summary: the first words
of a section; every statement, formula and list that has numbers, every table, every figure, alive
where it is alive; a short cell that defines a function or follows a statement at once, and the last
one of a section that has nothing else. Summary, exercises and quiz come after. What else is on the
page, proofs included, is in the notes of the slide before it, with what the lecturer's page says of
the place. A slide is as large as it fits, which slides.js finds out.
"""

import posixpath
import re
import shutil
import sys
from collections import defaultdict
from copy import copy
from importlib.util import find_spec
from itertools import accumulate
from math import ceil
from pathlib import Path
from string import Template
from urllib.parse import urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup
from paper import make, put_back, set_aside

HERE = Path(__file__).parent
REVEAL = Path(find_spec("sphinx_revealjs").submodule_search_locations[0], "_static", "revealjs")
SCRIPTS = re.compile(r"_static/(?:book\.js|explorables/)")
STYLES = re.compile(r"_static/(?:katex/|icons/|pygments|explorables/)")
SHOWN_BY = (
    "LICENSE",
    "dist/reset.css",
    "dist/reveal.css",
    "dist/reveal.js",
    "plugin/notes/notes.js",
)
SCREEN = ".headerlink, .sd-summary-state-marker, script:not([type]), details.hide"
HEADINGS = ("h1", "h2", "h3", "h4")
AFTER = ("second-reading", "exercises", "quiz", "read-more")  # what is not the main line
WORDS = 45  # of a section's beginning, to the end of a sentence
LINES, CHECK = 25, 12  # of a cell that defines a function, of one that follows a statement
TOGETHER = 16  # lines of cells that share a slide
ROOM, FORMULA = 900, 80  # letters on a slide before a list or a box is divided; a display counts so


def blocks(section):
    """Yield what stands in a section and in those inside it, in the order of reading."""
    for block in section.find_all(recursive=False):
        if block.name == "section":
            yield from blocks(block)
        else:
            yield block


def beginning(paragraph):
    """Return the first sentences of a paragraph."""
    inner, found = paragraph.decode_contents(), ""
    ends = [end.end() for end in re.finditer(r"[.?!:][”)]?(?:</[^>]+>)*\s+(?=[A-Z“<])", inner)]
    for part in (inner[:end] for end in [*ends, len(inner)]):
        if part.count("</") == len(re.findall(r"<\w", part)):  # not inside a link
            if found and len(re.sub("<[^>]*>", " ", part).split()) > WORDS:
                break
            found = part
    return BeautifulSoup(f"<p>{found}</p>", "html.parser").p


def local(elements, attribute, wanted):
    """Return where those files are that a deck needs, too."""
    addresses = (urlsplit(element[attribute]).path for element in elements)
    return [path.removeprefix("../") for path in addresses if wanted.search(path)]


def letters(block):
    return len(block.get_text()) + FORMULA * len(block.select(".math")) + 4 * len(block("i-tex"))


def divided(parts):
    """Divide blocks into as many groups as need a slide each, about equally long."""
    sizes = [letters(part) for part in parts]
    share = sum(sizes) / ceil(sum(sizes) / ROOM)
    groups = defaultdict(list)
    for part, size, end in zip(parts, sizes, accumulate(sizes), strict=True):
        groups[int((end - size / 2) / share)].append(part)
    return list(groups.values())


class Slide:
    """What is shown, under which heading, and what is said meanwhile."""

    def __init__(self, kind, heading, shown=(), anchor=""):
        self.kind, self.heading, self.shown, self.anchor = kind, heading, list(shown), anchor
        self.notes = []

    def html(self):
        room = make("div", make("div", *self.shown, class_="zoom"), class_="room")
        heading = make("h2", *(copy(part) for part in self.heading))
        made = make("section", heading, room, make("aside", *self.notes, class_="notes"))
        made["class"] = self.kind
        if self.anchor:
            made["id"] = self.anchor
        return str(made)


class Deck:
    """The slides of a built page, a column for each of its sections."""

    def __init__(self, folder, name, question, told):
        self.name, self.question, self.told = name, question, told
        self.formulas = []
        file = folder / "chapters" / f"{name}.html"
        source = set_aside(file.read_text(encoding="utf-8"), self.formulas)
        page = BeautifulSoup(source, "html.parser")
        self.scripts = local(page.head.select("script[src]"), "src", SCRIPTS)
        self.styles = local(page.head.select("[rel=stylesheet]"), "href", STYLES)
        canonical = page.head.select_one("[rel=canonical]")
        self.base = urljoin(canonical["href"], ".") if canonical else "../html/chapters/"
        article = page.article
        for element in article.select(SCREEN):
            element.decompose()
        self.rules = "".join(style.extract().string for style in article("style"))
        self.files = {*self.scripts, *self.styles, "_static/favicon.svg"}
        for image in article("img"):
            image["src"] = image["src"].removeprefix("../")
            del image["loading"], image["style"]
            self.files.add(image["src"])
        if any("icons" in style for style in self.styles):
            self.files.add("_static/icons/icons.woff2")
        self.chapter = article.section
        self.title = " ".join(self.chapter.h1.get_text().split())
        self.columns = [[]]
        self.fill()

    # What is shown

    def fill(self):
        main = [
            block
            for part in self.chapter.find_all(recursive=False)
            if part.get("id") not in AFTER
            for block in (blocks(part) if part.name == "section" else [part])
        ]
        starts = [k for k, block in enumerate(main) if block.name in HEADINGS]
        for start, end in zip(starts, [*starts[1:], len(main)], strict=True):
            self.part(*main[start:end])
        self.exercises()
        self.quiz()

    def part(self, heading, *content):
        """Make the slides of what stands under one heading, whatever its level."""
        anchor = heading.parent["id"]
        if heading.name == "h1":
            self.heading = heading.contents
            self.add("title", [make("p", self.question)], anchor)
        elif heading.name == "h2":
            self.columns.append([])
            self.heading = self.section = heading.contents
            self.add("opening", anchor=anchor)
        else:
            self.heading = [*self.section, " · ", *heading.contents]
            self.say(make("h4", *copy(heading).contents), *self.told.get(anchor, ()))
            self.outline(heading)
        if anchor == "summary":
            return self.summary(content)
        kinds = [self.kind(k, content) for k in range(len(content))]
        cells = [k for k, block in enumerate(content) if 0 < lines_of(block) <= LINES]
        if not any(kinds) and cells and heading.name != "h1":
            kinds[cells[-1]] = "code"
        for block, kind in zip(content, kinds, strict=True):
            if kind:
                getattr(self, kind)(block)
            else:
                self.tell(block)
        return None

    def outline(self, heading):
        """Say on the opening what comes, where no text does."""
        opening = self.columns[-1][0]
        if not opening.shown:
            opening.shown.append(make("ul"))
        if opening.shown[0].name == "ul":
            opening.shown[0].append(make("li", *copy(heading).contents))

    def kind(self, k, content):
        block, classes = content[k], content[k].get("class", ())
        if "proof" in classes and block.get("id"):
            return "statement"
        if block.figure:
            return "figure"
        if block.table or block.name == "table":
            return "table"
        if block.name == "ol" or ("math" in classes and block.select_one(".eqno")):
            return "numbered"
        if "note" in classes:
            return "goals"
        if lines := lines_of(block):
            source = block.select_one(".cell_input").get_text()
            defines = re.search(r"^ *def ", source, re.M) and "    ...\n" not in source
            # Proofs have no id, and those of some length are folded.
            before = [b for b in content[:k] if b.get("id") or b.name == "p" or b.pre]
            follows = before and "proof" in before[-1].get("class", ())
            return "code" if lines <= (LINES if defines else CHECK * bool(follows)) else ""
        return ""

    def add(self, kind, shown=(), anchor=""):
        slide = Slide(kind, self.heading, shown, anchor)
        if kind in ("title", "opening"):
            page = make("a", "On the page", href=f"{self.name}.html#{anchor}")
            slide.notes.append(make("div", page))
        slide.notes += self.told.get(anchor, ())
        self.columns[-1].append(slide)

    def say(self, *elements):
        self.columns[-1][-1].notes += elements

    def tell(self, block):
        """Put into the notes what is not shown, of code what it prints."""
        slide = self.columns[-1][-1]
        if slide.kind == "opening":
            if not slide.shown and block.name == "p":
                slide.shown.append(beginning(block))
            elif slide.shown and slide.shown[-1].get_text().rstrip().endswith(":"):
                slide.shown += [copy(block)] * (block.name != "div")
        if "cell" in block.get("class", ()):
            block = block.select_one(".output pre")
        if block:
            self.say(copy(block))

    def goals(self, block):
        able, *others = block("p")[1:]
        parts = re.split(r";\s+", able.decode_contents())
        first, parts[0] = re.match(r"(<strong>.*?</strong>)\s*(.*)", parts[0], re.S).groups()
        items = "".join(f"<li>{part.rstrip('.')}</li>" for part in parts)
        self.add(
            "goals",
            BeautifulSoup(f"<p>{first}</p><ul>{items}</ul>", "html.parser")(recursive=False),
        )
        self.say(*others)

    def statement(self, block):
        title, content = block.p, block.section.find_all(recursive=False)
        for k, group in enumerate(divided(content)):
            box = make("div", copy(title), *group, class_=" ".join(block["class"]))
            box.p.extend([" continued"] * bool(k))
            self.add("statement", [box], "" if k else block["id"])

    def figure(self, block):
        figure = block.figure
        picture = figure.img
        alive = figure.select_one(".explorable, .frame-player")
        wide = int(picture["width"]) > 1.6 * int(picture["height"])
        self.add("alive" if alive else "wide" if wide else "figure", [figure], figure["id"])

    def table(self, block):
        self.add("table", [block])

    def numbered(self, block):
        """Show a formula or a list with the paragraph that leads to it."""
        slide = self.columns[-1][-1]
        *others, last = slide.notes or [block]
        short = last.name == "p" and letters(last) < ROOM / 2
        before = []
        if short and not last.get_text()[0].islower():  # which would be half a sentence
            before, slide.notes = [last], others
        opening = slide.kind == "opening" and [part.name for part in slide.shown] == ["p"]
        first = opening and not any(note.name == "p" for note in slide.notes)
        if before and first and block.name == "div":
            slide.shown = [*before, block]
        else:
            self.add("numbered", [*before, block], block.get("id", ""))

    def code(self, block):
        """Show a cell, together with the one before it if there is room for both."""
        slide = self.columns[-1][-1]
        beside = slide.shown if slide.kind == "code" and slide.heading is self.heading else []
        if beside and sum(map(lines_of, [*beside, block])) <= TOGETHER:
            beside.append(block)
        else:
            self.add("code", [block])

    def summary(self, content):
        self.columns[-1].pop()
        items = [item for part in content for item in part("li", recursive=False)]
        for k, group in enumerate(divided(items)):
            self.add("summary", [make("ul", *group)], "" if k else "summary")

    def exercises(self):
        boxes = self.chapter(class_="exercise")
        items = [
            make("li", make("a", *copy(box.p).contents, href=f"#{box['id']}")) for box in boxes
        ]
        self.columns.append([])
        self.heading = ["Exercises"]
        for k in range(0, len(items), 12):
            self.add("list", [make("ul", *items[k : k + 12])], "" if k else "exercises")

    def quiz(self):
        self.columns.append([])
        self.heading = ["Quiz"]
        for block in self.chapter.find(id="quiz").find_all(["p", "details"], recursive=False):
            if block.name == "p" and block.find_next_sibling().name == "details":
                choices = make("ul")
                self.add("quiz", [copy(block), choices])
            elif block.name == "details":
                choice = make("li", *block.select_one(".sd-summary-text").contents)
                choices.append(choice)
                reason = block.select_one(".sd-summary-content")
                if reason.get_text().strip().startswith("Right"):
                    choice["class"], reason["class"] = "right", "fragment"
                    self.columns[-1][-1].shown.append(reason)
                else:
                    self.say(make("p", *copy(choice).contents), *reason("p"))

    def target(self, link):
        """Lead to a slide if the target is on one, and else to the page."""
        address = link[1]
        if address.startswith("#"):
            anchor = address[1:]
            address = f"#/{anchor}" if anchor in self.anchors else f"{self.name}.html{address}"
        if not (address.startswith("#") or urlsplit(address).scheme):
            join = urljoin if urlsplit(self.base).scheme else posixpath.join
            address = join(self.base, address)
        return f' href="{address}"'

    def html(self, config):
        columns = "".join(
            f"<section>{''.join(slide.html() for slide in column)}</section>\n"
            for column in self.columns
        )
        self.anchors = {slide.anchor for column in self.columns for slide in column}
        # An id is a slide's, or that of a figure whose script asks for it.
        columns = re.sub(
            r'(<(?!section )[^>]*?) id="[^"]*"',
            lambda it: it[0] if 'class="explorable"' in it[1] else it[1],
            columns,
        )
        columns = re.sub(' href="([^"]*)"', self.target, columns)
        # Notes are shown in a window that has no styles for KaTeX, and every browser knows MathML.
        maths = [re.search("<math.*?</math>", formula, re.S)[0] for formula in self.formulas]
        columns = re.sub(
            '<aside class="notes">.*?</aside>',
            lambda it: put_back(it[0], maths),
            columns,
            flags=re.S,
        )
        return Template((HERE / "slides.html").read_text(encoding="utf-8")).substitute(
            title=self.title,
            author=config["author"],
            styles="".join(f'<link rel="stylesheet" href="{name}">\n' for name in self.styles),
            rules=self.rules,
            slides=put_back(columns, self.formulas),
            scripts="".join(f'<script defer src="{name}"></script>\n' for name in self.scripts),
        )


def lines_of(block):
    """Count the lines of code that a cell shows."""
    code = block.select_one(".cell_input pre") if "cell" in block.get("class", ()) else None
    return len(code.get_text().strip().splitlines()) if code else 0


# What other pages say of the chapters


def questions(folder):
    """Return the question of each chapter, as the cards of the front page have it."""
    page = BeautifulSoup((folder / "index.html").read_text(encoding="utf-8"), "html.parser")
    cards = page.select("#the-chapters .sd-card")
    return {
        Path(card.a["href"]).stem: card.select_one(".sd-card-text").get_text() for card in cards
    }


def told(folder):
    """Return what the lecturer's page says of each place: its unit, and what students believe."""
    notes = defaultdict(lambda: defaultdict(list))
    formulas = []
    source = (folder / "reference/lecturers.html").read_text(encoding="utf-8")
    page = BeautifulSoup(set_aside(source, formulas), "html.parser")
    maths = [re.search("<math.*?</math>", formula, re.S)[0] for formula in formulas]

    def note(link, words):
        path, _, anchor = link["href"].partition("#")
        made = BeautifulSoup(f"<div><strong>{put_back(words, maths)}</strong></div>", "html.parser")
        notes[Path(path).stem][anchor].append(made.div)

    for unit in page.select("section:has(> h3)"):
        lines = {line.strong.get_text(): line for line in unit.select("li:has(strong)")}
        if "Read" in lines:
            minutes = re.search(r"\d+ minutes", lines["Read"].get_text())[0]
            first = lines["Read"].a
            title = unit.h3.contents[0]
            note(first, f"{title}: {minutes} in all.")
    for row in page.select("#what-students-believe-and-what-cures-it tr:has(td)"):
        said, cures = row("td")
        for link in cures("a"):
            note(link, f"They say: {said.p.decode_contents()}")
    return notes


def build(folder, made):
    """Write the decks of the pages in a folder, with all that they need; return them."""
    config = yaml.safe_load(Path("_config.yml").read_text(encoding="utf-8"))
    asked, notes = questions(folder), told(folder)
    decks = [Deck(folder, name, question, notes[name]) for name, question in asked.items()]
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(folder / "_static/katex", made / "_static/katex")
    (made / "_static/slides").mkdir()
    for file in (*(REVEAL / name for name in SHOWN_BY), HERE / "slides.css", HERE / "slides.js"):
        shutil.copy(file, made / "_static/slides")
    for name in {name for deck in decks for name in deck.files}:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, made / name)
    lines = []
    for deck in decks:
        (made / f"{deck.name}.html").write_text(deck.html(config), encoding="utf-8")
        count = sum(map(len, deck.columns))
        lines.append(
            make("li", make("a", deck.title, href=f"{deck.name}.html"), f", {count} slides")
        )
    whole = Template((HERE / "slides.index.html").read_text(encoding="utf-8"))
    contents = whole.substitute(title=config["title"], decks="".join(map(str, lines)))
    (made / "index.html").write_text(contents, encoding="utf-8")
    return decks


def main():
    folder, made = (Path(argument).resolve() for argument in sys.argv[1:])
    decks = build(folder, made)
    print(f"{made / 'index.html'}: {sum(len(c) for d in decks for c in d.columns)} slides")


if __name__ == "__main__":
    main()
