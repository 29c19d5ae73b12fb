"""How fast the solvers are, and how little memory SMO needs: three Markdown tables.

Both solve the same problem to the same tolerance in one process on one BLAS thread, taking turns,
and the best of several runs counts. `smo` is timed with everything that it needs: building the
problem, the kernel values, and a certificate that LIBSVM does not compute. LIBSVM is
``sklearn.svm.SVC`` with a cache of 2000 MB, its input checks included.

    make bench                                     # everything
    python benchmarks/speed.py 100 200             # only these sizes, without the memory table
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from sklearn import svm
from sklearn.datasets import make_circles, make_classification
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from svmlib.duality import DualProblem
from svmlib.kernels import RBF
from svmlib.smo import smo
from svmlib.svc import SVC

SIZES = (100, 200, 500, 1000, 2000, 5000)
LARGE = 20_000
TOL = 1e-3


def easy(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 10, class_sep=1.0, flip_y=0.01, random_state=0)


def noisy(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 20, class_sep=0.5, flip_y=0.1, random_state=0)


def wide(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 200, n_informative=20, flip_y=0.05, random_state=0)


def circles(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_circles(n, noise=0.2, factor=0.6, random_state=0)


def overlapping(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=n)
    return rng.normal(size=(n, 2)) + 0.5 * y[:, None], y


DATA_SETS = (easy, noisy, wide, circles, overlapping)


def prepare(make: Callable, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return standardised points, labels ±1, and scikit-learn's default γ."""
    X, y = make(n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, np.where(y > 0, 1, -1), 1 / (X.shape[1] * X.var())


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def compare(make: Callable, n: int) -> tuple[float, float, int, int, float, float]:
    """Return times (ms), steps and relative duality gaps of LIBSVM and of `smo`."""
    X, y, gamma = prepare(make, n)
    ours, theirs = [], []
    for _ in range(3 if n > 2000 else 7 if n > 500 else 25):
        peer = svm.SVC(C=1.0, gamma=gamma, tol=TOL, cache_size=2000)
        theirs.append(seconds(lambda peer=peer: peer.fit(X, y))[0])
        elapsed, solution = seconds(lambda: smo(DualProblem(X, y, 1.0, RBF(gamma)), tol=TOL))
        ours.append(elapsed)
    alpha = np.zeros(n)
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    problem = DualProblem(X, y, 1.0, RBF(gamma))
    certificate = problem.certificate(alpha, float(peer.intercept_[0]))
    return (
        1e3 * min(theirs),
        1e3 * min(ours),
        int(peer.n_iter_[0]),
        solution.n_iter,
        certificate.relative_gap,
        solution.certificate.relative_gap,
    )


def speed(sizes: tuple[int, ...]) -> None:
    print(f"Time to solve, C = 1, RBF kernel with gamma='scale', tol = {TOL:g}\n")
    print(
        "| n | data | LIBSVM (ms) | smo (ms) | ratio "
        "| LIBSVM steps | smo steps | LIBSVM gap | smo gap |"
    )
    print("|--:|:--|--:|--:|--:|--:|--:|--:|--:|")
    rows = []
    for n in sizes:
        for make in DATA_SETS:
            row = compare(make, n)
            theirs, ours, their_steps, our_steps, their_gap, our_gap = row
            print(
                f"| {n} | {make.__name__} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} "
                f"| {their_steps} | {our_steps} | {their_gap:.1e} | {our_gap:.1e} |",
                flush=True,
            )
            rows.append((ours / theirs, our_gap / their_gap, n, make.__name__))
    worst, lost = max(rows), sum(ratio > 1 for ratio, *_ in rows)
    larger = sum(gap > 1 for _, gap, *_ in rows)
    print(
        f"\n`smo` is slower than LIBSVM in {lost} of {len(rows)} rows, at worst "
        f"{worst[0]:.2f} times (n = {worst[2]}, {worst[3]}); its gap is larger in {larger}."
    )


def switch() -> None:
    """Print what decides between SMO and the interior point method in ``SVC(solver="auto")``.

    Both close the relative gap to `TOL`; SMO stops after the steps that "auto" grants it.
    """
    print('\nTime to close the gap (ms): where `SVC(solver="auto")` changes its solver\n')
    print("| n | kernel | C | SMO | SMO gap | interior point | auto chose |")
    print("|--:|:--|--:|--:|--:|--:|:--|", flush=True)
    for n in (20, 50, 100, 200, 500, 1000):
        X, y, gamma = prepare(noisy, n)
        for kernel in ("linear", "rbf"):
            for C in (1.0, 100.0):
                options = {"C": C, "kernel": kernel, "gamma": gamma, "tol": TOL}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    patience = SVC(solver="smo", max_iter=100 * n, **options)
                    pairs = seconds(partial(patience.fit, X, y))[0]
                inner = SVC(solver="interior_point", **options)
                newton = seconds(partial(inner.fit, X, y))[0]
                chosen = SVC(**options).fit(X, y).solver_
                gap = patience.certificate_.relative_gap
                print(
                    f"| {n} | {kernel} | {C:g} | {1e3 * pairs:.1f} | {gap:.0e} "
                    f"| {1e3 * newton:.1f} | {chosen} |",
                    flush=True,
                )


def peak_memory() -> str:
    """Return the most memory this process ever held, in MB; only Linux tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return "unknown"
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return f"{int(line.split()[1]) / 1024:.0f}"


def memory_of(solver: str) -> None:
    """Solve one large problem in this process and print its peak memory, time and result."""
    X, y, gamma = prepare(noisy, LARGE)
    before = peak_memory()
    if solver == "smo":
        elapsed, solution = seconds(lambda: smo(DualProblem(X, y, 1.0, RBF(gamma)), tol=TOL))
        steps, gap = solution.n_iter, f"{solution.certificate.relative_gap:.1e}"
    else:
        peer = svm.SVC(C=1.0, gamma=gamma, tol=TOL, cache_size=200)
        elapsed, _ = seconds(lambda: peer.fit(X, y))
        steps, gap = int(peer.n_iter_[0]), ""
    print(f"| {solver} | {before} | {peak_memory()} | {elapsed:.1f} | {steps} | {gap} |")


def memory() -> None:
    """Run each solver in a process of its own, so that its peak is its own."""
    print(f"\nMemory for n = {LARGE}, both with a cache of 200 MB")
    print(f"(the whole Gram matrix would take {8 * LARGE**2 / 2**20:.0f} MB)\n")
    print("| solver | before (MB) | peak (MB) | time (s) | steps | gap |")
    print("|:--|--:|--:|--:|--:|--:|", flush=True)
    for solver in ("LIBSVM", "smo"):
        subprocess.run([sys.executable, __file__, "--memory-of", solver], check=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        if sys.argv[1:2] == ["--memory-of"]:
            memory_of(sys.argv[2])
        elif sys.argv[1:]:
            speed(tuple(map(int, sys.argv[1:])))
        else:
            speed(SIZES)
            switch()
            memory()
