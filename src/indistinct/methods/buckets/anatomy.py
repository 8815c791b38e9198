"""Anatomy: groups in which sensitive values differ, published beside exact quasi values."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.repair import repaired
from indistinct.model.recoding import Buckets
from indistinct.requirements import SensitiveRequirement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.table import SensitiveColumn


class Anatomy(Method):
    """Groups of l rows with l different sensitive values; quasi values are published as they are.

    Rows are hashed into buckets by sensitive value; while l buckets hold rows, one row is taken
    from each of the l fullest, and these are a group. Each row left over joins a group that lacks
    its value. Rows of a bucket are taken at random, as in the paper: taken by their quasi values,
    they would reveal more of who has which value than the shares of a group do. Other requirements
    on sensitive values are kept by joining groups. Costs O(n log m) for n rows of m values.

    Whoever knows a person's quasi values learns whether the person is in the data: no requirement
    that counts people alike (k) can be kept.

    References
    ----------
    Xiao, Tao: Anatomy: simple and effective privacy preservation, VLDB 2006, Figure 3;
    Ghinita et al. 2009, section 2.3.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(require=[{"model": "l-diversity", "l": 2}], method={"name": "anatomy"})
    >>> anonymize(medical(), plan).rows.column_names
    ['zip', 'marital', 'sex', 'disease', 'group']
    """

    decides: ClassVar[str] = "groups in which sensitive values differ; exact quasi values"
    keeps: ClassVar[tuple[str, ...]] = ("l-diversity", "t-closeness")
    paper: ClassVar[str] = "Xiao, Tao, VLDB 2006"

    groups_rows: ClassVar[bool] = True
    draws_rows: ClassVar[bool] = True

    name: Literal["anatomy"] = "anatomy"

    def search(self, problem: Problem) -> Buckets:
        """Fill the groups, then join those that fail other requirements."""
        require_possible(problem)
        asked = [r for r in problem.requirements if isinstance(r, SensitiveRequirement)]
        column = asked[0].columns(problem.table)[0]
        size = max(2, *(ceil(r.rule(column).least_values) for r in asked))
        groups = _filled(problem, column, size)
        return Buckets(repaired(problem, groups), {"groups_filled": int(groups.max()) + 1})


def _filled(problem: Problem, column: SensitiveColumn, size: int) -> NDArray[np.int32]:
    """Fill groups from the fullest buckets (Figure 3 of the paper).

    Whatever the quasi values are, all ways to deal the people of a value out to the places that
    groups have for it are equally likely. So of two people of a group either is as likely to have
    the one's value and the other the other's.
    """
    mixed = np.arange(problem.table.entries) if problem.mixed is None else problem.mixed
    order = mixed[np.argsort(column.codes[mixed], kind="stable")]
    starts = np.searchsorted(column.codes[order], np.arange(len(column.values) + 1)).tolist()
    buckets = [order[a:b][::-1].tolist() for a, b in pairwise(starts)]
    fullest = [(-len(rows), code) for code, rows in enumerate(buckets) if rows]
    heapify(fullest)
    groups = np.full(order.size, -1, dtype=np.int32)
    held: list[set[int]] = []
    while len(fullest) >= size:
        taken = [heappop(fullest) for _ in range(size)]
        for negative, code in taken:
            groups[buckets[code].pop()] = len(held)
            if negative < -1:
                heappush(fullest, (negative + 1, code))
        held.append({code for _, code in taken})
    for _, code in sorted(fullest):
        for row in buckets[code]:
            groups[row] = _lacking(held, code)
    return groups


def _lacking(held: list[set[int]], code: int) -> int:
    """Find a group that lacks a value, and let it hold it; the last group where none does."""
    for number in reversed(range(len(held))):
        if code not in held[number]:
            held[number].add(code)
            return number
    return max(len(held) - 1, 0)
