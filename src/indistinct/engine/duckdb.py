"""DuckDB as the engine: Parquet and CSV files larger than memory, on this machine.

All statements are here. Columns are listed by name, never by `*`; rows find their entry by codes
of their values, for which `IS NOT DISTINCT FROM` makes a missing value a value like any other.
Whatever is kept while it works lies in one folder that only its owner may read, and that goes with
the engine.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from indistinct.engine.base import Grouped
from indistinct.engine.duckdb_content import content_of
from indistinct.engine.duckdb_entries import KeptEntries, counts_in, spread
from indistinct.engine.duckdb_faults import full_disk, is_full, told, unwritable
from indistinct.engine.duckdb_session import connected, spill_folder
from indistinct.engine.statements import Domain, inner_and_outer, key_words, literal, quoted
from indistinct.io.encoding import refuse_incomparable
from indistinct.io.plain import in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indistinct.engine.base import Assignment, Layout

COUNT = '"\trows"'
"""What the number of rows is called beside columns of the source, whose names may be any."""
PARQUET = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
"""How a release is written: into the draft, whose lock and mode another file would not have."""
SEARCHING = "256MB"
"""How much DuckDB may keep in memory while a method searches."""


class DuckDb(KeptEntries):
    """DuckDB over files of one kind.

    Parameters
    ----------
    scan
        How the rows are read, as DuckDB says it: `read_parquet('visits/*.parquet')`.
    place
        How messages name the source.
    memory_limit
        How much memory DuckDB may use before it spills to disk; by default what DuckDB takes.
    folder
        Where to spill to; by default the system's folder for temporary files.
    missing
        Texts that mean a missing value.
    """

    name: ClassVar[str] = "duckdb"
    writes_folders: ClassVar[bool] = False

    def __init__(
        self,
        scan: str,
        place: str,
        *,
        memory_limit: str | None = None,
        folder: Path | None = None,
        threads: int | None = None,
        missing: Sequence[str] = (),
    ) -> None:
        self.place = place
        self._spill = spill_folder(folder)
        self._limit = memory_limit
        self._domains: list[Domain] = []
        self._connection = connected(self._spill, memory_limit, threads)
        self._files, self._missing = scan, tuple(missing)

    @cached_property
    def _scan(self) -> str:
        """The columns as Arrow has them: NaN is missing, as are the texts that mean it."""
        return self._as_arrow_has_it(self._files)

    def _as_arrow_has_it(self, files: str) -> str:
        described = self._run(f"DESCRIBE SELECT * FROM {files}")
        columns = [(name, str(kind)) for name, kind, *_ in described]
        plain = [_as_arrow_has_it(quoted(name), kind, self._missing) for name, kind in columns]
        if plain == [quoted(name) for name, _ in columns]:
            return files
        named = (f"{one} AS {quoted(name)}" for one, (name, _) in zip(plain, columns, strict=True))
        return f"(SELECT {', '.join(named)} FROM {files})"

    def schema(self) -> pa.Schema:
        """Name the columns of the source and their types."""
        with self._telling():
            # no row is read: the types alone are wanted
            return self._arrow(f"SELECT * FROM {self._scan} LIMIT 0").schema

    def count(self) -> int:
        """Count the rows of the source."""
        return int(self._number(f"SELECT count(*) FROM {self._scan}"))

    def distinct(self, columns: Sequence[str]) -> int:
        """Count the distinct rows of some columns, about."""
        named = ", ".join(map(quoted, columns))
        statement = f"SELECT approx_count_distinct(hash({named})) FROM {self._scan}"
        return int(self._number(statement))

    def values(self, column: str, most: int) -> Grouped:
        """Count the rows of each value of a column, of so many values at most."""
        counted = self._arrow(
            f"SELECT {quoted(column)} AS value, count(*) AS rows FROM {self._scan} "
            f"GROUP BY {quoted(column)} LIMIT {int(most)}"
        )
        return Grouped(counted.select(["value"]).rename_columns([column]), counts_in(counted))

    def grouped(self, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns; each value goes by its code from here on."""
        self._group(columns)
        return self._entries()

    def _group(self, columns: Sequence[str]) -> None:
        """Count the distinct rows of some columns, and keep them by the codes of their values."""
        refuse_incomparable(self.schema(), columns)
        named = ", ".join(map(quoted, columns))
        self._run("DROP TABLE IF EXISTS distinct_rows")
        self._run(
            f"CREATE TABLE distinct_rows AS SELECT {named}, count(*) AS {COUNT} "
            f"FROM {self._scan} GROUP BY {named}"
        )
        self._domains = [self._domain(place, name) for place, name in enumerate(columns)]
        codes = ", ".join(f"d{d.place}.code AS c{d.place}" for d in self._domains)
        words = ", ".join(f"{word} AS w{i}" for i, word in enumerate(key_words(self._domains)))
        order = ", ".join(f"d{d.place}.code" for d in self._domains)
        self._run("DROP TABLE IF EXISTS entries")
        self._run(
            f"CREATE TABLE entries AS SELECT row_number() OVER (ORDER BY {order}) - 1 AS entry, "
            f"{codes}, {words}, source.{COUNT} AS rows FROM distinct_rows AS source {self._joins()}"
        )
        self._run("DROP TABLE distinct_rows")

    def _domain(self, place: int, name: str) -> Domain:
        """Number the values of a column, the missing one among them."""
        self._run(f"DROP TABLE IF EXISTS domain{place}")
        self._run(
            f"CREATE TABLE domain{place} AS SELECT row_number() OVER (ORDER BY value NULLS LAST) "
            f"- 1 AS code, value FROM (SELECT DISTINCT {quoted(name)} AS value FROM distinct_rows)"
        )
        values = self._arrow(f"SELECT value FROM domain{place} ORDER BY code")
        return Domain(place, name, values.column(0).combine_chunks())

    def _joins(self) -> str:
        return " ".join(
            f"JOIN domain{d.place} AS d{d.place} "
            f"ON source.{quoted(d.column)} IS NOT DISTINCT FROM d{d.place}.value"
            for d in self._domains
        )

    def _entries(self) -> Grouped:
        """Fetch the entries, as codes of their values."""
        named = ", ".join(f"c{d.place}" for d in self._domains)
        fetched = self._arrow(f"SELECT {named}, rows FROM entries ORDER BY entry")
        columns = {
            domain.column: domain.column_of(fetched.column(f"c{domain.place}"))
            for domain in self._domains
        }
        self._shrink()
        return Grouped(pa.table(columns), counts_in(fetched))

    def _shrink(self) -> None:
        """Take less memory while a method searches."""
        with suppress(Exception):  # a smaller buffer is a wish, not a need
            self._run(f"SET memory_limit = {literal(SEARCHING)}")

    def _grow(self) -> None:
        """Take as much memory again as may be taken."""
        limit = f"SET memory_limit = {literal(self._limit)}" if self._limit else None
        self._run(limit or "RESET memory_limit")

    def write(self, draft: Path, assigned: Assignment, layout: Layout) -> None:
        """Write a draft of the release, sorted by what it shows."""
        self._grow()
        self._upload(assigned)
        cast = [
            f"CAST(units.u{place} AS VARCHAR) AS {quoted(name)}"
            if pa.types.is_string(_plain(assigned.units.schema.field(name).type))
            else f"units.u{place} AS {quoted(name)}"
            for place, name in enumerate(assigned.units.column_names)
        ]
        of_unit = dict(zip(assigned.units.column_names, cast, strict=True))
        own = _own(layout)
        shown = ", ".join(
            of_unit.get(name) or f"placed.{own[name]} AS {quoted(name)}" for name in layout.columns
        )
        order = ", ".join(["placed.unit", *(f"placed.{name} NULLS LAST" for name in own.values())])
        self._run(
            f"COPY (SELECT {shown} FROM ({self._placed(layout)}) AS placed "
            f"JOIN units ON units.unit = placed.unit ORDER BY {order}) "
            f"TO {literal(str(draft))} ({PARQUET})",
            draft,
        )

    def _upload(self, assigned: Assignment) -> None:
        """Bring what entries become; texts as numbers into a list of labels, which sort quickly."""
        parts = pa.table(
            {
                "entry": assigned.entry,
                "unit": assigned.unit,
                "first": assigned.first,
                "rows": assigned.rows,
            }
        )
        self._load("parts", parts)
        number = pa.array(np.arange(assigned.units.num_rows, dtype=np.int32))
        units = assigned.units.rename_columns(
            [f"u{place}" for place in range(assigned.units.num_columns)]
        )
        self._load("units", units.append_column("unit", number), labels=True)
        words = ", ".join(f"entries.w{i}" for i in range(len(key_words(self._domains))))
        for name, chosen in (("whole", "="), ("split", "<>")):
            self._run(f"DROP TABLE IF EXISTS {name}")
            self._run(
                f"CREATE TABLE {name} AS SELECT {words}, parts.unit, parts.first, parts.rows "
                f"FROM parts JOIN entries ON entries.entry = parts.entry "
                f"WHERE parts.rows {chosen} entries.rows"
            )

    def _placed(self, layout: Layout) -> str:
        """Say how rows of the source come to their units; those of entries left out do not."""
        words = key_words(self._domains)
        own = _own(layout)
        made = {name: _pseudonym(name, key) for name, key in layout.pseudonyms.items()}
        columns = [
            f"{made.get(name, f'source.{quoted(name)}')} AS {number}"
            for name, number in own.items()
        ]
        keyed = (
            f"SELECT {', '.join([*columns, *(f'{word} AS w{i}' for i, word in enumerate(words))])} "
            f"FROM {self._scan} AS source {self._joins()}"
        )
        named = list(own.values())
        same = " AND ".join(f"keyed.w{i} = found.w{i}" for i in range(len(words)))
        of_keyed = "".join(f"keyed.{name}, " for name in named)
        whole = f"SELECT {of_keyed}found.unit FROM ({keyed}) AS keyed JOIN whole AS found ON {same}"
        if not self._number("SELECT count(*) FROM split"):
            return whole
        return f"{whole} UNION ALL {spread(keyed, named, len(words), layout.secret)}"

    def read_back(self, draft: Path, columns: Sequence[str]) -> Grouped:
        """Count the distinct rows of some columns of a draft."""
        named = ", ".join(map(quoted, columns))
        counted = self._arrow(
            f"SELECT {named}, count(*) AS {COUNT} FROM read_parquet({literal(str(draft))}) "
            f"GROUP BY {named}"
        )
        return Grouped(counted.select(list(columns)), counts_in(counted))

    def progress(self) -> float | None:
        """Return which share of the statement that runs is done, as DuckDB guesses it."""
        done = float(self._connection.query_progress())
        return done / 100 if done >= 0 else None

    def content(self, draft: Path | None = None) -> str:
        """Hash the rows of a draft, or of the source, whatever their order."""
        self._grow()
        drafted = draft and self._as_arrow_has_it(f"read_parquet({literal(str(draft))})")
        with self._telling():
            return content_of(self._connection, drafted or self._scan)

    def interrupt(self) -> None:
        """Have the statement that runs end soon."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the database and remove its folder."""
        with suppress(Exception):
            self._connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def _load(self, name: str, table: pa.Table, *, labels: bool = False) -> None:
        """Make a table of the database from an Arrow table."""
        self._run(f"DROP TABLE IF EXISTS {name}")
        self._connection.register("given", table)
        columns = []
        for place, field in enumerate(table.schema):
            column = quoted(field.name)
            if labels and pa.types.is_string(_plain(field.type)):
                column = (
                    f"CAST({column} AS {self._labels(f'{name}{place}', field.name)}) AS {column}"
                )
            columns.append(column)
        self._run(f"CREATE TABLE {name} AS SELECT {', '.join(columns)} FROM given")
        self._connection.unregister("given")

    def _labels(self, name: str, column: str) -> str:
        """Make a type of the texts of a column, whose values are numbers to a sort."""
        self._run(f"DROP TYPE IF EXISTS {name}")
        self._run(
            f"CREATE TYPE {name} AS ENUM (SELECT DISTINCT CAST({quoted(column)} AS VARCHAR) "
            f"FROM given WHERE {quoted(column)} IS NOT NULL)"
        )
        return name

    def _run(self, statement: str, draft: Path | None = None) -> list[tuple[Any, ...]]:
        with self._telling(draft):
            rows: list[tuple[Any, ...]] = self._connection.execute(statement).fetchall()
            return rows

    def _arrow(self, statement: str) -> pa.Table:
        with self._telling():
            return in_utc(self._connection.sql(statement).to_arrow_table())

    def _number(self, statement: str) -> Any:
        return self._run(statement)[0][0]

    @contextmanager
    def _telling(self, draft: Path | None = None) -> Iterator[None]:
        """Say what DuckDB cannot do, without what it read."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            if draft is not None and draft.name in str(error):
                raise unwritable(error, draft) from None
            if is_full(error):
                raise full_disk(self._spill.parent) from None
            raise told(error, self.place) from None


def installed() -> bool:
    """Return whether DuckDB is there."""
    try:
        import duckdb  # noqa: F401
    except ImportError:
        return False
    return True


def _as_arrow_has_it(column: str, kind: str, missing: Sequence[str]) -> str:
    if kind in {"FLOAT", "DOUBLE"}:
        # DuckDB believes the bounds in a Parquet file, which leave NaN out, unless a function
        # stands between whose bounds it does not know; and -0.0 + 0 is 0.0
        unknown = f"nextafter({column}, {column})"
        return f"CASE WHEN isnan({unknown}) THEN NULL ELSE {column} + 0 END"
    if kind == "VARCHAR" and missing:
        texts = ", ".join(map(literal, missing))
        return f"CASE WHEN {column} IN ({texts}) THEN NULL ELSE {column} END"
    return column


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _own(layout: Layout) -> dict[str, str]:
    """Number the columns that rows bring along; a name of theirs might be one of ours."""
    return {
        name: f"o{place}"
        for place, name in enumerate(layout.columns)
        if name not in layout.from_units
    }


def _pseudonym(name: str, key: bytes) -> str:
    """Return HMAC-SHA256 of a value by a key, as `publishing/pseudonyms.py` has it (RFC 2104)."""
    inner, outer = (part.hex() for part in inner_and_outer(name, key))
    text = f"encode(CAST(source.{quoted(name)} AS VARCHAR))"
    first = f"unhex(sha256(unhex('{inner}') || {text}))"
    made = f"left(sha256(unhex('{outer}') || {first}), 32)"
    return f"CASE WHEN source.{quoted(name)} IS NULL THEN NULL ELSE {made} END"
