"""A certificate is of rows: in any order, in any file, and of no other rows."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize_file, verify
from indistinct.errors import DataError, DoesNotHoldError
from indistinct.io.base import Rows
from indistinct.io.content import content_hash
from indistinct.io.files import FileSink
from indistinct.io.opening import opened_release
from tests.engine.conftest import ENGINES

ROWS = 60
PRIVATE = pa.table(
    {
        "age": [20 + n % 7 for n in range(ROWS)],
        "sex": ["f" if n % 3 else "m" for n in range(ROWS)],
        "ill": [["flu", "", None, "a,b", "=1+1", "é "][n % 6] for n in range(ROWS)],
        "weight": [[0.1, 70.0, None, 1e-9][n % 4] for n in range(ROWS)],
    }
)
PLAN = {
    "columns": {
        "age": {"role": "quasi"},
        "sex": {"role": "quasi", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
        "weight": {"role": "other"},
    },
    "require": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "optimal"},
    "seed": 11,
}
NAMES = ["release.csv", "release.parquet", "release.arrow", "release.csv.gz"]


@pytest.fixture
def made(tmp_path, request):
    """Make a release; return its path, its rows, and its certificate."""

    def make(out="release.parquet", engine="local"):
        if engine == "spark":
            request.getfixturevalue("spark")
        source, release, path = tmp_path / "p.parquet", tmp_path / out, tmp_path / "c.json"
        pq.write_table(PRIVATE, source)
        plan = PLAN | {"engine": {"name": engine}}
        anonymize_file(source, plan, release, certificate=path)
        rows = pq.read_table(release) if release.is_dir() else opened_release(release)
        return release, rows, path

    return make


def shuffled(rows):
    return rows.take(random.Random(5).sample(range(rows.num_rows), rows.num_rows))


def written(rows, path):
    sink = FileSink(path)
    sink.format.write(Rows.all_of(rows), path, sink.dialect)
    return path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_the_rows_of_a_file_in_another_one(made, tmp_path, name, other):
    _, rows, certificate = made(name)
    again = written(shuffled(rows), tmp_path / f"again-{other}")
    verified = verify(again, certificate=certificate)
    assert (verified.holds, verified.same_file) == (True, False)


@pytest.mark.parametrize("engine", ["local", *ENGINES])
def test_the_rows_of_a_release_in_a_folder_of_files_and_back(made, tmp_path, engine):
    release, rows, certificate = made(engine=engine)
    assert verify(release, certificate=certificate).same_file
    folder = tmp_path / "parts"
    folder.mkdir()
    for place in range(3):
        part = shuffled(rows).slice(place * 25, 25)
        pq.write_table(part, folder / f"{place}.parquet")
    for again in (folder, written(rows, tmp_path / "again.csv")):
        verified = verify(again, certificate=certificate)
        assert (verified.holds, verified.same_file) == (True, False)
    pq.write_table(rows.slice(0, 1), folder / "more.parquet")
    with pytest.raises(DoesNotHoldError, match="the hash of its rows is"):
        verify(folder, certificate=certificate)


@pytest.mark.parametrize("frame", [pa.Table.to_pandas, pl.from_arrow])
def test_the_rows_of_a_file_in_a_frame(made, frame):
    _, rows, certificate = made()
    assert verify(frame(rows), certificate=certificate).same_file is False
    with pytest.raises(DoesNotHoldError, match="data frame: the hash of its rows is"):
        verify(frame(rows.slice(1)), certificate=certificate)


def replaced(rows, name, values):
    return rows.set_column(rows.column_names.index(name), name, pa.array(values))


def swapped(values):
    """Exchange the first two values that differ."""
    other = next(place for place, value in enumerate(values) if value != values[0])
    values[0], values[other] = values[other], values[0]
    return values


CHANGES = {
    "a row taken out": lambda rows: rows.slice(1),
    "a row twice": lambda rows: pa.concat_tables([rows, rows.slice(0, 1)]),
    "every row twice": lambda rows: pa.concat_tables([rows, rows]),
    "a row for another": lambda rows: pa.concat_tables([rows.slice(1), rows.slice(1, 1)]),
    "a cell": lambda rows: replaced(rows, "ill", ["gout", *rows["ill"].to_pylist()[1:]]),
    "a missing cell empty": lambda rows: rows.set_column(2, "ill", rows["ill"].fill_null("")),
    "cells of two rows": lambda rows: replaced(rows, "ill", swapped(rows["ill"].to_pylist())),
    "a name": lambda rows: rows.rename_columns(["age", "sex", "illness", "weight"]),
    "two names": lambda rows: rows.rename_columns(["sex", "age", "ill", "weight"]),
    "a column more": lambda rows: rows.append_column("more", rows["sex"]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("other", ["changed.csv", "changed.parquet", "changed"])
def test_other_rows_are_refused(made, tmp_path, change, other):
    _, rows, certificate = made()
    changed = shuffled(CHANGES[change](rows))
    path = tmp_path / other
    if path.suffix:
        written(changed, path)
    else:
        path.mkdir()
        pq.write_table(changed, path / "0.parquet")
    with pytest.raises(DoesNotHoldError, match="changed after it was certified"):
        verify(path, certificate=certificate)


def test_a_certificate_from_before_there_was_a_hash_of_rows(made, tmp_path):
    release, rows, certificate = made()
    stated = json.loads(certificate.read_text())
    del stated["output"]["content"]
    certificate.write_text(json.dumps(stated))
    assert verify(release, certificate=certificate).same_file
    again = written(rows, tmp_path / "again.csv")
    with pytest.raises(DoesNotHoldError, match="SHA-256"):
        verify(again, certificate=certificate)
    with pytest.raises(DataError, match="no hash of the rows"):
        verify(rows.to_pandas(), certificate=certificate)


@pytest.mark.services("java")
def test_the_rows_of_a_file_in_a_frame_of_spark(made, spark):
    _, rows, certificate = made()
    frame = spark.createDataFrame(rows)
    verified = verify(frame.repartition(3), certificate=certificate)
    assert (verified.holds, verified.same_file) == (True, False)
    with pytest.raises(DoesNotHoldError, match="the hash of its rows is"):
        verify(frame.union(frame.limit(1)), certificate=certificate)


CELLS = st.sampled_from(["", "-", "0:,", "1:a,", "a", "a,", ",", ":", None])


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6), st.lists(st.tuples(CELLS, CELLS), max_size=6))
def test_two_tables_have_the_same_hash_only_if_they_have_the_same_rows(one, other):
    def hashed(rows):
        columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(2)]
        return content_hash(pa.table(columns, ["x", "y"]))

    def key(row):
        return [(cell is None, cell or "") for cell in row]

    assert (hashed(one) == hashed(other)) == (sorted(one, key=key) == sorted(other, key=key))


def test_a_row_may_be_listed_with_how_many_it_stands_for():
    rows = pa.table({"a": pa.array(["x", "y", "x", "z"]).dictionary_encode()})
    counts = np.array([2, 3, 1, 0])
    assert content_hash(rows, counts) == content_hash(pa.table({"a": ["x"] * 3 + ["y"] * 3}))


def test_numbers_times_and_texts_that_read_the_same_are_the_same():
    typed = pd.DataFrame(
        {"a": [1, 20], "t": pd.to_datetime(["2020-01-31 00:00", "2020-02-01 12:30"])}
    )
    as_text = pd.DataFrame({"t": ["2020-02-01 12:30:00", "2020-01-31"], "a": ["20", "1"]})
    one, other = map(opened_release, (typed, as_text))
    assert content_hash(one) == content_hash(other)


def test_the_hash_is_the_one_of_the_document():
    """By hand, as `io/content.py` says it."""
    from hashlib import sha256

    rows = pa.table({"b": ["é", None, "é"], "a": [1, 2, 1]})
    leaves = sorted(sha256(row).hexdigest() for row in (b"2;1:1,2:\xc3\xa9,", b"1;1:2,-"))
    text = '["a", "b"]\n'
    for bucket in sorted({leaf[:3] for leaf in leaves}):
        inside = "".join(leaf for leaf in leaves if leaf.startswith(bucket))
        text += f"{bucket} {sha256(inside.encode()).hexdigest()}\n"
    assert content_hash(rows) == sha256(text.encode()).hexdigest()
