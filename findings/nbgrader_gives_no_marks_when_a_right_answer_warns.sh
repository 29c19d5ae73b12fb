#!/usr/bin/env bash
# One would guess: a test cell of nbgrader whose assertions all hold has full marks ("students receive full credit if
#   the tests pass", says its documentation); a warning is no failure.
# True: a test cell that writes anything to stderr has 0 points, as if an assertion had failed. A ConvergenceWarning of
#   LinearSVC, a warning of the student's own or a line of logging in the function is enough (so is a progress bar). Of
#   right answers with the same labels, only the silent one keeps its 4 points. "assert" has nothing to
#   say, so the marked notebook shows the warning and no reason. IgnorePattern, which is off by default, removes
#   what fits a pattern (its request of changes 1904 speaks of one such warning; the user guide does not).
#   Otherwise write the test cell so that it catches warnings and stderr. (The finding about NumPy 2, beside this
#   one, is about the number that a cell ends with.)
# Seen with: nbgrader 0.9.6, scikit-learn 1.9.1, NumPy 2.4.6, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI, nbgrader.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1 JUPYTER_CONFIG_DIR=$work JUPYTER_DATA_DIR=$work IPYTHONDIR=$work
export PATH=$work/venv/bin:$PATH  # nbgrader calls alembic by its name
python3 -m venv venv
venv/bin/pip install --quiet nbgrader==0.9.6 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 \
  2>pip.log || { cat pip.log; exit 2; }
echo 'get_config().CourseDirectory.course_id = "svm"' >nbgrader_config.py
cat >write.py <<'PY'
from pathlib import Path

import nbformat.v4 as v4
from nbformat import write

head = "import logging, sys, warnings\nimport numpy as np\nfrom sklearn.svm import LinearSVC\n\n\n"
data = "X = np.random.RandomState(0).standard_normal((200, 2))\ny = np.where(X[:, 0] > 0, 1, -1)"
right = "    return LinearSVC(max_iter=10000, random_state=0).fit(X, y).predict(X)"
lines = {
    "quiet": right,
    "few passes": right.replace("10000", "5"),
    "logging": '    logging.warning("fitting 200 rows")\n' + right,
    "own warning": '    warnings.warn("X is not scaled")\n' + right,
    "wrong": "    return -y",
}


def cell(source, name, **kind):
    kind = {"grade": False, "solution": False, "locked": False, "task": False} | kind
    made = v4.new_code_cell(source)
    made.metadata["nbgrader"] = {"schema_version": 3, "grade_id": name, **kind}
    return made


def notebook(path, body):
    cells = [
        cell(f"{head}def labels(X, y):\n{body}", "answer", solution=True),
        v4.new_code_cell(data),
        cell("assert np.mean(labels(X, y) == y) > 0.9", "test", grade=True, locked=True, points=4),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    Path(path).mkdir(parents=True)
    write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), f"{path}/svm.ipynb")


notebook("source/one", "    ...")
for student, body in lines.items():
    notebook(f"submitted/{student}/one", body)
PY
venv/bin/python write.py
for step in generate_assignment autograde; do
  venv/bin/nbgrader "$step" one >log 2>&1 || { cat log; exit 2; }
done
venv/bin/python - <<'PY'
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

print("nbgrader", version("nbgrader"), "scikit-learn", version("scikit-learn"))
marks = {}
with Gradebook("sqlite:///gradebook.db") as book:
    for folder in sorted(Path("autograded").iterdir()):
        student = folder.name
        test = nbformat.read(folder / "one" / "svm.ipynb", 4).cells[-1]
        said = "assertion failed" if any(o.output_type == "error" for o in test.outputs) else "assertion holds"
        marks[student] = said, book.find_submission_notebook("svm", "one", student).score
        print(f"  {student}: {said}, {marks[student][1]} of 4")
holds = {student for student, (said, _) in marks.items() if said == "assertion holds"}
full = {student for student, (_, score) in marks.items() if score == 4}
raise SystemExit(not (full == {"quiet"} and holds == set(marks) - {"wrong"}))
PY
# Output seen:
#   nbgrader 0.9.6 scikit-learn 1.9.1
#     few passes: assertion holds, 0.0 of 4
#     logging: assertion holds, 0.0 of 4
#     own warning: assertion holds, 0.0 of 4
#     quiet: assertion holds, 4.0 of 4
#     wrong: assertion failed, 0.0 of 4
