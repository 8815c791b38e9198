"""What a release lost: GCP, discernibility, class sizes, accuracy, completeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.measures.classes import summed_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table


@dataclass(frozen=True)
class Measures:
    """What was lost; 0 is nothing and 1 everything, where not said otherwise.

    Attributes
    ----------
    ncp
        Mean NCP of each column over all rows, a suppressed or starred cell counting 1.
    ncp_form
        In which form (node, range or set) each column is measured.
    gcp
        Mean of `ncp` over columns, by their weights (Ghinita et al. 2009, section 2).
    discernibility
        DM: each row costs the size of its class, a suppressed row the size of the table. A row of
        matchings costs k, how many rows it covers.
    average_class_size
        Released rows per class; 0 where there are none.
    accuracy, completeness
        Samarati 2001, section 6: one minus the relative height of the vector; the share of rows
        released. 1 is best; accuracy is only defined for level vectors.
    height
        The sum of the levels, of a level vector.
    """

    ncp: dict[str, float]
    ncp_form: dict[str, Form]
    gcp: float
    discernibility: int
    average_class_size: float
    accuracy: float | None
    completeness: float
    height: int | None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        forms = sorted(set(self.ncp_form.values()))
        return {
            "gcp": self.gcp,
            "gcp_form": "+".join(forms),
            "ncp": self.ncp,
            "ncp_form": self.ncp_form,
            "discernibility": self.discernibility,
            "average_class_size": self.average_class_size,
            "accuracy": self.accuracy,
            "completeness": self.completeness,
            "height": self.height,
        }


def measure_loss(
    table: Table,
    recoding: Recoding,
    class_sizes: NDArray[np.int64],
    forms: tuple[Form, ...] = (),
) -> Measures:
    """Measure a recoding, given the sizes of the classes it was published in.

    Groups of rows are measured in the forms they are published in, whole columns by node,
    intervals as ranges or as sets.
    """
    ncp = column_ncp(table, recoding, forms)
    levels = recoding.column_levels
    released = table.rows_where(recoding.kept)
    return Measures(
        ncp=ncp,
        ncp_form=dict(zip(ncp, recoding.measured_forms(forms), strict=True)),
        gcp=_gcp(ncp, table),
        discernibility=_discernibility(table, recoding, class_sizes),
        average_class_size=released / class_sizes.size if class_sizes.size else 0.0,
        accuracy=_accuracy(levels, table),
        completeness=released / table.rows,
        height=None if levels is None else sum(levels),
    )


def measure_blocks(
    table: Table,
    recoding: Recoding,
    blocks: Sequence[tuple[int, Mapping[str, float]]],
    class_sizes: NDArray[np.int64],
    forms: tuple[Form, ...],
) -> Measures:
    """Measure a release that was searched in blocks.

    Parameters
    ----------
    table
        The columns of the whole table.
    recoding
        Levels of whole columns, or blocks of rows.
    blocks
        How many rows each block has, and the mean NCP of each column over them.
    class_sizes
        The sizes of the classes of the whole release.
    """
    rows = np.array([number for number, _ in blocks])
    names = [column.name for column in table.quasi]
    ncp = {n: float(np.average([of[n] for _, of in blocks], weights=rows)) for n in names}
    released = int(class_sizes.sum())
    levels = recoding.column_levels
    return Measures(
        ncp=ncp,
        ncp_form=dict(zip(names, recoding.measured_forms(forms), strict=True)),
        gcp=_gcp(ncp, table),
        discernibility=summed_sizes(class_sizes, table.rows - released, table.rows),
        average_class_size=released / class_sizes.size if class_sizes.size else 0.0,
        accuracy=_accuracy(levels, table),
        completeness=released / table.rows,
        height=None if levels is None else sum(levels),
    )


def _accuracy(levels: tuple[int, ...] | None, table: Table) -> float | None:
    return None if levels is None else 1 - sum(levels) / max(sum(table.heights), 1)


def _gcp(ncp: Mapping[str, float], table: Table) -> float:
    """Mean of the NCP of columns, by their weights."""
    weights = np.array([column.weight for column in table.quasi])
    even = weights if weights.sum() > 0 else np.ones_like(weights)
    return float(np.average(list(ncp.values()), weights=even))


def column_ncp(table: Table, recoding: Recoding, forms: tuple[Form, ...] = ()) -> dict[str, float]:
    """Mean NCP of each quasi column over all rows, a suppressed or starred cell counting 1.

    Buckets lose nothing of quasi values, only their link to the sensitive ones.
    """
    units = recoding.units
    kept = units >= 0
    rows = table.rows_by(units[kept], 0, kept)
    suppressed = recoding.suppressed_rows(table)
    forms = forms or tuple("node" for _ in table.quasi)
    lost = {}
    for place, (column, form) in enumerate(zip(table.quasi, forms, strict=True)):
        numbers, values = recoding.column_shown(column, place, form)
        detail = (rows * values.loss[numbers[: rows.size]]).sum()
        lost[column.name] = float((detail + suppressed) / max(table.rows, 1))
    return lost


def _discernibility(table: Table, recoding: Recoding, class_sizes: NDArray[np.int64]) -> int:
    covered = recoding.covered_rows
    if covered is not None:
        return int(covered.size)
    return summed_sizes(class_sizes, recoding.suppressed_rows(table), table.rows)
