"""auto: the method that suits what the plan asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.full_domain.optimal import Optimal
from indistinct.methods.partition.best import Best
from indistinct.methods.partition.dual import AccuracyConstrained

if TYPE_CHECKING:
    from indistinct.methods.base import Problem
    from indistinct.model.recoding import Recoding


class Auto(Method):
    """`best`, which loses least; `optimal` for whole columns; `ac` under a bound on loss.

    Whole columns are recoded if asked for, or if loss is counted in another way than by NCP, which
    methods that group rows cannot count.

    Parameters
    ----------
    recoding
        `local`: the same value may be published differently in different rows. `global`: every
        column at one level of its hierarchy, which is easier to analyse and loses more.
    """

    decides: ClassVar[str] = "which method suits the plan: best, optimal or ac"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own"

    groups_rows: ClassVar[bool] = True

    name: Literal["auto"] = "auto"
    recoding: Literal["local", "global"] = "local"

    def chosen_for(self, problem: Problem) -> Method:
        """Choose."""
        if problem.accuracy is not None:
            return AccuracyConstrained()
        if self.recoding == "local" and problem.loss_is_ncp:
            return Best()
        return Optimal()

    def search(self, problem: Problem) -> Recoding:
        """Let the chosen method search."""
        return self.chosen_for(problem).search(problem)
