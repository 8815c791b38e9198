"""Reading text columns as the plan's hierarchies need them: numbers and dates in other notations.

Quasi columns come out as everybody reads them (`1234.56`, ISO dates), since hierarchies and ranges
are written so. Sensitive and other columns are released as they are; where the order of sensitive
values counts, it is that of what they say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from indistinct.errors import Fault, HierarchyError, counted
from indistinct.hierarchy import Domain, Hierarchy
from indistinct.hierarchy.notation import Dates as DateWay
from indistinct.hierarchy.notation import Numbers, Sniffed, sniff_dates, sniff_numbers
from indistinct.hierarchy.order import in_natural_order, or_nan, to_number
from indistinct.hierarchy.spec import Cuts, Dates, Intervals, Suggested
from indistinct.io.arrow import dictionary_of
from indistinct.io.encoding import encode
from indistinct.io.plain import unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from indistinct.hierarchy.notation import Way
    from indistinct.hierarchy.spec import Spec
    from indistinct.plan import Input, Plan

Asked = Literal["number", "date", "either"]


@dataclass(frozen=True)
class Read:
    """How the values of one column are read.

    Attributes
    ----------
    texts
        What values say that are written otherwise.
    note
        What was found out, in words; empty if nothing was.
    problem, remedy
        Why they cannot be read, and what to do; empty if they can.
    wrong
        Values that are not written as the plan says, but would be read as something else.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    way: Way | None = None
    note: str = ""
    problem: str = ""
    remedy: str = ""
    wrong: tuple[str, ...] = ()


def in_notation(data: pa.Table, plan: Plan) -> tuple[pa.Table, list[str], list[Fault]]:
    """Return the table with quasi columns as hierarchies read them; notes and faults beside it."""
    notes: list[str] = []
    faults: list[Fault] = []
    for name in plan.with_role("quasi"):
        asked = _asked(plan.columns[name].hierarchy)
        if asked is None or name not in data.column_names or not _is_text(data, name):
            continue
        column = dictionary_of(data.column(name))
        read = read_values(_texts(column), asked, plan.input)
        place = f"column {name!r}"
        if read.problem:
            faults += _faults(read, encode(column, name).domain, place)
        if read.note:
            notes.append(f"{place}: {read.note}")
        if read.texts:
            spot = data.column_names.index(name)
            data = data.set_column(spot, name, _respelt(column, read.texts))
    return data, notes, faults


def _asked(spec: Spec | None) -> Asked | None:
    """Tell what a hierarchy needs the values of its column to be."""
    if isinstance(spec, Intervals | Cuts):
        return "number"
    if isinstance(spec, Dates):
        return None if spec.format is not None else "date"
    return "either" if spec is None or isinstance(spec, Suggested) else None


def _is_text(data: pa.Table, name: str) -> bool:
    """Tell whether a column holds text; broken text is left to whoever encodes it, to say so."""
    column = data.column(name)
    inner = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(inner) or pa.types.is_large_string(inner)
    return bool(is_text) and unreadable(column, name) is None


def _texts(column: pa.ChunkedArray) -> list[str]:
    return column.chunk(0).dictionary.to_pylist() if column.num_chunks else []


def _faults(read: Read, domain: Domain, place: str) -> list[Fault]:
    faults = [
        Fault(
            place,
            f"value {value!r} ({counted(domain.rows_of[value], 'row')}) {read.problem}",
            read.remedy,
        )
        for value in read.wrong
    ]
    return faults if faults or not read.problem else [Fault(place, read.problem, read.remedy)]


def _respelt(column: pa.ChunkedArray, texts: Mapping[str, str]) -> pa.ChunkedArray:
    chunks = []
    for chunk in column.chunks:
        values = [texts.get(value, value) for value in chunk.dictionary.to_pylist()]
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, pa.array(values, pa.string())))
    return pa.chunked_array(chunks)


def read_values(values: Sequence[str], asked: Asked, options: Input) -> Read:
    """Decide how the values of a column are read, by what the plan says or by themselves."""
    if asked != "date":
        stated = options.numbers
        read = _as_stated(values, stated, asked) if stated else _by_numbers(values, asked)
        if asked == "number" or read.way or read.note:
            return read
    if options.dates is not None:
        return _as_stated(values, DateWay(options.dates), asked)
    return _by_dates(values, asked)


def _as_stated(values: Sequence[str], way: Way, asked: Asked) -> Read:
    """Read values in the way that the plan states; those of another kind stay as they are."""
    texts = {value: text for value in values if (text := way.read(value)) is not None}
    if asked == "either" and len(texts) < len(values):
        return Read()
    wrong = [value for value in values if value not in texts and _misread(value, way)]
    problem = f"is a number, but not with {way.in_words()}" if isinstance(way, Numbers) else ""
    remedy = f"The plan says {way} under [input]. Correct it, or the value."
    changed = {value: text for value, text in texts.items() if value != text}
    if wrong:
        return Read(changed, way, "", problem, remedy, tuple(wrong))
    return Read(changed, way)


def _misread(value: str, way: Way) -> bool:
    """Tell whether a value that does not fit would be taken for a plain number after all."""
    return isinstance(way, Numbers) and bool(np.isfinite(or_nan(to_number, value)))


def _by_numbers(values: Sequence[str], asked: Asked) -> Read:
    found = sniff_numbers(values)
    if found is None or (asked == "either" and not _reads_all(found, values)):
        return Read()
    if found.plain and len(found.ways) > 1:
        return Read(
            note="numbers such as 1.234 are read with a decimal point; where the point stands at "
            'thousands, say thousands = "." under [input]'
        )
    return _decided(found, values, asked, "number")


def _by_dates(values: Sequence[str], asked: Asked) -> Read:
    found = sniff_dates(values) if values else None
    if found is None or (asked == "either" and not _reads_all(found, values)):
        return Read()
    if not found.ways:
        return Read()
    return _decided(found, values, asked, "date")


def _reads_all(found: Sniffed, values: Sequence[str]) -> bool:
    return any(all(way.read(value) is not None for value in values) for way in found.ways)


def _decided(found: Sniffed, values: Sequence[str], asked: Asked, what: str) -> Read:
    """Take the one way that the values decide; ask where there are two, or none."""
    if found.plain:
        return Read()
    if len(found.ways) == 1:
        [way] = found.ways
        texts = {value: text for value in values if (text := way.read(value)) not in {None, value}}
        return Read(texts, way, f"its {_how(way)}, which its values decide (input: {way})")
    if not found.ways:
        problem = f"its {what}s are written in different ways"
        return Read(problem=problem, remedy="Write all of them alike.")
    told = " or ".join(map(str, found.ways))
    problem = f"its {what}s can be read in {len(found.ways)} ways, and no value decides which"
    if asked == "either":
        return Read(note=f"{problem}: they are taken for text; say {told} under [input]")
    return Read(problem=problem, remedy=f"Say {told} under [input].")


def _how(way: Way) -> str:
    if isinstance(way, Numbers):
        return f"numbers are read with {way.in_words()}"
    return f"dates are read as {way.in_words()}"


def built(spec: Spec, domain: Domain, plan: Plan, place: str) -> Hierarchy:
    """Build the hierarchy of a column whose values stay as they are written."""
    asked = _asked(spec)
    read = read_values(domain.known, asked, plan.input) if asked and domain.known else Read()
    if read.problem:
        raise HierarchyError(_faults(read, domain, place))
    if not read.texts:
        return spec.build(domain, place=place, base=plan.base)
    meaning = Domain.of(text for text in _meanings(domain.values, read.texts))
    paths = {path[0]: path for path in spec.build(meaning, place=place, base=plan.base).paths()}
    order = {text: at for at, text in enumerate(paths)}
    said = {value: read.texts.get(value, value) if value else value for value in domain.values}
    leaves = sorted(said, key=lambda value: (order[said[value]], value or ""))
    levels = [list(level) for level in zip(*(paths[said[leaf]] for leaf in leaves), strict=True)]
    return Hierarchy.from_columns([leaves, *levels[1:]])


def in_order_of_meaning(values: Sequence[str | None], options: Input) -> tuple[str | None, ...]:
    """Order values by the numbers or dates that they say, however written; the missing one last."""
    known = [value for value in values if value is not None]
    texts = read_values(known, "either", options).texts if known else {}
    if not texts:
        return in_natural_order(values)
    place = {text: at for at, text in enumerate(in_natural_order(_meanings(known, texts)))}
    ordered = sorted(known, key=lambda value: (place[texts.get(value, value)], value))
    return (*ordered, *([None] if None in values else []))


def _meanings(values: Iterable[str | None], texts: Mapping[str, str]) -> list[str | None]:
    return list(dict.fromkeys(texts.get(value, value) if value else value for value in values))


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
    told: dict[str, list[str]] = {}
    for name, way in ways.items():
        told.setdefault(_how(way), []).append(name)
    notes += [f"{words}: {', '.join(names)}" for words, names in told.items()]
    return data, _agreed(ways.values(), pointed=pointed), notes


def _has_points(values: Sequence[str]) -> bool:
    """Tell whether these are numbers with decimal points."""
    return any("." in value for value in values) and all(
        np.isfinite(or_nan(to_number, value)) for value in values
    )


def _agreed(ways: Iterable[Way], *, pointed: bool) -> dict[str, str]:
    """Find the settings that fit all columns; where two differ, each is read by its own values."""
    found = list(ways)
    agreed: dict[str, str] = {}
    orders = {way.order for way in found if isinstance(way, DateWay)}
    if len(orders) == 1:
        agreed["dates"] = orders.pop()
    numbers = [way for way in found if isinstance(way, Numbers)]
    decimals = {way.decimal for way in numbers} | ({"."} if pointed else set())
    marks = {way.thousands for way in numbers if way.thousands}
    if numbers and len(decimals) == 1 and len(marks) <= 1:
        agreed["decimal"] = decimals.pop()
        agreed |= dict.fromkeys(["thousands"][: len(marks)], "".join(marks))
    return agreed
