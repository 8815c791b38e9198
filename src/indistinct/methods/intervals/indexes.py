"""Cuts as a set of indexes: the representation of the published algorithm.

The values of all domains are numbered from 1, column after column, in their order. An index in the
set begins an interval; the first of each column always does, and is not named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label


def indexes_of(
    hierarchies: Sequence[Hierarchy], starts: Sequence[NDArray[np.int32]]
) -> tuple[int, ...]:
    """Number the cuts, given the codes at which intervals of each column begin.

    >>> from indistinct.hierarchy import Hierarchy
    >>> digits = Hierarchy.from_paths([[digit, "*"] for digit in "1234"])
    >>> indexes_of([digits, digits], [np.array([2]), np.array([3])])
    (3, 8)
    """
    before = np.cumsum([0, *[hierarchy.size for hierarchy in hierarchies]])
    return tuple(
        int(offset + code + 1)
        for offset, codes in zip(before.tolist(), starts, strict=False)
        for code in codes.tolist()
    )


def read_indexes(
    hierarchies: Sequence[Hierarchy], indexes: Iterable[int]
) -> list[list[tuple[Label, ...]]]:
    """Return the intervals of each column that a set of indexes stands for, as their values.

    >>> from indistinct.hierarchy import Hierarchy
    >>> sexes = Hierarchy.from_paths([["M", "*"], ["F", "*"]])
    >>> read_indexes([sexes], {2}), read_indexes([sexes], {})
    ([[('M',), ('F',)]], [[('M', 'F')]])
    """
    taken = set(indexes)
    by_column: list[list[tuple[Label, ...]]] = []
    index = 1
    for hierarchy in hierarchies:
        intervals: list[list[Label]] = [[]]
        for leaf in hierarchy.leaves:
            if index in taken and intervals[-1]:
                intervals.append([])
            intervals[-1].append(leaf)
            index += 1
        by_column.append([tuple(interval) for interval in intervals])
    return by_column


def index_text(indexes: Iterable[int]) -> str:
    """Write a set of indexes.

    >>> index_text((3, 8, 10)), index_text(())
    ('{3, 8, 10}', '{}')
    """
    return "{" + ", ".join(map(str, indexes)) + "}"
