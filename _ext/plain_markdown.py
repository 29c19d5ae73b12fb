"""Translate a page of the book into plain Markdown, which every notebook program can show.

The page comes as the doctree that Sphinx has resolved for the HTML, so numbers, titles and links
are those of the pages. What Markdown lacks is expressed by what it has: a theorem is a
quotation with a title, a fold is `<details>`, an anchor is `<a id>`.

Two habits of notebook programs shape the output. They cut formulas out of the text before they
read the Markdown, so a formula stays on one line, or the `>` of a quotation gets into it. And they
read the Markdown inside `<details>` only after a blank line.
"""

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, groupby, repeat

from docutils import nodes
from sphinx.util import logging
from sphinx_exercise.nodes import solution_node

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Code:
    """A code cell, by its place in the source notebook.

    Its `source`, its `outputs` or both are hidden until a click. Jupyter shows the first
    line of a hidden source, which is why a solution gets a label.
    """

    index: int
    hidden: tuple[str, ...] = ()
    label: str = ""


BREAK = object()  # here a new Markdown cell begins
PARAGRAPHS = "\n\n"
TAGS = {"emphasis": "em", "strong": "strong", "literal": "code"}


def group(pieces: Iterable, wrap: Callable[[str], str]) -> list:
    """Join the text between two code cells into one string and wrap it."""
    wrapped: list = []
    for is_text, run in groupby(pieces, lambda piece: isinstance(piece, str)):
        joined = list(run)
        wrapped += [wrap(PARAGRAPHS.join(joined))] if is_text else joined
    return wrapped


def quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def fold(summary: str, text: str) -> str:
    return PARAGRAPHS.join(
        (f"<details>\n<summary>{summary}</summary>", text, "</details>") if text else ()
    )


def escape(text: str) -> str:
    """Escape the characters that have a meaning in Markdown, HTML or TeX."""
    text = re.sub(r"([\\`*_\[\]|~])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
    # A backslash does not help: MathJax looks for dollars once Markdown has taken it away.
    return text.replace("$", "<span>&#36;</span>")


def formula(node: nodes.Node) -> str:
    """Put a formula on one line, without comments and with nothing that looks like a tag."""
    text = re.sub(r"(?<!\\)%.*", "", node.astext())
    return " ".join(re.sub(r"<(?=[a-zA-Z/!])", "< ", text).split())


class Translator:
    """Translate blocks into pieces (strings, code cells, breaks) and inline nodes into strings.

    Parameters
    ----------
    number : callable (kind, id) -> str
        The number that the page shows, such as "1.3", or nothing.
    link : callable (reference node) -> str or None
        The target of the link in a notebook, or None to keep only the text.
    """

    def __init__(
        self, number: Callable[[str, str], str], link: Callable[[nodes.Element], str | None]
    ):
        self.number, self.link = number, link

    # Blocks

    def block(self, node: nodes.Node) -> list:
        name = type(node).__name__
        kind = node.get("nb_element") if isinstance(node, nodes.container) else None
        method = getattr(self, f"block_{kind or name}", None)
        if method is None and "realtype" in getattr(node, "attributes", ()):
            method = self.block_statement
        if method is None:
            logger.warning("plain notebooks cannot say %s", name, location=node)
            return []
        made = method(node)
        pieces = [piece for piece in (made if isinstance(made, list) else [made]) if piece != ""]
        anchors = "".join(f'<a id="{html.escape(i)}"></a>' for i in self.anchors(node))
        if anchors and pieces:
            pieces.insert(pieces[0] is BREAK, anchors)
        return pieces

    @staticmethod
    def anchors(node: nodes.Node) -> list[str]:
        """Return the possible targets of links, without those inside boxes and solutions."""
        if not isinstance(node, nodes.Element) or isinstance(node, nodes.container | solution_node):
            return []
        inside = isinstance(node, nodes.section) and not isinstance(node[0], nodes.title)
        return [] if inside else node["ids"]

    def blocks(self, children: Iterable[nodes.Node]) -> list:
        return [piece for child in children for piece in self.block(child)]

    def text(self, children: Iterable[nodes.Node], joint: str = PARAGRAPHS) -> str:
        """Translate what cannot contain a code cell: list items, table cells."""
        pieces = self.blocks(children)
        if any(isinstance(piece, Code) for piece in pieces):
            raise ValueError(f"no code cell fits into {children!r:.200}")
        return joint.join(piece for piece in pieces if piece is not BREAK)

    def skip(self, node: nodes.Node) -> str:
        return ""

    block_comment = block_target = block_index = block_toctree = block_meta = skip
    block_substitution_definition = skip

    def block_section(self, node: nodes.Element) -> list:
        if not isinstance(node[0], nodes.title):
            return self.blocks(node.children)
        level, parent = 1, node.parent
        while parent is not None:
            level += isinstance(parent, nodes.section)
            parent = parent.parent
        number = self.number("section", node["ids"][0])
        heading = "#" * level + " " + (f"{number}. " if number else "") + self.inline(node[0])
        return [BREAK, heading, *self.blocks(node[1:])]

    def block_paragraph(self, node: nodes.Element) -> str:
        text = self.inline(node).strip()
        # What opens a list, a heading or a quotation at the start of a line
        return re.sub(r"^(\d+(?=[.)]\s)|(?=[-+#>]))", r"\1\\", text)

    def block_block_quote(self, node: nodes.Element) -> list:
        return group(self.blocks(node.children), quote)

    def block_math_block(self, node: nodes.Element) -> str:
        text = re.sub(r"\\(begin|end)\{(align|gather)\*?\}", r"\\\1{\2ed}", formula(node))
        if r"\\" in text and not node.get("no-wrap", node.get("nowrap")):
            text = rf"\begin{{split}}{text}\end{{split}}"  # as Sphinx does for the pages
        number = self.number("displaymath", node["ids"][0]) if node["ids"] else ""
        tag = rf" \tag{{{number}}}" if number else ""
        return f"$${text}{tag}$$"

    # Lists and tables

    def block_list(self, node: nodes.Element) -> str:
        start = node.get("start", 1) if isinstance(node, nodes.enumerated_list) else None
        tight = all(len(item) <= 1 for item in node)
        items = []
        for k, item in enumerate(node):
            marker = "- " if start is None else f"{start + k}. "
            lines = self.text(item.children).split("\n")
            indented = (" " * len(marker) + line if line else "" for line in lines)
            items.append(marker + "\n".join(indented).strip())
        return ("\n" if tight else PARAGRAPHS).join(items)

    block_bullet_list = block_enumerated_list = block_list

    def block_definition_list(self, node: nodes.Element) -> str:
        return PARAGRAPHS.join(self.text(item.children) for item in node)

    def block_term(self, node: nodes.Element) -> str:
        return f"**{self.inline(node).strip()}**"

    def block_definition(self, node: nodes.Element) -> str:
        return quote(self.text(node.children))

    def block_table(self, node: nodes.Element) -> list:
        head = [row for thead in node.findall(nodes.thead) for row in thead]
        rows = head + [row for tbody in node.findall(nodes.tbody) for row in tbody]
        width = max(len(row) for row in rows)
        cells = [[self.table_cell(entry) for entry in row] for row in rows]
        if not head:
            cells.insert(0, [""] * width)
        cells.insert(1, ["---"] * width)
        table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
        titles = [child for child in node if isinstance(child, nodes.title)]
        return [*(self.numbered("table", node, title) for title in titles), table]

    def table_cell(self, entry: nodes.Element) -> str:
        """Keep a cell on one line, and its formulas free of characters that would end it."""
        for math in entry.findall(nodes.math):
            bars = re.sub(r"(?<!\\)\\\|", r"\\Vert ", math.astext()).replace("|", r"\vert ")
            math.children = [nodes.Text(bars)]
        return self.text(entry.children, "<br>").replace("\n", "<br>")

    def numbered(self, kind: str, node: nodes.Element, caption: nodes.Element) -> str:
        number = self.number(kind, node["ids"][0]) if node["ids"] else ""
        label = f"**{kind.title()} {number}.** " if number else ""
        return label + self.inline(caption).strip()

    # Code cells

    def block_cell_code(self, node: nodes.Element) -> list:
        """Keep the cell; its caption and the description of its picture follow as text."""
        metadata = node["cell_metadata"]
        hidden = ("source",) if "hide-input" in metadata.get("tags", []) else ()
        pieces: list = [Code(int(node["cell_index"]), hidden)]
        for figure in node.findall(nodes.figure):
            # The anchor goes above the cell, so that a link shows the picture.
            pieces.insert(0, "".join(f'<a id="{i}"></a>' for i in figure["ids"]))
            caption = next(figure.findall(nodes.caption))
            pieces.append(self.numbered("figure", figure, caption))
            if any('class="explorable"' in raw.astext() for raw in node.findall(nodes.raw)):
                pieces.append("*Run the cell: then it can be moved.*")
            words = metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            pieces.append(fold("What the figure shows, in words", escape(words)))
        return pieces

    # Boxes

    def box(self, title: str, children: Iterable[nodes.Node]) -> list:
        return group([f"**{title.replace('**', '')}**", *self.blocks(children)], quote)

    def block_admonition(self, node: nodes.Element) -> list:
        return self.box(self.inline(node[0]), node[1:])

    def block_statement(self, node: nodes.Element) -> list:
        """Box a definition, lemma, theorem, algorithm …, with its number."""
        number = self.number(node["countertype"], node["ids"][0]) if "countertype" in node else ""
        name = f"{node['realtype'].title()} {number}".strip()
        return self.box(name + self.inline(node[0]), node[1:])

    def block_proof_node(self, node: nodes.Element) -> list:
        pieces = self.blocks(child for admonition in node for child in admonition)
        pieces[-1] += "\n\n∎" if pieces[-1].endswith(("$$", "```", "|")) else " ∎"
        return group(pieces, quote)

    def block_exercise_enumerable_node(self, node: nodes.Element) -> list:
        name = f"Exercise {self.number('exercise', node['ids'][0])}{self.inline(node[0])}"
        return [BREAK, *self.box(name, node[1:]), BREAK]

    block_exercise_node = block_exercise_enumerable_node

    def block_solution_node(self, node: nodes.Element) -> list:
        """Fold the text; a code cell cannot be inside, so it is folded by itself."""
        title, *body = node
        label = f"# {title.astext()}"
        pieces = [
            Code(piece.index, ("source", "outputs"), label) if isinstance(piece, Code) else piece
            for piece in self.blocks(body)
        ]
        if not isinstance(pieces[0], str):
            pieces.insert(0, "The code is in the folded cell below.")
        name = self.summary(title)
        names = chain([name], repeat(f"{name}, continued"))
        return [BREAK, *group(pieces, lambda text: fold(next(names), text)), BREAK]

    def block_dropdown_main(self, node: nodes.Element) -> list:
        title, body = node.children
        words = next(part for part in title if "sd-summary-text" in part["classes"])
        return group(self.blocks(body.children), lambda text: fold(self.summary(words), text))

    # Inline

    def inline(self, node: nodes.Node) -> str:
        return "".join(map(self.span, node.children))

    def span(self, node: nodes.Node) -> str:
        name = type(node).__name__
        method = getattr(self, f"inline_{name}", None)
        if method is None:
            logger.warning("plain notebooks cannot say %s in a line", name, location=node)
            return ""
        return method(node)

    def inline_Text(self, node: nodes.Text) -> str:  # noqa: N802
        return escape(node.astext().replace("\n", " "))

    inline_inline = inline_generated = inline
    inline_comment = inline_index = skip

    def inline_raw(self, node: nodes.Element) -> str:
        link_to_itself = 'class="headerlink"' in node.astext()  # of a box, on a page
        return "" if link_to_itself else node.astext()

    def inline_math(self, node: nodes.Element) -> str:
        return f"${formula(node)}$"

    def inline_emphasis(self, node: nodes.Element) -> str:
        return f"*{self.inline(node)}*"

    def inline_strong(self, node: nodes.Element) -> str:
        return f"**{self.inline(node)}**"

    def inline_literal(self, node: nodes.Element) -> str:
        """Write inline code, in HTML if Markdown would interpret a `|` or `$` in it."""
        code = node.astext().replace("\n", " ")
        if re.search(r"[`|$]", code):
            return f"<code>{escape(code)}</code>"
        return f"`{code}`"

    def inline_reference(self, node: nodes.Element) -> str:
        text, target = self.inline(node), self.link(node)
        if not target:
            return text
        target = target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        return f"[{text}]({target})"

    inline_number_reference = inline_reference

    def summary(self, node: nodes.Node) -> str:
        """Translate the title of a fold, where Markdown is not read, into HTML."""
        if isinstance(node, nodes.Text):
            return html.escape(node.astext().replace("\n", " "), quote=False)
        if isinstance(node, nodes.math):
            return self.inline_math(node)
        text = "".join(map(self.summary, node.children))
        tag = TAGS.get(type(node).__name__)
        return f"<{tag}>{text}</{tag}>" if tag else text
