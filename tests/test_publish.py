"""Where the pages live is said once, by who publishes them, and found wherever it is needed."""

import re
from pathlib import Path
from types import SimpleNamespace

import publish
import pytest
import yaml

ADDRESS = "https://book.example/svm/"


@pytest.mark.parametrize("given", ["", ADDRESS, ADDRESS.rstrip("/")])
def test_the_address_is_a_folder_if_there_is_one(monkeypatch, given):
    config = SimpleNamespace(html_baseurl="", html_static_path=[], html_additional_pages={})
    config.root_doc = "index"
    monkeypatch.setenv("BOOK_URL", given)
    publish.where(None, config)
    assert config.html_baseurl == (ADDRESS if given else "")
    context = {}
    publish.describe(SimpleNamespace(config=config), "404", "404.html", context, None)
    assert context["base_path"] == ("/svm/" if given else "/")


@pytest.mark.parametrize("base", ["", ADDRESS])
def test_who_searches_is_led_to_every_page(tmp_path, base):
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=base),
        builder=SimpleNamespace(format="html", get_target_uri="{}.html".format),
        env=SimpleNamespace(found_docs={"index", "chapters/one"}),
        outdir=tmp_path,
    )
    publish.write_sitemap(app, None)
    made = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert made.keys() == ({"robots.txt", "sitemap.xml"} if base else set())
    if base:
        assert made["robots.txt"].splitlines()[1:] == ["Allow: /", f"Sitemap: {base}sitemap.xml"]
        listed = re.findall("<loc>(.*?)</loc>", made["sitemap.xml"])
        assert listed == [f"{base}chapters/one.html", f"{base}index.html"]


def test_no_script_but_one_holds_up_the_first_paint():
    names = ["_static/book.js", "_static/documentation_options.js?v=1", None]
    files = [SimpleNamespace(filename=name, attributes={}) for name in names]
    publish.defer_scripts(None, "index", "page.html", {"script_files": files}, None)
    assert [file.attributes for file in files] == [{"defer": "defer"}, {}, {}]


@pytest.mark.parametrize("repository", ["", "https://git.example/svm"])
def test_every_page_has_a_place_to_report_an_error_or_points_nowhere(repository):
    settings = yaml.safe_load(Path("_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    options = settings["html_theme_options"]  # Jupyter Book ignores all that is said elsewhere
    assert "repository_url" in options
    options["repository_url"] = repository
    app = SimpleNamespace(config=SimpleNamespace(html_theme_options=options))
    context = {"theme_extra_footer": "<p>Licence.</p>"}
    publish.offer_report(app, "chapters/one", "page.html", context, object())
    links = re.findall('href="([^"]*)"', context["theme_extra_footer"])
    assert links == [f"{repository}/issues/new?title=chapters/one%3A%20"] * bool(repository)
    assert context["theme_extra_footer"].startswith("<p>Licence.</p>")


def test_what_no_page_uses_is_not_published(tmp_path):
    unused = ("vendor/font.woff2", "scripts/theme.js.map", "webpack-macros.html")
    unused += ("sbt-webpack-macros.html",)
    for name in (*unused, "book.css"):
        file = tmp_path / "_static" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    publish.drop_what_nobody_asks_for(SimpleNamespace(outdir=tmp_path), None)
    left = [file.name for file in (tmp_path / "_static").rglob("*") if file.is_file()]
    assert left == ["book.css"]
