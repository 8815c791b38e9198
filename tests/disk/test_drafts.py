"""Drafts: nobody else reads one, nothing is half-written, and what a kill leaves is removed."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from indistinct.disk.drafts import all_beside, beside, noting, sweep, uninterrupted, write_text
from indistinct.errors import OutputError


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.fixture
def umask():
    """The mask of most systems, and a way to set another."""
    former = os.umask(0o022)
    yield os.umask
    os.umask(former)


def half_written(path, error):
    with beside(path) as draft:
        draft.write_text("half")
        raise error


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.txt"
    write_text(path, "old")
    with pytest.raises(ZeroDivisionError):
        half_written(path, ZeroDivisionError())
    with pytest.raises(KeyboardInterrupt):
        half_written(path, KeyboardInterrupt())
    with pytest.raises(OutputError, match="no space"):
        half_written(path, OSError(28, "No space left on device"))
    assert [file.name for file in tmp_path.iterdir()] == ["x.txt"]
    assert path.read_text() == "old"
    write_text(path, "new")
    assert path.read_text() == "new"


def test_all_outputs_appear_or_none(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    with all_beside([one, two]) as drafts:
        drafts[one].write_text("1")
        drafts[two].write_text("2")
        assert not one.exists()
    assert (one.read_text(), two.read_text()) == ("1", "2")
    two.unlink()
    two.mkdir()
    told = f"is a directory; written already: {one}"
    with pytest.raises(OutputError, match=told), all_beside([one, two]):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_drafts_are_their_owners_and_outputs_what_they_are_for(tmp_path, umask):
    public, private = tmp_path / "release.csv", tmp_path / "recoding.json"
    with all_beside([public, private], private=[private]) as drafts:
        assert {mode(draft) for draft in drafts.values()} == {0o600}
        drafts[public].write_text("released")
    assert (mode(public), mode(private)) == (0o644, 0o600)
    umask(0o027)
    write_text(public, "again")
    assert mode(public) == 0o640
    public.chmod(0o666)
    write_text(public, "kept", private=True)
    assert mode(public) == 0o600


def test_a_new_file_replaces_none(tmp_path):
    path = tmp_path / "plan.toml"
    write_text(path, "first", new=True)
    with pytest.raises(OutputError, match="file exists"):
        write_text(path, "second", new=True)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["é" * 127, "x" * 255, "x" * 251 + ".csv", "x." + "y" * 253])
def test_the_draft_of_a_long_name_is_no_longer(tmp_path, name):
    write_text(tmp_path / name, "fits")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def dead(folder, name=".release.csv.indistinct-0123456789abcdef.tmp.csv"):
    """What a killed run leaves: a draft on which nobody holds a lock."""
    path = folder / name
    path.write_text("22030,HIV")
    return path


def test_drafts_of_killed_runs_are_removed_and_told(tmp_path, caplog):
    dead(tmp_path)
    dead(tmp_path, ".a\nb.indistinct-0123456789abcdef.tmp")
    sweep([tmp_path, tmp_path])
    assert list(tmp_path.iterdir()) == []
    assert caplog.messages == [f"indistinct removed 2 drafts that a killed run left in {tmp_path}"]
    sweep([tmp_path, tmp_path / "none"])
    assert len(caplog.messages) == 1


def test_drafts_of_runs_that_go_on_stay(tmp_path, caplog):
    path = tmp_path / "release.csv"
    with beside(path) as draft:
        draft.write_text("released")
        sweep([tmp_path])
        assert draft.read_text() == "released"
    assert path.read_text() == "released"
    assert caplog.messages == []


@pytest.mark.parametrize(
    "name",
    [
        "release.csv.indistinct-0123456789abcdef.tmp.csv",
        ".release.csv.indistinct-0123456789ABCDEF.tmp.csv",
        ".release.csv.0123456789abcdef.tmp.csv",
        ".release.csv.indistinct-0123.tmp.csv",
        ".release.csv.indistinct-0123456789abcdef.tmp.csv.bak.old",
    ],
)
def test_files_that_are_no_drafts_stay(tmp_path, name):
    path = dead(tmp_path, name)
    sweep([tmp_path])
    assert path.exists()


def test_links_and_folders_and_files_of_others_stay(tmp_path, monkeypatch):
    aim = tmp_path / "aim"
    aim.write_text("mine")
    (tmp_path / ".x.indistinct-0123456789abcdef.tmp").symlink_to(aim)
    (tmp_path / ".y.indistinct-0123456789abcdef.tmp").mkdir()
    others = dead(tmp_path)
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(os, "geteuid", lambda: others.stat().st_uid + 1)
    sweep([tmp_path])
    assert set(tmp_path.iterdir()) == before


def test_a_draft_that_was_swept_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    from indistinct.disk import drafts

    lock, swept = drafts._lock, []

    def late(handle, *, wait):
        if wait and not swept:
            swept.append(1)
            sweep([tmp_path])
        lock(handle, wait=wait)

    monkeypatch.setattr(drafts, "_lock", late)
    write_text(tmp_path / "x.txt", "whole")
    assert (tmp_path / "x.txt").read_text() == "whole"
    assert swept


def interrupted_work(done):
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("whole")
    done.append("more")


def test_what_was_begun_is_finished_before_an_interrupt():
    done = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_work(done)
    assert done == ["whole"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_other_threads_write_too(tmp_path):
    thread = threading.Thread(target=lambda: write_text(tmp_path / "x.txt", "whole"))
    thread.start()
    thread.join()
    assert (tmp_path / "x.txt").read_text() == "whole"


def test_what_took_its_place_is_noted(tmp_path):
    with noting() as outer:
        write_text(tmp_path / "a", "1")
        with noting() as inner, pytest.raises(ZeroDivisionError):
            half_written(tmp_path / "b", ZeroDivisionError())
        write_text(tmp_path / "c", "2")
    write_text(tmp_path / "d", "3")
    assert (outer, inner) == ([tmp_path / "a", tmp_path / "c"], [])
