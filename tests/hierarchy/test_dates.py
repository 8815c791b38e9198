from __future__ import annotations

import pytest

from tests.hierarchy.sound import build, faults_of, levels


def path(units, value, **options):
    return build({"dates": units, **options}, [value]).paths()[0][1:-1]


def test_every_unit():
    units = ["day", "month", "quarter", "half-year", "year", "5-year", "decade", "century"]
    assert path(units, "2023-08-31") == (
        "2023-08-31",
        "2023-08",
        "2023-Q3",
        "2023-H2",
        "2023",
        "[2020-2024]",
        "[2020-2029]",
        "[2000-2099]",
    )


@pytest.mark.parametrize(
    ("day", "quarter"),
    [("2020-01-01", "2020-Q1"), ("2020-03-31", "2020-Q1"), ("2020-12-31", "2020-Q4")],
)
def test_ends_of_quarters(day, quarter):
    assert path(["quarter"], day) == (quarter,)


def test_dates_before_1970_and_in_the_first_century():
    assert path(["month", "decade"], "1969-12-31") == ("1969-12", "[1960-1969]")
    assert path(["year", "2-year"], "0001-01-01") == ("0001", "[0000-0001]")


def test_the_time_of_day_goes_and_the_day_is_the_one_written():
    column = ["2020-03-31T23:30:00-05:00", "2020-03-31 08:15", "2020-04-01"]
    h = build({"dates": ["day", "month"]}, column)
    assert h.leaves == ("2020-03-31 08:15", "2020-03-31T23:30:00-05:00", "2020-04-01")
    assert h.labels[1] == ("2020-03-31", "2020-04-01")
    assert h.kind == "date"


def test_another_way_of_writing_dates():
    h = build({"dates": ["month"], "format": "%m/%d/%y"}, ["12/31/19", "01/15/20", None])
    assert h.leaves == ("12/31/19", "01/15/20", None)
    assert h.labels[1] == ("2019-12", "2020-01", None)
    assert h.position[:2].tolist() == [18261, 18276]


def test_a_year_of_two_digits_is_one_that_people_were_born_in():
    h = build({"dates": ["decade"], "format": "%m/%d/%y"}, ["9/15/61", "9/15/29"])
    assert h.labels[1] == ("[1960-1969]", "[2020-2029]")


def test_years_of_any_number():
    assert levels({"dates": ["3-year", "9-years"]}, ["2020-01-01"])[:2] == [
        ["[2019-2021]"],
        ["[2016-2024]"],
    ]


@pytest.mark.parametrize(
    ("units", "told"),
    [
        (
            ["month", "weak"],
            (
                "column 'x': no unit 'weak'. Closest: 'decade'. Known: day, month, quarter, "
                "half-year, year, decade, century, 5-year."
            ),
        ),
        (
            ["year", "month"],
            (
                "column 'x': 'month' is not longer than 'year' before it. List the units from the "
                "shortest to the longest."
            ),
        ),
        (
            ["decade", "10-year"],
            (
                "column 'x': '10-year' is not longer than 'decade' before it. List the units from "
                "the shortest to the longest."
            ),
        ),
        (
            ["3-year", "decade"],
            (
                "column 'x': 'decade' does not nest with '3-year' before it. Each unit must be a "
                "multiple of the one before; use '9-year' or '12-year'."
            ),
        ),
        (
            ["4-year", "5-year"],
            (
                "column 'x': '5-year' does not nest with '4-year' before it. Each unit must be a "
                "multiple of the one before; use '8-year'."
            ),
        ),
    ],
)
def test_units_that_cannot_be(units, told):
    (fault,) = faults_of({"dates": units}, ["2020-01-01"])
    assert fault.split(" Closest")[0] == told.split(" Closest")[0]


def test_no_units():
    (told,) = faults_of({"dates": []}, ["2020-01-01"])
    assert told.startswith("column 'x': there are no units. Give some of day, month, quarter,")


def test_values_that_are_no_dates():
    told = faults_of({"dates": ["year"]}, ["31/12/2020", "31/12/2020", "2020-01-01", "30/11/2020"])
    assert told == [
        (
            "column 'x': value '31/12/2020' (2 rows) is not an ISO date such as 2020-03-31. Say "
            'how dates are written: format = "%d/%m/%Y".'
        ),
        (
            "column 'x': value '30/11/2020' (1 row) is not an ISO date such as 2020-03-31. Say how "
            'dates are written: format = "%d/%m/%Y".'
        ),
    ]
    (told,) = faults_of({"dates": ["year"], "format": "%d.%m.%Y"}, ["soon"])
    assert told == (
        "column 'x': value 'soon' (1 row) is not a date of the format '%d.%m.%Y'. Correct it, or "
        'say how dates are written, such as format = "%d/%m/%Y".'
    )


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ("%d/%m", "format '%d/%m' has no year"),
        ("%Q", "format '%Q' cannot be used: 'Q' is a bad directive"),
        ("%Y %Y", "format '%Y %Y' cannot be used"),
    ],
)
def test_formats_that_cannot_be(form, problem):
    (told,) = faults_of({"dates": ["year"], "format": form}, ["2020"])
    assert f"column 'x': {problem}" in told
    assert told.endswith('Write it as for strptime, such as "%d/%m/%Y".')
