"""The book as plain text: chapters in Markdown, numbered equations in TeX, references in BibTeX.

The chapters are the readers' notebooks (see `editions`), with code in fences and its output below;
`llms.txt` lists them for language models.
"""

import shutil
from pathlib import Path

import nbformat
from docutils import nodes
from read_once import page

FENCE = "`" * 4  # longer than any in a chapter


def markdown(notebook):
    """Return a notebook as one text."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"{FENCE}python\n{cell.source}\n{FENCE}")
        for output in cell.outputs:
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            if text and "image/png" not in output.get("data", {}):
                parts.append(f"{FENCE}text\n{text.rstrip()}\n{FENCE}")
    return "\n\n".join(parts) + "\n"


def equations(env):
    """Return all numbered equations, with their numbers and labels, as one TeX document."""
    parts = [r"\documentclass{article}", r"\usepackage{amsmath, amssymb}", r"\begin{document}"]
    for name in env.toctree_includes[env.config.root_doc]:
        numbers = env.toc_fignumbers.get(name, {}).get("displaymath", {})
        for block in page(env, name).findall(nodes.math_block):
            if block["number"]:
                number = ".".join(map(str, numbers[block["ids"][0]]))
                tex = block.astext().strip()
                tex = f"\\begin{{split}}\n{tex}\n\\end{{split}}" if r"\\" in tex else tex
                place = f"% {name}.html#{block['ids'][0]}"
                head = rf"\begin{{equation}}\tag{{{number}}}\label{{{block['label']}}}"
                parts += ["", place, head, tex, r"\end{equation}"]
    return "\n".join([*parts, "", r"\end{document}", ""])


def write(app, error):
    if error is not None or app.builder.name != "html" or app.config.book_installed:
        return
    out, base = Path(app.outdir), app.config.html_baseurl or ""
    lines = [f"# {app.config.html_title}", "", "## Chapters", ""]
    for name in app.env.toctree_includes[app.config.root_doc]:
        file = out / "notebooks" / f"{name.rpartition('/')[2]}.ipynb"
        if file.is_file():
            made = file.with_suffix(".md")
            made.write_text(markdown(nbformat.read(file, as_version=4)), encoding="utf-8")
            title = app.env.titles[name].astext()
            lines.append(f"- [{title}]({base}notebooks/{made.name})")
    (out / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "notebooks" / "equations.tex").write_text(equations(app.env), encoding="utf-8")
    for file in app.config.bibtex_bibfiles:
        shutil.copy(Path(app.srcdir, file), out / "notebooks")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
