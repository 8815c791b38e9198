"""Interrupts: answered while compiled code runs, and known to work that nobody waits for."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from indistinct import Plan
from indistinct.datasets import medical, medical_plan
from indistinct.encode.table import encode_table
from indistinct.methods.catalogue import METHODS
from indistinct.methods.common.deadline import Deadline
from indistinct.methods.posing import pose_problem
from indistinct.running.background import in_front
from indistinct.running.progress import Progress, Stages, Stopped

MAIN = threading.main_thread().ident
LIMITED = [name for name, method in METHODS.items() if "time_limit" in method.model_fields]


def interrupt():
    signal.pthread_kill(MAIN, signal.SIGINT)


def test_an_interrupt_ends_the_waiting_at_once_and_the_work_when_it_looks():
    stages, ended = Stages(Progress()), threading.Event()

    def work():
        interrupt()
        try:
            while True:
                stages.progress.look()
        except Stopped:
            ended.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        stages.interruptibly(work)
    assert ended.wait(60)


def test_work_off_the_main_thread_is_done_where_it_is():
    ran = []
    thread = threading.Thread(
        target=lambda: ran.append(in_front(lambda: None, threading.current_thread))
    )
    thread.start()
    thread.join()
    assert ran == [thread]


def test_what_the_work_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        in_front(lambda: None, lambda: 1 / 0)


def test_interrupted_work_leaves_its_listener_for_other_work():
    given = Progress()
    stages = Stages(given)
    stages.progress.stop()
    Stages(given).progress.look()
    with pytest.raises(Stopped):
        stages.progress.quiet().advance(0.5)


def test_slices_end_when_time_does_and_cover_everything_otherwise():
    looks = []
    deadline = Deadline(None, lambda: looks.append(1))
    parts = list(deadline.slices(1000, 10))
    assert [number for part in parts for number in range(1000)[part]] == list(range(1000))
    assert len(looks) == len(parts)
    assert list(Deadline(0.0).slices(1000)) == []


@pytest.mark.parametrize("name", LIMITED)
def test_a_search_with_a_time_limit_ends_when_nobody_waits(name):
    plan = Plan.load(medical_plan(method={"name": name}))
    problem = pose_problem(encode_table(medical(), plan), plan)
    problem.progress.stop()
    with pytest.raises(Stopped):
        plan.method.search(problem)


COMMAND = """
import sys
import numpy as np
from numba import njit

@njit(nogil=True)
def endless(going):
    while going[0]:
        pass

endless(np.zeros(1, dtype=np.int64))

def search(self, problem):
    print("searching", flush=True)
    endless(np.ones(1, dtype=np.int64))

from indistinct.methods.partition.mondrian import Mondrian
from indistinct.cli import main
Mondrian.search = search
sys.argv[1:] = ["anonymize", "people.csv", "--plan", "plan.toml", "--out", "release.csv"]
main()
"""
PLAN = """
method = { name = "mondrian" }
require = [{ model = "k-anonymity", k = 2 }]
columns.age.role = "quasi"
"""


def test_the_command_answers_ctrl_c_while_a_kernel_runs_and_writes_nothing(tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "1\n2\n" * 5)
    (tmp_path / "plan.toml").write_text(PLAN)
    running = subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout.readline() == "searching\n"
    running.send_signal(signal.SIGINT)
    _, told = running.communicate()
    assert running.returncode == 130
    assert "nothing was written" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "plan.toml"]
