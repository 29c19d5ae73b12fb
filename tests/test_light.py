"""One style sheet for all pages keeps each rule that can apply, whole addresses and licences."""

from pathlib import Path

import light
import packages
import pydata_sphinx_theme
import pytest

WORDS = {"a", "b-c"}
KEPT = (
    "p{}",
    ".a{color:red}",
    "#a .b-c>p:hover{}",
    ".gone,.a{}",
    ".a:not(.gone){}",
    ".a:not(:is(.gone,p)){}",
    ".a[href$='.gone']{}",
    "@media print{.a{}}",
    "@font-face{font-family:x;src:url('data:y;z')}",
    "@keyframes x{0%{top:0}to{top:1px}}",
    ":is(.a,.gone) p{}",
)
GONE = (".gone{}", "#gone{}", ".a.gone,.gone p{}", ".a:not(p) .gone{}", ".a .gone:not(.a){}")


@pytest.mark.parametrize("rule", KEPT + GONE)
def test_a_rule_is_kept_if_it_can_apply(rule):
    kept = rule if rule in KEPT else ""
    assert light.used("p{}" + rule + ".gone{}", WORDS) == "p{}" + kept
    assert light.used(f"@media print{{p{{}}{rule}}}", WORDS) == f"@media print{{p{{}}{kept}}}"


@pytest.fixture
def static(tmp_path):
    for k, name in enumerate(light.PARTS):
        file = tmp_path / name.replace("*", "0")
        file.parent.mkdir(exist_ok=True)
        notice = "/*! A licence, example.com */" if k < 3 else "/* .a {} */"
        file.write_text(f'@charset "UTF-8";{notice}.a{{order:{k}}}.gone{{}}', encoding="utf-8")
    return tmp_path


def test_the_parts_keep_their_order_and_the_notices_stand_first_once(static):
    sheet = light.joined(static, WORDS)
    assert sheet.startswith("/*! A licence, example.com */")
    assert sheet.count("/*") == 1
    assert "@charset" not in sheet
    places = [sheet.index(f"order:{k}}}") for k in range(len(light.PARTS))]
    assert places == sorted(places)
    assert sheet.count(".gone") == len(light.OWN), "our own rules are for what readers do, too"


def test_every_icon_that_is_named_has_its_character_in_one_form_under_the_notice():
    """Whichever version of Font Awesome the theme has."""
    (sheet,) = Path(pydata_sphinx_theme.__file__).parent.rglob("pydata-sphinx-theme.css")
    rules = packages.rules_of_icons(sheet.read_text(encoding="utf-8")).splitlines()
    assert "Font Awesome Free" in rules[1]
    assert "Code: MIT License" in rules[2]
    for name in packages.NAMES:
        assert sum(f".fa-{name}:before{{" in rule for rule in rules) == 1, name
    six = r'.fa-bars:before,.fa-navicon:before{content:"\f0c9"}'
    seven = r'.fa-bars,.fa-navicon{--fa:"\f0c9"}'
    for rules in (six, seven):
        found = packages.rules_of_icons(f"/*! Font Awesome */.fa-x{{top:0}}{rules}")
        assert found == '/*! Font Awesome */\n.fa-bars:before{content:"\\f0c9"}'
