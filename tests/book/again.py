"""A pytest plugin beside nbval: after Run All, any cell may be run again and prints the same.

The cells of a chapter are run once more, from the last to the first, with the names as they are
then. This finds a cell that reads a name which a later cell has bound to something else, that draws
from a generator which another cell has used, or that changes what it reads.
"""

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile


def again(cell: IPyNbCell) -> IPyNbCell:
    """Return the same test under another name: run the cell, compare with what is stored."""
    same = {"cell_num": cell.cell_num, "cell": cell.cell, "options": cell.options}
    return IPyNbCell.from_parent(cell.parent, name=f"{cell.name} again", **same)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if isinstance(collector, IPyNbFile) and collector.path.parent.name == "chapters":
        report.result += [again(cell) for cell in reversed(report.result)]
    return report
