"""A release of entries: checked, measured, attacked and reported as that of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.errors import IndistinctError
from indistinct.model.entries import put_together
from indistinct.model.recoding import LevelVector, Partition
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.rows import publish
from indistinct.running.progress import Progress
from tests.counted import expanded, repeated, weights_of
from tests.profiles import examples
from tests.risk.test_counted import same

KINDS = ["levels", "groups", "stars"]


def plan_of(kind, suppressed, diverse=()):
    return Plan.model_validate(
        {
            "columns": {
                "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
                "town": {"role": "quasi", "hierarchy": "flat"},
                "ill": {"role": "sensitive"},
            },
            "require": [
                {"model": "k-anonymity", "k": 2},
                {"model": "t-closeness", "t": 1.0},
                *({"model": "l-diversity", "l": least} for least in diverse),
            ],
            "method": {"name": "optimal" if kind == "levels" else "mondrian"},
            "limits": {"suppression": 1.0},
            "suppressed": suppressed,
            "seed": 1,
        }
    )


@st.composite
def jobs(draw):
    """Distinct rows with their numbers, a plan, and a recoding of them, whatever it protects."""
    row = st.tuples(
        st.sampled_from([21, 22, 35, None]),
        st.sampled_from(["Bonn", "Rome", None]),
        st.sampled_from(["gout", "flu", None]),
    )
    rows = draw(st.lists(row, max_size=7))
    rows = list(dict.fromkeys([*rows, (21, "Bonn", "gout")]))
    counts = draw(weights_of(len(rows)))
    names = ("age", "town", "ill")
    data = pa.table(
        {n: pa.array(c) for n, c in zip(names, zip(*rows, strict=True), strict=True)},
        pa.schema([("age", pa.int64()), ("town", pa.string()), ("ill", pa.string())]),
    )
    kind = draw(st.sampled_from(KINDS))
    plan = plan_of(
        kind, draw(st.sampled_from(["drop", "blank"])), draw(st.sampled_from([(), (2,)]))
    )
    groups = np.array(draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows))))
    numbers = {g: n for n, g in enumerate(sorted(set(groups.tolist()) - {-1}))}
    groups = np.array([numbers.get(g, -1) for g in groups.tolist()], dtype=np.int32)
    levels = draw(st.tuples(st.integers(0, 1), st.integers(0, 1)))
    starred = None
    if kind == "stars":
        cells = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=len(rows))
        starred = np.array(draw(cells)[: len(rows)])
    return data, counts, plan, (kind, groups, levels, starred)


def recoding_of(kind, groups, levels, starred):
    if kind == "levels":
        return LevelVector(levels, groups >= 0)
    return Partition(groups, starred=starred)


def released(plan, data, table, recoding):
    """Publish, check and measure a recoding, as the pipeline does."""
    work = Work(plan, Progress())
    work._data, work.table, work.recoding, work.repeated = data, table, recoding, []
    work.method = plan.method
    work.published = publish(data, table, recoding, plan, Draws.of(plan, data, table))
    work.check(work.published.rows)
    return work.release()


def outcome(*job):
    try:
        return released(*job)
    except IndistinctError as error:
        return [(fault.place, fault.problem) for fault in error.faults]


def both_ways(data, counts, plan, recoding):
    """The release of rows, and that of entries."""
    rows = repeated(data, counts)
    table = encode_table(rows, plan)
    together = put_together(table)
    first = np.unique(together.of_row, return_index=True)[1]
    entry_of = np.repeat(np.arange(counts.size), counts)[first]
    recoded = recoding.of_entries(entry_of)
    by_entry = plan, rows.take(pa.array(first)), together.table, recoded
    order = np.repeat(np.arange(first.size), together.table.weights)
    by_row = (
        plan,
        by_entry[1].take(pa.array(order)),
        expanded(replace(together.table, weights=None), together.table.weights),
    )
    return outcome(*by_row, recoded.of_entries(order)), outcome(*by_entry)


def told(release, audience):
    facts = release.report_facts(audience=audience).as_json()
    return {name: facts[name] for name in facts if name != "seconds"}


@given(jobs())
@examples(120)
def test_a_release_of_entries_is_told_as_that_of_rows(job):
    data, counts, plan, parts = job
    rows, entries = both_ways(data, counts, plan, recoding_of(*parts))
    if isinstance(rows, list):
        assert entries == rows
        return
    assert entries.verified.released_rows == rows.verified.released_rows
    assert entries.verified.blank_rows == rows.verified.blank_rows
    assert entries.class_sizes.tolist() == rows.class_sizes.tolist()
    same([e.as_json() for e in entries.evidence], [e.as_json() for e in rows.evidence])
    for audience in ("internal", "public"):
        same(told(entries, audience), told(rows, audience))
    assert repeated(entries.rows, entries.published.counts).equals(rows.rows)


def test_most_jobs_are_not_refused():
    data = pa.table({"age": [21, 22, 35], "town": ["Bonn", "Bonn", "Rome"], "ill": ["a", "b", "a"]})
    counts, groups = np.array([2, 1, 3]), np.array([0, 0, 1], dtype=np.int32)
    rows, entries = both_ways(data, counts, plan_of("groups", "drop"), Partition(groups))
    assert rows.class_sizes.tolist() == entries.class_sizes.tolist() == [3, 3]
    alone = both_ways(
        data, counts, plan_of("groups", "drop"), Partition(np.arange(3, dtype=np.int32))
    )
    assert alone[0] == alone[1]
    assert "k-anonymity" in alone[0][0][0]
