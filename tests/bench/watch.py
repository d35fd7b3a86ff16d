"""Looks into the processes that are measured: what they compute, and a way past what they keep."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tournaments import live

COMPUTED = "BENCH_COMPUTED"
"""The environment variable that names the file with one line per computation: process, what, version."""

_thread = threading.local()


@contextmanager
def nothing_kept() -> Iterator[None]:
    """What this thread asks for is computed and drawn anew, as if nobody had asked before; nothing of it is kept."""
    _thread.afresh = True
    try:
        yield
    finally:
        _thread.afresh = False


def install() -> None:
    """Watch this process from now on."""
    live._Slot.get = _get(live._Slot.get)  # type: ignore[method-assign]
    path = os.environ.get(COMPUTED)
    if path:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        live._read = _noted(live._read, "table", file)
        live._made = _noted(live._made, "page", file)


def _get(get: Callable[..., Any]) -> Callable[..., Any]:
    def watched(slot: Any, found: Any, make: Callable[[], Any], *, wait: bool) -> Any:
        return make() if getattr(_thread, "afresh", False) else get(slot, found, make, wait=wait)

    return watched


def _noted(compute: Callable[..., Any], what: str, file: int) -> Callable[..., Any]:
    def noted(*args: Any) -> Any:
        made = compute(*args)
        if not getattr(_thread, "afresh", False):
            os.write(file, f"{os.getpid()} {what} {made.version}\n".encode())
        return made

    return noted
