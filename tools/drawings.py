"""Draw every figure of the book as SVG, and pack them with captions and licence: `make svg`.

    python tools/drawings.py _build/html _build/svm-figures.zip

The notebooks store pictures made of pixels, so they are run once more, with matplotlib asked for
SVG. A drawing is named by its number and its anchor on the page, from which the captions come, and
contains its credit. A player has a drawing for each frame, an explorable one of its still.
"""

import base64
import csv
import html
import io
import re
import sys
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell
from pages import FORMULA, settings, tex_of
from sources import execute
from tqdm import tqdm

from _ext.zips import write_zip  # the project's own folder is installed

# Players and explorables save their figures themselves; all others use a format, which the house
# style would set to pixels again.
SETTINGS = """
import matplotlib
from matplotlib.figure import Figure
from matplotlib_inline import backend_inline

def save_as_svg(figure, file, *, save=Figure.savefig, **_):
    save(figure, file, format="svg", metadata={"Date": None})

def choose_svg(*_, choose=backend_inline.set_matplotlib_formats):
    choose("svg", metadata={"Date": None})

Figure.savefig = save_as_svg
backend_inline.set_matplotlib_formats = choose_svg
matplotlib.rcParams["svg.hashsalt"] = "svm"
"""
LICENCE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
README = """{title}: the figures, as SVG

{author}. {licence}
Take what you need, and say where it is from. A drawing is named by its number in the book and its
anchor on the page. figures.csv has for each its page, its caption, with formulas as TeX, and a
description for those who cannot see it.
"""


def captions(file):
    """Yield number, anchor, caption and description of each figure of a page."""
    page = file.read_text(encoding="utf-8")
    texts = FORMULA.sub(lambda it: html.escape(f"${tex_of(it[0])}$".replace("$$", "")), page)
    article = BeautifulSoup(texts, "html.parser").article
    for figure in article.select("figure[id]:has(.caption-number)"):
        number, caption = (
            " ".join(figure.select_one(f"figcaption .caption-{part}").get_text().split())
            for part in ("number", "text")
        )
        yield number.removeprefix("Fig. "), figure["id"], caption, figure.img["alt"]


def draw(path):
    """Run a notebook; return the drawings of each of its figures."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, new_code_cell(SETTINGS))
    execute(notebook, path)
    drawings = {}
    for cell in notebook.cells:
        if name := cell.metadata.get("mystnb", {}).get("figure", {}).get("name"):
            bundles = [output.data for output in cell.outputs if "data" in output]
            drawings[name] = [drawing for bundle in bundles for drawing in drawn(bundle)]
    return drawings


def drawn(bundle):
    """Return the drawings of an output: several, if it has frames."""
    if "image/svg+xml" in bundle:
        return [bundle["image/svg+xml"]]
    pictures = re.findall('src="data:image/png;base64,([^"]+)"', bundle.get("text/html", ""))
    return [base64.b64decode(picture).decode() for picture in pictures]


def signed(drawing, title, description, credit):
    """Put title, description and credit into a drawing."""
    said = f"<title>{html.escape(title)}</title>\n<desc>{html.escape(description)} {credit}</desc>"
    return re.sub(r"(<svg\b[^>]*>)", lambda it: f"{it[1]}\n{said}", drawing, count=1)


def collect(pages, notebooks, config):
    """Return the contents of the zip: a drawing or more for each figure of the pages."""
    credit = f"{config['title']}, {config['author']}. {LICENCE}"
    contents, table = {}, io.StringIO()
    lines = csv.writer(table)
    lines.writerow(["figure", "file", "page", "caption", "description", "licence"])
    for path in tqdm(notebooks, unit="notebook"):
        page = f"{path.parent.name}/{path.stem}.html"
        drawings = draw(path)
        for number, anchor, caption, description in captions(pages / page):
            frames = drawings[anchor]
            for k, drawing in enumerate(frames, 1):
                frame = f"-{k}" if len(frames) > 1 else ""
                name = f"{number}-{anchor.removeprefix('fig-')}{frame}.svg"
                made = signed(drawing, f"Fig. {number}. {caption}", description, credit)
                contents[name] = made.encode()
                place = f"{page}#{anchor}"
                lines.writerow([number, name, place, caption, description, LICENCE])
            if not frames:
                raise ValueError(f"{page}: nothing was drawn for {anchor}")
    readme = README.format(licence=LICENCE, **config)
    return contents | {"figures.csv": table.getvalue().encode(), "README.txt": readme.encode()}


def main():
    pages, made = (Path(argument).resolve() for argument in sys.argv[1:])
    config = settings("config")
    notebooks = sorted(Path.cwd().glob("chapters/*.ipynb"))
    notebooks += sorted(Path.cwd().glob("reference/*.ipynb"))
    contents = collect(pages, notebooks, config)
    write_zip(made, contents)
    print(f"{made}: {sum(name.endswith('.svg') for name in contents)} drawings")


if __name__ == "__main__":
    main()
