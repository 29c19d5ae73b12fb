"""What serves the pages of the book and is no mathematics: apart from the rest of the library.

- `svmlib.book.plotting`: the house style, and the few pictures that the chapters repeat,
- `svmlib.book.player`: frames to step through,
- `svmlib.book.explorable`: figures to take hold of,
- `svmlib.book.exercises`: checks of the reader's own code.

It needs Matplotlib: ``pip install matplotlib``.
"""

from importlib.util import find_spec

if find_spec("matplotlib") is None:
    raise ImportError("svmlib.book needs Matplotlib: pip install matplotlib")
