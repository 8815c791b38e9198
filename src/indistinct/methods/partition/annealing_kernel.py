"""Improving groups of rows by single moves, swaps, splits and dissolutions.

A change is made if it lowers the summed cost, or raises it by less than a random threshold that
shrinks as the search cools down. Groups never fall below k rows, and never break a rule.

Names are those of `linked_groups`; `demands` is `None` where nothing but k rows is demanded, and
so is `tally`, the room to count for them.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.random import share
from indistinct.methods.partition.linked_groups_kernel import (
    NONE,
    allowed,
    cost_changed,
    cost_of,
    cost_with,
    join,
    leave,
    tighten,
)

LEAST = 1e-9


@inner
def _price(table, low, high, price, target):
    """Return what a row of a group costs, from memory if the group did not change."""
    if price[target] < 0.0:
        price[target] = cost_of(table, low, high, target)
    return price[target]


@njit
def _candidates(orders, places, reach, row, found):
    """List the rows that are near a row in each of the orders."""
    rows = orders.shape[1]
    number = 0
    for which in range(orders.shape[0]):
        place = places[which, row]
        for step in range(1, reach + 1):
            found[number] = orders[which, (place + step) % rows]
            found[number + 1] = orders[which, (place - step) % rows]
            number += 2


@njit
def anneal(
    table,
    codes,
    group,
    size,
    low,
    high,
    head,
    after,
    before,
    demands,
    tally,
    k,
    orders,
    places,
    reach,
    rows,
    heat,
    state,
    block,
    mine,
):
    """Try to move, to swap, or to dissolve, for each of some rows; only groups of one block change.

    Blocks are searched side by side: a row of another block may change its group meanwhile, but
    never to one of this block, so what is skipped does not depend on who is faster.
    """
    nearby = np.empty(orders.shape[0] * 2 * reach, dtype=np.int64)
    seen = np.zeros(size.size, dtype=np.int64)
    price = np.full(size.size, -1.0)
    for turn in range(rows.size):
        row = np.int64(rows[turn])
        home = np.int64(group[row])
        cost = _price(table, low, high, price, home)
        if cost == 0.0:
            continue
        _candidates(orders, places, reach, row, nearby)
        best = -LEAST
        if heat > 0.0:
            best -= heat * np.log(max(share(state), 1e-300))
        without = cost_changed(table, codes, low, high, head, after, home, row, NONE)
        target = NONE
        if size[home] > k and allowed(size, head, after, demands, tally, home, row, NONE):
            rid = without * (size[home] - 1) - cost * size[home]
            seen[home] = turn + 1
            for other in nearby:
                there = np.int64(group[other])
                if seen[there] == turn + 1 or block[there] != mine:
                    continue
                seen[there] = turn + 1
                joined = cost_with(table, codes, low, high, there, row, np.inf)
                gain = rid + joined * (size[there] + 1)
                gain -= _price(table, low, high, price, there) * size[there]
                if gain < best and allowed(size, head, after, demands, tally, there, NONE, row):
                    best, target = gain, there
            if target >= 0:
                leave(group, size, head, after, before, row)
                tighten(codes, low, high, head, after, home)
                join(codes, group, size, low, high, head, after, before, row, target)
                price[home] = price[target] = -1.0
                continue
        if without < cost - LEAST:
            partner = NONE
            for other in nearby:
                there = np.int64(group[other])
                if there == home or block[there] != mine:
                    continue
                now = _price(table, low, high, price, there) * size[there]
                if (without - cost) * size[home] - now >= best:
                    continue
                here = cost_changed(table, codes, low, high, head, after, home, row, other) - cost
                if here * size[home] - now >= best:
                    continue
                gain = here * size[home] - now
                gain += size[there] * cost_changed(
                    table, codes, low, high, head, after, there, other, row
                )
                if (
                    gain < best
                    and allowed(size, head, after, demands, tally, home, row, other)
                    and allowed(size, head, after, demands, tally, there, other, row)
                ):
                    best, partner = gain, other
            if partner >= 0:
                there = np.int64(group[partner])
                leave(group, size, head, after, before, row)
                leave(group, size, head, after, before, partner)
                join(codes, group, size, low, high, head, after, before, row, there)
                join(codes, group, size, low, high, head, after, before, partner, home)
                tighten(codes, low, high, head, after, home)
                tighten(codes, low, high, head, after, there)
                price[home] = price[there] = -1.0
                continue
        if size[home] < 2 * k and head[home] == row and demands is None:
            gone = _dissolve(
                table,
                codes,
                group,
                size,
                low,
                high,
                head,
                after,
                before,
                orders,
                places,
                reach,
                nearby,
                block,
                home,
                cost,
            )
            if gone:
                price[:] = -1.0


@njit
def _cheapest(table, codes, group, size, low, high, nearby, block, row):
    """Find the nearby group, other than its own, that a row joins at least cost."""
    best, target = np.inf, NONE
    for other in nearby:
        there = np.int64(group[other])
        if there != group[row] and block[there] == block[group[row]]:
            more = cost_with(table, codes, low, high, there, row, np.inf) * (size[there] + 1)
            more -= cost_of(table, low, high, there) * size[there]
            if more < best:
                best, target = more, there
    return best, target


@inner
def _dissolve(
    table,
    codes,
    group,
    size,
    low,
    high,
    head,
    after,
    before,
    orders,
    places,
    reach,
    nearby,
    block,
    home,
    cost,
):
    """Send the rows of a group to others if that is cheaper; tell whether it was."""
    now = cost * size[home]
    elsewhere = 0.0
    row = np.int64(head[home])
    while row >= 0 and elsewhere < now:
        _candidates(orders, places, reach, row, nearby)
        elsewhere += _cheapest(table, codes, group, size, low, high, nearby, block, row)[0]
        row = np.int64(after[row])
    if elsewhere >= now - LEAST:
        return False
    row = np.int64(head[home])
    while row >= 0:
        following = np.int64(after[row])
        _candidates(orders, places, reach, row, nearby)
        target = _cheapest(table, codes, group, size, low, high, nearby, block, row)[1]
        leave(group, size, head, after, before, row)
        join(codes, group, size, low, high, head, after, before, row, target)
        row = following
    return True


@njit
def split(
    table, codes, group, size, low, high, head, after, before, demands, tally, k, begin, end, count,
):  # fmt: skip
    """Cut some groups in two along one column where that is cheaper; return how many there are."""
    target = np.int64(begin)
    while target < end:
        cost = cost_of(table, low, high, target) if size[target] else 0.0
        if size[target] < 2 * k or count >= size.size - 1 or cost == 0.0:
            target += 1
            continue
        rows = np.empty(size[target], dtype=np.int64)
        row = head[target]
        for i in range(rows.size):
            rows[i] = row
            row = after[row]
        best, cut, along = cost * rows.size - LEAST, -1, -1
        for column in range(codes.shape[1]):
            if low[target, column] != high[target, column]:
                dear, at = _best_cut(table, codes, rows, column, k)
                if dear < best:
                    best, cut, along = dear, at, column
        if cut >= 0:
            order = np.argsort(codes[rows, along], kind="mergesort")
            for i in range(cut):
                leave(group, size, head, after, before, rows[order[i]])
                join(codes, group, size, low, high, head, after, before, rows[order[i]], count)
            tighten(codes, low, high, head, after, target)
            if allowed(size, head, after, demands, tally, target, NONE, NONE) and allowed(
                size, head, after, demands, tally, count, NONE, NONE
            ):
                count += 1
                continue
            for i in range(cut):
                leave(group, size, head, after, before, rows[order[i]])
                join(codes, group, size, low, high, head, after, before, rows[order[i]], target)
            tighten(codes, low, high, head, after, count)
        target += 1
    return count


@njit
def _best_cut(table, codes, rows, column, k):
    """Find the cheapest cut of some rows in the order of a column."""
    size, columns = rows.size, codes.shape[1]
    order = np.argsort(codes[rows, column], kind="mergesort")
    low = np.empty((size, columns), dtype=np.int32)
    high = np.empty((size, columns), dtype=np.int32)
    for i in range(size - 1, -1, -1):
        for j in range(columns):
            code = codes[rows[order[i]], j]
            low[i, j] = code if i == size - 1 else min(code, low[i + 1, j])
            high[i, j] = code if i == size - 1 else max(code, high[i + 1, j])
    best, cut = np.inf, -1
    first_low = np.full(columns, np.iinfo(np.int32).max, dtype=np.int32)
    first_high = np.full(columns, -1, dtype=np.int32)
    for i in range(size - k):
        for j in range(columns):
            code = codes[rows[order[i]], j]
            first_low[j] = min(first_low[j], code)
            first_high[j] = max(first_high[j], code)
        if i + 1 >= k:
            one, two = 0.0, 0.0
            for j in range(columns):
                one += table[j, first_low[j], first_high[j]]
                two += table[j, low[i + 1, j], high[i + 1, j]]
            cost = one * (i + 1) + two * (size - i - 1)
            if cost < best:
                best, cut = cost, i + 1
    return best, cut


@njit
def place(
    table, codes, group, size, low, high, head, after, before, demands, tally, rows, kinds,
    refused, count,
):  # fmt: skip
    """Let each of some rows join the group where it costs least; it stays if none may take it.

    Rows of one of the `kinds` are refused alike: `refused` has a line of these for each group, and
    no kinds where that is not known.
    """
    price = np.full(count, -1.0)
    known = refused.shape[1] > 0
    for turn in range(rows.size):
        row = np.int64(rows[turn])
        best, target = np.inf, NONE
        for there in range(count):
            if size[there] == 0 or (known and refused[there, kinds[turn]]):
                continue
            now = _price(table, low, high, price, there) * size[there]
            limit = (best + now) / (size[there] + 1)
            cost = cost_with(table, codes, low, high, there, row, limit)
            if cost >= limit:
                continue
            if not allowed(size, head, after, demands, tally, there, NONE, row):
                if known:
                    refused[there, kinds[turn]] = True
                continue
            best, target = cost * (size[there] + 1) - now, there
        if target >= 0:
            leave(group, size, head, after, before, row)
            join(codes, group, size, low, high, head, after, before, row, target)
            price[target] = -1.0
            if known:
                refused[target] = False
