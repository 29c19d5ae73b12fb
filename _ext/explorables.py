"""A page loads the parts of the script that its figures to take hold of need, without comments.

Jupyter Book loads every script and style that lies in _static on every page, in no order.
"""

import re
from pathlib import PurePath

from svmlib.book import explorable

FOLDER = "explorables"


def load_what_is_needed(app, pagename, templatename, context, doctree):
    kinds = re.findall(r'"kind": "(\w+)"', context.get("body", ""))
    scripts = dict.fromkeys(file for kind in kinds for file in explorable.scripts(kind))
    needed = list(scripts) + ["style.css"] * bool(kinds)
    for key in ("script_files", "css_files"):
        parts, others = {}, []
        for file in context[key]:
            path = PurePath(str(getattr(file, "filename", None) or ""))
            if path.parent.name == FOLDER:
                parts[path.name] = file
            else:
                others.append(file)
        context[key][:] = others + [parts[name] for name in needed if name in parts]


def served(script):
    """Return a script without its indentation and the comments that have lines of their own.

    Nothing shorter: minifiers from PyPI that rename variables have no wheels for every machine,
    and the others do not know templates within templates.
    """
    return re.sub(r"^(?:[ \t]*(?://.*|/\*\*[\s\S]*?\*/)?\n)*[ \t]*", "", script, flags=re.MULTILINE)


def write_served(app, error):
    if error is None and app.builder.format == "html":
        for file in (app.outdir / "_static" / FOLDER).glob("*.js"):
            file.write_text(served(file.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    # After Jupyter Book has added what lies in _static.
    app.connect("html-page-context", load_what_is_needed, priority=910)
    app.connect("build-finished", write_served)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
