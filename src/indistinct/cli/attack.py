"""`indistinct attack`: what an attacker gets from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.running.bars import progress_bar


def command(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="The published file or table.")],
    people: Annotated[
        str | None,
        typer.Argument(metavar="PEOPLE", help="A table of named people to link with the release."),
    ] = None,
    *,
    on: Annotated[
        str | None,
        typer.Option(
            help="The columns to link on, separated by commas. Write zip=ZIP where names differ."
        ),
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="The plan of the release.")] = None,
    private: Annotated[
        str | None, typer.Option(metavar="PATH|URL", help="The private table, to compare with.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="Another release about the same people, for the composition attack.",
        ),
    ] = None,
    against_plan: Annotated[
        Path | None, typer.Option(help="The plan of that release, if it is a different one.")
    ] = None,
    k: Annotated[
        int | None, typer.Option(help="Count people with fewer than k candidates.")
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="A column in both tables that says who is who.")
    ] = None,
    quasi: Annotated[
        str | None, typer.Option(help="The quasi-identifiers, if there is no plan.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="The sensitive columns, if there is no plan.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Run only these attacks, separated by commas.")
    ] = None,
    excluded: Annotated[
        int, typer.Option(help="Background knowledge: how many values the attacker can rule out.")
    ] = 1,
    gain: Annotated[
        float, typer.Option(help="Skewness: how much a share must rise to count.")
    ] = 0.25,
    width: Annotated[
        float, typer.Option(help="Similarity: what share of the range counts as close.")
    ] = 0.2,
    known: Annotated[
        int, typer.Option(help="How many people's rows the strongest attacker knows.")
    ] = 100,
    delimiter: Annotated[
        str | None, typer.Option(help="The delimiter of PEOPLE. Detected if not given.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of PEOPLE. UTF-8 if not given.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of PEOPLE, if it is a spreadsheet.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Attack a release: linking, homogeneity, background knowledge, skewness, and others.

    What is run depends on what is given: linking needs PEOPLE and --on; attacks on sensitive
    values need --plan, or --quasi and --sensitive; inference also needs --private,
    and so do definetti, association and likelihood on a freeform release; composition needs
    --against. Run minimality, downcoding, and definetti on other releases, from Python.
    """
    from indistinct import attack

    with progress_bar() as bar:
        attacks = attack(
            release,
            people,
            on=_mapping(on),
            plan=plan,
            private=private,
            against=against,
            against_plan=against_plan,
            k=k,
            truth=truth,
            quasi=_listed(quasi),
            sensitive=_listed(sensitive),
            only=_listed(only),
            excluded=excluded,
            gain=gain,
            width=width,
            known=known,
            delimiter=delimiter,
            encoding=encoding,
            sheet=sheet,
            progress=bar,
        ).as_json()
    if as_json:
        print_json(attacks)
    else:
        _show(attacks)


def _verdict(attack: dict[str, Any]) -> str:
    if attack["succeeded"]:
        return "succeeds"
    return "no better than guessing" if attack["rate"]["hits"] else "fails"


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


def _mapping(text: str | None) -> dict[str, str]:
    pairs = [part.partition("=") for part in _listed(text)]
    return {ours.strip(): (theirs or ours).strip() for ours, _, theirs in pairs}


def _show(attacks: dict[str, Any]) -> None:
    for attack in attacks["attacks"]:
        rate, column = attack["rate"], attack["details"].get("column")
        typer.echo(f"{attack['attack']}{f' ({column})' if column else ''}: {_verdict(attack)}")
        typer.echo(f"  {attack['story']}")
        typer.echo(
            f"  {rate['hits']:,} of {rate['of']:,} ({rate['share']:.1%}, interval "
            f"{rate['low']:.1%} to {rate['high']:.1%}); by chance {attack['baseline']:.1%} "
            f"({attack['chance']})"
        )
        for finding in attack["findings"]:
            where = ", ".join(f"{name}={value}" for name, value in finding["where"].items())
            typer.echo(f"  - {where}: {finding['learnt']} ({finding['rows']:,} rows)")
        typer.echo("")
    for missing in attacks["left_out"]:
        typer.echo(f"{missing['attack']}: left out, {missing['problem']}. {missing['remedy']}")
