"""Progress bars: below a cell, on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
import types

import pytest

from indistinct import anonymize, progress_bar
from indistinct.datasets import medical, medical_plan


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, content, *, raw):
        assert raw
        self.shown.append(content)


@pytest.fixture
def notebook(monkeypatch):
    """Return what a notebook shows."""
    shown = []

    def display(content, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(content)
        return Handle(shown)

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    displays = types.ModuleType("IPython.display")
    displays.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    return shown


def work():
    with progress_bar() as progress:
        release = anonymize(medical(), medical_plan(), progress=progress)
        progress.advance(0.5)
    return release


def test_a_notebook_shows_every_stage_and_nothing_afterwards(notebook, capsys):
    release = work()
    stages = [content["text/plain"].partition(":")[0] for content in notebook[:-1]]
    assert {"search", "publish", "verify"} <= set(stages)
    assert "50%" in notebook[-2]["text/plain"]
    assert 'value="0.500"' in notebook[-2]["text/html"]
    assert notebook[-1] == {"text/html": "", "text/plain": ""}
    assert release.suppressed_rows == 0
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_names_of_stages_are_no_markup(notebook):
    with progress_bar() as progress:
        progress.stage("<b>")
    assert "&lt;b&gt;" in notebook[0]["text/html"]


def test_a_terminal_shows_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with progress_bar() as progress:
        progress.stage("search")
        progress.advance(0.25)
    assert "search" in sys.stderr.getvalue()


def test_nothing_is_shown_elsewhere(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    work()
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""
