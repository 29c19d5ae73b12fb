"""What holds the repository together: one version, one lock, a README that is true."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache, partial
from importlib.metadata import distribution, distributions, packages_distributions
from pathlib import Path

import mutants
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import svmlib
from tests import browser
from tests.engines import ENGINES

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "index.md"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]


def pins(file: str) -> set[tuple[str, str]]:
    """Return name and version of every line; a lock has some packages once for each Python."""
    found = re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", read(file), flags=re.MULTILINE)
    return {(canonicalize_name(name), version) for name, version in found}


def test_there_is_one_version_one_licence_and_one_oldest_python():
    citation = yaml.safe_load(read("CITATION.cff"))
    assert svmlib.__version__ == PROJECT["version"] == citation["version"]
    assert f"Version {svmlib.__version__}." in read("index.md")
    assert f"\n## {svmlib.__version__}, " in read("CHANGELOG.md")
    assert citation["license"] == PROJECT["license"] == "BSD-3-Clause"
    year = citation["date-released"].year
    assert f"{year}. Text CC BY 4.0, code BSD-3-Clause" in read("_config.yml")
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f"OLDEST = ({oldest.replace('.', ', ')})" in read("tools/patient.py")
    for document in ("README.md", "index.md", "_ext/README.notebooks.txt"):
        assert set(re.findall(r"Python (3\.\d+) or newer", read(document))) == {oldest}, document
    workflow = yaml.safe_load(read(".github/workflows/book.yml"))
    assert oldest in workflow["jobs"]["test"]["strategy"]["matrix"]["python"]


def commands(*targets: str) -> str:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    command = ["make", "--dry-run", "--always-make", "COVERAGE=", *targets]  # CI's make sets it
    return subprocess.check_output(command, cwd=ROOT, env=plain, text=True).replace("\\\n", "")


def test_the_commands_prove_all_that_there_is():
    everything = commands("test-all")
    assert "make test-all" in read(".ci/run")
    checks = ("ruff check .", "ruff format --check .", "mypy", "pyright/index.js")
    for part in (*checks, "jupyter-book build . -W -n"):
        assert f"/{part}" in everything, part
    for notebook in [*ROOT.glob("chapters/*.ipynb"), *ROOT.glob("reference/*.ipynb")]:
        assert re.search(rf" --nbval .*{notebook.name}", everything), notebook
    assert "-p tests.book.again " in everything
    everything += commands("epub")  # what it makes is looked at when it is made
    for path in (ROOT / "tests" / "book").glob("test_*.py"):
        assert f"tests/book/{path.name}" in everything, path
    assert re.search(r"pytest -n \d --dist loadgroup *$", commands("check"), re.MULTILINE)


def test_commands_are_told_and_exist():
    made = set(re.findall(r"^([a-z-]+):.*##", read("Makefile"), flags=re.MULTILINE))
    words = "\n".join(map(read, DOCUMENTS))
    named = re.findall(r"(?:^|`)(?:\w+=\S+ )?make ([a-z-]+)", words, flags=re.MULTILINE)
    assert set(named) == made


BROWSERS = {"chromium": browser.chromium} | {
    name: partial(start, None) for name, start in ENGINES.items()
}


@pytest.mark.parametrize("name", BROWSERS)
@pytest.mark.parametrize(("required", "outcome"), [("", pytest.skip), ("1", pytest.fail)])
def test_without_a_browser_ci_fails_and_a_reader_is_told(monkeypatch, required, outcome, name):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("REQUIRE_BROWSER", required)
    either = (pytest.skip.Exception, pytest.fail.Exception)
    with pytest.raises(either, match="NOT looked at") as told, BROWSERS[name]():
        pass
    assert told.type is outcome.Exception


@pytest.mark.parametrize("document", [*DOCUMENTS, *(ROOT / "docs").rglob("*.md")], ids=str)
def test_links_and_pictures_of_the_repository_are_there(document):
    here, text = (ROOT / document).parent, (ROOT / document).read_text(encoding="utf-8")
    for place in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (here / place).exists(), place
    committed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split()
    assert set(re.findall(r"`((?:[\w-]+/)+[\w.-]+\.\w+)`", text)) <= {*committed}


def test_what_is_made_is_not_committed_and_no_merge_is_half_done():
    marks = ["grep", "-nIE", "^(<{7}|>{7})( |$)"]
    for command in ["ls-files", "-ci", "--exclude-standard"], marks:
        found = subprocess.run(["git", *command], cwd=ROOT, stdout=subprocess.PIPE)
        assert not found.stdout


def test_the_lock_holds_what_is_required_and_all_that_is_installed():
    """A package missing from the lock would be whatever is newest that day."""
    lines = re.findall(r"^\w.*$", read("requirements.txt"), flags=re.MULTILINE)
    assert len(pins("requirements.txt")) == len(lines) > 0
    assert pins("requirements.txt") <= pins("constraints.txt")
    tools = {"pip", "setuptools", "wheel", "uv", "svmlib"}
    installed = {(canonicalize_name(dist.name), dist.version) for dist in distributions()}
    missing = installed - pins("constraints.txt")
    assert {name for name, _ in missing} <= tools


def imported(path: Path) -> set[str]:
    """Return the packages, but those of Python and our own, that a module or a notebook imports."""
    line = r'^ *"?(?:from (\w+)[\w.]* import |import (\w+)[\w.]*(?: as \w+)?(?:\\n)?"?,?$)'
    text = path.read_text(encoding="utf-8").replace("dask.distributed", "distributed")  # its home
    found = re.findall(line, text, flags=re.MULTILINE)
    return {"".join(names) for names in found} - sys.stdlib_module_names - {"svmlib"}


owners = cache(packages_distributions)  # it looks at every file of every package


def brought(*lines: str) -> set[str]:
    """Return the packages that these requirements bring on this machine, without extras."""
    needed = map(Requirement, lines)
    there = (it for it in needed if not it.marker or it.marker.evaluate({"extra": ""}))
    return {canonicalize_name(it.name) for it in there}


@pytest.mark.parametrize("kind", ["svmlib/**/*.py", "chapters/*.ipynb", "reference/*.ipynb"])
def test_what_library_and_notebooks_import_is_installed_with_svmlib(kind):
    extras = PROJECT["optional-dependencies"]
    known = brought(*PROJECT["dependencies"], *extras["book"], *extras["dask"], *extras["onnx"])
    known |= {"cycler", "pandas", "threadpoolctl"}  # which those bring
    known |= {"ipython", "jupyter-client", "matplotlib-inline"}  # and the notebook one is in
    for path in ROOT.glob(kind):
        for module in imported(path):
            found = {canonicalize_name(owner) for owner in owners()[module]}
            assert found & known, f"{path.name}: {module}"


CORE_ONLY = """
import numpy as np
from svmlib import SVC, datasets
six = datasets.load_six_points()
print(SVC(kernel="linear", C=np.inf).fit(six.X, six.y).score(six.X, six.y))
for attempt in (
    datasets.load_penguins,
    lambda: __import__("svmlib.book.plotting"),
    lambda: __import__("svmlib.distributed"),
):
    try:
        attempt()
    except ImportError as error:
        print(error)
"""


def install(names: set[str], folder: Path) -> None:
    for name in names:
        found = distribution(name)
        for place in {file.parts[0] for file in found.files} - {"..", *os.listdir(folder)}:
            (folder / place).symlink_to(found.locate_file(place))
        install(brought(*(found.requires or ())), folder)


def test_the_library_needs_only_its_core_and_says_how_to_get_the_rest(tmp_path):
    (tmp_path / "svmlib").symlink_to(ROOT / "svmlib")
    install(brought(*PROJECT["dependencies"]), tmp_path)
    bare = [sys.executable, "-S", "-c", CORE_ONLY]  # without what is installed beside Python
    said = subprocess.check_output(bare, text=True, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert said.splitlines() == [
        "1.0",
        'load_penguins needs palmerpenguins: pip install "svmlib[book]"',
        'svmlib.book needs Matplotlib: pip install "svmlib[book]"',
        'svmlib.distributed needs Dask: pip install "svmlib[dask]"',
    ]


def test_a_set_up_that_fails_says_why_in_one_sentence(tmp_path):
    """What pip and Python write when they fail, and a command that ends before its work is done."""
    patient = [sys.executable, ROOT / "tools" / "patient.py", tmp_path / "log", "Waiting"]

    def run(code: str) -> str:
        command = [*patient, sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stdout + done.stderr) * bool(done.returncode)

    assert run("pass") == ""
    assert "Connect to a network" in run("exit('NewConnectionError: no route')")
    assert "Free 3 GB" in run("exit('OSError: [Errno 28] No space left on device')")
    assert "python3-venv" in run("exit('ensurepip is not available')")
    assert "something else" in run("exit('something else')")


def test_every_module_has_a_test_file_that_decides_on_its_changes():
    modules = {path.stem for path in ROOT.glob("svmlib/*.py")} - {"__init__"}
    assert not [name for name in modules if not (ROOT / mutants.own_tests(name)).exists()]
    named = {path.stem.removeprefix("test_") for path in ROOT.glob("tests/test_*.py")}
    assert not {name for name in mutants.DECIDING if name.strip("_") in named}


def test_every_change_that_no_test_notices_can_still_be_made():
    """A line of tools/mutants.toml whose code has changed would hide nothing, and be in the way."""
    modules = ROOT.glob("svmlib/*.py")
    possible = {change.name for module in modules for change in mutants.changes(module)[1]}
    accepted = tomllib.loads(read("tools/mutants.toml")).values()
    assert not {name for names in accepted for name in names} - possible
