"""Published texts read back: what each form covers, and that nobody's own row is lost."""

from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Plan, anonymize
from indistinct.errors import CannotMeetError
from indistinct.hierarchy import Domain, Hierarchy
from indistinct.hierarchy.spec import Cuts, Dates, Intervals, Mask, Ordinal, Suggested
from indistinct.risk.attacks.linking import link
from indistinct.risk.covers import Meaning, covers_of
from indistinct.risk.fit import meanings_of
from tests.build import accepted
from tests.profiles import examples

DAYS = ["1961-09-15", "1961-10-01", "1964-01-31", "1964-02-29", "1970-12-31"]


def covered(text, values, **more):
    [row] = covers_of([text], values, Meaning(**more)).matrix()
    return [value for value, here in zip(values, row, strict=True) if here]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[17-20]", ["17", "20"]),
        ("[17, 20]", ["17", "20"]),
        ("[17, 20)", ["17"]),
        ("[-3, 18)", ["-2.5", "17"]),
        ("<20", ["-2.5", "17"]),
        (">=20", ["20", "33"]),
        ("20.0", ["20"]),
        ("{17, 33}", ["17", "33"]),
        ("{17, }", [None, "17"]),
        ("{[17-19], 33}", ["17", "33"]),
        ("{<0, 20}", ["-2.5", "20"]),
        ("{[-3, 18), [30, 40)}", ["-2.5", "17", "33"]),
        ("{[-3, 18), >=33, }", [None, "-2.5", "17", "33"]),
        ("*", [None, "-2.5", "17", "20", "33"]),
        (None, [None]),
        ("[a, b]", []),
        ("unheard of", []),
    ],
)
def test_numbers(text, values):
    assert covered(text, [None, "-2.5", "17", "20", "33"]) == values


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1961-09-15", DAYS[:1]),
        ("09/15/1961", DAYS[:1]),
        ("9/15/61", DAYS[:1]),
        ("1961", DAYS[:2]),
        ("61", DAYS[:2]),
        ("09/61", DAYS[:1]),
        ("1964-02", DAYS[3:4]),
        ("1961-Q4", DAYS[1:2]),
        ("1961-H2", DAYS[:2]),
        ("[1961-1964]", DAYS[:4]),
        ("[60-64]", DAYS[:4]),
        ("[1961-09-15, 1964-01-31]", DAYS[:3]),
        ("[1961-10-01..1964-02-29]", DAYS[1:4]),
        ("<1964-01-31", DAYS[:2]),
        (">=1964-02-29", DAYS[3:]),
        ("*", DAYS),
    ],
)
def test_dates(text, days):
    assert covered(text, DAYS) == days


def test_a_voter_born_on_9_15_61_falls_in_60_to_64():
    assert covered("[60-64]", ["9/15/61", "12/1/59"]) == ["9/15/61"]
    assert covered("09/15/61", ["9/15/61", "12/1/59"]) == ["9/15/61"]


def test_masks_and_neighbours():
    zips = ["02138", "02139", "0213", "10001", "A1"]
    assert covered("0213*", zips) == ["02138", "02139", "0213"]
    assert covered("***01", ["00001", "10001", "10002"]) == ["00001", "10001"]
    assert covered("021##", zips, mask="#", side="right") == ["02138", "02139", "0213"]
    assert covered("Cambodia..Cuba", ["Austria", "Chile", "Cuba", "Egypt"]) == ["Chile", "Cuba"]
    assert covered("{2204*, 0213*}", ["22045", "02139", "10001"]) == ["22045", "02139"]
    assert covered("{1961, [1964-02-01, 1964-03-01)}", DAYS) == [*DAYS[:2], DAYS[3]]
    assert covered("{a, b, c}", ["a", "b", "c", "b, c", "d"]) == ["a", "b", "c", "b, c"]


def test_a_set_names_nodes_also_such_as_have_commas():
    paths = [["a", "x, y", "*"], ["b", "x, y", "*"], ["c", "z", "*"], ["d", "z", "*"]]
    hierarchy = Hierarchy.from_paths([*paths, ["e", "e", "*"]])
    assert covered("{x, y, e}", list("abcde"), hierarchy=hierarchy) == ["a", "b", "e"]
    assert covered("{a, z}", list("abcde"), hierarchy=hierarchy) == ["a", "c", "d"]


SPECS = {
    "mask": (Mask(mask="right"), st.text("0123", min_size=1, max_size=4)),
    "left": (Mask(mask="left", char="#"), st.text("0123", min_size=1, max_size=4)),
    "intervals": (Intervals(intervals=[5, 10], bottom=3, top=40), st.integers(0, 60).map(str)),
    "decimals": (
        Intervals(intervals=[0.5, 2]),
        st.integers(-30, 30).map(lambda tenths: str(tenths / 10)),
    ),
    "cuts": (Cuts(cuts=[[5, 20, 40], [20]]), st.integers(0, 60).map(str)),
    "dates": (
        Dates(dates=["month", "quarter", "half-year", "year", "5-year", "decade"]),
        st.dates(date(1800, 1, 1), date(2200, 1, 1)).map(str),
    ),
    "ordinal": (Ordinal(ordinal=list("badce")), st.sampled_from("abcde")),
    "suggested": (Suggested(), st.integers(0, 500).map(str)),
}


@pytest.mark.parametrize("kind", SPECS)
@given(data=st.data())
def test_every_label_covers_its_leaves_and_no_others(kind, data, tmp_path_factory):
    spec, value = SPECS[kind]
    values = data.draw(st.lists(value, min_size=1, max_size=10, unique=True))
    base = tmp_path_factory.getbasetemp()
    built = spec.build(Domain.of(values), place="c", base=base)
    meaning = Meaning.of(spec, place="c", base=base)
    for nodes, labels in zip(built.nodes, built.labels, strict=True):
        found = covers_of(labels, built.leaves, meaning).matrix()
        assert (found == (np.arange(len(labels))[:, None] == nodes[None, :])).all(), labels


HIERARCHIES = {
    "zip": {"mask": "right"},
    "age": {"intervals": [5, 20]},
    "land": {"tree": {"Europe": ["Italy", "France"], "Asia": {"East": ["Japan"], "S": ["India"]}}},
    "born": {"dates": ["month", "year", "decade"], "format": "%d/%m/%Y"},
}
PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(["22030", "22031", "22045", None]),
        st.integers(15, 40).map(str),
        st.sampled_from(["Italy", "France", "Japan", "India"]),
        st.sampled_from(["31/01/1970", "15/02/1970", "01/12/1983"]),
    ),
    min_size=3,
    max_size=12,
).filter(lambda people: any(zip_code for zip_code, *_ in people))


@pytest.mark.parametrize(
    "more",
    [
        {"method": {"name": "optimal"}},
        {"method": {"name": "best"}},
        {"method": {"name": "mondrian"}, "publish": "set"},
        {"method": {"name": "mondrian"}, "publish": "node"},
        {"method": {"name": "best"}, "bounds": True},
    ],
    ids=str,
)
@examples(12)
@given(rows=PEOPLE)
def test_everybody_fits_at_least_k_rows_and_one_of_them_is_his(more, rows):
    more = dict(more)
    columns = {n: {"role": "quasi", "hierarchy": h} for n, h in HIERARCHIES.items()}
    if more.pop("bounds", False):
        columns["age"]["range_as"] = "bounds"
    plan = Plan.load(
        {
            "columns": columns | {"who": {"role": "other"}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "limits": {"suppression": 0.2},
            "accept": accepted("who"),
            **more,
        }
    )
    values = dict(zip(HIERARCHIES, map(list, zip(*rows, strict=True)), strict=True))
    data = pa.table(values | {"who": [str(n) for n in range(len(rows))]})
    try:
        release = anonymize(data, plan)
    except CannotMeetError:
        return
    on = {name: name for name in HIERARCHIES}
    found = link(release.rows, data, on, meanings=meanings_of(plan, list(on)), truth="who")
    there = set(release.rows.column("who").to_pylist())
    counts = [n for who, n in zip(map(str, range(len(rows))), found.candidates, strict=True)
              if who in there]  # fmt: skip
    assert min(counts) >= 2
    assert found.expected_correct == pytest.approx(sum(1 / n for n in counts))
    assert found.correct == 0
