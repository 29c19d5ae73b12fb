"""Formulas as browsers need them, where Temml writes something else."""

import re
from xml.etree import ElementTree as ET

import pytest
from formulas import characters, drawn, typeset


def numbers(latex):
    return re.findall("<mn>(.*?)</mn>", typeset(latex))


def test_coordinates_are_numbers_of_their_own():
    assert numbers("(1, 2.5,0)") == ["1", "2.5", "0"]
    assert numbers("39{,}000") == ["39,000"]
    assert characters(typeset("(1,2)")) == "(1,2)"


@pytest.mark.parametrize("latex", ["x_{1,2}", "2^{1,1}", r"\frac{1,0}{0,1}", r"\sqrt{1,2}"])
def test_a_formula_with_coordinates_in_it_keeps_its_shape(latex):
    plain = ET.fromstring(typeset(re.sub(",.", "", latex)))
    formula = ET.fromstring(typeset(latex))
    assert [len(part) for part in formula.findall("*")] == [len(p) for p in plain.findall("*")]


def test_stars_and_dots_bring_no_space_of_their_own():
    for latex in ("q^*", r"\|q^*\|-D^*", r"\alpha^{*}_i", r"1,\dots,n"):
        for operator in re.findall("<mo([^>]*)>[∗…]</mo>", typeset(latex)):
            assert re.fullmatch(r'.* lspace="0(em)?" rspace="0(em)?".*', operator)
            assert operator.count("lspace") == 1


def test_a_sign_after_a_break_is_between_two_terms():
    lines = typeset(r"\begin{split}f(x)&-c\\&+d\end{split}", display=True)
    assert len(re.findall('<mo form="infix">[−+]</mo>', lines)) == 2
    assert 'form="infix"' not in typeset("-c")


def test_a_root_needs_its_sign_from_the_font():
    assert "√" not in characters(typeset(r"\sqrt2"))
    assert set(drawn(typeset(r"\sqrt2"))) == set(drawn(typeset(r"\sqrt[2]2"))) == {"2", "√"}
    assert "√" not in drawn(typeset("2"))
