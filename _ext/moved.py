"""Old addresses: a page that has moved leads to the new one, and an anchor to where it is now.

Where one chapter became two, an anchor is looked for in both. A chapter that kept its address but
lost some of its sections leads on from these as well.
"""

import json
import re
from pathlib import Path

MOVED = {  # an old page, and the pages that have its parts now
    "chapters/06_hinge_loss": ("chapters/07_hinge_loss", "chapters/06_soft_margin"),
    "chapters/07_full_smo": ("chapters/08_full_smo",),
    "chapters/08_practice": ("chapters/09_practice",),
    "chapters/09_relatives": ("chapters/10_relatives",),
    "chapters/10_wide_margin": ("chapters/11_wide_margin",),
    "chapters/11_newton": ("chapters/12_newton",),
    "chapters/12_many_samples": ("chapters/13_many_samples", "chapters/14_beyond_memory"),
}
SPLIT = {  # pages that kept their address, and those that have their parts now
    "chapters/11_wide_margin": ("chapters/11_wide_margin",),
    "chapters/13_many_samples": ("chapters/13_many_samples", "chapters/14_beyond_memory"),
}
RENAMED = {  # headings and boxes of these pages
    "no-line-at-all": "classes-that-are-not-separable",
    "charge-for-slack": "slack-variables-and-their-price-c",
    "how-the-band-grows": "how-the-width-depends-on-c",
    "choosing-c": "choosing-c-by-cross-validation",
    "or-shrink-the-hulls": "reduced-convex-hulls",
    "slack-eliminated": "the-hinge-loss-eliminating-the-slack",
    "downhill-with-kinks": "subgradient-descent",
    "a-line-one-multiplier-at-a-time": "coordinate-descent-one-multiplier-at-a-time",
    "a-few-features-for-a-kernel": "low-rank-approximation-a-few-features-for-a-kernel",
    "by-lot": "random-fourier-features",
    "past-one-machine": "sums-over-chunks-of-rows",
    "thm-practice-radius": "thm-margin-radius",
    "thm-practice-loo": "thm-margin-loo",
    "fig-practice-support": "fig-margin-support",
}
LEAD = """<script>
(places => {{
  const place = places[location.hash.slice(1)];
  if (place) location.replace(place);{otherwise}
}})({places});
</script>
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{name}">
<noscript><meta http-equiv="refresh" content="0; url={name}"></noscript>
{lead}</head>
<body><p>This page has moved: <a href="{name}">it is here now</a>.</p></body>
</html>
"""


def anchors(folder, page):
    article = (folder / f"{page}.html").read_text(encoding="utf-8").partition("<article")[2]
    return set(re.findall(r'<[a-z][^<>]* id="([^"]+)"', article.partition("</article>")[0]))


def places(folder, pages):
    """Return where the anchors are that the first of some pages does not have."""
    first, *others = pages
    known = anchors(folder, first)
    found = {name: f"#{name}" for name in known}
    for page in others:
        address = f"{page.rpartition('/')[2]}.html"
        found = {name: f"{address}#{name}" for name in anchors(folder, page)} | found
    found |= {old: found[new] for old, new in RENAMED.items() if new in found and old not in found}
    return {name: found[name] for name in sorted(found.keys() - known)}


def lead_on(app, error):
    if error or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    for old, new in MOVED.items():
        if app.env.found_docs.issuperset(new) and old not in app.env.found_docs:
            name = f"{new[0].rpartition('/')[2]}.html"
            known = places(folder, new)
            known = {key: it if it[0] != "#" else name + it for key, it in known.items()}
            otherwise = f'\n  else location.replace("{name}" + location.search + location.hash);'
            lead = LEAD.format(places=json.dumps(known), otherwise=otherwise)
            page = PAGE.format(name=name, lead=lead)
            (folder / f"{old}.html").write_text(page, encoding="utf-8")
    for name, pages in SPLIT.items():
        if app.env.found_docs.issuperset(pages):
            file = folder / f"{name}.html"
            page = file.read_text(encoding="utf-8")
            lead = LEAD.format(places=json.dumps(places(folder, pages)), otherwise="")
            # An earlier build may have put one there already.
            page = re.sub(r"<script>\n\(places =>.*?</script>\n", "", page, flags=re.DOTALL)
            file.write_text(page.replace("</head>", f"{lead}</head>", 1), encoding="utf-8")


def setup(app):
    app.connect("build-finished", lead_on, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
