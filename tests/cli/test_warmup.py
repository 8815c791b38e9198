"""`indistinct warmup`: its jobs in processes of their own, and what it says."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from indistinct.cli import app
from indistinct.methods import METHODS
from indistinct.trees.methods import TREE_METHODS
from indistinct.verbs import warmup as verb


def test_every_method_has_a_job():
    named = {name.split(", ")[0] for name in verb.jobs()} | {
        name.removeprefix("tree, ") for name in verb.jobs()
    }
    safe = {name for name, method in METHODS.items() if method.keeps}
    assert named >= safe | {*TREE_METHODS}


@pytest.fixture
def quick(monkeypatch):
    """Jobs that are done at once, in real processes."""
    code = "import sys; print('a job')"
    usual = verb.subprocess.Popen
    monkeypatch.setattr(
        verb.subprocess,
        "Popen",
        lambda command, **more: usual([command[0], "-c", code], **more),
    )


@pytest.mark.usefixtures("quick")
def test_it_says_where_kernels_are_kept():
    told = json.loads(CliRunner().invoke(app, ["warmup", "--json"]).stdout)
    assert told["jobs"] == len(verb.jobs())
    assert "kernels-" in told["folder"]


@pytest.mark.usefixtures("quick")
def test_it_says_if_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(verb, "_folder", lambda: None)
    assert "each run compiles again" in CliRunner().invoke(app, ["warmup"]).stdout


def test_a_process_that_fails_is_told(monkeypatch):
    usual = verb.subprocess.Popen
    monkeypatch.setattr(
        verb.subprocess,
        "Popen",
        lambda command, **more: usual([command[0], "-c", "raise SystemExit(1)"], **more),
    )
    with pytest.raises(RuntimeError, match="has failed"):
        verb.warmup()


def test_every_second_job_is_run_by_each_process(monkeypatch, capsys):
    done = []
    named = {name: (lambda name=name: done.append(name)) for name in "abc"}
    monkeypatch.setattr(verb, "jobs", lambda: named)
    verb.work(0)
    verb.work(1)
    assert done == ["a", "c", "b"]
    assert capsys.readouterr().out.split() == done
