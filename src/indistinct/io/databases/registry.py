"""The kinds of databases that are known: a new one is its own file, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.io.databases import any_sql, duckdb_files, postgres, sqlite

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.io.databases.address import Address
    from indistinct.io.databases.base import Connection

KINDS: dict[str, Callable[..., Connection]] = {
    "postgresql": postgres.connect,
    "postgres": postgres.connect,
    "sqlite": sqlite.connect,
    "duckdb": duckdb_files.connect,
}


def connect(address: Address, *, write: bool = False) -> Connection:
    """Connect to a database, to read one snapshot of it or to write in one transaction."""
    return KINDS.get(address.scheme, any_sql.connect)(address, write=write)
