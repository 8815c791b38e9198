"""`indistinct plan`: suggest a first plan, and check one before it is run."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Delimiter, Encoding, Sheet
from indistinct.cli.running import print_json
from indistinct.cli.tables import (
    few_of_each_role,
    show_detail,
    show_lines,
    show_table,
    show_warnings,
)
from indistinct.errors import counted

if TYPE_CHECKING:
    from indistinct.plan.suggestion import SuggestedPlan
    from indistinct.verbs.check_plan import CheckedPlan

app = typer.Typer(help="Suggest a first plan, and check a plan.", no_args_is_help=True)

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A file (CSV, Parquet, Excel, SPSS, ...) or database table."
    ),
]


@app.command(short_help="Suggest a first plan for a file.")
def suggest(
    source: Data,
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the plan to this new TOML file instead of standard output."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that recipients will want to predict. Keep what predicts it best.",
        ),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Suggest a role and a hierarchy for each column, with what speaks for it.

    The plan holds no value of the data. Read it, correct it, and check it before you use it.
    """
    from indistinct import suggest_plan

    suggested = suggest_plan(
        source, out=out, target=target, delimiter=delimiter, encoding=encoding, sheet=sheet
    )
    if as_json:
        print_json(suggested.as_json())
        return
    if out is None:
        typer.echo(suggested.toml(), nl=False)
    _show(suggested, source, out)


@app.command(short_help="Check that a plan can be used on a file.")
def check(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan (TOML or JSON).")],
    source: Data,
    *,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Tell all that anonymize would refuse before it searches; nothing is run or written.

    Exit code 0: the plan can be used. 1: it would publish what looks like an identifier, or count
    rows instead of people, and does not say why. 2: it cannot be used; all faults are listed.
    """
    from indistinct import check_plan

    checked = check_plan(plan, source, delimiter=delimiter, encoding=encoding, sheet=sheet)
    if as_json:
        print_json(checked.as_json())
    else:
        _show_checked(checked)


def _show(suggested: SuggestedPlan, source: str, out: Path | None) -> None:
    """Show what was decided and why; beside a plan that goes to standard output, on the other."""
    err = out is None
    rows = [(column.name, column.role, column.why) for column in suggested.columns]
    show_table(("column", "role", "why"), few_of_each_role(rows), err=err)
    look_at = [f"look at: {line}" for line in suggested.look_at]
    show_lines(look_at, "see the plan, or ask for --json", err=err)
    if out is not None:
        then = f"indistinct plan check {quote(str(out))} {quote(source)}"
        typer.echo(f"A first plan -> {out}. Read it, then: {then}")


def _show_checked(checked: CheckedPlan) -> None:
    asked = "; ".join(f"{r.model} ({r.asked()})" for r in checked.plan.require)
    show_warnings(checked.warnings)
    typer.echo(f"fine: {counted(checked.rows, 'row')}, method {checked.plan.method.name}, {asked}")
    rows = [
        (column.column, column.role, "-" if column.levels is None else str(column.levels))
        for column in checked.columns
    ]
    show_table(("column", "role", "hierarchy levels"), few_of_each_role(rows))
    show_detail(
        (column.column, column.published_as, column.finest or "")
        for column in checked.columns
        if column.published_as is not None
    )
    for note in checked.notes:
        typer.echo(f"note: {note}")
