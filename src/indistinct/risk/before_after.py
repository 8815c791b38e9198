"""The risks of a private table, and of its release, for the same attackers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.encoding import encode
from indistinct.requirements import least_respondents
from indistinct.risk.attackers import (
    THRESHOLD,
    Reidentification,
    class_risks,
    reidentification,
)
from indistinct.risk.fit import Side, fit, meanings_of
from indistinct.risk.people import GroupRisk, household_risk, respondent_risk
from indistinct.risk.population import PopulationUniques, population_uniques

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.plan import Plan
    from indistinct.release import Release


@dataclass(frozen=True)
class Attackers:
    """What is asked about attackers.

    Attributes
    ----------
    threshold
        Rows with a larger risk are counted; 1 / k of the plan, or 0.2.
    sampling
        The share of the population that is in the table, drawn at random.
    population
        The population itself, with the same columns.
    respondent, household
        Columns that say whose row a row is, and which people live together.
    plan
        What the texts of a release mean.
    """

    threshold: float | None = None
    sampling: float | None = None
    population: pa.Table | None = None
    respondent: str | None = None
    household: str | None = None
    plan: Plan | None = None

    @property
    def limit(self) -> float:
        """The threshold, from the plan where none is given."""
        if self.threshold is not None:
            return self.threshold
        least = least_respondents(self.plan.require if self.plan else ())
        return 1 / least if least > 1 else THRESHOLD


@dataclass(frozen=True)
class TableRisk:
    """The risks of one table.

    Attributes
    ----------
    reidentification
        For the three attackers.
    population
        Estimates of population uniqueness, where the sampling fraction is known.
    respondents, households
        The risk of people with several rows, and of households, where columns name them.
    """

    reidentification: Reidentification
    population: tuple[PopulationUniques, ...] = ()
    respondents: GroupRisk | None = None
    households: GroupRisk | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        data: dict[str, Any] = {"reidentification": self.reidentification.as_json()}
        data["population_uniques"] = [estimate.as_json() for estimate in self.population]
        for name in ("respondents", "households"):
            risk = getattr(self, name)
            data[name] = risk.as_json() if risk else None
        return data


@dataclass(frozen=True)
class BeforeAfter:
    """The risks of a private table and of its release."""

    before: TableRisk
    after: TableRisk

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"before": self.before.as_json(), "after": self.after.as_json()}


def table_risk(
    rows: pa.Table, quasi: Sequence[str], asked: Attackers, *, side: Side | None = None
) -> TableRisk:
    """Measure the risks of a table, private or published, over its quasi columns.

    Parameters
    ----------
    side
        The quasi columns, if they are coded already.
    """
    if asked.sampling is not None and asked.population is not None:
        problem = "both a sampling fraction and a population are given"
        raise DataError(Fault("assess", problem, "Give one of the two."))
    side = side or Side.of(rows, quasi)
    groups = {
        name: encode(rows.column(name), name).codes
        for name in (asked.respondent, asked.household)
        if name is not None and name in rows.column_names
    }
    outside: NDArray[np.int64] | float | None = asked.sampling
    if asked.population is not None:
        outside = _population(side, asked.population, asked.plan)
    return risk_of_classes(
        side.distinct.inverse,
        side.distinct.counts,
        asked,
        respondents=groups.get(asked.respondent or ""),
        households=groups.get(asked.household or ""),
        population=outside,
    )


def risk_of_classes(
    of_row: NDArray[np.int32],
    rows: NDArray[np.int64],
    asked: Attackers,
    *,
    respondents: NDArray[np.int32] | None = None,
    households: NDArray[np.int32] | None = None,
    population: NDArray[np.int64] | float | None = None,
) -> TableRisk:
    """Measure the risks of rows in classes."""
    people = rows if respondents is None else _distinct(of_row, respondents, rows.size)
    risks = class_risks(people)[of_row]
    limit = asked.limit
    estimates = () if asked.sampling is None else population_uniques(people, asked.sampling)
    return TableRisk(
        reidentification(people, rows, threshold=limit, population=population),
        estimates,
        None if respondents is None else respondent_risk(risks, respondents, threshold=limit),
        None if households is None else _households(risks, households, respondents, limit),
    )


def release_risk(
    release: Release, *, threshold: float | None = None, sampling: float | None = None
) -> BeforeAfter:
    """Measure the risks of a release and of the table it was made of.

    Where quasi values are published as they are (buckets), both are the same: what is hidden then
    is the sensitive value, not the row. A freeform release has no classes: each person could be any
    of k rows, whatever they look like.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical
    >>> plan = {
    ...     "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}},
    ...     "require": [{"model": "k-anonymity", "k": 2}],
    ...     "unlisted": "other",
    ... }
    >>> risk = release_risk(anonymize(medical(), plan))
    >>> risk.before.reidentification.prosecutor.highest
    1.0
    >>> risk.after.reidentification.prosecutor.highest
    0.5
    """
    asked = Attackers(threshold=threshold, sampling=sampling, plan=release.plan)
    table = release.table
    respondents = table.sets[0].respondents if len(table.sets) == 1 else None
    before = risk_of_classes(
        table.frequency_set.inverse,
        table.frequency_set.counts,
        asked,
        respondents=respondents,
        population=sampling,
    )
    return BeforeAfter(before, _released_risk(release, asked, respondents))


def _released_risk(
    release: Release, asked: Attackers, respondents: NDArray[np.int32] | None
) -> TableRisk:
    covered = release.recoding.covered_rows
    if covered is not None:
        covering = np.full(len(covered), covered.shape[1], dtype=np.int64)
        one = np.ones_like(covering)
        population = asked.sampling
        return TableRisk(
            reidentification(covering, one, threshold=asked.limit, population=population)
        )
    source = release.published.source
    rows = release.rows
    if release.published.blanked:
        kept = release.recoding.kept[source]
        rows, source = rows.filter(pa.array(kept)), source[kept]
    side = Side.of(rows, [column.name for column in release.table.quasi], place="release")
    return risk_of_classes(
        side.distinct.inverse,
        side.distinct.counts,
        asked,
        respondents=None if respondents is None else respondents[source],
        population=asked.sampling,
    )


def _population(side: Side, population: pa.Table, plan: Plan | None) -> NDArray[np.int64]:
    """Count for each class the people of the population that fit."""
    everyone = Side.of(population, side.columns, place="population")
    fitted = fit(side, everyone, meanings_of(plan, side.columns))
    return fitted.people[side.first_rows()]


def _distinct(
    of_row: NDArray[np.int32], people: NDArray[np.int32], classes: int
) -> NDArray[np.int64]:
    """Count the distinct people of each class."""
    size = int(people.max(initial=0)) + 1
    pairs = np.unique(of_row.astype(np.int64) * size + people)
    return np.bincount(pairs // size, minlength=classes).astype(np.int64)


def _households(
    risks: NDArray[np.float64],
    households: NDArray[np.int32],
    respondents: NDArray[np.int32] | None,
    threshold: float,
) -> GroupRisk:
    """Take each member of a household once, with the riskiest of his rows."""
    if respondents is None:
        return household_risk(risks, households, threshold=threshold)
    order = np.argsort(-risks, kind="stable")
    _, first = np.unique(respondents[order], return_index=True)
    worst = order[first]
    return household_risk(risks[worst], households[worst], threshold=threshold)
