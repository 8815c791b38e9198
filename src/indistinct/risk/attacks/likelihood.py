"""Naming the person behind each row by what goes with what: the attack on freeform releases.

A freeform release has no classes. Whoever knows its method and everybody's quasi values knows which
k people each row may stem from, and reads the sensitive values: some of the k are likelier to have
them than others. Three attackers try it, and the same three try a release in groups of the same k.
A person is found if the row is named as hers; people alike in all quasi columns cannot be told
apart, so naming one of m of them counts 1 / m.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import Rate, wilson
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.attacks.job import lacks_matchings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.risk.attacks.candidates import Candidates
    from indistinct.risk.attacks.job import Job

Columns = tuple["NDArray[np.int32]", ...]

REFITS = 3
LARGE, BINS = 30, 6
CHANCE = "a person picked at random among the candidates of each row"


@dataclass(frozen=True, eq=False)
class People:
    """The private table as an attacker who knows everybody's quasi values has it.

    Attributes
    ----------
    quasi
        Coded quasi columns.
    alike
        A number for each person, the same for people alike in all of them.
    twins
        How many people are like each person, herself included.
    sensitive
        Coded sensitive columns, to fit the model of an attacker who knows what goes with what.
    """

    quasi: Columns
    alike: NDArray[np.int32]
    twins: NDArray[np.int64]
    sensitive: Columns

    def some(self, chosen: NDArray[np.intp]) -> People:
        """Return some of the people."""
        return People(
            tuple(column[chosen] for column in self.quasi),
            self.alike[chosen],
            self.twins[chosen],
            tuple(column[chosen] for column in self.sensitive),
        )


@dataclass(frozen=True, eq=False)
class Target:
    """A release under attack.

    Attributes
    ----------
    people
        Those it is about.
    candidates
        The people that each published row may stem from.
    values
        The coded sensitive columns of the published rows, coded as those of the people.
    truth
        The person behind each published row. Where only the published rows are at hand it is not
        known: then every candidate with the published values may be, and counts in part.
    """

    people: People
    candidates: Candidates
    values: Columns
    truth: NDArray[np.intp] | None
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    @cached_property
    def _true(self) -> NDArray[np.float64]:
        """The share of each pair in the truth."""
        pairs = self.candidates
        if self.truth is not None:
            true: NDArray[np.bool_] = self.truth[pairs.row] == pairs.person
            return true.astype(np.float64)
        own = np.ones(pairs.row.size)
        for published, held in zip(self.values, self.people.sensitive, strict=True):
            own *= published[pairs.row] == held[pairs.person]
        shares: NDArray[np.float64] = own / np.maximum(np.bincount(pairs.row, own), 1)[pairs.row]
        return shares

    def credit(self, named: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how far the person behind each row was found."""
        pairs, people = self.candidates, self.people
        right = people.alike[pairs.person] == people.alike[named[pairs.row]]
        each = right * self._true / people.twins[pairs.person]
        return np.bincount(pairs.row, each, minlength=pairs.rows).astype(np.float64)

    @cached_property
    def by_chance(self) -> float:
        """The share of people that a guess among the candidates finds."""
        pairs, people = self.candidates, self.people
        key = pairs.row.astype(np.int64) * (int(people.alike.max(initial=0)) + 1)
        _, of = np.unique(key + people.alike[pairs.person], return_inverse=True)
        guess = np.bincount(of, 1 / np.bincount(pairs.row)[pairs.row])
        return float((guess[of] * self._true / people.twins[pairs.person]).sum()) / pairs.rows

    @property
    def most(self) -> float:
        """The share of people that can be found at all: who has twins is one of several."""
        return float((1 / self.people.twins).mean())

    def fitted_on_people(self) -> NDArray[np.float64]:
        """Weigh pairs by what goes with what in the private table itself."""
        every = np.arange(self.candidates.rows)
        ones = np.ones(every.size)
        return self._weights(every, self.people.sensitive, ones)

    def fitted_on_release(self) -> NDArray[np.float64]:
        """Weigh pairs by what goes with what in the release, each row shared by its candidates.

        The shares are equal at first; then they are what is believed, and the fit is made again.
        """
        pairs = self.candidates
        shares = 1 / np.bincount(pairs.row)[pairs.row]
        values = tuple(column[pairs.row] for column in self.values)
        for _ in range(REFITS):
            weights = self._weights(pairs.person, values, shares)
            shares = pairs.beliefs(weights)
        return weights

    def fitted_on_matchings(self) -> NDArray[np.float64] | None:
        """Weigh pairs by what goes with what if whole matchings were drawn.

        In each large component the matching under which values are most associated is taken to be
        the drawn one; then, over and over, each component takes the one that fits the others best.
        """
        pairs = self.candidates
        named = self._most_associated()
        if named is None:
            return None
        for _ in range(REFITS):
            rows = np.flatnonzero(named >= 0)
            values = tuple(column[rows] for column in self.values)
            weights = self._weights(named[rows], values, np.ones(rows.size))
            likeliest = pairs.likeliest_matchings(weights, self.random)
            named = named if likeliest is None else likeliest
        return weights

    def _most_associated(self) -> NDArray[np.intp] | None:
        """Name people by the matching of most mutual information; nobody in small components."""
        pairs = self.candidates
        if pairs.matchings is None or pairs.part is None:
            return None
        coarse = [
            np.searchsorted(_cuts(column), column, side="right") for column in self.people.quasi
        ]
        named = np.full(pairs.rows, -1, dtype=np.intp)
        order = np.argsort(pairs.part, kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(pairs.part))[:-1]):
            if rows.size >= LARGE:
                information = [
                    sum(
                        _information(column[person], values[rows])
                        for column in coarse
                        for values in self.values
                    )
                    for person in pairs.matchings[rows].T
                ]
                named[rows] = pairs.matchings[rows, int(np.argmax(information))]
        return named if (named >= 0).any() else None

    def _weights(
        self, person: NDArray[np.intp], values: Columns, shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Weigh every pair by naive Bayes, fitted on people with values, some of them in part."""
        pairs = self.candidates
        weights = np.zeros(pairs.row.size)
        for held, published in zip(values, self.values, strict=True):
            size = int(max(held.max(initial=0), published.max(initial=0))) + 1
            for quasi in self.people.quasi:
                width = int(quasi.max(initial=0)) + 1
                keys = held.astype(np.int64) * width + quasi[person]
                table = 1.0 + np.bincount(keys, shares, minlength=size * width).reshape(size, width)
                logs = np.log(table / table.sum(axis=1, keepdims=True))
                weights += logs[published[pairs.row], quasi[pairs.person]]
        return weights


def _cuts(column: NDArray[np.int32]) -> NDArray[np.float64]:
    """Cut a coded column into a few bins of about as many people."""
    return np.unique(np.quantile(column, np.arange(1, BINS) / BINS))


def _information(one: NDArray[np.intp], two: NDArray[np.int32]) -> float:
    """Return how much two columns say of each other, in nats over all rows."""
    width = int(two.max(initial=0)) + 1
    counts = np.bincount(one * width + two, minlength=(int(one.max(initial=0)) + 1) * width)
    table = counts.reshape(-1, width).astype(np.float64)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / one.size
    held = table > 0
    return float((table[held] * np.log(table[held] / expected[held])).sum())


def association(release: Target, groups: Target | None, k: int) -> Attack:
    """Knows everybody's quasi values and the method, and no sensitive value at all."""
    credit, how = _best_guess(release, release.fitted_on_release())
    if (weights := release.fitted_on_matchings()) is not None:
        credit, how = max(
            (credit, how), _best_guess(release, weights), key=lambda one: one[0].sum()
        )
    beside = None if groups is None else _rate(_best_guess(groups, groups.fitted_on_release())[0])
    start = (
        "Somebody knows everybody's quasi-identifiers and how the release was made, but nobody's "
        "sensitive values. From the release he learns which values go together, and names the "
        f"person behind each row{how}. "
    )
    return _attack("association", start, release, (_rate(credit), beside), k)


def likelihood(release: Target, groups: Target | None, k: int) -> Attack:
    """Knows besides how quasi and sensitive values go together, from the private table."""
    credit, how = _best_guess(release, release.fitted_on_people())
    beside = None if groups is None else _rate(_best_guess(groups, groups.fitted_on_people())[0])
    start = (
        "Somebody knows everybody's quasi-identifiers, how the release was made, and from the "
        "private table itself, which is more than anybody should, how often each value goes with "
        f"which sensitive one. He names the person behind each row{how}. "
    )
    return _attack("likelihood", start, release, (_rate(credit), beside), k)


def _known_values(
    release: Target, truth: NDArray[np.intp], groups: Target | None, k: int, known: int
) -> Attack:
    """Knows besides which rows are those of some people; tries to find the others."""
    rate, before = _gain(release, truth, known)
    start = (
        f"Somebody who knows as much also knows which rows are those of "
        f"{counted(known, 'person', 'people')}, and therefore that they are nobody "
        f"else's. Of the others he names {rate.share:.1%} correctly; without knowing these rows "
        f"it was {before:.1%}. "
    )
    details: dict[str, object] = {"known": known, "k": k}
    if groups is not None and groups.truth is not None:
        there, without = _gain(groups, groups.truth, known)
        details["partition"] = there.as_json() | {"baseline": without}
        start += (
            f"In groups of at least {k} as many known rows bring him from {without:.1%} to "
            f"{there.share:.1%}."
        )
    return Attack(
        name="known values",
        story=start.strip(),
        rate=rate,
        baseline=before,
        chance="the same attacker without knowing those rows",
        details=details,
    )


def _best_guess(target: Target, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    """Name people by belief, and component by component; take what finds more."""
    pairs = target.candidates
    by_belief = target.credit(pairs.likeliest(pairs.beliefs(weights), target.random))
    whole = pairs.likeliest_matchings(weights, target.random)
    if whole is not None and (by_part := target.credit(whole)).sum() > by_belief.sum():
        return by_part, ", by the likeliest of the k matchings in each component"
    return by_belief, ""


def _gain(target: Target, truth: NDArray[np.intp], known: int) -> tuple[Rate, float]:
    """Find the others with and without knowing some people's rows."""
    pairs, weights = target.candidates, target.fitted_on_people()
    rows = target.random.permutation(pairs.rows)[:known]
    others = np.ones(pairs.rows, dtype=bool)
    others[rows] = False
    with_them, without = (
        _best_guess(target, each)[0][others]
        for each in (pairs.known(weights, rows, truth), weights)
    )
    return _rate(with_them), float(without.mean())


def _rate(credit: NDArray[np.float64]) -> Rate:
    return wilson(round(float(credit.sum())), int(credit.size))


def _attack(
    name: str, start: str, release: Target, rates: tuple[Rate, Rate | None], k: int
) -> Attack:
    """Put an attack into words; the rates are of the release and of groups."""
    chance = release.by_chance
    rate, beside = rates
    story = (
        f"{start}He is right for {rate.share:.1%} of {counted(rate.of, 'person', 'people')}; a "
        f"guess among the candidates would be right for {chance:.1%}, and nobody could be for more "
        f"than {release.most:.1%}, because people with the same quasi-identifiers cannot be "
        "distinguished. "
    )
    details: dict[str, object] = {"k": k, "at_most": release.most}
    if beside is not None:
        details["partition"] = beside.as_json()
        story += f"In groups of at least {k} he is right for {beside.share:.1%}."
    return Attack(
        name=name,
        story=story.strip(),
        rate=rate,
        baseline=chance,
        chance=CHANCE,
        details=details,
    )


def _play_association(job: Job) -> Iterator[Attack]:
    release, groups = job.targets
    yield association(release, groups, job.k)


def _play_likelihood(job: Job) -> Iterator[Attack]:
    release, groups = job.targets
    yield likelihood(release, groups, job.k)


def _play_known_values(job: Job) -> Iterator[Attack]:
    release, groups = job.targets
    if release.truth is not None:
        known = min(job.known, release.candidates.rows // 2)
        yield _known_values(release, release.truth, groups, job.k, known)


def _lacks_made(job: Job) -> str | None:
    at_hand = lacks_matchings(job) is None and job.made is not None
    return None if at_hand else "a freeform release made in Python (a `Release`)"


ASSOCIATION = Attacker("association", _play_association, lacks_matchings)
LIKELIHOOD = Attacker("likelihood", _play_likelihood, lacks_matchings)
KNOWN_VALUES = Attacker("known values", _play_known_values, _lacks_made)
