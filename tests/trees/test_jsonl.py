from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import DataError
from indistinct.trees.files import jsonl, jsonl_writing
from indistinct.trees.files.jsonl import Keys
from indistinct.trees.forest import ForestBuilder, Labels, NotATreeError
from indistinct.trees.operations import generalized, relabelled
from tests.profiles import examples
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
    ('{"hospital": ["H1"', "not JSON: expecting ',' delimiter at column 19"),
    ('["hospital"]', "not a JSON object"),
    ('{"hospital": {"value": "a", "hospital": "b"}}', "'hospital' occurs twice on one path"),
    ('{"disease": {"value": "a", "hospital": "b"}}', "'hospital' stands below 'disease'"),
    ('{"hospital": {"disease": "b"}}', "class 'hospital' has no 'value'"),
    ('{"hospital": {"value": ["b"]}}', "has a value that is neither text"),
    ('{"hospital": [NaN]}', "has a value that is neither text nor a finite number"),
    ('{"hospital": 1e999}', "has a value that is neither text nor a finite number"),
    ('{"hospital": ' + "9" * 5_000 + "}", "a number has more digits than can be read"),
    ('{"hospital": [["H1"]]}', "has a value that is neither text"),
    ('{"hospital": {"value": "a", "name": "b"}}', "key 'name' inside a node is not a class"),
    ("", "it is empty"),
    ('{"hospital": ' + "[" * 100_000, "it is nested too deeply"),
]


def test_nulls_are_no_nodes_and_booleans_and_numbers_are_values(tmp_path):
    line = (
        '{"hospital": [null, true, 7, -0.5, {"value": null, "disease": "Flu"}], "disease": null,'
        ' "id": null}'
    )
    [record] = sets_of(read(tmp_path, line))
    assert record == as_set(
        [
            *(("hospital", text, []) for text in ("true", "7", "-0.5")),
            ("disease", "Flu", []),
        ]
    )


def test_nodes_of_entities_need_no_value(tmp_path):
    line = '{"hospital": [{"disease": "Flu"}, {"value": "hospital", "disease": ["Gastritis"]}]}'
    [record] = sets_of(read(tmp_path, line, keys=Keys(entities=frozenset({"hospital"}))))
    below = [("disease", "Flu", []), ("disease", "Gastritis", [])]
    assert record == as_set([("hospital", "hospital", below)])


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
    with pytest.raises(DataError, match="key 'name' is not a class"):
        read(tmp_path, line, keys=Keys(refuses=True))
    named = Keys(identifiers=frozenset({"name"}), refuses=True)
    assert read(tmp_path, line, keys=named).nodes == 1


def test_keys_can_be_released_as_they_are(tmp_path):
    lines = (
        '{"year": 1980, "hospital": "H1", "at": "12:30"}',
        '{"at": {"x": [1.5, null]}, "name": "Ann"}',
        '{"name": "Bob", "hospital": "H1"}',
    )
    forest = read(tmp_path, *lines, keys=Keys(released=("at", "year")))
    order = np.array([2, 0, 1, 0])
    written = [json.loads(line) for line in jsonl_writing.lines(forest.taken(order))]
    assert written == [
        {"hospital": ["H1"]},
        {"at": "12:30", "year": 1980, "hospital": ["H1"]},
        {"at": {"x": [1.5, None]}},
        {"at": "12:30", "year": 1980, "hospital": ["H1"]},
    ]


def test_a_released_value_that_json_cannot_hold_is_told(tmp_path):
    with pytest.raises(DataError, match="line 1: a key that is released as it is has a value"):
        read(tmp_path, '{"year": NaN, "hospital": "H1"}', keys=Keys(released=("year",)))


@pytest.mark.parametrize(
    "line",
    [
        '{"hospital": "H1", "hospital": "H2"}',
        '{"hospital": [{"value": "H1", "value": "H2"}]}',
        '{"hospital": [{"value": "H1", "disease": "a:b", "disease": "Flu"}]}',
        '{"id" : 1, "id" : 2}',
        '{"id": {"a": 1, "a": 2}, "hospital": "H1"}',
    ],
)
def test_a_key_that_stands_twice_is_told_with_its_line(tmp_path, line):
    with pytest.raises(DataError, match=r"line 2: key '\w+' occurs twice in one object"):
        read(tmp_path, '{"hospital": "12:30"}', line)


@examples(60)
@given(records(CARE_BELOW, {**CARE_VALUES, "disease": ["a:b", "Flu"]}, max_size=4), st.data())
def test_equal_lines_of_a_release_are_read_once(listed, data):
    forest = grow(CARE, listed)
    if not forest.size:
        return
    order = data.draw(st.lists(st.integers(0, forest.size - 1), min_size=1, max_size=9))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "release.jsonl"
        jsonl_writing.write(forest.taken(np.array(order, dtype=np.intp)), path)
        again, counts = jsonl.read_distinct(path, CARE)
    found = Counter()
    for record, count in zip(sets_of(again), counts.tolist(), strict=True):
        found[record] += count
    assert found == Counter(sets_of(forest)[place] for place in order)


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_what_is_no_file_is_told(tmp_path, name):
    with pytest.raises(DataError, match=r"no such file|folder"):
        jsonl.read(tmp_path / name, CARE)


def test_an_empty_file_has_no_records(tmp_path):
    path = tmp_path / "in.jsonl"
    path.touch()
    with pytest.raises(DataError, match="no records"):
        jsonl.read(path, CARE)


@examples(60)
@given(records(CARE_BELOW, {**CARE_VALUES, "disease": ['"', "\\\n", "é€😀", ""]}))
def test_what_is_written_is_read_again(listed):
    forest = grow(CARE, listed)
    written = list(jsonl_writing.lines(forest))
    assert all(json.loads(line) is not None for line in written)
    again, faults = jsonl.read_lines(written, CARE, "again")
    assert not faults
    assert sets_of(again) == sets_of(forest)


@examples(80)
@given(
    records(CARE_BELOW, {**CARE_VALUES, "disease": ['"', "\\\n", "é€😀", ""]}),
    st.integers(1, 4),
)
def test_records_whose_siblings_are_in_order_are_written_alike_but_faster(listed, at_once):
    grown = grow(CARE, listed)
    order = np.argsort(grown.labels.of_class, kind="stable")
    labels = Labels([grown.labels.values[code] for code in order], grown.labels.of_class[order])
    codes = np.empty(order.size, dtype=np.int32)
    codes[order] = np.arange(order.size)
    forest = relabelled(grown, labels, codes)
    forest = generalized(forest, np.arange(len(labels), dtype=np.int32))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl_writing, "_AT_ONCE", at_once)
        patch.setattr(jsonl_writing, "lines", None)
        jsonl_writing.write(forest, Path(folder) / "fast.jsonl")
        fast = (Path(folder) / "fast.jsonl").read_text(encoding="utf-8")
    assert fast == "".join(jsonl_writing.lines(forest))


@examples(60)
@given(records(CARE_BELOW, CARE_VALUES), st.randoms(use_true_random=False))
def test_records_can_be_taken_in_any_order(listed, draw):
    forest = grow(CARE, listed)
    order = list(range(forest.size))
    draw.shuffle(order)
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
    monkeypatch.setattr("indistinct.trees.forest._CHUNK", 5)
    monkeypatch.setattr("indistinct.trees.forest._RECORDS", 3)
    listed = [[("hospital", f"H{n}", [("disease", "Flu", [])])] for n in range(20)]
    forest = grow(CARE, listed)
    assert list(forest.records()) == listed
