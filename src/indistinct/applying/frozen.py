"""Hierarchies that outlive the data they were built for.

A hierarchy by rule (a mask, intervals, cut points, dates) is kept as its rule, not as the values
it was built from. What else a rule took from the data (how long the longest code is, whether all
numbers are whole) is pinned by made-up values. Only groups of text that were suggested from the
data have no rule: for these the released values are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import HierarchyError
from indistinct.hierarchy.core import TOP, Hierarchy
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.order import to_number
from indistinct.hierarchy.spec import (
    Cuts,
    Dates,
    Flat,
    FromCsv,
    FromPaths,
    FromTree,
    Intervals,
    Mask,
    Ordinal,
    Suggested,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label
    from indistinct.hierarchy.spec import Spec

LISTS = (FromCsv, FromTree, FromPaths, Ordinal)
MASKS = "*#_?~\N{BULLET}"
MOST_BUILDS = 400
_LOW = re.compile(r"^(?:>=|\[)?(-?\d+(?:\.\d+)?)")
_NOTHING = Hierarchy.from_columns([[TOP], [TOP]])
_NUMBERS = ("0", "1", "100", "0.5", "100.5", "-1", "-0.5")


@dataclass(frozen=True, eq=False)
class Frozen:
    """A hierarchy as a rule or a list, and values that pin what the rule takes from the data.

    Attributes
    ----------
    pins
        Paths of made-up values; a value that would change one of them does not fit the rule.
    of_data
        Whether the rule lists values of the data.
    """

    spec: Spec
    pins: tuple[tuple[Label, ...], ...] = ()
    of_data: bool = False

    def stated(self) -> dict[str, Any]:
        """Return the rule as a plan states it."""
        return self.spec.model_dump(mode="json", exclude_unset=True) or self.spec.model_dump()

    def fit(self, values: Sequence[str | None], place: str) -> tuple[Hierarchy, set[str | None]]:
        """Build the hierarchy for the values that fit, and return those that do not."""
        accepted: list[str | None] = [value for value in values if value is None]
        builds = 0

        def take(some: list[str]) -> None:
            nonlocal builds
            builds += 1
            if builds > MOST_BUILDS or not some:
                return
            if self._built([*accepted, *some], place) is not None:
                accepted.extend(some)
            elif len(some) > 1:
                half = len(some) // 2
                take(some[:half])
                take(some[half:])

        take(self._listed(values))
        built = self._built(accepted, place) if accepted else None
        return built or _NOTHING, set(values).difference(accepted)

    def _listed(self, values: Sequence[str | None]) -> list[str]:
        """Leave out at once what a list does not hold."""
        present = [value for value in values if value is not None]
        if not isinstance(self.spec, FromPaths):
            return present
        leaves = {path[0] for path in self.spec.paths}
        numbers = {n for n in map(_number, leaves) if n is not None}
        return [v for v in present if v in leaves or _number(v) in numbers]

    def _built(self, values: Sequence[str | None], place: str) -> Hierarchy | None:
        domain = Domain.of([*values, *(path[0] for path in self.pins)])
        try:
            built = self.spec.build(domain, place=place, base=Path())
        except HierarchyError:
            return None
        paths = _paths(built, [pin[0] for pin in self.pins])
        return built if all(paths[pin[0]] == pin for pin in self.pins) else None


def freeze(
    hierarchy: Hierarchy, spec: Spec | None, released: NDArray[np.bool_], place: str
) -> Frozen:
    """Find a rule that gives every value of the data the path it has, or keep a list.

    Parameters
    ----------
    spec
        How the plan builds the hierarchy; suggested if None.
    released
        Whether each leaf is held by a released row.
    """
    if isinstance(spec, LISTS):
        return Frozen(FromPaths(paths=[list(p) for p in hierarchy.paths() if not _is_null(p)]))
    paths = {path[0]: path for path in hierarchy.paths()}
    for candidate in _candidates(hierarchy, spec):
        if _agrees(candidate, paths, place):
            return candidate
    kept = [list(p) for p, held in zip(hierarchy.paths(), released, strict=True) if held]
    return Frozen(FromPaths(paths=[p for p in kept if not _is_null(p)]), of_data=True)


def _is_null(path: Sequence[Label]) -> bool:
    """Return whether a path is that of a null, which every hierarchy gives it."""
    return len(path) > 1 and all(label is None for label in path[:-1])


def _agrees(frozen: Frozen, paths: dict[Label, tuple[Label, ...]], place: str) -> bool:
    """Return whether a rule gives every value its path, and its pins alone pin themselves."""
    built = frozen._built(list(paths), place)  # noqa: SLF001 - its own module
    if built is None or frozen._built([], place) is None:  # noqa: SLF001 - its own module
        return False
    return _paths(built, list(paths)) == paths


def _candidates(hierarchy: Hierarchy, spec: Spec | None) -> Iterator[Frozen]:
    if isinstance(spec, Mask):
        yield from _masks(hierarchy, [spec.char], spec.mask)
    elif isinstance(spec, Intervals | Cuts):
        yield from _pinned(spec, _origin(spec))
    elif isinstance(spec, Dates | Flat):
        yield Frozen(spec)
    elif spec is None or isinstance(spec, Suggested):
        yield from _suggested(hierarchy)


def _origin(spec: Intervals | Cuts) -> list[str]:
    if isinstance(spec, Cuts):
        return []
    return [str(spec.origin), f"{spec.origin}.5"] if isinstance(spec.origin, int) else []


def _suggested(hierarchy: Hierarchy) -> Iterator[Frozen]:
    if hierarchy.kind == "number" and hierarchy.height > 1:
        yield from _pinned(Cuts(cuts=_cut_points(hierarchy)))
    yield Frozen(Flat())
    if hierarchy.kind == "category":
        yield from _masks(hierarchy, MASKS, "right")


def _cut_points(hierarchy: Hierarchy) -> list[list[int | float]]:
    """Read the cut points of suggested ranges off their labels, such as <24, [24-27], >=28."""
    levels = []
    for labels in hierarchy.labels[1:-1]:
        lows = [_LOW.match(label) for label in labels if label is not None]
        numbers = [float(low[1]) for low in lows if low is not None]
        levels.append([int(n) if n == int(n) else n for n in numbers])
    return levels


def _pinned(spec: Spec, more: Iterable[str] = ()) -> Iterator[Frozen]:
    """Pin with each of some numbers by turns."""
    for number in (*more, *_NUMBERS):
        try:
            built = spec.build(Domain.of([number]), place="pin", base=Path())
        except HierarchyError:
            continue
        yield Frozen(spec, tuple(built.paths()))


def _masks(hierarchy: Hierarchy, characters: Iterable[str], side: str) -> Iterator[Frozen]:
    """Mask as many characters on each level as the longest value shows, and pin its length."""
    longest = max((leaf for leaf in hierarchy.leaves if leaf is not None), key=len, default="")
    if not longest:
        return
    path = _paths(hierarchy, [longest])[longest]
    for char in characters:
        steps = [(label or "").count(char) for label in path[1:-1]]
        spec = Mask.model_validate({"mask": side, "char": char, "steps": steps or [len(longest)]})
        try:
            built = spec.build(Domain.of(["0" * len(longest)]), place="pin", base=Path())
        except HierarchyError:
            continue
        yield Frozen(spec, tuple(built.paths()))


def _paths(hierarchy: Hierarchy, leaves: Iterable[Label]) -> dict[Label, tuple[Label, ...]]:
    """Return the paths of some leaves."""
    paths = {}
    for leaf in leaves:
        code = hierarchy.code_of[leaf]
        pairs = zip(hierarchy.nodes, hierarchy.labels, strict=True)
        paths[leaf] = tuple(labels[nodes[code]] for nodes, labels in pairs)
    return paths


def _number(text: Label) -> float | None:
    try:
        return None if text is None else to_number(text)
    except ValueError:
        return None
