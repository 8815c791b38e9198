"""Every engine does the same as plain Python does on a list of rows."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.engine.base import Assignment, Layout
from indistinct.errors import DataError
from tests.engine import reference

WITH_NULLS = pa.table(
    {
        "a": pa.array([3, None, 3, 1, None, 3, 3, 1], pa.int64()),
        "b": ["x", "y ", "x", None, "y ", "x", "", None],
        "id": ["p1", "p2", None, "p4", "é5", "p6", "p7", "p8"],
        "o": pa.array([5, 4, None, 2, 1, 9, 9, 7], pa.int32()),
    }
)
ROWS = WITH_NULLS.to_pylist()
COUNTED = ["a", "b"]


def table_of(grouped):
    return [
        (tuple(row.values()), int(count))
        for row, count in zip(grouped.rows.to_pylist(), grouped.counts, strict=True)
    ]


def assignment(parts, labels=("one", "two")):
    """Say which entry goes to which unit, with how many rows."""
    entry, unit, rows = zip(*parts, strict=True) if parts else ((), (), ())
    units = pa.table({"a": pa.array(labels).dictionary_encode(), "b": [None] * len(labels)})
    units = units.set_column(1, "b", pa.array([None, "*"][: len(labels)], pa.string()))
    return Assignment(
        np.array(entry, np.int64), np.array(unit, np.int32), np.array(rows, np.int64), units
    )


def test_it_counts_rows_and_distinct_rows_with_nulls_in_every_column(engines):
    engine = engines.of_table(WITH_NULLS)
    assert engine.schema().names == WITH_NULLS.column_names
    assert engine.count() == len(ROWS)
    assert engine.distinct(COUNTED) == 4
    assert table_of(engine.grouped(COUNTED)) == reference.grouped(ROWS, COUNTED)
    assert Counter(dict(table_of(engine.values("b", 10)))) == Counter(
        dict(reference.grouped(ROWS, ["b"]))
    )
    assert len(table_of(engine.values("b", 2))) == 2


def test_it_writes_whole_entries_sorted_by_what_they_show(engines):
    engine = engines.of_table(WITH_NULLS)
    counts = engine.grouped(COUNTED).counts
    assigned = assignment([(0, 1, counts[0]), (2, 0, counts[2]), (3, 1, counts[3])])
    layout = Layout(("o", "a", "id", "b"), frozenset({"a", "b"}), {"id": b"0123456789abcdef"})
    draft = engines.draft()
    engine.write(draft, assigned, layout)
    expected = reference.released(ROWS, COUNTED, assigned, layout)
    assert pq.read_table(draft).to_pylist() == expected
    back = engine.read_back(draft, ["a", "b", "o"])
    assert Counter(dict(table_of(back))) == Counter(
        tuple(row[name] for name in ("a", "b", "o")) for row in expected
    )


def test_it_splits_entries_and_leaves_out_what_is_not_assigned(engines):
    rows = [{"a": n % 2, "b": "x", "o": n} for n in range(40)]
    engine = engines.of_table(pa.Table.from_pylist(rows))
    assert engine.grouped(COUNTED).counts.tolist() == [20, 20]
    assigned = assignment([(0, 0, 7), (0, 1, 13), (1, 0, 5)])
    draft = engines.draft()
    engine.write(draft, assigned, Layout(("a", "o", "b"), frozenset(COUNTED)))
    written = pq.read_table(draft).to_pylist()
    parity = Counter((row["a"], row["o"] % 2) for row in written)
    assert parity == {("one", 0): 7, ("two", 0): 13, ("one", 1): 5}
    assert len({row["o"] for row in written}) == 25
    assert written == sorted(written, key=lambda row: (row["a"], row["o"]))


def test_rows_of_a_split_entry_go_to_their_units_in_a_secret_order(engines):
    engine = engines.of_table(pa.table({"a": [1] * 64, "b": ["x"] * 64, "o": range(64)}))
    engine.grouped(COUNTED)
    assigned = assignment([(0, 0, 32), (0, 1, 32)])
    draft = engines.draft()
    engine.write(draft, assigned, Layout(("a", "o"), frozenset({"a"})))
    first = [row["o"] for row in pq.read_table(draft).to_pylist() if row["a"] == "one"]
    assert first not in (list(range(32)), list(range(32, 64)))


def test_a_release_of_counted_columns_alone_may_be_empty(engines):
    engine = engines.of_table(WITH_NULLS)
    engine.grouped(COUNTED)
    draft = engines.draft()
    engine.write(draft, assignment([]), Layout(("a", "b"), frozenset(COUNTED)))
    assert pq.read_table(draft).num_rows == 0
    assert pq.read_table(draft).column_names == ["a", "b"]


ODD = ["a b", "a.b", "`tick`", '"quoted"', "rows", "unit", "x0", "code", "w0", "ü;DROP", "secret"]


def test_names_of_columns_mean_nothing(engines):
    table = pa.table({name: [place, place, None] for place, name in enumerate(ODD)})
    engine = engines.of_table(table)
    counted = ODD[:5]
    grouped = engine.grouped(counted)
    assert table_of(grouped) == reference.grouped(table.to_pylist(), counted)
    units = pa.table({name: ["*"] for name in counted})
    assigned = Assignment(np.arange(2), np.zeros(2, np.int32), grouped.counts, units)
    draft = engines.draft()
    layout = Layout(tuple(ODD), frozenset(counted))
    engine.write(draft, assigned, layout)
    written = pq.read_table(draft)
    assert written.column_names == ODD
    assert written.to_pylist() == reference.released(table.to_pylist(), counted, assigned, layout)


VIENNA = ZoneInfo("Europe/Vienna")
TYPES = {
    "decimal": pa.array([Decimal("1.50"), Decimal("-0.05"), None], pa.decimal128(9, 2)),
    "date": pa.array([dt.date(2020, 2, 29), dt.date(1899, 1, 1), None]),
    "time": pa.array(
        [np.datetime64("2020-01-01T12", "us"), np.datetime64("1969-01-01", "us"), None],
        pa.timestamp("us"),
    ),
    "zoned": pa.array(
        [dt.datetime(2020, 6, 1, 1, tzinfo=VIENNA), dt.datetime(1950, 1, 1, tzinfo=VIENNA), None],
        pa.timestamp("us", "UTC"),
    ),
    "truth": pa.array([True, False, None]),
    "small": pa.array([1, -1, None], pa.int8()),
    "float": pa.array([0.1, -1e300, None]),
    "single": pa.array([0.5, -2.25, None], pa.float32()),
    "text": pa.array(["a ", "", None]),
    "case": pa.array(["a", "A", None]),
    "accent": pa.array(["e\u0301", "é", None]),
}


@pytest.mark.parametrize("kind", TYPES)
def test_values_of_every_type_come_and_go_as_they_are(engines, kind):
    column = TYPES[kind].take(pa.array([0, 1, 2, 1]))
    table = pa.table({"a": column, "b": column})
    engine = engines.of_table(table)
    grouped = engine.grouped(["a"])
    assert table_of(grouped) == reference.grouped(table.to_pylist(), ["a"])
    draft = engines.draft()
    assigned = Assignment(
        np.arange(3), np.arange(3, dtype=np.int32), grouped.counts, pa.table({"a": ["1", "2", "3"]})
    )
    layout = Layout(("a", "b"), frozenset({"a"}))
    engine.write(draft, assigned, layout)
    expected = reference.released(table.to_pylist(), ["a"], assigned, layout)
    assert pq.read_table(draft).to_pylist() == expected


def test_nan_is_missing_and_minus_zero_is_zero(engines):
    column = pa.array([float("nan"), float("nan"), -0.0, 0.0, 1.5])
    engine = engines.of_table(pa.table({"a": column, "b": column}))
    grouped = engine.grouped(["a"])
    assert table_of(grouped) == [((0.0,), 2), ((1.5,), 1), ((None,), 2)]
    draft = engines.draft()
    assigned = Assignment(
        np.arange(3), np.zeros(3, np.int32), grouped.counts, pa.table({"a": ["*"]})
    )
    engine.write(draft, assigned, Layout(("a", "b"), frozenset({"a"})))
    assert pq.read_table(draft).column("b").to_pylist() == [0.0, 0.0, 1.5, None, None]


CSV = 'a;b;o\n1;"x;y";\n"";"two\nlines";NA\n1;"say ""hi""";2 \n'


def test_a_text_file_is_read_as_text(engines, tmp_path):
    (tmp_path / "source.csv").write_text(CSV)
    engine = engines.of_path(tmp_path / "source.csv")
    assert table_of(engine.grouped(["a", "b", "o"])) == [
        (("1", 'say "hi"', "2 "), 1),
        (("1", "x;y", None), 1),
        ((None, "two\nlines", "NA"), 1),
    ]
    engine = engines.of_path(tmp_path / "source.csv", input={"missing": ["NA"]})
    assert dict(table_of(engine.values("o", 9))) == {("",): 1, (None,): 1, ("2 ",): 1}


def test_what_holds_no_values_is_refused(engines):
    engine = engines.of_table(pa.table({"a": [[1], [2]], "b": [1, 2]}))
    with pytest.raises(DataError, match="cannot be generalized or compared"):
        engine.grouped(["a"])
