"""The risk of people with several rows, and of households."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.risk.attackers import SLACK

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class GroupRisk:
    """What is known of the rows that belong together.

    Attributes
    ----------
    groups
        How many people or households there are.
    highest, average
        Over them.
    above
        How many of them are above the threshold.
    """

    groups: int
    highest: float
    average: float
    above: int
    threshold: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "groups": self.groups,
            "highest": self.highest,
            "average": self.average,
            "above": self.above,
            "threshold": self.threshold,
        }


def respondent_risk(
    risks: NDArray[np.float64], respondents: NDArray[np.integer[Any]], *, threshold: float
) -> GroupRisk:
    """Take the riskiest of a person's rows: who is recognised in one row is recognised.

    Parameters
    ----------
    risks
        The risk of each row.
    respondents
        Whose row it is, numbered from 0.
    """
    worst = np.zeros(int(respondents.max(initial=-1)) + 1)
    np.maximum.at(worst, respondents, risks)
    return _over(worst[np.bincount(respondents) > 0], threshold)


def household_risk(
    risks: NDArray[np.float64],
    households: NDArray[np.integer[Any]],
    *,
    threshold: float,
    counts: NDArray[np.int64] | None = None,
) -> GroupRisk:
    """Take the chance that at least one member is recognised, members taken as independent.

    Who recognises one member knows the household. This is 1 minus the product of 1 - risk, as in
    mu-Argus and sdcMicro. `counts` says for how many members each risk stands; one if not given.

    References
    ----------
    A. Hundepool et al., Statistical Disclosure Control (2012), section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1]), threshold=0.2).highest
    0.75
    """
    with np.errstate(divide="ignore"):
        each = np.log1p(-risks)
        safe = np.bincount(households, weights=each if counts is None else each * counts)
    chance = -np.expm1(safe)
    return _over(chance[np.bincount(households) > 0], threshold)


def _over(risk: NDArray[np.float64], threshold: float) -> GroupRisk:
    return GroupRisk(
        groups=int(risk.size),
        highest=float(risk.max(initial=0.0)),
        average=float(risk.mean()) if risk.size else 0.0,
        above=int(np.count_nonzero(risk > threshold + SLACK)),
        threshold=threshold,
    )
