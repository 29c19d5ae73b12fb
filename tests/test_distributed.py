"""The certified linear machine on a Dask array, with and without a cluster."""

import logging
import operator
import os
import re
import resource
import signal
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import dask
import numpy as np
import pytest
from dask import array as da
from dask.callbacks import Callback
from dask.delayed import Delayed
from dask.distributed import Client, LocalCluster
from dask.highlevelgraph import HighLevelGraph
from dask.sizeof import sizeof
from distributed.utils import get_mp_context
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from svmlib import distributed
from svmlib._chunk_sums import NewtonState, PassSums, chunk_sums
from svmlib._rounding import gamma_n
from svmlib.distributed import solve_kernel, solve_linear
from svmlib.interior_point import interior_point
from svmlib.kernels import RBF, Polynomial, Sigmoid
from svmlib.newton import newton
from svmlib.problem import DualProblem
from tests import exact
from tests.optimum import square

forked = pytest.mark.xdist_group("forks")  # so that one worker of pytest starts all that forks
may_warn = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
UNKNOWN = da.ones((4, 1))[da.ones(4) > 0]  # rows
TRAIN = [solve_linear, partial(solve_kernel, kernel=RBF(0.01))]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def clouds(n, d=3, seed=0, apart=1.0, *, one_in=3):
    random = np.random.RandomState(seed)
    y = np.where(np.arange(n) % one_in, 1.0, -1.0)
    X = random.standard_normal((n, d)) + 2
    X[:, 0] += apart * y
    return X, y


def chunked(X, rows):
    return da.from_array(X, chunks=(rows, X.shape[1]))


@pytest.mark.parametrize(("C", "rows"), [(1e-3, 31), (0.1, 100), (10.0, 300)])
def test_bounds_enclose_the_optimum_whatever_the_chunks(C, rows):
    X, y = clouds(300, apart=2.0, one_in=10)  # on the way the multipliers are far from balanced
    other = interior_point(DualProblem(X, y, C)).certificate
    found = solve_linear(chunked(X, rows), y, C, tol=1e-4)
    proof, proofs = found.certificate, [each.certificate for each in found.trace]
    value = found.w @ found.w / 2 + C * np.maximum(0, 1 - y * (X @ found.w + found.b)).sum()
    assert proof.relative_gap <= 1e-4
    assert value <= proof.primal <= value * (1 + 1e-9)
    assert np.linalg.norm(found.w) <= proof.norm_w == pytest.approx(np.linalg.norm(found.w))
    assert proof.kkt_violation <= 0.1
    assert proof.infeasibility <= 0.01 * C * 30, "of what the smaller class can have"
    assert max(each.dual for each in proofs) <= other.primal, "of multipliers on the way, too"
    assert other.dual <= min(each.primal for each in proofs)


def test_chunks_may_hold_some_of_the_columns_one_row_or_none():
    X, y = clouds(90)
    expected = solve_linear(chunked(X, 20), y).trace
    rows = (0, 20, 20, 0, 20, 20, 10)
    holes = da.from_array(X, chunks=(rows, 3)), da.from_array(y, chunks=(rows,))
    assert solve_linear(*holes).trace == expected
    assert solve_linear(da.from_array(X, chunks=(20, 2)), y).trace == expected
    assert solve_linear(da.from_array(X, chunks=((1, 89), 3)), y).converged
    assert expected[0].certificate.kkt_violation == pytest.approx(1), "of each chunk, at w = 0"


@pytest.mark.parametrize("seed", range(5))
def test_the_violation_that_a_pass_finds_is_that_of_its_multipliers(seed):
    """They are on the ramp, after two stages, or at an end of their box, and nobody keeps them."""
    random, C = np.random.RandomState(seed), 2.0
    X, y = clouds(300, seed=seed)
    *stages, last = [(h, random.standard_normal(4)) for h in (2.0, 1.0, 0.5)]
    origin, q = X.mean(axis=0), np.zeros(300)
    for h, v in [*stages, last]:
        m = y * ((X - origin) @ v[:3] + v[3])
        q = np.clip(q + y * (1 - m) / h, np.minimum(0, C * y), np.maximum(0, C * y))
    violation = max((1 - m)[np.abs(q) < C].max(), (m - 1)[np.abs(q) > 0].max())
    found = chunk_sums(NewtonState(origin, C, stages, *last), X, y)
    assert found.violation == pytest.approx(violation)


@pytest.mark.parametrize(("C", "offset"), [(1e-2, 1e8), (1e2, np.array([-1e10, 0.0, 1e6]))])
def test_the_origin_does_not_matter(C, offset):
    """Far from it w·x and b would cancel in every score, and no step would lead anywhere."""
    X, y = clouds(300)
    here, there = (solve_linear(chunked(Z, 100), y, C) for Z in (X, X + offset))
    assert there.converged
    assert abs(there.n_iter - here.n_iter) <= 2
    np.testing.assert_allclose(there.w, here.w, rtol=1e-3, atol=1e-5)
    b = there.b + np.sum(there.w * offset)
    assert b == pytest.approx(here.b, rel=1e-3, abs=1e-3 + 1e-14 * np.abs(offset).max())


def many_chunks():
    """Yield rows, labels, how many are in a chunk, C, and within which bounds passes are."""
    X, y = clouds(4000, d=5)
    yield X, y, 1000, 1.0, 1, 10  # a start from the first chunk saves passes,
    yield X[:2000], y[:2000], 160, 1.0, 11, 20  # for which 160 samples are not enough,
    order, first = np.lexsort((X[:, 0], y)), np.arange(4000) < 400
    yield X[order], y[order], 400, 1.0, 1, 20  # and does no harm where it is unlike the others
    yield X, np.where(first, -y, y), 400, 1.0, 1, 20
    yield X + 1e5 * first[:, None], y, 400, 1.0, 1, 20
    # where no line separates the clouds, where one nearly does, and where one does easily
    for apart, C in (1.0, 1e6), (3.5, 1e6), (10.0, 1e-2), (10.0, 1e6):
        yield *clouds(2000, apart=apart), 500, C, 1, 60


def test_passes_are_few():
    for X, y, rows, C, least, most in many_chunks():
        found = solve_linear(chunked(X, rows), y, C)
        assert found.converged
        assert least <= found.n_iter <= most


def test_too_few_passes_are_told_and_none_is_too_many():
    """Not even for a shorter step: some of these limits fall on one, which is not the best."""
    X, y = clouds(200, apart=10.0)
    for limit in (1, 2, 3, 5, 6, 8, 11, 15):
        with pytest.warns(ConvergenceWarning, match=r"duality gap of [\d.e+-]+, .* tol=1e-12"):
            found = solve_linear(chunked(X, 100), y, 1e4, tol=1e-12, max_iter=limit)
        assert found.n_iter == len(found.trace) == limit
        proof, value = found.certificate, exact.objective(found.w, found.b, X, y, 1e4)
        assert value <= Fraction(proof.primal) <= value * (1 + Fraction(1e-9))
        assert proof == min((p.certificate for p in found.trace), key=lambda c: c.relative_gap)


def delayed(*shape):
    return da.from_delayed(dask.delayed(np.ones(shape)), (4, 2), float)


COLUMN = np.array([[0.0], [1], [2], [3]])
BAD = [
    ({"X": np.ones((4, 1))}, r"X must be a Dask array .* dask.array.from_array\(X, chunks"),
    ({"X": da.ones(4)}, "X must be a Dask array"),
    ({"y": [1, -1]}, "one label for each row"),
    ({"X": UNKNOWN}, r"one label for each row.*compute_chunk_sizes\(\)"),
    ({"y": UNKNOWN[:, 0]}, r"one label for each row.*compute_chunk_sizes\(\)"),
    ({"X": da.ones((0, 2)), "y": da.ones(0)}, "one label for each row"),
    ({"y": [1, 1, 1, 1]}, "both classes"),
    ({"y": [0, 1, 1, 1]}, r"only -1 and \+1, got 0, 1 \(int64\); write np.where"),
    ({"X": da.from_array(np.where(COLUMN == 2, np.nan, COLUMN))}, "NaN"),
    ({"X": da.from_array(COLUMN * 1e150), "C": 1e-10}, "rescale X"),
    ({"X": da.from_array(np.ma.masked_equal(COLUMN, 2))}, "X must .* masked"),
    ({"X": delayed(4, 3)}, "X must have 2 features"),
    ({"X": delayed(3, 2)}, "of the 3 rows"),
    ({"X": da.ones((4, 2), chunks=2).map_blocks(csr_array)}, "X must be a dense array"),
    ({"X": da.from_array(COLUMN * 1e-60), "C": 1e151}, "rescale X"),
    ({"C": 1e-320}, "C must be above"),
    ({"C": np.inf}, "C must be"),
    ({"tol": 0}, "tol must be"),
    ({"max_iter": 0}, "max_iter must be"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_told_in_words(change, message):
    given = {"X": da.from_array(COLUMN), "y": [-1, -1, 1, 1]} | change
    with pytest.raises(ValueError, match=message):
        solve_linear(given.pop("X"), given.pop("y"), **given)


@may_warn
def test_what_floats_hold_depends_on_the_number_of_samples(monkeypatch):
    """A chunk stands for all rows with a C that is larger in proportion: as far as one may be."""
    X, y = clouds(240, apart=6.0)
    found = solve_linear(chunked(X, 120), y, 0.6e100, max_iter=2)
    assert found.certificate.dual <= found.certificate.primal < np.inf
    monkeypatch.setattr(distributed, "MAX_NORM", 1000.0)
    X, y = clouds(300)
    for n, C in (300, 1.0), (30, 10.0):
        with pytest.raises(ValueError, match="rescale X"):
            solve_linear(chunked(X[:n], 100), y[:n], C)
    assert solve_linear(chunked(X[:30], 100), y[:30], 1.0).converged


@pytest.mark.parametrize("far", [1e12, 1e13, 1e14, 6e14])
@pytest.mark.parametrize("what", ["the mean", "a sample", "b"])
def test_bounds_are_those_of_the_longer_w(far, what):
    """A margin computed as 6 is 6t, and ε more by rounding, for t (w, b); one of −9 is −9t."""
    q, origin = np.array([1.0, 1.0]), np.array([-far if what == "the mean" else 0.0])
    v, R = np.array([-2.0, -far if what == "b" else 0.0]), far if what == "a sample" else 1.0
    sums = PassSums(5.0, 0, 10.0, 0.0, 0.0, q, -q, np.eye(2))
    longer, proof = distributed._certify(sums, v, origin, R, 4)
    t, of_scores = longer[0] / v[0], far if what == "b" else 2 * far
    assert t <= 2, "as long as is of use"
    assert proof.primal >= 2 * t**2 + 1 + 9 * t
    assert proof.norm_w >= 2 * t
    assert proof.kkt_violation >= 6 * t - 1 + t * (t - 1) / 2
    if far < 6e14:
        assert proof.kkt_violation <= 5 + 20 * (t - 1)
        assert t - 1 >= 10 * of_scores * 2.0**-53, "x − c, a product, a sum, b − w·c and t v round"
    assert (proof.kkt_violation == np.inf) == (proof.primal == np.inf) == (far == 6e14)
    assert (proof.relative_gap == np.inf) == (far == 6e14), "not NaN"
    assert proof.infeasibility >= 2 * gamma_n(4), "the sums of multipliers may be off"


@pytest.mark.parametrize("d", [1, 4000])
def test_a_violation_that_a_score_has_forgotten_is_bounded(d):
    """Beside 1, 2⁻⁵⁴ is lost: in b − w for one feature, and else in w·x, feature by feature."""
    x, b = np.append(1.0, np.full(d - 1, 2.0**-27)), float(d == 1)
    w, x = (np.array([2.0**-54]), -x) if d == 1 else (x, x)
    origin, v = np.zeros(d), np.append(w, b)
    state = NewtonState(origin, 9.0, [(2.0, np.zeros(d + 1))], 2.0, v)
    longer, proof = distributed._certify(chunk_sums(state, x[None], np.ones(1)), v, origin, 1.0, 2)
    margin = exact.exact(longer[:-1]) @ exact.exact(x) + Fraction(longer[-1])
    assert abs(1 - margin) <= Fraction(proof.kkt_violation) <= Fraction(1e-11)


@pytest.mark.parametrize(("n", "d"), [(10**6, 1), (2, 40_000)])
def test_sums_over_many_samples_or_features_may_be_as_wrong_as_rounding_allows(n, d):
    """Of samples at ±x: Σα too large, and w too small; or ‖w‖² forgets all but one square."""
    T, slip, x = 0.9, 0.9 * gamma_n(n) * (d == 1), np.append(1.0, np.full(d - 1, 2.0**-27))
    plus = T * np.append((1 - slip) * x, 1 + slip)
    sums = PassSums(0.0, 0, 1.0, 0.0, 0.0, plus, np.append(plus[:-1], -plus[-1]), np.eye(2))
    proof = distributed._certify(sums, np.zeros(d + 1), np.zeros(d), 1 + 1e-11, n)[1]
    true = 2 * Fraction(T) - 2 * Fraction(T) ** 2 * sum(exact.exact(x) ** 2)
    assert 0.17 < Fraction(proof.dual) <= true


def test_no_sample_is_further_from_the_mean_than_the_first_pass_says():
    """Also if most are on one side of the first one, or squares are forgotten beside 1."""
    forgotten = np.append(1.0, np.full(4000, 2.0**-27))
    for along, x in ([0, 1, -1, *[1] * 19], [0.3, 0.7]), ([0, -1, 1], forgotten):
        X, y = np.outer(along, x), np.append(-1, np.ones(len(along) - 1))
        start, R, n = distributed._first_pass([(X, y)], len(x), 1.0)
        assert n == len(X)
        far = exact.exact(X) - exact.exact(start.origin)
        assert max((far**2).sum(axis=1)) <= Fraction(R) ** 2


@pytest.fixture
def slips(monkeypatch):
    summarise = chunk_sums

    def worse(*state):
        sums = summarise(*state)
        slip = 0.9 * gamma_n(len(state[-1]))
        for side in sums.plus, sums.minus:
            side[-1] *= 1 + slip
        return replace(sums, hinge=sums.hinge * (1 - slip))

    monkeypatch.setattr(distributed, "chunk_sums", worse)


@may_warn
@pytest.mark.usefixtures("slips")
@pytest.mark.parametrize("C", [1e-5, 1.0, 1e15])
@pytest.mark.parametrize(("offset", "k"), [(0.0, 10), (0.0, 1000), (1e6, 10), (1e15, 1000)])
def test_both_bounds_hold_exactly_where_the_optimum_is_known(k, offset, C):
    """Of two samples, each k times, at ±m around their middle; far out, the scores cancel."""
    low, high = np.sort(np.random.RandomState(k).uniform(-1, 1, 2)) + offset
    X, y = np.repeat([[low], [high]], k, axis=0), np.repeat([-1.0, 1.0], k)
    half = (Fraction(high) - Fraction(low)) / 2
    alpha = min(Fraction(C), 1 / (2 * k * half**2)) if half else Fraction(C)
    optimum = 2 * k * alpha - (2 * k * alpha * half) ** 2 / 2
    found = solve_linear(chunked(X, k), y, C, tol=1e-13, max_iter=12)
    for proof in (found.certificate, *(each.certificate for each in found.trace)):
        assert proof.dual <= optimum <= proof.primal
    value = exact.objective([found.w[0]], found.b, [[low], [high]], [-1, 1], k * Fraction(C))
    assert value <= Fraction(found.certificate.primal)


@pytest.mark.parametrize("seed", range(2))
def test_what_cancels_in_w_is_taken_off_the_dual_value(seed):
    """Far out along both sides of a street 10 wide, where the optimum is 2/10²."""
    y, along = np.tile([-1.0, 1.0], 12), np.random.RandomState(seed).randint(-1000, 1000, 24)
    along[:5] = 0  # the first chunk is small, and says nothing of the others
    X = np.outer(y, [3.0, 4.0]) + np.outer(along, [-4, 3])
    with pytest.warns(ConvergenceWarning):
        found = solve_linear(chunked(X, 5), y, tol=1e-15, max_iter=30)
    for proof in (each.certificate for each in found.trace):
        assert proof.dual <= Fraction(1, 50) <= proof.primal


def test_rounding_does_not_add_up_over_the_samples_at_the_margin():
    """Each of them could lose as much as a score is off, and a large C would multiply that."""
    X, y = clouds(600, apart=6.0)
    X = np.append(X, np.repeat([[0.0, 2, 2], [4.0, 2, 2]], 2000, axis=0), axis=0)
    y = np.append(y, np.repeat([-1.0, 1.0], 2000))
    assert solve_linear(chunked(X + 1e8, 1000), y, 1e6).converged


def test_a_kernel_machine_over_chunks_is_proved_for_the_kernel():
    for kernel, rows, C in [(RBF(0.5), 200, 10.0), (Polynomial(3, 0.5, 1.0), 600, 0.1)]:
        X, y = square(600)
        found = solve_kernel(chunked(X, rows), y, kernel, C)
        assert found.converged
        assert found.certificate.relative_gap <= 1e-3
        best = newton(DualProblem(X, y, C, kernel), tol=1e-6).certificate
        assert found.certificate.dual <= best.primal
        assert best.dual <= found.certificate.primal
        c, f = found.coefficients, kernel(X, found.pivots) @ found.coefficients + found.b
        np.testing.assert_allclose(found.decision_function(X), f, atol=1e-8)
        value = c @ kernel(found.pivots, found.pivots) @ c / 2 + C * np.maximum(0, 1 - y * f).sum()
        assert found.certificate.primal == pytest.approx(value, rel=1e-6)


def test_a_start_from_the_first_chunk_is_moved_into_the_ramp():
    X, y = square(8000)
    assert solve_kernel(chunked(X, 4000), y, RBF(0.5), 0.1).n_iter <= 15


def test_too_few_pivots_are_told_by_the_gap():
    X, y = square(500)
    with pytest.warns(ConvergenceWarning, match=r"solve_kernel .* more than 9 pivots"):
        found = solve_kernel(chunked(X, 250), y, RBF(0.5), max_pivots=9)
    assert len(found.pivots) == 9
    assert 1e-3 < found.certificate.relative_gap < np.inf
    with pytest.raises(ValueError, match="always positive semidefinite"):
        solve_kernel(chunked(X, 500), y, Sigmoid(1.0))
    with pytest.raises(ValueError, match="0 at all samples"):
        solve_kernel(chunked(0 * X, 500), y, Polynomial(2))


def draw(number):
    random = np.random.RandomState(number)
    A = random.uniform(-1, 1, (10_000, 21))
    A[:, 0] = np.where(A[:, 1] + A[:, 0] < 0, -1, 1)
    return A


@pytest.fixture(scope="module")
def forks():
    """Processes that are forked from one that has imported everything."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = get_mp_context()
        context.set_forkserver_preload(["pytest", "distributed", "svmlib.distributed"])
        yield context


def train_in_little_memory():
    with dask.config.set(scheduler="synchronous"):
        parts = [da.from_delayed(dask.delayed(draw)(k), (10_000, 21), float) for k in range(32)]
        rows = da.concatenate(parts)
        X, y = rows[:, 1:], rows[:, 0]
        solve_linear(X[:10_000], y[:10_000])  # so that everything is imported
        size = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]
        limit = 1024 * int(size) + 25 * 2**20
        assert X.nbytes > 1.9 * 25 * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        assert solve_linear(X, y).converged
        with pytest.raises(MemoryError):
            X.compute()


@forked
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux")
def test_data_may_be_larger_than_the_memory(forks):
    process = forks.Process(target=train_in_little_memory)
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.fixture(scope="module")
def workers(forks):
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",  # any free port
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster


@pytest.fixture
def cluster(workers):
    with Client(workers):
        yield


def labels_or_death(number, folder):
    """Return labels, but at the fourth reading two chunks kill the worker that reads them."""
    (folder / f"read{number}").open("a").write("x")
    if number in (1, 3) and (folder / f"read{number}").read_text() == "xxxx":
        (folder / f"shot{number}").write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return square(2000, number)[1]


@forked
@pytest.mark.filterwarnings("ignore")  # of dask and tornado, when a worker is shot
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("train", TRAIN)
def test_killing_workers_in_a_pass_changes_nothing(train, tmp_path):
    """Rows that the two held, features and sums that they made, come again, to the last bit."""
    parts = [dask.delayed(lambda k: square(2000, k)[0])(k) for k in range(4)]
    X = da.concatenate([da.from_delayed(each, (2000, 2), float) for each in parts]).persist()
    labels = [dask.delayed(labels_or_death)(k, tmp_path) for k in range(4)]
    y = da.concatenate([da.from_delayed(each, (2000,), float) for each in labels])
    calm, shot = train(X, np.concatenate([square(2000, k)[1] for k in range(4)])), train(X, y)
    assert len({mark.read_text() for mark in tmp_path.glob("shot*")}) == 2
    assert (shot.trace, shot.certificate, shot.b) == (calm.trace, calm.certificate, calm.b)


@may_warn
@pytest.mark.parametrize(("most", "level"), [(500, "INFO"), (36, "WARNING")])
def test_a_gap_that_cannot_be_proved_is_foretold(caplog, most, level):
    """By a sample, which has the larger C of all rows."""
    X, y = square(3000)
    with caplog.at_level("INFO", "svmlib.distributed"):
        found = solve_kernel(chunked(X, 1000), y, RBF(0.5), 0.1, max_pivots=most)
    first = next(record for record in caplog.records if record.name == "svmlib.distributed")
    assert (first.levelname, found.converged) == (level, level == "INFO")
    pivots, gap = re.fullmatch(r"(\d+) pivots; expected .* gap: (\S+)", first.getMessage()).groups()
    assert int(pivots) == len(found.pivots)
    proved = max(found.certificate.relative_gap, 1e-3)
    assert 0.3 < max(float(gap), 1e-3) / proved < 3, "below the tolerance they say little"


def test_a_sample_without_one_class_foretells_nothing():
    X, _ = square(8000)
    y = np.where(np.arange(8000) == 1, 1, -1)
    assert solve_kernel(chunked(X, 2000), y, RBF(0.05), tol=0.1).certificate.dual > 0


def test_every_pass_is_logged_for_those_who_ask(caplog):
    points, labels = clouds(400)
    with caplog.at_level("INFO", "svmlib"):
        trace = solve_linear(chunked(points, 100), labels).trace
    assert [record.getMessage() for record in caplog.records] == [
        f"pass {k}: ramp {found.h:.1e} C, {found.n_free} samples on it, "
        f"relative duality gap {found.certificate.relative_gap:.1e}"
        for k, found in enumerate(trace, 1)
    ]


@pytest.mark.parametrize("rows", [50, 100, 200])
def test_a_source_of_both_is_read_once_a_pass(rows):
    """And once before, to be described, and for the first chunk once more; so is one of two."""
    reads = []

    def table(number):
        reads.append(number)
        return np.column_stack([y[100 * number :][:100], X[100 * number :][:100]])

    X, y = clouds(400)
    parts = [da.from_delayed(dask.delayed(table)(k), (100, 4), float) for k in range(4)]
    both = da.concatenate(parts).rechunk((rows, 4))
    found = solve_linear(both[:, 1:], both[:, 0])
    assert len(reads) == 4 * (1 + found.n_iter) + max(1, rows // 100)


@pytest.mark.parametrize("train", TRAIN)
def test_rows_are_read_in_the_task_that_sums_them_up(train):
    """So no other worker can take them over, and nothing as large as they are can travel."""
    sizes = []
    X, y = square(8000)
    read = [dask.delayed(lambda k: X[1000 * k :][:1000])(k) for k in range(8)]
    rows = da.concatenate([da.from_delayed(each, (1000, 2), float) for each in read])
    with Callback(posttask=lambda key, result, *_: sizes.append(sizeof(result))):
        train(2 * rows, da.from_array(y, chunks=1000))
    assert len(sizes) > 8 * 4
    assert sum(size >= X[:1000].nbytes for size in sizes) < 8, "the first chunk is looked at"


def test_tasks_that_cannot_be_fused_give_the_same():
    """Tuples, as all tasks of Dask were once, have no such method."""
    tasks = {"rows": (operator.add, 1, 2), "part": (operator.neg, "rows"), "sum": (abs, "part")}
    graph = HighLevelGraph({"sum": tasks}, {"sum": set()})
    total, part = (Delayed(key, graph, layer="sum") for key in ("sum", "part"))
    assert distributed._compute(total, [part]) == 3
