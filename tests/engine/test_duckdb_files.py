"""Files that DuckDB counts and rewrites: the whole way from the command to what is left behind."""

from __future__ import annotations

import json
import stat
import sys
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from indistinct import anonymize_file, verify
from indistinct.datasets import census
from indistinct.disk.drafts import sweep
from indistinct.engine import choosing
from indistinct.engine import duckdb as engine
from indistinct.errors import DataError, DoesNotHoldError, IndistinctError, PlanError

K = {"model": "k-anonymity", "k": 3}
L = {"model": "l-diversity", "l": 2}
QUASI = ("age", "gender", "marital", "country")


def plan(**more):
    columns = {name: {"role": "quasi"} for name in QUASI}
    columns |= {"occupation": {"role": "sensitive"}, "salary": {"role": "other"}}
    return {
        "columns": columns,
        "unlisted": "drop",
        "require": [{"model": "k-anonymity", "k": 3}],
        "limits": {"suppression": 0.05},
        "method": {"name": "optimal"},
        "seed": 7,
        "engine": {"name": "duckdb"},
        **more,
    }


def people(rows=400):
    """People with a missing value here and there in every column."""
    table = census(rows, seed=5)
    holes = [
        pa.array([None if (i + 7 * place) % 29 == 0 else v for i, v in enumerate(column)])
        for place, column in enumerate(table.to_pydict().values())
    ]
    return pa.table(dict(zip(table.column_names, holes, strict=True)))


def rows_of(table):
    names = sorted(table.column_names)
    return Counter(tuple(row[name] for name in names) for row in table.to_pylist())


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(people(), path)
    return path


PARTING = {
    "hilbert": {},
    "k-member": {},
    "ac": {"accuracy": {"max_ncp": 0.8}},
    "ipcsd": {"accuracy": {"max_ncp": 1.0}},
    "diversify": {"require": [{"model": "l-diversity", "kind": "frequency", "l": 2}]},
}
BY_ROW = {
    "cell-suppression": {},
    "cell-generalization": {},
    "k-member": {"require": [K, L]},
    "ac": {"require": [L], "accuracy": {"max_ncp": 0.8}},
}


@pytest.mark.parametrize("method", BY_ROW)
def test_rows_are_taken_apart_again_only_up_to_a_limit(tmp_path, method):
    path, out = tmp_path / "copies.parquet", tmp_path / "release.parquet"
    pq.write_table(pa.concat_tables([people(60)] * 3), path)
    asked = plan(method={"name": method}, **BY_ROW[method])
    with pytest.raises(DataError, match="each row by itself for what is asked, and 180 rows"):
        anonymize_file(path, asked | {"engine": {"name": "duckdb", "max_distinct": 179}}, out)
    assert not out.exists()
    release = anonymize_file(path, asked, out)
    assert release.verified.holds
    assert pq.read_table(out).num_rows == 180 - release.suppressed_rows


@pytest.mark.parametrize("method", ["freeform", "anatomy"])
def test_what_needs_every_row_at_hand_is_refused(tmp_path, source, method):
    asked = plan(method={"name": method}, require=[L] if method == "anatomy" else [K])
    with pytest.raises(DataError, match="needs every single row"):
        anonymize_file(source, asked, tmp_path / "release.parquet")


@pytest.mark.parametrize("method", ["optimal", "mondrian", *PARTING])
def test_a_release_is_that_of_the_rows_in_memory(tmp_path, source, method):
    """Where copies of a row part, which of them goes where is drawn anew on each engine."""
    out, other = tmp_path / "engine.parquet", tmp_path / "local.parquet"
    asked = plan(method={"name": method}, **PARTING.get(method, {}))
    on_engine = anonymize_file(source, asked, out)
    local = anonymize_file(source, asked | {"engine": {"name": "local"}}, other)
    assert on_engine.levels == local.levels
    assert on_engine.suppressed_rows == local.suppressed_rows
    assert on_engine.measures.gcp == pytest.approx(local.measures.gcp)
    written, expected = pq.read_table(out), pq.read_table(other)
    named = list(QUASI) if method in PARTING else expected.column_names
    assert rows_of(written.select(named)) == rows_of(expected.select(named))
    for name in ("occupation", "salary"):
        assert rows_of(written.select([name])) == rows_of(expected.select([name]))


def test_rows_are_sorted_by_what_they_show(tmp_path, source):
    out = tmp_path / "release.parquet"
    anonymize_file(source, plan(), out)
    released = pq.read_table(out)
    shown = [tuple(row.values()) for row in released.to_pylist()]
    by_name = [tuple((value is None, value) for value in row) for row in shown]
    assert by_name == sorted(by_name)


def test_papers_say_of_it_what_they_say_of_rows(tmp_path, source):
    asked, names = plan(method={"name": "mondrian"}), ("engine", "local")
    facts = []
    for name in names:
        certificate, numbers = tmp_path / f"{name}.json", tmp_path / f"{name}-report.json"
        anonymize_file(
            source,
            asked | {"engine": {"name": "duckdb" if name == "engine" else "local"}},
            tmp_path / f"{name}.parquet",
            certificate=certificate,
            report_json=numbers,
            report=tmp_path / f"{name}.html",
            public_report=tmp_path / f"{name}-public.html",
        )
        facts.append(json.loads(certificate.read_text())["release"])
        verified = verify(tmp_path / f"{name}.parquet", certificate=certificate)
        assert verified.holds is not False
    for told in facts:  # several classes may be as small as the smallest
        assert told["requirements"][0].pop("worst_class")
    assert facts[0] == facts[1]


def test_a_folder_of_files_is_one_table(tmp_path, source):
    rows = pq.read_table(source)
    folder = tmp_path / "parts"
    folder.mkdir()
    for place in range(4):
        pq.write_table(rows.slice(place * 100, 100), folder / f"{place}.parquet")
    whole, parts = tmp_path / "whole.parquet", tmp_path / "release.parquet"
    anonymize_file(source, plan(), whole)
    asked = plan()
    del asked["engine"]
    anonymize_file(folder, asked, parts)
    assert pq.read_table(whole).equals(pq.read_table(parts))


def test_csv_is_read_as_we_read_it(tmp_path):
    path = tmp_path / "people.csv"
    text = 'age;sex;zip\n" 1,5";f;00123\n1,5;"f ";"00123"\n"1,5";;00124\n1,5;;"00124"\n'
    path.write_text(text * 3, encoding="utf-8")
    columns = {name: {"role": "quasi"} for name in ("age", "sex", "zip")}
    asked = plan(columns=columns, method={"name": "mondrian"}, input={"delimiter": ";"})
    releases = []
    for name in ("duckdb", "local"):
        out = tmp_path / f"{name}.parquet"
        anonymize_file(path, asked | {"engine": {"name": name}}, out)
        releases.append(rows_of(pq.read_table(out)))
    assert releases[0] == releases[1]


def test_pseudonyms_are_those_of_the_key(tmp_path, source):
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    rows = pq.read_table(source)
    number = pa.array([f"P{i // 2}ö" if i % 11 else None for i in range(rows.num_rows)])
    pq.write_table(rows.append_column("patient", number), source)
    asked = plan()
    asked["columns"]["patient"] = {
        "role": "identifier",
        "pseudonym": {"kind": "keyed", "key": str(key)},
    }
    asked["accept"] = [{"column": "patient", "reason": "two rows each, in this test"}]
    out = []
    for name in ("duckdb", "local"):
        anonymize_file(source, asked | {"engine": {"name": name}}, tmp_path / f"{name}.parquet")
        out.append(rows_of(pq.read_table(tmp_path / f"{name}.parquet", columns=["patient"])))
    assert out[0] == out[1]
    assert sum(count for (value,), count in out[0].items() if value is None) > 0


def test_nothing_is_left_where_it_spilt(tmp_path, source, monkeypatch):
    spill = tmp_path / "spill"
    spill.mkdir()
    asked = plan(engine={"name": "duckdb", "folder": str(spill), "memory_limit": "200MB"})
    modes = []
    connected = engine.connected

    def noting(folder, *args):
        modes.append(folder.stat().st_mode & 0o777)
        return connected(folder, *args)

    monkeypatch.setattr(engine, "connected", noting)
    anonymize_file(source, asked, tmp_path / "release.parquet")
    assert modes == [0o700]
    assert list(spill.iterdir()) == []
    with pytest.raises(IndistinctError):
        anonymize_file(source, asked | {"limits": {"suppression": 0.0}, "require": [
            {"model": "k-anonymity", "k": 401}]}, tmp_path / "none.parquet")  # fmt: skip
    assert list(spill.iterdir()) == []


def test_a_source_that_changes_meanwhile_is_not_published(tmp_path, source, monkeypatch):
    out = tmp_path / "release.parquet"
    anonymize_file(source, plan(), out)
    before = out.read_bytes()
    write = engine.DuckDb.write

    def changed(self, *args):
        rows = pq.read_table(source)
        pq.write_table(pa.concat_tables([rows, rows.slice(3, 2)]), source)
        write(self, *args)

    monkeypatch.setattr(engine.DuckDb, "write", changed)
    with pytest.raises(DoesNotHoldError, match="a different number of times"):
        anonymize_file(source, plan(), out)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"suppressed": "blank"}, "suppressed: an engine cannot do this"),
        ({"method": {"name": "freeform"}}, "method.name: an engine cannot do this"),
        (
            {"publish": "permutation", "method": {"name": "mondrian"}, "require": [L]},
            "publish: an engine cannot do this",
        ),
        (
            {"engine": {"name": "duckdb", "memory_limit": "much"}},
            "'much' is not an amount of memory",
        ),
        ({"engine": {"name": "duckdb", "max_distinct": 10}}, "distinct rows"),
        ({"engine": {"name": "sparc"}}, "engine.name"),
        ({"unlisted": "error"}, "columns that the plan does not name: education"),
    ],
)
def test_what_an_engine_cannot_do_is_said_at_once(tmp_path, source, change, told):
    with pytest.raises((PlanError, DataError)) as caught:
        anonymize_file(source, plan(**change), tmp_path / "release.parquet")
    assert told in str(caught.value)


@pytest.mark.parametrize("name", ["release.csv", "release.xyz", "release"])
def test_other_formats_are_refused(tmp_path, source, name):
    with pytest.raises(IndistinctError, match="a Parquet file"):
        anonymize_file(source, plan(), tmp_path / name)


@pytest.mark.parametrize("content", [b"", b"PAR1 and nothing more", b"age,gender\n1,2,3\n"])
def test_files_that_are_none_are_told(tmp_path, content):
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        anonymize_file(path, plan(), tmp_path / "release.parquet")
    assert str(path) in str(caught.value)


def test_an_identifier_that_would_be_published_is_refused(tmp_path, source):
    rows = pq.read_table(source)
    mail = pa.array([f"p{i}@example.org" for i in range(rows.num_rows)])
    pq.write_table(rows.append_column("contact", mail), source)
    with pytest.raises(IndistinctError, match="e-mail addresses"):
        anonymize_file(source, plan(unlisted="other"), tmp_path / "release.parquet")


def test_large_numbers_of_columns_need_several_words(tmp_path):
    """Codes of twelve columns of 97 values do not fit one number of 64 bits."""
    rows = 97
    table = pa.table({f"q{i}": [f"v{(r * (i + 1)) % 97}" for r in range(rows)] for i in range(12)})
    doubled = pa.concat_tables([table, table])
    path = tmp_path / "wide.parquet"
    pq.write_table(doubled, path)
    columns = {name: {"role": "quasi", "hierarchy": "flat"} for name in table.column_names}
    asked = plan(columns=columns, method={"name": "mondrian"}, require=[
        {"model": "k-anonymity", "k": 2}])  # fmt: skip
    release = anonymize_file(path, asked, tmp_path / "release.parquet")
    assert release.measures.gcp == 0
    assert rows_of(pq.read_table(tmp_path / "release.parquet")) == rows_of(doubled)


def test_csv_in_and_parquet_out(tmp_path):
    path = tmp_path / "people.csv"
    csv.write_csv(people(), path)
    out = tmp_path / "release.parquet"
    release = anonymize_file(path, plan(), out)
    assert release.verified.released_rows == pq.read_table(out).num_rows


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(choosing, "SHARE", 0.0)


@pytest.mark.usefixtures("everything_is_large")
def test_a_large_release_is_verified_by_counts(tmp_path, source, monkeypatch):
    out, certificate = tmp_path / "release.parquet", tmp_path / "certificate.json"
    asked = plan(require=[{"model": "k-anonymity", "k": 3}, L], method={"name": "mondrian"})
    released = anonymize_file(source, asked, out, certificate=certificate)
    monkeypatch.setattr("indistinct.verbs.verify.opened_release", None)  # nothing reads its rows
    for verified in (verify(out, asked), verify(out, certificate=certificate)):
        assert [part.measured for part in verified.evidence] == [
            part.measured for part in released.evidence
        ]
        assert verified.released_rows == released.verified.released_rows


@pytest.mark.usefixtures("everything_is_large")
def test_a_large_release_that_breaks_its_promise(tmp_path, source):
    out, certificate = tmp_path / "release.parquet", tmp_path / "certificate.json"
    anonymize_file(source, plan(), out, certificate=certificate)
    with pytest.raises(DoesNotHoldError, match="k-anonymity"):
        verify(out, plan(require=[{"model": "k-anonymity", "k": 200}]))
    rows = pq.read_table(out)
    pq.write_table(rows.slice(1), out)
    with pytest.raises(DoesNotHoldError, match="SHA-256"):
        verify(out, certificate=certificate)
    pq.write_table(rows.append_column("name", rows.column("occupation")), out)
    with pytest.raises(DoesNotHoldError, match="'name', which the plan does not know"):
        verify(out, plan(unlisted="error"))


def test_a_release_of_several_files_is_verified(tmp_path, source):
    out, folder = tmp_path / "release.parquet", tmp_path / "parts"
    anonymize_file(source, plan(), out)
    folder.mkdir()
    rows = pq.read_table(out)
    for place in range(3):
        pq.write_table(rows.slice(place * 150, 150), folder / f"{place}.parquet")
    assert verify(folder, plan()).released_rows == rows.num_rows


def test_without_duckdb_it_is_said_how_to_get_it(tmp_path, source, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(PlanError, match=r"DuckDB is not installed\. Run: pip install duckdb"):
        anonymize_file(source, plan(), tmp_path / "release.parquet")
    monkeypatch.setattr(choosing, "SHARE", 0.0)
    anonymize_file(source, plan(engine={"name": "auto"}), tmp_path / "release.parquet")


def test_a_folder_to_spill_to_must_be_there(tmp_path, source):
    asked = plan(engine={"name": "duckdb", "folder": str(tmp_path / "none")})
    with pytest.raises(PlanError, match=r"engine\.folder: no folder can be made there"):
        anonymize_file(source, asked, tmp_path / "release.parquet")


def test_the_draft_is_the_locked_file_that_only_its_owner_reads(tmp_path, source, monkeypatch):
    """Another run in the same folder would take a file without a lock for one of a killed run."""
    drafts = []
    read_back = engine.DuckDb.read_back

    def looking(self, draft, columns):
        drafts.append(draft.stat())
        sweep([tmp_path])
        return read_back(self, draft, columns)

    monkeypatch.setattr(engine.DuckDb, "read_back", looking)
    out = tmp_path / "release.parquet"
    anonymize_file(source, plan(), out)
    assert [stat.S_IMODE(draft.st_mode) for draft in drafts] == [0o600]
    assert out.stat().st_ino == drafts[0].st_ino
