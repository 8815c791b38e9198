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
from indistinct.running.compiling import COMPILING

COMPILING.announce_by(lambda: print("compiling"))
"""
IMPORTS = "import indistinct.io.csv_faults_kernel, indistinct.risk.uniques_kernel"
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
            [sys.executable, "-c", SCRIPT + IMPORTS],
            env=os.environ | {"NUMBA_CACHE_DIR": str(kept), "PYTHONPATH": str(copied.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.splitlines()

    return copied / "kernels", kept, told


def folders(kept):
    return sorted(kept.rglob("kernels-*"))


def test_compiling_is_told_once_and_not_when_kept(program):
    _, kept, told = program
    assert [told(), told()] == [["compiling"], []]
    [folder] = folders(kept)
    assert {path.name.split(".")[0] for path in folder.iterdir()} >= {"uniques_kernel"}


def test_kernels_are_compiled_anew_when_another_file_of_theirs_changes(program):
    kernels, kept, told = program
    told()
    before = folders(kept)
    with (kernels / "random.py").open("a", encoding="utf-8") as source:
        source.write("\n# another version\n")
    assert [told(), told()] == [["compiling"], []]
    assert len(folders(kept)) == 2
    assert set(before) < set(folders(kept))


def test_when_a_file_was_written_does_not_matter(program):
    kernels, _, told = program
    told()
    os.utime(kernels / "spans.py", (DAY, DAY))
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
        [sys.executable, "-c", "import indistinct.io.csv_faults_kernel, theirs"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    names = [path.name for path in (tmp_path / "__pycache__").iterdir()]
    assert not [name for name in names if name.startswith("kernels-")]
    assert [name for name in names if name.startswith("theirs.f-")]


NOWHERE = """
import tempfile
def refused(*args, dir=None, **more):
    raise PermissionError(dir)
tempfile.TemporaryFile = refused
"""
COMPILED = """
from indistinct.io.csv_faults_kernel import quotes_close
import numpy as np
print(quotes_close(np.frombuffer(b"1,2", dtype=np.uint8), np.ones(256, dtype=bool)))
"""
RACE = """
import hashlib, sys, threading
usual, main, begun, done = hashlib.sha256, threading.main_thread().ident, threading.Event(), []

def main_waits():
    frame = sys._current_frames()[main]
    return "importlib" in frame.f_code.co_filename and frame.f_code.co_name == "acquire"

def sha256(*args):
    if sys._getframe(1).f_code.co_name == "fingerprint":
        begun.set()  # where kernels are kept is not settled yet: let the other thread come
        while not (done or main_waits()):
            pass
    return usual(*args)

hashlib.sha256 = sha256
from indistinct.pipeline import load_in_background
load_in_background()
begun.wait()
try:
    import indistinct.io.csv_faults_kernel as quoting
finally:
    done.append(True)
print(quoting.quotes_close.stats.cache_path)
"""


def without_caches(script, folder):
    """Run where no folder that numba would cache in can be written, and return what is printed."""
    ran = subprocess.run(
        [sys.executable, "-c", NOWHERE + script],
        env={name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        | {"TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_where_nothing_can_be_kept_kernels_work_all_the_same_and_leave_nothing(tmp_path):
    assert without_caches(COMPILED, tmp_path) == "True"
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_waits_until_it_is_known_where_to_keep_it(tmp_path):
    kept = Path(without_caches(RACE, tmp_path))
    assert kept.parent == Path(indistinct.__file__).parent / "kernels"
    assert not kept.exists()


def test_a_kernel_that_cannot_be_saved_works_all_the_same(tmp_path):
    subprocess.run(
        [sys.executable, "-c", IMPORTS],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        check=True,
    )
    kept = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert not [name for name in kept if name.endswith(".nbc")]


FIRST_USE = """
from indistinct import anonymize
from indistinct.datasets import medical, medical_plan

release = anonymize(medical(), medical_plan(method={"name": "mondrian"}))
print(release.seconds["compile"] > release.seconds["search"])
"""


def run_kept_in(folder, code):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_first_use_from_python_is_announced_and_not_counted_as_the_search(tmp_path):
    """Compiling takes seconds, and the search of ten rows next to nothing."""
    first, second = (run_kept_in(tmp_path, FIRST_USE) for _ in range(2))
    assert [first.stdout, second.stdout] == ["True\n", "False\n"]
    assert first.stderr.count("compiling the inner loops") == 1
    assert second.stderr == ""


WARM = "from indistinct.verbs.warmup import jobs; jobs()['mondrian, k-anonymity']()"


def test_nothing_is_compiled_for_another_table_after_a_job_of_warmup(tmp_path):
    run_kept_in(tmp_path, WARM)
    after = run_kept_in(tmp_path, FIRST_USE)
    assert [after.stdout, after.stderr] == ["False\n", ""]
