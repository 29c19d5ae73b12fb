"""A kernel whose ports somebody else has taken is started again; one that cannot start is not."""

import socket

import jupyter_client.connect
import pytest
from nbval.plugin import CURRENT_ENV_KERNEL_NAME

from tests.book import kernels


@pytest.fixture
def ports_given_away(monkeypatch):
    """Let another process, so to speak, listen at a port that the next kernels are told to take."""
    write, left = jupyter_client.connect.write_connection_file, []

    def written(*args, **options):
        if left:
            left.pop()
            options["shell_port"] = taken.getsockname()[1]
        return write(*args, **options)

    monkeypatch.setattr(jupyter_client.connect, "write_connection_file", written)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield left


def started():
    manager, client = kernels.start_new_kernel(
        kernel_name=CURRENT_ENV_KERNEL_NAME, startup_timeout=60
    )
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_a_kernel_without_its_ports_is_started_again_but_not_for_ever(ports_given_away):
    ports_given_away.extend("ab")
    started()
    assert not ports_given_away
    ports_given_away.extend("abcd")
    with pytest.raises(RuntimeError, match="died"):
        started()
    assert len(ports_given_away) == 1
