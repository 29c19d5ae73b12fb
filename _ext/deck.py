"""Which parts of a built page are on slides: the rule by which `slides` makes a deck.

In the order of the page and as far as the summary: how a section begins; every statement, displayed
formula, list, quotation and table, every figure, alive where it is alive; a short cell that defines
a function, follows a statement at once or cures what students believe, and the last one of a
section that has nothing else. Formulas that follow one another share a slide with the words that
lead from one to the next. Summary, exercises and quiz come after. What else is on the page, proofs
included, is in the notes of the slide before it, or of the one that it leads to.
"""

import html
import posixpath
import re
from collections import defaultdict
from copy import copy
from itertools import accumulate
from math import ceil
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from paper import make, put_back, set_aside

SCRIPTS = re.compile(r"_static/(?:book\.js|explorables/)")
STYLES = re.compile(r"_static/(?:katex/|icons/|pygments|explorables/)")
SCREEN = ".headerlink, .sd-summary-state-marker, script:not([type]), details.hide"
HEADINGS = ("h1", "h2", "h3", "h4")
AFTER = ("second-reading", "exercises", "quiz", "read-more")  # what is not the main line
WORDS = 45  # of a section's beginning, to the end of a sentence
LINES, CHECK = 25, 12  # of a cell that defines a function, of one that is shown for another reason
TOGETHER = 16  # lines of cells that share a slide
SIGN = re.compile(r"\\(?:\w+|.)|[^\s{}_^&]")  # of TeX
ROOM, HALF, ROW = 900, 450, 80  # letters on a slide, on half of one, and in a row of a formula


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


def leads(block):
    return block.name == "p" and block.get_text().rstrip().endswith((":", "?"))


def lines_of(*cells):
    """Count the lines of code that cells show; what is no cell has none."""
    shown = [
        cell.select_one(".cell_input pre") for cell in cells if "cell" in cell.get("class", ())
    ]
    return sum(len(code.get_text().strip().splitlines()) for code in shown if code)


class Slide:
    """What is shown, under which heading, and what is said meanwhile."""

    def __init__(self, kind, heading, shown, notes):
        self.kind, self.heading, self.shown, self.notes = kind, heading, list(shown), notes

    def html(self):
        room = make("div", make("div", *self.shown, class_="zoom"), class_="room")
        heading = make("h2", *(copy(part) for part in self.heading))
        notes = make("aside", *self.notes, class_="notes")
        for element in notes.select("[id]"):
            del element["id"]
        return str(make("section", heading, room, notes, class_=self.kind))


class Deck:
    """The slides of a built page, a column for each of its sections."""

    def __init__(self, folder, name, question, told, cures):
        self.name, self.question, self.told, self.cures = name, question, told, cures
        self.formulas = []
        file = folder / "chapters" / f"{name}.html"
        source = set_aside(file.read_text(encoding="utf-8"), self.formulas)
        self.tex = [html.unescape(re.search('data-tex="([^"]*)"', f)[1]) for f in self.formulas]
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
        self.columns = {}
        self.fill()

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

    def letters(self, *parts):
        """Return how much room blocks need; a command of TeX is a letter, a display has rows."""
        size = sum(len(part.get_text()) for part in parts)
        for place in (place for part in parts for place in part("i-tex")):
            tex = self.tex[int(place.string)]
            display = "katex-display" in place.parent.get("class", ())
            size += ROW * (1 + tex.count(r"\\")) if display else len(SIGN.findall(tex))
        return size

    def divided(self, parts):
        """Divide blocks into as many groups as need a slide each, about equally long."""
        sizes = [self.letters(part) for part in parts]
        share = sum(sizes) / ceil(sum(sizes) / ROOM)
        groups = defaultdict(list)
        for part, size, end in zip(parts, sizes, accumulate(sizes), strict=True):
            groups[int((end - size / 2) / share)].append(part)
        return list(groups.values())

    # What is shown, and what is said

    def begin(self, anchor, *heading):
        self.section = self.heading = list(heading)
        self.ahead = []  # notes of the slide that comes first
        self.column = self.columns[anchor] = []

    def add(self, kind, *shown):
        """Add a slide; a question, or what ends with a colon, leads to it, and so do its notes."""
        before = self.column[-1].notes if self.column else []
        lead = [before.pop()] if before and leads(before[-1]) else []
        heading = self.section if kind == "opening" else self.heading
        self.column.append(Slide(kind, heading, shown, [*self.ahead, *lead]))
        self.ahead = []

    def say(self, *elements):
        notes = self.column[-1].notes if self.column else self.ahead
        notes.extend(elements)

    def tell(self, block):
        """Put into the notes what is not shown, of code what it prints; show how it begins."""
        if not self.column and block.name == "p":
            self.add("opening", beginning(block))
        if "cell" in block.get("class", ()):
            block = block.select_one(".output pre")
        if block:
            self.say(copy(block))

    def part(self, heading, *content):
        """Make the slides of what stands under one heading, whatever its level."""
        anchor = heading.parent["id"]
        told = self.told.get(anchor if heading.name != "h1" else "", ())
        if heading.name in ("h1", "h2"):
            self.begin(anchor, *heading.contents)
            page = make("a", "On the page", href=f"{self.name}.html#{anchor}")
            self.say(make("div", page), *told)
            if heading.name == "h1":
                self.add("title", make("p", self.question))
        else:
            self.heading = [*self.section, " · ", *heading.contents]
            self.say(make("h4", *copy(heading).contents), *told)
        if anchor == "summary":
            items = [item for part in content for item in part("li", recursive=False)]
            for group in self.divided(items):
                self.add("summary", make("ul", *group))
            return
        kinds = [self.kind(k, content, anchor in self.cures) for k in range(len(content))]
        cells = [k for k, block in enumerate(content) if 0 < lines_of(block) <= LINES]
        if not any(kinds) and cells and heading.name != "h1":
            kinds[cells[-1]] = "code"
        for block, kind in zip(content, kinds, strict=True):
            getattr(self, kind or "tell")(block)

    def kind(self, k, content, cures):
        block, classes = content[k], content[k].get("class", ())
        if "proof" in classes and block.get("id"):
            return "statement"
        if block.figure:
            return "figure"
        if block.table or block.name == "table":
            return "table"
        if block.name in ("ol", "ul", "blockquote") or "math" in classes:
            return "argument"
        if "note" in classes:
            return "goals"
        if lines := lines_of(block):
            source = block.select_one(".cell_input").get_text()
            defines = re.search(r"^ *def ", source, re.M) and "    ...\n" not in source
            # Proofs have no id, and those of some length are folded.
            before = [b for b in content[:k] if b.get("id") or b.name == "p" or b.pre]
            follows = before and "proof" in before[-1].get("class", ())
            return "code" if lines <= (LINES if defines else CHECK * bool(follows or cures)) else ""
        return ""

    def argument(self, block):
        """Show a formula, list or quotation after the paragraph that leads to it."""
        slide = self.column[-1] if self.column else Slide("", [], [], [])
        goes_on = slide.heading is self.heading and all(note.name == "p" for note in slide.notes)
        lead = [note for note in slide.notes[-1:] if note.name == "p" and self.letters(note) < HALF]
        others = slide.notes[: len(slide.notes) - len(lead)]
        alone = len(slide.shown) == 1 and not any(note.name == "p" for note in others)
        opens = slide.kind == "opening" and alone
        if opens and lead and self.letters(*lead, block) < HALF:
            slide.shown, slide.notes = [*lead, block], others
        elif (
            slide.kind == "argument" and goes_on and self.letters(*slide.shown, *lead, block) < ROOM
        ):
            slide.shown, slide.notes = [*slide.shown, *lead, block], others
        elif lead and (opens or lead[0].get_text()[0].islower()):  # shown already; half a sentence
            self.add("argument", block)
        else:
            slide.notes = others
            self.add("argument", *lead, block)

    def goals(self, block):
        able, *others = block("p")[1:]
        parts = re.split(r";\s+", able.decode_contents())
        first, parts[0] = re.match(r"(<strong>.*?</strong>)\s*(.*)", parts[0], re.S).groups()
        items = "".join(f"<li>{part.rstrip('.')}</li>" for part in parts)
        made = BeautifulSoup(f"<p>{first}</p><ul>{items}</ul>", "html.parser")
        self.add("goals", *made(recursive=False))
        self.say(*others)

    def statement(self, block):
        title, content = block.p, block.section.find_all(recursive=False)
        for k, group in enumerate(self.divided(content)):
            box = make("div", copy(title), *group, class_=" ".join(block["class"]))
            if k:
                box.p.append(" continued")
            else:
                box["id"] = block["id"]
            self.add("statement", box)

    def figure(self, block):
        picture = block.figure.img
        alive = block.figure.select_one(".explorable, .frame-player")
        wide = int(picture["width"]) > 1.6 * int(picture["height"])
        self.add("alive" if alive else "wide" if wide else "figure", block.figure)

    def table(self, block):
        self.add("table", block)

    def code(self, block):
        """Show a cell, together with the one before it if there is room for both."""
        slide = self.column[-1] if self.column else None
        beside = slide.shown if slide and slide.kind == "code" else []
        if beside and slide.heading is self.heading and lines_of(*beside, block) <= TOGETHER:
            beside.append(block)
        else:
            self.add("code", block)

    def exercises(self):
        boxes = self.chapter(class_="exercise")
        items = [
            make("li", make("a", *copy(box.p).contents, href=f"#{box['id']}")) for box in boxes
        ]
        self.begin("exercises", "Exercises")
        for k in range(0, len(items), 12):
            self.add("list", make("ul", *items[k : k + 12]))

    def quiz(self):
        self.begin("quiz", "Quiz")
        for block in self.chapter.find(id="quiz").find_all(["p", "details"], recursive=False):
            if block.name == "p" and block.find_next_sibling().name == "details":
                choices = make("ul")
                self.add("quiz", copy(block), choices)
            elif block.name == "details":
                choice = make("li", *block.select_one(".sd-summary-text").contents)
                choices.append(choice)
                reason = block.select_one(".sd-summary-content")
                if reason.get_text().strip().startswith("Right"):
                    choice["class"], reason["class"] = "right", "fragment"
                    self.column[-1].shown.append(reason)
                else:
                    self.say(make("p", *copy(choice).contents), *reason("p"))

    # The file

    def target(self, link):
        """Lead to a slide if the target is on one, and else to the page."""
        address = link[1]
        if address.startswith("#"):
            there = address[1:] in self.places
            address = f"#/{address[1:]}" if there else f"{self.name}.html{address}"
        if not (address.startswith("#") or urlsplit(address).scheme):
            join = urljoin if urlsplit(self.base).scheme else posixpath.join
            address = join(self.base, address)
        return f' href="{address}"'

    def body(self):
        """Return all slides as HTML."""
        columns = "".join(
            f'<section id="{anchor}">{"".join(slide.html() for slide in column)}</section>\n'
            for anchor, column in self.columns.items()
        )
        self.places = set(re.findall(' id="([^"]*)"', columns))
        columns = re.sub(' href="([^"]*)"', self.target, columns)
        # Notes are shown in a window that has no styles for KaTeX, and every browser knows MathML.
        maths = [re.search("<math.*?</math>", formula, re.S)[0] for formula in self.formulas]
        notes = re.compile('<aside class="notes">.*?</aside>', re.S)
        return put_back(notes.sub(lambda it: put_back(it[0], maths), columns), self.formulas)
