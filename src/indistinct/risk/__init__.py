"""How much a table says about single people, and what an attacker gets from a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct._lazy import lazily

if TYPE_CHECKING:
    from indistinct.measures.confidence import clopper_pearson, wilson
    from indistinct.risk.assessment import Assessment
    from indistinct.risk.attackers import individual_risk, reidentification
    from indistinct.risk.before_after import BeforeAfter, release_risk
    from indistinct.risk.hipaa import safe_harbor
    from indistinct.risk.population import population_uniques
    from indistinct.risk.uniques import minimal_uniques

__all__ = [
    "Assessment",
    "BeforeAfter",
    "clopper_pearson",
    "individual_risk",
    "minimal_uniques",
    "population_uniques",
    "reidentification",
    "release_risk",
    "safe_harbor",
    "wilson",
]

__getattr__ = lazily(
    __name__,
    {
        "Assessment": ".assessment",
        "BeforeAfter": ".before_after",
        "clopper_pearson": "..measures.confidence",
        "individual_risk": ".attackers",
        "minimal_uniques": ".uniques",
        "population_uniques": ".population",
        "release_risk": ".before_after",
        "reidentification": ".attackers",
        "safe_harbor": ".hipaa",
        "wilson": "..measures.confidence",
    },
)
