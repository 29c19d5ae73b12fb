"""The book in one file, put together from three small pages: before and after it is printed."""

import re
from collections import Counter
from datetime import UTC, datetime

import paper
import pytest
from bs4 import BeautifulSoup
from pdf import bookmarks
from pikepdf import Array, Pdf, parse_content_stream
from pikepdf.models.metadata import decode_pdf_date

pytestmark = pytest.mark.xdist_group("paper")  # so that it is printed once

TOC = {
    "root": "index",
    "parts": [
        {"caption": "First part", "chapters": [{"file": "chapters/02_late"}]},
        {"caption": "Second part", "chapters": [{"file": "chapters/01_early"}]},
    ],
}
CONFIG = {"title": "A book", "author": "somebody", "copyright": "2026"}
PAGE = """<html><head><link rel="stylesheet" href="{up}_static/book.css?v=1">{canonical}</head>
<body><nav id="menu"><a href="nowhere.html">menu</a></nav><article class="bd-article">{text}
</article></body></html>"""
FORMULA = '<math data-tex="x"><mrow><mi>x</mi></mrow></math>'
CHAPTER = """<section id="top"><h1>{number} {name}
<a class="headerlink" href="#top">#</a></h1>
<p id="same">See <a href="{other}.html#same">there</a>, <a href="../index.html">front</a>,
<a href="../notebooks/all.zip">zip</a>, <a href="https://x.org/#y">x</a> and {formula}.</p>
<details class="hide"><summary>Show the code</summary><pre>hidden = 1</pre></details>
<details class="sd-dropdown"><summary>Proof</summary><div><p>Proved.</p></div></details>
<figure id="fig"><img loading="lazy" alt="A line." src="../_images/line.webp">
<div class="explorable"><img alt="A still." src="../a.webp"><script>{{}}</script></div>
<figcaption><p>A line<span class="alive"> to turn</span>.</p></figcaption></figure>
<div class="exercise" id="ex"><p class="admonition-title">
<span class="caption-number">Exercise {number}1 </span> (Hard)</p></div>
{solution}
<section id="quiz"><h2>Quiz</h2><p><strong>1. Which?</strong></p>
<details class="sd-dropdown"><summary>a) one</summary>
<div class="sd-summary-content"><p>Not quite: no.</p></div></details>
<details class="sd-dropdown"><summary>b) two</summary>
<div class="sd-summary-content"><p><strong>Right.</strong> For a reason.</p></div></details>
</section></section>"""
SOLUTION = """<details class="solution" id="sol"><summary>Solution to Exercise {number}1</summary>
<p>Solved.</p></details>"""
ADDRESS = '<link rel="canonical" href="https://book.example/{name}.html">'


def built(folder, canonical="", solution=SOLUTION):
    (folder / "chapters").mkdir()
    front = "<section id='top'><h1>Front</h1><section id='the-chapters'>cards</section></section>"
    page = PAGE.format(up="", canonical=canonical.format(name="index"), text=front)
    (folder / "index.html").write_text(page)
    for number, name, other in (("1.", "01_early", "02_late"), ("2.", "02_late", "01_early")):
        parts = {"number": number, "formula": FORMULA, "solution": solution.format(number=number)}
        text = CHAPTER.format(name=name, other=other, **parts)
        address = canonical.format(name=f"chapters/{name}")
        page = PAGE.format(up="../", canonical=address, text=text)
        (folder / "chapters" / f"{name}.html").write_text(page)
    return paper.Book(folder, TOC, CONFIG).html()


@pytest.mark.parametrize("canonical", ["", ADDRESS], ids=["from a folder", "published"])
def test_every_link_has_one_place_and_the_order_is_that_of_the_contents(tmp_path, canonical):
    page = BeautifulSoup(built(tmp_path, canonical), "html.parser")
    ids = Counter(element["id"] for element in page.select("main [id]"))
    assert set(ids.values()) == {1}
    inside = [link["href"][1:] for link in page.select("a[href^='#']")]
    assert set(inside) <= set(ids)
    assert "02_late.same" in inside
    assert page.find(id="02_late.same").find("a")["href"] == "#01_early.same"
    heads = [head.get_text().split("#")[0].split() for head in page.select(".page h1, .page h2")]
    heads, order = map(" ".join, heads), ["First part", "2. 02_late", "Second part", "1. 01_early"]
    assert " / ".join(order) in " / ".join(heads)
    outside = {link["href"] for link in page.select("a[href^='http']")}
    for address in ("notebooks/all.zip", "chapters/01_early.html#fig"):
        assert (f"https://book.example/{address}" in outside) == bool(canonical)
    assert not page.select("a[href$='html'], a[href^='..']"), "a file cannot lead to its neighbours"


def test_paper_shows_what_a_reader_needs_and_nothing_that_only_a_screen_has(tmp_path):
    book = built(tmp_path)
    page = BeautifulSoup(book, "html.parser")
    assert not page.select("script, details, input, [loading], nav[id='menu'], .headerlink")
    assert "hidden = 1" not in book
    assert "to turn" not in book
    assert "Proved." in book
    assert book.count(FORMULA) == 2
    assert {image["alt"] for image in page.select("img")} == {"A line.", "A still."}
    assert all(image["src"].startswith(tmp_path.as_uri()) for image in page.select("img"))
    lines = [line.get_text() for line in page.select("figcaption > .alive")]
    assert len(lines) == 2
    assert all("chapters/0" in line and "#fig" in line for line in lines)


def test_solutions_stand_at_the_end_and_lead_to_their_exercises(tmp_path):
    page = BeautifulSoup(built(tmp_path), "html.parser")
    last = page.select("section.answers")
    assert [part.get_text().count("Solved.") for part in last] == [1, 1]
    assert page.get_text().count("Solved.") == 2
    there = page.select_one("[id='01_early.ex'] .there")
    assert there["href"] == "#01_early.sol"
    assert page.find(id="01_early.sol").select_one(".there")["href"] == "#01_early.ex"
    assert [li["value"] for li in page.select("section.answers ol > li")] == ["1", "1"]
    (answer, _) = [li.get_text() for li in page.select("section.answers ol > li")]
    assert re.sub(r"\s+", " ", answer).strip() == "b) two Right. For a reason."
    chapter = page.select_one(".page.in-01_early")
    assert "b) two" in chapter.get_text()
    assert "Right." not in chapter.get_text()


def test_the_student_edition_has_no_solutions_and_says_so(tmp_path):
    book = built(tmp_path, solution="")
    assert "olution" not in BeautifulSoup(book, "html.parser").find(id="contents").get_text()
    assert "Student edition" in book
    assert "Right." in book, "a quiz is for oneself"


def test_a_link_that_leads_nowhere_is_no_book(tmp_path):
    with pytest.raises(ValueError, match=r"01_early\.nowhere"):
        built(tmp_path, solution='<a href="#nowhere">there</a>')


def test_the_second_print_knows_the_pages_and_a_bookmark_has_a_formula_as_tex():
    book = '<a href="#x"><span data-page="x">000</span></a>'
    assert paper.fill(book, {"x": 12}) == '<a href="#x"><span data-page="x">12</span></a>'
    book = '<h2 id="a">The price\n of <math data-tex="n^2"><mi>n</mi><mn>2</mn></math></h2><hr>'
    assert paper.headings(book) == ["The price of n^2"]


# What Chromium prints


@pytest.fixture(scope="module")
def printed(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    (folder / "_static").mkdir()
    theme = "h1, h2, h3, h4, h5 { line-height: 1; }"  # narrower than the letters of any font
    (folder / "_static" / "book.css").write_text(theme)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "86400")
        paper.print_twice(browser, built(folder), CONFIG, folder / "book.pdf")
    return Pdf.open(folder / "book.pdf")


def test_bookmarks_are_the_headings_without_the_numbers_of_pages(printed):
    titles = [item.title for item in bookmarks(printed.open_outline().root)]
    late, early, solution = "2. 02_late", "1. 01_early", "Solution to Exercise"
    told = ["First part", late, "Quiz", "Second part", early, "Quiz"]
    told += ["Solutions, and answers to the quizzes", late, f"{solution} 2.1", "Quiz"]
    told += [early, f"{solution} 1.1", "Quiz"]
    assert titles == ["Contents", "About this book", *told]


def letters(tag, page=None):
    """Yield where the letters of a tag are: the page, and their number on it."""
    if isinstance(tag, int):
        yield page.objgen, tag
    elif isinstance(tag, Array):
        for kid in tag:
            yield from letters(kid, page)
    elif "/K" in tag or "/MCID" in tag:
        yield from letters(tag.get("/K", tag.get("/MCID")), tag.get("/Pg", page))


def test_no_heading_at_the_top_of_a_page_is_read_twice(printed):
    for item in bookmarks(printed.open_outline().root):
        pages = {page for page, _ in letters(item.structure_element)}
        assert len(pages) == 1, item.title


def test_both_kinds_of_metadata_say_whose_book_it_is(printed):
    old, new = printed.docinfo, printed.open_metadata()
    assert (new["dc:title"], new["dc:creator"]) == ("A book", ["somebody"])
    assert (new["dc:language"], new["dc:rights"]) == ({"en"}, "© 2026")
    assert (old["/Title"], old["/Author"]) == ("A book", "somebody")
    assert (old["/Creator"], old["/Producer"]) == (new["xmp:CreatorTool"], new["pdf:Producer"])
    assert "Headless" not in str(old["/Creator"])
    assert "Skia" in str(old["/Producer"])
    dates = {decode_pdf_date(str(old[f"/{kind}Date"])) for kind in ("Creation", "Mod")}
    kinds = ("Create", "Modify", "Metadata")
    dates |= {datetime.fromisoformat(new[f"xmp:{kind}Date"]) for kind in kinds}
    assert dates == {datetime(1970, 1, 2, tzinfo=UTC)}


def test_tags_are_compressed_and_complete(printed):
    """Most objects are tags; all but streams are in streams, and all letters are in the tags."""
    table = printed.get_xref_table()
    together = [place for place in table.values() if place.obj_stream_number]
    assert len(together) > 10 * (len(table) - len(together))
    assert printed.check_pdf_syntax() == []
    there = {
        (page.objgen, operands[1]["/MCID"])
        for page in printed.pages
        for operands, _ in parse_content_stream(page, "BDC")
        if "/MCID" in operands[1]
    }
    assert there
    assert set(letters(printed.Root.StructTreeRoot.K)) == there
