"""Leave out what the theme sends or does needlessly, so that a phone shows a page sooner.

One style sheet takes the place of a dozen, without rules that apply to nothing here. The theme's
script measured every block of code and every output when a page had loaded, and again after each
change, to make those that scroll reachable by keyboard; `book.js` does this without laying out the
page again for each of them.
"""

import hashlib
import os
import re
from fnmatch import fnmatch
from pathlib import Path

from sphinx.errors import ExtensionError

SHEET = "all.css"
PARTS = (  # in the order of the pages; math.css and those of figures are not on every page
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "icons.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "mystnb.*.css",
    "copybutton.css",
    "exercise.css",
    "proof.css",
    "sphinx-design.min.css",
    "book.css",
    "reference.css",
)
OWN = ("icons.css", "book.css", "reference.css")
MADE = {"bs-tooltip-auto"}  # a class that Bootstrap puts together from its parts
FACE = re.compile(r"@font-face\{[^}]*/fontawesome/[^}]*\}")  # whole fonts, which no page uses
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CHARSET = re.compile(r'@charset "[^"]*";')
RULE = re.compile(r"([^{}@;]+)\{[^{}]*\}")
NO_CLASS = re.compile(r":not\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]")  # .x in here is not needed
NAME = re.compile(r"[.#](-?[A-Za-z_][\w-]*)")
WORD = re.compile(r"[\w-]+")
ADDRESS = re.compile(r"""(?<=url\()(['"]?)(?!data:|https?:|[#/])([^)'"]+)""")
LINK = re.compile(rf"(?<=_static/{SHEET})(?:\?v=\w+)?(?=\")")
AT_LOAD = re.compile(
    r',"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
# Names in the two lists of contents, whose wrappings are a thirtieth of the library's page.
ENTRY = re.compile(
    r'(nav-link" href="[^"]*"><code class=")docutils (literal) notranslate">'
    r'<span class="pre">([^<]*)</span>'
)
GONE = ",/* see light.py */0"


def used(style, words):
    """Return a style sheet without the rules whose selectors all match nothing on any page."""

    def kept(rule):
        selectors = NO_CLASS.sub("", rule[1]).split(",")
        return rule[0] if any(words.issuperset(NAME.findall(one)) for one in selectors) else ""

    return RULE.sub(kept, style)


def part(static, name):
    """Return a style sheet whose addresses hold in the folder above, without fonts of icons."""
    (file,) = static.glob(name)
    folder = file.parent.relative_to(static).as_posix()

    def lead(address):
        return address[1] + os.path.normpath(f"{folder}/{address[2]}")

    return ADDRESS.sub(lead, FACE.sub("", file.read_text(encoding="utf-8")))


def joined(static, words):
    """Return all parts as one style sheet, the notices of their licences first."""
    notices, rules = [], []
    for name in PARTS:
        style = part(static, name)
        notices += (note for note in COMMENT.findall(style) if note.startswith("/*!"))
        style = CHARSET.sub("", COMMENT.sub("", style))
        rules.append(style if name in OWN else used(style, words))
    return "\n".join([*dict.fromkeys(notices), *rules])


def link(app, pagename, templatename, context, doctree):
    """Let the page link the files that are not part of the one style sheet."""
    files = context["css_files"]
    names = [str(getattr(file, "filename", "")).removeprefix("_static/") for file in files]
    parts = [any(fnmatch(name, part) for part in PARTS) for name in names]
    files[:] = [file for file, is_part in zip(files, parts, strict=True) if not is_part]


def write(app, error):
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    script = static / "scripts/pydata-sphinx-theme.js"
    theirs = script.read_text(encoding="utf-8")
    ours = AT_LOAD.sub(GONE, theirs)
    if GONE not in ours:
        raise ExtensionError("the theme's script does not begin to measure as light.py expects")
    script.write_text(ours, encoding="utf-8")
    (static / "scripts/fontawesome.js").unlink(missing_ok=True)  # no page loads it
    pages = {path: path.read_text(encoding="utf-8") for path in out.rglob("*.html")}
    texts = [*pages.values(), *(path.read_text(encoding="utf-8") for path in out.rglob("*.js"))]
    style = joined(static, MADE.union(*map(WORD.findall, texts)))
    (static / SHEET).write_text(style, encoding="utf-8")
    version = hashlib.sha256(style.encode()).hexdigest()[:8]
    for path, page in pages.items():
        page = ENTRY.sub(r'\1\2">\3', page)
        path.write_text(LINK.sub(f"?v={version}", page), encoding="utf-8")


def setup(app):
    app.add_css_file(SHEET)
    app.connect("html-page-context", link, priority=950)  # after Jupyter Book has added its own
    app.connect("build-finished", write, priority=600)  # after all that write parts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
