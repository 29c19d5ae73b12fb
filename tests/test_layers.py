"""Imports go downwards: no circle, not even for types, and no import from a layer above."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import svmlib

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = sorted((ROOT / "svmlib").glob("*.py"))


@cache
def read(file: Path) -> tuple[str, ast.Module]:
    """Return the text of a module and its syntax tree."""
    text = file.read_text(encoding="utf-8")
    return text, ast.parse(text)


@cache
def imports(package: str) -> dict[str, set[str]]:
    """Return which modules of its package each module imports, wherever the import stands.

    Modules of a folder that is not a package may import each other by their plain names.
    """
    files = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in sorted((ROOT / package).rglob("*.py"))
    }
    known = {name: name for name in files}
    known |= {name.removeprefix(f"{package}."): name for name in files}
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        found: set[str] = set()
        for node in ast.walk(read(file)[1]):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{file}: an import relative to its own place"
                # What is imported may be a module, or a name in one.
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inside & known.keys() or {str(node.module)}
        graph[module] = {known[name] for name in found & known.keys()} - {module}
    return graph


@pytest.mark.parametrize("package", ["svmlib", "_ext", "tools"])
def test_no_imports_run_in_a_circle(package):
    graph = imports(package)
    assert sum(map(len, graph.values())) > 4, "the imports have been found"
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_a_module_imports_only_from_those_named_before_it():
    """In the order of `svmlib.__doc__`, from the first layer up."""
    graph = {name: found for name, found in imports("svmlib").items() if name.count(".") == 1}
    del graph["svmlib.book"]
    order = re.findall(r"`(svmlib\.(?!book)\w+)`", svmlib.__doc__)
    assert sorted(order) == sorted(graph), "each module is named once"
    for place, module in enumerate(order):
        assert graph[module] <= set(order[:place]), module


def test_names_that_only_their_own_module_uses_begin_with_an_underscore():
    """Other names are in ``__all__``, used elsewhere, or types in the signature of one that is."""
    words = {f: {*re.findall(r"\w+", read(f)[0])} for f in (ROOT / "svmlib").rglob("*.py")}
    for file in LIBRARY:
        text, tree = read(file)
        others = (known for other, known in words.items() if other != file)
        used = {*re.findall(r'"(\w+)"', text)}.union(*others)
        defined: dict[str, ast.AST] = {}
        for node in tree.body:
            names = [getattr(node, "name", ""), *map(ast.unparse, getattr(node, "targets", ()))]
            defined |= {name: node for name in names if name[:1].isalpha()}
        for name in used & defined.keys():
            for part in ast.walk(defined[name]):
                types = (getattr(part, "annotation", None), getattr(part, "returns", None))
                used |= {*re.findall(r"\w+", " ".join(ast.unparse(t) for t in types if t))}
        assert {*defined} <= used, file


def test_extensions_need_no_program_and_nothing_changes_where_modules_are_found():
    programs = {file.stem for file in (ROOT / "tools").glob("*.py")}
    for file in [*(ROOT / "_ext").glob("*.py"), *(ROOT / "tools").rglob("*.py")]:
        text = file.read_text(encoding="utf-8")
        assert "sys.path" not in text, file
        needed = set(re.findall(r"^\s*(?:from|import) (\w+)", text, flags=re.MULTILINE))
        assert file.parent.name != "_ext" or not needed & programs, file


def test_no_line_of_the_library_begins_with_an_initial_and_no_module_needs_what_dask_may_move():
    """ReStructuredText takes that of "P. Wolfe" for the number of an item, and drops it."""
    for file in (ROOT / "svmlib").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^ *[A-Z]\. |\b(dask|distributed)\._", text, re.MULTILINE), file


def test_modules_and_functions_of_the_library_are_small():
    for file in LIBRARY:
        text, tree = read(file)
        lines = {k for k, line in enumerate(text.split("\n"), 1) if line.strip(" ")[:1] not in "#"}
        for node in ast.walk(tree):
            documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            if documented and ast.get_docstring(node):
                lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        assert len(lines) <= 270, file
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                size = len(lines & set(range(node.lineno, node.end_lineno + 1)))
                assert size <= 35, f"{file}: {node.name}"
