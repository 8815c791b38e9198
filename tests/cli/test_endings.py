"""How commands end: by signals, and with streams that are closed, full, or read by nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from indistinct.cli.streams import Patient

MAIN = [sys.executable, "-c", "from indistinct.cli import main; main()"]
FULL = Path("/dev/full")


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("SIGTERM", 143, "ended by SIGTERM"),
        ("SIGHUP", 129, "ended by SIGHUP"),
        ("SIGINT", 130, "interrupted"),
    ],
)
def test_signals_end_the_command_and_leave_nothing(workshop, monkeypatch, name, code, told):
    workshop.prepare()
    before = workshop.files()
    modes = set()

    def ended(*_, **__):
        drafts = workshop.files().keys() - before.keys()
        modes.update(workshop.path(draft).stat().st_mode & 0o777 for draft in drafts)
        signal.raise_signal(getattr(signal, name))

    monkeypatch.setattr("indistinct.verbs.anonymize.Work.check", ended)
    ran = workshop.anonymize("--report", workshop.path("report.html"))
    assert (ran.code, ran.out, modes) == (code, "", {0o600})
    assert ran.err == f"indistinct: {told}; nothing was written\n"
    assert workshop.files() == before
    ran = workshop.anonymize("--json")
    assert (ran.code, ran.err, ran.json["error"]) == (code, "", "Interrupted")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_signal_that_is_ignored_stays_so(workshop, monkeypatch):
    def hung_up(*_):
        signal.raise_signal(signal.SIGHUP)

    monkeypatch.setattr("indistinct.cli.anonymize.show_summary", hung_up)
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ran = workshop.anonymize()
    finally:
        signal.signal(signal.SIGHUP, former)
    assert (ran.code, ran.err) == (0, "")


def test_an_end_after_the_release_says_what_was_written(workshop, monkeypatch):
    def ended(*_, **__):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("indistinct.cli.anonymize.show_summary", ended)
    ran = workshop.anonymize()
    out = workshop.path("release.csv")
    assert (ran.code, out.exists()) == (143, True)
    assert ran.err == f"indistinct: ended by SIGTERM; written: {out}\n"


def test_a_bug_after_the_release_says_what_was_written(workshop, monkeypatch):
    monkeypatch.setattr("indistinct.cli.anonymize.show_summary", lambda *_: 1 / 0)
    ran = workshop.anonymize()
    out = workshop.path("release.csv")
    assert (ran.code, out.exists()) == (70, True)
    assert f"internal error (ZeroDivisionError); written: {out}. This is a bug" in ran.err


def shell(shop, line):
    """Run a line of shell in which $* is the command."""
    shop.prepare()
    return subprocess.run(
        ["sh", "-c", line, "sh", *MAIN],
        capture_output=True,
        text=True,
        cwd=shop.folder,
        check=False,
    )


ANONYMIZE = '"$@" anonymize private.csv --plan plan.json --out release.csv'


@pytest.mark.parametrize(
    ("streams", "code", "told"),
    [
        ("<&- >&- 2>&-", 0, ""),
        (">/dev/full", 74, "standard output cannot be written: no space left on device"),
        ("--json 2>/dev/full >/dev/full", 74, ""),
    ],
)
def test_what_cannot_be_printed_does_not_undo_a_release(workshop, streams, code, told):
    ran = shell(workshop, f"{ANONYMIZE} {streams}")
    assert (ran.returncode, ran.stdout) == (code, "")
    out = workshop.path("release.csv")
    assert out.read_text().startswith("zip,age,marital,disease\n")
    expected = f"indistinct: {told}; written: release.csv\n" if told else ""
    assert ran.stderr == expected


@pytest.mark.parametrize(
    ("option", "streams"), [("", ">&- 2>&-"), ("--json", ">/dev/full"), ("--json", "| true")]
)
def test_what_cannot_be_printed_does_not_hide_a_verdict(workshop, option, streams):
    line = f'("$@" verify private.csv --plan plan.json {option}; echo $? >code) {streams}'
    ran = shell(workshop, line)
    assert workshop.path("code").read_text() == "1\n"
    assert "Traceback" not in ran.stderr


def test_streams_that_never_fail(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with Patient(write, "w") as gone:
        assert (gone.write(b"lost"), type(gone.lost)) == (4, BrokenPipeError)
        assert gone.write(memoryview(b"more")) == 4
    with Patient(FULL, "w") as full:
        assert (full.write(b"lost"), full.lost.strerror) == (4, "No space left on device")
    with Patient(tmp_path / "x", "w") as fine:
        assert (fine.write(b"kept"), fine.lost) == (4, None)
    assert (tmp_path / "x").read_bytes() == b"kept"


@pytest.mark.parametrize("argument", ["in\udcff.csv", "in\0.csv"])
def test_arguments_that_are_no_text(indistinct, argument):
    ran = indistinct("assess", argument, "--columns", "a")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("indistinct: argument 2: it ")
    told = indistinct("assess", argument, "--json")
    assert json.loads(told.out)["faults"][0]["place"] == "argument 2"


PRIVATE = ["report.html", "report.json", "recoding.json"]
PUBLIC = ["release.csv", "public.html", "public.json", "certificate.json"]


def test_private_outputs_are_their_owners(workshop):
    former = os.umask(0o022)
    try:
        workshop.anonymize(
            *("--report", workshop.path("report.html")),
            *("--report-json", workshop.path("report.json")),
            *("--recoding", workshop.path("recoding.json")),
            *("--public-report", workshop.path("public.html")),
            *("--public-json", workshop.path("public.json")),
            *("--certificate", workshop.path("certificate.json")),
        )
        suggested = workshop.path("first.toml")
        workshop.command("plan", "suggest", workshop.path("private.csv"), "--out", suggested)
        labels = ["--column", "zip", "--out", workshop.path("zip.csv")]
        workshop.command("hierarchy", "suggest", workshop.path("private.csv"), *labels)
        later = ["--out", workshop.path("later.csv"), "--held-back", workshop.path("held.csv")]
        more = ["--recoding-out", workshop.path("next.json")]
        workshop.command(
            "apply", workshop.path("recoding.json"), workshop.path("private.csv"), *later, *more
        )
    finally:
        os.umask(former)
    modes = {path.name: path.stat().st_mode & 0o777 for path in workshop.folder.iterdir()}
    for name in [*PRIVATE, "first.toml", "zip.csv", "held.csv", "next.json"]:
        assert (name, modes[name]) == (name, 0o600)
    for name in [*PUBLIC, "later.csv"]:
        assert (name, modes[name]) == (name, 0o644)
