"""A table of a database as a source of rows, and as a place to publish them in."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace as changed
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.disk.drafts import FileDraft, note
from indistinct.errors import DataError, Fault, OutputError
from indistinct.io.content import content_hash
from indistinct.io.databases.address import TableName
from indistinct.io.databases.base import LOST, draft_name, replace, require_table
from indistinct.io.databases.registry import connect
from indistinct.io.missing import without_markers
from indistinct.io.plain import clean, decoded, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from pathlib import Path

    from indistinct.errors import IndistinctError
    from indistinct.io.base import Rows
    from indistinct.io.databases.address import Address
    from indistinct.io.databases.base import Connection

FORM = {"format": "table", "delimiter": ","}
"""How certificates call the form of a table; every release has a delimiter there."""


@contextmanager
def _telling(
    connection: Connection, place: str, kind: type[IndistinctError] = DataError
) -> Iterator[None]:
    """Turn what a driver raises into a fault, without its words."""
    try:
        yield
    except connection.errors as error:
        raise kind(Fault(place, *connection.explained(error))) from None


@contextmanager
def _reading(address: Address) -> Iterator[Connection]:
    """Open a database for one snapshot, in which the table is there."""
    if address.path is not None and (problem := _unreadable(address.path)):
        raise DataError(Fault(address.place, problem, "Check the path."))
    connection = connect(address)
    try:
        with _telling(connection, address.place):
            require_table(connection, address)
            yield connection
    finally:
        connection.close()


def _unreadable(path: Path) -> str | None:
    if not path.exists():
        return "there is no such file"
    if not path.is_file():
        return "it is not a file"
    return None if os.access(path, os.R_OK) else "you may not read it"


def identity_of(address: Address) -> Hashable:
    """Return what tells a table from all others: where its file lies, or what its server says."""
    if address.path is not None:
        schema = (address.table.schema or "main").casefold()
        return (address.path.resolve(), schema, address.table.name.casefold())
    connection = connect(address)
    try:
        with _telling(connection, address.place):
            return connection.identity(address.table)
    finally:
        connection.close()


class TableSource:
    """A table or view of a database, read in one snapshot.

    Parameters
    ----------
    address
        Which one.
    missing
        Texts that mean a missing value, besides null.
    """

    options = frozenset({"missing"})
    form = FORM
    dialect = None

    def __init__(self, address: Address, missing: tuple[str, ...] = ()) -> None:
        self.address = address
        self.place = address.place
        self.name = address.name
        self._missing = missing

    def column_names(self) -> list[str]:
        """Name the columns."""
        with _reading(self.address) as connection:
            return self._names(connection)

    def _names(self, connection: Connection) -> list[str]:
        names = connection.column_names(self.address.table)
        refuse_repeated(names, self.place)
        if not names:
            raise DataError(Fault(self.place, "it has no columns", "Give a table with data."))
        return names

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Read all rows: all columns, or some in this order."""
        with _reading(self.address) as connection:
            names = self._names(connection)
            table = connection.read(self.address.table, names if columns is None else columns)
        return without_markers(clean(table), self._missing)

    def hashed(self, rows: pa.Table) -> Callable[[], str]:
        """Return what hashes the rows that were read, once somebody asks."""
        return partial(content_hash, rows)

    @property
    def back(self) -> Callable[[pa.Table], Any]:
        """No way back: who names a table gets an Arrow table."""
        return lambda rows: rows


class _Session:
    """One transaction in one database, for all tables that are published there.

    A file that is not there yet is made beside its place, as every file is.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._file: FileDraft | None = None
        self._connection: Connection | None = None
        self._unsecured: set[str] = set()
        self._done = False

    @property
    def connection(self) -> Connection:
        """The open connection."""
        assert self._connection is not None  # noqa: S101 - begun before all else
        return self._connection

    def begin(self, draft: str) -> None:
        """Open the database, if this is its first draft."""
        self._unsecured.add(draft)
        if self._connection is not None:
            return
        address = self._address
        if address.path is not None and not address.path.exists():
            self._file = FileDraft(address.path)
            self._file.begin()
            address = changed(address, url=str(self._file.draft), path=self._file.draft)
        self._connection = connect(address, write=True)

    def secure(self, draft: str) -> None:
        """Once all drafts are complete: close a new file, and have it on the disk."""
        self._unsecured.discard(draft)
        if self._file is not None and not self._unsecured:
            self.connection.commit()
            self.connection.close()
            self._file.secure()

    def commit(self) -> None:
        """Let all tables take their places at once."""
        if self._done:
            return
        if self._file is None:
            self.connection.commit()
        else:
            self._file.commit()
        self._done = True

    def discard(self) -> None:
        """Undo what was not committed."""
        if self._connection is not None:
            self._connection.close()
        if self._file is not None:
            self._file.discard()


class TableSink:
    """A table that rows are published in: a draft in one transaction, renamed at its end.

    Parameters
    ----------
    address
        The table that it becomes, whose place it takes if there is one.
    session
        The transaction.
    """

    form = FORM

    def __init__(self, address: Address, session: _Session) -> None:
        self.address = address
        self.place = address.place
        self.name = address.name
        self.parts = (self,)
        self._session = session
        self._name = draft_name()
        self._target = self._draft = TableName(self._name)
        self._written = False
        self._content: Callable[[], str] = partial(content_hash, pa.table({}))

    def begin(self) -> None:
        """Open the database; the draft itself is made as soon as its columns are known."""
        self._session.begin(self._name)
        with self._told():
            self._target = self._session.connection.resolved(self.address.table)
        self._draft = TableName(self._name, self._target.schema)

    def write(self, content: Rows) -> None:
        """Write the draft, from its beginning."""
        connection = self._session.connection
        rows = connection.writable_types(decoded(content.columns.take(pa.array(content.order))))
        with self._told():
            if self._written:
                connection.drop(self._draft)
            connection.create(self._draft, rows)
            self._written = True
            connection.insert(self._draft, rows)
        self._checked = content.named

    def read_back(self) -> pa.Table:
        """Read the columns that are checked."""
        with self._told():
            names = self._session.connection.column_names(self._draft)
            back = clean(self._session.connection.read(self._draft, names))
        self._content = cache(partial(content_hash, back))
        return back if self._checked is None else back.select(self._checked)

    def hashed(self) -> Callable[[], str]:
        """Return what hashes the rows that were read back, once somebody asks."""
        return self._content

    def content(self) -> Callable[[], str]:
        """Return the same: a table has no hash but that of its rows."""
        return self._content

    def secure(self) -> None:
        """Put the draft in its place, which nobody sees before the transaction is committed."""
        with self._told():
            replace(self._session.connection, self._draft, self._target, self.place)
            self._session.secure(self._name)

    def commit(self) -> None:
        """Commit the transaction, with all tables in it."""
        connection = self._session.connection
        try:
            self._session.commit()
        except connection.errors as error:
            problem, remedy = connection.explained(error)
            if problem == LOST:
                problem = "the connection was lost as the release was put in place"
                remedy = (
                    "The old or the new release is there, complete: check which, and run again."
                )
            raise OutputError(Fault(self.place, problem, remedy)) from None
        note(self.place)

    def discard(self) -> None:
        """Undo what was not committed."""
        self._session.discard()

    def _told(self) -> Any:
        return _telling(self._session.connection, self.place, OutputError)


def table_sinks(addresses: Sequence[Address]) -> list[TableSink]:
    """Return where tables are published: those of one database in one transaction."""
    sessions: dict[str, _Session] = {}
    return [
        TableSink(address, sessions.setdefault(address.url, _Session(address)))
        for address in addresses
    ]


def unpublishable(address: Address) -> tuple[str, str] | None:
    """Try out whether a release could take this place, and undo it; say why not, and what to do."""
    if address.path is not None and not address.path.exists():
        return None
    try:
        connection = connect(address, write=True)
    except (DataError, OutputError) as error:
        return _first(error)
    try:
        connection.hurry()
        target = connection.resolved(address.table)
        longest = connection.longest_name
        if longest and len(target.name.encode()) > longest:
            return f"its name is longer than {longest} bytes", "Choose a shorter one."
        draft = TableName(draft_name(), target.schema)
        trial = pa.table({"trial": pa.array([], pa.string())})
        connection.create(draft, connection.writable_types(trial))
        replace(connection, draft, target, address.place)
    except OutputError as error:
        return _first(error)
    except connection.errors as error:
        return None if connection.is_busy(error) else connection.explained(error)
    finally:
        connection.close()
    return None


def _first(error: IndistinctError) -> tuple[str, str]:
    return error.faults[0].problem, error.faults[0].remedy
