"""Tables for people: what several commands show. Nothing from the data is read as markup."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

import typer

from indistinct.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_COLUMNS, FEW_OF_A_ROLE = 40, 5
MOST_LINES, LONGEST_LINE = 20, 400
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


def few_of_each_role(rows: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Of very many columns (name, role, word), yield the first of each role and count the others.

    >>> many = [(f"q{n}", "quasi", "") for n in range(100)]
    >>> [name for name, _, _ in few_of_each_role(many)]
    ['q0', 'q1', 'q2', 'q3', 'q4', 'and 95 more']
    """
    if len(rows) <= MOST_COLUMNS:
        yield from rows
        return
    for role in dict.fromkeys(role for _, role, _ in rows):
        alike = [row for row in rows if row[1] == role]
        yield from alike[:FEW_OF_A_ROLE]
        if len(alike) > FEW_OF_A_ROLE:
            yield (f"and {len(alike) - FEW_OF_A_ROLE:,} more", role, "")


def show_lines(lines: Sequence[str], where: str, *, err: bool = False) -> None:
    """Print the first of some lines, none very long, and where all of them are."""
    for line in lines[:MOST_LINES]:
        typer.echo(shorten(line, LONGEST_LINE, placeholder=f" ... ({where})"), err=err)
    if len(lines) > MOST_LINES:
        typer.echo(f"and {len(lines) - MOST_LINES:,} more: {where}", err=err)


def show_warnings(warnings: Iterable[str]) -> None:
    """Print what a steward should know first, before anything is said to hold."""
    for warning in warnings:
        typer.echo(f"warning: {warning}")


def show_promises(requirements: Iterable[dict[str, Any]]) -> None:
    """Print what was promised, what was measured, and whether it holds."""
    rows = [
        (model(promise), promise["promised"], measured(promise), HOLDS[promise["holds"]])
        for promise in requirements
    ]
    show_table(("requirement", "promised", "measured", "holds"), rows)


def model(promise: dict[str, Any]) -> str:
    """Name a requirement, with the column it is about."""
    return (
        f"{promise['model']} ({promise['column']})"
        if promise.get("column")
        else str(promise["model"])
    )


def measured(promise: dict[str, Any]) -> str:
    """Write what was measured of a requirement."""
    return "without end" if promise["measured"] is None else f"{promise['measured']:g}"


def show_detail(details: Iterable[tuple[str, str, str]]) -> None:
    """Say of each quasi column how it is published and the finest to be seen; few of very many."""
    lines = [f"{name}: {published}; finest: {finest}" for name, published, finest in details]
    for line in lines[:MOST_LINES]:
        typer.echo(line)
    if len(lines) > MOST_LINES:
        typer.echo(f"... and {counted(len(lines) - MOST_LINES, 'column')} more (--json has all)")
