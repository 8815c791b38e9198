"""What every verb shares: exit codes, errors, JSON on stdout, progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from indistinct.errors import Fault, IndistinctError
from indistinct.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BAD_INPUT = 2
UNDECIDED = 3
INTERRUPTED = 130
OURS = 70
OUR_FAULT = (
    "Nothing was written. This is a bug in indistinct: set INDISTINCT_DEBUG=1 to see where "
    "(the trace may show data)."
)
COMPILING = "compiling the inner loops that this needs, once; this takes some seconds"


def run(app: typer.Typer) -> None:
    """Run the app; turn every error into one message and an exit code."""
    try:
        code = app(standalone_mode=False)
    except IndistinctError as error:
        _tell(type(error).__name__, str(error), error.faults)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "show"):
            _tell_usage(error)
            sys.exit(BAD_INPUT)
        if os.environ.get("INDISTINCT_DEBUG"):
            raise
        fault = Fault("indistinct", f"internal error ({type(error).__name__})", OUR_FAULT)
        _tell("InternalError", f"{fault.problem}. {fault.remedy}", [fault])
        sys.exit(OURS)
    if code == INTERRUPTED:
        typer.echo("interrupted; nothing was written", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def leave(code: object) -> None:
    """End the process at once; taking the interpreter apart takes longer than a small release."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _tell(kind: str, message: str, faults: Iterable[Fault]) -> None:
    if "--json" in sys.argv:
        told = [{"place": f.place, "problem": f.problem, "remedy": f.remedy} for f in faults]
        print_json({"error": kind, "faults": told})
    else:
        typer.echo(f"indistinct: {message}", err=True)


def _tell_usage(error: Any) -> None:
    """Tell what is wrong with the command line; the parser knows best how to show it."""
    if "--json" in sys.argv:
        problem = error.format_message().rstrip(".")
        _tell("UsageError", problem, [Fault("command line", problem, "See indistinct --help.")])
    else:
        error.show()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(content, indent=1, ensure_ascii=False))


class _Bar:
    """Progress as a bar on stderr."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("start", total=1.0)

    def stage(self, name: str) -> None:
        self._bar.update(self._task, description=name, completed=0.0)

    def advance(self, done: float) -> None:
        self._bar.update(self._task, completed=done)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show progress on stderr if it is a terminal, and nothing otherwise."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    from indistinct.compiling import tell_when_compiling

    bar = RichProgress(
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tell_when_compiling(lambda: bar.console.print(COMPILING))
    with bar:
        yield Progress(_Bar(bar))


def numbers(text: str) -> list[Any]:
    """Read whole numbers with commas between them; who checks them tells what is none."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [int(part) if part.isdecimal() else part for part in parts]
