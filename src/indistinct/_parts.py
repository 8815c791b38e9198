"""The base of everything a plan is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A piece of a plan: immutable, and strict about keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())
