"""How each kind of recoding is published, by its name: a new kind is a file and a line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.publishing.buckets import exact_columns, permuted
from indistinct.publishing.groups import group_columns
from indistinct.publishing.intervals import interval_columns
from indistinct.publishing.levels import level_columns
from indistinct.publishing.matching import drawn_rows, matched_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.table import Table
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.publishing.groups import Columns

    Forms = tuple[Form, ...]
    RangesAs = tuple[RangeAs, ...]
    Drawn = tuple[NDArray[np.intp], dict[str, Any]]


@dataclass(frozen=True)
class Publisher:
    """What makes rows of a kind of recoding; each part is given the recoding of that kind.

    Attributes
    ----------
    quasi
        Write out the quasi columns, each as one published column or several.
    draw
        Draw the private row whose other values each published row carries, and say how that was
        drawn; None where each row keeps its own. It runs beside `quasi`.
    permute
        Permute sensitive values, and add the column of groups that tells the classes apart; None
        where rows keep theirs.
    """

    quasi: Callable[[pa.Table, Table, Any, Forms, RangesAs], dict[str, Columns]]
    draw: Callable[[Any, Plan, Draws], Drawn] | None = None
    permute: Callable[[pa.Table, Any, Plan, Draws], pa.Table] | None = None


PUBLISHERS: dict[str, Publisher] = {
    "levels": Publisher(level_columns),
    "intervals": Publisher(interval_columns),
    "groups": Publisher(group_columns),
    "buckets": Publisher(exact_columns, permute=permuted),
    "matchings": Publisher(matched_columns, draw=drawn_rows),
}
