"""The environment under verifiers' own commands, with a model that is a small local server."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from liars_dice_v1 import LiarsDiceTaskset
from liars_dice_v1.taskset import LiarsDiceConfig

Json = dict[str, Any]


@contextmanager
def model(answer: Callable[[str], str]) -> Iterator[str]:
    """A server that speaks the protocol of chat completions, streamed; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            content = body["messages"][-1]["content"]
            said = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            deltas = [({"role": "assistant", "content": answer(said)}, None), ({}, "stop")]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for delta, finish in deltas:
                choice = {"index": 0, "delta": delta, "finish_reason": finish}
                self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
            self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [], 'usage': usage})}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def program(name: str, *words: str, folder: Path) -> None:
    bin_ = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "NO_PROXY": "127.0.0.1"}
    command = [str(bin_ / name), "liars-dice-v1", "--no-rich", "-o", str(folder / "out"), *words]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def traces(answer: Callable[[str], str], folder: Path, *words: str) -> list[Json]:
    """What `vf-eval` records of a few games."""
    with model(answer) as address:
        runtime = ["--env.player.runtime.type", "subprocess", "--no-push"]
        program("vf-eval", "-m", "local", "--client.base-url", address, *runtime, *words, folder=folder)
    (found,) = (folder / "out").rglob("traces.jsonl")
    episodes = [json.loads(line) for line in found.read_text().splitlines()]
    return [trace for episode in episodes for trace in episode.get("traces", [episode])]


def careful(said: str) -> str:
    """Calls every bid, and opens with a die of its own."""
    hand = re.findall(r"Your dice: (\d)", said)[-1]
    return "I call.\nliar" if "`liar`" in said else f"I have one.\nbid 1 x {hand}"


def test_verifiers_validates_the_tasks(tmp_path: Path) -> None:
    program("vf-validate", "-n", "4", "--only-gold", "--runtime.type", "subprocess", folder=tmp_path)
    (found,) = (tmp_path / "out").rglob("results.jsonl")
    assert [json.loads(line)["reason"] for line in found.read_text().splitlines()] == ["valid"] * 4


def test_games_are_played_and_rewarded(tmp_path: Path) -> None:
    played = traces(careful, tmp_path, "-n", "4")
    assert len(played) == 4
    for trace in played:
        assert trace.get("errors") in (None, []), trace["errors"]
        assert trace["rewards"]["game"]["score"] in (1, -1)
        assert -1 <= trace["rewards"]["value"]["score"] <= 0
        assert trace["metrics"]["finished"] == 1
        assert trace["metrics"]["illegal_answers"] == 0
        assert trace["metrics"]["decisions"] >= 2


def test_answers_without_a_move_lose(tmp_path: Path) -> None:
    (trace,) = traces(lambda said: "I would rather not say.", tmp_path, "-n", "1", "--env.taskset.dice", "1")
    assert trace["rewards"]["game"]["score"] == -1
    assert trace["metrics"]["illegal_answers"] >= 2


def test_seeds_and_rules() -> None:
    def prompts(**settings: Any) -> list[str]:
        taskset = LiarsDiceTaskset(LiarsDiceConfig(id="liars-dice-v1", games=5, **settings))
        return [task.data.prompt for task in taskset]

    assert prompts(seed=3) == prompts(seed=3)
    assert prompts(seed=3)[1:] == prompts(seed=4)[:-1]
    assert len(set(prompts())) == 5
    perudo = prompts(rules="perudo", players=4, opponents=["optimal", "random", "bluffer"])
    assert "4 players start with 2 dice each" in perudo[0]
    for prompt in perudo:
        assert set(re.findall(r"(\w+) rolls? ", prompt.partition("\n\n")[2])) == {"You"}
