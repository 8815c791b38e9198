"""SQLite files, through ADBC.

SQLite has numbers, texts and bytes, and any row may hold any of them. A column of numbers alone
comes as numbers; one of numbers and texts as text. What SQLite has no type for (dates, truth
values, exact decimals) is written as the text that a CSV file would hold.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.databases.adbc import AdbcConnection
from indistinct.io.databases.base import quoted
from indistinct.io.databases.values import as_texts, plain_types
from indistinct.io.foreign import driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.io.databases.address import Address, TableName
    from indistinct.io.databases.base import Kind

PACKAGE = "adbc-driver-sqlite"
_WAIT = 30_000
_OWN_TYPES = (pa.types.is_integer, pa.types.is_floating, pa.types.is_binary)
_BATCH = "adbc.sqlite.query.batch_rows"
_EXACT = 2**53


def connect(address: Address, *, write: bool) -> Sqlite:
    """Open a file."""
    dbapi = driver("adbc_driver_sqlite.dbapi", PACKAGE, address.place)
    try:
        opened = Sqlite(dbapi, _uri(address.url, write=write))
    except dbapi.Error:
        raise DataError(Fault(address.place, "it cannot be opened", "Check the path.")) from None
    try:
        opened.run(f"PRAGMA busy_timeout = {_WAIT}")
    except opened.errors as error:
        opened.close()
        raise DataError(Fault(address.place, *opened.explained(error))) from None
    return opened


def _uri(path: str, *, write: bool) -> str:
    """Name a file so that SQLite never makes one."""
    mode = "rw" if write or os.access(path, os.W_OK) else "ro"
    return f"file:{quote(path)}?mode={mode}"


class Sqlite(AdbcConnection):
    """A connection to a SQLite file."""

    def explained(self, error: Exception) -> tuple[str, str]:
        """Say what an error means, by the few words of SQLite that hold no values."""
        told = str(error)
        for words, problem, remedy in (
            ("not a database", "it is not a SQLite file", "Check the path."),
            ("malformed", "the file is damaged", "Restore it from a copy."),
            ("locked", "another program is writing to it", "Run it again when it is done."),
            ("readonly", "the file cannot be written to", "Check its permissions."),
            ("full", "the disk is full", "Free some space, and run it again."),
            (
                "duplicate column",
                "two columns have the same name apart from capitals",
                "Rename one.",
            ),
            ("no such table", "the table is gone", "Somebody dropped it meanwhile."),
            ("unknown database", "there is no such schema", "Leave the schema out."),
        ):
            if words in told:
                return problem, remedy
        return "SQLite refuses it", "Check the file, and the rights to it and its folder."

    def hurry(self) -> None:
        """Do not wait for another program that writes."""
        self.run("PRAGMA busy_timeout = 0")

    def is_busy(self, error: Exception) -> bool:
        """Return whether somebody else is writing."""
        return "locked" in str(error)

    def kind_of(self, table: TableName) -> Kind | None:
        """Look it up in the schema."""
        wanted = table.name.casefold()
        kinds = [kind for name, kind in self._all(table) if name.casefold() == wanted]
        if not kinds:
            return None
        return "table" if kinds[0] == "table" else "view"

    def known(self, table: TableName) -> list[str]:
        """Name the tables and views."""
        return [name for name, _ in self._all(table)]

    def _all(self, table: TableName) -> list[Sequence[str]]:
        schema = quoted(table.schema or "main")
        query = f"SELECT name, type FROM {schema}.sqlite_master WHERE type IN ('table', 'view')"  # noqa: S608
        return [row for row in self.listed(query) if not row[0].startswith("sqlite_")]

    def column_names(self, table: TableName) -> list[str]:
        """Name the columns."""
        query = "SELECT name FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1"
        return [name for (name,) in self.listed(query, table.name, table.schema or "main")]

    def read(self, table: TableName, columns: Sequence[str]) -> pa.Table:
        """Read columns, all rows in one batch, by which the driver finds their types."""
        source = self.named(table)
        held = ", ".join(
            f"group_concat(DISTINCT typeof({quoted(name)})), max(abs({quoted(name)})) > {_EXACT}"
            for name in columns
        )
        ((rows, *facts),) = self.listed(f"SELECT count(*), {held} FROM {source}")  # noqa: S608
        pairs = zip(columns, facts[::2], facts[1::2], strict=True)
        how = [
            _Column(name, set((kinds or "null").split(",")), bool(big))
            for name, kinds, big in pairs
        ]
        if mixed := [column.name for column in how if column.is_muddled]:
            problem = "it holds bytes and other values"
            raise DataError(Fault(f"column {name!r}", problem, "Mend it.") for name in mixed)
        chosen = ", ".join(f"{column.expression} AS {quoted(column.name)}" for column in how)
        table_read = self.rows(f"SELECT {chosen} FROM {source}", **{_BATCH: max(rows, 1)})  # noqa: S608
        plain = pa.schema([pa.field(column.name, column.type) for column in how])
        return table_read.cast(plain)

    def writable_types(self, rows: pa.Table) -> pa.Table:
        """Return rows of numbers, texts and bytes."""
        return as_texts(plain_types(rows), _OWN_TYPES)

    def create(self, table: TableName, rows: pa.Table) -> None:
        """Create a table for such rows."""
        columns = ", ".join(f"{quoted(f.name)} {_type(f.type)}" for f in rows.schema)
        self.run(f"CREATE TABLE {self.named(table)} ({columns})")


class _Column:
    """How a column is read, by the kinds of values that it holds."""

    def __init__(self, name: str, kinds: set[str], big: bool) -> None:  # noqa: FBT001
        kinds = kinds - {"null"}
        self.name = name
        self.is_muddled = "blob" in kinds and len(kinds) > 1
        self.expression = quoted(name)
        self.type = pa.string()
        if kinds == {"integer"}:
            self.type = pa.int64()
        elif kinds == {"blob"}:
            self.type = pa.binary()
        elif kinds and kinds <= {"integer", "real"} and not (big and "integer" in kinds):
            self.type = pa.float64()
        else:
            self.expression = f"CAST({quoted(name)} AS TEXT)"


def _type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "INTEGER"
    if pa.types.is_floating(kind):
        return "REAL"
    return "BLOB" if pa.types.is_binary(kind) else "TEXT"
