"""Many small trees whose labels follow Zipf's law: about 4.5 nodes a record, in three classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest

CLASSES = ("place", "event", "item")
_LABELS = (40, 300, 200)
_HOW_MANY = ((0.0, 0.72, 0.28), (0.0, 0.73, 0.27), (0.22, 0.5, 0.28))
_POWER = 1.1


def zipf_trees(records: int = 100_000, *, seed: int = 0) -> Forest:
    """Return records with one or two places, as many events at each, and up to two items of those.

    Labels are codes such as ``E173`` whose beginnings say nothing about how frequent they are.

    Parameters
    ----------
    records
        How many there are.
    seed
        Same seed, same records.

    Examples
    --------
    >>> forest = zipf_trees(10_000)
    >>> forest.size, round(forest.nodes / forest.size, 1)
    (10000, 4.5)
    """
    from indistinct.trees.forest import Labels
    from indistinct.trees.planting import plant

    draw = np.random.default_rng(seed)
    record, above = np.arange(records), np.full(records, -1)
    grown: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    first, size = 0, 0
    for labels, shares in zip(_LABELS, _HOW_MANY, strict=True):
        counts = draw.choice(3, record.size, p=shares)
        record, above = np.repeat(record, counts), np.repeat(above, counts)
        grown.append((record, above, first + _zipf(labels, record.size, draw)))
        above = np.arange(size, size + record.size)
        first, size = first + labels, size + record.size
    own, parent, label = (np.concatenate(part) for part in zip(*grown, strict=True))
    letters = [name[0].upper() for name in CLASSES]
    values = [f"{letters[k]}{n:03}" for k, count in enumerate(_LABELS) for n in range(count)]
    kinds = np.repeat(np.arange(len(CLASSES), dtype=np.int32), _LABELS)
    return plant(
        CLASSES, Labels(values, kinds), size=records, record=own, parent=parent, label=label
    )


def _zipf(values: int, size: int, draw: np.random.Generator) -> NDArray[np.int64]:
    weights = np.arange(1, values + 1) ** -_POWER
    order = np.random.default_rng(values).permutation(values)
    drawn: NDArray[np.int64] = order[draw.choice(values, size, p=weights / weights.sum())]
    return drawn
