"""A real PostgreSQL server in a directory of its own, for tests and benchmarks."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from patience import PATIENCE


def postgres_programs() -> Path | None:
    """Where PostgreSQL's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def why_not() -> str | None:
    """Why no server can be started here, if none can."""
    if postgres_programs() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL refuses to run as root, and there is no runuser to start it as somebody else"
    return None


class PostgresServer:
    """Reached through a socket in its directory. Root hands it to the user `postgres`: it refuses to run as root."""

    def __init__(self, *settings: str) -> None:
        programs = postgres_programs()
        assert programs is not None
        self.programs = programs
        self.home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self.home.chmod(0o755)
        self.run_as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.run_as:
            shutil.chown(self.home, "postgres")
        self._call("initdb", "--no-sync", "-D", str(self.home / "data"), "-A", "trust", "-U", "dice")
        options = ["-k", str(self.home), "-c", "listen_addresses=", "-c", "max_connections=50"]
        options += [word for setting in settings for word in ("-c", setting)]
        self._call(
            "pg_ctl", "-w", "-t", f"{PATIENCE:g}", "-D", str(self.home / "data"), "-o", " ".join(options), "start"
        )

    def _call(self, program: str, *arguments: str) -> None:
        command = [*self.run_as, str(self.programs / program), *arguments]
        with (self.home / "log").open("ab") as log:
            subprocess.run(command, check=True, cwd="/", stdout=log, stderr=log)

    def url(self, database: str = "postgres") -> str:
        """How to reach one of its databases."""
        return f"postgresql://dice@/{database}?host={self.home}"

    def restart(self) -> None:
        """Stop it as a crash would, and start it again with the same data."""
        data = str(self.home / "data")
        self._call("pg_ctl", "-w", "-t", f"{PATIENCE:g}", "-m", "immediate", "-D", data, "restart")

    def stop(self) -> None:
        """Stop it, and remove everything."""
        self._call("pg_ctl", "-m", "immediate", "-D", str(self.home / "data"), "stop")
        shutil.rmtree(self.home)
