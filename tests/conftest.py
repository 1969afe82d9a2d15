"""A real PostgreSQL server for the tests that need one, and a store of their own for those that record."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes into the store of whoever runs it."""
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path_factory.mktemp("store") / "games.sqlite"))


def postgres_programs() -> Path | None:
    """Where PostgreSQL's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


class PostgresServer:
    """A server in a directory of its own, reached through a socket there; root hands it to the user `postgres`."""

    def __init__(self, programs: Path, home: Path) -> None:
        self.programs = programs
        self.home = home
        self.run_as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.run_as:
            shutil.chown(home, "postgres")
        self.call("initdb", "--no-sync", "-D", str(home / "data"), "-A", "trust", "-U", "dice")
        self.start()

    def call(self, program: str, *arguments: str) -> None:
        command = [*self.run_as, str(self.programs / program), *arguments]
        with (self.home / "log").open("ab") as log:
            subprocess.run(command, check=True, cwd="/", stdout=log, stderr=log)

    def start(self) -> None:
        options = f"-k {self.home} -c listen_addresses='' -c max_connections=50 -c fsync=off"
        self.call("pg_ctl", "-w", "-D", str(self.home / "data"), "-o", options, "start")

    def stop(self) -> None:
        self.call("pg_ctl", "-m", "immediate", "-D", str(self.home / "data"), "stop")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://dice@/{database}?host={self.home}"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for the whole run of a worker."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is no runuser to start it as somebody else")
    home = Path(
        subprocess.run(["mktemp", "-d", "/tmp/pg-XXXXXX"], capture_output=True, text=True, check=True).stdout.strip()
    )
    home.chmod(0o755)
    server = PostgresServer(programs, home)
    yield server
    server.stop()
    shutil.rmtree(home)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database, gone after the test."""
    import psycopg

    name = f"test_{abs(hash(request.node.nodeid)):x}"
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    yield postgres_server.url(name)
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
