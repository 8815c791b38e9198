"""Values that look alike: `HIV`, `HIV ` and `hiv` count as three, and readers see one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import QuasiColumn, SensitiveColumn, Table

SHOWN = 3


@dataclass(frozen=True)
class Lookalikes:
    """Values of a column that differ by case, spaces or Unicode form only.

    Attributes
    ----------
    values
        How many values have a double.
    kinds
        How many they would be if they were written alike.
    pairs
        Some of them that at least k people have each, which may be shown to the steward.
    """

    column: str
    values: int
    kinds: int
    pairs: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return (
            f"column {self.column!r}: {self.values} values differ only by case, spaces or Unicode "
            f"form, and would be {self.kinds} if they were written the same way; they "
            "count as different"
        )

    def shown(self) -> str:
        """Say it with the pairs that may be shown."""
        pairs = "; ".join(f"{one!r} and {two!r}" for one, two in self.pairs)
        return f"{self}{f': {pairs}' if pairs else ''}"


def lookalikes_of(table: Table, k: int) -> Iterator[Lookalikes]:
    """Find values that look alike, in each quasi and sensitive column."""
    for column in table.quasi:
        yield from _alike_in(column, column.hierarchy.leaves, table, k)
    for judged in table.sensitive:
        yield from _alike_in(judged, judged.values, table, k)


def written_alike(text: str) -> str:
    r"""Write a text as all that look like it are written.

    >>> written_alike("HIV "), written_alike("Sa\u0308ge  blatt")
    ('hiv', 'säge blatt')
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _alike_in(
    column: QuasiColumn | SensitiveColumn, values: Sequence[str | None], table: Table, k: int
) -> Iterator[Lookalikes]:
    held = np.bincount(column.codes, minlength=len(values)) > 0
    alike: dict[str, list[int]] = {}
    for code, value in enumerate(values):
        if value is not None and held[code]:
            alike.setdefault(written_alike(value), []).append(code)
    if len(alike) == np.count_nonzero(held) - (None in values and bool(held[-1])):
        return
    doubles = [codes for codes in alike.values() if len(codes) > 1]
    if doubles:
        people = _people(column.codes, len(values), table)
        pairs = [
            (str(values[codes[0]]), str(values[codes[1]]))
            for codes in doubles
            if all(people[code] >= k for code in codes[:2])
        ]
        total = sum(map(len, doubles))
        yield Lookalikes(column.name, total, len(doubles), tuple(pairs[:SHOWN]))


def _people(codes: NDArray[np.int32], size: int, table: Table) -> NDArray[np.int64]:
    """Count the people who have each value; the fewest, where sets have people of their own."""
    counts = [np.bincount(codes, minlength=size)]
    for group in table.sets:
        if group.respondents is not None:
            width = int(group.respondents.max(initial=0)) + 1
            pairs = np.unique(codes.astype(np.int64) * width + group.respondents)
            counts.append(np.bincount(pairs // width, minlength=size))
    fewest: NDArray[np.int64] = np.min(np.stack(counts), axis=0).astype(np.int64)
    return fewest
