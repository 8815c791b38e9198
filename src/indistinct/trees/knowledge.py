"""What an attacker may know about a record, and how many records must agree with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Knowledge:
    """k^(m,n)-anonymity (Gkountouna and Terrovitis 2013, Definition 1), with its two extensions.

    Any knowledge of up to `m` labels of a record and up to `n` ancestor-descendant relations among
    them agrees with no record or with at least `k`.

    Attributes
    ----------
    k, m, n
        As above; n = 0 is k^m-anonymity.
    sensitive
        Classes (their places) that attackers do not know but want to learn (section III-F).
    l
        If more than 1: no sensitive label is in more than 1/l of the records that agree with any
        knowledge.
    absent
        Ground labels (codes) that an attacker may know to be absent (section III-G).
    unrelated
        Pairs (upper, lower) of ground labels that an attacker may know not to be related.
    roots
        Classes (their places) of which a record has at most one node each, directly at its root,
        and that an attacker knows all of beside the m labels, which are of other classes.
    same_path
        Whether an attacker may also know facts about the same nodes (`same_path.py`).
    """

    k: int
    m: int
    n: int
    sensitive: frozenset[int] = frozenset()
    l: int = 1  # noqa: E741 - the paper's symbol
    absent: frozenset[int] = frozenset()
    unrelated: frozenset[tuple[int, int]] = frozenset()
    roots: frozenset[int] = frozenset()
    same_path: bool = False
