"""Noting a release in the ledger of its series, from its rows as they were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct._version import __version__
from indistinct.check.of_series import Told, ToldValues
from indistinct.io.encoding import encode
from indistinct.series.ledger import NOBODY, Ledger, PastRelease, PastValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn


def noted(
    ledger: Ledger,
    rows: pa.Table,
    whose: Sequence[str],
    *,
    columns: Sequence[str],
    sensitive: Sequence[SensitiveColumn],
    content: str,
) -> Ledger:
    """Return the ledger with one more release.

    Parameters
    ----------
    rows, whose
        The published rows that say something, and whose each is, by keyed hash.
    columns
        The published columns that quasi columns became.
    sensitive
        The private columns that some requirement is about.
    content
        The hash of all published rows.
    """
    known = {person: place for place, person in enumerate(ledger.people)}
    newcomers = sorted({person for person in whose if person not in known})
    known |= {person: len(ledger.people) + place for place, person in enumerate(newcomers)}
    places = np.array([known[person] for person in whose], dtype=np.intp)
    cells, of_row = _cells(rows, columns)
    past = PastRelease(
        content=content,
        columns=tuple(columns),
        cells=tuple(cells),
        of_person=_by_person(of_row, places, len(known)),
        values=tuple(_values(rows, column, places, len(known)) for column in sensitive),
    )
    update = {
        "version": __version__,
        "people": (*ledger.people, *newcomers),
        "releases": (*ledger.releases, past),
    }
    return Ledger.model_validate(ledger.model_copy(update=update).model_dump())


def _cells(
    rows: pa.Table, columns: Sequence[str]
) -> tuple[list[tuple[str | None, ...]], NDArray[np.int64]]:
    """List the different rows of cells, and say which of them each row shows."""
    encoded = [encode(rows.column(name), name) for name in columns]
    stacked = np.stack([part.codes for part in encoded], axis=1)
    distinct, of_row = np.unique(stacked, axis=0, return_inverse=True)
    cells = [
        tuple(part.domain.values[code] for part, code in zip(encoded, row, strict=True))
        for row in distinct.tolist()
    ]
    return cells, of_row.ravel().astype(np.int64)


def _values(
    rows: pa.Table, column: SensitiveColumn, places: NDArray[np.intp], people: int
) -> PastValues:
    encoded = encode(rows.column(column.name), column.name)
    code = {value: place for place, value in enumerate(column.values)}
    of_value = np.array([code[value] for value in encoded.domain.values], dtype=np.int64)
    return PastValues(
        name=column.name,
        values=column.values,
        shares=tuple(column.shares.tolist()),
        of_person=_by_person(of_value[encoded.codes], places, people),
    )


def _by_person(of_row: NDArray[np.int64], places: NDArray[np.intp], people: int) -> tuple[int, ...]:
    by_person = np.full(people, NOBODY, dtype=np.int64)
    by_person[places] = of_row
    return tuple(by_person.tolist())


def told_by(ledger: Ledger) -> list[Told]:
    """Put what a ledger says as the check reads it."""
    return [
        Told(
            number,
            past.columns,
            past.cells,
            ledger.of_person(past.of_person),
            {
                column.name: ToldValues(
                    column.values, np.array(column.shares), ledger.of_person(column.of_person)
                )
                for column in past.values
            },
        )
        for number, past in enumerate(ledger.releases, 1)
    ]
