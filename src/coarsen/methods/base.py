"""What every method is given and what it must do."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from coarsen._parts import Part
from coarsen.progress import Progress
from coarsen.requirements import MODELS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from coarsen.recoding import LevelVector
    from coarsen.requirements import Requirement
    from coarsen.table import Table

ALL_MODELS = tuple(MODELS)

NodeCosts = tuple["NDArray[np.float64]", ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to recode, what the release must satisfy, and what counts as loss.

    Attributes
    ----------
    max_suppressed
        How many rows may be left out (MaxSup of paper 001).
    costs
        For each quasi column and level, what publishing one cell as each node costs, already
        weighted; a suppressed cell costs `suppressed_cell` of its column.
    suppressed_cell
        For each quasi column, what leaving a cell out costs; no node may cost more.
    progress
        Where to tell how far the search is.
    """

    table: Table
    requirements: tuple[Requirement, ...]
    max_suppressed: int
    costs: tuple[NodeCosts, ...]
    suppressed_cell: tuple[float, ...]
    progress: Progress = field(default_factory=Progress)


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
    """

    decides: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]]
    paper: ClassVar[str]

    name: str

    @abstractmethod
    def search(self, problem: Problem) -> LevelVector:
        """Find a recoding that satisfies all requirements within the limits.

        Raises
        ------
        CannotMeetError
            If there is none.
        """
