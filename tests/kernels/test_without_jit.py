"""Every method runs without compiling, for a debugger and coverage, and publishes the same rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.kernels.tiny_jobs import jobs, rows_of

ROOT = Path(__file__).parents[2]
BATCHES = 2


@cache
def interpreted(batch):
    """Run some of the jobs in a process in which Python runs the kernels."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.kernels.tiny_jobs", *jobs()[batch::BATCHES]],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Warning" not in ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("job", jobs())
def test_a_method_publishes_the_same_rows_without_compiling(job):
    assert interpreted(jobs().index(job) % BATCHES)[job] == rows_of(job)
