"""Mixed-integer programs, solved by HiGHS so that it can be stopped.

HiGHS cannot be interrupted from Python. Small programs are solved within a moment here; whatever
takes longer begins again in a process of its own, which ends when it is killed, and by itself when
the one that started it does: it then has nothing more to read.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import wait
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, cast

from indistinct.running.background import in_background

if TYPE_CHECKING:
    from indistinct.methods.common.deadline import Deadline

MOMENT = 0.5
OFTEN = 0.05
WORKING, STARTING = 0.9, 0.5
LEAST = 0.05
STOPPED_EARLY = 1
ELSEWHERE = """
import os, pickle, sys, threading
asked = pickle.load(sys.stdin.buffer)
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(1)), daemon=True).start()
from scipy.optimize import milp
pickle.dump(dict(milp(**asked)), sys.stdout.buffer)
sys.stdout.buffer.flush()
os._exit(0)
"""


def solve(deadline: Deadline, **program: Any) -> dict[str, Any]:
    """Solve a program, given as to `scipy.optimize.milp`, until time is over.

    Returns
    -------
    dict
        What `milp` returns: `x` is None if no solution was found, and `status` 0 if the best was.
    """
    from scipy.optimize import milp

    deadline.passed  # noqa: B018 - looks whether anyone waits
    moment = max(LEAST, min(MOMENT, deadline.left))
    first = dict(milp(**program, options={"time_limit": moment}))
    if first["status"] != STOPPED_EARLY or deadline.passed or not sys.executable:
        return first
    options = {}
    if deadline.seconds_left is not None:
        options["time_limit"] = max(LEAST, deadline.left * WORKING - STARTING)
    later = _elsewhere(deadline, program | {"options": options})
    return first if later is None or later["x"] is None else later


def _elsewhere(deadline: Deadline, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Solve a program in another process; None if it does not end in time."""
    with subprocess.Popen(  # noqa: S603 - this very Python, and code of ours
        [sys.executable, "-c", ELSEWHERE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        to, back = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        answer = in_background(back.read)
        try:
            pickle.dump(asked, to)
            to.flush()
            while not answer.done() and not deadline.passed:
                wait([answer], timeout=OFTEN)
        finally:
            process.kill()
            answer.result()
        solution: dict[str, Any] | None = None
        with suppress(EOFError, pickle.UnpicklingError):  # it was killed before it answered
            solution = pickle.loads(answer.result())  # noqa: S301 - written by our own process
        return solution
