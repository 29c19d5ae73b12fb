"""Formulas as browsers need them, where Temml writes something else."""

import re

from formulas import characters, drawn, typeset


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
