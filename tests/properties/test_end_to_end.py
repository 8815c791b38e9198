"""From a frame to a verified frame, on random tables: safe, true, and the same for every kind."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.methods import METHODS
from tests.build import accepted, plan_of
from tests.conftest import FRAMES, LAZY
from tests.profiles import examples
from tests.properties.strategies import tables
from tests.rows import records

DUAL = {"ac", "ipcsd"}  # they need a bound on loss in the plan
KEEPING = [
    name for name, method in METHODS.items() if "k-anonymity" in method.keeps and name not in DUAL
]
INTERVALS = {"k-optimize"}  # no levels; tests/methods/intervals/ shows that they are true
WHOLE_COLUMNS = [
    name for name in KEEPING if not METHODS[name].groups_rows and name not in INTERVALS
]


@st.composite
def jobs(draw):
    """Data as columns, with missing values here and there; ladders that cover them; k; limit."""
    rows, names, ladders = draw(tables(most_rows=10))
    size = len(rows)
    data = {name: [row[name] for row in rows] for name in names}
    for name in names:
        gone = draw(st.sets(st.integers(0, size - 1), max_size=size - 1))
        data[name] = [None if i in gone else value for i, value in enumerate(data[name])]
    data["note"] = list(range(size))
    k = draw(st.integers(2, size))
    limit = draw(st.integers(0, size - 1))
    return data, names, ladders, k, limit


def asked(job, method, **more):
    data, names, ladders, k, limit = job
    return plan_of(
        names, ladders, k, method=method, suppression=limit / len(data["note"]),
        others={"note": {"role": "other"}}, accept=accepted("note"), **more,
    )  # fmt: skip


def ladder_of(paths, value):
    """The coarser forms of a value; a missing value stays one below the top."""
    if value is None:
        return [None] * (len(paths[0]) - 1) + [paths[0][-1]]
    return next(path for path in paths if path[0] == value)


@pytest.mark.parametrize("method", WHOLE_COLUMNS)
@examples(20)
@given(jobs())
def test_a_release_is_safe_and_true(method, job):
    data, names, ladders, k, limit = job
    release = anonymize(pa.table(data), asked(job, method), keep_order=True)
    rows = records(release.frame)
    assert len(rows) >= len(data["note"]) - limit
    assert len(rows) + release.suppressed_rows == len(data["note"])
    classes = Counter(row[:-1] for row in rows)
    assert min(classes.values()) >= k
    assert sorted(release.class_sizes) == sorted(classes.values())
    stars = release.recoding.starred
    for *cells, number in rows:
        for place, (name, cell) in enumerate(zip(names, cells, strict=True)):
            path = ladder_of(ladders[name], data[name][number])
            starred = stars is not None and stars[number, place]
            assert cell == ("*" if starred else path[release.levels[name]])
    kept = [number for *_, number in rows]
    assert kept == np.flatnonzero(release.recoding.kept).tolist()
    assert verify(release.frame, asked(job, method)).holds


@pytest.mark.parametrize("method", KEEPING)
@examples(6)
@given(jobs(), st.sampled_from(sorted(FRAMES | LAZY)))
def test_every_kind_of_frame_and_file_gives_the_same(method, tmp_path_factory, job, kind):
    data = job[0]
    plan = asked(job, method, seed=11)
    given_frame = (FRAMES | LAZY)[kind](data)
    release, expected = anonymize(given_frame, plan), anonymize(pa.table(data), plan)
    assert type(release.frame) is type(given_frame)
    assert records(release.frame) == records(expected.frame)
    assert release.levels == expected.levels
    folder = tmp_path_factory.mktemp("files")
    pd.DataFrame(data).to_csv(folder / "p.csv", index=False)
    anonymize_file(folder / "p.csv", plan, folder / "r.csv")
    written = pd.read_csv(folder / "r.csv", dtype=str, keep_default_na=False)
    texts = [
        tuple("" if cell is None else str(cell) for cell in row) for row in records(expected.frame)
    ]
    assert list(written.itertuples(index=False, name=None)) == texts


def published(release, method):
    """Count published rows; of rows that are alike, groups may take any."""
    rows, apart = records(release.frame), METHODS[method].groups_rows or METHODS[method].takes_rows
    return Counter(row[:-1] if apart else row for row in rows)


@pytest.mark.parametrize("method", KEEPING)
@examples(6)
@given(jobs(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_an_index_matters(method, job, random):
    data, *_ = job
    size = len(data["note"])
    order = random.sample(range(size), size)
    shuffled = {name: [values[i] for i in order] for name, values in data.items()}
    labels = [random.choice([0, 1, None]) for _ in range(size)]
    frame = pd.DataFrame(shuffled).set_axis(labels, axis=0)
    plan = asked(job, method)
    one, two = anonymize(pd.DataFrame(data), plan), anonymize(frame, plan)
    assert one.levels == two.levels
    assert published(one, method) == published(two, method)
    assert isinstance(two.frame.index, pd.RangeIndex)
    assert list(two.frame.columns) == list(data)


@pytest.mark.parametrize("method", KEEPING)
@examples(6)
@given(jobs())
def test_blanks_say_nothing(method, job):
    data = job[0]
    plan = asked(job, method, suppressed="blank")
    release = anonymize(pl.DataFrame(data), plan, keep_order=True)
    rows = records(release.frame)
    assert len(rows) == len(data["note"])
    blank = [all(cell == "*" for cell in row) for row in rows]
    assert blank == (~release.recoding.kept).tolist()
    assert verify(release.frame, plan).blank_rows == sum(blank)
