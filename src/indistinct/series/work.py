"""The way from a private table to the next release of a series, and to its ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.check.of_series import broken_in_series, check_series, misnoted
from indistinct.errors import DoesNotHoldError
from indistinct.io.content import content_hash
from indistinct.pipeline import Work
from indistinct.series.facts import SeriesFacts
from indistinct.series.ledger_file import refuse_other_terms, series_of
from indistinct.series.noting import noted, told_by
from indistinct.series.people import key_check, key_of_series, people_in, places_of
from indistinct.series.searching import Task, search_series

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.model.costs import NodeCost
    from indistinct.model.recoding import Recoding
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.release import Release
    from indistinct.running.progress import Progress
    from indistinct.series.ledger import Ledger


class SeriesWork(Work):
    """The next release of a series in the making.

    Attributes
    ----------
    ledger
        What was published before; once the release is checked, what is published with it.
    """

    ledger: Ledger

    def __init__(self, plan: Plan, ledger: Ledger, progress: Progress | None = None) -> None:
        super().__init__(plan, progress)
        self._series = series_of(plan)
        terms = refuse_other_terms(plan, ledger)
        self._key, kept = key_of_series(self._series, plan, ledger)
        self._before = ledger.model_copy(
            update={"terms": terms, "key": kept, "check": key_check(self._key)}
        )

    def _encode(self, data: pa.Table) -> pa.Table:
        person = self._series.person
        if person not in data.column_names:
            return super()._encode(data)  # which says so, with all else
        self._people = people_in(data, person, self._key)
        return super()._encode(data)

    def checked_columns(self) -> None:
        """Have all published columns read back: the ledger keeps a hash of them."""

    def _search(self, loss: NodeCost, draws: Draws) -> Recoding:
        places = places_of(self._people, self._before)
        task = Task(
            self.plan, self._data, self.table, self._before, places, draws, loss, self.progress
        )
        self.method, recoding = search_series(task)
        return recoding

    def _check(self, rows: pa.Table) -> None:
        super()._check(rows)
        published = self.published
        source, shown = published.source, rows
        if published.blanked:
            kept = self.recoding.kept[source]
            source, shown = source[kept], rows.filter(pa.array(kept))
        whose = [self._people[row] for row in source.tolist()]
        columns = list(dict.fromkeys(part for parts in published.became.values() for part in parts))
        judged = self.plan.judged_columns()
        sensitive = [column for column in self.table.sensitive if column.name in judged]
        self.ledger = noted(
            self._before,
            shown,
            whose,
            columns=columns,
            sensitive=sensitive,
            content=content_hash(rows),
        )
        self._hold(shown, whose)

    def _hold(self, shown: pa.Table, whose: list[str]) -> None:
        """Raise unless the ledger is true, and everybody is safe with it."""
        told = told_by(self.ledger)
        place = {person: number for number, person in enumerate(self.ledger.people)}
        people = np.array([place[person] for person in whose], dtype=np.intp)
        found = check_series(told, self.plan)
        if faults := misnoted(shown, told[-1], people) + broken_in_series(found):
            raise DoesNotHoldError(faults)
        self.facts = SeriesFacts(self.ledger, tuple(found), self.recoding.search["series"])

    def release(self, back: Callable[[pa.Table], Any] = lambda rows: rows) -> Release:
        """Put the release together, with its ledger."""
        return replace(super().release(back), series=self.facts)
