"""Make a deck of slides of each chapter from its built page: `make slides`.

    python tools/slides.py _build/html

reveal.js shows them, because it needs no network and has notes, printing and a clicker's keys.

The rule in deck.py selects the parts of the page that slides show; the notes have all others, with
the lecturer's page on each place. slides.js makes each slide as large as fits.
"""

import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from string import Template

from bs4 import BeautifulSoup
from deck import Deck
from pages import make, parse, put_back, settings

HERE = Path(__file__).parent
REVEAL = Path("node_modules", "reveal.js")  # which npm has fetched
SHOWN_BY = (
    "LICENSE",
    "dist/reset.css",
    "dist/reveal.css",
    "dist/reveal.js",
    "plugin/notes/notes.js",
)


# What other pages say about the chapters


def questions(folder):
    """Return the question of each chapter from the cards of the front page."""
    page = parse(folder / "index.html", [])
    cards = page.select("#the-chapters .sd-card")
    return {
        Path(card.a["href"]).stem: card.select_one(".sd-card-text").get_text() for card in cards
    }


def told(folder):
    """Return what the lecturer's page says about each place.

    These are notes, and what the class solves at the end of a place.
    """
    notes, solved = (defaultdict(lambda: defaultdict(list)) for _ in range(2))
    last, formulas = {}, []
    page = parse(folder / "reference/lecturers.html", formulas)

    def note(link, words):
        path, _, anchor = link["href"].partition("#")
        made = BeautifulSoup(
            f"<div><strong>{put_back(words, formulas)}</strong></div>", "html.parser"
        )
        notes[Path(path).stem][anchor].append(made.div)

    for line in page.select("section:has(> h3) li:has(strong)"):
        if line.strong.get_text() == "Read":
            title = line.find_parent("section").h3.contents[0]
            whole = re.search(r"\d+", line.strong.next_sibling)[0]
            for link in line("a"):
                minutes = re.search(r"\d+", str(link.next_sibling))[0]
                note(link, f"{title}: {minutes} of its {whole} minutes.")
                path, _, last[path] = link["href"].partition("#")
        elif line.strong.get_text() == "Solve":
            here = str(line).partition("at home")[0]
            for link in BeautifulSoup(here, "html.parser")("a"):
                path, _, anchor = link["href"].partition("#")
                if anchor != "quiz":  # whose questions have slides of their own
                    solved[Path(path).stem][last.get(path, "exercises")].append(anchor)
    for row in page.select("#what-students-believe-and-what-cures-it tr:has(td)"):
        said, shown, _ = row("td")
        for link in shown("a"):
            if not link["href"].endswith("#quiz"):  # whose questions have slides of their own
                note(link, f"They say: {said.p.decode_contents()}")
    return notes, solved


def build(folder, made):
    """Write the decks of the pages in a folder, with all files that they need; return them."""
    config = settings("config")
    notes, solved = told(folder)
    decks = [
        Deck(folder, name, question, notes[name], solved[name])
        for name, question in questions(folder).items()
    ]
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(folder / "_static/math", made / "_static/math")
    (made / "_static/slides").mkdir()
    for file in (*(REVEAL / name for name in SHOWN_BY), HERE / "slides.css", HERE / "slides.js"):
        shutil.copy(file, made / "_static/slides")
    for name in {name for deck in decks for name in deck.files}:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, made / name)
    frame = Template((HERE / "slides.html").read_text(encoding="utf-8"))
    lines = []
    for deck in decks:
        page = frame.substitute(
            title=deck.title,
            author=config["author"],
            styles="".join(f'<link rel="stylesheet" href="{name}">\n' for name in deck.styles),
            slides=deck.body(),
            scripts="".join(f'<script defer src="{name}"></script>\n' for name in deck.scripts),
        )
        (made / f"{deck.name}.html").write_text(page, encoding="utf-8")
        sections, last = make("ul"), 0
        for anchor, column in deck.columns.items():
            first, last = last + 1, last + len(column)
            if column:
                link = make("a", *deck.titles[anchor], href=f"{deck.name}.html#/{anchor}")
                sections.append(make("li", link, f": {first} to {last}"))
        title = make("a", deck.title, href=f"{deck.name}.html")
        where = make("details", make("summary", f"{last} slides"), sections)
        lines.append(make("li", title, where))
    whole = Template((HERE / "slides.index.html").read_text(encoding="utf-8"))
    contents = whole.substitute(title=config["title"], decks="".join(map(str, lines)))
    (made / "index.html").write_text(contents, encoding="utf-8")
    return decks


def main():
    folder, made = (Path(argument).resolve() for argument in sys.argv[1:])
    decks = build(folder, made)
    print(f"{made / 'index.html'}: {sum(len(c) for d in decks for c in d.columns.values())} slides")


if __name__ == "__main__":
    main()
