"""A page loads only the parts of the script that its interactive figures need, in order.

Jupyter Book loads every script and style in _static on every page, in no order.
"""

import re
from pathlib import PurePath

from svmlib.book import explorable


def load_what_is_needed(app, pagename, templatename, context, doctree):
    kinds = re.findall(r'"kind": "(\w+)"', context.get("body", ""))
    needed = dict.fromkeys(
        file for kind in kinds for file in ("style.css", *explorable.scripts(kind))
    )
    for files in (context["script_files"], context["css_files"]):
        paths = {PurePath(str(getattr(file, "filename", ""))): file for file in files}
        parts = {
            path.name: file for path, file in paths.items() if path.parent.name == "explorables"
        }
        others = [file for file in files if file not in parts.values()]
        files[:] = others + [parts[name] for name in needed if name in parts]


def setup(app):
    # After Jupyter Book has added the files in _static.
    app.connect("html-page-context", load_what_is_needed, priority=910)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
