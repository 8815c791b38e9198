"""How a column may coarsen: a hierarchy for a first plan, with labels that show nobody's value."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter

from indistinct.errors import HierarchyError
from indistinct.hierarchy.calendar import FORMATS, date_reader
from indistinct.hierarchy.code_systems import beginnings, code_system
from indistinct.hierarchy.line import is_whole
from indistinct.hierarchy.mask import free_character
from indistinct.hierarchy.order import or_nan, positions
from indistinct.hierarchy.spec import HierarchySpec
from indistinct.hierarchy.suggest import FEW, are_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.hierarchy import Domain
    from indistinct.plan.naming import Kind

YEARS = (1000, 3000)
_UNITS = ["month", "year", "decade"]
_PACKED_DATE = 8
_SPECS: TypeAdapter[Any] = TypeAdapter(HierarchySpec)


_EITHER = (
    'does the day or the month come first? Set dates = "dmy" or "mdy" under [input], and here '
    '{ dates = ["month", "year"] }'
)


@dataclass(frozen=True)
class Coarsening:
    """A hierarchy as a plan writes it, and what to know about it.

    Attributes
    ----------
    lacking
        Whether there is nothing between a value and `*`, and a hierarchy would keep more.
    """

    spec: str | dict[str, Any]
    note: str
    lacking: bool = False


FLAT = Coarsening("flat", "the value, or * where it would single out")
MANY = Coarsening(
    "flat", "the value, or * where it would single out; a csv or tree would keep more", lacking=True
)


def coarsening(domain: Domain, kind: Kind) -> Coarsening:
    """Choose a hierarchy that covers a column, with no label made of values.

    Of the data only this shows: whether values are numbers, dates, codes or text, few or
    many; how dates are written; and of numbers the power of ten that the middle half of the rows
    spreads over. No value, and no least or greatest one.
    """
    return next(candidate for candidate in _candidates(domain, kind) if _covers(candidate, domain))


def _covers(candidate: Coarsening, domain: Domain) -> bool:
    try:
        _SPECS.validate_python(candidate.spec).build(domain, place="suggestion", base=Path())
    except HierarchyError:
        return False
    return True


def _candidates(domain: Domain, kind: Kind) -> Iterator[Coarsening]:
    """Name hierarchies from the most fitting one to one that covers everything."""
    values = sorted(domain.known)
    line, position = positions(values)
    if kind == "postal":
        yield _masked(values)
    if line == "date" or (kind == "moment" and {len(v) for v in values} == {_PACKED_DATE}):
        yield _dated()
    if line == "number":
        yield from _of_numbers(position, domain, values, kind)
    if line == "category":
        yield from _of_other_dates(values)
    if line == "category" and (system := code_system(values)):
        yield _by_system(system, max(map(len, values)))
    if line == "category" and are_codes(values):
        yield _masked(values)
    yield FLAT if len(values) <= FEW else MANY


def _by_system(system: str, width: int) -> Coarsening:
    kept = beginnings(system, width)
    spec = {"mask": "right", "steps": [width - length for length in kept]}
    shown = ", ".join(map(str, kept))
    return Coarsening(spec, f"codes as those of {system}: the first {shown} characters")


def _masked(values: list[str]) -> Coarsening:
    char = free_character(values)
    other = {} if char == "*" else {"char": char}
    return Coarsening({"mask": "right", **other}, "one character less on each level")


def _dated(form: str | None = None) -> Coarsening:
    written = {} if form is None else {"format": form}
    return Coarsening({"dates": _UNITS, **written}, "by the calendar")


def _of_other_dates(values: list[str]) -> Iterator[Coarsening]:
    forms = [form for form in FORMATS if _reads(form, values)]
    if len(forms) > 1:
        yield Coarsening("flat", _EITHER)
    elif forms:
        yield _dated(forms[0])


def _reads(form: str, values: list[str]) -> bool:
    read = date_reader(form)
    return bool(values) and not any(np.isnan(or_nan(read, value)) for value in values)


def _of_numbers(
    position: NDArray[np.float64], domain: Domain, values: list[str], kind: Kind
) -> Iterator[Coarsening]:
    if len(values) <= (FEW if kind == "category" else 2):
        yield FLAT
    years = kind == "moment" and position.min() >= YEARS[0] and position.max() <= YEARS[1]
    if kind == "age" or years:
        widths: list[int | float] = [5, 10, 20]
    else:
        rows = np.array([domain.rows_of[value] for value in values])
        widths = _widths(position, rows)
    yield Coarsening({"intervals": widths}, "ranges of these widths")


def _widths(position: NDArray[np.float64], rows: NDArray[np.int64]) -> list[int | float]:
    """Choose widths by the power of ten that the middle half of the rows spreads over."""
    spread = _between(position, rows, 0.25, 0.75) or _between(position, rows, 0.05, 0.95) or 1.0
    power = int(np.floor(np.log10(spread)))
    whole = is_whole(position)
    if power < 1 and whole:
        return [2, 10]
    widths = [Decimal(width).scaleb(power - 1) for width in (1, 5, 10, 50)]
    widths = [width for width in widths if width > 1 or not whole]
    return [int(w) if w == w.to_integral_value() else float(w) for w in widths]


def _between(
    position: NDArray[np.float64], rows: NDArray[np.int64], low: float, high: float
) -> float:
    """Measure how far two quantiles of the rows lie apart."""
    order = np.argsort(position, kind="stable")
    share = np.cumsum(rows[order]) / rows.sum()
    first, last = np.searchsorted(share, [low, high])
    return float(position[order][last] - position[order][first])
