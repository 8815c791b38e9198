"""Brute force over all sets of cuts, from the definitions; shares nothing with the library.

A column is a list of its values in order; `paths` are those of its hierarchy in the same order, or
None for numbers.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations


def all_sets(columns, allowed=None):
    """Every set of indexes: 1 is the first value of the first column, and never a cut."""
    indexes, index = [], 1
    for values in columns:
        indexes += range(index + 1, index + len(values))
        index += len(values)
    indexes = [i for i in indexes if allowed is None or i in allowed]
    return chain.from_iterable(combinations(indexes, size) for size in range(len(indexes) + 1))


def intervals(columns, cuts):
    """For each column the interval of each value, numbered from 0."""
    found, index = [], 1
    for values in columns:
        numbers, number = {}, 0
        for place, value in enumerate(values):
            number += place > 0 and index in cuts
            numbers[value] = number
            index += 1
        found.append(numbers)
    return found


def classes(rows, columns, cuts):
    """The class of each row."""
    numbers = intervals(columns, cuts)
    return [tuple(n[value] for n, value in zip(numbers, row, strict=True)) for row in rows]


def suppressed(rows, columns, cuts, k):
    found = classes(rows, columns, cuts)
    sizes = Counter(found)
    return {number for number, each in enumerate(found) if sizes[each] < k}


def dm(rows, columns, cuts, k, **_):
    sizes = Counter(classes(rows, columns, cuts))
    return sum(n * n if n >= k else n * len(rows) for n in sizes.values())


def cm(rows, columns, cuts, k, *, labels, **_):
    found = classes(rows, columns, cuts)
    total = 0
    for each, size in Counter(found).items():
        held = Counter(label for label, other in zip(labels, found, strict=True) if other == each)
        total += size if size < k else size - max(held.values())
    return total


def gcp(rows, columns, cuts, k, *, paths, **_):
    left_out = suppressed(rows, columns, cuts, k)
    found = classes(rows, columns, cuts)
    seen = [{row[place] for row in rows} for place in range(len(columns))]
    numbers = intervals(columns, cuts)
    total = Fraction(0)
    for number, each in enumerate(found):
        for place in range(len(columns)):
            if number in left_out:
                total += 1
                continue
            inside = {v for v in seen[place] if numbers[place][v] == each[place]}
            total += cell_loss(inside, seen[place], columns[place], paths[place])
    return total / (len(rows) * len(columns))


def cell_loss(inside, seen, values, paths):
    """What a cell loses, published as a range, or as the node or set of the values inside."""
    if len(inside) == 1:
        return Fraction(0)
    if paths is None:
        numbers = [int(value) for value in inside]
        everything = [int(value) for value in seen]
        return Fraction(max(numbers) - min(numbers), max(everything) - min(everything))
    for level in range(1, len(paths[0])):
        for label in {path[level] for path in paths}:
            under = {path[0] for path in paths if path[level] == label}
            if under & seen == inside:
                return Fraction(len(under) - 1, len(values) - 1)
    return Fraction(len(inside) - 1, len(values) - 1)


COSTS = {"dm": dm, "cm": cm, "gcp": gcp}


def cheapest(cost, rows, columns, *, k, limit, allowed=None, **more):
    """The least cost of any set of cuts that suppresses no more than allowed."""
    return min(
        COSTS[cost](rows, columns, set(cuts), k, **more)
        for cuts in all_sets(columns, allowed)
        if len(suppressed(rows, columns, set(cuts), k)) <= limit
    )
