"""The same plan makes the same release on every engine as on rows in memory."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import IndistinctError
from indistinct.io.content import content_hash
from indistinct.io.opening import opened_release
from indistinct.verbs.anonymize import anonymize_file
from indistinct.verbs.verify import verify
from tests.engine.conftest import ENGINES
from tests.profiles import examples

EXAMPLES = {"duckdb": 25, "spark": 2}
"""Random tables for each engine and kind of method: Spark takes seconds for one."""
DAY = dt.date(2020, 2, 28)
NOON = dt.datetime(2020, 6, 1, 12, tzinfo=dt.UTC)
VIENNA = ZoneInfo("Europe/Vienna")
COLUMNS = {
    "whole": (pa.int64(), [1, 2, 3, 40]),
    "small": (pa.uint8(), [0, 7, 255]),
    "float": (pa.float64(), [0.0, -0.0, 0.5, float("nan"), 7.0, 1e-7, 1e22]),
    "single": (pa.float32(), [0.5, -0.0, float("nan"), 3e10]),
    "decimal": (pa.decimal128(6, 2), [Decimal("0.50"), Decimal("1.00"), Decimal("-3.25")]),
    "tiny": (pa.decimal128(12, 8), [Decimal("0.00000001"), Decimal(0), Decimal("12.5")]),
    "text": (pa.string(), ["", " ", "a", "a ", "A", "é", "e\u0301", "*", "1.0"]),
    "date": (pa.date32(), [DAY, DAY + dt.timedelta(1), DAY + dt.timedelta(400), dt.date(99, 1, 1)]),
    "time": (pa.timestamp("us", "UTC"), [NOON, NOON + dt.timedelta(seconds=1)]),
    "zoned": (
        pa.timestamp("us", "Europe/Vienna"),
        [NOON.astimezone(VIENNA), dt.datetime(2020, 1, 1, tzinfo=VIENNA)],
    ),
    "naive": (
        pa.timestamp("us"),
        [NOON.replace(hour=0, tzinfo=None), NOON.replace(year=1969, second=1, tzinfo=None)],
    ),
    "truth": (pa.bool_(), [True, False]),
}
JUDGED = (pa.string(), ["x", "y", "", "x ", "X"])
WHOLE_COLUMNS = ("optimal", "samarati", "incognito")
GROUPS = ("mondrian",)
DRAWING = ("one-dimension", "topdown", "best")
"""Methods that part copies of a row as a secret draw decides, which is another on every engine."""
REQUIREMENTS = (
    [],
    [{"model": "l-diversity", "l": 2, "kind": "distinct", "column": "judged"}],
    [{"model": "t-closeness", "t": 0.5, "column": "judged"}],
)
CLOSED = REQUIREMENTS[:2]
"""Under these, classes are suppressed as a whole, and nothing is drawn."""


@st.composite
def tables(draw):
    """Draw a small table with nulls in every column; name its quasi columns."""
    size = draw(st.integers(3, 23))
    names = st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=4, unique=True)
    chosen = draw(names)
    columns = {name: COLUMNS[name] for name in chosen} | {"judged": JUDGED}
    cells = {
        name: [
            values[0],
            *draw(st.lists(st.sampled_from([None, *values]), min_size=size, max_size=size)),
        ]
        for name, (_, values) in columns.items()
    }
    table = pa.table({name: pa.array(cells[name], columns[name][0]) for name in columns})
    return chosen[: draw(st.integers(1, 3))][: len(chosen) - 1], table


@st.composite
def plans(draw, methods, requirements=REQUIREMENTS):
    """Draw a plan, but for its columns and its engine."""
    k = {"model": "k-anonymity", "k": draw(st.integers(2, 4))}
    method = draw(st.sampled_from(methods))
    return {
        "require": [k, *draw(st.sampled_from(requirements))],
        "method": {"name": method},
        "limits": {"suppression": 0.5 if method in WHOLE_COLUMNS else 0.0},
        "unlisted": "other",
        "seed": 7,
    }


def roles(quasi):
    columns = {name: {"role": "quasi"} for name in quasi}
    return {"columns": columns | {"judged": {"role": "sensitive"}}}


def shown_in(rows, names):
    return Counter(tuple(str(row[name]) for name in names) for row in rows.to_pylist())


class Made:
    """What comes of a plan: a release with its rows and its certificate, or an error."""

    def __init__(self, source, plan, out):
        certificate = out.with_suffix(".json")
        try:
            release = anonymize_file(source, plan, out, certificate=certificate)
        except IndistinctError as error:
            self.facts = type(error)
            self.rows = None
            return
        self.rows = pq.read_table(out) if out.is_dir() else opened_release(out)
        self.certificate = certificate
        self.content = json.loads(certificate.read_text())["output"]["content"]
        self.facts = (
            release.levels,
            Counter(release.class_sizes.tolist()),
            release.verified.released_rows,
            [(part.requirement.model, part.measured) for part in release.evidence],
        )


@pytest.fixture(params=ENGINES)
def compared(request, tmp_path):
    """Make releases of random tables here and on an engine, and hold one to the other."""
    if request.param == "spark":
        request.getfixturevalue("spark")
    source = tmp_path / "source.parquet"

    def compare(drawn_plans, hold):
        @examples(EXAMPLES[request.param])
        @given(tables(), drawn_plans)
        def same(drawn, asked):
            quasi, table = drawn
            pq.write_table(table, source)
            plan = roles(quasi) | asked
            here, there = (
                Made(source, plan | {"engine": {"name": name}}, tmp_path / f"{name}.parquet")
                for name in ("local", request.param)
            )
            hold(here, there, quasi)
            for made in (here, there):
                assert made.rows is None or made.content == content_hash(made.rows)

        same()

    return compare


def test_every_engine_makes_the_release_that_is_made_in_memory(compared):
    def hold(here, there, _):
        assert there.facts == here.facts
        if here.rows is not None:
            names = here.rows.column_names
            assert there.rows.column_names == names
            assert shown_in(there.rows, names) == shown_in(here.rows, names)
            assert there.content == here.content
            assert not verify(here.rows, certificate=there.certificate).same_file

    compared(plans(WHOLE_COLUMNS, requirements=CLOSED), hold)


def test_every_engine_finds_the_levels_where_a_draw_decides_who_is_suppressed(compared):
    """Of a class that is not close enough some rows are suppressed, and which is drawn."""

    def hold(here, there, _):
        assert (here.rows is None) == (there.rows is None)
        if here.rows is not None:
            assert there.facts[0] == here.facts[0]
            assert there.rows.num_rows == here.rows.num_rows
            assert verify(there.rows, certificate=there.certificate).holds is not False

    compared(plans(WHOLE_COLUMNS, requirements=REQUIREMENTS[2:]), hold)


def test_every_engine_makes_the_groups_that_are_made_in_memory(compared):
    """Which copy of a row goes where, where they are parted, is drawn: other columns may differ."""

    def hold(here, there, quasi):
        assert there.facts == here.facts
        if here.rows is not None:
            names = [*quasi, "judged"]
            assert shown_in(there.rows, names) == shown_in(here.rows, names)

    compared(plans(GROUPS), hold)


def test_what_no_draw_decides_is_the_same_on_every_engine(compared):
    def hold(here, there, _):
        assert (here.rows is None) == (there.rows is None)
        if here.rows is not None:
            assert there.rows.num_rows == here.rows.num_rows
            assert verify(there.rows, certificate=there.certificate).holds

    compared(plans(DRAWING, requirements=REQUIREMENTS[:1]), hold)
