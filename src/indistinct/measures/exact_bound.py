"""The bound by prices of a whole release: which classes each quasi-identifier allows, and how long.

A requirement on a sensitive column is heeded by one of two sets of classes, or by both in turn: by
the largest share of a class that it lets each value have, or by how many different values a class
needs. The largest bound counts, for each of them holds.
"""

from __future__ import annotations

from math import ceil, inf, isinf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.measures.bound import Bound, lower_bound, of_all_sets
from indistinct.measures.price_bound import Prices
from indistinct.model.table import frequency_set
from indistinct.requirements.base import SensitiveRequirement, least_respondents
from indistinct.requirements.histograms import SLACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.measures.price_kernel import Rows
    from indistinct.methods.common.deadline import Deadline
    from indistinct.model.recoding import Recoding
    from indistinct.model.spans import Spans
    from indistinct.model.table import QuasiSet, SensitiveColumn, Table
    from indistinct.requirements import Requirement

ANY = 2**31


class Asked(NamedTuple):
    """What classes are asked to have.

    Attributes
    ----------
    rows, values
        How many rows, and how many different values of the column.
    column, caps
        A sensitive column, and how many of so many rows may have each of its values; None where
        values are not asked about.
    """

    rows: int
    values: int = 0
    column: SensitiveColumn | None = None
    caps: NDArray[np.int64] | None = None


def exact_bound(
    table: Table,
    spans: Spans,
    requirements: Sequence[Requirement],
    *,
    max_suppressed: int,
    known: Recoding | None = None,
    deadline: Deadline,
) -> Bound:
    """Bound the mean loss by the linear program over all classes, as far as time allows.

    Parameters
    ----------
    max_suppressed
        How many rows may be suppressed.
    known
        A recoding that meets the requirements; its classes are a good start.
    """
    weight = sum(column.weight for column in table.quasi)
    nearest = lower_bound(table, spans, requirements)
    if not weight:
        return nearest
    scale = weight * table.rows
    paid, most = [], []
    for done, one in enumerate(table.sets):
        search = _Search(table, spans, one, max_suppressed, known)
        of_one = search.best(requirements, deadline.part(1 / (len(table.sets) - done)))
        paid.append(of_one[0] / scale)
        most.append(of_one[1] / scale)
    loss = min(max(float(of_all_sets(table, paid)), nearest.low), 1.0)
    at_most = float(of_all_sets(table, most))
    solved = None if isinf(at_most) else max(at_most, loss)
    return Bound(loss, loss, loss, table.rows, exact=True, at_most=solved)


class _Search(NamedTuple):
    """The search for prices of one quasi-identifier."""

    table: Table
    spans: Spans
    quasi: QuasiSet
    max_suppressed: int
    known: Recoding | None

    def best(self, requirements: Sequence[Requirement], deadline: Deadline) -> tuple[float, float]:
        """Return what prices bound, and what they could bound at most."""
        of_all = [one for one in requirements if one.reaches(len(self.quasi.columns))]
        asked = list(_asked(self.table, self.quasi, of_all))
        paid, most = 0.0, inf
        for done, one in enumerate(asked):
            prices = self._prices(one)
            prices.rise(deadline.part(1 / (len(asked) - done)))
            if prices.paid >= paid:
                paid, most = prices.paid, prices.most
        return paid, most

    def _prices(self, asked: Asked) -> Prices:
        """Begin with what rows cost by their nearest ones, and with the classes that are known."""
        rows, of_entry = self._rows(asked)
        suppressed_row = float(sum(self.table.quasi[c].weight for c in self.quasi.columns))
        first = np.minimum(_nearest(self.spans, rows), suppressed_row)
        prices = Prices(self.spans, rows, first, suppressed_row, self.max_suppressed)
        weights = self.table.weights
        for members in self._classes():
            counts = np.bincount(
                of_entry[members], None if weights is None else weights[members]
            ).astype(np.int64)
            if counts.sum() >= asked.rows:
                prices.learn(np.flatnonzero(counts), counts[counts > 0])
        return prices

    def _rows(self, asked: Asked) -> tuple[Rows, NDArray[np.int32]]:
        """Return the rows that differ in columns or value, and which of them each entry is."""
        from indistinct.measures.price_kernel import Rows

        table, columns = self.table, list(self.quasi.columns)
        codes = [table.quasi[column].codes for column in columns]
        sizes = [table.quasi[column].hierarchy.size for column in columns]
        values = () if asked.column is None else (asked.column.codes,)
        size = 1 if asked.column is None else len(asked.column.values)
        distinct = frequency_set([*codes, *values], [*sizes, *[size] * len(values)], table.weights)
        wide = np.zeros((distinct.size, len(table.quasi)), dtype=np.int32)
        wide[:, columns] = np.stack(distinct.codes[: len(columns)], axis=1)
        few_first = sorted(columns, key=lambda column: len(np.unique(wide[:, column])))
        rows = Rows(
            codes=wide,
            counts=distinct.counts,
            values=distinct.codes[-1] if values else np.zeros(distinct.size, dtype=np.int32),
            caps=np.full(size, ANY, dtype=np.int64) if asked.caps is None else asked.caps,
            columns=np.array(few_first, dtype=np.int64),
            least=asked.rows,
            least_values=asked.values,
        )
        return rows, distinct.inverse

    def _classes(self) -> Iterator[NDArray[np.intp]]:
        """Yield the entries of each class that is known to be allowed."""
        if self.known is None or len(self.table.sets) > 1:
            return
        covered = self.known.covered_rows
        if covered is not None:
            yield from covered.astype(np.intp)
        elif self.known.has_classes:
            of_row = self.known.shown(self.table, self.spans.forms).of_row
            order = np.argsort(of_row, kind="stable")
            first = np.searchsorted(of_row[order], np.arange(of_row.max(initial=-1) + 2))
            yield from np.split(order, first)[1:-1]


def _nearest(spans: Spans, rows: Rows) -> NDArray[np.float64]:
    """Return what each row costs at least with as many rows, and values, as a class needs."""
    from indistinct.measures.bound_kernel import diverse_costs, nearest_costs

    arrays, codes, columns = spans.arrays, rows.codes, np.sort(rows.columns)
    every = np.arange(rows.counts.size)
    costs = nearest_costs(arrays, codes, rows.counts, columns, every, rows.least)
    if rows.least_values > 1:
        pairs = (every, rows.values.astype(np.int64))
        costs = np.maximum(
            costs, diverse_costs(arrays, codes, pairs, columns, every, rows.least_values)
        )
    return costs


def _asked(table: Table, quasi: QuasiSet, requirements: Sequence[Requirement]) -> Iterator[Asked]:
    """Yield what is asked of the classes of a quasi-identifier, in each way that says it."""
    k = least_respondents(requirements)
    about = [
        (column, [r for r in requirements if _is_about(r, column)])
        for column in table.sensitive_of(quasi)
    ]
    ways = [way for column, asked in about for way in _of_column(table, quasi, column, asked, k)]
    yield from ways or [Asked(k)]


def _is_about(requirement: Requirement, column: SensitiveColumn) -> bool:
    return isinstance(requirement, SensitiveRequirement) and (
        requirement.column in {None, column.name}
    )


def _of_column(
    table: Table,
    quasi: QuasiSet,
    column: SensitiveColumn,
    requirements: Sequence[Requirement],
    k: int,
) -> Iterator[Asked]:
    """Yield what is asked of the values of a column; shares only where each row is a person."""
    asked = [r for r in requirements if isinstance(r, SensitiveRequirement)]
    values = ceil(max((r.least_values(column) for r in asked), default=1) - SLACK)
    most = [share for r in asked if (share := r.most_of_class(column)) is not None]
    needed = 1
    if most and quasi.respondents is None:
        shares = np.minimum.reduce([*most, np.ones(len(column.values))])
        rows = _fewest(table, column, shares, k)
        caps = np.ceil(shares * rows - SLACK).astype(np.int64)
        needed = 1 + int(np.count_nonzero(np.sort(caps)[::-1].cumsum() < rows))
        if needed > 1:
            yield Asked(rows, 0, column, caps)
    if values > needed:
        yield Asked(k, values, column)


def _fewest(table: Table, column: SensitiveColumn, shares: NDArray[np.float64], k: int) -> int:
    """Return the fewest rows, k at least, of which no value can have more than its share."""
    there = np.bincount(column.codes, table.weights, minlength=len(column.values))
    rows = k
    while rows < table.rows and np.minimum(np.floor(shares * rows + SLACK), there).sum() < rows:
        rows += 1
    return rows
