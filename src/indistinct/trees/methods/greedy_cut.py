"""Greedy cut search, GCS."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.trees.methods.base import GreedyOptions, TreeProblem, TreeRecoding


class GreedyCutSearch(GreedyOptions):
    """Specialize from the top down and go on with the g cheapest cuts of each round.

    Cuts that keep k^m-anonymity get their structure fixed by disassociations; the cost is that of
    the records after that: by default the share of information lost, with `objective = "rpd"` the
    paper's RPD (and not its approximation RPDa). The steps are our own:
    first every class is specialized once, so that none stays at its top for the sake of another;
    then whole levels of a class too, not only single labels, so that a class whose labels each gain
    little but all together much is not left behind, and there are fewer rounds. The paper's search
    runs until nothing can be specialized; this one ends with the first round that finds nothing
    better (the condition of its Example 6), and does not fix the structure of a cut that costs more
    with all relations than g others do with theirs broken. Where that ends with broken relations,
    `only-cut-search` is tried too, and its cut taken if it costs less. Where no cut is left behind,
    it is `all-cut-search`.

    References
    ----------
    Gkountouna and Terrovitis 2013, section III-D.
    """

    decides: ClassVar[str] = "a cut of the hierarchies and relations to break, from the top down"

    name: Literal["greedy-cut-search"] = "greedy-cut-search"

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """See `TreeMethod.search`."""
        from indistinct.methods.common.deadline import Deadline
        from indistinct.trees.methods.cut_walk import CutWalk
        from indistinct.trees.methods.search import descend_both_ways

        deadline = Deadline(self.seconds, problem.progress.look)
        walk = CutWalk(problem, objective=self.objective, levels=self.levels)
        return descend_both_ways(walk, self.g, deadline)
