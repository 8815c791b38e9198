"""`indistinct tree`: records that are trees, in JSON Lines, XML, or tables joined by keys."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.cli.tables import HOLDS, show_lines, show_table, show_warnings
from indistinct.errors import counted
from indistinct.running.bars import progress_bar

app = typer.Typer(
    help="Records that are trees: JSON Lines, XML, or tables joined by keys.",
    short_help="Plan, anonymize, verify and assess records that are trees.",
    no_args_is_help=True,
)

PlanPath = Annotated[Path, typer.Option(help="The plan (TOML or JSON) with a [tree] table.")]


@app.command("anonymize", short_help="Make a release of tree records, check it, and write it.")
def anonymize_command(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="The private file, or the folder of tables.")
    ],
    *,
    plan: PlanPath,
    out: Annotated[Path, typer.Option(help="The release: .jsonl, .xml, or a folder for tables.")],
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML report of what was promised and lost.")
    ] = None,
    report_json: Annotated[
        Path | None, typer.Option(help="Also write the report's figures as JSON.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="Also write a certificate.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="The random seed. Overrides the plan. Keep it secret.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make tree records k^(m,n)-anonymous, check the result, and write it.

    Exit code 0: done. 1: the requirements cannot be met; nothing is written. 2: bad input.
    """
    from indistinct.trees.api import anonymize_file
    from indistinct.trees.plan import TreePlan

    chosen = TreePlan.load(plan).with_seed(seed)
    with progress_bar() as bar:
        summary = anonymize_file(
            source,
            chosen,
            out,
            report=report,
            report_json=report_json,
            certificate=certificate,
            progress=bar,
            inputs=[plan],
        ).summary()
    if as_json:
        print_json(summary)
    else:
        _show(summary, out)


@app.command("verify", short_help="Check published tree records again.")
def verify_command(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The published file, or folder of tables.")
    ],
    *,
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate written with the release.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Or the plan that the release must keep.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that tree records keep what was promised, and that their files are the certified ones.

    With it, that they hold nothing that the plan does not publish, such as a name.

    Exit code 0: it holds. 1: it does not. 2: bad input.
    """
    from indistinct.trees.api import verify

    facts = verify(release, plan, certificate=certificate).as_json()
    if as_json:
        print_json(facts)
        return
    if certificate:
        files = "files are the certified ones" if release.is_dir() else "file is the certified one"
        typer.echo(f"the {files}")
    typer.echo(f"{facts['released_records']:,} records with {facts['released_nodes']:,} nodes")
    for asked in facts["requirements"]:
        typer.echo(f"{asked['model']} ({asked['promised']}): holds")


@app.command("assess", short_help="Count the records that can be singled out.")
def assess_command(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="The private file, or the folder of tables.")
    ],
    *,
    plan: PlanPath,
    as_json: AsJson = False,
) -> None:
    """Tell how many records can be singled out, by how much knowledge."""
    from indistinct.trees.api import assess

    with progress_bar() as bar:
        risks = assess(source, plan, progress=bar).as_json()
    if as_json:
        print_json(risks)
        return
    typer.echo(
        f"{risks['records']:,} records ({risks['distinct_records']:,} distinct) with "
        f"{risks['nodes']:,} nodes"
    )
    cases = [
        (str(case["labels"]), str(case["relations"]), f"{case['records']:,} ({case['share']:.1%})")
        for case in risks["singled_out"]
    ]
    if risks["root"]:
        typer.echo(f"known beside the labels: {', '.join(risks['root'])}")
    show_table(("labels known", "relations known", f"records among fewer than {risks['k']}"), cases)


@app.command("suggest", short_help="Suggest a first plan for tree records.")
def suggest_command(
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="A JSON file (lines, array, Bundle) or a folder.")
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the plan to this new TOML file instead of standard output."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Suggest how records are read, their classes, and a hierarchy for each.

    The plan holds no value of the data. Read it, correct it, and check it before you use it.
    """
    from indistinct.trees.planning import suggest_plan

    suggested = suggest_plan(source, out=out)
    if as_json:
        print_json(suggested.as_json())
        return
    if out is None:
        typer.echo(suggested.toml(), nl=False)
    facts, err = suggested.as_json(), out is None
    rows = [(one["class"], one["path"]) for one in facts["classes"]]
    show_table(("class", "from"), rows, err=err)
    show_lines([f"look at: {line}" for line in facts["look_at"]], "see the plan", err=err)
    if out is not None:
        then = f"indistinct tree check {quote(str(out))} {quote(str(source))}"
        typer.echo(f"A first plan -> {out}. Read it, then: {then}")


@app.command("check", short_help="Check that a plan can be used on tree records.")
def check_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan (TOML or JSON).")],
    source: Annotated[
        Path, typer.Argument(metavar="DATA", help="The private file, or the folder of tables.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Tell all that anonymize would refuse before it searches; nothing is run or written.

    Exit code 0: the plan can be used. 2: it cannot; all faults are listed.
    """
    from indistinct.trees.planning import check_plan

    checked = check_plan(plan, source)
    if as_json:
        print_json(checked.as_json())
        return
    show_warnings(list(checked.warnings))
    asked = "; ".join(f"{model} ({promised})" for model, promised in checked.plan.promised())
    typer.echo(f"fine: {counted(checked.records, 'record')}, {asked}")
    rows = [
        (one.name, f"{one.records:,}", f"{one.nodes:,}", f"{one.labels:,}", str(one.levels))
        for one in checked.classes
    ]
    show_table(("class", "records", "nodes", "values", "levels"), rows)


def _show(summary: dict[str, Any], out: Path) -> None:
    """Print a release's facts for people."""
    show_warnings(summary["warnings"])
    typer.echo(
        f"{summary['released_records']:,} records with {summary['released_nodes']:,} of "
        f"{summary['input_nodes']:,} nodes -> {out}"
    )
    left_out = summary["suppressed"]
    if left_out["nodes"] or left_out["records"]:
        typer.echo(
            f"left out: {left_out['nodes']:,} nodes ({left_out['node_share']:.1%}) and "
            f"{left_out['records']:,} records ({left_out['record_share']:.1%})"
        )
    for name, rows in (summary["rows"] or {}).items():
        typer.echo(f"table {name}: {rows['after']:,} rows (before: {rows['before']:,})")
    if (root := summary["root"]) is not None:
        typer.echo(
            f"alike in {', '.join(root['classes'])}: {root['groups']:,} groups of"
            f" {root['smallest']:,} records or more, each recoded by itself"
        )
    promises = [(r["model"], r["promised"], HOLDS[r["holds"]]) for r in summary["requirements"]]
    show_table(("requirement", "promised", "holds"), promises)
    measures = summary["measures"]
    losses = (
        ("information lost", f"{measures['loss']:.1%}"),
        ("RPD (private)", f"{measures['rpd']:.3g} ({measures['rpd_private']:.3g})"),
        ("values as they were", f"{measures['values_exact']:.1%}"),
        ("values in some form", f"{measures['values_present']:.1%}"),
        ("relations kept", f"{measures['relations_kept']:.1%}"),
        ("relations broken everywhere", str(len(summary["disassociated"]))),
        ("frequent subtrees lost: ML2 (dML2)", f"{measures['ml2']:.1%} ({measures['dml2']:.3g})"),
    )
    show_table(("measure", "value"), losses)
    left = [(name, f"{1 - lost:.1%}") for name, lost in summary["loss_by_class"].items()]
    show_table(("class", "information left"), left)
    for name, labels in summary["cut"].items():
        shown = ", ".join(labels[:12]) + (", ..." if len(labels) > 12 else "")
        typer.echo(f"{name}: {shown}")
