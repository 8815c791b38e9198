"""All cut search, ACS."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.trees.methods.base import CutOptions, TreeProblem, TreeRecoding


class AllCutSearch(CutOptions):
    """Examine every cut that keeps k^m-anonymity, each with its structure fixed; return the best.

    The number of cuts grows exponentially with the labels: for small hierarchies, or with a limit
    of time. Cuts that are finer than one that breaks k^m are never made.

    References
    ----------
    Gkountouna and Terrovitis 2013, Algorithm 4.
    """

    decides: ClassVar[str] = "a cut of the hierarchies and relations to break; every cut"

    name: Literal["all-cut-search"] = "all-cut-search"

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """See `TreeMethod.search`."""
        from indistinct.methods.common.deadline import Deadline
        from indistinct.trees.methods.cut_walk import CutWalk
        from indistinct.trees.methods.search import descend

        deadline = Deadline(self.seconds, problem.progress.look)
        return descend(CutWalk(problem, objective=self.objective), None, deadline)
