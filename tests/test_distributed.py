"""The certified linear machine on a Dask array, with and without a cluster."""

import logging
import os
import re
import runpy
import signal
import subprocess
import sys
import textwrap
import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import dask
import numpy as np
import pytest
from dask import array as da
from dask.distributed import Client, LocalCluster
from distributed.utils import get_mp_context
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from svmlib.distributed import (
    _LENGTHS,
    Stage,
    _Chunks,
    _describe,
    _Search,
    _summarise,
    solve_linear,
)
from svmlib.duality import DualProblem, solve_interior_point


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def clouds(n, d=3, seed=0, apart=1.0):
    random = np.random.RandomState(seed)
    y = np.where(np.arange(n) % 3, 1.0, -1.0)
    X = random.standard_normal((n, d)) + 2
    X[:, 0] += apart * y
    return X, y


def chunked(X, rows):
    return da.from_array(X, chunks=(rows, X.shape[1]))


@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("rows", [600, 100, 31])
def test_bounds_enclose_the_optimum_whatever_the_chunks(C, rows):
    X, y = clouds(600)
    found = solve_linear(chunked(X, rows), y, C, tol=1e-4)
    exact = solve_interior_point(DualProblem(X, y, C)).certificate
    assert found.converged
    assert found.gap <= 1e-4 * found.primal
    assert found.dual <= exact.primal
    assert exact.dual <= found.primal


def test_the_multipliers_prove_what_is_claimed():
    """They are feasible, and another certificate finds the same dual value."""
    X, y = clouds(90)
    found = solve_linear(chunked(X, 20), y, 0.5, tol=1e-5)
    alpha = found.multipliers(X, y)
    assert alpha.min() >= 0
    assert alpha.max() <= 0.5
    assert abs(alpha @ y) <= 1e-12 * alpha.sum()
    proof = DualProblem(X, y, 0.5).certificate(alpha, found.b)
    assert proof.dual == pytest.approx(found.dual, rel=1e-9)
    loss = np.maximum(0, 1 - y * found.decision_function(X)).sum()
    value = found.w @ found.w / 2 + 0.5 * loss
    assert value <= found.primal <= value * (1 + 1e-9)
    some = np.array([5, 77, 3])
    np.testing.assert_array_equal(found.multipliers(X[some], y[some]), alpha[some])


def test_scores_of_rows_of_another_width_are_refused():
    X, y = clouds(90)
    found = solve_linear(chunked(X, 20), y)
    np.testing.assert_allclose(found.decision_function(chunked(X, 7)), X @ found.w + found.b)
    for wrong in X[0], X[:, :1], chunked(X[:, :1], 20):
        with pytest.raises(ValueError, match=f"X must have rows of {X.shape[1]} features"):
            found.decision_function(wrong)


def test_moving_the_labels_or_the_axes_changes_nothing():
    X, y = clouds(400)
    turn = np.linalg.qr(np.random.RandomState(1).standard_normal((3, 3)))[0]
    here = solve_linear(chunked(X, 90), y, tol=1e-6)
    there = solve_linear(chunked(X @ turn, 90), -y, tol=1e-6)
    np.testing.assert_allclose(there.w @ turn.T, -here.w, atol=5e-3)
    assert there.b == pytest.approx(-here.b, abs=5e-3)


def test_a_pass_is_small_and_few_are_needed():
    X, y = clouds(40_000, d=5)
    found = solve_linear(chunked(X, 1000), y)
    assert sum(p.rows for p in found.trace) <= 10 * len(y)
    assert [p.rows for p in found.trace] == sorted(p.rows for p in found.trace)
    assert sum(p.rows == len(y) for p in found.trace) <= 6  # after a start on some of them
    for part, more in pairwise(found.trace):  # from a part to more of it: the same ramp, in units
        if part.rows < more.rows:  # of 1/C, and C is larger for a part
            assert more.h * part.rows == pytest.approx(part.h * more.rows)
    gaps = [p.primal - p.dual for p in found.trace if p.rows == len(y)]
    assert gaps == sorted(gaps, reverse=True)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("offset", [1e8, np.array([-1e10, 0.0, 1e6])])
def test_the_origin_does_not_matter(C, offset):
    """Far from it w·x and b would cancel in every score, and no step would lead anywhere."""
    X, y = clouds(600)
    here, there = (solve_linear(chunked(Z, 100), y, C) for Z in (X, X + offset))
    assert there.converged
    assert abs(there.n_iter - here.n_iter) <= 2
    np.testing.assert_allclose(there.w, here.w, rtol=1e-3, atol=1e-5)
    scores = [found.decision_function(Z) for found, Z in ((here, X), (there, X + offset))]
    np.testing.assert_allclose(*scores, atol=1e-3 + 1e-15 * np.abs(offset).max() * 10)
    alpha = there.multipliers(X + offset, y)
    assert alpha.sum() == pytest.approx(here.multipliers(X, y).sum(), rel=1e-2)


def test_a_part_gives_a_start_although_its_mean_is_another():
    """The chunk that is looked at first has few of one class."""
    X, y = clouds(8000, apart=3.0)
    first = np.append(np.flatnonzero(y < 0)[:100], np.flatnonzero(y > 0)[:900])
    order = np.append(first, np.delete(np.arange(8000), first))
    found = solve_linear(chunked(X[order], 1000), y[order], 1.0)
    whole = [step for step in found.trace if step.rows == 8000]
    assert found.trace[0].rows == 1000
    assert found.converged
    assert whole[0].primal <= 2 * found.primal


@pytest.mark.parametrize("change", ["sorted", "flipped", "moved"])
def test_a_part_of_another_kind_is_no_start(change):
    """Its stages would leave the centres of the others at the ends of their ramps."""
    X, y = clouds(20_000, d=5)
    if change == "sorted":
        order = np.lexsort((X[:, 0], y))
        X, y = X[order], y[order]
    elif change == "flipped":
        y.reshape(200, 100)[::8] *= -1
    else:
        X.reshape(200, 100, 5)[::8] += 1e5
    found = solve_linear(chunked(X, 100), y)
    assert found.converged
    assert sum(step.rows == len(y) for step in found.trace) <= 40


def test_few_rows_are_looked_at_as_a_whole():
    X, y = clouds(600)
    found = solve_linear(chunked(X, 31), y)
    assert {p.rows for p in found.trace} == {600}


def test_a_part_of_one_class_only_is_no_start():
    X, y = clouds(800)
    order = np.argsort(y)  # the chunks that are looked at first know one class
    found = solve_linear(chunked(X[order], 50), y[order], tol=1e-3)
    assert found.converged


@pytest.mark.parametrize("apart", [1.0, 3.5, 10.0])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4, 1e6])
def test_passes_are_few_whatever_the_price_and_the_gap(apart, C):
    """Where no line separates the clouds, where one nearly does, and where one does easily."""
    X, y = clouds(2000, apart=apart)
    found = solve_linear(chunked(X, 500), y, C)
    assert found.converged
    assert found.n_iter <= 60


@pytest.mark.parametrize("seed", [0, 1])
def test_where_few_samples_decide_the_ramp_gets_wider(seed):
    """A line separates the classes by little: without a wider ramp, 200 passes do not suffice."""
    random = np.random.RandomState(seed)
    X = random.exponential(size=(1000, 30))
    scores = X @ random.standard_normal(30)
    y = np.where(scores > np.median(scores), 1.0, -1.0)
    found = solve_linear(chunked(X, 250), y, 1e4, max_iter=150)
    assert found.converged
    assert any(later.h > sooner.h for sooner, later in pairwise(found.trace))


def test_shorter_steps_are_judged_in_the_same_pass():
    """The losses on the way back are those of a pass at the points themselves."""
    X, y = clouds(50)
    stages = (Stage(0.5, np.array([0.3, 0.1, -0.2]), 0.1),)
    start, step = Stage(0.2, np.array([0.5, 0.0, 0.1]), -0.3), np.array([1.0, -2.0, 0.5, 0.7])
    mean = X.mean(axis=0)
    end = _summarise(X, y, mean, 2.0, stages, start.moved(step), step)
    for length, loss in zip(_LENGTHS, end.losses, strict=True):
        there = _summarise(X, y, mean, 2.0, stages, start.moved(length * step), 0 * step)
        assert loss == pytest.approx(there.losses[0])
        assert len(there.losses) == 1


def test_bounds_are_never_worse_than_those_of_zero():
    """α = 0 is feasible, so the dual value is never negative."""
    X, y = clouds(50)
    with pytest.warns(ConvergenceWarning):
        found = solve_linear(chunked(X * 100, 20), y, 1e4, max_iter=1)
    assert found.dual >= 0
    assert not found.multipliers(X * 100, y).any()


def test_the_callback_sees_every_pass():
    X, y = clouds(100)
    seen = []
    found = solve_linear(chunked(X, 50), y, callback=seen.append)
    assert tuple(seen) == found.trace
    assert found.n_iter == len(seen)


def test_too_few_passes_are_told():
    X, y = clouds(100)
    with pytest.warns(ConvergenceWarning, match=r"duality gap of [\d.e+]+, .* tol=1e-09"):
        found = solve_linear(chunked(X, 50), y, tol=1e-9, max_iter=3)
    assert not found.converged
    assert found.n_iter == 3
    alpha = found.multipliers(X, y)  # of a stage that is not solved, and feasible all the same
    assert alpha.any()
    assert abs(alpha @ y) <= 1e-12 * alpha.sum()
    assert found.dual <= solve_interior_point(DualProblem(X, y)).certificate.primal <= found.primal


def test_going_over_to_more_chunks_takes_a_pass_beyond_max_iter():
    X, y = clouds(25_600)
    with pytest.warns(ConvergenceWarning, match="stopped after 3 passes"):
        found = solve_linear(chunked(X, 400), y, max_iter=1)
    assert [each.rows for each in found.trace] == [400, 3200, 25_600]


def test_no_pass_too_many():
    """Not even for a shorter step: some of these limits fall on one."""
    X, y = clouds(200, apart=10.0)
    for limit in range(1, 16):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            assert solve_linear(chunked(X, 100), y, 1e4, tol=1e-12, max_iter=limit).n_iter == limit


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones((4, 1))}, "X must be a Dask array"),
        ({"X": da.ones(4)}, "X must be a Dask array"),
        ({"X": da.ones((4, 2), chunks=(2, 1))}, "chunks of whole rows"),
        ({"y": [1, -1]}, "one label for each row"),
        ({"y": [1, 1, 1, 1]}, "both classes"),
        ({"y": [0, 1, 1, 1]}, "only -1 and"),
        ({"X": da.from_array(np.array([[1.0], [2], [np.nan], [3]]))}, "NaN"),
        ({"X": da.from_array(np.array([[0.0], [1], [2], [3]]) * 1e154)}, "rescale X"),
        ({"X": da.from_array(np.array([[0.0], [1], [2], [3]]) * 5e307)}, "rescale X"),
        ({"X": da.ones((4, 1), dtype=complex)}, "X must hold real numbers.* complex"),
        ({"X": da.from_array(np.array([["0"], ["1"], ["2"], ["3"]]))}, "X must hold real numbers"),
        ({"X": da.from_array(np.ma.masked_equal([[0], [1], [2], [3]], 2))}, "X must .* masked"),
        ({"X": da.from_delayed(dask.delayed(np.ones((4, 3))), (4, 2), float)}, "X has 3 features"),
        ({"y": np.ma.masked_equal([-1, -1, 1, 1], 1)}, "y must .* masked"),
        ({"y": ["-1", "-1", "1", "1"]}, "y must hold real numbers"),
        ({"y": np.array([-1, -1, 1, 1], dtype=object)}, "y must hold .* ndarray of object"),
        ({"y": [[-1], [-1, 1, 1]]}, "y must hold real numbers"),
        ({"X": da.ones((4, 2), chunks=2).map_blocks(csr_array)}, "X .* dense .* csr_array"),
        ({"C": 1e200}, "rescale C"),
        ({"C": np.inf}, "C must be"),
        ({"tol": 0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_bad_input_is_told_in_words(change, message):
    given = {"X": da.from_array(np.array([[0.0], [1], [2], [3]])), "y": [-1, -1, 1, 1]} | change
    with pytest.raises(ValueError, match=message):
        solve_linear(given.pop("X"), given.pop("y"), **given)


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(ImportError, match=re.escape("svmlib[dask]")):
        solve_linear(None, None)


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e-3, 1e5), (1e6, -3e7), (1e10, 0.0)])
def test_rounding_goes_outwards(scale, offset):
    """Both values computed again in fractions, where sums may cancel; the bounds hold exactly."""
    X, y = clouds(60, d=2)
    X = X * scale + offset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = solve_linear(chunked(X, 7), y, 1.0, tol=1e-3, max_iter=40)
    points, signs = [[Fraction(x) for x in row] for row in X], [int(sign) for sign in y]
    w, b = [Fraction(x) for x in found.w], Fraction(found.b)
    losses = [
        max(Fraction(0), 1 - s * (sum(a * x for a, x in zip(w, row, strict=True)) + b))
        for row, s in zip(points, signs, strict=True)
    ]
    assert sum(a * a for a in w) / 2 + sum(losses) <= Fraction(found.primal)
    alpha = [Fraction(a) for a in found.multipliers(X, y)]
    sums = {s: sum(a for a, sign in zip(alpha, signs, strict=True) if sign == s) for s in (-1, 1)}
    shares = {s: min(sums.values()) / sums[s] if sums[s] else 0 for s in sums}
    beta = [s * shares[s] * a for a, s in zip(alpha, signs, strict=True)]
    normal = [sum(q * row[k] for q, row in zip(beta, points, strict=True)) for k in range(2)]
    value = sum(abs(q) for q in beta) - sum(a * a for a in normal) / 2
    assert Fraction(found.dual) <= value


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_primal_value_holds_where_margins_cancel(seed, centred):
    """Far from the origin w·x and b nearly cancel, and the sum of the losses may come out low; if
    the points are measured from their mean, b is rounded when it goes back."""
    random = np.random.RandomState(seed)
    X, y = clouds(40, d=2, seed=seed)
    X = X + 1e6
    w = random.standard_normal(2)
    chunks = _Chunks.of(chunked(X, 9), y)
    about = chunks.sum(_describe, 2)
    mean = about.mean if centred else np.zeros(2)
    search = _Search(chunks, about, mean, 1.0, [], None)
    search.look((), Stage(1.0, w, 0.3 if centred else -1e6 * float(w.sum())))
    solution = search.solution(np.inf)
    w, b = solution.w, solution.b
    losses = [
        max(
            Fraction(0),
            1
            - int(s) * (Fraction(w[0]) * Fraction(u) + Fraction(w[1]) * Fraction(v) + Fraction(b)),
        )
        for (u, v), s in zip(X, y, strict=True)
    ]
    assert (Fraction(w[0]) ** 2 + Fraction(w[1]) ** 2) / 2 + sum(losses) <= Fraction(search.primal)


def test_long_doubles_are_rounded_like_everywhere():
    """Their last bits lie below those of floats, and far from the origin they would matter."""
    X, y = clouds(60)
    wide = X.astype(np.longdouble) * 1e-9 + 1e7
    found, same = (solve_linear(chunked(Z, 25), y, 1e3) for Z in (wide, wide.astype(float)))
    assert found.trace == same.trace
    np.testing.assert_array_equal(found.multipliers(wide, y), same.multipliers(wide, y))
    alpha = found.multipliers(wide, y)
    assert abs(alpha @ y) <= 1e-12 * alpha.sum()


@pytest.mark.parametrize("b", [0.0, 1e6, 1e16])
@pytest.mark.parametrize("seed", range(20))
def test_the_primal_value_holds_at_the_margin(seed, b):
    """There a computed loss is 0, and C multiplies what it should be; at 1e16 no score is right."""
    w = np.random.RandomState(seed).uniform(0.1, 1, 1)
    X, y = (np.array([[-1.0], [1.0]]) * max(1.0, b / 6e15) - b) / w, [-1, 1]
    chunks = _Chunks.of(chunked(X, 1), y)
    search = _Search(chunks, chunks.sum(_describe, 1), np.zeros(1), 1e15, [], None)
    search.look((), Stage(1.0, w, b))
    w, b = Fraction(search.best.w[0]), Fraction(search.best.b)
    margins = [s * (w * Fraction(x) + b) for s, x in zip(y, X[:, 0], strict=True)]
    losses = [max(Fraction(0), 1 - margin) for margin in margins]
    assert w * w / 2 + Fraction(1e15) * sum(losses) <= Fraction(search.primal)


def test_rounding_does_not_add_up_over_the_samples_at_the_margin():
    """Each of them could lose as much as a score is off, and a large C would multiply that."""
    X, y = clouds(600, apart=6.0)
    X = np.append(X, np.repeat([[0.0, 2, 2], [4.0, 2, 2]], 20_000, axis=0), axis=0)
    y = np.append(y, np.repeat([-1.0, 1.0], 20_000))
    found = solve_linear(chunked(X + 1e8, 10_000), y, 1e6, tol=1e-5)
    assert found.converged


class Repeated:
    """The same chunk a thousand times, added up one after the other, so that rounding drifts."""

    def __init__(self, X, y):
        self.X, self.y, self.n_features = X, y, X.shape[1]

    def sum(self, summarise, *arguments):
        part = summarise(self.X, self.y, *arguments)
        return type(part).add([part] * 1000)


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_drift_are_rounded_outwards(seed):
    """A thousand roundings in one direction are more than any other bound on the way forgives."""
    random = np.random.RandomState(seed)
    C, b, R = random.uniform(0.5, 1), random.uniform(0, 0.9), random.choice([0.0, 100.0])
    X, y = np.array([[R], [R], [R * (1 + 1e-5)]]), np.array([1.0, 1.0, -1.0])
    chunks = Repeated(X, y)
    search = _Search(chunks, chunks.sum(_describe, 1), np.zeros(1), C, [], None)
    search.look((), Stage(1e-3, np.zeros(1), b))  # a ramp so narrow that all slopes are C
    b, C, far = Fraction(search.best.b), Fraction(C), Fraction(X[2, 0]) - Fraction(R)
    assert search.primal >= C * 1000 * (2 * (1 - b) + 1 + b)
    assert 0 < search.dual <= 2000 * C - (1000 * C * far) ** 2 / 2


def draw(number):
    """Return 20,000 rows of 20 features and a label, 3.4 MB, and keep none of them."""
    random = np.random.RandomState(number)
    A = random.uniform(-1, 1, (20_000, 21))
    A[:, 0] = np.where(A[:, 1] + A[:, 0] < 0, -1, 1)
    return A


def drawn(n_chunks):
    chunks = [da.from_delayed(dask.delayed(draw)(k), (20_000, 21), float) for k in range(n_chunks)]
    rows = da.concatenate(chunks)
    return rows[:, 1:], rows[:, 0]


def test_data_may_be_larger_than_the_memory():
    """The limit is the kernel's: 50 MB on top of what Python has, for 100 MB of rows."""
    program = """
        import resource, dask, numpy as np
        from svmlib.distributed import solve_linear
        from tests.test_distributed import drawn

        dask.config.set(scheduler="synchronous")
        X, y = drawn(32)
        solve_linear(X[:20_000], y[:20_000])  # so that everything is imported
        line = next(x for x in open("/proc/self/status") if x.startswith("VmData"))
        limit = 1024 * int(line.split()[1]) + 50 * 2**20
        assert X.nbytes > 1.9 * 50 * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        found = solve_linear(X, y)
        print("reached", found.converged)
        try:
            X.compute()
        except MemoryError:
            print("all at once: too large")
    """
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs Linux")
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert ran.stdout == "reached True\nall at once: too large\n", ran.stderr


@pytest.fixture
def cluster():
    """Two workers, and their followers, forked from one process that has imported everything."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(["pytest", "distributed", "svmlib.distributed"])
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",  # any free port
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster),
        ):
            yield cluster


def labels_or_death(number, folder):
    """Return labels, but once the folder is armed two chunks kill the worker that reads them."""
    mark = folder / f"shot{number}"
    if number in (4, 9) and (folder / "armed").exists() and not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(number)[:, 0]


@pytest.mark.filterwarnings("ignore")  # of dask and tornado, when a worker is shot
def test_killing_workers_in_a_pass_changes_nothing(cluster, tmp_path):
    """Neither the answer nor the passes, to the last bit: the rows that the two held and the sums
    that they had made are made again."""
    X = drawn(12)[0].persist()
    labels = [dask.delayed(labels_or_death)(k, tmp_path) for k in range(12)]
    y = da.concatenate([da.from_delayed(each, (20_000,), float) for each in labels])
    calm = solve_linear(X, y)

    def arm(step):
        if step.rows == len(y):  # the next pass is over all chunks, too, and will be hit
            (tmp_path / "armed").touch()

    shot = solve_linear(X, y, callback=arm)
    assert len({mark.read_text() for mark in tmp_path.glob("shot*")}) == 2
    assert shot.trace == calm.trace
    assert (shot.primal, shot.dual, shot.b) == (calm.primal, calm.dual, calm.b)
    np.testing.assert_array_equal(shot.w, calm.w)


@pytest.mark.parametrize("seed", range(10))
def test_no_sample_is_further_away_than_the_radius(seed):
    random = np.random.RandomState(seed)
    X = random.standard_normal((30, 1 + seed)) * 10.0 ** random.uniform(-3, 3) + 5
    about = _Chunks.of(chunked(X, 7), np.where(np.arange(30) % 2, 1, -1)).sum(_describe, 1 + seed)
    for origin in (about.mean, X[0], np.zeros(1 + seed)):
        squares = [
            sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, origin, strict=True)) for x in X
        ]
        assert max(squares) <= Fraction(about.radius(origin)) ** 2


def test_a_source_of_both_is_read_once_a_pass():
    """And once before, to be described."""
    reads = []

    def table(number):
        reads.append(number)
        return np.column_stack([y[100 * number :][:100], X[100 * number :][:100]])

    X, y = clouds(400)
    parts = [da.from_delayed(dask.delayed(table)(k), (100, 4), float) for k in range(4)]
    rows = da.concatenate(parts)
    found = solve_linear(rows[:, 1:], rows[:, 0])
    assert len(reads) == 4 * (1 + found.n_iter)


def test_empty_chunks_are_passed_over():
    X, y = (each.compute() for each in drawn(2))
    half = len(X) // 2
    chunks = (0, half, 0, len(X) - half)
    holes = da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=(chunks,))
    assert 0 in holes[0].chunks[0]
    expected = solve_linear(da.from_array(X, chunks=(half, X.shape[1])), y)
    assert solve_linear(*holes).primal == expected.primal


def test_no_chunk_is_too_large_for_the_bounds():
    """Sums of 20,000 rows go by blocks, so that rounding is bounded by 552 of them in a row."""
    X, y = clouds(20_000)
    assert solve_linear(chunked(X * 1e8, 20_000), y).converged


def test_chunks_of_unknown_size_are_named():
    X, y = drawn(2)
    with pytest.raises(ValueError, match="X must have chunks of known sizes"):
        solve_linear(X[X[:, 0] > 0], y)
    with pytest.raises(ValueError, match="y must have chunks of known sizes"):
        solve_linear(X, y[y != 0])


def test_multipliers_do_not_depend_on_the_rows_beside_them():
    X, y = drawn(2)
    solution = solve_linear(X, y, C=100.0)
    X, y = X.compute(), y.compute()
    together = solution.multipliers(X, y)
    alone = [solution.multipliers(X[k : k + 1], y[k : k + 1])[0] for k in range(50)]
    assert (together[:50] == alone).all()


@pytest.mark.parametrize("labels", [[[1.0], [-1.0]], [1.0, 0.0], ["a", "b"]])
def test_multipliers_want_labels(labels):
    X, y = drawn(2)
    solution = solve_linear(X, y)
    with pytest.raises(ValueError, match="y must"):
        solution.multipliers(X.compute()[:2], labels)


def test_the_benchmark_forecasts_from_what_it_has_measured():
    """Times that obey its model exactly give the model back, at 10⁹ rows on 100 workers."""
    scaling = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "scaling.py"))
    sizes = [(w, n, chunk) for w in (1, 2, 4) for n in (2e5, 4e5) for chunk in (25_000, 100_000)]
    seconds = [n / w * 5e-7 + n / chunk * 4e-3 + 0.03 for w, n, chunk in sizes]
    timings = [scaling["Timing"](*size, 5.0, t) for size, t in zip(sizes, seconds, strict=True)]
    told = scaling["forecast"](timings)
    assert "$a$ = 500 ns, $b$ = 4.0 ms and $c$ = 30 ms" in told
    assert "5.0 s for the sums and 4.0 s for the book-keeping" in told
