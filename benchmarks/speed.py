"""How fast `svmlib.SVC` is beside LIBSVM, how its cost grows, and how little memory it needs.

Both fit the same data in one process on one BLAS thread, taking turns, and the least CPU time of
several runs counts; so the ratios mean something even on a busy computer, the times do not. LIBSVM
is ``sklearn.svm.SVC`` with a cache of 2000 MB, ours is ``SVC(solver="auto")`` as it comes, with its
certificate, which LIBSVM does not compute. LIBSVM gets the same C, γ and tol, and a limit of steps
for the linear kernel, where it may take hours: such rows are marked, and it is slower still.

    make bench                                         # everything, into benchmarks/RESULTS.md
    python benchmarks/speed.py 100 200                 # only these sizes, to the screen
"""

from __future__ import annotations

import datetime
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import scipy
import sklearn
from sklearn import svm
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_circles,
    make_classification,
)
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from svmlib import SVC
from svmlib.kernels import RBF, Linear
from svmlib.problem import DualProblem

HERE = Path(__file__).parent
LADDER = (2, 10, 100, 300, 600, 2000, 5000)
LARGE = (10_000, 20_000)
PRICES = (0.1, 1.0, 100.0, 1e4)
TOL = 1e-3
SHOWN = (  # in chapter 12: n, kernel and C
    ("100", "rbf", "1"),
    ("600", "rbf", "1"),
    ("1797", "rbf", "100"),
    ("5000", "rbf", "1"),
    ("2000", "rbf", "10000"),
    ("5000", "linear", "1"),
)
LEGEND = (
    "In the next table, each row is about four artificial data sets of n samples: `easy` and "
    "`noisy` (scikit-learn's `make_classification` with 10 and 20 columns; in `noisy` the classes "
    "are nearer, and a tenth of the labels are random), `circles` (two rings that overlap) and "
    "`overlapping` (two clouds in the plane). *Mean* is the geometric mean of the four ratios, "
    "*worst* the largest and *on* its data set. The duality gaps are the largest of the four."
)
STEPS = 100_000  # of LIBSVM with the linear kernel
ENOUGH = 20.0  # seconds after which a larger problem of the kind is not given to LIBSVM

Data = tuple[np.ndarray, np.ndarray]
Maker = Callable[[int], Data]


def easy(n: int) -> Data:
    data: Data = make_classification(n, 10, class_sep=1.0, flip_y=0.01, random_state=0)
    return data


def noisy(n: int) -> Data:
    data: Data = make_classification(n, 20, class_sep=0.5, flip_y=0.1, random_state=0)
    return data


def circles(n: int) -> Data:
    data: Data = make_circles(n, noise=0.2, factor=0.6, random_state=0)
    return data


def overlapping(n: int) -> Data:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + 0.5 * y[:, None], y


def wide(n: int) -> Data:
    data: Data = make_classification(n, 100, class_sep=0.5, flip_y=0.1, random_state=0)
    return data


def irises(_: int) -> Data:
    X, y = load_iris(return_X_y=True)
    return X, y == 1


def wines(_: int) -> Data:
    X, y = load_wine(return_X_y=True)
    return X, y == 1


def tumours(_: int) -> Data:
    X, y = load_breast_cancer(return_X_y=True)
    return X, y


def digits(_: int) -> Data:
    X, y = load_digits(return_X_y=True)
    return X, y % 2


DATA_SETS = (easy, noisy, circles, overlapping)
REAL = (irises, wines, tumours, digits)  # as many samples as there are
MEMORY = (noisy, overlapping, wide)  # many rows of K, coordinates and blocks, many columns


class Row(NamedTuple):
    """One data set and setting: times in seconds, and relative duality gaps."""

    n: int
    kernel: str
    C: float
    data: str
    theirs: float
    ours: float
    their_gap: float
    our_gap: float
    solver: str
    stopped: bool

    @property
    def ratio(self) -> float:
        """Our time over theirs."""
        return self.ours / self.theirs


def prepare(make: Maker, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return standardised points, labels ±1, and γ = 1/d."""
    X, y = make(max(n, 20))
    keep = np.r_[np.flatnonzero(y == 0)[: (n + 1) // 2], np.flatnonzero(y == 1)[: n // 2]]
    X, y = (X[keep], y[keep]) if n < 20 else (X, y)
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    return X, np.where(y > 0, 1, -1), 1 / X.shape[1]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()  # of this process: a busy machine adds nothing but cache misses
    work()
    return time.process_time() - start


def compare(make: Maker, n: int, kernel: str, C: float) -> Row:
    """Fit both, taking turns, as often as a fifth of a second allows."""
    X, y, gamma = prepare(make, n)
    limit = STEPS if kernel == "linear" else -1
    parameters: dict[str, Any] = {"C": C, "kernel": kernel, "gamma": gamma, "tol": TOL}
    ours: list[float] = []
    theirs: list[float] = []
    while not ours or (sum(ours) + sum(theirs) < 0.2 and len(ours) < 20):
        peer = svm.SVC(cache_size=2000, max_iter=limit, **parameters)
        theirs.append(seconds(partial(peer.fit, X, y)))
        model = SVC(**parameters)
        ours.append(seconds(partial(model.fit, X, y)))
    alpha = np.zeros(len(y))
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    problem = DualProblem(X, y, C, Linear() if kernel == "linear" else RBF(gamma))
    return Row(
        len(y),
        kernel,
        C,
        make.__name__,
        min(theirs),
        min(ours),
        problem.certificate(alpha, float(peer.intercept_[0])).relative_gap,
        model.certificate_.relative_gap,
        model.solver_,
        bool(limit == peer.n_iter_[0]),
    )


def measure(sizes: tuple[int, ...]) -> list[Row]:
    rows = []
    for kernel in ("rbf", "linear"):
        for C in PRICES:
            for make in DATA_SETS:
                for n in sizes:
                    rows.append(compare(make, n, kernel, C))
                    print(*rows[-1], flush=True, file=sys.stderr)
                    if rows[-1].theirs > ENOUGH:
                        break
    return rows


def measure_real() -> list[Row]:
    """All samples of each of the real data sets."""
    settings = [(kernel, C) for kernel in ("rbf", "linear") for C in PRICES]
    return [compare(make, 10_000, kernel, C) for kernel, C in settings for make in REAL]


def summary(rows: list[Row]) -> list[str]:
    """One line a size, kernel and C: geometric mean and worst of the ratios, and who solved."""
    lines = [
        "| n | kernel | C | ratio, mean | worst | on | our solvers "
        "| LIBSVM's relative duality gap | our relative duality gap |",
        "|--:|:--|--:|--:|--:|:--|:--|--:|--:|",
    ]
    for key in sorted({(row.kernel, row.C, row.n) for row in rows}):
        group = [row for row in rows if (row.kernel, row.C, row.n) == key]
        worst = max(group, key=lambda row: row.ratio)
        mean = np.exp(np.mean([np.log(row.ratio) for row in group]))
        stopped = "*" if any(row.stopped for row in group) else ""
        lines.append(
            f"| {key[2]} | {key[0]} | {key[1]:g} | {mean:.2g}{stopped} | {worst.ratio:.2g} "
            f"| {worst.data} | {', '.join(sorted({row.solver for row in group}))} "
            f"| {max(row.their_gap for row in group):.0e} "
            f"| {max(row.our_gap for row in group):.0e} |"
        )
    return lines


def clock(lines: list[str]) -> list[str]:
    """Return the six lines of a summary that chapter 12 shows, fit for a phone."""
    chosen = [f"| {' | '.join(key)} |" for key in SHOWN]
    shown = [*lines[:2], *(line for key in chosen for line in lines if line.startswith(key))]
    return ["|".join(line.split("|")[i] for i in (0, 1, 2, 3, 4, 8, 9, 10)) for line in shown]


def verdict(rows: list[Row]) -> list[str]:
    lost = [row for row in rows if row.ratio > 1]
    worst = max(rows, key=lambda row: row.ratio)
    wider = [row for row in rows if row.our_gap > row.their_gap and row.our_gap > 1e-9]
    mean = np.exp(np.mean([np.log(row.ratio) for row in rows]))
    where = [
        f"{kernel}, n ≤ 600: {sum(r.n <= 600 for r in group)}; n > 600: "
        f"{sum(r.n > 600 for r in group)}"
        for kernel in ("rbf", "linear")
        for group in [[row for row in lost if row.kernel == kernel]]
    ]
    return [
        f"The geometric mean of all {len(rows)} ratios is {mean:.2f}. **LIBSVM wins** in "
        f"{len(lost)} of them ({'; '.join(where)}), at worst by a factor of {worst.ratio:.1f} "
        f"({worst.data}, {worst.kernel}, n = {worst.n}, C = {worst.C:g}: {1e3 * worst.theirs:.1f} "
        f"against {1e3 * worst.ours:.1f} ms). Our duality gap is the larger one in {len(wider)} "
        f"of the {len(rows)} fits."
    ]


def growth(rows: list[Row]) -> list[str]:
    """Fit time ∝ n^p for n ≥ 600, and draw it."""
    with mpl.rc_context({"font.size": 11, "svg.hashsalt": "svmlib"}):
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 2, figsize=(9.2, 4), sharey=True, layout="constrained")
        lines = ["| kernel | C | LIBSVM | svmlib |", "|:--|--:|--:|--:|"]
        for ax, kernel in zip(axes, ("rbf", "linear"), strict=True):
            for C, shade in ((1.0, 0.9), (100.0, 0.5)):
                powers = []
                for name, colour, mark in (("theirs", "#d55e00", "o"), ("ours", "#0072b2", "^")):
                    group = [r for r in rows if (r.kernel, r.C) == (kernel, C) and r.n >= 600]
                    sizes = sorted({row.n for row in group})
                    times = [
                        np.exp(np.mean([np.log(getattr(r, name)) for r in group if r.n == n]))
                        for n in sizes
                    ]
                    powers.append(np.polyfit(np.log(sizes), np.log(times), 1)[0])
                    who = "LIBSVM" if name == "theirs" else "svmlib"
                    label = f"{who}, C = {C:g}: $n^{{{powers[-1]:.1f}}}$"
                    ax.loglog(sizes, times, mark + "-", color=colour, alpha=shade, label=label)
                lines.append(f"| {kernel} | {C:g} | {powers[0]:.2f} | {powers[1]:.2f} |")
            sizes = sorted({row.n for row in rows if row.kernel == kernel and row.n >= 600})
            ax.set(title=f"{kernel} kernel", xlabel="samples n")
            ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
            ax.xaxis.minorticks_off()
            ax.legend(fontsize=9)
        axes[0].set_ylabel("time to fit, geometric mean, s")
        for kind in ("svg", "png"):
            figure.savefig(
                HERE / f"growth.{kind}", metadata={"Date": None} if kind == "svg" else None
            )
    return lines


def linear_giant() -> str:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 50))
    y = np.where(X @ rng.normal(size=50) / 7 + rng.normal(size=100_000) > 0, 1, -1)
    model = SVC(kernel="linear")
    elapsed = min(seconds(lambda: model.fit(X, y)) for _ in range(3))
    return (
        f"Linear, n = 100,000, d = 50, C = 1: {elapsed:.2f} s by {model.solver_}, relative duality "
        f"gap {model.certificate_.relative_gap:.0e}. (LIBSVM was not run, because it takes many "
        "minutes.)"
    )


def peak_memory() -> float:
    """Return the most memory this process ever held, in MB; only Linux tells."""
    status = Path("/proc/self/status").read_text()
    return int(next(ln for ln in status.splitlines() if ln.startswith("VmHWM")).split()[1]) / 1024


def memory_of(name: str) -> None:
    """Fit one large problem in this process and print what it took."""
    make = next(make for make in MEMORY if make.__name__ == name)
    X, y, gamma = prepare(make, LARGE[-1])
    SVC().fit(X[:100], y[:100])
    before = peak_memory()
    model = SVC(gamma=gamma)
    elapsed = seconds(lambda: model.fit(X, y))
    print(f"| {name} | {model.solver_} | {before:.0f} | {peak_memory() - before:.0f} "
          f"| {elapsed:.1f} | {model.certificate_.relative_gap:.0e} |")  # fmt: skip


def memory() -> list[str]:
    lines = [
        "| data | solver | before (MB) | fit (MB) | time (s) | relative duality gap |",
        "|:--|:--|--:|--:|--:|--:|",
    ]
    for make in MEMORY:
        command = [sys.executable, __file__, "--memory-of", make.__name__]
        lines.append(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        )
    return lines


def report(rows: list[Row], real: list[Row]) -> str:
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [ln for ln in information.read_text().splitlines() if ln.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    parts = [
        "# svmlib compared with LIBSVM",
        "<!-- chapter 12 shows this -->",
        f"Made by `make bench` on {datetime.date.today():%-d %B %Y}: {processor}, one thread, "
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}. Times of one run, in which `SVC` and LIBSVM took "
        "turns; ratios below 1 mean that `svmlib` is faster.",
        "\n".join(clock(summary(rows) + summary(real)[2:])),
        "<!-- and this is all -->",
        *verdict(rows),
        LEGEND,
        "\n".join(summary(rows)),
        f"\\* LIBSVM was stopped after {STEPS:,} steps, with the duality gap shown.",
        "## Real data",
        "All samples of four data sets of scikit-learn. The positive classes are versicolor among "
        "the irises, the second of the wines, the benign tumours and the odd digits. Columns are "
        "standardised, and γ = 1/d. " + verdict(real)[0],
        "\n".join(summary(real)),
        "## How the time grows",
        "Exponent p of time ∝ nᵖ, fitted for n ≥ 600:",
        "\n".join(growth(rows)),
        "![Time to fit over the number of samples, for both kernels and two C](growth.svg)",
        "## Large and linear",
        linear_giant(),
        f"## Memory for n = {LARGE[-1]:,}, RBF, C = 1",
        f"The whole kernel matrix would take {8 * LARGE[-1] ** 2 / 2**20:.0f} MB.",
        "\n".join(memory()),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        if sys.argv[1:2] == ["--memory-of"]:
            memory_of(sys.argv[2])
        elif sys.argv[1:]:
            found = measure(tuple(map(int, sys.argv[1:])))
            print("\n".join([*verdict(found), "", *summary(found)]))
        else:
            found = measure(LADDER)
            for maker in (noisy, circles, overlapping):
                found += [compare(maker, size, "rbf", 1.0) for size in LARGE]
            (HERE / "RESULTS.md").write_text(report(found, measure_real()))
            print((HERE / "RESULTS.md").read_text())
