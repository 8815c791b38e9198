"""What Spark reads, as Arrow reads it: the same values, missing ones too, under plain numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.engine.choosing import text_file
from indistinct.errors import DataError, Fault
from indistinct.io.plain import refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.plan import Plan

GLOB = "\\{}[]*?"
PLAIN = "UTF8_BINARY"


def frame_of_path(spark: Any, path: str, plan: Plan) -> Any:
    """Return a data frame over a Parquet file, a folder of them, or a CSV file of texts."""
    if "://" in path:
        return spark.read.parquet(path)
    place = Path(path)
    kind = place.name.lower().removesuffix(".gz").rpartition(".")[2]
    if not place.exists():
        remedy = "Check the path; every machine of the cluster must see it."
        raise DataError(Fault(path, "there is no such file or folder", remedy))
    if place.is_dir():
        options = {"recursiveFileLookup": "false", "pathGlobFilter": "*.parquet"}
        return spark.read.options(**options).parquet(escaped(place))
    if kind in {"parquet", "pq"}:
        return spark.read.parquet(escaped(place))
    if kind in {"csv", "tsv", "txt"}:
        return _csv(spark, place, plan)
    problem = "Spark reads Parquet and CSV files"
    raise DataError(Fault(path, problem, 'Write it as Parquet, or set engine = "local".'))


def _csv(spark: Any, path: Path, plan: Plan) -> Any:
    """Read all columns as text; an empty field is an empty text until missing values are told."""
    from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
    from pyspark.sql.types import StringType, StructField, StructType

    text = text_file(path, plan, "Spark")
    schema = StructType(
        [StructField(f"x{place}", StringType()) for place in range(len(text.names))]
    )
    reader = spark.read.schema(schema).options(
        header=True,
        sep=text.delimiter,
        quote='"',
        escape='"',
        encoding="UTF-8",
        mode="FAILFAST",
        multiLine=True,
        enforceSchema=True,
        emptyValue="",
        ignoreLeadingWhiteSpace=False,
        ignoreTrailingWhiteSpace=False,
    )
    read = reader.csv(escaped(path))
    texts = [F.coalesce(F.col(field.name), F.lit("")) for field in schema]
    missing = [F.when(~value.isin(*text.missing), value) for value in texts]
    return read.select(
        *(value.alias(name) for value, name in zip(missing, text.names, strict=True))
    )


def escaped(path: Path) -> str:
    """Write the path of a file here so that Spark takes it for nothing but that."""
    plain = "".join(f"\\{sign}" if sign in GLOB else sign for sign in str(path.absolute()))
    return f"file://{plain}"


def as_arrow_has_it(frame: Any, place: str, missing: Sequence[str]) -> Any:
    """Return the columns under the names `x0`, `x1`, their values as Arrow has them.

    NaN is missing, and -0.0 is 0.0; texts are compared by their bytes, and those of `missing` mean
    a missing value.
    """
    from pyspark.sql import functions as F  # noqa: N812

    refuse_repeated(list(frame.columns), place)
    numbered = frame.toDF(*(f"x{number}" for number in range(len(frame.columns))))
    return numbered.select(
        *(_plain(field, missing, F).alias(field.name, metadata={}) for field in numbered.schema)
    )


def _plain(field: Any, missing: Sequence[str], F: Any) -> Any:  # noqa: N803
    from pyspark.sql.types import DoubleType, FloatType, StringType

    column = F.col(field.name)
    if isinstance(field.dataType, FloatType | DoubleType):
        return F.when(~F.isnan(column), column + F.lit(0.0).cast(field.dataType))
    if not isinstance(field.dataType, StringType):
        return column
    if getattr(field.dataType, "collation", PLAIN) != PLAIN:
        column = F.collate(column, PLAIN)
    return F.when(~column.isin(*missing), column) if missing else column
