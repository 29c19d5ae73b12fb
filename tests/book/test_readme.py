"""What README tells newcomers to type works in a bare environment, and prints what README shows."""

import re
import subprocess
import sys

import pytest

from tests.book import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PART = README.split("## Use the library")[1].split("## ")[0]
COMMAND, EXAMPLE, OUTPUT = re.findall(r"^```\w*\n(.*?)^```$", PART, flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A new environment, with what README's command installs and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    program, *arguments = COMMAND.strip().replace('"', "").split(" ")
    install = [folder / "bin" / program, *arguments, "--quiet", "--no-compile"]
    subprocess.run(install, check=True, cwd=ROOT)
    return folder / "bin" / "python"


def without_rounding(text):
    """Leave out the three numbers that are rounding: they depend on the processor."""
    return re.sub(r"(gap|violation|infeasibility) [\d.e-]+", r"\1", text)


def test_the_example_prints_what_the_readme_shows(python, tmp_path):
    printed = subprocess.check_output([python, "-c", EXAMPLE], text=True, cwd=tmp_path)
    assert without_rounding(printed) == without_rounding(OUTPUT)


def test_without_make_the_commands_are_those_of_the_makefile():
    """They install what `make` installs, and open a notebook that exists."""
    without = re.search(r"^py -m venv .*?(?=^```)", README, flags=re.DOTALL | re.MULTILINE)[0]
    assert "pip install -r requirements.txt -e ." in without
    set_up = (ROOT / "tools" / "patient.py").read_text(encoding="utf-8")
    assert '"--requirement", "requirements.txt", "--editable", "."' in set_up
    notebook = re.search(r"jupyter lab (\S+)", without)[1].replace("\\", "/")
    assert (ROOT / notebook).exists()
