"""Drafts of folders: as whole, as private and as soon swept as those of files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from indistinct.disk import folder_drafts
from indistinct.disk.drafts import sweep, together
from indistinct.disk.folder_drafts import FolderDraft
from indistinct.errors import OutputError

PART = "part-00000.parquet"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return path.stat().st_mode & 0o777


def written(place, text, error=None):
    draft = FolderDraft(place)
    with together([draft]):
        assert mode(draft.draft) == 0o700
        (draft.draft / PART).write_text(text)
        if error:
            raise error


@pytest.mark.parametrize("in_one_step", [True, False])
def test_a_folder_appears_whole_or_not_at_all(tmp_path, monkeypatch, in_one_step):
    if not in_one_step:
        monkeypatch.setattr(folder_drafts, "_exchanged", lambda *_: False)
    place = tmp_path / "release.parquet"
    written(place, "old")
    for error in (ZeroDivisionError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            written(place, "half", error)
    with pytest.raises(OutputError, match="no space"):
        written(place, "half", OSError(28, "No space left on device"))
    assert (place / PART).read_text() == "old"
    written(place, "new")
    assert (place / PART).read_text() == "new"
    assert names_in(tmp_path) == ["release.parquet"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_drafts, "_exchanged", lambda *_: False)
    place = tmp_path / "release.parquet"
    written(place, "old")
    draft = FolderDraft(place)
    monkeypatch.setattr(draft, "secure", draft.draft.rmdir)
    with pytest.raises(OutputError), together([draft]):
        pass
    assert (place / PART).read_text() == "old"
    assert names_in(tmp_path) == ["release.parquet"]


def test_others_may_read_it_once_it_took_its_place(tmp_path):
    former = os.umask(0o027)
    try:
        written(tmp_path / "release.parquet", "new")
    finally:
        os.umask(former)
    assert mode(tmp_path / "release.parquet") == 0o750
    assert mode(tmp_path / "release.parquet" / PART) == 0o640


@pytest.mark.parametrize("name", ["thesis.doc", "part-00000.parquet.bak"])
def test_no_folder_is_replaced_that_holds_anything_else(tmp_path, name):
    place = tmp_path / "release.parquet"
    place.mkdir()
    (place / name).write_text("years of work")
    with pytest.raises(OutputError, match="not a folder of parts of a release"):
        written(place, "new")
    assert names_in(tmp_path) == ["release.parquet"]
    assert names_in(place) == [name]


KILLED = f"""
import os, signal, sys
from pathlib import Path
from indistinct.disk.folder_drafts import FolderDraft
draft = FolderDraft(Path(sys.argv[1]))
draft.begin()
(draft.draft / "{PART}").write_text("private")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_left_is_swept_and_what_lives_is_not(tmp_path):
    place = tmp_path / "release.parquet"
    killed = subprocess.run([sys.executable, "-c", KILLED, place], check=False)
    assert killed.returncode == -signal.SIGKILL
    alive = FolderDraft(place)
    alive.begin()
    assert len(names_in(tmp_path)) == 2
    sweep([tmp_path])
    assert names_in(tmp_path) == [alive.draft.name]
    alive.discard()
    assert names_in(tmp_path) == []
