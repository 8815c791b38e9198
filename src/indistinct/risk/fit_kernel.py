"""Which classes of a release fit which people: two tries, one of classes and one of people.

What a linking attacker does (Samarati 2001; Sweeney 2002): for each person of a register, find the
classes whose published values cover that person's. Classes are a trie over the columns; people come
in lexicographic order, so one differs from the next from some column on, and all before stays.

Invariants: the front of a column is the nodes of its level that fit the person so far; fronts up to
the first column that changed are those of the person before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Trie(NamedTuple):
    """Distinct classes, in lexicographic order, as a trie whose levels lie one after the other.

    Attributes
    ----------
    levels
        Where each level begins; one number more than there are levels.
    text
        The text of each node.
    children
        For each node, where its children begin and end on the next level. Leaves are numbered as
        the classes are.
    """

    levels: np.ndarray
    text: np.ndarray
    children: np.ndarray


class Cover(NamedTuple):
    """For each column and value, the texts that cover it, in order; columns lie one after another.

    Attributes
    ----------
    columns
        Where each column's values begin in `starts`.
    starts
        Where each value's texts begin in `texts`.
    """

    columns: np.ndarray
    starts: np.ndarray
    texts: np.ndarray


@njit
def _step(trie, cover, column, value, first, last, out):
    """Add the children first..last of a node that cover a value; return how many they are."""
    count = 0
    at = cover.columns[column] + value
    begin, end = cover.starts[at], cover.starts[at + 1]
    base = trie.levels[column]
    if end - begin < (last - first) // 8:
        for t in range(begin, end):
            wanted = cover.texts[t]
            low, high = first, last
            while low < high:
                middle = (low + high) // 2
                if trie.text[base + middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < last and trie.text[base + low] == wanted:
                out[count] = low
                count += 1
        return count
    t = begin
    for node in range(first, last):
        text = trie.text[base + node]
        while t < end and cover.texts[t] < text:
            t += 1
        if t == end:
            break
        if cover.texts[t] == text:
            out[count] = node
            count += 1
    return count


@inner
def _advance(trie, cover, people, i, start, fronts, counts):
    """Renew the fronts of person i from column `start` on; return how many classes fit."""
    for column in range(start, people.shape[1]):
        count = 0
        out = fronts[column]
        value = people[i, column]
        if column == 0:
            count = _step(trie, cover, 0, value, 0, trie.levels[1] - trie.levels[0], out)
        else:
            above = trie.levels[column - 1]
            for f in range(counts[column - 1]):
                node = above + fronts[column - 1][f]
                first, last = trie.children[node, 0], trie.children[node, 1]
                count += _step(trie, cover, column, value, first, last, out[count:])
        counts[column] = count
    return counts[people.shape[1] - 1]


@inner
def _first_change(people, i):
    if i == 0:
        return 0
    for column in range(people.shape[1]):
        if people[i, column] != people[i - 1, column]:
            return column
    return people.shape[1]


@inner
def _fronts(trie):
    """Allocate the widest front, for each column."""
    depth = trie.levels.size - 1
    widest = 0
    for column in range(depth):
        widest = max(widest, trie.levels[column + 1] - trie.levels[column])
    return np.empty((depth, widest), dtype=np.int64)


@njit
def fitting(
    trie: Trie,
    cover: Cover,
    people: NDArray[np.int32],
    times: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count for each distinct person the rows that fit, and for each class the people that fit.

    `people` are distinct and in lexicographic order, `times` how many each stands for, `rows` how
    many rows each class has. Returns rows and classes that fit each person, the last such class,
    and the people that fit each class.
    """
    fronts = _fronts(trie)
    depth = people.shape[1]
    counts = np.zeros(depth, dtype=np.int64)
    fit = np.zeros(people.shape[0], dtype=np.int64)
    classes = np.zeros(people.shape[0], dtype=np.int64)
    last = np.full(people.shape[0], -1, dtype=np.int64)
    heads = np.zeros(rows.size, dtype=np.int64)
    for i in range(people.shape[0]):
        leaves = _advance(trie, cover, people, i, _first_change(people, i), fronts, counts)
        for f in range(leaves):
            leaf = fronts[depth - 1, f]
            fit[i] += rows[leaf]
            heads[leaf] += times[i]
            last[i] = leaf
        classes[i] = leaves
    return fit, classes, last, heads


@njit
def fitting_both(
    one: Trie,
    cover_one: Cover,
    starts_one: NDArray[np.int64],
    pairs_one: NDArray[np.int64],
    two: Trie,
    cover_two: Cover,
    starts_two: NDArray[np.int64],
    pairs_two: NDArray[np.int64],
    people: NDArray[np.int32],
    values: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Count for each distinct person the rows of two releases that fit, and those common to both.

    `pairs` list for each class (from `starts`) a shared value and how many rows have it. Common
    are, value by value, the fewer of the rows that fit. Returns the three counts.
    """
    fronts_one, fronts_two = _fronts(one), _fronts(two)
    depth = people.shape[1]
    counts_one = np.zeros(depth, dtype=np.int64)
    counts_two = np.zeros(depth, dtype=np.int64)
    held = np.zeros(values, dtype=np.int64)
    other = np.zeros(values, dtype=np.int64)
    out = np.zeros((people.shape[0], 3), dtype=np.int64)
    for i in range(people.shape[0]):
        start = _first_change(people, i)
        n_one = _advance(one, cover_one, people, i, start, fronts_one, counts_one)
        n_two = _advance(two, cover_two, people, i, start, fronts_two, counts_two)
        for f in range(n_one):
            leaf = fronts_one[depth - 1, f]
            for p in range(starts_one[leaf], starts_one[leaf + 1]):
                held[pairs_one[p, 0]] += pairs_one[p, 1]
                out[i, 0] += pairs_one[p, 1]
        for f in range(n_two):
            leaf = fronts_two[depth - 1, f]
            for p in range(starts_two[leaf], starts_two[leaf + 1]):
                other[pairs_two[p, 0]] += pairs_two[p, 1]
                out[i, 1] += pairs_two[p, 1]
        for f in range(n_one):
            leaf = fronts_one[depth - 1, f]
            for p in range(starts_one[leaf], starts_one[leaf + 1]):
                value = pairs_one[p, 0]
                out[i, 2] += min(held[value], other[value])
                held[value] = 0
        for f in range(n_two):
            leaf = fronts_two[depth - 1, f]
            for p in range(starts_two[leaf], starts_two[leaf + 1]):
                other[pairs_two[p, 0]] = 0
    return out


@njit
def fitting_pairs(
    trie: Trie,
    cover: Cover,
    people: NDArray[np.int32],
    total: int,
) -> NDArray[np.int64]:
    """List the pairs of a distinct person and a class that fit, `total` of them."""
    fronts = _fronts(trie)
    depth = people.shape[1]
    counts = np.zeros(depth, dtype=np.int64)
    pairs = np.empty((total, 2), dtype=np.int64)
    at = 0
    for i in range(people.shape[0]):
        leaves = _advance(trie, cover, people, i, _first_change(people, i), fronts, counts)
        for f in range(leaves):
            pairs[at, 0] = i
            pairs[at, 1] = fronts[depth - 1, f]
            at += 1
    return pairs
