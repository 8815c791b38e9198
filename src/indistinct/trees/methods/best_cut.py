"""Best cut search: several searches, and the best of what they find."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.trees.methods.base import CutOptions, TreeProblem, TreeRecoding


class BestCutSearch(CutOptions):
    """Search for cuts in several ways, better the best one step by step, and publish it.

    With the objective `loss`, cuts may be open: a label is published beside some that are under it,
    so that frequent codes keep their names and only the rare ones become their chapter, or `*`.
    Finest open cuts are made from above, with labels in several orders, and from below
    (`fitting.py`); the cheapest after its structure is fixed is bettered by steps that publish one
    more label and coarsen what stands in its way, or that coarsen labels whose relations had to be
    broken. Where the hierarchies are small, the paper's searches are tried too, and all cuts where
    there are few, so that the result costs no more than theirs. With the objective `rpd` only the
    paper's searches are tried, in their steps and in ours.

    With `limits.suppression` rare labels may be left out, and whole records: cuts for a smaller k
    are tried without the records that they would single out.

    Where an attacker may know what people do not have, cuts are not open: what the absence of a
    label tells depends on all that is published under its name.

    References
    ----------
    Gkountouna and Terrovitis 2013, sections III-B to III-D. Publishing labels beside the rest of
    their parent is not in it.
    """

    decides: ClassVar[str] = "an open cut of the hierarchies, relations to break, what to leave out"

    name: Literal["best-cut-search"] = "best-cut-search"

    def search(self, problem: TreeProblem) -> TreeRecoding:
        """See `TreeMethod.search`."""
        from indistinct.methods.common.deadline import Deadline
        from indistinct.trees.measures.kept import align
        from indistinct.trees.measures.loss import loss_of
        from indistinct.trees.methods.contest import Contest
        from indistinct.trees.methods.cut_walk import CutWalk
        from indistinct.trees.methods.leaving_out import with_fewer_records
        from indistinct.trees.methods.search import published

        deadline = Deadline(self.seconds, problem.progress.look)

        def searched(given: TreeProblem) -> TreeRecoding:
            contest = Contest(CutWalk(given, objective=self.objective), deadline)
            contest.run()
            return published(contest.walk, contest.best, timed_out=deadline.passed)

        recoding = searched(problem)
        knowledge = problem.knowledge
        if not problem.suppression or knowledge.l > 1 or self.objective != "loss":
            return recoding

        def cost(found: TreeRecoding) -> float:
            kept = align(problem.forest, found.forest, problem.hierarchies)
            return loss_of(kept, problem.weights).total

        return with_fewer_records(problem, recoding, searched, cost)
