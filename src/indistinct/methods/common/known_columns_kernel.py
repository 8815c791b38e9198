"""Counting the classes of every so many columns, for attackers who know no more of them.

A class is told by the sum of a random number for each of its values, as in `cells/masks.py`: two
classes with one sum would be taken for one, which no table will see. Entries of one person stand
one after the other in `order`, so that a class that counts him notes whom it counted last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLACK = 1e-9


class Slots(NamedTuple):
    """A hash table that is emptied by raising `turn`: keys, when they came, and what they count.

    Attributes
    ----------
    keys, since, counts, last
        The key of each slot, the turn in which it came, how many people it counts, and whom last.
    bad
        Whether the class of a slot fails.
    turn
        One number: the turn.
    """

    keys: NDArray[np.uint64]
    since: NDArray[np.int64]
    counts: NDArray[np.int64]
    last: NDArray[np.int32]
    bad: NDArray[np.bool_]
    turn: NDArray[np.int64]


class Entries(NamedTuple):
    """What is counted.

    Attributes
    ----------
    cells
        For each column and entry the random number of its value.
    order
        The entries, those of one person one after the other.
    people
        Whose each entry is; empty where each row is someone else's.
    weights
        How many rows each entry stands for.
    """

    cells: NDArray[np.uint64]
    order: NDArray[np.int64]
    people: NDArray[np.int32]
    weights: NDArray[np.int64]


class Watched(NamedTuple):
    """A sensitive column; empty where none is watched.

    Attributes
    ----------
    values, cells
        The value of each entry, and its random number.
    most
        The largest share of a class that each value may have.
    """

    values: NDArray[np.int32]
    cells: NDArray[np.uint64]
    most: NDArray[np.float64]


@inner
def place_of(slots, turn, key):
    """Return the slot of a key, empty if it is new in this turn."""
    mask = np.uint64(slots.keys.size - 1)
    slot = (key >> np.uint64(20)) & mask
    while slots.since[slot] == turn and slots.keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    if slots.since[slot] != turn:
        slots.since[slot] = turn
        slots.keys[slot] = key
        slots.counts[slot] = 0
        slots.last[slot] = -1
        slots.bad[slot] = False
    return np.int64(slot)


@inner
def count_in(slots, slot, entries, entry):
    """Count an entry: its rows, or the person if he is not yet there."""
    if entries.people.size == 0:
        slots.counts[slot] += entries.weights[entry]
    elif slots.last[slot] != entries.people[entry]:
        slots.last[slot] = entries.people[entry]
        slots.counts[slot] += 1


@njit
def drop_failing(
    entries: Entries,
    some: NDArray[np.int64],
    least: int,
    watched: Watched,
    kept: NDArray[np.bool_],
    classes: Slots,
    pairs: Slots,
    where: NDArray[np.int64],
    most: int,
) -> int:
    """Drop the entries of failing classes, some columns after others; return how many rows.

    Parameters
    ----------
    some
        The columns that are known together, a row for each.
    kept
        In and out: which entries are left.
    where
        Scratch: the slots of each entry.
    most
        When more rows than that are dropped, the rest need not be known.
    """
    dropped = 0
    cells, order = entries.cells, entries.order
    for known in range(some.shape[0]):
        classes.turn[0] += 1
        pairs.turn[0] += 1
        turn, pair_turn = classes.turn[0], pairs.turn[0]
        for entry in order:
            if kept[entry]:
                key = np.uint64(0)
                for place in range(some.shape[1]):
                    key += cells[some[known, place], entry]
                slot = place_of(classes, turn, key)
                where[entry] = slot
                count_in(classes, slot, entries, entry)
                if watched.values.size:
                    pair = place_of(pairs, pair_turn, key + watched.cells[entry])
                    count_in(pairs, pair, entries, entry)
        if watched.values.size:
            for entry in order:
                if kept[entry]:
                    slot, share = where[entry], watched.most[watched.values[entry]]
                    key = classes.keys[slot] + watched.cells[entry]
                    held = pairs.counts[place_of(pairs, pair_turn, key)]
                    if held > share * classes.counts[slot] + SLACK:
                        classes.bad[slot] = True
        for entry in order:
            slot = where[entry]
            if kept[entry] and (classes.counts[slot] < least or classes.bad[slot]):
                kept[entry] = False
                dropped += entries.weights[entry]
        if dropped > most:
            break
    return dropped
