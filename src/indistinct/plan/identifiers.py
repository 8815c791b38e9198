"""When a column looks like an identifier: the one definition.

A suggested plan drops such columns, a plan that would publish one is refused unless it says why,
and `assess` points at them. docs/plan.md has the definition in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy.calendar import FORMATS, date_reader
from indistinct.hierarchy.line import is_whole
from indistinct.hierarchy.order import or_nan, positions
from indistinct.plan.contents import content_of
from indistinct.plan.naming import sign_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.hierarchy import Domain
    from indistinct.plan.naming import Sign

MOSTLY_DISTINCT = 0.9
FEW_ROWS = 20
FEW_VALUES = 12
SEVERAL = 5
ROWS_OF_ONE = 20
"""What has more rows than this on average is usually not a person."""
LONG_NUMBER = 6
LONG_TEXT = 40
MANY_WORDS = 4
LOOKED_AT = 1_000
_DECIMALS = 3


@dataclass(frozen=True, eq=False)
class Look:
    """What can be seen of one column.

    Attributes
    ----------
    on_a_line
        Whether it is published in ranges of numbers or dates.
    relabelled
        Whether it is published under labels that the steward wrote.
    """

    name: str
    domain: Domain
    on_a_line: bool = False
    relabelled: bool = False

    @cached_property
    def sign(self) -> Sign | None:
        """What its name says."""
        return sign_of(self.name)

    @cached_property
    def rows(self) -> int:
        """How many rows have a value."""
        present = [value is not None for value in self.domain.values]
        return int(self.domain.counts[present].sum())

    @cached_property
    def values(self) -> int:
        """How many values there are."""
        return len(self.domain.known)

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """Some values, taken evenly."""
        return self.domain.known[:: self.values // LOOKED_AT + 1]

    @cached_property
    def line(self) -> tuple[str, NDArray[np.float64]]:
        """Whether values are numbers, dates or neither, and where each lies."""
        return positions(self.domain.known)

    @cached_property
    def is_text(self) -> bool:
        """Whether values are neither numbers nor dates, however these are written."""
        return self.line[0] == "category" and not any(map(self._all_read, FORMATS))

    @cached_property
    def is_whole(self) -> bool:
        """Whether values are whole numbers."""
        return self.line[0] == "number" and is_whole(self.line[1])

    @property
    def mostly_distinct(self) -> bool:
        """Whether nearly every row has a different value."""
        return self.rows >= FEW_ROWS and self.values > MOSTLY_DISTINCT * self.rows

    @property
    def is_category(self) -> bool:
        """Whether it has few values, and each in several rows."""
        return self.values <= FEW_VALUES and SEVERAL * self.values <= self.rows

    def _all_read(self, form: str) -> bool:
        read = date_reader(form)
        return not any(np.isnan(or_nan(read, text)) for text in self.sample)


def identifier_reason(look: Look) -> str | None:
    """Say why a column looks like an identifier; None if it does not."""
    if what := content_of(look.domain.known):
        return f"its values look like {what.what}" if not what.alone else f"it holds {what.what}"
    if look.relabelled:
        return None
    if look.sign is not None and look.sign.role == "identifier" and _names_somebody(look):
        return f"its name suggests {look.sign.what}"
    return _by_values(look)


def _names_somebody(look: Look) -> bool:
    """Return whether a column with a name that speaks of people may well hold their names."""
    sign = look.sign
    if sign is not None and sign.generic:
        return not look.is_category and look.values * ROWS_OF_ONE > look.rows
    return not look.is_category or (sign is not None and sign.kind == "person")


def _by_values(look: Look) -> str | None:
    if look.sign is not None and look.sign.kind == "point" and _shows_a_house(look):
        return "it shows points on the map to 100 metres or less"
    if look.mostly_distinct and not _may_be_distinct(look) and (look.is_text or _is_serial(look)):
        return "nearly every row has a different value"
    if _is_free_text(look):
        return "it holds long texts, which may name people"
    return None


def _may_be_distinct(look: Look) -> bool:
    """Return whether a value for nearly every row is what the name says, or is not published."""
    kind = "" if look.sign is None else look.sign.kind
    return (
        look.on_a_line
        or kind == "postal"
        or (kind in {"amount", "age", "moment"} and not look.is_text)
    )


def _shows_a_house(look: Look) -> bool:
    if look.on_a_line or look.line[0] != "number":
        return False
    return any(len(text.partition(".")[2]) >= _DECIMALS for text in look.sample)


def _is_serial(look: Look) -> bool:
    """Return whether whole numbers are those of a register: without gaps, or all equally long."""
    if not look.is_whole:
        return False
    position = look.line[1]
    dense = float(position.max() - position.min()) < 2 * look.values
    lengths = {len(text) for text in look.sample}
    return dense or (
        len(lengths) == 1 and lengths.pop() >= LONG_NUMBER and not _are_packed_dates(look)
    )


def _are_packed_dates(look: Look) -> bool:
    read = date_reader("%Y%m%d")
    return not any(np.isnan(or_nan(read, text)) for text in look.sample)


def _is_free_text(look: Look) -> bool:
    """Return whether values are sentences, most of them written once."""
    if look.values <= FEW_VALUES:
        return False
    words = np.mean([len(text.split()) for text in look.sample])
    length = np.mean([len(text) for text in look.sample])
    once = np.count_nonzero(look.domain.counts == 1)
    return bool((words >= MANY_WORDS or length >= LONG_TEXT) and 2 * once > look.values)
