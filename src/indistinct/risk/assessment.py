"""A table before any release: how many rows stand alone, and through which columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault
from indistinct.io.encoding import comparable, encode
from indistinct.model.table import FrequencySet, frequency_set
from indistinct.plan.identifiers import Look, identifier_reason
from indistinct.risk.before_after import Attackers, TableRisk, table_risk
from indistinct.risk.counted import CountedRows
from indistinct.risk.fit import Side
from indistinct.risk.uniques import LARGEST, MinimalUniques, minimal_uniques

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.risk.counted import Rows
    from indistinct.risk.hipaa import Identifier
    from indistinct.running.progress import Progress

LARGEST_SUBSET = 3
MOST_SUBSETS = 2_000


@dataclass(frozen=True)
class Subset:
    """What a few columns together say.

    Attributes
    ----------
    k
        The size of the smallest class: the k for which they are k-anonymous as they are.
    unique_rows
        How many rows no other row is like.
    """

    columns: tuple[str, ...]
    k: int
    classes: int
    unique_rows: int


@dataclass(frozen=True)
class LooksLikeIdentifier:
    """A column that seems to name people, and why."""

    column: str
    reason: str


@dataclass(frozen=True)
class Assessment:
    """How much a table says about single people, as it is.

    Attributes
    ----------
    sizes
        Class size to number of classes, over all the columns.
    subsets
        Every subset of up to three columns, the most dangerous first.
    uniques
        The fewest columns through which rows stand alone.
    risk, released
        The risks of the table, and of its release where one is given.
    safe_harbor
        Columns that hold one of HIPAA's 18 identifiers; None if that was not asked.
    """

    rows: int
    columns: tuple[str, ...]
    sizes: dict[int, int]
    subsets: tuple[Subset, ...]
    identifiers: tuple[LooksLikeIdentifier, ...]
    uniques: MinimalUniques
    risk: TableRisk
    released: TableRisk | None = None
    safe_harbor: tuple[Identifier, ...] | None = None

    @property
    def unique_rows(self) -> int:
        """How many rows no other row is like."""
        return self.sizes.get(1, 0)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rows": self.rows,
            "columns": list(self.columns),
            "k": min(self.sizes, default=0),
            "classes": sum(self.sizes.values()),
            "unique_rows": self.unique_rows,
            "unique_share": self.unique_rows / self.rows if self.rows else 0.0,
            "class_sizes": {str(size): count for size, count in self.sizes.items()},
            "subsets": [
                {
                    "columns": list(subset.columns),
                    "k": subset.k,
                    "classes": subset.classes,
                    "unique_rows": subset.unique_rows,
                    "unique_share": subset.unique_rows / self.rows,
                }
                for subset in self.subsets
            ],
            "looks_like_identifier": [
                {"column": identifier.column, "reason": identifier.reason}
                for identifier in self.identifiers
            ],
            "minimal_uniques": self.uniques.as_json(),
            "risk": self.risk.as_json(),
            "released": self.released.as_json() if self.released else None,
            "safe_harbor": None
            if self.safe_harbor is None
            else [identifier.as_json() for identifier in self.safe_harbor],
        }

    def _repr_html_(self) -> str:
        from indistinct.display import assessment_html

        return assessment_html(self.as_json())


def assess_table(
    data: Rows,
    columns: Sequence[str],
    progress: Progress,
    *,
    asked: Attackers | None = None,
    release: Rows | None = None,
    safe_harbor: bool = False,
) -> Assessment:
    """Assess the named columns as a quasi-identifier, and every column as an identifier.

    Parameters
    ----------
    asked
        What is asked about attackers.
    release
        A release of the table, whose risks are shown beside.
    safe_harbor
        Whether to look for HIPAA's 18 identifiers.

    Raises
    ------
    DataError
        If there are no rows, or a named column holds lists, records or bytes.
    """
    counted = CountedRows.of(data)
    rows, counts = counted.rows, counted.counts
    if counted.number == 0:
        raise DataError(Fault("data", "it has no rows", "Give data to assess."))
    values = [name for name in rows.column_names if comparable(rows.field(name).type)]
    every = dict.fromkeys([*columns, *values])
    encoded = {name: encode(rows.column(name), name, counts) for name in every}
    sizes = [len(encoded[name].domain.values) for name in columns]
    distinct = frequency_set([encoded[name].codes for name in columns], sizes, counts)
    attackers = asked or Attackers()
    texts = tuple(encoded[name].domain.values for name in columns)
    side = Side(tuple(columns), texts, distinct, counts)
    return Assessment(
        rows=counted.number,
        columns=tuple(columns),
        sizes=distinct.classes_by_size,
        subsets=tuple(_ranked(distinct, columns, sizes, progress)),
        identifiers=tuple(
            LooksLikeIdentifier(name, reason)
            for name, column in encoded.items()
            if (reason := identifier_reason(Look(name, column.domain)))
        ),
        uniques=minimal_uniques(
            distinct, columns, sizes, largest=_largest(len(columns)), progress=progress
        ),
        risk=table_risk(counted, columns, attackers, side=side),
        released=None if release is None else table_risk(release, columns, attackers),
        safe_harbor=_safe_harbor(counted) if safe_harbor else None,
    )


def _largest(columns: int) -> int:
    """Choose how large sets are looked at, so that they do not become too many."""
    sizes = range(1, LARGEST + 1)
    few = [s for s in sizes if sum(comb(columns, i) for i in range(1, s + 1)) <= MOST_SUBSETS]
    return max(few, default=1)


def _safe_harbor(data: CountedRows) -> tuple[Identifier, ...]:
    from indistinct.risk.hipaa import safe_harbor

    return tuple(safe_harbor(data))


def _ranked(
    distinct: FrequencySet, columns: Sequence[str], sizes: list[int], progress: Progress
) -> list[Subset]:
    largest = min(LARGEST_SUBSET, len(columns))
    chosen = [
        subset
        for size in range(1, largest + 1)
        for subset in combinations(range(len(columns)), size)
    ]
    subsets = []
    for done, subset in enumerate(chosen):
        counts = _class_counts(distinct, subset, sizes)
        names = tuple(columns[place] for place in subset)
        alone = int(np.count_nonzero(counts == 1))
        subsets.append(Subset(names, int(counts.min()), int(counts.size), alone))
        progress.advance((done + 1) / len(chosen))
    return sorted(subsets, key=lambda s: (-s.unique_rows, s.k, len(s.columns), s.columns))


def _class_counts(
    distinct: FrequencySet, subset: tuple[int, ...], sizes: list[int]
) -> NDArray[np.int64]:
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    keys, _ = row_keys([distinct.codes[c] for c in subset], [sizes[c] for c in subset])
    numbers, first = rank_keys(keys)
    counts = np.bincount(numbers, weights=distinct.counts, minlength=first.size)
    return counts.astype(np.int64)
