"""Pages that have moved: at each old address a page that leads to the new one, anchor and all."""

from pathlib import Path

MOVED = {  # when chapter 6 became two
    "chapters/06_hinge_loss": "chapters/07_hinge_loss",
    "chapters/07_full_smo": "chapters/08_full_smo",
    "chapters/08_practice": "chapters/09_practice",
    "chapters/09_relatives": "chapters/10_relatives",
    "chapters/10_wide_margin": "chapters/11_wide_margin",
    "chapters/11_newton": "chapters/12_newton",
    "chapters/12_many_samples": "chapters/13_many_samples",
}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{name}">
<noscript><meta http-equiv="refresh" content="0; url={name}"></noscript>
<script>location.replace("{name}" + location.search + location.hash);</script>
</head>
<body><p>This page has moved: <a href="{name}">it is here now</a>.</p></body>
</html>
"""


def lead_on(app, error):
    if error is None and app.builder.name == "html":
        for old, new in MOVED.items():
            if new in app.env.found_docs and old not in app.env.found_docs:
                page = PAGE.format(name=f"{new.rpartition('/')[2]}.html")
                Path(app.outdir, f"{old}.html").write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", lead_on, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
