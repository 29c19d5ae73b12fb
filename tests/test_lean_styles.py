"""A rule goes if no page can use it, and stays at the slightest doubt."""

import pytest
import tinycss2
from lean_styles import lean

KNOWN = {"here", "there"}


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (".here { x: 1 }", ".here{ x: 1 }"),
        ("p > a:hover { x: 1 }", "p > a:hover{ x: 1 }"),
        (".gone { x: 1 }", ""),
        ("#gone { x: 1 }", ""),
        (".here .gone { x: 1 }", ""),
        (".here, .gone, p { x: 1 }", ".here,p{ x: 1 }"),
        (":is(.here, .gone) p { x: 1 }", ":is(.here, .gone) p{ x: 1 }"),
        (".here:not(.gone) { x: 1 }", ".here:not(.gone){ x: 1 }"),
        (".here:not(:is(.gone)) { x: 1 }", ".here:not(:is(.gone)){ x: 1 }"),
        ('a[href$=".gone"] { x: 1 }', 'a[href$=".gone"]{ x: 1 }'),
        (".bs-tooltip-auto { x: 1 }", ".bs-tooltip-auto{ x: 1 }"),
        ("@media print { .gone { x: 1 } .there { x: 1 } }", "@media print {.there{ x: 1 }}"),
        ("@media print { .gone { x: 1 } }", ""),
        ("@supports (x: 1) { .gone { x: 1 } }", ""),
        ("@font-face { src: url(a) }", "@font-face { src: url(a) }"),
    ],
)
def test_what_is_left_of_a_rule(rule, left):
    rules = tinycss2.parse_stylesheet(rule, skip_comments=True, skip_whitespace=True)
    assert lean(rules, KNOWN) == left
