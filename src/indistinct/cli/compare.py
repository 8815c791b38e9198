"""`indistinct compare` and `indistinct frontier`: what privacy costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from indistinct.cli.options import AsJson, Data, PlanFile
from indistinct.cli.running import numbers, print_json
from indistinct.running.bars import progress_bar

if TYPE_CHECKING:
    from indistinct.comparing.comparison import Compared

NOTHING_MET = 1

Out = Annotated[Path | None, typer.Option(help="Also write the table (.csv or .json).")]
ChartFile = Annotated[
    Path | None, typer.Option("--chart", help="Also draw a chart (.svg, .png or .html).")
]
Jobs = Annotated[
    int | None, typer.Option(help="How many runs at a time. Default: one for each core.", min=1)
]


def compare_command(
    source: Data,
    *,
    plan: PlanFile,
    methods: Annotated[
        str, typer.Option(help="The methods to compare, separated by commas.")
    ] = "best,mondrian,hilbert,optimal",
    k: Annotated[
        str, typer.Option("--k", help="The values of k, separated by commas.")
    ] = "2,5,11,50",
    out: Out = None,
    chart: ChartFile = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Run methods for several k and put loss, distance to the bound and time side by side.

    The k of the plan is replaced; its other requirements hold in every trial. Each trial is
    checked on its published rows. No release is written.

    Exit code 0: done. 1: no trial could be met. 2: bad input.
    """
    from indistinct import compare

    refuse_outputs(out, chart, source, plan)
    with progress_bar() as bar:
        comparison = compare(
            source,
            plan,
            [name.strip() for name in methods.split(",") if name.strip()],
            numbers(k),
            jobs=jobs,
            progress=bar,
        )
    deliver(comparison, out, chart, as_json=as_json)


def frontier_command(
    source: Data,
    *,
    plan: PlanFile,
    method: Annotated[str | None, typer.Option(help="The method. Default: the plan's.")] = None,
    k: Annotated[
        str | None, typer.Option("--k", help="The values of k, separated by commas.")
    ] = None,
    points: Annotated[
        int,
        typer.Option(
            help="Or how many values of k to try, between 2 and the number of rows.", min=2
        ),
    ] = 12,
    max_loss: Annotated[
        float | None, typer.Option(help="Find the largest k whose loss stays below this.")
    ] = None,
    out: Out = None,
    chart: ChartFile = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Draw the loss of one method over all k, and tell which k fits a loss.

    Exit code 0: done. 1: no k could be met, or none within --max-loss. 2: bad input.
    """
    from indistinct import frontier

    refuse_outputs(out, chart, source, plan)
    with progress_bar() as bar:
        curve = frontier(
            source,
            plan,
            method=method,
            k=None if k is None else numbers(k),
            points=points,
            max_loss=max_loss,
            jobs=jobs,
            progress=bar,
        )
    deliver(curve, out, chart, as_json=as_json)
    if max_loss is None:
        return
    if not as_json:
        typer.echo(_answer(max_loss, curve.summary()))
    if curve.fit is None:
        raise typer.Exit(NOTHING_MET)


def _answer(max_loss: float, summary: dict[str, Any]) -> str:
    if summary["largest_k"] is None:
        return f"no k was found whose loss stays within {max_loss:g}"
    return (
        f"largest k found within a loss of {max_loss:g}: {summary['largest_k']:,} "
        f"(loss {summary['loss_at_largest_k']:.4f})"
    )


def refuse_outputs(out: Path | None, chart: Path | None, source: str | Path, plan: Path) -> None:
    """Refuse what cannot be written before any work."""
    from indistinct.comparing.chart import DRAWN
    from indistinct.comparing.comparison import WRITTEN, not_written
    from indistinct.errors import OutputError
    from indistinct.io.databases.address import place_of
    from indistinct.io.places import refuse_unwritable

    faults = [
        not_written(path, known)
        for path, known in ((out, WRITTEN), (chart, DRAWN))
        if path is not None and path.suffix.lower() not in known
    ]
    if faults:
        raise OutputError(faults)
    outputs = [path for path in (out, chart) if path is not None]
    refuse_unwritable(outputs, [place_of(source), plan])


def deliver(comparison: Compared, out: Path | None, chart: Path | None, *, as_json: bool) -> None:
    """Save and draw what came of trials, and show it; exit 1 if no trial gave a release."""
    if out is not None:
        comparison.save(out)
    if chart is not None and any(trial.met for trial in comparison.rows):
        comparison.chart().save(chart)
    if as_json:
        print_json(comparison.summary())
    else:
        _show(comparison)
    if not any(trial.met for trial in comparison.rows):
        raise typer.Exit(NOTHING_MET)


def _show(comparison: Compared) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    headings = comparison.rows[0].headings
    chosen = [place for place, name in enumerate(headings) if name != "form"]
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place in chosen:
        side: Any = "right" if place else "left"
        shown.add_column(headings[place], justify=side, no_wrap=True)
    for trial in comparison.rows:
        row = [*trial.asked(), *(trial.figures() if trial.met else ("not met",))]
        row += [""] * (len(headings) - len(row))
        shown.add_row(*(row[place] for place in chosen))
    Console(markup=False).print(shown)
    unmet: dict[tuple[str, str], list[str]] = {}
    for trial in comparison.rows:
        if not trial.met:
            ks = unmet.setdefault((trial.method, trial.reason), [])
            ks.extend({f"{trial.k:,}"}.difference(ks))
    for (method, reason), ks in unmet.items():
        typer.echo(f"{method}, k = {' and '.join(ks)}, not met: {reason}")
    for note in comparison.notes:
        typer.echo(f"note: {note}")
