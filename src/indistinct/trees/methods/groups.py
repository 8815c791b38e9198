"""The recodings of groups of records put together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.methods.base import TreeRecoding
from indistinct.trees.roots import stacked, with_roots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest


def put_together(
    parts: Sequence[TreeRecoding],
    members: Sequence[NDArray[np.intp]],
    root: NDArray[np.int32] | None = None,
) -> TreeRecoding:
    """Make one recoding of those of groups; `root` puts labels at the roots of all records."""
    rows = np.concatenate(members)
    forest = joined_records(parts, None if root is None else root[rows])
    group = np.empty(rows.size, dtype=np.int64)
    group[rows] = np.repeat(np.arange(len(parts)), [own.size for own in members])
    gone = np.zeros(rows.size, dtype=np.bool_)
    gone[rows] = np.concatenate([_gone(part) for part in parts])
    return TreeRecoding(
        forest=forest.taken(np.argsort(rows)),
        cut=None,
        disassociated=tuple(dict.fromkeys(pair for part in parts for pair in part.disassociated)),
        notes=tuple(_notes(parts)),
        suppressed=gone if gone.any() else None,
        group=group,
    )


def joined_records(parts: Iterable[TreeRecoding], root: NDArray[np.int32] | None) -> Forest:
    """Put records of groups one after the other, with their roots; one left out has no root."""
    listed = list(parts)
    forest = stacked([part.forest for part in listed])
    if root is None:
        return forest
    gone = np.concatenate([_gone(part) for part in listed])
    return with_roots(forest, np.where(gone[:, None], np.int32(-1), root))


def _gone(part: TreeRecoding) -> NDArray[np.bool_]:
    nobody = np.zeros(part.forest.size, dtype=np.bool_)
    return nobody if part.suppressed is None else part.suppressed


def _notes(parts: Sequence[TreeRecoding]) -> Iterator[str]:
    """Say of each note in how many groups it is true."""
    told = Counter(note for part in parts for note in part.notes)
    for note, count in told.items():
        where = f"in {count:,} of {len(parts):,} groups of records that are alike at the root"
        yield note if count == len(parts) else f"{where}, {note}"
