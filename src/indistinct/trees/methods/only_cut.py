"""Only cut search, OCS."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from indistinct.trees.methods.base import Seconds, TreeMethod, TreeProblem, TreeRecoding


class OnlyCutSearch(TreeMethod):
    """Greedy cut search that breaks no relation: cuts that would need it are rejected.

    Attributes
    ----------
    g
        How many cuts of a round are specialized further.
    levels
        Whether every class is specialized once before any is further, and then also all labels of
        a class on one level in one step. Without it, the steps are the paper's.
    seconds
        Answer with the best cut so far after this time.

    References
    ----------
    Paper 004, section IV.
    """

    name: Literal["only-cut-search"] = "only-cut-search"
    g: Annotated[int, Field(ge=1, strict=True)] = 2
    levels: Annotated[bool, Field(strict=True)] = True
    seconds: Seconds = None

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """See `TreeMethod.search`."""
        from indistinct.methods.common.deadline import Deadline
        from indistinct.trees.methods.cut_walk import CutWalk
        from indistinct.trees.methods.search import descend

        deadline = Deadline(self.seconds, problem.progress.look)
        return descend(CutWalk(problem, most=0, levels=self.levels), self.g, deadline)
