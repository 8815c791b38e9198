"""The independent check: it counts what is published, and says what it cannot tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, verify
from indistinct.check.rows import blank_rows, verify_rows
from indistinct.errors import DataError, DoesNotHoldError
from indistinct.io.encoding import encode
from indistinct.requirements import KAnonymity
from tests.conftest import FRAMES

QUASI = {"role": "quasi", "hierarchy": "flat"}


def plan(k=2, **more):
    columns = {"zip": QUASI, "sex": QUASI} | more.pop("columns", {})
    return {"columns": columns, "require": [{"model": "k-anonymity", "k": k}], **more}


def rows(**columns):
    return pa.table({name: list(values) for name, values in columns.items()})


CELLS = st.sampled_from(["a", "b", "*", "", None])


@given(st.lists(st.lists(CELLS, max_size=4), max_size=4), st.sampled_from([None, "mask", "encode"]))
def test_chunks_and_the_place_of_nulls_do_not_matter(chunks, nulls):
    column = pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string())
    if nulls is not None:
        column = column.dictionary_encode(null_encoding=nulls)
    found = verify_rows(pa.table({"x": column}), [KAnonymity(k=2)], {"all": ["x"]}, {}, {})
    counts = Counter(chain(*chunks))
    assert sorted(found.class_sizes) == sorted(counts.values())
    assert dict(encode(column, "x").domain.rows_of) == dict(counts)


@given(
    st.lists(st.tuples(CELLS, CELLS, st.integers(0, 4)), max_size=12),
    st.booleans(),
    st.integers(2, 4),
    st.booleans(),
)
def test_counts_are_the_definitions(table, respondents, k, blanks):
    columns = [list(column) for column in zip(*table, strict=True)] or [[], [], []]
    published = pa.table({
        "x": pa.array(columns[0], pa.string()).dictionary_encode(),
        "y": pa.array(columns[1], pa.string()),
    })  # fmt: skip
    people = {"both": np.array(columns[2], dtype=np.int32)} if respondents else {}
    sets = {"both": ["x", "y"], "one": ["y"]}
    blank = [blanks and row[:2] == ("*", "*") for row in table]
    assert not blanks or blank_rows(published).tolist() == blank
    mask = np.array(blank, dtype=bool)
    found = verify_rows(published, [KAnonymity(k=k)], sets, people, {}, blank=mask)
    kept = [row for row, out in zip(table, blank, strict=True) if not out]
    assert (found.released_rows, found.blank_rows) == (len(kept), sum(blank))
    classes = Counter(row[:2] for row in kept)
    assert sorted(found.class_sizes) == sorted(classes.values())
    heads = defaultdict(set)
    for number, row in enumerate(kept):
        heads[row[:2]].add(row[2] if respondents else number)
    both, one = found.evidence
    assert both.measured == min(map(len, heads.values()), default=0)
    assert one.measured == min(Counter(row[1] for row in kept).values(), default=0)
    for evidence in (both, one):
        assert evidence.holds is (evidence.measured >= k)
    if kept:
        worst = tuple(both.worst_class.values())
        shown = {tuple("" if cell is None else cell for cell in row) for row in heads}
        assert worst in shown


def test_many_columns_do_not_overflow():
    random = np.random.default_rng(0)
    table = pa.table({f"c{i}": random.integers(0, 1000, 50).astype(str) for i in range(30)})
    table = pa.concat_tables([table, table])
    sets = {"all": table.column_names}
    found = verify_rows(table, [KAnonymity(k=2)], sets, {}, {})
    assert found.class_sizes.tolist() == [2] * 50
    assert found.holds


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_verified_by_a_plan(kind):
    make = FRAMES[kind]
    good = make({"zip": ["1", "1", None, None], "sex": ["f"] * 4})
    assert verify(good, plan()).holds
    bad = make({"zip": ["1", "1", "2"], "sex": ["f"] * 3})
    with pytest.raises(DoesNotHoldError) as caught:
        verify(bad, plan())
    assert "it measures 1 in the class (zip=2, sex=f), where k = 2 was promised" in str(
        caught.value
    )
    assert caught.value.exit_code == 1


def test_a_missing_value_is_a_class_of_its_own():
    with pytest.raises(DoesNotHoldError):
        verify(rows(zip=["1", "1", None], sex="fff"), plan())


def test_columns_that_were_promised_and_are_not_there():
    with pytest.raises(DataError) as caught:
        verify(rows(zip=["1"]), plan())
    assert "no column 'sex', which was promised. Known: zip" in str(caught.value)


def test_every_set_is_held_to_every_promise():
    sets = {"patient": {"columns": ["zip"]}, "doctor": {"columns": ["sex"]}}
    table = rows(zip="1122", sex="ffff")
    assert verify(table, plan(sets=sets)).holds
    with pytest.raises(DoesNotHoldError) as caught:
        verify(rows(zip="1122", sex="fmfm"), plan(k=3, sets=sets))
    assert len(caught.value.faults) == 2


def test_an_empty_release_holds_nothing():
    with pytest.raises(DoesNotHoldError):
        verify(rows(zip=[], sex=[]), plan())


def test_a_plan_or_a_certificate_but_not_both(tmp_path):
    for given_ in ({}, {"plan": plan(), "certificate": tmp_path / "c.json"}):
        with pytest.raises(DataError, match=r"a plan (nor|and) a certificate"):
            verify(rows(zip="11", sex="ff"), **given_)


PERSONS = rows(who="aabcc", zip="11111", sex="fffff")


def test_respondents_that_the_release_does_not_name_cannot_be_counted():
    asked = plan(k=3, columns={"who": {"role": "respondent"}})
    release = anonymize(PERSONS, asked)
    [evidence] = release.evidence
    assert (evidence.measured, evidence.holds) == (3, True)
    found = verify(release.frame, asked)
    [evidence] = found.evidence
    assert (evidence.measured, evidence.holds, found.holds) == (5, None, None)
    assert "rows were counted" in evidence.note
    assert "rows were counted" in evidence.as_json()["note"]
    with pytest.raises(DoesNotHoldError):
        verify(release.frame, asked | plan(k=6, columns={"who": {"role": "respondent"}}))


def test_rows_of_nobody_in_particular_count_as_one_person():
    people = rows(who=["a", None, None, None], zip="1111", sex="ffff")
    asked = plan(columns={"who": {"role": "respondent", "pseudonym": {}}})
    release = anonymize(people, asked)
    assert [e.measured for e in release.evidence] == [2]
    assert [e.measured for e in verify(release.frame, asked).evidence] == [2]


def test_respondents_with_pseudonyms_are_counted():
    asked = plan(k=3, columns={"who": {"role": "respondent", "pseudonym": {}}})
    release = anonymize(PERSONS, asked)
    [evidence] = verify(release.frame, asked).evidence
    assert (evidence.measured, evidence.holds) == (3, True)
    asked = plan(k=4, columns={"who": {"role": "respondent", "pseudonym": {}}})
    with pytest.raises(DoesNotHoldError, match="measures 3"):
        verify(release.frame, asked)


def test_blanks_do_not_count_as_people():
    asked = plan(
        columns={"who": {"role": "respondent", "pseudonym": {}}},
        suppressed="blank",
        limits={"suppression": 0.5},
        method={"name": "samarati"},
    )
    people = rows(who="abcd", zip="1123", sex="ffff")
    release = anonymize(people, asked)
    assert release.verified.blank_rows == 2
    found = verify(release.frame, asked)
    assert (found.holds, found.released_rows, found.blank_rows) == (True, 2, 2)
    assert [e.measured for e in found.evidence] == [2]
