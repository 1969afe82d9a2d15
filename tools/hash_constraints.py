"""Writes `constraints-hashed.txt`: the versions of `constraints.txt` with the hash of every file they can come from.

Hashes come from the package indexes that pip is set up to use, so the file names no server. With `--check`, nothing is
written: the two files must name the same versions, and pip must accept the dependencies of this package by their hashes
(one line says so if no index can be reached).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path
from urllib.parse import unquote

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PLAIN, HASHED = ROOT / "constraints.txt", ROOT / "constraints-hashed.txt"
FILE = re.compile(r"""href=["']([^"'#]*)#sha256=([0-9a-f]{64})""")


def plain_pins(text: str) -> list[str]:
    """The lines `name==version` of a constraints file without hashes."""
    return [line.strip() for line in text.splitlines() if "==" in line]


def hashed_pins(text: str) -> dict[str, list[str]]:
    """The hashes of each `name==version` in a constraints file with hashes."""
    joined = text.replace("\\\n", " ")
    lines = [line.split() for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return {words[0]: [word.removeprefix("--hash=sha256:") for word in words[1:]] for words in lines}


def problem(plain: str, hashed: str) -> str | None:
    """What is wrong with the second file, given the first; None if nothing is."""
    wanted, found = plain_pins(plain), hashed_pins(hashed)
    missing = [pin for pin in wanted if not found.get(pin)]
    extra = [pin for pin in found if pin not in wanted]
    if missing or extra:
        return f"{HASHED.name} does not match {PLAIN.name}: {', '.join(missing + extra)}; run {Path(__file__).name}"
    bad = [pin for pin, hashes in found.items() if not all(re.fullmatch("[0-9a-f]{64}", one) for one in hashes)]
    return f"{HASHED.name}: bad hashes of {', '.join(bad)}" if bad else None


def normalized(name: str) -> str:
    """The name of a package as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_of(file: str, name: str, version: str) -> bool:
    """Whether a file of an index is this version of this package, for a Python that can run ours."""
    stem = file.removesuffix(".tar.gz").removesuffix(".zip")
    if file.endswith(".whl"):
        (given, found, *_), (python, abi, _) = file.split("-"), file.split("-")[-3:]
        runs = abi == "abi3" or any(re.fullmatch(r"py3|py31\d|cp31[1-9]", one) for one in python.split("."))
        return runs and (normalized(given), found) == (normalized(name), version)
    return stem != file and normalized(stem) == normalized(f"{name}-{version}")


def indexes() -> list[str]:
    """The addresses of the indexes that pip asks, as it is set up on this machine."""
    options, _ = import_module("pip._internal.commands").create_command("download").parse_args([])
    return [options.index_url, *options.extra_index_urls]


def hashes_of(pin: str, addresses: list[str]) -> list[str]:
    """The hash of every file of this version in these indexes."""
    name, version = pin.split("==")
    found = set()
    for address in addresses:
        where = f"{address.rstrip('/')}/{normalized(name)}/"
        if where.startswith("file:"):
            where += "index.html"
        try:
            request = urllib.request.Request(where, headers={"Accept": "text/html"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                page = answer.read().decode("utf-8", "replace")
        except (urllib.error.URLError, OSError):
            continue
        links = ((unquote(place.rpartition("/")[2]), one) for place, one in FILE.findall(page))
        found |= {one for file, one in links if is_of(file, name, version)}
    return sorted(found)


def write() -> str | None:
    """Ask the indexes, and write the file; what went wrong, if anything."""
    pins, addresses = plain_pins(PLAIN.read_text()), indexes()
    with ThreadPoolExecutor(8) as threads:
        found = dict(zip(pins, threads.map(lambda pin: hashes_of(pin, addresses), pins), strict=True))
    if unknown := [pin for pin, hashes in found.items() if not hashes]:
        return f"no index has a hash of {', '.join(unknown)}"
    lines = [f"# Written by tools/{Path(__file__).name} from {PLAIN.name}."]
    for pin, hashes in found.items():
        lines.append(" \\\n    ".join([pin, *(f"--hash=sha256:{one}" for one in hashes)]))
    HASHED.write_text("\n".join(lines) + "\n")
    return None


def needed() -> set[str]:
    """The names of what this package needs, and of what that needs, as far as it is installed here."""
    waiting = [
        Requirement(line) for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    ]
    found = set()
    while waiting:
        wanted = waiting.pop()
        name = normalized(wanted.name)
        if (name, *sorted(wanted.extras)) in found:
            continue
        found.add((name, *sorted(wanted.extras)))
        for line in requires(name) or ():
            needs = Requirement(line)
            if needs.marker is None or any(needs.marker.evaluate({"extra": extra}) for extra in ("", *wanted.extras)):
                waiting.append(needs)
    return {name for name, *_ in found}


def check() -> str | None:
    """What is wrong with the file, if anything."""
    fault = problem(PLAIN.read_text(), HASHED.read_text())
    if fault is not None:
        return fault
    names, found = needed(), hashed_pins(HASHED.read_text())
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "needed.txt"
        ours = {pin: hashes for pin, hashes in found.items() if normalized(pin.partition("==")[0]) in names}
        wanted.write_text(
            "".join(f"{pin} --hash=sha256:{' --hash=sha256:'.join(hashes)}\n" for pin, hashes in ours.items())
        )
        words = ["install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:"]
        command = [sys.executable, "-m", "pip", *words, "--require-hashes", "--requirement", str(wanted)]
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if not tried.returncode:
        return None
    if "DO NOT MATCH THE HASHES" in tried.stderr or "--require-hashes" in tried.stderr:
        return tried.stderr[max(tried.stderr.find("ERROR"), 0) :].strip()
    print("No package index can be reached: the hashes are complete, but were not compared with any file.")
    return None


def main() -> None:
    """Write the file, or check it."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(f"usage: {Path(__file__).name} [--check]")
    sys.exit(check() if sys.argv[1:] else write())


if __name__ == "__main__":
    main()
