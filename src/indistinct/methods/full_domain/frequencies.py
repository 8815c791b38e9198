"""Frequency sets: the classes of some columns at some levels, rolled up from finer ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import Pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.common.judge import Judge
    from indistinct.model.table import Table

WORD = 62


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The classes of some columns, each column at a level.

    Attributes
    ----------
    levels
        The level of each column.
    words
        The nodes of every class, each column in some bits of a word; mostly one word holds all.
    counts
        How many rows each class has.
    values
        For each judged sensitive column, how many rows of each class have each value.
    """

    levels: tuple[int, ...]
    words: tuple[NDArray[np.int64], ...]
    counts: NDArray[np.int64]
    values: tuple[Pairs, ...]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        pairs = sum(3 * values.row.size for values in self.values)
        return int(self.counts.size * (len(self.words) + 1) + pairs)


class Roller:
    """Rolls frequency sets up, and counts what they must drop.

    Parameters
    ----------
    table
        Its distinct rows are the finest frequency set.
    judges
        What must hold of each class beside its size.
    least
        How many rows a class needs.
    """

    def __init__(self, table: Table, judges: Sequence[Judge], least: int) -> None:
        self._quasi = table.quasi
        self._judges = judges
        self._least = least
        self._distinct = table.frequency_set
        self._places = word_places([column.hierarchy.size for column in table.quasi])
        rows = table.row_counts
        self._values = tuple(
            Pairs.of(self._distinct.inverse, judge.column.codes, rows, len(judge.column.values))
            for judge in judges
        )

    def from_table(self, columns: tuple[int, ...], levels: tuple[int, ...]) -> Frequencies:
        """Count the classes of some columns from the distinct rows of the table."""
        words: dict[int, NDArray[np.int64]] = {}
        for column, level in zip(columns, levels, strict=True):
            word, shift, _ = self._places[column]
            nodes = self._quasi[column].hierarchy.nodes[level][self._distinct.codes[column]]
            words[word] = words.get(word, 0) | (nodes.astype(np.int64) << shift)
        return self._joined(levels, tuple(words.values()), self._distinct.counts, self._values)

    def rolled_up(
        self, finer: Frequencies, columns: tuple[int, ...], levels: tuple[int, ...]
    ) -> Frequencies:
        """Count the classes from those of a finer vector of the same columns."""
        used = list(dict.fromkeys(self._places[column][0] for column in columns))
        words = dict(zip(used, finer.words, strict=True))
        for column, low, high in zip(columns, finer.levels, levels, strict=True):
            if low != high:
                word, shift, field = self._places[column]
                change = self._change(column, low, high)
                words[word] = words[word] + change[(words[word] >> shift) & field]
        return self._joined(levels, tuple(words.values()), finer.counts, finer.values)

    def dropped(self, frequencies: Frequencies) -> tuple[int, int]:
        """Return how many rows are in classes that fail, and how many classes do not."""
        fine = frequencies.counts >= self._least
        classes = np.arange(fine.size, dtype=np.int32)
        for judge, values in zip(self._judges, frequencies.values, strict=True):
            fine &= judge(classes, fine.size, values)[0]
        return int(frequencies.counts[~fine].sum()), int(np.count_nonzero(fine))

    def _joined(
        self,
        levels: tuple[int, ...],
        words: tuple[NDArray[np.int64], ...],
        counts: NDArray[np.int64],
        values: tuple[Pairs, ...],
    ) -> Frequencies:
        """Make one class of all that have the same words."""
        from indistinct.model.ranking_kernel import rank_keys

        keys = words[0]
        for word in words[1:]:
            second, first = rank_keys(word)
            keys = rank_keys(keys)[0].astype(np.int64) * first.size + second
        numbers, first = rank_keys(keys)
        rows = np.bincount(numbers, weights=counts, minlength=first.size).astype(np.int64)
        joined = tuple(
            Pairs.of(numbers[pairs.row], pairs.value, pairs.count, len(judge.column.values))
            for judge, pairs in zip(self._judges, values, strict=True)
        )
        return Frequencies(levels, tuple(word[first] for word in words), rows, joined)

    @cache  # noqa: B019 - lives as long as the search
    def _change(self, column: int, low: int, high: int) -> NDArray[np.int64]:
        """Return for each node of a level how a word changes when it rises to a higher one."""
        nodes = self._quasi[column].hierarchy.nodes
        change = np.zeros(len(self._quasi[column].hierarchy.labels[low]), dtype=np.int64)
        change[nodes[low]] = nodes[high].astype(np.int64) - nodes[low]
        return change << self._places[column][1]


def word_places(sizes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Give each column some bits of a word: which word, where they begin, and their mask.

    >>> word_places([5, 2, 1 << 60])
    [(0, 0, 7), (0, 3, 1), (1, 0, 1152921504606846975)]
    """
    places = []
    word = used = 0
    for size in sizes:
        bits = max((size - 1).bit_length(), 1)
        if used + bits > WORD:
            word, used = word + 1, 0
        places.append((word, used, (1 << bits) - 1))
        used += bits
    return places
