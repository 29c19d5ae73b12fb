"""How long people wait: tuning, many values of C, default fits and single rows, beside their peers.

All numbers are seconds of one processor core (`time.process_time`, one BLAS thread), of runs that
follow each other in one process; so ratios mean something even on a busy machine. Every machine of
ours is certified to a relative gap of 1e-3, and the worst gap is shown. scikit-learn's are not: its
gaps are in RESULTS.md.

    python benchmarks/tuning.py                  # into benchmarks/TUNING.md; about five minutes

It runs a second time as if the processor had no AVX-512 (`OLDER`); the first lines of each part say
what was in use. An older processor may ignore that: then both parts are the same.
"""

from __future__ import annotations

import datetime
import importlib
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import sklearn
from sklearn import svm
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_wine,
    make_classification,
    make_friedman3,
    make_gaussian_quantiles,
    make_moons,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from speed import circles, digits, easy, noisy, overlapping, prepare, tumours
from threadpoolctl import threadpool_info, threadpool_limits

from svmlib import SVC, SVCCV
from svmlib._kernel_names import KernelName

HERE = Path(__file__).parent
CS = 10.0 ** np.arange(-2, 5)
FITS = (
    (circles, 300),
    (overlapping, 300),
    (easy, 600),
    (tumours, 10_000),  # as many as there are
    (noisy, 1000),
    (digits, 10_000),
    (easy, 2000),
    (circles, 5000),
)
REPEATS = 20  # of a row, for one measurement
OLDER = {  # for BLAS and for NumPy
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
OTHERS = {
    "sklearnex": "scikit-learn-intelex",
    "thundersvm": "ThunderSVM",
    "torchkm": "TorchKM",
}


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def median(works: Sequence[Callable[[], object]], most: float = 0.6) -> list[float]:
    """Median times of several works that take turns."""
    times: list[list[float]] = []
    while len(times) < 3 or (np.sum(times) < most and len(times) < 25):
        times.append([seconds(work) for work in works])
    return [float(value) for value in np.median(times, axis=0)]


def scaled(X: np.ndarray) -> np.ndarray:
    return np.asarray((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1))


def two_digits(a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    chosen = (y == a) | (y == b)
    return X[chosen], y[chosen] == b


def ten_columns(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, 10, class_sep=0.7, flip_y=0.05, random_state=0)
    return X, y


def held_out() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return ten problems that nothing in the library was chosen by; replace them if that changes.

    They are of 1 December 2026: a rule of `svmlib._auto` was made after a look at the ten before.
    """
    X, y = load_breast_cancer(return_X_y=True)
    wines, kinds = load_wine(return_X_y=True)
    smooth, height = make_friedman3(900, noise=0.1, random_state=46)
    return {
        "seven columns": make_classification(450, 7, flip_y=0.1, random_state=41),
        "thirty columns": make_classification(800, 30, n_informative=6, random_state=42),
        "eighteen columns": make_classification(2200, 18, class_sep=0.8, random_state=43),
        "wines, the third": (wines, kinds == 2),
        "tumours, ten columns": (X[::2, 20:], y[::2]),
        "digits 0 and 6": two_digits(0, 6),
        "digits 2 and 7": two_digits(2, 7),
        "quantiles": make_gaussian_quantiles(
            n_samples=1000, n_features=5, n_classes=2, random_state=44
        ),
        "moons, less noise": make_moons(1500, noise=0.18, random_state=45),
        "Friedman's function": (smooth, height > np.median(height)),
    }


def unseen() -> list[str]:
    """Default fits, and a search over 4 C and 3 γ, of the held-out problems."""
    lines = ["| data | n | C = 1: theirs, ms | ours, ms | ratio | C = 100 | ours, ms | ratio "
             "| search: theirs, s | ours, s | ratio |",
             "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    pairs: dict[str, list[tuple[float, float]]] = {"C = 1": [], "C = 100": [], "search": []}
    for name, (points, y) in held_out().items():
        X, line = scaled(points), f"| {name} | {len(y)} "
        for C in 1.0, 100.0:
            own, peer = SVC(C=C), svm.SVC(C=C, cache_size=2000)
            theirs, ours = median([partial(peer.fit, X, y), partial(own.fit, X, y)])
            pairs[f"C = {C:g}"].append((ours, theirs))
            line += f"| {1e3 * theirs:.1f} | {1e3 * ours:.1f} | {ratio(ours, theirs)} "
        Cs, gammas = 10.0 ** np.arange(-1, 3), 4.0 ** np.arange(-1, 2) / X.shape[1]
        folds = list(StratifiedKFold(5).split(X, y))
        search = GridSearchCV(svm.SVC(), {"C": Cs, "gamma": gammas}, cv=folds, refit=False)
        certified = SVCCV(Cs, gammas, cv=folds, refit=False)
        works = [partial(model.fit, X, y) for model in (search, certified)]
        theirs, ours = map(seconds, works)
        pairs["search"].append((ours, theirs))
        lines.append(f"{line}| {theirs:.2f} | {ours:.2f} | {ratio(ours, theirs)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return [*lines, "", *(f"- {name}: {geometric(group)}" for name, group in pairs.items())]


def ratio(ours: float, theirs: float) -> str:
    return f"{'**' if ours > theirs else ''}{ours / theirs:.2f}{'**' if ours > theirs else ''}"


def geometric(pairs: Sequence[tuple[float, float]]) -> str:
    logs = [np.log(ours / theirs) for ours, theirs in pairs]
    return f"geometric mean **{np.exp(np.mean(logs)):.2f}**, worst {np.exp(max(logs)):.2f}"


def tuning() -> list[str]:
    """7 C times 5 γ, in five folds."""
    lines = ["| data | n | GridSearchCV(sklearn SVC), s | SVCCV, s | ratio | worst gap "
             "| best score, theirs | ours |", "|:--|--:|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    data: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "tumours": load_breast_cancer(return_X_y=True),
        "digits 3 and 8": two_digits(3, 8),
        "moons": make_moons(1000, noise=0.3, random_state=0),
        "ten columns": ten_columns(1000),
        "ten columns, more": ten_columns(3000),
    }
    pairs = []
    for name, (points, y) in data.items():
        X = scaled(points)
        folds = list(StratifiedKFold(5).split(X, y))
        gammas = 4.0 ** np.arange(-2, 3) / X.shape[1]
        peer = GridSearchCV(svm.SVC(), {"C": CS, "gamma": gammas}, cv=folds, refit=False)
        own = SVCCV(CS, gammas, cv=folds, refit=False)
        theirs, ours = seconds(partial(peer.fit, X, y)), seconds(partial(own.fit, X, y))
        pairs.append((ours, theirs))
        lines.append(
            f"| {name} | {len(y)} | {theirs:.2f} | {ours:.2f} | {ratio(ours, theirs)} "
            f"| {own.worst_relative_gap_:.0e} | {peer.best_score_:.4f} | {own.best_score_:.4f} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    return [*lines, "", geometric(pairs)]


def path() -> list[str]:
    """50 values of C in ten folds, one width. scikit-learn fits five of the 50 in one fold."""
    lines = ["| n | scikit-learn, s (500 times the mean of five) | SVCCV, s | ratio | worst gap |",
             "|--:|--:|--:|--:|--:|"]  # fmt: skip
    for n in (2000, 5000):
        rng = np.random.default_rng(42)
        y = rng.integers(0, 2, n)
        X = scaled(3 * rng.normal(size=(n, 10)) + 2 * y[:, None] * (np.arange(10) < 5))
        Cs, folds = np.logspace(-6, 0, 50) * 1000 / n, list(StratifiedKFold(10).split(X, y))
        own = SVCCV(Cs, (0.05,), cv=folds, refit=False)
        ours, (seen, hidden) = seconds(partial(own.fit, X, y)), folds[0]
        theirs = 0.0
        for C in Cs[4::10]:
            peer = svm.SVC(C=C, gamma=0.05)
            theirs += 100 * seconds(partial(peer.fit, X[seen], y[seen]))
            theirs += 100 * seconds(partial(peer.predict, X[hidden]))
        lines.append(f"| {n} | {theirs:.1f} | {ours:.1f} | {ratio(ours, theirs)} "
                     f"| {own.worst_relative_gap_:.0e} |")  # fmt: skip
    return lines


def fits() -> list[str]:
    """Fits as they come, and LinearSVC, which has no free bias, beside the linear kernel."""
    lines = ["| data | n | kernel | C | peer | theirs, ms | ours, ms | ratio "
             "| our relative duality gap |",
             "|:--|--:|:--|--:|:--|--:|--:|--:|--:|"]  # fmt: skip
    pairs: dict[str, list[tuple[float, float]]] = {}
    kernels: tuple[KernelName, ...] = ("rbf", "linear")
    for (make, size), kernel, C in product(FITS, kernels, (1.0, 100.0)):
        X, y, gamma = prepare(make, size)
        own = SVC(C=C, kernel=kernel, gamma=gamma)
        peer = svm.SVC(C=C, gamma=gamma, cache_size=2000)
        if kernel == "linear":
            peer = svm.LinearSVC(C=C, loss="hinge", tol=1e-4)
        theirs, ours = median([partial(peer.fit, X, y), partial(own.fit, X, y)])
        pairs.setdefault(f"{kernel}, C = {C:g}", []).append((ours, theirs))
        lines.append(
            f"| {make.__name__} | {len(y)} | {kernel} | {C:g} | {type(peer).__name__} "
            f"| {1e3 * theirs:.1f} | {1e3 * ours:.1f} | {ratio(ours, theirs)} "
            f"| {own.certificate_.relative_gap:.0e} |"
        )
        print(lines[-1], file=sys.stderr, flush=True)
    return [*lines, "", *(f"- {name}: {geometric(group)}" for name, group in pairs.items())]


def one_row() -> list[str]:
    lines = ["| data | n | support vectors | theirs, µs | ours, µs | ratio |",
             "|:--|--:|--:|--:|--:|--:|"]  # fmt: skip
    for make, size in (
        (easy, 300),
        (tumours, 10_000),
        (digits, 10_000),
        (noisy, 2000),
        (circles, 5000),
    ):
        X, y, gamma = prepare(make, size)
        peer, own = svm.SVC(gamma=gamma).fit(X, y), SVC(gamma=gamma).fit(X, y)
        works = [partial(many, model.decision_function, X[:1]) for model in (peer, own)]
        theirs, ours = (1e6 * t / REPEATS for t in median(works))
        lines.append(f"| {make.__name__} | {len(y)} | {own.support_.size} | {theirs:.0f} "
                     f"| {ours:.0f} | {ratio(ours, theirs)} |")  # fmt: skip
    return lines


def many(function: Callable[[np.ndarray], object], X: np.ndarray) -> None:
    for _ in range(REPEATS):
        function(X)


def others() -> list[str]:
    """Fits of peers that are not installed with the book, if somebody has installed them."""
    lines = []
    for name, title in OTHERS.items():
        try:
            module = importlib.import_module(f"{name}.svm" if name == "sklearnex" else name)
        except ImportError:
            lines.append(f"- {title} is not installed here, so it was not measured.")
            continue
        if not hasattr(module, "SVC"):
            lines.append(f"- {title} has no SVC of the usual form; it was not measured.")
            continue
        X, y, gamma = prepare(noisy, 2000)
        theirs, ours = median([
            partial(model.fit, X, y) for model in (module.SVC(gamma=gamma), SVC(gamma=gamma))
        ])  # fmt: skip
        lines.append(f"- {title}, noisy, n = 2000, C = 1: {1e3 * theirs:.0f} ms, ours "
                     f"{1e3 * ours:.0f} ms, ratio {ratio(ours, theirs)}.")  # fmt: skip
    return lines


def machine() -> str:
    """Say what computes, and what the exponential costs there."""
    cpu = platform.processor() or platform.machine()
    if (information := Path("/proc/cpuinfo")).exists():
        names = [ln for ln in information.read_text().splitlines() if ln.startswith("model name")]
        cpu = names[0].split(":")[1].strip() if names else cpu
    kernels = {i.get("architecture") for i in threadpool_info() if i["user_api"] == "blas"}
    values = -np.random.default_rng(0).random(2**16)
    cost = min(seconds(partial(np.exp, values)) for _ in range(50)) / values.size
    return (
        f"Made by `benchmarks/tuning.py` on {datetime.date.today():%-d %B %Y}: {cpu}, BLAS kernel "
        f"{', '.join(sorted(map(str, kernels)))}, one thread; `np.exp` takes {1e9 * cost:.1f} ns "
        f"per value. Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}. Load before the start: {os.getloadavg()[0]:.0f} on "
        f"{os.cpu_count()} cores."
    )


def measurements() -> str:
    parts = [
        machine(),
        "### Tuning: 7 values of C times 5 of γ in five folds",
        *tuning(),
        "### 50 values of C in ten folds",
        *path(),
        "### Fits with default settings",
        "(LinearSVC penalises b, and often stops after its 1000 passes, before it has converged.)",
        *fits(),
        "### Ten held-out data sets",
        "(These data did not influence any choice in the library. Fits use the RBF kernel and the "
        "default γ;\nsearches try 4 values of C times 3 of γ in five folds.)",
        *unseen(),
        "### One row scored",
        *one_row(),
        "### Other peers",
        *others(),
    ]
    text, table = "", False
    for part in parts:  # rows of tables and lists follow each other; between the rest is a space
        joined = table and part[:1] in "|-"
        text, table = text + ("\n" if joined or not text else "\n\n") + part, part[:1] in "|-"
    return text.strip().replace("\n\n\n", "\n\n") + "\n"


def on_an_older_processor() -> subprocess.Popen[str]:
    """Begin the same measurements without AVX-512, which only a new process can do without."""
    command = [sys.executable, __file__, "--print"]
    return subprocess.Popen(command, env=os.environ | OLDER, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    second = None if "--print" in sys.argv else on_an_older_processor()
    with threadpool_limits(1):
        written = measurements()
    if second:
        sections = [
            "# Tuning, single fits and single rows compared with other libraries",
            "All times are CPU times on one core. The two parts of this page, with and without "
            "AVX-512,\nwere measured at the same time on two cores.\nA ratio is our time divided "
            "by the time of the other library (*theirs*).\nIn the tables, ratios above 1, where "
            "`svmlib` is slower, are bold.\n*Worst gap* is the largest relative duality gap of our "
            "machines.",
            "## On this processor",
            written,
            "## The same processor without its AVX-512 instructions",
            second.communicate()[0],
        ]
        (HERE / "TUNING.md").write_text("\n\n".join(map(str.strip, sections)) + "\n", "utf-8")
    else:
        print(written)
