"""Two small HTTP/1.1 clients: one that asks as fast as it is answered, one that sends single requests."""

import asyncio
import gzip
import selectors
import socket
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.bench.report import BenchError

HEAD_END = b"\r\n\r\n"
TIME_OUT = 60.0


class Answer(NamedTuple):
    """A whole answer; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> bytes:
        """The body as it was before it was compressed."""
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body


class Rate(NamedTuple):
    """Answers per second, how many had another status than the one expected, and this client's own use of a core."""

    per_second: float
    unexpected: int
    own: float


def request(path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> bytes:
    """The bytes of a request."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None:
        lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def flood(port: int, sent: bytes, *, status: int, connections: int, seconds: float, warm_up: float = 0.5) -> Rate:
    """Keep so many connections busy: each sends the next request when it has the whole answer to the last.

    Every answer is waited for in the end, so that nothing of this is left to do for the server afterwards.
    """
    expected = f"HTTP/1.1 {status} ".encode()
    answers = unexpected = 0
    with selectors.DefaultSelector() as poll:
        for _ in range(connections):
            _Line(port, sent).ask(poll)
        begin, spent = time.perf_counter() + warm_up, time.process_time()
        end = begin + seconds
        while poll.get_map():
            for line, head in _answered(poll):
                now = time.perf_counter()
                if begin <= now < end:
                    answers += 1
                    unexpected += not head.startswith(expected)
                if now < end:
                    line.ask(poll)
                else:
                    line.close(poll)
        spent = time.process_time() - spent
    return Rate(answers / seconds, unexpected, spent / (warm_up + seconds))


def _answered(poll: selectors.BaseSelector) -> Iterator[tuple["_Line", bytes]]:
    """The connections that have a whole answer by now, and its head."""
    ready = poll.select(TIME_OUT)
    if not ready:
        raise BenchError(f"The server gave no answer for {TIME_OUT:.0f} seconds.")
    for key, _ in ready:
        head = key.data.receive()
        if head is not None:
            yield key.data, head


class _Line:
    """A connection that is kept for as long as the server keeps it, and what has come of the answer so far."""

    def __init__(self, port: int, sent: bytes) -> None:
        self.port, self.sent = port, sent
        self.socket: socket.socket | None = None
        self.received = b""
        self.closing = False

    def ask(self, poll: selectors.BaseSelector) -> None:
        """Send the request once more."""
        if self.closing:
            self.close(poll)
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=TIME_OUT)
            poll.register(self.socket, selectors.EVENT_READ, self)
        self.socket.sendall(self.sent)

    def receive(self) -> bytes | None:
        """The head of the answer when all of it has come, otherwise nothing yet."""
        part = self.socket.recv(262_144) if self.socket else b""
        if not part:
            raise BenchError("The server closed a connection in the middle of an answer.")
        self.received += part
        end = self.received.find(HEAD_END)
        if end < 0 or len(self.received) < end + 4 + _length(self.received[:end]):
            return None
        head, self.received = self.received[:end], b""
        self.closing = b"\r\nconnection: close" in head.lower()
        return head

    def close(self, poll: selectors.BaseSelector) -> None:
        """Hang up; the next request has a connection of its own."""
        if self.socket is not None:
            poll.unregister(self.socket)
            self.socket.close()
            self.socket = None


def _length(head: bytes) -> int:
    lower = head.lower()
    at = lower.find(b"\r\ncontent-length:")
    if at < 0:
        if b"\r\ntransfer-encoding:" in lower:
            raise BenchError("The server sent an answer in chunks, which this client does not read.")
        return 0
    return int(lower[at + 17 :].split(b"\r\n", 1)[0])


def ask_once(port: int, sent: bytes) -> Answer:
    """One request on a connection of its own, for callers that do nothing else meanwhile."""
    return asyncio.run(ask(port, sent))


async def ask(port: int, sent: bytes) -> Answer:
    """One request on a connection of its own; raises `OSError` when no whole answer comes."""
    async with asyncio.timeout(TIME_OUT):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(sent.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            received = await reader.read(-1)
        finally:
            writer.close()
    head, _, body = received.partition(HEAD_END)
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if len(body) != int(headers.get("content-length", len(body))):
        raise ConnectionError(f"half an answer: {first}")
    return Answer(int(first.split(" ")[1]), headers, body)
