"""DuckDB files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.databases.base import Connection, quoted
from indistinct.io.databases.values import numbers_from_text, plain_types
from indistinct.io.foreign import driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.io.databases.address import Address, TableName
    from indistinct.io.databases.base import Kind

_AS_THEY_ARE = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("FLOAT", "DOUBLE", "BOOLEAN", "DATE", "TIME", "VARCHAR", "BLOB", "DECIMAL", "TIMESTAMP"),
    *("TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
)
_WIDE = ("HUGEINT", "UHUGEINT", "BIGNUM", "VARINT")
_TYPES = {
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.string(): "VARCHAR",
    pa.binary(): "BLOB",
    pa.date32(): "DATE",
    pa.time64("us"): "TIME",
    pa.timestamp("us"): "TIMESTAMP",
    pa.timestamp("us", "UTC"): "TIMESTAMP WITH TIME ZONE",
}
_ALL = """
SELECT table_name, table_type FROM information_schema.tables
WHERE table_catalog = current_database() AND table_schema = ?
"""
_COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_catalog = current_database() AND table_schema = ? AND lower(table_name) = lower(?)
ORDER BY ordinal_position
"""
_GIVEN = "indistinct_given_rows"


def connect(address: Address, *, write: bool) -> DuckDB:
    """Open a file, alone if it is written to."""
    duckdb = driver("duckdb", "duckdb", address.place)
    try:
        if write and address.path is not None and not address.path.stat().st_size:
            _fill(address.path, duckdb)
        connection = duckdb.connect(address.url, read_only=not write)
        connection.execute("SET TimeZone = 'UTC'")
        connection.begin()
    except duckdb.Error as error:
        raise DataError(Fault(address.place, *_explained(error))) from None
    return DuckDB(connection, duckdb.Error)


def _fill(path: Path, duckdb: Any) -> None:
    """Make a database of an empty file, which DuckDB itself refuses; the file stays the same."""
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.duckdb"
        duckdb.connect(empty).close()
        path.write_bytes(empty.read_bytes())


def _explained(error: Exception) -> tuple[str, str]:
    told = str(error)
    for words, problem, remedy in (
        ("Conflicting lock", "another program has it open", "Close it there, and run it again."),
        ("different configuration", "it is open in this program", "Close it first."),
        ("not a valid DuckDB", "it is not a DuckDB file", "Check the path."),
        ("Permission denied", "you have no permission to open it", "Check its permissions."),
        ("storage version", "another version of DuckDB wrote it", "Export it with that version."),
        ("dependencies", "other tables or views depend on the old release", "Drop them first."),
        ("No space left", "the disk is full", "Free some space, and run it again."),
        ("conflict", "somebody published there meanwhile", "Run it again."),
        ("already exists", "two columns have the same name apart from capitals", "Rename one."),
        ("schema", "there is no such schema", "Create it first, or name another one."),
    ):
        if words.lower() in told.lower():
            return problem, remedy
    return f"DuckDB refuses it ({type(error).__name__})", "Open it with DuckDB to see why."


class DuckDB(Connection):
    """A connection to a DuckDB file."""

    def __init__(self, connection: Any, error: type[Exception]) -> None:
        self.errors = (error,)
        self._connection = connection

    def explained(self, error: Exception) -> tuple[str, str]:
        """Say what an error means; its own words may hold values."""
        return _explained(error)

    def _listed(self, query: str, *values: str) -> list[tuple[str, str]]:
        listed: list[tuple[str, str]] = self._connection.execute(query, values).fetchall()
        return listed

    def kind_of(self, table: TableName) -> Kind | None:
        """Look it up in the catalogue."""
        wanted = table.name.casefold()
        kinds = [
            kind
            for name, kind in self._listed(_ALL, table.schema or "main")
            if name.casefold() == wanted
        ]
        if not kinds:
            return None
        return "table" if kinds[0] == "BASE TABLE" else "view"

    def known(self, table: TableName) -> list[str]:
        """Name the tables and views of the schema."""
        return [name for name, _ in self._listed(_ALL, table.schema or "main")]

    def column_names(self, table: TableName) -> list[str]:
        """Name the columns."""
        return [name for name, _ in self._listed(_COLUMNS, table.schema or "main", table.name)]

    def read(self, table: TableName, columns: Sequence[str]) -> pa.Table:
        """Read columns; what Arrow has no plain type for comes as the text that DuckDB writes."""
        kinds = dict(self._listed(_COLUMNS, table.schema or "main", table.name))
        chosen = ", ".join(
            f"{_expression(name, kinds[name])} AS {quoted(name)}" for name in columns
        )
        rows = self._connection.sql(f"SELECT {chosen} FROM {_named(table)}").to_arrow_table()  # noqa: S608
        for place, name in enumerate(columns):
            if kinds[name] in _WIDE:
                rows = rows.set_column(place, name, numbers_from_text(rows.column(place)))
        return rows

    def writable_types(self, rows: pa.Table) -> pa.Table:
        """Return rows in types of DuckDB."""
        return plain_types(rows)

    def create(self, table: TableName, rows: pa.Table) -> None:
        """Create a table for such rows."""
        columns = ", ".join(f"{quoted(f.name)} {_type(f.type)}" for f in rows.schema)
        self._connection.execute(f"CREATE TABLE {_named(table)} ({columns})")

    def insert(self, table: TableName, rows: pa.Table) -> None:
        """Write rows, in their order."""
        self._connection.register(_GIVEN, rows)
        columns = ", ".join(map(quoted, rows.column_names))
        self._connection.execute(f"INSERT INTO {_named(table)} SELECT {columns} FROM {_GIVEN}")  # noqa: S608
        self._connection.unregister(_GIVEN)

    def drop(self, table: TableName) -> None:
        """Drop a table."""
        self._connection.execute(f"DROP TABLE {_named(table)}")

    def rename(self, table: TableName, name: str) -> None:
        """Rename a table within its schema."""
        self._connection.execute(f"ALTER TABLE {_named(table)} RENAME TO {quoted(name)}")

    def commit(self) -> None:
        """Let all that was done be seen."""
        self._connection.commit()

    def close(self) -> None:
        """Undo what was not committed, and close the file."""
        self._connection.close()


def _named(table: TableName) -> str:
    return f"{quoted(table.schema or 'main')}.{quoted(table.name)}"


def _expression(name: str, kind: str) -> str:
    if kind.partition("(")[0] in _AS_THEY_ARE and not kind.endswith("]"):
        return quoted(name)
    return f"CAST({quoted(name)} AS VARCHAR)"


def _type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return _TYPES[kind]
