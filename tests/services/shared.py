"""One server for a whole run of the tests, however many processes run them."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from pathlib import Path

from tests.services import chromium, java, postgres

FOLDER = "INDISTINCT_TEST_SERVICES_FOLDER"
WANTED = "INDISTINCT_TEST_SERVICES"
SERVICES = {
    "postgresql": ("PostgreSQL", postgres.programs),
    "java": ("Spark", java.program),
    "chromium": ("the app in a browser", chromium.program),
}


def absent() -> list[str]:
    """Name the services that are not installed here."""
    return [name for name, (_, programs) in SERVICES.items() if programs() is None]


def prepare() -> None:
    """Make a folder that all processes of this run know."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="indistinct-services-")


def postgres_server() -> postgres.Server:
    """Return the server of this run; the first who asks starts it."""
    folder = Path(os.environ[FOLDER])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        started = folder / "postgres.json"
        if not started.exists():
            started.write_text(postgres.Server.start(folder / "postgres").saved())
        return postgres.Server(*json.loads(started.read_text()))


def end() -> None:
    """Stop what was started, and remove it."""
    folder = Path(os.environ.pop(FOLDER))
    if (folder / "postgres.json").exists():
        postgres.Server(*json.loads((folder / "postgres.json").read_text())).stop()
    shutil.rmtree(folder, ignore_errors=True)
