"""A process that looks at a large table, so that the server never holds it.

What it is asked, and what it answers, goes through its pipes as pickles: both ends are this
program. It ends when its standard input closes, which it does with the app.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from indistinct.errors import IndistinctError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.app.project import Project

P = ParamSpec("P")
R = TypeVar("R")

_SIZE = struct.Struct("<Q")


class Looker:
    """The process of one project; it is started when first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, function: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        """Have a function called with the project there and return what it returns, or raise."""
        with self._lock:
            process = self._running()
            assert process.stdin is not None  # noqa: S101 - pipes were asked for
            assert process.stdout is not None  # noqa: S101 - so was this one
            _send(process.stdin, (function, args, kwargs))
            kind, answer = _receive(process.stdout)
        if kind == "faults":
            raise PlanError(answer)
        if kind == "bug":
            raise RuntimeError(answer)
        return cast("R", answer)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            path = os.pathsep.join(name for name in sys.path if name)
            self._process = subprocess.Popen(  # noqa: S603 - it is ourselves
                [sys.executable, "-m", "indistinct.app.looker", str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(self._folder)},
            )
        return self._process

    def end(self) -> None:
        """End the process; it is started again when asked."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.communicate()
                self._process = None


def aside(function: Callable[P, R]) -> Callable[P, R]:
    """Call a function, whose first argument is the project, where its table may be held."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        project = cast("Project", args[0])
        if not project.large:
            return function(*args, **kwargs)
        return project.looker.ask(called, *args[1:], **kwargs)

    return called


def _send(pipe: IO[bytes], content: Any) -> None:
    data = pickle.dumps(content)
    pipe.write(_SIZE.pack(len(data)) + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return "bug", "the process that looks at the table ended"
    return pickle.loads(pipe.read(_SIZE.unpack(head)[0]))  # noqa: S301 - it is ourselves


def main() -> None:
    """Answer until nobody asks any more."""
    from indistinct.app.project import Project

    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    project = Project(Path(sys.argv[1]), holds_tables=True)
    while head := asked.read(_SIZE.size):
        function, args, kwargs = pickle.loads(asked.read(_SIZE.unpack(head)[0]))  # noqa: S301
        try:
            _send(answers, ("fine", function(project, *args, **kwargs)))
        except IndistinctError as error:
            _send(answers, ("faults", list(error.faults)))
        except Exception as error:  # noqa: BLE001 - a trace would show data
            _send(answers, ("bug", type(error).__name__))


if __name__ == "__main__":
    main()
