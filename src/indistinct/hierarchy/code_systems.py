"""Systems of codes whose beginnings mean something, known by how their codes are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SYSTEMS = {
    "ICD": (re.compile(r"[A-TV-Z]\d[\dA-Z](\.[\dA-Z]{1,4})?"), (3, 1)),
    "ATC": (re.compile(r"[A-DGHJLMNPRSV]\d\d([A-Z]([A-Z](\d\d)?)?)?"), (5, 4, 3, 1)),
}
"""How codes are written, and how long the beginnings are that mean something."""
_SHORT_CODE = 3


def code_system(values: Sequence[str]) -> str | None:
    """Name the system that all values are codes of.

    A letter and two digits alone could be anything.

    >>> code_system(["I10", "E11.9"]), code_system(["C09AA05", "N02BE01"]), code_system(["A1"])
    ('ICD', 'ATC', None)
    """
    if max(map(len, values), default=0) <= _SHORT_CODE:
        return None
    patterns = ((name, pattern) for name, (pattern, _) in _SYSTEMS.items())
    return next((name for name, fits in patterns if all(map(fits.fullmatch, values))), None)


def beginnings(system: str, width: int) -> list[int]:
    """Return how long the beginnings are that codes up to a width are coarsened to.

    >>> beginnings("ATC", 7), beginnings("ICD", 5)
    ([5, 4, 3, 1], [3, 1])
    """
    return [length for length in _SYSTEMS[system][1] if length < width]
