"""Reports: every kind of tournament gives pictures and a page that stand alone, whatever agents are called."""

from __future__ import annotations

import os
import random
import struct
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from liars_dice.core import BadValueError
from liars_dice.pictures.tournament_plots import SHOWN
from liars_dice.pictures.tournament_report import Saved, check_writable, write_report
from liars_dice.tournament.method_choice import Method
from liars_dice.tournament.result import (
    PairingResult,
    RoundRate,
    Standing,
    TournamentKind,
    TournamentResult,
    TournamentSettings,
)

RUN: dict[str, object] = {"workers": 2, "backend": "numba", "version": "0.5.0", "elapsed_s": 12.3456}
CLASSIC = ("optimal", "probabilistic", "detective", "conservative", "random", "maniac", "sniper", "bluffer", "crawler")
EVIL = "<script>alert(1)</script>"
PICTURES = ("heatmap", "significance", "ratings", "breakdown")


def made_up(
    agents: tuple[str, ...],
    method: Method = "exact",
    *,
    kind: TournamentKind = "round-robin",
    games: int = 200,
    faults: bool = False,
    ordered: tuple[str, ...] = (),
    rounds: bool = True,
    complete: bool = True,
) -> TournamentResult:
    """A result such as a tournament might have, with agents about as good as they come late in the list."""
    rng = random.Random(len(agents))
    skills = {agent: rng.gauss(0, 0.12) for agent in agents}
    n = len(agents)
    cells: list[list[PairingResult | None]] = [[None] * n for _ in agents]
    for i in range(n):
        for j in range(i):
            if not complete and rng.random() < 0.3:
                continue
            rate = min(0.97, max(0.03, 0.5 + skills[agents[i]] - skills[agents[j]] + rng.gauss(0, 0.03)))
            rate = 0.5 if (i + j) % 7 == 3 else rate
            cells[i][j], cells[j][i] = cell(rate, method, games), cell(1 - rate, method, games)
    means = {agent: mean(cells[i]) for i, agent in enumerate(agents)}
    order = sorted(agents, key=lambda agent: -means[agent])
    ranking = []
    for rank, agent in enumerate(order, 1):
        verdicts = [one.verdict for one in cells[agents.index(agent)] if one is not None]
        exact = method == "exact"
        rating = 1500 + 800 * skills[agent] if exact else 25 + 30 * skills[agent]
        ranking.append(
            Standing(
                agent=agent,
                rank=rank,
                rank_interval=(rank, rank) if exact else (max(1, rank - 1), min(n, rank + 2)),
                win_rate=means[agent],
                beats=verdicts.count(1),
                ties=verdicts.count(0),
                rating=rating,
                rating_interval=None if exact or not complete else (rating - 1.1, rating + 1.1),
                ci95=None if exact else (means[agent] - 0.02, means[agent] + 0.02),
                games=None if exact else games * len(verdicts),
                met=None if complete else len(verdicts),
                opening=rate_of(rng, 0.48 + skills[agent] / 3) if rounds else None,
                answering=rate_of(rng, 0.52 + skills[agent] / 4) if rounds else None,
                by_dice={d: rate_of(rng, 0.4 + d / 25 + skills[agent] / 3) for d in range(1, 6)} if rounds else {},
                faults={"too_slow": rank, "illegal": 1} if faults and rank % 5 == 0 else {},
            )
        )
    return TournamentResult(
        settings=TournamentSettings(
            kind=kind, agents=agents, rules="classic", config={"dice": 5, "wild": True, "faces": [1, 6]}, seed=7
        ),
        method=method,
        why="" if method == "exact" else "nobody has a table of what cmd:./bot does",
        ranking=tuple(ranking),
        cells=tuple(map(tuple, cells)),
        games=None if method == "exact" else games * n * (n - 1) // 2,
        rounds=1234.5,
        ordered=ordered,
        complete=complete,
        uneven=not complete,
    )


def cell(rate: float, method: Method, games: int) -> PairingResult:
    if method == "exact":
        return PairingResult(win_rate=rate, method=method, games=None, ci95=None, p_value=None)
    p_value = 0.001 if abs(rate - 0.5) > 0.05 else 0.6
    return PairingResult(win_rate=rate, method=method, games=games, ci95=(rate - 0.07, rate + 0.07), p_value=p_value)


def mean(row: list[PairingResult | None]) -> float:
    rates = [one.win_rate for one in row if one is not None]
    return sum(rates) / len(rates)


def rate_of(rng: random.Random, chance: float) -> RoundRate:
    return RoundRate(rounds=1000, won=round(1000 * (chance + rng.gauss(0, 0.02))))


GRID = tuple(f"threshold:{i / 10:.2f},{j / 10:.2f}" for i in range(9) for j in range(9))
LEAGUE = (*CLASSIC, EVIL, "cmd:python3 /a/very/long/path/to/a/bot/that/somebody/wrote.py --level 3", "learner.py")
RESULTS = {
    "exact": made_up(CLASSIC[:5]),
    "sampled": made_up(CLASSIC, "compiled"),
    "league": made_up(LEAGUE, "engine", kind="league", faults=True, ordered=("learner.py",)),
    "large": made_up(GRID),
    "incomplete": made_up(CLASSIC, "engine", complete=False),
    "two": made_up(CLASSIC[:2], rounds=False),
    "odd": made_up(("$x_1$", "骰子\n🎲", "a&b\"'", EVIL), "engine"),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of each result."""
    folder = tmp_path_factory.mktemp("reports")
    return {name: write_report(result, folder / "new" / name, RUN) for name, result in RESULTS.items()}


class Page(HTMLParser):
    """A page as a browser takes it: fails on tags that are not closed in order."""

    VOID = ("meta", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


@pytest.mark.parametrize("name", RESULTS)
def test_pictures(name: str, reports: dict[str, Path]) -> None:
    for picture in PICTURES:
        file = reports[name].with_name(f"{picture}.png")
        if picture == "breakdown" and name == "two":
            assert not file.exists(), "nobody counted rounds"
            continue
        width, height = png_size(file)
        assert 300 <= width <= 2600
        assert 100 <= height <= 2600


@pytest.mark.parametrize("name", RESULTS)
def test_pages_stand_alone_and_can_be_read_aloud(name: str, reports: dict[str, Path]) -> None:
    read = page(reports[name])
    assert read.all("html") == [{"lang": "en"}]
    assert not {"script", "link", "a", "iframe", "object"} & {tag for tag, _ in read.tags}
    assert "url(" not in reports[name].read_text(encoding="utf-8")
    assert len(read.all("img")) == (3 if name == "two" else 4)
    for image in read.all("img"):
        assert image["alt"]
        assert (image["src"] or "").startswith("data:image/png;base64,")
    headings = [tag for tag, _ in read.tags if tag in ("h1", "h2", "h3")]
    assert headings == ["h1", *["h2"] * 5]
    assert len(read.all("caption")) == len(read.all("table")) > 4
    assert all(cell["scope"] in ("row", "col") for cell in read.all("th"))


@pytest.mark.parametrize("name", RESULTS)
def test_every_agent_is_named_as_it_is(name: str, reports: dict[str, Path]) -> None:
    text = page(reports[name]).text
    for agent in RESULTS[name].agents:
        assert " ".join(agent.split()) in text


@pytest.mark.parametrize("name", RESULTS)
def test_result_reads_back(name: str, reports: dict[str, Path]) -> None:
    saved = msgspec.json.decode(reports[name].with_name("result.json").read_bytes(), type=Saved)
    assert saved == Saved(RESULTS[name], RUN)


def test_the_address_of_models_is_not_told(tmp_path: Path) -> None:
    result = RESULTS["two"]
    settings = msgspec.structs.replace(result.settings, base_url="http://inside/v1")
    write_report(msgspec.structs.replace(result, settings=settings), tmp_path, RUN)
    for file in ("index.html", "result.json"):
        assert "inside/v1" not in (tmp_path / file).read_text(encoding="utf-8")


def test_words(reports: dict[str, Path]) -> None:
    text = {name: page(path).text for name, path in reports.items()}
    assert "they were computed, not sampled from games, so there are no intervals" in text["exact"]
    assert (
        "7,200 games played by the compiled simulator. They are not exact because: nobody has a table"
        in text["sampled"]
    )
    assert "stopped early: not all agents have met yet, so win rates do not compare yet" in text["incomplete"]
    assert "confidence each, in the long run against the agents met so far" in text["incomplete"]
    assert "Intervals of win rates and ratings hold" in text["league"]
    assert "stopped early" not in text["league"]
    assert "These agents learned while they played: learner.py." in text["league"]
    assert "too slow" in text["league"]
    assert "No faults" in text["sampled"]
    assert "Rounds were not counted" in text["two"]
    assert "beats the other" in text["two"]
    assert f"Only the best {SHOWN} agents are shown" in text["large"]
    assert "elapsed (seconds) 12.3456" in text["exact"]


def test_shared_first_place(tmp_path: Path) -> None:
    first, second = RESULTS["two"].ranking
    tied = msgspec.structs.replace(second, rank=1, win_rate=first.win_rate)
    result = msgspec.structs.replace(RESULTS["two"], ranking=(first, tied))
    assert "optimal and probabilistic share first place" in page(write_report(result, tmp_path, {})).text


def test_rounds_counted_in_part(tmp_path: Path) -> None:
    ranking = [msgspec.structs.replace(one, by_dice={}) for one in RESULTS["exact"].ranking]
    ranking[0] = msgspec.structs.replace(ranking[0], opening=None, answering=RoundRate(rounds=0, won=0))
    text = page(write_report(msgspec.structs.replace(RESULTS["exact"], ranking=tuple(ranking)), tmp_path, {})).text
    assert f"{ranking[0].agent} – – – –" in text
    assert "Rounds won, by the agent's number of dice" not in text


def test_a_stopped_tournament_does_not_name_a_winner_who_may_be_another(tmp_path: Path) -> None:
    result = RESULTS["incomplete"]
    first = result.ranking[0]
    told = []
    for possible in ((1, 9), (1, 1)):
        ranking = (msgspec.structs.replace(first, rank_interval=possible), *result.ranking[1:])
        told.append(page(write_report(msgspec.structs.replace(result, ranking=ranking), tmp_path, {})).text)
    assert "The games played so far do not show who comes first." in told[0]
    assert f"{first.agent} comes first" in told[1]
    assert f"{first.met} of 8" in told[0]


def test_nobody_met(tmp_path: Path) -> None:
    """A tournament that was stopped at once."""
    nothing = ((None,) * 2,) * 2
    stopped = msgspec.structs.replace(RESULTS["two"], cells=nothing, complete=False)
    text = page(write_report(stopped, tmp_path, {})).text
    assert all(agent in text for agent in stopped.agents)


def test_verdicts() -> None:
    assert [cell(rate, "exact", 0).verdict for rate in (0.5, 0.5 + 1e-15, 0.51, 0.49)] == [0, 0, 1, -1]
    assert [cell(rate, "engine", 9).verdict for rate in (0.5, 0.52, 0.6, 0.4)] == [0, 0, 1, -1]


def test_same_input_same_bytes(reports: dict[str, Path], tmp_path: Path) -> None:
    for name in ("league", "exact"):
        again = write_report(RESULTS[name], tmp_path / name, RUN)
        for file in sorted(reports[name].parent.iterdir()):
            assert again.with_name(file.name).read_bytes() == file.read_bytes(), file.name


def test_a_new_report_replaces_an_old_one(tmp_path: Path) -> None:
    write_report(RESULTS["exact"], tmp_path, RUN)
    write_report(RESULTS["two"], tmp_path, RUN)
    assert not (tmp_path / "breakdown.png").exists()


def test_charts_in_other_formats(tmp_path: Path) -> None:
    write_report(RESULTS["two"], tmp_path, RUN, ["pdf", "svg"])
    assert (tmp_path / "heatmap.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "ratings.svg").read_bytes().startswith(b"<?xml")
    write_report(RESULTS["two"], tmp_path, RUN)
    assert {file.suffix for file in tmp_path.iterdir()} == {".png", ".json", ".html"}


def test_check_writable_leaves_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path)
    check_writable(tmp_path / "new" / "newer")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("where", ["file", "file/below", "file/far/below", "new/" + "x" * 300, "new/\0"])
def test_check_writable_complains(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadValueError, match=r"report = .*: expected a directory that can be written \(") as caught:
        check_writable(tmp_path / where)
    assert caught.value.value == str(tmp_path / where)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_check_writable_minds_what_no_one_may_write() -> None:
    with pytest.raises(BadValueError, match="a directory that can be written"):
        check_writable(Path(os.devnull) / "report")


@pytest.mark.parametrize("name", RESULTS)
def test_ratings_are_explained_on_the_scale_they_have(name: str, tmp_path: Path) -> None:
    """Elo in a round robin, played or not; bars only where there are intervals."""
    result = RESULTS[name]
    text = page(write_report(result, tmp_path, {})).text
    assert ("A lead of 400 points" in text) == (result.settings.kind == "round-robin")
    assert ("Where bars overlap" in text) == any(one.rating_interval is not None for one in result.ranking)
    assert ("on average" in text) == (result.settings.kind == "round-robin" and not result.uneven)
