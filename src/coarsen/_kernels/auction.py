"""Assigning each buyer one of the few goods that it considers, at nearly least cost, by an auction.

Bertsekas' auction: a buyer without a good bids for the one that is cheapest for it, own cost and
price together, and raises its price until another is nearly as cheap; who had the good before loses
it. If all get a good, their costs together exceed the least by at most a step of price for each.

Throughout: `goods` holds the goods that each buyer considers, cheapest first, -1 where there are no
more; `costs` what they cost it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NOBODY = -1


@njit(cache=True, nogil=True)
def assign(goods, costs, step, dearest, most_bids):
    """Return the good of each buyer, -1 for those that got none.

    A buyer retires when each of its goods costs it more than `dearest`; after `most_bids` bids all
    who have nothing retire.
    """
    buyers = goods.shape[0]
    prices = np.zeros(buyers, dtype=np.float32)
    owner = np.full(buyers, NOBODY, dtype=np.int32)
    bought = np.full(buyers, NOBODY, dtype=np.int32)
    waiting = np.arange(buyers, dtype=np.int32)  # a ring: who is outbid queues up again
    head, count = 0, buyers
    while count > 0 and most_bids > 0:
        buyer = waiting[head]
        head = (head + 1) % buyers
        count -= 1
        good, least, second = _cheapest(goods, costs, prices, buyer, dearest)
        if good == NOBODY:
            continue
        most_bids -= 1
        prices[good] += second - least + step
        loser = owner[good]
        owner[good], bought[buyer] = buyer, good
        if loser != NOBODY:
            bought[loser] = NOBODY
            waiting[(head + count) % buyers] = loser
            count += 1
    return bought


@njit(cache=True, nogil=True, inline="always")
def _cheapest(goods, costs, prices, buyer, dearest):
    """Find the good that is cheapest for a buyer, and what it and the next best cost in all."""
    good, least, second = NOBODY, dearest, dearest
    for place in range(goods.shape[1]):
        other = goods[buyer, place]
        if other == NOBODY or costs[buyer, place] >= second:
            break
        cost = costs[buyer, place] + prices[other]
        if cost < least:
            good, least, second = other, cost, least
        elif cost < second:
            second = cost
    return good, least, second
