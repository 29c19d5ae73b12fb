"""Students' notebooks are judged by what their functions answer, whatever else is in them."""

import csv

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from svmlib.book.exercises import grade

pytestmark = pytest.mark.xdist_group("grade")  # one table for all

NAMES = ["pair_step", "best_scale", "steepest_pair", "bias"]
RIGHT = """
def pair_step(w, x_plus, x_minus, lam_plus, lam_minus):
    u = x_plus - x_minus
    print("a line that is no answer")
    return max((1 - w @ u) / (u @ u), -lam_plus, -lam_minus)
"""
PATIENT = {
    "honest": [
        RIGHT.replace("pair_step", "my_step"),
        "check_pair_step(my_step)",
        "def best_scale(*_): raise ValueError('=1+1\\n\\7x')",
        "# Solution to Exercise 3.4\ndef steepest_pair(P, N, w):\n    return 0, 0",
        "def bias(*_): ...\ncheck_bias(bias)",
        "def bias(*_): return 'as the chapter goes on'",
    ],
    "=cheating": [
        "from svmlib.book import exercises\nfrom svmlib.book.exercises import _engine\n"
        "exercises.check_pair_step = lambda f: print('pair_step: every check passed. Well done.')\n"
        "_engine._Exercise.verdict = lambda *_: 'every check passed'\n"
        "_engine._agree = _engine.np.allclose = _engine.np.array_equal = lambda *_, **__: True",
        "def pair_step(*_): return 7.0",
        "def best_scale(X_plus, *_):\n    X_plus[:] = 1\n    return 0.0",
        "def bias(*_): return {1}",
    ],
}
HURRIED = {
    "for ever": [
        "import time\nwhile True:\n    time.sleep(0.1)",
        RIGHT,
        "def best_scale(*_):\n    while True: time.sleep(0.1)",
        RIGHT.replace("pair_step", "steepest_pair").replace("return", "return 2 *"),
    ],
}


def handed_in(folder, students):
    for student, codes in students.items():
        cells = [new_code_cell(code) for code in codes]
        nbformat.write(new_notebook(cells=cells), folder / f"{student}.ipynb")
    return folder


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = handed_in(tmp_path_factory.mktemp("patient"), PATIENT)
    (folder / "broken.ipynb").write_text('{"cells": 3}')
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "honest.ipynb").write_text("{}")
    rows = grade.grade(folder, NAMES)
    rows += grade.grade(handed_in(tmp_path_factory.mktemp("hurried"), HURRIED), NAMES, timeout=3)
    grade.write(rows, folder / "table.csv")
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert tuple(header) == grade.HEADER
    assert len(lines) == 4 * 4, "a row for each exercise and each notebook"
    return {(file.removesuffix(".ipynb"), name): found for file, name, *found in lines}


@pytest.mark.parametrize(
    ("student", "exercise", "result", "words"),
    [
        ("honest", "pair_step", "right", ""),
        ("honest", "best_scale", "wrong", "ValueError: =1+1 x tried"),
        ("honest", "steepest_pair", "not answered", "there is no steepest_pair. Code cell 2: Name"),
        ("honest", "bias", "not answered", ""),
        ("'=cheating", "pair_step", "wrong", "tried w = [0]"),
        ("'=cheating", "pair_step", "wrong", "yours 7"),
        ("'=cheating", "best_scale", "wrong", "it changes its argument X_plus"),
        ("'=cheating", "bias", "wrong", "of type set"),
        ("broken", "pair_step", "not answered", "cannot be read"),
        ("for ever", "pair_step", "right", ""),
        ("for ever", "best_scale", "wrong", "best_scale takes longer than 3 s"),
        ("for ever", "steepest_pair", "wrong", "stopped with TypeError"),
    ],
)
def test_each_gets_what_it_deserves(table, student, exercise, result, words):
    found, message = table[student, exercise]
    assert found == result, message
    assert words in message
    assert "\n" not in message


def test_the_exercises_are_those_that_a_notebook_checks():
    codes = ["exercises.check_radon(mine)", "check_mate(king)\ncheck_bias( bias )"]
    assert grade.checked(codes) == {"radon": "mine", "bias": "bias"}
