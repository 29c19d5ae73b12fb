"""In a real JupyterLab, on samples that the book has never seen."""

import os
import re
import sys

import nbformat
import numpy as np
import pytest

from svmlib import hulls
from tests.browser import jupyterlab, open_tab, run_all_cells
from tests.figures import drag_by

CELLS = [
    """import numpy as np
from svmlib.book import explorable
from svmlib.datasets import Dataset

X = np.array([[1.0, 3.0], [2.0, 5.0], [3.0, 4.0], [5.0, 1.0], [6.0, 2.0], [7.0, 0.5]])
y = np.array([1, 1, 1, -1, -1, -1])
mine = Dataset(X, y, ("height", "weight"), ("cm", "kg"), ("cats", "dogs"))""",
    "explorable.villages(mine)",
    "explorable.villages(Dataset(5 * X, y, ('a', 'b'), ('', ''), ('−1', '+1')))",
    "explorable.rbf(mine, mine)",
]
# What a stored output has, and a viewer that strips scripts leaves of it.
STILLS = """from IPython.display import HTML

page = explorable.lift(mine).html()
HTML(page + page.split("<script")[0].replace("lift", "stripped") + "</div>")"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    home = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(text) for text in (CELLS[0], STILLS, *CELLS[1:])]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, home / "own.ipynb")
    environment = {**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "config")}
    with jupyterlab(f"{sys.executable} -m jupyterlab {home}", env=environment) as address:
        yield address


def run_all(tab, figures):
    run_all_cells(tab)
    for k in range(figures):
        cell = tab.locator(".jp-CodeCell").nth(k + 2)
        cell.scroll_into_view_if_needed()
        cell.locator(".explorable[data-settled=true]").wait_for()


def test_is_alive_on_samples_of_ones_own(browser, lab):
    tab, errors = open_tab(browser, viewport={"width": 1300, "height": 1000}), []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{lab}/doc/tree/own.ipynb")
    tab.locator(".jp-CodeCell").nth(len(CELLS)).wait_for()
    run_all(tab, len(CELLS) - 1)
    figure = tab.locator(".jp-CodeCell").nth(2).locator(".explorable")
    figure.locator("[role=status]", has_text="3.536 long").wait_for(state="attached")
    grip = figure.locator(".grip").nth(2)  # the village C, an end of the bridge
    assert "3 cm, 4 kg" in grip.get_attribute("aria-label")
    drag_by(tab, grip, 40, 20)
    tab.keyboard.press("Shift+ArrowDown")  # which must not reach the notebook
    tab.wait_for_function("e => e.dataset.settled === 'true'", arg=figure.element_handle())
    words = grip.get_attribute("aria-label").split(" at ")[1]
    place = [float(v) for v in re.findall(r"\d[\d.]*", words)]
    assert place[0] > 3
    assert place[1] < 4
    X = np.array([[1, 3], [2, 5], place, [5, 1], [6, 2], [7, 0.5]])
    bridge = hulls.closest_points(X, [1, 1, 1, -1, -1, -1])
    assert f"It is {bridge.distance:.3f} long" in figure.locator("[role=status]").text_content()
    # The cell says what the samples are, not an address that somebody left behind.
    assert "#" not in tab.url
    run_all(tab, len(CELLS) - 1)
    tab.wait_for_function("() => document.querySelector('#villages').innerText.includes('3.536')")
    # Two figures of one name clip by planes of their own.
    clips = tab.eval_on_selector_all(".explorable clipPath", "all => all.map(e => e.id)")
    assert len(set(clips)) == len(clips) >= 4
    assert tab.locator("#lift .still").is_visible()
    assert tab.locator("#stripped .still").is_visible()
    assert not errors
    tab.close()
