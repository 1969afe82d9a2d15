"""The page has the rules of a round once more, in JavaScript: the same bids in the same order, the same odds."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from liars_dice.core import GameConfig
from liars_dice.core.bid import BidOrdering
from liars_dice.core.config import Wild, WildBids
from liars_dice.core.odds import prob_holds
from liars_dice.core.rules import round_rules
from liars_dice.web.app import STATIC

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
