"""Writes the page of commands from what `--help` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import typer.main

from indistinct.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = """# Commands

What `indistinct --help` and the help of each command print. This page is written from them whenever
the site is built. Exit codes are in the [overview](../overview.md#on-the-command-line).
"""
WIDTH = 96


def commands_page() -> str:
    """Return the page: a section for each command, those of groups after their group."""
    command = typer.main.get_command(app)
    with click.Context(command, info_name="indistinct") as context:
        sections = [_section(command, context), *_below(command, context)]
    return HEAD + "".join(sections)


def _below(group: click.Command, above: click.Context) -> Iterator[str]:
    for name, command in getattr(group, "commands", {}).items():
        if command.hidden:
            continue
        with click.Context(command, parent=above, info_name=name) as context:
            yield _section(command, context)
            yield from _below(command, context)


def _section(command: click.Command, context: click.Context) -> str:
    context.max_content_width = context.terminal_width = WIDTH
    return f"\n## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    print(commands_page())  # noqa: T201 - a script
