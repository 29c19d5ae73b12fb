"""A search that leads to the section, the definition, the term or the function.

Sphinx's own index knows pages only, and a chapter is thirty screens long. This one has an entry
for everything that has a heading of its own; MiniSearch ranks them (see `search.js`). The index is
a script rather than data to fetch, so that it works from a folder on disk, too.

For words that readers use but the book does not, `search_words.yml` gives the book's words.
"""

import json
from pathlib import Path

import yaml
from docutils import nodes
from formulas import in_words
from sphinx import addnodes
from sphinx.util import logging
from sphinx_exercise import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import NODE_TYPES

logger = logging.getLogger(__name__)
WORDS = Path(__file__).with_name("search_words.yml")
BOXES = (*NODE_TYPES.values(), exercise_enumerable_node)
SILENT = (nodes.literal_block, nodes.raw, nodes.comment, nodes.target, solution_node)


def text(node, leave_out=()):
    """Return what a reader sees of a node on one line: no code cell, no TeX, no folded answer."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math | nodes.math_block):
        return in_words(node.astext())
    if isinstance(node, SILENT) or node in leave_out:
        return ""
    if "sd-dropdown" in node.get("classes", []) and not isinstance(node, nodes.title):
        return ""
    inline = isinstance(node, nodes.TextElement) and not isinstance(node, nodes.literal_block)
    return ("" if inline else " ").join(text(child, leave_out) for child in node.children)


def tidy(words):
    return " ".join(words.split())


def anchor(section):
    """Return the id that a section has by its title; docutils 0.22 names labels before it."""
    by_title = nodes.make_id(section[0].astext())
    return by_title if by_title in section["ids"] else section["ids"][0]


class Entries:
    """The entries of one page."""

    def __init__(self, env, docname, doctree):
        self.env, self.docname = env, docname
        self.page = env.titles[docname].astext()
        self.doctree = doctree
        self.uri = env.app.builder.get_target_uri(docname)

    def entry(self, kind, anchor, title, words):
        return {
            "kind": kind,
            "url": f"{self.uri}#{anchor}" if anchor else self.uri,
            "page": self.page,
            "title": tidy(title),
            "text": tidy(words),
        }

    def __iter__(self):
        yield from self.sections()
        yield from self.boxes()
        yield from self.terms()
        yield from self.functions()

    def headed(self):
        """All sections with a title; those inside theorem boxes have none."""
        for section in self.doctree.findall(nodes.section):
            if section.children and isinstance(section[0], nodes.title):
                yield section

    def sections(self):
        numbers = self.env.toc_secnumbers.get(self.docname, {})
        headed = list(self.headed())
        for section in headed:
            inner = [part for part in section.children if part in headed]
            own = [*inner, section[0], *section.findall(addnodes.glossary)]
            own += [box for kind in BOXES for box in section.findall(kind)]
            own += section.findall(addnodes.desc)
            top = isinstance(section.parent, nodes.document)
            key = "" if top else f"#{section['ids'][0]}"
            number = ".".join(map(str, numbers.get(key, ())))
            title = text(section[0])
            yield self.entry(
                "page" if top else "section",
                "" if top else anchor(section),
                f"{number}. {title}" if number else title,
                text(section, own),
            )

    def boxes(self):
        numbers = self.env.toc_fignumbers.get(self.docname, {})
        for kind in BOXES:
            for box in self.doctree.findall(kind):
                counter = box.get("countertype", "exercise")
                number = ".".join(map(str, numbers.get(counter, {}).get(box["ids"][0], ())))
                name = box.get("realtype", "exercise").title()
                title = f"{name} {number} {text(box[0])}"
                kind_name = "exercise" if name == "Exercise" else "statement"
                yield self.entry(kind_name, box["ids"][0], title, text(box, [box[0]]))

    def terms(self):
        for item in self.doctree.findall(nodes.definition_list_item):
            term = item.next_node(nodes.term)
            if term is not None and term["ids"]:
                yield self.entry("term", term["ids"][0], text(term), text(item, [term]))

    def functions(self):
        for description in self.doctree.findall(addnodes.desc):
            signature = description[0]
            if signature["ids"]:
                inner = list(description[-1].findall(addnodes.desc))
                yield self.entry(
                    "function",
                    signature["ids"][0],
                    signature["ids"][0],
                    text(description[-1], inner),
                )


def collect(app, doctree, docname):
    if app.builder.format == "html":
        if not hasattr(app.env, "search_entries"):
            app.env.search_entries = {}
        app.env.search_entries[docname] = list(Entries(app.env, docname, doctree))


def write(app, error):
    if error is None and app.builder.format == "html":
        known = getattr(app.env, "search_entries", {})
        for name in app.env.found_docs - known.keys():  # a page that did not change was not written
            app.env.get_and_resolve_doctree(name, app.builder)
        known = app.env.search_entries
        entries = [
            entry for name in sorted(known) if name in app.env.found_docs for entry in known[name]
        ]
        words = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
        for entry in entries:
            entry["also"] = words.pop(entry["url"], "")
        if words:
            logger.warning("%s: no section is called %s", WORDS.name, ", ".join(words))
        index = f"window.BOOK_SECTIONS = {json.dumps(entries, ensure_ascii=False, indent=0)};\n"
        Path(app.outdir, "search-sections.js").write_text(index, encoding="utf-8")


def replace_sphinx_search(app):
    app.builder.search = False


def setup(app):
    app.connect("builder-inited", replace_sphinx_search)
    app.connect("doctree-resolved", collect)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
