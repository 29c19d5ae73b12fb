"""The functions of a chapter, so that its experiments can be repeated with other seeds."""

import ast
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"


def functions(stem: str) -> dict[str, Any]:
    """Execute the imports and the functions of a chapter, and nothing else."""
    names: dict[str, Any] = {}
    text = (CHAPTERS / f"{stem}.ipynb").read_text(encoding="utf-8")
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.parse("".join(cell["source"])).body:
                if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef):
                    with suppress(NameError):  # a default that is one of the chapter's data
                        exec(ast.unparse(node), names)
    return names


def repeat(sentences: Sequence[Callable[[int], bool]]) -> None:
    """Print in how many of ten repetitions each sentence held, or only those that are named."""
    for sentence in sentences:
        if not sys.argv[1:] or sentence.__name__ in sys.argv[1:]:
            held = sum(sentence(seed) for seed in range(100, 110))
            print(f"{held:2} of 10: {sentence.__name__.replace('_', ' ')}", flush=True)
