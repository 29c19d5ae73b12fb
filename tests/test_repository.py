"""What holds the repository together: one version, one lock, a README that is true."""

import re
import subprocess
import tomllib
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
import yaml

import svmlib

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
    assert citation["license"] == "BSD-3-Clause"
    assert "BSD 3-Clause" in read("LICENSE")


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
