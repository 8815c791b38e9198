from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coarsen.errors import DataError
from coarsen.trees.files import jsonl
from coarsen.trees.forest import ForestBuilder, NotATreeError
from tests.trees.growing import CARE, CARE_BELOW, CARE_VALUES, as_set, grow, records, sets_of


def read(tmp_path, *lines, **options):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return jsonl.read(path, CARE, **options)


def test_a_value_with_children_is_an_object_and_a_leaf_a_string(tmp_path):
    line = (
        '{"id": "p1", "hospital": [{"value": "Hospital1", "disease": [{"value": "Gastritis",'
        ' "treatment": ["Pain killer"]}, "Flu"]}]}'
    )
    [record] = sets_of(read(tmp_path, line))
    assert record == as_set(
        [
            (
                "hospital",
                "Hospital1",
                [
                    ("disease", "Gastritis", [("treatment", "Pain killer", [])]),
                    ("disease", "Flu", []),
                ],
            )
        ]
    )


def test_one_sibling_needs_no_array_and_numbers_are_texts(tmp_path):
    [record] = sets_of(read(tmp_path, '{"hospital": {"value": 7, "disease": "Flu"}}'))
    assert record == as_set([("hospital", "7", [("disease", "Flu", [])])])


def test_equal_siblings_merge_with_their_subtrees(tmp_path):
    line = (
        '{"hospital": [{"value": "H1", "disease": "Flu"}, '
        '{"value": "H1", "disease": ["Flu", "Gastritis"]}]}'
    )
    [record] = sets_of(read(tmp_path, line))
    assert record == as_set(
        [("hospital", "H1", [("disease", "Flu", []), ("disease", "Gastritis", [])])]
    )


BROKEN = [
    ('{"hospital": [}', "not JSON: expecting value at column 15"),
    ('["hospital"]', "not a JSON object"),
    ('{"hospital": {"value": "a", "hospital": "b"}}', "'hospital' stands twice on one path"),
    ('{"disease": {"value": "a", "hospital": "b"}}', "'hospital' stands below 'disease'"),
    ('{"hospital": {"disease": "b"}}', "class 'hospital' has no 'value'"),
    ('{"hospital": {"value": ["b"]}}', "has a value that is no text"),
    ('{"hospital": [null]}', "class 'hospital' has no 'value'"),
    ('{"hospital": [true]}', "has a value that is no text"),
    ('{"hospital": [["H1"]]}', "has a value that is no text"),
    ('{"hospital": {"value": "a", "name": "b"}}', "key 'name' inside a node is no class"),
    ("", "it is empty"),
    ('{"hospital": ' + "[" * 100_000, "it is nested too deeply"),
]


@pytest.mark.parametrize(("line", "told"), BROKEN, ids=[told for _, told in BROKEN])
def test_a_broken_line_is_told_with_its_number(tmp_path, line, told):
    with pytest.raises(DataError, match=r"in\.jsonl, line 2: ") as caught:
        read(tmp_path, '{"hospital": "H1"}', line)
    assert told in str(caught.value)


def test_all_broken_lines_are_told_at_once(tmp_path):
    with pytest.raises(DataError) as caught:
        read(tmp_path, *(line for line, _ in BROKEN[:5]))
    assert [fault.place[-6:] for fault in caught.value.faults] == [f"line {n}" for n in range(1, 6)]


def test_bytes_that_are_no_text_are_told(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"hospital": "\xff\xfe"}\n')
    with pytest.raises(DataError, match="line 1: it is not UTF-8"):
        jsonl.read(path, CARE)


def test_other_keys_are_identifiers_unless_refused(tmp_path):
    line = '{"name": "Ann", "hospital": "H1"}'
    assert read(tmp_path, line).nodes == 1
    with pytest.raises(DataError, match="key 'name' is no class"):
        read(tmp_path, line, unlisted="error")


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_what_is_no_file_is_told(tmp_path, name):
    with pytest.raises(DataError, match=r"no such file|folder"):
        jsonl.read(tmp_path / name, CARE)


def test_an_empty_file_has_no_records(tmp_path):
    path = tmp_path / "in.jsonl"
    path.touch()
    with pytest.raises(DataError, match="no records"):
        jsonl.read(path, CARE)


@settings(max_examples=60, deadline=None)
@given(records(CARE_BELOW, {**CARE_VALUES, "disease": ['"', "\\\n", "é€😀", ""]}))
def test_what_is_written_is_read_again(listed):
    forest = grow(CARE, listed)
    written = list(jsonl.lines(forest))
    assert all(json.loads(line) is not None for line in written)
    again, faults = jsonl.read_lines(written, CARE, "again")
    assert not faults
    assert sets_of(again) == sets_of(forest)


@settings(max_examples=60, deadline=None)
@given(records(CARE_BELOW, CARE_VALUES), st.randoms(use_true_random=False))
def test_records_can_be_taken_in_any_order(listed, draw):
    forest = grow(CARE, listed)
    order = list(range(forest.size))
    draw.shuffle(order)
    import numpy as np

    taken = forest.taken(np.array(order, dtype=np.intp))
    assert sets_of(taken) == [sets_of(forest)[place] for place in order]


def test_a_refused_record_leaves_nothing_behind():
    builder = ForestBuilder(CARE)
    builder.add([("hospital", "H1", [])])
    with pytest.raises(NotATreeError, match="no class 'town'"):
        builder.add([("hospital", "H2", []), ("town", "Rome", [])])
    builder.add([("hospital", "H3", [])])
    assert [record[0][1] for record in builder.build().records()] == ["H1", "H3"]


def test_many_records_are_packed_away_in_chunks(monkeypatch):
    monkeypatch.setattr("coarsen.trees.forest._CHUNK", 5)
    monkeypatch.setattr("coarsen.trees.forest._RECORDS", 3)
    listed = [[("hospital", f"H{n}", [("disease", "Flu", [])])] for n in range(20)]
    forest = grow(CARE, listed)
    assert list(forest.records()) == listed
