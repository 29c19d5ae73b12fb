"""KaTeX's server is waited for, however slowly a busy machine starts it."""

import sys

import formulas
import pytest
from sphinxcontrib.katex import KaTeXServer

SLOW = """
import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
time.sleep(float(sys.argv[2]))
server.listen()
server.accept()
"""


def server(seconds):
    """Return a server whose socket is there for some seconds before it listens."""

    class Slow(KaTeXServer):
        @classmethod
        def build_command(cls, socket):
            return [sys.executable, "-c", SLOW, str(socket), str(seconds)]

    return Slow


def test_a_server_that_does_not_listen_yet_is_waited_for(tmp_path):
    process, client = server(0.3).start_server_process(tmp_path, 120)
    client.close()
    assert process.wait() == 0


def test_a_server_that_never_listens_is_an_error_and_is_gone(tmp_path):
    with pytest.raises(formulas.katex.KaTeXError, match="STARTUP_TIMEOUT"):
        server(600).start_server_process(tmp_path, 0.5)
