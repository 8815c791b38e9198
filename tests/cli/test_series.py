"""A series from the shell: release after release, its ledger, its proof, and wrong input."""

from __future__ import annotations

import json
import re
import stat

import pyarrow.csv as pc
import pytest

from indistinct.disk import drafts
from tests.series.growing import monthly

PLAN = """\
suppressed = "drop"
publish = "exact"
accept = [{ column = "tag", reason = "rows are to be followed" }]
[columns]
id = { role = "identifier" }
tag = { role = "other" }
age = { role = "quasi", hierarchy = { intervals = [10, 50] } }
sex = { role = "quasi", hierarchy = "flat" }
disease = { role = "sensitive" }
[[require]]
model = "k-anonymity"
k = 3
[method]
name = "mondrian"
[limits]
suppression = 0.5
[series]
person = "id"
cohort = 40
"""


@pytest.fixture
def folder(tmp_path):
    for number, table in enumerate(monthly(120, 3, change=0.1), 1):
        pc.write_csv(table, tmp_path / f"month{number}.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def release(indistinct, folder):
    def run(number, *more):
        return indistinct(
            "anonymize", folder / f"month{number}.csv", "--plan", folder / "plan.toml",
            "--out", folder / f"release{number}.csv", "--series", folder / "ledger.json", *more,
        )  # fmt: skip

    return run


def verify(indistinct, folder, *more):
    older = [part for n in (1, 2) for part in ("--against", folder / f"release{n}.csv")]
    return indistinct(
        "verify", folder / "release3.csv", "--plan", folder / "plan.toml",
        "--series", folder / "ledger.json", *older, *more,
    )  # fmt: skip


def test_three_releases_and_their_proof(indistinct, folder, release):
    assert "Release 1 of a series: 120 people are new" in release(1, "--first").out
    said = release(2).out
    assert "Release 2 of a series: 6 people are new, 6 are gone" in said
    [others] = re.findall(r"everybody has the same history as at least (\d+) others", said)
    assert int(others) >= 2
    facts = release(3, "--json").json["series"]
    assert facts["release"] == 3
    assert all(part["holds"] for part in facts["joined"])
    mode = stat.S_IMODE((folder / "ledger.json").stat().st_mode)
    assert mode == 0o600
    proof = verify(indistinct, folder)
    assert proof.code == 0
    assert "3 releases joined, among people of the same history" in proof.out
    tables = [part for n in (1, 2, 3) for part in ("--private", folder / f"month{n}.csv")]
    assert verify(indistinct, folder, *tables, "--json").json["composes"] is True


def test_a_release_that_was_changed_since_is_named(indistinct, folder, release):
    for number in (1, 2, 3):
        release(number, *["--first"][: number == 1])
    changed = folder / "release2.csv"
    changed.write_text("\n".join(changed.read_text().splitlines()[:-1]) + "\n")
    ran = verify(indistinct, folder)
    assert ran.code == 1
    assert "release2.csv: it is no release of this series, or was changed since" in ran.err
    assert "release 2: it is not given" in ran.err


def test_a_series_begins_once_and_only_if_told_so(folder, release):
    ran = release(1)
    assert (ran.code, (folder / "release1.csv").exists()) == (2, False)
    assert "there is no such ledger" in ran.err
    assert "--first" in ran.err
    assert release(1, "--first").code == 0
    before = (folder / "ledger.json").read_bytes()
    ran = release(2, "--first")
    assert ran.code == 2
    assert "there is a ledger already" in ran.err
    assert (folder / "ledger.json").read_bytes() == before


def test_options_that_do_not_fit_are_told_together(indistinct, folder):
    ran = indistinct(
        "anonymize", folder / "month1.csv", "--plan", folder / "plan.toml",
        "--out", folder / "r.csv", "--recoding", folder / "r.json",
    )  # fmt: skip
    assert ran.code == 2
    assert "no ledger is given" in ran.err
    assert "would not be in the ledger" in ran.err
    ran = indistinct(
        "anonymize", folder / "month1.csv", "--plan", folder / "plan.toml",
        "--out", folder / "r.csv", "--series", folder / "plan.toml",
    )  # fmt: skip
    assert ran.code == 2
    assert "the output is an input" in ran.err


def test_what_fails_leaves_release_and_ledger_as_they_were(folder, release):
    release(1, "--first")
    before = (folder / "ledger.json").read_bytes()
    text = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(text.replace("suppression = 0.5", "suppression = 0.0"))
    everybody = (folder / "month1.csv").read_text().splitlines()
    (folder / "month2.csv").write_text("\n".join(everybody[:-1]) + "\n")  # one leaves, alone
    ran = release(2)
    assert ran.code == 1
    assert sorted(path.name for path in folder.iterdir()) == [
        "ledger.json", "month1.csv", "month2.csv", "month3.csv", "plan.toml", "release1.csv",
    ]  # fmt: skip
    assert (folder / "ledger.json").read_bytes() == before


def test_a_stop_between_the_two_leaves_the_ledger_saying_more_and_never_less(
    folder, release, monkeypatch
):
    release(1, "--first")
    commit = drafts.FileDraft.commit

    def stopped(draft):
        if draft.path.name == "release2.csv":
            raise OSError(28, "No space left on device")
        commit(draft)

    monkeypatch.setattr(drafts.FileDraft, "commit", stopped)
    assert release(2).code == 2
    assert not (folder / "release2.csv").exists()
    assert len(json.loads((folder / "ledger.json").read_text())["releases"]) == 2
    monkeypatch.undo()
    assert release(3).code == 0


def test_people_of_a_series_are_in_no_message(folder, release):
    rows = (folder / "month1.csv").read_text().splitlines()
    (folder / "month1.csv").write_text("\n".join([*rows, rows[-1]]) + "\n")
    ran = release(1, "--first")
    assert ran.code == 2
    assert "1 person has several rows: rows 120, 121" in ran.err
    assert rows[-1].split(",")[0].strip('"') not in ran.err
