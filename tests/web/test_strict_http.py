"""Requests that a proxy and this server could read differently end the connection: raw bytes to a real server."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest
from live import in_a_thread
from studio_kit import EASY

from patience import PATIENCE

BODY = b'{"preset": "duel"}'
SECOND = b"GET /api/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""What a smuggled request would ask."""


def post(*fields: bytes, body: bytes = BODY, version: bytes = b"1.1", target: bytes = b"/api/rules") -> bytes:
    head = [b"POST " + target + b" HTTP/" + version, b"Host: localhost", *fields]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def answers(port: int, sent: bytes) -> list[bytes]:
    """The status of every answer until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.sendall(sent)
        heard = b""
        while part := raw.recv(65_536):
            heard += part
    return re.findall(rb"HTTP/1\.1 (\d+) ", heard)


CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = b"Content-Length: %d" % len(BODY)
SHAPES = {
    "length and chunks": post(LENGTH, b"Transfer-Encoding: chunked", body=CHUNKED),
    "chunks and length": post(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=CHUNKED),
    "two lengths": post(LENGTH, b"Content-Length: 3"),
    "the same length twice": post(LENGTH, LENGTH),
    "a list of lengths": post(LENGTH + b", %d" % len(BODY)),
    "a signed length": post(b"Content-Length: +%d" % len(BODY)),
    "a length in hexadecimal": post(b"Content-Length: 0x12"),
    "two codings": post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", body=CHUNKED),
    "another coding": post(b"Transfer-Encoding: chunked, identity", body=CHUNKED),
    "an obscured coding": post(b"Transfer-Encoding: xchunked", body=CHUNKED),
    "a coding in HTTP/1.0": post(b"Transfer-Encoding: chunked", body=CHUNKED, version=b"1.0"),
    "a continued line": post(b"X-Note: a", b" Content-Length: 3", LENGTH),
    "a continued first line": post(b" Content-Length: 3", LENGTH),
    "a space before the colon": post(b"Content-Length : %d" % len(BODY)),
    "a bare line feed in the head": post(b"X-Note: a\nContent-Length: 3", LENGTH),
    "only line feeds": post(LENGTH).replace(b"\r\n", b"\n"),
    "a bare carriage return": post(b"X-Note: a\rContent-Length: 3", LENGTH),
    "a zero byte": post(b"X-Note: a\0b", LENGTH),
    "a bad chunk size": post(b"Transfer-Encoding: chunked", body=b"xyz\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a negative chunk size": post(b"Transfer-Encoding: chunked", body=b"-1\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a chunk longer than its size": post(b"Transfer-Encoding: chunked", body=b"1\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a bare line feed after the chunks": post(
        b"Transfer-Encoding: chunked", body=b"%x\r\n%s\r\n0\r\n\n" % (len(BODY), BODY)
    ),
    "another host in the request line": post(LENGTH, target=b"http://evil.example/api/rules"),
    "an authority as the target": post(LENGTH, target=b"localhost:80"),
    "a bare line feed after a chunk": post(
        b"Transfer-Encoding: chunked", body=b"%x\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    ),
    "two hosts": post(b"Host: evil.example", LENGTH),
    "no host": b"GET /api/agents HTTP/1.1\r\n\r\n",
    "an empty first line": b"\r\n" + post(LENGTH),
    "garbage": b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with in_a_thread(EASY) as port:
        yield port


@pytest.mark.parametrize("shape", SHAPES)
def test_an_ambiguous_request_closes_the_connection(port: int, shape: str) -> None:
    found = answers(port, SHAPES[shape] + SECOND)
    assert len(found) <= 1, "what follows was read as another request"
    assert found != [b"200"]


def test_garbage_after_a_request_is_not_read_as_one(port: int) -> None:
    assert answers(port, post(LENGTH) + b"GARBAGE\r\n\r\n" + SECOND) == [b"200", b"400"]


@pytest.mark.parametrize(
    "plain",
    [
        post(LENGTH),
        post(b"Transfer-Encoding: chunked", body=CHUNKED),
        post(b"transfer-encoding:chunked", body=b"2;note=1\r\n{}\r\n0\r\n\r\n"),
        post(b"Expect: 100-continue", LENGTH),
    ],
    ids=["length", "chunks", "a chunk with an extension", "expect"],
)
def test_plain_requests_follow_one_another(port: int, plain: bytes) -> None:
    assert [status for status in answers(port, plain + plain + SECOND) if status != b"100"] == [b"200"] * 3
