"""Where the pages live is said once, by who publishes them, and found wherever it is needed."""

from types import SimpleNamespace

import publish
import pytest


@pytest.mark.parametrize("address", ["https://book.example/svm", "https://book.example/svm/"])
def test_the_address_is_a_folder(monkeypatch, address):
    config = SimpleNamespace(html_baseurl="", html_static_path=[], html_additional_pages={})
    monkeypatch.setenv("BOOK_URL", address)
    publish.where(None, config)
    assert config.html_baseurl == "https://book.example/svm/"
    context = {}
    publish.describe(
        SimpleNamespace(config=SimpleNamespace(html_baseurl=config.html_baseurl, root_doc="index")),
        "404",
        "404.html",
        context,
        None,
    )
    assert context["base_path"] == "/svm/"


def test_without_an_address_there_is_none(monkeypatch):
    config = SimpleNamespace(html_baseurl="", html_static_path=[], html_additional_pages={})
    monkeypatch.delenv("BOOK_URL", raising=False)
    publish.where(None, config)
    assert config.html_baseurl == ""


@pytest.mark.parametrize("base", ["", "https://book.example/svm/"])
def test_who_searches_is_led_to_every_page(tmp_path, base):
    app = SimpleNamespace(
        config=SimpleNamespace(html_baseurl=base),
        builder=SimpleNamespace(format="html", get_target_uri="{}.html".format),
        env=SimpleNamespace(found_docs={"index", "chapters/one"}),
        outdir=tmp_path,
    )
    publish.write_sitemap(app, None)
    made = {file.name: file.read_text() for file in tmp_path.iterdir()}
    if not base:
        assert not made
    else:
        assert made["robots.txt"].splitlines()[1:] == ["Allow: /", f"Sitemap: {base}sitemap.xml"]
        for page in ("index.html", "chapters/one.html"):
            assert f"<loc>{base}{page}</loc>" in made["sitemap.xml"]


def test_no_script_but_one_holds_up_the_first_paint():
    names = ["_static/book.js", "_static/documentation_options.js?v=1", None]
    files = [SimpleNamespace(filename=name, attributes={}) for name in names]
    publish.defer_scripts(None, "index", "page.html", {"script_files": files}, None)
    assert [file.attributes for file in files] == [{"defer": "defer"}, {}, {}]
