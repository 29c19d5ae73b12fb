"""Configure plain Sphinx by the files of Jupyter Book, `_config.yml` and `_toc.yml`.

What Jupyter Book sets by itself is set here: the theme, what lies in `_static`, numbers of figures.
"""

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "_static"
book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
globals().update(book["sphinx"]["config"])

project = html_title = book["title"]
author, copyright = book["author"], book["copyright"]  # noqa: A001
exclude_patterns = [*book["exclude_patterns"], "_build"]
extensions = book["sphinx"]["config"]["extensions"]
extensions = [name for name in extensions if name not in ("jupyter_book", "sphinx_comments")]
external_toc_path = str(ROOT / "_toc.yml")
external_toc_exclude_missing = book["only_build_toc_files"]
html_logo, html_favicon = str(ROOT / book["logo"]), str(ROOT / book["html"]["favicon"])
html_sourcelink_suffix = ""
html_static_path, templates_path = [str(STATIC)], [str(ROOT / "_templates")]
html_css_files, html_js_files = (
    [path.relative_to(STATIC).as_posix() for path in sorted(STATIC.rglob(kind))]
    for kind in ("*.css", "*.js")
)
html_theme = "sphinx_book_theme"
myst_enable_extensions = book["parse"]["myst_enable_extensions"]
myst_url_schemes = ["mailto", "http", "https"]
nb_execution_mode = book["execute"]["execute_notebooks"]
nb_output_stderr = book["execute"]["stderr_output"]
numfig = True
suppress_warnings = ["myst.domains"]
bibtex_bibfiles = [str(ROOT / name) for name in book["bibtex_bibfiles"]]
