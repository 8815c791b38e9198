"""Table: the private table as integers, which is all that methods see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.model.crowd import Crowd

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label
    from indistinct.model.ends import PublishedEnds


@dataclass(frozen=True, eq=False)
class QuasiColumn:
    """A quasi-identifying column: a code per row into the ordered leaves of its hierarchy.

    Attributes
    ----------
    ends
        Where published ranges may begin and end, and how members of sets may be named; None where
        they are the values as they are.
    observed
        Where the smallest and the largest value lie that any row has, where that is not as the
        codes say: entries may be a part of the table.
    """

    name: str
    codes: NDArray[np.int32]
    hierarchy: Hierarchy
    weight: float = 1.0
    ends: PublishedEnds | None = None
    observed: tuple[float, float] | None = None

    @property
    def observed_here(self) -> tuple[float, float]:
        """Where the smallest and the largest value lie that is there; numbers or dates."""
        place = (self.hierarchy.raw or self.hierarchy).position
        seen = place if self.hierarchy.raw is not None else place[np.unique(self.codes)]
        seen = seen[~np.isnan(seen)]
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)

    @cached_property
    def node_runs(self) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], ...]:
        """For each level, the first and the last leaf under every node."""
        levels = range(self.hierarchy.height + 1)
        return tuple(self.hierarchy.node_runs(level) for level in levels)


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A column whose values must not be learnt: a code per row into its ordered values.

    Values are ordered by number, by date, or by their hierarchy, where they have one.

    Attributes
    ----------
    overall
        The share of each value among all rows, where that is not as often as its code is there:
        entries may stand for several rows, or be a part of the table.
    of_people
        For each set that says whose row a row is, the share of each value among all people, where
        the entries are a part of the table.
    """

    name: str
    codes: NDArray[np.int32]
    values: tuple[Label, ...]
    hierarchy: Hierarchy | None = None
    overall: NDArray[np.float64] | None = None
    of_people: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def renumbered(self, order: NDArray[np.intp]) -> SensitiveColumn:
        """Number the values in another order, and forget their hierarchy."""
        place = np.empty(order.size, dtype=np.int32)
        place[order] = np.arange(order.size, dtype=np.int32)
        values = tuple(self.values[code] for code in order)
        overall = None if self.overall is None else self.overall[order]
        of_people = {name: shares[order] for name, shares in self.of_people.items()}
        return SensitiveColumn(
            self.name, place[self.codes], values, overall=overall, of_people=of_people
        )

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value among all rows."""
        return self.overall if self.overall is not None else self.shares_by(None)

    def shares_by(self, weights: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return the share of each value, given how many rows each code stands for."""
        counts = np.bincount(self.codes, weights, minlength=len(self.values))
        shares: NDArray[np.float64] = counts / max(counts.sum(), 1)
        return shares

    def shares_in(self, group: QuasiSet) -> NDArray[np.float64]:
        """Return the share of each value among the people of a set.

        Where people have several rows, the values of each weigh one together, all alike.
        """
        if group.respondents is None:
            return self.shares
        if group.name in self.of_people:
            return self.of_people[group.name]
        size = len(self.values)
        pairs = np.unique(group.respondents.astype(np.int64) * size + self.codes)
        whose, value = pairs // size, pairs % size
        weight = 1.0 / np.bincount(whose)[whose]
        held = np.bincount(value, weight, minlength=size)
        shares: NDArray[np.float64] = held / max(held.sum(), 1.0)
        return shares

    @property
    def levels(self) -> NDArray[np.int32]:
        """For each level of the hierarchy, the node of each value; only level 0 without one."""
        if self.hierarchy is None:
            return np.arange(len(self.values), dtype=np.int32)[None, :]
        return np.array(self.hierarchy.nodes, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class QuasiSet:
    """Columns that can be linked together, and whose rows they describe.

    Attributes
    ----------
    columns
        Places of its columns among the table's quasi columns.
    respondents
        A number per row that says whose row it is; None where each row is someone else's.
    """

    name: str
    columns: tuple[int, ...]
    respondents: NDArray[np.int32] | None = None


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """The distinct quasi-identifier rows, in lexicographic order, with their counts.

    Attributes
    ----------
    codes
        One array per column, a code per distinct row.
    counts
        How many rows of the table each distinct row stands for.
    inverse
        The distinct row of every entry of the table.
    """

    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]
    inverse: NDArray[np.int32]

    @property
    def size(self) -> int:
        """The number of distinct rows."""
        return int(self.counts.size)

    @property
    def classes_by_size(self) -> dict[int, int]:
        """How many distinct rows stand for one row of the table, for two, and so on."""
        if self.counts.max(initial=0) <= self.size:
            classes = np.bincount(self.counts)
            sizes = np.flatnonzero(classes)
            return dict(zip(sizes.tolist(), classes[sizes].tolist(), strict=True))
        sizes, classes = np.unique(self.counts, return_counts=True)
        return dict(zip(sizes.tolist(), classes.tolist(), strict=True))

    def sorted_by(self, order: Sequence[int]) -> NDArray[np.intp]:
        """Return the lexicographic order of the distinct rows by columns in another order."""
        from indistinct.model.ranking_kernel import row_keys

        columns = [self.codes[column] for column in order]
        sizes = [int(codes.max(initial=0)) + 1 for codes in columns]
        return np.argsort(row_keys(columns, sizes)[0])


@dataclass(frozen=True, eq=False)
class Table:
    """The private table, as integers: entries, each of which stands for one row or several.

    The rows of an entry are alike in all that is here: in the quasi columns, in the sensitive
    columns, and in whose rows they are.

    Attributes
    ----------
    entries
        The number of entries, which is the length of all arrays.
    quasi, sensitive
        Its columns by role.
    sets
        The quasi-identifiers: each must satisfy the requirements by itself.
    weights
        How many rows each entry stands for; None where each is one row.
    """

    entries: int
    quasi: tuple[QuasiColumn, ...]
    sets: tuple[QuasiSet, ...]
    sensitive: tuple[SensitiveColumn, ...] = ()
    weights: NDArray[np.int64] | None = None

    @cached_property
    def rows(self) -> int:
        """The number of rows of the private table."""
        return self.entries if self.weights is None else int(self.weights.sum())

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """How many rows each entry stands for."""
        return np.ones(self.entries, dtype=np.int64) if self.weights is None else self.weights

    @property
    def kernel_weights(self) -> NDArray[np.int64]:
        """The weights as kernels read them: none at all where each entry is one row."""
        return np.zeros(0, dtype=np.int64) if self.weights is None else self.weights

    def rows_where(self, chosen: NDArray[np.bool_]) -> int:
        """Count the rows of some entries."""
        if self.weights is None:
            return int(np.count_nonzero(chosen))
        return int(self.weights[chosen].sum())

    def rows_by(
        self, numbers: NDArray[np.integer], size: int, among: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Count the rows that have each number, given the number of each entry (or of some)."""
        weights = self.weights if among is None or self.weights is None else self.weights[among]
        return np.bincount(numbers, weights, minlength=size).astype(np.int64)

    def rows_before(self, order: NDArray[np.integer]) -> NDArray[np.int64]:
        """Count the rows before each of all entries in some order, and last of all of them."""
        return np.concatenate([[0], np.cumsum(self.row_counts[order])])

    def entries_of(self, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the entry of each of some rows, which are numbered entry by entry."""
        if self.weights is None:
            return rows
        return np.searchsorted(np.cumsum(self.weights), rows, side="right")

    @property
    def heights(self) -> tuple[int, ...]:
        """The height of each quasi column's hierarchy: the top of the lattice."""
        return tuple(column.hierarchy.height for column in self.quasi)

    def crowd(self, place: int) -> Crowd:
        """Return whom a quasi column is about, to count people by its values."""
        column = self.quasi[place]
        people = [s.respondents for s in self.sets if place in s.columns]
        return Crowd(
            column.codes,
            column.hierarchy.size,
            tuple(whose for whose in people if whose is not None),
            self.weights,
        )

    @property
    def has_respondents(self) -> bool:
        """Whether some set says whose row a row is."""
        return any(group.respondents is not None for group in self.sets)

    def sensitive_of(self, group: QuasiSet) -> tuple[SensitiveColumn, ...]:
        """Return the sensitive columns with the shares that values have among a set's people."""
        if group.respondents is None:
            return self.sensitive
        return tuple(replace(c, overall=c.shares_in(group)) for c in self.sensitive)

    def with_ties_in(
        self, order: NDArray[np.intp], sensitive: Collection[str] = ()
    ) -> tuple[Table, NDArray[np.intp]]:
        """Return the rows sorted by their quasi values, and where each row came from.

        Rows that are alike stand as in the order given, and people are numbered as they come. Of
        the sensitive columns only those named are there, so that nothing else can tell rows apart.
        """
        distinct = self.frequency_set
        rows = order[np.argsort(distinct.inverse[order], kind="stable")]
        table = replace(
            self,
            quasi=tuple(replace(c, codes=c.codes[rows]) for c in self.quasi),
            sensitive=tuple(
                replace(c, codes=c.codes[rows]) for c in self.sensitive if c.name in sensitive
            ),
            sets=_sets_of(self.sets, rows),
            weights=None if self.weights is None else self.weights[rows],
        )
        inverse = distinct.inverse[rows]
        table.__dict__["frequency_set"] = replace(distinct, inverse=inverse)  # as it is cached
        return table, rows

    def of_entries(self, some: NDArray[np.intp]) -> Table:
        """Return the table of some of its entries, as if there were no others."""
        part = self.part(some)
        alone = (
            replace(c, overall=c.shares_by(part.weights), of_people={}) for c in part.sensitive
        )
        return replace(part, sensitive=tuple(alone))

    def part(self, some: NDArray[np.intp]) -> Table:
        """Return some of its entries; values are still compared with their shares in all rows."""
        return replace(
            self,
            entries=int(some.size),
            quasi=tuple(replace(c, codes=c.codes[some]) for c in self.quasi),
            sensitive=tuple(
                replace(
                    c,
                    codes=c.codes[some],
                    overall=c.shares,
                    of_people=self._of_people(c),
                )
                for c in self.sensitive
            ),
            sets=tuple(
                s if s.respondents is None else replace(s, respondents=s.respondents[some])
                for s in self.sets
            ),
            weights=None if self.weights is None else self.weights[some],
        )

    def _of_people(self, column: SensitiveColumn) -> dict[str, NDArray[np.float64]]:
        """Return the shares of a column's values among the people of each set that counts them."""
        counting = (group for group in self.sets if group.respondents is not None)
        return {group.name: column.shares_in(group) for group in counting}

    @cached_property
    def frequency_set(self) -> FrequencySet:
        """The distinct rows over all quasi columns."""
        return frequency_set(
            [column.codes for column in self.quasi],
            [column.hierarchy.size for column in self.quasi],
            self.weights,
        )


def _sets_of(sets: tuple[QuasiSet, ...], rows: NDArray[np.intp]) -> tuple[QuasiSet, ...]:
    """Return whose rows some rows are; numberings that are one remain one."""
    from indistinct.model.ranking_kernel import rank_keys

    numbered: dict[int, NDArray[np.int32]] = {}
    for group in sets:
        if group.respondents is not None and id(group.respondents) not in numbered:
            numbers = rank_keys(group.respondents[rows].astype(np.int64))[0]
            numbered[id(group.respondents)] = numbers
    return tuple(replace(group, respondents=numbered.get(id(group.respondents))) for group in sets)


def frequency_set(
    columns: list[NDArray[np.int32]],
    sizes: list[int],
    weights: NDArray[np.int64] | None = None,
) -> FrequencySet:
    """Count each distinct row once, given how many rows each entry stands for."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    keys, _ = row_keys(columns, sizes)
    numbers, first = rank_keys(keys)
    order = np.argsort(keys[first])
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    inverse = place[numbers]
    return FrequencySet(
        codes=tuple(codes[first[order]] for codes in columns),
        counts=np.bincount(inverse, weights, minlength=order.size).astype(np.int64),
        inverse=inverse,
    )
