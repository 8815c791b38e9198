"""Compiled kernels: told once while they are compiled, kept, and never those of other sources."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import indistinct

SCRIPT = """
import threading
from indistinct.compiling import tell_when_compiling

tell_when_compiling(lambda: print("compiling"))
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
from indistinct._kernels import quoting, uniqueness
"""
DAY = 24 * 60 * 60


@pytest.fixture
def program(tmp_path):
    """Copy the package, and return its kernels, where they are kept, and how to run it."""
    copied = tmp_path / "copy" / "indistinct"
    here = Path(indistinct.__file__).parent
    shutil.copytree(here, copied, ignore=shutil.ignore_patterns("__pycache__"))
    kept = tmp_path / "kept"

    def told():
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_CACHE_DIR": str(kept), "PYTHONPATH": str(copied.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.splitlines()

    return copied / "_kernels", kept, told


def folders(kept):
    return sorted(kept.rglob("kernels-*"))


def test_compiling_is_told_once_and_not_when_kept(program):
    _, kept, told = program
    assert [told(), told()] == [["compiling"], []]
    [folder] = folders(kept)
    assert {path.name.split(".")[0] for path in folder.iterdir()} >= {"uniqueness"}


def test_kernels_are_compiled_anew_when_another_file_of_theirs_changes(program):
    kernels, kept, told = program
    told()
    before = folders(kept)
    with (kernels / "chance.py").open("a", encoding="utf-8") as source:
        source.write("\n# another version\n")
    assert [told(), told()] == [["compiling"], []]
    assert len(folders(kept)) == 2
    assert set(before) < set(folders(kept))


def test_when_a_file_was_written_does_not_matter(program):
    kernels, _, told = program
    told()
    os.utime(kernels / "uniqueness.py", (DAY, DAY))
    assert told() == []


def test_what_was_kept_for_other_sources_is_removed_after_a_day(program):
    kernels, kept, told = program
    told()
    [old] = folders(kept)
    (kernels / "extra.py").write_text("", encoding="utf-8")
    day_ago = old.stat().st_mtime - DAY - 60
    os.utime(old, (day_ago, day_ago))
    told()
    assert len(folders(kept)) == 1
    assert old not in folders(kept)


def test_kernels_of_others_are_kept_where_numba_keeps_them(tmp_path):
    kernel = tmp_path / "theirs.py"
    kernel.write_text(
        "from numba import njit\n@njit('int64(int64)', cache=True)\ndef f(x):\n    return x\n"
    )
    subprocess.run(
        [sys.executable, "-c", "import indistinct._kernels.quoting, theirs"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    names = [path.name for path in (tmp_path / "__pycache__").iterdir()]
    assert not [name for name in names if name.startswith("kernels-")]
    assert [name for name in names if name.startswith("theirs.f-")]


NOWHERE = """
import tempfile
usual = tempfile.TemporaryFile
def refused(*args, dir=None, **more):
    if "indistinct-" not in str(dir):
        raise PermissionError(dir)
    return usual(*args, dir=dir, **more)
tempfile.TemporaryFile = refused
from indistinct._kernels import uniqueness
print(uniqueness.alone_by_hash.stats.cache_path)
"""


def test_where_nothing_can_be_kept_kernels_work_all_the_same(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", NOWHERE],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(str(tmp_path / "indistinct-"))
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_cannot_be_saved_works_all_the_same(tmp_path):
    subprocess.run(
        [sys.executable, "-c", "from indistinct._kernels import quoting, uniqueness"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        check=True,
    )
    kept = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert not [name for name in kept if name.endswith(".nbc")]
