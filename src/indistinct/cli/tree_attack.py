"""`indistinct tree attack`: what an attacker gets from a release of tree records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.attack import listed, show
from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.running.bars import progress_bar


def command(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The published file, or folder of tables.")
    ],
    private: Annotated[
        Path, typer.Argument(metavar="DATA", help="The private file, or the folder of tables.")
    ],
    *,
    plan: Annotated[Path, typer.Option(help="The plan of the release.")],
    known: Annotated[
        int | None, typer.Option(help="How many values of a person are known. Default: m.")
    ] = None,
    relations: Annotated[
        int | None, typer.Option(help="How many relations between them. Default: n.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="Count people with fewer than k candidates.")
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(help="Classes to read, in addition to the plan's, separated by commas."),
    ] = None,
    attempts: Annotated[int, typer.Option(help="Of how many people something is known.")] = 1000,
    only: Annotated[
        str | None, typer.Option(help="Run only these attacks, separated by commas.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the draw of people repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Attack a release of tree records: linking by known values and relations, homogeneity.

    People and what is known of them are drawn from the private records.
    """
    from indistinct.trees.attacks.verbs import attack

    with progress_bar() as bar:
        attacks = attack(
            release,
            private,
            plan,
            known=known,
            relations=relations,
            k=k,
            sensitive=listed(sensitive),
            attempts=attempts,
            only=listed(only),
            seed=seed,
            progress=bar,
        ).as_json()
    if as_json:
        print_json(attacks)
    else:
        show(attacks)
