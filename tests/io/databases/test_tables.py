"""What holds in every kind of database: read like a file, published whole or not at all."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import indistinct
from indistinct.disk.transaction import Papers, transaction
from indistinct.errors import DataError, DoesNotHoldError, IndistinctError, OutputError
from indistinct.io.base import Rows
from indistinct.io.content import content_hash
from indistinct.io.databases.address import place_of
from indistinct.io.databases.tables import TableSource, table_sinks
from indistinct.io.opening import source_of
from indistinct.plan import Input
from indistinct.running.progress import Progress, Stages
from tests.io.databases.conftest import PEOPLE, PLAN, fill

ODD = pa.table({'a "b"': ["x", None], "Größe (cm)": [1, 2], "select": ["1%", "%(x)s"]})


def published(place, table, rows, **more):
    """Publish rows in a table by the steps of every verb."""
    sinks = table_sinks([place_of(place.url(table))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        return drafted.publish([Rows.all_of(rows)], lambda back: back[0], **more)


def test_a_table_is_read_as_any_source(place):
    fill(place)
    source = source_of(place.url("people"), Input(missing=("22045",)))
    assert source.column_names() == PEOPLE.column_names
    rows = source.read()
    assert rows.column("zip").to_pylist() == ["22030", "22030", "22032", "22032", None, None]
    assert rows.drop_columns("zip").to_pydict() == PEOPLE.drop_columns("zip").to_pydict()
    assert source.read(["ill", "zip"]).column_names == ["ill", "zip"]
    assert source.options == {"missing"}


def test_rows_come_back_as_they_were_written(place):
    back = published(place, "release", ODD)
    assert back.to_pydict() == ODD.to_pydict()
    assert TableSource(place_of(place.url("release"))).read().to_pydict() == ODD.to_pydict()
    assert place.names() == ["release"]


def test_a_release_from_table_to_table(place, tmp_path):
    fill(place)
    certificate, report = tmp_path / "c.json", tmp_path / "r.html"
    papers = {"certificate": certificate, "report": report}
    by_file = tmp_path / "release.parquet"
    for _ in range(2):  # the second takes the place of the first
        release = indistinct.anonymize_file(
            place.url("people"), PLAN, place.url("release"), **papers
        )
    assert place.names() == ["people", "release"]
    rows = TableSource(place_of(place.url("release"))).read()
    indistinct.anonymize_file(place.url("people"), PLAN, by_file)
    assert rows.to_pydict() == read_as_file(by_file)
    assert rows.column_names == ["zip", "age", "ill"]
    verified = indistinct.verify(place.url("release"), certificate=certificate)
    assert verified.released_rows == release.summary()["released_rows"] == rows.num_rows
    assert indistinct.verify(place.url("release"), PLAN).released_rows == rows.num_rows
    stated = json.loads(certificate.read_text())
    assert stated["output"]["format"] == "table"
    assert stated["output"]["sha256"] == stated["output"]["content"] == content_hash(rows)
    assert "127.0.0.1" not in certificate.read_text()
    assert report.exists()


def read_as_file(path):
    return source_of(path, Input()).read().to_pydict()


def test_a_release_that_was_changed_does_not_hold(place, tmp_path):
    fill(place)
    certificate = tmp_path / "c.json"
    indistinct.anonymize_file(
        place.url("people"), PLAN, place.url("release"), certificate=certificate
    )
    place.run("UPDATE release SET ill = 'cold' WHERE ill = 'gout'")
    with pytest.raises(DoesNotHoldError, match="changed after it was certified"):
        indistinct.verify(place.url("release"), certificate=certificate)


def test_a_certificate_of_a_table_is_for_a_file_of_its_rows(place, tmp_path):
    fill(place)
    certificate, path = tmp_path / "c.json", tmp_path / "x.parquet"
    indistinct.anonymize_file(
        place.url("people"), PLAN, place.url("release"), certificate=certificate
    )
    assert indistinct.verify(place.url("release"), certificate=certificate).same_file
    rows = TableSource(place_of(place.url("release"))).read()
    pq.write_table(rows.take(list(reversed(range(rows.num_rows)))), path)
    assert indistinct.verify(path, certificate=certificate).same_file is False
    pq.write_table(rows.slice(1), path)
    with pytest.raises(DoesNotHoldError, match="the hash of its rows is"):
        indistinct.verify(path, certificate=certificate)


def test_a_certificate_of_a_file_is_for_a_table_of_its_rows(place, tmp_path):
    fill(place)
    certificate, path = tmp_path / "c.json", tmp_path / "x.csv"
    indistinct.anonymize_file(place.url("people"), PLAN, path, certificate=certificate)
    indistinct.anonymize_file(place.url("people"), PLAN, place.url("release"))
    assert indistinct.verify(place.url("release"), certificate=certificate).same_file is False
    stated = json.loads(certificate.read_text())
    del stated["output"]["content"]
    certificate.write_text(json.dumps(stated))
    with pytest.raises(DataError, match="no hash of the rows"):
        indistinct.verify(place.url("release"), certificate=certificate)


def test_buckets_are_published_in_two_tables_at_once(place):
    fill(place)
    plan = PLAN | {
        "method": {"name": "anatomy"},
        "require": [{"model": "l-diversity", "l": 2, "kind": "distinct"}],
        "seed": 7,
    }
    out, sensitive = place.url("people_release"), place.url("ills")
    indistinct.anonymize_file(place.url("people"), plan, out, sensitive_out=sensitive)
    assert place.names() == ["ills", "people", "people_release"]
    assert indistinct.verify(out, plan, sensitive_table=sensitive).released_rows


@pytest.mark.parametrize("step", ["write", "read_back", "secure", "check"])
def test_what_fails_leaves_the_old_release_and_no_draft(place, monkeypatch, tmp_path, step):
    fill(place)
    place.run("CREATE TABLE release (x integer)", "INSERT INTO release VALUES (7)")

    def fail(*_):
        raise DoesNotHoldError([])

    target = "indistinct.pipeline.Work.check"
    if step != "check":
        target = f"indistinct.io.databases.tables.TableSink.{step}"
    monkeypatch.setattr(target, fail)
    report = tmp_path / "r.html"
    with pytest.raises(IndistinctError):
        indistinct.anonymize_file(place.url("people"), PLAN, place.url("release"), report=report)
    assert place.run("SELECT x FROM release") == [(7,)]
    assert place.names() == ["people", "release"]
    assert not report.exists()


def test_a_paper_that_cannot_be_written_keeps_the_table_back(place, monkeypatch, tmp_path):
    fill(place)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("indistinct.disk.drafts._made_safe", full)
    with pytest.raises(OutputError, match="no space left"):
        indistinct.anonymize_file(
            place.url("people"), PLAN, place.url("release"), report=tmp_path / "r.html"
        )
    assert "release" not in place.names()


def test_the_private_table_is_never_replaced(place):
    fill(place)
    with pytest.raises(OutputError, match="the output is an input"):
        indistinct.anonymize_file(place.url("people"), PLAN, place.url("people"))


def test_a_view_is_read_and_never_replaced(place):
    fill(place)
    place.run("CREATE VIEW seen AS SELECT zip, age FROM people WHERE zip < '22045'")
    assert TableSource(place_of(place.url("seen"))).read().num_rows == 4
    with pytest.raises(OutputError, match=r"seen is a view, which is never replaced. Name another"):
        indistinct.anonymize_file(place.url("people"), PLAN, place.url("seen"))


def test_no_such_table_names_the_closest(place):
    fill(place)
    with pytest.raises(DataError, match=r"there is no table .*peopel. Closest: 'people'"):
        indistinct.anonymize(place.url("peopel"), PLAN)


def test_no_such_column(place):
    fill(place)
    plan = PLAN | {"columns": PLAN["columns"] | {"zipp": {"role": "quasi", "hierarchy": "flat"}}}
    with pytest.raises(
        IndistinctError, match=r"no column 'zipp', which the plan names. Closest: 'zip'"
    ):
        indistinct.anonymize(place.url("people"), plan)


def test_values_that_no_database_holds_are_a_fault_by_column(place):
    rows = pa.table({"a": [[1], [2]], "b": ["x", "y"]})
    with pytest.raises(DataError, match=r"column 'a': no database column .* list.*int64") as told:
        published(place, "release", rows)
    assert len(told.value.faults) == 1


def test_an_empty_table_has_no_rows(place):
    place.run("CREATE TABLE none (zip text, age integer)")
    assert TableSource(place_of(place.url("none"))).read().num_rows == 0
    with pytest.raises(DataError, match="no rows"):
        indistinct.suggest_plan(place.url("none"))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_hash_of_a_table_knows_no_order(seed):
    order = [5, 0, 3, 1, 4, 2] if seed == 1 else [1, 2, 3, 4, 5, 0]
    assert content_hash(PEOPLE) == content_hash(PEOPLE.take(order))
    assert content_hash(PEOPLE) != content_hash(PEOPLE.take([0, 0, *order[2:]]))
    bytes_too = pa.table({"x": [b"\xff", None, b"a"]})
    assert content_hash(bytes_too) == content_hash(bytes_too.take([2, 0, 1]))
    assert content_hash(pa.table({})) == content_hash(pa.table({}))
