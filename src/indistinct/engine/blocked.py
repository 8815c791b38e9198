"""The way of a release whose distinct rows are too many to be searched at once.

Columns are encoded by their values, which the engine counted over all rows: hierarchies, shares of
sensitive values and ends of ranges are those of the whole table. The entries stay with the engine;
it is told how to divide them into blocks (`dividing.py`), and has each of them searched, published
and checked to be true (`block.py`): here, one after the other, or on the machines that it works on.
What is kept of a block are the different rows that it shows. The requirements are checked over all
blocks together, on what was written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from indistinct.check.of_blocks import check_whole
from indistinct.encode.columnwise import ColumnValues, encode_columns
from indistinct.engine.base import BlockEngine, Grouped
from indistinct.engine.block import BlockSearch
from indistinct.engine.dividing import Dividing
from indistinct.engine.joining import assigned_together, counted_together, plain, stacked
from indistinct.engine.levels import AtLevels, LevelSearch
from indistinct.engine.statements import Domain
from indistinct.engine.work import EngineWork
from indistinct.errors import DataError, Fault
from indistinct.measures.loss import measure_blocks
from indistinct.methods.posing import pose_problem
from indistinct.model.costs import COSTS
from indistinct.model.recoding import CountedLevels, InBlocks
from indistinct.publishing.rows import Published
from indistinct.requirements import some_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.engine.base import Assignment, Engine
    from indistinct.engine.block import Block
    from indistinct.measures.loss import Measures
    from indistinct.methods import Method
    from indistinct.model.columnwise import Columnwise
    from indistinct.plan import Plan
    from indistinct.running.progress import Progress

WIDEST = 3
"""How many columns with most values a refusal names."""
WHOLE = (
    "this method for whole columns searches them at once; `optimal` would count coarser ones, and "
    "methods that group rows search blocks"
)


def recoded_on(engine: Engine, plan: Plan, progress: Progress | None = None) -> EngineWork:
    """Have an engine count the rows of its source, and recode them: at once, or in blocks."""
    work = EngineWork(engine, plan, progress)
    with work.timed("read"):
        fits = work.on_engine(work.survey)
        grouped = work.on_engine(work.count) if fits else None
    if grouped is not None:
        work.recode_grouped(grouped)
        return work
    blocked = BlockedWork.instead_of(work)
    blocked.recode_blocks()
    return blocked


class BlockedWork(EngineWork):
    """A release in the making, block by block."""

    table: Columnwise

    @classmethod
    def instead_of(cls, work: EngineWork) -> BlockedWork:
        """Take over from work whose entries turned out to be too many."""
        blocked = cls(work.engine, work.plan, work.progress)
        blocked.__dict__.update(work.__dict__)
        return blocked

    def recode_blocks(self) -> None:
        """Count, divide, search and publish."""
        engine = self.engine
        if not isinstance(engine, BlockEngine):
            self._refuse(f"{engine.name} does not search them in blocks")
        if obstacle := self._obstacle():
            self._refuse(obstacle)
        with self.timed("read"):
            grouped = self.on_engine(engine.group, self.counted)
        self._columns = dict(zip(self.counted, grouped, strict=True))
        with self.timed("encode"):
            self.interruptibly(self._encode_columns)
        method = self._chosen()
        with self.timed("search"):
            if method.groups_rows:
                blocks = self.on_engine(self._recoded, engine)
            elif some_columns(self.plan.require, len(self.table.quasi)):
                self._refuse("what is known of some columns is counted in all rows at once")
            elif method.heeds_lowest and len(self.table.sets) == 1:
                blocks = [self.on_engine(self._at_best_levels, engine, method)]
            else:
                self._refuse(WHOLE)
        with self.timed("publish"):
            self.interruptibly(self._put_together, blocks)
        self.method = method

    def _obstacle(self) -> str | None:
        """Say why the plan cannot be kept block by block; None if it can."""
        plan = self.plan
        if plan.respondent_columns():
            return "where people have several rows they are searched at once"
        if plan.accuracy is not None:
            return "limits on accuracy are kept in one search"
        return None if plan.method.groups_rows or plan.method.heeds_lowest else WHOLE

    def _chosen(self) -> Method:
        """Return the method that really searches."""
        problem = pose_problem(self.table, self.plan, loss=COSTS[self.plan.loss])
        return self.plan.method.chosen_for(problem)

    def _refuse(self, why: str) -> NoReturn:
        most = self.plan.most_distinct
        widest = sorted(self.counted, key=lambda name: -self.engine.distinct([name]))[:WIDEST]
        problem = f"the counted columns have about {self.distinct:,} distinct rows, and {why}"
        remedy = (
            f"Raise engine.max_distinct (it is {most:,}), or round or drop what is too fine, dates "
            f"to months, codes to fewer digits: most values are in {', '.join(widest)}."
        )
        raise DataError(Fault(self.engine.place, problem, remedy))

    def _encode_columns(self) -> None:
        columns = {
            name: ColumnValues(grouped.rows.column(name), grouped.counts)
            for name, grouped in self._columns.items()
        }
        self.table, self._read, self.notes = encode_columns(columns, self.plan)
        self._domains = tuple(
            Domain(place, name, plain(self._read[name].values).combine_chunks())
            for place, name in enumerate(self.counted)
        )
        self._look(pa.table({}))

    def _values(self) -> Mapping[str, Grouped]:
        return self._columns

    def _recoded(self, engine: BlockEngine) -> list[Block]:
        """Divide the entries, and recode block after block."""
        numbers = Dividing(engine, self.table, self.plan, self.counted).blocks(self.progress.look)
        search = BlockSearch(self.plan, self.table, self._domains)
        blocks = []
        for block in engine.recoded(numbers, search, self.progress.quiet()):
            blocks.append(block)
            self.progress.advance(len(blocks) / len(numbers))
        return blocks

    def _at_best_levels(self, engine: BlockEngine, method: Method) -> Block:
        """Find the best levels of whole columns, and recode the entries at these levels."""
        look = self.progress.look
        search = LevelSearch(engine, self.table, self.plan, self.counted, look)
        levels, facts = search.best(method)
        sizes, bins = search.sizes_before(), tuple(search.final_bins(levels))
        engine.coarsen(bins)
        plan = self.plan.model_copy(update={"method": AtLevels(levels=levels)})
        coarse = BlockSearch(plan, self.table, self._domains, bins)
        (block,) = engine.recoded([0], coarse, self.progress.quiet())
        self._found = facts | {"distinct_rows": sum(sizes.values())}
        return replace(block, sizes=sizes)

    def _put_together(self, blocks: list[Block]) -> None:
        """Make one release of what blocks show."""
        became, levels = blocks[-1].became, blocks[-1].levels
        self._blocks = [(block.rows, block.ncp) for block in blocks]
        self._assigned = assigned_together([block.assigned for block in blocks])
        shown = counted_together(
            stacked([block.shown.rows for block in blocks]),
            np.concatenate([block.shown.counts for block in blocks]),
        )
        source = np.arange(shown.counts.size)
        self.published = Published(shown.rows, source, became=became, weights=shown.counts)
        entries = [block.entries for block in blocks]
        facts = {
            "blocks": len(blocks),
            "distinct_rows": sum(entries),
            "largest_block": max(entries),
            "smallest_block": min(entries),
        }
        facts |= {"timed_out": True} if any(block.timed_out for block in blocks) else {}
        said = tuple(dict.fromkeys(text for block in blocks for text in block.said))
        suppressed = self.table.rows - shown.total
        if levels is None:
            self.recoding = InBlocks(len(blocks), suppressed, facts, said)
        else:
            self.recoding = CountedLevels(len(blocks), suppressed, self._found, said, levels)
        self._sizes = sum((Counter(block.sizes) for block in blocks), Counter())

    def assignment(self) -> Assignment:
        """Say what the rows of each counted entry are published as."""
        return self._assigned

    def _check(self, rows: pa.Table) -> None:
        published = self.published
        counts = published.counts
        if counts is None:
            counts = np.ones(rows.num_rows, dtype=np.int64)
        self.verified = check_whole(
            rows, counts, self.plan, self.table, values=self._read, became=published.became
        )

    def measures(self) -> Measures:
        """Measure what was lost, by blocks."""
        sizes, forms = self.verified.class_sizes, self.plan.forms(self.table)
        return measure_blocks(self.table, self.recoding, self._blocks, sizes, forms)

    def sizes_before(self) -> dict[int, int]:
        """Count the classes of the private table by size."""
        return dict(sorted(self._sizes.items()))
