"""What every method for tree records is given and what it returns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from indistinct._parts import Part
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest
    from indistinct.trees.hierarchies import Hierarchies
    from indistinct.trees.knowledge import Knowledge
    from indistinct.trees.measures.kept import Alignment


ObjectiveName: TypeAlias = Literal["loss", "rpd"]
"""What a search minimizes."""

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)] | None
"""A limit of time, or none."""


@dataclass(frozen=True, eq=False)
class TreeProblem:
    """Records to publish, and what the release must satisfy.

    Attributes
    ----------
    forest
        The private records, their labels already those of `hierarchies`.
    hierarchies
        The labels and what generalizes what.
    knowledge
        What an attacker may know, and among how many records it must leave a person: k, m, n.
    weights
        How much each class counts in the cost; 1 is as in the paper.
    suppression
        The share of nodes, and the share of records, that may be left out.
    hasty
        Whether a search shall be content with its first good answer: this is one of many problems.
    """

    forest: Forest
    hierarchies: Hierarchies
    knowledge: Knowledge
    weights: NDArray[np.float64]
    progress: Progress = field(default_factory=Progress)
    suppression: float = 0.0
    hasty: bool = False


@dataclass(frozen=True, eq=False)
class TreeRecoding:
    """What a method decided: the records as they are to be published, and how they came about.

    Attributes
    ----------
    forest
        The published records, in the order of the private ones.
    cut
        The published label of each ground label; -1 if it is left out; None where records are
        recoded each on its own.
    disassociated
        The relations that were broken, as pairs of labels (upper, lower), in order.
    cost
        What the method minimized; None if nothing.
    notes
        What a reader should know, such as a time limit that ended the search.
    suppressed
        Whether each record is left out whole; it has no nodes then. None if no record is.
    group
        Of mixed records, the group of each: records that are alike at the root, and recoded alike.
        None if all are.
    kept
        What became of each private node, if the method has found out; of this forest or of one
        that it was made from.
    """

    forest: Forest
    cut: NDArray[np.int32] | None
    disassociated: tuple[tuple[int, int], ...] = ()
    cost: float | None = None
    notes: tuple[str, ...] = ()
    suppressed: NDArray[np.bool_] | None = None
    group: NDArray[np.int64] | None = None
    kept: Alignment | None = None

    @property
    def released(self) -> Forest:
        """The records that are published, in the order of the private ones."""
        if self.suppressed is None:
            return self.forest
        return self.forest.taken(np.flatnonzero(~self.suppressed))


class TreeMethod(Part):
    """An algorithm with its options, as a plan states it.

    Attributes
    ----------
    decides
        What it chooses, in a few words.
    keeps
        The requirements that it meets.
    paper
        Where it was published.
    """

    decides: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ("k-m-n-anonymity", "l-diversity")
    paper: ClassVar[str] = "Gkountouna and Terrovitis 2013"

    name: str

    @abstractmethod
    def search(self, problem: TreeProblem) -> TreeRecoding:
        """Find a recoding that meets the requirement.

        Raises
        ------
        CannotMeetError
            If there is none.
        """


class CutOptions(TreeMethod):
    """What all searches through cuts have in common.

    Attributes
    ----------
    objective
        What is minimized: `loss`, the share of information lost, or `rpd`, the paper's.
    seconds
        Answer with the best cut so far after this time.
    """

    objective: ObjectiveName = "loss"
    seconds: Seconds = None


class GreedyOptions(CutOptions):
    """What the searches that go on with the cheapest cuts of a round have in common.

    Attributes
    ----------
    g
        How many cuts of a round are specialized further.
    levels
        Whether every class is specialized once before any is further, and then also all labels of
        a class on one level in one step. Without it, the steps are the paper's.
    """

    g: Annotated[int, Field(ge=1, strict=True)] = 2
    levels: Annotated[bool, Field(strict=True)] = True
