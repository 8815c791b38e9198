"""MinGen: look at every generalization, and take the preferred of those that satisfy."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, ClassVar, Literal

from indistinct.methods.base import ALL_MODELS
from indistinct.methods.common.feasible import (
    nothing_found,
    require_countable,
    require_few_columns,
    require_possible,
)
from indistinct.methods.full_domain.minimal import recoded, satisfying_vectors
from indistinct.methods.full_domain.preferences import Choosing, Preference, preferred

if TYPE_CHECKING:
    from indistinct.methods.base import Problem
    from indistinct.model.recoding import LevelVector


MOST_LISTED = 1e9


class MinGen(Choosing):
    """Exhaustive search over all vectors, choosing by a preference.

    Sweeney's preference is the least distortion: precision, here the relative distance of the
    vector. She also lets single cells be generalized; this is the full-domain case that Ciriani et
    al. 2007 and Samarati 2001 compare with. Unlike `samarati`, it chooses among all satisfying
    vectors, not only the minimal ones: a preference that generalization serves (least suppression,
    say) may climb to the top. Where we differ: columns are fixed one after the other, and vectors
    that agree on columns which alone force too much suppression are not counted one by one. Cost:
    in the worst case every vector is counted once, over the distinct rows; impractical for large
    lattices.

    Parameters
    ----------
    preference, weights
        How to choose, as for `samarati`.

    References
    ----------
    Sweeney, *Achieving k-Anonymity Privacy Protection Using Generalization and Suppression*,
    IJUFKS 10(5), 2002; Ciriani et al., *k-Anonymity*, section 3.2.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "mingen"}, limits={"suppression": 0.2})
    >>> anonymize(medical(), plan).levels
    {'zip': 1, 'marital': 1, 'sex': 0}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; exhaustive"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Sweeney, IJUFKS 10(5), 2002"
    draws_rows: ClassVar[bool] = True

    name: Literal["mingen"] = "mingen"
    preference: Preference = "relative-distance"

    def search(self, problem: Problem) -> LevelVector:
        """Find all satisfying vectors and release the preferred one."""
        require_possible(problem)
        require_few_columns(problem)
        require_countable(problem, MOST_LISTED)
        policy = self.policy(problem.table)
        candidates = satisfying_vectors(problem)
        if not candidates:
            raise nothing_found(problem)
        ties = preferred(candidates, policy)
        report = {
            "vectors": prod(height + 1 for height in problem.table.heights),
            "satisfying": len(candidates),
            "preferred": [list(candidate.vector) for candidate in ties],
        }
        return recoded(problem, ties[0].vector, report)
