"""The worst class of many quasi-identifiers, for attackers who know each so many columns only.

Of each quasi-identifier the class is kept that a requirement measures as its worst; measured
together, these say which is the worst of all. No requirement has to say how to compare two values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.requirements.base import PublishedClasses

if TYPE_CHECKING:
    from collections.abc import Sequence


def only(classes: PublishedClasses, number: int) -> PublishedClasses:
    """Return one of some classes, by itself."""
    values = classes.values
    if values is not None:
        held = values.of_class == number
        values = replace(
            values,
            of_class=np.zeros(np.count_nonzero(held), dtype=np.intp),
            value=values.value[held],
            count=values.count[held],
        )
    one = slice(number, number + 1)
    return PublishedClasses(classes.rows[one], classes.respondents[one], values)


def stacked(parts: Sequence[PublishedClasses]) -> PublishedClasses:
    """Return classes of one each, numbered in their order."""
    held = [part.values for part in parts if part.values is not None]
    values = None
    if held:
        values = replace(
            held[0],
            of_class=np.repeat(np.arange(len(held)), [part.value.size for part in held]),
            value=np.concatenate([part.value for part in held]),
            count=np.concatenate([part.count for part in held]),
        )
    return PublishedClasses(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.respondents for part in parts]),
        values,
    )
