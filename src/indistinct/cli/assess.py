"""`indistinct assess`: how much a file says about single people, before any release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson, Delimiter, Encoding, Sheet
from indistinct.cli.running import print_json
from indistinct.cli.tables import show_table
from indistinct.errors import counted
from indistinct.running.bars import progress_bar


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file (CSV, Parquet, Excel, SPSS, ...) or database table."
        ),
    ],
    *,
    plan: Annotated[
        Path | None, typer.Option(help="Assess the quasi-identifiers that this plan names.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Or assess these columns, separated by commas.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL", help="A release of the data, to compare before and after."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Count rows at higher risk than this. Default: 1/k of the plan, or 0.2."),
    ] = None,
    sampling: Annotated[
        float | None, typer.Option(help="What share of the population is in the file.")
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(metavar="PATH|URL", help="Or the population itself, with the same columns."),
    ] = None,
    respondent: Annotated[
        str | None, typer.Option(help="The column that says which person each row belongs to.")
    ] = None,
    household: Annotated[
        str | None, typer.Option(help="The column that says which people share a household.")
    ] = None,
    safe_harbor: Annotated[
        bool,
        typer.Option("--safe-harbor", help="Look for the 18 identifiers of HIPAA's Safe Harbor."),
    ] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    top: Annotated[int, typer.Option(help="How many sets of columns to show.", min=1)] = 12,
    as_json: AsJson = False,
) -> None:
    """Show class sizes, unique rows, the riskiest columns, and what looks like an identifier."""
    from indistinct import assess

    with progress_bar() as bar:
        chosen = [name.strip() for name in columns.split(",")] if columns else None
        assessment = assess(
            source,
            plan,
            columns=chosen,
            release=release,
            threshold=threshold,
            sampling=sampling,
            population=population,
            respondent=respondent,
            household=household,
            safe_harbor=safe_harbor,
            delimiter=delimiter,
            encoding=encoding,
            sheet=sheet,
            progress=bar,
        ).as_json()
    if as_json:
        print_json(assessment)
    else:
        _show(assessment, top)


def _show(facts: dict[str, Any], top: int) -> None:
    typer.echo(
        f"{counted(facts['rows'], 'row')} over {counted(len(facts['columns']), 'column')}: "
        f"{facts['unique_rows']:,} rows ({facts['unique_share']:.1%}) are unique"
    )
    sizes = []
    for low, high in ((1, 1), (2, 2), (3, 4), (5, 10), (11, 20), (21, 50), (51, 100), (101, None)):
        inside = [
            (int(size), count)
            for size, count in facts["class_sizes"].items()
            if int(size) >= low and (high is None or int(size) <= high)
        ]
        label = f"{low}" if low == high else f"{low}-{high}" if high else f"{low} and more"
        rows = sum(size * count for size, count in inside)
        sizes.append((label, f"{sum(count for _, count in inside):,}", f"{rows:,}"))
    show_table(("class size", "classes", "rows"), sizes, title="Class sizes")
    risky = [
        (
            " + ".join(subset["columns"]),
            f"{subset['k']:,}",
            f"{subset['unique_rows']:,}",
            f"{subset['unique_share']:.2%}",
        )
        for subset in facts["subsets"][:top]
    ]
    show_table(("columns", "k", "unique rows", "share"), risky, title="Riskiest columns together")
    _show_uniques(facts["minimal_uniques"], top)
    _show_risks(facts)
    for part in facts["safe_harbor"] or ():
        line = f"{part['column']!r}, Safe Harbor paragraph {part['paragraph']}: {part['reason']}"
        typer.echo(line)
    for column in facts["looks_like_identifier"]:
        typer.echo(f"{column['column']!r} looks like an identifier: {column['reason']}")


def _show_uniques(uniques: dict[str, Any], top: int) -> None:
    title = f"Fewest columns (up to {uniques['largest']}) that make rows unique"
    shown = [(" + ".join(part["columns"]), f"{part['rows']:,}") for part in uniques["sets"][:top]]
    if shown:
        show_table(("columns", "rows"), shown, title=title)


def _show_risks(assessment: dict[str, Any]) -> None:
    stages = {"private": assessment["risk"], "released": assessment["released"]}
    limit = assessment["risk"]["reidentification"]["threshold"]
    shown = []
    for attacker in ("prosecutor", "journalist"):
        for name, stage in stages.items():
            if stage:
                risk = stage["reidentification"][attacker]
                above = f"{risk['rows_above']:,} ({risk['above']:.1%})"
                figures = (f"{risk['highest']:.4f}", f"{risk['average']:.4f}", above)
                shown.append((attacker, name, *figures))
    for name, stage in stages.items():
        if stage:
            share = stage["reidentification"]["marketer"]["average"]
            shown.append(("marketer", name, "", f"{share:.4f}", ""))
    headings = ("attacker", "table", "highest", "average", f"rows above {limit:.3g}")
    show_table(headings, shown, title="Risk")
    for name, stage in stages.items():
        for line in _further(stage) if stage else ():
            typer.echo(f"{name}: {line}")


def _further(risk: dict[str, Any]) -> list[str]:
    """Show population uniques, people with several rows, and households."""
    lines = [
        f"{part['share']:.2%} of the rows are estimated to be unique in the population, and "
        f"{part['given_sample_unique']:.1%} of those unique here ({part['estimator']})"
        for part in risk["population_uniques"]
    ]
    lines += [
        f"{risk[name]['above']:,} of {risk[name]['groups']:,} {name} above the threshold, "
        f"highest {risk[name]['highest']:.4f}, average {risk[name]['average']:.4f}"
        for name in ("respondents", "households")
        if risk[name]
    ]
    return lines
