"""Only cut search, OCS."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.trees.methods.base import GreedyOptions, TreeProblem, TreeRecoding


class OnlyCutSearch(GreedyOptions):
    """Greedy cut search that breaks no relation: cuts that would need it are rejected.

    References
    ----------
    Gkountouna and Terrovitis 2013, section IV.
    """

    decides: ClassVar[str] = "a cut of the hierarchies that breaks no relation"

    name: Literal["only-cut-search"] = "only-cut-search"

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """See `TreeMethod.search`."""
        from indistinct.methods.common.deadline import Deadline
        from indistinct.trees.methods.cut_walk import CutWalk
        from indistinct.trees.methods.search import descend

        deadline = Deadline(self.seconds, problem.progress.look)
        walk = CutWalk(problem, objective=self.objective, most=0, levels=self.levels)
        return descend(walk, self.g, deadline)
