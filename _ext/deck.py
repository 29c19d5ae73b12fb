"""Which parts of a built page are on slides: the rule by which `slides` makes a deck.

In the order of the page and as far as the summary: how a section begins and how it ends; every
statement, displayed formula, list, quotation and table, every figure, alive where it is alive; what
a cell prints, after the words that lead to it; each sentence that defines a word, and the one that
explains a formula. A function is shown if the text names it or leads to nothing else. What fits
shares a slide.
Exercises for the class follow their section; summary, all exercises and quiz come last. What else
is on the page, proofs included, is in the notes of the slide before it, or of the one it leads to.
"""

import html
import posixpath
import re
from collections import defaultdict
from copy import copy
from itertools import accumulate, pairwise, takewhile
from math import ceil
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from paper import make, put_back, set_aside

SCRIPTS = re.compile(r"_static/(?:book\.js|explorables/)")
STYLES = re.compile(r"_static/(?:katex/|icons/|pygments|explorables/)")
SCREEN = ".headerlink, .sd-summary-state-marker, script:not([type]), details.hide"
HEADINGS = ("h1", "h2", "h3", "h4")
AFTER = ("second-reading", "exercises", "quiz", "read-more")  # what is not the main line
LED = ("argument", "printed")  # what is shown with the words that lead to it
WORDS = 45  # of a section's beginning, to the end of a sentence
END = re.compile(r"[.?!][”)]?(?:</[^>]+>)*\s+(?=[A-Z“<(])")  # of a sentence
LINK = re.compile("<a .*?</a>", re.S)
TERM = re.compile(  # what has emphasis because it is defined or concluded, not for a stress
    r"<strong>|<em>[^<]*\s[^<]*</em>|<em>[^<]*</em>,? (?:is|are|if)\b"
    r"|\b(?:is|are|call\w*|named?|its) (?:it )?(?:an? |the )?<em>"
)
FUNCTION = re.compile(r"^def (\w+).*?(?=^[^\s)]|\Z)", re.M | re.S)
SIGN = re.compile(r"\\(?:\w+|.)|[^\s{}_^&]")  # of TeX
BACK = re.compile(r"(?:This|That|These|Those|They|It|Its|So|Then|Both)\b")  # to a sentence before
ROW = 80  # letters
FEW = 4  # lines that a cell prints need words to be shown
ROOM, HALF = 14 * ROW, 6 * ROW  # of a slide


def blocks(section):
    """Yield what stands in a section and in those inside it, in the order of reading."""
    for block in section.find_all(recursive=False):
        if block.name == "section":
            yield from blocks(block)
        else:
            yield block


def sentences(paragraph):
    """Divide a paragraph into sentences; a link is not divided, and words in front stay there."""
    inner, found = paragraph.decode_contents(), [""]
    ends = [end.end() for end in END.finditer(inner)]
    for start, end in pairwise([0, *ends, len(inner)]):
        found[-1] += inner[start:end]
        closed = found[-1].count("</") == len(re.findall(r"<\w", found[-1]))
        if closed and not re.fullmatch(r"<strong>[^<]*</strong>\s*", found[-1]):
            found.append("")
    return [sentence for sentence in found if sentence]


def paragraph(*sentences):
    """Return sentences as a paragraph, or nothing if there is none."""
    return list(BeautifulSoup(f"<p>{''.join(sentences)}</p>", "html.parser")) if sentences else []


def beginning(sentences):
    """Count the first sentences that a section opens with; a question may end them."""
    count = words = 0
    for k, sentence in enumerate(sentences, 1):
        words += len(re.sub("<[^>]*>", " ", sentence).split())
        asks = sentence.rstrip().endswith("?") and words <= 1.5 * WORDS
        if k == 1 or words <= WORDS or asks:
            count = k
    return count


def local(elements, attribute, wanted):
    """Return where those files are that a deck needs, too."""
    addresses = (urlsplit(element[attribute]).path for element in elements)
    return [path.removeprefix("../") for path in addresses if wanted.search(path)]


def leads(block):
    return block.name == "p" and block.get_text().rstrip().endswith((":", "?"))


def is_cell(block):
    return "cell" in block.get("class", ())


class Slide:
    """What is shown, under which heading, and what is said meanwhile."""

    def __init__(self, kind, heading, shown, notes):
        self.kind, self.heading, self.shown, self.notes = kind, heading, list(shown), notes
        self.before = len(notes)  # those that lead to it

    def html(self):
        room = make("div", make("div", *self.shown, class_="zoom"), class_="room")
        heading = make("h2", *(copy(part) for part in self.heading))
        notes = make("aside", *self.notes, class_="notes")
        for element in notes("section"):
            element.unwrap()  # it would be a slide
        for element in notes.select("[id]"):
            del element["id"]
        return str(make("section", heading, room, notes, class_=self.kind))


class Deck:
    """The slides of a built page, a column for each of its sections."""

    def __init__(self, folder, name, question, told, cures, solved):
        self.name, self.question, self.told, self.cures = name, question, told, cures
        self.solved = solved
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
        self.columns, self.places = {}, []
        self.fill()

    def fill(self):
        words = self.chapter.select("p code, li code")
        self.named = {code.get_text().partition("(")[0] for code in words}
        main = [
            block
            for part in self.chapter.find_all(recursive=False)
            if part.get("id") not in AFTER
            for block in (blocks(part) if part.name == "section" else [part])
        ]
        for part in self.chapter.select("#second-reading section"):
            if part["id"] in self.cures:
                main.extend(blocks(part))
            else:  # what the class solves of it comes with the other exercises
                self.solved["exercises"] += self.solved[part["id"]]
        starts = [k for k, block in enumerate(main) if block.name in HEADINGS]
        for start, end in zip(starts, [*starts[1:], len(main)], strict=True):
            self.part(*main[start:end])
        self.exercises()
        self.quiz()

    def letters(self, *parts):
        """Return how much room blocks need, in letters of full rows."""
        return sum(map(self.size, parts))

    def size(self, part):
        """Return what one needs; a command of TeX is a letter, a display has rows."""
        inside = part(["p", "pre"])
        if inside:
            return self.letters(*inside)
        if part.name == "pre":
            return ROW * 0.7 * len(part.get_text().strip("\n").split("\n"))
        size = len(part.get_text())
        for place in part("i-tex"):
            tex = self.tex[int(place.string)]
            display = "katex-display" in place.parent.get("class", ())
            size += ROW * (2 + tex.count(r"\\")) if display else len(SIGN.findall(tex))
        return ROW * ceil(size / ROW)

    def divided(self, blocks):
        """Divide blocks, and long lists, into as many groups as need a slide each."""
        parts = [part for block in blocks for part in self.items(block)]
        sizes = [self.letters(part) for part in parts]
        share = sum(sizes) / ceil(sum(sizes) / ROOM)
        groups = defaultdict(list)
        for part, size, end in zip(parts, sizes, accumulate(sizes), strict=True):
            groups[int((end - size / 2) / share)].append(part)
        return list(groups.values())

    def items(self, block):
        """Make a list of each item of a list that is long."""
        if block.name not in ("ol", "ul") or self.letters(block) < HALF:
            return [block]
        items = enumerate(block("li", recursive=False), int(block.get("start", 1)))
        return [make(block.name, item, start=k) for k, item in items]

    # What is shown, and what is said

    def begin(self, anchor, *heading):
        """Begin a section, when the class has solved the exercises of the one before."""
        for box in (box for place in self.places for box in self.solved[place]):
            self.heading = self.section
            self.statement(self.chapter.find(id=box))
        self.section = self.heading = list(heading)
        self.places = [anchor]
        self.ahead = []  # notes of the slide that comes first
        self.column = self.columns[anchor] = []

    def add(self, kind, *shown):
        """Add a slide; what names a figure on it leads to it, and so do a question and a colon."""
        before = self.column[-1].notes if self.column else []
        here = {f"#{block.get('id')}" for block in shown}
        names = [k for k, note in enumerate(before) if any(a["href"] in here for a in note("a"))]
        if before and leads(before[-1]):
            names.append(len(before) - 1)
        start = max(names[0], self.column[-1].before) if names else len(before)
        heading = self.section if kind == "opening" else self.heading
        self.column.append(Slide(kind, heading, shown, [*before[start:], *self.ahead]))
        del before[start:]
        self.ahead, self.fresh = [], False

    def put(self, kind, *shown):
        """Show blocks on the last slide, if there is room and nothing but words in between."""
        slide = self.column[-1] if self.column else Slide("", [], [], [])
        room = {"opening": HALF, "argument": ROOM, "statement": ROOM}.get(slide.kind, 0)
        goes_on = all(note.name == "p" for note in slide.notes[slide.before :])
        if goes_on and slide.heading is self.heading and self.letters(*slide.shown, *shown) <= room:
            slide.shown.extend(shown)
        else:
            self.add(kind, *shown)

    def say(self, *elements):
        notes = self.column[-1].notes if self.column else self.ahead
        notes.extend(elements)

    def tell(self, block):
        """Say what is not shown, of code what it prints; show the sentences that have to be."""
        if block.name == "p":
            self.words(sentences(block))
        elif not is_cell(block):
            self.say(copy(block))
        elif block.pre and (block.select(".output") or FUNCTION.search(block.pre.get_text())):
            self.say(copy(block.select_one(".output pre") or block.pre))

    def words(self, parts):
        """Show how a section begins, what explains a formula, and what has emphasis; say others."""
        count = beginning(parts) if self.fresh else int(parts[0][0].islower())
        terms = [k for k, part in enumerate(parts) if TERM.search(LINK.sub("", part))]
        wanted = {k for k in terms if parts[k][0] != "("}
        wanted |= {k - 1 for k in wanted if BACK.match(parts[k])} | {*range(count)}
        shown = [re.sub(r":\s*$", ".", part) for k, part in enumerate(parts) if k in wanted]
        others = [part for k, part in enumerate(parts) if k not in wanted]
        if self.fresh:
            self.add(self.opens, *paragraph(*shown[:count]))
            shown = shown[count:]
        self.say(*paragraph(*others))
        if shown:
            self.put("argument", *paragraph(*shown))

    def lead(self, words, *blocks):
        """Show blocks after the paragraph that leads to them, or after its end if it is long."""
        parts = [part for it in words for part in sentences(it)]
        first = bool(parts) and self.fresh
        spare = not blocks or (first and self.opens == "opening")
        if parts and self.letters(*words, *blocks) > (HALF if spare else ROOM):
            last = 2 if len(parts) > 2 and BACK.match(parts[-1]) else 1
            self.words(parts[:-last] or parts)
            parts = parts[len(parts[:-last] or parts) :]
        if parts or blocks:
            self.put(
                self.opens if first and self.fresh else "argument", *paragraph(*parts), *blocks
            )

    def part(self, heading, *content):
        """Make the slides of what stands under one heading, whatever its level."""
        anchor = heading.parent["id"]
        told = self.told.get(anchor if heading.name != "h1" else "", ())
        page = make("a", "On the page", href=f"{self.name}.html#{anchor}")
        if heading.name in ("h1", "h2") or heading.find_parent(id=AFTER):
            self.begin(anchor, *heading.contents)
            self.ahead = [make("div", page), *told]
            if heading.name == "h1":
                self.add("title", make("p", self.question))
        else:
            self.heading = [*self.section, " · ", *heading.contents]
            self.ahead.extend(told)
            self.places.append(anchor)
        self.fresh = heading.name != "h1"
        self.opens = "argument" if self.column else "opening"
        if anchor == "summary":
            items = [item for part in content for item in part("li", recursive=False)]
            for group in self.divided(items):
                self.add("summary", make("ul", *group))
            return
        waiting = []
        for k, block in enumerate(content):
            kind = self.kind(k, content)
            if not kind:
                waiting.append(block)
                continue
            said = [k for k, it in enumerate(waiting) if not is_cell(it) or it.select(".output")]
            led = kind in LED and said and waiting[said[-1]].name == "p"
            words = [[waiting.pop(said[-1])] if led else []] * (kind in LED)
            for told in waiting:
                self.tell(told)
            getattr(self, kind)(block, *words)
            waiting = []
        for k, told in enumerate(waiting):
            aside = told.name != "p" or re.fullmatch(r"\(.*\)", told.get_text(), re.S)
            if aside or k < len(waiting) - 2 or len(waiting) == len(content):
                self.tell(told)
            else:  # what concludes
                self.lead([told])

    def kind(self, k, content):
        block, classes = content[k], content[k].get("class", ())
        if "proof" in classes and block.get("id"):
            return "statement"
        if block.figure:
            return "figure"
        if block.name in ("ol", "ul", "blockquote", "table") or block.table or "math" in classes:
            return "argument"
        if "note" in classes:
            return "goals"
        if is_cell(block):
            code, prints = block.select_one(".cell_input pre"), block.select(".output pre")
            defined = FUNCTION.findall(code.get_text() if code else "")
            later = [it for it in takewhile(is_cell, content[k + 1 :]) if it.select(".output")]
            meant = leads(content[k - 1]) if prints else len(self.columns) > 1 and not later
            if defined and (meant or self.named & {*defined}):
                return "code"
            return "printed" if prints else ""
        return ""

    def argument(self, block, words):
        """Show a formula, list, quotation or table."""
        for group in self.divided([block]):
            self.lead(words, *group)
            words = []

    def printed(self, block, words):
        """Show what a cell prints if words lead to it, or if it is a table."""
        output = block.select_one(".cell_output")
        shown = self.column[-1].shown if self.column else []
        if words or len(output.get_text().strip().splitlines()) > FEW:
            self.lead(words, output)
        elif shown and "cell_output" in shown[-1].get("class", ()):
            shown.append(output)
        else:
            self.tell(block)

    def code(self, block):
        """Show functions, those that the text names if it names some, and what the cell prints."""
        code = block.select_one(".cell_input pre")
        text, lines = code.get_text(), code.decode_contents().split("\n")
        found = list(FUNCTION.finditer(text))
        kept = [it for it in found if it[1] in self.named] or found
        shown = []
        for function in kept:
            first = text.count("\n", 0, function.start())
            source = "\n".join(lines[first:][: function[0].strip().count("\n") + 1])
            shown.append(BeautifulSoup(f"<pre>{source}</pre>", "html.parser").pre)
        for group in self.divided(shown):
            self.add("code", make("div", *group, class_="cell_input highlight"))
        self.column[-1].shown.extend(block.select(".cell_output"))

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

    def exercises(self):
        boxes = self.chapter(class_="exercise")
        items = [
            make("li", make("a", *copy(box.p).contents, href=f"#{box['id']}")) for box in boxes
        ]
        self.begin("exercises", "Exercises")
        for k in range(0, len(items), 12):
            self.add("list", make("ul", *items[k : k + 12]))

    def quiz(self):
        self.begin("questions", "Quiz")  # on a page, book.js counts the answers in #quiz
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
            there = address[1:] in self.shown
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
        self.shown = set(re.findall(' id="([^"]*)"', columns))
        columns = re.sub(' href="([^"]*)"', self.target, columns)
        # Notes are shown in a window that has no styles for KaTeX, and every browser knows MathML.
        maths = [re.search("<math.*?</math>", formula, re.S)[0] for formula in self.formulas]
        notes = re.compile('<aside class="notes">.*?</aside>', re.S)
        return put_back(notes.sub(lambda it: put_back(it[0], maths), columns), self.formulas)
