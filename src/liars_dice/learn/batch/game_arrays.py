"""The arrays that batched games consist of: the rules, the games, and what a step did.

Arrays are numpy's or PyTorch's; both backends read and write the same numbers. In shapes, N is the number of games, r a
rule set, c a kind of round (rule set, palifico or not, dice in play) and a limit what may be bid (`limit` of
`RuleArrays.allowed`).
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple, Protocol

Array = Any
"""A numpy array or a PyTorch tensor."""

SINGLE_ROUND, ELIMINATION, BEST_OF = range(3)
"""How a game ends (`GameConfig.mode`)."""
LOSER, WINNER, ALTERNATE = range(3)
"""Who opens the next round (`GameConfig.next_opener`)."""
ANY_RAISE = 0
"""The limit if only the ladder limits bids. Limits from 1 to the number of faces: this face must be kept (rule 7.4)."""
SEATS, MODE, WINS_NEEDED, NEXT_OPENER, DICE_CAP, EXACT_CALL, EXACT_IS_FREE = range(7)
PALIFICO_RULE, MAX_TURNS, WILD_FACE, TABLE_DICE, HIDDEN_DICE, HIGHEST = range(7, 13)
"""The columns of `RuleArrays.facts`, most of them fields of `GameConfig`.

Rules that are on or off are 1 or 0; palifico is off if all seats start with one die (rule 7.1). Without a maximum of
turns it is a number that no round reaches, without a wild face 0. The highest is the highest quantity on any ladder.
"""


class RuleArrays(NamedTuple):
    """Rule sets as arrays: `rule_arrays.compile_rules` makes them."""

    facts: Array
    """[r, fact] int64: what can be said in a number."""
    start_dice: Array
    """[r, seat] int16: how many dice each seat starts with; 0 for a seat that the game does not have."""
    ladder_size: Array
    """[c] int64: the number of rungs. c is `(2 * r + palifico) * totals + dice in play`."""
    quantity: Array
    """[c, rung] int16: the quantity of each bid."""
    face: Array
    """[c, rung] int8: the face of each bid."""
    allowed: Array
    """[c, limit, rung] bool: the bids that a limit allows. After the faces to keep come two more limits: calls only
    (rule 3.7), and a round's first bid (rule 3.6)."""
    before: Array
    """[c, limit, rung] int16: how many of the allowed bids are on lower rungs; the last column counts all."""
    nth: Array
    """[c, limit, n] int16: the allowed bids, from the lowest up."""
    hand_of_roll: Array
    """[dice, roll, face - 1] int8: the hand that the first dice of a roll make."""
    rolled_before: Array
    """[n] int64: how many dice of a hand the rolls before the n-th cover. Few dice take one roll."""

    @property
    def faces(self) -> int:
        """The number of faces of a die."""
        return int(self.hand_of_roll.shape[2])

    @property
    def totals(self) -> int:
        """How many numbers of dice in play are told apart: from 0 to the most."""
        return int(self.ladder_size.shape[0]) // (2 * int(self.facts.shape[0]))

    @property
    def liar(self) -> int:
        """The number of the action "liar": after the last rung of the longest ladder."""
        return int(self.face.shape[1])

    @property
    def calls_only(self) -> int:
        """The limit that allows no bid."""
        return self.faces + 1

    @property
    def opening(self) -> int:
        """The limit of a round's first bid."""
        return self.faces + 2


class GameArrays(NamedTuple):
    """N games. A seat that has no dice is out of the game, or was never in it."""

    rules: Array
    """[N] int64: the rule set."""
    game: Array
    """[N] int64: the number of the game, which together with the seed decides all its dice."""
    key: Array
    """[N] int64: the game's random stream."""
    round: Array
    """[N] int64: rounds before this one."""
    decisions: Array
    """[N] int64: actions in the game so far."""
    kind: Array
    """[N] int64: the kind of the round, for `RuleArrays`."""
    palifico: Array
    """[N] int64: 1 in a palifico round, else 0."""
    opener: Array
    """[N] int64: the seat that opened the round."""
    turn: Array
    """[N] int64: the seat to move."""
    bidder: Array
    """[N] int64: the seat that made the current bid, -1 before the first."""
    rung: Array
    """[N] int64: the rung of the current bid, -1 before the first."""
    turns: Array
    """[N] int64: bids in this round."""
    opened_face: Array
    """[N] int64: the face of the round's first bid, 0 before it."""
    dice: Array
    """[N, seat] int16: how many dice each seat has."""
    had_one: Array
    """[N, seat] int16: 1 if the seat had exactly one die in an earlier round (rule 7.1), else 0."""
    wins: Array
    """[N, seat] int16: the rounds that each seat has won; not counted in elimination games."""
    hands: Array
    """[N, seat or shared, face - 1] int8: how many dice of each face each seat holds; then those on the table."""
    bids: Array
    """[N, rung] bool: the rungs that were bid in this round."""


class Step(NamedTuple):
    """What a step did in each game. Games that ended have been followed by new ones."""

    rewards: Array
    """[N, seat] float32: where a game ended, 1 for the winner and -1 / (players - 1) for each other; else 0."""
    game_ended: Array
    """[N] bool: whether the action ended the game."""
    round_ended: Array
    """[N] bool: whether the action was a call."""
    winner: Array
    """[N] int64: the seat that won the round, -1 where none ended; where a game ended, the seat that won it."""
    loser: Array
    """[N] int64: the seat that lost the round, -1 where none ended."""


class BotArrays(NamedTuple):
    """The tables of memoryless bots for one rule set: `table_bots.bot_arrays` makes them."""

    start: Array
    """[bot, own dice, other dice, kind of situation] int64: where a table begins in `cells`."""
    cells: Array
    """[place] int: an action, or, below zero, a distribution; a table has a row per hand and a column per rung."""
    mix_range: Array
    """[mix, 2] int64: where a distribution's entries begin in `mixes`, and how many it has."""
    mixes: Array
    """[entry, 3] float64: an action, how likely it is kept if it is drawn, and the action that is taken instead."""
    hand_number: Array
    """[code] int32: the number of a hand; its code is the sum of `power` over its dice."""
    power: Array
    """[face - 1] int64."""


def observation_parts(seats: int, faces: int, longest: int, *, table: bool = False, rules: int = 1) -> dict[str, slice]:
    """The position of each part in an observation, as `envs.encoding` describes it.

    `longest` is the length of the longest ladder; `rules` is the number of rule sets to tell apart.
    """
    sizes = {
        "hand": faces,
        "dice": seats,
        "score": seats,
        "no_bid": 1,
        "quantity": 1,
        "face": faces,
        "rung": 1,
        "bids": longest,
        "last_bidder": seats,
        "palifico": 1,
        "wild": faces,
        "table": faces if table else 0,
        "rules": rules if rules > 1 else 0,
    }
    ends = accumulate(sizes.values())
    parts = {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}
    return {name: part for name, part in parts.items() if sizes[name]}


class BatchBackend(Protocol):
    """What plays a batch of games: `numba_games.NumbaGames` or `torch_games.TorchGames`."""

    state: GameArrays

    def reset(self, seed: int) -> None:
        """Begin the first games of a seed."""

    def as_numbers(self, numbers: object) -> Array:
        """Numbers of any library as this backend's array. Raises an error of that library if they are none."""

    def first_illegal(self, actions: Array) -> int:
        """The first game whose action is not legal; -1 if there is none."""

    def step(self, actions: Array) -> Step:
        """Play one legal action in each game."""

    def random_actions(self) -> Array:
        """A legal action for each game."""

    def action_masks(self, actions: int) -> Array:
        """[N, action]: what the player to move may do, of the first `actions` actions."""

    def observations(self, players: Array | None = None) -> Array:
        """[N, part]: what the player to move, or another, sees."""

    def as_bot(self, bot: BotArrays) -> BotArrays:
        """A bot's tables as this backend's arrays."""

    def bot_actions(self, rule: int, bot: BotArrays, unknown: int, actions: Array | None) -> tuple[Array, Array]:
        """These actions, with the bot's in all games of a rule set; and, in numpy, the places of lacking cells."""
