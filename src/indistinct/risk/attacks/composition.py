"""Composition: two releases of the same people, laid one over the other.

Whoever knows a person's quasi values knows which rows of each release may be hers. The two rows
that are hers agree in every column that both releases publish as it is. So of the rows of the one
only those count that have a partner in the other: value by value, the fewer of the two.

References
----------
S. R. Ganta, S. P. Kasiviswanathan, A. Smith, "Composition attacks and auxiliary information in data
privacy", KDD 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from indistinct.errors import DataError, Fault, counted
from indistinct.io.encoding import encode
from indistinct.measures.confidence import wilson
from indistinct.model.counting import counted_keys
from indistinct.model.names import GROUP, RangeAs, published_names
from indistinct.model.table import frequency_set
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.counted import CountedRows
from indistinct.risk.covers import Meaning
from indistinct.risk.fit import Side, column_order, cover_of, covers_between, meanings_of, trie_of
from indistinct.risk.points import Points, points_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.plan import Plan
    from indistinct.risk.attacks.job import Job
    from indistinct.risk.counted import Rows
    from indistinct.risk.covers import Covers


@dataclass(frozen=True)
class CompositionAttack(Attack):
    """The outcome of laying a new release over an old one.

    Attributes
    ----------
    k
        What was promised.
    fewest
        The fewest rows that both releases leave for somebody.
    below_k
        People (or rows of the new release, where no people are given) left with fewer than k.
    """

    k: int = 2
    fewest: int = 0
    below_k: int = 0

    @property
    def composes(self) -> bool:
        """Whether everybody is left with at least k rows."""
        return self.below_k == 0


def composition(
    new: Rows,
    old: Rows,
    quasi: Sequence[str],
    shared: Sequence[str],
    *,
    k: int,
    meanings: Sequence[Meaning] | None = None,
    old_meanings: Sequence[Meaning] | None = None,
    people: Rows | None = None,
) -> CompositionAttack:
    """Lay two releases over each other.

    Parameters
    ----------
    quasi
        Columns that both releases generalize.
    shared
        Columns that both publish as they are.
    people
        Who is attacked, with exact quasi values: the private table, say. Without, a few places in
        every overlap of a class of the one release with a class of the other are taken for
        somebody's; nobody may live there, and a worse place may be missed.
    """
    meanings = list(meanings or [Meaning()] * len(quasi))
    old_meanings = list(old_meanings or meanings)
    one, two = Side.of(new, quasi, place="new release"), Side.of(old, quasi, place="old release")
    values = _shared_values(CountedRows.of(new).rows, CountedRows.of(old).rows, shared)
    if people is not None:
        persons = Side.of(people, quasi, place="people")
        covers = (
            covers_between(one, persons.texts, meanings),
            covers_between(two, persons.texts, old_meanings),
        )
        counts = _common(one, two, persons.codes, covers, values)
        return _attack(_of_people(counts, persons.distinct.counts, k), shared, k)
    points = points_of(one, two, meanings, old_meanings)
    counts = _common(one, two, points.codes, points.covers, values)
    return _attack(_of_points(counts, points, one, k), shared, k)


def _shared_values(
    new: pa.Table, old: pa.Table, shared: Sequence[str]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number what rows of both releases say in the shared columns, alike for both."""
    if not shared:
        return np.zeros(new.num_rows, dtype=np.int32), np.zeros(old.num_rows, dtype=np.int32)
    coded = []
    for name in shared:
        texts = [encode(rows.column(name), name) for rows in (new, old)]
        code: dict[str | None, int] = {}
        parts = [
            np.array([code.setdefault(v, len(code)) for v in side.domain.values], dtype=np.int32)
            for side in texts
        ]
        both = [part[side.codes] for part, side in zip(parts, texts, strict=True)]
        coded.append((np.concatenate(both), len(code)))
    joined = frequency_set([codes for codes, _ in coded], [size for _, size in coded]).inverse
    return joined[: new.num_rows], joined[new.num_rows :]


def _common(
    one: Side,
    two: Side,
    people: NDArray[np.int32],
    covers: tuple[list[Covers], list[Covers]],
    values: tuple[NDArray[np.int32], NDArray[np.int32]],
) -> NDArray[np.int64]:
    """Count for each person the rows of either release that fit, and those common to both."""
    from indistinct.risk.fit_kernel import fitting_both

    order = column_order(one)
    sides = []
    for side, cover, value in zip((one, two), covers, values, strict=True):
        place = side.distinct.sorted_by(order)
        codes = np.ascontiguousarray(side.codes[place][:, order])
        starts, pairs = _histograms(side, place, value)
        sides.append((trie_of(codes), cover_of([cover[c] for c in order]), starts, pairs))
    size = int(max(value.max(initial=0) for value in values)) + 1
    sort = np.lexsort(tuple(people[:, c] for c in reversed(order)))
    asked = np.ascontiguousarray(people[sort][:, order])
    counts = np.empty((people.shape[0], 3), dtype=np.int64)
    counts[sort] = fitting_both(*sides[0], *sides[1], asked, size)
    return counts


def _histograms(
    side: Side, place: NDArray[np.intp], value: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    number = np.empty(place.size, dtype=np.int64)
    number[place] = np.arange(place.size)
    size = int(value.max(initial=0)) + 1
    keys = number[side.distinct.inverse] * size + value
    present, count = counted_keys(keys, side.weights)
    starts = np.searchsorted(present // size, np.arange(place.size + 1)).astype(np.int64)
    return starts, np.stack([present % size, count], axis=1).astype(np.int64)


@dataclass(frozen=True)
class _Count:
    """How many were counted, and how many of them have fewer than k: by both releases, by one."""

    what: str
    of: int
    below: int
    alone: int
    fewest: int
    looked_at: float = 1.0


def _of_people(counts: NDArray[np.int64], times: NDArray[np.int64], k: int) -> _Count:
    present = counts[:, 2] > 0
    common, times = counts[present, 2], times[present]
    below = int(times[common < k].sum())
    alone = int(times[counts[present, 0] < k].sum())
    return _Count("people", int(times.sum()), below, alone, _fewest(common))


def _of_points(counts: NDArray[np.int64], points: Points, one: Side, k: int) -> _Count:
    """Count the rows of the new release in whose class somebody may be left with fewer than k."""
    common = counts[points.of_pair, 2]
    present = common > 0
    bad = np.zeros(one.distinct.size, dtype=bool)
    bad[points.new_class[present & (common < k)]] = True
    rows = one.distinct.counts
    alone, below = int(rows[rows < k].sum()), int(rows[bad].sum())
    fewest = _fewest(common[present])
    return _Count("rows", int(rows.sum()), below, alone, fewest, points.looked_at)


def _fewest(common: NDArray[np.int64]) -> int:
    return int(common.min()) if common.size else 0


def _attack(count: _Count, shared: Sequence[str], k: int) -> CompositionAttack:
    return CompositionAttack(
        name="composition",
        story=_story(count, shared, k),
        rate=wilson(count.below, count.of),
        baseline=count.alone / count.of if count.of else 0.0,
        chance="the new release alone",
        details={
            "k": k,
            "counted": count.what,
            "fewest": count.fewest,
            "below_k": count.below,
            "shared": list(shared),
            "looked_at": count.looked_at,
        },
        k=k,
        fewest=count.fewest,
        below_k=count.below,
    )


def _story(count: _Count, shared: Sequence[str], k: int) -> str:
    start = "Somebody also has the old release and combines it with the new one"
    start += f", row by row alike in {', '.join(shared)}. " if shared else ". "
    if count.of == 0:
        return start + "Nobody is in both: the attack fails."
    if count.below == 0:
        return f"{start}Everybody still has at least {count.fewest:,} rows that fit both: it fails."
    left = f"left with fewer than {k} rows that fit both, down to {count.fewest:,}."
    if count.what == "people":
        who = counted(count.below, "person", "people")
        return f"{start}{who} of {count.of:,} {'is' if count.below == 1 else 'are'} {left}"
    rows = counted(count.below, "row")
    return f"{start}In the classes of {rows} of {count.of:,} somebody may be {left}"


def composed(
    new: Rows,
    old: Rows,
    plan: Plan | None,
    *,
    k: int,
    old_plan: Plan | None = None,
    people: Rows | None = None,
    quasi: Sequence[str] = (),
) -> CompositionAttack:
    """Lay a release over an older one, joined on what both generalize."""
    named = list(quasi) or (plan.with_role("quasi") if plan else [])
    mine, theirs = CountedRows.of(new).rows, CountedRows.of(old).rows
    both = [name for name in named if has_column(mine, name) and has_column(theirs, name)]
    if not both:
        problem = "the two releases have no quasi column in common"
        raise DataError(Fault("composition", problem, "Give two releases of the same people."))
    left_out = {part for name in both for part in _parts(name)} | {GROUP}
    for name, column in (plan.columns if plan else {}).items():
        keyed = column.pseudonym is not None and column.pseudonym.kind == "keyed"
        if column.role in {"identifier", "respondent"} and not keyed:
            left_out.add(name)
    shared = [n for n in mine.column_names if n in theirs.column_names and n not in left_out]
    return composition(
        new,
        old,
        both,
        shared,
        k=k,
        meanings=meanings_of(plan, both),
        old_meanings=meanings_of(old_plan or plan, both),
        people=people,
    )


def _parts(name: str) -> set[str]:
    return {part for form in get_args(RangeAs) for part in published_names(name, form)}


def has_column(rows: pa.Table, name: str) -> bool:
    """Return whether a quasi column is published, as itself or as bounds."""
    bounds = set(published_names(name, "bounds"))
    return name in rows.column_names or bounds <= set(rows.column_names)


def _play(job: Job) -> Iterator[Attack]:
    if job.old is not None:
        yield composed(
            job.release,
            job.old,
            job.plan,
            k=job.k,
            old_plan=job.old_plan,
            people=job.private,
            quasi=job.quasi,
        )


def _lacks(job: Job) -> str | None:
    at_hand = job.old is not None and bool(job.quasi)
    return None if at_hand else "another release (--against), or quasi columns"


COMPOSITION = Attacker("composition", _play, _lacks)
