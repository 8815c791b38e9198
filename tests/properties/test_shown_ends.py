"""What ends of ranges and members of sets show, on random tables: nothing that few people have.

The oracle reads published texts and counts people of the private rows by itself.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import product

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Plan, anonymize
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods import METHODS

METHODS_TRIED = [name for name, method in METHODS.items() if "k-anonymity" in method.keeps]
DUAL = {"ac", "ipcsd"}  # they need a bound on loss in the plan
GROUPING = [name for name in METHODS_TRIED if METHODS[name].groups_rows]
FREEFORM = {name for name in METHODS_TRIED if METHODS[name].matches_rows}
NUMBER = r"-?\d+(?:\.\d+)?"
START = datetime.fromisoformat("1950-01-01")
MONTH = r"\d{4}-\d{2}"


def ends_of(text, end):
    """The lower and the upper end of a published range, None where it is open; None if none is."""
    for pattern in (rf"\[({end})(?:, |-)({end})[\])]", rf">=({end})()", rf"<=?()({end})"):
        if found := re.fullmatch(pattern, text):
            return found[1] or None, found[2] or None
    return None


def people_with(rows, test):
    """How many people have a row whose value passes a test."""
    return len({person for person, value in rows if value is not None and test(value)})


@cache
def counts_rows(method):
    """Whether a method refuses people with several rows."""
    columns = {"x": {"role": "quasi"}, "who": {"role": "respondent"}}
    asked = [{"model": "k-anonymity", "k": 2}]
    try:
        Plan.load({"columns": columns, "require": asked, "method": {"name": method}})
    except PlanError:
        return True
    return False


def release_of(columns, plan_columns, k, method, **more):
    people = "who" in columns and not counts_rows(method)
    roles = {"who": {"role": "respondent"}} if people else {}
    data = pa.table({name: columns[name] for name in ("x", *roles)})
    plan = {
        "columns": {**plan_columns, **roles},
        "require": [{"model": "k-anonymity", "k": k}],
        "limits": {"suppression": 0.3},
        "method": {"name": method},
        "suppressed": "blank",
        **({"accuracy": {"max_ncp": 0.9}} if method in DUAL else {}),
        **more,
    }
    return anonymize(data, plan, keep_order=True)


def owners(columns, name, method):
    who = None if counts_rows(method) else columns.get("who")
    return list(zip(who or range(len(columns[name])), columns[name], strict=True))


@st.composite
def tables_of(draw, values):
    """A column of values with nulls, people with several rows in some, and k."""
    method = draw(st.sampled_from(METHODS_TRIED))
    size = 6 if method == "freeform-mip" else draw(st.integers(6, 16))
    column = draw(st.lists(values, min_size=size, max_size=size))
    gone = draw(st.sets(st.integers(0, size - 1), max_size=size // 3))
    column = [None if place in gone else value for place, value in enumerate(column)]
    if all(value is None for value in column):
        column[0] = draw(values)
    found = {"x": column}
    if draw(st.booleans()):
        found["who"] = [
            f"p{n}" for n in draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
        ]
    return found, draw(st.integers(2, 3)), method


@given(tables_of(st.integers(-30, 130) | st.sampled_from([17, 18, 20, 25])))
def test_ends_of_whole_numbers_are_of_k_people_or_bounds(job):
    columns, k, method = job
    plan = {"x": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}}}
    rows = owners(columns, "x", method)
    for text, (_, value) in zip(shown(columns, plan, k, method), rows, strict=True):
        ends = None if text is None else ends_of(text, NUMBER)
        if ends is None:
            assert text in {None, "*"} or people_with(rows, lambda v, t=text: str(v) == t) >= k
            continue
        low, high = (None if end is None else int(end) for end in ends)
        if text.startswith("<") or text.endswith(")"):
            high -= 1
        for end, rest in ((low, 0), (high, 4)):
            held = people_with(rows, lambda v, e=end: v == e)
            assert end is None or held >= k or end % 5 == rest, (text, columns["x"])
        if method not in FREEFORM:
            assert low is None or low <= value
            assert high is None or value <= high


def shown(columns, plan, k, method, **more):
    """The published texts; stars where k cannot be met."""
    try:
        release = release_of(columns, plan, k, method, **more)
    except CannotMeetError:
        return ["*"] * len(columns["x"])
    return release.frame.column("x").cast(pa.string()).to_pylist()


@given(tables_of(st.decimals(0, 400, places=2)))
def test_amounts_show_no_more_than_the_finest_level(job):
    columns, k, method = job
    plan = {"x": {"role": "quasi", "hierarchy": {"intervals": [10, 100]}}}
    if all(value is None or value == int(value) for value in columns["x"]):
        columns["x"][-1] = Decimal("7.25")
    rows = owners(columns, "x", method)
    for text, (_, value) in zip(shown(columns, plan, k, method), rows, strict=True):
        ends = None if text is None else ends_of(text, NUMBER)
        assert text in {None, "*"} or ends is not None, text
        low, high = (None if end is None else Decimal(end) for end in ends or (None, None))
        for end, up in ((low, 1), (high, -1)):
            if end is not None:
                assert end % 10 == 0
                first = min(end, end + 10 * up)
                near = people_with(rows, lambda v, f=first: f <= v < f + 10)
                assert near >= k or end % 100 == 0, (text, columns["x"])
        if ends and method not in FREEFORM:
            assert low is None or low <= value
            assert high is None or value < high


MOMENTS = st.integers(0, 4 * 365 * 24 * 60).map(lambda n: START + timedelta(minutes=n))


@given(tables_of(MOMENTS))
def test_dates_and_times_show_no_more_than_the_finest_unit(job):
    columns, k, method = job
    plan = {"x": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}}}
    rows = owners(columns, "x", method)
    for text, (_, value) in zip(shown(columns, plan, k, method), rows, strict=True):
        if text in {None, "*"}:
            continue
        assert not re.search(r"\d{4}-\d{2}-\d{2}|:", text)
        ends = ends_of(text, MONTH) or ((text, text) if re.fullmatch(MONTH, text) else None)
        if ends is None:
            assert re.fullmatch(r"\d{4}", text)
            ends = f"{text}-01", f"{text}-12"
        for end, edge in zip(ends, ("01", "12"), strict=True):
            held = people_with(rows, lambda v, e=end: f"{v:%Y-%m}" == e)
            assert end is None or held >= k or end[-2:] == edge, (text, columns["x"])
        if method not in FREEFORM:
            assert (ends[0] or "0") <= f"{value:%Y-%m}" <= (ends[1] or "9")


@given(tables_of(st.dates(date(2020, 1, 1), date(2020, 4, 30))))
def test_days_of_few_people_move_to_the_ends_of_months(job):
    columns, k, method = job
    plan = {"x": {"role": "quasi", "hierarchy": {"dates": ["day", "month"]}}}
    rows = owners(columns, "x", method)
    for text, (_, value) in zip(shown(columns, plan, k, method), rows, strict=True):
        ends = None if text is None else ends_of(text, r"\d{4}-\d{2}-\d{2}")
        for end, edge in zip(ends or (None, None), (0, 1), strict=True):
            if end is not None:
                day = date.fromisoformat(end)
                held = people_with(rows, lambda v, d=day: v == d)
                assert held >= k or (day + timedelta(days=edge)).day == 1, (text, columns["x"])
        if ends and method not in FREEFORM:
            assert (ends[0] or "0") <= value.isoformat() <= (ends[1] or "9")


@given(tables_of(st.integers(0, 60)), st.sampled_from(GROUPING))
def test_a_flat_column_asked_for_as_ranges_ends_in_round_numbers(job, method):
    columns, k, _ = job
    if METHODS[method].publishes:
        return
    plan = {"x": {"role": "quasi", "hierarchy": "flat", "publish": "range"}}
    rows = owners(columns, "x", method)
    steps = [digit * 10**power for power in range(3) for digit in (1, 2, 5)]
    for text in shown(columns, plan, k, method):
        ends = None if text is None else ends_of(text, NUMBER)
        if ends and text[0] == "[":
            low, high = map(int, ends)
            above = [(low, low + step) for step in steps if low % step == 0]
            below = [(high + 1 - step, high + 1) for step in steps if (high + 1) % step == 0]
            for cells in (above, below):
                held = [people_with(rows, lambda v, c=c: c[0] <= v < c[1]) for c in cells]
                assert max(held, default=0) >= k, (text, columns["x"])


TREE = {"tree": {"north": {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"]}, "south": ["c", "d"]}}
LEAVES = {"a": {"a1", "a2", "a3"}, "b": {"b1", "b2"}, "north": {"a1", "a2", "a3", "b1", "b2"}}
LEAVES |= {"south": {"c", "d"}, "c": {"c"}, "d": {"d"}}


@given(tables_of(st.sampled_from(["a1", "a2", "a3", "b1", "b2", "c", "d"])))
def test_members_of_sets_are_of_k_people_or_nodes_above(job):
    columns, k, method = job
    if METHODS[method].publishes or method == "k-optimize":
        return
    plan = {"x": {"role": "quasi", "hierarchy": TREE, "publish": "set"}}
    rows = owners(columns, "x", method)
    for text, (_, value) in zip(shown(columns, plan, k, method), rows, strict=True):
        if text is None or text[0] != "{":
            continue
        members = text[1:-1].split(", ")
        for member in members:
            own = people_with(rows, lambda v, m=member: v == m)
            nulls = len({who for who, v in rows if v is None})
            label = member in LEAVES and member not in {"c", "d"}
            assert own >= k or label or (member == "" and nulls >= k), (text, columns["x"])
        covered = set().union(*(LEAVES.get(m, {m}) for m in members))
        assert method in FREEFORM or (value or "") in covered | {""} & set(members)


@pytest.mark.parametrize("method", ["mondrian", "freeform-greedy", "k-optimize"])
def test_exact_keeps_tight_ends_and_warns(method):
    ages = [17, 18, 20, 31, 44, 58]
    frame = pd.DataFrame({"age": ages, "zip": [22030 + n for n in range(6)]})
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}, "publish": "exact"},
        },
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": method},
    }
    usual = anonymize(frame, plan)
    exact = anonymize(frame, plan | {"publish": "exact"})
    told = set("".join(exact.frame["age"]).strip("[]").replace("][", "-").split("-"))
    assert told <= {str(age) for age in ages}
    ends = [end for text in usual.frame["age"] for end in ends_of(text, NUMBER) or ()]
    assert not {end for end in ends if end in {"17", "18", "31", "58"}}
    assert any('publish = "exact"' in line for line in exact.summary()["warnings"])
    assert exact.measures.ncp["age"] <= usual.measures.ncp["age"]


def test_bounds_keep_every_digit():
    numbers = [9007199254740993, 9007199254740992, -9007199254740993, -9007199254740992]
    numbers += [9007199254740995, -9007199254740995]
    frame = pa.table({"x": numbers})
    for publish, method in product(("exact", "auto"), ("mondrian", "freeform-greedy")):
        plan = {
            "columns": {
                "x": {"role": "quasi", "hierarchy": {"cuts": [0]}, "range_as": "bounds"},
            },
            "require": [{"model": "k-anonymity", "k": 2}],
            "method": {"name": method},
            "publish": publish,
        }
        rows = anonymize(frame, plan, keep_order=True).frame.to_pylist()
        for row, number in zip(rows, numbers, strict=True):
            low, high = row["x_low"], row["x_high"]
            assert low is None or low <= number
            assert high is None or number <= high
            assert publish == "auto" or {low, high} <= set(numbers)
