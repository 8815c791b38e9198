"""The check of a series: what all releases together say of people, held to the definition.

A person's history is what the person was published as in each release, or nothing. People of one
history are told apart by nothing in any release, and whatever else sets their rows apart, each of
them may be any of these rows. So the people of each history must satisfy what is asked of a class,
in every release that shows them. Who was published as what is said by a ledger; it is believed only
where the published rows bear it out, and where they can be told, the private ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.check.reading import read_column
from indistinct.check.rows import Evidence, ValueFacts, verify_rows
from indistinct.errors import Fault, HierarchyError
from indistinct.hierarchy import Domain
from indistinct.hierarchy.meaning import built

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.plan import Plan

    Texts = tuple[str | None, ...]

HISTORY = "history"
_ALTERED = "Give the files and the ledger as anonymize --series wrote them."


@dataclass(frozen=True, eq=False)
class ToldValues:
    """What a ledger says of a sensitive column in a release.

    Attributes
    ----------
    names, shares
        Its values, and their shares in the private table.
    of_person
        The place of each person's value among them, -1 for people who were not published.
    """

    names: Texts
    shares: NDArray[np.float64]
    of_person: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Told:
    """What a ledger says of a release.

    Attributes
    ----------
    number
        Of the release, from 1.
    columns, cells
        The published columns of quasi values, and the different rows of cells in them.
    of_person
        Which of these each person was published as; -1 for nothing.
    """

    number: int
    columns: tuple[str, ...]
    cells: Sequence[Texts]
    of_person: NDArray[np.int32]
    values: dict[str, ToldValues]

    def shown(self, people: NDArray[np.intp]) -> list[tuple[Texts, Texts]]:
        """Return the cells and the sensitive values of some people, as text."""
        cells = [self.cells[place] for place in self.of_person[people].tolist()]
        values = [
            [column.names[place] for place in column.of_person[people].tolist()]
            for column in self.values.values()
        ]
        beside = zip(*values, strict=True) if values else [()] * len(cells)
        return list(zip(cells, beside, strict=True))


def misnoted(rows: pa.Table, told: Told, people: NDArray[np.intp] | None = None) -> list[Fault]:
    """Report where a ledger does not say what a release shows.

    Parameters
    ----------
    rows
        The published rows that say something.
    people
        Whose row each of them is, where that can be told.
    """
    place = f"release {told.number}"
    missing = [name for name in (*told.columns, *told.values) if name not in rows.column_names]
    if missing:
        problem = f"it lacks columns that the ledger names: {', '.join(missing)}"
        return [Fault(place, problem, _ALTERED)]
    there = list(zip(_texts(rows, told.columns), _texts(rows, list(told.values)), strict=True))
    if people is not None:
        noted = np.flatnonzero(told.of_person >= 0)
        if not np.array_equal(np.sort(people), noted) or there != told.shown(people):
            problem = "the ledger says of somebody what was not published"
            return [Fault(place, problem, "Do not publish it. This is a fault of the ledger.")]
        return []
    said = told.shown(np.flatnonzero(told.of_person >= 0))
    if Counter(there) != Counter(said):
        problem = "its rows are not those that the ledger says were published"
        return [Fault(place, problem, _ALTERED)]
    return []


def _texts(rows: pa.Table, names: Sequence[str]) -> list[Texts]:
    """Return some columns of each row as text."""
    columns = []
    for name in names:
        read = read_column(rows.column(name), name)
        columns.append([read.texts[code] for code in read.codes.tolist()])
    return list(zip(*columns, strict=True)) if columns else [()] * rows.num_rows


def histories(told: Sequence[Told]) -> NDArray[np.int64]:
    """Number the history of each person; people of the same history have the same number."""
    stacked = np.stack([release.of_person for release in told], axis=1)
    return np.unique(stacked, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def check_series(told: Sequence[Told], plan: Plan) -> list[tuple[int, Evidence]]:
    """Hold the people of every history to what is asked of a class, release by release.

    Returns
    -------
    list
        What each requirement measures in each release, with the number of the release.
    """
    history = histories(told)
    found = []
    for release in told:
        people = np.flatnonzero(release.of_person >= 0)
        columns: dict[str, pa.Array] = {HISTORY: pa.array(history[people])}
        facts = {}
        for name, column in release.values.items():
            texts = [column.names[place] for place in column.of_person[people].tolist()]
            columns[f"value of {name}"] = pa.array(texts, pa.string())
            facts[name] = _facts(plan, name, column)
        rows = pa.table(columns).rename_columns([HISTORY, *release.values])
        verified = verify_rows(rows, plan.require, {"series": [HISTORY]}, {}, facts)
        found += [(release.number, evidence) for evidence in verified.evidence]
    return found


def _facts(plan: Plan, name: str, column: ToldValues) -> ValueFacts:
    """Say what is known of a sensitive column in a release."""
    spec = plan.columns[name].hierarchy
    if spec is None:
        every = np.arange(len(column.names), dtype=np.int32)[None, :]
        return ValueFacts(column.names, column.shares, every)
    counts = np.bincount(column.of_person[column.of_person >= 0], minlength=len(column.names))
    domain = Domain(column.names, counts.astype(np.int64))
    try:
        hierarchy = built(spec, domain, plan, f"column {name!r}")
    except HierarchyError:
        return ValueFacts(column.names, column.shares, None)
    share = dict(zip(column.names, column.shares.tolist(), strict=True))
    shares = np.array([share.get(leaf, 0.0) for leaf in hierarchy.leaves])
    return ValueFacts(hierarchy.leaves, shares, np.array(hierarchy.nodes, dtype=np.int32))


def broken_in_series(found: Sequence[tuple[int, Evidence]]) -> list[Fault]:
    """Report each promise that does not hold over the series; nobody's cells are shown."""
    return [
        Fault(
            f"requirement {evidence.requirement.model!r}"
            + (f", column {evidence.column!r}" if evidence.column else ""),
            f"people of one history measure {evidence.measured:g} in release {number}, where "
            f"{evidence.requirement.asked()} was promised"
            + (f" ({evidence.note})" if evidence.note else ""),
            "Do not publish it beside the earlier releases.",
        )
        for number, evidence in found
        if not evidence.holds
    ]
