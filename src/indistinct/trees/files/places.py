"""Which table and column a node of a forest is written to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.files.layout import Layout
    from indistinct.trees.forest import Forest

    Ints = NDArray[np.int64]


def columns_for(
    forest: Forest, layout: Layout, above: Ints
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return for each node its table, its column there, and whether that is part of the chain.

    A class may have columns in several tables: a node goes to the first one that hangs below the
    table of the node above it. In a table it may have several columns side by side: equal
    siblings are merged, so those of one class fill them in turn.

    Parameters
    ----------
    above
        The node above each node, or less than nothing directly below the record.
    """
    kinds = forest.labels.of_class[forest.label]
    table = np.zeros(kinds.size, dtype=np.int64)
    column = np.zeros(kinds.size, dtype=np.int64)
    in_chain = np.zeros(kinds.size, dtype=np.bool_)
    for kind, name in enumerate(forest.classes):  # a class stands below earlier ones only
        nodes = np.flatnonzero(kinds == kind)
        over = np.where(above[nodes] >= 0, table[np.maximum(above[nodes], 0)], -1)
        for home in np.unique(over).tolist():
            own = nodes[over == home]
            place, columns, chained = _home(name, home, layout)
            table[own], in_chain[own] = place, chained
            column[own] = np.array(columns)[_rank(above[own]) % len(columns)]
    return table, column, in_chain


def _home(kind: str, over: int, layout: Layout) -> tuple[int, list[int], bool]:
    """Return the table for nodes of a class below a table (-1: the record), and the columns."""
    candidates = []
    for place, spec in enumerate(layout.tables.values()):
        named = [spec.class_of(column) == kind for column in (*spec.chain, *spec.beside)]
        columns = [number for number, fits in enumerate(named) if fits]
        if columns:
            chained = columns[0] < len(spec.chain)
            candidates.append((place, columns[:1] if chained else columns, chained))
    fitting = (home for home in candidates if over in _line(home[0], layout))
    return next(fitting, candidates[0])


def _line(place: int, layout: Layout) -> list[int]:
    """Return the places of a table and of those above it, and -1 for the record."""
    names = list(layout.tables)
    line, name = [-1], names[place] if names else None
    while name:
        line.append(names.index(name))
        name = layout.tables[name].parent
    return line


def _rank(above: Ints) -> Ints:
    """Count 0, 1, ... among nodes of one class below the same node."""
    order = np.argsort(above, kind="stable")
    starts = np.flatnonzero(np.diff(above[order], prepend=above[order][:1] - 1))
    counts = np.diff(np.append(starts, above.size))
    rank = np.empty(above.size, dtype=np.int64)
    rank[order] = np.arange(above.size) - np.repeat(starts, counts)
    return rank
