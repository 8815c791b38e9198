"""The privacy models, one file each, and the union of them that a plan may state."""

from typing import Annotated

from pydantic import Field

from indistinct.requirements.alpha_k import AlphaK
from indistinct.requirements.base import (
    ClassValues,
    Measured,
    PublishedClasses,
    Requirement,
    SensitiveRequirement,
)
from indistinct.requirements.k_anonymity import KAnonymity
from indistinct.requirements.l_diversity import LDiversity
from indistinct.requirements.p_sensitive import PSensitive
from indistinct.requirements.t_closeness import TCloseness

MODELS: dict[str, type[Requirement]] = {
    "k-anonymity": KAnonymity,
    "l-diversity": LDiversity,
    "p-sensitive": PSensitive,
    "alpha-k": AlphaK,
    "t-closeness": TCloseness,
}

RequirementSpec = Annotated[
    KAnonymity | LDiversity | PSensitive | AlphaK | TCloseness, Field(discriminator="model")
]

__all__ = [
    "MODELS",
    "AlphaK",
    "ClassValues",
    "KAnonymity",
    "LDiversity",
    "Measured",
    "PSensitive",
    "PublishedClasses",
    "Requirement",
    "RequirementSpec",
    "SensitiveRequirement",
    "TCloseness",
]
