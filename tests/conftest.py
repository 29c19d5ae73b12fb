"""Settings for every test: one BLAS thread, and random problems that are the same in every run."""

import gc
import os
import sys

# Before NumPy is imported: on problems as small as these, a second thread only waits.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# jsonschema, which looks at notebooks, would compile 38 grammars of addresses, and load two
# libraries for times, for seconds.
sys.modules["rfc3987_syntax"] = sys.modules["isoduration"] = None

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# No verdict depends on how busy the machine is.
quiet = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("book", derandomize=True, max_examples=40, **quiet)
settings.load_profile("book")


def pytest_collection_finish():
    """Spare the garbage collector what all tests have imported."""
    gc.freeze()


@pytest.fixture(scope="session")
def browser():
    """One Chromium a worker: Playwright allows no second one beside it."""
    from tests.browser import chromium

    with chromium() as program:
        yield program
