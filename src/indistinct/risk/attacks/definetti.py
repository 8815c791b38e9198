"""deFinetti: what goes with what is learnt from the release itself, and used inside its classes.

Classes are read as if everybody in one were alike. But other classes tell which sensitive values go
with which quasi values, and that tells who of a class has which of its values. Naive Bayes is
fitted on everybody with the shares of her class, each class is dealt out anew by it so that its
values stay as many as they are, and so on (as Kifer does, but with shares instead of one deal).
Dealing a class out is iterative proportional fitting: each row sums to one person, each column to
the people with a value. Naive Bayes grows too sure of itself with fits, so the attacker has what is
better, a few of them or many. In a freeform release the k candidates of each row take the place of
a class.

References
----------
D. Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import counted
from indistinct.measures.confidence import wilson
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.attacks.job import lacks_matchings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn
    from indistinct.release import Release
    from indistinct.risk.attacks.job import Job
    from indistinct.risk.attacks.likelihood import Target

FITS = (3, 30)
DEALS = 20
MOST_CELLS = 20_000_000
SMALLEST = 1e-12
DIGITS = 9


@dataclass(frozen=True, eq=False)
class InClasses:
    """People in classes as somebody has them who knows everybody's quasi values.

    Attributes
    ----------
    quasi
        Coded quasi columns.
    of_person
        The class, or the bucket, of each person.
    held
        For each class how many people have each value.
    """

    quasi: tuple[NDArray[np.int32], ...]
    of_person: NDArray[np.intp]
    held: NDArray[np.float64]

    @property
    def by_class(self) -> NDArray[np.float64]:
        """How likely each value is for each person by the shares of her class."""
        return _normalized(self.held)[self.of_person]

    def learnt(self) -> Iterator[NDArray[np.float64]]:
        """Tell by what goes with what how likely each value is, after few fits and after many."""
        shares = self.by_class
        for number in range(1, max(FITS) + 1):
            shares = self._dealt(fitted(self.quasi, shares))
            if number in FITS:
                yield shares

    def _dealt(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Deal each class out by weights: one value for everybody, each as often as it is held."""
        shares = self.by_class * weights
        for _ in range(DEALS):
            shares = _normalized(shares)
            dealt = np.stack(
                [np.bincount(self.of_person, column, len(self.held)) for column in shares.T], axis=1
            )
            shares *= (self.held / np.maximum(dealt, SMALLEST))[self.of_person]
        return _normalized(shares)


def _normalized(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let the shares of each person add up to one."""
    normalized: NDArray[np.float64] = shares / np.maximum(
        shares.sum(axis=1, keepdims=True), SMALLEST
    )
    return normalized


def fitted(
    quasi: tuple[NDArray[np.int32], ...], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit naive Bayes on people who have values in part; return how much each fits each person."""
    logs = np.zeros_like(shares)
    for codes in quasi:
        size = int(codes.max(initial=0)) + 1
        table = 1.0 + np.stack([np.bincount(codes, column, size) for column in shares.T], axis=1)
        logs += np.log(table / table.sum(axis=0))[codes]
    weights: NDArray[np.float64] = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights


def definetti(
    column: str,
    by_class: NDArray[np.float64],
    learnt: NDArray[np.float64],
    true: NDArray[np.int32],
    *,
    of: str = "her class",
) -> Attack:
    """Guess everybody's value by what was learnt, beside a guess by the shares of a class."""
    right, before = _right(learnt, true), _right(by_class, true)
    rate = wilson(round(float(right.sum())), true.size)
    baseline = float(before.mean()) if before.size else 0.0
    start = (
        "Somebody knows everybody's quasi-identifiers and learns from the release which go with "
        f"which {column}. Of {counted(true.size, 'person', 'people')} he guesses {rate.share:.1%} "
        f"correctly; by the shares of {of} it is {baseline:.1%}"
    )
    beyond = rate.low > baseline
    return Attack(
        name="definetti",
        story=f"{start}." if beyond else f"{start}, which is as good: the attack fails.",
        rate=rate,
        baseline=baseline,
        chance=f"the likeliest value of {of}",
        details={"column": column, "surest": float(learnt.max(initial=0.0))},
    )


def _right(likely: NDArray[np.float64], true: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how often each person is guessed rightly by the likeliest value; of equals any."""
    likely = np.round(likely, DIGITS)
    best = likely == likely.max(axis=1, keepdims=True)
    share: NDArray[np.float64] = best[np.arange(true.size), true] / best.sum(axis=1)
    return share


def _in_classes(release: Release, column: SensitiveColumn) -> tuple[InClasses, NDArray[np.int32]]:
    """Take the people of a release in their classes, and what they have."""
    table, recoding = release.table, release.recoding
    buckets = recoding.bucket_of_row
    if buckets is None:
        buckets = recoding.shown(table, release.plan.forms(table)).of_row
    kept = np.flatnonzero(recoding.kept)
    classes, of_person = np.unique(buckets[kept], return_inverse=True)
    size, true = len(column.values), column.codes[kept]
    held = np.bincount(of_person * size + true, minlength=classes.size * size)
    people = tuple(c.codes[kept] for c in table.quasi)
    return InClasses(people, of_person, held.reshape(-1, size).astype(np.float64)), true


def _of_candidates(target: Target, column: int) -> tuple[NDArray[np.float64], ...]:
    """Return how likely each value is by the candidates alone, and by what is learnt."""
    pairs, values = target.candidates, target.values[column]
    size = int(values.max(initial=0)) + 1
    keys = pairs.person.astype(np.int64) * size + values[pairs.row]
    even = 1 / np.bincount(pairs.person, minlength=pairs.rows)[pairs.person]
    believed = pairs.beliefs(target.fitted_on_release())
    counts = (np.bincount(keys, shares, pairs.rows * size) for shares in (even, believed))
    return tuple(_normalized(each.astype(np.float64).reshape(-1, size)) for each in counts)


def _lacks(job: Job) -> str | None:
    if job.matched:
        return lacks_matchings(job)
    made = job.made
    if made is None or not made.table.sensitive:
        return "a release made in Python (a `Release`) with a sensitive column"
    if made.table.weights is not None:
        return "a table in which each row is by itself"
    values = max(len(column.values) for column in made.table.sensitive)
    return "fewer people or fewer values" if made.table.rows * values > MOST_CELLS else None


def _play(job: Job) -> Iterator[Attack]:
    if job.matched:
        target, _ = job.targets
        for place, name in enumerate(job.sensitive):
            true = target.people.sensitive[place]
            by_class, learnt = _of_candidates(target, place)
            yield definetti(name, by_class, learnt, true, of="her candidates")
    elif job.made is not None:
        for column in job.made.table.sensitive:
            people, true = _in_classes(job.made, column)
            learnt = max(people.learnt(), key=lambda shares: _right(shares, true).sum())
            yield definetti(column.name, people.by_class, learnt, true)


DEFINETTI = Attacker("definetti", _play, _lacks)
