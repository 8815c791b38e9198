"""Which methods there are, by the names users call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from coarsen.methods.full_domain.optimal import Optimal
from coarsen.methods.full_domain.samarati import Samarati

if TYPE_CHECKING:
    from coarsen.methods.base import Method

MethodSpec = Annotated[Optimal | Samarati, Field(discriminator="name")]

METHODS: dict[str, type[Method]] = {"optimal": Optimal, "samarati": Samarati}
