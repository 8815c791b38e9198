"""Minimality: what the method would have published of other worlds tells who has which value.

A method that reads sensitive values coarsens no more than a rule forces it to. Whoever knows the
method, the plan without its seed and everybody's quasi values deals the sensitive values out in
other ways, and keeps the worlds of which the method would have published the same. What a person
has in most of these is likely to be hers, whatever the share of it in her class.

- A table with few worlds is attacked as a whole, exactly: every world is played.
- Of a larger one whose columns are recoded as a whole, worlds are drawn, values dealt out within
  classes, and the method runs on each.
- In a larger one in groups some classes are attacked, each by itself: a world is kept if Mondrian
  would leave the class whole. A method that does not cut all that it could deceives this attacker;
  so only what he believes rightly counts.

References
----------
R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei, "Minimality attack in privacy preserving data
publishing", VLDB 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import LEVEL, wilson
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.requirements import SensitiveRequirement
from indistinct.risk.attacks.base import Attack, Attacker, Finding
from indistinct.risk.attacks.classes import SHOWN, value_text
from indistinct.risk.attacks.worlds import MOST_ROWS, View, all_deals, deals, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.plan import Plan
    from indistinct.release import Release
    from indistinct.risk.attacks.job import Job

MOST_PLAYED = 400
PLAYED_EACH = 45
DRAWN, MOST_DRAWN = 60, 1000
ROWS_DRAWN = 200_000
MOST_CLASSES = 40
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Believed:
    """What is believed of some people who share a class, or of all.

    Attributes
    ----------
    people
        Their rows in the table.
    sure, by_chance
        For each of them and each value how likely it is at least: in the worlds that were kept, and
        in as many that nobody put to the method.
    shares
        How likely it is by the class.
    worlds, kept
        How many were looked at, and how many fit the release.
    """

    people: NDArray[np.intp]
    sure: NDArray[np.float64]
    by_chance: NDArray[np.float64]
    shares: NDArray[np.float64]
    worlds: int
    kept: int


@dataclass(frozen=True, eq=False)
class Minimality:
    """A release under this attack, for one sensitive column."""

    table: Table
    plan: Plan
    view: View
    column: SensitiveColumn
    random: np.random.Generator

    def believed(self) -> Iterator[Believed]:
        """Believe as much as can be played."""
        if deals(self._counts(np.arange(self.table.entries))) <= MOST_PLAYED:
            yield self._every_world()
        elif self.plan.method.groups_rows:
            yield from self._class_by_class()
        else:
            yield self._drawn_worlds()

    def _counts(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.bincount(self.column.codes[rows], minlength=len(self.column.values))

    def _with(self, codes: NDArray[np.int32]) -> Table:
        columns = self.table.sensitive
        dealt = (replace(c, codes=codes) if c.name == self.column.name else c for c in columns)
        return replace(self.table, sensitive=tuple(dealt))

    def _every_world(self) -> Believed:
        """Play every world, several times where the method draws, and weigh it by how many fit."""
        people = np.arange(self.table.entries)
        seen = self.view.published(self.column.codes)
        worlds = list(all_deals(self._counts(people)))
        draws = self.plan.method.groups_rows or self.plan.limits.suppression > 0
        times = max(1, PLAYED_EACH // len(worlds)) if draws else 1
        fits = [
            sum(
                view is not None and view.published(codes) == seen
                for view in (view_of(self._with(codes), self.plan, seed) for seed in range(times))
            )
            for codes in worlds
        ]
        shares = self._shares()
        sure = self._likely(worlds, np.array(fits, dtype=float)) if any(fits) else shares
        return Believed(people, sure, shares, shares, len(worlds), sum(map(bool, fits)))

    def _drawn_worlds(self) -> Believed:
        """Deal values out within classes, and keep the worlds that are recoded in the same way."""
        people = np.arange(self.table.entries)
        kept: list[NDArray[np.int32]] = []
        drawn = int(np.clip(ROWS_DRAWN // people.size, DRAWN, MOST_DRAWN))
        for seed in range(drawn):
            codes = self._dealt_within(self.view.of_row)
            view = view_of(self._with(codes), self.plan, seed)
            if view is not None and view.chosen_as(self.view):
                kept.append(codes)
        chance = [self._dealt_within(self.view.of_row) for _ in kept]
        return self._drawn(people, kept, chance, drawn)

    def _class_by_class(self) -> Iterator[Believed]:
        """Take some classes, and keep the worlds that Mondrian would leave whole."""
        numbers = np.unique(self.view.of_row[self.view.of_row >= 0])
        asked = self.plan.model_copy(update={"method": Mondrian()})
        for number in self.random.permutation(numbers)[:MOST_CLASSES]:
            rows = np.flatnonzero(self.view.of_row == number)
            alone = replace(
                self,
                table=self.table.part(rows),
                plan=asked,
                view=View(
                    np.zeros(rows.size, dtype=np.int32), self.view.cells[number : number + 1]
                ),
                column=replace(self.column, codes=self.column.codes[rows]),
            )
            yield replace(alone.as_one_class(), people=rows)

    def as_one_class(self) -> Believed:
        """Believe what fits if the table is one class that was not cut."""
        people = np.arange(self.table.entries)
        counts = self._counts(people)
        every = deals(counts) <= DRAWN
        held = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
        worlds = (
            list(all_deals(counts))
            if every
            else [self.random.permutation(held) for _ in range(DRAWN)]
        )
        kept = [codes for seed, codes in enumerate(worlds) if self._is_whole(codes, seed)]
        if not every:
            chance = [self.random.permutation(held) for _ in kept]
            return self._drawn(people, kept, chance, len(worlds))
        shares = self._shares()
        sure = self._likely(kept, np.ones(len(kept))) if kept else shares
        return Believed(people, sure, shares, shares, len(worlds), len(kept))

    def _is_whole(self, codes: NDArray[np.int32], seed: int) -> bool:
        view = view_of(self._with(codes), self.plan, seed)
        return view is None or len(view.cells) == 1

    def _drawn(
        self,
        people: NDArray[np.intp],
        kept: Sequence[NDArray[np.int32]],
        chance: Sequence[NDArray[np.int32]],
        worlds: int,
    ) -> Believed:
        sure, by_chance = (self._at_least(some) for some in (kept, chance))
        return Believed(people, sure, by_chance, self._shares(), worlds, len(kept))

    def _shares(self) -> NDArray[np.float64]:
        """Return the share of each value in everybody's class; who is left out is in one, too."""
        size = len(self.column.values)
        of_row = self.view.of_row.astype(np.int64) + 1
        keys = of_row * size + self.column.codes
        table = np.bincount(keys, minlength=(of_row.max() + 1) * size).reshape(-1, size)
        shares: NDArray[np.float64] = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        return shares[of_row]

    def _likely(
        self, worlds: Sequence[NDArray[np.int32]], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how likely each value is for each person, worlds weighed."""
        values = np.arange(len(self.column.values))
        total = np.zeros((worlds[0].size, values.size))
        for codes, weight in zip(worlds, weights, strict=True):
            total += weight * (codes[:, None] == values)
        total /= weights.sum()
        return total

    def _at_least(self, worlds: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
        """Return the lower end of the exact interval for how likely each value is."""
        from scipy.special import betaincinv

        if not worlds:
            return np.zeros((self.table.entries, len(self.column.values)))
        hits = np.rint(self._likely(worlds, np.ones(len(worlds))) * len(worlds))
        low: NDArray[np.float64] = betaincinv(
            np.maximum(hits, 1), len(worlds) - hits + 1, (1 - LEVEL) / 2
        )
        return np.where(hits > 0, low, 0.0)

    def _dealt_within(self, of_row: NDArray[np.int32]) -> NDArray[np.int32]:
        """Deal the values of each class out among its people."""
        order = np.argsort(of_row, kind="stable")
        mixed = np.lexsort((self.random.random(of_row.size), of_row))
        codes = np.empty_like(self.column.codes)
        codes[mixed] = self.column.codes[order]
        return codes

    def promised(self, shares: NDArray[np.float64], gain: float) -> NDArray[np.float64]:
        """Return how likely each value may be for each person.

        It is what a requirement lets it be in a class; where none says, its share and `gain` more.
        """
        most = [
            asked
            for r in self.plan.require
            if isinstance(r, SensitiveRequirement) and r.column in {None, self.column.name}
            if (asked := r.most_of_class(self.column)) is not None
        ]
        if not most:
            return shares + gain
        return np.tile(np.minimum.reduce(most), (len(shares), 1))


def minimality(release: Release, column: str, *, gain: float = 0.25) -> Attack:
    """Find people of whom a value is likelier than promised to who knows the method."""
    table = release.table
    held = next(c for c in table.sensitive if c.name == column)
    view = View.of(table, release.recoding, release.plan)
    attack = Minimality(table, release.plan, view, held, np.random.default_rng(0))
    hits, chance, of, worlds, kept, cases = 0, 0, 0, 0, 0, []
    for one in attack.believed():
        promised = attack.promised(one.shares, gain)
        own = np.arange(one.people.size), held.codes[one.people]
        right, lucky = ((sure > promised + SLACK)[own] for sure in (one.sure, one.by_chance))
        hits, chance = hits + int(right.sum()), chance + int(lucky.sum())
        of, worlds, kept = of + one.people.size, worlds + one.worlds, kept + one.kept
        numbers = zip(*(x[own][right].tolist() for x in (one.sure, promised)), strict=True)
        cases += list(zip(numbers, one.people[right].tolist(), strict=True))
    cases.sort(key=lambda case: -case[0][0])
    surest = cases[0][0][0] if cases else 0.0
    return Attack(
        name="minimality",
        story=_story(column, hits, of, (worlds, kept), surest),
        rate=wilson(hits, of),
        baseline=chance / max(of, 1),
        chance="the same with worlds that the method was not run on",
        findings=tuple(_finding(release, held, *case) for case in cases[:SHOWN]),
        details={"column": column, "worlds": worlds, "kept": kept, "surest": surest, "gain": gain},
    )


def _finding(
    release: Release, held: SensitiveColumn, sure: tuple[float, float], row: int
) -> Finding:
    """Tell of somebody's value how likely it is and may be, where her row is published."""
    published = release.published
    places = np.flatnonzero(np.asarray(published.source) == row)
    names = [part for c in release.table.quasi for part in published.became[c.name]]
    where = {name: str(release.rows[name][int(p)].as_py()) for p in places for name in names}
    learnt = (
        f"{held.name} of somebody is {value_text(held.values[held.codes[row]])} with "
        f"{sure[0]:.0%} probability, where {sure[1]:.0%} was promised"
    )
    return Finding(where, 1, learnt)


def _story(column: str, hits: int, of: int, worlds: tuple[int, int], surest: float) -> str:
    start = (
        f"Somebody knows the method and everybody's quasi-identifiers, deals {column} out in "
        f"{counted(worlds[0], 'way')}, and keeps the {worlds[1]:,} of which the release would be "
        "the same. "
    )
    if not worlds[1]:
        return f"{start}So nothing follows, and the attack fails."
    if not hits:
        return f"{start}Nobody's value becomes likelier than promised: the attack fails."
    return (
        f"{start}Of {hits:,} of {counted(of, 'person', 'people')} he correctly believes a value "
        f"more than was promised, with up to {surest:.0%} probability."
    )


def _lacks(job: Job) -> str | None:
    made = job.made
    if made is None or not made.plan.judged_columns() or not made.recoding.has_classes:
        return "a release made in Python (a `Release`) by a plan with a rule on sensitive values"
    if made.table.weights is not None or made.table.has_respondents:
        return "a table in which each row is a person's"
    if made.table.rows > MOST_ROWS and not made.plan.method.groups_rows:
        return f"a table of at most {MOST_ROWS:,} rows"
    few = all(_worlds(made, name) <= MOST_PLAYED for name in made.plan.judged_columns())
    if made.recoding.bucket_of_row is not None and not few:
        return "a release in classes, or a smaller one"
    return None


def _worlds(release: Release, name: str) -> float:
    column = next(c for c in release.table.sensitive if c.name == name)
    return deals(np.bincount(column.codes))


def _play(job: Job) -> Iterator[Attack]:
    if job.made is not None:
        for name in job.made.plan.judged_columns():
            yield minimality(job.made, name, gain=job.gain)


MINIMALITY = Attacker("minimality", _play, _lacks)
