"""Every claim of docs/earlier-designs.md that a program can check is checked; test_docs.py runs its code blocks.

In its tables, whatever is in backticks in the columns "here" and "how to see it" must be real: a command is run, an
option must belong to its command, a file must exist, rules must be accepted, a bot must be made, and anything else is
evaluated as Python, where `view`, `engine` and other plain words are objects of the game below. Where a row says "the
same", what is in backticks in its first column must be real too. And every name of the four designs is on the page.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import liars_dice
from liars_dice import agents, core, exact, learn, persistence, pictures, referee, tournament
from liars_dice.agents import make_agent
from liars_dice.cli import COMMANDS, main
from liars_dice.core import PRESETS, BidAction, ConfigError, GameConfig, GameEngine, IllegalMoveError, LiarsDiceError

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "earlier-designs.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
PACKAGES = (liars_dice, core, agents, persistence, exact, learn, referee, tournament, pictures)

NAMES = {
    "The learning design": """
        S O A T Ω R π₂ COUNT N LEGAL C H₁ H₂ D G_o Uniform τ φ D_last.Value D_last.Amount P_valid Q_θ θ Bellman δ α γ
        ε π_ε π_θ f_θ G J b W M a.Value a.Amount
    """,
    "The engine design": """
        GameConfig num_players total_dice dice_distribution faces ones_wild bid_ordering quantity_then_face
        liars_dice_standard allow_opening_bid_constraints max_turns rng_seed Die DiceCup roll private_dice Bid quantity
        face is_higher_than validate Action BidAction CallLiarAction PlayerState player_id num_dice agent_id PublicState
        round_index turn_index current_player last_bid bid_history status BIDDING REVEAL ENDED winner loser GameState
        config players public GameEngine start_new_round get_view apply_action reveal_and_resolve is_terminal step Agent
        choose_action on_game_start on_event on_game_end GameView my_dice legal_actions GameEvent game_id timestamp_utc
        event_type payload player_type Human GameCreatedEvent RoundStartedEvent DiceRolledEvent BidPlacedEvent
        LiarCalledEvent DiceRevealedEvent RoundEndedEvent InvalidActionEvent RollEvent BidEvent CallEvent RevealEvent
        EndEvent seed_info all_dice winner_id loser_id match_count was_true GameRecorder record flush events
        InMemoryRecorder JSONLinesRecorder SQLRecorder MongoRecorder GameStateSnapshot RandomAgent HumanAgent
        IllegalMoveError core/config.py core/dice.py core/bid.py core/actions.py core/state.py core/engine.py
        core/rules.py agents/base.py agents/random_agent.py agents/human_agent.py persistence/events.py
        persistence/recorder.py persistence/serializer.py test_rules.py test_engine_flow.py test_replay.py
    """,
    "The Perudo design": """
        starting_dice faces wild_ones exact_call_enabled time_limit_seconds LiarDiceEngine add_players play_game verbose
        dudo calza palifico Agent decide state_view PublicState Action kind bid challenge exact Bid players current_bid
        round_number my_dice round_bids round_resolutions PlayerPublic name dice_remaining mine RoundBidPublic
        player_name quantity face RoundResolutionPublic RoundResolution bids final_bid_quantity final_bid_face
        resolution_type resolver_name winner_name loser_name actual_count revealed_dice game_finished TimeoutException
        RandomAgent ConservativeAgent ProbabilisticAgent TestAgent1 TestAgent2 TestAgent3 TestAgent4 MyAgent Simulation
        n_players_per_table n_tables n_replications start LiarDiceTests models.py agents/ random_agent.py
        conservative_agent.py test_agent1.py prob_agent.py game_engine.py simulation.py main.py tests/test_engine.py
        LICENSE
    """,
    "The threshold design": """
        play.py game/engine.py game/types.py game/prompts_v2.py agents/base.py agents/human.py
        agents/deterministic_agent.py results/tournament_heatmap.png visualize.py test_deterministic.py stats_utils.py
        GameEngine starting_dice initialize_game num_players start_game _start_new_round get_player_view validate_action
        apply_action is_game_over state current_player Bid face_value Action ActionType BID CALL reasoning PlayerView
        own_dice opponent_dice_count current_bid total_dice GameState GamePhase RoundResult all_dice bid_history
        GameEvent Agent get_action notify_round_result MyAgent name DEFAULT_CALL_THRESHOLD DEFAULT_SAFE_RAISE_THRESHOLD
        PERSONALITIES MANIAC AGGRESSIVE PASSIVE CALLING_STATION OPTIMAL create_personality_agent binomial_prob_at_least
        wilson_ci z_test_proportions binomial_test
    """,
}
"""Every class, function, option, field, event and file of each design."""


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class Row(NamedTuple):
    """A row of a table: what a design has, and where it is now."""

    section: str
    there: str
    here: str

    @property
    def claims(self) -> list[str]:
        """What is in backticks and must be real."""
        shown = (self.there + self.here) if self.here.startswith("the same") else self.here
        return re.findall(r"`([^`]+)`", shown)


def rows() -> list[Row]:
    found = []
    for section, text in sections().items():
        lines = [line for line in text.splitlines() if line.startswith("|")]
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if section == "What differs":
                cells = cells[1:3]
            if not set(line) <= set("|- ") and cells[0] not in ("there", "of a resolution there"):
                found.append(Row(section, cells[0], " | ".join(cells[1:])))
    return found


ROWS = rows()


@pytest.mark.parametrize("design", NAMES)
def test_every_name_of_the_designs_is_on_the_page(design: str) -> None:
    differences = [line for line in sections()["What differs"].splitlines() if design.split()[1] in line.split("|")[:2]]
    text = "\n".join([sections()[design], *differences])
    missing = [name for name in NAMES[design].split() if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    assert not missing


def test_commands_run_and_what_the_tables_name_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(ROWS) > 100
    for row in ROWS:
        for claim in row.claims:
            if claim.startswith("liars-dice "):
                run(claim)
    wrong = [f"{row.there}: {claim}" for row in ROWS for claim in row.claims if not is_real(claim, row)]
    assert not wrong


def run(command: str) -> None:
    result = CliRunner().invoke(main, shlex.split(command)[1:], input="quit\n")
    assert result.exit_code == 0, (command, result.output)


def is_real(claim: str, row: Row) -> bool:
    first, _, rest = claim.partition(" ")
    if first == "liars-dice":
        return True  # it has been run
    if first == "make":
        return re.search(rf"^{rest}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
    if first in COMMANDS and rest.startswith("--"):
        command = main.get_command(None, first)  # type: ignore[arg-type]
        return command is not None and any(rest.split()[0] in option.opts for option in command.params)
    if re.fullmatch(r"[\w./-]+/|[\w./-]+\.(py|png|npz|csv)|LICENSE", claim):
        return any((place / claim).exists() for place in (ROOT / "src" / "liars_dice", ROOT, Path()))
    return claim in PRESETS or is_rule(claim) or is_bot(claim) or is_python(claim, row)


def is_rule(claim: str) -> bool:
    """Whether this is a field of the rules, or one with a value that some named rules accept."""
    if claim in GameConfig.__struct_fields__:
        return True
    try:
        fields = tomllib.loads(claim)
    except tomllib.TOMLDecodeError:
        return False
    for name in PRESETS:
        try:
            liars_dice.preset(name, **fields)
        except ConfigError:
            continue
        return True
    return False


def is_bot(claim: str) -> bool:
    try:
        make_agent(claim)
    except LiarsDiceError:
        return False
    return True


def is_python(claim: str, row: Row) -> bool:
    """Whether this can be evaluated: with our public names, the modules that the row names, and a game."""
    named = re.findall(r"`(\w+(?:/\w+)*)\.py`", row.here)
    modules = [importlib.import_module(f"liars_dice.{path.replace('/', '.')}") for path in named if in_package(path)]
    names = {name: value for module in modules for name, value in vars(module).items()}
    try:
        eval(claim, public_names() | things() | names)
    except (NameError, AttributeError, SyntaxError, TypeError):
        return False
    return True


def in_package(path: str) -> bool:
    return (ROOT / "src" / "liars_dice" / f"{path}.py").exists()


@cache
def public_names() -> dict[str, Any]:
    names = {name: getattr(package, name) for package in PACKAGES for name in package.__all__}
    rooms = {
        room.name: importlib.import_module(f"liars_dice.{room.name}")
        for room in pkgutil.iter_modules(liars_dice.__path__)
        if room.ispkg
    }
    return rooms | names


@cache
def things() -> dict[str, Any]:
    """A game with three players: a finished round, and another under way."""
    config = liars_dice.preset("perudo", players=3)
    engine = GameEngine(config, names=["Ann", "Bob", "Carol"], seed=1)
    store = persistence.InMemoryRecorder()
    game_id = persistence.record_game(engine, store)
    engine.start_new_round()
    engine.move("2x4")
    engine.move("liar")
    engine.start_new_round()
    engine.move("2x4")
    with pytest.raises(IllegalMoveError) as refused:
        engine.apply_action(0, BidAction(core.Bid(1, 6)))
    seat = engine.state.public.current_player
    view = engine.get_view(seat)
    return {
        "config": config,
        "engine": engine,
        "state": engine.state,
        "public": engine.state.public,
        "view": view,
        "player": view.players[0],
        "round_bid": view.round_bids[0],
        "resolution": view.resolutions[0],
        "result": liars_dice.play_game(["random", "optimal"], seed=1),
        "recorder": store,
        "event": store.events(game_id)[0],
        "game_id": game_id,
        "error": refused.value,
        "bid": core.Bid(2, 4),
        "other": core.Bid(1, 4),
        "rng": random.Random(1),
        "seat": seat,
        "listener": print,
        "interface": lambda view: "liar",
        "simulation": tournament.Simulation(2, 1, 1, agents=["random", "optimal"], seed=1),
    }


def test_rule_numbers_exist() -> None:
    number = r"\d+(?:\.\d+)?"
    cited = re.findall(rf"\brules? \[?({number}(?:\]\(rules\.md\))?(?:(?:, | and | to ){number})*)", PAGE)
    assert len(cited) > 15
    for one in re.findall(number, " ".join(cited)):
        assert f"**{one}**" in RULES or f"\n## {one}. " in RULES, f"there is no rule {one}"


def test_links_to_headings_lead_to_them() -> None:
    for page, heading in re.findall(r"\]\(([\w-]+\.md)\), \"([^\"]+)\"", PAGE):
        assert f"# {heading}\n" in (ROOT / "docs" / page).read_text(encoding="utf-8"), (page, heading)
    slugs = {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    for anchor in re.findall(r"\]\(#([\w-]+)\)", PAGE):
        assert anchor in slugs


def test_the_differences_are_as_described() -> None:
    """What "What differs" says in words."""
    engine = GameEngine("perudo", names=["Ann", "Bob", "Carol"], seed=1)
    engine.start_new_round()
    public = engine.state.public
    assert GameConfig().max_turns is None
    assert all(list(hand) == sorted(hand) and isinstance(hand, tuple) for hand in engine.state.hands)
    assert engine.get_view(0).legal_actions
    assert engine.get_view(1).legal_actions == ()
    assert engine.get_view(0).other_dice == 10
    assert engine.apply_action(0, BidAction(core.Bid(2, 4))) is None  # type: ignore[func-returns-value]
    with pytest.raises(IllegalMoveError, match="Bob's turn"):
        engine.reveal_and_resolve(2)
    engine.reveal_and_resolve(1)
    public = engine.state.public
    assert (public.winner, public.loser, public.status) == (None, None, "REVEAL")
    assert {public.resolutions[-1].winner, public.resolutions[-1].loser} == {0, 1}
    assert persistence.player_type(make_agent("maniac")) == "maniac"
    assert persistence.player_type(make_agent("random")) == "RandomAgent"


def test_a_seat_is_shown_only_dice_that_were_revealed() -> None:
    """As `replay --seat` does: dice of finished rounds are public (rule 9.1), those of the last round are not."""
    store, game_id = things()["recorder"], things()["game_id"]
    seen = [
        (event.round_index, event.payload.player_id)
        for event in persistence.visible_events(store.events(game_id), 0)
        if isinstance(event.payload, core.DiceRolled)
    ]
    assert seen == [(0, 0), (0, 1), (0, 2), (1, 0)]
