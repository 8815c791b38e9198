"""A PostgreSQL server of our own: in a temporary folder, on a free port of this machine alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = "/usr/lib/postgresql/*/bin"
SECRET = "hunter2-is-secret"
ACCESS = """
host all needs_password 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


def programs() -> Path | None:
    """Return where the programs of the newest version are; None if there are none."""
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    found = sorted(Path("/").glob(f"{PROGRAMS[1:]}/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: str
    port: int

    @classmethod
    def start(cls, folder: Path, *settings: str) -> Server:
        """Start a server with a new database in a folder of its own."""
        folder.mkdir(parents=True)
        if os.geteuid() == 0:  # it refuses to run as root
            shutil.chown(folder, "postgres", "postgres")
            for above in folder.parents:  # pytest's own folders are for their owner alone
                if above.is_relative_to(tempfile.gettempdir()) and above.stat().st_uid == 0:
                    above.chmod(above.stat().st_mode | 0o111)
        data = str(folder / "data")
        _run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "--locale=C.UTF-8")
        (folder / "data" / "pg_hba.conf").write_text(ACCESS)
        server = cls(str(folder), _free_port())
        server.resume(*settings)
        server.run("CREATE ROLE needs_password LOGIN PASSWORD '" + SECRET + "'")
        server.run("CREATE ROLE reader LOGIN", "CREATE ROLE stranger LOGIN")
        return server

    def resume(self, *settings: str) -> None:
        """Start it where it was stopped."""
        options = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=60", *settings]
        given = " ".join(f"-c {option}" for option in options)
        control = ("-D", f"{self.folder}/data", "-l", f"{self.folder}/log", "-w")
        _run("pg_ctl", *control, "-o", f"-p {self.port} -k '' {given}", "start")

    def stop(self) -> None:
        """Stop it, whoever is connected."""
        _run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")

    def kill(self) -> None:
        """Kill it and all its processes as a power cut would."""
        pid = int(Path(self.folder, "data", "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for process in (pid, *map(int, children)):
            os.kill(process, signal.SIGKILL)
        Path(self.folder, "data", "postmaster.pid").unlink()  # nobody may have reaped it yet

    def url(self, table: str = "", user: str = "postgres", database: str = "postgres") -> str:
        """Return an address of it."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}" + f"?table={table}" * bool(
            table
        )

    def run(self, *statements: str, user: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements, and return the rows of the last one."""
        from adbc_driver_postgresql import dbapi

        url = self.url(user=user)
        with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def saved(self) -> str:
        """Return it as text, for other processes."""
        return json.dumps([self.folder, self.port])


def _run(program: str, *arguments: str) -> None:
    folder = programs()
    assert folder is not None
    as_whom = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    ran = subprocess.run(
        [folder / program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        cwd="/",
        **as_whom,
    )
    assert ran.returncode == 0, f"{program} failed"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
