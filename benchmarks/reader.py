"""What `reader` takes from players it can read, what it risks, and what it costs.

- single rounds without wilds, two and three dice each, 200 in a row: of the gap between what `nash` earns and what a
  perfect adversary who knows the opponent earns, the share that `reader` takes, from each rule bot and from twenty
  players that are in no library;
- what it loses to `nash`, and to an insider who knows what it is going to do;
- Perudo at six seats, 20 games in a row with the same five: how often it wins, and how often `champion` does.

`--matches N` plays N matches against each opponent (default: 4); `--only rounds|risk|perudo|strength` measures one
part.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from figures import figure
from liars_dice.agents import (
    AGENTS,
    Agent,
    BlufferAgent,
    ConservativeAgent,
    CrawlerAgent,
    Policy,
    PolicyAgent,
    ThresholdAgent,
    ask,
    make_agent,
)
from liars_dice.core import Action, GameConfig, GameEngine, GameView, PublicState, preset, round_rules
from liars_dice.exact.response import best_response
from liars_dice.exact.tables import PolicyTable, Situation, action_number, hand_set, showdowns
from liars_dice.opponents.reader import DEFAULT_RISK, ReaderAgent
from liars_dice.opponents.reader_styles import RULE_BOTS, add_table
from liars_dice.opponents.safe_response import RoundAnswer

ROUNDS = 200
Floats = NDArray[np.float64]


class Mixture(PolicyAgent):
    """Draws every decision from one of several bots."""

    memoryless = True

    def __init__(self, name: str, parts: Sequence[tuple[float, Agent]]) -> None:
        super().__init__(name)
        self.parts = parts

    def policy(self, view: GameView) -> Policy:
        """The mixed policy."""
        mixed: dict[object, float] = {}
        for share, agent in self.parts:
            for action, chance in ask(agent, view).items():
                mixed[action] = mixed.get(action, 0.0) + share * chance
        return mixed  # type: ignore[return-value]


class Opponent(NamedTuple):
    """Who sits there in each round of a match."""

    name: str
    first: tuple[tuple[float, Agent], ...]
    """The bots of which one is drawn for every round, with their shares."""
    second: tuple[tuple[float, Agent], ...]
    """The same for the second half of the match."""

    def agents(self, rounds: int, seed: int) -> Iterator[Agent]:
        """The bot of each round."""
        rng = random.Random(f"{self.name} {seed}")
        for number in range(rounds):
            parts = self.first if 2 * number < rounds else self.second
            yield rng.choices([agent for _, agent in parts], [share for share, _ in parts])[0]


def known() -> list[Opponent]:
    """The rule bots."""
    return [alone(name, make_agent(name)) for name in RULE_BOTS]


def alone(name: str, agent: Agent) -> Opponent:
    """An opponent who is the same bot in every round."""
    return Opponent(name, ((1.0, agent),), ((1.0, agent),))


def held_out(seed: int = 23) -> list[Opponent]:
    """Twenty players that are in no library: random thresholds, mixtures of styles, and players who change."""
    rng = random.Random(seed)

    def odds() -> float:
        return rng.uniform(0.05, 0.6)

    def thresholds(n: int) -> Agent:
        """Random thresholds, and now and then a slip: without, some would play two dice like a registered bot."""
        slips = rng.uniform(0.05, 0.2)
        parts = ((1 - slips, ThresholdAgent(odds(), odds())), (slips, make_agent("random")))
        return Mixture(f"thresholds {n}", parts)

    found = [alone(f"thresholds {n}", thresholds(n)) for n in range(1, 5)]
    crawler, conservative = CrawlerAgent(), ConservativeAgent()
    crawler.calls_below, conservative.doubts_below = odds(), odds()
    found += [alone("a crawler", crawler), alone("a conservative", conservative)]
    for n in range(1, 3):
        bluffer = BlufferAgent()
        bluffer.bluffs, bluffer.calls_below = odds(), odds()
        found.append(alone(f"a bluffer {n}", bluffer))
    tables = [name for name in RULE_BOTS if name != "detective"]
    for n in range(1, 7):
        names = rng.sample(tables, 2 + n % 2)
        shares = np.array([rng.uniform(0.2, 1) for _ in names])
        parts = tuple(zip((shares / shares.sum()).tolist(), map(make_agent, names), strict=True))
        if n <= 3:
            found.append(alone(f"mixture {n}", Mixture(f"mixture {n}", parts)))
        else:
            found.append(Opponent(f"by the round {n - 3}", parts, parts))
    for n in range(1, 7):
        before, after = map(make_agent, rng.sample(tables, 2))
        first, second = (thresholds(n), after) if n % 2 else (before, after if n % 3 else thresholds(n))
        found.append(Opponent(f"changes {n}", ((1.0, first),), ((1.0, second),)))
    return found


# -- single rounds -----------------------------------------------------------------------------------------------------


def rounds_of(player: Agent, opponent: Opponent, config: GameConfig, seed: int) -> Floats:
    """[round]: what the player earns in a match, +1 for a win and -1 for a loss. The opener changes every round."""
    earned = np.zeros(ROUNDS)
    for number, other in enumerate(opponent.agents(ROUNDS, seed)):
        seat = number % 2
        seats = (player, other) if seat == 0 else (other, player)
        names = ("player", "opponent") if seat == 0 else ("opponent", "player")
        game = GameEngine(config, seats, names=names, seed=1_000_003 * seed + number)
        earned[number] = 1 if game.play().winner == seat else -1
    return earned


def perfect(parts: Sequence[tuple[float, Agent]], config: GameConfig) -> float:
    """What a perfect adversary who knows the bots and their shares earns, the mean of both seats.

    Exact for one bot that does not mix. For the others it is a search that ends a bidding by a call once it is less
    likely than one in ten thousand, or after four bids of the adversary.
    """
    if len(parts) == 1 and not isinstance(parts[0][1], Mixture):
        first, second = best_response(parts[0][1], config)
        return (first + second) / 2
    own = config.dice[0]
    rules = round_rules(config.without_seed, config.total_dice, False)
    hands, size = len(hand_set(own, config.faces)), len(rules.bids)
    table = np.zeros((size + 1, size + 2, len(parts) * hands))
    for n, (_, agent) in enumerate(parts):
        add_table(table[:, :, n * hands : (n + 1) * hands], PolicyTable(agent, Situation(rules, own)).complete())
    answer = RoundAnswer(rules, own, table, shares=[share for share, _ in parts], least_mass=1e-4, rare=0.0)
    return (answer.value(opens=True) + answer.value(opens=False)) / 2


class Share(NamedTuple):
    """What was taken of a gap."""

    name: str
    nash: Floats
    reader: Floats
    perfect: Floats

    def taken(self, first: int = 0) -> float:
        """The share of the gap, from this round on."""
        nash, reader, perfect = (one[first:].mean() for one in self[1:])
        return float((reader - nash) / (perfect - nash))


def share(opponent: Opponent, config: GameConfig, matches: int) -> Share:
    """Play the matches, with `nash` in the same seats on the same dice beside them."""
    halves = [perfect(half, config) for half in opponent[1:]]
    nash = np.mean([rounds_of(make_agent("nash"), opponent, config, seed) for seed in range(3 * matches)], axis=0)
    reader = np.mean([rounds_of(ReaderAgent(), opponent, config, seed) for seed in range(matches)], axis=0)
    return Share(opponent.name, nash, reader, np.repeat(halves, ROUNDS // 2))


def measure_rounds(matches: int, dice: Sequence[int]) -> None:
    """The shares of all opponents."""
    for n in dice:
        config = preset("classic", dice=n)
        for kind, opponents, over, late in (("rule bots", known(), 50, 75), ("held-out", held_out(), 100 / 3, 50)):
            shares = []
            for opponent in opponents:
                one = share(opponent, config, matches)
                shares.append(one)
                print(
                    f"  {n} v {n} {one.name:16} nash {one.nash.mean():+.3f}  reader {one.reader.mean():+.3f}  perfect "
                    f"{one.perfect.mean():+.3f}  taken {one.taken():.0%}, of the last hundred {one.taken(100):.0%}",
                    flush=True,
                )
            for label, first, least in (("over the match", 0, over), ("in the last hundred", 100, late)):
                taken = [100 * one.taken(first) for one in shares]
                what = f"{n} v {n}, {kind}: share of the gap {label}"
                figure(f"{what}, mean", float(np.mean(taken)), "%", least=least)
                figure(f"{what}, lowest", min(taken), "%", least=least)


# -- what it risks -----------------------------------------------------------------------------------------------------


class Insider(Agent):
    """Knows all that `reader` knows and does. While `reader` keeps to its start policy, it baits it; once `reader`
    reads it, it gives the best answer to that, as far as `depth` of its own bids ahead.
    """

    def __init__(self, reader: ReaderAgent, bait: Agent, depth: int) -> None:
        super().__init__("insider")
        self.reader, self.bait, self.depth = reader, bait, depth

    def choose_action(self, view: GameView) -> Action:
        """The bait's move, or the best answer."""
        public, theirs = view.public, hand_set(view.other_dice, view.faces)
        if not self.reader.will_read(public):
            return ask_one(self.bait, view, self.rng)
        belief = theirs.weights.copy()
        root = msgspec.structs.replace(public, bid_history=(), rung=-1, current_player=public.opener)
        for bidder, bid in zip(public.bidders, public.bid_history, strict=True):
            rung = public.rules.rungs[bid]
            if bidder != view.player_id:
                belief = self.parts(root, belief).get(rung, belief)
            root = after(root, rung)
        return view.public.rules.moves[self.best(public, view.my_dice, belief, self.depth)[1]]

    def parts(self, public: PublicState, belief: Floats) -> dict[int, Floats]:
        """What `reader` does here, and with which hands."""
        seat = public.current_player
        found: dict[int, Floats] = {}
        hands = hand_set(public.dice_counts[seat], public.config.faces)
        for place in np.flatnonzero(belief).tolist():
            for action, chance in self.reader.policy(GameView(seat, hands.hands[place], public)).items():
                part = found.setdefault(action_number(action, public.rules), np.zeros(len(belief)))
                part[place] += belief[place] * chance
        return found

    def best(self, public: PublicState, hand: tuple[int, ...], belief: Floats, depth: int) -> tuple[float, int]:
        """The best action, and its chance to win times that of the belief."""
        rules, size = public.rules, len(public.rules.bids)
        theirs = hand_set(public.total_dice - len(hand), public.config.faces)
        own = hand_set(len(hand), public.config.faces)
        true = showdowns(rules, own, theirs)[0][:, :, own.index[hand]]
        found = (float(belief @ (1 - true[public.rung])), size) if public.rung >= 0 else (-1.0, size)
        if depth == 0 or belief.sum() < 1e-3:
            return found
        for rung in range(public.rung + 1, size):
            raised, worth = after(public, rung), 0.0
            for action, part in self.parts(raised, belief).items():
                calls = action >= size
                worth += part @ true[rung] if calls else self.best(after(raised, action), hand, part, depth - 1)[0]
            found = max(found, (worth, rung), key=lambda one: one[0])
        return found


def ask_one(agent: Agent, view: GameView, rng: random.Random) -> Action:
    """What an agent does, drawn from its policy."""
    policy = ask(agent, view)
    return rng.choices(list(policy), list(policy.values()))[0]


def after(public: PublicState, rung: int) -> PublicState:
    """What everyone knows after the player to move, one of two, has raised to this rung."""
    return msgspec.structs.replace(
        public,
        bid_history=(*public.bid_history, public.rules.bids[rung]),
        rung=rung,
        current_player=1 - public.current_player,
    )


def measure_risk(matches: int) -> None:
    """What `nash` and insiders win from `reader`, over what `nash` gives anybody."""
    for n in (2, 3):
        config, nash = preset("classic", dice=n), alone("nash", make_agent("nash"))
        lost, counted = np.array([_against_nash(nash, config, seed) for seed in range(10 * matches)]).T
        error = 1.96 * lost.std() / len(lost) ** 0.5
        print(
            f"  {n} v {n} against nash: loses {lost.mean():+.4f} ± {error:.4f} a round in {len(lost)} matches; counted "
            f"where it reads alone, since elsewhere both play nash: {counted.mean():+.4f}"
        )
        figure(f"{n} v {n}: lost to nash per round, where it reads", counted.mean(), most=0.02)
    for n, depth, played in ((1, 3, 10 * matches), (2, 1, matches)):
        config = preset("classic", dice=n)
        best = -np.inf
        for bait in ("nash", "probabilistic", "conservative", "bluffer", "maniac"):
            taken, won = np.array([_against_insider(config, bait, depth, seed) for seed in range(played)]).T
            error = 1.96 * won.std() / played**0.5
            print(
                f"  {n} v {n} insider with {bait} as bait: takes {taken.mean():+.2f} games, at most {taken.max():.2f}, "
                f"where it is read; {won.mean():+.1f} ± {error:.1f} games over even in all {ROUNDS}"
            )
            best = max(best, float(taken.mean()))
        figure(f"{n} v {n}: games that the best insider takes where it is read", best, most=DEFAULT_RISK)


def _against_nash(nash: Opponent, config: GameConfig, seed: int) -> tuple[float, float]:
    """What `reader` loses to `nash` per round of a match, and the part of it that left its bank."""
    reader = ReaderAgent()
    lost = -rounds_of(reader, nash, config, seed).mean()
    (bank,) = reader.banks.values()
    return lost, 2 * (bank.risk - bank.balance) / ROUNDS


def _against_insider(config: GameConfig, bait: str, depth: int, seed: int) -> tuple[float, float]:
    """What an insider takes from the bank of `reader` in a match, and what it wins over even in all, in games."""
    reader = ReaderAgent()
    earned = rounds_of(reader, alone("insider", Insider(reader, make_agent(bait), depth)), config, seed)
    (bank,) = reader.banks.values()
    return bank.risk - bank.balance, -earned.sum() / 2


# -- Perudo ------------------------------------------------------------------------------------------------------------


def six_seats(name: str, five: Sequence[str], seed: int, games: int = 20) -> list[bool]:
    """Which of some games in a row a bot wins among these five."""
    config, player, wins = preset("perudo", players=6), make_agent(name), []
    for game in range(games):
        seat = game % 6
        agents = [make_agent(other) for other in five]
        names = [f"player {n}" for n in range(5)]
        agents.insert(seat, player)
        names.insert(seat, "me")
        wins.append(GameEngine(config, agents, names=names, seed=1000 * seed + game).play().winner == seat)
    return wins


def measure_perudo(tables: int) -> None:
    """Wins at tables of six, `reader` and `champion` in the same seats on the same dice among the same five."""
    won: dict[str, list[list[bool]]] = {"reader": [], "champion": []}
    for number in range(tables):
        five = random.Random(number).sample(RULE_BOTS, 5)
        for name, of_all in won.items():
            of_all.append(six_seats(name, five, number))
        print(
            f"  {', '.join(five)}: reader won {sum(won['reader'][-1])}, champion {sum(won['champion'][-1])}", flush=True
        )
    reader, champion = (np.array(of_all, dtype=float).mean(axis=1) for of_all in won.values())
    more = float((reader - champion).mean())
    error = 1.96 * float((reader - champion).std(ddof=1)) / tables**0.5
    print(f"  {20 * tables} games each: reader {reader.mean():.1%}, champion {champion.mean():.1%}")
    print(f"  difference {more:+.1%} ± {error:.1%}, tables taken as independent")
    figure("six seats: reader's win rate less champion's, lower end of 95%", 100 * (more - error), "points", least=0)


def measure_strength(tables: int = 10) -> None:
    """Wins at tables of six with five of all registered bots: what `STRENGTH` says of `reader`."""
    others = [name for name in AGENTS if name != "reader"]
    drawn = [random.Random(f"strength {number}").sample(others, 5) for number in range(tables)]
    for name in ("reader", "champion"):
        wins = [win for number, five in enumerate(drawn) for win in six_seats(name, five, 500 + number)]
        print(f"  with five of all bots, {len(wins)} games: {name} wins {np.mean(wins):.1%}", flush=True)


def measure_speed() -> None:
    """Processor time per round, once the opponent is known."""
    bluffer = alone("bluffer", make_agent("bluffer"))
    for n in (2, 3):
        config, reader = preset("classic", dice=n), ReaderAgent()
        rounds_of(reader, bluffer, config, 1)
        started = time.process_time()
        rounds_of(reader, bluffer, config, 2)
        print(f"  {n} v {n}: {1000 * (time.process_time() - started) / ROUNDS:.1f} ms a round, everything included")


def measure_reader(matches: int = 4, dice: Sequence[int] = (2, 3), only: str | None = None) -> None:
    """Measure all, or one part."""
    print(f"reader with its default risk: {DEFAULT_RISK:g} games in a match of any length")
    if only in (None, "rounds"):
        measure_rounds(matches, dice)
        measure_speed()
    if only in (None, "risk"):
        measure_risk(matches)
    if only in (None, "perudo"):
        measure_perudo(3 * matches)
    if only in (None, "strength"):
        measure_strength()


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--dice", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--only", choices=("rounds", "risk", "perudo", "strength"))
    given = parser.parse_args()
    measure_reader(given.matches, given.dice, given.only)


if __name__ == "__main__":
    main()
