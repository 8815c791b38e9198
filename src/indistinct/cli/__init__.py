"""The command line: one verb per file, and the frame that all of them run in."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli import (
    anonymize,
    apply,
    assess,
    attack,
    bound,
    browser,
    compare,
    demo,
    hierarchy,
    methods,
    plan,
    tree,
    verify,
    warmup,
)
from indistinct.cli.running import leave, run
from indistinct.cli.streams import prepare

if TYPE_CHECKING:
    from collections.abc import Callable

FEW_COLLECTIONS = 100_000
BEGIN = (
    "To begin, look at what indistinct demo writes: a table, a plan, a release and a report. "
    "With a file of your own: indistinct plan suggest."
)

app = typer.Typer(
    name="indistinct",
    help="Make personal microdata safe to publish, and prove it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
VERBS: dict[str, tuple[Callable[..., None], str]] = {
    "anonymize": (
        anonymize.command,
        "Make a release that satisfies a plan, check it, and write it.",
    ),
    "verify": (verify.command, "Check that a release keeps what was promised."),
    "assess": (assess.command, "Measure how much a file says about individuals."),
    "attack": (attack.command, "Attack a release, and report what an attacker learns."),
    "apply": (apply.command, "Publish later rows in the same way as an earlier release."),
    "compare": (compare.compare_command, "Compare methods for several k."),
    "frontier": (compare.frontier_command, "Show what one method loses for every k."),
    "bound": (bound.command, "Show how far from the best possible a release is."),
    "methods": (methods.command, "List all methods."),
    "warmup": (warmup.command, "Compile in advance what first runs would compile."),
    "app": (browser.command, "Do all of it on pages in the browser, on this machine only."),
    "demo": (demo.command, "Invent people, and make a release of them."),
}
for name, (command, summary) in VERBS.items():
    app.command(name, short_help=summary)(command)
app.add_typer(plan.app, name="plan")
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(tree.app, name="tree")


@app.callback(invoke_without_command=True, epilog=BEGIN)
def _version(
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Make personal microdata safe to publish, and prove it."""
    if version:
        from indistinct._version import __version__

        typer.echo(f"indistinct {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line, and leave without tidying up a memory that is about to go."""
    gc.set_threshold(FEW_COLLECTIONS)
    prepare()
    try:
        run(app)
    except SystemExit as ended:
        leave(ended.code)
