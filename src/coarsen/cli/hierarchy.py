"""`coarsen hierarchy`: suggest, check and show hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coarsen.cli.frame import print_json

if TYPE_CHECKING:
    from coarsen.hierarchy import Domain, Hierarchy

app = typer.Typer(help="Suggest, check and show hierarchies.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def suggest(
    source: Annotated[Path, typer.Argument(metavar="DATA", help="A CSV or Parquet file.")],
    *,
    column: Annotated[str, typer.Option(help="The column that needs a hierarchy.")],
    out: Annotated[Path | None, typer.Option(help="Write it to this CSV file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Suggest a hierarchy for a column, balanced by how often its values occur."""
    from coarsen.frames.files import refuse_unwritable
    from coarsen.hierarchy import suggest as suggested
    from coarsen.hierarchy import write_csv

    if out is not None:
        refuse_unwritable([out], [source])
    hierarchy = suggested(_domain(source, column))
    if out is not None:
        write_csv(hierarchy, out)
    _show(hierarchy, as_json=as_json)


@app.command()
def check(
    path: Annotated[Path, typer.Argument(metavar="HIERARCHY", help="A CSV file, leaf;...;*.")],
    *,
    data: Annotated[Path | None, typer.Option(help="Also check that it covers this file's")] = None,
    column: Annotated[str | None, typer.Option(help="column.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check that each value has one parent, levels nest, and the top is one value."""
    hierarchy = _read(path, data, column)
    if as_json:
        print_json({"ok": True, "values": hierarchy.size, "levels": hierarchy.height})
    else:
        typer.echo(f"fine: {hierarchy.size} values, {hierarchy.height} levels above them")


@app.command()
def show(
    path: Annotated[Path, typer.Argument(metavar="HIERARCHY", help="A CSV file, leaf;...;*.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Show a hierarchy as a tree."""
    _show(_read(path, None, None), as_json=as_json)


def _read(path: Path, data: Path | None, column: str | None) -> Hierarchy:
    from coarsen.errors import DataError, Fault
    from coarsen.hierarchy import read_csv
    from coarsen.hierarchy.spec import FromCsv

    if (data is None) != (column is None):
        raise DataError(Fault("hierarchy check", "--data and --column go together"))
    if data is None or column is None:
        return read_csv(path)
    spec = FromCsv(csv=str(path))
    return spec.build(_domain(data, column), place=f"column {column!r}", base=Path())


def _domain(source: Path, column: str) -> Domain:
    from coarsen.errors import DataError, Fault, closest
    from coarsen.frames.encoding import encode
    from coarsen.frames.files import format_of, read_file

    table = read_file(source, format_of(source))
    if column not in table.column_names:
        raise DataError(
            Fault(str(source), f"no column {column!r}", closest(column, table.column_names))
        )
    return encode(table.column(column), column).domain


def _show(hierarchy: Hierarchy, *, as_json: bool) -> None:
    if as_json:
        print_json({"levels": hierarchy.height, "paths": hierarchy.paths()})
        return
    from rich.console import Console
    from rich.tree import Tree

    root = Tree(str(hierarchy.labels[-1][0]))
    branches = {(hierarchy.height, 0): root}
    for level in range(hierarchy.height - 1, -1, -1):
        above = dict(zip(hierarchy.nodes[level], hierarchy.nodes[level + 1], strict=True))
        for node, label in enumerate(hierarchy.labels[level]):
            parent = branches[level + 1, int(above[node])]
            branches[level, node] = parent.add("(missing)" if label is None else label)
    Console().print(root, markup=False, highlight=False)
