"""The upgrade of events from schema 0, the format of an earlier design, to schema 1.

In schema 0, event types end in `Event`, a config has `dice_distribution` and `ones_wild`, and revealed dice are keyed
by player name. Events have no versions, and a game has no event for its end: it ends with its only round.
"""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]


class SchemaZeroUpgrade:
    """Upgrades the events of one file of schema 0, one by one in their order."""

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}
        self._dice: dict[str, list[int]] = {}

    def __call__(self, event: Fields) -> list[Fields]:
        """The events of schema 1 that stand for one event of schema 0."""
        kind = str(event["event_type"]).removesuffix("Event")
        game_id, payload = event["game_id"], event["payload"]
        if kind == "GameCreated":
            self._dice[game_id] = list(payload["config"].get("dice_distribution", (2, 3)))
            payload = _created(payload["config"], self._dice[game_id])
        elif kind == "RoundStarted":
            payload = {"round_index": 0, "opener": 0, "dice_counts": self._dice[game_id], "palifico": False}
        elif kind == "DiceRolled":
            info = payload.get("seed_info")
            payload = {**payload, "dice": sorted(payload["dice"]), "seed_info": None if info is None else str(info)}
        elif kind == "DiceRevealed":
            hands = payload["all_dice"]
            payload = {"dice": [sorted(hands[f"player{seat}"]) for seat in range(len(hands))]}
        elif kind == "RoundEnded":
            payload = {
                **payload,
                "winner": payload["winner_id"],
                "loser": payload["loser_id"],
                "dice_counts": self._dice[game_id],
            }
        upgraded = [self._seal(event, kind, payload)]
        if kind == "RoundEnded":
            upgraded.append(self._seal(event, "GameEnded", {"winner": payload["winner"]}))
        return upgraded

    def _seal(self, event: Fields, kind: str, payload: Fields) -> Fields:
        version = self._versions.get(event["game_id"], 0)
        self._versions[event["game_id"]] = version + 1
        sealed = {
            **event,
            "schema": 1,
            "version": version,
            "event_type": kind,
            "payload": {"event_type": kind, **payload},
        }
        return sealed | ({"round_index": -1} if kind == "GameCreated" else {})


def _created(config: Fields, dice: list[int]) -> Fields:
    faces = config.get("faces", 6)
    fields = {
        "dice": dice,
        "faces": faces if isinstance(faces, int) else len(faces),
        "wild": "ones" if config.get("ones_wild") else "none",
        "bid_ordering": config.get("bid_ordering", "quantity_then_face"),
        "max_turns": config.get("max_turns"),
        "seed": config.get("rng_seed"),
    }
    return {"config": fields, "names": [f"player{seat}" for seat in range(len(dice))], "agent_ids": [None] * len(dice)}
