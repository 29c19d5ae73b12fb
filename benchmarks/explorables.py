"""How fast the figures redraw, and how far their answers are from svmlib's: two Markdown tables.

A redraw is what happens while something is dragged: the mathematics, the drawing, and the layout
that the browser makes of it, in a Chromium without a window. The best and the slowest of many
redraws count, each at another position of the handles. A frame of a screen lasts 16.7 ms.

    make bench                                    # this and the speed of the solvers
    python benchmarks/explorables.py              # this alone
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from svmlib import hulls
from svmlib.book import explorable
from svmlib.datasets import Dataset, load_circles, load_outlier, load_penguins, load_six_points
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF
from svmlib.problem import DualProblem

STATIC = Path(__file__).resolve().parents[1] / "_static" / "explorables"
SIX = load_six_points()
BIRDS = load_penguins()
RINGS = load_circles(60, noise=0.2)

# What is drawn, and a position between 0 and 1 of what is moved.
FIGURES = {
    "street, 274 penguins": (
        explorable.street(BIRDS.in_units((1, 200), ("mm", "200 g")), 141.3),
        "f.set('angle', 70 + 160 * t)",
    ),
    "villages": (explorable.villages(SIX), "f.place(2, [4 * t - 2, 1.5])"),
    "outlier, the price": (explorable.outlier(load_outlier(), 0.5), "f.set('logC', 7 * t - 3)"),
    "outlier, the cap": (explorable.outlier(load_outlier(), 0.5), "f.slide('mu', t)"),
    "smo, 40 steps": (
        explorable.smo(SIX),
        "(f.steps = Array(40).fill(0).map((_, k) => [3, 10, 17][k % 3]), f.place(2, [t, 2]))",
    ),
    "prices": (explorable.prices(), "f.set('alpha', 2 * t)"),
    "forces": (explorable.forces(SIX), "f.slide('angle', 360 * t)"),
    "box": (explorable.box(SIX, pair=(0, 3)), "f.set('logC', 2 * t - 1)"),
    "units, 274 penguins": (explorable.units(BIRDS, 200), "f.set('log', 1 + 3 * t)"),
    "lift, 100 samples": (explorable.lift(load_circles()), "f.set('turn', 360 * t - 180)"),
    "rbf, 60 samples, every width": (
        explorable.rbf(RINGS, RINGS),
        "f.set('logS', 2.5 * t - 1.5)",
    ),
    "rbf, 60 samples, the narrowest": (
        explorable.rbf(RINGS, RINGS),
        "(f.set('logS', -1.5), f.set('logC', 4 * t - 1))",
    ),
}
REDRAWS = """async ([move, moving]) => {
    const [f] = Object.values(svmExplorable.figures), times = [];
    const go = (t) => eval(move);
    for (let k = 0; k < 150; k++) {
        await new Promise((next) => setTimeout(next));
        f.moving = moving;
        go((k * 0.381966) % 1);
        const start = performance.now();
        f.draw();
        for (const svg of f.root.querySelectorAll("svg")) svg.getBBox();
        if (k >= 50) times.push(performance.now() - start);
    }
    return times;
}"""


def shown(browser: Browser, figure: explorable.Explorable) -> Page:
    """Open a page with the figure, from disk."""
    folder = Path(tempfile.mkdtemp())
    files = explorable.scripts(figure.data["kind"])
    for file in ("style.css", *files):
        shutil.copy(STATIC / file, folder)
    tags = "".join(f'<script defer src="{file}"></script>' for file in files)
    head = f'<!doctype html><link rel="stylesheet" href="style.css">{tags}'
    (folder / "page.html").write_text(head + figure.html(), encoding="utf-8")
    page = browser.new_page()
    page.goto((folder / "page.html").as_uri())
    page.wait_for_selector("[data-settled=true]")
    return page


def redraws(browser: Browser) -> None:
    print("| figure | median redraw, ms | slowest of 100, ms | at rest, median, ms |")
    print("|---|---:|---:|---:|")
    for name, (figure, move) in FIGURES.items():
        page = shown(browser, figure)
        times, fine = (page.evaluate(REDRAWS, [move, moving]) for moving in (True, False))
        print(f"| {name} | {np.median(times):.1f} | {max(times):.1f} | {np.median(fine):.1f} |")
        page.close()


def cloud(n: int, seed: int) -> Dataset:
    random = np.random.RandomState(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = random.standard_normal((n, 2)) + np.outer(y, (0.8, 0.3))
    return Dataset(X, y, ("a", "b"), ("", ""), ("−1", "+1"))


def differences(page: Page) -> None:
    """Relative to svmlib's value, the largest over random clouds."""
    bridges: list[float] = []
    soft: list[float] = []
    gaussian: list[float] = []
    gaps: list[float] = []

    def ask(expression: str, *values: object) -> dict[str, float]:
        found: dict[str, float] = page.evaluate(f"(v) => svmExplorable.math.{expression}", values)
        return found

    for seed in range(100):
        data = cloud(10 + seed % 51, seed)
        X, y, C = data.X, data.y, 10.0 ** (seed % 5 - 2)
        away = X + np.outer(y, (3.0, 0.0))
        found = ask("closest(...v)", away.tolist(), y.tolist())
        bridges.append(abs(found["upper"] / hulls.closest_points(away, y).distance - 1))
        for kernel, gram, into in (
            (None, "linear(v[0])", soft),
            (RBF.from_width(0.5), "gaussian(v[0], 0.5)", gaussian),
        ):
            mine = ask(
                f"softMargin(svmExplorable.math.{gram}, v[1], v[2])", X.tolist(), y.tolist(), C
            )
            centred = X - (X.min(axis=0) + X.max(axis=0)) / 2
            problem = DualProblem(centred, y, C, *([kernel] if kernel else []))
            into.append(abs(mine["primal"] / interior_point(problem).certificate.primal - 1))
            gaps.append(mine["primal"] / mine["dual"] - 1)
    print("\n| largest relative difference, 100 clouds of 10 to 60 samples | |\n|---|---:|")
    for name, values in (
        ("length of the bridge", bridges),
        ("primal value, linear", soft),
        ("primal value, RBF", gaussian),
        ("the script's own gap", gaps),
    ):
        print(f"| {name} | {max(values):.0e} |")


def main() -> None:
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        redraws(browser)
        page = browser.new_page()
        for file in ("core.js", "hulls.js", "soft.js", "rbf.js"):
            page.add_script_tag(path=STATIC / file)
        differences(page)
        browser.close()


if __name__ == "__main__":
    main()
