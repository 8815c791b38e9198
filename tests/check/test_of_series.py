"""The check of a series alone, on ledgers made by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from indistinct.check.of_series import Told, ToldValues, broken_in_series, check_series, misnoted
from indistinct.plan import Plan

VALUES = ("bronchitis", "dyspepsia", "gastritis")


def asked(*require):
    """A plan that asks for some of it."""
    return Plan.load(
        {
            "columns": {
                "id": {"role": "identifier"},
                "age": {"role": "quasi", "hierarchy": "flat"},
                "disease": {"role": "sensitive"},
            },
            "require": list(require),
            "series": {"person": "id"},
        }
    )


K = {"model": "k-anonymity", "k": 2}
L = {"model": "l-diversity", "l": 2}


def told(number, people):
    """A release by what it says of each person: the cell and the value, or nothing."""
    cells = sorted({part[0] for part in people if part})
    return Told(
        number,
        ("age",),
        [(cell,) for cell in cells],
        np.array([cells.index(part[0]) if part else -1 for part in people], dtype=np.int32),
        {
            "disease": ToldValues(
                VALUES,
                np.full(3, 1 / 3),
                np.array([VALUES.index(p[1]) if p else -1 for p in people], dtype=np.int32),
            )
        },
    )


def broken(releases, *require):
    return broken_in_series(check_series(releases, asked(*require)))


# People are Bob, Alice, David and Ann. Alice and Ann leave, as in Xiao and Tao 2007, section 1.
FIRST = [
    ("21-22", "dyspepsia"),
    ("21-22", "bronchitis"),
    ("23-24", "gastritis"),
    ("23-24", "dyspepsia"),
]
SECOND = [("21-23", "dyspepsia"), None, ("21-23", "gastritis"), None]


def test_two_diverse_releases_betray_bob_when_joined():
    assert not broken([told(1, FIRST)], K, L)
    assert not broken([told(1, [SECOND[0], SECOND[2]])], K, L)
    faults = broken([told(1, FIRST), told(2, SECOND)], K, L)
    assert {fault.place for fault in faults} == {
        "requirement 'k-anonymity'",
        "requirement 'l-diversity', column 'disease'",
    }
    assert all("dyspepsia" not in str(fault) and "21" not in str(fault) for fault in faults)


def test_who_leaves_alone_falls_though_every_class_is_large():
    stay = [("20-29", VALUES[n % 3]) for n in range(6)]
    assert broken([told(1, stay), told(2, [*stay[:5], None])], K)
    assert not broken([told(1, stay), told(2, [*stay[:4], None, None])], K)


def test_who_comes_alone_falls():
    stay = [("20-29", VALUES[n % 3]) for n in range(4)]
    assert broken([told(1, [*stay, None]), told(2, [*stay, ("20-29", "gastritis")])], K)


def test_who_comes_back_alone_falls():
    now, away = [("20-29", VALUES[n % 3]) for n in range(6)], [None] * 2
    series = [told(1, now), told(2, [*now[:4], *away]), told(3, [*now[:5], None])]
    assert not broken(series[:2], K)
    assert broken(series, K)


def test_those_who_left_must_differ_in_every_release_that_shows_them():
    same = [("20-29", "gastritis"), ("20-29", "gastritis")]
    other = [("20-29", "dyspepsia"), ("20-29", "bronchitis")]
    assert not broken([told(1, [*same, *other])], K, L)
    faults = broken([told(1, [*same, *other]), told(2, [None, None, *other])], K, L)
    assert [fault.problem.split(",")[0] for fault in faults] == [
        "people of one history measure 1 in release 1"
    ]


@pytest.mark.parametrize("whose", [None, np.array([0, 1, 2, 3])])
def test_a_ledger_is_believed_only_where_rows_bear_it_out(whose):
    rows = pa.table({"age": [c for c, _ in FIRST], "disease": [d for _, d in FIRST]})
    assert not misnoted(rows, told(1, FIRST), whose)
    another = [*FIRST[:3], ("23-24", "bronchitis")]
    assert misnoted(rows, told(1, another), whose)
    assert misnoted(rows.slice(1), told(1, FIRST), None if whose is None else whose[1:])
    assert misnoted(rows.drop_columns(["age"]), told(1, FIRST), whose)


def test_a_ledger_that_changes_who_is_who_is_found_only_by_whose_rows_they_are():
    rows = pa.table({"age": [c for c, _ in FIRST], "disease": [d for _, d in FIRST]})
    swapped = [FIRST[2], FIRST[1], FIRST[0], FIRST[3]]
    assert not misnoted(rows, told(1, swapped))
    assert misnoted(rows, told(1, swapped), np.arange(4))
