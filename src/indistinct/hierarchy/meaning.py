"""What values say that are written in other notations, as a plan or they themselves decide.

A hierarchy is of what values say (`1234.56`, ISO dates), however they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.errors import Fault, HierarchyError, counted
from indistinct.hierarchy.core import Hierarchy
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.notation import Dates as DateWay
from indistinct.hierarchy.notation import Numbers, Sniffed, sniff_dates, sniff_numbers
from indistinct.hierarchy.order import in_natural_order, or_nan, to_number
from indistinct.hierarchy.spec import Cuts, Dates, Intervals, Suggested

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def asked_of(spec: Spec | None) -> Asked | None:
    """Return what a hierarchy needs the values of its column to be."""
    if isinstance(spec, Intervals | Cuts):
        return "number"
    if isinstance(spec, Dates):
        return None if spec.format is not None else "date"
    return "either" if spec is None or isinstance(spec, Suggested) else None


def reading_faults(read: Read, domain: Domain, place: str) -> list[Fault]:
    """Return what cannot be read as the plan says."""
    faults = [
        Fault(
            place,
            f"value {value!r} ({counted(domain.rows_of[value], 'row')}) {read.problem}",
            read.remedy,
        )
        for value in read.wrong
    ]
    return faults if faults or not read.problem else [Fault(place, read.problem, read.remedy)]


def read_values(values: Sequence[str], asked: Asked, options: Input) -> Read:
    """Decide how the values of a column are read, by what the plan says or by themselves."""
    if asked != "date":
        stated = Numbers.stated(options.decimal, options.thousands)
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
    """Return whether a value that does not fit would be taken for a plain number after all."""
    return isinstance(way, Numbers) and bool(np.isfinite(or_nan(to_number, value)))


def _by_numbers(values: Sequence[str], asked: Asked) -> Read:
    sniffed = sniff_numbers(values)
    if sniffed is None or (asked == "either" and not _reads_all(sniffed, values)):
        return Read()
    if sniffed.plain and len(sniffed.ways) > 1:
        return Read(
            note="numbers such as 1.234 are read with a decimal point; if the point separates "
            'thousands, set thousands = "." under [input]'
        )
    return _decided(sniffed, values, asked, "number")


def _by_dates(values: Sequence[str], asked: Asked) -> Read:
    sniffed = sniff_dates(values) if values else None
    if sniffed is None or (asked == "either" and not _reads_all(sniffed, values)):
        return Read()
    if not sniffed.ways:
        return Read()
    return _decided(sniffed, values, asked, "date")


def _reads_all(sniffed: Sniffed, values: Sequence[str]) -> bool:
    return any(all(way.read(value) is not None for value in values) for way in sniffed.ways)


def _decided(sniffed: Sniffed, values: Sequence[str], asked: Asked, what: str) -> Read:
    """Take the one way that the values decide; ask where there are two, or none."""
    if sniffed.plain:
        return Read()
    if len(sniffed.ways) == 1:
        [way] = sniffed.ways
        texts = {value: text for value in values if (text := way.read(value)) not in {None, value}}
        return Read(texts, way, f"its {in_words(way)}, which its values decide (input: {way})")
    if not sniffed.ways:
        problem = f"its {what}s are written in different ways"
        return Read(problem=problem, remedy="Write all of them in the same way.")
    choices = " or ".join(map(str, sniffed.ways))
    problem = f"its {what}s can be read in {len(sniffed.ways)} ways, and no value decides which"
    if asked == "either":
        return Read(note=f"{problem}: they are read as text; set {choices} under [input]")
    return Read(problem=problem, remedy=f"Set {choices} under [input].")


def in_words(way: Way) -> str:
    """Say how numbers or dates are read."""
    if isinstance(way, Numbers):
        return f"numbers are read with {way.in_words()}"
    return f"dates are read as {way.in_words()}"


def built(spec: Spec, domain: Domain, plan: Plan, place: str) -> Hierarchy:
    """Build the hierarchy of a column whose values stay as they are written."""
    asked = asked_of(spec)
    read = read_values(domain.known, asked, plan.input) if asked and domain.known else Read()
    if read.problem:
        raise HierarchyError(reading_faults(read, domain, place))
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
    present = [value for value in values if value is not None]
    texts = read_values(present, "either", options).texts if present else {}
    if not texts:
        return in_natural_order(values)
    place = {text: at for at, text in enumerate(in_natural_order(_meanings(present, texts)))}
    ordered = sorted(present, key=lambda value: (place[texts.get(value, value)], value))
    return (*ordered, *([None] if None in values else []))


def _meanings(values: Iterable[str | None], texts: Mapping[str, str]) -> list[str | None]:
    return list(dict.fromkeys(texts.get(value, value) if value else value for value in values))
