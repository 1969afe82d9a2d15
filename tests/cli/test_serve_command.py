"""`serve` says where others find the page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from patience import PATIENCE


def test_an_address_that_others_can_use(tmp_path: Path) -> None:
    """0.0.0.0 is nowhere to go to: the address shown is one that answers."""
    words = [sys.executable, "-m", "liars_dice", "serve", "--host", "0.0.0.0", "--port", "0"]
    command = [*words, "--db", str(tmp_path / "games.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            first, second, third = (process.stdout.readline() for _ in range(3))
            found = re.search(r"Liar's Dice is at (http://(\S+?):\d+/)", first)
            assert found, first
            assert found[2] != "0.0.0.0"
            assert "the invite links you send work for others" in second
            assert "Anyone who can reach this machine can play" in third
            with urllib.request.urlopen(found[1], timeout=PATIENCE) as page:
                assert b"<!doctype html>" in page.read()
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_a_store_that_everyone_can_read_is_pointed_out(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    command = [sys.executable, "-m", "liars_dice", "serve", "--port", "0", "--db", str(store)]
    for mode, warned in ((0o640, False), (0o644, True)):
        store.touch()
        store.chmod(mode)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert "Liar's Dice is at" in process.stdout.readline()
            process.kill()
            _, said = process.communicate(timeout=PATIENCE)
        assert ("every user of this machine can read" in said) == warned


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "127.0.0.1"])
def test_no_bind_answers_to_a_name_of_another_site(tmp_path: Path, host: str) -> None:
    """A page elsewhere can let its own name point to this machine (DNS rebinding), over HTTP and on sockets."""
    words = [sys.executable, "-m", "liars_dice", "serve", "--host", host, "--port", "0", "--json"]
    command = [*words, "--db", str(tmp_path / "games.sqlite"), "--public-name", "dice.example"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if host == "::" and "host and port" in line:
                pytest.skip("this machine has no IPv6")
            port = urlsplit(json.loads(line)["address"]).port
            at = "::1" if host == "::" else "127.0.0.1"
            here = f"[::1]:{port}" if host == "::" else f"127.0.0.1:{port}"

            def status(named: str, **fields: str) -> int:
                path = "/api/rooms/none/socket" if fields else "/api/agents"
                with closing(HTTPConnection(at, port, timeout=PATIENCE)) as connection:
                    connection.request("GET", path, None, {"Host": named} | fields)
                    return connection.getresponse().status

            for named in ("localhost", here, "dice.example"):
                assert status(named) == 200
            assert status("evil.example") == status(f"evil.example:{port}") == 403
            key = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
            key |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
            assert status("evil.example", Origin="http://evil.example", **key) == 403
            assert status(here, Origin="http://evil.example", **key) == 403
            assert status(here, Origin=f"http://{here}", **key) == 101
        finally:
            process.kill()
