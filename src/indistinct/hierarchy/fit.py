"""Fitting a hierarchy to the data: every value covered, every leaf spelt as the data spells it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING

from indistinct.errors import SHOWN, Fault, HierarchyError, counted
from indistinct.hierarchy.order import to_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indistinct.hierarchy.core import Hierarchy
    from indistinct.hierarchy.domain import Domain

_COMPARED = 2000


def fitted(hierarchy: Hierarchy, domain: Domain, *, place: str, remedy: str) -> Hierarchy:
    """Return the hierarchy with a leaf for every value of the domain, under the data's own text.

    A value without a leaf of its own takes the one leaf that is the same number ("39" and "39.0"),
    unless the column holds that number under two spellings, or the hierarchy does. Empty text
    takes the leaf of the missing value where the column has no missing value.

    Raises
    ------
    HierarchyError
        With every value that has no leaf, how many rows hold it, and the closest leaf.
    """
    if domain.has_missing:
        hierarchy = hierarchy.with_missing()
    unmatched = [value for value in domain.known if value not in hierarchy.code_of]
    if not unmatched:
        return hierarchy
    renamed = _same_number(unmatched, hierarchy, domain)
    if "" in unmatched and None in hierarchy.code_of and not domain.has_missing:
        renamed[hierarchy.code_of[None]] = ""
    uncovered = set(unmatched).difference(renamed.values())
    if uncovered:
        raise HierarchyError(_uncovered_faults(uncovered, hierarchy, domain, place, remedy))
    leaves = tuple(renamed.get(code, leaf) for code, leaf in enumerate(hierarchy.leaves))
    return replace(hierarchy, leaves=leaves, labels=(leaves, *hierarchy.labels[1:]))


def _same_number(unmatched: list[str], hierarchy: Hierarchy, domain: Domain) -> dict[int, str]:
    spellings = Counter(number for _, number in _numbers(domain.known))
    codes: dict[float, list[int]] = {}
    for leaf, number in _numbers(leaf for leaf in hierarchy.leaves if leaf is not None):
        codes.setdefault(number, []).append(hierarchy.code_of[leaf])
    return {
        codes[number][0]: value
        for value, number in _numbers(unmatched)
        if spellings[number] == 1 and len(codes.get(number, ())) == 1
    }


def _numbers(values: Iterable[str]) -> Iterable[tuple[str, float]]:
    for value in values:
        try:
            number = to_number(value)
        except ValueError:
            continue
        if isfinite(number):
            yield value, number


def _uncovered_faults(
    uncovered: set[str], hierarchy: Hierarchy, domain: Domain, place: str, remedy: str
) -> list[Fault]:
    by_rows = sorted(uncovered, key=lambda value: (-domain.rows_of[value], value))
    leaves = sorted(leaf for leaf in hierarchy.leaves if leaf is not None)
    return [
        Fault(
            place,
            f"value {value!r} ({counted(domain.rows_of[value], 'row')}) is not in the hierarchy",
            remedy + (_closest_leaf(value, leaves) if rank < SHOWN else ""),
        )
        for rank, value in enumerate(by_rows)
    ]


def _closest_leaf(value: str, leaves: Sequence[str]) -> str:
    """Name the nearest leaf, among the alphabetical neighbours where there are very many."""
    start = max(0, bisect_left(leaves, value) - _COMPARED // 2)
    compared = leaves[start : start + _COMPARED]
    plain = value.strip().casefold()
    near = [leaf for leaf in compared if leaf.strip().casefold() == plain]
    near = near or get_close_matches(value, compared, n=1)
    return f" Closest value there: {near[0]!r}." if near else ""
