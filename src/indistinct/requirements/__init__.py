"""The privacy models, one file each, and the union of them that a plan may state."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from indistinct.requirements.alpha_k import AlphaK
from indistinct.requirements.base import (
    ClassValues,
    Measured,
    PublishedClasses,
    Requirement,
    SensitiveRequirement,
    least_respondents,
    people_needed,
    some_columns,
)
from indistinct.requirements.beta_likeness import BetaLikeness
from indistinct.requirements.delta_disclosure import DeltaDisclosure
from indistinct.requirements.k_anonymity import KAnonymity
from indistinct.requirements.k_e import KE
from indistinct.requirements.k_m import KM
from indistinct.requirements.l_diversity import LDiversity
from indistinct.requirements.lkc import LKC
from indistinct.requirements.p_sensitive import PSensitive
from indistinct.requirements.t_closeness import TCloseness
from indistinct.requirements.variance import Variance

MODELS: dict[str, type[Requirement]] = {
    model.model_fields["model"].default: model
    for model in (
        KAnonymity,
        LDiversity,
        PSensitive,
        AlphaK,
        TCloseness,
        BetaLikeness,
        DeltaDisclosure,
        KE,
        KM,
        LKC,
        Variance,
    )
}

if TYPE_CHECKING:
    RequirementSpec = Requirement
else:
    RequirementSpec = Annotated[Union[*MODELS.values()], Field(discriminator="model")]

__all__ = [
    "KE",
    "KM",
    "LKC",
    "MODELS",
    "AlphaK",
    "BetaLikeness",
    "ClassValues",
    "DeltaDisclosure",
    "KAnonymity",
    "LDiversity",
    "Measured",
    "PSensitive",
    "PublishedClasses",
    "Requirement",
    "RequirementSpec",
    "SensitiveRequirement",
    "TCloseness",
    "Variance",
    "least_respondents",
    "people_needed",
    "some_columns",
]
