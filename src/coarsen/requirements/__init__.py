"""The privacy models, one file each, and the union of them that a plan may state."""

from coarsen.requirements.base import Measured, PublishedClasses, Requirement
from coarsen.requirements.k_anonymity import KAnonymity

MODELS: dict[str, type[Requirement]] = {"k-anonymity": KAnonymity}

RequirementSpec = KAnonymity

__all__ = [
    "MODELS",
    "KAnonymity",
    "Measured",
    "PublishedClasses",
    "Requirement",
    "RequirementSpec",
]
