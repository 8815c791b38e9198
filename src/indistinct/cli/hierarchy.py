"""`indistinct hierarchy`: suggest, check and show hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Delimiter, Encoding, Sheet
from indistinct.cli.running import print_json
from indistinct.errors import DataError, Fault, HierarchyError, counted, no_columns

if TYPE_CHECKING:
    from indistinct.hierarchy import Domain, Hierarchy

app = typer.Typer(help="Suggest, check and show hierarchies.", no_args_is_help=True)


@app.command(short_help="Suggest a hierarchy for a column.")
def suggest(
    source: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file (CSV, Parquet, Excel, SPSS, ...) or database table."
        ),
    ],
    *,
    column: Annotated[str, typer.Option(help="The column that needs a hierarchy.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the hierarchy to this CSV file. It contains values of the data."),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Suggest a hierarchy for a column, balanced by how often its values occur."""
    from indistinct.disk.drafts import refuse_existing
    from indistinct.hierarchy import suggest as suggested
    from indistinct.hierarchy import write_csv
    from indistinct.io.databases.address import place_of
    from indistinct.io.places import refuse_unwritable

    if out is not None:
        refuse_unwritable([out], [place_of(source)], tables=[out])
        refuse_existing(out, "a hierarchy")
    hierarchy = suggested(
        _domain(source, column, delimiter=delimiter, encoding=encoding, sheet=sheet)
    )
    if out is not None:
        write_csv(hierarchy, out, private=True, new=True)
    _show(hierarchy, as_json=as_json)


@app.command(short_help="Check that a hierarchy is sound, and covers a column.")
def check(
    path: Annotated[
        Path, typer.Argument(metavar="HIERARCHY", help="A CSV file with lines such as leaf;...;*.")
    ],
    *,
    data: Annotated[
        str | None,
        typer.Option(metavar="PATH|URL", help="Also check that it covers a column of this file."),
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column of --data.")] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Check that values have one parent, labels one meaning, levels nest, and the top is one."""
    if (data is None) != (column is None):
        raise DataError(Fault("hierarchy check", "--data and --column go together", "Give both."))
    if data is None or column is None:
        hierarchy = _read(path)
    else:
        domain = _domain(data, column, delimiter=delimiter, encoding=encoding, sheet=sheet)
        hierarchy = _read(path, domain, place=f"column {column!r}")
    if as_json:
        print_json({"ok": True, "values": hierarchy.size, "levels": hierarchy.height})
    else:
        values, levels = counted(hierarchy.size, "value"), counted(hierarchy.height, "level")
        typer.echo(f"fine: {values}, {levels} above them")


@app.command()
def show(
    path: Annotated[
        Path, typer.Argument(metavar="HIERARCHY", help="A CSV file with lines such as leaf;...;*.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Show a hierarchy as a tree."""
    _show(_read(path), as_json=as_json)


def _read(path: Path, domain: Domain | None = None, place: str = "") -> Hierarchy:
    """Read a hierarchy; fitted to the values of a column, if they are given."""
    from indistinct.hierarchy import read_csv
    from indistinct.hierarchy.spec import FromCsv

    if not _is_there(path):
        raise HierarchyError(Fault(str(path), "there is no such file", "Check the path."))
    if domain is None:
        return read_csv(path)
    return FromCsv(csv=str(path)).build(domain, place=place, base=Path())


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # no file can have such a name
        return False


def _domain(source: str, column: str, **options: str | None) -> Domain:
    from indistinct.io.encoding import encode
    from indistinct.io.opening import opened
    from indistinct.plan import Input

    table, _ = opened(source, Input().with_options(**options))
    if faults := no_columns(str(source), [column], table.column_names):
        raise DataError(faults)
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
