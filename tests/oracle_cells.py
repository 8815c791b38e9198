"""Cell suppression and generalization by brute force over all partitions; plain Python."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf


def stars(rows, weights):
    """What starring a group of rows costs in each of its rows."""
    columns = zip(*rows, strict=True)
    return sum(w for values, w in zip(columns, weights, strict=True) if len(set(values)) > 1)


def steps(rows, paths, weights):
    """The same for nodes: for each column, level / height of the lowest node above all values."""
    total = 0
    for place, (known, weight) in enumerate(zip(paths, weights, strict=True)):
        ways = [known[row[place]] for row in rows]
        level = next(i for i in range(len(ways[0])) if len({way[i] for way in ways}) == 1)
        total += weight * Fraction(level, max(len(ways[0]) - 1, 1))
    return total


def least(rows, k, cost, *, may_leave_out=0, left_out=0):
    """The least cost of a partition into groups of at least k, some rows left out at a price."""

    @cache
    def best(left, spare):
        if not left:
            return 0
        found = []
        if spare:
            found.append(left_out + best(left[1:], spare - 1))
        for size in range(k - 1, len(left)):
            for others in combinations(left[1:], size):
                group = [rows[i] for i in (left[0], *others)]
                rest = tuple(i for i in left[1:] if i not in others)
                found.append(len(group) * cost(group) + best(rest, spare))
        return min(found, default=inf)

    return best(tuple(range(len(rows))), may_leave_out)
