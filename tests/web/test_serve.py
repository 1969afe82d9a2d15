"""A real server process with real sockets, killed in the middle of a game."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from click.testing import CliRunner
from live import Process, in_a_thread, websocket
from studio_kit import EASY, first_legal, scripted, seats
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from liars_dice.cli import main
from liars_dice.persistence import open_store, verify_game
from liars_dice.web.websocket_io import TOO_SLOW
from patience import PATIENCE

WISH = {"seats": seats("you", "random"), "rules": "heads-up", "delay_ms": 0, "seed": 11}


def play(connection: Any, turns: int | None = None) -> list[int]:
    """Play seat 0; the turns that were acknowledged."""
    acknowledged: list[int] = []
    while turns is None or len(acknowledged) < turns:
        said = json.loads(connection.recv(timeout=PATIENCE))
        if said["type"] == "turn" and said["seat"] == 0:
            message = {"type": "act", "id": said["turn"], "turn": said["turn"], "action": scripted(said)}
            connection.send(json.dumps(message))
        elif said["type"] == "answer":
            acknowledged.append(said["to"])
        elif said["type"] == "over":
            break
        assert said["type"] != "error", said
    return acknowledged


def listen_to_the_end(connection: Any, heard: list[Any] | None = None) -> ConnectionClosed:
    """How the server closed this connection, after anything else it sent."""
    heard = [] if heard is None else heard
    try:
        while True:
            heard.append(json.loads(connection.recv(timeout=PATIENCE)))
    except ConnectionClosed as closed:
        return closed


def events_of(db: Path) -> list[Any]:
    with open_store(db) as store:
        (game,) = store.games()
        events = store.events(game.game_id)
    verify_game(events)
    return [event.payload for event in events]


def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    with Process(tmp_path / "calm.sqlite") as calm:
        made = calm.post("/rooms", WISH)
        with calm.enter(made["room"], made["token"]) as connection:
            play(connection)

    db = tmp_path / "killed.sqlite"
    made = {}
    port = 0
    acknowledged: list[int] = []
    for turns in (1, 2, None):
        with Process(db, port) as server:
            port = server.port
            made = made or server.post("/rooms", WISH)
            with server.enter(made["room"], made["token"]) as connection:
                acknowledged += play(connection, turns)
                output = server.kill()
        assert output == ""
    assert len(acknowledged) == len(set(acknowledged))
    assert events_of(db) == events_of(tmp_path / "calm.sqlite")


def test_ctrl_c_ends_it_at_once_with_players_inside(tmp_path: Path) -> None:
    with Process(tmp_path / "a.sqlite") as server:
        made = server.post("/rooms", WISH)
        with server.enter(made["room"], made["token"]) as connection:
            play(connection, 1)
            output = server.stop()
        assert "Traceback" not in output
        assert made["token"] not in output
        listen_to_the_end(connection)
        assert server.process.returncode in (0, -signal.SIGINT, 130)


def test_ctrl_c_does_not_wait_for_the_coach(tmp_path: Path) -> None:
    with (
        Process(tmp_path / "a.sqlite") as server,
        socket.create_connection(("127.0.0.1", server.port), PATIENCE) as asking,
    ):
        asking.sendall(b"GET /api/lab/matchups?rules=heads-up HTTP/1.1\r\nHost: localhost\r\n\r\n")
        server.get("/rooms")  # sent later and answered, so the first request has arrived
        assert server.stop() == ""
        answer = asking.recv(100)
        assert not answer or answer.split()[1] in (b"200", b"503")


def test_huge_frames_and_foreign_origins_over_the_wire(tmp_path: Path) -> None:
    with Process(tmp_path / "a.sqlite") as server:
        made = server.post("/rooms", WISH)
        with server.enter(made["room"], None) as connection:
            with contextlib.suppress(ConnectionClosed):
                connection.send("x" * 200_000)
            closed = listen_to_the_end(connection)
            assert closed.rcvd is not None
            assert closed.rcvd.code == 1009
        url = f"ws://127.0.0.1:{server.port}/api/rooms/{made['room']}/socket"
        with pytest.raises(InvalidStatus), connect(url, origin=Origin("http://evil.example"), open_timeout=PATIENCE):
            pass
        forged = httpx.get(f"{server.address}/api/agents", headers={"host": "evil.example"}, timeout=PATIENCE)
        assert forged.status_code == 403
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(b"GET /static/../app.py HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"404" in raw.recv(100)
        assert server.get("/agents")["agents"]


def test_a_client_that_does_not_read_is_dropped_and_no_one_waits() -> None:
    """Over a real connection whose buffers fill up: one tab keeps asking and never reads, another one plays on.

    The server would wait for the tab longer than this test waits for anything.
    """
    asked, limits = 50, msgspec.structs.replace(EASY, send_s=10 * PATIENCE)
    many_bids = {"dice": [60, 60], "faces": 20}
    wish = WISH | {"seats": seats("you", "conservative"), "changes": many_bids, "practice": True}
    with in_a_thread(limits) as port:
        made = httpx.post(f"http://127.0.0.1:{port}/api/rooms", json=wish, timeout=PATIENCE).json()
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        narrow.connect(("127.0.0.1", port))
        with (
            websocket(port, made["room"], sock=narrow, max_queue=1) as deaf,
            websocket(port, made["room"]) as player,
        ):
            player.send(json.dumps({"type": "hello", "token": made["token"]}))
            deaf.send(json.dumps({"type": "hello", "token": made["token"]}))
            assert json.loads(deaf.recv(timeout=PATIENCE))["type"] == "welcome"
            for n in range(asked):
                deaf.send(json.dumps({"type": "ask", "id": n, "what": "odds"}))
            answered = 0
            while answered < 20:
                said = json.loads(player.recv(timeout=PATIENCE))
                if said["type"] == "turn" and said["seat"] == 0:
                    move = {"type": "act", "id": 1, "turn": said["turn"], "action": first_legal(said)}
                    player.send(json.dumps({"type": "undo", "id": 1} if said["calls"] else move))
                answered += said["type"] == "answer"
            heard: list[Any] = []
            closed = listen_to_the_end(deaf, heard)
            if closed.rcvd is not None:  # or it was too slow even for the close frame
                assert (closed.rcvd.code, closed.rcvd.reason) == (1013, TOO_SLOW)
            assert sum(said["type"] == "answer" for said in heard) < asked


def test_errors_at_the_start_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "no.sqlite").write_text("this is no database, and longer than a header of one would be " * 20)
    result = CliRunner().invoke(main, ["serve", "--db", str(tmp_path / "no.sqlite")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert result.output.count("\n") == 1
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["serve", "--port", port, "--db", str(tmp_path / "a.sqlite")])
    assert result.exit_code == 1
    assert "an address that is free" in result.output
