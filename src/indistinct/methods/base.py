"""What every method is given and what it must do."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct._parts import Part
from indistinct.methods.common.deadline import ANSWERING, Deadline
from indistinct.model.forms import Form
from indistinct.model.spans import Spans
from indistinct.requirements import MODELS, SensitiveRequirement
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.plan.accuracy import Accuracy
    from indistinct.requirements import Requirement

ALL_MODELS = tuple(MODELS)

Copies = Literal["together", "loose", "loose-ends", "apart"]

NodeCosts = tuple["NDArray[np.float64]", ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to recode, what the release must satisfy, and what counts as loss.

    Attributes
    ----------
    max_suppressed
        How many rows may be left out (MaxSup of Samarati 2001).
    costs
        For each quasi column and level, what publishing one cell as each node costs, already
        weighted; a suppressed cell costs `suppressed_cell` of its column.
    suppressed_cell
        For each quasi column, what leaving a cell out costs; no node may cost more.
    forms
        How each quasi column is published by methods that group rows.
    accuracy
        What each group must stay within, for methods that maximize privacy.
    loss_is_ncp
        Whether `costs` are NCP, as methods that group rows count loss.
    mixed
        The rows in a secret random order, for what is drawn; None where nothing is.
    lowest
        The lowest level of each quasi column that may be chosen, where the table has no finer
        values; only for methods that heed it.
    highest
        The highest level of each quasi column that may be chosen, for the same methods.
    progress
        Where to report how far the search is.
    """

    table: Table
    requirements: tuple[Requirement, ...]
    max_suppressed: int
    costs: tuple[NodeCosts, ...]
    suppressed_cell: tuple[float, ...]
    forms: tuple[Form, ...] = ()
    accuracy: Accuracy | None = None
    loss_is_ncp: bool = True
    mixed: NDArray[np.intp] | None = None
    lowest: tuple[int, ...] | None = None
    highest: tuple[int, ...] | None = None
    progress: Progress = field(default_factory=Progress)

    @cached_property
    def spans(self) -> Spans:
        """What it costs to publish a cell as the span of its group."""
        return Spans(self.table.quasi, self.forms or tuple("node" for _ in self.table.quasi))

    @cached_property
    def lowest_levels(self) -> tuple[int, ...]:
        """The lowest level of each quasi column that may be chosen."""
        return self.lowest or (0,) * len(self.table.quasi)

    @cached_property
    def highest_levels(self) -> tuple[int, ...]:
        """The highest level of each quasi column that may be chosen."""
        return self.highest or self.table.heights

    def deadline(self, seconds: float | None) -> Deadline:
        """Return when to stop searching, so that there is an answer after so many seconds.

        Asking it also checks whether anyone still waits for that.
        """
        searching = None if seconds is None else seconds * (1 - ANSWERING)
        return Deadline(searching, self.progress.look)

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """The quasi columns side by side: a row of codes per row of the table."""
        return np.stack([column.codes for column in self.table.quasi], axis=1)


class Method(Part):
    """An algorithm with its options, as a plan states it.

    Attributes
    ----------
    decides
        What the method chooses: levels for whole columns, groups of rows, ...
    keeps
        The requirements it can keep.
    paper
        Where it was published.
    groups_rows
        Whether it returns groups of rows; it is then given the rows sorted by their quasi values,
        rows that are alike in a random order, so that its answer reveals nothing of theirs.
    publishes
        The forms it publishes columns in, the usual one first; any where it names none.
    matches_rows
        Whether it returns matchings.
    takes_rows
        Whether it is given each row by itself, as those that group rows are, but returns no groups.
    draws_rows
        Whether it draws rows at random; it is then given an order to take them in.
    heeds_lowest
        Whether it finds the least loss, and chooses no level below `Problem.lowest`.
    copies
        Of methods that group rows: whether rows that are alike are given `together`, as one entry
        with a weight, which the method may part itself (`Partition.parts`); `loose`, of many alike
        as many as make a group in one entry and the others one by one (`model/entries.py`);
        `loose-ends`, for methods that cut an order, the first and the last ones alike one by one
        and those between in one entry; or `apart`, each by itself, where rows that an engine
        counted may be as many as `engine.max_distinct`.
    copies_judged
        The same where a requirement is about sensitive values. Entries are then alike in these too,
        and a group that needs several values may need to part them.
    """

    decides: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]]
    paper: ClassVar[str]
    groups_rows: ClassVar[bool] = False
    publishes: ClassVar[tuple[Form, ...]] = ()
    matches_rows: ClassVar[bool] = False
    takes_rows: ClassVar[bool] = False
    draws_rows: ClassVar[bool] = False
    heeds_lowest: ClassVar[bool] = False
    copies: ClassVar[Copies] = "apart"
    copies_judged: ClassVar[Copies] = "apart"

    name: str

    def copies_for(self, problem: Problem) -> Copies:
        """Return how rows that are alike are given for a problem."""
        asked = problem.requirements
        judged = any(isinstance(requirement, SensitiveRequirement) for requirement in asked)
        return self.copies_judged if judged else self.copies

    def chosen_for(self, problem: Problem) -> Method:  # noqa: ARG002 - for those that choose
        """Return the method that really searches: itself, unless it only chooses one."""
        return self

    def problems(self, plan: Plan) -> Iterable[str]:  # noqa: ARG002 - some have some
        """Say what the rest of a plan asks for that this method cannot do."""
        return ()

    def reads(self, plan: Plan) -> Collection[str]:  # noqa: ARG002 - few read any
        """Name the sensitive columns that it looks at beside those that requirements are about."""
        return ()

    @abstractmethod
    def search(self, problem: Problem) -> Recoding:
        """Find a recoding that satisfies all requirements within the limits.

        Raises
        ------
        CannotMeetError
            If there is none.
        """
