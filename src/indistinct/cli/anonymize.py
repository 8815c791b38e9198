"""`indistinct anonymize`: a private file in, a verified release out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import numbers, print_json, progress
from indistinct.cli.tables import show_detail, show_promises, show_table, show_warnings
from indistinct.errors import Fault, PlanError, counted


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="The private file (CSV, Parquet, Excel, SPSS, ...) or table of a database.",
        ),
    ],
    *,
    plan: Annotated[Path, typer.Option(help="The plan, TOML or JSON.")],
    out: Annotated[
        str,
        typer.Option(
            metavar="PATH|URL",
            help="Where the release goes: .csv, .csv.gz, .tsv, .parquet, .arrow, or a table.",
        ),
    ],
    sensitive_out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="Buckets as two files: where the table of sensitive values goes.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report; keep it private.")
    ] = None,
    public_report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report that may go with the release.")
    ] = None,
    report_json: Annotated[
        Path | None, typer.Option(help="Also write the report's numbers as JSON; keep it private.")
    ] = None,
    public_json: Annotated[
        Path | None, typer.Option(help="Also write the numbers of the public report as JSON.")
    ] = None,
    classify: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Tell how well a classifier still learns this sensitive column (scikit-learn).",
        ),
    ] = None,
    frontier: Annotated[
        str | None,
        typer.Option(help="Draw loss against k in the report: k as 2,5,10, a run for each."),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Also write a certificate.")] = None,
    recoding: Annotated[
        Path | None,
        typer.Option(help="Also write the recoding, to apply to later rows; keep it private."),
    ] = None,
    k: Annotated[
        int | None, typer.Option(help="The k of k-anonymity; overrides the plan's.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="The method, by its name; overrides the plan's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Overrides the plan's; keep it secret.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Overrides the plan's.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Overrides the plan's.")] = None,
    sheet: Annotated[
        str | None, typer.Option(help="Of a spreadsheet; overrides the plan's.")
    ] = None,
    guard_formulas: Annotated[
        bool | None,
        typer.Option(
            "--guard-formulas/--no-guard-formulas",
            help="Put ' before cells that a spreadsheet would run; overrides the plan's.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="auto|local|duckdb|spark",
            help="Who counts and rewrites the rows; overrides the plan's.",
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(metavar="2GB", help="What DuckDB may use before it spills to disk."),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Do not shuffle rows; the order may tell who is who."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search a recoding that meets the plan, publish it, check it, and write it.

    Exit code 0: done. 1: the requirements cannot be met, or the plan is unsafe; nothing is
    written. 2: bad input.
    """
    from indistinct import anonymize_file

    if frontier and report is None and report_json is None:
        remedy = "Ask for --report or --report-json, or run indistinct frontier."
        raise PlanError(Fault("--frontier", "there is no report to draw it in", remedy))
    with progress() as bar:
        release = anonymize_file(
            source,
            plan,
            out,
            sensitive_out=sensitive_out,
            report=report,
            public_report=public_report,
            report_json=report_json,
            public_json=public_json,
            classify=classify,
            frontier=numbers(frontier) if frontier else (),
            certificate=certificate,
            recoding=recoding,
            k=k,
            method=method,
            seed=seed,
            delimiter=delimiter,
            encoding=encoding,
            sheet=sheet,
            guard_formulas=guard_formulas,
            engine=engine,
            memory_limit=memory_limit,
            keep_order=keep_order,
            progress=bar,
        )
    if as_json:
        print_json(release.summary())
    else:
        show_summary(release.summary(), out)


def show_summary(summary: dict[str, Any], out: str | Path) -> None:
    """Print a release's facts for people."""
    from indistinct.report.words import cuts_found

    show_warnings(summary["warnings"])
    measures = summary["measures"]
    classes = f" in {counted(summary['classes'], 'class', 'classes')}" * bool(summary["classes"])
    typer.echo(
        f"{summary['released_rows']:,} of {summary['input_rows']:,} rows released"
        f"{classes}, {summary['suppressed_rows']:,} suppressed -> {out}"
    )
    show_promises(summary["requirements"])
    losses = [
        (name, "-" if level is None else str(level), f"{measures['ncp'][name]:.4f}")
        for name, level in summary["levels"].items()
    ]
    losses.append(("all (GCP)", "", f"{measures['gcp']:.4f}"))
    show_table(("column", "level", f"loss (NCP, {measures['gcp_form']})"), losses)
    show_detail((d["column"], d["published_as"], d["finest"]) for d in summary["detail"])
    if facts := summary.get("classifier"):
        typer.echo(_classified(facts))
    if cuts := cuts_found(summary["search"]):
        typer.echo(cuts)


def _classified(facts: dict[str, Any]) -> str:
    shares = [f"{facts[who]['share']:.1%}" for who in ("by_release", "by_private", "by_majority")]
    return (
        f"a classifier of {facts['column']!r} is right for {shares[0]} of new people if it learnt "
        f"from the release, {shares[1]} from private rows ({facts['kept']:.1%} kept), and "
        f"{shares[2]} by always saying the most frequent value"
    )
