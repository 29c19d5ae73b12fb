"""Style sheets without the rules that no page of the book can use.

The theme brings all of Bootstrap, sphinx-design and the colours of terminals, half a megabyte to be
read before the first paint. A rule stays if every class and id that it asks for occurs as a word in
some page or script; at the slightest doubt it stays.
"""

import re
from pathlib import Path

import tinycss2

NESTED = {"media", "supports", "layer", "container"}


def words(folder):
    """Every word that may be a class or an id: in the pages, or put there by a script."""
    found = set()
    for file in (*folder.rglob("*.html"), *folder.rglob("*.js")):
        found.update(re.findall(r"[\w-]+", file.read_text(encoding="utf-8")))
    return found


def used(selector, known):
    selector = re.sub(r":(?:not|is|where|has)\((?:[^()]|\([^()]*\))*\)|\[[^]]*\]", "", selector)
    names = re.findall(r"[.#]((?:[\w-]|\\.)+)", selector)
    # What scripts put together from pieces, such as bs-tooltip-auto, is known by its first piece.
    return all(name in known or name.startswith(("bs-", "tooltip")) for name in names)


def lean(rules, known):
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [one for one in split(rule.prelude) if used(one, known)]
            if selectors:
                kept.append(f"{','.join(selectors)}{{{tinycss2.serialize(rule.content)}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in NESTED and rule.content:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if content := lean(inner, known):
                prelude = tinycss2.serialize(rule.prelude)
                kept.append(f"@{rule.at_keyword}{prelude}{{{content}}}")
        else:
            kept.append(rule.serialize())
    return "\n".join(kept)


def split(prelude):
    """Split a list of selectors at its own commas, not at those inside brackets."""
    selectors = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in selectors]


def rewrite(app, error):
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir)
        known = words(folder)
        for file in folder.rglob("_static/**/*.css"):
            text = file.read_text(encoding="utf-8")
            notices = "\n".join(re.findall(r"/\*!.*?\*/", text, re.DOTALL))  # licences stay
            rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
            file.write_text(f"{notices}\n{lean(rules, known)}\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", rewrite, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
