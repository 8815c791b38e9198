"""Values that would read like something else in a release: suppressed rows, or sets of values.

Nodes and values of one hierarchy are told apart in `hierarchy/names.py`; ranges are of numbers and
dates, which no value in brackets is. What is left are texts that publishing itself makes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import Fault, counted
from indistinct.hierarchy import TOP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indistinct.plan import Plan

_NODES = 'Rename it in the data, or set publish = "node".'


def blank_look_alikes(data: pa.Table, plan: Plan) -> Iterator[Fault]:
    """Report columns released as they are that hold `*`, to which suppressed rows are blanked."""
    if plan.suppressed != "blank":
        return
    for name in data.column_names:
        column = plan.columns.get(name)
        role = column.role if column else plan.unlisted
        if role in {"sensitive", "other"} and (count := _stars(data.column(name))):
            yield Fault(
                f"column {name!r}",
                f"{counted(count, 'row')} hold the text {TOP!r}, which is how a blanked row reads",
                'Set suppressed = "drop", or that it means a missing value: '
                f'[input] missing = ["", "{TOP}"].',
            )


def _stars(column: pa.ChunkedArray) -> int:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return 0
    return int(pc.sum(pc.equal(column, TOP)).as_py() or 0)


def set_look_alikes(values: Sequence[str | None], place: str) -> Iterator[Fault]:
    """Report values for which the text of a published set could be read in two ways.

    A set is written `{a, b}`. If the parts of no value, split at ", ", are the first parts of
    another value, what is written can be read back from left to right in one way only.
    """
    parts = sorted(("" if leaf is None else leaf).split(", ") for leaf in values)
    for one, other in pairwise(parts):
        if other[: len(one)] == one:
            texts = ", ".join(one), ", ".join(other)
            yield Fault(
                place,
                f"values {texts[0]!r} and {texts[1]!r} cannot be distinguished in a set",
                _NODES,
            )
    for leaf in values:
        if leaf is not None and leaf[:1] == "{" and leaf[-1:] == "}":
            yield Fault(place, f"value {leaf!r} reads like a published set", _NODES)
