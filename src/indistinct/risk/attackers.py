"""The risk that a row is linked to its person, for three kinds of attacker.

- The **prosecutor** looks for one person and knows that he is in the table: a class of f people
  gives him away with probability 1 / f.
- The **journalist** looks for anybody and does not know who is in the table: what counts is the
  number F of people in the population that fit a class, 1 / F.
- The **marketer** links as many rows as he can: what counts is the share he is right about.

References
----------
K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15 (2008); F. K. Dankar,
K. El Emam, "A method for evaluating marketer re-identification risk", PAIS 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

THRESHOLD = 0.2
SLACK = 1e-12
ITSELF = "the table itself"


@dataclass(frozen=True)
class Risk:
    """What one attacker may hope for.

    Attributes
    ----------
    highest, average
        Over all rows.
    rows_above
        How many rows are above the threshold.
    above
        Their share.
    """

    highest: float
    average: float
    rows_above: int
    above: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "highest": self.highest,
            "average": self.average,
            "rows_above": self.rows_above,
            "above": self.above,
        }


@dataclass(frozen=True)
class Reidentification:
    """The risks of a table for three attackers.

    Attributes
    ----------
    threshold
        A row is above it if its risk is larger.
    unique_rows
        Rows whose class holds one person.
    marketer
        The share of rows that an attacker who links them all is expected to be right about.
    population
        What the journalist's and marketer's counts rest on.
    """

    rows: int
    classes: int
    unique_rows: int
    threshold: float
    prosecutor: Risk
    journalist: Risk
    marketer: float
    population: str = ITSELF

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rows": self.rows,
            "classes": self.classes,
            "unique_rows": self.unique_rows,
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.as_json(),
            "journalist": self.journalist.as_json(),
            "marketer": {"average": self.marketer, "rows": self.marketer * self.rows},
            "population": self.population,
        }


def reidentification(
    people: NDArray[np.int64],
    rows: NDArray[np.int64] | None = None,
    *,
    threshold: float = THRESHOLD,
    population: NDArray[np.int64] | float | None = None,
) -> Reidentification:
    """Measure the three risks on the classes of a table.

    Parameters
    ----------
    people
        How many people are in each class.
    rows
        How many rows, where people have several; as many as people otherwise.
    threshold
        Rows with a larger risk are counted.
    population
        How many people of the population fit each class; or the share of the population that is in
        the table, from which 1 / F is estimated; the table itself is the population otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> risks = reidentification(np.array([1, 4, 5]), threshold=0.2)
    >>> risks.prosecutor.highest, risks.prosecutor.average, risks.prosecutor.rows_above
    (1.0, 0.3, 5)
    """
    rows = people if rows is None else rows
    alone = class_risks(people)
    outside, source = _outside(people, population)
    return Reidentification(
        rows=int(rows.sum()),
        classes=int(people.size),
        unique_rows=int(rows[people == 1].sum()),
        threshold=threshold,
        prosecutor=_over_rows(alone, rows, threshold),
        journalist=_over_rows(outside, rows, threshold),
        marketer=_over_rows(outside, rows, threshold).average,
        population=source,
    )


def class_risks(people: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return 1 / people for each class."""
    return 1.0 / np.maximum(people, 1)


def individual_risk(people: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
    """Estimate the mean of 1 / F for classes of f sampled people, given the sampling fraction.

    F given f is negative binomial with success probability `fraction`; then the mean of 1 / F is
    fraction / f times Gauss's 2F1(1, 1; f + 1; 1 - fraction).

    References
    ----------
    R. Benedetti, L. Franconi, "Statistical and technological solutions for controlled data
    dissemination", NTTS 1998; L. Franconi, S. Polettini, "Individual risk estimation in
    mu-Argus: a review", PSD 2004. The transformed series is ours: it does not overflow.

    Examples
    --------
    >>> import numpy as np
    >>> individual_risk(np.array([1, 2]), 0.1).round(4)
    array([0.2558, 0.0827])
    """
    from scipy.special import hyp2f1

    sizes, place = np.unique(np.maximum(people, 1), return_inverse=True)
    risks: NDArray[np.float64] = fraction / sizes * hyp2f1(1.0, 1.0, sizes + 1.0, 1.0 - fraction)
    return risks[place]


def _outside(
    people: NDArray[np.int64], population: NDArray[np.int64] | float | None
) -> tuple[NDArray[np.float64], str]:
    if population is None:
        return class_risks(people), ITSELF
    if isinstance(population, np.ndarray):
        if (population < people).any():
            problem = f"{int((population < people).sum())} classes hold more people than it has"
            remedy = "Give a population that the people of the table are part of."
            raise DataError(Fault("population", problem, remedy))
        return class_risks(population), "a population table"
    if not 0 < population <= 1:
        problem = f"a sampling fraction of {population:g} is not possible"
        raise DataError(Fault("sampling fraction", problem, "Give a number above 0, at most 1."))
    return individual_risk(people, population), f"estimated, sampling fraction {population:g}"


def _over_rows(risk: NDArray[np.float64], rows: NDArray[np.int64], threshold: float) -> Risk:
    total = int(rows.sum())
    above = int(rows[risk > threshold + SLACK].sum())
    return Risk(
        highest=float(risk.max(initial=0.0)),
        average=float(risk @ rows) / total if total else 0.0,
        rows_above=above,
        above=above / total if total else 0.0,
    )
