"""Change one place of the library at a time, and see whether a test fails.

`python tools/mutants.py [--sample 200] [--seed 1] [--module certificate] [--line 136] ...` draws
from all one-place changes of `svmlib/*.py`. The tests that run the function are run, those of the
module's own file first; the first failure, or a run that never ends, notices the change. A change
that is not noticed is equivalent, accepted in `tools/mutants.toml` with a reason, or a hole in the
tests.

Results are in `_build/mutants`. If you interrupt the run, the next one continues it. Changes that
were noticed are not tried again while their module stays the same, and accepted ones not at all;
all others are, so that you see whether a new test helps. The first run also finds which tests
run which functions, which takes some minutes; `rm _build/mutants/tests.json` repeats that. Until
then tests that it has not seen count as tests of all functions of the module that their file
belongs to, which is the one that it is named after, and those that `DECIDING` names.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import coverage
import pytest
from coverage.regions import code_regions

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "_build" / "mutants"
KNOWN = BUILD / "tests.json"
# Of the pages, the repository and other programs: slow, and nearly without calls of the library.
OTHERS = """editions epub exercises explorable paper pictures plotting practice publish
questions repository zips"""
HERE = ["-k", "not killing and not data_may_be and not survives"]  # no change in other processes
QUIET = ["-q", "-p", "no:cacheprovider", "--timeout", "0", "-W"]
QUIET += ["ignore::pytest.PytestAssertRewriteWarning"]  # what tests need is imported already
SLOW = """hypothesis mpmath scipy.optimize sklearn.svm sklearn.model_selection pandas dask.array
sklearn.utils.estimator_checks distributed"""  # imported once; each change is tried in a fork
DEFAULTS = "tests/test_defaults.py"  # which calls no function
EVERYWHERE = DEFAULTS, "tests/test_bad_input.py"  # cheap, and for every module
DECIDING = {  # the tests of modules that have no test file of their name
    "_arrays": "svc", "_auto": "svc", "_binary_classifier": "svc", "_chunk_sums": "distributed",
    "_class_pairs": "estimators", "_explanation": "verdict", "_kernel_names": "svc",
    "_machine": "machines", "_machine_solution": "machine_problem",
    "_rescaling": "machine_problem", "_squared_hinge": "machine_problem",
    "_model_parser": "libsvm", "_newton_forms": "newton", "_scoring": "regularisation_path",
    "_validation": "bad_input", "_wolfe": "hulls", "_wrappers": "estimators",
    "gram_matrix": "kernels", "interior_point": "solvers", "model_files": "libsvm",
    "problem": "duality", "search": "regularisation_path",
}  # fmt: skip
PATIENCE = 8  # seconds of tests of others that a change may cost, the cheapest first
SWAPS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
PAIRS = {
    "min": "max", "any": "all", "minimum": "maximum", "argmin": "argmax",
    "round_up": "round_down", "ROUND_FLOOR": "ROUND_CEILING",
}  # fmt: skip
PAIRS |= {new: old for old, new in PAIRS.items()}


class Change(NamedTuple):
    """One place that can be changed: its line, its source, and how to change it."""

    module: str
    function: str  # with its classes; "" outside of all
    line: int
    source: str  # its first line, unchanged
    what: str
    apply: Callable[[], None]

    @property
    def name(self) -> str:
        """A name that identifies the change even if the lines around it move."""
        return f"{self.module}: {self.source}: {self.what}"


def others(node: ast.AST) -> Iterator[ast.AST | None]:
    """Yield the replacements of a node; None leaves a statement out."""
    match node:
        case ast.Compare(left, [op], right):
            yield ast.Compare(left, [SWAPS[type(op)]()], right)
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield ast.BinOp(left, SWAPS[type(op)](), right)
            if isinstance(op, ast.Add | ast.Sub):
                yield left
        case ast.BoolOp(op, values):
            yield ast.BoolOp(SWAPS[type(op)](), values)
            yield values[0]
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(float() as value):
            yield ast.Constant(2 * value if value else 1.0)
        case ast.Name(name) if name in PAIRS:
            yield ast.Name(PAIRS[name], ast.Load())
        case ast.Attribute(value, name) if name in PAIRS:
            yield ast.Attribute(value, PAIRS[name], ast.Load())
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.Raise() | ast.AugAssign():
            yield None
        case ast.Expr(ast.Call()):
            yield None


def changes(path: Path) -> tuple[ast.Module, list[Change]]:
    """Return the syntax tree of a module, and all changes that can be made in it."""
    source, found, seen = path.read_text(encoding="utf-8"), [], Counter[str]()
    tree, text = ast.parse(source), source.splitlines()

    def visit(node: ast.AST, inside: str) -> None:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_comment"):
                continue
            place = value if isinstance(value, list) else None
            where = "" if isinstance(node, ast.FunctionDef) and field != "body" else inside
            for k, child in enumerate(place if place is not None else [value]):
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                    continue
                for other in others(child):
                    new = ast.copy_location(ast.Pass() if other is None else other, child)
                    what = f"{ast.unparse(child)} → {ast.unparse(new)}"
                    apply = partial(_put, node, field, place, k, new)
                    line = child.lineno
                    source = text[line - 1].strip()
                    change = Change(path.stem, where, line, source, what, apply)
                    seen[change.name] += 1
                    if (again := seen[change.name]) > 1:  # the same place twice in a line
                        change = change._replace(what=f"{what} ({again})")
                    found.append(change)
                visit(child, _within(where, child) if field == "body" else where)

    visit(tree, "")
    return tree, found


def _put(node: ast.AST, field: str, place: list[Any] | None, k: int, new: ast.AST) -> None:
    if place is None:
        setattr(node, field, new)
    else:
        place[k] = new


def _within(outer: str, node: ast.AST) -> str:
    """Return the name of the function around a node, with classes and outer functions."""
    own = (ast.FunctionDef, ast.ClassDef)
    return f"{outer}.{node.name}".strip(".") if isinstance(node, own) else outer


class Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives Python the changed module instead of the file."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.path, self.name = path, f"svmlib.{path.stem}"
        self.code = compile(ast.fix_missing_locations(tree), str(path), "exec")

    def find_spec(self, name: str, path: object = None, target: object = None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None

    def exec_module(self, module: Any) -> None:
        exec(self.code, module.__dict__)


class Chosen:
    """A plugin of pytest: some tests, in this order, and no search for smaller examples."""

    def __init__(self, names: list[str], own: str, known: dict[str, float]) -> None:
        self.order = {name: k for k, name in enumerate(names)}
        self.own, self.known = own, known

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings.get_profile("book"), phases=phases)
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:  # new ones first
            if item.nodeid.startswith(self.own) and item.nodeid not in self.known:
                self.order[item.nodeid] = -1
        some = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(some, key=lambda item: self.order[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """End the process if a test computes for far longer than before (SIGPROF)."""
        signal.setitimer(signal.ITIMER_PROF, 4 + 5 * self.known.get(item.nodeid, 10))


class Lines:
    """A plugin of pytest: how long each test takes, and which lines of the library it runs."""

    def __init__(self) -> None:
        BUILD.mkdir(parents=True, exist_ok=True)
        self.coverage = coverage.Coverage(
            data_file=str(BUILD / "coverage"), source=["svmlib"], config_file=False
        )
        self.coverage.erase()
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.coverage.start()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start = time.process_time()
        self.coverage.switch_context(item.nodeid)
        yield
        self.coverage.switch_context("")
        self.seconds[item.nodeid] = time.process_time() - start

    def store(self) -> None:
        self.coverage.stop()
        for name in self.failed:
            del self.seconds[name]
        data, found = self.coverage.get_data(), {}
        for file in (ROOT / "svmlib").glob("*.py"):
            regions, of = code_regions(file.read_text(encoding="utf-8")), defaultdict(set)
            known = {k: it.name for it in regions if it.kind == "function" for k in it.lines}
            for line, names in data.contexts_by_lineno(str(file)).items():
                of[known.get(line, "")].update(names)
            found[file.stem] = {name: sorted(tests) for name, tests in of.items()}
        text = json.dumps({"seconds": self.seconds, "functions": found})
        KNOWN.write_text(text, encoding="utf-8")


def in_child(work: Callable[[], int], limit: float, log: Path) -> int | None:
    """Do the work in a fork, which has the slow imports; None if it takes too long."""
    child = os.fork()
    if not child:
        os.setsid()
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        resource.setrlimit(resource.RLIMIT_DATA, (6 * 2**30, 6 * 2**30))
        code = 99
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGPROF else code
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def own_tests(module: str) -> str:
    """Return the test file of a module: the one named after it, or that of `DECIDING`."""
    return f"tests/test_{DECIDING.get(module, module.strip('_'))}.py"


def tests_of(change: Change, known: dict[str, Any]) -> list[str]:
    """Return the tests that run its function, its module's own first; cheap ones before others."""
    seconds, of = known["seconds"], known["functions"].get(change.module, {})
    names = set(of.get(change.function, ()))
    if not change.function or not names:  # `import` runs it, or it is new, or its module is
        names = {name for some in of.values() for name in some} or set(seconds)
        names |= {name for name in seconds if name.startswith(DEFAULTS)}
    own = (own_tests(change.module), f"svmlib/{change.module}.py", *EVERYWHERE)
    chosen, left, met, rank = [], PATIENCE, Counter[str](), {}
    for name in sorted(names & seconds.keys(), key=seconds.__getitem__):
        rank[name] = met[name.split("[")[0]]  # first each test with its cheapest parameters
        met[name.split("[")[0]] += 1
    for name in sorted(rank, key=lambda n: (not n.startswith(own), rank[n] > 0, seconds[n])):
        left -= 0 if name.startswith(own) else seconds[name]
        if left > 0:
            chosen.append(name)
    return chosen


def judge(change: Change, tree: ast.Module, known: dict[str, Any]) -> str:
    """Return "noticed", "never ended" or "unnoticed"."""
    names = tests_of(change, known)
    own = own_tests(change.module)

    def work(some: list[str], files: set[str]) -> int:
        change.apply()
        sys.meta_path.insert(0, Loader(ROOT / "svmlib" / f"{change.module}.py", tree))
        importlib.import_module(f"svmlib.{change.module}")  # before pytest does, from the file
        chosen = Chosen(some, own, known["seconds"])
        return int(pytest.main(["-x", *QUIET, *HERE, *sorted(files)], plugins=[chosen]))

    code: int | None = 0
    first = [name for name in names if name.startswith(own)]  # to collect all takes longer
    for some in (first, [name for name in names if name not in first]):
        files = {name.split("::")[0] for name in some}
        files |= {own} if some is first else set()
        if files and code == 0:
            limit = 20 * (60 + sum(known["seconds"][name] for name in some))  # it may be busy
            code = in_child(partial(work, some, files), limit, BUILD / f"log{os.getpid()}.txt")
            code = 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code
    return {0: "unnoticed", None: "never ended"}.get(code, "noticed")


def table(results: dict[str, str], accepted: set[str]) -> str:
    """Return the counts by module, and what is left to explain."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left = []
    for name, result in results.items():
        known = "accepted" if result == "unnoticed" and name in accepted else result
        counts[name.split(":")[0]][known] += 1
        left += [name] if known == "unnoticed" else []
    kinds = ("noticed", "never ended", "accepted", "unnoticed")
    rows = [("module", *kinds)]
    rows += [(module, *(str(counts[module][kind]) for kind in kinds)) for module in sorted(counts)]
    rows += [("all", *(str(sum(c[kind] for c in counts.values())) for kind in kinds))]
    text = "\n".join(f"{row[0]:<16}" + "".join(f"{cell:>13}" for cell in row[1:]) for row in rows)
    return "\n".join([text, "", *(f"unnoticed  {name}" for name in left)])


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sample", type=int, default=100, help="how many changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", nargs="*", help="only these, such as certificate")
    parser.add_argument("--line", type=int, nargs="*", help="only the changes in these lines")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--tests", nargs="*", default=[], help="know these tests only")
    return parser.parse_args()


def results(log: Path) -> dict[tuple[str, str], str]:
    """Return the known results of changes, by their name and the digest of the module."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else ()
    return {(name, of): result for name, of, result in map(json.loads, lines)}


def find_tests(names: list[str]) -> None:
    """Store which of these tests, or of all, run which functions."""
    print("Which tests run which functions? This takes some minutes.", flush=True)

    def look() -> int:
        plugin = Lines()
        of_others = {Path(f"tests/test_{name}.py") for name in OTHERS.split()}
        tests = map(str, sorted(set(Path("tests").glob("test_*.py")) - of_others))
        pytest.main([*QUIET, *HERE, *(names or [*tests, "svmlib"])], plugins=[plugin])
        plugin.store()
        return min(len(plugin.failed), 250)

    if failed := in_child(look, 3600, BUILD / "tests.txt"):
        print(f"{failed} tests fail as they are, and are left out: {BUILD / 'tests.txt'}")


def main() -> int:
    given = arguments()
    os.chdir(ROOT)
    for slow in SLOW.split():
        importlib.import_module(slow)
    BUILD.mkdir(parents=True, exist_ok=True)
    if not KNOWN.exists():
        find_tests(given.tests)
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    listed = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text(encoding="utf-8"))
    drawn = []
    for path in sorted((ROOT / "svmlib").glob("*.py")):
        if not given.module or path.stem in given.module:
            tree, found = changes(path)
            wanted = [it for it in found if not given.line or it.line in given.line]
            drawn += [(change, tree, digest(path)) for change in wanted]
    random.Random(given.seed).shuffle(drawn)
    drawn = drawn[: given.sample]
    log = BUILD / "results.jsonl"
    before, accepted = results(log), {name for names in listed.values() for name in names}
    left = [item for item in drawn if item[0].name not in accepted]
    todo = [it for it in left if before.get((it[0].name, it[2]), "unnoticed") == "unnoticed"]
    workers = []
    for k in range(given.workers):
        child = os.fork()
        if not child:
            for change, tree, of in todo[k :: given.workers]:
                result = judge(change, tree, known)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([change.name, of, result], ensure_ascii=False) + "\n")
                print(f"{result:<12}", change.name, flush=True)
            os._exit(0)
        workers.append(child)
    for child in workers:
        os.waitpid(child, 0)
    after = results(log)
    found = {it.name: after.get((it.name, of), "unnoticed") for it, _, of in drawn}
    print("\n" + table(found, accepted))
    return any(r == "unnoticed" and name not in accepted for name, r in found.items())


if __name__ == "__main__":
    sys.exit(main())
