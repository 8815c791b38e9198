"""Accuracy: how much each group may lose, where a plan asks for the most privacy within that."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from indistinct._parts import Part

Extent = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Accuracy(Part):
    """What every group must stay within, and what is to be as large as possible there.

    Attributes
    ----------
    max_ncp
        The largest mean NCP of a group over its quasi columns, 0 to 1.
    max_extent
        For some columns of numbers or dates (in days), how far the values of a group may reach at
        most. What is published may be wider: a label, or a range whose ends move outwards.
    maximize
        What to maximize: `k`, rows in a group, or `l`, rows in a group for each row of its most
        frequent sensitive value.
    column
        The sensitive column that `l` is about, if there are several.
    """

    max_ncp: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    max_extent: dict[str, Extent] = Field(default_factory=dict)
    maximize: Literal["k", "l"] = "k"
    column: str | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> Accuracy:
        if self.max_ncp is None and not self.max_extent:
            raise ValueError("give max_ncp, or max_extent for some columns")
        return self
