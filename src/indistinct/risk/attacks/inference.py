"""Inference: a classifier learns from the release and guesses the sensitive value of known people.

Three guessers are compared on the same people: one that learnt from the release, which holds
these very people; one that learnt from private rows of other people (what the world would teach);
and one that always says the most frequent value. What the first knows more than the second it
knows about the people themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import DataError, Fault, counted
from indistinct.io.encoding import encode
from indistinct.measures.confidence import Rate, wilson
from indistinct.measures.learner import (
    drawn_rows,
    guesses,
    left_of,
    require_learner,
    scale_of,
)
from indistinct.risk.attacks.base import Attack, Attacker
from indistinct.risk.attacks.job import CLASSES
from indistinct.risk.counted import CountedRows
from indistinct.risk.covers import Meaning, covers_of
from indistinct.risk.fit import meanings_of, published_column, refuse_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label
    from indistinct.risk.attacks.job import Job
    from indistinct.risk.counted import Rows

TARGETS = 2_000


@dataclass(frozen=True)
class InferenceAttack(Attack):
    """The outcome, with how often each guesser was right."""

    by_release: Rate | None = None
    by_others: Rate | None = None
    by_majority: Rate | None = None


def inference(
    release: Rows,
    private: Rows,
    quasi: Sequence[str],
    sensitive: str,
    *,
    meanings: Sequence[Meaning] | None = None,
    seed: int = 0,
    targets: int = TARGETS,
) -> InferenceAttack:
    """Guess the sensitive value of people of the private table from their quasi values.

    Needs scikit-learn (`pip install scikit-learn`). A text that covers several values is
    learnt as all of them in equal parts. At most 20,000 rows are learnt from.
    """
    require_learner("inference")
    released, people = CountedRows.of(release), CountedRows.of(private)
    for side, place in ((released, "release"), (people, "private table")):
        refuse_missing(side.rows, [*quasi, sensitive], place)
    random = np.random.default_rng(seed)
    meanings = list(meanings or [Meaning()] * len(quasi))
    chosen = drawn_rows(people.row_counts, random, min(targets, people.number // 2))
    if chosen.size == 0:
        raise DataError(Fault("private table", "two rows are needed at least", "Give more rows."))
    others = drawn_rows(left_of(people.row_counts, chosen), random)
    shown = drawn_rows(released.row_counts, random)
    exact, published = _features(people.rows, released.rows, quasi, meanings)
    truth, answers = _answers(people.rows, released.rows, sensitive)
    by_release = guesses(published[shown], answers[shown], exact[chosen], seed)
    by_others = guesses(exact[others], truth[others], exact[chosen], seed)
    most = np.bincount(answers, released.counts).argmax()
    right = [
        wilson(int(np.count_nonzero(guess == truth[chosen])), int(chosen.size))
        for guess in (by_release, by_others, np.full(chosen.size, most))
    ]
    return InferenceAttack(
        name="inference",
        story=_story(sensitive, chosen.size, *right),
        rate=right[0],
        baseline=max(right[1].share, right[2].share),
        chance="the better of a classifier that learnt from other people and the majority guess",
        details={
            "column": sensitive,
            "by_release": right[0].as_json(),
            "by_others": right[1].as_json(),
            "by_majority": right[2].as_json(),
        },
        by_release=right[0],
        by_others=right[1],
        by_majority=right[2],
    )


def _features(
    private: pa.Table, release: pa.Table, quasi: Sequence[str], meanings: Sequence[Meaning]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Turn both tables into numbers of the same meaning, column by column."""
    exact, published = [], []
    for name, meaning in zip(quasi, meanings, strict=True):
        mine = encode(private.column(name), name)
        theirs = encode(published_column(release, name), name)
        scale = scale_of(mine.domain.values)
        spread = _spread(theirs.domain.values, mine.domain.values, scale, meaning)
        exact.append(scale[mine.codes])
        published.append(spread[theirs.codes])
    return np.concatenate(exact, axis=1), np.concatenate(published, axis=1)


def _spread(
    texts: Sequence[Label],
    values: Sequence[Label],
    scale: NDArray[np.float64],
    meaning: Meaning,
) -> NDArray[np.float64]:
    """Give each text the mean of the values it covers; of all where it covers none of them."""
    covers = covers_of(texts, values, meaning)
    value = np.repeat(np.arange(len(values)), np.diff(covers.starts))
    count = np.bincount(covers.texts, minlength=len(texts))
    sums = [
        np.bincount(covers.texts, weights=scale[value, column], minlength=len(texts))
        for column in range(scale.shape[1])
    ]
    means = np.stack(sums, axis=1) / np.maximum(count, 1)[:, None]
    means[count == 0] = scale.mean(axis=0)
    return means


def _answers(
    private: pa.Table, release: pa.Table, sensitive: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    mine = encode(private.column(sensitive), sensitive)
    theirs = encode(release.column(sensitive), sensitive)
    code = {v: i for i, v in enumerate({**mine.domain.rows_of, **theirs.domain.rows_of})}
    one, two = (
        np.array([code[v] for v in side.domain.values], dtype=np.int64)[side.codes]
        for side in (mine, theirs)
    )
    return one, two


def _story(column: str, asked: int, release: Rate, others: Rate, majority: Rate) -> str:
    start = (
        f"Somebody knows the quasi-identifier of {counted(asked, 'person', 'people')} and lets a "
        f"classifier that learnt from the release guess their {column}. It is right for "
        f"{release.share:.1%}; one that learnt from other people's private rows is for "
        f"{others.share:.1%}, and the most frequent value for {majority.share:.1%}. "
    )
    better = max(others.share, majority.share)
    if release.low > better:
        return start + "The release reveals more about these people than other people's data would."
    return (
        start
        + "The release reveals no more about these people than other people's data would: it fails."
    )


def _play(job: Job) -> Iterator[Attack]:
    if job.private is not None:
        meanings = meanings_of(job.plan, job.quasi)
        for name in job.sensitive:
            yield inference(job.release, job.private, job.quasi, name, meanings=meanings)


def _lacks(job: Job) -> str | None:
    at_hand = job.about_classes and job.private is not None
    return None if at_hand else f"the private table, or {CLASSES}"


INFERENCE = Attacker("inference", _play, _lacks, learns=True)
