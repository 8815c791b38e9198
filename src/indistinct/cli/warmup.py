"""`indistinct warmup`: compile beforehand what first runs would compile."""

from __future__ import annotations

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.running.bars import progress_bar


def command(*, as_json: AsJson = False) -> None:
    """Compile the inner loops of every method, so that no later run has to."""
    from indistinct import warmup

    with progress_bar() as bar:
        warmed = warmup(progress=bar)
    if as_json:
        folder = None if warmed.folder is None else str(warmed.folder)
        print_json({"jobs": warmed.jobs, "seconds": warmed.seconds, "folder": folder})
    elif warmed.folder is None:
        typer.echo(
            "compiled, but there is no writable folder to keep it in: each run compiles again"
        )
    else:
        typer.echo(f"compiled in {warmed.seconds:.0f} s, and kept in {warmed.folder}")
