"""The import graph: what it finds in sources, and that the committed picture is up to date."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from import_graph import ROOT, as_svg, as_text, layers, main, read_packages, rooms_of

PICTURE = ROOT / "docs" / "images" / "rooms.svg"


def test_the_picture_is_what_is_drawn_now() -> None:
    drawn = as_svg(read_packages())
    if os.environ.get("UPDATE_DATA"):
        PICTURE.write_text(drawn, encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == drawn, (
        "the rooms have changed: python tools/import_graph.py --svg docs/images/rooms.svg draws them again"
    )


def test_every_room_has_a_row_and_imports_only_from_rooms_above() -> None:
    rooms = rooms_of(read_packages())
    assert [room.name for room in rooms] == list(layers())
    assert rooms[0].name == "core"
    assert not rooms[0].imports
    for place, room in enumerate(rooms):
        assert room.files > 0
        assert set(room.imports) <= {other.name for other in rooms[:place]}


def test_every_way_to_import_is_counted(tmp_path: Path) -> None:
    for name, text in {
        "__init__.py": "",
        "core/__init__.py": '"""The game.\n\nMore."""\n',
        "core/bid.py": "class Bid: ...\n",
        "exact/__init__.py": "from .tables import hands\n",
        "exact/tables/__init__.py": "from ...core import Bid, Ladder\nfrom ...core.bid import Bid as B\n",
        "web/__init__.py": "import liars_dice.core.bid\nfrom liars_dice.exact import tables\n"
        "A = 'liars_dice.exact.x:Y'\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = read_packages(tmp_path)
    assert found["core"].summary == "The game."
    assert (found["core"].files, found["core"].lines) == (2, 4)
    assert found["exact"].imports == {"exact.tables": {"hands"}}
    assert found["exact.tables"].imports == {"core": {"Bid", "Ladder"}}
    assert found["web"].imports == {"core": {"bid"}, "exact.tables": {"tables"}}
    assert found["web"].loads == {"exact"}


def test_it_prints_packages_sizes_and_edges(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert printed.strip() == as_text(read_packages())
    (line,) = [line for line in printed.splitlines() if line.startswith("simulator ")]
    assert "exact.tables " in line
    assert main(["--svg", str(tmp_path / "rooms.svg")]) == 0
    assert (tmp_path / "rooms.svg").read_text(encoding="utf-8").startswith("<svg ")
