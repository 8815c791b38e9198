"""Publishing whole columns at one level of their hierarchies, single cells perhaps starred."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy import TOP
from indistinct.io.arrow import labelled

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.recoding import LevelVector
    from indistinct.model.table import QuasiColumn, Table
    from indistinct.publishing.groups import Columns


def level_columns(
    data: pa.Table,
    table: Table,
    vector: LevelVector,
    _forms: tuple[Form, ...] = (),
    _ranges_as: tuple[RangeAs, ...] = (),
) -> dict[str, Columns]:
    """Write out every quasi column at its level; forms change nothing."""
    return {
        column.name: {
            column.name: _at_level(data.column(column.name), column, level, vector.stars(place))
        }
        for place, (column, level) in enumerate(zip(table.quasi, vector.levels, strict=True))
    }


def _at_level(
    column: pa.ChunkedArray, quasi: QuasiColumn, level: int, stars: NDArray[np.bool_] | None
) -> pa.Array | pa.ChunkedArray:
    """Write a column at a level; at level 0 it stays as it is, unless some cells are starred."""
    if level == 0 and stars is None and quasi.hierarchy.raw is None:
        return column
    nodes, labels = quasi.hierarchy.nodes[level][quasi.codes], quasi.hierarchy.labels[level]
    if stars is not None:
        labels = labels if TOP in labels else (*labels, TOP)
        nodes = np.where(stars, np.int32(labels.index(TOP)), nodes)
    return labelled(nodes, labels)
