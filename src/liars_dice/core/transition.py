"""The rules of play as pure functions: a state and what happens to it in, a new state out (rules 2 to 7).

Dice are passed in. `verify` raises for an illegal move and `can_apply` answers yes or no; states are immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from .actions import Action, BidAction, CallExactAction, CallLiarAction, Move, as_action, not_an_action, proposed_bid
from .bid import Bid
from .config import GameConfig
from .errors import BadValueError, DealError, IllegalMoveError, NotationError
from .round_outcome import RoundOutcome, dice_after, is_over, opener_after
from .rules import count_matches, round_rules
from .safe_text import one_line
from .state import CallKind, GameState, Hands, PublicState, RoundResolution, Status

LONGEST_NAME = 1000
"""Characters in the name of a player, which may be a file or a command."""


def new_game(
    config: GameConfig, names: Sequence[str] | None = None, agent_ids: Sequence[str | None] | None = None
) -> GameState:
    """A game before its first round."""
    if names is None and agent_ids is None:
        return _unnamed_game(config)
    seats = config.num_players
    names = _default_names(seats) if names is None else _checked_names(tuple(names), seats)
    agent_ids = (None,) * seats if agent_ids is None else tuple(agent_ids)
    if len(agent_ids) != seats:
        raise BadValueError("agent_ids", agent_ids, f"{seats}, one per seat")
    rules = round_rules(config.without_seed, config.total_dice, False)
    return GameState(PublicState(rules, names, config.dice, 0, 0, (), -1, "REVEAL", ()), (), agent_ids)


@lru_cache(maxsize=256)
def _unnamed_game(config: GameConfig) -> GameState:
    seats = config.num_players
    return new_game(config, _default_names(seats), (None,) * seats)


@cache
def _default_names(seats: int) -> tuple[str, ...]:
    return tuple(f"player-{seat}" for seat in range(seats))


def _checked_names(names: tuple[object, ...], seats: int) -> tuple[str, ...]:
    texts = tuple(name for name in names if isinstance(name, str) and name and name.isprintable())
    if len(texts) != len(names) or any(len(name) > LONGEST_NAME for name in texts):
        expected = f"printable names, each of 1 to {LONGEST_NAME} characters"
        raise BadValueError("names", one_line(names, 200), expected)
    if len(texts) != seats or len(set(texts)) != seats:
        raise BadValueError("names", names, f"{seats} different names, one per seat")
    return texts


def deal(
    state: GameState, hands: Hands, table_dice: tuple[int, ...] = (), hidden_dice: tuple[int, ...] = ()
) -> GameState:
    """Start the next round with these dice. Hands are sorted: the order in which dice fell means nothing (rule 1.3)."""
    public = state.public
    counts, faces = public.dice_counts, public.rules.faces
    if public.status != "REVEAL":
        raise DealError("a round is under way" if public.status == "BIDDING" else "the game is over")
    fitting = 0
    for hand in hands if len(hands) == len(counts) else ():
        if len(hand) != counts[fitting] or not faces.issuperset(hand):
            break
        fitting += 1
    if fitting < len(counts):
        raise DealError(f"hands = {hands}: expected {counts} dice with faces 1 to {len(faces)}")
    config = public.rules.config
    if table_dice or hidden_dice or config.table_dice or config.hidden_dice:
        _check_shared("table_dice", table_dice, config.table_dice, faces)
        _check_shared("hidden_dice", hidden_dice, config.hidden_dice, faces)
    return start_round(state, hands, table_dice, hidden_dice)


def _check_shared(name: str, dice: tuple[int, ...], n: int, faces: frozenset[int]) -> None:
    """Raise `DealError` if these dice, which belong to no player, do not fit the rules."""
    if len(dice) != n or not faces.issuperset(dice):
        raise DealError(f"{name} = {dice}: expected {n} dice with faces 1 to {len(faces)}")


def start_round(
    state: GameState,
    hands: Iterable[Sequence[int]],
    table_dice: Sequence[int] = (),
    hidden_dice: Sequence[int] = (),
) -> GameState:
    """Start the next round with dice that are known to fit the rules; `deal` checks them first."""
    public = state.public
    rules = public.rules
    opener = 0
    if public.resolutions:
        opener = next_opener(public)
        rules = round_rules(rules.config, public.total_dice, is_palifico_round(public))
    elif rules.config.palifico:
        rules = round_rules(rules.config, rules.total_dice, is_palifico_round(public))
    return GameState(
        PublicState(
            rules,
            public.names,
            public.dice_counts,
            opener,
            opener,
            (),
            -1,
            "BIDDING",
            public.resolutions,
            tuple(sorted(table_dice)) if table_dice else (),
        ),
        tuple([tuple(sorted(hand)) if len(hand) > 1 else tuple(hand) for hand in hands]),
        state.agent_ids,
        tuple(sorted(hidden_dice)) if hidden_dice else (),
    )


def legal_actions(public: PublicState) -> tuple[Action, ...]:
    """What the player to move may do: bids from the lowest up, then calls. Empty when no one is to move."""
    if public.status != "BIDDING":
        return ()
    rules = public.rules
    legal = rules._legal_after[public.rung]
    return _within_limits(public, legal) if rules.limits_raises and public.rung >= 0 else legal


def can_apply(public: PublicState, player_id: int, action: object) -> bool:
    """Whether this player may make this move now; a move may be an action, a bid, or text such as `3x4` or `liar`."""
    return player_id == public.current_player and (_rung_after(public, action) >= 0 or _says_legal(public, action))


def _says_legal(public: PublicState, move: object) -> bool:
    """Whether this is a bid or a text that stands for a legal action."""
    if type(move) is not str and type(move) is not Bid:
        return False
    try:
        return _rung_after(public, as_action(move)) >= 0
    except NotationError:
        return False


def _rung_after(public: PublicState, action: object) -> int:
    """The rung the round is on after this move (a call does not change it); -1 if the move is illegal."""
    if public.status != "BIDDING":
        return -1
    if type(action) is BidAction:
        rules = public.rules
        bid = action.bid
        if type(bid) is not Bid or type(bid.quantity) is not int or type(bid.face) is not int:
            return -1  # perhaps not our class: none of its methods is called
        rung = rules._rung_of.get(bid, -1)
        if public.rung < 0:
            return rung if rung in rules.opening_rungs else -1
        if rung <= public.rung or (rules.limits_raises and not _within_limits(public, (action,))):
            return -1
        return rung
    if type(action) is CallLiarAction or (type(action) is CallExactAction and public.rules.config.exact_call):
        return public.rung
    return -1


def verify(public: PublicState, player_id: int, action: object) -> None:
    """Raise `IllegalMoveError` if this player may not make this move now; `NotationError` if its text is unreadable."""
    if not can_apply(public, player_id, action):
        said = as_action(action) if type(action) is str or type(action) is Bid else action
        raise _refusal(public, player_id, said)


def apply(state: GameState, action: Move) -> GameState:
    """The state after the player to move makes this move. `IllegalMoveError` if the rules forbid it."""
    public = state.public
    player = public.current_player
    rung = _rung_after(public, action)
    if rung < 0:
        if type(action) is str or type(action) is Bid:
            return apply(state, as_action(action))
        raise _refusal(public, player, action)
    if type(action) is not BidAction:
        return _settle(state, "liar" if type(action) is CallLiarAction else "exact")
    rules = public.rules
    counts = public.dice_counts
    player = (player + 1) % len(counts)
    while not counts[player]:
        player = (player + 1) % len(counts)
    return GameState(
        PublicState(
            rules,
            public.names,
            counts,
            public.opener,
            player,
            public.bid_history + (rules.bids[rung],),
            rung,
            "BIDDING",
            public.resolutions,
            public.table_dice,
        ),
        state.hands,
        state.agent_ids,
        state.hidden_dice,
    )


def is_palifico_round(public: PublicState) -> bool:
    """Whether the next round is a palifico round: a player's first with one die (rule 7.1)."""
    config = public.config
    counts = public.dice_counts
    if not config.palifico or set(config.dice) == {1} or len(counts) - counts.count(0) <= 2:
        return False
    return any(n == 1 and all(len(r.dice[seat]) != 1 for r in public.resolutions) for seat, n in enumerate(counts))


def _within_limits(public: PublicState, actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Those of these raises and calls that max_turns (rule 3.7) and the palifico rules (rule 7.4) allow."""
    limit = public.config.max_turns
    if limit is not None and len(public.bid_history) >= limit:
        return tuple(a for a in actions if not isinstance(a, BidAction))
    if public.palifico and public.dice_counts[public.current_player] > 1:
        kept = public.bid_history[0].face
        return tuple(a for a in actions if not isinstance(a, BidAction) or a.bid.face == kept)
    return actions


def _refusal(public: PublicState, player_id: int, action: object) -> IllegalMoveError:
    return IllegalMoveError(
        _why_illegal(public, player_id, action),
        action=action,
        player=player_id,
        expected_player=public.current_player if public.status == "BIDDING" else None,
        current_bid=public.last_bid,
        legal=legal_actions(public),
    )


def _why_illegal(public: PublicState, player_id: int, action: object) -> str:
    """Why `can_apply` refused this move."""
    rules, last_bid = public.rules, public.last_bid
    proposed = proposed_bid(action)
    said = "" if proposed is None or _is_huge(proposed) else f"{proposed} cannot be bid: "
    if public.status != "BIDDING":
        return said + ("the game is over" if public.status == "ENDED" else "no round is under way")
    if player_id != public.current_player:
        return f"{said}it is {public.names[public.current_player]}'s turn"
    if type(action) is CallExactAction and not rules.config.exact_call:
        return "this game has no exact calls"
    if type(action) in (CallLiarAction, CallExactAction):
        return "there is no bid to call yet"
    if type(action) is not BidAction:
        return not_an_action(action)
    bid = proposed
    if bid is None:
        return "a bid is made of two whole numbers, a quantity and a face"
    if _is_huge(bid):
        return "the bid is larger than any bid of this round"
    if bid not in rules.ladder:
        return f"{bid} is not a bid of this round: {rules.ladder.describe()}"
    if last_bid is None:
        return f"{bid} may not open the round: the lowest opening bid is {rules.opening[0]}"
    if rules.rungs[bid] <= public.rung:
        return f"{bid} is not higher than {last_bid}"
    if rules.config.max_turns is not None and len(public.bid_history) >= rules.config.max_turns:
        return f"{said}{rules.config.max_turns} bids have been made: only calls are allowed now"
    kept = public.bid_history[0].face
    return f"{said}in a palifico round, a player with more than one die must bid the opened face: {kept}"


def _is_huge(bid: Bid) -> bool:
    """Whether the bid is too large to be written out."""
    return max(abs(bid.quantity), abs(bid.face)) >= 10**9


def _settle(state: GameState, call: CallKind) -> GameState:
    """Reveal, count, and decide who wins the round, who loses dice and whether the game is over (rules 4, 5, 6)."""
    public = state.public
    rules = public.rules
    bid = public.bid_history[-1]
    caller = public.current_player
    bidder = caller - 1
    while not public.dice_counts[bidder]:
        bidder -= 1
    bidder %= len(public.dice_counts)
    on_table, covered = public.table_dice, state.hidden_dice
    all_dice = (*state.hands, on_table, covered) if on_table or covered else state.hands
    count = count_matches(all_dice, bid.face, rules.wild_face)
    caller_is_right = count < bid.quantity if call == "liar" else count == bid.quantity
    winner, loser = (caller, bidder) if caller_is_right else (bidder, caller)
    resolution = RoundResolution(
        len(public.resolutions),
        public.opener,
        rules.palifico,
        public.bid_history,
        call,
        caller,
        bidder,
        count,
        winner,
        loser,
        state.hands,
        on_table,
        covered,
    )
    resolutions = public.resolutions + (resolution,)
    counts = public.dice_counts
    status: Status = "ENDED"
    if rules.config.mode != "single_round":
        counts = dice_after(rules.config, counts, _outcome_of(resolution))
        wins = sum(r.winner == winner for r in resolutions) if rules.config.mode == "best_of" else 0
        status = "ENDED" if is_over(rules.config, counts, wins) else "REVEAL"
    return GameState(
        PublicState(
            rules,
            public.names,
            counts,
            public.opener,
            caller,
            public.bid_history,
            public.rung,
            status,
            resolutions,
            on_table,
        ),
        state.hands,
        state.agent_ids,
        covered,
    )


def _outcome_of(resolution: RoundResolution) -> RoundOutcome:
    by_exact = resolution.call == "exact" and resolution.winner == resolution.caller
    return RoundOutcome(resolution.winner, resolution.loser, by_exact)


def next_opener(public: PublicState) -> int:
    """The seat that opens the next round (rule 6.5)."""
    last = public.resolutions[-1]
    return opener_after(public.config, public.dice_counts, last.opener, _outcome_of(last))
