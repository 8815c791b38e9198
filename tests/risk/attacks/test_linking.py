"""Linking: Samarati 2001's Figure 1, and counts against brute force."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, attack
from indistinct.errors import DataError
from indistinct.risk.attacks.linking import link
from tests import oracle
from tests.build import plan_of
from tests.examples import FIGURE_6

PROBLEMS = [
    "hypertension", "obesity", "chest pain", "obesity", "hypertension", "shortness of breath",
    "shortness of breath", "obesity", "chest pain", "obesity", "shortness of breath",
]  # fmt: skip
VOTERS = pa.table(
    {
        "Name": ["Ann A. Other", "Sue J. Carlson", "Bob B. Other"],
        "Address": ["1 Oak St.", "900 Market St.", "2 Elm St."],
        "ZIP": ["94141", "94142", "94199"],
        "DOB": ["1/2/60", "9/15/61", "3/4/70"],
        "Sex": ["female", "female", "male"],
    }
)
ON = {"zip": "ZIP", "dob": "DOB", "sex": "Sex"}


def medical_data():
    data = pa.Table.from_pylist(FIGURE_6["rows"])
    return data.append_column("problem", pa.array(PROBLEMS))


def plan(method):
    others = {"problem": {"role": "sensitive"}}
    return plan_of(FIGURE_6["columns"], FIGURE_6["ladders"], 2, method=method, others=others)


def test_sue_j_carlson_is_found_in_the_raw_table():
    found = link(medical_data(), VOTERS, ON)
    assert found.candidates.tolist() == [0, 1, 0]
    assert (found.singled_out, found.both_ways) == (1, 1)
    [row] = medical_data().slice(int(found.match[1]), 1).to_pylist()
    assert (row["race"], row["marital"], row["problem"]) == (
        "white",
        "widow",
        "shortness of breath",
    )


@pytest.mark.parametrize("method", ["samarati", "optimal", "best", "mondrian"])
def test_and_has_at_least_k_candidates_in_the_release(method):
    release = anonymize(medical_data(), plan(method))
    found = attack(release.rows, VOTERS, on=ON, plan=plan(method), private=medical_data())
    linked = found["linking"]
    assert linked.release.candidates[1] >= 2
    assert linked.release.singled_out == 0
    assert not linked.succeeded
    assert "the attack fails" in linked.story
    assert linked.private.singled_out == 1
    raw = attack(medical_data(), VOTERS, on=ON)["linking"]
    assert "1 fit exactly one" in raw.story


def test_suppressed_she_is_not_found_at_all():
    asked = plan("samarati") | {"limits": {"suppression": 0.1}}
    release = anonymize(medical_data(), asked)
    assert release.suppressed_rows == 1
    found = attack(release.rows, VOTERS, on=ON, plan=asked)["linking"]
    assert found.release.found == 0
    assert "no row fits any of them: the attack fails" in found.story


LADDERS = {
    "a": [["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"], ["4", "3-4", "*"]],
    "b": [["x", "*"], ["y", "*"]],
}
CELLS = st.tuples(st.sampled_from("1234"), st.sampled_from("xy"))


@given(
    st.lists(CELLS, min_size=1, max_size=12),
    st.lists(CELLS, min_size=1, max_size=8),
    st.integers(0, 2),
    st.integers(0, 1),
)
def test_counts_are_brute_force(rows, people, level_a, level_b):
    from indistinct.hierarchy import Hierarchy
    from indistinct.risk.covers import Meaning

    rows = [dict(zip("ab", row, strict=True)) for row in rows]
    people = [dict(zip("ab", person, strict=True)) for person in people]
    vector = (level_a, level_b)
    published = oracle.generalize(rows, "ab", LADDERS, vector)
    asked = oracle.generalize(people, "ab", LADDERS, vector)
    release = pa.table({n: [row[i] for row in published] for i, n in enumerate("ab")})
    meanings = [Meaning(hierarchy=Hierarchy.from_paths(LADDERS[name])) for name in "ab"]
    external = pa.Table.from_pylist(people)
    found = link(release, external, {"a": "a", "b": "b"}, k=3, meanings=meanings)
    counts = [sum(row == person for row in published) for person in asked]
    assert found.candidates.tolist() == counts
    assert found.found == sum(n > 0 for n in counts)
    assert found.singled_out == sum(n == 1 for n in counts)
    assert found.below_k == sum(0 < n < 3 for n in counts)
    assert found.fewest == min((n for n in counts if n), default=0)
    assert found.both_ways == sum(
        n == 1 and sum(other == person for other in asked) == 1
        for n, person in zip(counts, asked, strict=True)
    )
    for match, n, person in zip(found.match, counts, asked, strict=True):
        assert (match >= 0) == (n == 1)
        assert n != 1 or published[match] == person


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=15),
       st.lists(st.integers(0, 40), min_size=1, max_size=10))  # fmt: skip
def test_overlapping_ranges(ranges, ages):
    texts = [f"[{low}-{low + width}]" for low, width in ranges]
    found = link(pa.table({"age": texts}), pa.table({"age": ages}), {"age": "age"})
    counts = [sum(low <= age <= low + width for low, width in ranges) for age in ages]
    assert found.candidates.tolist() == counts


def test_right_links_are_told_from_wrong_ones():
    rows = pa.table({"zip": ["1", "2", "2", "3"], "id": ["a", "b", "c", "d"]})
    people = pa.table({"zip": ["1", "2", "3"], "id": ["a", "b", "x"]})
    found = link(rows, people, {"zip": "zip"}, truth="id")
    assert (found.singled_out, found.correct) == (2, 1)
    assert found.expected_correct == pytest.approx(1.5)


def test_what_is_missing_is_told():
    people = pa.table({"ZIP": ["1"]})
    rows = pa.table({"zip": ["1"]})
    with pytest.raises(DataError, match=r"people: no column 'zip'\. Closest: 'ZIP'"):
        attack(rows, people, on=["zip"])
    with pytest.raises(DataError, match="no columns to link on"):
        attack(rows, people)
    no_header = pa.table({"Anna Kowalska": ["Eva Nowak"], "39": ["40"]})
    with pytest.raises(DataError, match="people: no column 'zip' is there; it has 2") as caught:
        attack(rows, no_header, on=["zip"])
    assert "Anna" not in str(caught.value)
    with pytest.raises(DataError, match="nothing to attack with"):
        attack(rows)
    with pytest.raises(DataError, match="no column 'id' that would say who is who"):
        attack(rows, people, on={"zip": "ZIP"}, truth="id")
    with pytest.raises(DataError, match=r"no attack 'linkage'\. Closest: 'linking'"):
        attack(rows, people, on={"zip": "ZIP"}, only=["linkage"])
    with pytest.raises(DataError, match="'inference' lacks the private table"):
        attack(rows, people, on={"zip": "ZIP"}, only=["inference"])
    with pytest.raises(DataError, match="it has no rows"):
        attack(rows.slice(0, 0), people, on={"zip": "ZIP"})
