"""Leaving records out whole: a search for a smaller k, without those who would be singled out.

A cut that is fine enough for a smaller k leaves few records among fewer than k. Without these, it
is checked again, since others may now be too few, until it holds or more records are gone than may
be. Whether that is worth it, the objective says: all nodes of such records are lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.trees.verification import at_risk

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.trees.methods.base import TreeProblem, TreeRecoding

SMALLER = (0.8,)
"""Which shares of k are tried."""
ROUNDS = 8
"""How often those who would be singled out are left out, at most."""


def with_fewer_records(
    problem: TreeProblem,
    recoding: TreeRecoding,
    search: Callable[[TreeProblem], TreeRecoding],
    cost: Callable[[TreeRecoding], float],
) -> TreeRecoding:
    """Return the cheapest of a recoding and those that leave some records out."""
    knowledge = problem.knowledge
    best, least = recoding, cost(recoding)
    tried = {knowledge.k}
    for share in SMALLER:
        k = max(2, int(np.ceil(knowledge.k * share)))
        if k in tried:
            continue
        tried.add(k)
        other = search(replace(problem, knowledge=replace(knowledge, k=k)))
        if cost(other) >= least:
            continue
        fewer = _without_the_singled_out(other, problem)
        if fewer is not None and (spent := cost(fewer)) < least:
            best, least = replace(fewer, cost=spent), spent
    return best


def _without_the_singled_out(recoding: TreeRecoding, problem: TreeProblem) -> TreeRecoding | None:
    """Leave out records until none is among fewer than k; None if that takes too many."""
    knowledge, size = problem.knowledge, problem.forest.size
    gone = np.zeros(size, dtype=np.bool_)
    for _ in range(ROUNDS):
        left = np.flatnonzero(~gone)
        shown = recoding.forest.taken(left)
        risky = at_risk(shown, knowledge, knowledge.m, knowledge.n)
        if not risky.any():
            return _without(recoding, gone)
        gone[left[risky]] = True
        if gone.sum() > problem.suppression * size:
            return None
    return None


def _without(recoding: TreeRecoding, gone: np.ndarray) -> TreeRecoding:
    """Return a recoding in which some records have no nodes."""
    forest = recoding.forest
    kept = np.repeat(~gone, np.diff(forest.starts))
    return replace(recoding, forest=forest.only(kept), suppressed=gone)
