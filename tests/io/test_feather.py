"""Arrow and Feather files: what is read is what was written, and nothing that was taken out."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

from indistinct import anonymize_file, apply_file, verify
from indistinct.errors import DataError, IndistinctError, OutputError
from indistinct.io.base import Dialect, Rows
from indistinct.io.feather import Arrow
from indistinct.io.files import FileSource

PEOPLE = pa.table(
    {
        "zip": ["02139", "02139", "02141", "02141"],
        "age": pa.array([31, 33, None, 45], pa.int8()),
        "seen": [dt.date(2020, 1, day) for day in (1, 2, 3, 4)],
        "ill": pa.array(["flu", "gout", "flu", None]).dictionary_encode(),
    }
)
PLAN = {
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "age": {"role": "other"},
        "seen": {"role": "other"},
        "ill": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "optimal"},
}


def written(path, table, opened=ipc.new_file):
    with opened(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return path


def read(path, columns=None):
    return FileSource.of(path).read(columns)


@pytest.mark.parametrize("name", ["x.arrow", "x.feather", "x.ARROW"])
@pytest.mark.parametrize("opened", [ipc.new_file, ipc.new_stream])
def test_files_and_streams_are_read_with_their_types(tmp_path, name, opened):
    path = written(tmp_path / name, PEOPLE, opened)
    assert read(path).to_pydict() == PEOPLE.to_pydict()
    assert read(path).schema.types[1:3] == [pa.int8(), pa.date32()]
    assert FileSource.of(path).column_names() == PEOPLE.column_names
    assert read(path, ["seen", "zip"]).column_names == ["seen", "zip"]


def test_what_polars_writes_is_read(tmp_path):
    pl.from_arrow(PEOPLE).write_ipc(tmp_path / "x.arrow", compression="lz4")
    assert read(tmp_path / "x.arrow").to_pydict() == PEOPLE.to_pydict()


@pytest.mark.parametrize("out", ["r.arrow", "r.feather", "r.csv"])
def test_a_release_from_arrow_to_arrow(tmp_path, out):
    source = written(tmp_path / "p.arrow", PEOPLE.replace_schema_metadata({"author": "SECRET"}))
    certificate, recoding = tmp_path / "c.json", tmp_path / "recoding.json"
    anonymize_file(
        source, PLAN, tmp_path / out, certificate=certificate, recoding=recoding, keep_order=True
    )
    assert read(tmp_path / out).column("zip").to_pylist() == PEOPLE.column("zip").to_pylist()
    assert b"SECRET" not in (tmp_path / out).read_bytes()
    assert verify(tmp_path / out, certificate=certificate).holds
    apply_file(recoding, source, tmp_path / f"later-{out}", keep_order=True)
    assert (tmp_path / f"later-{out}").read_bytes() == (tmp_path / out).read_bytes()


HIDDEN = b"SECRET!!SECRET!!"
FLAT = [
    *(pa.int64(), pa.uint32(), pa.float64(), pa.date32(), pa.timestamp("us"), pa.time64("ns")),
    *(pa.binary(16), pa.decimal128(38, 0), pa.duration("s")),
]


def masked(kind):
    """Return three values, of which the second is missing but still lies in memory."""
    mask = pa.py_buffer(bytes([0b101]))
    if kind in {pa.string(), pa.large_string()}:
        width = np.int64 if kind == pa.large_string() else np.int32
        ends = pa.py_buffer(np.array([0, 1, 1 + len(HIDDEN), 2 + len(HIDDEN)], dtype=width))
        return pa.Array.from_buffers(kind, 3, [mask, ends, pa.py_buffer(b"a" + HIDDEN + b"b")])
    width = kind.bit_width // 8
    data = pa.py_buffer(bytes(width) + HIDDEN[:width] + bytes(width))
    return pa.Array.from_buffers(kind, 3, [mask, data])


@pytest.mark.parametrize("kind", [*FLAT, pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1]])
def test_what_lies_below_a_missing_value_is_not_written(tmp_path, kind, order):
    path = tmp_path / "x.arrow"
    whole = pa.table({"x": masked(kind)})
    assert HIDDEN[:4] in written(tmp_path / "raw.arrow", whole).read_bytes()
    for table in (whole, pa.concat_tables([whole.slice(0, 1), whole.slice(1)])):
        Arrow().write(Rows(table, np.array(order)), path, Dialect())
        assert HIDDEN[:4] not in path.read_bytes()
        assert read(path).column("x").null_count == 1


def test_values_of_other_rows_are_not_written(tmp_path):
    path = tmp_path / "x.arrow"
    column = pa.array(["a", "SECRET", "b"]).dictionary_encode()
    Arrow().write(Rows(pa.table({"x": column}), np.array([0, 2])), path, Dialect())
    assert b"SECRET" not in path.read_bytes()
    assert read(path).to_pydict() == {"x": ["a", "b"]}


def test_nested_columns_are_read_but_not_written(tmp_path):
    table = pa.table({"zip": ["02139"] * 2, "note": [[1], [2]]})
    source = written(tmp_path / "p.arrow", table)
    plan = PLAN | {"columns": {"zip": PLAN["columns"]["zip"], "note": {"role": "other"}}}
    with pytest.raises(DataError, match=r"column 'note': values of type list.*Write Parquet"):
        anonymize_file(source, plan, tmp_path / "r.arrow")
    assert list(tmp_path.iterdir()) == [source]
    anonymize_file(source, plan, tmp_path / "r.parquet", keep_order=True)
    assert read(tmp_path / "r.parquet").to_pydict() == table.to_pydict()


def test_a_column_name_twice(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(DataError, match="'a' stands 2 times"):
        read(written(tmp_path / "x.arrow", table))


@pytest.mark.parametrize("content", [b"a,b\n1,SECRET\n", b"FEA1 SECRET", b"ARROW1\0\0SECRET"])
def test_files_that_are_none(tmp_path, content):
    (tmp_path / "x.feather").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.feather: it cannot be read as Arrow") as caught:
        read(tmp_path / "x.feather")
    assert "SECRET" not in str(caught.value)


def test_packed_files_are_neither_read_nor_written(tmp_path):
    (tmp_path / "x.arrow.gz").write_bytes(b"x")
    with pytest.raises(DataError, match=r"no packed \.arrow files are read"):
        read(tmp_path / "x.arrow.gz")
    source = written(tmp_path / "p.arrow", PEOPLE)
    with pytest.raises(OutputError, match=r"no \.arrow\.gz files are written"):
        anonymize_file(source, PLAN, tmp_path / "r.arrow.gz")


@given(st.data())
def test_a_damaged_file_is_a_fault_or_is_read(tmp_path_factory, data):
    path = written(tmp_path_factory.mktemp("damaged") / "x.arrow", PEOPLE)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with suppress(IndistinctError):
        read(path)
