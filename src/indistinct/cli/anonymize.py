"""`indistinct anonymize`: a private file in, a verified release out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson, Data, PlanFile
from indistinct.cli.running import numbers, print_json
from indistinct.cli.tables import show_detail, show_promises, show_table, show_warnings
from indistinct.errors import Fault, PlanError, counted
from indistinct.running.bars import progress_bar


def command(
    source: Data,
    *,
    plan: PlanFile,
    out: Annotated[
        str,
        typer.Option(
            metavar="PATH|URL",
            help="Where to write the release: .csv, .csv.gz, .tsv, .parquet, .arrow, or a table.",
        ),
    ],
    sensitive_out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="Where to write the sensitive values, if buckets go into two files.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report. Keep it private.")
    ] = None,
    public_report: Annotated[
        Path | None,
        typer.Option(help="Also write an HTML report that can be published with the release."),
    ] = None,
    report_json: Annotated[
        Path | None, typer.Option(help="Also write the report's figures as JSON. Keep it private.")
    ] = None,
    public_json: Annotated[
        Path | None, typer.Option(help="Also write the public report's figures as JSON.")
    ] = None,
    classify: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Measure how well a classifier still predicts this column (scikit-learn).",
        ),
    ] = None,
    frontier: Annotated[
        str | None,
        typer.Option(
            help="Plot loss against k in the report for these k, such as 2,5,10 (one run each)."
        ),
    ] = None,
    exact_bound: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Look so long for the least loss that any release can have, for small tables.",
            min=0,
        ),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Also write a certificate.")] = None,
    recoding: Annotated[
        Path | None,
        typer.Option(help="Also write the recoding, to apply it to later rows. Keep it private."),
    ] = None,
    series: Annotated[
        Path | None,
        typer.Option(
            metavar="LEDGER",
            help="Make the next release of a series, and note it in its ledger. Keep it private.",
        ),
    ] = None,
    first: Annotated[
        bool, typer.Option("--first", help="Begin a series: there is no ledger yet.")
    ] = False,
    k: Annotated[int | None, typer.Option(help="The k of k-anonymity. Overrides the plan.")] = None,
    method: Annotated[
        str | None, typer.Option(help="The name of the method. Overrides the plan.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The random seed. Overrides the plan. Keep it secret.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The delimiter of a CSV file. Overrides the plan.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of a CSV file. Overrides the plan.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of a spreadsheet. Overrides the plan.")
    ] = None,
    guard_formulas: Annotated[
        bool | None,
        typer.Option(
            "--guard-formulas/--no-guard-formulas",
            help="Put ' before cells that a spreadsheet would run as formulas. Overrides the plan.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="auto|local|duckdb|spark",
            help="The engine that counts and rewrites rows. Overrides the plan.",
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="2GB", help="How much memory DuckDB may use before it spills to disk."
        ),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option("--keep-order", help="Keep the order of rows. It may reveal who is who."),
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
    with progress_bar() as bar:
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
            exact_bound=exact_bound,
            certificate=certificate,
            recoding=recoding,
            series=series,
            first=first,
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
    from indistinct.report.words import cuts_found, in_series

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
    if series := summary.get("series"):
        typer.echo(in_series(series))
    if least := summary.get("bound"):
        typer.echo(f"no release can lose less than {least['loss']:.4f} (GCP)")
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
