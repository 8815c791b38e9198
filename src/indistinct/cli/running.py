"""What every verb shares: exit codes, errors, JSON on stdout, progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import typer

from indistinct.cli.signals import as_interrupts
from indistinct.cli.streams import legible, lost_output
from indistinct.disk.drafts import noting
from indistinct.errors import Fault, IndistinctError, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BAD_INPUT = 2
UNDECIDED = 3
INTERRUPTED = 130
BY_SIGNAL = 128
OURS = 70
UNTOLD = 74
OUR_FAULT = (
    "This is a bug in indistinct: set INDISTINCT_DEBUG=1 to see where (the trace may show data)."
)


def run(app: typer.Typer) -> None:
    """Run the app; turn every error into one message and an exit code."""
    legible()
    with noting() as written, as_interrupts() as signals:
        code = _code(app, written)
        if code == INTERRUPTED:
            code = BY_SIGNAL + signals[0] if signals else INTERRUPTED
            how = f"ended by {signals[0].name}" if signals else "interrupted"
            _show("Interrupted", f"{how}; {_outcome(written)}", [Fault(how, _outcome(written))])
        if reason := lost_output():
            problem = f"standard output cannot be written: {reason}; {_outcome(written)}"
            typer.echo(f"indistinct: {problem}", err=True)
            code = code or UNTOLD
    sys.exit(code)


def _code(app: typer.Typer, written: list[Path | str]) -> int:
    try:
        _refuse_odd_arguments()
        code = app(standalone_mode=False)
    except IndistinctError as error:
        _show(type(error).__name__, str(error), error.faults)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "show"):
            _show_usage(error)
            return BAD_INPUT
        if os.environ.get("INDISTINCT_DEBUG"):
            raise
        problem = f"internal error ({type(error).__name__}); {_outcome(written)}"
        _show("InternalError", f"{problem}. {OUR_FAULT}", [Fault("indistinct", problem, OUR_FAULT)])
        return OURS
    return code if isinstance(code, int) else 0


def _outcome(written: list[Path | str]) -> str:
    """Say which outputs took their places."""
    if not written:
        return "nothing was written"
    return f"written: {', '.join(map(str, written))}"


def _refuse_odd_arguments() -> None:
    """Raise if an argument is no text: no file could be named by it in a report or a message."""
    faults = [
        Fault(f"argument {place}", problem, "Rename the file, or check the locale (LANG).")
        for place, argument in enumerate(sys.argv[1:], start=1)
        if (problem := _oddity(argument))
    ]
    if faults:
        raise PlanError(faults)


def _oddity(argument: str) -> str | None:
    if "\0" in argument:
        return "it holds a NUL character"
    try:
        argument.encode()
    except UnicodeEncodeError:
        return "it is not valid UTF-8"
    return None


def leave(code: object) -> None:
    """End the process at once; taking the interpreter apart takes longer than a small release."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _show(kind: str, message: str, faults: Iterable[Fault]) -> None:
    if "--json" in sys.argv:
        listed = [{"place": f.place, "problem": f.problem, "remedy": f.remedy} for f in faults]
        print_json({"error": kind, "faults": listed})
    else:
        typer.echo(f"indistinct: {message}", err=True)


def _show_usage(error: Any) -> None:
    """Show what is wrong with the command line; the parser knows best how to show it."""
    if "--json" in sys.argv:
        problem = error.format_message().rstrip(".")
        _show("UsageError", problem, [Fault("command line", problem, "See indistinct --help.")])
    else:
        error.show()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(content, indent=1, ensure_ascii=False))


def numbers(text: str) -> list[Any]:
    """Read whole numbers with commas between them; who checks them reports what is none."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [int(part) if part.isdecimal() else part for part in parts]
