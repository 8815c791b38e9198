"""Ledger: what was published for whom in each release of a series. It is private.

A person's history is the list of the cells that the person was published as, release by release, or
nothing where no row of the person's was published. People of one history are a cohort.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from indistinct._parts import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KIND = "indistinct ledger"
PRIVATE = (
    "Keep this file with the private data, and never publish it. It shows, under keyed hashes of "
    "people, which cells and sensitive values were published for whom in each release."
)
NOBODY = -1

Place = Annotated[int, Field(ge=NOBODY, lt=1 << 31)]


class PastValues(Part):
    """A sensitive column of a release that some requirement is about.

    Attributes
    ----------
    values, shares
        Its values, and their shares in the private table.
    of_person
        The place of each person's value among them; -1 for people who were not published.
    """

    name: str
    values: tuple[str | None, ...]
    shares: tuple[Annotated[float, Field(ge=0, le=1)], ...]
    of_person: tuple[Place, ...]


class PastRelease(Part):
    """One release of a series.

    Attributes
    ----------
    content
        The hash of its rows, whatever their order and file.
    columns
        The published columns that its quasi columns became.
    cells
        The different rows of cells in these, as text.
    of_person
        The place of each person's row among them; -1 for people who were not published.
    """

    content: str
    columns: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    of_person: tuple[Place, ...]
    values: tuple[PastValues, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if any(len(cell) != len(self.columns) for cell in self.cells):
            raise ValueError("a row of cells does not fit its columns")
        if len(set(self.cells)) < len(self.cells):
            raise ValueError("it lists the same cells twice")
        if max(self.of_person, default=NOBODY) >= len(self.cells):
            raise ValueError("somebody has cells that it does not list")
        there = np.array(self.of_person) >= 0
        for column in self.values:
            held = np.array(column.of_person)
            if held.size != there.size or ((held >= 0) != there).any():
                raise ValueError(f"the values of {column.name!r} are not those of its people")
            if held.max(initial=NOBODY) >= len(column.values):
                raise ValueError(f"somebody has a value of {column.name!r} that it does not list")
            if len(column.shares) != len(column.values):
                raise ValueError(f"it does not tell the share of every value of {column.name!r}")
        return self


class Ledger(Part):
    """All releases of a series, as a file that only its owner may read.

    Attributes
    ----------
    check
        Shows whether a key is the one that people are kept under.
    key
        That key, where the plan names no file for it.
    terms
        A hash of each setting of the plan that must stay as it is.
    people
        Everybody who was ever published, by keyed hash, in the order in which they came.
    releases
        The releases, the first one first.
    """

    kind: Literal["indistinct ledger"] = "indistinct ledger"
    version: str = ""
    private: str = PRIVATE
    check: str = ""
    key: str | None = None
    terms: dict[str, str] = Field(default_factory=dict)
    people: tuple[str, ...] = ()
    releases: tuple[PastRelease, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len(set(self.people)) < len(self.people):
            raise ValueError("it lists a person twice")
        sizes = [0, *(len(past.of_person) for past in self.releases)]
        if sizes != sorted(sizes) or sizes[-1] != len(self.people):
            raise ValueError("its releases are not about its people")
        return self

    @property
    def number(self) -> int:
        """The number of the newest release; 0 where there is none yet."""
        return len(self.releases)

    def of_person(self, places: Sequence[int]) -> NDArray[np.int32]:
        """Take a place for everybody; people who came later have none."""
        padded = np.full(len(self.people), NOBODY, dtype=np.int32)
        padded[: len(places)] = places
        return padded

    @cached_property
    def cohorts(self) -> NDArray[np.int32]:
        """Number people of the same history alike."""
        numbers = np.zeros(len(self.people), dtype=np.int64)
        for past in self.releases:
            keys = numbers * (len(past.cells) + 1) + self.of_person(past.of_person) + 1
            numbers = np.unique(keys, return_inverse=True)[1].astype(np.int64).ravel()
        return numbers.astype(np.int32)
