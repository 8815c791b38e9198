"""Numbers of a plan as exact decimals, and ranges of them as text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from indistinct.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

Number = int | float


def exact(number: Number) -> Decimal:
    """Read a number as it is written: 0.1 is a tenth."""
    return Decimal(str(number))


def decimals(numbers: Sequence[Number]) -> int:
    """Count the decimals that the numbers are written with.

    >>> decimals([5, 0.25, 10.0])
    2
    """
    exponents = (exact(number).normalize().as_tuple().exponent for number in numbers)
    return max((-e for e in exponents if isinstance(e, int) and e < 0), default=0)


def number_text(number: Number | Decimal) -> str:
    """Write a number in plain digits, without needless zeros.

    >>> number_text(25.0), number_text(0.50), number_text(1e-7)
    ('25', '0.5', '0.0000001')
    """
    if isinstance(number, int):
        return str(number)
    text = format(number if isinstance(number, Decimal) else exact(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def range_text(low: Number | Decimal | None, high: Number | Decimal | None, *, whole: bool) -> str:
    """Write the numbers from `low` up to but not including `high`; None is an open end.

    >>> range_text(20, 25, whole=True), range_text(20, 25, whole=False)
    ('[20-24]', '[20, 25)')
    >>> range_text(None, 18, whole=True), range_text(65, None, whole=True)
    ('<18', '>=65')
    """
    if high is None:
        return "*" if low is None else f">={number_text(low)}"
    if low is None:
        return f"<{number_text(high)}"
    if not whole:
        return f"[{number_text(low)}, {number_text(high)})"
    last = int(high) - 1
    return str(last) if last == low else f"[{int(low)}-{last}]"


def width_faults(widths: Sequence[Number], *, place: str) -> list[Fault]:
    """Return which widths are not positive, or not a multiple of the width before."""
    if not widths:
        return [Fault(place, "there are no widths", "Give at least one, such as [5, 10, 20].")]
    faults = [
        Fault(place, f"width {number_text(width)} is not above 0", "Give widths above 0.")
        for width in widths
        if width <= 0
    ]
    if faults:
        return faults
    pairs = pairwise(widths)
    return [_not_nested(fine, coarse, place) for fine, coarse in pairs if not _nests(fine, coarse)]


def _nests(fine: Number, coarse: Number) -> bool:
    return coarse > fine and Fraction(exact(coarse)) % Fraction(exact(fine)) == 0


def _not_nested(fine: Number, coarse: Number, place: str) -> Fault:
    times = int(exact(coarse) / exact(fine))
    nearest = [exact(fine) * max(n, 2) for n in (times, times + 1)]
    choices = " or ".join(dict.fromkeys(number_text(width) for width in nearest))
    return Fault(
        place,
        f"width {number_text(coarse)} does not nest with the width {number_text(fine)} before it",
        f"Each width must be a multiple of the one before; use {choices}.",
    )
