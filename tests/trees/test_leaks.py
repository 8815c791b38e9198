"""A release that holds more than its plan publishes does not hold, in any format."""

from __future__ import annotations

import json

import pyarrow.csv as pc
import pytest

from indistinct.errors import DoesNotHoldError
from indistinct.trees import anonymize_file, verify
from tests.trees.test_certificate import made, plan  # noqa: F401 - a fixture

KEYS = {"keys": {"ssn": "identifier", "year": "other"}}


def refused(release, asked, **more):
    with pytest.raises(DoesNotHoldError) as caught:
        verify(release, asked, **more)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("name", "which the plan does not know"),
        ("ssn", "which the plan calls an identifier and does not release"),
        ("Sex", "which the plan does not know"),
    ],
)
def test_a_key_added_to_a_record(made, key, why):  # noqa: F811
    release, _, _ = made("jsonl", **KEYS)
    assert verify(release, plan(**KEYS)).records == 5
    records = [json.loads(line) for line in release.read_text().splitlines()]
    records[2][key] = "Ann Lee"
    release.write_text("".join(json.dumps(record) + "\n" for record in records))
    told = f"{release}, line 3: it holds a key {key!r}, {why}."
    remedy = "Do not publish it: take it out, or make the release again."
    assert refused(release, plan(**KEYS)) == [f"{told} {remedy}"]
    assert refused(records, plan(**KEYS)) == [f"record 3: it holds a key {key!r}, {why}. {remedy}"]


def test_a_key_added_inside_a_node(made):  # noqa: F811
    release, _, _ = made("jsonl")
    lines = release.read_text().splitlines(keepends=True)
    lines[1] = '{"hospital": {"value": "North", "doctor": "Ann Lee"}}\n'
    release.write_text("".join(lines))
    [told] = refused(release, plan())
    assert f"{release}, line 2: it holds a key 'doctor'" in told
    assert "Ann Lee" not in told


@pytest.mark.parametrize(
    ("added", "what"),
    [
        ("<name>Ann Lee</name>", "an element <name>"),
        ('<sex value="f" name="Ann Lee"/>', "an attribute 'name' of <sex>"),
        ('<sex value="f">Ann Lee</sex>', "text that is not a value"),
        ("Ann Lee", "text that is not a value"),
        ("<!-- Ann Lee -->", "a comment"),
        ("<?name Ann Lee?>", "an instruction"),
    ],
)
def test_something_added_to_an_element(made, added, what):  # noqa: F811
    release, _, _ = made("xml")
    assert verify(release, plan("xml")).records == 5
    lines = release.read_text().splitlines(keepends=True)
    lines[3] = lines[3].replace("</record>", f"{added}</record>")
    release.write_text("".join(lines))
    [told] = refused(release, plan("xml"))
    assert f"{release}, line 4: it holds {what}, which the plan does not know" in told
    assert "Ann Lee" not in told


@pytest.mark.parametrize("line", [1, 2])
def test_an_attribute_added_to_a_record_or_the_root(made, line):  # noqa: F811
    release, _, _ = made("xml")
    lines = release.read_text().splitlines(keepends=True)
    lines[line] = lines[line].replace(">", ' name="Ann Lee">', 1)
    release.write_text("".join(lines))
    [told] = refused(release, plan("xml"))
    assert f"line {line + 1}: it holds an attribute 'name'" in told


@pytest.mark.parametrize("table", ["people.csv", "stays.csv"])
def test_a_column_added_to_a_table(made, table):  # noqa: F811
    release, _, _ = made("tables")
    assert verify(release, plan("tables")).records == 5
    rows = pc.read_csv(release / table)
    rows = rows.append_column("ssn", [["Ann Lee"] * rows.num_rows])
    pc.write_csv(rows, release / table)
    [told] = refused(release, plan("tables"))
    assert told.startswith(f"{table}: it holds a column 'ssn', which the plan does not know")


@pytest.mark.parametrize("key", ["Ann Lee", "078-05-1120", "4711", "0", "-1", "01", "2.0"])
@pytest.mark.parametrize("frames", [False, True])
def test_a_key_of_a_table_that_is_not_new(made, key, frames):  # noqa: F811
    """A key of a release is the number of a row: all else may name somebody."""
    release, _, _ = made("tables")
    empty = pc.ConvertOptions(strings_can_be_null=True)
    tables = {
        name: pc.read_csv(release / f"{name}.csv", convert_options=empty)
        for name in ("people", "stays")
    }
    assert verify(tables if frames else release, plan("tables")).records == 5
    for name, table in tables.items():
        keys = [key if one == 2 else str(one) for one in table["name"].to_pylist()]
        tables[name] = table.set_column(0, "name", [keys])
        pc.write_csv(tables[name], release / f"{name}.csv")
    people, stays = refused(tables if frames else release, plan("tables"))
    place = "table 'people', row 2" if frames else "people.csv, row 2"
    assert people.startswith(f"{place}: column 'name' holds what is not a key of a release")
    assert "stays" in stays
    assert key not in people.removeprefix(place) or len(key) == 1


def test_records_with_misspelt_classes_do_not_hold(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"Hospital": "North", "sex": "f"}\n' * 3)
    told = refused(tmp_path / "in.jsonl", plan())
    assert len(told) == 3
    assert "line 1: it holds a key 'Hospital'" in told[0]


def test_a_certified_release_with_a_name_does_not_hold(made):  # noqa: F811
    """Even where the hash in the certificate was made to fit."""
    import hashlib

    release, path, content = made("jsonl")
    lines = release.read_text().splitlines(keepends=True)
    lines[0] = lines[0].replace("{", '{"name": "Ann Lee", ', 1)
    release.write_text("".join(lines))
    content["output"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    path.write_text(json.dumps(content))
    [told] = refused(release, None, certificate=path)
    assert "line 1: it holds a key 'name'" in told


def test_a_released_key_is_no_leak(tmp_path):
    people = [{"sex": "f", "year": 1980, "ssn": "1"}, {"sex": "f", "year": 1981, "ssn": "2"}] * 2
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    anonymize_file(tmp_path / "in.jsonl", plan(**KEYS), tmp_path / "out.jsonl")
    assert verify(tmp_path / "out.jsonl", plan(**KEYS)).records == 4
