"""Line: ground values in an order, from which hierarchies of neighbouring values are built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.errors import Fault, HierarchyError, counted
from indistinct.hierarchy.calendar import FORMATS, date_reader
from indistinct.hierarchy.core import TOP, Hierarchy, Kind, run_starts
from indistinct.hierarchy.order import or_nan, to_number
from indistinct.hierarchy.scale import Bounds, Scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.domain import Domain

Parse = Callable[[str], float]
_COARSE = ("%Y-%m", "%Y")


class Level(NamedTuple):
    """A level of nodes that are runs of neighbours.

    Attributes
    ----------
    keys
        A key per leaf that never falls along the line.
    label, bounds
        The label for a key, and where numbers or dates of that key begin and end.
    """

    keys: NDArray[np.int64]
    label: Callable[[int], str]
    bounds: Callable[[int], Bounds] | None = None


@dataclass(frozen=True, eq=False)
class Line:
    """Ground values in order, with where each lies on the number line (days for dates)."""

    leaves: tuple[str, ...]
    kind: Kind
    position: NDArray[np.float64]

    @classmethod
    def of_categories(cls, leaves: Iterable[str]) -> Line:
        """Put categories in the order given."""
        values = tuple(leaves)
        return cls(values, "category", np.full(len(values), np.nan))

    def hierarchy(self, levels: Iterable[Level], months: int | None = None) -> Hierarchy:
        """Build the hierarchy whose nodes are runs of equal keys, below one top.

        Parameters
        ----------
        months
            Of dates how many months the shortest unit has.
        """
        nodes, labels = [np.arange(len(self.leaves), dtype=np.int32)], [self.leaves]
        bounds: list[tuple[Bounds | None, ...]] = [()]
        for level in levels:
            starts = run_starts(level.keys)
            named = level.keys[starts].tolist()
            nodes.append((np.cumsum(starts) - 1).astype(np.int32))
            labels.append(tuple(level.label(key) for key in named))
            if level.bounds is not None:
                bounds.append(tuple(level.bounds(key) for key in named))
        nodes.append(np.zeros(len(self.leaves), dtype=np.int32))
        labels.append((TOP,))
        closed = self.kind == "date" or is_whole(self.position)
        scale = Scale((*bounds, ()), closed, months) if len(bounds) > 1 else None
        return Hierarchy(self.leaves, tuple(nodes), tuple(labels), self.kind, self.position, scale)


def number_line(domain: Domain, *, place: str) -> Line:
    """Put the known values in the order of their numbers, or raise with each that is none."""
    remedy = "Correct it or make it missing; for text use csv, tree, mask, ordinal or flat."
    return _line(domain, "number", to_number, lambda _: Fault(place, "is not a number", remedy))


def date_line(domain: Domain, *, place: str, form: str | None = None) -> Line:
    """Put the known values in the order of their dates, or raise with each that is none.

    Parameters
    ----------
    domain
        The values of the column.
    place
        What the faults are about.
    form
        How the dates are written, as for `strptime`; ISO dates, with or without time, otherwise.
    """
    parse = date_reader(form)
    written = "an ISO date such as 2020-03-31" if form is None else f"a date of the format {form!r}"
    problem = f"is not {written}"
    return _line(domain, "date", parse, lambda wrong: Fault(place, problem, _format_hint(wrong)))


def _line(
    domain: Domain, kind: Kind, parse: Parse, fault_of: Callable[[Sequence[str]], Fault]
) -> Line:
    values = domain.known
    position = np.array([or_nan(parse, value) for value in values], dtype=np.float64)
    wrong = [values[i] for i in np.flatnonzero(~np.isfinite(position))]
    if wrong:
        raise HierarchyError(value_faults(wrong, domain, fault_of(wrong)))
    order = np.argsort(position, kind="stable")
    if not np.all(np.diff(position[order]) > 0):
        order = np.array(
            sorted(order.tolist(), key=lambda i: (position[i], _exactly(values[i]), values[i])),
            dtype=int,
        )
    return Line(tuple(values[i] for i in order), kind, position[order])


def _exactly(text: str) -> Decimal:
    """Read a number with all its digits; what is none lies where its float does."""
    try:
        return Decimal(text)
    except ArithmeticError:
        return Decimal(0)


def value_faults(values: Sequence[str], domain: Domain, fault: Fault) -> list[Fault]:
    """Report the same fault of each of these values, those with most rows first."""
    by_rows = sorted(values, key=lambda value: (-domain.rows_of[value], value))
    return [
        Fault(
            fault.place,
            f"value {value!r} ({counted(domain.rows_of[value], 'row')}) {fault.problem}",
            fault.remedy,
        )
        for value in by_rows
    ]


def is_whole(position: NDArray[np.float64]) -> bool:
    """Return whether all numbers are whole, however they are written (39.0 is)."""
    return bool(np.all(position == np.floor(position)))


def _format_hint(wrong: Sequence[str]) -> str:
    """Name a usual way of writing dates that reads all of these."""
    for form in (*FORMATS, *_COARSE):
        if not any(np.isnan(or_nan(date_reader(form), value)) for value in wrong):
            return f'Say how dates are written: format = "{form}".'
    return 'Correct it, or say how dates are written, such as format = "%d/%m/%Y".'
