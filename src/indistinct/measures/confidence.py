"""A share with its interval: how far an observed share may lie from what is behind it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

LEVEL = 0.95


@dataclass(frozen=True)
class Rate:
    """So many of so many, with an interval for the share that further people would show.

    Attributes
    ----------
    hits, of
        What was counted.
    low, high
        The ends of the interval.
    level
        How sure the interval is.
    """

    hits: int
    of: int
    low: float
    high: float
    level: float = LEVEL

    @property
    def share(self) -> float:
        """The observed share; 0 where nothing was tried."""
        return self.hits / self.of if self.of else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "hits": self.hits,
            "of": self.of,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "level": self.level,
        }


def wilson(hits: int, of: int, *, level: float = LEVEL) -> Rate:
    """Return the share with Wilson's score interval, which behaves well near 0 and 1.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal
    of the American Statistical Association 22 (1927).

    Examples
    --------
    >>> rate = wilson(1, 10)
    >>> round(rate.low, 3), round(rate.high, 3)
    (0.018, 0.404)
    """
    if of == 0:
        return Rate(hits, of, 0.0, 1.0, level)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == of else min(1.0, middle + half)
    return Rate(hits, of, low, high, level)


def clopper_pearson(hits: int, of: int, *, level: float = LEVEL) -> Rate:
    """Return the share with the exact interval, which never covers less than it says.

    References
    ----------
    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", Biometrika 26 (1934).

    Examples
    --------
    >>> rate = clopper_pearson(0, 10)
    >>> rate.low, round(rate.high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, of - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, of - hits, 1 - tail)) if hits < of else 1.0
    return Rate(hits, of, low, high, level)
