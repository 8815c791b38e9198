"""A pass of the local search over patterns: every mask is tried, every bucket of it considered.

Under a mask, rows that fit one pattern are a bucket. Some would gain if that pattern were
published: it is opened (or joined, if some group has it) with those whose groups can spare them; a
group that would lose too many is dissolved, its other rows going to the cheapest pattern they fit;
and if rows are missing to k, groups with more than they need lend some. All of it happens if it
pays. Our own; a local search for a facility location problem with lower bounds (Karger and
Minkoff 2000), where patterns are the facilities.

What holds between two changes: every group has k rows or more, or none, satisfies what is demanded,
and has the pattern of its rows (see `starring_kernel`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.cells.buckets_kernel import MOST_LENDERS, fill
from indistinct.methods.cells.starring_kernel import (
    LEAST,
    enlist,
    find,
    find_pattern,
    fits,
    key_of,
    reopen,
    withdraw,
)
from indistinct.methods.common.demands_kernel import satisfied
from indistinct.methods.common.linked_groups_kernel import AFTER, GROUP, HEAD, NONE, SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.cells.buckets_kernel import PatternBuckets
    from indistinct.methods.cells.starring_kernel import Stars
    from indistinct.methods.common.asked import Asked


class ChangeScratch(NamedTuple):
    """Scratch arrays for weighing one change.

    Attributes
    ----------
    seen, gone, taken, there
        For each group: in which change it was met, in which it will be gone, how many rows it
        gives, and how many of its rows would gain.
    met, moving, leaving, to
        The groups met; the rows that will have the new pattern; the other rows of dissolved groups,
        and where they will go. How many stands in the last place.
    other, other_turn
        For each row what its cheapest other group costs, and in which pass that was found out.
    marked
        For each row in which change it was about to move.
    turn
        The number of the change, the pass and the mask.
    """

    seen: NDArray[Any]
    gone: NDArray[Any]
    taken: NDArray[Any]
    there: NDArray[Any]
    met: NDArray[Any]
    moving: NDArray[Any]
    leaving: NDArray[Any]
    to: NDArray[Any]
    other: NDArray[Any]
    other_turn: NDArray[Any]
    marked: NDArray[Any]
    turn: NDArray[Any]


class Masks(NamedTuple):
    """Sets of columns to star, a bit each.

    Attributes
    ----------
    masks, prices
        Those to be tried, in turn, and what a row costs under each.
    used
        Those that groups have, cheapest first.
    """

    masks: NDArray[np.int64]
    prices: NDArray[np.float64]
    used: NDArray[np.int64]


@njit
def improve(
    stars: Stars,
    buckets: PatternBuckets,
    scratch: ChangeScratch,
    tried: Masks,
    order: NDArray[np.int64],
    asked: Asked,
) -> int:
    """Try all masks in turn, with the rows in some order; return how many changes were made."""
    masks, prices, used = tried.masks, tried.prices, tried.used
    k, demands, tally = asked.k, asked.demands, asked.tally
    places = np.empty(order.size, dtype=np.int64)
    scratch.turn[1] += 1
    changes = 0
    for number in range(masks.size):
        mask, price = masks[number], prices[number]
        if 2 * stars.taken[0] > stars.open_keys.size:
            reopen(stars)
        scratch.turn[2] += 1
        filled = fill(stars, buckets, mask, price, scratch.turn[2], k, order, places)
        for i in range(filled):
            place = places[i]
            if buckets.gainers[place] < 0:
                continue
            target = find(stars, buckets.keys[place])
            if target < 0 and buckets.held[place] < k:
                continue
            gain = _consider(stars, buckets, scratch, place, mask, target, price, used, demands, k)
            if (
                gain > LEAST
                and _placed(stars, scratch, target, price, used)
                and _allowed(stars, scratch, demands, tally, target)
            ):
                _carry_out(stars, scratch, target)
                changes += 1
    return changes


@inner
def _consider(stars, buckets, scratch, place, mask, target, price, used, demands, k):
    """Choose the rows of a bucket that would make, or join, the group of its pattern.

    Returns the gain; -inf if there are too few rows. `scratch` holds what was chosen.
    """
    scratch.turn[0] += 1
    turn = scratch.turn[0]
    met = _meet(stars, buckets, scratch, place, target, price, turn)
    gain = 0.0
    leaving = 0
    for i in range(met):
        group = scratch.met[i]
        each = stars.price[group] - price
        spare, there = stars.records[group, SIZE] - k, scratch.there[group]
        if there == stars.records[group, SIZE]:
            scratch.gone[group] = turn
        if there <= spare or there == stars.records[group, SIZE]:
            scratch.taken[group] = there
            gain += each * there
            continue
        scratch.taken[group] = spare
        before = leaving
        dissolved = each * there if demands is None else -np.inf
        row = stars.records[group, HEAD]
        while row >= 0 and dissolved > each * spare:
            if key_of(stars, mask, row) != buckets.keys[place]:
                dissolved += stars.price[group]
                dissolved -= _other(stars, scratch, used, row)
                scratch.leaving[leaving] = row
                leaving += 1
            row = stars.rows[row, AFTER]
        if dissolved > each * spare:
            scratch.gone[group] = turn
            scratch.taken[group] = there
            gain += dissolved
        else:
            leaving = before
            gain += each * spare
    moving = 0
    row = buckets.gainers[place]
    while row >= 0:
        group = stars.rows[row, GROUP]
        if scratch.seen[group] == turn and scratch.taken[group] > 0:
            scratch.taken[group] -= 1
            scratch.moving[moving] = row
            moving += 1
        row = buckets.following[row]
    scratch.moving[-1], scratch.leaving[-1], scratch.met[-1] = moving, leaving, met
    if target < 0 and moving < k:
        gain -= _borrow(stars, buckets, scratch, place, price, k, turn)
    return gain if scratch.moving[-1] > 0 else -np.inf


@inner
def _meet(stars, buckets, scratch, place, target, price, turn):
    """List the groups of the rows that would gain, and count these in each."""
    met = 0
    row = buckets.gainers[place]
    while row >= 0:
        group = stars.rows[row, GROUP]
        if group != target and stars.price[group] - price > LEAST:
            if scratch.seen[group] != turn:
                scratch.seen[group] = turn
                scratch.there[group] = 0
                scratch.met[met] = group
                met += 1
            scratch.there[group] += 1
        row = buckets.following[row]
    return met


@inner
def _borrow(stars, buckets, scratch, place, price, k, turn):
    """Add rows of groups that can spare them, the least loss first; return the loss.

    It is infinite if they do not suffice.
    """
    met, moving = scratch.met[-1], scratch.moving[-1]
    rows = np.empty(MOST_LENDERS, dtype=np.int64)
    lent = 0
    row = buckets.lenders[place]
    while row >= 0 and lent < MOST_LENDERS:
        group = stars.rows[row, GROUP]
        if stars.price[group] - price <= LEAST:
            if scratch.seen[group] != turn:
                scratch.seen[group] = turn
                scratch.taken[group] = stars.records[group, SIZE] - k
                scratch.met[met] = group
                met += 1
            if scratch.taken[group] > 0:
                scratch.taken[group] -= 1
                rows[lent] = row
                lent += 1
        row = buckets.following[row]
    scratch.met[-1] = met
    if moving + lent < k:
        return np.inf
    loss = 0.0
    for i in range(k - moving):
        best = i
        for j in range(i + 1, lent):
            if stars.price[stars.rows[rows[j], GROUP]] > stars.price[stars.rows[rows[best], GROUP]]:
                best = j
        rows[i], rows[best] = rows[best], rows[i]
        scratch.moving[moving + i] = rows[i]
        loss += price - stars.price[stars.rows[rows[i], GROUP]]
    scratch.moving[-1] = k
    return loss


@inner
def _other(stars, scratch, used, row):
    """Return what the cheapest other group of a row costs, as found out at most once in a pass."""
    if scratch.other_turn[row] != scratch.turn[1]:
        scratch.other_turn[row] = scratch.turn[1]
        other = _elsewhere(stars, used, row, scratch.gone, scratch.turn[0])
        scratch.other[row] = stars.price[other] if other >= 0 else np.inf
    return scratch.other[row]


@inner
def _elsewhere(stars, used, row, gone, turn):
    """Find the cheapest other group that a row fits and that is not about to be gone."""
    for mask in used:
        other = find(stars, key_of(stars, mask, row))
        elsewhere = other >= 0 and other != stars.rows[row, GROUP] and gone[other] != turn
        if elsewhere and fits(stars, other, row):
            return other
    return NONE


@inner
def _placed(stars, scratch, target, price, used):
    """Find where the rows of dissolved groups go now; return whether the change still pays."""
    gain = 0.0
    for i in range(scratch.moving[-1]):
        row = scratch.moving[i]
        if target >= 0 and not fits(stars, target, row):
            return False
        gain += stars.price[stars.rows[row, GROUP]] - price
    for i in range(scratch.leaving[-1]):
        row = scratch.leaving[i]
        other = _elsewhere(stars, used, row, scratch.gone, scratch.turn[0])
        if other < 0:
            return False
        scratch.to[i] = other
        gain += stars.price[stars.rows[row, GROUP]] - stars.price[other]
    return gain > LEAST


@inner
def _allowed(stars, scratch, demands, tally, target):
    """Return whether all groups satisfy after the change; none is dissolved."""
    if demands is None:
        return True
    turn, moving = scratch.turn[0], scratch.moving[-1]
    held = stars.records[target, SIZE] if target >= 0 else 0
    chosen = np.empty(moving + held, dtype=np.int32)
    for i in range(moving):
        chosen[i] = scratch.moving[i]
        scratch.marked[scratch.moving[i]] = turn
    row = stars.records[target, HEAD] if target >= 0 else NONE
    for i in range(held):
        chosen[moving + i] = row
        row = stars.rows[row, AFTER]
    if not satisfied(demands, tally, chosen):
        return False
    for i in range(scratch.met[-1]):
        group = scratch.met[i]
        rest = np.empty(stars.records[group, SIZE], dtype=np.int32)
        staying = 0
        row = stars.records[group, HEAD]
        while row >= 0:
            if scratch.marked[row] != turn:
                rest[staying] = row
                staying += 1
            row = stars.rows[row, AFTER]
        if 0 < staying < rest.size and not satisfied(demands, tally, rest[:staying]):
            return False
    return True


@inner
def _carry_out(stars, scratch, target):
    """Make the change."""
    for i in range(scratch.leaving[-1]):
        withdraw(stars, scratch.leaving[i])
        enlist(stars, scratch.leaving[i], scratch.to[i])
    new = target < 0
    if new:
        stars.free[-1] -= 1
        target = stars.free[stars.free[-1]]
    for i in range(scratch.moving[-1]):
        withdraw(stars, scratch.moving[i])
        enlist(stars, scratch.moving[i], target)
    if new:
        find_pattern(stars, target)
    for i in range(scratch.met[-1]):
        group = scratch.met[i]
        if stars.records[group, SIZE] > 0 and stars.mask[group]:
            find_pattern(stars, group)
