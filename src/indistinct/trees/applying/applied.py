"""TreeApplied: new tree records published by a learnt recoding, and what was held back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from indistinct._version import __version__
from indistinct.applying.held_back import HoldsBack
from indistinct.trees.files.in_memory import frames_of, records_of
from indistinct.trees.promises import kept

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.trees.applying.learnt import TreeLearnt
    from indistinct.trees.forest import Forest
    from indistinct.trees.plan import TreePlan


@dataclass(frozen=True, eq=False)
class TreeApplied(HoldsBack):
    """What is published of new records; it was checked, alone and with the earlier ones.

    Attributes
    ----------
    forest
        The published records, shuffled.
    plan
        What was promised.
    earlier_records
        How many records were published by this recoding before.
    left_out_nodes
        How many nodes of published records were left out, as the recoding says.
    recoding
        The recoding with the new records counted too, for the next time.
    as_one
        Whether new records were held to the requirements only together with the earlier ones.
    """

    unit: ClassVar[str] = "record"
    reasons: ClassVar[tuple[str, ...]] = (
        "unknown value",
        "no published label covers it",
        "would break a requirement",
    )

    forest: Forest
    held: NDArray[np.int8] = field(repr=False)
    plan: TreePlan
    earlier_records: int
    left_out_nodes: int
    input_nodes: int
    recoding: TreeLearnt = field(repr=False)
    as_one: bool = False
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    _to_frames: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict, repr=False)

    @property
    def data(self) -> list[dict[str, Any]] | dict[str, Any]:
        """The published records in the shape of the plan: mappings, or data frames by name."""
        if self.plan.tree.format != "tables":
            return records_of(self.forest)
        return frames_of(self.forest, self.plan.tree.tables, self._to_frames)

    def __repr__(self) -> str:
        """Say how many records are released, and show none."""
        held = self.held_back_number
        return f"<TreeApplied: {self.forest.size:,} records released, {held:,} held back>"

    def summary(self) -> dict[str, Any]:
        """Return the facts as plain data, as `--json` prints them."""
        return {
            "version": __version__,
            "method": self.recoding.method,
            "input_records": int(self.held.size),
            "released_records": self.forest.size,
            "input_nodes": self.input_nodes,
            "released_nodes": self.forest.nodes,
            "left_out_nodes": self.left_out_nodes,
            "held_back_records": self.held_back_number,
            "held_back": self.held_back,
            "requirements": [
                {**asked, "holds": None if self.as_one else True} for asked in kept(self.plan)
            ],
            "union": {
                "records": self.earlier_records + self.forest.size,
                "requirements": kept(self.plan),
            },
            "warnings": list(self.warnings),
            "seconds": {stage: round(took, 4) for stage, took in self.seconds.items()},
        }
