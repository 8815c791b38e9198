"""What the classes of a recoding lose, by their widths: the losses of Ghinita et al. 2009.

A class is all rows published alike; groups with the same published values are one. Suppressed rows
are one more class, which says nothing. NCP of a class is the mean over its columns by their
weights, 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.model.counting import counted_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table


@dataclass(frozen=True, eq=False)
class MeasuredClasses:
    """The classes of a recoding, and what each loses.

    Attributes
    ----------
    of_row
        The class of each row of the table; -1 where the row is left out.
    sizes
        The rows of each class.
    extents
        NCP of each class in each column, without weights.
    weights
        The weight of each column.
    domains
        How many values each column can have.
    rows
        The rows of the private table.
    counts
        How many rows each entry of the table stands for; None where each is one row.
    """

    of_row: NDArray[np.int32]
    sizes: NDArray[np.int64]
    extents: NDArray[np.float64]
    weights: NDArray[np.float64]
    domains: NDArray[np.int64]
    rows: int
    counts: NDArray[np.int64] | None = None

    @property
    def suppressed(self) -> int:
        """How many rows are left out."""
        return self.rows - int(self.sizes.sum())

    @property
    def ncp(self) -> NDArray[np.float64]:
        """NCP of each class."""
        even = self.weights if self.weights.sum() > 0 else np.ones_like(self.weights)
        of_class: NDArray[np.float64] = self.extents @ (even / even.sum())
        return of_class


def classes_of(table: Table, recoding: Recoding, forms: tuple[Form, ...] = ()) -> MeasuredClasses:
    """Find the classes that a recoding publishes, in the forms of its columns.

    Buckets are classes that lose nothing: their quasi values are published as they are.
    """
    refuse_without_classes(recoding)
    columns, buckets = table.quasi, recoding.bucket_of_row
    if buckets is not None:
        of_row = buckets
        extents = np.zeros((int(buckets.max(initial=-1)) + 1, len(columns)))
    else:
        shown = recoding.shown(table, forms)
        of_row = shown.of_row
        held = zip(shown.values, shown.value.T, strict=True)
        extents = np.stack([values.loss[numbers] for values, numbers in held], axis=1)
    return MeasuredClasses(
        of_row=of_row,
        sizes=table.rows_by(of_row[of_row >= 0], extents.shape[0], of_row >= 0),
        extents=extents,
        weights=np.array([column.weight for column in columns]),
        domains=np.array([column.hierarchy.size for column in columns]),
        rows=table.rows,
        counts=table.weights,
    )


def refuse_without_classes(recoding: Recoding) -> None:
    """Raise if rows are published in no classes."""
    if not recoding.has_classes:
        problem = "a freeform release has no classes to measure"
        raise PlanError(Fault("method", problem, "Choose a method that groups rows."))


def gcp(classes: MeasuredClasses) -> float:
    """Global certainty penalty: mean NCP over rows (Ghinita et al. 2009, equation 2)."""
    lost = classes.sizes @ classes.ncp + classes.suppressed
    return float(lost / max(classes.rows, 1))


def average_extent(classes: MeasuredClasses) -> float:
    """IL1: mean NCP over classes, small or large (Ghinita et al. 2009, equation 3)."""
    lost, count = float(classes.ncp.sum()), classes.sizes.size
    if classes.suppressed:
        lost, count = lost + 1, count + 1
    return lost / max(count, 1)


def largest_extent(classes: MeasuredClasses) -> float:
    """IL-infinity: NCP of the widest class (Ghinita et al. 2009, equation 4)."""
    return 1.0 if classes.suppressed else float(classes.ncp.max(initial=0.0))


def largest_loss(classes: MeasuredClasses) -> float:
    """Largest NCP of a class times its rows (Ghinita et al. 2009, section 7.2)."""
    return max(float((classes.sizes * classes.ncp).max(initial=0.0)), float(classes.suppressed))


def average_volume(classes: MeasuredClasses) -> float:
    """Mean over rows of the product of their extents (Ghinita et al. 2009, section 7.2).

    A single value has the extent 1 / values of its column. No extent counts less than that, so
    that a wider class never has the smaller volume (in the paper a narrow range of unevenly spread
    numbers could). Weights do not count.
    """
    volumes = np.maximum(classes.extents, 1 / classes.domains).prod(axis=1)
    return float((classes.sizes @ volumes + classes.suppressed) / max(classes.rows, 1))


def discernibility(classes: MeasuredClasses) -> int:
    """DM: each row costs the rows of its class, a suppressed one the rows of the table."""
    return summed_sizes(classes.sizes, classes.suppressed, classes.rows)


def summed_sizes(sizes: NDArray[np.int64], suppressed: int, rows: int) -> int:
    """Sum up, over all rows, the size of their class; a suppressed row counts the whole table."""
    return int((sizes**2).sum()) + suppressed * rows


def classification(classes: MeasuredClasses, labels: NDArray[np.int32]) -> float:
    """CM: the share of rows whose label is not the most frequent of their class (Iyengar 2002).

    Parameters
    ----------
    labels
        The label of each row of the table, as a code: of a sensitive column, for instance.
    """
    kept = classes.of_row >= 0
    if not kept.any():
        return float(classes.rows > 0)
    kinds = int(labels.max()) + 1
    keys = classes.of_row[kept].astype(np.int64) * kinds + labels[kept]
    pairs, counts = counted_keys(keys, None if classes.counts is None else classes.counts[kept])
    starts = np.flatnonzero(np.diff(pairs // kinds, prepend=-1))
    agree = int(np.maximum.reduceat(counts, starts).sum())
    return (classes.rows - agree) / classes.rows
