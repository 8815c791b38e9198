"""PostgreSQL itself: its types, snapshots, rights, passwords, and servers that go away."""

from __future__ import annotations

import datetime as dt
import threading
from decimal import Decimal

import pyarrow as pa
import pytest

import indistinct
from indistinct.disk.transaction import Papers, transaction
from indistinct.errors import DataError, IndistinctError, OutputError
from indistinct.io.base import Rows
from indistinct.io.databases.address import place_of
from indistinct.io.databases.registry import connect
from indistinct.io.databases.tables import TableSource, table_sinks
from indistinct.running.progress import Progress, Stages
from tests.io.databases.conftest import PLAN, fill
from tests.services.postgres import SECRET, Server

pytestmark = pytest.mark.services("postgresql")

COLUMNS = {
    "small": ("int2", "7", 7, pa.int16()),
    "big": ("int8", "9000000000", 9_000_000_000, pa.int64()),
    "share": ("float8", "0.5", 0.5, pa.float64()),
    "nan": ("float8", "'NaN'", None, pa.float64()),
    "price": ("numeric(10,2)", "12.5", Decimal("12.50"), pa.decimal128(38, 2)),
    "amount": ("numeric", "12.50", Decimal("12.5"), pa.decimal128(38, 1)),
    "no_number": ("numeric", "'NaN'", None, pa.decimal128(38, 0)),
    "endless": ("numeric", "'Infinity'", "Infinity", pa.string()),
    "long": ("numeric", "1e50", "1" + "0" * 50, pa.string()),
    "yes": ("bool", "true", True, pa.bool_()),
    "day": ("date", "'2020-02-29'", dt.date(2020, 2, 29), pa.date32()),
    "hour": ("time", "'10:30'", dt.time(10, 30), pa.time64("us")),
    "moment": (
        *("timestamp", "'2020-02-29 10:30:00.5'"),
        *(dt.datetime(2020, 2, 29, 10, 30, 0, 500_000), pa.timestamp("us")),  # noqa: DTZ001
    ),
    "instant": (
        *("timestamptz", "'2020-02-29 10:30:00+02'"),
        *(dt.datetime(2020, 2, 29, 8, 30, tzinfo=dt.UTC), pa.timestamp("us", "UTC")),
    ),
    "word": ("varchar(9)", "'Zoë '", "Zoë ", pa.string()),
    "padded": ("char(5)", "'ab'", "ab", pa.string()),
    "bytes": ("bytea", r"'\x00ff'", b"\x00\xff", pa.binary()),
    "document": ("json", """'{"a": 1}'""", '{"a": 1}', pa.string()),
    "binary_document": ("jsonb", """'{"a":1}'""", '{"a": 1}', pa.string()),
    "number_list": ("int4[]", "'{1,NULL,3}'", "{1,NULL,3}", pa.string()),
    "key": (
        *("uuid", "'00000000-0000-0000-0000-000000000001'"),
        *("00000000-0000-0000-0000-000000000001", pa.string()),
    ),
    "mood": ("mood", "'sad'", "sad", pa.string()),
    "postcode": ("postcode", "'02139'", "02139", pa.string()),
    "fee": ("fee", "1.5", Decimal("1.5"), pa.decimal128(38, 1)),
    "span": ("interval", "'1 day'", "1 day", pa.string()),
    "host": ("inet", "'10.0.0.1'", "10.0.0.1", pa.string()),
    "range": ("int4range", "'[1,5)'", "[1,5)", pa.string()),
    "pair": ("pair", "'(1,x)'", "(1,x)", pa.string()),
    "oid": ("oid", "4294967295", "4294967295", pa.string()),
}


@pytest.fixture
def typed(postgres):
    """A table with a column of every type, a row of values and a row of nulls."""
    columns = ", ".join(f'"{name}" {kind}' for name, (kind, *_) in COLUMNS.items())
    values = ", ".join(value for _, value, *_ in COLUMNS.values())
    postgres.run(
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE TYPE pair AS (a int, b text)",
        "CREATE DOMAIN code AS varchar(5)",
        "CREATE DOMAIN postcode AS code CHECK (value ~ '^[0-9]+$')",
        "CREATE DOMAIN fee AS numeric(6,1)",
        f"CREATE TABLE typed ({columns})",
        f"INSERT INTO typed VALUES ({values})",
        f"INSERT INTO typed VALUES ({', '.join(['NULL'] * len(COLUMNS))})",
    )
    return postgres


def test_every_type_comes_as_a_file_would_give_it(typed):
    rows = TableSource(place_of(typed.url("typed"))).read()
    for name, (_, _, value, kind) in COLUMNS.items():
        assert (name, rows.column(name).to_pylist()) == (name, [value, None])
        assert (name, rows.schema.field(name).type) == (name, kind)


def test_every_type_that_is_published_is_read_back_as_it_was(typed):
    rows = TableSource(place_of(typed.url("typed"))).read()
    sinks = table_sinks([place_of(typed.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        back = drafted.publish([Rows.all_of(rows)], lambda read: read[0])
    assert back.to_pydict() == rows.to_pydict()
    kinds = dict(
        typed.run(
            "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"WHERE attrelid = '{typed.schema}.release'::regclass AND attnum > 0"
        )
    )
    assert (kinds["small"], kinds["price"]) == ("smallint", "numeric(38,2)")
    assert (kinds["instant"], kinds["mood"]) == ("timestamp with time zone", "text")


def test_endless_dates_are_a_fault(postgres):
    postgres.run("CREATE TABLE people (day date)", "INSERT INTO people VALUES ('infinity')")
    plan = {
        "columns": {"day": {"role": "quasi", "hierarchy": "flat"}},
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    with pytest.raises(DataError, match=r"column 'day': its values .* outside the years 1 to 9999"):
        indistinct.anonymize(postgres.url("people"), plan)


def test_ranges_are_published_as_text_and_counts_as_numbers(postgres):
    fill(postgres)
    postgres.run("ALTER TABLE people ADD visits int DEFAULT 3")
    plan = PLAN | {"columns": PLAN["columns"] | {"visits": {"role": "other"}}}
    indistinct.anonymize_file(postgres.url("people"), plan, postgres.url("release"))
    kinds = postgres.run(
        "SELECT column_name::text, data_type::text FROM information_schema.columns "
        f"WHERE table_schema = '{postgres.schema}' AND table_name = 'release'"
    )
    assert dict(kinds) == {"zip": "text", "age": "text", "ill": "text", "visits": "integer"}


def test_a_table_is_read_in_one_snapshot_that_writes_nothing(postgres):
    fill(postgres)
    address = place_of(postgres.url("people"))
    connection = connect(address)
    assert connection.kind_of(address.table) == "table"
    postgres.run("DELETE FROM people")
    rows = connection.read(address.table, ["zip"])
    with pytest.raises(connection.errors):
        connection.run("CREATE TABLE x ()")
    connection.close()
    assert rows.num_rows == 6
    assert TableSource(address).read().num_rows == 0


def test_rows_are_written_in_the_order_of_the_release(postgres):
    rows = pa.table({"x": list(range(1000))})
    order = [(7 * number) % 1000 for number in range(1000)]
    sinks = table_sinks([place_of(postgres.url("release"))])
    with transaction(Stages(Progress()), sinks, Papers()) as drafted:
        drafted.publish([Rows.all_of(rows.take(order))], len)
    assert [x for (x,) in postgres.run("SELECT x FROM release ORDER BY ctid")] == order


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"port": 1}, "no server answers there. Check host and port"),
        ({"database": "nothing"}, "there is no such database"),
        ({"user": "nobody_here"}, "there is no such user"),
        ({"table": "nowhere.people"}, "there is no table nowhere.people. No table can be seen"),
        ({"user": "needs_password"}, "it needs a password, or another one. Set PGPASSWORD"),
        ({"extra": "&sslmode=odd"}, "not one that PostgreSQL knows"),
        ({"extra": "&service=nowhere"}, "there is no such service"),
    ],
)
def test_what_is_not_there_is_one_fault(postgres, monkeypatch, change, problem):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    fill(postgres)
    url = Server(postgres.server.folder, change.get("port", postgres.server.port)).url(
        change.get("table", f"{postgres.schema}.people"),
        change.get("user", "postgres"),
        change.get("database", "postgres"),
    )
    with pytest.raises(DataError, match=problem) as told:
        indistinct.assess(url + change.get("extra", ""))
    assert len(told.value.faults) == 1


def as_user(postgres, user, table):
    return postgres.server.url(f"{postgres.schema}.{table}", user)


def test_rights_to_read_to_create_and_to_replace(postgres):
    fill(postgres)
    schema = postgres.schema
    postgres.run(
        f"GRANT USAGE ON SCHEMA {schema} TO reader, stranger",
        f"GRANT CREATE ON SCHEMA {schema} TO stranger",
        "GRANT SELECT ON people TO reader",
        "CREATE TABLE release (x int)",
    )
    no_right = "you have no permission to do that. Ask the owner"
    with pytest.raises(DataError, match=no_right):
        indistinct.assess(as_user(postgres, "stranger", "people"))
    source = as_user(postgres, "reader", "people")
    for user, table in (("reader", "new"), ("stranger", "release")):
        with pytest.raises(OutputError, match=no_right):
            indistinct.anonymize_file(source, PLAN, as_user(postgres, user, table))
    indistinct.anonymize_file(source, PLAN, as_user(postgres, "stranger", "new"))
    assert postgres.names() == ["new", "people", "release"]
    granted = "SELECT coalesce(relacl::text, '') FROM pg_class WHERE relname = 'new'"
    assert postgres.run(granted) == [("",)]


def test_what_others_depend_on_is_not_dropped(postgres):
    fill(postgres)
    postgres.run("CREATE TABLE release (x int)", "CREATE VIEW seen AS SELECT x FROM release")
    with pytest.raises(OutputError, match="views or keys depend on the old release"):
        indistinct.anonymize_file(postgres.url("people"), PLAN, postgres.url("release"))
    with pytest.raises(OutputError, match="there is no such schema"):
        indistinct.anonymize_file(
            postgres.url("people"), PLAN, postgres.server.url("nowhere.release")
        )


def test_names_that_would_be_cut_off_are_refused(postgres):
    fill(postgres)
    with pytest.raises(OutputError, match="its name is longer than 63 bytes"):
        indistinct.anonymize_file(postgres.url("people"), PLAN, postgres.url("r" * 64))
    rows = Rows.all_of(pa.table({"ö" * 32: ["x"]}))
    sinks = table_sinks([place_of(postgres.url("release"))])
    with (
        pytest.raises(DataError, match="cuts names off after 63 bytes"),
        transaction(Stages(Progress()), sinks, Papers()) as drafted,
    ):
        drafted.publish([rows], len)


def test_text_that_cannot_be_held_is_told_without_it(postgres):
    sinks = table_sinks([place_of(postgres.url("release"))])
    with (
        pytest.raises(OutputError, match="some text holds a NUL character") as told,
        transaction(Stages(Progress()), sinks, Papers()) as drafted,
    ):
        drafted.publish([Rows.all_of(pa.table({"x": ["Ann\0"]}))], len)
    assert "Ann" not in str(told.value)


def test_the_same_table_by_another_address_is_the_same(postgres):
    fill(postgres)
    other = postgres.url("people").replace("127.0.0.1:", "localhost:") + "&hostaddr=127.0.0.1"
    with pytest.raises(OutputError, match="the output is an input"):
        indistinct.anonymize_file(postgres.url("people"), PLAN, other)


@pytest.mark.parametrize("way", ["PGPASSWORD", "PGPASSFILE", "service", "env"])
def test_passwords_come_from_the_environment_and_are_nowhere_else(
    postgres, monkeypatch, tmp_path, way, caplog
):
    fill(postgres)
    schema = postgres.schema
    postgres.run(
        f"GRANT USAGE, CREATE ON SCHEMA {schema} TO needs_password",
        "GRANT SELECT ON people TO needs_password",
    )
    server = postgres.server
    source, out = (as_user(postgres, "needs_password", table) for table in ("people", "release"))
    if way == "PGPASSWORD":
        monkeypatch.setenv("PGPASSWORD", SECRET)
    elif way == "PGPASSFILE":
        (tmp_path / "passes").write_text(f"*:*:*:*:{SECRET}\n")
        (tmp_path / "passes").chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passes"))
    elif way == "service":
        (tmp_path / "services").write_text(
            f"[ours]\nhost=127.0.0.1\nport={server.port}\ndbname=postgres\n"
            f"user=needs_password\npassword={SECRET}\n"
        )
        monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
        source, out = (
            f"postgresql:///?service=ours&table={schema}.{table}" for table in ("people", "release")
        )
    else:
        url = server.url(user=f"needs_password:{SECRET}")
        monkeypatch.setenv("OURS", url)
        source, out = (f"env:OURS?table={schema}.{table}" for table in ("people", "release"))
    (tmp_path / "papers").mkdir()
    papers = {
        name: tmp_path / "papers" / name
        for name in ("report", "report_json", "public_report", "certificate", "recoding")
    }
    release = indistinct.anonymize_file(source, PLAN, out, **papers)
    written = [path.read_text() for path in papers.values()]
    assert not [text for text in (*written, caplog.text, repr(release)) if SECRET in text]
    with pytest.raises(IndistinctError) as told:
        indistinct.assess(source.replace("people", "peopel"))
    assert SECRET not in str(told.value)


def test_a_wrong_password_in_the_environment_is_not_shown(postgres, monkeypatch):
    monkeypatch.setenv("OURS", postgres.server.url(user="needs_password:wrong-and-secret"))
    with pytest.raises(DataError, match=r"env:OURS.*: it needs a password, or another") as told:
        indistinct.assess("env:OURS?table=people")
    assert "secret" not in str(told.value)


def test_a_connection_that_drops_half_way_leaves_the_old_release(postgres, monkeypatch):
    fill(postgres)
    postgres.run("CREATE TABLE release (x int)", "INSERT INTO release VALUES (7)")
    from indistinct.pipeline import Work

    check = Work.check

    def drop(work, rows):
        postgres.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND state = 'idle in transaction' AND query LIKE '%indistinct_draft%'"
        )
        return check(work, rows)

    with monkeypatch.context() as patched:
        patched.setattr(Work, "check", drop)
        with pytest.raises(OutputError, match=r"the connection was lost. Nothing was changed"):
            indistinct.anonymize_file(postgres.url("people"), PLAN, postgres.url("release"))
    assert postgres.run("SELECT x FROM release") == [(7,)]
    assert postgres.names() == ["people", "release"]


@pytest.fixture
def own(tmp_path):
    """A server that a test may do anything to."""
    server = Server.start(tmp_path / "own")
    yield server
    server.stop()


def test_a_server_that_does_not_say_which_it_is(own):
    own.run(
        "CREATE TABLE people (zip text, age int, ill text, name text)",
        "INSERT INTO people SELECT '22030', n % 3, 'flu', 'Ann' FROM generate_series(1, 60) n",
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
        "GRANT CREATE ON SCHEMA public TO reader",
        "GRANT SELECT ON people TO reader",
    )
    people = own.url("people", user="reader")
    indistinct.anonymize_file(people, PLAN, own.url("release", user="reader"))
    with pytest.raises(OutputError, match="the output is an input"):
        indistinct.anonymize_file(people, PLAN, people)


def test_a_killed_server_keeps_the_old_release_and_no_draft(own, monkeypatch):
    own.run(
        "CREATE TABLE people (zip text, age int, ill text, name text)",
        "INSERT INTO people SELECT '22030', n % 3, 'flu', 'Ann' FROM generate_series(1, 60) n",
        "CREATE TABLE release (x int)",
        "INSERT INTO release VALUES (7)",
    )
    from indistinct.pipeline import Work

    check = Work.check

    def kill(work, rows):
        own.kill()
        return check(work, rows)

    with monkeypatch.context() as patched:
        patched.setattr(Work, "check", kill)
        with pytest.raises(IndistinctError):
            indistinct.anonymize_file(own.url("people"), PLAN, own.url("release"))
    own.resume()
    names = "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    assert own.run("SELECT x FROM release") == [(7,)]
    assert sorted(own.run(names)) == [("people",), ("release",)]
    indistinct.anonymize_file(own.url("people"), PLAN, own.url("release"))
    assert own.run("SELECT count(*) FROM release") == [(60,)]


def test_two_runs_at_once_end_with_one_whole_release(postgres):
    fill(postgres)
    waiting, both = threading.Barrier(2), []

    def publish(value):
        sinks = table_sinks([place_of(postgres.url("release"))])
        rows = Rows.all_of(pa.table({"x": [value] * 100}))
        try:
            with transaction(Stages(Progress()), sinks, Papers()) as drafted:
                drafted.publish([rows], len)
                waiting.wait(60)
            both.append("whole")
        except OutputError as error:
            both.append(error.faults[0].problem)

    for first in (True, False):  # with no old release, and with one
        both.clear()
        threads = [threading.Thread(target=publish, args=(value,)) for value in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        late = {"somebody published there meanwhile"} if first else set()
        assert "whole" in both
        assert set(both) <= {"whole", *late}
        ((counts, kinds),) = postgres.run("SELECT count(*), count(DISTINCT x) FROM release")
        assert (counts, kinds) == (100, 1)
    assert postgres.names() == ["people", "release"]


def test_a_release_that_somebody_reads_for_long_is_not_waited_for_forever(postgres, monkeypatch):
    fill(postgres)
    postgres.run("CREATE TABLE release (x int)")
    monkeypatch.setattr(
        "indistinct.io.databases.postgres._WRITING", ("SET LOCAL lock_timeout = '50ms'",)
    )
    reader = connect(place_of(postgres.url("release")))
    reader.read(place_of(postgres.url("release")).table, ["x"])
    with pytest.raises(OutputError, match=r"somebody is using the old release. Run it again"):
        indistinct.anonymize_file(postgres.url("people"), PLAN, postgres.url("release"))
    reader.close()
    indistinct.anonymize_file(postgres.url("people"), PLAN, postgres.url("release"))
