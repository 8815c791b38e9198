"""Any database that SQLAlchemy has a dialect for: read by batches.

Written to are only those that can take back the creation of a table (`_UNDOING`). Elsewhere a draft
that nobody has checked would be there for others to see, and a killed run would leave it behind.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault, OutputError
from indistinct.io.databases.base import AGAIN, LOST, Connection
from indistinct.io.databases.values import plain_types
from indistinct.io.foreign import driver

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from indistinct.io.databases.address import Address, TableName
    from indistinct.io.databases.base import Kind

BATCH = 20_000
_UNDOING = frozenset({"postgresql"})
_SNAPSHOTS = ("REPEATABLE READ", "SNAPSHOT", "SERIALIZABLE")


def connect(address: Address, *, write: bool) -> AnySql:
    """Connect by the dialect that an address names."""
    sql = driver("sqlalchemy", "sqlalchemy", address.place)
    try:
        engine = sql.create_engine(address.url, hide_parameters=True)
    except sql.exc.NoSuchModuleError:
        remedy = "Give postgresql://, sqlite:/// or duckdb:///, or install a dialect of SQLAlchemy."
        problem = f"no kind of database is called {address.scheme!r}"
        raise DataError(Fault(address.place, problem, remedy)) from None
    except ModuleNotFoundError as error:
        problem = f"it is reached by {error.name}, which is not installed"
        raise DataError(Fault(address.place, problem, f"Run: pip install {error.name}.")) from None
    except (sql.exc.ArgumentError, ValueError):
        problem = "it is not an address that SQLAlchemy reads"
        raise DataError(Fault(address.place, problem, "Check it and its settings.")) from None
    if write and engine.dialect.name not in _UNDOING:
        problem = f"a draft in {engine.dialect.name} could not be hidden until it is checked"
        remedy = "Publish in a file, and load that; or in PostgreSQL, SQLite or DuckDB."
        raise OutputError(Fault(address.place, problem, remedy))
    try:
        return AnySql(sql, engine, write=write)
    except sql.exc.SQLAlchemyError:
        engine.dispose()
        remedy = "Check host, port, user, password and the name of the database."
        raise DataError(Fault(address.place, "there is no connection to it", remedy)) from None


class AnySql(Connection):
    """A connection by SQLAlchemy."""

    def __init__(self, sql: Any, engine: Any, *, write: bool) -> None:
        self.errors = (sql.exc.SQLAlchemyError,)
        self._sql = sql
        self._engine = engine
        self._connection = engine.connect()
        if not write:
            self._see_one_snapshot()
        self._transaction = self._connection.begin()
        self._made: dict[TableName, Any] = {}

    def _see_one_snapshot(self) -> None:
        try:
            known = self._connection.dialect.get_isolation_level_values(
                self._connection.connection.dbapi_connection
            )
        except NotImplementedError:
            known = ()
        level = next((level for level in _SNAPSHOTS if level in known), None)
        self._connection.rollback()
        if level is not None:
            self._connection = self._connection.execution_options(isolation_level=level)

    def explained(self, error: Exception) -> tuple[str, str]:
        """Say what kind of error it is; its own words may hold values."""
        if getattr(error, "connection_invalidated", False):
            return LOST, AGAIN
        kind = type(getattr(error, "orig", None) or error).__name__
        return (
            f"the database refuses it ({kind})",
            "Its log says more; check your permissions there.",
        )

    def identity(self, table: TableName) -> Hashable:
        """Tell tables apart by address and name."""
        return (str(self._engine.url), table)

    def kind_of(self, table: TableName) -> Kind | None:
        """Ask for tables and views of this name."""
        look = self._sql.inspect(self._connection)
        if look.has_table(table.name, schema=table.schema):
            return "view" if table.name in look.get_view_names(schema=table.schema) else "table"
        return None

    def known(self, table: TableName) -> list[str]:
        """Name the tables and views of the schema."""
        look = self._sql.inspect(self._connection)
        names = look.get_table_names(schema=table.schema)
        return sorted({*names, *look.get_view_names(schema=table.schema)})

    def column_names(self, table: TableName) -> list[str]:
        """Name the columns."""
        look = self._sql.inspect(self._connection)
        return [column["name"] for column in look.get_columns(table.name, schema=table.schema)]

    def read(self, table: TableName, columns: Sequence[str]) -> pa.Table:
        """Read by batches, and give each column one type for all of them."""
        named = [self._sql.column(name) for name in columns]
        query = self._sql.select(*named).select_from(
            self._sql.table(table.name, *named, schema=table.schema)
        )
        streaming = {"stream_results": True, "yield_per": BATCH}
        result = self._connection.execute(query, execution_options=streaming)
        parts: list[list[pa.Array]] = [[] for _ in columns]
        for batch in result.partitions():
            for part, values in zip(parts, zip(*batch, strict=True), strict=True):
                part.append(_array(values))
        return pa.table([_joined(part) for part in parts], names=list(columns))

    def writable_types(self, rows: pa.Table) -> pa.Table:
        """Return rows in plain types."""
        return plain_types(rows)

    def create(self, table: TableName, rows: pa.Table) -> None:
        """Create a table for such rows."""
        columns = [self._sql.Column(f.name, self._type(f.type)) for f in rows.schema]
        made = self._sql.Table(table.name, self._sql.MetaData(), *columns, schema=table.schema)
        made.create(self._connection)
        self._made[table] = made

    def _type(self, kind: pa.DataType) -> Any:
        sql, types = self._sql, pa.types
        if types.is_decimal(kind):
            return sql.Numeric(kind.precision, kind.scale)
        for is_kind, made in (
            (types.is_integer, sql.BigInteger),
            (types.is_floating, sql.Double),
            (types.is_boolean, sql.Boolean),
            (types.is_binary, sql.LargeBinary),
            (types.is_date, sql.Date),
            (types.is_time, sql.Time),
        ):
            if is_kind(kind):
                return made()
        if types.is_timestamp(kind):
            return sql.DateTime(timezone=kind.tz is not None)
        return sql.Text()

    def insert(self, table: TableName, rows: pa.Table) -> None:
        """Write rows by batches."""
        statement = self._made[table].insert()
        for start in range(0, rows.num_rows, BATCH):
            self._connection.execute(statement, rows.slice(start, BATCH).to_pylist())

    def drop(self, table: TableName) -> None:
        """Drop a table."""
        self._run(f"DROP TABLE {self._named(table)}")

    def rename(self, table: TableName, name: str) -> None:
        """Rename a table within its schema."""
        quote = self._engine.dialect.identifier_preparer.quote_identifier
        self._run(f"ALTER TABLE {self._named(table)} RENAME TO {quote(name)}")

    def _run(self, statement: str) -> None:
        self._connection.exec_driver_sql(statement.replace("%", "%%"))

    def _named(self, table: TableName) -> str:
        quote = self._engine.dialect.identifier_preparer.quote_identifier
        return ".".join(quote(part) for part in (table.schema, table.name) if part is not None)

    def commit(self) -> None:
        """Let all that was done be seen."""
        self._transaction.commit()

    def close(self) -> None:
        """Undo what was not committed, and end the connection."""
        with suppress(*self.errors):
            self._connection.close()
        self._engine.dispose()


def _array(values: Sequence[Any]) -> pa.Array:
    """Make an array of what a driver gives; where Arrow knows no type, of texts."""
    try:
        array = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array(list(_texts(values)), pa.string())
    plain = not (pa.types.is_nested(array.type) or pa.types.is_interval(array.type))
    known = plain and not isinstance(array.type, pa.BaseExtensionType)
    return array if known else pa.array(list(_texts(values)), pa.string())


def _texts(values: Sequence[Any]) -> Iterator[str | None]:
    for value in values:
        if value is None or isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            yield json.dumps(value, default=str, ensure_ascii=False)
        else:
            yield str(value)


def _joined(parts: list[pa.Array]) -> pa.ChunkedArray:
    """Join the batches of a column in a type that holds them all, or as text."""
    tables = [pa.table([part], names=["x"]) for part in parts]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        texts = [pa.array(list(_texts(part.to_pylist())), pa.string()) for part in parts]
        return pa.chunked_array(texts, type=pa.string())
