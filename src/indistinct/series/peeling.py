"""In which order people of a cohort are suppressed, where some must be or may be.

A cohort is published as what spans all of its people. Who moved, or grew older than the others,
widens it for everybody: those at the ends of the span come first, by what their leaving saves for
each of them. The order rests on quasi values, which attackers are taken to know, and on a secret
order among people alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.spans import Spans

MOST_PEELED = 0.25
"""The share of a cohort that is looked at for its ends."""


@dataclass(frozen=True, eq=False)
class Peeled:
    """People of a cohort in the order in which they are suppressed.

    Attributes
    ----------
    order
        Their places, the first to go first.
    cost
        What a row of the others costs when so many are gone, from none to all but one.
    """

    order: NDArray[np.intp]
    cost: NDArray[np.float64]


def peeled(codes: NDArray[np.int32], spans: Spans, drawn: NDArray[np.integer]) -> Peeled:
    """Order people by what their leaving saves.

    Parameters
    ----------
    codes
        A row of quasi values for each of them.
    drawn
        A number for each that decides among people alike.
    """
    size = codes.shape[0]
    left = np.argsort(drawn)
    order: list[int] = []
    cost = np.zeros(size)
    now = _cost(codes[left], spans)
    while (most := int(MOST_PEELED * size) - len(order)) > 0:
        end = _best_ends(codes[left], spans, now, most)
        if end is None:
            break
        goes, then = end
        cost[len(order) : len(order) + int(goes.sum())] = now
        order += left[goes].tolist()
        left, now = left[~goes], then
    cost[len(order) :] = now
    return Peeled(np.array([*order, *left.tolist()], dtype=np.intp), cost)


def _cost(codes: NDArray[np.int32], spans: Spans) -> float:
    low, high = codes.min(axis=0), codes.max(axis=0)
    return float(sum(spans.cost(c, low[c : c + 1], high[c : c + 1])[0] for c in range(low.size)))


def _best_ends(
    codes: NDArray[np.int32], spans: Spans, now: float, most: int
) -> tuple[NDArray[np.bool_], float] | None:
    """Find those at the ends of one column whose leaving saves the others most for each of them.

    Return them, and what a row of the others costs then; None where nobody's leaving saves.
    """
    best, highest = None, 0.0
    for column in range(codes.shape[1]):
        own = codes[:, column]
        values, counts = np.unique(own, return_counts=True)
        below, above = np.cumsum(counts) - counts, own.size - np.cumsum(counts)
        first, last = np.meshgrid(np.flatnonzero(below <= most), np.flatnonzero(above <= most))
        gone = below[first] + above[last]
        some = (first <= last) & (gone > 0) & (gone <= most)
        if not some.any():
            continue
        first, last, gone = first[some], last[some], gone[some]
        cost = spans.cost(column, values[np.append(first, 0)], values[np.append(last, -1)])
        saved = (cost[-1] - cost[:-1]) * (own.size - gone) / gone
        place = int(np.argmax(saved))
        if saved[place] > highest:
            highest = float(saved[place])
            goes = (own < values[first[place]]) | (own > values[last[place]])
            best = goes, now - float(cost[-1] - cost[place])
    return best
