"""Make the notebooks that readers download, beside the pages and from the same doctree.

Every notebook of the book is written to `notebooks/` in plain Markdown (see `plain_markdown`),
with the outputs that are stored in its source, and packed into one zip with the wheel of svmlib
and what pip needs; another zip has the pages. With EDITION=student in the environment, pages and
notebooks have no solutions; with EDITION=lab the notebooks are those of `make lab`.
"""

import os
import posixpath
import re
import shutil
from importlib.metadata import version
from pathlib import Path
from string import Template

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from normal_form import METADATA, count_executions
from plain_markdown import Code, Translator
from sphinx.util import logging
from sphinx_exercise.nodes import solution_node
from zips import write_zip

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
FOLDER = "svm-notebooks"
FIRST_CELL = """\
# Run this cell first: it finds svmlib, the library of the book, or installs it from its wheel.
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("svmlib") is None:
    places = map(Path, (".", "$folder", ".."))
    wheels = (f"{file}[book]" for place in places for file in place.glob("svmlib-*.whl"))
    needed = next(wheels, $online)
    if needed is None:
        raise SystemExit(
            "svmlib is missing: put $wheel, which is in $folder.zip, "
            "into the folder of this notebook and run this cell again."
        )
    subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", needed])
"""


# The notebooks


def is_notebook(env, docname):
    return str(env.doc2path(docname)).endswith(".ipynb")


def file_name(docname):
    """Return the file name of a notebook: all are in one folder with the wheel, for short links."""
    return f"{posixpath.basename(docname)}.ipynb"


class Page:
    """What the Markdown of a page needs: its numbers, and the targets of its links."""

    def __init__(self, app, docname, doctree):
        self.app, self.env, self.docname = app, app.env, docname
        self.top = doctree.next_node(lambda node: node.tagname == "section")["ids"]
        self.bibliography = {
            (citation.bibliography_key.docname, citation.citation_id): citation
            for citation in self.env.get_domain("cite").citations
        }
        self.cited = {}

    def number(self, kind, identifier):
        if kind == "section":
            numbers = self.env.toc_secnumbers.get(self.docname, {})
            place = "" if identifier in self.top else f"#{identifier}"
        else:
            numbers = self.env.toc_fignumbers.get(self.docname, {}).get(kind, {})
            place = identifier
        return ".".join(map(str, numbers.get(place) or ()))

    def link(self, reference):
        if "refid" in reference:
            return f"#{reference['refid']}"
        uri = reference.get("refuri", "")
        if not reference.get("internal") or uri.startswith("#"):
            return uri
        path, _, anchor = uri.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self.docname), path))
        docname = target.removesuffix(".html")
        if (docname, anchor) in self.bibliography:
            citation = self.bibliography[docname, anchor]
            self.cited[citation.key] = citation
            return f"#cite-{citation.key}"
        if docname in self.env.found_docs and is_notebook(self.env, docname):
            return file_name(docname) + (f"#{anchor}" if anchor else "")
        base = self.app.config.html_baseurl  # other pages are not in the zip
        return f"{base.rstrip('/')}/{target}{f'#{anchor}' if anchor else ''}" if base else None

    def references(self):
        entries = (
            f'- <a id="cite-{key}"></a>{entry.formatted_entry.text.render_as("markdown")}'
            for key, entry in sorted(self.cited.items())
        )
        return "\n".join(entry.replace("\n", " ") for entry in entries)


def first_cell(app):
    """Find svmlib beside the notebook or, as on Colab, at the address of the book if it has one."""
    base, wheel = app.config.html_baseurl.rstrip("/"), wheel_name()
    online = repr(f"svmlib[book] @ {base}/notebooks/{wheel}") if base else "None"
    cell = Template(FIRST_CELL).substitute(folder=FOLDER, wheel=wheel, online=online)
    return cell.rstrip().replace("'", '"')


def plain_notebook(app, doctree, docname):
    """Put translated text and the source's code cells together, in the order of the page."""
    source = nbformat.read(app.env.doc2path(docname), as_version=4)
    page = Page(app, docname, doctree)
    translator = Translator(page.number, page.link)
    cells, text = [], []

    def end_text():
        if text:
            cells.append(new_markdown_cell("\n\n".join(text)))
            text.clear()

    for piece in translator.blocks(doctree.children):
        if isinstance(piece, str):
            text.append(piece)
        else:
            if isinstance(piece, Code) and len(text) == 1 and text[0].startswith("<a id="):
                # A link shows the picture, not what is below it; and no cell looks empty.
                above = next(cell for cell in reversed(cells) if cell.cell_type == "markdown")
                above.source += "\n\n" + text.pop()
            end_text()
            if isinstance(piece, Code):
                cells.append(code_cell(source, piece))
    end_text()
    if page.cited:
        cells.append(new_markdown_cell("## References\n\n" + page.references()))
    name = posixpath.basename(docname)
    notebook = in_order(new_notebook(cells=cells, metadata=METADATA), name)
    if not app.config.book_installed:
        place = next(k for k, cell in enumerate(cells) if cell.cell_type == "code")
        notebook.cells.insert(place, new_code_cell(first_cell(app), id=f"{name}-svmlib"))
    return notebook


def code_cell(source, code):
    """Copy a cell with its outputs; what the page hides, the notebook hides, too.

    The tags are for other programs: `hide-input`, papermill's `parameters` on settings, and
    `solution` on the code of a solution.
    """
    cell = source.cells[code.index]
    metadata = {}
    if code.hidden:
        metadata["jupyter"] = {f"{part}_hidden": True for part in code.hidden}
    tags = [*cell.metadata.get("tags", [])]
    tags += ["solution"] * code.label.startswith("# Solution")
    if tags:
        metadata["tags"] = tags
    if words := cell.metadata.get("mystnb", {}).get("image", {}).get("alt"):
        for output in cell.outputs:
            for kind in output.get("data", {}):
                if kind.startswith("image/"):  # its metadata already has the size of the picture
                    output.metadata.setdefault(kind, {})["alt"] = words
    lines = [code.label] if code.label and not cell.source.startswith("%%") else []
    return new_code_cell("\n".join([*lines, cell.source]), outputs=cell.outputs, metadata=metadata)


def in_order(notebook, name):
    """Count cells and executions, so that the same source gives the same file.

    The ids begin with the name of the notebook, since some programs want them unique in a folder.
    """
    for k, cell in enumerate(notebook.cells):
        cell.id = f"{name}-{k}"
    count_executions(notebook)
    return notebook


def write_notebook(app, doctree, docname):
    if app.builder.name == "html" and is_notebook(app.env, docname):
        folder = Path(app.outdir, "notebooks")
        folder.mkdir(exist_ok=True)
        nbformat.write(plain_notebook(app, doctree, docname), folder / file_name(docname))


# The zips


def wheel_name():
    return f"svmlib-{version('svmlib')}-py3-none-any.whl"


def pack(app, exception):
    """Put all notebooks, the wheel and what pip needs into one zip, the same for the same files."""
    if exception or app.builder.name != "html":
        return
    folder, root = Path(app.outdir, "notebooks"), Path(app.srcdir)
    wheel = root / "_build" / "wheel" / wheel_name()
    if not wheel.is_file():
        logger.warning("no zip of the notebooks: `make book` builds %s first", wheel)
        return
    shutil.copy(wheel, folder)
    names = [file_name(name) for name in sorted(app.env.found_docs) if is_notebook(app.env, name)]
    contents = {name: (folder / name).read_bytes() for name in names}
    contents |= {name: (root / name).read_bytes() for name in ("constraints.txt", "LICENSE")}
    needed = f"-c constraints.txt\n./{wheel.name}[book,dask,onnx]\njupyterlab\n"
    contents |= {
        wheel.name: wheel.read_bytes(),
        "requirements.txt": needed.encode(),
        "README.txt": readme(app, names).encode(),
    }
    write_zip(folder / f"{FOLDER}.zip", contents)


def pack_pages(app, exception):
    """Put the finished pages into a zip, to be read from a folder."""
    if exception or app.builder.name != "html" or app.config.book_installed:
        return
    out, base = Path(app.outdir), app.config.html_baseurl
    contents = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        apart = name.startswith((".", "notebooks/", "slides/", "llms.txt"))
        apart = apart or path.suffix in (".pdf", ".epub")
        if path.is_file() and not apart:
            content = path.read_bytes()
            contents[name] = content if path.suffix != ".html" else at_home(content, base)
    write_zip(out / "notebooks" / "svm-pages.zip", contents)


ELSEWHERE = re.compile(
    rb'<a [^>]*href="(?:\.\./)*((?:notebooks|slides)/[^"]+|[^"/:]+\.(?:pdf|epub))"[^>]*>(.*?)</a>',
    re.DOTALL,
)


def at_home(page, base):
    """Return a page for the zip, whose links to missing files lead to the book's address."""

    def lead(link):
        if base:
            return link[0].replace(
                re.search(rb'href="([^"]+)"', link[0])[1], base.encode() + link[1]
            )
        return b"" if b"btn" in link[0] else link[2]

    return ELSEWHERE.sub(lead, page)


def readme(app, names):
    titles = {file_name(name): title.astext() for name, title in app.env.titles.items()}
    width = max(map(len, names))
    return Template((HERE / "README.notebooks.txt").read_text(encoding="utf-8")).substitute(
        edition="" if app.config.book_solutions else ", student edition (without solutions)",
        version=version("svmlib"),
        wheel=wheel_name(),
        notebooks="\n".join(f"  {name:{width}}  {titles[name]}" for name in names),
        first=names[0],
    )


def download_buttons(app, pagename, templatename, context, doctree):
    """Offer notebooks where the theme offers sources, which only this book's build can read."""
    for group in context.get("header_buttons", []):
        if group.get("label") != "download-buttons":
            continue
        there = context["pathto"]("notebooks", 1)
        links = {f"{FOLDER}.zip": ("All notebooks (.zip)", "Download the notebooks and svmlib")}
        if is_notebook(app.env, pagename):
            links = {file_name(pagename): (".ipynb", "Download this page as a notebook")} | links
        group["buttons"] = [
            {
                "type": "link",
                "url": f"{there}/{file}",
                "text": text,
                "tooltip": tooltip,
                "icon": "fas fa-code" if file.endswith(".ipynb") else "fas fa-file-zipper",
                "label": "download-notebook-button",
            }
            for file, (text, tooltip) in links.items()
        ] + [button for button in group["buttons"] if button["type"] == "javascript"]


# The student edition


def drop_solutions(app, doctree):
    """Drop solutions before the search index, pictures and notebooks are made."""
    if not app.config.book_solutions:
        for solution in list(doctree.findall(solution_node)):
            solution.parent.remove(solution)


def setup(app):
    app.add_config_value("book_solutions", os.environ.get("EDITION") != "student", "env")
    app.add_config_value("book_installed", os.environ.get("EDITION") == "lab", "env")
    app.connect("doctree-read", drop_solutions, priority=1)
    app.connect("doctree-resolved", write_notebook, priority=1)
    app.connect("html-page-context", download_buttons, priority=900)
    app.connect("build-finished", pack)
    app.connect("build-finished", pack_pages, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
