"""Mixed-integer programs: solved here or in another process, which ends when nobody waits."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

from indistinct.methods.common import solving
from indistinct.methods.common.deadline import Deadline
from indistinct.running.progress import Stopped

KNAPSACK = {
    "c": -np.array([10.0, 13.0, 7.0, 8.0]),
    "integrality": np.ones(4),
    "bounds": Bounds(0, 1),
    "constraints": LinearConstraint(np.array([[5.0, 6.0, 4.0, 4.0]]), -np.inf, 10.0),
}
STOPPED_EARLY = {"x": None, "status": solving.STOPPED_EARLY}


@pytest.fixture
def hard(monkeypatch):
    """Have every program take longer than a moment; return the processes that are started."""
    started, usual = [], subprocess.Popen

    def start(*args, **kwargs):
        started.append(usual(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr("scipy.optimize.milp", lambda **_: STOPPED_EARLY)
    monkeypatch.setattr(subprocess, "Popen", start)
    return started


def test_a_small_program_needs_no_other_process(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    found = solving.solve(Deadline(None), **KNAPSACK)
    assert (found["status"], found["fun"]) == (0, -21.0)


def test_a_long_one_is_solved_in_another_process(hard):
    found = solving.solve(Deadline(None), **KNAPSACK)
    assert (found["status"], found["fun"]) == (0, -21.0)
    assert [process.poll() is None for process in hard] == [False]


def test_the_other_process_ends_when_nobody_waits(hard):
    looks = iter(range(3))

    def look():
        if next(looks) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        solving.solve(Deadline(None, look), **KNAPSACK)
    assert [process.poll() is None for process in hard] == [False]


def test_it_ends_when_the_one_that_started_it_does():
    endless = solving.ELSEWHERE.replace("from scipy", "while True: pass\n")
    started = subprocess.run(
        [sys.executable, "-c", endless],
        input=pickle.dumps({}),
        capture_output=True,
        check=False,
    )
    assert started.returncode == 1


def test_when_time_is_over_the_first_answer_stays(hard):
    assert solving.solve(Deadline(0.0), **KNAPSACK) == STOPPED_EARLY
    assert hard == []
