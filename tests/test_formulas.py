"""Formulas as browsers need them, where Temml writes something else."""

import re

from formulas import characters, drawn, parts, typeset


def test_stars_dots_signs_of_scripts_and_large_bars_bring_no_space_of_their_own():
    scripts = ("q^*", r"\|q^*\|-D^*", r"\alpha^{*}_i", "A^+", r"\lambda^-_i", "(a)_+^2")
    for latex in (*scripts, r"1,\dots,n", r"x_1\cdots x_n", r"-\bigl\|x\bigr\|"):
        operators = re.findall("<mo([^>]*)>[∗…⋯+‖]</mo>|<mo([^>]*)>−</mo></msu", typeset(latex))
        assert operators
        for operator in map("".join, operators):
            assert re.fullmatch(r'.*lspace="0(em)?" rspace="0(em)?".*', operator)
            assert operator.count("lspace") == 1
    assert "lspace" not in typeset("a+b-c")
    assert "lspace" not in typeset("x^{a+b}_{i-1}")


def test_no_space_is_before_a_first_sum_or_relation():
    for latex in (r"\sum\alpha_i", r"\sum_{i\le n}\alpha_iy_ix_i=0", r"\ge0", "=2"):
        assert re.match(r'<math><mrow>(<m\w+>)?<mo lspace="0"', parts(latex)[0])
    assert "lspace" not in parts(r"a=\sum b")[0]


def test_a_sign_after_a_break_is_between_two_terms():
    lines = typeset(r"\begin{split}f(x)&-c\\&+d\end{split}", display=True)
    assert len(re.findall('<mo form="infix">[−+]</mo>', lines)) == 2
    assert 'form="infix"' not in typeset("-c")


def test_a_root_needs_its_sign_from_the_font():
    assert "√" not in characters(typeset(r"\sqrt2"))
    assert set(drawn(typeset(r"\sqrt2"))) == set(drawn(typeset(r"\sqrt[2]2"))) == {"2", "√"}
    assert "√" not in drawn(typeset("2"))
