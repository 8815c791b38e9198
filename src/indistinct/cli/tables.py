"""Tables for people: what verbs show alike. Nothing from the data is taken for markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOLDS = {True: "yes", False: "no", None: "cannot tell"}


def show_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str | None = None,
    err: bool = False,
) -> None:
    """Print a table, to standard error if so asked."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(*headings, title=title)
    for row in rows:
        shown.add_row(*row)
    Console(markup=False, stderr=err).print(shown)


def show_warnings(warnings: Iterable[str]) -> None:
    """Print what a steward should know first, before anything is said to hold."""
    for warning in warnings:
        typer.echo(f"warning: {warning}")


def show_promises(requirements: Iterable[dict[str, Any]]) -> None:
    """Print what was promised, what was measured, and whether it holds."""
    rows = [
        (model(found), found["promised"], measured(found), HOLDS[found["holds"]])
        for found in requirements
    ]
    show_table(("requirement", "promised", "measured", "holds"), rows)


def model(found: dict[str, Any]) -> str:
    """Name a requirement, with the column it is about."""
    return f"{found['model']} ({found['column']})" if found.get("column") else str(found["model"])


def measured(found: dict[str, Any]) -> str:
    """Write what was measured of a requirement."""
    return "without end" if found["measured"] is None else f"{found['measured']:g}"
