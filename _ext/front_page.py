"""What the front page shows of the book: a figure, a card for each chapter, files to download.

    ```{alive} chapters/01_geometry fig-street
    The caption here.
    ```

    ```{chapters}
    chapters/01_geometry fig-optimal Which of the many separating lines is best?
    ```

A line is a chapter, the figure for its thumbnail and its question; the title comes from the
chapter itself, and figures from the outputs that are stored in it.
"""

import base64
import io
import re
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
from docutils import nodes
from PIL import Image, ImageOps
from sphinx.util.docutils import ReferenceRole, SphinxDirective

THUMBNAIL = 480, 320
LATER = ("*.pdf", "*.epub", "slides/index.html", "notebooks/svm-figures.zip")


def title(notebook):
    return next(re.findall("^# (.+)$", cell.source, re.M)[0] for cell in notebook.cells)


def figure(notebook, name):
    """Find a figure of a notebook; return its output and its description."""
    known = []
    for cell in notebook.cells:
        settings = cell.metadata.get("mystnb", {})
        known.append(settings.get("figure", {}).get("name", ""))
        if known[-1] == name:
            bundles = (output.get("data", {}) for output in cell.outputs)
            return next(b for b in bundles if "image/png" in b), settings["image"]["alt"]
    raise LookupError(f"there is no figure {name}, only {' '.join(filter(None, known))}")


def shrink(picture):
    """Fit a picture into the middle of a white card; all cards have one size."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    made = io.BytesIO()
    ImageOps.pad(image, THUMBNAIL, color="white").save(made, "PNG", optimize=True)
    return made.getvalue()


class Alive(SphinxDirective):
    """A chapter's interactive figure with another caption; see the top of this file."""

    required_arguments = 2
    has_content = True

    def run(self):
        docname, name = self.arguments
        path = self.env.doc2path(docname)
        self.env.note_dependency(path)
        output, _ = figure(nbformat.read(path, as_version=4), name)
        shown = f'<div class="output text_html">{output["text/html"]}</div>'
        caption, messages = self.parse_inline(" ".join(self.content))
        made = nodes.figure("", nodes.raw("", shown, format="html"))
        made += nodes.caption("", "", *caption)
        return [nodes.container("", made, classes=["cell_output"]), *messages]  # as in a chapter


class Chapters(SphinxDirective):
    """The cards; see the top of this file."""

    has_content = True

    def run(self):
        lines = ["::::{grid} 1 2 2 3", ":gutter: 3", ""]
        for number, line in enumerate(self.content, 1):
            docname, name, question = line.split(maxsplit=2)
            path = Path(self.env.doc2path(docname))
            self.env.note_dependency(str(path))
            try:
                notebook = nbformat.read(path, as_version=4)
                output, words = figure(notebook, name)
            except (LookupError, OSError) as error:
                raise self.error(f"{docname}: {error}") from error
            file = Path(self.env.srcdir, "_build", "thumbnails", f"{path.stem}.png")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(shrink(output["image/png"]))
            lines += [
                f":::{{grid-item-card}} {number}. {title(notebook)}",
                f":img-top: {file.relative_to(self.env.srcdir).as_posix()}",
                f":img-alt: {words.partition('. ')[0].rstrip('.')}.",
                f":link: {docname}",
                ":link-type: doc",
                question,
                ":::",
            ]
        return self.parse_text_to_nodes("\n".join([*lines, "::::"]))


class Beside(ReferenceRole):
    """Link the text to a file that is made beside the pages; see `offer_files`."""

    def run(self):
        return [nodes.reference("", "", nodes.Text(self.title), refuri=self.target)], []


def made_later(app):
    """Find the files that are made from the pages, and so are written later."""
    out = Path(app.outdir)
    return sorted(file.relative_to(out).as_posix() for kind in LATER for file in out.glob(kind))


def offer_files(app, doctree, docname):
    """If a file is missing, drop its button, and keep only the text of other links to it."""
    if docname == app.config.root_doc and app.builder.format == "html":
        for link in list(doctree.findall(nodes.reference)):
            address = link.get("refuri", "")
            ours = not urlsplit(address).scheme and any(map(Path(address).match, LATER))
            if not ours or address in app.env.made_later:
                continue
            if len(link.parent) == 1:
                link.parent.parent.remove(link.parent)
            else:
                link.replace_self(link.children)


def look_for_files(app, env, added, changed, removed):
    """Build the front page again if a file has been added or removed."""
    before, env.made_later = getattr(env, "made_later", []), made_later(app)
    return [app.config.root_doc] if env.made_later != before else []


def setup(app):
    app.add_directive("alive", Alive)
    app.add_directive("chapters", Chapters)
    app.add_role("beside", Beside())
    app.connect("env-get-outdated", look_for_files)
    app.connect("doctree-resolved", offer_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
