"""`verify-fair`: an honest game passes from the store, from an export and from the API; every cheat is found."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from studio_kit import Json, play, seats, studio

from command_line import call, told
from liars_dice.core import new_commitment

PARTS = ["commitment", "entropy", "seed", "dice", "rules"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Json]:
    """A store with one game of a room, and what the API says about it."""
    store = tmp_path_factory.mktemp("fair") / "games.sqlite"

    async def run() -> Json:
        async with studio(store) as one:
            wish = {"seats": seats("you", "crawler"), "changes": {"dice": 2}, "delay_ms": 0, "hold": True}
            made = await one.post("/rooms", wish)
            await one.post(f"/rooms/{made['room']}/entropy", {"token": made["token"], "entropy": "ann's dog"})
            await one.post(f"/rooms/{made['room']}/start", {"token": made["token"]})
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0)
            return await one.get(f"/games/{socket.heard[-1]['game_id']}")

    return store, asyncio.run(run())


def failed(game: str, *options: str) -> list[str]:
    """The checks that do not hold; the exit code must say the same."""
    result = call("verify-fair", game, *options, "--json")
    said = json.loads(result.stdout)
    found = [check["check"] for check in said["checks"] if not check["ok"]]
    assert said["verified"] == (not found)
    assert result.exit_code == (1 if found else 0)
    return found


def saved(record: Json, folder: Path) -> str:
    (folder / "game.json").write_text(json.dumps(record))
    return str(folder / "game.json")


def test_an_honest_game_passes_wherever_it_is_read_from(played: tuple[Path, Json], tmp_path: Path) -> None:
    store, record = played
    mine = ("--commitment", record["fairness"]["commitment"].upper(), "--entropy", "ann's dog")
    out = str(tmp_path / "game.jsonl")
    told("export", "last", "--out", out, "--db", str(store))
    for where in (("last", "--db", str(store)), (out,), (saved(record, tmp_path),)):
        assert not failed(where[0], *where[1:], *mine)
    said = told("verify-fair", out, *mine)
    assert [check["check"] for check in said["checks"]] == PARTS
    assert said["entropy"] == ["ann's dog", ""]
    printed = call("verify-fair", out).output
    assert "The dice are those that were committed to." in printed
    assert "Compare the commitment with the one you noted" in printed


def other_secret(record: Json) -> None:
    record["fairness"]["secret"] = new_commitment().secret


def other_commitment(record: Json) -> None:
    """Secret and commitment fit, but the dice were rolled from others: only a player who noted it sees the first."""
    fresh = new_commitment()
    record["fairness"] |= {"commitment": fresh.commitment, "secret": fresh.secret}


def dropped_text(record: Json) -> None:
    record["fairness"]["entropy"] = ["", ""]


def other_dice(record: Json) -> None:
    """A roll that was changed, and the reveal with it: the rules alone do not find it."""
    rolled = next(event for event in record["events"] if event["type"] == "DiceRolled")
    revealed = next(event for event in record["events"] if event["type"] == "DiceRevealed")
    count = revealed["dice"][rolled["player_id"]].count
    assert rolled["dice"] == revealed["dice"][rolled["player_id"]]
    rolled["dice"][0] = next(face for face in range(1, 7) if not count(face))
    rolled["dice"].sort()


def left_out(record: Json) -> None:
    """The commitment is said to begin after the rounds that were not rolled from it."""
    record["fairness"]["first_round"] = 99


@pytest.mark.parametrize(
    ("cheat", "parts"),
    [
        (other_secret, {"commitment", "dice"}),
        (other_commitment, {"commitment", "dice"}),
        (dropped_text, {"entropy", "dice"}),
        (other_dice, {"dice", "rules"}),
        (left_out, {"dice"}),
    ],
)
def test_every_cheat_is_found(
    played: tuple[Path, Json], tmp_path: Path, cheat: Callable[[Json], None], parts: set[str]
) -> None:
    record = copy.deepcopy(played[1])
    cheat(record)
    noted = played[1]["fairness"]["commitment"]
    game = saved(record, tmp_path)
    assert set(failed(game, "--commitment", noted, "--entropy", "ann's dog")) == parts
    assert "This game is not proved to be fair." in call("verify-fair", game).output


def test_a_branch_is_checked_from_where_its_own_dice_begin(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"

    async def run() -> Json:
        async with studio(store) as one:
            wish = {"seats": seats("crawler", "crawler"), "changes": {"dice": 2}, "delay_ms": 0}
            over = await (await one.enter((await one.post("/rooms", wish))["room"])).until("over")
            made = await one.post(f"/games/{over['game_id']}/branch", {"turn": 1, "seat": 0, "delay_ms": 0})
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0)
            return await one.get(f"/games/{socket.heard[-1]['game_id']}")

    record = asyncio.run(run())
    assert not failed(record["id"], "--db", str(store))
    game = saved(record, tmp_path)
    assert not failed(game)
    assert "from round 2 on, because this game continues another" in call("verify-fair", game).output
    record["fairness"]["first_round"] += 1
    assert failed(saved(record, tmp_path)) == ["dice"]


def test_what_cannot_be_checked_is_said_in_one_line(played: tuple[Path, Json], tmp_path: Path) -> None:
    record = copy.deepcopy(played[1])
    record["fairness"]["secret"] = None
    sealed = saved(record, tmp_path)
    told("watch", "--dice", "1")
    (tmp_path / "nonsense.json").write_text('{"events": [7]}')
    (tmp_path / "not.json").write_text("[")
    for game, why in (
        (sealed, "the secret is shown at the end"),
        ("last", "played in a room of the studio"),
        (str(tmp_path / "missing.json"), "cannot be read"),
        (str(tmp_path / "nonsense.json"), "not a game of the studio"),
        (str(tmp_path / "not.json"), "not an event of Liar's Dice"),
    ):
        result = call("verify-fair", game)
        assert result.exit_code == 1
        assert result.stderr.count("\n") == 1, result.stderr
        assert why in result.stderr
