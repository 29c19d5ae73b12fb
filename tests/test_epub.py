"""The e-book, packed from three small pages: XML throughout, and every link leads somewhere."""

import re
import zipfile
from functools import cache
from pathlib import PurePosixPath
from xml.etree import ElementTree

import epub
import pytest
from PIL import Image

from tests.test_paper import CONFIG, SOLUTION, TOC, built

XHTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    @cache
    def packed(solution=SOLUTION):
        tmp_path = tmp_path_factory.mktemp("book")
        built(tmp_path, solution=solution)
        (tmp_path / "_images").mkdir()
        for name in ("_images/line.webp", "a.webp"):
            Image.new("RGB", (4, 2)).save(tmp_path / name)
        folder = tmp_path / "_static/math"
        folder.mkdir(parents=True)
        (folder / "math.css").write_text("math {\n  direction: ltr;\n  color: red;\n}")
        (folder / "math.woff2").write_bytes(b"font")
        epub.write(tmp_path / "made.epub", epub.Ebook(tmp_path, TOC, CONFIG, cover="01_early.fig"))
        with zipfile.ZipFile(tmp_path / "made.epub") as file:
            return {name: file.read(name) for name in file.namelist()}

    return packed


def pages(files):
    return {
        PurePosixPath(name).name: ElementTree.fromstring(content)
        for name, content in files.items()
        if name.endswith(".xhtml")
    }


def words(element):
    return " ".join("".join(element.itertext()).split())


def test_every_file_is_listed_and_the_first_says_what_they_are(pack):
    files = pack()
    names = list(files)
    assert names[:3] == ["mimetype", "META-INF/container.xml", "book/package.opf"]
    assert files["mimetype"] == b"application/epub+zip"
    package = ElementTree.fromstring(files["book/package.opf"])
    items = {item.get("href"): item for item in package.iter(f"{OPF}item")}
    assert {f"book/{name}" for name in items} == set(names[3:])
    order = [item.get("idref") for item in package.iter(f"{OPF}itemref")]
    assert order == [item.get("id") for name, item in items.items() if name.endswith(".xhtml")]
    assert b"direction" not in files["book/math.css"], "EPUB forbids it"


def test_contents_have_parts_and_chapters_in_the_order_of_the_files(pack):
    found = pages(pack())
    lines = [line for line in found["contents.xhtml"].iter() if line.tag[-2:] in ("an", "}a")]
    late, early, told = "2. 02_late", "1. 01_early", "Solutions, and answers to the quizzes"
    names = "About this book", "First part", late, "Second part", early, told, late, early
    assert tuple(map(words, lines)) == names
    files = "index 02_late 01_early answers.02_late answers.01_early"
    assert list(found)[2:] == [f"{name}.xhtml" for name in files.split()]


def test_solutions_are_apart_formulas_have_their_tex_and_nothing_moves(pack):
    files = pack()
    chapter, answers = (files[f"book/{name}01_early.xhtml"].decode() for name in ("", "answers."))
    assert "Solved." not in chapter
    assert "Solved." in answers
    assert 'href="answers.01_early.xhtml#01_early.sol">solution</a>' in chapter
    assert 'href="01_early.xhtml#01_early.ex">exercise</a>' in answers
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="x">' in chapter
    assert not re.search("<script|<input|<details|data-page|to turn|hidden = 1", chapter)


def test_without_solutions_there_are_answers_to_the_quizzes_only(pack):
    files = pack(solution="")
    assert b"Solutions" not in files["book/contents.xhtml"]
    assert b"Right." in files["book/answers.01_early.xhtml"]
