"""Linking: somebody lays a table with names beside the release and looks who fits which row.

References
----------
P. Samarati, "Protecting respondents' identities in microdata release", TKDE 13 (2001), Figure 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault, closest, counted
from indistinct.measures.confidence import wilson
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.counted import CountedRows
from indistinct.risk.fit import Side, covers_between, covers_pairs, fit, meanings_of, of_people

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.risk.attacks.job import Job
    from indistinct.risk.counted import Rows
    from indistinct.risk.covers import Meaning


@dataclass(frozen=True, eq=False)
class Linked:
    """What came of laying an external table beside a table.

    Attributes
    ----------
    rows, people
        How many rows and people there are.
    found
        People whom at least one row fits.
    singled_out
        People whom exactly one row fits.
    both_ways
        Those of them whose row fits nobody else in the external table.
    below_k
        People whom fewer than k rows fit, and at least one.
    fewest
        The fewest rows that fit a person who was found; 0 if nobody was.
    correct, expected_correct
        Where the truth is known: how many were singled out rightly, and how many would be right
        on average if the attacker picked one of the rows that fit.
    candidates, match
        For each person (each row of the external table, counted or not) the number of rows that
        fit, and the row where it is one, else -1. Private.
    """

    rows: int
    people: int
    found: int
    singled_out: int
    both_ways: int
    below_k: int
    fewest: int
    correct: int | None
    expected_correct: float | None
    candidates: NDArray[np.int64] = field(repr=False)
    match: NDArray[np.int64] = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data, without single people."""
        counts = ("rows", "people", "found", "singled_out", "both_ways", "below_k", "fewest")
        data: dict[str, Any] = {name: getattr(self, name) for name in counts}
        return data | {"correct": self.correct, "expected_correct": self.expected_correct}


@dataclass(frozen=True)
class LinkingAttack(Attack):
    """The outcome, with what was found in the release and in the private table."""

    release: Linked | None = None
    private: Linked | None = None


def link(
    rows: Rows,
    people: Rows,
    on: Mapping[str, str],
    *,
    k: int = 2,
    meanings: Sequence[Meaning] | None = None,
    truth: str | None = None,
) -> Linked:
    """Link the people of an external table to the rows of a table.

    Parameters
    ----------
    on
        Columns of the table, each with the column of the external table that says the same.
    k
        Fewer candidates than this are counted.
    meanings
        What the plan says of the texts in each of these columns.
    truth
        A column of both tables that says who is who.
    """
    from indistinct.risk.covers import Meaning

    ours, theirs = CountedRows.of(rows), CountedRows.of(people)
    target = Side.of(ours, list(on), place="release")
    persons = Side.of(of_people(theirs, on, "people"), list(on))
    meanings = list(meanings or [Meaning()] * len(on))
    fitted = fit(target, persons, meanings)
    times = theirs.row_counts
    singled = fitted.match >= 0
    correct = expected = None
    if truth is not None:
        own = _own_rows(ours.rows, theirs.rows, truth)
        hit = _hits(target, persons, meanings, own)
        correct = int(times[hit] @ singled[hit])
        expected = float(times[hit] @ (1 / fitted.rows[hit]))
    some = fitted.rows[fitted.rows > 0]
    return Linked(
        rows=ours.number,
        people=theirs.number,
        found=int(times[fitted.rows > 0].sum()),
        singled_out=int(times[singled].sum()),
        both_ways=int(times[singled][fitted.people[fitted.match[singled]] == 1].sum()),
        below_k=int(times[(fitted.rows > 0) & (fitted.rows < k)].sum()),
        fewest=int(some.min()) if some.size else 0,
        correct=correct,
        expected_correct=expected,
        candidates=fitted.rows,
        match=fitted.match,
    )


def _hits(
    target: Side, persons: Side, meanings: Sequence[Meaning], own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """List the people whose own row is among those that fit."""
    present = np.flatnonzero(own >= 0)
    fits = covers_pairs(
        covers_between(target, persons.texts, meanings),
        persons.codes[persons.distinct.inverse[present]],
        target.codes[target.distinct.inverse[own[present]]],
    )
    return present[fits]


def _own_rows(rows: pa.Table, people: pa.Table, truth: str) -> NDArray[np.int64]:
    for place, table in (("release", rows), ("people", people)):
        if truth not in table.column_names:
            problem = f"no column {truth!r} that would say who is who"
            raise DataError(Fault(place, problem, closest(truth, table.column_names)))
    place_of = {name: row for row, name in enumerate(rows.column(truth).to_pylist())}
    names = people.column(truth).to_pylist()
    return np.array([place_of.get(name, -1) for name in names], dtype=np.int64)


def linking(
    release: Rows,
    people: Rows,
    on: Mapping[str, str],
    *,
    k: int = 2,
    meanings: Sequence[Meaning] | None = None,
    private: Rows | None = None,
    truth: str | None = None,
) -> LinkingAttack:
    """Attack a release, and the private table beside it where it is given."""
    before = None
    if private is not None:
        there = truth if truth in CountedRows.of(private).rows.column_names else None
        before = link(private, people, on, k=k, truth=there)
    told = truth in CountedRows.of(release).rows.column_names
    here = truth if told or before is None else None
    after = link(release, people, on, k=k, meanings=meanings, truth=here)
    return LinkingAttack(
        name="linking",
        story=_story(on, k, before, after),
        rate=wilson(after.singled_out, after.people),
        baseline=1 / max(after.rows, 1),
        chance="somebody picks a row at random",
        details={
            "on": dict(on),
            "k": k,
            "release": after.as_json(),
            "private": before.as_json() if before else None,
        },
        release=after,
        private=before,
    )


def _story(on: Mapping[str, str], k: int, before: Linked | None, after: Linked) -> str:
    people = counted(after.people, "person", "people")
    sentences = [f"Somebody has a table of {people} by name, with {', '.join(on.values())}."]
    if before is not None:
        sentences.append(
            f"In the private table {before.singled_out:,} of them would fit exactly one row, which "
            "would give away everything else in it."
        )
    if after.found == 0:
        return " ".join([*sentences, "In the release no row fits any of them: the attack fails."])
    sentences.append(
        f"In the release {after.found:,} of them fit some row: {after.singled_out:,} fit exactly "
        f"one, {after.below_k:,} fit fewer than {k}, and nobody fits fewer than {after.fewest:,}."
    )
    if after.correct is not None:
        sentences.append(f"{after.correct:,} of those singled out are the right ones.")
    if after.below_k == 0:
        sentences.append("Nobody is singled out: the attack fails.")
    return " ".join(sentences)


def _play(job: Job) -> Iterator[Attack]:
    if job.people is not None:
        yield linking(
            job.release,
            job.people,
            job.on,
            k=job.k,
            meanings=meanings_of(job.plan, list(job.on)),
            private=job.private,
            truth=job.truth,
        )


LINKING = Attacker(
    "linking", _play, lambda job: "an external table" if job.people is None else None
)
