"""The same databases for all tests: each is somewhere to put a table, and to look what is there."""

from __future__ import annotations

import adbc_driver_sqlite.dbapi as sqlite
import duckdb
import pyarrow as pa
import pytest

SERVER = pytest.mark.services("postgresql")
KINDS = [
    pytest.param("postgresql", marks=SERVER),
    pytest.param("sqlalchemy", marks=SERVER),
    "sqlite",
    "duckdb",
]


class Place:
    """A database by its addresses."""

    def __init__(self, kind, folder, server=None, schema=None):
        self.kind, self.folder, self.server, self.schema = kind, folder, server, schema

    def url(self, table):
        if self.kind == "sqlite":
            return f"sqlite:///{self.folder}/people.db?table={table}"
        if self.kind == "duckdb":
            return f"{self.folder}/people.duckdb?table={table}"
        url = self.server.url(f"{self.schema}.{table}")
        dialect = "postgresql+psycopg" if self.kind == "sqlalchemy" else "postgresql"
        return url.replace("postgresql", dialect, 1)

    def run(self, *statements):
        """Run statements, with the schema in sight; return the rows of the last."""
        if self.kind == "sqlite":
            path = f"{self.folder}/people.db"
            with sqlite.connect(path, autocommit=True) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        if self.kind == "duckdb":
            with duckdb.connect(f"{self.folder}/people.duckdb") as connection:
                for statement in statements:
                    connection.execute(statement)
                return connection.fetchall()
        return self.server.run(f"SET search_path = {self.schema}", *statements)

    def names(self):
        """Name all that is there."""
        if self.kind == "sqlite":
            query = "SELECT name FROM sqlite_master"
        else:
            query = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = "
            query += f"'{self.schema or 'main'}'"
        return sorted(name for (name,) in self.run(query))


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    """A database of each kind, with nothing in it."""
    if request.param in {"sqlite", "duckdb"}:
        return Place(request.param, tmp_path)
    server, schema = (request.getfixturevalue(name) for name in ("server", "schema"))
    return Place(request.param, tmp_path, server, schema)


@pytest.fixture
def postgres(server, schema, tmp_path):
    """A schema of PostgreSQL."""
    return Place("postgresql", tmp_path, server, schema)


PEOPLE = pa.table(
    {
        "name": ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"],
        "zip": ["22030", "22030", "22032", "22032", "22045", "22045"],
        "age": [31, 34, 36, 38, 52, None],
        "ill": ["flu", "gout", "flu", None, "flu", "gout"],
    }
)
PLAN = {
    "columns": {
        "name": {"role": "identifier"},
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "ill": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 2}],
    "method": {"name": "optimal"},
    "limits": {"suppression": 0.4},
    "seed": 7,
}


def fill(place, table="people", rows=PEOPLE):
    """Put a table into a database by plain statements."""
    kinds = {pa.string(): "text", pa.int64(): "integer"}
    columns = ", ".join(f'"{f.name}" {kinds[f.type]}' for f in rows.schema)
    values = ", ".join(
        "(" + ", ".join("NULL" if v is None else f"'{v}'" for v in row.values()) + ")"
        for row in rows.to_pylist()
    )
    place.run(f'CREATE TABLE "{table}" ({columns})', f'INSERT INTO "{table}" VALUES {values}')
