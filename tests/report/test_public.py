"""The public report: no original value, no small count, no secret."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import IndistinctError
from indistinct.report import render
from indistinct.report.class_sizes import guarded_shares
from indistinct.report.public import count_or_words
from tests.pages import Page
from tests.profiles import examples

SEED = 918273645
METHODS = {
    "optimal": {},
    "mondrian": {},
    "anatomy": {},
    "freeform": {},
    "cell-suppression": {},
}
PLACES = [f"plaats{n}" for n in range(8)]
AGES = [71001, 71002, 71013, 71024, 71055]
NUMBERS = re.compile(r"(?<![\d.])\d[\d,]*(?![\d.]*%|[\d,.]*\d)")


def plan(method, k):
    wards = {"role": "quasi", "hierarchy": {"paths": [[p, f"ward{p[-1]}", "*"] for p in PLACES]}}
    require = [{"model": "k-anonymity", "k": k}]
    if method == "anatomy":
        require = [{"model": "l-diversity", "kind": "distinct", "l": 2}]
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
            "place": wards,
            "illness": {"role": "sensitive"},
        },
        "require": require,
        "method": {"name": method},
        "limits": {"suppression": 0.0 if method == "freeform" else 0.3},
        "seed": SEED,
    }


rows = st.lists(
    st.tuples(
        st.sampled_from(AGES), st.sampled_from(PLACES), st.sampled_from(["flu", "gout", "ache"])
    ),
    min_size=6,
    max_size=40,
)


def as_table(people):
    names = ("age", "place", "illness")
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in people])


def released(people, method, k):
    return anonymize(as_table(people), plan(method, k))


def numbers_in(told, path=()):
    """List every number of plain data with where it stands."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from numbers_in(value, (*path, key))
    elif isinstance(told, list):
        for value in told:
            yield from numbers_in(value, path)
    elif isinstance(told, int | float) and not isinstance(told, bool):
        yield path, told


COUNTS = {"input_rows", "released_rows", "suppressed_rows", "classes", "smallest_class"}
COUNTS |= {"unique_rows", "rows", "hits", "cells", "rows_above", "average_class_size"}


@pytest.mark.parametrize("method", METHODS)
@examples(15)
@given(people=rows, k=st.integers(2, 5))
def test_no_original_value_and_no_count_below_k(method, people, k):
    try:
        release = released(people, method, k)
    except IndistinctError:
        return
    least = 2 if method == "anatomy" else k
    facts = release.report_facts(audience="public")
    page, told = render(facts), json.dumps(facts.as_json())
    texts = {
        str(cell) for name in ("age", "place") for cell in release.rows.column(name).to_pylist()
    }
    unpublished = {str(age) for age, _, _ in people} | {place for _, place, _ in people}
    listed = {place for place in PLACES if f"ward{place[-1]}" in texts}  # by the plan, for a node
    ends = {end for text in texts for end in re.findall(r"\d+", text)}  # as the release has them
    for value in unpublished - texts - listed - ends:
        spelled = {value, f"{int(value):,}"} if value.isdigit() else {value}
        assert not any(s in page or s in told for s in spelled)
    assert str(SEED) not in page + told
    for path, number in numbers_in(facts.as_json()):
        assert path[-1] not in COUNTS or number == 0 or number >= least, path
    screen = Page(page).said.split("Original and now")[1].split("Promised and measured")[0]
    shown = [int(n.replace(",", "")) for n in NUMBERS.findall(screen)]
    assert all(number == 0 or number >= least for number in shown)


@pytest.mark.parametrize("method", METHODS)
def test_risk_hides_small_classes_of_the_original(method):
    people = [(71001, "plaats1", "flu"), (71002, "plaats2", "gout"), (71013, "plaats3", "ache")]
    asked = plan(method, 3) | {"limits": {"suppression": 0.0}}
    release = anonymize(as_table(people * 4 + [(71055, "plaats7", "gout")]), asked)
    told = release.report_facts(audience="public").as_json()["risk"]
    least = 2 if method == "anatomy" else 3
    assert told["before"]["unique_rows"] == f"fewer than {least}"
    assert str(told["before"]["prosecutor"]["highest"]).startswith("over ")
    assert "rows" not in told["before"]


def test_rows_left_out_are_not_told_by_their_complement():
    people = [(71001, "plaats1", "flu"), (71002, "plaats2", "gout")] * 6
    release = released([*people, (71055, "plaats7", "ache")], "optimal", 5)
    assert 0 < release.suppressed_rows < 5
    told = release.report_facts(audience="public").as_json()
    assert told["suppressed_rows"] == "fewer than 5"
    assert told["input_rows"] == "withheld"
    page = release.report(audience="public")
    assert "13" not in Page(page).said.split("Promised and measured")[0]


def test_the_public_is_told_no_plan_class_attack_or_time():
    release = released([(a, p, "flu") for a in AGES for p in PLACES], "mondrian", 4)
    told = release.report_facts(audience="public").as_json()
    assert not {"plan", "provenance", "frontier", "search"} & set(told)
    assert told["attacks"] == []
    assert told["seconds"] == {}
    assert all(not found["bars"] for found in told["distributions"])
    assert all("worst_class" not in found for found in told["requirements"])
    said = Page(release.report(audience="public")).said
    assert "Public report" in said
    assert "Worst class" not in said
    assert "What an attacker gets" not in said


sizes = st.dictionaries(st.integers(1, 60), st.integers(1, 4), min_size=1, max_size=8)


@given(before=sizes, after=sizes, k=st.integers(2, 12))
def test_no_bucket_of_sizes_holds_fewer_than_k_rows(before, after, k):
    total = [sum(size * count for size, count in table.items()) for table in (before, after)]
    if min(total) < k:
        return
    for shares in guarded_shares(before, after, k).values():
        for share, rows_there in zip(shares, total, strict=True):
            count = round(share * rows_there)
            assert count == 0 or count >= k


@given(count=st.integers(0, 50), rest=st.integers(0, 50), k=st.integers(2, 12))
def test_a_count_is_told_only_with_both_sides_large_or_empty(count, rest, k):
    told = count_or_words(count, count + rest, k)
    safe = all(part == 0 or part >= k for part in (count, rest))
    assert (told == count) is safe
