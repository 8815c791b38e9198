"""Addresses: which table of which database, as text that may be shown.

`postgresql://host/db?table=visits`, `sqlite:///a.db?table=visits`, `a.duckdb?table=visits`. A
password stands in the environment, never in an address that is typed; `env:NAME` is an address in
an environment variable, which may hold one, and is shown by that name alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode

from indistinct.errors import DataError, Fault

FILES = {".duckdb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.DOTALL)
_SQUEEZED = re.compile(r"(postgres(ql)?|sqlite|duckdb|mysql|mariadb|mssql|oracle)(\+\w+)?:/[^/]")
_VARIABLE = re.compile(r"env:([A-Za-z_]\w*)(\?.*)?", re.DOTALL)
_PART = re.compile(r'(?:"((?:[^"]|"")+)"|([^".]+))(\.|$)')
_SECRETS = ("password", "passwd", "pwd", "secret", "token")
_ADD_TABLE = "Add ?table=NAME to the address, or ?table=SCHEMA.NAME."
_HIDE = (
    "Leave it out, and set PGPASSWORD, a password file (PGPASSFILE) or a service file "
    "(?service=NAME) for PostgreSQL; or put the whole address into an environment variable and "
    "give env:VARIABLE."
)


@dataclass(frozen=True)
class TableName:
    """The name of a table, exactly as it is spelt there."""

    name: str
    schema: str | None = None

    @classmethod
    def parsed(cls, text: str) -> TableName | None:
        """Read `name` or `schema.name`; a dot within a name is put in double quotes.

        >>> TableName.parsed('health.visits'), TableName.parsed('"a.b"')
        (TableName(name='visits', schema='health'), TableName(name='a.b', schema=None))
        """
        parts, place = [], 0
        while (part := _PART.match(text, place)) and place < len(text):
            parts.append(part[1].replace('""', '"') if part[1] else part[2])
            place = part.end()
        if place < len(text) or len(parts) not in {1, 2} or text.endswith("."):
            return None
        return cls(parts[-1], parts[0] if len(parts) > 1 else None)

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


@dataclass(frozen=True)
class Address:
    """A table of a database.

    Attributes
    ----------
    place
        How messages name it: as it was given.
    scheme
        The kind of database, or a dialect of SQLAlchemy.
    table
        The table.
    url
        What its driver is given; it may hold a password if it came from the environment.
    path
        The file that is the database; None if a server is.
    """

    place: str
    scheme: str
    table: TableName
    url: str = field(repr=False)
    path: Path | None = None

    @property
    def name(self) -> str:
        """The table's name, for papers that do not say where a release lies."""
        return str(self.table)

    def __str__(self) -> str:
        return self.place


def place_of(given: str | Path) -> Path | Address:
    """Return what a text means: the path of a file, or a table of a database."""
    text = str(given)
    if variable := _VARIABLE.fullmatch(text):
        return _from_environment(text, variable[1], variable[2] or "")
    if isinstance(given, Path) and _SQUEEZED.match(text):
        problem = "as a Path, an address loses its slashes"
        raise DataError(Fault(text, problem, "Give it as text."))
    if _SCHEME.match(text):
        return _parsed(text)
    return _file(text, text) or Path(given)


def _from_environment(text: str, name: str, query: str) -> Address:
    value = os.environ.get(name)
    if value is None:
        raise DataError(Fault(text, f"no environment variable {name} is set", "Set it first."))
    whole = value + (query.replace("?", "&", 1) if "?" in value else query)
    address = _parsed(whole, shown=text) if _SCHEME.match(whole) else _file(whole, text)
    if address is None:
        problem = f"what {name} holds is not an address of a database"
        raise DataError(Fault(text, problem, "It reads like postgresql://host/db?table=visits."))
    return address


def _file(text: str, place: str) -> Address | None:
    """Read the path of a file that is a database, by its ending; None if it is none."""
    path, _, query = text.partition("?")
    scheme = FILES.get(Path(path).suffix.lower())
    return None if scheme is None else _of_file(scheme, path, query, place)


def _of_file(scheme: str, path: str, query: str, place: str) -> Address:
    table, others = _settings(query, place)
    if others:
        names = ", ".join(sorted(name for name, _ in others))
        raise DataError(Fault(place, f"a file has no setting {names}", "Omit it."))
    if path in {"", ":memory:"}:
        remedy = f"Write {scheme}:///path, or {scheme}:////path for one from the root."
        raise DataError(Fault(place, "it names no file", remedy))
    return Address(place, scheme, table, path, Path(path))


def _parsed(text: str, shown: str | None = None) -> Address:
    """Read a whole address; one that is not `shown` otherwise must hold no password."""
    scheme, rest = _SCHEME.match(text).groups()  # type: ignore[union-attr]  # callers looked
    if shown is None:
        _refuse_passwords(scheme, rest)
    place = text if shown is None else shown
    body, _, query = rest.partition("?")
    if scheme in FILES.values():
        if not body.startswith("/"):
            problem = f"a {scheme} file is named after three slashes"
            raise DataError(Fault(place, problem, f"Write {scheme}:///path."))
        return _of_file(scheme, unquote(body[1:]), query, place)
    table, others = _settings(query, place)
    tail = f"?{urlencode(others, quote_via=quote)}" if others else ""
    return Address(place, scheme, table, f"{scheme}://{body}{tail}")


def _settings(query: str, place: str) -> tuple[TableName, list[tuple[str, str]]]:
    """Take the table out of the settings of an address."""
    given = parse_qsl(query, keep_blank_values=True)
    named = [value for name, value in given if name == "table"]
    if not named:
        raise DataError(Fault(place, "it names no table", _ADD_TABLE))
    table = TableName.parsed(named[-1])
    if table is None:
        problem = f"{named[-1]!r} is not the name of a table"
        remedy = 'Write NAME or SCHEMA.NAME; put a name with dots in double quotes: "a.b".'
        raise DataError(Fault(place, problem, remedy))
    return table, [(name, value) for name, value in given if name != "table"]


def _refuse_passwords(scheme: str, rest: str) -> None:
    """Refuse an address with a password, and do not show it.

    What stands before the last @ ahead of the table is taken for user and password, however it is
    spelt: a password may hold what parts an address.
    """
    head, found, tail = rest.partition("table=")[0].rpartition("@")
    user, colon, _ = head.partition(":")
    if found and colon:
        shown = f"{scheme}://{user}:...@{tail.partition('?')[0]}"
        raise DataError(Fault(shown, "the address contains a password", _HIDE))
    settings = parse_qsl(rest.partition("?")[2], keep_blank_values=True)
    secret = [name for name, _ in settings if any(word in name.lower() for word in _SECRETS)]
    if secret:
        shown = f"{scheme}://{rest.partition('?')[0]}?{secret[0]}=..."
        raise DataError(Fault(shown, "the address contains a password", _HIDE))
