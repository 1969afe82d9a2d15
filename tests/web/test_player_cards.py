"""Player cards: what finished games say about a player, and nothing of a game that is not over."""

from __future__ import annotations

import asyncio

from studio_kit import studio

from liars_dice.agents import make_agent
from liars_dice.core import GameEngine, preset
from liars_dice.persistence import InMemoryRecorder, record_game


def stored_games(*, unfinished: bool = False) -> InMemoryRecorder:
    """Eight games of Ann, who plays like crawler, against Bob; and one of Cid that has only begun."""
    store = InMemoryRecorder()
    for game in range(8):
        agents = [make_agent("crawler"), make_agent("aggressive")]
        engine = GameEngine(preset("perudo", players=2), agents, names=["Ann", "Bob"], seed=game)
        record_game(engine, store)
        engine.play()
    if unfinished:
        agents = [make_agent("crawler"), make_agent("aggressive")]
        engine = GameEngine(preset("perudo", players=2), agents, names=["Cid", "Dan"], seed=99)
        record_game(engine, store)
        while len(engine.state.public.resolutions) < 2:
            engine.step()
    store.flush()
    return store


def test_a_card_says_what_finished_games_show() -> None:
    async def run() -> None:
        async with studio(stored_games(unfinished=True)) as one:
            card = await one.get("/players/card?name=Ann")
            assert card["player"] == "Ann"
            assert f"{card['rounds']} rounds of 8 games" in card["basis"]
            told = {section["heading"]: " ".join(section["told"]) for section in card["sections"]}
            assert "crawler" in told["Style"]
            assert "What it costs" not in told
            game = next(game for game in (await one.get("/games"))["games"] if "Ann" in game["names"])
            known = await one.get(f"/games/{game['id']}/known?seat=0")
            assert known["player"] == "Ann"
            assert "of 1 game" in known["basis"]
            assert known["rounds"] <= card["rounds"]

    asyncio.run(run())


def test_nothing_is_told_of_games_that_are_not_over() -> None:
    async def run() -> None:
        store = stored_games(unfinished=True)
        async with studio(store) as one:
            for name in ("Cid", "CrawlerAgent", "Nobody"):
                assert (await one.http.get(f"/api/players/card?name={name}")).status_code == 404
            open_game = next(game for game in store.games() if "Cid" in game.names)
            refused = await one.http.get(f"/api/games/{open_game.game_id}/known?seat=0")
            assert (refused.status_code, refused.json()["code"]) == (409, "game_not_over")
            ended = next(game for game in store.games() if "Ann" in game.names)
            assert (await one.http.get(f"/api/games/{ended.game_id}/known?seat=5")).status_code == 400

    asyncio.run(run())


def test_the_host_can_switch_cards_off() -> None:
    async def run() -> None:
        async with studio(stored_games(), player_cards=False) as one:
            refused = await one.http.get("/api/players/card?name=Ann")
            assert (refused.status_code, refused.json()["code"]) == (403, "cards_off")

    asyncio.run(run())
