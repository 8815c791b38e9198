"""Roles of columns, as a plan states them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from indistinct._parts import Part
from indistinct.hierarchy import HierarchySpec
from indistinct.model.names import RangeAs

LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6


def _one_role(value: object) -> object:
    if isinstance(value, list | tuple):
        raise ValueError(  # noqa: TRY004 - pydantic collects value errors
            f"a column has exactly one role, not {' and '.join(map(str, value))}. Keep one: a "
            "quasi column is generalized, a sensitive one is released as it is"
        )
    return value


Role = Annotated[
    Literal["identifier", "quasi", "sensitive", "other", "respondent", "drop"],
    BeforeValidator(_one_role),
]


class Pseudonym(Part):
    """A stand-in for an identifier: a random token, or a keyed hash that repeats over releases.

    Attributes
    ----------
    kind
        `random`: a token drawn anew for every release; `keyed`: HMAC-SHA256 under a secret key.
    key
        The file that holds the key, relative to the plan; it must not be published.
    """

    kind: Literal["random", "keyed"] = "random"
    key: Path | None = None

    @model_validator(mode="after")
    def _key_where_needed(self) -> Pseudonym:
        if self.kind == "keyed" and self.key is None:
            raise ValueError(
                'a keyed pseudonym needs a key: { kind = "keyed", key = "secret.key" }'
            )
        if self.kind == "random" and self.key is not None:
            raise ValueError('a random pseudonym takes no key; set kind = "keyed"')
        return self


def _moderate(weight: float) -> float:
    """Refuse weights beside which the cost of other columns would be lost in rounding."""
    if weight and not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
        raise ValueError(f"a weight is 0, or from {LEAST_WEIGHT:f} to {MOST_WEIGHT:,.0f}")
    return weight


class Column(Part):
    """What one column is and how it may be coarsened.

    Attributes
    ----------
    role
        `identifier` (never released as it is), `quasi` (linkable), `sensitive` (must not be
        learnt), `other` (released as it is), `respondent` (says whose row it is; never released
        as it is), `drop` (left out).
    hierarchy
        How its values coarsen: suggested from the data where a quasi column has none; for a
        sensitive column, how near its values are to each other (hierarchical t-closeness).
    weight
        What a lost cell of this column costs beside others; only for quasi columns.
    pseudonym
        Releases a stand-in instead of dropping an identifier or respondent.
    publish
        How it is published, if not as the plan says: in which form by a method that groups rows;
        or `exact`, with ends and detail as they are. Only for quasi columns.
    range_as
        What ranges of a quasi column are written as: one `text`, two columns of their `bounds`,
        or a text with the `mean` or `median` of the group's values beside it.
    """

    role: Role
    hierarchy: HierarchySpec | None = None
    weight: Annotated[
        float, Field(ge=0, allow_inf_nan=False, strict=True), AfterValidator(_moderate)
    ] = 1.0
    pseudonym: Pseudonym | None = None
    publish: Literal["range", "node", "set", "star", "exact"] | None = None
    range_as: RangeAs = "text"

    @model_validator(mode="after")
    def _options_fit_role(self) -> Column:
        coarsening = self.hierarchy is not None and self.role not in {"quasi", "sensitive"}
        weighing = "weight" in self.model_fields_set and self.role != "quasi"
        if coarsening or weighing:
            raise ValueError(
                f"a {self.role} column is not generalized and takes no hierarchy or weight; "
                'set role = "quasi" if it is to be generalized'
            )
        published = self.publish is not None or self.range_as != "text"
        if published and self.role != "quasi":
            raise ValueError("only a quasi column is generalized and can say how it is published")
        if self.pseudonym is not None and self.role not in {"identifier", "respondent"}:
            raise ValueError("only an identifier or a respondent can have a pseudonym")
        return self


def _in_words(value: object) -> object:
    if isinstance(value, str) and not any(c.isalpha() for c in value):
        raise ValueError("a reason needs words. Say why the column may be published as it is")
    return value


class Acceptance(Part):
    """A column that looks like an identifier, or repeats as people do, and why it may stay.

    Attributes
    ----------
    column
        Its name.
    reason
        Why, in words for whoever reads the report.
    """

    column: str
    reason: Annotated[str, BeforeValidator(_in_words)]


class QuasiSetSpec(Part):
    """A quasi-identifier of its own: the columns linkable together, and whose they are.

    Attributes
    ----------
    columns
        Names of quasi columns.
    respondent
        The column that tells this set's respondents apart, if it is not the plan's.
    """

    columns: Annotated[list[str], Field(min_length=1)]
    respondent: str | None = None
