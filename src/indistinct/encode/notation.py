"""Reading text columns as the plan's hierarchies need them: numbers and dates in other notations.

Quasi columns come out as everybody reads them (`1234.56`, ISO dates), since hierarchies and ranges
are written so. Sensitive and other columns are released as they are; where the order of sensitive
values counts, it is that of what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.hierarchy.meaning import Read, asked_of, in_words, read_values, reading_faults
from indistinct.hierarchy.notation import Dates as DateWay
from indistinct.hierarchy.notation import Numbers
from indistinct.hierarchy.order import or_nan, to_number
from indistinct.io.arrow import dictionary_of
from indistinct.io.encoding import encode
from indistinct.io.plain import unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from indistinct.errors import Fault
    from indistinct.hierarchy.notation import Way
    from indistinct.plan import Input, Plan


def in_notation(data: pa.Table, plan: Plan) -> tuple[pa.Table, list[str], list[Fault]]:
    """Return the table with quasi columns as hierarchies read them; notes and faults beside it."""
    notes: list[str] = []
    faults: list[Fault] = []
    for name in plan.with_role("quasi"):
        asked = asked_of(plan.columns[name].hierarchy)
        if asked is None or name not in data.column_names or not _is_text(data, name):
            continue
        column = dictionary_of(data.column(name))
        read = read_values(_texts(column), asked, plan.input)
        place = f"column {name!r}"
        if read.problem:
            faults += reading_faults(read, encode(column, name).domain, place)
        if read.note:
            notes.append(f"{place}: {read.note}")
        if read.texts:
            spot = data.column_names.index(name)
            data = data.set_column(spot, name, _respelt(column, read.texts))
    return data, notes, faults


def _is_text(data: pa.Table, name: str) -> bool:
    """Return whether a column holds text; broken text is left to whoever encodes it, to say so."""
    column = data.column(name)
    inner = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(inner) or pa.types.is_large_string(inner)
    return bool(is_text) and unreadable(column, name) is None


def _texts(column: pa.ChunkedArray) -> list[str]:
    return column.chunk(0).dictionary.to_pylist() if column.num_chunks else []


def _respelt(column: pa.ChunkedArray, texts: Mapping[str, str]) -> pa.ChunkedArray:
    chunks = []
    for chunk in column.chunks:
        values = [texts.get(value, value) for value in chunk.dictionary.to_pylist()]
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, pa.array(values, pa.string())))
    return pa.chunked_array(chunks)


def as_decided(
    data: pa.Table, options: Input, markers: Collection[str] = ()
) -> tuple[pa.Table, dict[str, str], list[str]]:
    """Read every text column in the way that its values decide, whatever its role may become.

    Returns the table, the settings of `[input]` on which all columns agree, and what to say of it.
    Values among `markers` do not count.
    """
    ways: dict[str, Way] = {}
    notes: list[str] = []
    pointed = False
    for place, name in enumerate(data.column_names):
        if not _is_text(data, name):
            continue
        column = dictionary_of(data.column(name))
        values = [text for text in _texts(column) if text not in markers]
        read = read_values(values, "either", options) if values else Read()
        if read.texts and read.way:
            ways[name] = read.way
            data = data.set_column(place, name, _respelt(column, read.texts))
        elif read.note:
            notes.append(f"column {name!r}: {read.note}")
        else:
            pointed = pointed or _has_points(values)
    columns_by_way: dict[str, list[str]] = {}
    for name, way in ways.items():
        columns_by_way.setdefault(in_words(way), []).append(name)
    notes += [f"{words}: {', '.join(names)}" for words, names in columns_by_way.items()]
    return data, _agreed(ways.values(), pointed=pointed), notes


def _has_points(values: Sequence[str]) -> bool:
    """Return whether these are numbers with decimal points."""
    return any("." in value for value in values) and all(
        np.isfinite(or_nan(to_number, value)) for value in values
    )


def _agreed(ways: Iterable[Way], *, pointed: bool) -> dict[str, str]:
    """Find the settings that fit all columns; where two differ, each is read by its own values."""
    ways = list(ways)
    agreed: dict[str, str] = {}
    orders = {way.order for way in ways if isinstance(way, DateWay)}
    if len(orders) == 1:
        agreed["dates"] = orders.pop()
    numbers = [way for way in ways if isinstance(way, Numbers)]
    decimals = {way.decimal for way in numbers} | ({"."} if pointed else set())
    marks = {way.thousands for way in numbers if way.thousands}
    if numbers and len(decimals) == 1 and len(marks) <= 1:
        agreed["decimal"] = decimals.pop()
        agreed |= dict.fromkeys(["thousands"][: len(marks)], "".join(marks))
    return agreed
