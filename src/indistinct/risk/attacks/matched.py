"""What the attackers of a freeform release are given: who could be who, and groups to compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.check.freeform import compatible_pairs
from indistinct.check.of_plan import compared_cells
from indistinct.encode.table import encode_table
from indistinct.io.encoding import encode
from indistinct.methods.partition.best import Best
from indistinct.model.recoding.matching import components_of
from indistinct.risk.attacks.candidates import Candidates
from indistinct.risk.attacks.likelihood import People, Target
from indistinct.risk.counted import refuse_counts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.release import Release

MOST_ROWS = 60_000
MOST_PAIRS = 4_000_000


def people_of(table: Table) -> People:
    """Take a private table as attackers know it, row by row.

    Raises
    ------
    DataError
        If its rows are counted together.
    """
    refuse_counts(table.weights, "attack")
    distinct = table.frequency_set
    return People(
        tuple(column.codes for column in table.quasi),
        distinct.inverse,
        distinct.counts[distinct.inverse],
        tuple(column.codes for column in table.sensitive),
    )


def target_of_release(release: Release) -> Target | None:
    """Attack a freeform release made here: its matchings are known, and who is who.

    Of more than 60,000 rows some components are attacked, taken at random.
    """
    covered, carried = release.recoding.covered_rows, release.published.carried
    if covered is None or carried is None:
        return None
    part = components_of(covered)
    rows = _some(part, np.random.default_rng(0))
    place = np.empty(len(covered), dtype=np.int32)
    place[rows] = np.arange(rows.size, dtype=np.int32)
    return Target(
        people_of(release.table).some(rows),
        Candidates.of_matching(place[covered[rows]], part[rows]),
        tuple(column.codes[carried[rows]] for column in release.table.sensitive),
        place[carried[rows]].astype(np.intp),
    )


def target_of_file(rows: pa.Table, plan: Plan, private: pa.Table) -> tuple[Target | None, Table]:
    """Attack published rows: everybody whom the cells of a row cover is its candidate.

    There is no target if the rows are not as many as the private ones, if they carry values that
    nobody has, or if there are too many candidates.
    """
    table = encode_table(private, plan)
    cells = compared_cells(rows, plan, table)
    values = tuple(
        _coded_as(rows, column.name, column.values)[encode(rows.column(column.name), "").codes]
        for column in table.sensitive
    )
    pairs = None
    if rows.num_rows == table.rows and all((codes >= 0).all() for codes in values):
        pairs = compatible_pairs(cells, MOST_PAIRS)
    if pairs is None or np.unique(pairs[0]).size < table.rows:
        return None, table
    return Target(people_of(table), Candidates(*pairs, table.rows), values, None), table


def _coded_as(rows: pa.Table, name: str, values: tuple[str | None, ...]) -> NDArray[np.int32]:
    """Number the values of a published column as the private ones are; -1 for any other."""
    place = {value: code for code, value in enumerate(values)}
    published = encode(rows.column(name), name).domain.values
    return np.array([place.get(value, -1) for value in published], dtype=np.int32)


def target_in_groups(table: Table, problem: Problem) -> Target:
    """Attack the same people in groups by `best`; of many groups some are taken at random."""
    random = np.random.default_rng(0)
    shown, order = table.with_ties_in(random.permutation(table.entries))
    groups = Best().search(replace(problem, table=shown)).reordered(order).groups
    rows = _some(np.where(groups < 0, groups.max() + 1, groups), random)
    rows = rows[groups[rows] >= 0]
    people = people_of(table).some(rows)
    candidates = Candidates.of_groups(groups[rows], random)
    return Target(people, candidates, people.sensitive, np.arange(rows.size))


def _some(part: NDArray[np.int32], random: np.random.Generator) -> NDArray[np.intp]:
    """Take whole parts at random until they have enough rows; all parts of a small table."""
    sizes = np.bincount(part)
    order = random.permutation(sizes.size)
    before = np.cumsum(sizes[order]) - sizes[order]
    taken = np.zeros(sizes.size, dtype=bool)
    taken[order[before < MOST_ROWS]] = True
    return np.flatnonzero(taken[part])
