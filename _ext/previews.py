"""What a link inside the book leads to, for `previews.js` to show at the link.

A page in a local folder may not fetch another page, so previews come as scripts, one for each page
to which links lead; a page loads such a script just before it shows a preview from it. Previews are
cut from the finished pages, and only for targets of links.
"""

import json
import re
from collections import defaultdict
from pathlib import Path
from urllib.parse import urljoin

ARTICLE = re.compile("<article.*</article>", re.DOTALL)
LINK = re.compile(r'<a class="reference internal" href="([^"#]*)#?([^"]*)"')
TAG = re.compile(r"<(/?)(\w+)[^>]*>")
HEADING = re.compile(r"<h(\d)>(.*?)</h\1>\s*", re.DOTALL)
FIRST = re.compile(r'\s*(<p>|<div class="(?:proof|math))')
THEN = re.compile(r'\s*(<div class="math)')
# Links to the thing itself, and roles that depend on what is around it
NEEDLESS = re.compile(r'<a class="headerlink".*?</a>| role="[^"]*"', re.DOTALL)


def element(page, start):
    """Return the element that begins at a place, up to its end tag."""
    name, depth = TAG.match(page, start)[2], 0
    for tag in TAG.finditer(page, start):
        if tag[2] == name:
            depth += -1 if tag[1] else 1
        if depth == 0:
            return page[start : tag.end()]
    raise ValueError(f"no end of {page[start : start + 80]}")


def beginning(page, start):
    """Return the heading of a section, its first paragraph or box, and a formula that follows."""
    heading = HEADING.search(page, start)
    parts, end = [f"<p><strong>{heading[2]}</strong></p>"], heading.end()
    for kind in (FIRST, THEN):
        if begins := kind.match(page, end):
            parts.append(element(page, begins.start(1)))
            end = begins.start(1) + len(parts[-1])
    return "".join(parts)


def cut(page, anchor):
    """Return the target of an anchor: a box, a formula, or a word and its meaning."""
    start = page.rindex("<", 0, page.index(f' id="{anchor}"')) if anchor else 0
    name = TAG.match(page, start)[2]
    if name in ("article", "section", "span"):  # a span is one more name of a section
        return beginning(page, start)
    whole = element(page, start)
    if name == "dt":
        return f"<dl>{whole}<dd>{element(page, page.index('<p>', start))}</dd></dl>"
    if name == "figure":  # the still of what moves
        image = re.search("<img[^>]*>", whole)[0]
        caption = element(whole, whole.rindex("<figcaption"))
        return f'<figure><div class="cell_output">{image}</div>{caption}</figure>'
    return whole


def write(app, error):
    if error is not None or app.builder.format != "html":
        return
    folder, wanted = Path(app.outdir), defaultdict(set)
    names = {app.builder.get_target_uri(name) for name in app.env.found_docs}
    pages = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    pages = {name: ARTICLE.search(page)[0] for name, page in pages.items()}
    for name, page in pages.items():
        for path, anchor in LINK.findall(page):
            wanted[urljoin(name, path)].add(anchor)
    for name, anchors in wanted.items():
        page = pages[name]
        parts = {anchor: NEEDLESS.sub("", cut(page, anchor)) for anchor in sorted(anchors)}
        parts = {anchor: part.replace(' id="', ' id="preview-') for anchor, part in parts.items()}
        data = json.dumps(parts, ensure_ascii=False)
        script = folder / "previews" / Path(name).with_suffix(".js")
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"BOOK_PREVIEWS[{json.dumps(name)}] = {data};\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
