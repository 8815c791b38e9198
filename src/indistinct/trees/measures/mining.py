"""ML2 and dML2: which frequent subtrees a miner still finds.

Both are from Gkountouna and Terrovitis 2013, section II-E.

A subtree is up to three labels, all different, below the root of a record: each alone, one above
another, a chain, or two below the same node. It occurs in a record that has these labels so
related; labels that the subtree does not relate may stand anywhere. Subtrees are mined on every
level of the hierarchies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.trees.measures.kept import align
from indistinct.trees.planting import plant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.measures.kept import Alignment

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

SUPPORT = 0.01
# Which labels of a pattern are related, by shape: one above another, a chain of three, a fork.
_RELATED: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: ((0, 1),),
    2: ((0, 1), (0, 2), (1, 2)),
    3: ((0, 1), (0, 2)),
}


@dataclass(frozen=True, eq=False)
class Frequent:
    """The frequent subtrees of one level.

    Attributes
    ----------
    single
        Labels.
    pairs
        Two labels each, no matter how they stand, the smaller code first.
    above
        Two labels each, the first above the second.
    triples
        For each shape (0 any, 1 two related and one more, 2 chain, 3 fork) three labels each.
    """

    single: Ints
    pairs: Ints
    above: Ints
    triples: dict[int, Ints]

    @property
    def count(self) -> int:
        """How many there are."""
        more = sum(len(labels) for labels in self.triples.values())
        return self.single.size + len(self.pairs) + len(self.above) + more


@dataclass(frozen=True)
class MiningLoss:
    """What a miner of frequent subtrees loses.

    Attributes
    ----------
    subtrees
        How many frequent subtrees the private records have, on all levels together.
    ml2
        The share of them that are not frequent in the release (Formula 4).
    dml2
        How far they are from what is published instead (Formulas 5 and 6): half the mean number of
        levels that their labels rose, plus half the mean share of their relations that broke.
    """

    subtrees: int
    ml2: float
    dml2: float


def mining_loss(
    private: Forest, published: Forest, hierarchies: Hierarchies, *, support: float = SUPPORT
) -> MiningLoss:
    """Compare what can be mined from private records and from their release.

    Parameters
    ----------
    private, published
        Records in the same order, their labels those of the hierarchies.
    hierarchies
        Their levels.
    support
        The share of records in which a subtree must occur.

    Notes
    -----
    The paper gives dML2 for labels that all records publish alike. Here a label rises, and a
    relation breaks, by the mean over its occurrences, so that it can be measured for every method.
    """
    return Miner(private, hierarchies, support=support).loss(published)


class Miner:
    """What can be mined from private records, to be compared with releases of them."""

    def __init__(
        self, private: Forest, hierarchies: Hierarchies, *, support: float = SUPPORT
    ) -> None:
        self._private, self._hierarchies = private, hierarchies
        self._least = max(1, ceil(support * private.size))
        levels = range(int(hierarchies.level.max(initial=-1)) + 1)
        self._images = [raised(hierarchies, level) for level in levels]
        self._frequent = [self._mined(private, level) for level in levels]

    def _mined(self, forest: Forest, level: int) -> Frequent:
        projected = _projected(forest, self._images[level])
        return frequent(projected, self._hierarchies, level, self._least)

    def loss(self, published: Forest) -> MiningLoss:
        """Return what a miner of the release loses; its records are in the order of the private."""
        aligned = align(self._private, published, self._hierarchies)
        before = sum(frequent.count for frequent in self._frequent)
        after, distance = 0, 0.0
        for level, (image, frequent) in enumerate(zip(self._images, self._frequent, strict=True)):
            after += self._mined(published, level).count
            distance += _distance(frequent, _rose(aligned, image), _Broken.of(aligned, image))
        if not before:
            return MiningLoss(0, 0.0, 0.0)
        return MiningLoss(before, 1 - after / before, distance / before)


def raised(hierarchies: Hierarchies, level: int) -> NDArray[np.int32]:
    """Return for each label its form on a level; itself where it stands higher already."""
    image = np.arange(len(hierarchies.labels), dtype=np.int32)
    while True:
        above = hierarchies.parent[image]
        rises = (above >= 0) & (hierarchies.level[above] <= level)
        if not rises.any():
            return image
        image = np.where(rises, above, image)


def _projected(forest: Forest, image: NDArray[np.int32]) -> Forest:
    return plant(
        forest.classes,
        forest.labels,
        size=forest.size,
        record=np.repeat(np.arange(forest.size), np.diff(forest.starts)),
        parent=forest.parent,
        label=image[forest.label],
    )


def frequent(forest: Forest, hierarchies: Hierarchies, level: int, least: int) -> Frequent:
    """Find the subtrees that at least so many records hold, of labels not above a level."""
    from indistinct.trees.measures.mining_kernel import (
        LabeledRecords,
        count_labels,
        count_pairs,
        count_triples,
    )

    image = raised(hierarchies, level)
    usable = np.flatnonzero((image == np.arange(image.size)) & (hierarchies.level <= level))
    number = np.full(image.size, -1, dtype=np.int32)
    number[usable] = np.arange(usable.size)
    counted = count_labels(number[forest.label], forest.starts, usable.size)
    single = usable[counted >= least]
    number[:] = -1
    number[single] = np.arange(single.size)
    records = LabeledRecords(number[forest.label], forest.parent, forest.starts)
    together, related = count_pairs(records, single.size)
    both, above = together >= least, related >= least
    keys, counts = count_triples(records, single.size, both, above)
    return Frequent(
        single.astype(np.int64),
        single[np.argwhere(both)],
        single[np.argwhere(above)],
        _decoded(keys[counts >= least], single),
    )


def _decoded(keys: Ints, single: NDArray[np.intp]) -> dict[int, Ints]:
    width = max(1, single.size)
    parts = np.stack([keys // width**2 % width, keys // width % width, keys % width], axis=1)
    shape = keys // width**3
    return {kind: single[parts[shape == kind]] for kind in range(4)}


def _mean(where: NDArray[np.integer], values: NDArray[Any], size: int) -> Floats:
    total = np.bincount(where, weights=values, minlength=size)
    return total / np.maximum(np.bincount(where, minlength=size), 1)


def _rose(aligned: Alignment, image: NDArray[np.int32]) -> Floats:
    """Return for each label of a level how many levels above it its nodes are published."""
    label = aligned.forest.label
    level = aligned.hierarchies.level
    lost = level[label] + aligned.climbed - level[image[label]]
    return _mean(image[label], np.maximum(lost, 0), image.size)


@dataclass(frozen=True, eq=False)
class _Broken:
    """For pairs of labels of a level, sorted by key, the share of their relations that broke."""

    keys: Ints
    share: Floats
    size: int

    @classmethod
    def of(cls, aligned: Alignment, image: NDArray[np.int32]) -> _Broken:
        label = image[aligned.forest.label].astype(np.int64)
        pairs = label[aligned.upper] * image.size + label[aligned.lower]
        keys, where = np.unique(pairs, return_inverse=True)
        return cls(keys, _mean(where, ~aligned.kept, keys.size), image.size)

    def __call__(self, upper: Ints, lower: Ints) -> Floats:
        shares: Floats = self.share[np.searchsorted(self.keys, upper * self.size + lower)]
        return shares


def _distance(frequent: Frequent, rose: Floats, broke: _Broken) -> float:
    """Add up the distances of all frequent subtrees of a level (Formula 6)."""
    total = float(rose[frequent.single].sum() + rose[frequent.pairs].mean(axis=1).sum())
    total += float(rose[frequent.above].mean(axis=1).sum() + broke(*frequent.above.T).sum())
    for shape, labels in frequent.triples.items():
        total += float(rose[labels].mean(axis=1).sum())
        related = [broke(labels[:, upper], labels[:, lower]) for upper, lower in _RELATED[shape]]
        if related and len(labels):
            total += float(np.mean(related, axis=0).sum())
    return total / 2
