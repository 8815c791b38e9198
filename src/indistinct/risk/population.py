"""Population uniqueness: how many people of the population stand alone, estimated from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PEOPLE = 100_000_000_000


@dataclass(frozen=True)
class PopulationUniques:
    """An estimate of population uniqueness.

    Attributes
    ----------
    estimator
        Its name and paper.
    uniques
        How many people of the population are estimated to be unique.
    share
        Their share of the population, which is also the share of sample rows that are both unique
        in the sample and in the population.
    given_sample_unique
        The chance that a row which is unique in the sample is unique in the population.
    """

    estimator: str
    uniques: float
    share: float
    given_sample_unique: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "estimator": self.estimator,
            "uniques": self.uniques,
            "share": self.share,
            "given_sample_unique": self.given_sample_unique,
        }


def population_uniques(
    sizes: NDArray[np.int64], fraction: float
) -> tuple[PopulationUniques, PopulationUniques]:
    """Estimate by Zayatz and by Pitman's model how many people of the population are unique.

    Parameters
    ----------
    sizes
        The sizes of the sample's classes.
    fraction
        The share of the population that is in the sample, drawn at random.

    References
    ----------
    L. V. Zayatz, "Estimation of the percent of unique population elements on a microdata file
    using the sample", US Bureau of the Census RR-91/08 (1991). N. Hoshino, "Applying Pitman's
    sampling formula to microdata disclosure risk assessment", J. Official Statistics 17 (2001).
    F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of
    clinical data sets", BMC Med. Inform. Decis. Mak. 12:66 (2012) compare them.
    """
    if not 0 < fraction <= 1:
        problem = f"a sampling fraction of {fraction:g} is not possible"
        raise DataError(Fault("sampling fraction", problem, "Give a number above 0, at most 1."))
    if int(sizes.sum()) > MOST_PEOPLE * fraction:
        problem = f"a sampling fraction of {fraction:g} would mean over {MOST_PEOPLE:,} people"
        raise DataError(Fault("sampling fraction", problem, "Give the share of the population."))
    size, count = np.unique(sizes[sizes > 0], return_counts=True)
    sample = int(size @ count)
    people = max(sample, round(sample / fraction))
    estimates = {
        "Zayatz 1991": _zayatz(size, count, sample, people),
        "Pitman (Hoshino 2001)": _pitman(size, count, sample, people),
    }
    alone = int(count[size == 1].sum())
    first, second = (
        _bounded(name, uniques, sample, people, alone) for name, uniques in estimates.items()
    )
    return first, second


def _bounded(name: str, uniques: float, sample: int, people: int, alone: int) -> PopulationUniques:
    """Bound an estimate: a population unique that is in the sample is unique there."""
    uniques = min(uniques, alone / sample * people) if sample else 0.0
    share = uniques / people if people else 0.0
    return PopulationUniques(name, uniques, share, share * sample / alone if alone else 0.0)


def _zayatz(size: NDArray[np.int64], count: NDArray[np.int64], sample: int, people: int) -> float:
    """Take class sizes in the population to be spread as those in the sample.

    Then a sample unique stems from a class of i with weight count(i) times the hypergeometric
    chance that one of its i members is drawn.
    """
    from scipy.special import gammaln

    if size.size == 0 or size[0] != 1:
        return 0.0

    def log_choose(n: NDArray[np.float64] | float, k: NDArray[np.float64] | float) -> Any:
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    possible = people - size >= sample - 1
    i = size[possible].astype(np.float64)
    once = np.exp(
        np.log(i) + log_choose(people - i, sample - 1.0) - log_choose(float(people), sample)
    )
    chance = once[0] * count[0] / float(once @ count[possible])
    return float(chance * count[0] * people / sample)


def _pitman(size: NDArray[np.int64], count: NDArray[np.int64], sample: int, people: int) -> float:
    """Fit Pitman's sampling formula by maximum likelihood, and take its mean of uniques."""
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln

    if size.size == 0 or size[0] != 1:
        return 0.0
    classes = int(count.sum())
    if classes == sample:
        return float(people)
    size = size.astype(np.float64)

    def minus_likelihood(at: NDArray[np.float64]) -> float:
        alpha = min(max(float(expit(at[0])), 1e-9), 1 - 1e-9)
        theta = float(np.exp(min(at[1], 50.0))) - alpha
        new = (classes - 1) * np.log(alpha)
        new += gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
        old = float(count @ (gammaln(size - alpha) - gammaln(1 - alpha)))
        return float(-(new - gammaln(theta + sample) + gammaln(theta + 1) + old))

    starts = [np.array([a, np.log(t)]) for a in (-2.0, 0.0, 2.0) for t in (1.0, classes)]
    fits = [minimize(minus_likelihood, start, method="Nelder-Mead") for start in starts]
    best = min(fits, key=lambda fit: fit.fun).x
    alpha = float(expit(best[0]))
    theta = float(np.exp(min(best[1], 50.0))) - alpha
    return float(
        np.exp(
            np.log(people)
            + gammaln(people - 1 + theta + alpha)
            - gammaln(people + theta)
            + gammaln(theta + 1)
            - gammaln(theta + alpha)
        )
    )
