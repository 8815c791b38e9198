"""Options that mean the same for several verbs, with one help text each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The private file (CSV, Parquet, Excel, SPSS, ...) or database table.",
    ),
]
PlanFile = Annotated[Path, typer.Option("--plan", help="The plan (TOML or JSON).")]
Delimiter = Annotated[
    str | None, typer.Option(help="The delimiter of the data. Detected if not given.")
]
Encoding = Annotated[str | None, typer.Option(help="The encoding of the data. UTF-8 if not given.")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of a spreadsheet.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
