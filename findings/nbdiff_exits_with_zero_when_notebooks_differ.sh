#!/usr/bin/env bash
# One would guess: nbdiff exits with 0 if two notebooks are the same and with 1 if they differ, as diff does, so
#   "nbdiff kept.ipynb new.ipynb" in CI fails when a notebook has changed.
# True: it prints the difference and exits with 0, so this check never fails. There is no option for it. nbmerge,
#   of the same package, does exit with 1 if it leaves a conflict. Test for an empty output instead, or use
#   diff_notebooks in Python.
# Seen with: nbdime 4.0.4, Python 3.11, Linux x86-64, 1 December 2026. (nbdiff --help does not
#   speak of exit statuses.)
# Source: PyPI.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work" GIT_CONFIG_NOSYSTEM=1
python3 -m venv venv
venv/bin/pip install --quiet nbdime==4.0.4 2>pip.log || { cat pip.log; exit 2; }
venv/bin/python - <<'PY'
import subprocess
from importlib.metadata import version

import nbformat

print("nbdime", version("nbdime"))
for name, source in ("base", "C = 1"), ("same", "C = 1"), ("local", "C = 10"), ("remote", "C = 100"):
    cell = nbformat.v4.new_code_cell(source, id="only")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), f"{name}.ipynb")
seen = []
for command in (
    ["diff", "base.ipynb", "same.ipynb"],
    ["diff", "base.ipynb", "local.ipynb"],
    ["venv/bin/nbdiff", "base.ipynb", "same.ipynb"],
    ["venv/bin/nbdiff", "base.ipynb", "local.ipynb"],
    ["venv/bin/nbmerge", "base.ipynb", "local.ipynb", "remote.ipynb"],
):
    ran = subprocess.run(command, capture_output=True, check=False)
    printed = "prints something" if ran.stdout else "prints nothing"
    print(f"  {' '.join(command).removeprefix('venv/bin/')}: {printed}, exit status {ran.returncode}")
    seen.append((bool(ran.stdout), ran.returncode))
raise SystemExit(seen != [(False, 0), (True, 1), (False, 0), (True, 0), (True, 1)])
PY
# Output seen:
#   nbdime 4.0.4
#     diff base.ipynb same.ipynb: prints nothing, exit status 0
#     diff base.ipynb local.ipynb: prints something, exit status 1
#     nbdiff base.ipynb same.ipynb: prints nothing, exit status 0
#     nbdiff base.ipynb local.ipynb: prints something, exit status 0
#     nbmerge base.ipynb local.ipynb remote.ipynb: prints something, exit status 1
