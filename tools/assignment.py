"""Make an assignment of one chapter for nbgrader and one for otter-grader.

`python tools/assignment.py NOTEBOOK OUTPUT` takes a notebook of the edition without solutions. It
writes

- `OUTPUT/nbgrader/source/NAME/NAME.ipynb`, the instructor's version for `nbgrader
  generate_assignment NAME`, in which a hidden test follows each exercise that has a check;
- `OUTPUT/otter/NAME.ipynb`, to hand out, and `OUTPUT/otter/tests/EXERCISE.py`, for
  `otter generate -t tests`.

Both tools run their tests in the student's kernel, where a student can replace a check. The tests
therefore load the checks again. Code that is written to deceive them could replace the loading,
too; only `python -m svmlib.book.exercises.grade` runs outside of that kernel.
"""

import re
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

CHECK = re.compile(r"^exercises\.check_(\w+)\((\w+)\)$", flags=re.MULTILINE)
BLANK = re.compile(r"^    \.\.\.$", flags=re.MULTILINE)
TEST = """\
import importlib, sys
old = [sys.modules.pop(m) for m in [*sys.modules] if m.startswith("svmlib.book.exercises")]
assert importlib.import_module("svmlib.book.exercises").passes("{name}", {function})"""


def exercises(notebook):
    """Return the place of each function to write, with its exercise and name.

    Functions that a later cell of the text writes are left out.
    """
    checks = [
        (place, check[1], check[2], BLANK.search(cell.source))
        for place, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and (check := CHECK.search(cell.source))
    ]
    solved = {name for _, name, _, blank in checks if not blank}
    return [check[:3] for check in checks if check[1] not in solved]


def graded(**settings):
    """Return the metadata of a cell for nbgrader."""
    return {"nbgrader": {"schema_version": 3, "locked": False} | settings}


def for_nbgrader(notebook):
    notebook = deepcopy(notebook)
    for place, name, function in reversed(exercises(notebook)):
        answer = notebook.cells[place]
        # nbgrader replaces what is between the marks, and without marks the whole cell.
        marked = r"    ### BEGIN SOLUTION\n    ...\n    ### END SOLUTION"
        answer.source = BLANK.sub(marked, answer.source)
        answer.metadata |= graded(grade_id=name, grade=False, solution=True, task=False)
        hidden = TEST.format(name=name, function=function)
        source = f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
        test = graded(grade_id=f"test-{name}", grade=True, solution=False, task=False, locked=True)
        test["nbgrader"]["points"] = 1
        notebook.cells.insert(place + 1, new_code_cell(source, id=f"test-{place}", metadata=test))
    return notebook


def for_otter(name, function):
    """Return a test file in the format that otter-grader inherited from OK."""
    code = "\n".join(
        ">>> " + line for line in TEST.format(name=name, function=function).splitlines()
    )
    case = {"code": code, "hidden": True, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\n\ntest = {{'name': {name!r}, 'points': 1, 'suites': [{suite!r}]}}\n"


if __name__ == "__main__":
    path, output = map(Path, sys.argv[1:])
    notebook = nbformat.read(path, as_version=4)
    source = output / "nbgrader" / "source" / path.stem
    tests = output / "otter" / "tests"
    for folder in (source, tests):
        folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(for_nbgrader(notebook), source / path.name)
    nbformat.write(notebook, output / "otter" / path.name)
    for _, name, function in exercises(notebook):
        (tests / f"{name}.py").write_text(for_otter(name, function), encoding="utf-8")
    print(f"Done. The assignments are in {output}")
