"""What a database must do to be read from and published in.

A release is written, read back and renamed within one transaction: nobody sees its draft, whatever
ends the run takes the draft along, and the old release is whole until the very moment at which the
new one is there.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

from indistinct.errors import DataError, Fault, OutputError, closest

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pyarrow as pa

    from indistinct.io.databases.address import Address, TableName

Kind = Literal["table", "view", "other"]
LOST = "the connection was lost"
AGAIN = "Nothing was changed there. Run it again."


def draft_name() -> str:
    """Return a name for a draft that no table has, short enough for every database."""
    return f"indistinct_draft_{secrets.token_hex(8)}"


def quoted(name: str, mark: str = '"') -> str:
    """Quote the name of a table or a column.

    >>> quoted('an "odd" name')
    '"an ""odd"" name"'
    """
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


class Connection(ABC):
    """One connection to a database, in one transaction from its beginning to its end.

    Attributes
    ----------
    errors
        What its driver raises.
    longest_name
        How many bytes a name may have, if more would be cut off in silence.
    """

    errors: tuple[type[Exception], ...]
    longest_name: int | None = None

    @abstractmethod
    def explained(self, error: Exception) -> tuple[str, str]:
        """Say what an error of the driver means, and the way out.

        Its own words are never shown: they may hold values of rows, or a password.
        """

    @abstractmethod
    def kind_of(self, table: TableName) -> Kind | None:
        """Return what is called so; None if nothing is."""

    @abstractmethod
    def known(self, table: TableName) -> list[str]:
        """Name all that can be read where this table would be."""

    @abstractmethod
    def column_names(self, table: TableName) -> list[str]:
        """Name the columns of a table or view."""

    @abstractmethod
    def read(self, table: TableName, columns: Sequence[str]) -> pa.Table:
        """Read these columns of all rows."""

    @abstractmethod
    def create(self, table: TableName, rows: pa.Table) -> None:
        """Create a table for such rows."""

    @abstractmethod
    def insert(self, table: TableName, rows: pa.Table) -> None:
        """Write rows into a table, in their order."""

    @abstractmethod
    def drop(self, table: TableName) -> None:
        """Drop a table."""

    @abstractmethod
    def rename(self, table: TableName, name: str) -> None:
        """Rename a table within its schema."""

    @abstractmethod
    def commit(self) -> None:
        """Let all that was done be seen."""

    @abstractmethod
    def close(self) -> None:
        """Undo what was not committed, and end the connection; never fails."""

    def writable_types(self, rows: pa.Table) -> pa.Table:
        """Return rows with types that this database has."""
        return rows

    def resolved(self, table: TableName) -> TableName:
        """Return a table with its schema, where new ones are created if none is named."""
        return table

    def identity(self, table: TableName) -> Hashable:
        """Return what tells this table from all others, by whatever address it is reached."""
        return table

    def hurry(self) -> None:  # noqa: B027 - some never wait
        """Do not wait for others who are using a table."""

    def is_busy(self, error: Exception) -> bool:  # noqa: ARG002 - some can be
        """Return whether an error means that somebody is using the table right now."""
        return False


def require_table(connection: Connection, address: Address) -> None:
    """Raise if no such table or view can be read."""
    if connection.kind_of(address.table) is None:
        tables = connection.known(address.table)
        remedy = closest(address.table.name, tables) if tables else "No table can be seen there."
        raise DataError(Fault(str(address), f"there is no table {address.table}", remedy))


def replace(connection: Connection, draft: TableName, target: TableName, place: str) -> None:
    """Let a draft take the place of a table, as soon as the transaction is committed."""
    kind = connection.kind_of(target)
    if kind not in {None, "table"}:
        what = "a view" if kind == "view" else "no ordinary table"
        problem = f"{target} is {what}, which is never replaced"
        raise OutputError(Fault(place, problem, "Name another table."))
    if kind == "table":
        connection.drop(target)
    connection.rename(draft, target.name)
