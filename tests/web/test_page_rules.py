"""The page has the rules of a round once more, in JavaScript: the same bids in the same order, the same odds."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from liars_dice.agents import RandomAgent
from liars_dice.core import (
    PRESETS,
    BidAction,
    BidPlaced,
    DiceRevealed,
    Event,
    GameConfig,
    GameEngine,
    GameState,
    RoundEnded,
    count_matches,
    legal_actions,
    preset,
)
from liars_dice.core.bid import BidOrdering
from liars_dice.core.config import Wild, WildBids
from liars_dice.core.odds import prob_holds
from liars_dice.core.rules import round_rules
from liars_dice.web.app import GAME_PAGES, PAGES, STATIC
from support import CHANGED_RULES

SCRIPT = """
const { chance, ladder, wildFace } = await import(process.argv[2]);
const cases = JSON.parse(await new Promise((resolve) => {
  let text = "";
  process.stdin.on("data", (part) => (text += part)).on("end", () => resolve(text));
}));
console.log(JSON.stringify(cases.map(({ config, palifico, own, total }) => {
  const bids = ladder(config, total, palifico);
  const wild = wildFace(config, palifico);
  const odds = bids.map((b) => chance(b, own, total, config.faces, wild));
  return { bids: bids.map((b) => [b.quantity, b.face]), odds };
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (Debian: apt-get install nodejs)")
def test_the_page_knows_the_bids_and_the_odds(tmp_path: Path) -> None:
    rng = random.Random(1)
    cases = []
    expected = []
    kinds = product(get_args(Wild), get_args(BidOrdering), get_args(WildBids), (2, 4, 6, 9), (False, True))
    for wild, ordering, wild_bids, faces, palifico in kinds:
        if wild == "none" and wild_bids == "forbidden":
            continue
        dice = (rng.randint(1, 4), rng.randint(1, 4))
        config = GameConfig(
            dice=dice,
            faces=faces,
            wild=wild,
            bid_ordering=ordering,
            wild_bids=wild_bids,
            mode="elimination",
            palifico=True,
        )
        own = tuple(sorted(rng.randint(1, faces) for _ in range(dice[0])))
        rules = round_rules(config, sum(dice), palifico)
        cases.append({"config": config.to_dict(), "palifico": palifico, "own": own, "total": sum(dice)})
        odds = [prob_holds(bid, own, rules) for bid in rules.bids]
        expected.append(([[bid.quantity, bid.face] for bid in rules.bids], odds))
    script = tmp_path / "ask.mjs"
    script.write_text(SCRIPT)
    done = subprocess.run(
        ["node", script, STATIC / "ladder.js"], input=msgspec.json.encode(cases), capture_output=True, check=True
    )
    for case, found, (bids, odds) in zip(cases, json.loads(done.stdout), expected, strict=True):
        assert found["bids"] == bids, case
        assert found["odds"] == pytest.approx(odds, abs=1e-12), case


FOLD = """
const { EMPTY, step, total, truth } = await import(process.argv[2] + "/state.js");
const { narrate, read } = await import(process.argv[2] + "/events.js");
const games = JSON.parse(await new Promise((resolve) => {
  let text = "";
  process.stdin.on("data", (part) => (text += part)).on("end", () => resolve(text));
}));
console.log(JSON.stringify(games.map((events) => {
  let state = EMPTY;
  return events.map((raw) => {
    const event = read(raw);
    state = step(state, event);
    const { open, covered } = state;
    return { total: total(state), open, covered, truth: truth(state), says: narrate(event, state, 0) };
  });
})));
"""


def heard_by_one(rules: GameConfig, seed: int) -> tuple[list[Event], list[GameState]]:
    """What the player in seat 0 hears of a random game of three, and the state after each event."""
    engine = GameEngine(rules, [RandomAgent(), RandomAgent(), RandomAgent()], seed=seed)
    heard: list[Event] = []
    after: list[GameState] = []
    engine.subscribe(heard.append, 0)
    engine.subscribe(lambda _: after.append(engine.state), 0)
    engine.play()
    return heard, after


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (Debian: apt-get install nodejs)")
def test_the_page_follows_dice_that_belong_to_no_player_and_free_exact_calls(tmp_path: Path) -> None:
    """Dice in play, dice on the table and what counts at the reveal, for a player's events; who loses a die."""
    games, expected = [], []
    for table, covered, seed in ((0, 0, 1), (1, 0, 2), (0, 2, 3), (2, 1, 4)):
        rules = preset("perudo", players=3, dice=2, exact_payer="nobody", table_dice=table, hidden_dice=covered)
        heard, after = heard_by_one(rules, seed=seed)
        games.append(heard)
        expected.append(after)
    script = tmp_path / "fold.mjs"
    script.write_text(FOLD)
    done = subprocess.run(["node", script, STATIC], input=msgspec.json.encode(games), capture_output=True, check=True)
    for events, states, found in zip(games, expected, json.loads(done.stdout), strict=True):
        for event, state, page in zip(events, states, found, strict=True):
            if isinstance(event, BidPlaced):
                assert (page["total"], tuple(page["open"])) == (state.public.total_dice, state.public.table_dice)
                assert page["covered"] is None
                assert page["truth"] is None
            if isinstance(event, DiceRevealed):
                dice = (*event.dice, event.table_dice, event.hidden_dice)
                wild = state.public.rules.wild_face
                assert page["truth"] == [count_matches(dice, face, wild) for face in range(1, 7)]
            if isinstance(event, RoundEnded):
                last = state.public.resolutions[-1]
                spared = last.call == "exact" and last.winner == last.caller
                assert ("a die" in page["says"] and "lose" in page["says"]) is not spared


LEGAL = """
const { EMPTY, step } = await import(process.argv[2] + "/state.js");
const { read } = await import(process.argv[2] + "/events.js");
const { legalRungs } = await import(process.argv[2] + "/ladder.js");
const games = JSON.parse(await new Promise((resolve) => {
  let text = "";
  process.stdin.on("data", (part) => (text += part)).on("end", () => resolve(text));
}));
console.log(JSON.stringify(games.map((events) => {
  let state = EMPTY;
  return events.map((raw) => {
    state = step(state, read(raw));
    return { turn: state.turn, legal: [...legalRungs(state)].sort((a, b) => a - b) };
  });
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (Debian: apt-get install nodejs)")
def test_the_page_offers_the_bids_that_are_legal_whatever_the_rules(tmp_path: Path) -> None:
    games: list[list[Event]] = []
    expected: list[list[GameState]] = []
    kinds = [changed for _, changed in CHANGED_RULES.values()]
    for rules in (*kinds, preset("perudo-tournament", players=3, dice=2, opening_min_quantity=2, max_turns=4)):
        heard, after = heard_by_one(rules, seed=1)
        games.append(heard)
        expected.append(after)
    script = tmp_path / "legal.mjs"
    script.write_text(LEGAL)
    done = subprocess.run(["node", script, STATIC], input=msgspec.json.encode(games), capture_output=True, check=True)
    turns = 0
    for states, found in zip(expected, json.loads(done.stdout), strict=True):
        for state, page in zip(states, found, strict=True):
            if page["turn"] is None:
                continue
            turns += 1
            legal = [action for action in legal_actions(state.public) if isinstance(action, BidAction)]
            assert page["turn"] == state.public.current_player
            assert page["legal"] == [state.public.rules.rungs[action.bid] for action in legal], state.public
    assert turns > 100


WORDS = """
const { DUEL } = await import(process.argv[2] + "/ladder.js");
const { FIELDS, PRESETS, describe } = await import(process.argv[2] + "/rules_text.js");
const pairs = JSON.parse(process.argv[3]);
console.log(JSON.stringify({
  duel: DUEL,
  fields: Object.keys(FIELDS),
  presets: Object.keys(PRESETS),
  told: pairs.map((pair) => pair.map((config) => describe(config).join(", "))),
}));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed (Debian: apt-get install nodejs)")
def test_the_page_has_words_for_every_field_and_every_rule_set(tmp_path: Path) -> None:
    fields = [field for field in GameConfig.__struct_fields__ if field != "seed"]
    script = tmp_path / "words.mjs"
    script.write_text(WORDS)
    pairs = msgspec.json.encode([CHANGED_RULES[field] for field in fields])
    done = subprocess.run(["node", script, STATIC, pairs], capture_output=True, check=True)
    page = json.loads(done.stdout)
    duel = json.loads(preset("duel").to_json())
    assert page["duel"] == {field: duel[field] for field in fields}
    assert set(page["fields"]) == set(fields)
    assert set(page["presets"]) == set(PRESETS)
    for field, (usual, changed) in zip(fields, page["told"], strict=True):
        assert usual != changed, f"describe in rules_text.js leaves out {field}"


def test_the_server_knows_the_address_of_every_page() -> None:
    """Else a page opens by a link, but not when it is loaded again."""
    routes = re.findall(r"^  \[/\^(.+)\$/, .*import", (STATIC / "router.js").read_text(encoding="utf-8"), re.MULTILINE)
    addresses = {re.sub(r"{\w+}", "([^/]+)", path) for path in (*PAGES, *GAME_PAGES)}
    assert {route.replace("\\/", "/") for route in routes} == addresses
