"""`indistinct demo`: the main job on generated data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.anonymize import show_summary
from indistinct.cli.options import AsJson
from indistinct.cli.running import print_json
from indistinct.disk.drafts import write_text
from indistinct.running.bars import progress_bar


def command(
    *,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("demo"),
    rows: Annotated[int, typer.Option(min=100, help="How many people to invent.")] = 50_000,
    as_json: AsJson = False,
) -> None:
    """Invent a census, and write a release of it with a report and a certificate."""
    import pyarrow as pa

    from indistinct import anonymize_file, verify
    from indistinct.datasets import census
    from indistinct.disk.drafts import together
    from indistinct.io.base import Rows
    from indistinct.io.files import FileSink

    _make_folder(out)
    _refuse_others(out)
    people = census(rows, seed=1)
    people = people.append_column("person", pa.array([f"P{n:07d}" for n in range(rows)]))
    private = FileSink(out / "private.csv", private=True)
    with together(private.parts):
        private.write(Rows.all_of(people))
    write_plan(out)
    with progress_bar() as bar:
        release = anonymize_file(
            out / "private.csv",
            out / "plan.toml",
            out / "release.csv",
            report=out / "report.html",
            certificate=out / "certificate.json",
            progress=bar,
        )
    verify(out / "release.csv", certificate=out / "certificate.json")
    if as_json:
        print_json(release.summary())
        return
    show_summary(release.summary(), out / "release.csv")
    typer.echo(f"report: {out / 'report.html'}\ncertificate: {out / 'certificate.json'} (checked)")


def _make_folder(out: Path) -> None:
    from indistinct.errors import Fault, OutputError

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "no folder can be made").lower()
        raise OutputError(Fault(str(out), reason, "Name a folder.")) from None


def _refuse_others(out: Path) -> None:
    """Raise if files that are no earlier demo's would be replaced."""
    from indistinct.errors import Fault, OutputError

    plan = out / "plan.toml"
    if plan.is_file() and plan.read_bytes() == plan_text().encode():
        return
    others = [name for name in WRITTEN if (out / name).exists()]
    if others:
        problem = f"it holds {', '.join(others)}, which no demo wrote"
        raise OutputError(Fault(str(out), problem, "Name another folder."))


def write_plan(out: Path) -> None:
    """Write a plan for the generated census, with its hierarchies beside it."""
    from indistinct.datasets import census_ladders
    from indistinct.hierarchy import Hierarchy, write_csv

    (out / "hierarchies").mkdir(exist_ok=True)
    for name, paths in census_ladders().items():
        write_csv(Hierarchy.from_paths(paths), out / "hierarchies" / f"{name}.csv")
    write_text(out / "plan.toml", plan_text())


def plan_text() -> str:
    """Return the plan for the generated census."""
    from indistinct.datasets import census_ladders

    quasi = "".join(
        f'[columns.{name}]\nrole = "quasi"\nhierarchy = {{ csv = "hierarchies/{name}.csv" }}\n'
        for name in census_ladders()
    )
    return PLAN.format(quasi=quasi)


WRITTEN = (
    "private.csv", "plan.toml", "hierarchies", "release.csv", "report.html", "certificate.json"
)  # fmt: skip
PLAN = """\
[columns.person]
role = "identifier"
{quasi}[columns.occupation]
role = "sensitive"
[columns.salary]
role = "sensitive"

[[require]]
model = "k-anonymity"
k = 5

[limits]
suppression = 0.02
"""
