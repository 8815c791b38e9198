"""Sets of records as packed rows of bits, made once and shared by all cuts that need them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from indistinct.trees.bits_kernel import count_records, set_lists
from indistinct.trees.synopsis_kernel import gathered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.cuts import Cut, LabelCuts
    from indistinct.trees.synopsis import Synopsis

Rest: TypeAlias = tuple[int, frozenset[int]]
"""A label, and the labels of a cut right below it, whose records it does not stand for."""

MOST_BYTES = 1 << 30
LEAST_ROWS, MOST_ROWS = 64, 1 << 15


class Rows:
    """A pool of rows by name; it is emptied when it has grown too large.

    All rows have their place from the start: memory that was never written takes none.

    Attributes
    ----------
    data
        The rows; only those of names that were placed mean anything.
    count
        How many records each row has.
    """

    def __init__(self, records: int) -> None:
        self.words = (records + 63) // 64
        self._capacity = min(max(MOST_BYTES // (8 * self.words + 8), LEAST_ROWS), MOST_ROWS)
        self._forget()

    def find(self, names: list[int]) -> tuple[NDArray[np.int64], list[int]]:
        """Return where the rows of these names are, and which names are new; new rows are empty."""
        new = [name for name in dict.fromkeys(names) if name not in self._at]
        for name in new:
            self._at[name] = len(self._at)
        if len(self._at) > len(self.data):
            self._grow(2 * len(self._at))
        at = self._at
        return np.array([at[name] for name in names], dtype=np.int64), new

    def counted(self, places: NDArray[np.int64]) -> None:
        """Count the records of rows that were filled."""
        count_records(self.data, places, self.count)

    def thin(self) -> None:
        """Forget everything if it takes too much memory."""
        if 8 * self.words * len(self._at) > MOST_BYTES // 2:
            self._forget()

    def _forget(self) -> None:
        self.data: NDArray[np.uint64] = np.zeros((self._capacity, self.words), dtype=np.uint64)
        self.count: NDArray[np.int64] = np.zeros(self._capacity, dtype=np.int64)
        self._at: dict[int, int] = {}

    def _grow(self, size: int) -> None:
        data = np.zeros((size, self.words), dtype=np.uint64)
        data[: len(self.data)] = self.data
        count = np.zeros(size, dtype=np.int64)
        count[: self.count.size] = self.count
        self.data, self.count = data, count


class LabelRows:
    """The records of each label of any level: the array L of the paper.

    A label of an open cut stands only for what no deeper label of the cut does; what it stands for
    then has a name of its own.
    """

    def __init__(self, synopsis: Synopsis, cuts: LabelCuts) -> None:
        self.rows = Rows(synopsis.records)
        self._synopsis = synopsis
        self._cuts = cuts
        nobody = np.zeros(synopsis.size, dtype=np.bool_)
        self._width = len(cuts.hierarchies.labels)
        self._ptr, self._nodes = gathered(synopsis.label, nobody, self._width)
        full = np.full(self.rows.words, ~np.uint64(0))
        if synopsis.records % 64:
            full[-1] = (np.uint64(1) << np.uint64(synopsis.records % 64)) - np.uint64(1)
        self._full = full
        self._rests: dict[tuple[int, bytes], int] = {}
        self._of_rest: list[Rest] = []
        self._at = np.full(2 * self._width, -1, dtype=np.int64)

    def names(self, cut: Cut) -> NDArray[np.int64]:
        """Return what the rows of a cut's labels are called."""
        own = np.array(cut, dtype=np.int32)
        names = own.astype(np.int64)
        above = self._cuts.above(own)
        order = np.argsort(above, kind="stable")
        order = order[np.searchsorted(above[order], 0) :]
        if not order.size:
            return names
        over = above[order]
        starts = np.flatnonzero(np.concatenate(([True], over[1:] != over[:-1])))
        uppers, below, rests = over[starts].tolist(), own[order].tobytes(), []
        ends = (own.itemsize * np.append(starts, order.size)).tolist()
        for upper, (first, last) in zip(uppers, pairwise(ends), strict=True):
            rests.append(self._rest(upper, below[first:last]))
        names[np.searchsorted(own, uppers)] = rests
        return names

    def _rest(self, label: int, below: bytes) -> int:
        """Name what a label stands for beside those below it, given as bytes of their codes."""
        name = self._rests.get((label, below))
        if name is None:
            name = self._rests[label, below] = self._width + len(self._of_rest)
            self._of_rest.append((label, frozenset(np.frombuffer(below, np.int32).tolist())))
        return name

    def places(self, names: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the rows of names are; they are collected when first asked for."""
        if self._width + len(self._of_rest) > self._at.size:
            more = np.full(self._at.size, -1, dtype=np.int64)
            self._at = np.concatenate([self._at, more])
            return self.places(names)
        if (self._at[names] < 0).any():
            self._place(np.unique(names[self._at[names] < 0]).tolist())
        return self._at[names]

    def _place(self, new: list[int]) -> None:
        """Collect the rows of names."""
        fresh, _ = self.rows.find(new)
        for name, place in zip(new, fresh.tolist(), strict=True):
            if name < self._width:
                self._collect(self.rows.data[place], [name])
            else:
                label, below = self._of_rest[name - self._width]
                self._unite(self.rows.data[place], label, below)
        self.rows.counted(fresh)
        self._at[new] = fresh

    def absent(self, labels: list[int]) -> NDArray[np.int64]:
        """Return where the rows of the records without each label are."""
        own = self.places(np.array(labels, dtype=np.int64))
        at, new = self.rows.find([-1 - label for label in labels])
        if new:
            self.rows.data[at] = self._full & ~self.rows.data[own]
            self.rows.counted(at)
        return at

    def support(self, names: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the records of each label."""
        at = self.places(names)
        return self.rows.count[at]

    def _unite(self, row: NDArray[np.uint64], label: int, below: frozenset[int]) -> None:
        """Collect the records of what is under a label but under none of those below it."""
        hierarchies = self._cuts.hierarchies
        parted = {label}
        for code in below:
            while (code := int(hierarchies.parent[code])) != label:
                parted.add(code)
        rest = [
            child for code in parted for child in hierarchies.children[code]
            if child not in parted and child not in below
        ]  # fmt: skip
        self._collect(row, rest)
        for code in parted:
            self._add(row, code)

    def _collect(self, row: NDArray[np.uint64], waiting: list[int]) -> None:
        children = self._cuts.hierarchies.children
        while waiting:
            code = waiting.pop()
            waiting.extend(children[code])
            self._add(row, code)

    def _add(self, row: NDArray[np.uint64], code: int) -> None:
        first, last = self._ptr[code], self._ptr[code + 1]
        if first < last:
            set_lists(row, self._nodes[first:last], self._synopsis.ptr, self._synopsis.ids)
