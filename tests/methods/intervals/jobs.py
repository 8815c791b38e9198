"""Random small tables with ordered domains, and problems of them.

Tables are drawn by Python's generator from a seed that hypothesis draws, as in
`tests/requirements/jobs.py`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from indistinct.hierarchy import Hierarchy
from indistinct.methods import Problem
from indistinct.model.forms import form_of
from indistinct.model.table import QuasiColumn, QuasiSet, SensitiveColumn, Table
from indistinct.requirements import KAnonymity
from tests.requirements.jobs import ladders_of


@dataclass
class Job:
    rows: list[tuple[str, ...]]
    paths: list[list[list[str]]]
    numbers: list[bool]
    labels: list[int]
    k: int
    limit: int

    @property
    def table(self):
        quasi = []
        for place, paths in enumerate(self.paths):
            hierarchy = Hierarchy.from_paths(paths)
            codes = [hierarchy.code_of[row[place]] for row in self.rows]
            quasi.append(QuasiColumn(f"c{place}", np.array(codes, dtype=np.int32), hierarchy))
        labels = SensitiveColumn(
            "label", np.array(self.labels, dtype=np.int32), tuple(map(str, sorted({*self.labels})))
        )
        places = tuple(range(len(quasi)))
        return Table(len(self.rows), tuple(quasi), (QuasiSet("all", places),), (labels,))

    @property
    def problem(self):
        table = self.table
        return Problem(
            table=table,
            requirements=(KAnonymity(k=self.k),),
            max_suppressed=self.limit,
            costs=(),
            suppressed_cell=tuple(1.0 for _ in table.quasi),
            forms=tuple(form_of(column.hierarchy, "exact") for column in table.quasi),
        )

    @property
    def columns(self):
        """The values of each column in order, with the hierarchies of those that are categories."""
        return [list(column.hierarchy.leaves) for column in self.table.quasi]

    @property
    def ladders(self):
        return [
            None if number else paths
            for number, paths in zip(self.numbers, self.paths, strict=True)
        ]


@st.composite
def jobs(draw, *, most_cuts=7, most_rows=14):
    drawn = random.Random(draw(st.integers(0, 2**32 - 1)))
    paths, numbers, left = [], [], drawn.randint(1, most_cuts)
    while left > 0 and len(paths) < 3:
        values = drawn.randint(2, left + 1)
        left -= values - 1
        numbers.append(drawn.random() < 0.5)
        if numbers[-1]:
            chosen = sorted(drawn.sample(range(20), values))
            paths.append([[str(value), "*"] for value in chosen])
        else:
            paths.append(ladders_of(drawn, f"v{len(paths)}.", values))
    size = drawn.randint(2, most_rows)
    rows = [tuple(drawn.choice(p)[0] for p in paths) for _ in range(size)]
    labels = [drawn.randrange(drawn.choice([2, 3])) for _ in range(size)]
    limit = drawn.choice([0, drawn.randint(0, size), size])
    return Job(rows, paths, numbers, labels, drawn.randint(2, min(size, 5)), limit)


def random_table(rows, values, seed):
    """A problem whose rows are drawn at random, without a limit on suppression."""
    drawn = random.Random(seed)
    paths = [
        [[f"v{place}.{value:02}", "*"] for value in range(size)]
        for place, size in enumerate(values)
    ]
    held = [tuple(drawn.choice(path)[0] for path in paths) for _ in range(rows)]
    labels = [drawn.randrange(2) for _ in range(rows)]
    return Job(held, paths, [False] * len(values), labels, 5, rows).problem
