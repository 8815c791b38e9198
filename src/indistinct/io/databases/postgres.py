"""PostgreSQL, through ADBC: read by COPY in one snapshot, written by COPY in one transaction.

Columns come in the types that Arrow has; all others as the text that PostgreSQL itself writes, as
in a file that it exports: json, uuid, enums, arrays, ranges, intervals, addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.databases.adbc import AdbcConnection
from indistinct.io.databases.address import TableName
from indistinct.io.databases.base import AGAIN, LOST, quoted
from indistinct.io.databases.values import numbers_from_text, plain_types
from indistinct.io.foreign import driver

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from indistinct.io.databases.address import Address
    from indistinct.io.databases.base import Kind

PACKAGE = "adbc-driver-postgresql"
LONGEST_NAME = 63
_WAIT = "30s"
_AS_THEY_ARE = frozenset(
    [
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "bool",
        "date",
        "timestamp",
        "timestamptz",
        "time",
        "text",
        "varchar",
        "bytea",
    ]
)
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_WRITING = (
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    f"SET LOCAL lock_timeout = '{_WAIT}'",
)
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit') = 'off'
"""
_FOUND = """
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
AND CASE WHEN $1 = '' THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $1 END
"""
_COLUMNS = f"""
WITH RECURSIVE the_table AS (SELECT c.oid {_FOUND} AND c.relname = $2 LIMIT 1),
base (number, name, type, modifier) AS (
  SELECT a.attnum, a.attname, a.atttypid, a.atttypmod
  FROM pg_catalog.pg_attribute a JOIN the_table ON a.attrelid = the_table.oid
  WHERE a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT number, name, t.typbasetype, t.typtypmod
  FROM base JOIN pg_catalog.pg_type t ON t.oid = base.type WHERE t.typtype = 'd'
)
SELECT name::text, t.typname::text, modifier
FROM base JOIN pg_catalog.pg_type t ON t.oid = base.type WHERE t.typtype <> 'd' ORDER BY number
"""  # noqa: S608 - of constants
_KINDS: dict[str, Kind] = {"r": "table", "v": "view", "m": "view"}
_TYPES = {
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.bool_(): "boolean",
    pa.string(): "text",
    pa.binary(): "bytea",
    pa.date32(): "date",
    pa.time64("us"): "time",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
}
_MEANINGS = {
    "42501": ("you have no permission to do that", "Ask the owner for it, or name another table."),
    "42P01": ("the table is gone", "Somebody dropped it meanwhile. Check its name."),
    "3F000": ("there is no such schema", "Create it first, or name another one."),
    "42P07": ("somebody published there meanwhile", "Look at what is there, and run it again."),
    "23505": ("somebody published there meanwhile", "Look at what is there, and run it again."),
    "2BP01": (
        "views or keys depend on the old release, which would have to be dropped",
        "Drop them first, or name another table.",
    ),
    "55P03": ("somebody is using the old release", "Run it again when nobody does."),
    "57014": ("the database cancelled it", "Raise statement_timeout there, and run it again."),
    "53100": ("the disk of the database is full", "Free some space there, and run it again."),
    "25006": ("the database is read-only", "Name one that may be written to."),
    "54011": ("it has more columns than PostgreSQL allows", "Publish fewer columns."),
    "42701": ("a column has a name that PostgreSQL keeps for itself", "Rename it."),
    "22021": ("some text holds a NUL character, which PostgreSQL cannot hold", "Mend it."),
}
_REFUSED = (
    ("password", "it needs a password, or another one", "Set PGPASSWORD or PGPASSFILE."),
    ("authentication", "it refuses the login", "Check user, password and pg_hba.conf."),
    ("pg_hba", "it does not accept connections from here", "Check user, sslmode and pg_hba.conf."),
    ("database", "there is no such database", "Check its name in the address."),
    ("role", "there is no such user", "Name one in the address: postgresql://USER@host/db."),
    ("service", "there is no such service", "Check the service file (PGSERVICEFILE)."),
    ("connection limit", "it has too many connections", "Try again later."),
    ("invalid", "its address is not one that PostgreSQL knows", "Check it and its settings."),
)


def connect(address: Address, *, write: bool) -> Postgres:
    """Connect, to read one snapshot or to write in one transaction."""
    dbapi = driver("adbc_driver_postgresql.dbapi", PACKAGE, address.place)
    try:
        opened = Postgres(dbapi, address.url)
    except dbapi.Error as error:
        raise DataError(Fault(address.place, *_why_not(str(error)))) from None
    try:
        for statement in _WRITING if write else (_SNAPSHOT,):
            opened.run(statement)
        if write:
            opened.rows(_DURABLE)
    except opened.errors as error:
        opened.close()
        raise DataError(Fault(address.place, *opened.explained(error))) from None
    return opened


def _why_not(message: str) -> tuple[str, str]:
    """Say why there is no connection; the message itself may hold the address."""
    told = message.partition("FATAL:")[2] or message
    for word, problem, remedy in _REFUSED:
        if word in told and ("FATAL:" in message or word in {"password", "service", "invalid"}):
            return problem, remedy
    return "no server answers there", "Check host and port, and that it is running."


class Postgres(AdbcConnection):
    """A connection to PostgreSQL."""

    longest_name = LONGEST_NAME

    def explained(self, error: Exception) -> tuple[str, str]:
        """Say what an error means, by its SQLSTATE."""
        state = getattr(error, "sqlstate", None) or _stated(str(error))
        if state in _MEANINGS:
            return _MEANINGS[state]
        if state is None or state.startswith(("08", "57P")):
            return LOST, AGAIN
        return f"the database refuses it (SQLSTATE {state})", "Its log says more."

    def hurry(self) -> None:
        """Do not wait long for who is reading the old release."""
        self.run("SET LOCAL lock_timeout = '100ms'")

    def is_busy(self, error: Exception) -> bool:
        """Return whether a lock could not be had."""
        return getattr(error, "sqlstate", None) == "55P03"

    def resolved(self, table: TableName) -> TableName:
        """Return a table with its schema."""
        if table.schema is not None:
            return table
        ((schema,),) = self.listed("SELECT coalesce(current_schema()::text, 'public')")
        return TableName(table.name, schema)

    def identity(self, table: TableName) -> Hashable:
        """Tell tables apart by the server's own number, whatever host it is reached by."""
        query = f"SELECT n.nspname::text {_FOUND} AND c.relname = $2 LIMIT 1"
        seen = [schema for (schema,) in self.listed(query, table.schema or "", table.name)]
        schema = seen[0] if seen else self.resolved(table).schema
        ((database,),) = self.listed("SELECT current_database()::text")
        try:
            ((server,),) = self.listed("SELECT system_identifier FROM pg_control_system()")
        except self.errors:  # some let nobody ask
            server = self.url
        return (server, database, schema, table.name)

    def kind_of(self, table: TableName) -> Kind | None:
        """Look it up in the catalogue."""
        query = f"SELECT c.relkind::text {_FOUND} AND c.relname = $2 LIMIT 1"
        kinds = [kind for (kind,) in self.listed(query, table.schema or "", table.name)]
        return _KINDS.get(kinds[0], "other") if kinds else None

    def known(self, table: TableName) -> list[str]:
        """Name the tables of the schema, or those in sight."""
        query = f"SELECT c.relname::text {_FOUND} AND n.nspname !~ '^pg_' ORDER BY 1"
        own = "AND n.nspname <> 'information_schema'"
        query = query.replace("ORDER BY", f"{own} ORDER BY")
        return [name for (name,) in self.listed(query, table.schema or "")]

    def column_names(self, table: TableName) -> list[str]:
        """Name the columns."""
        return [name for name, _, _ in self._columns(table)]

    def _columns(self, table: TableName) -> list[Sequence[Any]]:
        return list(self.listed(_COLUMNS, table.schema or "", table.name))

    def read(self, table: TableName, columns: Sequence[str]) -> pa.Table:
        """Read columns, each by an expression that gives a type of Arrow."""
        known = {name: (kind, modifier) for name, kind, modifier in self._columns(table)}
        chosen = ", ".join(
            f"{_expression(name, *known[name])} AS {quoted(name)}" for name in columns
        )
        rows = _stripped(self.rows(f"SELECT {chosen} FROM {self.named(table)}"))  # noqa: S608
        for place, name in enumerate(columns):
            if known[name][0] == "numeric":
                rows = rows.set_column(place, name, numbers_from_text(rows.column(place)))
        return rows

    def writable_types(self, rows: pa.Table) -> pa.Table:
        """Return rows in types of PostgreSQL; refuse names that it would cut off."""
        long = [name for name in rows.column_names if len(name.encode()) > LONGEST_NAME]
        if long:
            problem = f"PostgreSQL cuts names off after {LONGEST_NAME} bytes"
            raise DataError(Fault(f"column {name!r}", problem, "Rename it.") for name in long)
        return plain_types(rows)

    def create(self, table: TableName, rows: pa.Table) -> None:
        """Create a table for such rows."""
        columns = ", ".join(f"{quoted(f.name)} {_type(f.type)}" for f in rows.schema)
        self.run(f"CREATE TABLE {self.named(table)} ({columns})")


def _stated(message: str) -> str | None:
    state = message.rpartition("SQLSTATE: ")[2].strip()[:5] if "SQLSTATE: " in message else None
    return state or None


def _expression(name: str, kind: str, modifier: int) -> str:
    """Write how a column is read, by its type beneath all domains."""
    column = quoted(name)
    if kind in _AS_THEY_ARE:
        return f"{column}::{kind}"
    if kind == "numeric":
        number = f"nullif({column}::numeric, 'NaN')"
        return f"{number}::text" if modifier >= 0 else f"trim_scale({number})::text"
    return f"inet_out({column})::text" if kind == "inet" else f"{column}::text"


def _type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    return _TYPES[kind]


def _stripped(rows: pa.Table) -> pa.Table:
    """Take off what the driver notes beside types."""
    plain = pa.schema([pa.field(field.name, field.type) for field in rows.schema])
    return pa.table(rows.columns, schema=plain)
