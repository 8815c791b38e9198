"""Freeform generalization by its definition, in plain Python; shares nothing with the library."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations


def regular(covers, k):
    """Whether each box covers k different rows and each row is covered k times."""
    held = Counter(row for box in covers for row in box)
    return all(len(set(box)) == len(box) == k for box in covers) and held == Counter(
        dict.fromkeys(range(len(covers)), k)
    )


def matching_exists(allowed):
    """Whether a perfect matching exists; `allowed` are the rows that each box may take."""
    taken = {}

    def place(box, seen):
        for row in allowed[box]:
            if row not in seen:
                seen.add(row)
                if row not in taken or place(taken[row], seen):
                    taken[row] = box
                    return True
        return False

    return all(place(box, set()) for box in range(len(allowed)))


def most_matchings(allowed, limit):
    """The largest number of disjoint perfect matchings, by trying all of them one after another."""
    size = len(allowed)

    def more(left, found):
        if found == limit or not matching_exists(left):
            return found
        return max(
            more([box - {row} for box, row in zip(left, chosen, strict=True)], found + 1)
            for chosen in permutations(range(size))
            if all(row in box for box, row in zip(left, chosen, strict=True))
        )

    return more([set(box) for box in allowed], 0)


def least_cost(size, k, cost):
    """The least summed cost of boxes over all k-regular graphs in which each covers its own row."""
    choices = [
        [(box, *others) for others in combinations([r for r in range(size) if r != box], k - 1)]
        for box in range(size)
    ]
    prices = [{rows: cost(rows) for rows in options} for options in choices]
    best = float("inf")

    def search(box, used, spent):
        nonlocal best
        if spent >= best - 1e-12:
            return
        if box == size:
            best = spent
            return
        for rows, price in prices[box].items():
            if all(used[row] < k for row in rows):
                for row in rows:
                    used[row] += 1
                search(box + 1, used, spent + price)
                for row in rows:
                    used[row] -= 1

    search(0, [0] * size, 0.0)
    return best
