"""One block of entries: searched, published, and checked to be true, wherever that is done.

What it takes is in one object that can be sent to another machine, and so can what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.check.of_plan import refuse_failing
from indistinct.check.of_release import check_release
from indistinct.check.truth import untrue_columns
from indistinct.engine.joining import assignment_of, counted_together
from indistinct.errors import DoesNotHoldError
from indistinct.measures.loss import column_ncp
from indistinct.pipeline import Work
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.engine.base import Assignment, Fetched, Grouped
    from indistinct.engine.statements import Domain
    from indistinct.errors import Fault
    from indistinct.model.columnwise import Columnwise
    from indistinct.plan import Plan


@dataclass(frozen=True, eq=False)
class Block:
    """What is kept of a block that was recoded.

    Attributes
    ----------
    assigned
        What its entries are published as.
    shown
        The different rows that it shows, with how many each stands for.
    became
        The published columns that each quasi column became.
    levels
        The level of each column, where the method chose one for whole columns.
    rows, entries
        How many rows it has, and how many entries.
    ncp
        The mean NCP of each column over its rows.
    sizes
        How many of its quasi-identifier rows are there once, twice, and so on; equal ones are all
        in one block.
    timed_out
        Whether a time limit ended the search.
    said
        What a steward should know of how it was recoded.
    """

    assigned: Assignment
    shown: Grouped
    became: dict[str, tuple[str, ...]]
    levels: tuple[int, ...] | None
    rows: int
    entries: int
    ncp: dict[str, float]
    sizes: dict[int, int]
    timed_out: bool
    said: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BlockSearch:
    """How blocks of a table are recoded.

    Attributes
    ----------
    plan
        What is asked, of the counted columns.
    table
        The columns of the whole table, with its shares and ends.
    domains
        The values of the counted columns, by their codes.
    bins
        Where the engine was told to take several values for one: the code of each value that it
        has now.
    """

    plan: Plan
    table: Columnwise
    domains: tuple[Domain, ...]
    bins: tuple[NDArray[np.int32], ...] | None = None

    def recoded(self, fetched: Fetched, progress: Progress | None = None) -> Block:
        """Search and publish one block, and check that what it shows is true."""
        codes = self._codes(fetched)
        work = Work(self.plan)
        work.progress = progress or Progress()
        work.table = self.table.block(codes, fetched.counts)
        work.recode_encoded(_values_of(self.domains, codes), keep_order=True)
        making, rows = work.making(), work.published.rows
        refuse_failing(check_release(rows, making))
        named = [part for parts in work.published.became.values() for part in parts]
        entry = fetched.entry if work.parts is None else fetched.entry[work.parts.entry]
        self._refuse_untrue(fetched, work)
        source, counts = work.published.source, work.table.row_counts
        columns = work.published.columns.select(named)
        return Block(
            assigned=assignment_of(columns, work.recoding.kept, entry, counts),
            shown=counted_together(rows, counts[source]),
            became=work.published.became,
            levels=work.recoding.column_levels,
            rows=work.table.rows,
            entries=fetched.entry.size,
            ncp=column_ncp(work.table, work.recoding, self.plan.forms(work.table)),
            sizes=work.table.frequency_set.classes_by_size,
            timed_out=bool(work.recoding.search.get("timed_out")),
            said=tuple(work.recoding.cautions()),
        )

    def _codes(self, fetched: Fetched) -> dict[str, NDArray[np.int32]]:
        """Return a value that each entry has, by its code; of several values the first."""
        names = [domain.column for domain in self.domains]
        if self.bins is None:
            return dict(zip(names, fetched.codes, strict=True))
        firsts = [np.unique(of_code, return_index=True)[1] for of_code in self.bins]
        return {
            name: first[codes].astype(np.int32)
            for name, first, codes in zip(names, firsts, fetched.codes, strict=True)
        }

    def _refuse_untrue(self, fetched: Fetched, work: Work) -> None:
        """Raise if what is shown of some value is untrue of another that is taken for the same."""
        if self.bins is None:
            return
        columns, quasi = work.published.columns, {c.name: c for c in self.table.quasi}
        faults: list[Fault] = []
        for domain, of_code, codes in zip(self.domains, self.bins, fetched.codes, strict=True):
            if domain.column in quasi:
                shown = pa.table({"code": codes, domain.column: columns.column(domain.column)})
                pairs = counted_together(shown, fetched.counts).rows
                place, value = _pairs(pairs.column("code").to_numpy(), of_code)
                cells = pairs.select([domain.column]).take(pa.array(place))
                became = {domain.column: (domain.column,)}
                faults += untrue_columns(cells, [quasi[domain.column]], became, value)
        if faults:
            raise DoesNotHoldError(faults)


def _pairs(
    codes: NDArray[np.int32], of_value: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair places of codes with the values of that code.

    >>> [part.tolist() for part in _pairs(np.array([1, 0]), np.array([0, 0, 1]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    order = np.argsort(of_value, kind="stable")
    starts = np.searchsorted(of_value[order], codes)
    lengths = np.searchsorted(of_value[order], codes, side="right") - starts
    place = np.repeat(np.arange(codes.size), lengths)
    within = np.arange(place.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return place, order[starts[place] + within]


def _values_of(domains: Sequence[Domain], codes: Mapping[str, NDArray[np.int32]]) -> pa.Table:
    """Return the entries of a block by their values."""
    return pa.table({d.column: d.column_of(codes[d.column]) for d in domains})
