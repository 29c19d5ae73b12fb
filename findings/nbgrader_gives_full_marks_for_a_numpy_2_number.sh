#!/usr/bin/env bash
# One would guess: a test cell of nbgrader whose last line is 4 * np.mean(right) gives that many of its
#   4 points, as it did for years; partial credit is the number which the cell ends with.
# True: nbgrader reads the printed form of the number. NumPy 2 prints np.float64(0.0), which is no
#   number to it, and what it cannot read has full marks: a wrong answer has 4 of 4, with only a warning
#   in the marker's log. With NumPy 1.26 the same cell has 0. float(...) around the line mends it.
# Seen with: nbgrader 0.9.6, NumPy 2.4.6 and 1.26.4, Python 3.11, Linux x86-64, 28 November 2026.
# Source: PyPI. (Its issues 1339 and 1374, mended in 2021, gave full marks for a plain 0.)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1 JUPYTER_CONFIG_DIR=$work JUPYTER_DATA_DIR=$work IPYTHONDIR=$work
export PATH=$work/venv/bin:$PATH  # nbgrader calls alembic by its name
python3 -m venv venv
venv/bin/pip install --quiet nbgrader==0.9.6 numpy==2.4.6 2>pip.log || { cat pip.log; exit 2; }
echo 'get_config().CourseDirectory.course_id = "svm"' >nbgrader_config.py
cat >write.py <<'PY'
import sys
from pathlib import Path

import nbformat.v4 as v4
from nbformat import write

test = "right = np.array([labels(x) == np.sign(x) for x in (-2.0, -1.0, 1.0, 2.0)])\n"
answers = {"all right": "np.sign(x)", "half right": "1", "all wrong": "-np.sign(x)"}


def cell(source, name, **kind):
    kind = {"grade": False, "solution": False, "locked": False, "task": False} | kind
    made = v4.new_code_cell(source)
    made.metadata["nbgrader"] = {"schema_version": 3, "grade_id": name, **kind}
    return made


def notebook(path, answer):
    body = f"import numpy as np\n\n\ndef labels(x):\n    return {answer}"
    graded = {"grade": True, "locked": True, "points": 4}
    cells = [
        cell(body, "answer", solution=True),
        cell(test + "4 * np.mean(right)", "plain", **graded),
        cell(test + "float(4 * np.mean(right))", "with-float", **graded),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    Path(path).mkdir(parents=True)
    write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), f"{path}/svm.ipynb")


notebook("source/one", "...")
for student, answer in answers.items():
    notebook(f"submitted/{student}/one", answer)
PY
cat >marks.py <<'PY'
from importlib.metadata import version

from nbgrader.api import Gradebook

print("nbgrader", version("nbgrader"), "NumPy", version("numpy"))
with Gradebook("sqlite:///gradebook.db") as book:
    wrong = {}
    for student in "all right", "half right", "all wrong":
        notebook = book.find_submission_notebook("svm", "one", student)
        marks = {grade.name: grade.auto_score for grade in notebook.grades}
        print(f"  {student}: {marks['plain']} of 4; with float {marks['with-float']}")
        wrong[student] = marks
full = {"1": 0.0, "2": 4.0}[version("numpy")[0]]
raise SystemExit(wrong["all wrong"] != {"plain": full, "with-float": 0.0})
PY
for numpy in 2.4.6 1.26.4; do
  rm -rf source submitted release autograded gradebook.db
  venv/bin/pip install --quiet "numpy==$numpy" 2>pip.log || { cat pip.log; exit 2; }
  venv/bin/python write.py
  for step in generate_assignment autograde; do
    venv/bin/nbgrader "$step" one >log 2>&1 || { cat log; exit 2; }
  done
  venv/bin/python marks.py
  echo "  warnings in the log: $(grep -c 'cannot be converted' log || true)"
done
# Output seen:
#   nbgrader 0.9.6 NumPy 2.4.6
#     all right: 4.0 of 4; with float 4.0
#     half right: 4.0 of 4; with float 2.0
#     all wrong: 4.0 of 4; with float 0.0
#     warnings in the log: 3
#   nbgrader 0.9.6 NumPy 1.26.4
#     all right: 4.0 of 4; with float 4.0
#     half right: 2.0 of 4; with float 2.0
#     all wrong: 0.0 of 4; with float 0.0
#     warnings in the log: 0
