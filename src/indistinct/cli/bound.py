"""`indistinct bound`: how far from the best possible release a method's is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Data, PlanFile
from indistinct.cli.running import print_json
from indistinct.running.bars import progress_bar

if TYPE_CHECKING:
    from indistinct.verbs.bound import Bounded

SOLVED = 1e-3


def command(
    source: Data,
    *,
    plan: PlanFile,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Solve a linear program over all classes, for some thousand rows."
        ),
    ] = False,
    time_limit: Annotated[
        float, typer.Option(help="How many seconds --exact may take.", min=0)
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Run the plan's method, and show its loss beside a loss that no release can fall below.

    Nothing is written.

    Exit code 0: done. 1: the requirements cannot be met, or the plan is unsafe. 2: bad input.
    """
    from indistinct import bound

    with progress_bar() as bar:
        bounded = bound(source, plan, exact=exact, time_limit=time_limit, progress=bar)
    if as_json:
        print_json(bounded.as_json())
    else:
        typer.echo(words(bounded))


def words(bounded: Bounded) -> str:
    """Say how far from the best possible a release is."""
    least = bounded.bound
    above = (
        "" if bounded.above is None else f": at most {bounded.above:.1%} above the best possible"
    )
    told = (
        f"{bounded.method} loses {bounded.loss:.4f}; no release can lose less than "
        f"{least.low:.4f}{above}"
    )
    if least.at_most is not None and least.at_most > least.loss * (1 + SOLVED):
        told += f"\nwith more time this bound could rise to {least.at_most:.4f} at most"
    return told
