"""What a published cell covers, read from its text: a value, a node, a range or a set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy import TOP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy

PLAIN_RANGE = re.compile(r"\[(\d+)-(\d+)\]")


def covering(hierarchy: Hierarchy, texts: Sequence[str | None]) -> NDArray[np.bool_]:
    """For each text, which values of a column it covers; none if it means nothing there.

    >>> from indistinct.hierarchy import Hierarchy
    >>> ages = Hierarchy.from_paths([["17", "low", "*"], ["20", "low", "*"], ["31", "old", "*"]])
    >>> covering(ages, ["[17-20]", "old", "{17, 31}", "31", "*"]).astype(int).tolist()
    [[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1]]
    """
    nodes = _nodes(hierarchy)
    found = np.zeros((len(texts), hierarchy.size), dtype=bool)
    for number, text in enumerate(texts):
        if text in nodes:
            found[number] = nodes[text]
        elif text is not None and (ends := _ends(hierarchy, text)):
            found[number] = _within(hierarchy, *ends)
        elif text is not None and text[:1] == "{" and text[-1:] == "}":
            found[number, _members(hierarchy, text[1:-1])] = True
    return found


def _nodes(hierarchy: Hierarchy) -> dict[str | None, NDArray[np.bool_]]:
    """For each label of any level, the values under it; `*` covers everything."""
    found: dict[str | None, NDArray[np.bool_]] = {}
    for nodes, labels in zip(hierarchy.nodes, hierarchy.labels, strict=True):
        order = np.argsort(nodes, kind="stable")
        starts = np.searchsorted(nodes[order], np.arange(len(labels) + 1))
        for node, label in enumerate(labels):
            held = found.setdefault(label, np.zeros(hierarchy.size, dtype=bool))
            held[order[starts[node] : starts[node + 1]]] = True
    found[TOP] = np.ones(hierarchy.size, dtype=bool)
    return found


def _ends(hierarchy: Hierarchy, text: str) -> tuple[float, float] | None:
    """Read the two ends of a range."""
    plain = PLAIN_RANGE.fullmatch(text)
    if plain:
        pairs = [plain.groups()]
    elif text[:1] == "[" and text[-1:] == "]":
        parts = text[1:-1].split(", ")
        pairs = [(", ".join(parts[:i]), ", ".join(parts[i:])) for i in range(1, len(parts))]
    else:
        return None
    for low, high in pairs:
        if low in hierarchy.code_of and high in hierarchy.code_of:
            place = hierarchy.position
            return float(place[hierarchy.code_of[low]]), float(place[hierarchy.code_of[high]])
    return None


def _within(hierarchy: Hierarchy, low: float, high: float) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (hierarchy.position >= low) & (hierarchy.position <= high)
    return found


def _members(hierarchy: Hierarchy, text: str) -> list[int]:
    """Read the values of a set, which stand in their order; a value may hold a comma itself."""
    parts = text.split(", ")
    found: list[int] = []
    start = 0
    while start < len(parts):
        for end in range(len(parts), start, -1):
            value: str | None = ", ".join(parts[start:end])
            value = value if value or "" in hierarchy.code_of else None
            if value in hierarchy.code_of:
                found.append(hierarchy.code_of[value])
                start = end
                break
        else:
            return []
    return found


def between(
    hierarchy: Hierarchy, ends: Sequence[tuple[str | None, str | None]]
) -> NDArray[np.bool_]:
    """For each pair of published bounds, which values it covers; two nulls say nothing."""
    found = np.ones((len(ends), hierarchy.size), dtype=bool)
    for number, (low, high) in enumerate(ends):
        if low is not None and high is not None:
            found[number] = _within(hierarchy, _place(hierarchy, low), _place(hierarchy, high))
        elif low != high:
            found[number] = False
    return found


def _place(hierarchy: Hierarchy, text: str) -> float:
    if text in hierarchy.code_of:
        return float(hierarchy.position[hierarchy.code_of[text]])
    try:
        return float(text)
    except ValueError:
        return float("nan")
