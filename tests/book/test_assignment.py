"""An assignment for nbgrader or otter-grader gives its point to a right answer and nothing else."""

import doctest
import re
import subprocess
import sys

import assignment
import pytest
from nbformat.v4 import new_code_cell, new_notebook

BLANK = """from svmlib.book import exercises
def best_scale(X_plus, X_minus, lam_plus, lam_minus):
    ...


exercises.check_best_scale(best_scale)"""
SOLVED = "def pair_step(*_):\n    {}\n\n\nexercises.check_pair_step(pair_step)"
SHOWN = [SOLVED.format("..."), SOLVED.format("return 1.0")]  # the text writes this one
RIGHT = "w = lam_plus @ X_plus - lam_minus @ X_minus; return lam_plus.sum() / (w @ w)"
PRAISE = "best_scale: every check passed. Well done."
ANSWERS = {
    "right": BLANK.replace("...", RIGHT),
    "right, with a log": BLANK.replace("...", f"import logging; logging.warning('a'); {RIGHT}"),
    "wrong": BLANK.replace("...", "return 1.0"),
    "blank": BLANK,
    "printing the verdict": BLANK.replace("...", f"print({PRAISE!r}); return 1.0"),
    "raising the verdict": BLANK.replace("...", f"raise ValueError({PRAISE!r})"),
    "replacing the check": "from svmlib.book import exercises\n"
    "exercises.check_best_scale = lambda f: print('every check passed')\n"
    "exercises.passes = lambda *_: True\nbest_scale = 1",
}


def notebook():
    cells = [new_code_cell(code) for code in [*SHOWN, BLANK]]
    return new_notebook(cells=cells)


def test_only_what_the_text_leaves_open_is_asked():
    assert [name for _, name, _ in assignment.exercises(notebook())] == ["best_scale"]


@pytest.mark.parametrize("student", ANSWERS)
def test_only_the_right_answer_gets_the_point(student):
    """In both tools the test runs after the student's cells, in the same process."""
    *_, answer, hidden = assignment.for_nbgrader(notebook()).cells
    settings = {"grade": True, "locked": True, "solution": False, "points": 1}
    assert settings.items() <= hidden.metadata["nbgrader"].items()
    assert answer.metadata["nbgrader"]["solution"] is True
    assert re.sub(" *### (BEGIN|END) SOLUTION\n", "", answer.source) == BLANK
    names = {}
    exec(assignment.for_otter("best_scale", "best_scale"), names)
    (case,) = names["test"]["suites"][0]["cases"]
    assert case["hidden"] is True
    inherited = "".join(each.source for each in doctest.DocTestParser().get_examples(case["code"]))
    for test in (hidden.source, inherited):
        program = [sys.executable, "-c", f"{ANSWERS[student]}\n{test}"]
        done = subprocess.run(program, capture_output=True, text=True)
        assert (done.returncode == 0) == student.startswith("right"), done.stderr
        assert done.returncode or not done.stderr  # which would cost the point in nbgrader
