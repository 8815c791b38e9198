"""Optimal groups of rows in one dimension, and of many columns mapped to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import demands, least_rows
from indistinct.methods.common.groups import merged_partition
from indistinct.methods.common.orders import Mapping, mapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.demands_kernel import DemandArrays
    from indistinct.model.recoding import Partition

PAPER = "Ghinita, Karras, Kalnis, Mamoulis, ACM TODS 34(2), 2009"


class OneDimension(Method):
    """Optimal k-anonymous groups of consecutive rows (Ghinita et al. 2009, section 3).

    The groups are the best among all runs of an order: of one quasi column its natural order,
    of many columns a mapping to one dimension (section 6). Runs of k to 2k-1 rows suffice, since
    splitting a group never adds to its loss. The cost of a run comes from its bounding box. Cost:
    O(d k n) after sorting, where of 3k-2 or more copies of a row 2k-1 count (`model/entries.py`).

    The paper says that for one column groups need not overlap under any superadditive loss. That
    holds for losses that sum up the extents of groups; where every row is charged (GCP), groups
    that are not runs can lose less: {0, 3} and {1, 1, 1} cost 2 at k = 2, the best runs 7/3.

    The programme knows sizes only. For other requirements it asks for the fewest rows that can
    satisfy, and neighbouring groups are merged until all hold, at least loss first.

    Parameters
    ----------
    mapping
        `lexicographic` (reflected, columns of few values first), `hilbert`, `hilbert-ranks` (a
        value stands where the share of rows below it says), `idistance`, or a function from the
        matrix of codes (a row per row) to an order of its rows.
    fast
        Whether costs are taken from the extent of groups in one dimension (HilbFast and iDistFast
        of the paper), or along the order where the mapping gives no value.

    References
    ----------
    Ghinita et al. 2009, sections 3 and 6.1, Figure 7.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical
    >>> plan = {
    ...     "columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}},
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "one-dimension"},
    ...     "unlisted": "drop",
    ... }
    >>> sorted(set(anonymize(medical(), plan).frame["zip"].to_pylist()))
    ['22030', '22032', '2204*']
    """

    decides: ClassVar[str] = "groups of rows that follow each other in some order; least loss there"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["one-dimension"] = "one-dimension"
    mapping: Mapping = "lexicographic"
    fast: bool = False

    def copies_for(self, problem: Problem) -> Copies:
        """A mapping of the user's own is given each row."""
        return "apart" if callable(self.mapping) else super().copies_for(problem)

    def search(self, problem: Problem) -> Partition:
        """Order the rows and find the best runs."""
        return one_dimension(problem, self.mapping, fast=self.fast)


class Hilbert(Method):
    """Optimal groups along a Hilbert curve (Hilb and HilbFast of Ghinita et al. 2009).

    See `OneDimension`. The curve has enough bits to tell all values of a column apart.

    References
    ----------
    Ghinita et al. 2009, section 6.1.
    """

    decides: ClassVar[str] = "groups of rows that follow each other on a Hilbert curve"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["hilbert"] = "hilbert"
    fast: bool = False

    def search(self, problem: Problem) -> Partition:
        """Order the rows and find the best runs."""
        return one_dimension(problem, "hilbert", fast=self.fast)


class IDistance(Method):
    """Optimal groups in the order of iDistance (iDist and iDistFast of Ghinita et al. 2009).

    See `OneDimension`. Rows go by their nearest centre, then by their distance from it; centres
    are found by k-means on a sample that is evenly spread over the sorted rows, and stand in the
    order of a Hilbert curve.

    References
    ----------
    Ghinita et al. 2009, section 6.1; C. Zhang et al., iDistance, ACM TODS 30(2), 2005.
    """

    decides: ClassVar[str] = "groups of rows that are near to one of many centres"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["idistance"] = "idistance"
    fast: bool = False
    centres: Annotated[int, Field(ge=1, strict=True)] = 512

    def search(self, problem: Problem) -> Partition:
        """Order the rows and find the best runs."""
        return one_dimension(problem, "idistance", fast=self.fast, centres=self.centres)


def one_dimension(
    problem: Problem, mapping: Mapping, *, fast: bool = False, centres: int = 512
) -> Partition:
    """Find the best runs of an order, and merge those that do not satisfy."""
    from indistinct.methods.common.runs_kernel import best_runs_by_extent, programme_for

    asked = demands(problem)
    along = mapped(problem, mapping, centres)
    if not fast:
        return runs_along(problem, asked, along.order)
    before = problem.table.rows_before(along.order)
    programme = programme_for(along.order.size)
    best_runs_by_extent(along.extents(problem), before, least_rows(problem), programme)
    return merged_partition(problem, asked, along.order, programme.starts)


def runs_along(problem: Problem, asked: DemandArrays, order: NDArray[np.int32]) -> Partition:
    """Find the best runs of rows in an order, by the cost of their boxes; merge those that fail."""
    from indistinct.methods.common.runs_kernel import best_runs, programme_for

    before, k = problem.table.rows_before(order), least_rows(problem)
    programme = programme_for(order.size, problem.codes.shape[1], k)
    best_runs(problem.codes, order, before, problem.spans.arrays, k, programme)
    return merged_partition(problem, asked, order, programme.starts)
