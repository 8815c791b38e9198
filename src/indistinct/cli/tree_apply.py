"""`indistinct tree apply`: later tree records through the recoding of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.cli.tables import HOLDS, show_table, show_warnings
from indistinct.running.bars import progress_bar


def command(
    recoding: Annotated[
        Path,
        typer.Argument(metavar="RECODING", help="The file that tree anonymize --recoding wrote."),
    ],
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="The file, or the folder, with the new records.")
    ],
    *,
    out: Annotated[Path, typer.Option(help="The release: .jsonl, .xml, or a folder for tables.")],
    others: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH", help="An earlier release made with this recoding. May be repeated."
        ),
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(
            help="What to do with records whose values are unknown: hold (them back) or error."
        ),
    ] = "hold",
    as_one: Annotated[
        bool,
        typer.Option(
            "--as-one",
            help="Check old and new records together only, not the new records on their own.",
        ),
    ] = False,
    coarsen: Annotated[
        bool,
        typer.Option("--coarsen", help="Coarsen new records further instead of holding them back."),
    ] = False,
    held_back: Annotated[
        Path | None, typer.Option(help="Also list the numbers of the records held back (.csv).")
    ] = None,
    recoding_out: Annotated[
        Path | None, typer.Option(help="Also write the recoding, updated with the new records.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Publish new records as an earlier release published its records, check and write them.

    Records that would break a requirement are held back, or coarsened with --coarsen.

    Exit code 0: done. 1: every record would be held back, or a promise fails. 2: bad input.
    """
    from indistinct.trees.applying.verbs import apply_file

    with progress_bar() as bar:
        applied = apply_file(
            recoding,
            source,
            out,
            others=others or (),
            unknown=unknown,  # type: ignore[arg-type]  # refused there
            as_one=as_one,
            coarsen=coarsen,
            held_back=held_back,
            recoding_out=recoding_out,
            progress=bar,
        )
    if as_json:
        print_json(applied.summary())
    else:
        _show(applied.summary(), out)


def _show(summary: dict[str, Any], out: Path) -> None:
    show_warnings(summary["warnings"])
    typer.echo(
        f"{summary['released_records']:,} of {summary['input_records']:,} records released with "
        f"{summary['released_nodes']:,} nodes, {summary['held_back_records']:,} held back -> {out}"
    )
    for reason, records in summary["held_back"].items():
        if records:
            typer.echo(f"held back, {reason}: {len(records):,}")
    if summary["left_out_nodes"]:
        typer.echo(f"nodes left out of published records: {summary['left_out_nodes']:,}")
    both = zip(summary["requirements"], summary["union"]["requirements"], strict=True)
    promises = [
        (new["model"], new["promised"], HOLDS[new["holds"]], HOLDS[union["holds"]])
        for new, union in both
    ]
    together = f"all {summary['union']['records']:,} together"
    show_table(("requirement", "promised", "new records", together), promises)
