"""Brute force from the definitions, in plain Python; shares nothing with the library."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product


def generalize(rows, columns, ladders, vector):
    """Publish every row at a level vector."""
    step = {c: {path[0]: path for path in ladders[c]} for c in columns}
    return [
        tuple(step[c][row[c]][level] for c, level in zip(columns, vector, strict=True))
        for row in rows
    ]


def outliers(rows, columns, ladders, vector, k):
    """The rows (by number) that minimal required suppression leaves out."""
    published = generalize(rows, columns, ladders, vector)
    sizes = Counter(published)
    return {i for i, row in enumerate(published) if sizes[row] < k}


def vectors(columns, ladders):
    return list(product(*(range(len(ladders[c][0])) for c in columns)))


def below(a, b):
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))


def satisfying(rows, columns, ladders, k, limit):
    return [
        v for v in vectors(columns, ladders) if len(outliers(rows, columns, ladders, v, k)) <= limit
    ]


def minimal(rows, columns, ladders, k, limit):
    found = satisfying(rows, columns, ladders, k, limit)
    return {v for v in found if not any(below(w, v) for w in found)}


def node_ncp(ladders, column, value, level):
    paths = [tuple(p) for p in ladders[column]]
    label = next(p for p in paths if p[0] == value)[level]
    under = sum(p[level] == label for p in paths)
    return Fraction(0) if label == value and under == 1 else Fraction(under, len(paths))


def gcp(rows, columns, ladders, vector, k):
    """Mean NCP (node form) over all cells, a suppressed cell counting 1; exact."""
    left_out = outliers(rows, columns, ladders, vector, k)
    lost = Fraction(0)
    for i, row in enumerate(rows):
        for c, level in zip(columns, vector, strict=True):
            lost += 1 if i in left_out else node_ncp(ladders, c, row[c], level)
    return lost / (len(rows) * len(columns))


def best(rows, columns, ladders, k, limit):
    """The vector of least loss; ties by suppressed rows, height, lexicographic order."""
    return min(
        satisfying(rows, columns, ladders, k, limit),
        key=lambda v: (
            gcp(rows, columns, ladders, v, k),
            len(outliers(rows, columns, ladders, v, k)),
            sum(v),
            v,
        ),
    )


def released_classes(rows, columns, ladders, vector, left):
    """How many distinct tuples the rows that are left show."""
    published = generalize(rows, columns, ladders, vector)
    return len({published[row] for row in left})


def tuple_distance(columns, ladders, one, other):
    """For each column, the steps until two rows have the same value."""
    found = []
    for c in columns:
        paths = {path[0]: path for path in ladders[c]}
        pairs = zip(paths[one[c]], paths[other[c]], strict=True)
        found.append(next(level for level, (a, b) in enumerate(pairs) if a == b))
    return tuple(found)


def datafly(columns, ladders, rows, dropped, limit):
    """The vectors that Datafly passes, given how many rows each of them drops."""
    vector = [0] * len(columns)
    path = [tuple(vector)]
    while dropped(tuple(vector)) > limit:
        published = generalize(rows, columns, ladders, vector)
        values = [len({row[place] for row in published}) for place in range(len(columns))]
        open_ = [i for i, c in enumerate(columns) if vector[i] < len(ladders[c][0]) - 1]
        if not open_:
            return None
        most = max(values[place] for place in open_)
        vector[next(place for place in open_ if values[place] == most)] += 1
        path.append(tuple(vector))
    return path


def rare_combinations(published, ranks, k):
    """Combinations of up to three cells of different ranks, none starred, that fewer than k have.

    `published` are rows of labels, None where a cell is starred; rank 0 is not tested.
    """
    ranked = [place for place, rank in enumerate(ranks) if rank]
    found = set()
    for size in (1, 2, 3):
        for places in combinations(ranked, size):
            if len({ranks[place] for place in places}) < size:
                continue
            parts = [tuple(row[place] for place in places) for row in published]
            counts = Counter(part for part in parts if None not in part)
            found |= {(places, part) for part, count in counts.items() if count < k}
    return found
