"""The notebooks as readers get them: installed by the zip's own README, run, and looked at.

It looks at the last `make book` and `make student`. JupyterLab is looked at in Chromium; where none
is installed those checks are skipped with a word about it, unless REQUIRE_BROWSER is set.
"""

import copy
import fcntl
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
from sources import chapters, code, read, text

from tests.book import ROOT
from tests.browser import IDLE, jupyterlab, run_all_cells
from tests.figures import drag_by

FULL = ROOT / "_build" / "html"
STUDENT = ROOT / "_build" / "student" / "_build" / "html"
SOURCES = {path.name: path for path in [*chapters(), *sorted(ROOT.glob("reference/*.ipynb"))]}
PYTHON = Path(".venv", "bin", "python")
LABEL = "# Solution to"  # begins the code of a solution
PATIENCE = 600  # seconds, for a machine with other things to do; nothing waits longer than it must

every_notebook = pytest.mark.parametrize("name", SOURCES)
halves = [pytest.mark.xdist_group(f"JupyterLab {k}") for k in (1, 2)]  # of what needs one
kernels = pytest.mark.xdist_group("kernels")  # a group, because groups begin before single tests


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
    for cell, original in zip(cells, originals, strict=True):
        assert cell.source.endswith(original.source)
        words = original.metadata.get("mystnb", {}).get("image", {}).get("alt")
        for output in original.outputs if words else ():  # a picture says what it shows
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    output.metadata.setdefault(kind, {})["alt"] = words
        assert cell.outputs == original.outputs
    for target in re.findall(r"\]\(([^)]+)\)", text(notebook)):
        if not target.startswith(("http", "attachment:")):
            file, _, anchor = target.partition("#")
            assert not anchor or f'<a id="{anchor}"></a>' in text(shipped(file or name)), target


def test_zip_of_the_pages_needs_nothing_outside():
    """No page asks for a file that is not packed, but for what has an address."""
    with zipfile.ZipFile(FULL / "notebooks" / "svm-pages.zip") as file:
        names = set(file.namelist())
        found = [name for name in names if re.search(r"(index|/\w+/\w+)\.html$", name)]
        pages = {name: file.read(name).decode() for name in found}
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
def kit(tmp_path_factory, worker_id):
    """Unpack the zip and type the README's first command: one worker does, others wait for it."""
    mine = tmp_path_factory.getbasetemp()
    folder = (mine if worker_id == "master" else mine.parent) / "reader"
    folder.mkdir(exist_ok=True)
    kit, ready = folder / "svm-notebooks", folder / "ready"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            with zipfile.ZipFile(pack(FULL)) as file:
                file.extractall(folder)
            subprocess.run(commands(kit)[0], shell=True, check=True, cwd=kit, env=outside())
            ready.touch()
    return kit


def commands(kit):
    readme = (kit / "README.txt").read_text(encoding="utf-8")
    part = readme.split("On Linux")[1].split("On Windows")[0]
    install, start = (line.strip() for line in part.splitlines() if line.startswith("  "))
    return install, start


@pytest.fixture
def execute(kit, tmp_path, monkeypatch):
    """Run a notebook in a folder with the reader's Python; a cell that fails is an error."""

    def run(notebook, folder, python=kit / PYTHON):
        spec = tmp_path / "kernels" / "reader" / "kernel.json"
        spec.parent.mkdir(parents=True, exist_ok=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec.write_text(json.dumps({"argv": argv, "display_name": "", "language": "python"}))
        monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
        options = {"timeout": PATIENCE, "kernel_name": "reader", "coalesce_streams": True}
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, resources=resources, **options).execute()

    return run


def printed(notebook):
    outputs = [output for cell in code(notebook) for output in cell.outputs]
    return [it.get("text") or it.get("data", {}).get("text/plain") for it in outputs]


@kernels
def test_shipped_notebooks_print_what_the_pages_show(kit, execute):
    """The first chapter, and what needs an extra. All other cells are those of the book."""
    first, *others = map(shipped, SOURCES)
    extra, its = re.compile("^import (dask|onnxruntime)", re.M), re.compile("dask|distributed|onnx")
    needy = [n for n in others if any(extra.search(c.source) for c in code(n))]
    assert len(needy) >= 2
    for notebook in (first, *needy):
        cells = code(notebook)
        while notebook is not first and not its.search(cells[-1].source):
            cells.pop()
        part = nbformat.from_dict({**notebook, "cells": cells})
        mine = copy.deepcopy(part)
        execute(mine, kit)
        assert printed(mine) == printed(part)


# In a real JupyterLab


@pytest.fixture(scope="module")
def lab(kit, tmp_path_factory):
    """Type the README's second command, with a free port and without a window or a password."""
    home = tmp_path_factory.mktemp("home")
    with jupyterlab(commands(kit)[1], cwd=kit, env=outside(HOME=str(home))) as address:
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


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=halves[k % 2]) for k, name in enumerate(SOURCES)],
)
def test_reads_well_in_jupyterlab(lab, tab, name):
    notebook = shipped(name)
    wanted = {
        "mjx-container": formulas(notebook),
        ".jp-MarkdownCell .jp-RenderedMarkdown": len(notebook.cells) - len(code(notebook)),
        "details": text(notebook).count("<details>"),
        ":is(mjx-merror, details[open])": 0,
        ".jp-InputPlaceholder": sum("jupyter" in cell.metadata for cell in notebook.cells),
    }
    tab.goto(f"{lab}/doc/tree/{name}")
    count = "document.querySelectorAll(`.jp-Notebook ${selector}`).length"
    tab.wait_for_function(
        f"wanted => Object.entries(wanted).every(([selector, n]) => {count} >= n)", arg=wanted
    )
    assert wanted == {part: tab.evaluate(f"selector => {count}", part) for part in wanted}
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


@halves[0]
def test_a_newcomer_drags_a_sample_and_changes_a_number(lab, tab):
    """The bird in your arms loses a hundred grams, and becomes an Adelie."""
    complaints = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(f"{lab}/doc/tree/{next(iter(SOURCES))}")
    tab.locator(".jp-Notebook mjx-container").first.wait_for(state="attached")
    run_all_cells(tab)
    cell = tab.locator(".jp-CodeCell", has_text="wild = np.array").first
    answer = cell.locator(".jp-OutputArea-output", has_text=re.compile("C: .*Gentoo"))
    answer.wait_for()
    tab.locator(IDLE).wait_for()
    figure = tab.locator(".explorable[data-settled=true]").first
    figure.scroll_into_view_if_needed()
    says = figure.get_by_role("status").text_content()
    grip = figure.locator(".grip").first
    drag_by(tab, grip, 40, 20)
    grip.press("Shift+ArrowDown")  # which must not reach the notebook
    assert grip.evaluate("e => e === document.activeElement")
    figure.get_by_role("status").filter(has_not_text=says).wait_for(state="attached")
    assert "#" not in tab.url  # a cell says what the samples are, not an address
    cell.locator(".cm-content").get_by_text("4700").dblclick()
    tab.keyboard.type("4600")
    tab.keyboard.press("Shift+Enter")
    cell.locator(".jp-OutputArea-output", has_text=re.compile("C: .*Adelie")).wait_for()
    assert not complaints


@kernels
def test_one_notebook_beside_the_wheel(kit, execute, tmp_path):
    """Without the wheel its first cell says in a sentence what to do; with it all is well."""
    alone = tmp_path / PYTHON  # links: what is removed here stays there
    shutil.copytree(kit / ".venv", tmp_path / ".venv", symlinks=True, copy_function=os.link)
    subprocess.run([alone, "-m", "pip", "uninstall", "-q", "-y", "svmlib"], check=True)
    notebook = copy.deepcopy(shipped(next(iter(SOURCES))))
    notebook.cells = [*code(notebook)[:1], nbformat.v4.new_code_cell("import svmlib")]
    finds = notebook.cells[0]  # where the book has an address, the wheel would come from there
    finds.source = re.sub(r"next\(wheels, .*\)", "next(wheels, None)", finds.source)
    with pytest.raises(CellExecutionError) as complaint:
        execute(notebook, tmp_path, alone)
    assert "svmlib is missing: put svmlib-" in complaint.value.evalue
    shutil.copy(next(kit.glob("*.whl")), tmp_path)
    execute(notebook, tmp_path, alone)


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
    words += [page.read_text(encoding="utf-8") for page in ROOT.glob("reference/*.md")]
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
    """Return the words of all that students get, also of what is packed."""
    found = {str(file): file.read_bytes() for file in STUDENT.rglob("*") if file.is_file()}
    for file in [name for name in found if name.endswith((".zip", ".whl", ".epub"))]:
        with zipfile.ZipFile(file) as packed:
            found |= {f"{file}/{name}": packed.read(name) for name in packed.namelist()}
        del found[file]
    texts = {name: found[name].decode("utf-8", "ignore") for name in found}
    plain = {name: html.unescape(re.sub(r"<[^<>]+>", "", text)) for name, text in texts.items()}
    return {n: flat(text.replace("\\n", " ").replace('\\"', '"')) for n, text in plain.items()}


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
    posed = re.compile(r"\*\*Exercise \d.*")
    assert posed.findall(text(student)) == posed.findall(text(full))
    kept = [cell.source for cell in code(full) if not cell.source.startswith(LABEL)]
    assert [cell.source for cell in code(student)] == kept
