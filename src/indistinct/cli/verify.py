"""`indistinct verify`: check a release again, from its rows alone."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.running import UNDECIDED, print_json
from indistinct.errors import counted

if TYPE_CHECKING:
    from indistinct.check.limits import LimitFound
    from indistinct.check.rows import Evidence, Verified


def command(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The published file.")],
    *,
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate written with the release.")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="Or the plan to hold it to.")] = None,
    sensitive_table: Annotated[
        Path | None, typer.Option(help="The table of sensitive values, if there are two files.")
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(help="The private file, to decide about a freeform release."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="An older release of the same people, to lay it over.")
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(help="With --against: people with exact values, only these count."),
    ] = None,
    allow_outside: Annotated[
        bool,
        typer.Option(
            "--allow-outside",
            help="Let a certificate name hierarchy files outside its own folder.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check that a file is the certified one and that its rows keep what was promised.

    Exit code 0: it does. 1: it does not. 2: bad input. 3: it cannot be decided from what is given.
    """
    from indistinct import verify

    found = verify(
        release,
        plan,
        certificate=certificate,
        sensitive_table=sensitive_table,
        private=private,
        against=against,
        people=people,
        allow_outside=allow_outside,
    )
    if as_json:
        print_json(
            {
                "holds": found.holds,
                "released_rows": found.released_rows,
                "classes": int(found.class_sizes.size),
                "hash_matches": True if certificate else None,
                "composes": True if against else None,
                "requirements": [evidence.as_json() for evidence in found.evidence],
                "limits": [limit.as_json() for limit in found.limits],
                "untold": list(found.untold),
            }
        )
    else:
        if certificate:
            typer.echo("the file is the certified one")
        if against:
            typer.echo("laid over the older release it leaves enough rows for everybody")
        _show(found)
    if found.holds is None:
        raise typer.Exit(UNDECIDED)


def _show(found: Verified) -> None:
    classes = found.class_sizes.size
    told = f" in {counted(classes, 'class', 'classes')}" if classes else ""
    typer.echo(f"{counted(found.released_rows, 'row')}{told}")
    for evidence in found.evidence:
        measured = f"measured {evidence.measured:g}, " if isfinite(evidence.measured) else ""
        asked = evidence.requirement.asked()
        typer.echo(f"{_promise(evidence)} ({asked}): {measured}{_verdict(evidence)}")
    for limit in found.limits:
        typer.echo(f"{limit.name} ({limit.allowed:g}): {_verdict(limit)}")
    for told in found.untold:
        typer.echo(f"not told by the release: {told}")


def _verdict(found: Evidence | LimitFound) -> str:
    return "holds" if found.holds else f"cannot be decided: {found.note}"


def _promise(evidence: Evidence) -> str:
    """Name what was promised, of which column and for which quasi-identifier."""
    column = f" of {evidence.column}" if evidence.column else ""
    whose = "" if evidence.quasi_set == "all" else f" in {evidence.quasi_set}"
    return f"{evidence.requirement.model}{column}{whose}"
