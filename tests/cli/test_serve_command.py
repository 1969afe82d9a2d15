"""`serve` says where others find the page."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

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
