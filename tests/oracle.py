"""Brute force from the definitions, in plain Python; shares nothing with the library."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product


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
        v
        for v in vectors(columns, ladders)
        if len(outliers(rows, columns, ladders, v, k)) <= limit
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
