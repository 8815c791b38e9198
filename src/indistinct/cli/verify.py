"""`indistinct verify`: check a release again, from its rows alone."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import UNDECIDED, print_json
from indistinct.errors import DataError, Fault, counted
from indistinct.series.facts import joined_json

if TYPE_CHECKING:
    from indistinct.check.limits import LimitFound
    from indistinct.check.rows import Evidence, Verified

_CERTIFIED = "the file is the certified one"
_IN_ANOTHER = "the rows are the certified ones, in another file"


def command(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The published file or table.")],
    *,
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate written with the release.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Or the plan that the release must keep.")
    ] = None,
    sensitive_table: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL", help="The table of sensitive values, if there are two files."
        ),
    ] = None,
    private: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|URL",
            help="The private file, needed to judge a freeform release, and for more attacks; of a "
            "series those of all releases, the first one first.",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|URL",
            help="An older release about the same people, to check both together. May be repeated.",
        ),
    ] = None,
    series: Annotated[
        Path | None,
        typer.Option(
            metavar="LEDGER",
            help="The ledger of a series: check all its releases joined (--against names the "
            "others).",
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="With --against: a table of people with exact values. Only they count.",
        ),
    ] = None,
    allow_outside: Annotated[
        bool,
        typer.Option(
            "--allow-outside",
            help="Let a certificate name hierarchy files outside its own folder.",
        ),
    ] = False,
    attacks: Annotated[
        bool,
        typer.Option("--attacks", help="Also attack the release, and say how each attack ended."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check that a release is the certified one and that its rows keep what was promised.

    The rows of the certified file may be given in any order, and in another file or table.

    Exit code 0: it does. 1: it does not. 2: bad input. 3: it cannot be decided from what is given.
    """
    from indistinct import verify

    verified = verify(
        release,
        plan,
        certificate=certificate,
        sensitive_table=sensitive_table,
        private=_one_or_all(private, series),
        against=against or None,
        people=people,
        series=series,
        allow_outside=allow_outside,
        attacks=attacks,
    )
    if as_json:
        print_json(
            {
                "holds": verified.holds,
                "released_rows": verified.released_rows,
                "classes": int(verified.class_sizes.size),
                "hash_matches": verified.same_file,
                "rows_match": True if certificate else None,
                "composes": True if against or series else None,
                **({"series": [joined_json(*part) for part in verified.joined]} if series else {}),
                "requirements": [evidence.as_json() for evidence in verified.evidence],
                "limits": [limit.as_json() for limit in verified.limits],
                "untold": list(verified.untold),
                "attacks": [tried.as_json() for tried in verified.attacks],
                "not_tried": dict(verified.not_tried),
            }
        )
    else:
        if certificate:
            typer.echo(_CERTIFIED if verified.same_file else _IN_ANOTHER)
        if series:
            typer.echo(_over_series(verified))
        elif against:
            typer.echo("combined with the older release it leaves enough rows for everybody")
        _show(verified)
    if verified.holds is None:
        raise typer.Exit(UNDECIDED)


def _one_or_all(private: list[str] | None, series: Path | None) -> str | list[str] | None:
    """Return the one private file, or those of a series."""
    if not private or series is not None:
        return private or None
    if len(private) > 1:
        problem, remedy = "only a series has several private files", "Give one, or --series."
        raise DataError(Fault("--private", problem, remedy))
    return private[0]


def _over_series(verified: Verified) -> str:
    """Say what holds of people who have the same history in all releases."""
    releases = max(number for number, _ in verified.joined)
    worst: dict[str, list[str]] = {}
    for _, evidence in verified.joined:
        asked = f"{_promise(replace(evidence, quasi_set='all'))} ({evidence.requirement.asked()})"
        worst.setdefault(asked, []).append(f"{evidence.measured:g}")
    lines = [f"{counted(releases, 'release')} joined, among people of the same history:"]
    lines += [f"  {asked}: measured {', '.join(values)}, holds" for asked, values in worst.items()]
    return "\n".join(lines)


def _show(verified: Verified) -> None:
    classes = verified.class_sizes.size
    where = f" in {counted(classes, 'class', 'classes')}" if classes else ""
    typer.echo(f"{counted(verified.released_rows, 'row')}{where}")
    for evidence in verified.evidence:
        measured = f"measured {evidence.measured:g}, " if isfinite(evidence.measured) else ""
        asked = evidence.requirement.asked()
        typer.echo(f"{_promise(evidence)} ({asked}): {measured}{_verdict(evidence)}")
    for limit in verified.limits:
        typer.echo(f"{limit.name} ({limit.allowed:g}): {_verdict(limit)}")
    for untold in verified.untold:
        typer.echo(f"not shown by the release: {untold}")
    for tried in verified.attacks:
        column = f" ({tried.column})" if tried.column else ""
        ended = "succeeds" if tried.succeeded else "fails"
        figures = f"{tried.share:.1%}, by chance {tried.baseline:.1%}"
        typer.echo(f"attack {tried.attack}{column}: {ended} ({figures})")
    for name, lacks in verified.not_tried.items():
        typer.echo(f"attack {name}: not tried, it lacks {lacks}")


def _verdict(part: Evidence | LimitFound) -> str:
    return "holds" if part.holds else f"cannot be decided: {part.note}"


def _promise(evidence: Evidence) -> str:
    """Name what was promised, of which column and for which quasi-identifier."""
    column = f" of {evidence.column}" if evidence.column else ""
    whose = "" if evidence.quasi_set == "all" else f" in {evidence.quasi_set}"
    return f"{evidence.requirement.model}{column}{whose}"
