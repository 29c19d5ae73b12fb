"""What all checks share: calling the reader's function, and printing the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


class _NotWrittenError(Exception):
    """The reader's function returned None, so its body is still the dots of the exercise."""


class _ChangedArgumentError(Exception):
    """The reader's function wrote into an array that belongs to its caller."""


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the reader's answer, or stop the check if there is none or an argument changed."""
    before = [np.copy(argument) for argument in arguments]
    answer = function(*arguments)
    if answer is None:
        raise _NotWrittenError
    if not all(map(np.array_equal, before, arguments)):
        raise _ChangedArgumentError
    return answer


def report(function: Callable[..., Any], problems: Iterator[str]) -> None:
    """Print the first problem that the check finds, or that it found none."""
    name = function.__name__
    try:
        problem = next(problems, None)
    except _NotWrittenError:
        print(f"{name} is not written yet: it returns None.")
    except _ChangedArgumentError:
        print(f"{name}: it changes the arrays that it is given: start from copies of them.")
    except Exception as error:
        print(f"{name} stopped with {type(error).__name__}: {error}")
    else:
        print(f"{name}: {problem or 'every check passed. Well done.'}")
