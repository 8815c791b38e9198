"""Options that mean the same for several verbs, with one help text each."""

from __future__ import annotations

from typing import Annotated

import typer

Delimiter = Annotated[str | None, typer.Option(help="Of the data; found by a look if not given.")]
Encoding = Annotated[str | None, typer.Option(help="Of the data; UTF-8 if not given.")]
Sheet = Annotated[str | None, typer.Option(help="Of a spreadsheet with several.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
