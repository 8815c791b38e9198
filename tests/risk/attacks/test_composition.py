"""Composition: two releases laid over each other, against brute force."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import Plan, anonymize, attack, verify
from indistinct.errors import DataError, DoesNotHoldError
from indistinct.hierarchy import Hierarchy
from indistinct.risk.attacks import composition as room
from indistinct.risk.attacks.composition import composition
from indistinct.risk.covers import Meaning
from indistinct.risk.points import points_of
from tests import oracle

LADDERS = {
    "a": [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]],
    "b": [["x", "*"], ["y", "*"]],
}
PEOPLE = st.lists(
    st.tuples(st.sampled_from("1234"), st.sampled_from("xy"), st.sampled_from("pqr")),
    min_size=1,
    max_size=14,
)
VECTORS = st.tuples(st.integers(0, 2), st.integers(0, 1))
MEANINGS = [Meaning(hierarchy=Hierarchy.from_paths(LADDERS[name])) for name in "ab"]


def at(people, vector):
    rows = [dict(zip("ab", person, strict=False)) for person in people]
    published = oracle.generalize(rows, "ab", LADDERS, vector)
    columns = {n: [row[i] for row in published] for i, n in enumerate("ab")}
    return pa.table(columns | {"s": [person[2] for person in people]}), published


def common(one, two, here, people):
    """Rows that fit both releases at a place: value by value the fewer."""
    held = [
        Counter(
            person[2]
            for person, row in zip(people, release, strict=True)
            if all(texts in path for texts, path in zip(row, here, strict=True))
        )
        for release in (one, two)
    ]
    return sum((held[0] & held[1]).values())


def path(name, value):
    return next(path for path in LADDERS[name] if path[0] == value)


@given(PEOPLE, VECTORS, VECTORS, st.integers(2, 4))
def test_people_are_counted_as_defined(people, new, old, k):
    (one, texts), (two, others) = at(people, new), at(people, old)
    known = pa.table({n: [person[i] for person in people] for i, n in enumerate("ab")})
    found = composition(one, two, "ab", ["s"], k=k, meanings=MEANINGS, people=known)
    counts = [
        common(texts, others, (path("a", person[0]), path("b", person[1])), people)
        for person in people
    ]
    assert found.fewest == min(counts)
    assert found.below_k == sum(n < k for n in counts)
    assert found.composes == (min(counts) >= k)


@given(PEOPLE, VECTORS, VECTORS, st.integers(2, 4))
def test_without_people_every_place_is_asked(people, new, old, k):
    (one, texts), (two, others) = at(people, new), at(people, old)
    found = composition(one, two, "ab", ["s"], k=k, meanings=MEANINGS)
    places = [(p, q) for p in LADDERS["a"] for q in LADDERS["b"]]
    counts = {place: common(texts, others, place, people) for place in map(tuple_of, places)}
    some = [n for n in counts.values() if n]
    assert found.fewest == min(some)
    bad = [
        row
        for row in texts
        if any(0 < n < k and row[0] in place[0] and row[1] in place[1]
               for place, n in counts.items())
    ]  # fmt: skip
    assert found.below_k == len(bad)


def tuple_of(place):
    return tuple(map(tuple, place))


def test_points_in_parts_and_without_matrices(monkeypatch):
    """The sparse way finds the same; a part of the classes is said to be a part."""
    from indistinct.risk import points

    people = [(a, b, s) for a in "1234" for b in "xy" for s in "pq"]
    (one, _), (two, _) = at(people, (0, 1)), at(people, (2, 0))
    dense = composition(one, two, "ab", ["s"], k=3, meanings=MEANINGS)
    monkeypatch.setattr(points, "DENSE", 0)
    assert composition(one, two, "ab", ["s"], k=3, meanings=MEANINGS).as_json() == dense.as_json()
    monkeypatch.setattr(points, "MOST_PAIRS", 4)
    part = composition(one, two, "ab", ["s"], k=3, meanings=MEANINGS)
    assert part.details["looked_at"] == 0.5
    assert points_of is room.points_of


def plan(method="optimal", **levels):
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 40]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": method},
    } | levels


DATA = pa.table(
    {
        "zip": ["22030", "22030", "22031", "22031", "22045", "22045", "22046", "22046"],
        "age": ["31", "36", "31", "36", "31", "36", "31", "36"],
        "disease": ["flu", "gout", "flu", "acne", "HIV", "acne", "HIV", "gout"],
    }
)


def crossing():
    """One release keeps ZIP codes, the other ages; each is 2-anonymous."""
    by_zip = DATA.set_column(1, "age", pa.array(["[0-39]"] * 8))
    by_age = DATA.set_column(0, "zip", pa.array(["220**"] * 8))
    return by_zip, by_age


def test_two_good_releases_compose_badly():
    new, old = crossing()
    for release in (new, old):
        assert verify(release, plan()).holds
    with pytest.raises(DoesNotHoldError, match="down to 1"):
        verify(new, plan(), against=old)
    with pytest.raises(DoesNotHoldError, match="8 people of 8 are left with fewer than 2"):
        verify(new, plan(), against=old, people=DATA)


@pytest.mark.parametrize("method", ["optimal", "best", "mondrian"])
def test_a_release_composes_with_itself(method):
    release = anonymize(DATA, plan(method)).rows
    assert verify(release, plan(method), against=release).holds
    assert verify(release, plan(method), against=release, people=DATA).holds


def test_other_releases_that_share_no_values_cannot_be_joined():
    new, old = (release.drop_columns(["disease"]) for release in crossing())
    asked = plan()
    asked["columns"].pop("disease")
    assert verify(new, asked, against=old, people=DATA).holds


def test_nothing_in_common():
    new, old = crossing()
    with pytest.raises(DataError, match="no quasi column in common"):
        verify(new, plan(), against=old.select(["disease"]))


def test_keyed_pseudonyms_join_and_random_ones_do_not(tmp_path):
    (tmp_path / "key").write_text("0123456789abcdef0123")
    new, old = (r.append_column("who", pa.array(list("abcdefgh"))) for r in crossing())
    columns = plan()["columns"]
    random = plan(columns=columns | {"who": {"role": "respondent", "pseudonym": {}}})
    keyed = {"role": "respondent", "pseudonym": {"kind": "keyed", "key": str(tmp_path / "key")}}
    joined = attack(new, plan=plan(columns=columns | {"who": keyed}), against=old)
    assert joined["composition"].details["shared"] == ["disease", "who"]
    assert attack(new, plan=random, against=old)["composition"].details["shared"] == ["disease"]


def test_dates_of_two_levels_meet():
    spec = {"dates": ["month", "year"], "format": "%d/%m/%Y"}
    asked = Plan.load(
        {
            "columns": {"born": {"role": "quasi", "hierarchy": spec}, "s": {"role": "sensitive"}},
            "require": [{"model": "k-anonymity", "k": 2}],
        }
    )
    days = ["15/01/1970", "20/01/1970", "15/03/1970", "20/03/1970"]
    old = pa.table({"born": ["1970-01", "1970-01", "1970-03", "1970-03"], "s": list("pqpq")})
    new = pa.table({"born": ["1970"] * 4, "s": list("pqpq")})
    assert attack(new, plan=asked, against=old)["composition"].fewest == 2
    raw = pa.table({"born": days, "s": list("pqrt")})
    told = attack(raw, plan=asked, against=old)["composition"]
    assert (told.fewest, told.below_k) == (1, 2)
