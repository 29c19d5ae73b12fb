"""The notebooks as readers get them: installed by the zip's own README, run, and looked at.

It looks at the last `make book` and `make student`. JupyterLab is looked at in Chromium; where none
is installed those checks are skipped with a word about it, unless REQUIRE_BROWSER is set.
"""

import functools
import html
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.book import ROOT
from tests.book.notebooks import chapters, code, read, text
from tests.browser import IDLE, jupyterlab, run_all_cells

FULL = ROOT / "_build" / "html"
STUDENT = ROOT / "_build" / "student" / "_build" / "html"
SOURCES = {path.name: path for path in [*chapters(), *sorted(ROOT.glob("reference/*.ipynb"))]}
PYTHON = Path(".venv", "bin", "python")
LABEL = "# Solution to"  # begins the code of a solution
PATIENCE = 600  # seconds, for a machine with other things to do; nothing waits longer than it must

every_notebook = pytest.mark.parametrize("name", SOURCES)


def pack(edition):
    return edition / "notebooks" / "svm-notebooks.zip"


@functools.cache
def shipped(name, edition=FULL):
    with zipfile.ZipFile(pack(edition)) as file:
        return nbformat.reads(file.read(f"svm-notebooks/{name}").decode(), as_version=4)


# What is in the files


@every_notebook
def test_a_shipped_notebook_has_all_cells_no_markup_and_links_that_lead_somewhere(name):
    notebook = shipped(name)
    finds, *cells = code(notebook)
    assert finds.source.startswith("# Run this cell first")
    originals = code(read(SOURCES[name]))
    assert [cell.outputs for cell in cells] == [cell.outputs for cell in originals]
    for cell, original in zip(cells, originals, strict=True):
        assert cell.source.endswith(original.source)
    prose = re.sub(r"```.*?```|`[^`]*`", "", text(notebook), flags=re.S)
    assert not re.search(r"\{[a-z:]+\}`|\{prf:|\{numref|\{cite|:label:|:::|\{exercise", prose)
    for target in re.findall(r"\]\(([^)]+)\)", text(notebook)):
        if not target.startswith(("http", "attachment:")):
            file, _, anchor = target.partition("#")
            assert not anchor or f'<a id="{anchor}"></a>' in text(shipped(file or name)), target


def test_zip_of_the_pages_needs_nothing_outside():
    """No page asks for a file that is not packed, but for what has an address."""
    with zipfile.ZipFile(FULL / "notebooks" / "svm-pages.zip") as file:
        names = set(file.namelist())
        pages = {
            n: file.read(n).decode() for n in names if re.search(r"(index|/\w+/\w+)\.html$", n)
        }
    for name in [name for name in pages if "/_static/" not in name]:  # templates of the theme
        for address in re.findall(r' (?:href|src)="([^"#?:]+)[^":]*"', pages[name]):
            assert os.path.normpath(Path(name).parent / address) in names, (name, address)


# From nothing to JupyterLab, by the README


def outside(**more):
    """Leave the environment of the tests behind, but not the Python that it was made with.

    Of what pip installs, only that is compiled which somebody imports, and that once.
    """
    names = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if key not in names}
    return (
        kept
        | {"PATH": f"{Path(sys.base_prefix, 'bin')}:{os.environ['PATH']}", "PIP_NO_COMPILE": "1"}
        | more
    )


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    with zipfile.ZipFile(pack(FULL)) as file:
        file.extractall(folder)
    return folder / "svm-notebooks"


@pytest.fixture(scope="module")
def commands(kit):
    """Follow the README up to its second command."""
    readme = (kit / "README.txt").read_text(encoding="utf-8")
    part = readme.split("On Linux")[1].split("On Windows")[0]
    install, start = (line.strip() for line in part.splitlines() if line.startswith("  "))
    subprocess.run(install, shell=True, check=True, cwd=kit, env=outside())
    return install, start


@pytest.fixture(scope="module")
def kernel(kit, commands):
    """Make the reader's Python known to Jupyter as `reader`; return its environment."""
    spec = kit / "kernels" / "reader"
    spec.mkdir(parents=True)
    argv = [str(kit / PYTHON), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = json.dumps({"argv": argv, "display_name": "reader", "language": "python"})
    (spec / "kernel.json").write_text(text)
    return outside(JUPYTER_PATH=str(kit))


def test_shipped_notebooks_print_what_the_pages_show(kit, kernel, tmp_path):
    """The first chapter, and where Dask is needed. Of the others all cells are the same.

    nbval itself is not in the reader's kit.
    """
    first, *others = SOURCES
    needs = re.compile("^import dask", re.M)
    names = [first, *(n for n in others if any(needs.search(c.source) for c in code(shipped(n))))]
    assert len(names) > 1
    options = ["-p", "no:cacheprovider", "-p", "tests.book.kernels", "-c", os.devnull, "-q"]
    options += ["--nbval-sanitize-with", ROOT / "tests" / "nbval.cfg", "--rootdir", kit]
    options += ["--nbval-kernel-startup-timeout", str(PATIENCE)]
    nbval = [sys.executable, "-m", "pytest", "--nbval", "--nbval-kernel-name", "reader", *options]
    log = tmp_path / "log"  # a pipe would wait for every orphaned kernel
    with log.open("w") as said:
        ended = subprocess.run([*nbval, *(kit / name for name in names)], env=kernel, stdout=said)
    assert ended.returncode == 0, log.read_text(encoding="utf-8")[-8000:]
    ran = int(re.search(r"(\d+) passed", log.read_text(encoding="utf-8"))[1])
    assert ran == sum(len(code(shipped(name))) for name in names)


# In a real JupyterLab


@pytest.fixture(scope="module")
def lab(kit, commands, tmp_path_factory):
    """Type the README's second command, with a free port and without a window or a password."""
    home = tmp_path_factory.mktemp("home")
    with jupyterlab(commands[1], cwd=kit, env=outside(HOME=str(home))) as address:
        yield address


@pytest.fixture(scope="module")
def window(browser):
    """One for all tabs, so that JupyterLab's scripts are fetched and compiled once."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as window:
        yield window


@pytest.fixture
def tab(window):
    tab = window.new_page()
    tab.set_default_timeout(1000 * PATIENCE)  # a kernel starts and runs
    yield tab
    tab.close()


def formulas(notebook):
    prose = re.sub(r"```.*?```|`[^`]*`|<code>.*?</code>", "", text(notebook), flags=re.S)
    return len(re.findall(r"\$\$.+?\$\$|\$.+?\$", prose))


@every_notebook
def test_reads_well_in_jupyterlab(lab, tab, name):
    tab.goto(f"{lab}/doc/tree/{name}")
    notebook = shipped(name)
    texts = sum(cell.cell_type == "markdown" for cell in notebook.cells)
    tab.wait_for_function(
        """([texts, formulas]) =>
            document.querySelectorAll('.jp-Notebook .jp-RenderedMarkdown').length >= texts &&
            document.querySelectorAll('.jp-Notebook mjx-container').length >= formulas""",
        arg=[texts, formulas(notebook)],
    )
    count = functools.partial(
        tab.evaluate, "selector => document.querySelectorAll(`.jp-Notebook ${selector}`).length"
    )
    assert count("mjx-container") == formulas(notebook)
    assert count("mjx-merror") == 0
    assert count(".jp-MarkdownCell") == texts
    assert count("details") == text(notebook).count("<details>")
    assert count("details[open]") == 0
    folded = [cell for cell in notebook.cells if "jupyter" in cell.metadata]
    assert count(".jp-InputPlaceholder") == len(folded)
    prose = tab.evaluate(
        """() => {
            const all = [...document.querySelectorAll('.jp-RenderedMarkdown')].map(cell => {
                const copy = cell.cloneNode(true);
                copy.querySelectorAll('pre, code, mjx-container').forEach(e => e.remove());
                return copy.textContent;
            });
            return all.join('\\n');
        }"""
    )
    left = re.search(r".*(\$[^\d]|\{[a-z:]+\}`|:::|:label:|\*\*|^#|\]\(|</?\w+>|```|^>).*", prose)
    assert not left, left[0]


def test_a_newcomer_changes_a_number(lab, tab):
    """The bird in your arms loses a hundred grams, and becomes an Adelie."""
    tab.goto(f"{lab}/doc/tree/{next(iter(SOURCES))}")
    tab.locator(".jp-Notebook mjx-container").first.wait_for(state="attached")
    run_all_cells(tab)
    cell = tab.locator(".jp-CodeCell", has_text="wild = np.array").first
    answer = cell.locator(".jp-OutputArea-output", has_text=re.compile("C: .*Gentoo"))
    answer.wait_for()
    tab.locator(IDLE).wait_for()
    cell.locator(".cm-content").get_by_text("4700").dblclick()
    tab.keyboard.type("4600")
    tab.keyboard.press("Shift+Enter")
    cell.locator(".jp-OutputArea-output", has_text=re.compile("C: .*Adelie")).wait_for()


def test_one_notebook_beside_the_wheel(kit, kernel, tmp_path, monkeypatch):
    """Without the wheel its first cell says in a sentence what to do; with it all is well."""
    subprocess.run([kit / PYTHON, "-m", "pip", "uninstall", "-q", "-y", "svmlib"], check=True)
    monkeypatch.setenv("JUPYTER_PATH", kernel["JUPYTER_PATH"])
    notebook = shipped(next(iter(SOURCES))).copy()
    notebook.cells = [*code(notebook)[:1], nbformat.v4.new_code_cell("import svmlib")]
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=PATIENCE, kernel_name="reader", resources=resources)
    with pytest.raises(CellExecutionError) as complaint:
        client.execute()
    assert "svmlib is missing: put svmlib-" in complaint.value.evalue
    shutil.copy(next(kit.glob("*.whl")), tmp_path)
    client.execute()


# The student edition


FOLD = re.compile(r"<summary>Solution to .*?</summary>(.*?)</details>", re.S)


def flat(text):
    return " ".join(text.split())


def solutions(notebook):
    cells = [cell.source for cell in code(notebook) if cell.source.startswith(LABEL)]
    return FOLD.findall(text(notebook)), cells


@functools.cache
def said_elsewhere():
    """Collect all that the full edition says outside solutions: a phrase may be in both."""
    words = [FOLD.sub("", text(shipped(name))) for name in SOURCES]
    cells = (cell.source for name in SOURCES for cell in code(shipped(name)))
    return flat("\n".join(words + [c for c in cells if not c.startswith(LABEL)]))


def distinctive(notebook):
    """Take the most plain words in a row of every solution, and its longest line of code."""
    folds, cells = solutions(notebook)
    runs = [max(re.findall(r"[A-Za-z ,]{20,}", fold), key=len, default="") for fold in folds]
    lines = [max(cell.splitlines()[1:], key=len) for cell in cells]
    return [p for p in map(flat, runs + lines) if p and p not in said_elsewhere()]


@functools.cache
def student_files():
    found = {str(file): file.read_bytes() for file in STUDENT.rglob("*") if file.is_file()}
    for file in [name for name in found if name.endswith((".zip", ".whl"))]:
        with zipfile.ZipFile(file) as packed:
            found |= {f"{file}/{name}": packed.read(name) for name in packed.namelist()}
        del found[file]
    return {
        name: flat(
            html.unescape(re.sub(r"<[^<>]+>", "", content.decode("utf-8", "ignore")))
            .replace("\\n", " ")
            .replace('\\"', '"')
        )
        for name, content in found.items()
        if not name.endswith((".png", ".webp", ".woff", ".woff2", ".ttf", ".svg"))
    }


@pytest.mark.parametrize("name", [path.name for path in chapters()])
def test_student_edition_has_no_word_of_a_solution(name):
    phrases = distinctive(shipped(name))
    assert len(phrases) > len(solutions(shipped(name))[0]) / 2
    for phrase in phrases:
        seen = [file for file, content in student_files().items() if phrase in content]
        assert not seen, phrase


@every_notebook
def test_student_notebooks_keep_the_exercises_and_their_checks(name):
    full, student = shipped(name), shipped(name, STUDENT)
    assert "Solution to" not in text(student)
    posed = re.compile(r"\*\*Exercise \d.*")
    assert posed.findall(text(student)) == posed.findall(text(full))
    kept = [cell.source for cell in code(full) if not cell.source.startswith(LABEL)]
    assert [cell.source for cell in code(student)] == kept
