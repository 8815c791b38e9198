"""Columns of every type that frames and files can bring, the odd ones above all."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import cycle, islice

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

ROWS = 12
GROUPS = ["a", "b"] * (ROWS // 2)
DAY = dt.date(2020, 1, 2)


def rows(*values):
    """Repeat some values until there is one for each row."""
    return list(islice(cycle(values), ROWS))


class OwnType(pa.ExtensionType):
    """An extension type that nobody else knows."""

    def __init__(self):
        super().__init__(pa.string(), "tests.own")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


def _dictionary(values, index=None):
    return pa.DictionaryArray.from_arrays(pa.array(rows(0, 1, None), index or pa.int8()), values)


def _runs(values):
    return pa.RunEndEncodedArray.from_arrays(pa.array([5, ROWS], pa.int32()), values)


def _stored(kind, values, storage):
    return pa.ExtensionArray.from_storage(kind, pa.array(values, storage))


def _bytes_as_text(raw):
    offsets = pa.py_buffer(np.arange(ROWS + 1, dtype=np.int32) * len(raw))
    return pa.Array.from_buffers(pa.string(), ROWS, [None, offsets, pa.py_buffer(raw * ROWS)])


def _moments():
    for unit in ("s", "ms", "us", "ns"):
        yield f"duration[{unit}]", pa.array(rows(1, 2, None), pa.duration(unit))
        yield f"duration[{unit}] long", pa.array(rows(2**63 - 1, 0), pa.duration(unit))
        for zone in (None, "UTC", "Europe/Berlin", "+02:00", "No/Where"):
            kind = pa.timestamp(unit, zone)
            yield f"{kind}", pa.array(rows(0, 86400, None), pa.int64()).cast(kind)
            yield f"{kind} far", pa.array(rows(2**63 - 1, 1 - 2**63, 0), pa.int64()).cast(kind)


def _nested():
    for kind in (
        pa.list_(pa.int32()),
        pa.large_list(pa.string()),
        pa.list_view(pa.int32()),
        pa.large_list_view(pa.int32()),
        pa.list_(pa.int32(), 1),
        pa.list_(pa.string_view()),
        pa.list_(pa.list_(pa.date32())),
    ):
        inner = kind.value_type
        value = "x" if pa.types.is_string(inner) or pa.types.is_string_view(inner) else 1
        yield str(kind), pa.array(rows([[DAY] if pa.types.is_list(inner) else value], None), kind)
    yield "struct", pa.array(rows({"a": 1, "b": [DAY]}, None))
    yield "map", pa.array(rows([("a", 1)], None), pa.map_(pa.string(), pa.int32()))
    kinds = pa.array([0, 1] * (ROWS // 2), pa.int8())
    parts = [pa.array(range(ROWS)), pa.array(["x"] * ROWS)]
    yield "sparse union", pa.UnionArray.from_sparse(kinds, parts)
    yield "dense union", pa.UnionArray.from_dense(kinds, pa.array([0] * ROWS, pa.int32()), parts)
    far = pa.array([2**31 - 1], pa.int32()).cast(pa.date32())
    yield "list of far dates", pa.ListArray.from_arrays([0, *[1] * ROWS], far)


def _layouts():
    two, ids = pa.array(["a", "b"]), [uuid.UUID(int=place).bytes for place in (1, 2)]
    yield "dictionary uint64", _dictionary(two, pa.uint64())
    yield "dictionary with null", _dictionary(pa.array(["a", None]))
    yield "dictionary with nan", _dictionary(pa.array([1.5, float("nan")]))
    yield "dictionary of lists", _dictionary(pa.array([[1], [2]]))
    yield "dictionary of records", _dictionary(pa.array([{"a": 1}, {"a": 2}]))
    yield "dictionary of dates", _dictionary(pa.array([DAY, None]))
    yield "dictionary of bytes", _dictionary(pa.array([b"\xff", b"a"]))
    yield "dictionary of decimals", _dictionary(pa.array([Decimal("1.5"), Decimal("2.5")]))
    yield "dictionary of dictionaries", _dictionary(two.dictionary_encode())
    yield "dictionary of views", _dictionary(two.cast(pa.string_view()))
    yield "dictionary of uuids", _dictionary(_stored(pa.uuid(), ids, pa.binary(16)))
    yield "runs", _runs(pa.array(["a", None]))
    yield "runs of nan", _runs(pa.array([float("nan"), 2.0]))
    yield "runs of views", _runs(two.cast(pa.string_view()))
    yield "runs of lists", _runs(pa.array([[1], [2]]))
    yield "uuid", _stored(pa.uuid(), rows(*ids, None), pa.binary(16))
    yield "json", _stored(pa.json_(), rows('{"a": 1}', None), pa.string())
    yield "bool8", _stored(pa.bool8(), rows(0, 1, 5, None), pa.int8())
    yield "opaque", _stored(pa.opaque(pa.string(), "x", "y"), rows("a", None), pa.string())
    yield "opaque bytes", _stored(pa.opaque(pa.binary(), "x", "y"), rows(b"\xff"), pa.binary())
    tensor = pa.fixed_shape_tensor(pa.int32(), (2,))
    yield "tensor", _stored(tensor, rows([1, 2], [3, 4]), pa.list_(pa.int32(), 2))
    yield "own type", _stored(OwnType(), rows("a", "b", None), pa.string())


def _plain():
    numbers = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64"
    yield from ((name, pa.array(rows(1, 2, None), getattr(pa, name)())) for name in numbers.split())
    yield "float16", pa.array(np.array(rows(1.5, np.nan), dtype=np.float16))
    yield "null", pa.nulls(ROWS)
    yield "bool", pa.array(rows(True, False, None))
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield str(kind), pa.array(rows("a", "b", None), kind)
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)):
        yield str(kind), pa.array(rows(b"ab", b"\xff\xfe", None), kind)
    for kind in (pa.date32(), pa.date64()):
        yield str(kind), pa.array(rows(DAY, None), kind)
    yield "date32 far", pa.array(rows(2**31 - 1, -(2**31)), pa.int32()).cast(pa.date32())
    yield "date64 far", pa.array(rows(2**60 // 86400000 * 86400000, 0)).cast(pa.date64())
    yield "time32", pa.array(rows(1, None), pa.time32("s"))
    yield "time64", pa.array(rows(1, None), pa.time64("ns"))
    yield "time of no day", pa.array(rows(1, 2**30), pa.int32()).view(pa.time32("s"))
    interval = pa.MonthDayNano([1, 2, 3])
    yield "interval", pa.array(rows(interval, None), pa.month_day_nano_interval())
    for name in ("decimal32", "decimal64", "decimal128", "decimal256"):
        if hasattr(pa, name):
            values = rows(Decimal("1.50"), Decimal("-2.25"), None)
            yield name, pa.array(values, getattr(pa, name)(7, 2))
    yield "decimal, negative scale", pa.array(rows(Decimal(100)), pa.decimal128(5, -2))
    yield "infinite", pa.array(rows(float("inf"), -float("inf"), 1.0, None))
    yield "extreme", pa.array(rows(1e308, -1e308, 5e-324))
    yield "lone surrogates", _bytes_as_text(b"\xed\xa0\x80")
    yield "broken text", _bytes_as_text(b"\xff")
    yield "control characters", pa.array(rows("a\0b", "\n", "\u202e", "=1+1"))


def arrow_columns():
    """Name a column of every Arrow type."""
    return dict([*_plain(), *_moments(), *_nested(), *_layouts()])


def _frame(values, **options):
    return pd.DataFrame({"q": GROUPS, "x": pd.Series(values, **options)})


def _pandas_types():
    typed = {
        "Int8": (1, None),
        "UInt64": (1, None),
        "Float32": (1.5, None),
        "float16": (1.5, 2.5),
        "boolean": (True, None),
        "string": ("a", None),
        "string[pyarrow]": ("a", None),
        "category": (1, 2, None),
        "datetime64[ns]": ("2020-01-01", None),
        "timedelta64[ns]": (1, 2),
        "complex128": (1j, 2),
        "period[M]": (pd.Period("2020-01"), pd.NaT),
        "interval": (pd.Interval(0, 1), pd.Interval(1, 2)),
    }
    yield from (
        (f"pandas {kind}", _frame(rows(*values), dtype=kind)) for kind, values in typed.items()
    )
    yield "pandas sparse", _frame(pd.arrays.SparseArray(rows(0, 0, 1.5)))
    yield "pandas zones", _frame(rows(pd.Timestamp("2020", tz="Europe/Berlin"), pd.NaT))
    yield "pandas categories of intervals", _frame(pd.cut(pd.Series(range(ROWS)), 3))
    for name, values in {"mixed": (1, "a"), "of tuples": ((1, 2), (3, 4))}.items():
        yield f"pandas categories {name}", _frame(pd.Categorical(rows(*values)))
    far = np.array(rows("20000-01-01", "2020-01-01"), dtype="datetime64[s]")
    yield "pandas far", pd.DataFrame({"q": GROUPS, "x": far})


def _pandas_objects():
    mixes = [
        (1, "a", None),
        (DAY, None),
        (DAY, dt.datetime(2020, 1, 1, 3)),  # noqa: DTZ001 - as frames have them
        (Decimal("1.5"), 1.5),
        (b"x", "y"),
        ({1},),
        ({"a": 1}, {"b": "x"}),
        ([1], ["a"]),
        ((1, 2),),
        (2**70, 1),
        (True, None),
        ("a\ud800", "b"),
        ("a\0b", ""),
        (object(),),
        (int,),
        (pd.NaT, None),
        (pd.NA, "a"),
        (dt.time(1, 2), None),
        (uuid.UUID(int=1),),
        (1j,),
        (np.array([1, 2]),),
        (Fraction(1, 2),),
        (range(3),),
        ("x" * 100_000, "y"),
    ]
    for place, values in enumerate(mixes):
        series = pd.Series(rows(*values), dtype=object)
        yield f"pandas objects {place}", pd.DataFrame({"q": GROUPS, "x": series})


def _pandas_shapes():
    base = {"q": GROUPS, "x": rows("1", "2")}
    yield "pandas, one name twice", pd.DataFrame([["a", "1"]] * ROWS, columns=["q", "q"])
    yield "pandas, names alike", pd.DataFrame({**base, 0: range(ROWS), "0": range(ROWS)})
    yield "pandas, odd names", pd.DataFrame({**base, None: 1, ("u", "v"): 2, 7: 3, "": 4})
    columns = pd.MultiIndex.from_tuples([("q", "1"), ("x", "2")])
    yield "pandas, names of two", pd.DataFrame([["a", "1"]] * ROWS, columns=columns)
    index = pd.MultiIndex.from_product([[1, 2, 3], [1, 2, 3, 4]])
    yield "pandas, index of two", pd.DataFrame(base, index=index)
    yield "pandas, index all alike", pd.DataFrame(base, index=[0] * ROWS)
    yield "pandas, no rows", pd.DataFrame({"q": [], "x": []})
    yield "pandas, no columns", pd.DataFrame(index=range(ROWS))
    yield "pandas series", pd.Series([1])


def _polars_types():
    typed = {
        "Int128": (pl.Int128, (1, 2**100)),
        "Decimal": (pl.Decimal(10, 2), (Decimal("1.5"), None)),
        "Categorical": (pl.Categorical, ("a", None)),
        "Enum": (pl.Enum(["a", "b"]), ("a", None)),
        "Array": (pl.Array(pl.Int8, 2), ([1, 2],)),
        "List": (pl.List(pl.Categorical), (["a"], None)),
        "Struct": (pl.Struct({"a": pl.List(pl.Int8)}), ({"a": [1]}, None)),
        "Duration": (pl.Duration, (dt.timedelta(1), None)),
        "Time": (pl.Time, (dt.time(1),)),
        "Binary": (pl.Binary, (b"\xff",)),
        "Null": (pl.Null, (None,)),
        "Object": (pl.Object, (object(),)),
        "Date": (pl.Date, (DAY, None)),
        "zones": (pl.Datetime("us", "Europe/Berlin"), (dt.datetime(2020, 1, 1),)),  # noqa: DTZ001
        "Float32": (pl.Float32, (float("nan"), 1.0)),
    }
    for name, (kind, values) in typed.items():
        series = pl.Series(rows(*values), dtype=kind)
        yield f"polars {name}", pl.DataFrame({"q": GROUPS, "x": series})
    far = pl.Series(rows(2**31 - 1, 0), dtype=pl.Int32).cast(pl.Date)
    yield "polars far", pl.DataFrame({"q": GROUPS, "x": far})
    yield "polars lazy", pl.LazyFrame({"q": GROUPS, "x": GROUPS})
    yield "polars lazy, wrong", pl.LazyFrame({"q": GROUPS}).with_columns(pl.col("nope"))
    yield "polars, no rows", pl.DataFrame({"q": [], "x": []})


def _relations():
    told = {
        "hugeint": "170141183460469231731687303715884105727::hugeint",
        "interval": "interval 3 months",
        "infinite date": "'infinity'::date",
        "infinite time": "'-infinity'::timestamp",
        "before Christ": "'0044-03-15 (BC)'::date",
        "bit": "'101'::bit",
        "blob": "'\\xAA'::blob",
        "uuid": "uuid()",
        "enum": "'a'::enum('a','b')",
        "list": "[1, 2]",
        "struct": "{'a': 1}",
        "map": "map{'a': 1}",
        "union": "union_value(n := 1)",
        "time with zone": "'01:02+03'::timetz",
        "timestamp with zone": "'2020-01-01'::timestamptz",
        "decimal": "1.5::decimal(38, 10)",
    }
    groups = "case when i % 2 = 0 then 'a' else 'b' end"
    for name, expression in told.items():
        query = f"select {groups} q, {expression} x from range({ROWS}) t(i)"
        yield f"duckdb {name}", partial(duckdb.sql, query)


def frames():
    """Name frames of every library with odd columns, and things that are no frames.

    Relations are made when they are called: they must not outlive the test.
    """
    others = {"nothing": None, "a list": [1], "numpy": np.zeros((2, 2)), "a path": "/no/where.csv"}
    return dict(
        [
            *_pandas_types(),
            *_pandas_objects(),
            *_pandas_shapes(),
            *_polars_types(),
            *_relations(),
            *others.items(),
        ]
    )
