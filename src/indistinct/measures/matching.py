"""What matchings lost, column by column, in the form each is published in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indistinct.model.forms import cover_labels
from indistinct.model.ncp import set_loss
from indistinct.model.spans import Spans

if TYPE_CHECKING:
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Matching
    from indistinct.model.table import Table


def matching_ncp(table: Table, matching: Matching, forms: tuple[Form, ...]) -> dict[str, float]:
    """Mean NCP of each column over all published rows."""
    spans = Spans(tuple(replace(column, weight=1.0) for column in table.quasi), forms)
    found = {}
    for place, column in enumerate(table.quasi):
        if forms[place] == "set":
            held = cover_labels(column, column.codes[matching.sources])[1]
            lost = set_loss(held, column.hierarchy.size)
        else:
            lost = spans.cost(place, *matching.bounds(column.codes))
        found[column.name] = float(lost.mean())
    return found
