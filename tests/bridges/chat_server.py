"""A server that speaks the protocol of OpenAI's chat completions, and answers as a test tells it to."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import Any, NamedTuple

from liars_dice.core import Bid, binomial_prob_at_least, say_bid

KEY = "sk-secret-0123456789"
"""The key that clients of the tests have."""


class Raw(NamedTuple):
    """An answer that is not the usual one."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


Brain = Callable[[dict[str, Any]], "str | Raw"]
"""What the model says to a request."""


class ChatServer:
    """The server, and the requests that it got."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    def last_prompt(self) -> str:
        """The last message of the last request."""
        text: str = self.requests[-1]["messages"][-1]["content"]
        return text


@contextmanager
def chat_server(brain: Brain) -> Iterator[ChatServer]:
    """A server on a free port of this machine, for as long as the `with` block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/chat/completions"
            assert {"model", "messages"} <= request.keys()
            server.requests.append(request)
            server.headers.append(dict(self.headers))
            said = brain(request)
            answer = said if isinstance(said, Raw) else Raw(completion(said))
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Clients that give up are part of the tests."""

    http = Quiet(("127.0.0.1", 0), Handler)
    server = ChatServer(f"http://127.0.0.1:{http.server_address[1]}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def completion(text: str | None, **message: object) -> bytes:
    """The usual answer."""
    said = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [{"message": said}], "usage": usage}).encode()


def streamed(text: str) -> Raw:
    """An answer in pieces of three letters, as server-sent events."""
    pieces = [{"choices": [{"delta": {"content": text[i : i + 3]}}]} for i in range(0, len(text), 3)]
    usage = {"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 5}}
    lines = [f"data: {json.dumps(piece)}\n\n" for piece in [*pieces, usage]]
    return Raw("".join([*lines, "data: [DONE]\n\n"]).encode(), headers=(("Content-Type", "text/event-stream"),))


def sceptic(request: dict[str, Any]) -> str:
    """A model that calls every bid, and opens with one six."""
    prompt = request["messages"][1 if len(request["messages"]) > 1 else 0]["content"]
    if re.search(r"The current bid is", prompt):
        return 'I do not believe it.\n{"move": "liar", "belief": 0.2}'
    return '{"move": "bid 1 six"}'


SPOKEN = {say_bid(Bid(quantity, face)): (quantity, face) for quantity, face in product(range(1, 61), range(1, 7))}
"""What bids are called in a prompt."""


def beginner(request: dict[str, Any]) -> str:
    """A model that counts its own dice and gives every other die one chance in six, wild faces or not.

    It calls what it holds unlikely, and otherwise raises to one more of the face that it has most of, also where that
    is not legal. Told so, it calls liar.
    """
    if "That cannot be played" in request["messages"][-1]["content"]:
        return "liar"
    prompt = request["messages"][-1]["content"]
    own = re.findall(r"You roll ([\d ]+)", prompt)[-1].split()
    in_play = int(re.findall(r"(\d+) (?:die|dice) in play", prompt)[-1])
    best = max(own, key=own.count)
    named = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}
    spoken = re.search(r"The current bid is ([\w ]+)\.", prompt)
    if spoken is None:
        return f'I open with what I have.\n{{"move": "bid {own.count(best)} {named[best]}"}}'
    quantity, face = SPOKEN[spoken[1]]
    needed = quantity - own.count(str(face))
    belief = round(binomial_prob_at_least(in_play - len(own), needed, 1 / 6), 2)
    if belief < 0.4:
        return f'They need {needed} of {in_play - len(own)} other dice.\n{{"move": "liar", "belief": {belief}}}'
    return f'I can go higher.\n{{"move": "bid {quantity + 1} {named[best]}", "belief": {belief}}}'
