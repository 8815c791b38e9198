"""A loss that no release of truthful rows which meets the requirements can fall below."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.requirements.base import SensitiveRequirement, least_respondents
from indistinct.requirements.histograms import SLACK
from indistinct.running.together import on_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.model.spans import Spans
    from indistinct.model.table import QuasiSet, Table
    from indistinct.requirements import Requirement

EXACT_PAIRS = 5 * 10**8
NORMAL = 1.96


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the mean loss, with its interval where it was sampled.

    Attributes
    ----------
    loss
        The bound, in the units of GCP.
    low, high
        The 95% interval of the bound; equal to it where every row was looked at.
    rows
        How many rows were looked at.
    exact
        Whether that was all of them.
    at_most
        What a bound by prices can come to at most, where that is what it is: more than the bound
        where time was over before. None where it is not known.
    """

    loss: float
    low: float
    high: float
    rows: int
    exact: bool
    at_most: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "loss": self.loss,
            "interval": [self.low, self.high],
            "rows": self.rows,
            "exact": self.exact,
            **({} if self.at_most is None else {"at_most": self.at_most}),
        }


def lower_bound(
    table: Table,
    spans: Spans,
    requirements: Sequence[Requirement],
    *,
    pairs: int = EXACT_PAIRS,
    seed: int = 0,
) -> Bound:
    """Bound the mean loss per cell of every release that meets the requirements.

    A published row must cover k original rows, its own among them, so it costs at least as much
    as the span from that row to its (k-1)-th nearest other; where a class must hold so many
    different sensitive values, as the span to the nearest row of the last of them. Suppressed rows,
    which cost 1, cost no less. Each quasi-identifier is asked by itself, in its own columns: what
    those without a column in common cost adds up. All distinct rows are looked at while the pairs
    to compare stay below `pairs`; otherwise a random sample of rows, with a 95% interval.
    """
    distinct = table.frequency_set
    values = (p[0].size for one in table.sets for p in _diverse(table, one, requirements).values())
    compared = max([distinct.size, *values])
    exact = distinct.size * compared <= pairs
    share = distinct.counts / distinct.counts.sum()
    if exact:
        chosen = np.arange(distinct.size)
    else:
        random = np.random.Generator(np.random.PCG64(seed))
        chosen = random.choice(distinct.size, size=max(pairs // compared, 30), p=share)
    weight = sum(column.weight for column in table.quasi)
    costs = _least_costs(table, spans, requirements, chosen)
    costs = np.minimum(costs / weight if weight else costs * 0.0, 1.0)
    if exact:
        mean = float(costs @ share)
        return Bound(mean, mean, mean, table.rows, exact=True)
    mean = float(costs.mean())
    spread = NORMAL * float(costs.std(ddof=1)) / sqrt(costs.size)
    return Bound(mean, max(mean - spread, 0.0), mean + spread, int(costs.size), exact=False)


def _least_costs(
    table: Table, spans: Spans, requirements: Sequence[Requirement], chosen: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return what each chosen distinct row costs at least, in all quasi-identifiers together."""
    each = [_in_columns(table, spans, requirements, chosen, one) for one in table.sets]
    together: NDArray[np.float64] = of_all_sets(table, each)
    return together


def of_all_sets(table: Table, each: Sequence[Any]) -> Any:
    """Put together what is lost at least in each quasi-identifier: it adds up if they are apart."""
    places = [place for one in table.sets for place in one.columns]
    apart = len(places) == len(set(places))
    return np.sum(each, axis=0) if apart else np.max(each, axis=0)


def _in_columns(
    table: Table,
    spans: Spans,
    requirements: Sequence[Requirement],
    chosen: NDArray[np.intp],
    one: QuasiSet,
) -> NDArray[np.float64]:
    """Return what each chosen distinct row costs at least in the columns of a quasi-identifier."""
    from indistinct.measures.bound_kernel import diverse_costs, nearest_costs

    distinct = table.frequency_set
    codes = np.ascontiguousarray(np.stack(distinct.codes, axis=1))
    requirements = [asked for asked in requirements if asked.reaches(len(one.columns))]
    k = least_respondents(requirements)
    diverse = _diverse(table, one, requirements)
    columns = np.array(one.columns, dtype=np.int64)
    parts = np.array_split(chosen, os.cpu_count() or 1)

    def of_part(part: int) -> NDArray[np.float64]:
        rows = parts[part]
        costs = nearest_costs(spans.arrays, codes, distinct.counts, columns, rows, k)
        for (_, least), held in diverse.items():
            apart = diverse_costs(spans.arrays, codes, held, columns, rows, least)
            costs = np.maximum(costs, apart)
        return costs

    return np.concatenate(on_each(len(parts), of_part))


def _diverse(
    table: Table, one: QuasiSet, requirements: Sequence[Requirement]
) -> dict[tuple[str, int], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each sensitive column and how many of its values classes need, where its values are.

    That is the distinct pairs of a distinct row and a value.
    """
    wanted = {
        (column.name, ceil(asked.least_values(column) - SLACK)): column
        for asked in requirements
        if isinstance(asked, SensitiveRequirement)
        for column in table.sensitive_of(one)
        if asked.column in {None, column.name}
    }
    row = table.frequency_set.inverse.astype(np.int64)
    pairs = {}
    for (name, least), column in wanted.items():
        if least > 1:
            size = len(column.values)
            pairs[name, least] = np.divmod(np.unique(row * size + column.codes), size)
    return pairs
