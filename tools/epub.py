"""Pack the built pages into an e-book: `make epub`.

    python tools/epub.py _build/html

Its chapters are those of the PDF (see paper.py): without hidden code, with solutions at the end,
and with figures that stand still. An e-book is XHTML in a zip. Formulas are the MathML of the
pages, with their TeX for programs that cannot display it. Pictures are PNG, because older programs
do not know WebP.
"""

import html
import io
import re
import sys
import time
import unicodedata
import uuid
from importlib.metadata import version
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlsplit

from matplotlib.figure import Figure
from pages import make, put_back, settings
from paper import Book
from PIL import Image
from pygments.formatters import HtmlFormatter

from _ext.zips import date, write_zip

HERE = Path(__file__).parent
NAME = "support-vector-machines.epub"
COVER = "01_geometry.fig-optimal"  # the figure on it
NAMESPACES = {"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}
PROPERTIES = {"math": "mathml", "svg": "svg"}  # what a file has to declare
FORBIDDEN = re.compile(
    r"\n *(?:-webkit-mask-image|mask-image|direction):.*"
)  # in styles of e-books
KINDS = {
    "xhtml": "application/xhtml+xml",
    "css": "text/css",
    "woff2": "font/woff2",
    "png": "image/png",
}
CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="en" xml:lang="en">
<head>
<title>$title</title>
<link rel="stylesheet" href="math.css"/>
<link rel="stylesheet" href="book.css"/>
</head>
<body>
$body
</body>
</html>
"""


class Ebook(Book):
    """The book as files, by their names."""

    def __init__(self, folder, toc, config, cover=COVER):
        super().__init__(folder, toc, config)
        self.folder, self.pictures = folder, {}
        parts = [(caption, [page.article for page in pages]) for caption, pages in self.parts]
        self.groups = [("", [self.front.article]), *parts, (self.told, list(self.answers()))]
        self.articles = [article for _, articles in self.groups for article in articles]
        self.cover = next(filter(None, (a.find(id=cover) for a in self.articles))).img["src"]
        self.places = {
            element["id"]: f"{article['id']}.xhtml"
            for article in self.articles
            for element in [article, *article.select("[id]")]
        }
        for article in self.articles:
            self.adapt(article)

    def adapt(self, article):
        """Write a chapter as XHTML that stands on its own."""
        for heading in article.find_all(re.compile("^h[2-6]$")):
            heading.name = f"h{int(heading.name[1]) - 1}"
        for link in article.select(".there"):
            link.string = "solution" if "solution" in link.get_text() else "exercise"
        for number in article.select("[data-page]"):
            number.decompose()
        for link in article.select("a[href^='#']"):
            link["href"] = self.places[link["href"][1:]] + link["href"]
        for label in article.select("label"):
            label.name, label.attrs = "p", {"class": "tab"}
        for film in article.select(".film"):
            for frame in film("figure")[1:-1]:
                frame.decompose()
        for drawing in article.select("svg"):
            drawing["xmlns"] = NAMESPACES["svg"]
        for element in article.select("[role^='doc-']"):  # EPUB has given up most of them
            del element["role"]
        for image in article.select("img"):
            image["src"] = self.picture(image["src"])
            del image["width"], image["height"]

    def picture(self, address):
        """Keep a picture once; return its name."""
        file = Path(unquote(urlsplit(address).path))
        name = f"{file.stem}.png"
        if name not in self.pictures:
            self.pictures[name] = as_png(Image.open(file))
        return name

    def page(self, article, part=""):
        """Return the text of a file; the first file of a part has the part's name above."""
        if part:
            article.insert(0, make("p", part, class_="part"))
        body = put_back(article.decode(formatter="minimal"), self.formulas)
        body = body.replace("<math ", f'<math xmlns="{NAMESPACES["math"]}" ')
        title = html.escape(self.words(article.h1))
        return Template(PAGE).substitute(title=title, body=body.replace(" data-tex=", " alttext="))

    def words(self, heading):
        """Return a heading as plain text, for places that cannot show a formula."""
        text = put_back(heading.decode_contents(formatter="minimal"), self.formulas)
        text = html.unescape(re.sub("<[^>]*>", "", text))
        return " ".join(unicodedata.normalize("NFKC", text).split())

    def line(self, heading):
        """Return an entry of the contents."""
        place = heading.parent["id"]
        address = self.places[place] + ("" if heading.name == "h1" else f"#{place}")
        return make("li", make("a", self.words(heading), href=address))

    def contents(self):
        """Return the contents: parts, chapters, numbered sections."""
        whole = make("ol")
        for part, articles in self.groups:
            lines = make("ol")
            for article in articles:
                line = self.line(article.h1)
                sections = article.select("h2:has(.section-number)")
                if sections:
                    line.append(make("ol", *map(self.line, sections)))
                lines.append(line)
            whole.extend([make("li", make("span", part), lines)] if part else list(lines))
        nav = make("nav", make("h1", "Contents"), whole, id="toc")
        nav["epub:type"] = "toc"
        return Template(PAGE).substitute(title="Contents", body=nav.decode(formatter="minimal"))

    def files(self):
        """Return name and content of each file, in the order of the book."""
        alt = html.escape(f"{self.config['title']}: cover")
        image = f'<section class="cover"><img src="cover.png" alt="{alt}"/></section>'
        title = html.escape(self.config["title"])
        found = {"cover.xhtml": Template(PAGE).substitute(title=title, body=image)}
        found["contents.xhtml"] = self.contents()
        for part, articles in self.groups:
            for article in articles:
                found[f"{article['id']}.xhtml"] = self.page(article, part)
                part = ""
        math = self.folder / "_static" / "math"
        style = (math / "math.css").read_text(encoding="utf-8")
        found["math.css"] = FORBIDDEN.sub("", style)
        found["math.woff2"] = (math / "math.woff2").read_bytes()
        code = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".highlight")
        found["book.css"] = code + (HERE / "epub.css").read_text(encoding="utf-8")
        found["cover.png"] = draw_cover(self.config, self.cover)
        found = {n: c.encode() if isinstance(c, str) else c for n, c in found.items()}
        return found | self.pictures

    def package(self, files):
        """Return what a program reads first: author, files and their order."""
        items, spine = [], []
        for number, (name, content) in enumerate(files.items()):
            kind = name.rpartition(".")[2]
            said = [word for sign, word in PROPERTIES.items() if f"<{sign} ".encode() in content]
            said = said if kind == "xhtml" else []
            said += {"contents.xhtml": ["nav"], "cover.png": ["cover-image"]}.get(name, [])
            properties = f' properties="{" ".join(said)}"' if said else ""
            items.append(
                f'<item id="f{number}" href="{name}" media-type="{KINDS[kind]}"{properties}/>'
            )
            spine += [f'<itemref idref="f{number}"/>'] * (kind == "xhtml")
        described = f"{self.config['title']} {version('svmlib')}, solutions: {self.solved}"
        settings = {key: html.escape(str(value)) for key, value in self.config.items()}
        return Template((HERE / "epub.opf").read_text(encoding="utf-8")).substitute(
            settings,
            identifier=uuid.uuid5(uuid.NAMESPACE_URL, described),
            date=time.strftime("%Y-%m-%dT%H:%M:%SZ", date()),
            items="\n".join(items),
            spine="\n".join(spine),
        )


def as_png(image):
    made = io.BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def draw_cover(config, picture):
    """Draw the title above a figure of the book."""
    figure = Figure(figsize=(6, 9), dpi=200, facecolor="white")
    title = config["title"].replace(" ", "\n")
    figure.text(0.08, 0.93, title, fontsize=38, fontweight="bold", va="top", linespacing=1.1)
    figure.text(0.08, 0.66, "A course in executable notebooks", fontsize=15, color="#444")
    figure.text(0.08, 0.05, config["author"], fontsize=15, color="#444")
    axes = figure.add_axes((0.04, 0.1, 0.92, 0.52))
    with Image.open(Path(unquote(urlsplit(picture).path))) as image:
        axes.imshow(image.convert("RGB"), interpolation="lanczos")
    axes.set_axis_off()
    made = io.BytesIO()
    figure.savefig(made, format="png")
    return made.getvalue()


def write(path, book):
    """Pack the files; the first file declares their type."""
    files = book.files()
    contents = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": CONTAINER.encode(),
        "book/package.opf": book.package(files).encode(),
    }
    write_zip(path, contents | {f"book/{name}": files[name] for name in files}, "")
    return len(files)


def main():
    folder = Path(sys.argv[1]).resolve()
    count = write(folder / NAME, Ebook(folder, settings("toc"), settings("config")))
    print(f"{folder / NAME}: {count} files")


if __name__ == "__main__":
    main()
