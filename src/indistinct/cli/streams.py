"""Standard output and standard error, whatever they are: a terminal, a full disk, or closed.

What a command came to does not depend on whether it could be printed. A closed stream is like one
to nowhere, and so is a pipe that nobody reads any more. What could not be printed for another
reason, such as a full disk, is reported on standard error, and by the exit code.
"""

from __future__ import annotations

import io
import os
import select
import sys
from errno import EPIPE
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUT, ERR = 1, 2


class Patient(io.FileIO):
    """A stream that takes everything, and remembers why it could not pass it on."""

    lost: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Pass data on, until that fails once."""
        size = memoryview(data).nbytes
        try:
            while self.lost is None:
                if (written := super().write(data)) is not None:
                    return written
                select.select([], [self], [])  # a pipe that asks to come again later
        except OSError as error:
            self.lost = error
        return size


def prepare() -> None:
    """Make standard output and error streams that never fail.

    Where one of the three standard streams is closed, the next file to be opened would take its
    number, and get what is written there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = _patient(OUT, sys.stdout)
    sys.stderr = _patient(ERR, sys.stderr)


def _patient(number: int, former: TextIO | None) -> TextIO:
    raw = Patient(number, "w", closefd=False)
    encoding = former.encoding if former is not None else "utf-8"
    immediate = number == ERR or raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=immediate
    )


def legible() -> None:
    """Let characters that a stream cannot show be written as escapes, where it can be set so."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def lost_output() -> str | None:
    """Say why standard output could not be written; None if it was, or nobody reads it."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    error = raw.lost if isinstance(raw, Patient) else None
    if error is None or error.errno == EPIPE:
        return None
    return (error.strerror or str(error)).lower()
