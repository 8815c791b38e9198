"""`indistinct tree compare`: what privacy costs, for tree records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.compare import ChartFile, Jobs, Out, deliver, refuse_outputs
from indistinct.cli.options import AsJson
from indistinct.cli.running import numbers
from indistinct.running.bars import progress_bar


def command(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="The private file, or the folder of tables.")
    ],
    *,
    plan: Annotated[Path, typer.Option(help="The plan (TOML or JSON) with a [tree] table.")],
    methods: Annotated[
        str, typer.Option(help="The methods to compare, separated by commas.")
    ] = "best-cut-search,greedy-cut-search,only-cut-search,miracle",
    k: Annotated[
        str, typer.Option("--k", help="The values of k, separated by commas.")
    ] = "2,5,11,50",
    m: Annotated[
        str | None, typer.Option("--m", help="The values of m. Default: the plan's.")
    ] = None,
    n: Annotated[
        str | None, typer.Option("--n", help="The values of n. Default: the plan's.")
    ] = None,
    out: Out = None,
    chart: ChartFile = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Run methods for several k, m and n and put loss, what is left and time side by side.

    The other requirements of the plan hold in every trial. Each trial is checked as it would be
    published. No release is written.

    Exit code 0: done. 1: no trial could be met. 2: bad input.
    """
    from indistinct.trees.comparing.verbs import compare

    refuse_outputs(out, chart, source, plan)
    with progress_bar() as bar:
        comparison = compare(
            source,
            plan,
            [name.strip() for name in methods.split(",") if name.strip()],
            numbers(k),
            m=None if m is None else numbers(m),
            n=None if n is None else numbers(n),
            jobs=jobs,
            progress=bar,
        )
    deliver(comparison, out, chart, as_json=as_json)
