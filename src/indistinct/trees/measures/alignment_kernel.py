"""What became of each node and relation of a private record in the published one.

Gkountouna and Terrovitis (2013), section II-E, count what a miner of the release still finds. A
node is published as the most special label of the published record that generalizes it; a relation
is kept if the published record has it between the versions of its two nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.hashing import MIX

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RelationTable(NamedTuple):
    """Scratch: a hash table of relations, twice as large as any record needs, a power of two.

    Attributes
    ----------
    key
        A number for each pair of labels.
    record
        The record that put it there, counted from 1; what others put there is free.
    """

    key: NDArray[np.int64]
    record: NDArray[np.int64]


@njit
def find_versions(
    label: NDArray[np.int32],
    starts: NDArray[np.int64],
    new_label: NDArray[np.int32],
    new_starts: NDArray[np.int64],
    above: NDArray[np.int32],
    version: NDArray[np.int32],
) -> None:
    """Write for each node the most special published label of its record that generalizes it.

    -1 where there is none. A label's parents, `above`, are walked up until one is in the published
    record.
    """
    seen = np.zeros(above.size, dtype=np.int64)  # of each label the last record, counted from 1
    for record in range(starts.size - 1):
        for node in range(new_starts[record], new_starts[record + 1]):
            seen[new_label[node]] = record + 1
        for node in range(starts[record], starts[record + 1]):
            code = label[node]
            while code >= 0 and seen[code] != record + 1:
                code = above[code]
            version[node] = code


@inner
def _place_of(key, record, table):
    """Return where a relation of this record is, or would go."""
    mask = table.key.size - 1
    place = np.int64((np.uint64(key) * MIX) >> np.uint64(20)) & mask
    while table.record[place] == record and table.key[place] != key:
        place = (place + 1) & mask
    return place


@njit
def find_kept(
    parent: NDArray[np.int32],
    starts: NDArray[np.int64],
    version: NDArray[np.int32],
    new_label: NDArray[np.int32],
    new_parent: NDArray[np.int32],
    new_starts: NDArray[np.int64],
    width: int,
    table: RelationTable,
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
    kept: NDArray[np.bool_],
) -> None:
    """Write all relations (upper node, lower node), and whether the published record has each."""
    at = 0
    for record in range(starts.size - 1):
        for node in range(new_starts[record], new_starts[record + 1]):
            over = new_parent[node]
            while over >= 0:
                key = np.int64(new_label[over]) * width + new_label[node]
                place = _place_of(key, record + 1, table)
                table.key[place], table.record[place] = key, record + 1
                over = new_parent[over]
        for node in range(starts[record], starts[record + 1]):
            over = parent[node]
            while over >= 0:
                upper[at], lower[at], kept[at] = over, node, False
                if version[over] >= 0 and version[node] >= 0:
                    key = np.int64(version[over]) * width + version[node]
                    kept[at] = table.record[_place_of(key, record + 1, table)] == record + 1
                at += 1
                over = parent[over]
