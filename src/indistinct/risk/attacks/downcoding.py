"""Downcoding: from a release that is no coarser than it had to be back to finer values.

The attacker knows the plan without its seed and which values there are, but nobody's. He refines
the published cells in every way, or in many, runs the method on each of these tables, and keeps
those of which it would have published the same: a node was published because two of its children
were there, a range because both of its ends were, a class was left whole because it could not be
cut. For each class and column he then states values, as many as the class has people, of which he
expects most to be right. What he states rightly counts; cells that are published as they are do
not.

- If the refined tables are few, and no rule reads sensitive values, all are played: what is left
  is exact.
- Of more, where columns are recoded as a whole, some are drawn, evenly within the cells.
- In a larger table in groups some classes are attacked, each by itself: tables are drawn that fill
  the published cells, and are kept if Mondrian would leave the class whole.

References
----------
A. Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from math import comb, inf, lgamma, prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import wilson
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.attacks.worlds import LARGE, MOST_ROWS, View, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.measures.confidence import Rate
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.risk.attacks.job import Job

    Codes = NDArray[np.int32]

MOST_PLAYED = 2000
DRAWN = 60
TRIES = 50
MOST_CLASSES = 40


@dataclass(frozen=True, eq=False)
class Refining:
    """Published rows, whole or one class of them, whose cells are refined.

    Attributes
    ----------
    table
        The people that they are of; a world replaces their quasi values.
    whole
        Whether they are all rows of the release.
    """

    table: Table
    plan: Plan
    view: View
    whole: bool
    random: np.random.Generator

    @property
    def members(self) -> list[NDArray[np.intp]]:
        """The people of each class."""
        return [np.flatnonzero(self.view.of_row == number) for number in range(self.classes)]

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.view.cells)

    def leaves(self, number: int) -> list[NDArray[np.int32]]:
        """Return for each column the values that the cell of a class covers."""
        return [
            np.concatenate(
                [np.arange(a, b + 1) for a, b in zip(runs[::2], runs[1::2], strict=True)]
            )
            for runs in self.view.cells[number]
        ]

    def tables(self) -> float:
        """Count the tables that the cells cover, people alike not told apart; infinity if many.

        Where a rule reads sensitive values it matters who of a class has which, and all are many.
        """
        sizes = np.bincount(self.view.of_row, minlength=self.classes).tolist()
        kinds = [prod(map(len, self.leaves(number))) for number in range(self.classes)]
        ways = list(zip(kinds, sizes, strict=True))
        if self.plan.judged_columns() or sum(_log_multisets(*way) for way in ways) > LARGE:
            return inf
        return prod(comb(kind + size - 1, size) for kind, size in ways)

    def every_table(self) -> Iterator[Codes]:
        """Refine the rows in every way."""
        ways = [
            list(combinations_with_replacement(product(*self.leaves(number)), rows.size))
            for number, rows in enumerate(self.members)
        ]
        for chosen in product(*ways):
            codes = np.empty((self.table.entries, len(self.table.quasi)), dtype=np.int32)
            for rows, values in zip(self.members, chosen, strict=True):
                codes[rows] = values
            yield codes

    def drawn(self, *, filling: bool) -> Codes:
        """Refine the rows at random, each value as likely; filling cells as far as a try does."""
        codes = np.empty((self.table.entries, len(self.table.quasi)), dtype=np.int32)
        for number, rows in enumerate(self.members):
            for place, leaves in enumerate(self.leaves(number)):
                codes[rows, place] = self._column(place, leaves, rows.size, filling=filling)
        return codes

    def _column(self, place: int, leaves: Codes, size: int, *, filling: bool) -> Codes:
        """Draw the values of a class in a column; those that fill it have no smaller node."""
        hierarchy = self.table.quasi[place].hierarchy
        spans = [n[leaves] for n in hierarchy.nodes if np.unique(n[leaves]).size > 1]
        form = self.plan.forms(self.table)[place]
        for _ in range(TRIES if filling else 1):
            drawn = self.random.choice(leaves, size)
            if form == "node":
                top = spans[-1][np.searchsorted(leaves, drawn)] if spans else drawn[:1]
                fills = not spans or np.unique(top).size > 1
            else:
                fills = drawn.min() == leaves[0] and drawn.max() == leaves[-1]
            if fills:
                return drawn
        if filling and form != "node" and size > 1:
            drawn[self.random.permutation(size)[:2]] = leaves[[0, -1]]
        return drawn

    def seen_of(self, codes: Codes, seed: int) -> View | None:
        """Return what the method would have published of other values."""
        quasi = tuple(
            replace(column, codes=np.ascontiguousarray(codes[:, place]))
            for place, column in enumerate(self.table.quasi)
        )
        return view_of(replace(self.table, quasi=quasi), self.plan, seed)

    def kept(self) -> tuple[list[Codes], list[Codes], bool]:
        """Return the tables that fit, tables in general, and whether these are all there are."""
        every = self.tables() <= (MOST_PLAYED if self.whole else DRAWN)
        filling = not self.whole
        worlds = (
            list(self.every_table())
            if every
            else [self.drawn(filling=filling) for _ in range(DRAWN)]
        )
        by_levels = self.view.levels is not None and not every
        fits = View.chosen_as if by_levels else _read_alike
        kept = [
            codes
            for seed, codes in enumerate(worlds)
            if (view := self.seen_of(codes, seed)) is not None and fits(view, self.view)
        ]
        others = [self.drawn(filling=False) for _ in range(DRAWN)] if filling else worlds
        return kept, worlds if every else others, every

    def right(self, worlds: Sequence[Codes]) -> int:
        """Count the cells that are stated rightly by who takes these tables as equally likely."""
        right = 0
        for number, rows in enumerate(self.members):
            for place, leaves in enumerate(self.leaves(number)):
                if leaves.size > 1 and worlds:
                    drawn = np.stack([codes[rows, place] for codes in worlds])
                    right += _stated_rightly(drawn, self.table.quasi[place].codes[rows], leaves)
        return right

    @property
    def coarsened(self) -> int:
        """How many cells are not published as they are."""
        return sum(
            rows.size * sum(leaves.size > 1 for leaves in self.leaves(number))
            for number, rows in enumerate(self.members)
        )


def _log_multisets(kinds: int, size: int) -> float:
    """Return the logarithm of how many tables of so many rows of so many kinds there are."""
    return lgamma(kinds + size) - lgamma(size + 1) - lgamma(kinds)


def _read_alike(one: View, other: View) -> bool:
    """Return whether as many rows are published as the same."""
    read = (Counter(v.cells[n] for n in v.of_row.tolist() if n >= 0) for v in (one, other))
    return next(read) == next(read)


def _stated_rightly(drawn: Codes, true: Codes, leaves: Codes) -> int:
    """State as many values as there are people, so that most are right, and count those that are.

    Stating a value once more is right if it is held at least so often: the likeliest of these
    statements are made. That is the best, since each is less likely than the one before it.
    """
    held = (drawn[:, :, None] == leaves).sum(axis=1)
    often = np.arange(1, true.size + 1)
    likely = (held[:, :, None] >= often).mean(axis=0)
    stated = np.argsort(-likely, axis=None, kind="stable")[: true.size] // true.size
    have = (true[:, None] == leaves).sum(axis=0)
    return int(np.minimum(np.bincount(stated, minlength=leaves.size), have).sum())


def downcoding(release: Release) -> Attack:
    """State finer values than were published, by who knows the method."""
    right, chance, of, tables, kept, alone = 0, 0, 0, 0, 0, 0
    exact = True
    for part in _parts(release):
        fit, every, played = part.kept()
        right, chance = right + part.right(fit or every), chance + part.right(every)
        of, tables, kept = of + part.coarsened, tables + len(every), kept + len(fit)
        exact, alone = exact and played, alone + (played and len(fit) == 1)
    rate, baseline = wilson(right, of), chance / max(of, 1)
    return Attack(
        name="downcoding",
        story=_story(rate, baseline, tables, kept, alone),
        rate=rate,
        baseline=baseline,
        chance="the same with tables that the method was not run on",
        details={"tables": tables, "kept": kept, "exact": exact, "alone": alone},
    )


def _parts(release: Release) -> Iterator[Refining]:
    """Take the whole release if its tables are few, or if it has whole columns; else classes."""
    random = np.random.default_rng(0)
    view = View.of(release.table, release.recoding, release.plan)
    kept = np.flatnonzero(view.of_row >= 0)
    seen = View(view.of_row[kept], view.cells, view.levels)
    whole = Refining(release.table.part(kept), release.plan, seen, whole=True, random=random)
    if not release.plan.method.groups_rows or whole.tables() <= MOST_PLAYED:
        yield whole
        return
    asked = release.plan.model_copy(update={"method": Mondrian()})
    coarse = [n for n in range(whole.classes) if any(v.size > 1 for v in whole.leaves(n))]
    for number in random.permutation(coarse)[:MOST_CLASSES].tolist():
        rows = kept[seen.of_row == number]
        one = View(np.zeros(rows.size, dtype=np.int32), (view.cells[number],))
        yield Refining(release.table.part(rows), asked, one, whole=False, random=random)


def _story(rate: Rate, baseline: float, tables: int, kept: int, alone: int) -> str:
    start = (
        "Somebody knows the method and which values there are, refines the published cells in "
        f"{counted(tables, 'way')}, and keeps the {kept:,} of which the release would be the same. "
    )
    if not rate.of:
        return f"{start}No cell is generalized: there is nothing to find."
    if not kept:
        return f"{start}So nothing follows, and the attack fails."
    only = ""
    if alone:
        of = "the release" if kept == 1 else counted(alone, "class", "classes")
        only = f" Exactly one table is left of {of}."
    return (
        f"{start}Of {counted(rate.of, 'generalized cell')} he states {rate.share:.1%} correctly; "
        f"without asking the method {baseline:.1%}.{only}"
    )


def _lacks(job: Job) -> str | None:
    made = job.made
    if made is None or not made.recoding.has_classes or made.recoding.bucket_of_row is not None:
        return "a release made in Python (a `Release`) in classes"
    if made.table.weights is not None or made.table.has_respondents:
        return "a table in which each row is a person's"
    if made.table.rows > MOST_ROWS and not made.plan.method.groups_rows:
        return f"a table of at most {MOST_ROWS:,} rows"
    return None


def _play(job: Job) -> Iterator[Attack]:
    if job.made is not None:
        yield downcoding(job.made)


DOWNCODING = Attacker("downcoding", _play, _lacks)
