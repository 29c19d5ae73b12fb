"""What is packed to be taken along: complete, and the same for the same files."""

import csv
import io
import re
import xml.etree.ElementTree as ET
import zipfile
from types import SimpleNamespace

import drawings
import editions
import front_page
import nbformat
import pytest
from docutils import nodes
from nbformat.v4 import new_code_cell, new_notebook

LATER = ("book.pdf", "slides/index.html", "notebooks/svm-figures.zip")
FRONT = """<a class="sd-btn" href="notebooks/svm-pages.zip"><span>Get the pages</span></a>
<a href="chapters/one.html#top">One</a> <a href="book.pdf">paper</a> <a href="https://x.org/a.pdf">x</a>
<a href="slides/index.html">slides</a>
<link href="_static/book.css?v=1">"""
ONE = """<a class="btn" href="../notebooks/one.ipynb" title="Download"><i></i>.ipynb</a>
<a href="../index.html">front</a>, <a class="reference" href="../notebooks/svm.zip">the zip</a>."""
FIGURE = """<article><figure id="fig-{name}"><img alt="What {name} shows." src="x.webp"><figcaption>
<p><span class="caption-number">Fig. {number} </span><span class="caption-text">Of {name} &amp;
<math data-tex="f&lt;0"><mi>f</mi><mo>&lt;</mo></math><wbr><math data-tex="">
<mn>0</mn></math>.</span></p></figcaption>
</figure></article>"""
DRAWN = {
    "line": "import matplotlib.pyplot as plt\nplotting.use_style()\nplt.plot([0, 1])\nplt.show()",
    "film": "from svmlib.book.player import FramePlayer\n"
    "FramePlayer('film', lambda figure, k: figure.subplots().plot([0, k]), ['a', 'b'])",
}


@pytest.mark.parametrize("base", ["", "https://book.example/svm/"])
def test_no_link_of_the_packed_pages_leads_to_a_file_that_is_not_there(tmp_path, base):
    made = {"index.html": FRONT, "chapters/one.html": ONE, "_static/book.css": "", "book.pdf": "-"}
    made |= {"notebooks/one.ipynb": "{}", ".buildinfo": "", "slides/index.html": "-"}
    for name, text in made.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    config = SimpleNamespace(html_baseurl=base, book_installed=False)
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), config=config, outdir=tmp_path)
    editions.pack_pages(app, None)
    file = tmp_path / "notebooks" / "svm-pages.zip"
    with zipfile.ZipFile(file) as packed:
        pages = {name.removeprefix("svm-pages/"): packed.read(name) for name in packed.namelist()}
    assert pages.keys() == {"index.html", "chapters/one.html", "_static/book.css"}
    front, one = (pages[name].decode() for name in ("index.html", "chapters/one.html"))
    assert 'href="chapters/one.html#top"' in front
    assert 'href="https://x.org/a.pdf"' in front
    away = {*re.findall('href="(https://book.ex[^"]+)"', front + one)}
    names = "book.pdf", "slides/index.html", "notebooks/one.ipynb", "notebooks/svm.zip"
    assert away == {base + name for name in ("notebooks/svm-pages.zip", *names) if base}
    assert not re.findall('href="[./]*(?:notebooks/|slides/|book.pdf)', front + one)
    assert ("Get the pages" in front) == bool(base), "a button that leads nowhere is none"
    assert "the zip" in one


@pytest.mark.parametrize("there", [(), LATER[:1], LATER[1:], LATER], ids=str)
def test_the_front_page_offers_what_was_made_and_nothing_else(tmp_path, there):
    for name in there:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("-")
    always = ["a.html", "https://x.org/a.pdf"]
    links = [nodes.reference("", "", nodes.Text(name), refuri=name) for name in [*LATER, *always]]
    button, *others = links
    buttons, text = nodes.container("", nodes.paragraph("", "", button)), nodes.paragraph()
    text.extend([nodes.Text("See "), *others])
    page = nodes.container("", buttons, text)
    config, builder = SimpleNamespace(root_doc="index"), SimpleNamespace(format="html")
    app = SimpleNamespace(config=config, builder=builder, outdir=tmp_path, env=SimpleNamespace())
    assert front_page.look_for_files(app, app.env, (), (), ()) == ["index"] * bool(there)
    assert front_page.look_for_files(app, app.env, (), (), ()) == []
    front_page.offer_files(app, page, "index")
    assert {link["refuri"] for link in page.findall(nodes.reference)} == {*there, *always}
    assert text.astext() == "See " + "".join([*LATER[1:], *always])
    assert bool(buttons.children) == (LATER[0] in there)


@pytest.fixture
def chapter(tmp_path):
    cells = [new_code_cell("from svmlib.book import plotting\n\nplotting.use_style()")]
    cells += [
        new_code_cell(code, metadata={"mystnb": {"figure": {"name": f"fig-{name}"}}})
        for name, code in DRAWN.items()
    ]
    (tmp_path / "chapters").mkdir()
    notebook = tmp_path / "chapters" / "one.ipynb"
    nbformat.write(new_notebook(cells=cells), notebook)
    figures = [FIGURE.format(name=name, number=f"1.{k}") for k, name in enumerate(DRAWN, 1)]
    page = "<body>" + "".join(figures).replace("</article><article>", "")
    notebook.with_suffix(".html").write_text(page)
    return notebook


def test_every_figure_is_drawn_and_says_what_it_is_and_whose(chapter):
    config = {"title": "Book", "author": "Somebody"}
    made = drawings.collect(chapter.parents[1], [chapter], config)
    names = {"1.1-line.svg", "1.2-film-1.svg", "1.2-film-2.svg"}
    assert made.keys() == {*names, "figures.csv", "README.txt"}
    for name in names:
        number, word = re.match(r"([\d.]+)-(\w+)", name).groups()
        drawing = ET.fromstring(made[name].decode())
        assert drawing.tag.endswith("svg")
        assert drawing[0].text == f"Fig. {number}. Of {word} & $f<0$."
        assert drawing[1].text.startswith(f"What {word} shows. Book, Somebody. CC BY 4.0")
        assert b"<path" in made[name]
        assert b"base64" not in made[name], "pixels"
    rows = list(csv.DictReader(io.StringIO(made["figures.csv"].decode())))
    assert {row["file"] for row in rows} == names
    assert all(row["caption"] and row["description"] and row["licence"] for row in rows)
    assert rows[0]["page"] == "chapters/one.html#fig-line"
    assert made["1.2-film-1.svg"] != made["1.2-film-2.svg"]
