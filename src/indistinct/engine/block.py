"""One block of entries: searched, published, and checked to be true, wherever that is done.

What it takes is in one object that can be sent to another machine, and so can what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from indistinct.check.of_plan import refuse_failing
from indistinct.check.of_release import check_release
from indistinct.engine.joining import assignment_of, counted_together
from indistinct.measures.loss import column_ncp
from indistinct.pipeline import Work
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.engine.base import Assignment, Fetched, Grouped
    from indistinct.engine.statements import Domain
    from indistinct.methods import Method
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
    method
        Which method searched.
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
    method: Method
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
    """

    plan: Plan
    table: Columnwise
    domains: tuple[Domain, ...]

    def recoded(self, fetched: Fetched, progress: Progress | None = None) -> Block:
        """Search and publish one block, and check that what it shows is true."""
        names = [domain.column for domain in self.domains]
        codes = dict(zip(names, fetched.codes, strict=True))
        work = Work(self.plan)
        work.progress = progress or Progress()
        work.table = self.table.block(codes, fetched.counts)
        work.recode_encoded(_values_of(self.domains, codes), keep_order=True)
        making, rows = work.making(), work.published.rows
        refuse_failing(check_release(rows, making))
        named = [part for parts in work.published.became.values() for part in parts]
        entry = fetched.entry if work.parts is None else fetched.entry[work.parts.entry]
        source, counts = work.published.source, work.table.row_counts
        columns = work.published.columns.select(named)
        return Block(
            assigned=assignment_of(columns, work.recoding.kept, entry, counts),
            shown=counted_together(rows, counts[source]),
            became=work.published.became,
            method=work.method,
            levels=work.recoding.column_levels,
            rows=work.table.rows,
            entries=fetched.entry.size,
            ncp=column_ncp(work.table, work.recoding, self.plan.forms(work.table)),
            sizes=work.table.frequency_set.classes_by_size,
            timed_out=bool(work.recoding.search.get("timed_out")),
            said=tuple(work.recoding.cautions()),
        )


def _values_of(domains: Sequence[Domain], codes: Mapping[str, NDArray[np.int32]]) -> pa.Table:
    """Return the entries of a block by their values."""
    return pa.table({d.column: d.column_of(codes[d.column]) for d in domains})
