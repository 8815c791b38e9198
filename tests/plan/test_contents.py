"""What leads to a person, by its pattern: found inside texts, and not found in other numbers."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.plan.contents import CONTENTS, content_of

ALONE = {
    "e-mail addresses": ["ann@example.org", "write to a.b+c@mail.example.co.uk, please"],
    "web addresses": ["https://example.org/~ann", "see www.example.org/ann"],
    "UUIDs": ["123e4567-e89b-12d3-a456-426614174000"],
    "account numbers (IBAN)": [
        "DE89 3704 0044 0532 0130 00",
        "de89370400440532013000",
        "to FR14 2004 1010 0505 0001 3M02 606",
        "NL91ABNA0417164300",
    ],
    "social security numbers": ["078-05-1120"],
    "numbers of payment cards": ["4111 1111 1111 1111", "4111-1111-1111-1111"],
    "telephone numbers": [
        "+49 30 123456",
        "+49 (0)30 / 12 34 56",
        "Tel. 0151-1234567",
        "030/123456",
        "(030) 1234567",
        "06 12 34 56 78",
        "06.12.34.56.78",
        "+33 6 12 34 56 78",
        "+34 612 345 678",
        "0044 20 7946 0958",
        "call 415-555-2671 now",
        "(415) 555-2671",
        "+15551234567",
    ],
    "IP addresses": ["192.168.0.12", "2001:db8:85a3::8a2e:370:7334"],
    "coordinates": ["48.1371, 11.5754", "at -33.8688 151.2093"],
    "device addresses": ["00:1A:2B:3C:4D:5E"],
    "Italian tax codes": ["RSSMRA85T10A562S"],
    "French social security numbers": ["255081416802538", "2 55 08 14 168 025 38"],
    "German social security numbers": ["65 170839 J 003", "65170839J003"],
}
MOST = {
    "Spanish identity numbers": ["12345678Z", "X1234567L", "00000000T"],
    "Dutch citizen numbers": ["111222333", "123456782"],
    "German tax numbers": ["86095742719", "47036892816"],
    "telephone numbers": ["01511234567", "0301234567"],
    "numbers of payment cards": ["4111111111111111", "5500005555555559"],
}
HARMLESS = [
    "2023-01-05 12:30:00",
    "2023-01-05T12:30:00Z",
    "2023-06-01 00:00:00+02:00",
    "31.12.1999",
    "12/31/1999 10:20",
    "01/02/2020-03/04/2021",
    "[1950-1959]",
    "[22030-22031]",
    "[48.137, 48.139)",
    "{48.1371, 49.1234}",
    "[2020-01-01..2020-12-31]",
    "1990-01-01/1999-12-31",
    "1,234,567.89",
    "1 234 567",
    "2020-Q1",
    ">=1000000",
    "02139",
    "0100-0199",
    "J10.1",
    "A00-B99",
    "1.2.3",
    "12:30:45.123",
    "08:30-16:30",
    "Lehrer/in",
    "P000123",
    "DE89370400440532013001",
    "4111 1111 1111 1112",
    "999.999.999.999",
    "1e-10",
    "-12.3456",
]


@pytest.mark.parametrize(("what", "text"), [(w, t) for w, texts in ALONE.items() for t in texts])
def test_one_value_is_enough(what, text):
    others = [f"word {chr(97 + n % 26)}{n}" for n in range(3_000)]
    assert content_of([*others, text]).what == what


@pytest.mark.parametrize("what", MOST)
def test_numbers_without_a_pattern_of_their_own_count_if_they_are_most(what):
    assert content_of(MOST[what]).what == what
    assert content_of([*MOST[what], *"abcdef"]) is None


@pytest.mark.parametrize("text", HARMLESS)
def test_dates_ranges_and_amounts_lead_to_nobody(text):
    assert content_of([text]) is None


@given(st.lists(st.sampled_from([t for texts in ALONE.values() for t in texts]), max_size=3))
def test_every_hint_is_in_what_its_pattern_matches(texts):
    """The quick look by hints, all at once, must lose nothing that a slow look would find."""
    slow = any(c.is_in(text) for c in CONTENTS if c.alone for text in texts)
    found = content_of(texts)
    assert (found is not None and found.alone) == slow


@given(st.dates(date(1000, 1, 1)), st.times(), st.floats(-1e9, 1e9), st.integers(0, 99_999_999))
def test_no_date_and_no_number_looks_like_an_address(day, time, number, whole):
    texts = [
        str(day),
        f"{day} {time}",
        f"{day}T{time}",
        f"{number:.2f}",
        f"{number:,.2f}",
        str(whole),
    ]
    assert content_of([*texts, *"abcdefgh"]) is None
