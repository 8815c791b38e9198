"""The same plan makes the same release on every engine as on rows in memory."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import IndistinctError
from indistinct.verbs.anonymize import anonymize, anonymize_file
from tests.engine.conftest import ENGINES
from tests.profiles import examples

FEW = 6
"""Random tables for each engine and method: Spark takes seconds for one."""
DAY = dt.date(2020, 2, 28)
NOON = dt.datetime(2020, 6, 1, 12, tzinfo=dt.UTC)
COLUMNS = {
    "whole": (pa.int64(), [1, 2, 3, 40]),
    "float": (pa.float64(), [0.0, -0.0, 0.5, float("nan"), 7.0]),
    "decimal": (pa.decimal128(6, 2), [Decimal("0.50"), Decimal("1.00"), Decimal("-3.25")]),
    "text": (pa.string(), ["", " ", "a", "a ", "A", "é"]),
    "date": (pa.date32(), [DAY, DAY + dt.timedelta(1), DAY + dt.timedelta(400)]),
    "time": (pa.timestamp("us", "UTC"), [NOON, NOON + dt.timedelta(seconds=1)]),
    "truth": (pa.bool_(), [True, False]),
}
KEPT = {"kept": (pa.string(), ["x", "y", ""]), "sum": (pa.float64(), [1.5, float("nan")])}


@st.composite
def tables(draw):
    """Draw a small table with nulls in every column."""
    size = draw(st.integers(3, 23))
    chosen = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True))
    columns = {name: COLUMNS[name] for name in chosen} | KEPT
    cells = {
        name: [
            values[0],
            *draw(st.lists(st.sampled_from([None, *values]), min_size=size, max_size=size)),
        ]
        for name, (_, values) in columns.items()
    }
    return chosen, pa.table({name: pa.array(cells[name], columns[name][0]) for name in columns})


def plan_for(quasi, method, k, engine):
    return {
        "columns": {name: {"role": "quasi"} for name in quasi}
        | {"kept": {"role": "sensitive"}, "sum": {"role": "other"}},
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        "limits": {"suppression": 0.5 if method == "optimal" else 0.0},
        "seed": 7,
        "engine": {"name": engine},
    }


def outcome(make):
    """Return what a release shows, or that there is none."""
    try:
        release, rows = make()
    except IndistinctError as error:
        return type(error)
    shown = Counter(tuple(map(str, row.values())) for row in rows.to_pylist())
    sizes = Counter(release.class_sizes.tolist())
    return release.levels, sizes, release.verified.released_rows, shown


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_makes_the_release_that_is_made_in_memory(
    engine, method, request, tmp_path_factory
):
    if engine == "spark":
        request.getfixturevalue("spark")
    folder = tmp_path_factory.mktemp("same")

    @examples(FEW)
    @given(tables(), st.integers(2, 4))
    def same(drawn, k):
        quasi, table = drawn
        source, out = folder / "source.parquet", folder / "out.parquet"
        pq.write_table(table, source)

        def here():
            release = anonymize(source, plan_for(quasi, method, k, "local"))
            return release, release.rows

        def there():
            release = anonymize_file(source, plan_for(quasi, method, k, engine), out)
            return release, pq.read_table(out)

        assert outcome(there) == outcome(here)

    same()
