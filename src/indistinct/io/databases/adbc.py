"""What databases behind ADBC have in common: one connection, one cursor, one transaction."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from indistinct.io.databases.base import Connection, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from indistinct.io.databases.address import TableName


class AdbcConnection(Connection):
    """A connection by a driver of ADBC, which begins a transaction by itself."""

    def __init__(self, driver: Any, url: str) -> None:
        self.errors = (driver.Error, OSError)  # rows that break off come as an OSError
        self.url = url
        self._connection = driver.connect(url)

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str, *values: str, **options: Any) -> pa.Table:
        """Run a query."""
        with self._connection.cursor(adbc_stmt_kwargs=options or None) as cursor:
            cursor.execute(query, values or None)
            return cursor.fetch_arrow_table()

    def listed(self, query: str, *values: str) -> Iterator[Sequence[Any]]:
        """Run a query with a short answer, and go through its rows."""
        answer = self.rows(query, *values)
        return zip(*(column.to_pylist() for column in answer.columns), strict=True)

    def insert(self, table: TableName, rows: pa.Table) -> None:
        """Write rows as the driver does it in bulk."""
        options = {"db_schema_name": table.schema} if table.schema else {}
        with self._connection.cursor() as cursor:
            cursor.adbc_ingest(table.name, rows, mode="append", **options)

    def drop(self, table: TableName) -> None:
        """Drop a table."""
        self.run(f"DROP TABLE {self.named(table)}")

    def rename(self, table: TableName, name: str) -> None:
        """Rename a table within its schema."""
        self.run(f"ALTER TABLE {self.named(table)} RENAME TO {quoted(name)}")

    def commit(self) -> None:
        """Let all that was done be seen."""
        self._connection.commit()

    def close(self) -> None:
        """Undo what was not committed, and end the connection."""
        with suppress(*self.errors):
            self._connection.rollback()
        with suppress(*self.errors):
            self._connection.close()

    @staticmethod
    def named(table: TableName) -> str:
        """Return the name of a table as a statement has it."""
        parts = [table.name] if table.schema is None else [table.schema, table.name]
        return ".".join(map(quoted, parts))
