"""Numbers and dates as people write them, against what they mean."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct.hierarchy.notation import (
    DATES,
    NUMBERS,
    Dates,
    Numbers,
    sniff_dates,
    sniff_numbers,
)

AMOUNTS = st.decimals(-10_000_000, 10_000_000, places=2, allow_nan=False, allow_infinity=False)
DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31))
PATTERNS = {"dmy": "%d{0}%m{0}%Y", "mdy": "%m{0}%d{0}%Y", "ymd": "%Y{0}%m{0}%d"}


def written(number, way):
    """Write a number in a notation, by Python's own format."""
    marks = {",": way.thousands or "", ".": way.decimal}
    return "".join(marks.get(sign, sign) for sign in f"{number:,}")


@given(AMOUNTS, st.sampled_from(NUMBERS))
def test_a_number_is_read_as_it_was_written(number, way):
    assert Decimal(way.read(written(number, way))) == number


@given(st.lists(AMOUNTS, min_size=1, max_size=8), st.sampled_from(NUMBERS))
def test_what_is_sniffed_reads_every_number_rightly_or_is_doubted(numbers, way):
    texts = [written(number, way) for number in numbers]
    found = sniff_numbers(texts)
    assume(found is not None)
    meant = tuple(numbers)
    read = [tuple(Decimal(other.read(text)) for text in texts) for other in found.ways]
    assert meant in read
    assert len(read) == 1 or len(set(read)) == len(read)


@given(DAYS, st.sampled_from(DATES), st.sampled_from("./-"))
def test_a_date_is_read_as_it_was_written(day, way, mark):
    text = day.strftime(PATTERNS[way.order].format(mark))
    assert way.read(text) == day.isoformat()
    assert way.read(f"{text} 23:05") == f"{day.isoformat()} 23:05"


@given(st.lists(DAYS, min_size=1, max_size=6), st.sampled_from(["dmy", "mdy"]))
def test_the_order_of_dates_is_decided_by_a_day_beyond_twelve_and_by_nothing_else(days, order):
    texts = [day.strftime(PATTERNS[order].format("/")) for day in days]
    orders = [way.order for way in sniff_dates(texts).ways]
    if any(day.day > 12 for day in days):
        assert orders == [order]
    else:
        same = all(day.day == day.month for day in days)
        assert set(orders) == ({"dmy"} if same else {"dmy", "mdy"})


@pytest.mark.parametrize(
    ("texts", "ways"),
    [
        (["262,13", "8,5"], ["decimal = ','"]),
        (["1.234,56"], ["decimal = ',', thousands = '.'"]),
        (["1,234.56"], ["decimal = '.', thousands = ','"]),
        (["1 234,56", "2\u202f345"], ["decimal = ',', thousands = ' '"]),
        (["1'234.50"], ["decimal = '.', thousands = \"'\""]),
        (["1,234", "5,678"], ["decimal = '.', thousands = ','", "decimal = ','"]),
        (["0,123", "5,678"], ["decimal = ','"]),
        (["1234", "5,678"], ["decimal = '.', thousands = ','", "decimal = ','"]),
        (["1.5", "2,5"], []),
        (["1.5", "2.25", "k.A."], ["decimal = '.'"]),
        (["262,13", "8,5", "k.A."], ["decimal = ','"]),
        (["\u22125,5", "+3,25"], ["decimal = ','"]),
    ],
)
def test_ways_that_the_values_leave_open(texts, ways):
    assert [str(way) for way in sniff_numbers(texts).ways] == ways


@pytest.mark.parametrize("texts", [["02139", "22030"], ["a", "b"], ["a", "b", "1,5"], []])
def test_codes_and_words_are_no_numbers(texts):
    assert sniff_numbers(texts) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("31.12.1999", "1999-12-31"),
        ("1.2.03", "2003-02-01"),
        ("31.12.1999 08:30:15", "1999-12-31 08:30:15"),
        ("31.12.1999, 8:30", "1999-12-31 08:30"),
        ("1999-12-31", "1999-12-31"),
        ("1999-12-31T08:00:00Z", "1999-12-31T08:00:00Z"),
        ("31.02.1999", None),
        ("31.12.1999 25:00", None),
        ("31.12", None),
        ("31.12/1999", None),
        ("12/31/1999", None),
    ],
)
def test_dates_that_begin_with_the_day(text, read):
    assert Dates("dmy").read(text) == read


def test_half_days():
    read = Dates("mdy").read
    assert [
        read(f"1/2/2020 {time}") for time in ("12:00 AM", "12:30 pm", "1:05 p.m.", "13:00 AM")
    ] == [
        "2020-01-02 00:00",
        "2020-01-02 12:30",
        "2020-01-02 13:05",
        None,
    ]


def test_dates_with_points_do_not_begin_with_the_month():
    assert [way.order for way in sniff_dates(["03.04.2020"]).ways] == ["dmy"]
    assert Dates("mdy").read("03.04.2020") == "2020-03-04"


def test_what_a_plan_says_of_one_mark_tells_the_other():
    assert Numbers.stated(None, ".") == Numbers(",", ".")
    assert Numbers.stated(None, ",") == Numbers(".", ",")
    assert Numbers.stated(None, " ") == Numbers(".", " ")
    assert Numbers.stated(None, None) is None
