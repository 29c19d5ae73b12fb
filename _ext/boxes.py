"""Solutions that fold, proofs with a name, stars of exercises, and a list of all statements.

sphinx-exercise makes a solution a box with a link for a title, which needs a script to fold. A
page shows it as `<details>` instead, folded without any script. sphinx-proof writes the first word
of a proof like any other. Both give the contents of all boxes the same unused id. An
exercise of `:class: level-2` has two stars.
"""

import re

from docutils import nodes
from read_once import page
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise import depart_solution_node as depart_in_latex
from sphinx_exercise import exercise_enumerable_node, solution_node
from sphinx_exercise import visit_solution_node as visit_in_latex
from sphinx_proof.nodes import NODE_TYPES, proof_node

STATEMENTS = tuple(NODE_TYPES.values())
OTHERS = (proof_node, solution_node)
CONTENTS = {"proof", "proof-content", "exercise-content", "solution-content"}


def visit_solution(self, node):
    node.pop(0)
    # Without the name: the exercise is right above.
    self.body.append(f"{self.starttag(node, 'details')}<summary>{node['title']}</summary>\n")


def depart_solution(self, node):
    self.body.append("</details>\n")


class ShowLevels(SphinxPostTransform):
    """Put the stars of an exercise after its title, once sphinx-exercise has made the title."""

    default_priority = 400

    def run(self):
        for exercise in self.document.findall(exercise_enumerable_node):
            for level in re.findall(r"level-(\d)", " ".join(exercise["classes"])):
                exercise[0] += nodes.inline("", f" {'★' * int(level)}", classes=["level"])


class FinishBoxes(SphinxPostTransform):
    """Mark the word "Proof.", drop ids that nothing can link to, and link boxes with numbers.

    A box with a number gets a link to itself, as headings have.
    """

    default_priority = 500
    formats = ("html",)

    def run(self):
        for box in self.document.findall(proof_node):
            first = next(iter(box[0].findall(nodes.Text)))
            word, rest = first[: len("Proof.")], first[len("Proof.") :]
            place = first.parent.index(first)
            first.parent[place : place + 1] = [nodes.emphasis("", word), nodes.Text(rest)]
        numbered = (*STATEMENTS, exercise_enumerable_node)
        for box in self.document.findall(lambda node: isinstance(node, (*numbered, *OTHERS))):
            for part in box.children:
                if set(part.get("ids", ())) <= CONTENTS:
                    part["ids"] = []
            if isinstance(box, numbered):
                place = f'href="#{box["ids"][0]}" title="Link to this box"'
                link = f'<a class="headerlink" {place}>{self.config.html_permalinks_icon}</a>'
                box[0] += nodes.raw("", link, format="html")


class StatementsPlace(nodes.General, nodes.Element):
    """The place of the list, until all statements of the book are known."""


class Statements(SphinxDirective):
    def run(self):
        self.env.note_reread()  # the list changes whenever a chapter does
        return [StatementsPlace()]


class ListStatements(SphinxPostTransform):
    """Put one list per chapter, in the order of the pages: kind, number, name."""

    default_priority = 400

    def run(self):
        for place in list(self.document.findall(StatementsPlace)):
            pages = self.env.toctree_includes[self.config.root_doc]
            place.replace_self([part for page in pages for part in self.of(page)])

    def of(self, docname):
        doctree = page(self.env, docname)
        boxes = list(doctree.findall(lambda node: isinstance(node, STATEMENTS)))
        if boxes:
            numbers = self.env.toc_secnumbers[docname][""]
            title = f"{'.'.join(map(str, numbers))}. {self.env.titles[docname].astext()}"
            yield nodes.rubric("", title)
            lines = [self.item(docname, box) for box in boxes]
            yield nodes.bullet_list("", *lines, classes=["statements"])

    def item(self, docname, box):
        anchor, counter = box["ids"][0], box["countertype"]
        number = ".".join(map(str, self.env.toc_fignumbers[docname][counter][anchor]))
        uri = self.app.builder.get_relative_uri(self.env.docname, docname)
        label = f"{box['realtype'].title()} {number}"
        link = nodes.reference("", label, internal=True, refuri=f"{uri}#{anchor}")
        name = box[0].deepcopy()
        for reference in list(name.findall(addnodes.pending_xref)):
            if reference["refdomain"] == "cite":  # the page itself says whose it is
                title, place = reference.parent, reference.parent.index(reference)
                title[place - 1 : place + 1] = [nodes.Text(title[place - 1].rstrip())]
            else:  # the line is a link already
                reference.replace_self(reference.children)
        line = nodes.paragraph("", "", link, nodes.Text(" "), *name.children)
        return nodes.list_item("", line)


def setup(app):
    app.add_node(
        solution_node,
        override=True,
        html=(visit_solution, depart_solution),
        latex=(visit_in_latex, depart_in_latex),
    )
    app.add_node(StatementsPlace)
    app.add_directive("statements", Statements)
    app.add_post_transform(FinishBoxes)
    app.add_post_transform(ListStatements)
    app.add_post_transform(ShowLevels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
