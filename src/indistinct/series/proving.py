"""A whole series held to its plan: its releases as they lie there, and its ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.check.of_plan import broken_promises, check_rows, untrue_cells
from indistinct.check.of_series import broken_in_series, check_series, misnoted
from indistinct.check.rows import without_blanks
from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table
from indistinct.errors import DataError, DoesNotHoldError, Fault, counted
from indistinct.io.arrow import labelled
from indistinct.io.content import content_hash
from indistinct.model.names import published_names
from indistinct.series.ledger_file import refuse_other_terms, series_of
from indistinct.series.noting import told_by
from indistinct.series.people import key_of_series, people_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.check.of_series import Told
    from indistinct.check.rows import Evidence
    from indistinct.plan import Plan
    from indistinct.series.ledger import Ledger

    Named = tuple[str, pa.Table]

_AGAIN = "Give the file as anonymize --series wrote it."


def prove_series(
    releases: Sequence[Named], ledger: Ledger, plan: Plan, private: Sequence[Named] = ()
) -> list[tuple[int, Evidence]]:
    """Hold all releases of a series to the plan, each alone and all of them joined.

    Parameters
    ----------
    releases
        Every release of the series by the name of its file, in any order.
    private
        The private tables that they were made of, the first one first, or none: with them it is
        also checked that the ledger says the truth of everybody.

    Returns
    -------
    list
        What each requirement measures among people of the same history, release by release.

    Raises
    ------
    DoesNotHoldError
        With all that does not hold.
    """
    refuse_other_terms(plan, ledger)
    if private and len(private) != ledger.number:
        problem = f"{counted(len(private), 'table')} given, and {counted(ledger.number, 'release')}"
        remedy = "Give the table of each release, the first one first, or none."
        raise DataError(Fault("private", f"there are {problem} in the ledger", remedy))
    told = told_by(ledger)
    rows_of = _recognized(releases, ledger)
    faults: list[Fault] = []
    for release in told:
        rows = rows_of[release.number]
        shown = without_blanks(rows) if plan.suppressed == "blank" else rows
        faults += misnoted(shown, release)
        alone = broken_promises(check_rows(rows, plan))
        where = f"release {release.number}"
        faults += [Fault(f"{where}, {f.place}", f.problem, f.remedy) for f in alone]
    for release, (name, table) in zip(told, private, strict=False):
        faults += _untrue(release, name, table, ledger, plan)
    found = check_series(told, plan)
    faults += broken_in_series(found)
    if faults:
        raise DoesNotHoldError(faults)
    return found


def _recognized(releases: Sequence[Named], ledger: Ledger) -> dict[int, pa.Table]:
    """Tell which release each file is, by the hash of its rows."""
    number_of = {past.content: number for number, past in enumerate(ledger.releases, 1)}
    rows_of: dict[int, pa.Table] = {}
    faults = []
    for name, rows in releases:
        number = number_of.get(content_hash(rows))
        if number is None:
            problem = "it is no release of this series, or was changed since"
            faults.append(Fault(name, problem, _AGAIN))
        elif number in rows_of:
            faults.append(Fault(name, f"release {number} is given twice", "Leave one out."))
        else:
            rows_of[number] = rows
    absent = [number for number in number_of.values() if number not in rows_of]
    faults += [
        Fault(f"release {number}", "it is not given", "Give all of them: --against FILE for each.")
        for number in absent
    ]
    if faults:
        raise DoesNotHoldError(faults)
    return rows_of


def _untrue(told: Told, name: str, table: pa.Table, ledger: Ledger, plan: Plan) -> list[Fault]:
    """Report what a ledger says of people that is not true by the private table."""
    series = series_of(plan)
    data, _, unread = in_notation(table, plan)
    encoded = encode_table(data, plan, unread)
    whose = people_in(data, series.person, key_of_series(series, plan, ledger)[0])
    row_of = {person: row for row, person in enumerate(whose)}
    people = np.flatnonzero(told.of_person >= 0)
    absent = [place for place in people.tolist() if ledger.people[place] not in row_of]
    if absent:
        problem = f"{counted(len(absent), 'person', 'people')} of release {told.number} are missing"
        return [Fault(name, problem, "Give the tables in the order of the releases.")]
    source = np.array([row_of[ledger.people[place]] for place in people.tolist()], dtype=np.intp)
    places = told.of_person[people]
    columns = {
        column: labelled(places, [cell[at] for cell in told.cells])
        for at, column in enumerate(told.columns)
    }
    for column, values in told.values.items():
        columns[column] = labelled(values.of_person[people], list(values.names))
    rows = pa.table({column: pa.chunked_array([array]) for column, array in columns.items()})
    named = [*plan.with_role("quasi"), *told.values]
    became = {
        column: parts if set(parts) <= set(told.columns) else (column,)
        for column in plan.with_role("quasi")
        for parts in [published_names(column, plan.columns[column].range_as)]
    }
    faults = untrue_cells(
        plan.of_columns(named), rows, data.select(named), encoded.quasi, became, source=source
    )
    return [Fault(f"release {told.number}, {f.place}", f.problem, f.remedy) for f in faults]
