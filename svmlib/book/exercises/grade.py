"""Check the exercises in a folder of students' notebooks, and write a table.

    python -m svmlib.book.exercises.grade FOLDER --output table.csv

Every notebook is run in a kernel of its own. Then the inputs of each check are sent to that kernel,
the student's function answers there, and what comes back, plain data, is judged here: a notebook
that changes the checks or NumPy changes nothing but itself. The kernel does run whatever a notebook
says, with your rights. So grade strangers in a container, without a network.
"""

import argparse
import ast
import contextlib
import csv
import inspect
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from subprocess import DEVNULL
from typing import Any

import numpy as np
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from svmlib.book.exercises import _engine

__all__ = ["grade", "write"]

Row = tuple[str, str, str, str]
HEADER: Row = ("file", "exercise", "result", "message")
RESULTS = {"done": "right", "tried": "wrong", "open": "not answered"}
SOLUTION = "# Solution to"  # begins the solutions in the edition that has them
CHECKED = re.compile(r"\bcheck_(\w+)\(\s*(\w+)")


# What goes to a kernel and comes back. A kernel gets these three as they stand here, in a namespace
# apart from what a student calls by the same names.


def pack(value: Any) -> Any:
    """Turn numbers, arrays, texts and tuples of them into what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf":
        return {"array": value.tolist(), "shape": value.shape, "dtype": value.dtype.str}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [pack(each) for each in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {"other": type(value).__name__}


def unpack(packed: Any) -> Any:
    """Turn it back; of anything else only the name of its type is left."""
    if not isinstance(packed, dict):
        return packed
    if "array" in packed:
        return np.array(packed["array"], packed["dtype"]).reshape(packed["shape"])
    if "other" in packed:
        return type(packed["other"], (), {})()
    ((kind, values),) = packed.items()
    return (tuple if kind == "tuple" else list)(map(unpack, values))


def called(function: Any, packed: str) -> str:
    """Return what a function makes of packed arguments, and what it has made of them."""
    arguments = [unpack(each) for each in json.loads(packed)]
    return json.dumps([pack(function(*arguments)), [pack(each) for each in arguments]])


PARTS = "import json\nfrom typing import Any\nimport numpy as np\nanswers = {}\n"
PARTS += "\n".join(inspect.getsource(part) for part in (pack, unpack, called))
HELPERS = f"__grade__ = {{}}\nexec({PARTS!r}, __grade__)"


class TooLongError(BaseException):
    """The time is up, or the kernel gone. The checks, which catch Exception, let it pass."""


class Kernel:
    """A kernel for one notebook, in which every cell and every answer has so many seconds."""

    def __init__(self, folder: str, timeout: float) -> None:
        self.manager: KernelManager
        self.client: BlockingKernelClient
        self.manager, self.client = start_new_kernel(
            kernel_name="python3", cwd=folder, stdout=DEVNULL, stderr=DEVNULL
        )
        self.timeout = 60.0  # to begin with, for a machine with other things to do
        self.run(HELPERS)
        self.timeout = timeout

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def reply(self, request: str, timeout: float) -> dict[str, Any]:
        """Return the answer to a request."""
        end = time.monotonic() + timeout
        while time.monotonic() < end and self.manager.is_alive():
            with contextlib.suppress(Empty):
                message = self.client.get_shell_msg(timeout=0.5)
                if message["parent_header"].get("msg_id") == request:
                    return dict(message["content"])
        raise TooLongError

    def run(self, code: str, expression: str = "None") -> dict[str, Any]:
        """Run code, and return what became of it and of an expression after it."""
        request = self.client.execute(
            code, silent=True, allow_stdin=False, user_expressions={"it": expression}
        )
        try:
            content = self.reply(request, self.timeout)
        except TooLongError:
            self.manager.interrupt_kernel()
            with contextlib.suppress(TooLongError):
                self.reply(request, 2)
            raise
        found: dict[str, Any] = content.get("user_expressions", {}).get("it", content)
        return found

    def keep(self, name: str, function: str) -> None:
        """Keep a function as the answer to an exercise, if there is one."""
        self.run("", f"__grade__['answers'].update({{{name!r}: {function}}})")

    def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Let the student's function answer; raise what it raises."""
        packed = json.dumps([pack(each) for each in arguments])
        found = self.run("", f"__grade__['called'](__grade__['answers'][{name!r}], {packed!r})")
        if found["status"] != "ok":
            raise type(found["ename"], (Exception,), {})(found["evalue"])
        answer, after = json.loads(ast.literal_eval(found["data"]["text/plain"]))
        for mine, theirs in zip(arguments, map(unpack, after), strict=True):
            if isinstance(mine, np.ndarray) and np.shape(theirs) == mine.shape:
                mine[...] = theirs  # so that the check sees what a function has changed
        return unpack(answer)


def sources(path: Path) -> list[str]:
    """Return the code of a notebook, without the solutions of the book."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [code for code in codes if not code.startswith(SOLUTION)]


def checked(codes: list[str]) -> dict[str, str]:
    """Return the exercises that a notebook checks, and the function that it gives to each."""
    calls = CHECKED.findall("\n".join(codes))
    return {name: function for name, function in calls if name in _engine._EXERCISES}


def judge(kernel: Kernel, name: str, kept: bool) -> tuple[str, str]:
    """Return the result of an exercise, and what there is to say of it."""
    task = _engine._EXERCISES[name]
    task.state = "open"

    def answer(*arguments: Any) -> Any:
        return kernel.call(name, arguments)

    answer.__name__ = name
    try:
        if not kept:
            kernel.keep(name, name)
        if kernel.run("", f"{name!r} in __grade__['answers']")["data"]["text/plain"] != "True":
            return "not answered", f"there is no {name}."
        words = task.verdict(answer)
    except TooLongError:
        return "wrong", f"{name} takes longer than {kernel.timeout:g} s, or ends the kernel."
    except Exception as error:
        return "wrong", f"{name} could not be judged: {type(error).__name__}: {error}"
    said = words.partition("\n  stuck?")[0] if task.state == "tried" else ""
    return RESULTS[task.state], said


def results(codes: list[str], names: list[str], timeout: float) -> Iterator[tuple[str, str]]:
    """Run a notebook, and yield the result of each exercise.

    What counts is the function that a cell has given to the check, since chapters may go on with
    their own; where no check is called, the last of that name.
    """
    with tempfile.TemporaryDirectory() as folder:
        kernel, trouble = Kernel(folder, timeout), ""
        try:
            for number, code in enumerate(codes, 1):
                try:
                    found = kernel.run(code)
                    for name, function in checked([code]).items():
                        kernel.keep(name, function)
                    error = f"{found.get('ename')}: {found.get('evalue')}"
                    ended = found["status"] == "ok"
                except TooLongError:
                    error, ended = f"longer than {timeout:g} s", False
                trouble = trouble or ("" if ended else f" Code cell {number}: {error}")
            for name in names:
                result, message = judge(kernel, name, name in checked(codes))
                yield result, message + trouble * (result == "not answered")
        finally:
            kernel.close()


def grade(folder: Path, exercises: list[str] | None = None, timeout: float = 120) -> list[Row]:
    """Check the exercises of every notebook in a folder, and of those below it.

    Parameters
    ----------
    folder : Path
        The notebooks, all of one assignment.
    exercises : list of str, optional
        Their names, as in ``check_pair_step``; all that any of the notebooks checks if not given.
    timeout : float, default 120
        Seconds for every cell, and for every answer.

    Returns
    -------
    list of tuple of str
        File, exercise, result ("right", "wrong" or "not answered") and a message, for each exercise
        and each notebook.
    """
    found: dict[str, list[str] | Exception] = {}
    for path in sorted(folder.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts:
            try:
                found[str(path.relative_to(folder))] = sources(path)
            except Exception as error:  # whatever a student hands in
                found[str(path.relative_to(folder))] = error
    asked = {name for codes in found.values() if isinstance(codes, list) for name in checked(codes)}
    names = exercises or sorted(asked, key=list(_engine._EXERCISES).index)
    rows: list[Row] = []
    for file, codes in found.items():
        print(file, file=sys.stderr)
        if isinstance(codes, Exception):
            rows += [(file, name, "not answered", f"cannot be read: {codes}") for name in names]
            continue
        try:
            for name, told in zip(names, results(codes, names, timeout), strict=True):
                rows.append((file, name, *told))
        except (Exception, TooLongError) as error:
            missing = [name for name in names if (file, name) not in {row[:2] for row in rows}]
            rows += [
                (file, name, "not answered", f"the kernel failed: {error}") for name in missing
            ]
    return rows


def plain(text: str) -> str:
    """Return a text for one cell of a table, that no spreadsheet takes for a formula."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return "'" * text.startswith(("=", "+", "-", "@")) + text[:500]


def write(rows: list[Row], path: Path) -> None:
    """Write the table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *(tuple(map(plain, row)) for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("folder", type=Path, help="with the notebooks of one assignment")
    parser.add_argument("--exercises", nargs="*", help="names, as in check_pair_step")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a cell, an answer")
    parser.add_argument("--output", type=Path, default=Path("table.csv"))
    options = parser.parse_args()
    if unknown := set(options.exercises or []) - set(_engine._EXERCISES):
        parser.error(f"no exercise is called {', '.join(sorted(unknown))}")
    write(grade(options.folder, options.exercises, options.timeout), options.output)
    print(options.output)


if __name__ == "__main__":
    main()
