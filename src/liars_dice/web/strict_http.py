"""HTTP/1.1 without leniency: a request that two programs could read in two ways is refused.

A proxy and a server that disagree about where a request ends let one client put words into another's mouth (request
smuggling). h11 reads some old or ambiguous forms on purpose; here, each of them ends the connection.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import h11


class StrictConnection(h11.Connection):
    """A server's end of a connection that accepts only requests with one meaning."""

    def next_event(self) -> Any:
        """The next event; raises `h11.RemoteProtocolError` for a request with more than one meaning."""
        before = self.trailing_data[0] if self.their_state in (h11.IDLE, h11.SEND_BODY) else b""
        event = super().next_event()
        if isinstance(event, h11.Request | h11.EndOfMessage) and before:
            read = before[: len(before) - len(self.trailing_data[0])]
            fault = _line_fault(read) or (_head_fault(read, event) if isinstance(event, h11.Request) else None)
            if fault is not None:
                raise h11.RemoteProtocolError(fault)
        return event


def _line_fault(read: bytes) -> str | None:
    rest = read.replace(b"\r\n", b"")
    return "a line does not end with CR LF" if b"\n" in rest or b"\r" in rest else None


def _head_fault(head: bytes, request: h11.Request) -> str | None:
    fields = head.split(b"\r\n")[1:]
    if any(field.startswith((b" ", b"\t")) for field in fields):
        return "a header field is continued on a second line"
    named = [field.split(b":", 1)[0].lower() for field in fields]
    lengths, codings = named.count(b"content-length"), named.count(b"transfer-encoding")
    if lengths + codings > 1:
        return "the length of the body is given twice"
    if any(b"," in field for field, name in zip(fields, named, strict=True) if name == b"content-length"):
        return "the length of the body is a list"
    headers = {bytes(name): bytes(value) for name, value in request.headers}
    if codings and bytes(request.http_version) < b"1.1":
        return "Transfer-Encoding needs HTTP/1.1"
    target = bytes(request.target)
    if target.startswith(b"/") or target == b"*":
        return None
    try:
        named_host = urlsplit(target.decode("ascii")).netloc.lower()
    except ValueError:
        named_host = ""
    if named_host != headers.get(b"host", b"").decode("latin-1").lower():
        return "the request line names another host than the Host header"
    return None
