"""`coarsen assess`: how much a file says about single people, before any release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from coarsen.cli.frame import print_json, progress


def command(
    source: Annotated[Path, typer.Argument(metavar="DATA", help="A CSV or Parquet file.")],
    *,
    plan: Annotated[Path | None, typer.Option(help="Assess the quasi columns of a plan.")] = None,
    columns: Annotated[str | None, typer.Option(help="Or these, separated by commas.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Found by a look if not given.")] = None,
    encoding: Annotated[str | None, typer.Option(help="UTF-8 if not given.")] = None,
    top: Annotated[int, typer.Option(help="How many column subsets to show.")] = 12,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show class sizes, unique rows, the riskiest columns, and what looks like an identifier."""
    from coarsen.api import assess

    with progress() as told:
        chosen = [name.strip() for name in columns.split(",")] if columns else None
        found = assess(
            source,
            plan,
            columns=chosen,
            delimiter=delimiter,
            encoding=encoding,
            progress=told,
        ).as_json()
    if as_json:
        print_json(found)
    else:
        _show(found, top)


def _show(found: dict[str, Any], top: int) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(
        f"{found['rows']:,} rows over {len(found['columns'])} columns: "
        f"{found['unique_rows']:,} rows ({found['unique_share']:.1%}) are unique",
        highlight=False,
    )
    sizes = Table("class size", "classes", "rows", title="Class sizes")
    for low, high in ((1, 1), (2, 2), (3, 4), (5, 10), (11, 20), (21, 50), (51, 100), (101, None)):
        inside = [
            (int(size), count)
            for size, count in found["class_sizes"].items()
            if int(size) >= low and (high is None or int(size) <= high)
        ]
        label = f"{low}" if low == high else f"{low}-{high}" if high else f"{low} and more"
        rows = sum(size * count for size, count in inside)
        sizes.add_row(label, f"{sum(count for _, count in inside):,}", f"{rows:,}")
    console.print(sizes)
    risky = Table("columns", "k", "unique rows", "share", title="Riskiest columns together")
    for subset in found["subsets"][:top]:
        risky.add_row(
            " + ".join(subset["columns"]),
            f"{subset['k']:,}",
            f"{subset['unique_rows']:,}",
            f"{subset['unique_share']:.2%}",
        )
    console.print(risky)
    for column in found["looks_like_identifier"]:
        console.print(
            f"{column['column']!r} looks like an identifier: {column['reason']}", highlight=False
        )
