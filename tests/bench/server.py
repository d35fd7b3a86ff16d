"""The product under gunicorn, as `make demo` runs it, on a free port of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench import watch
from tests.bench.report import BenchError

ROOT = Path(__file__).resolve().parents[2]
WORKERS, THREADS = 2, 4
SECONDS_TO_START = 30


class Server(NamedTuple):
    """Where it listens, and the file into which its processes write what they compute."""

    port: int
    computed: Path


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Serve until the block is left; the flags are those of the Makefile."""
    server = Server(_free_port(), folder / "computed")
    command = [sys.executable, "-m", "gunicorn", "pinparty.wsgi", "--workers", str(WORKERS), "--threads", str(THREADS)]
    command += ["--reuse-port", "--no-control-socket", "--bind", f"127.0.0.1:{server.port}"]
    with (folder / "gunicorn.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, watch.COMPUTED: str(server.computed)}, stdout=log, stderr=log
        )
        try:
            _wait_for(process, server)
            yield server
        except BenchError as fault:
            raise BenchError(f"{fault}\n{_last_words(folder)}") from fault
        finally:
            process.terminate()
            process.wait(timeout=60)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def _last_words(folder: Path) -> str:
    return "\n".join((folder / "gunicorn.log").read_text().splitlines()[-30:])


def _wait_for(process: "subprocess.Popen[bytes]", server: Server) -> None:
    """Ask until an answer comes."""
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/healthz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise BenchError("gunicorn did not start.")
