"""Each construct of the book, said in plain Markdown: built by Sphinx from two small notebooks."""

import io
import re
import sys
import time
import zipfile
from itertools import pairwise
from types import SimpleNamespace

import editions
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx

CONF = """
extensions = ["myst_nb", "sphinx_design", "sphinx_exercise", "sphinx_proof",
              "sphinxcontrib.bibtex", "editions", "boxes"]
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
bibtex_bibfiles = ["book.bib"]
bibtex_reference_style = "author_year"
nb_execution_mode = "off"
numfig = True
html_theme = "basic"
exclude_patterns = ["_build"]
"""
DATE = 1_795_388_782
BIB = "@book{vapnik1995, author={Vladimir Vapnik}, title={Learning}, publisher={S}, year={1995}}"
INDEX = """# Book

```{toctree}
:numbered:
one
two
words
```
"""
WORDS = """# Words

:::{glossary}
slack
  How much is missing.
:::

```{bibliography}
```
"""
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADU"
PNG += "lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def drawn(code, name, caption, data, tags=(), **more):
    """Return a cell that draws a figure."""
    mystnb = {"figure": {"name": f"fig-{name}", "caption": caption}} | more
    metadata, shown = {"tags": [*tags], "mystnb": mystnb}, new_output("display_data", data=data)
    return new_code_cell(code, metadata=metadata, outputs=[shown])


ALT, PICTURE = {"alt": "A line *rising* by $5."}, {"image/png": PNG, "text/plain": "<Figure>"}
CODE = [
    drawn("print('drawn')", "line", "A line $f$.", PICTURE, ["hide-input"], image=ALT),
    drawn("explorable", "alive", "Alive.", {"text/html": '<div class="explorable"></div>'}),
    new_code_cell("answer = 42", outputs=[new_output("stream", name="stdout", text="42\n")]),
]
ONE = [
    """(ch-one)=
# First chapter

It costs $w\\cdot x$ or \\$5 and \\$6 a_b*c, 1 < 2 [sic], see {cite}`vapnik1995` and
{cite:t}`vapnik1995`, {term}`slack`, [there](https://x.org/a_(b)).

(sec-boxes)=
## Boxes

```{prf:definition} Line $f$
:label: def-line

A line has

$$
f(x) &= w \\\\
     &= b  % of course
$$ (eq-line)

1. one
2. two
   - inner

   more
```

:::{dropdown} Proof of `f`, $w<1$
```{prf:proof}
By {eq}`eq-line`. See {prf:ref}`def-line` and {prf:ref}`thm-two`, {numref}`fig-line`.
```
:::

```{prf:algorithm} Steps
:label: alg-steps

*Repeat.*
```
""",
    CODE[0],
    CODE[1],
    """```{admonition} Before you start
:class: note

Take a pencil.
```

> A quotation.
>
> Two paragraphs.

| a | b |
|---|---|
| $\\|x\\|$ and `p\\|q` | 1<br>2 |

:::{list-table}
* - **x**
  - - one $\\|w\\|$
    - two
:::

Term
: Its meaning.

3. starts at three

2020\\. was a year. Code with `$x` in it.

## Exercises

```{exercise} Draw **it**
:label: ex-draw

Draw.
```

```{solution} ex-draw
:label: sol-draw
:class: dropdown

Easily drawn.
```

```{exercise-start} With code
:label: ex-code
```

Compute it.

```{exercise-end}
```

```{solution-start} ex-code
:class: dropdown
```

First one thinks.
""",
    CODE[2],
    """Then one rests.

```{solution-end}
```

## After

The last word.
""",
]
TWO = [
    """# Second chapter

```{prf:theorem}
:label: thm-two

Back to {ref}`sec-boxes`, {eq}`eq-line`, {ref}`ex-draw`, [the chapter](one.ipynb).
```
""",
    new_code_cell("1 + 1"),
    drawn("print('also drawn')", "late", "After other code.", PICTURE),
]


def write(folder, two):
    (folder / "conf.py").write_text(CONF)
    (folder / "book.bib").write_text(BIB)
    (folder / "index.md").write_text(INDEX)
    (folder / "words.md").write_text(WORDS)
    for name, cells in (("one", ONE), ("two", two)):
        cells = [new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells]
        metadata = {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}}
        nbformat.write(new_notebook(cells=cells, metadata=metadata), folder / f"{name}.ipynb")
    for name in ("constraints.txt", "LICENSE", "_build/wheel/svmlib-1.0.0-py3-none-any.whl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}")


def build(folder, two=TWO, **config):
    write(folder, two)
    warnings, out, trees = io.StringIO(), folder / "_build/html", folder / "_build/trees"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", str(DATE))
        Sphinx(folder, folder, out, trees, "html", config, None, warnings).build()
    assert "plain notebooks" not in warnings.getvalue()
    return out


pytestmark = pytest.mark.xdist_group("editions")  # so that each is built once


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return build(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    return build(folder, book_solutions=False, html_baseurl="https://book.example/svm/")


def shipped(out, name="one"):
    return nbformat.read(out / "notebooks" / f"{name}.ipynb", as_version=4).cells


def text(cells):
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


EXPECTED = {
    "heading": "# 1. First chapter\n",
    "anchor": '<a id="ch-one"></a>',
    "section": "## 1.1. Boxes",
    "formula in a line": "costs $w\\cdot x$ or",
    "price": "<span>&#36;</span>5 and <span>&#36;</span>6",
    "marks of Markdown and HTML": "a\\_b\\*c, 1 &lt; 2 \\[sic\\]",
    "citation": "\\[[Vapnik, 1995](#cite-vapnik1995)\\]",
    "citation in the text": "Vapnik \\[[1995](#cite-vapnik1995)\\]",
    "list of references": '- <a id="cite-vapnik1995"></a>Vladimir Vapnik',
    "term": ", slack, ",
    "link": "[there](https://x.org/a_%28b%29)",
    "definition": "> **Definition 1.1 (Line $f$)**\n>\n> A line has",
    "numbered equation": (
        "> $$\\begin{split}f(x) &= w \\\\ &= b\\end{split} \\tag{1.1}$$\n>\n> 1. one"
    ),
    "nested list": "> 2. two\n>\n>    - inner\n>\n>    more",
    "fold": "<details>\n<summary>Proof of <code>f</code>, $w<1$</summary>\n\n> *Proof.* By",
    "reference to an equation": "By [(1.1)](#equation-eq-line)",
    "reference to a box": "[Definition 1.1](#def-line)",
    "reference across chapters": "[Theorem 2.1](two.ipynb#thm-two)",
    "reference to a figure": "[Fig. 1.1](#fig-line). ∎",
    "algorithm": "> **Algorithm 1.1 (Steps)**",
    "caption": "**Figure 1.1.** A line $f$.",
    "what one can move": "**Figure 1.2.** Alive.\n\n*Run the cell: then it can be moved.*",
    "words for the picture": "in words</summary>\n\nA line \\*rising\\* by <span>&#36;</span>5.",
    "admonition": "> **Before you start**\n>\n> Take a pencil.",
    "quotation": "> A quotation.\n>\n> Two paragraphs.",
    "table": ("| a | b |\n| --- | --- |\n| $\\vert x\\vert$ and <code>p\\|q</code> | 1<br>2 |"),
    "list table": "|  |  |\n| --- | --- |\n| **x** | - one $\\Vert w\\Vert$<br>- two |",
    "definition list": "**Term**\n\n> Its meaning.",
    "start of a list": "3. starts at three",
    "no list": "2020\\. was a year",
    "dollar in code": "<code><span>&#36;</span>x</code>",
    "exercise": "> **Exercise 1.1 (Draw it)**",
    "exercise with a gate": "> **Exercise 1.2 (With code)**\n>\n> Compute it.",
    "solution": (
        "<details>\n<summary>Solution to Exercise 1.1 (Draw <strong>it</strong>)</summary>\n\n"
        "Easily drawn.\n\n</details>"
    ),
    "solution with code": "1.2 (With code)</summary>\n\nFirst one thinks.\n\n</details>",
    "rest of a solution": "(With code), continued</summary>\n\nThen one rests.\n\n</details>",
    "theorem without a name": "**Theorem 2.1**\n",
    "section of another chapter": "[Boxes](one.ipynb#sec-boxes)",
    "equation of another chapter": "[(1.1)](one.ipynb#equation-eq-line)",
    "exercise of another chapter": "[Exercise 1.1](one.ipynb#ex-draw)",
    "another chapter": "[the chapter](one.ipynb)",
}


def test_each_construct_is_said(full):
    source = text([*shipped(full), *shipped(full, "two")])
    assert not {name: words for name, words in EXPECTED.items() if words not in source}, source


def test_cells_come_in_the_order_of_the_page_with_room_for_an_answer(full, student):
    cells = shipped(full)
    for cell in [*cells, *shipped(student)]:
        assert len(re.findall(r"\*\*Exercise |<summary>Solution", cell.source)) <= 1
    code = [cell for cell in cells if cell.cell_type == "code"]
    kinds = [cell.source.split("\n")[0][:30] for cell in code]
    assert kinds[0].startswith("# Run this cell first")
    assert kinds[1:] == ["print('drawn')", "explorable", "# Solution to Exercise 1.2 (Wi"]
    assert code[1].metadata.jupyter == {"source_hidden": True}
    assert code[3].metadata.jupyter == {"source_hidden": True, "outputs_hidden": True}
    assert cells[cells.index(code[1]) + 1].source.startswith("**Figure 1.1.**")


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_link_to_a_figure_shows_the_picture(full, name):
    """Its anchor is above the cell that draws, in a cell that has words; also after other code."""
    texts = [cell.source for cell in shipped(full, name) if cell.cell_type == "markdown"]
    above = [one for one, other in pairwise(texts) if other.startswith("**Figure")]
    assert above
    for text in above:
        assert re.search(r'\w.*\n\n<a id="fig-\w+"></a>$', text, re.DOTALL)


def test_zip_holds_notebooks_wheel_and_instructions(full):
    with zipfile.ZipFile(full / "notebooks" / "svm-notebooks.zip") as file:
        files = {e.filename.removeprefix("svm-notebooks/"): file.read(e) for e in file.infolist()}
        assert {entry.external_attr >> 16 for entry in file.infolist()} == {0o644}, "all may read"
        dates = {entry.date_time for entry in file.infolist()}
        assert dates == {time.gmtime(DATE)[:6]}, "the date that the build is told"
    wheel, texts = "svmlib-1.0.0-py3-none-any.whl", {"README.txt", "LICENSE"}
    needed = {"constraints.txt", "requirements.txt", wheel}
    assert files.keys() == {"one.ipynb", "two.ipynb"} | texts | needed
    assert not re.search(r"student|\$", files["README.txt"].decode())


def test_the_student_edition_says_so_has_no_solutions_and_leads_to_the_pages(student):
    with zipfile.ZipFile(student / "notebooks" / "svm-notebooks.zip") as file:
        assert b"student edition" in file.read("svm-notebooks/README.txt").splitlines()[0]
    assert "Solution to" not in (student / "notebooks" / "one.ipynb").read_text()
    cells = shipped(student)
    assert "[slack](https://book.example/svm/words.html#term-slack)" in text(cells)
    finds = next(cell.source for cell in cells if cell.cell_type == "code")
    assert "svmlib[book] @ https://book.example/svm/notebooks/svmlib-" in finds


def test_same_sources_give_the_same_files_but_for_the_cell_that_looks_for_svmlib(full, tmp_path):
    """Where it is installed there is none: otherwise `make lab` opens the notebooks of the zip."""
    lab = build(tmp_path, book_installed=True)
    for name in ("one", "two"):
        theirs, mine = shipped(full, name), shipped(lab, name)
        assert [cell for cell in theirs if not cell.id.endswith("-svmlib")] == mine
        assert len(theirs) == len(mine) + 1


def test_says_so_when_it_cannot_say_a_thing(tmp_path):
    with pytest.raises(AssertionError, match="plain notebooks cannot say centered"):
        build(tmp_path, two=["# Second chapter\n\n```{centered} Middle\n```", CODE[2]])


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What Python is asked to run, in an empty folder, where svmlib is not installed."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    asked = []
    monkeypatch.setattr("subprocess.check_call", asked.append)
    return asked


@pytest.mark.parametrize("place", [".", "svm-notebooks", ".."])
def test_the_first_cell_finds_the_wheel_where_readers_put_it(full, tmp_path, asked, place):
    here, names = tmp_path / "here", {}
    (here / place).mkdir(exist_ok=True)
    (here / place / "svmlib-1.0.0-py3-none-any.whl").touch()
    exec(next(cell.source for cell in shipped(full) if cell.cell_type == "code"), names)
    assert asked == [[sys.executable, "-m", "pip", "install", "--quiet", names["needed"]]]
    assert (here / names["needed"].removesuffix("[book]")).is_file()


def test_on_colab_the_first_cell_installs_from_the_address_of_the_book(asked):
    config = SimpleNamespace(html_baseurl="https://book.example/svm/")
    exec(editions.first_cell(SimpleNamespace(config=config)), {})
    wheel = f"https://book.example/svm/notebooks/{editions.wheel_name()}"
    assert asked[0][-1] == f"svmlib[book] @ {wheel}"
