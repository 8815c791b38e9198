"""Codes with ever more characters masked: 22030, 2203*, 220**, ..., *."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from indistinct.errors import Fault, HierarchyError
from indistinct.hierarchy.core import TOP, Hierarchy
from indistinct.hierarchy.line import value_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.domain import Domain

Side = Literal["right", "left"]


def mask_hierarchy(
    domain: Domain,
    side: Side,
    *,
    place: str,
    char: str = "*",
    keep: int = 0,
    steps: Sequence[int] | None = None,
) -> Hierarchy:
    """Mask characters from one side, more on each level; the top is always `*`.

    Values are laid side by side at the other end, and the longest sets the width: masking three of
    five characters from the right groups values by their first two. A shorter value joins the
    group it is the beginning of ("E11" is in "E11**", as "E11.9" is), and stays as it is
    while it is shorter than what is kept of the others. So levels nest, and a label such as "22***"
    says what it covers: everything that begins with 22 and has at most five characters.

    Without `steps` there is a level for 1, 2, ... masked characters, except where it would
    group the values just as the level below does. With `steps`, every step asked for is a level.

    Parameters
    ----------
    domain
        The values of the column.
    side
        The side that is masked first.
    place
        What the faults are about.
    char
        The character to mask with; no value may hold it.
    keep
        How many characters of the longest value are masked only by the top.
    steps
        How many characters are masked on each level; a step that masks all is the top.

    Examples
    --------
    >>> from indistinct.hierarchy.domain import Domain
    >>> zips = Domain.of(["22030", "22031", "22041", "23030"])
    >>> mask_hierarchy(zips, "right", place="column 'zip'").paths()[0]
    ('22030', '2203*', '220**', '2****', '*')
    """
    texts = sorted(value if side == "right" else value[::-1] for value in domain.known)
    width = max(map(len, texts), default=0)
    faults = _held_faults(domain, char, place) + _keep_faults(width, keep, steps or (), place)
    if faults:
        raise HierarchyError(faults)
    shared = shared_prefixes(texts)
    masked = _distinct(shared, width, keep) if steps is None else [k for k in steps if k < width]
    columns = [texts]
    columns += [_labels(texts, shared, width - k, k * char) for k in masked]
    if side == "left":
        columns = [[label[::-1] for label in column] for column in columns]
    return Hierarchy.from_columns([*columns, [TOP] * len(texts)])


def mask_faults(steps: Sequence[int] | None, *, place: str) -> list[Fault]:
    """Return what is wrong with the steps, whatever the data."""
    if steps is None:
        return []
    if not steps or steps[0] < 1:
        return [Fault(place, "steps must begin at 1 or more", "Give some, such as [1, 2, 4].")]
    return [
        Fault(place, f"steps do not rise: {b} after {a}", "Mask more characters on each level.")
        for a, b in pairwise(steps)
        if b <= a
    ]


def shared_prefixes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Count the characters that each of the sorted texts shares with the one before it.

    >>> shared_prefixes(["E10", "E11", "F20"])
    array([0, 2, 0])
    """
    lengths = (_shared(a, b) for a, b in pairwise(texts))
    return np.fromiter((0, *lengths) if texts else (), dtype=np.int64)


def _shared(a: str, b: str) -> int:
    for place, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return place
    return min(len(a), len(b))


def _distinct(shared: NDArray[np.int64], width: int, keep: int) -> list[int]:
    masked, groups = [], shared.size
    for k in range(1, min(width, width - keep + 1)):
        fewer = int(np.count_nonzero(shared < width - k))
        if fewer < groups:
            masked.append(k)
        groups = fewer
    return masked


def _labels(texts: list[str], shared: NDArray[np.int64], kept: int, mask: str) -> list[str]:
    starts = np.flatnonzero(shared < kept)
    labels: Iterable[str] = (
        texts[i] if len(texts[i]) < kept else texts[i][:kept] + mask for i in starts
    )
    repeats = np.diff(starts, append=len(texts)).tolist()
    return [label for label, n in zip(labels, repeats, strict=True) for _ in range(n)]


def _held_faults(domain: Domain, char: str, place: str) -> list[Fault]:
    held = [value for value in domain.known if char in value]
    fault = Fault(
        place,
        f"holds the mask character {char!r}",
        f'Mask with another one: char = "{free_character(held)}".',
    )
    return value_faults(held, domain, fault)


def free_character(values: Sequence[str]) -> str:
    """Find a character to mask with that no value holds."""
    return next((c for c in "*#_?~" if not any(c in value for value in values)), "\N{BULLET}")


def _keep_faults(width: int, keep: int, steps: Sequence[int], place: str) -> list[Fault]:
    return [
        Fault(
            place,
            f"step {step} would mask {step} of {width} characters where {keep} are to be kept",
            f"Leave it out, or set keep = {width - step}.",
        )
        for step in steps
        if width - keep < step < width
    ]
