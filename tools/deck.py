"""Which parts of a built page are on slides: the rule by which `slides` makes a deck.

In the order of the page and as far as the summary: how a section begins and how it ends; every
statement, with its proof if that is short and open; every displayed formula, list, quotation and
table, and what cells print in ten lines or fewer, between the words that lead to it and those that
explain it; every figure, alive where it is alive, in place of what is printed just before it; each
sentence that defines a word, with those that it leans on; of functions those that the text names or
that carry out an algorithm beside them, if they fill half a slide and no more than one. What fits
shares a slide, words with a figure, too. Exercises for the class follow their unit; summary and
quiz come last. What else is on the page is in the notes of the slide before it, or of the one it
leads to; other code and second readings are on the page alone.
"""

import posixpath
import re
from collections import defaultdict
from copy import copy
from itertools import accumulate, pairwise, takewhile
from math import ceil
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup
from pages import make, parse, put_back, tex_of

SCRIPTS = re.compile(r"_static/(?:book\.js|explorables/)")
STYLES = re.compile(r"_static/(?:math/|explorables/)")
PARTS = ("_static/icons.css", "_static/pygments.css")  # of the style sheet of the pages
SCREEN = ".headerlink, .sd-summary-state-marker, script:not([type]), details.hide"
HEADINGS = ("h1", "h2", "h3", "h4")
AFTER = ("second-reading", "exercises", "quiz", "further-reading")  # what is not the main line
LED = ("argument", "printed")  # what is shown with the words that lead to it
WORDS = 60  # of a section's beginning, to the end of a sentence
BACK = r"(?:This|That|These|Those|They|It|Its|So|Then|Both|And|But|There)\b"  # to the one before
END = re.compile(rf"[.?!](?:\)|”?(?!\S*\s+{BACK}))(?:</[^>]+>)*\s+(?=[A-Z“<(])")  # of a sentence
LINK = re.compile(r'<a (?![^>]*"[^"]*#term-).*?</a>', re.S)  # but of a word of the glossary
TERM = re.compile("<strong>|<em>[^<.]*</em>|#term-")  # what has emphasis or is defined
FUNCTION = re.compile(r"^def (\w+).*?(?=^[^\s)]|\Z)", re.M | re.S)
SIGN = re.compile(r"\\(?:\w+|.)|[^\s{}_^&]")  # of TeX
NUMBER = re.compile(r"^(?!.*: True$).*\d", re.M)  # in what a cell prints, not a check alone
LEGEND = re.compile(r"\b(?:lines?|rows?|columns?)\b")  # in parentheses below it
PRINTED = range(4, 11)  # lines: fewer need words that lead to them, more are not shown
CODE = range(8, 19)  # lines of a function
LEAF = "p, pre, li, tr, div.math"
ASIDE = re.compile(r"\(.*\)\s*", re.S)
ROW = 80  # letters
ROOM, FULL = 12 * ROW, 14 * ROW  # of a slide; words that conclude, and questions, may fill it
HALF = 6 * ROW
BESIDE = 6 * ROW  # of a figure, caption and words


def blocks(section):
    """Yield the contents of a section and its subsections, in the order of reading."""
    for block in section.find_all(recursive=False):
        if block.name == "section":
            yield from blocks(block)
        else:
            yield block


def sentences(paragraph):
    """Divide a paragraph into sentences; links are not divided, and opening words stay in front."""
    inner, found = paragraph.decode_contents(), [""]
    ends = [end.end() for end in END.finditer(inner)]
    for start, end in pairwise([0, *ends, len(inner)]):
        found[-1] += inner[start:end]
        closed = found[-1].count("</") == len(re.findall(r"<\w", found[-1]))
        closed = closed and found[-1].count("(") <= found[-1].count(")")
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
    """Return the paths of the other files that a deck needs."""
    addresses = (urlsplit(element[attribute]).path for element in elements)
    return [path.removeprefix("../") for path in addresses if wanted.search(path)]


def leads(block):
    return block.name == "p" and block.get_text().rstrip().endswith((":", "?"))


def is_cell(block):
    return "cell" in block.get("class", ())


def is_output(block):
    return "cell_output" in block.get("class", ())


def look(figure):
    """Return whether a figure is interactive or, if not, whether it is wide."""
    if figure.select_one(".explorable, .frame-player"):
        return "alive"
    return "wide" if int(figure.img["width"]) > 1.6 * int(figure.img["height"]) else "still"


class Slide:
    """A slide: its contents, its heading and its notes."""

    def __init__(self, kind, heading, notes):
        self.kind, self.heading, self.notes, self.shown = kind, heading, notes, []
        self.before = len(notes)  # those that lead to it

    def html(self, *kinds):
        heading = make("h2", *(copy(part) for part in self.heading))
        for k, figure in enumerate(self.shown):
            if figure.name == "figure":
                kinds += (look(figure),)
                caption = figure.figcaption.extract()
                words = [*self.shown[:k], caption, *self.shown[k + 1 :]]
                figure.append(make("div", *words, class_="words"))
                self.shown = [figure]
                break
        room = make("div", make("div", *self.shown, class_="zoom"), class_="room")
        notes = make("aside", *self.notes, class_="notes")
        for element in notes("section"):
            element.unwrap()  # it would be a slide
        for element in notes.select("[id]"):
            del element["id"]
        return str(make("section", heading, room, notes, class_=" ".join((self.kind, *kinds))))


class Deck:
    """The slides of a built page, a column for each of its sections."""

    def __init__(self, folder, name, question, told, solved):
        self.name, self.question, self.told, self.solved = name, question, told, solved
        self.formulas = []
        page = parse(folder / "chapters" / f"{name}.html", self.formulas)
        self.tex = [tex_of(formula) for formula in self.formulas]
        self.scripts = local(page.head.select("script[src]"), "src", SCRIPTS)
        self.styles = [*PARTS, *local(page.head.select("[rel=stylesheet]"), "href", STYLES)]
        canonical = page.head.select_one("[rel=canonical]")
        self.base = urljoin(canonical["href"], ".") if canonical else "../html/chapters/"
        article = page.article
        for element in article.select(SCREEN):
            element.decompose()
        self.files = {*self.scripts, *self.styles, "_static/favicon.svg", "_static/icons.woff2"}
        for image in article("img"):
            image["src"] = image["src"].removeprefix("../")
            del image["loading"], image["style"]
            self.files.add(image["src"])
        self.chapter = article.section
        self.title = " ".join(self.chapter.h1.get_text().split())
        self.titles, self.columns, self.column, self.places, self.ahead = {}, {}, [], [], []
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
        self.later = [title.parent for title in self.chapter.select("#second-reading :is(h3, h4)")]
        for part in self.later:  # what the class solves of it comes last
            self.solved["exercises"] += self.solved[part["id"]]
        starts = [k for k, block in enumerate(main) if block.name in HEADINGS]
        for start, end in zip(starts, [*starts[1:], len(main)], strict=True):
            self.part(*main[start:end])
        self.begin("exercises", "Exercises")
        self.quiz()

    def letters(self, *parts):
        """Return how much room blocks need, in letters of full rows."""
        return sum(map(self.size, parts))

    def size(self, part):
        """Return the room for a block; a command of TeX is a letter, a display has rows."""
        if part.name == "figure":
            free = BESIDE - len(part.figcaption.get_text())
            return ROOM if look(part) == "alive" else ROOM - max(0, free)
        if part.name in ("table", "tr"):
            return sum(map(self.size, part("tr"))) or max(map(self.size, part(["td", "th"])))
        inside = [it for it in part.select(LEAF) if not it.select(LEAF)]
        if inside:
            return self.letters(*inside)
        if part.name == "pre":
            return ROW * 0.7 * len(part.get_text().strip("\n").split("\n"))
        size = len(part.get_text())
        for place in part("i-tex"):
            tex = self.tex[int(place.string)]
            display = "display" in place.parent.get("class", ())
            size += ROW * (2 + tex.count(r"\\")) if display else len(SIGN.findall(tex))
        return ROW * ceil(size / ROW)

    def divided(self, blocks, room=ROOM):
        """Divide blocks, and long lists, into as many groups as need a slide each."""
        parts = []
        for part in (part for block in blocks for part in self.items(block)):
            small = part.name == "p" and part.get_text()[:1].islower()
            if not parts or not (small or "math" in part.get("class", ())):
                parts.append([])  # and else it goes on with a sentence
            parts[-1].append(part)
        sizes = [self.letters(*part) for part in parts]
        share = sum(sizes) / ceil(sum(sizes) / room)
        groups = defaultdict(list)
        for part, size, end in zip(parts, sizes, accumulate(sizes), strict=True):
            groups[int((end - size / 2) / share)].extend(part)
        return list(groups.values())

    def items(self, block):
        """Make a list of each item of a list that is long."""
        if block.name not in ("ol", "ul") or self.letters(block) < HALF:
            return [block]
        items = enumerate(block("li", recursive=False), int(block.get("start", 1)))
        return [make(block.name, item, start=k) for k, item in items]

    # What is shown, and what is said

    def begin(self, anchor, *heading):
        """Begin a section, after the exercises of the section before."""
        self.settle()
        self.say(*self.ahead)
        for k, box in enumerate(box for place in self.places for box in self.solved[place]):
            if not k:
                self.head("Exercises for the class")
                self.leading = False
                self.add()
            self.statement(self.chapter.find(id=box))
        self.section = self.heading = self.titles[anchor] = list(heading)
        self.places = [anchor]
        self.ahead, self.leading = [], False  # notes of the slide that comes first
        self.column = self.columns[anchor] = []

    def head(self, *heading):
        self.heading = [*self.section, " · ", *heading]

    def add(self, kind="text", *shown):
        """Add a slide; notes that name its figure, or end in a question or colon, lead to it."""
        self.settle(self.heading)
        before = self.column[-1].notes if self.column else []
        here = {f"#{block.get('id')}" for block in shown if block.name == "figure"}
        names = [k for k, note in enumerate(before) if any(a["href"] in here for a in note("a"))]
        if self.leading:
            names.append(len(before) - 1)
        start = max(names[0], self.column[-1].before) if names else len(before)
        self.column.append(Slide(kind, self.heading, [*before[start:], *self.ahead]))
        self.column[-1].shown.extend(shown)
        del before[start:]
        self.ahead, self.fresh, self.leading = [], False, False

    def settle(self, heading=None):
        """Move to the notes what would be alone on a slide: an output, or one or two lines."""
        *before, last = self.column or [Slide("", [], [])]
        goes_on = before and before[-1].heading is last.heading
        words = {block.name for block in last.shown} == {"p"}
        short = words and self.letters(*last.shown) <= 2 * ROW
        longer = before and (goes_on or heading is last.heading)
        if (short and longer) or (before and all(map(is_output, last.shown))):
            self.column.pop()
            notes = [*last.notes[: last.before], *last.shown, *last.notes[last.before :]]
            (self.column[-1].notes if goes_on else self.ahead).extend(notes)

    def put(self, *blocks, kind="text"):
        """Show blocks on the last slide if there is room, and else on a new one."""
        if self.goes_on(*blocks, kind=kind):
            slide = self.column[-1]
            slide.shown.extend(blocks)
            slide.notes.extend(self.ahead)
            slide.heading, self.ahead, self.fresh, self.leading = self.heading, [], False, False
        else:
            self.add(kind, *blocks)

    def goes_on(self, *blocks, kind="text"):
        """Return whether blocks belong to the last slide, and fit."""
        slide = self.column[-1] if self.column else Slide("", [], [])
        opens = slide.heading is self.section and len(self.column) == 1
        same = slide.kind == kind and (slide.heading is self.heading or opens)
        return same and self.fit(*slide.shown, *blocks)

    def fit(self, *blocks):
        """Return whether blocks fit on one slide; only words fit beside a figure."""
        names = {block.name for block in blocks}
        words = blocks[-1].name == "p" or "question" in blocks[-1].get("class", ())
        room = FULL if words and "figure" not in names else ROOM
        alike = "figure" not in names or names <= {"figure", "p"}
        return alike and self.letters(*blocks) <= room

    def say(self, *elements):
        notes = self.column[-1].notes if self.column else self.ahead
        notes.extend(elements)
        self.leading = bool(self.column) and any(map(leads, elements[-1:]))

    def tell(self, block):
        """Put a block into the notes, of a cell its output; show the sentences that must be."""
        if block.name == "p":
            self.words(sentences(block))
        elif not is_cell(block):
            self.say(copy(block))
        elif block.select(".output pre"):
            self.say(copy(block.select_one(".output pre")))

    def words(self, parts):
        """Show a section's beginning, explanations of formulas and emphasis; note the others."""
        legend = self.fresh and LEGEND.search(parts[0])
        able = [k for k, part in enumerate(parts) if part[0] != "(" or legend]
        fresh = beginning([parts[k] for k in able])
        count = fresh if self.fresh else int(parts[0][0].islower())
        wanted = {*able[:count], *(k for k in able if TERM.search(LINK.sub("", parts[k])))}
        shown = [re.sub(r":((?:</\w+>|\s)*)$", r".\1", parts[k]) for k in sorted(wanted)]
        if shown:
            self.put(*paragraph(*shown))
        self.say(*paragraph(*(part for k, part in enumerate(parts) if k not in wanted)))

    def lead(self, words, *blocks):
        """Show blocks after the paragraph that leads to them, or after its end if it is long."""
        told = [part for it in words for part in sentences(it)]
        parts = [part for part in told if not ASIDE.fullmatch(part)]
        if len(parts) > 1 and (self.letters(*words) > HALF or self.letters(*words, *blocks) > ROOM):
            self.words(parts[:-1])
            parts = parts[-1:]
        self.put(*paragraph(*parts), *blocks)
        self.say(*paragraph(*filter(ASIDE.fullmatch, told)))

    def part(self, heading, *content):
        """Make the slides of the contents of one heading, whatever its level."""
        anchor = heading.parent["id"]
        told = self.told.get(anchor if heading.name != "h1" else "", ())
        page = make("a", "On the page", href=f"{self.name}.html#{anchor}")
        if heading.name in ("h1", "h2"):
            self.begin(anchor, *heading.contents)
            self.ahead = [make("div", page), *told]
            if heading.name == "h1":
                self.add("title", make("p", self.question))
        else:
            self.head(*heading.contents)
            self.ahead.extend(told)
            self.places.append(anchor)
        self.fresh = heading.name != "h1"
        if anchor == "summary":
            for part in self.later:
                title = make("a", part.find(["h3", "h4"]).get_text(), href=f"#{part['id']}")
                told = self.told.get(part["id"], ())
                self.ahead += [make("div", title), *told] if told else []
            items = [item for part in content for item in part("li", recursive=False)]
            for group in self.divided(items, 1.5 * ROOM):
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
        alone = all(it.name == "p" for it in content)
        if alone and 0 < self.letters(*content) <= HALF:
            self.put(*waiting)
            return
        for k, told in enumerate(waiting):
            last = told.name == "p" and k == len(waiting) - 1 and not alone
            concludes = last and not ASIDE.fullmatch(told.get_text())
            self.fresh |= alone or concludes
            if concludes and self.letters(told) <= HALF:
                self.lead([told])
            else:
                self.tell(told)

    def kind(self, k, content):
        block, classes = content[k], content[k].get("class", ())
        if "proof" in classes:
            return "statement" if block.get("id") else "proof"
        if block.figure:
            return "figure"
        listed = block.name in ("ol", "ul", "blockquote", "table") or block.find(["table", "dl"])
        if listed or "math" in classes:
            return "argument"
        if "note" in classes:
            return "goals"
        if is_cell(block):
            printed = block.select_one(".output pre")
            drawn = any(it.figure for it in content[k + 1 : k + 2])
            told = not drawn and printed and NUMBER.search(printed.get_text())
            return "code" if self.central(block) else "printed" if told else ""
        return ""

    def central(self, block):
        """Return the lines, first and last, of the functions of a cell that are shown."""
        code = block.select_one(".cell_input pre")
        text = code.get_text() if code and len(self.columns) > 1 else ""
        beside = block.find_parent("section").select(".algorithm")
        shown = []
        for function in FUNCTION.finditer(text):
            start, size = text.count("\n", 0, function.start()), function[0].strip().count("\n") + 1
            if size in CODE and (beside or function[1] in self.named):
                shown.append(slice(start, start + size))
        return shown

    def argument(self, block, words):
        """Show a formula, list, quotation or table."""
        for group in self.divided([block]):
            self.lead(words, *group)
            words = []

    def printed(self, block, words):
        """Show a cell's output after the words that lead to it, or a table before what follows."""
        output = block.select_one(".cell_output")
        count = len(output.get_text().strip().splitlines())
        if count in PRINTED or (count < PRINTED.stop and (words or self.goes_on(output))):
            self.lead(words, output)
            self.fresh = True
        else:
            for told in (*words, block):
                self.tell(told)

    def code(self, block):
        """Show functions and what the cell prints."""
        lines = block.select_one(".cell_input pre").decode_contents().split("\n")
        for kept in self.central(block):
            source = "\n".join(lines[kept])
            made = BeautifulSoup(f"<pre>{source}</pre>", "html.parser")
            self.add("code", make("div", made, class_="cell_input highlight"))
        self.tell(block)

    def proof(self, block):
        """Show a proof that is short and open below what it proves."""
        last = self.column[-1].shown if self.column else []
        if last and "proof" in last[-1].get("class", ()) and self.fit(*last, block):
            last.append(block)
        else:
            self.say(copy(block))

    def goals(self, block):
        able, *others = block("p")[1:]
        parts = re.split(r";\s+", able.decode_contents())
        first, parts[0] = re.match(r"(<strong>.*?</strong>)\s*(.*)", parts[0], re.S).groups()
        items = "".join(f"<li>{part.rstrip('.')}</li>" for part in parts)
        made = BeautifulSoup(f"<p>{first}</p><ul>{items}</ul>", "html.parser")
        self.column[0].shown.extend(made(recursive=False))
        self.column[0].notes.extend(others)

    def statement(self, block):
        title, content = block.p, block.section.find_all(recursive=False)
        for k, group in enumerate(self.divided(content)):
            box = make("div", copy(title), *group, class_=" ".join(block["class"]))
            if k:
                box.p.append(" continued")
            else:
                box["id"] = block["id"]
            self.put(box)

    def figure(self, block):
        self.put(block.figure)

    def quiz(self):
        self.begin("questions", "Quiz")  # on a page, book.js counts the answers in #quiz
        for question in self.chapter.find(id="quiz").select(":scope > p:has(+ details)"):
            choices, notes = make("ul"), []
            box = make("div", copy(question), choices, class_="question")
            for answer in takewhile(lambda it: it.name == "details", question.find_next_siblings()):
                choice = make("li", *answer.select_one(".sd-summary-text").contents)
                choices.append(choice)
                reason = answer.select_one(".sd-summary-content")
                if reason.get_text().strip().startswith("Right"):
                    choice["class"], reason["class"] = "right", "fragment"
                    box.append(reason)
                else:
                    notes += [make("p", *copy(choice).contents), *reason("p")]
            self.put(box, kind="quiz")
            self.say(*notes)

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
            f'<section id="{anchor}">'
            + "".join(slide.html(*(["opening"] * (not k))) for k, slide in enumerate(column))
            + "</section>\n"
            for anchor, column in self.columns.items()
            if column
        )
        self.shown = set(re.findall(' id="([^"]*)"', columns))
        columns = re.sub(' href="([^"]*)"', self.target, columns)
        return put_back(columns, self.formulas)
