"""1,000,000 rows from table to table of PostgreSQL, killed at 20 random moments.

Each run must leave the old release whole, or, if it was killed after its very end, the new one; and
nowhere a draft. The server is one of its own, in a temporary folder (Debian: postgresql).

Run: .venv/bin/python benchmarks/postgres_kill.py [rows] [kills]
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pyarrow as pa
from adbc_driver_postgresql import dbapi
from tests.services.postgres import Server

from indistinct import verify
from indistinct.cli.demo import write_plan
from indistinct.datasets import census
from indistinct.io.plain import decoded

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
STATE = "SELECT count(*), sum(hashtextextended(r::text, 0)) FROM release r"
DRAFTS = "SELECT count(*) FROM pg_class WHERE relname LIKE 'indistinct_draft%'"
WORKING = """
SELECT count(*) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def anonymize(server, plan, *more):
    command = [sys.executable, "-m", "indistinct", "anonymize", server.url("people")]
    command += ["--plan", str(plan), "--out", server.url("release"), "--method", "optimal", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    start = time.perf_counter()
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    return time.perf_counter() - start, json.loads(out)


def state_after(server):
    """Wait until the server has noticed the end of its client, and look at the release."""
    while server.run(WORKING) != [(0,)]:
        time.sleep(0.05)
    return server.run(STATE)[0], server.run(DRAFTS)[0][0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server.start(Path(folder) / "server", "fsync=on")
        try:
            run(server, Path(folder))
        finally:
            server.stop()


def run(server, folder):
    write_plan(folder)
    plan = next(folder.glob("*.toml"))
    with dbapi.connect(server.url()) as connection, connection.cursor() as cursor:
        people = census(ROWS)
        people = people.append_column("person", pa.array(range(ROWS)))
        cursor.adbc_ingest("people", decoded(people), mode="create")
        connection.commit()
    finished(anonymize(server, plan, "--json"))  # compiles
    took, summary = finished(anonymize(server, plan, "--json"))
    stages = {stage: round(took, 1) for stage, took in summary["seconds"].items()}
    print(f"{ROWS:,} rows from table to table, checked: {took:.1f} s; of these {stages}")
    moments = random.Random(os.getpid())  # noqa: S311
    outcomes = {"old release whole": 0, "new release whole": 0}
    (old, _) = state_after(server)
    killed = 0
    while killed < KILLS:
        process = anonymize(server, plan)
        moment = moments.uniform(0, took)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        process.stdout.close()
        process.stderr.close()
        new, drafts = state_after(server)
        outcome = "old release whole" if new == old else "new release whole"
        if new != old:  # its transaction was over before it was killed
            verify(server.url("release"), plan)
        assert drafts == 0, "a draft is left"
        if process.returncode == -signal.SIGKILL:
            killed += 1
            outcomes[outcome] += 1
            print(f"killed after {moment:5.1f} s: {outcome}", flush=True)
        old = new
    finished(anonymize(server, plan, "--json"))
    _, drafts = state_after(server)
    print(f"{KILLS} kills: {outcomes}; drafts left after the next run: {drafts}")


if __name__ == "__main__":
    main()
