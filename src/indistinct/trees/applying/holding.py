"""Which new records can be published: the largest set of them that keeps the promises.

Whoever is singled out among some records is so among fewer, so that a record which some knowledge
leaves among fewer than k can be in no set that holds: without all of these it is looked again,
until none is. What is left is the largest set that is k^(m,n)-anonymous. (Where attackers may know
what people lack, and with l-diversity, it holds but may not be the largest.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.roots import stacked
from indistinct.trees.verification import at_risk, first_violation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.knowledge import Knowledge
    from indistinct.trees.verification import Violation

    Marks = NDArray[np.bool_]


def publishable(
    new: Forest, earlier: Forest, knowledge: Knowledge, kept: Marks, *, as_one: bool
) -> Marks:
    """Return which of some new records can be published, alone and together with earlier ones."""
    new = replace(new, number=None, extras=None)
    while True:
        before = kept
        if not as_one:
            kept = _largest(new, kept, lambda some: _broken_by(some, knowledge))
        if as_one or knowledge.absent or knowledge.unrelated:
            kept = _largest(new, kept, lambda some: _broken_together(some, earlier, knowledge))
        if np.array_equal(kept, before):
            return kept


def _largest(new: Forest, kept: Marks, broken: Callable[[Forest], Marks]) -> Marks:
    """Leave records out until none breaks a promise."""
    while kept.any():
        left = np.flatnonzero(kept)
        marks = broken(new.taken(left))
        if not marks.any():
            break
        kept = kept.copy()
        kept[left[marks]] = False
    return kept


def _broken_by(records: Forest, knowledge: Knowledge) -> Marks:
    """Mark records that are singled out, or else those that are betrayed."""
    marks = at_risk(records, knowledge, knowledge.m, knowledge.n)
    if marks.any() or knowledge.l == 1:
        return marks
    violation = first_violation(records, knowledge)
    return marks if violation is None else _betrayed(records, violation)


def _broken_together(new: Forest, earlier: Forest, knowledge: Knowledge) -> Marks:
    marks = _broken_by(stacked([earlier, new]), knowledge)
    return marks[earlier.size :]


def _betrayed(records: Forest, violation: Violation) -> Marks:
    """Mark the records that agree with some knowledge and have the label that it betrays."""
    owner = np.repeat(np.arange(records.size), np.diff(records.starts))

    def having(code: int) -> Marks:
        marks = np.zeros(records.size, dtype=np.bool_)
        marks[owner[records.label == code]] = True
        return marks

    def related(upper: int, lower: int) -> Marks:
        marks = np.zeros(records.size, dtype=np.bool_)
        nodes = np.flatnonzero(records.label == lower)
        above = records.parent[nodes]
        while (on := above >= 0).any():
            nodes, above = nodes[on], above[on]
            marks[owner[nodes[records.label[above] == upper]]] = True
            above = records.parent[above]
        return marks

    marks = np.ones(records.size, dtype=np.bool_)
    for code in violation.labels:
        marks &= having(code) if code >= 0 else ~having(-1 - code)
    for pair in violation.relations:
        marks &= related(*pair)
    for upper, lower in violation.unrelated:
        marks &= having(upper) & ~related(upper, lower)
    if violation.betrayed is not None:
        marks &= having(violation.betrayed)
    return marks
