"""Spark hashes rows where they are, whatever their order (`io/content.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.io import texts
from indistinct.io.content import MISSING, PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence


BITS = 256


def buckets_of(counted: Any, columns: Sequence[str], count: str) -> Any:
    """Return the hash of each bucket of leaves, given distinct rows with how many each is."""
    from pyspark.sql import functions as F  # noqa: N812

    written = _written(counted, columns)
    cells = [
        F.coalesce(
            F.concat(F.octet_length(name).cast("string"), F.lit(":"), F.col(name), F.lit(",")),
            F.lit(MISSING),
        )
        for name in columns
    ]
    leaf = F.sha2(F.concat(F.col(count).cast("string"), F.lit(";"), *cells), BITS)
    leaves = written.select(leaf.alias("leaf"))
    together = F.concat_ws("", F.array_sort(F.collect_list("leaf")))
    return leaves.groupBy(F.substring("leaf", 1, PREFIX).alias("bucket")).agg(
        F.sha2(together, BITS).alias("hash")
    )


def _written(counted: Any, columns: Sequence[str]) -> Any:
    """Write values as they are published; workers do it where Spark would write them otherwise."""
    from pyspark import cloudpickle
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import StringType, StructField, StructType

    odd = [place for place, name in enumerate(columns) if not _alike(counted.schema[name].dataType)]
    plain = counted.select(
        *(
            F.col(name) if place in odd else F.col(name).cast("string").alias(name)
            for place, name in enumerate(columns)
        ),
        *(name for name in counted.columns if name not in columns),
    )
    if not odd:
        return plain
    fields = [StructField(name, StringType()) for name in columns]
    schema = StructType([*fields, *plain.schema.fields[len(columns) :]])
    sent: Any = cloudpickle
    sent.register_pickle_by_value(texts)  # workers need not have it
    try:
        return plain.mapInArrow(texts.writer(frozenset(odd)), schema)
    finally:
        sent.unregister_pickle_by_value(texts)


def _alike(kind: Any) -> bool:
    """Return whether Spark casts values of this type to the texts that we publish."""
    from pyspark.sql.types import BooleanType, DateType, IntegralType, StringType

    return isinstance(kind, StringType | IntegralType | BooleanType | DateType)
