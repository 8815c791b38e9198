"""The release as Spark computes it: each row as its entry was recoded, sorted by what it shows.

Rows go to as many parts as their number asks for, each unit to one part, so that the sizes of the
files are known from the release itself, whatever the source and the cluster look like.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.engine.statements import digits, inner_and_outer
from indistinct.errors import DataError, Fault
from indistinct.io.arrow import number_array
from indistinct.io.plain import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.engine.base import Assignment, Layout
    from indistinct.engine.coding import Coded
    from indistinct.engine.statements import Domain

COUNT = "rows"
ROWS_OF_PART = 1_000_000
SMALL = 1_000_000
"""How many rows a table may have that every machine gets a copy of."""
TRIES = 64


class RowsByCode:
    """The rows of a source, and the codes of their values.

    Parameters
    ----------
    source
        The rows, in columns `x0`, `x1`.
    names
        What these columns are called.
    domains
        The values of the counted columns.
    codes
        The code of each of these values, where it is not its place.
    """

    def __init__(
        self,
        source: Any,
        names: Sequence[str],
        domains: Sequence[Domain],
        codes: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        self._source = source
        self._spark = source.sparkSession
        self._names = list(names)
        self._domains = tuple(domains)
        self._codes = codes or [np.arange(len(d.values), dtype=np.int32) for d in domains]
        self._digits = digits([len(domain.values) for domain in domains])
        self._words = [f"w{number}" for number in range(len(self._digits))]

    def with_codes(self, rows: Any) -> Any:
        """Add the codes of the values of counted columns: `c0`, `c1`."""
        from pyspark.sql import functions as F  # noqa: N812

        for domain in self._domains:
            value, column = F.col(f"v{domain.place}"), self._column(domain.column)
            rows = rows.join(self._domain(domain), column.eqNullSafe(value))
        return rows

    def _column(self, name: str) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        return F.col(f"x{self._names.index(name)}")

    def _domain(self, domain: Domain) -> Any:
        """Return the codes of the values of a column."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.types import IntegerType, StructField, StructType

        place = domain.place
        codes = number_array(self._codes[place])
        table = pa.table({f"v{place}": domain.values, f"c{place}": codes})
        kind = self._source.schema[self._names.index(domain.column)].dataType
        schema = StructType(
            [StructField(f"v{place}", kind), StructField(f"c{place}", IntegerType())]
        )
        codes = uploaded(self._spark, table, schema)
        return F.broadcast(codes) if table.num_rows <= SMALL else codes


class Rewriting(RowsByCode, ABC):
    """What becomes of the rows of a source; its parameters are those of its base."""

    def released(self, assigned: Assignment, layout: Layout) -> Any:
        """Return the published rows as a data frame, in their order."""
        from pyspark.sql import functions as F  # noqa: N812

        own = [
            f"o{place}" for place, name in enumerate(layout.columns) if name in self._own(layout)
        ]
        placed = self._placed(assigned, layout, own)
        units, parts = self._units(assigned)
        joined = placed.join(units, "unit")
        apart = joined.repartition(parts, "part") if parts > 1 else joined.repartition(1)
        order = ["unit", *(F.col(name).asc_nulls_last() for name in own)]
        of_unit = {name: f"u{n}" for n, name in enumerate(assigned.units.column_names)}
        shown = [of_unit.get(name, f"o{place}") for place, name in enumerate(layout.columns)]
        return apart.sortWithinPartitions(*order).select(
            *(
                F.col(column).alias(name, metadata={})
                for column, name in zip(shown, layout.columns, strict=True)
            )
        )

    def _own(self, layout: Layout) -> set[str]:
        return {*layout.as_they_are, *layout.pseudonyms}

    def _placed(self, assigned: Assignment, layout: Layout, own: list[str]) -> Any:
        """Bring rows to their units; those of entries that are suppressed come to none."""
        whole, split = self._parts(assigned)
        keyed = self._keyed(layout)
        placed = keyed.join(whole, self._words).select(*own, "unit")
        return placed if split is None else placed.union(self._spread(keyed, split, own))

    def _keyed(self, layout: Layout) -> Any:
        """Return what rows show of themselves, with the numbers that their entries go by."""
        from pyspark.sql import functions as F  # noqa: N812

        rows = self.with_codes(self._source.crossJoin(F.broadcast(self._keys(layout))))
        rows = rows.withColumns(words_of("w", "c", self._digits))
        shown = [
            self._shown(name, layout).alias(f"o{place}")
            for place, name in enumerate(layout.columns)
            if name in self._own(layout)
        ]
        return rows.select(*shown, *self._words, "secret")

    def _shown(self, name: str, layout: Layout) -> Any:
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.types import MapType, VariantType

        kind = self._source.schema[self._names.index(name)].dataType
        column = self._column(name)
        if name not in layout.pseudonyms:
            if isinstance(kind, MapType | VariantType):
                problem = f"values of type {kind.simpleString()} have no order"
                raise DataError(
                    Fault(f"column {name!r}", problem, "Turn it into text, or drop it.")
                )
            return column
        text = F.encode(_as_text(column, kind, name), "UTF-8")
        place = list(layout.pseudonyms).index(name)
        inner = F.unhex(F.sha2(F.concat(F.col(f"inner{place}"), text), 256))
        return F.substring(F.sha2(F.concat(F.col(f"outer{place}"), inner), 256), 1, 32)

    def _keys(self, layout: Layout) -> Any:
        """Return the keys of pseudonyms, and one to order rows by, as a row of data."""
        keys = {"secret": pa.array([layout.secret.hex()])}
        for place, (name, key) in enumerate(layout.pseudonyms.items()):
            inner, outer = inner_and_outer(name, key)
            keys |= {f"inner{place}": pa.array([inner]), f"outer{place}": pa.array([outer])}
        return uploaded(self._spark, pa.table(keys))

    @abstractmethod
    def _parts(self, assigned: Assignment) -> tuple[Any, Any]:
        """Return the units of whole entries, and the parts of others; None if all are whole.

        Entries go by their numbers `w0`, `w1`.
        """

    def _spread(self, keyed: Any, split: Any, own: list[str]) -> Any:
        """Spread the rows of an entry over its units, in an order that nobody knows.

        They are ordered by a keyed hash of what they show; rows that show the same may change
        places.
        """
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        shown = F.to_json(F.struct(*own)) if own else F.lit("")
        hashed = F.sha2(F.concat(F.col("secret"), shown), 256)
        place = F.row_number().over(Window.partitionBy(*self._words).orderBy(hashed)) - 1
        wanted = keyed.join(split.select(*self._words).distinct(), self._words, "left_semi")
        ordered = wanted.select(*own, *self._words, place.cast("bigint").alias("place"))
        places = F.sequence(F.col("first"), F.col("first") + F.col(COUNT) - 1)
        places_of = split.select(*self._words, "unit", F.explode(places).alias("place"))
        return ordered.join(places_of, [*self._words, "place"]).select(*own, "unit")

    def _units(self, assigned: Assignment) -> tuple[Any, int]:
        """Return what units show, and to which of how many parts of the release each goes."""
        from pyspark.sql import functions as F  # noqa: N812

        count = assigned.units.num_rows
        rows = np.bincount(assigned.unit, assigned.rows, count).astype(np.int64)
        part = (np.cumsum(rows) - rows) // ROWS_OF_PART
        _, part = np.unique(part, return_inverse=True)
        parts = int(part.max(initial=0)) + 1
        labels = decoded(assigned.units)
        table = labels.rename_columns([f"u{n}" for n in range(labels.num_columns)])
        table = table.append_column("unit", number_array(np.arange(count, dtype=np.int32)))
        keys = _keys_of_parts(self._spark, parts)[part]
        units = uploaded(self._spark, table.append_column("part", number_array(keys)))
        return (F.broadcast(units) if count <= SMALL else units), parts


class RewritingCoded(Rewriting):
    """What becomes of the rows of a source whose entries are here.

    Parameters
    ----------
    coded
        The counted entries.
    """

    def __init__(self, source: Any, names: Sequence[str], coded: Coded) -> None:
        super().__init__(source, names, coded.domains)
        self._coded = coded

    def _parts(self, assigned: Assignment) -> tuple[Any, Any]:
        whole = assigned.rows == self._coded.counts[assigned.entry]
        if whole.all():
            return self._some(assigned, whole), None
        places = {"first": assigned.first[~whole], COUNT: assigned.rows[~whole]}
        return self._some(assigned, whole), self._some(assigned, ~whole, places)

    def _some(
        self,
        assigned: Assignment,
        chosen: NDArray[np.bool_],
        places: Mapping[str, NDArray[np.int64]] | None = None,
    ) -> Any:
        """Return the parts of some entries, by the numbers that these go by."""
        from pyspark.sql import functions as F  # noqa: N812

        columns: dict[str, Any] = {
            name: word[assigned.entry[chosen]]
            for name, word in zip(self._words, self._coded.words(), strict=True)
        }
        columns |= {"unit": assigned.unit[chosen], **(places or {})}
        parts = uploaded(self._spark, pa.table({n: number_array(c) for n, c in columns.items()}))
        return F.broadcast(parts) if np.count_nonzero(chosen) <= SMALL else parts


def words_of(
    word: str, digit: str, digits_of_word: Sequence[Sequence[tuple[int, int]]]
) -> dict[str, Any]:
    """Write numbers whose digits are columns: `w0` of `c0` and `c1`, for instance."""
    from pyspark.sql import functions as F  # noqa: N812

    return {
        f"{word}{number}": reduce(
            lambda first, more: first + more,
            (F.col(f"{digit}{place}").cast("bigint") * F.lit(space) for place, space in places),
        )
        for number, places in enumerate(digits_of_word)
    }


def uploaded(spark: Any, table: pa.Table, schema: Any = None) -> Any:
    """Bring a table to Spark; times without a zone stay so."""
    from pyspark.sql.pandas.types import from_arrow_schema

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what versions of pandas it likes
        schema = schema or from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        return spark.createDataFrame(table, schema)


def _keys_of_parts(spark: Any, parts: int) -> NDArray[np.int64]:
    """Return a number for each part whose hash leads Spark to the partition of that number."""
    from pyspark.sql import functions as F  # noqa: N812

    if parts == 1:
        return np.zeros(1, dtype=np.int64)
    leads = F.pmod(F.hash("id"), F.lit(parts)).alias("part")
    tried = spark.range(parts * TRIES).select("id", leads).toArrow()
    part, first = np.unique(tried.column("part").to_numpy(), return_index=True)
    if part.size != parts:  # less likely than that the machine breaks
        raise AssertionError("a part of the release has no number")
    keys: NDArray[np.int64] = tried.column("id").to_numpy()[first]
    return keys


def _as_text(column: Any, kind: Any, name: str) -> Any:
    """Write identifiers as text, as they are written elsewhere; raise if Spark would not."""
    from pyspark.sql.types import BooleanType, DateType, IntegralType, StringType

    if isinstance(kind, StringType | IntegralType | BooleanType | DateType):
        return column.cast("string")
    problem = f"pseudonyms of values of type {kind.simpleString()} cannot be made by Spark"
    raise DataError(Fault(f"column {name!r}", problem, "Turn the column into text first."))
