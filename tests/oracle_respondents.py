"""Brute force for respondents with several rows and for several quasi-identifiers.

From the definitions alone: a set of rows is safe if, for each quasi-identifier, every class it has
rows in holds rows of at least k respondents; the rows to keep are the largest safe set, found by
trying all sets of rows.
"""

from __future__ import annotations

from itertools import combinations

from tests import oracle


def is_safe(chosen, published, sets, k):
    """Whether a set of row numbers satisfies every (places of columns, respondents) of `sets`."""
    for places, people in sets:
        heads = {}
        for row in chosen:
            key = tuple(published[row][place] for place in places)
            heads.setdefault(key, set()).add(row if people is None else people[row])
        if any(len(respondents) < k for respondents in heads.values()):
            return False
    return True


def largest_safe(published, sets, k):
    """The largest safe set of rows; it is the only one of its size."""
    everyone = range(len(published))
    for size in range(len(published), -1, -1):
        found = [set(c) for c in combinations(everyone, size) if is_safe(c, published, sets, k)]
        if found:
            assert len(found) == 1
            return found[0]
    raise AssertionError("the empty set is safe")


def kept_by_vector(rows, columns, ladders, sets, k):
    """For every level vector, the rows that stay."""
    return {
        vector: largest_safe(oracle.generalize(rows, columns, ladders, vector), sets, k)
        for vector in oracle.vectors(columns, ladders)
    }


def lost(rows, columns, ladders, vector, kept):
    """Summed NCP (node form) of all cells, a suppressed cell counting 1; exact."""
    return sum(
        oracle.node_ncp(ladders, column, row[column], level) if number in kept else 1
        for number, row in enumerate(rows)
        for column, level in zip(columns, vector, strict=True)
    )


def best(rows, columns, ladders, kept, limit):
    """The vector of least loss; ties by suppressed rows, height, lexicographic order."""
    satisfying = [v for v in kept if len(rows) - len(kept[v]) <= limit]
    return min(
        satisfying,
        key=lambda v: (lost(rows, columns, ladders, v, kept[v]), -len(kept[v]), sum(v), v),
    )


def lowest(rows, kept, limit):
    """The first vector, in lexicographic order, of the lowest height."""
    satisfying = [v for v in kept if len(rows) - len(kept[v]) <= limit]
    return min(satisfying, key=lambda v: (sum(v), v))
