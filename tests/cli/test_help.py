"""What somebody who knows nothing sees first."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("group", [(), ("plan",), ("hierarchy",), ("tree",)])
def test_no_verb_is_told_by_half_a_sentence(indistinct, group):
    ran = indistinct(*group, "--help")
    assert ran.code == 0
    listed = ran.out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(listed) >= 2
    assert [line for line in listed if not line.endswith(".")] == []
    assert not any("..." in line for line in listed)


def test_python_runs_the_package_as_a_command():
    ran = subprocess.run(
        [sys.executable, "-m", "indistinct", "--help"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: python -m indistinct")


def test_one_is_not_many(workshop):
    workshop.marital = [[status, "*"] for status, *_ in workshop.marital]
    workshop.prepare()
    ran = workshop.command("hierarchy", "check", workshop.path("marital.csv"))
    assert ran.out == "fine: 4 values, 1 level above them\n"
    ran = workshop.command("assess", workshop.path("private.csv"), "--columns", "zip")
    assert "6 rows over 1 column: " in ran.out
    workshop.plan["require"][0]["k"] = 6
    ran = workshop.anonymize()
    assert "6 of 6 rows released in 1 class, 0 suppressed" in ran.out
    ran = workshop.command("verify", workshop.path("release.csv"), "--plan", workshop.plan_path)
    assert "6 rows in 1 class\n" in ran.out
