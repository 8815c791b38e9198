"""For the check of mixed records: which published records are alike at the root.

Whoever knows all root values of a person looks among the records that are alike in them, and in no
others; the trees of these are judged by themselves. Nothing here is shared with the searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest


class Alike(NamedTuple):
    """Records that are alike at the root.

    Attributes
    ----------
    members
        The records.
    root
        The labels at their root.
    trees
        The records without these.
    """

    members: NDArray[np.intp]
    root: tuple[int, ...]
    trees: Forest


def alike_at_root(forest: Forest, roots: frozenset[int]) -> Iterator[Alike]:
    """Yield the records by what they hold of the root classes; lacking one is a value, too."""
    kinds = forest.labels.of_class[forest.label]
    at_root = np.isin(kinds, list(roots))
    column = np.zeros(len(forest.classes), dtype=np.int64)
    column[sorted(roots)] = np.arange(len(roots))
    record = np.repeat(np.arange(forest.size), np.diff(forest.starts))[at_root]
    held = np.full((forest.size, len(roots)), -1, dtype=np.int64)
    held[record, column[kinds[at_root]]] = forest.label[at_root]
    distinct, group = np.unique(held, axis=0, return_inverse=True)
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    trees = forest.only(~at_root)
    for root, members in zip(
        distinct.tolist(), np.split(order, np.cumsum(np.bincount(group))[:-1]), strict=True
    ):
        yield Alike(members, tuple(code for code in root if code >= 0), trees.taken(members))
