"""What holds the repository together: one version, one lock, a README that is true."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
import yaml
from hypothesis import settings
from threadpoolctl import threadpool_info

import svmlib
from tests import browser

ROOT = Path(__file__).resolve().parents[1]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def normal(name: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_there_is_one_version():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    citation = yaml.safe_load(read("CITATION.cff"))
    assert svmlib.__version__ == project["version"] == citation["version"]
    assert f"Version {svmlib.__version__}." in read("index.md")
    assert citation["license"] == project["license"] == "BSD-3-Clause"
    assert "BSD 3-Clause" in read("LICENSE")


def test_there_is_one_year_and_one_licence():
    year = yaml.safe_load(read("CITATION.cff"))["date-released"].year
    book = yaml.safe_load(read("_config.yml"))
    assert book["copyright"].startswith(f"{year}. Text CC BY 4.0, code BSD-3-Clause")
    assert f"authors ({year})" in read("index.md")
    for document in ("_config.yml", "README.md", "index.md", "_ext/README.notebooks.txt"):
        text = read(document)
        assert set(re.findall(r"CC BY[\w -]*[\d.]*\d|CC BY", text)) <= {"CC BY 4.0", "CC BY"}
        assert set(re.findall(r"creativecommons\.org/([\w/.-]+)", text)) <= {"licenses/by/4.0/"}


def test_there_is_one_oldest_python():
    oldest = tomllib.loads(read("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    for document in ("README.md", "index.md", "_ext/README.notebooks.txt", "Makefile"):
        assert set(re.findall(r"Python (3\.\d+) or newer", read(document))) == {oldest}, document
    assert f"sys.version_info < ({oldest.replace('.', ', ')})" in read("Makefile")
    assert f"--python-version {oldest} " in read("Makefile")


def test_the_readme_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", read("README.md"), flags=re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert "proves that the optimum is in" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda p: p.name)
def test_workflows_are_valid_yaml(path):
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    if "workflows" in path.parts:
        steps = [step for job in settings["jobs"].values() for step in job["steps"]]
        assert any(step.get("run") == "bash .ci/run" for step in steps)
        publishes = settings["jobs"]["publish"]
        assert publishes["needs"] == "test"
        assert "github.ref == 'refs/heads/main' &&" in publishes["if"]


def test_ci_runs_the_oldest_python_that_is_promised():
    (oldest,) = re.findall(r'requires-python = ">=([\d.]+)"', read("pyproject.toml"))
    workflow = yaml.safe_load(read(".github/workflows/book.yml"))
    versions = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert min(versions, key=lambda version: int(version.split(".")[1])) == oldest


def test_ci_stops_at_the_first_failure_and_insists_on_a_browser():
    script = read(".ci/run")
    assert "set -euo pipefail" in script
    (variable,) = re.findall(r"^export (\w*BROWSER)=1", script, flags=re.MULTILINE)
    assert variable in read("tests/browser.py") + read("tests/conftest.py")


def commands(*targets: str) -> str:
    """Return what make would run, whatever has been made already."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    made = subprocess.run(
        ["make", "--dry-run", "--always-make", "COVERAGE=", *targets],  # CI's make sets it for all
        cwd=ROOT,
        env=plain,
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.replace("\\\n", "")


def test_make_test_proves_all_that_it_says():
    said = commands("test")
    for part in ("ruff check .", "ruff format --check .", "mypy", "jupyter-book build . -W -n"):
        assert f"/{part}" in said, part
    assert re.search(r"pytest -n \d --dist loadgroup *$", said, re.MULTILINE), "the unit tests"
    for notebook in [*ROOT.glob("chapters/*.ipynb"), *ROOT.glob("reference/*.ipynb")]:
        assert re.search(rf" --nbval .*{notebook.name}", said), notebook
    assert yaml.safe_load(read("_config.yml"))["execute"]["stderr_output"] == "error"


def test_ci_runs_every_file_of_tests():
    lines = re.findall(r"^make ([^#\n]*)", read(".ci/run"), flags=re.MULTILINE)
    said = commands(*(word for line in lines for word in line.split() if word.isalpha()))
    for path in (ROOT / "tests" / "book").glob("test_*.py"):
        assert f"tests/book/{path.name}" in said, path


def test_no_command_of_make_may_fail_unseen():
    assert not re.search(r"^\t[@+]*-|\|\| *(true|:)|^\.IGNORE", read("Makefile"), re.MULTILINE)


def test_unit_tests_are_those_of_the_library_and_of_its_docstrings(pytestconfig):
    paths = pytestconfig.getini("testpaths")
    assert {"tests/test_*.py", "svmlib"} <= set(paths)
    assert pytestconfig.option.doctestmodules


def test_a_warning_fails_a_test():
    for kind in (UserWarning, DeprecationWarning, RuntimeWarning, ResourceWarning):
        with pytest.raises(kind):
            warnings.warn("unclosed or not", kind, stacklevel=1)


def test_a_test_is_the_same_in_every_run():
    assert settings().derandomize
    assert settings().deadline is None, "a busy machine is no failure"
    assert {library["num_threads"] for library in threadpool_info()} == {1}


@pytest.mark.parametrize(("required", "outcome"), [("", pytest.skip), ("1", pytest.fail)])
def test_without_a_browser_ci_fails_and_a_reader_is_told(monkeypatch, required, outcome):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("REQUIRE_BROWSER", required)
    either = (pytest.skip.Exception, pytest.fail.Exception)
    with pytest.raises(either, match="NOT looked at") as told, browser.chromium():
        pass
    assert told.type is outcome.Exception


DOCUMENTS = ["README.md", "CONTRIBUTING.md", "index.md"]


def test_commands_are_told_and_exist():
    made = set(re.findall(r"^([a-z-]+):", read("Makefile"), flags=re.MULTILINE))
    words = "\n".join(map(read, DOCUMENTS))
    named = re.findall(r"(?:^|`)(?:\w+=\S+ )?make ([a-z-]+)", words, flags=re.MULTILINE)
    assert set(named) == made - {"fresh"}  # which the others call


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_pictures_of_the_repository_are_there(document):
    for place in re.findall(r"\]\(([\w./-]+)\)", read(document)):
        assert (ROOT / place).exists(), place


def test_what_is_made_is_not_committed():
    files = subprocess.run(
        ["git", "ls-files", "-ci", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not files.stdout
    ignored = read(".gitignore").split()
    assert {"_build/", ".venv/", "__pycache__/"} <= set(ignored)


def locked() -> set[tuple[str, str]]:
    """Return name and version of every line; some packages have one for each version of Python."""
    pins = re.findall(r"^([\w.-]+)==(\S+)", read("constraints.txt"), flags=re.MULTILINE)
    return {(normal(name), version) for name, version in pins}


def required() -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)", read("requirements.txt"), flags=re.MULTILINE)
    return {normal(name): version for name, version in pins}


def test_the_lock_holds_all_that_is_installed():
    """A package missing from the lock would be whatever is newest that day."""
    tools = {"pip", "setuptools", "wheel", "uv", "svmlib"}
    installed = {normal(dist.name): dist.version for dist in distributions()}
    for name, version in installed.items():
        if name not in tools:
            assert (name, version) in locked(), f"{name} {version} is not in constraints.txt"


def test_requirements_are_pinned_and_agree_with_the_lock():
    lines = re.findall(r"^\w.*$", read("requirements.txt"), flags=re.MULTILINE)
    assert len(required()) == len(lines) > 0
    assert set(required().items()) <= locked()


def test_every_requirement_is_used():
    """By an import, an extension, a pytest plugin or a command, in some file that git tracks."""
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    skipped = {"requirements.txt", "constraints.txt"}
    kinds = {".py", ".ipynb", ".toml", ".yml", ".md", ""}
    names = [n for n in files.stdout.split() if n not in skipped and Path(n).suffix in kinds]
    everything = "\n".join(read(name) for name in names if (ROOT / name).is_file())
    everything = re.sub(r"[A-Za-z0-9+/=]{200,}", "", everything)  # pictures, which take seconds
    modules: dict[str, set[str]] = {}
    for module, owners in packages_distributions().items():
        for owner in owners:
            modules.setdefault(normal(owner), set()).add(module)
    # Three go by another name: the notebooks' kernel, and options of pytest.
    aliases = {
        "ipykernel": "python3",
        "pytest-cov": "cov-report",
        "pytest-timeout": "timeout = 300",
    }
    for name in required():
        words = modules.get(name, set()) | {name, name.replace("-", "_"), aliases.get(name, name)}
        used = any(re.search(rf"\b{re.escape(word)}\b", everything) for word in words)
        assert used, f"nothing uses {name}"


WITH_CODE = ("svmlib/**/*.py", "chapters/*.ipynb", "reference/*.ipynb")


def imported(path: Path) -> set[str]:
    """Return the packages, but those of Python and our own, that a module or a notebook imports."""
    line = r'^ *"?(?:from (\w+)[\w.]* import |import (\w+)[\w.]*(?: as \w+)?(?:\\n)?"?,?$)'
    text = path.read_text(encoding="utf-8").replace("dask.distributed", "distributed")  # its home
    found = re.findall(line, text, flags=re.MULTILINE)
    return {"".join(names) for names in found} - sys.stdlib_module_names - {"svmlib"}


def test_what_library_and_notebooks_import_is_installed_with_svmlib():
    """Chapter 11 needs the extra for Dask, and so does the module for it."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    plain, extra = (
        {normal(re.match(r"[\w.-]+", line)[0]) for line in lines}
        for lines in (project["dependencies"], extras["dask"])
    )
    plain |= {"cycler", "joblib", "pandas", "threadpoolctl"}  # which those bring
    plain |= {"ipython", "matplotlib-inline"}  # those of the notebook that one is in
    owners = packages_distributions()
    for path in (file for kind in WITH_CODE for file in ROOT.glob(kind)):
        brought = plain | extra if path.stem in {"distributed", "11_beyond_smo"} else plain
        for module in imported(path):
            assert {normal(owner) for owner in owners[module]} & brought, f"{path.name}: {module}"
