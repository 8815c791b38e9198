"""Lines that are read many at once read as they do one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import IndistinctError
from indistinct.trees.files import jsonl, jsonl_bulk, jsonl_writing
from indistinct.trees.files.jsonl import Keys
from tests.profiles import examples
from tests.trees.growing import CARE, CARE_BELOW, CARE_VALUES, grow, records

PLAIN = (
    '{"hospital":[{"value":"H1","disease":["Flu",{"value":"Gastritis","treatment":["Rest"]}]}]}',
    '{ "hospital" : { "value" : "H1" , "disease" : "Flu" } }\r',
    '{"hospital":["H2","H3"],"disease":["Flu"]}',
    '{"hospital":[]}',
    "{}",
    '{"hospital":["Zürich"]}',
    '{"id":"p1","age":70,"hospital":["H1"]}',
)
CLOSER = (
    '{"hospital":["H1","H1"]}',
    '{"hospital":[{"disease":["Flu"],"value":"H1"}]}',
    '{"hospital":["caf\\u00e9"]}',
    '{"hospital":[7,null,true]}',
    '{"hospital":["a \\"quoted\\" one"]}',
    '{"id":{"a":[1]},"hospital":["H1"]}',
    '{"id":"ü","hospital":["H4"]}',
    '{"id":1.5,"hospital":["H1"]}',
)
BROKEN = (
    '{"hospital":["new"],"hospital":["H2"]}',
    '{"id":1,"id":2,"hospital":["H1"]}',
    '{"hospital":["new","H2"}',
    '{"hospital":[{"value":"H1","value":"H2"}]}',
    '{"disease":[{"value":"Flu","hospital":["H1"]}]}',
    '{"hospital":[{"value":"H1","name":"Ann"}]}',
    '{"hospital":["H1",]}',
    '{"hospital":["H1"]} {}',
    '{"hospital":["new\x01"]}',
    '{"id":01,"hospital":["H1"]}',
    "[]",
    "",
    '{"hospital":["H1"]',
    '{"hospital" ["H1"]}',
    '{,"hospital":["H1"]}',
)
KEYS = (Keys(), Keys(refuses=True), Keys(published=True), Keys(identifiers=frozenset({"id"})))


def both_ways(path, keys=None, read=jsonl.read):
    """What a file reads as, or what is wrong with it, one by one and many at once."""
    results = []
    with pytest.MonkeyPatch.context() as patch:
        for least in (1 << 40, 0):
            patch.setattr(jsonl, "LEAST_BYTES", least)
            try:
                results.append(read(path, CARE, keys or Keys()))
            except IndistinctError as error:
                results.append(str(error))
    return results


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return (
        one.labels.values == other.labels.values
        and np.array_equal(one.labels.of_class, other.labels.of_class)
        and np.array_equal(one.label, other.label)
        and np.array_equal(one.parent, other.parent)
        and np.array_equal(one.starts, other.starts)
    )


@pytest.mark.parametrize("keys", KEYS)
@given(data=st.data())
@examples(60)
def test_lines_read_alike_one_by_one_and_many_at_once(tmp_path_factory, keys, data):
    kinds = st.sampled_from([*PLAIN, *CLOSER, *data.draw(st.sampled_from([(), BROKEN]))])
    lines = data.draw(st.lists(kinds, min_size=1, max_size=12))
    path = tmp_path_factory.mktemp("lines") / "in.jsonl"
    path.write_text("\n".join(lines) + data.draw(st.sampled_from(["", "\n"])), encoding="utf-8")
    assert same(*both_ways(path, keys))


@given(records(CARE_BELOW, CARE_VALUES), st.data())
@examples(60)
def test_what_is_written_is_read_as_it_is_one_by_one(tmp_path_factory, listed, data):
    path = tmp_path_factory.mktemp("written") / "in.jsonl"
    forest = grow(CARE, listed)
    if not forest.size:
        return
    jsonl_writing.write(forest, path)
    text = path.read_text(encoding="utf-8")
    place = data.draw(st.integers(0, len(text) - 1))  # one sign of it is another
    sign = data.draw(st.sampled_from('"{}[]:,\\ 1x\n'))
    path.write_text(text[:place] + sign + text[place + 1 :], encoding="utf-8")
    assert same(*both_ways(path))


@pytest.mark.parametrize("at_once", [40, 1 << 20])
def test_many_labels_and_lines_find_their_place(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(jsonl_bulk, "AT_ONCE", at_once)
    monkeypatch.setattr(jsonl_bulk, "_OF_A_WORD", 1)
    path = tmp_path / "in.jsonl"
    content = [
        {"hospital": [{"value": f"H{number % 5000}" * 9, "disease": [str(number)]}]}
        | ({"treatment": ["é\n"]} if number % 7 == 0 else {})
        for number in range(300 if at_once < 100 else 9000)
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in content))
    assert same(*both_ways(path))


def test_what_is_no_utf_8_is_told_with_its_line(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        b'{"hospital":["H1"]}\n' * 100 + b'{"hospital":["\xff"]}\n{"disease":["Flu"]}\n'
    )
    one, other = both_ways(path)
    assert one == other
    assert "line 101" in one


def test_equal_lines_of_a_release_count_alike(tmp_path):
    path = tmp_path / "in.jsonl"
    plain, closer = PLAIN[2], '{"hospital":["H1","H1"]}'
    path.write_text("\n".join([plain, closer, plain, closer, closer]) + "\n")
    (one, counts), (other, in_bulk) = both_ways(path, Keys(published=True), jsonl.read_distinct)
    assert (one.size, counts.tolist()) == (2, [2, 3])
    assert (other.size, in_bulk.tolist()) == (3, [1, 3, 1])
