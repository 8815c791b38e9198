"""`indistinct apply`: new rows through the recoding of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.cli.tables import measured, model, show_table, show_warnings
from indistinct.errors import counted
from indistinct.running.bars import progress_bar


def command(
    recoding: Annotated[
        Path, typer.Argument(metavar="RECODING", help="The file that anonymize --recoding wrote.")
    ],
    source: Annotated[
        str, typer.Argument(metavar="DATA", help="The file or table with the new rows.")
    ],
    *,
    out: Annotated[
        str,
        typer.Option(
            metavar="PATH|URL",
            help="Where to write the new rows: .csv, .tsv, .parquet, .arrow, or a table.",
        ),
    ],
    others: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|URL", help="An earlier release made with this recoding. May be repeated."
        ),
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(
            help="What to do with rows whose values are unknown: hold (them back) or error."
        ),
    ] = "hold",
    as_one: Annotated[
        bool,
        typer.Option(
            "--as-one", help="Check old and new rows together only, not the new rows on their own."
        ),
    ] = False,
    held_back: Annotated[
        Path | None, typer.Option(help="Also list the numbers of the rows held back (.csv).")
    ] = None,
    recoding_out: Annotated[
        Path | None,
        typer.Option(help="Also write the recoding, updated with the new rows."),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Keep the order of rows. It may reveal who is who."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Publish new rows as an earlier release published its rows, check them, and write them.

    Rows that no class covers, or that would break a requirement, are held back.

    Exit code 0: done. 1: every row would be held back, or a promise fails. 2: bad input.
    """
    from indistinct import apply_file

    with progress_bar() as bar:
        applied = apply_file(
            recoding,
            source,
            out,
            others=others or (),
            unknown=unknown,  # type: ignore[arg-type]  # refused there
            as_one=as_one,
            held_back=held_back,
            recoding_out=recoding_out,
            keep_order=keep_order,
            progress=bar,
        )
    if as_json:
        print_json(applied.summary())
    else:
        _show(applied.summary(), out)


def _show(summary: dict[str, Any], out: str) -> None:
    show_warnings(summary["warnings"])
    typer.echo(
        f"{summary['released_rows']:,} of {summary['input_rows']:,} rows released in "
        f"{counted(summary['classes'], 'class', 'classes')}, "
        f"{summary['held_back_rows']:,} held back -> {out}"
    )
    for reason, rows in summary["held_back"].items():
        if rows:
            typer.echo(f"held back, {reason}: {len(rows):,}")
    both = zip(summary["requirements"], summary["union"]["requirements"], strict=True)
    promises = [(model(new), new["promised"], _result(new), _result(union)) for new, union in both]
    show_table(("requirement", "promised", "new rows", "all together"), promises)
    typer.echo(f"loss (GCP) of the new rows: {summary['gcp']:.4f}")


def _result(promise: dict[str, Any]) -> str:
    holds = {True: "holds", False: "does not hold", None: "cannot tell"}[promise["holds"]]
    return f"{measured(promise)}, {holds}"
