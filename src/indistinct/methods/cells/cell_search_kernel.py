"""A pass of the local search over patterns: every mask is tried, every bucket of it considered.

Under a mask, rows that fit one pattern are a bucket. Some would gain if that pattern were
published: it is opened (or joined, if some group has it) with those whose groups can spare them; a
group that would lose too many is dissolved, its other rows going to the cheapest pattern they fit;
and if rows are missing to k, groups with more than they need lend some. All of it happens if it
pays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.methods.cells.starring_kernel import (
    LEAST,
    NONE,
    find,
    fits,
    join,
    key_of,
    leave,
    reopen,
    tighten,
)
from indistinct.methods.common.demands_kernel import satisfied

MOST_LENDERS = 256


class Buckets(NamedTuple):
    """The rows by the pattern they fit under one mask: chains in a hash table.

    Attributes
    ----------
    turn
        Under which mask each place was last used.
    keys, gainers, lenders, held
        For each place its pattern, the first row that would gain and the first that could be lent
        (-1: none), and how many both are.
    following
        The next row of each chain.
    """

    turn: np.ndarray
    keys: np.ndarray
    gainers: np.ndarray
    lenders: np.ndarray
    held: np.ndarray
    following: np.ndarray


class Room(NamedTuple):
    """Room to think about one change.

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

    seen: np.ndarray
    gone: np.ndarray
    taken: np.ndarray
    there: np.ndarray
    met: np.ndarray
    moving: np.ndarray
    leaving: np.ndarray
    to: np.ndarray
    other: np.ndarray
    other_turn: np.ndarray
    marked: np.ndarray
    turn: np.ndarray


@njit
def improve(rows, groups, table, buckets, room, masks, prices, used, order, demands, tally, k):
    """Try all masks in turn, with the rows in some order; return how many changes were made."""
    places = np.empty(order.size, dtype=np.int64)
    room.turn[1] += 1
    changes = 0
    for number in range(masks.size):
        mask, price = masks[number], prices[number]
        if 2 * table.taken[0] > table.keys.size:
            reopen(rows, groups, table)
        room.turn[2] += 1
        found = _fill(rows, groups, buckets, mask, price, room.turn[2], k, order, places)
        for i in range(found):
            place = places[i]
            if buckets.gainers[place] < 0:
                continue
            target = find(groups, table, buckets.keys[place])
            if target < 0 and buckets.held[place] < k:
                continue
            gain = _consider(
                rows, groups, table, buckets, room, place, mask, target, price, used, demands, k
            )
            if (
                gain > LEAST
                and _placed(rows, groups, table, room, target, price, used)
                and _allowed(groups, room, demands, tally, target)
            ):
                _carry_out(rows, groups, table, room, target)
                changes += 1
    return changes


@inner
def _fill(rows, groups, buckets, mask, price, turn, k, order, places):
    """Put each row that would gain by a mask into its bucket; then those that could be lent there.

    Returns how many buckets there are; `places` lists them.
    """
    last = np.uint64(buckets.keys.size - 1)
    found = 0
    shown, stars = _shown(rows, mask)
    for row in order:
        group = groups.of_row[row]
        if groups.price[group] - price <= LEAST:
            continue
        key = stars
        for column in shown:
            key += rows.cells[row, column]
        place = (key >> np.uint64(20)) & last
        while buckets.turn[place] == turn and buckets.keys[place] != key:
            place = (place + np.uint64(1)) & last
        if buckets.turn[place] != turn:
            buckets.turn[place] = turn
            buckets.keys[place] = key
            buckets.gainers[place] = NONE
            buckets.lenders[place] = NONE
            buckets.held[place] = 0
            places[found] = place
            found += 1
        buckets.held[place] += 1
        buckets.following[row] = buckets.gainers[place]
        buckets.gainers[place] = row
    if found == 0:
        return 0
    for row in order:
        group = groups.of_row[row]
        if groups.price[group] - price > LEAST or groups.size[group] <= k:
            continue
        if groups.mask[group] == mask:
            continue
        key = stars
        for column in shown:
            key += rows.cells[row, column]
        place = (key >> np.uint64(20)) & last
        while buckets.turn[place] == turn and buckets.keys[place] != key:
            place = (place + np.uint64(1)) & last
        if buckets.turn[place] == turn and buckets.held[place] < k + MOST_LENDERS:
            buckets.held[place] += 1
            buckets.following[row] = buckets.lenders[place]
            buckets.lenders[place] = row
    return found


@njit
def _shown(rows, mask):
    """List the columns that a mask does not star, and sum up the numbers of its stars."""
    shown = np.empty(rows.star.size, dtype=np.int64)
    found, stars = 0, np.uint64(0)
    for column in range(rows.star.size):
        if mask >> np.int64(column) & np.int64(1):
            stars += rows.star[column]
        else:
            shown[found] = column
            found += 1
    return shown[:found], stars


@inner
def _consider(rows, groups, table, buckets, room, place, mask, target, price, used, demands, k):
    """Choose the rows of a bucket that would make, or join, the group of its pattern.

    Returns the gain; -inf if there are too few rows. `room` holds what was chosen.
    """
    room.turn[0] += 1
    turn = room.turn[0]
    met = _meet(groups, buckets, room, place, target, price, turn)
    gain = 0.0
    leaving = 0
    for i in range(met):
        group = room.met[i]
        each = groups.price[group] - price
        spare, there = groups.size[group] - k, room.there[group]
        if there == groups.size[group]:
            room.gone[group] = turn
        if there <= spare or there == groups.size[group]:
            room.taken[group] = there
            gain += each * there
            continue
        room.taken[group] = spare
        before = leaving
        dissolved = each * there if demands is None else -np.inf
        row = groups.head[group]
        while row >= 0 and dissolved > each * spare:
            if key_of(rows, mask, row) != buckets.keys[place]:
                dissolved += groups.price[group]
                dissolved -= _other(rows, groups, table, room, used, row)
                room.leaving[leaving] = row
                leaving += 1
            row = groups.after[row]
        if dissolved > each * spare:
            room.gone[group] = turn
            room.taken[group] = there
            gain += dissolved
        else:
            leaving = before
            gain += each * spare
    moving = 0
    row = buckets.gainers[place]
    while row >= 0:
        group = groups.of_row[row]
        if room.seen[group] == turn and room.taken[group] > 0:
            room.taken[group] -= 1
            room.moving[moving] = row
            moving += 1
        row = buckets.following[row]
    room.moving[-1], room.leaving[-1], room.met[-1] = moving, leaving, met
    if target < 0 and moving < k:
        gain -= _borrow(groups, buckets, room, place, price, k, turn)
    return gain if room.moving[-1] > 0 else -np.inf


@inner
def _meet(groups, buckets, room, place, target, price, turn):
    """List the groups of the rows that would gain, and count these in each."""
    met = 0
    row = buckets.gainers[place]
    while row >= 0:
        group = groups.of_row[row]
        if group != target and groups.price[group] - price > LEAST:
            if room.seen[group] != turn:
                room.seen[group] = turn
                room.there[group] = 0
                room.met[met] = group
                met += 1
            room.there[group] += 1
        row = buckets.following[row]
    return met


@inner
def _borrow(groups, buckets, room, place, price, k, turn):
    """Add rows of groups that can spare them, the least loss first; return the loss.

    It is infinite if they do not suffice.
    """
    met, moving = room.met[-1], room.moving[-1]
    rows = np.empty(MOST_LENDERS, dtype=np.int64)
    found = 0
    row = buckets.lenders[place]
    while row >= 0 and found < MOST_LENDERS:
        group = groups.of_row[row]
        if groups.price[group] - price <= LEAST:
            if room.seen[group] != turn:
                room.seen[group] = turn
                room.taken[group] = groups.size[group] - k
                room.met[met] = group
                met += 1
            if room.taken[group] > 0:
                room.taken[group] -= 1
                rows[found] = row
                found += 1
        row = buckets.following[row]
    room.met[-1] = met
    if moving + found < k:
        return np.inf
    loss = 0.0
    for i in range(k - moving):
        best = i
        for j in range(i + 1, found):
            if groups.price[groups.of_row[rows[j]]] > groups.price[groups.of_row[rows[best]]]:
                best = j
        rows[i], rows[best] = rows[best], rows[i]
        room.moving[moving + i] = rows[i]
        loss += price - groups.price[groups.of_row[rows[i]]]
    room.moving[-1] = k
    return loss


@inner
def _other(rows, groups, table, room, used, row):
    """Return what the cheapest other group of a row costs, as found out at most once in a pass."""
    if room.other_turn[row] != room.turn[1]:
        room.other_turn[row] = room.turn[1]
        other = _elsewhere(rows, groups, table, used, row, room.gone, room.turn[0])
        room.other[row] = groups.price[other] if other >= 0 else np.inf
    return room.other[row]


@njit
def _elsewhere(rows, groups, table, used, row, gone, turn):
    """Find the cheapest other group that a row fits and that is not about to be gone."""
    for mask in used:
        other = find(groups, table, key_of(rows, mask, row))
        elsewhere = other >= 0 and other != groups.of_row[row] and gone[other] != turn
        if elsewhere and fits(rows, groups, other, row):
            return other
    return NONE


@inner
def _placed(rows, groups, table, room, target, price, used):
    """Find where the rows of dissolved groups go now; tell whether the change is still worth it."""
    gain = 0.0
    for i in range(room.moving[-1]):
        row = room.moving[i]
        if target >= 0 and not fits(rows, groups, target, row):
            return False
        gain += groups.price[groups.of_row[row]] - price
    for i in range(room.leaving[-1]):
        row = room.leaving[i]
        other = _elsewhere(rows, groups, table, used, row, room.gone, room.turn[0])
        if other < 0:
            return False
        room.to[i] = other
        gain += groups.price[groups.of_row[row]] - groups.price[other]
    return gain > LEAST


@njit
def _allowed(groups, room, demands, tally, target):
    """Tell whether all groups satisfy after the change; none is dissolved."""
    if demands is None:
        return True
    turn, moving = room.turn[0], room.moving[-1]
    held = groups.size[target] if target >= 0 else 0
    chosen = np.empty(moving + held, dtype=np.int32)
    for i in range(moving):
        chosen[i] = room.moving[i]
        room.marked[room.moving[i]] = turn
    row = groups.head[target] if target >= 0 else NONE
    for i in range(held):
        chosen[moving + i] = row
        row = groups.after[row]
    if not satisfied(demands, tally, chosen):
        return False
    for i in range(room.met[-1]):
        group = room.met[i]
        rest = np.empty(groups.size[group], dtype=np.int32)
        found = 0
        row = groups.head[group]
        while row >= 0:
            if room.marked[row] != turn:
                rest[found] = row
                found += 1
            row = groups.after[row]
        if 0 < found < rest.size and not satisfied(demands, tally, rest[:found]):
            return False
    return True


@inner
def _carry_out(rows, groups, table, room, target):
    """Make the change."""
    for i in range(room.leaving[-1]):
        leave(groups, room.leaving[i])
        join(groups, room.leaving[i], room.to[i])
    new = target < 0
    if new:
        groups.free[-1] -= 1
        target = groups.free[groups.free[-1]]
    for i in range(room.moving[-1]):
        leave(groups, room.moving[i])
        join(groups, room.moving[i], target)
    if new:
        tighten(rows, groups, table, target)
    for i in range(room.met[-1]):
        group = room.met[i]
        if groups.size[group] > 0 and groups.mask[group]:
            tighten(rows, groups, table, group)
