"""What records are published as at the root: groups of at least so many, by a method for tables."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.plan.columns import LEAST_WEIGHT, MOST_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Method
    from indistinct.trees.methods.base import TreeProblem
    from indistinct.trees.roots import Split

MOST_CHOICES = 10_000
"""Up to how many choices of levels a method may go through."""


class _RootWork(Work):
    """A table in the making; how its columns look, the check of the tree's plan has told."""

    def _look(self, data: pa.Table) -> None:
        del data
        self.repeated, self.accepted = [], ()


class RootGroups:
    """The roots of records as a table, whose columns coarsen by the hierarchies of their classes.

    Parameters
    ----------
    problem
        The records, their hierarchies and weights.
    split
        The records taken apart.
    seed
        Makes what a method draws repeatable.
    """

    def __init__(self, problem: TreeProblem, split: Split, seed: int | None) -> None:
        self._problem, self._split, self._seed = problem, split, seed
        present = (split.label >= 0).any(axis=0)
        self._columns = np.flatnonzero(present).tolist()
        values = pa.array(problem.hierarchies.labels.values, pa.string())
        self._table = pa.table(
            {
                self._name(column): values.take(
                    pa.array(split.label[:, column], mask=split.label[:, column] < 0)
                )
                for column in self._columns
            }
        )

    def fitting(self, methods: Sequence[Method]) -> list[Method]:
        """Leave out the methods that choose among all levels, where there are too many."""
        level = self._problem.hierarchies.level[self._problem.hierarchies.tops]
        choices = prod(int(level[self._split.kinds[column]]) + 1 for column in self._columns)
        return [method for method in methods if method.groups_rows or choices <= MOST_CHOICES]

    def of_at_least(self, size: int, method: Method) -> NDArray[np.int32]:
        """Return the published labels of each root, -1 for none; alike in so many or more."""
        shown = np.full(self._split.label.shape, -1, dtype=np.int32)
        if not self._columns:
            return shown
        work = _RootWork(self._plan(size, method), self._problem.progress.quiet())
        work.recode(self._table, keep_order=True)
        published = work.published.columns
        codes = self._problem.hierarchies.labels.codes
        for column in self._columns:
            encoded = published[self._name(column)].cast(pa.string()).combine_chunks()
            texts = encoded.dictionary_encode()
            kind = self._split.kinds[column]
            of_text = [codes[kind, text] for text in texts.dictionary.to_pylist()]
            places = texts.indices.fill_null(len(of_text)).to_numpy(zero_copy_only=False)
            shown[:, column] = np.array([*of_text, -1], dtype=np.int32)[places]
        return shown

    def _name(self, column: int) -> str:
        return self._problem.forest.classes[self._split.kinds[column]]

    def _plan(self, size: int, method: Method) -> Plan:
        form = {"publish": "node"} if method.groups_rows else {}
        columns = {
            self._name(column): {
                "role": "quasi",
                "hierarchy": {"paths": self._paths(column)},
                "weight": self._weight(column),
                **form,
            }
            for column in self._columns
        }
        return Plan.load(
            {
                "columns": columns,
                "require": [{"model": "k-anonymity", "k": size}],
                "method": method.model_dump(mode="json"),
                "seed": self._seed,
            }
        )

    def _weight(self, column: int) -> float:
        weight = float(self._problem.weights[self._split.kinds[column]])
        return min(max(weight, LEAST_WEIGHT), MOST_WEIGHT) if weight else 0.0

    def _paths(self, column: int) -> list[list[str]]:
        """Return the hierarchy of a class as a path for each ground label, all of one length."""
        hierarchies, kind = self._problem.hierarchies, self._split.kinds[column]
        parent, level = hierarchies.parent.tolist(), hierarchies.level.tolist()
        height = level[int(hierarchies.tops[kind])]
        paths = []
        for code in np.flatnonzero(hierarchies.labels.of_class == kind).tolist():
            if hierarchies.children[code]:
                continue
            path, here = [], code
            for step in range(height + 1):
                while parent[here] >= 0 and level[parent[here]] <= step:
                    here = parent[here]
                path.append(hierarchies.labels.values[here])
            paths.append(path)
        return paths
