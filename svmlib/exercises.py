"""Checks for the exercises that ask the reader for code.

Each `check_…` function tries the reader's function on problems whose answer is known by another
route, and prints what is wrong with it in words. A wrong answer never raises: the checks teach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class _NotWrittenError(Exception):
    """The reader's function returned None, so its body is still the dots of the exercise."""


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the reader's answer, or stop the check if there is none yet."""
    answer = function(*arguments)
    if answer is None:
        raise _NotWrittenError
    return answer


def _report(function: Callable[..., Any], problems: Iterator[str]) -> None:
    """Print the first problem that the check finds, or that it found none."""
    name = function.__name__
    try:
        problem = next(problems, None)
    except _NotWrittenError:
        print(f"{name} is not written yet: it returns None.")
    except Exception as error:
        print(f"{name} stopped with {type(error).__name__}: {error}")
    else:
        print(f"{name}: {problem or 'every check passed. Well done.'}")
