"""Small random recodings, and what they publish: brute force from the definitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from indistinct.hierarchy import Hierarchy
from indistinct.model.recoding import Buckets, LevelVector, Partition
from indistinct.model.table import QuasiColumn, QuasiSet, SensitiveColumn, Table
from tests.properties.strategies import ladders

NUMBERS = ["1", "2", "5", "9"]


@dataclass(frozen=True)
class Release:
    """A table as lists, its recoding, and the table and recoding as the library has them."""

    paths: list
    forms: tuple
    rows: list
    secret: list
    groups: list
    table: Table
    recoding: object

    @property
    def columns(self):
        return range(len(self.paths))

    def leaves(self, column):
        return [path[0] for path in self.paths[column]]

    def cells(self):
        """For each row and column the leaves it is published as, and its loss; None if left out."""
        if isinstance(self.recoding, Buckets):
            return [
                None if g < 0 else [(frozenset([v]), Fraction(0)) for v in row]
                for row, g in zip(self.rows, self.groups, strict=True)
            ]
        return [self._row(number) for number in range(len(self.rows))]

    def _row(self, number):
        if self.groups[number] < 0:
            return None
        starred = self.recoding.starred
        return [
            (frozenset(self.leaves(c)), Fraction(1))
            if starred is not None and starred[number, c]
            else self._cell(number, c)
            for c in self.columns
        ]

    def _cell(self, number, column):
        if isinstance(self.recoding, LevelVector):
            return self._at_level(column, self.rows[number][column], self.recoding.levels[column])
        group = self.groups[number]
        together = {
            row[column] for row, g in zip(self.rows, self.groups, strict=True) if g == group
        }
        return getattr(self, "_" + self.forms[column])(column, together)

    def _at_level(self, column, value, level):
        paths = self.paths[column]
        label = next(path[level] for path in paths if path[0] == value)
        under = frozenset(path[0] for path in paths if path[level] == label)
        exact = len(under) == 1 and label == value
        return under, Fraction(0) if exact else Fraction(len(under), len(paths))

    def _node(self, column, together):
        if len(together) == 1:
            return frozenset(together), Fraction(0)
        for level in range(len(self.paths[column][0])):
            labels = {path[level] for path in self.paths[column] if path[0] in together}
            if len(labels) == 1:
                return self._at_level(column, next(iter(together)), level)
        raise AssertionError

    def _range(self, column, together):
        if len(together) == 1:
            return frozenset(together), Fraction(0)
        if None in together:
            return frozenset(self.leaves(column)), Fraction(1)
        seen = [int(row[column]) for row in self.rows if row[column] is not None]
        low, high = min(map(int, together)), max(map(int, together))
        held = [v for v in self.leaves(column) if v is not None and low <= int(v) <= high]
        return frozenset(held), Fraction(high - low, max(seen) - min(seen))

    def _set(self, column, together):
        domain = len(self.paths[column])
        lost = Fraction(len(together) - 1, domain - 1) if domain > 1 else Fraction(0)
        return frozenset(together), lost

    def classes(self):
        """Published values (or the bucket) of each class, with the numbers of its rows."""
        found = {}
        for number, cells in enumerate(self.cells()):
            if cells is not None:
                bucket = self.groups[number] if isinstance(self.recoding, Buckets) else None
                key = bucket if bucket is not None else tuple(cells)
                found.setdefault(key, []).append(number)
        return list(found.values())

    @property
    def suppressed(self):
        return sum(group < 0 for group in self.groups)


@st.composite
def columns_of(draw, name):
    """The ladder of a column, and a form it can be published in."""
    if draw(st.booleans()):
        return draw(ladders(name)), draw(st.sampled_from(["node", "set"]))
    paths = [[number, "*"] for number in NUMBERS]
    if draw(st.booleans()):
        paths.append([None, "*"])
    return paths, draw(st.sampled_from(["range", "range", "node", "set"]))


@st.composite
def releases(draw, *, kinds=("groups", "buckets", "levels", "stars"), most_rows=9):
    """A table of up to three columns, and any recoding of it, whatever it protects."""
    kind = draw(st.sampled_from(kinds))
    drawn = [draw(columns_of(f"c{place}")) for place in range(draw(st.integers(1, 3)))]
    paths, forms = [d[0] for d in drawn], tuple(d[1] for d in drawn)
    row = st.tuples(*(st.sampled_from([path[0] for path in p]) for p in paths))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    each = {"min_size": len(rows), "max_size": len(rows)}
    secret = draw(st.lists(st.integers(0, 2), **each))
    groups = draw(st.lists(st.integers(-1, 3), **each))
    places = {g: n for n, g in enumerate(sorted(set(groups) - {-1}))}
    groups = [places.get(g, -1) for g in groups]
    hierarchies = [_hierarchy(p) for p in paths]
    quasi = tuple(
        QuasiColumn(
            f"c{c}",
            np.array([h.code_of[row[c]] for row in rows], dtype=np.int32),
            h,
            draw(st.sampled_from([1.0, 2.0])),
        )
        for c, h in enumerate(hierarchies)
    )
    held = SensitiveColumn("s", np.array(secret, dtype=np.int32), ("x", "y", "z"))
    table = Table(len(rows), quasi, (QuasiSet("all", tuple(range(len(paths)))),), (held,))
    starred = None
    if kind == "stars":
        starred = np.array(draw(st.lists(st.tuples(*(st.booleans() for _ in paths)), **each)))
    of_row = np.array(groups, dtype=np.int32)
    recoding = Partition(of_row, starred=starred)
    if kind == "buckets":
        recoding = Buckets(of_row)
    if kind == "levels" or (kind == "stars" and draw(st.booleans())):
        levels = tuple(draw(st.integers(0, h.height)) for h in hierarchies)
        recoding = LevelVector(levels, of_row >= 0, starred=starred)
    return Release(paths, forms, rows, secret, groups, table, recoding)


def _hierarchy(paths):
    built = Hierarchy.from_paths([path for path in paths if path[0] is not None])
    return built.with_missing() if any(path[0] is None for path in paths) else built


def ncp(release, cells):
    """The weighted mean loss of a row."""
    weights = [Fraction(column.weight) for column in release.table.quasi]
    return sum(w * loss for w, (_, loss) in zip(weights, cells, strict=True)) / sum(weights)


def most_frequent(values):
    return max(Counter(values).values())
