"""The command line: one verb per file, and the frame that all of them run in."""

from __future__ import annotations

import gc
from typing import Annotated

import typer

from coarsen.cli import (
    anonymize,
    apply,
    assess,
    attack,
    compare,
    demo,
    hierarchy,
    methods,
    tree,
    verify,
)
from coarsen.cli.frame import leave, run

FEW_COLLECTIONS = 100_000

app = typer.Typer(
    name="coarsen",
    help="Makes personal microdata safe to publish, and proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("anonymize")(anonymize.command)
app.command("verify")(verify.command)
app.command("assess")(assess.command)
app.command("attack")(attack.command)
app.command("apply")(apply.command)
app.command("compare")(compare.compare_command)
app.command("frontier")(compare.frontier_command)
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(tree.app, name="tree")
app.command("methods")(methods.command)
app.command("demo")(demo.command)


@app.callback(invoke_without_command=True)
def _version(
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
) -> None:
    """Makes personal microdata safe to publish, and proves it."""
    if version:
        from coarsen._version import __version__

        typer.echo(f"coarsen {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line, and leave without tidying up a memory that is about to go."""
    gc.set_threshold(FEW_COLLECTIONS)
    try:
        run(app)
    except SystemExit as ended:
        leave(ended.code)
