"""Cards for sharing, a sitemap, a page for errors 404, and links to report errors.

BOOK_URL in the environment is the address where the pages are published.
Without it there is no sitemap and no picture on the card, since both need whole addresses.
"""

import os
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from docutils import nodes
from section_search import text, tidy
from sphinx.util.docutils import SphinxRole

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">"""


def where(app, config):
    address = os.environ.get("BOOK_URL", config.html_baseurl)
    config.html_baseurl = address and address.rstrip("/") + "/"
    # Not in _static: Jupyter Book would load every file of it on every page.
    config.html_static_path.append(str(Path(__file__).parent / "static"))
    config.html_additional_pages |= {"404": "404.html", "search": "search.html"}


def repository(config):
    """Return where the sources are, if `_config.yml` says so."""
    return config.html_theme_options.get("repository_url", "")


def report(config, title=""):
    """Return the address for reporting an error, if the address of the sources is known."""
    sources = repository(config)
    return f"{sources}/issues/new?title={quote(title)}" if sources else ""


class Elsewhere(SphinxRole):
    """Link the text to the address that the settings give; without one it stays text."""

    def __init__(self, find):
        self.find = find

    def run(self):
        address, text = self.find(self.config), nodes.Text(self.text)
        return [nodes.reference("", "", text, refuri=address) if address else text], []


def offer_report(app, pagename, templatename, context, doctree):
    """Put a link to report an error at the foot of the page, with its name in the subject."""
    if doctree is not None and (address := report(app.config, f"{pagename}: ")):
        context["theme_extra_footer"] += f'<p><a href="{escape(address)}">Report an error</a></p>'


def say_when(app, pagename, templatename, context, doctree):
    """Say at the foot of the page when its source was changed last, if git is available."""
    if doctree is None or not shutil.which("git"):
        return
    command = ["git", "log", "-1", "--format=%cs", "--", app.env.doc2path(pagename)]
    said = subprocess.run(command, cwd=app.srcdir, capture_output=True, text=True, check=False)
    if day := said.stdout.strip():
        words = f"{date.fromisoformat(day):%-d %B %Y}"
        context["theme_extra_footer"] += f'<p>Changed on <time datetime="{day}">{words}</time></p>'


def describe(app, pagename, templatename, context, doctree):
    context["html_baseurl"] = app.config.html_baseurl
    context["base_path"] = urlsplit(app.config.html_baseurl).path or "/"
    # docutils and the theme both say how wide a page is.
    context["metatags"] = re.sub(r'<meta name="viewport"[^>]*>', "", context.get("metatags", ""))
    context["pagename"], context["root_doc"] = pagename, app.config.root_doc
    if doctree is not None:
        first = next(iter(doctree.findall(nodes.paragraph)), None)
        words = tidy(text(first)) if first is not None else context["title"]
        context["description"] = words if len(words) < 200 else words[:200].rsplit(" ", 1)[0] + " …"


def write_sitemap(app, error):
    base = app.config.html_baseurl
    if error is None and app.builder.format == "html" and base:
        pages = [base + app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
        lines = [f"<url><loc>{escape(page)}</loc></url>" for page in pages]
        sitemap = "\n".join([SITEMAP, *lines, "</urlset>", ""])
        Path(app.outdir, "sitemap.xml").write_text(sitemap, encoding="utf-8")
        robots = f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n"
        Path(app.outdir, "robots.txt").write_text(robots, encoding="utf-8")


def defer_scripts(app, pagename, templatename, context, doctree):
    """Defer all scripts until after the first paint, except the one that inline scripts need."""
    for script in context["script_files"]:
        name = str(getattr(script, "filename", None) or "")
        if name and "documentation_options" not in name:
            script.attributes.setdefault("defer", "defer")


def drop_what_nobody_asks_for(app, error):
    static = Path(app.outdir, "_static")
    shutil.rmtree(static / "vendor", ignore_errors=True)  # Font Awesome: see packages.py
    for unread in (*static.rglob("*.map"), *static.glob("*webpack-macros.html")):
        unread.unlink()  # the macros are templates of the theme


def setup(app):
    app.connect("config-inited", where)
    app.add_role("repository", Elsewhere(repository))
    app.add_role("report", Elsewhere(report))
    app.connect("html-page-context", describe)
    app.connect("html-page-context", say_when)
    app.connect("html-page-context", offer_report)
    app.connect("html-page-context", defer_scripts, priority=900)
    app.connect("build-finished", write_sitemap)
    app.connect("build-finished", drop_what_nobody_asks_for)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
