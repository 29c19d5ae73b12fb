"""The chapters as plain Markdown, and `llms.txt`, which lists them for programs that read.

They are the readers' notebooks (see `editions`), with code in fences and what it prints below.
"""

from pathlib import Path

import nbformat

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


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
