"""Preferences: which of several satisfying vectors to release (Samarati 2001, section 6).

A policy gives a candidate a number, and the lowest is preferred. All candidates that tie are
preferred alike; a method releases the first of them in lexicographic order of the plan's columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from indistinct.errors import Fault, PlanError, closest
from indistinct.methods.base import Method
from indistinct.methods.full_domain.options import require_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.model.table import Table

TIE = 1e-9
CODE = "function "


@dataclass(frozen=True)
class Candidate:
    """A level vector that satisfies, as a preference sees it.

    Attributes
    ----------
    levels, heights
        The level of each column, and the height of its hierarchy, by name in the plan's order.
    suppressed
        The rows it leaves out.
    classes
        The distinct tuples it releases.
    """

    levels: Mapping[str, int]
    heights: Mapping[str, int]
    suppressed: int
    classes: int

    @classmethod
    def of(cls, table: Table, vector: Sequence[int], suppressed: int, classes: int) -> Candidate:
        """Describe a vector of a table."""
        names = [column.name for column in table.quasi]
        levels = dict(zip(names, vector, strict=True))
        return cls(levels, dict(zip(names, table.heights, strict=True)), suppressed, classes)

    @property
    def vector(self) -> tuple[int, ...]:
        """The distance vector of the paper."""
        return tuple(self.levels.values())

    @property
    def relative(self) -> dict[str, float]:
        """The relative distance of each column: its level / the height of its hierarchy."""
        return {name: level / max(self.heights[name], 1) for name, level in self.levels.items()}


Policy = Callable[[Candidate], float]


def absolute_distance(candidate: Candidate) -> float:
    """Fewest steps of generalization."""
    return sum(candidate.levels.values())


def relative_distance(candidate: Candidate) -> float:
    """Fewest steps, each divided by the height of its hierarchy."""
    return sum(candidate.relative.values())


def distribution(candidate: Candidate) -> float:
    """Most distinct tuples."""
    return -candidate.classes


def suppression(candidate: Candidate) -> float:
    """Fewest suppressed rows."""
    return candidate.suppressed


def highest_relative_peak(candidate: Candidate) -> float:
    """The highest relative level of a single column."""
    return -max(candidate.relative.values())


def highest_absolute_peak(candidate: Candidate) -> float:
    """The highest level of a single column."""
    return -max(candidate.levels.values())


def fewest_columns(candidate: Candidate) -> float:
    """Fewest columns generalized, however far."""
    return sum(level > 0 for level in candidate.levels.values())


def most_columns(candidate: Candidate) -> float:
    """Most columns generalized, so that each bears a part."""
    return -fewest_columns(candidate)


def weighted(weights: Mapping[str, float]) -> Policy:
    """Make a policy of what a step of each column costs; 1 where nothing is said.

    >>> zip_first = weighted({"zip": 0.5})
    >>> zip_first(Candidate({"zip": 2, "sex": 1}, {"zip": 3, "sex": 1}, suppressed=0, classes=4))
    2.0
    """
    return lambda candidate: sum(
        weights.get(name, 1.0) * level for name, level in candidate.levels.items()
    )


POLICIES: dict[str, Policy] = {
    "absolute-distance": absolute_distance,
    "relative-distance": relative_distance,
    "distribution": distribution,
    "suppression": suppression,
    "highest-relative-peak": highest_relative_peak,
    "highest-absolute-peak": highest_absolute_peak,
    "fewest-columns": fewest_columns,
    "most-columns": most_columns,
}


def preferred(candidates: Sequence[Candidate], policy: str | Policy) -> list[Candidate]:
    """Return all preferred candidates, in lexicographic order of their vectors.

    Parameters
    ----------
    policy
        One of `POLICIES` by name, or a function that gives a candidate a number, the lower the
        better. Numbers that differ by less than a billionth of the best (or of 1) tie.
    """
    judge = POLICIES[policy] if isinstance(policy, str) else policy
    numbers = [judge(candidate) for candidate in candidates]
    best = min(numbers)
    reach = best + TIE * max(1.0, abs(best))
    ties = [c for c, number in zip(candidates, numbers, strict=True) if number <= reach]
    return sorted(ties, key=lambda candidate: candidate.vector)


def _existing(value: object) -> object:
    names = [*POLICIES, "weights"]
    if callable(value) or value in names or str(value).startswith(CODE):
        return value
    raise ValueError(f"there is no preference {value!r}. {closest(str(value), names)}")


def _serialized(value: str | Policy | None) -> str | None:
    """Name a function of the user's: a certificate cannot carry its code."""
    return f"{CODE}{getattr(value, '__name__', '?')}" if callable(value) else value


Preference = Annotated[str | Policy, PlainValidator(_existing), PlainSerializer(_serialized)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Choosing(Method):
    """A method that chooses among vectors by a preference.

    Attributes
    ----------
    preference
        A policy by name, `"weights"`, or from Python any function of a `Candidate`.
    weights
        With `"weights"`, what a step of generalization of each column costs; 1 if not given.
    """

    preference: Preference | None = None
    weights: dict[str, Weight] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _weights_fit_preference(self) -> Choosing:
        if bool(self.weights) != (self.preference == "weights"):
            raise ValueError('weights go with preference = "weights", and only with it')
        return self

    def policy(self, table: Table) -> Policy:
        """Return what decides.

        Raises
        ------
        PlanError
            If weights name unknown columns, or the preference was Python code that is not here.
        """
        require_columns(table, "weights", self.weights)
        if callable(self.preference):
            return self.preference
        if self.preference == "weights":
            return weighted(self.weights)
        if self.preference in POLICIES:
            return POLICIES[self.preference]
        raise PlanError(
            Fault(
                "method.preference",
                f"{self.preference!r} was Python code, which a file does not hold",
                "Give the function itself, from Python.",
            )
        )
