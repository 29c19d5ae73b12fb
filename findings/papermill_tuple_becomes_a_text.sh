#!/usr/bin/env bash
# One would guess: execute_notebook(..., parameters={"kernels": ("linear", "rbf")}) hands a tuple to the notebook,
#   or a list as JSON would make of it, or refuses it, as it refuses a set or a NumPy integer.
# True: the notebook gets one text, "('linear', 'rbf')", also if the tuple lies in a list or in a dictionary. A
#   loop over it runs over its characters, len(kernels) is 17, and tests such as "lin" in kernels are true.
#   Nothing warns. A list stays a list. (Its issue 586, open since 2021, asks which types are allowed.)
# Seen with: papermill 2.7.0, ipykernel 7.4.0, Python 3.11, Linux x86-64, 1 December 2026.
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
python3 -m venv venv
venv/bin/pip install --quiet papermill==2.7.0 ipykernel==7.4.0 2>pip.log || { cat pip.log; exit 2; }
export PATH="$work/venv/bin:$PATH" JUPYTER_DATA_DIR="$work/data" IPYTHONDIR="$work/ipython"
venv/bin/python -W ignore - 2>run.log <<'PY' || { cat run.log; exit 1; }
from importlib.metadata import version

import nbformat
import papermill

print("papermill", version("papermill"))
cells = [
    nbformat.v4.new_code_cell("kernels = None", metadata={"tags": ["parameters"]}),
    nbformat.v4.new_code_cell("print([kernel for kernel in kernels][:3], len(kernels), 'lin' in kernels)"),
]
spec = {"name": "python3", "display_name": "Python", "language": "python"}
notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
nbformat.write(notebook, "in.ipynb")
seen = []
for value in ["linear", "rbf"], ("linear", "rbf"), {"kernels": ("linear", "rbf")}:
    ran = papermill.execute_notebook("in.ipynb", "out.ipynb", {"kernels": value}, progress_bar=False)
    injected = next(c.source for c in ran.cells if "injected-parameters" in c.metadata.get("tags", []))
    printed = ran.cells[-1].outputs[0].text.strip()
    print(f"  {value!r}: {injected.splitlines()[-1]}")
    print(f"    prints {printed}")
    seen.append((injected.splitlines()[-1], printed))
expected = "kernels = \"('linear', 'rbf')\"", "['(', \"'\", 'l'] 17 True"
raise SystemExit(not (seen[0][1].endswith("2 False") and seen[1] == expected and "\"('linear'" in seen[2][0]))
PY
# Output seen:
#   papermill 2.7.0
#     ['linear', 'rbf']: kernels = ["linear", "rbf"]
#       prints ['linear', 'rbf'] 2 False
#     ('linear', 'rbf'): kernels = "('linear', 'rbf')"
#       prints ['(', "'", 'l'] 17 True
#     {'kernels': ('linear', 'rbf')}: kernels = {"kernels": "('linear', 'rbf')"}
#       prints ['kernels'] 1 False
